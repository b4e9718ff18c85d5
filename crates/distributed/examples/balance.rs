//! What weighted shares gain if one rank is slower than the others.
//!
//! ```text
//! mpirun -n 2 target/release/examples/balance --slow 1:8
//! ```
//!
//! The example times one transform with several strategies, and with rank 0 alone, in interleaved
//! runs. For each it prints a line of JSON: the median, the shares, and the time relative to rank 0
//! alone and to equal shares. Time counts from a barrier until the last rank has its result.

mod support;
#[path = "support/timing.rs"]
mod timing;

use std::process::ExitCode;

use lexopt::ValueExt;
use support::{Common, Result};
use timing::{median, time};
use wgpu_fft_distributed::mpi::topology::{Color, SimpleCommunicator};
use wgpu_fft_distributed::mpi::traits::*;
use wgpu_fft_distributed::wgpu_fft::Complex32;
use wgpu_fft_distributed::wgpu_fft::fft::C2c;
use wgpu_fft_distributed::{Arithmetic, Cluster, Job, JobOptions, Strategy};

const USAGE: &str = "Times a transform with several strategies, and with rank 0 alone.

Usage: mpirun -n RANKS balance [OPTIONS]

      --size AxB         extents of the array (default 1024x1024)
      --rounds N         runs of each strategy; the median counts (default 9)
      --require          fail unless measured shares are at least 1.5 times as fast as equal ones, and take at most 1.05 times
                         the time of rank 0 alone";

/// With one rank 8 times slower than the others.
const FASTER_THAN_EQUAL: f64 = 1.5;
const SLOWER_THAN_ALONE: f64 = 1.05;

fn main() -> ExitCode {
    support::main(run)
}

fn run(world: &SimpleCommunicator) -> Result<()> {
    let (mut shape, mut rounds, mut require) = ([1024usize; 2], 9usize, false);
    let common = Common::parse(USAGE, |name, parser| {
        match name {
            "size" => shape = support::extents(parser)?,
            "rounds" => rounds = parser.value()?.parse::<usize>()?.max(1),
            "require" => require = true,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let Some(common) = common else { return Ok(()) };

    let (rank, size) = (world.rank() as usize, world.size() as usize);
    let options = common.rank_options(rank);
    let cluster = Cluster::open(world, &options)?;
    support::print_members(&cluster);
    let own = world.split_by_color(Color::with_value(rank as i32)).ok_or("MPI makes no communicator of one rank")?;

    // A rank is worth as many elements as it is fast.
    let elements = (0..size).map(|rank| match common.slow {
        Some((slow, factor)) if slow == rank => (64.0 / factor.max(1.0)).max(1.0) as u32,
        _ => 64,
    });
    let strategies = [
        ("equal", Strategy::Equal),
        ("measured", Strategy::Measured),
        ("takemoto", Strategy::Takemoto { processing_elements: elements.collect(), amount: None }),
    ];
    let mut jobs: Vec<(&str, Job<C2c, Cluster>, Vec<f64>)> = Vec::new();
    for (name, strategy) in strategies {
        jobs.push((name, Job::new(&cluster, C2c::forward(shape), &JobOptions::default().strategy(strategy))?, Vec::new()));
    }
    let recipes = jobs[0].1.recipes().clone();
    let alone = if rank == 0 {
        let cluster = Cluster::open(&own, &options)?;
        Some(Job::new(&cluster, C2c::forward(shape), &JobOptions::default().arithmetic(Arithmetic::Given(recipes)))?)
    } else {
        None
    };
    let input: Vec<Complex32> = (0..shape[0] * shape[1]).map(|i| Complex32::new((i % 17) as f32, (i % 11) as f32)).collect();
    let mut output = vec![Complex32::ZERO; input.len()];
    let mut alone_times = Vec::new();
    // The first round warms up: drivers compile at the first run.
    for round in 0..=rounds {
        let (seconds, ()) = time(world, || alone.as_ref().map_or(Ok(()), |job| job.run(&input, &mut output).map(drop)))?;
        if round > 0 {
            alone_times.push(seconds);
        }
        for (_, job, times) in &mut jobs {
            let rows = job.input().along(0);
            let part = &input[rows.start * shape[1]..rows.end * shape[1]];
            let target = &mut output[..job.output_len()];
            let (seconds, _) = time(world, || job.run(part, target))?;
            if round > 0 {
                times.push(seconds);
            }
        }
    }

    let alone = median(&alone_times);
    let medians: Vec<f64> = jobs.iter().map(|(_, _, times)| median(times)).collect();
    if rank == 0 {
        let slow = common.slow.map_or("null".to_owned(), |(rank, factor)| format!("\"{rank}:{factor}\""));
        let line = |name: &str, seconds: f64, shares: String| {
            println!(
                "{{\"spec\":\"c2c fwd {}x{}\",\"ranks\":{size},\"slow\":{slow},\"strategy\":\"{name}\",\"ms\":{:.3},\"of_alone\":{:.3},\"equal_over\":{:.3},{shares}}}",
                shape[0],
                shape[1],
                seconds * 1e3,
                seconds / alone,
                medians[0] / seconds
            );
        };
        line("rank 0 alone", alone, format!("\"rows\":[{}],\"columns\":[{}]", shape[0], shape[1]));
        for ((name, job, _), &seconds) in jobs.iter().zip(&medians) {
            let shares = job.shares().0;
            line(name, seconds, format!("\"rows\":{:?},\"columns\":{:?}", shares[0], shares[1]));
        }
    }
    let (gain, loss) = (medians[0] / medians[1], medians[1] / alone);
    if require && (gain < FASTER_THAN_EQUAL || loss > SLOWER_THAN_ALONE) {
        let text = format!("measured shares are {gain:.2} times as fast as equal ones, and take {loss:.2} times as long as rank 0 alone");
        return Err(format!("{text}; wanted are {FASTER_THAN_EQUAL} at least and {SLOWER_THAN_ALONE} at most").into());
    }
    Ok(())
}
