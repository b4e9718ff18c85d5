//! The order across devices: in which order elements are combined, whatever the recipe.

use super::access::widest;
use super::geometry::Geometry;
use super::recipe::{MAX_STEPS_ON_CPU, Pass};
use crate::gpu::DeviceProfile;
use crate::kernels::reduce::operator::{Fold, Operator};

/// `wanted`, rounded up to a power of two, or the largest power of two up to `most` if that is
/// less.
pub(super) fn up_to(wanted: u32, most: u32) -> u32 {
    wanted.max(1).next_power_of_two().min(1 << most.max(1).ilog2())
}

/// Maximum number of invocations of a workgroup: as many as the device allows and as have their
/// values in workgroup memory.
pub(super) fn most_invocations(operator: &Operator, width: u32, profile: &DeviceProfile) -> u32 {
    let value_bytes = operator.value().bytes() * width;
    let most = profile.invocations_in_a_row().min(profile.workgroup_bytes / value_bytes);
    1 << most.max(1).ilog2()
}

/// How many values the order across devices combines side by side: in a line, and in a column.
const FIXED_LINE: u32 = 256;
const FIXED_COLUMN: u32 = 8;
/// The same for variances, whose accesses have a width of 1. Their operator is long, and it is
/// written out for all values side by side in an invocation, of which processors have many.
const FIXED_LINE_OF_MOMENTS: u32 = 64;
/// The order across devices aims for at least this many parts, as long as each part has 8 rows of
/// values. The second number is the most rows of a part.
const FIXED_PARTS: u32 = 1024;
const FIXED_ROWS: u32 = 64;
/// The most bytes of a part. Arrays larger than a binding can then be cut between parts: bindings
/// have 128 MiB or more.
const FIXED_BYTES: u64 = 64 << 20;

/// An order of combination. For each pass: values side by side, width of an access, number of
/// parts.
pub(super) type Order = Vec<[u32; 3]>;

/// The widest access of a pass whose order is fixed.
pub(super) fn fixed_width(operator: &Operator, partial: bool, contiguous: u32) -> u32 {
    if operator.fold == Fold::Moments { 1 } else { widest(operator, partial, contiguous, 16) }
}

/// The order across devices. It depends on the shape alone.
pub(super) fn fixed_order(operator: &Operator, geometry: &Geometry) -> Order {
    let fixed_line = if operator.fold == Fold::Moments { FIXED_LINE_OF_MOMENTS } else { FIXED_LINE };
    let mut passes = Vec::new();
    let mut count = geometry.count();
    loop {
        let partial = !passes.is_empty();
        let contiguous = if geometry.lines && partial { count } else { geometry.dense_row };
        let width = fixed_width(operator, partial, contiguous);
        let length = geometry.length(count, width);
        let groups = if geometry.lines { geometry.results() } else { (geometry.results() / width).div_ceil(32) };
        let side_by_side = if geometry.lines {
            (length / 8).max(1).next_power_of_two().min(fixed_line)
        } else {
            // Narrow rows: more of them are combined side by side.
            length.next_power_of_two().min(fixed_line / up_to(geometry.dense_row / width, fixed_line / FIXED_COLUMN))
        };
        let wanted = FIXED_PARTS.div_ceil(groups);
        let rows = length.div_ceil(side_by_side * wanted).clamp(8, FIXED_ROWS);
        let parts = if groups >= FIXED_PARTS { 1 } else { length.div_ceil(rows * side_by_side) };
        let parts =
            if partial { parts } else { parts.max(least_parts(geometry, operator, FIXED_BYTES)).min(length.div_ceil(side_by_side)) };
        passes.push([side_by_side, width, parts]);
        if parts == 1 {
            return own_widths(&passes, operator, geometry);
        }
        count = parts;
    }
}

/// The same order with widths that the array allows, which may be a piece of another, or lie
/// elsewhere. Columns are combined one by one, so the width of accesses is not part of their order.
/// Along a line it is, whether an access finds its elements together or not.
pub(super) fn own_widths(order: &Order, operator: &Operator, geometry: &Geometry) -> Order {
    let own_width = |(pass, &[side_by_side, width, parts]): (usize, &[u32; 3])| {
        let (partial, count) = (pass > 0, geometry.count());
        let width = if geometry.lines { width } else { fixed_width(operator, partial, geometry.contiguous_in(count, partial)) };
        [side_by_side, width, parts]
    };
    order.iter().enumerate().map(own_width).collect()
}

/// The passes that realise an order on a device. The order may belong to a larger array of which
/// `geometry` is a piece.
pub(super) fn in_order(order: &Order, operator: &Operator, geometry: &Geometry, profile: &DeviceProfile) -> Vec<Pass> {
    let subgroup = subgroup_for(operator, geometry, profile);
    let mut count = geometry.count();
    let mut passes = Vec::new();
    for &[side_by_side, width, parts] in order {
        let most = most_invocations(operator, if geometry.lines { 1 } else { width }, profile);
        // On a processor: one subgroup per line, and few lanes per column.
        let (invocations, lanes) = match (profile.is_cpu(), geometry.lines) {
            (false, _) => (256, side_by_side),
            (true, true) => (8, side_by_side),
            (true, false) => (64, side_by_side / 8),
        };
        let workgroup = up_to(invocations, most);
        let lanes = lanes.clamp(1, workgroup);
        // Exact operators have no order to keep, and must not pay for one: SwiftShader took minutes
        // and gigabytes to compile 32 values side by side for each of 8 neighbours that are ranked.
        let accumulators = if operator.is_exact() { 1 } else { side_by_side / lanes };
        let unroll = (8 / accumulators).max(1);
        let pass = Pass { workgroup, lanes, width, accumulators, unroll, parts, subgroup: subgroup.min(workgroup), join: false };
        let length = geometry.length(count, width);
        let steps = pass.steps(pass.chunk(length).0.min(length));
        let pass = if operator.is_exact() && steps > MAX_STEPS_ON_CPU { Pass { unroll: 4 * unroll, ..pass } } else { pass };
        passes.push(pass.unrolled(length));
        count = parts;
    }
    passes
}

/// The size of the subgroups that exchange values; 0 for none.
pub(super) fn subgroup_for(operator: &Operator, geometry: &Geometry, profile: &DeviceProfile) -> u32 {
    let usable = profile.subgroups && geometry.lines && operator.has_words();
    if usable && profile.subgroup_sizes[0].is_power_of_two() { profile.subgroup_sizes[0] } else { 0 }
}

/// The least number of parts of a line or plane such that no part has more than `most_bytes`.
fn least_parts(geometry: &Geometry, operator: &Operator, most_bytes: u64) -> u32 {
    let columns = if geometry.lines { 1 } else { geometry.dense_row };
    cut(u64::from(geometry.count()) * u64::from(columns), geometry, operator, most_bytes)
}

/// The number of parts of `elements` such that no part has more than `most_bytes`.
pub(super) fn cut(elements: u64, geometry: &Geometry, operator: &Operator, most_bytes: u64) -> u32 {
    let bytes = elements * u64::from(operator.element_bytes());
    bytes.div_ceil(most_bytes.max(1)).min(geometry.count().into()) as u32
}
