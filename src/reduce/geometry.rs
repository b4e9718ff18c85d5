//! The axes of an array as the kernels see them: what is reduced, what is kept, and which of the
//! two lies closest.

use super::Core;
use crate::error::Result;
use crate::strides::{IoDim, joined};

/// An array to reduce.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Geometry {
    /// Elements that follow one another are reduced to one; else they are kept, and rows are
    /// reduced.
    pub lines: bool,
    /// What is reduced, closest first; at most two.
    pub reduced: Vec<IoDim>,
    /// What is kept, closest first; at most two for lines and three for columns.
    pub kept: Vec<IoDim>,
}

impl Geometry {
    /// Elements reduced to one result.
    pub fn count(&self) -> u32 {
        self.reduced.iter().map(|run| run.extent).product()
    }

    /// Results.
    pub fn results(&self) -> u32 {
        self.kept.iter().map(|run| run.extent).product()
    }

    /// Elements.
    pub fn len(&self) -> usize {
        self.count() as usize * self.results() as usize
    }

    /// Elements that follow one another, of a line or of a row.
    pub fn contiguous(&self) -> u32 {
        if self.lines { &self.reduced } else { &self.kept }.first().map_or(1, |run| run.extent)
    }

    /// The same of a pass that reduces `count` elements, or partial results, to one: lines of
    /// partial results are in one piece.
    pub fn contiguous_in(&self, count: u32, partial: bool) -> u32 {
        if self.lines && partial { count } else { self.contiguous() }
    }

    /// What a pass walks over that reduces `count` elements to one: the accesses of a line, or
    /// rows.
    pub fn length(&self, count: u32, width: u32) -> u32 {
        if self.lines { count / width } else { count }
    }

    /// The same array with so many of what is kept and lies farthest apart. Axes are neither left
    /// out nor joined anew, so that the order of what is reduced stays.
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

    /// The same array with so many of what is reduced, which is one run.
    pub fn with_reduced(&self, extent: u32) -> Self {
        Self { reduced: self.reduced.iter().map(|run| IoDim { extent, ..*run }).collect(), ..self.clone() }
    }

    pub fn of(spec: &Core) -> Result<Self> {
        spec.shape.elements("reduction", spec.batch)?;
        let axes = spec.shape.axes(spec.axes.as_deref()).map_err(|why| spec.unsupported(&why))?;
        // From the closest axis to the batch; what is reduced has one place in the output.
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
