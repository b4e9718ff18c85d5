//! Convolutions of streams.

use wasm_bindgen::prelude::*;
use wgpu_fft::signal::{ConvolveStream, StreamConvolve};
use wgpu_fft::{Gpu, View};

use crate::array::WasmArray;
use crate::error::{Result, thrown};
use crate::gpu::WasmGpu;

/// A convolution that remembers what it was given.
#[wasm_bindgen]
pub struct WasmStream {
    stream: ConvolveStream,
    gpu: Gpu,
}

#[wasm_bindgen]
impl WasmGpu {
    /// Begins a convolution of blocks, with larger partitions of so many blocks, or by the rules.
    pub fn stream(
        &self,
        block: u32,
        taps: u32,
        channels: u32,
        kernel_for_each: bool,
        larger: Option<Vec<u32>>,
        kernel: &[f32],
    ) -> Result<WasmStream> {
        let spec = StreamConvolve::new(block as usize, taps as usize).channels(channels as usize);
        let spec = if kernel_for_each { spec.kernel_for_each() } else { spec };
        let larger = larger.map(|larger| larger.into_iter().map(|blocks| blocks as usize).collect::<Vec<_>>());
        let spec = larger.into_iter().fold(spec, StreamConvolve::larger);
        let stream = spec.stream(&self.planner, kernel).map_err(|error| thrown(&error))?;
        Ok(WasmStream { stream, gpu: self.gpu().clone() })
    }
}

#[wasm_bindgen]
impl WasmStream {
    #[wasm_bindgen(getter)]
    pub fn spec(&self) -> String {
        self.stream.spec().to_string()
    }

    /// The taps of a partition and how many there are, for each length.
    #[wasm_bindgen(getter)]
    pub fn partitions(&self) -> Vec<u32> {
        self.stream.partitions().into_iter().flatten().map(|count| count as u32).collect()
    }

    /// Submits the next block.
    pub fn submit(&mut self, input: &WasmArray, output: &WasmArray) -> Result<()> {
        let mut submit = || {
            let [input, output] = [input, output].map(|array| View::<f32>::new(&array.buffer, 0, array.bytes / 4));
            let (input, output) = (input?, output?);
            self.gpu.submit(|encoder| self.stream.encode(encoder, input, output))
        };
        submit().map(drop).map_err(|error| thrown(&error))
    }

    pub fn reset(&mut self) -> Result<()> {
        self.stream.reset().map_err(|error| thrown(&error))
    }

    #[wasm_bindgen(js_name = setKernel)]
    pub fn set_kernel(&mut self, kernel: &[f32]) -> Result<()> {
        self.stream.set_kernel(kernel).map_err(|error| thrown(&error))
    }
}
