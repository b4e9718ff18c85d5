//! Buffers.

use wasm_bindgen::prelude::*;
use wgpu_fft::{View, wgpu};

use crate::error::{Result, thrown};

/// A buffer on the device, and how many of its bytes are an array. What they mean is known to
/// JavaScript and to plans.
#[wasm_bindgen]
pub struct WasmArray {
    pub(crate) buffer: wgpu::Buffer,
    pub(crate) bytes: usize,
}

#[wasm_bindgen]
impl WasmArray {
    /// The `GPUBuffer`.
    #[wasm_bindgen(getter)]
    pub fn buffer(&self) -> JsValue {
        self.buffer.as_webgpu().map_or(JsValue::UNDEFINED, |buffer| buffer.into())
    }
}

/// An array that a binding holds on to.
pub(crate) struct Held {
    buffer: wgpu::Buffer,
    bytes: usize,
}

impl Held {
    pub fn of(array: &WasmArray) -> Self {
        Self { buffer: array.buffer.clone(), bytes: array.bytes }
    }

    pub fn view(&self) -> Result<View<'_, u8>> {
        View::new(&self.buffer, 0, self.bytes).map_err(|error| thrown(&error))
    }
}
