//! The passes of an axis that is transformed from reals to reals: those of a Fourier transform,
//! with steps on both sides that find the reals in the array.

use super::builder::Builder;
use super::halves::check_halves;
use super::state::{Result, State};
use super::step::Fusion;
use crate::fft::place::Storage;
use crate::fft::recipe::{AxisRecipe, Reals};
use crate::fft::spec::kind::{End, Kind};
use crate::fft::spec::real_kind::Inner;
use crate::fft::steps::{Coefficients, Fused, Half, Pair, PairCoefficients, Pairs, Quarter, Real, RealAxis, Separate, Sequence, ToPacked};
use crate::plan::ensure;

impl<'a> Builder<'a, '_> {
    /// Adds the passes of an axis from reals to reals. In an array of complex numbers, their parts
    /// are transformed as arrays of their own.
    pub(super) fn real_axis(&mut self, recipe: &'a AxisRecipe, real: RealAxis, first: bool, next: Option<usize>) -> Result<()> {
        let axis = recipe.axis;
        let target = self.after(recipe, &self.extents, next)?;
        let mut stored = target.clone();
        if self.transform.kind != Kind::R2r {
            (self.current, stored) = (self.current.as_parts(), target.as_parts());
            self.in_parts = true;
        }
        if let Some(pairs) = self.pairs_of_lines(recipe, real, [first, next.is_none()], &stored) {
            self.in_parts = false;
            self.line_pairs(recipe, real, pairs)?;
            self.current = target;
            return Ok(());
        }
        let load = self.reals(End::Input, axis, first, &self.current);
        let store = self.reals(End::Output, axis, next.is_none(), &stored);
        self.real_passes(recipe, real, [load, store], stored)?;
        self.in_parts = false;
        self.current = target;
        Ok(())
    }

    /// The states before and after the axis, if its recipe takes pairs of lines and these are
    /// neighbours everywhere, so that each access loads or stores a number of both.
    fn pairs_of_lines(&self, recipe: &AxisRecipe, real: RealAxis, is_end: [bool; 2], stored: &State) -> Option<[State; 2]> {
        let has_map = |(end, is_end): (usize, bool)| is_end && self.transform.maps[end].is_some();
        if recipe.reals != Reals::Pairs || !real.kind.is_type_ii_or_iii() || is_end.into_iter().enumerate().any(has_map) {
            return None;
        }
        let ((from, from_axis), (to, to_axis)) = (self.current.as_pairs(recipe.axis)?, stored.as_pairs(recipe.axis)?);
        // Neighbours before the axis must be neighbours after it.
        (from_axis == to_axis && self.transform.may_mix(self.geometry, from_axis.0)).then_some([from, to])
    }

    fn line_pairs(&mut self, recipe: &'a AxisRecipe, real: RealAxis, [from, to]: [State; 2]) -> Result<()> {
        let axis = recipe.axis;
        let Inner { n, reals } = self.transform.inner(axis);
        let [load, store] = [&from, &to].map(|state| Fusion::by_position(&state.dim((axis, 0)).place));
        let (sequence, coefficients) = (Sequence { axis: real, halves: false }, PairCoefficients(real));
        self.current = from;
        let inverse = reals == Some(End::Output);
        let sides = if inverse { [load.then(coefficients), store.then(sequence)] } else { [load.then(sequence), store.then(coefficients)] };
        self.fourier(recipe, n, sides, [inverse; 2], if inverse { Some(n) } else { None }, to)
    }

    fn reals(&self, end: End, axis: usize, is_end: bool, state: &State) -> Fusion {
        let by_position = Some(state.dim((axis, 0)).place.clone());
        let side = if self.in_parts { Fusion::complex() } else { self.end(end, axis, is_end) };
        let storage = if self.in_parts { Storage::Real } else { side.storage };
        Fusion { storage, by_position, ..side }
    }

    fn real_passes(&mut self, recipe: &'a AxisRecipe, real: RealAxis, [load, store]: [Fusion; 2], target: State) -> Result<()> {
        let axis = recipe.axis;
        let Inner { n, reals } = self.transform.inner(axis);
        let halves = recipe.reals == Reals::Halves;
        let [sequence, coefficients] = [Fused::from(Sequence { axis: real, halves }), Coefficients(real).into()];
        let Some(end) = reals else {
            let is_complex = recipe.reals == Reals::Complex;
            ensure(is_complex, || format!("axis {axis} is transformed as complex numbers, not in pairs or halves"))?;
            let sides = [load.then(Quarter(real)), store.then(Quarter(real))];
            return self.fourier(recipe, n, sides, [false; 2], Some(n), target);
        };
        let inverse = end == End::Output;
        let (load, store) = match end {
            End::Input => (load.then(sequence), store.then(coefficients)),
            End::Output => (load.then(coefficients), store.then(sequence)),
        };
        if !halves {
            let (sides, limit) = with_reals(end, recipe.reals == Reals::Pairs, n, [load, store]);
            return self.fourier(recipe, n, sides, [inverse; 2], limit, target);
        }
        // Neighbours of the sequence of n reals are complex numbers.
        check_halves(recipe, n)?;
        match end {
            End::Input => self.spectrum_of_halves(recipe, n, n / 2 + 1, [load, store], target),
            End::Output => self.fourier(recipe, n / 2, [load.then(ToPacked { n }), store], [true; 2], Some(n / 2), target),
        }
    }
}

/// The steps by which rows of n reals at this end are rows of complex numbers, one by one or in
/// pairs, and how many results are stored, unless steps say so.
pub(super) fn with_reals(end: End, pairs: bool, n: u32, [load, store]: [Fusion; 2]) -> ([Fusion; 2], Option<u32>) {
    // The distance of a pair is known once the lines have been ordered.
    let pair = Pair::default();
    match (end, pairs) {
        (End::Input, true) => ([load.then(Pairs(pair)), store.then(Separate { n, pair })], None),
        (End::Input, false) => ([load.then(Real), store], Some(n / 2 + 1)),
        (End::Output, true) => ([load.then(Half { n }).then(Pairs(pair)), store.then(Pairs(pair))], Some(n)),
        (End::Output, false) => ([load.then(Half { n }), store.then(Real)], Some(n)),
    }
}
