//! Blurs a picture on the GPU, with a Gaussian along rows and another down columns.
//!
//! ```text
//! cargo run --release --example blur -- [OPTIONS] [PICTURE]
//! cargo run --release --example blur -- photo.jpg -o photo-blurred.png --sigma 12
//! cargo run --release --example blur -- --recipe "axes 0,1: tile 32x32 block=4x1 width=4"
//! ```
//!
//! Bytes go to the GPU, one plane for each colour, and floats come back. The picture is reflected
//! at its edges, so that they do not become dark. The example prints the adapter, the recipe and
//! the time of each step, and compares the result with sums in f64 on the processor. `--help` lists
//! the options.

mod support;

use std::process::ExitCode;

use image::RgbImage;
use lexopt::ValueExt;
use support::{Options, Result};
use wgpu_fft::Edge;
use wgpu_fft::signal::SeparableFilter;

const USAGE: &str = "Blurs a picture on the GPU, with a Gaussian.

Usage: blur [OPTIONS] [PICTURE]

      --sigma NUMBER  standard deviation of the Gaussian in pixels, more than 0 and at most 42 (default 5)
";

fn main() -> ExitCode {
    support::exit(run())
}

fn run() -> Result<()> {
    let mut sigma = 5.0;
    let options = Options::parse(USAGE, "out/blurred.png", |name, parser| {
        if name == "sigma" {
            sigma = parser.value()?.parse()?;
        }
        Ok(name == "sigma")
    })?;
    let Some(options) = options else { return Ok(()) };
    if !(sigma > 0.0 && sigma <= 42.0) {
        return Err(lexopt::Error::from(format!("--sigma {sigma} is not more than 0 and at most 42")).into());
    }
    let picture = options.read_picture()?.into_rgb8();
    let [columns, rows] = [picture.width(), picture.height()];
    let shape = [rows as usize, columns as usize];
    let taps = gaussian(sigma);
    println!("kernel      {} taps along each axis, standard deviation {sigma}", taps.len());

    let gpu = options.open_gpu()?;
    let planner = options.planner(&gpu);
    let kernel = || taps.iter().copied();
    let filter = SeparableFilter::<u8>::convolution(shape).kernel(0, kernel()).kernel(1, kernel()).edge(Edge::Reflect).batch(3);
    let blur = options.plan(&planner, filter)?;

    // Interleaved colours become planes, and planes interleaved colours.
    let pixels = shape[0] * shape[1];
    let input = gpu.upload(&support::transposed(&picture, [pixels, 3]))?;
    let output = gpu.alloc::<f32>(input.len())?;
    let bound = blur.bind(&input, &output)?;
    // Also the warm-up: drivers compile at the first run.
    gpu.submit(|encoder| bound.encode(encoder))?;
    let planes = gpu.download(&output)?.wait()?;
    support::print_times(&bound, input.view().len_bytes() + output.view().len_bytes())?;
    let blurred = support::transposed(&planes, [3, pixels]);
    check(&picture, &blurred, &taps)?;
    let bytes = blurred.iter().map(|value| value.round() as u8).collect();
    let blurred = RgbImage::from_raw(columns, rows, bytes).expect("as many pixels as the picture had");
    support::write_picture("blurred", &options.output, blurred)
}

/// Compares a thousand pixels with sums in f64 on the processor, within the bound that
/// `SeparableFilter` documents. A Gaussian of bytes has no negative products.
fn check(picture: &RgbImage, blurred: &[f32], taps: &[f32]) -> Result<()> {
    let (columns, rows) = (picture.width() as usize, picture.height() as usize);
    let inside = |i: usize, t: usize, n: usize| {
        // 2n is added as often as any kernel reaches.
        let j = (i + t + 2 * n * taps.len() - taps.len() / 2) % (2 * n);
        j.min(2 * n - 1 - j) as u32
    };
    let bound = 2.0 * taps.len() as f64 * 2f64.powi(-24);
    let mut worst = 0f64;
    for i in (0..blurred.len()).step_by((blurred.len() / 1000).max(1)) {
        let (y, x, colour) = (i / (3 * columns), i / 3 % columns, i % 3);
        let row = |s: usize| -> f64 {
            let pixel = |t: usize| f64::from(picture.get_pixel(inside(x, t, columns), inside(y, s, rows)).0[colour]);
            taps.iter().enumerate().map(|(t, tap)| f64::from(*tap) * pixel(t)).sum()
        };
        let expected: f64 = taps.iter().enumerate().map(|(s, tap)| f64::from(*tap) * row(s)).sum();
        worst = worst.max((f64::from(blurred[i]) - expected).abs() / expected.max(f64::MIN_POSITIVE));
    }
    println!("check       relative error {worst:.2e} against f64, bound {bound:.2e}");
    if worst <= 1.01 * bound { Ok(()) } else { Err("check: the error exceeds its bound".into()) }
}

/// The taps of a Gaussian, as far as three standard deviations, with the sum 1.
fn gaussian(sigma: f64) -> Vec<f32> {
    let reach = (3.0 * sigma).ceil() as i32;
    let weights: Vec<f64> = (-reach..=reach).map(|i| (-0.5 * (f64::from(i) / sigma).powi(2)).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| (weight / sum) as f32).collect()
}
