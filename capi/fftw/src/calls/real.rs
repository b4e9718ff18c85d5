//! Transforms of reals to reals: the basic, the advanced and the guru interface.

use std::ffi::{c_int, c_uint};
use std::ptr;

use super::guru::{Axis, axes};
use super::{Embedded, Handle, embedded, extents, list, plan, real_kind};
use crate::problem::{Kind, Problem};

/// # Safety
/// `kinds` must point to `count` of them, unless there are none.
unsafe fn kinds(count: c_int, kinds: *const c_int) -> Option<Kind> {
    // SAFETY: the caller's.
    unsafe { list(count, kinds) }?.iter().map(|&kind| real_kind(kind)).collect::<Option<_>>().map(Kind::R2r)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fftwf_plan_r2r(
    rank: c_int,
    n: *const c_int,
    input: *mut f32,
    output: *mut f32,
    kind: *const c_int,
    flags: c_uint,
) -> Handle {
    let (none, dense) = (ptr::null(), 1);
    // SAFETY: the caller's; nothing is around the arrays.
    unsafe { fftwf_plan_many_r2r(rank, n, 1, input, none, dense, 0, output, none, dense, 0, kind, flags) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fftwf_plan_r2r_1d(n: c_int, input: *mut f32, output: *mut f32, kind: c_int, flags: c_uint) -> Handle {
    // SAFETY: one axis, one extent and kind.
    unsafe { fftwf_plan_r2r(1, &n, input, output, &kind, flags) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fftwf_plan_r2r_2d(
    n0: c_int,
    n1: c_int,
    input: *mut f32,
    output: *mut f32,
    kind0: c_int,
    kind1: c_int,
    flags: c_uint,
) -> Handle {
    // SAFETY: two axes, two extents and kinds.
    unsafe { fftwf_plan_r2r(2, [n0, n1].as_ptr(), input, output, [kind0, kind1].as_ptr(), flags) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fftwf_plan_r2r_3d(
    n0: c_int,
    n1: c_int,
    n2: c_int,
    input: *mut f32,
    output: *mut f32,
    kind0: c_int,
    kind1: c_int,
    kind2: c_int,
    flags: c_uint,
) -> Handle {
    // SAFETY: three axes, three extents and kinds.
    unsafe { fftwf_plan_r2r(3, [n0, n1, n2].as_ptr(), input, output, [kind0, kind1, kind2].as_ptr(), flags) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fftwf_plan_many_r2r(
    rank: c_int,
    n: *const c_int,
    howmany: c_int,
    input: *mut f32,
    inembed: *const c_int,
    istride: c_int,
    idist: c_int,
    output: *mut f32,
    onembed: *const c_int,
    ostride: c_int,
    odist: c_int,
    kind: *const c_int,
    flags: c_uint,
) -> Handle {
    let (inputs, outputs) = ([input.cast_const(), ptr::null()], [output, ptr::null_mut()]);
    plan("fftwf_plan_many_r2r", flags, inputs, outputs, || {
        // SAFETY: the caller gives an extent and a kind for each axis, and as many of what is
        // around, or null.
        let (n, kind, around_input, around_output) = unsafe {
            (
                extents(rank, n)?,
                kinds(rank, kind)?,
                Embedded::new(rank, inembed, istride, idist)?,
                Embedded::new(rank, onembed, ostride, odist)?,
            )
        };
        embedded(kind, &n, howmany, around_input, around_output, false)
    })
}

macro_rules! guru {
    ($name:ident, $number:ty) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            rank: c_int,
            dims: *const Axis<$number>,
            howmany_rank: c_int,
            howmany_dims: *const Axis<$number>,
            input: *mut f32,
            output: *mut f32,
            kind: *const c_int,
            flags: c_uint,
        ) -> Handle {
            let (inputs, outputs) = ([input.cast_const(), ptr::null()], [output, ptr::null_mut()]);
            plan(stringify!($name), flags, inputs, outputs, || {
                // SAFETY: the caller gives so many axes and kinds.
                let (kind, dims, loops) = unsafe { (kinds(rank, kind)?, axes(rank, dims)?, axes(howmany_rank, howmany_dims)?) };
                Problem::new(kind, dims, &loops, false)
            })
        }
    };
}

guru!(fftwf_plan_guru_r2r, c_int);
guru!(fftwf_plan_guru64_r2r, isize);
