//! Where a run begins and ends: on the host, or in buffers of the caller's on this rank's device.

use std::ops::Deref;

use wgpu_fft::{Element, View, wgpu};

use super::failure::{Failure, Outcome};

/// A part of a buffer of the caller's.
#[derive(Clone, Copy)]
pub(super) struct OnDevice<'a> {
    /// The buffer and the first byte in it; `None` if the rank's part is empty.
    pub place: Option<(&'a wgpu::Buffer, u64)>,
    pub bytes: usize,
}

impl<'a> OnDevice<'a> {
    pub fn new<T: Element>(view: Option<View<'a, T>>) -> Self {
        let bytes = view.map_or(0, |view| view.len_bytes() as usize);
        Self { place: view.map(|view| (view.buffer(), view.offset_bytes())), bytes }
    }

    /// Whether some bytes are in both.
    pub fn overlaps(&self, other: &Self) -> bool {
        let end = |array: &Self, offset: u64| offset + array.bytes as u64;
        self.place.zip(other.place).is_some_and(|((one, a), (two, b))| one == two && a < end(other, b) && b < end(self, a))
    }

    /// The buffer, and the place of a byte of the part in it.
    pub fn at(self, begin: usize) -> Outcome<(&'a wgpu::Buffer, u64)> {
        let (buffer, offset) = self.place.ok_or_else(|| Failure::Other("a piece of an empty part".to_owned()))?;
        Ok((buffer, offset + begin as u64))
    }
}

/// An array of a run or of a pass.
#[derive(Clone, Copy)]
pub(super) enum Held<'a, H> {
    Host(H),
    Device(OnDevice<'a>),
}

/// What it reads.
pub(super) type Source<'a> = Held<'a, &'a [u8]>;

/// What it writes.
pub(super) type Target<'a> = Held<'a, &'a mut [u8]>;

impl<'a, H: Deref<Target = [u8]>> Held<'a, H> {
    pub fn bytes(&self) -> usize {
        match self {
            Self::Host(array) => array.len(),
            Self::Device(array) => array.bytes,
        }
    }

    /// The part that the host does not have.
    pub fn on_device(&self) -> Option<OnDevice<'a>> {
        if let Self::Device(array) = self { Some(*array) } else { None }
    }
}
