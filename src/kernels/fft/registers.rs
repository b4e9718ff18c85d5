//! Twin of `shaders/fft/registers.wgsl`.

use super::{Rows, binds, io, mirror_stockham};
use crate::error::Result;
use crate::kernels::{Dispatch, Generated, Grid, HostCall, Kernel, Slot, Value, params, sources};

params! {
    /// `Params` of the kernel.
    pub struct Params {
        /// Rows to transform.
        pub rows: u32,
        /// Factor on every output.
        pub scale: f32,
    }
}

/// The kernel.
pub static KERNEL: Kernel = Kernel {
    name: "fft/registers",
    source: &sources::FFT_REGISTERS,
    appended: &[&[&sources::GRID], &[&sources::FFT_COMPLEX], io::SOURCES],
    params: Params::FIELDS,
    overrides: &["N", "ROWS", "LANES", "INVERSE"],
    mirror,
};

/// The shape that the generated text was made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Workgroup {
    /// Rows that one workgroup transforms.
    pub rows: u32,
    /// Invocations for each.
    pub lanes: u32,
    /// Workgroup memory in bytes.
    pub bytes: u64,
}

/// Transforms rows by the stages in `generated`.
///
/// # Errors
/// [`Error::LimitExceeded`](crate::Error::LimitExceeded) if the grid grows too large.
pub fn dispatch(
    rows: Rows,
    workgroup: Workgroup,
    generated: Generated,
    max_groups: u32,
    [input, output, roots]: [Slot; 3],
) -> Result<Dispatch> {
    Ok(Dispatch {
        label: rows.label(),
        kernel: &KERNEL,
        appended: vec![&sources::GRID, &sources::FFT_COMPLEX, io::source(input, output)],
        generated: Some(generated),
        overrides: vec![
            ("N", Value::U32(rows.n)),
            ("ROWS", Value::U32(workgroup.rows)),
            ("LANES", Value::U32(workgroup.lanes)),
            ("INVERSE", Value::Bool(rows.inverse)),
        ],
        params: bytemuck::bytes_of(&Params { rows: rows.rows, scale: rows.scale }).to_vec(),
        grid: Grid::linear(u64::from(rows.rows.div_ceil(workgroup.rows)), max_groups)?,
        workgroup: [workgroup.lanes * workgroup.rows, 1, 1],
        workgroup_bytes: workgroup.bytes,
        binds: binds(input, output, roots),
    })
}

fn mirror(call: &mut HostCall<'_>) {
    let Params { rows, scale } = call.params();
    let generated = call.dispatch.generated.as_ref().expect("its stages are generated");
    let radices: Vec<usize> = generated.radices.iter().map(|&radix| radix as usize).collect();
    mirror_stockham(call, &radices, rows as usize, scale);
}
