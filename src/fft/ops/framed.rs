//! Transforms of the frames of a signal, and back, as parts of a larger operation.

use super::step::Step;
use crate::fft::spec::framing::Framing;
use crate::fft::spec::kind::{Direction, End, Kind};
use crate::fft::spec::transform::Transform;
use crate::fft::spec::window::Windowed;
use crate::{
    Complex32,
    error::Result,
    fragment::{Checked, Form, Fragment, Side},
    kernels::Slot,
    layout::Layout,
    shape::Shape,
};

/// The windowed frames of signals, and their transforms.
pub(crate) struct Framed {
    pub real: bool,
    pub framing: Framing,
    pub frames: u32,
    pub batch: usize,
    /// Whether it is the adjoint of the transform in the other direction.
    pub adjoint: bool,
    pub map: Option<Checked>,
    pub frequencies_first: bool,
}

impl Framed {
    /// The place of a fragment on the results, for elements of such a form.
    pub fn check(fragment: Fragment, array: Form, element: &'static str) -> Result<Checked> {
        let side = Side { name: "output", rank: 2, spectrum: true, array, inner: Form::COMPLEX, loads: false };
        Checked::new(fragment, element, side)
    }

    /// `window` is what is multiplied with the value at each position of the transform.
    fn forward(&self, window: Slot) -> Result<Transform> {
        let Framing { n, signal, .. } = self.framing;
        let input = vec![Windowed::whole(self.frames), Windowed { len: signal, ..Windowed::whole(n) }];
        let kind = if self.real { Kind::R2c } else { Kind::C2c(Direction::Forward) };
        let (form, element) = if self.real { (Form::REAL, "f32") } else { (Form::COMPLEX, "complex f32") };
        let transform = Transform {
            frame: Some([input, self.spectrum()]),
            framing: Some(self.framing),
            input: Some(Layout::strides([0, 1]).batch_distance(signal as usize)),
            output: self.layout(),
            maps: [None, self.stored()?],
            ..self.of_kind(kind)
        };
        let windowed = || Fragment::new("value * window[i1]");
        let mut transform = transform.mapped(End::Input, windowed().slot::<f32>("window", n as usize, Some(window)), form, element)?;
        if self.real && self.framing.of_pairs().is_some() {
            // Each number with its own.
            let windowed = windowed().slot::<Complex32>("window", n as usize / 2, Some(window));
            let side = Side { name: "input", rank: 2, spectrum: false, array: Form::COMPLEX, inner: Form::COMPLEX, loads: true };
            transform.map_of_pairs = Some(Checked::new(windowed, "two f32", side)?);
        }
        Ok(transform)
    }

    /// The factor of an adjoint's half-spectra: of numbers that stand for two, `factor`.
    fn weights(&self, factor: f32) -> Option<Fragment> {
        let value = format!("value * select({factor:?}, 1.0, i1 == 0u || 2u * i1 == n1)");
        (self.real && self.adjoint).then(|| Fragment::new(value))
    }

    fn stored(&self) -> Result<Option<Checked>> {
        match (self.weights(2.0), &self.map) {
            (None, map) => Ok(map.clone()),
            (Some(weights), None) => Self::check(weights, Form::COMPLEX, "complex f32").map(Some),
            (Some(weights), Some(map)) => Self::check(map.fragment.clone().after(&weights), map.array, map.element).map(Some),
        }
    }

    /// The transform back into frames one after the other, each multiplied with `window`. The
    /// factor 1/n is left to the window.
    fn inverse(&self, window: Slot) -> Result<Transform> {
        let Framing { n, len, turn, .. } = self.framing;
        let output = vec![Windowed::whole(self.frames), Windowed { first: (n - turn) % n, len, ..Windowed::whole(n) }];
        let kind = if self.real { Kind::C2r } else { Kind::C2c(Direction::Inverse) };
        let (form, element) = if self.real { (Form::REAL, "f32") } else { (Form::COMPLEX, "complex f32") };
        let transform = Transform { frame: Some([self.spectrum(), output]), input: self.layout(), ..self.of_kind(kind) };
        let fragment = Fragment::new("value * window[i1]").slot::<f32>("window", len as usize, Some(window));
        let transform = transform.mapped(End::Output, fragment, form, element)?;
        match self.weights(0.5) {
            None => Ok(transform),
            Some(own) => transform.mapped(End::Input, own, Form::COMPLEX, "complex f32"),
        }
    }

    /// The transform in one direction. For a design it does not matter which array holds the window.
    pub fn step(&self, inverse: bool, window: Slot) -> Result<Step> {
        Ok(Step(if inverse { self.inverse(window)? } else { self.forward(window)? }))
    }

    fn of_kind(&self, kind: Kind) -> Transform {
        let shape = Shape::from([self.frames as usize, self.framing.n as usize]);
        Transform { batch: self.batch, axes: shape.canonical_axes(&[1]), ..Transform::new(kind, shape) }
    }

    fn spectrum(&self) -> Vec<Windowed> {
        let n = self.framing.n;
        vec![Windowed::whole(self.frames), if self.real { Windowed::half(n) } else { Windowed::whole(n) }]
    }

    /// Where a spectrum lies, if not frame by frame.
    fn layout(&self) -> Option<Layout> {
        let spectrum = self.spectrum();
        let [frames, bins] = [spectrum[0].len as usize, spectrum[1].len as usize];
        self.frequencies_first.then(|| Layout::strides([1, frames]).batch_distance(frames * bins))
    }
}
