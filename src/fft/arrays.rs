//! The shapes of transforms, for arrays of the crate `ndarray`.

use super::spec::{C2c, C2r, R2c};
use super::transform::Transform;
use crate::error::Result;
use crate::plan::{Arrangement, Shaped};

impl Transform {
    fn arrays(&self) -> Result<[Arrangement; 2]> {
        let geometry = self.geometry()?;
        let sides = [(&geometry.input_extents, &geometry.input), (&geometry.output_extents, &geometry.output)];
        Ok(sides.map(|(extents, placed)| Arrangement::placed(extents.iter().map(|&extent| extent as usize), placed)))
    }
}

impl Shaped for C2c {
    fn arrays(&self) -> Result<[Arrangement; 2]> {
        self.0.arrays()
    }
}

impl Shaped for R2c {
    fn arrays(&self) -> Result<[Arrangement; 2]> {
        self.0.arrays()
    }
}

impl Shaped for C2r {
    fn arrays(&self) -> Result<[Arrangement; 2]> {
        self.0.arrays()
    }
}
