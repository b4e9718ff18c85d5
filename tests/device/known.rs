//! Tests that are known to fail on an adapter, and tests that need more than a device has.

use std::panic::{AssertUnwindSafe, catch_unwind};

use wgpu_fft::{DeviceProfile, wgpu};

use crate::harness::Device;

/// A test that fails for a reason outside of this crate. It runs, and it must fail: one that passes
/// must be removed from [`KNOWN`].
struct Known {
    /// Whether an adapter, by its name or its driver, has the fault.
    adapter: &'static str,
    /// The test, with its module.
    test: &'static str,
    why: &'static str,
    link: &'static str,
}

/// Differences in the bits of drivers have a table of their own: `DIFFERENT` in `arithmetic.rs`.
const KNOWN: &[Known] = &[Known {
    adapter: "llvmpipe",
    test: "drivers::loops_of_many_turns_end_where_they_should",
    why: "Mesa's compiler for processors leaves every loop after LP_MAX_TGSI_LOOP_ITERATIONS = 65,535 turns. Kernels for processors stay below 32,768",
    link: "https://gitlab.freedesktop.org/mesa/mesa/-/blob/main/src/gallium/auxiliary/gallivm/lp_bld_limits.h",
}];

/// What a test needs beyond the least that devices have: the test, the need, and whether it is met.
type Need = (&'static str, &'static str, fn(&DeviceProfile) -> bool);

/// Such tests are reported as not run, with the reason.
const NEEDS: &[Need] = &[
    ("convolve::sums_over_channels", "5 storage buffers", |profile| profile.storage_buffers >= 5),
    ("fft_large::arrays_around_one_binding", "5 storage buffers", |profile| profile.storage_buffers >= 5),
    ("fft_large::around_two_to_the_24", "5 storage buffers", |profile| profile.storage_buffers >= 5),
    ("fft_laws::not_a_number_stays_in_its_row", "12 KiB of workgroup memory for a recipe by hand", |profile| {
        profile.workgroup_bytes >= 12 << 10
    }),
    ("fragments::arrays_and_uniforms_are_bound_by_name", "6 storage buffers", |profile| profile.storage_buffers >= 6),
    ("fragments::what_is_bound_wrongly_is_refused", "6 storage buffers", |profile| profile.storage_buffers >= 6),
    ("spectra::zooms_into_bands", "6 storage buffers", |profile| profile.storage_buffers >= 6),
    ("reduce::four_mebi_elements_take_three_passes", "256 invocations for a recipe by hand", |profile| profile.invocations >= 256),
];

fn known_of(device: &Device, test: &str) -> Option<&'static Known> {
    let wgpu::AdapterInfo { name, driver, driver_info, .. } = device.adapter.get_info();
    KNOWN.iter().find(|known| known.test == test && [&name, &driver, &driver_info].iter().any(|text| text.contains(known.adapter)))
}

/// What a test needs and the device does not have.
pub fn missing(device: &Device, test: &str) -> Option<&'static str> {
    let profile = device.gpu().profile();
    NEEDS.iter().find(|(name, _, is_met)| *name == test && !is_met(profile)).map(|(_, need, _)| *need)
}

/// Runs a test. If it is known to fail, it must.
pub fn run(device: &Device, name: &str, test: fn(&Device)) {
    expect(known_of(device, name), name, || test(device));
}

fn expect(known: Option<&Known>, name: &str, test: impl FnOnce()) {
    let Some(known) = known else { return test() };
    match catch_unwind(AssertUnwindSafe(test)) {
        Err(_) => println!("{name} fails as expected on {}: {} ({})", known.adapter, known.why, known.link),
        Ok(()) => panic!("{name} passes on an adapter like {}: remove it from KNOWN in tests/device/known.rs", known.adapter),
    }
}

pub fn what_is_known_to_fail_must_fail() {
    let known = &KNOWN[0];
    expect(None, "a test", || {});
    expect(Some(known), "a test", || panic!("as expected"));
    let passed = catch_unwind(|| expect(Some(known), "a test", || {})).unwrap_err();
    assert!(passed.downcast_ref::<String>().is_some_and(|text| text.contains("remove it from KNOWN")));
    let failed = catch_unwind(|| expect(None, "a test", || panic!("unexpected"))).unwrap_err();
    assert_eq!(failed.downcast_ref::<&str>(), Some(&"unexpected"));
}

/// A name that no test has would hide that an entry does nothing.
pub fn every_entry_names_a_test(tests: &[&str]) {
    for name in KNOWN.iter().map(|known| known.test).chain(NEEDS.iter().map(|(name, ..)| *name)) {
        assert!(tests.contains(&name), "{name} is in tests/device/known.rs, and no test has that name");
    }
    assert!(KNOWN.iter().all(|known| known.link.starts_with("https://") && known.why.len() > 20));
}
