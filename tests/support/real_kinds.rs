//! Transforms from reals to reals by their definitions, in f64.

use std::f64::consts::PI;

use wgpu_fft::fft::{R2r, RealKind};

use crate::reference::{ROUNDOFF, is_convolved, square_of_axis};

/// Result k of one axis, by the sum that defines it.
pub fn element(kind: RealKind, x: &[f64], k: usize) -> f64 {
    let n = x.len();
    // π·times/of, with the angle reduced in integers.
    let angle = |times: usize, of: usize| PI * (times % (2 * of)) as f64 / of as f64;
    let sum = |factor: &dyn Fn(usize) -> f64| x.iter().enumerate().map(|(j, x)| x * factor(j)).sum::<f64>();
    let sign = |k: usize| if k.is_multiple_of(2) { 1.0 } else { -1.0 };
    let inside = |j: usize, without: &[usize]| if without.contains(&j) { 0.0 } else { 2.0 };
    match kind {
        RealKind::DctI => x[0] + sign(k) * x[n - 1] + sum(&|j| inside(j, &[0, n - 1]) * angle(j * k, n - 1).cos()),
        RealKind::DctII => sum(&|j| 2.0 * angle(k * (2 * j + 1), 2 * n).cos()),
        RealKind::DctIII => x[0] + sum(&|j| inside(j, &[0]) * angle(j * (2 * k + 1), 2 * n).cos()),
        RealKind::DctIV => sum(&|j| 2.0 * angle((2 * j + 1) * (2 * k + 1), 4 * n).cos()),
        RealKind::DstI => sum(&|j| 2.0 * angle((j + 1) * (k + 1), n + 1).sin()),
        RealKind::DstII => sum(&|j| 2.0 * angle((2 * j + 1) * (k + 1), 2 * n).sin()),
        RealKind::DstIII => sign(k) * x[n - 1] + sum(&|j| inside(j, &[n - 1]) * angle((j + 1) * (2 * k + 1), 2 * n).sin()),
        RealKind::DstIV => sum(&|j| 2.0 * angle((2 * j + 1) * (2 * k + 1), 4 * n).sin()),
        RealKind::Hartley => sum(&|j| angle(2 * j * k, n).cos() + angle(2 * j * k, n).sin()),
        RealKind::ToHalfComplex if 2 * k <= n => sum(&|j| angle(2 * j * k, n).cos()),
        RealKind::ToHalfComplex => sum(&|j| -angle(2 * j * (n - k), n).sin()),
        RealKind::OfHalfComplex => sum(&|j| {
            let (i, own) = (j.min(n - j), if j == 0 || 2 * j == n { 1.0 } else { 2.0 });
            if 2 * j <= n { own * angle(2 * i * k, n).cos() } else { -own * angle(2 * i * k, n).sin() }
        }),
        other => panic!("{other} is not defined here"),
    }
}

/// Transforms dense arrays along some axes.
pub fn transform(data: &mut [f64], shape: &[usize], kinds: &[(usize, RealKind)]) {
    for &(axis, kind) in kinds {
        let (n, stride) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
        for first in (0..data.len()).filter(|i| i / stride % n == 0) {
            let own: Vec<f64> = (0..n).map(|i| data[first + i * stride]).collect();
            (0..n).for_each(|k| data[first + k * stride] = element(kind, &own, k));
        }
    }
}

/// The documented bound of the relative error in the two-norm.
pub fn bound(shape: &[usize], kinds: &[(usize, RealKind)]) -> f64 {
    ROUNDOFF * kinds.iter().map(|&(axis, kind)| square_of_kind(kind, shape[axis])).sum::<f64>().sqrt()
}

/// The square of the bound along one axis, over that of the unit roundoff: 2·√log₂n for the Fourier
/// transform that is used, or that of a convolution.
pub fn square_of_kind(kind: RealKind, n: usize) -> f64 {
    let n = match kind {
        RealKind::DctI => 2 * (n - 1),
        RealKind::DstI => 2 * (n + 1),
        _ => n,
    };
    if is_convolved(n) { square_of_axis(n) } else { 4.0 * (n as f64).log2().max(1.0) }
}

/// A transform that SciPy computed.
pub struct Vector {
    pub spec: R2r,
    len: usize,
    norm: f64,
    samples: Vec<f64>,
}

impl Vector {
    /// All lines of `tests/data/real_kinds.txt`.
    pub fn all() -> Vec<Self> {
        let lines = include_str!("../data/real_kinds.txt").lines().filter(|line| !line.starts_with('#'));
        let parsed = |line: &str| {
            let (spec, numbers) = line.split_once(": ").unwrap();
            let (len, numbers) = numbers.split_once(' ').unwrap();
            let mut numbers = numbers.split(' ').map(|number| number.parse::<f64>().unwrap());
            let norm = numbers.next().unwrap();
            let spec = spec.parse().unwrap_or_else(|error| panic!("{line}: {error}"));
            Self { spec, len: len.parse().unwrap(), norm, samples: numbers.collect() }
        };
        lines.map(parsed).collect()
    }

    /// Number of elements of the arrays.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The documented bound.
    pub fn bound(&self) -> f64 {
        let text = self.spec.to_string();
        let words: Vec<&str> = text.split(' ').collect();
        let shape: Vec<usize> = words[2].split('x').map(|n| n.parse().unwrap()).collect();
        let kinds = words[1].split(',').map(|name| RealKind::ALL.into_iter().find(|kind| kind.to_string() == name).unwrap());
        let axes = words.iter().find_map(|word| word.strip_prefix("axes="));
        let is_taken = |axis: usize| axes.is_none_or(|axes| axes.split(',').any(|own| own == axis.to_string()));
        let kinds: Vec<(usize, RealKind)> = kinds.cycle().take(shape.len()).enumerate().filter(|(axis, _)| is_taken(*axis)).collect();
        bound(&shape, &kinds)
    }

    /// What SciPy transformed: `scripts/vectors.py real_kinds` computes the same numbers.
    pub fn input(&self) -> Vec<f32> {
        (0..self.len as u64).map(|i| ((i * i * 7 + i * 3) % 257) as f32 / 128.0 - 1.0).collect()
    }

    /// Compares the result and its norm. Single elements may be off by the bound times the norm.
    pub fn check(&self, output: &[f32], bound: f64, what: &dyn std::fmt::Display) {
        let n = self.len;
        assert_eq!(output.len(), n, "{what}");
        let norm = output.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt();
        assert!((norm - self.norm).abs() <= bound * self.norm, "norm {norm} for {}: {what}", self.norm);
        let places = if n <= 16 { (0..n).collect() } else { vec![0, 1, 2, n / 3, n / 2 - 1, n / 2, n / 2 + 1, n - 2, n - 1] };
        assert_eq!(places.len(), self.samples.len(), "{what}");
        for (place, &expected) in places.into_iter().zip(&self.samples) {
            let error = (f64::from(output[place]) - expected).abs();
            assert!(error <= bound * self.norm, "element {place}: {} for {expected}, {what}", output[place]);
        }
    }
}
