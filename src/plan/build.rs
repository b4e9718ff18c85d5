//! Builds the wgpu objects of a program.

use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;
#[cfg(not(target_arch = "wasm32"))]
use std::time::Instant;

#[cfg(target_arch = "wasm32")]
use web_time::Instant;

use super::once::{OnceMap, Room};
use super::program::{Program, Table};
use super::workspace::{Scratch, Workspace};
use crate::error::Result;
use crate::gpu::{DeviceProfile, Gpu};
use crate::kernels::{Access, Dispatch, Slot, Value};
use crate::threads::{both, on_deep_stack, side_by_side};

/// Whether workgroup memory is zeroed before a kernel starts, which takes 1 to 3% of an FFT on an
/// H200.
///
/// No kernel needs it: each writes what it reads, which the tests on the host see. In a browser the
/// memory is zeroed in any case.
const ZERO_WORKGROUP_MEMORY: bool = false;

/// What is kept unless the caller says otherwise. A program that has more plans in use has more
/// memory in their workspaces and tables than most devices. So many bytes of compiled pipelines are
/// little on a laptop.
pub(crate) const ROOM: Room = Room { values: 1024, bytes: 512 << 20 };

/// How many shader modules are kept. Pipelines that differ in overrides alone share one, and follow
/// one another soon.
const MODULES: usize = 16;

/// What takes longer is logged.
pub(super) const SLOW: Duration = Duration::from_secs(1);

/// What errors name.
const DURING: &str = "pipeline compilation";

/// A compute pipeline and the layout of its bindings.
#[derive(Debug)]
pub(super) struct Pipeline {
    pub pipeline: wgpu::ComputePipeline,
    pub layout: wgpu::BindGroupLayout,
    /// What it takes of the host's memory, about.
    pub bytes: u64,
}

/// What makes two shader modules the same.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Text {
    wgsl: Arc<str>,
    /// Compiled without bounds checks, which a dispatch of the same text may still need.
    proven: bool,
}

/// What makes two pipelines the same: the whole text, not a kernel's name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Key {
    text: Text,
    overrides: Vec<(&'static str, Value)>,
}

/// Builds plans for one device, which share equal pipelines.
#[derive(Debug)]
pub(crate) struct Builder {
    gpu: Gpu,
    /// By their text; pipelines that differ in overrides alone share one.
    modules: OnceMap<Text, wgpu::ShaderModule>,
    pipelines: OnceMap<Key, Arc<Pipeline>>,
    /// What its plans share, if anything.
    workspace: Option<Workspace>,
}

impl Builder {
    /// A builder that has compiled nothing yet.
    pub fn new(gpu: &Gpu) -> Self {
        Self::with_room(gpu, ROOM)
    }

    /// A builder that keeps the pipelines of about so many plans, and about so many bytes of them.
    pub fn with_room(gpu: &Gpu, plans: Room) -> Self {
        // Few plans have more steps that are unlike.
        let room = Room { values: plans.values.saturating_mul(4), ..plans };
        let pipelines = OnceMap::within(room, |pipeline: &Arc<Pipeline>| pipeline.bytes);
        Self { gpu: gpu.clone(), modules: OnceMap::new(MODULES), pipelines, workspace: None }
    }

    /// The same with room for the pipelines of about so many plans, and with none so far.
    pub fn emptied(self, plans: Room) -> Self {
        Self { workspace: self.workspace.clone(), ..Self::with_room(&self.gpu, plans) }
    }

    /// The same, whose plans share a workspace from now on.
    pub fn with_workspace(self, workspace: Workspace) -> Self {
        Self { workspace: Some(workspace), ..self }
    }

    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Refuses a program that does not keep to the limits of the device.
    pub(super) fn check(&self, program: &Program) -> Result<()> {
        let gpu = &self.gpu;
        program.check(gpu.profile())?;
        for (texels, loads) in program.textures() {
            texels.check_device(&program.title, loads, gpu.device().features())?;
            texels.check_limits(&program.title, &gpu.device().limits())?;
        }
        Ok(())
    }

    /// A program that was checked, with its pipelines and buffers.
    pub(super) fn built(&self, program: Program) -> Result<Executable> {
        let (gpu, start) = (&self.gpu, Instant::now());
        let storage = wgpu::BufferUsages::STORAGE;
        let label = |what: &str| format!("{what} of `{}`", program.title);
        let workspaces = Scratch::of(&program, gpu, self.workspace.as_ref())?;
        // The constants of a long convolution take as long as the driver's compiler.
        let (pipelines, words) = both(|| self.pipelines(&program.dispatches), || side_by_side(&program.tables, Table::words));
        let pipelines = pipelines?;
        if start.elapsed() > SLOW {
            log::info!("compiling `{}` for {} took {:.1?}", program.title, gpu.profile().name, start.elapsed());
        }
        let tables = words
            .iter()
            .enumerate()
            .map(|(i, words)| {
                filled(gpu, &label(&format!("table{i}")), program.bytes(Slot::Table(i)), storage, bytemuck::cast_slice(words))
            })
            .collect::<Result<_>>()?;

        let alignment = gpu.profile().uniform_alignment as usize;
        let mut params = Vec::new();
        let mut steps = Vec::new();
        for (dispatch, pipeline) in program.dispatches.iter().zip(pipelines) {
            params.resize(params.len().next_multiple_of(alignment), 0);
            let size = NonZeroU64::new(dispatch.params.len() as u64).expect("every kernel has parameters");
            steps.push(DeviceDispatch { pipeline, params: (params.len() as u64, size) });
            params.extend_from_slice(&dispatch.params);
        }
        let params = filled(gpu, &label("parameters"), params.len() as u64, wgpu::BufferUsages::UNIFORM, &params)?;
        Ok(Executable {
            gpu: Arc::new(gpu.clone()),
            program: Arc::new(program),
            steps,
            params,
            workspaces,
            tables,
            runs: AtomicU64::new(0),
        })
    }

    /// Forgets the pipelines. Plans keep theirs.
    pub fn clear(&self) {
        self.pipelines.clear();
        self.modules.clear();
    }

    /// The pipelines of `dispatches` in their order. Equal ones are compiled once, different ones
    /// side by side.
    fn pipelines(&self, dispatches: &[Dispatch]) -> Result<Vec<Arc<Pipeline>>> {
        let text = |dispatch: &Dispatch| Text { wgsl: dispatch.wgsl().into(), proven: dispatch.proven };
        let key = |dispatch: &Dispatch| Key { text: text(dispatch), overrides: dispatch.overrides.clone() };
        let keys: Vec<Key> = dispatches.iter().map(key).collect();
        let mut missing: Vec<(&Key, &Dispatch)> = Vec::new();
        for (key, dispatch) in keys.iter().zip(dispatches) {
            if missing.iter().all(|(other, _)| *other != key) && self.pipelines.get(key).is_none() {
                missing.push((key, dispatch));
            }
        }
        let get = |key: &Key, dispatch: &Dispatch| self.pipelines.get_or_make(key, || on_deep_stack(|| self.compile(key, dispatch)));
        side_by_side(&missing, |&(key, dispatch)| get(key, dispatch)).into_iter().collect::<Result<Vec<_>>>()?;
        keys.iter().zip(dispatches).map(|(key, dispatch)| get(key, dispatch)).collect()
    }

    /// The pipeline of a text that is no kernel of this crate, with the layout that the text
    /// implies.
    pub fn pipeline_of_text(&self, name: &str, wgsl: &str) -> Result<(wgpu::ComputePipeline, wgpu::BindGroupLayout)> {
        let key = Key { text: Text { wgsl: wgsl.into(), proven: false }, overrides: Vec::new() };
        let gpu = &self.gpu;
        let compiled = || {
            gpu.caught(DURING, 0, || {
                let module = gpu.create_shader_module(name, wgsl, false);
                let pipeline = create_pipeline(gpu, name, None, &module, &[]);
                let layout = pipeline.get_bind_group_layout(0);
                Arc::new(Pipeline { pipeline, layout, bytes: pipeline_bytes(gpu.profile(), wgsl) })
            })
        };
        let made = self.pipelines.get_or_make(&key, || on_deep_stack(compiled))?;
        Ok((made.pipeline.clone(), made.layout.clone()))
    }

    fn compile(&self, key: &Key, dispatch: &Dispatch) -> Result<Arc<Pipeline>> {
        let (gpu, name) = (&self.gpu, dispatch.kernel.name);
        let module = self
            .modules
            .get_or_make(&key.text, || gpu.caught(DURING, 0, || gpu.create_shader_module(name, &key.text.wgsl, key.text.proven)))?;
        gpu.caught(DURING, 0, || Arc::new(compile(gpu, dispatch, &module, &key.text.wgsl)))
    }
}

/// Compiles the pipeline of a dispatch as plans do, and keeps nothing.
pub(crate) fn compile_alone(gpu: &Gpu, dispatch: &Dispatch) -> Result<wgpu::ComputePipeline> {
    on_deep_stack(|| {
        gpu.caught(DURING, 0, || {
            let text = dispatch.wgsl();
            let module = gpu.create_shader_module(dispatch.kernel.name, &text, dispatch.proven);
            compile(gpu, dispatch, &module, &text).pipeline
        })
    })
}

fn compile(gpu: &Gpu, dispatch: &Dispatch, module: &wgpu::ShaderModule, text: &str) -> Pipeline {
    let (device, label) = (gpu.device(), Some(dispatch.kernel.name));
    let entry = |binding, ty| wgpu::BindGroupLayoutEntry { binding, visibility: wgpu::ShaderStages::COMPUTE, ty, count: None };
    let buffer = |ty| wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
    let mut entries = vec![entry(0, buffer(wgpu::BufferBindingType::Uniform))];
    entries.extend(dispatch.binds.iter().map(|bind| {
        let ty = match bind.access {
            Access::Uniform => buffer(wgpu::BufferBindingType::Uniform),
            Access::Read | Access::ReadWrite | Access::Arrivals => {
                buffer(wgpu::BufferBindingType::Storage { read_only: bind.access == Access::Read })
            }
            Access::Texture(texels) | Access::StorageTexture(texels) => texels.binding_type(matches!(bind.access, Access::Texture(_))),
        };
        entry(bind.binding, ty)
    }));
    let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries });
    let pipeline_layout =
        device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor { label, bind_group_layouts: &[Some(&layout)], immediate_size: 0 });
    let constants: Vec<(&str, f64)> = dispatch.overrides.iter().map(|&(name, value)| (name, value.as_f64())).collect();
    let pipeline = create_pipeline(gpu, dispatch.kernel.name, Some(&pipeline_layout), module, &constants);
    Pipeline { pipeline, layout, bytes: pipeline_bytes(gpu.profile(), text) }
}

fn create_pipeline(
    gpu: &Gpu,
    name: &str,
    layout: Option<&wgpu::PipelineLayout>,
    module: &wgpu::ShaderModule,
    constants: &[(&str, f64)],
) -> wgpu::ComputePipeline {
    gpu.device().create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(name),
        layout,
        module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions { constants, zero_initialize_workgroup_memory: ZERO_WORKGROUP_MEMORY },
        cache: gpu.wgpu_pipeline_cache(),
    })
}

/// What a pipeline takes of the host's memory, about. Drivers do not say. It was measured that it
/// grows with the text: benches/reports/2026-11-27-memory.
fn pipeline_bytes(profile: &DeviceProfile, text: &str) -> u64 {
    text.len() as u64 * if profile.is_cpu() { 64 } else { 24 }
}

/// What a dispatch takes on the device.
#[derive(Debug)]
pub(super) struct DeviceDispatch {
    pub pipeline: Arc<Pipeline>,
    /// Where its `Params` are in the plan's uniform buffer.
    pub params: (u64, NonZeroU64),
}

/// A program on one device: its pipelines and buffers.
#[derive(Debug)]
pub(crate) struct Executable {
    /// Shared with everything that it is bound to.
    pub(super) gpu: Arc<Gpu>,
    pub(super) program: Arc<Program>,
    /// One for each dispatch of the program.
    pub(super) steps: Vec<DeviceDispatch>,
    pub(super) params: wgpu::Buffer,
    pub(super) workspaces: Vec<Scratch>,
    pub(super) tables: Vec<wgpu::Buffer>,
    /// How often it ran on host data.
    pub(super) runs: AtomicU64,
}

impl Executable {
    /// Where it runs.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// What it runs.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// What its pipelines take of the host's memory, about. Those that it shares count too.
    pub fn pipeline_bytes(&self) -> u64 {
        self.steps.iter().map(|step| step.pipeline.bytes).sum()
    }
}

pub(crate) fn filled(gpu: &Gpu, what: &str, size: u64, usage: wgpu::BufferUsages, data: &[u8]) -> Result<wgpu::Buffer> {
    let buffer = gpu.create_buffer(what, size, usage | wgpu::BufferUsages::COPY_DST)?;
    gpu.check_queue()?;
    gpu.caught("upload of constants", size, || gpu.queue().write_buffer(&buffer, 0, data))?;
    Ok(buffer)
}
