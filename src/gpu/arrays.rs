//! Typed arrays: made, filled and read back.

use super::buffer::{DeviceBuffer, IntoView, UNIT, element_bytes, in_units};
use super::device::Gpu;
use super::pending::Pending;
use super::transfer::Download;
use crate::element::Element;
use crate::error::{Error, Result};

impl Gpu {
    /// Allocates an array of `len` zeros on the device.
    ///
    /// # Errors
    /// [`Error::Empty`]; [`Error::LimitExceeded`] if the device allows no buffer of that size;
    /// [`Error::OutOfMemory`]; [`Error::DeviceLost`]; [`Error::Unsupported`] if the element's size
    /// is neither 1, 2 nor a multiple of 4 bytes.
    pub fn alloc<T: Element>(&self, len: usize) -> Result<DeviceBuffer<T>> {
        self.alloc_labelled("wgpu-fft array", len)
    }

    /// Allocates as [`alloc`](Self::alloc) does, with a label for debuggers and wgpu's messages.
    ///
    /// # Errors
    /// The errors of [`alloc`](Self::alloc).
    pub fn alloc_labelled<T: Element>(&self, label: &str, len: usize) -> Result<DeviceBuffer<T>> {
        let bytes = self.bytes_of::<T>(len)?;
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        Ok(DeviceBuffer::new(self.create_labelled(label, "array", bytes, usage)?, len))
    }

    /// Allocates an array on the device and fills it with `data`.
    ///
    /// Where the host can map arrays (see [`GpuOptions`](crate::GpuOptions)), it is filled without
    /// a staging buffer, and its buffer has the usage `MAP_WRITE` besides.
    ///
    /// # Errors
    /// The errors of [`alloc`](Self::alloc).
    pub fn upload<T: Element>(&self, data: &[T]) -> Result<DeviceBuffer<T>> {
        self.upload_labelled("wgpu-fft array", data)
    }

    /// Uploads as [`upload`](Self::upload) does, with a label for debuggers and wgpu's messages.
    ///
    /// # Errors
    /// The errors of [`alloc`](Self::alloc).
    pub fn upload_labelled<T: Element>(&self, label: &str, data: &[T]) -> Result<DeviceBuffer<T>> {
        self.bytes_of::<T>(data.len())?;
        if self.maps_arrays {
            return Ok(DeviceBuffer::new(self.mapped_upload(label, bytemuck::cast_slice(data))?, data.len()));
        }
        let buffer = self.alloc_labelled(label, data.len())?;
        self.write(&buffer, data)?;
        Ok(buffer)
    }

    /// Overwrites `target` with `data`. The write takes effect before anything that is submitted
    /// afterwards.
    ///
    /// From 1 MiB on, data goes through staging buffers, and the copies are submitted. A large
    /// write waits until the device has taken its first pieces. Smaller ones go through
    /// `wgpu::Queue::write_buffer`.
    ///
    /// WebGPU writes multiples of 4 bytes. If `target` ends inside such a group of 4 bytes, the
    /// group must be the last one of the buffer.
    ///
    /// # Errors
    /// [`Error::WrongLen`]; [`Error::MissingUsage`] if the buffer lacks `COPY_DST`;
    /// [`Error::Misaligned`] if the view ends inside 4 bytes that are not the buffer's last;
    /// [`Error::ForeignObject`]; [`Error::DeviceLost`].
    pub fn write<'a, T: Element>(&self, target: impl IntoView<'a, T>, data: &[T]) -> Result<()> {
        let target = target.into_view();
        if data.len() != target.len() {
            return Err(Error::WrongLen { argument: "data", expected: target.len(), actual: data.len() });
        }
        self.require("target", target.buffer(), wgpu::BufferUsages::COPY_DST)?;
        let (offset, bytes) = (target.offset_bytes(), bytemuck::cast_slice::<T, u8>(data));
        let whole = bytes.len() / UNIT as usize * UNIT as usize;
        if whole < bytes.len() && offset + target.units_bytes() < target.buffer().size() {
            return Err(Error::Misaligned { argument: "end of target", offset_bytes: offset + target.len_bytes(), alignment: UNIT });
        }
        self.check_queue()?;
        self.check_buffer("target", target.buffer())?;
        self.flush()?;
        self.write_bytes(target.buffer(), offset, bytes)
    }

    /// Reads the elements of `source` back, after everything submitted so far has run.
    ///
    /// # Errors
    /// [`Error::MissingUsage`] if the buffer lacks `COPY_SRC`; [`Error::ForeignObject`];
    /// [`Error::OutOfMemory`]; [`Error::DeviceLost`], from this call or from the result.
    pub fn download<'a, T: Element>(&self, source: impl IntoView<'a, T>) -> Result<Pending<Vec<T>>> {
        let source = source.into_view();
        self.require("source", source.buffer(), wgpu::BufferUsages::COPY_SRC)?;
        self.check_buffer("source", source.buffer())?;
        let download = self.begin_download(source.buffer(), source.offset_bytes(), source.units_bytes())?;
        Ok(self.collect(download, source.len()))
    }

    /// The elements that arrive by `download`.
    pub(crate) fn collect<T: Element>(&self, download: Download, len: usize) -> Pending<Vec<T>> {
        let progress = download.progress().clone();
        let elements = async move {
            let mut elements: Vec<T> = bytemuck::zeroed_vec(len);
            download.read_all(bytemuck::cast_slice_mut(&mut elements)).await?;
            Ok(elements)
        };
        Pending::new(&progress, elements)
    }

    /// Bytes of a buffer for so many elements.
    fn bytes_of<T: Element>(&self, len: usize) -> Result<u64> {
        let element = element_bytes::<T>()? as u64;
        if len == 0 {
            return Err(Error::Empty { what: "array", shape: "0".to_owned() });
        }
        Ok(in_units((len as u64).saturating_mul(element)))
    }
}
