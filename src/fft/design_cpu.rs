//! The rules for processors that pose as GPUs, where the kernel `fft/lanes` fits.
//!
//! Times in the comments are medians in ms on lavapipe (Mesa 22.3.6, 2 cores), and ratios to rustfft on one thread in the same rounds; the runs are in
//! benches/reports.

use super::lanes::{SUBGROUP, row_elements};
use super::lower;
use super::lower_lanes;
use super::passes::chain;
use super::recipe::{AxisRecipe, PassRecipe};
use super::transform::{Geometry, Kind, Transform};
use crate::gpu::DeviceProfile;

/// Longest line of a single pass in one lane.
const LONGEST_COLUMN: u32 = 64;

/// Complex numbers that an invocation should hold at most, and may hold.
const ELEMENTS: [u32; 2] = [128, 256];

/// Takes the kernel `fft/lanes` for every axis that it can do well.
pub(super) fn improve(axes: &mut [AxisRecipe], transform: &Transform, geometry: &Geometry, profile: &DeviceProfile) {
    if !profile.is_cpu() || !profile.subgroups || profile.subgroup_sizes != [SUBGROUP; 2] || !matches!(transform.kind, Kind::C2c(_)) {
        return;
    }
    let plain = axes.to_vec();
    for axis in axes.iter_mut() {
        let n = geometry.output_extents[axis.axis];
        let along = [&geometry.input, &geometry.output].iter().all(|placed| placed.strides[axis.axis] == 1);
        if let Some(passes) = if along { row(n, profile) } else { column(n, profile) } {
            *axis = AxisRecipe { axis: axis.axis, bluestein: None, reals: super::recipe::Reals::Complex, passes };
        }
    }
    // What cannot be done in lanes, because of its layout, stays as it was.
    while let Some(axis) = unfit(axes, transform, geometry, profile) {
        axes[axis] = plain[axis].clone();
    }
}

/// The first axis whose recipe of lanes cannot run.
fn unfit(axes: &[AxisRecipe], transform: &Transform, geometry: &Geometry, profile: &DeviceProfile) -> Option<usize> {
    let is_lanes = |pass: &PassRecipe| matches!(pass, PassRecipe::Lanes { .. });
    let wrong = match chain(transform, geometry, axes) {
        Ok(steps) => {
            let wrong = steps.iter().find(|step| {
                is_lanes(step.recipe) && lower_lanes::fit(step, &lower::lines(step), false, profile).is_err()
            })?;
            axes.iter().position(|axis| axis.axis == wrong.element.0)
        }
        Err(_) => axes.iter().position(|axis| axis.passes.iter().any(is_lanes)),
    };
    wrong.filter(|&axis| axes[axis].passes.iter().any(is_lanes))
}

fn width(profile: &DeviceProfile) -> u32 {
    if profile.int64 { 4 } else { 2 }
}

/// Invocations of a workgroup.
fn invocations(profile: &DeviceProfile) -> u32 {
    128.min(profile.invocations.min(profile.workgroup_size[0])) / SUBGROUP * SUBGROUP
}

/// A dense line in one pass.
fn row(n: u32, profile: &DeviceProfile) -> Option<Vec<PassRecipe>> {
    let width = width(profile);
    let candidate = |most: u32, lanes: u32| {
        let fits = |factors: &[u32; 2]| row_elements(*factors, lanes, width) <= most;
        pairs(n, width).filter(fits).min_by_key(|&factors| (row_elements(factors, lanes, width), factors[0])).map(|factors| (factors, lanes))
    };
    let (factors, lanes) = ELEMENTS.into_iter().find_map(|most| [1, 2, 4, 8].into_iter().find_map(|lanes| candidate(most, lanes)))?;
    Some(vec![PassRecipe::Lanes { factors, lanes, width, invocations: invocations(profile) }])
}

/// A line across the fastest index, each factor in one lane.
fn column(n: u32, profile: &DeviceProfile) -> Option<Vec<PassRecipe>> {
    let pass = |n| PassRecipe::Lanes { factors: [n, 1], lanes: 1, width: width(profile), invocations: invocations(profile) };
    if n <= LONGEST_COLUMN {
        return Some(vec![pass(n)]);
    }
    let factors = pairs(n, 1).min_by_key(|&[larger, _]| larger).filter(|&[larger, _]| larger <= LONGEST_COLUMN)?;
    Some(factors.map(pass).to_vec())
}

/// Two factors larger than 1 that are multiples of `of`, the larger first.
fn pairs(n: u32, of: u32) -> impl Iterator<Item = [u32; 2]> {
    let factors = (2..=n.isqrt()).filter(move |small| n.is_multiple_of(*small)).map(move |small| [n / small, small]);
    factors.filter(move |factors| factors.iter().all(|factor| factor.is_multiple_of(of)))
}
