//! Twins of `shaders/filter/*.wgsl`.

pub(crate) mod stencil;
