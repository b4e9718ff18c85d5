//! Rows of reals as complex rows of half the length.

use super::builder::Builder;
use super::fourier::lengths;
use super::state::{Result, State};
use super::step::{Fusion, SubTransform};
use crate::edge::Edge;
use crate::fft::place::Storage;
use crate::fft::recipe::{AxisRecipe, PassRecipe};
use crate::fft::spec::kind::{End, Kind};
use crate::fft::spec::window::Windowed;
use crate::fft::steps::{Frames, IndexFrom, Map, MapIndex, Neighbours, OfPacked, Part, ToPacked};
use crate::plan::{Fit, ensure};

impl<'a> Builder<'a, '_> {
    /// The input side whose frames are loaded in pairs of neighbours, if they may be.
    fn pairs_of_frames(&self, end: End, axis: usize) -> Option<Fusion> {
        let frames = self.frames(end)?;
        let framing = frames.framing.of_pairs()?;
        let fragment = self.transform.map_of_pairs.clone()?;
        let frames_axis = MapIndex { window: self.geometry.windows[end as usize][Frames::AXIS], from: IndexFrom::Zero };
        let pairs = Windowed { len: framing.signal, ..Windowed::whole(framing.n) };
        let batch = MapIndex { window: Windowed::whole(self.transform.batch as u32), from: IndexFrom::Zero };
        let axes = vec![frames_axis, MapIndex { window: pairs, from: IndexFrom::Position }, batch];
        let storage = self.transform.storage(end).of_pairs();
        let by_position = Some(self.current.dim((axis, 0)).place.clone());
        let side = Fusion { storage, by_position, ..Fusion::complex() };
        Some(side.then(Frames { framing, ..frames }).then(Map { fragment, loads: true, axes }))
    }

    /// A side that takes neighbouring reals as complex numbers.
    fn halves_side(&self, end: End, axis: usize) -> Result<Fusion> {
        if let Some(side) = self.pairs_of_frames(end, axis) {
            return Ok(side);
        }
        let by_position = self.frames(end).map(|_| self.current.dim((axis, 0)).place.clone());
        let side = Fusion { by_position, ..self.end(end, axis, true) };
        let side =
            if side.fused.is_empty() { Fusion { storage: side.storage.of_pairs(), ..Fusion::complex() } } else { side.then(Neighbours) };
        let Some(Windowed { n, first, len, edge, .. }) = self.part(end, axis) else { return Ok(side) };
        ensure(edge == Edge::Zero, || "rows of reals in halves, which are continued past their ends".into())?;
        let is_even = first % 2 == 0 && len % 2 == 0;
        ensure(is_even, || format!("rows of reals in halves, of which a part of {len} from {first} on is stored"))?;
        let window = Windowed { first: first / 2, len: len / 2, ..Windowed::whole(n / 2) };
        Ok(side.then(Part { window, guards: false }))
    }

    /// Refuses halves of rows of n reals that do not lie in twos.
    pub(super) fn check_rows_in_halves(&self, recipe: &AxisRecipe, n: u32) -> Result<()> {
        check_halves(recipe, n)?;
        let in_twos = self.transform.reals_in_twos(self.geometry);
        ensure(in_twos, || "rows of reals that do not lie as pairs of neighbours, one after the other and at even distances".into())?;
        Ok(())
    }

    /// Rows of reals as complex numbers of half the length.
    pub(super) fn halves(&mut self, recipe: &'a AxisRecipe, n: u32, [load_swap, store_swap]: [bool; 2], next: Option<usize>) -> Result<()> {
        if recipe.passes.iter().all(PassRecipe::is_lanes) {
            return self.halves_apart(recipe, next);
        }
        let (axis, m) = (recipe.axis, n / 2);
        self.check_rows_in_halves(recipe, n)?;
        let mut extents = self.extents.clone();
        let first = self.steps.is_empty();
        let stored = self.part(End::Output, axis).map_or(m + 1, |part| part.len);
        if self.transform.kind == Kind::C2r {
            let load = self.side(End::Input, axis, first, true).then(ToPacked { n });
            let store = self.halves_side(End::Output, axis)?;
            let limit = self.part(End::Output, axis).map_or(Some(m), |_| None);
            let target = self.output.as_complex(axis);
            self.fourier(recipe, m, [load, store], [load_swap, store_swap], limit, target)?;
            self.extents[axis] = n;
            return Ok(());
        }
        let load = self.halves_side(End::Input, axis)?;
        self.current = self.current.as_complex(axis);
        // The spectrum of the reals has one more element.
        extents[axis] = stored;
        let is_last = next.is_none();
        let (store, target) = match recipe.passes.len() {
            1 => (self.side(End::Output, axis, is_last, true), self.after(recipe, &extents, next)?),
            _ => (self.end(End::Output, axis, is_last), self.without_blocks(&extents, next)?),
        };
        self.spectrum_of_halves(recipe, n, stored, [load, store], target)?;
        self.extents = extents;
        Ok(())
    }

    /// The first `stored` elements of the spectra of lines of n reals, from their halves.
    pub(super) fn spectrum_of_halves(
        &mut self,
        recipe: &'a AxisRecipe,
        n: u32,
        stored: u32,
        [load, store]: [Fusion; 2],
        target: State,
    ) -> Result<()> {
        let m = n / 2;
        if recipe.passes.len() == 1 {
            return self.fourier(recipe, m, [load, store.then(OfPacked { n })], [false; 2], None, target);
        }
        let mut extents = self.extents.clone();
        extents[recipe.axis] = m;
        let middle = self.default_layout(&extents, Storage::Complex, None)?;
        self.fourier(recipe, m, [load, Fusion::complex()], [false; 2], Some(m), middle)?;
        self.combine(recipe.axis, n, stored, store, target);
        Ok(())
    }

    /// Adds a pass that transforms nothing, but combines the halves of a line of n reals to
    /// `stored` elements of their spectrum.
    fn combine(&mut self, axis: usize, n: u32, stored: u32, store: Fusion, target: State) {
        let mut from = self.current.clone();
        from.dims.iter_mut().filter(|dim| dim.key == (axis, 0)).for_each(|dim| dim.extent = stored);
        let weights = vec![1, 0];
        let load = Fusion { weights: weights.clone(), ..Fusion::by_position(&self.current.dim((axis, 0)).place).then(OfPacked { n }) };
        let store = Fusion { weights, ..store };
        self.steps.push(SubTransform::moving((axis, 1), [from, target.clone()], [load, store]));
        self.current = target;
    }
}

/// Refuses halves of n reals that are none, or that the passes do not transform.
pub(super) fn check_halves(recipe: &AxisRecipe, n: u32) -> Fit {
    let (_, product) = lengths(recipe, n / 2);
    ensure(n.is_multiple_of(2) && (recipe.bluestein.is_some() || product == u64::from(n / 2)), || {
        format!("rows of {n} reals in halves need passes whose lengths multiply to {n}/2, not to {product}")
    })
}
