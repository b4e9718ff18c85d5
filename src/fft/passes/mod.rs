//! A transform as a chain of passes between states of the array, before buffers are chosen.
//!
//! An axis of length n = n₀·n₁·…·nₛ takes one pass per factor. Let j = (…(j₀·n₁ + j₁)·n₂ + …) + jₛ
//! and k = k₀ + n₀·(k₁ + n₁·(…)). Pass f is a DFT of length n_f over j_f, which k_f replaces. It
//! then multiplies by exp(-2πi·k_f·m/N), where m counts the j_g with g > f and N = n_f·…·nₛ. So a
//! state of the array has either one index for each axis, or one index for each factor of it.

mod moved;
mod packed;
mod real_axis;
mod state;
mod together;

use super::fused::{
    Exchange, Factors, Frames, Fused, Half, IndexFrom, Limit, Map, MapIndex, Neighbours, OfPacked, Pair, Pairs, Part, Real, RealAxis,
    Separate, ToPacked, Twiddle,
};
use super::pass::Convolution;
use super::place::{Place, Storage};
use super::real_kind::Inner;
use super::recipe::{AxisRecipe, PassRecipe, Reals};
use super::roots::Constant;
use super::transform::{End, Geometry, Kind, Transform};
use super::window::Windowed;
use crate::edge::Edge;
use crate::fragment::Checked;
use crate::plan::Placement;
use moved::Moved;
pub(super) use moved::{moved_ends, must_move, whole};
use state::Digit;
pub(super) use state::{Dim, Key, State};

/// What one side of a pass holds, and the steps fused into it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fusion {
    pub storage: Storage,
    /// The steps between the array and the transform, the one next to the array first.
    pub fused: Vec<Fused>,
    /// Where positions on the axis lie, if elements are found by position.
    pub by_position: Option<Place>,
    /// The weight of each factor's index in the position on the axis.
    pub weights: Vec<u32>,
}

impl Fusion {
    /// Complex numbers, unchanged.
    fn complex() -> Self {
        Self { storage: Storage::Complex, fused: Vec::new(), by_position: None, weights: Vec::new() }
    }

    /// Complex numbers that a step finds by position. `place` says where positions lie.
    fn by_position(place: &Place) -> Self {
        Self { by_position: Some(place.clone()), ..Self::complex() }
    }

    /// Whether a fragment asks for the index on an axis. The axis after the last one is the batch.
    pub fn asks_for(&self, axis: usize) -> bool {
        self.fused.iter().any(|step| match step {
            Fused::Map(map) => map.asks_for(axis),
            Fused::Parts(parts) => parts.has(axis),
            Fused::Frames(_) => axis == Frames::AXIS,
            _ => false,
        })
    }

    /// Adds a step next to the transform.
    fn then(self, step: impl Into<Fused>) -> Self {
        self.then_maybe(Some(step))
    }

    /// Adds an exchange of real and imaginary parts next to the transform if `swap` is set.
    fn then_exchange_if(self, swap: bool) -> Self {
        self.then_maybe(swap.then_some(Exchange))
    }

    /// Adds a step next to the transform, if there is one.
    fn then_maybe(mut self, step: Option<impl Into<Fused>>) -> Self {
        self.fused.extend(step.map(Into::into));
        self
    }

    /// Whether the array holds complex numbers, and only exchanges of parts and twiddle factors are
    /// fused.
    pub fn is_plain(&self) -> bool {
        self.storage == Storage::Complex && self.fused.iter().all(|step| matches!(step, Fused::Exchange(_) | Fused::Twiddle(_)))
    }

    /// Whether real and imaginary parts are exchanged.
    pub fn exchanges(&self) -> bool {
        self.fused.contains(&Fused::Exchange(Exchange))
    }

    /// Whether two lines are taken as one.
    pub fn takes_pairs(&self) -> bool {
        self.fused.iter().any(|step| step.step().pair().is_some())
    }

    /// The twiddle factors on results, if there are any.
    pub fn twiddle(&self) -> Option<&Twiddle> {
        if let Some(Fused::Twiddle(twiddle)) = self.fused.last() { Some(twiddle) } else { None }
    }
}

/// One pass between two states.
#[derive(Clone, Debug)]
pub(super) struct Step<'a> {
    /// `None` if the pass transforms nothing, but combines halves or moves elements. Then there is
    /// nothing to decide.
    pub recipe: Option<&'a PassRecipe>,
    /// The index that is transformed.
    pub element: Key,
    /// Length of the transform.
    pub n: u32,
    /// The extents of the axes that are transformed together, or the length alone. Their indices
    /// are one in the states.
    pub extents: Vec<u32>,
    /// The states before and after, with an index for each factor of the axis.
    pub states: [State; 2],
    pub load: Fusion,
    pub store: Fusion,
    /// What is done to the spectrum, if this pass is a convolution.
    pub convolution: Option<Convolution>,
    /// Set if the kernel `fft/halves` does the step, which transforms nothing.
    pub combines: Option<Combines>,
}

/// What a pass does to rows of reals in halves, instead of a transform.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Combines {
    pub way: Way,
    /// The other axes along which the halves are transformed. An element is combined with one whose
    /// indices on these axes have the opposite sign.
    pub mirrored: Vec<usize>,
}

/// From which array to which one halves are combined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Way {
    /// From DFTs of the halves to half-spectra.
    ToSpectrum,
    /// From half-spectra to what becomes the halves.
    ToPacked,
}

/// The most passes of an axis. Six with radices up to 64 are enough for every length.
const MOST_PASSES: usize = 8;

/// A convolution is at most 16 times as long as the transform, or it is at most 4096 long. The
/// rules use less than three times.
const LONGEST_CONVOLUTION: [u32; 2] = [16, 4096];

/// Why a chain of passes is impossible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Broken {
    /// The recipe does not solve the transform.
    Unfit(String),
    /// The number of elements of an array between two passes, or of an axis with its padding. A
    /// device can index 2³² at most.
    TooLong(u64),
}

impl From<String> for Broken {
    fn from(why: String) -> Self {
        Self::Unfit(why)
    }
}

impl From<&str> for Broken {
    fn from(why: &str) -> Self {
        Self::Unfit(why.to_owned())
    }
}

type Result<T> = std::result::Result<T, Broken>;

impl Step<'_> {
    /// The index along which neighbouring lines form pairs, if they do.
    pub fn pairs_along(&self) -> Option<Key> {
        let [from, to] = &self.states;
        let others = || from.dims.iter().filter(|dim| dim.key != self.element && dim.extent > 1);
        let nearest = || others().min_by_key(|dim| (to.dim(dim.key).place.lowest_stride(), dim.place.lowest_stride()));
        if self.load.takes_pairs() { nearest().map(|dim| dim.key) } else { None }
    }

    /// Whether the index on an axis is asked for: by a fragment, or because its sign matters.
    pub fn asks_for(&self, axis: usize) -> bool {
        let between = matches!(&self.convolution, Some(Convolution::Filter(map)) if map.asks_for(axis));
        let mirrored = self.combines.as_ref().is_some_and(|combines| combines.mirrored.contains(&axis));
        between || mirrored || self.load.asks_for(axis) || self.store.asks_for(axis)
    }

    /// Whether every workgroup of the step stores only to places that no other workgroup loads
    /// from.
    pub fn keeps_positions(&self) -> bool {
        if self.combines.is_some() {
            return false;
        }
        let [from, to] = &self.states;
        // A part that does not begin at position 0 lies elsewhere.
        let moves = |fusion: &Fusion| fusion.fused.iter().any(|step| matches!(step, Fused::Part(part) if part.window.moves()));
        if moves(&self.load) || moves(&self.store) {
            return false;
        }
        let others_kept = |factor: u32| {
            from.dims.iter().filter(|dim| dim.key != self.element).all(|dim| {
                let kept = to.dim(dim.key);
                dim.extent == kept.extent
                    && (dim.extent == 1
                        || if factor == 1 {
                            dim.place == kept.place
                        } else {
                            // One side counts reals, the other complex numbers.
                            let (real, complex) = if from.storage.widened() == Storage::Real { (dim, kept) } else { (kept, dim) };
                            real.place.low.is_empty() && complex.place.low.is_empty() && real.place.stride == 2 * complex.place.stride
                        })
            })
        };
        let (element, stored) = (from.dim(self.element), to.dim(self.element));
        if from.storage.of_pairs() != to.storage.of_pairs() {
            return false;
        }
        match (from.storage.widened(), to.storage.widened()) {
            (Storage::Complex, Storage::Complex) | (Storage::Real, Storage::Real) => {
                let same = element == stored || element.extent == 1 && stored.extent == 1;
                from.offset == to.offset && same && others_kept(1)
            }
            (Storage::Half(_) | Storage::Other(_), _) | (_, Storage::Half(_) | Storage::Other(_)) => false,
            (Storage::Real, Storage::Complex) => {
                from.offset == 2 * to.offset && [element, stored].iter().all(|dim| dim.place == Place::linear(1)) && others_kept(2)
            }
            (Storage::Complex, Storage::Real) => {
                2 * from.offset == to.offset && [element, stored].iter().all(|dim| dim.place == Place::linear(1)) && others_kept(2)
            }
        }
    }
}

/// The passes of the axes in this order, or why they do not solve the transform.
pub(super) fn chain<'a>(transform: &Transform, geometry: &Geometry, axes: &'a [AxisRecipe]) -> Result<Vec<Step<'a>>> {
    if let Some(AxisRecipe { axis, through, .. }) = axes.iter().find(|own| own.through < own.axis) {
        return Err(format!("axes {axis} to {through} in one pass, of which the slowest comes first").into());
    }
    let mut named: Vec<usize> = axes.iter().flat_map(AxisRecipe::axes).collect();
    named.sort_unstable();
    if named != geometry.axes {
        return Err(format!("it transforms the axes {named:?}, not {:?}", geometry.axes).into());
    }
    // The axis with the reals comes first or last.
    let last = transform.shape.rank() - 1;
    let real_first = transform.kind == Kind::R2c;
    let real_last = transform.kind == Kind::C2r;
    if real_first && axes[0].axis != last || real_last && axes[axes.len() - 1].axis != last {
        return Err(format!("the last axis of a real transform comes {}", if real_first { "first" } else { "last" }).into());
    }
    let steps = match Moved::new(transform, geometry, axes) {
        None => Builder::new(transform, geometry).steps(axes)?,
        Some(moved) => {
            let mut steps = Builder::new(&moved.transform, &moved.geometry).steps(axes)?;
            moved.surround(&mut steps, transform, geometry);
            steps
        }
    };
    let apart = |step: &&Step<'_>| step.pairs_along().is_some_and(|index| !transform.may_mix(geometry, index.0));
    if let Some(step) = steps.iter().find(apart) {
        return Err(format!(
            "rows of axis {} in pairs that no other transformed axis mixes: a NaN of one row would reach the other (rows-may-mix allows it)",
            step.element.0
        )
        .into());
    }
    Ok(steps)
}

/// The arrays of a transform before its first pass and after its last one.
fn arrays(transform: &Transform, geometry: &Geometry) -> [State; 2] {
    let mut output = State::new(&geometry.output_extents, &geometry.output.strides, geometry.output.offset, transform.storage(End::Output));
    output.in_output = true;
    let mut input = State::new(&geometry.input_extents, &geometry.input.strides, geometry.input.offset, transform.storage(End::Input));
    input.distinct = geometry.input.distinct;
    // A row of two reals has as many elements as its half-spectrum, but not its bytes.
    let holds_complex = u64::from(transform.form_of(End::Output).bytes()) >= transform.number.complex_bytes();
    input.in_output = input.storage == Storage::Complex
        && (transform.kind == Kind::C2r && transform.placement == Placement::InPlace
            || holds_complex && input.dims == output.dims && input.offset == output.offset);
    [input, output]
}

struct Builder<'a, 'b> {
    transform: &'b Transform,
    geometry: &'b Geometry,
    output: State,
    /// Extents of the current state, followed by the batch.
    extents: Vec<u32>,
    /// Whether arrays have one more index, for the real and the imaginary parts of complex numbers.
    in_parts: bool,
    /// Whether reals are transformed as an array of pairs.
    packed: bool,
    current: State,
    steps: Vec<Step<'a>>,
}

impl<'a, 'b> Builder<'a, 'b> {
    fn new(transform: &'b Transform, geometry: &'b Geometry) -> Self {
        let [current, output] = arrays(transform, geometry);
        let (extents, steps) = (geometry.input_extents.clone(), Vec::new());
        Self { transform, geometry, output, extents, in_parts: false, packed: false, current, steps }
    }

    /// The passes of all axes.
    fn steps(mut self, axes: &'a [AxisRecipe]) -> Result<Vec<Step<'a>>> {
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
        self.set_down();
        Ok(self.steps)
    }

    fn axis(&mut self, recipe: &'a AxisRecipe, first: bool, next: Option<usize>) -> Result<()> {
        let axis = recipe.axis;
        let rank = self.transform.shape.rank();
        let Inner { n, reals } = self.transform.inner(axis);
        let (real_load, real_store) = (reals == Some(End::Input), reals == Some(End::Output));
        if !(1..=MOST_PASSES).contains(&recipe.passes.len()) {
            return Err(format!("axis {axis} takes 1 to {MOST_PASSES} passes, not {}", recipe.passes.len()).into());
        }
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
        if recipe.reals != Reals::Complex && !(real_load || real_store) {
            return Err(format!("axis {axis} has no reals to take in pairs or halves").into());
        }
        if recipe.reals == Reals::Halves {
            return self.halves(recipe, n, [load_swap, store_swap], next);
        }
        let (single, pairs) = (recipe.passes.len() == 1, recipe.reals == Reals::Pairs);
        if pairs && !single {
            return Err("pairs of rows are transformed in one pass".into());
        }
        // The distance of a pair is known once the lines have been ordered.
        let pair = Pair::default();
        let last = next.is_none();
        let load = match (real_load, real_store, pairs) {
            (true, _, true) => self.side(End::Input, axis, first, false).then(Pairs(pair)),
            (true, _, false) => self.side(End::Input, axis, first, false).then(Real),
            (_, true, _) => self.side(End::Input, axis, first, true).then(Half { n }).then_maybe(pairs.then_some(Pairs(pair))),
            _ => self.side(End::Input, axis, first, false),
        };
        // Where two spectra are separated, half of each is stored in any case.
        let (store, limit, stored) = match (real_load, real_store, pairs) {
            (true, _, true) => (self.side(End::Output, axis, last, true).then(Separate { n, pair }), None, n / 2 + 1),
            (true, _, false) => (self.side(End::Output, axis, last, false), Some(n / 2 + 1), n / 2 + 1),
            (_, true, true) => (self.side(End::Output, axis, last, false).then(Pairs(pair)), Some(n), n),
            (_, true, false) => (self.side(End::Output, axis, last, false).then(Real), Some(n), n),
            _ => (self.side(End::Output, axis, last, false), Some(n), n),
        };
        // A part of the axis is stricter than its end.
        let part = self.part(End::Output, axis);
        let (limit, stored) = part.map_or((limit, stored), |part| (None, part.len));
        let mut after = self.extents.clone();
        after[axis] = stored;
        let target = self.after(recipe, &after, next)?;
        self.fourier(recipe, n, [load, store], [load_swap, store_swap], limit, target)?;
        self.extents = after;
        Ok(())
    }

    /// The state after an axis, of which `next` is the next one.
    fn after(&self, recipe: &AxisRecipe, extents: &[u32], next: Option<usize>) -> Result<State> {
        let block = recipe.passes.last().and_then(block_of);
        match next {
            None => Ok(self.output.clone()),
            Some(next) => self.natural(extents, self.transform.between(), block.map(|block| (recipe.axis, next, block))),
        }
    }

    /// A Fourier transform of length n along an axis, perhaps as a convolution. Results from
    /// `limit` on are not stored.
    fn fourier(
        &mut self,
        recipe: &'a AxisRecipe,
        n: u32,
        [load, store]: [Fusion; 2],
        [load_swap, store_swap]: [bool; 2],
        limit: Option<u32>,
        target: State,
    ) -> Result<()> {
        let axis = recipe.axis;
        let limit = |computed: u32| limit.filter(|&limit| limit < computed).map(Limit);
        let chirp = |conjugate| Factors(Constant::Chirp { n, conjugate });

        let m = recipe.bluestein.unwrap_or(n);
        if recipe.bluestein.is_some() && u64::from(m) < 2 * u64::from(n) - 1 {
            return Err(format!("a convolution of {m} is too short for a transform of {n}, which needs {}", 2 * u64::from(n) - 1).into());
        }
        let [times, least] = LONGEST_CONVOLUTION;
        if recipe.bluestein.is_some() && m > n.saturating_mul(times).max(least) {
            return Err(format!(
                "a convolution of {m} is too long for a transform of {n}: the limit is {times} times that, or {least} if that is more"
            )
            .into());
        }
        let (lengths, product) = lengths(recipe, m);
        if product != u64::from(m) {
            return Err(format!("the lengths of its passes multiply to {product}, not to {m}").into());
        }

        let load = load.then_exchange_if(load_swap);
        match recipe.bluestein {
            None => self.run(axis, recipe, &lengths, load, store.then_exchange_if(store_swap).then_maybe(limit(n)), target, None)?,
            Some(_) if recipe.passes.len() == 1 => {
                let load = load.then(chirp(false)).then(Limit(n));
                let store = store.then_exchange_if(store_swap).then(chirp(false)).then_maybe(limit(u32::MAX));
                self.run(axis, recipe, &lengths, load, store, target, Some(Convolution::Chirp { n, m }))?;
            }
            Some(_) => {
                let load = load.then(chirp(false)).then(Limit(n));
                // The results need an exchange of parts and then the chirp. That equals the
                // conjugate chirp and then the exchange. If the store exchanges as well, the two
                // exchanges cancel.
                let store = store.then_exchange_if(!store_swap).then(chirp(true)).then_maybe(limit(u32::MAX));
                self.there_and_back(axis, recipe, &lengths, [load, store], target, Convolution::Chirp { n, m })?;
            }
        }
        Ok(())
    }

    /// A transform along the only axis, a fragment on its spectrum, and the inverse transform, in
    /// one pass.
    fn filter(&mut self, recipe: &'a AxisRecipe, n: u32, fragment: Checked) -> Result<()> {
        let axis = recipe.axis;
        if recipe.passes.len() != 1 || recipe.bluestein.is_some() || self.geometry.axes.len() != 1 {
            return Err("a filter transforms one axis there and back in one pass, without bluestein".into());
        }
        if recipe.passes[0].n().is_some_and(|own| own != n) {
            return Err(format!("its radices do not multiply to {n}").into());
        }
        let Kind::Filter { real } = self.transform.kind else {
            return Err("only a filter has a fragment on its spectrum".into());
        };
        let axes = self.geometry.windows[0].iter().copied().chain([Windowed::whole(self.transform.batch as u32)]);
        let axes = axes.enumerate().map(|(own, window)| {
            if own == axis {
                // All frequencies of the axis are there, but those of reals are conjugates in
                // pairs.
                let window = if real { Windowed::half(n) } else { Windowed::whole(n) };
                MapIndex { window, from: IndexFrom::Position }
            } else {
                MapIndex { window, from: IndexFrom::Zero }
            }
        });
        if recipe.reals != Reals::Complex {
            return Err("rows are filtered one by one, not in pairs or halves".into());
        }
        let map = Map { fragment, loads: true, axes: axes.collect() };
        let [load, store] = [End::Input, End::Output].map(|end| self.side(end, axis, true, false).then_maybe(real.then_some(Real)));
        let target = self.output.clone();
        self.run(axis, recipe, &[n], load, store, target, Some(Convolution::Filter(map)))
    }

    /// The part of an axis that is stored at one end, if it is not all of it.
    fn part(&self, end: End, axis: usize) -> Option<Windowed> {
        let framed = end == End::Input && self.transform.framing.is_some();
        Some(self.geometry.windows[end as usize][axis]).filter(|window| !framed && !window.is_whole())
    }

    /// The frames of the signal at this end.
    fn frames(&self, end: End) -> Option<Frames> {
        let framing = self.transform.framing.filter(|_| end == End::Input)?;
        Some(Frames { framing, frame: IndexFrom::Zero })
    }

    /// A side of a pass over an axis without its part of the axis. At an end of the transform, this
    /// is the caller's array with the caller's fragment; between two axes, complex numbers.
    fn end(&self, end: End, axis: usize, is_end: bool) -> Fusion {
        if !is_end {
            return Fusion { storage: self.transform.between(), ..Fusion::complex() };
        }
        let fragment = self.transform.maps[end as usize].clone();
        let index = |own: usize, window: Windowed| {
            let from = if own == axis { IndexFrom::Position } else { IndexFrom::Zero };
            MapIndex { window, from }
        };
        let batch = Windowed::whole(self.transform.batch as u32);
        let axes = self.geometry.windows[end as usize].iter().copied().chain([batch]).enumerate().map(|(own, window)| index(own, window));
        let map = fragment.map(|fragment| Map { fragment, loads: end == End::Input, axes: axes.collect() });
        Fusion { storage: self.transform.storage(end), ..Fusion::complex() }.then_maybe(self.frames(end)).then_maybe(map)
    }

    /// A side of a pass over an axis. Elements are found by their position on the axis if a step
    /// asks for others than the line's own (`by_position`), or if the array begins elsewhere on the
    /// axis. Where steps ask for elements of their choice, parts of the axis are guarded one by
    /// one.
    fn side(&self, end: End, axis: usize, is_end: bool, chooses: bool) -> Fusion {
        let part = self.part(end, axis);
        let framed = is_end && self.frames(end).is_some();
        let loads_elsewhere = end == End::Input && (chooses || framed || part.is_some_and(|part| part.moves()));
        let by_position = loads_elsewhere.then(|| self.current.dim((axis, 0)).place.clone());
        let side = Fusion { by_position, ..self.end(end, axis, is_end) };
        side.then_maybe(part.map(|window| Part { window, guards: chooses }))
    }

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
        if edge != Edge::Zero {
            return Err("rows of reals in halves, which are continued past their ends".into());
        }
        if first % 2 == 1 || len % 2 == 1 {
            return Err(format!("rows of reals in halves, of which a part of {len} from {first} on is stored").into());
        }
        let window = Windowed { first: first / 2, len: len / 2, ..Windowed::whole(n / 2) };
        Ok(side.then(Part { window, guards: false }))
    }

    /// Refuses halves of rows of n reals that do not lie in twos.
    fn check_rows_in_halves(&self, recipe: &AxisRecipe, n: u32) -> Result<()> {
        check_halves(recipe, n)?;
        if !self.transform.reals_in_twos(self.geometry) {
            return Err("rows of reals that do not lie as pairs of neighbours, one after the other and at even distances".into());
        }
        Ok(())
    }

    /// Rows of reals as complex numbers of half the length.
    fn halves(&mut self, recipe: &'a AxisRecipe, n: u32, [load_swap, store_swap]: [bool; 2], next: Option<usize>) -> Result<()> {
        if recipe.passes.iter().all(|pass| matches!(pass, PassRecipe::Lanes { .. })) {
            return self.halves_apart(recipe, next);
        }
        let (axis, m) = (recipe.axis, n / 2);
        self.check_rows_in_halves(recipe, n)?;
        let mut extents = self.extents.clone();
        extents[axis] = m;
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
        if recipe.passes.len() == 1 {
            extents[axis] = stored;
            let target = self.after(recipe, &extents, next)?;
            let store = self.side(End::Output, axis, next.is_none(), true).then(OfPacked { n });
            self.fourier(recipe, m, [load, store], [false; 2], None, target)?;
            self.extents = extents;
            return Ok(());
        }
        let middle = self.natural(&extents, Storage::Complex, None)?;
        self.fourier(recipe, m, [load, Fusion::complex()], [false; 2], Some(m), middle)?;
        // The spectrum of the reals has one more element.
        extents[axis] = stored;
        let target = match next {
            None => self.output.clone(),
            Some(_) => self.natural(&extents, self.transform.between(), None)?,
        };
        self.combine(axis, n, stored, self.end(End::Output, axis, next.is_none()), target);
        self.extents = extents;
        Ok(())
    }

    /// Adds a pass that transforms nothing, but combines the halves of a line of n reals to
    /// `stored` elements of their spectrum. Its element index is always 0, and it has a line for
    /// every element of the spectrum.
    fn combine(&mut self, axis: usize, n: u32, stored: u32, store: Fusion, target: State) {
        let nothing = Dim { key: (axis, 1), extent: 1, place: Place::linear(0) };
        let (mut from, mut to) = (self.current.clone(), target.clone());
        from.dims.iter_mut().filter(|dim| dim.key == (axis, 0)).for_each(|dim| dim.extent = stored);
        [&mut from, &mut to].into_iter().for_each(|state| state.dims.push(nothing.clone()));
        let weights = vec![1, 0];
        let load = Fusion { weights: weights.clone(), ..Fusion::by_position(&self.current.dim((axis, 0)).place).then(OfPacked { n }) };
        let store = Fusion { weights, ..store };
        self.steps.push(Step {
            recipe: None,
            element: (axis, 1),
            n: 1,
            extents: vec![1],
            states: [from, to],
            load,
            store,
            convolution: None,
            combines: None,
        });
        self.current = target;
    }

    /// A single in-place pass that changes places would store where others have yet to load. Lets
    /// it store to a workspace instead, and adds a pass that moves the result to its place.
    fn set_down(&mut self) {
        let [step] = &mut self.steps[..] else { return };
        if self.transform.placement == Placement::OutOfPlace || step.keeps_positions() {
            return;
        }
        let key = (step.element.0, step.element.1 + 1);
        let mut states = [&step.states[1]; 2].map(State::clone);
        for state in &mut states {
            state.dims.push(Dim { key, extent: 1, place: Place::linear(0) });
        }
        // The workspace holds numbers of 32 bits.
        let storage = step.store.storage;
        step.store.storage = storage.widened();
        (step.states[1].in_output, step.states[1].storage) = (false, step.states[1].storage.widened());
        states[0].storage = step.states[1].storage;
        let plain = Fusion { weights: vec![0; key.1 + 1], ..Fusion::complex() };
        let store = Fusion { storage, ..plain.clone() };
        self.steps.push(Step {
            recipe: None,
            element: key,
            n: 1,
            extents: vec![1],
            states,
            load: plain,
            store,
            convolution: None,
            combines: None,
        });
    }

    /// The state between two axes or in the midst of one: that of the output if it has these
    /// extents, otherwise one without gaps, or one in blocks along one axis and across the next.
    fn natural(&self, extents: &[u32], storage: Storage, blocks: Option<(usize, usize, [u32; 2])>) -> Result<State> {
        let packed = |order: &[Digit]| Ok(State { storage, ..State::packed(order)? });
        if let Some((along, across, block)) = blocks {
            let [along_high, along_low] = Digit::blocks((along, 0), extents[along], block[0]);
            let [across_high, across_low] = Digit::blocks((across, 0), extents[across], block[1]);
            let mut order = self.whole(extents, &[along, across]);
            order.extend([across_high, along_high, across_low, along_low]);
            return packed(&order);
        }
        let inside_input = self.transform.placement == Placement::InPlace
            && self.transform.kind == Kind::C2r
            && self.transform.storage(End::Input) == storage
            && extents == self.geometry.input_extents.as_slice();
        let is_output = self.output.storage == storage && !self.transform.transposed && !self.in_parts;
        if extents == self.geometry.output_extents.as_slice() && is_output {
            Ok(self.output.clone())
        } else if inside_input {
            let state = State::new(extents, &self.geometry.input.strides, self.geometry.input.offset, storage);
            Ok(State { in_output: true, ..state })
        } else {
            packed(&self.whole(extents, &[]))
        }
    }

    /// The indices other than those of some axes, row-major with the batch outermost.
    fn whole(&self, extents: &[u32], without: &[usize]) -> Vec<Digit> {
        let rank = extents.len() - 1;
        let axes = (0..rank).filter(|axis| !without.contains(axis));
        let digits = [rank].into_iter().chain(axes).map(|axis| Digit::whole((axis, 0), extents[axis]));
        self.in_parts.then(|| Digit::whole((rank + 1, 0), 2)).into_iter().chain(digits).collect()
    }

    /// Adds the passes of one transform along an axis, from the current state to `target`.
    #[expect(clippy::too_many_arguments, reason = "each is another part of the pass")]
    fn run(
        &mut self,
        axis: usize,
        recipe: &'a AxisRecipe,
        lengths: &[u32],
        load: Fusion,
        store: Fusion,
        target: State,
        convolution: Option<Convolution>,
    ) -> Result<()> {
        let last = lengths.len() - 1;
        let [before, _] = weights(lengths);
        let (from, load) = self.passes_but_last(axis, recipe, lengths, load, &target)?;
        let states = [from, target.split(axis, lengths, &before)?];
        self.pass(&recipe.passes[last], (axis, last), states, [load, Fusion { weights: before, ..store }], convolution);
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
        axis: usize,
        recipe: &'a AxisRecipe,
        lengths: &[u32],
        [load, store]: [Fusion; 2],
        target: State,
        convolution: Convolution,
    ) -> Result<()> {
        let last = lengths.len() - 1;
        let [before, after] = weights(lengths);
        let (mut from, mut load) = self.passes_but_last(axis, recipe, lengths, load, &target)?;
        for f in (0..=last).rev() {
            let convolution = (f == last).then(|| convolution.clone());
            // The product takes the index of the spectrum from the side that stores.
            let (state, own_store) = if f > 0 {
                let own_store = Fusion { weights: before.clone(), ..Fusion::complex() };
                (from.clone(), own_store.then(twiddle(lengths, &before, f, |g| g < f)))
            } else {
                (target.split(axis, lengths, &after)?, Fusion { weights: after.clone(), ..store.clone() })
            };
            let own_load = std::mem::replace(&mut load, Fusion::complex());
            self.pass(&recipe.passes[f], (axis, f), [from, state.clone()], [own_load, own_store], convolution);
            from = state;
        }
        self.current = target;
        Ok(())
    }

    /// Adds a pass that transforms one index of its states.
    fn pass(
        &mut self,
        recipe: &'a PassRecipe,
        element: Key,
        states: [State; 2],
        [load, store]: [Fusion; 2],
        convolution: Option<Convolution>,
    ) {
        let n = states[0].dim(element).extent;
        let recipe = Some(recipe);
        self.steps.push(Step { recipe, element, n, extents: vec![n], states, load, store, convolution, combines: None });
    }

    /// Adds the passes of a transform along an axis, from the current state towards `target`,
    /// without the last one. Returns the state before that one, and what it loads.
    fn passes_but_last(
        &mut self,
        axis: usize,
        recipe: &'a AxisRecipe,
        lengths: &[u32],
        load: Fusion,
        target: &State,
    ) -> Result<(State, Fusion)> {
        let passes = lengths.len();
        let [_, after] = weights(lengths);
        let linear = |state: &State| state.dim((axis, 0)).place.low.is_empty();
        if passes > 1 && !(linear(&self.current) && linear(target)) {
            return Err(format!("blocks along axis {axis}, which is transformed in {passes} passes").into());
        }
        let mut from = self.current.split(axis, lengths, &after)?;
        let mut own_load = Fusion { weights: after.clone(), ..load.clone() };
        for (f, pass) in recipe.passes[..passes - 1].iter().enumerate() {
            let state = self.between(&from, axis, lengths, f, &load, block_of(pass))?;
            let store = Fusion::complex().then(twiddle(lengths, &after, f, |g| g > f));
            self.pass(pass, (axis, f), [from, state.clone()], [own_load, store], None);
            (from, own_load) = (state, Fusion::complex());
        }
        Ok((from, own_load))
    }

    /// The state after pass f of an axis, which is not the last pass.
    fn between(&self, current: &State, axis: usize, lengths: &[u32], f: usize, load: &Fusion, block: Option<[u32; 2]>) -> Result<State> {
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
            return self.natural(&extents, Storage::Complex, None)?.split(axis, lengths, &after);
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
fn lengths(recipe: &AxisRecipe, m: u32) -> (Vec<u32>, u64) {
    let lengths: Vec<u32> = recipe.passes.iter().map(|pass| pass.n().unwrap_or(m)).collect();
    let product = lengths.iter().fold(1u64, |product, &length| product.saturating_mul(length.into()));
    (lengths, product)
}

/// Refuses halves of n reals that are none, or that the passes do not transform.
fn check_halves(recipe: &AxisRecipe, n: u32) -> Result<()> {
    let (_, product) = lengths(recipe, n / 2);
    if n % 2 == 1 || recipe.bluestein.is_none() && product != u64::from(n / 2) {
        return Err(format!("rows of {n} reals in halves need passes whose lengths multiply to {n}/2, not to {product}").into());
    }
    Ok(())
}

/// The products of the lengths before each one, and after it: the weights of their digits in the
/// positions of results and of inputs.
fn weights(lengths: &[u32]) -> [Vec<u32>; 2] {
    let before = (0..lengths.len()).map(|f| lengths[..f].iter().product()).collect();
    let after = (0..lengths.len()).map(|f| lengths[f + 1..].iter().product()).collect();
    [before, after]
}

/// The factors on the results of pass f, if `left` says which digits have yet to be transformed.
fn twiddle(lengths: &[u32], weights: &[u32], f: usize, left: impl Fn(usize) -> bool) -> Twiddle {
    let weights_left = (0..lengths.len()).map(|g| if left(g) { weights[g] } else { 0 }).collect();
    Twiddle { n: lengths[f] * weights[f], weights: weights_left }
}

fn block_of(pass: &PassRecipe) -> Option<[u32; 2]> {
    match pass {
        PassRecipe::Stockham(stockham) => stockham.block,
        PassRecipe::Radix2 { .. } | PassRecipe::Lanes { .. } => None,
    }
}
