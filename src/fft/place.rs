//! What an array holds between two passes, and where.

use crate::fft::spec::number::Number;
use crate::fragment::{Form, Texels};
use crate::wgsl::Type;

/// What an array holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Storage {
    Complex,
    Real,
    /// Complex or real numbers of 16 bits each.
    Half(Form),
    /// What a fragment of the caller's reads or writes.
    Other(Form),
}

impl Storage {
    /// The storage of such elements, for a transform of such numbers.
    pub fn of(form: Form, number: Number) -> Self {
        match form {
            form if form == number.complex_form() => Self::Complex,
            form if form == number.real_form() => Self::Real,
            form if form.is_half() => Self::Half(form),
            form => Self::Other(form),
        }
    }

    pub fn form(self, number: Number) -> Form {
        match self {
            Self::Complex => number.complex_form(),
            Self::Real => number.real_form(),
            Self::Half(form) | Self::Other(form) => form,
        }
    }

    pub fn texels(self) -> Option<Texels> {
        if let Self::Other(form) = self { form.texels() } else { None }
    }

    /// That of pairs of neighbours, where this is that of reals.
    pub fn of_pairs(self) -> Self {
        match self {
            Self::Real => Self::Complex,
            Self::Half(form) => Self::Half(form.of(2)),
            other => other,
        }
    }

    /// That of two neighbours, where this is that of complex numbers.
    pub fn of_twos(self) -> Option<Self> {
        match self {
            Self::Complex => Some(Self::Other(Form::COMPLEX.of(4))),
            Self::Half(form) if form.has(2) => Some(Self::Half(form.of(4))),
            _ => None,
        }
    }

    /// That of the same numbers in 32 bits.
    pub fn widened(self) -> Self {
        match self {
            Self::Half(form) if form.has(1) => Self::Real,
            Self::Half(_) => Self::Complex,
            other => other,
        }
    }

    /// Whether it holds reals that are stored one by one, though two of them share a word.
    pub fn shares_words(self) -> bool {
        matches!(self, Self::Half(form) if form.has(1))
    }

    pub fn value(self, number: Number) -> Type {
        match self {
            Self::Complex => number.complex(),
            Self::Real => number.real(),
            Self::Half(form) | Self::Other(form) => form.value(),
        }
    }
}

/// The place of index i: the sum of its digits, each times a stride.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Place {
    /// Base and stride of each lower digit, lowest first.
    pub low: Vec<(u32, u32)>,
    /// Stride of the remaining, highest digit.
    pub stride: u32,
}

impl Place {
    pub fn linear(stride: u32) -> Self {
        Self { low: Vec::new(), stride }
    }

    /// (i mod block) · inner + ⌊i / block⌋ · outer.
    pub fn blocked(block: u32, inner: u32, outer: u32) -> Self {
        if block == 1 { Self::linear(outer) } else { Self { low: vec![(block, inner)], stride: outer } }
    }

    /// The largest place of `count` indices.
    pub fn most(&self, count: u32) -> u64 {
        // The sum with every digit at its largest.
        let mut rest = count - 1;
        let mut sum = 0;
        for &(base, stride) in &self.low {
            sum += u64::from(rest.min(base - 1)) * u64::from(stride);
            rest /= base;
        }
        sum + u64::from(rest) * u64::from(self.stride)
    }

    /// The places of an index's twos among twos, where 2i and 2i + 1 are always neighbours and an
    /// even place is that of the first.
    pub fn of_twos(&self) -> Option<Self> {
        match self.low.split_first() {
            None => (self.stride == 1).then(|| self.clone()),
            Some((&(base, 1), higher)) if base.is_multiple_of(2) => {
                let rest = Self { low: higher.to_vec(), stride: self.stride }.among_twos()?;
                let lowest = (base > 2).then_some((base / 2, 1));
                Some(Self { low: lowest.into_iter().chain(rest.low).collect(), ..rest })
            }
            Some(_) => None,
        }
    }

    /// The places among twos, where all of them are even.
    pub fn among_twos(&self) -> Option<Self> {
        let halved = |stride: u32| stride.is_multiple_of(2).then_some(stride / 2);
        let low = self.low.iter().map(|&(base, stride)| Some((base, halved(stride)?))).collect::<Option<_>>()?;
        Some(Self { low, stride: halved(self.stride)? })
    }

    pub fn lowest_stride(&self) -> u32 {
        self.low.first().map_or(self.stride, |&(_, stride)| stride)
    }
}
