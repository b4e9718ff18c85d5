//! The shapes of shifts, for arrays of the crate `ndarray`.

use super::spec::Roll;
use crate::element::Element;
use crate::error::Result;
use crate::plan::{Arrangement, Shaped};

impl<T: Element> Shaped for Roll<T> {
    fn arrays(&self) -> Result<[Arrangement; 2]> {
        self.core.problem()?;
        let array = Arrangement::dense(self.core.shape.extents(), self.core.batch);
        Ok([array.clone(), array])
    }
}
