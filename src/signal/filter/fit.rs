//! Checks whether a device can run a recipe for a filter, and if not, says why.

use std::sync::Arc;

use super::recipe::{Recipe, Step, Tile};
use super::spec::{Problem, Taps};
use crate::gpu::DeviceProfile;
use crate::kernels::Slot;
use crate::kernels::filter::stencil::{Stage, Stencil, Stored};
use crate::kernels::transpose::Matrices;
use crate::plan::{Fit, check_invocations, check_memory, ensure};
use crate::transpose;

/// A step of a program that fits.
pub(super) enum Work {
    /// Transposes matrices of f32.
    Transpose { matrices: Matrices, recipe: transpose::Recipe },
    /// Filters planes.
    Filter(Box<Filtered>),
}

/// A dispatch of the kernel.
pub(super) struct Filtered {
    pub view: View,
    pub form: Arc<Stencil>,
    /// Where the taps of each stage begin in the table.
    pub first: [u32; 2],
}

/// The array as planes of rows, and the sums over them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct View {
    pub planes: u32,
    /// Rows and elements of a row, of the input and of the output.
    pub input: [u32; 2],
    pub output: [u32; 2],
    /// The taps down columns and along rows.
    pub taps: [Option<Taps>; 2],
    /// Whether the sums are over both axes at once, not over one after the other.
    pub joint: bool,
}

/// The most rows of a tile, and elements of its rows.
const MAX_EXTENT: u32 = 1 << 16;
/// The most rows, or elements of a row, that an invocation sums at once: each is a register.
const MAX_BLOCK: u32 = 16;

impl View {
    /// How a step of these axes sees the array.
    pub fn of(problem: &Problem, axes: &[usize], transposed: bool) -> Fit<Self> {
        let extents: Vec<u32> = problem.input.extents().iter().map(|&extent| extent as u32).collect();
        let rank = extents.len();
        let of_axis = |axis: usize| {
            let taps = problem.taps.get(axis).copied().flatten();
            taps.ok_or_else(|| format!("axis {axis} has no kernel"))
        };
        let outer = |axis: usize| problem.batch * extents[..axis].iter().product::<u32>();
        match *axes {
            [axis] if !problem.joint || rank == 1 => {
                let taps = of_axis(axis)?;
                let (n, inner) = (extents[axis], extents[axis + 1..].iter().product::<u32>());
                ensure(!transposed || inner > 1, || format!("axis {axis} is contiguous, so there is nothing to transpose"))?;
                let lines = outer(axis) * inner;
                Ok(if inner == 1 || transposed {
                    let output = [lines, problem.output.extents()[axis] as u32];
                    Self { planes: 1, input: [lines, n], output, taps: [None, Some(taps)], joint: false }
                } else {
                    Self { planes: outer(axis), input: [n, inner], output: [n, inner], taps: [Some(taps), None], joint: false }
                })
            }
            [down, along] if rank.checked_sub(2) == Some(down) && along == rank - 1 && !transposed => {
                let output = problem.output.extents();
                Ok(Self {
                    planes: outer(down),
                    input: [extents[down], extents[along]],
                    output: [output[down] as u32, output[along] as u32],
                    taps: [Some(of_axis(down)?), Some(of_axis(along)?)],
                    joint: problem.joint,
                })
            }
            _ if problem.joint => Err("one kernel spans all axes, so one step must filter them all".to_owned()),
            _ => Err("a step filters one axis, or the last two without transposes".to_owned()),
        }
    }

    /// The sums, one after the other.
    pub fn stages(&self) -> Vec<Stage> {
        let none = Taps { count: 1, before: 0 };
        let stage = |[down, along]: [Taps; 2]| Stage { taps: [down.count, along.count], before: [down.before, along.before] };
        match self.taps {
            [Some(down), Some(along)] if !self.joint => vec![stage([none, along]), stage([down, none])],
            taps => vec![stage(taps.map(|taps| taps.unwrap_or(none)))],
        }
    }

    /// The form of the kernel for a tile, if the device can run it.
    pub fn form(&self, problem: &Problem, stored: Stored, tile: &Tile, profile: &DeviceProfile) -> Fit<Stencil> {
        let Tile { memory, extents: [rows, elements], block: [down, along], width } = *tile;
        let stages = self.stages();
        ensure(matches!(width, 1 | 2 | 4), || format!("the width must be 1, 2 or 4, not {width}"))?;
        ensure([self.input[1], self.output[1]].iter().all(|n| n.is_multiple_of(width)), || {
            format!("a width of {width} does not divide the {} elements of a row, or the {} of the output", self.input[1], self.output[1])
        })?;
        ensure((1..=MAX_EXTENT).contains(&rows) && (1..=MAX_EXTENT).contains(&elements), || {
            format!("a tile must have 1 to {MAX_EXTENT} rows and elements of a row")
        })?;
        ensure((1..=MAX_BLOCK).contains(&down) && (1..=MAX_BLOCK / width).contains(&along), || {
            format!("a block must have 1 to {MAX_BLOCK} rows and 1 to {} accesses", MAX_BLOCK / width)
        })?;
        let is_down = |stage: &Stage| Stencil::is_down(stage);
        ensure(down == 1 || stages.iter().any(is_down), || "blocks of several rows are for sums down columns".to_owned())?;
        ensure(along == 1 || !stages.iter().all(is_down), || "blocks of several accesses are for sums along rows".to_owned())?;
        ensure(rows.is_multiple_of(down) && elements.is_multiple_of(along * width), || {
            format!("a tile of {rows}x{elements} does not consist of whole blocks of {down}x{}", along * width)
        })?;
        ensure(memory || stages.len() == 1, || "two axes in one dispatch need workgroup memory".to_owned())?;
        let near = [0, 1].map(|axis| {
            let (n, output) = (i64::from(self.input[axis]), i64::from(self.output[axis]));
            let outside = |stage: &Stage| {
                let before = i64::from(stage.before[axis]);
                before.max(output + i64::from(stage.taps[axis]) - 1 - before - n)
            };
            stages.iter().all(|stage| outside(stage) < n)
        });
        let form = Stencil {
            stored,
            edge: problem.edge,
            near,
            stages,
            flipped: problem.flipped,
            tile: [rows, elements / width],
            block: [down, along],
            width,
            memory,
        };
        let last = &form.stages[form.stages.len() - 1];
        let blocks = if is_down(last) { [rows / down, elements / width] } else { [rows, elements / width / along] };
        check_invocations(u64::from(blocks[0]) * u64::from(blocks[1]), profile)?;
        check_memory(form.memory_bytes(), profile)?;
        Ok(form)
    }
}

/// The matrices that are transposed to make an axis contiguous, and back.
pub(super) fn matrices(problem: &Problem, axis: usize) -> [Matrices; 2] {
    let extents = problem.input.extents();
    let [rows, columns] = [extents[axis], extents[axis + 1..].iter().product()].map(|extent| extent as u32);
    let batch = problem.batch * extents[..axis].iter().product::<usize>() as u32;
    [Matrices { rows, columns, batch }, Matrices { rows: columns, columns: rows, batch }]
}

/// Calls `with` for a transpose of these matrices between two arrays.
pub(super) fn transposing<R>(
    matrices: Matrices,
    slots: [Slot; 2],
    profile: &DeviceProfile,
    with: impl FnOnce(&transpose::OnDevice<'_>) -> R,
) -> R {
    let Matrices { rows, columns, batch } = matrices;
    let bytes = u64::from(rows) * u64::from(columns) * u64::from(batch) * 4;
    with(&transpose::OnDevice {
        problem: &transpose::Problem::matrices(4, [rows, columns], batch),
        matrices: Some((matrices, 4)),
        label: format!("transpose {rows}x{columns}"),
        slots,
        bytes: [bytes; 2],
        profile,
    })
}

/// The steps of a program for a recipe that fits.
pub(super) fn fit(problem: &Problem, recipe: &Recipe, profile: &DeviceProfile) -> Fit<Vec<Work>> {
    let mut left: Vec<usize> = (0..problem.taps.len()).filter(|&axis| problem.taps[axis].is_some()).collect();
    // The taps of all axes are in one table, one axis after the other.
    let first = |axis: usize| problem.taps[..axis].iter().flatten().map(|taps| taps.count).sum::<u32>();
    let mut works = Vec::new();
    let mut stored = problem.stored;
    for Step { axes, tile, transposes } in &recipe.steps {
        let view = View::of(problem, axes, transposes.is_some())?;
        for axis in axes {
            let place = left.iter().position(|other| other == axis).ok_or_else(|| format!("axis {axis} is filtered twice"))?;
            left.remove(place);
        }
        let form = Arc::new(view.form(problem, stored, tile, profile)?);
        let first = match axes[..] {
            [down, along] if !view.joint => [first(along), first(down)],
            [axis, ..] => [if view.joint { 0 } else { first(axis) }, 0],
            [] => [0, 0],
        };
        let filter = Work::Filter(Box::new(Filtered { view, form, first }));
        match (transposes, &axes[..]) {
            (Some([before, after]), &[axis]) => {
                ensure(stored == Stored::F32, || "bytes can only be transposed after they were filtered along another axis".to_owned())?;
                let [forth, back] = matrices(problem, axis);
                works.push(Work::Transpose { matrices: forth, recipe: *before });
                works.push(filter);
                works.push(Work::Transpose { matrices: back, recipe: *after });
            }
            _ => works.push(filter),
        }
        stored = Stored::F32;
    }
    ensure(left.is_empty(), || format!("it does not filter axis {}", left[0]))?;
    Ok(works)
}
