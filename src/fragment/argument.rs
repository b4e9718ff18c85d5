//! What a fragment can know of the value that it maps.

/// A name that a fragment may use.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Argument {
    /// `value`.
    Value,
    /// `i0`, …: the index on an axis.
    Index(usize),
    /// `batch`.
    Batch,
    /// `n0`, …: the length of an axis.
    Length(usize),
    /// `k0`, …: the signed frequency.
    Frequency(usize),
    /// `f0`, …: the signed frequency in cycles per sample.
    Cycles(usize),
}

impl Argument {
    /// All names for arrays of this rank.
    pub fn all(rank: usize, spectrum: bool) -> impl Iterator<Item = Self> {
        let everywhere = (0..rank).flat_map(|axis| [Self::Index(axis), Self::Length(axis)]);
        let of_spectra = (0..if spectrum { rank } else { 0 }).flat_map(|axis| [Self::Frequency(axis), Self::Cycles(axis)]);
        [Self::Value, Self::Batch].into_iter().chain(everywhere).chain(of_spectra)
    }

    /// The name in WGSL.
    pub fn name(self) -> String {
        match self {
            Self::Value => "value".to_owned(),
            Self::Index(axis) => format!("i{axis}"),
            Self::Batch => "batch".to_owned(),
            Self::Length(axis) => format!("n{axis}"),
            Self::Frequency(axis) => format!("k{axis}"),
            Self::Cycles(axis) => format!("f{axis}"),
        }
    }

    /// The type in WGSL of every name but `value`.
    pub fn wgsl_type(self) -> &'static str {
        match self {
            Self::Value | Self::Index(_) | Self::Batch | Self::Length(_) => "u32",
            Self::Frequency(_) => "i32",
            Self::Cycles(_) => "f32",
        }
    }
}
