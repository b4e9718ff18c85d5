//! Programs on the kernels' host mirrors, against references in f64.

use wgpu_fft::fft::{C2c, Recipe, Scale};
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::reduce::Reduce;
use wgpu_fft::transpose::{self, Transpose};
use wgpu_fft::{Complex32, Spec};

use crate::recipes_by_hand::{TRANSPOSES, row_recipes};
use crate::variants::profiles;

fn noise(len: usize) -> Vec<Complex32> {
    let value = |i: usize| ((i as u32).wrapping_mul(0x9e37_79b1) >> 8) as f32 / 8_388_608.0 - 1.0;
    (0..len).map(|i| Complex32::new(value(2 * i), value(2 * i + 1))).collect()
}

/// The definition, over both axes of each matrix.
fn dft(data: &[Complex32], rows: usize, columns: usize, sign: f64) -> Vec<Complex64> {
    let mut data: Vec<Complex64> = data.iter().map(|z| Complex64::new(z.re.into(), z.im.into())).collect();
    let root = |k: usize, n: usize| Complex64::cis(sign * std::f64::consts::TAU * (k % n) as f64 / n as f64);
    for row in data.chunks_exact_mut(columns) {
        let x = row.to_vec();
        for (k, y) in row.iter_mut().enumerate() {
            *y = x.iter().enumerate().map(|(j, x)| x * root(j * k, columns)).sum();
        }
    }
    for matrix in data.chunks_exact_mut(rows * columns) {
        let x = matrix.to_vec();
        for (i, y) in matrix.iter_mut().enumerate() {
            let (k, c) = (i / columns, i % columns);
            *y = (0..rows).map(|j| x[j * columns + c] * root(j * k, rows)).sum();
        }
    }
    data
}

fn error(actual: &[Complex32], expected: &[Complex64]) -> f64 {
    let squares = actual.iter().zip(expected).map(|(a, e)| (Complex64::new(a.re.into(), a.im.into()) - e).norm_sqr());
    let error = (squares.sum::<f64>() / expected.iter().map(Complex64::norm_sqr).sum::<f64>()).sqrt();
    if error.is_nan() { f64::INFINITY } else { error }
}

fn check(spec: &C2c, recipe: &Recipe, [rows, columns]: [usize; 2], batch: usize, sign: f64, factor: f64, stays: bool) {
    for profile in profiles() {
        let Ok(program) = spec.lower(recipe, &profile) else { continue };
        let input = noise(rows * columns * batch);
        let mut expected: Vec<Complex64> = dft(&input, rows, columns, sign).into_iter().map(|z| z * factor).collect();
        if stays {
            let index = |i: usize| i / (rows * columns) * rows * columns + i % rows * columns + i / rows % columns;
            expected = (0..expected.len()).map(|i| expected[index(i)]).collect();
        }
        let output: Vec<Complex32> = program.run_on_host(&input).unwrap();
        let error = error(&output, &expected);
        assert!(error < 1e-6, "error {error:.1e} on {} of {program}", profile.name);
    }
}

#[test]
fn row_transforms() {
    for n in (0..=8).map(|log2| 1usize << log2) {
        let (forward, inverse) = (C2c::forward(n).batch(5), C2c::inverse(n).batch(5).in_place().scale(Scale::InvLen));
        let mut recipes = row_recipes(n);
        recipes.extend(profiles().iter().map(|profile| forward.design(profile).unwrap()));
        for recipe in recipes {
            check(&forward, &recipe, [1, n], 5, -1.0, 1.0, false);
            check(&inverse, &recipe, [1, n], 5, 1.0, 1.0 / n as f64, false);
        }
    }
}

#[test]
fn transforms_of_two_axes() {
    let profile = &profiles()[0];
    for shape in [[8, 8], [2, 32], [16, 4], [1, 16], [16, 1]] {
        let designed = |spec: C2c| (spec.design(profile).unwrap(), spec);
        for (recipe, spec, sign, factor, stays) in [
            (C2c::forward(shape), -1.0, 1.0, false),
            (C2c::inverse(shape).in_place().scale(Scale::InvLen), 1.0, 1.0 / (shape[0] * shape[1]) as f64, false),
            (C2c::forward(shape).transposed(), -1.0, 1.0, true),
            (C2c::inverse(shape).transposed().in_place(), 1.0, 1.0, true),
        ]
        .map(|(spec, sign, factor, stays)| {
            let (recipe, spec) = designed(spec.batch(3));
            (recipe, spec, sign, factor, stays)
        }) {
            check(&spec, &recipe, shape, 3, sign, factor, stays);
        }
    }
}

/// The mirror of a transform does not see a mistake in the reference, so the reference is held against what is known.
#[test]
fn the_reference_and_the_comparison_can_fail() {
    let mut impulse = vec![Complex32::ZERO; 8];
    impulse[1] = Complex32::ONE;
    let expected: Vec<Complex64> = (0..8).map(|k| Complex64::cis(-std::f64::consts::TAU * k as f64 / 8.0)).collect();
    let output = dft(&impulse, 1, 8, -1.0);
    assert!(output.iter().zip(&expected).all(|(a, b)| (a - b).norm() < 1e-15));
    assert!(error(&noise(8), &dft(&noise(8), 1, 8, -1.0)) > 0.1);
    assert_eq!(error(&[Complex32::new(f32::NAN, 0.0)], &[Complex64::ONE]), f64::INFINITY);
}

#[test]
fn transposes() {
    for profile in profiles() {
        for (rows, columns, batch) in [(1, 1, 1), (1, 9, 2), (9, 1, 1), (16, 16, 1), (33, 17, 3), (64, 5, 2)] {
            let spec = Transpose::<[u32; 2]>::new([rows, columns]).batch(batch);
            let input: Vec<[u32; 2]> = (0..(rows * columns * batch) as u32).map(|i| [i, !i]).collect();
            let at = |i: usize| i / (rows * columns) * rows * columns + i % rows * columns + i / rows % columns;
            let expected: Vec<[u32; 2]> = (0..input.len()).map(|i| input[at(i)]).collect();
            let mut recipes = vec![spec.design(&profile).unwrap()];
            recipes.extend(TRANSPOSES.iter().map(|text| text.parse::<transpose::Recipe>().unwrap()));
            for recipe in recipes {
                let Ok(program) = spec.lower(&recipe, &profile) else { continue };
                assert_eq!(program.run_on_host::<_, [u32; 2]>(&input).unwrap(), expected, "{program}");
            }
        }
    }
}

#[test]
fn reductions_repeat_until_one_value_is_left() {
    let profile = &profiles()[0];
    for n in [1, 2, 255, 256, 257, 65_536, 65_537, 1 << 22, (1 << 22) + 1] {
        let spec = Reduce::<i32>::sum(n);
        let program = spec.lower(&spec.design(profile).unwrap(), profile).unwrap();
        let input: Vec<i32> = (0..n as i32).map(|i| i.wrapping_mul(0x9e3_779b)).collect();
        let expected = input.iter().fold(0i32, |a, &b| a.wrapping_add(b));
        assert_eq!(program.run_on_host::<_, i32>(&input).unwrap(), [expected], "{program}");
    }
    let spec = Reduce::<f32>::sum(1 << 22);
    let program = spec.lower(&"tree 256".parse().unwrap(), profile).unwrap().to_string();
    for pass in ["reduce 4194304 -> 16384", "reduce 16384 -> 64", "reduce 64 -> 1"] {
        assert!(program.contains(pass), "{program}");
    }
}

#[test]
fn inputs_of_another_length_are_refused() {
    let spec = Reduce::<f32>::sum(8);
    let program = spec.lower(&"tree 4".parse().unwrap(), &profiles()[0]).unwrap();
    let error = program.run_on_host::<f32, f32>(&[0.0; 7]).unwrap_err();
    assert_eq!(error, wgpu_fft::Error::WrongLen { argument: "input", expected: 8, actual: 7 });
}
