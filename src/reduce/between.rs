//! Reductions as parts of larger operations.

use std::any::TypeId;

use num_complex::Complex32;

use super::spec::Reduction;
use crate::error::Result;
use crate::fragment::{Form, Fragment};

/// A fragment, and the elements of the array that it is for.
type Mapping = (Fragment, Form, &'static str);

impl Reduction<Complex32, Complex32> {
    /// The same between arrays of such elements, as part of a larger operation.
    pub(crate) fn between(self, (load, array, element): Mapping, store: Option<Mapping>) -> Result<Reduction<f32, f32>> {
        let mut core = self.core.with_source(load, array, element)?;
        if let Some((store, array, element)) = store {
            core = core.with_sink(store, array, element, TypeId::of::<Complex32>())?;
        }
        Ok(Reduction::of(core))
    }
}
