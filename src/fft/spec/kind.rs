//! The kinds of transforms, their direction and their scale.

/// The sign of the exponent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// exp(-2πi·…), from positions to frequencies.
    Forward,
    /// exp(+2πi·…), from frequencies to positions.
    Inverse,
}

/// The factor on every output. Here n is the product of the lengths of all transformed axes; for
/// real transforms these are the lengths in reals, and for axes with a
/// [`RealKind`](crate::fft::RealKind) the [logical lengths](crate::fft::RealKind::logical_length),
/// so that forward and inverse with 1/n undo one another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Scale {
    /// 1, as in rustfft and FFTW. Forward and inverse together multiply by n.
    #[default]
    One,
    /// 1/n, as in NumPy's inverse.
    InvLen,
    /// 1/√n, which makes the transform unitary.
    InvSqrtLen,
}

/// An end of a transform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    Input,
    Output,
}

/// The kind of transform.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::fft) enum Kind {
    C2c(Direction),
    R2c,
    C2r,
    /// Every axis is of a [`RealKind`].
    R2r,
    /// A transform, a fragment on its spectrum, and the inverse transform, along one axis.
    Filter {
        /// Between rows of reals. The fragment sees half of their spectrum.
        real: bool,
    },
}

impl Kind {
    pub(super) const ALL: [(Self, [&'static str; 2]); 7] = [
        (Self::C2c(Direction::Forward), ["c2c", "fwd"]),
        (Self::C2c(Direction::Inverse), ["c2c", "inv"]),
        (Self::R2c, ["r2c", "fwd"]),
        (Self::C2r, ["c2r", "inv"]),
        // The second word names the kinds of the axes.
        (Self::R2r, ["r2r", ""]),
        (Self::Filter { real: false }, ["filter", "complex"]),
        (Self::Filter { real: true }, ["filter", "real"]),
    ];

    pub(super) fn words(self) -> [&'static str; 2] {
        Self::ALL.into_iter().find(|(kind, _)| *kind == self).map_or(["", ""], |(_, words)| words)
    }
}
