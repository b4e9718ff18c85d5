//! Which steps the kernel `fft/lanes` can do, and how.

use crate::fft::chain::line::LineIndex;
use crate::fft::chain::step::{PassBody, SubTransform};
use crate::fft::emit::lanes::{Access, Digit, Lanes, MAX_OF_LANE, PassTwiddle, SUBGROUP};
use crate::fft::place::Place;
use crate::fft::recipe::PassRecipe;
use crate::gpu::DeviceProfile;
use crate::plan::ensure;

/// Whether the lanes of a line can be those of a subgroup.
pub(crate) fn has_subgroups(profile: &DeviceProfile) -> bool {
    profile.subgroups && profile.subgroup_sizes == [SUBGROUP; 2]
}

/// The pass for a step whose recipe is [`PassRecipe::Lanes`], and the bytes of the array before and
/// after it; or why there is none.
pub(crate) fn fit(
    step: &SubTransform<'_>,
    lines: &[LineIndex],
    scaled: bool,
    profile: &DeviceProfile,
) -> Result<(Lanes, [u64; 2]), String> {
    let PassBody::Dft { recipe: &PassRecipe::Lanes { factors, lanes, width, invocations, loops }, ref convolution } = step.body else {
        return Err("it is another kernel's".to_owned());
    };
    let access = Access { width, int64: profile.int64 };
    ensure([1, 2, 4].contains(&width), || format!("the width of an access is 1, 2 or 4, not {width}"))?;
    let most = profile.invocations_in_a_row();
    ensure(invocations > 0 && invocations <= most && invocations.is_multiple_of(SUBGROUP), || {
        "invocations are a multiple of 8 that fits a workgroup".to_owned()
    })?;
    ensure(factors.iter().all(|factor| (1..=MAX_OF_LANE).contains(factor)), || format!("factors are 1 to {MAX_OF_LANE}"))?;
    ensure(step.load.is_plain() && step.store.is_plain() && convolution.is_none(), || {
        "lanes transform complex numbers, without a convolution".to_owned()
    })?;

    let stride = |place: &Place| if place.low.is_empty() { Ok(place.stride) } else { Err("lanes load and store no blocks".to_owned()) };
    let [from, to] = &step.states;
    let mut strides = [stride(&from.dim(step.element).place)?, stride(&to.dim(step.element).place)?];
    let mut digits = Vec::new();
    for line in lines {
        digits.push(Digit { extent: line.extent, input: stride(&line.load)?, output: stride(&line.store)?, weight: line.twiddle_weight });
    }
    let mut offsets = [from.offset, to.offset];
    // With one number for an access the two sides are one, and any strides will do.
    let along = width > 1 && strides == [1, 1];
    let mut turn = step.store.twiddle().map(|twiddle| PassTwiddle { n: twiddle.n, across: 0 });
    let mut rest = digits.as_mut_slice();
    if !along && width > 1 {
        let neighbours =
            format!("accesses of {width} complex numbers need neighbours on both sides, along the line or on a multiple of {width} lines");
        let Some((first, others)) =
            rest.split_first_mut().filter(|(first, _)| [first.input, first.output] == [1, 1] && first.extent.is_multiple_of(width))
        else {
            return Err(neighbours);
        };
        if let Some(turn) = &mut turn {
            turn.across = first.weight;
        }
        (first.extent, first.weight) = (first.extent / width, first.weight * width);
        rest = others;
    }
    let mut numbers: Vec<&mut u32> =
        offsets.iter_mut().chain(rest.iter_mut().flat_map(|digit| [&mut digit.input, &mut digit.output])).collect();
    if !along {
        numbers.extend(&mut strides);
    }
    for number in numbers {
        ensure(number.is_multiple_of(width), || {
            format!("accesses of {width} complex numbers need every distance to be a multiple of that")
        })?;
        *number /= width;
    }
    let pass = Lanes {
        factors,
        lanes,
        access,
        along,
        digits,
        offsets,
        strides,
        turn,
        swap: [step.load.has_exchange(), step.store.has_exchange()],
        scaled,
        invocations,
        memory: (!has_subgroups(profile)).then_some(profile.workgroup_bytes),
        loops,
    };
    pass.check()?;
    let bytes = [from.span * 8, to.span * 8];
    ensure(bytes.iter().all(|&bytes| bytes <= profile.binding_bytes), || "lanes need each array in one binding".to_owned())?;
    Ok((pass, bytes))
}
