//! The shapes of reductions, for arrays of the crate `ndarray`.

use super::Reduction;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::plan::{Arrangement, Shaped};

impl<T: Element, O: Element> Shaped for Reduction<T, O> {
    fn arrays(&self) -> Result<[Arrangement; 2]> {
        let core = &self.core;
        core.shape.elements("reduction", core.batch)?;
        let axes = core.shape.axes(core.axes.as_deref()).map_err(|why| Error::unsupported(core, why))?;
        let extents = core.shape.extents();
        let kept: Vec<usize> = (0..extents.len()).filter(|axis| !axes.contains(axis)).map(|axis| extents[axis]).collect();
        let input = match core.input {
            None => Arrangement::dense(extents, core.batch),
            Some(layout) => {
                Arrangement::placed(extents.iter().copied().chain([core.batch]), &layout.placed("input", core.shape, core.batch)?)
            }
        };
        Ok([input, Arrangement::dense(&kept, core.batch)])
    }
}
