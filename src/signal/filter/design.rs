//! The rules that choose a recipe.

use super::fit::View;
use super::recipe::{Recipe, Step, Tile};
use super::spec::Problem;
use crate::gpu::DeviceProfile;
use crate::kernels::filter::stencil::Stored;

/// The most taps of each axis if a GPU filters both axes in one dispatch. The rows above and below
/// a tile are filtered too, which costs more than a pass over the array once there are many.
/// Milliseconds on an H200 for f32 with reflection, in one dispatch of tiles of 32x32 and in two:
///
/// | shape | 3 taps | 7 taps | 15 taps |
/// |---|---|---|---|
/// | 1080x1920 | 0.0114, 0.0131 | 0.0125, 0.0146 | 0.0336, 0.0166 |
/// | 4096x4096 | 0.0728, 0.0792 | 0.0810, 0.0911 | 0.2410, 0.1022 |
const MAX_IN_ONE: u32 = 7;

/// From so many taps on, a GPU reads neighbours down columns straight from memory, in blocks of
/// [`STRAIGHT`]. Milliseconds on an H200 for both axes, with rows in `tile 1x2048 block=1x2` and
/// columns as stated, with accesses of 4 elements:
///
/// | columns | 1080x1920: 31, 101, 255 taps | 4096x4096: 31, 101, 255 taps |
/// |---|---|---|
/// | tile 256x32 block=8x1 (128x32 for 255) | 0.0285, 0.0621, 0.1424 | 0.192, 0.383, 0.985 |
/// | straight 16x64 block=16x1 | 0.0284, 0.0748, 0.1612 | 0.157, 0.419, 0.996 |
/// | straight 128x64 block=16x1 | 0.0221, 0.0517, 0.1200 | 0.115, 0.292, 0.687 |
/// | straight 32x64 block=8x1 | 0.0194, 0.0477, 0.1051 | 0.107, 0.296, 0.700 |
/// | straight 64x128 block=8x1 | 0.0192, 0.0467, 0.1048 | 0.109, 0.292, 0.702 |
///
/// So no recipe with transposes is faster, as far as 255 taps: both axes as rows, in `straight
/// 2x512 block=1x4`, take 0.0640 and 0.338 for 101 taps, and 0.1346 and 0.726 for 255.
const STRAIGHT_FROM: u32 = 16;

/// Rows and accesses of a row of such a tile, and the rows of a block.
const STRAIGHT: [u32; 3] = [64, 32, 8];

/// From so many taps on, the same along rows, in tiles 2x512 with blocks of 4 elements.
/// Milliseconds on an H200 for both axes, with columns in tiles as in the first line above, and
/// rows in `tile 1x2048 block=1x2` and in `straight 2x512 block=1x4`:
///
/// | shape | 31 taps | 101 taps | 255 taps |
/// |---|---|---|---|
/// | 1080x1920 | 0.0285, 0.0313 | 0.0621, 0.0610 | 0.1424, 0.1443 |
/// | 4096x4096 | 0.192, 0.194 | 0.383, 0.355 | 0.985, 0.949 |
const STRAIGHT_ROWS_FROM: u32 = 64;

/// The invocations of a workgroup on a GPU.
const INVOCATIONS: u32 = 256;

/// The rows of a block down columns on a processor, and the elements of one along rows. Few
/// accesses for many sums count there. The least milliseconds of five rounds on lavapipe (Mesa
/// 22.3.6, 2 cores under load) for f32 1080x1920 with reflection; straight unless stated otherwise,
/// with accesses of 4 elements. A copy took 4 to 9:
///
/// | rows; columns | 3 taps | 7 | 31 | 101 |
/// |---|---|---|---|---|
/// | 8x128 block=1x4; 16x64 block=16x1 | 30.8 | 18.2 | 83 | 189 |
/// | 8x128 block=1x4; 8x64 block=8x1 | 26.6 | 16.6 | 86 | 209 |
/// | 8x64 block=1x2; 16x64 block=16x1 | 35.2 | 18.3 | 104 | 246 |
/// | 8x64 block=1x8 width=2; 16x64 block=16x1 | 32.2 | 20.8 | 91 | 196 |
/// | 8x64 block=1x16 width=1; 16x64 block=16x1 | 34.2 | 31.7 | 136 | 213 |
/// | tile 8x128 block=1x4; 16x64 block=16x1 | 40.2 | 30.2 | 91 | 187 |
/// | 8x128 block=1x4; tile 64x32 block=16x1 | 50.8 | 54.0 | 135 | 202 |
/// | both in tile 16x128 block=8x2 | 40.6 | 39.5 | | |
///
/// A direct kernel of 7x7 took 70 in 8x128 block=1x4, 103 in 8x64 block=1x2, and 80 in tile 16x128
/// block=1x4.
const SUMS_ON_CPU: u32 = 16;

/// The recipe that the rules choose.
pub(super) fn design(problem: &Problem, profile: &DeviceProfile) -> Recipe {
    let axes: Vec<usize> = (0..problem.taps.len()).rev().filter(|&axis| problem.taps[axis].is_some()).collect();
    let mut steps: Vec<Step> = Vec::new();
    let mut rest = &axes[..];
    if let [along, down, others @ ..] = rest
        && along + 1 == problem.taps.len()
        && along - 1 == *down
    {
        let short = [down, along].iter().all(|&&axis| problem.taps[axis].is_some_and(|taps| taps.count <= MAX_IN_ONE));
        if problem.joint || short && !profile.is_cpu() {
            let tile = tile(problem, &[*down, *along], problem.stored, profile);
            if tile.is_some() || problem.joint {
                steps.push(Step { axes: vec![*down, *along], tile: tile.unwrap_or(LEAST), transposes: None });
                rest = others;
            }
        }
    }
    for &axis in rest {
        let stored = if steps.is_empty() { problem.stored } else { Stored::F32 };
        steps.push(Step { axes: vec![axis], tile: tile(problem, &[axis], stored, profile).unwrap_or(LEAST), transposes: None });
    }
    Recipe { steps }
}

/// A tile for any device that can run anything.
pub(super) const LEAST: Tile = Tile { memory: false, extents: [1, 1], block: [1, 1], width: 1 };

/// The first candidate that fits.
fn tile(problem: &Problem, axes: &[usize], stored: Stored, profile: &DeviceProfile) -> Option<Tile> {
    let view = View::of(problem, axes, false).ok()?;
    candidates(&view, profile).into_iter().find(|tile| view.form(problem, stored, tile, profile).is_ok())
}

/// Tiles for a view on a device, best first. The last ones are for devices with little workgroup
/// memory or few invocations.
pub(super) fn candidates(view: &View, profile: &DeviceProfile) -> Vec<Tile> {
    let width = [4, 2, 1].into_iter().find(|width| view.input[1].is_multiple_of(*width) && view.output[1].is_multiple_of(*width));
    let width = width.unwrap_or(1);
    let stages = view.stages();
    let down = stages.iter().filter(|stage| stage.taps[0] > 1).map(|stage| stage.taps[0]).max();
    let along = stages.iter().filter(|stage| stage.taps[1] > 1).map(|stage| stage.taps[1]).max();
    // Powers of two, so that they can be halved.
    let across = |most: u32| view.output[1].div_ceil(width).next_power_of_two().min(most);
    let mut straight = false;
    let (rows, columns, block) = match (down, along) {
        (Some(_), None) if profile.is_cpu() => (SUMS_ON_CPU, across(16), [SUMS_ON_CPU, 1]),
        (_, None) if profile.is_cpu() => (8, across(32), [1, 1]),
        (Some(_), Some(_)) if profile.is_cpu() && !view.joint => (16, across(32), [8, 1]),
        (_, Some(_)) if profile.is_cpu() => (8, across(32).max(SUMS_ON_CPU / width), [1, SUMS_ON_CPU / width]),
        (Some(STRAIGHT_FROM..), None) => {
            straight = true;
            let [rows, columns, block] = STRAIGHT;
            (rows, across(columns), [block, 1])
        }
        (None, Some(STRAIGHT_ROWS_FROM..)) if width == 4 => {
            straight = true;
            (2, across(INVOCATIONS / 2), [1, 4])
        }
        (Some(down), None) => {
            let block = if down <= 3 { 2 } else { 4 };
            let columns = across(32 / width);
            (INVOCATIONS / columns * block, columns, [block, 1])
        }
        (Some(_), Some(_)) if !view.joint => (32, across(32 / width), [4, 1]),
        (Some(_), Some(_)) => {
            let columns = across(16);
            (INVOCATIONS / columns, columns, [1, 1])
        }
        (None, _) => {
            // An odd number of elements apart, invocations read different banks.
            let block = match (width, along) {
                (4, Some(16..)) => 2,
                (1, Some(8..)) => 5,
                _ => 1,
            };
            let columns = across(INVOCATIONS);
            (INVOCATIONS / columns, columns * block, [1, block])
        }
    };
    let memory = !straight && (!profile.is_cpu() || stages.len() > 1);
    let mut tiles = Vec::new();
    for shrink in 0..9 {
        for narrow in 0..=shrink {
            let rows = (rows >> (shrink - narrow)).max(block[0]);
            let columns = (columns >> narrow).max(block[1]);
            tiles.push(Tile { memory, extents: [rows, columns * width], block, width });
        }
    }
    tiles.push(LEAST);
    tiles
}
