//! Typed arrays on the device.

use std::marker::PhantomData;

use crate::element::Element;
use crate::error::{Error, Result};

/// Bytes that WebGPU binds, copies and writes at least; other sizes are rounded up.
pub(super) const UNIT: u64 = 4;

/// Rounds up to whole units.
pub(crate) fn in_units(bytes: u64) -> u64 {
    bytes.checked_next_multiple_of(UNIT).unwrap_or(u64::MAX)
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
    pub fn wgpu(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// The whole array.
    #[must_use]
    pub fn view(&self) -> View<'_, T> {
        View { buffer: &self.buffer, offset: 0, len: self.len, element: PhantomData }
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
    pub fn of_bytes(buffer: &'a wgpu::Buffer, offset_bytes: u64, len: usize, element_bytes: usize) -> Result<Self> {
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

    /// The buffer, and the first byte in it.
    pub fn place(&self) -> (&'a wgpu::Buffer, u64) {
        (self.buffer, self.offset)
    }

    /// Checks the view against what a plan needs of `argument`.
    pub fn check(&self, argument: &'static str, expected: usize, alignment: u32) -> Result<()> {
        if self.len != expected {
            return Err(Error::WrongLen { argument, expected, actual: self.len });
        }
        let required = wgpu::BufferUsages::STORAGE;
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
    /// 2 nor a multiple of 4 bytes. When a plan uses the view, the offset must also be a multiple
    /// of the device's `min_storage_buffer_offset_alignment`
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

impl<'a, T: Element> From<&'a DeviceBuffer<T>> for View<'a, T> {
    fn from(buffer: &'a DeviceBuffer<T>) -> Self {
        buffer.view()
    }
}

/// The arrays that a plan reads: one, or several. It is made from a view or a [`DeviceBuffer`], or
/// from a pair of them.
#[derive(Debug)]
pub struct Inputs<'a, T> {
    pub(crate) views: Vec<AnyView<'a>>,
    element: PhantomData<T>,
}

impl<'a, T: Element> From<View<'a, T>> for Inputs<'a, T> {
    fn from(view: View<'a, T>) -> Self {
        Self { views: vec![view.any()], element: PhantomData }
    }
}

impl<'a, T: Element> From<&'a DeviceBuffer<T>> for Inputs<'a, T> {
    fn from(buffer: &'a DeviceBuffer<T>) -> Self {
        buffer.view().into()
    }
}

impl<'a, T: Element, A: Into<View<'a, T>>, B: Into<View<'a, T>>> From<(A, B)> for Inputs<'a, T> {
    fn from((first, second): (A, B)) -> Self {
        Self { views: vec![first.into().any(), second.into().any()], element: PhantomData }
    }
}

impl<'a, T: Element> From<Vec<View<'a, T>>> for Inputs<'a, T> {
    fn from(views: Vec<View<'a, T>>) -> Self {
        Self { views: views.into_iter().map(View::any).collect(), element: PhantomData }
    }
}

/// What the inputs of a plan are called in errors.
pub(crate) fn input_name(i: usize) -> &'static str {
    if i == 0 { "input" } else { "second" }
}

/// The size of `T`, which must be one that a storage buffer can hold.
pub(super) fn element_bytes<T: Element>() -> Result<usize> {
    checked_element(size_of::<T>(), T::NAME)
}

fn checked_element(bytes: usize, name: &str) -> Result<usize> {
    if bytes == 0 || bytes > 2 && !bytes.is_multiple_of(UNIT as usize) {
        let what = format!("an element of {bytes} bytes ({name})");
        return Err(Error::Unsupported { what, why: "elements have 1, 2 or a multiple of 4 bytes".to_owned() });
    }
    Ok(bytes)
}
