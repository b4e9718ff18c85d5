//! One transform as part of a larger operation.

use super::recipe::Recipe;
use super::transform::{Direction, End, Kind, Transform};
use super::window::Windowed;
use super::{design, lower};
use crate::error::Result;
use crate::fragment::{Checked, Form, Fragment, Side};
use crate::gpu::DeviceProfile;
use crate::kernels::Slot;
use crate::plan::{Array, Program};
use crate::shape::Shape;

/// A transform of all axes between two frames.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// Between reals and half of a spectrum.
    pub real: bool,
    /// From a spectrum to positions.
    pub inverse: bool,
    /// What input and output have of each axis, with the length of its transform.
    pub frames: [Vec<Windowed>; 2],
    pub batch: usize,
    pub maps: [Option<Checked>; 2],
    /// On every output.
    pub factor: f32,
}

impl Step {
    /// A transform of arrays of such extents to their whole spectra, or back.
    pub fn whole(real: bool, inverse: bool, extents: &[usize], batch: usize) -> Self {
        let lengths: Vec<u32> = extents.iter().map(|&n| n as u32).collect();
        let positions = lengths.iter().map(|&n| Windowed::whole(n)).collect();
        let mut frames = [positions, super::filter::Filter::spectrum(real, &lengths)];
        if inverse {
            frames.reverse();
        }
        Self { real, inverse, frames, batch, maps: [None, None], factor: 1.0 }
    }

    /// What an array without a fragment holds.
    fn form(&self, end: End) -> (Form, &'static str) {
        let positions = self.inverse == (end == End::Output);
        if self.real && positions { (Form::REAL, "f32") } else { (Form::COMPLEX, "complex f32") }
    }

    /// Adds a fragment between the transform and an array of the type that it has without one.
    pub fn map(self, end: End, fragment: Fragment) -> Result<Self> {
        let (form, element) = self.form(end);
        self.map_as(end, fragment, form, element)
    }

    /// Adds a fragment between the transform and an array of such elements.
    pub fn map_as(mut self, end: End, fragment: Fragment, array: Form, element: &'static str) -> Result<Self> {
        let name = if end == End::Input { "input" } else { "output" };
        let rank = self.frames[0].len();
        let side =
            Side { name, rank, spectrum: self.inverse == (end == End::Input), array, inner: self.form(end).0, loads: end == End::Input };
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
        let shape: Vec<usize> = self.frames[0].iter().map(|window| window.n as usize).collect();
        let (frame, maps) = (Some(self.frames.clone()), self.maps.clone());
        let factor = Some(self.factor.to_bits());
        Transform { batch: self.batch, frame, maps, factor, ..Transform::new(kind, Shape::from(shape.as_slice())) }
    }

    /// The elements of an end's array.
    pub fn array(&self, end: End) -> Array {
        let of_item: usize = self.frames[end as usize].iter().map(|window| window.len as usize).product();
        let form = self.maps[end as usize].as_ref().map_or(self.form(end).0, |map| map.array);
        Array { len: of_item * self.batch, element_bytes: form.bytes() as usize }
    }

    pub fn design(&self, profile: &DeviceProfile) -> Result<Recipe> {
        design::design(&self.transform(), profile)
    }

    /// Adds the transform to a program.
    pub fn append(&self, recipe: &Recipe, profile: &DeviceProfile, program: &mut Program, ends: [Slot; 2]) -> Result<()> {
        lower::append(&self.transform(), recipe, profile, program, ends)
    }
}
