//! Long lists of cases on all cores.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Runs so many cases on all cores, and returns the results in their order. A panic ends it.
///
/// Rationale: the test harness captures what a thread prints for the test that started the thread.
/// Those of a pool would print the failures of one test under the name of another.
pub fn on_all_cores<R: Send>(cases: usize, run: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let some = || {
        let mut own = Vec::new();
        loop {
            let case = next.fetch_add(1, Ordering::Relaxed);
            if case >= cases {
                return own;
            }
            own.push((
                case,
                catch_unwind(AssertUnwindSafe(|| run(case))).unwrap_or_else(|panic| {
                    next.store(cases, Ordering::Relaxed);
                    resume_unwind(panic)
                }),
            ));
        }
    };
    let mut all = thread::scope(|scope| {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(some)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect::<Vec<_>>()
    });
    all.sort_by_key(|(case, _)| *case);
    all.into_iter().map(|(_, result)| result).collect()
}
