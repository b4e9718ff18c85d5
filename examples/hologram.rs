//! A digital hologram, refocused at two depths by the angular spectrum of the light.
//!
//! ```text
//! cargo run --release --example hologram
//! cargo run --release --example hologram -- --near 1.5 --far 2.5 -o out/particles.png
//! ```
//!
//! The example makes the hologram first: a laser shines through two planes with opaque particles
//! onto a camera, which stores the brightness in bytes. Then one plan refocuses it: bytes become
//! amplitudes when they are loaded, the spectrum is multiplied by exp(2πi·z·√(1/λ²-f²)) between two
//! Fourier transforms, and magnitudes are stored. Only the distance z, a uniform, changes between
//! the runs. The picture shows the hologram and both planes in focus.

mod support;

use std::process::ExitCode;

use image::GrayImage;
use lexopt::ValueExt;
use support::{Options, Result};
use wgpu_fft::With;
use wgpu_fft::signal::SpectralFilter;
use wgpu_fft::{Complex32, Fragment, FragmentArrays, View, bytemuck, wgpu};

const USAGE: &str = "Refocuses a digital hologram of particles at two depths.

Usage: hologram [OPTIONS]

      --near MM       distance of the nearer particles from the camera (default 2)
      --far MM        distance of the others (default 3)
";

/// Pixels of the camera along each side.
const N: usize = 512;
/// Lengths in µm: a pixel, and the wavelength of a red laser.
const PIXEL: f32 = 2.0;
const WAVELENGTH: f32 = 0.633;
/// Centres in pixels and radius of the particles in each plane.
const PARTICLES: [[(f32, f32, f32); 4]; 2] = [
    [(130.0, 120.0, 9.0), (300.0, 90.0, 6.0), (200.0, 330.0, 12.0), (420.0, 400.0, 7.0)],
    [(390.0, 180.0, 10.0), (90.0, 260.0, 7.0), (280.0, 220.0, 6.0), (320.0, 440.0, 12.0)],
];

fn main() -> ExitCode {
    support::exit(run())
}

fn run() -> Result<()> {
    let mut depths = [2.0f32, 3.0];
    let options = Options::parse(USAGE, "out/hologram.png", |name, parser| {
        match name {
            "near" => depths[0] = parser.value()?.parse()?,
            "far" => depths[1] = parser.value()?.parse()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let Some(options) = options else { return Ok(()) };
    let [near, far] = depths.map(|mm| mm * 1000.0);
    if !(near > 0.0 && near < far && far <= 5000.0) {
        return Err(lexopt::Error::from("--near is more than 0, and --far more than that and at most 5").into());
    }
    let gpu = options.open_gpu()?;
    let planner = options.planner(&gpu);

    // The distance is all that changes.
    let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
    let uniform = gpu.device().create_buffer(&wgpu::BufferDescriptor { label: None, size: 4, usage, mapped_at_creation: false });
    let at = |z: f32| gpu.queue().write_buffer(&uniform, 0, bytemuck::bytes_of(&z));
    let arrays = FragmentArrays::new().with("z", View::<f32>::whole(&uniform)?);

    // The hologram: through the far plane, on to the near one, on to the camera.
    let light = options.plan(&planner, SpectralFilter::complex([N, N], propagation())?)?;
    let mut wave = vec![Complex32::ONE; N * N];
    for (plane, distance) in [(1, far - near), (0, near)] {
        wave.iter_mut().zip(opaque(plane)).for_each(|(wave, opaque)| *wave *= 1.0 - opaque);
        at(distance);
        wave = light.run(With(&wave, &arrays))?.wait()?;
    }
    let hologram: Vec<u8> = wave.iter().map(|wave| (100.0 * wave.norm_sqr()).round().min(255.0) as u8).collect();

    // Refocused: bytes in, magnitudes out, in one plan.
    let refocus = SpectralFilter::complex([N, N], propagation())?
        .map_input::<u8>(Fragment::new("vec2(sqrt(f32(value) / 100.0), 0.0)"))?
        .map_output::<f32>(Fragment::new("length(value)"))?;
    let refocus = options.plan(&planner, refocus)?;
    let mut planes = Vec::new();
    for z in [near, far] {
        at(-z);
        planes.push(refocus.run(With(&hologram, &arrays))?.wait()?);
    }

    let shade = |value: f32| (150.0 * value).min(255.0) as u8;
    let picture = GrayImage::from_fn(3 * N as u32, N as u32, |x, y| {
        let (panel, at) = (x as usize / N, y as usize * N + x as usize % N);
        image::Luma([if panel == 0 { hologram[at] } else { shade(planes[panel - 1][at]) }])
    });
    support::write_picture("hologram", &options.output, picture)?;

    // In its own plane a particle is dark, in the other one light from around it fills it.
    for (plane, depth) in depths.iter().enumerate() {
        let [own, other] = [plane, 1 - plane].map(|depth| mean_within(&planes[depth], plane));
        println!("check       particles at {depth} mm: brightness {own:.2} in focus, {other:.2} out of focus");
        if own.is_nan() || own > 0.85 * other {
            return Err("check: the particles are not in focus".into());
        }
    }
    Ok(())
}

/// Light travels the distance z: a plane wave of frequency f gains √(1/λ²-f²)·z turns. Those of a
/// wave without f, which say nothing, are left out, so that few digits are lost.
fn propagation() -> Fragment {
    Fragment::new("propagated(value, vec2(f0, f1))")
        .functions(format!(
            "fn propagated(x: vec2<f32>, f: vec2<f32>) -> vec2<f32> {{
                 let squared = dot(f, f) / {PIXEL:.1} / {PIXEL:.1};
                 let k = 1.0 / {WAVELENGTH};
                 let turns = -z * squared / (k + sqrt(max(k * k - squared, 0.0)));
                 let angle = 6.2831853 * fract(turns);
                 let turned = vec2(cos(angle) * x.x - sin(angle) * x.y, sin(angle) * x.x + cos(angle) * x.y);
                 return select(vec2(0.0), turned, squared < k * k);
             }}"
        ))
        .uniform::<f32>("z", "f32")
}

/// 1 where a particle is, 0 elsewhere.
fn opaque(plane: usize) -> impl Iterator<Item = f32> {
    (0..N * N).map(move |i| {
        let (x, y) = ((i % N) as f32, (i / N) as f32);
        let inside = PARTICLES[plane].iter().any(|&(cx, cy, radius)| (x - cx).hypot(y - cy) < radius);
        f32::from(u8::from(inside))
    })
}

fn mean_within(values: &[f32], plane: usize) -> f32 {
    let (sum, count) =
        values.iter().zip(opaque(plane)).fold((0.0, 0.0), |(sum, count), (value, inside)| (sum + value * inside, count + inside));
    sum / count
}
