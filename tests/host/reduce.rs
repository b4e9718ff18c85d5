//! Reductions run on the host, and what is refused.

use wgpu_fft::elements::{Float, Ordered, Value};
use wgpu_fft::half::f16;
use wgpu_fft::low_level::recipes::reduce::Recipe;
use wgpu_fft::low_level::tune::Tunable;
use wgpu_fft::reduce::{self, Reduction};
use wgpu_fft::{Complex32, DeviceProfile, Element, Error, Layout, Program, Spec};

use crate::lists::share;
use crate::reductions::{Case, PLACES, RECIPES, axes_of_every_kind, words};
use crate::reference::{ROUNDOFF, complex_noise, noise};
use crate::sanitized::RunOnHost;
use crate::variants::profiles;

#[test]
fn every_kind_of_axes_by_the_rules() {
    for (p, profile) in profiles().into_iter().enumerate() {
        for case in share(axes_of_every_kind(), 4, p) {
            case.check(&profile);
        }
    }
}

#[test]
fn every_kind_of_axes_across_devices() {
    for (p, profile) in profiles().into_iter().enumerate() {
        for case in share(axes_of_every_kind(), 4, p) {
            let case = case.across_devices();
            case.check_f32(&profile);
            case.check_complex(&profile);
        }
    }
}

/// Elements that are not dense, for every kind of axes.
#[test]
fn every_kind_of_axes_in_every_place() {
    for (p, profile) in profiles().iter().enumerate() {
        for (i, case) in share(axes_of_every_kind().into_iter().enumerate(), 8, 2 * p) {
            case.placed(i + p).check(profile);
        }
    }
    for case in share(axes_of_every_kind(), 2, 1) {
        (0..PLACES).for_each(|turn| case.clone().placed(turn).check_f32(&profiles()[1]));
    }
}

/// Wherever the elements are, the bits are those of the dense array.
#[test]
fn across_devices_the_place_of_elements_does_not_matter() {
    fn bits<T: Value, O: Element>(case: &Case, profile: &DeviceProfile, spec: Reduction<T, O>, x: &[T]) -> Vec<u8> {
        let second = spec.to_string().starts_with("dot").then_some(x);
        let outcome = case.run(profile, spec, x, second).unwrap();
        bytemuck::cast_slice(&outcome.results).to_vec()
    }
    let profiles = profiles();
    for (i, case) in axes_of_every_kind().into_iter().chain([Case::new(&[3, 7001], 1, None)]).enumerate() {
        let dense = case.across_devices();
        let (shape, x, z) = (dense.shape(), noise(dense.len(), 3), complex_noise(dense.len(), 4));
        for turn in 0..PLACES {
            let placed = dense.clone().placed(turn);
            let profile = &profiles[(i + turn) % profiles.len()];
            let own = |case: &Case, profile: &DeviceProfile| {
                [
                    bits(case, profile, reduce::sum::<f32>(shape), &x),
                    bits(case, profile, reduce::dot::<f32>(shape), &x),
                    bits(case, profile, reduce::variance::<f32>(shape), &x),
                    bits(case, profile, reduce::sum::<Complex32>(shape), &z),
                ]
            };
            assert_eq!(own(&placed, profile), own(&dense, &profiles[i % profiles.len()]), "{placed:?}");
        }
    }
}

#[test]
fn every_kind_of_axes_by_hand() {
    let profile = &profiles()[1];
    let cases = axes_of_every_kind().into_iter().flat_map(|case| RECIPES.iter().enumerate().map(move |by| (case.clone(), by)));
    for (case, (turn, recipe)) in share(cases, 13, 0) {
        case.clone().by(recipe).check(profile);
        case.clone().by(recipe).placed(turn).check_f32(profile);
        case.clone().by(recipe).placed(turn + 1).check_f16(profile);
    }
}

#[test]
fn long_arrays_on_every_device() {
    for (turn, profile) in profiles().into_iter().enumerate() {
        for n in share([255, 256, 257, 65_536, 65_537, (1 << 20) + 4], 4, turn) {
            let case = Case::new(&[n], 1, None);
            case.check_integers(&profile);
            case.across_devices().check_integers(&profile);
        }
    }
    Case::new(&[1 << 17], 1, None).by("tree 256").check_integers(&profiles()[0]);
    let spec = reduce::sum::<f32>(1 << 22);
    let program = spec.lower(&"tree 256".parse().unwrap(), &profiles()[0]).unwrap().to_string();
    for pass in ["reduce 4194304 -> 16384", "reduce 16384 -> 64", "reduce 64 -> 1"] {
        assert!(program.contains(pass), "{program}");
    }
}

/// The order across devices: devices that agree in nothing give equal bits, and these differ from
/// the bits of any other order.
#[test]
fn the_order_across_devices_is_one() {
    let x = noise(300_000, 3);
    let run = |spec: &Reduction<f32, f32>, profile: &DeviceProfile| {
        let program = spec.lower(&spec.design(profile).unwrap(), profile).unwrap();
        program.run_on_host::<f32, f32>(&x).iter().map(|x| x.to_bits()).collect::<Vec<_>>()
    };
    for spec in
        [reduce::sum(300_000), reduce::sum([3000, 100]).axes([0]), reduce::sum([3000, 100]).axes([1]), reduce::norm([30, 10_000]).axes([1])]
    {
        let fixed = spec.clone().across_devices();
        let tiny = DeviceProfile::webgpu_defaults().with(|profile| {
            profile.invocations = 4;
            profile.workgroup_size = [4, 1, 1];
            profile.binding_bytes = 1 << 18;
        });
        let bits: Vec<_> = profiles().iter().chain([&tiny]).map(|profile| run(&fixed, profile)).collect();
        assert!(bits.windows(2).all(|pair| pair[0] == pair[1]), "{fixed}");
        if spec == reduce::sum(300_000) {
            assert!(profiles().iter().any(|profile| run(&spec, profile) != bits[0]), "the test cannot tell one order from another");
        }
        let error = fixed.lower(&"workgroup=2 lanes=2".parse().unwrap(), &profiles()[0]).unwrap_err();
        assert!(error.to_string().contains("order across devices"), "{error}");
    }
}

/// lavapipe leaves loops after 65,535 iterations.
#[test]
fn no_loop_turns_too_often_on_a_processor() {
    let lavapipe = profiles().into_iter().find(DeviceProfile::is_cpu).unwrap();
    let large = lavapipe.with(|profile| {
        profile.binding_bytes = 1 << 34;
        profile.buffer_bytes = 1 << 34;
    });
    for (shape, axes) in [
        (&[(1usize << 29) - 1][..], &[0][..]),
        (&[u32::MAX as usize], &[0]),
        (&[600, 7_000_001], &[1]),
        (&[1 << 29, 4], &[0]),
        (&[1 << 30, 3], &[0]),
        (&[3, 1 << 28, 5], &[1]),
        (&[1 << 14, 1 << 10, 1 << 6], &[0, 2]),
    ] {
        let spec = reduce::sum::<f32>(shape).axes(axes);
        for spec in [spec.clone(), spec.across_devices()] {
            let recipe = spec.design(&large).unwrap();
            spec.lower(&recipe, &large).unwrap_or_else(|error| panic!("{spec} by {recipe}: {error}"));
        }
    }
    let spec = reduce::sum::<f32>([1 << 20, 4]).axes([0]);
    let error = spec.lower(&"workgroup=8 width=4".parse().unwrap(), &large).unwrap_err();
    assert!(matches!(&error, Error::UnfitRecipe { why, .. } if why.contains("1048576 times")), "{error}");
    assert!(spec.lower(&"workgroup=8 width=4".parse().unwrap(), &profiles()[0]).is_ok());
}

/// A long chain of additions loses digits of a sum, so the rules for processors keep it short.
#[test]
fn sums_on_processors_are_shallow() {
    for profile in profiles().into_iter().filter(DeviceProfile::is_cpu) {
        let large = profile.with(|profile| {
            profile.binding_bytes = 1 << 34;
            profile.buffer_bytes = 1 << 34;
        });
        let rows = |n: usize| (1..=8).map(move |c| (vec![n, c], vec![0]));
        let cases = rows(2_073_600).chain(rows(100_000)).chain(rows(1 << 28)).chain([
            (vec![u32::MAX as usize], vec![0]),
            (vec![1 << 24], vec![0]),
            (vec![600, 7_000_001], vec![1]),
            (vec![512, 8192], vec![1]),
            (vec![512, 3001], vec![1]),
            (vec![4096, 1024], vec![0]),
            (vec![65_536, 64], vec![0]),
            (vec![100_000, 4096], vec![0]),
            (vec![1 << 20, 1000], vec![0]),
            (vec![3, 1 << 20, 5], vec![1]),
            (vec![1 << 14, 1 << 10, 1 << 6], vec![0, 2]),
            (vec![4000, 3, 4000], vec![0, 2]),
        ]);
        fn depth<T: Value>(shape: &[usize], axes: &[usize], profile: &DeviceProfile) -> (u32, String) {
            let spec = reduce::sum::<T>(shape).axes(axes);
            let recipe = spec.design(profile).unwrap();
            spec.lower(&recipe, profile).unwrap_or_else(|error| panic!("{spec} by {recipe}: {error}"));
            (spec.depth(&recipe).unwrap(), format!("{spec} by {recipe} on {}", profile.name))
        }
        for (shape, axes) in cases {
            for (depth, what) in [depth::<f32>(&shape, &axes, &large), depth::<f16>(&shape, &axes, &large)] {
                assert!(depth <= 256, "{depth} additions: {what}");
            }
        }
    }
}

/// The means of values far from zero against f64, on every kind of axes. This detects the loss of a
/// long chain of additions.
#[test]
fn means_of_values_far_from_zero() {
    let long = [Case::new(&[60_000, 3], 1, Some(&[0])), Case::new(&[3, 60_000], 1, Some(&[1]))];
    for (p, profile) in profiles().into_iter().enumerate() {
        for case in share(axes_of_every_kind().into_iter().chain(long.clone()), 4, p) {
            case.check_far_from_zero(&profile);
        }
    }
}

/// The variance of values around 10000 with a deviation of 1, for every kind of axes.
#[test]
fn variances_of_values_far_from_zero() {
    let long = [Case::new(&[60_000, 3], 1, Some(&[0])), Case::new(&[100_001], 1, None)];
    for (p, profile) in profiles().into_iter().enumerate() {
        for case in share(axes_of_every_kind().into_iter().chain(long.clone()), 4, p) {
            case.check_variance_far_from_zero(&profile);
            case.across_devices().check_variance_far_from_zero(&profile);
        }
    }
}

/// Norms, deviations and distances of numbers whose squares f32 has not, for every kind of axes.
#[test]
fn numbers_of_every_size() {
    for (p, profile) in profiles().iter().enumerate() {
        for (i, case) in share(axes_of_every_kind().into_iter().enumerate(), 8, 2 * p) {
            for size in share([-38, -30, -20, -7, 20, 37, 38], 4, i + p) {
                case.check_sizes(profile, size);
                case.clone().across_devices().check_sizes(profile, size);
            }
            case.clone().by(RECIPES[(i + p) % RECIPES.len()]).check_sizes(profile, [-31, 21][i % 2]);
        }
    }
    // Sums of squares of many of the largest numbers of each scale.
    for x in [3e38_f32, 3.6e19, 1.9, 1.0e-19, 1e-38] {
        let data: Vec<f32> = (0..100_003).map(|i| if i % 2 == 0 { x } else { -x }).collect();
        let case = Case::new(&[data.len()], 1, None);
        let own = case.run(&profiles()[1], reduce::standard_deviation::<f32>(data.len()), &data, None).unwrap().results[0];
        assert!((own / x - 1.0).abs() < 1e-5, "{own:e} of {x:e}");
    }
}

/// Of counts, and not of what is subtracted from them.
#[test]
fn shares_are_nearly_quotients() {
    let parts = |profile: &DeviceProfile, n: usize| {
        // Two values, one of which stands for all but one element: their mean is a quotient.
        let mut x = vec![0.0f32; n];
        x[n - 1] = 1.0;
        let spec = reduce::variance::<f32>(n).across_devices();
        let program = spec.lower(&spec.design(profile).unwrap(), profile).unwrap();
        program.run_on_host::<f32, f32>(&x)[0]
    };
    for n in (2..200).chain([4095, 65_537]) {
        let expected = (n as f64 - 1.0) / (n as f64).powi(2);
        let own = f64::from(parts(&profiles()[0], n));
        assert!((own - expected).abs() < 64.0 * f64::from(f32::EPSILON) * expected, "{n}: {own:e} for {expected:e}");
    }
}

#[test]
fn not_a_number_has_no_variance() {
    for profile in profiles() {
        for n in [1, 2, 300] {
            for (at, bad) in [(0, f32::NAN), (n - 1, -f32::NAN), (n / 2, f32::INFINITY)] {
                let mut x = noise(2 * n, 3);
                x[at] = bad;
                let spec = reduce::standard_deviation::<f32>([2, n]).axes([1]);
                for spec in [spec.clone(), spec.across_devices()] {
                    let program = spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap();
                    let own: Vec<f32> = program.run_on_host(&x);
                    assert!(own[0].is_nan() && own[1].is_finite(), "{}: {bad} at {at} of {n}: {own:?}", profile.name);
                }
            }
        }
    }
}

#[test]
fn the_divisor_of_a_variance_is_positive() {
    let profile = &profiles()[0];
    for (spec, why) in [
        (reduce::variance::<f32>([4, 5]).axes([1]).ddof(5), "ddof is 5, but must be less than 5"),
        (reduce::standard_deviation([4, 5]).ddof(usize::MAX), "must be less than 20"),
        (reduce::mean([4, 5]).ddof(1), "only `variance` and `standard_deviation`"),
    ] {
        let error = spec.design(profile).unwrap_err();
        assert!(matches!(error, Error::Unsupported { .. }) && error.to_string().contains(why), "{error}");
    }
    assert!(reduce::variance::<f32>([4, 5]).axes([1]).ddof(4).design(profile).is_ok());
}

fn program<T: Value, O: Element>(spec: &Reduction<T, O>, profile: &DeviceProfile) -> Program {
    spec.lower(&spec.design(profile).unwrap(), profile).unwrap()
}

/// What a layout only says in other words is reduced as if it were dense. Other layouts get the
/// kernel that fits them best.
#[test]
fn layouts_use_the_kernels_of_dense_arrays() {
    let steps = |spec: Reduction<f32, f32>, profile: &DeviceProfile| {
        let text = program(&spec, profile).to_string();
        text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    for profile in profiles() {
        let all = || reduce::sum::<f32>([480, 640]);
        // Axes in reverse order; a dense array; an array that is one row of another.
        for layout in [Layout::strides([1, 480]), Layout::strides([640, 1]), Layout::strides([640, 1]).batch_distance(7)] {
            assert_eq!(steps(all().input_layout(layout), &profile), steps(all(), &profile), "{layout}");
        }
        // Columns of the transpose are rows.
        let columns = all().input_layout(Layout::strides([1, 480])).axes([0]);
        assert_eq!(steps(columns, &profile), steps(reduce::sum([640, 480]).axes([1]), &profile));
        // Interleaved channels, as a batch, are columns.
        let channels = all().input_layout(Layout::strides([640 * 4, 4]).batch_distance(1)).batch(4);
        assert_eq!(steps(channels, &profile), steps(reduce::sum([480 * 640, 4]).axes([0]), &profile));
        // Rows of 640 in a pitch of 1024 have accesses as wide as dense ones.
        let padded = program(&all().input_layout(Layout::strides([1024, 1]).offset(1024 * 8)), &profile).to_string();
        assert!(!padded.contains(" width=1 "), "{padded}");
    }
}

/// Elements of an input may overlap: frames of a signal, and an element that counts many times.
#[test]
fn elements_may_overlap() {
    let x = words(1000, 3);
    for profile in profiles() {
        let frames = reduce::sum::<u32>(100).batch(19).input_layout(Layout::strides([1]).batch_distance(50));
        let sums: Vec<u32> = program(&frames, &profile).run_on_host(&x[..1000]);
        let expected: Vec<u32> = (0..19).map(|b| x[50 * b..50 * b + 100].iter().fold(0, |a: u32, &x| a.wrapping_add(x))).collect();
        assert_eq!(sums, expected, "{}", profile.name);
        let repeated = reduce::sum::<u32>([6, 5, 7]).axes([0, 2]).input_layout(Layout::strides([0, 3, 0]));
        let sums: Vec<u32> = program(&repeated, &profile).run_on_host(&x[..13]);
        assert_eq!(sums, [0, 3, 6, 9, 12].map(|i| x[i].wrapping_mul(42)), "{}", profile.name);
    }
}

/// A layout in an array larger than a binding binds no more than it needs.
#[test]
fn layouts_larger_than_a_binding_are_cut() {
    let small = profiles()[0].with(|profile| profile.binding_bytes = 131_072);
    let cases = [
        (&[100_000][..], None, 1, 1),
        (&[100, 700], Some(&[1][..]), 1, 0),
        (&[100, 700], Some(&[0]), 1, 0),
        (&[30, 40, 50], None, 1, 0),
        (&[60, 10, 50], Some(&[0]), 2, 4),
        (&[30, 40, 50], Some(&[2]), 2, 3),
        (&[30, 40, 50], Some(&[1, 2]), 1, 4),
        (&[9, 40, 90], Some(&[1]), 2, 5),
        (&[4000, 16], Some(&[0]), 3, 1),
    ];
    for (shape, axes, batch, turn) in share(cases, 3, 1) {
        let case = Case::new(shape, batch, axes).placed(turn);
        case.check_integers(&small);
        case.check_f32(&small);
        // In the order across devices, columns that are far apart stay together.
        if turn != 5 {
            case.across_devices().check_f16(&small);
        }
    }
    // A corner of a large array is bound alone.
    let layout = Layout::strides([1024, 1]).offset(100 * 1024 + 32).within(1 << 20);
    let corner = program(&reduce::sum::<f32>([8, 16]).input_layout(layout), &small);
    assert_eq!(corner.dispatch_count(), 1);
    let x = noise(1 << 20, 9);
    let sum: f32 = corner.run_on_host(&x)[0];
    let expected: f64 = (0..8).flat_map(|r| (0..16).map(move |c| (r, c))).map(|(r, c)| f64::from(x[(100 + r) * 1024 + 32 + c])).sum();
    assert!((f64::from(sum) - expected).abs() < 1e-4, "{sum} {expected}");
}

/// Arrays larger than one binding are cut, between lines or within them.
#[test]
fn arrays_larger_than_a_binding_are_cut() {
    let whole = &profiles()[0];
    let small = whole.with(|profile| profile.binding_bytes = 131_072);
    for (shape, axes, batch) in [
        (&[100_000][..], None, 1),
        (&[100, 1000], Some(&[1][..]), 1),
        (&[3, 20_480], Some(&[1]), 1),
        (&[1000, 100], Some(&[0]), 1),
        (&[5000, 12], None, 2),
        (&[1200, 16], Some(&[0]), 4),
        (&[4000, 16], Some(&[0]), 3),
        // No dimension is whole in one dispatch, and blocks of lines are of different sizes.
        (&[30, 20, 30, 8], Some(&[1, 3]), 1),
    ] {
        let case = Case::new(shape, batch, axes);
        let cuts = |profile: &DeviceProfile| {
            let spec = case.of(reduce::sum::<u32>(case.shape()));
            spec.lower(&spec.design(profile).unwrap(), profile).unwrap().dispatch_count()
        };
        assert!(cuts(&small) > cuts(whole), "{case:?}");
        case.check_integers(&small);
        case.check_f32(&small);
    }
}

#[test]
fn what_cannot_be_reduced_is_refused_with_a_reason() {
    let profile = &profiles()[0];
    let why = |error: Error| error.to_string();
    let unsupported = |spec: Reduction<f32, f32>, text: &str| {
        let error = spec.design(profile).unwrap_err();
        assert!(matches!(error, Error::Unsupported { .. }) && error.to_string().contains(text), "{error}");
    };
    unsupported(reduce::sum([4, 5]).axes([]), "list of axes is empty");
    unsupported(reduce::sum([4, 5]).axes([2]), "the axes of 4x5 are 0 to 1");
    unsupported(reduce::sum([4, 5]).axes([1, 1]), "axis 1 is given twice");
    assert!(matches!(reduce::sum::<f32>([4, 0]).design(profile), Err(Error::Empty { .. })));
    let without = &profiles()[2];
    assert!(why(reduce::sum::<f64>(8).design(without).unwrap_err()).contains("SHADER_F64"));
    assert!(reduce::argmax::<f64>(8).design(without).is_ok(), "no arithmetic, no feature");
    let large = reduce::sum::<f32>([65_536, 65_536]);
    assert!(matches!(large.design(profile), Err(Error::LimitExceeded { limit: "elements indexed by a u32", required: 0x1_0000_0000, .. })));
    // A row of columns is not cut.
    let small = profile.with(|profile| profile.binding_bytes = 4096);
    let spec = reduce::sum::<f32>([3, 2000]).axes([0]);
    let error = spec.lower(&spec.design(&small).unwrap(), &small).unwrap_err();
    assert!(
        matches!(error, Error::LimitExceeded { limit: "max_storage_buffer_binding_size", required: 24_000, available: 4096, .. }),
        "{error}"
    );
    unsupported(reduce::sum([4, 5]).input_layout(Layout::strides([5])), "it has 1 strides, but there are 2 axes");
    unsupported(reduce::sum([4, 5]).input_layout(Layout::strides([5, 1]).within(19)), "it reaches 20 elements, but the array has 19");
    let far = reduce::sum::<f32>([4, 5]).input_layout(Layout::strides([1 << 31, 1])).design(profile);
    assert!(matches!(far, Err(Error::LimitExceeded { limit: "elements indexed by a u32", required: 6_442_450_949, .. })), "{far:?}");
}

#[test]
fn recipes_that_do_not_fit_say_why() {
    let profile = &profiles()[0];
    for (spec, recipe, why) in [
        (reduce::sum::<f32>(1000), "workgroup=48", "power of two of at most 1024"),
        (reduce::sum(1000), "workgroup=2048", "power of two of at most 1024"),
        (reduce::sum(1000), "workgroup=8 lanes=16", "at most 8"),
        (reduce::sum(1001), "workgroup=8 width=2", "divide the 1001 contiguous elements"),
        (reduce::sum(1000), "workgroup=8 width=8", "64-bit integers"),
        (reduce::sum(1000), "workgroup=8 accumulators=3", "power of two"),
        (reduce::sum(1000), "workgroup=8 accumulators=64 unroll=8", "at most 256"),
        (reduce::sum(1000), "workgroup=8 unroll=0", "at least 1"),
        (reduce::sum(1000), "workgroup=8 parts=0", "at least one part"),
        (reduce::sum(1000), "workgroup=8 parts=2", "leaves 2 partial results"),
        (reduce::sum(1000), "workgroup=8 + workgroup=8", "pass 1 leaves nothing"),
        (reduce::sum(1000), "workgroup=64 lanes=64 subgroup=64", "not of 64"),
        (reduce::sum(1000), "workgroup=16 lanes=16 subgroup=32", "at least as large as the subgroup"),
        (reduce::sum([10, 100]).axes([0]), "workgroup=64 lanes=8 subgroup=32", "contiguous elements"),
        (reduce::sum([10, 100]).axes([1]), "tree 64", "10 are required"),
        (reduce::sum(1000), "workgroup=16 lanes=8 parts=3 join", "whole workgroup on one line"),
        (reduce::sum([10, 100]).axes([0]), "workgroup=8 lanes=8 join", "contiguous elements"),
        (reduce::sum(1000), "workgroup=8 lanes=8 parts=3 join + workgroup=8", "only the last"),
        (reduce::sum(1000), "tree 3", "power of two from 2"),
    ] {
        match spec.lower(&recipe.parse().unwrap(), profile) {
            Err(Error::UnfitRecipe { why: actual, .. }) => assert!(actual.contains(why), "{recipe}: {actual}"),
            other => panic!("{recipe}: {other:?}"),
        }
    }
    for (text, why) in [
        ("", "at byte 0: workgroup=… is missing"),
        ("tree", "at byte 4: expected a tree's workgroup, such as `tree 256`"),
        ("tree x", "`x` at byte 5: expected a number"),
        ("tree 8 8", "`8` at byte 7: expected nothing more"),
        ("workgroup=8 lanes", "`lanes` at byte 12: expected `tree 256`, or passes of workgroup=…"),
        ("workgroup=8 wide=2", "`wide=2` at byte 12: expected"),
        ("workgroup=8 lanes=x", "`x` at byte 18: expected a number"),
        ("workgroup=8 workgroup=8", "`workgroup=8` at byte 12: given twice"),
        ("workgroup=8 join join", "`join` at byte 17: given twice"),
        ("workgroup=8 +", "at byte 13: workgroup=… is missing"),
    ] {
        let error = text.parse::<Recipe>().unwrap_err();
        assert!(matches!(error, Error::Parse { .. }) && error.to_string().contains(why), "{text}: {error}");
    }
    for text in RECIPES {
        let recipe: Recipe = text.parse().unwrap();
        assert_eq!(recipe.to_string().parse::<Recipe>().unwrap(), recipe);
    }
}

#[test]
fn specifications_print_themselves() {
    assert_eq!(reduce::sum::<f32>(1 << 22).to_string(), "sum f32 4194304");
    assert_eq!(reduce::argmax::<f16>([8, 4]).batch(3).axes([1]).to_string(), "argmax f16 8x4 x3 axes=1");
    assert_eq!(reduce::sum::<f32>([8, 4]).axes([1, 0]).to_string(), "sum f32 8x4");
    let spec = reduce::sum_abs::<f32>([8, 4]).across_devices();
    assert_eq!(spec.to_string(), "sum_abs f32 8x4 across-devices");
    let spec = reduce::variance::<f32>([8, 4]).axes([0]).input_layout(Layout::strides([16, 2]).offset(1)).ddof(1);
    assert_eq!(spec.to_string(), "variance f32 8x4 axes=0 in=16,2@1 ddof=1");
    assert_eq!(reduce::custom::<u32>(9, "a | b", 0).unwrap().to_string(), "custom u32 9 `a | b`");
}

/// The comparison detects one element that is left out, and one that is counted twice.
#[test]
fn the_bound_can_fail() {
    let x = words(4096, 9).iter().map(|word| f64::from(*word)).collect::<Vec<_>>();
    let sum: f64 = x.iter().sum();
    let check = |sum| crate::reductions::within_sum(x.iter().copied(), sum, 40, 1.0 / 16_777_216.0);
    assert!(check(sum).is_ok() && check(sum - x[9]).is_err() && check(sum + x[9]).is_err() && check(f64::NAN).is_err());
}

/// Samples, which a search compares with results besides those of the baseline. The numbers are
/// drawn as in a search.
#[test]
fn samples_are_what_recipes_compute() {
    /// The most of every specification.
    const MOST: usize = 64;
    fn check<T: Value, O: Element>(specs: impl IntoIterator<Item = Reduction<T, O>>, x: &[T]) -> usize {
        let profile = &profiles()[1];
        let mut known = 0;
        for spec in specs {
            let program = spec.lower(&spec.design(profile).unwrap(), profile).unwrap();
            let output: Vec<O> = if program.inputs().len() == 2 { program.run_two_on_host(x, x) } else { program.run_on_host(x) };
            let words: Vec<u32> = bytemuck::pod_collect_to_vec(x);
            let result: Vec<u32> = bytemuck::pod_collect_to_vec(&output);
            for sample in spec.samples(&words) {
                assert_eq!(sample.fault(&result), None, "{spec}");
                let spoiled: Vec<u32> = result.iter().map(|word| word ^ 0x0050_0001).collect();
                assert!(sample.fault(&spoiled).is_some(), "{spec}: {sample:?}");
                known += 1;
            }
        }
        known
    }
    for zeros in [[-0.0f32, 0.0], [0.0, -0.0]] {
        assert_eq!(check([reduce::min(2), reduce::max(2)], &zeros) + check([reduce::argmin(2), reduce::argmax(2)], &zeros), 4);
    }
    for (shape, axes) in [([6, 20, 16], vec![0, 1, 2]), ([6, 20, 16], vec![1]), ([5, 21, 9], vec![0, 2]), ([1, 7, 300], vec![2])] {
        let n: usize = shape.iter().product();
        let results: usize = (0..3).filter(|axis| !axes.contains(axis)).map(|axis| shape[axis]).product();
        let each = results.min(MOST);
        let x: Vec<f32> = noise(n, 3).iter().map(|x| x / 2.0 + 1.0).collect();
        let of = |spec: Reduction<f32, f32>| spec.axes(&axes);
        let known = check(
            [
                of(reduce::sum(shape)),
                of(reduce::sum_abs(shape)),
                of(reduce::mean(shape)),
                of(reduce::norm(shape)),
                of(reduce::sum_squares(shape)),
                of(reduce::min(shape)),
                of(reduce::max(shape)),
                of(reduce::dot(shape)),
                of(reduce::variance(shape)),
                of(reduce::standard_deviation(shape).ddof(1)),
            ],
            &x,
        );
        assert_eq!(known, 10 * each);
        let layout = Layout::strides([2 * shape[1] * shape[2], shape[2], 1]).offset(3).within(2 * n + 3);
        let spread: Vec<f32> = noise(2 * n + 3, 4).iter().map(|x| x / 2.0 + 1.0).collect();
        let placed = [reduce::sum(shape), reduce::max(shape), reduce::norm(shape)].map(|spec| of(spec).input_layout(layout));
        assert_eq!(check(placed, &spread), 3 * each);
        assert_eq!(check([reduce::argmax(shape).axes(&axes).input_layout(layout)], &spread), each);
        assert_eq!(
            check([reduce::argmin(shape).axes(&axes), reduce::argmax(shape).axes(&axes), reduce::count(shape).axes(&axes)], &x),
            3 * each
        );
        let bits = words(n, 9);
        assert_eq!(
            check([reduce::sum(shape).axes(&axes), reduce::max(shape).axes(&axes), reduce::dot(shape).axes(&axes)], &bits),
            3 * each
        );
        let halves: Vec<f16> = x.iter().map(|x| f16::from_f32(*x)).collect();
        assert_eq!(check([reduce::sum(shape).axes(&axes), reduce::max(shape).axes(&axes)], &halves), 2 * each);
        let doubles: Vec<f64> = x.iter().map(|x| f64::from(*x) * 1.000_000_1).collect();
        assert_eq!(check([reduce::sum(shape).axes(&axes), reduce::min(shape).axes(&axes)], &doubles), 2 * each);
        let complex: Vec<Complex32> = x.iter().map(|x| Complex32::new(*x, 2.0 - x)).collect();
        assert_eq!(check([reduce::sum(shape).axes(&axes), reduce::mean(shape).axes(&axes)], &complex), 2 * each);
    }
}

#[test]
fn over_an_axis_of_one_vdot_is_a_product_of_elements() {
    let [x, y] = [1, 2].map(|seed| complex_noise(300, seed));
    for profile in profiles() {
        let spec = reduce::vdot::<Complex32>([300, 1]).axes([1]);
        let program = spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap();
        let products: Vec<Complex32> = program.run_two_on_host(&x, &y);
        for ((x, y), product) in x.iter().zip(&y).zip(products) {
            assert!((x.conj() * y - product).norm() <= 4.0 * ROUNDOFF as f32 * x.norm() * y.norm(), "{x} {y} {product}");
        }
    }
}

/// Every operation of every type, with every option alone and with all of them.
#[test]
fn specifications_are_read_as_they_are_printed() {
    fn check<T: Value, O: wgpu_fft::Element>(specs: impl IntoIterator<Item = Reduction<T, O>>, count: &mut usize) {
        for spec in specs {
            let all = spec.clone().batch(3).axes([2, 0]).across_devices();
            let placed = spec.clone().input_layout(Layout::strides([1, 2, 3]).batch_distance(4).offset(5).within(6));
            let all = all.input_layout(Layout::strides(7)).ddof(2);
            let one = [spec.clone().batch(0), spec.clone().axes([1, 1]), spec.clone().axes([]), spec.clone().axes([1, 2, 0]), placed, all];
            for spec in one.into_iter().chain([spec]) {
                assert_eq!(spec.to_string().parse().as_ref(), Ok(&spec), "{spec}");
                *count += 1;
            }
        }
    }
    const S: [usize; 3] = [6, 1, 100];
    fn any<T: Value>(count: &mut usize) {
        check([reduce::sum::<T>(S), reduce::product::<T>(S), reduce::dot::<T>(S), reduce::vdot::<T>(S)], count);
        check([reduce::max_abs_diff::<T>(S)], count);
        check([reduce::any::<T>(S), reduce::all::<T>(S), reduce::count::<T>(S)], count);
    }
    fn real<T: Ordered>(count: &mut usize) {
        check([reduce::min::<T>(S), reduce::max::<T>(S), reduce::sum_abs::<T>(S)], count);
        check([reduce::argmin::<T>(S), reduce::argmax::<T>(S)], count);
    }
    fn float<T: Float>(count: &mut usize) {
        check([reduce::mean::<T>(S)], count);
        check([reduce::sum_squares::<T>(S), reduce::norm::<T>(S)], count);
        check([reduce::variance::<T>(S), reduce::standard_deviation::<T>(S)], count);
    }
    let mut count = 0;
    any::<f32>(&mut count);
    any::<f16>(&mut count);
    any::<f64>(&mut count);
    any::<i32>(&mut count);
    any::<u32>(&mut count);
    any::<Complex32>(&mut count);
    real::<f32>(&mut count);
    real::<f16>(&mut count);
    real::<f64>(&mut count);
    real::<i32>(&mut count);
    real::<u32>(&mut count);
    float::<f32>(&mut count);
    float::<f16>(&mut count);
    float::<f64>(&mut count);
    float::<Complex32>(&mut count);
    assert_eq!(count, (6 * 8 + 5 * 5 + 4 * 5) * 7);
}

#[test]
fn text_that_is_no_reduction_is_refused_with_a_reason() {
    fn check<T: Value, O: wgpu_fft::Element>(text: &str, why: &str) {
        let error = text.parse::<Reduction<T, O>>().unwrap_err();
        assert!(matches!(error, Error::Parse { .. }) && error.to_string().contains(why), "{text}: {error}");
    }
    for (text, why) in [
        ("", "at byte 0: expected an operation"),
        ("sum", "at byte 3: expected `f32`"),
        ("sum f99 8", "`f99` at byte 4: expected `f32`"),
        ("sum complex f32 8", "`complex` at byte 4: expected `f32`"),
        ("sum f32", "at byte 7: expected a shape"),
        ("sum f32 8y8", "`8y8` at byte 8: expected 1 to 4 extents"),
        ("total f32 8", "`total` at byte 0: expected one of sum, wide_sum, product"),
        ("any f32 8", "those of this one are u32"),
        ("sum f32 8 axes=a", "`a` at byte 15: expected a number"),
        ("sum f32 8 across-devices across-devices", "`across-devices` at byte 25: given twice"),
        ("sum f32 8 square", "`square` at byte 10: expected a batch (x4)"),
        ("sum f32 8 axes=0 axes=0", "`axes=0` at byte 17: given twice"),
        ("sum f32 8 in-place", "`in-place` at byte 10: expected a batch (x4)"),
    ] {
        check::<f32, f32>(text, why);
    }
    check::<f32, u32>("sum f32 8", "those of this one are f32");
    check::<Complex32, f32>("sum complex f32 8", "those of this one are complex f32");
    check::<Complex32, Complex32>("max complex f32 8", "complex numbers have no order");
    check::<Complex32, u32>("argmin complex f32 8", "complex numbers have no order");
    check::<Complex32, Complex32>("sum_abs complex f32 8", "`length(value)`");
    check::<i32, i32>("mean i32 8", "integers have no mean");
    check::<u32, u32>("norm u32 8", "integers have no norm");
    check::<f32, f32>("wide_sum f32 8", "only integers have a wide sum");
    check::<i32, i32>("wide_sum i32 8", "those of this one are i64");
    check::<u32, u32>("variance u32 8", "integers have no variance");
    check::<Complex32, Complex32>("variance complex f32 8", "those of this one are f32");
    check::<f32, f32>("sum f32 8 in=a", "`a` at byte 13: expected");
    check::<f32, f32>("variance f32 8 ddof=-1", "`-1` at byte 20: expected a number");
    let custom = reduce::custom::<f32>(8, "a + b", 0.0).unwrap();
    check::<f32, f32>(&custom.to_string(), "`custom` at byte 0: operators in WGSL cannot be read from a text");
}
