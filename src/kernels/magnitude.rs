//! A function for fragments.

use super::sources;
use crate::fragment::Fragment;

impl Fragment {
    /// The WGSL function `magnitude(z: vec2<f32>) -> f32`, and those that it calls: |z|, wherever
    /// it is no more than the largest number, for [`functions`](Self::functions). WGSL's own
    /// `length` is infinite beyond 1.8·10¹⁹ and 0 below 10⁻²³.
    ///
    /// ```
    /// use wgpu_fft::{Complex32, Fragment, reduce};
    ///
    /// let magnitude = Fragment::new("magnitude(value)").functions(Fragment::MAGNITUDE);
    /// let largest = reduce::max::<f32>(1 << 20).map_input::<Complex32>(magnitude)?;
    /// # Ok::<(), wgpu_fft::Error>(())
    /// ```
    pub const MAGNITUDE: &'static str = sources::REDUCE_SCALE.text;
}
