//! Transforms from reals to reals, each as a Fourier transform with steps on both sides: cosine and
//! sine transforms, Hartley's, and half-complex spectra.
//!
//! - [`Sequence`] finds the reals of the Fourier transform in the array: in another order, with
//!   other signs, or continued past the array's ends.
//! - [`Coefficients`] turns elements of a half-spectrum into results of the transform, or arguments
//!   into elements of a half-spectrum. An element of the spectrum belongs to two of them.
//! - [`PairCoefficients`] does the same for two neighbouring lines at once, which the array holds
//!   as complex numbers.
//! - [`Quarter`] takes two reals as a complex number, for cosine and sine transforms of type IV of
//!   an even length.
//!
//! With x\[j\] in the order 0, 2, 4, …, 5, 3, 1, whose DFT is V, the cosine transform of type II is
//! X\[k\] = 2·Re(exp(-πik/2n)·V\[k\]) and X\[n-k\] = -2·Im(exp(-πik/2n)·V\[k\]) (Makhoul). Type III
//! is the reverse. Type I is the DFT of x continued evenly to 2(n-1) reals. Type IV is, for even n,
//! a DFT of n/2 complex numbers between two multiplications. For odd n it is a DFT of n reals in an
//! order that the Chinese remainder theorem gives, see [`odd_index`]. A sine transform is the
//! cosine transform of the same type, between changes of signs and reversals; type I continues x
//! oddly.
//!
//! J. Makhoul, IEEE Trans. Acoust. Speech Signal Process. 28 (1980) 27; S. C. Chan and K. L. Ho,
//! IEEE Trans. Circuits Syst. II 39 (1992) 185; V. Britanak et al., Discrete Cosine and Sine
//! Transforms, Academic Press 2007.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

use super::fuse::{Element, Fuse, Fused, Reach, Site};
use crate::fft::emit::codelets::{pair, real, scaled, times};
use crate::fft::roots::Constant;
use crate::fft::spec::real_kind::RealKind;
use crate::wgsl::{Expr, Writes, boolean, select, zero};

/// The transform of an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::fft) struct RealAxis {
    pub kind: RealKind,
    /// Number of reals.
    pub n: u32,
    /// Whether first or last elements have factors that make the transform orthogonal.
    pub orthogonal: bool,
}

/// An element of the array that a step takes.
struct Place {
    index: Expr,
    /// Whether its sign changes.
    negated: Expr,
    /// Whether it is there; if not, a zero takes its place.
    there: Expr,
}

impl RealAxis {
    /// The same index counted from the other end, if `reversed`.
    fn reversed_if(self, reversed: bool, index: Expr) -> Expr {
        if reversed { Expr::from(self.n - 1) - index } else { index }
    }

    /// Multiplies the elements at these indices by a factor.
    fn with_factor(self, end: usize, site: &mut Site<'_>, index: &Expr, value: Expr) -> Expr {
        if !self.orthogonal {
            return value;
        }
        let ends = self.kind.orthogonal_factors(self.n)[end];
        let Some(is_end) = ends.iter().flatten().map(|&own| index.equals(own)).reduce(|any, own| any.or(own)) else { return value };
        let value = site.body.value("value", value);
        let changed = select(&is_end, scaled([SQRT_2, FRAC_1_SQRT_2][end], &value), value);
        site.body.value("weighted", changed)
    }

    /// Loads the real at an index.
    fn load(self, site: &mut Site<'_>, element: &Element, inner: &[Fused], name: &str, index: Expr) -> Expr {
        let index = site.body.value("own", index);
        let value = site.load_named(name, &element.at_position(index.clone()), inner);
        self.with_factor(0, site, &index, value)
    }

    /// Loads x\[k\] and x\[n-k\], where x\[n\] = 0, of arguments that a sine transform takes from
    /// the last one on.
    fn load_two(self, site: &mut Site<'_>, k: &Expr, element: &Element, inner: &[Fused]) -> [Expr; 2] {
        let is_first = site.body.value("is_first", k.equals(0));
        let opposite = select(&is_first, 0, Expr::from(self.n) - k);
        let reversed = self.kind.is_sine();
        let own = self.load(site, element, inner, "x", self.reversed_if(reversed, k.clone()));
        let other = self.load(site, element, inner, "w", self.reversed_if(reversed, opposite));
        let other = select(&is_first, zero(other.ty()), other);
        [own, site.body.value("other", other)]
    }

    /// Stores two results k and n-k, the second of which may be the first.
    fn store_two(self, site: &mut Site<'_>, element: &Element, inner: &[Fused], indices: [Expr; 2], values: [Expr; 2]) {
        let k = &element.position;
        let differ = site.body.value("differ", k.differs(0).and((k * 2).differs(self.n)));
        let ([first, second], [own, other]) = (indices, values);
        self.store(site, element, inner, first, own);
        site.when(&differ, |site| self.store(site, element, inner, second, other));
    }

    /// Stores a real at an index.
    fn store(self, site: &mut Site<'_>, element: &Element, inner: &[Fused], index: Expr, value: Expr) {
        let index = site.body.value("own", index);
        let value = self.with_factor(1, site, &index, value);
        site.store(&element.at_position(index), value, inner);
    }
}

/// The reals of a Fourier transform, where the array has them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::fft) struct Sequence {
    pub axis: RealAxis,
    /// Whether the transform takes two neighbours of the sequence as a complex number.
    pub halves: bool,
}

impl Sequence {
    /// Where element p of the sequence lies.
    fn place(&self, site: &mut Site<'_>, p: &Expr) -> Place {
        let RealAxis { kind, n, .. } = self.axis;
        let (mut negated, mut there) = (boolean(false), boolean(true));
        let index = match kind {
            RealKind::DctI => select(&p.less(n), p, Expr::from(2 * (n - 1)) - p),
            RealKind::DstI => {
                negated = site.body.value("mirrored", p.greater(n));
                there = site.body.value("there", p.differs(0).and(p.differs(n + 1)));
                select(&there, select(&negated, Expr::from(2 * n + 1) - p, p - 1), 0)
            }
            RealKind::DctII | RealKind::DstII | RealKind::DctIII | RealKind::DstIII => {
                // Numbers of odd index come last, in descending order.
                let odd = site.body.value("odd", p.at_least(n.div_ceil(2)));
                let index = select(&odd, Expr::from(2 * n - 1) - p * 2, p * 2);
                if kind.is_sine() {
                    negated = odd;
                }
                index
            }
            RealKind::DctIV | RealKind::DstIV => {
                let (index, changes) = odd_index(site, n, p);
                negated = changes;
                self.axis.reversed_if(kind.is_sine(), index)
            }
            RealKind::Hartley | RealKind::ToHalfComplex | RealKind::OfHalfComplex => p.clone(),
        };
        Place { index, negated, there }
    }

    fn load_one(&self, site: &mut Site<'_>, element: &Element, inner: &[Fused], p: &Expr) -> Expr {
        let Place { index, negated, there } = self.place(site, p);
        let value = self.axis.load(site, element, inner, "x", index);
        let nothing = zero(value.ty());
        let signed = select(&negated, -&value, value);
        site.body.value("signed", select(&there, signed, nothing))
    }

    fn store_one(&self, site: &mut Site<'_>, element: &Element, value: Expr, inner: &[Fused], p: &Expr) {
        let Place { index, negated, .. } = self.place(site, p);
        self.axis.store(site, element, inner, index, select(&negated, -&value, value));
    }

    /// The neighbours of the sequence that are a complex number's parts.
    fn neighbours(site: &mut Site<'_>, element: &Element) -> [Expr; 2] {
        let first = site.body.value("first", &element.position * 2);
        [first.clone(), first + 1]
    }
}

impl Fuse for Sequence {
    fn load(&self, site: &mut Site<'_>, element: &Element, inner: &[Fused]) -> Expr {
        if !self.halves {
            return self.load_one(site, element, inner, &element.position);
        }
        let [re, im] = Self::neighbours(site, element).map(|p| self.load_one(site, element, inner, &p));
        pair(&re, &im)
    }

    fn store(&self, site: &mut Site<'_>, element: &Element, value: Expr, inner: &[Fused]) {
        let value = site.body.value("value", value);
        if !self.halves {
            return self.store_one(site, element, value, inner, &element.position);
        }
        let [first, second] = Self::neighbours(site, element);
        self.store_one(site, element, value.x(), inner, &first);
        self.store_one(site, element, value.y(), inner, &second);
    }

    fn reach(&self, _: bool) -> Reach {
        Reach::touching(self.axis.n)
    }
}

/// Elements of a half-spectrum, as arguments or results of a transform from reals to reals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::fft) struct Coefficients(pub RealAxis);

impl Coefficients {
    /// exp(-πik/2n).
    fn arc(&self) -> Constant {
        arc(self.0.n, self.0.n / 2 + 1)
    }
}

/// exp(-πik/2n) for k below `len`.
fn arc(n: u32, len: u32) -> Constant {
    Constant::Arc { order: 4 * u64::from(n), first: 0, step: 1, len }
}

impl Fuse for Coefficients {
    fn load(&self, site: &mut Site<'_>, element: &Element, inner: &[Fused]) -> Expr {
        let k = site.body.value("k", element.position.clone());
        let [own, other] = self.0.load_two(site, &k, element, inner);
        if self.0.kind == RealKind::OfHalfComplex {
            return pair(&own, &other);
        }
        let root = site.body.value("root", site.look_up.of(&self.arc(), &k));
        // (x - i·w) times the conjugate of the root.
        pair(&(&own * root.x() - &other * root.y()), &-(&own * root.y() + &other * root.x()))
    }

    fn store(&self, site: &mut Site<'_>, element: &Element, value: Expr, inner: &[Fused]) {
        let RealAxis { kind, n, .. } = self.0;
        let (k, v) = (site.body.value("k", element.position.clone()), site.body.value("v", value));
        let opposite = Expr::from(n) - &k;
        match kind {
            RealKind::DctI => self.0.store(site, element, inner, k, v.x()),
            RealKind::DstI => {
                let there = k.differs(0).and(k.at_most(n));
                site.when(&there, |site| self.0.store(site, element, inner, &k - 1, -v.y()));
            }
            RealKind::Hartley => self.0.store_two(site, element, inner, [k, opposite], [v.x() - v.y(), v.x() + v.y()]),
            RealKind::ToHalfComplex => self.0.store_two(site, element, inner, [k, opposite], [v.x(), v.y()]),
            RealKind::DctIV | RealKind::DstIV => {
                // √2 of the factor 2 is in the scale.
                let eighth = n % 8;
                let (re, im) = (v.x(), v.y());
                let re = if eighth == 1 || eighth == 7 { re } else { -re };
                let im = if eighth == 1 || eighth == 3 { im } else { -im };
                let frequency = site.body.value("frequency", (&k * 8) % n);
                let mirrored = site.body.value("mirrored", select(&frequency.equals(0), 0, Expr::from(n) - &frequency));
                let of = |site: &mut Site<'_>, frequency: &Expr, value: Expr| {
                    let (index, negated) = odd_index(site, n, frequency);
                    // A sine transform changes the signs of odd numbers too.
                    let negated = if kind == RealKind::DstIV { negated.differs((&index % 2).equals(1)) } else { negated };
                    let value = site.body.value("value", value);
                    (index, select(&negated, -&value, value))
                };
                let (first, own) = of(site, &frequency, &re + &im);
                let (second, other) = of(site, &mirrored, re - im);
                self.0.store_two(site, element, inner, [first, second], [own, other]);
            }
            RealKind::DctII | RealKind::DstII | RealKind::DctIII | RealKind::DstIII | RealKind::OfHalfComplex => {
                let root = site.look_up.of(&self.arc(), &k);
                let turned = site.body.value("turned", times(&v, &root));
                let reversed = self.0.kind.is_sine();
                // Of k = 0 there is no opposite, and its index is not used.
                let opposite = if reversed { &k - 1 } else { opposite };
                self.0.store_two(site, element, inner, [self.0.reversed_if(reversed, k), opposite], [turned.x(), -turned.y()]);
            }
        }
    }

    fn constants(&self) -> Option<Constant> {
        self.0.kind.is_type_ii_or_iii().then(|| self.arc())
    }

    fn reach(&self, _: bool) -> Reach {
        Reach::touching(self.0.n)
    }
}

/// Arguments or results of cosine and sine transforms of types II and III of two lines a and b, as
/// elements a + i·b of a line whose spectrum is Z. With A = exp(-πik/2n), results of type II are
/// X\[k\] = A·Z\[k\] + conj A·Z\[n-k\] and X\[n-k\] = i·(A·Z\[k\] - conj A·Z\[n-k\]), and for
/// type III Z\[k\] = conj A·(X\[k\] - i·X\[n-k\]) with X\[n\] = 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::fft) struct PairCoefficients(pub RealAxis);

impl PairCoefficients {
    fn arc(&self) -> Constant {
        arc(self.0.n, self.0.n)
    }
}

impl Fuse for PairCoefficients {
    fn load(&self, site: &mut Site<'_>, element: &Element, inner: &[Fused]) -> Expr {
        let k = site.body.value("k", element.position.clone());
        let [own, other] = self.0.load_two(site, &k, element, inner);
        let root = site.body.value("root", site.look_up.of(&self.arc(), &k));
        let difference = site.body.value("difference", pair(&(own.x() + other.y()), &(own.y() - other.x())));
        times(&difference, &pair(&root.x(), &-root.y()))
    }

    fn mirrors(&self) -> Option<u32> {
        Some(self.0.n)
    }

    fn store_image(&self, site: &mut Site<'_>, k: &Expr, [z, w]: [&Expr; 2], at: Element, inner: &[Fused]) {
        let k = site.body.value("k", k.clone());
        let root = site.body.value("root", site.look_up.of(&self.arc(), &k));
        let is_own_image = k.equals(0).or((&k * 2).equals(self.0.n));
        if is_own_image.is_true() {
            // A·Z + conj A·Z. Written as a sum of two products of the same numbers, compilers would
            // rearrange it, see `codelets.rs`.
            let index = self.0.reversed_if(self.0.kind.is_sine(), k.clone());
            return self.0.store(site, &Element { position: k, ..at }, inner, index, z * root.x());
        }
        let own = site.body.value("turned", times(z, &root));
        let other = site.body.value("mirrored", times(w, &pair(&root.x(), &-root.y())));
        // The scale has the factor 2 that is in these sums.
        let at = Element { weight: Some(real(&own.x(), 0.5)), position: k.clone(), ..at };
        let difference = site.body.value("difference", &own - &other);
        let reversed = self.0.kind.is_sine();
        let opposite = if reversed { &k - 1 } else { Expr::from(self.0.n) - &k };
        let values = [own + other, pair(&-difference.y(), &difference.x())];
        self.0.store_two(site, &at, inner, [self.0.reversed_if(reversed, k), opposite], values);
    }

    fn constants(&self) -> Option<Constant> {
        Some(self.arc())
    }

    fn reach(&self, _: bool) -> Reach {
        Reach::touching(self.0.n)
    }

    fn multiplies(&self) -> bool {
        true
    }
}

/// Two reals 2p and n-1-2p as a complex number p of n/2, times exp(-πi(8p+1)/8n) on loads and on
/// stores.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::fft) struct Quarter(pub RealAxis);

impl Quarter {
    fn arc(&self) -> Constant {
        Constant::Arc { order: 16 * u64::from(self.0.n), first: 1, step: 8, len: self.0.n / 2 }
    }

    /// 2p and n-1-2p.
    fn places(&self, site: &mut Site<'_>, p: &Expr) -> [Expr; 2] {
        let even = site.body.value("even", p * 2);
        [even.clone(), Expr::from(self.0.n - 1) - even]
    }
}

impl Fuse for Quarter {
    fn load(&self, site: &mut Site<'_>, element: &Element, inner: &[Fused]) -> Expr {
        let p = element.position.clone();
        let [even, odd] = self.places(site, &p).map(|index| self.0.load(site, element, inner, "x", index));
        // A sine transform takes its numbers in reverse.
        let value = if self.0.kind.is_sine() { pair(&odd, &even) } else { pair(&even, &odd) };
        times(&value, &site.look_up.of(&self.arc(), &p))
    }

    fn store(&self, site: &mut Site<'_>, element: &Element, value: Expr, inner: &[Fused]) {
        let k = element.position.clone();
        let turned = site.body.value("turned", times(&value, &site.look_up.of(&self.arc(), &k)));
        let [even, odd] = self.places(site, &k);
        self.0.store(site, element, inner, even, turned.x());
        // A sine transform changes the signs of odd numbers.
        self.0.store(site, element, inner, odd, if self.0.kind.is_sine() { turned.y() } else { -turned.y() });
    }

    fn constants(&self) -> Option<Constant> {
        Some(self.arc())
    }

    fn reach(&self, _: bool) -> Reach {
        Reach::touching(self.0.n)
    }

    fn multiplies(&self) -> bool {
        true
    }
}

/// The number j of n, for odd n, whose odd number ±(2j+1), of the two signs the one that leaves the
/// remainder 1 modulo 4, is q modulo n; and whether the sign of x\[j\] changes.
///
/// cos(π(2j+1)(2k+1)/4n) = cos(2π·uv/8n), where u = 1 + 4s is ±(2j+1), and v = 1 + 4t is ±(2k+1).
/// With a·n + 8·b = 1 the angle is that of a·uv/8 and that of b·uv/n, since their sum is uv/8n. As
/// uv = 1 + 4(s + t) modulo 8 and a is odd, the first is a/8 of a turn and s + t halves of one. So
/// X\[k\] = 2·(-1)ᵗ·Re(exp(-2πi·a/8) · Σ (-1)ˢ·x\[j\]·exp(-2πi·b·uv/n)): a DFT of length n of the
/// numbers (-1)ˢ·x\[j\] at u modulo n, whose element b·v belongs to k. The element f belongs to
/// v = 8f modulo n. Modulo 8, a is n.
fn odd_index(site: &mut Site<'_>, n: u32, q: &Expr) -> (Expr, Expr) {
    // 2j+1 = q modulo n.
    let candidate = site.body.value("candidate", select(&(q % 2).equals(1), q / 2, (q + n - 1) / 2));
    let is_odd = (&candidate % 2).equals(1);
    // For odd j the sign of 2j+1 changes, and with it the residue.
    let index = site.body.value("index", select(&is_odd, Expr::from(n - 1) - &candidate, candidate));
    let negated = site.body.value("negated", (((&index + 1) / 2) % 2).equals(1));
    (index, negated)
}
