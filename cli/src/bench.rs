//! `wgpu-fft bench`: times against the copy bandwidth of the adapter and against rustfft.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::{Value, json};
use wgpu_fft::dynamic::{AnyPlan, AnySpec};
use wgpu_fft::low_level::Stopwatch;
use wgpu_fft::plan::Placement;
use wgpu_fft::{Bound, DeviceBuffer, ElementType, FragmentArrays, Gpu, Planner};

use crate::array::fft_on_host;
use crate::device::{Device, Recipes};
use crate::plan::moved_bytes;
use crate::report::{Column, Format, Report};
use crate::rounds::{Candidate, Samples, Schedule, median};
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

const COLUMNS: &[Column] = &[
    Column::new("specification", "spec", Format::Text),
    Column::new("ms", "ms", Format::Decimals(4)),
    Column::new("copy", "copy_ms", Format::Decimals(4)),
    Column::new("of copy", "of_copy", Format::Decimals(2)),
    Column::new("of rustfft", "of_rustfft", Format::Decimals(3)),
    Column::new("recipe", "recipe", Format::Text),
];

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
        let (mut cases, mut report) = (Vec::new(), Report::default());
        for spec in &specs {
            let case = self.time(device, &gpu, spec)?;
            let line = json!({
                "spec": case.spec,
                "recipe": case.recipe,
                "ms": case.seconds * 1e3,
                "copy_ms": case.copy_seconds * 1e3,
                "of_copy": case.seconds / case.copy_seconds,
                "rustfft_ms": case.rustfft_seconds.map(|seconds| seconds * 1e3),
                "of_rustfft": case.rustfft_seconds.map(|seconds| case.seconds / seconds),
            });
            device.output.record(&line);
            if let Value::Object(line) = line {
                report.keep(line);
            }
            cases.push(case);
        }
        if !device.output.json {
            println!("{}", report.table(COLUMNS));
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
        // Bytes that a copy reads and writes, within what a buffer holds.
        let elements = ((moved_bytes(&plan) / 8.0) as u64).clamp(1, gpu.profile().buffer_bytes / 4);
        let samples = measure(gpu, self.rounds as usize, vec![bound(gpu, &plan)?, copy(gpu, elements)?])?;
        let rustfft_seconds = on_host(&plan.spec()).map(|work| median((0..self.rounds.min(3)).map(|_| work())));
        let [seconds, copy_seconds] = [0, 1].map(|i| samples[i].median());
        Ok(Case { spec: plan.spec(), recipe: plan.recipe(), seconds, copy_seconds, rustfft_seconds })
    }
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
fn bound(gpu: &Gpu, plan: &AnyPlan) -> Result<Bound> {
    let program = plan.program();
    let upload = |element, len| gpu.upload(&noise(element, len));
    let mut buffers = vec![upload(plan.output(), program.output().len)?];
    if program.placement() == Placement::OutOfPlace {
        for input in program.inputs() {
            buffers.push(upload(plan.input(), input.len)?);
        }
    }
    let views: Vec<_> = buffers.iter().map(DeviceBuffer::view).collect();
    Ok(plan.bind(&views[1..], views[0], &FragmentArrays::new())?)
}

/// A copy of so many f32.
fn copy(gpu: &Gpu, elements: u64) -> Result<Bound> {
    let spec: AnySpec = format!("permute f32 {elements} order=0").parse()?;
    bound(gpu, &spec.plan(&Planner::new(gpu), None)?)
}

/// Times plans in turns.
fn measure(gpu: &Gpu, rounds: usize, plans: Vec<Bound>) -> Result<Vec<Samples>> {
    let mut schedule = Schedule { rounds, ..Schedule::of(gpu) };
    if gpu.profile().is_cpu() {
        // One run in a sample: numbers that become tiny, as by inverse transforms of their own
        // result, are slow there.
        schedule.sample = 0.0;
    }
    let candidates = plans.into_iter().map(|plan| Candidate::device(vec![plan])).collect();
    schedule.measure(candidates, &Stopwatch::new(gpu)?)
}

/// The number of samples of which the median is taken, where the command line names none.
const SAMPLES: usize = 5;

/// The seconds of a plan.
pub fn time(gpu: &Gpu, plan: &AnyPlan) -> Result<f64> {
    Ok(measure(gpu, SAMPLES, vec![bound(gpu, plan)?])?[0].median())
}

/// The label of each dispatch, and the seconds of it by itself. None if the device cannot tell. Its
/// clock is up after [`time`].
pub fn time_steps(gpu: &Gpu, plan: &AnyPlan) -> Result<Option<Vec<(String, f64)>>> {
    let (plan, mut runs) = (bound(gpu, plan)?, Vec::new());
    for _ in 0..SAMPLES {
        match plan.time_steps() {
            Ok(pending) => runs.push(pending.wait()?),
            Err(wgpu_fft::Error::Unsupported { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
    let step = |i: usize| (runs[0][i].0.clone(), median(runs.iter().map(|steps| steps[i].1.as_secs_f64())));
    Ok(Some((0..runs[0].len()).map(step).collect()))
}

/// Bytes that a copy reads and writes in a second.
pub fn copy_bandwidth(gpu: &Gpu) -> Result<f64> {
    let elements = if gpu.profile().is_cpu() { 1 << 22 } else { 1 << 25 };
    Ok(8.0 * elements as f64 / measure(gpu, SAMPLES, vec![copy(gpu, elements)?])?[0].median())
}

/// Random elements: f32 from -3 to 3, other floating-point numbers from -1 to 1, integers with all their bits.
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
        // Up to 3: from 2 on, numbers have another level in sums of squares (shaders/reduce/scale.wgsl).
        (0..count / 4).flat_map(|_| (3.0 * number()).to_ne_bytes()).collect()
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
        assert!(numbers.iter().all(|number| number.abs() <= 3.0) && numbers.iter().any(|number| *number < -2.0));
    }
}
