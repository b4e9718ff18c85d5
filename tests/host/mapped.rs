//! Permutations with fragments, run on the host and compared with the same in Rust.

use wgpu_fft::elements::Readable;
use wgpu_fft::half::f16;
use wgpu_fft::low_level;
use wgpu_fft::low_level::recipes::transpose::Recipe;
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Complex32, Error, Fragment, Layout, Spec, bytemuck};

use crate::permute::{Case, MAPPED, elements, orders};
use crate::reference::Places;
use crate::sanitized::{self, UNWRITTEN};
use crate::variants::{profiles, profiles_of};

/// Runs a permutation by the rules' recipes and by hand-written ones. Returns how many fit.
fn every_recipe<S: Spec<Recipe = Recipe>>(
    spec: &S,
    input: &[S::Input],
    arrays: &[(&str, &[u8])],
    check: impl Fn(&[S::Output], &str),
) -> usize {
    let mut count = 0;
    for profile in profiles_of(spec) {
        let rules = spec.design(&profile).unwrap_or_else(|error| panic!("{spec} on {}: {error}", profile.name));
        for recipe in [rules].into_iter().chain(MAPPED.iter().map(|text| text.parse().unwrap())) {
            let program = match spec.lower(&recipe, &profile) {
                Err(Error::UnfitRecipe { .. }) if recipe != rules => continue,
                program => program.unwrap_or_else(|error| panic!("{spec} by {recipe} on {}: {error}", profile.name)),
            };
            program.check(&profile).unwrap_or_else(|error| panic!("{program}: {error}"));
            assert_eq!(program.dispatch_count(), 1, "a fragment costs no pass");
            let output: Vec<S::Output> = sanitized::run_with(&program, &[input], arrays, 1, 1);
            check(&output, &format!("{program}\n{recipe}"));
            count += 1;
        }
    }
    count
}

/// For each element of a dense array, its indices, with the batch first.
fn indices(shape: &[usize], batch: usize) -> Vec<Vec<usize>> {
    let elements: usize = shape.iter().product();
    let of = |i: usize| {
        let mut rest = i % elements;
        let mut all: Vec<usize> = shape.iter().rev().map(|extent| (rest % extent, rest /= extent).0).collect();
        all.push(i / elements);
        all.reverse();
        all
    };
    (0..elements * batch).map(of).collect()
}

/// A number that tells all indices apart, and its expression in WGSL.
fn place(index: &[usize]) -> f32 {
    index.iter().fold(0.0, |sum, &i| sum * 32.0 + i as f32)
}

fn place_in_wgsl(rank: usize) -> String {
    (0..rank).fold("f32(batch)".to_owned(), |sum, axis| format!("({sum} * 32.0 + f32(i{axis}))"))
}

#[test]
fn fragments_see_the_indices_of_their_array() {
    for (shape, batch) in
        [(&[21, 10][..], 1), (&[16, 24], 2), (&[1, 9], 2), (&[7], 3), (&[5, 12, 9], 1), (&[3, 1, 7], 2), (&[3, 4, 2, 5], 2)]
    {
        let rank = shape.len();
        for order in orders(rank) {
            let case = Case::new(shape, &order).batch(batch);
            let input: Vec<f32> = (0..shape.iter().product::<usize>() * batch).map(|i| (i * 37 % 101) as f32).collect();
            let unwritten = vec![f32::NAN; input.len()];
            let seen = indices(shape, batch);
            let mapped: Vec<f32> = input.iter().zip(&seen).map(|(x, index)| x * 0.5 + place(index)).collect();
            let expected = case.expected(&mapped, &unwritten);
            let spec = case.spec::<f32>().map_input::<f32>(Fragment::new(format!("value * 0.5 + {}", place_in_wgsl(rank)))).unwrap();
            let count = every_recipe(&spec, &input, &[], |actual, what| assert_eq!(actual, expected, "{what}"));
            assert!(count >= 4, "{spec}: {count}");

            let seen = indices(&case.output_shape(), batch);
            let lengths: Vec<f32> = case.output_shape().iter().map(|&n| n as f32).collect();
            let result: Vec<[f32; 2]> = expected.iter().zip(&seen).map(|(x, index)| [x + 1.0, place(index) + lengths[0]]).collect();
            let output = Fragment::new(format!("vec2(value + 1.0, {} + f32(n0))", place_in_wgsl(rank)));
            let spec = spec.map_output::<[f32; 2]>(output).unwrap();
            every_recipe(&spec, &input, &[], |actual, what| assert_eq!(actual, result, "{what}"));
        }
    }
}

#[test]
fn elements_of_different_sizes() {
    let case = Case::transpose(&[19, 22]).batch(2);
    let n = 19 * 22 * 2;
    fn check<T: Readable>(case: &Case, expression: &str, value: impl Fn(T) -> f32) {
        let input = elements::<T>(19 * 22 * 2);
        let expected = case.expected(&input.iter().map(|x| value(*x)).collect::<Vec<f32>>(), &[0.0; 19 * 22 * 2]);
        let spec = case.spec::<f32>().map_input::<T>(Fragment::new(expression)).unwrap();
        every_recipe(&spec, &input, &[], |actual, what| assert_eq!(actual, expected, "{what}"));
        // Moved first, then converted.
        let spec = case.spec::<T>().map_output::<f32>(Fragment::new(expression)).unwrap();
        every_recipe(&spec, &input, &[], |actual, what| assert_eq!(actual, expected, "{what}"));
    }
    check::<u8>(&case, "f32(value) * 0.5", |x| f32::from(x) * 0.5);
    check::<i8>(&case, "f32(value)", f32::from);
    check::<u16>(&case, "f32(value)", f32::from);
    check::<[u8; 3]>(&case, "dot(vec3<f32>(value), vec3(1.0, 2.0, 4.0))", |[r, g, b]| {
        f32::from(r) + 2.0 * f32::from(g) + 4.0 * f32::from(b)
    });
    check::<[u8; 4]>(&case, "f32(value.w)", |x| f32::from(x[3]));
    check::<[i32; 2]>(&case, "f32(value.y & 1023)", |x| (x[1] & 1023) as f32);

    // Fragments may unpack words themselves.
    let words: Vec<u32> = (0..n).map(|i| u32::from(f16::from_f32(i as f32).to_bits()) << 16).collect();
    let spec = case.spec::<f32>().map_input::<u32>(Fragment::new("unpack2x16float(value).y")).unwrap();
    let expected = case.expected(&(0..n).map(|i| i as f32).collect::<Vec<f32>>(), &vec![0.0; n]);
    every_recipe(&spec, &words, &[], |actual, what| assert_eq!(actual, expected, "{what}"));

    // Numbers become pixels, and pixels numbers of 16 bits.
    let numbers: Vec<f32> = (0..n).map(|i| (i % 200) as f32).collect();
    let pixels: Vec<[u8; 4]> = numbers.iter().map(|&x| [x as u8, 1, 2, 255]).collect();
    let spec = case.spec::<f32>().map_output::<[u8; 4]>(Fragment::new("vec4(u32(value), 1u, 2u, 255u)")).unwrap();
    let expected = case.expected(&pixels, &vec![[0; 4]; n]);
    every_recipe(&spec, &numbers, &[], |actual, what| assert_eq!(actual, expected, "{what}"));
    let halves: Vec<[f16; 2]> = numbers.iter().map(|&x| [f16::from_f32(x), f16::from_f32(-0.5)]).collect();
    let spec = case.spec::<f32>().map_output::<[f16; 2]>(Fragment::new("vec2(value, -0.5)")).unwrap();
    let expected = case.expected(&halves, &vec![[f16::ZERO; 2]; n]);
    every_recipe(&spec, &numbers, &[], |actual, what| assert_eq!(actual, expected, "{what}"));
}

#[test]
fn arrays_and_uniforms_of_both_sides() {
    let case = Case::new(&[14, 9, 3], &[2, 0, 1]);
    let picture = elements::<u8>(14 * 9 * 3);
    let (means, gains): ([f32; 3], Vec<f32>) = ([1.0, 2.0, 4.0], (0..9).map(|i| i as f32 * 0.25).collect());
    let input = Fragment::new("(f32(value) - means[i2]) * scale").array::<f32>("means", 3).uniform::<f32>("scale", "f32");
    let output = Fragment::new("value * gains[i2] + weigh(means[i0])")
        .functions("const half = 0.5;\nfn weigh(x: f32) -> f32 { return x * half; }")
        .array::<f32>("gains", 9)
        .array::<f32>("means", 3);
    let spec = case.spec::<f32>().map_input::<u8>(input).unwrap().map_output::<f32>(output).unwrap();
    assert_eq!(
        spec.to_string(),
        "permute f32 14x9x3 order=2,0,1 from u8 by `(f32(value) - means[i2]) * scale`, means: 3 f32, scale: f32 to f32 by `value * gains[i2] \
         + weigh(means[i0])` where `const half = 0.5; fn weigh(x: f32) -> f32 { return x * half; }`, gains: 9 f32, means: 3 f32"
    );
    let seen = indices(&[14, 9, 3], 1);
    let value = |(byte, index): (&u8, &Vec<usize>)| (f32::from(*byte) - means[index[3]]) * 2.0 * gains[index[2]] + means[index[3]] * 0.5;
    let expected = case.expected(&picture.iter().zip(&seen).map(value).collect::<Vec<f32>>(), &[0.0; 14 * 9 * 3]);
    let scale = [2.0f32];
    let arrays: [(&str, &[u8]); 3] =
        [("means", bytemuck::cast_slice(&means)), ("gains", bytemuck::cast_slice(&gains)), ("scale", bytemuck::cast_slice(&scale))];
    every_recipe(&spec, &picture, &arrays, |actual, what| assert_eq!(actual, expected, "{what}"));
    let profile = &profiles()[0];
    let text = spec.lower(&spec.design(profile).unwrap(), profile).unwrap().to_string();
    assert!(text.contains("declared2 `gains` 36 bytes") && text.contains("transpose/mapped"), "{text}");
}

#[test]
fn layouts_and_batches() {
    let (rows, columns, batch) = (13, 22, 3);
    let inputs = [
        None,
        Some(Places { strides: vec![columns + 3, 1], distance: rows * (columns + 3) + 5, offset: 7 }),
        Some(Places { strides: vec![columns * batch, batch], distance: 1, offset: 0 }),
        Some(Places { strides: vec![0, 1], distance: 30, offset: 2 }),
    ];
    let outputs = [None, Some(Places { strides: vec![3 * rows, 3], distance: 3 * columns * rows, offset: 1 })];
    for input in &inputs {
        for output in &outputs {
            let case = Case::transpose(&[rows, columns]).batch(batch).layouts(input.clone(), output.clone()).more(4);
            let factor = format!("value + {}", place_in_wgsl(2));
            let spec = case.spec::<f32>().map_input::<u16>(Fragment::new("f32(value)")).unwrap();
            let spec = spec.map_output::<f32>(Fragment::new(factor)).unwrap();
            let profile = &profiles()[0];
            let program = spec.lower(&spec.design(profile).unwrap(), profile).unwrap();
            let data = elements::<u16>(program.inputs()[0].len);
            // What a fragment adds at each place: that of the indices of a dense output.
            let output_shape = [columns, rows];
            let places = case.output.clone().unwrap_or_else(|| Places::dense(&output_shape)).all(&output_shape, batch);
            let unwritten = vec![f32::from_bits(UNWRITTEN); program.output().len];
            let mut expected = case.expected(&data.iter().map(|&x| f32::from(x)).collect::<Vec<f32>>(), &unwritten);
            places.into_iter().zip(indices(&output_shape, batch)).for_each(|(at, index)| expected[at] += place(&index));
            let bits = |values: &[f32]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            every_recipe(&spec, &data, &[], |actual, what| assert_eq!(bits(actual), bits(&expected), "{what}"));
        }
    }
}

#[test]
fn square_matrices_in_place() {
    let twice = |rank: usize| Fragment::new(format!("value * 2.0 + {}", place_in_wgsl(rank)));
    let cases = [
        Case::transpose(&[1, 1]),
        Case::transpose(&[7, 7]).batch(2),
        Case::transpose(&[33, 33]),
        Case::transpose(&[40, 40]).batch(3),
        Case::new(&[5, 9, 9], &[0, 2, 1]),
        Case::new(&[9, 5, 9], &[2, 1, 0]),
        Case::new(&[9, 9, 5], &[1, 0, 2]),
        Case::new(&[6, 8], &[0, 1]),
        Case::new(&[9, 1], &[1, 0]),
    ];
    for case in cases {
        let case = case.in_place();
        let (rank, len) = (case.shape.len(), case.shape.iter().product::<usize>() * case.batch);
        let data: Vec<f32> = (0..len).map(|i| (i * 37 % 101) as f32).collect();
        let mapped: Vec<f32> = data.iter().zip(indices(&case.shape, case.batch)).map(|(x, index)| x * 2.0 + place(&index)).collect();
        let expected = case.expected(&mapped, &mapped);
        let spec = case.spec::<f32>().map_input::<f32>(twice(rank)).unwrap();
        let count = every_recipe(&spec, &data, &[], |actual, what| assert_eq!(actual, expected, "{what}"));
        assert!(count > 0);
    }
    let profile = &profiles()[0];
    let why = |case: &Case| case.spec::<f32>().map_input::<f32>(twice(case.shape.len())).unwrap().design(profile).unwrap_err().to_string();
    let text = why(&Case::transpose(&[7, 8]).in_place());
    assert!(text.contains("must swap two axes of equal extents"), "{text}");
    let spec = Permute::<f32>::transpose([8, 8]).in_place().map_input::<Complex32>(Fragment::new("value.x")).unwrap();
    let text = spec.design(profile).unwrap_err().to_string();
    assert!(text.contains("cannot change the type"), "{text}");
}

#[test]
fn what_fragments_of_permutations_cannot_do_is_refused() {
    let profile = &profiles()[0];
    let bytes = Permute::<u8>::transpose([8, 12]).map_input::<u8>(Fragment::new("255u - value")).unwrap();
    let error = bytes.design(profile).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }) && error.to_string().contains("elements of u8 at the output"), "{error}");
    // The bytes may become words in the same pass.
    let words = bytes.map_output::<u32>(Fragment::new("value << 8u")).unwrap();
    words.lower(&words.design(profile).unwrap(), profile).unwrap();
    let error = Permute::<f32>::transpose([8, 12]).map_input::<u8>(Fragment::new("value")).unwrap_err();
    assert!(matches!(error, Error::Parse { .. }), "{error}");
    let error = Permute::<f32>::transpose([8, 12]).map_input::<f32>(Fragment::new("value * f32(k0)")).unwrap_err();
    assert!(error.to_string().contains("`k0`"), "frequencies are of spectra: {error}");

    let spec = Permute::<f32>::transpose([64, 48]).map_input::<u8>(Fragment::new("f32(value) + f32(i0)")).unwrap();
    for recipe in ["copy", "naive 16x16", "tiles 32x32", "blocks 16x16", "gather 8x32", "swap 8x8"] {
        match spec.lower(&recipe.parse().unwrap(), profile).unwrap_err() {
            Error::UnfitRecipe { spec: title, why, .. } => {
                assert_eq!(title, spec.to_string());
                assert!(why.contains("`tiled` and `strided`"), "{why}");
            }
            other => panic!("{recipe}: {other}"),
        }
    }
    for (recipe, part) in [
        ("tiled 32+1 elements=3", "divide the tile"),
        ("tiled 2048+1 elements=16", "along a side"),
        ("tiled 32+99 elements=4", "padding"),
        ("tiled 256+1 elements=16", "invocations"),
        ("strided 8x8 elements=9", "1 to 8"),
        ("strided 0x8 elements=1", "invocations"),
    ] {
        let error = spec.lower(&recipe.parse().unwrap(), profile).unwrap_err();
        assert!(matches!(error, Error::UnfitRecipe { .. }) && error.to_string().contains(part), "{recipe}: {error}");
    }
    let kept = Permute::<f32>::new([64, 48], [0, 1]).map_input::<u8>(Fragment::new("f32(value) + f32(i0)")).unwrap();
    let error = kept.lower(&"tiled 16+1 elements=4".parse().unwrap(), profile).unwrap_err();
    assert!(error.to_string().contains("changes the fastest axis"), "{error}");
    let in_place = Permute::<f32>::transpose([8, 8]).in_place().map_input::<f32>(Fragment::new("-value")).unwrap();
    let error = in_place.lower(&"strided 8x8 elements=1".parse().unwrap(), profile).unwrap_err();
    assert!(error.to_string().contains("exchanged through tiles"), "{error}");

    // An array that needs several bindings.
    let small = profile.with(|profile| profile.binding_bytes = 4096);
    let error = spec.lower(&spec.design(&small).unwrap(), &small).unwrap_err();
    assert!(matches!(error, Error::LimitExceeded { limit: "max_storage_buffer_binding_size", required: 12_288, .. }), "{error}");
    // The same name with another length.
    let both = Permute::<f32>::transpose([8, 8]).map_input::<f32>(Fragment::new("value * a[i0]").array::<f32>("a", 8)).unwrap();
    let both = both.map_output::<f32>(Fragment::new("value * a[i0]").array::<f32>("a", 9)).unwrap();
    let error = both.lower(&both.design(profile).unwrap(), profile).unwrap_err();
    assert!(error.to_string().contains("two different arrays `a`"), "{error}");
    // Parts for several devices are those of plain permutations.
    let axes =
        low_level::divide::permutation::dense_axes(&Permute::<f32>::transpose([8, 8]).map_input::<f32>(Fragment::new("-value")).unwrap());
    assert_eq!(axes.unwrap(), None);
}

/// Few invocations and little memory: a recipe that fits, or an error.
#[test]
fn tiny_devices_get_a_recipe_or_an_error() {
    for (invocations, y) in [(0, 0), (1, 1), (2, 2), (8, 8), (64, 64), (64, 1)] {
        for workgroup_bytes in [0, 64, 16_384] {
            let profile = profiles()[3].with(|profile| {
                profile.invocations = invocations;
                profile.workgroup_size = [invocations, y, 1];
                profile.workgroup_bytes = workgroup_bytes;
            });
            for case in [Case::transpose(&[100, 100]), Case::transpose(&[33, 7]), Case::transpose(&[40, 40]).in_place()] {
                let spec = case.spec::<f32>().map_input::<f32>(Fragment::new("-value")).unwrap();
                let lowered = spec.design(&profile).and_then(|recipe| spec.lower(&recipe, &profile)?.check(&profile));
                let fits = invocations > 0 && (!case.in_place || workgroup_bytes > 0);
                assert_eq!(lowered.is_ok(), fits, "{spec} on {profile:?}: {lowered:?}");
            }
        }
    }
}

/// Layouts of wider elements: places count elements, not bytes.
#[test]
fn rows_of_a_larger_picture() {
    let layout = Layout::strides([40, 1]).offset(85).within(40 * 30);
    let spec = Permute::<f32>::transpose([20, 30]).input_layout(layout).map_input::<[u8; 3]>(Fragment::new("f32(value.y)")).unwrap();
    let picture = elements::<[u8; 3]>(40 * 30);
    let expected: Vec<f32> = (0..600).map(|i| f32::from(picture[85 + i % 20 * 40 + i / 20][1])).collect();
    every_recipe(&spec, &picture, &[], |actual, what| assert_eq!(actual, expected, "{what}"));
}
