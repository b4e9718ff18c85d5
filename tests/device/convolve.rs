//! Convolutions, compared with SciPy, and sums over channels, compared with convolutions.

use wgpu_fft::elements::Number;
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::signal::Convolve;
use wgpu_fft::{Complex32, Edge, Error, FragmentArrays, Program, With};

use crate::harness::*;
use crate::reference::{noise, relative_error};

/// `scripts/vectors.py convolve` computes the same numbers.
fn numbers(len: usize, [a, b, modulus]: [u64; 3], is_complex: bool) -> Vec<Complex32> {
    let number = |i: usize| {
        let i = i as u64;
        ((i * i * a + i * b) % modulus) as f32 / ((modulus - 1) / 2) as f32 - 1.0
    };
    (0..len).map(|i| Complex32::new(number(i), if is_complex { number(i + 5) } else { 0.0 })).collect()
}

fn number(text: &str) -> Complex64 {
    let (re, im) = text.split_once(',').unwrap_or((text, "0"));
    Complex64::new(re.parse().unwrap(), im.parse().unwrap())
}

fn check<T: Number>(device: &Device, head: &str, result: &str, of: fn(Complex32) -> T, back: fn(T) -> Complex32) {
    let spec: Convolve<T> = head.parse().unwrap_or_else(|error| panic!("{head}: {error}"));
    let mut words = result.split(' ');
    let [len, norm] = [(); 2].map(|()| words.next().unwrap());
    let (len, norm): (usize, f64) = (len.parse().unwrap(), norm.parse().unwrap());
    let samples: Vec<Complex64> = words.map(number).collect();
    let plan = device.planner.plan(spec).unwrap_or_else(|error| panic!("{head}: {error}"));
    let is_complex = T::NAME != "f32";
    let [signal, kernel] = [0, 1].map(|i| plan.program().inputs()[i].len);
    let signal: Vec<T> = numbers(signal, [7, 3, 257], is_complex).into_iter().map(of).collect();
    let kernel: Vec<T> = numbers(kernel, [5, 11, 129], is_complex).into_iter().map(of).collect();
    let output: Vec<Complex32> = plan.run((&signal, &kernel)).unwrap().wait().unwrap().into_iter().map(back).collect();
    let what = format!("{}: {head} by {}", device.name, plan.recipe());
    assert_eq!(output.len(), len, "{what}");
    let own = output.iter().map(|z| f64::from(z.norm_sqr())).sum::<f64>().sqrt();
    assert!((own - norm).abs() <= 1e-5 * norm, "norm {own} for {norm}: {what}");
    let root_mean_square = norm / (len as f64).sqrt();
    for (j, expected) in samples.iter().enumerate() {
        let own = output[j * (len - 1) / (samples.len() - 1)];
        let error = (Complex64::new(own.re.into(), own.im.into()) - expected).norm();
        assert!(error <= 1e-5 * root_mean_square, "{own} for {expected}, sample {j}: {what}");
    }
}

pub fn convolutions_by_scipy(device: &Device) {
    let all: Vec<&str> = include_str!("../data/convolve.txt").lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(all.len(), 14);
    for line in device.share(all, 2, 0) {
        let (head, result) = line.split_once(": ").unwrap();
        if head.contains("complex") {
            check::<Complex32>(device, head, result, |z| z, |z| z);
        } else {
            check::<f32>(device, head, result, |z| z.re, Complex32::from);
        }
    }
}

/// Each channel of a result is the sum of convolutions.
pub fn sums_over_channels(device: &Device) {
    let (shape, kernel, [inputs, outputs], batch) = ([37, 50], [5, 8], [3, 4], 2);
    let (pixels, taps) = (shape[0] * shape[1], kernel[0] * kernel[1]);
    let (x, w) = (noise(batch * inputs * pixels, 1), noise(outputs * inputs * taps, 2));
    let spec = || Convolve::<f32>::correlation(shape, kernel).edge(Edge::Reflect);
    let one = device.planner.plan(spec()).unwrap();
    let mut expected = vec![Complex64::default(); batch * outputs * pixels];
    for item in 0..batch * outputs {
        for channel in 0..inputs {
            let signal = (item / outputs * inputs + channel) * pixels;
            let own = (item % outputs * inputs + channel) * taps;
            let part = one.run((&x[signal..signal + pixels], &w[own..own + taps])).unwrap().wait().unwrap();
            expected[item * pixels..].iter_mut().zip(part).for_each(|(sum, part)| *sum += f64::from(part));
        }
    }
    let spec = || spec().batch(batch).channels(inputs, outputs);
    let plan = device.planner.plan(spec()).unwrap();
    let check = |output: Vec<f32>, program: &Program| {
        let error = relative_error(&output.into_iter().map(Complex32::from).collect::<Vec<_>>(), &expected);
        assert!(error <= 1e-6, "{}: {error:.1e}, {program}", device.name);
    };
    check(plan.run((&x, &w)).unwrap().wait().unwrap(), plan.program());

    // The same with the spectra of the kernels computed once.
    let gpu = device.planner.gpu();
    let (transform, spec) = spec().by_spectrum(gpu.profile()).unwrap();
    let (transform, plan) = (device.planner.plan(transform).unwrap(), device.planner.plan(spec).unwrap());
    let spectra = gpu.upload(&transform.run(&w).unwrap().wait().unwrap()).unwrap();
    let arrays = FragmentArrays::new().with("spectrum", &spectra);
    check(plan.run(With(&x, &arrays)).unwrap().wait().unwrap(), plan.program());
    assert!(matches!(plan.run(&x), Err(Error::WrongArrays { .. })));
}
