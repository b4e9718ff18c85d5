//! Running plans, and destroying them.

use super::Handle;
use super::guru::pair;
use crate::guard::{self, guarded};
use crate::precision::Real;
use crate::process;

#[unsafe(export_name = name!(execute))]
pub unsafe extern "C" fn execute(plan: Handle) {
    guarded(name!(execute), (), || {
        // SAFETY: the caller gives a plan of ours or NULL, and has its arrays.
        match unsafe { plan.as_ref() } {
            Some(plan) => unsafe { plan.execute_own() },
            None => guard::failed("the plan is NULL"),
        }
    });
}

/// Executes a plan on other arrays.
macro_rules! execute {
    ($name:ident, ($($input:ident),*), ($($output:ident),*)) => {
        #[unsafe(export_name = name!($name))]
        pub unsafe extern "C" fn $name(plan: Handle, $($input: *mut Real,)* $($output: *mut Real),*) {
            guarded(name!($name), (), || {
                let (inputs, outputs) = (pair([$($input),*]).map(<*mut Real>::cast_const), pair([$($output),*]));
                // SAFETY: the caller gives a plan of ours or NULL, and arrays like those that it
                // was made for.
                match unsafe { plan.as_ref() } {
                    Some(plan) => unsafe { plan.execute(inputs, outputs) },
                    None => guard::failed("the plan is NULL"),
                }
            });
        }
    };
}

execute!(execute_dft, (input), (output));
execute!(execute_dft_r2c, (input), (output));
execute!(execute_dft_c2r, (input), (output));
execute!(execute_r2r, (input), (output));
execute!(execute_split_dft, (ri, ii), (ro, io));
execute!(execute_split_dft_r2c, (input), (ro, io));
execute!(execute_split_dft_c2r, (ri, ii), (output));

#[unsafe(export_name = name!(destroy_plan))]
pub unsafe extern "C" fn destroy_plan(plan: Handle) {
    guarded(name!(destroy_plan), (), || {
        if !plan.is_null() {
            // SAFETY: the caller gives a plan of ours, and does not use it again.
            process::give_back(unsafe { Box::from_raw(plan) });
        }
    });
}
