//! Devices.

use std::sync::Arc;

use wasm_bindgen::prelude::*;
use wgpu_fft::{Gpu, GpuOptions, Planner, wgpu};

use crate::array::WasmArray;
use crate::error::{Result, thrown};

/// wgpu's way to the browser's `navigator.gpu`, or to what is there while this is made.
#[wasm_bindgen]
pub struct WasmInstance(wgpu::Instance);

#[wasm_bindgen]
impl WasmInstance {
    /// Looks at `navigator.gpu` at once, so that JavaScript can put something else there meanwhile.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = wgpu::Backends::BROWSER_WEBGPU;
        Self(wgpu::Instance::new(descriptor))
    }

    /// Opens a device: `power` is `high-performance`, `low-power` or nothing.
    pub async fn open(self, power: Option<String>) -> Result<WasmGpu> {
        let options = GpuOptions::default().instance(self.0);
        let options = match power.as_deref() {
            Some("high-performance") => options.power_preference(wgpu::PowerPreference::HighPerformance),
            Some("low-power") => options.power_preference(wgpu::PowerPreference::LowPower),
            _ => options,
        };
        let gpu = Gpu::request(&options).await.map_err(|error| thrown(&error))?;
        Ok(WasmGpu { planner: Arc::new(Planner::new(&gpu)) })
    }
}

/// A device, and its plans.
#[wasm_bindgen]
pub struct WasmGpu {
    pub(crate) planner: Arc<Planner>,
}

impl WasmGpu {
    pub(crate) fn gpu(&self) -> &Gpu {
        self.planner.gpu()
    }
}

#[wasm_bindgen]
impl WasmGpu {
    /// The `GPUDevice`.
    #[wasm_bindgen(getter)]
    pub fn device(&self) -> JsValue {
        self.gpu().device().as_webgpu().map_or(JsValue::UNDEFINED, |device| device.into())
    }

    /// Whether the adapter computes on the processor.
    #[wasm_bindgen(getter)]
    pub fn fallback(&self) -> bool {
        self.gpu().profile().is_cpu()
    }

    /// An array of so many bytes in a buffer with this size and these usages. JavaScript may see to
    /// it that the device returns a buffer that is there already.
    pub fn array(&self, bytes: u32, size: f64, usage: u32) -> WasmArray {
        let usage = wgpu::BufferUsages::from_bits_truncate(usage);
        let descriptor = wgpu::BufferDescriptor { label: Some("wgpu-fft array"), size: size as u64, usage, mapped_at_creation: false };
        WasmArray { buffer: self.gpu().device().create_buffer(&descriptor), bytes: bytes as usize }
    }

    /// Submits what is queued.
    pub fn flush(&self) -> Result<()> {
        self.gpu().flush().map_err(|error| thrown(&error))
    }

    /// Forgets all plans.
    pub fn clear(&self) {
        self.planner.clear();
    }
}
