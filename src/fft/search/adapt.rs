//! The same arithmetic on several devices: recipes that perform the same floating-point operations
//! on every line, and the parts of a recipe that apply to parts of a transform.
//!
//! As the kernels are written, the bits of a line depend on the following parts of a recipe:
//!
//! - In general: the axes, the lengths of their passes, the length of a convolution, how rows of
//!   reals are transformed, and along which index rows form pairs.
//! - `stockham`: the radices and the source of the twiddle factors. All else only decides which
//!   invocation holds which element, and how elements move between invocations.
//! - `lanes`: the factors, the lanes of a line, the width of accesses along the line, and whether
//!   there are loops. Lanes multiply the twiddle factors that they look up by constants that depend
//!   on these; in loops they do so before they multiply them with one another. The width
//!   across lines only says how many lines are processed side by side, unless the twiddle factors
//!   on the results differ between those lines.
//! - `radix2`: nothing else.
//!
//! Blocks only move elements, but they may change along which index rows form pairs.
//!
//! Devices give equal bits if their drivers compute what the text says. Mesa does so for texts that
//! follow the rules in `codelets.rs`, with one exception: where the text adds zeros, because it
//! reads past the end of a line, Mesa may change the sign of a result that is zero.

use crate::error::Result;
use crate::fft::chain::chain;
use crate::fft::chain::line::lines;
use crate::fft::chain::step::SubTransform;
use crate::fft::choose::designer::{Designer, lane_counts};
use crate::fft::choose::lines::LineClass;
use crate::fft::emit::lanes::SUBGROUP;
use crate::fft::limits::is_sane;
use crate::fft::lower::{check_pass, lower};
use crate::fft::pass::radices_of;
use crate::fft::place::Place;
use crate::fft::recipe::{AxisRecipe, Exchange, PassRecipe, Reals, Recipe, Stockham};
use crate::fft::spec::geometry::Geometry;
use crate::fft::spec::transform::Transform;
use crate::gpu::DeviceProfile;
use crate::sort::sort_short_by_key;

/// The most recipes that are tried for a `fft/pass` pass.
const MAX_CANDIDATES: usize = 24;

/// See [`Adapt::adapted`](crate::low_level::recipes::fft::Adapt::adapted).
pub(in crate::fft) fn adapted(transform: &Transform, recipe: &Recipe, profile: &DeviceProfile) -> Result<Recipe> {
    let geometry = transform.geometry()?;
    let fits = |recipe: &Recipe| lower(transform, recipe, profile).and_then(|program| program.check(profile));
    let Err(error) = fits(recipe) else { return Ok(recipe.clone()) };
    // A transform with transposes can also be done without them, by the same passes.
    let own = match recipe {
        Recipe::Axes(_) => Some(recipe.clone()),
        Recipe::Transposed { .. } => recipe.of_axes(&[(1, 1), (0, 0)]),
    };
    let Some(Recipe::Axes(axes)) = &own else { return Err(error) };
    let designer = Designer::new(transform, &geometry, profile).with_any_registers();
    let ways = [Some(axes.clone()), designer.without_blocks(axes), apart(axes, &geometry)];
    let found = ways.into_iter().flatten().filter_map(|axes| designer.fitting(axes)).map(Recipe::Axes).find(|recipe| fits(recipe).is_ok());
    found.ok_or(error)
}

/// See [`Adapt::axes_apart`](crate::low_level::recipes::fft::Adapt::axes_apart).
pub(in crate::fft) fn axes_apart(transform: &Transform, recipe: &Recipe) -> Result<Recipe> {
    let geometry = transform.geometry()?;
    let Recipe::Axes(axes) = recipe else { return Ok(recipe.clone()) };
    let mut own = apart(axes, &geometry).unwrap_or_else(|| axes.clone());
    for axis in &mut own {
        axis.reals = match axis.reals {
            Reals::Packed => Reals::Halves,
            Reals::Pairs => Reals::Complex,
            other => other,
        };
    }
    Ok(Recipe::Axes(own))
}

/// The axes that are transformed together one after the other, by the same radices. `None` if there
/// are none.
fn apart(axes: &[AxisRecipe], geometry: &Geometry) -> Option<Vec<AxisRecipe>> {
    let mut all = Vec::new();
    for own in axes {
        let (false, [PassRecipe::Stockham(stockham)]) = (own.through == own.axis, &own.passes[..]) else {
            all.push(own.clone());
            continue;
        };
        let radices = radices_of(&stockham.radices, geometry.output_extents.get(own.axes())?)?;
        for (axis, radices) in own.axes().zip(radices) {
            let lanes = radices.iter().product::<u32>() / radices.iter().max().copied().unwrap_or(1);
            let pass = Stockham { radices: radices.to_vec(), lanes, lines: 1, pieces: 1, ..stockham.clone() };
            all.push(AxisRecipe { through: axis, passes: vec![PassRecipe::Stockham(pass)], axis, ..own.clone() });
        }
    }
    (all != axes).then_some(all)
}

impl Designer<'_> {
    /// The axes without blocks. `None` if there are no blocks, or if rows of reals form other pairs
    /// without them.
    fn without_blocks(&self, axes: &[AxisRecipe]) -> Option<Vec<AxisRecipe>> {
        let mut own = axes.to_vec();
        for pass in own.iter_mut().flat_map(|axis| &mut axis.passes) {
            if let PassRecipe::Stockham(stockham) = pass {
                stockham.block = None;
            }
        }
        let pairs = |axes: &[AxisRecipe]| {
            let steps = chain(self.transform, self.geometry, axes).ok()?;
            Some(steps.iter().map(SubTransform::pairs_along).collect::<Vec<_>>())
        };
        let [before, after] = [pairs(axes)?, pairs(&own)?];
        (own != axes && before == after).then_some(own)
    }

    /// Replaces every pass by one that fits the device.
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

    /// Passes with the same arithmetic, the most similar first.
    fn candidates(&self, axes: &[AxisRecipe], i: usize, f: usize, own: &PassRecipe) -> Vec<PassRecipe> {
        if !is_sane(own) {
            return Vec::new();
        }
        match own {
            PassRecipe::Stockham(stockham) => {
                let axis = &axes[i];
                let (exchanges_mirror, convolution) =
                    (axis.reals != Reals::Complex, axis.bluestein.is_some() && f + 1 == axis.passes.len());
                let together = (axis.through != axis.axis).then_some([axis.axis, axis.through]);
                let lines = LineClass { together, exchanges_mirror, convolution, ..LineClass::rows(stockham.n(), u32::MAX) };
                self.stockham(stockham, lines).into_iter().map(PassRecipe::Stockham).collect()
            }
            PassRecipe::Lanes { factors, lanes, width, invocations, loops } => {
                let is_free = self.is_width_free(axes, i, f);
                let all = std::iter::once(*width).chain([4, 2, 1].into_iter().filter(|own| is_free && own < width));
                let with = |width| {
                    let invocations = halvings(*invocations);
                    let multiples = invocations.filter(|invocations| invocations.is_multiple_of(SUBGROUP));
                    let (factors, lanes, loops) = (*factors, *lanes, *loops);
                    multiples.map(move |invocations| PassRecipe::Lanes { factors, lanes, width, invocations, loops })
                };
                all.flat_map(with).collect()
            }
            PassRecipe::Radix2 { rows, lanes } => {
                let lanes = halvings(*lanes);
                let rows = || halvings(*rows);
                lanes.flat_map(|lanes| rows().map(move |rows| PassRecipe::Radix2 { rows, lanes })).collect()
            }
        }
    }

    /// The same radices and twiddle factors with other numbers of lanes and lines, and with other
    /// exchanges through workgroup memory.
    fn stockham(&self, own: &Stockham, lines: LineClass) -> Vec<Stockham> {
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
        // For each number of lanes, as many lines as there is room for. A pass that looks possible
        // before its text is made nearly always is, so a few candidates are enough.
        let of_lanes = |lanes| {
            halvings(own.lines).find_map(|together| {
                let with = |&(pieces, exchange, banks): &_| Stockham { lanes, lines: together, pieces, exchange, banks, ..own.clone() };
                let all: Vec<Stockham> = ways.iter().map(with).filter(|own| self.runs(own, lines)).take(4).collect();
                (!all.is_empty()).then_some(all)
            })
        };
        let mut all: Vec<Stockham> =
            std::iter::once(own.lanes).chain(lane_counts).filter_map(of_lanes).flatten().take(MAX_CANDIDATES).collect();
        // Accesses of one number give the same bits.
        let narrow: Vec<Stockham> = all.iter().filter(|own| own.width > 1).map(|own| Stockham { width: 1, ..own.clone() }).collect();
        all.extend(narrow);
        all
    }

    /// Whether the accesses of a `fft/lanes` pass go across lines whose results have the same
    /// twiddle factors.
    fn is_width_free(&self, axes: &[AxisRecipe], i: usize, f: usize) -> bool {
        let Ok(steps) = chain(self.transform, self.geometry, axes) else { return false };
        let mut own = steps.iter().filter(|step| step.element == (axes[i].axis, f));
        own.all(|step| {
            let along = step.states.iter().all(|state| state.dim(step.element).place == Place::linear(1));
            !along && (step.store.twiddle().is_none() || lines(step)[0].twiddle_weight == 0)
        })
    }
}

/// The value, half of it, a quarter, and so on.
fn halvings(value: u32) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(value), |own| Some(own / 2).filter(|half| *half > 0))
}

impl Recipe {
    /// Returns this recipe for a part that has a single column along `axis`.
    ///
    /// The recipe's accesses of several numbers go across columns. In a single column the
    /// neighbours are the column's own elements, so such accesses would go along it, with other
    /// twiddle factors and other last bits.
    #[must_use]
    pub fn for_single_column(&self, axis: usize) -> Self {
        let mut own = self.clone();
        if let Self::Axes(axes) = &mut own {
            for pass in axes.iter_mut().filter(|own| own.axis == axis).flat_map(|own| &mut own.passes) {
                if let PassRecipe::Lanes { width, .. } | PassRecipe::Stockham(Stockham { width, .. }) = pass {
                    *width = 1;
                }
            }
        }
        own
    }

    /// The parts of this recipe for some axes, as a recipe for a transform of these axes alone.
    /// `axes` maps an axis's number in this recipe to its number in the result. Axes that this
    /// recipe lacks, because their length is 1, are left out. The result is `None` if no axis
    /// remains, or if two axes would get the same number. Blocks are kept where the same axis
    /// follows. Axes that are transformed together must all remain, side by side. If this recipe
    /// uses transposes, its row and column transforms become axes 1 and 0.
    #[must_use]
    pub fn of_axes(&self, axes: &[(usize, usize)]) -> Option<Self> {
        let number = |own: usize| axes.iter().find(|(from, _)| *from == own).map(|(_, to)| *to);
        let all = match self {
            Self::Axes(all) => all.clone(),
            Self::Transposed { rows, columns, .. } => {
                let axis = |(axis, pass): (usize, &PassRecipe)| AxisRecipe::new(axis, vec![pass.clone()]);
                [(1, rows), (0, columns)].map(axis).to_vec()
            }
        };
        let mut taken = Vec::new();
        for (i, own) in all.iter().enumerate() {
            let numbers: Vec<Option<usize>> = own.axes().map(number).collect();
            if numbers.iter().all(Option::is_none) {
                continue;
            }
            let axis = numbers[0]?;
            if numbers.iter().zip(axis..).any(|(number, expected)| *number != Some(expected)) {
                return None;
            }
            let mut part = AxisRecipe { axis, through: axis + numbers.len() - 1, ..own.clone() };
            let next_stays = all.get(i + 1).is_some_and(|next| number(next.axis).is_some());
            if !next_stays {
                part.drop_block();
            }
            taken.push(part);
        }
        let mut numbers: Vec<usize> = taken.iter().flat_map(AxisRecipe::axes).collect();
        numbers.sort_unstable();
        (!taken.is_empty() && numbers.windows(2).all(|two| two[0] < two[1])).then_some(Self::Axes(taken))
    }
}
