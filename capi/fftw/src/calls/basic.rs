//! Transforms of complex numbers and of reals to complex numbers: the basic and the advanced
//! interface.

use std::ffi::{c_int, c_uint};
use std::ptr;

use super::{Embedded, Handle, direction, embedded, extents, plan};
use crate::precision::Real;
use crate::problem::{Kind, Problem};

/// The one array of each side.
fn one(input: *mut Real, output: *mut Real) -> ([*const Real; 2], [*mut Real; 2]) {
    ([input, ptr::null_mut()].map(<*mut Real>::cast_const), [output, ptr::null_mut()])
}

/// Plans of dense arrays: a function for each number of axes, for a kind of transform.
macro_rules! dense {
    ($any:ident, $d1:ident, $d2:ident, $d3:ident, $($sign:ident)?, $kind:expr) => {
        #[unsafe(export_name = name!($any))]
        pub unsafe extern "C" fn $any(
            rank: c_int, n: *const c_int, input: *mut Real, output: *mut Real, $($sign: c_int,)? flags: c_uint,
        ) -> Handle {
            let (inputs, outputs) = one(input, output);
            plan(name!($any), flags, inputs, outputs, || {
                // SAFETY: the caller gives an extent for each axis.
                let n = unsafe { extents(rank, n) }?;
                embedded($kind, &n, 1, Embedded::DENSE, Embedded::DENSE, input == output)
            })
        }

        #[unsafe(export_name = name!($d1))]
        pub unsafe extern "C" fn $d1(n: c_int, input: *mut Real, output: *mut Real, $($sign: c_int,)? flags: c_uint) -> Handle {
            // SAFETY: one axis, one extent.
            unsafe { $any(1, &n, input, output, $($sign,)? flags) }
        }

        #[unsafe(export_name = name!($d2))]
        pub unsafe extern "C" fn $d2(
            n0: c_int, n1: c_int, input: *mut Real, output: *mut Real, $($sign: c_int,)? flags: c_uint,
        ) -> Handle {
            // SAFETY: two axes, two extents.
            unsafe { $any(2, [n0, n1].as_ptr(), input, output, $($sign,)? flags) }
        }

        #[unsafe(export_name = name!($d3))]
        pub unsafe extern "C" fn $d3(
            n0: c_int, n1: c_int, n2: c_int, input: *mut Real, output: *mut Real, $($sign: c_int,)? flags: c_uint,
        ) -> Handle {
            // SAFETY: three axes, three extents.
            unsafe { $any(3, [n0, n1, n2].as_ptr(), input, output, $($sign,)? flags) }
        }
    };
}

dense!(plan_dft, plan_dft_1d, plan_dft_2d, plan_dft_3d, sign, Kind::C2c(direction(sign)?));
dense!(plan_dft_r2c, plan_dft_r2c_1d, plan_dft_r2c_2d, plan_dft_r2c_3d, , Kind::R2c);
dense!(plan_dft_c2r, plan_dft_c2r_1d, plan_dft_c2r_2d, plan_dft_c2r_3d, , Kind::C2r);

/// Plans of several arrays, with strides.
macro_rules! many {
    ($name:ident, $($sign:ident)?, $kind:expr) => {
        #[unsafe(export_name = name!($name))]
        pub unsafe extern "C" fn $name(
            rank: c_int, n: *const c_int, howmany: c_int,
            input: *mut Real, inembed: *const c_int, istride: c_int, idist: c_int,
            output: *mut Real, onembed: *const c_int, ostride: c_int, odist: c_int,
            $($sign: c_int,)? flags: c_uint,
        ) -> Handle {
            let (inputs, outputs) = one(input, output);
            plan(name!($name), flags, inputs, outputs, || -> Option<Problem> {
                // SAFETY: the caller gives an extent for each axis, and as many of what is around,
                // or null.
                let (n, around_input, around_output) = unsafe {
                    (
                        extents(rank, n)?,
                        Embedded::new(rank, inembed, istride, idist)?,
                        Embedded::new(rank, onembed, ostride, odist)?,
                    )
                };
                embedded($kind, &n, howmany, around_input, around_output, input == output)
            })
        }
    };
}

many!(plan_many_dft, sign, Kind::C2c(direction(sign)?));
many!(plan_many_dft_r2c, , Kind::R2c);
many!(plan_many_dft_c2r, , Kind::C2r);
