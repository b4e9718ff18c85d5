//! Twiddle factors: roots of unity computed in f64, with the index reduced in integers.

use std::f64::consts::TAU;
use std::fmt;

use num_complex::Complex64;
use rustfft::FftPlannerScalar;

use crate::fft::spec::number::Number;
use crate::plan::program::Table;
use crate::text::join;
use crate::threads::side_by_side;

/// exp(-2πi·k/n), correct to about one unit in the last place of f64. Multiples of an eighth turn
/// are exact where f64 can represent them.
pub(crate) fn root(k: u64, n: u64) -> Complex64 {
    // Reduces the angle, a fraction k/n of a turn, to at most an eighth, where sine and cosine are
    // most accurate.
    let k = k % n;
    let (quarter, rest) = (4 * k / n, 4 * k % n);
    // rest/(4n) of a turn past the quarter, in 0..1/4. Past an eighth, count back from the next
    // quarter.
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

/// Constants that a pass looks up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Constant {
    /// exp(-2πi·x/n) for x below n.
    Line(u32),
    /// The twiddle factors of the Stockham stages with these radices.
    ///
    /// For a stage of radix r, where p is the product of the earlier radices, exp(-2πi·j·k/(p·r))
    /// lies at p - 1 + (k - 1)·p + j, for k in 1..r and j in 0..p. The tables of all stages
    /// together fill n - 1 entries without gaps.
    Stages(Vec<u32>),
    /// Two tables for roots of order n: exp(-2πi·x/n) for x below [`low_entries`], and for the
    /// multiples of [`low_entries`].
    ///
    /// A product of two rounded roots has about 1.4 times the error of a single one.
    Twiddle(u32),
    /// exp(-πi·j²/n) for j below n, or the conjugates.
    Chirp { n: u32, conjugate: bool },
    /// exp(-2πi·(first + step·x)/order) for x below len.
    Arc { order: u64, first: u64, step: u64, len: u32 },
    /// The DFT of length m of the conjugate chirp of n, extended cyclically, divided by m.
    Spectrum { n: u32, m: u32 },
    /// One number, for a binding that must not be empty.
    Unused,
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(n) => write!(f, "all roots {n}"),
            Self::Stages(radices) => write!(f, "roots {}", join(radices, ".")),
            Self::Twiddle(n) => write!(f, "twiddles {n}"),
            Self::Chirp { n, conjugate: false } => write!(f, "chirp {n}"),
            Self::Chirp { n, conjugate: true } => write!(f, "conjugate chirp {n}"),
            Self::Arc { order, first, step, len } => write!(f, "{len} roots of {order} from {first} by {step}"),
            Self::Spectrum { n, m } => write!(f, "spectrum {n} in {m}"),
            Self::Unused => f.write_str("unused"),
        }
    }
}

impl Constant {
    fn len(&self) -> u64 {
        match self {
            Self::Line(n) | Self::Chirp { n, .. } => u64::from(*n),
            Self::Stages(radices) => {
                let product = radices.iter().fold(1u64, |product, &radix| product.saturating_mul(radix.into()));
                product.saturating_sub(1)
            }
            Self::Twiddle(n) => u64::from(low_entries(*n)) + u64::from(n.div_ceil(low_entries(*n))),
            Self::Arc { len, .. } => u64::from(*len),
            Self::Spectrum { m, .. } => u64::from(*m),
            Self::Unused => 1,
        }
    }

    fn values(&self) -> Vec<Complex64> {
        match self {
            Self::Line(n) => (0..*n).map(|x| root(x.into(), (*n).into())).collect(),
            Self::Stages(radices) => {
                let mut values = Vec::new();
                let mut p = 1;
                for &radix in radices {
                    let radix = u64::from(radix);
                    let stage = (1..radix).flat_map(|k| (0..p).map(move |j| root(j * k, p * radix)));
                    values.extend(stage);
                    p *= radix;
                }
                values
            }
            Self::Twiddle(n) => {
                let low = low_entries(*n);
                let first = (0..low).map(|x| root(x.into(), (*n).into()));
                let second = (0..n.div_ceil(low)).map(|x| root(u64::from(x) * u64::from(low), (*n).into()));
                first.chain(second).collect()
            }
            Self::Chirp { n, conjugate } => chirp(*n, *conjugate),
            Self::Arc { order, first, step, len } => (0..u64::from(*len)).map(|x| root(first + step * x, *order)).collect(),
            Self::Spectrum { n, m } => spectrum(*n, *m),
            Self::Unused => vec![Complex64::ONE],
        }
    }
}

/// The constants of a pass, one after the other. They are only described here, and computed by the
/// [`Table`] made from them.
pub(super) struct Constants {
    number: Number,
    parts: Vec<(Constant, u32)>,
    len: u64,
}

impl Constants {
    /// These constants as numbers of such a type.
    pub fn new(number: Number, all: impl IntoIterator<Item = Constant>) -> Self {
        let mut constants = Self { number, parts: Vec::new(), len: 0 };
        all.into_iter().for_each(|constant| {
            constants.add(constant);
        });
        constants
    }

    pub fn number(&self) -> Number {
        self.number
    }

    /// The index at which a constant begins; adds the constant if it is new. For constants that no
    /// binding could hold the index is meaningless. The caller checks [`bytes`](Self::bytes) before
    /// anything uses it.
    pub fn add(&mut self, constant: Constant) -> u32 {
        if let Some(at) = self.find(&constant) {
            return at;
        }
        let at = self.len.min(u32::MAX.into()) as u32;
        self.len = self.len.saturating_add(constant.len());
        self.parts.push((constant, at));
        at
    }

    fn find(&self, constant: &Constant) -> Option<u32> {
        self.parts.iter().find(|(known, _)| known == constant).map(|(_, at)| *at)
    }

    /// The index at which a constant begins. It must have been added.
    pub fn place(&self, constant: &Constant) -> u32 {
        self.find(constant).expect("what a pass looks up is added before its text is made")
    }

    /// The tables of [`Constant::Twiddle`], which must have been added: the number of entries of
    /// the first, and the indices at which the two begin.
    pub fn twiddle(&self, n: u32) -> (u32, [u32; 2]) {
        let (low, first) = (low_entries(n), self.place(&Constant::Twiddle(n)));
        (low, [first, first.saturating_add(low)])
    }

    pub fn bytes(&self) -> u64 {
        self.len.max(1).saturating_mul(self.number.complex_bytes())
    }

    pub fn table(&self) -> Table {
        let mut parts: Vec<Constant> = self.parts.iter().map(|(part, _)| part.clone()).filter(|part| part.len() > 0).collect();
        if parts.is_empty() {
            // A binding must not be empty. A transform of length 1 reads nothing from it.
            parts.push(Constant::Unused);
        }
        let labels: Vec<String> = parts.iter().map(Constant::to_string).collect();
        let number = self.number;
        let of = if number == Number::F32 { String::new() } else { format!(" in {number}") };
        Table::new(labels.join(", ") + &of, self.len.max(1).saturating_mul(2 * u64::from(number.words())), move || {
            let words = |values: &&[Complex64]| values.iter().flat_map(|z| number.words_of([z.re, z.im])).collect::<Vec<u32>>();
            let values = side_by_side(&parts, Constant::values);
            let chunks: Vec<&[Complex64]> = values.iter().flat_map(|values| values.chunks(CHUNK as usize)).collect();
            side_by_side(&chunks, words).concat()
        })
    }
}

/// Number of entries of the first of two tables for roots of order n.
fn low_entries(n: u32) -> u32 {
    // On an H200, for a 1D transform of length 2^20: the size of a single table does not matter as
    // long as it fits the caches.
    const SINGLE: u32 = 16_384;
    if n <= SINGLE { n } else { 1 << n.ilog2().div_ceil(2) }
}

/// Values that one thread computes at a time.
const CHUNK: u32 = 1 << 15;

/// Roots of one order as products of two from tables, in f64: 10 times as fast as [`root`], and
/// correct to 4 units in the last place.
struct Products {
    order: u64,
    low: u64,
    first: Vec<Complex64>,
    second: Vec<Complex64>,
}

impl Products {
    fn new(order: u64) -> Self {
        let low = 1 << order.ilog2().div_ceil(2);
        let first = (0..low).map(|x| root(x, order)).collect();
        let second = (0..=order / low).map(|x| root(x * low, order)).collect();
        Self { order, low, first, second }
    }

    fn at(&self, x: u64) -> Complex64 {
        let x = x % self.order;
        self.first[(x % self.low) as usize] * self.second[(x / self.low) as usize]
    }
}

/// exp(-πi·j²/n) for j below n, or the conjugates, with the square reduced in integers.
fn chirp(n: u32, conjugate: bool) -> Vec<Complex64> {
    let order = 2 * u64::from(n);
    let products = (n > CHUNK).then(|| Products::new(order));
    let value = |j: u32| {
        let square = u64::from(j) * u64::from(j);
        let z = products.as_ref().map_or_else(|| root(square, order), |products| products.at(square));
        if conjugate { z.conj() } else { z }
    };
    let chunks: Vec<u32> = (0..n.div_ceil(CHUNK)).collect();
    let values = |&chunk: &u32| (chunk * CHUNK..n.min((chunk + 1).saturating_mul(CHUNK))).map(value).collect::<Vec<_>>();
    side_by_side(&chunks, values).concat()
}

/// The DFT of length m of the conjugate chirp of n, wrapped around, over m.
fn spectrum(n: u32, m: u32) -> Vec<Complex64> {
    let mut values = vec![Complex64::ZERO; m as usize];
    for (j, z) in chirp(n, true).into_iter().enumerate() {
        let z = z / f64::from(m);
        values[j] = z;
        values[(m as usize - j) % m as usize] = z;
    }
    dft(values)
}

/// The DFT of these values. Equal results of several hosts need the same bits on every processor:
/// the planner without vector instructions gives them, and the length alone says how a long one is
/// divided over the threads.
pub(crate) fn dft(mut values: Vec<Complex64>) -> Vec<Complex64> {
    /// Lengths from which threads pay.
    const LONG: usize = 1 << 18;
    /// Columns that are gathered together: 256 bytes.
    const TOGETHER: usize = 16;

    let m = values.len();
    let a = (1..=m.isqrt()).rev().find(|a| m.is_multiple_of(*a)).unwrap_or(1);
    let b = m / a;
    if m < LONG || a < TOGETHER {
        FftPlannerScalar::new().plan_fft_forward(m).process(&mut values);
        return values;
    }
    // With j = b·j1 + j2 and k = k1 + a·k2 (Bailey): DFTs of a over j1, roots by j2·k1, DFTs of b
    // over j2.
    let blocks = |count: usize| (0..count).step_by(TOGETHER).map(|first| first..count.min(first + TOGETHER)).collect::<Vec<_>>();
    let (of_a, products) = (FftPlannerScalar::new().plan_fft_forward(a), Products::new(m as u64));
    let columns = side_by_side(&blocks(b), |block| {
        let mut all = vec![Complex64::ZERO; block.len() * a];
        for j1 in 0..a {
            for (i, j2) in block.clone().enumerate() {
                all[i * a + j1] = values[j1 * b + j2];
            }
        }
        of_a.process(&mut all);
        for (column, j2) in all.chunks_mut(a).zip(block.clone()) {
            column.iter_mut().enumerate().for_each(|(k1, z)| *z *= products.at(j2 as u64 * k1 as u64));
        }
        all
    });
    drop(values);
    let of_b = FftPlannerScalar::new().plan_fft_forward(b);
    let rows = side_by_side(&blocks(a), |block| {
        let mut all = vec![Complex64::ZERO; block.len() * b];
        for j2 in 0..b {
            let column = &columns[j2 / TOGETHER][j2 % TOGETHER * a..];
            for (i, k1) in block.clone().enumerate() {
                all[i * b + j2] = column[k1];
            }
        }
        of_b.process(&mut all);
        all
    });
    drop(columns);
    let result = |block: &std::ops::Range<usize>| {
        block.clone().flat_map(|k2| rows.iter().flat_map(move |row| row.chunks(b).map(move |line| line[k2]))).collect::<Vec<_>>()
    };
    side_by_side(&blocks(b), result).concat()
}

#[cfg(test)]
mod tests {
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
    fn long_chirps_are_as_exact_as_short_ones() {
        for n in [CHUNK, CHUNK + 1, 3 * CHUNK + 7] {
            let values = chirp(n, false);
            assert_eq!(values.len(), n as usize);
            for j in (0..n).step_by(997).chain([n - 1]) {
                let expected = root(u64::from(j) * u64::from(j), 2 * u64::from(n));
                assert!((values[j as usize] - expected).norm() < 1e-15, "{j} of {n}: {} {expected}", values[j as usize]);
            }
        }
    }

    #[test]
    fn long_transforms_are_those_of_rustfft() {
        for m in [1 << 18, 3 << 17, 5 * 5 * 5 * 2187, (1 << 18) + 3] {
            let values: Vec<Complex64> = (0..m as u64).map(|j| root(j * j % 1009, 1009) + root(j, 7)).collect();
            let mut expected = values.clone();
            FftPlannerScalar::new().plan_fft_forward(m).process(&mut expected);
            let (error, norm) = dft(values)
                .iter()
                .zip(&expected)
                .fold((0.0, 0.0), |(error, norm), (a, b)| (error + (a - b).norm_sqr(), norm + b.norm_sqr()));
            assert!(error < 1e-28 * norm, "{m}: {error:e} of {norm:e}");
        }
    }

    #[test]
    fn constants_are_kept_once() {
        let mut constants = Constants::new(Number::F32, []);
        let first = constants.add(Constant::Chirp { n: 5, conjugate: false });
        assert_eq!(constants.add(Constant::Stages(vec![2, 2])), 5);
        assert_eq!(constants.add(Constant::Chirp { n: 5, conjugate: false }), first);
        assert_eq!(constants.add(Constant::Chirp { n: 5, conjugate: true }), 8);
        assert_eq!(constants.table().label(), "chirp 5, roots 2.2, conjugate chirp 5");
    }

    #[test]
    fn every_part_is_as_long_as_it_says() {
        let mut constants = Constants::new(Number::F32, []);
        for n in [1, 2, 3, 16_384, 16_385, 50_000] {
            constants.add(Constant::Twiddle(n));
            constants.add(Constant::Line(n));
            constants.add(Constant::Chirp { n, conjugate: n % 2 == 0 });
            constants.add(Constant::Arc { order: 8 * u64::from(n), first: 1, step: 4, len: n / 2 });
        }
        constants.add(Constant::Stages(vec![5, 1, 3]));
        constants.add(Constant::Spectrum { n: 3, m: 8 });
        let bytes = constants.bytes();
        let table = constants.table();
        assert_eq!((table.bytes(), table.words().len() as u64 * 4), (bytes, bytes));
    }

    #[test]
    fn nothing_is_computed_before_it_is_asked_for() {
        let mut constants = Constants::new(Number::F32, []);
        constants.add(Constant::Spectrum { n: u32::MAX / 2, m: u32::MAX });
        constants.add(Constant::Stages(vec![u32::MAX; 8]));
        assert_eq!(constants.add(Constant::Chirp { n: 3, conjugate: false }), u32::MAX);
        assert_eq!(constants.table().bytes(), u64::MAX);
    }
}
