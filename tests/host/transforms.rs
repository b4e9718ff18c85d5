//! Fourier transforms run on the host and compared with rustfft in f64: every kind, rank, layout
//! and way to split a length.

use wgpu_fft::fft::{C2c, C2r, R2c, R2r, RealKind};
use wgpu_fft::low_level;
use wgpu_fft::low_level::recipes::fft::Recipe;
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::{Complex32, DeviceProfile, Error, Spec};

use crate::f64::Host;
use crate::recipes_by_hand::{COMPLEX, REAL};
use crate::reference::*;
use crate::sanitized::RunOnHost;
use crate::transform_cases::{COMPLEX_KINDS, Case, Kind, REAL_KINDS};
use crate::variants::profiles;

/// A value that no transform produces, for places that must not change.
const GUARD: f32 = 12345.0;

const HOST: Host = Host { profiles };

/// The one for recipes by hand, which not every device is large enough for.
const LARGE: Host = Host { profiles: || profiles().into_iter().take(1).collect() };

fn check(cases: impl IntoIterator<Item = Case>) {
    let largest = cases.into_iter().map(|case| case.check(&HOST)).fold(0.0, f64::max);
    println!("largest error {largest:.2} of the bound");
}

/// There, and back in place.
fn complex(shape: &[usize], batch: usize) -> Vec<Case> {
    Case::of(&COMPLEX_KINDS, shape, batch)
}

fn assert_near(actual: &[Complex32], expected: &[Complex64], bound: f64, what: &dyn std::fmt::Display) {
    let error = relative_error(actual, expected);
    assert!(error <= bound, "error {error:.2e}, more than {bound:.2e}: {what}");
}

#[test]
fn every_short_length() {
    let lengths = (1..=130).chain([169, 210, 243, 256, 257, 289, 509, 512, 1009, 1024, 1080]);
    check(lengths.flat_map(|n| complex(&[n], 3)));
}

/// `check` refuses bindings that begin elsewhere.
#[test]
fn parts_of_odd_rows_begin_where_devices_allow() {
    let large = profiles().remove(0);
    let small = large.with(|profile| (profile.binding_bytes, profile.storage_alignment) = (4096, 256));
    for (text, len) in [("c2c fwd 3 x1000", 3000), ("c2c inv 15 x100 in-place", 1500), ("c2c fwd 7x9 x50", 3150)] {
        let spec: C2c = text.parse().unwrap();
        let recipe = spec.design(&small).unwrap();
        let [whole, parts] = [&large, &small].map(|profile| spec.lower(&recipe, profile).unwrap());
        parts.check(&small).unwrap();
        let binds = |program| low_level::dispatches(program).iter().map(|dispatch| dispatch.binds.len()).sum::<usize>();
        assert!(binds(&parts) > binds(&whole), "{parts}");
        let x = complex_noise(len, 3);
        assert_eq!(parts.run_on_host::<_, Complex32>(&x), whole.run_on_host(&x), "{parts}");
    }
}

#[test]
fn lengths_in_several_passes() {
    check(complex(&[1 << 15], 1));
    check(complex(&[10_007], 1));
}

#[test]
fn recipes_by_hand() {
    let by_hand = |cases: Vec<Case>, recipes: &'static [&'static str]| {
        for (case, recipe) in cases.into_iter().flat_map(|case| recipes.iter().map(move |recipe| (case.clone(), recipe))) {
            case.by(recipe).check(&LARGE);
        }
    };
    for (shape, recipes) in COMPLEX {
        check(complex(shape, 5));
        by_hand(complex(shape, 5), recipes);
    }
    for (shape, both) in REAL {
        for (kind, recipes) in [Kind::R2c, Kind::C2r].into_iter().zip(both) {
            let cases = Case::of(&[(kind, false), (kind, true)], shape, 3);
            check(cases.iter().cloned().map(Case::rows_may_mix));
            by_hand(cases, recipes);
        }
    }
}

#[test]
fn two_and_three_axes() {
    let of_two: [&[usize]; 8] = [&[1, 1], &[5, 1], &[1, 6], &[6, 10], &[16, 64], &[64, 16], &[17, 33], &[2, 67]];
    let of_three: [&[usize]; 4] = [&[2, 3, 4], &[8, 1, 5], &[16, 8, 32], &[7, 11, 13]];
    check(of_two.into_iter().chain(of_three).flat_map(|shape| complex(shape, 2)));
}

/// Of axes together, an access may take two neighbours along the last axis, or across lines of
/// another one. What is accepted is right, whatever divides whatever.
#[test]
fn accesses_of_two_numbers_where_axes_share_a_pass() {
    let profile = DeviceProfile::webgpu_defaults();
    let (mut right, mut refused) = (0, 0);
    type Case<'a> = (&'a [usize], usize, &'a [usize], &'a [&'a str]);
    let cases: [Case<'_>; 9] = [
        (&[4, 4], 1, &[0, 1], &["4.4", "2.2.4", "4.2.2", "2.2.2.2"]),
        (&[4, 6], 2, &[0, 1], &["4.6", "4.2.3", "2.2.3.2", "4.3.2"]),
        (&[6, 4], 1, &[0, 1], &["6.4", "2.3.2.2", "3.2.4"]),
        (&[2, 8], 1, &[0, 1], &["2.8", "2.4.2", "2.2.4"]),
        (&[8, 8], 1, &[0, 1], &["8.8", "4.2.2.4", "2.4.4.2"]),
        (&[3, 16], 1, &[0, 1], &["3.16", "3.4.4", "3.2.8"]),
        (&[2, 3, 4], 2, &[0, 1, 2], &["2.3.4", "2.3.2.2"]),
        (&[4, 6, 10], 2, &[0, 1, 2], &["4.6.5.2", "4.6.10", "4.2.3.2.5"]),
        (&[4, 6, 2], 2, &[0, 1], &["4.6", "2.2.3.2", "4.2.3"]),
    ];
    for (shape, batch, axes, all) in cases {
        let through = axes[axes.len() - 1];
        let spec = C2c::forward(shape).batch(batch).axes(axes);
        let input = complex_noise(shape.iter().product::<usize>() * batch, 3);
        let mut expected = wide(&input);
        dft(&mut expected, shape, axes, false);
        let len: usize = axes.iter().map(|&axis| shape[axis]).product();
        for (radices, lanes) in all.iter().flat_map(|radices| (1..=len.min(40)).map(move |lanes| (radices, lanes))) {
            for lines in [1, 2, 4] {
                let recipe: Recipe =
                    format!("axes 0 to {through}: stockham {radices} lanes={lanes} lines={lines} width=2").parse().unwrap();
                let program = match spec.lower(&recipe, &profile) {
                    Ok(program) => program,
                    Err(Error::UnfitRecipe { .. }) => {
                        refused += 1;
                        continue;
                    }
                    Err(error) => panic!("{spec} by {recipe}: {error}"),
                };
                let output: Vec<Complex32> = program.run_on_host(&input);
                assert_near(&output, &expected, bound_by(&recipe, shape), &format!("`{spec}` by `{recipe}`"));
                right += 1;
            }
        }
    }
    assert!(right > 100 && refused > 100, "{right} are right and {refused} are refused");
}

#[test]
fn some_axes_only() {
    // Only axes of length 1 to transform: a copy.
    check([
        Case::new(Kind::Forward, &[1, 9, 22]).batch(2).axes(&[0]),
        Case::new(Kind::Inverse, &[4, 1]).batch(3).axes(&[1]).in_place(true),
    ]);
    let some: [&[usize]; 6] = [&[0], &[1], &[2], &[0, 1], &[0, 2], &[1, 2]];
    check(some.into_iter().flat_map(|axes| complex(&[6, 4, 10], 2).into_iter().map(|case| case.axes(axes))));
}

#[test]
fn layouts_with_gaps_and_channels() {
    let shape = [6, 10];
    let padded = Places { strides: vec![16, 1], distance: 100, offset: 3 };
    let channels = Places { strides: vec![30, 3], distance: 1, offset: 0 };
    let columns = Places { strides: vec![1, 6], distance: 64, offset: 1 };
    let dense = Places::dense(&shape);
    let all = [&padded, &channels, &columns, &dense];
    let case = || Case::new(Kind::Forward, &shape).batch(3);
    check(all.iter().flat_map(|&input| all.iter().map(move |&output| case().layouts(input, output))));
    let in_place = |&both: &&Places| Case::new(Kind::Inverse, &shape).batch(3).in_place(true).layouts(both, both);
    check(all[..3].iter().map(in_place));
    // Gaps between the elements keep their values.
    let spec = C2c::forward(shape).batch(3).in_place().input_layout(padded.layout()).output_layout(padded.layout());
    let mut input = vec![Complex32::new(GUARD, GUARD); padded.span(&shape, 3)];
    let own = padded.all(&shape, 3);
    own.iter().for_each(|place| input[*place] = Complex32::ONE);
    let by_hand = "axis 1: stockham 10 lanes=1 lines=4 block=2x2; axis 0: stockham 6 lanes=1 lines=8";
    let mut recipes: Vec<(DeviceProfile, Recipe)> = profiles().into_iter().map(|own| (own.clone(), spec.design(&own).unwrap())).collect();
    recipes.push((profiles().remove(0), by_hand.parse().unwrap()));
    for (profile, recipe) in recipes {
        let output: Vec<Complex32> = spec.lower(&recipe, &profile).unwrap().run_on_host(&input);
        for (place, z) in output.iter().enumerate().filter(|(place, _)| !own.contains(place)) {
            assert_eq!(*z, Complex32::new(GUARD, GUARD), "{place} of {recipe}");
        }
    }
}

#[test]
fn spectra_left_transposed() {
    let case = |shape: &[usize]| Case::new(Kind::Forward, shape).batch(2).transposed();
    check([[8, 12], [1, 7], [7, 1], [30, 16]].iter().flat_map(|shape| [case(shape), case(shape).in_place(true)]));
}

#[test]
fn real_transforms_of_every_short_length() {
    let lengths = (1..=70).chain([127, 128, 210, 251, 256, 1024]);
    check(lengths.flat_map(|n| [1, 3].into_iter().flat_map(move |batch| Case::of(&REAL_KINDS, &[n], batch))));
    check([1 << 15, 10_007].iter().flat_map(|&n| Case::of(&REAL_KINDS, &[n], 1)));
}

#[test]
fn real_transforms_of_two_and_three_axes() {
    let of_two: [&[usize]; 7] = [&[1, 8], &[8, 1], &[5, 6], &[6, 5], &[16, 64], &[17, 34], &[2, 67]];
    check(of_two.iter().flat_map(|shape| Case::of(&REAL_KINDS, shape, 2)));
    check([[2, 3, 4], [3, 1, 5], [8, 8, 8]].iter().flat_map(|shape| Case::of(&REAL_KINDS, shape, 3)));
}

#[test]
fn real_transforms_with_layouts() {
    let reals = Places { strides: vec![30, 3], distance: 1, offset: 0 };
    let half = Places { strides: vec![8, 1], distance: 50, offset: 2 };
    check([Case::new(Kind::R2c, &[6, 10]).batch(3).layouts(&reals, &half), Case::new(Kind::C2r, &[6, 10]).batch(3).layouts(&half, &reals)]);
}

/// Overlapping elements of an input: overlapping frames, identical rows, a window that slides by
/// one.
#[test]
fn inputs_whose_elements_overlap() {
    for (shape, batch, axes, input) in [
        (&[4][..], 2, &[0][..], Places { strides: vec![1], distance: 1, offset: 0 }),
        (&[512], 7, &[0], Places { strides: vec![1], distance: 128, offset: 3 }),
        (&[1 << 13, 4], 3, &[0], Places { strides: vec![4, 1], distance: 1 << 13, offset: 0 }),
        (&[2048, 8], 2, &[0], Places { strides: vec![2, 1], distance: 1, offset: 0 }),
        (&[6, 100], 1, &[0, 1], Places { strides: vec![0, 1], distance: 0, offset: 5 }),
        (&[1 << 14], 2, &[0], Places { strides: vec![1], distance: 1, offset: 0 }),
        (&[1 << 14], 1, &[0], Places { strides: vec![0], distance: 0, offset: 0 }),
    ] {
        let by_hand: &'static [&'static str] = match shape {
            [4] => &["axis 0: stockham 2 lanes=1 + stockham 2 lanes=1"],
            [512] => &[
                "axis 0: stockham 8 lanes=1 + stockham 8 lanes=1 + stockham 8 lanes=1",
                "axis 0: lanes 32.1 lanes=1 width=1 invocations=8 + lanes 16.1 lanes=1 width=1 invocations=8",
            ],
            _ => &[],
        };
        let case = Case::new(Kind::Forward, shape).batch(batch).axes(axes).layouts(&input, &Places::dense(shape));
        case.check(&HOST);
        for recipe in by_hand {
            case.clone().by(recipe).check(&LARGE);
        }
    }
}

/// One axis in place whose results are stored elsewhere. No workgroup may store where another has
/// yet to load.
#[test]
fn single_axes_that_change_places_in_place() {
    let cases: [(&[usize], &[usize]); 7] =
        [(&[8, 7], &[0]), (&[8, 7], &[1]), (&[1, 5], &[0]), (&[5, 1], &[0]), (&[6, 1, 7], &[0]), (&[3, 40, 4], &[1]), (&[1, 1], &[0, 1])];
    check(cases.map(|(shape, axes)| Case::new(Kind::Forward, shape).axes(axes).batch(2).in_place(true).transposed()));
}

#[test]
fn any_factor_is_a_scale() {
    let input = complex_noise(12, 3);
    let profile = &profiles()[0];
    for factor in [0.25, -3.0, 0.0, f32::MIN_POSITIVE] {
        let [plain, scaled] = [C2c::forward(12), C2c::forward(12).scale_by(factor)].map(|spec| {
            let program = spec.lower(&spec.design(profile).unwrap(), profile).unwrap();
            program.run_on_host::<_, Complex32>(&input)
        });
        assert!(plain.iter().zip(&scaled).all(|(z, y)| *y == z * factor), "{factor}");
        let spec = R2c::forward(12).scale_by(factor);
        assert_eq!(spec.to_string().parse::<R2c>().unwrap(), spec);
    }
    for factor in [f32::NAN, -f32::NAN, f32::INFINITY] {
        assert!(matches!(C2c::forward(12).scale_by(factor).design(profile), Err(Error::Unsupported { .. })), "{factor}");
    }
    assert_eq!(C2c::forward(12).scale_by(f32::NAN), C2c::forward(12).scale_by(-f32::NAN));
}

/// Arrays larger than one binding: the same programs with tiny limits.
#[test]
fn arrays_in_several_bindings() {
    for elements in [31usize, 32, 33, 64, 96, 97] {
        let profile = profiles().remove(0).with(|profile| {
            profile.binding_bytes = 256;
            profile.storage_buffers = 16;
        });
        let spec = C2c::forward(elements);
        let input = complex_noise(elements, 9);
        let mut expected = wide(&input);
        dft(&mut expected, &[elements], &[0], false);
        let text = match elements {
            // A table in one binding and in two.
            31 => "axis 0: stockham 31 lanes=1",
            32 => "axis 0: stockham 8 lanes=1 lines=4 + stockham 4 lanes=1 lines=8",
            33 => "axis 0: stockham 11 lanes=1 + stockham 3 lanes=1",
            64 => "axis 0: stockham 8.8 lanes=8",
            96 => "axis 0: stockham 48 lanes=1 + stockham 2 lanes=1",
            _ => continue,
        };
        let program = spec.lower(&text.parse().unwrap(), &profile).unwrap();
        let bindings = low_level::dispatches(&program)[0].binds.len();
        let table = low_level::tables(&program)[0].bytes();
        assert_eq!(bindings as u64, 2 * (elements as u64 * 8).div_ceil(256) + table.div_ceil(256), "{program}");
        let output: Vec<Complex32> = program.run_on_host(&input);
        assert_near(&output, &expected, bound_of([elements]), &program);
    }
}

/// What one row, or one array of a batch, holds changes no bit of the others.
#[test]
fn rows_stay_apart() {
    for n in [15, 37, 65, 74, 134] {
        let half = n / 2 + 1;
        apart(&R2c::forward(n).batch(3), [n, half]);
        apart(&C2r::inverse(n).batch(3), [half, n]);
        for kind in [RealKind::DctI, RealKind::DctII, RealKind::DstIII, RealKind::DctIV, RealKind::ToHalfComplex] {
            apart(&R2r::new(kind, n).batch(3), [n, n]);
        }
    }
    apart(&R2c::forward([5, 15]).batch(3), [75, 40]);
    apart(&C2r::inverse([5, 15]).batch(3), [40, 75]);
    apart(&R2c::forward([3, 15]).axes([1]), [15, 8]);
    apart(&R2r::new(RealKind::DctII, [15, 7]).batch(3), [105, 105]);
    // Those that may mix do: a NaN of the first row reaches the second one.
    let profile = &profiles()[0];
    let mixed = R2c::forward(15).batch(2).rows_may_mix();
    let program = mixed.lower(&mixed.design(profile).unwrap(), profile).unwrap();
    let input: Vec<f32> = std::iter::once(f32::NAN).chain(noise(29, 5)).collect();
    let output: Vec<Complex32> = program.run_on_host(&input);
    assert!(output[8..].iter().any(|z| z.re.is_nan() || z.im.is_nan()), "{program}");
}

/// Spoils the second of three rows in several ways.
fn apart<S: Spec<Recipe = Recipe>>(spec: &S, [from, to]: [usize; 2]) {
    let clean: Vec<f32> = noise(3 * from * size_of::<S::Input>() / 4, 5);
    for profile in profiles().into_iter().take(3) {
        let program = spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap_or_else(|error| panic!("{spec}: {error}"));
        let run = |input: &[f32]| -> Vec<u32> {
            let output: Vec<S::Output> = program.run_on_host::<S::Input, S::Output>(bytemuck::cast_slice(input));
            bytemuck::pod_collect_to_vec(&output)
        };
        let before = run(&clean);
        let row = clean.len() / 3;
        for factor in [f32::NAN, 1e6, 1e12] {
            let mut input = clean.clone();
            input[row + row / 2..2 * row].iter_mut().for_each(|x| *x *= factor);
            let after = run(&input);
            let own = before.len() / 3..2 * before.len() / 3;
            let changed = (0..after.len()).find(|i| !own.contains(i) && after[*i] != before[*i]);
            assert_eq!(changed, None, "{spec} on {}, a row times {factor}: {program}", profile.name);
        }
        assert_eq!(before.len() * 4, 3 * to * size_of::<S::Output>());
    }
}
