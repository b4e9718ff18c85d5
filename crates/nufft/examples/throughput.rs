//! How long transforms on non-uniform points take on this device, and how exact they are: one line
//! of JSON for each case, as `benches/peers/nufft_times.py` prints them of finufft and cuFINUFFT.
//!
//! `cargo run --release -p wgpu-fft-nufft --example throughput -- small` takes the cases for a
//! processor, `large` those for a GPU, which take less than a minute there, and
//! `1 256x256 1000000 1e-5` one case: type, modes, points, tolerance. With `--f64` before that,
//! numbers are f64, on devices that have it, and tolerances of the lists are squared: 1e-6 and 1e-12
//! for 1e-3 and 1e-6.
//!
//! Times are the smallest of several runs by the host's clock, in ms. `sort_ms` is that of
//! `Points::set` from arrays on the device, and for type 3 that of a plan, which uploads from the
//! host too; `run_ms` that of a transform. For type 3, frequencies are as many as points, at random
//! in the box of the modes.

use std::error::Error;
use std::f64::consts::TAU;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use wgpu_fft_nufft::wgpu_fft::num_complex::Complex64;
use wgpu_fft_nufft::wgpu_fft::wgpu::PollType;
use wgpu_fft_nufft::wgpu_fft::{Complex32, DeviceBuffer, Gpu, GpuOptions, Planner, bytemuck};
use wgpu_fft_nufft::{Bound, Nufft, Real, Type3};

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
fn numbers<T: Real>(stream: u64, len: usize) -> Vec<T> {
    let digits = if size_of::<T>() == 8 { 53 } else { 24 };
    let number = |i: u64| {
        let mut bits = ((stream << 40) + i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        T::nearest(((bits ^ (bits >> 31)) >> (64 - digits)) as f64 / (1u64 << digits) as f64 - 0.5)
    };
    (0..len as u64).map(number).collect()
}

/// The numbers times a factor, in their own arithmetic: f64 has all digits of a product of two f32.
fn scaled<T: Real>(numbers: &[T], factor: f64) -> Vec<T> {
    let factor: f64 = T::nearest(factor).into();
    numbers.iter().map(|&number| T::nearest(number.into() * factor)).collect()
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

    /// `of_modes` and `of_points` make specifications ones of these numbers.
    fn case<T: Real>(&self, case: &str, of_modes: fn(Nufft) -> Nufft<T>, of_points: fn(Type3) -> Type3<T>) -> Result<(), Box<dyn Error>> {
        let words: Vec<&str> = case.split_whitespace().collect();
        let [kind, shape, points, tolerance] = words[..] else {
            return Err(format!("`{case}` is no case: it is TYPE MODES POINTS TOLERANCE, such as 1 256x256 1000000 1e-5").into());
        };
        let modes = shape.split('x').map(str::parse).collect::<Result<Vec<usize>, _>>()?;
        let (kind, points, tolerance): (u32, usize, f64) = (kind.parse()?, points.parse()?, tolerance.parse()?);
        let gpu = &self.gpu;
        let coordinates: Vec<Vec<T>> = (0..).zip(&modes).map(|(axis, _)| scaled(&numbers(axis, points), TAU)).collect();
        let frequencies: Vec<Vec<T>> = (3..).zip(&modes).map(|(axis, &n)| scaled(&numbers(axis, points), n as f64)).collect();
        let all_modes: usize = modes.iter().product();
        let (from, to) = match kind {
            1 => (points, all_modes),
            2 => (all_modes, points),
            3 => (points, points),
            _ => return Err(format!("there is no type {kind}").into()),
        };
        let values: Vec<[T; 2]> = numbers(6, from).into_iter().zip(numbers(7, from)).map(|(re, im)| [re, im]).collect();
        let parts: Vec<T> = values.iter().copied().flatten().collect();
        let (input, output) = (gpu.upload::<T::Complex>(bytemuck::cast_slice(&parts))?, gpu.alloc::<T::Complex>(to)?);
        let (sort, bound) = if kind == 3 {
            let x: Vec<&[T]> = coordinates.iter().map(|values| &values[..]).collect();
            let s: Vec<&[T]> = frequencies.iter().map(|values| &values[..]).collect();
            let spec = of_points(Type3::new()).tolerance(tolerance);
            let sort = self.smallest(|| {
                spec.plan(&self.planner, &x, &s)?;
                Ok(())
            })?;
            let plan = spec.plan(&self.planner, &x, &s)?;
            (sort, plan.bind(&input, &output)?)
        } else {
            let spec = if kind == 1 { Nufft::type1(&modes[..]) } else { Nufft::type2(&modes[..]) };
            let plan = of_modes(spec).tolerance(tolerance).plan(&self.planner)?;
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
        let found: &[T] = bytemuck::cast_slice(&found);

        // exp(i · angle) between the thing at an index of the modes or frequencies and a point, with
        // what rounding takes away of products and sums.
        let wave = |mode: usize, point: usize, sign: f64| {
            let (mut rest, mut high, mut low) = (mode, 0.0f64, 0.0);
            for axis in (0..modes.len()).rev() {
                let x: f64 = coordinates[axis][point].into();
                let s = if kind == 3 { frequencies[axis][mode].into() } else { (rest % modes[axis]) as f64 - (modes[axis] / 2) as f64 };
                rest /= modes[axis];
                let (product, before) = (s * x, high);
                high += product;
                let of_product = high - before;
                low += s.mul_add(x, -product) + (before - (high - of_product)) + (product - of_product);
            }
            let z = Complex64::cis(sign * high);
            z + z * Complex64::I * (sign * low)
        };
        let wide = |[re, im]: [T; 2]| Complex64::new(re.into(), im.into());
        let samples = (TERMS / from).clamp(3, 20);
        let (mut difference, mut norm) = (0.0, 0.0);
        for sample in 0..samples {
            let k = (2 * sample + 1) * to / (2 * samples);
            let term = |(j, value): (usize, &[T; 2])| wide(*value) * if kind == 2 { wave(j, k, -1.0) } else { wave(k, j, 1.0) };
            let exact: Complex64 = values.iter().enumerate().map(term).sum();
            difference += (wide([found[2 * k], found[2 * k + 1]]) - exact).norm_sqr();
            norm += exact.norm_sqr();
        }
        let error = (difference / norm).sqrt();
        let list = modes.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        println!(
            "{{\"library\": \"wgpu-fft-nufft\", \"gpu\": \"{}\", \"numbers\": \"{}\", \"type\": {kind}, \"axes\": {}, \"modes\": [{list}], \"points\": {points}, \
             \"eps\": {tolerance:e}, \"sort_ms\": {sort:.3}, \"run_ms\": {run:.3}, \"error\": {error:.2e}, \"steps\": [{steps}]}}",
            gpu.profile().name,
            T::NAME,
            modes.len()
        );
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_double = arguments.first().is_some_and(|first| first == "--f64");
    arguments.drain(..usize::from(is_double));
    let gpu = pollster::block_on(Gpu::request(&GpuOptions::default()))?;
    let bench = Bench { planner: Planner::new(&gpu), gpu };
    let one = arguments.join(" ");
    let mut cases: Vec<String> = match &one[..] {
        "small" => SMALL.into_iter().chain(SMALL_3).map(str::to_owned).collect(),
        "large" => LARGE.into_iter().chain(LARGE_3).map(str::to_owned).collect(),
        "" => return Err("usage: throughput [--f64] small | large | TYPE MODES POINTS TOLERANCE".into()),
        other => vec![other.to_owned()],
    };
    if is_double && cases.len() > 1 {
        for case in &mut cases {
            for (tolerance, square) in [("1e-3", "1e-6"), ("1e-5", "1e-10"), ("1e-6", "1e-12")] {
                if let Some(start) = case.strip_suffix(tolerance) {
                    *case = format!("{start}{square}");
                    break;
                }
            }
        }
    }
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
    cases.iter().try_for_each(
        |case| {
            if is_double { bench.case(case, Nufft::f64, Type3::f64) } else { bench.case(case, |spec| spec, |spec| spec) }
        },
    )
}
