//! Which recipes a search may try, and what their passes transform.

use crate::fft::chain::chain;
use crate::fft::choose::designer::Designer;
use crate::fft::choose::lines::LineClass;
use crate::fft::emit::lanes;
use crate::fft::recipe::{AxisRecipe, PassRecipe, Reals, Recipe};

/// The most neighbours of a recipe. A search seldom has time for more, and the last ones are of the
/// kinds that gain least.
pub(super) const MAX_NEIGHBOURS: usize = 40;

pub(super) fn twice_and_half(value: u32) -> impl Iterator<Item = u32> {
    [value.saturating_mul(2), value / 2].into_iter().filter(|value| *value > 0)
}

impl Designer<'_> {
    /// The recipe, if its passes form a chain and its `fft/lanes` passes are possible.
    pub(super) fn sound(&self, axes: Vec<AxisRecipe>) -> Option<Recipe> {
        let is_fine = |axis: &AxisRecipe, f: usize| match (&axis.passes[f], self.lines_of(axis, f)) {
            (PassRecipe::Stockham(stockham), Some(lines)) => self.with_any_registers().runs(stockham, lines),
            // Lanes only as the rules would take them.
            (PassRecipe::Lanes { width, .. }, _) => self.has_lanes() && *width <= lanes::widest(self.profile),
            (PassRecipe::Stockham(_) | PassRecipe::Radix2 { .. }, _) => true,
        };
        let fine = chain(self.transform, self.geometry, &axes).is_ok()
            && axes.iter().all(|axis| (0..axis.passes.len()).all(|f| is_fine(axis, f)))
            && self.unfit_lanes(&axes).is_none();
        fine.then_some(Recipe::Axes(axes))
    }

    /// The axes with a new recipe for one of them. Drops blocks that the new recipe cannot have, or
    /// that the next axis cannot follow.
    pub(super) fn replaced(&self, axes: &[AxisRecipe], i: usize, axis: AxisRecipe) -> Option<Recipe> {
        let mut own = axes.to_vec();
        own[i] = axis;
        self.sound(own.clone()).or_else(|| {
            own[..=i].iter_mut().for_each(AxisRecipe::drop_block);
            self.sound(own)
        })
    }

    /// What a pass of an axis transforms, if its recipe says so.
    pub(super) fn lines_of(&self, axis: &AxisRecipe, f: usize) -> Option<LineClass> {
        let n = axis.passes.get(f)?.n()?;
        if axis.through != axis.axis {
            return self.pictures(axis.axes());
        }
        let convolution = axis.bluestein.is_some() && f + 1 == axis.passes.len();
        if axis.passes.len() == 1 {
            return Some(LineClass { n, convolution, ..self.lines(axis.axis, axis.reals) });
        }
        let whole: u64 = axis.passes.iter().map(|pass| u64::from(pass.n().unwrap_or(1))).product();
        let rows = self.lines(axis.axis, Reals::Complex);
        let count = u64::from(rows.count).saturating_mul(whole.checked_div(n.into())?).min(u32::MAX.into()) as u32;
        Some(LineClass { across: true, convolution, ..LineClass::rows(n, count) })
    }
}

/// The nearest divisors to these two factors, and the two factors exchanged.
pub(super) fn other_pairs([a, b]: [u32; 2]) -> Vec<[u32; 2]> {
    let product = a.saturating_mul(b);
    let divisors = (2..=product.isqrt()).filter(|d| product.is_multiple_of(*d)).flat_map(|d| [d, product / d]);
    let mut divisors: Vec<u32> = divisors.filter(|d| *d < product).collect();
    divisors.sort_unstable();
    divisors.dedup();
    let next = |step: isize| {
        let at = divisors.iter().position(|d| *d == a)?;
        divisors.get(at.checked_add_signed(step)?).copied()
    };
    let all = [Some(b), next(-1), next(1)].into_iter().flatten().filter(|d| *d != a);
    all.map(|d| [d, product / d]).collect()
}
