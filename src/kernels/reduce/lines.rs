//! Twin of `shaders/reduce/lines.wgsl`.

use super::{Arrays, Stage, Workgroup, halve, stage_of, with_arrays};
use crate::error::Result;
use crate::kernels::{Dispatch, Generated, Grid, HostCall, Kernel, params, sources};

params! {
    /// `Params` of the kernel. Distances count accesses.
    pub struct Params {
        /// Lines to reduce.
        pub lines: u32,
        /// Accesses of a line.
        pub length: u32,
        /// Parts of a line, with a result each.
        pub parts: u32,
        /// Accesses of a part; the last one has what is left.
        pub chunk: u32,
        /// Lines that are `line_stride` apart; the next ones begin `block_stride` later.
        pub block: u32,
        /// Distance of lines.
        pub line_stride: u32,
        /// Distance of blocks of lines.
        pub block_stride: u32,
        /// Accesses of a line that follow one another; the next ones begin `run_stride` later.
        pub run: u32,
        /// Distance of runs.
        pub run_stride: u32,
        /// Where the first line begins in what is bound.
        pub first_access: u32,
        /// Index of the first element in its line.
        pub first_index: u32,
        /// Place of the first result.
        pub first_result: u32,
        /// 0.
        pub zero: u32,
    }
}

/// The kernel.
pub static KERNEL: Kernel = Kernel {
    name: "reduce/lines",
    source: &sources::REDUCE_LINES,
    appended: &[&[&sources::GRID]],
    params: Params::FIELDS,
    overrides: &[],
    proven: false,
    mirror,
};

/// Reduces lines, or parts of them, in workgroups that share out as many lines as they have room for.
///
/// # Errors
/// [`Error::LimitExceeded`](crate::Error::LimitExceeded) if the grid grows too large.
pub fn dispatch(params: Params, generated: Generated, workgroup: Workgroup, max_groups: u32, arrays: Arrays) -> Result<Dispatch> {
    let stage = stage_of(&generated);
    let of_line = u64::from(params.length) * u64::from(stage.width);
    let joined = if stage.join > 0 { " -> 1" } else { "" };
    let label = format!("reduce {} x {of_line} -> {}{joined}", params.lines, params.parts);
    let groups = u64::from(params.lines.div_ceil(workgroup.invocations / stage.lanes)) * u64::from(params.parts);
    let grid = Grid::linear(groups, max_groups)?;
    Ok(super::dispatch(&KERNEL, label, bytemuck::bytes_of(&params), generated, workgroup, arrays, grid))
}

fn mirror(call: &mut HostCall<'_>) {
    let params: Params = call.params();
    with_arrays(call, |stage, inputs, output| {
        for line in 0..params.lines {
            let base = params.first_access + line % params.block * params.line_stride + line / params.block * params.block_stride;
            let parts = (0..params.parts).map(|part| part_of_line(stage, &params, inputs, base, part));
            if stage.join > 0 {
                let mut values = vec![stage.operator.nothing(); stage.join as usize];
                parts.enumerate().for_each(|(part, value)| {
                    let own = &mut values[part % stage.join as usize];
                    *own = stage.operator.combine(*own, value);
                });
                stage.store(output, (params.first_result + line) as usize, halve(&stage.operator, values));
            } else {
                parts.enumerate().for_each(|(part, value)| {
                    stage.store(output, (params.first_result + line * params.parts) as usize + part, value);
                });
            }
        }
    });
}

/// In the order of the device: rows of lanes, then elements of an access, accumulators and lanes by halves.
fn part_of_line(stage: &Stage, params: &Params, inputs: &[Option<&[u32]>; 2], base: u32, part: u32) -> super::Words {
    let Stage { operator, width, lanes, accumulators, .. } = stage;
    let begin = part * params.chunk;
    let end = (begin + params.chunk).min(params.length);
    let of_lane = |lane: u32| {
        let of_accumulator = |a: u32| {
            let of_element = |v: u32| {
                let own = (begin + a * lanes + lane..end).step_by((lanes * accumulators) as usize);
                own.fold(operator.nothing(), |value, i| {
                    let place = base + i % params.run + i / params.run * params.run_stride;
                    let j = params.first_index + i * width + v;
                    operator.combine(value, stage.element(inputs, (place * width + v) as usize, j))
                })
            };
            halve(operator, (0..*width).map(of_element).collect())
        };
        halve(operator, (0..*accumulators).map(of_accumulator).collect())
    };
    halve(operator, (0..*lanes).map(of_lane).collect())
}
