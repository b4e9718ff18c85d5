//! Devices.

use std::sync::Arc;

use wasm_bindgen::prelude::*;
use wgpu_fft::dynamic::format_named;
use wgpu_fft::{Gpu, GpuOptions, Planner, wgpu};

use crate::array::{WasmArray, WasmTexture};
use crate::error::{Result, refused, thrown};

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

    /// A level of a texture from a layer on, where the texture is described by its width, height, layers,
    /// levels and samples. JavaScript sees to it that the device returns one that is there already.
    pub fn texture(&self, format: &str, size: &[u32], volume: bool, usage: u32, level: u32, layer: u32) -> Result<WasmTexture> {
        let format = format_named(format).ok_or_else(|| refused("unsupported", &format!("a texture of the format `{format}`")))?;
        let &[width, height, depth_or_array_layers, mip_level_count, sample_count] = size else {
            return Err(refused("other", "a texture has five sizes"));
        };
        let descriptor = wgpu::TextureDescriptor {
            label: Some("wgpu-fft texture"),
            size: wgpu::Extent3d { width, height, depth_or_array_layers },
            mip_level_count,
            sample_count,
            dimension: if volume { wgpu::TextureDimension::D3 } else { wgpu::TextureDimension::D2 },
            format,
            usage: wgpu::TextureUsages::from_bits_truncate(usage),
            view_formats: &[],
        };
        Ok(WasmTexture { texture: self.gpu().device().create_texture(&descriptor), level, layer })
    }

    /// Forgets all plans.
    pub fn clear(&self) {
        self.planner.clear();
    }
}
