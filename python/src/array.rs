//! Buffers.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use wgpu_fft::wgpu::PollType;
use wgpu_fft::{DeviceBuffer, Gpu, View};

use crate::error::{Call, raised, refused};
use crate::process::{self, Own, is_forked, waited};

/// Buffers that Python has freed, for the next results of the same size. On an H200 a new buffer of
/// 128 MiB takes longer than fifteen transforms of what it holds.
#[derive(Clone, Default)]
pub(crate) struct Kept(Arc<Freed>);

#[derive(Default)]
struct Freed(Mutex<Vec<DeviceBuffer<u8>>>);

impl Drop for Freed {
    fn drop(&mut self) {
        if is_forked() {
            std::mem::forget(std::mem::take(self.0.get_mut().unwrap_or_else(PoisonError::into_inner)));
        }
    }
}

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
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A buffer on the device, or a part of one. What its bytes mean is known to Python and to plans.
#[pyclass(frozen, module = "wgpu_fft._core")]
pub(crate) struct Buffer {
    whole: Arc<Whole>,
    offset: usize,
    #[pyo3(get)]
    nbytes: usize,
}

/// What all parts of a buffer share. The last of them frees it.
struct Whole {
    buffer: Own<(Gpu, DeviceBuffer<u8>)>,
    kept: Kept,
}

impl Buffer {
    /// So many zeros.
    pub fn zeros(gpu: &Gpu, kept: &Kept, bytes: usize) -> PyResult<Self> {
        let buffer = gpu.alloc(bytes).or_else(|_| {
            // What is freed is free when everything that reads it has run.
            kept.clear();
            gpu.flush()?;
            let _ = gpu.device().poll(PollType::wait_indefinitely());
            gpu.alloc(bytes)
        });
        Ok(Self::new(gpu, kept, buffer.map_err(raised)?))
    }

    /// So many bytes for a result that fills them all.
    pub fn for_result(gpu: &Gpu, kept: &Kept, bytes: usize) -> PyResult<Self> {
        // What was queued earlier is done with the buffer before what is queued later.
        kept.take(bytes).map_or_else(|| Self::zeros(gpu, kept, bytes), |buffer| Ok(Self::new(gpu, kept, buffer)))
    }

    pub fn new(gpu: &Gpu, kept: &Kept, buffer: DeviceBuffer<u8>) -> Self {
        let nbytes = buffer.len();
        Self { whole: Arc::new(Whole { buffer: Own::new((gpu.clone(), buffer)), kept: kept.clone() }), offset: 0, nbytes }
    }

    /// The device, and its bytes.
    fn view(&self) -> PyResult<(&Gpu, View<'_, u8>)> {
        process::check()?;
        self.checked()
    }

    fn checked(&self) -> PyResult<(&Gpu, View<'_, u8>)> {
        let (gpu, buffer) = self.whole.buffer.checked()?;
        Ok((gpu, buffer.slice(self.offset..self.offset + self.nbytes).map_err(raised)?))
    }

    /// Its bytes, if they are on the same device as something else that a call has got.
    pub fn view_on(&self, gpu: &Gpu) -> PyResult<View<'_, u8>> {
        let (own, view) = self.checked()?;
        if own.device() != gpu.device() {
            return Err(refused("foreign-object", "an array is on another device"));
        }
        Ok(view)
    }
}

#[pymethods]
impl Buffer {
    /// So many bytes from an offset on, which share the memory.
    fn part(&self, offset: usize, nbytes: usize) -> PyResult<Self> {
        if offset.checked_add(nbytes).is_none_or(|end| end > self.nbytes) {
            return Err(refused("out-of-range", &format!("{nbytes} bytes from {offset} on are no part of {} bytes", self.nbytes)));
        }
        Ok(Self { whole: Arc::clone(&self.whole), offset: self.offset + offset, nbytes })
    }

    /// The same bytes in a buffer of their own, without a plan. Offset and size are multiples of 4.
    fn copied(&self, py: Python<'_>, caller: Py<PyAny>) -> PyResult<Self> {
        let (gpu, view) = self.view()?;
        let copy = Self::for_result(gpu, &self.whole.kept, self.nbytes)?;
        let (target, caller) = (copy.view()?.1, Call(caller));
        py.detach(|| gpu.enqueue_copy_for(caller, view, target)).map_err(raised)?;
        Ok(copy)
    }

    /// The bytes on the host, after everything queued so far has run.
    fn download<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let (gpu, view) = self.view()?;
        let pending = py.detach(|| gpu.download(view)).map_err(raised)?;
        Ok(PyArray1::from_vec(py, waited(py, pending)?))
    }

    /// The size of the buffer that this is a part of, which stays as long as the part.
    #[getter]
    fn whole_nbytes(&self) -> PyResult<usize> {
        Ok(self.whole.buffer.get()?.1.len())
    }

    /// Whether both are of one buffer.
    fn shares(&self, other: PyRef<'_, Self>) -> bool {
        Arc::ptr_eq(&self.whole, &other.whole)
    }

    /// Spoils the whole buffer: what uses it cannot be submitted. Tests see what that does.
    fn destroy(&self) -> PyResult<()> {
        self.view()?.1.buffer().destroy();
        Ok(())
    }

    /// Replaces the bytes, before what is submitted afterwards.
    fn write(&self, py: Python<'_>, data: PyReadonlyArray1<'_, u8>) -> PyResult<()> {
        let (gpu, view) = self.view()?;
        let data = data.as_slice()?;
        py.detach(|| gpu.write(view, data)).map_err(raised)
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        if let Some((_, buffer)) = self.buffer.take() {
            self.kept.put(buffer);
        }
    }
}
