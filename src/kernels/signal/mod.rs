//! Twins of `shaders/signal/*.wgsl`.

pub(crate) mod overlap_add;
pub(crate) mod peak_start;
pub(crate) mod peak_step;
pub(crate) mod peak_sums;
pub(crate) mod ring_means;
pub(crate) mod rings;
pub(crate) mod roll;
pub(crate) mod roll_small;

use super::transpose::{Arrays, Blocks};
use super::{Access, Bind, Grid, Slot, input_output, params};
use crate::error::Result;

// Of the kernels that shift axes, in `shaders/signal/roll_rows.wgsl`.
params! {
    /// Elements along x, the fastest axis.
    extent_x: u32,
    /// Elements along y, the next one.
    extent_y: u32,
    outer: [u32; 3],
    shift_x: u32,
    shift_y: u32,
    shift_outer: [u32; 3],
    stride_y: u32,
    stride_outer: [u32; 3],
    input: u32,
    output: u32,
    blocks_x: u32,
    blocks_y: u32,
    groups: u32,
}

/// Blocks of rows: how many along each axis, and the grid for all of them. Fills in the blocks and
/// groups of `params`. A block has `along_x` of the `count_x` units of a row, and `rows` rows.
fn in_blocks(params: Params, count_x: u32, along_x: u64, rows: u32, max_groups: u32) -> Result<(Params, Grid)> {
    // A product of the extents of an array, each no larger.
    let outer = params.outer.iter().map(|&extent| u64::from(extent)).product();
    let blocks = Blocks::new([count_x, params.extent_y], (along_x, rows), outer);
    Ok((Params { blocks_x: blocks.x, blocks_y: blocks.y, groups: blocks.groups as u32, ..params }, blocks.grid(max_groups)?))
}

/// The arrays of the kernels that look for the top of a correlation.
#[derive(Clone, Copy)]
pub(crate) struct Peaks {
    /// What is read: correlations, spectra or sums.
    pub input: Slot,
    /// What is written.
    pub output: Slot,
    /// The index of the largest element of each item.
    pub peaks: Slot,
    /// How far the top lies from it, and the height.
    pub state: Slot,
}

impl Peaks {
    /// `state` is bound where there is an access to it.
    fn binds(self, access_to_state: Option<Access>) -> Vec<Bind> {
        let mut binds = input_output(self.input, self.output);
        binds.push(Bind { binding: 3, name: "peaks".into(), access: Access::Read, slot: self.peaks, range: None });
        binds.extend(access_to_state.map(|access| Bind { binding: 4, name: "state".into(), access, slot: self.state, range: None }));
        binds
    }
}
