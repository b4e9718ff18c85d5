//! Runs that a listener cancels.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use wgpu_fft_distributed::wgpu_fft::Complex32;
use wgpu_fft_distributed::wgpu_fft::fft::C2c;
use wgpu_fft_distributed::{Error, Job, JobOptions, Order, Phase, Strategy};

use crate::harness::{Context, Outcome};
use crate::reference::complex_noise;

/// On any rank, in any phase, at any call; then the same job runs.
pub fn cancelled_runs(context: &Context) -> Outcome {
    let text = |error: Error| error.to_string();
    let options = JobOptions::default().strategy(Strategy::Equal).order(Order::Natural).piece_bytes(1 << 12).message_bytes(1000);
    let plain = Job::new(&context.cluster, C2c::forward([48, 40]), &options).map_err(text)?;
    let input = complex_noise(plain.input_len(), 7);
    let mut expected = vec![Complex32::ZERO; plain.output_len()];
    plain.run(&input, &mut expected).map_err(text)?;
    let mut output = expected.clone();
    for phase in [Phase::Rows, Phase::Exchange, Phase::Columns, Phase::Return] {
        for who in 0..context.size {
            for (after, starts) in [(0, false), (1, true)] {
                let (cancels, heard) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicUsize::new(0)));
                let (own, count, is_it) = (Arc::clone(&cancels), Arc::clone(&heard), context.rank == who);
                let job = Job::new(&context.cluster, C2c::forward([48, 40]), &options).map_err(text)?.on_progress(move |now| {
                    let is_there = now.label == phase.to_string() && count.fetch_add(1, Ordering::Relaxed) >= after;
                    if is_it && is_there && own.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
                let outcome = if starts { job.start(&input, &mut output).map_err(text)?.wait() } else { job.run(&input, &mut output) };
                // The exchange of a pass begins with it, so what is heard of it first ends the pass.
                let during =
                    |found: &str| found == phase.to_string() || found == Phase::Rows.to_string() || found == Phase::Columns.to_string();
                match outcome {
                    Err(Error::Cancelled { rank: Some(rank), phase: found }) if rank == who && during(&found) => {}
                    outcome => return Err(format!("{phase} on rank {who} after {after}: {outcome:?}")),
                }
                cancels.store(false, Ordering::Relaxed);
                output.fill(Complex32::ZERO);
                job.run(&input, &mut output).map_err(text)?;
                if output != expected {
                    return Err(format!("after {phase} was cancelled on rank {who} the result differs"));
                }
            }
        }
    }
    Ok(())
}
