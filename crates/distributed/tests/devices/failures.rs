//! Devices fail at every piece and allocation, and the others finish the job with the same bits.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use wgpu_fft::Complex32;
use wgpu_fft::Error::{DeviceLost, OutOfMemory};
use wgpu_fft::fft::C2c;
use wgpu_fft::transpose::Permute;
use wgpu_fft_distributed::testing::{Failure, When};
use wgpu_fft_distributed::{DeviceSet, Error, Job, Report, Strategy};

use crate::support::{assert_equal_bits, by, complex_noise, on_one_device, open, run, set};

const SHAPE: [usize; 2] = [40, 32];

/// A job with two phases and many small pieces.
fn job(set: &DeviceSet, strategy: Strategy) -> Job<C2c> {
    Job::new(set, C2c::forward(SHAPE), &by(strategy).piece_bytes(2048)).unwrap()
}

fn input() -> Vec<Complex32> {
    complex_noise(SHAPE[0] * SHAPE[1], 1)
}

/// Makes a member fail at each possible time in turn, until that time no longer occurs, and counts
/// the failures.
fn at_every(when: impl Fn(usize) -> When, failure: Failure, expect: impl Fn(&Report, usize)) {
    let expected = on_one_device(C2c::forward(SHAPE), &[&input()]);
    for strategy in [Strategy::Equal, Strategy::Dynamic] {
        for member in 0..set().len().min(2) {
            let mut times = 0;
            loop {
                let job = job(set(), strategy.clone()).with_failures(&[(member, when(times), failure)]);
                let (actual, report) = run(&job, &[&input()]);
                let report = report.unwrap();
                assert_equal_bits(&actual, &expected, &report.to_string());
                let failed = report.failures().count()
                    + report.phases.iter().flat_map(|phase| &phase.workers).map(|worker| worker.work.out_of_memory).sum::<usize>();
                if failed == 0 {
                    break;
                }
                expect(&report, member);
                times += 1;
                assert!(times < 1000, "it fails forever");
            }
            // In a dynamic schedule, the other member may have taken all pieces.
            assert!(times > 3 || strategy == Strategy::Dynamic, "{times} times");
        }
    }
}

fn one_is_lost(report: &Report, _: usize) {
    let failures: Vec<_> = report.failures().collect();
    assert!(matches!(failures[..], [(_, Error::Core(DeviceLost { .. }))]), "{failures:?}");
    assert!(report.to_string().contains("the others took over"), "{report}");
}

pub fn lost_at_every_piece() {
    at_every(When::Piece, Failure::Lost, one_is_lost);
}

pub fn lost_at_every_result() {
    at_every(When::Result, Failure::Lost, one_is_lost);
}

pub fn lost_at_every_allocation() {
    at_every(When::Allocation, Failure::Lost, one_is_lost);
}

pub fn short_of_memory_at_every_allocation() {
    at_every(When::Allocation, Failure::OutOfMemory, |report, member| {
        assert_eq!(report.failures().count(), 0, "{report}");
        let short: usize = report
            .phases
            .iter()
            .flat_map(|phase| &phase.workers)
            .filter(|worker| worker.member == member)
            .map(|worker| worker.work.out_of_memory)
            .sum();
        assert_eq!(short, 1, "{report}");
        assert!(report.to_string().contains("memory was short 1 times"), "{report}");
    });
}

/// How long a device is waited for that does not answer. The others compile within this time.
const PATIENCE: Duration = Duration::from_secs(200);

/// A device never answers: the others do its work, and the report says how far it had come.
pub fn one_never_answers() {
    let expected = on_one_device(C2c::forward(SHAPE), &[&input()]);
    // Not for the first time: the drivers have compiled.
    let options = by(Strategy::Equal).piece_bytes(2048);
    run(&Job::new(set(), C2c::forward(SHAPE), &options).unwrap(), &[&input()]).1.unwrap();
    for member in 0..set().len().min(2) {
        // 20 rows in pieces of 4, then 16 columns in pieces of 3.
        for (at, phase, done) in [(0, 0, 0), (3, 0, 3), (6, 1, 1)] {
            let limit = Duration::from_millis(1500);
            let job = Job::new(set(), C2c::forward(SHAPE), &options.clone().timeout(limit)).unwrap();
            let job = job.with_failures(&[(member, When::Result(at), Failure::Silent)]);
            let (actual, report) = run(&job, &[&input()]);
            let report = report.unwrap();
            assert_equal_bits(&actual, &expected, &report.to_string());
            let failures: Vec<_> = report.failures().collect();
            let [(name, Error::NoAnswer { device, phase: label, waited, done: pieces, pieces: all })] = &failures[..] else {
                panic!("{failures:?}")
            };
            assert_eq!((name, label, *waited), (&device.as_str(), &report.phases[phase].label, limit), "{report}");
            let finished: Vec<usize> =
                report.phases[phase].workers.iter().filter(|worker| worker.member == member).map(|worker| worker.work.pieces).collect();
            assert_eq!((*pieces, finished), (done, vec![done]), "{report}");
            assert!((4..20).contains(all), "{report}");
            assert!(report.to_string().contains("did not answer within 1.5s"), "{report}");
        }
    }
}

/// All devices are asked for more than they can do within the limit.
pub fn none_answers_in_time() {
    let n = 1 << 20;
    let limit = Duration::from_nanos(1);
    let job = Job::new(set(), C2c::forward(n).batch(set().len()), &by(Strategy::Equal).timeout(limit)).unwrap();
    // A device that is done before anybody looks has answered in time.
    let report = (0..10).map(|_| run(&job, &[&complex_noise(n * set().len(), 1)]).1).find(Result::is_err).unwrap();
    let Err(Error::DevicesFailed { done: 0, failures, .. }) = &report else { panic!("{report:?}") };
    let silent = |(_, error): &(String, Error)| matches!(error, Error::NoAnswer { waited, done: 0, .. } if *waited == limit);
    assert!(failures.0.iter().all(silent), "{failures}");
    // With more patience the same devices do it.
    let job = Job::new(set(), C2c::forward(n).batch(set().len()), &by(Strategy::Equal).timeout(PATIENCE)).unwrap();
    run(&job, &[&complex_noise(n * set().len(), 1)]).1.unwrap();
}

/// One of two devices is destroyed while it works, which it need not notice.
pub fn really_destroyed() {
    let expected = on_one_device(C2c::forward(SHAPE), &[&input()]);
    for at in 0..3 {
        let own = DeviceSet::of(open().unwrap()).unwrap();
        let job = job(&own, Strategy::Equal).with_failures(&[(0, When::Piece(at), Failure::Destroyed)]);
        let (actual, report) = run(&job, &[&input()]);
        let report = report.unwrap();
        assert_equal_bits(&actual, &expected, &report.to_string());
        assert_eq!(report.failures().count(), 1, "{report}");
        // It stays lost, and the others do the next run as well.
        let (actual, report) = run(&job, &[&input()]);
        assert_equal_bits(&actual, &expected, &report.unwrap().to_string());
    }
    // From outside, after the first piece.
    let own = DeviceSet::of(open().unwrap()).unwrap();
    let device = own.planner(1).unwrap().gpu().device().clone();
    let once = AtomicBool::new(true);
    let job = job(&own, Strategy::Equal).on_progress(move |_| {
        if once.swap(false, Ordering::Relaxed) {
            device.destroy();
        }
    });
    let (actual, report) = run(&job, &[&input()]);
    assert_equal_bits(&actual, &expected, &report.unwrap().to_string());
}

pub fn always_short_of_memory() {
    let expected = on_one_device(C2c::forward(SHAPE), &[&input()]);
    for first in [0, 5] {
        let job = job(set(), Strategy::Equal).with_failures(&[(0, When::AllocationsFrom(first), Failure::OutOfMemory)]);
        let (actual, report) = run(&job, &[&input()]);
        let report = report.unwrap();
        assert_equal_bits(&actual, &expected, &report.to_string());
        assert!(report.failures().all(|(_, error)| matches!(error, Error::Core(OutOfMemory { .. }))), "{report}");
        assert_eq!(report.failures().count(), 1, "{report}");
    }
}

pub fn all_lost() {
    let all: Vec<_> = (0..set().len()).map(|member| (member, When::Piece(3), Failure::Lost)).collect();
    for strategy in [Strategy::Equal, Strategy::Dynamic, Strategy::Single(0)] {
        let (_, report) = run(&job(set(), strategy).with_failures(&all), &[&input()]);
        let Err(Error::DevicesFailed { done, units, failures, .. }) = &report else { panic!("{report:?}") };
        assert!(0 < *done && done < units, "{report:?}");
        assert_eq!(failures.to_string().matches("on purpose").count(), 2 * set().len(), "{failures}");
        assert!(std::error::Error::source(failures).is_some());
    }
}

pub fn lost_while_devices_are_measured() {
    let expected = on_one_device(C2c::forward(SHAPE), &[&input()]);
    for at in 0..4 {
        let job = job(set(), Strategy::Auto).with_failures(&[(1, When::Piece(at), Failure::Lost)]);
        let (actual, report) = run(&job, &[&input()]);
        let report = report.unwrap();
        assert_equal_bits(&actual, &expected, &report.to_string());
        assert_eq!(report.failures().count(), 1, "{report}");
    }
}

pub fn a_panic_ends_the_job_and_hangs_nobody() {
    for member in 0..2 {
        let job = Job::new(set(), Permute::<f32>::transpose([64, 64]), &by(Strategy::Equal)).unwrap();
        let job = job.with_failures(&[(member, When::Piece(0), Failure::Panic)]);
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(&job, &[&vec![0.0; 64 * 64]])));
        assert!(panicked.is_err());
    }
}
