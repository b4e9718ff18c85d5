//! Checks whether a device can run a recipe for a reduction, and if not, says why.

use super::access::{has_access, loaded, needs_int64};
use super::geometry::Geometry;
use super::order::Order;
use super::recipe::{MAX_STEPS_ON_CPU, Pass, Recipe};
use crate::gpu::DeviceProfile;
use crate::kernels::reduce::Stage;
use crate::kernels::reduce::operator::Operator;
use crate::plan::{Fit, ensure};

/// What a program computes.
pub(super) struct Problem {
    /// The specification, printed.
    pub title: String,
    pub operator: Operator,
    /// The whole array, also if the program reads partial results of it.
    pub geometry: Geometry,
    /// The order that a recipe has to keep, if there is one.
    pub order: Option<Order>,
    pub portion: Portion,
}

/// How much of a reduction a program computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Portion {
    /// From the elements to the results.
    Whole,
    /// From the elements to partial results: some parts of the first pass over a larger array.
    Parts {
        /// The index of the first of these parts.
        first: u32,
        /// The number of parts.
        count: u32,
        /// Accesses or rows of each part. The last part has the rest.
        chunk: u32,
    },
    /// From the partial results of this many parts to the results.
    Join(u32),
}

/// A pass that fits, over its whole extent.
pub(super) struct FittedPass {
    pub pass: Pass,
    pub stage: Stage,
    /// The number of elements, or partial results, that are reduced to one.
    pub count: u32,
    /// Accesses or rows of a part.
    pub chunk: u32,
    pub parts: u32,
}

/// The most accesses of an invocation that are in flight at once. Each is written out in the WGSL.
const MAX_AT_ONCE: u64 = 256;

impl Problem {
    /// Checks that a recipe keeps the order, if one is required.
    pub fn order_fits(&self, recipe: &Recipe) -> Fit {
        ensure(self.order.as_ref().is_none_or(|order| keeps(recipe, order, &self.operator)), || {
            "the order across devices is fixed: each pass must have the width, the parts and the product of lanes and accumulators of the default recipe"
                .to_owned()
        })
    }

    pub fn tree_fits(&self, workgroup: u32, profile: &DeviceProfile) -> Fit {
        let most = profile.invocations_in_a_row();
        ensure(workgroup.is_power_of_two() && (2..=most).contains(&workgroup), || {
            format!("the workgroup must be a power of two from 2 to {most}")
        })?;
        ensure(self.geometry.layout.is_none(), || "the tree reduces dense arrays".to_owned())?;
        let results = self.geometry.results();
        ensure(results <= 1, || format!("the tree reduces a whole array to one value, but {results} are required"))
    }

    /// Checks the passes of a recipe, one after the other, and returns what each goes over.
    pub fn steps(&self, passes: &[Pass], profile: &DeviceProfile) -> Fit<Vec<FittedPass>> {
        let joins = matches!(self.portion, Portion::Join(_));
        let leaves_parts = matches!(self.portion, Portion::Parts { .. });
        let mut count = if let Portion::Join(parts) = self.portion { parts } else { self.geometry.count() };
        let mut steps = Vec::new();
        for (i, pass) in passes.iter().enumerate() {
            let (partial, last) = (i > 0 || joins, i + 1 == passes.len());
            let stage = Stage {
                operator: self.operator.clone(),
                partial,
                last: last && !leaves_parts,
                width: pass.width,
                gathered: self.geometry.is_gathered(pass.width, partial),
                lanes: pass.lanes,
                accumulators: pass.accumulators,
                join: if pass.join { pass.workgroup } else { 0 },
            };
            // Only lines of a layout are gathered several elements at a time.
            let several = stage.gathered && self.geometry.lines && self.geometry.layout.is_some();
            let contiguous = if several { count } else { self.geometry.contiguous_in(count, partial) };
            pass.fit(&stage, &self.geometry, contiguous, profile)?;
            let length = self.geometry.length(count, pass.width);
            let (chunk, parts) = match self.portion {
                Portion::Parts { chunk, .. } => (chunk, length.div_ceil(chunk)),
                _ => pass.chunk(length),
            };
            let turns = pass.steps(chunk.min(length)).max(if pass.join { parts.div_ceil(pass.workgroup) } else { 0 });
            ensure(!profile.is_cpu() || turns <= MAX_STEPS_ON_CPU, || {
                format!(
                    "a loop would run {turns} times, but at most {MAX_STEPS_ON_CPU} are allowed on a processor: use more parts, lanes or unrolling"
                )
            })?;
            ensure(last || !pass.join, || "only the last pass may join its parts".to_owned())?;
            ensure(!last || parts == 1 || pass.join || leaves_parts, || {
                format!("the last pass leaves {parts} partial results for each result")
            })?;
            ensure(last || parts > 1, || format!("pass {} leaves nothing for the next pass to do", i + 1))?;
            steps.push(FittedPass { pass: *pass, stage, count, chunk, parts });
            count = parts;
        }
        Ok(steps)
    }
}

/// Whether a recipe combines values in this order. The results of exact operators do not depend on
/// the number of values side by side, so any number is accepted.
fn keeps(recipe: &Recipe, order: &Order, operator: &Operator) -> bool {
    let Recipe::Passes(passes) = recipe else { return false };
    let from = if operator.is_exact() { 1 } else { 0 };
    // In a recipe written by hand, the product may exceed a u32.
    let own = |pass: &Pass| [pass.lanes.saturating_mul(pass.accumulators), pass.width, pass.parts];
    passes.len() == order.len() && passes.iter().zip(order).all(|(pass, order)| own(pass)[from..] == order[from..] && !pass.join)
}

impl Pass {
    /// Checks that the pass can run by itself. `contiguous` elements follow one another.
    fn fit(&self, stage: &Stage, geometry: &Geometry, contiguous: u32, profile: &DeviceProfile) -> Fit {
        let most = profile.invocations_in_a_row();
        let Self { workgroup, lanes, width, accumulators, unroll, parts, subgroup, join } = *self;
        ensure(workgroup.is_power_of_two() && workgroup <= most, || format!("the workgroup must be a power of two of at most {most}"))?;
        ensure(lanes.is_power_of_two() && lanes <= workgroup, || {
            format!("lanes must be a power of two of at most {workgroup}, the workgroup")
        })?;
        ensure(loaded(stage).is_some() || width == 1, || {
            format!("elements of a type that only the fragment on the input reads are loaded one by one: the width must be 1, not {width}")
        })?;
        let together = Stage { gathered: false, ..stage.clone() };
        ensure(width.is_power_of_two() && contiguous.is_multiple_of(width) && has_access(&together), || {
            format!("a width of {width} must divide the {contiguous} contiguous elements and make accesses of 4, 8, 16 or 32 bytes")
        })?;
        ensure(profile.int64 || !needs_int64(stage), || {
            format!("a width of {width} needs 64-bit integers, which the device does not support")
        })?;
        let at_once = u64::from(accumulators) * u64::from(unroll);
        ensure(accumulators.is_power_of_two() && unroll > 0 && at_once <= MAX_AT_ONCE, || {
            format!("accumulators must be a power of two, unroll at least 1, and their product at most {MAX_AT_ONCE}")
        })?;
        ensure(parts > 0, || "there must be at least one part".to_owned())?;
        let lines_of_words = geometry.lines && stage.operator.has_words();
        ensure(!join || lines_of_words && lanes == workgroup, || {
            "`join` needs contiguous elements of 32-bit words, with the whole workgroup on one line".to_owned()
        })?;
        if subgroup > 0 {
            let least = if profile.subgroups { profile.subgroup_sizes[0] } else { 0 };
            ensure(subgroup.is_power_of_two() && subgroup <= least, || {
                format!("the device guarantees subgroups of {least}, not of {subgroup}")
            })?;
            ensure(lines_of_words && workgroup >= subgroup, || {
                "subgroups can only exchange values of contiguous elements of 32-bit words, in workgroups at least as large as the subgroup"
                    .to_owned()
            })?;
        }
        Ok(())
    }
}
