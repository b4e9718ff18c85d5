//! Buffers.

use wasm_bindgen::prelude::*;
use wgpu_fft::dynamic::Operand;
use wgpu_fft::plan::TextureLevel;
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

/// A level of a texture on the device, from a layer on.
#[wasm_bindgen]
pub struct WasmTexture {
    pub(crate) texture: wgpu::Texture,
    pub(crate) level: u32,
    pub(crate) layer: u32,
}

#[wasm_bindgen]
impl WasmTexture {
    /// The `GPUTexture`.
    #[wasm_bindgen(getter)]
    pub fn texture(&self) -> JsValue {
        self.texture.as_webgpu().map_or(JsValue::UNDEFINED, |texture| texture.into())
    }
}

/// An array or a texture that a binding holds on to.
pub(crate) enum HeldOperand {
    Array(Held),
    Texture { texture: wgpu::Texture, level: u32, layer: u32 },
}

impl HeldOperand {
    pub fn of_texture(own: &WasmTexture) -> Self {
        Self::Texture { texture: own.texture.clone(), level: own.level, layer: own.layer }
    }

    /// wgpu takes a texture that was wrapped twice for two. If this is the other's texture, it gets the
    /// other's handle.
    pub fn unite(&mut self, other: &Self) {
        let raw = |texture: &wgpu::Texture| texture.as_webgpu().map(JsValue::from);
        if let (Self::Texture { texture: own, .. }, Self::Texture { texture, .. }) = (self, other)
            && raw(own).is_some_and(|own| Some(own) == raw(texture))
        {
            own.clone_from(texture);
        }
    }

    pub fn operand(&self) -> Result<Operand<'_>> {
        Ok(match self {
            Self::Array(array) => Operand::Bytes(array.view()?),
            Self::Texture { texture, level, layer } => Operand::Texture(TextureLevel::of(texture).mip_level(*level).layer(*layer)),
        })
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
