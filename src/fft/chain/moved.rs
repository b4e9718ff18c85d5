//! Ends of a transform whose elements a pass of their own moves, for a kernel that loads and stores
//! nothing but the numbers of the transform.
//!
//! The kernel `fft/lanes` has no steps fused into it. So where an array has parts of the axes,
//! numbers of 16 bits, or what a fragment of the caller's reads or writes, one pass moves its
//! elements to an array of all elements, or from such an array. Between the two stands a transform
//! of whole arrays.

use super::builder::{Builder, arrays};
use super::state::State;
use super::step::{Fusion, SubTransform};
use crate::fft::place::{Place, Storage};
use crate::fft::recipe::{AxisRecipe, PassRecipe, Reals};
use crate::fft::spec::geometry::Geometry;
use crate::fft::spec::kind::{End, Kind};
use crate::fft::spec::transform::Transform;
use crate::fft::spec::window::Windowed;
use crate::fft::steps::{PartOfAxis, Parts, Real};
use crate::layout::Placed;
use crate::plan::Placement;

/// The passes of a transform, of which `inner` are those of the transform between whole arrays at
/// these ends.
pub(super) fn surrounded<'a>(
    mut inner: Vec<SubTransform<'a>>,
    whole: (&Transform, &Geometry),
    (transform, geometry): (&Transform, &Geometry),
    [moves_input, moves_output]: [bool; 2],
) -> Vec<SubTransform<'a>> {
    let [input, output] = arrays(transform, geometry);
    let [first, last] = arrays(whole.0, whole.1);
    let step = |end, array: &State, whole: &State| move_elements(transform, geometry, end, array, whole);
    if moves_output {
        // The caller's array holds none of the whole ones.
        for state in inner.iter_mut().flat_map(|step| &mut step.states) {
            state.in_output = false;
        }
        inner.push(step(End::Output, &output, &State { in_output: false, ..last }));
    }
    if moves_input {
        let whole = State { in_output: first.in_output && !moves_output, ..first };
        inner.insert(0, step(End::Input, &input, &whole));
    }
    inner
}

/// Whether these recipes need a pass that moves the elements of the input, or those of the output.
pub(in crate::fft) fn moved_ends(transform: &Transform, geometry: &Geometry, axes: &[AxisRecipe]) -> [bool; 2] {
    let is_packed = axes.iter().any(|axis| axis.reals == Reals::Packed);
    let first = axes.first().and_then(|axis| axis.passes.first());
    let last = axes.last().and_then(|axis| axis.passes.last());
    let loads_all = [first, last].map(|pass| is_packed || pass.is_some_and(PassRecipe::is_lanes));
    // Most recipes have no lanes at all, and need not look at the array.
    if loads_all == [false; 2] {
        return loads_all;
    }
    let must = must_move(transform, geometry);
    [0, 1].map(|end| loads_all[end] && must[end])
}

/// Whether the array at each end has other elements than a transform of whole arrays, and a pass
/// can move them.
pub(in crate::fft) fn must_move(transform: &Transform, geometry: &Geometry) -> [bool; 2] {
    let knows = matches!(transform.kind, Kind::C2c(_) | Kind::R2c | Kind::C2r) && transform.kinds.is_empty();
    [End::Input, End::Output].map(|end| {
        let is_plain = transform.maps[end as usize].is_none() && transform.elements[end as usize].is_none();
        let has_parts = parts(geometry, end).next().is_some();
        let extents = whole_windows(geometry, end).into_iter().map(|window| u64::from(window.len));
        let elements = extents.chain([transform.batch as u64]).fold(1u64, u64::saturating_mul);
        knows && transform.framing.is_none() && elements <= u32::MAX.into() && (has_parts || !is_plain)
    })
}

/// The transform with whole arrays without gaps at these ends.
pub(in crate::fft) fn whole(transform: &Transform, geometry: &Geometry, ends: [bool; 2]) -> (Transform, Geometry) {
    let (mut transform, mut geometry) = (transform.clone(), geometry.clone());
    let batch = transform.batch as u32;
    for end in [End::Input, End::Output].into_iter().filter(|&end| ends[end as usize]) {
        transform.placement = Placement::OutOfPlace;
        (transform.maps[end as usize], transform.elements[end as usize]) = (None, None);
        let windows = whole_windows(&geometry, end);
        let extents: Vec<u32> = windows.iter().map(|window| window.len).chain([batch]).collect();
        geometry.windows[end as usize] = windows;
        let placed = Placed::dense(&extents);
        if end == End::Input {
            (geometry.input_extents, geometry.input) = (extents, placed);
        } else {
            transform.transposed = false;
            (geometry.output_extents, geometry.output) = (extents, placed);
        }
    }
    (transform, geometry)
}

/// The transformed axes of which the array at an end has a part. Of the others it has what a larger
/// operation has of them, before the transform and after it.
fn parts(geometry: &Geometry, end: End) -> impl Iterator<Item = (usize, Windowed)> {
    let of_axis = move |&axis: &usize| (axis, geometry.windows[end as usize][axis]);
    geometry.axes.iter().map(of_axis).filter(|(_, window)| !window.is_whole())
}

/// The windows of an array that has all of every transformed axis.
fn whole_windows(geometry: &Geometry, end: End) -> Vec<Windowed> {
    let mut windows = geometry.windows[end as usize].clone();
    for (axis, window) in parts(geometry, end) {
        windows[axis] = if window.half { Windowed::half(window.n) } else { Windowed::whole(window.n) };
    }
    windows
}

/// The pass between the caller's array at an end and the array of all elements. It has a line for
/// every element of the latter. The index that it transforms, by a DFT of length 1, is one of the
/// batch, so that the axes are all alike.
fn move_elements<'a>(transform: &Transform, geometry: &Geometry, end: End, array: &State, whole: &State) -> SubTransform<'a> {
    let rank = transform.shape.rank();
    let last = rank - 1;
    // Reals go in twos, if a row has an even number of them.
    let twos = (whole.storage == Storage::Real && whole.dim((last, 0)).extent.is_multiple_of(2)).then_some(last);
    let inside = twos.map_or_else(|| whole.clone(), |axis| whole.as_complex(axis));
    let mut outside = array.clone();
    let mut axes = Vec::new();
    for (axis, window) in geometry.windows[end as usize].iter().copied().enumerate() {
        if twos != Some(axis) && parts(geometry, end).all(|(own, _)| own != axis) {
            continue;
        }
        let dim = outside.dims.iter_mut().find(|dim| dim.key == (axis, 0)).expect("an array has every axis");
        dim.extent = inside.dim((axis, 0)).extent;
        let place = std::mem::replace(&mut dim.place, Place::linear(0));
        axes.push(PartOfAxis { axis, dim: None, window, stride: place.stride });
    }
    let weights = vec![1, 0];
    let real = (inside.storage == Storage::Real).then_some(Real);
    let own = Fusion { storage: inside.storage, weights: weights.clone(), ..Fusion::complex() }.then_maybe(real.clone());
    let side = Fusion { weights, ..Builder::new(transform, geometry).end(end, rank, true) };
    let side = side.then_maybe((!axes.is_empty()).then_some(Parts { axes, twos })).then_maybe(real);
    let (states, sides) = if end == End::Input { ([outside, inside], [side, own]) } else { ([inside, outside], [own, side]) };
    SubTransform::moving((rank, 1), states, sides)
}
