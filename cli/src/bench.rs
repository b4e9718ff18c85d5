//! `wgpu-fft bench`: times against the copy bandwidth of the adapter and against rustfft.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::json;
use wgpu_fft::dynamic::{AnyPlan, AnySpec};
use wgpu_fft::gpu::Stopwatch;
use wgpu_fft::plan::Placement;
use wgpu_fft::{Bound, DeviceBuffer, ElementType, FragmentArrays, Gpu, Planner};

use crate::array::fft_on_host;
use crate::device::{Device, Recipes};
use crate::output::table;
use crate::plan::moved_bytes;
use crate::{Result, files, plot};

#[derive(clap::Args)]
pub struct Arguments {
    /// Specifications to time [default: a dozen usual ones]
    specs: Vec<AnySpec>,
    #[command(flatten)]
    recipes: Recipes,
    /// How often each of them is timed, in turns with a copy
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Draw the results into this SVG file
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
}

/// What is timed by default, on GPUs and on processors.
const GPU_SPECS: [&str; 12] = [
    "c2c fwd 256x256",
    "c2c fwd 1024x1024",
    "c2c fwd 1080x1920",
    "c2c fwd 4096x4096",
    "c2c fwd 256x256x256",
    "c2c fwd 1024 x8192",
    "c2c fwd 1000 x8192",
    "c2c fwd 16777216",
    "r2c fwd 4096x4096",
    "r2r dct2 4096x4096",
    "transpose f32 4096x4096",
    "sum f32 16777216",
];
const PROCESSOR_SPECS: [&str; 9] = [
    "c2c fwd 64x64",
    "c2c fwd 256x256",
    "c2c fwd 512x512",
    "c2c fwd 1000x1000",
    "c2c fwd 1024 x1024",
    "r2c fwd 1024x1024",
    "r2r dct2 512x512",
    "transpose f32 1024x1024",
    "sum f32 4194304",
];

/// What is timed runs at least so long before, so that the clock of a GPU is up. After 0.2 s that of
/// an H200 still was a quarter of what it reached.
const WARM_UP: Duration = Duration::from_secs(1);

/// The number of samples of which the median is taken.
const SAMPLES: usize = 5;

/// A sample on a GPU has so many runs that it takes about this long. A run by itself also waits
/// until the cache has been written to memory, which takes up to 25 us on an H100: 2^23 complex
/// numbers 0.155 ms, in a row of runs 0.132; 4096^2 0.248 and 0.222. Processors run once: numbers
/// that become tiny, as by inverse transforms of their own result, are slow there.
const SAMPLE: Duration = Duration::from_millis(2);

/// The most runs in a sample.
const MOST_RUNS: f64 = 512.0;

/// The times of a specification.
pub struct Case {
    pub spec: String,
    pub recipe: String,
    /// The median of seconds.
    pub seconds: f64,
    /// What a copy of as many bytes takes.
    pub copy_seconds: f64,
    /// What rustfft takes on one thread.
    pub rustfft_seconds: Option<f64>,
}

impl Arguments {
    pub fn run(&self, device: &Device) -> Result<()> {
        let gpu = device.open()?;
        let mut specs = self.specs.clone();
        if specs.is_empty() {
            let on_processor = gpu.profile().is_cpu();
            let texts = if on_processor { &PROCESSOR_SPECS[..] } else { &GPU_SPECS[..] };
            specs = texts.iter().map(|text| text.parse()).collect::<wgpu_fft::Result<_>>()?;
        }
        let mut cases = Vec::new();
        for spec in &specs {
            let case = self.time(device, &gpu, spec)?;
            device.output.record(&json!({
                "spec": case.spec,
                "recipe": case.recipe,
                "ms": case.seconds * 1e3,
                "copy_ms": case.copy_seconds * 1e3,
                "of_copy": case.seconds / case.copy_seconds,
                "rustfft_ms": case.rustfft_seconds.map(|seconds| seconds * 1e3),
                "of_rustfft": case.rustfft_seconds.map(|seconds| case.seconds / seconds),
            }));
            cases.push(case);
        }
        if !device.output.json {
            println!("{}", describe(&cases));
            device
                .output
                .note("columns", "ms; ms of a copy of the same bytes; time over the copy's; time over that of rustfft on one thread");
        }
        if let Some(path) = &self.plot {
            plot::draw(path, &gpu.profile().name, &cases)?;
            device.output.note("plot", files::result_name(path));
        }
        Ok(())
    }

    fn time(&self, device: &Device, gpu: &Gpu, spec: &AnySpec) -> Result<Case> {
        let plan = self.recipes.plan_quietly(device, gpu, spec)?.0;
        let mut own = Arrays::of(gpu, &plan)?;
        // Bytes that a copy reads and writes, within what a buffer holds.
        let elements = ((moved_bytes(&plan) / 8.0) as u64).clamp(1, gpu.profile().buffer_bytes / 4);
        let mut copy = Arrays::copy(gpu, elements)?;
        let (mut times, mut copies) = (Vec::new(), Vec::new());
        own.warm_up()?;
        copy.warm_up()?;
        for _ in 0..self.rounds {
            times.push(own.time_once()?);
            copies.push(copy.time_once()?);
        }
        let rustfft_seconds = on_host(&plan.spec()).map(|work| {
            let mut times: Vec<f64> = (0..self.rounds.min(3)).map(|_| work()).collect();
            median(&mut times)
        });
        let (seconds, copy_seconds) = (median(&mut times), median(&mut copies));
        Ok(Case { spec: plan.spec(), recipe: plan.recipe(), seconds, copy_seconds, rustfft_seconds })
    }
}

fn describe(cases: &[Case]) -> String {
    let rows: Vec<Vec<String>> = cases
        .iter()
        .map(|case| {
            let rustfft = case.rustfft_seconds.map_or("-".to_owned(), |seconds| format!("{:.3}", case.seconds / seconds));
            vec![
                case.spec.clone(),
                format!("{:.4}", case.seconds * 1e3),
                format!("{:.4}", case.copy_seconds * 1e3),
                format!("{:.2}", case.seconds / case.copy_seconds),
                rustfft,
                case.recipe.clone(),
            ]
        })
        .collect();
    table(&["specification", "ms", "copy", "of copy", "of rustfft", "recipe"], &rows, 1)
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The same transform by rustfft on one thread, if the text is that of a plain one. The closure
/// returns the seconds that it took.
fn on_host(spec: &str) -> Option<impl Fn() -> f64> {
    let mut words = spec.split_whitespace();
    if words.next()? != "c2c" {
        return None;
    }
    let inverse = words.next()? == "inv";
    let shape = words.next()?.split('x').map(str::parse).collect::<std::result::Result<Vec<usize>, _>>().ok()?;
    let mut batch = 1;
    for word in words {
        match word.strip_prefix('x') {
            Some(count) => batch = count.parse().ok()?,
            None if ["1/n", "1/sqrt(n)", "in-place"].contains(&word) => {}
            None => return None,
        }
    }
    let len = batch * shape.iter().product::<usize>();
    let axes: Vec<usize> = (1..=shape.len()).collect();
    let whole: Vec<usize> = std::iter::once(batch).chain(shape).collect();
    Some(move || {
        let mut data = vec![rustfft::num_complex::Complex::new(1.0_f32, 0.5); len];
        let begin = Instant::now();
        fft_on_host(&mut data, &whole, &axes, inverse);
        begin.elapsed().as_secs_f64()
    })
}

/// A plan with arrays of noise, ready to be timed.
pub struct Arrays {
    bound: Bound,
    stopwatch: Stopwatch,
    on_processor: bool,
    /// Runs in a sample.
    runs: u32,
    _buffers: Vec<DeviceBuffer<u8>>,
}

impl Arrays {
    pub fn of(gpu: &Gpu, plan: &AnyPlan) -> Result<Self> {
        let program = plan.program();
        let upload = |element, len| gpu.upload(&noise(element, len));
        let mut buffers = vec![upload(plan.output(), program.output().len)?];
        if program.placement() == Placement::OutOfPlace {
            for input in program.inputs() {
                buffers.push(upload(plan.input(), input.len)?);
            }
        }
        let views: Vec<_> = buffers.iter().map(DeviceBuffer::view).collect();
        let bound = plan.bind(&views[1..], views[0], &FragmentArrays::new())?;
        let on_processor = gpu.profile().is_cpu();
        Ok(Self { bound, stopwatch: Stopwatch::new(gpu)?, on_processor, runs: 1, _buffers: buffers })
    }

    /// A copy of so many f32.
    fn copy(gpu: &Gpu, elements: u64) -> Result<Self> {
        let spec: AnySpec = format!("permute f32 {elements} order=0").parse()?;
        Self::of(gpu, &Planner::new(gpu).plan_any(&spec)?)
    }

    /// Runs until compiled programs are there and the clock is up, and finds out how many runs make a
    /// sample.
    fn warm_up(&mut self) -> Result<()> {
        let begin = Instant::now();
        let mut seconds = self.time_once()?;
        if self.on_processor {
            return Ok(());
        }
        while begin.elapsed() < WARM_UP {
            seconds = self.time_once()?;
        }
        self.runs = (SAMPLE.as_secs_f64() / seconds).ceil().clamp(1.0, MOST_RUNS) as u32;
        Ok(())
    }

    /// The seconds of a run, of those of one sample.
    fn time_once(&self) -> Result<f64> {
        let time = self.stopwatch.time(|pass| (0..self.runs).for_each(|_| self.bound.record(pass)))?;
        Ok(time.as_secs_f64() / f64::from(self.runs))
    }

    /// The median of some samples, in seconds.
    pub fn time(&mut self) -> Result<f64> {
        self.warm_up()?;
        let mut times = (0..SAMPLES).map(|_| self.time_once()).collect::<Result<Vec<_>>>()?;
        Ok(median(&mut times))
    }

    /// The label of each dispatch, and the median of some runs of it by itself in seconds. None if the
    /// device cannot tell.
    pub fn time_steps(&mut self) -> Result<Option<Vec<(String, f64)>>> {
        self.warm_up()?;
        let mut runs = Vec::new();
        for _ in 0..SAMPLES {
            match self.bound.time_steps() {
                Ok(pending) => runs.push(pending.wait()?),
                Err(wgpu_fft::Error::Unsupported { .. }) => return Ok(None),
                Err(error) => return Err(error.into()),
            }
        }
        let step = |i: usize| {
            let mut times: Vec<f64> = runs.iter().map(|steps| steps[i].time.as_secs_f64()).collect();
            (runs[0][i].label.clone(), median(&mut times))
        };
        Ok(Some((0..runs[0].len()).map(step).collect()))
    }
}

/// Bytes that a copy reads and writes in a second.
pub fn copy_bandwidth(gpu: &Gpu) -> Result<f64> {
    let on_processor = gpu.profile().is_cpu();
    let elements = if on_processor { 1 << 22 } else { 1 << 25 };
    Ok(8.0 * elements as f64 / Arrays::copy(gpu, elements)?.time()?)
}

/// Random elements: floating-point numbers from -1 to 1, integers with all their bits.
pub fn noise(element: ElementType, len: usize) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(1);
    let mut number = || 2.0 * random.f32() - 1.0;
    let count = element.bytes() * len;
    let name = element.name();
    if name.ends_with("f64") {
        let mut random = fastrand::Rng::with_seed(1);
        (0..count / 8).flat_map(|_| (2.0 * random.f64() - 1.0).to_ne_bytes()).collect()
    } else if name.contains("bf16") {
        (0..count / 2).flat_map(|_| wgpu_fft::half::bf16::from_f32(number()).to_ne_bytes()).collect()
    } else if name.contains("f16") {
        (0..count / 2).flat_map(|_| wgpu_fft::half::f16::from_f32(number()).to_ne_bytes()).collect()
    } else if name.contains("f32") {
        (0..count / 4).flat_map(|_| number().to_ne_bytes()).collect()
    } else {
        let mut random = fastrand::Rng::with_seed(2);
        (0..count).map(|_| random.u8(..)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_transforms_have_a_time_on_the_host() {
        assert!(on_host("c2c fwd 8x9 x2 1/n").is_some_and(|work| work() > 0.0));
        for text in ["r2c fwd 8", "c2c fwd 8 f64", "c2c fwd 8x8 axes=0", "sum f32 8"] {
            assert!(on_host(text).is_none(), "{text}");
        }
    }

    #[test]
    fn noise_has_its_type() {
        for element in ElementType::ALL {
            assert_eq!(noise(*element, 3).len(), 3 * element.bytes());
        }
        let numbers: Vec<f32> = bytemuck::pod_collect_to_vec(&noise("complex f32".parse().unwrap(), 100));
        assert!(numbers.iter().all(|number| number.abs() <= 1.0) && numbers.iter().any(|number| *number < -0.5));
    }
}
