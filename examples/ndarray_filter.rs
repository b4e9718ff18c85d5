//! Blurs a part of an `ndarray` array: a slice in, its spectrum as an array, a slice out.
//!
//! ```text
//! cargo run --release --features ndarray --example ndarray_filter -- [OPTIONS] [PICTURE]
//! ```
//!
//! `Plan::run_array` takes a view of any order in memory and returns an array of the right shape. So
//! what happens to the spectrum in between can be written with `ndarray`. It happens on the host;
//! for filters that run on the device alone see the example `deblur`.

mod support;

use std::process::ExitCode;

use image::GrayImage;
use lexopt::ValueExt;
use ndarray::{Array1, Array2, ArrayView2, Ix2, s};
use support::{Options, Result};
use wgpu_fft::Planner;
use wgpu_fft::fft::{C2r, R2c, Scale};
use wgpu_fft::signal::frequency::{fftfreq, rfftfreq};

const USAGE: &str = "Blurs the middle of a picture, which is an array of the crate ndarray.

Usage: ndarray_filter [OPTIONS] [PICTURE]

      --sigma PIXELS  standard deviation of the blur, 0 to 100 (default 6)
";

fn main() -> ExitCode {
    support::exit(run())
}

fn run() -> Result<()> {
    let mut sigma = 6.0f32;
    let options = Options::parse(USAGE, "out/ndarray_filter.png", |name, parser| {
        if name == "sigma" {
            sigma = parser.value()?.parse()?;
        }
        Ok(name == "sigma")
    })?;
    let Some(options) = options else { return Ok(()) };
    if !(0.0..=100.0).contains(&sigma) {
        return Err(lexopt::Error::from("--sigma is 0 to 100").into());
    }
    let picture = options.read_picture()?.to_luma32f();
    let (width, height) = picture.dimensions();
    let mut array = Array2::from_shape_vec((height as usize, width as usize), picture.into_raw())?;

    let gpu = options.open_gpu()?;
    let planner = options.planner(&gpu);
    // The middle ninth: rows that are not contiguous.
    let (rows, columns) = array.dim();
    let middle = s![rows / 3..rows - rows / 3, columns / 3..columns - columns / 3];
    let blurred = blur(&planner, array.slice(middle), sigma)?;
    check(&planner, array.slice(middle), &blurred, sigma)?;
    array.slice_mut(middle).assign(&blurred);

    let pixels = array.iter().map(|grey| (grey * 255.0).round() as u8).collect();
    let picture = GrayImage::from_raw(width, height, pixels).ok_or("the array has another size than the picture")?;
    support::write_picture("blurred", &options.output, picture)
}

/// A Gaussian blur, which is cyclic, of a real array.
fn blur(planner: &Planner, array: ArrayView2<f32>, sigma: f32) -> Result<Array2<f32>> {
    let (rows, columns) = array.dim();
    let forward = planner.plan(R2c::forward([rows, columns]))?;
    let inverse = planner.plan(C2r::inverse([rows, columns]).scale(Scale::InvLen))?;

    let mut spectrum = forward.run_array(array)?.wait()?.into_dimensionality::<Ix2>()?;
    let gaussian = |f: f32| (-2.0 * (std::f32::consts::PI * sigma * f).powi(2)).exp();
    let down: Array1<f32> = fftfreq(rows, 1.0)?.into_iter().map(gaussian).collect();
    let along: Array1<f32> = rfftfreq(columns, 1.0)?.into_iter().map(gaussian).collect();
    for (mut row, factor) in spectrum.rows_mut().into_iter().zip(&down) {
        row.zip_mut_with(&along, |value, along| *value *= factor * along);
    }
    Ok(inverse.run_array(spectrum.view())?.wait()?.into_dimensionality::<Ix2>()?)
}

/// A blur keeps the mean, and turns with the array: its transpose is a view with other strides.
fn check(planner: &Planner, array: ArrayView2<f32>, blurred: &Array2<f32>, sigma: f32) -> Result<()> {
    let turned = blur(planner, array.t(), sigma)?;
    let apart = (&turned.t() - blurred).iter().fold(0.0f32, |most, value| most.max(value.abs()));
    let [before, after] = [array.mean(), blurred.mean()].map(|mean| mean.unwrap_or(f32::NAN));
    println!("check       mean {before:.5} before and {after:.5} after; the transpose differs by at most {apart:.1e}");
    if (before - after).abs() < 1e-4 && apart < 1e-4 { Ok(()) } else { Err("check: the blur is wrong".into()) }
}
