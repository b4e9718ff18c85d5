//! Reductions: many values to one.

mod lower;
mod recipe;

use std::fmt;
use std::marker::PhantomData;

pub use crate::kernels::reduce::operator::{Combine, Scalar};
pub use recipe::Recipe;

use crate::element::{Element, plain_data};
use crate::error::Result;
use crate::gpu::DeviceProfile;
use crate::kernels::reduce::operator::Operator;
use crate::plan::{Program, Spec};
use crate::shape::Shape;

/// A type whose values can be reduced: f32, i32 and u32.
pub trait Value: Element {
    /// The type in WGSL.
    const SCALAR: Scalar;
}

impl Value for f32 {
    const SCALAR: Scalar = Scalar::F32;
}

impl Value for i32 {
    const SCALAR: Scalar = Scalar::I32;
}

impl Value for u32 {
    const SCALAR: Scalar = Scalar::U32;
}

/// Sum, smallest or largest of the values of an array.
///
/// # Definition
/// y = x\[0\] ∘ x\[1\] ∘ … ∘ x\[n-1\], with ∘ one of +, min, max.
///
/// # Shapes
/// | | |
/// |---|---|
/// | input | n, at least 1 |
/// | output | 1 |
///
/// An array of no elements cannot be on the device, so n = 0 is [`Error::Empty`](crate::Error::Empty).
///
/// # Accuracy
/// Sums of f32: |s - ŝ| ≤ 2·u·d·Σ|x|, u = 2⁻²⁴, with d = log₂(workgroup) · dispatches the depth of the tree. The order differs from a sequential sum, and so
/// does the last bit. Sums of integers are exact modulo 2³². Min and max are one of the inputs, bit by bit: -0 is less than +0, and the first NaN of the
/// tree's order is the result if there is one.
///
/// # Determinism
/// Equal bits for equal recipes, on every adapter that rounds f32 additions as IEEE 754 does and keeps denormal numbers.
///
/// # Cost
/// The array is read once. With w invocations in a workgroup there are ⌈log_w n⌉ dispatches (4 Mi → 16 Ki → 64 → 1 for w = 256) and a workspace of about n/w
/// values.
///
/// # Errors
/// From planning: [`Error::Empty`](crate::Error::Empty), [`Error::LimitExceeded`](crate::Error::LimitExceeded), and
/// [`Error::UnfitRecipe`](crate::Error::UnfitRecipe) for a recipe given by hand.
///
/// # Sources
/// M. Harris, Optimizing Parallel Reduction in CUDA, NVIDIA 2007; for the bound, N. J. Higham, SIAM J. Sci. Comput. 14 (1993) 783.
#[must_use]
pub struct Reduce<T> {
    combine: Combine,
    len: usize,
    element: PhantomData<T>,
}

plain_data!(Reduce { combine, len });

impl<T: Value> Reduce<T> {
    fn new(combine: Combine, len: usize) -> Self {
        Self { combine, len, element: PhantomData }
    }

    /// The sum of `len` values; modulo 2³² for integers.
    pub fn sum(len: usize) -> Self {
        Self::new(Combine::Sum, len)
    }

    /// The smallest of `len` values.
    pub fn min(len: usize) -> Self {
        Self::new(Combine::Min, len)
    }

    /// The largest of `len` values.
    pub fn max(len: usize) -> Self {
        Self::new(Combine::Max, len)
    }

    fn operator(&self) -> Operator {
        Operator { combine: self.combine, scalar: T::SCALAR }
    }

    fn length(&self) -> Result<u32> {
        Ok(Shape::from(self.len).elements("reduction", 1)? as u32)
    }
}

impl<T: Value> crate::plan::Sealed for Reduce<T> {}

impl<T: Value> Spec for Reduce<T> {
    type Input = T;
    type Output = T;
    type Recipe = Recipe;

    fn design(&self, profile: &DeviceProfile) -> Result<Recipe> {
        self.length()?;
        Ok(Recipe::for_device(profile))
    }

    fn lower(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
        lower::lower(self, recipe, profile)
    }
}

/// `sum f32 4194304`.
impl<T: Value> fmt::Display for Reduce<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let combine = match self.combine {
            Combine::Sum => "sum",
            Combine::Min => "min",
            Combine::Max => "max",
        };
        write!(f, "{combine} {} {}", T::NAME, self.len)
    }
}
