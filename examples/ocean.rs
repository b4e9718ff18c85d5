//! Waves of an ocean, after Tessendorf: an inverse FFT for each frame of an animation.
//!
//! ```text
//! cargo run --release --example ocean -- --frames 48
//! ```
//!
//! Each frequency of the surface has a random amplitude, which the wind decides, and turns at its
//! own speed, as gravity waves on deep water do: ω² = g·|k|. The spectrum of a moment is computed
//! when the transform loads it, by a fragment with the time as a uniform; so a frame is one plan and
//! reads back nothing but heights. The frames are PNG files; the first one is the picture. The
//! example compares heights of a frame with sums in f64.
//!
//! J. Tessendorf, Simulating Ocean Water, SIGGRAPH course notes, 2001.

mod support;

use std::f32::consts::TAU;
use std::process::ExitCode;

use image::{Rgb, RgbImage};
use lexopt::ValueExt;
use support::{Options, Result};
use wgpu_fft::With;
use wgpu_fft::fft::C2c;
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::{Complex32, Fragment, FragmentArrays, View, bytemuck, wgpu};

const USAGE: &str = "Draws waves of an ocean, a frame for each tenth of a second.

Usage: ocean [OPTIONS]

      --frames N      frames of the animation, 1 to 1000 (default 4)
      --size N        N x N points of the surface, 32 to 1024 (default 256)
      --wind NUMBER   speed of the wind in m/s, more than 0 and at most 60 (default 14)
";

/// Metres along a side of the surface, which repeats beyond.
const SIDE: f32 = 200.0;
const GRAVITY: f32 = 9.81;

fn main() -> ExitCode {
    support::exit(run())
}

fn run() -> Result<()> {
    let (mut frames, mut n, mut wind) = (4usize, 256usize, 14f32);
    let options = Options::parse(USAGE, "out/ocean.png", |name, parser| {
        match name {
            "frames" => frames = parser.value()?.parse()?,
            "size" => n = parser.value()?.parse()?,
            "wind" => wind = parser.value()?.parse()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let Some(options) = options else { return Ok(()) };
    let fits = (1..=1000).contains(&frames) && (32..=1024).contains(&n) && wind > 0.0 && wind <= 60.0;
    if !fits {
        return Err(lexopt::Error::from("--frames is 1 to 1000, --size 32 to 1024, --wind more than 0 and at most 60").into());
    }
    let gpu = options.open_gpu()?;
    let planner = options.planner(&gpu);

    // A wave and its mirror image turn against each other, so that the surface is real.
    let moment = Fragment::new("moving(value, mirrored[i0 * n1 + i1], vec2(f32(k0), f32(k1)))")
        .functions(format!(
            "fn moving(a: vec2<f32>, b: vec2<f32>, k: vec2<f32>) -> vec2<f32> {{
                 let angle = sqrt({GRAVITY} * {TAU} / {SIDE:.1} * length(k)) * time;
                 let turn = vec2(cos(angle), sin(angle));
                 return vec2(a.x * turn.x - a.y * turn.y, a.x * turn.y + a.y * turn.x)
                      + vec2(b.x * turn.x - b.y * turn.y, -(b.x * turn.y + b.y * turn.x));
             }}"
        ))
        .array::<Complex32>("mirrored", n * n)
        .uniform::<f32>("time", "f32");
    let surface = C2c::inverse([n, n]).map_input::<Complex32>(moment)?.map_output::<f32>(Fragment::new("value.x"))?;
    let plan = options.plan(&planner, surface)?;

    let amplitudes = amplitudes(n, wind);
    let at = |i: usize, j: usize| amplitudes[i * n + j];
    let mirrored: Vec<Complex32> = (0..n * n).map(|i| at((n - i / n) % n, (n - i % n) % n)).collect();
    let (input, mirror, heights) = (gpu.upload(&amplitudes)?, gpu.upload(&mirrored)?, gpu.alloc::<f32>(n * n)?);
    let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
    let time = gpu.device().create_buffer(&wgpu::BufferDescriptor { label: None, size: 4, usage, mapped_at_creation: false });
    let arrays = FragmentArrays::new().with("mirrored", &mirror).with("time", View::<f32>::whole(&time)?);
    let bound = plan.bind(With(&input, &arrays), &heights)?;
    for frame in 0..frames {
        let seconds = frame as f32 / 10.0;
        gpu.queue().write_buffer(&time, 0, bytemuck::bytes_of(&seconds));
        gpu.submit(|encoder| bound.encode(encoder))?;
        let heights = gpu.download(&heights)?.wait()?;
        if frame == 0 {
            check(&heights, &amplitudes, n)?;
            support::write_picture("ocean", &options.output, shaded(&heights, n))?;
        } else {
            let name = format!("{}-{frame:03}.png", options.output.file_stem().unwrap_or_default().display());
            support::write_picture("ocean", &options.output.with_file_name(name), shaded(&heights, n))?;
        }
    }
    println!("frames      {frames}, {:.1} s", frames as f32 / 10.0);
    Ok(())
}

/// Half of the amplitude of each frequency, by Phillips' spectrum for wind along the first axis.
fn amplitudes(n: usize, wind: f32) -> Vec<Complex32> {
    let mut state = 1u64;
    // Two random numbers make a normal one (Box and Muller).
    let mut uniform = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 40) as f32 + 0.5) / (1u64 << 24) as f32
    };
    let signed = |i: usize| if 2 * i < n { i as f32 } else { i as f32 - n as f32 };
    let longest = wind * wind / GRAVITY;
    let one = |i: usize| {
        let [k, l] = [signed(i / n), signed(i % n)].map(|cycles| TAU * cycles / SIDE);
        let length = k.hypot(l).max(1e-6);
        let phillips = (-1.0 / (length * longest).powi(2)).exp() / length.powi(4) * (k / length).powi(2);
        let normal = Complex32::from_polar((-2.0 * uniform().ln()).sqrt(), TAU * uniform());
        // The waves against the wind are small, and of the highest frequencies there is no mirror image.
        let with_wind = if k < 0.0 { 0.2 } else { 1.0 };
        let is_own = i != 0 && 2 * (i / n) != n && 2 * (i % n) != n;
        normal * (0.02 * with_wind * f32::from(u8::from(is_own)) * phillips.sqrt() * TAU / SIDE)
    };
    (0..n * n).map(one).collect()
}

/// Compares heights with sums in f64. At time 0 a wave and its mirror image add up to a real one.
fn check(heights: &[f32], amplitudes: &[Complex32], n: usize) -> Result<()> {
    let turn = |k: usize| Complex64::cis(std::f64::consts::TAU * k as f64 / n as f64);
    let wide = |i: usize| Complex64::new(amplitudes[i].re.into(), amplitudes[i].im.into());
    let most = heights.iter().map(|height| height.abs()).fold(0.0, f32::max);
    let worst = (0..8).map(|i| [i * n / 8, (5 * i + 3) % n]).map(|[y, x]| {
        let exact: f64 = (0..n * n).map(|i| 2.0 * (wide(i) * turn((i / n * y + i % n * x) % n)).re).sum();
        (exact as f32 - heights[y * n + x]).abs() / most
    });
    let worst = worst.fold(0.0, f32::max);
    println!("check       heights up to {most:.2} m, which differ from f64 by at most {worst:.1e} of that");
    if worst < 1e-4 { Ok(()) } else { Err("check: the difference is too large".into()) }
}

/// The surface from above, with light from one side.
fn shaded(heights: &[f32], n: usize) -> RgbImage {
    RgbImage::from_fn(n as u32, n as u32, |x, y| {
        let at = |dy: usize, dx: usize| heights[(y as usize + dy) % n * n + (x as usize + dx) % n];
        let slope = (at(0, 1) - at(0, 0) + at(1, 0) - at(0, 0)) * n as f32 / SIDE;
        let light = (0.5 + 0.9 * slope).clamp(0.0, 1.0);
        let foam = (0.5 * at(0, 0) - 0.3).clamp(0.0, 0.6);
        let mix = |dark: f32, bright: f32| (255.0 * (dark + (bright - dark) * light + foam * light)).min(255.0) as u8;
        Rgb([mix(0.01, 0.55), mix(0.09, 0.75), mix(0.18, 0.85)])
    })
}
