//! Transforms from real numbers and to real numbers.

use wgpu_fft::fft::{C2r, R2c, Scale};
use wgpu_fft::{Complex32, Planner};

use crate::cases::*;
use crate::harness::*;

fn both(device: &Device, tally: &Tally, shape: &[usize], batch: usize, in_place: bool) {
    for kind in [Kind::R2c, Kind::C2r] {
        tally.run(device, &Case::new(kind, shape).batch(batch).in_place(in_place));
    }
}

pub fn lengths_of_reals(device: &Device) {
    let device = &device.alone();
    let tally = Tally::new(device, "lengths of reals");
    let lengths: &[usize] = &[1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 37, 60, 64, 81, 100, 256, 509, 1000, 4096, 10_007, 1 << 15];
    for (i, &n) in lengths.iter().enumerate() {
        // An odd number of rows: the last row has no partner.
        let batch = 4096 / n + 1 - (4096 / n) % 2;
        for (kind, in_place) in [(Kind::R2c, i % 4 < 2), (Kind::C2r, i % 4 >= 2)] {
            if n < 100 || device.is_thorough() || (i % 2 == 0) == (kind == Kind::R2c) {
                tally.run(device, &Case::new(kind, &[n]).batch(batch).in_place(in_place));
            }
        }
    }
    for n in (1..=256).filter(|_| device.is_thorough()) {
        both(device, &tally, &[n], 4096 / n, n % 2 == 0);
    }
    // A single row.
    both(device, &tally, &[63], 1, false);
    tally.finish();
}

pub fn two_and_three_axes_of_reals(device: &Device) {
    let device = &device.alone();
    let tally = Tally::new(device, "two and three axes of reals");
    for (i, shape) in
        [vec![1, 8], vec![8, 1], vec![5, 6], vec![6, 5], vec![64, 48], vec![17, 134], vec![2, 3, 4], vec![3, 1, 5], vec![8, 10, 12]]
            .into_iter()
            .enumerate()
    {
        both(device, &tally, &shape, 3, i % 2 == 0);
    }
    // Only some axes, including the last.
    for kind in [Kind::R2c, Kind::C2r] {
        tally.run(device, &Case::new(kind, &[6, 10, 16]).axes(&[2]).batch(2));
        tally.run(device, &Case::new(kind, &[6, 10, 16]).axes(&[0, 2]).batch(2).in_place(true));
    }
    tally.finish();
}

/// If a number is its own mirror image, only its real part is used.
pub fn imaginary_parts_of_the_own_mirror_images_do_not_matter(device: &Device) {
    let recipes =
        ["axis 0: stockham 8.8 lanes=8", "axis 0 pairs: stockham 8.8 lanes=8", "axis 0: stockham 8 lanes=1 lines=8 + stockham 8 lanes=1"];
    for n in [1, 2, 7, 64] {
        for recipe in recipes.iter().take(if n == 64 { 3 } else { 0 }).map(|text| Some(*text)).chain([None]) {
            let case = Case::new(Kind::C2r, &[n]).batch(3);
            let case = recipe.into_iter().fold(case, Case::by);
            let mut input = case.noise();
            let (_, _, before) = case.output(device, &device.planner, &input).unwrap();
            for row in input.chunks_mut(n / 2 + 1) {
                row[0].im = 1e9;
                if n % 2 == 0 {
                    row[n / 2].im = f32::NAN;
                }
            }
            let (what, _, after) = case.output(device, &device.planner, &input).unwrap();
            assert_equal_bits(&after, &before, &what);
        }
    }
}

/// Real transforms invert each other. The spectrum of reals is the first half of the spectrum of
/// complex numbers without imaginary parts.
pub fn forward_and_inverse_of_reals_lead_back(device: &Device) {
    let planner = Planner::new(device.gpu());
    let shape = [24, 30, 40];
    let n: usize = shape.iter().product();
    let input = noise(n, 8);
    let spectrum = planner.plan(R2c::forward(shape)).unwrap().run(&input).unwrap().wait().unwrap();
    let back = planner.plan(C2r::inverse(shape).scale(Scale::InvLen)).unwrap().run(&spectrum).unwrap().wait().unwrap();
    let complex = |reals: &[f32]| reals.iter().map(|&x| Complex32::new(x, 0.0)).collect::<Vec<_>>();
    assert_close(&complex(&back), &wide(&complex(&input)), 2.0 * fft_budget(n), &device.name);
}

/// With the default recipes, rows of even length do not influence each other: neither a NaN nor the
/// rounding error of a row with large values reaches another row.
pub fn rows_of_even_length_stay_apart(device: &Device) {
    const N: usize = 120;
    let half = N / 2 + 1;
    let clean = noise(4 * N, 12);
    let mut loud = clean.clone();
    loud[N..2 * N].iter_mut().for_each(|x| *x *= 1e9);
    loud[3 * N + 5] = f32::NAN;

    let there = device.planner.plan(R2c::forward(N).batch(4)).unwrap();
    let [quiet, spectrum] = [&clean, &loud].map(|input| there.run(input).unwrap().wait().unwrap());
    for row in [0, 2] {
        assert_equal_bits(&spectrum[row * half..][..half], &quiet[row * half..][..half], &device.name);
    }
    assert!(spectrum[3 * half..].iter().all(|z| z.re.is_nan()), "{}", device.name);

    let back = device.planner.plan(C2r::inverse(N).batch(4)).unwrap();
    let [quiet, output] = [&quiet, &spectrum].map(|input| back.run(input).unwrap().wait().unwrap());
    for row in [0, 2] {
        assert_equal_bits(&output[row * N..][..N], &quiet[row * N..][..N], &device.name);
    }
}
