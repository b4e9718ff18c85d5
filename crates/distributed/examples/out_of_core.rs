//! The 2D spectrum of an array in a file, computed in place by all devices, with little of their
//! memory.
//!
//! ```text
//! cargo run --release --example out_of_core -- --size 8192 --memory 64
//! cargo run --release --example out_of_core -- --host
//! ```
//!
//! The example maps the file into memory and fills it with three plane waves. A job
//! ([`wgpu_fft_distributed::Job`]) transforms the rows and then the columns, in pieces that fit the
//! devices. A plane wave has a single nonzero number in its spectrum, so the whole result is
//! checked. Then the file is removed, unless you pass `--keep`.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};
use lexopt::Arg::{Long, Short};
use lexopt::ValueExt;
use wgpu_fft::low_level::files::Replacement;
use wgpu_fft::{Complex32, GpuOptions, bytemuck, fft};
use wgpu_fft_distributed::{DeviceSet, Job, JobOptions, Strategy};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const USAGE: &str = "Transforms an array in a file in place, on all devices.

Usage: out_of_core [OPTIONS]

      --size N          transform N x N complex numbers of 8 bytes (default 2048)
      --memory MIB      the memory of each device that the job may use (default 64)
      --adapter NAME    use only adapters whose name contains NAME
      --host            use the host's processors too
      --strategy NAME   measured (default), equal, dynamic, auto, or the number of one device
      --file FILE       the file (default out/out_of_core.bin)
      --keep            keep the file, in the place of what was there
  -h, --help            print this and stop";

struct Options {
    size: usize,
    memory: u64,
    adapter: GpuOptions,
    host: bool,
    strategy: Strategy,
    file: PathBuf,
    keep: bool,
}

fn main() -> ExitCode {
    match options().and_then(|options| options.map_or(Ok(()), |options| run(&options))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn options() -> Result<Option<Options>> {
    let mut options = Options {
        size: 2048,
        memory: 64 << 20,
        adapter: GpuOptions::default(),
        host: false,
        strategy: Strategy::Measured,
        file: "out/out_of_core.bin".into(),
        keep: false,
    };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("size") => options.size = parser.value()?.parse::<usize>()?.max(1),
            Long("memory") => options.memory = parser.value()?.parse::<u64>()?.max(1) << 20,
            Long("adapter") => options.adapter = options.adapter.adapter_name(parser.value()?.string()?),
            Long("host") => options.host = true,
            Long("strategy") => {
                options.strategy = match parser.value()?.string()?.as_str() {
                    "measured" => Strategy::Measured,
                    "equal" => Strategy::Equal,
                    "dynamic" => Strategy::Dynamic,
                    "auto" => Strategy::Auto,
                    number => Strategy::Single(number.parse().map_err(|_| format!("{number} is no strategy (--help lists them)"))?),
                }
            }
            Long("file") => options.file = parser.value()?.into(),
            Long("keep") => options.keep = true,
            Long("help") | Short('h') => {
                println!("{USAGE}");
                return Ok(None);
            }
            other => return Err(format!("{} (--help lists the options)", other.unexpected()).into()),
        }
    }
    Ok(Some(options))
}

fn set(options: &Options) -> Result<DeviceSet> {
    let set = pollster::block_on(DeviceSet::request(&options.adapter));
    if options.host {
        return Ok(set.map_or_else(|_| DeviceSet::host(), DeviceSet::with_host));
    }
    Ok(set?)
}

fn run(options: &Options) -> Result<()> {
    let set = set(options)?;
    set.names().enumerate().for_each(|(i, name)| println!("device {i}    {name}"));
    let n = options.size;
    let bytes = n.checked_mul(n).and_then(|count| count.checked_mul(size_of::<Complex32>())).ok_or("the array is too large to count")?;
    if let Some(folder) = options.file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    // What is there already stays, unless this is to be kept.
    let file = Replacement::new(&options.file).map_err(|error| format!("cannot write {}: {error}", options.file.display()))?;
    file.file().set_len(bytes as u64)?;
    println!("file        {}, {n} x {n} complex numbers, {:.1} MB", options.file.display(), bytes as f64 / 1e6);
    // SAFETY: the file was made a moment ago, and nobody else changes it while it is mapped.
    let mut map = unsafe { memmap2::MmapMut::map_mut(file.file())? };
    let data: &mut [Complex32] = bytemuck::cast_slice_mut(&mut map);
    let waves = waves(n);
    fill(data, n, &waves);

    let how = JobOptions::default().strategy(options.strategy.clone()).memory(options.memory);
    let job = Job::new(&set, fft::C2c::forward([n, n]).scale(fft::Scale::InvLen), &how)?;
    let bar = ProgressBar::new(0).with_style(ProgressStyle::with_template("{msg} [{bar:30}] {bytes} of {total_bytes}, {eta} left")?);
    if !std::io::stderr().is_terminal() {
        bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
    }
    let shown = bar.clone();
    let job = job.on_progress(move |now| {
        shown.set_message(format!("phase {} of {}", now.phase + 1, now.phases));
        shown.set_length(now.total);
        shown.set_position(now.done);
    });
    let report = job.run_in_place(data)?;
    bar.finish_and_clear();
    println!("{report}");

    check(data, n, &waves)?;
    drop(map);
    if options.keep {
        file.finish()?;
    }
    Ok(())
}

/// Row, column and amplitude of each wave's only frequency.
fn waves(n: usize) -> [(usize, usize, f32); 3] {
    [(0, 1 % n, 1.0), (n / 3, n / 5, 0.5), (n - 1, n / 2, 0.25)]
}

/// Writes the sum of the waves, row by row. Factors come from a table by integers, so that they are
/// exact for large arrays too.
fn fill(data: &mut [Complex32], n: usize, waves: &[(usize, usize, f32)]) {
    let root = |k: usize| {
        let (sine, cosine) = (std::f64::consts::TAU * k as f64 / n as f64).sin_cos();
        Complex32::new(cosine as f32, sine as f32)
    };
    let roots: Vec<Complex32> = (0..n).map(root).collect();
    for (row, values) in data.chunks_exact_mut(n).enumerate() {
        for (column, value) in values.iter_mut().enumerate() {
            *value = waves.iter().map(|&(k, l, amplitude)| roots[(k * row + l * column) % n] * amplitude).sum();
        }
    }
}

/// Every number of the spectrum: the amplitudes where the waves are, and 0 elsewhere.
fn check(data: &mut [Complex32], n: usize, waves: &[(usize, usize, f32)]) -> Result<()> {
    for &(row, column, amplitude) in waves {
        data[row * n + column] -= amplitude;
    }
    let worst = data.iter().map(|z| z.norm()).fold(0.0, f32::max);
    println!("largest error of {} numbers: {worst:.1e}, of amplitudes up to 1", n * n);
    // Rounding errors of the factors add up at random: u times the square root of the logarithm,
    // with room to spare.
    if worst < 2e-6 { Ok(()) } else { Err("the spectrum is wrong".into()) }
}
