//! One transform as part of a larger operation.

use crate::error::Result;
use crate::fft::ops::filter::Filter;
use crate::fft::recipe::Recipe;
use crate::fft::spec::kind::{Direction, End, Kind};
use crate::fft::spec::transform::Transform;
use crate::fft::spec::window::Windowed;
use crate::fft::{choose, lower};
use crate::fragment::{Checked, Form, Fragment};
use crate::gpu::DeviceProfile;
use crate::kernels::Slot;
use crate::layout::Layout;
use crate::plan::{Array, Program, Sealed};

/// A transform in one direction, to a spectrum or back, of reals or of complex numbers.
#[derive(Clone, Debug)]
pub(crate) struct Step(pub(super) Transform);

impl Step {
    /// A transform of these axes, in ascending order; of reals, the last axis is among them. The
    /// frames say what input and output have of each axis, with the length of its transform.
    pub fn new(real: bool, inverse: bool, axes: &[usize], frames: [Vec<Windowed>; 2], batch: usize) -> Self {
        let kind = match (real, inverse) {
            (true, false) => Kind::R2c,
            (true, true) => Kind::C2r,
            (false, false) => Kind::C2c(Direction::Forward),
            (false, true) => Kind::C2c(Direction::Inverse),
        };
        Self(Transform::between_frames(kind, axes, frames, batch))
    }

    pub fn of_all_axes(real: bool, inverse: bool, frames: [Vec<Windowed>; 2], batch: usize) -> Self {
        let axes: Vec<usize> = (0..frames[0].len()).collect();
        Self::new(real, inverse, &axes, frames, batch)
    }

    /// A transform of arrays of such extents to their whole spectra, or back.
    pub fn whole(real: bool, inverse: bool, extents: &[usize], batch: usize) -> Self {
        let lengths: Vec<u32> = extents.iter().map(|&n| n as u32).collect();
        let positions = lengths.iter().map(|&n| Windowed::whole(n)).collect();
        let mut frames = [positions, Filter::spectrum(real, &lengths)];
        if inverse {
            frames.reverse();
        }
        Self::of_all_axes(real, inverse, frames, batch)
    }

    crate::settings::settings! { own:
        /// Where the arrays have their elements, if not densely.
        layouts(layouts: [Option<Layout>; 2]) => [own.0.input, own.0.output] = layouts;

        /// What is applied to each element that is loaded, and to each that is stored.
        maps(maps: [Option<Checked>; 2]) => own.0.maps = maps;

        factor(factor: f32) => own.0.set_factor(factor.into());
    }

    /// Adds a fragment between the transform and an array of the type that it has without one.
    pub fn map(self, end: End, fragment: Fragment) -> Result<Self> {
        let form = self.0.form_of(end);
        self.map_of(end, fragment, form, if form == Form::REAL { "f32" } else { "complex f32" })
    }

    /// Adds a fragment between the transform and an array of such elements.
    pub fn map_of(self, end: End, fragment: Fragment, array: Form, element: &'static str) -> Result<Self> {
        Ok(Self(self.0.mapped(end, fragment, array, element)?))
    }

    /// What an end's array has of each axis.
    pub fn frame(&self, end: End) -> &[Windowed] {
        self.0.frame.as_ref().map_or(&[], |frames| &frames[end as usize])
    }

    pub fn array(&self, end: End) -> Array {
        let of_item: usize = self.frame(end).iter().map(|window| window.len as usize).product();
        Array { len: of_item * self.0.batch, element_bytes: self.0.form_of(end).bytes() as usize }
    }

    /// How many operations a device takes for it, by the usual count.
    pub fn operations(&self) -> f64 {
        self.0.operations().map_or(0.0, |[_, device]| device)
    }

    pub fn design(&self, profile: &DeviceProfile) -> Result<Recipe> {
        choose::design(&self.0, profile)
    }

    pub fn append(&self, recipe: &Recipe, profile: &DeviceProfile, program: &mut Program, ends: [Slot; 2]) -> Result<()> {
        lower::append(&self.0, recipe, profile, program, ends)
    }
}
