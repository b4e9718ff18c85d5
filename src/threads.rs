//! Work on several threads of the host. A browser has one.

/// Does the jobs on as many threads as the machine has processors, including the caller's, and
/// returns the results in the order of the jobs.
#[cfg(not(target_arch = "wasm32"))]
pub fn side_by_side<J: Sync, R: Send>(jobs: &[J], work: impl Fn(&J) -> R + Sync) -> Vec<R> {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::{iter, panic, thread};

    let next = AtomicUsize::new(0);
    let work_off = || {
        let turn = || {
            let i = next.fetch_add(1, Ordering::Relaxed);
            jobs.get(i).map(|job| (i, work(job)))
        };
        iter::from_fn(turn).collect::<Vec<_>>()
    };
    let helpers = match jobs.len() {
        0 | 1 => 0,
        count => thread::available_parallelism().map_or(1, usize::from).min(count) - 1,
    };
    let done = thread::scope(|scope| {
        // Where no thread is to be had, this one does more.
        let helper = |_| thread::Builder::new().name("wgpu-fft".to_owned()).spawn_scoped(scope, work_off).ok();
        let helpers: Vec<_> = (0..helpers).filter_map(helper).collect();
        let mut done = work_off();
        done.extend(helpers.into_iter().flat_map(|helper| helper.join().unwrap_or_else(|panic| panic::resume_unwind(panic))));
        done
    });
    let mut results: Vec<Option<R>> = jobs.iter().map(|_| None).collect();
    for (i, result) in done {
        results[i] = Some(result);
    }
    results.into_iter().map(|result| result.expect("every job is done")).collect()
}

/// Bytes of stack for compilers of WGSL of a caller's: `src/fragment/check.rs` says what they take.
#[cfg(not(target_arch = "wasm32"))]
const DEEP_STACK: usize = 32 << 20;

/// Does the work in a thread whose stack is large enough for every WGSL that this crate accepts,
/// also without optimisation. Where no thread is to be had, the caller's does it.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn on_deep_stack<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    use std::sync::{Mutex, PoisonError};
    use std::{panic, thread};

    let work = Mutex::new(Some(work));
    let take = || work.lock().unwrap_or_else(PoisonError::into_inner).take();
    let done = thread::scope(|scope| {
        let thread = thread::Builder::new().name("wgpu-fft".to_owned()).stack_size(DEEP_STACK);
        let thread = thread.spawn_scoped(scope, || take().map(|work| work())).ok()?;
        thread.join().unwrap_or_else(|panic| panic::resume_unwind(panic))
    });
    done.or_else(|| take().map(|work| work())).expect("the work is done once")
}

/// A browser gives no stack. It compiles WGSL itself: only the checks of it run here.
#[cfg(target_arch = "wasm32")]
pub(crate) fn on_deep_stack<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// In the browser wgpu's objects stay in their thread.
#[cfg(target_arch = "wasm32")]
pub fn side_by_side<J, R>(jobs: &[J], work: impl Fn(&J) -> R) -> Vec<R> {
    jobs.iter().map(work).collect()
}

/// Does the jobs, each on a thread of its own but for the last, which the caller's does.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn each_aside<J: Send>(mut jobs: Vec<J>, work: impl Fn(J) + Sync) {
    let Some(last) = jobs.pop() else { return };
    if jobs.is_empty() {
        return work(last);
    }
    std::thread::scope(|scope| {
        let work = &work;
        for job in jobs {
            scope.spawn(move || work(job));
        }
        work(last);
    });
}

/// Does the jobs.
#[cfg(target_arch = "wasm32")]
pub(crate) fn each_aside<J>(jobs: Vec<J>, work: impl Fn(J)) {
    jobs.into_iter().for_each(work);
}

/// What several threads can share. In a browser wgpu's objects stay in their thread, so that there
/// it is anything.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) trait Shareable: Send + Sync {}
#[cfg(not(target_arch = "wasm32"))]
impl<T: Send + Sync> Shareable for T {}
#[cfg(target_arch = "wasm32")]
pub(crate) trait Shareable {}
#[cfg(target_arch = "wasm32")]
impl<T> Shareable for T {}

/// A future that is compiled here. What is `async` and not boxed is compiled in every program that
/// awaits it.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) type Boxed<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;
#[cfg(target_arch = "wasm32")]
pub(crate) type Boxed<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + 'a>>;

/// Does both, at the same time if the machine has more than one processor.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn both<A, B: Send>(first: impl FnOnce() -> A, second: impl FnOnce() -> B + Send) -> (A, B) {
    use std::{panic, thread};

    thread::scope(|scope| {
        let second = scope.spawn(second);
        let first = first();
        (first, second.join().unwrap_or_else(|panic| panic::resume_unwind(panic)))
    })
}

/// Does both.
#[cfg(target_arch = "wasm32")]
pub(crate) fn both<A, B>(first: impl FnOnce() -> A, second: impl FnOnce() -> B) -> (A, B) {
    (first(), second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        let jobs: Vec<usize> = (0..100).collect();
        assert_eq!(side_by_side(&jobs, |job| job * job), jobs.iter().map(|job| job * job).collect::<Vec<_>>());
        assert_eq!(side_by_side(&[] as &[usize], |job| *job), Vec::<usize>::new());
        assert_eq!(both(|| 1, || 2), (1, 2));
        let done: Vec<std::sync::atomic::AtomicUsize> = (0..5).map(Into::into).collect();
        each_aside(done.iter().collect(), |job| _ = job.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
        assert_eq!(done.into_iter().map(std::sync::atomic::AtomicUsize::into_inner).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn panics_reach_the_caller() {
        let caught = |work: fn()| std::panic::catch_unwind(work).is_err();
        assert!(caught(|| drop(side_by_side(&[1, 2, 3], |job| assert_ne!(*job, 3)))));
        assert!(caught(|| assert_eq!(both(|| 1, || -> i32 { panic!("of the other") }), (1, 2))));
    }
}
