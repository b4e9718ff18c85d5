//! What JavaScript needs of the crate: devices, arrays as bytes, and plans by the text of their
//! specification. The classes that users see are in `js/`; they move the data, and this module
//! plans, binds and submits.
// The planner is made for threads, and there are none.
#![allow(clippy::arc_with_non_send_sync)]

mod array;
mod error;
mod fragment;
mod gpu;
mod plan;
