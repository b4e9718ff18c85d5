//! Failures of wgpu and of devices at every step of every operation, one at a time: the documented
//! error comes, nobody waits for ever, nothing stays behind, and what is done next is right.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use wgpu_fft::Spec;
use wgpu_fft::dynamic::AnySpec;
use wgpu_fft::fft::C2c;
use wgpu_fft::gpu::Transfers;
use wgpu_fft::low_level::Stopwatch;
use wgpu_fft::plan::{Placement, Workspace};
use wgpu_fft::signal::Stft;
use wgpu_fft::signal::{PowerSpectrum, SeparableFilter, SpectralFilter};
use wgpu_fft::{Complex32, Error, Fragment, Gpu, GpuOptions, Planner, Result, View, bytemuck, wgpu};

use crate::failures::{Failure, Faults};
use crate::harness::*;

/// How long a silent device is waited for.
const LIMIT: Duration = Duration::from_millis(40);

/// No operation of these takes longer, whatever fails.
const SOON: Duration = Duration::from_secs(60);

/// Whether to try everything (`WGPU_FFT_FAULTS=all`), which takes a quarter of an hour, in place of
/// a sample.
pub fn tries_all() -> bool {
    std::env::var("WGPU_FFT_FAULTS").is_ok_and(|what| what == "all")
}

/// In a sample, one of so many operations is tried, and one of so many of its steps.
const SAMPLE: [usize; 2] = [6, 8];

/// What is done, from planning to a result.
struct Operation {
    name: &'static str,
    run: Box<Run>,
}

/// Computes something on a device, and returns the bytes of the result.
type Run = dyn Fn(&Gpu) -> Result<Vec<u8>>;

/// One specification of each kind.
const SPECIFICATIONS: [&str; 23] = [
    "c2c fwd 8x6",
    "c2c inv 30 x2 in-place",
    "c2c fwd 67",
    "c2c fwd 6 f64-by-f32",
    "r2c fwd 4x6",
    "c2r inv 6x4",
    "r2r dct2 12",
    "permute f32 2x3x4 order=2,0,1",
    "transpose u8 8x8 in-place",
    "sum f32 100",
    "argmax i32 6x5 axes=1",
    "mean f16 7x5 axes=0",
    "variance f32 40",
    "dot f32 50",
    "convolve f32 9x8 by 3x3 same",
    "correlate complex f32 20 by 5",
    "zoom f32 30 to 8 in 0.1..0.2",
    "frequencies f32 30 bins 3,17",
    "resample f32 6x8 to 9x12",
    "roll f32 6x7 by=2,3",
    "radial-average f32 8x8 half",
    "phase-correlate 8x6",
    "c2c fwd 4x6x4",
];

/// A specification whose types are known only at run time: planned, run, run into memory of the
/// caller's, and encoded.
fn of_text(name: &'static str) -> Operation {
    let run = move |gpu: &Gpu| {
        let plan = name.parse::<AnySpec>().unwrap().plan(&Planner::new(gpu), None)?;
        let program = plan.program();
        let all: Vec<Vec<u8>> = program.inputs().iter().map(|array| bytes_of(array.bytes(), plan.input().name())).collect();
        let inputs: Vec<&[u8]> = all.iter().map(Vec::as_slice).collect();
        let output = plan.run(&inputs)?.wait()?;
        let mut again = vec![0; output.len()];
        plan.run_into(&inputs, &mut again)?;
        assert!(output == again, "{name}: other bits");
        Ok(output)
    };
    Operation { name, run: Box::new(run) }
}

/// Numbers of a type that are neither infinite nor no numbers.
fn bytes_of(bytes: u64, element: &str) -> Vec<u8> {
    let bytes = bytes as usize;
    let mut all: Vec<u8> = if element.contains("f32") {
        bytemuck::cast_slice(&noise(bytes.div_ceil(4), 1)).to_vec()
    } else if element.contains("f64") {
        bytemuck::cast_slice(&noise(bytes.div_ceil(8), 1).into_iter().map(f64::from).collect::<Vec<_>>()).to_vec()
    } else {
        (0..bytes).map(|i| (i % 59) as u8).collect()
    };
    all.truncate(bytes);
    all
}

/// A typed plan: planned, run, awaited, bound and encoded on arrays of the caller's.
fn of_spec<S: Spec>(name: &'static str, spec: S) -> Operation
where
    S::Input: bytemuck::Pod,
    S::Output: bytemuck::Pod,
{
    let run = move |gpu: &Gpu| {
        let plan = Planner::new(gpu).plan(spec.clone())?;
        let words = noise(plan.program().inputs()[0].bytes().div_ceil(4) as usize, 1);
        let input: Vec<S::Input> = bytemuck::pod_collect_to_vec(&words);
        let input = &input[..plan.input_len()];
        let output = pollster::block_on(plan.run(input)?)?;
        let (source, target) = (gpu.upload(input)?, gpu.alloc::<S::Output>(plan.output_len())?);
        if plan.program().placement() == Placement::OutOfPlace {
            gpu.submit(|encoder| plan.encode(encoder, &source, &target))?;
            let again = gpu.download(&target)?.wait()?;
            assert!(bytemuck::cast_slice::<_, u8>(&again) == bytemuck::cast_slice::<_, u8>(&output), "{name}: other bits");
        }
        Ok(bytemuck::cast_slice(&output).to_vec())
    };
    Operation { name, run: Box::new(run) }
}

fn operation(name: &'static str, run: impl Fn(&Gpu) -> Result<Vec<u8>> + 'static) -> Operation {
    Operation { name, run: Box::new(run) }
}

fn operations() -> Vec<Operation> {
    let mut all: Vec<Operation> = SPECIFICATIONS.into_iter().map(of_text).collect();
    let window = vec![0.5_f64; 8];
    let stft = Stft::<f32>::new(40, &window, 4);
    all.push(of_spec("istft", stft.inverse().unwrap()));
    all.push(of_spec("stft", stft));
    all.push(of_spec("power spectrum", PowerSpectrum::<f32>::new(40, &window, 1.0)));
    all.push(of_spec("filter", SeparableFilter::<f32>::correlation([8, 9]).kernel(0, [1.0, 2.0, 1.0]).kernel(1, [1.0, -1.0])));
    all.push(of_spec("spectral filter", SpectralFilter::real([6, 8], Fragment::new("value * (1.0 - f0)")).unwrap()));
    all.push(operation("large arrays", |gpu| {
        // In pieces of 64 KiB, so that staging buffers are waited for and used again.
        let gpu = gpu.clone().with_transfers(Transfers::default().piece_bytes(1 << 16).in_flight(2));
        let data = noise(1 << 18, 4);
        let array = gpu.alloc::<f32>(data.len())?;
        gpu.write(&array, &data)?;
        let back = gpu.download(&array)?.wait()?;
        assert!(back == data);
        Ok(bytemuck::cast_slice(&back[..16]).to_vec())
    }));
    all.push(operation("a shared workspace", |gpu| {
        let planner = Planner::new(gpu).with_workspace(&Workspace::new());
        let mut results = Vec::new();
        for shape in [[6, 67], [67, 6]] {
            let input = complex_noise(402, 1);
            let plan = planner.plan(C2c::forward(shape))?;
            results.extend_from_slice(bytemuck::cast_slice(&plan.run(&input)?.wait()?));
        }
        Ok(results)
    }));
    all.push(operation("times", |gpu| {
        let plan = Planner::new(gpu).plan(C2c::forward(64))?;
        plan.warm_up()?;
        let (a, b) = (gpu.upload(&complex_noise(64, 1))?, gpu.alloc::<Complex32>(64)?);
        let bound = plan.bind(&a, View::<Complex32>::whole(b.buffer())?)?;
        let mut seconds = Stopwatch::by_wall_clock(gpu).time(|pass| bound.record(pass))?;
        if gpu.profile().timestamps {
            let mut stopwatch = Stopwatch::new(gpu);
            // A clock that stands still is the driver's failure, and not one of these.
            seconds += stopwatch
                .as_mut()
                .map_err(|error| error.clone())?
                .time(|pass| bound.record(pass))
                .or_else(|error| if matches!(error, Error::Unsupported { .. }) { Ok(Duration::ZERO) } else { Err(error) })?;
            seconds += bound.time_steps()?.wait()?.iter().map(|(_, time)| *time).sum::<Duration>();
        }
        assert!(seconds > Duration::ZERO);
        Ok(Vec::new())
    }));
    all.push(operation("a future of a plan", |gpu| {
        let planner = Arc::new(Planner::new(gpu));
        let plan = pollster::block_on(planner.plan_async(C2c::forward(20)))?;
        Ok(bytemuck::cast_slice(&pollster::block_on(plan.run(&complex_noise(20, 1))?)?).to_vec())
    }));
    all
}

/// Whether an error is one that the documentation names for this.
fn is_documented(failure: Failure, step: &str, error: &Error) -> bool {
    match failure {
        Failure::Refused if step == "allocation" => matches!(error, Error::OutOfMemory { bytes, .. } if *bytes > 0),
        // What cannot be mapped, or is not mapped any more, is a loss.
        Failure::Refused if step.contains("mapp") && !step.starts_with("mapping of") => matches!(error, Error::DeviceLost { .. }),
        // wgpu's own error. Where a buffer is looked for, it says that the buffer is none of the
        // device's.
        Failure::Refused => matches!(error, Error::Wgpu { .. } | Error::ForeignObject { .. }),
        Failure::Lost => matches!(error, Error::DeviceLost { .. }),
        Failure::Silent => matches!(error, Error::TimedOut { .. }),
    }
}

/// wgpu's objects that a device of an instance still has.
fn objects(instance: &wgpu::Instance) -> usize {
    let hub = instance.generate_report().expect("not in a browser").hub;
    [
        &hub.devices,
        &hub.queues,
        &hub.buffers,
        &hub.bind_groups,
        &hub.bind_group_layouts,
        &hub.pipeline_layouts,
        &hub.command_buffers,
        &hub.command_encoders,
        &hub.compute_pipelines,
        &hub.shader_modules,
        &hub.query_sets,
    ]
    .iter()
    .map(|kind| kind.num_allocated)
    .sum()
}

/// An instance whose objects nobody else makes, and the adapter in it.
struct Own {
    instance: wgpu::Instance,
    adapter: wgpu::Adapter,
}

impl Own {
    fn of(device: &Device) -> Self {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
        descriptor.backends = wgpu::Backends::all();
        let instance = wgpu::Instance::new(descriptor);
        let options = options().instance(instance.clone()).adapter_name(&device.name);
        let adapter = pollster::block_on(wgpu_fft::gpu::adapters(&options)).unwrap().swap_remove(0);
        Self { instance, adapter }
    }

    fn open(&self) -> Gpu {
        // Drivers may compile for long.
        let options: GpuOptions = options().wait_limit(SOON);
        pollster::block_on(Gpu::from_adapter_with(&self.adapter, &options)).unwrap()
    }
}

/// How often each kind of step failed.
type Tally = BTreeMap<&'static str, usize>;

/// Lets steps of an operation fail, one at a time, until it comes to its end without a failure: from
/// `first` on, each at a distance of `stride`. The device is the same throughout, but for losses.
fn every_step(device: &Device, own: &Own, operation: &Operation, failure: Failure, (first, stride): (usize, usize), tally: &mut Tally) {
    let context = |step: usize| format!("{}: {}: {failure:?} at step {step}", device.name, operation.name);
    // What it is without failures. Waiting without a limit, since drivers may compile for long.
    let mut gpu = own.open();
    let expected = (operation.run)(&gpu).unwrap_or_else(|error| panic!("{}: {error}", context(0)));
    let mut step = first;
    loop {
        assert!(step < 1000, "{}", context(step));
        let faults = if failure == Failure::Silent { Faults::silent_at(step, LIMIT) } else { Faults::at(step, failure) };
        let (injected, faults) = faults.inject(gpu.clone());
        let begin = Instant::now();
        let result = (operation.run)(&injected);
        assert!(begin.elapsed() < SOON, "{}: it took {:?}", context(step), begin.elapsed());
        let Some(name) = faults.happened() else {
            assert_eq!(result.as_ref(), Ok(&expected), "{}", context(step));
            break;
        };
        match result {
            Err(error) => {
                assert!(is_documented(failure, name, &error), "{}, {name}: {error:?}", context(step));
                *tally.entry(name).or_default() += 1;
            }
            // Not every step is needed: a buffer that cannot be kept is freed.
            Ok(output) => assert_eq!(output, expected, "{}, {name}", context(step)),
        }
        if failure == Failure::Lost {
            gpu = own.open();
        }
        step += stride;
    }
    if failure == Failure::Lost {
        // Kept buffers still know of the last failure, which has not happened yet.
        gpu = own.open();
    }
    // The same device, or a new one, is as good as before.
    assert_eq!((operation.run)(&gpu).as_ref(), Ok(&expected), "{}", context(step));
    drop(gpu);
    let begin = Instant::now();
    while objects(&own.instance) > 0 {
        // Threads that watch for futures may still hold a device.
        assert!(begin.elapsed() < SOON, "{}: {} objects are left", context(step), objects(&own.instance));
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn all_operations(device: &Device, failure: Failure) {
    let own = Own::of(device);
    let mut tally = Tally::new();
    let begin = Instant::now();
    let [operations_apart, stride] = if tries_all() { [1, 1] } else { SAMPLE };
    // Each kind of failure takes other operations, and each operation other steps.
    let all = operations().into_iter().enumerate().skip(failure as usize % operations_apart).step_by(operations_apart);
    for (i, operation) in all {
        every_step(device, &own, &operation, failure, (1 + i % stride, stride), &mut tally);
    }
    let count: usize = tally.values().sum();
    println!("{}: {failure:?}: {count} failures in {:.1?}: {tally:?}", device.name, begin.elapsed());
    let reached = |names: &[&str]| names.iter().all(|name| tally.contains_key(name));
    let everywhere = match failure {
        Failure::Silent => reached(&["waiting for the device"]) || count > 0,
        _ => reached(&["allocation", "pipeline compilation", "binding", "recording", "submission", "mapping", "waiting for the device"]),
    };
    assert!(if tries_all() { everywhere && count > 100 } else { count > 5 }, "{tally:?}");
}

/// Memory that is refused, pipelines that are not made, commands that are not taken, mappings that
/// fail.
pub fn every_step_may_be_refused(device: &Device) {
    all_operations(device, Failure::Refused);
}

/// The device is lost at any moment.
pub fn the_device_may_be_lost_at_every_step(device: &Device) {
    all_operations(device, Failure::Lost);
}

/// The device stops to answer at any moment.
pub fn the_device_may_fall_silent_at_every_step(device: &Device) {
    all_operations(device, Failure::Silent);
}

/// The program replaces the handlers that this crate installs on devices of its own. A loss is then
/// noticed when a call fails.
pub fn the_callers_handlers_replace_ours(device: &Device) {
    let calls = Arc::new(std::sync::Mutex::new(Vec::new()));
    let own = Own::of(device);
    let gpu = own.open().with_wait_limit(None);
    let (losses, errors) = (Arc::clone(&calls), Arc::clone(&calls));
    gpu.device().set_device_lost_callback(move |_, _| losses.lock().unwrap().push("lost"));
    gpu.device().on_uncaptured_error(Arc::new(move |_| errors.lock().unwrap().push("error")));
    let plan = Planner::new(&gpu).plan(C2c::forward(64)).unwrap();
    let input = complex_noise(64, 1);
    plan.run(&input).unwrap().wait().unwrap();
    let pending = plan.run(&input).unwrap();
    gpu.device().destroy();
    // What was submitted before may have come to its end.
    assert!(matches!(pending.wait(), Ok(_) | Err(Error::DeviceLost { .. })));
    for _ in 0..2 {
        let lost = plan.run(&input).and_then(|pending| pending.wait()).unwrap_err();
        assert!(matches!(lost, Error::DeviceLost { .. }), "{}: {lost:?}", device.name);
        let lost = Planner::new(&gpu).plan(C2c::forward(32)).map(drop).unwrap_err();
        assert!(matches!(lost, Error::DeviceLost { .. }), "{}: {lost:?}", device.name);
    }
    assert!(gpu.is_lost());
    let calls = calls.lock().unwrap();
    assert!(calls.iter().all(|call| *call == "lost"), "{}: errors that were ours to catch: {calls:?}", device.name);
}
