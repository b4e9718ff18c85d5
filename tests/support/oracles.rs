//! Transforms that FFTW computed in long double, and SciPy found equal: `tests/data/oracles.txt`.

use wgpu_fft::Complex32;
use wgpu_fft::Spec;
use wgpu_fft::fft::{C2c, C2r, R2c, R2r};
use wgpu_fft::num_complex::Complex64;

pub use crate::reference::Number;
use crate::reference::{Places, half, is_convolved, square_of_axis};

/// A transform with some of its results.
pub struct Oracle {
    /// The text of the specification, of f32.
    pub text: String,
    shape: Vec<usize>,
    batch: usize,
    /// The layout of each side, if it is not dense.
    layouts: [Option<Places>; 2],
    axes: Vec<usize>,
    lens: [usize; 2],
    norm: f64,
    samples: Vec<Complex64>,
}

/// Runs a specification somewhere; `None` if that is not possible there.
pub trait Runner {
    fn run<S: Spec<Input: Number, Output: Number>>(&self, spec: S, input: &[S::Input]) -> Option<Vec<S::Output>>;
}

fn numbers(text: &str) -> Vec<usize> {
    text.split(',').map(|number| number.parse().unwrap_or_else(|error| panic!("{text}: {error}"))).collect()
}

/// In halves, so that the rounding of the sum does not count.
fn sum_of_squares(numbers: &[Complex64]) -> f64 {
    if numbers.len() <= 16 {
        return numbers.iter().map(Complex64::norm_sqr).sum();
    }
    let (a, b) = numbers.split_at(numbers.len() / 2);
    sum_of_squares(a) + sum_of_squares(b)
}

impl Oracle {
    /// All lines of the file.
    pub fn all() -> Vec<Self> {
        include_str!("../data/oracles.txt").lines().filter(|line| !line.starts_with('#')).map(Self::new).collect()
    }

    fn new(line: &str) -> Self {
        let (text, results) = line.split_once(" | ").unwrap();
        let words: Vec<&str> = text.split(' ').collect();
        let shape: Vec<usize> = words[2].split('x').map(|extent| extent.parse().unwrap()).collect();
        let after = |prefix: &str| words[3..].iter().find_map(|word| word.strip_prefix(prefix));
        let places = |text: &str| {
            let (text, offset) = text.split_once('@').unwrap_or((text, "0"));
            let (strides, distance) = text.split_once('/').unwrap_or((text, "1"));
            Places { strides: numbers(strides), distance: distance.parse().unwrap(), offset: offset.parse().unwrap() }
        };
        let mut values = results.split(' ');
        let [input, output] = [(); 2].map(|()| values.next().unwrap().parse().unwrap());
        let norm = values.next().unwrap().parse().unwrap();
        let sample = |text: &str| {
            let (re, im) = text.split_once(',').unwrap_or((text, "0"));
            Complex64::new(re.parse().unwrap(), im.parse().unwrap())
        };
        Self {
            text: text.to_owned(),
            batch: after("x").map_or(1, |batch| batch.parse().unwrap()),
            layouts: ["in=", "out="].map(|side| after(side).map(places)),
            axes: after("axes=").map_or_else(|| (0..shape.len()).collect(), numbers),
            shape,
            lens: [input, output],
            norm,
            samples: values.map(sample).collect(),
        }
    }

    /// Elements of the larger array.
    pub fn len(&self) -> usize {
        self.lens[0].max(self.lens[1])
    }

    pub fn is_dense(&self) -> bool {
        self.layouts.iter().all(Option::is_none)
    }

    fn extents(&self, side: usize) -> Vec<usize> {
        match (&self.text[..3], side) {
            ("r2c", 1) | ("c2r", 0) => half(&self.shape),
            _ => self.shape.clone(),
        }
    }

    fn places(&self, side: usize) -> Vec<usize> {
        let extents = self.extents(side);
        self.layouts[side].clone().unwrap_or_else(|| Places::dense(&extents)).all(&extents, self.batch)
    }

    /// The whole input array: `scripts/vectors.py oracles` computes the same numbers.
    fn input(&self) -> Vec<Complex64> {
        let value = |i: usize| ((i as u64 * i as u64 * 7 + i as u64 * 3) % 257) as f64 / 128.0 - 1.0;
        let mut input: Vec<Complex64> = (0..self.lens[0]).map(|i| Complex64::new(value(i), value(i + 5))).collect();
        if self.text.starts_with("c2r") {
            let (extents, places, before) = (self.extents(0), self.places(0), input.clone());
            let (last, n) = (extents.len() - 1, *self.shape.last().unwrap());
            for (i, &place) in places.iter().enumerate() {
                let k = i % extents[last];
                if k != 0 && 2 * k != n {
                    continue;
                }
                let (mut mirror, mut step, mut rest) = (k, extents[last], i / extents[last]);
                for axis in (0..last).rev() {
                    let own = rest % extents[axis];
                    rest /= extents[axis];
                    mirror += step * if self.axes.contains(&axis) { (extents[axis] - own) % extents[axis] } else { own };
                    step *= extents[axis];
                }
                input[place] = before[place] + before[places[mirror + rest * step]].conj();
            }
        }
        input
    }

    /// The documented bound, for each axis by its logical length, in which lengths with a prime
    /// factor above 31 take a convolution.
    fn bound(&self, numbers: &str) -> f64 {
        let of_axis = |&axis: &usize| {
            let n = self.shape[axis];
            let (inner, logical) = match self.text.strip_prefix("r2r ") {
                Some(kind) if kind.starts_with("dct1") => (n - 1, 2 * (n - 1)),
                Some(kind) if kind.starts_with("dst1") => (n + 1, 2 * (n + 1)),
                Some(kind) if kind.starts_with('d') => (n, 2 * n),
                _ => (n, n),
            };
            let log = |n: usize| (n as f64).log2().max(1.0);
            match numbers {
                " f64-by-f32" => log(3 * logical),
                _ if is_convolved(inner) => 9.0 * log(3 * logical),
                _ if self.text.starts_with("r2r") => 4.0 * log(logical),
                _ => square_of_axis(logical),
            }
        };
        let u = match numbers {
            "" => 2.0_f64.powi(-24),
            " f64-by-f32" => 2.0_f64.powi(-46),
            _ => 2.0_f64.powi(-53),
        };
        // The factor is rounded, and so are FFTW's results here.
        u * self.axes.iter().map(of_axis).sum::<f64>().sqrt() + 2.0 * u.max(f64::EPSILON)
    }

    /// Runs the transform in f32 or with the numbers that a word behind the text asks for. Returns
    /// the error in parts of the bound; `None` if it does not run there.
    pub fn check(&self, runner: &impl Runner, numbers: &str) -> Option<f64> {
        let text = format!("{}{numbers}", self.text);
        macro_rules! run {
            ($spec:ty, $input:ty) => {{
                let spec: $spec = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
                let input: Vec<$input> = self.input().into_iter().map(<$input>::of).collect();
                runner.run(spec, &input).map(|output| output.into_iter().map(Number::wide).collect::<Vec<Complex64>>())
            }};
        }
        let output = match (&text[..3], numbers) {
            ("c2c", "") => run!(C2c, Complex32),
            ("r2c", "") => run!(R2c, f32),
            ("c2r", "") => run!(C2r, Complex32),
            (_, "") => run!(R2r, f32),
            ("c2c", _) => run!(C2c<Complex64, Complex64>, Complex64),
            ("r2c", _) => run!(R2c<f64, Complex64>, f64),
            ("c2r", _) => run!(C2r<Complex64, f64>, Complex64),
            _ => run!(R2r<f64, f64>, f64),
        }?;
        assert_eq!(output.len(), self.lens[1], "{text}");
        let places = self.places(1);
        let results: Vec<Complex64> = places.iter().map(|&place| output[place]).collect();
        let norm = sum_of_squares(&results).sqrt();
        let bound = self.bound(numbers);
        let mut worst = (norm - self.norm).abs();
        let count = results.len();
        let at: Vec<usize> = if count <= 12 { (0..count).collect() } else { (0..8).map(|j| j * (count - 1) / 7).collect() };
        assert_eq!(at.len(), self.samples.len(), "{text}");
        // The bound is for all elements together. Few of them may be off by some more.
        let root_mean_square = self.norm / (count as f64).sqrt();
        let errors: f64 = at.iter().zip(&self.samples).map(|(&i, expected)| (results[i] - expected).norm_sqr()).sum();
        let error = (errors / at.len() as f64).sqrt() / root_mean_square;
        worst = if self.norm > 0.0 { (worst / self.norm).max(error / 4.0) } else { worst.max(errors.sqrt()) };
        assert!(worst <= bound, "error {worst:.2e} of {bound:.1e}: {text}");
        Some(worst / bound)
    }
}
