//! Typed arrays on the device.

use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};

use crate::element::Element;
use crate::error::{Error, Result};

/// Bytes that WebGPU binds, copies and writes at least; other sizes are rounded up.
pub(super) const UNIT: u64 = 4;

/// Rounds up to whole units.
pub(crate) fn in_units(bytes: u64) -> u64 {
    bytes.checked_next_multiple_of(UNIT).unwrap_or(u64::MAX)
}

/// A usage that aligns arrays to the sectors of a GPU's memory, which have 32 bytes. wgpu puts
/// buffers next to one another as closely as the driver allows: on NVIDIA at multiples of 16 bytes
/// for storage, and at multiples of 64 for what may be a uniform as well. H100, ms of one program
/// with buffers for storage alone, and with this usage: 2²³ 0.1498 and 0.1280, real 4096² 0.1597
/// and 0.1494, back to reals 16 of 1000² 0.1573 and 0.1184, 2048² 0.0453 and 0.0339; but as the
/// first transform of a program, by chance, 0.0345 without it too
/// (benches/reports/2026-11-26-alignment).
const ALIGNED: wgpu::BufferUsages = wgpu::BufferUsages::UNIFORM;

/// The usages that a buffer with these is given.
pub(super) fn given(usage: wgpu::BufferUsages) -> wgpu::BufferUsages {
    if usage.contains(wgpu::BufferUsages::STORAGE) { usage | ALIGNED } else { usage }
}

/// An array of `T` in a wgpu buffer of its own. The buffer can be bound as storage and copied from
/// and to.
#[derive(Clone, Debug)]
pub struct DeviceBuffer<T> {
    buffer: wgpu::Buffer,
    len: usize,
    element: PhantomData<T>,
}

impl<T: Element> DeviceBuffer<T> {
    pub(super) fn new(buffer: wgpu::Buffer, len: usize) -> Self {
        Self { buffer, len, element: PhantomData }
    }

    /// Number of elements; never 0.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The wgpu buffer.
    #[must_use]
    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// The whole array.
    #[must_use]
    pub fn view(&self) -> View<'_, T> {
        View { buffer: &self.buffer, offset: 0, len: self.len, element: PhantomData }
    }

    /// A part of the array, by the indices of its elements.
    ///
    /// ```no_run
    /// # use wgpu_fft::{Complex32, DeviceBuffer, Plan, fft::C2c, wgpu};
    /// # fn f(plan: &Plan<C2c>, encoder: &mut wgpu::CommandEncoder, frames: &DeviceBuffer<Complex32>, spectrum: &DeviceBuffer<Complex32>) -> wgpu_fft::Result<()> {
    /// // The second of several frames of 1024.
    /// plan.encode(encoder, frames.slice(1024..2048)?, spectrum)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The errors of [`View::slice`].
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<View<'_, T>> {
        self.view().slice(range)
    }
}

/// A range of a wgpu buffer, seen as an array of `T`. Plans read and write views.
#[derive(Debug)]
pub struct View<'a, T> {
    buffer: &'a wgpu::Buffer,
    offset: u64,
    len: usize,
    element: PhantomData<T>,
}

impl<T> Clone for View<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for View<'_, T> {}

/// A view without its type, for code that is compiled once for all types.
pub(crate) type AnyView<'a> = View<'a, ()>;

impl<'a> View<'a, ()> {
    /// As [`View::new`], of elements of so many bytes.
    pub(crate) fn of_bytes(buffer: &'a wgpu::Buffer, offset_bytes: u64, len: usize, element_bytes: usize) -> Result<Self> {
        let argument = "view";
        if len == 0 {
            return Err(Error::Empty { what: argument, shape: "0".to_owned() });
        }
        let alignment = UNIT.max(element_bytes as u64);
        if !offset_bytes.is_multiple_of(alignment) {
            return Err(Error::Misaligned { argument, offset_bytes, alignment });
        }
        let end = (len as u64).checked_mul(element_bytes as u64).and_then(|bytes| bytes.checked_add(offset_bytes));
        let end = end.and_then(|end| end.checked_next_multiple_of(UNIT));
        if end.is_none_or(|end| end > buffer.size()) {
            return Err(Error::OutOfRange { argument, offset_bytes, len, element_bytes, buffer_bytes: buffer.size() });
        }
        Ok(Self { buffer, offset: offset_bytes, len, element: PhantomData })
    }

    /// The number of elements.
    pub(crate) fn elements(&self) -> usize {
        self.len
    }

    /// The buffer, and the first byte in it.
    pub(crate) fn place(&self) -> (&'a wgpu::Buffer, u64) {
        (self.buffer, self.offset)
    }

    /// Checks the view against what a plan needs of `argument`.
    pub(crate) fn check(&self, argument: &'static str, expected: usize, alignment: u32) -> Result<()> {
        self.check_for(argument, expected, wgpu::BufferUsages::STORAGE, alignment)
    }

    /// The same for another usage.
    pub(crate) fn check_for(&self, argument: &'static str, expected: usize, required: wgpu::BufferUsages, alignment: u32) -> Result<()> {
        if self.len != expected {
            return Err(Error::WrongLen { argument, expected, actual: self.len });
        }
        if !self.buffer.usage().contains(required) {
            return Err(Error::MissingUsage { argument, required, actual: self.buffer.usage() });
        }
        let alignment = u64::from(alignment);
        if !self.offset.is_multiple_of(alignment) {
            return Err(Error::Misaligned { argument, offset_bytes: self.offset, alignment });
        }
        Ok(())
    }
}

impl<'a, T> View<'a, T> {
    /// The view without its type.
    pub(crate) fn any(self) -> AnyView<'a> {
        View { buffer: self.buffer, offset: self.offset, len: self.len, element: PhantomData }
    }
}

impl<'a, T: Element> View<'a, T> {
    /// Views `len` elements of the caller's `buffer`, starting at byte `offset_bytes`.
    ///
    /// Plans need buffers with the usage `STORAGE`, [`Gpu::write`](crate::Gpu::write) needs
    /// `COPY_DST`, and [`Gpu::download`](crate::Gpu::download) needs `COPY_SRC`. The buffer must
    /// belong to the device that uses the view. A buffer of another `wgpu::Instance` can be
    /// mistaken for one of this device: see [`Gpu::from_wgpu`](crate::Gpu::from_wgpu).
    ///
    /// # Errors
    /// [`Error::Misaligned`] if the offset is not a multiple of both the element's size and 4;
    /// [`Error::OutOfRange`] if the view, rounded up to 4 bytes, ends past the buffer;
    /// [`Error::Empty`] for no elements; [`Error::Unsupported`] if the element's size is neither 1,
    /// 2, 3 nor a multiple of 4 bytes. When a plan uses the view, the offset must also be a
    /// multiple of the device's `min_storage_buffer_offset_alignment`
    /// ([`DeviceProfile::storage_alignment`](crate::DeviceProfile::storage_alignment)), which is at
    /// most 256.
    pub fn new(buffer: &'a wgpu::Buffer, offset_bytes: u64, len: usize) -> Result<Self> {
        let View { buffer, offset, len, element: _ } = View::of_bytes(buffer, offset_bytes, len, element_bytes::<T>()?)?;
        Ok(Self { buffer, offset, len, element: PhantomData })
    }

    /// Views a whole buffer, up to its last complete element. Buffers of small elements are rounded
    /// up to 4 bytes, and the view includes that padding: for 5 elements of 1 byte in a buffer of 8
    /// bytes, it has 8 elements.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn whole(buffer: &'a wgpu::Buffer) -> Result<Self> {
        Self::new(buffer, 0, (buffer.size() / element_bytes::<T>()? as u64) as usize)
    }

    /// A part of the view, by the indices of its elements.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if the range ends past the view; [`Error::Empty`] for no elements;
    /// [`Error::Misaligned`] if the part begins inside 4 bytes. When a plan uses it, the alignment
    /// of [`new`](Self::new) holds.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Self> {
        let first = match range.start_bound() {
            Bound::Included(first) => *first,
            Bound::Excluded(before) => before.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(last) => last.saturating_add(1),
            Bound::Excluded(end) => *end,
            Bound::Unbounded => self.len,
        };
        let element_bytes = size_of::<T>();
        let offset_bytes = self.offset.saturating_add((first as u64).saturating_mul(element_bytes as u64));
        let len = end.saturating_sub(first);
        if end > self.len {
            let buffer_bytes = self.offset + self.len_bytes();
            return Err(Error::OutOfRange { argument: "slice", offset_bytes, len, element_bytes, buffer_bytes });
        }
        Self::new(self.buffer, offset_bytes, len)
    }

    /// Number of elements; never 0.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The buffer.
    #[must_use]
    pub fn buffer(&self) -> &'a wgpu::Buffer {
        self.buffer
    }

    /// Offset of the first byte in the buffer.
    #[must_use]
    pub fn offset_bytes(&self) -> u64 {
        self.offset
    }

    /// Size in bytes.
    #[must_use]
    pub fn len_bytes(&self) -> u64 {
        self.len as u64 * size_of::<T>() as u64
    }

    /// Size in bytes with what is left of the last unit.
    pub(super) fn units_bytes(&self) -> u64 {
        in_units(self.len_bytes())
    }
}

/// What can be read or written as an array of `T` on the device: a [`View`], or a [`DeviceBuffer`]
/// by reference. Implement it for a type of yours that holds a buffer.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array of `{T}` on the device",
    label = "expected a `View` or a `&DeviceBuffer` of `{T}`",
    note = "of a `wgpu::Buffer`, pass the view `View::whole(&buffer)?` or `View::new(&buffer, offset_bytes, len)?`",
    note = "data on the host needs `Gpu::upload` first, or `Plan::run`; FFTs compute in f32, so f64 data must be converted"
)]
pub trait IntoView<'a, T> {
    /// The array.
    fn into_view(self) -> View<'a, T>;
}

impl<'a, T> IntoView<'a, T> for View<'a, T> {
    fn into_view(self) -> View<'a, T> {
        self
    }
}

impl<'a, T: Element> IntoView<'a, T> for &'a DeviceBuffer<T> {
    fn into_view(self) -> View<'a, T> {
        self.view()
    }
}

/// What the inputs of a plan are called in errors.
pub(crate) fn input_name(i: usize) -> &'static str {
    if i == 0 { "input" } else { "second input" }
}

/// The size of `T`, which must be one that a storage buffer can hold.
pub(super) fn element_bytes<T: Element>() -> Result<usize> {
    checked_element(size_of::<T>(), T::NAME)
}

fn checked_element(bytes: usize, name: &str) -> Result<usize> {
    if bytes == 0 || bytes > 3 && !bytes.is_multiple_of(UNIT as usize) {
        let what = format!("an element of {bytes} bytes ({name})");
        return Err(Error::Unsupported { what, why: "elements have 1, 2, 3 or a multiple of 4 bytes".to_owned() });
    }
    Ok(bytes)
}
