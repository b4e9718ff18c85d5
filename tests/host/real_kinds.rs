//! Cosine, sine and Hartley transforms and half-complex spectra, run on the host and compared with
//! their definitions in f64, and with SciPy.

use wgpu_fft::fft::{C2c, C2r, R2c, R2r, RealKind, Scale};
use wgpu_fft::low_level::tune::Tunable;
use wgpu_fft::num_complex::{Complex, Complex64};
use wgpu_fft::{Complex32, DeviceProfile, Error, Fragment, Layout, Program, Spec};

use crate::real_kinds_by_definition::{Vector, bound, element, square_of_kind, transform};
use crate::reference::*;
use crate::sanitized::{RunOnHost, UNWRITTEN};
use crate::variants::{profiles, profiles_of};

fn complex(x: &[f32]) -> Vec<Complex32> {
    x.iter().map(|&x| x.into()).collect()
}

fn close(actual: &[f32], expected: &[f64], bound: f64, what: &dyn std::fmt::Display) {
    assert!(actual.iter().all(|x| x.to_bits() != UNWRITTEN), "{what}");
    let expected: Vec<Complex64> = expected.iter().map(|&x| x.into()).collect();
    near(&complex(actual), &expected, bound, what);
}

fn near<T: Copy + Into<f64>>(actual: &[Complex<T>], expected: &[Complex64], bound: f64, what: &dyn std::fmt::Display) {
    let error = relative_error(actual, expected);
    assert!(error <= bound, "error {error:.2e}, more than {bound:.2e}, of {what}");
}

/// The programs of the rules' recipe and of some of the others.
fn programs<S: Spec>(spec: &S, profile: &DeviceProfile, others: usize) -> Vec<Program> {
    let recipe = spec.design(profile).unwrap_or_else(|error| panic!("{spec} on {}: {error}", profile.name));
    let mut recipes = vec![recipe];
    recipes.extend(spec.alternatives(profile).into_iter().take(others));
    let lower = |recipe: &S::Recipe| spec.lower(recipe, profile).unwrap_or_else(|error| panic!("{spec} by {recipe}: {error}"));
    let programs: Vec<Program> = recipes.iter().map(lower).collect();
    programs.iter().for_each(|program| program.check(profile).unwrap_or_else(|error| panic!("{program}: {error}")));
    programs
}

fn check(shape: &[usize], batch: usize, kinds: &[RealKind], axes: Option<&[usize]>, others: usize) {
    let all: Vec<usize> = (0..shape.len()).collect();
    let axes = axes.unwrap_or(&all);
    let of_axes: Vec<(usize, RealKind)> = axes.iter().map(|&axis| (axis, kinds[axis])).collect();
    let input = noise(shape.iter().product::<usize>() * batch, 5);
    let mut expected: Vec<f64> = input.iter().map(|&x| x.into()).collect();
    expected.chunks_mut(shape.iter().product()).for_each(|item| transform(item, shape, &of_axes));
    let spec = R2r::by_axis(kinds.iter().copied(), shape).batch(batch).axes(axes);
    assert_eq!(spec.to_string().parse(), Ok(spec.clone()), "{spec}");
    for profile in profiles_of(&spec) {
        for spec in [spec.clone(), spec.clone().in_place()] {
            for program in programs(&spec, &profile, others) {
                let what = format!("{program} on {}", profile.name);
                close(&program.run_on_host::<f32, f32>(&input), &expected, bound(shape, &of_axes), &what);
            }
        }
    }
}

#[test]
fn every_short_length() {
    for kind in RealKind::ALL {
        for n in (1..=20).chain([24, 27, 32, 37, 64, 81, 101]).filter(|n| *n > 1 || kind != RealKind::DctI) {
            check(&[n], 3, &[kind], None, if n < 10 { 4 } else { 0 });
        }
    }
}

#[test]
fn in_several_passes() {
    for kind in RealKind::ALL {
        for n in [1 << 14, 10_001] {
            let input = noise(n, 5);
            let x: Vec<f64> = input.iter().map(|&x| x.into()).collect();
            let spec = R2r::new(kind, n);
            let profile = profiles().remove(2);
            for program in programs(&spec, &profile, 0) {
                let output: Vec<f32> = program.run_on_host(&input);
                // Some elements by the definition: the others would take minutes.
                for k in [0, 1, 2, 777, n / 2 - 1, n / 2, n / 2 + 1, n - 2, n - 1] {
                    let expected = element(kind, &x, k);
                    let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
                    let error = (f64::from(output[k]) - expected).abs() / norm;
                    assert!(error < 3e-6, "element {k}: {} for {expected}, {program}", output[k]);
                }
            }
        }
    }
}

#[test]
fn several_axes() {
    use RealKind::*;
    let cases: [(&[usize], &[RealKind]); 7] = [
        (&[6, 10], &[DctII, DctII]),
        (&[5, 9], &[DstIV, DctIV]),
        (&[16, 8], &[DctIII, DstIII]),
        (&[7, 4], &[Hartley, DctI]),
        (&[3, 4, 5], &[DctII, DstI, ToHalfComplex]),
        (&[8, 1, 6], &[DstII, DctII, OfHalfComplex]),
        (&[33, 66], &[DctIV, DstII]),
    ];
    for (shape, kinds) in cases {
        check(shape, 2, kinds, None, 6);
    }
    check(&[6, 10, 8], 2, &[DctII, DctIV, DstI], Some(&[1]), 0);
    check(&[6, 10, 8], 2, &[DctII, DctIV, DstI], Some(&[0, 2]), 0);
}

#[test]
fn layouts() {
    let shape = [6, 10];
    let input_places = Places { strides: vec![1, 8], distance: 90, offset: 3 };
    let output_places = Places { strides: vec![23, 2], distance: 160, offset: 1 };
    let (from, to) = (input_places.all(&shape, 2), output_places.all(&shape, 2));
    let values = noise(120, 3);
    let mut input = vec![f32::NAN; input_places.span(&shape, 2)];
    from.iter().zip(&values).for_each(|(&place, &x)| input[place] = x);
    for kind in RealKind::ALL {
        let mut expected: Vec<f64> = values.iter().map(|&x| x.into()).collect();
        let of_axes = [(0, kind), (1, kind)];
        expected.chunks_mut(60).for_each(|item| transform(item, &shape, &of_axes));
        let spec = R2r::new(kind, shape).batch(2).input_layout(input_places.layout()).output_layout(output_places.layout());
        for profile in profiles_of(&spec) {
            for program in programs(&spec, &profile, 3) {
                let output: Vec<f32> = program.run_on_host(&input);
                let actual: Vec<f32> = to.iter().map(|&place| output[place]).collect();
                close(&actual, &expected, bound(&shape, &of_axes), &program);
            }
        }
        // In place with gaps: what lies between the elements does not change.
        let spec = R2r::new(kind, shape).batch(2).input_layout(input_places.layout()).output_layout(input_places.layout()).in_place();
        for program in programs(&spec, &profiles()[0], 1) {
            let output: Vec<f32> = program.run_on_host(&input);
            let actual: Vec<f32> = from.iter().map(|&place| output[place]).collect();
            close(&actual, &expected, bound(&shape, &of_axes), &program);
            assert!((0..input.len()).filter(|i| !from.contains(i)).all(|i| output[i].is_nan()), "{program}");
        }
    }
}

/// The fastest axis of the input is the slowest of the output.
#[test]
fn layouts_whose_fastest_axes_differ() {
    use RealKind::{DctII, DctIII, DstII, DstIII};
    let shape = [10, 6, 4];
    let input_places = Places { strides: vec![24, 4, 1], distance: 240, offset: 0 };
    let output_places = Places { strides: vec![1, 10, 60], distance: 240, offset: 0 };
    let (from, to) = (input_places.all(&shape, 2), output_places.all(&shape, 2));
    let values = noise(480, 3);
    let mut input = vec![f32::NAN; 480];
    from.iter().zip(&values).for_each(|(&place, &x)| input[place] = x);
    for kind in RealKind::ALL {
        for axes in [&[1][..], &[1, 2], &[0, 1], &[0, 1, 2]] {
            let of_axes: Vec<(usize, RealKind)> = axes.iter().map(|&axis| (axis, kind)).collect();
            let mut expected: Vec<f64> = values.iter().map(|&x| x.into()).collect();
            expected.chunks_mut(240).for_each(|item| transform(item, &shape, &of_axes));
            let spec = R2r::new(kind, shape).batch(2).axes(axes);
            let spec = spec.input_layout(input_places.layout()).output_layout(output_places.layout());
            for profile in profiles_of(&spec) {
                let mut programs = programs(&spec, &profile, 3);
                if axes == [1] && matches!(kind, DctII | DctIII | DstII | DstIII) {
                    let pairs = "axis 1 pairs: stockham 6 lanes=1".parse().unwrap();
                    assert!(spec.lower(&pairs, &profile).is_err(), "other axes do not mix the columns");
                    programs.push(spec.clone().rows_may_mix().lower(&pairs, &profile).unwrap());
                }
                for program in programs {
                    let output: Vec<f32> = program.run_on_host(&input);
                    let actual: Vec<f32> = to.iter().map(|&place| output[place]).collect();
                    close(&actual, &expected, bound(&shape, &of_axes), &program);
                }
            }
        }
    }
}

#[test]
fn a_kind_and_its_inverse_lead_back() {
    for kind in RealKind::ALL {
        for n in [2, 7, 12] {
            let input = noise(2 * n, 9);
            let expected: Vec<f64> = input.iter().map(|&x| x.into()).collect();
            let there = R2r::new(kind, n).batch(2);
            for (there, back) in [
                (there.clone(), there.clone().inverse().scale(Scale::InvLen)),
                (there.clone().orthonormal(), there.clone().orthonormal().inverse()),
                (there.clone().scale(Scale::InvSqrtLen), there.clone().inverse().scale(Scale::InvSqrtLen)),
            ] {
                let profile = &profiles()[0];
                let middle: Vec<f32> = programs(&there, profile, 0)[0].run_on_host(&input);
                let output: Vec<f32> = programs(&back, profile, 0)[0].run_on_host(&middle);
                close(&output, &expected, 2.0 * bound(&[n], &[(0, kind)]), &format!("{there} and {back}"));
            }
        }
    }
}

/// The matrices of orthonormal transforms are orthogonal: lengths are kept.
#[test]
fn orthonormal_transforms_keep_lengths() {
    let norm = |x: &[f32]| x.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt();
    let cosine_and_sine = RealKind::ALL.into_iter().filter(|kind| !matches!(kind, RealKind::ToHalfComplex | RealKind::OfHalfComplex));
    for kind in cosine_and_sine {
        for n in [2, 5, 16] {
            let input = noise(n, 4);
            let spec = R2r::new(kind, n).orthonormal();
            let output: Vec<f32> = programs(&spec, &profiles()[0], 0)[0].run_on_host(&input);
            let (before, after) = (norm(&input), norm(&output));
            // The weights of the ends and the scale are rounded too.
            let bound = bound(&[n], &[(0, kind)]) + 2.0 * ROUNDOFF;
            assert!((before - after).abs() <= bound * before, "{spec}: {before} {after}");
        }
    }
}

/// Axes from reals to reals, in transforms of complex numbers.
#[test]
fn mixed_axes() {
    let shape = [6, 9, 8];
    let n: usize = shape.iter().product();
    let input = complex_noise(2 * n, 3);
    for (kind, axis) in RealKind::ALL.into_iter().flat_map(|kind| [(kind, 0), (kind, 1), (kind, 2)]) {
        let others: Vec<usize> = (0..3).filter(|own| *own != axis).collect();
        let of_others: f64 = others.iter().map(|&other| square_of_axis(shape[other])).sum();
        let bound = ROUNDOFF * (square_of_kind(kind, shape[axis]) + of_others).sqrt();
        let of_kind = |z: &mut [Complex64], kind: RealKind| {
            for item in z.chunks_mut(n) {
                let (mut re, mut im): (Vec<f64>, Vec<f64>) = item.iter().map(|z| (z.re, z.im)).unzip();
                [&mut re, &mut im].into_iter().for_each(|part| transform(part, &shape, &[(axis, kind)]));
                item.iter_mut().zip(re.into_iter().zip(im)).for_each(|(z, (re, im))| *z = Complex64::new(re, im));
            }
        };
        for inverse in [false, true] {
            let spec = if inverse { C2c::inverse(shape) } else { C2c::forward(shape) }.batch(2).axis_kind(axis, kind);
            assert_eq!(spec.to_string().parse(), Ok(spec.clone()), "{spec}");
            let mut expected = wide(&input);
            of_kind(&mut expected, kind);
            dft(&mut expected, &shape, &others, inverse);
            for spec in [spec.clone(), spec.in_place()] {
                for program in programs(&spec, &profiles()[2], 2) {
                    let output: Vec<Complex32> = program.run_on_host(&input);
                    near(&output, &expected, bound, &program);
                }
            }
        }
        if axis == 2 {
            continue;
        }
        // Between reals and half of a spectrum.
        let reals = noise(2 * n, 6);
        let mut spectrum = wide(&complex(&reals));
        of_kind(&mut spectrum, kind);
        dft(&mut spectrum, &shape, &others, false);
        let expected = of_half(&spectrum, &shape);
        let there = R2c::forward(shape).batch(2).axis_kind(axis, kind);
        for program in programs(&there, &profiles()[0], 2) {
            let output: Vec<Complex32> = program.run_on_host(&reals);
            near(&output, &expected, bound, &program);
        }
        let back = C2r::inverse(shape).batch(2).scale(Scale::InvLen).axis_kind(axis, kind.inverse());
        let spectrum: Vec<Complex32> = expected.iter().map(|z| Complex32::new(z.re as f32, z.im as f32)).collect();
        for program in programs(&back, &profiles()[0], 2) {
            let output: Vec<f32> = program.run_on_host(&spectrum);
            let expected: Vec<f64> = reals.iter().map(|&x| x.into()).collect();
            // The spectrum was rounded once.
            close(&output, &expected, bound + ROUNDOFF, &program);
        }
    }
}

#[test]
fn mixed_axes_in_several_passes() {
    let shape = [1 << 13, 3];
    let input = complex_noise(3 << 13, 3);
    for kind in [RealKind::DctIV, RealKind::Hartley, RealKind::OfHalfComplex] {
        let there = C2c::forward(shape).axis_kind(0, kind);
        let back = C2c::inverse(shape).axis_kind(0, kind.inverse()).scale(Scale::InvLen);
        let profile = &profiles()[2];
        let middle: Vec<Complex32> = programs(&there, profile, 0)[0].run_on_host(&input);
        let output: Vec<Complex32> = programs(&back, profile, 0)[0].run_on_host(&middle);
        let bound = ROUNDOFF * (square_of_kind(kind, shape[0]) + square_of_axis(shape[1])).sqrt();
        near(&output, &wide(&input), 2.0 * bound, &format!("{there} and {back}"));
    }
}

/// In f64, on profiles that have it, and with arrays of f16 with arithmetic in f32.
#[test]
fn other_numbers() {
    use wgpu_fft::half::f16;
    let input = noise(2 * 60, 7);
    for (i, kind) in RealKind::ALL.into_iter().enumerate() {
        let kinds = [kind, RealKind::ALL[(i + 4) % 11]];
        let shape = if i % 2 == 0 { [6, 10] } else { [5, 12] };
        let of_axes = [(0, kinds[0]), (1, kinds[1])];
        let exact = |mut x: Vec<f64>| {
            x.chunks_mut(60).for_each(|item| transform(item, &shape, &of_axes));
            x.into_iter().map(Complex64::from).collect::<Vec<_>>()
        };
        let spec = R2r::by_axis(kinds, shape).batch(2);
        let wide = spec.clone().f64();
        assert_eq!(wide.to_string().parse(), Ok(wide.clone()), "{wide}");
        let x: Vec<f64> = input.iter().map(|&x| f64::from(x) / 3.0).collect();
        let expected = exact(x.clone());
        for program in programs(&wide, &profiles()[0], 3) {
            let output: Vec<Complex64> = program.run_on_host::<f64, f64>(&x).into_iter().map(Complex64::from).collect();
            // f64 has 29 more bits.
            near(&output, &expected, bound(&shape, &of_axes) / f64::from(1 << 29), &program);
        }
        let x: Vec<f16> = input.iter().map(|&x| f16::from_f32(x)).collect();
        let expected = exact(x.iter().map(|x| x.to_f64()).collect());
        let halves = spec.input_as::<f16>().output_as::<f16>();
        assert_eq!(halves.to_string().parse(), Ok(halves.clone()), "{halves}");
        for (spec, bound) in [(halves.clone(), 1.0), (halves.between_axes_as::<f16>(), 2.0)] {
            for profile in profiles_of(&spec) {
                for program in programs(&spec, &profile, 1) {
                    let output = program.run_on_host::<f16, f16>(&x).into_iter().map(|x| Complex32::from(x.to_f32()));
                    let error = relative_error(&output.collect::<Vec<_>>(), &expected);
                    assert!(error < bound / 2048.0, "error {error:.1e} of {program}");
                }
            }
        }
    }
}

/// Fragments see elements of the array, in its order.
#[test]
fn fragments() {
    let input: Vec<f32> = noise(24, 2);
    let spec = R2r::new(RealKind::DctII, [2, 12]);
    let mapped = spec
        .clone()
        .map_input::<f32>(Fragment::new("value * f32(i1 + 1u)"))
        .unwrap()
        .map_output::<Complex32>(Fragment::new("vec2<f32>(value, f32(i1))"))
        .unwrap();
    let weighted: Vec<f64> = input.iter().enumerate().map(|(i, &x)| f64::from(x) * (i % 12 + 1) as f64).collect();
    let mut expected = weighted;
    let of_axes = [(0, RealKind::DctII), (1, RealKind::DctII)];
    transform(&mut expected, &[2, 12], &of_axes);
    let expected: Vec<Complex64> = expected.iter().enumerate().map(|(i, &x)| Complex64::new(x, (i % 12) as f64)).collect();
    for profile in profiles() {
        let program = mapped.lower(&mapped.design(&profile).unwrap(), &profile).unwrap();
        let output: Vec<Complex32> = program.run_on_host(&input);
        // The first fragment rounds once.
        near(&output, &expected, bound(&[2, 12], &of_axes) + ROUNDOFF, &program);
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let refused = |error: Error, words: &str| {
        assert!(matches!(error, Error::Unsupported { .. }) && error.to_string().contains(words), "{error}");
    };
    let profile = &profiles()[0];
    let of = |spec: R2r| spec.design(profile).unwrap_err();
    refused(of(R2r::new(RealKind::DctI, 1)), "dct1 of length 1");
    refused(of(R2r::by_axis([RealKind::DctI], [4, 4])), "1 kinds for 2 axes");
    refused(of(R2r::new(RealKind::DctII, 8).input_part(std::iter::once(0..4))), "all elements");
    let long = R2r::new(RealKind::DstI, u32::MAX as usize / 2).design(profile).unwrap_err();
    assert!(matches!(long, Error::LimitExceeded { .. }), "{long}");
    refused(R2c::forward([4, 4]).axis_kind(1, RealKind::DctI).design(profile).unwrap_err(), "a kind of the last axis");
    refused(C2c::forward([4, 4]).axis_kind(2, RealKind::DctI).design(profile).unwrap_err(), "3 kinds for 2 axes");
    let halves = C2c::forward([4, 4]).axis_kind(0, RealKind::DctI).output_as::<wgpu_fft::num_complex::Complex<wgpu_fft::half::f16>>();
    refused(halves.design(profile).unwrap_err(), "16 bits");
    let fragment = C2c::forward([4, 4]).axis_kind(0, RealKind::DctI).map_input::<Complex32>(Fragment::new("value")).unwrap();
    refused(fragment.design(profile).unwrap_err(), "fragments");
    for text in ["r2r dct5 8", "r2r 8", "r2r dct2,dct2", "c2c fwd 8 kinds=dct9", "r2r dct2 8 orthogonal orthogonal"] {
        assert!(text.parse::<R2r>().is_err(), "{text}");
    }
    assert_eq!("r2r dct2,dst3 8x9 x2 orthogonal in-place".parse(), {
        let spec = R2r::by_axis([RealKind::DctII, RealKind::DstIII], [8, 9]).batch(2);
        Ok(spec.orthogonalize().in_place())
    });
    let strided = R2r::new(RealKind::DctII, [4, 4]).input_layout(Layout::strides([8, 1]));
    assert_eq!(strided.to_string(), "r2r dct2 4x4 in=8,1");
}

#[test]
fn scipys_results() {
    let (profiles, mut count) = (profiles(), 0);
    for (i, vector) in Vector::all().iter().enumerate().filter(|(_, vector)| vector.len() <= 4096) {
        // Each on one of the profiles.
        let profile = &profiles[i % profiles.len()];
        let program = &programs(&vector.spec, profile, 0)[0];
        vector.check(&program.run_on_host(&vector.input()), vector.bound(), program);
        count += 1;
    }
    assert!(count > 300, "{count}");
}

/// A search verifies recipes by single elements, which it computes from the definitions.
#[test]
fn samples_are_what_transforms_compute() {
    let profile = &profiles()[0];
    for text in ["r2r dct2 12x10", "r2r dct1,dst4 7x9 orthogonal 1/n", "r2r hartley,hc2r 6x8", "r2r dst3 20 x3 axes=0"] {
        let spec: R2r = text.parse().unwrap();
        let program = &programs(&spec, profile, 0)[0];
        let input = noise(program.inputs()[0].len, 8);
        let output: Vec<f32> = program.run_on_host(&input);
        let samples = spec.samples(&input.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
        assert!(!samples.is_empty() && samples.iter().all(|sample| sample.fault(bytemuck::cast_slice(&output)).is_none()), "{spec}");
        let wrong: Vec<f32> = output.iter().map(|x| 1.1 * x + 0.1).collect();
        assert!(samples.iter().any(|sample| sample.fault(bytemuck::cast_slice(&wrong)).is_some()), "{spec}");
    }
}
