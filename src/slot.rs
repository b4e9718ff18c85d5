//! The arrays of a program: which one a kernel means, and how large it is.

use std::fmt;

use crate::error::{Result, within};
use crate::gpu::{DeviceProfile, in_units};

/// An array that a program uses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Slot {
    /// One of the caller's inputs.
    Input(usize),
    /// The caller's output. In place, it is the input as well.
    Output,
    /// Memory that belongs to the plan.
    Workspace(usize),
    /// Constants computed on the host.
    Table(usize),
    /// An array or a uniform that a fragment of the caller's declares.
    Declared(usize),
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(0) => f.write_str("input"),
            Self::Input(i) => write!(f, "input{i}"),
            Self::Output => f.write_str("output"),
            Self::Workspace(i) => write!(f, "workspace{i}"),
            Self::Table(i) => write!(f, "table{i}"),
            Self::Declared(i) => write!(f, "declared{i}"),
        }
    }
}

/// Size of an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Array {
    /// Number of elements.
    pub len: usize,
    /// Size of one element in bytes.
    pub element_bytes: usize,
}

impl Array {
    /// The size of `len` elements of type `T`.
    #[cfg(all(feature = "tune", not(target_arch = "wasm32")))]
    pub(crate) fn of<T>(len: usize) -> Self {
        Self { len, element_bytes: size_of::<T>() }
    }

    /// Size in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (self.len as u64).saturating_mul(self.element_bytes as u64)
    }

    /// Refuses an array that no buffer of the device can hold. It is asked before anything that
    /// depends on how the array is bound: what would help then is another device, not another
    /// recipe.
    pub(crate) fn check(&self, title: &str, what: &str, profile: &DeviceProfile) -> Result<()> {
        within(|| format!("`{title}`: {what} (bytes)"), "max_buffer_size", in_units(self.bytes()), profile.buffer_bytes)
    }
}
