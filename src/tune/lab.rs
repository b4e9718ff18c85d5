//! A scratch device and the candidate recipes on it.

use std::collections::HashMap;
use std::sync::Arc;

use super::any::AnyTunable;
use super::tunable::{Arrays, Bindings, Compiled, Recorder};
use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::gpu::stopwatch::{Stopwatch, Timer};
use crate::kernels::element::Width;
use crate::kernels::{Slot, copy, transpose};
use crate::plan::{AnyValue, Array, Builder, Placement, Program};
use crate::sort::sort_short_by;
use crate::threads::side_by_side;
use crate::verify::{Guarded, Sample, UNWRITTEN, Verification, disagreement, fill};

/// Bytes of arrays that take turns on a GPU, so that its caches hold none of them: those of an H200
/// are 60 MB.
const ROTATION_BYTES: u64 = 192 << 20;
const MAX_PAIRS: u64 = 256;

/// Seconds of a sample, at least: some thousand ticks of the slowest clocks; on a processor, where
/// the clock is that of the host, ten times what a submission costs.
pub(super) const SAMPLE: f64 = 1e-3;
/// Dispatches of a sample at most. Some 10,000 are a command buffer that every driver takes.
const MAX_REPETITIONS: f64 = 1024.0;

/// The device, the arrays, and the recipes compiled so far.
pub(super) struct Lab {
    gpu: Gpu,
    tunable: Arc<dyn AnyTunable>,
    verification: Verification,
    arrays: Arrays,
    stopwatch: Stopwatch,
    pairs: Vec<Guarded>,
    input: Vec<u32>,
    samples: Vec<Sample>,
    expected: Option<Vec<u32>>,
    /// Recipes that are compiled and have not run.
    compiled: HashMap<AnyValue, Compiled>,
    candidates: HashMap<AnyValue, Candidate>,
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
        let count = if gpu.profile().is_cpu() { 1 } else { ROTATION_BYTES.div_ceil(bytes.max(1)).clamp(1, MAX_PAIRS) };
        let input = fill(verification.input, (arrays.input_bytes / 4) as usize);
        let pair = || -> Result<Guarded> {
            let inputs = if arrays.placement == Placement::InPlace { 0 } else { arrays.inputs };
            let own = Guarded::new(&gpu, inputs, arrays.input_bytes, arrays.output_bytes)?;
            own.fill(&input, UNWRITTEN)?;
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
        let workgroup = profile.invocations_in_a_row().min(copy::MAX_WORKGROUP);
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
            let bound = plain.bind(|slot| (if slot == Slot::Output { to.buffer() } else { from.buffer() }, 0))?;
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

    /// Runs on fresh inputs and returns the output, or which array was written that should not have
    /// been.
    fn run_guarded(&self, recorder: &Recorder) -> Result<std::result::Result<Vec<u32>, String>> {
        let pair = &self.pairs[0];
        pair.fill(&self.input, UNWRITTEN)?;
        self.gpu.submit(|encoder| {
            recorder(
                &mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some("wgpu-fft gate"), timestamp_writes: None }),
            );
            Ok(())
        })?;
        Ok(match pair.fault(&self.input)? {
            Some(fault) => Err(fault),
            None => Ok(pair.read(0..pair.output_words())?),
        })
    }
}

/// The inputs of one pair and the output of another.
fn bindings<'a>(pair: &'a Guarded, other: &'a Guarded) -> Result<Bindings<'a>> {
    let input = |i| if pair.is_in_place() { other.output() } else { pair.input(i) };
    Ok(Bindings { inputs: [input(0)?, input(1)?], output: other.output()? })
}

fn repetitions(seconds: f64) -> usize {
    (SAMPLE / seconds).ceil().clamp(1.0, MAX_REPETITIONS) as usize
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
