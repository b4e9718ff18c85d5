//! How the arrays of a pass are bound: as a whole, in parts one after the other, or in several
//! bindings at once. Also the proof that no index leaves them.

use super::pass::{Pass, Side, Twos};
use super::place::Storage;
use super::steps::{Fuse, Fused};
use crate::error::{Result, within};
use crate::gpu::DeviceProfile;
use crate::kernels::Slot;
use crate::kernels::fft::pass::{Bound, INPUTS};

/// A range of the lines of a pass, and the parts of the arrays that are bound for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct DispatchRange {
    pub lines: u32,
    pub input: Bound,
    pub output: Bound,
    pub roots: Bound,
}

/// An array and its size.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundArray {
    pub slot: Slot,
    pub bytes: u64,
}

/// The parts in which a pass over `lines` lines runs.
///
/// Arrays that fit one binding are bound as a whole. If larger arrays can be divided along the
/// slowest index of the lines so that each part fits one binding, several dispatches share the
/// lines. Otherwise the arrays are bound in segments, all of them at once.
///
/// Constants are bound as a whole, or in segments too.
pub(super) fn parts(
    label: &str,
    pass: &Pass,
    lines: u32,
    [input, output, roots]: [BoundArray; 3],
    profile: &DeviceProfile,
) -> Result<Vec<DispatchRange>> {
    let limit = profile.binding_bytes;
    let sides = [(&pass.load, input), (&pass.store, output)];
    for (side, array) in sides {
        let reach = reach(pass, side, &pass.lines_of(lines)) * pass.element_bytes(side);
        // The rules choose no such recipe. One written by hand may do so, with blocks of an array
        // of which less is stored than computed.
        let what = || format!("`{label}`, whose recipe may reach past {} (bytes)", array.slot);
        within(what, "size of the array", reach, array.bytes)?;
    }
    // Segments begin where every device allows a binding to begin, and hold whole complex numbers.
    let segment = limit / 256 * 256;
    let bound = |array: BoundArray| Bound {
        slot: array.slot,
        first: 0,
        bytes: array.bytes,
        segment: if array.bytes <= limit { array.bytes } else { segment },
    };
    // The limit is one of buffers.
    let [input_bound, output_bound] = sides.map(|(side, array)| match side.storage.texels() {
        Some(_) => Bound::whole(array.slot, array.bytes),
        None => bound(array),
    });
    within(|| format!("`{label}` (bytes of a binding)"), "max_storage_buffer_binding_size", 256, limit)?;
    let roots = bound(roots);
    let part = DispatchRange { lines, input: input_bound, output: output_bound, roots };
    let large = part.input.segments() > 1 || part.output.segments() > 1;
    let has_texture = sides.iter().any(|(side, _)| side.storage.texels().is_some());
    if large
        && !has_texture
        && roots.segments() == 1
        && let Some(parts) = cut(pass, lines, sides, roots, profile)
    {
        return Ok(parts);
    }
    let arrays: &[Bound] = if input.slot == output.slot { &[part.output, roots] } else { &[part.input, part.output, roots] };
    let limit = |limit, required: u64, available| {
        let what = || format!("`{label}`, of arrays of {} and {} bytes in bindings of {segment},", input.bytes, output.bytes);
        within(what, limit, required, available)
    };
    let segments = |bound: &Bound| bound.segments() as u64;
    for (side, bound) in [(&pass.load, &part.input), (&pass.store, &part.output)] {
        if matches!(side.storage, Storage::Other(_)) && pass.twos.is_none() {
            limit("bindings of an array that a fragment reads or writes", segments(bound), 1)?;
        }
    }
    limit("max_storage_buffers_per_shader_stage", arrays.iter().map(segments).sum(), profile.storage_buffers.into())?;
    limit("bindings of one array", arrays.iter().map(segments).max().unwrap_or(0), INPUTS.len() as u64)?;
    Ok(vec![part])
}

/// Parts along the slowest index of the lines, each of which fits one binding.
fn cut(pass: &Pass, lines: u32, sides: [(&Side, BoundArray); 2], roots: Bound, profile: &DeviceProfile) -> Option<Vec<DispatchRange>> {
    let slowest = pass.lines.len() - 1;
    let per_index: u32 = pass.lines[..slowest].iter().product();
    let extent = lines / per_index;
    // The index starts at 0 in each part, so only the place may depend on it.
    let counts = |weights: &[u32]| weights.get(slowest).is_some_and(|weight| *weight > 0);
    let counted_by = |fused: &Fused| fused.step().counts(slowest);
    let between = pass.maps().any(|map| map.counts(slowest));
    let counted = between || sides.iter().any(|(side, _)| counts(&side.weights) || side.fused.iter().any(counted_by));
    if counted || sides.iter().any(|(side, _)| !side.lines[slowest].low.is_empty()) {
        return None;
    }
    let complex_bytes = pass.number.complex_bytes();
    let alignment = u64::from(profile.storage_alignment).max(complex_bytes);
    let step_bytes = |side: &Side| u64::from(side.lines[slowest].stride) * elements_at(side) * pass.element_bytes(side);
    let bytes = |side: &Side, count: u32| {
        let mut extents = pass.lines.clone();
        extents[slowest] = count;
        (reach(pass, side, &extents) * pass.element_bytes(side)).next_multiple_of(complex_bytes)
    };
    let in_place = sides[0].1.slot == sides[1].1.slot;
    if in_place && step_bytes(sides[0].0) != step_bytes(sides[1].0) {
        return None;
    }
    let fits = |count: u32| sides.iter().all(|(side, _)| bytes(side, count) <= profile.binding_bytes);
    // Parts begin at multiples of the alignment on both sides.
    let multiple = (0..=10)
        .map(|log2| 1u32 << log2)
        .find(|&count| sides.iter().all(|(side, _)| (u64::from(count) * step_bytes(side)).is_multiple_of(alignment)))?;
    let mut count = (1..=extent / multiple).rev().map(|times| times * multiple).find(|&count| fits(count))?;
    count = count.min(extent);
    let mut parts = Vec::new();
    for first in (0..extent).step_by(count as usize) {
        let own = count.min(extent - first);
        let [input, output] = sides.map(|(side, array)| {
            let begin = u64::from(first) * step_bytes(side);
            let bytes = bytes(side, own).min(array.bytes - begin);
            Bound { slot: array.slot, first: begin, bytes, segment: bytes }
        });
        let (mut input, mut output) = (input, output);
        if in_place {
            let bytes = input.bytes.max(output.bytes);
            (input.bytes, input.segment, output.bytes, output.segment) = (bytes, bytes, bytes, bytes);
        }
        parts.push(DispatchRange { lines: own * per_index, input, output, roots });
    }
    Some(parts)
}

/// The elements at one index of a side, as two neighbours may be taken as one.
fn elements_at(side: &Side) -> u64 {
    if side.fused.iter().any(|fused| fused.step().reach(side.by_position).in_twos) { 2 } else { 1 }
}

/// One more than the largest index into an array that lines with these extents of coordinates
/// touch, in elements.
fn reach(pass: &Pass, side: &Side, extents: &[u32]) -> u64 {
    let each = elements_at(side);
    let steps = || side.fused.iter().map(Fused::step);
    let reaches = || steps().map(|step| step.reach(side.by_position));
    let pairs = steps().filter_map(|step| step.pair()).filter(|pair| pair.odd.is_none()).map(|pair| u64::from(pair.distance)).sum::<u64>();
    let begins = || side.lines.iter().zip(extents).map(|(place, &extent)| place.most(extent)).sum::<u64>();
    if let Some(signal) = reaches().find_map(|own| own.signal) {
        return (begins() + pairs) * each + u64::from(signal);
    }
    let limit = reaches().find_map(|own| own.extent);
    let touched = reaches().find_map(|own| own.touched);
    let mut sum = u64::from(side.offset) + reaches().map(|own| own.across).sum::<u64>();
    sum += match (touched, limit) {
        (Some(touched), _) => side.place.most(touched),
        // Along the axis, places are proportional to positions, which stay below the limit.
        (None, Some(limit)) if side.place.low.is_empty() && side.weight > 0 => {
            let positions = limit.min(position_count(pass, side, extents));
            u64::from(positions - 1) * u64::from(side.place.stride / side.weight)
        }
        // In blocks, elements and positions are the same.
        (None, Some(limit)) if side.weight > 0 => side.place.most(limit.min(pass.n())),
        _ if pass.twos == Some(Twos::Elements) => side.place.most(pass.n() / 2),
        _ => side.place.most(pass.n()),
    };
    let on_axis = |dim: usize| limit.is_some() && side.weights[dim] > 0;
    for (dim, place) in side.lines.iter().enumerate().filter(|(dim, _)| !on_axis(*dim)) {
        sum += place.most(extents[dim]);
    }
    (sum + pairs + 1) * each
}

/// Number of positions on the axis that the elements and coordinates reach, if no limit applies.
fn position_count(pass: &Pass, side: &Side, extents: &[u32]) -> u32 {
    let others = side.weights.iter().zip(extents).map(|(weight, extent)| weight * (extent - 1)).sum::<u32>();
    side.weight * (pass.n() - 1) + others + 1
}
