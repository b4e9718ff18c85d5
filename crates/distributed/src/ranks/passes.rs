//! The local passes of a transform, for any share of it.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use wgpu_fft::fft::C2c;
use wgpu_fft::low_level::divide::InParts;
use wgpu_fft::low_level::recipes::fft::Recipe;
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Complex32, Result};

use super::arithmetic::{Arithmetic, Recipes, common, same_arithmetic};
use super::cluster::{Cluster, Device};
use super::failure::{Failure, Outcome};
use super::geometry::{COMPLEX, Geometry};
use super::link::Link;
use super::local::{LocalPass, PieceWork};
use super::part::Order;
use super::turn::{Block, Piece};
use crate::error;
use crate::task::Task;

/// The number of elements that recipes are chosen for: as many as the transform has, but no more
/// than this, so that any device can hold them. It must not depend on the ranks.
const DESIGNED_FOR: usize = 1 << 24;

/// How a pass is cut into pieces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// The most bytes of a piece, if the caller sets them.
    pub piece_bytes: Option<usize>,
    /// Pieces in flight at once.
    pub in_flight: usize,
}

/// A pass is cut into so many pieces, unless they would be too small or too large: while one is
/// sent, another is computed.
const PIECES: usize = 4;
/// The least bytes of a piece that is not all of a pass, and the most.
const LEAST_PIECE_BYTES: usize = 4 << 20;
const MAX_PIECE_BYTES: usize = 64 << 20;

impl Pace {
    /// The most bytes of a piece of a pass over so many bytes.
    fn most(&self, bytes: usize) -> usize {
        self.piece_bytes.unwrap_or_else(|| bytes.div_ceil(PIECES).clamp(LEAST_PIECE_BYTES, MAX_PIECE_BYTES))
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
            let inverse = geometry.kind.is_inverse();
            move |units: usize| S::in_direction(inverse, unit).of_part(units, axes.clone(), factor)
        };
        let units = lines(geometry.all_units(), geometry.positions());
        let recipe = common(&link, &device, &spec(units), arithmetic, |given| Some(given.rows.clone()))?;
        let stages = geometry.stages();
        let columns: Vec<Recipe> = (0..stages)
            .map(|t| {
                let all = geometry.all_units() / geometry.divided[t] * geometry.frequencies();
                let spec = geometry.lines(t, lines(all, geometry.divided[t]));
                common(&link, &device, &spec, arithmetic, |given| given.columns.get(t).filter(|_| given.columns.len() == stages).cloned())
            })
            .collect::<error::Result<_>>()?;
        let recipes = Recipes { rows: recipe.to_string(), columns: columns.iter().map(ToString::to_string).collect() };
        let own = Rc::clone(&device);
        let rows = Box::new(move |units| Ok(same_arithmetic(&own.planner, spec(units), &recipe)? as Arc<dyn Task>));
        Ok(Self { link, device, geometry, pace, rows, columns, recipes })
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
        let (mut works, mut begin) = (Vec::new(), 0);
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
            let end = begin + batch * lines * input;
            works.push(PieceWork { input: begin..end, output: batch * lines * output, chain });
            begin = end;
        }
        LocalPass::new(&self.device, &chains, works, self.pace.in_flight, self.link.timeout()).map(Some)
    }

    /// The plans for so many transforms of the batch with so many lines each.
    fn chain(&self, compute: Compute, [batch, lines]: [usize; 2], turned: bool) -> Outcome<Vec<Arc<dyn Task>>> {
        let (planner, geometry) = (&self.device.planner, &self.geometry);
        let no_recipe = || Failure::Other("there is no recipe for a divided axis".to_owned());
        // Accesses of several numbers go across strided lines, but along a line that is alone.
        let of_axis = |t: usize, spec: C2c, single: bool| -> Outcome<Arc<dyn Task>> {
            let recipe = self.columns.get(t).ok_or_else(no_recipe)?;
            let alone = single.then(|| recipe.for_single_column(0));
            Ok(same_arithmetic(planner, spec, alone.as_ref().unwrap_or(recipe))?)
        };
        let (mut tasks, elements): (Vec<Arc<dyn Task>>, usize) = match compute {
            Compute::Rows => (vec![(self.rows)(batch * lines)?], geometry.frequencies()),
            Compute::Lines(t) => (vec![of_axis(t, geometry.lines(t, batch * lines), false)?], geometry.divided[t]),
            Compute::Strided(t) => {
                let spec = C2c::in_direction(geometry.kind.is_inverse(), [geometry.divided[t], lines].into());
                (vec![of_axis(t, spec.of_part(batch, vec![0], geometry.factor_of(compute)), lines == 1)?], geometry.divided[t])
            }
            Compute::Units => (Vec::new(), geometry.frequencies()),
            Compute::TurnedLines(t) => (Vec::new(), geometry.divided[t]),
        };
        if turned {
            // A transpose of complex numbers, with a recipe that this device chooses itself.
            tasks.push(planner.plan(Permute::<Complex32>::transpose([lines, elements]).batch(batch))?);
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
    /// The transform of so many contiguous lines along the axis t.
    fn lines(&self, t: usize, lines: usize) -> C2c {
        let factor = self.factor_of(Compute::Lines(t));
        C2c::in_direction(self.kind.is_inverse(), self.divided[t].into()).of_part(lines, vec![0], factor)
    }

    /// Bytes of a line that a pass reads, and of one that it writes.
    fn line_bytes(&self, compute: Compute, block: &Block) -> [usize; 2] {
        let frequencies = block.cut * block.k * COMPLEX;
        if compute != Compute::Rows {
            return [frequencies; 2];
        }
        let positions = self.positions() * self.position_bytes();
        if self.is_forward() { [positions, frequencies] } else { [frequencies, positions] }
    }

    /// The factor on the outputs of a pass: the whole factor is applied in the last one.
    fn factor_of(&self, compute: Compute) -> f32 {
        let last = if self.is_forward() && self.is_distributed() { Compute::Lines(0) } else { Compute::Rows };
        if compute == last { self.factor } else { 1.0 }
    }

    /// The exchanges of a run.
    pub fn exchanges(&self) -> usize {
        match self.order {
            Order::Transposed => self.stages(),
            Order::Natural => 2 * self.stages(),
        }
    }
}
