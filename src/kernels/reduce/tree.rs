//! Twin of `shaders/reduce/tree.wgsl`.

use super::operator::{self, Operator};
use crate::error::Result;
use crate::kernels::{Dispatch, Grid, HostCall, Kernel, Slot, Value, input_output, params, sources};

params! {
    /// `Params` of the kernel.
    pub struct Params {
        /// Elements of the input.
        pub length: u32,
        /// Partial results, one per workgroup.
        pub partials: u32,
    }
}

/// The kernel.
pub static KERNEL: Kernel = Kernel {
    name: "reduce/tree",
    source: &sources::REDUCE_TREE,
    appended: &[&[&sources::GRID], operator::SOURCES],
    params: Params::FIELDS,
    overrides: &["WORKGROUP"],
    proven: false,
    mirror,
};

/// Reduces `length` values to one for each `workgroup` of them.
///
/// # Errors
/// [`Error::LimitExceeded`](crate::Error::LimitExceeded) if the grid grows too large.
pub fn dispatch(length: u32, operator: Operator, workgroup: u32, max_groups: u32, input: Slot, output: Slot) -> Result<Dispatch> {
    let partials = length.div_ceil(workgroup);
    Ok(Dispatch {
        label: format!("reduce {length} -> {partials}"),
        kernel: &KERNEL,
        appended: vec![&sources::GRID, operator.source()],
        generated: None,
        overrides: vec![("WORKGROUP", Value::U32(workgroup))],
        params: bytemuck::bytes_of(&Params { length, partials }).to_vec(),
        grid: Grid::linear(u64::from(partials), max_groups)?,
        workgroup: [workgroup, 1, 1],
        workgroup_bytes: u64::from(workgroup) * 4,
        binds: input_output(input, output),
    })
}

fn mirror(call: &mut HostCall<'_>) {
    let workgroup = call.constant("WORKGROUP");
    let operator = call.dispatch.appended.iter().find_map(|source| Operator::of_source(source)).expect("one appended file is the operator");
    let Params { length, .. } = call.params();
    let input = call.input();
    for (g, range) in input[..length as usize].chunks(workgroup).enumerate() {
        let mut values = range.to_vec();
        let mut half = workgroup / 2;
        while half > 0 {
            for t in 0..half.min(values.len().saturating_sub(half)) {
                values[t] = operator.apply(values[t], values[t + half]);
            }
            half /= 2;
        }
        call.output()[g] = values[0];
    }
}
