//! Reductions of NaN, infinities and zeros, compared with NumPy's.

use wgpu_fft::Error;
use wgpu_fft::dynamic::AnySpec;

use crate::harness::*;
use crate::numpy_results::{Line, Runner};

impl Runner for Device {
    fn run(&self, spec: &AnySpec, input: &[u8]) -> Option<Vec<u8>> {
        match spec.plan(&self.planner, None) {
            Err(Error::Unsupported { .. }) => None,
            plan => Some(plan.unwrap_or_else(|error| panic!("{spec}: {error}")).run(&[input]).unwrap().wait().unwrap()),
        }
    }
}

/// Lists share the plans, so a device compiles few texts.
pub fn numpys_results(device: &Device) {
    let device = &device.alone();
    // Of each operator and shape, all lists; slow compilers get one shape.
    let own = |line: &&Line| device.is_thorough() || line.text.ends_with(" 37");
    let count = Line::all().iter().filter(own).filter(|line| line.check(device)).count();
    println!("{}: {count} reductions", device.name);
    assert!(count > 150);
}
