//! Filters on spectra, delays and analytic signals, run on the host and compared with their
//! definitions in f64.

use std::f64::consts::{PI, TAU};

use wgpu_fft::Edge;
use wgpu_fft::low_level::recipes::fft::FilterRecipe;
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::signal::{SpectralFilter, analytic, delay};
use wgpu_fft::{Complex32, Error, Fragment, Layout, Spec};

use crate::reference::*;
use crate::responses::{Case, Place, RESPONSES, Response};
use crate::sanitized::{self, UNWRITTEN};
use crate::variants::{profiles, profiles_of};

/// Runs a filter by every recipe on every device.
fn every_recipe<S: Spec<Recipe = FilterRecipe>>(
    spec: &S,
    input: &[S::Input],
    arrays: &[(&str, &[u8])],
    check: impl Fn(&[S::Output], &str),
) {
    for profile in profiles_of(spec) {
        let recipe = spec.design(&profile).unwrap_or_else(|error| panic!("{spec} on {}: {error}", profile.name));
        assert_eq!(recipe.to_string().parse().as_ref(), Ok(&recipe));
        let mut recipes = vec![recipe];
        recipes.extend(spec.alternatives(&profile));
        for recipe in recipes {
            let program = spec.lower(&recipe, &profile).unwrap_or_else(|error| panic!("{spec} by {recipe}: {error}"));
            program.check(&profile).unwrap_or_else(|error| panic!("{program}: {error}"));
            let output: Vec<S::Output> = sanitized::run_with(&program, &[input], arrays, 1, 1);
            check(&output, &format!("{program}\n{recipe}"));
        }
    }
}

fn close(actual: &[Complex32], expected: &[Complex64], bound: f64, what: &str) {
    assert_eq!(actual.len(), expected.len(), "{what}");
    assert!(actual.iter().all(|z| z.re.to_bits() != UNWRITTEN), "{what}");
    let error = relative_error(actual, expected);
    assert!(error <= bound, "error {error:.2e}, more than {bound:.2e}, of {what}");
}

fn real_close(actual: &[f32], expected: &[Complex64], bound: f64, what: &str) {
    close(&actual.iter().map(|&x| x.into()).collect::<Vec<_>>(), expected, bound, what);
}

fn complex(values: &[f32]) -> Vec<Complex64> {
    values.iter().map(|&x| f64::from(x).into()).collect()
}

/// How cases are judged here.
trait Judged {
    /// The documented bound: that of two transforms and of the filter.
    fn bound(&self) -> f64;
    fn check(&self, wgsl: &str, response: Response);
}

impl Judged for Case {
    fn bound(&self) -> f64 {
        2.0 * bound_of(self.axes.iter().map(|&axis| self.lengths[axis])) + 3.0 * ROUNDOFF
    }

    fn check(&self, wgsl: &str, response: Response) {
        if self.real {
            let x = noise(self.len(), 3);
            let expected = self.direct(&complex(&x), &response);
            let spec = self.options(SpectralFilter::real(&self.shape, Fragment::new(wgsl)).unwrap());
            every_recipe(&spec, &x, &[], |actual, what| real_close(actual, &expected, self.bound(), what));
        } else {
            let x = complex_noise(self.len(), 4);
            let expected = self.direct(&wide(&x), &response);
            let spec = self.options(SpectralFilter::complex(&self.shape, Fragment::new(wgsl)).unwrap());
            every_recipe(&spec, &x, &[], |actual, what| close(actual, &expected, self.bound(), what));
        }
    }
}

fn every_response(case: &Case) {
    for (wgsl, response) in RESPONSES {
        case.check(&wgsl.replace('#', &(case.shape.len() - 1).to_string()), response);
    }
}

#[test]
fn filters_follow_the_definition_along_one_axis() {
    for n in [1, 2, 3, 8, 9, 30, 37, 64, 74] {
        for real in [false, true] {
            every_response(&Case { batch: 3, ..Case::new(real, &[n]) });
        }
    }
}

#[test]
fn filters_follow_the_definition_along_several_axes() {
    for shape in [vec![6, 10], vec![5, 9], vec![1, 7], vec![7, 1], vec![8, 2], vec![37, 6], vec![4, 5, 6], vec![2, 6, 5]] {
        for real in [false, true] {
            every_response(&Case { batch: 2, ..Case::new(real, &shape) });
        }
    }
}

#[test]
fn filters_of_some_axes() {
    for (shape, axes) in
        [(vec![6, 10], vec![1]), (vec![6, 10], vec![0]), (vec![4, 5, 6], vec![1]), (vec![4, 3, 7], vec![0, 2]), (vec![3, 4, 6], vec![1, 2])]
    {
        for real in [false, true].into_iter().filter(|real| !real || axes.contains(&(shape.len() - 1))) {
            let case = Case { batch: 2, axes: axes.clone(), ..Case::new(real, &shape) };
            for (wgsl, response) in &RESPONSES[1..2] {
                case.check(wgsl, *response);
            }
            if axes.contains(&(shape.len() - 1)) {
                every_response(&case);
            }
        }
    }
}

#[test]
fn padding_follows_the_edge() {
    for edge in [Edge::Zero, Edge::Wrap, Edge::Reflect, Edge::Nearest] {
        for real in [false, true] {
            for (shape, lengths) in [
                (vec![7], vec![12]),
                (vec![5], vec![16]),
                (vec![6, 7], vec![9, 12]),
                (vec![6, 7], vec![6, 10]),
                (vec![3, 4, 5], vec![5, 4, 8]),
            ] {
                every_response(&Case { lengths, edge, batch: 2, ..Case::new(real, &shape) });
            }
        }
    }
    let case = Case { axes: vec![1], lengths: vec![5, 12], edge: Edge::Reflect, ..Case::new(true, &[5, 9]) };
    every_response(&case);
}

#[test]
fn long_filters() {
    for (real, shape, lengths) in [(true, vec![5000], vec![5000]), (false, vec![1000], vec![1500]), (true, vec![700, 12], vec![900, 16])] {
        let case = Case { edge: Edge::Reflect, lengths, ..Case::new(real, &shape) };
        case.check("value * exp(-9.0 * f0 * f0)", |z, place| z * (-9.0 * place.f(0).powi(2)).exp());
    }
}

#[test]
fn filters_have_maps_layouts_and_arrays() {
    let (shape, batch) = ([6, 10], 2);
    let case = Case { batch, ..Case::new(true, &shape) };
    let bytes: Vec<u8> = noise(batch * 80, 1).iter().map(|x| ((x + 1.0) * 127.0) as u8).collect();
    // Rows of 10 in a pitch of 13, two elements from the begin.
    let at = |i: usize| i / 60 * 80 + i % 60 / 10 * 13 + i % 10 + 2;
    let x: Vec<Complex64> = (0..batch * 60).map(|i| Complex64::from(f64::from(bytes[at(i)]) / 255.0)).collect();
    let gains = noise(6, 9);
    let expected = case.direct(&x, &|z, place| z * f64::from(gains[place.k[1] as usize]) * 1.5);
    let fragment = Fragment::new("value * gains[i1] * scale.x").array::<f32>("gains", 6).uniform::<[f32; 4]>("scale", "vec4<f32>");
    let layout = Layout::strides([13, 1]).batch_distance(80).offset(2).within(160);
    let spec = SpectralFilter::real(shape, fragment)
        .unwrap()
        .map_input::<u8>(Fragment::new("f32(value) / 255.0"))
        .unwrap()
        .map_output::<[f32; 2]>(Fragment::new("vec2(value, f32(i1) + 10.0 * f32(i0))"))
        .unwrap()
        .batch(batch)
        .input_layout(layout)
        .output_layout(Layout::strides([1, 6]).batch_distance(61));
    let arrays: [(&str, &[u8]); 2] = [("gains", bytemuck::cast_slice(&gains)), ("scale", bytemuck::cast_slice(&[1.5f32, 0.0, 0.0, 0.0]))];
    every_recipe(&spec, &bytes, &arrays, |actual, what| {
        assert_eq!(actual.len(), 61 + 60);
        let own = |i: usize| actual[i / 60 * 61 + i % 60 / 10 + i % 10 * 6];
        assert!((0..batch * 60).all(|i| own(i)[1] == (i % 10) as f32 + 10.0 * (i % 60 / 10) as f32), "{what}");
        real_close(&(0..batch * 60).map(|i| own(i)[0]).collect::<Vec<_>>(), &expected, case.bound() + 2.0 * ROUNDOFF, what);
        assert_eq!(actual[60][0].to_bits(), UNWRITTEN, "{what}");
    });
    let text = spec.to_string();
    assert!(text.starts_with("filter real 6x10 x2 in=13,1/80@2:160 out=1,6/61 by `value * gains[i1] * scale.x`"), "{text}");
}

/// The bound for a wave whose samples were rounded once.
fn of_wave(n: usize) -> f64 {
    Case::new(true, &[n]).bound() + ROUNDOFF
}

/// The factor of a delay by d samples of n.
fn shift(k: i64, n: usize, d: f64) -> Complex64 {
    let angle = -TAU * (k as f64 * d / n as f64).fract();
    if 2 * k.unsigned_abs() == n as u64 { angle.cos().into() } else { Complex64::cis(angle) }
}

#[test]
fn delays_follow_the_shift_theorem() {
    for (shape, delays) in [
        (vec![1], vec![0.7]),
        (vec![8], vec![0.5]),
        (vec![9], vec![-2.25]),
        (vec![64], vec![1000.125]),
        (vec![1024], vec![123_456.789]),
        (vec![6, 10], vec![0.5, -2.25]),
        (vec![6, 10], vec![1.75, 0.0]),
        (vec![5, 8], vec![0.0, 0.5]),
        (vec![4, 6, 5], vec![0.1, 0.0, -0.3]),
        (vec![4, 6], vec![0.0, 0.0]),
    ] {
        for real in [false, true] {
            // An axis that is not transformed has no delay.
            let case = Case { batch: 3, ..Case::new(real, &shape) };
            let response = |z: Complex64, place: &Place<'_>| {
                (0..delays.len()).fold(z, |z, axis| z * shift(place.k[axis], place.n[axis], delays[axis]))
            };
            if real {
                let x = noise(case.len(), 1);
                let expected = case.direct(&complex(&x), &response);
                every_recipe(&delay::<f32>(&shape, &delays).unwrap().batch(3), &x, &[], |actual, what| {
                    real_close(actual, &expected, case.bound(), what)
                });
            } else {
                let x = complex_noise(case.len(), 1);
                let expected = case.direct(&wide(&x), &response);
                every_recipe(&delay::<Complex32>(&shape, &delays).unwrap().batch(3), &x, &[], |actual, what| {
                    close(actual, &expected, case.bound(), what)
                });
            }
        }
    }
}

#[test]
fn delayed_waves_are_waves() {
    let wave = |t: f64| (TAU * 5.0 * t / 100.0 + 0.3).cos();
    let x: Vec<f32> = (0..100).map(|t| wave(f64::from(t)) as f32).collect();
    let expected: Vec<Complex64> = (0..100).map(|t| wave(f64::from(t) - 12.34).into()).collect();
    every_recipe(&delay::<f32>(100, &[12.34]).unwrap(), &x, &[], |actual, what| real_close(actual, &expected, of_wave(100), what));
    // With room for it, nothing comes in at the other end.
    let spec = delay::<f32>(100, &[30.0]).unwrap().lengths(130);
    let expected: Vec<Complex64> = (0..100).map(|t| if t < 30 { 0.0 } else { f64::from(x[t - 30]) }.into()).collect();
    every_recipe(&spec, &x, &[], |actual, what| real_close(actual, &expected, of_wave(130), what));
    assert_eq!(spec.to_string(), "filter real 100 lengths=130 delay=30");
}

#[test]
fn analytic_signals_follow_the_definition() {
    for (shape, axis, lengths) in [
        (vec![1], 0, None),
        (vec![2], 0, None),
        (vec![9], 0, None),
        (vec![64], 0, None),
        (vec![3, 10], 1, None),
        (vec![10, 3], 0, None),
        (vec![2, 7, 4], 1, None),
        (vec![3, 7], 1, Some(vec![3, 12])),
    ] {
        let lengths = lengths.unwrap_or_else(|| shape.clone());
        let case = Case { axes: vec![axis], batch: 2, lengths, ..Case::new(false, &shape) };
        let x = noise(case.len(), 1);
        let expected = case.direct(&complex(&x), &|z, place| match place.k[axis] {
            0 => z,
            k if 2 * k.unsigned_abs() == place.n[axis] as u64 => z,
            k => z * if k > 0 { 2.0 } else { 0.0 },
        });
        let spec = analytic(&shape, axis).unwrap().batch(2).lengths(&case.lengths);
        every_recipe(&spec, &x, &[], |actual, what| close(actual, &expected, case.bound(), what));
    }
    // A cosine becomes a rotation.
    let wave = |t: i32| Complex64::cis(TAU * 7.0 * f64::from(t) / 50.0);
    let x: Vec<f32> = (0..50).map(|t| wave(t).re as f32).collect();
    let expected: Vec<Complex64> = (0..50).map(wave).collect();
    every_recipe(&analytic(50, 0).unwrap(), &x, &[], |actual, what| close(actual, &expected, of_wave(50), what));
    let spec = analytic(50, 0).unwrap().map_output::<f32>(Fragment::new("atan2(value.y, value.x)")).unwrap();
    every_recipe(&spec, &x, &[], |actual, what| {
        let turned = |(t, &phase): (i32, &f32)| (Complex64::cis(f64::from(phase)) - wave(t)).norm();
        assert!((0..).zip(actual).map(turned).all(|difference| difference < 1e-5 * PI), "{what}");
    });
}

#[test]
fn wrong_filters_are_refused() {
    let profile = &profiles()[0];
    let filter = |shape: &[usize]| SpectralFilter::real(shape, Fragment::new("value")).unwrap();
    let why = |spec: SpectralFilter<f32, f32>| spec.design(profile).unwrap_err().to_string();
    let text = why(filter(&[5, 5]).lengths([8]));
    assert!(text.contains("1 lengths were given for 2 axes"), "{text}");
    let text = why(filter(&[5, 5]).lengths([8, 4]));
    assert!(text.contains("along axis 1 a transform of 4 is too short for a signal of 5"), "{text}");
    let text = why(filter(&[5, 5]).lengths([8, 8]).edge(Edge::Odd));
    assert!(text.contains("its edge is odd"), "{text}");
    let text = why(filter(&[5, 5]).axes(0));
    assert!(text.contains("the last axis must be transformed"), "{text}");
    let text = why(filter(&[5, 5]).axes(1).lengths([8, 8]));
    assert!(text.contains("axis 0 is not transformed, so its length is 5, not 8"), "{text}");
    let text = why(filter(&[5, 5]).axes([0, 2]));
    assert!(text.contains("the axes of 5x5 are 0 to 1"), "{text}");
    let text = why(delay(5, &[0.5, 1.0]).unwrap());
    assert!(text.contains("2 delays were given for 1 axes"), "{text}");
    let text = why(delay(5, &[f64::NAN]).unwrap());
    assert!(text.contains("the delay along axis 0 is NaN"), "{text}");
    let text = why(delay([5, 5], &[0.5, 1.0]).unwrap().axes(1));
    assert!(text.contains("axis 0 is not transformed, so nothing is delayed"), "{text}");
    assert!(matches!(analytic([5, 5], 2), Err(Error::Unsupported { .. })));
    assert!(matches!(filter(&[5, 0]).design(profile), Err(Error::Empty { .. })));
    assert!(matches!(filter(&[5]).batch(0).design(profile), Err(Error::Empty { .. })));
    assert!(matches!(filter(&[5]).lengths(1 << 40).design(profile), Err(Error::LimitExceeded { .. })));
    assert!(filter(&[5, 5, 5, 5]).design(profile).is_err());
    assert!(SpectralFilter::real(8, Fragment::new("length(value)")).is_err());
    assert!(SpectralFilter::real(8, Fragment::new("value * f1")).is_err());
    assert!(filter(&[5]).map_input::<u8>(Fragment::new("vec2(f32(value), 0.0)")).is_err());

    // Two rows are never filtered as one.
    let spec = delay::<f32>(64, &[0.5]).unwrap().batch(4);
    let pairs = spec.design(profile).unwrap().to_string().replace("axis 0:", "axis 0 pairs:");
    let error = spec.lower(&pairs.parse().unwrap(), profile).unwrap_err().to_string();
    assert!(error.contains("one by one"), "{error}");
    // A kernel that only transforms does not multiply and transform back.
    let spec = SpectralFilter::complex(64, Fragment::new("value * 2.0")).unwrap();
    let error = spec.lower(&"middle axis 0: radix2 rows=1 lanes=8".parse().unwrap(), profile).unwrap_err();
    assert!(matches!(&error, Error::UnfitRecipe { why, .. } if why.contains("radix2 transforms")), "{error}");
    let of_two = SpectralFilter::real([8, 8], Fragment::new("value")).unwrap().design(profile).unwrap();
    assert!(matches!(delay::<f32>(64, &[0.5]).unwrap().lower(&of_two, profile), Err(Error::UnfitRecipe { .. })));
}
