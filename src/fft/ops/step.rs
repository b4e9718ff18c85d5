//! One transform as part of a larger operation.

use crate::error::Result;
use crate::fft::recipe::Recipe;
use crate::fft::spec::kind::{Direction, End, Kind};
use crate::fft::spec::transform::Transform;
use crate::fft::spec::window::Windowed;
use crate::fft::{choose, lower};
use crate::fragment::{Checked, Form, Fragment, Side};
use crate::gpu::DeviceProfile;
use crate::kernels::Slot;
use crate::layout::Layout;
use crate::plan::{Array, Program};

/// A transform in one direction.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// Between reals and half of a spectrum.
    pub real: bool,
    /// From a spectrum to positions.
    pub inverse: bool,
    /// The axes to transform, in ascending order. Of reals, the last axis is among them.
    pub axes: Vec<usize>,
    /// What input and output have of each axis, with the length of its transform.
    pub frames: [Vec<Windowed>; 2],
    pub batch: usize,
    /// The default is dense.
    pub layouts: [Option<Layout>; 2],
    /// Applied to each element that is loaded, and to each that is stored.
    pub maps: [Option<Checked>; 2],
    /// On every output.
    pub factor: f32,
}

impl Step {
    /// A forward transform of all axes of dense arrays.
    pub fn forward(real: bool, frames: [Vec<Windowed>; 2], batch: usize) -> Self {
        let axes = (0..frames[0].len()).collect();
        Self { real, inverse: false, axes, frames, batch, layouts: [None; 2], maps: [None, None], factor: 1.0 }
    }

    /// A transform of arrays of such extents to their whole spectra, or back.
    pub fn whole(real: bool, inverse: bool, extents: &[usize], batch: usize) -> Self {
        let lengths: Vec<u32> = extents.iter().map(|&n| n as u32).collect();
        let positions = lengths.iter().map(|&n| Windowed::whole(n)).collect();
        let mut frames = [positions, crate::fft::ops::filter::Filter::spectrum(real, &lengths)];
        if inverse {
            frames.reverse();
        }
        Self { inverse, ..Self::forward(real, frames, batch) }
    }

    /// What an array without a fragment holds.
    fn form(&self, end: End) -> (Form, &'static str) {
        let positions = self.inverse == (end == End::Output);
        if self.real && positions { (Form::REAL, "f32") } else { (Form::COMPLEX, "complex f32") }
    }

    /// Adds a fragment between the transform and an array of the type that it has without one.
    pub fn map(mut self, end: End, fragment: Fragment) -> Result<Self> {
        let (array, element) = self.form(end);
        let spectrum = self.inverse == (end == End::Input);
        let side = Side { spectrum, ..Side::of(end as usize, self.frames[0].len(), array, array) };
        self.maps[end as usize] = Some(Checked::new(fragment, element, side)?);
        Ok(self)
    }

    fn transform(&self) -> Transform {
        let kind = match (self.real, self.inverse) {
            (true, false) => Kind::R2c,
            (true, true) => Kind::C2r,
            (false, false) => Kind::C2c(Direction::Forward),
            (false, true) => Kind::C2c(Direction::Inverse),
        };
        let mut transform = Transform {
            input: self.layouts[0],
            output: self.layouts[1],
            maps: self.maps.clone(),
            ..Transform::between_frames(kind, &self.axes, self.frames.clone(), self.batch)
        };
        if self.factor != 1.0 {
            transform.set_factor(self.factor.into());
        }
        transform
    }

    /// The elements of an end's array.
    pub fn array(&self, end: End) -> Array {
        let of_item: usize = self.frames[end as usize].iter().map(|window| window.len as usize).product();
        let form = self.maps[end as usize].as_ref().map_or(self.form(end).0, |map| map.array);
        Array { len: of_item * self.batch, element_bytes: form.bytes() as usize }
    }

    pub fn design(&self, profile: &DeviceProfile) -> Result<Recipe> {
        choose::design(&self.transform(), profile)
    }

    /// Adds the transform to a program.
    pub fn append(&self, recipe: &Recipe, profile: &DeviceProfile, program: &mut Program, ends: [Slot; 2]) -> Result<()> {
        lower::append(&self.transform(), recipe, profile, program, ends)
    }
}
