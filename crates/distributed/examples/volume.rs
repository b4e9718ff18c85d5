//! The FFT of a volume over all ranks.
//!
//! ```text
//! mpirun -n 4 target/release/examples/volume --size 128x128x128
//! ```
//!
//! Each rank makes its own slab or pencil of the volume, which holds a few Gaussian blobs. All
//! ranks transform the volume forward and back. Rank 0 shows the progress, checks the energy
//! (Parseval) and the recovered volume, and prints what each rank did.

mod support;

use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};
use lexopt::ValueExt;
use support::{Common, Result};
use wgpu_fft_distributed::mpi::collective::SystemOperation;
use wgpu_fft_distributed::mpi::topology::SimpleCommunicator;
use wgpu_fft_distributed::mpi::traits::*;
use wgpu_fft_distributed::wgpu_fft::Complex32;
use wgpu_fft_distributed::wgpu_fft::fft::{C2r, R2c, Scale};
use wgpu_fft_distributed::{Cluster, Decomposition, Divide, Job, JobOptions, Strategy};

const USAGE: &str = "Transforms a volume of blobs over all ranks, forward and back.

Usage: mpirun -n RANKS volume [OPTIONS]

      --size AxBxC       extents of the volume (default 96x96x96)
      --strategy NAME    equal (default) or measured
      --pencils          divides two axes in place of one
      --chunk BYTES      the largest message, in bytes (default 4194304)";

/// Relative errors that rounding explains: 1.5·u·√log₂n for each way, with n up to 2³² about 10⁻⁶.
const BUDGET: f64 = 2e-6;

fn main() -> ExitCode {
    support::main(run)
}

fn run(world: &SimpleCommunicator) -> Result<()> {
    let (mut shape, mut strategy, mut chunk) = ([96usize; 3], Strategy::Equal, 4usize << 20);
    let mut decomposition = Decomposition::Slabs;
    let common = Common::parse(USAGE, |name, parser| {
        match name {
            "size" => shape = support::extents(parser)?,
            "strategy" => {
                strategy = match parser.value()?.string()?.as_str() {
                    "measured" => Strategy::Measured,
                    "equal" => Strategy::Equal,
                    _ => return Err("--strategy is measured or equal".into()),
                }
            }
            "pencils" => decomposition = Decomposition::Pencils,
            "chunk" => chunk = parser.value()?.parse()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let Some(common) = common else { return Ok(()) };

    let cluster = Cluster::open(world, &common.rank_options(world.rank() as usize))?;
    support::print_members(&cluster);
    let by = |strategy| JobOptions::default().strategy(strategy).decomposition(decomposition).message_bytes(chunk);
    let there = Job::new(&cluster, R2c::forward(shape).scale(Scale::InvSqrtLen), &by(strategy))?;
    // The way back begins where the way there ends, so it has the same shares.
    let back = Job::new(&cluster, C2r::inverse(shape).scale(Scale::InvSqrtLen), &by(Strategy::Given(there.shares())))?;
    if cluster.rank() == 0 {
        println!("recipes     {}", there.recipes());
    }

    let (positions, columns) = (there.input(), there.output().along(2));
    let volume = blobs(shape, [positions.along(0), positions.along(1)]);
    let (there, back) = (with_progress(&cluster, there)?, with_progress(&cluster, back)?);
    let mut frequencies = vec![Complex32::ZERO; there.output_len()];
    let mut recovered = vec![0.0; back.output_len()];
    let reports = [there.run(&volume, &mut frequencies)?, back.run(&frequencies, &mut recovered)?];
    if cluster.rank() == 0 {
        reports.iter().for_each(|report| println!("{report}"));
    }

    // Of the frequencies 1 to (n-1)/2 of the last axis the conjugates are not stored.
    let [n0, _, n2] = shape;
    let energy = |(i, value): (usize, &Complex32)| {
        let k = columns.start + i / n0 % columns.len();
        let times = if k == 0 || 2 * k == n2 { 1.0 } else { 2.0 };
        times * f64::from(value.norm_sqr())
    };
    let own = [
        volume.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>(),
        frequencies.iter().enumerate().map(energy).sum(),
        volume.iter().zip(&recovered).map(|(&x, &y)| (f64::from(x) - f64::from(y)).powi(2)).sum(),
    ];
    let mut sums = [0.0f64; 3];
    world.all_reduce_into(&own[..], &mut sums[..], SystemOperation::sum());
    let [before, after, difference] = sums;
    let (parseval, way_back) = ((after / before - 1.0).abs(), (difference / before).sqrt());
    if cluster.rank() == 0 {
        println!("Parseval    relative difference of the energies {parseval:.2e}");
        println!("inverse     relative error {way_back:.2e}, budget {BUDGET:.0e}");
    }
    if parseval <= BUDGET && way_back <= BUDGET { Ok(()) } else { Err("the result is wrong: an error exceeds its budget".into()) }
}

/// These rows of these planes of a volume of five blobs.
fn blobs([depth, height, width]: [usize; 3], [planes, rows]: [std::ops::Range<usize>; 2]) -> Vec<f32> {
    const BLOBS: [([f64; 3], f64, f64); 5] = [
        ([0.30, 0.30, 0.30], 0.06, 1.0),
        ([0.70, 0.40, 0.55], 0.10, 0.6),
        ([0.50, 0.75, 0.25], 0.04, -0.8),
        ([0.20, 0.60, 0.80], 0.08, 0.5),
        ([0.85, 0.15, 0.60], 0.05, 0.9),
    ];
    // Each blob is a product of three functions of one coordinate.
    let along = |axis: usize, extent: usize| -> Vec<[f64; 5]> {
        let at = |i: usize| {
            BLOBS.map(|(centre, width, _)| (-((i as f64 + 0.5) / extent as f64 - centre[axis]).powi(2) / (2.0 * width * width)).exp())
        };
        (0..extent).map(at).collect()
    };
    let (z, y, x) = (along(0, depth), along(1, height), along(2, width));
    let mut volume = Vec::with_capacity(planes.len() * rows.len() * width);
    for z in &z[planes] {
        for y in &y[rows.clone()] {
            let products: [f64; 5] = std::array::from_fn(|blob| BLOBS[blob].2 * z[blob] * y[blob]);
            volume.extend(x.iter().map(|x| products.iter().zip(x).map(|(product, x)| product * x).sum::<f64>() as f32));
        }
    }
    volume
}

/// Shows a bar of rank 0's bytes, phase by phase, on a terminal.
fn with_progress<S: Divide>(cluster: &Cluster, job: Job<S, Cluster>) -> Result<Job<S, Cluster>> {
    if cluster.rank() > 0 {
        return Ok(job);
    }
    let bar = ProgressBar::new(1).with_style(ProgressStyle::with_template("{msg:10} [{bar:40}] {bytes} of {total_bytes}")?);
    Ok(job.on_progress(move |now| {
        bar.set_message(now.label.to_owned());
        bar.set_length(now.total.max(1));
        bar.set_position(if now.done >= now.total { 0 } else { now.done });
    }))
}
