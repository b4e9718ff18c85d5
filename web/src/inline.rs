//! Transforms for compute shaders of the caller's own.

use wasm_bindgen::prelude::*;
use wgpu_fft::fft::{Inline, InlineText};

use crate::error::{Result, thrown};

/// A text, and what it needs.
#[wasm_bindgen]
pub struct WasmInline(InlineText);

#[wasm_bindgen]
impl WasmInline {
    /// `twiddles_at` is empty, or a group and a binding.
    #[wasm_bindgen(constructor)]
    #[expect(clippy::too_many_arguments, reason = "each is an option of JavaScript")]
    pub fn new(
        n: u32,
        real: bool,
        lines: u32,
        invocations: Option<u32>,
        memory: Option<u32>,
        data: bool,
        name: &str,
        twiddles_at: &[u32],
    ) -> Result<Self> {
        let own = Inline::new(n as usize).lines(lines).name(name);
        let own = if real { own.real() } else { own };
        let own = if data { own.with_data() } else { own };
        let own = invocations.map_or(own.clone(), |count| own.invocations(count));
        let own = memory.map_or(own.clone(), |bytes| own.workgroup_memory(bytes));
        let own = if let &[group, binding] = twiddles_at { own.twiddles_at(group, binding) } else { own };
        own.generate().map(Self).map_err(|error| thrown(&error))
    }

    #[wasm_bindgen(getter)]
    pub fn wgsl(&self) -> String {
        self.0.wgsl.to_owned()
    }

    #[wasm_bindgen(getter)]
    pub fn twiddles(&self) -> Vec<f32> {
        self.0.twiddles.chunks_exact(4).map(|word| f32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
    }

    #[wasm_bindgen(getter)]
    pub fn invocations(&self) -> u32 {
        self.0.invocations
    }

    #[wasm_bindgen(getter)]
    pub fn is_even(&self) -> bool {
        self.0.is_even
    }

    #[wasm_bindgen(getter)]
    pub fn elements(&self) -> u32 {
        self.0.elements as u32
    }

    #[wasm_bindgen(getter)]
    pub fn workgroup_bytes(&self) -> u32 {
        self.0.workgroup_bytes
    }

    #[wasm_bindgen(getter)]
    pub fn registers(&self) -> u32 {
        self.0.registers
    }
}
