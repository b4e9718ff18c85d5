//! One reduction in pieces, each for a device of its own, with the bits of the whole.
//!
//! [`division`] says how the array can be cut, by its shape alone. However it is cut, everything is
//! combined in the order that [`Determinism::AcrossDevices`] fixes for the whole array, so the
//! result has the bits that one device gives for the whole in that order:
//!
//! | division | a unit | each piece | in the end |
//! |---|---|---|---|
//! | [`Division::Parts`] | a part of the first pass | [`partial`]: those parts' partial results, as words | [`join`]: the remaining passes over all of them |
//! | [`Division::Lines`] | an index of the slowest axis that is kept | [`piece`]: the results of those indices | nothing |
//! | [`Division::Whole`] | the array | | |
//!
//! Which determinism the reduction asks for makes no difference. What the order leaves to devices,
//! their divisions and roots, what they round inside a caller's operator, and products of f64,
//! which they may fuse, is each device's here as well: those of a mean or norm in parts are that
//! device's which joins, others are of the device that has the piece. Sums of f64 keep the order
//! like all others, on devices that have f64.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use super::design::{Order, fixed_order, fixed_width, in_order};
use super::fit::{Portion, Work};
use super::geometry::Geometry;
use super::recipe::{Pass, Recipe, chunk};
use super::{Core, Determinism, Reduction, Value};
use crate::element::{Element, plain_data};
use crate::error::Result;
use crate::gpu::DeviceProfile;
use crate::kernels::reduce::operator::Operator;
use crate::plan::{Program, Spec};

/// How an array can be cut into units, of which a piece has some that follow one another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Division {
    /// Between parts of what is reduced, which follow one another in memory: a piece of the input
    /// is contiguous, and so are its partial results.
    Parts {
        /// Elements of a part.
        unit: usize,
        /// Parts, at least 2.
        units: usize,
        /// Elements of the last part.
        last: usize,
        /// Words of the partial results of a part.
        words: usize,
    },
    /// Between indices of the slowest axis that is kept. The input is outer × extent × inner
    /// elements, of which a piece has some of the extent; with an outer of 1 it is contiguous. The
    /// output is extent × results, nothing before it.
    Lines {
        /// Elements of all slower axes, which are reduced.
        outer: usize,
        /// Indices.
        extent: usize,
        /// Elements of all faster axes.
        inner: usize,
        /// Results of an index.
        results: usize,
    },
    /// Not at all: all of so many elements are reduced to one result in one part.
    Whole(usize),
}

impl Division {
    /// Units.
    #[must_use]
    pub fn units(&self) -> usize {
        match *self {
            Self::Parts { units, .. } => units,
            Self::Lines { extent, .. } => extent,
            Self::Whole(_) => 1,
        }
    }

    /// Elements of some of the units, in each input.
    #[must_use]
    pub fn elements(&self, units: &Range<usize>) -> usize {
        match *self {
            Self::Parts { unit, units: all, last, .. } => {
                let short = if units.contains(&(all - 1)) { unit - last } else { 0 };
                units.len() * unit - short
            }
            Self::Lines { outer, inner, .. } => outer * units.len() * inner,
            Self::Whole(elements) => units.len() * elements,
        }
    }

    /// What comes of some of the units: results, or words of partial results. They follow one
    /// another as the units do.
    #[must_use]
    pub fn outputs(&self, units: &Range<usize>) -> usize {
        match *self {
            Self::Parts { words, .. } => units.len() * words,
            Self::Lines { results, .. } => units.len() * results,
            Self::Whole(_) => units.len(),
        }
    }
}

/// How the array of a reduction can be cut.
///
/// # Errors
/// If the specification is not valid on any device.
pub fn division<T, O>(whole: &Reduction<T, O>) -> Result<Division> {
    let geometry = Geometry::of(&whole.core)?;
    let operator = whole.core.arithmetic(&geometry)?;
    Ok(Cut::of(&operator, &geometry).division(&operator, &geometry))
}

/// The results of `count` indices of [`Division::Lines`], wherever they begin. Two inputs where the
/// reduction has two.
pub fn piece<T, O>(whole: &Reduction<T, O>, count: usize) -> Share<T, O> {
    Share::new(whole, What::Lines(count))
}

/// The partial results of some of the parts of [`Division::Parts`]. Two inputs where the reduction
/// has two.
pub fn partial<T, O>(whole: &Reduction<T, O>, parts: Range<usize>) -> Share<T, u32> {
    Share::new(whole, What::Parts { first: parts.start, count: parts.len() })
}

/// The results of all partial results of [`Division::Parts`], one after the other.
pub fn join<T, O>(whole: &Reduction<T, O>) -> Share<u32, O> {
    Share::new(whole, What::Join)
}

/// A share in a reduction: a specification, of which every device makes its own plan. What the
/// division does not allow is an error when it is planned.
pub struct Share<T, O> {
    /// In the order across devices, whatever it was before.
    core: Core,
    what: What,
    element: PhantomData<(T, O)>,
}

/// Which share.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum What {
    Lines(usize),
    Parts { first: usize, count: usize },
    Join,
}

/// The order of a whole array, and the parts of its first pass.
struct Cut {
    order: Order,
    /// Accesses or rows of a part.
    chunk: u32,
    parts: u32,
    /// Parts can be told from one another: nothing is kept that lies farther apart than they do,
    /// and they follow one another.
    is_cut: bool,
}

impl Cut {
    fn of(operator: &Operator, geometry: &Geometry) -> Self {
        let order = fixed_order(operator, geometry);
        let [side_by_side, width, parts] = order[0];
        let (chunk, parts) = chunk(geometry.length(geometry.count(), width), side_by_side, parts);
        let is_slowest = |reduced: u32| geometry.kept.iter().all(|kept| kept.strides[0] < reduced);
        let is_cut = parts > 1 && matches!(geometry.reduced[..], [run] if is_slowest(run.strides[0]));
        Self { order, chunk, parts, is_cut }
    }

    /// Elements reduced to one in a part.
    fn reduced(&self, geometry: &Geometry) -> u32 {
        if geometry.lines { self.chunk.saturating_mul(self.order[0][1]) } else { self.chunk }
    }

    fn division(&self, operator: &Operator, geometry: &Geometry) -> Division {
        let (all, results) = (geometry.len(), geometry.results() as usize);
        match geometry.kept.last() {
            _ if self.is_cut => {
                let (unit, units) = (self.reduced(geometry) as usize * results, self.parts as usize);
                let words = results * operator.value().bytes() as usize / 4;
                Division::Parts { unit, units, last: all - (units - 1) * unit, words }
            }
            Some(run) => {
                let (extent, inner) = (run.extent as usize, run.strides[0] as usize);
                Division::Lines { outer: all / (extent * inner), extent, inner, results: results / extent }
            }
            None => Division::Whole(all),
        }
    }
}

impl<T, O> Share<T, O> {
    fn new<S, R>(whole: &Reduction<S, R>, what: What) -> Self {
        let core = Core { determinism: Determinism::AcrossDevices, ..whole.core.clone() };
        Self { core, what, element: PhantomData }
    }

    /// What to compute, and the rules' recipe for it.
    fn work(&self, profile: &DeviceProfile) -> Result<(Work, Recipe)> {
        let geometry = Geometry::of(&self.core)?;
        let operator = self.core.operator(&geometry, profile)?;
        let cut = Cut::of(&operator, &geometry);
        let division = cut.division(&operator, &geometry);
        let passes = || in_order(&cut.order, &operator, &geometry, profile);
        let (geometry, order, portion, passes) = match (self.what, division) {
            (What::Lines(count), Division::Lines { extent, .. }) if (1..=extent).contains(&count) => {
                let geometry = geometry.with_kept(count as u32);
                let order = of_piece(&cut.order, &operator, &geometry);
                let passes = in_order(&order, &operator, &geometry, profile);
                (geometry, order, Portion::Whole, passes)
            }
            (What::Parts { first, count }, Division::Parts { units, .. }) if count > 0 && first < units && count <= units - first => {
                let (first, count) = (first as u32, count as u32);
                let reduced = cut.reduced(&geometry);
                let begin = first * reduced;
                let own = reduced.saturating_mul(count).min(geometry.count() - begin);
                let [side_by_side, width, _] = cut.order[0];
                let portion = Portion::Parts { first, count, chunk: cut.chunk };
                let passes = passes().into_iter().take(1).map(|pass| Pass { parts: count, ..pass }).collect();
                (geometry.with_reduced(own), vec![[side_by_side, width, count]], portion, passes)
            }
            (What::Join, Division::Parts { .. }) => {
                let passes = passes().split_off(1);
                (geometry, cut.order[1..].to_vec(), Portion::Join(cut.parts), passes)
            }
            (_, division) => return Err(self.unsupported(&division)),
        };
        let order = Some(order);
        Ok((Work { title: self.to_string(), operator, geometry, order, portion }, Recipe::Passes(passes)))
    }

    fn unsupported(&self, division: &Division) -> crate::Error {
        let units = division.units();
        let why = match division {
            Division::Parts { .. } => format!("it is cut into some of {units} parts"),
            Division::Lines { .. } => format!("it is cut into some of {units} lines"),
            Division::Whole(_) => "it is not cut".to_owned(),
        };
        crate::Error::Unsupported { what: format!("`{self}`"), why }
    }
}

/// The order of a whole array for a piece of it. Columns are combined one by one, so the width of
/// accesses to a row is no part of their order, and a row of a piece may have another one; along a
/// line it is, and lines stay whole.
fn of_piece(order: &Order, operator: &Operator, geometry: &Geometry) -> Order {
    let own_width = |(pass, &[side_by_side, width, parts]): (usize, &[u32; 3])| {
        let width = if geometry.lines { width } else { fixed_width(operator, pass > 0, geometry.contiguous()) };
        [side_by_side, width, parts]
    };
    order.iter().enumerate().map(own_width).collect()
}

plain_data!(Share<T, O> { core, what });

/// `sum f32 4194304 across-devices, parts 3..7`.
impl<T, O> fmt::Display for Share<T, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.core.fmt(f)?;
        match self.what {
            What::Lines(count) => write!(f, ", {count} lines"),
            What::Parts { first, count } => write!(f, ", parts {first}..{}", first.saturating_add(count)),
            What::Join => f.write_str(", joined"),
        }
    }
}

impl<T, O> crate::plan::Sealed for Share<T, O> {}

impl<T: Value, O: Element> Spec for Share<T, O> {
    type Input = T;
    type Output = O;
    type Recipe = Recipe;

    fn design(&self, profile: &DeviceProfile) -> Result<Recipe> {
        Ok(self.work(profile)?.1)
    }

    fn lower(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
        self.work(profile)?.0.lower(recipe, profile)
    }
}
