//! What goes wrong on one rank is the same error on all of them, and nobody waits for ever.

use std::time::{Duration, Instant};

use wgpu_fft_distributed::mpi::traits::*;
use wgpu_fft_distributed::wgpu_fft::Complex32;
use wgpu_fft_distributed::wgpu_fft::fft::C2c;
use wgpu_fft_distributed::wgpu_fft::reduce;
use wgpu_fft_distributed::{Adapter, Cluster, Decomposition, Error, FileOptions, Job, JobOptions, Order, Phase, RankOptions, Strategy};

use crate::harness::{Context, Outcome};

/// A failure is known everywhere within this time.
const SECONDS: Duration = Duration::from_secs(60);
/// How long a device or half of how long a rank is waited for. What the jobs need is compiled before,
/// so a thousandth of this is enough, unless other programs keep the machine busy.
const LIMIT: Duration = Duration::from_millis(500);

/// A new cluster of the ranks' devices, which have compiled what earlier ones needed.
fn cluster(context: &Context, options: &RankOptions) -> Result<Cluster, Error> {
    Cluster::with_planner(&context.world, context.cluster.planner(), options)
}

/// A job with all phases.
fn run_everything(context: &Context, options: &RankOptions) -> Result<(), Error> {
    let cluster = cluster(context, options)?;
    let natural = JobOptions::default().order(Order::Natural);
    drop(Job::new(&cluster, C2c::inverse([17, 5]), &natural.clone().strategy(Strategy::Measured))?);
    let job = Job::new(&cluster, C2c::inverse([17, 5]), &natural)?;
    let (input, mut output) = (vec![Complex32::ONE; 17 * 5], vec![Complex32::ZERO; 17 * 5]);
    files(context, &cluster, &job)?;
    // Rank 0 gives everything, and keeps it.
    let mut everything = job.input();
    everything.ranges = if context.rank == 0 { vec![0..17, 0..5] } else { vec![0..0, 0..0] };
    let reshaped = Job::new(&cluster, C2c::inverse([17, 5]), &natural)?.with_parts(Some(everything), None)?;
    let len = reshaped.input_len();
    reshaped.run(&input[..len], &mut output[..reshaped.output_len()])?;
    let upload = |len: usize| if len == 0 { Ok(None) } else { cluster.gpu().upload(&vec![Complex32::ONE; len]).map(Some) };
    let arrays = [upload(len)?, upload(reshaped.output_len())?];
    let [from, to] = arrays.each_ref().map(|array| array.as_ref().map(|array| array.view()));
    reshaped.run_on_device(from, to)?;
    job.run_from_root((context.rank == 0).then_some(&input), (context.rank == 0).then_some(&mut output)).map(drop)
}

pub fn a_failure_on_any_rank_in_any_phase(context: &Context) -> Outcome {
    for &phase in Phase::all().iter().filter(|phase| **phase != Phase::Report) {
        // With one rank nothing is measured.
        if phase == Phase::Measure && context.size == 1 {
            continue;
        }
        // Only pencils have this phase; it comes with the device that does not answer. One rank has nothing
        // to reshape, and no copy before that.
        if phase == Phase::Middle || [Phase::Reshape, Phase::Copy].contains(&phase) && context.size == 1 {
            continue;
        }
        for failing in 0..context.size {
            let options = context.options.clone();
            let options = if context.rank == failing { options.fail_in(phase) } else { options };
            let begin = Instant::now();
            let outcome = run_everything(context, &options);
            match outcome {
                Err(Error::OnRank { rank, during, message }) if (rank, during) == (failing, phase) && message.contains("told to fail") => {}
                other => return Err(format!("rank {failing} failed in phase {phase}, which is seen as {other:?}")),
            }
            if begin.elapsed() > SECONDS {
                return Err(format!("that rank {failing} failed in phase {phase} took {:?} to be known", begin.elapsed()));
            }
        }
    }
    run_everything(context, &context.options).map_err(|error| format!("nothing fails, but {error}"))
}

/// Writes a file, and reads it.
fn files(context: &Context, cluster: &Cluster, job: &Job<C2c, Cluster>) -> Result<(), Error> {
    let mut id = std::process::id();
    context.world.process_at_rank(0).broadcast_into(&mut id);
    let path = std::env::temp_dir().join(format!("wgpu-fft-everything-{id}"));
    let (part, options) = (job.input(), FileOptions::default().replace());
    let mut values = vec![Complex32::ONE; part.len()];
    cluster.write(&path, &part, &values, &options)?;
    let read = cluster.read(&path, &part, &mut values, &options);
    // All have opened it, or none will.
    context.world.barrier();
    if context.rank == 0 {
        let _ = std::fs::remove_file(&path);
    }
    read
}

/// A job of pencils with all phases, in pieces of a single line.
fn run_in_pieces(context: &Context, options: &RankOptions, timeout: Duration) -> Result<(), Error> {
    let cluster = cluster(context, options)?;
    let own = JobOptions::default().order(Order::Natural).strategy(Strategy::Equal).decomposition(Decomposition::Pencils);
    let job = Job::new(&cluster, C2c::inverse([8, 8, 8]), &own.piece_bytes(1).timeout(timeout))?;
    job.run(&vec![Complex32::ONE; job.input_len()], &mut vec![Complex32::ZERO; job.output_len()]).map(drop)
}

/// The other ranks learn which device it is, in which phase, and how far it had come.
pub fn a_device_that_never_answers(context: &Context) -> Outcome {
    let compiled = Duration::from_secs(120);
    run_in_pieces(context, &context.options, compiled).map_err(|error| format!("nothing fails, but {error}"))?;
    for phase in [Phase::Turn, Phase::Columns, Phase::Middle, Phase::Rows] {
        for (failing, piece) in [(0, 0), (context.size - 1, 1)] {
            let options = context.options.clone();
            let options = if context.rank == failing { options.silent_device_in(phase, piece) } else { options };
            let begin = Instant::now();
            match run_in_pieces(context, &options, LIMIT) {
                Err(Error::NoAnswer { device, phase: during, waited, done, pieces })
                    if device.ends_with(&format!("of rank {failing}"))
                        && during == phase.to_string()
                        && (waited, done) == (LIMIT, piece)
                        && pieces > 1 => {}
                other => return Err(format!("the device of rank {failing} is silent in {phase}, which is seen as {other:?}")),
            }
            if begin.elapsed() < LIMIT || begin.elapsed() > SECONDS {
                return Err(format!("it took {:?} to be known", begin.elapsed()));
            }
        }
    }
    Ok(())
}

/// A rank that hangs is named by all others. It finds out itself when it wakes up.
pub fn a_rank_that_does_not_answer(context: &Context) -> Outcome {
    if context.size == 1 {
        return Ok(());
    }
    let run = |cluster: &Cluster, options: &JobOptions| -> Result<(), Error> {
        let job = Job::new(cluster, C2c::inverse([17, 5]), options)?;
        let (input, mut output) = (vec![Complex32::ONE; 17 * 5], vec![Complex32::ZERO; 17 * 5]);
        job.run_from_root((context.rank == 0).then_some(&input), (context.rank == 0).then_some(&mut output)).map(drop)
    };
    let equal = JobOptions::default().strategy(Strategy::Equal);
    run(&context.cluster, &equal).map_err(|error| format!("nothing fails, but {error}"))?;
    let own = equal.timeout(LIMIT);
    // Some before the ranks agree, and some while the others receive the pieces of a pass.
    let last = context.size - 1;
    for (phase, asleep) in [(Phase::Plan, last), (Phase::Rows, 0), (Phase::Return, last), (Phase::Scatter, last)] {
        let options = context.options.clone().timeout(LIMIT);
        // Until the others have waited twice the limit, and as long again for an answer.
        let options = if context.rank == asleep { options.sleep_before(phase, 6 * LIMIT) } else { options };
        let cluster = cluster(context, &options).map_err(|error| error.to_string())?;
        let begin = Instant::now();
        let outcome = run(&cluster, &own);
        match &outcome {
            Err(Error::RankSilent { ranks, during, waited, .. })
                if ranks[..] == [asleep] && *during == phase && *waited >= 2 * LIMIT && begin.elapsed() < SECONDS => {}
            other => return Err(format!("rank {asleep} sleeps before {phase}, which is seen as {other:?}")),
        }
        // Everything later on this cluster says the same at once.
        let again = Job::new(&cluster, C2c::forward([4, 4]), &own).map(drop);
        if again != outcome {
            return Err(format!("afterwards {again:?} in place of {outcome:?}"));
        }
    }
    Ok(())
}

pub fn different_requests(context: &Context) -> Outcome {
    let last = context.size - 1;
    let other = context.rank == last && last > 0;
    let job = |spec: C2c, options: &JobOptions| Job::new(&context.cluster, spec, options);
    let plain = JobOptions::default();
    let shapes = job(if other { C2c::forward([8, 3]) } else { C2c::forward([3, 8]) }, &plain);
    let directions = job(if other { C2c::forward([8, 3]) } else { C2c::inverse([8, 3]) }, &plain);
    let sizes = if other { plain.clone().message_bytes(1) } else { plain.clone() };
    let options = job(C2c::forward([8, 3]), &sizes);
    for (what, outcome) in [("shapes", shapes), ("directions", directions), ("options", options)] {
        match outcome {
            Err(Error::RanksDiffer { rank, theirs, first }) if last > 0 && rank == last && theirs != first => {}
            Ok(_) if last == 0 => {}
            outcome => return Err(format!("different {what}: {outcome:?}")),
        }
    }
    let job = job(C2c::forward([8, 3]), &plain.strategy(Strategy::Equal)).map_err(|error| error.to_string())?;
    let len = job.input_len() + usize::from(context.rank == last);
    let mut output = vec![Complex32::ZERO; job.output_len()];
    match job.run(&vec![Complex32::ONE; len], &mut output) {
        Err(Error::OnRank { rank, message, .. }) if rank == last && message.contains("expected") => {}
        outcome => return Err(format!("a wrong length: {outcome:?}")),
    }
    // The job goes on working.
    job.run(&vec![Complex32::ONE; job.input_len()], &mut output).map(drop).map_err(|error| error.to_string())
}

pub fn different_calls(context: &Context) -> Outcome {
    let options = JobOptions::default().strategy(Strategy::Equal);
    let job = Job::new(&context.cluster, C2c::forward([8, 3]), &options).map_err(|error| error.to_string())?;
    let outcome = if context.rank == 0 {
        Job::new(&context.cluster, C2c::forward([8, 3]), &options).map(drop)
    } else {
        job.run(&vec![Complex32::ONE; job.input_len()], &mut vec![Complex32::ZERO; job.output_len()]).map(drop)
    };
    match outcome {
        Err(Error::OutOfStep { one, other }) if context.size > 1 && one != other => {}
        Ok(()) if context.size == 1 => {}
        outcome => return Err(format!("{outcome:?}")),
    }
    // The same call of different jobs.
    let others = Job::new(&context.cluster, C2c::forward([16, 3]), &options).map_err(|error| error.to_string())?;
    let own = if context.rank == 0 { &job } else { &others };
    match own.run(&vec![Complex32::ONE; own.input_len()], &mut vec![Complex32::ZERO; own.output_len()]) {
        Err(Error::RanksDiffer { rank: 1, theirs, first }) if context.size > 1 && theirs != first => Ok(()),
        Ok(_) if context.size == 1 => Ok(()),
        outcome => Err(format!("{outcome:?}")),
    }
}

pub fn nonsense(context: &Context) -> Outcome {
    let by = |strategy| JobOptions::default().strategy(strategy);
    let weights = |weights: Vec<f64>| by(Strategy::Ratio(weights));
    let job = |spec: C2c, options: &JobOptions| Job::new(&context.cluster, spec, options).map(drop);
    let equal = JobOptions::default();
    let outcomes = [
        job(C2c::forward([0, 3]), &equal),
        job(C2c::forward([1, 2, 3, 4]), &equal),
        job(C2c::forward([2, 3]), &equal.clone().decomposition(Decomposition::Pencils)),
        job(C2c::forward(3).batch(4), &equal.clone().decomposition(Decomposition::Pencils)),
        job(C2c::forward([2, 3, 4]), &equal.clone().decomposition(Decomposition::Grid([context.size, 2]))),
        job(C2c::forward([2, 3]).axes([0]), &equal),
        job(C2c::forward([2, 3]), &weights(vec![1.0; context.size + 1])),
        job(C2c::forward([2, 3]), &weights(vec![-1.0; context.size])),
        job(C2c::forward([2, 3]), &weights(vec![f64::NAN; context.size])),
        job(C2c::forward([2, 3]), &by(Strategy::Single(context.size))),
        job(C2c::forward([2, 3]), &by(Strategy::Dynamic)),
        Job::new(&context.cluster, C2c::forward([2, 3]).f64_by_f32(), &equal.clone().exchange_as_f16()).map(drop),
        Job::new(&context.cluster, reduce::sum::<f32>(8), &equal).map(drop),
    ];
    match outcomes.into_iter().find(|outcome| !matches!(outcome, Err(Error::Core(_)))) {
        None => Ok(()),
        Some(outcome) => Err(format!("{outcome:?}")),
    }
}

pub fn no_adapter_on_one_rank(context: &Context) -> Outcome {
    let last = context.size - 1;
    let open = |adapter| {
        let options = if context.rank == last { RankOptions::default().adapter(adapter) } else { context.options.clone() };
        Cluster::open(&context.world, &options)
    };
    for (wrong, expected) in [
        (Adapter::Names(vec!["an adapter that nobody makes".to_owned()]), "nobody makes"),
        (Adapter::Index(1000), "counted from 0"),
        (Adapter::PciBus("ffff:ff:1f.7".to_owned()), "ffff:ff:1f.7"),
    ] {
        match open(wrong) {
            Err(Error::NoAdapter { rank, message }) if rank == last && message.contains(expected) => {}
            outcome => return Err(format!("{outcome:?}")),
        }
    }
    open(Adapter::Index(0)).map(drop).map_err(|error| error.to_string())
}
