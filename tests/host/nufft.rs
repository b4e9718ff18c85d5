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

/// Runs a kernel on these arrays, by binding, and returns all of them.
fn run(wgsl: &str, arrays: &[(u32, Vec<u32>)], groups: u32) -> Vec<Vec<u32>> {
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
    assert_eq!(results[0], second, "the order of the workgroups matters");
    second
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
        let (mut keys, mut indices): (Vec<u32>, Vec<u32>) = ((0..len).map(|_| random.u32(0..1 << 10)).collect(), (0..len).collect());
        let mut expected = indices.clone();
        expected.sort_by_key(|&i| keys[i as usize]);
        let blocks = len.div_ceil(BLOCK);
        for shift in [0, digits] {
            let words = vec![len, shift, blocks, 0];
            let counted = run(text(&texts, "count"), &[(0, words.clone()), (1, keys.clone()), (2, vec![0; 64 * blocks as usize])], blocks);
            let counts = counted[2].clone();
            let begins = scanned(&texts, &counts);
            assert_eq!(begins, before(&counts));
            let empty = vec![0; len as usize];
            let arrays = [(0, words), (1, keys), (2, indices), (3, begins), (4, empty.clone()), (5, empty)];
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
    for (shape, points, tolerance) in [(SHAPES[0], 2200, 1e-6), (SHAPES[1], 70, 1e-4), (SHAPES[2], 30, 1e-2)] {
        let texts = texts(shape, tolerance);
        let width = (1.0 - f64::log10(tolerance)).round() as usize;
        let fine = |&n: &usize| next_fast_len(&profile, TransformKind::C2c, (2 * n).max(2 * width)).unwrap() as u32;
        let mut n: Vec<u32> = shape.iter().rev().map(fine).collect();
        n.resize(3, 1);
        let tile: [u32; 3] = [[32, 1, 1], [8, 4, 1], [4, 4, 4]][shape.len() - 1];
        let tiles: Vec<u32> = n.iter().zip(tile).map(|(n, tile)| n.div_ceil(tile)).collect();
        let (cells, all_tiles, row_bins) = (n.iter().product::<u32>(), tiles.iter().product::<u32>(), n[0].div_ceil(4));
        let bins = row_bins * n[1] * n[2];
        let capacity = 4;
        let grid = [&n[..], &[cells], &tiles, &[all_tiles, row_bins, bins, points, capacity]].concat();
        let groups = |items: u32| items.div_ceil(64);

        // Most of them in one place, so that a tile has a second item of work.
        let mut random = fastrand::Rng::with_seed(3);
        let mut angle = |j: u32| if j.is_multiple_of(40) { (random.f32() - 0.5) * std::f32::consts::TAU } else { 1.0f32 }.to_bits();
        let coordinates: Vec<Vec<u32>> = shape.iter().map(|_| (0..points).map(&mut angle).collect()).collect();
        let empty = |len: u32| vec![0; len as usize];

        let all_places = points * shape.len() as u32;
        let mut arrays: Vec<_> = [(0, grid.clone())].into_iter().chain((2..).zip(coordinates)).collect();
        arrays.extend([(5, empty(points)), (6, empty(points)), (7, empty(bins + 1)), (8, empty(all_places))]);
        let mut found = run(text(&texts, "bin"), &arrays, groups(points));
        let (unsorted, counts) = (found.pop().unwrap(), found.pop().unwrap());
        let (mut indices, keys) = (found.pop().unwrap(), found.pop().unwrap());
        indices.sort_by_key(|&i| keys[i as usize]);
        let sorted_keys: Vec<u32> = indices.iter().map(|&i| keys[i as usize]).collect();
        let starts = before(&counts);
        assert!(starts[bins as usize] == points && sorted_keys.iter().all(|&key| key < bins));
        let arrays = [(0, grid.clone()), (1, indices.clone()), (2, unsorted), (3, empty(all_places))];
        let places = run(text(&texts, "arrange"), &arrays, groups(points)).pop().unwrap();

        let mut numbers = |len: u32| (0..2 * len).map(|_| (random.f32() - 0.5).to_bits()).collect::<Vec<u32>>();
        let (input, field) = (numbers(points), numbers(cells));
        let arrays = [(0, grid.clone()), (1, indices.clone()), (2, places.clone()), (3, input.clone()), (4, empty(2 * points))];
        let strengths = run(text(&texts, "strengths"), &arrays, groups(points)).pop().unwrap();
        // By i, as type 3 does.
        let i: Vec<u32> = (0..2 * points).map(|j| if j.is_multiple_of(2) { 0.0f32 } else { 1.0 }.to_bits()).collect();
        let turned = [&arrays[..], &[(5, i.clone())]].concat();
        let turned = run(text(&texts, "multiplied strengths"), &turned, groups(points)).swap_remove(4);
        assert_eq!(turned, by_i(&strengths));
        // NaNs, which what is not overwritten would keep.
        let unwritten = |len: u32| vec![u32::MAX; 2 * len as usize];
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
        let dot = |x: &[u32], y: &[u32]| -> f64 {
            x.iter().zip(y).map(|(x, y)| f64::from(f32::from_bits(*x)) * f64::from(f32::from_bits(*y))).sum()
        };
        let norm = |x: &[u32]| dot(x, x).sqrt();
        let (left, right) = (dot(&joined, &field), dot(&input, &values));
        assert!((left - right).abs() < 1e-6 * norm(&joined) * norm(&field), "{shape:?}: {left} and {right}");
    }
}

/// Complex numbers times i.
fn by_i(numbers: &[u32]) -> Vec<u32> {
    numbers.chunks(2).flat_map(|z| [(-f32::from_bits(z[1])).to_bits(), z[0]]).collect()
}

/// Coordinates as turns have the places of the same ones in radians.
#[test]
fn turns_have_the_places_of_radians() {
    let texts = texts(&[6, 10], 1e-4);
    let [n, tiles] = [[20u32, 12, 1], [3, 3, 1]];
    let grid = [&n[..], &[240], &tiles, &[9, 5, 60, 50, 1]].concat();
    let mut random = fastrand::Rng::with_seed(4);
    let angles: Vec<Vec<f32>> = (0..2).map(|_| (0..50).map(|_| (random.f32() - 0.5) * 6.0).collect()).collect();
    let units = |&x: &f32| ((f64::from(x) / std::f64::consts::TAU).rem_euclid(1.0) * 2f64.powi(64)) as u64;
    let places = |name: &str, coordinates: Vec<Vec<u32>>| {
        let mut arrays: Vec<_> = [(0, grid.clone())].into_iter().chain((2..).zip(coordinates)).collect();
        arrays.extend([(5, vec![0; 50]), (6, vec![0; 50]), (7, vec![0; 61]), (8, vec![0; 100])]);
        run(text(&texts, name), &arrays, 1).split_off(3)
    };
    let radians = places("bin", angles.iter().map(|axis| axis.iter().map(|x| x.to_bits()).collect()).collect());
    let words = |axis: &Vec<f32>| axis.iter().map(units).flat_map(|unit| [unit as u32, (unit >> 32) as u32]).collect();
    let turns = places("bin turns", angles.iter().map(words).collect());
    assert_eq!(radians[..3], turns[..3]);
    // The last of 24 bits may be rounded otherwise.
    let differ = |(a, b): (&u32, &u32)| a.abs_diff(*b) > 1;
    assert!(!radians[3].iter().zip(&turns[3]).any(differ), "{:?} and {:?}", radians[3], turns[3]);
}
