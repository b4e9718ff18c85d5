//! Twiddle factors between the passes of a long axis.

use super::fuse::{Coordinates, Fuse, Fused, Site};
use crate::fft::emit::codelets::times;
use crate::fft::roots::Constant;
use crate::wgsl::Expr;

/// Multiplies the results k of a line by exp(-2πi·k·m/n), where m is a weighted sum of indices.
/// This is the last step of a store, and it handles all values of an invocation at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::fft) struct Twiddle {
    /// Order of the roots of unity. k·m is below it.
    pub n: u32,
    /// The weights in m: first those of the indices of the axis's factors, then those of the line's
    /// coordinates.
    pub weights: Vec<u32>,
}

/// What the twiddle factors of an invocation have in common.
pub(in crate::fft) struct Powers {
    m: Expr,
    /// exp(-2πi·m·k·distance/n) for k = 1, 2, 4, …; empty if all factors are looked up.
    powers: Vec<Expr>,
    distance: u32,
}

impl Fuse for Twiddle {
    fn on(&self, lines: &Coordinates<'_>) -> Option<Fused> {
        Some(Self { weights: lines.weights.to_vec(), ..self.clone() }.into())
    }

    fn is_plain(&self) -> bool {
        true
    }

    fn counts(&self, dim: usize) -> bool {
        self.weights.get(dim).is_some_and(|weight| *weight > 0)
    }

    fn constants(&self) -> Option<Constant> {
        Some(Constant::Twiddle(self.n))
    }
}

impl Twiddle {
    /// For results `distance` apart, of butterflies with this radix. `None` if all factors are 1.
    /// With `products`, all factors of a butterfly but the first are products.
    pub fn powers(&self, site: &mut Site<'_>, radix: u32, distance: u32, products: bool) -> Option<Powers> {
        let terms = self.weights.iter().zip(site.coordinates).filter(|(weight, _)| **weight > 0);
        let m = terms.map(|(&weight, d)| d * weight).reduce(|sum, term| sum + term)?;
        let m = site.body.value("m", m);
        let bits = if products && radix > 1 { radix.next_power_of_two().ilog2() } else { 0 };
        let powers = (0..bits).map(|bit| self.look_up(site, &m * ((1 << bit) * distance))).collect();
        Some(Powers { m, powers, distance })
    }

    /// The factors of the results first, first + distance, …
    pub fn factors(&self, site: &mut Site<'_>, powers: &Powers, first: &Expr, radix: u32) -> Vec<Expr> {
        let mut factors: Vec<Expr> = Vec::new();
        for k in 0..radix {
            let factor = if k == 0 || powers.powers.is_empty() {
                self.look_up(site, &powers.m * (first + k * powers.distance))
            } else {
                let bit = k.ilog2();
                site.body.value("root", times(&factors[(k - (1 << bit)) as usize], &powers.powers[bit as usize]))
            };
            factors.push(factor);
        }
        factors
    }

    fn look_up(&self, site: &mut Site<'_>, x: Expr) -> Expr {
        let x = site.body.value("turns", x);
        site.look_up.root(site.body, self.n, &x)
    }
}
