//! The recipes around one, for a search by measurement.
//!
//! The first of a list are those that most likely gain: its end may never be measured. All of them
//! fit, so none has a loop that turns too often on a processor, and in the order across devices all
//! keep that order.

use super::Core;
use super::design::{continued, rules, unrolled};
use super::geometry::Geometry;
use super::lower::lower;
use super::recipe::{Pass, Recipe};
use crate::gpu::DeviceProfile;
use crate::kernels::reduce::operator::Operator;
use crate::tune::others;

fn fits(spec: &Core, recipe: &Recipe, profile: &DeviceProfile) -> bool {
    lower(spec, recipe, profile).and_then(|program| program.check(profile)).is_ok()
}

/// The largest tree that fits.
pub(super) fn baseline(spec: &Core, profile: &DeviceProfile) -> Option<Recipe> {
    let mut trees = (1..=8).rev().map(|log2| Recipe::Tree { workgroup: 1 << log2 });
    trees.find(|tree| fits(spec, tree, profile))
}

/// The rules' recipes for both kinds of device, with parts joined at once or by another pass, and
/// with one lane or all of them to a line. The tree is not among them: it is far slower.
pub(super) fn alternatives(spec: &Core, profile: &DeviceProfile) -> Option<Vec<Recipe>> {
    let space = Space::of(spec, profile)?;
    let (own, other) = (space.rules(profile), space.rules(&profile.of_other_kind()));
    let mut all = vec![other.clone()];
    for recipe in [&own, &other] {
        if let Recipe::Passes(passes) = recipe {
            let first = passes[0];
            let changed =
                [Pass { join: !first.join, lanes: first.workgroup, ..first }, one_lane(first), Pass { lanes: first.workgroup, ..first }];
            all.extend(changed.iter().flat_map(|changed| space.with(passes, 0, *changed)));
        }
    }
    Some(space.fitting(&own, all))
}

/// The recipes that are one decision away; of a recipe that does not fit there are none.
pub(super) fn neighbours(spec: &Core, recipe: &Recipe, profile: &DeviceProfile) -> Option<Vec<Recipe>> {
    let space = Space::of(spec, profile)?;
    if !fits(spec, recipe, profile) {
        return None;
    }
    let all = match recipe {
        Recipe::Tree { workgroup } => {
            let trees = [workgroup.saturating_mul(2), workgroup / 2].map(|workgroup| Recipe::Tree { workgroup });
            [space.rules(profile)].into_iter().chain(trees).collect()
        }
        Recipe::Passes(passes) => {
            // What comes after the first two passes is small.
            let of_pass = |i: usize| moves(&passes[i], i > 0, profile).into_iter().map(move |pass| (i, pass));
            (0..passes.len().min(2)).flat_map(of_pass).flat_map(|(i, pass)| space.with(passes, i, pass)).collect()
        }
    };
    Some(space.fitting(recipe, all))
}

/// What a reduction is, and where.
struct Space<'a> {
    spec: &'a Core,
    profile: &'a DeviceProfile,
    geometry: Geometry,
    operator: Operator,
    /// The order is that across devices.
    ordered: bool,
}

impl<'a> Space<'a> {
    fn of(spec: &'a Core, profile: &'a DeviceProfile) -> Option<Self> {
        let geometry = Geometry::of(spec).ok()?;
        let operator = spec.operator(&geometry, profile).ok()?;
        let ordered = spec.is_ordered(&operator);
        Some(Self { spec, profile, geometry, operator, ordered })
    }

    fn rules(&self, profile: &DeviceProfile) -> Recipe {
        rules(self.ordered, &self.operator, &self.geometry, profile)
    }

    /// The passes with another one in place of pass `i`: those after it as they are, if they fit
    /// what it leaves, and as the rules make them.
    fn with(&self, passes: &[Pass], i: usize, pass: Pass) -> Option<Recipe> {
        let count = passes[..i].iter().fold(self.geometry.count(), |count, pass| self.parts(pass, count));
        let pass = self.settled(pass, count)?;
        let mut changed = passes[..i].to_vec();
        changed.push(pass);
        let parts = self.parts(&pass, count);
        if parts == 1 || pass.join {
            return Some(Recipe::Passes(changed));
        }
        let kept = Recipe::Passes(changed.iter().chain(passes.get(i + 1..).unwrap_or_default()).copied().collect());
        if fits(self.spec, &kept, self.profile) {
            return Some(kept);
        }
        // The order across devices has the same parts, whatever else changes.
        (!self.ordered).then(|| continued(changed, &self.operator, &self.geometry, self.profile))
    }

    fn parts(&self, pass: &Pass, count: u32) -> u32 {
        pass.chunk(self.geometry.length(count, pass.width)).1
    }

    /// A pass over `count` elements as the rules would write it: with as many parts as there are,
    /// no subgroup larger than the workgroup, no more accesses at once than there are. None if it
    /// makes no sense.
    fn settled(&self, pass: Pass, count: u32) -> Option<Pass> {
        let Pass { workgroup, lanes, width, accumulators, unroll, parts, .. } = pass;
        let powers = [workgroup, lanes, width, accumulators].iter().all(|value| value.is_power_of_two());
        if !powers || lanes > workgroup || unroll == 0 || parts == 0 || workgroup > self.profile.invocations || accumulators > 256 {
            return None;
        }
        let length = self.geometry.length(count, width);
        if length == 0 {
            return None;
        }
        let pass = Pass { subgroup: pass.subgroup.min(workgroup), ..pass };
        if self.ordered {
            return Some(pass);
        }
        let (_, parts) = pass.chunk(length);
        // A lane to a line needs lines, or a device waits for a few lanes.
        let busy = u64::from(self.geometry.results()) * u64::from(parts) * u64::from(lanes);
        if lanes == 1 && u64::from(count) > BUSY && busy < BUSY {
            return None;
        }
        Some(unrolled(Pass { parts, join: pass.join && parts > 1, ..pass }, length))
    }

    fn fitting(&self, own: &Recipe, all: Vec<Recipe>) -> Vec<Recipe> {
        others(Some(own), all).into_iter().filter(|recipe| fits(self.spec, recipe, self.profile)).collect()
    }
}

/// Invocations that have work at least where one lane goes over a line.
const BUSY: u64 = 512;

/// One lane to a line, in a workgroup that has several.
fn one_lane(pass: Pass) -> Pass {
    Pass { lanes: 1, workgroup: pass.workgroup.clamp(64, 256), subgroup: 0, join: false, ..pass }
}

/// The passes one decision away, best first. Those over partial results have little to gain, so
/// they have few.
fn moves(own: &Pass, partial: bool, profile: &DeviceProfile) -> Vec<Pass> {
    let Pass { workgroup, lanes, width, accumulators, unroll, parts, .. } = *own;
    let twice = |value: u32| value.saturating_mul(2);
    let larger = Pass { workgroup: twice(workgroup), lanes: twice(lanes), ..*own };
    let smaller = Pass { workgroup: workgroup / 2, lanes: lanes / 2, ..*own };
    let mut all = vec![
        Pass { parts: twice(parts), ..*own },
        Pass { parts: parts.div_ceil(2), ..*own },
        smaller,
        larger,
        Pass { lanes: lanes / 2, join: false, ..*own },
        Pass { lanes: twice(lanes), ..*own },
        Pass { unroll: twice(unroll), ..*own },
        Pass { unroll: unroll / 2, ..*own },
    ];
    if !partial {
        all.extend([
            Pass { accumulators: twice(accumulators), ..*own },
            Pass { accumulators: accumulators / 2, ..*own },
            // As many accesses at once.
            Pass { accumulators: twice(accumulators), unroll: unroll / 2, ..*own },
            Pass { accumulators: accumulators / 2, unroll: twice(unroll), ..*own },
            Pass { workgroup: twice(workgroup), ..*own },
            Pass { workgroup: workgroup / 2, ..*own },
            // With as many values side by side, which keeps the order.
            Pass { accumulators: twice(accumulators), ..smaller },
            Pass { accumulators: accumulators / 2, ..larger },
            Pass { lanes: lanes / 2, accumulators: twice(accumulators), join: false, ..*own },
            Pass { lanes: twice(lanes), accumulators: accumulators / 2, ..*own },
            Pass { width: twice(width), ..*own },
            Pass { width: width / 2, ..*own },
            Pass { parts: parts.saturating_mul(4), ..*own },
            Pass { parts: parts.div_ceil(4), ..*own },
        ]);
    }
    // Only a whole workgroup joins.
    all.push(Pass { join: !own.join, lanes: if own.join { lanes } else { workgroup }, ..*own });
    all.push(Pass { subgroup: if own.subgroup > 0 { 0 } else { profile.subgroup_sizes[0] }, ..*own });
    if !partial {
        all.push(if lanes == 1 { Pass { lanes: workgroup, ..*own } } else { one_lane(*own) });
    }
    all
}
