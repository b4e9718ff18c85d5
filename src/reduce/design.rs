//! The rules that choose a recipe, with the measurements behind each number.

use super::access::widest;
use super::core::Core;
use super::geometry::Geometry;
use super::order::{cut, fixed_order, in_order, most_invocations, subgroup_for, up_to};
use super::recipe::{MAX_STEPS_ON_CPU, Pass, Recipe, chunk};
use crate::error::Result;
use crate::gpu::DeviceProfile;
use crate::kernels::reduce::operator::{Fold, Operator};

/// The recipe that the rules choose.
pub(super) fn design(spec: &Core, profile: &DeviceProfile) -> Result<Recipe> {
    let geometry = spec.geometry()?;
    let operator = spec.operator(&geometry, profile)?;
    Ok(rules(spec.is_ordered(&operator), &operator, &geometry, profile))
}

/// The recipe that the rules choose: in the order fixed across devices, or in the fastest order.
pub(super) fn rules(ordered: bool, operator: &Operator, geometry: &Geometry, profile: &DeviceProfile) -> Recipe {
    if ordered {
        return Recipe::Passes(in_order(&fixed_order(operator, geometry), operator, geometry, profile));
    }
    continued(Vec::new(), operator, geometry, profile)
}

/// Accesses of a line for which [`PassInput::in_guarded_steps`] was measured, and the fewest of one
/// that is searched for a position.
const LINES_WITH_A_REST: std::ops::Range<u32> = 8..16_384;
const SEARCHED_LINES_WITH_A_REST: u32 = 31;

/// The fewest parts of a line or plane, so that each fits half a binding; 1 if the array fits one.
fn least_parts_for(geometry: &Geometry, operator: &Operator, profile: &DeviceProfile) -> u32 {
    let bytes = geometry.span() as u64 * u64::from(operator.element_bytes());
    if bytes <= profile.binding_bytes { 1 } else { cut(geometry.reach(), geometry, operator, profile.binding_bytes / 2) }
}

/// The most passes of a recipe.
const MAX_PASSES: usize = 4;

/// The most values that an invocation adds to one accumulator on a processor: if there is only one
/// pass, and in one of several passes. Together with what the lanes and accumulators add, a sum is
/// then at most 256 additions deep.
///
/// Each addition of a small value to a large sum has a rounding error in proportion to the sum. The
/// mean of 2,073,600 rows of 4 around 1000.2 came out as 1000.043 when an invocation added up
/// 32,400 rows.
const MAX_ROWS_ON_CPU: [u32; 2] = [240, 80];

/// The most accumulators of an invocation that are used to keep a sum shallow. If they do not
/// suffice, more parts do the rest.
const MAX_ACCUMULATORS_ON_CPU: u32 = 4;

/// The input of one pass on a device.
struct PassInput<'a> {
    operator: &'a Operator,
    geometry: &'a Geometry,
    profile: &'a DeviceProfile,
    /// Whether the pass reads partial results.
    partial: bool,
    /// The number of elements, or partial results, that are reduced to one.
    count: u32,
    width: u32,
    /// Maximum number of invocations of a workgroup.
    most: u32,
}

/// The given passes, followed by the passes that the rules choose to finish the reduction.
pub(super) fn continued(mut passes: Vec<Pass>, operator: &Operator, geometry: &Geometry, profile: &DeviceProfile) -> Recipe {
    let parts_of = |pass: &Pass, count: u32| pass.chunk(geometry.length(count, pass.width)).1;
    let mut count = passes.iter().fold(geometry.count(), |count, pass| parts_of(pass, count));
    while passes.last().is_none_or(|last| count > 1 && !last.join) && passes.len() < MAX_PASSES {
        let pass = next(!passes.is_empty(), count, operator, geometry, profile);
        count = parts_of(&pass, count);
        passes.push(pass);
    }
    Recipe::Passes(passes)
}

/// The rules' pass over `count` elements or partial results.
fn next(partial: bool, count: u32, operator: &Operator, geometry: &Geometry, profile: &DeviceProfile) -> Pass {
    let contiguous = geometry.contiguous_in(count, partial);
    let width = widest(operator, partial, contiguous, if profile.is_cpu() && profile.int64 { 32 } else { 16 });
    let most = most_invocations(operator, if geometry.lines { 1 } else { width }, profile);
    let task = PassInput { operator, geometry, profile, partial, count, width, most };
    let pass = match (geometry.lines, profile.is_cpu()) {
        (true, false) => task.lines_on_gpu(),
        (false, false) => task.columns_on_gpu(),
        (true, true) => task.lines_on_cpu(),
        (false, true) => task.columns_on_cpu(),
    };
    let pass = if operator.fold == Fold::Moments { task.brief(pass) } else { pass };
    let pass = if profile.is_cpu() && !operator.is_exact() { task.shallow(pass) } else { pass };
    let mut least = if partial { 1 } else { least_parts_for(geometry, operator, profile) };
    if least > 1 && !profile.is_cpu() {
        // Each dispatch has some of the parts. If they are few, the GPU idles at the end of each
        // dispatch: H200, sum of 2²⁹ f32: 498 µs in 1024 parts, 474 in 8192.
        least = least.max(8192u32.div_ceil(geometry.results()));
    }
    if profile.is_cpu() {
        least = least.max(task.length().div_ceil(pass.lanes * pass.accumulators * pass.unroll * MAX_STEPS_ON_CPU));
    }
    let pass = Pass { parts: pass.parts.max(least), join: pass.join && least == 1, ..pass };
    let (_, parts) = pass.chunk(task.length());
    let pass = Pass { parts, subgroup: pass.subgroup.min(pass.workgroup), join: pass.join && parts > 1, ..pass };
    pass.unrolled(task.length())
}

/// The most values of variances that an invocation combines in one step: on a GPU, and on a
/// processor, whose compilers take long for long texts.
const MAX_MOMENTS: [u32; 2] = [16, 8];

impl PassInput<'_> {
    /// The same pass with fewer values in one step, for an operator that is long when written out.
    fn brief(&self, pass: Pass) -> Pass {
        let most = (MAX_MOMENTS[usize::from(self.profile.is_cpu())] / pass.width).max(1);
        let accumulators = pass.accumulators.min(most);
        Pass { accumulators, unroll: pass.unroll.min(most / accumulators), ..pass }
    }

    /// The same pass with more accumulators, and then more parts, until no invocation adds up more
    /// values than [`MAX_ROWS_ON_CPU`].
    fn shallow(&self, pass: Pass) -> Pass {
        let length = self.length();
        let rows = |pass: &Pass| {
            let (chunk, parts) = pass.chunk(length);
            (chunk.min(length).div_ceil(pass.lanes * pass.accumulators), parts)
        };
        let [alone, among_others] = MAX_ROWS_ON_CPU;
        let most = |parts: u32| if parts == 1 && !self.partial { alone } else { among_others };
        let mut pass = pass;
        loop {
            let (own, parts) = rows(&pass);
            if own <= most(parts) {
                return pass;
            }
            if pass.accumulators >= MAX_ACCUMULATORS_ON_CPU {
                let parts = length.div_ceil(pass.lanes * pass.accumulators * among_others);
                return Pass { parts: parts.max(pass.parts), ..pass };
            }
            pass = Pass { accumulators: 2 * pass.accumulators, unroll: (pass.unroll / 2).max(1), ..pass };
        }
    }

    /// The number of accesses of a line, or of rows.
    fn length(&self) -> u32 {
        self.geometry.length(self.count, self.width)
    }

    /// The number of invocations that keep a GPU busy and share the work evenly: two workgroups of
    /// 512 for each of the 132 multiprocessors of an H200, and twice as many from 2²⁷ elements on.
    /// A better number for other GPUs has to be measured on them.
    fn busy(&self) -> u32 {
        if self.geometry.len() >= 1 << 27 { 270_336 } else { 135_168 }
    }

    /// Sums of f32 on an H200, in µs. Whole arrays of 2¹⁶ elements: 4.9 in one workgroup of 1024,
    /// 4.0 in 16 parts that the last workgroup joins, 6.5 in two dispatches. 2²⁰ elements: 5.3 in
    /// 256 parts, 6.1 in two dispatches, CUB 3.8. 2²⁴ elements with 512 lanes: 19.3, 19.4, 19.7 in
    /// 256, 512, 1024 parts, 20.2 in two dispatches, CUB 17.7. 2²⁸ elements: 234.8 in 525 parts,
    /// 239.5 in two dispatches, CUB 238.1. Workgroups of 256 and 1024 are within 2%, 4 and 8
    /// accesses at once within 1%; without subgroups it is 1% slower.
    ///
    /// 65536 rows of 1024: 61.2, 61.3, 61.7 with 128, 64, 32 lanes. 1048576 rows of 64: 66.7, 66.3,
    /// 79.7 with 4, 8, 16 lanes. 16777216 rows of 4: 87.3 with one lane.
    fn lines_on_gpu(&self) -> Pass {
        let length = self.length();
        let results = self.geometry.results();
        let lanes = up_to(length / 4, self.most.min(512));
        let workgroup = up_to(256, self.most).max(lanes);
        let groups = results.div_ceil(workgroup / lanes);
        let most_parts = (self.busy() / workgroup).div_ceil(groups);
        let parts = if self.partial || length <= lanes * 16 { 1 } else { length.div_ceil(lanes * 4).min(most_parts) };
        let join = lanes == workgroup && self.operator.has_words();
        let unroll = 8;
        // Parts of whole steps, unless they would be far fewer, or have many steps anyway: what is
        // left of a step is loaded one by one. 2²⁴ + 1 elements in 263 parts 31.6, in 257 parts
        // 28.5, and 2²⁴ elements take 28.0. But 2²⁸ + 1 elements in 528 parts 258, in 525 parts
        // 266.
        let (own, of_steps) = chunk(length, lanes * unroll, parts);
        let parts = if 10 * of_steps >= 9 * parts && own <= 64 * lanes * unroll { of_steps } else { parts };
        let pass = Pass { workgroup, lanes, width: self.width, accumulators: 1, unroll, parts, subgroup: self.subgroup(), join };
        if parts == 1 && !self.partial && self.leaves_a_rest(&pass) { self.in_guarded_steps(pass) } else { pass }
    }

    /// Whether the accesses of a short line are not a whole number of steps. Of variances the
    /// arithmetic counts: those of rows of 4095 are 2% slower in guarded steps.
    fn leaves_a_rest(&self, pass: &Pass) -> bool {
        let length = self.length();
        let step = pass.lanes * pass.unrolled(length).unroll;
        let is_measured = match self.operator.is_arg() {
            true => length >= SEARCHED_LINES_WITH_A_REST,
            false => self.operator.fold != Fold::Moments,
        };
        LINES_WITH_A_REST.contains(&length) && !length.is_multiple_of(step) && is_measured
    }

    /// The same pass with accumulators in place of several accesses for one. What is left of a line
    /// after the last whole step is loaded access by access for one accumulator, but at once for
    /// several. Sums of 2²⁴ f32 on an H200, in µs, with and without:
    ///
    /// | rows of | accesses of 1: 8 accumulators | rows of | accesses of 2 or 4: 4 accumulators |
    /// |---|---|---|---|
    /// | 63 | 30.4 and 37.0 | 130 | 27.2 and 29.5 |
    /// | 127 | 27.4 and 39.7 | 1000 | 25.9 and 27.2 |
    /// | 255 | 27.1 and 42.1 | 1022 | 26.6 and 31.2 |
    /// | 511 | 27.1 and 42.1 | 1920 | 25.4 and 26.5 |
    /// | 1023 | 27.2 and 41.7 | | |
    /// | 2047 | 27.1 and 44.5 | | |
    /// | 4095 | 27.1 and 38.1; f16 21.3 and 32.3 | | |
    /// | 8191 | 27.2 and 35.3 | | |
    ///
    /// Short rows take 4 accumulators: rows of 31 with 4 lanes 27.5 and 31.3, rows of 15 with 2
    /// lanes 25.8 and 29.5. So does argmax, for whose arithmetic other lanes are best:
    ///
    /// | rows of | lanes | with and without |
    /// |---|---|---|
    /// | 31 | 4 | 31.7 and 37.1 |
    /// | 63 | 4 | 32.1 and 41.0 |
    /// | 127 | 8 | 30.6 and 43.3 |
    /// | 255 | 16 | 29.4 and 46.8 |
    /// | 511 | 32 | 28.9 and 47.0 |
    /// | 1023 | 32 | 28.4 and 46.6 |
    /// | 2047 | 32 | 28.5 and 50.8; 64 lanes with 2 accesses each 28.4 |
    /// | 4095 | 128 | 28.7 and 41.3 |
    /// | 8191 | 128 | 28.9 and 38.0 |
    /// | 1922, accesses of 2 | 32 | 28.0 and 33.5 |
    fn in_guarded_steps(&self, pass: Pass) -> Pass {
        let length = self.length();
        let is_short = length < 32;
        let accumulators = if self.width == 1 && !is_short && !self.operator.is_arg() { 8 } else { 4 };
        let lanes = if self.operator.is_arg() {
            up_to(length / 16, 32).max(up_to(length / 32, 128)).max(4).min(self.most)
        } else if is_short {
            up_to(length.div_ceil(8), self.most)
        } else {
            up_to(length / (2 * accumulators), self.most.min(256))
        };
        Pass { workgroup: up_to(128, self.most).max(lanes), lanes, accumulators, unroll: 1, ..pass }
    }

    /// Sums of f32 on an H200, in µs. 1024 rows of 65536, in workgroups of 32 accesses by 4, 8, 16
    /// lanes: 63.4, 62.3, 63.2. 64 planes of 1024 rows of 1024, the same way: 61.5. 1048576 rows of
    /// 64: 65.1 with 16 accesses by 32 lanes in 256 parts, 72.6 with 16 lanes in 1056.
    fn columns_on_gpu(&self) -> Pass {
        let columns = self.geometry.columns() / self.width;
        let across = up_to(columns, self.most.min(32));
        let blocks = columns.div_ceil(across) * (self.geometry.results() / self.geometry.columns());
        let few = blocks < 256;
        let lanes = up_to(self.count / 4, (if few { 512 } else { 256 } / across).min(self.most / across));
        let parts = if few && !self.partial { self.count.div_ceil(lanes * 4).min(256u32.div_ceil(blocks)) } else { 1 };
        Pass { workgroup: across * lanes, lanes, width: self.width, accumulators: 1, unroll: 8, parts, subgroup: 0, join: false }
    }

    /// One lane per line if there are many lines, else one subgroup per part. Sums of f32 in ms,
    /// interleaved with others:
    ///
    /// | | lavapipe, Mesa 22.3.6, 32 bytes | SwiftShader, 16 bytes |
    /// |---|---|---|
    /// | 2²², a subgroup with 8 accumulators in 128 parts | 1.59 | |
    /// | the same, 8 accesses at once for one | 1.70 | 3.7; 8 lanes without subgroups and 8 accumulators 6.3 |
    /// | 4096 rows of 1024, one lane each, 64 together | 1.22; a subgroup each 2.17 | 4.0; 8 lanes 14 |
    /// | 65536 rows of 64, the same | 1.92; 15.7 | 7.1; 183 |
    /// | 1048576 rows of 4, the same | 9.2; 203 | |
    fn lines_on_cpu(&self) -> Pass {
        let results = self.geometry.results();
        let one = Pass {
            workgroup: up_to(64, self.most),
            lanes: 1,
            width: self.width,
            accumulators: 1,
            unroll: 4,
            parts: 1,
            subgroup: 0,
            join: false,
        };
        if results >= 512 {
            return one;
        }
        let lanes = up_to(if self.subgroup() > 0 { self.subgroup().min(8) } else { 4 }, self.most);
        let (accumulators, unroll) = if lanes == 8 { (8, 1) } else { (1, 8) };
        let parts = if self.length() <= 4096 { 1 } else { 128u32.div_ceil(results) };
        Pass { workgroup: lanes, lanes, accumulators, unroll, parts, subgroup: self.subgroup(), ..one }
    }

    /// Sums of f32 in ms. The second number is the earlier choice: 8 neighbours in one part.
    ///
    /// | | lavapipe, Mesa 22.3.6, 32 bytes | SwiftShader, 16 bytes |
    /// |---|---|---|
    /// | 4096 rows of 1024, 32 neighbours, 64 parts (SwiftShader 8) | 1.66; 5.93 | 4.45; 6.21 |
    /// | 65536 rows of 64, 8 neighbours, 64 parts | 1.26; 2.69 | 3.9; 4.7 |
    /// | 16 planes of 256 rows of 256, 32 neighbours | 0.43; 0.46 | |
    ///
    /// Where a row has fewer accesses than a processor's vectors have lanes, several invocations
    /// share its columns. Means of f32 over 2,073,600 rows in ms, medians of 11 interleaved rounds
    /// while others used the machine. The first number is for 64 parts with one invocation per
    /// column, the second for 512 parts with 8 invocations and 4 accumulators:
    ///
    /// | | lavapipe | SwiftShader |
    /// |---|---|---|
    /// | 2 columns, one access | 18.2; 3.59 | 45.2; 15.9 |
    /// | 4 columns, one access | 31.1; 11.0; 16 lanes 12.6; 64 lanes 16.1 | 108; 39.0; 41.8; 64.0 |
    fn columns_on_cpu(&self) -> Pass {
        let columns = self.geometry.columns() / self.width;
        let across = up_to(columns, self.most.min(32));
        let lanes = up_to((8 / across).min(self.count / 4), self.most / across);
        let blocks = columns.div_ceil(across) * (self.geometry.results() / self.geometry.columns());
        let parts = if self.partial || blocks >= 32 { 1 } else { (self.count / 64).clamp(1, 64u32.div_ceil(blocks)) };
        Pass { workgroup: across * lanes, lanes, width: self.width, accumulators: 1, unroll: 8, parts, subgroup: 0, join: false }
    }

    fn subgroup(&self) -> u32 {
        subgroup_for(self.operator, self.geometry, self.profile)
    }
}
