//! Twin of `shaders/element/*.wgsl`: elements that are moved as bits.

use super::Source;

/// The width of an element that a kernel moves without interpreting it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Width {
    /// 4 bytes.
    Word,
    /// 8 bytes.
    Pair,
    /// 16 bytes.
    Quad,
}

impl Width {
    /// Every width.
    pub const ALL: [Self; 3] = [Self::Word, Self::Pair, Self::Quad];

    /// The width of elements of `bytes` bytes, if there is one.
    pub fn of_bytes(bytes: usize) -> Option<Self> {
        Self::ALL.into_iter().find(|width| width.bytes() as usize == bytes)
    }

    /// Size of one element.
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Word => 4,
            Self::Pair => 8,
            Self::Quad => 16,
        }
    }

    /// The file that declares `Element` with this width.
    pub const fn source(self) -> &'static Source {
        match self {
            Self::Word => &super::sources::ELEMENT_WORD,
            Self::Pair => &super::sources::ELEMENT_PAIR,
            Self::Quad => &super::sources::ELEMENT_QUAD,
        }
    }
}

/// The choices for `Element`, in the order of the kernels' headers.
pub(super) const SOURCES: &[&Source] = &[Width::Word.source(), Width::Pair.source(), Width::Quad.source()];
