//! The kernels of `crates/nufft`: the texts, under both validators and all checks.

use wgpu_fft::DeviceProfile;
use wgpu_fft_nufft::Nufft;
use wgsl_sanitizer::{Binding, Buffer, Config, Memory, Shader};

use crate::validators::{self, Tint};

/// Shapes of one to three axes, with fine grids of 40, 12 x 20 and 8 x 8 x 12 cells or more.
const SHAPES: [&[usize]; 3] = [&[20], &[6, 10], &[3, 4, 6]];

/// Numbers of a workgroup.
const BLOCK: u32 = 2048;

fn texts(shape: &[usize], tolerance: f64) -> Vec<(&'static str, String)> {
    Nufft::type1(shape).tolerance(tolerance).wgsl(&DeviceProfile::webgpu_defaults()).unwrap()
}

#[test]
fn both_validators_accept_them() {
    let mut tint = Tint::default();
    for shape in SHAPES {
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

/// Runs a kernel on these arrays, of which the first is a uniform, and returns all of them. Those that are
/// marked as `None` begin unwritten.
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
    let texts = texts(&[20], 1e-3);
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
