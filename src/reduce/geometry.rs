//! The axes of an array as the kernels see them: which are reduced, which are kept, and which of
//! these are contiguous.

use super::Core;
use crate::error::Result;
use crate::strides::{IoDim, joined};

/// An array to reduce.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Geometry {
    /// Whether the contiguous elements are reduced to one. If not, they are kept as columns, and
    /// rows are reduced.
    pub lines: bool,
    /// The reduced dimensions, fastest first; at most two.
    pub reduced: Vec<IoDim>,
    /// The kept dimensions, fastest first; at most two for lines and three for columns.
    pub kept: Vec<IoDim>,
}

impl Geometry {
    /// The number of elements that are reduced to one result.
    pub fn count(&self) -> u32 {
        self.reduced.iter().map(|run| run.extent).product()
    }

    /// The number of results.
    pub fn results(&self) -> u32 {
        self.kept.iter().map(|run| run.extent).product()
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.count() as usize * self.results() as usize
    }

    /// The number of contiguous elements of a line or of a row.
    pub fn contiguous(&self) -> u32 {
        if self.lines { &self.reduced } else { &self.kept }.first().map_or(1, |run| run.extent)
    }

    /// The same in a pass that reduces `count` elements, or partial results, to one. The partial
    /// results of a line are contiguous.
    pub fn contiguous_in(&self, count: u32, partial: bool) -> u32 {
        if self.lines && partial { count } else { self.contiguous() }
    }

    /// How far a pass walks that reduces `count` elements to one: accesses of a line, or rows.
    pub fn length(&self, count: u32, width: u32) -> u32 {
        if self.lines { count / width } else { count }
    }

    /// The same array with `extent` indices of the slowest kept dimension. Dimensions are neither
    /// dropped nor joined again, so the order of reduction stays.
    pub fn with_kept(&self, extent: u32) -> Self {
        let mut piece = self.clone();
        if let Some(run) = piece.kept.last_mut() {
            let (all, [stride, _]) = (run.extent, run.strides);
            run.extent = extent;
            for slower in piece.reduced.iter_mut().filter(|run| run.strides[0] > stride) {
                slower.strides[0] = slower.strides[0] / all * extent;
            }
        }
        piece
    }

    /// The same array with `extent` reduced elements. They must be a single dimension.
    pub fn with_reduced(&self, extent: u32) -> Self {
        Self { reduced: self.reduced.iter().map(|run| IoDim { extent, ..*run }).collect(), ..self.clone() }
    }

    pub fn of(spec: &Core) -> Result<Self> {
        spec.shape.elements("reduction", spec.batch)?;
        let axes = spec.shape.axes(spec.axes.as_deref()).map_err(|why| spec.unsupported(&why))?;
        // From the fastest axis to the batch. A reduced axis has stride 0 in the output.
        let extents = spec.shape.extents().iter().enumerate().rev().map(|(axis, &extent)| (extent, axes.contains(&axis)));
        let mut strides = [1, 1];
        let dims = extents.chain([(spec.batch, false)]).map(|(extent, reduced)| {
            let extent = extent as u32;
            let [input, output] = strides;
            strides = [input * extent, if reduced { output } else { output * extent }];
            IoDim { extent, strides: [input, if reduced { 0 } else { output }] }
        });
        let dims = joined(dims);
        let lines = dims.first().is_none_or(|dim| dim.strides[1] == 0);
        let (reduced, kept) = dims.into_iter().partition(|dim| dim.strides[1] == 0);
        Ok(Self { lines, reduced, kept })
    }
}
