//! Arrays of numbers on the host.

use std::fmt::Display;

use ndarray::ArrayViewD;
use rustfft::num_complex::Complex;
use rustfft::{FftNum, FftPlanner};
use wgpu_fft::ElementType;
use wgpu_fft::num_complex::{Complex32, Complex64};

use crate::Result;

/// The elements of an array.
#[derive(Clone, PartialEq, Debug)]
pub enum Elements {
    U8(Vec<u8>),
    I32(Vec<i32>),
    U32(Vec<u32>),
    I64(Vec<i64>),
    U64(Vec<u64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    Complex32(Vec<Complex32>),
    Complex64(Vec<Complex64>),
}

/// Does the same with the elements of any type.
macro_rules! of_any {
    ($elements:expr, $data:ident => $result:expr) => {
        match $elements {
            Elements::U8($data) => $result,
            Elements::I32($data) => $result,
            Elements::U32($data) => $result,
            Elements::I64($data) => $result,
            Elements::U64($data) => $result,
            Elements::F32($data) => $result,
            Elements::F64($data) => $result,
            Elements::Complex32($data) => $result,
            Elements::Complex64($data) => $result,
        }
    };
}
pub(crate) use of_any;

/// A dense array, slowest axis first.
#[derive(Clone, PartialEq, Debug)]
pub struct Array {
    pub shape: Vec<usize>,
    pub elements: Elements,
}

impl Array {
    /// The array whose bytes a plan returned.
    pub fn from_bytes(shape: Vec<usize>, element: ElementType, bytes: &[u8]) -> Result<Self> {
        let elements = match element.name() {
            "u8" => Elements::U8(bytes.to_vec()),
            "i32" => Elements::I32(bytemuck::pod_collect_to_vec(bytes)),
            "u32" => Elements::U32(bytemuck::pod_collect_to_vec(bytes)),
            "i64" => Elements::I64(bytemuck::pod_collect_to_vec(bytes)),
            "u64" => Elements::U64(bytemuck::pod_collect_to_vec(bytes)),
            "f32" => Elements::F32(bytemuck::pod_collect_to_vec(bytes)),
            "f64" => Elements::F64(bytemuck::pod_collect_to_vec(bytes)),
            "complex f32" => Elements::Complex32(bytemuck::pod_collect_to_vec(bytes)),
            "complex f64" => Elements::Complex64(bytemuck::pod_collect_to_vec(bytes)),
            other => return Err(format!("arrays of {other} cannot be written to a file").into()),
        };
        Ok(Self { shape, elements })
    }

    /// Its bytes, in the machine's order.
    pub fn bytes(&self) -> &[u8] {
        of_any!(&self.elements, data => bytemuck::cast_slice(data))
    }

    /// The type of its elements.
    pub fn element(&self) -> ElementType {
        match &self.elements {
            Elements::U8(_) => ElementType::of::<u8>(),
            Elements::I32(_) => ElementType::of::<i32>(),
            Elements::U32(_) => ElementType::of::<u32>(),
            Elements::I64(_) => ElementType::of::<i64>(),
            Elements::U64(_) => ElementType::of::<u64>(),
            Elements::F32(_) => ElementType::of::<f32>(),
            Elements::F64(_) => ElementType::of::<f64>(),
            Elements::Complex32(_) => ElementType::of::<Complex32>(),
            Elements::Complex64(_) => ElementType::of::<Complex64>(),
        }
    }

    /// Its first number, printed.
    pub fn first(&self) -> String {
        of_any!(&self.elements, data => data.first().map(ToString::to_string).unwrap_or_default())
    }

    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    pub fn is_complex(&self) -> bool {
        matches!(self.elements, Elements::Complex32(_) | Elements::Complex64(_))
    }

    /// The same numbers as elements of another type of floating-point numbers. A complex number
    /// becomes no real one.
    pub fn converted(self, complex: bool, double: bool) -> Result<Self> {
        let Self { shape, elements } = self;
        let wide: Vec<Complex64> = match elements {
            // What fits already is not touched.
            Elements::F32(data) if !complex && !double => return Ok(Self { shape, elements: Elements::F32(data) }),
            Elements::Complex32(data) if complex && !double => return Ok(Self { shape, elements: Elements::Complex32(data) }),
            Elements::U8(data) => data.into_iter().map(|value| f64::from(value).into()).collect(),
            Elements::I32(data) => data.into_iter().map(|value| f64::from(value).into()).collect(),
            Elements::U32(data) => data.into_iter().map(|value| f64::from(value).into()).collect(),
            Elements::I64(data) => data.into_iter().map(|value| (value as f64).into()).collect(),
            Elements::U64(data) => data.into_iter().map(|value| (value as f64).into()).collect(),
            Elements::F32(data) => data.into_iter().map(|value| f64::from(value).into()).collect(),
            Elements::F64(data) => data.into_iter().map(Into::into).collect(),
            Elements::Complex32(_) | Elements::Complex64(_) if !complex => {
                return Err("its elements are complex, and real ones are needed".into());
            }
            Elements::Complex32(data) => data.into_iter().map(|z| Complex64::new(z.re.into(), z.im.into())).collect(),
            Elements::Complex64(data) => data,
        };
        let elements = match (complex, double) {
            (false, false) => Elements::F32(wide.into_iter().map(|z| z.re as f32).collect()),
            (false, true) => Elements::F64(wide.into_iter().map(|z| z.re).collect()),
            (true, false) => Elements::Complex32(wide.into_iter().map(|z| Complex32::new(z.re as f32, z.im as f32)).collect()),
            (true, true) => Elements::Complex64(wide),
        };
        Ok(Self { shape, elements })
    }

    /// The same array with its axes in another order, as by numpy.transpose.
    pub fn permuted(self, order: &[usize]) -> Result<Self> {
        if order.is_sorted() {
            return Ok(self);
        }
        let (rank, element) = (self.shape.len(), self.element());
        let bytes = ArrayViewD::from_shape([&self.shape[..], &[element.bytes()]].concat(), self.bytes())?;
        let bytes = bytes.permuted_axes([order, &[rank]].concat());
        let all: Vec<u8> = bytes.iter().copied().collect();
        Self::from_bytes(bytes.shape()[..rank].to_vec(), element, &all)
    }

    /// The same integers in 32 bits, if they are integers of other sizes.
    pub fn narrowed(self) -> Result<Self> {
        let Self { shape, elements } = self;
        let elements = match elements {
            Elements::U8(data) => Elements::U32(data.into_iter().map(Into::into).collect()),
            Elements::I64(data) => narrowed(&data)?,
            Elements::U64(data) => narrowed(&data)?,
            other => other,
        };
        Ok(Self { shape, elements })
    }

    /// The absolute values of integers of 32 bits.
    pub fn unsigned(self) -> Self {
        let elements = match self.elements {
            Elements::I32(data) => Elements::U32(data.into_iter().map(i32::unsigned_abs).collect()),
            other => other,
        };
        Self { elements, ..self }
    }

    /// Numbers of f64, divided.
    pub fn divided(mut self, by: f64) -> Self {
        if let Elements::F64(data) = &mut self.elements {
            data.iter_mut().for_each(|value| *value /= by);
        }
        self
    }

    /// The size of each element: the absolute value.
    pub fn magnitudes(&self) -> Vec<f64> {
        match &self.elements {
            Elements::U8(data) => data.iter().map(|value| f64::from(*value)).collect(),
            Elements::I32(data) => data.iter().map(|value| f64::from(*value).abs()).collect(),
            Elements::U32(data) => data.iter().map(|value| f64::from(*value)).collect(),
            Elements::I64(data) => data.iter().map(|value| value.unsigned_abs() as f64).collect(),
            Elements::U64(data) => data.iter().map(|value| *value as f64).collect(),
            Elements::F32(data) => data.iter().map(|value| f64::from(*value).abs()).collect(),
            Elements::F64(data) => data.iter().map(|value| value.abs()).collect(),
            Elements::Complex32(data) => data.iter().map(|z| f64::from(z.norm())).collect(),
            Elements::Complex64(data) => data.iter().map(|z| z.norm()).collect(),
        }
    }
}

/// Integers of 64 bits in 32, signed or not.
fn narrowed<T: Copy + Ord + Display>(data: &[T]) -> Result<Elements>
where
    i32: TryFrom<T>,
    u32: TryFrom<T>,
{
    fn all<T: Copy, S: TryFrom<T>>(data: &[T]) -> Option<Vec<S>> {
        data.iter().map(|value| S::try_from(*value).ok()).collect()
    }
    if let Some(signed) = all(data) {
        return Ok(Elements::I32(signed));
    }
    all(data).map(Elements::U32).ok_or_else(|| {
        let [least, most] = [data.iter().min(), data.iter().max()].map(|end| end.map(ToString::to_string).unwrap_or_default());
        format!("its integers are from {least} to {most}, and those that are reduced have 32 bits").into()
    })
}

/// The Fourier transform of a dense array along some axes, without a factor, by rustfft on one
/// thread.
pub fn fft_on_host<T: FftNum>(data: &mut [Complex<T>], shape: &[usize], axes: &[usize], inverse: bool) {
    let mut planner = FftPlanner::new();
    for &axis in axes {
        let (n, stride) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
        let fft = if inverse { planner.plan_fft_inverse(n) } else { planner.plan_fft_forward(n) };
        if stride == 1 {
            fft.process(data);
            continue;
        }
        let mut columns = vec![Complex::new(T::zero(), T::zero()); n * stride];
        for block in data.chunks_exact_mut(n * stride) {
            for (j, row) in block.chunks_exact(stride).enumerate() {
                row.iter().enumerate().for_each(|(column, value)| columns[column * n + j] = *value);
            }
            fft.process(&mut columns);
            for (j, row) in block.chunks_exact_mut(stride).enumerate() {
                row.iter_mut().enumerate().for_each(|(column, value)| *value = columns[column * n + j]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_converted() {
        let array = Array { shape: vec![2], elements: Elements::U8(vec![1, 255]) };
        let floats = array.clone().converted(false, false).unwrap();
        assert_eq!(floats.elements, Elements::F32(vec![1.0, 255.0]));
        let complex = floats.converted(true, true).unwrap();
        assert_eq!(complex.elements, Elements::Complex64(vec![1.0.into(), 255.0.into()]));
        assert!(complex.clone().converted(false, true).is_err());
        assert_eq!(Array::from_bytes(vec![2], complex.element(), complex.bytes()).unwrap(), complex);
        assert_eq!(array.magnitudes(), [1.0, 255.0]);
    }

    #[test]
    fn axes_change_places() {
        let array = Array { shape: vec![2, 3], elements: Elements::F32(vec![0.0, 1.0, 2.0, 10.0, 11.0, 12.0]) };
        let turned = array.clone().permuted(&[1, 0]).unwrap();
        assert_eq!(turned, Array { shape: vec![3, 2], elements: Elements::F32(vec![0.0, 10.0, 1.0, 11.0, 2.0, 12.0]) });
        assert_eq!(turned.permuted(&[1, 0]).unwrap(), array);
    }

    #[test]
    fn the_host_transforms_along_any_axis() {
        let (shape, len) = ([2, 3, 4], 24);
        let input: Vec<Complex64> = (0..len).map(|i| Complex64::new(f64::from(i * i % 7), f64::from(i % 5))).collect();
        let mut data = input.clone();
        fft_on_host(&mut data, &shape, &[1], false);
        for (i, value) in data.iter().enumerate() {
            let (a, k, c) = (i / 12, i / 4 % 3, i % 4);
            let term = |j: usize| input[a * 12 + j * 4 + c] * Complex64::cis(-std::f64::consts::TAU * (j * k) as f64 / 3.0);
            let exact: Complex64 = (0..3).map(term).sum();
            assert!((value - exact).norm() < 1e-12);
        }
        fft_on_host(&mut data, &shape, &[1], true);
        assert!(data.iter().zip(&input).all(|(a, b)| (a / 3.0 - b).norm() < 1e-12));
    }
}
