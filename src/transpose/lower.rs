//! Translates a recipe for a permutation into dispatches.

use std::sync::Arc;

use bytemuck::Zeroable;

use super::emit;
use super::fit::{Fitted, OnDevice, Runs, fastest, rows, tiles_along};
use super::recipe::Recipe;
use super::strides::{Part, Problem};
use crate::error::Result;
use crate::kernels::transpose::tiles::{self, Side};
use crate::kernels::transpose::{Arrays, gather, naive, strided, swap, tiled};
use crate::kernels::{Dispatch, copy};

impl Recipe {
    /// The dispatches of this recipe, for any operation that needs a permutation.
    pub(crate) fn dispatches(&self, task: &OnDevice<'_>) -> Result<Vec<Dispatch>> {
        let fitted = self.fit_but_for_grids(task).map_err(|unfit| unfit.error(self, &task.label))?;
        // All parts share one text.
        let text = if let Runs::Tiles { form, .. } = &fitted.runs { emit::wgsl(form).into() } else { Arc::default() };
        fitted.dispatches(task, &text)
    }
}

impl Fitted {
    /// The dispatches of all parts, with this text where the kernel is generated.
    pub fn dispatches(&self, task: &OnDevice<'_>, text: &Arc<str>) -> Result<Vec<Dispatch>> {
        let Self { runs, parts } = self;
        let label = |i: usize| if parts.len() == 1 { task.label.clone() } else { format!("{} ({} of {})", task.label, i + 1, parts.len()) };
        let arrays = |ranges| Arrays { slots: task.slots, ranges };
        let max_groups = task.profile.groups_per_axis;
        let dispatch = |(i, part): (usize, &Part)| runs.dispatch(&part.problem, label(i), text, max_groups, arrays(part.ranges));
        parts.iter().enumerate().map(dispatch).collect()
    }
}

impl Runs {
    /// The dispatch for a part. Kernels count in blocks and groups.
    fn dispatch(&self, problem: &Problem, label: String, text: &Arc<str>, max_groups: u32, arrays: Arrays) -> Result<Dispatch> {
        let [input, output] = problem.offsets;
        match *self {
            Self::Copy { width, workgroup } => copy::dispatch(problem.axes[0].extent, width, workgroup, max_groups, arrays),
            Self::Naive { matrices, width, workgroup } => naive::dispatch(matrices, width, workgroup, max_groups, arrays),
            Self::Tiled { matrices, width, tile } => tiled::dispatch(matrices, width, tile, max_groups, arrays),
            Self::Strided { width, block } => {
                let (x, y, axes) = fastest(problem);
                let ([outer_0, outer_1, _], [input_outer, output_outer], outer) = problem.others::<3>(&axes);
                let params = strided::Params {
                    extent_x: x.extent,
                    extent_y: y.extent,
                    input,
                    output,
                    outer: [outer_0, outer_1],
                    input_x: x.strides[0],
                    input_y: y.strides[0],
                    input_outer,
                    output_x: x.strides[1],
                    output_y: y.strides[1],
                    output_outer,
                    ..Zeroable::zeroed()
                };
                strided::dispatch(label, params, outer, width, block, max_groups, arrays)
            }
            Self::Gather { bytes, workgroup } => {
                let (x, y, axes) = rows(problem);
                let ([outer_0, outer_1, outer_2, _], [input_outer, output_outer], outer) = problem.others::<4>(&axes);
                let params = gather::Params {
                    extent_x: x.extent,
                    extent_y: y.extent,
                    input,
                    output,
                    outer: [outer_0, outer_1, outer_2],
                    input_x: x.strides[0],
                    input_y: y.strides[0],
                    input_outer,
                    output_y: y.strides[1],
                    output_outer,
                    ..Zeroable::zeroed()
                };
                gather::dispatch(label, params, outer, bytes, workgroup, max_groups, arrays)
            }
            Self::Swap { bytes, workgroup, turned: [b, a] } => {
                let ([outer_0, outer_1, _], [data_outer, _], outer) = problem.others::<3>(&[b, a]);
                let params = swap::Params {
                    extent: problem.axes[a].extent,
                    data: input,
                    row: problem.axes[b].strides[0],
                    outer: [outer_0, outer_1],
                    data_outer,
                    ..Zeroable::zeroed()
                };
                swap::dispatch(label, params, outer, bytes, workgroup, max_groups, arrays)
            }
            Self::Tiles { ref form, turned: [b, a] } => {
                let ([outer_0, outer_1, _], strides, outer) = problem.others::<3>(&[b, a]);
                let [tiles_b, tiles_a] = tiles_along(problem, [b, a], form.tile);
                let unit = |side: Side| if side.shifted { 1 } else { side.elements };
                let (load, store) = (unit(form.load), unit(form.store));
                let [input_outer, output_outer] = [strides[0].map(|stride| stride / load), strides[1].map(|stride| stride / store)];
                let params = tiles::Params {
                    extent_a: problem.axes[a].extent,
                    extent_b: problem.axes[b].extent,
                    tiles_a,
                    tiles_b,
                    input: input / load,
                    output: output / store,
                    input_b: problem.axes[b].strides[0] / load,
                    output_a: problem.axes[a].strides[1] / store,
                    outer: [outer_0, outer_1],
                    input_outer,
                    output_outer,
                    ..Zeroable::zeroed()
                };
                tiles::dispatch(label, params, outer, form, text.clone(), max_groups, arrays)
            }
        }
    }
}
