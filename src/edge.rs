//! How an array continues past its ends.

#[cfg(feature = "signal")]
use crate::error::{Error, Result};
use crate::text::words;

/// What filters, convolutions and frames take for the elements outside an array. For the row `a b c d`:
///
/// | | before | the row | behind |
/// |---|---|---|---|
/// | `Zero` | 0 0 0 0 | a b c d | 0 0 0 0 |
/// | `Wrap` | a b c d | a b c d | a b c d |
/// | `Reflect` | d c b a | a b c d | d c b a |
/// | `Mirror` | c d c b | a b c d | c b a b |
/// | `Nearest` | a a a a | a b c d | d d d d |
/// | `Odd` | 2a-d 2a-c 2a-b | a b c d | 2d-c 2d-b 2d-a |
///
/// Where a kernel reaches farther, wraps and reflections are repeated, but for those of `Odd`. With
/// `scipy.ndimage`, the first five are the modes `constant`, `wrap`, `reflect`, `mirror` and
/// `nearest`; with `scipy.signal.ShortTimeFFT`, `Zero`, `Nearest`, `Mirror` and `Odd` are the
/// paddings `zeros`, `edge`, `even` and `odd`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Edge {
    /// Zeros. Printed as `zero`.
    #[default]
    Zero,
    /// The array, periodically. Printed as `wrap`.
    Wrap,
    /// The array mirrored at its border, so that the first and last element come twice. Printed as
    /// `reflect`.
    Reflect,
    /// The array mirrored at its first and last element, which do not come twice. Printed as
    /// `mirror`.
    Mirror,
    /// The first and the last element. Printed as `nearest`.
    Nearest,
    /// As `Mirror`, and turned about the value of the first or last element, 2a - b in place of b.
    /// Printed as `odd`. Frames alone can have it (`signal::Stft`), where they reach less than
    /// an array past its ends; all else refuses it when it is planned.
    Odd,
}

impl Edge {
    /// Every edge that filters take. The first is the default.
    #[cfg(feature = "signal")]
    pub(crate) const ALL: [Self; 5] = [Self::Zero, Self::Wrap, Self::Reflect, Self::Mirror, Self::Nearest];

    /// Refuses an edge whose elements are not elements of the array.
    #[cfg(feature = "signal")]
    pub(crate) fn check_of_filter(self, spec: &impl std::fmt::Display) -> Result<()> {
        if Self::ALL.contains(&self) { Ok(()) } else { Err(Error::unsupported(spec, "its edge is odd, as only that of frames can be")) }
    }
}

words!(Edge { Zero = "zero", Wrap = "wrap", Reflect = "reflect", Mirror = "mirror", Nearest = "nearest", Odd = "odd" });
