//! Long lists of alike cases, of which an ordinary run takes a share.
#![allow(dead_code, reason = "the tests on devices and those without use different parts")]

/// Whether WGPU_FFT_THOROUGH=1 asks for the long lists, everywhere.
pub fn asks_for_all() -> bool {
    std::env::var("WGPU_FFT_THOROUGH").is_ok_and(|value| value == "1")
}

/// The first of every `of` cases, or all with WGPU_FFT_THOROUGH=1. If the list repeats after a
/// number of cases that has no factor in common with `of`, every kind of case has its turn.
pub fn share<T>(cases: impl IntoIterator<Item = T>, of: usize) -> impl Iterator<Item = T> {
    cases.into_iter().step_by(if asks_for_all() { 1 } else { of })
}
