//! One arithmetic on several devices: recipes that do the same floating-point operations on every
//! line, and the parts of a recipe for the parts of a transform.
//!
//! What a line's bits depend on, as the texts are written:
//!
//! - the axes, the lengths of their passes, the length of a convolution, how reals are taken and
//!   which rows make a pair;
//! - `registers`: the radices and where roots come from. The rest says which invocation holds which
//!   element, and by what way it goes to another one;
//! - `lanes`: the factors, the lanes of a line, and the width of accesses along it, since lanes
//!   multiply what they look up by constants that depend on these. The width across lines only says
//!   how many go side by side, unless the roots on the results differ from one of them to the next;
//! - `radix2`: nothing.
//!
//! Blocks move elements, and may change which rows make a pair.
//!
//! Devices give equal bits if their drivers compute what is written. Mesa does so with texts that
//! are written as `codelets.rs` says; where zeros are added, on the way past the end of a line, it
//! may change the sign of a result that is zero.

use super::design::{Designer, Lines, lane_counts};
use super::lanes::SUBGROUP;
use super::line::{Line, lines};
use super::lower::{check_pass, lower};
use super::neighbours::is_sane;
use super::passes::{Step, chain};
use super::place::Place;
use super::recipe::{AxisRecipe, Exchange, PassRecipe, Reals, Recipe, Stockham};
use super::transform::{Geometry, Transform};
use crate::error::Result;
use crate::gpu::DeviceProfile;
use crate::sort::sort_short_by_key;

/// The most recipes that are tried for a pass in registers.
const MOST: usize = 24;

/// [`Adapt::adapted`](super::Adapt::adapted).
pub(super) fn adapted(transform: &Transform, recipe: &Recipe, profile: &DeviceProfile) -> Result<Recipe> {
    let geometry = transform.geometry()?;
    let fits = |recipe: &Recipe| lower(transform, recipe, profile).and_then(|program| program.check(profile));
    let Err(error) = fits(recipe) else { return Ok(recipe.clone()) };
    // What lies between transposes can be done where it lies, by the same passes.
    let own = match recipe {
        Recipe::Axes(_) => Some(recipe.clone()),
        Recipe::Transposed { .. } => recipe.of_axes(&[(1, 1), (0, 0)]),
    };
    let Some(Recipe::Axes(axes)) = &own else { return Err(error) };
    let adapter = Adapter { designer: Designer { transform, geometry: &geometry, profile }, transform, geometry: &geometry, profile };
    let ways = [Some(axes.clone()), adapter.without_blocks(axes)];
    let found = ways.into_iter().flatten().filter_map(|axes| adapter.fitting(axes)).map(Recipe::Axes).find(|recipe| fits(recipe).is_ok());
    found.ok_or(error)
}

struct Adapter<'a> {
    designer: Designer<'a>,
    transform: &'a Transform,
    geometry: &'a Geometry,
    profile: &'a DeviceProfile,
}

impl Adapter<'_> {
    /// The axes without blocks, if there were any, and rows of reals make the same pairs without
    /// them.
    fn without_blocks(&self, axes: &[AxisRecipe]) -> Option<Vec<AxisRecipe>> {
        let mut own = axes.to_vec();
        for pass in own.iter_mut().flat_map(|axis| &mut axis.passes) {
            if let PassRecipe::Stockham(stockham) = pass {
                stockham.block = None;
            }
        }
        let pairs = |axes: &[AxisRecipe]| Pairs::of(self.transform, self.geometry, axes);
        let [before, after] = [pairs(axes)?, pairs(&own)?];
        (own != axes && before == after).then_some(own)
    }

    /// Every pass so that it fits the device.
    fn fitting(&self, mut axes: Vec<AxisRecipe>) -> Option<Vec<AxisRecipe>> {
        for i in 0..axes.len() {
            for f in 0..axes[i].passes.len() {
                let own = axes[i].passes[f].clone();
                let candidates = std::iter::once(own.clone()).chain(self.candidates(&axes, i, f, &own));
                let found = candidates.into_iter().any(|pass| {
                    axes[i].passes[f] = pass;
                    check_pass(self.transform, self.geometry, &axes, [i, f], self.profile).is_ok()
                });
                if !found {
                    return None;
                }
            }
        }
        Some(axes)
    }

    /// Passes of the same arithmetic, the nearest first.
    fn candidates(&self, axes: &[AxisRecipe], i: usize, f: usize, own: &PassRecipe) -> Vec<PassRecipe> {
        if !is_sane(own) {
            return Vec::new();
        }
        match own {
            PassRecipe::Stockham(stockham) => {
                let axis = &axes[i];
                let (pairs, convolution) = (axis.reals != Reals::Complex, axis.bluestein.is_some() && axis.passes.len() == 1);
                let lines = Lines { n: stockham.n(), count: u32::MAX, across: false, pairs, convolution };
                self.stockham(stockham, lines).into_iter().map(PassRecipe::Stockham).collect()
            }
            PassRecipe::Lanes { factors, lanes, width, invocations } => {
                let widths = if self.is_width_free(axes, i, f) { &[4, 2, 1][..] } else { &[] };
                let smaller = widths.iter().copied().filter(|own| own < width);
                let all = std::iter::once(*width).chain(smaller);
                let with = |width| {
                    let invocations = std::iter::once(*invocations).chain(halves(*invocations));
                    let multiples = invocations.filter(|invocations| invocations.is_multiple_of(SUBGROUP));
                    multiples.map(move |invocations| PassRecipe::Lanes { factors: *factors, lanes: *lanes, width, invocations })
                };
                all.flat_map(with).collect()
            }
            PassRecipe::Radix2 { rows, lanes } => {
                let lanes = std::iter::once(*lanes).chain(halves(*lanes));
                let rows = || std::iter::once(*rows).chain(halves(*rows));
                lanes.flat_map(|lanes| rows().map(move |rows| PassRecipe::Radix2 { rows, lanes })).collect()
            }
        }
    }

    /// The same radices and roots with other lanes and lines, and other ways through workgroup
    /// memory.
    fn stockham(&self, own: &Stockham, lines: Lines) -> Vec<Stockham> {
        let mut lane_counts = lane_counts(own.n(), &own.radices);
        lane_counts.retain(|lanes| *lanes > 0);
        sort_short_by_key(&mut lane_counts, |lanes| lanes.abs_diff(own.lanes));
        lane_counts.dedup();
        let other = if own.exchange == Exchange::Split { Exchange::Whole } else { Exchange::Split };
        let ways = [own.pieces, 1, 2, 4, 8, 16].into_iter().flat_map(|pieces| {
            [(own.exchange, own.banks), (own.exchange, 0), (other, own.banks), (other, 0)]
                .map(|(exchange, banks)| (pieces, exchange, banks))
        });
        let ways: Vec<_> = ways.collect();
        // Of each number of lanes as many lines as there is room for. What runs as far as can be
        // told without the text mostly does, so few are enough.
        let of_lanes = |lanes| {
            std::iter::once(own.lines).chain(halves(own.lines)).find_map(|together| {
                let with = |&(pieces, exchange, banks): &_| Stockham { lanes, lines: together, pieces, exchange, banks, ..own.clone() };
                let all: Vec<Stockham> = ways.iter().map(with).filter(|own| self.designer.runs(own, lines)).take(4).collect();
                (!all.is_empty()).then_some(all)
            })
        };
        std::iter::once(own.lanes).chain(lane_counts).filter_map(of_lanes).flatten().take(MOST).collect()
    }

    /// Whether the accesses of a pass in lanes lie across lines whose results have the same roots.
    fn is_width_free(&self, axes: &[AxisRecipe], i: usize, f: usize) -> bool {
        let Ok(steps) = chain(self.transform, self.geometry, axes) else { return false };
        let mut own = steps.iter().filter(|step| step.element == (axes[i].axis, f));
        own.all(|step| {
            let along = step.states.iter().all(|state| state.dim(step.element).place == Place::linear(1));
            !along && (step.store.twiddle().is_none() || lines(step)[0].twiddle_weight == 0)
        })
    }
}

/// Half of it, a quarter, and so on.
fn halves(value: u32) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(value / 2), |half| Some(half / 2)).take_while(|half| *half > 0)
}

/// Which rows of reals make a pair.
#[derive(PartialEq, Eq, Debug)]
enum Pairs {
    /// There are none.
    Nowhere,
    /// Rows 2r and 2r+1 of all rows, counted as they lie from the last axis but one to the batch.
    OfAllRows,
    /// Others: neighbours along some index of such extents.
    Others(Vec<u32>),
}

impl Pairs {
    /// Those of a recipe, if it solves the transform.
    fn of(transform: &Transform, geometry: &Geometry, axes: &[AxisRecipe]) -> Option<Self> {
        let steps = chain(transform, geometry, axes).ok()?;
        let in_pairs = |step: &&Step<'_>| step.load.takes_pairs();
        Some(steps.iter().find(in_pairs).map_or(Self::Nowhere, |step| Self::of_step(step, &lines(step))))
    }

    fn of_step(step: &Step<'_>, lines: &[Line]) -> Self {
        let [from, to] = &step.states;
        let rank = step.element.0 + 1;
        // From the closest: the axes before the last, and the batch.
        let others = (0..step.element.0).rev().chain([rank]).map(|axis| [from, to].map(|state| state.dim((axis, 0))));
        let others: Vec<_> = others.filter(|[dim, _]| dim.extent > 1).collect();
        let Some([load, store]) = others.first() else { return Self::OfAllRows };
        let closest =
            load.place.lowest_stride() == lines[0].load.lowest_stride() && store.place.lowest_stride() == lines[0].store.lowest_stride();
        let in_order = others.windows(2).all(|two| two[0][0].place.lowest_stride() < two[1][0].place.lowest_stride());
        if closest && (load.extent % 2 == 0 || others.len() == 1 || lines.len() == 1 && in_order) {
            Self::OfAllRows
        } else {
            Self::Others(lines.iter().map(|line| line.extent).collect())
        }
    }
}

/// The multiple of rows that every part of a transform must begin at, so that its rows have the
/// bits that they have in the whole: rows along the last axis, counted over all other axes and the
/// batch, the last of these slowest. It is 2 where two rows of reals are transformed as one, and 1
/// elsewhere; there is none where rows make pairs that no part would make, or where the recipe does
/// not solve the transform.
///
/// The rows of a part are transformed by the same recipe's part for the last axis,
/// [`Recipe::of_axes`], and not by what the rules choose for rows alone: on the way to reals these
/// take rows in halves where with other axes they take them in pairs.
pub(super) fn alignment(transform: &Transform, recipe: &Recipe) -> Option<usize> {
    let Recipe::Axes(axes) = recipe else { return Some(1) };
    match Pairs::of(transform, &transform.geometry().ok()?, axes)? {
        Pairs::Nowhere => Some(1),
        Pairs::OfAllRows => Some(2),
        Pairs::Others(_) => None,
    }
}

impl Recipe {
    /// This recipe for a part that has only one of the columns along `axis`.
    ///
    /// The recipe's accesses of several numbers are across columns. A single column's elements are
    /// neighbours, so such accesses would be along it, with other twiddle factors and other last
    /// bits.
    #[must_use]
    pub fn for_single_column(&self, axis: usize) -> Self {
        let mut own = self.clone();
        if let Self::Axes(axes) = &mut own {
            for pass in axes.iter_mut().filter(|own| own.axis == axis).flat_map(|own| &mut own.passes) {
                if let PassRecipe::Lanes { width, .. } = pass {
                    *width = 1;
                }
            }
        }
        own
    }

    /// The parts of this recipe for some axes, as a recipe for a transform of these alone: pairs of
    /// an axis's number here and there. Axes that this recipe does not have, as they are 1 long,
    /// are left out; there is none if that leaves none, or if two are to be one. Blocks stay where
    /// the same axis follows. The row and column transforms between transposes become axes 1 and 0.
    pub(crate) fn of_axes(&self, axes: &[(usize, usize)]) -> Option<Self> {
        let number = |own: usize| axes.iter().find(|(from, _)| *from == own).map(|(_, to)| *to);
        let all = match self {
            Self::Axes(all) => all.clone(),
            Self::Transposed { rows, columns, .. } => {
                let axis = |(axis, pass): (usize, &PassRecipe)| AxisRecipe {
                    axis,
                    bluestein: None,
                    reals: Reals::Complex,
                    passes: vec![pass.clone()],
                };
                [(1, rows), (0, columns)].map(axis).to_vec()
            }
        };
        let mut taken = Vec::new();
        for (i, own) in all.iter().enumerate() {
            let Some(axis) = number(own.axis) else { continue };
            let mut part = AxisRecipe { axis, ..own.clone() };
            let next_stays = all.get(i + 1).is_some_and(|next| number(next.axis).is_some());
            if let (false, Some(PassRecipe::Stockham(last))) = (next_stays, part.passes.last_mut()) {
                last.block = None;
            }
            taken.push(part);
        }
        let mut numbers: Vec<usize> = taken.iter().map(|part| part.axis).collect();
        numbers.sort_unstable();
        (!taken.is_empty() && numbers.windows(2).all(|two| two[0] < two[1])).then_some(Self::Axes(taken))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spec;
    use crate::fft::{Adapt, C2c, C2r, R2c};

    #[test]
    fn parts_of_a_recipe() {
        let of = |text: &str, axes: &[(usize, usize)]| {
            text.parse::<Recipe>().unwrap().of_axes(axes).map_or_else(|| "none".to_owned(), |recipe| recipe.to_string())
        };
        let [rows, columns, planes] =
            ["8", "4.4", "2"].map(|radices| format!("stockham {radices} lanes=2 lines=3 exchange=split pieces=1 banks=32 roots=products"));
        let whole =
            format!("axis 2 pairs: {rows} block=4x8; axis 1 bluestein 16: {columns} block=2x2; axis 0: {planes} block=3x3 + {planes}");
        assert_eq!(of(&whole, &[(2, 0)]), format!("axis 0 pairs: {rows}"));
        assert_eq!(of(&whole, &[(1, 0), (2, 1)]), format!("axis 1 pairs: {rows} block=4x8; axis 0 bluestein 16: {columns}"));
        // Blocks between the passes of one axis stay; that of the rows was for another axis than
        // the first.
        assert_eq!(of(&whole, &[(0, 0)]), format!("axis 0: {planes} block=3x3 + {planes}"));
        assert_eq!(of(&whole, &[(2, 1), (0, 0)]), format!("axis 1 pairs: {rows}; axis 0: {planes} block=3x3 + {planes}"));
        for axes in [&[][..], &[(3, 0)], &[(0, 0), (1, 0)]] {
            assert_eq!(of(&whole, axes), "none");
        }
        let transposed = format!("rows: {rows}; columns: radix2 rows=1 lanes=4; transpose: naive 8x8");
        assert_eq!(of(&transposed, &[(1, 0)]), format!("axis 0: {rows}"));
        assert_eq!(of(&transposed, &[(0, 0)]), "axis 0: radix2 rows=1 lanes=4");
    }

    #[test]
    fn parts_begin_at_even_rows_where_rows_make_pairs() {
        let pairs = "stockham 15 lanes=1";
        let of_r2c = |spec: &str, recipe: &str| spec.parse::<R2c>().unwrap().alignment(&recipe.parse().unwrap());
        let of_c2r = |spec: &str, recipe: &str| spec.parse::<C2r>().unwrap().alignment(&recipe.parse().unwrap());
        assert_eq!(of_r2c("r2c fwd 15 x9", &format!("axis 0 pairs: {pairs}")), Some(2));
        assert_eq!(of_r2c("r2c fwd 15 x9", &format!("axis 0: {pairs}")), Some(1));
        assert_eq!(of_r2c("r2c fwd 30 x9", &format!("axis 0 halves: {pairs}")), Some(1));
        assert_eq!(of_r2c("r2c fwd 16 x9", &format!("axis 0: {pairs}")), None);
        let columns = "axis 0: stockham 3 lanes=1";
        for (shape, blocks, expected) in [("3x15 x4", "", Some(2)), ("3x15 x4", " block=3x1", Some(2)), ("3x15", " block=3x1", Some(2))] {
            assert_eq!(
                of_r2c(&format!("r2c fwd {shape}"), &format!("axis 1 pairs: {pairs}{blocks}; {columns}")),
                expected,
                "{shape}{blocks}"
            );
        }
        let columns = "axis 0: stockham 4 lanes=1";
        assert_eq!(of_r2c("r2c fwd 4x15 x4", &format!("axis 1 pairs: {pairs} block=3x1; {columns}")), Some(2));
        for blocks in ["", " block=2x1"] {
            assert_eq!(of_c2r("c2r inv 4x15 x4", &format!("{columns}{blocks}; axis 1 pairs: {pairs}")), Some(2));
        }
        // Planes that lie closer than rows.
        let layout = "in=15,60,1@240 out=8,32,1@128";
        let recipe = format!("axis 2 pairs: {pairs}; axis 1: stockham 5 lanes=1; axis 0: {}", &columns[8..]);
        assert_eq!(of_r2c(&format!("r2c fwd 4x5x15 {layout}"), &recipe), None);
        let transposed = "rows: stockham 8 lanes=1; columns: stockham 4 lanes=1; transpose: naive 8x8".parse().unwrap();
        assert_eq!(C2c::forward([4, 8]).alignment(&transposed), Some(1));
    }

    #[test]
    fn blocks_that_decide_on_pairs_stay() {
        let profile = DeviceProfile::webgpu_defaults();
        let recipe = |lanes| format!("axis 1 pairs: stockham 15.5 lanes={lanes} block=5x2; axis 0: stockham 3 lanes=1").parse().unwrap();
        let spec = R2c::forward([3, 75]).batch(4);
        assert!(spec.lower(&recipe(15), &profile).is_ok());
        // Too many invocations: other lanes, and the blocks as they were.
        let adapted = spec.adapted(&recipe(300), &profile).unwrap().to_string();
        assert!(adapted.contains("block=5x2") && !adapted.contains("lanes=300"), "{adapted}");
    }
}
