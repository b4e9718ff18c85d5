//! What jobs report and refuse.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use wgpu_fft::fft::{C2c, C2r, R2c};
use wgpu_fft::reduce;
use wgpu_fft::transpose::Permute;
use wgpu_fft_distributed::Error::{Cancelled, Core};
use wgpu_fft_distributed::wgpu_fft::{Complex32, Error, Layout};
use wgpu_fft_distributed::{Divide, Job, JobOptions, Strategy};

use crate::bits::in_little_memory;
use crate::support::{assert_equal_bits, by, complex_noise, on_one_device, run, set};

pub fn reports_say_who_did_what() {
    let input = complex_noise(40 * 32, 1);
    let mut weights = vec![0.0; set().len()];
    (weights[0], weights[1]) = (3.0, 1.0);
    let job = Job::new(set(), C2c::forward([40, 32]), &by(Strategy::Ratio(weights))).unwrap();
    let (_, report) = run(&job, &[&input]);
    let report = report.unwrap();
    assert_eq!(report.phases.len(), 2);
    for (phase, units) in report.phases.iter().zip([40, 32]) {
        assert_eq!(phase.units, units, "{report}");
        assert_eq!([phase.share(0), phase.share(1)], [0.75, 0.25], "{report}");
        let bytes: [u64; 2] = [0, 1].map(|i| phase.workers.iter().map(|device| [device.work.bytes_in, device.work.bytes_out][i]).sum());
        assert_eq!(bytes, [40 * 32 * 8; 2], "{report}");
    }
    let names: Vec<&str> = set().names().collect();
    assert!(report.to_string().contains(&names[0][..16]), "{report}");
}

pub fn progress_reaches_the_end() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let record = Arc::clone(&seen);
    let job = Job::new(set(), C2c::forward([40, 32]), &by(Strategy::Equal).piece_bytes(2048)).unwrap();
    let job = job.on_progress(move |now| record.lock().unwrap().push((now.phase, now.phases, now.done, now.total)));
    run(&job, &[&complex_noise(40 * 32, 1)]).1.unwrap();
    let seen = seen.lock().unwrap();
    let bytes = 40 * 32 * 8;
    for phase in [0, 1] {
        let own: Vec<u64> = seen.iter().filter(|now| now.0 == phase).map(|now| now.2).collect();
        assert!(own.len() >= 4 && own.iter().max() == Some(&bytes), "{own:?}");
        assert!(seen.contains(&(phase, 2, bytes, bytes)));
    }
}

/// In the first phase and in the second; then the same job runs.
pub fn listeners_cancel() {
    let input = complex_noise(40 * 32, 1);
    let expected = on_one_device(C2c::forward([40, 32]), &[&input]);
    for (phase, label) in [(0, "axes 1 transformed, cut along axis 0"), (1, "axes 0 transformed, cut along axis 1")] {
        for strategy in [Strategy::Equal, Strategy::Dynamic] {
            let cancels = Arc::new(AtomicBool::new(true));
            let own = Arc::clone(&cancels);
            let job = Job::new(set(), C2c::forward([40, 32]), &by(strategy).piece_bytes(2048)).unwrap().on_progress(move |now| {
                let ends = own.load(Ordering::Relaxed) && now.phase == phase && now.done < now.total;
                if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            let error = run(&job, &[&input]).1.unwrap_err();
            assert_eq!(error, Cancelled { rank: None, phase: label.to_owned() });
            cancels.store(false, Ordering::Relaxed);
            let (actual, report) = run(&job, &[&input]);
            assert_equal_bits(&actual, &expected, &report.unwrap().to_string());
        }
    }
}

/// The error names the shape of the whole job, not of one of its parts.
pub fn empty_shapes_are_named_as_they_were_given() {
    fn error<S: Divide>(spec: S) -> String {
        let error = Job::new(set(), spec, &JobOptions::default()).unwrap_err();
        assert!(matches!(error, Core(Error::Empty { .. })), "{error}");
        error.to_string()
    }
    for (text, shape) in [
        (error(C2c::forward([8, 0])), "8x0"),
        (error(C2c::forward([0, 8])), "0x8"),
        (error(C2c::forward([8, 0]).axes([0])), "8x0"),
        (error(C2c::forward([8, 0]).axes([1])), "8x0"),
        (error(C2c::forward([8, 6]).batch(0)), "8x6 x0"),
        (error(R2c::forward([8, 0])), "8x0"),
        (error(C2r::inverse([8, 0])), "8x0"),
        (error(R2c::forward([0, 8])), "0x8"),
        (error(Permute::<f32>::transpose([8, 0])), "8x0"),
        (error(Permute::<f32>::transpose([0, 8])), "0x8"),
        (error(Permute::<f32>::transpose([8, 6]).batch(0)), "8x6 x0"),
        (error(reduce::sum::<f32>([8, 0])), "8x0"),
        (error(reduce::sum::<f32>([8, 0]).axes([0])), "8x0"),
        (error(reduce::sum::<f32>([8, 0]).axes([1])), "8x0"),
        (error(reduce::sum::<u32>([0, 8]).axes([1])), "0x8"),
    ] {
        assert!(text.contains(shape), "{text}");
    }
}

/// A caller may give any number for the size and number of pieces.
pub fn numbers_without_measure_are_bounded() {
    let input = complex_noise(40 * 32, 1);
    let expected = on_one_device(C2c::forward([40, 32]), &[&input]);
    for strategy in [Strategy::Equal, Strategy::Dynamic, Strategy::Ratio(vec![1e308; set().len()])] {
        for most in [1 << 63, usize::MAX, 0] {
            let options = by(strategy.clone()).in_flight(most).copy_threads(most).piece_bytes(most).memory(most as u64);
            let job = Job::new(set(), C2c::forward([40, 32]), &options).unwrap();
            let (output, report) = run(&job, &[&input]);
            report.unwrap();
            assert_equal_bits(&output, &expected, &strategy.to_string());
        }
    }
}

pub fn wrong_lengths_carry_both_numbers() {
    let job = Job::new(set(), C2c::forward([4, 4]), &JobOptions::default()).unwrap();
    let (short, mut right) = (vec![Complex32::new(0.0, 0.0); 15], vec![Complex32::new(0.0, 0.0); 16]);
    assert_eq!(job.run(&short, &mut right).unwrap_err(), Core(Error::WrongLen { argument: "input", expected: 16, actual: 15 }));
    let mut short = short;
    assert_eq!(job.run(&right, &mut short).unwrap_err(), Core(Error::WrongLen { argument: "output", expected: 16, actual: 15 }));
    assert_eq!(job.run_in_place(&mut short).unwrap_err(), Core(Error::WrongLen { argument: "data", expected: 16, actual: 15 }));
    let dot = Job::new(set(), reduce::dot::<f32>(16), &JobOptions::default()).unwrap();
    assert!(matches!(dot.run(&[0.0; 16], &mut [0.0]), Err(Core(Error::WrongInputs { expected: 2, actual: 1, .. }))));
    let same = right.clone();
    assert!(matches!(job.run_two(&same, &same, &mut right), Err(Core(Error::WrongInputs { expected: 1, actual: 2, .. }))));
    assert_eq!(
        Job::new(set(), C2c::forward([4, 4]), &by(Strategy::Ratio(vec![1.0]))).unwrap_err(),
        Core(Error::WrongLen { argument: "ratio", expected: set().len(), actual: 1 })
    );
}

pub fn what_cannot_be_divided_is_an_error() {
    let layout = Layout::strides([8, 1]);
    fn unsupported<S: Divide>(spec: S, options: &JobOptions) {
        let error = Job::new(set(), spec, options).err();
        assert!(matches!(error, Some(Core(Error::Unsupported { .. }))), "{error:?}");
    }
    let plain = JobOptions::default();
    unsupported(C2c::forward([4, 4]).input_layout(layout), &plain);
    unsupported(C2c::forward([4, 4]).in_place(), &plain);
    unsupported(C2c::forward([4, 4]).transposed(), &plain);
    unsupported(Permute::<f32>::transpose([4, 4]).output_layout(layout), &plain);
    unsupported(C2c::forward([4, 4]), &plain.clone().along(2));
    unsupported(C2c::forward([4, 4]), &plain.clone().along(1));
    unsupported(Permute::<f32>::transpose([4, 4]), &plain.clone().along(2));
    assert!(matches!(Job::new(set(), C2c::forward([4, 0]), &plain), Err(Core(Error::Empty { .. }))));
    assert!(matches!(Job::new(set(), Permute::<f32>::transpose([0, 4]), &plain), Err(Core(Error::Empty { .. }))));
    unsupported(Permute::<f32>::new([4, 4], [0, 0]), &plain);
    let job = Job::new(set(), R2c::forward([4, 4]), &plain).unwrap();
    let error = job.run_in_place(&mut [Complex32::new(0.0, 0.0); 12]).unwrap_err();
    assert!(matches!(error, Core(Error::Unsupported { .. })), "{error}");
}

pub fn little_memory_takes_small_pieces() {
    let input = complex_noise(64 * 64, 2);
    let job = Job::new(set(), C2c::forward([64, 64]), &by(Strategy::Equal).memory(64 << 10)).unwrap();
    let (actual, report) = run(&job, &[&input]);
    let report = report.unwrap();
    assert_equal_bits(&actual, &on_one_device(C2c::forward([64, 64]), &[&input]), &report.to_string());
    assert!(report.phases.iter().all(|phase| phase.workers.iter().all(|device| device.work.pieces >= 4)), "{report}");
}

pub fn in_place_of_the_input() {
    let mut data = complex_noise(48 * 20, 3);
    let expected = on_one_device(C2c::forward([48, 20]), &[&data]);
    let job = Job::new(set(), C2c::forward([48, 20]), &JobOptions::default().piece_bytes(1024)).unwrap();
    let report = job.run_in_place(&mut data).unwrap();
    assert_equal_bits(&data, &expected, &report.to_string());
}

/// Three phases instead of two, of real transforms too, there and back.
pub fn planes_larger_than_the_memory() {
    let input = complex_noise(6 * 32 * 40, 4);
    let reals: Vec<f32> = input.iter().map(|z| z.re).collect();
    let little = JobOptions::default().memory(40 << 10);
    assert_eq!(in_little_memory(&C2c::forward([6, 32, 40]), &input, &little), 1);
    in_little_memory(&R2c::forward([6, 32, 40]), &reals, &little);
    assert_eq!(in_little_memory(&C2r::inverse([6, 32, 40]), &input[..6 * 32 * 21], &little), 1);
}

/// The measurements describe each device, and using one device alone is a possible result.
pub fn one_device_alone_is_a_candidate() {
    let input = complex_noise(256 * 256, 5);
    for strategy in [Strategy::Measured, Strategy::Auto] {
        let job = Job::new(set(), C2c::forward([256, 256]), &by(strategy)).unwrap();
        assert!(job.rates().iter().all(Vec::is_empty));
        let (_, first) = run(&job, &[&input]);
        assert!(first.unwrap().measuring > std::time::Duration::ZERO);
        let rates = job.rates();
        assert_eq!(rates.len(), 2);
        for rate in rates.iter().flatten() {
            assert!(
                rate.alone > 0.0 && rate.together > 0.0 && rate.parts.is_some_and(|parts| parts.iter().all(|part| *part > 0.0)),
                "{rate:?}"
            );
        }
        let (_, second) = run(&job, &[&input]);
        assert!(second.unwrap().measuring.is_zero());
    }
}
