//! Published rules for workgroup sizes that need no measurement.

pub mod takemoto;
