//! One job on several unequal devices.

pub mod partition;
