//! Permutations without a device: results on the host, the rules' choices, and refusals.

use wgpu_fft::Layout;
use wgpu_fft::low_level::recipes::transpose::Recipe;
use wgpu_fft::transpose::Permute;
use wgpu_fft::{DeviceProfile, Element, Error, Spec};

use crate::lists::{asks_for_all, share};
use crate::permute::{Case, PERMUTATIONS, elements, in_layouts, orders};
use crate::recipes::assert_reviewed;
use crate::reference::Places;
use crate::sanitized::RunOnHost;
use crate::variants::{profiles, tiny_profiles};

/// Runs a case with the default recipe and with all hand-written ones that fit. Returns how many
/// fit.
fn check<T: Element + PartialEq>(case: &Case, profile: &DeviceProfile) -> usize {
    let spec = case.spec::<T>();
    let rules = spec.design(profile).unwrap_or_else(|error| panic!("{spec} on {}: {error}", profile.name));
    let by_hand = PERMUTATIONS.iter().map(|text| text.parse::<Recipe>().unwrap());
    let mut count = 0;
    for recipe in [rules].into_iter().chain(by_hand) {
        let program = match spec.lower(&recipe, profile) {
            Ok(program) => program,
            // Large tiles do not fit small bindings.
            Err(Error::UnfitRecipe { .. } | Error::LimitExceeded { .. }) if recipe != rules => continue,
            Err(error) => panic!("{spec} by {recipe} on {}: {error}", profile.name),
        };
        program.check(profile).unwrap();
        let input = elements::<T>(program.inputs()[0].len);
        let unwritten: Vec<T> = bytemuck::pod_collect_to_vec(&vec![0x7fc0_deadu32; program.output().bytes().div_ceil(4) as usize]);
        let before = if case.in_place { &input } else { &unwritten[..program.output().len] };
        let output = program.run_on_host::<T, T>(&input);
        assert!(output == case.expected(&input, before), "{program} by {recipe}");
        count += 1;
    }
    count
}

fn check_all(case: &Case, profile: &DeviceProfile) -> usize {
    check::<u8>(case, profile)
        + check::<u16>(case, profile)
        + check::<u32>(case, profile)
        + check::<[u32; 2]>(case, profile)
        + check::<[u32; 4]>(case, profile)
}

#[test]
fn permutations_of_every_order() {
    let shapes = [
        (&[37, 50][..], 1),
        (&[16, 64], 3),
        (&[1, 9], 2),
        (&[5, 12, 16], 2),
        (&[3, 1, 7], 1),
        (&[24, 16, 3], 1),
        (&[4, 3, 8, 5], 2),
        (&[2, 8, 4, 16], 1),
    ];
    for (turn, profile) in profiles().into_iter().enumerate() {
        let mut count = 0;
        let cases =
            shapes.iter().flat_map(|(shape, batch)| orders(shape.len()).into_iter().map(|order| Case::new(shape, &order).batch(*batch)));
        for case in share(cases, 5, turn) {
            count += check_all(&case, &profile);
        }
        println!("{}: {count}", profile.name);
    }
}

#[test]
fn permutations_with_layouts() {
    for profile in profiles() {
        for case in in_layouts(0) {
            check_all(&case, &profile);
        }
    }
}

/// A permutation that keeps the order is a copy of exactly its elements: arrays may continue beyond
/// the last element.
#[test]
fn copies_leave_alone_what_lies_behind_them() {
    for profile in profiles() {
        for (len, input, output) in [(12, 26, 12), (12, 12, 26), (12, 40, 26), (1, 9, 5), (64, 64, 64), (1000, 1024, 4096)] {
            let layout = |within| Layout::strides([1]).within(within);
            let copied = |spec: Permute<u32>| {
                let program = spec.lower(&Recipe::Copy, &profile).unwrap();
                let data = elements::<u32>(input);
                let result = program.run_on_host::<u32, u32>(&data);
                assert_eq!((result.len(), &result[..len]), (output, &data[..len]), "{program}");
                assert!(result[len..].iter().all(|word| *word == 0x7fc0_dead), "{program}");
            };
            copied(Permute::new([len], [0]).input_layout(layout(input)).output_layout(layout(output)));
        }
    }
}

/// A random permutation between random layouts on the host. It neither panics nor hangs, and the
/// gaps in the output keep their values.
#[test]
fn random_layouts() {
    use proptest::prelude::*;
    let extents = prop::collection::vec(1usize..20, 1..4);
    let strategy = (extents, 1usize..4, prop::collection::vec(0usize..9, 10), any::<prop::sample::Index>(), 0usize..40);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: if asks_for_all() { 400 } else { 50 },
        ..ProptestConfig::with_source_file(file!())
    });
    let outcome = runner.run(&strategy, |(shape, batch, gaps, order, more)| {
        let orders = orders(shape.len());
        let order = &orders[order.index(orders.len())];
        // Strides with gaps, from the fastest axis to the batch.
        let places = |extents: &[usize], gaps: &[usize]| {
            let (mut strides, mut reach) = (vec![0; extents.len()], 1);
            for axis in (0..extents.len()).rev() {
                strides[axis] = reach + gaps[axis] / 3;
                reach = strides[axis] * extents[axis];
            }
            Places { strides, distance: reach + gaps[3], offset: gaps[4] }
        };
        let output: Vec<usize> = order.iter().map(|&axis| shape[axis]).collect();
        let (input, output) = (places(&shape, &gaps[..5]), places(&output, &gaps[5..]));
        let given = |places: &Places, given: bool| given.then(|| places.clone());
        let case = Case::new(&shape, order).batch(batch).layouts(given(&input, gaps[0] != 1), given(&output, gaps[5] != 1)).more(more);
        for profile in &profiles()[..2] {
            check::<u8>(&case, profile);
            check::<u32>(&case, profile);
            check::<[u32; 4]>(&case, profile);
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn square_matrices_in_place() {
    for (turn, profile) in profiles().into_iter().enumerate() {
        for (n, batch) in share([(1, 1), (1, 3), (2, 1), (7, 2), (32, 1), (48, 3), (65, 1), (130, 2)], 3, turn) {
            check_all(&Case::transpose(&[n, n]).batch(batch).in_place(), &profile);
            let pitched = Places { strides: vec![n + 16, 1], distance: n * (n + 16) + 32, offset: 16 };
            let case = Case::transpose(&[n, n]).batch(batch).in_place().layouts(Some(pitched.clone()), Some(pitched));
            check_all(&case.more(5), &profile);
        }
        check_all(&Case::new(&[5, 9, 9], &[0, 2, 1]).in_place(), &profile);
        check_all(&Case::new(&[9, 5, 9], &[2, 1, 0]).in_place(), &profile);
        check_all(&Case::new(&[9, 1], &[1, 0]).in_place(), &profile);
        // Rows that are a single element of 16 bytes.
        check::<u8>(&Case::new(&[9, 9, 16], &[1, 0, 2]).in_place(), &profile);
    }
}

/// Arrays larger than one binding run in several dispatches, each of which sees a part of them.
#[test]
fn permutations_in_several_bindings() {
    for binding_bytes in [40_000, 20_000, 9_000] {
        for (turn, profile) in profiles().into_iter().enumerate() {
            let profile = profile.with(|profile| profile.binding_bytes = binding_bytes);
            let cases = [
                Case::transpose(&[100, 96]),
                Case::transpose(&[30, 40]).batch(9),
                Case::new(&[30, 20, 24], &[2, 0, 1]),
                Case::new(&[30, 20, 24], &[1, 0, 2]),
                Case::new(&[12, 10, 8, 14], &[3, 2, 1, 0]),
                Case::new(&[120, 96], &[0, 1]),
                Case::transpose(&[99, 101]),
            ];
            for case in share(cases, 7, turn + binding_bytes as usize / 1000) {
                assert!(check::<u32>(&case, &profile) > 1, "{case:?}");
                check::<[u32; 2]>(&case, &profile);
                check::<u8>(&case, &profile);
                check::<u16>(&case, &profile);
            }
            check::<u32>(&Case::transpose(&[40, 40]).batch(9).in_place(), &profile);
            check::<u8>(&Case::transpose(&[41, 41]).batch(31).in_place(), &profile);
            // A matrix that is transposed in place cannot be cut.
            for spec in ["transpose f32 200x200 in-place", "transpose f32 101x101 in-place"] {
                let spec: Permute<f32> = spec.parse().unwrap();
                let error = spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap_err();
                assert!(matches!(error, Error::LimitExceeded { limit: "max_storage_buffer_binding_size", .. }), "{spec}: {error}");
            }
            // The tutorial's kernels need the whole array.
            let error = Permute::<f32>::transpose([100, 101]).lower(&"naive 8x8".parse().unwrap(), &profile).unwrap_err();
            assert!(matches!(error, Error::LimitExceeded { limit: "max_storage_buffer_binding_size", .. }), "{error}");
        }
    }
}

/// The specifications in the table: pictures and matrices of usual sizes.
const CHOICES: [&str; 29] = [
    "transpose u8 1080x1920",
    "transpose u8 1080x1921",
    "transpose u8 1921x1080",
    "transpose u8 4096x4096",
    "transpose u8 4096x4096 in-place",
    "transpose u8 1080x1080 x3 in-place",
    "transpose u8 1001x1001 in-place",
    "transpose u16 1080x1920",
    "transpose f16 1081x1921",
    "transpose f32 1080x1920",
    "transpose f32 1080x1921",
    "transpose f32 1081x1921 x4",
    "transpose f32 64x64 x1000",
    "transpose f32 4096x4096 in-place",
    "transpose f32 8192x8192 in-place",
    "transpose f32 1x5000",
    "transpose f32 5000x3",
    "transpose f32 3x5000",
    "transpose complex f32 4096x4096",
    "transpose complex f32 16384x16384",
    "transpose complex f32 512x512 in-place",
    "transpose f32x4 1080x1920",
    "transpose complex f64 2048x2048",
    "permute f32 128x128x128 order=2,1,0",
    "permute f32 128x128x128 order=1,0,2",
    "permute u8 480x640x3 order=2,0,1",
    "permute u8 480x640x4 order=1,0,2",
    "permute f32 16x24x32x40 order=3,2,1,0",
    "permute f32 480x640 order=0,1 in=1024,1@77",
];

/// The recipe chosen for a specification, as text.
fn choice(spec: &str, profile: &DeviceProfile) -> Result<String, Error> {
    fn of<T: Element>(spec: &str, profile: &DeviceProfile) -> Result<String, Error> {
        let parsed: Permute<T> = spec.parse()?;
        assert_eq!(parsed.to_string(), spec);
        let recipe = parsed.design(profile)?;
        assert_eq!(recipe.to_string().parse::<Recipe>().unwrap(), recipe);
        let program = parsed.lower(&recipe, profile)?;
        program.check(profile)?;
        Ok(if program.dispatch_count() == 1 { recipe.to_string() } else { format!("{recipe} | {} dispatches", program.dispatch_count()) })
    }
    let element = spec.split_once(' ').unwrap().1;
    match element {
        _ if element.starts_with("u8 ") => of::<u8>(spec, profile),
        _ if element.starts_with("u16 ") => of::<u16>(spec, profile),
        _ if element.starts_with("f16 ") => of::<half::f16>(spec, profile),
        _ if element.starts_with("complex f32 ") => of::<wgpu_fft::Complex32>(spec, profile),
        _ if element.starts_with("complex f64 ") => of::<wgpu_fft::num_complex::Complex<f64>>(spec, profile),
        _ if element.starts_with("f32x4 ") => of::<[f32; 4]>(spec, profile),
        _ => of::<f32>(spec, profile),
    }
}

/// One line per specification and profile. After a change of a rule, run with WGPU_FFT_BLESS=1 and
/// review the difference.
#[test]
fn the_table_of_choices_is_as_reviewed() {
    let mut table = String::new();
    for profile in profiles() {
        for spec in CHOICES {
            let choice = choice(spec, &profile).unwrap_or_else(|error| format!("error: {error}"));
            table += &format!("{spec:<44} {:<16} {choice}\n", profile.name);
        }
    }
    assert_reviewed("permutations.txt", &table);
}

/// Devices far smaller than WebGPU allows still get a recipe that fits, or an error.
#[test]
fn tiny_devices_get_a_recipe_or_an_error() {
    for profile in tiny_profiles() {
        for case in [Case::transpose(&[100, 100]), Case::transpose(&[33, 7]), Case::transpose(&[40, 40]).in_place()] {
            let fits = |result: Result<(), Error>| {
                assert_eq!(result.is_ok(), profile.invocations > 0, "{case:?}: {profile:?}");
            };
            fn try_it<T: Element>(case: &Case, profile: &DeviceProfile) -> Result<(), Error> {
                let spec = case.spec::<T>();
                spec.lower(&spec.design(profile)?, profile)?.check(profile)
            }
            fits(try_it::<u8>(&case, &profile));
            fits(try_it::<u16>(&case, &profile));
            fits(try_it::<f32>(&case, &profile));
            fits(try_it::<[f32; 4]>(&case, &profile));
        }
    }
}

#[test]
fn recipes_are_read_as_they_are_printed() {
    for text in PERMUTATIONS {
        let recipe: Recipe = text.parse().unwrap();
        assert_eq!(recipe.to_string(), text);
    }
    let short: Recipe = "tiles 64x64".parse().unwrap();
    assert_eq!(short.to_string(), "tiles 64x64 width=16 blocks=1 swizzle walk=rows");
    let short: Recipe = "blocks 8x64 store=8 walk=bands4".parse().unwrap();
    assert_eq!(short.to_string(), "blocks 8x64 load=16 store=8 blocks=1 along=rows walk=bands4");
    for text in [
        "tiles",
        "tiles 64",
        "tiles 64x64 along=rows",
        "tiles 64x64 wide=4",
        "tiles 64x64 walk=bands",
        "tiles 64x64 walk=up",
        "blocks 8x8 swizzle",
        "blocks 8x8 padding=1",
        "strided 8x8",
        "strided 8x8 elements=",
        "gather 8",
        "swap x8",
    ] {
        assert!(matches!(text.parse::<Recipe>(), Err(Error::Parse { .. })), "{text}");
    }
}

#[test]
fn specifications_are_read_as_they_are_printed() {
    let part = Layout::strides([1024, 1]).offset(5).within(100_000);
    let spec = Permute::<u8>::transpose([30, 40]).batch(3).input_layout(part).output_layout(Layout::strides([32, 1]));
    assert_eq!(spec.to_string(), "transpose u8 30x40 x3 in=1024,1@5:100000 out=32,1");
    assert_eq!(spec.to_string().parse::<Permute<u8>>(), Ok(spec));
    let spec = Permute::<wgpu_fft::Complex32>::new([2, 3, 4, 5], [3, 1, 0, 2]);
    assert_eq!(spec.to_string(), "permute complex f32 2x3x4x5 order=3,1,0,2");
    assert_eq!(spec.to_string().parse::<Permute<wgpu_fft::Complex32>>(), Ok(spec));
    assert_eq!(Permute::<f32>::new([4, 5], [1, 0]), Permute::transpose([4, 5]));
    assert_eq!(Permute::<f32>::transpose([4, 4]).in_place().to_string(), "transpose f32 4x4 in-place");
    assert_eq!("permute f32 4x5x6 order=0,2,1".parse::<Permute<f32>>(), Ok(Permute::transpose([4, 5, 6])));
    assert_eq!(Permute::<f32>::transpose(7).to_string(), "permute f32 7 order=0");
    for (text, why) in [
        ("", "begin with transpose or permute"),
        ("turn f32 4x4", "begin with transpose or permute"),
        ("transpose u8 4x4", "`u8` at byte 10: expected `f32`"),
        ("transpose f32x4 4x4", "`f32x4` at byte 10: expected `f32`"),
        ("transpose f32 4y4", "`4y4` at byte 14: expected 1 to 4 extents, such as 512x512"),
        ("permute f32 4x4", "needs an order"),
        ("permute f32 4x4 order=a,b", "`a` at byte 22: expected a number"),
        ("transpose f32 4x4 order=1,0", "`1,0` at byte 24: only `permute` has an order"),
        ("transpose f32 4x4 x2 x3", "`x3` at byte 21: expected a batch (x4)"),
        ("transpose f32 4x4 in=1,a", "`a` at byte 23: expected a number"),
        ("transpose f32 4x4 upside-down", "`upside-down` at byte 18: expected a batch (x4)"),
    ] {
        let error = text.parse::<Permute<f32>>().unwrap_err();
        assert!(matches!(error, Error::Parse { .. }) && error.to_string().contains(why), "{text}: {error}");
    }
}

#[test]
fn specifications_that_make_no_sense_are_refused_with_the_reason() {
    let profile = DeviceProfile::webgpu_defaults();
    for (spec, why) in [
        ("permute f32 4x5x6 order=0,1", "it has 2 axes, but the shape has 3"),
        ("permute f32 4x5 order=0,1,2", "it has 3 axes, but the shape has 2"),
        ("permute f32 4x5x6 order=0,1,1", "axis 2 is missing, and another is given twice"),
        ("permute f32 4x5x6 order=0,3,1", "axis 3 does not exist: the axes are 0 to 2"),
        ("transpose f32 4x6 in=6", "1 strides, but there are 2 axes"),
        ("transpose f32 4x6 out=4,1,1", "3 strides, but there are 2 axes"),
        ("transpose f32 4x6 out=3,1", "might overlap"),
        ("transpose f32 4x6 out=1,1", "might overlap"),
        ("transpose f32 4x6 x2 out=4,1/8", "might overlap"),
        ("transpose f32 4x6 in=6,1@3:26", "it reaches 27 elements, but the array has 26"),
        ("transpose f32 4x6 in-place", "only square matrices"),
        ("permute f32 4x4x4 order=1,2,0 in-place", "only square matrices"),
        ("permute f32 4x4x3 order=1,0,2 in-place", "only square matrices"),
        ("transpose f32 4x4 in=8,1 in-place", "two layouts in place"),
        ("transpose f32 4x4 in=8,1 out=9,1 in-place", "two layouts in place"),
        ("transpose f32 4x4 in=16,2 out=16,2 in-place", "only square matrices"),
    ] {
        let error = spec.parse::<Permute<f32>>().unwrap().design(&profile).expect_err(spec);
        assert!(matches!(error, Error::Unsupported { .. }) && error.to_string().contains(why), "{spec}: {error}");
    }
    for spec in ["transpose f32 0x4", "transpose f32 4x4 x0", "permute f32 0 order=0"] {
        assert!(matches!(spec.parse::<Permute<f32>>().unwrap().design(&profile), Err(Error::Empty { .. })), "{spec}");
    }
    for spec in [
        "transpose f32 65536x65536",
        "transpose f32 8x8 x67108864",
        "transpose f32 8x8 in=4294967295,1",
        "transpose f32 8x8 out=8,1@4294967290",
    ] {
        let error = spec.parse::<Permute<f32>>().unwrap().design(&profile).expect_err(spec);
        assert!(matches!(error, Error::LimitExceeded { limit: "elements indexed by a u32", .. }), "{spec}: {error}");
    }
    assert!(Permute::<u8>::transpose([65_535, 65_537]).design(&profile).is_ok());
    assert!(matches!(Permute::<[f32; 2]>::new([2], []).design(&profile), Err(Error::Unsupported { .. })));
    assert!(Permute::<[u16; 4]>::transpose([3, 4]).design(&profile).is_ok());
}

#[test]
fn unfit_recipes_are_refused_with_the_reason() {
    let profile = DeviceProfile::webgpu_defaults();
    for (spec, recipe, why) in [
        ("transpose f32 64x64", "copy", "keep their order"),
        ("transpose f32 64x64", "gather 8x32", "moves elements of 1 or 2 bytes"),
        ("transpose f32 64x64", "swap 8x32", "only works in place"),
        ("transpose f32 64x64 in-place", "naive 8x8", "does not work in place"),
        ("transpose f32 64x64 in-place", "strided 8x8 elements=1", "does not work in place"),
        ("transpose f32 64x64 in-place", "tiles 32x64", "in place, tiles must be square"),
        ("transpose f32 64x64 in-place", "tiles 64x64 load=4 store=8", "in place, tiles must be square"),
        ("permute f32 8x8x9 order=0,1,2 in=100,12,1", "naive 8x8", "only transpose dense matrices"),
        ("permute f32 8x8x9 order=1,0,2", "tiles 32x32 width=4", "neighbours in memory"),
        ("transpose f32 64x64", "tiles 64x64 width=2", "not 2"),
        ("transpose f32 64x64", "tiles 64x64 width=12", "not 12"),
        ("transpose f32 64x64", "tiles 64x64 width=32", "or 32 bytes for elements of 8 and 16"),
        ("transpose f32x2 64x64", "blocks 64x64 width=32", "need 64-bit integers"),
        ("transpose f32x4 64x64", "tiles 64x64 width=8", "no smaller than an element of 16 bytes"),
        ("transpose f32 64x63", "tiles 64x64", "rows of the input do not begin and end at multiples of 4"),
        ("transpose f32 63x64", "tiles 64x64", "rows of the output"),
        ("transpose f32 64x64 in=66,1", "tiles 64x64", "rows of the input"),
        ("transpose f32 64x64", "tiles 62x64", "whole blocks of 4 x 4"),
        ("transpose f32 64x64", "tiles 0x64", "1 to 65536 elements"),
        ("transpose f32 64x64", "tiles 64x131072", "1 to 65536 elements"),
        ("transpose f32 64x64", "tiles 64x64 blocks=3", "divide the 256"),
        ("transpose f32 64x64", "tiles 64x64 blocks=32", "1 to 16"),
        ("transpose f32 64x64", "tiles 64x128", "512 invocations, but there are at most 256"),
        ("transpose f32 64x64", "tiles 64x128 blocks=2", "32768 bytes of workgroup memory, but there are 16384"),
        ("transpose f32 64x64", "tiles 24x24", "needs rows of a power of two"),
        ("transpose f32 64x64", "tiles 64x64 padding=33", "0 to 32 accesses"),
        ("transpose f32 64x64", "tiles 64x64 walk=bands0", "at least one row"),
        ("transpose f32 64x64", "tiles 64x64 blocks=16 width=16", "hold 1024 bytes"),
        ("transpose f32 64x64", "strided 32x8 elements=9", "elements must be 1 to 8"),
        ("transpose f32 64x64", "strided 64x8 elements=1", "64 x 8 invocations"),
    ] {
        let outcome = if spec.contains("f32x2") {
            spec.parse::<Permute<[f32; 2]>>().unwrap().lower(&recipe.parse().unwrap(), &profile)
        } else if spec.contains("f32x4") {
            spec.parse::<Permute<[f32; 4]>>().unwrap().lower(&recipe.parse().unwrap(), &profile)
        } else {
            spec.parse::<Permute<f32>>().unwrap().lower(&recipe.parse().unwrap(), &profile)
        };
        if recipe.contains("blocks=16 width=16") {
            assert!(outcome.is_ok(), "{spec} by {recipe}: 1024 bytes are as many as may be");
            continue;
        }
        let error = outcome.expect_err(&format!("{spec} by {recipe}"));
        assert!(matches!(error, Error::UnfitRecipe { .. }) && error.to_string().contains(why), "{spec} by {recipe}: {error}");
    }
    for (spec, recipe, why) in [
        ("transpose u8 64x64", "naive 8x8", "4, 8 or 16 bytes, not 1"),
        ("transpose u8 64x64", "strided 8x8 elements=1", "less than a word"),
        ("transpose u8 63x64", "blocks 64x64 width=4", "requires workgroup memory and store=4"),
        ("transpose u8 63x64", "tiles 64x64 width=8", "requires workgroup memory and store=4"),
        ("transpose u8 63x63 in-place", "tiles 64x64 width=4", "rows of the input"),
    ] {
        let error = spec.parse::<Permute<u8>>().unwrap().lower(&recipe.parse().unwrap(), &profile).expect_err(recipe);
        assert!(matches!(error, Error::UnfitRecipe { .. }) && error.to_string().contains(why), "{spec} by {recipe}: {error}");
    }
}
