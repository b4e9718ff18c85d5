//! Complex transforms over MPI: slabs and pencils, with and without overlap, and with exchanges in f16, in
//! interleaved runs.
//!
//! ```text
//! cargo bench -p wgpu-fft-distributed --features mpi --bench ranks --no-run
//! mpirun -n 4 target/release/deps/ranks-… --adapters llvmpipe --plane 512x512 --volume 64x64x64
//! ```
//!
//! For each shape and each way it prints one line of JSON: the median over the rounds, where a time
//! counts from a barrier until the last rank has its result. Before that the transform of an
//! impulse is compared with its definition. `--step` times a spectral solver's step instead: a field of
//! reals is transformed, its spectrum is multiplied by factors, and transformed back. The field is on
//! the host, or on the devices and copied there and back around each run, or stays on the devices. Then
//! work of the caller's that takes no core, in milliseconds, is done beside a run that was started,
//! until both are done.
//! `scripts/fftw-mpi.sh` builds the same for FFTW.

#[path = "../examples/support/mod.rs"]
mod support;
#[path = "../examples/support/timing.rs"]
mod timing;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use lexopt::ValueExt;
use support::{Common, Result};
use timing::{median, time};
use wgpu_fft_distributed::mpi::collective::SystemOperation;
use wgpu_fft_distributed::mpi::topology::SimpleCommunicator;
use wgpu_fft_distributed::mpi::traits::*;
use wgpu_fft_distributed::wgpu_fft::fft::{C2c, C2r, R2c, Scale};
use wgpu_fft_distributed::wgpu_fft::transpose::Permute;
use wgpu_fft_distributed::wgpu_fft::{Complex32, Fragment, Shape};
use wgpu_fft_distributed::{Cluster, Decomposition, Error, Job, JobOptions, Part, Strategy};

const USAGE: &str = "Times complex transforms in slabs and in pencils, with and without overlap.

Usage: mpirun -n RANKS ranks [OPTIONS]

      --plane AxB        extents of an array; may be repeated, as may the next one
      --volume AxBxC     (default 1024x1024 and 128x128x128)
      --rounds N         runs of each way; the median counts (default 9)
      --piece-bytes N    bytes of a piece where passes are cut
      --report           also what each rank did
      --step             a step of a spectral solver: forward, factors, inverse
      --smoke            all of it on small arrays, once";

struct Arguments {
    common: Common,
    rounds: usize,
    /// The bytes of a piece where passes are cut, in place of the default.
    piece_bytes: Option<usize>,
    report: bool,
    step: bool,
    smoke: bool,
    shapes: Vec<Vec<usize>>,
}

/// Nothing after `--help`.
fn arguments() -> Result<Option<Arguments>> {
    let (mut rounds, mut piece_bytes, mut report, mut step, mut smoke, mut shapes) = (9, None, false, false, false, Vec::new());
    let common = Common::parse(USAGE, |name, parser| {
        match name {
            "plane" => shapes.push(support::extents::<2>(parser)?.to_vec()),
            "volume" => shapes.push(support::extents::<3>(parser)?.to_vec()),
            "rounds" => rounds = parser.value()?.parse::<usize>()?.max(1),
            "piece-bytes" => piece_bytes = Some(parser.value()?.parse()?),
            "report" => report = true,
            "step" => step = true,
            "smoke" => smoke = true,
            // Of `cargo bench`.
            "bench" => {}
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if smoke {
        (rounds, shapes) = (1, vec![vec![32, 32], vec![8, 8, 8]]);
    } else if shapes.is_empty() {
        shapes = vec![vec![1024, 1024], vec![128, 128, 128]];
    }
    Ok(common.map(|common| Arguments { common, rounds, piece_bytes, report, step, smoke, shapes }))
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
    let Some(arguments) = arguments()? else { return Ok(()) };
    let cluster = match Cluster::open(world, &arguments.common.rank_options(world.rank() as usize)) {
        Err(error @ Error::NoAdapter { .. }) if std::env::var("WGPU_FFT_REQUIRE_GPU").is_err() => {
            println!("SKIPPED: {error}");
            return Ok(());
        }
        other => other?,
    };
    support::print_members(&cluster);
    let mut adapters: Vec<&str> = cluster.members().iter().map(|member| member.adapter.as_str()).collect();
    adapters.dedup();
    for shape in &arguments.shapes {
        if arguments.step || arguments.smoke {
            step(world, &cluster, &adapters, shape, arguments.rounds)?;
        }
        if arguments.step {
            continue;
        }
        let mut jobs = Vec::new();
        for (name, decomposition) in [("slabs", Decomposition::Slabs), ("pencils", Decomposition::Pencils)] {
            if shape.len() < 3 && decomposition == Decomposition::Pencils {
                continue;
            }
            let own = arguments.piece_bytes;
            for (overlap, piece_bytes, half) in [(false, Some(usize::MAX), false), (true, own, false), (true, own, true)] {
                let options = JobOptions::default().strategy(Strategy::Equal).decomposition(decomposition);
                let options = piece_bytes.map_or(options.clone(), |bytes| options.piece_bytes(bytes));
                let options = if half { options.exchange_as_f16() } else { options };
                let job = Job::new(&cluster, C2c::forward(Shape::from(&shape[..])), &options)?;
                let (own, mut worst) = (error_of_an_impulse(&job, shape)?, 0.0f32);
                world.all_reduce_into(&own, &mut worst, SystemOperation::max());
                if worst > if half { 2e-3 } else { 1e-5 } {
                    return Err(format!("{shape:?}, {options:?}: the transform of an impulse is wrong by {worst:e}").into());
                }
                jobs.push((name, (overlap, half), job, Vec::new(), None));
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
        for (name, (overlap, half), _, times, last) in &jobs {
            if cluster.rank() > 0 {
                continue;
            }
            let shape: Vec<String> = shape.iter().map(usize::to_string).collect();
            println!(
                "{{\"library\":\"wgpu-fft\",\"spec\":\"c2c fwd {}\",\"ranks\":{},\"adapters\":{adapters:?},\"decomposition\":\"{name}\",\"overlap\":{overlap},\"f16\":{half},\"ms\":{:.3},\"least_ms\":{:.3}}}",
                shape.join("x"),
                cluster.size(),
                median(times) * 1e3,
                times.iter().copied().fold(f64::INFINITY, f64::min) * 1e3,
            );
            if let Some(report) = last.as_ref().filter(|_| arguments.report) {
                println!("{report}");
            }
        }
    }
    Ok(())
}

/// Times a step of a spectral solver, in slabs.
fn step(world: &SimpleCommunicator, cluster: &Cluster, adapters: &[&str], shape: &[usize], rounds: usize) -> Result<()> {
    let options = JobOptions::default();
    let shape = Shape::from(shape);
    let there = Job::new(cluster, R2c::forward(shape), &options)?;
    let back = Job::new(cluster, C2r::inverse(shape).scale(Scale::InvLen), &options)?;
    let (gpu, planner) = (cluster.gpu(), cluster.planner());
    let start: Vec<f32> = (0..there.input_len()).map(|i| (i % 17) as f32).collect();
    let (mut host, mut frequencies) = (start.clone(), vec![Complex32::ZERO; there.output_len()]);
    let field = gpu.upload(&start)?;
    let [spectrum, changed] = [gpu.alloc::<Complex32>(there.output_len())?, gpu.alloc(there.output_len())?];
    let factor = Permute::<Complex32>::new([there.output_len()], [0]).map_input::<Complex32>(Fragment::new("0.5 * value"))?;
    let factor = planner.plan(factor)?.bind(&spectrum, &changed)?;
    let mut times: [Vec<f64>; 3] = Default::default();
    for round in 0..=rounds {
        let on_host = time(world, || {
            there.run(&host, &mut frequencies)?;
            frequencies.iter_mut().for_each(|value| *value *= 0.5);
            back.run(&frequencies, &mut host)
        })?;
        let copied = time(world, || {
            there.run(&gpu.download(&field)?.wait()?, &mut frequencies)?;
            gpu.write(&spectrum, &frequencies)?;
            factor.enqueue()?;
            let mut result = vec![0.0; back.output_len()];
            back.run(&gpu.download(&changed)?.wait()?, &mut result)?;
            Ok(gpu.write(&field, &result)?)
        })?;
        let on_device = time(world, || {
            there.run_on_device(Some(field.view()), Some(spectrum.view()))?;
            factor.enqueue()?;
            back.run_on_device(Some(changed.view()), Some(field.view()))
        })?;
        // Drivers compile in the first round, which does not count.
        if round > 0 {
            times.iter_mut().zip([on_host.0, copied.0, on_device.0]).for_each(|(own, time)| own.push(time));
        }
    }
    // Half of it after each step, and there are two on the devices in each round.
    let (last, steps) = (gpu.download(&field)?.wait()?, 2 * (rounds as i32 + 1));
    let expected = |value: &f32| value * 0.5f32.powi(steps);
    if let Some(wrong) = start.iter().zip(&last).position(|(first, last)| (expected(first) - last).abs() > 1e-4 * expected(&16.0)) {
        return Err(format!("after {steps} steps number {wrong} is {} and was {}", last[wrong], start[wrong]).into());
    }
    let ms = times.map(|own| median(&own) * 1e3);
    // As much work as a run takes.
    let (work, moment) = (Duration::from_secs_f64(ms[2] / 2e3), Duration::from_micros(200));
    let (mut alone, mut together) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        alone.push(time(world, || there.run_on_device(Some(field.view()), Some(spectrum.view())))?.0);
        together.push(
            time(world, || {
                let (begin, mut run) = (Instant::now(), there.start_on_device(Some(field.view()), Some(spectrum.view()))?);
                while !run.test() || begin.elapsed() < work {
                    std::thread::sleep(moment);
                }
                run.wait()
            })?
            .0,
        );
    }
    let [alone, together] = [alone, together].map(|own| median(&own) * 1e3);
    if cluster.rank() == 0 {
        println!(
            "{{\"library\":\"wgpu-fft\",\"step\":\"{shape}\",\"ranks\":{},\"adapters\":{adapters:?},\"host_ms\":{:.3},\"copied_ms\":{:.3},\"device_ms\":{:.3},\"device_of_copied\":{:.3},\"run_ms\":{alone:.3},\"work_ms\":{:.3},\"run_beside_work_ms\":{together:.3}}}",
            cluster.size(),
            ms[0],
            ms[1],
            ms[2],
            ms[2] / ms[1],
            work.as_secs_f64() * 1e3,
        );
    }
    Ok(())
}

fn main() -> ExitCode {
    support::main(run)
}
