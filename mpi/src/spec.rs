//! What to compute, without any decision on how and on how many ranks.

use std::fmt;

use wgpu_fft::fft::{self, Direction, Scale};
use wgpu_fft::tune::Searchable;
use wgpu_fft::{Complex32, Element, Error, Result, Shape, Spec};

/// The order of the frequencies. The default saves an exchange.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Order {
    /// Slabs of axis 1, with axis 0 the fastest: \[n₁, n₀\] or \[n₁, n₂, n₀\].
    #[default]
    Transposed,
    /// Slabs of axis 0, with the axes in the same order as the positions.
    Natural,
}

/// The kind of transform.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    C2c(Direction),
    R2c,
    C2r,
}

impl Kind {
    /// Whether the transform goes from positions to frequencies.
    pub fn is_forward(self) -> bool {
        matches!(self, Self::C2c(Direction::Forward) | Self::R2c)
    }
}

/// The specification of a distributed transform.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Problem {
    pub(crate) kind: Kind,
    shape: Shape,
    batch: usize,
    pub(crate) scale: Scale,
    pub(crate) order: Order,
}

/// A problem in the numbers that the other modules use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Geometry {
    /// Number of units of axis 0: lines, planes, or transforms of a batch.
    pub rows: usize,
    /// Rows of reals or complex numbers in a unit of axis 0.
    pub rows_in_unit: usize,
    /// Elements of a unit of axis 0 on the side of the positions.
    pub positions: usize,
    /// Number of units of axis 1 on the side of the frequencies; 0 if nothing is exchanged.
    pub columns: usize,
    /// Frequencies for each index of axes 0 and 1.
    pub inner: usize,
}

impl Geometry {
    /// Number of frequencies in a unit of axis 0.
    pub fn frequencies(&self) -> usize {
        self.columns.max(1) * self.inner
    }

    /// Whether an axis is divided among the slabs, so that an exchange is needed.
    pub fn is_distributed(&self) -> bool {
        self.columns > 0
    }
}

impl Problem {
    fn new(kind: Kind, shape: Shape) -> Self {
        Self { kind, shape, batch: 1, scale: Scale::One, order: Order::Transposed }
    }

    /// # Errors
    /// For a shape without elements, a shape of more than three axes, or a batch of arrays with
    /// more than one axis.
    pub(crate) fn geometry(&self) -> Result<Geometry> {
        let unsupported = |what: &str, why: &str| Error::Unsupported { what: format!("{what} (`{self}`)"), why: why.to_owned() };
        self.shape.check()?;
        let extents = self.shape.extents();
        if extents.contains(&0) || self.batch == 0 {
            return Err(Error::Empty { what: "a distributed FFT", shape: self.to_string() });
        }
        if extents.len() > 3 {
            return Err(unsupported("a distributed FFT of 4 axes", "there may be at most 3"));
        }
        if extents.len() > 1 && self.batch > 1 {
            return Err(unsupported(
                "a batch of several axes",
                "only a batch of one-dimensional arrays can be divided; run other arrays one after the other",
            ));
        }
        // The bytes of positions and frequencies together.
        let bytes = extents.iter().chain([&self.batch]).try_fold(16usize, |bytes, extent| bytes.checked_mul(*extent));
        if bytes.is_none_or(|bytes| bytes > isize::MAX as usize) {
            return Err(unsupported("an array larger than the address space", "its size in bytes must fit a usize"));
        }
        let last = extents[extents.len() - 1];
        let half = if matches!(self.kind, Kind::C2c(_)) { last } else { last / 2 + 1 };
        Ok(match *extents {
            [n] => Geometry { rows: self.batch, rows_in_unit: 1, positions: n, columns: 0, inner: half },
            [rows, n] => Geometry { rows, rows_in_unit: 1, positions: n, columns: half, inner: 1 },
            [rows, columns, n] => Geometry { rows, rows_in_unit: columns, positions: columns * n, columns, inner: half },
            _ => return Err(unsupported("a shape without axes", "there must be 1 to 3 axes")),
        })
    }

    /// The shape of a unit of axis 0.
    fn unit(&self) -> Shape {
        let extents = self.shape.extents();
        Shape::from(if extents.len() == 1 { extents } else { &extents[1..] })
    }

    /// The transform along axis 0, for `lines` lines.
    pub(crate) fn columns(&self, lines: usize) -> fft::C2c {
        let n = self.shape.extents()[0];
        let spec = if self.kind.is_forward() { fft::C2c::forward(n) } else { fft::C2c::inverse(n) };
        spec.batch(lines).scale(self.scale)
    }
}

/// `c2c fwd 17x5 1/n natural`, where defaults are left out.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            Kind::C2c(Direction::Forward) => "c2c fwd ",
            Kind::C2c(Direction::Inverse) => "c2c inv ",
            Kind::R2c => "r2c fwd ",
            Kind::C2r => "c2r inv ",
        })?;
        self.shape.fmt(f)?;
        if self.batch != 1 {
            write!(f, " x{}", self.batch)?;
        }
        f.write_str(match self.scale {
            Scale::One => "",
            Scale::InvLen => " 1/n",
            Scale::InvSqrtLen => " 1/sqrt(n)",
        })?;
        f.write_str(if self.order == Order::Natural { " natural" } else { "" })
    }
}

/// A private supertrait that seals [`Transform`].
pub trait Sealed {
    /// The specification, as [`Display`](fmt::Display) prints it.
    fn problem(&self) -> &Problem;
}

/// A distributed transform: [`C2c`], [`R2c`] or [`C2r`].
pub trait Transform: Sealed + Clone + fmt::Display {
    /// Element type of the input.
    type Input: Element;
    /// Element type of the output.
    type Output: Element;
    /// The transform of the axes that lie completely in a slab of axis 0.
    type Rows: fft::Adapt + Searchable + Spec<Input = Self::Input, Output = Self::Output>;

    /// The transform of `units` units of axis 0.
    ///
    /// # Errors
    /// For a shape without axes.
    fn rows(&self, units: usize) -> Result<Self::Rows>;
}

macro_rules! transforms {
    ($($(#[doc = $doc:literal])* $name:ident: $input:ty => $output:ty { $($(#[doc = $make_doc:literal])* $make:ident = $kind:expr),* })*) => { $(
        $(#[doc = $doc])*
        #[derive(Clone, PartialEq, Eq, Hash, Debug)]
        #[must_use]
        pub struct $name(Problem);

        impl $name {
            $(
                $(#[doc = $make_doc])*
                pub fn $make(shape: impl Into<Shape>) -> Self {
                    Self(Problem::new($kind, shape.into()))
                }
            )*

            /// Transforms `count` one-dimensional arrays, which are divided among the ranks.
            pub fn batch(mut self, count: usize) -> Self {
                self.0.batch = count;
                self
            }

            /// Sets the factor on every output.
            pub fn scale(mut self, scale: Scale) -> Self {
                self.0.scale = scale;
                self
            }

            /// Sets the order of the frequencies. The default is [`Order::Transposed`].
            pub fn order(mut self, order: Order) -> Self {
                self.0.order = order;
                self
            }
        }

        impl Sealed for $name {
            fn problem(&self) -> &Problem {
                &self.0
            }
        }

        impl Transform for $name {
            type Input = $input;
            type Output = $output;
            type Rows = fft::$name;

            fn rows(&self, units: usize) -> Result<Self::Rows> {
                let unit = self.0.unit();
                let rows = if self.0.kind.is_forward() { fft::$name::of_forward(unit) } else { fft::$name::of_inverse(unit) };
                Ok(rows.batch(units).scale(self.0.scale))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )* };
}

/// The local transform in either direction; real transforms have only one.
trait Directed {
    fn of_forward(shape: Shape) -> Self;
    fn of_inverse(shape: Shape) -> Self;
}

macro_rules! directed {
    ($($name:ident: $forward:ident, $inverse:ident);*) => { $(
        impl Directed for fft::$name {
            fn of_forward(shape: Shape) -> Self {
                Self::$forward(shape)
            }

            fn of_inverse(shape: Shape) -> Self {
                Self::$inverse(shape)
            }
        }
    )* };
}

directed!(C2c: forward, inverse; R2c: forward, forward; C2r: inverse, inverse);

transforms! {
    /// Discrete Fourier transform from complex numbers to complex numbers, along one to three axes,
    /// as [`wgpu_fft::fft::C2c`] defines it.
    C2c: Complex32 => Complex32 {
        /// The forward transform, with exp(-2πi·…), from slabs of positions to slabs of
        /// frequencies.
        forward = Kind::C2c(Direction::Forward),
        /// The inverse transform, with exp(+2πi·…), from slabs of frequencies to slabs of
        /// positions. Its input has the form of the output of [`forward`](Self::forward) with the
        /// same [`Order`].
        inverse = Kind::C2c(Direction::Inverse)
    }
    /// Discrete Fourier transform from real numbers to complex numbers, along one to three axes, as
    /// [`wgpu_fft::fft::R2c`] defines it. The last axis has n/2+1 frequencies.
    R2c: f32 => Complex32 {
        /// The forward transform, with exp(-2πi·…), from slabs of positions to slabs of
        /// frequencies.
        forward = Kind::R2c
    }
    /// Discrete Fourier transform from complex numbers to real numbers, along one to three axes, as
    /// [`wgpu_fft::fft::C2r`] defines it. The shape is that of the reals.
    C2r: Complex32 => f32 {
        /// The inverse transform, with exp(+2πi·…), from slabs of frequencies to slabs of
        /// positions. Its input has the form of the output of [`R2c`] with the same [`Order`].
        inverse = Kind::C2r
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn geometries_are_those_of_the_documentation() {
        let of = |problem: &Problem| problem.geometry().unwrap();
        let (rows, rows_in_unit) = (12, 1);
        assert_eq!(of(&R2c::forward([12, 10]).0), Geometry { rows, rows_in_unit, positions: 10, columns: 6, inner: 1 });
        assert_eq!(of(&R2c::forward([12, 10, 14]).0), Geometry { rows, rows_in_unit: 10, positions: 140, columns: 10, inner: 8 });
        assert_eq!(of(&C2c::forward(10).batch(12).0), Geometry { rows, rows_in_unit, positions: 10, columns: 0, inner: 10 });
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert!(matches!(C2c::forward([3, 0]).0.geometry(), Err(Error::Empty { .. })));
        assert!(matches!(C2c::forward(3).batch(0).0.geometry(), Err(Error::Empty { .. })));
        for problem in [C2c::forward([1, 2, 3, 4]), C2c::forward([2, 3]).batch(2), C2c::forward([usize::MAX, usize::MAX])] {
            assert!(matches!(problem.0.geometry(), Err(Error::Unsupported { .. })), "{problem}");
        }
    }
}
