//! Transforms of f64 in double-single arithmetic, run on the host.

use wgpu_fft::fft::{C2c, C2r, R2c, R2r, RealKind};
use wgpu_fft::low_level::recipes::fft::Recipe;
use wgpu_fft::low_level::tune::Tunable;
use wgpu_fft::low_level::{self, precision};
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::{DeviceProfile, Error, Fragment, Program, Spec};

use crate::double::{complex_noise, noise};
use crate::f64::Host;
use crate::lists::share;
use crate::real_kinds_by_definition::transform;
use crate::sanitized::RunOnHost;
use crate::transform_cases::{Case, Kind, Run, Runner, by_hand, layouts, of_lengths, of_real_lengths, of_shapes};
use crate::variants::profiles;

const HOST: Host = Host { profiles };

/// Checks cases and prints the largest error.
fn check(cases: impl IntoIterator<Item = Case>) {
    let largest = cases.into_iter().map(|case| case.by_f32().check(&HOST)).fold(0.0, f64::max);
    println!("largest error {largest:.4} of the bound");
}

#[test]
fn every_short_length() {
    let lengths = (1..=64).chain([67, 100, 127, 169, 243, 256, 509, 512, 1000, 1009, 1024]);
    check(of_lengths(lengths));
}

#[test]
fn reals_of_short_lengths() {
    let lengths = (1..=32).chain([60, 64, 67, 134, 509, 1000]);
    check(of_real_lengths(lengths));
}

#[test]
fn long_lengths() {
    check([4096, 4099, 1 << 15].map(|n| Case::new(Kind::Forward, &[n])));
    check([Case::new(Kind::R2c, &[16_384]), Case::new(Kind::C2r, &[16_384])]);
}

#[test]
fn several_axes() {
    check(of_shapes());
}

#[test]
fn layouts_axes_and_transposes() {
    check(layouts());
}

#[test]
fn recipes_by_hand() {
    check(by_hand());
}

/// Cosine and sine transforms consist of the same steps.
#[test]
fn real_kinds() {
    let mut largest = 0.0_f64;
    for kind in [RealKind::DctII, RealKind::DstIV, RealKind::DctIV, RealKind::DstI, RealKind::DctIII, RealKind::Hartley] {
        for shape in [&[1][..], &[7], &[16], &[60], &[37], &[6, 10]] {
            let input = noise(2 * shape.iter().product::<usize>(), 5);
            let of_axes: Vec<(usize, RealKind)> = (0..shape.len()).map(|axis| (axis, kind)).collect();
            let mut expected = input.clone();
            expected.chunks_mut(shape.iter().product()).for_each(|item| transform(item, shape, &of_axes));
            let spec = R2r::by_axis(of_axes.iter().map(|&(_, kind)| kind), shape).batch(2).f64_by_f32();
            assert_eq!(spec.to_string().parse(), Ok(spec.clone()));
            for Run { output, .. } in HOST.run(&spec, None, &input) {
                let square = |x: &f64| x * x;
                let difference: f64 = output.iter().zip(&expected).map(|(a, e)| square(&(a - e))).sum();
                largest = largest.max((difference / expected.iter().map(square).sum::<f64>()).sqrt());
            }
        }
    }
    println!("largest error {largest:.1e}");
    assert!(largest < 1e-13, "{largest:e}");
}

/// The probe's numbers, computed by a text of `fft/double` that may be changed.
fn right_bits(change: impl Fn(String) -> String) -> u32 {
    let mut program: Program = precision::program().unwrap();
    for source in &mut low_level::dispatches_mut(&mut program)[0].appended {
        if source.path == low_level::sources::FFT_DOUBLE.path {
            let text: &'static str = Box::leak(change(source.text.to_owned()).into_boxed_str());
            *source = Box::leak(Box::new(low_level::Source { path: source.path, text }));
        }
    }
    let input: &[Complex64] = &precision::input().chunks_exact(2).map(|pair| Complex64::new(pair[0], pair[1])).collect::<Vec<_>>();
    let output: Vec<Complex64> = program.run_on_host(input);
    precision::right_bits(bytemuck::cast_slice(&output))
}

#[test]
fn the_probe_finds_what_compilers_do_wrong() {
    let right = right_bits(|text| text);
    println!("{right} bits are right");
    assert!((45..=48).contains(&right), "{right}");
    let replaced = |from: &str, to: &str| {
        right_bits(|text| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        })
    };
    for (from, to) in [
        // a + b - a is not b.
        ("let of_b = hidden(sum - a.high);", "let of_b = b.high;"),
        ("let of_a = hidden(sum - of_b);", "let of_a = a.high;"),
        ("let rest_of_a = hidden(a.high - of_a);", "let rest_of_a = hidden((a.high - sum) + of_b);"),
        ("return Doubles(high, b - of_b);", "return Doubles(high, vec2<f32>());"),
        // Sums and products in another order.
        ("joined(sum, (rest_of_a + rest_of_b) + (a.low + b.low))", "joined(sum, ((a.high + b.high) - (of_a + of_b)) + (a.low + b.low))"),
        (
            "hidden(hidden(hidden(a1 * b1 - product) + a1 * b2) + a2 * b1) + a2 * b2",
            "hidden(hidden(a1 * b1 - product) + a1 * b2) + b.high * a2",
        ),
        ("hidden(hidden(hidden(a1 * b1 - product) + a1 * b2) + a2 * b1) + a2 * b2", "a.high * b.high - product"),
        // The low parts are dropped.
        ("+ (a.low + b.low)", "+ a.low"),
        ("(a.high * b.low + a.low * b.high)", "a.high * b.low"),
        // Halves that are too long, whose products are not exact.
        ("0xfffff000u", "0xfffffff0u"),
        ("+ fraction + up,", "+ fraction,"),
        ("(exponent - 1075u) << 23u", "(exponent - 1076u) << 23u"),
    ] {
        let wrong = replaced(from, to);
        println!("{wrong} bits are right with {to}");
        assert!(wrong < precision::WANTED_BITS, "{wrong} bits are right with {to}");
    }
}

/// Numbers that f32 can hold come out as they went in, others as infinite numbers and zeros.
#[test]
fn numbers_keep_their_bits_and_f32_bounds_their_range() {
    let profile = &profiles()[0];
    let spec = C2c::forward(1).batch(64).f64_by_f32();
    let program = spec.lower(&spec.design(profile).unwrap(), profile).unwrap();
    let through = |numbers: Vec<f64>| -> Vec<f64> {
        let complex = |pair: &[f64]| Complex64::new(pair[0], pair.get(1).copied().unwrap_or_default());
        let mut input: Vec<Complex64> = numbers.chunks(2).map(complex).collect();
        assert!(input.len() <= 64);
        input.resize(64, Complex64::ZERO);
        let output: Vec<Complex64> = program.run_on_host(&input);
        bytemuck::cast_slice(&output)[..numbers.len()].to_vec()
    };
    // 48 bits, in the upper and the lower half of what two f32 hold, and at the ends of binades.
    let mut numbers = vec![0.0, 1.0, -1.0, 0.5, 3.0, f64::from(f32::MAX), f64::from(f32::MIN_POSITIVE), 1.0 + 1.0 / f64::from(1 << 24)];
    numbers.extend((1..26).flat_map(|bit| [1.0 + 0.5_f64.powi(22 + bit), -1.0 + 0.5_f64.powi(23 + bit)]));
    numbers.extend(noise(40, 3).into_iter().map(|x| f64::from(x as f32) + f64::from((x - f64::from(x as f32)) as f32)));
    numbers.extend([0.1_f32, 1e20, -3e-20].map(f64::from));
    assert_eq!(
        through(numbers.clone()).iter().map(|x| x.to_bits()).collect::<Vec<_>>(),
        numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
    );
    for x in noise(100, 4) {
        let own = through(vec![x, 1e9 * x]);
        assert!((own[0] - x).abs() <= 0.5_f64.powi(48) * x.abs(), "{x}");
        assert!((own[1] - 1e9 * x).abs() <= 0.5_f64.powi(48) * (1e9 * x).abs(), "{x}");
    }
    assert_eq!(through(vec![1e-39, -1e-300, f64::MIN_POSITIVE / 4.0]), [0.0; 3]);
    for beyond in [1e39, -1e300, f64::INFINITY, f64::NAN, 3.4028236e38] {
        assert!(!through(vec![beyond])[0].is_finite(), "{beyond}");
    }
}

#[test]
fn every_choice_fits_its_profile() {
    fn check<S: Spec<Recipe = Recipe>>(spec: &S, profile: &DeviceProfile) {
        let recipe = spec.design(profile).unwrap_or_else(|error| panic!("{spec} on {}: {error}", profile.name));
        let program = spec.lower(&recipe, profile).and_then(|program| program.check(profile).map(|()| program));
        let program = program.unwrap_or_else(|error| panic!("{spec} on {}: {error}\n{recipe}", profile.name));
        let text = program.to_string();
        assert!(!text.contains("fft/lanes") && !text.contains("fft/radix2") && text.contains("fft/pass_double"), "{program}");
    }
    for (p, profile) in profiles().into_iter().enumerate() {
        for n in share((1..=80).chain([256, 1000, 1009, 2048, 4096, 8192, 10_007, 1 << 14, 1 << 17, 100_003, 1 << 20]), 4, p) {
            check(&C2c::forward(n).f64_by_f32().batch(3), &profile);
            check(&C2c::inverse([n, 12]).f64_by_f32().in_place(), &profile);
            check(&R2c::forward(n).f64_by_f32().batch(3), &profile);
            check(&C2r::inverse([12, n]).f64_by_f32(), &profile);
        }
        for shape in [[512, 512], [4096, 4096], [1080, 1920], [1000, 1009]] {
            check(&C2c::forward(shape).f64_by_f32(), &profile);
            check(&R2c::forward(shape).f64_by_f32(), &profile);
        }
    }
}

#[test]
fn samples_are_what_transforms_compute() {
    let spec = C2c::inverse([6, 10]).f64_by_f32().batch(2).scale_by(0.1);
    let input = complex_noise(120, 1);
    let samples = spec.samples(bytemuck::cast_slice(&input));
    assert!(samples.len() > 2);
    for Run { mut output, .. } in HOST.run(&spec, None, &input) {
        let faults = |output: &[Complex64]| samples.iter().filter_map(|sample| sample.fault(bytemuck::cast_slice(output))).count();
        assert_eq!(faults(&output), 0);
        bytemuck::cast_slice_mut::<_, f64>(&mut output).iter_mut().for_each(|x| *x = f64::from(*x as f32));
        assert!(faults(&output) > 0);
    }
}

#[test]
fn texts_tell_the_number() {
    let spec = R2c::forward([6, 10]).f64_by_f32().batch(3);
    assert_eq!(spec.to_string(), "r2c fwd 6x10 x3 f64-by-f32");
    assert_eq!("r2c fwd 6x10 x3 f64-by-f32".parse(), Ok(spec.clone()));
    assert_ne!("r2c fwd 6x10 x3 f64".parse(), Ok(spec.clone()));
    let error = "r2c fwd 6x10 f64-by-f32".parse::<R2c>().unwrap_err().to_string();
    assert!(error.contains("a transform of f64-by-f32, not of f32"), "{error}");
    assert!("r2c fwd 6x10 f64 f64-by-f32".parse::<R2c<f64, Complex64>>().is_err());
    // Of a factor 48 bits are kept.
    let factor = 1.0 / 3.0;
    let kept = f64::from(factor as f32) + f64::from((factor - f64::from(factor as f32)) as f32);
    assert_eq!(C2c::forward(1).f64_by_f32().scale_by(factor).to_string(), format!("c2c fwd 1 f64-by-f32 *{kept}"));
    let profile = &profiles()[0];
    assert!(matches!(C2c::forward(4).f64_by_f32().scale_by(1e39).design(profile), Err(Error::Unsupported { .. })));
}

#[test]
fn fragments_and_other_kernels_are_refused() {
    let profile = DeviceProfile::webgpu_defaults();
    let mapped = C2c::forward(64).map_input(Fragment::new("2.0 * value")).unwrap().f64_by_f32();
    let mapped_too = C2c::forward(64).f64_by_f32().map_output::<f32>(Fragment::new("length(value)"));
    for error in [mapped.design(&profile).unwrap_err(), mapped_too.unwrap_err()] {
        assert!(matches!(error, Error::Unsupported { .. }) && error.to_string().contains("fragment"), "{error}");
    }
    for recipe in ["axis 0: radix2 rows=2 lanes=5", "axis 0: lanes 8.8 lanes=2 width=1 invocations=64"] {
        let error = C2c::forward(64).f64_by_f32().lower(&recipe.parse().unwrap(), &profile).unwrap_err();
        assert!(matches!(error, Error::UnfitRecipe { .. }) && error.to_string().contains("f32 alone"), "{error}");
    }
}
