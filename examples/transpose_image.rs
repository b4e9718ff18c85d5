//! Transposes a picture on the GPU, so that rows become columns. An element is one pixel: 4 bytes,
//! or 1 byte of a grey picture.
//!
//! ```text
//! cargo run --release --example transpose_image -- [OPTIONS] [PICTURE]
//! cargo run --release --example transpose_image -- photo.jpg -o photo-transposed.png
//! cargo run --release --example transpose_image -- --grey --recipe "gather 8x32"
//! ```
//!
//! Prints the adapter, the recipe and the time. Checks that the result equals a transpose on the
//! CPU, bit by bit. `--help` lists the options.

mod support;

use std::process::ExitCode;

use image::{GrayImage, RgbaImage};
use support::{Options, Result};
use wgpu_fft::Element;
use wgpu_fft::transpose::Permute;

const USAGE: &str = "Transposes a picture on the GPU.

Usage: transpose_image [OPTIONS] [PICTURE]

      --grey          convert the picture to grey first, so that a pixel is one byte

Examples of recipes: `naive 16x16`, `tiled 32+1 elements=4`, `tiles 64x64 width=16 blocks=1 swizzle walk=rows`, and for bytes `gather 8x32`.
";

fn main() -> ExitCode {
    support::exit(run())
}

fn run() -> Result<()> {
    let mut grey = false;
    let options = Options::parse(USAGE, "out/transposed.png", |name, _| {
        grey |= name == "grey";
        Ok(name == "grey")
    })?;
    let Some(options) = options else { return Ok(()) };
    let picture = options.read_picture()?;
    let [rows, columns] = [picture.height(), picture.width()];
    let shape = [rows as usize, columns as usize];
    if grey {
        let result = transposed(&options, &picture.into_luma8(), shape)?;
        let picture = GrayImage::from_raw(rows, columns, result).expect("as many pixels as the picture had");
        support::write_picture("transposed", &options.output, picture)
    } else {
        let pixels = picture.into_rgba8();
        let result: Vec<[u8; 4]> = transposed(&options, bytemuck::cast_slice(&pixels), shape)?;
        let picture =
            RgbaImage::from_raw(rows, columns, bytemuck::cast_slice(&result).to_vec()).expect("as many pixels as the picture had");
        support::write_picture("transposed", &options.output, picture)
    }
}

/// Transposes the pixels. Fails if a transpose on the CPU gives another result.
fn transposed<T: Element + PartialEq>(options: &Options, pixels: &[T], shape: [usize; 2]) -> Result<Vec<T>> {
    let gpu = options.open_gpu()?;
    let planner = options.planner(&gpu);
    let plan = options.plan(&planner, Permute::<T>::transpose(shape))?;

    let input = gpu.upload(pixels)?;
    let output = gpu.alloc::<T>(pixels.len())?;
    let bound = plan.bind(&input, &output)?;
    // This is also the warm-up, because drivers compile at the first run.
    gpu.submit(|encoder| bound.encode(encoder))?;
    let result = gpu.download(&output)?.wait()?;
    support::print_times(&bound, 2 * input.view().len_bytes())?;

    let expected = support::transposed(pixels, shape);
    let different = result.iter().zip(&expected).filter(|(actual, expected)| actual != expected).count();
    if different > 0 {
        return Err(format!("check: {different} of {} pixels differ from the transpose on the CPU", expected.len()).into());
    }
    println!("check       all {} pixels equal those of a transpose on the CPU", expected.len());
    Ok(result)
}
