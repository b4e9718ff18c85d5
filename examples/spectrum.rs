//! The spectrum of a picture, by a 2D FFT on the GPU.
//!
//! ```text
//! cargo run --release --example spectrum -- [OPTIONS] [PICTURE]
//! cargo run --release --example spectrum -- --inverse
//! cargo run --release --example spectrum -- photo.jpg -o photo-spectrum.png --fit crop
//! ```
//!
//! Writes the logarithm of the magnitudes as a grey picture with the zero frequency in the centre.
//! Prints the adapter, the plan and the time of each of its steps, and compares the result with an
//! FFT in f64 on the processor. With `--inverse` it also transforms the spectrum back and writes
//! the picture that comes out. `--help` lists the options.

mod support;

use std::process::ExitCode;
use std::str::FromStr;

use image::GrayImage;
use lexopt::ValueExt;
use rustfft::FftPlanner;
use support::{Options, Result};
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::{Complex32, fft};

/// An image in grey, 0 to 1.
type Picture = image::ImageBuffer<image::Luma<f32>, Vec<f32>>;

const USAGE: &str = "Writes the spectrum of a picture, by a 2D FFT on the GPU.

Usage: spectrum [OPTIONS] [PICTURE]

The transform takes powers of two. How the picture comes to them:
      --fit window    subtract the mean, fade out to the edges by a Hann window, pad with zeros (default)
      --fit pad       only pad with zeros
      --fit crop      cut out the centre; takes a quarter of the memory or less

What to do besides:
      --inverse       transform back, write that as FILE-recovered.png, and compare it with the input
      --check         compare with an FFT in f64 on the processor (default up to 2048x2048), and fail if the error is too large
      --no-check      do not
";

/// Arrays up to this size are checked unless `--no-check` says otherwise: about a second on the
/// processor.
const CHECKED_BY_DEFAULT: usize = 2048 * 2048;

/// Share of the magnitudes that is drawn black, and the share that is not white. Most of a
/// photograph's frequencies are noise.
const BLACK: f64 = 0.25;
const WHITE: f64 = 0.9999;

fn main() -> ExitCode {
    support::exit(run())
}

fn run() -> Result<()> {
    let (mut fit, mut check, mut inverse) = (Fit::Window, None, false);
    let options = Options::parse(USAGE, "out/spectrum.png", |name, parser| {
        match name {
            "fit" => fit = parser.value()?.parse()?,
            "inverse" => inverse = true,
            "check" => check = Some(true),
            "no-check" => check = Some(false),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let Some(options) = options else { return Ok(()) };

    let picture = options.read_picture()?.to_luma32f();
    let shape = [picture.height(), picture.width()].map(|extent| fit.length(extent as usize));
    println!("array       {} rows x {} columns: {}", shape[0], shape[1], fit.describe());

    // Plans come before data: a size that the device cannot take ends here.
    let gpu = options.open_gpu()?;
    let planner = options.planner(&gpu);
    let forward = options.plan(&planner, fft::C2c::forward(shape))?;

    let signal = Signal::new(&picture, fit, shape);
    let input = gpu.upload(&signal.values)?;
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
        support::write_picture("recovered", &options.output.with_file_name(name), signal.picture(&recovered))?;
        let differences = recovered.iter().zip(&signal.values).map(|(actual, expected)| (actual - expected).norm());
        println!("inverse     largest difference from the input {:.2e}", differences.max_by(f32::total_cmp).unwrap_or(0.0));
    }
    if check.unwrap_or(input.len() <= CHECKED_BY_DEFAULT) {
        compare(&spectrum, &reference(&signal.values, shape))?;
    }
    Ok(())
}

/// How a picture of any size comes to powers of two.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    Window,
    Pad,
    Crop,
}

impl Fit {
    /// The length of an axis for a side of the picture.
    fn length(self, side: usize) -> usize {
        match self {
            Self::Window | Self::Pad => side.next_power_of_two(),
            Self::Crop => 1 << side.ilog2(),
        }
    }

    fn describe(self) -> &'static str {
        match self {
            Self::Window => "mean subtracted, Hann window, padded with zeros to powers of two",
            Self::Pad => "padded with zeros to powers of two",
            Self::Crop => "the centre, cut out to powers of two",
        }
    }
}

impl FromStr for Fit {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "window" => Ok(Self::Window),
            "pad" => Ok(Self::Pad),
            "crop" => Ok(Self::Crop),
            _ => Err("it is one of window, pad, crop".to_owned()),
        }
    }
}

/// What is transformed.
struct Signal {
    values: Vec<Complex32>,
    columns: usize,
    /// Rows and columns that hold the picture, or its centre; zeros follow.
    filled: [usize; 2],
    /// What was subtracted.
    mean: f32,
}

impl Signal {
    fn new(picture: &Picture, fit: Fit, [rows, columns]: [usize; 2]) -> Self {
        let size = [picture.height() as usize, picture.width() as usize];
        let filled = [rows.min(size[0]), columns.min(size[1])];
        let first = [(size[0] - filled[0]) / 2, (size[1] - filled[1]) / 2];
        let (mean, weights) = match fit {
            Fit::Window => {
                let sum: f64 = picture.iter().map(|&value| f64::from(value)).sum();
                ((sum / picture.len() as f64) as f32, filled.map(hann))
            }
            Fit::Pad | Fit::Crop => (0.0, filled.map(|n| vec![1.0; n])),
        };
        let mut values = vec![Complex32::ZERO; rows * columns];
        for (r, row) in values.chunks_exact_mut(columns).take(filled[0]).enumerate() {
            for (c, value) in row.iter_mut().take(filled[1]).enumerate() {
                let grey = picture.get_pixel((first[1] + c) as u32, (first[0] + r) as u32).0[0];
                value.re = (grey - mean) * weights[0][r] * weights[1][c];
            }
        }
        Self { values, columns, filled, mean }
    }

    /// The picture in values like these: grey again, without the padding. A window stays visible,
    /// as the edges have no information left.
    fn picture(&self, values: &[Complex32]) -> GrayImage {
        let [height, width] = self.filled.map(|extent| extent as u32);
        GrayImage::from_fn(width, height, |x, y| {
            let grey = values[y as usize * self.columns + x as usize].re + self.mean;
            image::Luma([(grey * 255.0).round() as u8])
        })
    }
}

/// sin²(π(j + 1/2)/n): without zeros, so that a side of one or two pixels does not vanish.
fn hann(n: usize) -> Vec<f32> {
    let weight = |j| (std::f64::consts::PI * (j as f64 + 0.5) / n as f64).sin().powi(2) as f32;
    (0..n).map(weight).collect()
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

/// Fails if the relative error in the two-norm exceeds 1.5·u·√log₂n with u = 2⁻²⁴, a bit more than
/// the rounding errors of an FFT add up to.
fn compare(actual: &[Complex32], expected: &[Complex64]) -> Result<()> {
    let (mut difference, mut norm) = (0.0, 0.0);
    for (actual, expected) in actual.iter().zip(expected) {
        difference += (Complex64::new(actual.re.into(), actual.im.into()) - expected).norm_sqr();
        norm += expected.norm_sqr();
    }
    // A flat picture without its mean is zero everywhere: then the error is absolute.
    let error = (difference / if norm > 0.0 { norm } else { 1.0 }).sqrt();
    let budget = 1.5 * 2f64.powi(-24) * (expected.len() as f64).log2().sqrt();
    println!("check       relative error {error:.2e} against f64, budget {budget:.2e}");
    if error.is_nan() || error > budget { Err("check: the error exceeds its budget".into()) } else { Ok(()) }
}
