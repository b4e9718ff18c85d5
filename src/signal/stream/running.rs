//! A convolution of a stream on a device.
//!
//! Everything that a block may need is bound when the stream is made: a [`Job`] is one plan, bound
//! once for each place in the rings, with the blocks in which it is due. Recording a block is
//! recording the jobs that are due in it.
//!
//! For part p of the kernel, with partitions of N samples (m blocks) and Q spectra, after block t:
//! - if t ends a period of m blocks, its N samples are transformed, padded with zeros to 2N, into
//!   row j mod Q of the ring, where j counts periods;
//! - in the next period, slices of the sum over q of G\[q\] · (spectrum j - q) are computed, where
//!   G\[q\] is the spectrum of taps (q-1)·N … (q+1)·N - 1 of the part. So the second half of the
//!   sum's transform is the period's result: no product wraps around into it. Rows of G are stored
//!   in the opposite order and almost twice, so that at some offset they lie beside those of the
//!   ring wherever its newest row is;
//! - before that period ends, the sum is transformed back. The result is added to those of the
//!   first part, block by block, in the period after it.
//!
//! The first part, with m = 1, has all of this in every block, and its result at once.

use std::sync::Arc;

use num_complex::Complex32;

use super::convolve::StreamConvolve;
use super::jobs::{Job, Level, Uniforms, common_multiple, padded, rows, second_half};
use super::parts::Part;
use crate::error::{Error, Result, within};
use crate::fft::{R2c, Scale};
use crate::fragment::Fragment;
use crate::gpu::late::collected;
use crate::gpu::{Commands, DeviceBuffer, Download, Gpu, IntoView, Pending, cannot_block, foreign, wait_for, without_panic};
use crate::layout::Layout;
use crate::plan::{Bound, FragmentArrays, Plan, With};
use crate::planner::Planner;
use crate::reduce;

/// Each takes a few hundred bytes and some microseconds.
const MAX_BIND_GROUPS: u64 = 1 << 18;

/// The spectra of a part of the kernel, and how they are made.
#[derive(Debug)]
struct Kernel {
    part: Part,
    /// Samples of a partition.
    n: usize,
    spectra: DeviceBuffer<Complex32>,
    plan: Arc<Plan<R2c>>,
}

/// A convolution of a stream, which remembers what it was given:
/// [`StreamConvolve::stream`] makes it.
#[derive(Debug)]
pub struct ConvolveStream {
    spec: StreamConvolve,
    gpu: Gpu,
    parts: Vec<Kernel>,
    jobs: Vec<Job>,
    input: DeviceBuffer<f32>,
    output: DeviceBuffer<f32>,
    /// The blocks of a period of the largest partitions, if there are larger ones.
    blocks: Option<DeviceBuffer<f32>>,
    /// What must be zeros at the start: spectra, and results that are to be added.
    remembered: Vec<wgpu::Buffer>,
    /// Blocks that came.
    step: u64,
}

impl StreamConvolve {
    /// Plans the stream and begins it, with silence before its first block.
    ///
    /// # Errors
    /// Those of planning, see above, and [`Error::OutOfMemory`].
    pub fn stream(&self, planner: &Planner, kernel: &[f32]) -> Result<ConvolveStream> {
        let gpu = planner.gpu();
        let (parts, slices) = self.parts()?;
        check_kernel(self, kernel)?;
        let StreamConvolve { block, channels, .. } = *self;
        let largest = parts[parts.len() - 1].blocks;
        check_bind_groups(self, &parts, &slices)?;
        let mut own = ConvolveStream {
            spec: self.clone(),
            gpu: gpu.clone(),
            parts: Vec::new(),
            jobs: Vec::new(),
            input: gpu.alloc(channels * block)?,
            output: gpu.alloc(channels * block)?,
            blocks: if largest > 1 { Some(gpu.alloc(channels * block * largest)?) } else { None },
            remembered: Vec::new(),
            step: 0,
        };
        let mut levels = Vec::new();
        for (&part, slices) in parts.iter().zip(slices) {
            levels.push(own.level(planner, part, slices)?);
        }
        let first = levels.remove(0);
        let forward = planner.plan(padded(block, channels))?;
        own.jobs.push(Job::new(1, 0, first.q, |i| forward.bind(&own.input, first.newest(i)?))?);
        own.jobs.push(Job::new(1, 0, first.q, |i| first.sums(0, i))?);
        let results = own.add_results(planner, &first, &levels)?;
        for (level, result) in levels.iter().zip(&results) {
            own.later_jobs(planner, level, result, largest)?;
        }
        own.set_kernel(kernel)?;
        // Compilers of software adapters run at the first use.
        let submission = gpu.submit(|encoder| own.jobs.iter().try_for_each(|job| job.bounds[0].encode(encoder)))?;
        own.reset()?;
        if cfg!(not(target_arch = "wasm32")) {
            wait_for(gpu, submission)?;
        }
        Ok(own)
    }
}

impl ConvolveStream {
    /// Adds a part of the kernel.
    fn level(&mut self, planner: &Planner, part: Part, slices: usize) -> Result<Level> {
        let StreamConvolve { block, channels, .. } = self.spec;
        let (gpu, n, q) = (&self.gpu, part.len(block), part.spectra(block));
        let bins = channels * (n + 1);
        // Slices begin where a binding may.
        let alignment = (gpu.profile().storage_alignment as usize / size_of::<Complex32>()).max(1);
        let slices = slices.min(bins.div_ceil(alignment));
        let slice = bins.div_ceil(slices).next_multiple_of(alignment);
        let row = slice * slices;
        let (ring, sums, spectra) = (gpu.alloc(q * row)?, gpu.alloc(row)?, gpu.alloc(rows(q) * row)?);
        let spectrum = R2c::forward([channels, 2 * n]).axes([1]).batch(rows(q)).scale(Scale::InvLen);
        let plan = planner.plan(spectrum.output_layout(Layout::strides([n + 1, 1]).batch_distance(row)))?;
        let sum = reduce::dot::<Complex32>([q, slice]).axes([0]).input_layout(Layout::strides([row, 1]));
        self.remembered.push(ring.buffer().clone());
        let level = Level { m: part.blocks, n, q, slice, slices, bins, ring, sums, spectra, sum: planner.plan(sum)? };
        self.parts.push(Kernel { part, n, spectra: level.spectra.clone(), plan });
        Ok(level)
    }

    /// The first part's way back, on which the results of the others are added. They have two
    /// places each: one is read while the other is written.
    fn add_results(&mut self, planner: &Planner, first: &Level, levels: &[Level]) -> Result<Vec<(DeviceBuffer<f32>, usize)>> {
        let StreamConvolve { block, channels, .. } = self.spec;
        let sums = first.sums.slice(..first.bins)?;
        if levels.is_empty() {
            let plan = planner.plan(second_half(block, channels))?;
            self.jobs.push(Job::new(1, 0, 1, |_| plan.bind(sums, &self.output))?);
            return Ok(Vec::new());
        }
        let alignment = (self.gpu.profile().storage_alignment as usize / size_of::<f32>()).max(1);
        let mut results = Vec::new();
        let (mut fragment, mut text) = (Vec::new(), "value".to_owned());
        for (i, level) in levels.iter().enumerate() {
            let half = (channels * level.n).next_multiple_of(alignment);
            let result: DeviceBuffer<f32> = self.gpu.alloc(2 * half)?;
            self.remembered.push(result.buffer().clone());
            text += &format!(" + later{i}[places[{i}] + batch * {}u + i0]", level.n);
            fragment.push((format!("later{i}"), 2 * half));
            results.push((result, half));
        }
        let text = Fragment::new(text.as_str()).uniform::<[u32; 4]>("places", "vec4<u32>");
        let text = fragment.iter().fold(text, |text, (name, len)| text.array::<f32>(name.as_str(), *len));
        let plan = planner.plan(second_half(block, channels).map_output::<f32>(text)?)?;
        let steps = 2 * levels[levels.len() - 1].m;
        let place = |step: usize| {
            let mut places = [0; 4];
            for ((place, level), (_, half)) in places.iter_mut().zip(levels).zip(&results) {
                *place = (step / level.m % 2 * half + step % level.m * block) as u32;
            }
            places
        };
        let places = Uniforms::new(&self.gpu, &(0..steps).map(place).collect::<Vec<_>>())?;
        let job = Job::new(1, 0, steps, |step| {
            let arrays = FragmentArrays::new().with("places", places.at(step)?);
            let names = fragment.iter().zip(&results);
            let arrays = names.fold(arrays, |arrays, ((name, _), (result, _))| arrays.with(name.as_str(), result));
            plan.bind(With(sums, &arrays), &self.output)
        })?;
        self.jobs.push(job);
        Ok(results)
    }

    /// The jobs of a part with larger partitions.
    fn later_jobs(&mut self, planner: &Planner, level: &Level, result: &(DeviceBuffer<f32>, usize), largest: usize) -> Result<()> {
        let StreamConvolve { block, channels, .. } = self.spec;
        let (m, n, q) = (level.m, level.n, level.q);
        let Some(blocks) = self.blocks.clone() else { return Ok(()) };
        // At the end of a period, its blocks are transformed. They lie one after the other, each
        // with all channels.
        let text = format!("blocks[((places.x + i0 / {block}u) * {channels}u + batch) * {block}u + i0 % {block}u]");
        let text = Fragment::new(text.as_str()).array::<f32>("blocks", blocks.len()).uniform::<[u32; 4]>("places", "vec4<u32>");
        let forward = planner.plan(padded(n, channels).map_input::<f32>(text)?)?;
        let periods = largest / m;
        let first: Vec<[u32; 4]> = (0..periods).map(|period| [(period * m) as u32, 0, 0, 0]).collect();
        let places = Uniforms::new(&self.gpu, &first)?;
        let input = blocks.slice(..channels * n)?;
        self.jobs.push(Job::new(m, m - 1, common_multiple(q, periods), |period| {
            let arrays = FragmentArrays::new().with("places", places.at(period % periods)?).with("blocks", &blocks);
            forward.bind(With(input, &arrays), level.newest(period)?)
        })?);
        // In the blocks before the last one of the next period, slices of its sums are computed.
        for slice in 0..level.slices {
            let phase = slice * (m - 1) / level.slices;
            self.jobs.push(Job::new(m, phase, q, |period| level.sums(slice, period + q - 1))?);
        }
        let back = planner.plan(second_half(n, channels))?;
        let (buffer, half) = result;
        self.jobs.push(Job::new(m, m - 2, 2, |period| {
            let at = (period + 1) % 2 * half;
            back.bind(level.sums.slice(..level.bins)?, buffer.slice(at..at + channels * n)?)
        })?);
        Ok(())
    }

    /// What the stream computes.
    pub fn spec(&self) -> &StreamConvolve {
        &self.spec
    }

    /// The partitions of the kernel: their length in taps and how many of that length there are,
    /// first taps first.
    #[must_use]
    pub fn partitions(&self) -> Vec<[usize; 2]> {
        self.parts.iter().map(|own| [own.n, own.part.spectra(self.spec.block) - 1]).collect()
    }

    /// Dispatches of the busiest block.
    #[must_use]
    pub fn most_dispatches(&self) -> usize {
        let period = self.jobs.iter().map(|job| job.every).max().unwrap_or(1) as u64;
        let dispatches = |step| self.jobs.iter().filter_map(|job| job.due(step)).map(Bound::dispatches).sum();
        (0..period).map(dispatches).max().unwrap_or(0)
    }

    /// Takes the next block of all channels, by one submission, and returns the same block of the
    /// results, to be awaited or waited for. More blocks may be pushed before.
    ///
    /// # Errors
    /// [`Error::WrongLen`] for another number of samples, which changes nothing;
    /// [`Error::OutOfMemory`]; [`Error::DeviceLost`]. After another error than the first, call
    /// [`reset`](Self::reset).
    pub fn push(&mut self, block: &[f32]) -> Result<Pending<Vec<f32>>> {
        let download = self.begin(block)?;
        Ok(self.gpu.collect(download, self.output.len()))
    }

    /// As [`push`](Self::push), but writes the results over `output`, blocks until they are there,
    /// and allocates no vector.
    ///
    /// # Errors
    /// Those of [`push`](Self::push), also for another length of `output`; in the browser
    /// [`Error::Unsupported`].
    pub fn push_into(&mut self, block: &[f32], output: &mut [f32]) -> Result<()> {
        if cfg!(target_arch = "wasm32") {
            return Err(cannot_block());
        }
        self.check_len("output", output.len())?;
        let download = self.begin(block)?;
        let progress = download.progress().clone();
        progress.block_on(download.read_all(bytemuck::cast_slice_mut(output)))
    }

    fn check_len(&self, argument: &'static str, actual: usize) -> Result<()> {
        let expected = self.input.len();
        if expected == actual { Ok(()) } else { Err(Error::WrongLen { argument, expected, actual }) }
    }

    fn begin(&mut self, block: &[f32]) -> Result<Download> {
        self.check_len("block", block.len())?;
        let gpu = self.gpu.clone();
        let (download, late) = collected(|| {
            gpu.flush()?;
            let (mut commands, bytes) = (Commands::new(&gpu)?, self.output.view().len_bytes());
            commands.upload(self.input.buffer(), 0, vec![bytemuck::cast_slice(block)], 1)?;
            let mut download = Download::of_buffer(&gpu, self.output.buffer(), 0, bytes);
            gpu.caught("recording", 0, || self.record(&mut commands.encoder))?;
            download.record(&mut commands)?;
            let submission = commands.submit()?;
            self.step += 1;
            download.begin(&submission)?;
            Ok(download)
        });
        Ok(download?.with_late(late))
    }

    /// Records the next block into the caller's encoder: from `input` to `output`, which need the
    /// usages `COPY_SRC` and `COPY_DST`. It makes no bind group and submits nothing. Several blocks
    /// may be recorded into one encoder. All that was recorded must be submitted, in the order in
    /// which it was recorded, and before the next [`push`](Self::push), [`reset`](Self::reset) or
    /// [`set_kernel`](Self::set_kernel).
    ///
    /// # Errors
    /// [`Error::WrongLen`], [`Error::MissingUsage`], [`Error::ForeignObject`] and
    /// [`Error::DeviceLost`], which leave the encoder and the stream unchanged; [`Error::Wgpu`] if
    /// the encoder has an open pass.
    pub fn encode<'a>(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        input: impl IntoView<'a, f32>,
        output: impl IntoView<'a, f32>,
    ) -> Result<()> {
        let (input, output) = (input.into_view(), output.into_view());
        let usages = [("input", input, wgpu::BufferUsages::COPY_SRC), ("output", output, wgpu::BufferUsages::COPY_DST)];
        for (argument, view, usage) in usages {
            self.check_len(argument, view.len())?;
            self.gpu.require(argument, view.buffer(), usage)?;
            self.gpu.check_buffer(argument, view.buffer())?;
        }
        let bytes = input.len_bytes();
        let record = || {
            self.gpu.caught("recording", 0, || {
                encoder.copy_buffer_to_buffer(input.buffer(), input.offset_bytes(), self.input.buffer(), 0, bytes);
                self.record(encoder);
                encoder.copy_buffer_to_buffer(self.output.buffer(), 0, output.buffer(), output.offset_bytes(), bytes);
            })
        };
        without_panic(record).unwrap_or_else(|why| Err(foreign("encoder", why)))?;
        self.step += 1;
        Ok(())
    }

    /// Records what is due when the next block is there.
    fn record(&self, encoder: &mut wgpu::CommandEncoder) {
        if let Some(blocks) = &self.blocks {
            let (bytes, count) = (self.input.view().len_bytes(), (blocks.len() / self.input.len()) as u64);
            encoder.copy_buffer_to_buffer(self.input.buffer(), 0, blocks.buffer(), self.step % count * bytes, bytes);
        }
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some("wgpu-fft"), timestamp_writes: None });
        self.jobs.iter().filter_map(|job| job.due(self.step)).for_each(|bound| bound.record(&mut pass));
    }

    /// Forgets all blocks: the next one is the first again. The kernel stays.
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub fn reset(&mut self) -> Result<()> {
        self.gpu.submit(|encoder| {
            self.remembered.iter().for_each(|buffer| encoder.clear_buffer(buffer, 0, None));
            Ok(())
        })?;
        self.step = 0;
        Ok(())
    }

    /// Exchanges the kernel for one of the same length, by one upload and one transform for each
    /// size of partitions, in one submission. All samples that come and that came are convolved
    /// with the new one, but for results of larger partitions that belong to blocks of this period,
    /// which are computed already.
    ///
    /// # Errors
    /// [`Error::WrongLen`]; [`Error::OutOfMemory`]; [`Error::DeviceLost`].
    pub fn set_kernel(&mut self, kernel: &[f32]) -> Result<()> {
        check_kernel(&self.spec, kernel)?;
        let StreamConvolve { taps, channels, for_each, block, .. } = self.spec;
        let mut bounds = Vec::new();
        for own in &self.parts {
            let (n, q) = (own.n, own.part.spectra(block));
            let mut frames = vec![0.0; rows(q) * channels * 2 * n];
            for (i, frame) in frames.chunks_mut(2 * n).enumerate() {
                let (row, channel) = (i / channels, i % channels);
                let taps = &kernel[if for_each { channel * taps..(channel + 1) * taps } else { 0..taps }];
                // Taps (p-1)·n … (p+1)·n - 1 of the part, for partition p.
                let p = (2 * q - 1 - row) % q;
                let [from, to] = [(p + 1) * n, (p + 3) * n].map(|tap| (own.part.from + tap).saturating_sub(2 * n));
                let (from, to) = (from.max(own.part.from), to.min(own.part.to));
                if from < to {
                    let at = from + n - (own.part.from + p * n);
                    frame[at..at + to - from].copy_from_slice(&taps[from..to]);
                }
            }
            let frames = self.gpu.upload(&frames)?;
            bounds.push(own.plan.bind(&frames, own.spectra.slice(..own.plan.output_len())?)?);
        }
        // What this period has computed of the next results, once more: a sum of which some slices
        // are of one kernel and some of the other would be none.
        let again = self.jobs.iter().filter_map(|job| job.done(self.step));
        self.gpu.submit(|encoder| bounds.iter().chain(again).try_for_each(|bound| bound.encode(encoder)))?;
        Ok(())
    }
}

/// Refuses streams whose places in rings would take minutes and gigabytes to bind.
fn check_bind_groups(spec: &StreamConvolve, parts: &[Part], slices: &[usize]) -> Result<()> {
    let largest = parts[parts.len() - 1].blocks;
    let of = |(part, slices): (&Part, &usize)| {
        let q = part.spectra(spec.block);
        (common_multiple(q, largest / part.blocks) + slices * q) as u64
    };
    let required = parts.iter().zip(slices).map(of).sum::<u64>() + 2 * largest as u64;
    within(|| format!("`{spec}`: take longer blocks, or other partitions"), "bind groups of a stream", required, MAX_BIND_GROUPS)
}

fn check_kernel(spec: &StreamConvolve, kernel: &[f32]) -> Result<()> {
    let (expected, actual) = (spec.kernel_len(), kernel.len());
    if expected == actual { Ok(()) } else { Err(Error::WrongLen { argument: "kernel", expected, actual }) }
}
