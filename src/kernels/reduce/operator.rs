//! The arithmetic of a reduction, as data: the map on each element, the operator on two values, and
//! the final step.
//!
//! `src/reduce/arithmetic/` writes it as WGSL.

use std::sync::Arc;

use crate::fragment::{Argument, Checked};

/// The type of the elements that a reduction kernel reads or stores.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// f32.
    F32,
    /// i32.
    I32,
    /// u32.
    U32,
    /// f16, two per word. Values are f32.
    F16,
    /// Two f32, real and imaginary part.
    Complex,
    /// f64.
    F64,
    /// Two words: a rank and an index, or a 64-bit rank, or the bits of an f64 or of a 64-bit
    /// integer, or a level and a sum of squares.
    Pair,
    /// Four words: a 64-bit rank, an index, and an unused word; or a mean in two words, of which
    /// the second is the level of reals, a sum of squares, and a count, with the level of complex
    /// numbers above it.
    Quad,
    /// Four f64: a mean, a sum of squares, a count, and a level.
    Doubles,
}

impl Kind {
    /// The size of an element in memory, in bytes.
    #[must_use]
    pub fn bytes(self) -> u32 {
        match self {
            Self::F16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::Complex | Self::F64 | Self::Pair => 8,
            Self::Quad => 16,
            Self::Doubles => 32,
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F16 | Self::Complex | Self::F64)
    }
}

/// What an operation does with each element when it is loaded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Map {
    /// x.
    Identity,
    /// |x|.
    Abs,
    /// 1 if x is nonzero, else 0.
    NonZero,
    /// |x|², a real number.
    Norm,
    /// x·y.
    Product,
    /// x̅·y.
    ConjugateProduct,
    /// |x - y|.
    Distance,
}

/// A fragment of the caller's on the elements or on the results, and where it finds its indices.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Indexed {
    pub(crate) fragment: Checked,
    /// For each axis, slowest first, and for the batch: where its index is found.
    pub(crate) axes: Vec<AxisIndex>,
}

/// Where the index on an axis is found: in the number of an element among those that are reduced to
/// one result, or in the number of the result. Both count in the order of the shape.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AxisIndex {
    /// Whether the axis is reduced.
    pub reduced: bool,
    /// The product of the extents of all faster axes that are counted together with it.
    pub faster: u32,
    /// The extent of the axis.
    pub extent: u32,
    /// Whether no axis that is counted together with it is slower.
    pub slowest: bool,
}

impl Indexed {
    /// The axis whose index an argument of the fragment is.
    pub(crate) fn axis(&self, argument: Argument) -> Option<AxisIndex> {
        match argument {
            Argument::Index(axis) => Some(self.axes[axis]),
            Argument::Batch => self.axes.last().copied(),
            _ => None,
        }
    }

    /// Whether the fragment asks for the index on an axis that is reduced, or on one that is kept.
    fn asks(&self, reduced: bool) -> bool {
        let mut indices = self.fragment.arguments.iter().filter_map(|argument| self.axis(*argument));
        indices.any(|axis| axis.reduced == reduced && axis.extent > 1)
    }
}

/// The operator that combines two values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Fold {
    /// a + b; modulo 2³² for integers.
    Sum,
    /// a + b of integers, in 64 bits.
    WideSum,
    /// a + b of squares, at the scale of the largest number.
    Squares,
    /// a · b; modulo 2³² for integers.
    Product,
    /// The smaller value.
    Min,
    /// The larger value.
    Max,
    /// The index of the first smallest value.
    ArgMin,
    /// The index of the first largest value.
    ArgMax,
    /// The count, the mean, and the sum of the squared distances from it.
    Moments,
    /// A user-defined expression, and the bits of its identity element.
    Custom {
        /// The expression in `a` and `b`.
        expression: Arc<str>,
        /// The identity element of the operator.
        identity: [u32; 2],
    },
}

/// The final step on the result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Finish {
    /// Nothing.
    Identity,
    /// Division by this number of elements.
    Mean(u32),
    /// The square root.
    Root,
    /// The sum of squared distances, divided by this number.
    Variance(u32),
    /// The square root of that.
    Deviation(u32),
}

/// The arithmetic of a reduction.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Operator {
    /// What is reduced: the element type of the array, or what the fragment makes of it.
    pub input: Kind,
    /// The fragment that is applied to each element of the array before the map.
    pub source: Option<Arc<Indexed>>,
    /// The map on each element.
    pub map: Map,
    /// The operator on two values.
    pub fold: Fold,
    /// The final step on the result.
    pub finish: Finish,
    /// The fragment that is applied to each result after that step.
    pub sink: Option<Arc<Indexed>>,
    /// Whether every device rounds products before it adds them. Otherwise some devices fuse the
    /// two.
    pub rounded: bool,
}

impl Operator {
    /// The type that the map returns.
    #[must_use]
    pub fn mapped(&self) -> Kind {
        match (self.map, self.input) {
            (Map::NonZero, _) => Kind::U32,
            (Map::Norm | Map::Distance, Kind::Complex) | (_, Kind::F16) => Kind::F32,
            (Map::Distance, Kind::I32) => Kind::U32,
            (_, input) => input,
        }
    }

    /// Whether values are compared as integer ranks, in the order of the numbers.
    #[must_use]
    pub fn is_ranked(&self) -> bool {
        match self.fold {
            Fold::ArgMin | Fold::ArgMax => true,
            // The difference of two f64 is computed, and not every adapter gives access to its
            // bits.
            Fold::Min | Fold::Max => !(self.map == Map::Distance && self.input == Kind::F64),
            _ => false,
        }
    }

    /// Whether the result is an index.
    #[must_use]
    pub fn is_arg(&self) -> bool {
        matches!(self.fold, Fold::ArgMin | Fold::ArgMax)
    }

    /// Whether an element's index is part of its value.
    #[must_use]
    pub fn has_index(&self) -> bool {
        self.is_arg() || self.source.as_ref().is_some_and(|source| source.asks(true))
    }

    /// Whether the number of its result is part of an element's value.
    #[must_use]
    pub fn has_result(&self) -> bool {
        self.source.as_ref().is_some_and(|source| source.asks(false))
    }

    /// Whether any part of the array can be reduced by itself: the fragments need nothing but an
    /// element, and its number among those that are reduced with it.
    #[must_use]
    pub(crate) fn is_local(&self) -> bool {
        let is_local = |source: &Indexed| {
            let Checked { array, .. } = &source.fragment;
            !source.asks(false) && array.texels().is_none() && source.fragment.arrays().is_empty()
        };
        self.sink.is_none() && self.source.as_deref().is_none_or(is_local)
    }

    /// The size of an element of the array, in bytes.
    #[must_use]
    pub fn element_bytes(&self) -> u32 {
        self.source.as_ref().map_or(self.input.bytes(), |source| source.fragment.array.bytes())
    }

    /// The size of an element of the output, in bytes.
    #[must_use]
    pub fn result_bytes(&self) -> u32 {
        self.sink.as_ref().map_or(self.result().bytes(), |sink| sink.fragment.array.bytes())
    }

    /// Whether the result does not depend on the order of combination.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        match self.fold {
            Fold::Sum | Fold::Product => !self.mapped().is_float(),
            Fold::Squares | Fold::Moments | Fold::Custom { .. } => false,
            _ => true,
        }
    }

    /// Whether sums of squares have a scale of their own.
    #[must_use]
    pub fn has_scale(&self) -> bool {
        matches!(self.fold, Fold::Squares | Fold::Moments)
    }

    /// Whether there are two inputs.
    #[must_use]
    pub fn takes_two(&self) -> bool {
        matches!(self.map, Map::Product | Map::ConjugateProduct | Map::Distance)
    }

    /// The type as which the kernel loads an element. An f64 is loaded as bits if nothing is
    /// computed with it.
    #[must_use]
    pub fn loaded(&self) -> Kind {
        let as_bits = self.map == Map::NonZero || matches!(self.map, Map::Identity | Map::Abs) && self.is_ranked();
        if self.input == Kind::F64 && as_bits { Kind::Pair } else { self.input }
    }

    /// Whether the arithmetic is in f64.
    #[must_use]
    pub fn needs_f64(&self) -> bool {
        self.loaded() == Kind::F64 || !self.has_words()
    }

    /// Whether values are 32-bit words, which subgroups and atomics can exchange.
    #[must_use]
    pub fn has_words(&self) -> bool {
        !matches!(self.value(), Kind::F64 | Kind::Doubles)
    }

    /// The type of the values that are combined and stored as partial results.
    #[must_use]
    pub fn value(&self) -> Kind {
        match (self.is_ranked(), self.is_arg(), self.mapped()) {
            (false, _, Kind::F64) if self.has_scale() => Kind::Doubles,
            (false, ..) if self.fold == Fold::Moments => Kind::Quad,
            (false, ..) if matches!(self.fold, Fold::Squares | Fold::WideSum) => Kind::Pair,
            (false, _, mapped) => mapped,
            (true, false, Kind::F64) => Kind::Pair,
            (true, false, _) => Kind::U32,
            (true, true, Kind::F64) => Kind::Quad,
            (true, true, _) => Kind::Pair,
        }
    }

    /// The type of the result before a fragment. A ranked number is given as its bits.
    #[must_use]
    pub fn result(&self) -> Kind {
        match (self.is_ranked(), self.mapped()) {
            (true, _) if self.is_arg() => Kind::U32,
            (true, Kind::F64) => Kind::Pair,
            (true, _) => Kind::U32,
            (false, Kind::Complex) if self.fold == Fold::Moments => Kind::F32,
            _ if self.fold == Fold::WideSum => Kind::Pair,
            (false, mapped) => mapped,
        }
    }
}
