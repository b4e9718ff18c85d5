//! Test cases for cyclic shifts, and their expected results.

use wgpu_fft::plan::Program;
use wgpu_fft::signal::Roll;
use wgpu_fft::{DeviceProfile, Element, Spec};

/// What a shift makes of an array, by its definition.
pub fn expected<T: Copy>(input: &[T], shape: &[usize], shifts: &[isize]) -> Vec<T> {
    let each: usize = shape.iter().product();
    let from = |i: usize| {
        let (mut rest, mut stride, mut place) = (i % each, 1, i / each * each);
        for (&extent, &shift) in shape.iter().zip(shifts).rev() {
            place += (rest as isize % extent as isize - shift).rem_euclid(extent as isize) as usize * stride;
            (rest, stride) = (rest / extent, stride * extent);
        }
        place
    };
    (0..input.len()).map(|i| input[from(i)]).collect()
}

/// Shapes, batches and shifts: even and odd extents, some axes or all, shifts of more than the
/// extent, and nothing to shift.
pub const CASES: [(&[usize], usize, &[isize]); 16] = [
    (&[1], 1, &[0]),
    (&[1], 5, &[7]),
    (&[64], 1, &[32]),
    (&[63], 3, &[31]),
    (&[63], 3, &[-31]),
    (&[1000], 2, &[1]),
    (&[257], 1, &[-600]),
    (&[16, 32], 1, &[8, 16]),
    (&[17, 31], 2, &[8, 15]),
    (&[17, 31], 2, &[0, 5]),
    (&[17, 32], 2, &[3, 0]),
    (&[4, 6, 10], 3, &[2, 3, 5]),
    (&[5, 1, 7], 1, &[1, 0, -1]),
    (&[3, 4, 5, 6], 2, &[1, 2, 3, 4]),
    (&[3, 5, 7, 9], 3, &[-1, 1, 2, -3]),
    (&[2, 3, 5, 12], 1, &[0, 1, 0, 4]),
];

/// Recipes by hand. Those of several elements do not fit elements of 1 and 2 bytes.
pub const ROLLS: [&str; 6] = [
    "roll 64x4 elements=2",
    "roll 8x32 elements=1",
    "roll 256x1 elements=8",
    "roll 1x1 elements=3",
    "roll 3x5 elements=1",
    "roll 32x8 elements=4",
];

pub fn spec<T: Element>((shape, batch, shifts): (&[usize], usize, &[isize])) -> Roll<T> {
    Roll::new(shape, shifts).batch(batch)
}

/// The programs of some cases, by the default recipe and by hand.
pub fn programs<T: Element>(profile: &DeviceProfile, programs: &mut Vec<Program>) {
    for case in [CASES[2], CASES[8], CASES[14], CASES[15]] {
        let spec = spec::<T>(case);
        programs.push(spec.lower(&spec.design(profile).unwrap(), profile).unwrap());
        programs.extend(ROLLS.iter().filter_map(|text| spec.lower(&text.parse().unwrap(), profile).ok()));
    }
}
