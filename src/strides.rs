//! Strided dimensions, and how to join them.

/// A dimension that an input and an output share: its extent, and its strides on both sides. FFTW
/// calls this an `iodim`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct IoDim {
    pub extent: u32,
    pub strides: [u32; 2],
}

/// A dimension that [`joined`] can join with its neighbours.
pub(crate) trait Strided {
    fn extent(&mut self) -> &mut u32;

    /// How much one step along it adds to each address, or to any other sum that its index is part
    /// of. `None` if steps do not always add the same.
    fn strides(&self) -> Option<impl AsRef<[u32]>>;
}

impl Strided for IoDim {
    fn extent(&mut self) -> &mut u32 {
        &mut self.extent
    }

    fn strides(&self) -> Option<impl AsRef<[u32]>> {
        Some(self.strides)
    }
}

/// The dimensions without those of extent 1. Two neighbours are joined if the second continues
/// where the first ends, in all strides.
pub(crate) fn joined<D: Strided>(dims: impl IntoIterator<Item = D>) -> Vec<D> {
    let mut joined: Vec<D> = Vec::new();
    for mut dim in dims {
        let extent = *dim.extent();
        if extent == 1 {
            continue;
        }
        match joined.last_mut().and_then(|last| goes_on(last, &dim).then_some(last)) {
            Some(last) => *last.extent() *= extent,
            None => joined.push(dim),
        }
    }
    joined
}

fn goes_on<D: Strided>(first: &mut D, second: &D) -> bool {
    let extent = u64::from(*first.extent());
    let (Some(first), Some(second)) = (first.strides(), second.strides()) else { return false };
    first.as_ref().iter().zip(second.as_ref()).all(|(&first, &second)| u64::from(first) * extent == u64::from(second))
}

/// One more than the largest index on a side: 0 for input, 1 for output.
pub(crate) fn reach(dims: &[IoDim], side: usize) -> u64 {
    dims.iter().map(|dim| u64::from(dim.extent - 1) * u64::from(dim.strides[side])).sum::<u64>() + 1
}

/// The strides of a dense array with these extents, slowest dimension first.
pub(crate) fn dense(extents: &[usize]) -> Vec<usize> {
    let mut strides = vec![1usize; extents.len()];
    for i in (1..extents.len()).rev() {
        strides[i - 1] = strides[i].saturating_mul(extents[i]);
    }
    strides
}

/// The index in memory of element `i`, for dimensions given as (extent, stride), fastest first.
pub(crate) fn place(dims: impl IntoIterator<Item = (usize, usize)>, i: usize) -> usize {
    let mut rest = i;
    let along = |(extent, stride): (usize, usize)| {
        let index = rest % extent;
        rest /= extent;
        index * stride
    };
    dims.into_iter().map(along).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_joined_if_all_strides_go_on() {
        let dim = |extent, input, output| IoDim { extent, strides: [input, output] };
        // In a reduction, a reduced dimension has stride 0 in the output.
        assert_eq!(joined([dim(3, 1, 0), dim(1, 3, 1), dim(4, 3, 0), dim(5, 12, 1)]), [dim(12, 1, 0), dim(5, 12, 1)]);
        // They continue on one side only.
        assert_eq!(joined([dim(3, 1, 1), dim(4, 3, 4)]), [dim(3, 1, 1), dim(4, 3, 4)]);
        assert_eq!(joined([dim(1, 7, 7)]), []);
        // A product of extent and stride that overflows a u32 is not mistaken for a stride of 0.
        assert_eq!(joined([dim(1 << 16, 1 << 16, 0), dim(2, 0, 0)]).len(), 2);
    }

    #[test]
    fn elements_of_dense_arrays_lie_where_they_are_counted() {
        let extents = [3, 4, 5];
        let strides = dense(&extents);
        assert_eq!(strides, [20, 5, 1]);
        assert!((0..60).all(|i| place(extents.into_iter().zip(strides.iter().copied()).rev(), i) == i));
    }
}
