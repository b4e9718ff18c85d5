//! What JavaScript needs of the crate: devices, arrays as bytes, and plans by the text of their
//! specification. The classes that users see are in `js/`; they move the data, and this module
//! plans, binds and submits.

mod array;
mod error;
mod fragment;
mod gpu;
mod plan;
