//! Buffers.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use wgpu_fft::{DeviceBuffer, Gpu, View};

use crate::error::{raised, refused};
use crate::process::{Own, waited};

/// Buffers that Python has freed, for the next results of the same size. On an H200 a new buffer of
/// 128 MiB takes longer than fifteen transforms of what it holds.
#[derive(Clone, Default)]
pub(crate) struct Kept(Arc<Mutex<Vec<DeviceBuffer<u8>>>>);

/// The most bytes that are kept. What was freed longest ago goes first.
const KEPT_BYTES: usize = 1 << 30;

impl Kept {
    /// A buffer of this size with anything in it.
    fn take(&self, bytes: usize) -> Option<DeviceBuffer<u8>> {
        let mut all = self.all();
        let at = all.iter().rposition(|buffer| buffer.len() == bytes)?;
        Some(all.remove(at))
    }

    fn put(&self, buffer: DeviceBuffer<u8>) {
        let mut all = self.all();
        all.push(buffer);
        let mut bytes = 0;
        let fits = all.iter().rev().take_while(|buffer| {
            bytes += buffer.len();
            bytes <= KEPT_BYTES
        });
        let rest = all.len() - fits.count();
        all.drain(..rest);
    }

    pub fn clear(&self) {
        self.all().clear();
    }

    fn all(&self) -> std::sync::MutexGuard<'_, Vec<DeviceBuffer<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A buffer on the device. What its bytes mean is known to Python and to plans.
#[pyclass(frozen, module = "wgpu_fft._core")]
pub(crate) struct Buffer {
    buffer: Own<(Gpu, DeviceBuffer<u8>)>,
    kept: Kept,
    #[pyo3(get)]
    nbytes: usize,
}

impl Buffer {
    /// So many zeros.
    pub fn zeros(gpu: &Gpu, kept: &Kept, bytes: usize) -> PyResult<Self> {
        let buffer = gpu.alloc(bytes).or_else(|_| {
            kept.clear();
            gpu.alloc(bytes)
        });
        Ok(Self::new(gpu, kept, buffer.map_err(raised)?))
    }

    /// So many bytes for a result that fills them all.
    pub fn for_result(gpu: &Gpu, kept: &Kept, bytes: usize) -> PyResult<Self> {
        // What was submitted earlier is done with the buffer before what is submitted later.
        kept.take(bytes).map_or_else(|| Self::zeros(gpu, kept, bytes), |buffer| Ok(Self::new(gpu, kept, buffer)))
    }

    pub fn new(gpu: &Gpu, kept: &Kept, buffer: DeviceBuffer<u8>) -> Self {
        Self { nbytes: buffer.len(), buffer: Own::new((gpu.clone(), buffer)), kept: kept.clone() }
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

impl Drop for Buffer {
    fn drop(&mut self) {
        if let Some((_, buffer)) = self.buffer.take() {
            self.kept.put(buffer);
        }
    }
}
