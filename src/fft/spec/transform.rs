//! What complex and real transforms share: shape, axes, layouts, scale and placement.

use std::ops::Range;

use super::elements::HalfNumbers;
use super::framing::Framing;
use super::kind::{Direction, End, Kind, Scale};
use super::number::Number;
use super::real_kind::RealKind;
use super::window::{Window, Windowed};
use crate::error::{Error, Result};
use crate::fft::place::Storage;
use crate::fragment::{Checked, Form, Fragment, Readable, Side};
use crate::layout::Layout;
use crate::plan::Placement;
use crate::shape::Shape;

/// The bits of a factor, as a specification keeps them. All NaN are equally wrong; equal
/// specifications must print equally.
pub(super) fn kept(factor: f64, number: Number) -> u64 {
    if factor.is_nan() { f64::NAN } else { number.rounded(factor) }.to_bits()
}

/// The specification of a transform.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(in crate::fft) struct Transform {
    pub kind: Kind,
    pub number: Number,
    /// Extents of the array of positions, which for real transforms is the array of reals.
    pub shape: Shape,
    /// The kinds of axes that are transformed from reals to reals. Empty if there are none.
    pub kinds: Vec<Option<RealKind>>,
    /// Whether these axes have the factors on single elements that make them orthogonal.
    pub orthogonal: bool,
    pub batch: usize,
    /// The axes to transform, in the form of [`Shape::canonical_axes`]; `None` for all.
    pub axes: Option<Vec<usize>>,
    pub input: Option<Layout>,
    pub output: Option<Layout>,
    pub scale: Scale,
    /// Bits of a factor that replaces that of the scale, if there is one. It is one of the
    /// transform's numbers.
    pub factor: Option<u64>,
    pub placement: Placement,
    pub transposed: bool,
    /// Whether the caller lets rows of reals mix that no transformed axis mixes.
    pub rows_mix: bool,
    /// The parts of the axes that input and output have, where that is not all.
    pub windows: [Option<Vec<Window>>; 2],
    /// What the arrays hold, where that is not f32 and no fragment decides it.
    pub elements: [Option<HalfNumbers>; 2],
    /// What the arrays between two axes hold, where that is not complex f32.
    pub between: Option<HalfNumbers>,
    /// What fragments of the caller's do to values, and what the arrays of input and output hold
    /// then.
    pub maps: [Option<Checked>; 2],
    /// For a transform that is part of a larger operation: what the arrays have of each axis of
    /// that operation. It takes the place of `windows`.
    pub frame: Option<[Vec<Windowed>; 2]>,
    /// The rows of the input are frames of a signal: axis 0 counts frames, and the last axis is
    /// transformed. The frame's window on that axis, and the input's layout, are those of the
    /// signal.
    pub framing: Option<Framing>,
    /// What the input's fragment does to two neighbours at once, if frames may be loaded so
    /// ([`Framing::of_pairs`]).
    pub map_of_pairs: Option<Checked>,
    /// What a [`Kind::Filter`] does to the spectrum.
    pub product: Option<Checked>,
}

impl Transform {
    pub fn new(kind: Kind, shape: Shape) -> Self {
        Self {
            kind,
            number: Number::default(),
            shape,
            kinds: Vec::new(),
            orthogonal: false,
            batch: 1,
            axes: None,
            input: None,
            output: None,
            scale: Scale::One,
            factor: None,
            placement: Placement::OutOfPlace,
            transposed: false,
            rows_mix: false,
            windows: [None, None],
            elements: [None; 2],
            between: None,
            maps: [None, None],
            frame: None,
            framing: None,
            map_of_pairs: None,
            product: None,
        }
    }

    /// A transform of some axes between two frames.
    #[cfg(feature = "signal")]
    pub fn between_frames(kind: Kind, axes: &[usize], frames: [Vec<Windowed>; 2], batch: usize) -> Self {
        let extent = |(axis, window): (usize, &Windowed)| if axes.contains(&axis) { window.n } else { window.len } as usize;
        let shape: Vec<usize> = frames[0].iter().enumerate().map(extent).collect();
        let shape = Shape::from(shape.as_slice());
        Self { batch, axes: shape.canonical_axes(axes), frame: Some(frames), ..Self::new(kind, shape) }
    }

    /// The same transform of other numbers.
    pub fn of_numbers(self, number: Number) -> Self {
        Self { number, factor: self.factor.map(|factor| kept(f64::from_bits(factor), number)), ..self }
    }

    /// Sets the factor on every output to the number that is closest to this one.
    pub fn set_factor(&mut self, factor: f64) {
        self.scale = Scale::One;
        self.factor = Some(kept(factor, self.number));
    }

    /// Sets which part of each axis of the array at an end there is.
    pub fn set_window(&mut self, end: End, ranges: impl IntoIterator<Item = Range<i64>>) {
        self.windows[end as usize] = Some(ranges.into_iter().map(Window::from).collect());
    }

    /// Whether it has all elements, each of one of its numbers, and none is mapped.
    pub fn is_plain(&self) -> bool {
        self.elements == [None; 2]
            && self.between.is_none()
            && self.windows.iter().all(Option::is_none)
            && self.maps.iter().all(Option::is_none)
            && self.frame.is_none()
    }

    /// Whether single elements of the result are short sums over the input. Numbers of 16 bits
    /// between axes are left out: their rounding is not bounded by what is known of one element.
    pub fn is_summable(&self) -> bool {
        Self { elements: [None; 2], ..self.clone() }.is_plain()
    }

    /// Refuses fragments, and numbers of 16 bits, where arithmetic is not that of f32.
    pub(super) fn check_numbers(&self) -> Result<()> {
        if self.number == Number::F32 {
            return Ok(());
        }
        if self.maps.iter().any(Option::is_some) || self.product.is_some() {
            return Err(self.without_fragments());
        }
        if self.elements != [None; 2] || self.between.is_some() {
            let why = "numbers of 16 bits are for arithmetic in f32";
            return Err(self.unsupported(&format!("numbers of 16 bits in an FFT in {}", self.number), why));
        }
        Ok(())
    }

    pub(super) fn without_fragments(&self) -> Error {
        let why = "fragments compute in f32: convert the numbers before the transform or after it";
        self.unsupported(&format!("a fragment in an FFT in {}", self.number), why)
    }

    /// What a number is that no fragment has changed, in the arithmetic of the transform.
    pub(super) fn form(&self, end: End) -> Form {
        match (self.kind, end) {
            (Kind::R2c, End::Input) | (Kind::C2r, End::Output) | (Kind::R2r | Kind::Filter { real: true }, _) => self.number.real_form(),
            _ => self.number.complex_form(),
        }
    }

    /// What the array at an end holds.
    pub fn form_of(&self, end: End) -> Form {
        let without = || self.elements[end as usize].map_or(self.form(end), |elements| elements.form);
        self.maps[end as usize].as_ref().map_or_else(without, |map| map.array)
    }

    /// The same, as passes see it.
    pub fn storage(&self, end: End) -> Storage {
        Storage::of(self.form_of(end), self.number)
    }

    /// What an array between two axes holds.
    pub fn between(&self) -> Storage {
        let plain = if self.kind == Kind::R2r { Storage::Real } else { Storage::Complex };
        self.between.map_or(plain, |elements| Storage::of(elements.form, self.number))
    }

    /// Lets the array at an end have elements of `T`. Behind a fragment, these are what it sees as
    /// the same values.
    pub fn with_elements<T: Readable>(mut self, end: End) -> Self {
        match &mut self.maps[end as usize] {
            Some(map) => (map.array, map.element) = (T::FORM, T::NAME),
            None => self.elements[end as usize] = HalfNumbers::of::<T>(),
        }
        self
    }

    /// Adds a fragment between the transform and an array of such elements.
    pub fn mapped(mut self, end: End, fragment: Fragment, array: Form, element: &'static str) -> Result<Self> {
        if self.number != Number::F32 {
            return Err(self.without_fragments());
        }
        // Frequencies are on the output of a forward transform, and on the input of an inverse one.
        let spectrum = self.is_inverse() == (end == End::Input) && self.kind != Kind::R2r;
        let side = Side { spectrum, ..Side::of(end as usize, self.shape.rank(), array, self.form(end)) };
        self.maps[end as usize] = Some(Checked::new(fragment, element, side)?);
        // The fragment decides what the array holds.
        self.elements[end as usize] = None;
        Ok(self)
    }

    pub fn is_inverse(&self) -> bool {
        matches!(self.kind, Kind::C2c(Direction::Inverse) | Kind::C2r)
    }

    /// The shape with n/2+1 instead of n on the last axis.
    pub fn half(&self) -> Shape {
        let last = self.shape.rank() - 1;
        self.shape.with(last, self.shape.extents()[last] / 2 + 1)
    }

    pub fn shapes(&self) -> [Shape; 2] {
        let shapes = match self.kind {
            Kind::C2c(_) | Kind::R2r | Kind::Filter { .. } => [self.shape, self.shape],
            Kind::R2c => [self.shape, self.half()],
            Kind::C2r => [self.half(), self.shape],
        };
        // Parts that do not fit are refused when the transform is planned.
        let of_parts = |(shape, end): (Shape, End)| {
            let windows = if self.windows[end as usize].is_some() || self.frame.is_some() {
                self.windows(end).unwrap_or_default()
            } else {
                Vec::new()
            };
            windows.iter().enumerate().fold(shape, |shape, (axis, window)| shape.with(axis, window.len as usize))
        };
        [(shapes[0], End::Input), (shapes[1], End::Output)].map(of_parts)
    }

    pub(super) fn refuse_if(&self, is_wrong: bool, what: &str, why: &str) -> Result<()> {
        if is_wrong { Err(self.unsupported(what, why)) } else { Ok(()) }
    }

    pub fn unsupported(&self, what: &str, why: &str) -> Error {
        Error::Unsupported { what: format!("{what} (`{self}`)"), why: why.to_owned() }
    }
}
