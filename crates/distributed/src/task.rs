//! Plans without their types.

use wgpu_fft::low_level::{self, Slot};
use wgpu_fft::{Bound, Plan, Result, Spec, View, wgpu};

/// A plan without its types.
pub(crate) trait Task: Send + Sync {
    /// Binds the plan to the beginning of buffers, which may be larger than its arrays.
    fn bind(&self, inputs: &[&wgpu::Buffer], output: &wgpu::Buffer) -> Result<Bound>;

    /// The bytes of each input and of the output, rounded up to a multiple of 4 as buffers require.
    fn bytes(&self) -> [u64; 2];
}

impl<S: Spec> Task for Plan<S> {
    fn bind(&self, inputs: &[&wgpu::Buffer], output: &wgpu::Buffer) -> Result<Bound> {
        let view = |buffer| View::<S::Input>::new(buffer, 0, self.input_len());
        let output = View::<S::Output>::new(output, 0, self.output_len())?;
        match inputs {
            [first, second] => Plan::bind(self, (view(first)?, view(second)?), output),
            _ => Plan::bind(self, view(inputs[0])?, output),
        }
    }

    fn bytes(&self) -> [u64; 2] {
        [Slot::Input(0), Slot::Output].map(|slot| low_level::bytes(self.program(), slot))
    }
}
