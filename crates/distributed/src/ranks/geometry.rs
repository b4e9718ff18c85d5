//! Which part of a transform's arrays a rank has.
//!
//! The ranks form a grid, whose dimensions divide axes of the array: one dimension for slabs, two
//! for pencils. Everything else follows from the divided axes and from the shares along them, so
//! slabs and pencils take the same path.

use std::ops::Range;

use wgpu_fft::fft::RealKind;
use wgpu_fft::low_level::divide::{PartKind, PartNumber, Parts};
use wgpu_fft::{Error, Result, Shape};

use super::part::{Decomposition, Order, Part};
use super::wire::Wire;
use crate::partition::ranges;

/// What a dimension of the grid divides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Divided {
    Batch,
    /// An axis that is transformed, so it must be gathered by an exchange.
    Axis(usize),
}

/// The shares along one dimension of the grid, by index of that dimension.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct DimensionShares {
    /// Units of what the dimension divides on the side of the positions.
    pub rows: Vec<usize>,
    /// Units of the axis that it divides instead when its own is gathered. Empty for the batch.
    pub columns: Vec<usize>,
}

/// The shares along each dimension of the grid.
pub(super) type RankShares = Vec<DimensionShares>;

/// A transform in the numbers that the other modules use.
///
/// The whole array is \[batch, n₀, …, unit\]: the batch, the axes that are divided, and the axes
/// that each rank has completely. The exchange t gathers the axis n_t, and divides the axis X_t
/// instead: X_t = n_(t+1), or C for the last divided axis. C is the slowest axis of the unit's
/// frequencies, and K is the number of frequencies for each of its indices.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Geometry {
    pub kind: PartKind,
    pub number: PartNumber,
    /// Of a transform from reals to reals, the kinds of \[n₀, …, unit\].
    pub kinds: Vec<RealKind>,
    pub orthogonal: bool,
    /// Whether the input lies as frequencies do, and the output as positions.
    pub backward: bool,
    pub order: Order,
    /// Whether exchanges are in f16.
    pub half: bool,
    /// The factor on every output.
    pub factor: f64,
    /// What each dimension of the grid divides.
    pub dimensions: Vec<Divided>,
    /// The number of ranks along each dimension.
    pub grid: Vec<usize>,
    /// The first axis of the shape that is transformed. Those before it belong to the batch.
    pub first_axis: usize,
    pub batch: usize,
    /// The extents of the axes that are divided and transformed: n₀, n₁, …
    pub divided: Vec<usize>,
    /// The shape of what a rank has completely.
    pub unit: Vec<usize>,
    /// C, the extent of the slowest axis of a unit's frequencies.
    pub columns: usize,
    /// K, the number of frequencies for each of them.
    pub inner: usize,
}

/// What a rank has during the exchange t: the number of indices, and the first one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Local {
    pub batch: Range<usize>,
    /// r_t, of each axis n_t before it is gathered.
    pub rows: Vec<Range<usize>>,
    /// s_t, of each axis X_t after n_t was gathered.
    pub columns: Vec<Range<usize>>,
}

impl Local {
    /// The number of transforms of the batch.
    pub fn transforms(&self) -> usize {
        self.batch.len()
    }

    /// The product of r_t over some axes.
    pub fn rows_of(&self, axes: Range<usize>) -> usize {
        self.rows[axes].iter().map(ExactSizeIterator::len).product()
    }

    /// The product of s_t over some axes.
    pub fn columns_of(&self, axes: Range<usize>) -> usize {
        self.columns[axes].iter().map(ExactSizeIterator::len).product()
    }
}

impl Geometry {
    /// # Errors
    /// For a shape without elements, for axes that are not transformed, and for arrays that cannot
    /// be divided so.
    pub fn new(spec: &str, parts: &Parts, order: Order, decomposition: Decomposition, ranks: usize) -> Result<Self> {
        let unsupported = |what: &str, why: &str| Error::Unsupported { what: format!("{what} (`{spec}`)"), why: why.to_owned() };
        // The batch, and what belongs to it.
        let leading = parts.transformed.iter().take_while(|is_transformed| !**is_transformed).count();
        let (leading, extents) = parts.extents.split_at(leading);
        if parts.extents.contains(&0) || extents.is_empty() {
            return Err(Error::Empty { what: "a distributed FFT", shape: spec.to_owned() });
        }
        if parts.transformed[leading.len()..].contains(&false) {
            return Err(unsupported("a distributed FFT of some axes", "those that are not transformed must come first, as a batch does"));
        }
        // The bytes of positions and frequencies together.
        let bytes = parts.extents.iter().try_fold(4 * parts.number.bytes(), |bytes, extent| bytes.checked_mul(*extent));
        if bytes.is_none_or(|bytes| bytes > isize::MAX as usize) {
            return Err(unsupported("an array larger than the address space", "its size in bytes must fit a usize"));
        }
        let batch: usize = leading.iter().product();
        let dimensions = match (decomposition, batch > 1 || extents.len() == 1) {
            (Decomposition::Slabs, true) => vec![Divided::Batch],
            (Decomposition::Slabs, false) => vec![Divided::Axis(0)],
            (_, true) => vec![Divided::Batch, Divided::Axis(0)],
            (_, false) => vec![Divided::Axis(0), Divided::Axis(1)],
        };
        let stages = dimensions.iter().filter(|divided| matches!(divided, Divided::Axis(_))).count();
        if stages >= extents.len() {
            let text = format!(
                "pencils divide {}, and each rank must have one more axis completely: use slabs",
                if batch > 1 || extents.len() == 1 { "the batch and axis 0" } else { "axes 0 and 1" }
            );
            return Err(unsupported("pencils of an array with too few axes", &text));
        }
        let (divided, unit) = extents.split_at(stages);
        let mut frequencies = unit.to_vec();
        if let (PartKind::FromReals | PartKind::ToReals, Some(last)) = (parts.kind, frequencies.last_mut()) {
            *last = *last / 2 + 1;
        }
        let (backward, order) = match order {
            Order::TransposedInput if parts.kind == PartKind::Reals => (true, Order::Transposed),
            Order::TransposedInput => {
                return Err(unsupported("transposed input", "that is for transforms from reals to reals: others know their direction"));
            }
            order => (parts.kind.is_inverse(), order),
        };
        let (columns, inner) = (frequencies[0], frequencies[1..].iter().product());
        let mut own = Self {
            kind: parts.kind,
            number: parts.number,
            kinds: parts.kinds.clone(),
            orthogonal: parts.orthogonal,
            backward,
            order,
            half: false,
            factor: parts.factor,
            dimensions,
            grid: vec![ranks],
            first_axis: leading.len().saturating_sub(1),
            batch,
            divided: divided.to_vec(),
            unit: unit.to_vec(),
            columns,
            inner,
        };
        match decomposition {
            Decomposition::Slabs => {}
            Decomposition::Pencils => own.grid = own.squarest(ranks),
            Decomposition::Grid([first, second]) if first.checked_mul(second) == Some(ranks) => own.grid = vec![first, second],
            Decomposition::Grid([first, second]) => {
                let why = format!("the cluster has {ranks} ranks");
                return Err(unsupported(&format!("a grid of {first} x {second} ranks"), &why));
            }
        }
        Ok(own)
    }

    /// The grid of so many ranks that leaves the fewest without work, and of these the squarest.
    fn squarest(&self, ranks: usize) -> Vec<usize> {
        let useful = |dimension: usize| {
            let gathered = self.stage_of(dimension).map_or(usize::MAX, |t| self.cut_extent(t));
            self.units(dimension).min(gathered)
        };
        let grids = (1..=ranks).filter(|first| ranks.is_multiple_of(*first)).map(|first| [first, ranks / first]);
        let working = |[first, second]: [usize; 2]| first.min(useful(0)) * second.min(useful(1));
        let best = grids.min_by_key(|grid| (std::cmp::Reverse(working(*grid)), grid[0].abs_diff(grid[1])));
        best.map_or_else(|| vec![ranks, 1], |grid| grid.to_vec())
    }

    /// How exchanges send numbers up to `bound`.
    pub fn wire(&self, bound: f64) -> Wire {
        if self.half { Wire::half(bound) } else { Wire::Exact }
    }

    /// The number of exchanges in one direction.
    pub fn stages(&self) -> usize {
        self.divided.len()
    }

    /// Whether an axis is divided that is transformed, so that an exchange is needed.
    pub fn is_distributed(&self) -> bool {
        self.stages() > 0
    }

    /// Whether the transform goes from positions to frequencies.
    pub fn is_forward(&self) -> bool {
        !self.backward
    }

    /// The shape of a unit.
    pub fn unit(&self) -> Shape {
        Shape::from(&self.unit[..])
    }

    /// Elements of a unit on the side of the positions.
    pub fn positions(&self) -> usize {
        self.unit.iter().product()
    }

    /// Elements of a unit on the side of the frequencies.
    pub fn frequencies(&self) -> usize {
        self.columns * self.inner
    }

    /// The number of units.
    pub fn all_units(&self) -> usize {
        self.batch * self.divided.iter().product::<usize>()
    }

    /// Bytes of a number on the side of the positions.
    pub fn position_bytes(&self) -> usize {
        self.number.bytes() * if matches!(self.kind, PartKind::Complex { .. }) { 2 } else { 1 }
    }

    /// Bytes of a number on the side of the frequencies, which is what ranks exchange.
    pub fn frequency_bytes(&self) -> usize {
        self.number.bytes() * if self.kind == PartKind::Reals { 1 } else { 2 }
    }

    /// The number of units along a dimension of the grid, on the side of the positions.
    pub fn units(&self, dimension: usize) -> usize {
        match self.dimensions[dimension] {
            Divided::Batch => self.batch,
            Divided::Axis(axis) => self.divided[axis],
        }
    }

    /// The exchange along a dimension of the grid, if there is one.
    pub fn stage_of(&self, dimension: usize) -> Option<usize> {
        match self.dimensions[dimension] {
            Divided::Batch => None,
            Divided::Axis(axis) => Some(axis),
        }
    }

    /// The dimension of the grid along which ranks make the exchange t.
    pub fn dimension_of(&self, stage: usize) -> usize {
        self.dimensions.len() - self.stages() + stage
    }

    /// X_t, the extent of the axis that is divided while n_t is complete.
    pub fn cut_extent(&self, stage: usize) -> usize {
        self.divided.get(stage + 1).copied().unwrap_or(self.columns)
    }

    /// The index of a rank along each dimension of the grid. The last dimension is the fastest.
    pub fn coordinates(&self, rank: usize) -> Vec<usize> {
        let mut rest = rank;
        let mut coordinates: Vec<usize> = self
            .grid
            .iter()
            .rev()
            .map(|extent| {
                let own = rest % extent;
                rest /= extent;
                own
            })
            .collect();
        coordinates.reverse();
        coordinates
    }

    /// The ranks that share an exchange with `rank`, by their index along the dimension.
    pub fn group(&self, rank: usize, stage: usize) -> Vec<usize> {
        let dimension = self.dimension_of(stage);
        let stride: usize = self.grid[dimension + 1..].iter().product();
        let first = rank - self.coordinates(rank)[dimension] * stride;
        (0..self.grid[dimension]).map(|i| first + i * stride).collect()
    }

    /// What a rank has.
    pub fn local(&self, shares: &RankShares, rank: usize) -> Local {
        let coordinates = self.coordinates(rank);
        let mut own = Local { batch: 0..self.batch, rows: Vec::new(), columns: Vec::new() };
        for ((divided, shares), place) in self.dimensions.iter().zip(shares).zip(coordinates) {
            let rows = ranges(&shares.rows)[place].clone();
            match divided {
                Divided::Batch => own.batch = rows,
                Divided::Axis(_) => {
                    own.rows.push(rows);
                    own.columns.push(ranges(&shares.columns)[place].clone());
                }
            }
        }
        own
    }

    /// The part of the input or the output that a rank holds.
    pub fn part(&self, shares: &RankShares, rank: usize, input: bool) -> Part {
        let local = self.local(shares, rank);
        let is_positions = input == self.is_forward();
        let (stages, rank) = (self.stages(), self.stages() + self.unit.len());
        let mut extents: Vec<usize> = self.divided.iter().chain(&self.unit).copied().collect();
        if !is_positions {
            extents[stages] = self.columns;
            if rank > stages + 1 {
                let last = rank - 1;
                extents[last] = if self.frequencies() == self.positions() { extents[last] } else { extents[last] / 2 + 1 };
            }
        }
        let mut axes: Vec<usize> = (self.first_axis..self.first_axis + rank).collect();
        let mut ranges: Vec<Range<usize>> = extents.iter().map(|extent| 0..*extent).collect();
        if is_positions || self.order == Order::Natural {
            ranges[..stages].clone_from_slice(&local.rows);
        } else if stages > 0 {
            ranges[1..=stages].clone_from_slice(&local.columns);
            axes.rotate_left(1);
            ranges.rotate_left(1);
            extents.rotate_left(1);
        }
        Part { batch: local.batch, batch_extent: self.batch, axes, ranges, extents, padding: 0 }
    }

    /// Bytes of an element of the input or the output.
    pub fn element_bytes(&self, input: bool) -> usize {
        if input == self.is_forward() { self.position_bytes() } else { self.frequency_bytes() }
    }
}

#[cfg(test)]
mod tests {
    use wgpu_fft::fft::{C2c, R2c};
    use wgpu_fft::low_level::divide::InParts;

    use super::*;

    fn of(spec: &(impl InParts + ToString), decomposition: Decomposition, ranks: usize) -> Result<Geometry> {
        Geometry::new(&spec.to_string(), &spec.parts()?, Order::Transposed, decomposition, ranks)
    }

    #[test]
    fn geometries_are_those_of_the_documentation() {
        let numbers = |spec: &R2c, decomposition| {
            let Geometry { divided, unit, columns, inner, dimensions, .. } = of(spec, decomposition, 4).unwrap();
            (divided, unit, columns, inner, dimensions.len())
        };
        let [slabs, pencils] = [Decomposition::Slabs, Decomposition::Pencils];
        assert_eq!(numbers(&R2c::forward([12, 10]), slabs), (vec![12], vec![10], 6, 1, 1));
        assert_eq!(numbers(&R2c::forward([12, 10, 14]), slabs), (vec![12], vec![10, 14], 10, 8, 1));
        assert_eq!(numbers(&R2c::forward(10).batch(12), slabs), (vec![], vec![10], 6, 1, 1));
        assert_eq!(numbers(&R2c::forward([8, 10]).batch(12), slabs), (vec![], vec![8, 10], 8, 6, 1));
        assert_eq!(numbers(&R2c::forward([12, 10, 14]), pencils), (vec![12, 10], vec![14], 8, 1, 2));
        assert_eq!(numbers(&R2c::forward([8, 10]).batch(12), pencils), (vec![8], vec![10], 6, 1, 2));
    }

    #[test]
    fn grids_leave_few_ranks_without_work() {
        let grid = |spec: C2c, ranks| of(&spec, Decomposition::Pencils, ranks).unwrap().grid;
        assert_eq!(grid(C2c::forward([64, 64, 64]), 12), [3, 4]);
        assert_eq!(grid(C2c::forward([2, 64, 64]), 16), [2, 8]);
        assert_eq!(grid(C2c::forward([64, 64, 3]), 16), [8, 2]);
        assert_eq!(grid(C2c::forward([64, 64, 64]), 7), [1, 7]);
        assert_eq!(of(&R2c::forward([4, 16, 16]), Decomposition::Pencils, 32).unwrap().grid, [4, 8]);
        assert_eq!(of(&C2c::forward([4, 4, 4]), Decomposition::Grid([2, 1]), 2).unwrap().grid, [2, 1]);
    }

    #[test]
    fn groups_differ_in_one_coordinate() {
        let geometry = of(&C2c::forward([4, 4, 4]), Decomposition::Grid([2, 3]), 6).unwrap();
        assert_eq!(geometry.coordinates(4), [1, 1]);
        assert_eq!(geometry.group(4, 1), [3, 4, 5]);
        assert_eq!(geometry.group(4, 0), [1, 4]);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let slabs = Decomposition::Slabs;
        assert!(matches!(of(&C2c::forward([3, 0]), slabs, 1), Err(Error::Empty { .. })));
        assert!(matches!(of(&C2c::forward(3).batch(0), slabs, 1), Err(Error::Empty { .. })));
        let pencils = Decomposition::Pencils;
        for (spec, decomposition) in [
            (C2c::forward([1, 2, 3, 4]), slabs),
            (C2c::forward([4, 3]).axes([0]), slabs),
            (C2c::forward([usize::MAX, usize::MAX]), slabs),
            (C2c::forward([4, 3]), pencils),
            (C2c::forward(4).batch(3), pencils),
            (C2c::forward([4, 3, 2]), Decomposition::Grid([2, 3])),
        ] {
            assert!(matches!(of(&spec, decomposition, 4), Err(Error::Unsupported { .. })), "{spec}");
        }
        // Reals with odd numbers of rows.
        assert!(of(&R2c::forward([4, 3, 2]), pencils, 4).is_ok());
    }
}
