//! The host's processors as a member of a set: alone, and beside devices.

use wgpu_fft::Complex32;
use wgpu_fft::Error;
use wgpu_fft::fft::{C2c, C2r, R2c, Scale};
use wgpu_fft::multi::{DeviceSet, Divide, Failure, Job, Strategy, When};
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::reduce::{Custom, Determinism, Reduce};
use wgpu_fft::transpose::Permute;

use crate::reference::{dft, relative_error, wide};
use crate::support::{assert_equal_bits, complex_noise, find_gpus, noise, on_one_device, run};

pub fn tests() -> Vec<(&'static str, fn())> {
    vec![
        ("host::transforms_without_any_device", transforms_without_any_device as fn()),
        ("host::the_host_beside_devices", the_host_beside_devices),
        ("host::moves_and_sums_have_the_same_bits_everywhere", moves_and_sums_have_the_same_bits_everywhere),
        ("host::an_operator_in_wgsl_needs_a_device", an_operator_in_wgsl_needs_a_device),
        ("host::the_host_can_fail_too", the_host_can_fail_too),
    ]
}

/// u·√log₂n, many times over: rustfft has its own error.
const BUDGET: f64 = 1e-6;

fn check_complex(set: &DeviceSet, strategy: &Strategy) {
    for extents in [&[60][..], &[17, 5], &[12, 10, 14]] {
        let input = complex_noise(2 * extents.iter().product::<usize>(), 1);
        for inverse in [false, true] {
            let shape = wgpu_fft::Shape::try_from(extents).unwrap();
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
    let job = Job::new(set, spec).unwrap().strategy(strategy.clone()).unwrap();
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

fn transforms_without_any_device() {
    check_complex(&DeviceSet::host(), &Strategy::Measured);
    check_real(&DeviceSet::host(), &Strategy::Equal);
}

fn with_devices() -> Option<DeviceSet> {
    find_gpus().ok().map(|gpus| DeviceSet::of(gpus.iter().cloned()).unwrap().with_host())
}

fn the_host_beside_devices() {
    let Some(set) = with_devices() else { return };
    for strategy in [Strategy::Equal, Strategy::Dynamic, Strategy::Auto] {
        check_complex(&set, &strategy);
        check_real(&set, &strategy);
    }
}

fn moves_and_sums_have_the_same_bits_everywhere() {
    let sets: Vec<DeviceSet> = [Some(DeviceSet::host()), with_devices()].into_iter().flatten().collect();
    for set in &sets {
        let x = noise(61 * 53, 3);
        let (turned, report) = output(set, &Strategy::Equal, Permute::<f32>::transpose([61, 53]), &x);
        let expected: Vec<f32> = (0..61 * 53).map(|i| x[i % 61 * 53 + i / 61]).collect();
        assert_equal_bits(&turned, &expected, &report);
        let sum = Reduce::<f32>::sum([61, 53]).axes([1]);
        let (sums, report) = output(set, &Strategy::Equal, sum.clone(), &x);
        if find_gpus().is_ok() {
            assert_equal_bits(&sums, &on_one_device(sum.determinism(Determinism::AcrossDevices), &[&x]), &report);
        }
        let bytes: Vec<u8> = (0..17 * 5 * 3).map(|i| (i * 7) as u8).collect();
        let (turned, report) = output(set, &Strategy::Equal, Permute::<u8>::new([17, 5, 3], [2, 0, 1]), &bytes);
        let expected: Vec<u8> = (0..17 * 5 * 3).map(|i| bytes[(i % 85) * 3 + i / 85]).collect();
        assert_equal_bits(&turned, &expected, &report);
    }
}

fn an_operator_in_wgsl_needs_a_device() {
    let spec = Reduce::<f32>::custom(100, Custom::new("max(a, b)", 0.0).unwrap());
    assert!(matches!(Job::new(&DeviceSet::host(), spec.clone()), Err(Error::Unsupported { .. })));
    if let Some(set) = with_devices() {
        // The others do it.
        assert_eq!(Job::new(&set, spec).unwrap().left_out().count(), 1);
    }
}

fn the_host_can_fail_too() {
    let Some(set) = with_devices() else { return };
    let input = complex_noise(40 * 32, 5);
    let host = set.len() - 1;
    let job = Job::new(&set, C2c::forward([40, 32])).unwrap().strategy(Strategy::Equal).unwrap();
    let job = job.with_failures(&[(host, When::Piece(0), Failure::Lost)]);
    let (actual, report) = run(&job, &[&input]);
    let report = report.unwrap();
    assert_eq!(report.failures().count(), 1, "{report}");
    // What the host had is computed by the devices, so that all bits are theirs again.
    let mut expected = wide(&input);
    dft(&mut expected, &[40, 32], &[0, 1], false);
    assert!(relative_error(&actual, &expected) < BUDGET, "{report}");
    let alone = Job::new(&DeviceSet::host(), C2c::forward([40, 32])).unwrap().with_failures(&[(0, When::Piece(0), Failure::OutOfMemory)]);
    let (_, report) = run(&alone, &[&input]);
    assert!(matches!(report, Err(Error::DevicesFailed { .. })), "{report:?}");
}
