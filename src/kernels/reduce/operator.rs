//! Twin of the operators in `shaders/reduce/*.wgsl`: what is done with each element, with two values, and with the result.
//!
//! The text is made for each operator, since WGSL has no types as parameters; [`Operator::map`], [`Operator::combine`] and [`Operator::finish`] say the same on the host.

use std::sync::Arc;

use half::f16;
use num_complex::Complex32;

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

/// A value as words; those that its kind has no use for are 0.
pub type Words = [u32; 4];

/// The bits of the NaN that stands for all.
const NAN: u32 = 0x7fc0_0000;

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

    /// Whether the host can do the same, which it cannot with a caller's text.
    #[must_use]
    pub fn has_mirror(&self) -> bool {
        !matches!(self.map, Map::Custom(_)) && !matches!(self.fold, Fold::Custom { .. })
    }

    /// `map_element` on the host: of element `j` and of that of the second input.
    ///
    /// # Panics
    /// If the operator has no mirror.
    #[must_use]
    pub fn map(&self, x: Words, y: Words, j: u32) -> Words {
        let number = match self.input {
            Kind::F32 => self.map_f32(f32_of(x), f32_of(y)),
            Kind::F16 => self.map_f32(f16::from_bits(x[0] as u16).to_f32(), f16::from_bits(y[0] as u16).to_f32()),
            Kind::I32 | Kind::U32 => self.map_integer(x[0], y[0]),
            Kind::Complex => self.map_complex(complex_of(x), complex_of(y)),
            Kind::F64 => self.map_f64(f64_of(x), f64_of(y)),
            Kind::Pair | Kind::Quad => x,
        };
        if !self.is_ranked() {
            return number;
        }
        let rank = self.rank(number);
        match self.value() {
            Kind::Quad => [rank[0], rank[1], j, 0],
            Kind::Pair if self.is_arg() => [rank[0], j, 0, 0],
            _ => rank,
        }
    }

    fn map_f32(&self, x: f32, y: f32) -> Words {
        let mapped = match self.map {
            Map::Identity => x,
            Map::Square | Map::Norm => x * x,
            Map::Abs => x.abs(),
            Map::Scale(bits) => x * f32::from_bits(bits),
            Map::NonZero => return [u32::from(x != 0.0), 0, 0, 0],
            Map::Product | Map::ConjugateProduct => x * y,
            Map::Distance if x.is_nan() || y.is_nan() => f32::NAN,
            Map::Distance => {
                if x == y {
                    0.0
                } else {
                    (x - y).abs()
                }
            }
            Map::Custom(_) => panic!("text of the caller's has no mirror"),
        };
        [mapped.to_bits(), 0, 0, 0]
    }

    fn map_integer(&self, x: u32, y: u32) -> Words {
        let signed = self.input == Kind::I32;
        let mapped = match self.map {
            Map::Identity => x,
            Map::Square | Map::Norm => x.wrapping_mul(x),
            Map::Abs => {
                if signed {
                    (x as i32).wrapping_abs() as u32
                } else {
                    x
                }
            }
            Map::NonZero => u32::from(x != 0),
            Map::Product | Map::ConjugateProduct => x.wrapping_mul(y),
            Map::Distance => {
                if signed {
                    (x as i32).abs_diff(y as i32)
                } else {
                    x.abs_diff(y)
                }
            }
            Map::Scale(_) | Map::Custom(_) => panic!("no such map of integers has a mirror"),
        };
        [mapped, 0, 0, 0]
    }

    fn map_complex(&self, x: Complex32, y: Complex32) -> Words {
        let words = |z: Complex32| [z.re.to_bits(), z.im.to_bits(), 0, 0];
        match self.map {
            Map::Identity => words(x),
            Map::Square => words(x * x),
            Map::Scale(bits) => words(x * f32::from_bits(bits)),
            Map::NonZero => [u32::from(x != Complex32::ZERO), 0, 0, 0],
            Map::Norm => [x.norm_sqr().to_bits(), 0, 0, 0],
            Map::Product => words(x * y),
            Map::ConjugateProduct => words(x.conj() * y),
            Map::Distance => {
                // Equal parts, infinite ones too, are 0 apart.
                let apart = |a: f32, b: f32| if a == b { 0.0 } else { a - b };
                let is_nan = [x.re, x.im, y.re, y.im].iter().any(|part| part.is_nan());
                let distance = if is_nan { f32::NAN } else { apart(x.re, y.re).hypot(apart(x.im, y.im)) };
                [distance.to_bits(), 0, 0, 0]
            }
            Map::Abs | Map::Custom(_) => panic!("no such map of complex numbers has a mirror"),
        }
    }

    fn map_f64(&self, x: f64, y: f64) -> Words {
        words_of(match self.map {
            Map::Identity => x,
            Map::Square | Map::Norm => x * x,
            Map::Abs => x.abs(),
            Map::Scale(bits) => x * f64::from(f32::from_bits(bits)),
            Map::NonZero => return [u32::from(x != 0.0), 0, 0, 0],
            Map::Product | Map::ConjugateProduct => x * y,
            Map::Distance => {
                if x == y {
                    0.0
                } else {
                    (x - y).abs()
                }
            }
            Map::Custom(_) => panic!("text of the caller's has no mirror"),
        })
    }

    fn rank(&self, number: Words) -> Words {
        let flip = |rank: u64, bits: u32| {
            let all = u64::MAX >> (64 - bits);
            if matches!(self.fold, Fold::Min | Fold::ArgMin) { !rank & all } else { rank }
        };
        match self.mapped() {
            Kind::F64 => {
                let x = f64_of(number);
                let bits = x.to_bits();
                let ordered = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
                let rank = if x.is_nan() { u64::MAX } else { flip(ordered, 64) };
                [(rank >> 32) as u32, rank as u32, 0, 0]
            }
            Kind::F32 => {
                let x = f32_of(number);
                let bits = x.to_bits();
                let ordered = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
                [if x.is_nan() { u32::MAX } else { flip(ordered.into(), 32) as u32 }, 0, 0, 0]
            }
            Kind::I32 => [flip(u64::from(number[0] ^ 1 << 31), 32) as u32, 0, 0, 0],
            _ => [flip(number[0].into(), 32) as u32, 0, 0, 0],
        }
    }

    fn unrank(&self, rank: Words) -> Words {
        let flips = matches!(self.fold, Fold::Min | Fold::ArgMin);
        match self.mapped() {
            Kind::F64 => {
                let rank = u64::from(rank[0]) << 32 | u64::from(rank[1]);
                let ordered = if flips { !rank } else { rank };
                let bits = if ordered >> 63 == 1 { ordered & (u64::MAX >> 1) } else { !ordered };
                words_of(if rank == u64::MAX { f64::from_bits(0x7ff8 << 48) } else { f64::from_bits(bits) })
            }
            mapped => {
                let ordered = if flips { !rank[0] } else { rank[0] };
                let bits = match mapped {
                    Kind::F32 if rank[0] == u32::MAX => NAN,
                    Kind::F32 if ordered >> 31 == 1 => ordered & (u32::MAX >> 1),
                    Kind::F32 => !ordered,
                    Kind::I32 => ordered ^ 1 << 31,
                    _ => ordered,
                };
                [bits, 0, 0, 0]
            }
        }
    }

    /// `combine` on the host.
    ///
    /// # Panics
    /// If the operator has no mirror.
    #[must_use]
    pub fn combine(&self, a: Words, b: Words) -> Words {
        match (&self.fold, self.value()) {
            (Fold::Sum, Kind::F32) => [(f32_of(a) + f32_of(b)).to_bits(), 0, 0, 0],
            (Fold::Product, Kind::F32) => [(f32_of(a) * f32_of(b)).to_bits(), 0, 0, 0],
            (Fold::Sum, Kind::F64) => words_of(f64_of(a) + f64_of(b)),
            (Fold::Product, Kind::F64) => words_of(f64_of(a) * f64_of(b)),
            (Fold::Sum | Fold::Product, Kind::Complex) => {
                let [a, b] = [a, b].map(complex_of);
                let z = if self.fold == Fold::Sum { a + b } else { a * b };
                [z.re.to_bits(), z.im.to_bits(), 0, 0]
            }
            (Fold::Sum, _) => [a[0].wrapping_add(b[0]), 0, 0, 0],
            (Fold::Product, _) => [a[0].wrapping_mul(b[0]), 0, 0, 0],
            (Fold::Min | Fold::Max, Kind::F64) => {
                let [x, y] = [a, b].map(f64_of);
                let prefer = if self.fold == Fold::Max { y > x } else { y < x };
                if !x.is_nan() && (prefer || y.is_nan()) { b } else { a }
            }
            (Fold::Min | Fold::Max, _) => a.max(b),
            (Fold::ArgMin | Fold::ArgMax, kind) => {
                let words = if kind == Kind::Quad { 2 } else { 1 };
                if (&b[..words], a[words]) > (&a[..words], b[words]) { b } else { a }
            }
            (Fold::Custom { .. }, _) => panic!("text of the caller's has no mirror"),
        }
    }

    /// `nothing` on the host.
    #[must_use]
    pub fn nothing(&self) -> Words {
        match (&self.fold, self.value()) {
            (Fold::Product, Kind::F32 | Kind::Complex) => [1f32.to_bits(), 0, 0, 0],
            (Fold::Product, Kind::F64) => words_of(1.0),
            (Fold::Product, _) => [1, 0, 0, 0],
            (Fold::ArgMin | Fold::ArgMax, Kind::Quad) => [0, 0, u32::MAX, 0],
            (Fold::ArgMin | Fold::ArgMax, _) => [0, u32::MAX, 0, 0],
            (Fold::Custom { identity: [a, b], .. }, _) => [*a, *b, 0, 0],
            _ => [0; 4],
        }
    }

    /// `finish` on the host.
    #[must_use]
    pub fn finish(&self, v: Words) -> Words {
        if self.is_arg() {
            return [if self.value() == Kind::Quad { v[2] } else { v[1] }, 0, 0, 0];
        }
        let v = if self.is_ranked() { self.unrank(v) } else { v };
        match (self.finish, self.mapped()) {
            (Finish::Identity, _) => v,
            (Finish::Mean(count), Kind::F64) => words_of(f64_of(v) / f64::from(count)),
            (Finish::Mean(count), Kind::Complex) => {
                let z = complex_of(v) / count as f32;
                [z.re.to_bits(), z.im.to_bits(), 0, 0]
            }
            (Finish::Mean(count), _) => [(f32_of(v) / count as f32).to_bits(), 0, 0, 0],
            (Finish::Root, Kind::F64) => words_of(f64_of(v).sqrt()),
            (Finish::Root, _) => [f32_of(v).sqrt().to_bits(), 0, 0, 0],
        }
    }
}

fn f32_of(words: Words) -> f32 {
    f32::from_bits(words[0])
}

fn complex_of(words: Words) -> Complex32 {
    Complex32::new(f32::from_bits(words[0]), f32::from_bits(words[1]))
}

fn f64_of(words: Words) -> f64 {
    f64::from_bits(u64::from(words[1]) << 32 | u64::from(words[0]))
}

fn words_of(x: f64) -> Words {
    [x.to_bits() as u32, (x.to_bits() >> 32) as u32, 0, 0]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operator(input: Kind, fold: Fold) -> Operator {
        Operator { input, map: Map::Identity, fold, finish: Finish::Identity, rounded: false }
    }

    #[test]
    fn ranks_follow_the_order_of_floats_and_lead_back() {
        let ordered = [f32::NEG_INFINITY, f32::MIN, -1.0, -f32::MIN_POSITIVE / 4.0, -0.0, 0.0, 1e-40, 1.0, f32::MAX, f32::INFINITY];
        for (fold, rising) in [(Fold::Max, true), (Fold::Min, false)] {
            let operator = operator(Kind::F32, fold);
            let ranks: Vec<u32> = ordered.iter().map(|x| operator.map([x.to_bits(), 0, 0, 0], [0; 4], 0)[0]).collect();
            assert!(ranks.windows(2).all(|pair| (pair[0] < pair[1]) == rising), "{ranks:x?}");
            for (x, &rank) in ordered.iter().zip(&ranks) {
                assert_eq!(operator.finish([rank, 0, 0, 0])[0], x.to_bits());
            }
            // Every NaN is the same one, and wins.
            for nan in [0x7fc0_0001, 0xffc0_0002, 0x7f80_0001] {
                let rank = operator.map([nan, 0, 0, 0], [0; 4], 0);
                assert!(ranks.iter().all(|&other| other < rank[0]));
                assert_eq!(operator.finish(rank)[0], NAN);
            }
        }
    }

    #[test]
    fn ranks_of_64_bits_do_too() {
        let ordered = [f64::NEG_INFINITY, -1.5, -1e-320, -0.0, 0.0, 1e-320, 1.0 + f64::EPSILON, f64::INFINITY, f64::NAN];
        for (fold, rising) in [(Fold::Max, true), (Fold::Min, false)] {
            let operator = operator(Kind::F64, fold);
            let ranks: Vec<Words> = ordered.iter().map(|&x| operator.map(words_of(x), [0; 4], 0)).collect();
            assert!(ranks[..8].windows(2).all(|pair| (pair[0] < pair[1]) == rising), "{ranks:x?}");
            assert!(ranks[..8].iter().all(|rank| *rank < ranks[8]));
            for (x, &rank) in ordered[..8].iter().zip(&ranks) {
                assert_eq!(f64_of(operator.finish(rank)).to_bits(), x.to_bits());
            }
        }
    }

    #[test]
    fn the_first_of_equals_is_found_in_any_order() {
        let operator = operator(Kind::I32, Fold::ArgMin);
        let values = [3, -7i32, 5, -7, -7];
        let mapped: Vec<Words> = (0..).zip(values).map(|(j, x)| operator.map([x as u32, 0, 0, 0], [0; 4], j)).collect();
        let forward = mapped.iter().fold(operator.nothing(), |a, &b| operator.combine(a, b));
        let backward = mapped.iter().rev().fold(operator.nothing(), |a, &b| operator.combine(a, b));
        assert_eq!((operator.finish(forward)[0], operator.finish(backward)[0]), (1, 1));
    }

    #[test]
    fn integer_sums_wrap() {
        let sum = operator(Kind::I32, Fold::Sum);
        assert_eq!(sum.combine([i32::MAX as u32, 0, 0, 0], [1, 0, 0, 0])[0], i32::MIN as u32);
    }

    #[test]
    fn nothing_does_nothing() {
        for kind in [Kind::F32, Kind::I32, Kind::U32, Kind::Complex, Kind::F64] {
            for fold in [Fold::Sum, Fold::Product, Fold::Min, Fold::Max, Fold::ArgMin, Fold::ArgMax] {
                if kind == Kind::Complex && !matches!(fold, Fold::Sum | Fold::Product) {
                    continue;
                }
                let operator = operator(kind, fold);
                for x in [[0; 4], [0x3f80_0000, 0x4000_0000, 0, 0], [0x40e0_0000, 0x3ff0_0000, 0, 0]] {
                    let value = operator.map(x, [0; 4], 7);
                    assert_eq!(operator.combine(operator.nothing(), value), value, "{operator:?}");
                    assert_eq!(operator.combine(value, operator.nothing()), value, "{operator:?}");
                }
            }
        }
    }

    #[test]
    fn complex_numbers_keep_their_conventions() {
        let [x, y] = [Complex32::new(1.0, 2.0), Complex32::new(3.0, -1.0)];
        let words = |z: Complex32| [z.re.to_bits(), z.im.to_bits(), 0, 0];
        let product = |map| {
            let operator = Operator { map, ..operator(Kind::Complex, Fold::Sum) };
            complex_of(operator.map(words(x), words(y), 0))
        };
        assert_eq!(product(Map::Product), x * y);
        assert_eq!(product(Map::ConjugateProduct), x.conj() * y);
    }
}
