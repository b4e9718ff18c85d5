//! Fragments and parts of arrays in Fourier transforms, run on the host and compared with rustfft
//! in f64 and with the same mathematics in Rust.
#![allow(clippy::single_range_in_vec_init, reason = "a part of one axis is one range")]

use std::f64::consts::TAU;
use std::ops::Range;

use wgpu_fft::fft::{C2c, C2r, R2c, Scale};
use wgpu_fft::half::f16;
use wgpu_fft::low_level::recipes::fft::Recipe;
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::{Complex32, Element, Error, Fragment, Layout, Spec};

use crate::lists::share;
use crate::recipes_by_hand::{COMPLEX, REAL};
use crate::reference::*;
use crate::sanitized::{self, UNWRITTEN};
use crate::transform_cases::of_whole;
use crate::variants::{profiles, profiles_of};

/// A fragment of these tests rounds a number at most so many times.
const ROUNDINGS: f64 = 4.0;

/// Runs a transform of a shape by every recipe, and returns how many solved it. Besides the result,
/// `check` gets the bound of its error.
fn every_recipe<S: Spec<Recipe = Recipe>>(
    spec: &S,
    shape: &[usize],
    by_hand: &[&str],
    input: &[S::Input],
    arrays: &[(&str, &[u8])],
    check: impl Fn(&[S::Output], f64, &str),
) -> usize {
    let mut all: Vec<_> = profiles_of(spec)
        .into_iter()
        .map(|profile| {
            let recipe = spec.design(&profile).unwrap_or_else(|error| panic!("{spec} on {}: {error}", profile.name));
            (profile, recipe, true)
        })
        .collect();
    all.extend(share(by_hand, 3, input.len()).map(|text| (profiles().remove(0), text.parse().unwrap(), false)));
    let mut solved = 0;
    for (profile, recipe, by_rules) in all {
        let program = match spec.lower(&recipe, &profile) {
            Err(Error::UnfitRecipe { .. } | Error::LimitExceeded { .. }) if !by_rules => continue,
            program => program.unwrap_or_else(|error| panic!("{spec} by {recipe} on {}: {error}", profile.name)),
        };
        program.check(&profile).unwrap_or_else(|error| panic!("{program}: {error}"));
        let output: Vec<S::Output> = sanitized::run_with(&program, &[input], arrays, 1, 1);
        check(&output, bound_by(&recipe, shape) + ROUNDINGS * ROUNDOFF, &format!("{program}\n{recipe}"));
        solved += 1;
    }
    solved
}

type ByHand = &'static [(&'static [usize], &'static [&'static str])];

/// The recipes by hand for a shape.
fn by_hand(all: ByHand, shape: &[usize]) -> Vec<&'static str> {
    all.iter().filter(|(own, _)| *own == shape).flat_map(|(_, recipes)| recipes.iter().copied()).collect()
}

/// The recipes by hand for a real transform.
fn real_by_hand(shape: &[usize]) -> Vec<&'static str> {
    REAL.iter().filter(|(own, _)| *own == shape).flat_map(|(_, recipes)| recipes.iter().copied().flatten().copied()).collect()
}

/// A shape with its windows.
struct Case {
    shape: Vec<usize>,
    batch: usize,
    input: Vec<Range<i64>>,
    output: Vec<Range<i64>>,
}

impl Case {
    fn new(shape: &[usize]) -> Self {
        let whole: Vec<Range<i64>> = shape.iter().map(|&n| 0..n as i64).collect();
        Self { shape: shape.to_vec(), batch: 1, input: whole.clone(), output: whole }
    }

    fn all(windows: &[Range<i64>]) -> usize {
        windows.iter().map(|window| (window.end - window.start) as usize).product()
    }

    /// For each element of an array with these windows, slowest first, its index in the whole array.
    fn places(&self, windows: &[Range<i64>]) -> Vec<usize> {
        let extents: Vec<usize> = windows.iter().map(|window| (window.end - window.start) as usize).collect();
        let one = Self::all(windows);
        let elements: usize = self.shape.iter().product();
        (0..self.batch * one)
            .map(|i| {
                let mut rest = i % one;
                let mut place = 0;
                let mut stride = 1;
                for axis in (0..self.shape.len()).rev() {
                    let index = windows[axis].start + (rest % extents[axis]) as i64;
                    rest /= extents[axis];
                    place += index.rem_euclid(self.shape[axis] as i64) as usize * stride;
                    stride *= self.shape[axis];
                }
                i / one * elements + place
            })
            .collect()
    }

    /// The transform of an array with the windows of the input, in the windows of the output.
    fn transformed(&self, input: &[Complex64], inverse: bool) -> Vec<Complex64> {
        let elements: usize = self.shape.iter().product();
        let mut whole = vec![Complex64::ZERO; elements * self.batch];
        self.places(&self.input).into_iter().zip(input).for_each(|(place, value)| whole[place] = *value);
        let axes: Vec<usize> = (0..self.shape.len()).collect();
        dft(&mut whole, &self.shape, &axes, inverse);
        self.places(&self.output).into_iter().map(|place| whole[place]).collect()
    }

    fn noise(&self) -> Vec<Complex32> {
        complex_noise(Self::all(&self.input) * self.batch, self.shape.len() as u64)
    }

    fn spec(&self, spec: C2c) -> C2c {
        let whole = |windows: &[Range<i64>]| windows.iter().zip(&self.shape).all(|(window, &n)| *window == (0..n as i64));
        let mut spec = spec.batch(self.batch);
        if !whole(&self.input) {
            spec = spec.input_part(self.input.clone());
        }
        if !whole(&self.output) {
            spec = spec.output_part(self.output.clone());
        }
        spec
    }
}

fn close(actual: &[Complex32], expected: &[Complex64], bound: f64, what: &str) {
    assert_eq!(actual.len(), expected.len(), "{what}");
    assert!(actual.iter().all(|z| z.re.to_bits() != UNWRITTEN), "{what}");
    let error = relative_error(actual, expected);
    assert!(error <= bound, "error {error:.2e}, more than {bound:.2e}, of {what}");
}

fn windowed(shape: &[usize], input: &[Range<i64>], output: &[Range<i64>], batch: usize) -> usize {
    let case = Case { batch, input: input.to_vec(), output: output.to_vec(), ..Case::new(shape) };
    let noise = case.noise();
    let mut solved = 0;
    for inverse in [false, true] {
        let spec = if inverse { C2c::inverse(shape) } else { C2c::forward(shape) };
        let expected = case.transformed(&wide(&noise), inverse);
        solved += every_recipe(&case.spec(spec), shape, &by_hand(COMPLEX, shape), &noise, &[], |actual, bound, what| {
            close(actual, &expected, bound, what)
        });
    }
    solved
}

#[test]
fn parts_of_axes_are_padded_and_cropped() {
    for n in [1, 2, 3, 8, 12, 31, 37, 64, 97, 100, 256, 509, 1024] {
        let half = (n as i64 + 1) / 2;
        let whole = 0..n as i64;
        for input in [0..half, 0..1, half - 1..n as i64, -half..0, whole.clone()] {
            let outputs = [whole.clone(), 0..half, -half / 2..(half + 1) / 2 + 1, half - 1..n as i64];
            for output in share(outputs, 2, usize::from(input.start != 0)) {
                if (output.end - output.start) as usize <= n {
                    windowed(&[n], std::slice::from_ref(&input), &[output], 3);
                }
            }
        }
    }
    windowed(&[16, 24], &[0..8, 0..12], &[-4..4, -6..6], 2);
    windowed(&[16, 24], &[-3..3, -5..4], &[0..16, 2..9], 1);
    windowed(&[97, 64], &[0..50, 0..20], &[0..97, -3..9], 1);
    windowed(&[8, 6, 10], &[0..4, -2..3, 0..5], &[1..7, 0..6, -4..4], 1);
    windowed(&[256, 128], &[0..128, 0..64], &[0..256, 0..128], 1);
    for (shape, _) in COMPLEX.iter().filter(|(shape, _)| shape.iter().product::<usize>() > 2) {
        let parts = |first: i64| shape.iter().map(|&n| -first * (n as i64 / 4)..(n as i64 + 1) / 2).collect::<Vec<_>>();
        windowed(shape, &parts(0), &parts(1), 2);
        windowed(shape, &parts(1), &parts(0), 1);
    }
}

#[test]
fn parts_of_long_axes() {
    for (n, input, output) in [(4096, 0..1000, 0..4096), (8192, -100..3000, -500..500), (20_011, 0..9000, 0..300), (65_536, 7..600, -5..9)]
    {
        windowed(&[n], &[input], &[output], 1);
    }
}

#[test]
fn parts_of_real_transforms() {
    for shape in [
        vec![8usize],
        vec![12],
        vec![9],
        vec![64],
        vec![1],
        vec![2],
        vec![37],
        vec![256],
        vec![6, 16],
        vec![9, 15],
        vec![5, 12, 8],
        vec![128, 200],
        vec![4096],
        vec![60],
        vec![240],
    ] {
        let rank = shape.len();
        let last = shape[rank - 1];
        let mut case = Case::new(&shape);
        for (padded, cropped) in [(1, 1), (2, 1), (1, 2), (2, 2), (3, 3)] {
            let parts = |by: i64| {
                shape
                    .iter()
                    .enumerate()
                    .map(move |(axis, &n)| {
                        let n = n as i64;
                        // Rows of even parts can be taken as complex numbers, others cannot.
                        if axis + 1 == rank { 0..(n / by).max(1) } else { -(n / by / 2)..(n + by - 1) / by - n / by / 2 }
                    })
                    .collect::<Vec<_>>()
            };
            case.batch = padded as usize;
            // Reals with a part, to a half-spectrum with a part.
            case.input = parts(padded);
            let half = (last / 2 + 1) as i64;
            case.output = parts(cropped);
            case.output[rank - 1] = 0..(half / cropped).max(1);
            let reals = noise(Case::all(&case.input) * case.batch, 7);
            let complex: Vec<Complex64> = reals.iter().map(|&x| f64::from(x).into()).collect();
            let expected = case.transformed(&complex, false);
            let spec = R2c::forward(shape.as_slice())
                .rows_may_mix()
                .batch(case.batch)
                .input_part(case.input.clone())
                .output_part(case.output.clone());
            every_recipe(&spec, &shape, &real_by_hand(&shape), &reals, &[], |actual, bound, what| close(actual, &expected, bound, what));
            // And back: a half-spectrum with a part, to reals with a part.
            let (input, output) = (case.output.clone(), case.input.clone());
            let spectrum = complex_noise(Case::all(&input) * case.batch, 3);
            // The rest of the spectrum by symmetry.
            let elements: usize = shape.iter().product();
            let mut halves = shape.clone();
            halves[rank - 1] = last / 2 + 1;
            let stored: usize = halves.iter().product();
            let of_halves = Case { shape: halves.clone(), batch: case.batch, input: input.clone(), output: input.clone() };
            let mut padded_half = vec![Complex64::ZERO; stored * case.batch];
            of_halves.places(&input).into_iter().zip(wide(&spectrum)).for_each(|(place, z)| padded_half[place] = z);
            let other: Vec<usize> = (0..rank - 1).collect();
            dft(&mut padded_half, &halves, &other, true);
            let mut whole = of_whole(&padded_half, &shape);
            assert_eq!(whole.len(), elements * case.batch);
            dft(&mut whole, &shape, &[rank - 1], true);
            let out = Case { shape: shape.clone(), batch: case.batch, input: Vec::new(), output: output.clone() };
            let expected: Vec<Complex64> = out.places(&output).into_iter().map(|place| whole[place]).collect();
            let spec = C2r::inverse(shape.as_slice()).rows_may_mix().batch(case.batch).input_part(input).output_part(output);
            every_recipe(&spec, &shape, &real_by_hand(&shape), &spectrum, &[], |actual, bound, what| {
                let actual: Vec<Complex32> = actual.iter().map(|&x| x.into()).collect();
                close(&actual, &expected, bound, what);
            });
        }
    }
}

/// Indices, lengths and frequencies, as a fragment sees them, in one complex number.
const PLACE: &str = "vec2(f32(i0) + 100.0 * f32(i1) + 10000.0 * f32(batch), f32(n0) + 100.0 * f32(n1))";
const FREQUENCY: &str = "vec2(value.x * 0.0 + f32(k0) + 100.0 * f32(k1), f0 + 10.0 * f1)";

fn signed(k: usize, n: usize) -> f64 {
    if 2 * k >= n && n > 1 { k as f64 - n as f64 } else { k as f64 }
}

#[test]
fn fragments_see_indices_and_frequencies() {
    for shape in [[6, 10], [1, 8], [8, 1], [12, 9], [16, 64], [37, 4], [3, 4096]] {
        let [r, c] = shape;
        let mut case = Case { batch: 2, ..Case::new(&shape) };
        for cut in [false, true] {
            if cut {
                case.input = vec![0..(r as i64 + 1) / 2, -1..(c as i64) / 2];
                case.output = vec![-(r as i64) / 2..1, 0..(c as i64 + 1) / 2];
                if c < 2 {
                    case.input[1] = 0..1;
                }
            }
            let columns = (case.input[1].end - case.input[1].start) as usize;
            let one = Case::all(&case.input);
            let seen: Vec<Complex64> = (0..one * 2)
                .map(|i| {
                    let (batch, i0, i1) = (i / one, i % one / columns, i % one % columns);
                    Complex64::new(i0 as f64 + 100.0 * i1 as f64 + 10000.0 * batch as f64, r as f64 + 100.0 * c as f64)
                })
                .collect();
            let expected = case.transformed(&seen, false);
            let nothing = vec![0.0f32; one * 2];
            let spec = case.spec(C2c::forward(shape)).map_input::<f32>(Fragment::new(PLACE)).unwrap();
            every_recipe(&spec, &shape, &by_hand(COMPLEX, &shape), &nothing, &[], |actual, bound, what| {
                close(actual, &expected, bound, what)
            });

            let places = case.places(&case.output);
            let frequencies: Vec<Complex64> = places
                .iter()
                .map(|place| {
                    let (k0, k1) = (signed(place % (r * c) / c, r), signed(place % c, c));
                    Complex64::new(k0 + 100.0 * k1, k0 / r as f64 + 10.0 * k1 / c as f64)
                })
                .collect();
            let spec = case.spec(C2c::forward(shape)).map_output::<Complex32>(Fragment::new(FREQUENCY)).unwrap();
            let solved = every_recipe(&spec, &shape, &by_hand(COMPLEX, &shape), &case.noise(), &[], |actual, bound, what| {
                close(actual, &frequencies, bound, what)
            });
            assert!(solved > 0);
        }
    }
}

#[test]
fn fragments_of_real_transforms_see_indices_and_frequencies() {
    for shape in [[6, 10], [5, 8], [9, 7], [4, 1], [1, 2], [16, 64], [2, 74], [3, 8192]] {
        let [r, c] = shape;
        let half = c / 2 + 1;
        let reals: Vec<Complex64> =
            (0..2 * r * c).map(|i| Complex64::new((i % c) as f64 + 0.5 * (i / c % r) as f64 - 3.0 * (i / (r * c)) as f64, 0.0)).collect();
        let mut expected = reals.clone();
        dft(&mut expected, &shape, &[0, 1], false);
        let expected = of_half(&expected, &shape);
        let spec =
            R2c::forward(shape).batch(2).map_input::<u8>(Fragment::new("f32(i1) + 0.5 * f32(i0) - 3.0 * f32(batch) + f32(value)")).unwrap();
        every_recipe(&spec, &shape, &real_by_hand(&shape), &vec![0u8; 2 * r * c], &[], |actual, bound, what| {
            close(actual, &expected, bound, what)
        });

        let frequencies: Vec<Complex64> = (0..2 * r * half)
            .map(|i| {
                let (k0, k1) = (signed(i / half % r, r), (i % half) as f64);
                Complex64::new(k0 + 100.0 * k1, k0 / r as f64 + 10.0 * k1 / c as f64)
            })
            .collect();
        let spec = R2c::forward(shape).batch(2).map_output::<[f32; 2]>(Fragment::new(FREQUENCY)).unwrap();
        every_recipe(&spec, &shape, &real_by_hand(&shape), &noise(2 * r * c, 1), &[], |actual, bound, what| {
            let actual: Vec<Complex32> = actual.iter().map(|z| Complex32::new(z[0], z[1])).collect();
            close(&actual, &frequencies, bound, what);
        });

        // A filter on the way back: a derivative along the rows, by the frequencies of the input.
        let spectrum = complex_noise(2 * r * half, 5);
        let filtered: Vec<Complex64> = wide(&spectrum)
            .iter()
            .enumerate()
            .map(|(i, z)| z * Complex64::new(0.0, TAU * (i % half) as f64 / c as f64) * (1.0 + signed(i / half % r, r)))
            .collect();
        let mut along = filtered;
        dft(&mut along, &[r, half], &[0], true);
        let mut whole = of_whole(&along, &shape);
        dft(&mut whole, &shape, &[1], true);
        let spec = C2r::inverse(shape)
            .batch(2)
            .map_input::<Complex32>(Fragment::new("vec2(-value.y, value.x) * (6.283185307179586 * f1) * (1.0 + f32(k0))"))
            .unwrap()
            .map_output::<[f16; 2]>(Fragment::new(
                "vec2(0.0, 1.0) + 1e-3 * vec2(value + f32(i1) + 10.0 * f32(i0) + 100.0 * f32(batch), 0.0)",
            ))
            .unwrap();
        every_recipe(&spec, &shape, &real_by_hand(&shape), &spectrum, &[], |actual, _, what| {
            for (i, (actual, expected)) in actual.iter().zip(&whole).enumerate() {
                let expected = 1e-3 * (expected.re + (i % c) as f64 + 10.0 * (i / c % r) as f64 + 100.0 * (i / (r * c)) as f64);
                let error = (f64::from(actual[0].to_f32()) - expected).abs();
                assert!(
                    error < 2e-3 * expected.abs().max(0.05 * (c * r) as f64 * 1e-3 + 0.01) && actual[1] == f16::ONE,
                    "{i}: {} and {expected} of {what}",
                    actual[0]
                );
            }
        });
    }
}

#[test]
fn every_element_type_is_read_and_written() {
    fn check<T: wgpu_fft::elements::Readable>(elements: Vec<T>, expression: &str, value: impl Fn(usize) -> [f64; 2]) {
        let n = elements.len();
        let mut expected: Vec<Complex64> = (0..n)
            .map(|i| {
                let [re, im] = value(i);
                Complex64::new(re, im)
            })
            .collect();
        dft(&mut expected, &[n], &[0], false);
        let spec = C2c::forward(n).map_input::<T>(Fragment::new(expression)).unwrap();
        every_recipe(&spec, &[n], &[], &elements, &[], |actual, bound, what| close(actual, &expected, bound, what));
    }
    let n = 10usize;
    let byte = |i: usize| (i * 37 % 256) as u8;
    let short = |i: usize| (i * 7919 % 65536) as u16;
    let all = |f: fn(usize) -> f64| move |i: usize| [f(i), 0.0];
    check((0..n).map(byte).collect(), "vec2(f32(value), 0.0)", all(|i| (i * 37 % 256) as f64));
    check((0..n).map(|i| byte(i) as i8).collect(), "vec2(f32(value), 0.0)", all(|i| f64::from((i * 37 % 256) as u8 as i8)));
    check((0..n).map(short).collect(), "vec2(f32(value), 0.0)", all(|i| (i * 7919 % 65536) as f64));
    check((0..n).map(|i| short(i) as i16).collect(), "vec2(f32(value), 0.0)", all(|i| f64::from((i * 7919 % 65536) as u16 as i16)));
    check((0..n).map(|i| f16::from_f64(i as f64 / 4.0)).collect(), "vec2(value, 0.0)", all(|i| i as f64 / 4.0));
    check((0..n as u32).collect(), "vec2(f32(value), 0.0)", all(|i| i as f64));
    check((0..n as i32).map(|i| -i).collect(), "vec2(f32(value), 0.0)", all(|i| -(i as f64)));
    check((0..n).map(|i| [byte(i), byte(i + 1)]).collect(), "vec2<f32>(value)", move |i| [byte(i).into(), byte(i + 1).into()]);
    check((0..n).map(|i| [byte(i), byte(i + 1), byte(i + 2)]).collect(), "vec2<f32>(value.yz)", move |i| {
        [byte(i + 1).into(), byte(i + 2).into()]
    });
    check((0..n).map(|i| [byte(i), 1, byte(i + 1), byte(i + 2)]).collect(), "vec2<f32>(value.zw)", move |i| {
        [byte(i + 1).into(), byte(i + 2).into()]
    });
    check((0..n).map(|i| [f16::from_f64(i as f64), f16::ONE]).collect(), "value", |i| [i as f64, 1.0]);
    check((0..n).map(|i| [f16::ZERO, f16::from_f64(i as f64), f16::ONE, f16::ZERO]).collect(), "value.yz", |i| [i as f64, 1.0]);
    check((0..n).map(|i| [short(i), 1, 2, short(i + 1)]).collect(), "vec2<f32>(value.xw)", move |i| [short(i).into(), short(i + 1).into()]);
    check((0..n).map(|i| [i as f32, 1.0, 2.0, 3.0]).collect(), "value.xw", |i| [i as f64, 3.0]);

    fn stored<T: wgpu_fft::elements::Writable + PartialEq + std::fmt::Debug>(expression: &str, value: impl Fn(i32) -> T) {
        // A spectrum of an impulse: i0 is all that tells the numbers apart.
        let n = 12;
        let input: Vec<Complex32> = (0..n).map(|i| Complex32::new(if i == 0 { 1.0 } else { 0.0 }, 0.0)).collect();
        let spec = C2c::forward(n).map_output::<T>(Fragment::new(expression)).unwrap();
        let expected: Vec<T> = (0..n as i32).map(value).collect();
        every_recipe(&spec, &[n], &[], &input, &[], |actual, _, what| assert_eq!(actual, expected, "{what}"));
    }
    stored("f32(i0) * value.x", |i| i as f32);
    stored("i32(i0) - 5", |i| i - 5);
    stored("i0 * 7u", |i| i as u32 * 7);
    stored("vec4<u32>(i0, 1u, 255u, 256u + i0)", |i| [i as u8, 1, 255, i as u8]);
    stored("vec4<u32>(i0, 1u, 65535u, 65536u + i0)", |i| [i as u16, 1, 65535, i as u16]);
    stored("vec2(f32(i0), -0.5)", |i| [f16::from_f32(i as f32), f16::from_f32(-0.5)]);
    stored("vec4(f32(i0), -0.5, 2.0, f32(k0))", |i| {
        [i as f32, -0.5, 2.0, if i < 6 { i as f32 } else { i as f32 - 12.0 }].map(f16::from_f32)
    });
    stored("vec4(f32(i0), -0.5, 2.0, f0)", |i| [i as f32, -0.5, 2.0, (if i < 6 { i as f32 } else { i as f32 - 12.0 }) / 12.0]);
    stored("vec2<i32>(i32(i0), k0)", |i| [i, if i < 6 { i } else { i - 12 }]);
}

#[test]
fn arrays_and_uniforms_of_the_caller() {
    let n = 240;
    let shape = [n];
    let x = complex_noise(n, 1);
    let taps: Vec<f32> = noise(n, 2);
    let bytes: Vec<u8> = (0..7).map(|i| i * 30).collect();
    let settings = [2.0f32, 0.5, 0.25, 0.0];
    let input = Fragment::new("value * taps[i0] * load(i0) + vec2(settings.gain.y, f32(bytes[i0 % 9u]))")
        .functions("struct Settings { gain: vec4<f32> }\nfn load(i: u32) -> f32 { return taps[i] * roots; }\nconst roots = 2.0; // a name of the kernel's")
        .array::<f32>("taps", n)
        .array::<u8>("bytes", bytes.len())
        .uniform::<[f32; 4]>("settings", "Settings");
    let output = Fragment::new("value * taps[i0] * settings").array::<f32>("taps", n).uniform::<f32>("settings_2", "f32");
    assert!(C2c::forward(n).map_output::<Complex32>(output).is_err(), "`settings` is not declared on this side");
    let output = Fragment::new("value * taps[n0 - 1u - i0] * gain").array::<f32>("taps", n).uniform::<f32>("gain", "f32");
    let spec = C2c::forward(n).map_input::<Complex32>(input).unwrap().map_output::<Complex32>(output).unwrap();
    let mut expected: Vec<Complex64> = wide(&x)
        .iter()
        .enumerate()
        // Index 7 and 8 of 7 bytes read the last one.
        .map(|(i, z)| z * f64::from(taps[i]).powi(2) * 2.0 + Complex64::new(0.5, f64::from(bytes[(i % 9).min(6)])))
        .collect();
    dft(&mut expected, &[n], &[0], false);
    expected.iter_mut().enumerate().for_each(|(i, z)| *z *= f64::from(taps[n - 1 - i]) * 3.0);
    let gain = [3.0f32];
    let arrays: [(&str, &[u8]); 4] =
        [("taps", bytemuck(&taps)), ("bytes", &bytes), ("settings", bytemuck(&settings)), ("gain", bytemuck(&gain))];
    let solved =
        every_recipe(&spec, &shape, &by_hand(COMPLEX, &shape), &x, &arrays, |actual, bound, what| close(actual, &expected, bound, what));
    assert!(solved > 2);
    let text = spec.lower(&spec.design(&profiles()[0]).unwrap(), &profiles()[0]).unwrap().to_string();
    assert!(text.contains("`taps` 960 bytes") && text.contains("declared0"), "{text}");
}

fn bytemuck<T: Element>(values: &[T]) -> &[u8] {
    wgpu_fft::bytemuck::cast_slice(values)
}

#[test]
fn fragments_work_with_layouts_batches_axes_and_in_place() {
    let (shape, batch) = ([12, 20], 3);
    let [r, c] = shape;
    let x = complex_noise(r * c * batch, 9);
    let factor = |i: usize| 1.0 + (i % c) as f64 + 0.5 * (i / c % r) as f64 - 0.25 * (i / (r * c)) as f64;
    let fragment = || Fragment::new("value * (1.0 + f32(i1) + 0.5 * f32(i0) - 0.25 * f32(batch))");
    let scaled = |values: Vec<Complex64>| values.into_iter().enumerate().map(|(i, z)| z * factor(i)).collect::<Vec<_>>();
    for axes in [vec![0usize], vec![1], vec![0, 1]] {
        let mut expected = scaled(wide(&x));
        dft(&mut expected, &[r, c], &axes, true);
        let n: usize = axes.iter().map(|&axis| [r, c][axis]).product();
        let expected: Vec<Complex64> = scaled(expected).into_iter().map(|z| z / n as f64).collect();
        let spec = C2c::inverse([r, c]).batch(batch).axes(axes.as_slice()).scale(Scale::InvLen);
        let spec = spec.map_input::<Complex32>(fragment()).unwrap().map_output::<Complex32>(fragment()).unwrap();
        every_recipe(&spec, &shape, &by_hand(COMPLEX, &shape), &x, &[], |actual, bound, what| close(actual, &expected, bound, what));
        every_recipe(&spec.clone().in_place(), &shape, &by_hand(COMPLEX, &shape), &x, &[], |actual, bound, what| {
            close(actual, &expected, bound, what)
        });
        // Columns of a wider array, one picture beside the other.
        let layout = Layout::strides([batch * c + 1, 1]).batch_distance(c);
        let mut spread = vec![Complex32::new(f32::NAN, 0.0); (r - 1) * (batch * c + 1) + batch * c];
        for (i, z) in x.iter().enumerate() {
            spread[i / (r * c) * c + i / c % r * (batch * c + 1) + i % c] = *z;
        }
        every_recipe(&spec.input_layout(layout), &shape, &by_hand(COMPLEX, &shape), &spread, &[], |actual, bound, what| {
            close(actual, &expected, bound, what)
        });
    }
    let spec = C2c::forward([r, c]).map_input::<f32>(Fragment::new("vec2(value, 0.0)")).unwrap().in_place();
    let error = spec.design(&profiles()[0]).unwrap_err();
    assert!(error.to_string().contains("cannot change the type"), "{error}");
}

#[test]
fn wrong_parts_are_refused() {
    let profile = &profiles()[0];
    let why = |spec: &dyn Fn() -> Result<Recipe, Error>| spec().unwrap_err().to_string();
    for (input, part) in [
        (vec![0..3, 0..4, 0..1], "ranges for 3 axes"),
        (vec![0..3], "ranges for 1 axes"),
        (vec![3..3, 0..4], "(`c2c fwd 8x8 in-part=3..3,0..4`) is not supported: the part 3..3 of an axis is empty"),
        (vec![0..9, 0..4], "the part 0..9 of an axis of length 8"),
        (vec![-9..0, 0..4], "the part -9..0"),
        (vec![-5..5, 0..4], "not be longer than 8"),
    ] {
        let text = why(&|| C2c::forward([8, 8]).input_part(input.clone()).design(profile));
        assert!(text.contains(part), "{text}");
    }
    let text = why(&|| C2c::forward([8, 8]).axes([1]).output_part([0..4, 0..4]).design(profile));
    assert!(text.contains("axis 0 is not transformed"), "{text}");
    let text = why(&|| C2c::forward([8, 8]).output_part([0..4, 0..4]).in_place().design(profile));
    assert!(text.contains("in place"), "{text}");
    let text = why(&|| C2c::forward([8, 8]).output_part([0..4, 0..4]).transposed().design(profile));
    assert!(text.contains("transposed"), "{text}");
    let text = why(&|| R2c::forward(8).output_part([1..4]).design(profile));
    assert!(text.contains("must begin at 0"), "{text}");
    let text = "c2c fwd 2160x3840 in-part=0..1080,0..1920 out-part=-128..128,-128..128 1/n";
    assert_eq!(text.parse::<C2c>().unwrap().to_string(), text);
    assert!("c2c fwd 8 in-part=0-3".parse::<C2c>().is_err());
}

/// The value is loaded only for fragments that ask for it.
#[test]
fn what_is_not_asked_for_is_not_loaded() {
    for (text, loads) in [("vec2(f32(i0) - 20.0, 1.0)", false), ("value + vec2(f32(i0) - 20.0, 1.0)", true)] {
        let spec = C2c::forward(60).batch(2).map_input::<Complex32>(Fragment::new(text)).unwrap();
        let input = complex_noise(120, 9);
        let mut expected: Vec<Complex64> = (0..120).map(|i| Complex64::new((i % 60) as f64 - 20.0, 1.0)).collect();
        if loads {
            expected.iter_mut().zip(wide(&input)).for_each(|(sum, value)| *sum += value);
        }
        dft(&mut expected, &[2, 60], &[1], false);
        every_recipe(&spec, &[60], &[], &input, &[], |actual, bound, what| close(actual, &expected, bound, what));
        let program = spec.lower(&spec.design(&profiles()[0]).unwrap(), &profiles()[0]).unwrap();
        let texts: Vec<String> = program.wgsl().collect();
        assert_eq!(texts.iter().any(|text| text.contains("= load(")), loads, "{texts:?}");
    }
}
