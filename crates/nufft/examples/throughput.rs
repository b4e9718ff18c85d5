//! How long transforms on non-uniform points take on this device, and how exact they are: lines
//! that `benches/peers/finufft_times.py` puts beside finufft's.
//!
//! `cargo run --release -p wgpu-fft-nufft --example throughput -- 256x256 1000000 1e-5`

use std::error::Error;
use std::f64::consts::TAU;
use std::time::{Duration, Instant};

use wgpu_fft_nufft::Nufft;
use wgpu_fft_nufft::wgpu_fft::num_complex::Complex64;
use wgpu_fft_nufft::wgpu_fft::wgpu::PollType;
use wgpu_fft_nufft::wgpu_fft::{Complex32, Gpu, GpuOptions, Planner};

/// Results that are compared with the definition.
const SAMPLES: usize = 20;
/// The first run of each plan compiles.
const RUNS: usize = 8;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [shape, points, tolerance] = &arguments[..] else {
        return Err("usage: throughput MODES POINTS TOLERANCE, such as 256x256 1000000 1e-5".into());
    };
    let modes = shape.split('x').map(str::parse).collect::<Result<Vec<usize>, _>>()?;
    let (points, tolerance): (usize, f64) = (points.parse()?, tolerance.parse()?);
    let gpu = pollster::block_on(Gpu::request(&GpuOptions::default()))?;
    let planner = Planner::new(&gpu);

    let mut random = fastrand::Rng::with_seed(1);
    let mut numbers = |len: usize| (0..len).map(|_| random.f32() - 0.5).collect::<Vec<f32>>();
    let coordinates: Vec<Vec<f32>> = modes.iter().map(|_| numbers(points).iter().map(|turn| turn * TAU as f32).collect()).collect();
    let arrays = coordinates.iter().map(|values| gpu.upload(values)).collect::<Result<Vec<_>, _>>()?;
    let views: Vec<_> = arrays.iter().map(|array| array.view()).collect();
    for kind in [1, 2] {
        let spec = if kind == 1 { Nufft::type1(&modes[..]) } else { Nufft::type2(&modes[..]) };
        let plan = spec.tolerance(tolerance).plan(&planner)?;
        let sorted = plan.alloc_points(points)?;
        let (from, to) = if kind == 1 { (points, plan.modes_len()) } else { (plan.modes_len(), points) };
        let values: Vec<Complex32> = numbers(from).into_iter().zip(numbers(from)).map(|(re, im)| Complex32::new(re, im)).collect();
        let (input, output) = (gpu.upload(&values)?, gpu.alloc::<Complex32>(to)?);
        let bound = plan.bind(&sorted, &input, &output)?;
        let timed = |record: &dyn Fn(&mut _) -> _| -> Result<Duration, Box<dyn Error>> {
            let begin = Instant::now();
            gpu.submit(record)?;
            gpu.device().poll(PollType::wait_indefinitely())?;
            Ok(begin.elapsed())
        };
        let [mut sort, mut run] = [Duration::MAX; 2];
        for _ in 0..RUNS {
            sort = sort.min(timed(&|encoder| sorted.set(encoder, &views))?);
            run = run.min(timed(&|encoder| bound.encode(encoder))?);
        }
        let found = gpu.download(&output)?.wait()?;

        // exp(±i k·x) for the mode at an index and a point.
        let factor = |mode: usize, point: usize| {
            let (mut rest, mut angle) = (mode, 0.0);
            for (n, values) in modes.iter().zip(&coordinates).rev() {
                angle += ((rest % n) as f64 - (n / 2) as f64) * f64::from(values[point]);
                rest /= n;
            }
            Complex64::cis(if kind == 1 { angle } else { -angle })
        };
        let wide = |z: Complex32| Complex64::new(z.re.into(), z.im.into());
        let (mut difference, mut norm) = (0.0, 0.0);
        for _ in 0..SAMPLES {
            let k = fastrand::usize(0..to);
            let term = |(j, value): (usize, &Complex32)| wide(*value) * if kind == 1 { factor(k, j) } else { factor(j, k) };
            let exact: Complex64 = values.iter().enumerate().map(term).sum();
            difference += (wide(found[k]) - exact).norm_sqr();
            norm += exact.norm_sqr();
        }
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        println!("{kind} {shape} {points} {tolerance:e} {:.2} {:.2} {:.1e}", ms(sort), ms(run), (difference / norm).sqrt());
    }
    Ok(())
}
