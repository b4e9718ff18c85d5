//! Signals that come in blocks.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use wgpu_fft::Complex32;
use wgpu_fft::signal::{self, Stft, StreamConvolve};

use crate::error::raised;
use crate::gpu::Gpu;
use crate::process::{Own, aside, waited};

/// A convolution of a stream. Threads that push take turns.
#[pyclass(frozen, module = "wgpu_fft._core")]
pub(crate) struct ConvolveStream {
    stream: Own<Mutex<signal::ConvolveStream>>,
}

#[pyfunction]
pub(crate) fn stream_convolve(
    py: Python<'_>,
    gpu: &Gpu,
    block: usize,
    taps: usize,
    channels: usize,
    kernel: PyReadonlyArray1<'_, f32>,
) -> PyResult<ConvolveStream> {
    let spec = StreamConvolve::new(block, taps).channels(channels);
    let kernel = kernel.as_slice()?.to_vec();
    let spec = if kernel.len() == taps { spec } else { spec.kernel_for_each() };
    let planner = Arc::clone(gpu.planner()?);
    let stream = aside(py, move || spec.stream(&planner, &kernel))?.map_err(raised)?;
    Ok(ConvolveStream { stream: Own::new(Mutex::new(stream)) })
}

#[pymethods]
impl ConvolveStream {
    fn push<'py>(&self, py: Python<'py>, block: PyReadonlyArray1<'py, f32>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let (stream, block) = (self.stream.get()?, block.as_slice()?);
        let pending = py.detach(|| stream.lock().unwrap_or_else(PoisonError::into_inner).push(block)).map_err(raised)?;
        Ok(PyArray1::from_vec(py, waited(py, pending)?))
    }

    fn set_kernel(&self, py: Python<'_>, kernel: PyReadonlyArray1<'_, f32>) -> PyResult<()> {
        let (stream, kernel) = (self.stream.get()?, kernel.as_slice()?);
        py.detach(|| stream.lock().unwrap_or_else(PoisonError::into_inner).set_kernel(kernel)).map_err(raised)
    }

    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        let stream = self.stream.get()?;
        py.detach(|| stream.lock().unwrap_or_else(PoisonError::into_inner).reset()).map_err(raised)
    }
}

/// A short-time Fourier transform of a stream. Threads that push take turns.
#[pyclass(frozen, module = "wgpu_fft._core")]
pub(crate) struct StftStream {
    stream: Own<Mutex<signal::StftStream<f32, Complex32>>>,
}

#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn stream_stft(
    py: Python<'_>,
    gpu: &Gpu,
    window: PyReadonlyArray1<'_, f64>,
    hop: usize,
    mfft: usize,
    phase_shift: Option<i64>,
    channels: usize,
    frames: usize,
) -> PyResult<StftStream> {
    let window = window.as_slice()?;
    let samples = hop.saturating_mul(frames.saturating_sub(1)).saturating_add(window.len());
    let spec = Stft::<f32>::new(samples, window, hop).nfft(mfft).phase_shift(phase_shift).batch(channels);
    let planner = Arc::clone(gpu.planner()?);
    let stream = aside(py, move || spec.stream(&planner))?.map_err(raised)?;
    Ok(StftStream { stream: Own::new(Mutex::new(stream)) })
}

#[pymethods]
impl StftStream {
    fn push<'py>(&self, py: Python<'py>, samples: PyReadonlyArray1<'py, f32>) -> PyResult<Bound<'py, PyArray1<Complex32>>> {
        let (stream, samples) = (self.stream.get()?, samples.as_slice()?);
        let push = || stream.lock().unwrap_or_else(PoisonError::into_inner).push(samples).map(<[_]>::to_vec);
        Ok(PyArray1::from_vec(py, py.detach(push).map_err(raised)?))
    }

    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        let stream = self.stream.get()?;
        py.detach(|| stream.lock().unwrap_or_else(PoisonError::into_inner).reset());
        Ok(())
    }
}
