//! Zoomed spectra and resampled arrays, run on the host and compared with their definitions in f64,
//! and with SciPy.

use wgpu_fft::low_level::recipes::signal::By;
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::signal::{Frequencies, Resample, Zoom};
use wgpu_fft::{Complex32, DeviceProfile, Error, Fragment, Program, Spec};

use crate::grids::{resample, zoom};
use crate::reference::*;
use crate::sanitized::{RunOnHost, UNWRITTEN, run_with};
use crate::variants::{profiles, profiles_of};

const BOUND: f64 = 1e-6;

fn narrow<T: Narrow>(x: &[Complex32]) -> Vec<T> {
    x.iter().map(|&z| T::of(z)).collect()
}

fn back<T: Narrow>(x: &[T]) -> Vec<Complex32> {
    x.iter().map(|&x| x.back()).collect()
}

fn close(actual: &[Complex32], expected: &[Complex64], what: &dyn std::fmt::Display) {
    assert_eq!(actual.len(), expected.len(), "{what}");
    assert!(actual.iter().all(|z| z.re.to_bits() != UNWRITTEN && z.im.to_bits() != UNWRITTEN), "{what}");
    let error = relative_error(actual, expected);
    assert!(error <= BOUND, "error {error:.1e} of {what}");
}

/// The programs of all recipes.
fn programs<S: Spec>(spec: &S, profile: &DeviceProfile) -> Vec<Program> {
    let recipe = spec.design(profile).unwrap_or_else(|error| panic!("{spec} on {}: {error}", profile.name));
    let mut recipes = vec![recipe];
    recipes.extend(spec.alternatives(profile));
    let program = |recipe: &S::Recipe| {
        assert_eq!(recipe.to_string().parse().as_ref(), Ok(recipe));
        let program = spec.lower(recipe, profile).unwrap_or_else(|error| panic!("{spec} by {recipe}: {error}"));
        program.check(profile).unwrap_or_else(|error| panic!("{program}: {error}"));
        program
    };
    recipes.iter().map(program).collect()
}

fn reads<T: std::str::FromStr<Err = Error> + PartialEq + std::fmt::Debug + ToString>(spec: &T) {
    assert_eq!(spec.to_string().parse::<T>().as_ref(), Ok(spec));
}

fn check_zoom<T: Narrow>(spec: &Zoom<T>, shape: &[usize], axis: usize, batch: usize, profiles: &[DeviceProfile]) {
    let x: Vec<T> = narrow(&complex_noise(shape.iter().product::<usize>() * batch, 3));
    let frequencies = spec.frequencies().unwrap();
    let expected = zoom(&wide(&back(&x)), shape, axis, &frequencies);
    assert_eq!(spec.output_shape().unwrap().extents().iter().product::<usize>() * batch, expected.len());
    reads(spec);
    for profile in profiles {
        for program in programs(spec, profile) {
            close(&program.run_on_host::<T, Complex32>(&x), &expected, &program);
        }
    }
}

#[test]
fn zooms_follow_the_definition() {
    let bands = [[0.0, 1.0], [0.11, 0.37], [-0.25, -0.75], [0.2, 0.2], [3.75, 1.125], [1e-3, 0.05]];
    for (i, n) in [1, 2, 3, 8, 9, 16, 31].into_iter().enumerate() {
        for (j, points) in [1, 2, 5, 16, 33].into_iter().enumerate() {
            let band = bands[(i + 2 * j) % bands.len()];
            let endpoint = (i + j) % 2 == 0;
            check_zoom(&Zoom::<f32>::new(n, band, points).batch(2).endpoint(endpoint), &[n], 0, 2, &profiles()[..1]);
            check_zoom(&Zoom::<Complex32>::new(n, band, points).endpoint(!endpoint), &[n], 0, 1, &profiles()[..1]);
        }
    }
}

#[test]
fn zooms_along_every_axis() {
    for (shape, axis) in [(vec![5, 12], 0), (vec![5, 12], 1), (vec![4, 7, 6], 0), (vec![4, 7, 6], 1), (vec![4, 7, 6], 2), (vec![1, 9], 0)] {
        let real = Zoom::<f32>::new(&shape, [0.1, 0.4], 10).axis(axis).batch(2);
        check_zoom(&real, &shape, axis, 2, &profiles_of(&real));
        check_zoom(&Zoom::<Complex32>::new(&shape, [0.1, 0.4], 3).axis(axis), &shape, axis, 1, &profiles_of(&shape));
    }
}

/// Longer than a workgroup: transforms there and back in passes of their own.
#[test]
fn long_zooms() {
    let small = profiles()[3].with(|profile| (profile.workgroup_bytes, profile.invocations) = (2048, 64));
    check_zoom(&Zoom::<f32>::new([2, 700], [0.3, 0.31], 100), &[2, 700], 1, 1, &[small.clone(), profiles()[0].clone()]);
    check_zoom(&Zoom::<Complex32>::new([700, 3], [0.3, 0.5], 50).axis(0), &[700, 3], 0, 1, &[small]);
}

/// The documented bound, for a tone outside of the band, whose results are small.
#[test]
fn zooms_keep_their_bound() {
    let profile = &profiles()[0];
    for (n, points, band, tone) in [(300usize, 50usize, [0.1, 0.11], 0.31), (300, 50, [0.1, 0.4], 0.45), (64, 100, [0.2, 0.7], 0.1)] {
        let x: Vec<Complex32> = (0..n)
            .map(|j| Complex64::cis(std::f64::consts::TAU * tone * j as f64) * (1.0 - (2.0 * j as f64 / n as f64 - 1.0).powi(2)))
            .map(|z| Complex32::new(z.re as f32, z.im as f32))
            .collect();
        let spec = Zoom::<Complex32>::new(n, band, points);
        let recipe = spec.design(profile).unwrap();
        let length = recipe.lengths[0] as usize;
        let step = (band[1] - band[0]) / points as f64;
        let chirp = |j: usize| Complex64::cis(std::f64::consts::PI * step * (j * j) as f64);
        let mut spectrum = vec![Complex64::ZERO; length];
        (0..points).for_each(|j| spectrum[j] = chirp(j));
        (1..n).for_each(|j| spectrum[length - j] = chirp(j));
        dft(&mut spectrum, &[length], &[0], false);
        let w = spectrum.iter().map(|z| z.norm()).fold(0.0, f64::max);
        let most = 1.2 * (1.0 + (n + points) as f64 * step) / step.sqrt();
        assert!(w < (n + points - 1) as f64 && w < most, "{w} {most}");
        let actual: Vec<Complex32> = spec.lower(&recipe, profile).unwrap().run_on_host(&x);
        let expected = zoom(&wide(&x), &[n], 0, &spec.frequencies().unwrap());
        let norm = |values: &mut dyn Iterator<Item = Complex64>| values.map(|z| z.norm_sqr()).sum::<f64>().sqrt();
        let error = norm(&mut wide(&actual).into_iter().zip(&expected).map(|(a, e)| a - e));
        let bound = (6.0 * (length as f64).log2().sqrt() + 10.0) * 2f64.powi(-24) * w * norm(&mut wide(&x).into_iter());
        assert!(error <= bound && error > bound / 1000.0, "{error:.1e} {bound:.1e}");
    }
}

/// The frequencies of an FFT, and those of a narrow band to the last digit.
#[test]
fn frequencies_are_those_of_the_definition() {
    let frequencies = |zoom: Zoom<f32>| zoom.frequencies().unwrap();
    assert_eq!(frequencies(Zoom::new(8, [0.0, 1.0], 4)), [0.0, 0.25, 0.5, 0.75]);
    assert_eq!(frequencies(Zoom::new(8, [0.0, 1.0], 5).endpoint(true)), [0.0, 0.25, 0.5, 0.75, 1.0]);
    assert_eq!(frequencies(Zoom::new(8, [0.1, 0.7], 1).endpoint(true)), [0.1]);
    assert_eq!(frequencies(Zoom::new(8, [0.1, 0.7], 1)), [0.1]);
}

fn check_resample<T: Narrow>(shape: &[usize], to: &[usize], batch: usize, profiles: &[DeviceProfile]) {
    let x: Vec<T> = narrow(&complex_noise(shape.iter().product::<usize>() * batch, 4));
    let one: usize = shape.iter().product();
    let expected: Vec<Complex64> = wide(&back(&x)).chunks(one).flat_map(|x| resample(x, shape, to)).collect();
    let spec = Resample::<T>::new(shape, to).batch(batch);
    reads(&spec);
    for profile in profiles {
        for program in programs(&spec, profile) {
            close(&back(&program.run_on_host::<T, T>(&x)), &expected, &program);
        }
    }
}

fn check_both(shape: &[usize], to: &[usize], batch: usize, profiles: &[DeviceProfile]) {
    check_resample::<f32>(shape, to, batch, profiles);
    check_resample::<Complex32>(shape, to, batch, profiles);
}

#[test]
fn one_axis_of_every_length() {
    for n in 1..=9 {
        for m in 1..=9 {
            check_both(&[n], &[m], 1 + (n + m) % 3, &profiles()[..1]);
        }
    }
    for (n, m) in [(64, 32), (32, 64), (37, 30), (30, 37), (100, 64), (75, 74), (74, 75)] {
        check_both(&[n], &[m], 2, &profiles_of(&(n, m)));
    }
}

#[test]
fn several_axes() {
    for n in [[4, 6], [5, 6], [4, 5], [5, 7], [1, 6], [2, 2]] {
        for m in [[6, 4], [4, 9], [5, 5], [3, 8], [4, 1], [2, 3]] {
            check_both(&n, &m, 1 + n[0] % 2, &profiles()[..1]);
        }
    }
    for (n, m) in [([4, 6, 8], [6, 4, 10]), ([6, 4, 5], [4, 6, 5]), ([4, 3, 6], [4, 8, 6]), ([3, 4, 2], [5, 4, 3]), ([4, 4, 4], [2, 2, 2])]
    {
        check_both(&n, &m, 2, &profiles_of(&(n, m)));
    }
}

/// Axes that are too long for a workgroup, and lengths that need convolutions.
#[test]
fn long_axes() {
    let small = profiles()[3].with(|profile| (profile.workgroup_bytes, profile.invocations) = (2048, 64));
    for (n, m) in [([1, 1200], [1, 800]), ([900, 3], [1200, 3]), ([74, 900], [37, 1000])] {
        check_both(&n, &m, 1, std::slice::from_ref(&small));
    }
}

/// Down by whole numbers what was up is the signal itself, but for its highest frequency.
#[test]
fn up_and_down_again() {
    let profile = &profiles()[0];
    let run = |x: &[f32], from: [usize; 2], to: [usize; 2]| -> Vec<f32> {
        let spec = Resample::<f32>::new(from, to);
        spec.lower(&spec.design(profile).unwrap(), profile).unwrap().run_on_host(x)
    };
    for (n, m) in [([5, 7], [10, 21]), ([6, 8], [12, 9]), ([3, 4], [3, 12])] {
        let x = noise(n[0] * n[1], 7);
        let there = run(&x, n, m);
        close(&back(&run(&there, m, n)), &wide(&back(&x)), &format!("{n:?} {m:?}"));
        // Every second element of twice as many is an element.
        if m == [10, 21] {
            let kept: Vec<f32> = (0..5).flat_map(|i| (0..7).map(move |j| (i, j))).map(|(i, j)| there[2 * i * 21 + 3 * j]).collect();
            close(&back(&kept), &wide(&back(&x)), &"kept");
        }
    }
}

fn check_frequencies<T: Narrow>(spec: &Frequencies<T>, shape: &[usize], axis: usize, batch: usize, frequencies: &[f64])
where
    Frequencies<T>: Spec<Input = T, Output = Complex32>,
{
    let x: Vec<T> = narrow(&complex_noise(shape.iter().product::<usize>() * batch, 3));
    let expected = zoom(&wide(&back(&x)), shape, axis, frequencies);
    assert_eq!(spec.output_shape().unwrap().extents().iter().product::<usize>() * batch, expected.len());
    reads(spec);
    for profile in &profiles()[..2] {
        for program in programs(spec, profile) {
            close(&program.run_on_host::<T, Complex32>(&x), &expected, &program);
        }
    }
}

/// By sums and by a transform, of every length of the parts of j and on both sides of the middle of
/// a half-spectrum.
#[test]
fn spectra_at_frequencies_follow_the_definition() {
    for (i, (shape, axis)) in
        [(vec![1usize], 0), (vec![2], 0), (vec![9], 0), (vec![16], 0), (vec![3, 33], 1), (vec![12, 5], 0), (vec![4, 7, 6], 1)]
            .into_iter()
            .enumerate()
    {
        let n = shape[axis];
        for count in [1, n.div_ceil(2), n + 3] {
            let bins: Vec<usize> = (0..count).map(|k| (k * 5 + i) % n).collect();
            let cycles: Vec<f64> = bins.iter().map(|&bin| bin as f64 / n as f64).collect();
            check_frequencies(&Frequencies::<f32>::bins(&shape, &bins).axis(axis).batch(2), &shape, axis, 2, &cycles);
            check_frequencies(&Frequencies::<Complex32>::bins(&shape, &bins).axis(axis), &shape, axis, 1, &cycles);
            let cycles: Vec<f64> = (0..count).map(|k| 1.7 - 0.31 * k as f64).collect();
            check_frequencies(&Frequencies::<f32>::new(&shape, &cycles).axis(axis), &shape, axis, 1, &cycles);
            check_frequencies(&Frequencies::<Complex32>::new(&shape, &cycles).axis(axis).batch(3), &shape, axis, 3, &cycles);
        }
    }
}

/// Few frequencies are summed directly, many are picked from a spectrum, and what a recipe says is
/// done.
#[test]
fn frequencies_by_cost() {
    let profile = &profiles()[0];
    let recipe = |count: usize| Frequencies::<f32>::bins(4096, (0..count).collect::<Vec<_>>()).design(profile).unwrap();
    assert!(recipe(1).transform.is_none() && recipe(200).transform.is_some());
    let between = Frequencies::<f32>::new(64, [0.1; 40]);
    assert!(between.design(profile).unwrap().transform.is_none() && between.alternatives(profile).is_empty());
    // A spectrum that exceeds a binding is not made.
    let wide = Frequencies::<f32>::bins([1024, 32_768], [1, 2, 3, 4]);
    let recipe_of = |spec: &Frequencies<f32>| spec.design(&DeviceProfile::webgpu_defaults()).unwrap();
    assert!(recipe_of(&wide).transform.is_none());
    assert!(recipe_of(&Frequencies::bins([8, 32_768], [1, 2, 3, 4])).transform.is_some());
    let error = between.lower(&recipe(200), profile).unwrap_err();
    assert!(matches!(&error, Error::UnfitRecipe { why, .. } if why.contains("only elements of the FFT")), "{error}");
}

/// Fragments know their axes and collide with nothing, however a spectrum is computed.
#[test]
fn frequencies_have_maps() {
    let input = Fragment::new("f32(value) * 0.01 * product(f32(i0)) + f32(i1) - f32(batch) + 0.1 * f32(n0)")
        .functions("fn product(x: f32) -> f32 { return 1.0 + x * highs[1]; }")
        .array::<f32>("highs", 2);
    let output = Fragment::new("length(value) + 100.0 * f32(i0) - f32(i1 + batch) + picked(value)")
        .functions("fn picked(z: vec2<f32>) -> f32 { return z.x * spectra; }")
        .uniform::<f32>("spectra", "f32");
    let (shape, bins) = ([10, 4], [3, 9, 0, 5, 3, 8]);
    let (highs, spectra) = ([3.0f32, 0.25], 0.5f32);
    let bytes: Vec<u8> = (0..80).map(|i| (i * 37 % 256) as u8).collect();
    let x: Vec<Complex64> = bytes
        .iter()
        .enumerate()
        .map(|(i, &byte)| {
            let [i0, i1, batch] = [i / 4 % 10, i % 4, i / 40].map(|i| i as f64);
            (f64::from(byte) * 0.01 * (1.0 + i0 * 0.25) + i1 - batch + 1.0).into()
        })
        .collect();
    let expected = zoom(&x, &shape, 0, &bins.map(|bin| bin as f64 / 10.0));
    let spec = Frequencies::<f32>::bins(shape, bins).axis(0).batch(2);
    let spec = spec.map_input::<u8>(input).unwrap().map_output::<f32>(output).unwrap();
    for profile in profiles() {
        for program in programs(&spec, &profile) {
            let given = [("highs", wgpu_fft::bytemuck::bytes_of(&highs)), ("spectra", wgpu_fft::bytemuck::bytes_of(&spectra))];
            let actual: Vec<f32> = run_with(&program, &[&bytes], &given, 1, 1);
            for (i, (actual, z)) in actual.iter().zip(&expected).enumerate() {
                let k = bins.len();
                let expected = z.norm() + 0.5 * z.re + 100.0 * (i / 4 % k) as f64 - (i % 4 + i / (4 * k)) as f64;
                assert!((f64::from(*actual) - expected).abs() < 2e-3, "{i}: {actual} {expected} of {program}");
            }
        }
    }
}

/// Fragments see the elements of their arrays, and their names collide with nothing.
#[test]
fn zooms_have_maps() {
    let input = Fragment::new("f32(value) * 0.01 * product(f32(i0)) + f32(i1) - f32(batch) // value")
        .functions("fn product(x: f32) -> f32 { return 1.0 + x * factors[1]; }")
        .array::<f32>("factors", 2);
    let output = Fragment::new("length(value) + 100.0 * f32(i0) + 10.0 * product_(value.x - value.x) - f32(i1 + batch)")
        .functions("fn product_(x: f32) -> f32 { return x + 1.0; }");
    let (shape, k) = ([10, 4], 6);
    let factors = [3.0f32, 0.25];
    let bytes: Vec<u8> = (0..80).map(|i| (i * 37 % 256) as u8).collect();
    let spec = Zoom::<f32>::new(shape, [0.1, 0.4], k).axis(0).batch(2);
    let frequencies = spec.frequencies().unwrap();
    let spec = spec.map_input::<u8>(input).unwrap().map_output::<f32>(output).unwrap();
    let text = spec.to_string();
    assert!(text.contains(" from u8 by `f32(value) * 0.01") && text.contains(" to f32 by `length(value)"), "{text}");
    let x: Vec<Complex64> = bytes
        .iter()
        .enumerate()
        .map(|(i, &byte)| {
            let [i0, i1, batch] = [i / 4 % 10, i % 4, i / 40].map(|i| i as f64);
            (f64::from(byte) * 0.01 * (1.0 + i0 * 0.25) + i1 - batch).into()
        })
        .collect();
    let expected = zoom(&x, &shape, 0, &frequencies);
    for profile in profiles() {
        for program in programs(&spec, &profile) {
            let actual: Vec<f32> = run_with(&program, &[&bytes], &[("factors", wgpu_fft::bytemuck::bytes_of(&factors))], 1, 1);
            assert_eq!(actual.len(), 2 * k * 4);
            for (i, (actual, z)) in actual.iter().zip(&expected).enumerate() {
                let expected = z.norm() + 100.0 * (i / 4 % k) as f64 + 10.0 - (i % 4 + i / (4 * k)) as f64;
                assert!((f64::from(*actual) - expected).abs() < 2e-3, "{i}: {actual} {expected} of {program}");
            }
        }
    }
    let complex = Zoom::<Complex32>::new(9, [0.0, 0.5], 5).map_input::<f32>(Fragment::new("vec2(value, -value)")).unwrap();
    let x = noise(9, 3);
    let wide_x: Vec<Complex64> = x.iter().map(|&x| Complex64::new(x.into(), -f64::from(x))).collect();
    for program in programs(&complex, &profiles()[0]) {
        close(&program.run_on_host::<f32, Complex32>(&x), &zoom(&wide_x, &[9], 0, &[0.0, 0.1, 0.2, 0.3, 0.4]), &program);
    }
}

/// Also where another axis comes last in the transforms.
#[test]
fn resampling_has_maps() {
    let input = "f32(value) + 10.0 * f32(i0) + 3.0 * f32(i1) + f32(i2) - 5.0 * f32(batch) + 0.5 * f32(n1)";
    let output = "vec2(value, 1000.0 * f32(batch) + 100.0 * f32(i0) + 10.0 * f32(i1) + f32(i2) + 0.125 * f32(n0))";
    for (from, to) in [([6, 5, 3], [4, 8, 3]), ([6, 5, 3], [6, 7, 3]), ([5, 4, 2], [5, 4, 3]), ([6, 2, 3], [4, 2, 3])] {
        let one: usize = from.iter().product();
        let bytes: Vec<u8> = (0..2 * one).map(|i| (i * 37 % 256) as u8).collect();
        let place = |i: usize, shape: &[usize; 3]| {
            let (planes, row) = (shape[1] * shape[2], shape[2]);
            [i / planes % shape[0], i / row % shape[1], i % row, i / planes / shape[0]].map(|i| i as f64)
        };
        let x: Vec<Complex64> = bytes
            .iter()
            .enumerate()
            .map(|(i, &byte)| {
                let [i0, i1, i2, batch] = place(i, &from);
                (f64::from(byte) + 10.0 * i0 + 3.0 * i1 + i2 - 5.0 * batch + 0.5 * from[1] as f64).into()
            })
            .collect();
        let expected: Vec<Complex64> = x.chunks(one).flat_map(|x| resample(x, &from, &to)).collect();
        let spec = Resample::<f32>::new(from, to).batch(2);
        let spec = spec.map_input::<u8>(Fragment::new(input)).unwrap().map_output::<[f32; 2]>(Fragment::new(output)).unwrap();
        assert!(spec.to_string().contains(" from u8 by `f32(value) + 10.0"), "{spec}");
        for profile in profiles() {
            for program in programs(&spec, &profile) {
                let actual: Vec<[f32; 2]> = program.run_on_host(&bytes);
                assert_eq!(actual.len(), expected.len());
                for (i, ([value, at], z)) in actual.iter().zip(&expected).enumerate() {
                    let [i0, i1, i2, batch] = place(i, &to);
                    let expected = 1000.0 * batch + 100.0 * i0 + 10.0 * i1 + i2 + 0.125 * to[0] as f64;
                    assert_eq!(f64::from(*at), expected, "{i} of {program}");
                    assert!((f64::from(*value) - z.re).abs() < 1e-3, "{i}: {value} {z} of {program}");
                }
            }
        }
    }
    let spec = Resample::<Complex32>::new([4, 6], [4, 4]).map_input::<f32>(Fragment::new("vec2(value, f32(i1))")).unwrap();
    let x = noise(24, 3);
    let wide_x: Vec<Complex64> = x.iter().enumerate().map(|(i, &x)| Complex64::new(x.into(), (i % 6) as f64)).collect();
    for program in programs(&spec, &profiles()[0]) {
        close(&program.run_on_host::<f32, Complex32>(&x), &resample(&wide_x, &[4, 6], &[4, 4]), &program);
    }
    let error = Resample::<f32>::new([4, 6], [4, 4]).map_input::<u8>(Fragment::new("f32(value) * gain")).unwrap_err();
    assert!(error.to_string().contains("line 1, column 14"), "{error}");
}

#[test]
fn scipy_agrees() {
    let integers = |i: usize| ((i * i * 7 + 3 * i) % 17) as f32 / 8.0 - 1.0;
    let profile = &profiles()[0];
    let numbers = |text: &str| text.split('x').map(|n| n.parse().unwrap()).collect::<Vec<usize>>();
    let mut cases = [0, 0];
    for line in include_str!("../data/spectra.txt").lines().filter(|line| !line.starts_with('#')) {
        let (head, values) = line.split_once(": ").unwrap();
        let words: Vec<&str> = head.split(' ').collect();
        let shape = numbers(words[2]);
        let values: Vec<f64> = values.split(' ').map(|value| value.parse().unwrap()).collect();
        let is_real = words[1] == "real";
        let expected: Vec<Complex64> = if is_real && words[0] == "resample" {
            values.iter().map(|&x| Complex64::from(x)).collect()
        } else {
            values.chunks(2).map(|pair| Complex64::new(pair[0], pair[1])).collect()
        };
        let z: Vec<Complex32> = (0..shape.iter().product()).map(|i| Complex32::new(integers(i), integers(i + 5))).collect();
        let x: Vec<f32> = narrow(&z);
        let actual: Vec<Complex32> = if words[0] == "zoom" {
            cases[0] += 1;
            let number = |i: usize| words[i].parse::<f64>().unwrap();
            macro_rules! zoomed {
                ($type:ty, $x:expr) => {{
                    let spec = Zoom::<$type>::new(&shape, [number(4), number(5)], words[6].parse().unwrap());
                    let spec = spec.axis(words[3].parse().unwrap()).endpoint(words[7] == "closed");
                    spec.lower(&spec.design(profile).unwrap(), profile).unwrap().run_on_host(&$x)
                }};
            }
            if is_real { zoomed!(f32, x) } else { zoomed!(Complex32, z) }
        } else {
            cases[1] += 1;
            macro_rules! resampled {
                ($type:ty, $x:expr) => {{
                    let spec = Resample::<$type>::new(&shape, numbers(words[3]));
                    back(&spec.lower(&spec.design(profile).unwrap(), profile).unwrap().run_on_host::<$type, $type>(&$x))
                }};
            }
            if is_real { resampled!(f32, x) } else { resampled!(Complex32, z) }
        };
        close(&actual, &expected, &head);
    }
    assert_eq!(cases, [12, 40]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let profile = &profiles()[0];
    fn plan<S: Spec>(spec: &S, profile: &DeviceProfile) -> Error {
        let error = spec.design(profile).unwrap_err();
        let recipe = "forward axis 0: stockham 2 lanes=1 lines=1 exchange=split pieces=1 banks=32 roots=products";
        let lengths = format!("lengths=64 / {recipe}");
        // Lowering finds the same.
        if let Ok(recipe) = recipe.parse::<S::Recipe>().or(lengths.parse()) {
            assert_eq!(spec.lower(&recipe, profile).unwrap_err(), error);
        }
        error
    }
    macro_rules! refused {
        ($spec:expr, $kind:ident, $($part:expr),*) => {{
            let error = plan(&$spec, profile);
            assert!(matches!(error, Error::$kind { .. }), "{error:?}");
            let text = error.to_string();
            assert!([$($part),*].iter().all(|part| text.contains(part)), "{text}");
        }};
    }
    let zoom = |shape: &[usize], band, points| Zoom::<f32>::new(shape, band, points);
    refused!(zoom(&[8], [0.0, f64::NAN], 4), Unsupported, "frequency NaN", "not finite");
    refused!(zoom(&[8], [f64::NEG_INFINITY, 0.0], 4), Unsupported, "frequency -inf");
    refused!(zoom(&[8, 9], [0.0, 0.5], 4).axis(2), Unsupported, "axis 2", "8x9", "0 to 1");
    refused!(zoom(&[2, 2, 2, 2], [0.0, 0.5], 4), Unsupported, "at most 3 axes, not 4");
    refused!(zoom(&[8], [0.0, 0.5], 0), Empty, "0");
    refused!(zoom(&[0], [0.0, 0.5], 4), Empty, "0");
    refused!(zoom(&[8], [0.0, 0.5], 4).batch(0), Empty, "x0");
    refused!(zoom(&[1 << 17, 8], [0.0, 0.5], 1 << 16), LimitExceeded, "131072x65536");
    let long = zoom(&[1 << 31], [0.0, 0.5], 2).design(profile).unwrap_err();
    assert!(matches!(long, Error::LimitExceeded { required: 0x8000_0001, .. }), "{long}");
    assert!(matches!(zoom(&[8], [0.0, f64::INFINITY], 4).frequencies(), Err(Error::Unsupported { .. })));

    let bins = |shape: &[usize], bins: &[usize]| Frequencies::<f32>::bins(shape, bins);
    refused!(bins(&[8], &[1, 8]), Unsupported, "bin 8", "0 to 7");
    refused!(bins(&[8], &[]), Empty, "0");
    refused!(bins(&[0], &[]), Empty, "0");
    refused!(bins(&[8, 9], &[1]).axis(2), Unsupported, "axis 2", "8x9", "0 to 1");
    refused!(bins(&[2, 2, 2, 2], &[1]), Unsupported, "at most 3 axes, not 4");
    refused!(Frequencies::<f32>::new(8, [0.0, f64::NAN]), Unsupported, "frequency NaN", "not finite");
    refused!(Frequencies::<f32>::new(8, [0.5]).axis(usize::MAX), Unsupported, "axis 18446744073709551615");
    refused!(zoom(&[8], [0.0, 0.5], 4).axis(usize::MAX), Unsupported, "axis 18446744073709551615");
    refused!(Frequencies::<f32>::new(1 << 26, vec![0.1; 64]), LimitExceeded, "64x67108864");

    let resample = |from: &[usize], to: &[usize]| Resample::<f32>::new(from, to);
    refused!(resample(&[8, 8], &[4]), Unsupported, "2 axes", "has 1");
    refused!(resample(&[2; 4], &[2; 4]), Unsupported, "4 axes", "at most 3");
    refused!(resample(&[8], &[0]), Empty, "0");
    refused!(resample(&[0], &[8]), Empty, "0");
    refused!(resample(&[8], &[4]).batch(0), Empty, "x0");
    refused!(resample(&[1 << 16, 4], &[1 << 16, 1 << 17]), LimitExceeded, "65536x131072");

    // Recipes for something else.
    let spec = zoom(&[30], [0.1, 0.2], 10);
    let own = spec.design(profile).unwrap();
    let By::Transforms { filter, .. } = &own.by else { panic!("{own}") };
    let unfit = |text: String, why: &str| {
        let error = spec.lower(&text.parse().unwrap(), profile).unwrap_err();
        assert!(matches!(error, Error::UnfitRecipe { .. }) && error.to_string().contains(why), "{error}");
    };
    unfit(format!("lengths=38 / {filter}"), "38 is too short: it needs at least 39");
    unfit(format!("lengths=64x64 / {filter}"), "2 lengths for one axis");
    let kernel = filter.to_string().replace("middle", "kernel");
    unfit(format!("lengths={} / {kernel} / {filter}", own.lengths[0]), "whose spectrum is constant");
    let spec = resample(&[8], &[6]);
    let own = spec.design(profile).unwrap().to_string();
    let (forward, _) = own.split_once(" / ").unwrap();
    let error = spec.lower(&forward.parse().unwrap(), profile).unwrap_err();
    assert!(error.to_string().contains("`forward` and `back`"), "{error}");
    assert!("resample f32 8 x0".parse::<Resample<f32>>().is_err());
    assert!("zoom f32 8 to 4 in 0.5".parse::<Zoom<f32>>().unwrap_err().to_string().contains("0.1..0.2"));
}

/// Frequencies that one binding cannot hold.
#[test]
fn a_spectrum_fits_one_binding() {
    let profile = profiles()[0].with(|profile| profile.binding_bytes = 1024);
    let spec = Resample::<Complex32>::new([64, 16], [32, 8]);
    let program = spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap();
    let error = program.check(&profile).unwrap_err();
    assert!(matches!(error, Error::LimitExceeded { limit: "max_storage_buffer_binding_size", .. }), "{error}");
}
