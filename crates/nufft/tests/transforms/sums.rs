//! Both types against the definition.

use wgpu_fft_nufft::{ModeOrder, Sign};

use crate::support::{Case, Device, seed};

pub fn lines(device: &Device) {
    for &(modes, points) in device.share(&[(1, 10), (7, 40), (50, 100), (60_000, 60), (257, 1000)]) {
        for type1 in [true, false] {
            Case::new(type1, &[modes], points, 1).check(device);
        }
    }
}

pub fn planes(device: &Device) {
    for &(modes, points) in device.share(&[([16, 15], 300), ([33, 20], 1500)]) {
        for type1 in [true, false] {
            Case::new(type1, &modes, points, 2).check(device);
            let case = Case::new(type1, &modes, points, 3);
            let sign = if type1 { Sign::Minus } else { Sign::Plus };
            Case { sign, ..case }.check(device);
        }
    }
}

pub fn volumes(device: &Device) {
    for &(modes, points) in device.share(&[([8, 9, 10], 500), ([5, 1, 21], 300)]) {
        for type1 in [true, false] {
            Case::new(type1, &modes, points, 4).check(device);
        }
    }
}

pub fn every_tolerance(device: &Device) {
    for &digits in device.share(&[1, 2, 3, 4, 6]) {
        for type1 in [true, false] {
            let modes: &[usize] = [&[40][..], &[12, 17], &[6, 7, 8]][digits as usize % 3];
            let case = Case::new(type1, modes, 500, 5);
            Case { tolerance: 10f64.powi(-digits), ..case }.check(device);
        }
    }
}

/// Shapes, numbers of points and tolerances at random.
pub fn drawn(device: &Device) {
    let mut random = fastrand::Rng::with_seed(seed());
    for _ in device.share(&[(); 6]) {
        let axes = random.usize(1..4);
        let modes: Vec<usize> = (0..axes).map(|_| random.usize(1..[200, 40, 14][axes - 1])).collect();
        let case = Case::new(random.bool(), &modes, random.usize(1..800), random.u64(..));
        let sign = if random.bool() { Sign::Plus } else { Sign::Minus };
        Case { sign, tolerance: 10f64.powf(-1.0 - 5.0 * random.f64()), ..case }.check(device);
    }
}

pub fn batches_and_orders(device: &Device) {
    for type1 in [true, false] {
        let cases = [(&[9][..], ModeOrder::Fft, 1), (&[12, 15], ModeOrder::Fft, 3), (&[9], ModeOrder::Ascending, 5)];
        for &(modes, order, batch) in device.share(&cases) {
            Case { order, batch, ..Case::new(type1, modes, 200, 6) }.with_input(7).check(device);
        }
    }
}
