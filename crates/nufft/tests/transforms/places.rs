//! Points in places of all kinds.

use std::f32::consts::PI;

use wgpu_fft_nufft::Nufft;
use wgpu_fft_nufft::wgpu_fft::{Complex32, View};

use crate::support::{Case, Device, relative_error, wide};

/// Neighbours in f32 of -π, 0 and π, the smallest numbers, and multiples of a cell.
pub fn edges_of_the_circle(device: &Device) {
    let around = |x: f32| [x, x.next_up(), x.next_down()];
    let mut x: Vec<f32> = [-PI, 0.0, PI, PI / 2.0].into_iter().flat_map(around).collect();
    x.extend([-0.0, f32::MIN_POSITIVE, -f32::MIN_POSITIVE, 1e-30, -1e-30, 1e-8, -1e-8]);
    x.extend((0..48).map(|i| i as f32 * PI / 24.0));
    for type1 in [true, false] {
        Case::new(type1, &[24], 1, 8).at(vec![x.clone()]).check(device);
        let y = x.iter().rev().copied().collect();
        Case::new(type1, &[10, 12], 1, 8).at(vec![x.clone(), y]).check(device);
    }
}

/// Whole turns count for nothing, up to the largest numbers.
pub fn beyond_the_circle(device: &Device) {
    let mut random = fastrand::Rng::with_seed(9);
    let mut x: Vec<f32> = (0..200).map(|_| (random.f32() - 0.5) * 10f32.powi(random.i32(0..38))).collect();
    x.extend([f32::MAX, f32::MIN, 1e20, 3.0 * PI, -5.0 * PI]);
    // The reference reduces with more digits than f64 has.
    for type1 in [true, false] {
        let case = Case::new(type1, &[24], 1, 8).at(vec![x.clone()]);
        let turned = Case { coordinates: vec![x.iter().map(|&x| reduced(x) as f32).collect()], ..case.clone() };
        let error = relative_error(&case.run(device), &turned.expected());
        // Here the angle, of up to π, is rounded once more, to half of 2.4e-7, times up to 12.
        assert!(error < 1e-5 + 2e-6, "{error}");
    }
}

/// The angle between -π and π, by whole numbers of 2^-300 of a turn.
fn reduced(x: f32) -> f64 {
    // 1/2π in 32-bit digits.
    const DIGITS: [u64; 6] = [0x28be_60db, 0x9391_054a, 0x7f09_d5f4, 0x7d4d_3770, 0x36d8_a566, 0x4f10_e410];
    let (mantissa, exponent) = {
        let bits = x.abs().to_bits();
        ((bits & 0x7f_ffff | 0x80_0000) as f64, (bits >> 23) as i32 - 150)
    };
    // Each digit's part of the turns, of which f64 has the fraction exactly: a product has 56 bits.
    let turns: f64 = DIGITS
        .iter()
        .zip(1..)
        .map(|(&digit, place)| (mantissa * (digit >> 16) as f64, mantissa * (digit & 0xffff) as f64, exponent - 32 * place))
        .map(|(high, low, power)| (high * 2f64.powi(power + 16)).fract() + (low * 2f64.powi(power)).fract())
        .sum();
    let turns = turns.fract() * f64::from(x.signum());
    (turns - turns.round()) * std::f64::consts::TAU
}

/// More points than one invocation adds up, in a single cell and in two far from each other.
pub fn all_in_one_place(device: &Device) {
    for type1 in [true, false] {
        for &modes in device.share(&[&[20][..], &[9, 8], &[4, 5, 6]]) {
            for places in [1, 2] {
                let place = |axis: usize| (0..9000).map(|j| if places == 2 && j % 3 == 0 { -3.1 } else { 0.3 + axis as f32 }).collect();
                let case = Case::new(type1, modes, 1, 10).at((0..modes.len()).map(place).collect());
                // One value may be small by chance, while errors are those of an average one.
                let average = case.input.iter().map(|z| z.norm_sqr()).sum::<f32>().sqrt();
                let expected = case.expected();
                let norm = expected.iter().map(|z| z.norm_sqr()).sum::<f64>().sqrt();
                let scale = norm / f64::from(average) / (expected.len() as f64).sqrt();
                let error = relative_error(&case.run(device), &expected) * scale.min(1.0);
                assert!(error < 2e-5, "type 1 {type1}, modes {modes:?}, {places}: {error}");
            }
        }
    }
}

pub fn none_and_one(device: &Device) {
    let one = Nufft::type1([6, 5]).plan(&device.planner).unwrap();
    let none = one.points(&[&[], &[]]).unwrap();
    assert!(none.is_empty());
    assert_eq!(one.run(&none, &[]).unwrap().wait().unwrap(), vec![Complex32::ZERO; 30]);
    let two = Nufft::type2([6, 5]).plan(&device.planner).unwrap();
    let error = two.run(&none, &[Complex32::ONE; 30]).unwrap_err();
    assert!(error.to_string().contains("the values at points of 0"), "{error}");
    for type1 in [true, false] {
        Case::new(type1, &[6, 5], 1, 11).check(device);
    }
}

/// They count as absent.
pub fn not_finite_on_the_device(device: &Device) {
    let gpu = device.gpu();
    for type1 in [true, false] {
        let whole = Case::new(type1, &[10, 9], 300, 12);
        let absent = |j: usize| j % 7 == 3;
        let mut broken = whole.coordinates.clone();
        for j in (0..300).filter(|&j| absent(j)) {
            broken[j % 2][j] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY][j % 3];
        }
        let plan = whole.spec().plan(&device.planner).unwrap();
        let points = plan.alloc_points(300).unwrap();
        let arrays: Vec<_> = broken.iter().map(|values| gpu.upload(values).unwrap()).collect();
        let views: Vec<View<'_, f32>> = arrays.iter().map(|array| array.view()).collect();
        gpu.submit(|encoder| points.set(encoder, &views)).unwrap();
        let found = plan.run(&points, &whole.input).unwrap().wait().unwrap();
        let mut case = whole;
        if type1 {
            (0..300).filter(|&j| absent(j)).for_each(|j| case.input[j] = Complex32::ZERO);
            assert!(relative_error(&found, &case.expected()) < 1.1e-5);
        } else {
            let mut expected = case.expected();
            (0..300).filter(|&j| absent(j)).for_each(|j| expected[j] = wide(Complex32::ZERO));
            assert!(relative_error(&found, &expected) < 1.1e-5);
            assert!((0..300).filter(|&j| absent(j)).all(|j| found[j] == Complex32::ZERO));
        }
    }
}

/// Points that are set again, and a transform that was bound before.
pub fn moved_points(device: &Device) {
    let gpu = device.gpu();
    let first = Case::new(true, &[14, 11], 700, 13);
    let second = Case { input: first.input.clone(), ..Case::new(true, &[14, 11], 700, 14) };
    let plan = first.spec().plan(&device.planner).unwrap();
    let points = plan.alloc_points(700).unwrap();
    let (input, output) = (gpu.upload(&first.input).unwrap(), gpu.alloc::<Complex32>(154).unwrap());
    let bound = plan.bind(&points, &input, &output).unwrap();
    for case in [first, second] {
        let arrays: Vec<_> = case.coordinates.iter().map(|values| gpu.upload(values).unwrap()).collect();
        let views: Vec<View<'_, f32>> = arrays.iter().map(|array| array.view()).collect();
        gpu.submit(|encoder| {
            points.set(encoder, &views)?;
            bound.encode(encoder)
        })
        .unwrap();
        let found = gpu.download(&output).unwrap().wait().unwrap();
        assert!(relative_error(&found, &case.expected()) < 1.1e-5);
    }
}

/// Sums over bins and over blocks of keys that take more than one level.
pub fn more_bins_than_a_block(device: &Device) {
    let mut random = fastrand::Rng::with_seed(15);
    // Most of them in a few places, so that the reference is short: few different points.
    let few: Vec<[f32; 2]> = (0..20).map(|_| [crate::support::angle(&mut random), crate::support::angle(&mut random)]).collect();
    let which: Vec<usize> = (0..70_000).map(|_| random.usize(0..few.len())).collect();
    let coordinates: Vec<Vec<f32>> = (0..2).map(|axis| which.iter().map(|&i| few[i][axis]).collect()).collect();
    let modes = [300, 20];
    let input: Vec<Complex32> = which.iter().map(|_| Complex32::new(random.f32() - 0.5, random.f32())).collect();
    let many = Case { input, ..Case::new(true, &modes, 1, 16).at(coordinates) };
    let mut sums = vec![wide(Complex32::ZERO); few.len()];
    which.iter().zip(&many.input).for_each(|(&i, strength)| sums[i] += wide(*strength));
    let sums = sums.iter().map(|sum| Complex32::new(sum.re as f32, sum.im as f32)).collect();
    let short =
        Case { input: sums, ..Case::new(true, &modes, 1, 16).at((0..2).map(|axis| few.iter().map(|x| x[axis]).collect()).collect()) };
    assert!(relative_error(&many.run(device), &short.expected()) < 1.5e-5);
    let values = Case::new(false, &modes, 1, 17).at(many.coordinates.clone());
    let short = Case { input: values.input.clone(), coordinates: short.coordinates, ..values.clone() };
    let of_few = short.expected();
    let expected: Vec<_> = which.iter().map(|&i| of_few[i]).collect();
    assert!(relative_error(&values.run(device), &expected) < 1.1e-5);
}
