//! Transforms from real numbers and to real numbers.

use wgpu_fft::Spec;
use wgpu_fft::fft::{C2r, R2c, R2r, RealKind, Scale};
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
            let before = case.run(device, &input).remove(0).output;
            for row in input.chunks_mut(n / 2 + 1) {
                row[0].im = 1e9;
                if n % 2 == 0 {
                    row[n / 2].im = f64::NAN;
                }
            }
            let after = case.run(device, &input).remove(0);
            assert_equal_bits(&after.output, &before, &after.on);
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

/// With the default recipes, rows do not influence each other: neither a NaN nor the rounding error
/// of a row with large values reaches another row, whatever the length.
pub fn rows_stay_apart(device: &Device) {
    let device = &device.alone();
    for n in device.share([15, 65, 74, 120, 1001, 4098, 8210], 2, 0) {
        let half = n / 2 + 1;
        let reals = noise(4 * n, 12);
        let there = R2c::forward(n).batch(4);
        apart(device, &there, &reals, [n, half], |x, loud| if loud { 1e9 * x } else { f32::NAN });
        let spectra = complex_noise(4 * half, 13);
        apart(device, &C2r::inverse(n).batch(4), &spectra, [half, n], |z, loud| if loud { 1e9 * z } else { Complex32::new(f32::NAN, 0.0) });
        for kind in [RealKind::DctII, RealKind::DstIII, RealKind::Hartley] {
            apart(device, &R2r::new(kind, n).batch(4), &reals, [n, n], |x, loud| if loud { 1e9 * x } else { f32::NAN });
        }
    }
    // Pictures of a batch, whose rows another axis mixes.
    let pictures = noise(4 * 15 * 21, 14);
    apart(device, &R2c::forward([15, 21]).batch(4), &pictures, [15 * 21, 15 * 11], |x, loud| if loud { 1e9 * x } else { f32::NAN });
}

/// Of four rows, one becomes loud and one has a NaN. The other ones keep their bits.
fn apart<S: Spec>(device: &Device, spec: &S, clean: &[S::Input], [from, to]: [usize; 2], spoil: impl Fn(S::Input, bool) -> S::Input) {
    let mut loud = clean.to_vec();
    loud[from..2 * from].iter_mut().for_each(|x| *x = spoil(*x, true));
    loud[3 * from + from / 2] = spoil(loud[3 * from + from / 2], false);
    let plan = device.planner.plan(spec.clone()).unwrap_or_else(|error| panic!("{}: `{spec}`: {error}", device.name));
    let [quiet, output] = [clean, &loud].map(|input| plan.run(input).unwrap().wait().unwrap());
    for row in [0, 2] {
        assert_equal_bits(&output[row * to..][..to], &quiet[row * to..][..to], &format!("{}: `{spec}`", device.name));
    }
    let last: Vec<f32> = bytemuck::pod_collect_to_vec(&output[3 * to..]);
    assert!(last.iter().any(|x| x.is_nan()), "{}: `{spec}`", device.name);
}
