//! Twin of `shaders/filter/stencil.wgsl` and `shaders/filter/edges.wgsl`.

use std::sync::Arc;

use crate::edge::Edge;
use crate::error::Result;
use crate::kernels::{Access, Bind, Dispatch, Form, Grid, Slot, input_output, kernel, params, sources};

params! {
    rows: u32,
    /// Accesses of a row of the input.
    columns: u32,
    output_rows: u32,
    /// Accesses of a row of the output.
    output_columns: u32,
    planes: u32,
    tiles_down: u32,
    tiles_along: u32,
    taps: [u32; 2],
}

kernel!(FILTER_STENCIL, appended: [&[&sources::FILTER_EDGES]]);

/// How an element of the input is stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stored {
    /// As an f32.
    F32,
    /// As a byte, four to a word.
    U8,
}

impl Stored {
    /// Bytes of an element.
    pub fn bytes(self) -> u32 {
        match self {
            Self::F32 => 4,
            Self::U8 => 1,
        }
    }
}

/// One sum of products: along a row, down a column, or over both.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Stage {
    /// The number of taps down a column and along a row.
    pub taps: [u32; 2],
    /// How far before an element of the output the first tap lies, down and along: less than there
    /// are taps.
    pub before: [u32; 2],
}

/// What the generated text computes: one stage, or one along rows and then one down columns.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Stencil {
    /// The elements of the input. Those of the output are f32.
    pub stored: Stored,
    /// What lies outside the array.
    pub edge: Edge,
    /// Whether no tap lies farther outside than the array is long, down and along.
    pub near: [bool; 2],
    /// In order.
    pub stages: Vec<Stage>,
    /// Whether taps are taken from the last to the first.
    pub flipped: bool,
    /// Rows and accesses of the output that a workgroup computes.
    pub tile: [u32; 2],
    /// Rows and accesses of the output that an invocation computes: rows in a stage down columns,
    /// accesses in any other.
    pub block: [u32; 2],
    /// Elements of an access: 1, 2 or 4.
    pub width: u32,
    /// Whether the input goes through workgroup memory.
    pub memory: bool,
}

/// Rows and accesses that a stage reads or writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Region {
    /// Rows.
    pub rows: u32,
    /// Accesses of a row.
    pub accesses: u32,
}

impl Region {
    /// The number of accesses.
    pub fn len(self) -> u32 {
        self.rows * self.accesses
    }
}

impl Stencil {
    /// Whether a stage sums down columns alone.
    pub fn is_down(stage: &Stage) -> bool {
        stage.taps[0] > 1 && stage.taps[1] == 1
    }

    /// Accesses by which what a stage reads begins before what it writes.
    pub fn lead(&self, stage: &Stage) -> u32 {
        stage.before[1].div_ceil(self.width)
    }

    /// What the first stage reads, what each stage but the last leaves for the next, and what the
    /// last stage writes.
    pub fn regions(&self) -> Vec<Region> {
        let mut regions = vec![Region { rows: self.tile[0], accesses: self.tile[1] }];
        for stage in self.stages.iter().rev() {
            let Region { rows, accesses } = regions[0];
            let behind = stage.taps[1] - 1 - stage.before[1];
            let accesses = self.lead(stage) + accesses + behind.div_ceil(self.width);
            regions.insert(0, Region { rows: rows + stage.taps[0] - 1, accesses });
        }
        regions
    }

    /// The blocks of a stage that leaves this region, down and along.
    pub fn blocks(&self, stage: &Stage, Region { rows, accesses }: Region) -> [u32; 2] {
        if Self::is_down(stage) { [rows / self.block[0], accesses] } else { [rows, accesses / self.block[1]] }
    }

    /// Invocations of a workgroup: one for each block of the last stage.
    pub fn invocations(&self) -> u32 {
        let last = &self.stages[self.stages.len() - 1];
        self.blocks(last, Region { rows: self.tile[0], accesses: self.tile[1] }).iter().product()
    }

    /// Bytes of workgroup memory.
    pub fn memory_bytes(&self) -> u64 {
        if !self.memory {
            return 0;
        }
        let regions = self.regions();
        regions[..self.stages.len()].iter().map(|region| u64::from(region.rows) * u64::from(region.accesses)).sum::<u64>()
            * u64::from(4 * self.width)
    }
}

/// The arrays of a dispatch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrays {
    /// Input and output.
    pub slots: [Slot; 2],
    /// The taps of all stages.
    pub taps: Slot,
}

/// Filters the planes of `params`.
pub fn dispatch(
    label: String,
    params: Params,
    stencil: &Arc<Stencil>,
    text: Arc<str>,
    max_groups: u32,
    arrays: Arrays,
) -> Result<Dispatch> {
    let groups = u64::from(params.tiles_down) * u64::from(params.tiles_along) * u64::from(params.planes);
    let grid = Grid::linear(groups, max_groups)?;
    let mut binds = input_output(arrays.slots[0], arrays.slots[1]);
    binds.push(Bind { binding: 3, name: "taps".into(), access: Access::Read, slot: arrays.taps, range: None });
    let dispatch = KERNEL.dispatch(label, &params, grid, [stencil.invocations(), 1, 1], binds);
    Ok(dispatch.generated(text, Form::Stencil(stencil.clone()), stencil.memory_bytes()))
}
