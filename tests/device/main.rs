//! Tests that run on every adapter found.

mod fft;
mod harness;
mod lifetimes;
#[path = "../support/recipes.rs"]
mod recipes_by_hand;
mod reduce;
mod transpose;
mod unhappy;
