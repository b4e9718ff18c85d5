//! A step as a pass of the kernel `fft/pass`.

use super::line::{LineIndex, lines};
use super::state::State;
use super::step::{Fusion, PassBody, SubTransform};
use crate::fft::pass::{Convolution, Pass, Side};
use crate::fft::place::Place;
use crate::fft::spec::number::Number;
use crate::fft::steps::{Coordinates, Pair};

impl SubTransform<'_> {
    /// The pass of such numbers by these radices, and the number of its lines; or why there is
    /// none.
    pub fn pass(&self, radices: &[u32], number: Number) -> Result<(Pass, u32), String> {
        let mut lines = lines(self);
        let pairs = if self.load.takes_pairs() { pair(&mut lines)?.map(Some) } else { [None; 2] };
        let weights: Vec<u32> = lines.iter().map(|line| line.twiddle_weight).collect();
        let axes: Vec<Option<usize>> = lines.iter().map(|line| line.axis).collect();
        let coordinates = |pair| Coordinates { axes: &axes, weights: &weights, pair };
        let side = |fusion: &Fusion, state: &State, of_line: &dyn Fn(&LineIndex) -> (Place, u32), pair| {
            let (places, weights) = lines.iter().map(of_line).unzip();
            Side {
                storage: fusion.storage,
                offset: state.offset,
                place: fusion.by_position.clone().unwrap_or_else(|| state.dim(self.element).place.clone()),
                by_position: fusion.by_position.is_some(),
                lines: places,
                weight: fusion.weights.get(self.element.1).copied().unwrap_or(1),
                weights,
                fused: fusion.fused.iter().map(|fused| fused.on(&coordinates(pair))).collect(),
            }
        };
        let pass = Pass {
            number,
            radices: radices.to_vec(),
            extents: self.extents.clone(),
            lines: lines.iter().map(|line| line.extent).collect(),
            load: side(&self.load, &self.states[0], &|line| (line.load.clone(), line.load_weight), pairs[0]),
            store: side(&self.store, &self.states[1], &|line| (line.store.clone(), line.store_weight), pairs[1]),
            convolution: match &self.body {
                PassBody::Dft { convolution: Some(Convolution::Filter(map)), .. } => {
                    Some(Convolution::Filter(Box::new(map.on_lines(&coordinates(None)))))
                }
                PassBody::Dft { convolution, .. } => convolution.clone(),
                PassBody::Combine { .. } | PassBody::Move => None,
            },
            twos: None,
        };
        Ok((pass, lines.iter().map(|line| line.extent).product()))
    }
}

/// Takes lines in pairs along the fastest index. Returns the distance to the second line of a
/// pair, on each side.
fn pair(lines: &mut [LineIndex]) -> Result<[Pair; 2], String> {
    let first = &mut lines[0];
    let odd = (first.extent % 2 == 1).then_some((0, first.extent));
    first.extent = first.extent.div_ceil(2);
    let halve = |place: &mut Place| match place.low.first_mut() {
        None => {
            let distance = place.stride;
            // With a single pair the stride is never used.
            place.stride = place.stride.saturating_mul(2);
            Some(distance)
        }
        Some((base, stride)) if *base % 2 == 0 => {
            let distance = *stride;
            (*base, *stride) = (*base / 2, *stride * 2);
            Some(distance)
        }
        Some(_) => None,
    };
    match (halve(&mut first.load), halve(&mut first.store)) {
        (Some(load), Some(store)) => Ok([Pair { distance: load, odd }, Pair { distance: store, odd }]),
        _ => Err("rows are transformed in pairs, but its blocks have an odd number of rows".to_owned()),
    }
}
