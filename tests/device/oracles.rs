//! Transforms compared with FFTW's in long double.

use wgpu_fft::Error;
use wgpu_fft::Spec;

use crate::harness::*;
use crate::oracles_by_fftw::{Number, Oracle, Runner};

impl Runner for Device {
    fn run<S: Spec<Input: Number, Output: Number>>(&self, spec: S, input: &[S::Input]) -> Option<Vec<S::Output>> {
        let plan = match self.planner.plan(spec) {
            Err(Error::Unsupported { .. }) => return None,
            plan => plan.unwrap_or_else(|error| panic!("{}: {error}", self.name)),
        };
        let output = run_guarded(self, &plan, input);
        self.planner.clear();
        Some(output)
    }
}

/// Every adapter that compiles slowly gets one of so many short transforms, and few long ones.
fn check(device: &Device, numbers: &str, step: usize) {
    let device = &device.alone();
    let (mut worst, mut count) = (0.0_f64, 0);
    for (i, oracle) in Oracle::all().iter().enumerate() {
        let own = if device.is_slow() { 2 * step } else { step };
        if !device.is_thorough() && (oracle.len() > 1 << 17 || i % own != 0) {
            continue;
        }
        let Some(error) = oracle.check(device, numbers) else { continue };
        worst = worst.max(error);
        count += 1;
    }
    println!("{}: {count} transforms{numbers}: at most {worst:.2} of the bound", device.name);
    assert!(count > 10 || numbers == " f64" && !device.gpu().profile().f64);
}

pub fn fftws_results(device: &Device) {
    check(device, "", 17);
}

pub fn fftws_results_in_f64(device: &Device) {
    check(device, " f64", 41);
}

/// The strides that rocFFT's tests use.
pub fn layouts_of_rocfft(device: &Device) {
    let device = &device.alone();
    let all = Oracle::all();
    let own: Vec<&Oracle> = all[all.len() - 6..].iter().collect();
    assert_eq!(own[0].text, "c2c fwd 512x64 x3 in=192,3/1 out=192,3/1");
    for oracle in own.into_iter().filter(|oracle| device.is_thorough() || oracle.len() < 200_000) {
        oracle.check(device, "").unwrap();
    }
}
