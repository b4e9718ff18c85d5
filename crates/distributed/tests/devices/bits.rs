//! However a job is divided, the result is bit-identical to that of a plan on one device, for
//! transforms that of a recipe that has its axes apart.

use wgpu_fft::fft::{C2c, C2r, R2c, Scale};
use wgpu_fft::low_level::recipes::fft::Adapt;
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::reduce::{self, Reduction};
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Element, Fragment};
use wgpu_fft_distributed::{DeviceSet, Divide, Job, JobOptions, Strategy};
use wgpu_fft_tests::lists::{asks_for_all, share};

use crate::reference::{Number, dft, of_half, relative_error};
use crate::support::{assert_equal_bits, by, complex_noise, first_difference, noise, on_one_device, planner, run, set, strategies};

/// Runs a job with a third of the strategies, or with all of them in a thorough run, twice because
/// devices may be measured first. Compares what `seen` returns for the result with the same for
/// what a plan on one device computes.
fn check_as<S: Divide>(spec: &S, expected: Vec<S::Output>, inputs: &[&[S::Input]], seen: impl Fn(Vec<S::Output>) -> Vec<S::Output>) {
    let expected = seen(expected);
    let turn = spec.to_string().bytes().map(usize::from).sum();
    for strategy in share(strategies(set().len()), 3, turn) {
        let job = Job::new(set(), spec.clone(), &by(strategy.clone())).unwrap();
        assert_eq!(job.left_out().count(), 0, "{spec}: {:?}", job.left_out().collect::<Vec<_>>());
        for _ in 0..2 {
            let (actual, report) = run(&job, inputs);
            let report = report.unwrap();
            assert_eq!(report.failures().count(), 0, "{report}");
            assert_equal_bits(&seen(actual), &expected, &format!("`{spec}` {strategy}\n{report}"));
        }
    }
}

/// Compares every bit.
fn check<S: Divide>(spec: &S, plan: S, inputs: &[&[S::Input]]) {
    check_as(spec, on_one_device(plan, inputs), inputs, |output| output);
}

/// Compares every bit except the sign of zeros, in arrays of f32 or complex numbers. Imaginary
/// parts that are 0 by definition are differences of equal numbers, and Mesa may swap the operands.
fn check_but_zeros<S: Divide + Adapt>(spec: &S, inputs: &[&[S::Input]]) {
    check_as(spec, axes_apart(spec, inputs[0]), inputs, |mut output| {
        with_positive_zeros(&mut output);
        output
    });
}

/// Compares numbers of f64 of these devices, by equal shares and by unequal ones. Their bits are
/// those of the first device if all are that one.
fn check_doubles<S: Divide + Adapt>(devices: &DeviceSet, spec: &S, input: &[S::Input], expected: &[Complex64])
where
    S::Output: Number,
{
    let apart = axes_apart(spec, input);
    let first = planner().gpu().adapter_info().name;
    let alike = devices.names().all(|name| name.contains(&first));
    let unequal = Strategy::Ratio((1..=devices.len()).map(|i| i as f64).collect());
    for strategy in [Strategy::Equal, unequal] {
        let job = Job::new(devices, spec.clone(), &by(strategy)).unwrap_or_else(|error| panic!("`{spec}`: {error}"));
        let (actual, report) = run(&job, &[input]);
        let what = format!("`{spec}`\n{}", report.unwrap());
        let is_same = |(a, b): (&S::Output, &S::Output)| a.wide() == b.wide();
        assert!(!alike || actual.len() == apart.len() && actual.iter().zip(&apart).all(is_same), "bits: {what}");
        let error = relative_error(&actual.iter().map(|x| x.wide()).collect::<Vec<_>>(), expected);
        assert!(error < 2f64.powi(-43), "{error:.2e}: {what}");
    }
}

/// The result of a plan on one device by a recipe that has its axes apart.
fn axes_apart<S: Divide + Adapt>(spec: &S, input: &[S::Input]) -> Vec<S::Output> {
    let apart = spec.axes_apart(&planner().choose(spec).unwrap().recipe).unwrap();
    let recipe = spec.adapted(&apart, planner().gpu().profile()).unwrap();
    planner().plan_with(spec.clone(), recipe).unwrap().run(input).unwrap().wait().unwrap()
}

/// Makes all zeros positive.
fn with_positive_zeros(output: &mut [impl Element]) {
    bytemuck::cast_slice_mut::<_, f32>(output).iter_mut().for_each(|x| *x += 0.0);
}

fn bytes<T: Element>(len: usize) -> Vec<T> {
    let bytes: Vec<u8> = (0..len * size_of::<T>()).map(|i| (i * 37 + i / 251) as u8).collect();
    bytemuck::pod_collect_to_vec(&bytes)
}

pub fn permutations() {
    for shape in [[17, 5], [8, 3], [61, 53]] {
        check(&Permute::<f32>::transpose(shape), Permute::transpose(shape), &[&bytes(shape[0] * shape[1])]);
    }
    let full_hd = Permute::<u8>::transpose([1080, 1920]);
    check(&full_hd, full_hd.clone(), &[&bytes(1080 * 1920)]);
    let volume = Permute::<[f32; 2]>::new([9, 20, 30], [2, 0, 1]).batch(3);
    check(&volume, volume.clone(), &[&bytes(3 * 9 * 20 * 30)]);
    // Along every axis.
    let spec = Permute::<u16>::new([6, 11, 7], [1, 2, 0]);
    let input = bytes(6 * 11 * 7);
    let expected = on_one_device(spec.clone(), &[&input]);
    for axis in 0..3 {
        let (actual, report) = run(&Job::new(set(), spec.clone(), &JobOptions::default().along(axis)).unwrap(), &[&input]);
        assert_equal_bits(&actual, &expected, &format!("along axis {axis}\n{}", report.unwrap()));
    }
}

pub fn complex_transforms() {
    for shape in [[17, 5], [8, 3], [61, 53], [64, 48], [1080, 1920]] {
        let input = complex_noise(shape[0] * shape[1], 1);
        let spec = C2c::forward(shape).scale(Scale::InvSqrtLen);
        check(&spec, spec.clone(), &[&input]);
        if shape[0] < 1000 {
            let rows = C2c::inverse(shape[1]).batch(shape[0]);
            check(&rows, rows.clone(), &[&input]);
            let columns = C2c::forward(shape).axes([0]);
            check(&columns, columns.clone(), &[&input]);
        }
    }
    let input = complex_noise(2 * 12 * 10 * 14, 2);
    for spec in [
        C2c::forward([12, 10, 14]).batch(2),
        C2c::inverse([12, 10, 14]).batch(2).scale(Scale::InvLen),
        C2c::forward([12, 10, 14]).batch(2).axes([1]),
        C2c::forward([12, 10, 14]).batch(2).axes([0, 2]),
    ] {
        check(&spec, spec.clone(), &[&input]);
    }
    // These are lines although their axis is not the last. No part may take one for a single
    // column.
    let lines = C2c::forward([64, 1]).batch(9).axes([0]);
    check(&lines, lines.clone(), &[&input[..64 * 9]]);
}

/// By sums of two f32 on all devices, and in f64 on those that have it.
pub fn transforms_of_f64() {
    let shape = [12, 10];
    // Numbers with more bits than f32 has.
    let reals: Vec<f64> = noise(120, 1).into_iter().map(|x| f64::from(x) / 3.0).collect();
    let input: Vec<Complex64> = reals.iter().zip(reals.iter().rev()).map(|(&re, &im)| Complex64::new(re, im)).collect();
    let transformed = |mut data: Vec<Complex64>| {
        dft(&mut data, &shape, &[0, 1], false);
        data
    };
    let spectrum = transformed(input.clone());
    let positions: Vec<Complex64> = reals.iter().map(|&x| x.into()).collect();
    let half = of_half(&transformed(positions.clone()), &shape);
    let scaled = C2r::inverse(shape).scale(Scale::InvLen);
    // Sums of two f32 differ in their last bits between lavapipe and SwiftShader.
    let devices = DeviceSet::of([planner().gpu().clone(), planner().gpu().clone()]).unwrap();
    for devices in [set(), &devices] {
        check_doubles(devices, &C2c::forward(shape).f64_by_f32(), &input, &spectrum);
        check_doubles(devices, &R2c::forward(shape).f64_by_f32(), &reals, &half);
        check_doubles(devices, &scaled.clone().f64_by_f32(), &half, &positions);
    }
    if planner().gpu().profile().f64 {
        let factor = 1.0 / 3.0;
        let thirds: Vec<Complex64> = spectrum.iter().map(|z| z * factor).collect();
        check_doubles(&devices, &C2c::forward(shape).f64().scale_by(factor), &input, &thirds);
        check_doubles(&devices, &R2c::forward(shape).f64(), &reals, &half);
        check_doubles(&devices, &scaled.f64(), &half, &positions);
    }
}

pub fn real_transforms() {
    for shape in [[16, 12], [17, 5], [8, 3], [61, 53], [108, 192]] {
        let [rows, columns] = shape;
        let reals = noise(rows * columns, 3);
        let spec = R2c::forward(shape).scale(Scale::InvLen);
        check_but_zeros(&spec, &[&reals]);
        let spectrum = complex_noise(rows * (columns / 2 + 1), 4);
        let spec = C2r::inverse(shape).scale(Scale::InvLen);
        check_but_zeros(&spec, &[&spectrum]);
        let lines = R2c::forward(columns).batch(rows);
        check_but_zeros(&lines, &[&reals]);
        let lines = C2r::inverse(columns).batch(rows);
        check_but_zeros(&lines, &[&spectrum]);
    }
    let reals = noise(6 * 10 * 14, 5);
    let spec = R2c::forward([6, 10, 14]);
    check_but_zeros(&spec, &[&reals]);
    let spec = C2r::inverse([6, 10, 14]);
    check_but_zeros(&spec, &[&complex_noise(6 * 10 * 8, 6)]);
}

/// Random numbers below others.
fn draws(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    }
}

/// Random transforms, also of some axes, by devices whose memory may hold no plane, with a random
/// strategy.
pub fn any_transform_in_little_memory() {
    let cases = if asks_for_all() { 300 } else { 16 };
    let mut draw = draws(1);
    let mut three_phases = 0;
    for case in 0..cases {
        let rank = 1 + draw(4).min(2);
        let shape: Vec<usize> = (0..rank).map(|_| 1 + draw(20)).collect();
        let batch = 1 + draw(3);
        let kind = draw(4);
        // Transforms of reals need the last axis.
        let mut axes: Vec<usize> = (0..rank).filter(|&axis| (kind > 1 && axis + 1 == rank) || draw(4) > 0).collect();
        if axes.is_empty() {
            axes.push(0);
        }
        // A line along any axis, and what a phase along an axis between two others transforms at
        // once.
        let slow = batch * shape[..rank - 1].iter().product::<usize>();
        let line = shape.iter().fold(slow, |most, &n| most.max(n));
        let memory = (64 * line * (1 + draw(4))) as u64;
        let strategies = strategies(set().len());
        let options = by(strategies[draw(strategies.len())].clone()).memory(memory);
        let reals: usize = shape.iter().product();
        let half = reals / shape[rank - 1] * (shape[rank - 1] / 2 + 1);
        let seed = case as u64;
        three_phases += match kind {
            0 => in_little_memory(&C2c::forward(&shape[..]).batch(batch).axes(axes), &complex_noise(batch * reals, seed), &options),
            1 => in_little_memory(&C2c::inverse(&shape[..]).batch(batch).axes(axes), &complex_noise(batch * reals, seed), &options),
            2 => in_little_memory(&R2c::forward(&shape[..]).batch(batch).axes(axes), &noise(batch * reals, seed), &options),
            _ => in_little_memory(&C2r::inverse(&shape[..]).batch(batch).axes(axes), &complex_noise(batch * half, seed), &options),
        };
    }
    assert!(three_phases > 0, "no array had planes that are too large");
}

/// Compares every bit except the sign of zeros, as above. Returns 1 if it took three phases.
pub fn in_little_memory<S: Divide + Adapt>(spec: &S, input: &[S::Input], options: &JobOptions) -> usize {
    let job = Job::new(set(), spec.clone(), options).unwrap_or_else(|error| panic!("`{spec}` with {options:?}: {error}"));
    let (mut actual, report) = run(&job, &[input]);
    let report = report.unwrap_or_else(|error| panic!("`{spec}` with {options:?}: {error}"));
    let mut expected = axes_apart(spec, input);
    with_positive_zeros(&mut actual);
    with_positive_zeros(&mut expected);
    assert_equal_bits(&actual, &expected, &format!("`{spec}` with {options:?}\n{report}"));
    usize::from(report.phases.len() == 3)
}

/// Without means and norms, because division and square root depend on the device.
pub fn reductions() {
    for shape in [[17, 5], [8, 3], [61, 53], [1080, 1920]] {
        let x = noise(shape[0] * shape[1], 7);
        let y = noise(shape[0] * shape[1], 8);
        let sum = reduce::sum::<f32>(shape);
        check(&sum, sum.clone().across_devices(), &[&x]);
        let squares = reduce::sum_squares::<f32>(shape);
        check(&squares, squares.clone().across_devices(), &[&x]);
        let dot = reduce::dot::<f32>(shape);
        check(&dot, dot.clone().across_devices(), &[&x, &y]);
        let most = reduce::argmax::<f32>(shape);
        check(&most, most.clone(), &[&x]);
        for axis in [0, 1] {
            let sums = reduce::sum::<f32>(shape).axes([axis]);
            check(&sums, sums.clone().across_devices(), &[&x]);
        }
    }
}

/// Random reductions of bytes, whose pieces begin anywhere in a word, with a random strategy.
pub fn any_reduction_of_bytes() {
    fn compare<O: Element>(spec: &Reduction<u8, O>, picture: &[u8], options: &JobOptions) -> usize {
        let expected = on_one_device(spec.clone().across_devices(), &[picture]);
        let job = Job::new(set(), spec.clone(), options).unwrap_or_else(|error| panic!("`{spec}` with {options:?}: {error}"));
        let (actual, report) = run(&job, &[picture]);
        let report = report.unwrap_or_else(|error| panic!("`{spec}` with {options:?}: {error}"));
        assert_equal_bits(&actual, &expected, &format!("`{spec}` with {options:?}\n{report}"));
        report.phases[0].workers.iter().map(|device| device.work.pieces).sum()
    }
    let cases = if asks_for_all() { 300 } else { 24 };
    let mut draw = draws(2);
    let mut in_pieces = 0;
    for _ in 0..cases {
        let rank = 1 + draw(3);
        let shape: Vec<usize> = (0..rank).map(|_| 1 + draw([30_000, 180, 30][rank - 1])).collect();
        let batch = 1 + draw(3);
        let mut axes: Vec<usize> = (0..rank).filter(|_| draw(3) > 0).collect();
        if axes.is_empty() {
            axes.push(draw(rank));
        }
        let picture = bytes::<u8>(batch * shape.iter().product::<usize>());
        let strategies = strategies(set().len());
        let options = by(strategies[draw(strategies.len())].clone()).piece_bytes(1 + draw(4000));
        // An index of what is reduced together, or one because of which the array stays whole.
        let axis = if draw(8) > 0 { axes[draw(axes.len())] } else { draw(rank) };
        // Exact in f32, but their sums are not.
        let mapped = format!("((value * 65537u) ^ i{axis})");
        let shape = &shape[..];
        let (sum, whole, most) = (reduce::sum::<f32>(shape), reduce::sum::<u32>(shape), reduce::argmax::<u32>(shape));
        let pieces = match draw(3) {
            0 => compare(&sum.batch(batch).axes(axes).map_input(Fragment::new(format!("f32{mapped}"))).unwrap(), &picture, &options),
            1 => compare(&whole.batch(batch).axes(axes).map_input(Fragment::new(mapped)).unwrap(), &picture, &options),
            _ => compare(&most.batch(batch).axes(axes).map_input(Fragment::new(mapped)).unwrap(), &picture, &options),
        };
        in_pieces += usize::from(pieces > 1);
    }
    assert!(in_pieces > cases / 3, "{in_pieces} of {cases} were cut");
}

pub fn more_members_than_units() {
    let gpus = crate::support::find_gpus().unwrap();
    let many = DeviceSet::of(gpus.iter().cycle().take(5).cloned()).unwrap();
    let input = complex_noise(3 * 2, 9);
    let spec = C2c::forward([3, 2]);
    let expected = on_one_device(spec.clone(), &[&input]);
    for strategy in strategies(5) {
        let job = Job::new(&many, spec.clone(), &by(strategy)).unwrap();
        let (actual, report) = run(&job, &[&input]);
        assert_equal_bits(&actual, &expected, &report.unwrap().to_string());
    }
}

/// Recipes with other radices do not give the same bits.
pub fn the_comparison_can_fail() {
    let input = complex_noise(64 * 8, 10);
    let planner = set().planner(0).unwrap();
    let spec = C2c::forward(64).batch(8);
    let run = |recipe: &str| planner.plan_with(spec.clone(), recipe.parse().unwrap()).unwrap().run(&input).unwrap().wait().unwrap();
    let recipe = |radices: &str| format!("axis 0: stockham {radices} lanes=4 lines=1 exchange=split pieces=1 banks=0 roots=table");
    assert_ne!(first_difference(&run(&recipe("8.8")), &run(&recipe("4.16"))), None);
}
