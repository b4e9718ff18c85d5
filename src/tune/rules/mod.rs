//! Rules for work sizes that need no measurement.

pub mod takemoto;
