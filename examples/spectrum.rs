//! The spectrum of a picture, by a 2D FFT on the GPU.
//!
//! ```text
//! cargo run --release --example spectrum -- [OPTIONS] [PICTURE]
//! cargo run --release --example spectrum -- --inverse
//! cargo run --release --example spectrum -- photo.jpg -o photo-spectrum.png --no-window
//! ```
//!
//! The picture may have any size; it is transformed as it is, without padding. The example writes
//! the logarithm of the magnitudes as a grey picture, with the zero frequency in the centre. It
//! prints the adapter, the plan and the time of each step, and compares the result with an FFT in
//! f64 on the processor. With `--inverse` it also transforms the spectrum back and writes the
//! recovered picture. `--help` lists the options.

mod support;

use std::process::ExitCode;

use image::GrayImage;
use rustfft::FftPlanner;
use support::{Options, Result};
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::{Complex32, fft};

const USAGE: &str = "Writes the spectrum of a picture, by a 2D FFT on the GPU.

Usage: spectrum [OPTIONS] [PICTURE]

The picture is transformed at its own size. First its mean is subtracted, and a Hann window fades it out towards the edges,
which would otherwise show in the spectrum as a cross.

      --no-window     transform the grey values as they are
      --inverse       transform back, write the result as FILE-recovered.png, and compare it with the input
";

/// Share of the magnitudes that is drawn black, and the share that is not white. Most of a
/// photograph's frequencies are noise.
const BLACK: f64 = 0.25;
const WHITE: f64 = 0.9999;

fn main() -> ExitCode {
    support::exit(run())
}

fn run() -> Result<()> {
    let (mut window, mut inverse) = (true, false);
    let options = Options::parse(USAGE, "out/spectrum.png", |name, _| {
        match name {
            "no-window" => window = false,
            "inverse" => inverse = true,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let Some(options) = options else { return Ok(()) };

    let picture = options.read_picture()?.to_luma32f();
    let shape = [picture.height(), picture.width()].map(|extent| extent as usize);
    println!("array       {} rows x {} columns", shape[0], shape[1]);
    // Plans come before data: a size that the device cannot take ends here.
    let gpu = options.open_gpu()?;
    let planner = options.planner(&gpu);
    let forward = options.plan(&planner, fft::C2c::forward(shape))?;

    let (signal, mean) = signal(&picture, window, shape);
    let input = gpu.upload(&signal)?;
    let output = gpu.alloc::<Complex32>(input.len())?;
    let bound = forward.bind(&input, &output)?;
    // Also the warm-up: drivers compile at the first run.
    gpu.submit(|encoder| bound.encode(encoder))?;
    let spectrum = gpu.download(&output)?.wait()?;
    support::print_times(&bound, 2 * input.view().len_bytes())?;
    support::write_picture("spectrum", &options.output, draw(&spectrum, shape))?;

    if inverse {
        let backward = options.plan(&planner, fft::C2c::inverse(shape).scale(fft::Scale::InvLen))?;
        let recovered = gpu.alloc::<Complex32>(input.len())?;
        let bound = backward.bind(&output, &recovered)?;
        gpu.submit(|encoder| bound.encode(encoder))?;
        let recovered = gpu.download(&recovered)?.wait()?;
        support::print_times(&bound, 2 * input.view().len_bytes())?;
        let name = format!("{}-recovered.png", options.output.file_stem().unwrap_or_default().display());
        // A window stays visible, because the edges have no information left.
        let pixels = recovered.iter().map(|value| ((value.re + mean) * 255.0).round() as u8).collect();
        let picture = GrayImage::from_raw(picture.width(), picture.height(), pixels).ok_or("the picture has changed its size")?;
        support::write_picture("recovered", &options.output.with_file_name(name), picture)?;
        let differences = recovered.iter().zip(&signal).map(|(actual, expected)| (actual - expected).norm());
        println!("inverse     largest difference from the input {:.2e}", differences.max_by(f32::total_cmp).unwrap_or(0.0));
    }
    // A transform of so many numbers takes a second on the processor.
    if input.len() <= 2048 * 2048 {
        compare(&spectrum, &reference(&signal, shape))?;
    }
    Ok(())
}

/// What is transformed, and the mean that was subtracted.
fn signal(picture: &image::ImageBuffer<image::Luma<f32>, Vec<f32>>, window: bool, shape: [usize; 2]) -> (Vec<Complex32>, f32) {
    let (mean, weights) = if window {
        let sum: f64 = picture.iter().map(|&value| f64::from(value)).sum();
        ((sum / picture.len() as f64) as f32, shape.map(hann))
    } else {
        (0.0, shape.map(|n| vec![1.0; n]))
    };
    // Pixels come row by row.
    let pixels = picture.enumerate_pixels();
    (pixels.map(|(x, y, pixel)| ((pixel.0[0] - mean) * weights[0][y as usize] * weights[1][x as usize]).into()).collect(), mean)
}

/// sin²(π(j + 1/2)/n): without zeros, so that a side of one or two pixels does not vanish.
fn hann(n: usize) -> Vec<f32> {
    (0..n).map(|j| (std::f64::consts::PI * (j as f64 + 0.5) / n as f64).sin().powi(2) as f32).collect()
}

/// Logarithms of the magnitudes between black and white, with the zero frequency in the centre.
fn draw(spectrum: &[Complex32], [rows, columns]: [usize; 2]) -> GrayImage {
    let logarithms: Vec<f32> = spectrum.iter().map(|value| value.norm().max(f32::MIN_POSITIVE).ln()).collect();
    let mut sorted = logarithms.clone();
    sorted.sort_unstable_by(f32::total_cmp);
    let [black, white] = [BLACK, WHITE].map(|share| sorted[((sorted.len() - 1) as f64 * share).round() as usize]);
    GrayImage::from_fn(columns as u32, rows as u32, |x, y| {
        let [k, l] = [(y as usize, rows), (x as usize, columns)].map(|(position, n)| (position + n.div_ceil(2)) % n);
        let brightness = (logarithms[k * columns + l] - black) / (white - black);
        // The conversion clips; a spectrum that is the same everywhere is 0/0, which it turns into
        // black.
        image::Luma([(brightness * 255.0).round() as u8])
    })
}

/// The transform in f64 on the processor.
fn reference(values: &[Complex32], [rows, columns]: [usize; 2]) -> Vec<Complex64> {
    let mut planner = FftPlanner::new();
    let mut data: Vec<Complex64> = values.iter().map(|value| Complex64::new(value.re.into(), value.im.into())).collect();
    planner.plan_fft_forward(columns).process(&mut data);
    let mut data = support::transposed(&data, [rows, columns]);
    planner.plan_fft_forward(rows).process(&mut data);
    support::transposed(&data, [columns, rows])
}

/// Fails if the relative error in the two-norm exceeds the bound that `C2c` documents for any
/// length: 3·u·√log₂m along each axis, with m < 3n and u = 2⁻²⁴. The squares of two axes add up.
fn compare(actual: &[Complex32], expected: &[Complex64]) -> Result<()> {
    let (mut difference, mut norm) = (0.0, 0.0);
    for (actual, expected) in actual.iter().zip(expected) {
        difference += (Complex64::new(actual.re.into(), actual.im.into()) - expected).norm_sqr();
        norm += expected.norm_sqr();
    }
    // A flat picture without its mean is zero everywhere: then the error is absolute.
    let error = (difference / if norm > 0.0 { norm } else { 1.0 }).sqrt();
    let bound = 3.0 * 2f64.powi(-24) * (9.0 * actual.len() as f64).log2().sqrt();
    println!("check       relative error {error:.2e} against f64, bound {bound:.2e}");
    if error.is_nan() || error > bound { Err("check: the error exceeds its bound".into()) } else { Ok(()) }
}
