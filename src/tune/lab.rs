//! A scratch device and the candidate recipes on it.

use std::collections::HashMap;
use std::sync::Arc;

use super::any::AnyTunable;
use super::compare::{disagreement, fill};
use super::tunable::{Arrays, Bindings, Compiled, Recorder};
use super::{Sample, Verification};
use crate::error::{Error, Result};
use crate::gpu::{DeviceBuffer, Gpu, Stopwatch, Timer, View};
use crate::kernels::element::Width;
use crate::kernels::{Slot, copy, transpose};
use crate::plan::{AnyValue, Array, Builder, Placement, Program};
use crate::sort::sort_short_by;
use crate::threads::side_by_side;

/// Words before and after each array that nobody may write: 64 KiB, so that arrays begin at a page
/// of the device's, as callers' arrays do.
const GUARD: usize = 1 << 14;
const GUARDS: u32 = 0x7fc0_6a6d;
/// What an output holds before: a NaN that no arithmetic makes.
const UNWRITTEN: u32 = 0x7fc0_dead;

/// Bytes of arrays that take turns on a GPU, so that its caches hold none of them: those of an H200
/// are 60 MB.
const ROTATION_BYTES: u64 = 192 << 20;
const MOST_PAIRS: u64 = 256;

/// Seconds of a sample, at least: some thousand ticks of the slowest clocks; on a processor, where
/// the clock is that of the host, ten times what a submission costs.
pub(super) const SAMPLE: f64 = 1e-3;
/// Dispatches of a sample at most. Some 10,000 are a command buffer that every driver takes.
const MOST_REPETITIONS: f64 = 1024.0;

/// The device, the arrays, and the recipes compiled so far.
pub(super) struct Lab {
    gpu: Gpu,
    tunable: Arc<dyn AnyTunable>,
    verification: Verification,
    arrays: Arrays,
    stopwatch: Stopwatch,
    pairs: Vec<Pair>,
    input: Vec<u32>,
    samples: Vec<Sample>,
    expected: Option<Vec<u32>>,
    /// Recipes that are compiled and have not run.
    compiled: HashMap<AnyValue, Compiled>,
    candidates: HashMap<AnyValue, Candidate>,
}

/// Inputs and an output, each between guards.
struct Pair {
    inputs: Vec<DeviceBuffer<u32>>,
    output: DeviceBuffer<u32>,
}

struct Candidate {
    /// On each pair.
    recorders: Vec<Recorder>,
    next: usize,
    repetitions: usize,
}

impl Lab {
    /// Opens a second device of `gpu`'s adapter, and makes the arrays.
    pub fn open(gpu: &Gpu, tunable: Arc<dyn AnyTunable>) -> Result<Self> {
        let gpu = pollster::block_on(gpu.scratch())?;
        let (verification, arrays) = (tunable.verification(), tunable.arrays(gpu.profile())?);
        let bytes = arrays.input_bytes * arrays.inputs as u64 + arrays.output_bytes;
        let count = if gpu.profile().is_cpu() { 1 } else { ROTATION_BYTES.div_ceil(bytes.max(1)).clamp(1, MOST_PAIRS) };
        let input = fill(verification.input, (arrays.input_bytes / 4) as usize);
        let pair = || -> Result<Pair> {
            let array = |bytes: u64| gpu.alloc::<u32>((bytes / 4) as usize + 2 * GUARD);
            let inputs = if arrays.placement == Placement::InPlace { 0 } else { arrays.inputs };
            let inputs = (0..inputs).map(|_| array(arrays.input_bytes)).collect::<Result<Vec<_>>>()?;
            let own = Pair { inputs, output: array(arrays.output_bytes)? };
            let first = own.inputs.iter().chain([&own.output]);
            first.into_iter().try_for_each(|buffer| write(&gpu, buffer, &input[..input.len().min(buffer.len() - 2 * GUARD)]))?;
            Ok(own)
        };
        let pairs = (0..count).map(|_| pair()).collect::<Result<_>>()?;
        let stopwatch = Stopwatch::new(&gpu)?;
        let samples = tunable.samples(&input);
        Ok(Self {
            gpu,
            tunable,
            verification,
            arrays,
            stopwatch,
            pairs,
            samples,
            input,
            expected: None,
            compiled: HashMap::new(),
            candidates: HashMap::new(),
        })
    }

    pub fn timer(&self) -> Timer {
        self.stopwatch.timer()
    }

    /// Fails if the device is lost.
    pub fn check_alive(&self) -> Result<()> {
        self.gpu.check_alive("measuring recipes")
    }

    /// Compiles recipes side by side, for [`admit`](Self::admit), which says what is wrong with
    /// those that do not compile.
    pub fn compile_all(&mut self, recipes: &[AnyValue]) {
        let (tunable, gpu) = (&self.tunable, &self.gpu);
        let compiled = side_by_side(recipes, |recipe| tunable.compile(gpu, recipe).ok());
        self.compiled = recipes.iter().cloned().zip(compiled).filter_map(|(recipe, compiled)| Some((recipe, compiled?))).collect();
    }

    /// Compiles a recipe, unless it is, runs it once to warm up, and returns the seconds of its
    /// second run. It stays until it is dismissed.
    pub fn admit(&mut self, recipe: &AnyValue) -> Result<f64> {
        let compiled = self.compiled.remove(recipe).map_or_else(|| self.tunable.compile(&self.gpu, recipe), Ok)?;
        // Small outputs do not take turns: small dispatches that share no array would run at the
        // same time.
        let small = self.arrays.output_bytes * 16 <= self.arrays.input_bytes;
        let output = |pair| if small { self.pairs.first() } else { Some(pair) };
        let bound = |pair| compiled(&bindings(pair, output(pair).unwrap_or(pair))?);
        let recorders = self.pairs.iter().map(bound).collect::<Result<Vec<_>>>()?;
        let (candidate, seconds) = Candidate::rehearsed(recorders, &self.stopwatch)?;
        self.candidates.insert(recipe.clone(), candidate);
        Ok(seconds)
    }

    /// Forgets a recipe.
    pub fn dismiss(&mut self, recipe: &AnyValue) {
        self.candidates.remove(recipe);
    }

    /// Seconds of one run of each, one after another. The recipes have been admitted.
    pub fn round(&mut self, recipes: &[AnyValue]) -> Result<Vec<f64>> {
        let stopwatch = &self.stopwatch;
        let candidates = &mut self.candidates;
        recipes.iter().map(|recipe| candidates.get_mut(recipe).map_or(Ok(f64::NAN), |candidate| candidate.sample(stopwatch))).collect()
    }

    /// Seconds that a plain copy on this device takes to move as much as these arrays do; where a
    /// binding holds less, at the same rate.
    pub fn copy_seconds(&mut self) -> Result<f64> {
        let limit = self.gpu.profile().binding_bytes;
        let words = ((self.arrays.moved_bytes() / 2).min(limit) / 16 * 4).max(4) as usize;
        let profile = self.gpu.profile();
        let workgroup = profile.invocations.min(profile.workgroup_size[0]).min(copy::MAX_WORKGROUP);
        let arrays = transpose::Arrays { slots: [Slot::Input(0), Slot::Output], ranges: [None; 2] };
        let dispatches = vec![copy::dispatch(words as u32 / 4, Width::Quad, workgroup, profile.groups_per_axis, arrays)?];
        let array = Array::of::<u32>(words);
        let title = format!("copy of {words} words");
        let program = Program { dispatches, ..Program::new(title, Placement::OutOfPlace, vec![array], array) };
        let plain = Builder::new(&self.gpu).executable(program)?;
        let pairs = (ROTATION_BYTES.div_ceil(words as u64 * 8)).clamp(1, self.pairs.len() as u64);
        let array = || self.gpu.alloc::<u32>(words);
        let mut recorders: Vec<Recorder> = Vec::new();
        for _ in 0..pairs {
            let (from, to) = (array()?, array()?);
            let bound = plain.bind(|slot| (if slot == Slot::Output { to.wgpu() } else { from.wgpu() }, 0))?;
            recorders.push(Box::new(move |pass| bound.record(pass)));
        }
        let (mut copy, _) = Candidate::rehearsed(recorders, &self.stopwatch)?;
        let mut seconds: Vec<f64> = (0..5).map(|_| copy.sample(&self.stopwatch)).collect::<Result<_>>()?;
        sort_short_by(&mut seconds, f64::total_cmp);
        // The fastest: nothing should be called impossible because a copy was slow once.
        Ok(seconds[0] * self.arrays.moved_bytes() as f64 / (words as f64 * 8.0))
    }

    /// Says what is wrong with the result of an admitted recipe, if anything is: it is compared
    /// with elements computed on the host and with the baseline's result, and so are the guards
    /// around each array. Where the baseline does not run, or is wrong itself, the estimate takes
    /// its place.
    pub fn fault(&mut self, recipe: &AnyValue, estimate: &AnyValue) -> Result<Option<String>> {
        if self.expected.is_none() {
            let right = |output: std::result::Result<Vec<u32>, String>| output.ok().filter(|output| self.wrong_sample(output).is_none());
            let by_baseline = self.tunable.baseline(self.gpu.profile()).and_then(|baseline| self.result(&baseline));
            let by_baseline = match by_baseline {
                Ok(output) => right(output),
                Err(error @ Error::DeviceLost { .. }) => return Err(error),
                Err(_) => None,
            };
            self.expected = match by_baseline {
                Some(output) => Some(output),
                None => right(self.result(estimate)?),
            };
        }
        let Some(candidate) = self.candidates.get(recipe) else { return Ok(Some("it was not admitted".to_owned())) };
        let output = self.run_guarded(&candidate.recorders[0])?;
        Ok(match (output, &self.expected) {
            (Ok(output), Some(expected)) => {
                self.wrong_sample(&output).or_else(|| disagreement(self.verification.output, expected, &output))
            }
            (Err(fault), _) => Some(fault),
            (Ok(_), None) => Some("there is no result to compare it with".to_owned()),
        })
    }

    /// What is wrong with the elements of an output that are known.
    fn wrong_sample(&self, output: &[u32]) -> Option<String> {
        self.samples.iter().find_map(|sample| sample.fault(output))
    }

    /// The result of a recipe that need not be admitted.
    fn result(&self, recipe: &AnyValue) -> Result<std::result::Result<Vec<u32>, String>> {
        let recorder = self.tunable.compile(&self.gpu, recipe)?(&bindings(&self.pairs[0], &self.pairs[0])?)?;
        self.run_guarded(&recorder)
    }

    /// Whether an input or its guards were written. Of a large one its ends are looked at: reading
    /// gigabytes back takes as long as many a search.
    fn fault_of_input(&self, input: &DeviceBuffer<u32>) -> Result<Option<String>> {
        const MOST: usize = 1 << 24;
        let words = input.len();
        let ends = if words <= MOST { [(0, words), (0, 0)] } else { [(0, MOST / 2), (words - MOST / 2, MOST / 2)] };
        for (first, len) in ends.into_iter().filter(|(_, len)| *len > 0) {
            let after = self.gpu.download(View::<u32>::new(input.wgpu(), first as u64 * 4, len)?)?.wait()?;
            let before = |i: usize| i.checked_sub(GUARD).and_then(|i| self.input.get(i)).copied().unwrap_or(GUARDS);
            if let Some(i) = (first..).zip(&after).find(|(i, word)| **word != before(*i)).map(|(i, _)| i) {
                let place = if i < GUARD {
                    "before"
                } else if i < words - GUARD {
                    "to"
                } else {
                    "past"
                };
                return Ok(Some(format!("it writes {place}")));
            }
        }
        Ok(None)
    }

    /// Runs on fresh inputs and returns the output, or which array was written that should not have
    /// been.
    fn run_guarded(&self, recorder: &Recorder) -> Result<std::result::Result<Vec<u32>, String>> {
        let pair = &self.pairs[0];
        for input in &pair.inputs {
            write(&self.gpu, input, &self.input)?;
        }
        let words = pair.output.len() - 2 * GUARD;
        let mut before = vec![UNWRITTEN; words];
        if pair.inputs.is_empty() {
            before[..self.input.len()].copy_from_slice(&self.input);
        }
        write(&self.gpu, &pair.output, &before)?;
        self.gpu.submit(|encoder| {
            recorder(
                &mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some("wgpu-fft gate"), timestamp_writes: None }),
            );
            Ok(())
        })?;
        for (i, input) in pair.inputs.iter().enumerate() {
            if let Some(fault) = self.fault_of_input(input)? {
                return Ok(Err(format!("{fault} input {i}")));
            }
        }
        let mut output = self.gpu.download(&pair.output)?.wait()?;
        if let Some(fault) = guards(&output) {
            return Ok(Err(format!("{fault} the output")));
        }
        output.truncate(words + GUARD);
        output.drain(..GUARD);
        Ok(Ok(output))
    }
}

/// Writes an array and the guards around it.
fn write(gpu: &Gpu, buffer: &DeviceBuffer<u32>, words: &[u32]) -> Result<()> {
    let after = GUARD + words.len();
    gpu.write(View::new(buffer.wgpu(), 0, GUARD)?, &vec![GUARDS; GUARD])?;
    gpu.write(View::new(buffer.wgpu(), GUARD as u64 * 4, words.len())?, words)?;
    gpu.write(View::new(buffer.wgpu(), after as u64 * 4, buffer.len() - after)?, &vec![GUARDS; buffer.len() - after])
}

fn guards(array: &[u32]) -> Option<String> {
    let intact = |words: &[u32]| words.iter().all(|&word| word == GUARDS);
    match (intact(&array[..GUARD]), intact(&array[array.len() - GUARD..])) {
        (false, _) => Some("it writes before".to_owned()),
        (true, false) => Some("it writes past".to_owned()),
        (true, true) => None,
    }
}

fn view(buffer: &DeviceBuffer<u32>) -> Result<View<'_, u32>> {
    View::new(buffer.wgpu(), GUARD as u64 * 4, buffer.len() - 2 * GUARD)
}

/// The inputs of one pair and the output of another.
fn bindings<'a>(pair: &'a Pair, other: &'a Pair) -> Result<Bindings<'a>> {
    let output = view(&other.output)?;
    let input = |i: usize| pair.inputs.get(i).or(pair.inputs.first()).map_or(Ok(output), view);
    Ok(Bindings { inputs: [input(0)?, input(1)?], output })
}

fn repetitions(seconds: f64) -> usize {
    (SAMPLE / seconds).ceil().clamp(1.0, MOST_REPETITIONS) as usize
}

impl Candidate {
    /// Runs once to warm up, and then as often as fills a sample. Returns the seconds of one run
    /// too.
    fn rehearsed(recorders: Vec<Recorder>, stopwatch: &Stopwatch) -> Result<(Self, f64)> {
        let mut candidate = Self { recorders, next: 0, repetitions: 1 };
        candidate.sample(stopwatch)?;
        let mut seconds = candidate.sample(stopwatch)?;
        candidate.repetitions = repetitions(seconds);
        if candidate.repetitions > 1 {
            // One run of something short is mostly the cost of its begin and its end.
            seconds = candidate.sample(stopwatch)?;
            candidate.repetitions = repetitions(seconds);
        }
        Ok((candidate, seconds))
    }

    /// Seconds of one run.
    fn sample(&mut self, stopwatch: &Stopwatch) -> Result<f64> {
        let (recorders, next, repetitions) = (&self.recorders, self.next, self.repetitions);
        let time = stopwatch.time(|pass| recorders.iter().cycle().skip(next).take(repetitions).for_each(|record| record(pass)))?;
        self.next = (next + repetitions) % recorders.len();
        Ok(time.as_secs_f64() / repetitions as f64)
    }
}
