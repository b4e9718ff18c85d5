//! Blocks of the array between two axes.

use super::designer::{COLUMNS, Designer, FEWEST_COLUMNS, LONGEST_COLUMN, MANY_COLUMNS};
use super::lines::LineClass;
use super::thresholds::number;
use crate::fft::recipe::{AxisRecipe, PassRecipe, Reals, Stockham};
use crate::fft::spec::kind::Kind;
use crate::fft::spec::number::Number;
use crate::fft::spec::transform::Transform;
use crate::plan::Placement;

/// Blocks of the array between the axis before the last and rows back to reals in pairs.
/// Half-spectra have rows at odd distances, and blocks have not.
const BLOCK_BEFORE_ROWS: [u32; 2] = [number("block before rows to reals, rows"), number("block before rows to reals, columns")];

const BLOCK_BEFORE_COLUMNS: [u32; 2] = [number("block before columns, rows"), number("block before columns, columns")];

/// Of a workgroup from which on a core has room for no other one.
const NUMBERS_OF_A_LARGE_WORKGROUP: u32 = number("numbers of a large workgroup");

/// Whether the array may be in blocks before such rows.
fn takes_blocks(rows: &AxisRecipe) -> bool {
    let is_short = |pass: &PassRecipe| matches!(pass, PassRecipe::Stockham(pass) if pass.radices.len() <= 3);
    rows.bluestein.is_none() && rows.reals == Reals::Pairs && rows.passes.len() == 1 && rows.passes.iter().all(is_short)
}

impl Designer<'_> {
    /// Whether the next axis may be rows back to reals in pairs, and the array in blocks before it.
    fn is_before_rows(&self, axis: usize) -> bool {
        let Transform { kind, number, placement, .. } = *self.transform;
        let measured = (kind, number, placement) == (Kind::C2r, Number::F32, Placement::OutOfPlace) && self.transform.is_plain();
        let extents = self.transform.shape.extents();
        measured && axis + 2 == extents.len() && self.geometry.axes.contains(&axis) && extents[axis].is_multiple_of(2)
    }

    /// Whether the array is in blocks between this axis and the next one, which is that of the
    /// rows.
    pub(super) fn has_blocks_before_rows(&self, axis: usize) -> bool {
        self.is_before_rows(axis) && self.axis(axis + 1).is_ok_and(|rows| takes_blocks(&rows))
    }

    /// Blocks of the array between two axes, where the second has so few columns in a workgroup
    /// that what it loads would be short pieces. From 8 columns on they gain nothing.
    pub(super) fn block(&self, axis: &mut AxisRecipe, next: &mut AxisRecipe) {
        let together = [&*axis, next].iter().any(|own| own.through != own.axis);
        if self.profile.is_cpu() || together {
            return;
        }
        if axis.bluestein.is_none()
            && self.is_before_rows(axis.axis)
            && takes_blocks(next)
            && let [PassRecipe::Stockham(column)] = &mut axis.passes[..]
        {
            column.block = Some(BLOCK_BEFORE_ROWS);
            return;
        }
        if !self.is_fastest(axis.axis) {
            return;
        }
        let lines = self.lines(next.axis, Reals::Complex);
        let is_complex = next.bluestein.is_none() && next.reals == Reals::Complex;
        if is_complex
            && self.transform.number == Number::F32
            && self.has_whole_sectors(next.axis)
            && let [PassRecipe::Stockham(first)] = &mut axis.passes[..]
            && let Some((column, block)) = self.measured().behind_blocks(lines).filter(|(column, _)| self.runs_across(column))
        {
            first.block = Some(block);
            next.passes = vec![PassRecipe::Stockham(column)];
            return;
        }
        let ([PassRecipe::Stockham(first)], [PassRecipe::Stockham(second)]) = (&mut axis.passes[..], &mut next.passes[..]) else { return };
        // In rows at odd distances fewer columns lose.
        let halved = is_complex && self.has_whole_sectors(next.axis) && self.halve(second, lines);
        if halved || second.lines < self.columns(COLUMNS) && second.n() > LONGEST_COLUMN / 2 {
            first.block = Some(BLOCK_BEFORE_COLUMNS);
        }
    }

    /// Takes half as many columns, if a core had room for one workgroup alone, and there are enough
    /// of them. The array before needs blocks then.
    pub(super) fn halve(&self, stockham: &mut Stockham, lines: LineClass) -> bool {
        let numbers = u64::from(stockham.n()) * u64::from(stockham.lines) * u64::from(self.words());
        let is_large =
            numbers >= NUMBERS_OF_A_LARGE_WORKGROUP.into() && stockham.lines == self.columns(COLUMNS) && lines.count >= MANY_COLUMNS;
        let mut half = Stockham { lines: self.columns(FEWEST_COLUMNS), ..stockham.clone() };
        let halves = is_large && !self.profile.is_cpu() && self.in_pieces(&mut half, lines);
        if halves {
            *stockham = half;
        }
        halves
    }
}
