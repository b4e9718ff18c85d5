//! Complex numbers in parts, several side by side: the arithmetic of lanes.
//!
//! Signs are kept beside the names of values, and cost nothing: a sum with the negative of a value
//! is a difference.

use super::super::codelets::{Arithmetic, complex, real};
use super::super::roots::root;
use crate::wgsl::{Body, Expr};

/// A real number of the text, or its negative.
#[derive(Clone, Debug)]
pub(super) struct Real {
    value: Expr,
    negative: bool,
}

impl Real {
    pub fn negated(&self) -> Self {
        Self { negative: !self.negative, ..self.clone() }
    }

    /// With its sign.
    pub fn signed(&self) -> Expr {
        if self.negative { -&self.value } else { self.value.clone() }
    }
}

impl From<Expr> for Real {
    fn from(value: Expr) -> Self {
        Self { value, negative: false }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Complex {
    pub re: Real,
    pub im: Real,
}

impl Complex {
    /// The parts of a vector.
    pub fn of(body: &mut Body, name: &str, vector: &Expr) -> Self {
        assert_eq!(*vector.ty(), complex());
        let [re, im] = [("re", vector.x()), ("im", vector.y())].map(|(part, value)| body.value(&format!("{name}_{part}"), value).into());
        Self { re, im }
    }

    pub fn negated(&self) -> Self {
        Self { re: self.re.negated(), im: self.im.negated() }
    }

    /// Times -i.
    fn turned_back(&self) -> Self {
        Self { re: self.im.clone(), im: self.re.negated() }
    }

    pub fn swapped_if(self, swap: bool) -> Self {
        if swap { Self { re: self.im, im: self.re } } else { self }
    }
}

/// Values that go through the same arithmetic side by side.
pub(super) type Wide = Vec<Complex>;

/// The name of a value of one of `count` lines.
pub(super) fn of_line(name: &str, line: usize, count: usize) -> String {
    if count == 1 { name.to_owned() } else { format!("{name}_{}", char::from(b'p' + line as u8)) }
}

/// Writes the arithmetic.
pub(super) struct Parts<'a> {
    pub body: &'a mut Body,
}

impl Parts<'_> {
    /// A value whose sign is in the text.
    pub fn positive(&mut self, name: &str, x: &Real) -> Expr {
        if x.negative { self.body.value(name, x.signed()) } else { x.value.clone() }
    }

    fn sum(&mut self, name: &str, a: &Real, b: &Real) -> Real {
        let (x, y) = (&a.value, &b.value);
        let (value, negative) = match (a.negative, b.negative) {
            (false, false) => (x + y, false),
            (false, true) => (x - y, false),
            (true, false) => (y - x, false),
            (true, true) => (x + y, true),
        };
        Real { value: self.body.value(name, value), negative }
    }

    fn product(&mut self, a: &Real, b: &Real) -> Real {
        let value = self.body.value("product", &a.value * &b.value);
        Real { value, negative: a.negative != b.negative }
    }

    /// The product of a constant and a value.
    fn times(&mut self, factor: f64, x: &Real) -> Real {
        let value = self.body.value("product", real(factor.abs()) * &x.value);
        Real { value, negative: x.negative != (factor < 0.0) }
    }

    fn add_one(&mut self, name: &str, a: &Complex, b: &Complex) -> Complex {
        let [re, im] = [("re", &a.re, &b.re), ("im", &a.im, &b.im)].map(|(part, a, b)| self.sum(&format!("{name}_{part}"), a, b));
        Complex { re, im }
    }

    pub fn multiply(&mut self, name: &str, a: &Complex, b: &Complex) -> Complex {
        let products = [(&a.re, &b.re), (&a.im, &b.im), (&a.re, &b.im), (&a.im, &b.re)].map(|(a, b)| self.product(a, b));
        self.of_products(name, products)
    }

    /// The complex product with these products of its parts: real, imaginary, across, back.
    fn of_products(&mut self, name: &str, [rr, ii, ri, ir]: [Real; 4]) -> Complex {
        Complex { re: self.sum(&format!("{name}_re"), &rr, &ii.negated()), im: self.sum(&format!("{name}_im"), &ri, &ir) }
    }

    /// `x` times exp(-2πi·k/n).
    pub fn turn_one(&mut self, x: &Complex, k: usize, n: usize) -> Complex {
        let k = k % n;
        if !(8 * k).is_multiple_of(n) {
            let root = root(k as u64, n as u64);
            let products =
                [(root.re, &x.re), (root.im, &x.im), (root.im, &x.re), (root.re, &x.im)].map(|(factor, x)| self.times(factor, x));
            return self.of_products("turned", products);
        }
        let mut y = x.clone();
        for _ in 0..4 * k / n {
            y = y.turned_back();
        }
        if (4 * k).is_multiple_of(n) {
            return y;
        }
        // An eighth: (x + y) + i (y - x), times a half's root; by its negative where the partner of
        // this turn has it (see `codelets.rs`).
        let re = self.sum("sum", &y.re, &y.im);
        let im = self.sum("difference", &y.im, &y.re.negated());
        let negative = !(4 * k / n).is_multiple_of(2);
        let factor = real(if negative { -std::f64::consts::FRAC_1_SQRT_2 } else { std::f64::consts::FRAC_1_SQRT_2 });
        let [re, im] = [("turned_re", re), ("turned_im", im)]
            .map(|(name, x)| Real { value: self.body.value(name, &factor * &x.value), negative: x.negative != negative });
        Complex { re, im }
    }
}

impl Arithmetic for Parts<'_> {
    type Value = Wide;

    fn add(&mut self, name: &str, a: &Wide, b: &Wide) -> Wide {
        (0..a.len()).map(|i| self.add_one(&of_line(name, i, a.len()), &a[i], &b[i])).collect()
    }

    fn subtract(&mut self, name: &str, a: &Wide, b: &Wide) -> Wide {
        (0..a.len()).map(|i| self.add_one(&of_line(name, i, a.len()), &a[i], &b[i].negated())).collect()
    }

    fn turn(&mut self, x: &Wide, k: usize, n: usize) -> Wide {
        x.iter().map(|x| self.turn_one(x, k, n)).collect()
    }

    fn total(&mut self, name: &str, x: &[Wide]) -> Wide {
        x[1..].iter().fold(x[0].clone(), |total, next| self.add(name, &total, next))
    }

    fn opposite(&mut self, names: [&str; 2], first: &Wide, sums: &[Wide], differences: &[Wide], k: usize) -> [Wide; 2] {
        let n = 2 * sums.len() as u64 + 1;
        let scaled = |own: &mut Self, factor: f64, x: &Complex| Complex { re: own.times(factor, &x.re), im: own.times(factor, &x.im) };
        let mut results = [Wide::new(), Wide::new()];
        for (a, first) in first.iter().enumerate() {
            let mut even = first.clone();
            let mut odd: Option<Complex> = None;
            for (j, (sum, difference)) in (1..).zip(sums.iter().zip(differences)) {
                let root = root(j * k as u64, n);
                let cosine = scaled(self, root.re, &sum[a]);
                even = self.add_one("even", &even, &cosine);
                let sine = scaled(self, -root.im, &difference[a]);
                odd = Some(match odd {
                    None => sine,
                    Some(odd) => self.add_one("odd", &odd, &sine),
                });
            }
            // Σ sin·difference is turned by -i or i.
            let odd = odd.expect("an odd prime has a half of at least 1").turned_back();
            results[0].push(self.add_one(&of_line(names[0], a, sums[0].len()), &even, &odd));
            results[1].push(self.add_one(&of_line(names[1], a, sums[0].len()), &even, &odd.negated()));
        }
        results
    }
}
