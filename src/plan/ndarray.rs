//! Plans run on arrays of the crate `ndarray`.

use std::borrow::Cow;

use ::ndarray::{ArrayD, ArrayView, ArrayViewMut, Dimension, IxDyn};

use super::{Plan, Spec};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::gpu::Pending;
use crate::layout::Placed;
use crate::strides::dense;
use crate::text::join;

/// A [`Spec`] from one array of a shape to another, which [`Plan::run_array`] takes and returns.
pub trait Shaped: Spec {
    /// The input and the output.
    ///
    /// # Errors
    /// If the specification is not valid.
    fn arrays(&self) -> Result<[Arrangement; 2]>;
}

/// The shape of a plan's array, and where its elements are in the memory that the plan uses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arrangement {
    shape: Vec<usize>,
    strides: Vec<usize>,
    offset: usize,
}

impl Arrangement {
    /// A batch of dense arrays.
    pub(crate) fn dense(shape: &[usize], batch: usize) -> Self {
        let shape: Vec<usize> = (batch > 1).then_some(batch).into_iter().chain(shape.iter().copied()).collect();
        Self { strides: dense(&shape), shape, offset: 0 }
    }

    /// A batch of arrays in a layout. The batch is the last of `extents`.
    pub(crate) fn placed(extents: impl IntoIterator<Item = usize>, placed: &Placed) -> Self {
        let all = extents.into_iter().zip(placed.strides.iter().map(|&stride| stride as usize));
        let (mut shape, mut strides): (Vec<usize>, Vec<usize>) = all.unzip();
        // The batch is the slowest axis, and none if there is one array.
        if let (Some(batch), Some(distance)) = (shape.pop(), strides.pop())
            && batch > 1
        {
            shape.insert(0, batch);
            strides.insert(0, distance);
        }
        Self { shape, strides, offset: placed.offset as usize }
    }

    /// The extents, slowest axis first. A batch of more than one array is the first axis.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Whether elements with these strides are where this says, in an array that begins with the
    /// first.
    fn is_at(&self, strides: impl IntoIterator<Item = isize>) -> bool {
        let mut all = self.shape.iter().zip(&self.strides).zip(strides);
        self.offset == 0 && all.all(|((&extent, &own), stride)| extent == 1 || usize::try_from(stride) == Ok(own))
    }

    /// The index of each element, in the order of a dense array.
    fn places(&self) -> impl Iterator<Item = usize> + '_ {
        let (mut index, mut place) = (vec![0; self.shape.len()], self.offset);
        (0..self.shape.iter().product::<usize>()).map(move |_| {
            let own = place;
            for ((digit, &extent), &stride) in index.iter_mut().zip(&self.shape).zip(&self.strides).rev() {
                *digit += 1;
                place += stride;
                if *digit < extent {
                    break;
                }
                *digit = 0;
                place -= extent * stride;
            }
            own
        })
    }

    /// Refuses an array of another shape.
    fn check(&self, argument: &'static str, shape: &[usize]) -> Result<()> {
        if shape == self.shape() {
            return Ok(());
        }
        let text = |shape: &[usize]| if shape.is_empty() { "no axes".to_owned() } else { join(shape, "x") };
        Err(Error::WrongShape { argument, expected: text(self.shape()), actual: text(shape) })
    }

    /// The elements of an array in the order that a plan reads: where they are, if they lie so.
    fn memory<'a, T: Element, D: Dimension>(
        &self,
        argument: &'static str,
        array: &'a ArrayView<'_, T, D>,
        len: usize,
    ) -> Result<Cow<'a, [T]>> {
        self.check(argument, array.shape())?;
        let lies_so = array.as_slice_memory_order().filter(|slice| slice.len() == len && self.is_at(array.strides().iter().copied()));
        Ok(lies_so.map(Cow::Borrowed).unwrap_or_else(|| {
            let mut memory = vec![T::zeroed(); len];
            self.places().zip(array.iter()).for_each(|(place, element)| memory[place] = *element);
            Cow::Owned(memory)
        }))
    }

    /// The array that a plan has written to `memory`, dense.
    fn array<T: Element>(&self, memory: Vec<T>) -> ArrayD<T> {
        let count: usize = self.shape.iter().product();
        let is_dense = memory.len() == count && self.is_at(dense(&self.shape).into_iter().map(|stride| stride as isize));
        let elements = if is_dense { memory } else { self.places().map(|place| memory[place]).collect() };
        ArrayD::from_shape_vec(IxDyn(&self.shape), elements).expect("there are as many elements as the shape says")
    }
}

impl<S: Shaped> Plan<S> {
    /// Runs the operation on an array of the crate `ndarray` and returns the result as a new one,
    /// in standard layout, which arrives as that of [`run`](Self::run) does. It needs the feature
    /// `ndarray`.
    ///
    /// The input has the shape of the specification. If that has a batch of more than one array,
    /// the batch is a further axis, the first one. So is the output's. Axes that a reduction
    /// reduces are gone: a sum over all axes has no axes.
    ///
    /// The elements of the input may lie in memory in any way. They are copied into the order that
    /// the plan reads, unless they lie so already: in standard layout, or as an input
    /// [`Layout`](crate::Layout) without gaps says. With such a layout, arrays of column-major
    /// order need no copy either; [`Layout::of`](crate::Layout::of) gives it.
    ///
    /// ```no_run
    /// use ndarray::{Array2, Ix2};
    /// use wgpu_fft::{Complex32, Planner, fft::C2c};
    ///
    /// fn spectrum(planner: &Planner, image: &Array2<Complex32>) -> wgpu_fft::Result<Array2<Complex32>> {
    ///     let plan = planner.plan(C2c::forward(image.shape()))?;
    ///     let spectrum = plan.run_array(image.view())?.wait()?;
    ///     Ok(spectrum.into_dimensionality::<Ix2>().expect("it has the image's shape"))
    /// }
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongShape`], and those of [`run`](Self::run).
    pub fn run_array<D: Dimension>(&self, input: ArrayView<'_, S::Input, D>) -> Result<Pending<ArrayD<S::Output>>> {
        let [from, to] = self.spec.arrays()?;
        Ok(self.run(&*from.memory("input", &input, self.input_len())?)?.map(move |output| to.array(output)))
    }

    /// Runs the operation on an array of the crate `ndarray` and writes the result over another
    /// one, whose elements may lie in memory in any way. It blocks until that is done.
    ///
    /// # Errors
    /// [`Error::WrongShape`], and those of [`run_into`](Self::run_into).
    pub fn run_array_into<D: Dimension, E: Dimension>(
        &self,
        input: ArrayView<'_, S::Input, D>,
        mut output: ArrayViewMut<'_, S::Output, E>,
    ) -> Result<()> {
        let [from, to] = self.spec.arrays()?;
        to.check("output", output.shape())?;
        let memory = from.memory("input", &input, self.input_len())?;
        let len = self.output_len();
        let lies_so = to.is_at(output.strides().iter().copied());
        match output.as_slice_memory_order_mut() {
            Some(slice) if lies_so && slice.len() == len => self.run_into(&*memory, slice),
            _ => {
                let result = self.run(&*memory)?.wait()?;
                to.places().zip(output.iter_mut()).for_each(|(place, element)| *element = result[place]);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layout;

    #[test]
    fn elements_are_where_their_layout_says() {
        let placed = Layout::strides([1, 4]).batch_distance(20).offset(3).placed("x", [3, 5].into(), 2).unwrap();
        let arrangement = Arrangement::placed([3, 5, 2], &placed);
        assert_eq!(arrangement.shape(), [2, 3, 5]);
        let places: Vec<usize> = arrangement.places().collect();
        let expected: Vec<usize> = (0..30).map(|i| 3 + i / 15 * 20 + i / 5 % 3 + i % 5 * 4).collect();
        assert_eq!(places, expected);
        let array = arrangement.array((0..43u32).collect());
        assert_eq!((array.shape(), array[[1, 2, 3]]), (&[2, 3, 5][..], 3 + 20 + 2 + 12));
        assert!(Arrangement::dense(&[3, 5], 1).is_at([5, 1]) && !Arrangement::dense(&[3, 5], 1).is_at([1, 3]));
        assert!(!arrangement.is_at([20, 1, 4]), "it has an offset");
        assert_eq!(Arrangement::dense(&[], 1).places().collect::<Vec<_>>(), [0]);
    }
}
