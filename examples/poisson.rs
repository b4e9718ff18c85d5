//! The potential of charges in a periodic box: Poisson's equation ∇²φ = -ρ, solved by one plan.
//!
//! ```text
//! cargo run --release --example poisson -- --size 128
//! ```
//!
//! In the spectrum the equation is a division: Φ\[k\] = R\[k\] / (2π|k|)², and Φ\[0\] = 0. A real
//! filter in three axes computes it in one plan, and stores no spectrum of the whole box. The
//! example first solves a case whose solution is known, and prints the error. Then it draws the
//! potential of a few charges in the middle plane.

mod support;

use std::f64::consts::TAU;
use std::process::ExitCode;

use image::{Rgb, RgbImage};
use lexopt::ValueExt;
use support::{Options, Result};
use wgpu_fft::Fragment;
use wgpu_fft::signal::SpectralFilter;

const USAGE: &str = "Computes the potential of charges in a periodic box.

Usage: poisson [OPTIONS]

      --size N        N x N x N points, 16 to 512 (default 96)
";

/// Place in the box from 0 to 1, and sign.
const CHARGES: [([f64; 3], f64); 5] =
    [([0.5, 0.3, 0.3], 1.0), ([0.5, 0.7, 0.35], -1.0), ([0.45, 0.5, 0.7], 1.0), ([0.6, 0.2, 0.75], -1.0), ([0.5, 0.8, 0.8], 0.5)];
/// Standard deviation of a charge.
const SIGMA: f64 = 0.03;

fn main() -> ExitCode {
    support::exit(run())
}

fn run() -> Result<()> {
    let mut n = 96usize;
    let options = Options::parse(USAGE, "out/poisson.png", |name, parser| {
        if name == "size" {
            n = parser.value()?.parse()?;
        }
        Ok(name == "size")
    })?;
    let Some(options) = options else { return Ok(()) };
    if !(16..=512).contains(&n) {
        return Err(lexopt::Error::from(format!("--size {n} is not within 16 to 512")).into());
    }
    let gpu = options.open_gpu()?;
    let planner = options.planner(&gpu);
    // In cycles per box; the box has length 1.
    let divided = Fragment::new("divided(value, vec3(f32(k0), f32(k1), f32(k2)))").functions(
        "fn divided(x: vec2<f32>, k: vec3<f32>) -> vec2<f32> {
             let squared = dot(k, k);
             return select(x / (39.478418 * squared), vec2(0.0), squared == 0.0);
         }",
    );
    let solver = options.plan(&planner, SpectralFilter::real([n, n, n], divided)?)?;

    // φ = cos(2πx)·cos(4πy)·sin(6πz) has ∇²φ = -4π²(1 + 4 + 9)·φ.
    let known = |[x, y, z]: [f64; 3]| (TAU * x).cos() * (2.0 * TAU * y).cos() * (3.0 * TAU * z).sin();
    let density = field(n, |place| 14.0 * TAU * TAU * known(place));
    let potential = solver.run(&density)?.wait()?;
    let exact = field(n, known);
    let worst = potential.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    println!("check       largest error {worst:.1e} of a potential up to 1 whose form is known");
    if worst.is_nan() || worst > 1e-5 {
        return Err("check: the error is too large".into());
    }

    let charge = |place: [f64; 3]| {
        let one = |(centre, sign): &([f64; 3], f64)| {
            let apart = |i: usize| (place[i] - centre[i]).abs().min(1.0 - (place[i] - centre[i]).abs());
            let squared: f64 = (0..3).map(|i| apart(i).powi(2)).sum();
            sign * (-squared / (2.0 * SIGMA * SIGMA)).exp()
        };
        CHARGES.iter().map(one).sum()
    };
    let potential = solver.run(&field(n, charge))?.wait()?;
    let middle = &potential[n / 2 * n * n..][..n * n];
    let most = middle.iter().map(|value| value.abs()).fold(f32::MIN_POSITIVE, f32::max);
    let zoom = (512 / n).max(1) as f32;
    let side = n as u32 * zoom as u32;
    // Between four points of the plane.
    let at = |x: f32, y: f32| {
        let value = |i: f32, j: f32| middle[i as usize % n * n + j as usize % n] / most;
        let along = |i: f32| value(i, x.floor()) * (1.0 - x.fract()) + value(i, x.floor() + 1.0) * x.fract();
        along(y.floor()) * (1.0 - y.fract()) + along(y.floor() + 1.0) * y.fract()
    };
    let picture = RgbImage::from_fn(side, side, |x, y| colour(at(x as f32 / zoom, y as f32 / zoom)));
    support::write_picture("potential", &options.output, picture)
}

/// A function of the place at every point of the box.
fn field(n: usize, function: impl Fn([f64; 3]) -> f64) -> Vec<f32> {
    let place = |i: usize| [i / (n * n), i / n % n, i % n].map(|j| j as f64 / n as f64);
    (0..n * n * n).map(|i| function(place(i)) as f32).collect()
}

/// Red above 0, blue below, with lines of equal potential.
fn colour(level: f32) -> Rgb<u8> {
    let strength = level.abs().sqrt();
    let line = if (10.0 * level).fract().abs() < 0.08 { 0.75 } else { 1.0 };
    let [own, others] = [1.0, 1.0 - strength].map(|value| (255.0 * line * value) as u8);
    if level > 0.0 { Rgb([own, others, others]) } else { Rgb([others, others, own]) }
}
