//! The local passes of a transform, for any share of it.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use wgpu_fft::low_level::divide::{InParts, PartKind};
use wgpu_fft::low_level::recipes::fft::Recipe;
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Result, Shape, Spec};

use super::arithmetic::{Arithmetic, Recipes, common, same_arithmetic};
use super::cluster::{Cluster, Device};
use super::failure::{Failure, Outcome};
use super::geometry::Geometry;
use super::link::Link;
use super::local::{LocalPass, PieceWork};
use super::part::Order;
use super::turn::{Block, Piece};
use crate::error;
use crate::task::Task;

/// The number of elements that recipes are chosen for: as many as the transform has, but no more
/// than this, so that any device can hold them. It must not depend on the ranks.
const DESIGNED_FOR: usize = 1 << 24;

/// The plan for the transform along the first axis of a batch of arrays, which is the axis t, by a
/// recipe, with a factor.
type ColumnsBy = Box<dyn Fn(Shape, usize, usize, Compute, &Recipe) -> Result<Arc<dyn Task>>>;
/// The plan for the transposes of a batch.
type Transposes = Box<dyn Fn(Shape, usize) -> Result<Arc<dyn Task>>>;

/// How a pass is cut into pieces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// The most bytes of a piece, if the caller sets them.
    pub piece_bytes: Option<usize>,
    /// Pieces in flight at once.
    pub in_flight: usize,
    /// The most ranks that share an exchange.
    pub group: usize,
}

/// A pass is cut into so many pieces, unless they would be too small or too large: while one is
/// sent, another is computed.
const PIECES: usize = 4;
/// The least bytes of a piece that is not all of a pass, and the most.
const LEAST_PIECE_BYTES: usize = 4 << 20;
const MAX_PIECE_BYTES: usize = 64 << 20;
/// The least of them for each rank of an exchange. Half of them are a message, which takes as long to copy
/// as to begin: with less, more pieces would cost more than they hide.
const LEAST_FOR_A_RANK: usize = 128 << 10;

impl Pace {
    /// The most bytes of a piece of a pass over so many bytes.
    pub fn most(&self, bytes: usize) -> usize {
        let least = LEAST_FOR_A_RANK.saturating_mul(self.group).clamp(LEAST_PIECE_BYTES, MAX_PIECE_BYTES);
        self.piece_bytes.unwrap_or_else(|| bytes.div_ceil(PIECES).clamp(least, MAX_PIECE_BYTES))
    }
}

/// What a device does between two exchanges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Compute {
    /// Transforms the axes that each rank has completely.
    Rows,
    /// Transforms the axis t along contiguous lines.
    Lines(usize),
    /// Transforms the axis t along lines that are not contiguous.
    Strided(usize),
    /// Computes nothing: from natural order, arrays are only transposed.
    Units,
    /// The same, for lines of the axis t.
    TurnedLines(usize),
}

/// A transform and its arithmetic: everything except which rank computes what.
pub(super) struct Passes {
    pub link: Link,
    pub device: Rc<Device>,
    pub geometry: Geometry,
    pub pace: Pace,
    /// The plan for the transform of some units.
    rows: Box<dyn Fn(usize) -> Result<Arc<dyn Task>>>,
    columns_by: ColumnsBy,
    transposes: Transposes,
    columns: Vec<Recipe>,
    pub recipes: Recipes,
}

impl Passes {
    /// Lets the ranks agree on the recipes. Collective.
    pub fn new<S: InParts>(cluster: &Cluster, link: Link, geometry: Geometry, arithmetic: &Arithmetic, pace: Pace) -> error::Result<Self> {
        let device = Rc::clone(&cluster.device);
        let lines = |all: usize, elements: usize| (DESIGNED_FOR / elements).clamp(1, all);
        let spec = {
            let (unit, axes, factor) = (geometry.unit(), (0..geometry.unit.len()).collect::<Vec<_>>(), geometry.factor_of(Compute::Rows));
            let (number, inverse, orthogonal) = (geometry.number, geometry.kind.is_inverse(), geometry.orthogonal);
            let kinds = geometry.kinds.get(geometry.stages()..).unwrap_or_default().to_vec();
            move |units: usize| S::in_direction(number, inverse, unit).of_kinds(&kinds, orthogonal).of_part(units, axes.clone(), factor)
        };
        let units = lines(geometry.all_units(), geometry.positions());
        let recipe = common(&link, &device, &spec(units), arithmetic, |given| Some(given.rows.clone()))?;
        let stages = geometry.stages();
        let columns: Vec<Recipe> = (0..stages)
            .map(|t| {
                let all = geometry.all_units() / geometry.divided[t] * geometry.frequencies();
                let shape = geometry.divided[t].into();
                let spec = geometry.column::<S::Columns>(shape, lines(all, geometry.divided[t]), t, Compute::Lines(t));
                common(&link, &device, &spec, arithmetic, |given| given.columns.get(t).filter(|_| given.columns.len() == stages).cloned())
            })
            .collect::<error::Result<_>>()?;
        let recipes = Recipes { rows: recipe.to_string(), columns: columns.iter().map(ToString::to_string).collect() };
        let own = Rc::clone(&device);
        let rows = Box::new(move |units| Ok(same_arithmetic(&own.planner, spec(units), &recipe)? as Arc<dyn Task>));
        let (own, of) = (Rc::clone(&device), geometry.clone());
        let columns_by: ColumnsBy = Box::new(move |shape, batch, t, compute, recipe| {
            Ok(same_arithmetic(&own.planner, of.column::<S::Columns>(shape, batch, t, compute), recipe)? as Arc<dyn Task>)
        });
        let own = Rc::clone(&device);
        // With a recipe that this device chooses itself.
        let transposes: Transposes = Box::new(move |shape, batch| {
            Ok(own.planner.plan(Permute::<<S::Columns as Spec>::Input>::transpose(shape).batch(batch))? as Arc<dyn Task>)
        });
        Ok(Self { link, device, geometry, pace, rows, columns_by, transposes, columns, recipes })
    }

    /// The pieces in which a rank computes its array `block`.
    pub fn pieces(&self, compute: Compute, block: &Block) -> Vec<Piece> {
        let bytes: usize = self.geometry.line_bytes(compute, block).iter().sum();
        let lines = block.elements().checked_div(block.cut * block.k).unwrap_or(0);
        // Strided lines: the block's last axes are not lines but what is beside them.
        let strided = matches!(compute, Compute::Strided(_));
        block.pieces(self.pace.most(lines.saturating_mul(bytes)), bytes, strided)
    }

    /// The pass that computes the array `block`, or `None` if it has no elements. If `turned`, it
    /// stores the transpose of the lines of each transform of the batch.
    pub fn pass(&self, compute: Compute, block: &Block, turned: bool) -> Outcome<Option<LocalPass>> {
        let pieces = self.pieces(compute, block);
        if pieces.is_empty() {
            return Ok(None);
        }
        let [input, output] = self.geometry.line_bytes(compute, block);
        let mut chains: Vec<Vec<Arc<dyn Task>>> = Vec::new();
        let mut known: HashMap<[usize; 2], usize> = HashMap::new();
        let (mut works, [mut read, mut written]) = (Vec::new(), [0; 2]);
        for piece in &pieces {
            let [batch, lines] = block.lines(piece);
            let chain = match known.get(&[batch, lines]) {
                Some(&chain) => chain,
                None => {
                    chains.push(self.chain(compute, [batch, lines], turned)?);
                    known.insert([batch, lines], chains.len() - 1);
                    chains.len() - 1
                }
            };
            let next = [read + batch * lines * input, written + batch * lines * output];
            works.push(PieceWork { input: read..next[0], output: written..next[1], chain });
            [read, written] = next;
        }
        LocalPass::new(&self.device, &chains, works, self.pace.in_flight, &self.link).map(Some)
    }

    /// The plans for so many transforms of the batch with so many lines each.
    fn chain(&self, compute: Compute, [batch, lines]: [usize; 2], turned: bool) -> Outcome<Vec<Arc<dyn Task>>> {
        let geometry = &self.geometry;
        let no_recipe = || Failure::Other("there is no recipe for a divided axis".to_owned());
        // Accesses of several numbers go across strided lines, but along a line that is alone.
        let of_axis = |t: usize, shape: Shape, batch: usize, single: bool| -> Outcome<Arc<dyn Task>> {
            let recipe = self.columns.get(t).ok_or_else(no_recipe)?;
            let alone = single.then(|| recipe.for_single_column(0));
            Ok((self.columns_by)(shape, batch, t, compute, alone.as_ref().unwrap_or(recipe))?)
        };
        let (mut tasks, elements): (Vec<Arc<dyn Task>>, usize) = match compute {
            Compute::Rows => (vec![(self.rows)(batch * lines)?], geometry.frequencies()),
            Compute::Lines(t) => (vec![of_axis(t, geometry.divided[t].into(), batch * lines, false)?], geometry.divided[t]),
            Compute::Strided(t) => (vec![of_axis(t, [geometry.divided[t], lines].into(), batch, lines == 1)?], geometry.divided[t]),
            Compute::Units => (Vec::new(), geometry.frequencies()),
            Compute::TurnedLines(t) => (Vec::new(), geometry.divided[t]),
        };
        if turned {
            tasks.push((self.transposes)([lines, elements].into(), batch)?);
        }
        Ok(tasks)
    }

    /// The array of `units` units, or of `units` lines of an axis: all lines are alike.
    pub fn some_lines(&self, compute: Compute, units: usize) -> Block {
        let (cut, k) = match compute {
            Compute::Rows | Compute::Units => (self.geometry.columns, self.geometry.inner),
            Compute::Lines(t) | Compute::Strided(t) | Compute::TurnedLines(t) => (self.geometry.divided[t], 1),
        };
        Block { batch: 1, cut, k, a: 1, m: 1, gathered: units, i: 1 }
    }
}

impl Geometry {
    /// The transform along the first axis of a batch of arrays, which is the axis t, as a part of
    /// `compute`.
    fn column<C: InParts>(&self, shape: Shape, batch: usize, t: usize, compute: Compute) -> C {
        let kinds: Vec<_> = self.kinds.get(t).map_or_else(Vec::new, |kind| vec![*kind; shape.rank()]);
        let column = C::in_direction(self.number, self.kind.is_inverse(), shape).of_kinds(&kinds, self.orthogonal);
        column.of_part(batch, vec![0], self.factor_of(compute))
    }

    /// Bytes of a line that a pass reads, and of one that it writes.
    fn line_bytes(&self, compute: Compute, block: &Block) -> [usize; 2] {
        let frequencies = block.cut * block.k * self.frequency_bytes();
        if compute != Compute::Rows {
            return [frequencies; 2];
        }
        let positions = self.positions() * self.position_bytes();
        if self.is_forward() { [positions, frequencies] } else { [frequencies, positions] }
    }

    /// The factor on the outputs of a pass: the whole factor is applied in the last one.
    fn factor_of(&self, compute: Compute) -> f64 {
        let last = if self.is_forward() && self.is_distributed() { Compute::Lines(0) } else { Compute::Rows };
        if compute == last { self.factor } else { 1.0 }
    }

    /// How much larger than its inputs the outputs of a pass can be: a sum of n numbers, and the factor.
    pub fn growth(&self, compute: Compute) -> f64 {
        let (n, axes) = match compute {
            Compute::Rows => (self.positions(), self.unit.len()),
            Compute::Lines(t) | Compute::Strided(t) => (self.divided[t], 1),
            Compute::Units | Compute::TurnedLines(_) => (1, 0),
        };
        // Of reals to reals, factors are 2 at most, and √2 more for single elements.
        let of_kinds = if self.kind == PartKind::Reals { 3f64.powi(axes as i32) } else { 1.0 };
        n as f64 * of_kinds * self.factor_of(compute).abs()
    }

    /// The exchanges of a run.
    pub fn exchanges(&self) -> usize {
        match self.order {
            Order::Transposed | Order::TransposedInput => self.stages(),
            Order::Natural => 2 * self.stages(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_ranks_have_fewer_pieces() {
        let most = |group: usize, bytes: usize| Pace { piece_bytes: None, in_flight: 3, group }.most(bytes);
        assert_eq!([1, 32, 128, 100_000].map(|group| most(group, 32 << 20) >> 20), [8, 8, 16, 64]);
        assert_eq!([1, 32].map(|group| most(group, 2 << 20) >> 20), [4, 4]);
        assert_eq!(most(100_000, 1 << 30) >> 20, 64);
        assert_eq!(Pace { piece_bytes: Some(5), in_flight: 3, group: 1000 }.most(1 << 30), 5);
    }
}
