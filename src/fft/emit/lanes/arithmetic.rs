//! Complex numbers in parts, several side by side as vectors: the arithmetic of lanes.
//!
//! Signs are kept beside the names of values, and cost nothing: a sum with the negative of a value
//! is a difference.

use crate::fft::emit::codelets::{Arithmetic, scaled};
use crate::fft::emit::lanes::NUMBER;
use crate::fft::roots::root;
use crate::wgsl::{Body, Expr, Scalar, Type, construct, float};

/// A real number of the text or a vector of them, or its negative.
#[derive(Clone, Debug)]
pub(in crate::fft) struct Real {
    value: Expr,
    negative: bool,
}

impl Real {
    pub fn negated(&self) -> Self {
        Self { negative: !self.negative, ..self.clone() }
    }

    pub fn signed(&self) -> Expr {
        if self.negative { -&self.value } else { self.value.clone() }
    }

    fn component(&self, i: usize) -> Self {
        Self { value: component(&self.value, i), ..self.clone() }
    }
}

impl From<Expr> for Real {
    fn from(value: Expr) -> Self {
        Self { value, negative: false }
    }
}

/// One of the numbers side by side, or the only one.
pub(super) fn component(x: &Expr, i: usize) -> Expr {
    if let Type::Vector(..) = x.ty() { x.component(i) } else { x.clone() }
}

/// A vector of these numbers, or the only one.
pub(super) fn side_by_side(numbers: &[Expr]) -> Expr {
    side_by_side_of(Scalar::F32, numbers)
}

/// The same of another type.
pub(super) fn side_by_side_of(scalar: Scalar, numbers: &[Expr]) -> Expr {
    if let [one] = numbers { one.clone() } else { construct(&Type::numbers(numbers.len() as u32, scalar), numbers) }
}

/// A complex number, or several that go through the same arithmetic: their real parts are a vector,
/// and so are their imaginary parts.
#[derive(Clone, Debug)]
pub(in crate::fft) struct Complex {
    pub re: Real,
    pub im: Real,
}

impl Complex {
    /// The parts of a vector of two: one complex number.
    pub fn of(body: &mut Body, name: &str, vector: &Expr) -> Self {
        assert_eq!(*vector.ty(), NUMBER.complex());
        let [re, im] = [("re", vector.x()), ("im", vector.y())].map(|(part, value)| body.value(&format!("{name}_{part}"), value).into());
        Self { re, im }
    }

    pub fn component(&self, i: usize) -> Self {
        Self { re: self.re.component(i), im: self.im.component(i) }
    }

    pub fn negated(&self) -> Self {
        Self { re: self.re.negated(), im: self.im.negated() }
    }

    pub fn conjugate(&self) -> Self {
        Self { im: self.im.negated(), ..self.clone() }
    }

    pub fn turned_back(&self) -> Self {
        Self { re: self.im.clone(), im: self.re.negated() }
    }

    pub fn swapped_if(self, swap: bool) -> Self {
        if swap { Self { re: self.im, im: self.re } } else { self }
    }
}

impl Body {
    /// A value whose sign is in the text.
    pub(super) fn positive(&mut self, name: &str, x: &Real) -> Expr {
        if x.negative { self.value(name, x.signed()) } else { x.value.clone() }
    }

    /// Single complex numbers as one value.
    pub(super) fn side_by_side(&mut self, name: &str, x: &[Complex]) -> Complex {
        if let [one] = x {
            return one.clone();
        }
        let mut vector = |part: &str, own: &dyn Fn(&Complex) -> &Real| {
            let negative = x.iter().all(|x| own(x).negative);
            let numbers: Vec<Expr> = x.iter().map(|x| if negative { own(x).value.clone() } else { own(x).signed() }).collect();
            Real { value: self.value(&format!("{name}_{part}"), side_by_side(&numbers)), negative }
        };
        Complex { re: vector("re", &|x| &x.re), im: vector("im", &|x| &x.im) }
    }

    pub(super) fn sum(&mut self, name: &str, a: &Real, b: &Real) -> Real {
        let (x, y) = (&a.value, &b.value);
        let (value, negative) = match (a.negative, b.negative) {
            (false, false) => (x + y, false),
            (false, true) => (x - y, false),
            (true, false) => (y - x, false),
            (true, true) => (x + y, true),
        };
        Real { value: self.value(name, value), negative }
    }

    fn product(&mut self, a: &Real, b: &Real) -> Real {
        let value = self.value("product", &a.value * &b.value);
        Real { value, negative: a.negative != b.negative }
    }

    /// The product of a constant and a value.
    fn times(&mut self, factor: f64, x: &Real) -> Real {
        let value = self.value("product", scaled(factor.abs(), &x.value));
        Real { value, negative: x.negative != (factor < 0.0) }
    }

    /// The product of as many constants, one for each of the numbers side by side.
    fn times_each(&mut self, factors: &[f64], x: &Real) -> Real {
        let factors: Vec<Expr> = factors.iter().map(|&factor| float(Scalar::F32, factor)).collect();
        let value = self.value("product", side_by_side(&factors) * &x.value);
        Real { value, negative: x.negative }
    }

    pub(super) fn multiply(&mut self, name: &str, a: &Complex, b: &Complex) -> Complex {
        let products = self.products(a, b);
        self.of_products(name, products)
    }

    /// The products of the parts of two numbers: real, imaginary, across, back.
    pub(super) fn products(&mut self, a: &Complex, b: &Complex) -> [Real; 4] {
        [(&a.re, &b.re), (&a.im, &b.im), (&a.re, &b.im), (&a.im, &b.re)].map(|(a, b)| self.product(a, b))
    }

    /// The complex product with these products of its parts: real, imaginary, across, back.
    fn of_products(&mut self, name: &str, [rr, ii, ri, ir]: [Real; 4]) -> Complex {
        Complex { re: self.sum(&format!("{name}_re"), &rr, &ii.negated()), im: self.sum(&format!("{name}_im"), &ri, &ir) }
    }

    /// `x` times exp(-2πi·k/n) for each of the `k`; `x` is one number, or as many.
    ///
    /// Odd eighths of a turn have equal constants for both parts, which compilers would factor out:
    /// they are turned one by one.
    pub(super) fn turn_each(&mut self, x: &Complex, k: &[u32], n: u32) -> Complex {
        let is_odd_eighth = |k: u32| (8 * k).is_multiple_of(n) && !(4 * k).is_multiple_of(n);
        if k.iter().all(|other| *other == k[0]) {
            return self.turn(x, k[0] as usize, n as usize);
        }
        if k.iter().any(|k| is_odd_eighth(*k)) {
            let turned: Vec<Complex> = (0..).zip(k).map(|(i, &k)| self.turn(&x.component(i), k as usize, n as usize)).collect();
            return self.side_by_side("turned", &turned);
        }
        let roots: Vec<_> = k.iter().map(|&k| root(k.into(), n.into())).collect();
        let [re, im] = [roots.iter().map(|root| root.re).collect::<Vec<f64>>(), roots.iter().map(|root| root.im).collect()];
        let products = [(&re, &x.re), (&im, &x.im), (&im, &x.re), (&re, &x.im)].map(|(factors, x)| self.times_each(factors, x));
        self.of_products("turned", products)
    }
}

impl Arithmetic for Body {
    type Value = Complex;

    fn add(&mut self, name: &str, a: &Complex, b: &Complex) -> Complex {
        let [re, im] = [("re", &a.re, &b.re), ("im", &a.im, &b.im)].map(|(part, a, b)| self.sum(&format!("{name}_{part}"), a, b));
        Complex { re, im }
    }

    fn subtract(&mut self, name: &str, a: &Complex, b: &Complex) -> Complex {
        self.add(name, a, &b.negated())
    }

    fn turn(&mut self, x: &Complex, k: usize, n: usize) -> Complex {
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
        let factor = if negative { -std::f64::consts::FRAC_1_SQRT_2 } else { std::f64::consts::FRAC_1_SQRT_2 };
        let [re, im] = [("turned_re", re), ("turned_im", im)]
            .map(|(name, x)| Real { value: self.value(name, scaled(factor, &x.value)), negative: x.negative != negative });
        Complex { re, im }
    }

    fn total(&mut self, name: &str, x: &[Complex]) -> Complex {
        x[1..].iter().fold(x[0].clone(), |total, next| self.add(name, &total, next))
    }

    fn opposite(&mut self, names: [&str; 2], first: &Complex, sums: &[Complex], differences: &[Complex], k: usize) -> [Complex; 2] {
        let n = 2 * sums.len() as u64 + 1;
        let scaled = |own: &mut Self, factor: f64, x: &Complex| Complex { re: own.times(factor, &x.re), im: own.times(factor, &x.im) };
        let mut even = first.clone();
        let mut odd: Option<Complex> = None;
        for (j, (sum, difference)) in (1..).zip(sums.iter().zip(differences)) {
            let root = root(j * k as u64, n);
            let cosine = scaled(self, root.re, sum);
            even = self.add("even", &even, &cosine);
            let sine = scaled(self, -root.im, difference);
            odd = Some(match odd {
                None => sine,
                Some(odd) => self.add("odd", &odd, &sine),
            });
        }
        // Σ sin·difference is turned by -i or i.
        let odd = odd.expect("an odd prime has a half of at least 1").turned_back();
        [self.add(names[0], &even, &odd), self.subtract(names[1], &even, &odd)]
    }
}
