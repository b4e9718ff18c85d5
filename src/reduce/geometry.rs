//! The axes of an array as the kernels see them: which are reduced, which are kept, and which of
//! these are contiguous.

use crate::strides::{IoDim, joined, reach};

/// An array to reduce.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Geometry {
    /// Whether neighbours in an access are reduced to one. If not, they are kept as columns, and
    /// rows are reduced.
    pub lines: bool,
    /// The reduced dimensions, at most four. Those of a dense array are fastest first. Those of a
    /// layout are too, if the order of reduction is free; if not, they are in the order of the
    /// shape.
    pub reduced: Vec<IoDim>,
    /// The kept dimensions in the order of the shape, fastest first; at most four.
    pub kept: Vec<IoDim>,
    /// The length of the rows of the dense array of this shape, which is part of the order across
    /// devices: contiguous elements that are reduced, or kept as columns.
    pub dense_row: u32,
    /// Where the elements lie, unless they are dense.
    pub layout: Option<Place>,
}

/// Where the elements of a layout lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// The index of the first element.
    pub offset: u32,
    /// The elements of the array, including all gaps.
    pub span: usize,
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

    /// The number of elements that are reduced.
    pub fn len(&self) -> usize {
        self.count() as usize * self.results() as usize
    }

    /// The number of elements of the array, including the gaps of a layout.
    pub fn span(&self) -> usize {
        self.layout.map_or(self.len(), |place| place.span)
    }

    /// The index of the first element.
    pub fn offset(&self) -> u32 {
        self.layout.map_or(0, |place| place.offset)
    }

    /// The dimension that an access is part of: of a line, or of a row.
    fn row(&self) -> Option<&IoDim> {
        if self.lines { &self.reduced } else { &self.kept }.first()
    }

    /// The number of columns; 1 for lines.
    pub fn columns(&self) -> u32 {
        if self.lines { 1 } else { self.row().map_or(1, |row| row.extent) }
    }

    /// The number of elements that follow one another wherever an access begins: the widths of
    /// accesses divide it. In a dense array, that is the length of a line or of a row.
    pub fn contiguous(&self) -> u32 {
        let Some(row) = self.row().filter(|row| row.strides[0] == 1) else { return 1 };
        let others = self.reduced.iter().chain(&self.kept).filter(|dim| !std::ptr::eq(*dim, row)).map(|dim| dim.strides[0]);
        others.chain([self.offset()]).fold(row.extent, gcd)
    }

    /// The same in a pass that reduces `count` elements, or partial results, to one. The partial
    /// results of a line are contiguous.
    pub fn contiguous_in(&self, count: u32, partial: bool) -> u32 {
        match partial {
            true if self.lines => count,
            true => self.columns(),
            false => self.contiguous(),
        }
    }

    /// Whether the elements of an access must be loaded one by one.
    pub fn is_gathered(&self, width: u32, partial: bool) -> bool {
        let follow = self.row().is_none_or(|row| row.strides[0] == 1);
        !partial && (!follow || !self.contiguous().is_multiple_of(width))
    }

    /// How far a pass walks that reduces `count` elements to one: accesses of a line, or rows.
    pub fn length(&self, count: u32, width: u32) -> u32 {
        if self.lines { count / width } else { count }
    }

    /// The elements from the first to the last of a line, or of the rows of a plane.
    pub fn reach(&self) -> u64 {
        let columns = &self.kept[..if self.lines { 0 } else { 1 }];
        reach(&self.reduced, 0) + reach(columns, 0) - 1
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

    /// That of a dense array with these dimensions, fastest first.
    pub fn dense(dims: Vec<IoDim>) -> Self {
        let dims = joined(dims);
        let lines = dims.first().is_none_or(|dim| dim.strides[1] == 0);
        let dense_row = dims.first().map_or(1, |dim| dim.extent);
        let (reduced, kept) = dims.into_iter().partition(|dim| dim.strides[1] == 0);
        Self { lines, reduced, kept, dense_row, layout: None }
    }
}

/// The largest number that divides both.
pub(crate) fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}
