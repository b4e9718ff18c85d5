//! Splits one reduction into pieces for several devices, with a result that is bit-identical to the
//! whole.
//!
//! [`division`] says how the array can be cut; this depends on its shape alone. However it is cut,
//! everything is combined in the order that [`Reduction::across_devices`] fixes for the whole
//! array. The result therefore has the same bits as on one device in that order:
//!
//! | division | a unit | each piece computes | at the end |
//! |---|---|---|---|
//! | [`Division::Parts`] | a part of the first pass | [`partial`]: the partial results of its parts, as words | [`join`]: the remaining passes over all partial results |
//! | [`Division::Lines`] | an index of the slowest kept axis | [`piece`]: the results of its indices | nothing |
//! | [`Division::Whole`] | the array: one result in one part, a layout, a fragment on the results, or one that needs more than an element and its indices on reduced axes, such as arrays or uniforms | | |
//!
//! The determinism that the reduction itself asks for makes no difference. The order does not cover
//! what each device decides: division, square roots, rounding inside a custom operator, and whether
//! products of f64 are fused. In a mean or norm cut into parts, the device that joins them does the
//! division or root; everything else is done by the device that has the piece. Sums of f64 keep the
//! order like all others, on devices that support f64.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use super::core::Core;
use super::fit::{Portion, Problem};
use super::geometry::Geometry;
use super::order::{Order, fixed_order, in_order, own_widths};
use super::recipe::{Pass, Recipe, chunk};
use super::spec::Reduction;
use crate::element::{Element, plain_data};
use crate::error::Result;
use crate::gpu::DeviceProfile;
use crate::kernels::reduce::operator::Operator;
use crate::plan::{Program, Spec};

/// How an array can be cut into units. A piece is a range of consecutive units.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Division {
    /// Between parts of the reduced elements, which follow one another in memory. A piece of the
    /// input is contiguous, and so are its partial results.
    Parts {
        /// Elements of a part.
        unit: usize,
        /// The number of parts, at least 2.
        units: usize,
        /// Elements of the last part.
        last: usize,
        /// Words of the partial results of a part.
        words: usize,
    },
    /// Between indices of the slowest kept axis. The input has outer × extent × inner elements, of
    /// which a piece has a range of the extent. If outer is 1, the piece is contiguous. The output
    /// has extent × results values.
    Lines {
        /// Elements of all slower axes, which are reduced.
        outer: usize,
        /// The number of indices.
        extent: usize,
        /// Elements of all faster axes.
        inner: usize,
        /// Results for each index.
        results: usize,
    },
    /// Not at all: all elements are reduced to one result in one part, they are not dense, or a
    /// fragment maps the results, or needs more than an element and its indices on reduced axes.
    Whole {
        /// Elements of the array, including gaps.
        elements: usize,
        /// The number of results.
        results: usize,
    },
}

impl Division {
    /// The number of units.
    #[must_use]
    pub fn units(&self) -> usize {
        match *self {
            Self::Parts { units, .. } => units,
            Self::Lines { extent, .. } => extent,
            Self::Whole { .. } => 1,
        }
    }

    /// The number of elements of some of the units, in each input.
    #[must_use]
    pub fn elements(&self, units: &Range<usize>) -> usize {
        match *self {
            Self::Parts { unit, units: all, last, .. } => {
                let short = if units.contains(&(all - 1)) { unit - last } else { 0 };
                units.len() * unit - short
            }
            Self::Lines { outer, inner, .. } => outer * units.len() * inner,
            Self::Whole { elements, .. } => units.len() * elements,
        }
    }

    /// The number of outputs of some of the units: results, or words of partial results. They are
    /// in the order of the units.
    #[must_use]
    pub fn outputs(&self, units: &Range<usize>) -> usize {
        match *self {
            Self::Parts { words, .. } => units.len() * words,
            Self::Lines { results, .. } => units.len() * results,
            Self::Whole { results, .. } => units.len() * results,
        }
    }
}

/// Returns how the array of a reduction can be cut.
///
/// # Errors
/// If the specification is not valid on any device.
pub fn division<T, O>(whole: &Reduction<T, O>) -> Result<Division> {
    let geometry = whole.core.geometry()?;
    let operator = whole.core.arithmetic(&geometry)?;
    Ok(Cut::of(&operator, &geometry).division(&operator, &geometry))
}

/// The number of results and the number of inputs of a reduction.
///
/// # Errors
/// If the specification is not valid on any device.
pub fn results_and_inputs<T, O>(whole: &Reduction<T, O>) -> Result<[usize; 2]> {
    let geometry = whole.core.geometry()?;
    let inputs = if whole.core.arithmetic(&geometry)?.takes_two() { 2 } else { 1 };
    Ok([geometry.results() as usize, inputs])
}

/// Computes the results of `count` indices of [`Division::Lines`], wherever they begin. It has two
/// inputs if the reduction has two.
pub fn piece<T, O>(whole: &Reduction<T, O>, count: usize) -> Share<T, O> {
    Share::new(whole, What::Lines(count))
}

/// Computes the partial results of a range of the parts of [`Division::Parts`]. It has two inputs
/// if the reduction has two.
pub fn partial<T, O>(whole: &Reduction<T, O>, parts: Range<usize>) -> Share<T, u32> {
    Share::new(whole, What::Parts { first: parts.start, count: parts.len() })
}

/// Computes the results from all partial results of [`Division::Parts`], in order.
pub fn join<T, O>(whole: &Reduction<T, O>) -> Share<u32, O> {
    Share::new(whole, What::Join)
}

/// A share of a reduction: a specification, for which every device makes its own plan. If the
/// division does not allow the share, planning returns an error.
pub struct Share<T, O> {
    /// Asks for the order across devices, whatever the whole reduction asked for.
    core: Core,
    what: What,
    element: PhantomData<(T, O)>,
}

/// Which share it is.
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
    /// Whether the array can be cut between parts: they follow one another in memory, and no kept
    /// axis is slower than they are.
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

    /// The number of elements that a part reduces to one.
    fn reduced(&self, geometry: &Geometry) -> u32 {
        if geometry.lines { self.chunk.saturating_mul(self.order[0][1]) } else { self.chunk }
    }

    fn division(&self, operator: &Operator, geometry: &Geometry) -> Division {
        let (all, results) = (geometry.len(), geometry.results() as usize);
        match geometry.kept.last() {
            _ if geometry.layout.is_some() || !operator.is_local() => Division::Whole { elements: geometry.span(), results },
            _ if self.is_cut => {
                let (unit, units) = (self.reduced(geometry) as usize * results, self.parts as usize);
                let words = results * operator.value().bytes() as usize / 4;
                Division::Parts { unit, units, last: all - (units - 1) * unit, words }
            }
            Some(run) => {
                let (extent, inner) = (run.extent as usize, run.strides[0] as usize);
                Division::Lines { outer: all / (extent * inner), extent, inner, results: results / extent }
            }
            None => Division::Whole { elements: all, results },
        }
    }
}

impl<T, O> Share<T, O> {
    fn new<S, R>(whole: &Reduction<S, R>, what: What) -> Self {
        let core = Core { across_devices: true, ..whole.core.clone() };
        Self { core, what, element: PhantomData }
    }

    /// What to compute, and the recipe that the rules choose for it.
    fn problem(&self, profile: &DeviceProfile) -> Result<(Problem, Recipe)> {
        let geometry = self.core.geometry()?;
        let operator = self.core.operator(&geometry, profile)?;
        let cut = Cut::of(&operator, &geometry);
        let division = cut.division(&operator, &geometry);
        let passes = || in_order(&cut.order, &operator, &geometry, profile);
        let (geometry, order, portion, passes) = match (self.what, division) {
            (What::Lines(count), Division::Lines { extent, .. }) if (1..=extent).contains(&count) => {
                let geometry = geometry.with_kept(count as u32);
                let order = own_widths(&cut.order, &operator, &geometry);
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
        Ok((Problem { title: self.to_string(), operator, geometry, order, portion }, Recipe::Passes(passes)))
    }

    fn unsupported(&self, division: &Division) -> crate::Error {
        let units = division.units();
        let why = match division {
            Division::Parts { .. } => format!("it can only be cut between its {units} parts"),
            Division::Lines { .. } => format!("it can only be cut between its {units} lines"),
            Division::Whole { .. } => "it cannot be cut".to_owned(),
        };
        crate::Error::Unsupported { what: format!("`{self}`"), why }
    }
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

impl<T, O> crate::plan::Sealed for Share<T, O> {
    fn has_wgsl(&self) -> bool {
        crate::plan::Sealed::has_wgsl(&self.core)
    }
}

impl<T: Element, O: Element> Spec for Share<T, O> {
    type Input = T;
    type Output = O;
    type Recipe = Recipe;

    fn design(&self, profile: &DeviceProfile) -> Result<Recipe> {
        Ok(self.problem(profile)?.1)
    }

    fn lower(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
        self.problem(profile)?.0.lower(recipe, profile)
    }
}
