//! Elements of arrays as complex numbers in f64, and arrays as bytes.

use wgpu_fft::Element;
use wgpu_fft::half::{bf16, f16};
use wgpu_fft::num_complex::{Complex, Complex64};

use crate::draws::Draws;
use crate::harness::UNWRITTEN;
use crate::reference::{Places, noise};
use crate::subject::Subject;

pub trait Number: Element {
    /// A value that would spoil any result.
    const SPOILED: Self;
    /// A bound for relative errors of results that are stored so: the rounding of the last step.
    const ROUNDING: f64;
    /// The element for two numbers in -1 … 1.
    fn of(re: f32, im: f32) -> Self;
    fn wide(self) -> Complex64;
}

macro_rules! numbers {
    ($($real:ty, $spoiled:expr, $rounding:expr, $of:expr;)*) => { $(
        impl Number for $real {
            const SPOILED: Self = $spoiled;
            const ROUNDING: f64 = $rounding;
            fn of(re: f32, _: f32) -> Self {
                $of(re)
            }
            fn wide(self) -> Complex64 {
                Complex64::new(self.into(), 0.0)
            }
        }

        impl Number for Complex<$real> {
            const SPOILED: Self = Complex::new($spoiled, $spoiled);
            const ROUNDING: f64 = $rounding;
            fn of(re: f32, im: f32) -> Self {
                Complex::new($of(re), $of(im))
            }
            fn wide(self) -> Complex64 {
                Complex64::new(self.re.into(), self.im.into())
            }
        }
    )* };
}

numbers! {
    f32, f32::NAN, 0.0, |x| x;
    f64, f64::NAN, 0.0, f64::from;
    f16, f16::NAN, 1e-3, f16::from_f32;
    bf16, bf16::NAN, 8e-3, bf16::from_f32;
}

impl Number for u8 {
    const SPOILED: Self = 255;
    const ROUNDING: f64 = 0.0;
    fn of(re: f32, _: f32) -> Self {
        ((re + 1.0) * 127.0) as Self
    }
    fn wide(self) -> Complex64 {
        f64::from(self).into()
    }
}

/// An array without a pattern.
pub fn random<T: Number>(len: usize, seed: u64) -> Vec<T> {
    noise(2 * len, seed).chunks_exact(2).map(|pair| T::of(pair[0], pair[1])).collect()
}

/// The same array as bytes.
pub fn random_bytes<T: Number>(bytes: usize, seed: u64) -> Vec<u8> {
    bytemuck::cast_slice(&random::<T>(bytes / size_of::<T>(), seed)).to_vec()
}

pub fn of_bytes<T: Element>(bytes: &[u8]) -> Vec<T> {
    bytemuck::pod_collect_to_vec(bytes)
}

pub fn wide<T: Number>(array: &[T]) -> Vec<Complex64> {
    array.iter().map(|x| x.wide()).collect()
}

/// An array with numbers in these places, and what would spoil any result everywhere else.
pub fn spread<T: Number>(len: usize, places: &[usize], seed: u64) -> Vec<u8> {
    let mut all = vec![T::SPOILED; len];
    let numbers = random::<T>(len, seed);
    places.iter().for_each(|&place| all[place] = numbers[place]);
    bytemuck::cast_slice(&all).to_vec()
}

/// Makes one of these elements of an array NaN or very large. Returns the number of its place in
/// the list.
pub fn spoil<T: Number>(draws: &mut Draws, array: &mut [u8], places: &[usize]) -> usize {
    let i = draws.between(0, places.len() - 1);
    let value = draws.pick(&[T::SPOILED, T::of(1e6, -1e6), T::of(-1e12, 1e12)]);
    array[places[i] * size_of::<T>()..][..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&value));
    i
}

/// Which row an element of a row-major array is in: its index on the axes that are not transformed,
/// and on the batch.
pub fn row(shape: &[usize], transformed: &[usize], i: usize) -> usize {
    let strides = Places::dense(shape).strides;
    let others = (0..shape.len()).filter(|axis| !transformed.contains(axis));
    others.fold(i / shape.iter().product::<usize>(), |row, axis| row * shape[axis] + i / strides[axis] % shape[axis])
}

/// The two-norm.
pub fn norm(values: &[Complex64]) -> f64 {
    values.iter().map(|z| z.norm_sqr()).sum::<f64>().sqrt()
}

/// Fails if the error exceeds the bound times a size, in the two-norm. A NaN always fails.
pub fn within(actual: &[Complex64], expected: &[Complex64], bound: f64, size: f64) -> Result<(), String> {
    if actual.len() != expected.len() {
        return Err(format!("{} elements in place of {}", actual.len(), expected.len()));
    }
    let error = actual.iter().zip(expected).map(|(a, e)| (a - e).norm_sqr()).sum::<f64>().sqrt();
    if error <= bound * size {
        return Ok(());
    }
    let worst = (0..actual.len()).max_by(|&i, &j| (actual[i] - expected[i]).norm().total_cmp(&(actual[j] - expected[j]).norm()));
    let at = worst.map_or(String::new(), |i| format!("; element {i} is {} in place of {}", actual[i], expected[i]));
    Err(format!("relative error {:.1e}{at}", error / size))
}

/// The bytes of an output before it is written.
pub fn unwritten(bytes: usize) -> Vec<u8> {
    let mut all: Vec<u8> = bytemuck::pod_collect_to_vec(&vec![UNWRITTEN; bytes.div_ceil(4)]);
    all.truncate(bytes);
    all
}

/// Fails if bytes have changed outside of the elements that were to be written.
pub fn untouched(before: &[u8], after: &[u8], element_bytes: usize, written: &[usize]) -> Result<(), String> {
    let mut may_differ = vec![false; before.len() / element_bytes];
    written.iter().for_each(|&place| may_differ[place] = true);
    let same = |i: usize| before[i * element_bytes..(i + 1) * element_bytes] == after[i * element_bytes..(i + 1) * element_bytes];
    match (0..may_differ.len()).find(|&i| !may_differ[i] && !same(i)) {
        None => Ok(()),
        Some(i) => Err(format!("it wrote element {i} of its output, which is none of its own")),
    }
}

/// The extents of parts, and where each element of a dense array of them is in the whole.
pub fn in_whole(shape: &[usize], starts: &[i64], extents: &[usize]) -> Vec<usize> {
    let dense = Places::dense(extents);
    let count: usize = extents.iter().product();
    (0..count)
        .map(|i| {
            let of_axis = |axis: usize| {
                let own = i / dense.strides[axis] % extents[axis];
                (starts[axis] + own as i64).rem_euclid(shape[axis] as i64) as usize
            };
            (0..shape.len()).fold(0, |place, axis| place * shape[axis] + of_axis(axis))
        })
        .collect()
}

/// Fails if a specification does not parse from its text to what it is.
pub fn reads<S: std::str::FromStr + PartialEq + std::fmt::Display>(spec: &S) -> Result<(), String> {
    if spec.to_string().parse().ok().as_ref() == Some(spec) { Ok(()) } else { Err(format!("`{spec}` does not parse to what it was")) }
}

/// Fails if the same text does not describe the same computation where types are not known.
pub fn reads_untyped(subject: &Subject) -> Result<(), String> {
    let text = subject.spec.to_string();
    match text.parse::<wgpu_fft::dynamic::AnySpec>() {
        Ok(spec) if spec.to_string() == text && (spec.input(), spec.output()) == (subject.spec.input(), subject.spec.output()) => Ok(()),
        Ok(spec) => Err(format!("`{text}` parses to {spec:?}")),
        Err(error) => Err(format!("`{text}` does not parse: {error}")),
    }
}
