//! The reductions by name. [`Reduction`] defines each of them exactly.

use super::spec::Reduction;
use super::value::{Float, Integer, Ordered, Value};
use crate::kernels::reduce::operator::{Finish, Fold, Map};
use crate::shape::Shape;

/// Declares an operation for each name: what it does with an element, with two values, and at last.
macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident<$bound:ident> -> $result:ty: $map:ident, $fold:ident, $finish:expr;)*) => {
        $(
            $(#[$doc])*
            pub fn $name<T: $bound>(shape: impl Into<Shape>) -> Reduction<T, $result> {
                Reduction::new(stringify!($name), shape, Map::$map, Fold::$fold, $finish)
            }
        )*

        /// Every operation that its name alone determines.
        pub(super) const NAMED: &[(&str, Map, Fold, Finish)] = &[$((stringify!($name), Map::$map, Fold::$fold, $finish)),*];
    };
}

operations! {
    /// The sum. Modulo 2³² for integers, for which [`wide_sum`] has 64 bits.
    sum<Value> -> T::Wide: Identity, Sum, Finish::Identity;

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
    wide_sum<Integer> -> T::Long: Identity, WideSum, Finish::Identity;

    /// The product. Modulo 2³² for integers.
    product<Value> -> T::Wide: Identity, Product, Finish::Identity;

    /// Σ x·y of two arrays. Over an axis of one element nothing is summed: it is the product of the
    /// arrays, element by element.
    ///
    /// ```
    /// // 1000 products x·y, as 1000 results.
    /// let products = wgpu_fft::reduce::dot::<f32>([1000, 1]).axes([1]);
    /// ```
    dot<Value> -> T::Wide: Product, Sum, Finish::Identity;

    /// Σ x̅·y of two arrays: the first one is conjugated. For real numbers this is [`dot`]. Over an
    /// axis of one element it is the product x̅·y of the arrays, element by element, such as a
    /// cross spectrum.
    vdot<Value> -> T::Wide: ConjugateProduct, Sum, Finish::Identity;

    /// The largest |x - y| of two arrays.
    max_abs_diff<Value> -> T::Distance: Distance, Max, Finish::Identity;

    /// 1 if any element is nonzero, else 0.
    any<Value> -> u32: NonZero, Max, Finish::Identity;

    /// 1 if every element is nonzero, else 0.
    all<Value> -> u32: NonZero, Min, Finish::Identity;

    /// The number of nonzero elements.
    count<Value> -> u32: NonZero, Sum, Finish::Identity;

    /// The smallest value.
    min<Ordered> -> T::Wide: Identity, Min, Finish::Identity;

    /// The largest value.
    max<Ordered> -> T::Wide: Identity, Max, Finish::Identity;

    /// The largest |x| of real numbers. That of the smallest i32 is that number itself.
    max_abs<Ordered> -> T::Wide: Abs, Max, Finish::Identity;

    /// The index of the first smallest value, or of the first NaN, among the elements reduced to
    /// one result.
    argmin<Ordered> -> u32: Identity, ArgMin, Finish::Identity;

    /// The index of the first largest value, or of the first NaN, among the elements reduced to one
    /// result.
    argmax<Ordered> -> u32: Identity, ArgMax, Finish::Identity;

    /// The index of the first largest |x|, or of the first NaN, among the elements reduced to one
    /// result.
    argmax_abs<Ordered> -> u32: Abs, ArgMax, Finish::Identity;

    /// The arithmetic mean: the sum divided by the number of elements.
    mean<Float> -> T::Wide: Identity, Sum, Finish::Mean(1);

    /// Σ |x| of real numbers, modulo 2³² for integers. The absolute value of the smallest i32 is
    /// that number itself. Σ |z| of complex numbers, or their largest |z|, takes a fragment:
    ///
    /// ```
    /// use wgpu_fft::{Complex32, Fragment, reduce};
    ///
    /// let sum = reduce::sum::<f32>(1000).map_input::<Complex32>(Fragment::new("length(value)"))?;
    /// # Ok::<(), wgpu_fft::Error>(())
    /// ```
    sum_abs<Ordered> -> T::Wide: Abs, Sum, Finish::Identity;

    /// Σ |x|².
    sum_squares<Float> -> T::Magnitude: Norm, Sum, Finish::Identity;

    /// The mean of |x|².
    mean_squares<Float> -> T::Magnitude: Norm, Sum, Finish::Mean(1);

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
    variance<Float> -> T::Magnitude: Identity, Moments, Finish::Variance(1);

    /// The standard deviation: the square root of the [`variance`].
    standard_deviation<Float> -> T::Magnitude: Identity, Moments, Finish::Deviation(1);

    /// √Σ |x|², the Euclidean norm, of numbers of any size: squares neither overflow nor vanish.
    norm<Float> -> T::Magnitude: Norm, Squares, Finish::Root;
}
