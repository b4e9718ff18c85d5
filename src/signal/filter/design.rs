//! The rules that choose a recipe.

use super::fit::View;
use super::recipe::{Recipe, Step, Tile};
use super::spec::Problem;
use crate::gpu::DeviceProfile;
use crate::kernels::filter::stencil::Stored;

/// The most taps of each axis if a GPU filters both axes in one dispatch. The rows above and below
/// a tile are filtered too, which costs more than a pass over the array once there are many.
const MOST_IN_ONE: u32 = 15;

/// The invocations of a workgroup on a GPU.
const INVOCATIONS: u32 = 256;

/// The recipe that the rules choose.
pub(super) fn design(problem: &Problem, profile: &DeviceProfile) -> Recipe {
    let axes: Vec<usize> = (0..problem.taps.len()).rev().filter(|&axis| problem.taps[axis].is_some()).collect();
    let mut steps: Vec<Step> = Vec::new();
    let mut rest = &axes[..];
    if let [along, down, others @ ..] = rest
        && along + 1 == problem.taps.len()
        && along - 1 == *down
    {
        let short = [down, along].iter().all(|&&axis| problem.taps[axis].is_some_and(|taps| taps.count <= MOST_IN_ONE));
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
    let accesses = view.output[1].div_ceil(width);
    let mut tiles = Vec::new();
    if profile.is_cpu() {
        // TODO
    }
    // Powers of two, so that they can be halved.
    let across = |most: u32| accesses.next_power_of_two().min(most);
    let (rows, columns, block) = match (down, along) {
        (Some(down), None) => {
            let block = [(1, 1), (3, 2), (15, 4)].iter().find(|(most, _)| down <= *most).map_or(8, |(_, rows)| *rows);
            let columns = across(32 / width);
            (INVOCATIONS / columns * block, columns, [block, 1])
        }
        (Some(_), Some(_)) if !view.joint => {
            let columns = across(32 / width);
            (32, columns, [4, 1])
        }
        (Some(_), Some(_)) => {
            let columns = across(16);
            (INVOCATIONS / columns, columns, [1, 1])
        }
        _ => {
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
    for shrink in 0..9 {
        for narrow in 0..=shrink {
            let rows = (rows >> (shrink - narrow)).max(block[0]);
            let columns = (columns >> narrow).max(block[1]);
            tiles.push(Tile { memory: true, extents: [rows, columns * width], block, width });
        }
    }
    tiles.push(LEAST);
    tiles
}
