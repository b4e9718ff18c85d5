//! The constants of a chirp-Z transform, and of spectra at single frequencies.

use num_complex::Complex64;

use crate::fft::roots::{dft, root};
use crate::plan::program::Table;
use crate::threads::side_by_side;

/// The frequencies f0 + k·(f1 - f0)/parts, in cycles per sample.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Grid {
    /// Bits of f0 and f1.
    pub band: [u64; 2],
    /// From f0 to f1.
    pub parts: u32,
    /// Whether it is the adjoint: the sum over frequencies, with the opposite sign of the angle.
    pub adjoint: bool,
}

/// Elements that one thread computes at a time.
const CHUNK: u32 = 1 << 15;

/// f/over as a fraction of a turn, in units of 2⁻¹²⁸ turns, rounded towards 0: angles wrap as
/// integers do. `over` is a whole number below 2⁵³.
fn turns(f: f64, over: f64) -> u128 {
    // A long division in binary, all of it exact: a remainder is, twice a number is, and so is a
    // difference of numbers of which one is at most twice the other.
    let mut rest = f.abs() % over;
    let digits = (0..128).fold(0u128, |digits, _| {
        rest *= 2.0;
        let is_one = rest >= over;
        rest -= if is_one { over } else { 0.0 };
        digits << 1 | u128::from(is_one)
    });
    if f < 0.0 { digits.wrapping_neg() } else { digits }
}

/// exp(-2πi·turns).
fn turned(turns: u128) -> Complex64 {
    root((turns >> 67) as u64, 1 << 61)
}

/// The values for j = 0 … len-1.
fn values(len: u32, value: impl Fn(u32) -> Complex64 + Sync) -> Vec<Complex64> {
    let chunks: Vec<u32> = (0..len.div_ceil(CHUNK)).collect();
    let of_chunk = |&chunk: &u32| (chunk * CHUNK..len.min((chunk + 1).saturating_mul(CHUNK))).map(&value).collect::<Vec<_>>();
    side_by_side(&chunks, of_chunk).concat()
}

/// The bits of a frequency. -0 is no other frequency than 0, and there is one NaN.
pub(super) fn bits_of(f: f64) -> u64 {
    if f.is_nan() { f64::NAN } else { f + 0.0 }.to_bits()
}

/// A frequency of f/over cycles per sample.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Frequency {
    /// Bits of f.
    pub f: u64,
    pub over: u32,
}

impl Frequency {
    /// For each of these frequencies f, exp(-2πi·f·step·j) for j below `count`.
    pub fn powers(all: &[Self], step: u32, count: u32) -> Table {
        let turns: Vec<u128> = all.iter().map(|own| turns(f64::from_bits(own.f), own.over.into()).wrapping_mul(step.into())).collect();
        let list = all.iter().map(|own| format!("{:016x}/{}", own.f, own.over)).collect::<Vec<_>>().join(",");
        table(format!("{count} powers of {list} by {step}"), count * all.len() as u32, move || {
            turns.iter().flat_map(|own| values(count, |j| turned(own.wrapping_mul(j.into())))).collect()
        })
    }
}

/// A table of complex numbers.
fn table(label: String, len: u32, make: impl Fn() -> Vec<Complex64> + Send + Sync + 'static) -> Table {
    Table::new(label, 2 * u64::from(len), move || make().iter().flat_map(|z| [z.re, z.im]).map(|x| (x as f32).to_bits()).collect())
}

impl Grid {
    /// f0 + k·(f1 - f0)/parts.
    pub fn frequency(&self, k: usize) -> f64 {
        let [f0, f1] = self.band.map(f64::from_bits);
        let part = k as f64 / f64::from(self.parts);
        // At the end, f1 itself.
        if part <= 0.5 { f0 + part * (f1 - f0) } else { f1 - (1.0 - part) * (f1 - f0) }
    }

    /// (f1 - f0)/(2·parts), half a step of the grid. It is off by at most 2⁻¹²⁷ turns, and j² times
    /// that is below 2⁻⁶³ turns for the j of all signals: squares lose no digit of an f64.
    fn half_step(&self) -> u128 {
        let [from, to] = self.band.map(|f| turns(f64::from_bits(f), 2.0 * f64::from(self.parts)));
        if self.adjoint { from.wrapping_sub(to) } else { to.wrapping_sub(from) }
    }

    /// exp(-2πi·(offset·j + half_step·j²)) for j below n.
    fn chirp(&self, n: u32, offset: u128) -> Vec<Complex64> {
        let half_step = self.half_step();
        values(n, |j| {
            let j = u128::from(j);
            turned(offset.wrapping_mul(j).wrapping_add(half_step.wrapping_mul(j * j)))
        })
    }

    /// The DFT of length `length` of exp(2πi·half_step·j²) for j = -(n - 1) … m - 1, where negative
    /// j count from the end.
    fn spectrum(&self, n: u32, m: u32, length: u32) -> Vec<Complex64> {
        let mut all = vec![Complex64::ZERO; length as usize];
        for (j, z) in self.chirp(n.max(m), 0).into_iter().enumerate() {
            if j < m as usize {
                all[j] = z.conj();
            }
            if (1..n as usize).contains(&j) {
                all[length as usize - j] = z.conj();
            }
        }
        dft(all)
    }

    /// What the signal of n elements is multiplied by, what its spectrum of `length` is, and what
    /// the m results are.
    pub fn tables(self, n: u32, m: u32, length: u32) -> [Table; 3] {
        let [f0, f1] = self.band;
        let offset = turns(f64::from_bits(f0), 1.0);
        // Of the adjoint the index of the sum is that of frequencies, and the angle is the
        // opposite.
        let [first, last] = if self.adjoint { [0, offset.wrapping_neg()] } else { [offset, 0] };
        let label = |what: &str, numbers: &[u32]| {
            let numbers = crate::text::join(numbers, " ");
            format!("{what} {numbers} of {f0:016x}..{f1:016x}/{}{}", self.parts, if self.adjoint { " adjoint" } else { "" })
        };
        [
            table(label("first chirp", &[n]), n, move || self.chirp(n, first)),
            table(label("spectrum of a chirp", &[n, m, length]), length, move || self.spectrum(n, m, length)),
            table(label("second chirp", &[m]), m, move || self.chirp(m, last)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_of_turns_are_exact() {
        assert_eq!(turns(0.25, 1.0), 1 << 126);
        assert_eq!(turns(-0.25, 1.0), 3 << 126);
        assert_eq!(turns(7.0, 2.0), 1 << 127);
        assert_eq!(turns(1.0, 3.0), u128::MAX / 3);
        assert_eq!(turns(f64::MAX, 1.0), 0);
        assert_eq!(turns(2f64.powi(-128), 1.0), 1);
        assert_eq!(turns(f64::MIN_POSITIVE, 1.0), 0);
        // 0.1 is 3602879701896397/2^55.
        assert_eq!(turns(0.1, 1.0), 3_602_879_701_896_397 << 73);
        assert_eq!(turns(-0.1, 6.0), ((3_602_879_701_896_397u128 << 73) / 6).wrapping_neg());
    }

    /// With a step of 2⁻³⁰, squares up to 2⁶² wrap many times, and the result is known.
    #[test]
    fn chirps_of_long_signals_lose_no_digits() {
        let grid = Grid { band: [0.5f64, 0.5 + 2f64.powi(-19)].map(f64::to_bits), parts: 2048, adjoint: false };
        let (offset, half_step) = (turns(0.5, 1.0), grid.half_step());
        assert_eq!(half_step, 1 << (128 - 31));
        for j in [1u64, 12_345, 999_999_999, (1 << 31) - 1, (1 << 32) - 1] {
            let exact = (u128::from(j) * u128::from(j)) % (1 << 31);
            let whole = half_step.wrapping_mul(u128::from(j) * u128::from(j));
            assert_eq!(whole >> 97, exact);
            assert_eq!(offset.wrapping_mul(u128::from(j)), if j % 2 == 1 { 1 << 127 } else { 0 });
        }
    }
}
