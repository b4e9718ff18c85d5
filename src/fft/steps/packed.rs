//! A line of n reals as m = n/2 complex numbers x\[2j\] + i·x\[2j+1\] with the DFT z.

use super::fuse::{Element, Fuse, Fused, Reach, Site};
use crate::fft::emit::codelets::{opaque, pair, real, scaled, times};
use crate::fft::roots::Constant;
use crate::wgsl::{Expr, select};

/// Computes the spectrum of the n reals from z. For k ≤ m it is (z\[k\] + conj z\[m-k\])/2 +
/// exp(-2πi·k/n) · (z\[k\] - conj z\[m-k\])/2i, with z\[m\] = z\[0\].
///
/// A load computes one of them. A store computes k and m - k together, since the two are (e + o)/2
/// and the conjugate of (e - o)/2.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::fft) struct OfPacked {
    pub n: u32,
}

impl Fuse for OfPacked {
    fn load(&self, site: &mut Site<'_>, element: &Element, inner: &[Fused]) -> Expr {
        let (m, k) = (self.n / 2, &element.position);
        let own = site.body.value("own", select(&k.equals(m), 0, k));
        let mirrored = site.body.value("mirrored", select(&k.equals(0), 0, Expr::from(m) - k));
        let [z, w] = [("z", own), ("w", mirrored)].map(|(name, i)| site.load_named(name, &element.at_position(i), inner));
        let root = site.look_up.root(site.body, self.n, k);
        let sum = site.body.value("sum", pair(&(z.x() + w.x()), &(z.y() - w.y())));
        // (z - conj w) / i
        let difference = site.body.value("difference", pair(&(z.y() + w.y()), &(w.x() - z.x())));
        let whole = pair(
            &(sum.x() + difference.x() * root.x() - difference.y() * root.y()),
            &(sum.y() + difference.x() * root.y() + difference.y() * root.x()),
        );
        scaled(0.5, &whole)
    }

    fn reach(&self, by_position: bool) -> Reach {
        Reach::touching(if by_position { self.n / 2 } else { self.n / 2 + 1 })
    }

    fn mirrors(&self) -> Option<u32> {
        Some(self.n / 2)
    }

    fn store_image(&self, site: &mut Site<'_>, k: &Expr, [z, w]: [&Expr; 2], at: Element, inner: &[Fused]) {
        let k = site.body.value("k", k.clone());
        let root = site.look_up.root(site.body, self.n, &k);
        let even = site.body.value("even", pair(&(z.x() + w.x()), &(z.y() - w.y())));
        let odd = times(&pair(&(z.y() + w.y()), &(w.x() - z.x())), &root);
        // Where one of the two is not stored, compilers might add the products to the rest in
        // another order (`codelets.rs`).
        let drops = inner.iter().any(|step| step.step().drops_results_of(self.n));
        let odd = site.body.value("odd", if drops { opaque(&odd) } else { odd });
        let at = Element { weight: Some(real(z, 0.5)), ..at };
        let mirrored = site.element(&(Expr::from(self.n / 2) - k), &at);
        site.store(&at, &even + &odd, inner);
        site.store(&mirrored, pair(&(even.x() - odd.x()), &(odd.y() - even.y())), inner);
    }

    fn constants(&self) -> Option<Constant> {
        Some(Constant::Twiddle(self.n))
    }

    fn folds(&self) -> Option<u32> {
        Some(self.n / 2)
    }

    fn drops_results_of(&self, n: u32) -> bool {
        self.n / 2 < n
    }
}

/// The reverse, without the factor 1/2. The array holds the DFT x of n reals up to x\[m\]. The
/// value at position k < m is x\[k\] + conj x\[m-k\] + i·exp(2πi·k/n) · (x\[k\] - conj x\[m-k\]).
/// The imaginary parts of x\[0\] and x\[m\] are taken as 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::fft) struct ToPacked {
    pub n: u32,
}

impl Fuse for ToPacked {
    fn load(&self, site: &mut Site<'_>, element: &Element, inner: &[Fused]) -> Expr {
        let (m, k) = (self.n / 2, &element.position);
        let mirrored = site.body.value("mirrored", Expr::from(m) - k);
        let [x, w] = [("x", k.clone()), ("w", mirrored)].map(|(name, i)| {
            let x = site.load_named("loaded", &element.at_position(i), inner);
            // The first and the last have no imaginary part.
            site.body.value(name, pair(&x.x(), &select(&k.equals(0), real(&x, 0.0), x.y())))
        });
        let root = site.look_up.root(site.body, self.n, k);
        let sum = site.body.value("sum", pair(&(x.x() + w.x()), &(x.y() - w.y())));
        // i · (x - conj w)
        let difference = site.body.value("difference", pair(&(-x.y() - w.y()), &(x.x() - w.x())));
        // Multiply by the conjugate of the twiddle factor.
        pair(
            &(sum.x() + difference.x() * root.x() + difference.y() * root.y()),
            &(sum.y() - difference.x() * root.y() + difference.y() * root.x()),
        )
    }

    fn reach(&self, _: bool) -> Reach {
        Reach::touching(self.n / 2 + 1)
    }

    fn constants(&self) -> Option<Constant> {
        Some(Constant::Twiddle(self.n))
    }
}
