//! Turns a program into wgpu objects.

use std::collections::HashMap;
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Plan, Program, Spec};
use crate::error::Result;
use crate::gpu::Gpu;
use crate::kernels::{Access, Bind, Dispatch, Slot, Value};

/// A compute pipeline and the layout of its bindings.
#[derive(Debug)]
pub(super) struct Pipeline {
    pub pipeline: wgpu::ComputePipeline,
    pub layout: wgpu::BindGroupLayout,
}

/// What makes two pipelines the same: the whole text, not a kernel's name.
#[derive(PartialEq, Eq, Hash, Debug)]
struct Key {
    wgsl: String,
    overrides: Vec<(&'static str, Value)>,
}

/// Compiled pipelines, shared by the plans of a planner.
#[derive(Debug, Default)]
pub(super) struct Pipelines(Mutex<HashMap<Key, Arc<Pipeline>>>);

impl Pipelines {
    pub fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn get(&self, gpu: &Gpu, dispatch: &Dispatch) -> Result<Arc<Pipeline>> {
        let key = Key { wgsl: dispatch.wgsl().into_owned(), overrides: dispatch.overrides.clone() };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = known.get(&key) {
            return Ok(Arc::clone(pipeline));
        }
        let pipeline = gpu.caught("pipeline compilation", 0, || compile(gpu.device(), dispatch, &key.wgsl))?;
        Ok(Arc::clone(known.entry(key).or_insert(Arc::new(pipeline))))
    }
}

fn compile(device: &wgpu::Device, dispatch: &Dispatch, wgsl: &str) -> Pipeline {
    let label = Some(dispatch.kernel.name);
    let source = wgpu::ShaderSource::Wgsl(wgsl.into());
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label, source });
    let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    };
    let mut entries = vec![entry(0, wgpu::BufferBindingType::Uniform)];
    entries.extend(
        dispatch.binds.iter().map(|bind| entry(bind.binding, wgpu::BufferBindingType::Storage { read_only: bind.access == Access::Read })),
    );
    let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries });
    let pipeline_layout =
        device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor { label, bind_group_layouts: &[Some(&layout)], immediate_size: 0 });
    let constants: Vec<(&str, f64)> = dispatch.overrides.iter().map(|&(name, value)| (name, value.as_f64())).collect();
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label,
        layout: Some(&pipeline_layout),
        module: &module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions { constants: &constants, ..Default::default() },
        cache: None,
    });
    Pipeline { pipeline, layout }
}

/// A dispatch on the device.
#[derive(Debug)]
pub(super) struct Step {
    pub label: String,
    pub pipeline: Arc<Pipeline>,
    pub grid: [u32; 2],
    pub binds: Vec<Bind>,
    /// Where its `Params` are in the plan's uniform buffer.
    pub params: (u64, NonZeroU64),
}

/// The buffers of a plan's own.
#[derive(Debug)]
pub(super) struct Memory {
    pub params: wgpu::Buffer,
    pub workspaces: Vec<wgpu::Buffer>,
    pub tables: Vec<wgpu::Buffer>,
}

impl<S: Spec> Plan<S> {
    pub(super) fn build(gpu: &Gpu, pipelines: &Pipelines, spec: S, recipe: S::Recipe, program: Program) -> Result<Self> {
        let storage = wgpu::BufferUsages::STORAGE;
        let workspaces =
            program.workspaces.iter().map(|array| gpu.create_buffer("workspace", array.bytes(), storage)).collect::<Result<_>>()?;
        let tables = program
            .tables
            .iter()
            .enumerate()
            .map(|(i, table)| filled(gpu, "table", program.bytes(Slot::Table(i)), storage, bytemuck::cast_slice(&table.words)))
            .collect::<Result<_>>()?;

        let alignment = gpu.profile().uniform_alignment as usize;
        let mut params = Vec::new();
        let mut steps = Vec::new();
        for dispatch in &program.dispatches {
            params.resize(params.len().next_multiple_of(alignment), 0);
            let size = NonZeroU64::new(dispatch.params.len() as u64).expect("every kernel has parameters");
            steps.push(Step {
                label: dispatch.label.clone(),
                pipeline: pipelines.get(gpu, dispatch)?,
                grid: [dispatch.grid.x, dispatch.grid.y],
                binds: dispatch.binds.clone(),
                params: (params.len() as u64, size),
            });
            params.extend_from_slice(&dispatch.params);
        }
        let params = filled(gpu, "parameters", params.len() as u64, wgpu::BufferUsages::UNIFORM, &params)?;
        Ok(Self { gpu: gpu.clone(), spec, recipe, program, steps, memory: Memory { params, workspaces, tables } })
    }
}

fn filled(gpu: &Gpu, what: &'static str, size: u64, usage: wgpu::BufferUsages, data: &[u8]) -> Result<wgpu::Buffer> {
    let buffer = gpu.create_buffer(what, size, usage | wgpu::BufferUsages::COPY_DST)?;
    gpu.caught("upload of constants", size, || gpu.queue().write_buffer(&buffer, 0, data))?;
    Ok(buffer)
}
