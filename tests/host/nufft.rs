//! The kernels of `crates/nufft`: the texts, under both validators and all checks.

use wgpu_fft::DeviceProfile;
use wgpu_fft::fft::{TransformKind, next_fast_len};
use wgpu_fft_nufft::Nufft;
use wgsl_sanitizer::{Binding, Buffer, Config, Memory, Shader};

use crate::validators::{self, Tint};

/// Shapes of one to three axes, with fine grids of 40, 12 x 20 and 8 x 8 x 12 cells or more.
const SHAPES: [&[usize]; 3] = [&[20], &[6, 10], &[3, 4, 6]];

/// Numbers of a workgroup, and keys of one that is no processor's.
const BLOCK: u32 = 2048;

fn texts(shape: &[usize], tolerance: f64) -> Vec<(&'static str, String)> {
    Nufft::type1(shape).tolerance(tolerance).wgsl(&DeviceProfile::webgpu_defaults()).unwrap()
}

fn texts_f64(shape: &[usize], tolerance: f64, is_cpu: bool) -> Vec<(&'static str, String)> {
    let profile = DeviceProfile::webgpu_defaults().with(|profile| {
        profile.f64 = true;
        if is_cpu {
            profile.device_type = wgpu_fft::wgpu::DeviceType::Cpu;
        }
    });
    Nufft::type1(shape).f64().tolerance(tolerance).wgsl(&profile).unwrap()
}

#[test]
fn both_validators_accept_them() {
    let mut tint = Tint::default();
    for shape in SHAPES {
        let processor = DeviceProfile::webgpu_defaults().with(|profile| {
            (profile.device_type, profile.int64) = (wgpu_fft::wgpu::DeviceType::Cpu, true);
        });
        for (name, text) in Nufft::type2(shape).wgsl(&processor).unwrap() {
            validators::naga(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        }
        // tint knows no f64.
        for (digits, is_cpu) in [(1, false), (7, true), (12, false)] {
            for (name, text) in texts_f64(shape, 10f64.powi(-digits), is_cpu) {
                validators::naga(&text).unwrap_or_else(|error| panic!("{name} in f64: {error}\n{text}"));
            }
        }
        for digits in [1, 4, 6] {
            for (name, text) in texts(shape, 10f64.powi(-digits)) {
                let name = format!("{name} of {} axes, {digits} digits", shape.len());
                validators::naga(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
                tint.add(&name, &text);
            }
        }
    }
    tint.accepts("transforms on non-uniform points");
}

/// Runs a kernel on these arrays, by binding, and returns all of them. But for a free one they may not
/// depend on the order of the workgroups.
fn run_but(wgsl: &str, arrays: &[(u32, Vec<u32>)], groups: u32, free: Option<u32>) -> Vec<Vec<u32>> {
    let kernel = Shader::new(wgsl).and_then(|own| own.entry("main")?.compile()).unwrap_or_else(|error| panic!("{error}\n{wgsl}"));
    let mut results = Vec::new();
    for seed in [0, 1] {
        let mut memory = Memory::new();
        let buffers: Vec<_> = arrays.iter().map(|(_, words)| memory.add(Buffer::from_slice(words))).collect();
        let bindings: Vec<_> = buffers.iter().zip(arrays).map(|(&buffer, (binding, _))| Binding::whole(0, *binding, buffer)).collect();
        let report = kernel
            .dispatch([groups, 1, 1], &mut memory, &bindings, &Config { seed, ..Config::default() })
            .unwrap_or_else(|error| panic!("{error}\n{wgsl}"));
        assert!(report.is_clean(), "{report}\n{wgsl}");
        results.push(buffers.iter().map(|&buffer| memory[buffer].to_vec()).collect::<Vec<Vec<u32>>>());
    }
    let second = results.pop().unwrap();
    for ((binding, _), (one, other)) in arrays.iter().zip(results[0].iter().zip(&second)) {
        assert!(Some(*binding) == free || one == other, "the order of the workgroups matters for binding {binding}");
    }
    second
}

fn run(wgsl: &str, arrays: &[(u32, Vec<u32>)], groups: u32) -> Vec<Vec<u32>> {
    run_but(wgsl, arrays, groups, None)
}

fn text<'a>(texts: &'a [(&str, String)], name: &str) -> &'a str {
    &texts.iter().find(|(own, _)| *own == name).unwrap().1
}

/// The steps of the sort on keys of 10 bits, of several blocks and of less than one.
#[test]
fn keys_are_sorted_and_equal_ones_keep_their_order() {
    // 4096 bins, of two digits of 6 bits.
    let texts = texts(&[8192], 1e-3);
    assert!(text(&texts, "move").contains("const RADIX = 64u;"));
    let digits = 6;
    for len in [1u32, 1000, 2048, 5001] {
        let mut random = fastrand::Rng::with_seed(u64::from(len));
        // The first step knows the indices itself.
        let (mut keys, mut indices): (Vec<u32>, Vec<u32>) = ((0..len).map(|_| random.u32(0..1 << 10)).collect(), vec![9; len as usize]);
        let mut expected: Vec<u32> = (0..len).collect();
        expected.sort_by_key(|&i| keys[i as usize]);
        let blocks = len.div_ceil(BLOCK);
        for shift in [0, digits] {
            let words = vec![len, shift, blocks, u32::from(shift == 0)];
            let digits = [(0, words.clone()), (1, keys.clone()), (2, vec![0; 64 * blocks as usize]), (6, vec![1])];
            let counted = run(text(&texts, "count"), &digits, blocks);
            let counts = counted[2].clone();
            let begins = scanned(&texts, &counts);
            assert_eq!(begins, before(&counts));
            let empty = vec![0; len as usize];
            let arrays = [(0, words), (1, keys), (2, indices), (3, begins), (4, empty.clone()), (5, empty), (6, vec![1])];
            let mut moved = run(text(&texts, "move"), &arrays, blocks);
            (indices, keys) = (moved.remove(5), moved.remove(4));
        }
        assert_eq!(indices, expected, "{len}");
    }
}

#[test]
fn sums_over_several_blocks() {
    let texts = texts(&[20], 1e-3);
    for len in [1, 2047, 2048, 2049, 7000] {
        let mut random = fastrand::Rng::with_seed(len);
        let values: Vec<u32> = (0..len).map(|_| random.u32(0..10)).collect();
        assert_eq!(scanned(&texts, &values), before(&values), "{len}");
    }
}

/// Each number's sum of those before it.
fn before(values: &[u32]) -> Vec<u32> {
    values.iter().scan(0, |sum, value| Some(std::mem::replace(sum, *sum + value))).collect()
}

/// The same by the kernels.
fn scanned(texts: &[(&str, String)], values: &[u32]) -> Vec<u32> {
    let blocks = values.len().div_ceil(BLOCK as usize);
    let words = vec![values.len() as u32, u32::from(blocks > 1), 0, 0];
    let mut sums = vec![0; blocks];
    if blocks > 1 {
        let arrays = [(0, words.clone()), (1, values.to_vec()), (2, sums)];
        sums = before(&run(text(texts, "sums"), &arrays, blocks as u32)[2]);
    }
    run(text(texts, "scan"), &[(0, words), (1, values.to_vec()), (2, sums)], blocks as u32).swap_remove(1)
}

/// Everything but the sort, between points and a grid: no kernel reads what is not written or lies
/// outside, and spreading is the adjoint of interpolation.
#[test]
fn spreading_and_interpolation_are_adjoint() {
    let profile = DeviceProfile::webgpu_defaults();
    let single = [(SHAPES[0], 2200, 1e-6), (SHAPES[1], 70, 1e-4), (SHAPES[2], 30, 1e-2)].map(|case| (case, false));
    let double = [(SHAPES[0], 2200, 1e-12), (SHAPES[1], 70, 1e-8), (SHAPES[2], 30, 1e-3)].map(|case| (case, true));
    for ((shape, points, tolerance), is_double) in single.into_iter().chain(double) {
        let texts = if is_double { texts_f64(shape, tolerance, false) } else { texts(shape, tolerance) };
        let width: usize = text(&texts, "spread").split("const WIDTH = ").nth(1).unwrap().split('u').next().unwrap().parse().unwrap();
        // Words of a number, and numbers of words.
        let each = if is_double { 2 } else { 1 };
        let words = |numbers: &[f64]| -> Vec<u32> {
            let of = |&x: &f64| if is_double { vec![x.to_bits() as u32, (x.to_bits() >> 32) as u32] } else { vec![(x as f32).to_bits()] };
            numbers.iter().flat_map(of).collect()
        };
        let values_of = |words: &[u32]| -> Vec<f64> {
            let of = |own: &[u32]| match own {
                [low, high] => f64::from_bits(u64::from(*high) << 32 | u64::from(*low)),
                own => f32::from_bits(own[0]).into(),
            };
            words.chunks(each).map(of).collect()
        };
        // Complex numbers times i.
        let by_i = |numbers: &[u32]| words(&values_of(numbers).chunks(2).flat_map(|z| [-z[1], z[0]]).collect::<Vec<_>>());
        let fine = |&n: &usize| next_fast_len(&profile, TransformKind::C2c, (2 * n).max(2 * width)).unwrap() as u32;
        let mut n: Vec<u32> = shape.iter().rev().map(fine).collect();
        n.resize(3, 1);
        let tile: [u32; 3] = [[32, 1, 1], [8, 4, 1], [4, 4, 4 / each as u32]][shape.len() - 1];
        let tiles: Vec<u32> = n.iter().zip(tile).map(|(n, tile)| n.div_ceil(tile)).collect();
        let (cells, all_tiles, row_bins) = (n.iter().product::<u32>(), tiles.iter().product::<u32>(), n[0].div_ceil(4));
        let bins = row_bins * n[1] * n[2];
        let capacity = 4;
        let grid = [&n[..], &[cells], &tiles, &[all_tiles, row_bins, bins, points, capacity]].concat();
        let groups = |items: u32| items.div_ceil(64);

        // Most of them in one place, so that a tile has a second item of work.
        let mut random = fastrand::Rng::with_seed(3);
        let mut angle = |j: u32| if j.is_multiple_of(40) { (random.f64() - 0.5) * std::f64::consts::TAU } else { 1.0 };
        let coordinates: Vec<Vec<u32>> = shape.iter().map(|_| words(&(0..points).map(&mut angle).collect::<Vec<_>>())).collect();
        let empty = |len: u32| vec![0; len as usize];
        let empty_complex = |len: u32| empty(2 * each as u32 * len);

        let all_places = points * (shape.len() * each) as u32;
        let mut arrays: Vec<_> = [(0, grid.clone())].into_iter().chain((2..).zip(coordinates)).collect();
        arrays.extend([(5, empty(points)), (6, empty(points)), (7, empty(bins + 1)), (8, empty(all_places)), (9, empty(1))]);
        if is_double {
            // The begin of 1/2π, for angles below 2^64.
            let mut inverse = vec![0; 44];
            inverse[6..13].copy_from_slice(&[0x28be_60db, 0x9391_054a, 0x7f09_d5f4, 0x7d4d_3770, 0x36d8_a566, 0x4f10_e410, 0x7f94_58ea]);
            arrays.push((1, inverse));
        }
        let mut found = run_but(text(&texts, "bin"), &arrays, groups(points), Some(6));
        found.truncate(found.len() - usize::from(is_double));
        let [keys, ranks, counts, unsorted, crowded] = found.split_off(found.len() - 5).try_into().unwrap();
        let mut indices: Vec<u32> = (0..points).collect();
        indices.sort_by_key(|&i| keys[i as usize]);
        let sorted_keys: Vec<u32> = indices.iter().map(|&i| keys[i as usize]).collect();
        let starts = before(&counts);
        assert!(starts[bins as usize] == points && sorted_keys.iter().all(|&key| key < bins));
        assert_eq!(crowded, [u32::from(points > 2048)]);
        let arrays = [(0, grid.clone()), (1, keys.clone()), (2, ranks), (3, starts.clone()), (4, empty(points))];
        let scattered = run(text(&texts, "scatter"), &arrays, groups(points)).pop().unwrap();
        let arrays = [(0, grid.clone()), (1, keys), (2, scattered), (3, starts.clone()), (4, empty(points)), (5, empty(points))];
        let ranked = run(text(&texts, "rank"), &arrays, groups(points));
        assert!(crowded == [1] || ranked[4..] == [sorted_keys.clone(), indices.clone()], "{shape:?}");
        let arrays = [(0, grid.clone()), (1, indices.clone()), (2, unsorted), (3, empty(all_places))];
        let places = run(text(&texts, "arrange"), &arrays, groups(points)).pop().unwrap();

        let mut numbers = |len: u32| words(&(0..2 * len).map(|_| random.f64() - 0.5).collect::<Vec<_>>());
        let (input, field) = (numbers(points), numbers(cells));
        let arrays = [(0, grid.clone()), (1, indices.clone()), (2, places.clone()), (3, input.clone()), (4, empty_complex(points))];
        let strengths = run(text(&texts, "strengths"), &arrays, groups(points)).pop().unwrap();
        // By i, as type 3 does.
        let i = words(&(0..2 * points).map(|j| f64::from(j % 2)).collect::<Vec<_>>());
        let turned = [&arrays[..], &[(5, i.clone())]].concat();
        let turned = run(text(&texts, "multiplied strengths"), &turned, groups(points)).swap_remove(4);
        assert_eq!(turned, by_i(&strengths));
        // NaNs, which what is not overwritten would keep.
        let unwritten = |len: u32| vec![u32::MAX; 2 * each * len as usize];
        let mut arrays = vec![(0, grid.clone()), (1, starts.clone()), (2, places.clone()), (3, strengths), (5, unwritten(cells))];
        let spread = run(text(&texts, "spread"), &arrays, groups(all_tiles)).pop().unwrap();
        let counted = [(0, grid.clone()), (1, starts), (2, empty(all_tiles + 1))];
        let extra = before(&run(text(&texts, "extra"), &counted, groups(all_tiles + 1))[2]);
        let items = extra[all_tiles as usize];
        assert_eq!(items > 0, points > 2048, "{extra:?}");
        let parts_len = capacity * tile.iter().product::<u32>();
        arrays[4].1 = unwritten(parts_len);
        arrays.insert(4, (4, extra.clone()));
        let parts = run(text(&texts, "spread of further items"), &arrays, groups(capacity)).pop().unwrap();
        let joined = [(0, grid.clone()), (1, extra), (2, parts), (3, spread.clone())];
        let joined = run(text(&texts, "join"), &joined, groups(parts_len)).pop().unwrap();
        assert_eq!(joined != spread, items > 0);

        let arrays = [(0, grid.clone()), (1, sorted_keys), (2, indices), (3, places), (4, field.clone()), (5, unwritten(points))];
        let values = run(text(&texts, "interpolate"), &arrays, groups(points)).pop().unwrap();
        let turned = [&arrays[..], &[(6, i)]].concat();
        let turned = run(text(&texts, "multiplied interpolate"), &turned, groups(points)).swap_remove(5);
        assert_eq!(turned, by_i(&values));
        let dot = |x: &[u32], y: &[u32]| -> f64 { values_of(x).iter().zip(values_of(y)).map(|(x, y)| x * y).sum() };
        let norm = |x: &[u32]| dot(x, x).sqrt();
        let (left, right) = (dot(&joined, &field), dot(&input, &values));
        let bound = if is_double { 1e-14 } else { 1e-6 };
        assert!((left - right).abs() < bound * norm(&joined) * norm(&field), "{shape:?}: {left} and {right}");
        if is_double {
            // Modes by their factors, which are those of the fastest axis first.
            let modes: u32 = shape.iter().product::<usize>() as u32;
            let mut own: Vec<u32> = shape.iter().rev().map(|&n| n as u32).collect();
            own.resize(3, 1);
            let grid = [&own[..], &[modes], &[0; 8]].concat();
            let factors: Vec<f64> = (0..own.iter().sum()).map(|i: u32| f64::from(i + 1)).collect();
            let given = numbers(modes);
            let arrays = [(0, grid), (1, words(&factors)), (2, given.clone()), (3, unwritten(modes))];
            let found = values_of(&run(text(&texts, "modes"), &arrays, groups(modes))[3]);
            let [x, y] = [own[0], own[1]].map(|n| n as usize);
            let factor = |k: usize| factors[k % x] * factors[x + k / x % y] * factors[x + y + k / (x * y)];
            assert!(values_of(&given).iter().zip(found).enumerate().all(|(i, (z, found))| z * factor(i / 2) == found), "{shape:?}");
        }
    }
}

/// What type 3 knows of coordinates from -3 to 4 along an axis, whose middle is 1/2, in so many words: of
/// each 1.0, so many 16ths of a turn for a place and for a phase.
fn axis(words: usize, [place, phase]: [u32; 2]) -> Vec<u32> {
    // The unit is 2^(3 - 32 · words).
    let mut origin = vec![0; 4];
    origin[words - 1] = (1u32 << 28).wrapping_neg();
    let fraction = |sixteenths: u32| {
        let mut fraction = vec![0; 8];
        // The unit's exponent, 4 for 16ths, and 64 · words for its own unit.
        (fraction[words - 1], fraction[words]) = (sixteenths << 31, sixteenths >> 1);
        fraction
    };
    let unit = 3 - 32 * words as i32;
    [vec![unit as u32, 0, 0, 0], origin, vec![0; 4], fraction(place), fraction(phase)].concat()
}

/// Coordinates in f64 have the places of the same ones in f32, and so have those of type 3.
#[test]
fn all_coordinates_have_the_same_places() {
    let texts = texts(&[6, 10], 1e-4);
    let [n, tiles] = [[20u32, 12, 1], [3, 3, 1]];
    let grid = [&n[..], &[240], &tiles, &[9, 5, 60, 50, 1]].concat();
    let mut random = fastrand::Rng::with_seed(4);
    let turns: Vec<Vec<f64>> = (0..2).map(|_| (0..50).map(|_| f64::from(random.f32()) * 3.9).collect()).collect();
    let places = |name: &str, coordinates: Vec<Vec<u32>>, words: Vec<u32>| {
        let mut arrays: Vec<_> = [(0, grid.clone())].into_iter().chain((2..).zip(coordinates)).collect();
        arrays.extend([(5, vec![0; 50]), (6, vec![0; 50]), (7, vec![0; 61]), (8, vec![0; 100]), (9, vec![0])]);
        if !words.is_empty() {
            arrays.push((1, words));
        }
        run_but(text(&texts, name), &arrays, 1, Some(6)).drain(3..8).collect::<Vec<_>>()
    };
    let angles: Vec<Vec<f32>> =
        turns.iter().map(|axis| axis.iter().map(|x| ((x - 0.5) / 16.0 * std::f64::consts::TAU) as f32).collect()).collect();
    let bits = |x: f64| [x.to_bits() as u32, (x.to_bits() >> 32) as u32];
    let radians = places("bin", angles.iter().map(|axis| axis.iter().map(|x| x.to_bits()).collect()).collect(), vec![]);
    let mut inverse = vec![0; 44];
    inverse[6..11].copy_from_slice(&[0x28be_60db, 0x9391_054a, 0x7f09_d5f4, 0x7d4d_3770, 0x36d8_a566]);
    let radians_f64 = places("bin f64", angles.iter().map(|axis| axis.iter().flat_map(|&x| bits(x.into())).collect()).collect(), inverse);
    let words = axis(2, [1, 0]).repeat(3);
    let offsets = places("bin offsets", turns.iter().map(|axis| axis.iter().flat_map(|&x| bits(x)).collect()).collect(), words);
    for (name, found, differ) in [("f64", radians_f64, 1), ("offsets", offsets, 1 << 6)] {
        assert_eq!([&radians[0], &radians[2]], [&found[0], &found[2]], "{name}");
        // The last of 24 bits may be rounded otherwise, and angles in f32 have fewer that count.
        let differ = |(a, b): (&u32, &u32)| a.abs_diff(*b) > differ;
        assert!(!radians[3].iter().zip(&found[3]).any(differ), "{name}: {:?} and {:?}", radians[3], found[3]);
    }
}

/// Waves at coordinates from 0 on, tiny ones among them, in integers.
#[test]
fn factors_are_waves() {
    let coordinates = [0.0, -0.0, 0.5, 1e-300, f64::MIN_POSITIVE / 4.0, 1e-18, -1e-9, -0.3, 3.999_999, -2.999_999, 2.0, 1.0 / 3.0];
    for (words, axes) in [(2, 1), (2, 3), (4, 1), (4, 2)] {
        let shape = SHAPES[axes - 1];
        let texts = if words == 4 { texts_f64(shape, 1e-12, false) } else { texts(shape, 1e-6) };
        let len = coordinates.len();
        let grid = [&[0; 10][..], &[len as u32, 0]].concat();
        let each: Vec<u32> = coordinates.iter().flat_map(|x| [x.to_bits() as u32, (x.to_bits() >> 32) as u32]).collect();
        let uniform: Vec<u32> = (0..3).flat_map(|i| axis(words, [1, 5 + i])).collect();
        let mut arrays = vec![(0, grid), (1, uniform)];
        arrays.extend((2..).zip(vec![each; axes]));
        arrays.push((5, vec![u32::MAX; words * len]));
        let [waves, divided] = ["factors", "divided factors"].map(|name| {
            let found = run(text(&texts, name), &arrays, 1).pop().unwrap();
            let number = |own: &[u32]| {
                if let [low, high] = own { f64::from_bits(u64::from(*high) << 32 | u64::from(*low)) } else { f32::from_bits(own[0]).into() }
            };
            found.chunks(words / 2).map(number).collect::<Vec<f64>>()
        });
        let (bound, mut sizes) = (if words == 4 { 1e-15 } else { 3e-7 }, vec![]);
        for (x, (wave, divided)) in coordinates.iter().zip(waves.chunks(2).zip(divided.chunks(2))) {
            let angle = (0..axes).map(|i| (x - 0.5) * (5 + i) as f64 / 16.0 * std::f64::consts::TAU).sum::<f64>();
            let (re, im) = (angle.cos(), angle.sin());
            assert!((wave[0] - re).abs() < bound && (wave[1] - im).abs() < bound, "{words} words, {x:e}: {wave:?} and {re} {im}");
            // The same, times a positive number, which grows with the distance from the middle.
            let (along, across) = (divided[0] * re + divided[1] * im, divided[1] * re - divided[0] * im);
            assert!(across.abs() < 10.0 * bound * along, "{words} words, {x:e}: {divided:?}");
            sizes.push(((x - 0.5).abs(), along));
        }
        sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert!(sizes.windows(2).all(|pair| pair[0].1 <= pair[1].1 * (1.0 + bound)), "{words} words: {sizes:?}");
    }
}
