//! Convolutions and correlations, run on the host and compared with direct sums in f64.

use wgpu_fft::elements::Number;
use wgpu_fft::fft::{C2c, R2c};
use wgpu_fft::low_level::recipes::signal::{By, Convolve as Recipe};
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::signal::Convolve;
use wgpu_fft::signal::Mode;
use wgpu_fft::{Complex32, DeviceProfile, Edge, Error, Program, Spec, bytemuck};

use crate::convolutions::{Case, EDGES, MODES};
use crate::lists::share;
use crate::reference::*;
use crate::sanitized::{self, RunOnHost};
use crate::variants::{profiles, profiles_of};

fn check(case: &Case, batch: usize, for_each: bool, profiles_taken: usize) {
    let (one, own): (usize, usize) = (case.shape.iter().product(), case.kernel.iter().product());
    let kernels = if for_each { batch } else { 1 };
    let (x, w) = (complex_noise(one * batch, 1), complex_noise(own * kernels, 2));
    let expected = |x: &[Complex64], w: &[Complex64]| -> Vec<Complex64> {
        (0..batch).flat_map(|b| case.direct(&x[b * one..(b + 1) * one], &w[b % kernels * own..(b % kernels + 1) * own])).collect()
    };
    let spec = |spec: Convolve<Complex32>| if for_each { spec.batch(batch).kernel_for_each() } else { spec.batch(batch) };
    let complex = spec(case.spec::<Complex32>());
    every_recipe(&complex, profiles_taken, &x, &w, &expected(&wide(&x), &wide(&w)), |z| z);
    let reals = |values: &[Complex32]| values.iter().map(|z| z.re).collect::<Vec<f32>>();
    let real = |values: &[f32]| values.iter().map(|&x| Complex64::from(f64::from(x))).collect::<Vec<_>>();
    let (x, w) = (reals(&x), reals(&w));
    let spec = case.spec::<f32>().batch(batch);
    let spec = if for_each { spec.kernel_for_each() } else { spec };
    every_recipe(&spec, profiles_taken, &x, &w, &expected(&real(&x), &real(&w)), Complex32::from);
}

/// Convolutions whose kernel is given by its spectrum, for each of their numbers.
trait BySpectrum: Number {
    type Transform: Spec<Input = Self, Output = Complex32>;

    fn by_spectrum(spec: Convolve<Self>, profile: &DeviceProfile) -> wgpu_fft::Result<(Self::Transform, Convolve<Self>)>;
}

impl BySpectrum for f32 {
    type Transform = R2c;

    fn by_spectrum(spec: Convolve<Self>, profile: &DeviceProfile) -> wgpu_fft::Result<(R2c, Convolve<Self>)> {
        spec.by_spectrum(profile)
    }
}

impl BySpectrum for Complex32 {
    type Transform = C2c;

    fn by_spectrum(spec: Convolve<Self>, profile: &DeviceProfile) -> wgpu_fft::Result<(C2c, Convolve<Self>)> {
        spec.by_spectrum(profile)
    }
}

fn every_recipe<T: BySpectrum>(
    spec: &Convolve<T>,
    profiles_taken: usize,
    x: &[T],
    w: &[T],
    expected: &[Complex64],
    number: fn(T) -> Complex32,
) {
    // Relative to the whole of what is summed, not to what is left of it.
    let norm: f64 = expected.iter().map(|z| z.norm_sqr()).sum::<f64>().sqrt();
    let energy = |values: &[T]| values.iter().map(|&z| f64::from(number(z).norm_sqr())).sum::<f64>();
    let scale = norm.max((energy(x) * energy(w)).sqrt());
    let compare = |actual: Vec<T>, program: &Program| {
        assert_eq!(actual.len(), expected.len(), "{program}");
        let error: f64 = actual.iter().zip(expected).map(|(a, b)| (wide(&[number(*a)])[0] - b).norm_sqr()).sum::<f64>().sqrt();
        assert!(error <= 1e-6 * scale, "error {error:.1e} of {norm}\n{program}");
    };
    assert_eq!(spec.to_string().parse().as_ref(), Ok(spec));
    for profile in if profiles_taken == 1 { profiles().into_iter().take(1).collect() } else { profiles_of(spec) } {
        let recipe = spec.design(&profile).unwrap_or_else(|error| panic!("{spec} on {}: {error}", profile.name));
        assert_eq!(recipe.to_string().parse().as_ref(), Ok(&recipe));
        let mut recipes = vec![recipe.clone()];
        recipes.extend(wgpu_fft::Spec::alternatives(spec, &profile));
        let checked = |spec: &Convolve<T>, recipe: &Recipe| {
            let program = spec.lower(recipe, &profile).unwrap_or_else(|error| panic!("{spec} by {recipe}: {error}"));
            program.check(&profile).unwrap_or_else(|error| panic!("{program}: {error}"));
            program
        };
        for recipe in recipes {
            let program = checked(spec, &recipe);
            compare(program.run_two_on_host::<T, T>(x, w), &program);
        }
        let (transform, given) = T::by_spectrum(spec.clone(), &profile).unwrap();
        assert_eq!(given.to_string().parse().as_ref(), Ok(&given));
        let spectrum = transform.lower(&transform.design(&profile).unwrap(), &profile).unwrap().run_on_host::<T, Complex32>(w);
        for recipe in [vec![given.design(&profile).unwrap()], given.alternatives(&profile)].concat() {
            let program = checked(&given, &recipe);
            assert!(!matches!(recipe.by, By::Sums(_)), "{given} by {recipe}");
            compare(sanitized::run_with(&program, &[x], &[("spectrum", bytemuck::cast_slice(&spectrum))], 1, 1), &program);
        }
    }
}

#[test]
fn every_mode_and_edge_along_one_axis() {
    for (n, k) in [(1, 1), (1, 5), (5, 1), (8, 3), (8, 4), (9, 4), (7, 7), (6, 8), (3, 11), (4, 17), (30, 7), (37, 6), (64, 65)] {
        let mut cases = Vec::new();
        for (correlate, edge) in [false, true].into_iter().flat_map(|correlate| EDGES.map(|edge| (correlate, edge))) {
            for mode in MODES.into_iter().filter(|mode| *mode != Mode::Valid || k <= n) {
                cases.push(Case { shape: vec![n], kernel: vec![k], correlate, mode, edge });
            }
        }
        share(cases, 3, n).for_each(|case| check(&case, 3, false, 1));
        let case = Case { shape: vec![n], kernel: vec![k], correlate: false, mode: Mode::Same, edge: Edge::Reflect };
        check(&case, 3, true, usize::MAX);
        check(&case, 1, true, usize::MAX);
    }
}

#[test]
fn every_mode_and_edge_along_several_axes() {
    for (shape, kernel) in [
        (vec![6, 10], vec![3, 5]),
        (vec![5, 9], vec![4, 2]),
        (vec![3, 4], vec![5, 9]),
        (vec![1, 7], vec![3, 1]),
        (vec![4, 5, 6], vec![3, 2, 3]),
        (vec![2, 3, 2], vec![5, 1, 4]),
    ] {
        let both = [false, true].into_iter().flat_map(|correlate| EDGES.map(|edge| (correlate, edge)));
        for (i, (correlate, edge)) in share(both.enumerate(), 3, shape[0]) {
            let fits = shape.iter().zip(&kernel).all(|(n, k)| k <= n);
            for mode in MODES.into_iter().filter(|mode| *mode != Mode::Valid || fits) {
                let case = Case { shape: shape.clone(), kernel: kernel.clone(), correlate, mode, edge };
                check(&case, 2, i % 2 == 1, if i == 1 { usize::MAX } else { 1 });
            }
        }
    }
}

#[test]
fn long_convolutions() {
    for (shape, kernel, edge) in [
        (vec![3000], vec![65], Edge::Zero),
        (vec![9000], vec![300], Edge::Reflect),
        (vec![120, 200], vec![15, 7], Edge::Wrap),
        (vec![600, 12], vec![31, 3], Edge::Nearest),
    ] {
        let case = Case { shape, kernel, correlate: false, mode: Mode::Same, edge };
        check(&case, 1, false, usize::MAX);
    }
}

#[test]
fn sums_over_channels() {
    let case = |shape: &[usize], kernel: &[usize], correlate, mode, edge| Case {
        shape: shape.to_vec(),
        kernel: kernel.to_vec(),
        correlate,
        mode,
        edge,
    };
    for (case, [inputs, outputs], batch) in [
        (case(&[9], &[4], false, Mode::Full, Edge::Zero), [3, 2], 2),
        (case(&[12], &[5], true, Mode::Same, Edge::Reflect), [1, 4], 1),
        (case(&[7, 10], &[3, 2], true, Mode::Same, Edge::Zero), [3, 1], 2),
        (case(&[8, 6], &[4, 3], false, Mode::Valid, Edge::Zero), [2, 3], 1),
        (case(&[3, 5, 4], &[2, 2, 3], true, Mode::Full, Edge::Wrap), [2, 2], 1),
    ] {
        let (one, own): (usize, usize) = (case.shape.iter().product(), case.kernel.iter().product());
        let (x, w) = (complex_noise(one * batch * inputs, 1), complex_noise(own * inputs * outputs, 2));
        let expected = |x: &[Complex64], w: &[Complex64]| -> Vec<Complex64> {
            let signals: Vec<&[Complex64]> = x.chunks(one).collect();
            let kernels: Vec<&[Complex64]> = w.chunks(own).collect();
            let result = |item: usize| {
                let sums = (0..inputs)
                    .map(|channel| case.direct(signals[item / outputs * inputs + channel], kernels[item % outputs * inputs + channel]));
                sums.reduce(|sum, part| sum.iter().zip(part).map(|(a, b)| a + b).collect()).unwrap()
            };
            (0..batch * outputs).flat_map(result).collect()
        };
        let spec = case.spec::<Complex32>().batch(batch).channels(inputs, outputs);
        every_recipe(&spec, usize::MAX, &x, &w, &expected(&wide(&x), &wide(&w)), |z| z);
        let reals = |values: &[Complex32]| values.iter().map(|z| z.re).collect::<Vec<f32>>();
        let real = |values: &[f32]| values.iter().map(|&x| Complex64::from(f64::from(x))).collect::<Vec<_>>();
        let (x, w) = (reals(&x), reals(&w));
        let spec = case.spec::<f32>().batch(batch).channels(inputs, outputs);
        every_recipe(&spec, usize::MAX, &x, &w, &expected(&real(&x), &real(&w)), Complex32::from);
    }
    let profile = &profiles()[0];
    let spec = || Convolve::<f32>::convolution([8, 8], [3, 3]);
    assert!(matches!(spec().channels(0, 2).design(profile), Err(Error::Empty { .. })));
    assert!(matches!(spec().channels(2, 0).design(profile), Err(Error::Empty { .. })));
    assert!(matches!(spec().channels(usize::MAX, 2).design(profile), Err(Error::LimitExceeded { .. })));
    assert!(matches!(spec().channels(2, 2).kernel_for_each().design(profile), Err(Error::Unsupported { .. })));
    assert!(matches!(spec().edge(Edge::Odd).design(profile), Err(Error::Unsupported { .. })));
    let one = spec().design(profile).unwrap();
    assert!(matches!(spec().channels(2, 2).lower(&one, profile), Err(Error::UnfitRecipe { .. })));
}

/// Few products are added one by one where the kernel can do it, and many are not.
#[test]
fn small_kernels_are_added_directly() {
    let profile = &profiles()[0];
    let is_direct = |spec: Convolve<f32>| matches!(spec.design(profile).unwrap().by, By::Sums(_));
    let image = |kernel: [usize; 2]| Convolve::<f32>::convolution([1080, 1920], kernel);
    assert!(is_direct(image([3, 3])) && is_direct(image([13, 13])) && !is_direct(image([31, 31])));
    // Transforms of long lines take several passes.
    assert!(is_direct(Convolve::convolution(10_000, 255)) && !is_direct(Convolve::convolution(10_000, 301)));
    assert!(is_direct(Convolve::convolution(1000, 15)) && !is_direct(Convolve::convolution(1000, 31)));
    assert!(!is_direct(image([3, 3]).kernel_for_each().batch(2)) && !is_direct(image([3, 3]).channels(1, 2)));
    assert!(!is_direct(Convolve::convolution([30, 30, 30], [3, 3, 3])));
    let complex = Convolve::<Complex32>::convolution([30, 30], [3, 3]);
    let recipe = image([3, 3]).design(profile).unwrap();
    assert!(matches!(complex.lower(&recipe, profile), Err(Error::UnfitRecipe { .. })));
}

#[test]
fn wrong_convolutions_are_refused() {
    let profile = &profiles()[0];
    let why = |spec: Convolve<f32>| spec.design(profile).unwrap_err().to_string();
    let text = why(Convolve::convolution([5, 5], 3));
    assert!(text.contains("2 axes and the kernel has 1"), "{text}");
    let text = why(Convolve::convolution([5, 5], [3, 6]).mode(Mode::Valid));
    assert!(text.contains("along axis 1 the kernel of 6 elements is longer than the signal of 5"), "{text}");
    let text = why("convolve f32 5x5 by 3x3 same lengths=7x4".parse().unwrap());
    assert!(text.contains("along axis 1 a transform of 4 is too short: it needs at least 6"), "{text}");
    assert!(matches!(Convolve::<f32>::convolution([5, 0], [3, 3]).design(profile), Err(Error::Empty { .. })));
    assert!(matches!(Convolve::<f32>::convolution([5, 5], [3, 0]).design(profile), Err(Error::Empty { .. })));
    assert!(Convolve::<f32>::convolution([5, 5, 5, 5], [3, 3, 3, 3]).design(profile).is_err());
    let spec = Convolve::<f32>::convolution([50, 50], [3, 3]);
    let recipe = spec.design(profile).unwrap();
    let short = Recipe::from_str_with_lengths(&recipe, "50x50");
    assert!(matches!(spec.lower(&short, profile), Err(Error::UnfitRecipe { .. })));
    assert!("convolve f32 5x5 by 3x3 same sideways".parse::<Convolve<f32>>().is_err());
    assert!("lengths=5 / sideways".parse::<Recipe>().is_err());
}

trait WithLengths {
    fn from_str_with_lengths(recipe: &Recipe, lengths: &str) -> Recipe;
}

impl WithLengths for Recipe {
    fn from_str_with_lengths(recipe: &Recipe, lengths: &str) -> Recipe {
        let text = recipe.to_string();
        let (_, rest) = text.split_once(" / ").unwrap();
        format!("lengths={lengths} / {rest}").parse().unwrap()
    }
}
