//! The lines of a pass: what is not the index that it transforms.

use super::passes::Step;
use super::place::Place;

/// One index of a line's number.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub extent: u32,
    pub load: Place,
    pub store: Place,
    pub load_weight: u32,
    pub store_weight: u32,
    pub twiddle_weight: u32,
}

impl Line {
    /// The two as one index, if on both sides the second goes on where the first ends.
    fn merged(&self, next: &Self) -> Option<Self> {
        let goes_on = |first: &Place, second: &Place| {
            first.low.is_empty() && second.low.is_empty() && u64::from(first.stride) * u64::from(self.extent) == u64::from(second.stride)
        };
        let weights =
            [(self.load_weight, next.load_weight), (self.store_weight, next.store_weight), (self.twiddle_weight, next.twiddle_weight)];
        let weights_go_on = weights.into_iter().all(|(first, second)| u64::from(first) * u64::from(self.extent) == u64::from(second));
        (goes_on(&self.load, &next.load) && goes_on(&self.store, &next.store) && weights_go_on)
            .then(|| Self { extent: self.extent * next.extent, ..self.clone() })
    }
}

/// What is not the element of a step, in order: what is near on the store side first, as one index where it is one on both sides. At least one.
pub(super) fn lines(step: &Step<'_>) -> Vec<Line> {
    let [from, to] = &step.states;
    let axis = step.element.0;
    let by_position = step.load.by_position.is_some();
    let mut lines: Vec<Line> = from
        .dims
        .iter()
        .filter(|dim| dim.key != step.element && dim.extent > 1)
        .map(|dim| {
            let own = dim.key.0 == axis;
            let weight = |weights: &[u32]| if own { weights.get(dim.key.1).copied().unwrap_or(0) } else { 0 };
            Line {
                extent: dim.extent,
                load: if own && by_position { Place::linear(0) } else { dim.place.clone() },
                store: to.dim(dim.key).place.clone(),
                load_weight: weight(&step.load.weights),
                store_weight: weight(&step.store.weights),
                twiddle_weight: step.store.twiddle().map_or(0, |twiddle| weight(&twiddle.weights)),
            }
        })
        .collect();
    lines.sort_by_key(|line| (line.store.lowest_stride(), line.load.lowest_stride()));
    let mut merged: Vec<Line> = Vec::new();
    for line in lines {
        match merged.last_mut().and_then(|last| Some((last.merged(&line)?, last))) {
            Some((both, last)) => *last = both,
            None => merged.push(line),
        }
    }
    if merged.is_empty() {
        let nowhere = Place::linear(0);
        merged.push(Line { extent: 1, load: nowhere.clone(), store: nowhere, load_weight: 0, store_weight: 0, twiddle_weight: 0 });
    }
    merged
}
