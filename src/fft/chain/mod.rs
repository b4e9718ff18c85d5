//! A transform as a chain of passes between states of the array, before buffers are chosen.
//!
//! An axis of length n = n₀·n₁·…·nₛ takes one pass per factor. Let j = (…(j₀·n₁ + j₁)·n₂ + …) + jₛ
//! and k = k₀ + n₀·(k₁ + n₁·(…)). Pass f is a DFT of length n_f over j_f, which k_f replaces. It
//! then multiplies by exp(-2πi·k_f·m/N), where m counts the j_g with g > f and N = n_f·…·nₛ. So a
//! state of the array has either one index for each axis, or one index for each factor of it.

mod builder;
mod fourier;
mod halves;
pub(super) mod line;
pub(super) mod moved;
mod packed;
mod pass;
mod real_axis;
pub(super) mod state;
pub(super) mod step;
mod together;

use super::recipe::{AxisRecipe, Reals};
use super::steps::RealAxis;
use crate::fft::spec::geometry::Geometry;
use crate::fft::spec::kind::{End, Kind};
use crate::fft::spec::real_kind::Inner;
use crate::fft::spec::transform::Transform;
use crate::plan::{Placement, ensure};
use builder::Builder;
use moved::{moved_ends, surrounded, whole};
use real_axis::with_reals;
use state::{Result, State};
use step::{Fusion, SubTransform};

/// The most passes of an axis. Six with radices up to 64 are enough for every length.
const MAX_PASSES: usize = 8;

/// The passes of the axes in this order, or why they do not solve the transform.
pub(super) fn chain<'a>(transform: &Transform, geometry: &Geometry, axes: &'a [AxisRecipe]) -> Result<Vec<SubTransform<'a>>> {
    if let Some(AxisRecipe { axis, through, .. }) = axes.iter().find(|own| own.through < own.axis) {
        return Err(format!("axes {axis} to {through} in one pass, of which the slowest comes first").into());
    }
    let mut named: Vec<usize> = axes.iter().flat_map(AxisRecipe::axes).collect();
    named.sort_unstable();
    ensure(named == geometry.axes, || format!("it transforms the axes {named:?}, not {:?}", geometry.axes))?;
    // The axis with the reals comes first or last.
    let last = transform.shape.rank() - 1;
    let real_first = transform.kind == Kind::R2c;
    let real_last = transform.kind == Kind::C2r;
    if real_first && axes[0].axis != last || real_last && axes[axes.len() - 1].axis != last {
        return Err(format!("the last axis of a real transform comes {}", if real_first { "first" } else { "last" }).into());
    }
    let steps = match moved_ends(transform, geometry, axes) {
        [false, false] => Builder::new(transform, geometry).steps(axes)?,
        ends => {
            let (inner, inner_geometry) = whole(transform, geometry, ends);
            let steps = Builder::new(&inner, &inner_geometry).steps(axes)?;
            surrounded(steps, (&inner, &inner_geometry), (transform, geometry), ends)
        }
    };
    let apart = |step: &&SubTransform<'_>| step.pairs_along().is_some_and(|index| !transform.may_mix(geometry, index.0));
    if let Some(step) = steps.iter().find(apart) {
        return Err(format!(
            "rows of axis {} in pairs that no other transformed axis mixes: a NaN of one row would reach the other (rows-may-mix allows it)",
            step.element.0
        )
        .into());
    }
    Ok(steps)
}

impl<'a, 'b> Builder<'a, 'b> {
    fn steps(mut self, axes: &'a [AxisRecipe]) -> Result<Vec<SubTransform<'a>>> {
        let packed = axes.iter().find(|axis| axis.reals == Reals::Packed);
        if let Some(rows) = packed {
            self.begin_packed(rows, true)?;
        }
        for (i, axis) in axes.iter().enumerate() {
            self.axis(axis, i == 0, axes.get(i + 1).map(|next| next.axis))?;
        }
        if let Some(rows) = packed {
            self.end_packed(rows, None)?;
        }
        self.add_copy_back();
        Ok(self.steps)
    }

    fn axis(&mut self, recipe: &'a AxisRecipe, first: bool, next: Option<usize>) -> Result<()> {
        let axis = recipe.axis;
        let rank = self.transform.shape.rank();
        let Inner { n, reals } = self.transform.inner(axis);
        let passes = recipe.passes.len();
        ensure((1..=MAX_PASSES).contains(&passes), || format!("axis {axis} takes 1 to {MAX_PASSES} passes, not {passes}"))?;
        match (recipe.through != axis, self.packed) {
            (false, true) => return self.packed_axis(recipe, first, next),
            (true, false) => return self.together(recipe, first, next),
            (true, true) => return Err("axes together, beside rows of reals that are packed".into()),
            (false, false) => {}
        }
        if let Some(fragment) = &self.transform.product {
            return self.filter(recipe, n, fragment.clone());
        }
        if let Some(kind) = self.transform.real_kind(axis) {
            let real = RealAxis { kind, n: self.transform.shape.extents()[axis] as u32, orthogonal: self.transform.orthogonal };
            return self.real_axis(recipe, real, first, next);
        }
        // An inverse transform is a forward transform between two exchanges of real and imaginary
        // parts. Half-spectra are loaded as they are. Other axes may be between axes that are
        // transformed from reals to reals; then each has its own exchanges.
        let inverse = self.transform.is_inverse();
        let half_axis = if self.transform.kind == Kind::C2r { Some(rank - 1) } else { None };
        let alone = !self.transform.kinds.is_empty();
        let load_swap = inverse && (alone || first || half_axis == Some(axis));
        let store_swap = inverse && (alone || next.is_none() || half_axis == next);
        let is_fine = recipe.reals == Reals::Complex || reals.is_some();
        ensure(is_fine, || format!("axis {axis} has no reals to take in pairs or halves"))?;
        if recipe.reals == Reals::Halves {
            return self.halves(recipe, n, [load_swap, store_swap], next);
        }
        let pairs = recipe.reals == Reals::Pairs;
        let sides = [
            self.side(End::Input, axis, first, reals == Some(End::Output)),
            self.side(End::Output, axis, next.is_none(), reals == Some(End::Input) && pairs),
        ];
        let (sides, limit) = match reals {
            Some(end) => with_reals(end, pairs, n, sides),
            None => (sides, Some(n)),
        };
        // A part of the axis is stricter than its end.
        let whole = if reals == Some(End::Input) { n / 2 + 1 } else { n };
        let (limit, stored) = self.part(End::Output, axis).map_or((limit, whole), |part| (None, part.len));
        let mut after = self.extents.clone();
        after[axis] = stored;
        let target = self.after(recipe, &after, next)?;
        self.fourier(recipe, n, sides, [load_swap, store_swap], limit, target)?;
        self.extents = after;
        Ok(())
    }

    /// A single in-place pass that changes places would store where others have yet to load. Lets
    /// it store to a workspace instead, and adds a pass that moves the result to its place.
    fn add_copy_back(&mut self) {
        let [step] = &mut self.steps[..] else { return };
        if self.transform.placement == Placement::OutOfPlace || step.keeps_positions() {
            return;
        }
        let key = (step.element.0, step.element.1 + 1);
        let mut states = [&step.states[1]; 2].map(State::clone);
        // The workspace holds numbers of 32 bits.
        let storage = step.store.storage;
        step.store.storage = storage.widened();
        (step.states[1].in_output, step.states[1].storage) = (false, step.states[1].storage.widened());
        states[0].storage = step.states[1].storage;
        let plain = Fusion { weights: vec![0; key.1 + 1], ..Fusion::complex() };
        let store = Fusion { storage, ..plain.clone() };
        self.steps.push(SubTransform::moving(key, states, [plain, store]));
    }
}
