//! How long transforms on non-uniform points take on this device, and how exact they are: one line
//! of JSON for each case, as `benches/peers/nufft_times.py` prints them of finufft and cuFINUFFT.
//!
//! `cargo run --release -p wgpu-fft-nufft --example throughput -- small` takes the cases for a
//! processor, `large` those for a GPU, which take less than a minute there, and
//! `1 256x256 1000000 1e-5` one case: type, modes, points, tolerance.
//!
//! Times are the smallest of several runs by the host's clock, in ms. `sort_ms` is that of
//! `Points::set` from arrays on the device, and for type 3 that of a plan, which computes on the
//! host too; `run_ms` that of a transform. For type 3, frequencies are as many as points, at random
//! in the box of the modes.

use std::error::Error;
use std::f32::consts::TAU;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use wgpu_fft_nufft::wgpu_fft::num_complex::Complex64;
use wgpu_fft_nufft::wgpu_fft::wgpu::PollType;
use wgpu_fft_nufft::wgpu_fft::{Complex32, DeviceBuffer, Gpu, GpuOptions, Planner};
use wgpu_fft_nufft::{Bound, Nufft, Type3};

const SMALL: [&str; 12] = [
    "1 100000 1000000 1e-3",
    "2 100000 1000000 1e-3",
    "1 100000 1000000 1e-6",
    "2 100000 1000000 1e-6",
    "1 512x512 1000000 1e-3",
    "2 512x512 1000000 1e-3",
    "1 512x512 1000000 1e-6",
    "2 512x512 1000000 1e-6",
    "1 64x64x64 300000 1e-3",
    "2 64x64x64 300000 1e-3",
    "1 64x64x64 300000 1e-6",
    "2 64x64x64 300000 1e-6",
];
const SMALL_3: [&str; 3] = ["3 100000 300000 1e-5", "3 256x256 300000 1e-5", "3 20x20x20 100000 1e-5"];
const LARGE: [&str; 12] = [
    "1 1000000 10000000 1e-3",
    "2 1000000 10000000 1e-3",
    "1 1000000 10000000 1e-6",
    "2 1000000 10000000 1e-6",
    "1 1024x1024 10000000 1e-3",
    "2 1024x1024 10000000 1e-3",
    "1 1024x1024 10000000 1e-6",
    "2 1024x1024 10000000 1e-6",
    "1 128x128x128 4000000 1e-3",
    "2 128x128x128 4000000 1e-3",
    "1 128x128x128 4000000 1e-6",
    "2 128x128x128 4000000 1e-6",
];
const LARGE_3: [&str; 3] = ["3 1000000 3000000 1e-5", "3 512x512 3000000 1e-5", "3 40x40x40 1000000 1e-5"];

/// Terms of the sums in f64 that results are compared with.
const TERMS: usize = 30_000_000;
/// The time that a measurement takes at most, unless a single run takes longer.
const ENOUGH: Duration = Duration::from_millis(150);
/// The first run of each plan compiles.
const LEAST_RUNS: usize = 3;
/// An idle GPU takes a while to reach its clock.
const WARM_UP: Duration = Duration::from_millis(1000);

/// So many numbers of a stream between -1/2 and 1/2, as `nufft_times.py` draws them.
fn numbers(stream: u64, len: usize) -> Vec<f32> {
    let number = |i: u64| {
        let mut bits = ((stream << 40) + i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 40) as f32 / (1 << 24) as f32 - 0.5
    };
    (0..len as u64).map(number).collect()
}

struct Bench {
    gpu: Gpu,
    planner: Planner,
}

impl Bench {
    /// The smallest time of several runs, in ms.
    fn smallest(&self, mut run: impl FnMut() -> Result<(), Box<dyn Error>>) -> Result<f64, Box<dyn Error>> {
        let (start, mut best, mut runs) = (Instant::now(), Duration::MAX, 0);
        while runs < LEAST_RUNS || start.elapsed() < ENOUGH {
            let begin = Instant::now();
            run()?;
            self.gpu.device().poll(PollType::wait_indefinitely())?;
            best = best.min(begin.elapsed());
            runs += 1;
        }
        Ok(best.as_secs_f64() * 1e3)
    }

    /// The times of a transform, and of its steps as JSON.
    fn times(&self, bound: &Bound) -> Result<(f64, String), Box<dyn Error>> {
        let all = self.smallest(|| {
            self.gpu.submit(|encoder| bound.encode(encoder))?;
            Ok(())
        })?;
        let mut steps = String::new();
        for (i, name) in bound.steps().enumerate() {
            let time = self.smallest(|| {
                self.gpu.submit(|encoder| bound.encode_steps(encoder, i..i + 1))?;
                Ok(())
            })?;
            write!(steps, "{}[\"{name}\", {time:.3}]", if i > 0 { ", " } else { "" })?;
        }
        Ok((all, steps))
    }

    fn case(&self, case: &str) -> Result<(), Box<dyn Error>> {
        let words: Vec<&str> = case.split_whitespace().collect();
        let [kind, shape, points, tolerance] = words[..] else {
            return Err(format!("`{case}` is no case: it is TYPE MODES POINTS TOLERANCE, such as 1 256x256 1000000 1e-5").into());
        };
        let modes = shape.split('x').map(str::parse).collect::<Result<Vec<usize>, _>>()?;
        let (kind, points, tolerance): (u32, usize, f64) = (kind.parse()?, points.parse()?, tolerance.parse()?);
        let gpu = &self.gpu;
        let coordinates: Vec<Vec<f32>> =
            (0..).zip(&modes).map(|(axis, _)| numbers(axis, points).iter().map(|turn| turn * TAU).collect()).collect();
        let frequencies: Vec<Vec<f32>> =
            (3..).zip(&modes).map(|(axis, &n)| numbers(axis, points).iter().map(|part| part * n as f32).collect()).collect();
        let all_modes: usize = modes.iter().product();
        let (from, to) = match kind {
            1 => (points, all_modes),
            2 => (all_modes, points),
            3 => (points, points),
            _ => return Err(format!("there is no type {kind}").into()),
        };
        let values: Vec<Complex32> = numbers(6, from).into_iter().zip(numbers(7, from)).map(|(re, im)| Complex32::new(re, im)).collect();
        let (input, output) = (gpu.upload(&values)?, gpu.alloc::<Complex32>(to)?);
        let (sort, bound) = if kind == 3 {
            let x: Vec<&[f32]> = coordinates.iter().map(|values| &values[..]).collect();
            let s: Vec<&[f32]> = frequencies.iter().map(|values| &values[..]).collect();
            let spec = Type3::new().tolerance(tolerance);
            let sort = self.smallest(|| {
                spec.plan(&self.planner, &x, &s)?;
                Ok(())
            })?;
            let plan = spec.plan(&self.planner, &x, &s)?;
            (sort, plan.bind(&input, &output)?)
        } else {
            let spec = if kind == 1 { Nufft::type1(&modes[..]) } else { Nufft::type2(&modes[..]) };
            let plan = spec.tolerance(tolerance).plan(&self.planner)?;
            let arrays = coordinates.iter().map(|values| gpu.upload(values)).collect::<Result<Vec<_>, _>>()?;
            let views: Vec<_> = arrays.iter().map(DeviceBuffer::view).collect();
            let sorted = plan.alloc_points(points)?;
            let sort = self.smallest(|| {
                gpu.submit(|encoder| sorted.set(encoder, &views))?;
                Ok(())
            })?;
            (sort, plan.bind(&sorted, &input, &output)?)
        };
        let (run, steps) = self.times(&bound)?;
        // The transform once more: steps that ran alone may have added to what was there.
        gpu.submit(|encoder| bound.encode(encoder))?;
        let found = gpu.download(&output)?.wait()?;

        // The angle between the thing at an index of the modes or frequencies and a point.
        let angle = |mode: usize, point: usize| {
            if kind == 3 {
                return frequencies.iter().zip(&coordinates).map(|(s, x)| f64::from(s[mode]) * f64::from(x[point])).sum();
            }
            let (mut rest, mut angle) = (mode, 0.0);
            for (n, values) in modes.iter().zip(&coordinates).rev() {
                angle += ((rest % n) as f64 - (n / 2) as f64) * f64::from(values[point]);
                rest /= n;
            }
            angle
        };
        let wide = |z: Complex32| Complex64::new(z.re.into(), z.im.into());
        let samples = (TERMS / from).clamp(3, 20);
        let (mut difference, mut norm) = (0.0, 0.0);
        for sample in 0..samples {
            let k = (2 * sample + 1) * to / (2 * samples);
            let term = |(j, value): (usize, &Complex32)| wide(*value) * Complex64::cis(if kind == 2 { -angle(j, k) } else { angle(k, j) });
            let exact: Complex64 = values.iter().enumerate().map(term).sum();
            difference += (wide(found[k]) - exact).norm_sqr();
            norm += exact.norm_sqr();
        }
        let error = (difference / norm).sqrt();
        let list = modes.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        println!(
            "{{\"library\": \"wgpu-fft-nufft\", \"gpu\": \"{}\", \"type\": {kind}, \"axes\": {}, \"modes\": [{list}], \"points\": {points}, \
             \"eps\": {tolerance:e}, \"sort_ms\": {sort:.3}, \"run_ms\": {run:.3}, \"error\": {error:.2e}, \"steps\": [{steps}]}}",
            gpu.profile().name,
            modes.len()
        );
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let gpu = pollster::block_on(Gpu::request(&GpuOptions::default()))?;
    let bench = Bench { planner: Planner::new(&gpu), gpu };
    let one = arguments.join(" ");
    let cases: Vec<&str> = match &one[..] {
        "small" => SMALL.into_iter().chain(SMALL_3).collect(),
        "large" => LARGE.into_iter().chain(LARGE_3).collect(),
        "" => return Err("usage: throughput small | large | TYPE MODES POINTS TOLERANCE".into()),
        other => vec![other],
    };
    if !bench.gpu.profile().is_cpu() {
        let plan = Nufft::type1([512, 512]).plan(&bench.planner)?;
        let points = plan.points(&[&numbers(0, 1_000_000), &numbers(1, 1_000_000)])?;
        let (input, output) = (bench.gpu.alloc::<Complex32>(1_000_000)?, bench.gpu.alloc::<Complex32>(512 * 512)?);
        let bound = plan.bind(&points, &input, &output)?;
        let start = Instant::now();
        while start.elapsed() < WARM_UP {
            bench.gpu.submit(|encoder| bound.encode(encoder))?;
            bench.gpu.device().poll(PollType::wait_indefinitely())?;
        }
    }
    cases.iter().try_for_each(|case| bench.case(case))
}
