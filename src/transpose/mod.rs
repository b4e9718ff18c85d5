//! Transposes of matrices.

mod lower;
mod recipe;

use std::fmt;
use std::marker::PhantomData;

pub use recipe::Recipe;

use crate::element::{Element, plain_data};
use crate::error::{Error, Result};
use crate::gpu::DeviceProfile;
use crate::kernels::element::Width;
use crate::kernels::transpose::Matrices;
use crate::plan::{Program, Spec};
use crate::shape::{Batched, Shape};

/// Transpose of one matrix or of a batch of them.
///
/// # Definition
/// Y\[b, c, r\] = X\[b, r, c\] for r in 0 … R-1, c in 0 … C-1.
///
/// # Shapes
/// | | |
/// |---|---|
/// | input | b × R × C |
/// | output | b × C × R |
///
/// Dense, row-major. Every R and C of at least 1; elements of 4, 8 or 16 bytes.
///
/// # Accuracy, Determinism
/// Equal bits, NaNs and denormal numbers included.
///
/// # Cost
/// One dispatch that reads and writes each element once. No workspace.
///
/// # Errors
/// From planning: [`Error::Empty`], [`Error::Unsupported`] for elements of another size, [`Error::LimitExceeded`],
/// [`Error::UnfitRecipe`] for a recipe given by hand.
///
/// # Sources
/// G. Ruetsch and P. Micikevicius, Optimizing Matrix Transpose in CUDA, NVIDIA 2009.
#[must_use]
pub struct Transpose<T> {
    shape: Shape,
    batch: usize,
    element: PhantomData<T>,
}

plain_data!(Transpose { shape, batch });

impl<T: Element> Transpose<T> {
    /// The transpose of a matrix of `[rows, columns]`.
    pub fn new(shape: [usize; 2]) -> Self {
        Self { shape: shape.into(), batch: 1, element: PhantomData }
    }

    /// Transposes `count` matrices that follow one another.
    pub fn batch(mut self, count: usize) -> Self {
        self.batch = count;
        self
    }

    fn width(&self) -> Result<Width> {
        let bytes = size_of::<T>();
        Width::of_bytes(bytes).ok_or_else(|| {
            let what = format!("a transpose of elements of {bytes} bytes ({})", T::NAME);
            Error::Unsupported { what, why: "elements have 4, 8 or 16 bytes".to_owned() }
        })
    }

    fn matrices(&self) -> Result<Matrices> {
        self.shape.elements("transpose", self.batch)?;
        let extents = self.shape.extents();
        Ok(Matrices { rows: extents[0] as u32, columns: extents[1] as u32, batch: self.batch as u32 })
    }
}

impl<T: Element> crate::plan::Sealed for Transpose<T> {}

impl<T: Element> Spec for Transpose<T> {
    type Input = T;
    type Output = T;
    type Recipe = Recipe;

    fn design(&self, profile: &DeviceProfile) -> Result<Recipe> {
        let Matrices { rows, columns, .. } = self.matrices()?;
        Ok(Recipe::for_matrices(rows, columns, self.width()?, profile))
    }

    fn lower(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
        lower::lower(self, recipe, profile)
    }
}

/// `transpose f32 1080x1920 x4`.
impl<T: Element> fmt::Display for Transpose<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "transpose {} {}", T::NAME, Batched(self.shape, self.batch))
    }
}
