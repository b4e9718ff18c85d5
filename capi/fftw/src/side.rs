//! Where the numbers of an array are in the caller's memory, and moving them from there into a
//! dense array and back.
//!
//! Arrays go to the device as dense rows, whatever strides the caller has. They are copied on their
//! way in any case, and so nothing crosses the bus but what is transformed.

use crate::precision::Real;

/// One axis of a problem. Strides count elements of each side's array, and may be negative.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dim {
    pub n: usize,
    pub input: isize,
    pub output: isize,
}

/// Bytes of a number.
const REAL: usize = size_of::<Real>();
const COMPLEX: usize = 2 * REAL;

/// What an element of an array is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    Real,
    /// A complex number, whose parts are neighbours.
    Complex,
    /// A complex number, whose parts are in two arrays.
    Split,
}

/// One side of a problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Side {
    pub form: Form,
    /// Extents and strides, from the slowest axis of the dense array to the fastest. None of the
    /// extents is 1, and no two axes could be one.
    axes: Vec<(usize, isize)>,
    /// The number of elements.
    len: usize,
}

impl Side {
    /// An array with these extents and strides; nothing if it could not be in any memory.
    pub fn new(form: Form, axes: impl IntoIterator<Item = (usize, isize)>) -> Option<Self> {
        let (mut simple, mut len) = (Vec::<(usize, isize)>::new(), 1_usize);
        for (n, stride) in axes {
            len = len.checked_mul(n)?;
            match simple.last_mut() {
                _ if n == 1 => {}
                Some((outer, outer_stride)) if Some(*outer_stride) == stride.checked_mul(n as isize) => {
                    (*outer, *outer_stride) = (*outer * n, stride);
                }
                _ => simple.push((n, stride)),
            }
        }
        let side = Self { form, axes: simple, len };
        len.checked_mul(COMPLEX).filter(|&bytes| bytes < isize::MAX as usize)?;
        if len > 0 {
            side.reach()?;
        }
        Some(side)
    }

    /// The number of reals in the dense array.
    pub fn dense_len(&self) -> usize {
        if self.form == Form::Real { self.len } else { 2 * self.len }
    }

    /// Whether the caller's array is the dense array already.
    pub fn is_dense(&self) -> bool {
        self.form != Form::Split && matches!(self.axes[..], [] | [(_, 1)])
    }

    /// The lowest and the highest index that the array reaches, if it has elements.
    fn reach(&self) -> Option<(isize, isize)> {
        let (mut low, mut high) = (0_isize, 0_isize);
        for &(n, stride) in &self.axes {
            let last = stride.checked_mul(isize::try_from(n).ok()? - 1)?;
            let end = if last < 0 { &mut low } else { &mut high };
            *end = end.checked_add(last)?;
        }
        // In bytes it must be countable as well.
        let bytes = |index: isize| index.checked_mul(COMPLEX as isize);
        (bytes(low).is_some() && bytes(high).is_some_and(|bytes| bytes < isize::MAX - COMPLEX as isize)).then_some((low, high))
    }

    /// The bytes that the array of elements of `bytes` at `base` may use: the addresses of the
    /// first and of the one behind the last.
    fn bytes_from(&self, base: usize, bytes: usize) -> (usize, usize) {
        let (low, high) = self.reach().unwrap_or_default();
        let at = |index: isize| base.wrapping_add_signed(index * bytes as isize);
        (at(low), at(high).wrapping_add(bytes))
    }

    /// Whether two arrays may have memory in common. `bases` are the pointers of each.
    pub fn overlaps<P, Q>(&self, own: [*const P; 2], other: &Self, others: [*mut Q; 2]) -> bool {
        let own = self.memory([own[0].addr(), own[1].addr()]);
        let others = other.memory([others[0].addr(), others[1].addr()]);
        own.iter().any(|a| others.iter().any(|b| a.0 < b.1 && b.0 < a.1))
    }

    fn memory(&self, bases: [usize; 2]) -> Vec<(usize, usize)> {
        match self.form {
            Form::Real => vec![self.bytes_from(bases[0], REAL)],
            Form::Complex => vec![self.bytes_from(bases[0], COMPLEX)],
            Form::Split => bases.iter().map(|&base| self.bytes_from(base, REAL)).collect(),
        }
    }

    /// How many pointers the array has.
    pub fn pointers(&self) -> usize {
        if self.form == Form::Split { 2 } else { 1 }
    }

    /// Copies the caller's array into the dense array.
    ///
    /// # Safety
    /// Every element of the array from the first of `bases` on, and from the second one of a split
    /// array, must be valid for reads, and nobody may write them meanwhile.
    pub unsafe fn gather(&self, bases: [*const Real; 2], dense: &mut [Real]) {
        assert_eq!(dense.len(), self.dense_len());
        let to = dense.as_mut_ptr();
        // SAFETY: the contract, and the length above.
        unsafe {
            match self.form {
                Form::Real => self.gather_elements(bases[0], to, 1),
                Form::Complex => self.gather_elements(bases[0].cast::<[Real; 2]>(), to.cast(), 1),
                Form::Split => (0..2).for_each(|part| self.gather_elements(bases[part], to.add(part), 2)),
            }
        }
    }

    /// Copies the dense array into the caller's, and leaves alone what is between its elements.
    ///
    /// # Safety
    /// As [`gather`](Self::gather), for writes.
    pub unsafe fn scatter(&self, dense: &[Real], bases: [*mut Real; 2]) {
        assert_eq!(dense.len(), self.dense_len());
        let from = dense.as_ptr();
        // SAFETY: the contract, and the length above.
        unsafe {
            match self.form {
                Form::Real => self.scatter_elements(from, bases[0], 1),
                Form::Complex => self.scatter_elements(from.cast::<[Real; 2]>(), bases[0].cast(), 1),
                Form::Split => (0..2).for_each(|part| self.scatter_elements(from.add(part), bases[part], 2)),
            }
        }
    }

    /// Elements from the caller's array to every `step`th of the dense one.
    unsafe fn gather_elements<T: Copy>(&self, base: *const T, dense: *mut T, step: usize) {
        // SAFETY: the caller's.
        self.runs(|run, at| unsafe { copy(run.n, base.offset(run.first), run.stride, dense.add(at * step), step as isize) });
    }

    /// The way back.
    unsafe fn scatter_elements<T: Copy>(&self, dense: *const T, base: *mut T, step: usize) {
        // SAFETY: the caller's.
        self.runs(|run, at| unsafe { copy(run.n, dense.add(at * step), step as isize, base.offset(run.first), run.stride) });
    }

    /// Visits the runs along the fastest axis in the order of the dense array, each with the index
    /// of its first element there.
    fn runs(&self, mut visit: impl FnMut(Run, usize)) {
        let Some((&(n, stride), outer)) = self.axes.split_last() else {
            return visit(Run { n: 1, first: 0, stride: 1 }, 0);
        };
        let (mut index, mut first) = (vec![0; outer.len()], 0);
        for row in 0..self.len.checked_div(n).unwrap_or(0) {
            visit(Run { n, first, stride }, row * n);
            // The next row: as an odometer counts.
            for (digit, &(extent, step)) in index.iter_mut().zip(outer).rev() {
                *digit += 1;
                first += step;
                if *digit < extent {
                    break;
                }
                first -= step * extent as isize;
                *digit = 0;
            }
        }
    }
}

/// Elements at equal distances in the caller's array.
#[derive(Clone, Copy)]
struct Run {
    n: usize,
    first: isize,
    stride: isize,
}

/// Copies elements at equal distances.
///
/// # Safety
/// All of `from` must be valid for reads and all of `to` for writes, and no element may be both.
unsafe fn copy<T: Copy>(n: usize, from: *const T, from_stride: isize, to: *mut T, to_stride: isize) {
    if (from_stride, to_stride) == (1, 1) {
        // SAFETY: the contract.
        return unsafe { to.copy_from_nonoverlapping(from, n) };
    }
    for i in 0..n as isize {
        // SAFETY: the contract.
        unsafe { *to.offset(i * to_stride) = *from.offset(i * from_stride) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All elements by their definition, one by one.
    fn by_definition(axes: &[(usize, isize)]) -> Vec<isize> {
        axes.iter().fold(vec![0], |firsts, &(n, stride)| {
            firsts.iter().flat_map(|first| (0..n as isize).map(move |i| first + i * stride)).collect()
        })
    }

    const LAYOUTS: [&[(usize, isize)]; 9] = [
        &[],
        &[(1, 7)],
        &[(5, 1)],
        &[(5, 3)],
        &[(3, 5), (5, 1)],
        &[(4, 1), (3, 4)],
        &[(2, 40), (3, -5), (1, 99), (4, -1)],
        &[(3, 0), (2, 1)],
        &[(2, 12), (0, 3), (4, 1)],
    ];

    #[test]
    fn elements_are_gathered_in_order_and_scattered_back() {
        for axes in LAYOUTS {
            let indices = by_definition(axes);
            for form in [Form::Real, Form::Complex, Form::Split] {
                let side = Side::new(form, axes.iter().copied()).unwrap();
                let memory: [Vec<Real>; 2] = [0.0, 1000.0].map(|first| (0..400).map(|i| first + i as Real).collect());
                let bases = [0, 1].map(|i| memory[i][200..].as_ptr());
                let expected: Vec<Real> = indices
                    .iter()
                    .flat_map(|&i| match form {
                        Form::Real => vec![(200 + i) as Real],
                        Form::Complex => vec![(200 + 2 * i) as Real, (201 + 2 * i) as Real],
                        Form::Split => vec![(200 + i) as Real, (1200 + i) as Real],
                    })
                    .collect();
                let mut dense = vec![-1.0; side.dense_len()];
                // SAFETY: no layout reaches further than 100 elements either way, and pairs 200.
                unsafe { side.gather(bases, &mut dense) };
                assert_eq!(dense, expected, "{form:?} {axes:?}");

                let mut back = [vec![-1.0; 400], vec![-1.0; 400]];
                let bases = back.each_mut().map(|memory| memory[200..].as_mut_ptr());
                // SAFETY: as above.
                unsafe { side.scatter(&dense, bases) };
                for (value, memory) in back.iter().zip(&memory).flat_map(|(back, memory)| back.iter().zip(memory)) {
                    assert!(*value == -1.0 || value == memory, "{form:?} {axes:?}");
                }
                let written = back.iter().flatten().filter(|value| **value != -1.0).count();
                let mut distinct = indices.clone();
                distinct.sort_unstable();
                distinct.dedup();
                assert_eq!(written, distinct.len() * side.dense_len() / indices.len().max(1), "{form:?} {axes:?}");
            }
        }
    }

    #[test]
    fn dense_arrays_are_known() {
        let dense = |axes: &[(usize, isize)]| Side::new(Form::Complex, axes.iter().copied()).unwrap().is_dense();
        assert!(dense(&[]) && dense(&[(7, 1)]) && dense(&[(3, 20), (4, 5), (1, 3), (5, 1)]));
        assert!(!dense(&[(7, 2)]) && !dense(&[(3, 6), (5, 1)]) && !dense(&[(5, 1), (3, 5)]));
        assert!(!Side::new(Form::Split, [(7, 1)]).unwrap().is_dense());
    }

    #[test]
    fn arrays_beyond_all_memory_are_refused() {
        assert_eq!(Side::new(Form::Real, [(usize::MAX, 1)]), None);
        assert_eq!(Side::new(Form::Real, [(1 << 40, 1 << 40), (1 << 40, 1)]), None);
        assert_eq!(Side::new(Form::Complex, [(2, isize::MAX / 4)]), None);
        assert_eq!(Side::new(Form::Real, [(3, isize::MIN / 2)]), None);
    }

    #[test]
    fn overlaps_are_found() {
        let memory: [Real; 64] = [0.0; 64];
        let at = |i: usize| [memory[i..].as_ptr(); 2];
        let to = |i: usize| [memory[i..].as_ptr().cast_mut(); 2];
        let rows = Side::new(Form::Real, [(8, 1)]).unwrap();
        assert!(rows.overlaps(at(0), &rows, to(7)) && !rows.overlaps(at(0), &rows, to(8)));
        let backwards = Side::new(Form::Complex, [(8, -1)]).unwrap();
        assert!(rows.overlaps(at(0), &backwards, to(20)) && !rows.overlaps(at(0), &backwards, to(22)));
    }
}
