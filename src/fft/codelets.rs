//! DFTs of a few values in registers, as straight-line text.
//!
//! [`dft`] says which sums, differences and turns make a DFT. What a value is, is up to
//! [`Arithmetic`]: one complex number as a vector ([`Vectors`]), or several in parts, side by side
//! (`lanes.rs`).
//!
//! Devices that round alike give equal bits if their drivers compute what is written. Mesa
//! (lavapipe) optimises floats as if they were real numbers, unless SPIR-V forbids it, which naga
//! never does. Texts that are to have one result are written so that none of its rules applies
//! (`nir_opt_algebraic.py`, those with `~`):
//!
//! - a·b + a·c becomes a·(b + c), of constants too: turns that meet in a sum, by 1/8 and by 3/8,
//!   have opposite constants;
//! - (a·b + c·d) + e becomes (a·b + e) + c·d if the inner sum has no other use: e + a·b + c·d is
//!   written so, or the product is made [opaque](Vectors::product). In a butterfly products go to a
//!   sum and a difference, so that they have two uses, unless results are dropped;
//! - (a·b)·constant, or constant·(a·constant): what is multiplied by a constant is a sum;
//! - 0·a is 0: a zero from which products are made is read from the parameters.

use std::f64::consts::FRAC_1_SQRT_2;

use super::roots::root;
use crate::wgsl::{Body, Expr, Scalar, Type, call, construct, float, param, vec2};

/// What DFTs are made of. A name is that of the result; it says what the value is.
pub(super) trait Arithmetic {
    /// One complex number, or several that go through the same arithmetic.
    type Value: Clone;

    fn add(&mut self, name: &str, a: &Self::Value, b: &Self::Value) -> Self::Value;

    fn subtract(&mut self, name: &str, a: &Self::Value, b: &Self::Value) -> Self::Value;

    /// `x` times exp(-2πi·k/n).
    fn turn(&mut self, x: &Self::Value, k: usize, n: usize) -> Self::Value;

    /// The sum of all.
    fn total(&mut self, name: &str, x: &[Self::Value]) -> Self::Value;

    /// Results k and n - k of a DFT of an odd length n, called so: with `sums` x\[j\] + x\[n-j\]
    /// and `differences` x\[j\] - x\[n-j\], j from 1 on, they are Σ cos(2πjk/n)·sums\[j\] ∓ i·Σ
    /// sin(2πjk/n)·differences\[j\], and x\[0\] more.
    fn opposite(
        &mut self,
        names: [&str; 2],
        first: &Self::Value,
        sums: &[Self::Value],
        differences: &[Self::Value],
        k: usize,
    ) -> [Self::Value; 2];
}

/// How a length that is no prime is divided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Division {
    /// n = a·b with turns between DFTs of a and of b (Cooley and Tukey), of factors about equal.
    Turns,
    /// Without turns where n has coprime factors (Good and Thomas).
    Coprime,
}

impl Division {
    /// Two factors of `n`, and whether they need no turns; none of a prime.
    fn of(self, n: usize) -> Option<(usize, usize, bool)> {
        let p = (2..=n).find(|p| n.is_multiple_of(*p))?;
        if n == p {
            return None;
        }
        let log2 = n.ilog2();
        let power = p.pow((1..).take_while(|&e| n.is_multiple_of(p.pow(e))).last()?);
        Some(match self {
            Self::Coprime if power < n => (power, n / power, true),
            // 8 = 2·4 is shorter than 4·2.
            _ if n == 8 => (2, 4, false),
            // 32: turns of 8 results by 4, of 4 by 8: as many, but other ones.
            Self::Turns if p == 2 && power == n => (1 << log2.div_ceil(2), 1 << (log2 / 2), false),
            Self::Coprime if p == 2 => (1 << (log2 / 2), 1 << log2.div_ceil(2), false),
            Self::Coprime => (p, n / p, false),
            Self::Turns => {
                let a = (2..=n.isqrt()).rev().find(|a| n.is_multiple_of(*a))?;
                (a, n / a, false)
            }
        })
    }
}

/// The DFT of any number of values; meant for the products of 2, 3, 5, 7, 11, 13 up to 64. Result k
/// is called `name(k)`.
pub(super) fn dft<A: Arithmetic>(own: &mut A, division: Division, x: &[A::Value], name: &dyn Fn(usize) -> String) -> Vec<A::Value> {
    let n = x.len();
    match n {
        1 => x.to_vec(),
        2 => vec![own.add(&name(0), &x[0], &x[1]), own.subtract(&name(1), &x[0], &x[1])],
        4 => {
            let even = own.add("even_sum", &x[0], &x[2]);
            let even_difference = own.subtract("even_difference", &x[0], &x[2]);
            let odd = own.add("odd_sum", &x[1], &x[3]);
            let odd_difference = own.subtract("odd_difference", &x[1], &x[3]);
            let turned = own.turn(&odd_difference, 1, 4);
            vec![
                own.add(&name(0), &even, &odd),
                own.add(&name(1), &even_difference, &turned),
                own.subtract(&name(2), &even, &odd),
                own.subtract(&name(3), &even_difference, &turned),
            ]
        }
        _ => match division.of(n) {
            None => odd_prime(own, x, name),
            Some((a, b, coprime)) => {
                // DFTs of a values b apart, then DFTs of b. With turns by j·k/n between, or with
                // indices that need none.
                let columns: Vec<Vec<A::Value>> = (0..b)
                    .map(|j| {
                        let column = |i: usize| x[if coprime { (a * j + b * i) % n } else { j + b * i }].clone();
                        let column: Vec<A::Value> = (0..a).map(column).collect();
                        // a, b, …, z, aa, bb, …
                        let column_name = char::from(b'a' + (j % 26) as u8).to_string().repeat(j / 26 + 1);
                        let inner = dft(own, division, &column, &|k| format!("{column_name}{k}"));
                        inner.iter().enumerate().map(|(k, x)| if coprime { x.clone() } else { own.turn(x, j * k, n) }).collect()
                    })
                    .collect();
                // Result i of the k-th outer DFT.
                let place = |k: usize, i: usize| {
                    if coprime { (k..n).step_by(a).find(|place| place % b == i).expect("they are coprime") } else { k + a * i }
                };
                let mut y: Vec<Option<A::Value>> = vec![None; n];
                for k in 0..a {
                    let row: Vec<A::Value> = columns.iter().map(|column| column[k].clone()).collect();
                    for (i, value) in dft(own, division, &row, &|i| name(place(k, i))).into_iter().enumerate() {
                        y[place(k, i)] = Some(value);
                    }
                }
                y.into_iter().map(|value| value.expect("every place is met")).collect()
            }
        },
    }
}

/// By the sums and differences of opposite values, which halves the multiplications of the
/// definition.
fn odd_prime<A: Arithmetic>(own: &mut A, x: &[A::Value], name: &dyn Fn(usize) -> String) -> Vec<A::Value> {
    let n = x.len();
    let half = n / 2;
    let sums: Vec<A::Value> = (1..=half).map(|j| own.add("sum", &x[j], &x[n - j])).collect();
    let differences: Vec<A::Value> = (1..=half).map(|j| own.subtract("difference", &x[j], &x[n - j])).collect();
    let mut y = x.to_vec();
    let all: Vec<A::Value> = std::iter::once(&x[0]).chain(&sums).cloned().collect();
    y[0] = own.total(&name(0), &all);
    for k in 1..=half {
        let names = [name(k), name(n - k)];
        [y[k], y[n - k]] = own.opposite([&names[0], &names[1]], &x[0], &sums, &differences, k);
    }
    y
}

/// The type of the parts of complex numbers.
pub(super) const REAL: Scalar = Scalar::F32;

/// The type of complex numbers.
pub(super) fn complex() -> Type {
    vec2(REAL)
}

/// A number of the type of the parts.
pub(super) fn real(value: f64) -> Expr {
    float(REAL, value)
}

/// A complex number of two parts.
pub(super) fn pair(re: &Expr, im: &Expr) -> Expr {
    construct(&complex(), [re, im])
}

/// The product of two complex numbers, by the function of `shaders/fft/complex.wgsl`.
pub(super) fn times(a: &Expr, b: &Expr) -> Expr {
    call("complex_mul", [a, b], complex())
}

/// The constants of a kernel.
pub(super) fn roots() -> Expr {
    Expr::name("roots", Type::array(complex()))
}

/// The factor on every output.
pub(super) fn scale() -> Expr {
    param("scale", Type::Scalar(REAL))
}

/// Complex numbers as vectors of two.
pub(super) struct Vectors<'a> {
    pub body: &'a mut Body,
    /// Some results are dropped, so that products may have one use.
    pub opaque: bool,
}

impl Vectors<'_> {
    /// Names a sum of products, and hides what it is from compilers if it may have one use.
    pub fn product(&mut self, name: &str, product: Expr) -> Expr {
        let product = if self.opaque { call("opaque", [&product], complex()) } else { product };
        self.body.value(name, product)
    }
}

impl Arithmetic for Vectors<'_> {
    type Value = Expr;

    fn add(&mut self, name: &str, a: &Expr, b: &Expr) -> Expr {
        self.body.value(name, a + b)
    }

    fn subtract(&mut self, name: &str, a: &Expr, b: &Expr) -> Expr {
        self.body.value(name, a - b)
    }

    fn turn(&mut self, x: &Expr, k: usize, n: usize) -> Expr {
        let name = format!("{x}_turned");
        let eighths = (8 * k).is_multiple_of(n).then(|| 8 * k / n % 8);
        match eighths {
            Some(0) => x.clone(),
            Some(1) => self.product(&name, real(FRAC_1_SQRT_2) * pair(&(x.x() + x.y()), &(x.y() - x.x()))),
            Some(2) => self.body.value(&name, pair(&x.y(), &-x.x())),
            Some(3) => self.product(&name, real(-FRAC_1_SQRT_2) * pair(&(x.x() - x.y()), &(x.x() + x.y()))),
            Some(4) => self.body.value(&name, -x),
            _ => {
                let root = root(k as u64, n as u64);
                self.product(&name, times(x, &pair(&real(root.re), &real(root.im))))
            }
        }
    }

    fn total(&mut self, name: &str, x: &[Expr]) -> Expr {
        let total = x.iter().cloned().reduce(|total, next| total + next).expect("there are values");
        self.body.value(name, total)
    }

    fn opposite(&mut self, names: [&str; 2], first: &Expr, sums: &[Expr], differences: &[Expr], k: usize) -> [Expr; 2] {
        let n = 2 * sums.len() as u64 + 1;
        let roots: Vec<_> = (1..=sums.len() as u64).map(|j| root(j * k as u64, n)).collect();
        let cosines = sums.iter().zip(&roots).map(|(sum, root)| real(root.re) * sum);
        let even = cosines.fold(first.clone(), |even, next| even + next);
        let even = self.body.value("even", even);
        let sines = differences.iter().zip(&roots).map(|(difference, root)| real(root.im) * difference);
        let odd = sines.reduce(|odd, next| odd + next).expect("there are differences");
        // One product alone is no sum.
        let odd = if sums.len() == 1 { self.body.value("odd", odd) } else { self.product("odd", odd) };
        // i times `odd`.
        [
            self.body.value(names[0], pair(&(even.x() - odd.y()), &(even.y() + odd.x()))),
            self.body.value(names[1], pair(&(even.x() + odd.y()), &(even.y() - odd.x()))),
        ]
    }
}
