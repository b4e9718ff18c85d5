//! Tests that run on every adapter found, each under the adapter's name.
//!
//! Without an adapter they are listed as ignored, with the reason. With WGPU_FFT_REQUIRE_GPU=1 that
//! is a failure. `WGPU_FFT_LIMITS=webgpu`, `downlevel` or `tiny` opens devices with smaller limits,
//! and `WGPU_FFT_VALIDATION=1` makes any message of a validation layer a failure.
//!
//! There are two runs. A plain one is for each change: where compiling takes long, it takes a share
//! of long lists of alike cases, leaves some tests out, and on SwiftShader most of them
//! (`schedule.rs`). `WGPU_FFT_THOROUGH=1` is the thorough run, with everything on every adapter.
//! GPUs always have everything. What a run leaves out is listed as ignored, and counted at its end;
//! `--include-ignored` runs such tests with the short lists.
//!
//! Trials that take long start first, by the times in `durations.txt`. `WGPU_FFT_DURATIONS=1`
//! renews that file.

mod advice;
mod arithmetic;
mod calls;
mod cases;
mod convolve;
mod divide;
mod drivers;
mod dynamic;
mod endurance;
mod f64;
mod f64_by_f32;
mod failures;
mod faults;
mod fft_axes;
mod fft_lanes;
mod fft_large;
mod fft_laws;
mod fft_layouts;
mod fft_lengths;
mod fft_real;
mod fft_recipes;
mod filter;
mod first_use;
mod fragments;
mod half_numbers;
mod harness;
mod inline;
mod known;
mod laws_of_kinds;
mod lifetimes;
mod messages;
mod numpy;
mod oracles;
mod paper;
mod queued;
mod real_kinds;
mod reduce;
mod same_bits;
mod schedule;
mod signal;
mod spectra;
mod stft;
mod stream;
mod suspect;
mod textures;
mod transfers;
mod transpose;
mod tuning;
mod unhappy;
mod verify;
mod waits;
mod workspaces;

use std::process::ExitCode;
use std::time::Duration;
use wgpu_fft_tests::{
    bits, calls as sequences, division, double, filters, frames, grids, halves, inlines, lists, numpy as numpy_results,
    oracles as oracles_by_fftw, paper as paper_kernels, permute, progress, real_kinds as real_kinds_by_definition,
    recipes as recipes_by_hand, reductions, reference, rings, rolls, sanitized, shifts, transforms as transform_cases, variants,
};

use harness::{Device, find_devices, seed};
use libtest_mimic::{Arguments, Trial};
use progress::trial;
use schedule::Left;

/// So many tests are named after a run, if they took this long.
const SLOWEST: usize = 20;
const SLOW: Duration = Duration::from_secs(3);

type DeviceTest = (&'static str, fn(&Device));

/// Pairs of a test's name and its function.
macro_rules! tests {
    ($($module:ident::{$($name:ident),* $(,)?})*) => {
        vec![$($((concat!(stringify!($module), "::", stringify!($name)), $module::$name)),*),*]
    };
}

fn per_device() -> Vec<DeviceTest> {
    tests! {
        fft_lengths::{
            every_short_length,
            long_lengths,
            many_long_rows,
        }
        fft_axes::{
            two_axes_in_every_placement,
            three_axes_and_subsets,
            many_rows,
            random_shapes,
        }
        fft_real::{
            lengths_of_reals,
            two_and_three_axes_of_reals,
            imaginary_parts_of_the_own_mirror_images_do_not_matter,
            forward_and_inverse_of_reals_lead_back,
            rows_stay_apart,
        }
        real_kinds::{
            scipys_results,
            several_axes_of_reals,
            kinds_and_their_inverses_lead_back,
            recipes_of_real_kinds_agree,
        }
        inline::{
            transforms_inside_other_shaders,
            shaders_of_strangers,
        }
        numpy::{
            numpys_results,
        }
        laws_of_kinds::{
            complex_transforms,
            real_transforms,
            reals_to_reals,
        }
        oracles::{
            fftws_results,
            fftws_results_in_f64,
            layouts_of_rocfft,
        }
        fft_layouts::{
            every_pair_of_layouts,
            recipes_by_hand_with_layouts,
            some_axes_of_a_layout,
            reals_with_layouts,
            what_lies_between_is_seen,
        }
        fft_large::{
            arrays_around_one_binding,
            around_two_to_the_24,
            laws_at_a_large_size,
        }
        fft_laws::{
            forward_and_inverse_lead_back,
            not_a_number_stays_in_its_row,
            equal_plans_give_equal_bits,
        }
        fft_lanes::{
            lanes_by_hand,
            halves_by_hand,
        }
        f64_by_f32::{
            lengths_in_f64_by_f32,
            several_axes_in_f64_by_f32,
            recipes_by_hand_in_f64_by_f32,
            real_kinds_in_f64_by_f32,
            the_probe_runs_once_for_a_device,
        }
        f64::{
            lengths_in_f64,
            several_axes_in_f64,
            recipes_by_hand_in_f64,
            devices_without_f64_say_so,
        }
        dynamic::{
            bytes_have_the_results_of_the_types,
            arrays_on_the_device_are_bytes,
        }
        fft_recipes::{
            complex_recipes_by_hand,
            real_recipes_by_hand,
        }
        half_numbers::{
            accesses_of_two_numbers_keep_every_bit,
            they_round_once,
            long_ones_round_once,
            errors_are_bounded,
            special_values_are_rounded,
        }
        fragments::{
            padded_and_cropped,
            pictures_of_bytes_become_decibels,
            indices_and_frequencies,
            reductions_map_what_they_load,
            reductions_map_their_results,
            half_spectra_are_filtered,
            arrays_and_uniforms_are_bound_by_name,
            what_is_bound_wrongly_is_refused,
            plans_with_fragments_are_kept_apart,
            indices_of_fragments_are_checked_where_they_must_be,
            fragments_are_tuned_and_remembered,
            permutations_map_their_elements,
            permutations_with_fragments_are_tuned,
        }
        textures::{
            texels_are_loaded,
            texels_are_stored,
            plans_of_textures_agree_with_plans_of_arrays,
            results_are_textures,
            layers_volumes_and_parts,
            numbers_of_srgb_are_linear_or_as_stored,
            limits_of_buffers_are_not_those_of_textures,
            wrong_textures_are_refused,
            textures_of_other_devices_are_errors,
            textures_of_another_instance_are_refused_or_read_within,
        }
        arithmetic::{
            drivers_compute_what_the_interpreter_does,
        }
        same_bits::{
            parts_give_the_bits_of_the_whole,
            axes_together_give_the_bits_of_axes_apart,
            other_arithmetic_gives_other_bits,
        }
        transpose::{
            every_variant_is_exact_at_every_kind_of_size,
            pictures_like_full_hd_are_exact_in_every_variant,
            folded_grids_reach_every_element,
            the_worked_example_is_transposed,
            random_shapes_are_exact,
            every_order_of_axes,
            tiny_and_narrow_shapes,
            layouts_and_what_lies_between,
            square_matrices_in_place,
            recipes_by_hand,
            pictures_of_bytes_are_exact,
            folded_grids_of_permutations,
            arrays_larger_than_a_binding,
            random_permutations_are_exact,
        }
        reduce::{
            every_kind_of_axes,
            every_kind_of_axes_across_devices,
            every_kind_of_axes_in_every_place,
            variances_of_values_far_from_zero,
            channels_of_a_picture,
            means_of_values_far_from_zero,
            means_of_the_channels_of_a_picture,
            recipes_by_hand,
            every_length_around_the_thresholds,
            four_mebi_elements_take_three_passes,
            no_workgroup_is_lost_past_one_axis_of_the_grid,
            arrays_around_one_binding,
            not_a_number_goes_through,
            ill_conditioned_sums_keep_their_bound,
            results_stay_on_the_device,
            two_inputs_are_asked_for,
            expressions_with_errors_are_refused,
            random_shapes,
        }
        filter::{
            every_edge_and_parity,
            recipes_by_hand,
            sizes_ranks_and_bytes,
            a_large_picture_keeps_the_bound,
            random_filters,
        }
        divide::{
            pieces_have_the_bits_of_the_whole,
            pieces_of_long_arrays_have_the_bits_of_the_whole,
        }
        convolve::{
            convolutions_by_scipy,
            sums_over_channels,
        }
        signal::{
            arrays_are_shifted_along_every_axis,
            folded_grids_of_shifts,
            shifts_in_several_bindings,
            filters_delays_and_analytic_signals,
            rings_of_spectra,
            radial_power_of_a_picture,
            shifts_between_pictures,
        }
        spectra::{
            zooms_into_bands,
            spectra_at_frequencies,
            resampled_signals_and_pictures,
        }
        stft::{
            spectra_of_frames_there_and_back,
            spectrograms_in_decibels,
            power_spectra_of_segments,
        }
        stream::{
            blocks_give_the_whole_convolution,
            long_kernels_in_partitions,
            kernels_may_be_exchanged_at_any_time,
            what_is_no_number_is_forgotten,
            wrong_streams_are_refused,
            frames_come_as_they_complete,
        }
        lifetimes::{
            guests_have_bounds_checks_if_they_ask,
            fresh_buffers_give_fresh_results,
            batches_of_different_sizes_do_not_mix,
            the_same_plan_is_made_once,
            slices_are_parts_of_arrays,
            labels_reach_wgpu,
            bound_plans_chain_in_the_callers_pass,
            threads_share_a_planner,
            results_can_be_awaited_together,
            steps_are_timed_where_the_device_can,
            small_devices_are_enough,
            tiny_devices_are_enough_for_most,
            small_elements_come_back,
        }
        endurance::{
            eight_threads_get_the_bits_of_one,
            a_planner_keeps_as_many_plans_as_it_has_room_for,
            a_planner_keeps_as_many_bytes_of_pipelines_as_it_has_room_for,
            many_transforms_take_no_more_memory_than_some,
            futures_do_not_block_who_polls_them,
        }
        advice::{estimates_grow_with_work_and_way}
        calls::{
            random_sequences,
        }
        faults::{
            every_step_may_be_refused,
            the_device_may_be_lost_at_every_step,
            the_device_may_fall_silent_at_every_step,
            the_callers_handlers_replace_ours,
        }
        verify::{
            right_results_are_found_right,
            wrong_results_are_found,
            the_error_names_the_driver_and_what_to_do,
            every_nth_run_is_verified,
        }
        waits::{
            a_device_that_never_answers_is_an_error_of_every_wait,
            a_busy_device_has_time_while_it_shows_progress,
            limits_on_waits_are_set,
        }
        drivers::{
            loops_of_many_turns_end_where_they_should,
        }
        transfers::{
            results_go_into_the_callers_memory,
            every_length_around_the_ends_of_pieces,
            uploads_and_downloads_of_every_length,
            what_is_written_later_is_not_downloaded,
            wrong_lengths_leave_the_output_as_it_was,
            buffers_are_kept_for_the_next_run,
            nothing_of_an_earlier_run_is_seen,
            threads_run_into_memory_of_their_own,
            results_come_in_any_order,
            arrays_are_mapped_where_the_device_can,
            a_lost_device_is_an_error_of_every_transfer,
        }
        queued::{
            all_happens_in_the_order_of_the_calls,
            threads_queue_side_by_side,
            nothing_is_lost_with_the_handle,
            errors_of_a_submission_name_their_call,
            errors_of_the_thread_name_their_call,
            callers_may_queue_when_they_go,
            what_is_refused_together_may_run_apart,
            copies_that_cannot_be_queued_say_why,
        }
        workspaces::{
            plans_that_share_give_the_bits_of_plans_alone,
            workspaces_grow_under_their_plans,
            workspaces_in_the_callers_buffers,
            workspaces_that_do_not_do_say_why,
        }
        first_use::{
            plans_are_made_aside_and_warmed_up,
            threads_that_plan_the_same_share_one_plan,
            threads_that_plan_different_transforms_get_their_own,
            a_planner_can_be_cleared_while_others_plan,
            compiled_pipelines_are_kept_in_a_file,
            guests_keep_compiled_pipelines_too,
            a_file_that_is_no_good_is_ignored_and_replaced,
            what_is_no_regular_file_is_neither_read_nor_replaced,
            what_cannot_be_saved_is_an_error_with_the_path,
            a_lost_device_saves_nothing,
        }
        paper::{
            the_product_is_right_in_every_shape,
            the_resize_is_right_in_every_shape,
        }
        tuning::{
            recipes_at_fault_never_win,
            a_wrong_baseline_decides_nothing,
            one_slow_run_dismisses_no_recipe,
            a_recipe_that_kills_the_process_is_not_tried_again,
            what_was_measured_is_right_and_remembered,
            without_time_the_estimate_stays,
            cancelled_searches_end,
            guests_are_measured_within_their_limits,
            entries_that_do_not_hold_are_not_used,
            again_measures_what_is_recorded,
            coefficients_of_a_record_are_what_the_rules_go_by,
            coefficients_are_measured,
        }
        unhappy::{
            wrong_lengths_carry_both_numbers,
            wrong_lengths_of_layouts_carry_both_numbers,
            empty_shapes_are_named,
            buffers_must_be_storage_large_enough_and_aligned,
            placements_must_fit_the_plan,
            an_encoder_with_an_open_pass_is_refused,
            a_result_is_given_once,
            a_device_without_compute_shaders_is_named,
            limits_carry_what_is_needed_and_what_there_is,
            what_this_version_cannot_do_says_so,
            a_lost_device_is_an_error_everywhere,
            a_lost_device_of_the_caller_is_an_error_at_the_latest_at_read_back,
            buffers_of_another_device_are_refused,
            buffers_of_another_instance_are_refused,
            queues_of_another_device_are_refused,
            encoders_of_another_device_are_the_callers_to_avoid,
            programs_give_their_own_instance_or_adapter,
            buffers_that_no_shader_sees_are_written_and_read,
            the_largest_buffer_is_the_first_limit,
        }
    }
}

/// Tests of the comparisons themselves, and tests without a device.
fn once() -> Vec<(&'static str, fn())> {
    tests! {
        fft_large::{waves_follow_the_definition}
        fft_laws::{the_comparison_can_fail, the_tally_can_fail}
        laws_of_kinds::{wrong_results_break_the_laws}
        transpose::{the_comparison_can_fail}
        known::{what_is_known_to_fail_must_fail}
        unhappy::{adapters_that_are_not_there_are_not_found}
    }
}

/// Prints the tests that took longest, if they took seconds.
fn print_slowest() {
    let mut durations = progress::durations();
    durations.sort_by_key(|(_, duration)| std::cmp::Reverse(*duration));
    for (name, duration) in durations.iter().take(SLOWEST).filter(|(_, duration)| *duration >= SLOW) {
        println!("{:6.1} s  {name}", duration.as_secs_f64());
    }
}

fn main() -> ExitCode {
    if let Some(record) = std::env::var_os(tuning::CHILD) {
        tuning::die(record.as_ref());
        return ExitCode::SUCCESS;
    }
    if std::env::var_os(endurance::CHILD).is_some() {
        endurance::measure();
        return ExitCode::SUCCESS;
    }
    if messages::are_wanted() {
        messages::listen();
    }
    let arguments = Arguments::from_args();
    let mut left = Vec::new();
    let mut trials: Vec<Trial> = once().into_iter().map(|(name, test)| trial(name, test)).collect();
    match find_devices() {
        Ok(devices) => {
            let names: Vec<&'static str> = per_device().into_iter().map(|(name, _)| name).collect();
            trials.push(trial("known::every_entry_names_a_test", move || {
                known::every_entry_names_a_test(&names);
                schedule::every_entry_names_a_test(&names);
            }));
            for device in devices {
                let mut own_left = Left { device, trials: 0, of: per_device().len() };
                for (name, test) in per_device() {
                    let own = trial(format!("{}: {name}", device.name), move || known::run(device, name, test));
                    let (missing, is_left) = (known::missing(device, name), schedule::is_left(device, name));
                    let own = own.with_ignored_flag(missing.is_some() || is_left);
                    match missing {
                        Some(missing) => println!("NOT RUN: {}: {name} needs {missing}", device.name),
                        None => own_left.trials += usize::from(is_left && schedule::is_ignored(&arguments, &own)),
                    }
                    trials.push(own);
                }
                left.push(own_left);
            }
            // A single adapter has no other to agree with.
            let agreement = trial("reduce::adapters_agree_on_the_bits_of_a_sum", reduce::adapters_agree_on_the_bits_of_a_sum);
            let records = trial("tuning::records_of_other_adapters_are_refused", tuning::records_of_other_adapters_are_refused);
            let same_bits = trial("same_bits::adapted_recipes_give_equal_bits", same_bits::adapted_recipes_give_equal_bits);
            let parts = trial("same_bits::parts_on_two_devices_give_the_bits_of_one", same_bits::parts_on_two_devices_give_the_bits_of_one);
            let pieces = trial(
                "divide::pieces_on_all_adapters_have_the_bits_of_the_whole",
                divide::pieces_on_all_adapters_have_the_bits_of_the_whole,
            );
            trials.extend([agreement, records, same_bits, parts, pieces].map(|trial| trial.with_ignored_flag(devices.len() < 2)));
        }
        Err(error) => {
            eprintln!("SKIPPED: every test on a device: {error}");
            let required = std::env::var("WGPU_FFT_REQUIRE_GPU").is_ok_and(|value| value == "1");
            let missing = Trial::test("an adapter is there, as WGPU_FFT_REQUIRE_GPU=1 demands", move || Err(error.to_string().into()));
            trials.push(missing.with_ignored_flag(!required));
            trials.extend(per_device().into_iter().map(|(name, _)| trial(name, || ()).with_ignored_flag(true)));
        }
    }
    schedule::sort(&mut trials);
    if !arguments.list {
        println!("random cases by PROPTEST_RNG_SEED={}, which repeats them", seed());
    }
    let conclusion = progress::run(&arguments, trials);
    print_slowest();
    schedule::print_left(&left);
    if schedule::writes_durations() {
        schedule::write_durations();
    }
    if messages::are_wanted() && !messages::were_none() {
        return ExitCode::FAILURE;
    }
    conclusion.exit_code()
}
