//! The recipes near a given one, for a search by measurement.
//!
//! Each list begins with the recipes most likely to be faster, because its end may never be
//! measured. All recipes fit, so none has a loop that runs too long on a processor. If the order
//! across devices is requested, all of them keep it.

use super::core::Core;
use super::design::{continued, rules};
use super::geometry::Geometry;
use super::lower::lower;
use super::recipe::{Pass, Recipe};
use crate::error::Result;
use crate::gpu::DeviceProfile;
use crate::kernels::reduce::operator::Operator;
use crate::plan::{Computation, Search, others};

fn fits(spec: &Core, recipe: &Recipe, profile: &DeviceProfile) -> bool {
    lower(spec, recipe, profile).and_then(|program| program.check(profile)).is_ok()
}

impl Search for Core {
    /// The largest tree that fits.
    fn baseline(&self, profile: &DeviceProfile) -> Result<Recipe> {
        let mut trees = (1..=8).rev().map(|log2| Recipe::Tree { workgroup: 1 << log2 });
        trees.find(|tree| fits(self, tree, profile)).map_or_else(|| self.design(profile), Ok)
    }

    /// The rules' recipes for both kinds of device, with parts joined in the same dispatch or by
    /// another pass, and with one lane or all lanes per line. The tree is omitted, because it is
    /// far slower.
    fn alternatives(&self, profile: &DeviceProfile) -> Vec<Recipe> {
        let Some(space) = Space::of(self, profile) else { return Vec::new() };
        let (own, other) = (space.rules(profile), space.rules(&profile.of_other_kind()));
        let mut all = vec![other.clone()];
        for recipe in [&own, &other] {
            if let Recipe::Passes(passes) = recipe {
                let first = passes[0];
                let changed = [
                    Pass { join: !first.join, lanes: first.workgroup, ..first },
                    one_lane(first),
                    Pass { lanes: first.workgroup, ..first },
                ];
                all.extend(changed.iter().flat_map(|changed| space.with(passes, 0, *changed)));
            }
        }
        space.fitting(&own, all)
    }

    /// The recipes that are one decision away. A recipe that does not fit has none.
    fn neighbours(&self, recipe: &Recipe, profile: &DeviceProfile) -> Vec<Recipe> {
        let Some(space) = Space::of(self, profile) else { return Vec::new() };
        if !fits(self, recipe, profile) {
            return Vec::new();
        }
        let all = match recipe {
            Recipe::Tree { workgroup } => {
                let trees = [workgroup.saturating_mul(2), workgroup / 2].map(|workgroup| Recipe::Tree { workgroup });
                [space.rules(profile)].into_iter().chain(trees).collect()
            }
            Recipe::Passes(passes) => {
                // Passes after the second have little to do.
                let of_pass = |i: usize| moves(&passes[i], i > 0, profile).into_iter().map(move |pass| (i, pass));
                (0..passes.len().min(2)).flat_map(of_pass).flat_map(|(i, pass)| space.with(passes, i, pass)).collect()
            }
        };
        space.fitting(recipe, all)
    }
}

/// A reduction and the device that runs it.
struct Space<'a> {
    spec: &'a Core,
    profile: &'a DeviceProfile,
    geometry: Geometry,
    operator: Operator,
    /// Whether the order across devices is required.
    ordered: bool,
}

impl<'a> Space<'a> {
    fn of(spec: &'a Core, profile: &'a DeviceProfile) -> Option<Self> {
        let geometry = spec.geometry().ok()?;
        let operator = spec.operator(&geometry, profile).ok()?;
        let ordered = spec.is_ordered(&operator);
        Some(Self { spec, profile, geometry, operator, ordered })
    }

    fn rules(&self, profile: &DeviceProfile) -> Recipe {
        rules(self.ordered, &self.operator, &self.geometry, profile)
    }

    /// The passes with `pass` in place of pass `i`. The passes after it stay if they fit what it
    /// leaves; otherwise the rules choose them anew.
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
        // The order across devices fixes the parts, whatever else changes.
        (!self.ordered).then(|| continued(changed, &self.operator, &self.geometry, self.profile))
    }

    fn parts(&self, pass: &Pass, count: u32) -> u32 {
        pass.chunk(self.geometry.length(count, pass.width)).1
    }

    /// A pass over `count` elements as the rules would write it: with the actual number of parts,
    /// no subgroup larger than the workgroup, and no more accesses at once than there are. `None`
    /// if the pass makes no sense.
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
        // One lane per line needs many lines, or the device waits for a few lanes.
        let busy = u64::from(self.geometry.results()) * u64::from(parts) * u64::from(lanes);
        if lanes == 1 && u64::from(count) > BUSY && busy < BUSY {
            return None;
        }
        Some(Pass { parts, join: pass.join && parts > 1, ..pass }.unrolled(length))
    }

    fn fitting(&self, own: &Recipe, all: Vec<Recipe>) -> Vec<Recipe> {
        others(Some(own), all).into_iter().filter(|recipe| fits(self.spec, recipe, self.profile)).collect()
    }
}

/// The fewest invocations that must have work where one lane goes over a line.
const BUSY: u64 = 512;

/// One lane per line, in a workgroup that has several lines.
fn one_lane(pass: Pass) -> Pass {
    Pass { lanes: 1, workgroup: pass.workgroup.clamp(64, 256), subgroup: 0, join: false, ..pass }
}

/// The passes one decision away, most promising first. Passes over partial results have little to
/// gain, so their list is short.
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
            // With the same number of accesses at once.
            Pass { accumulators: twice(accumulators), unroll: unroll / 2, ..*own },
            Pass { accumulators: accumulators / 2, unroll: twice(unroll), ..*own },
            Pass { workgroup: twice(workgroup), ..*own },
            Pass { workgroup: workgroup / 2, ..*own },
            // With the same number of values side by side, which keeps the order.
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
    // Only a whole workgroup per line can join.
    all.push(Pass { join: !own.join, lanes: if own.join { lanes } else { workgroup }, ..*own });
    all.push(Pass { subgroup: if own.subgroup > 0 { 0 } else { profile.subgroup_sizes[0] }, ..*own });
    if !partial {
        all.push(if lanes == 1 { Pass { lanes: workgroup, ..*own } } else { one_lane(*own) });
    }
    all
}
