//! Tests of the file that stores measured recipes: damage, concurrent processes, crashes, and
//! rules. They need no device.

mod damage;
mod failures;
mod journal;
mod processes;
mod rules;
mod speed;
mod support;

/// Counts allocations, so that `damage` can check that no file makes the library allocate much
/// memory.
#[global_allocator]
static ALLOCATOR: wgpu_fft_tests::memory::Counting = wgpu_fft_tests::memory::Counting;
