//! Running plans, and destroying them.

use super::Handle;
use super::guru::pair;
use crate::guard::{self, guarded};
use crate::process;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fftwf_execute(plan: Handle) {
    guarded("fftwf_execute", (), || {
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
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(plan: Handle, $($input: *mut f32,)* $($output: *mut f32),*) {
            guarded(stringify!($name), (), || {
                let (inputs, outputs) = (pair([$($input),*]).map(<*mut f32>::cast_const), pair([$($output),*]));
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

execute!(fftwf_execute_dft, (input), (output));
execute!(fftwf_execute_dft_r2c, (input), (output));
execute!(fftwf_execute_dft_c2r, (input), (output));
execute!(fftwf_execute_r2r, (input), (output));
execute!(fftwf_execute_split_dft, (ri, ii), (ro, io));
execute!(fftwf_execute_split_dft_r2c, (input), (ro, io));
execute!(fftwf_execute_split_dft_c2r, (ri, ii), (output));

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fftwf_destroy_plan(plan: Handle) {
    guarded("fftwf_destroy_plan", (), || {
        if !plan.is_null() {
            // SAFETY: the caller gives a plan of ours, and does not use it again.
            process::give_back(unsafe { Box::from_raw(plan) });
        }
    });
}
