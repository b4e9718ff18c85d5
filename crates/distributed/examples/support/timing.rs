//! Times of runs on all ranks.

use std::time::{Duration, Instant};

use wgpu_fft_distributed::mpi::collective::SystemOperation;
use wgpu_fft_distributed::mpi::topology::SimpleCommunicator;
use wgpu_fft_distributed::mpi::traits::*;

use super::support::Result;

/// Waits until all ranks are here, without taking a core from those that still compute.
fn meet(world: &SimpleCommunicator) {
    let mut request = world.immediate_barrier();
    while let Err(again) = request.test() {
        request = again;
        std::thread::sleep(Duration::from_micros(50));
    }
}

/// Seconds until the last rank has its result, and this rank's.
pub fn time<T>(world: &SimpleCommunicator, run: impl FnOnce() -> wgpu_fft_distributed::Result<T>) -> Result<(f64, T)> {
    meet(world);
    let begin = Instant::now();
    let outcome = run();
    let own = begin.elapsed().as_secs_f64();
    meet(world);
    let mut slowest = 0.0;
    world.all_reduce_into(&own, &mut slowest, SystemOperation::max());
    Ok((slowest, outcome?))
}

/// The median of some times.
pub fn median(times: &[f64]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}
