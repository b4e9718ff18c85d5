//! The worked example of the transposing 2D FFT: an 8 x 8 matrix of 1 … 64 through tiles of 4 x 5.

use wgpu_fft::kernels::transpose::tiled::Tile;
use wgpu_fft::transpose::Permute;
use wgpu_fft::{DeviceProfile, Spec};

use crate::sanitized::RunOnHost;

const TILE: Tile = Tile { size: 4, padding: 1, elements: 1 };
const SIDE: u32 = 8;

/// Where the value goes that lies at `index`.
fn destination(index: u32) -> u32 {
    let (x, y) = (index % SIDE, index / SIDE);
    let (group, local) = ([x / 4, y / 4], [x % 4, y % 4]);
    assert_eq!(Tile::read_index(x, y, SIDE), index);
    // The invocation that stored the value into the tile at (lx, ly) is not the one that loads it: that one has lx and ly exchanged.
    let [lx, ly] = local;
    assert_eq!(TILE.tile_store_index(lx, ly), TILE.tile_load_index(ly, lx));
    TILE.write_index(group, [ly, lx], SIDE)
}

#[test]
fn values_go_where_the_example_says() {
    assert_eq!(destination(4), 32, "value 5");
    assert_eq!(destination(32), 4, "value 33");
    assert_eq!(destination(36), 36, "value 37");
}

#[test]
fn the_tile_is_read_in_the_order_of_the_example() {
    let order: Vec<u32> = (0..4).flat_map(|ly| (0..4).map(move |lx| TILE.tile_load_index(lx, ly))).collect();
    assert_eq!(order, [0, 5, 10, 15, 1, 6, 11, 16, 2, 7, 12, 17, 3, 8, 13, 18]);
}

#[test]
fn workgroups_write_in_the_order_of_the_example() {
    let outputs = |group| (0..4).flat_map(|ly| (0..4).map(move |lx| TILE.write_index(group, [lx, ly], SIDE))).collect::<Vec<_>>();
    assert_eq!(outputs([0, 0])[..8], [0, 1, 2, 3, 8, 9, 10, 11]);
    assert_eq!(outputs([1, 1])[..8], [36, 37, 38, 39, 44, 45, 46, 47]);
    assert_eq!(outputs([1, 0])[0], 32);
    assert_eq!(outputs([0, 1])[..8], [4, 5, 6, 7, 12, 13, 14, 15]);
}

#[test]
fn the_whole_matrix_is_transposed_on_the_host() {
    let spec = Permute::<u32>::transpose([8, 8]);
    let program = spec.lower(&"tiled 4+1 elements=1".parse().unwrap(), &DeviceProfile::webgpu_defaults()).unwrap();
    let input: Vec<u32> = (1..=64).collect();
    let output: Vec<u32> = program.run_on_host(&input);
    for (index, value) in (0..).zip(&input) {
        assert_eq!(output[destination(index) as usize], *value);
    }
    assert_eq!(output[..9], [1, 9, 17, 25, 33, 41, 49, 57, 2]);
}
