//! Lengths to pad to, and what they cost.

use wgpu_fft::fft::{TransformKind, length_cost, next_fast_len, next_fast_shape};
use wgpu_fft::wgpu::DeviceType;
use wgpu_fft::{DeviceProfile, Error};

const KINDS: [TransformKind; 3] = [TransformKind::C2c, TransformKind::R2c, TransformKind::C2r];

fn has_primes_up_to(n: usize, largest: usize) -> bool {
    (2..=largest).fold(n, |rest, p| std::iter::successors(Some(rest), |n| (n % p == 0).then_some(n / p)).last().unwrap()) == 1
}

/// The lengths up to 2¹⁴ that are considered, up to the next power of two.
fn considered(n: usize) -> impl Iterator<Item = usize> {
    (n..=n.next_power_of_two()).filter(|n| has_primes_up_to(*n, 13))
}

#[test]
fn costs_count_passes_and_stages() {
    let profile = DeviceProfile::webgpu_defaults();
    let cost = |n| length_cost(&profile, TransformKind::C2c, n).unwrap();
    let stage = |radix: f64| 2.0 * (1.0 + radix.log2() / 16.0);
    // 64 is 8·8, with 8 invocations for a row.
    assert_eq!(cost(64), 64.0 * (16.0 + 2.0 * stage(8.0)));
    let half = length_cost(&profile, TransformKind::R2c, 128).unwrap();
    assert!(half < 0.6 * cost(128) && half >= 0.5 * 128.0 * 18.0, "{half}");
    // A convolution of 2048 costs more than twice its transform's stages.
    assert!(cost(1009) > 1.5 * cost(1024), "{} {}", cost(1009), cost(1024));
    assert!(cost(1 << 20) > 2.0 * f64::from(1 << 20) * 18.0);
    assert!(matches!(length_cost(&profile, TransformKind::C2c, 0), Err(Error::Empty { .. })));
}

#[test]
fn lengths_grow_with_n_and_cost_no_more_than_any_other_one() {
    let default = DeviceProfile::webgpu_defaults();
    let large = default.with(|profile| (profile.invocations, profile.workgroup_bytes, profile.workgroup_size) = (1024, 49_152, [1024; 3]));
    let cpu = large.with(|profile| (profile.device_type, profile.subgroup_sizes, profile.subgroups) = (DeviceType::Cpu, [8, 8], true));
    for profile in [default, large, cpu] {
        for kind in KINDS {
            let cost = |n| length_cost(&profile, kind, n).unwrap();
            let mut before = 0;
            for n in (1..130).chain((1000..1100).step_by(7)).chain([8191, 8192, 8193, 100_003]) {
                let length = next_fast_len(&profile, kind, n).unwrap();
                assert!(length >= n && length >= before, "{kind:?} {n}: {length} after {before}");
                assert!(cost(length) <= cost(n.next_power_of_two()), "{kind:?} {n}: {length}");
                assert!(has_primes_up_to(length, if n > 1 << 14 { 5 } else { 13 }), "{kind:?} {n}: {length}");
                if n < 130 {
                    assert!(considered(n).all(|other| cost(length) <= cost(other)), "{kind:?} {n}: {length}");
                }
                assert_eq!(next_fast_len(&profile, kind, length), Ok(length), "{kind:?} {n}");
                before = length;
            }
        }
    }
}

/// Against all shapes of extents that are considered.
#[test]
fn shapes_cost_no_more_than_any_other_one() {
    let profile = DeviceProfile::webgpu_defaults();
    for (kind, least) in KINDS.into_iter().zip([[23, 37], [53, 11], [67, 67]]) {
        let cost = |[a, b]: [usize; 2]| {
            let last = if kind == TransformKind::C2c { b } else { b / 2 + 1 };
            let [first, second] = [length_cost(&profile, TransformKind::C2c, a), length_cost(&profile, kind, b)].map(Result::unwrap);
            first * last as f64 + second * a as f64
        };
        let pairs = considered(least[0]).flat_map(|a| considered(least[1]).map(move |b| [a, b]));
        let best = pairs.map(cost).fold(f64::INFINITY, f64::min);
        let shape = next_fast_shape(&profile, kind, least).unwrap();
        assert_eq!(cost([shape.extents()[0], shape.extents()[1]]), best, "{kind:?} {least:?}: {shape}");
    }
    let line = next_fast_shape(&profile, TransformKind::R2c, 1009).unwrap();
    assert_eq!(line.extents(), [next_fast_len(&profile, TransformKind::R2c, 1009).unwrap()]);
    assert!(matches!(next_fast_shape(&profile, TransformKind::C2c, [3, 0]), Err(Error::Empty { .. })));
}

#[test]
fn lengths_without_a_successor_are_refused() {
    let profile = DeviceProfile::webgpu_defaults();
    let next = |n| next_fast_len(&profile, TransformKind::C2c, n);
    assert!(matches!(next(0), Err(Error::Empty { .. })));
    assert!(matches!(next((1 << 31) + 1), Err(Error::LimitExceeded { required: 0x8000_0001, available: 0x8000_0000, .. })));
    assert!(matches!(next(usize::MAX), Err(Error::LimitExceeded { .. })));
}
