//! Reals in pairs of neighbours, transformed by `fft/lanes` as an array of complex numbers: along
//! the rows alone ([`Reals::Halves`]) or along all axes ([`Reals::Packed`]). One pass, of the
//! kernel `fft/halves`, combines what becomes of them, between the array of pairs and the
//! half-spectrum.
//!
//! Along all axes, only that pass sees half-spectra, whose rows are an element longer and not
//! aligned. All others have rows that begin at the lines of a processor's cache, so that columns
//! can have wide accesses, or one pass instead of two. With the combining pass next to that of the
//! rows, 1080x1920 back to reals took 12.6 ms on lavapipe, now 11.1; 2048² 24.8 and 18.5, 256³ 92.5
//! and 76.4 (benches/reports/2026-11-25-processors-reals).

use super::builder::{Builder, block_of};
use super::state::{Broken, Result, State};
use super::step::{CombineDirection, Fusion, PassBody, SubTransform};
use crate::fft::emit::lanes::CACHE_LINE;
use crate::fft::place::Storage;
use crate::fft::recipe::{AxisRecipe, PassRecipe, Reals};
use crate::fft::spec::kind::{End, Kind};
use crate::plan::ensure;

/// Lines at multiples of so many numbers share few places of a cache. Columns of 256³ at distances
/// of 2¹⁵ numbers took 55.9 ms, in padded planes 30.1; the columns and the combining pass of real
/// 1080x1920 5.5 and 2.5 at distances of 960, 4.8 and 2.5 at those of 968.
const CONFLICTING: u32 = 2 * CACHE_LINE;

impl<'a> Builder<'a, '_> {
    /// Makes the current state that of the pairs, whose rows `recipe` transforms. Half-spectra are
    /// combined to pairs for that. `is_last` says whether the output holds what the passes of the
    /// pairs leave behind, and not another axis's passes.
    pub(super) fn begin_packed(&mut self, recipe: &'a AxisRecipe, is_last: bool) -> Result<()> {
        let axis = recipe.axis;
        let has_reals = matches!(self.transform.kind, Kind::R2c | Kind::C2r) && axis + 1 == self.transform.shape.rank();
        ensure(has_reals, || format!("axis {axis} has no reals to pack"))?;
        let n = self.transform.inner(axis).n;
        let are_lanes = !recipe.passes.is_empty() && recipe.passes.iter().all(PassRecipe::is_lanes);
        ensure(are_lanes, || "packed rows of reals need passes of lanes".into())?;
        ensure(recipe.bluestein.is_none(), || "packed rows of reals as a convolution, which lanes do not compute".into())?;
        let has_f32 = recipe.reals != Reals::Packed || self.transform.between.is_none();
        ensure(has_f32, || "packed rows of reals, which have f32 between the axes, not numbers of 16 bits".into())?;
        self.check_rows_in_halves(recipe, n)?;
        for (end, is_end) in [(End::Input, self.steps.is_empty()), (End::Output, is_last)] {
            let side = self.end(end, axis, is_end);
            let is_whole = self.geometry.axes.iter().all(|&axis| self.part(end, axis).is_none());
            let is_plain = side.fused.is_empty() && is_whole && matches!(side.storage, Storage::Complex | Storage::Real);
            ensure(is_plain, || "lanes transform rows of f32 in halves without parts and fragments".into())?;
        }
        self.extents[axis] = n / 2;
        self.packed = true;
        if self.transform.kind == Kind::C2r {
            let target = self.packed_state()?;
            self.combine_apart(recipe, n / 2, CombineDirection::ToPacked, target);
        } else {
            self.current = self.current.as_complex(axis);
        }
        Ok(())
    }

    pub(super) fn packed_axis(&mut self, recipe: &'a AxisRecipe, first: bool, next: Option<usize>) -> Result<()> {
        let is_fine = recipe.reals == Reals::Complex || recipe.axis + 1 == self.transform.shape.rank();
        ensure(is_fine, || format!("axis {} has no reals to take in pairs or halves", recipe.axis))?;
        let target = match (next, recipe.passes.last().and_then(block_of)) {
            (Some(next), Some(block)) => self.default_layout(&self.extents, Storage::Complex, Some((recipe.axis, next, block)))?,
            (None, _) if self.transform.kind == Kind::C2r => self.output.as_complex(self.transform.shape.rank() - 1),
            _ => self.packed_state()?,
        };
        let (n, inverse) = (self.extents[recipe.axis], self.transform.is_inverse());
        let swaps = [inverse && first, inverse && next.is_none()];
        self.fourier(recipe, n, [Fusion::complex(), Fusion::complex()], swaps, Some(n), target)
    }

    /// Combines the transformed pairs to half-spectra, unless they are the result.
    pub(super) fn end_packed(&mut self, recipe: &'a AxisRecipe, next: Option<usize>) -> Result<()> {
        let pairs = &mut self.extents[recipe.axis];
        if self.transform.kind == Kind::C2r {
            *pairs *= 2;
        } else {
            let m = *pairs;
            *pairs += 1;
            let target = self.without_blocks(&self.extents, next)?;
            self.combine_apart(recipe, m, CombineDirection::ToSpectrum, target);
        }
        self.packed = false;
        Ok(())
    }

    /// Rows of reals in halves that are combined next to them.
    pub(super) fn halves_apart(&mut self, recipe: &'a AxisRecipe, next: Option<usize>) -> Result<()> {
        self.begin_packed(recipe, next.is_none())?;
        self.packed_axis(recipe, true, None)?;
        self.end_packed(recipe, next)
    }

    /// The state of the pairs between passes. The output holds it if its reals lie like that.
    fn packed_state(&self) -> Result<State> {
        let rank = self.extents.len() - 1;
        let mut strides = vec![0; self.extents.len()];
        let mut stride = 1u64;
        for axis in (0..rank).rev().chain([rank]) {
            if self.geometry.axes.len() > 1 && stride.is_multiple_of(CONFLICTING.into()) {
                stride += u64::from(CACHE_LINE);
            }
            strides[axis] = u32::try_from(stride).map_err(|_| Broken::TooLong(stride))?;
            stride *= u64::from(self.extents[axis]);
        }
        if stride > u32::MAX.into() {
            return Err(Broken::TooLong(stride));
        }
        let state = State::new(&self.extents, &strides, 0, Storage::Complex);
        let output = self.output.as_complex(rank - 1);
        let is_output = self.transform.kind == Kind::C2r && output.dims == state.dims && output.offset == state.offset;
        Ok(if is_output { output } else { state })
    }

    /// Adds a pass of the kernel `fft/halves` over rows of m pairs.
    fn combine_apart(&mut self, recipe: &'a AxisRecipe, m: u32, way: CombineDirection, target: State) {
        let others = self.geometry.axes.iter().copied().filter(|axis| *axis != recipe.axis);
        let mirrored = if recipe.reals == Reals::Packed { others.collect() } else { Vec::new() };
        let body = PassBody::Combine { recipe: &recipe.passes[0], way, mirrored };
        let states = [self.current.clone(), target.clone()];
        let step = SubTransform::new(body, (recipe.axis, 0), states, [Fusion::complex(), Fusion::complex()]);
        self.steps.push(SubTransform { extents: vec![m], ..step });
        self.current = target;
    }
}
