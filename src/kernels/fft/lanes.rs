//! Twin of `shaders/fft/lanes.wgsl`: FFTs of lines in the registers of subgroups, or of as many invocations of a workgroup.

use num_complex::{Complex32, Complex64};

use super::pass::{mirror_lines, of_dispatch};
use crate::error::Result;
use crate::kernels::{Bind, Dispatch, Generated, Grid, HostCall, Kernel, params, sources};

params! {
    /// `Params` of the kernel.
    pub struct Params {
        /// Lines to transform, or groups of them that an access reaches across.
        pub lines: u32,
        /// Factor on every output.
        pub scale: f32,
    }
}

/// The kernel.
pub static KERNEL: Kernel = Kernel {
    name: "fft/lanes",
    source: &sources::FFT_LANES,
    appended: &[&[&sources::GRID]],
    params: Params::FIELDS,
    overrides: &[],
    proven: false,
    mirror,
};

/// The shape that the generated text was made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Workgroup {
    /// Invocations of a workgroup.
    pub invocations: u32,
    /// Invocations for a line.
    pub lanes: u32,
    /// Workgroup memory in bytes: none where the lanes are those of a subgroup.
    pub bytes: u64,
}

/// Transforms by the text in `generated`, which computes the [`Pass`](super::pass::Pass) beside it.
///
/// # Errors
/// [`Error::LimitExceeded`](crate::Error::LimitExceeded) if the grid grows too large.
pub fn dispatch(
    label: String,
    params: Params,
    workgroup: Workgroup,
    generated: Generated,
    max_groups: u32,
    binds: Vec<Bind>,
) -> Result<Dispatch> {
    let groups = (u64::from(params.lines) * u64::from(workgroup.lanes)).div_ceil(workgroup.invocations.into());
    Ok(Dispatch {
        label,
        kernel: &KERNEL,
        appended: vec![&sources::GRID],
        generated: Some(generated),
        overrides: Vec::new(),
        params: bytemuck::bytes_of(&params).to_vec(),
        grid: Grid::linear(groups, max_groups)?,
        workgroup: [workgroup.invocations, 1, 1],
        workgroup_bytes: workgroup.bytes,
        binds,
    })
}

/// Transforms every line by the definition.
fn mirror(call: &mut HostCall<'_>) {
    let scale = call.params::<Params>().scale;
    let pass = of_dispatch(call.dispatch);
    let lines = pass.lines.iter().product();
    let n = pass.n() as usize;
    let root = |k: usize| Complex64::cis(-std::f64::consts::TAU * k as f64 / n as f64);
    let roots: Vec<Complex64> = (0..n).map(root).collect();
    mirror_lines(call, lines, scale, |_, _, x| {
        let x: Vec<Complex64> = x.iter().map(|z| Complex64::new(z.re.into(), z.im.into())).collect();
        let frequency = |k: usize| -> Complex64 { x.iter().enumerate().map(|(j, x)| x * roots[j * k % n]).sum() };
        (0..n).map(frequency).map(|z| Complex32::new(z.re as f32, z.im as f32)).collect()
    });
}
