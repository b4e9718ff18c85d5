//! The spectrogram of a sound, by short-time Fourier transforms on the GPU.
//!
//! ```text
//! cargo run --release --example spectrogram -- speech.wav -o out/speech.png --window 512
//! ```
//!
//! A line of WGSL makes decibels of the results before they are stored, so that all of it is one
//! dispatch. The picture has the time from left to right, the frequency from bottom to top, and 90
//! decibels from black to white. The example compares a frame with sums in f64 on the processor.

mod support;

use std::f64::consts::TAU;
use std::process::ExitCode;

use image::{Rgb, RgbImage};
use lexopt::ValueExt;
use support::{Options, Result};
use wgpu_fft::Fragment;
use wgpu_fft::signal::window::Window;
use wgpu_fft::signal::{Scaling, Stft};

const USAGE: &str = "Draws the spectrogram of a sound, by short-time Fourier transforms on the GPU.

Usage: spectrogram [OPTIONS] [SOUND]

SOUND is a WAV file. Several channels are averaged. Without one, the example makes a sound of its own: a rising tone, a
note with vibrato and harmonics, and clicks.

      --window N      samples of a frame, 16 to 16384 (default 1024)
      --hop N         samples from one frame to the next (default: a quarter of the window, or more for long sounds)
";

/// Decibels from black to white.
const RANGE: f32 = 90.0;
/// About the most frames by default, which are the columns of the picture.
const COLUMNS: usize = 1600;

fn main() -> ExitCode {
    support::exit(run())
}

fn run() -> Result<()> {
    let (mut frame, mut hop) = (1024usize, None);
    let options = Options::parse(USAGE, "out/spectrogram.png", |name, parser| {
        match name {
            "window" => frame = parser.value()?.parse()?,
            "hop" => hop = Some(parser.value()?.parse::<usize>()?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let Some(options) = options else { return Ok(()) };
    if !(16..=16_384).contains(&frame) || hop == Some(0) {
        return Err(lexopt::Error::from("--window takes 16 to 16384, and --hop at least 1").into());
    }
    let (sound, rate) = match &options.file {
        None => (own_sound(24_000), 24_000),
        Some(path) => {
            let (channels, rate) = support::read_sound(path)?;
            let mean = |t: usize| channels.iter().map(|own| own[t]).sum::<f32>() / channels.len() as f32;
            ((0..channels[0].len()).map(mean).collect(), rate)
        }
    };
    println!("sound       {:.3} s at {rate} samples per second", sound.len() as f64 / f64::from(rate));

    let hop = hop.unwrap_or_else(|| (frame / 4).max(sound.len() / COLUMNS));
    let window: Vec<f64> = Window::Hann.periodic(frame)?;
    let decibels = Fragment::new("10.0 * log(max(dot(value, value), 1e-20)) / log(10.0)");
    let spec = Stft::<f32>::new(sound.len(), &window, hop).scaling(Scaling::Magnitude);
    let spec = spec.frequencies_first().map_output::<f32>(decibels)?;
    let first = spec.frame_range()?.start;
    let [bins, frames] = spec.output_shape()?.extents().try_into()?;
    println!("frames      {frames} of {frame} samples, {hop} apart; {bins} frequencies");

    let gpu = options.open_gpu()?;
    let plan = options.plan(&options.planner(&gpu), spec)?;
    let (input, output) = (gpu.upload(&sound)?, gpu.alloc::<f32>(plan.output_len())?);
    let bound = plan.bind(&input, &output)?;
    // Also the warm-up: drivers compile at the first run.
    gpu.submit(|encoder| bound.encode(encoder))?;
    let levels = gpu.download(&output)?.wait()?;
    support::print_times(&bound, input.view().len_bytes() + output.view().len_bytes())?;

    // Silence is black.
    let loudest = levels.iter().copied().fold(-100.0, f32::max);
    let level_at = |x: u32, y: u32| levels[(bins - 1 - y as usize) * frames + x as usize];
    let pixel = |x, y| colour(1.0 + (level_at(x, y) - loudest) / RANGE);
    let picture = RgbImage::from_fn(frames as u32, bins as u32, pixel);
    support::write_picture("spectrogram", &options.output, picture)?;

    let middle = frames / 2;
    let begin = (first + middle as i64) * hop as i64 - frame as i64 / 2;
    let pairs = (0..bins).map(|k| [f64::from(levels[k * frames + middle]), level(&sound, &window, begin, k)]);
    // What is quieter is rounding.
    let heard = pairs.filter(|[_, exact]| *exact >= f64::from(loudest - RANGE));
    let worst = heard.map(|[own, exact]| (own - exact).abs()).fold(0.0, f64::max);
    println!("check       frame {middle} differs from f64 by at most {worst:.1e} decibels");
    if worst < 0.1 { Ok(()) } else { Err("check: the difference is too large".into()) }
}

/// The level of frequency k in the frame that begins at an element of the sound, in f64.
fn level(sound: &[f32], window: &[f64], begin: i64, k: usize) -> f64 {
    let (mut re, mut im) = (0.0, 0.0);
    for (j, w) in window.iter().enumerate() {
        let value = usize::try_from(begin + j as i64).ok().and_then(|at| sound.get(at)).map_or(0.0, |&value| w * f64::from(value));
        let (sin, cos) = (TAU * (j * k % window.len()) as f64 / window.len() as f64).sin_cos();
        (re, im) = (re + value * cos, im - value * sin);
    }
    10.0 * ((re * re + im * im) / window.iter().sum::<f64>().powi(2)).max(1e-20).log10()
}

/// Six seconds: a tone that rises from 200 to 9000 Hz, a note with harmonics, and clicks.
fn own_sound(rate: u32) -> Vec<f32> {
    let sample = |i: u32| {
        let t = f64::from(i) / f64::from(rate);
        let growth = 45f64.ln() / 6.0;
        let rising = (TAU * 200.0 / growth * (growth * t).exp()).sin();
        let note = TAU * (220.0 * t + 0.6 * (TAU * 5.0 * t).sin());
        let harmonics: f64 = (1..=12).map(|k| (f64::from(k) * note).sin() / f64::from(k)).sum();
        let click = f64::from(u8::from(i % rate == rate / 2));
        (0.3 * rising + 0.1 * harmonics * (1.0 - (t / 3.0 - 1.0).powi(2)) + 0.5 * click) as f32
    };
    (0..6 * rate).map(sample).collect()
}

/// From black over blue, red and yellow to white.
fn colour(level: f32) -> Rgb<u8> {
    const STOPS: [[f32; 3]; 6] =
        [[0.0, 0.0, 0.02], [0.12, 0.06, 0.42], [0.52, 0.09, 0.50], [0.90, 0.27, 0.25], [0.99, 0.72, 0.22], [1.0, 1.0, 0.92]];
    let place = level.clamp(0.0, 1.0) * (STOPS.len() - 1) as f32;
    let [from, to] = [place.floor(), place.ceil()].map(|stop| STOPS[stop as usize]);
    Rgb([0, 1, 2].map(|c| (255.0 * (from[c] + (to[c] - from[c]) * place.fract())).round() as u8))
}
