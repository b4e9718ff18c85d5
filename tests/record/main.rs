//! Tests of the file that keeps measured recipes: damage, processes at once, crashes, rules. They
//! need no device.

mod damage;
mod failures;
mod journal;
mod processes;
mod rules;
mod speed;
mod support;

/// Counts, so that `damage` can tell that no file makes the library ask for much memory.
#[global_allocator]
static ALLOCATOR: support::Counting = support::Counting;
