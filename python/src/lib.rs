//! What Python needs of the crate: devices, arrays as bytes, and plans by the text of their
//! specification. The functions that users see are in `wgpu_fft/`; they know shapes and types, and
//! this module plans, runs and moves the data. The interpreter's lock is free meanwhile.

mod array;
mod error;
mod fragment;
mod gpu;
mod nufft;
mod plan;
mod process;
mod stft;
mod stream;

use pyo3::prelude::*;

/// The compiled part of the package `wgpu_fft`. It is no interface: it changes with every version.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("MAGNITUDE", wgpu_fft::Fragment::MAGNITUDE)?;
    module.add_class::<array::Buffer>()?;
    module.add_class::<gpu::Gpu>()?;
    module.add_class::<plan::Plan>()?;
    module.add_class::<stream::ConvolveStream>()?;
    module.add_class::<stream::StftStream>()?;
    module.add_class::<nufft::NufftPlan>()?;
    module.add_class::<nufft::NufftPoints>()?;
    module.add_class::<nufft::Nufft3Plan>()?;
    module.add_function(wrap_pyfunction!(gpu::adapters, module)?)?;
    module.add_function(wrap_pyfunction!(nufft::plan_nufft, module)?)?;
    module.add_function(wrap_pyfunction!(nufft::plan_nufft3, module)?)?;
    module.add_function(wrap_pyfunction!(stream::stream_convolve, module)?)?;
    module.add_function(wrap_pyfunction!(stream::stream_stft, module)?)?;
    module.add_function(wrap_pyfunction!(process::check, module)?)?;
    module.add_function(wrap_pyfunction!(process::is_forked, module)?)
}
