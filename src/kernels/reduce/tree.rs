//! Twin of `shaders/reduce/tree.wgsl`.

use super::{binds, halve, of_dispatch, with_arrays};
use crate::error::Result;
use crate::kernels::{Dispatch, Generated, Grid, HostCall, Kernel, Slot, Value, params, sources};

params! {
    /// `Params` of the kernel.
    pub struct Params {
        /// Elements of the input.
        pub length: u32,
        /// Partial results, one per workgroup.
        pub partials: u32,
        /// 0.
        pub zero: u32,
    }
}

/// The kernel.
pub static KERNEL: Kernel = Kernel {
    name: "reduce/tree",
    source: &sources::REDUCE_TREE,
    appended: &[&[&sources::GRID]],
    params: Params::FIELDS,
    overrides: &["WORKGROUP"],
    proven: false,
    mirror,
};

/// Reduces `length` values to one for each `workgroup` of them. The generated text has elements of width 1.
///
/// # Errors
/// [`Error::LimitExceeded`](crate::Error::LimitExceeded) if the grid grows too large.
pub fn dispatch(length: u32, generated: Generated, workgroup: u32, max_groups: u32, input: Slot, output: Slot) -> Result<Dispatch> {
    let partials = length.div_ceil(workgroup);
    let mut dispatch = Dispatch {
        label: format!("reduce {length} -> {partials}"),
        kernel: &KERNEL,
        appended: vec![&sources::GRID],
        generated: Some(generated),
        overrides: vec![("WORKGROUP", Value::U32(workgroup))],
        params: bytemuck::bytes_of(&Params { length, partials, zero: 0 }).to_vec(),
        grid: Grid::linear(u64::from(partials), max_groups)?,
        workgroup: [workgroup, 1, 1],
        workgroup_bytes: 0,
        binds: Vec::new(),
    };
    let stage = of_dispatch(&dispatch);
    dispatch.workgroup_bytes = u64::from(workgroup * stage.operator.value().bytes());
    dispatch.binds = binds(&stage, input, None, output, None);
    Ok(dispatch)
}

fn mirror(call: &mut HostCall<'_>) {
    let workgroup = call.constant("WORKGROUP");
    let Params { length, .. } = call.params();
    with_arrays(call, |stage, inputs, output| {
        for (g, first) in (0..length).step_by(workgroup).enumerate() {
            let own = first..length.min(first + workgroup as u32);
            let values = own.map(|j| stage.element(inputs, j as usize, j)).collect();
            stage.store(output, g, halve(&stage.operator, values));
        }
    });
}
