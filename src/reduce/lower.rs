//! A recipe for a reduction as dispatches.

use super::{Recipe, Reduce, Value};
use crate::error::{Error, Result};
use crate::gpu::DeviceProfile;
use crate::kernels::Slot;
use crate::kernels::reduce::tree;
use crate::plan::{Array, Placement, Program};

pub(super) fn lower<T: Value>(spec: &Reduce<T>, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
    let mut length = spec.length()?;
    if let Some(why) = recipe.unfit(profile) {
        return Err(Error::UnfitRecipe { recipe: recipe.to_string(), spec: spec.to_string(), why });
    }
    let Recipe::Tree { workgroup } = *recipe;
    let mut program = Program {
        title: spec.to_string(),
        placement: Placement::OutOfPlace,
        input: Array::of::<T>(spec.len),
        output: Array::of::<T>(1),
        workspaces: Vec::new(),
        tables: Vec::new(),
        dispatches: Vec::new(),
    };
    let mut from = Slot::Input;
    loop {
        let partials = length.div_ceil(workgroup);
        let pass = program.dispatches.len();
        let to = if partials == 1 { Slot::Output } else { Slot::Workspace(pass % 2) };
        // Two workspaces take turns; later partial results are fewer and fit.
        if partials > 1 && pass < 2 {
            program.workspaces.push(Array::of::<T>(partials as usize));
        }
        program.dispatches.push(tree::dispatch(length, spec.operator(), workgroup, profile.groups_per_axis, from, to)?);
        if partials == 1 {
            return Ok(program);
        }
        (from, length) = (to, partials);
    }
}
