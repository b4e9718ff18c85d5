//! Properties of every Fourier transform: forward and inverse cancel, NaNs stay in their rows, and
//! the comparisons themselves can fail.

use wgpu_fft::fft::{C2c, Scale};
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::{Complex32, Planner};

use crate::cases::*;
use crate::harness::*;

pub fn forward_and_inverse_lead_back(device: &Device) {
    let input = complex_noise(240 * 128, 1);
    let there = device.planner.plan(C2c::forward([240, 128]).transposed()).unwrap();
    let back = device.planner.plan(C2c::inverse([128, 240]).transposed().scale(Scale::InvLen)).unwrap();
    let spectrum = there.run(&input).unwrap().wait().unwrap();
    let output = back.run(&spectrum).unwrap().wait().unwrap();
    assert_close(&output, &wide(&input), 2.0 * fft_budget(input.len()), &device.name);
}

/// In a row computed in one pass, by a convolution, and in several passes.
pub fn not_a_number_stays_in_its_row(device: &Device) {
    for recipe in [
        "axis 0: stockham 16.16 lanes=16 lines=3",
        "axis 0: radix2 rows=3 lanes=16",
        "axis 0 bluestein 512: stockham 8.8.8 lanes=64",
        "axis 0: stockham 16 lanes=1 lines=16 + stockham 16 lanes=1 lines=8",
    ] {
        let plan = device.planner.plan_with(C2c::forward(256).batch(5), recipe.parse().unwrap()).unwrap();
        let clean = complex_noise(5 * 256, 4);
        let expected = plan.run(&clean).unwrap().wait().unwrap();
        let mut input = clean.clone();
        input[256 + 7].re = f32::NAN;
        input[3 * 256 + 9].im = f32::INFINITY;
        let output = run_guarded(device, &plan, &input);
        let context = format!("{}: {recipe}", device.name);
        for row in [0, 2, 4] {
            assert_equal_bits(&output[row * 256..][..256], &expected[row * 256..][..256], &context);
        }
        assert!(output[256..512].iter().all(|z| z.re.is_nan() && z.im.is_nan()), "{context}");
        assert!(output[768..1024].iter().all(|z| !z.re.is_finite() && !z.im.is_finite()), "{context}");
    }
}

pub fn equal_plans_give_equal_bits(device: &Device) {
    for shape in [vec![1000], vec![10_007], vec![30, 40]] {
        let case = Case::new(Kind::Forward, &shape).batch(2);
        let input = case.noise();
        let [first, second] = [(); 2].map(|()| case.run(&device.with_planner(Planner::new(device.gpu())), &input).remove(0));
        assert_equal_bits(&first.output, &second.output, &first.on);
    }
}

pub fn the_comparison_can_fail() {
    for kind in KINDS {
        let case = Case::new(kind, &[64]);
        let input = case.noise();
        let expected = case.transform::<Complex64>(&input);
        let right: Vec<Complex32> = expected.iter().map(|z| Complex32::new(z.re as f32, z.im as f32)).collect();
        assert!(relative_error(&right, &expected) < fft_budget(64) / 4.0);
        let mut wrong = right.clone();
        wrong[20].re = f32::NAN;
        assert_eq!(relative_error(&wrong, &expected), f64::INFINITY);
        wrong[20] = right[21];
        assert!(relative_error(&wrong, &expected) > fft_budget(64));
        let sloppy: Vec<Complex32> = right.iter().map(|z| z * (1.0 + 1e-6)).collect();
        assert!(relative_error(&sloppy, &expected) > fft_budget(64));
    }
    let case = Case::new(Kind::Forward, &[64]);
    let expected = case.transform::<Complex64>(&case.noise());
    let inverse = Case::new(Kind::Inverse, &[64]).transform::<Complex64>(&case.noise());
    assert!(relative_error(&inverse, &expected) > 0.1);
    // In three axes, an omitted axis is noticed as well.
    let case = Case::new(Kind::Forward, &[4, 6, 5]);
    let some = case.clone().axes(&[0, 2]).transform::<Complex64>(&case.noise());
    assert!(relative_error(&some, &case.transform::<Complex64>(&case.noise())) > 0.1);
}

/// A tally fails if one case exceeds its bound, if one is much worse than rustfft, or if there is no
/// case.
pub fn the_tally_can_fail() {
    let right = Outcome { what: "right".to_owned(), error: 1e-7, bound: 2e-7, bluestein: false };
    let fails = |wrong: Outcome, theirs: Option<f64>| {
        let tally = Tally::named("a tally that should fail");
        tally.add(&right, None);
        tally.add(&wrong, theirs);
        std::panic::catch_unwind(|| tally.finish()).is_err()
    };
    assert!(!fails(right.clone(), Some(1e-7)));
    assert!(fails(Outcome { error: 2.1e-7, ..right.clone() }, None));
    assert!(fails(Outcome { error: f64::INFINITY, ..right.clone() }, None));
    assert!(fails(Outcome { error: 1.6e-7, ..right.clone() }, Some(1e-7)));
    assert!(std::panic::catch_unwind(|| Tally::named("a tally without a case").finish()).is_err());
}
