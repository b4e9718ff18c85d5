//! One pass between two states: what it transforms, and what is fused into its sides.

use super::state::{Dim, Key, State};
use crate::fft::pass::Convolution;
use crate::fft::place::{Place, Storage};
use crate::fft::recipe::PassRecipe;
use crate::fft::spec::window::Windowed;
use crate::fft::steps::{Fuse, Fused, SwapReIm, Twiddle};

/// What one side of a pass holds, and the steps fused into it.
#[derive(Clone, Debug)]
pub(in crate::fft) struct Fusion {
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
    pub(super) fn complex() -> Self {
        Self { storage: Storage::Complex, fused: Vec::new(), by_position: None, weights: Vec::new() }
    }

    /// Complex numbers that a step finds by position. `place` says where positions lie.
    pub(super) fn by_position(place: &Place) -> Self {
        Self { by_position: Some(place.clone()), ..Self::complex() }
    }

    /// Whether a fragment asks for the index on an axis. The axis after the last one is the batch.
    pub fn asks_for(&self, axis: usize) -> bool {
        self.fused.iter().any(|step| step.step().asks_for(axis))
    }

    /// Adds a step next to the transform.
    pub(super) fn then(self, step: impl Into<Fused>) -> Self {
        self.then_maybe(Some(step))
    }

    /// Adds an exchange of real and imaginary parts next to the transform if `swap` is set.
    pub(super) fn then_exchange_if(self, swap: bool) -> Self {
        self.then_maybe(swap.then_some(SwapReIm))
    }

    pub(super) fn then_maybe(mut self, step: Option<impl Into<Fused>>) -> Self {
        self.fused.extend(step.map(Into::into));
        self
    }

    /// Whether the array holds complex numbers, and only exchanges of parts and twiddle factors are
    /// fused.
    pub fn is_plain(&self) -> bool {
        self.storage == Storage::Complex && self.fused.iter().all(|step| step.step().is_plain())
    }

    /// Whether real and imaginary parts are exchanged.
    pub fn has_exchange(&self) -> bool {
        self.fused.iter().any(|step| step.get::<SwapReIm>().is_some())
    }

    /// Whether two lines are taken as one.
    pub fn takes_pairs(&self) -> bool {
        self.fused.iter().any(|step| step.step().pair().is_some())
    }

    /// The twiddle factors on results, if there are any.
    pub fn twiddle(&self) -> Option<&Twiddle> {
        self.fused.last()?.get()
    }
}

/// What a pass does between its sides.
#[derive(Clone, Debug)]
pub(in crate::fft) enum PassBody<'a> {
    /// DFTs along the lines.
    Dft {
        recipe: &'a PassRecipe,
        /// What is done to the spectrum, if there is an inverse DFT too.
        convolution: Option<Convolution>,
    },
    /// The kernel `fft/halves` combines rows of reals in halves.
    Combine {
        /// That of the passes of the rows.
        recipe: &'a PassRecipe,
        way: CombineDirection,
        /// The other axes along which the halves are transformed. An element is combined with one
        /// whose indices on these axes have the opposite sign.
        mirrored: Vec<usize>,
    },
    /// Nothing: the steps on its sides combine halves or move elements. There is nothing to decide.
    Move,
}

/// From which array to which one halves are combined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::fft) enum CombineDirection {
    /// From DFTs of the halves to half-spectra.
    ToSpectrum,
    /// From half-spectra to what becomes the halves.
    ToPacked,
}

/// One pass between two states.
#[derive(Clone, Debug)]
pub(in crate::fft) struct SubTransform<'a> {
    pub body: PassBody<'a>,
    /// The index that is transformed.
    pub element: Key,
    /// The extents of the axes that are transformed together, or the length of the transform alone.
    /// Their indices are one in the states.
    pub extents: Vec<u32>,
    /// The states before and after, with an index for each factor of the axis.
    pub states: [State; 2],
    pub load: Fusion,
    pub store: Fusion,
}

impl<'a> SubTransform<'a> {
    /// A pass over all of an index of its states.
    pub fn new(body: PassBody<'a>, element: Key, states: [State; 2], [load, store]: [Fusion; 2]) -> Self {
        let extents = vec![states[0].dim(element).extent];
        Self { body, element, extents, states, load, store }
    }

    /// A pass that transforms nothing. It has a line for every element: its index, which the states
    /// lack so far, is always 0.
    pub fn moving(element: Key, mut states: [State; 2], sides: [Fusion; 2]) -> Self {
        let nothing = Dim { key: element, extent: 1, place: Place::linear(0) };
        states.iter_mut().for_each(|state| state.dims.push(nothing.clone()));
        Self::new(PassBody::Move, element, states, sides)
    }

    /// Length of the transform.
    pub fn n(&self) -> u32 {
        self.extents.iter().product()
    }

    /// The index along which neighbouring lines form pairs, if they do.
    pub fn pairs_along(&self) -> Option<Key> {
        let [from, to] = &self.states;
        let others = || from.dims.iter().filter(|dim| dim.key != self.element && dim.extent > 1);
        let nearest = || others().min_by_key(|dim| (to.dim(dim.key).place.lowest_stride(), dim.place.lowest_stride()));
        if self.load.takes_pairs() { nearest().map(|dim| dim.key) } else { None }
    }

    /// Whether the index on an axis is asked for: by a fragment, or because its sign matters.
    pub fn asks_for(&self, axis: usize) -> bool {
        let asks = match &self.body {
            PassBody::Dft { convolution: Some(Convolution::Filter(map)), .. } => map.asks_for(axis),
            PassBody::Combine { mirrored, .. } => mirrored.contains(&axis),
            PassBody::Dft { .. } | PassBody::Move => false,
        };
        asks || self.load.asks_for(axis) || self.store.asks_for(axis)
    }

    /// Whether every workgroup of the step stores only to places that no other workgroup loads
    /// from.
    pub fn keeps_positions(&self) -> bool {
        let [from, to] = &self.states;
        // A part that does not begin at position 0 lies elsewhere.
        let moves = |fusion: &Fusion| fusion.fused.iter().any(|step| step.step().window().is_some_and(Windowed::moves));
        let is_combined = matches!(self.body, PassBody::Combine { .. });
        if is_combined || moves(&self.load) || moves(&self.store) || from.storage.of_pairs() != to.storage.of_pairs() {
            return false;
        }
        let (element, stored) = (from.dim(self.element), to.dim(self.element));
        let others_kept = |kept: &dyn Fn(&Place, &Place) -> bool| {
            let mut others = from.dims.iter().filter(|dim| dim.key != self.element).map(|dim| (dim, to.dim(dim.key)));
            others.all(|(dim, other)| dim.extent == other.extent && (dim.extent == 1 || kept(&dim.place, &other.place)))
        };
        // Where one side counts reals, the other one complex numbers.
        let in_twos = |real: &State, complex: &State, kept: &dyn Fn(&Place, &Place) -> bool| {
            let is_row = [element, stored].iter().all(|dim| dim.place == Place::linear(1));
            real.offset == 2 * complex.offset && is_row && others_kept(kept)
        };
        let twice = |real: &Place, complex: &Place| real.low.is_empty() && complex.low.is_empty() && real.stride == 2 * complex.stride;
        match (from.storage.widened(), to.storage.widened()) {
            (Storage::Complex, Storage::Complex) | (Storage::Real, Storage::Real) => {
                let same = element == stored || element.extent == 1 && stored.extent == 1;
                from.offset == to.offset && same && others_kept(&PartialEq::eq)
            }
            (Storage::Real, Storage::Complex) => in_twos(from, to, &twice),
            (Storage::Complex, Storage::Real) => in_twos(to, from, &|complex, real| twice(real, complex)),
            _ => false,
        }
    }
}
