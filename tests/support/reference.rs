//! Transforms of one to three axes in f64, for every layout.

use rustfft::{FftNum, FftPlanner};
use wgpu_fft::low_level::recipes::fft::Recipe;
use wgpu_fft::num_complex::{Complex, Complex64};
use wgpu_fft::{Complex32, Element, Layout};

/// Numbers of transforms, from and to complex numbers in f64.
pub trait Number: Element {
    fn of(z: Complex64) -> Self;
    fn wide(self) -> Complex64;
}

macro_rules! numbers {
    ($($real:ty)*) => { $(
        impl Number for $real {
            fn of(z: Complex64) -> Self {
                z.re as Self
            }
            fn wide(self) -> Complex64 {
                f64::from(self).into()
            }
        }

        impl Number for Complex<$real> {
            fn of(z: Complex64) -> Self {
                Self::new(z.re as $real, z.im as $real)
            }
            fn wide(self) -> Complex64 {
                Complex64::new(self.re.into(), self.im.into())
            }
        }
    )* };
}

numbers! { f32 f64 }

/// A signal's number, from a complex one and back.
pub trait Narrow: wgpu_fft::elements::Number {
    fn of(z: Complex32) -> Self;
    fn back(self) -> Complex32;
}

impl Narrow for f32 {
    fn of(z: Complex32) -> Self {
        z.re
    }
    fn back(self) -> Complex32 {
        Complex32::from(self)
    }
}

impl Narrow for Complex32 {
    fn of(z: Complex32) -> Self {
        z
    }
    fn back(self) -> Complex32 {
        self
    }
}

/// Transforms dense arrays along some axes, without a scale factor.
pub fn dft<T: FftNum>(data: &mut [Complex<T>], shape: &[usize], axes: &[usize], inverse: bool) {
    let mut planner = FftPlanner::<T>::new();
    for &axis in axes {
        let n = shape[axis];
        let plan = if inverse { planner.plan_fft_inverse(n) } else { planner.plan_fft_forward(n) };
        let stride: usize = shape[axis + 1..].iter().product();
        let zero = Complex::new(T::zero(), T::zero());
        let mut scratch = vec![zero; plan.get_inplace_scratch_len()];
        if stride == 1 {
            plan.process_with_scratch(data, &mut scratch);
            continue;
        }
        let mut line = vec![zero; n];
        for outer in (0..data.len()).step_by(n * stride) {
            for first in outer..outer + stride {
                for (i, z) in line.iter_mut().enumerate() {
                    *z = data[first + i * stride];
                }
                plan.process_with_scratch(&mut line, &mut scratch);
                for (i, z) in line.iter().enumerate() {
                    data[first + i * stride] = *z;
                }
            }
        }
    }
}

/// The places of elements, as the tests compute them.
#[derive(Clone, Debug)]
pub struct Places {
    pub strides: Vec<usize>,
    pub distance: usize,
    pub offset: usize,
}

impl Places {
    pub fn dense(shape: &[usize]) -> Self {
        let mut strides = vec![1; shape.len()];
        for axis in (0..shape.len() - 1).rev() {
            strides[axis] = strides[axis + 1] * shape[axis + 1];
        }
        Self { strides, distance: shape.iter().product(), offset: 0 }
    }

    pub fn reversed(shape: &[usize]) -> Self {
        let mut strides = vec![1; shape.len()];
        for axis in 1..shape.len() {
            strides[axis] = strides[axis - 1] * shape[axis - 1];
        }
        Self { strides, distance: shape.iter().product(), offset: 0 }
    }

    /// Rows of reals, stored with the padding that in-place transforms need.
    pub fn rows_in_half(shape: &[usize]) -> Self {
        let mut places = Self::dense(&half(shape));
        let last = shape.len() - 1;
        places.strides[..last].iter_mut().for_each(|stride| *stride *= 2);
        places.distance *= 2;
        places
    }

    pub fn layout(&self) -> Layout {
        let layout = match self.strides[..] {
            [a] => Layout::strides([a]),
            [a, b] => Layout::strides([a, b]),
            [a, b, c] => Layout::strides([a, b, c]),
            [a, b, c, d] => Layout::strides([a, b, c, d]),
            _ => panic!("{self:?}"),
        };
        layout.batch_distance(self.distance).offset(self.offset)
    }

    /// The places of the elements, in the order of dense arrays.
    pub fn all(&self, shape: &[usize], batch: usize) -> Vec<usize> {
        let elements: usize = shape.iter().product();
        let place = |i: usize| {
            let mut rest = i % elements;
            let mut place = self.offset + i / elements * self.distance;
            for (extent, stride) in shape.iter().zip(&self.strides).rev() {
                place += rest % extent * stride;
                rest /= extent;
            }
            place
        };
        (0..elements * batch).map(place).collect()
    }

    /// The number of elements that an array must have.
    pub fn span(&self, shape: &[usize], batch: usize) -> usize {
        self.all(shape, batch).into_iter().max().unwrap() + 1
    }
}

/// The shape of the complex side of a real transform.
pub fn half(shape: &[usize]) -> Vec<usize> {
    let mut half = shape.to_vec();
    *half.last_mut().unwrap() = half.last().unwrap() / 2 + 1;
    half
}

/// The elements of dense arrays of `shape` that belong to the half-spectrum.
pub fn of_half<T: Copy>(data: &[T], shape: &[usize]) -> Vec<T> {
    let n = *shape.last().unwrap();
    data.chunks(n).flat_map(|row| row[..n / 2 + 1].to_vec()).collect()
}

pub fn wide(data: &[Complex32]) -> Vec<Complex64> {
    data.iter().map(|z| Complex64::new(z.re.into(), z.im.into())).collect()
}

/// The relative error in the two-norm; infinite if there is a NaN.
pub fn relative_error<T: Copy + Into<f64>>(actual: &[Complex<T>], expected: &[Complex64]) -> f64 {
    assert_eq!(actual.len(), expected.len());
    let (mut difference, mut norm) = (0.0, 0.0);
    for (a, e) in actual.iter().zip(expected) {
        difference += (Complex64::new(a.re.into(), a.im.into()) - e).norm_sqr();
        norm += e.norm_sqr();
    }
    let error = (difference / norm).sqrt();
    if error.is_nan() { f64::INFINITY } else { error }
}

/// 2⁻²⁴, the unit roundoff of f32.
pub const ROUNDOFF: f64 = 1.0 / 16_777_216.0;

/// The documented bound of the relative error in the two-norm, of a transform of f32 by a recipe.
pub fn bound_by(recipe: &Recipe, shape: &[usize]) -> f64 {
    let extents = |first: usize, last: usize| shape[first..=last].iter().product();
    let squares: Vec<f64> = match recipe {
        Recipe::Transposed { .. } => vec![square_of_stages(shape.iter().product())],
        // Some recipes transform several axes at once.
        Recipe::Axes(axes) => axes
            .iter()
            .map(|own| {
                own.bluestein.map_or_else(|| square_of_stages(extents(own.axis, own.through)), |m| square_of_convolution(m as usize))
            })
            .collect(),
        other => unimplemented!("{other}"),
    };
    ROUNDOFF * squares.iter().sum::<f64>().sqrt()
}

/// The same for whichever recipe the rules choose for these lengths.
pub fn bound_of(lengths: impl IntoIterator<Item = usize>) -> f64 {
    ROUNDOFF * lengths.into_iter().map(square_of_axis).sum::<f64>().sqrt()
}

/// The square of the bound along one axis, over that of the unit roundoff: 1.5·√log₂n, and 3·√log₂m
/// for a convolution of length m < 3n. Those of several axes add up.
pub fn square_of_axis(n: usize) -> f64 {
    if is_convolved(n) { square_of_convolution(3 * n) } else { square_of_stages(n) }
}

fn square_of_stages(n: usize) -> f64 {
    2.25 * (n as f64).log2().max(1.0)
}

fn square_of_convolution(m: usize) -> f64 {
    9.0 * (m as f64).log2()
}

/// Whether a length has a prime factor above 31.
pub fn is_convolved(mut n: usize) -> bool {
    (2..=31).for_each(|p| {
        while n > 0 && n.is_multiple_of(p) {
            n /= p;
        }
    });
    n > 1
}

/// Numbers in -1 … 1, centred on zero, without a pattern that a transform could share.
pub fn noise(len: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / 8_388_608.0 - 1.0
    };
    (0..len).map(|_| next()).collect()
}

pub fn complex_noise(len: usize, seed: u64) -> Vec<Complex32> {
    noise(2 * len, seed).chunks_exact(2).map(|pair| Complex32::new(pair[0], pair[1])).collect()
}
