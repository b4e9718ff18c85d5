//! How an array continues past its ends.

use crate::text::words;

/// What a filter takes for the elements outside an array. For the row `a b c d`:
///
/// | | before | the row | behind |
/// |---|---|---|---|
/// | `Zero` | 0 0 0 0 | a b c d | 0 0 0 0 |
/// | `Wrap` | a b c d | a b c d | a b c d |
/// | `Reflect` | d c b a | a b c d | d c b a |
/// | `Mirror` | c d c b | a b c d | c b a b |
/// | `Nearest` | a a a a | a b c d | d d d d |
///
/// Where a kernel reaches farther, wraps and reflections are repeated. With `scipy.ndimage`, these
/// are the modes `constant`, `wrap`, `reflect`, `mirror` and `nearest`.
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
}

impl Edge {
    /// Every edge. The first is the default.
    #[cfg(feature = "signal")]
    pub(crate) const ALL: [Self; 5] = [Self::Zero, Self::Wrap, Self::Reflect, Self::Mirror, Self::Nearest];
}

words!(Edge { Zero = "zero", Wrap = "wrap", Reflect = "reflect", Mirror = "mirror", Nearest = "nearest" });
