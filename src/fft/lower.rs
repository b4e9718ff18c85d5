//! A recipe for a Fourier transform as dispatches.

use super::recipe::{Recipe, RowRecipe, unfit};
use super::roots::stage_roots;
use super::{C2c, Direction, stages};
use crate::error::{Error, Result};
use crate::gpu::DeviceProfile;
use crate::kernels::element::Width;
use crate::kernels::fft::{Rows, radix2, registers};
use crate::kernels::transpose::Matrices;
use crate::kernels::{Dispatch, Slot};
use crate::plan::{Array, Placement, Program};
use num_complex::Complex32;

pub(super) fn lower(spec: &C2c, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
    let geometry = spec.geometry()?;
    let array = Array::of::<Complex32>(geometry.elements as usize);
    let program = Program {
        title: spec.to_string(),
        placement: spec.placement,
        input: array,
        output: array,
        workspaces: Vec::new(),
        tables: Vec::new(),
        dispatches: Vec::new(),
    };
    let mut lowering = Lowering { spec, recipe, profile, program };
    let (input, output) = match spec.placement {
        Placement::OutOfPlace => (Slot::Input, Slot::Output),
        Placement::InPlace => (Slot::Output, Slot::Output),
    };
    let workspace = Slot::Workspace(0);
    let scale = spec.factor(geometry.n);
    match (recipe, geometry.matrix) {
        (Recipe::Rows(row_recipe), None) => lowering.rows(row_recipe, geometry.n, geometry.elements, scale, input, output)?,
        (Recipe::RowsTransposed { rows, columns, transpose }, Some([r, c])) => {
            lowering.program.workspaces.push(array);
            let batch = geometry.elements / (r * c);
            let dispatch = |[rows, columns]: [u32; 2], from, to| {
                transpose
                    .dispatch(Matrices { rows, columns, batch }, Width::Pair, profile, from, to)
                    .map_err(|error| unfit_transpose(spec, recipe, error))
            };
            // Out of place the input is only read, by the first step. Arrays: where the rows go, where their transpose goes, the end.
            let (first, second) =
                if spec.transposed && spec.placement == Placement::OutOfPlace { (workspace, output) } else { (output, workspace) };
            lowering.rows(rows, c, geometry.elements, 1.0, input, first)?;
            let transposed = dispatch([r, c], first, second)?;
            lowering.program.dispatches.push(transposed);
            let third = if spec.transposed { output } else { second };
            lowering.rows(columns, r, geometry.elements, scale, second, third)?;
            if !spec.transposed {
                let back = dispatch([c, r], third, output)?;
                lowering.program.dispatches.push(back);
            }
        }
        (Recipe::Rows(_), Some(_)) => {
            return Err(lowering.unfit("two axes longer than 1 need `rows`, `columns` and `transpose`".to_owned()));
        }
        (Recipe::RowsTransposed { .. }, None) => return Err(lowering.unfit("one axis longer than 1 needs `rows` only".to_owned())),
    }
    Ok(lowering.program)
}

fn unfit_transpose(spec: &C2c, recipe: &Recipe, error: Error) -> Error {
    match error {
        Error::UnfitRecipe { why, .. } => Error::UnfitRecipe { recipe: recipe.to_string(), spec: spec.to_string(), why },
        other => other,
    }
}

struct Lowering<'a> {
    spec: &'a C2c,
    recipe: &'a Recipe,
    profile: &'a DeviceProfile,
    program: Program,
}

impl Lowering<'_> {
    fn unfit(&self, why: String) -> Error {
        Error::UnfitRecipe { recipe: self.recipe.to_string(), spec: self.spec.to_string(), why }
    }

    /// Adds the transform of `elements / n` rows.
    fn rows(&mut self, recipe: &RowRecipe, n: u32, elements: u32, scale: f32, input: Slot, output: Slot) -> Result<()> {
        if let Some(why) = unfit(recipe, n, self.profile) {
            return Err(self.unfit(why));
        }
        let rows = Rows { n, rows: elements / n, inverse: self.spec.direction == Direction::Inverse, scale };
        let max_groups = self.profile.groups_per_axis;
        let dispatch: Dispatch = match recipe {
            RowRecipe::Radix2 { rows: rows_per_workgroup, lanes } => {
                let roots = self.program.table(stage_roots(&vec![2; n.trailing_zeros() as usize]));
                radix2::dispatch(rows, *rows_per_workgroup, *lanes, max_groups, [input, output, roots])?
            }
            RowRecipe::Registers(registers) => {
                let roots = self.program.table(stage_roots(&registers.radices));
                let (generated, workgroup) = stages::generate(registers, self.profile.workgroup_bytes);
                registers::dispatch(rows, workgroup, generated, max_groups, [input, output, roots])?
            }
        };
        self.program.dispatches.push(dispatch);
        Ok(())
    }
}
