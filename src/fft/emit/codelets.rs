//! DFTs of a few values in registers, as straight-line WGSL.
//!
//! [`dft`] decides which sums, differences and rotations make up a DFT. [`Arithmetic`] decides what
//! a value is: one complex number as a vector ([`Vectors`]), or the parts of several complex
//! numbers side by side (`lanes/arithmetic.rs`).
//!
//! Devices that round alike give equal bits only if their drivers compute what the text says. Mesa
//! (lavapipe) optimises floating-point code as if it were exact arithmetic, unless SPIR-V forbids
//! it, and naga never sets that flag. Texts that must give the same bits everywhere are written so
//! that none of Mesa's inexact rules applies (those marked with `~` in `nir_opt_algebraic.py`):
//!
//! - a·b + a·c becomes a·(b + c), also for constants. So rotations by 1/8 and by 3/8 turn that meet
//!   in a sum use opposite constants.
//! - (a·b + c·d) + e becomes (a·b + e) + c·d if the inner sum has no other use. So the text begins
//!   with e, or makes the product [opaque](Vectors::product). In a butterfly each product is used
//!   in a sum and in a difference, so it has two uses, unless some results are dropped.
//! - (a·b)·constant and constant·(a·constant) are reassociated. So only sums are multiplied by
//!   constants.
//! - 0·a becomes 0. So a zero that is multiplied is read from the parameters.

use std::f64::consts::FRAC_1_SQRT_2;

use crate::fft::roots::root;
use crate::fft::spec::number::Number;
use crate::wgsl::{Body, Expr, F32, Scalar, Type, U32, bitcast, call, construct, convert, float, param, vec2};

/// The operations that DFTs are made of. Each takes the name of its result, which describes the
/// value.
pub(in crate::fft) trait Arithmetic {
    /// One complex number, or several that undergo the same operations.
    type Value: Clone;

    fn add(&mut self, name: &str, a: &Self::Value, b: &Self::Value) -> Self::Value;

    fn subtract(&mut self, name: &str, a: &Self::Value, b: &Self::Value) -> Self::Value;

    /// `x` times exp(-2πi·k/n).
    fn turn(&mut self, x: &Self::Value, k: usize, n: usize) -> Self::Value;

    fn total(&mut self, name: &str, x: &[Self::Value]) -> Self::Value;

    /// Results k and n - k of a DFT of odd length n, with these names. `sums` holds x\[j\] +
    /// x\[n-j\] and `differences` holds x\[j\] - x\[n-j\], for j from 1 on. The results are x\[0\]
    /// + Σ cos(2πjk/n)·sums\[j\] ∓ i·Σ sin(2πjk/n)·differences\[j\].
    fn opposite(
        &mut self,
        names: [&str; 2],
        first: &Self::Value,
        sums: &[Self::Value],
        differences: &[Self::Value],
        k: usize,
    ) -> [Self::Value; 2];
}

/// How a composite length is factored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::fft) enum Division {
    /// n = a·b with about equal factors, and twiddle factors between DFTs of a and of b (Cooley and
    /// Tukey).
    Turns,
    /// Without twiddle factors where n has coprime factors (Good and Thomas).
    Coprime,
}

impl Division {
    /// Two factors of `n`, and whether they are used without twiddle factors; `None` for a prime.
    fn of(self, n: usize) -> Option<(usize, usize, bool)> {
        let p = (2..=n).find(|p| n.is_multiple_of(*p))?;
        if n == p {
            return None;
        }
        let log2 = n.ilog2();
        let power = p.pow((1..).take_while(|&e| n.is_multiple_of(p.pow(e))).last()?);
        Some(match self {
            Self::Coprime if power < n => (power, n / power, true),
            // 8 = 2·4 gives a shorter text than 4·2.
            _ if n == 8 => (2, 4, false),
            // 32: either order has equally many twiddle factors, but different ones.
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

/// A DFT of any number of values, intended for products of 2, 3, 5, 7, 11 and 13 up to 64. Result k
/// is named `name(k)`.
pub(in crate::fft) fn dft<A: Arithmetic>(own: &mut A, division: Division, x: &[A::Value], name: &dyn Fn(usize) -> String) -> Vec<A::Value> {
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
                // DFTs of the values b apart, then DFTs of b values. Between them are twiddle
                // factors for j·k/n, or index permutations that need none.
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

/// From the sums and differences of opposite values, which needs half of the definition's
/// multiplications.
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

fn scalar(number: &Expr) -> Scalar {
    number.ty().scalar().expect("a number")
}

/// A real constant of the scalar type of `like`.
pub(in crate::fft) fn real(like: &Expr, value: f64) -> Expr {
    float(scalar(like), value)
}

pub(in crate::fft) fn scaled(value: f64, x: &Expr) -> Expr {
    real(x, value) * x
}

/// A complex number from its two parts.
pub(in crate::fft) fn pair(re: &Expr, im: &Expr) -> Expr {
    construct(&vec2(scalar(re)), [re, im])
}

/// The product of two complex numbers, using a function of the kernel.
pub(in crate::fft) fn times(a: &Expr, b: &Expr) -> Expr {
    call("complex_mul", [a, b], a.ty().clone())
}

/// The same complex number, which compilers cannot see through.
pub(in crate::fft) fn opaque(x: &Expr) -> Expr {
    call("opaque", [x], x.ty().clone())
}

/// A zero of the scalar type of `like`, which compilers cannot see through: no pass over two values
/// or more has 2^31 lines.
pub(in crate::fft) fn opaque_zero(like: &Expr) -> Expr {
    let (zero, ty) = (param("lines", U32) >> 31, Type::Scalar(scalar(like)));
    match scalar(like) {
        Scalar::Double => construct(&ty, [&bitcast(&F32, &zero)]),
        Scalar::F32 => bitcast(&ty, &zero),
        _ => convert(&ty, &zero),
    }
}

/// The table of constants of a kernel.
pub(in crate::fft) fn roots(number: Number) -> Expr {
    Expr::name("roots", Type::array(number.complex()))
}

/// The factor on every output, for a value of this kernel.
pub(in crate::fft) fn scale(value: &Expr) -> Expr {
    let ty = Type::Scalar(scalar(value));
    if scalar(value) == Scalar::Double { call("scale", [], ty) } else { param("scale", ty) }
}

/// Complex numbers as vectors of two components.
pub(in crate::fft) struct Vectors<'a> {
    pub body: &'a mut Body,
    /// Whether some results are dropped, so that a product may have a single use.
    pub opaque: bool,
}

impl Vectors<'_> {
    /// Names a sum of products, and hides it from compilers if it may have a single use.
    pub fn product(&mut self, name: &str, product: Expr) -> Expr {
        let product = if self.opaque { opaque(&product) } else { product };
        self.body.value(name, product)
    }
}

impl Arithmetic for Vectors<'_> {
    type Value = Expr;

    // A zero is one that is known: an element outside of the part of an axis that is given.
    fn add(&mut self, name: &str, a: &Expr, b: &Expr) -> Expr {
        match (a.is_zero(), b.is_zero()) {
            (_, true) => a.clone(),
            (true, _) => b.clone(),
            _ => self.body.value(name, a + b),
        }
    }

    fn subtract(&mut self, name: &str, a: &Expr, b: &Expr) -> Expr {
        match (a.is_zero(), b.is_zero()) {
            (_, true) => a.clone(),
            (true, _) => self.body.value(name, -b),
            _ => self.body.value(name, a - b),
        }
    }

    fn turn(&mut self, x: &Expr, k: usize, n: usize) -> Expr {
        if x.is_zero() {
            return x.clone();
        }
        let name = format!("{x}_turned");
        let eighths = (8 * k).is_multiple_of(n).then(|| 8 * k / n % 8);
        match eighths {
            Some(0) => x.clone(),
            Some(1) => self.product(&name, scaled(FRAC_1_SQRT_2, &pair(&(x.x() + x.y()), &(x.y() - x.x())))),
            Some(2) => self.body.value(&name, pair(&x.y(), &-x.x())),
            Some(3) => self.product(&name, scaled(-FRAC_1_SQRT_2, &pair(&(x.x() - x.y()), &(x.x() + x.y())))),
            Some(4) => self.body.value(&name, -x),
            _ => {
                let root = root(k as u64, n as u64);
                self.product(&name, times(x, &pair(&real(x, root.re), &real(x, root.im))))
            }
        }
    }

    fn total(&mut self, name: &str, x: &[Expr]) -> Expr {
        let total = x.iter().filter(|x| !x.is_zero()).cloned().reduce(|total, next| total + next);
        total.map_or_else(|| x[0].clone(), |total| self.body.value(name, total))
    }

    fn opposite(&mut self, names: [&str; 2], first: &Expr, sums: &[Expr], differences: &[Expr], k: usize) -> [Expr; 2] {
        let n = 2 * sums.len() as u64 + 1;
        let roots: Vec<_> = (1..=sums.len() as u64).map(|j| root(j * k as u64, n)).collect();
        let cosines = sums.iter().zip(&roots).filter(|(sum, _)| !sum.is_zero()).map(|(sum, root)| scaled(root.re, sum));
        let even = Some(first.clone()).filter(|first| !first.is_zero()).into_iter().chain(cosines).reduce(|even, next| even + next);
        let even = even.map_or_else(|| first.clone(), |even| self.body.value("even", even));
        let sines = differences.iter().zip(&roots).filter(|(own, _)| !own.is_zero()).map(|(difference, root)| scaled(root.im, difference));
        let Some(odd) = sines.reduce(|odd, next| odd + next) else { return [even.clone(), even] };
        // A single product is not a sum.
        let odd = if sums.len() == 1 { self.body.value("odd", odd) } else { self.product("odd", odd) };
        // i times `odd`.
        [
            self.body.value(names[0], pair(&(even.x() - odd.y()), &(even.y() + odd.x()))),
            self.body.value(names[1], pair(&(even.x() + odd.y()), &(even.y() - odd.x()))),
        ]
    }
}
