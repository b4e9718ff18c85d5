//! Fourier transforms against rustfft in f64.

use wgpu_fft::fft::{C2c, Recipe};
use wgpu_fft::Complex32;

use crate::harness::*;

#[test]
fn lengths_by_default_recipe() {
    for device in devices() {
        for log2 in 0..=13 {
            let n = 1usize << log2;
            let spec = C2c::forward(n).batch(5);
            let plan = device.planner.plan(spec).unwrap();
            let data = complex_noise(5 * n, n as u64);
            let actual = run_guarded(device, &plan, &data);
            let e = assert_close(&actual, &reference_fft(&data, 1, n, false), fft_budget(n), &format!("{} {n}", device.name));
            println!("{} {n}: {:.2} of budget, {}", device.name, e / fft_budget(n), plan.recipe());
        }
    }
}
