//! Fourier transforms.

mod banks;
mod lower;
mod recipe;
mod roots;
mod stages;

use std::fmt;
use std::str::FromStr;

use num_complex::Complex32;

pub use recipe::{Exchange, Recipe, Registers, Roots, RowRecipe};

use crate::error::{Error, Result};
use crate::gpu::DeviceProfile;
use crate::plan::{Placement, Program, Spec};
use crate::shape::{Batched, Shape};

/// Sign of the exponent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// exp(-2πi·…), from positions to frequencies.
    Forward,
    /// exp(+2πi·…), from frequencies to positions.
    Inverse,
}

/// Factor on every output, with n the number of elements of one transform (of all its axes).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Scale {
    /// 1, as in rustfft and FFTW: forward and inverse together multiply by n.
    #[default]
    One,
    /// 1/n, as in NumPy's inverse.
    InvLen,
    /// 1/√n, which makes the transform unitary.
    InvSqrtLen,
}

/// Discrete Fourier transform of complex numbers to complex numbers, of one or two axes.
///
/// # Definition
/// For one axis of length n, and for each row of the batch,
/// X\[k\] = s · Σⱼ x\[j\] · exp(∓2πi·jk/n), j, k = 0 … n-1, with - forward and + inverse, and s the [`Scale`]. For two axes R × C,
/// X\[k, l\] = s · Σⱼ Σₘ x\[j, m\] · exp(∓2πi·(jk/R + ml/C)). Frequencies are in the usual order: 0, 1, …, then the negative ones.
///
/// # Shapes
/// | shape | input | output | output, [`transposed`](Self::transposed) |
/// |---|---|---|---|
/// | `n`, batch b | b × n | b × n | – |
/// | `[R, C]`, batch b | b × R × C | b × R × C | b × C × R |
///
/// Dense, row-major, slowest axis first. Each axis is a power of two that fits one pass through workgroup memory: 4096 on every WebGPU
/// device, 8192 with 32 KiB.
///
/// # Accuracy
/// Relative two-norm error against f64 at most u·√log₂n, u = 2⁻²⁴; measured at most about 0.7 of that, and 1.1 to 1.3 times the error of rustfft's own
/// f32 transform. Roots of unity come from tables computed in f64, so no adapter's sine matters. NaN and infinities go through to the outputs that depend on them.
///
/// # Determinism
/// Equal bits for equal plans on one adapter. Adapters differ by rounding where they fuse multiplications and additions.
///
/// # Cost
/// One axis: one dispatch that reads and writes the array once. Two axes: four dispatches (row FFTs, transpose, row FFTs, transpose) and a
/// workspace of the array's size; three if the spectrum stays transposed. An axis of length 1 costs nothing.
///
/// # Errors
/// From planning: [`Error::Empty`], [`Error::Unsupported`] for a rank of 3 or a length that is no power of two, [`Error::LimitExceeded`] with the
/// longest possible row, [`Error::UnfitRecipe`] for a recipe given by hand.
///
/// # Sources
/// J. W. Cooley and J. W. Tukey, Math. Comp. 19 (1965) 297; C. Van Loan, Computational Frameworks for the Fast Fourier Transform, SIAM 1992.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub struct C2c {
    shape: Shape,
    batch: usize,
    direction: Direction,
    scale: Scale,
    placement: Placement,
    transposed: bool,
}

/// A specification that has been checked, with lengths as the device counts.
struct Geometry {
    /// Elements of the whole batch.
    elements: u32,
    /// Elements of one transform.
    n: u32,
    /// Both axes, if both are longer than 1.
    matrix: Option<[u32; 2]>,
}

impl C2c {
    fn new(shape: Shape, direction: Direction) -> Self {
        Self { shape, batch: 1, direction, scale: Scale::One, placement: Placement::OutOfPlace, transposed: false }
    }

    /// The transform with exp(-2πi·…).
    pub fn forward(shape: impl Into<Shape>) -> Self {
        Self::new(shape.into(), Direction::Forward)
    }

    /// The transform with exp(+2πi·…). With the default [`Scale::One`] it undoes [`forward`](Self::forward) up to a factor n.
    pub fn inverse(shape: impl Into<Shape>) -> Self {
        Self::new(shape.into(), Direction::Inverse)
    }

    /// Transforms `count` arrays that follow one another.
    pub fn batch(mut self, count: usize) -> Self {
        self.batch = count;
        self
    }

    /// The factor on every output.
    pub fn scale(mut self, scale: Scale) -> Self {
        self.scale = scale;
        self
    }

    /// The output takes the place of the input: use [`Plan::encode_in_place`](crate::Plan::encode_in_place).
    pub fn in_place(mut self) -> Self {
        self.placement = Placement::InPlace;
        self
    }

    /// Leaves the output of two axes transposed, which saves the last step. An inverse transform of the shape with its axes exchanged, transposed as
    /// well, leads back.
    pub fn transposed(mut self) -> Self {
        self.transposed = true;
        self
    }

    fn geometry(&self) -> Result<Geometry> {
        let elements = self.shape.elements("FFT", self.batch)?;
        if self.shape.rank() > 2 {
            let what = format!("an FFT of rank {}", self.shape.rank());
            return Err(Error::Unsupported { what, why: "this version transforms one or two axes".to_owned() });
        }
        if let Some(extent) = self.shape.extents().iter().find(|extent| !extent.is_power_of_two()) {
            let why = format!("this version transforms powers of two; the next is {}", extent.next_power_of_two());
            return Err(Error::Unsupported { what: format!("an FFT of length {extent}"), why });
        }
        let matrix = match *self.shape.extents() {
            [r, c] if r > 1 && c > 1 => Some([r as u32, c as u32]),
            _ => None,
        };
        Ok(Geometry { elements: elements as u32, n: (elements / self.batch) as u32, matrix })
    }

    fn factor(&self, n: u32) -> f32 {
        match self.scale {
            Scale::One => 1.0,
            Scale::InvLen => (1.0 / f64::from(n)) as f32,
            Scale::InvSqrtLen => (1.0 / f64::from(n).sqrt()) as f32,
        }
    }
}

impl Spec for C2c {
    type Input = Complex32;
    type Output = Complex32;
    type Recipe = Recipe;

    fn design(&self, profile: &DeviceProfile) -> Result<Recipe> {
        recipe::design(self, profile)
    }

    fn lower(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
        lower::lower(self, recipe, profile)
    }
}

/// `c2c fwd 512x512 x4 1/n in-place transposed`, with only what is not the default.
impl fmt::Display for C2c {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = if self.direction == Direction::Forward { "fwd" } else { "inv" };
        write!(f, "c2c {direction} {}", Batched(self.shape, self.batch))?;
        f.write_str(match self.scale {
            Scale::One => "",
            Scale::InvLen => " 1/n",
            Scale::InvSqrtLen => " 1/sqrt(n)",
        })?;
        f.write_str(if self.placement == Placement::InPlace { " in-place" } else { "" })?;
        f.write_str(if self.transposed { " transposed" } else { "" })
    }
}

/// Reads what [`Display`](fmt::Display) prints.
impl FromStr for C2c {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = |why: &str| Error::Parse { what: "specification", text: text.to_owned(), why: why.to_owned() };
        let mut words = text.split_whitespace();
        if words.next() != Some("c2c") {
            return Err(wrong("it begins with c2c"));
        }
        let direction = match words.next() {
            Some("fwd") => Direction::Forward,
            Some("inv") => Direction::Inverse,
            _ => return Err(wrong("the direction is fwd or inv")),
        };
        let shape = words.next().unwrap_or_default().parse()?;
        let mut spec = Self::new(shape, direction);
        for word in words {
            spec = match word {
                "1/n" => spec.scale(Scale::InvLen),
                "1/sqrt(n)" => spec.scale(Scale::InvSqrtLen),
                "in-place" => spec.in_place(),
                "transposed" => spec.transposed(),
                _ => match word.strip_prefix('x').and_then(|count| count.parse().ok()) {
                    Some(count) => spec.batch(count),
                    None => {
                        return Err(wrong(&format!("`{word}` is neither a batch (x4), a scale (1/n, 1/sqrt(n)), in-place nor transposed")));
                    }
                },
            };
        }
        Ok(spec)
    }
}
