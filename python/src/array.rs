//! Buffers.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use wgpu_fft::{DeviceBuffer, Gpu, View};

use crate::error::{raised, refused};
use crate::process::{Own, waited};

/// A buffer on the device. What its bytes mean is known to Python and to plans.
#[pyclass(frozen, module = "wgpu_fft._core")]
pub(crate) struct Buffer {
    buffer: Own<(Gpu, DeviceBuffer<u8>)>,
    #[pyo3(get)]
    nbytes: usize,
}

impl Buffer {
    /// So many zeros.
    pub fn zeros(gpu: &Gpu, bytes: usize) -> PyResult<Self> {
        Ok(Self::new(gpu, gpu.alloc(bytes).map_err(raised)?))
    }

    pub fn new(gpu: &Gpu, buffer: DeviceBuffer<u8>) -> Self {
        Self { nbytes: buffer.len(), buffer: Own::new((gpu.clone(), buffer)) }
    }

    /// Its bytes, if they are on the same device as something else.
    pub fn view_on(&self, gpu: &Gpu) -> PyResult<View<'_, u8>> {
        let (own, buffer) = self.buffer.get()?;
        if own.device() != gpu.device() {
            return Err(refused("foreign-object", "an array is on another device"));
        }
        Ok(buffer.view())
    }
}

#[pymethods]
impl Buffer {
    /// The bytes on the host, after everything submitted so far has run.
    fn download<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let (gpu, buffer) = self.buffer.get()?;
        let pending = py.detach(|| gpu.download(buffer)).map_err(raised)?;
        Ok(PyArray1::from_vec(py, waited(py, pending)?))
    }

    /// Replaces the bytes, before what is submitted afterwards.
    fn write(&self, py: Python<'_>, data: PyReadonlyArray1<'_, u8>) -> PyResult<()> {
        let (gpu, buffer) = self.buffer.get()?;
        let data = data.as_slice()?;
        py.detach(|| gpu.write(buffer, data)).map_err(raised)
    }
}
