//! Plans, and what they are bound to.

use wasm_bindgen::prelude::*;
use wgpu_fft::dynamic::{AnyPlan, AnySpec};
use wgpu_fft::low_level::enqueue_alone;
use wgpu_fft::plan::Placement;
use wgpu_fft::{Bound, ElementType, FragmentArrays, Gpu};

use crate::array::{Held, HeldOperand, WasmArray, WasmTexture};
use crate::error::{Result, thrown};
use crate::fragment::{Declared, mapped};
use crate::gpu::WasmGpu;

/// A plan.
#[wasm_bindgen]
pub struct WasmPlan {
    plan: AnyPlan,
    declared: Vec<Declared>,
    gpu: Gpu,
}

#[wasm_bindgen]
impl WasmGpu {
    /// The plan for a specification, by a recipe or by the rules, with what is fused into its loads
    /// and stores. Errors of the browser are waited for.
    pub async fn plan(&self, spec: String, recipe: Option<String>, map_input: JsValue, map_output: JsValue) -> Result<WasmPlan> {
        let fail = |error| thrown(&error);
        let mut spec: AnySpec = spec.parse().map_err(fail)?;
        let mut declared = Vec::new();
        if let Some(map) = mapped(&map_input)? {
            spec = spec.map_input(map.fragment, map.element).map_err(fail)?;
            declared.extend(map.arrays);
        }
        if let Some(map) = mapped(&map_output)? {
            spec = spec.map_output(map.fragment, map.element).map_err(fail)?;
            declared.extend(map.arrays);
        }
        let plan = spec.plan_async(&self.planner, recipe.as_deref()).await.map_err(fail)?;
        Ok(WasmPlan { plan, declared, gpu: self.gpu().clone() })
    }
}

#[wasm_bindgen]
impl WasmPlan {
    #[wasm_bindgen(getter)]
    pub fn spec(&self) -> String {
        self.plan.spec()
    }

    #[wasm_bindgen(getter)]
    pub fn recipe(&self) -> String {
        self.plan.recipe()
    }

    #[wasm_bindgen(getter)]
    pub fn program(&self) -> String {
        self.plan.program().to_string()
    }

    #[wasm_bindgen(getter, js_name = inPlace)]
    pub fn in_place(&self) -> bool {
        self.plan.program().placement() == Placement::InPlace
    }

    #[wasm_bindgen(getter, js_name = inputElement)]
    pub fn input_element(&self) -> String {
        self.plan.input().name().to_owned()
    }

    #[wasm_bindgen(getter, js_name = outputElement)]
    pub fn output_element(&self) -> String {
        self.plan.output().name().to_owned()
    }

    /// The numbers of elements of the inputs.
    #[wasm_bindgen(getter, js_name = inputLengths)]
    pub fn input_lengths(&self) -> Vec<u32> {
        self.plan.program().inputs().iter().map(|array| array.len as u32).collect()
    }

    #[wasm_bindgen(getter, js_name = outputLength)]
    pub fn output_length(&self) -> u32 {
        self.plan.program().output().len as u32
    }

    /// Begins to bind arrays.
    pub fn binding(&self) -> WasmBinding {
        WasmBinding::default()
    }

    /// Binds the arrays of a binding.
    pub fn bind(&self, mut binding: WasmBinding) -> Result<WasmBound> {
        if let Some(output) = &binding.output {
            binding.inputs.iter_mut().for_each(|input| input.unite(output));
        }
        let inputs = binding.inputs.iter().map(HeldOperand::operand).collect::<Result<Vec<_>>>()?;
        let output = binding.output.as_ref().ok_or_else(|| crate::error::refused("wrong-inputs", "no output is bound"))?.operand()?;
        let mut arrays = FragmentArrays::new();
        for (name, array) in &binding.arrays {
            let declared = self.declared.iter().find(|declared| declared.name == *name);
            let element = declared.map_or(ElementType::of::<u8>(), |declared| declared.element);
            arrays = arrays.with_bytes(name.clone(), element, array.view()?).map_err(|error| thrown(&error))?;
        }
        let bound = self.plan.bind_operands(&inputs, output, &arrays).map_err(|error| thrown(&error))?;
        Ok(WasmBound { bound, gpu: self.gpu.clone() })
    }
}

/// Arrays for a plan, one after the other.
#[wasm_bindgen]
#[derive(Default)]
pub struct WasmBinding {
    inputs: Vec<HeldOperand>,
    output: Option<HeldOperand>,
    arrays: Vec<(String, Held)>,
}

#[wasm_bindgen]
impl WasmBinding {
    pub fn input(&mut self, array: &WasmArray) {
        self.inputs.push(HeldOperand::Array(Held::of(array)));
    }

    pub fn output(&mut self, array: &WasmArray) {
        self.output = Some(HeldOperand::Array(Held::of(array)));
    }

    #[wasm_bindgen(js_name = inputTexture)]
    pub fn input_texture(&mut self, texture: &WasmTexture) {
        self.inputs.push(HeldOperand::of_texture(texture));
    }

    #[wasm_bindgen(js_name = outputTexture)]
    pub fn output_texture(&mut self, texture: &WasmTexture) {
        self.output = Some(HeldOperand::of_texture(texture));
    }

    pub fn array(&mut self, name: String, array: &WasmArray) {
        self.arrays.push((name, Held::of(array)));
    }
}

/// A plan with its arrays.
#[wasm_bindgen]
pub struct WasmBound {
    bound: Bound,
    gpu: Gpu,
}

#[wasm_bindgen]
impl WasmBound {
    /// Queues the operation, and returns whether it is time for a submission.
    pub fn enqueue(&self) -> Result<bool> {
        enqueue_alone(&self.bound).map_err(|error| thrown(&error))
    }

    /// Submits the operation, after what is queued.
    pub fn submit(&self) -> Result<()> {
        self.gpu.submit(|encoder| self.bound.encode(encoder)).map(drop).map_err(|error| thrown(&error))
    }
}
