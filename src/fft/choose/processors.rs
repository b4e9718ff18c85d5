//! The rules for processors that pose as GPUs, where the kernel `fft/lanes` fits.

use super::designer::{Designer, SMALL_ARRAY, Text};
use super::lanes::Rules;
use super::thresholds::number;
use crate::fft::chain::chain;
use crate::fft::chain::line::lines;
use crate::fft::chain::moved::{moved_ends, must_move, whole};
use crate::fft::chain::step::{PassBody, SubTransform};
use crate::fft::emit::lanes;
use crate::fft::emit::lanes::{CACHE_LINE, SUBGROUP, widest};
use crate::fft::recipe::{AxisRecipe, PassRecipe, Reals};
use crate::fft::spec::geometry::Geometry;
use crate::fft::spec::kind::Kind;
use crate::fft::spec::real_kind::Inner;
use crate::fft::spec::transform::Transform;
use crate::gpu::DeviceProfile;

/// Longest text of an axis, by the units of [`code_size`], where a program waits for its first
/// result: for transforms of one axis, of two, and of more.
const LONGEST_TEXT: [u32; 3] = [number("text of one axis"), number("text of two axes"), number("text of more axes")];

/// Longest text of a line in loops, in all transforms, and in those of several axes of small
/// arrays: rows in several passes cannot have wide accesses on both sides.
const LONGEST_LOOPS: [u32; 2] = [number("text of loops"), number("text of loops in small arrays")];

/// For lanes, elements are moved to a whole array and from one where at least one in [`LEAST_PART`]
/// of its elements is given, and it has at least [`LEAST_MOVED`].
const LEAST_PART: u64 = number("part of an array to move") as u64;
const LEAST_MOVED: u64 = number("numbers to move") as u64;

impl Designer<'_> {
    /// Takes the kernel `fft/lanes` for every axis that it can do well.
    pub(super) fn in_lanes(&self, axes: &mut [AxisRecipe], text: Text) {
        if !self.profile.is_cpu() {
            return;
        }
        let Some(inside) = self.for_lanes() else { return };
        // The recipes of each axis, the best one first. What cannot be done in lanes, because of
        // its layout, stays as it was.
        let of_axis = |plain: &AxisRecipe| {
            let mut all = if self.transform.real_kind(plain.axis).is_none() { inside.axis(plain.axis, text) } else { Vec::new() };
            all.push(plain.clone());
            all.into_iter()
        };
        let mut choices: Vec<_> = axes.iter().map(of_axis).collect();
        for (axis, choices) in axes.iter_mut().zip(&mut choices) {
            axis.clone_from(&choices.next().expect("there is the plain one"));
        }
        let wrong = |axes: &[AxisRecipe]| {
            let [input, output] = if inside.moves { [false; 2] } else { moved_ends(self.transform, self.geometry, axes) };
            let at_end = if input { Some(0) } else { output.then_some(axes.len() - 1) };
            at_end.or_else(|| self.unfit_lanes(axes))
        };
        while let Some(i) = wrong(axes) {
            let Some(next) = choices[i].next() else { return };
            axes[i] = next;
        }
    }

    /// Whether the device can do anything of the transform in lanes, and fast: where there are no
    /// subgroups of 8, barriers take their place.
    pub fn has_lanes(&self) -> bool {
        let knows = match self.transform.kind {
            Kind::C2c(_) | Kind::R2c | Kind::C2r => self.transform.framing.is_none(),
            Kind::R2r | Kind::Filter { .. } => false,
        };
        lanes::fit::has_subgroups(self.profile) && knows && self.transform.number.check_kernel("lanes").is_ok()
    }

    /// The transform whose passes can be lanes; `None` if the device can do nothing of it in lanes.
    pub fn for_lanes(&self) -> Option<ForLanes<'_>> {
        if !self.has_lanes() {
            return None;
        }
        let Self { transform, geometry, profile, .. } = *self;
        let ends = must_move(transform, geometry);
        let between = whole(transform, geometry, ends);
        let counts = |of: &Geometry| {
            [&of.input_extents, &of.output_extents].map(|extents| extents.iter().map(|&extent| u64::from(extent)).product::<u64>())
        };
        let (given, all) = (counts(geometry), counts(&between.1));
        let is_complex = matches!(transform.kind, Kind::C2c(_));
        let has_most = (0..2).all(|end| !ends[end] || LEAST_PART * given[end] >= all[end]);
        let moves = has_most && all.iter().any(|&all| all >= LEAST_MOVED) && !(is_complex && geometry.axes.len() == 1);
        let (transform, geometry) = match moves {
            true => between,
            false if is_complex || transform.is_plain() => (transform.clone(), geometry.clone()),
            false => return None,
        };
        Some(ForLanes { transform, geometry, profile, moves })
    }

    /// The first axis whose recipe of lanes cannot run.
    pub fn unfit_lanes(&self, axes: &[AxisRecipe]) -> Option<usize> {
        let has_lanes = |axis: &AxisRecipe| axis.passes.iter().any(PassRecipe::is_lanes);
        let runs = |step: &&SubTransform<'_>| match step.body {
            PassBody::Combine { .. } => lanes::halves::fit(step, &lines(step), self.profile).is_ok(),
            PassBody::Dft { recipe: PassRecipe::Lanes { .. }, .. } => lanes::fit::fit(step, &lines(step), false, self.profile).is_ok(),
            PassBody::Dft { .. } | PassBody::Move => true,
        };
        let wrong = match chain(self.transform, self.geometry, axes) {
            Ok(steps) => {
                let wrong = steps.iter().find(|step| !runs(step))?;
                axes.iter().position(|axis| axis.axis == wrong.element.0)
            }
            Err(_) => axes.iter().position(has_lanes),
        };
        wrong.filter(|&axis| has_lanes(&axes[axis]))
    }
}

/// The transform whose passes can be lanes: between passes that move elements, where these pay.
pub(in crate::fft) struct ForLanes<'a> {
    transform: Transform,
    geometry: Geometry,
    profile: &'a DeviceProfile,
    /// Whether there may be passes that move elements.
    moves: bool,
}

impl ForLanes<'_> {
    /// The recipes of an axis in lanes, with wide accesses first. Real rows are taken in halves,
    /// and packed if there are other axes.
    pub fn axis(&self, axis: usize, text: Text) -> Vec<AxisRecipe> {
        let Self { transform, geometry, profile, .. } = self;
        let Inner { n, reals } = transform.inner(axis);
        let rank = transform.shape.rank();
        let row = transform.inner(rank - 1).n;
        let in_pairs = matches!(transform.kind, Kind::R2c | Kind::C2r) && row.is_multiple_of(2) && transform.reals_in_twos(geometry);
        let (n, reals) = match reals {
            None => (n, Reals::Complex),
            Some(_) if in_pairs => (n / 2, if geometry.axes.len() > 1 { Reals::Packed } else { Reals::Halves }),
            Some(_) => return Vec::new(),
        };
        let mut extents = geometry.output_extents.clone();
        if in_pairs {
            extents[rank - 1] = row / 2;
        }
        // Between passes pairs lie one after the other, but for gaps of whole cache lines.
        let strides = if in_pairs {
            vec![extents[axis + 1..rank].iter().product()]
        } else {
            [&geometry.input, &geometry.output].map(|placed| placed.strides[axis]).to_vec()
        };
        let along = strides.iter().all(|stride| *stride == 1);
        let aligned = strides.iter().all(|stride| stride.is_multiple_of(CACHE_LINE));
        let is_one = geometry.axes.len() <= 1;
        let points: u64 = extents.iter().map(|&extent| u64::from(extent)).product();
        let longest = LONGEST_TEXT[geometry.axes.len().clamp(1, LONGEST_TEXT.len()) - 1];
        let mut all: Vec<AxisRecipe> = Vec::new();
        for most in [4, 2, 1].into_iter().filter(|own| *own <= widest(profile)) {
            let rules = Rules {
                widths: [4, 2, 1].into_iter().filter(|own| *own <= most).collect(),
                full: widest(profile),
                invocations: invocations(profile),
                text,
                longest,
                longest_column: if is_one { longest } else { longest.min(const { number("text of a column") }) },
                preferred_row: if is_one { longest } else { longest.min(const { number("preferred text of a row") }) },
                longest_loops: LONGEST_LOOPS[usize::from(!is_one && points <= SMALL_ARRAY)],
                aligned,
                longest_passes: if is_one { u32::MAX } else { longest },
                longest_by_twos: if in_pairs { 0 } else { const { number("longest column by twos") } },
            };
            let passes = if along { rules.row(n) } else { rules.column(n) };
            let own = passes.map(|passes| AxisRecipe { reals, ..AxisRecipe::new(axis, passes) });
            all.extend(own.filter(|own| !all.contains(own)));
        }
        all
    }
}

/// Invocations of a workgroup.
fn invocations(profile: &DeviceProfile) -> u32 {
    const { number("invocations of lanes") }.min(profile.invocations_in_a_row()) / SUBGROUP * SUBGROUP
}
