//! Takes a known blur out of a photograph, by a Wiener filter on the GPU.
//!
//! ```text
//! cargo run --release --example deblur -- [OPTIONS] [PICTURE]
//! cargo run --release --example deblur -- photo.jpg -o photo-sharp.png --length 25
//! ```
//!
//! First the picture is blurred, as if the camera had moved along its rows while the shutter was
//! open, and rounded to 8 bits, which adds noise. Then the blur is undone. Each of the two is one
//! spectral filter: a Fourier transform, a line of WGSL, and the inverse transform. The example
//! writes both pictures, and fails unless the second one is nearer to the original. `--help` lists
//! the options.

mod support;

use std::process::ExitCode;

use image::GrayImage;
use lexopt::ValueExt;
use support::{Options, Result};
use wgpu_fft::signal::SpectralFilter;
use wgpu_fft::{Fragment, Gpu, Planner};

const USAGE: &str = "Takes a known blur out of a photograph, by a Wiener filter on the GPU.

Usage: deblur [OPTIONS] [PICTURE]

      --length N      pixels that the camera moves, an odd number (default 15)
      --noise RATIO   power of the noise over power of the picture that the filter expects (default 0.001)
";

fn main() -> ExitCode {
    support::exit(run())
}

fn run() -> Result<()> {
    let (mut length, mut noise) = (15u32, 0.001f32);
    let options = Options::parse(USAGE, "out/deblurred.png", |name, parser| {
        match name {
            "length" => length = parser.value()?.parse()?,
            "noise" => noise = parser.value()?.parse()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let Some(options) = options else { return Ok(()) };
    if length % 2 == 0 || length > 999 {
        return Err(lexopt::Error::from("--length takes an odd number below 1000, so that the blur has a centre").into());
    }
    if !noise.is_finite() || noise <= 0.0 {
        return Err(lexopt::Error::from("--noise takes a number above 0").into());
    }
    let picture = options.read_picture()?.to_luma8();
    let gpu = options.open_gpu()?;
    let filters = Filters { planner: options.planner(&gpu), gpu, options, length };

    let blurred = filters.apply("value * blur(f1)", &picture)?;
    let name = format!("{}-blurred.png", filters.options.output.file_stem().unwrap_or_default().display());
    support::write_picture("blurred", &filters.options.output.with_file_name(name), blurred.clone())?;
    // Where the blur left little of a frequency, there is mostly noise: it is not amplified.
    let restored = filters.apply(&format!("value * blur(f1) / (blur(f1) * blur(f1) + {noise:?})"), &blurred)?;
    support::write_picture("restored", &filters.options.output, restored.clone())?;

    let [before, after] = [&blurred, &restored].map(|own| distance(own, &picture));
    println!("distance    from the original: blurred {before:.2}, restored {after:.2} grey levels (root mean square)");
    if before > 0.5 && after >= before { Err("the restored picture is no nearer to the original".into()) } else { Ok(()) }
}

struct Filters {
    gpu: Gpu,
    planner: Planner,
    options: Options,
    length: u32,
}

impl Filters {
    /// The picture with a fragment on its spectrum.
    fn apply(&self, fragment: &str, picture: &GrayImage) -> Result<GrayImage> {
        // The spectrum of a row of so many equal numbers, with its centre at position 0.
        let length = self.length;
        let blur = format!(
            "fn blur(f: f32) -> f32 {{
                if (abs(f) < 1e-6) {{
                    return 1.0;
                }}
                return sin(3.14159265 * f * {length}.0) / (sin(3.14159265 * f) * {length}.0);
            }}"
        );
        let shape = [picture.height(), picture.width()].map(|extent| extent as usize);
        let spec = SpectralFilter::real(shape, Fragment::new(fragment).functions(blur))?;
        let spec = spec.map_input::<u8>(Fragment::new("f32(value) / 255.0"))?;
        let plan = self.options.plan(&self.planner, spec)?;
        let (input, output) = (self.gpu.upload(picture.as_raw())?, self.gpu.alloc::<f32>(plan.output_len())?);
        let bound = plan.bind(&input, &output)?;
        self.gpu.submit(|encoder| bound.encode(encoder))?;
        support::print_times(&bound, 5 * picture.as_raw().len() as u64)?;
        let values = self.gpu.download(&output)?.wait()?;
        // The conversion clips.
        let grey = values.iter().map(|value| (value * 255.0).round() as u8).collect();
        Ok(GrayImage::from_raw(picture.width(), picture.height(), grey).expect("as many pixels as the picture has"))
    }
}

/// The root mean square of the differences.
fn distance(a: &GrayImage, b: &GrayImage) -> f64 {
    let squares = a.iter().zip(b.iter()).map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2));
    (squares.sum::<f64>() / a.len().max(1) as f64).sqrt()
}
