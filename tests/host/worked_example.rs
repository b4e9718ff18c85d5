//! The worked example of the transposing 2D FFT: an 8 x 8 matrix of 1 … 64 in tiles of 4 x 4. In
//! workgroup memory, the rows of a tile are 5 apart.

use wgpu_fft::low_level::{self, Grid};
use wgpu_fft::transpose::Permute;
use wgpu_fft::{DeviceProfile, Spec};

use crate::sanitized::{RunOnHost, UNWRITTEN};

/// The output after the first `workgroups` of the four workgroups.
fn output(workgroups: u32) -> Vec<u32> {
    let spec = Permute::<u32>::transpose([8, 8]);
    let mut program = spec.lower(&"tiled 4+1 elements=1".parse().unwrap(), &DeviceProfile::webgpu_defaults()).unwrap();
    low_level::dispatches_mut(&mut program)[0].grid = Grid { x: workgroups, y: 1 };
    program.run_on_host(&(1..=64).collect::<Vec<u32>>())
}

#[test]
fn values_go_where_the_example_says() {
    let output = output(4);
    for (value, from, to) in [(5, 4, 32), (33, 32, 4), (37, 36, 36)] {
        assert_eq!((value - 1, output[to]), (from, value), "value {value}");
    }
    assert_eq!(output[..9], [1, 9, 17, 25, 33, 41, 49, 57, 2]);
}

/// Tiles are processed from left to right, then down, and each fills its mirror image. So each
/// workgroup adds four rows of four values, which are the columns of its tile.
#[test]
fn tiles_are_filled_in_the_order_of_the_example() {
    let mut before = vec![UNWRITTEN; 64];
    for (workgroup, (first_place, first_value)) in (1..).zip([(0, 1), (32, 5), (4, 33), (36, 37)]) {
        let after = output(workgroup);
        let written: Vec<(usize, u32)> = (0..64).filter(|&i| after[i] != before[i]).map(|i| (i, after[i])).collect();
        let rows = (0..4).flat_map(|y| (0..4).map(move |x| (first_place + 8 * y + x, first_value + 8 * x as u32 + y as u32)));
        assert_eq!(written, rows.collect::<Vec<_>>(), "workgroup {workgroup}");
        before = after;
    }
}
