//! Transforms from reals to reals along one axis: cosine and sine transforms, Hartley's, and
//! spectra in half-complex form. What each computes, and which Fourier transform it is made of.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

use super::kind::End;
use crate::error::Result;
use crate::fft::roots::root;
use crate::text::{Text, join, words};

/// A transform from n reals to n reals along one axis. All sums are over j = 0 … n-1, and the
/// definitions are those of SciPy and FFTW.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum RealKind {
    /// X\[k\] = x\[0\] + (-1)ᵏ·x\[n-1\] + 2·Σ x\[j\]·cos(πjk/(n-1)), the sum without j = 0 and
    /// j = n-1. It needs n ≥ 2, and its logical length is 2·(n-1).
    DctI,
    /// X\[k\] = 2·Σ x\[j\]·cos(πk(2j+1)/2n), "the" cosine transform. Logical length 2n.
    DctII,
    /// X\[k\] = x\[0\] + 2·Σ x\[j\]·cos(πj(2k+1)/2n), the sum without j = 0: the inverse of
    /// [`DctII`](Self::DctII) up to the factor 2n. Logical length 2n.
    DctIII,
    /// X\[k\] = 2·Σ x\[j\]·cos(π(2j+1)(2k+1)/4n). Logical length 2n.
    DctIV,
    /// X\[k\] = 2·Σ x\[j\]·sin(π(j+1)(k+1)/(n+1)). Logical length 2·(n+1).
    DstI,
    /// X\[k\] = 2·Σ x\[j\]·sin(π(2j+1)(k+1)/2n). Logical length 2n.
    DstII,
    /// X\[k\] = (-1)ᵏ·x\[n-1\] + 2·Σ x\[j\]·sin(π(j+1)(2k+1)/2n), the sum without j = n-1: the
    /// inverse of [`DstII`](Self::DstII) up to the factor 2n. Logical length 2n.
    DstIII,
    /// X\[k\] = 2·Σ x\[j\]·sin(π(2j+1)(2k+1)/4n). Logical length 2n.
    DstIV,
    /// X\[k\] = Σ x\[j\]·(cos(2πjk/n) + sin(2πjk/n)), the discrete Hartley transform. Logical
    /// length n.
    Hartley,
    /// The spectrum of n reals as n reals: Re X\[0\], Re X\[1\], …, Re X\[⌊n/2⌋\], then the
    /// imaginary parts from the highest frequency down to Im X\[1\]. Those of X\[0\], and of
    /// X\[n/2\] for even n, are zero and have no place. Logical length n.
    ToHalfComplex,
    /// The inverse of [`ToHalfComplex`](Self::ToHalfComplex) up to the factor n. Logical length n.
    OfHalfComplex,
}

/// What Fourier transform a transform from reals to reals is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::fft) struct Inner {
    /// Its length.
    pub n: u32,
    /// The end at which it has reals; at the other one it has half of their spectrum. `None` if it
    /// takes complex numbers to complex numbers.
    pub reals: Option<End>,
}

impl RealKind {
    /// All kinds.
    pub const ALL: [Self; 11] = [
        Self::DctI,
        Self::DctII,
        Self::DctIII,
        Self::DctIV,
        Self::DstI,
        Self::DstII,
        Self::DstIII,
        Self::DstIV,
        Self::Hartley,
        Self::ToHalfComplex,
        Self::OfHalfComplex,
    ];

    /// The kind that undoes this one, up to the logical length as a factor.
    #[must_use]
    pub fn inverse(self) -> Self {
        match self {
            Self::DctII => Self::DctIII,
            Self::DctIII => Self::DctII,
            Self::DstII => Self::DstIII,
            Self::DstIII => Self::DstII,
            Self::ToHalfComplex => Self::OfHalfComplex,
            Self::OfHalfComplex => Self::ToHalfComplex,
            own @ (Self::DctI | Self::DctIV | Self::DstI | Self::DstIV | Self::Hartley) => own,
        }
    }

    /// The factor by which a transform of n reals and its inverse together multiply them.
    #[must_use]
    pub fn logical_length(self, n: usize) -> usize {
        match self {
            Self::DctI => 2 * n.saturating_sub(1),
            Self::DstI => 2 * (n + 1),
            Self::Hartley | Self::ToHalfComplex | Self::OfHalfComplex => n,
            _ => 2 * n,
        }
    }

    /// Whether it is a cosine or sine transform of type II or III, between a spectrum and numbers
    /// at quarters of its waves.
    pub(in crate::fft) fn is_type_ii_or_iii(self) -> bool {
        matches!(self, Self::DctII | Self::DctIII | Self::DstII | Self::DstIII)
    }

    pub(in crate::fft) fn is_sine(self) -> bool {
        matches!(self, Self::DstI | Self::DstII | Self::DstIII | Self::DstIV)
    }

    /// The Fourier transform that n reals need.
    pub(in crate::fft) fn inner(self, n: u32) -> Inner {
        let (forward, inverse) = (Some(End::Input), Some(End::Output));
        match self {
            Self::DctI => Inner { n: 2 * (n - 1), reals: forward },
            Self::DstI => Inner { n: 2 * (n + 1), reals: forward },
            Self::DctIV | Self::DstIV if n.is_multiple_of(2) => Inner { n: n / 2, reals: None },
            Self::DctII | Self::DstII | Self::DctIV | Self::DstIV | Self::Hartley | Self::ToHalfComplex => Inner { n, reals: forward },
            Self::DctIII | Self::DstIII | Self::OfHalfComplex => Inner { n, reals: inverse },
        }
    }

    /// The factor on all results that is left to the scale of the whole transform.
    pub(in crate::fft) fn factor(self, n: u32) -> f64 {
        match self {
            Self::DctIV | Self::DstIV if n % 2 == 1 => SQRT_2,
            Self::DctII | Self::DstII | Self::DctIV | Self::DstIV => 2.0,
            _ => 1.0,
        }
    }

    /// The factor of x\[j\] in X\[k\], from the definition; with `orthogonal`, also those that make
    /// the matrix a multiple of an orthogonal one.
    pub(in crate::fft) fn coefficient(self, n: usize, j: usize, k: usize, orthogonal: bool) -> f64 {
        let (n, j, k) = (n as u64, j as u64, k as u64);
        let last = n - 1;
        let cos = |times: u64, of: u64| root(times % of, of).re;
        let sin = |times: u64, of: u64| -root(times % of, of).im;
        let halved = |is_end: bool| if is_end { 1.0 } else { 2.0 };
        let own = match self {
            Self::DctI => halved(j == 0 || j == last) * cos(j * k, 2 * last),
            Self::DctII => 2.0 * cos(k * (2 * j + 1), 4 * n),
            Self::DctIII => halved(j == 0) * cos(j * (2 * k + 1), 4 * n),
            Self::DctIV => 2.0 * cos((2 * j + 1) * (2 * k + 1), 8 * n),
            Self::DstI => 2.0 * sin((j + 1) * (k + 1), 2 * (n + 1)),
            Self::DstII => 2.0 * sin((2 * j + 1) * (k + 1), 4 * n),
            Self::DstIII => halved(j == last) * sin((j + 1) * (2 * k + 1), 4 * n),
            Self::DstIV => 2.0 * sin((2 * j + 1) * (2 * k + 1), 8 * n),
            Self::Hartley => cos(j * k, n) + sin(j * k, n),
            Self::ToHalfComplex if 2 * k <= n => cos(j * k, n),
            // The DFT's sign of the imaginary part is negative.
            Self::ToHalfComplex => -sin(j * (n - k), n),
            Self::OfHalfComplex if j == 0 || 2 * j == n => cos(j * k, n),
            Self::OfHalfComplex if 2 * j < n => 2.0 * cos(j * k, n),
            Self::OfHalfComplex => -2.0 * sin((n - j) * k, n),
        };
        let [of_input, of_output] = if orthogonal { self.orthogonal_factors(n as u32) } else { Default::default() };
        let factor =
            |ends: [Option<u32>; 2], factor: f64, i: u64| if ends.iter().flatten().any(|&end| u64::from(end) == i) { factor } else { 1.0 };
        own * factor(of_input, SQRT_2, j) * factor(of_output, FRAC_1_SQRT_2, k)
    }

    /// The elements that are multiplied by √2 before, and by 1/√2 after an orthogonal transform.
    pub(in crate::fft) fn orthogonal_factors(self, n: u32) -> [[Option<u32>; 2]; 2] {
        let last = n - 1;
        match self {
            Self::DctI => [[Some(0), Some(last)]; 2],
            Self::DctII => [[None; 2], [Some(0), None]],
            Self::DctIII => [[Some(0), None], [None; 2]],
            Self::DstII => [[None; 2], [Some(last), None]],
            Self::DstIII => [[Some(last), None], [None; 2]],
            _ => [[None; 2]; 2],
        }
    }
}

words!(RealKind {
    DctI = "dct1", DctII = "dct2", DctIII = "dct3", DctIV = "dct4",
    DstI = "dst1", DstII = "dst2", DstIII = "dst3", DstIV = "dst4",
    Hartley = "hartley", ToHalfComplex = "r2hc", OfHalfComplex = "hc2r",
});

/// Reads the kind of one axis; `-` for none.
pub(in crate::fft) fn parse_kind(text: Text<'_>, name: &str) -> Result<Option<RealKind>> {
    if name == "-" {
        return Ok(None);
    }
    let unknown = || text.wrong(name, format!("expected one of {}", join(&RealKind::ALL, ", ")));
    RealKind::ALL.into_iter().find(|kind| kind.to_string() == name).map(Some).ok_or_else(unknown)
}
