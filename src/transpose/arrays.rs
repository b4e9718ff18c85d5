//! The shapes of permutations, for arrays of the crate `ndarray`.

use super::Permute;
use crate::element::Element;
use crate::error::Result;
use crate::plan::{Arrangement, Shaped};

impl<T: Element> Shaped for Permute<T> {
    fn arrays(&self) -> Result<[Arrangement; 2]> {
        let (core, geometry) = (&self.core, self.core.geometry()?);
        let output = core.output_shape()?;
        let sides = [(core.shape, &geometry.input), (output, &geometry.output)];
        Ok(sides.map(|(shape, placed)| Arrangement::placed(shape.extents().iter().copied().chain([core.batch]), placed)))
    }
}
