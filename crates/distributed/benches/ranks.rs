//! Complex transforms over MPI: slabs and pencils, with and without overlap, in interleaved runs.
//!
//! ```text
//! cargo bench -p wgpu-fft-distributed --features mpi --bench ranks --no-run
//! mpirun -n 4 target/release/deps/ranks-… --adapters llvmpipe 512x512 128x128x128
//! ```
//!
//! For each shape and each way it prints one line of JSON: the median over the rounds, where a time
//! counts from a barrier until the last rank has its result. Before that the transform of an
//! impulse is compared with its definition. `scripts/fftw-mpi.sh` builds the same for FFTW.
//! `--smoke` runs small shapes once.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use lexopt::ValueExt;
use wgpu_fft_distributed::mpi;
use wgpu_fft_distributed::mpi::collective::SystemOperation;
use wgpu_fft_distributed::mpi::topology::SimpleCommunicator;
use wgpu_fft_distributed::mpi::traits::*;
use wgpu_fft_distributed::wgpu_fft::fft::C2c;
use wgpu_fft_distributed::wgpu_fft::{Complex32, Shape};
use wgpu_fft_distributed::{Adapter, Cluster, Decomposition, Error, Job, JobOptions, Part, RankOptions, Report, Strategy};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

struct Arguments {
    adapter: Adapter,
    rounds: usize,
    /// The bytes of a piece where passes are cut, in place of the default.
    piece_bytes: Option<usize>,
    report: bool,
    shapes: Vec<Vec<usize>>,
}

fn arguments() -> Result<Arguments> {
    let mut own = Arguments { adapter: Adapter::ByLocalRank, rounds: 9, piece_bytes: None, report: false, shapes: Vec::new() };
    let mut smoke = false;
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            lexopt::Arg::Long("adapters") => {
                own.adapter = Adapter::Names(parser.value()?.string()?.split(',').map(str::to_owned).collect());
            }
            lexopt::Arg::Long("rounds") => own.rounds = parser.value()?.parse::<usize>()?.max(1),
            lexopt::Arg::Long("piece-bytes") => own.piece_bytes = Some(parser.value()?.parse()?),
            lexopt::Arg::Long("report") => own.report = true,
            lexopt::Arg::Long("smoke") => smoke = true,
            // Of `cargo bench`.
            lexopt::Arg::Long("bench") => {}
            lexopt::Arg::Value(shape) => {
                let extents: std::result::Result<Vec<usize>, _> = shape.string()?.split('x').map(str::parse).collect();
                own.shapes.push(extents?);
            }
            other => return Err(other.unexpected().into()),
        }
    }
    if smoke {
        own.rounds = 1;
        own.shapes = vec![vec![32, 32], vec![8, 8, 8]];
    } else if own.shapes.is_empty() {
        own.shapes = vec![vec![1024, 1024], vec![128, 128, 128]];
    }
    Ok(own)
}

/// Waits until all ranks are here, without taking a core from those that still compute.
fn meet(world: &SimpleCommunicator) {
    let mut request = world.immediate_barrier();
    while let Err(again) = request.test() {
        request = again;
        std::thread::sleep(Duration::from_micros(50));
    }
}

/// Seconds until the last rank has its result.
fn time(world: &SimpleCommunicator, run: impl FnOnce() -> wgpu_fft_distributed::Result<Report>) -> Result<(f64, Report)> {
    meet(world);
    let begin = Instant::now();
    let outcome = run();
    let own = begin.elapsed().as_secs_f64();
    meet(world);
    let mut slowest = 0.0;
    world.all_reduce_into(&own, &mut slowest, SystemOperation::max());
    Ok((slowest, outcome?))
}

/// The indices of a part's elements, by axis of the shape.
fn indices(part: &Part) -> impl Iterator<Item = Vec<usize>> + '_ {
    (0..part.len()).map(|mut rest| {
        let mut index = vec![0; part.axes.len()];
        for (axis, range) in part.axes.iter().zip(&part.ranges).rev() {
            index[*axis] = range.start + rest % range.len();
            rest /= range.len();
        }
        index
    })
}

/// The largest error of this rank in the transform of an impulse, whose definition is one product.
fn error_of_an_impulse(job: &Job<C2c, Cluster>, shape: &[usize]) -> Result<f32> {
    let at: Vec<usize> = shape.iter().enumerate().map(|(axis, extent)| (axis + 1) % extent).collect();
    let impulse = |index: Vec<usize>| if index == at { Complex32::ONE } else { Complex32::ZERO };
    let [positions, frequencies] = [job.input(), job.output()];
    let input: Vec<Complex32> = indices(&positions).map(impulse).collect();
    let mut output = vec![Complex32::ZERO; job.output_len()];
    job.run(&input, &mut output)?;
    let errors = indices(&frequencies).zip(&output).map(|(index, actual)| {
        // The turns are whole numbers of n-ths, so that large indices lose no digits.
        let turns: f64 = index.iter().zip(&at).zip(shape).map(|((k, at), n)| (k * at % n) as f64 / *n as f64).sum();
        let (im, re) = (-std::f64::consts::TAU * turns).sin_cos();
        let error = (actual.re - re as f32).abs() + (actual.im - im as f32).abs();
        if error.is_nan() { f32::INFINITY } else { error }
    });
    Ok(errors.fold(0.0, f32::max))
}

fn run(world: &SimpleCommunicator) -> Result<()> {
    let arguments = arguments()?;
    let cluster = match Cluster::open(world, &RankOptions::default().adapter(arguments.adapter.clone())) {
        Err(error @ Error::NoAdapter { .. }) if std::env::var("WGPU_FFT_REQUIRE_GPU").is_err() => {
            println!("SKIPPED: {error}");
            return Ok(());
        }
        other => other?,
    };
    let mut adapters: Vec<&str> = cluster.members().iter().map(|member| member.adapter.as_str()).collect();
    adapters.dedup();
    for shape in &arguments.shapes {
        let mut jobs = Vec::new();
        for (name, decomposition) in [("slabs", Decomposition::Slabs), ("pencils", Decomposition::Pencils)] {
            if shape.len() < 3 && decomposition == Decomposition::Pencils {
                continue;
            }
            for (overlap, piece_bytes) in [(false, Some(usize::MAX)), (true, arguments.piece_bytes)] {
                let options = JobOptions::default().strategy(Strategy::Equal).decomposition(decomposition);
                let options = piece_bytes.map_or(options.clone(), |bytes| options.piece_bytes(bytes));
                let job = Job::new(&cluster, C2c::forward(Shape::from(&shape[..])), &options)?;
                let (own, mut worst) = (error_of_an_impulse(&job, shape)?, 0.0f32);
                world.all_reduce_into(&own, &mut worst, SystemOperation::max());
                if worst > 1e-5 {
                    return Err(format!("{shape:?}, {options:?}: the transform of an impulse is wrong by {worst:e}").into());
                }
                jobs.push((name, overlap, job, Vec::new(), None));
            }
        }
        // Drivers compile in the first round, which does not count.
        for round in 0..=arguments.rounds {
            for (_, _, job, times, last) in &mut jobs {
                let input: Vec<Complex32> = (0..job.input_len()).map(|i| Complex32::new((i % 17) as f32, (i % 11) as f32)).collect();
                let mut output = vec![Complex32::ZERO; job.output_len()];
                let (seconds, report) = time(world, || job.run(&input, &mut output))?;
                if round > 0 {
                    times.push(seconds);
                }
                *last = Some(report);
            }
        }
        for (name, overlap, _, times, last) in &mut jobs {
            times.sort_by(f64::total_cmp);
            if cluster.rank() > 0 {
                continue;
            }
            let shape: Vec<String> = shape.iter().map(usize::to_string).collect();
            println!(
                "{{\"library\":\"wgpu-fft\",\"spec\":\"c2c fwd {}\",\"ranks\":{},\"adapters\":{adapters:?},\"decomposition\":\"{name}\",\"overlap\":{overlap},\"ms\":{:.3},\"least_ms\":{:.3}}}",
                shape.join("x"),
                cluster.size(),
                times[times.len() / 2] * 1e3,
                times[0] * 1e3,
            );
            if let Some(report) = last.as_ref().filter(|_| arguments.report) {
                println!("{report}");
            }
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let Some(universe) = mpi::initialize() else {
        eprintln!("MPI does not begin");
        return ExitCode::FAILURE;
    };
    match run(&universe.world()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
