//! What goes wrong on one rank is the same error on all of them, and nobody waits for ever.

use std::time::{Duration, Instant};

use wgpu_fft_mpi::{Adapter, C2c, Cluster, Complex32, Emulate, Error, Options, Order, Phase, RankOptions, Strategy};

use crate::harness::{Context, Outcome};

/// A failure is known everywhere within this time.
const SECONDS: Duration = Duration::from_secs(60);

/// A job with all phases.
fn run_everything(context: &Context, options: &RankOptions) -> Result<(), Error> {
    let cluster = Cluster::open(&context.world, options)?;
    let mut plan = cluster.plan(C2c::inverse([17, 5]).order(Order::Natural), &Options::default())?;
    drop(plan);
    plan = cluster.plan(C2c::inverse([17, 5]).order(Order::Natural), &Options::default().strategy(Strategy::Equal))?;
    let input = vec![Complex32::ONE; 17 * 5];
    plan.run_from_root((context.rank == 0).then_some(&input)).map(drop)
}

pub fn a_failure_on_any_rank_in_any_phase(context: &Context) -> Outcome {
    for &phase in Phase::all().iter().filter(|phase| **phase != Phase::Report) {
        // With one rank nothing is measured.
        if phase == Phase::Measure && context.size == 1 {
            continue;
        }
        for failing in 0..context.size {
            let failure = (context.rank == failing).then_some(phase);
            let options = context.options.clone().emulate(Emulate { failure, ..Emulate::default() });
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

pub fn different_requests(context: &Context) -> Outcome {
    let last = context.size - 1;
    let other = context.rank == last && last > 0;
    let shapes = context.cluster.plan(if other { C2c::forward([8, 3]) } else { C2c::forward([3, 8]) }, &Options::default());
    let directions = context.cluster.plan(if other { C2c::forward([8, 3]) } else { C2c::inverse([8, 3]) }, &Options::default());
    let sizes = if other { Options::default().message_bytes(1) } else { Options::default() };
    let options = context.cluster.plan(C2c::forward([8, 3]), &sizes);
    for (what, outcome) in [("shapes", shapes), ("directions", directions), ("options", options)] {
        match outcome {
            Err(Error::ShapesDiffer { rank, theirs, first }) if last > 0 && rank == last && theirs != first => {}
            Ok(_) if last == 0 => {}
            outcome => return Err(format!("different {what}: {outcome:?}")),
        }
    }
    let mut plan =
        context.cluster.plan(C2c::forward([8, 3]), &Options::default().strategy(Strategy::Equal)).map_err(|error| error.to_string())?;
    let len = plan.input().len() + usize::from(context.rank == last);
    match plan.run(&vec![Complex32::ONE; len]) {
        Err(Error::OnRank { rank, message, .. }) if rank == last && message.contains("expected") => {}
        outcome => return Err(format!("a wrong length: {outcome:?}")),
    }
    // The plan goes on working.
    plan.run(&vec![Complex32::ONE; plan.input().len()]).map(drop).map_err(|error| error.to_string())
}

pub fn different_calls(context: &Context) -> Outcome {
    let mut plan =
        context.cluster.plan(C2c::forward([8, 3]), &Options::default().strategy(Strategy::Equal)).map_err(|error| error.to_string())?;
    let outcome = if context.rank == 0 { plan.report().map(drop) } else { plan.run(&vec![Complex32::ONE; plan.input().len()]).map(drop) };
    match outcome {
        Err(Error::OutOfStep { one, other }) if context.size > 1 && one != other => Ok(()),
        Ok(()) if context.size == 1 => Ok(()),
        outcome => Err(format!("{outcome:?}")),
    }
}

pub fn nonsense(context: &Context) -> Outcome {
    let weights = |weights: Vec<f64>| Options::default().strategy(Strategy::Ratio(weights));
    let equal = Options::default();
    let outcomes = [
        context.cluster.plan(C2c::forward([0, 3]), &equal),
        context.cluster.plan(C2c::forward([1, 2, 3, 4]), &equal),
        context.cluster.plan(C2c::forward([2, 3]).batch(2), &equal),
        context.cluster.plan(C2c::forward([2, 3]), &weights(vec![1.0; context.size + 1])),
        context.cluster.plan(C2c::forward([2, 3]), &weights(vec![-1.0; context.size])),
        context.cluster.plan(C2c::forward([2, 3]), &weights(vec![f64::NAN; context.size])),
    ];
    match outcomes.into_iter().find(|outcome| !matches!(outcome, Err(Error::Local(_)))) {
        None => Ok(()),
        Some(outcome) => Err(format!("{outcome:?}")),
    }
}

pub fn no_adapter_on_one_rank(context: &Context) -> Outcome {
    let last = context.size - 1;
    let options = if context.rank == last {
        RankOptions::default().adapter(Adapter::Names(vec!["an adapter that nobody makes".to_owned()]))
    } else {
        context.options.clone()
    };
    match Cluster::open(&context.world, &options) {
        Err(Error::NoAdapter { rank, message }) if rank == last && message.contains("nobody makes") => Ok(()),
        outcome => Err(format!("{outcome:?}")),
    }
}
