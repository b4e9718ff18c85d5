//! Whether a device can run a recipe, and if not, why. A recipe that [`pass`] accepts has a text.

use super::pass::{Pass, Twos};
use super::recipe::{PassRecipe, Stockham};
use super::spec::number::Number;
use super::stage::{LanesOfLine, Stage};
use crate::gpu::DeviceProfile;
use crate::kernels::fft::radix2;
use crate::plan::{Fit, ensure};
use crate::text::join;

/// The decisions for a pass that transforms nothing, but combines halves or moves elements: 256
/// neighbours per workgroup, or as many as the device allows. With 64, starting 2¹⁹ workgroups took
/// longer than running them.
pub(super) fn no_transform(profile: &DeviceProfile) -> Stockham {
    let lines = 256.min(profile.invocations).min(profile.workgroup_size[0]).max(1);
    Stockham { lines, banks: 0, ..Stockham::new(vec![1], 1) }
}

/// Maximum number of complex numbers that an invocation holds: 64 of them take 128 of a GPU's 255
/// registers.
pub(super) const MAX_ELEMENTS: u32 = 64;

/// Whether no number is 0 that others are divided by.
pub(super) fn is_sane(pass: &PassRecipe) -> bool {
    match pass {
        PassRecipe::Stockham(Stockham { radices, lanes, lines, pieces, width, .. }) => {
            let fine = |radix: &u32| (1..=MAX_ELEMENTS).contains(radix);
            !radices.is_empty() && radices.iter().all(fine) && [lanes, lines, pieces, width].iter().all(|value| **value > 0)
        }
        PassRecipe::Radix2 { rows, lanes } => *rows > 0 && *lanes > 0,
        PassRecipe::Lanes { lanes, width, invocations, .. } => [lanes, width, invocations].iter().all(|value| **value > 0),
    }
}

/// Why a pass through workgroup memory cannot run on such a device, if it cannot.
fn stockham(recipe: &Stockham, profile: &DeviceProfile) -> Fit {
    let Stockham { radices, lanes, lines, banks, block, width, .. } = recipe;
    ensure(!radices.is_empty() && radices.iter().all(|radix| (1..=MAX_ELEMENTS).contains(radix)), || {
        format!("radices {} are not all from 1 to {MAX_ELEMENTS}", join(radices, "."))
    })?;
    ensure(radices.len() == 1 || radices.iter().all(|&radix| radix > 1), || "a radix of 1 stands alone".to_owned())?;
    ensure(*lanes > 0 && *lines > 0, || "lanes and lines must be at least 1".to_owned())?;
    ensure([1, 2].contains(width), || format!("an access takes 1 or 2 numbers, not {width}"))?;
    // Where neighbouring lines are taken in twos, half as many invocations: `Pass::in_twos`.
    if *width == 1 {
        invocations(recipe, *lines, profile)?;
    }
    ensure(recipe.elements() <= MAX_ELEMENTS, || {
        format!("{lanes} lanes have {} elements each, more than {MAX_ELEMENTS}", recipe.elements())
    })?;
    ensure([0, 16, 32, 64].contains(banks), || "banks are 0, 16, 32 or 64".to_owned())?;
    ensure(block.is_none_or(|block| block.iter().all(|&extent| extent > 0)), || "a block has at least 1 x 1 elements".to_owned())
}

/// Why a workgroup that transforms so many lines at a time cannot run on such a device.
pub(super) fn invocations(recipe: &Stockham, lines: u32, profile: &DeviceProfile) -> Fit {
    let limit = profile.invocations_in_a_row();
    let fits = u64::from(recipe.lanes) * u64::from(lines) <= limit.into();
    ensure(fits, || format!("{lines} lines of {} invocations exceed {limit}", recipe.lanes))
}

/// Why rows of length n cannot be transformed by radix 2 on such a device, if they cannot.
pub(super) fn radix2(rows: u32, lanes: u32, n: u32, profile: &DeviceProfile) -> Fit {
    ensure(n.is_power_of_two(), || format!("radix2 transforms powers of two, not rows of {n}"))?;
    ensure(rows > 0 && lanes > 0, || "rows and lanes must be at least 1".to_owned())?;
    ensure(u64::from(rows) * u64::from(lanes) <= profile.invocations.into(), || {
        format!("{rows} rows x {lanes} lanes exceed {} invocations", profile.invocations)
    })?;
    let required = radix2::workgroup_bytes(n, rows);
    ensure(required <= profile.workgroup_bytes.into(), || {
        format!("it needs {required} bytes of workgroup memory of {}", profile.workgroup_bytes)
    })
}

/// Checks a pass against a device. Returns it with the recipe's width of accesses, and its number
/// of lines: two that one invocation transforms together count as one.
pub(super) fn pass((pass, lines): (Pass, u32), recipe: &Stockham, profile: &DeviceProfile) -> Fit<(Pass, u32)> {
    stockham(recipe, profile)?;
    let (pass, lines) = if recipe.width == 1 { (pass, lines) } else { pass.in_twos(recipe, lines, profile)? };
    stages(recipe, &pass.axes(), pass.convolution.is_some(), pass.twos)?;
    memory(recipe, pass.number, pass.store.fused.iter().find_map(|fused| fused.step().mirrors()), profile)?;
    Ok((pass, lines))
}

/// Why these lanes or pieces do not suit every stage, if so. `axes` has the radices of each axis,
/// whose product the caller has bounded.
pub(super) fn stages(recipe: &Stockham, axes: &[&[u32]], convolution: bool, twos: Option<Twos>) -> Fit {
    let (n, lanes, pieces) = (recipe.n(), recipe.lanes, recipe.pieces);
    ensure(pieces > 0 && n.is_multiple_of(pieces), || format!("a line of {n} cannot be divided into {pieces} pieces"))?;
    let stages = Stage::of_axes(axes, convolution, |_| 0);
    let last = stages.len() - 1;
    // In the middle of a convolution an invocation keeps its elements.
    let turn = recipe.radices.len();
    // Where accesses take two elements, an invocation computes two neighbours of the first stage
    // and of the last one.
    let lanes_at = |s: usize| {
        let neighbours = if twos == Some(Twos::Elements) && (s == 0 || s == last) { 2 } else { 1 };
        LanesOfLine { count: lanes, neighbours }
    };
    for (s, stage) in stages.iter().enumerate().filter(|(s, _)| *s != turn) {
        let (each, LanesOfLine { neighbours, .. }) = (stage.distance(), lanes_at(s));
        ensure(each.is_multiple_of(neighbours), || {
            format!(
                "accesses of two numbers (width=2) take two butterflies at a time, and a piece of the line has {each} of radix {}",
                stage.radix
            )
        })?;
        ensure(stage.is_regular(lanes * neighbours, n), || {
            let twice = if neighbours == 1 { "" } else { "twice " };
            let radix = stage.radix;
            format!(
                "{twice}{lanes} lanes and the {each} butterflies of radix {radix} in a piece of the line, of which one must divide the other"
            )
        })?;
    }
    let mut exchanges = (1..=last).filter(|s| pieces > 1 && *s != turn);
    exchanges.try_for_each(|s| in_pieces([stages[s - 1], stages[s]], [lanes_at(s - 1), lanes_at(s)], n, pieces))
}

/// Why a device has not enough workgroup memory for the exchanges between a pass's stages, or for
/// the mirror images of spectra of length m, if it has not.
pub(super) fn memory(recipe: &Stockham, number: Number, mirrored: Option<u32>, profile: &DeviceProfile) -> Fit {
    let available = u64::from(profile.workgroup_bytes);
    let has_room = |elements: u32, what: &str| {
        let words = u64::from(recipe.exchange.words() * number.words());
        let bytes = 4 * u64::from(elements) * u64::from(recipe.lines) * words;
        ensure(bytes <= available, || format!("{what} {bytes} bytes of workgroup memory of {available}"))
    };
    if recipe.radices.len() > 1 {
        has_room(recipe.n() / recipe.pieces, "an exchange needs")?;
    }
    mirrored.map_or(Ok(()), |m| has_room(half_of_a_piece(m, recipe).saturating_mul(2), "rows of reals need"))
}

/// How many of the first half of a spectrum of length m meet their mirror images at a time: whole
/// rounds of lanes.
pub(super) fn half_of_a_piece(m: u32, recipe: &Stockham) -> u32 {
    (m / 2 + 1).div_ceil(recipe.pieces).next_multiple_of(recipe.lanes)
}

/// Why the results of a stage cannot pass on to the next one in pieces, if they cannot.
fn in_pieces([stage, next]: [Stage; 2], [from, to]: [LanesOfLine; 2], n: u32, pieces: u32) -> Fit {
    let piece_len = n / pieces;
    for first in from.rounds(n / stage.radix) {
        let stored = stage.stored(from, n, first);
        let fits = !stored.crosses(piece_len) || stored.by_step(piece_len).is_some();
        ensure(fits, || format!("a butterfly's results lie in several of {pieces} pieces"))?;
    }
    for first in to.rounds(n / next.radix) {
        ensure(next.loaded(to, n, first).by_step(piece_len).is_some(), || format!("{} lanes load across {pieces} pieces", to.count))?;
    }
    Ok(())
}
