//! Half-spectra: of the spectrum of n reals only numbers 0 to n/2 are stored, since number n - k is
//! the conjugate of number k.

use super::fuse::{Coordinates, Element, Fuse, Fused, Pair, Reach, Site};
use crate::fft::emit::codelets::{pair, real};
use crate::wgsl::{Expr, Writes, select};

/// Loads number p of n from the stored half. The imaginary parts of numbers 0 and n/2 are taken as
/// 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::fft) struct Half {
    pub n: u32,
}

impl Fuse for Half {
    fn load(&self, site: &mut Site<'_>, element: &Element, inner: &[Fused]) -> Expr {
        let (n, index) = (self.n, &element.position);
        let mirrored = site.body.value("mirrored", (index * 2).greater(n));
        let position = site.body.value("position", select(&mirrored, Expr::from(n) - index, index));
        let z = site.load_named("z", &element.at_position(position), inner);
        // The two numbers that mirror themselves have imaginary parts 0.
        let is_own_mirror = site.body.value("is_own_mirror", index.equals(0).or((index * 2).equals(n)));
        let imaginary = select(&is_own_mirror, real(&z, 0.0), select(&mirrored, -z.y(), z.y()));
        site.body.value("whole", pair(&z.x(), &imaginary))
    }

    fn reach(&self, _: bool) -> Reach {
        Reach::touching(self.n / 2 + 1)
    }
}

/// Separates the spectra of two lines of n reals, a and b, that were transformed together as
/// z = a + i·b, and stores half of each. With w\[k\] = z\[n-k\], a\[k\] = (z\[k\] +
/// conj w\[k\])/2 and b\[k\] = (z\[k\] - conj w\[k\])/2i.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::fft) struct Separate {
    pub n: u32,
    pub pair: Pair,
}

impl Fuse for Separate {
    fn on(&self, lines: &Coordinates<'_>) -> Option<Fused> {
        lines.pair.map(|pair| Self { pair, ..self.clone() }.into())
    }

    fn mirrors(&self) -> Option<u32> {
        Some(self.n)
    }

    fn store_image(&self, site: &mut Site<'_>, _: &Expr, [z, w]: [&Expr; 2], at: Element, inner: &[Fused]) {
        let at = Element { weight: Some(real(z, 0.5)), ..at };
        site.store(&at, pair(&(z.x() + w.x()), &(z.y() - w.y())), inner);
        let condition = self.pair.has_second(site);
        site.when(&condition, |site| {
            site.store(&at.on_line(self.pair.distance), pair(&(z.y() + w.y()), &(w.x() - z.x())), inner);
        });
    }

    fn reach(&self, _: bool) -> Reach {
        Reach::touching(self.n / 2 + 1)
    }

    fn pair(&self) -> Option<&Pair> {
        Some(&self.pair)
    }

    fn drops_results_of(&self, n: u32) -> bool {
        self.n < n
    }
}
