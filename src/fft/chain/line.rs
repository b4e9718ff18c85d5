//! The lines of a pass: all indices except the one that it transforms.

use super::step::SubTransform;
use crate::fft::place::Place;
use crate::sort::sort_short_by_key;
use crate::strides::{Strided, joined};

/// One index of a line's number.
#[derive(Clone, Default, Debug)]
pub(in crate::fft) struct LineIndex {
    pub extent: u32,
    /// The axis whose index it is, if a fragment asks for that. Such an index is not joined with
    /// others.
    pub axis: Option<usize>,
    pub load: Place,
    pub store: Place,
    pub load_weight: u32,
    pub store_weight: u32,
    pub twiddle_weight: u32,
}

impl Strided for LineIndex {
    fn extent(&mut self) -> &mut u32 {
        &mut self.extent
    }

    fn strides(&self) -> Option<impl AsRef<[u32]>> {
        let Self { load, store, .. } = self;
        let joins = load.low.is_empty() && store.low.is_empty() && self.axis.is_none();
        joins.then_some([load.stride, store.stride, self.load_weight, self.store_weight, self.twiddle_weight])
    }
}

/// The indices of a step other than the transformed one, with those nearest on the store side
/// first. Neighbours that form a single index on both sides are joined. There is at least one.
pub(in crate::fft) fn lines(step: &SubTransform<'_>) -> Vec<LineIndex> {
    let [from, to] = &step.states;
    let axis = step.element.0;
    let [loads_by_position, stores_by_position] = [&step.load, &step.store].map(|fusion| fusion.by_position.is_some());
    let lines = from.dims.iter().filter(|dim| dim.key != step.element).map(|dim| {
        let own = dim.key.0 == axis;
        let weight = |weights: &[u32]| if own { weights.get(dim.key.1).copied().unwrap_or(0) } else { 0 };
        let (load, store) = (dim.place.clone(), to.dim(dim.key).place.clone());
        let load = if own && loads_by_position { Place::linear(0) } else { load };
        let key = (store.lowest_stride(), load.lowest_stride());
        let line = LineIndex {
            extent: dim.extent,
            axis: (!own && step.asks_for(dim.key.0)).then_some(dim.key.0),
            load,
            store: if own && stores_by_position { Place::linear(0) } else { store },
            load_weight: weight(&step.load.weights),
            store_weight: weight(&step.store.weights),
            twiddle_weight: step.store.twiddle().map_or(0, |twiddle| weight(&twiddle.weights)),
        };
        (key, line)
    });
    let mut lines: Vec<_> = lines.collect();
    sort_short_by_key(&mut lines, |(key, _)| *key);
    let mut lines: Vec<LineIndex> = lines.into_iter().map(|(_, line)| line).filter(|line| line.extent > 1).collect();
    // The last of an odd number of rows has no partner in the next array.
    let is_odd = step.load.takes_pairs() && lines.first().is_some_and(|first| first.extent % 2 == 1);
    let others = joined(lines.split_off(usize::from(is_odd)));
    lines.extend(others);
    if lines.is_empty() {
        lines.push(LineIndex { extent: 1, ..LineIndex::default() });
    }
    lines
}
