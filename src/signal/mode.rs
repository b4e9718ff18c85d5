//! Which part of a result is wanted.

use crate::text::words;

/// The part of a convolution or a correlation that is computed, along each axis of n elements and a
/// kernel of k. The
/// names are those of SciPy and NumPy.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Mode {
    /// n elements, centred. Printed as `same`.
    #[default]
    Same,
    /// n + k - 1 elements: all to which an element of the array contributes. Printed as `full`.
    Full,
    /// n - k + 1 elements: all that depend on no element outside. Printed as `valid`.
    Valid,
}

impl Mode {
    pub(crate) const ALL: [Self; 3] = [Self::Same, Self::Full, Self::Valid];
}

words!(Mode { Same = "same", Full = "full", Valid = "valid" });
