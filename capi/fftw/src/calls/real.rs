//! Transforms of reals to reals: the basic, the advanced and the guru interface.

use std::ffi::{c_int, c_uint};
use std::ptr;

use super::guru::{Axis, axes};
use super::{Embedded, Handle, embedded, extents, list, plan, real_kind};
use crate::precision::Real;
use crate::problem::{Kind, Problem};

/// # Safety
/// `kinds` must point to `count` of them, unless there are none.
unsafe fn kinds(count: c_int, kinds: *const c_int) -> Option<Kind> {
    // SAFETY: the caller's.
    unsafe { list(count, kinds) }?.iter().map(|&kind| real_kind(kind)).collect::<Option<_>>().map(Kind::R2r)
}

#[unsafe(export_name = name!(plan_r2r))]
pub unsafe extern "C" fn plan_r2r(
    rank: c_int,
    n: *const c_int,
    input: *mut Real,
    output: *mut Real,
    kind: *const c_int,
    flags: c_uint,
) -> Handle {
    let (none, dense) = (ptr::null(), 1);
    // SAFETY: the caller's; nothing is around the arrays.
    unsafe { plan_many_r2r(rank, n, 1, input, none, dense, 0, output, none, dense, 0, kind, flags) }
}

#[unsafe(export_name = name!(plan_r2r_1d))]
pub unsafe extern "C" fn plan_r2r_1d(n: c_int, input: *mut Real, output: *mut Real, kind: c_int, flags: c_uint) -> Handle {
    // SAFETY: one axis, one extent and kind.
    unsafe { plan_r2r(1, &n, input, output, &kind, flags) }
}

#[unsafe(export_name = name!(plan_r2r_2d))]
pub unsafe extern "C" fn plan_r2r_2d(
    n0: c_int,
    n1: c_int,
    input: *mut Real,
    output: *mut Real,
    kind0: c_int,
    kind1: c_int,
    flags: c_uint,
) -> Handle {
    // SAFETY: two axes, two extents and kinds.
    unsafe { plan_r2r(2, [n0, n1].as_ptr(), input, output, [kind0, kind1].as_ptr(), flags) }
}

#[unsafe(export_name = name!(plan_r2r_3d))]
pub unsafe extern "C" fn plan_r2r_3d(
    n0: c_int,
    n1: c_int,
    n2: c_int,
    input: *mut Real,
    output: *mut Real,
    kind0: c_int,
    kind1: c_int,
    kind2: c_int,
    flags: c_uint,
) -> Handle {
    // SAFETY: three axes, three extents and kinds.
    unsafe { plan_r2r(3, [n0, n1, n2].as_ptr(), input, output, [kind0, kind1, kind2].as_ptr(), flags) }
}

#[unsafe(export_name = name!(plan_many_r2r))]
pub unsafe extern "C" fn plan_many_r2r(
    rank: c_int,
    n: *const c_int,
    howmany: c_int,
    input: *mut Real,
    inembed: *const c_int,
    istride: c_int,
    idist: c_int,
    output: *mut Real,
    onembed: *const c_int,
    ostride: c_int,
    odist: c_int,
    kind: *const c_int,
    flags: c_uint,
) -> Handle {
    let (inputs, outputs) = ([input.cast_const(), ptr::null()], [output, ptr::null_mut()]);
    plan(name!(plan_many_r2r), flags, inputs, outputs, || {
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
        #[unsafe(export_name = name!($name))]
        pub unsafe extern "C" fn $name(
            rank: c_int,
            dims: *const Axis<$number>,
            howmany_rank: c_int,
            howmany_dims: *const Axis<$number>,
            input: *mut Real,
            output: *mut Real,
            kind: *const c_int,
            flags: c_uint,
        ) -> Handle {
            let (inputs, outputs) = ([input.cast_const(), ptr::null()], [output, ptr::null_mut()]);
            plan(name!($name), flags, inputs, outputs, || {
                // SAFETY: the caller gives so many axes and kinds.
                let (kind, dims, loops) = unsafe { (kinds(rank, kind)?, axes(rank, dims)?, axes(howmany_rank, howmany_dims)?) };
                Problem::new(kind, dims, &loops, false)
            })
        }
    };
}

guru!(plan_guru_r2r, c_int);
guru!(plan_guru64_r2r, isize);
