//! Roots of unity, computed in f64 with the index reduced in integers.

use std::f64::consts::TAU;
use std::sync::Arc;

use num_complex::Complex64;

use crate::kernels::join;
use crate::plan::Table;

/// exp(-2πi·k/n), correct to about one unit in the last place of f64, and exact at multiples of an eighth turn where f64 can be.
pub(crate) fn root(k: u64, n: u64) -> Complex64 {
    // The angle as a fraction k/n of a turn is reduced to at most an eighth, where sine and cosine are at their best.
    let k = k % n;
    let (quarter, rest) = (4 * k / n, 4 * k % n);
    // rest/(4n) of a turn past the quarter, in 0..1/4; past an eighth, count back from the next quarter.
    let (cos, sin) = if 2 * rest <= n {
        let angle = TAU * rest as f64 / (4 * n) as f64;
        (angle.cos(), angle.sin())
    } else {
        let angle = TAU * (n - rest) as f64 / (4 * n) as f64;
        (angle.sin(), angle.cos())
    };
    match quarter {
        0 => Complex64::new(cos, -sin),
        1 => Complex64::new(-sin, -cos),
        2 => Complex64::new(-cos, sin),
        _ => Complex64::new(sin, cos),
    }
}

/// The constants of a pass, one part after another.
#[derive(Default)]
pub(super) struct Constants {
    words: Vec<u32>,
    labels: Vec<String>,
    known: Vec<(Part, u32)>,
}

#[derive(Clone, PartialEq, Eq)]
enum Part {
    Line(u32),
    Stages(Vec<u32>),
    Chirp(u32, bool),
    Spectrum(u32, u32),
}

impl Constants {
    fn push(&mut self, value: Complex64) {
        self.words.extend([(value.re as f32).to_bits(), (value.im as f32).to_bits()]);
    }

    fn at(&self) -> u32 {
        (self.words.len() / 2) as u32
    }

    /// Where a part begins, which `fill` adds if it is not there yet.
    fn part(&mut self, part: Part, label: String, fill: impl FnOnce(&mut Self)) -> u32 {
        if let Some((_, at)) = self.known.iter().find(|(known, _)| *known == part) {
            return *at;
        }
        let at = self.at();
        fill(self);
        self.known.push((part, at));
        self.labels.push(label);
        at
    }

    /// exp(-2πi·x/n) for x below n.
    pub fn line(&mut self, n: u32) -> u32 {
        self.part(Part::Line(n), format!("roots {n}"), |own| {
            for x in 0..n {
                own.push(root(x.into(), n.into()));
            }
        })
    }

    /// The roots that Stockham's stages multiply by.
    ///
    /// Stage of radix r with p the product of the earlier radices: exp(-2πi·j·k/(p·r)) at p - 1 + (k - 1)·p + j, for k in 1..r and j in 0..p.
    /// The stages fill one another's gaps, so n - 1 entries hold all of them.
    pub fn stages(&mut self, radices: &[u32]) -> u32 {
        self.part(Part::Stages(radices.to_vec()), format!("roots {}", join(radices, ".")), |own| {
            let mut p = 1;
            for &radix in radices {
                let radix = u64::from(radix);
                for k in 1..radix {
                    for j in 0..p {
                        own.push(root(j * k, p * radix));
                    }
                }
                p *= radix;
            }
        })
    }

    /// Two tables for roots of order n: exp(-2πi·x/n) for x below the first number returned, and for its multiples.
    ///
    /// A product of two rounded roots has about 1.4 times the error of one.
    pub fn twiddle(&mut self, n: u32) -> (u32, [u32; 2]) {
        // H200, 1D 2^20: the size of a single table does not matter up to the caches.
        const SINGLE: u32 = 16_384;
        let low = if n <= SINGLE { n } else { 1 << n.ilog2().div_ceil(2) };
        let first = self.at();
        for x in 0..low {
            self.push(root(x.into(), n.into()));
        }
        let second = self.at();
        for x in 0..n.div_ceil(low) {
            self.push(root(u64::from(x) * u64::from(low), n.into()));
        }
        self.labels.push(format!("twiddles {n}"));
        (low, [first, second])
    }

    /// exp(-πi·j²/n) for j below n, or the conjugates.
    pub fn chirp(&mut self, n: u32, conjugate: bool) -> u32 {
        let name = if conjugate { "conjugate chirp" } else { "chirp" };
        self.part(Part::Chirp(n, conjugate), format!("{name} {n}"), |own| {
            for z in chirp(n) {
                own.push(if conjugate { z.conj() } else { z });
            }
        })
    }

    /// The DFT of length m of the conjugate chirp of n, wrapped around, over m.
    pub fn spectrum(&mut self, n: u32, m: u32) -> u32 {
        self.part(Part::Spectrum(n, m), format!("spectrum {n} in {m}"), |own| {
            let mut wrapped = vec![Complex64::ZERO; m as usize];
            for (j, z) in chirp(n).enumerate() {
                wrapped[j] = z.conj();
                wrapped[(m as usize - j) % m as usize] = z.conj();
            }
            for z in dft(wrapped) {
                own.push(z / f64::from(m));
            }
        })
    }

    pub fn table(mut self) -> Table {
        if self.words.is_empty() {
            // A binding must hold something; a transform of length 1 reads nothing of it.
            self.push(Complex64::ONE);
            self.labels = vec!["unused".to_owned()];
        }
        Table { label: self.labels.join(", "), words: Arc::from(self.words) }
    }
}

/// exp(-πi·j²/n), with the square reduced in integers.
fn chirp(n: u32) -> impl Iterator<Item = Complex64> {
    let n = u64::from(n);
    (0..n).map(move |j| root(j * j % (2 * n), 2 * n))
}

/// DFT in f64, for constants. Lengths with large prime factors take long.
fn dft(x: Vec<Complex64>) -> Vec<Complex64> {
    let n = x.len();
    let roots: Vec<Complex64> = (0..n).map(|k| root(k as u64, n as u64)).collect();
    let (mut x, mut y) = (x, vec![Complex64::ZERO; n]);
    let (mut p, mut rest) = (1, n);
    while rest > 1 {
        let radix = (2..=rest).find(|radix| rest.is_multiple_of(*radix)).unwrap_or(rest);
        let mut inputs = vec![Complex64::ZERO; radix];
        for j in 0..n / radix {
            for (k, input) in inputs.iter_mut().enumerate() {
                *input = x[j + k * (n / radix)] * roots[k * (j % p) * (n / (p * radix))];
            }
            for k in 0..radix {
                y[(j - j % p) * radix + j % p + k * p] = (0..radix).map(|i| inputs[i] * roots[i * k % radix * (n / radix)]).sum();
            }
        }
        std::mem::swap(&mut x, &mut y);
        p *= radix;
        rest /= radix;
    }
    x
}

#[cfg(test)]
mod tests {
    use num_complex::Complex32;

    use super::*;

    #[test]
    fn roots_lie_on_the_circle_in_the_right_place() {
        for n in [1, 2, 3, 5, 8, 12, 31, 1024] {
            for k in 0..2 * n {
                let angle = -TAU * (k % n) as f64 / n as f64;
                let expected = Complex64::new(angle.cos(), angle.sin());
                assert!((root(k, n) - expected).norm() < 2e-15, "{k}/{n}: {} {expected}", root(k, n));
            }
        }
    }

    #[test]
    fn quarter_turns_are_exact() {
        let quarters: Vec<Complex64> = (0..4).map(|k| root(k, 4)).collect();
        assert_eq!(quarters, [Complex64::new(1., 0.), Complex64::new(0., -1.), Complex64::new(-1., 0.), Complex64::new(0., 1.)]);
        let eighth = root(1, 8);
        assert!((eighth.re + eighth.im).abs() < 2e-16, "{eighth}");
    }

    #[test]
    fn stages_fill_the_table_without_gaps() {
        let mut constants = Constants::default();
        assert_eq!(constants.stages(&[8, 4, 2]), 0);
        let table = constants.table();
        assert_eq!(table.words.len(), 2 * 63);
        // Stage of radix 2 after 32: j = 5 at 31 + 5.
        let at = |i: usize| Complex32::new(f32::from_bits(table.words[2 * i]), f32::from_bits(table.words[2 * i + 1]));
        let expected = root(5, 64);
        assert_eq!(at(31 + 5), Complex32::new(expected.re as f32, expected.im as f32));
        // Stage of radix 4 after 8: j = 3, k = 2 at 7 + 8 + 3.
        let expected = root(6, 32);
        assert_eq!(at(7 + 8 + 3), Complex32::new(expected.re as f32, expected.im as f32));
    }

    #[test]
    fn constants_are_kept_once() {
        let mut constants = Constants::default();
        let first = constants.chirp(5, false);
        assert_eq!(constants.stages(&[2, 2]), 5);
        assert_eq!(constants.chirp(5, false), first);
        assert_eq!(constants.chirp(5, true), 8);
        assert_eq!(constants.table().label, "chirp 5, roots 2.2, conjugate chirp 5");
    }

    #[test]
    fn the_dft_for_constants_follows_the_definition() {
        for n in [1, 2, 3, 7, 12, 60] {
            let x: Vec<Complex64> = (0..n).map(|j| Complex64::new((j * j % 7) as f64 - 3.0, (j % 5) as f64)).collect();
            for (k, y) in dft(x.clone()).into_iter().enumerate() {
                let expected: Complex64 = x.iter().enumerate().map(|(j, x)| x * root((j * k) as u64, n as u64)).sum();
                assert!((y - expected).norm() < 1e-12, "{k}/{n}: {y} {expected}");
            }
        }
    }
}
