//! The axes of an array as the kernels see them: what is reduced, what is kept, and which of the two lies closest.

use super::Core;
use crate::error::{Error, Result};
use crate::shape::Batched;

/// Neighbouring axes that are all reduced or all kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Run {
    pub extent: u32,
    /// Elements between neighbours.
    pub stride: u32,
}

/// An array to reduce.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Geometry {
    /// Elements that follow one another are reduced to one; else they are kept, and rows are reduced.
    pub lines: bool,
    /// What is reduced, closest first; at most two.
    pub reduced: Vec<Run>,
    /// What is kept, closest first; at most two for lines and three for columns.
    pub kept: Vec<Run>,
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

    /// The same of a pass that reduces `count` elements, or partial results, to one: lines of partial results are in one piece.
    pub fn contiguous_in(&self, count: u32, partial: bool) -> u32 {
        if self.lines && partial { count } else { self.contiguous() }
    }

    /// What a pass walks over that reduces `count` elements to one: the accesses of a line, or rows.
    pub fn length(&self, count: u32, width: u32) -> u32 {
        if self.lines { count / width } else { count }
    }

    /// The same array with so many of what is kept and lies farthest apart. Axes are neither left out nor joined anew, so that the order of what is reduced stays.
    pub fn with_kept(&self, extent: u32) -> Self {
        let mut piece = self.clone();
        if let Some(run) = piece.kept.last_mut() {
            let (all, stride) = (run.extent, run.stride);
            run.extent = extent;
            for slower in piece.reduced.iter_mut().filter(|run| run.stride > stride) {
                slower.stride = slower.stride / all * extent;
            }
        }
        piece
    }

    /// The same array with so many of what is reduced, which is one run.
    pub fn with_reduced(&self, extent: u32) -> Self {
        Self { reduced: self.reduced.iter().map(|run| Run { extent, ..*run }).collect(), ..self.clone() }
    }

    pub fn of(spec: &Core) -> Result<Self> {
        let what = || format!("`{spec}`");
        let rank = spec.shape.rank();
        spec.shape.elements("reduction", spec.batch)?;
        let axes: Vec<usize> = match &spec.axes {
            None => (0..rank).collect(),
            Some(axes) if axes.is_empty() => {
                let why = "an empty list of axes reduces nothing: leave it out for all axes".to_owned();
                return Err(Error::Unsupported { what: what(), why });
            }
            Some(axes) => axes.clone(),
        };
        if let Some(axis) = axes.iter().find(|&&axis| axis >= rank) {
            let why = format!("axis {axis}: the axes of {} are 0 to {}", Batched(spec.shape, 1), rank - 1);
            return Err(Error::Unsupported { what: what(), why });
        }
        if let Some(axis) = axes.iter().enumerate().find_map(|(i, axis)| axes[..i].contains(axis).then_some(axis)) {
            return Err(Error::Unsupported { what: what(), why: format!("axis {axis} is given twice") });
        }
        // From the closest axis to the batch.
        let extents = spec.shape.extents().iter().enumerate().rev().map(|(axis, &extent)| (extent, axes.contains(&axis)));
        let mut runs: Vec<(Run, bool)> = Vec::new();
        let mut stride = 1;
        for (extent, reduced) in extents.chain([(spec.batch, false)]) {
            let extent = extent as u32;
            match runs.last_mut() {
                _ if extent == 1 => {}
                Some((run, same)) if *same == reduced => run.extent *= extent,
                _ => runs.push((Run { extent, stride }, reduced)),
            }
            stride = stride.wrapping_mul(extent);
        }
        let side = |wanted| runs.iter().filter(|(_, reduced)| *reduced == wanted).map(|(run, _)| *run).collect();
        let lines = runs.first().is_none_or(|(_, reduced)| *reduced);
        Ok(Self { lines, reduced: side(true), kept: side(false) })
    }
}
