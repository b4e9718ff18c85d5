//! The recipes near a given one, for a search by measurement.
//!
//! Each list begins with the recipes most likely to be faster, because its end may never be
//! measured. All recipes fit.

use std::mem::discriminant;

use super::core::Core;
use super::design::{BANDS_IN_PLACE, candidates, design};
use super::fit::OnDevice;
use super::geometry::Task;
use super::recipe::{Blocks, Recipe, Spread, Tiles, Walk};
use crate::error::Result;
use crate::gpu::DeviceProfile;
use crate::kernels::copy::MAX_WORKGROUP;
use crate::plan::{Search, in_turns, others};

impl Search for Core {
    fn baseline(&self, profile: &DeviceProfile) -> Result<Recipe> {
        let geometry = self.geometry()?;
        Ok(match &geometry.task {
            Task::Plain(problem, matrices) => {
                let task = self.on_device(&geometry.places, problem, *matrices, profile);
                baseline(&task).unwrap_or_else(|| design(&task))
            }
            Task::Mapped(mapped) => mapped.design(profile),
        })
    }

    fn alternatives(&self, profile: &DeviceProfile) -> Vec<Recipe> {
        let Ok(geometry) = self.geometry() else { return Vec::new() };
        match &geometry.task {
            Task::Plain(problem, matrices) => alternatives(&self.on_device(&geometry.places, problem, *matrices, profile)),
            Task::Mapped(mapped) => mapped.alternatives(profile),
        }
    }

    fn neighbours(&self, recipe: &Recipe, profile: &DeviceProfile) -> Vec<Recipe> {
        let Ok(geometry) = self.geometry() else { return Vec::new() };
        match &geometry.task {
            Task::Plain(problem, matrices) => neighbours(recipe, &self.on_device(&geometry.places, problem, *matrices, profile)),
            Task::Mapped(mapped) => {
                let all = match *recipe {
                    Recipe::Strided { workgroup, elements } => of_strided(workgroup, elements),
                    Recipe::Tiled { tile, padding, elements } => of_tiled(tile, padding, elements),
                    _ => Vec::new(),
                };
                mapped.fitting(recipe, all, profile)
            }
        }
    }
}

/// The search stops halving a workgroup here: fewer invocations leave lanes of every device idle.
const FEWEST: u32 = 8;

/// The most candidates of each kind of recipe, per kind of device. The rules list the best first.
const OF_EACH_KIND: usize = 3;

/// The simplest recipe that fits, if there is one: element by element, larger workgroups first.
fn baseline(task: &OnDevice<'_>) -> Option<Recipe> {
    let workgroups = [[16, 16], [8, 8], [8, 4], [8, 1], [1, 1]];
    let kinds: [fn([u32; 2]) -> Recipe; 4] = [
        |workgroup| Recipe::Naive { workgroup },
        |workgroup| Recipe::Strided { workgroup, elements: 1 },
        |workgroup| Recipe::Gather { workgroup },
        |workgroup| Recipe::Swap { workgroup },
    ];
    let single = |[x, y]: [u32; 2]| {
        let (tile, width) = ([x.min(y); 2], [task.problem.bytes; 2]);
        Recipe::Blocks(Blocks { tile, width, blocks: 1, across: false, walk: Walk::Rows })
    };
    let all = kinds.into_iter().flat_map(|kind| workgroups.map(kind)).chain([Recipe::Copy]);
    all.chain(workgroups.map(single)).find(|recipe| recipe.fits(task))
}

/// The rules' other choices, for this kind of device and for the other kind. Then the step-by-step
/// variants of the literature, with workgroups along x or along y.
fn alternatives(task: &OnDevice<'_>) -> Vec<Recipe> {
    let of = |profile| {
        let mut chosen: Vec<Recipe> = Vec::new();
        for recipe in candidates(task.problem, profile) {
            let same = chosen.iter().filter(|other| discriminant(*other) == discriminant(&recipe)).count();
            if same < OF_EACH_KIND && !chosen.contains(&recipe) && recipe.fits(task) {
                chosen.push(recipe);
            }
        }
        chosen
    };
    let most = |side: usize| task.profile.invocations.min(task.profile.workgroup_size[side]).min(MAX_WORKGROUP);
    let naive = [[most(0), 1], [1, most(1)], [16, 16]].map(|workgroup| Recipe::Naive { workgroup });
    let ladder = naive.into_iter().chain([Recipe::Tiled { tile: 32, padding: 1, elements: 4 }]).filter(|recipe| recipe.fits(task));
    let rules = in_turns([of(task.profile), of(&task.profile.of_other_kind())]);
    others(Some(&design(task)), rules.into_iter().chain(ladder))
}

/// The recipes that are one decision away.
pub(crate) fn neighbours(recipe: &Recipe, task: &OnDevice<'_>) -> Vec<Recipe> {
    let all: Vec<Recipe> = match *recipe {
        Recipe::Copy => Vec::new(),
        Recipe::Tiles(tiles) => of_tiles(tiles, task),
        Recipe::Blocks(blocks) => of_blocks(blocks, task),
        Recipe::Strided { workgroup, elements } => of_strided(workgroup, elements),
        Recipe::Naive { workgroup } => workgroups(workgroup).map(|workgroup| Recipe::Naive { workgroup }).collect(),
        Recipe::Gather { workgroup } => workgroups(workgroup).map(|workgroup| Recipe::Gather { workgroup }).collect(),
        Recipe::Swap { workgroup } => workgroups(workgroup).map(|workgroup| Recipe::Swap { workgroup }).collect(),
        Recipe::Tiled { tile, padding, elements } => of_tiled(tile, padding, elements),
    };
    others(Some(recipe), all).into_iter().filter(|other| other.fits(task)).collect()
}

fn of_strided(workgroup: [u32; 2], elements: u32) -> Vec<Recipe> {
    let strided = |workgroup, elements| Recipe::Strided { workgroup, elements };
    let [x, y] = workgroup;
    let mut all: Vec<Recipe> = doubled_and_halved(elements).map(|elements| strided(workgroup, elements)).collect();
    // The same number of elements of a row by fewer invocations, and the other way round.
    all.extend([strided([x / 2, y.saturating_mul(2)], elements.saturating_mul(2)), strided([x.saturating_mul(2), y / 2], elements / 2)]);
    all.extend(workgroups(workgroup).map(|workgroup| strided(workgroup, elements)));
    all
}

fn of_tiled(tile: u32, padding: u32, elements: u32) -> Vec<Recipe> {
    let (twice, half) = (tile.saturating_mul(2), tile / 2);
    let shapes = [
        (tile, elements.saturating_mul(2)),
        (tile, elements / 2),
        // With the same number of invocations.
        (twice, elements.saturating_mul(4)),
        (half, elements / 4),
        (twice, elements.saturating_mul(2)),
        (half, elements / 2),
        (twice, elements),
        (half, elements),
    ];
    let shapes = shapes.into_iter().filter(|(tile, _)| (8..=64).contains(tile));
    let tiled = |tile, padding, elements| Recipe::Tiled { tile, padding, elements };
    let padded = [0, 1].into_iter().map(|padding| tiled(tile, padding, elements));
    shapes.map(|(tile, elements)| tiled(tile, padding, elements)).chain(padded).collect()
}

fn doubled_and_halved(value: u32) -> impl Iterator<Item = u32> {
    [value.saturating_mul(2), value / 2].into_iter().filter(|value| *value > 0)
}

/// One side longer and the other shorter, or one side alone.
fn workgroups([x, y]: [u32; 2]) -> impl Iterator<Item = [u32; 2]> {
    let (x2, y2) = (x.saturating_mul(2), y.saturating_mul(2));
    let all = [[x2, y / 2], [x / 2, y2], [x2, y], [x, y2], [x / 2, y], [x, y / 2]];
    all.into_iter().filter(move |[a, b]| {
        let invocations = a.saturating_mul(*b);
        invocations >= FEWEST || invocations >= x.saturating_mul(y)
    })
}

/// Tiles with other sides, with the same number of blocks per invocation or the same number of
/// invocations.
fn tiles([rows, columns]: [u32; 2], blocks: u32, task: &OnDevice<'_>) -> Vec<([u32; 2], u32)> {
    let (twice_rows, twice_columns) = (rows.saturating_mul(2), columns.saturating_mul(2));
    if task.problem.in_place {
        let four = blocks.saturating_mul(4);
        return vec![
            ([twice_rows, twice_columns], four),
            ([rows / 2, columns / 2], blocks / 4),
            ([twice_rows, twice_columns], blocks),
            ([rows / 2, columns / 2], blocks),
        ];
    }
    let extents = task.problem.turned().map(|[b, a]| [task.problem.axes[b].extent, task.problem.axes[a].extent]);
    let worth = |tile: &[u32; 2]| {
        // If a side is longer than the array, the extra invocations have nothing to do.
        extents.is_none_or(|[b, a]| (tile[0] <= rows || rows < b) && (tile[1] <= columns || columns < a))
    };
    let traded = [[twice_rows, columns / 2], [rows / 2, twice_columns]].map(|tile| (tile, blocks));
    let longer = [[twice_rows, columns], [rows, twice_columns]];
    let shorter = [[rows / 2, columns], [rows, columns / 2]];
    let grown = longer.map(|tile| (tile, blocks.saturating_mul(2))).into_iter().chain(longer.map(|tile| (tile, blocks)));
    let shrunk = shorter.map(|tile| (tile, blocks)).into_iter().chain(shorter.map(|tile| (tile, blocks / 2)));
    traded.into_iter().chain(in_turns([grown.collect(), shrunk.collect()])).filter(|(tile, blocks)| *blocks > 0 && worth(tile)).collect()
}

/// Wider or narrower accesses on both sides, or on one side.
fn widths([load, store]: [u32; 2], task: &OnDevice<'_>) -> Vec<[u32; 2]> {
    let both = [[load * 2, store * 2], [load / 2, store / 2]];
    let one = [[load * 2, store], [load, store * 2], [load / 2, store], [load, store / 2]];
    if task.problem.in_place { both.to_vec() } else { both.into_iter().chain(one).collect() }
}

/// Another order of the tiles. In place, columns would be those of the mirror images.
fn walk(own: Walk, task: &OnDevice<'_>) -> Walk {
    match own {
        Walk::Rows if task.problem.in_place => BANDS_IN_PLACE,
        Walk::Rows => Walk::Columns,
        _ => Walk::Rows,
    }
}

fn of_tiles(own: Tiles, task: &OnDevice<'_>) -> Vec<Recipe> {
    let mut all = vec![Tiles { walk: walk(own.walk, task), ..own }];
    all.extend(doubled_and_halved(own.blocks).map(|blocks| Tiles { blocks, ..own }));
    all.extend(tiles(own.tile, own.blocks, task).into_iter().map(|(tile, blocks)| Tiles { tile, blocks, ..own }));
    let mut all: Vec<Recipe> = all.into_iter().map(Recipe::Tiles).collect();
    let Tiles { tile, width, blocks, walk, .. } = own;
    // For blocks, try one per invocation too; tiles may have several.
    all.extend([blocks, 1].map(|blocks| Recipe::Blocks(Blocks { tile, width, blocks, across: false, walk })));
    all.extend(widths(own.width.map(|width| width.min(32)), task).into_iter().map(|width| Recipe::Tiles(Tiles { width, ..own })));
    all.extend([Spread::Swizzle, Spread::Padding(1), Spread::Padding(0)].map(|spread| Recipe::Tiles(Tiles { spread, ..own })));
    if !task.problem.in_place {
        let last = if own.walk == Walk::Columns { Walk::Diagonal } else { Walk::Columns };
        all.push(Recipe::Tiles(Tiles { walk: last, ..own }));
    }
    all
}

fn of_blocks(own: Blocks, task: &OnDevice<'_>) -> Vec<Recipe> {
    let mut all = vec![Blocks { across: !own.across, ..own }];
    all.extend(doubled_and_halved(own.blocks).map(|blocks| Blocks { blocks, ..own }));
    all.extend(tiles(own.tile, own.blocks, task).into_iter().map(|(tile, blocks)| Blocks { tile, blocks, ..own }));
    all.push(Blocks { walk: walk(own.walk, task), ..own });
    all.extend(widths(own.width.map(|width| width.min(32)), task).into_iter().map(|width| Blocks { width, ..own }));
    let mut all: Vec<Recipe> = all.into_iter().map(Recipe::Blocks).collect();
    let Blocks { tile, width, blocks, walk, .. } = own;
    all.push(Recipe::Tiles(Tiles { tile, width, blocks, spread: Spread::Swizzle, walk }));
    all
}

/// The rules' choice, if it fits, and the alternatives, for an operation that contains
/// permutations.
pub(crate) fn choices(task: &OnDevice<'_>) -> Vec<Recipe> {
    let own = design(task);
    let own = if own.fits(task) { Some(own) } else { None };
    own.into_iter().chain(alternatives(task)).collect()
}
