//! All tests that need ranks, as a program for mpirun; by itself it is a job of one rank.
//!
//! ```text
//! mpirun -n 4 target/debug/deps/ranks-… --adapters llvmpipe,SwiftShader
//! ```
//!
//! Every rank runs every test. A test that fails on one fails the program; one that hangs is ended
//! by a watchdog.

mod arrays;
mod bits;
mod cancelled;
mod failures;
mod files;
mod harness;
mod memory;
mod parts;
mod reals;
mod redistribution;
mod reference;
mod shares;
mod started;

use std::process::ExitCode;

use harness::{Context, Outcome};

/// Counts allocations, for `memory`.
#[global_allocator]
static ALLOCATOR: wgpu_fft_tests::memory::Counting = wgpu_fft_tests::memory::Counting;

/// A name and what it runs.
type Test = (&'static str, fn(&Context) -> Outcome);

const TESTS: &[Test] = &[
    ("comparisons_can_fail", bits::comparisons_can_fail),
    ("shares_are_balanced", shares::shares_are_balanced),
    ("slabs_follow_one_another", shares::slabs_follow_one_another),
    ("pencils_have_two_axes", shares::pencils_have_two_axes),
    ("reports_name_everybody", shares::reports_name_everybody),
    ("batches_of_lines", bits::batches_of_lines),
    ("complex_planes", bits::complex_planes),
    ("real_planes", bits::real_planes),
    ("numbers_of_f64", bits::numbers_of_f64),
    ("volumes", bits::volumes),
    ("batches_of_several_axes", bits::batches_of_several_axes),
    ("first_axes_are_a_batch", bits::first_axes_are_a_batch),
    ("pencils", bits::pencils),
    ("pencils_of_long_lines", bits::pencils_of_long_lines),
    ("parts_of_the_callers", bits::parts_of_the_callers),
    ("boxes_for_boxes_at_random", redistribution::boxes_for_boxes_at_random),
    ("parts_of_jobs", redistribution::parts_of_jobs),
    ("wrong_redistributions", redistribution::wrong_redistributions),
    ("pieces", bits::pieces),
    ("a_picture", bits::a_picture),
    ("reals_to_reals", reals::reals_to_reals),
    ("reals_there_and_back", reals::reals_there_and_back),
    ("arrays_on_the_device", arrays::arrays_on_the_device),
    ("a_step_of_a_solver_on_the_device", arrays::a_step_of_a_solver_on_the_device),
    ("wrong_arrays_on_one_rank", arrays::wrong_arrays_on_one_rank),
    ("the_largest_number_on_the_device", arrays::the_largest_number_on_the_device),
    ("exchanges_in_f16", bits::exchanges_in_f16),
    ("started_runs", started::started_runs),
    ("long_work_beside_a_run", started::long_work_beside_a_run),
    ("one_run_at_a_time", started::one_run_at_a_time),
    ("failures_of_started_runs", started::failures_of_started_runs),
    ("runs_that_a_panic_abandons", started::runs_that_a_panic_abandons),
    ("cancelled_runs", cancelled::cancelled_runs),
    ("memory_of_the_host", memory::memory_of_the_host),
    ("rank_0_owns_the_data", bits::rank_0_owns_the_data),
    ("files_of_parts", files::files_of_parts),
    ("files_of_boxes", files::files_of_boxes),
    ("files_of_more_than_4_gib", files::files_of_more_than_4_gib),
    ("what_is_wrong_with_files", files::what_is_wrong_with_files),
    ("portable_bits", bits::portable_bits),
    ("measured_shares", bits::measured_shares),
    ("a_failure_on_any_rank_in_any_phase", failures::a_failure_on_any_rank_in_any_phase),
    ("a_device_that_never_answers", failures::a_device_that_never_answers),
    ("a_rank_that_does_not_answer", failures::a_rank_that_does_not_answer),
    ("different_requests", failures::different_requests),
    ("different_calls", failures::different_calls),
    ("nonsense", failures::nonsense),
    ("no_adapter_on_one_rank", failures::no_adapter_on_one_rank),
];

fn main() -> ExitCode {
    harness::run(TESTS)
}
