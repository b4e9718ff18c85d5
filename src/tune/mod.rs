//! Which recipe is the fastest on the device at hand: by rule, by measurement, and remembered.

pub mod record;
pub mod rules;
pub mod search;
