//! Whether a pass fits a device, and in how many pieces.

use super::designer::{Designer, registers_of};
use super::lines::LineClass;
use crate::fft::chain::chain;
use crate::fft::chain::step::SubTransform;
use crate::fft::factors::largest_prime;
use crate::fft::limits;
use crate::fft::recipe::{AxisRecipe, Exchange, PassRecipe, Stockham};

/// As many invocations should share the workgroup memory of a core.
const MANY_INVOCATIONS: u64 = 1024;

impl Designer<'_> {
    /// Whether the first pass of an axis fits its place among the others.
    pub(super) fn fits_in(&self, axes: &[AxisRecipe], i: usize) -> bool {
        let PassRecipe::Stockham(recipe) = &axes[i].passes[0] else { return false };
        let fits = |step: &SubTransform<'_>| limits::step(step, recipe, self.transform.number, self.profile).is_ok();
        chain(self.transform, self.geometry, axes)
            .is_ok_and(|steps| steps.iter().filter(|step| step.element == (axes[i].through, 0)).all(fits))
    }

    /// Sets the pieces of an exchange, and whether it is split, so that the recipe fits the device,
    /// if it can.
    ///
    /// Two pieces from 16 KiB of workgroup memory on, which leaves room for more workgroups: rows
    /// of 4096 0.263, in one piece 0.288. One piece where there are too few workgroups to fill the
    /// device anyway: of columns fewer, which share a core for longer (report `2026-11-28-columns`).
    pub(super) fn in_pieces(&self, stockham: &mut Stockham, lines: LineClass) -> bool {
        let LineClass { exchanges_mirror, count, .. } = lines;
        let exchanges = stockham.radices.len() > 1 || exchanges_mirror;
        let bytes = stockham.n() * stockham.lines * 4 * self.words();
        let few = count.div_ceil(stockham.lines) <= if lines.across { 128 } else { 256 };
        let least = match lines {
            // Spectra of frames across: 512 by 32.8 0.363, in one piece 0.397.
            LineClass { frames: true, across: true, .. } => 8192,
            // Rows back to reals: 8192 of them in two pieces 0.180, in one 0.165.
            LineClass { to_reals: true, .. } => 32_768,
            _ => 16_384,
        };
        let is_one = self.profile.is_cpu() || bytes < least || few || !exchanges;
        let mut liked = if is_one { [1, 2, 4] } else { self.measured().pieces(lines).unwrap_or([2, 1, 4]) };
        if let Some(memory) = self.registers.memory {
            // Memory for as many invocations as there are registers for, with a sixteenth more to
            // spread the banks.
            let share = u64::from(memory) * u64::from(stockham.lanes) * u64::from(stockham.lines);
            let is_large = |pieces: u32| u64::from(bytes / pieces) * 17 / 16 * MANY_INVOCATIONS > share;
            liked.sort_by_key(|pieces| (is_large(*pieces), *pieces));
        }
        for pieces in liked {
            let mut own = Stockham { pieces, exchange: Exchange::Split, ..stockham.clone() };
            if !self.runs(&own, lines) {
                continue;
            }
            // Split halves the memory. On a processor a barrier costs more than that.
            let whole = Stockham { exchange: Exchange::Whole, ..own.clone() };
            if self.profile.is_cpu() && self.fits(&whole, exchanges_mirror) {
                own = whole;
            }
            *stockham = own;
            return true;
        }
        false
    }

    /// Whether a pass fits the device, and its pieces the text.
    pub fn runs(&self, stockham: &Stockham, lines: LineClass) -> bool {
        let Stockham { radices, lanes, pieces, .. } = stockham;
        let n = stockham.n();
        // Enough for what `limits::stages` asks of several pieces: every butterfly stores to one
        // piece, and every round of lanes loads from one. A round begins at a multiple of the lanes
        // among the n / radix neighbours, and no piece ends within it.
        let kept = || {
            let ends = [radices[radices.len() - 1], if lines.convolution { radices[0] } else { *pieces }];
            let loading = if lines.convolution { radices } else { &radices[1..] };
            n.is_multiple_of(*pieces)
                && ends.iter().all(|radix| radix.is_multiple_of(*pieces))
                && loading.iter().all(|radix| (1..*pieces).all(|i| (i * (n / pieces) % (n / radix)).is_multiple_of(*lanes)))
                // What is exchanged to separate or to join pairs comes in turns of all lanes.
                && (!lines.exchanges_mirror || (n / pieces).is_multiple_of(*lanes) && radices.iter().all(|radix| (n / radix).is_multiple_of(*lanes)))
        };
        (*pieces == 1 || kept()) && self.fits(stockham, lines.exchanges_mirror)
    }

    /// Whether a pass over columns fits the device.
    pub fn runs_across(&self, stockham: &Stockham) -> bool {
        self.runs(stockham, LineClass { across: true, ..LineClass::rows(stockham.n(), u32::MAX) })
    }

    pub(super) fn fits(&self, stockham: &Stockham, exchanges_mirror: bool) -> bool {
        // First what bounds the numbers of a recipe that is not the rules'.
        if !limits::has_invocations(stockham, stockham.lines, self.profile) {
            return false;
        }
        let n = stockham.n();
        let exchanged = if stockham.radices.len() > 1 { u64::from(n / stockham.pieces) } else { 0 };
        let mirrored = if exchanges_mirror { 2 * u64::from(limits::half_of_a_piece(n, stockham)) } else { 0 };
        let words = self.words() * stockham.exchange.words();
        let bytes = limits::memory_bytes(exchanged.max(mirrored), stockham.lines, words);
        // A butterfly has no smaller parts, so those of primes take what they must.
        let is_prime = || stockham.radices.iter().any(|radix| stockham.elements() <= largest_prime(*radix));
        let registers = registers_of(stockham.elements().saturating_mul(self.words()), stockham.radices.len());
        // Each of four schedulers has a quarter of the registers, and whole subgroups of 64.
        let invocations = u64::from(stockham.lanes * stockham.lines).next_multiple_of(256);
        bytes <= self.profile.workgroup_bytes.into()
            && stockham.elements() <= self.most_elements()
            && (registers <= self.registers.liked && invocations * u64::from(registers) <= self.registers.workgroup.into()
                || invocations <= 256 && is_prime())
    }
}
