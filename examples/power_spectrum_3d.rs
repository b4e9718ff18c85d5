//! The power spectrum of a random field in three dimensions, compared with the law that made it.
//!
//! ```text
//! cargo run --release --example power_spectrum_3d -- --size 128 --slope 3.667
//! ```
//!
//! Noise becomes a field whose power falls with the frequency as |k|^-slope, by a filter on its
//! spectrum. Turbulence has 11/3, after Kolmogorov. Then the field is transformed, and the powers
//! are averaged over shells of equal |k|. Only these averages come back from the device. The example
//! compares each with the law, within what chance allows, and draws a slice of the field beside both.

mod support;

use std::process::ExitCode;

use image::{Rgb, RgbImage};
use lexopt::ValueExt;
use support::{Options, Result};
use wgpu_fft::fft::{R2c, Scale};
use wgpu_fft::signal::{RadialAverage, SpectralFilter};
use wgpu_fft::{Complex32, Fragment};

const USAGE: &str = "Measures the power spectrum of a random field in three dimensions.

Usage: power_spectrum_3d [OPTIONS]

      --size N        N x N x N points, 16 to 512 (default 128)
      --slope S       the power falls as |k|^-S, 0 to 6 (default 3.667)
";

/// Height and width of each half of the picture.
const SIDE: u32 = 512;

fn main() -> ExitCode {
    support::exit(run())
}

fn run() -> Result<()> {
    let (mut n, mut slope) = (128usize, 11.0 / 3.0);
    let options = Options::parse(USAGE, "out/power_spectrum_3d.png", |name, parser| {
        match name {
            "size" => n = parser.value()?.parse()?,
            "slope" => slope = parser.value()?.parse()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let Some(options) = options else { return Ok(()) };
    if !(16..=512).contains(&n) || !(0.0..=6.0).contains(&slope) {
        return Err(lexopt::Error::from("--size is 16 to 512, and --slope 0 to 6").into());
    }
    let gpu = options.open_gpu()?;
    let planner = options.planner(&gpu);
    let shape = [n, n, n];

    let colour = Fragment::new("value * amplitude(vec3(f32(k0), f32(k1), f32(k2)))").functions(format!(
        "fn amplitude(k: vec3<f32>) -> f32 {{
             let squared = dot(k, k);
             return select(pow(max(squared, 1.0), {:?}), 0.0, squared == 0.0);
         }}",
        -slope / 4.0
    ));
    let filter = options.plan(&planner, SpectralFilter::real(shape, colour)?)?;
    let transform = options.plan(&planner, R2c::forward(shape).scale(Scale::InvSqrtLen))?;
    let power = Fragment::new("dot(value, value)");
    let shells = options.plan(&planner, RadialAverage::new(shape).half().map_input::<Complex32>(power)?)?;

    let noise = gpu.upload(&noise(n * n * n))?;
    let field = gpu.alloc::<f32>(filter.output_len())?;
    let spectrum = gpu.alloc::<Complex32>(transform.output_len())?;
    let measured = gpu.alloc::<f32>(shells.output_len())?;
    gpu.submit(|encoder| {
        filter.encode(encoder, &noise, &field)?;
        transform.encode(encoder, &field, &spectrum)?;
        shells.encode(encoder, &spectrum, &measured)
    })?;
    let measured = gpu.download(&measured)?.wait()?;
    let slice = gpu.download(field.slice(n / 2 * n * n..(n / 2 + 1) * n * n)?)?.wait()?;

    let law = law(n, slope);
    support::write_picture("spectrum", &options.output, picture(&slice, n, &measured, &law))?;
    check(&measured, &law)
}

/// Normal random numbers with mean 0 and variance 1, the same in every run.
fn noise(count: usize) -> Vec<f32> {
    let mut state = 1u64;
    let mut uniform = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 40) as f32 + 0.5) / (1u64 << 24) as f32
    };
    (0..count).map(|_| (-2.0 * uniform().ln()).sqrt() * (std::f32::consts::TAU * uniform()).cos()).collect()
}

/// The mean of |k|^-slope over each shell, and how many k it has.
fn law(n: usize, slope: f64) -> Vec<(f64, f64)> {
    let mut sums = vec![(0.0, 0.0); n / 2 + 1];
    let frequency = |j: usize| if 2 * j < n { j as f64 } else { j as f64 - n as f64 };
    for i in 0..n * n * n {
        let length = [i / (n * n), i / n % n, i % n].map(|j| frequency(j).powi(2)).iter().sum::<f64>().sqrt();
        if let Some((sum, count)) = sums.get_mut(length.round() as usize) {
            *sum += if length == 0.0 { 0.0 } else { length.powf(-slope) };
            *count += 1.0;
        }
    }
    sums.into_iter().map(|(sum, count)| (sum / count, count)).collect()
}

/// The power of one frequency varies as much as its mean. A frequency and its mirror image are one.
fn check(measured: &[f32], law: &[(f64, f64)]) -> Result<()> {
    let deviation = |(power, (mean, count)): (&f32, &(f64, f64))| (f64::from(*power) / mean - 1.0) / (2.0 / count).sqrt();
    let squares: f64 = measured.iter().zip(law).skip(2).map(deviation).map(|z| z * z).sum();
    let typical = (squares / (law.len() - 2) as f64).sqrt();
    println!("check       {} shells differ from the law by {typical:.2} standard deviations", law.len() - 2);
    // NaN is not less than anything.
    if typical < 2.0 { Ok(()) } else { Err("check: chance alone would give about 1".into()) }
}

/// The slice, and beside it the powers (dots) and the law (line) over |k|, both as logarithms.
fn picture(slice: &[f32], n: usize, measured: &[f32], law: &[(f64, f64)]) -> RgbImage {
    let most = slice.iter().fold(f32::MIN_POSITIVE, |most, value| most.max(value.abs()));
    let mut picture = RgbImage::from_fn(2 * SIDE, SIDE, |x, y| {
        if x >= SIDE {
            return Rgb([255; 3]);
        }
        let [row, column] = [y, x].map(|pixel| pixel as usize * n / SIDE as usize);
        let level = slice[row * n + column] / most;
        let faded = (255.0 * (1.0 - level.abs())) as u8;
        if level > 0.0 { Rgb([255, faded, faded]) } else { Rgb([faded, faded, 255]) }
    });
    let (first, last) = (law[1].0.ln(), law[law.len() - 1].0.ln());
    let mut dot = |r: f64, power: f64, size: i64, colour: [u8; 3]| {
        let x = 30.0 + 450.0 * r.ln() / ((law.len() - 1) as f64).ln();
        let y = 30.0 + 450.0 * (first - power.ln()) / (first - last).max(1.0);
        for (dx, dy) in (-size..=size).flat_map(|dy| (-size..=size).map(move |dx| (dx, dy))) {
            let at = [x as i64 + dx, y as i64 + dy].map(|place| place.clamp(0, i64::from(SIDE) - 1) as u32);
            picture.put_pixel(SIDE + at[0], at[1], Rgb(colour));
        }
    };
    for i in 0..2000 {
        let r = (f64::from(i) / 2000.0 * ((law.len() - 1) as f64).ln()).exp();
        let (low, part) = (r as usize, r.fract());
        dot(r, (law[low].0.ln() * (1.0 - part) + law[(low + 1).min(law.len() - 1)].0.ln() * part).exp(), 0, [120; 3]);
    }
    measured.iter().enumerate().skip(1).for_each(|(r, &power)| dot(r as f64, power.into(), 2, [31, 95, 168]));
    picture
}
