//! Filters by their definition in f64, on arrays that are extended at their edges.

use wgpu_fft::Edge;
use wgpu_fft::elements::Pixel;
use wgpu_fft::signal::Mode;
use wgpu_fft::signal::{DirectFilter, SeparableFilter};

pub const EDGES: [Edge; 5] = [Edge::Zero, Edge::Wrap, Edge::Reflect, Edge::Mirror, Edge::Nearest];
pub const SIZES: [Mode; 3] = [Mode::Same, Mode::Full, Mode::Valid];

/// Hand-written recipes that reach every form of the kernel. Not each of them fits every filter.
pub const RECIPES: [&str; 15] = [
    "axis 0: tile 2x16 block=1x4 width=2",
    "axis 0: straight 3x10 block=1x5",
    "axis 0: straight 2x32 block=1x2 width=4",
    "axis 1: tile 2x16; axis 0: tile 8x8 block=2x1",
    "axis 0: tile 8x8; axis 1: tile 2x16 block=1x2 width=2",
    "axis 1: tile 4x32 block=1x2 width=4; axis 0: tile 16x16 block=4x1 width=4",
    "axis 1: straight 2x32 width=4; axis 0: straight 8x32 block=8x1 width=4",
    "axis 0: straight 4x8 block=4x1 width=2; axis 1: tile 1x40 block=1x5",
    "axes 0,1: tile 8x16 block=4x1 width=4",
    "axes 0,1: tile 8x10 block=2x5",
    "axes 0,1: straight 4x16 block=1x2 width=2",
    "axes 0,1: tile 4x16 block=1x4 width=4",
    "axes 0,1: tile 5x7",
    "transpose: naive 8x8; axis 0: tile 2x16 block=1x1; transpose: tiled 16+1 elements=4; axis 1: tile 2x16",
    "axis 1: tile 2x16; transpose: strided 8x4 elements=1; axis 0: tile 2x16 block=1x3; transpose: naive 8x8",
];

/// Whole numbers from -8 to 8, whose sums of products are exact in f32.
pub fn whole_numbers(len: usize, seed: u32) -> Vec<f32> {
    (0..len as u32).map(|i| ((i ^ seed).wrapping_mul(0x9e37_79b1) >> 16) as i32 % 17 - 8).map(|x| x as f32).collect()
}

/// Bytes.
pub fn bytes(len: usize) -> Vec<u8> {
    (0..len as u32).map(|i| (i.wrapping_mul(0x9e37_79b1) >> 24) as u8).collect()
}

/// One kernel along an axis, or over all.
#[derive(Clone, Debug)]
pub struct Filter {
    pub shape: Vec<usize>,
    pub batch: usize,
    pub convolution: bool,
    pub edge: Edge,
}

/// The numbers of a line at its indices from `-before` on, `len` of them.
fn extended(line: &[f64], edge: Edge, before: usize, len: usize) -> Vec<f64> {
    let reversed: Vec<f64> = line.iter().rev().copied().collect();
    let period = match edge {
        Edge::Reflect => [line, &reversed].concat(),
        Edge::Mirror if line.len() > 1 => [line, &reversed[1..line.len() - 1]].concat(),
        _ => line.to_vec(),
    };
    let number = |i: i64| match edge {
        Edge::Zero if i < 0 || i >= line.len() as i64 => 0.0,
        Edge::Nearest if i < 0 => line[0],
        Edge::Nearest if i >= line.len() as i64 => line[line.len() - 1],
        _ => period[i.rem_euclid(period.len() as i64) as usize],
    };
    (0..len as i64).map(|i| number(i - before as i64)).collect()
}

impl Filter {
    pub fn new(shape: &[usize], convolution: bool, edge: Edge) -> Self {
        Self { shape: shape.to_vec(), batch: 1, convolution, edge }
    }

    pub fn batch(mut self, batch: usize) -> Self {
        self.batch = batch;
        self
    }

    pub fn len(&self) -> usize {
        self.shape.iter().product::<usize>() * self.batch
    }

    pub fn separable<T: Pixel>(&self, kernels: &[(usize, Vec<f32>)]) -> SeparableFilter<T> {
        let spec =
            if self.convolution { SeparableFilter::convolution(&self.shape[..]) } else { SeparableFilter::correlation(&self.shape[..]) };
        kernels.iter().fold(spec.edge(self.edge).batch(self.batch), |spec, (axis, taps)| spec.kernel(*axis, taps.iter().copied()))
    }

    pub fn direct<T: Pixel>(&self, kernel: &[usize], taps: &[f32], size: Mode) -> DirectFilter<T> {
        let taps = taps.iter().copied();
        let spec = if self.convolution {
            DirectFilter::convolution(&self.shape[..], kernel, taps)
        } else {
            DirectFilter::correlation(&self.shape[..], kernel, taps)
        };
        spec.edge(self.edge).batch(self.batch).mode(size)
    }

    /// The result of separable kernels, and the same for the absolute values of all numbers.
    pub fn by_separable(&self, kernels: &[(usize, Vec<f32>)], x: &[f64]) -> [Vec<f64>; 2] {
        let mut values = [x.to_vec(), x.iter().map(|x| x.abs()).collect()];
        for (axis, taps) in kernels {
            let taps: Vec<f64> = taps.iter().map(|&tap| tap.into()).collect();
            let sizes: Vec<f64> = taps.iter().map(|tap| tap.abs()).collect();
            for (values, taps) in values.iter_mut().zip([&taps, &sizes]) {
                *values = self.along(*axis, taps, values);
            }
        }
        values
    }

    fn along(&self, axis: usize, taps: &[f64], x: &[f64]) -> Vec<f64> {
        let (n, k) = (self.shape[axis], taps.len());
        let inner: usize = self.shape[axis + 1..].iter().product();
        let mut y = vec![0.0; x.len()];
        for first in (0..x.len()).filter(|i| (i / inner).is_multiple_of(n)) {
            let line: Vec<f64> = (0..n).map(|i| x[first + i * inner]).collect();
            let line = extended(&line, self.edge, k, n + 2 * k);
            for i in 0..n {
                let terms = (0..k).map(|t| taps[t] * if self.convolution { line[k + i + k / 2 - t] } else { line[k + i + t - k / 2] });
                y[first + i * inner] = terms.sum();
            }
        }
        y
    }

    /// The result of one kernel over all axes, and the same for the absolute values.
    pub fn by_direct(&self, kernel: &[usize], taps: &[f32], size: Mode, x: &[f64]) -> [Vec<f64>; 2] {
        // One axis is a single row.
        let two = |extents: &[usize]| if let [n] = *extents { [1, n] } else { [extents[0], extents[1]] };
        let ([rows, columns], [down, along]) = (two(&self.shape), two(kernel));
        let sizes = |n: usize, k: usize| match size {
            Mode::Full => (n + k - 1, k - 1, 0),
            Mode::Valid => (n + 1 - k, 0, k - 1),
            _ => (n, (k - 1) / 2, (k - 1) / 2),
        };
        let ((out_rows, p0, q0), (out_columns, p1, q1)) = (sizes(rows, down), sizes(columns, along));
        let mut results = [Vec::new(), Vec::new()];
        for plane in x.chunks(rows * columns) {
            // Twice as far as any kernel reaches.
            let (r, c) = (2 * down, 2 * along);
            let wide: Vec<Vec<f64>> = plane.chunks(columns).map(|row| extended(row, self.edge, c, columns + 2 * c)).collect();
            let column = |j: usize| extended(&wide.iter().map(|row| row[j]).collect::<Vec<_>>(), self.edge, r, rows + 2 * r);
            let all: Vec<Vec<f64>> = (0..columns + 2 * c).map(column).collect();
            for i in 0..out_rows {
                for j in 0..out_columns {
                    let (mut sum, mut size) = (0.0, 0.0);
                    for (s, t) in (0..down).flat_map(|s| (0..along).map(move |t| (s, t))) {
                        let (row, column) =
                            if self.convolution { (r + i + q0 - s, c + j + q1 - t) } else { (r + i + s - p0, c + j + t - p1) };
                        let product = f64::from(taps[s * along + t]) * all[column][row];
                        sum += product;
                        size += product.abs();
                    }
                    results[0].push(sum);
                    results[1].push(size);
                }
            }
        }
        results
    }
}

/// Fails unless every number is exact.
pub fn assert_exact(actual: &[f32], expected: &[f64], what: &dyn std::fmt::Display) {
    assert_eq!(actual.len(), expected.len(), "{what}");
    let wrong = actual.iter().zip(expected).position(|(actual, expected)| f64::from(*actual) != *expected);
    if let Some(i) = wrong {
        panic!("output {i} is {} in place of {}: {what}", actual[i], expected[i]);
    }
}

/// The first output beyond the documented bound for this number of taps.
pub fn beyond_bound(actual: &[f32], [expected, sizes]: &[Vec<f64>; 2], taps: usize) -> Option<String> {
    let u = taps as f64 / 16_777_216.0;
    let bound = u / (1.0 - u);
    let wrong = |i: &usize| {
        let fine = (f64::from(actual[*i]) - expected[*i]).abs() <= bound * sizes[*i];
        !fine
    };
    assert_eq!(actual.len(), expected.len());
    (0..actual.len()).find(wrong).map(|i| format!("output {i} is {} in place of {}", actual[i], expected[i]))
}
