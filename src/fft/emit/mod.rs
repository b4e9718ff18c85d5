//! The texts of the kernels. `stockham` exchanges through workgroup memory, and `lanes` within
//! subgroups; both write their butterflies by `codelets`.

pub(in crate::fft) mod banks;
pub(in crate::fft) mod codelets;
pub(in crate::fft) mod lanes;
pub(in crate::fft) mod stockham;
