//! Twins of `shaders/fft/io/*.wgsl`: how a row FFT loads and stores.

use crate::kernels::{Access, Bind, Slot, Source, input_output, sources};

/// The file for this pair of arrays.
pub(super) fn source(input: Slot, output: Slot) -> &'static Source {
    if input == output { &sources::FFT_IO_IN_PLACE } else { &sources::FFT_IO_SEPARATE }
}

/// The bindings that the file declares.
pub(super) fn binds(input: Slot, output: Slot) -> Vec<Bind> {
    if input == output {
        vec![Bind { binding: 2, name: "data".into(), access: Access::ReadWrite, slot: output, range: None }]
    } else {
        input_output(input, output)
    }
}

/// The choices, in the order of the kernels' headers.
pub(super) const SOURCES: &[&Source] = &[&sources::FFT_IO_SEPARATE, &sources::FFT_IO_IN_PLACE];
