//! Neighbouring axes in one pass: small pictures or volumes, each of which is a line of its own.

use super::builder::{Builder, block_of};
use super::state::{Dim, Result, State};
use super::step::{PassBody, SubTransform};
use crate::fft::pass::radices_of;
use crate::fft::recipe::{AxisRecipe, PassRecipe, Reals};
use crate::fft::spec::kind::{End, Kind};
use crate::plan::ensure;
use crate::sort::sort_short_by_key;
use crate::text::join;

impl<'a> Builder<'a, '_> {
    /// Transforms several axes in one pass.
    pub(super) fn together(&mut self, recipe: &'a AxisRecipe, first: bool, next: Option<usize>) -> Result<()> {
        let (axes, last) = (recipe.axes(), recipe.through);
        let what = || format!("axes {} to {last} in one pass", recipe.axis);
        let [pass @ PassRecipe::Stockham(stockham)] = &recipe.passes[..] else {
            return Err(format!("{}, which is one pass of the kernel fft/pass", what()).into());
        };
        let is_complex = matches!(self.transform.kind, Kind::C2c(_)) && self.transform.kinds.is_empty();
        let is_plain = is_complex && recipe.bluestein.is_none() && recipe.reals == Reals::Complex && block_of(pass).is_none();
        ensure(is_plain, || format!("{}, which is for complex numbers on both sides, without bluestein and blocks", what()))?;
        let extents = &self.extents[axes.clone()];
        ensure(radices_of(&stockham.radices, extents).is_some(), || {
            let (radices, extents) = (join(&stockham.radices, "."), join(extents, " and "));
            format!("{}: the radices {radices} do not multiply to {extents}, one axis after the other", what())
        })?;
        let [load, store] = [(End::Input, first), (End::Output, next.is_none())].map(|(end, is_end)| self.end(end, last, is_end));
        let has_parts = axes.clone().any(|axis| [End::Input, End::Output].iter().any(|&end| self.part(end, axis).is_some()));
        let is_whole = !has_parts && load.fused.is_empty() && store.fused.is_empty();
        ensure(is_whole, || format!("{}, which is for whole axes without fragments", what()))?;
        let extents = extents.to_vec();
        let target = self.after(recipe, &self.extents, next)?;
        let joined = |state: &State| {
            let dense = state.joined(recipe.axis, last);
            dense.ok_or_else(|| format!("{}, whose rows do not lie side by side without gaps", what()))
        };
        let states = [joined(&self.current)?, joined(&target)?];
        let inverse = self.transform.is_inverse();
        let sides = [load.then_exchange_if(inverse && first), store.then_exchange_if(inverse && next.is_none())];
        let step = SubTransform::new(PassBody::Dft { recipe: pass, convolution: None }, (last, 0), states, sides);
        self.steps.push(SubTransform { extents, ..step });
        self.current = target;
        Ok(())
    }
}

impl State {
    /// The same array with the indices of neighbouring axes as one, that of the last; `None` if
    /// they do not lie one after the other.
    fn joined(&self, first: usize, last: usize) -> Option<Self> {
        let axes = first..=last;
        let mut whole = self.dim((last, 0)).clone();
        for axis in axes.clone().rev().skip(1) {
            let dim = self.dim((axis, 0));
            let is_dense = dim.place.low.is_empty()
                && whole.place.low.is_empty()
                && whole.place.stride.checked_mul(whole.extent) == Some(dim.place.stride);
            if !is_dense {
                return None;
            }
            whole = Dim { extent: whole.extent.checked_mul(dim.extent)?, ..whole };
        }
        let mut joined = self.clone();
        joined.dims.retain(|dim| !axes.contains(&dim.key.0));
        joined.dims.push(whole);
        sort_short_by_key(&mut joined.dims, |dim| dim.key);
        Some(joined)
    }
}
