//! One pass between two states: what it transforms, and what is fused into its sides.

use super::state::{Key, State};
use crate::fft::pass::Convolution;
use crate::fft::place::{Place, Storage};
use crate::fft::recipe::PassRecipe;
use crate::fft::spec::window::Windowed;
use crate::fft::steps::{Fuse, Fused, SwapReIm, Twiddle};

/// What one side of a pass holds, and the steps fused into it.
#[derive(Clone, PartialEq, Eq, Debug)]
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

    /// Adds a step next to the transform, if there is one.
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
        if let PassBody::Combine { .. } = self.body {
            return false;
        }
        let [from, to] = &self.states;
        // A part that does not begin at position 0 lies elsewhere.
        let moves = |fusion: &Fusion| fusion.fused.iter().any(|step| step.step().window().is_some_and(Windowed::moves));
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
