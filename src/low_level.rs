//! What plans are made of, for code that goes deeper than they do. Nothing here is a promise: any
//! release may change it.
//!
//! The workspace member `wgpu-fft-distributed` divides specifications among devices with
//! [`divide`], and moves their parts with [`transfer`].

pub use crate::kernels::Slot;

/// Specifications in parts: what several devices compute, each for itself, is bit-identical to the
/// whole.
pub mod divide {
    pub use crate::fft::split::{InParts, PartKind, Parts};

    /// Parts of a permutation.
    pub mod permutation {
        pub use crate::transpose::divide::{dense_axes, with_extent};
    }

    /// Parts of a reduction.
    pub mod reduction {
        pub use crate::reduce::divide::{Division, Share, division, join, partial, piece, results_and_inputs};
    }
}

/// Arrays of the host and of the device, and copies between them that overlap with other work.
pub mod transfer {
    pub use crate::gpu::pending::wait_for;
    pub use crate::gpu::transfer::{Commands, Download, Role, Staging, copy_threads, scatter};
}
