//! A permutation that has passed the checks, and what a recipe makes of it.

use super::core::{Core, Places, last_two_swapped};
use super::design::design;
use super::fit::OnDevice;
use super::mapped::Mapped;
use super::recipe::Recipe;
use super::strides::Problem;
use crate::error::{Error, Result};
use crate::fragment::Maps;
use crate::gpu::DeviceProfile;
use crate::kernels::Slot;
use crate::kernels::transpose::Matrices;
use crate::plan::{Array, Computation, Program};

/// A specification that has passed the checks.
pub(super) struct Geometry {
    pub places: Places,
    pub task: Task,
}

/// What is to be done.
pub(super) enum Task {
    /// Bits are moved; with the dense matrices and the bytes of their elements, if they are such.
    Plain(Problem, Option<(Matrices, u32)>),
    /// Fragments map the elements.
    Mapped(Box<Mapped>),
}

impl Core {
    pub(super) fn geometry(&self) -> Result<Geometry> {
        let places = self.places()?;
        if let Some(form) = self.form {
            return Ok(Geometry { task: Task::Mapped(Box::new(Mapped::new(self, form, &places)?)), places });
        }
        let bytes = self.bytes;
        if !matches!(bytes, 1 | 2 | 4 | 8 | 16) {
            let what = format!("a permutation of elements of {bytes} bytes ({})", self.name);
            return Err(Error::Unsupported { what, why: "elements must have 1, 2, 4, 8 or 16 bytes".to_owned() });
        }
        let in_place = self.is_in_place();
        let Places { input, output, axes } = &places;
        let problem = Problem::new(bytes as u32, axes.iter().copied(), [input.offset, output.offset], in_place);
        if in_place && !problem.is_square() {
            return Err(self.unsupported(
                "this permutation in place",
                "only square matrices can be transposed in place: the permutation must swap two axes of equal extents, one of them contiguous",
            ));
        }
        let rank = self.shape.rank();
        let dense = self.input.is_none() && self.output.is_none() && !in_place && rank >= 2 && self.order == last_two_swapped(rank);
        let matrices = dense.then(|| {
            let extents = self.shape.extents();
            let leading: usize = extents[..rank - 2].iter().product();
            let batch = (leading * self.batch) as u32;
            (Matrices { rows: extents[rank - 2] as u32, columns: extents[rank - 1] as u32, batch }, bytes as u32)
        });
        Ok(Geometry { task: Task::Plain(problem, matrices), places })
    }

    /// A permutation without fragments on a device.
    pub(super) fn on_device<'a>(
        &self,
        places: &Places,
        problem: &'a Problem,
        matrices: Option<(Matrices, u32)>,
        profile: &'a DeviceProfile,
    ) -> OnDevice<'a> {
        let (label, slots, bytes) = (self.to_string(), [Slot::Input(0), Slot::Output], self.array_bytes(places));
        OnDevice { problem, matrices, label, slots, bytes, profile }
    }
}

impl Computation for Core {
    type Recipe = Recipe;

    fn design(&self, profile: &DeviceProfile) -> Result<Recipe> {
        let geometry = self.geometry()?;
        Ok(match &geometry.task {
            Task::Plain(problem, matrices) => design(&self.on_device(&geometry.places, problem, *matrices, profile)),
            Task::Mapped(mapped) => mapped.design(profile),
        })
    }

    fn lower(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
        let geometry = self.geometry()?;
        let Places { input, output, .. } = &geometry.places;
        let [input_bytes, output_bytes] = self.element_bytes();
        let input = Array { len: input.span, element_bytes: input_bytes };
        let output = Array { len: output.span, element_bytes: output_bytes };
        let program = Program::new(self.to_string(), self.placement, vec![input], output);
        let mut program = program.checked_with_textures(Maps(&self.maps).textures(), profile)?;
        match &geometry.task {
            Task::Plain(problem, matrices) => {
                program.dispatches = recipe.dispatches(&self.on_device(&geometry.places, problem, *matrices, profile))?;
            }
            Task::Mapped(mapped) => mapped.lower(recipe, profile, &mut program)?,
        }
        Ok(program)
    }
}
