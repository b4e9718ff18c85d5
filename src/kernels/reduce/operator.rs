//! What a reduction does with each element, with two values and with the result, as data.
//!
//! `src/reduce/arithmetic.rs` writes it as WGSL. Where the host is a member of a set of devices,
//! `src/multi/ordered/arithmetic.rs` computes the same.

use std::sync::Arc;

/// What an array in memory holds, for a kernel that reduces it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// f32.
    F32,
    /// i32.
    I32,
    /// u32.
    U32,
    /// f16, two in a word; values are f32.
    F16,
    /// Two f32, real and imaginary part.
    Complex,
    /// f64.
    F64,
    /// Two words: a rank and an index, or a rank of 64 bits, or the bits of an f64.
    Pair,
    /// Four words: a rank of 64 bits, an index, nothing.
    Quad,
}

impl Kind {
    /// Bytes of one in memory.
    #[must_use]
    pub fn bytes(self) -> u32 {
        match self {
            Self::F16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::Complex | Self::F64 | Self::Pair => 8,
            Self::Quad => 16,
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F16 | Self::Complex | Self::F64)
    }
}

/// What is done with each element when it is loaded.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Map {
    /// x.
    Identity,
    /// x².
    Square,
    /// |x|.
    Abs,
    /// x times the f32 of these bits.
    Scale(u32),
    /// 1 if x is not zero, else 0.
    NonZero,
    /// |x|², a real number.
    Norm,
    /// x·y.
    Product,
    /// x̅·y.
    ConjugateProduct,
    /// |x - y|.
    Distance,
    /// An expression of the caller's.
    Custom(Arc<str>),
}

/// What is done with two values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Fold {
    /// a + b; modulo 2³² for integers.
    Sum,
    /// a · b; modulo 2³² for integers.
    Product,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
    /// The index of the first smallest one.
    ArgMin,
    /// The index of the first largest one.
    ArgMax,
    /// An expression of the caller's, and the bits of its identity.
    Custom {
        /// In `a` and `b`.
        expression: Arc<str>,
        /// Does nothing to what it is combined with.
        identity: [u32; 2],
    },
}

/// What is done with the result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Finish {
    /// Nothing.
    Identity,
    /// Divided by so many.
    Mean(u32),
    /// The square root.
    Root,
}

/// A reduction's arithmetic.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Operator {
    /// What the array holds.
    pub input: Kind,
    /// What is done with each element.
    pub map: Map,
    /// What is done with two values.
    pub fold: Fold,
    /// What is done with the result.
    pub finish: Finish,
    /// Products are rounded before they are added, on every device: some would fuse the two.
    pub rounded: bool,
}

impl Operator {
    /// The number that the map makes of an element.
    #[must_use]
    pub fn mapped(&self) -> Kind {
        match (&self.map, self.input) {
            (Map::NonZero, _) => Kind::U32,
            (Map::Norm | Map::Distance, Kind::Complex) | (_, Kind::F16) => Kind::F32,
            (Map::Distance, Kind::I32) => Kind::U32,
            (_, input) => input,
        }
    }

    /// Whether values are numbers of a fixed order, compared as integers.
    #[must_use]
    pub fn is_ranked(&self) -> bool {
        match self.fold {
            Fold::ArgMin | Fold::ArgMax => true,
            // The difference of two f64 has no bits that every adapter can get at.
            Fold::Min | Fold::Max => !(self.map == Map::Distance && self.input == Kind::F64),
            _ => false,
        }
    }

    /// Whether the result is an index.
    #[must_use]
    pub fn is_arg(&self) -> bool {
        matches!(self.fold, Fold::ArgMin | Fold::ArgMax)
    }

    /// Whether the result does not depend on the order of the elements' combination.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        match self.fold {
            Fold::Sum | Fold::Product => !self.mapped().is_float(),
            Fold::Custom { .. } => false,
            _ => true,
        }
    }

    /// Whether there are two inputs.
    #[must_use]
    pub fn takes_two(&self) -> bool {
        matches!(self.map, Map::Product | Map::ConjugateProduct | Map::Distance)
    }

    /// What the kernel loads an element as: an f64 as bits, where nothing is computed with it.
    #[must_use]
    pub fn loaded(&self) -> Kind {
        let as_bits = self.map == Map::NonZero || self.map == Map::Identity && self.is_ranked();
        if self.input == Kind::F64 && as_bits { Kind::Pair } else { self.input }
    }

    /// Whether arithmetic is in f64.
    #[must_use]
    pub fn needs_f64(&self) -> bool {
        self.loaded() == Kind::F64 || self.value() == Kind::F64
    }

    /// What is combined, and stored as partial result.
    #[must_use]
    pub fn value(&self) -> Kind {
        match (self.is_ranked(), self.is_arg(), self.mapped()) {
            (false, _, mapped) => mapped,
            (true, false, Kind::F64) => Kind::Pair,
            (true, false, _) => Kind::U32,
            (true, true, Kind::F64) => Kind::Quad,
            (true, true, _) => Kind::Pair,
        }
    }

    /// What the result is stored as: a number that was ranked as its bits.
    #[must_use]
    pub fn result(&self) -> Kind {
        match (self.is_ranked(), self.mapped()) {
            (true, _) if self.is_arg() => Kind::U32,
            (true, Kind::F64) => Kind::Pair,
            (true, _) => Kind::U32,
            (false, mapped) => mapped,
        }
    }
}
