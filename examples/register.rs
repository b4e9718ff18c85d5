//! Finds by how much one picture is shifted against another, and lays it on the other one.
//!
//! ```text
//! cargo run --release --example register -- [OPTIONS] [PICTURE]
//! cargo run --release --example register -- before.png --moving after.png
//! cargo run --release --example register -- photo.jpg --shift=-30.25,12.5
//! ```
//!
//! Without `--moving`, both are cut from one picture, of which one copy was shifted: then the shift
//! is known, and the example fails unless it finds it within a twentieth of a pixel. The pictures
//! go to the GPU as bytes; a fragment makes a window of them; only the shift comes back. The result
//! shows the reference in red and the moving picture in cyan, before and after: where they agree
//! they are grey. `--help` lists the options.

mod support;

use std::path::PathBuf;
use std::process::ExitCode;

use image::GrayImage;
use image::RgbImage;
use lexopt::ValueExt;
use support::{Options, Result};
use wgpu_fft::signal::{PhaseCorrelate, delay};
use wgpu_fft::{Fragment, Planner};

const USAGE: &str = "Finds by how much one picture is shifted against another.

Usage: register [OPTIONS] [PICTURE]

      --moving FILE   the picture to lay on PICTURE, of the same size
      --shift Y,X     without --moving: by how many pixels to shift, down and right (default 17.3,-9.6)
";

/// A Hann window along both axes: pictures do not continue at their edges.
const WINDOW: &str = "fn hann(i: u32, n: u32) -> f32 {
    return 0.5 - 0.5 * cos(6.2831853 * f32(i) / f32(n));
}";

fn main() -> ExitCode {
    support::exit(run())
}

fn run() -> Result<()> {
    let (mut moving, mut shift) = (None, [17.3, -9.6]);
    let options = Options::parse(USAGE, "out/registered.png", |name, parser| {
        match name {
            "moving" => moving = Some(PathBuf::from(parser.value()?)),
            "shift" => shift = pair(&parser.value()?.string()?)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let Some(options) = options else { return Ok(()) };
    let picture = options.read_picture()?.to_luma8();
    let moving = moving.map(|path| support::read_picture(&path).map_err(|error| format!("cannot read {}: {error}", path.display())));
    let moving = moving.transpose()?.map(|moving| moving.to_luma8());
    let planner = options.planner(&options.open_gpu()?);
    let (reference, moving, known) = match moving {
        Some(moving) => (picture, moving, None),
        None => {
            let (reference, moving) = cut(&planner, &picture, shift)?;
            (reference, moving, Some(shift))
        }
    };
    if reference.dimensions() != moving.dimensions() {
        let [[w, h], [w2, h2]] = [&reference, &moving].map(|picture| [picture.width(), picture.height()]);
        return Err(format!("the pictures have {w} x {h} and {w2} x {h2} pixels: both need the same size").into());
    }

    let shape = [reference.height() as usize, reference.width() as usize];
    let window = Fragment::new("f32(value) * hann(i0, n0) * hann(i1, n1)").functions(WINDOW);
    let plan = options.plan(&planner, PhaseCorrelate::new(shape).map_input::<u8>(window)?)?;
    let found = plan.run((reference.as_raw(), moving.as_raw()))?.wait()?;
    let [down, right, height] = [found[0], found[1], found[2]].map(f64::from);
    println!("shift       {down:.3} rows down, {right:.3} columns right; height {height:.3} of 1");
    let aligned = shifted(&planner, &moving, [down, right])?;
    let (before, after) = (overlaid(&reference, &moving), overlaid(&reference, &aligned));
    let mut both = RgbImage::new(2 * before.width(), before.height());
    image::imageops::replace(&mut both, &before, 0, 0);
    image::imageops::replace(&mut both, &after, before.width().into(), 0);
    support::write_picture("overlaid", &options.output, both)?;
    if let Some([y, x]) = known {
        let error = (down + y).hypot(right + x);
        println!("check       {error:.4} pixels from the shift that undoes {y} rows and {x} columns");
        if error > 0.05 {
            return Err("check: the shift is not the known one".into());
        }
    }
    Ok(())
}

fn pair(text: &str) -> Result<[f64; 2]> {
    let wrong = || lexopt::Error::from(format!("--shift takes two numbers, such as 17.3,-9.6, and not `{text}`"));
    let (y, x) = text.split_once(',').ok_or_else(wrong)?;
    let numbers = [y, x].map(|part| part.trim().parse::<f64>().ok().filter(|number| number.is_finite()));
    let [Some(y), Some(x)] = numbers else { return Err(wrong().into()) };
    Ok([y, x])
}

/// The middle of a picture, and the same part after the picture was shifted: what leaves it at one
/// side does not come back at the other.
fn cut(planner: &Planner, picture: &GrayImage, shift: [f64; 2]) -> Result<(GrayImage, GrayImage)> {
    let (width, height) = picture.dimensions();
    let margin = |n: u32| n / 8;
    let [most_y, most_x] = [height, width].map(|n| f64::from(margin(n)));
    if shift[0].abs() > most_y || shift[1].abs() > most_x {
        return Err(format!("--shift {},{} is more than an eighth of {height} rows and {width} columns", shift[0], shift[1]).into());
    }
    let part = |picture: &GrayImage| {
        let (x, y) = (margin(width), margin(height));
        image::imageops::crop_imm(picture, x, y, width - 2 * x, height - 2 * y).to_image()
    };
    Ok((part(picture), part(&shifted(planner, picture, shift)?)))
}

/// A picture shifted by numbers of pixels that need not be whole.
fn shifted(planner: &Planner, picture: &GrayImage, by: [f64; 2]) -> Result<GrayImage> {
    let shape = [picture.height() as usize, picture.width() as usize];
    let spec = delay::<f32>(shape, &by)?.map_input::<u8>(Fragment::new("f32(value)"))?;
    let values = planner.plan(spec)?.run(picture.as_raw())?.wait()?;
    let bytes = values.iter().map(|value| value.round() as u8).collect();
    Ok(GrayImage::from_raw(picture.width(), picture.height(), bytes).expect("as many pixels as the picture has"))
}

/// One picture in red, and another one in green and blue.
fn overlaid(red: &GrayImage, cyan: &GrayImage) -> RgbImage {
    RgbImage::from_fn(red.width(), red.height(), |x, y| {
        let [red, cyan] = [red, cyan].map(|picture| picture.get_pixel(x, y).0[0]);
        image::Rgb([red, cyan, cyan])
    })
}
