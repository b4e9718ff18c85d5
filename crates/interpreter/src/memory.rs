//! Buffers and bindings.

use bytemuck::NoUninit;

/// What a word holds that nobody has written: a NaN in every floating-point type.
pub(crate) const UNWRITTEN: u32 = u32::MAX;

/// An array of bytes on the "device". It remembers which of its bytes have been written.
#[derive(Clone, Debug)]
pub struct Buffer {
    pub(crate) words: Vec<u32>,
    /// Which of the four bytes of each word have been written.
    pub(crate) written: Vec<u8>,
    size: u64,
}

impl Buffer {
    /// A buffer with these elements. All of them count as written.
    pub fn from_slice<T: NoUninit>(elements: &[T]) -> Self {
        let bytes: &[u8] = bytemuck::cast_slice(elements);
        let mut buffer = Self::unwritten(bytes.len() as u64);
        buffer.write(0, bytes);
        buffer
    }

    /// A buffer of zeros with this size in bytes. All of them count as written.
    pub fn zeros(bytes: u64) -> Self {
        let words = bytes.div_ceil(4) as usize;
        Self { words: vec![0; words], written: vec![15; words], size: bytes }
    }

    /// A buffer with this size in bytes, of which nothing has been written.
    pub fn unwritten(bytes: u64) -> Self {
        let words = bytes.div_ceil(4) as usize;
        Self { words: vec![UNWRITTEN; words], written: vec![0; words], size: bytes }
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Writes `bytes` from byte `offset` on.
    ///
    /// # Panics
    ///
    /// If the buffer ends before the last of them.
    pub fn write(&mut self, offset: u64, bytes: &[u8]) {
        assert!(offset + bytes.len() as u64 <= self.size, "a write past the end of the buffer");
        for (i, &byte) in bytes.iter().enumerate() {
            let at = offset as usize + i;
            let shift = 8 * (at % 4);
            let word = &mut self.words[at / 4];
            *word = *word & !(255 << shift) | (byte as u32) << shift;
            self.written[at / 4] |= 1 << (at % 4);
        }
    }

    /// The contents. Bytes that have not been written are 255.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.truncate(self.size as usize);
        bytes
    }

    /// The contents as elements of type `T`.
    ///
    /// # Panics
    ///
    /// If the size is not a multiple of the element's size.
    pub fn to_vec<T: bytemuck::AnyBitPattern>(&self) -> Vec<T> {
        {
            let bytes = self.bytes();
            assert!(bytes.len().is_multiple_of(size_of::<T>()), "the size is no multiple of an element's");
            bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
        }
    }

    /// Whether all bytes have been written.
    pub fn is_written(&self) -> bool {
        (0..self.size).all(|at| self.written[at as usize / 4] >> (at % 4) & 1 == 1)
    }

    /// The first byte that has not been written.
    pub fn first_unwritten(&self) -> Option<u64> {
        (0..self.size).find(|&at| self.written[at as usize / 4] >> (at % 4) & 1 == 0)
    }

    /// Marks all bytes as not written, so that the buffer is a workspace with unknown contents.
    pub fn mark_unwritten(&mut self) {
        self.written.fill(0);
    }
}

/// Identifies a buffer of a [`Memory`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BufferId(pub(crate) usize);

/// The buffers of a sequence of dispatches.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    pub(crate) buffers: Vec<Buffer>,
}

impl Memory {
    /// A memory without buffers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a buffer.
    pub fn add(&mut self, buffer: Buffer) -> BufferId {
        self.buffers.push(buffer);
        BufferId(self.buffers.len() - 1)
    }
}

impl std::ops::Index<BufferId> for Memory {
    type Output = Buffer;

    fn index(&self, id: BufferId) -> &Buffer {
        &self.buffers[id.0]
    }
}

impl std::ops::IndexMut<BufferId> for Memory {
    fn index_mut(&mut self, id: BufferId) -> &mut Buffer {
        &mut self.buffers[id.0]
    }
}

/// A buffer, or a part of one, bound to a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// `@group`.
    pub group: u32,
    /// `@binding`.
    pub binding: u32,
    /// The buffer.
    pub buffer: BufferId,
    /// Offset of the first byte, a multiple of 4.
    pub offset: u64,
    /// Size in bytes. `None` binds all bytes from `offset` on.
    pub size: Option<u64>,
}

impl Binding {
    /// A whole buffer, bound to `@group(group) @binding(binding)`.
    pub fn whole(group: u32, binding: u32, buffer: BufferId) -> Self {
        Self { group, binding, buffer, offset: 0, size: None }
    }

    /// Binds `size` bytes of a buffer from byte `offset` on.
    pub fn part(group: u32, binding: u32, buffer: BufferId, offset: u64, size: u64) -> Self {
        Self { group, binding, buffer, offset, size: Some(size) }
    }
}
