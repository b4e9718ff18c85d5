//! The recipes near a given one, for a search by measurement.
//!
//! Each list begins with the recipes most likely to be faster, because its end may never be
//! measured. All recipes fit.

use super::design::{LEAST, candidates, design};
use super::fit::{self, View, fit, matrices};
use super::recipe::{Recipe, Step, Tile};
use super::spec::{Core, Problem};
use crate::error::Result;
use crate::gpu::DeviceProfile;
use crate::kernels::Slot;
use crate::kernels::filter::stencil::Stored;
use crate::kernels::transpose::Matrices;
use crate::plan::{Computation, Search, in_turns, others};
use crate::transpose;

fn fits(problem: &Problem, recipe: &Recipe, profile: &DeviceProfile) -> bool {
    fit(problem, recipe, profile).is_ok()
}

/// With more taps, both axes in one dispatch are not measured. On an H200, 1080x1920 with 31 taps
/// took 0.071 ms in the best tiles and 0.019 one after the other, and with 101 taps 200 ms and
/// 0.046.
const MAX_TOGETHER: u32 = 31;

impl Search for Core {
    /// One output for each invocation, read straight from the input.
    fn baseline(&self, profile: &DeviceProfile) -> Result<Recipe> {
        let problem = self.problem()?;
        let steps = |columns: u32| -> Vec<Step> {
            let tile = Tile { extents: [1, columns], ..LEAST };
            let step = |axes: Vec<usize>| Step { axes, tile, transposes: None };
            let rank = problem.taps.len();
            if problem.joint {
                return vec![step((0..rank).collect())];
            }
            (0..rank).rev().filter(|&axis| problem.taps[axis].is_some()).map(|axis| step(vec![axis])).collect()
        };
        let mut all = [64, 8, 1].into_iter().map(|columns| Recipe { steps: steps(columns) });
        all.find(|recipe| fits(&problem, recipe, profile)).map_or_else(|| self.design(profile), Ok)
    }

    /// Starting points: both axes in one dispatch or one after the other, with transposes or
    /// without, by the rules for this kind of device and for the other.
    fn alternatives(&self, profile: &DeviceProfile) -> Vec<Recipe> {
        let Ok(problem) = &self.problem() else { return Vec::new() };
        let own = design(problem, profile);
        let kinds = [profile.clone(), profile.of_other_kind()];
        let of = |axes: &[usize], kind: &DeviceProfile, transposed: bool| -> Vec<Tile> {
            View::of(problem, axes, transposed).map_or_else(|_| Vec::new(), |view| candidates(&view, kind))
        };
        let step = |axes: &[usize], kind: &DeviceProfile| -> Option<Step> {
            let fits = |tile: &Tile| {
                let view = View::of(problem, axes, false);
                view.is_ok_and(|view| view.form(problem, problem.stored, tile, profile).is_ok())
            };
            of(axes, kind, false).into_iter().find(fits).map(|tile| Step { axes: axes.to_vec(), tile, transposes: None })
        };
        let axes: Vec<usize> = (0..problem.taps.len()).rev().filter(|&axis| problem.taps[axis].is_some()).collect();
        let mut all = vec![design(problem, &kinds[1])];
        for kind in &kinds {
            let apart: Option<Vec<Step>> = axes.iter().map(|&axis| step(&[axis], kind)).collect();
            let apart = apart.map(|steps| Recipe { steps });
            if let Some(apart) = &apart {
                let transposed = apart.steps.iter().enumerate().map(|(i, step)| {
                    let stored = if i == 0 { problem.stored } else { Stored::F32 };
                    with_transposes(problem, step, stored, kind, profile).unwrap_or_else(|| step.clone())
                });
                all.push(Recipe { steps: transposed.collect() });
            }
            all.extend(apart);
            let are_short = |axes: [usize; 2]| axes.iter().all(|&axis| problem.taps[axis].is_some_and(|taps| taps.count <= MAX_TOGETHER));
            if let [along, down, others @ ..] = &axes[..]
                && (problem.joint || are_short([*along, *down]))
            {
                let together = step(&[*down, *along], kind);
                let others: Option<Vec<Step>> = others.iter().map(|&axis| step(&[axis], kind)).collect();
                all.extend(together.zip(others).map(|(first, others)| Recipe { steps: std::iter::once(first).chain(others).collect() }));
            }
        }
        others(Some(&own), all).into_iter().filter(|recipe| fits(problem, recipe, profile)).collect()
    }

    /// The recipes that are one decision away.
    fn neighbours(&self, recipe: &Recipe, profile: &DeviceProfile) -> Vec<Recipe> {
        let Ok(problem) = &self.problem() else { return Vec::new() };
        if !fits(problem, recipe, profile) {
            return Vec::new();
        }
        let with = |i: usize, step: Step| {
            let mut changed = recipe.clone();
            changed.steps[i] = step;
            changed
        };
        let of_step = |(i, step): (usize, &Step)| -> Vec<Recipe> {
            let mut all: Vec<Recipe> = tiles(&step.tile).into_iter().map(|tile| with(i, Step { tile, ..step.clone() })).collect();
            if let (Some([before, after]), [axis]) = (step.transposes, &step.axes[..]) {
                let [forth, back] = matrices(problem, *axis);
                let around = |matrices, recipe| transposing(matrices, profile, |task| transpose::around(&recipe, task));
                let first = around(forth, before).into_iter().map(|before| [before, after]);
                let both = first.chain(around(back, after).into_iter().map(|after| [before, after]));
                all.extend(both.map(|transposes| with(i, Step { transposes: Some(transposes), ..step.clone() })));
            }
            all
        };
        let mut all = in_turns(recipe.steps.iter().enumerate().map(of_step));
        if let [first, second] = &recipe.steps[..] {
            all.push(Recipe { steps: vec![second.clone(), first.clone()] });
        }
        others(Some(recipe), all).into_iter().filter(|recipe| fits(problem, recipe, profile)).collect()
    }
}

/// Calls `with` for a transpose of these matrices.
fn transposing<R>(matrices: Matrices, profile: &DeviceProfile, with: impl FnOnce(&transpose::OnDevice<'_>) -> R) -> R {
    fit::transposing(matrices, [Slot::Input(0), Slot::Output], profile, with)
}

/// The same step between two transposes, if the axis is not contiguous and the array not of bytes.
fn with_transposes(problem: &Problem, step: &Step, stored: Stored, kind: &DeviceProfile, profile: &DeviceProfile) -> Option<Step> {
    let &[axis] = (stored == Stored::F32).then_some(&step.axes[..])? else { return None };
    let view = View::of(problem, &step.axes, true).ok()?;
    let fits = |tile: &Tile| view.form(problem, stored, tile, profile).is_ok();
    let tile = candidates(&view, kind).into_iter().find(fits)?;
    let transposes = matrices(problem, axis).map(|matrices| transposing(matrices, profile, transpose::design));
    Some(Step { axes: vec![axis], tile, transposes: Some(transposes) })
}

/// Tiles that differ in one decision.
fn tiles(own: &Tile) -> Vec<Tile> {
    let Tile { extents: [rows, elements], block: [down, along], width, .. } = *own;
    let twice = |value: u32| value.saturating_mul(2);
    let tile = |extents, block, width| Tile { extents, block, width, ..*own };
    vec![
        // The same number of outputs in another form.
        tile([twice(rows), elements / 2], [down, along], width),
        tile([rows / 2, twice(elements)], [down, along], width),
        // Larger or smaller blocks of as many invocations, or of fewer or more.
        tile([twice(rows), elements], [twice(down), along], width),
        tile([rows / 2, elements], [down / 2, along], width),
        tile([rows, twice(elements)], [down, twice(along)], width),
        tile([rows, elements / 2], [down, along / 2], width),
        tile([rows, elements], [twice(down), along], width),
        tile([rows, elements], [down / 2, along], width),
        tile([rows, elements], [down, twice(along)], width),
        tile([rows, elements], [down, along / 2], width),
        // An odd number of accesses, which lie in different banks.
        tile([rows, elements / along.max(1) * (along + 1)], [down, along + 1], width),
        tile([rows, elements / along.max(1) * (along.max(2) - 1)], [down, along.max(2) - 1], width),
        tile([twice(rows), elements], [down, along], width),
        tile([rows / 2, elements], [down, along], width),
        tile([rows, twice(elements)], [down, along], width),
        tile([rows, elements / 2], [down, along], width),
        tile([rows, elements], [down, along], twice(width)),
        tile([rows, elements], [down, along], width / 2),
        tile([rows, elements], [down, twice(along)], width / 2),
        tile([rows, twice(elements)], [down, along], twice(width)),
        Tile { memory: !own.memory, ..*own },
    ]
}
