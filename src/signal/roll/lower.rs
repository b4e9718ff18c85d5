//! Which dispatches a recipe becomes.

use super::design::design;
use super::problem::{Axis, Part, Problem};
use super::recipe::Recipe;
use super::spec::Core;
use crate::error::{Error, Result};
use crate::gpu::{DeviceProfile, in_units};
use crate::kernels::element::Width;
use crate::kernels::signal::{Params, roll, roll_small};
use crate::kernels::transpose::Arrays;
use crate::kernels::{Dispatch, Slot};
use crate::plan::{Array, Computation, Placement, Program};

impl Recipe {
    /// The dispatch for a part.
    fn dispatch(&self, problem: &Problem, part: &Part, label: String, max_groups: u32) -> Result<Dispatch> {
        let axis = |i: usize| part.axes.get(i).copied().unwrap_or(Axis { extent: 1, shift: 0 });
        let stride = |i: usize| part.axes.iter().take(i).map(|axis| axis.extent).product::<u32>();
        let (x, y, outer) = (axis(0), axis(1), [2, 3, 4].map(axis));
        let params = Params {
            extent_x: x.extent,
            extent_y: y.extent,
            outer: outer.map(|axis| axis.extent),
            shift_x: x.shift,
            shift_y: y.shift,
            shift_outer: outer.map(|axis| axis.shift),
            stride_y: stride(1),
            stride_outer: [2, 3, 4].map(stride),
            input: part.offsets[0],
            output: part.offsets[1],
            blocks_x: 0,
            blocks_y: 0,
            groups: 0,
        };
        let arrays = Arrays { slots: [Slot::Input(0), Slot::Output], ranges: part.ranges };
        match Width::of_bytes(problem.bytes as usize) {
            Some(width) => roll::dispatch(label, params, width, self.workgroup, self.elements, max_groups, arrays),
            None => roll_small::dispatch(label, params, problem.bytes, self.workgroup, max_groups, arrays),
        }
    }
}

impl Computation for Core {
    type Recipe = Recipe;

    fn design(&self, profile: &DeviceProfile) -> Result<Recipe> {
        Ok(design(&self.problem()?, profile))
    }

    fn lower(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
        let (problem, title) = (self.problem()?, self.to_string());
        let array = Array { len: self.shape.elements("shift", self.batch)?, element_bytes: self.bytes };
        array.check(&title, "input", profile)?;
        recipe.fit(problem.bytes, profile).map_err(|why| Error::unfit(recipe, self, why))?;
        let parts = problem.parts(&title, in_units(array.bytes()), profile)?;
        let label = |i: usize| if parts.len() == 1 { title.clone() } else { format!("{title} ({} of {})", i + 1, parts.len()) };
        let dispatch = |(i, part)| recipe.dispatch(&problem, part, label(i), profile.groups_per_axis);
        let dispatches = parts.iter().enumerate().map(dispatch).collect::<Result<_>>()?;
        Ok(Program { dispatches, ..Program::new(title, Placement::OutOfPlace, vec![array], array) })
    }
}
