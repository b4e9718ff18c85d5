//! Twins of `shaders/transpose/*.wgsl`.

pub(crate) mod gather;
pub(crate) mod mapped;
pub(crate) mod naive;
pub(crate) mod strided;
pub(crate) mod swap;
pub(crate) mod tiled;
pub(crate) mod tiles;

use super::{Access, Bind, Dispatch, Grid, Kernel, Slot, input_output};
use crate::error::Result;

/// The input and the output, and which bytes of each are bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrays {
    /// Input and output.
    pub slots: [Slot; 2],
    /// The first byte and the size of the bound part of each; `None` for all of it.
    pub ranges: [Option<(u64, u64)>; 2],
}

impl Arrays {
    pub(super) fn binds(self) -> Vec<Bind> {
        let mut binds = input_output(self.slots[0], self.slots[1]);
        binds.iter_mut().zip(self.ranges).for_each(|(bind, range)| bind.range = range);
        binds
    }

    /// The binding in place: only the output.
    fn bind_in_place(self) -> Vec<Bind> {
        vec![Bind { binding: 2, name: "data".into(), access: Access::ReadWrite, slot: self.slots[1], range: self.ranges[1] }]
    }
}

/// A batch of matrices to transpose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Matrices {
    /// Rows of each input matrix.
    pub rows: u32,
    /// Columns of each input matrix.
    pub columns: u32,
    /// The number of matrices.
    pub batch: u32,
}

impl Matrices {
    fn label(self) -> String {
        let batch = if self.batch == 1 { String::new() } else { format!(" x{}", self.batch) };
        format!("transpose {}x{}{batch}", self.rows, self.columns)
    }

    /// Blocks of this many columns and rows.
    fn blocks(self, [columns, rows]: [u32; 2]) -> Blocks {
        Blocks::new([self.columns, self.rows], (columns.into(), rows), self.batch.into())
    }
}

/// Blocks of which each workgroup moves one.
#[derive(Clone, Copy)]
pub(crate) struct Blocks {
    /// Blocks along x and y.
    pub x: u32,
    pub y: u32,
    /// The number of all blocks, over the other axes as well.
    pub groups: u64,
}

impl Blocks {
    /// Blocks of `along_x` x `along_y` in a plane of these extents, for each of `outer` indices of
    /// the other axes.
    pub fn new(extents: [u32; 2], (along_x, along_y): (u64, u32), outer: u64) -> Self {
        let (x, y) = (u64::from(extents[0]).div_ceil(along_x) as u32, extents[1].div_ceil(along_y));
        Self { x, y, groups: u64::from(x) * u64::from(y) * outer }
    }

    pub fn grid(self, max_groups: u32) -> Result<Grid> {
        Grid::linear(self.groups, max_groups)
    }
}

/// A run of workgroups of x by y invocations, which are overrides, with one more of them.
pub(super) fn planar(
    kernel: &'static Kernel,
    label: String,
    params: &impl bytemuck::NoUninit,
    grid: Grid,
    [x, y]: [u32; 2],
    more: Option<u32>,
    binds: Vec<Bind>,
) -> Dispatch {
    kernel.dispatch(label, params, grid, [x, y, 1], binds).overriding([x, y].into_iter().chain(more))
}
