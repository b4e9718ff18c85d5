//! Arrays of f16 and bf16 in Fourier transforms, run on the host.

use wgpu_fft::fft::{C2c, C2r, R2c, Scale};
use wgpu_fft::half::{bf16, f16};
use wgpu_fft::low_level::recipes::fft::Recipe;
use wgpu_fft::num_complex::{Complex, Complex64};
use wgpu_fft::{Complex32, Error, Fragment, Program, Spec, bytemuck};

use crate::halves::{Half, IN_TWOS, TEXTS, check, check_in_twos, check_mixed, compare, numbers};
use crate::lists::share;
use crate::recipes_by_hand::{COMPLEX, REAL};
use crate::reference::{bound_of, dft};
use crate::sanitized;
use crate::variants::{profiles, profiles_of};

#[test]
fn short_transforms_round_once() {
    for n in 1..=40 {
        for profile in profiles_of(&n) {
            check::<f16>(&profile, &format!("c2c fwd {n} x3"), None);
            check::<f16>(&profile, &format!("c2c inv {n} x2 in-place"), None);
            check::<f16>(&profile, &format!("r2c fwd {n} x3"), None);
            check::<f16>(&profile, &format!("c2r inv {n} x3"), None);
            check::<bf16>(&profile, &format!("c2r inv {n} x3 in-place"), None);
            check::<bf16>(&profile, &format!("r2c fwd {n} x2 in-place"), None);
        }
    }
}

#[test]
fn every_kind_of_transform_rounds_once() {
    for text in TEXTS {
        for profile in profiles_of(text) {
            check::<f16>(&profile, text, None);
            check::<bf16>(&profile, text, None);
        }
    }
    for profile in profiles() {
        check_mixed::<f16>(&profile);
        check_mixed::<bf16>(&profile);
    }
}

#[test]
fn recipes_by_hand_round_once() {
    let profile = &profiles()[0];
    let name = |shape: &[usize]| shape.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
    for (shape, recipes) in COMPLEX {
        for (i, recipe) in share(recipes.iter().enumerate(), 2, shape[0] / 2).filter(|(_, recipe)| !recipe.contains("transpose")) {
            let end = if i % 2 == 0 { "" } else { " in-place" };
            check::<f16>(profile, &format!("c2c fwd {} x3{end}", name(shape)), Some(recipe));
        }
    }
    for (shape, recipes) in REAL {
        for (recipes, kind) in recipes.iter().zip(["r2c fwd", "c2r inv"]) {
            for (i, recipe) in recipes.iter().enumerate() {
                let end = if i % 2 == 0 { "" } else { " in-place" };
                check::<f16>(profile, &format!("{kind} {} x3{end} rows-may-mix", name(shape)), Some(recipe));
            }
        }
    }
}

#[test]
fn accesses_of_two_numbers_keep_every_bit() {
    for profile in [&profiles()[0], &profiles()[3]] {
        for (text, recipe) in IN_TWOS {
            check_in_twos::<f16>(profile, text, recipe);
            check_in_twos::<bf16>(profile, text, recipe);
        }
    }
    // In parts and in several bindings.
    let small = profiles().remove(0).with(|profile| {
        profile.binding_bytes = 256;
        profile.storage_buffers = 16;
    });
    for (text, recipe) in [
        ("c2c fwd 16 x8", "axis 0: stockham 4.4 lanes=2 lines=2 width=2"),
        ("c2c inv 16 x8 in-place", "axis 0: stockham 4.4 lanes=2 lines=2 width=2"),
        ("c2c fwd 8x20 axes=0", "axis 0: stockham 4.2 lanes=2 lines=4 width=2"),
        ("c2c fwd 8x4 x6 axes=0", "axis 0: stockham 4.2 lanes=2 lines=4 width=2"),
    ] {
        check::<f16>(&small, text, Some(recipe));
        check::<bf16>(&small, text, Some(recipe));
    }
}

/// Arrays in parts and in several bindings.
#[test]
fn large_arrays_round_once() {
    let profile = profiles().remove(0).with(|profile| {
        profile.binding_bytes = 256;
        profile.storage_buffers = 16;
    });
    for text in
        ["c2c fwd 16 x8", "c2c inv 16 x8 in-place", "r2c fwd 16 x15", "r2c fwd 16 x8 in-place", "c2r inv 16 x15", "c2r inv 16 x8 in-place"]
    {
        check::<f16>(&profile, text, Some("axis 0: stockham 4.4 lanes=4 lines=2"));
    }
    for text in ["c2r inv 15 x21 rows-may-mix", "r2c fwd 15 x21 rows-may-mix", "c2r inv 15 x8 in-place rows-may-mix"] {
        check::<f16>(&profile, text, Some("axis 0 pairs: stockham 5.3 lanes=3 lines=2"));
        check::<bf16>(&profile, text, Some("axis 0: stockham 5.3 lanes=3 lines=2"));
    }
}

/// The relative error of a spectrum against f64.
fn error<T: Half>(actual: &[T], expected: &[Complex64]) -> f64 {
    let expected = expected.iter().flat_map(|z| [z.re, z.im]);
    let (mut difference, mut norm) = (0.0, 0.0);
    for (actual, expected) in actual.iter().zip(expected) {
        difference += (f64::from(actual.wide()) - expected).powi(2);
        norm += expected.powi(2);
    }
    (difference / norm).sqrt()
}

/// The documented bounds: 2⁻¹¹ or 2⁻⁸ for each time that numbers are stored.
#[test]
fn errors_are_at_most_one_rounding_for_each_array() {
    fn of<T: Half>(shape: &[usize]) {
        let n: usize = shape.iter().product();
        let numbers = numbers::<T>(2 * n, 5);
        let input: Vec<T::Complex> = bytemuck::pod_collect_to_vec(&numbers);
        let mut expected: Vec<Complex64> = numbers.chunks(2).map(|z| Complex64::new(z[0].wide().into(), z[1].wide().into())).collect();
        dft(&mut expected, shape, &(0..shape.len()).collect::<Vec<_>>(), false);
        expected.iter_mut().for_each(|z| *z /= (n as f64).sqrt());
        let spec = C2c::forward(shape).scale(Scale::InvSqrtLen).input_as::<T::Complex>().output_as::<T::Complex>();
        for profile in profiles() {
            let mut errors = Vec::new();
            for (spec, roundings) in [(spec.clone(), 1), (spec.clone().between_axes_as::<T::Complex>(), shape.len())] {
                let program = spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap();
                let actual: Vec<T::Complex> = sanitized::run(&program, &[&input], 1, 1);
                let actual: Vec<T> = bytemuck::pod_collect_to_vec(&actual);
                let error = error(&actual, &expected);
                assert!(error < roundings as f64 * T::U + bound_of(shape.iter().copied()), "{spec}: {error} by {program}");
                // It is far from the accuracy of f32, so it is these roundings that were measured.
                assert!(error > 0.2 * T::U, "{spec}: {error} by {program}");
                errors.push(error);
            }
            assert!(shape.len() == 1 || errors[1] > 1.1 * errors[0], "rounding between axes is not seen: {errors:?}");
        }
    }
    of::<f16>(&[256]);
    of::<f16>(&[24, 60]);
    of::<f16>(&[8, 12, 10]);
    of::<bf16>(&[24, 60]);
}

fn lowered<S: Spec<Recipe = Recipe>>(spec: &S) -> Result<Program, Error> {
    let profile = &profiles()[0];
    spec.lower(&spec.design(profile)?, profile)
}

/// Two axes with 16 bits between them move half the bytes, and need no workspace.
#[test]
fn what_lies_between_axes() {
    let full = C2c::forward([64, 64]);
    let halves = full.clone().input_as::<Complex<f16>>().output_as::<Complex<f16>>();
    assert_eq!(lowered(&full).unwrap().workspace_bytes(), 0);
    assert_eq!(lowered(&halves).unwrap().workspace_bytes(), 8 * 64 * 64);
    let all_halves = halves.clone().between_axes_as::<Complex<f16>>();
    assert_eq!(lowered(&all_halves).unwrap().workspace_bytes(), 0);
    assert_eq!(lowered(&halves.in_place()).unwrap().workspace_bytes(), 8 * 64 * 64);
    assert_eq!(lowered(&all_halves.in_place()).unwrap().workspace_bytes(), 0);
    // Real transforms with 16 bits between their axes.
    for profile in profiles() {
        let r2c = R2c::forward([12, 20]).batch(2);
        let own = r2c.clone().input_as::<f16>().output_as::<Complex<f16>>().between_axes_as::<Complex<f16>>();
        for spec in [own.clone(), own.in_place()] {
            let program = spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap();
            assert_eq!(program.workspace_bytes(), 0, "{program}");
        }
        let c2r = C2r::inverse([12, 20]).batch(2).scale(Scale::InvLen);
        let own = c2r.input_as::<Complex<f16>>().output_as::<f16>().between_axes_as::<Complex<f16>>();
        for spec in [own.clone(), own.in_place()] {
            let program = spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap();
            let ones = vec![Complex { re: f16::ONE, im: f16::ZERO }; program.inputs()[0].len];
            let impulse: Vec<f16> = sanitized::run(&program, &[&ones], 1, 1);
            // A spectrum of ones is that of an impulse.
            let pitch = if program.inputs()[0].len == program.output().len / 2 { 22 } else { 20 };
            for (i, x) in impulse.iter().enumerate().filter(|(i, _)| i % pitch < 20) {
                let expected = if i % (12 * pitch) == 0 { 1.0 } else { 0.0 };
                assert!((x.to_f32() - expected).abs() < 2e-3, "{spec}: {i} is {x}");
            }
        }
    }
}

/// A constant of 1 has a sum that f16 cannot hold. Scaled, it stays in range, also between axes.
#[test]
fn scaled_sums_stay_in_range() {
    let ones = vec![Complex { re: f16::from_f32(8.0), im: f16::ZERO }; 128 * 128];
    let spec = C2c::forward([128, 128]).input_as::<Complex<f16>>().output_as::<Complex<f16>>().between_axes_as::<Complex<f16>>();
    for profile in profiles() {
        let run = |scale| -> f16 {
            let spec = spec.clone().scale(scale);
            let program = spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap();
            sanitized::run::<_, Complex<f16>>(&program, &[&ones], 1, 1)[0].re
        };
        assert_eq!(run(Scale::One), f16::INFINITY);
        assert_eq!(run(Scale::InvSqrtLen), f16::from_f32(1024.0));
        assert_eq!(run(Scale::InvLen), f16::from_f32(8.0));
    }
}

/// NaN, infinities, ties and subnormal numbers as a host rounds them.
#[test]
fn special_values_are_rounded_like_on_a_host() {
    fn of<T: Half>() {
        let one = T::U as f32;
        let values = [
            0.0,
            -0.0,
            1.0 + one,
            1.0 + 3.0 * one,
            1.0 + one * 1.001,
            -1.0 - one,
            65504.0,
            65519.9,
            65520.0,
            1e9,
            3.3e38,
            f32::MAX,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            f32::from_bits(0x7fff_ffff),
            f32::from_bits(0xffff_ffff),
            6.1e-5,
            6.0e-5,
            5.97e-8,
            2.99e-8,
            2.97e-8,
        ];
        for x in values {
            let spec = C2c::forward(1).output_as::<T::Complex>();
            let profile = &profiles()[0];
            let program = spec.lower(&spec.design(profile).unwrap(), profile).unwrap();
            let actual: Vec<T::Complex> = sanitized::run(&program, &[&[Complex32::new(x, 1.0)]], 1, 1);
            let actual: Vec<T> = bytemuck::pod_collect_to_vec(&actual);
            let expected = T::of(x);
            let same = actual[0].bits() == expected.bits() || x.is_nan() && actual[0].wide().is_nan();
            assert!(same, "of {x}: {:x} and {:x}", actual[0].bits(), expected.bits());
        }
    }
    of::<f16>();
    of::<bf16>();
}

/// A fragment sees the same values, whatever the array holds, and decides what it holds if it is
/// given last.
#[test]
fn fragments_on_such_a_side() {
    for profile in profiles() {
        let doubled = || Fragment::new("value * f32(1u + i0)");
        let full = C2c::forward(60).batch(2).map_input::<Complex32>(doubled()).unwrap().map_output::<Complex32>(doubled()).unwrap();
        compare::<f16, _, _>(&profile, &full, &full.clone().input_as::<Complex<f16>>().output_as::<Complex<f16>>(), None);
        let later = C2c::forward(60).batch(2).input_as::<Complex<bf16>>().output_as::<Complex<bf16>>();
        let later = later.map_input::<Complex<f16>>(doubled()).unwrap().map_output::<Complex<f16>>(doubled()).unwrap();
        compare::<f16, _, _>(&profile, &full, &later, None);
        let in_place = full.clone().in_place();
        compare::<f16, _, _>(&profile, &in_place, &later.in_place(), None);
        // Rows of reals, of even and odd length.
        for n in [20, 15] {
            let scaled = || Fragment::new("value * f32(1u + i1)");
            let full = R2c::forward([6, n]).map_input::<f32>(scaled()).unwrap();
            compare::<f16, _, _>(&profile, &full, &full.clone().input_as::<f16>().output_as::<Complex<f16>>(), None);
            let full = C2r::inverse([6, n]).map_output::<f32>(scaled()).unwrap();
            compare::<bf16, _, _>(&profile, &full, &full.clone().input_as::<Complex<bf16>>().output_as::<bf16>(), None);
        }
    }
}

#[test]
fn they_print_and_parse() {
    let spec = C2c::forward([512, 512]).input_as::<Complex<f16>>().output_as::<Complex<bf16>>().between_axes_as::<Complex<f16>>();
    let text = "c2c fwd 512x512 in-as=complex-f16 between-as=complex-f16 out-as=complex-bf16";
    assert_eq!(spec.to_string(), text);
    assert_eq!(text.parse(), Ok(spec.clone()));
    let real = R2c::forward([4, 6]).input_as::<bf16>();
    assert_eq!(real.to_string(), "r2c fwd 4x6 in-as=bf16");
    assert_eq!(real.to_string().parse(), Ok(real.clone()));
    // f32 is what they are without it.
    assert_eq!(real.input_as::<f32>(), R2c::forward([4, 6]));
    assert_eq!(spec.input_as::<Complex32>().output_as::<Complex32>().between_axes_as::<Complex32>(), C2c::forward([512, 512]));
    let wrong = [
        ("c2c fwd 8 in-as=complex-f16", "has an input of complex f32"),
        ("c2c fwd 8 out-as=complex-f16", "has an output of complex f32"),
        ("c2c fwd 8 in-as=f16", "expected complex-f16 or complex-bf16"),
        ("c2c fwd 8 between-as=f16", "expected complex-f16 or complex-bf16"),
    ];
    for (text, why) in wrong {
        let error = text.parse::<C2c>().unwrap_err().to_string();
        assert!(error.contains(why), "{text}: {error}");
    }
    let error = "r2c fwd 8 in-as=complex-f16".parse::<R2c<f16>>().unwrap_err().to_string();
    assert!(error.contains("expected f16 or bf16"), "{error}");
    assert!("r2c fwd 8".parse::<R2c<f16>>().is_err());
}

#[test]
fn what_is_refused() {
    let mixed = C2c::forward(8).in_place().input_as::<Complex<f16>>();
    let error = lowered(&mixed).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }) && error.to_string().contains("two kinds of numbers in place"), "{error}");
    let mapped = C2c::forward(8).in_place().map_input::<[f16; 2]>(Fragment::new("value")).unwrap();
    assert!(lowered(&mapped).unwrap_err().to_string().contains("two kinds of numbers in place"));
    // The kernel `fft/lanes` computes with numbers of f32, which another pass makes of those of 16
    // bits at the ends, but not between two axes.
    let pass = "lanes 8.8 lanes=1 width=1 invocations=32";
    let lanes: Recipe = format!("axis 1: {pass}; axis 0: {pass}").parse().unwrap_or_else(|error| panic!("{error}"));
    let spec = C2c::forward([64, 64]);
    let profile = &profiles()[1];
    let passes = |program: &Program| program.to_string().matches(" workgroups of ").count();
    assert_eq!(passes(&spec.lower(&lanes, profile).unwrap()), 2);
    let halves = spec.input_as::<Complex<f16>>().output_as::<Complex<f16>>();
    assert_eq!(passes(&halves.lower(&lanes, profile).unwrap()), 4);
    assert!(matches!(halves.between_axes_as::<Complex<f16>>().lower(&lanes, profile), Err(Error::UnfitRecipe { .. })));
    // What f32 refuses is refused as well.
    let empty = C2c::forward(0).output_as::<Complex<f16>>();
    assert!(matches!(lowered(&empty), Err(Error::Empty { .. })));
}

/// Columns of large arrays are taken in twos on a GPU, as measured; rows and small arrays are not.
#[test]
fn large_columns_are_taken_in_twos() {
    let gpu = profiles().into_iter().find(|profile| profile.name == "H200").unwrap();
    let recipe = |shape: &[usize], batch| {
        let spec = C2c::forward(shape).batch(batch).input_as::<Complex<f16>>().output_as::<Complex<f16>>();
        spec.between_axes_as::<Complex<f16>>().design(&gpu).unwrap().to_string()
    };
    let wide = |text: &str| text.matches("width=2").count();
    let large = recipe(&[4096, 4096], 1);
    assert!(large.contains("axis 0: stockham 32.8.16 lanes=128 lines=8 exchange=split pieces=4") && wide(&large) == 1, "{large}");
    let batch = recipe(&[512, 512], 64);
    assert!(batch.contains("axis 0: stockham 8.8.8 lanes=64 lines=16 exchange=split pieces=2") && wide(&batch) == 1, "{batch}");
    let cube = recipe(&[256, 256, 256], 1);
    assert!(cube.contains("stockham 16.16 lanes=16 lines=16 exchange=split pieces=2") && wide(&cube) == 2, "{cube}");
    for (shape, batch) in [(&[512, 512][..], 1), (&[4096], 16_384), (&[4096, 511], 16)] {
        let narrow = recipe(shape, batch);
        assert_eq!(wide(&narrow), 0, "{narrow}");
    }
}
