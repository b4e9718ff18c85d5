//! Lengths of one axis, in both directions and placements, and how accurate they are.

use std::time::{Duration, Instant};

use crate::cases::*;
use crate::harness::*;

/// So many rows that the errors of short transforms are an average.
fn batch(n: usize) -> usize {
    (4096 / n).max(1)
}

/// Lengths up to 512: all of them where shaders are compiled quickly, else the shortest, the powers of two, and every so many.
pub fn every_short_length(device: &Device) {
    let device = &device.alone();
    let tally = Tally::new(device, "lengths to 512");
    for n in 1..=512usize {
        // What a software adapter compiles for a length takes it half a second.
        let some = n <= 20 || n.is_power_of_two() || n % 17 == if device.is_slow() { 100 } else { 5 };
        if !(some || device.is_thorough()) {
            continue;
        }
        for (kind, in_place) in [(Kind::Forward, n % 4 < 2), (Kind::Inverse, n % 4 >= 2)] {
            if n % 2 == usize::from(kind == Kind::Forward) || n <= 8 || device.is_thorough() {
                tally.run(device, &Case::new(kind, &[n]).batch(batch(n)).in_place(in_place));
            }
        }
    }
    tally.finish();
}

/// 2^k, 2^k ± 1, powers of odd primes, products of small primes, primes, squares of primes.
const LONG: [usize; 62] = [
    1000, 1009, 961, 1369, 1023, 1024, 1025, 2047, 2048, 2049, 2187, 3125, 4095, 4096, 4097, 8192, 16_807, 10_007, 10_201, 14_641, 28_561,
    30_030, 65_535, 65_536, 65_537, 1 << 20, 999_983, 1_000_000, 1 << 24, 531_441, 510_510, 360_360, 100_003, 78_125, 59_049, 16_384, 32_768,
    1 << 17, 1 << 18, 1 << 19, 1 << 21, 1 << 22, 1 << 23, 8191, 8193, 32_767, 32_769, (1 << 20) - 1, (1 << 20) + 1, 1009 * 1009, 1021 * 1031,
    4001, 5003, 12_289, 40_320, 46_189, 3_628_800, 4_782_969, 5_764_801, 10_000_000, 14_348_907, (1 << 24) - 1,
];

pub fn long_lengths(device: &Device) {
    let device = &device.alone();
    let (start, cap) = (Instant::now(), Duration::from_secs(if device.is_thorough() { 3600 } else { 20 }));
    let tally = Tally::new(device, "lengths from 512 on");
    for (i, n) in LONG.into_iter().enumerate() {
        if start.elapsed() > cap {
            println!("{}: after {cap:.0?} without the lengths {:?}", device.name, &LONG[i..]);
            break;
        }
        if device.is_slow() && n > 1 << 17 {
            continue;
        }
        let kind = if i % 2 == 0 { Kind::Forward } else { Kind::Inverse };
        tally.run(device, &Case::new(kind, &[n]).batch(batch(n)).in_place(i % 4 < 2));
    }
    tally.finish();
}
