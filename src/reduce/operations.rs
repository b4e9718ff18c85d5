//! The reductions by name. [`Reduction`] defines each of them exactly.

use super::custom::Custom;
use super::spec::Reduction;
use super::value::{Float, Integer, Ordered, Value};
use crate::kernels::reduce::operator::{Finish, Fold, Map};
use crate::shape::Shape;

/// The sum. Modulo 2³² for integers, for which [`wide_sum`] has 64 bits.
pub fn sum<T: Value>(shape: impl Into<Shape>) -> Reduction<T, T::Wide> {
    Reduction::new("sum", shape, Map::Identity, Fold::Sum, Finish::Identity)
}

/// The sum of integers of 32 bits in 64 bits, which never overflows.
///
/// ```
/// use wgpu_fft::reduce;
///
/// // 100 million bytes, added exactly.
/// let bytes = wgpu_fft::Fragment::new("value");
/// let total = reduce::wide_sum::<u32>(100_000_000).map_input::<u8>(bytes)?;
/// assert_eq!(total.to_string(), "wide_sum u32 100000000 from u8 by `value`");
/// # Ok::<(), wgpu_fft::Error>(())
/// ```
pub fn wide_sum<T: Integer>(shape: impl Into<Shape>) -> Reduction<T, T::Long> {
    Reduction::new("wide_sum", shape, Map::Identity, Fold::WideSum, Finish::Identity)
}

/// The product. Modulo 2³² for integers.
pub fn product<T: Value>(shape: impl Into<Shape>) -> Reduction<T, T::Wide> {
    Reduction::new("product", shape, Map::Identity, Fold::Product, Finish::Identity)
}

/// Σ x·y of two arrays. Over an axis of one element nothing is summed: it is the product of the
/// arrays, element by element.
///
/// ```
/// // 1000 products x·y, as 1000 results.
/// let products = wgpu_fft::reduce::dot::<f32>([1000, 1]).axes([1]);
/// ```
pub fn dot<T: Value>(shape: impl Into<Shape>) -> Reduction<T, T::Wide> {
    Reduction::new("dot", shape, Map::Product, Fold::Sum, Finish::Identity)
}

/// Σ x̅·y of two arrays: the first one is conjugated. For real numbers this is [`dot`]. Over an
/// axis of one element it is the product x̅·y of the arrays, element by element, such as a cross
/// spectrum.
pub fn vdot<T: Value>(shape: impl Into<Shape>) -> Reduction<T, T::Wide> {
    Reduction::new("vdot", shape, Map::ConjugateProduct, Fold::Sum, Finish::Identity)
}

/// A reduction with a user-defined operator.
pub fn custom<T: Value>(shape: impl Into<Shape>, operator: Custom<T>) -> Reduction<T, T::Wide> {
    let map = operator.map.map_or(Map::Identity, Map::Custom);
    let fold = Fold::Custom { expression: operator.expression, identity: operator.identity };
    Reduction::new("custom", shape, map, fold, Finish::Identity)
}

/// The largest |x - y| of two arrays.
pub fn max_abs_diff<T: Value>(shape: impl Into<Shape>) -> Reduction<T, T::Distance> {
    Reduction::new("max_abs_diff", shape, Map::Distance, Fold::Max, Finish::Identity)
}

/// 1 if any element is nonzero, else 0.
pub fn any<T: Value>(shape: impl Into<Shape>) -> Reduction<T, u32> {
    Reduction::new("any", shape, Map::NonZero, Fold::Max, Finish::Identity)
}

/// 1 if every element is nonzero, else 0.
pub fn all<T: Value>(shape: impl Into<Shape>) -> Reduction<T, u32> {
    Reduction::new("all", shape, Map::NonZero, Fold::Min, Finish::Identity)
}

/// The number of nonzero elements.
pub fn count<T: Value>(shape: impl Into<Shape>) -> Reduction<T, u32> {
    Reduction::new("count", shape, Map::NonZero, Fold::Sum, Finish::Identity)
}

/// The smallest value.
pub fn min<T: Ordered>(shape: impl Into<Shape>) -> Reduction<T, T::Wide> {
    Reduction::new("min", shape, Map::Identity, Fold::Min, Finish::Identity)
}

/// The largest value.
pub fn max<T: Ordered>(shape: impl Into<Shape>) -> Reduction<T, T::Wide> {
    Reduction::new("max", shape, Map::Identity, Fold::Max, Finish::Identity)
}

/// The index of the first smallest value, or of the first NaN, among the elements reduced to
/// one result.
pub fn argmin<T: Ordered>(shape: impl Into<Shape>) -> Reduction<T, u32> {
    Reduction::new("argmin", shape, Map::Identity, Fold::ArgMin, Finish::Identity)
}

/// The index of the first largest value, or of the first NaN, among the elements reduced to one
/// result.
pub fn argmax<T: Ordered>(shape: impl Into<Shape>) -> Reduction<T, u32> {
    Reduction::new("argmax", shape, Map::Identity, Fold::ArgMax, Finish::Identity)
}

/// The arithmetic mean: the sum divided by the number of elements.
pub fn mean<T: Float>(shape: impl Into<Shape>) -> Reduction<T, T::Wide> {
    Reduction::new("mean", shape, Map::Identity, Fold::Sum, Finish::Mean(1))
}

/// Σ |x|².
pub fn sum_squares<T: Float>(shape: impl Into<Shape>) -> Reduction<T, T::Magnitude> {
    Reduction::new("sum_squares", shape, Map::Norm, Fold::Sum, Finish::Identity)
}

/// The variance: the mean of |x - μ|², where μ is the mean. [`Reduction::ddof`] sets another
/// divisor. The data are read once, and a large mean does no harm:
///
/// ```
/// use wgpu_fft::reduce;
///
/// // The variance of each row, as of a sample.
/// let spec = reduce::variance::<f32>([480, 640]).axes([1]).ddof(1);
/// assert_eq!(spec.to_string(), "variance f32 480x640 axes=1 ddof=1");
/// ```
pub fn variance<T: Float>(shape: impl Into<Shape>) -> Reduction<T, T::Magnitude> {
    Reduction::new("variance", shape, Map::Identity, Fold::Moments, Finish::Variance(1))
}

/// The standard deviation: the square root of the [`variance`].
pub fn standard_deviation<T: Float>(shape: impl Into<Shape>) -> Reduction<T, T::Magnitude> {
    Reduction::new("standard_deviation", shape, Map::Identity, Fold::Moments, Finish::Deviation(1))
}

/// √Σ |x|², the Euclidean norm, of numbers of any size: squares neither overflow nor vanish.
pub fn norm<T: Float>(shape: impl Into<Shape>) -> Reduction<T, T::Magnitude> {
    Reduction::new("norm", shape, Map::Norm, Fold::Squares, Finish::Root)
}
