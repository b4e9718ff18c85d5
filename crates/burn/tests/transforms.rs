//! Transforms of burn's tensors against sums in f64, and gradients against differences.
//!
//! They run on the adapter that burn chooses. Without one they are skipped, unless
//! `WGPU_FFT_REQUIRE_GPU` is set.

use std::f64::consts::PI;
use std::sync::OnceLock;

use burn::tensor::{DType, Device, FloatDType, Tensor, TensorData};
use wgpu_fft_burn::wgpu_fft::num_complex::Complex64;
use wgpu_fft_burn::wgpu_fft::{Gpu, Planner};
use wgpu_fft_burn::{Error, Mode, Norm, RealKind, Result, convolve, dct, fft, idct, ifft, init, irfft, planner, register, rfft};

/// burn opens a device once for all tests.
fn device() -> Option<Device> {
    static DEVICE: OnceLock<Option<Device>> = OnceLock::new();
    let open = || match init(Device::wgpu_options()) {
        Ok(device) => {
            println!("on {}", planner(&device).unwrap().gpu().profile().name);
            Some(device)
        }
        Err(error) if std::env::var_os("WGPU_FFT_REQUIRE_GPU").is_none() => {
            println!("SKIPPED: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    };
    DEVICE.get_or_init(open).clone()
}

/// Numbers between -1 and 1.
fn noise(len: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    std::iter::repeat_with(next).take(len).collect()
}

fn tensor<const D: usize>(data: &[f32], dims: [usize; D], device: &Device) -> Tensor<D> {
    Tensor::from_data(TensorData::new(data.to_vec(), dims), device)
}

fn random<const D: usize>(dims: [usize; D], seed: u64, device: &Device) -> Tensor<D> {
    tensor(&noise(dims.iter().product(), seed), dims, device)
}

fn numbers<const D: usize>(x: &Tensor<D>) -> Vec<f64> {
    x.to_data().try_to_vec::<f32>().unwrap().into_iter().map(f64::from).collect()
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len());
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// The two-norm of the difference, relative to that of the expected numbers.
fn error(actual: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(actual.len(), expected.len());
    let difference: Vec<f64> = actual.iter().zip(expected).map(|(x, y)| x - y).collect();
    (dot(&difference, &difference) / dot(expected, expected)).sqrt()
}

#[track_caller]
fn assert_close<const D: usize>(actual: &Tensor<D>, expected: &[f64]) {
    let error = error(&numbers(actual), expected);
    assert!(error < 1e-6, "the error is {error:e}");
}

fn pairs(numbers: &[f64]) -> Vec<Complex64> {
    numbers.chunks(2).map(|pair| Complex64::new(pair[0], pair[1])).collect()
}

fn flat(numbers: &[Complex64]) -> Vec<f64> {
    numbers.iter().flat_map(|number| [number.re, number.im]).collect()
}

/// Applies a function to the lines along one axis, which may change its length.
fn along<T: Copy>(data: &[T], dims: &mut [usize], axis: usize, of_line: impl Fn(&[T]) -> Vec<T>) -> Vec<T> {
    let (n, inner) = (dims[axis], dims[axis + 1..].iter().product::<usize>());
    let lines = (0..data.len() / n).map(|line| {
        let first = line / inner * n * inner + line % inner;
        of_line(&(0..n).map(|j| data[first + j * inner]).collect::<Vec<T>>())
    });
    let lines: Vec<Vec<T>> = lines.collect();
    let m = lines[0].len();
    dims[axis] = m;
    (0..lines.len() * m).map(|i| lines[i / (m * inner) * inner + i % inner][i / inner % m]).collect()
}

fn dft(x: &[Complex64], sign: f64) -> Vec<Complex64> {
    let n = x.len();
    let sum =
        |k: usize| x.iter().enumerate().map(|(j, x)| x * Complex64::from_polar(1.0, sign * 2.0 * PI * (j * k % n) as f64 / n as f64)).sum();
    (0..n).map(sum).collect()
}

/// All frequencies of the spectrum of reals.
fn mirrored(half: &[Complex64], n: usize) -> Vec<Complex64> {
    (0..n).map(|k| if k < half.len() { half[k] } else { half[n - k].conj() }).collect()
}

#[test]
fn complex_transforms_are_the_sums_that_define_them() {
    let Some(device) = device() else { return };
    fn check<const C: usize>(dims: [usize; C], axes: &[isize], device: &Device) {
        let x = random(dims, 1, device);
        let mut own = dims[..C - 1].to_vec();
        let mut forward = pairs(&numbers(&x));
        let mut inverse = forward.clone();
        for axis in axes.iter().map(|axis| axis.rem_euclid(C as isize - 1) as usize) {
            forward = along(&forward, &mut own, axis, |line| dft(line, -1.0));
            inverse = along(&inverse, &mut own, axis, |line| dft(line, 1.0));
        }
        let n: usize = axes.iter().map(|axis| own[axis.rem_euclid(C as isize - 1) as usize]).product();
        let scaled = |numbers: &[Complex64], factor: f64| flat(&numbers.iter().map(|number| number * factor).collect::<Vec<_>>());
        let (by_n, by_root) = (1.0 / n as f64, 1.0 / (n as f64).sqrt());
        for (norm, factors) in [(Norm::Backward, [1.0, by_n]), (Norm::Ortho, [by_root; 2]), (Norm::Forward, [by_n, 1.0])] {
            assert_close(&fft(x.clone(), axes, norm).unwrap(), &scaled(&forward, factors[0]));
            assert_close(&ifft(x.clone(), axes, norm).unwrap(), &scaled(&inverse, factors[1]));
        }
    }
    check([64, 2], &[0], &device);
    check([3, 45, 2], &[-1], &device);
    check([5, 101, 2], &[1], &device);
    check([7, 1, 2], &[1, 0], &device);
    check([31, 6, 2], &[0], &device);
    check([2, 6, 5, 4, 2], &[1, 3], &device);
    check([2, 3, 6, 5, 4, 2], &[2, -1, -2], &device);
    check([2, 3, 4, 3, 2, 2], &[1, 2], &device);
}

#[test]
fn real_transforms_are_the_sums_that_define_them() {
    let Some(device) = device() else { return };
    fn check<const D: usize, const C: usize>(dims: [usize; D], axes: &[isize], device: &Device) {
        let x = random(dims, 2, device);
        let mut own = dims.to_vec();
        let mut spectrum: Vec<Complex64> = numbers(&x).into_iter().map(Complex64::from).collect();
        let last = axes.last().unwrap().rem_euclid(D as isize) as usize;
        for axis in axes.iter().map(|axis| axis.rem_euclid(D as isize) as usize) {
            spectrum = along(&spectrum, &mut own, axis, |line| dft(line, -1.0));
        }
        spectrum = along(&spectrum, &mut own, last, |line| line[..line.len() / 2 + 1].to_vec());
        let actual: Tensor<C> = rfft(x.clone(), axes, Norm::Backward).unwrap();
        assert_eq!(actual.dims()[..D], own);
        assert_close(&actual, &flat(&spectrum));
        let back: Tensor<D> = irfft(actual, axes, dims[last], Norm::Backward).unwrap();
        assert_close(&back, &numbers(&x));

        // Of a spectrum that no reals have.
        let complex: [usize; C] = [&own[..], &[2]].concat().try_into().unwrap();
        let spectrum = random(complex, 3, device);
        let mut expected = pairs(&numbers(&spectrum));
        for axis in axes[..axes.len() - 1].iter().map(|axis| axis.rem_euclid(D as isize) as usize) {
            expected = along(&expected, &mut own, axis, |line| dft(line, 1.0));
        }
        let n = dims[last];
        let expected = along(&expected, &mut own, last, |line| {
            let mut line = line.to_vec();
            line[0].im = 0.0;
            if n.is_multiple_of(2) {
                line[n / 2].im = 0.0;
            }
            dft(&mirrored(&line, n), 1.0)
        });
        let expected: Vec<f64> = expected.iter().map(|number| number.re).collect();
        assert_close(&irfft::<C, D>(spectrum, axes, n, Norm::Forward).unwrap(), &expected);
    }
    check::<1, 2>([1], &[0], &device);
    check::<2, 3>([4, 100], &[-1], &device);
    check::<2, 3>([4, 81], &[-1], &device);
    check::<2, 3>([3, 127], &[-1], &device);
    check::<2, 3>([127, 3], &[0], &device);
    check::<2, 3>([36, 20], &[0, 1], &device);
    check::<2, 3>([15, 12], &[1, 0], &device);
    check::<3, 4>([4, 9, 10], &[2, 1], &device);
    check::<4, 5>([2, 6, 3, 5], &[1, -1], &device);
    check::<5, 6>([2, 6, 3, 5, 4], &[3, 2], &device);
}

#[test]
fn cosine_and_sine_transforms_are_the_sums_that_define_them() {
    let Some(device) = device() else { return };
    let cosine = |kind: RealKind, x: &[f64]| -> Vec<f64> {
        let n = x.len();
        let (twos, m) = (|c: f64, x: f64| 2.0 * x * c, n as f64);
        let sum = |k: usize| -> f64 {
            let term = |(j, x): (usize, &f64)| {
                let (j2, k2) = ((2 * j + 1) as f64, (2 * k + 1) as f64);
                match kind {
                    RealKind::DctII => twos((PI * k as f64 * j2 / (2.0 * m)).cos(), *x),
                    RealKind::DctIII if j == 0 => *x,
                    RealKind::DctIII => twos((PI * j as f64 * k2 / (2.0 * m)).cos(), *x),
                    RealKind::DstIV => twos((PI * j2 * k2 / (4.0 * m)).sin(), *x),
                    _ => unreachable!("{kind:?}"),
                }
            };
            x.iter().enumerate().map(term).sum()
        };
        (0..n).map(sum).collect()
    };
    for kind in [RealKind::DctII, RealKind::DctIII, RealKind::DstIV] {
        for (dims, axes) in [([3, 64], &[-1][..]), ([3, 45], &[1]), ([37, 4], &[0]), ([12, 10], &[0, 1])] {
            let x = random(dims, 4, &device);
            let (mut own, mut expected) = (dims.to_vec(), numbers(&x));
            for axis in axes.iter().map(|axis: &isize| axis.rem_euclid(2) as usize) {
                expected = along(&expected, &mut own, axis, |line| cosine(kind, line));
            }
            let actual = dct(x.clone(), kind, axes, Norm::Backward).unwrap();
            assert_close(&actual, &expected);
            assert_close(&idct(actual, kind, axes, Norm::Backward).unwrap(), &numbers(&x));
            let ortho = dct(x.clone(), kind, axes, Norm::Ortho).unwrap();
            let [before, after] = [numbers(&x), numbers(&ortho)].map(|numbers| dot(&numbers, &numbers));
            assert!((before - after).abs() < 1e-5 * before, "{kind:?} is not orthonormal: {before}, {after}");
        }
    }
}

/// The full convolution along the last axes.
fn direct(x: &[f64], shape: &[usize], w: &[f64], taps: &[usize]) -> Vec<f64> {
    let full: Vec<usize> = shape.iter().zip(taps).map(|(n, k)| n + k - 1).collect();
    let place = |mut i: usize, extents: &[usize]| {
        let mut index = vec![0; extents.len()];
        for (own, extent) in index.iter_mut().zip(extents).rev() {
            (*own, i) = (i % extent, i / extent);
        }
        index
    };
    let mut y = vec![0.0; full.iter().product()];
    for (i, x) in x.iter().enumerate() {
        for (m, w) in w.iter().enumerate() {
            let sum = place(i, shape).iter().zip(place(m, taps)).zip(&full).fold(0, |all, ((i, m), extent)| all * extent + i + m);
            y[sum] += x * w;
        }
    }
    y
}

#[test]
fn convolutions_are_the_sums_that_define_them() {
    let Some(device) = device() else { return };
    fn check<const D: usize, const K: usize>(dims: [usize; D], taps: [usize; K], device: &Device) {
        let (x, w) = (random(dims, 5, device), random(taps, 6, device));
        let shape = &dims[D - K..];
        for mode in [Mode::Full, Mode::Same, Mode::Valid] {
            if mode == Mode::Valid && shape.iter().zip(taps).any(|(n, k)| k > *n) {
                assert!(matches!(convolve(x.clone(), w.clone(), mode), Err(Error::Unsupported { .. })));
                continue;
            }
            let mut expected = Vec::new();
            for x in numbers(&x).chunks(shape.iter().product()) {
                let mut y = direct(x, shape, &numbers(&w), &taps);
                let mut own: Vec<usize> = shape.iter().zip(taps).map(|(n, k)| n + k - 1).collect();
                for (axis, (n, k)) in shape.iter().zip(taps).enumerate() {
                    let range = match mode {
                        Mode::Full => 0..n + k - 1,
                        Mode::Same => (k - 1) / 2..(k - 1) / 2 + n,
                        _ => k - 1..*n,
                    };
                    y = along(&y, &mut own, axis, |line| line[range.clone()].to_vec());
                }
                expected.extend(y);
            }
            assert_close(&convolve(x.clone(), w.clone(), mode).unwrap(), &expected);
        }
    }
    check([100], [7], &device);
    check([3, 40], [12], &device);
    check([2, 2, 5], [9], &device);
    check([2, 20, 17], [4, 3], &device);
    check([6, 7, 8], [3, 2, 3], &device);
}

/// Compares the gradient of ½·Σ f(x)² and the adjoint of f with what f says itself.
#[track_caller]
fn check_gradient<const I: usize, const O: usize>(dims: [usize; I], device: &Device, f: impl Fn(Tensor<I>) -> Result<Tensor<O>>) {
    let (data, with_gradients) = (noise(dims.iter().product(), 7), device.clone().autodiff());
    let x = tensor(&data, dims, &with_gradients).require_grad();
    let y = f(x.clone()).unwrap();
    let gradients = (y.clone().powi_scalar(2).sum() * 0.5).backward();
    let gradient = numbers(&x.grad(&gradients).unwrap());
    let loss = |data: &[f32]| {
        let y = numbers(&f(tensor(data, dims, device)).unwrap());
        dot(&y, &y) / 2.0
    };
    let largest = gradient.iter().fold(0.0, |largest: f64, own| largest.max(own.abs()));
    for i in [0, 1, data.len() / 2, data.len() / 2 + 1, data.len() - 1] {
        let i = i.min(data.len() - 1);
        let [mut before, mut after] = [data.clone(), data.clone()];
        (before[i], after[i]) = (data[i] - 0.5, data[i] + 0.5);
        // Exact for a square, up to rounding.
        let difference = (loss(&after) - loss(&before)) / f64::from(after[i] - before[i]);
        assert!((gradient[i] - difference).abs() < 1e-4 * largest, "element {i}: {} is not {difference}", gradient[i]);
    }

    // ⟨f(x), v⟩ = ⟨x, f*(v)⟩
    let v = random(y.dims(), 8, &with_gradients);
    let gradients = (f(x.clone()).unwrap() * v.clone()).sum().backward();
    let adjoint = numbers(&x.grad(&gradients).unwrap());
    let [x, y, v] = [numbers(&x), numbers(&y), numbers(&v)];
    let (left, right) = (dot(&y, &v), dot(&x, &adjoint));
    let size = (dot(&y, &y) * dot(&v, &v)).sqrt();
    assert!((left - right).abs() < 2e-7 * size, "{left} is not {right}, of {size}");
}

#[test]
fn gradients_of_transforms_are_those_of_differences() {
    let Some(device) = device() else { return };
    for norm in [Norm::Backward, Norm::Ortho, Norm::Forward] {
        check_gradient([3, 20, 2], &device, |x| fft(x, &[-1], norm));
        check_gradient([9, 5, 2], &device, |x| ifft(x, &[0, 1], norm));
        for n in [16, 21, 23] {
            check_gradient([2, n], &device, |x| rfft::<2, 3>(x, &[-1], norm));
            check_gradient([2, n / 2 + 1, 2], &device, |x| irfft::<3, 2>(x, &[-1], n, norm));
            check_gradient([n, 3], &device, |x| rfft::<2, 3>(x, &[0], norm));
            check_gradient([n / 2 + 1, 3, 2], &device, |x| irfft::<3, 2>(x, &[0], n, norm));
        }
        check_gradient([2, 6, 3, 5], &device, |x| rfft::<4, 5>(x, &[3, 1], norm));
        for kind in [RealKind::DctI, RealKind::DctII, RealKind::DctIII, RealKind::DctIV, RealKind::DstII, RealKind::Hartley] {
            check_gradient([2, 15], &device, |x| dct(x, kind, &[-1], norm));
            check_gradient([8, 3], &device, |x| idct(x, kind, &[0], norm));
        }
    }
}

#[test]
fn gradients_of_convolutions_are_those_of_differences() {
    let Some(device) = device() else { return };
    fn check<const D: usize, const K: usize>(dims: [usize; D], taps: [usize; K], device: &Device) {
        // A tensor is on the autodiff device where the other one is.
        let other =
            |on: Device, is_signal: bool| if is_signal { (Some(random(dims, 9, &on)), None) } else { (None, Some(random(taps, 10, &on))) };
        for mode in [Mode::Full, Mode::Same, Mode::Valid] {
            check_gradient(dims, device, |x| convolve(x.clone(), other(x.device(), false).1.unwrap(), mode));
            check_gradient(taps, device, |w| convolve(other(w.device(), true).0.unwrap(), w, mode));
        }
    }
    check([30], [7], &device);
    check([3, 16], [4], &device);
    check([2, 9, 8], [3, 4], &device);

    // Both gradients at once, and that of the kernel alone where the signal has no autodiff.
    let with_gradients = device.clone().autodiff();
    let (x, w) = (random([4, 12], 11, &with_gradients).require_grad(), random([3], 12, &with_gradients).require_grad());
    let constant = random([4, 12], 11, &device);
    let of_constant = convolve(constant, w.clone(), Mode::Full).unwrap().sum().backward();
    assert_close(&w.grad(&of_constant).unwrap(), &[numbers(&x).iter().sum(); 3]);
    let gradients = convolve(x.clone(), w.clone(), Mode::Full).unwrap().sum().backward();
    let sum = |numbers: Vec<f64>| numbers.iter().sum::<f64>();
    let of_signal = vec![sum(numbers(&w)); 48];
    assert_close(&x.grad(&gradients).unwrap(), &of_signal);
    assert_close(&w.grad(&gradients).unwrap(), &[sum(numbers(&x)); 3]);
}

#[test]
fn tensors_need_not_be_contiguous() {
    let Some(device) = device() else { return };
    let x = random([40, 24], 13, &device);
    let expected = |x: &Tensor<2>| {
        let copy = tensor(&x.to_data().try_to_vec::<f32>().unwrap(), x.dims(), &x.device());
        numbers(&rfft::<2, 3>(copy, &[-1], Norm::Backward).unwrap())
    };
    let views = [
        x.clone().transpose(),
        x.clone().slice([3..17, 1..24]),
        // It begins at a multiple of 256 bytes.
        x.clone().slice([8..16, 0..24]),
        x.clone().slice([7..8, 0..24]).expand([5, 24]),
        x.clone().flip([1]),
    ];
    for view in views {
        let expected = expected(&view);
        assert_close(&rfft::<2, 3>(view, &[-1], Norm::Backward).unwrap(), &expected);
    }
    check_gradient([6, 10], &device, |x| rfft::<2, 3>(x.transpose(), &[-1], Norm::Backward));
}

#[test]
fn transforms_and_burns_own_operations_run_in_order() {
    let Some(device) = device() else { return };
    for round in 0..20 {
        let x = random([5, 96, 2], round, &device);
        let mut y = x.clone();
        for _ in 0..8 {
            // What burn has pending before it, and what comes behind it in the same memory.
            let z = y * 3.0 + 1.0;
            y = (ifft(fft(z, &[-1], Norm::Backward).unwrap() * 2.0, &[-1], Norm::Backward).unwrap() * 0.5 - 1.0) / 3.0;
        }
        let error = error(&numbers(&y), &numbers(&x));
        assert!(error < 1e-5, "round {round}: the error is {error:e}");
    }
}

#[test]
fn tensors_of_other_threads_are_there() {
    let Some(device) = device() else { return };
    for round in 0..10 {
        let own = device.clone();
        let (x, y) = std::thread::spawn(move || {
            let x = random([3, 500, 2], 100 + round, &own);
            let y = fft(x.clone() * 2.0, &[1], Norm::Ortho).unwrap() + 1.0;
            (x, y)
        })
        .join()
        .unwrap();
        assert_close(&ifft(y - 1.0, &[1], Norm::Ortho).unwrap(), &numbers(&(x * 2.0)));
    }
}

#[test]
fn what_cannot_be_computed_is_an_error() {
    let Some(device) = device() else { return };
    #[track_caller]
    fn refused<const D: usize>(result: Result<Tensor<D>>, why: &str) {
        let error = result.expect_err(why).to_string();
        assert!(error.contains(why), "{error}");
    }
    let (x, z) = (random([4, 6], 14, &device), random([4, 6, 2], 15, &device));
    let backward = Norm::Backward;
    refused(fft(x.clone(), &[-1], backward), "the last of two or more axes must have length 2");
    refused(fft(random([2], 16, &device), &[0], backward), "a complex tensor of [2]");
    refused(fft(z.clone(), &[2], backward), "axis 2 must be from -2 to 1");
    refused(fft(z.clone(), &[0, -2], backward), "axis 0 is named twice");
    refused(rfft::<2, 3>(x.clone(), &[], backward), "no axis is named");
    refused(rfft::<2, 4>(x.clone(), &[1], backward), "a result of 4 axes is not supported: the spectrum has the shape [4, 4, 2]");
    refused(irfft::<3, 2>(z.clone(), &[1], 12, backward), "expected 7 elements, got 6");
    refused(dct(random([3, 1], 17, &device), RealKind::DctI, &[1], backward), "dct1");
    let refusal = "with the axes between and behind them, these are 4, and at most 3 are possible";
    refused(dct(random([2; 4], 18, &device), RealKind::DctII, &[0, 2], backward), refusal);
    refused(rfft::<4, 5>(random([2; 4], 18, &device), &[0, 1, 2, 3], backward), refusal);
    refused(convolve(x.clone(), random([2, 2, 2], 19, &device), Mode::Full), "a kernel of 3 axes");
    refused(rfft::<2, 3>(x.clone().cast(FloatDType::F16), &[1], backward), "a transform of a tensor of F16");
    assert_eq!(x.dtype(), DType::F32);
    let without_taps = convolve(x.clone(), Tensor::<1>::zeros([0], &device), Mode::Full);
    assert!(matches!(without_taps, Err(Error::Empty { .. })), "{without_taps:?}");
    for dims in [[0, 6], [4, 0]] {
        let empty = || Tensor::<2>::zeros(dims, &device);
        assert!(matches!(rfft::<2, 3>(empty(), &[1], backward), Err(Error::Empty { .. })), "{dims:?}");
        assert!(matches!(dct(empty(), RealKind::DctII, &[0], backward), Err(Error::Empty { .. })), "{dims:?}");
        assert!(matches!(convolve(empty(), random([3], 20, &device), Mode::Same), Err(Error::Empty { .. })), "{dims:?}");
    }
}

#[test]
fn a_device_must_be_registered() {
    let Some(_) = device() else { return };
    // Another device of the same adapter, which burn opens by itself.
    let Ok((other, setup)) = Device::wgpu_options().device_kind(burn::tensor::DeviceKind::Cpu).init_with_setup() else { return };
    let x = random([2, 8], 21, &other);
    let error = rfft::<2, 3>(x.clone(), &[1], Norm::Backward).unwrap_err().to_string();
    assert!(error.contains("open it by wgpu_fft_burn::init"), "{error}");
    register(&other, Planner::new(&Gpu::from_wgpu(setup.device, setup.queue)));
    let spectrum: Tensor<3> = rfft(x.clone(), &[1], Norm::Backward).unwrap();
    assert_close(&irfft::<3, 2>(spectrum, &[1], 8, Norm::Backward).unwrap(), &numbers(&x));

    let kernel = random([3], 22, &device().unwrap());
    let error = convolve(x, kernel, Mode::Same).unwrap_err().to_string();
    assert!(error.contains("both must be on one device"), "{error}");
}

/// A graph would leave the transform out.
#[test]
fn graphs_of_burns_own_kernels_refuse_transforms() {
    let Some(device) = device() else { return };
    let x = random([3, 20], 23, &device);
    let result = std::panic::catch_unwind(|| {
        let graph = burn::tensor::capture(&device, || rfft::<2, 3>(x.clone(), &[1], Norm::Ortho).unwrap() * 2.0);
        graph.output().to_data()
    });
    let message = *result.expect_err("it is refused").downcast::<String>().unwrap();
    assert!(message.contains("burn's graphs record nothing but its own kernels"), "{message}");
}
