//! Whether a pass fits a device, and in how many pieces.

use super::designer::{Designer, registers_of};
use super::lines::LineClass;
use super::thresholds::number;
use crate::fft::chain::chain;
use crate::fft::chain::step::SubTransform;
use crate::fft::factors::largest_prime;
use crate::fft::limits;
use crate::fft::pass::radices_of;
use crate::fft::recipe::{AxisRecipe, Exchange, PassRecipe, Stockham};

/// Up to so many workgroups of rows and of columns an exchange has one piece, as they do not fill
/// the device anyway.
const WORKGROUPS_IN_ONE_PIECE: [u32; 2] = [number("workgroups in one piece, rows"), number("workgroups in one piece, columns")];

impl Designer<'_> {
    /// Whether the first pass of an axis fits its place among the others.
    pub(super) fn fits_in(&self, axes: &[AxisRecipe], i: usize) -> bool {
        let PassRecipe::Stockham(recipe) = &axes[i].passes[0] else { return false };
        let pass = |step: &SubTransform<'_>| step.pass(&recipe.radices, self.transform.number);
        let fits = |step: &SubTransform<'_>| pass(step).and_then(|pass| limits::pass(pass, recipe, self.profile)).is_ok();
        chain(self.transform, self.geometry, axes)
            .is_ok_and(|steps| steps.iter().filter(|step| step.element == (axes[i].through, 0)).all(fits))
    }

    /// Sets the pieces of an exchange, and whether it is split, so that the recipe fits the device,
    /// if it can. Two pieces leave room for more workgroups.
    pub(super) fn in_pieces(&self, stockham: &mut Stockham, lines: LineClass) -> bool {
        let exchanges = stockham.radices.len() > 1 || lines.exchanges_mirror;
        let bytes = stockham.n() * stockham.lines * 4 * self.words();
        let few = lines.count.div_ceil(stockham.lines) <= WORKGROUPS_IN_ONE_PIECE[usize::from(lines.across)];
        let least = match lines {
            LineClass { frames: true, across: true, .. } => const { number("bytes of two pieces, frames across") },
            LineClass { to_reals: true, .. } => const { number("bytes of two pieces, rows to reals") },
            _ => const { number("bytes of two pieces") },
        };
        let is_one = self.profile.is_cpu() || bytes < least || few || !exchanges;
        let mut liked = if is_one { [1, 2, 4] } else { self.measured().pieces(lines).unwrap_or([2, 1, 4]) };
        if let Some(memory) = self.registers.memory {
            // Memory for as many invocations as there are registers for, with a sixteenth more to
            // spread the banks.
            let share = u64::from(memory) * u64::from(stockham.lanes) * u64::from(stockham.lines);
            let is_large = |pieces: u32| u64::from(bytes / pieces) * 17 / 16 * u64::from(const { number("invocations of a core") }) > share;
            liked.sort_by_key(|pieces| (is_large(*pieces), *pieces));
        }
        for pieces in liked {
            let mut own = Stockham { pieces, exchange: Exchange::Split, ..stockham.clone() };
            if !self.runs(&own, lines) {
                continue;
            }
            // Split halves the memory. On a processor a barrier costs more than that.
            let whole = Stockham { exchange: Exchange::Whole, ..own.clone() };
            if self.profile.is_cpu() && self.fits(&whole, lines) {
                own = whole;
            }
            *stockham = own;
            return true;
        }
        false
    }

    /// Whether a pass fits the device, and whether its lanes and pieces suit every stage.
    pub fn runs(&self, stockham: &Stockham, lines: LineClass) -> bool {
        let stages = |axes: &[&[u32]]| limits::stages(stockham, axes, lines.convolution, None).is_ok();
        let together = |extents: &[usize]| {
            let extents: Vec<u32> = extents.iter().map(|&n| n as u32).collect();
            radices_of(&stockham.radices, &extents).is_some_and(|axes| stages(&axes))
        };
        self.fits(stockham, lines)
            && match lines.together {
                // Lanes suit every stage of a single axis.
                None => stockham.pieces == 1 || stages(&[&stockham.radices]),
                Some([first, last]) => self.transform.shape.extents().get(first..=last).is_some_and(together),
            }
    }

    /// Whether a pass over columns fits the device.
    pub fn runs_across(&self, stockham: &Stockham) -> bool {
        self.runs(stockham, LineClass { across: true, ..LineClass::rows(stockham.n(), u32::MAX) })
    }

    /// Whether the device has enough invocations, workgroup memory and registers for a pass.
    pub(super) fn fits(&self, stockham: &Stockham, lines: LineClass) -> bool {
        // First what bounds the numbers of a recipe that is not the rules'.
        if limits::invocations(stockham, stockham.lines, self.profile).is_err() {
            return false;
        }
        let mirrored = lines.exchanges_in_store().then(|| stockham.n());
        // A butterfly has no smaller parts, so those of primes take what they must.
        let is_prime = || stockham.radices.iter().any(|radix| stockham.elements() <= largest_prime(*radix));
        let registers = registers_of(stockham.elements().saturating_mul(self.words()), stockham.radices.len());
        // Each of four schedulers has a quarter of the registers, and whole subgroups of 64.
        let invocations = u64::from(stockham.lanes * stockham.lines).next_multiple_of(256);
        limits::memory(stockham, self.transform.number, mirrored, self.profile).is_ok()
            && stockham.elements() <= self.most_elements()
            && (registers <= self.registers.liked && invocations * u64::from(registers) <= self.registers.workgroup.into()
                || invocations <= 256 && is_prime())
    }
}
