//! Translates a recipe for a filter into dispatches.

use super::design::design;
use super::emit;
use super::fit::{Filtered, Work, fit, transposing};
use super::recipe::Recipe;
use super::spec::{Core, Problem};
use crate::error::{Error, Result};
use crate::gpu::DeviceProfile;
use crate::kernels::Slot;
use crate::kernels::filter::stencil::{Arrays, Params, dispatch};
use crate::plan::program::Table;
use crate::plan::{Array, Computation, Placement, Program};
use crate::text::join;

impl Computation for Core {
    type Recipe = Recipe;

    fn design(&self, profile: &DeviceProfile) -> Result<Recipe> {
        Ok(design(&self.problem()?, profile))
    }

    fn lower(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
        let problem = self.problem()?;
        let title = problem.title.clone();
        let len = |shape: &crate::Shape| shape.extents().iter().product::<usize>() * self.batch;
        let input = Array { len: len(&problem.input), element_bytes: problem.stored.bytes() as usize };
        let output = Array { len: len(&problem.output), element_bytes: 4 };
        let mut program = Program::new(title.clone(), Placement::OutOfPlace, vec![input], output).checked(profile)?;
        let works = fit(&problem, recipe, profile).map_err(|why| Error::unfit(recipe, self, why))?;
        if works.len() > 1 {
            program.workspaces.push(output);
        }
        let bits = self.all_taps();
        // The title states the taps.
        let taps = program.table(Table::new(format!("{} taps", bits.len()), bits.len() as u64, move || bits.clone()));
        let mut from = Slot::Input(0);
        for (i, work) in works.iter().enumerate() {
            // Alternately, so that the last one stores to the output.
            let to = if (works.len() - 1 - i).is_multiple_of(2) { Slot::Output } else { Slot::Workspace(0) };
            match work {
                Work::Transpose { matrices, recipe } => {
                    program.dispatches.extend(transposing(*matrices, [from, to], profile, |task| recipe.dispatches(task))?);
                }
                Work::Filter(filtered) => {
                    let arrays = Arrays { slots: [from, to], taps };
                    program.dispatches.push(filtered.dispatch(&problem, arrays, profile)?);
                }
            }
            from = to;
        }
        Ok(program)
    }
}

impl Filtered {
    pub fn dispatch(&self, problem: &Problem, arrays: Arrays, profile: &DeviceProfile) -> Result<crate::kernels::Dispatch> {
        let Self { view, form, first } = self;
        let [rows, accesses] = form.tile;
        let [output_rows, output_columns] = [view.output[0], view.output[1] / form.width];
        let params = Params {
            rows: view.input[0],
            columns: view.input[1] / form.width,
            output_rows,
            output_columns,
            planes: view.planes,
            tiles_down: output_rows.div_ceil(rows),
            tiles_along: output_columns.div_ceil(accesses),
            taps: *first,
        };
        let sums: Vec<String> = form.stages.iter().map(|stage| join(&stage.taps, "x")).collect();
        let label = format!("{} {}x{}, edge {}", join(&sums, " and "), view.input[0], view.input[1], problem.edge);
        dispatch(label, params, form, emit::wgsl(form).into(), profile.groups_per_axis, arrays)
    }
}
