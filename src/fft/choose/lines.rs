//! What a pass is to transform, as far as rules ask.

/// What a pass is to transform.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::fft) struct LineClass {
    pub n: u32,
    /// The first and the last of several axes that are transformed together.
    pub together: Option<[usize; 2]>,
    /// Number of lines, as far as it decides how many of them a workgroup takes.
    pub count: u32,
    /// Numbers in all lines. If a line takes several passes, those of the whole array.
    pub points: u64,
    /// The lines lie across the array's fastest index.
    pub across: bool,
    /// They do, and what lies side by side in them begins at sectors of memory on both sides.
    pub whole_sectors: bool,
    /// Rows of reals, in pairs or in halves: elements k and n - k of a spectrum are exchanged.
    pub exchanges_mirror: bool,
    /// Rows of reals in halves.
    pub halves: bool,
    /// It is a convolution: the stages come again in reverse.
    pub convolution: bool,
    /// The arrays on both sides hold numbers of 16 bits.
    pub is_16_bit: bool,
    /// Frames of a signal in halves that overlap by at least a half, so that most samples come from
    /// a cache, and the arithmetic decides.
    pub frames: bool,
    /// Halves on the way back to reals: each invocation loads two ends of a spectrum.
    pub to_reals: bool,
}

impl LineClass {
    /// Whether mirror images meet in workgroup memory: rows back to reals load both instead.
    pub fn exchanges_in_store(&self) -> bool {
        self.exchanges_mirror && !self.to_reals
    }

    /// Complex rows.
    pub fn rows(n: u32, count: u32) -> Self {
        Self { n, count, points: u64::from(n) * u64::from(count), ..Self::default() }
    }
}
