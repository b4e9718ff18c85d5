//! Transposes a picture on the GPU: rows become columns, one pixel (4 bytes) an element.
//!
//! ```text
//! cargo run --release --example transpose_image -- [OPTIONS] [PICTURE]
//! cargo run --release --example transpose_image -- photo.jpg -o photo-transposed.png
//! cargo run --release --example transpose_image -- --recipe "tiled 16+1 elements=1"
//! ```
//!
//! Prints the adapter, the recipe and the time, and checks that the result equals a transpose on the processor, bit by bit. `--help` lists the
//! options.

mod support;

use std::process::ExitCode;

use image::RgbaImage;
use support::{Options, Result};
use wgpu_fft::Planner;
use wgpu_fft::transpose::Permute;

const USAGE: &str = "Transposes a picture on the GPU.

Usage: transpose_image [OPTIONS] [PICTURE]

Recipes are, for example, `naive 16x16`, `tiled 16+0 elements=1` and `tiled 32+1 elements=4`: workgroup, or side of the tile + padding.
";

fn main() -> ExitCode {
    support::exit(run())
}

fn run() -> Result<()> {
    let Some(options) = Options::parse(USAGE, "out/transposed.png", |_, _| Ok(false))? else { return Ok(()) };
    let picture = options.read_picture()?.into_rgba8();
    let shape = [picture.height() as usize, picture.width() as usize];
    let pixels: &[[u8; 4]] = bytemuck::cast_slice(&picture);

    let gpu = options.open_gpu()?;
    let planner = Planner::new(&gpu);
    let plan = options.plan(&planner, Permute::<[u8; 4]>::transpose(shape))?;

    let input = gpu.upload(pixels)?;
    let output = gpu.alloc::<[u8; 4]>(pixels.len())?;
    let bound = plan.bind(&input, &output)?;
    // Also the warm-up: drivers compile at the first run.
    gpu.submit(|encoder| bound.encode(encoder))?;
    let result = gpu.download(&output)?.wait()?;
    support::print_times(&bound, 2 * input.view().len_bytes())?;

    let expected = support::transposed(pixels, shape);
    let different = result.iter().zip(&expected).filter(|(actual, expected)| actual != expected).count();
    let [width, height] = shape.map(|extent| extent as u32);
    let transposed = RgbaImage::from_raw(width, height, bytemuck::cast_slice(&result).to_vec()).expect("as many pixels as the picture had");
    support::write_picture("transposed", &options.output, transposed)?;
    if different > 0 {
        return Err(format!("check: {different} of {} pixels differ from the transpose on the processor", expected.len()).into());
    }
    println!("check       all {} pixels equal those of a transpose on the processor", expected.len());
    Ok(())
}
