//! Checks whether a recipe fits a device, as far as that is known before a text is made.

use super::recipe::{PassRecipe, Stockham};
use crate::gpu::DeviceProfile;
use crate::kernels::fft::radix2;
use crate::shape::join;

type Fit = Result<(), String>;

fn ensure(fine: bool, why: impl FnOnce() -> String) -> Fit {
    if fine { Ok(()) } else { Err(why()) }
}

/// The decisions for a pass that transforms nothing, but combines halves or moves elements: 256
/// neighbours per workgroup, or as many as the device allows. With 64, starting 2¹⁹ workgroups took
/// longer than running them.
pub(super) fn no_transform(profile: &DeviceProfile) -> Stockham {
    let lines = 256.min(profile.invocations).min(profile.workgroup_size[0]).max(1);
    Stockham { lines, banks: 0, ..Stockham::new(vec![1], 1) }
}

/// Most complex numbers that an invocation holds: 64 of them take 128 of a GPU's 255 registers.
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
pub(super) fn stockham(recipe: &Stockham, profile: &DeviceProfile) -> Fit {
    let Stockham { radices, lanes, lines, pieces, banks, block, width, .. } = recipe;
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
    ensure(*pieces > 0 && recipe.n().is_multiple_of(*pieces), || {
        format!("a line of {} cannot be divided into {pieces} pieces", recipe.n())
    })?;
    ensure([0, 16, 32, 64].contains(banks), || "banks are 0, 16, 32 or 64".to_owned())?;
    ensure(block.is_none_or(|block| block.iter().all(|&extent| extent > 0)), || "a block has at least 1 x 1 elements".to_owned())
}

/// Why a workgroup that transforms so many lines at a time cannot run on such a device.
pub(super) fn invocations(recipe: &Stockham, lines: u32, profile: &DeviceProfile) -> Fit {
    let limit = profile.invocations.min(profile.workgroup_size[0]);
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
