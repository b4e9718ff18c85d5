//! The passes of a Fourier transform along one axis, perhaps as a convolution.

use super::builder::{Builder, block_of};
use super::state::{Digit, Result, State};
use super::step::{Fusion, PassBody, SubTransform};
use crate::fft::pass::Convolution;
use crate::fft::place::Storage;
use crate::fft::recipe::{AxisRecipe, Reals};
use crate::fft::roots::Constant;
use crate::fft::spec::kind::{End, Kind};
use crate::fft::spec::window::Windowed;
use crate::fft::steps::{Factors, IndexFrom, Limit, Map, MapIndex, Real, Twiddle};
use crate::fragment::Checked;
use crate::plan::ensure;

/// A convolution is at most 16 times as long as the transform, or it is at most 4096 long. The
/// rules use less than three times.
const LONGEST_CONVOLUTION: [u32; 2] = [16, 4096];

impl<'a> Builder<'a, '_> {
    /// A Fourier transform of length n along an axis, perhaps as a convolution. Results from
    /// `limit` on are not stored.
    pub(super) fn fourier(
        &mut self,
        recipe: &'a AxisRecipe,
        n: u32,
        [load, store]: [Fusion; 2],
        [load_swap, store_swap]: [bool; 2],
        limit: Option<u32>,
        target: State,
    ) -> Result<()> {
        ensure(recipe.reals != Reals::Pairs || recipe.passes.len() == 1, || "pairs of rows are transformed in one pass".into())?;
        let limit = |computed: u32| limit.filter(|&limit| limit < computed).map(Limit);
        let chirp = |conjugate| Factors(Constant::Chirp { n, conjugate });

        let m = recipe.bluestein.unwrap_or(n);
        if recipe.bluestein.is_some() {
            let (shortest, [times, least]) = (2 * u64::from(n) - 1, LONGEST_CONVOLUTION);
            ensure(u64::from(m) >= shortest, || {
                format!("a convolution of {m} is too short for a transform of {n}, which needs {shortest}")
            })?;
            ensure(m <= n.saturating_mul(times).max(least), || {
                format!(
                    "a convolution of {m} is too long for a transform of {n}: the limit is {times} times that, or {least} if that is more"
                )
            })?;
        }
        let (lengths, product) = lengths(recipe, m);
        ensure(product == u64::from(m), || format!("the lengths of its passes multiply to {product}, not to {m}"))?;

        let load = load.then_exchange_if(load_swap);
        if recipe.bluestein.is_none() {
            return self.run(recipe, &lengths, [load, store.then_exchange_if(store_swap).then_maybe(limit(n))], target);
        }
        // The results need an exchange of parts, which a single pass does itself, and then the
        // chirp. That equals the conjugate chirp and then the exchange. If the store exchanges as
        // well, the two exchanges cancel.
        let exchanges = recipe.passes.len() > 1;
        let load = load.then(chirp(false)).then(Limit(n));
        let store = store.then_exchange_if(store_swap != exchanges).then(chirp(exchanges)).then_maybe(limit(u32::MAX));
        self.there_and_back(recipe, &lengths, [load, store], target, Convolution::Chirp { n, m })
    }

    /// A transform along the only axis, a fragment on its spectrum, and the inverse transform, in
    /// one pass.
    pub(super) fn filter(&mut self, recipe: &'a AxisRecipe, n: u32, fragment: Checked) -> Result<()> {
        let axis = recipe.axis;
        let is_one = recipe.passes.len() == 1 && recipe.bluestein.is_none() && self.geometry.axes.len() == 1;
        ensure(is_one, || "a filter transforms one axis there and back in one pass, without bluestein".into())?;
        ensure(recipe.passes[0].n().is_none_or(|own| own == n), || format!("its radices do not multiply to {n}"))?;
        let Kind::Filter { real } = self.transform.kind else {
            return Err("only a filter has a fragment on its spectrum".into());
        };
        let axes = self.geometry.windows[0].iter().copied().chain([Windowed::whole(self.transform.batch as u32)]);
        let axes = axes.enumerate().map(|(own, window)| match own == axis {
            false => MapIndex { window, from: IndexFrom::Zero },
            // All frequencies of the axis are there, but those of reals are conjugates in pairs.
            true => MapIndex { window: if real { Windowed::half(n) } else { Windowed::whole(n) }, from: IndexFrom::Position },
        });
        ensure(recipe.reals == Reals::Complex, || "rows are filtered one by one, not in pairs or halves".into())?;
        let map = Map { fragment, loads: true, axes: axes.collect() };
        let sides = [End::Input, End::Output].map(|end| self.side(end, axis, true, false).then_maybe(real.then_some(Real)));
        self.there_and_back(recipe, &[n], sides, self.output.clone(), Convolution::Filter(Box::new(map)))
    }

    /// Adds the passes of one transform along an axis, from the current state to `target`.
    fn run(&mut self, recipe: &'a AxisRecipe, lengths: &[u32], [load, store]: [Fusion; 2], target: State) -> Result<()> {
        let (axis, last) = (recipe.axis, lengths.len() - 1);
        let [before, _] = weights(lengths);
        let (from, load) = self.passes_but_last(recipe, lengths, load, &target)?;
        let states = [from, target.split(axis, lengths, &before)?];
        let body = PassBody::Dft { recipe: &recipe.passes[last], convolution: None };
        self.steps.push(SubTransform::new(body, (axis, last), states, [load, Fusion { weights: before, ..store }]));
        // The following passes see the axis as a single index again.
        self.current = target;
        Ok(())
    }

    /// Adds the passes of a convolution along an axis, from the current state to `target`: a
    /// transform in passes, a product, and the inverse transform in the same passes in reverse.
    ///
    /// The last pass there yields the digit k_s of the spectrum's index k = k₀ + n₀·(k₁ + …), which
    /// has the largest weight. The inverse transform, in reverse, takes that digit first. So one
    /// pass does both, with the product between them, and all passes back find their digit where
    /// those there have left it.
    fn there_and_back(
        &mut self,
        recipe: &'a AxisRecipe,
        lengths: &[u32],
        [load, store]: [Fusion; 2],
        target: State,
        convolution: Convolution,
    ) -> Result<()> {
        let (axis, last) = (recipe.axis, lengths.len() - 1);
        let [before, after] = weights(lengths);
        let (mut from, mut load) = self.passes_but_last(recipe, lengths, load, &target)?;
        for f in (0..=last).rev() {
            let body = PassBody::Dft { recipe: &recipe.passes[f], convolution: (f == last).then(|| convolution.clone()) };
            // The product takes the index of the spectrum from the side that stores.
            let (state, own_store) = if f > 0 {
                let own_store = Fusion { weights: before.clone(), ..Fusion::complex() };
                (from.clone(), own_store.then(twiddle(lengths, &before, f, |g| g < f)))
            } else {
                (target.split(axis, lengths, &after)?, Fusion { weights: after.clone(), ..store.clone() })
            };
            let own_load = std::mem::replace(&mut load, Fusion::complex());
            self.steps.push(SubTransform::new(body, (axis, f), [from, state.clone()], [own_load, own_store]));
            from = state;
        }
        self.current = target;
        Ok(())
    }

    /// Adds the passes of a transform along an axis, from the current state towards `target`,
    /// without the last one. Returns the state before that one, and what it loads.
    fn passes_but_last(&mut self, recipe: &'a AxisRecipe, lengths: &[u32], load: Fusion, target: &State) -> Result<(State, Fusion)> {
        let (axis, passes) = (recipe.axis, lengths.len());
        let [_, after] = weights(lengths);
        let linear = |state: &State| state.dim((axis, 0)).place.low.is_empty();
        let has_blocks = || !linear(&self.current) || !linear(target);
        ensure(passes == 1 || !has_blocks(), || format!("blocks along axis {axis}, which is transformed in {passes} passes"))?;
        let mut from = self.current.split(axis, lengths, &after)?;
        let mut own_load = Fusion { weights: after.clone(), ..load.clone() };
        for (f, recipe) in recipe.passes[..passes - 1].iter().enumerate() {
            let state = self.between(&from, axis, lengths, f, &load, block_of(recipe))?;
            let store = Fusion::complex().then(twiddle(lengths, &after, f, |g| g > f));
            let body = PassBody::Dft { recipe, convolution: None };
            self.steps.push(SubTransform::new(body, (axis, f), [from, state.clone()], [own_load, store]));
            (from, own_load) = (state, Fusion::complex());
        }
        Ok((from, own_load))
    }

    /// The state after pass f of an axis, which is not the last pass.
    pub(super) fn between(
        &self,
        current: &State,
        axis: usize,
        lengths: &[u32],
        f: usize,
        load: &Fusion,
        block: Option<[u32; 2]>,
    ) -> Result<State> {
        let (m, last) = (lengths.iter().product::<u32>(), lengths.len() - 1);
        // The arrangement can be kept only if the elements are complex numbers with distinct
        // places. If an input's elements share places, results would overwrite one another.
        let keeps = current.distinct && current.storage == Storage::Complex && load.is_plain();
        let Some([along, _]) = block else {
            if keeps || f > 0 {
                return Ok(current.clone());
            }
            let mut extents = self.extents.clone();
            extents[axis] = m;
            let [_, after] = weights(lengths);
            return self.default_layout(&extents, Storage::Complex, None)?.split(axis, lengths, &after);
        };
        // … [what is left but the last][what is done but the first, last first][left, high][done
        // first][left, low].
        let key = |f: usize| (axis, f);
        let mut order = self.whole(&self.extents, &[axis]);
        order.extend((f + 1..last).map(|g| Digit::whole(key(g), lengths[g])));
        order.extend((1..=f).rev().map(|g| Digit::whole(key(g), lengths[g])));
        let [high, low] = Digit::blocks(key(last), lengths[last], along);
        order.extend([high, Digit::whole(key(0), lengths[0]), low]);
        State::packed(&order)
    }
}

/// The lengths of an axis's passes, and their product. A pass that does not state its length
/// transforms all of `m`.
pub(super) fn lengths(recipe: &AxisRecipe, m: u32) -> (Vec<u32>, u64) {
    let lengths: Vec<u32> = recipe.passes.iter().map(|pass| pass.n().unwrap_or(m)).collect();
    let product = lengths.iter().fold(1u64, |product, &length| product.saturating_mul(length.into()));
    (lengths, product)
}

/// The products of the lengths before each one, and after it: the weights of their digits in the
/// positions of results and of inputs.
pub(super) fn weights(lengths: &[u32]) -> [Vec<u32>; 2] {
    let before = (0..lengths.len()).map(|f| lengths[..f].iter().product()).collect();
    let after = (0..lengths.len()).map(|f| lengths[f + 1..].iter().product()).collect();
    [before, after]
}

/// The factors on the results of pass f, if `left` says which digits have yet to be transformed.
pub(super) fn twiddle(lengths: &[u32], weights: &[u32], f: usize, left: impl Fn(usize) -> bool) -> Twiddle {
    let weights_left = (0..lengths.len()).map(|g| if left(g) { weights[g] } else { 0 }).collect();
    Twiddle { n: lengths[f] * weights[f], weights: weights_left }
}
