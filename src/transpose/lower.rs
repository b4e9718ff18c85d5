//! A recipe for a transpose as dispatches.

use super::{Recipe, Transpose};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::gpu::DeviceProfile;
use crate::kernels::element::Width;
use crate::kernels::transpose::tiled::Tile;
use crate::kernels::transpose::{Matrices, naive, tiled};
use crate::kernels::{Dispatch, Slot, copy};
use crate::plan::{Array, Placement, Program};

pub(super) fn lower<T: Element>(spec: &Transpose<T>, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
    let (matrices, width) = (spec.matrices()?, spec.width()?);
    let dispatch = recipe.dispatch(matrices, width, profile, Slot::Input, Slot::Output).map_err(|error| match error {
        Error::UnfitRecipe { recipe, why, .. } => Error::UnfitRecipe { recipe, spec: spec.to_string(), why },
        other => other,
    })?;
    let array = Array::of::<T>(spec.shape.elements("transpose", spec.batch)?);
    Ok(Program {
        title: spec.to_string(),
        placement: Placement::OutOfPlace,
        input: array,
        second: false,
        output: array,
        workspaces: Vec::new(),
        tables: Vec::new(),
        dispatches: vec![dispatch],
    })
}

impl Recipe {
    /// The one dispatch of this recipe, for whatever operation needs a transpose.
    pub(crate) fn dispatch(
        &self,
        matrices: Matrices,
        width: Width,
        profile: &DeviceProfile,
        input: Slot,
        output: Slot,
    ) -> Result<Dispatch> {
        let Matrices { rows, columns, batch } = matrices;
        if let Some(why) = self.unfit(rows, columns, width, profile) {
            return Err(Error::UnfitRecipe { recipe: self.to_string(), spec: format!("transpose {rows}x{columns} x{batch}"), why });
        }
        let max_groups = profile.groups_per_axis;
        match *self {
            Self::Copy => {
                let workgroup = profile.invocations.min(256);
                copy::dispatch(rows * columns * batch, width, workgroup, max_groups, input, output)
            }
            Self::Naive { workgroup } => naive::dispatch(matrices, width, workgroup, max_groups, input, output),
            Self::Tiled { tile, padding, elements } => {
                tiled::dispatch(matrices, width, Tile { size: tile, padding, elements }, max_groups, input, output)
            }
        }
    }
}
