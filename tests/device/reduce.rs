//! Reductions: every operation on every type, over every kind of axes, and around size thresholds.

use proptest::prelude::*;
use wgpu_fft::elements::Value;
use wgpu_fft::low_level;
use wgpu_fft::low_level::recipes::reduce::Recipe;
use wgpu_fft::num_complex::Complex32;
use wgpu_fft::plan::Program;
use wgpu_fft::reduce::{self, Reduction};
use wgpu_fft::{Element, Error, Fragment, Layout, Spec};

use crate::harness::*;
use crate::progress::less;
use crate::reductions::{Case, Outcome, PLACES, RECIPES, Runner, axes_of_every_kind, within_sum};

impl Runner for Device {
    fn run<T: Value, O: Element>(&self, spec: Reduction<T, O>, recipe: Option<&str>, x: &[T], y: Option<&[T]>) -> Option<Outcome<O>> {
        let plan = self.plan_if_fit(spec.clone(), recipe.map(|text| text.parse().unwrap()))?;
        let what = format!("{}: `{spec}` by `{}`", self.name, plan.recipe());
        let results = run_guarded_with(self, &plan, x, y);
        Some(Outcome { results, depth: spec.depth(plan.recipe()).unwrap(), what })
    }

    fn has_f64(&self) -> bool {
        self.gpu().profile().f64
    }

    fn has_custom(&self) -> bool {
        true
    }
}

/// Checks a case for all types. Software adapters take only one, given by `turn`, each another one.
fn check(device: &Device, turn: usize, case: &Case) {
    if device.is_thorough() {
        return case.check(device);
    }
    match (turn + usize::from(device.is_slow())) % 5 {
        0 => case.check_integers(device),
        1 => case.check_f16(device),
        2 => case.check_complex(device),
        3 if device.has_f64() => case.check_f64(device),
        _ => case.check_f32(device),
    }
}

pub fn every_kind_of_axes(device: &Device) {
    let device = &device.alone();
    for (turn, case) in device.share(axes_of_every_kind().iter().enumerate(), 2, 0) {
        check(device, turn, case);
    }
}

pub fn every_kind_of_axes_across_devices(device: &Device) {
    let device = &device.alone();
    for (turn, case) in axes_of_every_kind().into_iter().enumerate() {
        if device.is_thorough() || turn % 6 == 0 {
            case.across_devices().check_f32(device);
        }
    }
}

/// Padded rows, every third element, axes in another order, interleaved batches.
pub fn every_kind_of_axes_in_every_place(device: &Device) {
    let device = &device.alone();
    for (turn, case) in device.share(axes_of_every_kind().into_iter().enumerate(), 2, 1) {
        check(device, turn, &case.clone().placed(turn));
        if device.is_thorough() {
            case.across_devices().placed(turn + 1).check_f32(device);
        }
    }
}

/// As on the host: the variance of values around 10000 with a deviation of 1.
pub fn variances_of_values_far_from_zero(device: &Device) {
    let device = &device.alone();
    let long = [Case::new(&[60_000, 3], 1, Some(&[0])), Case::new(&[3, 60_000], 1, Some(&[1])), Case::new(&[400_001], 1, None)];
    for (turn, case) in axes_of_every_kind().into_iter().chain(long).enumerate() {
        if device.is_thorough() || turn % 6 == 0 || turn > 24 {
            case.check_variance_far_from_zero(device);
            case.across_devices().check_variance_far_from_zero(device);
        }
    }
}

/// One channel of a picture of three, and a part of it.
pub fn channels_of_a_picture(device: &Device) {
    let device = &device.alone();
    let [rows, columns] = [1080, 1920];
    let picture = noise(rows * columns * 3, 12);
    for (channel, [r, c]) in [(0, [rows, columns]), (1, [rows, columns]), (2, [700, 1001])] {
        let layout = Layout::strides([3 * columns, 3]).offset(channel).within(picture.len());
        let own: Vec<f64> = (0..r).flat_map(|i| (0..c).map(move |j| 3 * (columns * i + j) + channel)).map(|i| picture[i].into()).collect();
        let outcome = device.run(reduce::sum::<f32>([r, c]).input_layout(layout), None, &picture, None).unwrap();
        within_sum(own.iter().copied(), outcome.results[0].into(), outcome.depth, U)
            .unwrap_or_else(|why| panic!("{}: {why}", outcome.what));
        let largest = (0..own.len()).rev().max_by(|&i, &j| own[i].total_cmp(&own[j])).unwrap();
        let outcome = device.run(reduce::argmax::<f32>([r, c]).input_layout(layout), None, &picture, None).unwrap();
        assert_eq!(outcome.results, [largest as u32], "{}", outcome.what);
    }
}

/// As on the host: means and sums around 1000, and the deviation from them.
pub fn means_of_values_far_from_zero(device: &Device) {
    let device = &device.alone();
    let long = [Case::new(&[60_000, 3], 1, Some(&[0])), Case::new(&[3, 60_000], 1, Some(&[1])), Case::new(&[100_001], 1, None)];
    for (turn, case) in axes_of_every_kind().into_iter().chain(long).enumerate() {
        if device.is_thorough() || turn % 4 == 0 || turn > 24 {
            case.check_far_from_zero(device);
        }
    }
}

/// The mean of each channel of a picture around 1000.2. When one invocation added up 32,400 rows,
/// 1000.2 came out as 1000.043, and the deviation as 0.167 instead of 0.058.
pub fn means_of_the_channels_of_a_picture(device: &Device) {
    let device = &device.alone();
    let pixels = 1080 * 1920;
    let channels: &[usize] = if device.is_thorough() { &[1, 2, 3, 4, 5, 6, 7, 8] } else { &[2, 3, 4] };
    for &channels in channels {
        let x: Vec<f32> = noise(pixels * channels, 8).iter().map(|x| 1000.2 + 0.1 * x).collect();
        let plan = device.plan_if_fit(reduce::mean::<f32>([pixels, channels]).axes([0]), None).unwrap();
        let means = plan.run(&x).unwrap().wait().unwrap();
        let centred: Vec<f32> = x.chunks_exact(channels).flat_map(|pixel| pixel.iter().zip(&means).map(|(x, mean)| x - mean)).collect();
        let squared = reduce::mean::<f32>([pixels, channels]).axes([0]).map_input::<f32>(Fragment::new("value * value")).unwrap();
        let squares = device.plan_if_fit(squared, None).unwrap();
        let squares = squares.run(&centred).unwrap().wait().unwrap();
        for c in 0..channels {
            let of_channel = || x.iter().skip(c).step_by(channels).map(|&x| f64::from(x));
            let mean = of_channel().sum::<f64>() / pixels as f64;
            let deviation = (of_channel().map(|x| (x - mean).powi(2)).sum::<f64>() / pixels as f64).sqrt();
            let (own_mean, own_deviation) = (f64::from(means[c]), f64::from(squares[c]).sqrt());
            let what = format!("{}: channel {c} of {channels} by {}", device.name, plan.recipe());
            assert!((own_mean - mean).abs() < 1e-3, "{what}: mean {own_mean} for {mean}");
            assert!((own_deviation - deviation).abs() < 1e-3 * deviation, "{what}: deviation {own_deviation} for {deviation}");
        }
    }
}

pub fn recipes_by_hand(device: &Device) {
    let device = &device.alone();
    let shapes = [(&[960][..], &[0][..]), (&[12, 20, 16], &[0, 2]), (&[12, 20, 16], &[1]), (&[1, 1000], &[1])];
    for (turn, recipe) in RECIPES.iter().enumerate() {
        for (shape, axes) in shapes {
            if device.is_thorough() || shape.len() == 1 {
                check(device, turn, &Case::new(shape, 1, Some(axes)).by(recipe));
            }
        }
    }
}

/// Lengths around a workgroup, a whole access, a part, and the step from one dispatch to two.
pub fn every_length_around_the_thresholds(device: &Device) {
    let device = &device.alone();
    for n in [1, 2, 3, 63, 64, 65, 255, 256, 257, 1023, 1025, 4095, 4096, 4097, 16_383, 16_384, 16_388, 65_535, 65_536, 65_540, 300_001] {
        let x = noise(n, 5);
        let sum = reduce::sum::<f32>(n);
        let outcome = device.run(sum, None, &x, None).unwrap();
        within_sum(x.iter().map(|&x| x.into()), outcome.results[0].into(), outcome.depth, U)
            .unwrap_or_else(|why| panic!("{}: {why}", outcome.what));
        let words = words(n, 3);
        let outcome = device.run(reduce::sum::<u32>(n), None, &words, None).unwrap();
        assert_eq!(outcome.results, [words.iter().fold(0, |a: u32, &b| a.wrapping_add(b))], "{}", outcome.what);
    }
}

/// Without guards or a dirty workspace, for sizes at which software adapters are slow.
fn reduce_large<T: Value, O: Element>(device: &Device, spec: Reduction<T, O>, recipe: Option<&str>, input: &[T]) -> (O, Program) {
    let plan = device.plan_if_fit(spec, recipe.map(|text| text.parse().unwrap())).unwrap();
    (plan.run(input).unwrap().wait().unwrap()[0], plan.program().clone())
}

pub fn four_mebi_elements_take_three_passes(device: &Device) {
    let input = noise(1 << 22, 17);
    let spec = reduce::sum::<f32>(1 << 22);
    let (sum, program) = reduce_large(device, spec.clone(), Some("tree 256"), &input);
    assert_eq!(low_level::dispatches(&program).iter().map(|dispatch| dispatch.grid.count()).collect::<Vec<_>>(), [16_384, 64, 1]);
    let depth = spec.depth(&Recipe::Tree { workgroup: 256 }).unwrap();
    assert_eq!(depth, 24);
    within_sum(input.iter().map(|&x| x.into()), sum.into(), depth, U).unwrap_or_else(|why| panic!("{}: {why}", device.name));
    let (sum, _) = reduce_large(device, spec.clone(), None, &input);
    let depth = spec.depth(&spec.design(device.gpu().profile()).unwrap()).unwrap();
    within_sum(input.iter().map(|&x| x.into()), sum.into(), depth, U).unwrap_or_else(|why| panic!("{}: {why}", device.name));
}

/// Another library's sum of 2^24 ones is 131070, because it loses the workgroups beyond 65,535.
pub fn no_workgroup_is_lost_past_one_axis_of_the_grid(device: &Device) {
    assert_eq!(reduce_large(device, reduce::sum::<u32>(1 << 24), Some("tree 64"), &vec![1; 1 << 24]).0, 1 << 24, "{}", device.name);
    assert_eq!(reduce_large(device, reduce::sum::<u32>(1 << 24), None, &vec![1; 1 << 24]).0, 1 << 24, "{}", device.name);
    let mut input = vec![7u32; 4 * 65_535 + 1];
    input[4 * 65_535] = 3;
    assert_eq!(reduce_large(device, reduce::min::<u32>(input.len()), Some("tree 4"), &input).0, 3, "{}", device.name);
    // Rows and columns, one workgroup each.
    for (shape, axes) in [([65_537, 3], [1]), ([3, 65_537], [0])] {
        let spec = reduce::max::<u32>(shape).axes(axes);
        let plan = device.planner.plan_with(spec, "workgroup=1".parse().unwrap()).unwrap();
        let input = words(3 * 65_537, 3);
        let all = plan.run(&input).unwrap().wait().unwrap();
        let at = |result: usize, i: usize| if axes == [1] { input[3 * result + i] } else { input[65_537 * i + result] };
        assert!((0..65_537).all(|k| all[k] == (0..3).map(|i| at(k, i)).max().unwrap()), "{}: {}", device.name, plan.spec());
    }
}

/// Arrays just larger than one binding are reduced in pieces.
pub fn arrays_around_one_binding(device: &Device) {
    let elements = device.gpu().profile().binding_bytes / 4;
    if elements > 1 << 26 {
        return less(format!("{}: no reduction around the {elements} elements of a binding", device.name));
    }
    let elements = elements as usize;
    for n in [elements, elements + 1, elements + 4096] {
        let mut input = vec![1u32; n];
        input[n - 1] = 3;
        assert_eq!(reduce_large(device, reduce::sum::<u32>(n), None, &input).0, n as u32 + 2, "{}", device.name);
        assert_eq!(reduce_large(device, reduce::argmax::<u32>(n), None, &input).0, n as u32 - 1, "{}", device.name);
    }
    let error = device.planner.plan_with(reduce::sum::<u32>(elements + 1), "tree 64".parse().unwrap()).unwrap_err();
    assert!(matches!(error, Error::LimitExceeded { limit: "max_storage_buffer_binding_size", .. }), "{error}");
}

pub fn not_a_number_goes_through(device: &Device) {
    let n = 5000;
    let mut input = noise(n, 23);
    (input[700], input[800]) = (f32::NAN, -f32::NAN);
    let run = |spec: Reduction<f32, f32>, x: &[f32]| device.run(spec, None, x, None).unwrap().results[0];
    assert!(run(reduce::sum(n), &input).is_nan());
    for spec in [reduce::min(n), reduce::max(n)] {
        assert_equal_bits(&[run(spec, &input)], &[f32::NAN], &device.name);
    }
    for spec in [reduce::argmin(n), reduce::argmax(n)] {
        assert_eq!(device.run(spec, None, &input, None).unwrap().results, [700], "{}: the first NaN", device.name);
    }
    for spec in [reduce::variance(n), reduce::standard_deviation(n).across_devices()] {
        assert!(run(spec, &input).is_nan(), "{}", device.name);
    }
    assert!(run(reduce::variance(1), &[f32::NAN]).is_nan() && run(reduce::variance(1), &[3.0]) == 0.0, "{}", device.name);
    assert_eq!(device.run(reduce::count::<f32>(n), None, &input, None).unwrap().results, [n as u32], "{}", device.name);
    let differ = |x: &[f32], y: &[f32]| device.run(reduce::max_abs_diff::<f32>(n), None, x, Some(y)).unwrap().results[0];
    let clean = noise(n, 23);
    assert!(differ(&input, &clean).is_nan() && differ(&clean, &input).is_nan(), "{}", device.name);
    input[800] = 0.5;
    input[700] = f32::INFINITY;
    assert_eq!(run(reduce::sum(n), &input), f32::INFINITY);
    assert_eq!(run(reduce::max(n), &input), f32::INFINITY);
    assert_eq!(differ(&input, &clean), f32::INFINITY, "{}", device.name);
    assert_eq!(differ(&input, &input), 0.0, "{}: equal infinities are equal", device.name);
    let z = |re| Complex32::new(re, f32::NAN);
    let complex = device.run(reduce::max_abs_diff::<Complex32>(2), None, &[z(1.0), Complex32::ONE], Some(&[z(1.0), Complex32::ONE]));
    assert!(complex.unwrap().results[0].is_nan(), "{}", device.name);
    // Equal infinite parts have distance 0.
    let [a, b] = [Complex32::new(f32::INFINITY, 0.0), Complex32::new(f32::INFINITY, 1.0)];
    let complex = device.run(reduce::max_abs_diff::<Complex32>(2), None, &[a, a], Some(&[a, b]));
    assert_eq!(complex.unwrap().results, [1.0], "{}", device.name);
}

/// Sums with cancellation: f32 on the device stays within its bound. The bound of a sequential sum
/// is far larger.
pub fn ill_conditioned_sums_keep_their_bound(device: &Device) {
    let n = 1 << 20;
    // Positive numbers and their negatives in another order, so that only rounding errors remain.
    let half: Vec<f32> = noise(n / 2, 37).into_iter().map(|x| 1.0 + x / 2.0).collect();
    let x: Vec<f32> = half.iter().copied().chain((0..n / 2).map(|i| -half[i * 7919 % (n / 2)])).collect();
    let exact: f64 = x.iter().map(|&x| f64::from(x)).sum();
    let sequential: f32 = x.iter().sum();
    let device_sum = |spec: Reduction<f32, f32>| {
        let recipe = spec.design(device.gpu().profile()).unwrap();
        let depth = spec.depth(&recipe).unwrap();
        let sum = device.planner.plan(spec).unwrap().run(&x).unwrap().wait().unwrap()[0];
        within_sum(x.iter().map(|&x| x.into()), sum.into(), depth, U).unwrap_or_else(|why| panic!("{}: {recipe}: {why}", device.name));
        f64::from(sum)
    };
    let errors =
        [device_sum(reduce::sum(n)), device_sum(reduce::sum(n).across_devices()), sequential.into()].map(|sum| (sum - exact).abs());
    println!("{}: errors of the sum by the rules, across devices, sequential: {errors:.6?}", device.name);
    assert!(errors[0] < errors[2] / 4.0 && errors[1] < errors[2] / 4.0, "{}: {errors:?}", device.name);
}

/// The result stays on the device. The reduction is recorded in the caller's encoder, between other
/// work.
pub fn results_stay_on_the_device(device: &Device) {
    let gpu = device.gpu();
    let (x, n) = (noise(70_000, 41), 70_000);
    let square = device.planner.plan(reduce::sum_squares::<f32>([7, 10_000]).axes([1])).unwrap();
    let largest = device.planner.plan(reduce::argmax::<f32>(7)).unwrap();
    let (input, sums, index) = (gpu.upload(&x).unwrap(), gpu.alloc::<f32>(7).unwrap(), gpu.alloc::<u32>(1).unwrap());
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    square.encode(&mut encoder, &input, &sums).unwrap();
    largest.encode(&mut encoder, &sums, &index).unwrap();
    gpu.queue().submit([encoder.finish()]);
    let squares: Vec<f64> = x.chunks(n / 7).map(|row| row.iter().map(|&x| f64::from(x) * f64::from(x)).sum()).collect();
    let expected = (0..7).max_by(|&a, &b| squares[a].total_cmp(&squares[b])).unwrap();
    assert_eq!(gpu.download(&index).unwrap().wait().unwrap(), [expected as u32], "{}", device.name);
}

pub fn two_inputs_are_asked_for(device: &Device) {
    let gpu = device.gpu();
    let plan = device.planner.plan(reduce::dot::<f32>(64)).unwrap();
    let (x, output) = (gpu.upload(&noise(64, 1)).unwrap(), gpu.alloc::<f32>(1).unwrap());
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    let error = plan.encode(&mut encoder, &x, &output).unwrap_err();
    assert!(matches!(error, Error::WrongInputs { expected: 2, actual: 1, .. }) && error.to_string().contains("(&x, &y)"), "{error}");
    let short = gpu.upload(&noise(63, 1)).unwrap();
    let error = plan.encode(&mut encoder, (&x, &short), &output).unwrap_err();
    assert_eq!(error, Error::WrongLen { argument: "second input", expected: 64, actual: 63 });
    assert!(matches!(plan.run(&noise(64, 1)), Err(Error::WrongInputs { .. })));
    let two = gpu.alloc::<f32>(128).unwrap();
    let part = |offset| wgpu_fft::View::<f32>::new(two.buffer(), offset, 64).unwrap();
    let scalar = device.planner.plan(reduce::sum::<f32>(64)).unwrap();
    assert!(matches!(scalar.encode(&mut encoder, (&x, &x), &output), Err(Error::WrongInputs { expected: 1, actual: 2, .. })));
    // The output must be another buffer. The inputs may share one.
    let alone = wgpu_fft::View::<f32>::new(two.buffer(), 0, 1).unwrap();
    assert!(matches!(plan.encode(&mut encoder, (&x, part(256)), alone), Err(Error::Aliased { first: "second input", .. })));
    plan.encode(&mut encoder, (&x, &x), &output).unwrap();
    plan.encode(&mut encoder, (part(0), part(256)), &output).unwrap();
    gpu.queue().submit([encoder.finish()]);
}

pub fn expressions_with_errors_are_refused(device: &Device) {
    assert!(reduce::custom::<f32>(1, "a + ", 0.0).is_err());
    // Every device compiles what naga accepts.
    let farthest = reduce::custom::<f32>(300, "select(a, b, abs(b) > abs(a))", 0.0).unwrap();
    let outcome = device.run(farthest, None, &noise(300, 3), None).unwrap();
    let expected = noise(300, 3).into_iter().max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap();
    assert_eq!(outcome.results, [expected], "{}", device.name);
}

/// Checks the promise of `AcrossDevices`: equal bits on every adapter, with every recipe that it
/// allows, in one piece or several.
pub fn adapters_agree_on_the_bits_of_a_sum() {
    let (x, z) = (noise(300_000, 29), complex_noise(60_000, 30));
    fn bits<T: Value, O: Element>(spec: Reduction<T, O>, x: &[T], y: Option<&[T]>) -> Vec<Vec<u8>> {
        let spec = spec.across_devices();
        let run = |device: &Device| {
            let outcome = device.run(spec.clone(), None, x, y).unwrap();
            bytemuck::cast_slice(&outcome.results).to_vec()
        };
        devices().iter().map(run).collect()
    }
    let y = noise(300_000, 31);
    let custom = reduce::custom::<f32>(300_000, "a + b", 0.0).unwrap();
    let all = [
        bits(reduce::sum::<f32>(300_000), &x, None),
        bits(reduce::sum::<f32>([3000, 100]).axes([0]), &x, None),
        bits(reduce::sum::<f32>([3000, 100]).axes([1]), &x, None),
        bits(reduce::sum::<f32>([30, 100, 100]).axes([0, 2]), &x, None),
        bits(reduce::dot::<f32>(300_000), &x, Some(&y)),
        bits(reduce::sum_squares::<f32>([3, 100_000]).axes([1]), &x, None),
        bits(reduce::product::<f32>([300, 1000]).axes([0]), &x, None),
        bits(reduce::sum::<Complex32>(60_000), &z, None),
        bits(reduce::vdot::<Complex32>([60, 1000]).axes([1]), &z, Some(&z)),
        // The last division is exact.
        bits(reduce::variance::<f32>(1 << 18), &x[..1 << 18], None),
        bits(reduce::variance::<f32>([2048, 100]).axes([0]), &x[..204_800], None),
        bits(reduce::variance::<Complex32>([58, 1024]).axes([1]), &z[..58 << 10], None),
        bits(reduce::sum::<f32>([300, 33]).axes([1]).input_layout(Layout::strides([1000, 30]).within(300_000)), &x, None),
        bits(reduce::variance::<f32>([256, 32]).input_layout(Layout::strides([3, 900]).within(300_000)), &x, None),
        bits(custom.map_input::<f32>(Fragment::new("value * value")).unwrap(), &x, None),
    ];
    // The last case has a fragment, whose products are not rounded separately; these adapters
    // do not fuse them.
    for (case, bits) in all.iter().enumerate() {
        assert!(bits.windows(2).all(|pair| pair[0] == pair[1]), "case {case}: {bits:x?}");
    }
}

pub fn random_shapes(device: &Device) {
    let device = &device.alone();
    let most = if device.is_thorough() { 12 } else { 4 };
    proptest!(cases(most), |(extents in proptest::collection::vec(1usize..20, 1..5), batch in 1usize..4, mask in 1usize..16, place in 0..2 * PLACES)| {
        let axes: Vec<usize> = (0..extents.len()).filter(|axis| mask >> axis & 1 == 1).collect();
        let axes = if axes.is_empty() { vec![0] } else { axes };
        let case = Case::new(&extents, batch, Some(&axes));
        let case = if place < PLACES { case.placed(place) } else { case };
        check(device, extents[0], &case);
    });
}
