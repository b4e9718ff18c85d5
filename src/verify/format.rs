//! Numbers that are not whole, in memory.

use half::{bf16, f16};

use crate::fragment::Form;

/// The format of a number that is not whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// f16.
    F16,
    /// bf16.
    Bf16,
    /// f32.
    F32,
    /// f64.
    F64,
}

impl Format {
    /// That of the numbers of an array, if they are not whole.
    pub(crate) fn of(form: Form) -> Option<Self> {
        form.float_bits().map(|float| match float {
            (64, _) => Self::F64,
            (32, _) => Self::F32,
            (_, false) => Self::F16,
            (_, true) => Self::Bf16,
        })
    }

    /// The size of a number.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::F16 | Self::Bf16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// A number of so many bytes.
    pub(crate) fn read(self, bytes: &[u8]) -> f64 {
        match self {
            Self::F16 => bytemuck::pod_read_unaligned::<f16>(bytes).to_f64(),
            Self::Bf16 => bytemuck::pod_read_unaligned::<bf16>(bytes).to_f64(),
            Self::F32 => bytemuck::pod_read_unaligned::<f32>(bytes).into(),
            Self::F64 => bytemuck::pod_read_unaligned(bytes),
        }
    }

    /// The numbers of an array, without an incomplete one at its end.
    pub(crate) fn numbers(self, words: &[u32]) -> impl Iterator<Item = f64> {
        bytemuck::cast_slice::<_, u8>(words).chunks_exact(self.bytes()).map(move |bytes| self.read(bytes))
    }
}
