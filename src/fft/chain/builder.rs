//! What all parts of a chain share: where it stands, its arrays, and the sides of its passes.

use super::state::{Digit, Result, State};
use super::step::{Fusion, SubTransform};
use crate::fft::place::Storage;
use crate::fft::recipe::{AxisRecipe, PassRecipe};
use crate::fft::spec::geometry::Geometry;
use crate::fft::spec::kind::{End, Kind};
use crate::fft::spec::transform::Transform;
use crate::fft::spec::window::Windowed;
use crate::fft::steps::{Frames, IndexFrom, Map, MapIndex, Part};
use crate::plan::Placement;

pub(super) struct Builder<'a, 'b> {
    pub(super) transform: &'b Transform,
    pub(super) geometry: &'b Geometry,
    pub(super) output: State,
    /// Extents of the current state, followed by the batch.
    pub(super) extents: Vec<u32>,
    /// Whether arrays have one more index, for the real and the imaginary parts of complex numbers.
    pub(super) in_parts: bool,
    /// Whether reals are transformed as an array of pairs.
    pub(super) packed: bool,
    pub(super) current: State,
    pub(super) steps: Vec<SubTransform<'a>>,
}

impl<'a, 'b> Builder<'a, 'b> {
    pub(super) fn new(transform: &'b Transform, geometry: &'b Geometry) -> Self {
        let [current, output] = arrays(transform, geometry);
        let (extents, steps) = (geometry.input_extents.clone(), Vec::new());
        Self { transform, geometry, output, extents, in_parts: false, packed: false, current, steps }
    }

    /// The part of an axis that is stored at one end, if it is not all of it.
    pub(super) fn part(&self, end: End, axis: usize) -> Option<Windowed> {
        let framed = end == End::Input && self.transform.framing.is_some();
        Some(self.geometry.windows[end as usize][axis]).filter(|window| !framed && !window.is_whole())
    }

    /// The frames of the signal at this end.
    pub(super) fn frames(&self, end: End) -> Option<Frames> {
        let framing = self.transform.framing.filter(|_| end == End::Input)?;
        Some(Frames { framing, frame: None })
    }

    /// A side of a pass over an axis without its part of the axis. At an end of the transform, this
    /// is the caller's array with the caller's fragment; between two axes, complex numbers.
    pub(super) fn end(&self, end: End, axis: usize, is_end: bool) -> Fusion {
        if !is_end {
            return Fusion { storage: self.transform.between(), ..Fusion::complex() };
        }
        let fragment = self.transform.maps[end as usize].clone();
        let batch = Windowed::whole(self.transform.batch as u32);
        let windows = self.geometry.windows[end as usize].iter().copied().chain([batch]).enumerate();
        let from = |own: usize| if own == axis { IndexFrom::Position } else { IndexFrom::Zero };
        let axes = windows.map(|(own, window)| MapIndex { window, from: from(own) });
        let map = fragment.map(|fragment| Map { fragment, loads: end == End::Input, axes: axes.collect() });
        Fusion { storage: self.transform.storage(end), ..Fusion::complex() }.then_maybe(self.frames(end)).then_maybe(map)
    }

    /// A side of a pass over an axis. Elements are found by their position on the axis if a step
    /// asks for others than the line's own (`by_position`), or if the array begins elsewhere on the
    /// axis. Where steps ask for elements of their choice, parts of the axis are guarded one by
    /// one.
    pub(super) fn side(&self, end: End, axis: usize, is_end: bool, chooses: bool) -> Fusion {
        let part = self.part(end, axis);
        let framed = is_end && self.frames(end).is_some();
        let loads_elsewhere = end == End::Input && (chooses || framed || part.is_some_and(|part| part.moves()));
        let by_position = loads_elsewhere.then(|| self.current.dim((axis, 0)).place.clone());
        let side = Fusion { by_position, ..self.end(end, axis, is_end) };
        side.then_maybe(part.map(|window| Part { window, guards: chooses }))
    }

    /// The state after an axis, of which `next` is the next one.
    pub(super) fn after(&self, recipe: &AxisRecipe, extents: &[u32], next: Option<usize>) -> Result<State> {
        match (next, recipe.passes.last().and_then(block_of)) {
            (Some(next), Some(block)) => self.default_layout(extents, self.transform.between(), Some((recipe.axis, next, block))),
            (next, _) => self.without_blocks(extents, next),
        }
    }

    /// The same without blocks.
    pub(super) fn without_blocks(&self, extents: &[u32], next: Option<usize>) -> Result<State> {
        if next.is_none() { Ok(self.output.clone()) } else { self.default_layout(extents, self.transform.between(), None) }
    }

    /// The state between two axes or in the midst of one: that of the output if it has these
    /// extents, otherwise one without gaps, or one in blocks along one axis and across the next.
    pub(super) fn default_layout(&self, extents: &[u32], storage: Storage, blocks: Option<(usize, usize, [u32; 2])>) -> Result<State> {
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
    pub(super) fn whole(&self, extents: &[u32], without: &[usize]) -> Vec<Digit> {
        let rank = extents.len() - 1;
        let axes = (0..rank).filter(|axis| !without.contains(axis));
        let digits = [rank].into_iter().chain(axes).map(|axis| Digit::whole((axis, 0), extents[axis]));
        self.in_parts.then(|| Digit::whole((rank + 1, 0), 2)).into_iter().chain(digits).collect()
    }
}

/// The arrays of a transform before its first pass and after its last one.
pub(super) fn arrays(transform: &Transform, geometry: &Geometry) -> [State; 2] {
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

pub(super) fn block_of(pass: &PassRecipe) -> Option<[u32; 2]> {
    match pass {
        PassRecipe::Stockham(stockham) => stockham.block,
        PassRecipe::Radix2 { .. } | PassRecipe::Lanes { .. } => None,
    }
}
