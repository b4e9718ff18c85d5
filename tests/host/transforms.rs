//! Fourier transforms run on the host and compared with rustfft in f64: every kind, rank, layout
//! and way to split a length.

use wgpu_fft::Layout;
use wgpu_fft::fft::{C2c, C2r, R2c, R2r, RealKind, Recipe, Scale};
use wgpu_fft::low_level;
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::{Complex32, DeviceProfile, Error, Spec};

use crate::recipes_by_hand::{COMPLEX, REAL};
use crate::reference::*;
use crate::sanitized::RunOnHost;
use crate::variants::profiles;

const BOUND: f64 = 6e-7;

/// A value that no transform produces, for places that must not change.
const GUARD: f32 = 12345.0;

fn recipes<S: Spec<Recipe = Recipe>>(spec: &S, by_hand: &[&str]) -> Vec<(DeviceProfile, Recipe)> {
    let mut all: Vec<(DeviceProfile, Recipe)> = profiles()
        .into_iter()
        .map(|profile| {
            let recipe = spec.design(&profile).unwrap_or_else(|error| panic!("{spec} on {}: {error}", profile.name));
            (profile, recipe)
        })
        .collect();
    all.extend(by_hand.iter().map(|text| (profiles().remove(0), text.parse().unwrap_or_else(|error| panic!("{text}: {error}")))));
    all
}

/// Runs a complex transform with every recipe, in both placements if the layouts are equal.
fn check_c2c(spec: C2c, shape: &[usize], batch: usize, axes: &[usize], inverse: bool, layouts: Option<[Places; 2]>, by_hand: &[&str]) {
    let [input_places, output_places] = layouts.clone().unwrap_or_else(|| [Places::dense(shape), Places::dense(shape)]);
    let spec = match &layouts {
        None => spec,
        Some([input, output]) => spec.input_layout(input.layout()).output_layout(output.layout()),
    };
    let spec = spec.batch(batch).axes(axes).scale(Scale::InvSqrtLen);
    let (from, to) = (input_places.all(shape, batch), output_places.all(shape, batch));
    let noise = complex_noise(from.len(), batch as u64);
    let mut input = vec![Complex32::new(f32::NAN, f32::NAN); input_places.span(shape, batch)];
    from.iter().zip(&noise).for_each(|(place, z)| input[*place] = *z);
    // If elements of the input overlap, the last value written counts.
    let dense: Vec<Complex32> = from.iter().map(|place| input[*place]).collect();
    let mut expected = wide(&dense);
    dft(&mut expected, shape, axes, inverse);
    let n: usize = axes.iter().map(|&axis| shape[axis]).product();
    expected.iter_mut().for_each(|z| *z /= (n as f64).sqrt());
    for (profile, recipe) in recipes(&spec, by_hand) {
        let program = spec.lower(&recipe, &profile).unwrap_or_else(|error| panic!("{spec} on {}: {error}", profile.name));
        program.check(&profile).unwrap_or_else(|error| panic!("{program}: {error}"));
        let output: Vec<Complex32> = program.run_on_host(&input);
        let actual: Vec<Complex32> = to.iter().map(|&place| output[place]).collect();
        let error = relative_error(&actual, &expected);
        assert!(error < BOUND, "error {error:.1e} on {} of {program}\n{recipe}", profile.name);
    }
}

fn check_plain(shape: &[usize], batch: usize, by_hand: &[&str]) {
    let axes: Vec<usize> = (0..shape.len()).collect();
    let make = |inverse| match shape[..] {
        [n] if inverse => C2c::inverse(n),
        [n] => C2c::forward(n),
        [r, c] if inverse => C2c::inverse([r, c]),
        [r, c] => C2c::forward([r, c]),
        [p, r, c] if inverse => C2c::inverse([p, r, c]),
        [p, r, c] => C2c::forward([p, r, c]),
        _ => unreachable!(),
    };
    check_c2c(make(false), shape, batch, &axes, false, None, by_hand);
    check_c2c(make(true).in_place(), shape, batch, &axes, true, None, by_hand);
}

#[test]
fn every_short_length() {
    for n in (1..=130).chain([169, 210, 243, 256, 257, 289, 509, 512, 1009, 1024, 1080]) {
        check_plain(&[n], 3, &[]);
    }
}

#[test]
fn lengths_in_several_passes() {
    check_plain(&[1 << 15], 1, &[]);
    check_plain(&[10_007], 1, &[]);
}

#[test]
fn recipes_by_hand() {
    for (shape, recipes) in COMPLEX {
        check_plain(shape, 5, recipes);
    }
    for (shape, recipes) in REAL {
        check_real(shape, 3, *recipes);
    }
}

#[test]
fn two_and_three_axes() {
    for shape in [vec![1, 1], vec![5, 1], vec![1, 6], vec![6, 10], vec![16, 64], vec![64, 16], vec![17, 33], vec![2, 67]] {
        check_plain(&shape, 2, &[]);
    }
    for shape in [vec![2, 3, 4], vec![8, 1, 5], vec![16, 8, 32], vec![7, 11, 13]] {
        check_plain(&shape, 2, &[]);
    }
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
                let error = relative_error(&output, &expected);
                assert!(error < BOUND, "error {error:.1e} of `{spec}` by `{recipe}`");
                right += 1;
            }
        }
    }
    assert!(right > 100 && refused > 100, "{right} are right and {refused} are refused");
}

#[test]
fn some_axes_only() {
    // Only axes of length 1 to transform: a copy.
    check_c2c(C2c::forward([1, 9, 22]), &[1, 9, 22], 2, &[0], false, None, &[]);
    check_c2c(C2c::inverse([4, 1]).in_place(), &[4, 1], 3, &[1], true, None, &[]);
    let shape = [6, 4, 10];
    for axes in [vec![0], vec![1], vec![2], vec![0, 1], vec![0, 2], vec![1, 2]] {
        check_c2c(C2c::forward(shape), &shape, 2, &axes, false, None, &[]);
        check_c2c(C2c::inverse(shape).in_place(), &shape, 2, &axes, true, None, &[]);
    }
}

#[test]
fn layouts_with_gaps_and_channels() {
    let shape = [6, 10];
    let padded = Places { strides: vec![16, 1], distance: 100, offset: 3 };
    let channels = Places { strides: vec![30, 3], distance: 1, offset: 0 };
    let columns = Places { strides: vec![1, 6], distance: 64, offset: 1 };
    let dense = Places::dense(&shape);
    for input in [&padded, &channels, &columns, &dense] {
        for output in [&padded, &channels, &columns, &dense] {
            let layouts = Some([input.clone(), output.clone()]);
            check_c2c(C2c::forward(shape), &shape, 3, &[0, 1], false, layouts, &[]);
        }
    }
    for both in [&padded, &channels, &columns] {
        check_c2c(C2c::inverse(shape).in_place(), &shape, 3, &[0, 1], true, Some([both.clone(), both.clone()]), &[]);
    }
    // Gaps between the elements keep their values.
    let spec = C2c::forward(shape).batch(3).in_place().input_layout(padded.layout()).output_layout(padded.layout());
    let mut input = vec![Complex32::new(GUARD, GUARD); padded.span(&shape, 3)];
    let own = padded.all(&shape, 3);
    own.iter().for_each(|place| input[*place] = Complex32::ONE);
    for (profile, recipe) in recipes(&spec, &["axis 1: stockham 10 lanes=1 lines=4 block=2x2; axis 0: stockham 6 lanes=1 lines=8"]) {
        let output: Vec<Complex32> = spec.lower(&recipe, &profile).unwrap().run_on_host(&input);
        for (place, z) in output.iter().enumerate().filter(|(place, _)| !own.contains(place)) {
            assert_eq!(*z, Complex32::new(GUARD, GUARD), "{place} of {recipe}");
        }
    }
}

#[test]
fn spectra_left_transposed() {
    for shape in [[8, 12], [1, 7], [7, 1], [30, 16]] {
        let layouts = [Places::dense(&shape), Places::reversed(&shape)];
        for in_place in [false, true] {
            let spec = C2c::forward(shape).batch(2).transposed();
            let spec = if in_place { spec.in_place() } else { spec };
            let dense = complex_noise(2 * shape[0] * shape[1], 7);
            let mut expected = wide(&dense);
            dft(&mut expected, &shape, &[0, 1], false);
            for (profile, recipe) in recipes(&spec, &[]) {
                let program = spec.lower(&recipe, &profile).unwrap();
                let output: Vec<Complex32> = program.run_on_host(&dense);
                let actual: Vec<Complex32> = layouts[1].all(&shape, 2).into_iter().map(|place| output[place]).collect();
                let error = relative_error(&actual, &expected);
                assert!(error < BOUND, "error {error:.1e} of {program}");
            }
        }
    }
}

fn r2c(shape: &[usize]) -> R2c {
    match shape[..] {
        [n] => R2c::forward(n),
        [r, c] => R2c::forward([r, c]),
        [p, r, c] => R2c::forward([p, r, c]),
        _ => unreachable!(),
    }
}

fn c2r(shape: &[usize]) -> C2r {
    match shape[..] {
        [n] => C2r::inverse(n),
        [r, c] => C2r::inverse([r, c]),
        [p, r, c] => C2r::inverse([p, r, c]),
        _ => unreachable!(),
    }
}

fn reals(values: &[f32]) -> Vec<Complex64> {
    values.iter().map(|&x| Complex64::new(x.into(), 0.0)).collect()
}

fn check_real(shape: &[usize], batch: usize, by_hand: [&[&str]; 2]) {
    let axes: Vec<usize> = (0..shape.len()).collect();
    let (n, half_shape) = (*shape.last().unwrap(), half(shape));
    let elements: usize = shape.iter().product::<usize>() * batch;
    let input = noise(elements, 11);
    let mut spectrum = reals(&input);
    dft(&mut spectrum, shape, &axes, false);
    let expected = of_half(&spectrum, shape);
    let padded = 2 * (n / 2 + 1);
    for in_place in [false, true] {
        let spec = r2c(shape).batch(batch);
        let spec = if by_hand[0].is_empty() { spec } else { spec.rows_may_mix() };
        let spec = if in_place { spec.in_place() } else { spec };
        let mut data = input.clone();
        if in_place {
            data = input.chunks(n).flat_map(|row| row.iter().copied().chain(vec![f32::NAN; padded - n])).collect();
        }
        for (profile, recipe) in recipes(&spec, by_hand[0]) {
            let program = spec.lower(&recipe, &profile).unwrap_or_else(|error| panic!("{spec} on {}: {error}", profile.name));
            let output: Vec<Complex32> = program.run_on_host(&data);
            let error = relative_error(&output, &expected);
            assert!(error < BOUND, "error {error:.1e} on {} of {program}\n{recipe}", profile.name);
        }

        // The inverse. If the last axis is the only one, the input has imaginary parts where they
        // must be ignored.
        let spec = c2r(shape).batch(batch).scale(Scale::InvLen);
        let spec = if by_hand[1].is_empty() { spec } else { spec.rows_may_mix() };
        let spec = if in_place { spec.in_place() } else { spec };
        let mut halves: Vec<Complex32> = expected.iter().map(|z| Complex32::new(z.re as f32, z.im as f32)).collect();
        if shape.len() == 1 {
            for row in halves.chunks_mut(half_shape[0]) {
                row[0].im = 3.0;
                if n.is_multiple_of(2) {
                    row[n / 2].im = -5.0;
                }
            }
        }
        for (profile, recipe) in recipes(&spec, by_hand[1]) {
            let program = spec.lower(&recipe, &profile).unwrap_or_else(|error| panic!("{spec} on {}: {error}", profile.name));
            let mut output: Vec<f32> = program.run_on_host(&halves);
            if in_place {
                output = output.chunks(padded).flat_map(|row| row[..n].to_vec()).collect();
            }
            let error = relative_error(&reals(&output), &reals(&input));
            assert!(error < BOUND, "error {error:.1e} on {} of {program}\n{recipe}", profile.name);
        }
    }
}

#[test]
fn real_transforms_of_every_short_length() {
    for n in (1..=70).chain([127, 128, 210, 251, 256, 1024]) {
        check_real(&[n], 3, [&[], &[]]);
        check_real(&[n], 1, [&[], &[]]);
    }
    check_real(&[1 << 15], 1, [&[], &[]]);
    check_real(&[10_007], 1, [&[], &[]]);
}

#[test]
fn real_transforms_of_two_and_three_axes() {
    for shape in [vec![1, 8], vec![8, 1], vec![5, 6], vec![6, 5], vec![16, 64], vec![17, 34], vec![2, 67]] {
        check_real(&shape, 2, [&[], &[]]);
    }
    for shape in [vec![2, 3, 4], vec![3, 1, 5], vec![8, 8, 8]] {
        check_real(&shape, 3, [&[], &[]]);
    }
}

#[test]
fn real_transforms_with_layouts() {
    let shape = [6, 10];
    let (batch, h) = (3, half(&shape));
    let input_places = Places { strides: vec![30, 3], distance: 1, offset: 0 };
    let output_places = Places { strides: vec![8, 1], distance: 50, offset: 2 };
    let dense = noise(180, 5);
    let mut input = vec![0f32; input_places.span(&shape, batch)];
    input_places.all(&shape, batch).iter().zip(&dense).for_each(|(place, x)| input[*place] = *x);
    let mut expected = reals(&dense);
    dft(&mut expected, &shape, &[0, 1], false);
    let expected = of_half(&expected, &shape);
    let spec = R2c::forward(shape).batch(batch).input_layout(input_places.layout()).output_layout(output_places.layout());
    let back =
        C2r::inverse(shape).batch(batch).input_layout(output_places.layout()).output_layout(input_places.layout()).scale(Scale::InvLen);
    for (profile, recipe) in recipes(&spec, &[]) {
        let output: Vec<Complex32> = spec.lower(&recipe, &profile).unwrap().run_on_host(&input);
        let actual: Vec<Complex32> = output_places.all(&h, batch).into_iter().map(|place| output[place]).collect();
        assert!(relative_error(&actual, &expected) < BOUND, "{recipe}");
        let recipe = back.design(&profile).unwrap();
        let output: Vec<f32> = back.lower(&recipe, &profile).unwrap().run_on_host(&output);
        let actual: Vec<f32> = input_places.all(&shape, batch).into_iter().map(|place| output[place]).collect();
        assert!(relative_error(&reals(&actual), &reals(&dense)) < BOUND, "{recipe}");
    }
    assert!(Layout::strides([8, 1]) != Layout::dense([6, 10]));
}

/// Overlapping elements of an input: overlapping frames, identical rows, a window that slides by
/// one.
#[test]
fn inputs_whose_elements_overlap() {
    let dense = |shape: &[usize]| Places::dense(shape);
    for (shape, batch, axes, input) in [
        (&[4][..], 2, &[0][..], Places { strides: vec![1], distance: 1, offset: 0 }),
        (&[512], 7, &[0], Places { strides: vec![1], distance: 128, offset: 3 }),
        (&[1 << 13, 4], 3, &[0], Places { strides: vec![4, 1], distance: 1 << 13, offset: 0 }),
        (&[2048, 8], 2, &[0], Places { strides: vec![2, 1], distance: 1, offset: 0 }),
        (&[6, 100], 1, &[0, 1], Places { strides: vec![0, 1], distance: 0, offset: 5 }),
        (&[1 << 14], 2, &[0], Places { strides: vec![1], distance: 1, offset: 0 }),
        (&[1 << 14], 1, &[0], Places { strides: vec![0], distance: 0, offset: 0 }),
    ] {
        let by_hand: &[&str] = match shape {
            [4] => &["axis 0: stockham 2 lanes=1 + stockham 2 lanes=1"],
            [512] => &[
                "axis 0: stockham 8 lanes=1 + stockham 8 lanes=1 + stockham 8 lanes=1",
                "axis 0: lanes 32.1 lanes=1 width=1 invocations=8 + lanes 16.1 lanes=1 width=1 invocations=8",
            ],
            _ => &[],
        };
        let spec = C2c::forward(shape);
        check_c2c(spec, shape, batch, axes, false, Some([input, dense(shape)]), by_hand);
    }
}

/// One axis in place whose results are stored elsewhere. No workgroup may store where another has
/// yet to load.
#[test]
fn single_axes_that_change_places_in_place() {
    for profile in profiles() {
        for (shape, axes) in [
            (&[8, 7][..], &[0][..]),
            (&[8, 7], &[1]),
            (&[1, 5], &[0]),
            (&[5, 1], &[0]),
            (&[6, 1, 7], &[0]),
            (&[3, 40, 4], &[1]),
            (&[1, 1], &[0, 1]),
        ] {
            let spec = C2c::forward(shape).axes(axes).batch(2).in_place().transposed();
            let input = complex_noise(shape.iter().product::<usize>() * 2, 11);
            let mut expected = wide(&input);
            dft(&mut expected, shape, axes, false);
            let program = spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap();
            let output: Vec<Complex32> = program.run_on_host(&input);
            let actual: Vec<Complex32> = Places::reversed(shape).all(shape, 2).into_iter().map(|place| output[place]).collect();
            assert!(relative_error(&actual, &expected) < BOUND, "{program}");
        }
    }
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
        assert!(relative_error(&output, &expected) < BOUND, "{program}");
    }
}

/// What one row, or one array of a batch, holds changes no bit of the others.
#[test]
fn rows_stay_apart() {
    for n in [15, 37, 65, 74, 134] {
        let half = n / 2 + 1;
        apart(&r2c(&[n]).batch(3), [n, half]);
        apart(&c2r(&[n]).batch(3), [half, n]);
        for kind in [RealKind::DctI, RealKind::DctII, RealKind::DstIII, RealKind::DctIV, RealKind::ToHalfComplex] {
            apart(&R2r::new(kind, n).batch(3), [n, n]);
        }
    }
    apart(&r2c(&[5, 15]).batch(3), [75, 40]);
    apart(&c2r(&[5, 15]).batch(3), [40, 75]);
    apart(&r2c(&[3, 15]).axes([1]), [15, 8]);
    apart(&R2r::new(RealKind::DctII, [15, 7]).batch(3), [105, 105]);
    // Those that may mix do: a NaN of the first row reaches the second one.
    let profile = &profiles()[0];
    let mixed = r2c(&[15]).batch(2).rows_may_mix();
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
