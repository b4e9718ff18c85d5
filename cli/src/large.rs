//! Transforms of arrays that stay in their files: every device takes pieces that fit its memory.

use std::fs::File;
use std::io::{IsTerminal, Write};
use std::path::Path;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use memmap2::{Mmap, MmapMut};
use npyz::Order;
use serde_json::json;
use wgpu_fft::Complex32;
use wgpu_fft::fft::{C2c, C2r, R2c};
use wgpu_fft::low_level::files::Replacement;
use wgpu_fft::num_complex::Complex64;
use wgpu_fft_distributed::{DeviceSet, Divide, Job, JobOptions};

use crate::device::Device;
use crate::files::{self, Header, npy_header};
use crate::{Result, progress, usage};

/// Whether an array has what such a transform needs, as it is not converted.
pub fn check(words: &str, header: &Header, input: &Path, f64: bool) -> Result<()> {
    let takes = match (first(words), f64) {
        ("c2c" | "c2r", false) => "c8",
        ("c2c" | "c2r", true) => "c16",
        ("r2c", false) => "f4",
        ("r2c", true) => "f8",
        _ => return Err(usage("--memory is for fft, ifft, rfft and irfft")),
    };
    if header.kind == takes {
        return Ok(());
    }
    let f64 = if f64 { " with --f64" } else { "" };
    Err(format!("{} holds {}, and this transform in files{f64} needs {takes}", input.display(), header.kind).into())
}

/// Transforms the array of one `.npy` file, which has been checked, into another one. No device
/// uses more memory than this.
pub fn transform(
    device: &Device,
    set: &DeviceSet,
    text: &str,
    [input, output]: [&Path; 2],
    header: &Header,
    shape: Vec<usize>,
    memory: u64,
) -> Result<()> {
    let (run, head, element): (Run, Head, _) = match (first(text), &*header.kind) {
        ("c2c", "c8") => (run::<C2c>, npy_header::<Complex32>, size_of::<Complex32>()),
        ("c2c", _) => (run::<C2c<Complex64, Complex64>>, npy_header::<Complex64>, size_of::<Complex64>()),
        ("r2c", "f4") => (run::<R2c>, npy_header::<Complex32>, size_of::<Complex32>()),
        ("r2c", _) => (run::<R2c<f64, Complex64>>, npy_header::<Complex64>, size_of::<Complex64>()),
        (_, "c8") => (run::<C2r>, npy_header::<f32>, size_of::<f32>()),
        _ => (run::<C2r<Complex64, f64>>, npy_header::<f64>, size_of::<f64>()),
    };
    // SAFETY: the file is only read. If another program changes it meanwhile, the numbers are
    // wrong, as they would be if it were read piece by piece.
    let source = unsafe { Mmap::map(&File::open(input)?)? };
    let data = source.get(header.offset as usize..).unwrap_or_default();
    let head = head(&shape, header.order())?;
    let bytes = shape.iter().product::<usize>() * element;
    let cannot = |error| format!("cannot write {}: {error}", files::result_name(output));
    // The old result stays until the new one is complete.
    let file = Replacement::new(output).map_err(cannot)?;
    file.file().write_all(&head)?;
    file.file().set_len((head.len() + bytes) as u64).map_err(cannot)?;
    // SAFETY: this program has just made the file, and nothing else in it uses the file.
    let mut target = unsafe { MmapMut::map_mut(file.file())? };
    let result = &mut target[head.len()..];
    run(device, set, text, data, result, memory)?;
    target.flush()?;
    // The result may take the input's place, and Windows replaces no file that is open.
    drop((target, source));
    file.finish().map_err(cannot)?;
    device.output.note("result", output.display());
    device.output.record(&json!({ "spec": text, "output": output, "shape": shape }));
    Ok(())
}

/// The kind of transform.
fn first(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}

type Run = fn(&Device, &DeviceSet, &str, &[u8], &mut [u8], u64) -> Result<()>;
type Head = fn(&[usize], Order) -> Result<Vec<u8>>;

fn run<S>(device: &Device, set: &DeviceSet, text: &str, data: &[u8], result: &mut [u8], memory: u64) -> Result<()>
where
    S: Divide + std::str::FromStr<Err = wgpu_fft::Error>,
{
    let job = Job::new(set, text.parse::<S>()?, &JobOptions::default().memory(memory))?;
    progress::clear();
    device.output.note("computes", text);
    let (elements, needed) = (data.len() / size_of::<S::Input>(), job.input_len());
    let data = data.get(..needed * size_of::<S::Input>());
    let data = data.ok_or_else(|| format!("the file has {elements} elements of {needed}: it was cut off"))?;
    let bar = ProgressBar::new(0).with_style(ProgressStyle::with_template("{msg} [{bar:30}] {bytes} of {total_bytes}, {eta} left")?);
    if !device.output.is_chatty() || !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let shown = bar.clone();
    let job = job.on_progress(move |now| {
        shown.set_message(format!("phase {} of {}", now.phase + 1, now.phases));
        shown.set_length(now.total);
        shown.set_position(now.done);
    });
    let aligned = |error: bytemuck::PodCastError| format!("the file's elements begin where none can be mapped: {error}");
    let report = job.run(bytemuck::try_cast_slice(data).map_err(aligned)?, bytemuck::try_cast_slice_mut(result).map_err(aligned)?)?;
    bar.finish_and_clear();
    device.output.note("report", report);
    Ok(())
}
