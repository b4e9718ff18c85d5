//! Whether a recipe can do a reduction on a device, and if not, why.

use super::design::Order;
use super::emit::{has_access, needs_int64};
use super::geometry::Geometry;
use super::recipe::{MOST_STEPS_ON_CPU, Pass, Recipe};
use crate::gpu::DeviceProfile;
use crate::kernels::reduce::Stage;
use crate::kernels::reduce::operator::{Kind, Operator};

/// What a program computes.
pub(super) struct Work {
    /// The specification, printed.
    pub title: String,
    pub operator: Operator,
    /// The array; if partial results are read, the one that they are of.
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
        /// The first of them.
        first: u32,
        /// How many.
        count: u32,
        /// Accesses or rows of each, but for the last one, which has what is left.
        chunk: u32,
    },
    /// From the partial results of so many parts to the results.
    Join(u32),
}

/// A pass that fits, over its whole extent.
pub(super) struct Step {
    pub pass: Pass,
    pub stage: Stage,
    /// Elements, or partial results, that are reduced to one.
    pub count: u32,
    /// Accesses or rows of a part.
    pub chunk: u32,
    pub parts: u32,
}

/// What is found out about a recipe that fits, or why it does not.
type Fit<T> = Result<T, String>;

/// Accesses of an invocation under way at once, at most: each is written out in the text.
const MOST_AT_ONCE: u64 = 256;

pub(super) fn ensure(fine: bool, why: impl FnOnce() -> String) -> Fit<()> {
    if fine { Ok(()) } else { Err(why()) }
}

impl Work {
    /// Whether a recipe keeps the order that there is.
    pub fn order_fits(&self, recipe: &Recipe) -> Fit<()> {
        ensure(self.order.as_ref().is_none_or(|order| keeps(recipe, order, &self.operator)), || {
            "the order across devices is fixed: lanes times accumulators, width and parts of each pass are those of the rules' recipe"
                .to_owned()
        })
    }

    pub fn tree_fits(&self, workgroup: u32, profile: &DeviceProfile) -> Fit<()> {
        let most = profile.invocations.min(profile.workgroup_size[0]);
        ensure(workgroup.is_power_of_two() && (2..=most).contains(&workgroup), || {
            format!("the workgroup must be a power of two from 2 to {most}")
        })?;
        let results = self.geometry.results();
        ensure(results <= 1, || format!("the tree reduces a whole array to one value, not to {results}"))
    }

    /// The passes of a recipe, one after the other.
    pub fn steps(&self, passes: &[Pass], profile: &DeviceProfile) -> Fit<Vec<Step>> {
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
                lanes: pass.lanes,
                accumulators: pass.accumulators,
                join: if pass.join { pass.workgroup } else { 0 },
            };
            pass.fit(&stage, &self.geometry, self.geometry.contiguous_in(count, partial), profile)?;
            let length = self.geometry.length(count, pass.width);
            let (chunk, parts) = match self.portion {
                Portion::Parts { chunk, .. } => (chunk, length.div_ceil(chunk)),
                _ => pass.chunk(length),
            };
            let turns = pass.steps(chunk.min(length)).max(if pass.join { parts.div_ceil(pass.workgroup) } else { 0 });
            ensure(!profile.is_cpu() || turns <= MOST_STEPS_ON_CPU, || {
                format!(
                    "a loop would turn {turns} times, and on a processor {MOST_STEPS_ON_CPU} are the most: more parts, lanes or unrolling"
                )
            })?;
            ensure(last || !pass.join, || "only the last pass joins its parts".to_owned())?;
            ensure(!last || parts == 1 || pass.join || leaves_parts, || format!("the last pass leaves {parts} parts of a result"))?;
            ensure(last || parts > 1, || format!("pass {} leaves nothing to the next", i + 1))?;
            steps.push(Step { pass: *pass, stage, count, chunk, parts });
            count = parts;
        }
        Ok(steps)
    }
}

/// Whether a recipe combines in an order. If nothing depends on it, values side by side may be as
/// many as they like.
fn keeps(recipe: &Recipe, order: &Order, operator: &Operator) -> bool {
    let Recipe::Passes(passes) = recipe else { return false };
    let from = if operator.is_exact() { 1 } else { 0 };
    // Numbers by hand may have a product that no u32 holds.
    let own = |pass: &Pass| [pass.lanes.saturating_mul(pass.accumulators), pass.width, pass.parts];
    passes.len() == order.len() && passes.iter().zip(order).all(|(pass, order)| own(pass)[from..] == order[from..] && !pass.join)
}

impl Pass {
    /// Whether the pass can run by itself. `contiguous` elements are read in one piece.
    fn fit(&self, stage: &Stage, geometry: &Geometry, contiguous: u32, profile: &DeviceProfile) -> Fit<()> {
        let most = profile.invocations.min(profile.workgroup_size[0]);
        let Self { workgroup, lanes, width, accumulators, unroll, parts, subgroup, join } = *self;
        ensure(workgroup.is_power_of_two() && workgroup <= most, || format!("the workgroup must be a power of two of at most {most}"))?;
        ensure(lanes.is_power_of_two() && lanes <= workgroup, || {
            format!("lanes must be a power of two of at most {workgroup}, the workgroup")
        })?;
        ensure(width.is_power_of_two() && contiguous.is_multiple_of(width) && has_access(stage), || {
            format!("a width of {width} must divide the {contiguous} elements in one piece, and make accesses of 4, 8, 16 or 32 bytes")
        })?;
        ensure(profile.int64 || !needs_int64(stage), || format!("a width of {width} takes 64-bit integers, which the device has not"))?;
        let at_once = u64::from(accumulators) * u64::from(unroll);
        ensure(accumulators.is_power_of_two() && unroll > 0 && at_once <= MOST_AT_ONCE, || {
            format!("accumulators must be a power of two, unroll at least 1, and their product at most {MOST_AT_ONCE}")
        })?;
        ensure(parts > 0, || "there is at least one part".to_owned())?;
        let lines_of_words = geometry.lines && stage.operator.value() != Kind::F64;
        ensure(!join || lines_of_words && lanes == workgroup, || {
            "the last workgroup can join the parts of lines of 32-bit words, with the whole workgroup to a line".to_owned()
        })?;
        if subgroup > 0 {
            let least = if profile.subgroups { profile.subgroup_sizes[0] } else { 0 };
            ensure(subgroup.is_power_of_two() && subgroup <= least, || {
                format!("subgroups of {subgroup} are not what the device has for certain: {least}")
            })?;
            ensure(lines_of_words && workgroup >= subgroup, || {
                "subgroups exchange values of lines, of 32-bit words, in workgroups that hold one".to_owned()
            })?;
        }
        Ok(())
    }
}
