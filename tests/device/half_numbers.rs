//! Arrays of f16 and bf16 in Fourier transforms, on devices.

use wgpu_fft::Spec;
use wgpu_fft::fft::{C2c, Scale};
use wgpu_fft::half::{bf16, f16};
use wgpu_fft::low_level::recipes::fft::Adapt;
use wgpu_fft::low_level::recipes::fft::Recipe;
use wgpu_fft::num_complex::{Complex, Complex64};
use wgpu_fft::{Complex32, DeviceProfile, bytemuck};

use crate::halves::{Half, IN_TWOS, Runs, TEXTS, check, check_in_twos, check_mixed, numbers};
use crate::harness::*;
use crate::reference::dft;

impl Runs for Device {
    fn profile(&self) -> &DeviceProfile {
        self.gpu().profile()
    }

    fn run<S: Spec<Recipe = Recipe> + Adapt>(&self, spec: &S, recipe: &Recipe, input: &[S::Input]) -> Vec<S::Output> {
        let plan = self.planner.plan_with(spec.clone(), recipe.clone()).unwrap();
        run_guarded(self, &plan, input)
    }
}

pub fn they_round_once(device: &Device) {
    let device = &device.alone();
    for n in (1..=40).filter(|n| device.is_thorough() || n % 14 == 5) {
        check::<f16>(device, &format!("c2c fwd {n} x3"), None);
        check::<bf16>(device, &format!("r2c fwd {n} x3"), None);
        check::<f16>(device, &format!("c2r inv {n} x3"), None);
    }
    for (i, text) in device.share(TEXTS.iter().enumerate(), 2, 0) {
        check::<f16>(device, text, None);
        if i % 3 == 0 {
            check::<bf16>(device, text, None);
        }
    }
    check_mixed::<f16>(device);
}

pub fn accesses_of_two_numbers_keep_every_bit(device: &Device) {
    let device = &device.alone();
    for (i, (text, recipe)) in device.share(IN_TWOS.iter().enumerate(), 2, 0) {
        check_in_twos::<f16>(device, text, recipe);
        if i % 3 == 0 {
            check_in_twos::<bf16>(device, text, recipe);
        }
    }
}

pub fn long_ones_round_once(device: &Device) {
    let device = &device.alone();
    for text in ["c2c fwd 8192 x2", "c2c inv 131072 1/n in-place", "r2c fwd 131072", "c2r inv 19683 1/n", "c2c fwd 256x256"] {
        check::<f16>(device, text, None);
    }
}

/// The documented bound, with one rounding and with one for each axis.
pub fn errors_are_bounded(device: &Device) {
    for shape in [&[4096][..], &[96, 120], &[24, 20, 28]] {
        let n: usize = shape.iter().product();
        let numbers = numbers::<f16>(2 * n, 5);
        let input: Vec<Complex<f16>> = bytemuck::pod_collect_to_vec(&numbers);
        let mut expected: Vec<Complex64> = input.iter().map(|z| Complex64::new(z.re.into(), z.im.into())).collect();
        dft(&mut expected, shape, &(0..shape.len()).collect::<Vec<_>>(), false);
        expected.iter_mut().for_each(|z| *z /= (n as f64).sqrt());
        let spec = C2c::forward(shape).scale(Scale::InvSqrtLen).input_as::<Complex<f16>>().output_as::<Complex<f16>>();
        for (spec, roundings) in [(spec.clone(), 1), (spec.between_axes_as::<Complex<f16>>(), shape.len())] {
            for spec in [spec.clone(), spec.in_place()] {
                let plan = device.planner.plan(spec).unwrap();
                let actual: Vec<Complex32> =
                    run_guarded(device, &plan, &input).iter().map(|z| Complex32::new(z.re.into(), z.im.into())).collect();
                let what = format!("{}: {}", device.name, plan.spec());
                let error = assert_close(&actual, &expected, roundings as f64 * f16::U + 2e-6, &what);
                println!("{what}: {:.2} u", error / f16::U);
            }
        }
    }
}

/// Ties go to the even number. What lies beyond the range of f16 becomes no finite number. In
/// SwiftShader's conversion it changes the other number of its word, too.
pub fn special_values_are_rounded(device: &Device) {
    let values = [1.0 + 1.0 / 2048.0, 1.0 + 3.0 / 2048.0, 65504.0, 65519.0, 70_000.0, 1e9, f32::INFINITY, 6.1e-5, 1.0, 0.0];
    let values: Vec<f32> = values.iter().flat_map(|&x| [x, -x]).collect();
    for turned in [false, true] {
        let input: Vec<Complex32> = values.iter().map(|&x| if turned { Complex32::new(1.5, x) } else { Complex32::new(x, 1.5) }).collect();
        let spec = C2c::forward(1).batch(values.len());
        let plan = device.planner.plan(spec.clone().output_as::<Complex<f16>>()).unwrap();
        for (x, z) in values.iter().zip(run_guarded(device, &plan, &input)) {
            let (own, other) = if turned { (z.im, z.re) } else { (z.re, z.im) };
            let expected = f16::from_f32(*x);
            let same =
                if expected.is_finite() { own.to_bits() == expected.to_bits() && other == f16::from_f32(1.5) } else { !own.is_finite() };
            assert!(same, "{}: {x} as f16 is {own}, and 1.5 is {other}", device.name);
        }
        let plan = device.planner.plan(spec.output_as::<Complex<bf16>>()).unwrap();
        for (x, z) in values.iter().zip(run_guarded(device, &plan, &input)) {
            let own = if turned { z.im } else { z.re };
            assert_eq!(own.to_bits(), bf16::from_f32(*x).to_bits(), "{}: {x} as bf16", device.name);
        }
    }
}
