//! Straight-line WGSL for DFTs of a few values in registers.
//!
//! Devices that round alike give equal bits if their drivers compute what is written. Mesa (lavapipe) optimises floats as if they were real numbers, unless SPIR-V
//! forbids it, which naga never does. Texts that are to have one result are written so that none of its rules applies (`nir_opt_algebraic.py`, those with `~`):
//!
//! - a·b + a·c becomes a·(b + c), of constants too: turns that meet in a sum, by 1/8 and by 3/8, have opposite constants;
//! - (a·b + c·d) + e becomes (a·b + e) + c·d if the inner sum has no other use: e + a·b + c·d is written so, or the product is made [opaque](Writer::product). In
//!   a butterfly products go to a sum and a difference, so that they have two uses, unless results are dropped;
//! - (a·b)·constant, or constant·(a·constant): what is multiplied by a constant is a sum;
//! - 0·a is 0: a zero from which products are made is read from the parameters.

use std::fmt::Write;

use super::roots::root;

/// Writes straight-line WGSL. Values are complex numbers unless said otherwise, and every one has a name of its own.
pub(super) struct Writer {
    pub text: String,
    next: u32,
    indent: usize,
    /// Some results are dropped, so that products may have one use.
    pub opaque: bool,
    /// Whether a product was made opaque.
    pub made_opaque: bool,
}

impl Writer {
    pub fn new() -> Self {
        Self { text: String::new(), next: 0, indent: 1, opaque: false, made_opaque: false }
    }

    pub fn line(&mut self, line: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.text, "{:width$}{line}", "", width = 4 * self.indent);
    }

    /// Names the value of an expression.
    pub fn value(&mut self, expression: std::fmt::Arguments<'_>) -> String {
        let name = format!("x{}", self.next);
        self.next += 1;
        self.line(format_args!("let {name} = {expression};"));
        name
    }

    /// Names a sum of products, and hides what it is from compilers if it may have one use.
    pub fn product(&mut self, expression: std::fmt::Arguments<'_>) -> String {
        if !self.opaque {
            return self.value(expression);
        }
        self.made_opaque = true;
        self.value(format_args!("opaque({expression})"))
    }

    /// Declares a variable that starts as 0.
    pub fn variable(&mut self, ty: &str) -> String {
        let name = format!("v{}", self.next);
        self.next += 1;
        self.line(format_args!("var {name} = {ty}();"));
        name
    }

    /// Opens a block that is entered under a condition.
    pub fn open(&mut self, condition: &str) {
        self.line(format_args!("if ({condition}) {{"));
        self.indent += 1;
    }

    /// Closes it.
    pub fn close(&mut self) {
        self.indent -= 1;
        self.line(format_args!("}}"));
    }

    /// The DFT of any number of values; meant for the products of 2, 3, 5, 7, 11, 13 up to 64.
    pub fn dft(&mut self, x: &[String]) -> Vec<String> {
        match x.len() {
            1 => x.to_vec(),
            2 => vec![self.value(format_args!("{} + {}", x[0], x[1])), self.value(format_args!("{} - {}", x[0], x[1]))],
            4 => {
                let sum_even = self.value(format_args!("{} + {}", x[0], x[2]));
                let difference_even = self.value(format_args!("{} - {}", x[0], x[2]));
                let sum_odd = self.value(format_args!("{} + {}", x[1], x[3]));
                let difference_odd = self.value(format_args!("{} - {}", x[1], x[3]));
                let turned = self.turn(&difference_odd, 1, 4);
                vec![
                    self.value(format_args!("{sum_even} + {sum_odd}")),
                    self.value(format_args!("{difference_even} + {turned}")),
                    self.value(format_args!("{sum_even} - {sum_odd}")),
                    self.value(format_args!("{difference_even} - {turned}")),
                ]
            }
            n => match split(n) {
                None => self.dft_of_odd_prime(x),
                // n = a·b: DFTs of a values b apart, a turn by j·k/n, DFTs of b.
                Some((a, b)) => {
                    let mut columns = Vec::new();
                    for j in 0..b {
                        let inner = self.dft(&(0..a).map(|i| x[i * b + j].clone()).collect::<Vec<_>>());
                        columns.push((0..a).map(|k| self.turn(&inner[k], j * k, n)).collect::<Vec<_>>());
                    }
                    let mut y = vec![String::new(); n];
                    for k in 0..a {
                        let outer = self.dft(&columns.iter().map(|column| column[k].clone()).collect::<Vec<_>>());
                        for (i, value) in outer.into_iter().enumerate() {
                            y[k + a * i] = value;
                        }
                    }
                    y
                }
            },
        }
    }

    /// By the sums and differences of x\[j\] and x\[n-j\], which halves the multiplications of the definition.
    fn dft_of_odd_prime(&mut self, x: &[String]) -> Vec<String> {
        let n = x.len();
        let half = n / 2;
        let sums: Vec<String> = (1..=half).map(|j| self.value(format_args!("{} + {}", x[j], x[n - j]))).collect();
        let differences: Vec<String> = (1..=half).map(|j| self.value(format_args!("{} - {}", x[j], x[n - j]))).collect();
        let mut y = vec![String::new(); n];
        y[0] = self.value(format_args!("{} + {}", x[0], sums.join(" + ")));
        for k in 1..=half {
            let mut even = x[0].clone();
            let mut odd = String::new();
            for j in 1..=half {
                let root = root((j * k) as u64, n as u64);
                let _ = write!(even, " + {:.17} * {}", root.re, sums[j - 1]);
                let _ = write!(odd, "{}{:.17} * {}", if odd.is_empty() { "" } else { " + " }, root.im, differences[j - 1]);
            }
            let even = self.value(format_args!("{even}"));
            // One product alone is no sum.
            let odd = if half == 1 { self.value(format_args!("{odd}")) } else { self.product(format_args!("{odd}")) };
            // i times `odd`.
            y[k] = self.value(format_args!("vec2<f32>({even}.x - {odd}.y, {even}.y + {odd}.x)"));
            y[n - k] = self.value(format_args!("vec2<f32>({even}.x + {odd}.y, {even}.y - {odd}.x)"));
        }
        y
    }

    /// `x` times exp(-2πi·k/n).
    fn turn(&mut self, x: &str, k: usize, n: usize) -> String {
        const HALF_SQRT: &str = "0.70710678118654752";
        let eighths = (8 * k).is_multiple_of(n).then(|| 8 * k / n % 8);
        match eighths {
            Some(0) => x.to_owned(),
            Some(1) => self.product(format_args!("{HALF_SQRT} * vec2<f32>({x}.x + {x}.y, {x}.y - {x}.x)")),
            Some(2) => self.value(format_args!("vec2<f32>({x}.y, -{x}.x)")),
            Some(3) => self.product(format_args!("-{HALF_SQRT} * vec2<f32>({x}.x - {x}.y, {x}.x + {x}.y)")),
            Some(4) => self.value(format_args!("-{x}")),
            _ => {
                let root = root(k as u64, n as u64);
                self.product(format_args!("complex_mul({x}, vec2<f32>({:.17}, {:.17}))", root.re, root.im))
            }
        }
    }
}

/// n as a product of two, the first a power of two where that helps; `None` for primes.
fn split(n: usize) -> Option<(usize, usize)> {
    if n.is_power_of_two() {
        // 8 = 2·4, 16 = 4·4, 32 = 8·4, 64 = 8·8.
        let a = 1 << n.ilog2().div_ceil(2);
        return Some(if n == 8 { (2, 4) } else { (a, n / a) });
    }
    let root = n.isqrt();
    let a = (2..=root).rev().find(|a| n.is_multiple_of(*a))?;
    Some((a, n / a))
}

/// `base + offset`, without an offset of 0.
pub(super) fn plus(base: &str, offset: u32) -> String {
    if offset == 0 { base.to_owned() } else { format!("{base} + {offset}u") }
}
