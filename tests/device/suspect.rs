//! A tunable whose recipes misbehave in every possible way.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use wgpu_fft::low_level::tune::{Arrays, Bindings, Compiled, Known, Sample, Tunable, Verification};
use wgpu_fft::plan::Placement;
use wgpu_fft::{DeviceProfile, Error, Gpu, Result, View, wgpu};

const LEN: u32 = 1 << 14;

/// What a recipe does wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fault {
    None,
    WrongElement,
    StoresPastTheEnd,
    StoresToTheInput,
    Panics,
    LosesTheDevice,
    Hangs,
    /// It would exceed a limit of the device.
    DoesNotFit,
    /// Its second run, the first that counts, takes long.
    StallsOnce,
}

const FAULTS: [(Fault, &str); 9] = [
    (Fault::None, "none"),
    (Fault::WrongElement, "element"),
    (Fault::StoresPastTheEnd, "past"),
    (Fault::StoresToTheInput, "input"),
    (Fault::Panics, "panic"),
    (Fault::LosesTheDevice, "loss"),
    (Fault::Hangs, "hang"),
    (Fault::DoesNotFit, "limit"),
    (Fault::StallsOnce, "stall"),
];

/// Printed as `rounds=100 fault=none`. Fewer rounds are faster.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Recipe {
    pub rounds: u32,
    pub fault: Fault,
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, name) = FAULTS.iter().find(|(fault, _)| *fault == self.fault).expect("every fault has a name");
        write!(f, "rounds={} fault={name}", self.rounds)
    }
}

impl FromStr for Recipe {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let read = || {
            let (rounds, fault) = text.strip_prefix("rounds=")?.split_once(" fault=")?;
            let (fault, _) = FAULTS.iter().find(|(_, name)| *name == fault)?;
            Some(Self { rounds: rounds.parse().ok()?, fault: *fault })
        };
        read().ok_or_else(|| Error::Parse { what: "recipe", text: text.to_owned(), why: "it is rounds=1 fault=none".to_owned() })
    }
}

/// Adds one to every element, and records which recipes were compiled.
#[derive(Clone, Debug)]
pub struct Suspect {
    pub estimate: Recipe,
    pub others: Vec<Recipe>,
    pub baseline: Recipe,
    /// Whether the middle element of the result is known.
    pub has_sample: bool,
    pub compiled: Arc<Mutex<Vec<Recipe>>>,
}

impl Suspect {
    pub fn new(estimate: Recipe, others: Vec<Recipe>) -> Self {
        let baseline = Recipe { rounds: 1, fault: Fault::None };
        Self { estimate, others, baseline, has_sample: false, compiled: Arc::default() }
    }

    /// The recipes compiled since the last call.
    pub fn take_compiled(&self) -> Vec<Recipe> {
        std::mem::take(&mut *self.compiled.lock().unwrap())
    }
}

impl fmt::Display for Suspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "add one u32 {LEN}")
    }
}

impl Tunable for Suspect {
    type Recipe = Recipe;

    fn estimate(&self, _: &DeviceProfile) -> Result<Recipe> {
        Ok(self.estimate)
    }

    fn baseline(&self, _: &DeviceProfile) -> Result<Recipe> {
        Ok(self.baseline)
    }

    fn alternatives(&self, _: &DeviceProfile) -> Vec<Recipe> {
        self.others.clone()
    }

    fn neighbours(&self, _: &Recipe, _: &DeviceProfile) -> Vec<Recipe> {
        Vec::new()
    }

    fn verification(&self) -> Verification {
        Verification::EXACT
    }

    fn samples(&self, input: &[u32]) -> Vec<Sample> {
        let middle = LEN as usize / 2;
        let value = Known::Bytes(input[middle].wrapping_add(1).to_le_bytes().to_vec());
        if self.has_sample { vec![Sample { byte: 4 * middle, value }] } else { Vec::new() }
    }

    fn arrays(&self, _: &DeviceProfile) -> Result<Arrays> {
        let bytes = u64::from(LEN) * 4;
        Ok(Arrays { input_bytes: bytes, inputs: 1, output_bytes: bytes, placement: Placement::OutOfPlace })
    }

    fn fingerprint(&self, recipe: &Recipe, _: &DeviceProfile) -> Result<u64> {
        if recipe.fault == Fault::DoesNotFit {
            let (what, limit) = ("a test".to_owned(), "max_compute_invocations_per_workgroup");
            return Err(Error::LimitExceeded { what, limit, required: 2, available: 1 });
        }
        Ok(u64::from(recipe.rounds))
    }

    fn compile(&self, gpu: &Gpu, recipe: &Recipe) -> Result<Compiled> {
        self.compiled.lock().unwrap().push(*recipe);
        match recipe.fault {
            Fault::Panics => panic!("a recipe panics, as the test wants it to"),
            Fault::Hangs => std::thread::sleep(Duration::from_secs(3600)),
            Fault::LosesTheDevice => gpu.device().destroy(),
            _ => {}
        }
        let device = gpu.device();
        let source = wgpu::ShaderSource::Wgsl(include_str!("suspect.wgsl").into());
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some("suspect"), source });
        let fault = match recipe.fault {
            Fault::WrongElement => 1.0,
            Fault::StoresPastTheEnd => 2.0,
            Fault::StoresToTheInput => 3.0,
            _ => 0.0,
        };
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("suspect"),
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &[("ROUNDS", f64::from(recipe.rounds)), ("FAULT", fault)],
                ..Default::default()
            },
            cache: None,
        });
        let gpu = gpu.clone();
        let stall = (recipe.fault == Fault::StallsOnce).then(Arc::<AtomicUsize>::default);
        Ok(Box::new(move |bindings| bind(&gpu, &pipeline, bindings, stall.clone())))
    }
}

/// Binds the whole buffers. With a count of its runs, the second one takes as long as a hundred.
fn bind(
    gpu: &Gpu,
    pipeline: &wgpu::ComputePipeline,
    bindings: &Bindings<'_>,
    stall: Option<Arc<AtomicUsize>>,
) -> Result<wgpu_fft::low_level::tune::Recorder> {
    let device = gpu.device();
    let (size, usage) = (16, wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST);
    let params = device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
    let guard = (bindings.output.offset_bytes() / 4) as u32;
    gpu.queue().write_buffer(&params, 0, bytemuck::bytes_of(&[LEN, guard, 0, 0]));
    let uniform = wgpu::BindGroupEntry { binding: 0, resource: params.as_entire_binding() };
    let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[uniform, whole(1, &bindings.inputs[0]), whole(2, &bindings.output)],
    });
    let pipeline = pipeline.clone();
    Ok(Box::new(move |pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &bind_group, &[]);
        let stalls = stall.as_ref().is_some_and(|runs| runs.fetch_add(1, Ordering::Relaxed) == 1);
        for _ in 0..if stalls { 100 } else { 1 } {
            pass.dispatch_workgroups(LEN.div_ceil(64), 1, 1);
        }
    }))
}

/// A view including the guards around it.
fn whole<'a>(binding: u32, view: &View<'a, u32>) -> wgpu::BindGroupEntry<'a> {
    wgpu::BindGroupEntry { binding, resource: view.buffer().as_entire_binding() }
}
