//! The host's processors as a member of a set, alone and together with devices.

use wgpu_fft::Complex32;
use wgpu_fft::fft::{C2c, C2r, R2c, Scale};
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::reduce::{self, Reduction};
use wgpu_fft::transpose::Permute;
use wgpu_fft_distributed::testing::{Failure, When};
use wgpu_fft_distributed::{DeviceSet, Divide, Error, Job, JobOptions, Strategy};

use crate::reference::{dft, relative_error, wide};
use crate::support::{assert_equal_bits, by, complex_noise, find_gpus, noise, on_one_device, run};

/// Tests of the host alone.
pub fn alone() -> Vec<(&'static str, fn())> {
    vec![
        ("host::transforms_without_any_device", transforms_without_any_device as fn()),
        ("host::moves_without_any_device", moves_without_any_device),
        ("host::reductions_need_a_device", reductions_need_a_device),
    ]
}

/// Tests that need a device.
pub fn beside() -> Vec<(&'static str, fn())> {
    vec![
        ("host::the_host_beside_devices", the_host_beside_devices as fn()),
        ("host::moves_have_the_same_bits_everywhere", moves_have_the_same_bits_everywhere),
        ("host::reductions_go_to_devices", reductions_go_to_devices),
        ("host::the_host_can_fail_too", the_host_can_fail_too),
    ]
}

/// Many times u·√log₂n, because rustfft has its own error.
const BUDGET: f64 = 1e-6;

fn check_complex(set: &DeviceSet, strategy: &Strategy) {
    for extents in [&[60][..], &[17, 5], &[12, 10, 14]] {
        let input = complex_noise(2 * extents.iter().product::<usize>(), 1);
        for inverse in [false, true] {
            let shape = wgpu_fft::Shape::from(extents);
            let spec = if inverse { C2c::inverse(shape) } else { C2c::forward(shape) }.batch(2).scale(Scale::InvLen);
            let (actual, report) = output(set, strategy, spec, &input);
            let n: usize = extents.iter().product();
            let mut expected: Vec<Complex64> = wide(&input);
            let axes: Vec<usize> = (1..=extents.len()).collect();
            dft(&mut expected, &[&[2], extents].concat(), &axes, inverse);
            expected.iter_mut().for_each(|z| *z /= n as f64);
            let error = relative_error(&actual, &expected);
            assert!(error < BUDGET, "{error} {report}");
        }
    }
}

fn output<S: Divide>(set: &DeviceSet, strategy: &Strategy, spec: S, input: &[S::Input]) -> (Vec<S::Output>, String) {
    let job = Job::new(set, spec, &by(strategy.clone())).unwrap();
    let (output, report) = run(&job, &[input]);
    (output, report.unwrap().to_string())
}

fn check_real(set: &DeviceSet, strategy: &Strategy) {
    for shape in [[16, 12], [9, 15]] {
        let [rows, columns] = shape;
        let half = columns / 2 + 1;
        let reals = noise(rows * columns, 2);
        let (spectrum, report) = output(set, strategy, R2c::forward(shape), &reals);
        let mut expected: Vec<Complex64> = reals.iter().map(|&x| Complex64::new(x.into(), 0.0)).collect();
        dft(&mut expected, &shape, &[0, 1], false);
        let expected: Vec<Complex64> = expected.chunks(columns).flat_map(|row| row[..half].to_vec()).collect();
        let error = relative_error(&spectrum, &expected);
        assert!(error < BUDGET, "{error} {report}");
        let (back, report) = output(set, strategy, C2r::inverse(shape).scale(Scale::InvLen), &spectrum);
        let complex = |reals: &[f32]| -> Vec<Complex32> { reals.iter().map(|&x| Complex32::new(x, 0.0)).collect() };
        let error = relative_error(&complex(&back), &wide(&complex(&reals)));
        assert!(error < BUDGET, "{error} {report}");
    }
}

/// The host computes in f64 what devices compute by sums of two f32.
fn check_doubles(set: &DeviceSet) {
    let reals: Vec<f64> = noise(9 * 15, 4).into_iter().map(|x| f64::from(x) / 3.0).collect();
    let mut expected: Vec<Complex64> = reals.iter().map(|&x| x.into()).collect();
    dft(&mut expected, &[9, 15], &[0, 1], false);
    let expected: Vec<Complex64> = expected.chunks(15).flat_map(|row| row[..8].to_vec()).collect();
    for spec in [R2c::forward([9, 15]).f64(), R2c::forward([9, 15]).f64_by_f32()] {
        let (spectrum, report) = output(set, &Strategy::Equal, spec, &reals);
        assert!(relative_error(&spectrum, &expected) < 1e-15, "{report}");
        let (back, report) = output(set, &Strategy::Equal, C2r::inverse([9, 15]).f64().scale_by(1.0 / 135.0), &spectrum);
        let complex = |reals: &[f64]| -> Vec<Complex64> { reals.iter().map(|&x| x.into()).collect() };
        assert!(relative_error(&complex(&back), &complex(&reals)) < 1e-15, "{report}");
    }
}

fn transforms_without_any_device() {
    check_complex(&DeviceSet::host(), &Strategy::Measured);
    check_real(&DeviceSet::host(), &Strategy::Equal);
    check_doubles(&DeviceSet::host());
}

fn with_devices() -> DeviceSet {
    DeviceSet::of(find_gpus().unwrap().iter().cloned()).unwrap().with_host()
}

fn the_host_beside_devices() {
    let set = with_devices();
    for strategy in [Strategy::Equal, Strategy::Dynamic, Strategy::Auto] {
        check_complex(&set, &strategy);
        check_real(&set, &strategy);
    }
}

/// Sums of rows, on any device.
fn sums_of_rows() -> Reduction<f32, f32> {
    reduce::sum::<f32>([61, 53]).axes([1])
}

fn check_moves(set: &DeviceSet) {
    let x = noise(61 * 53, 3);
    let (turned, report) = output(set, &Strategy::Equal, Permute::<f32>::transpose([61, 53]), &x);
    let expected: Vec<f32> = (0..61 * 53).map(|i| x[i % 61 * 53 + i / 61]).collect();
    assert_equal_bits(&turned, &expected, &report);
    let bytes: Vec<u8> = (0..17 * 5 * 3).map(|i| (i * 7) as u8).collect();
    let (turned, report) = output(set, &Strategy::Equal, Permute::<u8>::new([17, 5, 3], [2, 0, 1]), &bytes);
    let expected: Vec<u8> = (0..17 * 5 * 3).map(|i| bytes[(i % 85) * 3 + i / 85]).collect();
    assert_equal_bits(&turned, &expected, &report);
}

fn moves_without_any_device() {
    check_moves(&DeviceSet::host());
}

fn moves_have_the_same_bits_everywhere() {
    check_moves(&with_devices());
}

fn reductions_need_a_device() {
    let error = Job::new(&DeviceSet::host(), sums_of_rows(), &JobOptions::default()).unwrap_err();
    assert!(matches!(error, Error::Core(wgpu_fft::Error::Unsupported { .. })), "{error}");
}

fn reductions_go_to_devices() {
    let x = noise(61 * 53, 3);
    let expected = on_one_device(sums_of_rows().across_devices(), &[&x]);
    let set = with_devices();
    let job = Job::new(&set, sums_of_rows(), &by(Strategy::Equal)).unwrap();
    assert_eq!(job.left_out().count(), 1);
    let (sums, report) = run(&job, &[&x]);
    assert_equal_bits(&sums, &expected, &report.unwrap().to_string());
}

fn the_host_can_fail_too() {
    let set = with_devices();
    let input = complex_noise(40 * 32, 5);
    let host = set.len() - 1;
    let job = Job::new(&set, C2c::forward([40, 32]), &by(Strategy::Equal)).unwrap();
    let job = job.with_failures(&[(host, When::Piece(0), Failure::Lost)]);
    let (actual, report) = run(&job, &[&input]);
    let report = report.unwrap();
    assert_eq!(report.failures().count(), 1, "{report}");
    // The devices recompute the host's share, so all bits are theirs again.
    let mut expected = wide(&input);
    dft(&mut expected, &[40, 32], &[0, 1], false);
    assert!(relative_error(&actual, &expected) < BUDGET, "{report}");
    let alone = Job::new(&DeviceSet::host(), C2c::forward([40, 32]), &JobOptions::default()).unwrap().with_failures(&[(
        0,
        When::Piece(0),
        Failure::OutOfMemory,
    )]);
    let (_, report) = run(&alone, &[&input]);
    assert!(matches!(report, Err(Error::DevicesFailed { .. })), "{report:?}");
}
