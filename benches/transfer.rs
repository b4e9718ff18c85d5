//! From slice to slice: what `Plan::run` and `Plan::run_into` take, against the transform alone
//! with its data on the device and against a bare copy of the same bytes.
//!
//! ```sh
//! cargo bench --bench measure -- transfer --rounds 21
//! ```
//!
//! In each round every candidate moves the same array once, by the host's clock:
//! - `resident`: the transform, recorded and submitted, of arrays on the device;
//! - `staging`: no transform. The host copies the array into a staging buffer that is mapped, the
//!   device copies it into an array and that into another staging buffer, and the host copies it
//!   out, into memory that is there: one whole after the other, by as many threads as a run has;
//! - `write_buffer`: new arrays, `wgpu::Queue::write_buffer`, the transform, a new staging buffer
//!   of the array's size, and a new vector: what a program without this crate's transfers does;
//! - `run`, `run_into`: the calls. `--piece-mib` and `--copy-threads` add candidates `run_into, …` by
//!   other [`Transfers`];
//! - `guest`: `run_into` of a guest on a device that maps no arrays, where the crate's own does.
//!
//! `of_staging` and `of_resident` are medians of ratios of the same round. `goal` is 80% of the
//! bare copy's speed on a GPU, and 1.3 times the resident transform on a software adapter; `is_met`
//! says whether `run_into` reaches it.

use std::time::Instant;

use serde_json::json;
use wgpu_fft::fft::C2c;
use wgpu_fft::gpu::Transfers;
use wgpu_fft::{Complex32, Gpu, Plan, Planner, Spec, bytemuck, wgpu};

use crate::support::{Bench, Case, Column, Format, Program, Result, median, rounded};

pub const PROGRAM: Program = Program {
    name: "transfer",
    about: "runs from slice to slice, beside bare copies",
    options: "  --log2 N           only transforms of 2^N complex numbers; may be repeated
  --piece-mib N      also run_into in pieces of N MiB; may be repeated
  --copy-threads N   also run_into with N copying threads; may be repeated
(--recipe has no effect)
",
    columns: COLUMNS,
    work,
};

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

fn work(bench: &mut Bench) -> Result<()> {
    let (options, default) = (bench.options(), Transfers::default());
    let pieces = options.numbers("piece-mib")?.into_iter().map(|mib: u64| (format!("{mib} MiB"), default.piece_bytes(mib << 20)));
    let threads = options.numbers("copy-threads")?.into_iter().map(|count| (format!("{count} threads"), default.copy_threads(count)));
    let variants: Vec<(String, Transfers)> = pieces.chain(threads).collect();
    let mut lengths: Vec<u32> = options.numbers("log2")?;
    if lengths.is_empty() {
        lengths = bench.sized(&[10, 14, 18, 20, 22, 24, 25, 26][..], &[10, 14, 18, 20, 22], &[10]).to_vec();
    }
    let maps_arrays = bench.gpu().device().features().contains(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS);
    let guest = maps_arrays.then(|| guest(bench.adapter(), bench.gpu())).transpose()?;
    for log2 in lengths {
        let spec = C2c::forward(1 << log2.clamp(1, 28));
        bench.contest(&spec.to_string(), |bench| case(bench, guest.as_ref(), &variants, &spec))?;
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

fn case(bench: &mut Bench, guest: Option<&Gpu>, variants: &[(String, Transfers)], spec: &C2c) -> Result<()> {
    let gpu = &bench.gpu().clone();
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
    let others = variants.iter().map(|(name, transfers)| (format!("run_into, {name}"), another().with_transfers(*transfers)));
    let others: Vec<(String, Gpu)> = others.chain(guest.map(|guest| ("guest".to_owned(), guest.clone()))).collect();
    for (name, gpu) in others {
        let plan = Planner::new(&gpu).plan(spec.clone())?;
        candidates.push(Candidate::new(&name, Box::new(move |input, output| Ok(plan.run_into(input, output)?))));
    }
    let input: Vec<Complex32> = (0..len as u32).map(|i| Complex32::new((i.wrapping_mul(0x9e37_79b1) >> 8) as f32, 1.0)).collect();
    let mut output = vec![Complex32::default(); len];
    // To compile, to make the buffers that are kept, and to wake idle devices.
    let (before, rounds) = if bench.options().smoke { (1, 1) } else { (3, bench.options().rounds) };
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
    let case = Case::of(spec.to_string(), len.to_string(), &plan);
    for candidate in &candidates {
        let [of_resident, of_staging] = [0, 1].map(|base| ratio(candidate, base));
        let (goal, is_met) =
            if gpu.profile().is_cpu() { ("of_resident <= 1.3", of_resident <= 1.3) } else { ("of_staging <= 1.25", of_staging <= 1.25) };
        let milliseconds = median(candidate.seconds.iter().map(|seconds| seconds * 1e3));
        let least = candidate.seconds.iter().copied().fold(f64::INFINITY, f64::min);
        let mut own = vec![
            ("candidate", json!(candidate.name)),
            ("rounds", json!(rounds)),
            ("threads", json!(copy_threads())),
            ("ms", rounded(milliseconds)),
            ("least_ms", rounded(least * 1e3)),
            ("gb_per_s", rounded(2.0 * bytes as f64 / milliseconds / 1e6)),
            ("of_staging", rounded(of_staging)),
            ("of_resident", rounded(of_resident)),
        ];
        if candidate.name == "run_into" {
            own.extend([("goal", json!(goal)), ("is_met", json!(if is_met { "met" } else { "not met" }))]);
        }
        bench.report_own(&case, "", own);
    }
    Ok(())
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
    gpu.queue().write_buffer(from.buffer(), 0, bytemuck::cast_slice(input));
    let size = to.buffer().size();
    let download = buffer(gpu, size, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST, false);
    let submission = gpu.submit(|encoder| {
        plan.encode(encoder, &from, &to)?;
        encoder.copy_buffer_to_buffer(to.buffer(), 0, &download, 0, size);
        Ok(())
    })?;
    download.map_async(wgpu::MapMode::Read, .., |mapped| mapped.expect("the device is there"));
    wait(gpu, submission)?;
    *output = bytemuck::pod_collect_to_vec(&download.get_mapped_range(..)?);
    Ok(())
}
