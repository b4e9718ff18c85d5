//! Runs that are started, and go on while the caller works.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

use wgpu_fft_distributed::mpi::collective::SystemOperation;
use wgpu_fft_distributed::mpi::traits::*;
use wgpu_fft_distributed::wgpu_fft::fft::{C2c, R2c};
use wgpu_fft_distributed::wgpu_fft::{Complex32, bytemuck};
use wgpu_fft_distributed::{Cluster, Decomposition, Error, Job, JobOptions, Order, Phase};

use crate::bits::{first_difference, rubbish, variants};
use crate::harness::{Context, Outcome};
use crate::reference::{complex_noise, noise};

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// The bits of blocking runs, however often a rank tests.
pub fn started_runs(context: &Context) -> Outcome {
    let pencils = |options: JobOptions| options.decomposition(Decomposition::Pencils).order(Order::Natural);
    let small = variants(context.size).swap_remove(1).piece_bytes(600);
    let mut sleeps = 0;
    for options in [small.clone(), pencils(small.clone()), pencils(JobOptions::default().exchange_as_f16()), small.in_flight(1)] {
        let job = Job::new(&context.cluster, R2c::forward([12, 10, 14]), &options).map_err(text)?;
        let input = noise(job.input_len(), 1);
        let mut expected = rubbish::<R2c>(job.output_len());
        job.run(&input, &mut expected).map_err(text)?;
        // Always, seldom, and not at all before it waits.
        for pause in [Some(0), Some(3 * context.rank as u64), None] {
            let mut actual = rubbish::<R2c>(job.output_len());
            // The last rank begins when the others have tested, who cannot be done before.
            let is_late = context.rank == context.size - 1;
            if is_late {
                context.world.barrier();
            }
            let mut run = job.start(&input, &mut actual).map_err(text)?;
            let too_early = !is_late && run.test();
            if !is_late {
                context.world.barrier();
            }
            while let Some(pause) = pause
                && !run.test()
            {
                sleeps += 1;
                std::thread::sleep(Duration::from_millis(pause));
            }
            let report = run.wait().map_err(text)?;
            first_difference(bytemuck::cast_slice(&actual), bytemuck::cast_slice(&expected)).map_err(|why| format!("{pause:?}: {why}"))?;
            if report.phases.len() < 3 || too_early {
                return Err(format!("it was done too early: {too_early}; {report}"));
            }
        }
        // One that is dropped is waited for.
        let mut actual = rubbish::<R2c>(job.output_len());
        drop(job.start(&input, &mut actual).map_err(text)?);
        first_difference(bytemuck::cast_slice(&actual), bytemuck::cast_slice(&expected))?;
    }
    // Otherwise nothing above came back to a run that waits.
    let mut all = 0;
    context.world.all_reduce_into(&sleeps, &mut all, SystemOperation::sum());
    if context.size > 1 && all == 0 {
        return Err("no rank worked between two tests".to_owned());
    }
    // On the devices.
    let job = Job::new(&context.cluster, C2c::forward([16, 16]), &JobOptions::default()).map_err(text)?;
    let (input, mut expected) = (complex_noise(job.input_len(), 2), rubbish::<C2c>(job.output_len()));
    job.run(&input, &mut expected).map_err(text)?;
    let gpu = context.cluster.gpu();
    let (from, to) = (gpu.upload(&input).map_err(text)?, gpu.alloc::<Complex32>(job.output_len()).map_err(text)?);
    job.start_on_device(Some(from.view()), Some(to.view())).map_err(text)?.wait().map_err(text)?;
    first_difference(bytemuck::cast_slice(&gpu.download(&to).map_err(text)?.wait().map_err(text)?), bytemuck::cast_slice(&expected))
}

/// A rank that works for longer than it may be waited for between two tests finds what came meanwhile.
pub fn long_work_beside_a_run(context: &Context) -> Outcome {
    let limit = Duration::from_millis(600);
    let job = Job::new(&context.cluster, C2c::forward([17, 5]), &JobOptions::default().timeout(limit)).map_err(text)?;
    let (input, mut expected) = (complex_noise(job.input_len(), 3), rubbish::<C2c>(job.output_len()));
    job.run(&input, &mut expected).map_err(text)?;
    let mut actual = rubbish::<C2c>(job.output_len());
    // The last rank begins when the others have tested, who cannot be done before.
    let is_late = context.rank == context.size - 1;
    if is_late {
        context.world.barrier();
    }
    let mut run = job.start(&input, &mut actual).map_err(text)?;
    if !is_late {
        let too_early = run.test();
        context.world.barrier();
        if too_early {
            return Err("it was done too early".to_owned());
        }
    }
    loop {
        // Longer than a rank is waited for, but all do so, and test: nobody waits in vain.
        std::thread::sleep(2 * limit + limit / 10);
        if run.test() {
            break;
        }
    }
    run.wait().map_err(text)?;
    first_difference(bytemuck::cast_slice(&actual), bytemuck::cast_slice(&expected))
}

/// Messages of two runs would be mixed, so all ranks refuse the second one.
pub fn one_run_at_a_time(context: &Context) -> Outcome {
    let job = Job::new(&context.cluster, C2c::forward([17, 5]), &JobOptions::default()).map_err(text)?;
    let input = complex_noise(job.input_len(), 4);
    let [mut first, mut second] = [0, 1].map(|_| rubbish::<C2c>(job.output_len()));
    let run = job.start(&input, &mut first).map_err(text)?;
    for outcome in [
        job.run(&input, &mut second).map(drop),
        job.start(&input, &mut second).and_then(|run| run.wait()).map(drop),
        Job::new(&context.cluster, C2c::forward([4, 4]), &JobOptions::default()).map(drop),
    ] {
        match outcome {
            Err(Error::Core(error)) if error.to_string().contains("under way") => {}
            outcome => return Err(format!("while a run is under way: {outcome:?}")),
        }
    }
    run.wait().map_err(text)?;
    job.run(&input, &mut second).map_err(text)?;
    first_difference(bytemuck::cast_slice(&first), bytemuck::cast_slice(&second))
}

/// What goes wrong in a started run all ranks learn when they wait for it.
pub fn failures_of_started_runs(context: &Context) -> Outcome {
    let last = context.size - 1;
    let job = Job::new(&context.cluster, C2c::forward([17, 5]), &JobOptions::default()).map_err(text)?;
    let len = job.input_len() + usize::from(context.rank == last);
    let mut output = rubbish::<C2c>(job.output_len());
    match job.start(&vec![Complex32::ONE; len], &mut output).and_then(|run| run.wait()) {
        Err(Error::OnRank { rank, message, .. }) if rank == last && message.contains("expected") => {}
        outcome => return Err(format!("a wrong length: {outcome:?}")),
    }
    for phase in [Phase::Rows, Phase::Exchange, Phase::Columns] {
        let options = context.options.clone();
        let options = if context.rank == last { options.fail_in(phase) } else { options };
        let cluster = Cluster::with_planner(&context.world, context.cluster.planner(), &options).map_err(text)?;
        let job = Job::new(&cluster, C2c::forward([17, 5]), &JobOptions::default()).map_err(text)?;
        let mut output = rubbish::<C2c>(job.output_len());
        let input = vec![Complex32::ONE; job.input_len()];
        let mut run = job.start(&input, &mut output).map_err(text)?;
        while !run.test() {}
        match run.wait() {
            Err(Error::OnRank { rank, during, .. }) if (rank, during) == (last, phase) => {}
            outcome => return Err(format!("a failure in {phase}: {outcome:?}")),
        }
    }
    if context.size == 1 {
        return Ok(());
    }
    // A rank that starts a run and forgets it.
    let limit = Duration::from_millis(500);
    let cluster =
        Cluster::with_planner(&context.world, context.cluster.planner(), &context.options.clone().timeout(limit)).map_err(text)?;
    let job = Job::new(&cluster, C2c::forward([17, 5]), &JobOptions::default().timeout(limit)).map_err(text)?;
    let (input, mut output) = (vec![Complex32::ONE; job.input_len()], rubbish::<C2c>(job.output_len()));
    let begin = Instant::now();
    // The others begin when that one has, so that it is not done at once.
    if context.rank != last {
        context.world.barrier();
    }
    let run = job.start(&input, &mut output).map_err(text)?;
    if context.rank == last {
        context.world.barrier();
        std::thread::sleep(6 * limit);
    }
    match run.wait() {
        Err(Error::RankSilent { ranks, .. }) if ranks == [last] && begin.elapsed() < Duration::from_secs(60) => Ok(()),
        outcome => Err(format!("a rank that sleeps: {outcome:?}")),
    }
}

/// Unwinds as a panic does, without a message among those of the tests.
fn panic_silently() -> ! {
    resume_unwind(Box::new("by chance"))
}

/// A later run on the same cluster would take the messages of an abandoned one for its own.
pub fn runs_that_a_panic_abandons(context: &Context) -> Outcome {
    // In the caller's work beside a run, in a poll of a run, and in a call that blocks.
    for (place, starts) in [("work", true), ("poll", true), ("call", false)] {
        let cluster = Cluster::with_planner(&context.world, context.cluster.planner(), &context.options).map_err(text)?;
        let job = Job::new(&cluster, C2c::forward([17, 5]), &JobOptions::default()).map_err(text)?;
        let (input, mut output) = (vec![Complex32::ONE; job.input_len()], rubbish::<C2c>(job.output_len()));
        let panics = place != "work";
        let job = job.on_progress(move |progress| {
            if panics && progress.label == Phase::Exchange.to_string() {
                panic_silently();
            }
        });
        // As one rank does not begin before the others are gone, nobody's run is done.
        let is_late = !panics && context.rank == context.size - 1;
        if is_late {
            context.world.barrier();
        }
        let caught = catch_unwind(AssertUnwindSafe(|| {
            if !starts {
                return job.run(&input, &mut output).map(drop);
            }
            let mut run = job.start(&input, &mut output)?;
            while panics && !run.test() {}
            if run.test() { run.wait().map(drop) } else { panic_silently() }
        }));
        if !panics && !is_late {
            context.world.barrier();
        }
        match caught {
            Err(_) => {}
            // One rank alone waits for nobody.
            Ok(Ok(())) if context.size == 1 && !panics => continue,
            Ok(outcome) => return Err(format!("{place}: no panic, but {outcome:?}")),
        }
        let mut output = rubbish::<C2c>(job.output_len());
        for outcome in [
            job.run(&input, &mut output).map(drop),
            job.start(&input, &mut output).and_then(|run| run.wait()).map(drop),
            Job::new(&cluster, C2c::forward([4, 4]), &JobOptions::default()).map(drop),
        ] {
            if outcome != Err(Error::RunAbandoned) {
                return Err(format!("after a panic in a {place}: {outcome:?}"));
            }
        }
    }
    Ok(())
}
