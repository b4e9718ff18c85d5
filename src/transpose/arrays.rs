//! The shapes of permutations, for arrays of the crate `ndarray`.

use super::Permute;
use crate::element::Element;
use crate::error::Result;
use crate::plan::{Arrangement, Shaped};

impl<T: Element, O: Element> Shaped for Permute<T, O> {
    fn arrays(&self) -> Result<[Arrangement; 2]> {
        let (core, places) = (&self.core, self.core.geometry()?.places);
        let output = core.output_shape()?;
        let sides = [(core.shape, &places.input), (output, &places.output)];
        Ok(sides.map(|(shape, placed)| Arrangement::placed(shape.extents().iter().copied().chain([core.batch]), placed)))
    }
}
