//! From slice to slice: what `Plan::run` and `Plan::run_into` take, against the transform alone
//! with its data on the device and against a bare copy of the same bytes.
//!
//! ```sh
//! cargo bench --bench transfer -- --rounds 21
//! ```
//!
//! In each round every candidate moves the same array once, by the host's clock:
//! - `resident`: the transform, recorded and submitted, of arrays on the device;
//! - `staging`: no transform. The host copies the array into a staging buffer that is mapped, the
//!   device copies it into an array and that into another staging buffer, and the host copies it
//!   out, into memory that is there: one whole after the other, by as many threads as a run has;
//! - `write_buffer`: new arrays, `wgpu::Queue::write_buffer`, the transform, a new staging buffer
//!   of the array's size, and a new vector: what a program without this crate's transfers does;
//! - `run`, `run_into`: the calls. `--piece-mib`, `--in-flight` and `--copy-threads` add candidates
//!   `run_into, …` by other [`Transfers`];
//! - `guest`: `run_into` of a guest on a device that maps no arrays, where the crate's own does.
//!
//! `of_staging` and `of_resident` are medians of ratios of the same round. `goal` is 80% of the
//! bare copy's speed on a GPU, and 1.3 times the resident transform on a software adapter; `is_met`
//! says whether `run_into` reaches it.

use std::process::ExitCode;
use std::time::Instant;

use serde_json::json;
use wgpu_fft::fft::C2c;
use wgpu_fft::gpu::Transfers;
use wgpu_fft::{Complex32, Gpu, GpuOptions, Plan, Planner, Spec, bytemuck, gpu, wgpu};

use support::{Column, Format, Options, Report, Result, rounded};

#[path = "support/mod.rs"]
mod support;

const USAGE: &str = "cargo bench --bench transfer -- [OPTIONS]
  --log2 N           only transforms of 2^N complex numbers; may be repeated
  --piece-mib N      also run_into in pieces of N MiB; may be repeated
  --in-flight N      also run_into with N pieces under way; may be repeated
  --copy-threads N   also run_into with N copying threads; may be repeated
(--recipe and --wall-clock have no effect)
";

const COLUMNS: &[Column] = &[
    Column::new("spec", "spec", Format::Group),
    Column::new("by", "candidate", Format::Text),
    Column::new("ms", "ms", Format::Digits),
    Column::new("least ms", "least_ms", Format::Digits),
    Column::new("GB/s", "gb_per_s", Format::Digits),
    Column::new("of staging", "of_staging", Format::Decimals(3)),
    Column::new("of resident", "of_resident", Format::Decimals(3)),
    Column::new("goal", "is_met", Format::Text),
];

fn main() -> ExitCode {
    let (mut lengths, mut variants) = (Vec::new(), Vec::new());
    let options = Options::parse(USAGE, |name, parser| {
        use lexopt::ValueExt;
        let own = Transfers::default();
        match name {
            "log2" => lengths.push(parser.value()?.parse::<u32>()?.clamp(1, 28)),
            "piece-mib" => {
                let mib = parser.value()?.parse::<u64>()?;
                variants.push((format!("run_into, {mib} MiB"), own.piece_bytes(mib << 20)));
            }
            "in-flight" => {
                let count = parser.value()?.parse()?;
                variants.push((format!("run_into, {count} in flight"), own.in_flight(count)));
            }
            "copy-threads" => {
                let count = parser.value()?.parse()?;
                variants.push((format!("run_into, {count} threads"), own.copy_threads(count)));
            }
            _ => return Ok(false),
        }
        Ok(true)
    });
    match run(&options, lengths, &variants) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("transfer: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options, mut lengths: Vec<u32>, variants: &[(String, Transfers)]) -> Result<()> {
    let wanted = options.adapter.iter().fold(GpuOptions::default(), |wanted, adapter| wanted.adapter_name(adapter));
    let adapter = pollster::block_on(gpu::adapters(&wanted))?.swap_remove(0);
    let own = pollster::block_on(Gpu::from_adapter(&adapter))?;
    if lengths.is_empty() {
        let all: &[u32] = match (options.smoke, own.profile().is_cpu()) {
            (true, _) => &[10],
            (false, true) => &[10, 14, 18, 20, 22],
            (false, false) => &[10, 14, 18, 20, 22, 24, 25, 26],
        };
        lengths.extend(all);
    }
    let maps_arrays = own.device().features().contains(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS);
    let guest = maps_arrays.then(|| guest(&adapter, &own)).transpose()?;
    let mut report = Report::default();
    for log2 in lengths {
        let spec = C2c::forward(1 << log2);
        if options.wants(&spec.to_string()) {
            case(options, &own, guest.as_ref(), variants, &spec, &mut report)?;
        }
    }
    if !options.json {
        eprintln!("{own}\n{}", report.table(COLUMNS));
    }
    Ok(())
}

/// The same device without mapped arrays.
fn guest(adapter: &wgpu::Adapter, own: &Gpu) -> Result<Gpu> {
    let descriptor = wgpu::DeviceDescriptor {
        required_features: own.device().features() - wgpu::Features::MAPPABLE_PRIMARY_BUFFERS,
        required_limits: own.device().limits(),
        ..Default::default()
    };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))?;
    Ok(Gpu::from_wgpu(device, queue))
}

type Call<'a> = Box<dyn FnMut(&[Complex32], &mut Vec<Complex32>) -> Result<()> + 'a>;

/// Something that moves or transforms the array, and how long it took.
struct Candidate<'a> {
    name: String,
    call: Call<'a>,
    seconds: Vec<f64>,
}

impl<'a> Candidate<'a> {
    fn new(name: &str, call: Call<'a>) -> Self {
        Self { name: name.to_owned(), call, seconds: Vec::new() }
    }
}

fn case(
    options: &Options,
    gpu: &Gpu,
    guest: Option<&Gpu>,
    variants: &[(String, Transfers)],
    spec: &C2c,
    report: &mut Report,
) -> Result<()> {
    let plan = Planner::new(gpu).plan(spec.clone())?;
    let len = plan.output_len();
    let bytes = plan.program().output().bytes();
    let mut candidates: Vec<Candidate<'_>> = Vec::new();
    let mut resident = Resident::new(gpu, &plan)?;
    candidates.push(Candidate::new("resident", Box::new(move |_, _| resident.run())));
    let mut bare = Staging::new(gpu, bytes);
    candidates.push(Candidate::new(
        "staging",
        Box::new(move |input, output| bare.run(bytemuck::cast_slice(input), bytemuck::cast_slice_mut(output))),
    ));
    candidates.push(Candidate::new("write_buffer", Box::new(|input, output| write_buffer(gpu, &plan, input, output))));
    let run = |input: &[Complex32], output: &mut Vec<Complex32>| {
        *output = plan.run(input)?.wait()?;
        Ok(())
    };
    candidates.push(Candidate::new("run", Box::new(run)));
    candidates.push(Candidate::new("run_into", Box::new(|input, output| Ok(plan.run_into(input, output)?))));
    // Each keeps buffers of its own, so that none is short of them.
    let another = || Gpu::from_wgpu(gpu.device().clone(), gpu.queue().clone());
    let others = variants.iter().map(|(name, transfers)| (name.as_str(), another().with_transfers(*transfers)));
    let others: Vec<(&str, Gpu)> = others.chain(guest.map(|guest| ("guest", guest.clone()))).collect();
    for (name, gpu) in others {
        let plan = Planner::new(&gpu).plan(spec.clone())?;
        candidates.push(Candidate::new(name, Box::new(move |input, output| Ok(plan.run_into(input, output)?))));
    }
    let input: Vec<Complex32> = (0..len as u32).map(|i| Complex32::new((i.wrapping_mul(0x9e37_79b1) >> 8) as f32, 1.0)).collect();
    let mut output = vec![Complex32::default(); len];
    // To compile, to make the buffers that are kept, and to wake idle devices.
    let (before, rounds) = if options.smoke { (1, 1) } else { (3, options.rounds) };
    for round in 0..before + rounds {
        for candidate in &mut candidates {
            let begin = Instant::now();
            (candidate.call)(&input, &mut output).map_err(|error| format!("`{spec}`, {}: {error}", candidate.name))?;
            if round >= before {
                candidate.seconds.push(begin.elapsed().as_secs_f64());
            }
        }
    }
    let ratio = |candidate: &Candidate<'_>, base: usize| {
        median(candidate.seconds.iter().zip(&candidates[base].seconds).map(|(own, base)| own / base))
    };
    for candidate in &candidates {
        let [of_resident, of_staging] = [0, 1].map(|base| ratio(candidate, base));
        let (goal, is_met) =
            if gpu.profile().is_cpu() { ("of_resident <= 1.3", of_resident <= 1.3) } else { ("of_staging <= 1.25", of_staging <= 1.25) };
        let milliseconds = median(candidate.seconds.iter().map(|seconds| seconds * 1e3));
        let least = candidate.seconds.iter().copied().fold(f64::INFINITY, f64::min);
        let info = gpu.adapter_info();
        let mut line = json!({
            "bench": "transfer", "spec": spec.to_string(), "adapter": info.name, "driver": info.driver_info,
            "candidate": candidate.name, "bytes": 2 * bytes, "rounds": rounds, "threads": copy_threads(),
            "ms": rounded(milliseconds), "least_ms": rounded(least * 1e3), "gb_per_s": rounded(2.0 * bytes as f64 / milliseconds / 1e6),
            "of_staging": rounded(of_staging), "of_resident": rounded(of_resident),
        });
        if candidate.name == "run_into" {
            line["goal"] = json!(goal);
            line["is_met"] = json!(if is_met { "met" } else { "not met" });
        }
        report.line(line.as_object().cloned().unwrap_or_default());
    }
    Ok(())
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The transform on arrays of the device.
struct Resident<'a> {
    gpu: &'a Gpu,
    bound: wgpu_fft::Bound,
}

impl<'a> Resident<'a> {
    fn new(gpu: &'a Gpu, plan: &Plan<C2c>) -> Result<Self> {
        let [input, output] = [plan.input_len(), plan.output_len()].map(|len| gpu.alloc::<Complex32>(len));
        Ok(Self { gpu, bound: plan.bind(&input?, &output?)? })
    }

    fn run(&mut self) -> Result<()> {
        wait(self.gpu, self.gpu.submit(|encoder| self.bound.encode(encoder))?)
    }
}

fn wait(gpu: &Gpu, submission: wgpu::SubmissionIndex) -> Result<()> {
    gpu.device().poll(wgpu::PollType::Wait { submission_index: Some(submission), timeout: None })?;
    Ok(())
}

fn buffer(gpu: &Gpu, size: u64, usage: wgpu::BufferUsages, mapped_at_creation: bool) -> wgpu::Buffer {
    gpu.device().create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation })
}

/// As many threads as runs copy with, by the rule of `Transfers::default`.
fn copy_threads() -> usize {
    (std::thread::available_parallelism().map_or(1, usize::from) / 2).clamp(1, 4)
}

/// A copy of the array through staging buffers that are there and mapped.
struct Staging<'a> {
    gpu: &'a Gpu,
    upload: wgpu::Buffer,
    array: wgpu::Buffer,
    download: wgpu::Buffer,
}

impl<'a> Staging<'a> {
    fn new(gpu: &'a Gpu, bytes: u64) -> Self {
        use wgpu::BufferUsages;
        Self {
            gpu,
            upload: buffer(gpu, bytes, BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC, true),
            array: buffer(gpu, bytes, BufferUsages::COPY_DST | BufferUsages::COPY_SRC, false),
            download: buffer(gpu, bytes, BufferUsages::MAP_READ | BufferUsages::COPY_DST, false),
        }
    }

    fn run(&mut self, input: &[u8], output: &mut [u8]) -> Result<()> {
        let (gpu, bytes) = (self.gpu, input.len() as u64);
        let each = input.len().div_ceil(copy_threads()).next_multiple_of(8);
        std::thread::scope(|scope| -> Result<()> {
            for (i, part) in input.chunks(each).enumerate() {
                let begin = (i * each) as u64;
                let mut view = self.upload.get_mapped_range_mut(begin..begin + part.len() as u64)?;
                let mut copy = move || view.slice(..).copy_from_slice(part);
                // The last one on this thread.
                if (i + 1) * each < input.len() { drop(scope.spawn(copy)) } else { copy() }
            }
            Ok(())
        })?;
        self.upload.unmap();
        let submission = gpu.submit(|encoder| {
            encoder.copy_buffer_to_buffer(&self.upload, 0, &self.array, 0, bytes);
            encoder.copy_buffer_to_buffer(&self.array, 0, &self.download, 0, bytes);
            Ok(())
        })?;
        self.download.map_async(wgpu::MapMode::Read, .., |mapped| mapped.expect("the device is there"));
        self.upload.map_async(wgpu::MapMode::Write, .., |mapped| mapped.expect("the device is there"));
        wait(gpu, submission)?;
        let view = self.download.get_mapped_range(..)?;
        std::thread::scope(|scope| {
            for (i, (to, from)) in output.chunks_mut(each).zip(view.chunks(each)).enumerate() {
                let mut copy = move || to.copy_from_slice(from);
                if (i + 1) * each < input.len() { drop(scope.spawn(copy)) } else { copy() }
            }
        });
        drop(view);
        self.download.unmap();
        Ok(())
    }
}

/// What a program does that keeps nothing and leaves uploading to wgpu.
fn write_buffer<S: Spec<Input = Complex32, Output = Complex32>>(
    gpu: &Gpu,
    plan: &Plan<S>,
    input: &[Complex32],
    output: &mut Vec<Complex32>,
) -> Result<()> {
    let (from, to) = (gpu.alloc::<Complex32>(input.len())?, gpu.alloc::<Complex32>(output.len())?);
    gpu.queue().write_buffer(from.wgpu(), 0, bytemuck::cast_slice(input));
    let size = to.wgpu().size();
    let download = buffer(gpu, size, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST, false);
    let submission = gpu.submit(|encoder| {
        plan.encode(encoder, &from, &to)?;
        encoder.copy_buffer_to_buffer(to.wgpu(), 0, &download, 0, size);
        Ok(())
    })?;
    download.map_async(wgpu::MapMode::Read, .., |mapped| mapped.expect("the device is there"));
    wait(gpu, submission)?;
    *output = bytemuck::pod_collect_to_vec(&download.get_mapped_range(..)?);
    Ok(())
}
