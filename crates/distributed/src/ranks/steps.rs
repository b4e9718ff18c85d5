//! The steps of a transform: what is computed, and which exchange follows.
//!
//! Slabs and pencils take the same steps, for one divided axis or for two. A step computes the
//! rank's array in pieces, and sends each piece while the next one is computed.

use super::failure::Outcome;
use super::geometry::{Geometry, Local, RankShares};
use super::local::LocalPass;
use super::part::Order;
use super::passes::{Compute, Passes};
use super::phase::Phase;
use super::turn::{Block, Piece, Turn};

/// An exchange of the axis t.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Direction {
    /// Gathers the axis.
    To(usize),
    /// Divides it again.
    Back(usize),
}

/// A pass, unless the array is exchanged as it is, and the exchange that follows.
type Outline = (Option<(Phase, Compute)>, Option<Direction>);

/// A complex number is at most √2 times as large as its parts, and rounding adds far less than the rest.
pub(super) const ROUNDED: f64 = 1.5;

/// The passes and exchanges of a transform, in order.
fn outline(geometry: &Geometry) -> Vec<Outline> {
    use Direction::{Back, To};
    let stages = geometry.stages();
    let natural = geometry.order == Order::Natural;
    let rows = Some((Phase::Rows, Compute::Rows));
    let Some(last) = stages.checked_sub(1) else { return vec![(rows, None)] };
    let lines = |t: usize| Some((if t == 0 { Phase::Columns } else { Phase::Middle }, Compute::Lines(t)));
    let mut steps = Vec::new();
    if geometry.is_forward() {
        steps.push((rows, Some(To(last))));
        steps.extend((1..stages).rev().map(|t| (lines(t), Some(To(t - 1)))));
        steps.push((lines(0), natural.then_some(Back(0))));
        if natural {
            steps.extend((1..stages).map(|t| (None, Some(Back(t)))));
        }
        return steps;
    }
    if natural {
        steps.push((Some((Phase::Turn, Compute::Units)), Some(To(last))));
        steps.extend((1..stages).rev().map(|t| (Some((Phase::Turn, Compute::TurnedLines(t))), Some(To(t - 1)))));
    }
    steps.push((lines(0), Some(Back(0))));
    steps.extend((1..stages).map(|t| (Some((Phase::Middle, Compute::Strided(t))), Some(Back(t)))));
    steps.push((rows, None));
    steps
}

/// An exchange, and the pieces of each rank of the group.
pub(super) struct ExchangeStep {
    pub phase: Phase,
    pub turn: Turn,
    pub pieces: Vec<Vec<Piece>>,
    /// The units of each rank of the cluster after it.
    pub units: Vec<usize>,
    /// What it sends is at most so many times as large as the largest number of the input.
    pub growth: f64,
}

/// A pass of this rank.
pub(super) struct PassStep {
    pub phase: Phase,
    /// `None` if the rank has no share.
    pub pass: Option<LocalPass>,
    /// The units of each rank of the cluster.
    pub units: Vec<usize>,
}

/// One step of a run.
pub(super) struct Step {
    pub pass: Option<PassStep>,
    pub exchange: Option<ExchangeStep>,
}

impl Step {
    /// The phase that begins it.
    pub fn phase(&self) -> Phase {
        let exchange = self.exchange.as_ref().map(|exchange| exchange.phase);
        self.pass.as_ref().map(|pass| pass.phase).or(exchange).unwrap_or(Phase::Rows)
    }

    /// Bytes of the array that it writes.
    pub fn bytes(&self) -> usize {
        match (&self.exchange, &self.pass) {
            (Some(exchange), _) => exchange.turn.bytes(),
            (None, Some(PassStep { pass: Some(pass), .. })) => pass.bytes()[1],
            _ => 0,
        }
    }

    /// The number of phases in a report.
    pub fn phases(&self) -> usize {
        usize::from(self.pass.is_some()) + usize::from(self.exchange.is_some())
    }
}

/// The number of units of a rank while the axes from `first` on have not been gathered: all axes
/// for `geometry.stages()`, none for 0.
pub(super) fn units_of(local: &Local, first: usize) -> usize {
    let stages = local.rows.len();
    local.transforms() * local.rows_of(0..first) * local.columns_of(first..stages)
}

/// The steps of this rank.
pub(super) fn steps(passes: &Passes, shares: &RankShares) -> Outcome<Vec<Step>> {
    let (geometry, rank, size) = (&passes.geometry, passes.link.rank(), passes.link.size());
    let locals: Vec<Local> = (0..size).map(|rank| geometry.local(shares, rank)).collect();
    let units = |first: usize| locals.iter().map(|local| units_of(local, first)).collect::<Vec<usize>>();
    let mut growth = ROUNDED;
    let step = |(compute, direction): Outline| -> Outcome<Step> {
        growth *= compute.map_or(1.0, |(_, compute)| geometry.growth(compute));
        let turn = direction.map(|direction| match direction {
            Direction::To(t) => Turn::to(geometry, shares, rank, t),
            Direction::Back(t) => Turn::back(geometry, shares, rank, t),
        });
        let of_compute = |compute: Compute| match compute {
            Compute::Rows | Compute::Units => geometry.stages(),
            Compute::Lines(t) | Compute::Strided(t) | Compute::TurnedLines(t) => t,
        };
        let pass = compute.map(|(phase, compute)| -> Outcome<PassStep> {
            let block = match &turn {
                Some(turn) => *turn.block(),
                None => own_lines(passes, compute, &locals[rank]),
            };
            // What is exchanged must lie so that the axis to be cut is the slowest.
            let turned = turn.is_some() && !matches!(compute, Compute::Strided(_));
            Ok(PassStep { phase, pass: passes.pass(compute, &block, turned)?, units: units(of_compute(compute)) })
        });
        let exchange = turn.zip(direction).map(|(turn, direction)| {
            let pieces = turn.blocks.iter().map(|block| match compute {
                Some((_, compute)) => passes.pieces(compute, block),
                None if block.elements() > 0 => vec![block.whole()],
                None => Vec::new(),
            });
            let pieces = pieces.collect();
            let (phase, first) = match direction {
                Direction::To(t) => (Phase::Exchange, t),
                Direction::Back(t) => (Phase::Return, t + 1),
            };
            ExchangeStep { phase, turn, pieces, units: units(first), growth }
        });
        Ok(Step { pass: pass.transpose()?, exchange })
    };
    outline(geometry).into_iter().map(step).collect()
}

/// All lines of this rank in a pass that no exchange follows.
fn own_lines(passes: &Passes, compute: Compute, local: &Local) -> Block {
    let stages = passes.geometry.stages();
    let lines = match compute {
        Compute::Rows | Compute::Units => units_of(local, stages),
        Compute::Lines(t) | Compute::Strided(t) | Compute::TurnedLines(t) => {
            local.transforms() * local.rows_of(0..t) * local.columns_of(t..stages) * passes.geometry.inner
        }
    };
    passes.some_lines(compute, lines)
}

#[cfg(test)]
mod tests {
    use wgpu_fft::fft::C2c;
    use wgpu_fft::low_level::divide::InParts;

    use super::*;
    use crate::ranks::part::Decomposition;

    #[test]
    fn pencils_exchange_twice_and_natural_order_twice_as_often() {
        let count = |inverse: bool, batch: usize, shape: &[usize], order, decomposition| {
            let spec = if inverse { C2c::inverse(shape) } else { C2c::forward(shape) }.batch(batch);
            let geometry = Geometry::new("c2c", &spec.parts().unwrap(), order, decomposition, 4).unwrap();
            let steps = outline(&geometry);
            let exchanges = steps.iter().filter(|(_, exchange)| exchange.is_some()).count();
            assert_eq!(exchanges, geometry.exchanges());
            [steps.iter().filter(|(pass, _)| pass.is_some()).count(), exchanges]
        };
        let (slabs, pencils) = (Decomposition::Slabs, Decomposition::Pencils);
        for (batch, shape, decomposition, [passes, exchanges, passes_from_natural]) in [
            (2, &[8, 8, 8][..], slabs, [1, 0, 1]),
            (1, &[8, 8, 8], slabs, [2, 1, 3]),
            (2, &[8, 8], pencils, [2, 1, 3]),
            (1, &[8, 8, 8], pencils, [3, 2, 5]),
        ] {
            for inverse in [false, true] {
                assert_eq!(count(inverse, batch, shape, Order::Transposed, decomposition), [passes, exchanges]);
            }
            assert_eq!(count(false, batch, shape, Order::Natural, decomposition), [passes, 2 * exchanges]);
            assert_eq!(count(true, batch, shape, Order::Natural, decomposition), [passes_from_natural, 2 * exchanges]);
        }
    }
}
