//! Transforms of complex numbers and of reals to complex numbers: the guru interface.

use std::ffi::{c_int, c_uint};
use std::ptr;

use super::{Handle, direction, list, plan};
use crate::precision::Real;
use crate::problem::{Kind, Problem};
use crate::side::Dim;

/// `fftwf_iodim` and `fftwf_iodim64`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Axis<T> {
    pub n: T,
    pub is: T,
    pub os: T,
}

/// # Safety
/// `axes` must point to `count` of them, unless there are none.
pub unsafe fn axes<T: Copy>(count: c_int, axes: *const Axis<T>) -> Option<Vec<Dim>>
where
    isize: TryFrom<T>,
{
    let number = |value: T| isize::try_from(value).ok();
    // SAFETY: the caller's.
    let axes = unsafe { list(count, axes) }?;
    axes.iter().map(|axis| Some(Dim { n: number(axis.n)?.try_into().ok()?, input: number(axis.is)?, output: number(axis.os)? })).collect()
}

/// A plan with a list of axes and one of loops.
macro_rules! guru {
    ($name:ident, $number:ty, $split:expr, ($($input:ident),*), ($($output:ident),*), ($($sign:ident)?), $kind:expr) => {
        #[unsafe(export_name = name!($name))]
        pub unsafe extern "C" fn $name(
            rank: c_int,
            dims: *const Axis<$number>,
            howmany_rank: c_int,
            howmany_dims: *const Axis<$number>,
            $($input: *mut Real,)*
            $($output: *mut Real,)*
            $($sign: c_int,)?
            flags: c_uint,
        ) -> Handle {
            let (inputs, outputs) = (pair([$($input),*]).map(<*mut Real>::cast_const), pair([$($output),*]));
            plan(name!($name), flags, inputs, outputs, || {
                // SAFETY: the caller gives so many axes.
                let (dims, loops) = unsafe { (axes(rank, dims)?, axes(howmany_rank, howmany_dims)?) };
                Problem::new($kind, dims, &loops, $split)
            })
        }
    };
}

/// One pointer or two as two.
pub fn pair<const N: usize>(pointers: [*mut Real; N]) -> [*mut Real; 2] {
    [0, 1].map(|i| pointers.get(i).copied().unwrap_or(ptr::null_mut()))
}

guru!(plan_guru_dft, c_int, false, (input), (output), (sign), Kind::C2c(direction(sign)?));
guru!(plan_guru64_dft, isize, false, (input), (output), (sign), Kind::C2c(direction(sign)?));
guru!(plan_guru_dft_r2c, c_int, false, (input), (output), (), Kind::R2c);
guru!(plan_guru64_dft_r2c, isize, false, (input), (output), (), Kind::R2c);
guru!(plan_guru_dft_c2r, c_int, false, (input), (output), (), Kind::C2r);
guru!(plan_guru64_dft_c2r, isize, false, (input), (output), (), Kind::C2r);

// Of arrays with one part of the complex numbers each. There is no sign: for the other
// direction, the parts are given in the other order.
guru!(plan_guru_split_dft, c_int, true, (ri, ii), (ro, io), (), Kind::C2c(rustfft::FftDirection::Forward));
guru!(plan_guru64_split_dft, isize, true, (ri, ii), (ro, io), (), Kind::C2c(rustfft::FftDirection::Forward));
guru!(plan_guru_split_dft_r2c, c_int, true, (input), (ro, io), (), Kind::R2c);
guru!(plan_guru64_split_dft_r2c, isize, true, (input), (ro, io), (), Kind::R2c);
guru!(plan_guru_split_dft_c2r, c_int, true, (ri, ii), (output), (), Kind::C2r);
guru!(plan_guru64_split_dft_c2r, isize, true, (ri, ii), (output), (), Kind::C2r);
