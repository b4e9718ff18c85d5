//! A picture from radial samples of its spectrum, as magnetic resonance imaging measures them.
//!
//! `cargo run --release -p wgpu-fft-nufft --example radial` measures the photograph of this
//! repository along spokes (a transform of type 2), reconstructs it, and writes `out/radial.png`:
//! on the left by one transform of type 1 with weights for the density of the samples, on the right
//! by the method of conjugate gradients, which finds the picture whose samples are the measured
//! ones. `-- photo.png 300` takes another picture and another number of spokes.

use std::error::Error;
use std::f32::consts::PI;
use std::time::Instant;

use wgpu_fft_nufft::wgpu_fft::{Complex32, Gpu, GpuOptions, Planner};
use wgpu_fft_nufft::{Nufft, Plan, Points, Sign};

const ITERATIONS: usize = 12;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/data/camera.png").to_owned());
    let spokes: usize = arguments.next().map_or(Ok(300), |spokes| spokes.parse())?;
    let picture = image::open(&path)?.to_luma8();
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    let pixels: Vec<Complex32> = picture.as_raw().iter().map(|&grey| Complex32::from(f32::from(grey) / 255.0)).collect();

    // The sampled frequencies, in radians for each pixel: on lines through 0, from -π to π. Twice
    // as many as pixels, so that what a sample leaves out of the spectrum lies outside of the
    // picture.
    let samples = 2 * width.max(height);
    let radius = |sample: usize| (sample as f32 + 0.5) / samples as f32 * 2.0 * PI - PI;
    let place = |i: usize| ((i / samples) as f32 * PI / spokes as f32, radius(i % samples));
    let (y, x): (Vec<f32>, Vec<f32>) = (0..spokes * samples).map(place).map(|(angle, r)| (r * angle.sin(), r * angle.cos())).unzip();

    let gpu = pollster::block_on(Gpu::request(&GpuOptions::default()))?;
    let planner = Planner::new(&gpu);
    let measure = Nufft::type2([height, width]).tolerance(1e-4).sign(Sign::Minus).plan(&planner)?;
    let back = Nufft::type1([height, width]).tolerance(1e-4).sign(Sign::Plus).plan(&planner)?;
    // One set of points for both.
    let points = measure.points(&[&y, &x])?;
    let data = measure.run(&points, &pixels)?.wait()?;
    println!("{} samples of {height} x {width} pixels on {gpu}", data.len());

    // Samples near the middle lie closer, and stand for less of the spectrum each: |r| Δr Δφ.
    let area = |i: usize| radius(i % samples).abs() * (2.0 * PI / samples as f32) * (PI / spokes as f32) / (4.0 * PI * PI);
    let weights: Vec<f32> = (0..data.len()).map(area).collect();
    let gridded = back.run(&points, &weighted(&data, &weights))?.wait()?;
    println!("by one transform: error {:.4}", error(&gridded, &pixels));

    let begin = Instant::now();
    let solved = conjugate_gradients(&measure, &back, &points, &weights, gridded.clone())?;
    println!("by {ITERATIONS} steps of conjugate gradients: error {:.4}, {:.1?}", error(&solved, &pixels), begin.elapsed());

    let mut both = image::GrayImage::new(2 * width as u32, height as u32);
    for (side, values) in [gridded, solved].iter().enumerate() {
        for (i, value) in values.iter().enumerate() {
            let (row, column) = (i / width, i % width + side * width);
            both.put_pixel(column as u32, row as u32, image::Luma([(value.re * 255.0).round() as u8]));
        }
    }
    std::fs::create_dir_all("out")?;
    both.save("out/radial.png")?;
    println!("out/radial.png: on the left by one transform, on the right by conjugate gradients");
    Ok(())
}

/// Solves A* W A f = A* W c from f = A* W c = `target` on, where A is the measurement.
fn conjugate_gradients(
    measure: &Plan,
    back: &Plan,
    points: &Points,
    weights: &[f32],
    target: Vec<Complex32>,
) -> wgpu_fft_nufft::wgpu_fft::Result<Vec<Complex32>> {
    let normal = |f: &[Complex32]| back.run(points, &weighted(&measure.run(points, f)?.wait()?, weights))?.wait();
    let mut f = target.clone();
    let mut residual: Vec<Complex32> = target.iter().zip(normal(&f)?).map(|(target, own)| target - own).collect();
    let mut direction = residual.clone();
    let mut square = dot(&residual, &residual);
    for _ in 0..ITERATIONS {
        let image = normal(&direction)?;
        let step = (square / dot(&direction, &image)) as f32;
        for ((f, residual), (direction, image)) in f.iter_mut().zip(&mut residual).zip(direction.iter().zip(&image)) {
            *f += step * direction;
            *residual -= step * image;
        }
        let next = dot(&residual, &residual);
        let share = (next / square) as f32;
        direction.iter_mut().zip(&residual).for_each(|(direction, residual)| *direction = residual + share * *direction);
        square = next;
    }
    Ok(f)
}

fn weighted(values: &[Complex32], weights: &[f32]) -> Vec<Complex32> {
    values.iter().zip(weights).map(|(value, weight)| value * weight).collect()
}

/// The real part of the product, which has no other where this is used.
fn dot(x: &[Complex32], y: &[Complex32]) -> f64 {
    x.iter().zip(y).map(|(x, y)| f64::from(x.re) * f64::from(y.re) + f64::from(x.im) * f64::from(y.im)).sum()
}

/// The relative error in the two-norm.
fn error(found: &[Complex32], exact: &[Complex32]) -> f64 {
    let difference: Vec<Complex32> = found.iter().zip(exact).map(|(found, exact)| found - exact).collect();
    (dot(&difference, &difference) / dot(exact, exact)).sqrt()
}
