//! The rules for processors that pose as GPUs, where the kernel `fft/lanes` fits.
//!
//! Times in the comments are medians in ms on lavapipe (Mesa 22.3.6, 2 cores, of which other
//! programs held one), comparable within a comment's colon only; the runs are in
//! benches/reports/2026-11-21-lavapipe-fft.

use super::lanes::{self, MAX_ELEMENTS, SUBGROUP, row_elements};
use super::line::lines;
use super::passes::chain;
use super::recipe::{AxisRecipe, PassRecipe};
use super::transform::{Geometry, Kind, Transform};
use crate::gpu::DeviceProfile;

/// Longest line of a single pass in one lane.
const LONGEST_COLUMN: u32 = 64;

/// Longest column of a single pass in several lanes. In 21 rounds on both cores, in one pass and in
/// two: 512² 1.62 and 2.15, four of them 6.66 and 15.3; 512x2048 7.23 and 14.8; 640x512 2.82 and
/// 5.14; 1024² 9.06 and 15.2; 1000x1024 11.3 and 14.7; 1080x1920 22.5 and 29.5; but 2048² 63.0 and
/// 62.6.
const LONGEST_SHARED_COLUMN: u32 = 1536;

/// Takes the kernel `fft/lanes` for every axis that it can do well.
pub(super) fn improve(axes: &mut [AxisRecipe], transform: &Transform, geometry: &Geometry, profile: &DeviceProfile) {
    if !profile.is_cpu() || !has_lanes(transform, profile) {
        return;
    }
    let plain = axes.to_vec();
    for axis in axes.iter_mut() {
        if let Some(passes) = passes(axis.axis, geometry, profile) {
            *axis = AxisRecipe { axis: axis.axis, bluestein: None, reals: super::recipe::Reals::Complex, passes };
        }
    }
    // What cannot be done in lanes, because of its layout, stays as it was.
    while let Some(axis) = unfit(axes, transform, geometry, profile) {
        axes[axis] = plain[axis].clone();
    }
}

/// Whether such a device can do anything of such a transform in lanes, and fast: where there are no
/// subgroups of 8, barriers take their place.
pub(super) fn has_lanes(transform: &Transform, profile: &DeviceProfile) -> bool {
    lanes::has_subgroups(profile) && matches!(transform.kind, Kind::C2c(_))
}

/// Whether a pass is worth a search's time there: lanes only as the rules would take them.
pub(super) fn is_worth_while(pass: &PassRecipe, transform: &Transform, profile: &DeviceProfile) -> bool {
    match pass {
        PassRecipe::Lanes { width: own, .. } => has_lanes(transform, profile) && *own <= width(profile),
        PassRecipe::Stockham(_) | PassRecipe::Radix2 { .. } => true,
    }
}

/// The passes in lanes of an axis, if there are any.
pub(super) fn passes(axis: usize, geometry: &Geometry, profile: &DeviceProfile) -> Option<Vec<PassRecipe>> {
    let n = geometry.output_extents[axis];
    let along = [&geometry.input, &geometry.output].iter().all(|placed| placed.strides[axis] == 1);
    if along { row(n, profile) } else { column(n, profile) }
}

/// The first axis whose recipe of lanes cannot run.
pub(super) fn unfit(axes: &[AxisRecipe], transform: &Transform, geometry: &Geometry, profile: &DeviceProfile) -> Option<usize> {
    let is_lanes = |pass: &PassRecipe| matches!(pass, PassRecipe::Lanes { .. });
    let wrong = match chain(transform, geometry, axes) {
        Ok(steps) => {
            let wrong =
                steps.iter().find(|step| step.recipe.is_some_and(is_lanes) && lanes::fit(step, &lines(step), false, profile).is_err())?;
            axes.iter().position(|axis| axis.axis == wrong.element.0)
        }
        Err(_) => axes.iter().position(|axis| axis.passes.iter().any(is_lanes)),
    };
    wrong.filter(|&axis| axes[axis].passes.iter().any(is_lanes))
}

fn width(profile: &DeviceProfile) -> u32 {
    if profile.int64 { 4 } else { 2 }
}

/// Invocations of a workgroup. 1024 rows of 1024: 32 5.38, 64 5.50, 128 6.17; rows of 512: 64 5.11,
/// 128 5.80; 2048² 64 89.9, 128 94.7.
fn invocations(profile: &DeviceProfile) -> u32 {
    64.min(profile.invocations.min(profile.workgroup_size[0])) / SUBGROUP * SUBGROUP
}

/// A dense line in one pass, with as few elements of a lane as can be, then few lanes. 4096 rows of
/// 256 with 64 elements 7.23, with 128 8.87; 16384 rows of 64 with 32 4.15, with 64 5.61; but 2048
/// rows of 512 in 8 lanes, which leave some idle and no fewer elements, 6.76, in 4 lanes 5.11.
fn row(n: u32, profile: &DeviceProfile) -> Option<Vec<PassRecipe>> {
    let width = width(profile);
    let all = pairs(n, width).flat_map(|factors| [1, 2, 4, 8].map(|lanes| (row_elements(factors, lanes, width), lanes, factors)));
    let (_, lanes, factors) = all.filter(|(elements, ..)| *elements <= MAX_ELEMENTS).min()?;
    Some(vec![PassRecipe::Lanes { factors, lanes, width, invocations: invocations(profile) }])
}

/// A line across the fastest index, whole or in two passes.
fn column(n: u32, profile: &DeviceProfile) -> Option<Vec<PassRecipe>> {
    let (width, invocations) = (width(profile), invocations(profile));
    let pass = |factors, lanes, width| PassRecipe::Lanes { factors, lanes, width, invocations };
    if n <= LONGEST_COLUMN {
        return Some(vec![pass([n, 1], 1, width)]);
    }
    if n <= LONGEST_SHARED_COLUMN {
        let factors = pairs(n, 1).filter(|[larger, _]| *larger <= LONGEST_COLUMN);
        let all: Vec<_> = factors.flat_map(|factors| [2, 4, 8].map(|lanes| (lanes, row_elements(factors, lanes, 1), factors))).collect();
        // Wide accesses come first: 512² in 8 lanes by 4 numbers 1.91, in 4 lanes by 2 2.16.
        for width in [width, 2, 1] {
            if let Some(&(lanes, _, factors)) = all.iter().filter(|(_, elements, _)| elements * width <= MAX_ELEMENTS).min() {
                return Some(vec![pass(factors, lanes, width)]);
            }
        }
    }
    let factors = pairs(n, 1).min().filter(|&[larger, _]| larger <= LONGEST_COLUMN)?;
    // 2048² as 64·32 94.7, as 32·64 99.0.
    Some(factors.map(|factor| pass([factor, 1], 1, width)).to_vec())
}

/// Two factors larger than 1 that are multiples of `of`, the larger first.
pub(super) fn pairs(n: u32, of: u32) -> impl Iterator<Item = [u32; 2]> {
    let factors = (2..=n.isqrt()).filter(move |small| n.is_multiple_of(*small)).map(move |small| [n / small, small]);
    factors.filter(move |factors| factors.iter().all(|factor| factor.is_multiple_of(of)))
}
