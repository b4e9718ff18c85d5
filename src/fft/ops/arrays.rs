//! The shapes of transforms, for arrays of the crate `ndarray`.

use super::builders::{C2c, C2r, R2c, R2r};
use crate::element::Element;
use crate::error::Result;
use crate::fft::spec::transform::Transform;
use crate::plan::{Arrangement, Shaped};

impl Transform {
    fn arrays(&self) -> Result<[Arrangement; 2]> {
        let geometry = self.geometry()?;
        let sides = [(&geometry.input_extents, &geometry.input), (&geometry.output_extents, &geometry.output)];
        Ok(sides.map(|(extents, placed)| Arrangement::placed(extents.iter().map(|&extent| extent as usize), placed)))
    }
}

macro_rules! shaped {
    ($($name:ident),*) => { $(
        impl<I: Element, O: Element> Shaped for $name<I, O> {
            fn arrays(&self) -> Result<[Arrangement; 2]> {
                self.transform.arrays()
            }
        }
    )* };
}

shaped!(C2c, R2c, C2r, R2r);
