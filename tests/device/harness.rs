//! Adapters, data and comparisons for the tests that need a device.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use num_complex::Complex64;
use proptest::test_runner::{Config as ProptestConfig, RngSeed};
use wgpu_fft::num_complex;
use wgpu_fft::{Complex32, Error, Gpu, GpuOptions, Plan, Planner, Spec, View, gpu, wgpu};

pub use crate::lists::seed;
use crate::lists::{all_or_share, asks_for_all};

pub use crate::bits::{assert_equal_bits, first_difference};
use crate::reference::dft;
pub use crate::reference::{complex_noise, noise, relative_error, wide};

/// u = 2⁻²⁴, the unit roundoff of f32.
pub const U: f64 = 1.0 / 16_777_216.0;

/// An adapter under test, with a planner that all its tests share.
pub struct Device {
    pub name: String,
    pub adapter: wgpu::Adapter,
    pub planner: Planner,
}

impl Device {
    pub fn gpu(&self) -> &Gpu {
        self.planner.gpu()
    }

    /// The same adapter with a device of its own. A software adapter compiles in its queue, so this
    /// lets tests that compile much do so in parallel. Sharing one among the tests of a thread would
    /// save little: of 1,400 and 1,600 texts that two threads compiled, 43 were the same, and keeping
    /// their pipelines took 6 GB.
    pub fn alone(&self) -> Self {
        self.with_planner(Planner::new(&self.open_another()))
    }

    pub fn with_planner(&self, planner: Planner) -> Self {
        Self { name: self.name.clone(), adapter: self.adapter.clone(), planner }
    }

    /// The same adapter with a device of its own that has smaller limits.
    pub fn limited(&self, change: impl FnOnce(&mut wgpu::Limits)) -> Self {
        let mut required_limits = self.gpu().device().limits();
        change(&mut required_limits);
        let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
        let (own, queue) = pollster::block_on(self.adapter.request_device(&descriptor)).unwrap();
        self.with_planner(Planner::new(&Gpu::from_wgpu(own, queue)))
    }

    /// Whether to run the long lists: on GPUs, and on all adapters with WGPU_FFT_THOROUGH=1.
    pub fn is_thorough(&self) -> bool {
        self.adapter.get_info().device_type != wgpu::DeviceType::Cpu || asks_for_all()
    }

    /// One of every 2·`of` cases on processors, which compile a text in up to a second; all of them in a
    /// thorough run. Calls with other turns take other cases.
    pub fn share<T>(&self, cases: impl IntoIterator<Item = T>, of: usize, turn: usize) -> impl Iterator<Item = T> {
        all_or_share(self.is_thorough(), cases, 2 * of, turn)
    }

    /// An adapter that is so slow that it gets the shorter lists.
    pub fn is_slow(&self) -> bool {
        self.name.contains("SwiftShader")
    }

    /// The plan with the default recipe or with a hand-written one; `None` if the adapter is too
    /// small for the recipe. Which recipes fit is tested without a device.
    pub fn plan_if_fit<S: Spec>(&self, spec: S, recipe: Option<S::Recipe>) -> Option<Arc<Plan<S>>> {
        let Some(recipe) = recipe else { return Some(self.planner.plan(spec).unwrap()) };
        match self.planner.plan_with(spec, recipe) {
            Err(Error::UnfitRecipe { .. }) => None,
            plan => Some(plan.unwrap()),
        }
    }

    /// A second device of the adapter, for tests that break it.
    pub fn open_another(&self) -> Gpu {
        pollster::block_on(Gpu::from_adapter_with(&self.adapter, &options())).unwrap()
    }
}

/// What tests hold that compare times, and tests that keep an adapter busy for long: lavapipe's devices
/// take turns, so that a short dispatch beside a long one takes as long.
pub fn clock() -> MutexGuard<'static, ()> {
    static CLOCK: Mutex<()> = Mutex::new(());
    CLOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How devices are opened: with all limits of the adapter, or with those that `WGPU_FFT_LIMITS`
/// names.
pub fn options() -> GpuOptions {
    match std::env::var("WGPU_FFT_LIMITS").as_deref() {
        Err(_) | Ok("") => GpuOptions::default(),
        Ok(name) => {
            let limits = limits(name);
            GpuOptions::default().limits(limits.unwrap_or_else(|| panic!("WGPU_FFT_LIMITS: `{name}` is not webgpu, downlevel or tiny")))
        }
    }
}

/// Limits by the names that `WGPU_FFT_LIMITS` takes.
pub fn limits(name: &str) -> Option<wgpu::Limits> {
    match name {
        "webgpu" => Some(wgpu::Limits::default()),
        "downlevel" => Some(wgpu::Limits::downlevel_defaults()),
        // Less than any device has that a program is likely to meet.
        "tiny" => Some(wgpu::Limits {
            max_storage_buffers_per_shader_stage: 4,
            max_compute_invocations_per_workgroup: 128,
            max_compute_workgroup_size_x: 128,
            max_compute_workgroup_size_y: 128,
            max_compute_workgroup_storage_size: 8 << 10,
            ..wgpu::Limits::downlevel_defaults()
        }),
        _ => None,
    }
}

/// Every adapter found, or why there is none.
pub fn find_devices() -> Result<&'static [Device], Error> {
    static DEVICES: OnceLock<Result<Vec<Device>, Error>> = OnceLock::new();
    let found = DEVICES.get_or_init(|| {
        pollster::block_on(async {
            let mut devices = Vec::new();
            for adapter in gpu::adapters(&GpuOptions::default()).await? {
                let planner = Planner::new(&Gpu::from_adapter_with(&adapter, &options()).await?);
                devices.push(Device { name: adapter.get_info().name, adapter, planner });
            }
            Ok(devices)
        })
    });
    found.as_deref().map_err(Clone::clone)
}

pub fn devices() -> &'static [Device] {
    find_devices().unwrap()
}

/// Settings for proptest, which prints failing cases.
pub fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, rng_seed: RngSeed::Fixed(seed()), ..ProptestConfig::default() }
}

/// Words without two equal neighbours. As f32, some of them are NaNs and subnormal numbers.
pub fn words(len: usize, seed: u64) -> Vec<u32> {
    (0..len as u32).map(|i| (i ^ seed as u32).wrapping_mul(0x9e37_79b1)).collect()
}

/// Words around an array that must not change.
const GUARD_WORDS: usize = 64;
const GUARD: u32 = 0xdead_beef;
/// The content of an output before a run: a NaN that no arithmetic produces.
pub const UNWRITTEN: u32 = 0x7fc0_dead;

/// Runs a plan between guards. The output starts as NaN and the workspace is dirty. The input and
/// the words around both arrays must not change.
pub fn run_guarded<S: Spec>(device: &Device, plan: &Plan<S>, input: &[S::Input]) -> Vec<S::Output> {
    run_guarded_with(device, plan, input, None)
}

/// The same with a second input, if the plan takes two.
pub fn run_guarded_with<S: Spec>(device: &Device, plan: &Plan<S>, input: &[S::Input], second: Option<&[S::Input]>) -> Vec<S::Output> {
    let gpu = device.gpu();
    let in_place = plan.program().placement() == wgpu_fft::plan::Placement::InPlace;
    let guarded = |words: &[u32]| {
        let mut all = vec![GUARD; GUARD_WORDS];
        all.extend_from_slice(words);
        all.extend_from_slice(&[GUARD; GUARD_WORDS]);
        all
    };
    let input_words: Vec<u32> = bytemuck::pod_collect_to_vec(input);
    let output_words = vec![UNWRITTEN; plan.program().output().bytes().div_ceil(4) as usize];
    let second_words: Option<Vec<u32>> = second.map(bytemuck::pod_collect_to_vec);
    let offset = GUARD_WORDS as u64 * 4;
    let run = |input_words: &[u32]| {
        let source = gpu.upload(&guarded(input_words)).unwrap();
        let target = gpu.upload(&guarded(if in_place { input_words } else { &output_words })).unwrap();
        let source_view = View::<S::Input>::new(source.buffer(), offset, input.len()).unwrap();
        let target_view = View::<S::Output>::new(target.buffer(), offset, plan.output_len()).unwrap();
        let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let partner = second_words.as_ref().map(|words| gpu.upload(&guarded(words)).unwrap());
        match &partner {
            _ if in_place => plan.encode_in_place(&mut encoder, target_view).unwrap(),
            None => plan.encode(&mut encoder, source_view, target_view).unwrap(),
            Some(partner) => {
                let partner = View::<S::Input>::new(partner.buffer(), offset, input.len()).unwrap();
                plan.encode(&mut encoder, (source_view, partner), target_view).unwrap();
            }
        }
        gpu.queue().submit([encoder.finish()]);
        let source_after = gpu.download(&source).unwrap().wait().unwrap();
        assert!(source_after == guarded(input_words), "{}: `{}` changed its input", device.name, plan.spec());
        gpu.download(&target).unwrap().wait().unwrap()
    };
    if plan.workspace_bytes() > 0 {
        run(&vec![UNWRITTEN; input_words.len()]);
    }
    let after = run(&input_words);
    let (head, rest) = after.split_at(GUARD_WORDS);
    let (body, tail) = rest.split_at(rest.len() - GUARD_WORDS);
    assert!(head.iter().chain(tail).all(|&word| word == GUARD), "{}: `{}` wrote past its output", device.name, plan.spec());
    // The rest of the last word must not change either.
    let used = plan.program().output().bytes() as usize;
    let before: &[u8] = bytemuck::cast_slice(if in_place { &input_words } else { &output_words });
    assert_eq!(bytemuck::cast_slice::<_, u8>(body)[used..], before[used..], "{}: `{}` wrote past its output", device.name, plan.spec());
    let mut output: Vec<S::Output> = bytemuck::pod_collect_to_vec(body);
    output.truncate(plan.output_len());
    output
}

/// Fails if the relative error exceeds the bound.
pub fn assert_close(actual: &[Complex32], expected: &[Complex64], budget: f64, context: &str) -> f64 {
    let error = relative_error(actual, expected);
    assert!(error <= budget, "{context}: relative error {error:.3e} exceeds {budget:.3e}");
    error
}

/// The bound that the documentation promises for a transform by radix stages: 1.5·u·√log₂n.
pub fn fft_budget(n: usize) -> f64 {
    1.5 * U * (n as f64).log2().max(1.0).sqrt()
}

/// The transform in f64 by rustfft, over the rows and then the columns of each matrix.
pub fn reference_fft(data: &[Complex32], rows: usize, columns: usize, inverse: bool) -> Vec<Complex64> {
    let mut data = wide(data);
    dft(&mut data, &[rows, columns], &[0, 1], inverse);
    data
}

pub fn transposed<T: Copy>(data: &[T], rows: usize, columns: usize) -> Vec<T> {
    data.chunks_exact(rows * columns)
        .flat_map(|matrix| (0..columns).flat_map(move |c| (0..rows).map(move |r| matrix[r * columns + c])))
        .collect()
}

/// A pipeline of this text, whose bindings are these buffers.
pub fn pipeline_on(gpu: &Gpu, wgsl: &str, buffers: &[&wgpu::Buffer]) -> (wgpu::ComputePipeline, wgpu::BindGroup) {
    let device = gpu.device();
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source: wgpu::ShaderSource::Wgsl(wgsl.into()) });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let bindings = buffers.iter().zip(0..);
    let entries: Vec<_> =
        bindings.map(|(buffer, binding)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() }).collect();
    let layout = &pipeline.get_bind_group_layout(0);
    let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries });
    (pipeline, bind_group)
}
