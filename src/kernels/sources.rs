//! The files of `shaders/`.

/// A WGSL file.
#[derive(PartialEq, Eq, Hash)]
pub struct Source {
    /// Path in `shaders/`.
    pub path: &'static str,
    /// Text.
    pub text: &'static str,
}

impl Source {
    /// The path without its ending.
    pub const fn stem(&self) -> &'static str {
        self.path.split_at(self.path.len() - ".wgsl".len()).0
    }
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.path)
    }
}

macro_rules! sources {
    ($($(#[$attribute:meta])* $name:ident = $path:literal),* $(,)?) => {
        $(
            $(#[$attribute])*
            #[doc = concat!("`shaders/", $path, "`.")]
            pub static $name: Source = Source { path: $path, text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/", $path)) };
        )*
        /// Every file.
        pub static ALL: &[&Source] = &[$($(#[$attribute])* &$name),*];
    };
}

sources! {
    GRID = "grid.wgsl",
    COPY = "copy.wgsl",
    ELEMENT_WORD = "element/word.wgsl",
    ELEMENT_PAIR = "element/pair.wgsl",
    ELEMENT_QUAD = "element/quad.wgsl",
    TRANSPOSE_NAIVE = "transpose/naive.wgsl",
    TRANSPOSE_TILED = "transpose/tiled.wgsl",
    TRANSPOSE_TILES = "transpose/tiles.wgsl",
    TRANSPOSE_WALKS = "transpose/walks.wgsl",
    TRANSPOSE_STRIDED = "transpose/strided.wgsl",
    TRANSPOSE_GATHER = "transpose/gather.wgsl",
    TRANSPOSE_SWAP = "transpose/swap.wgsl",
    TRANSPOSE_MAPPED = "transpose/mapped.wgsl",
    REDUCE_TREE = "reduce/tree.wgsl",
    REDUCE_LINES = "reduce/lines.wgsl",
    REDUCE_COLUMNS = "reduce/columns.wgsl",
    REDUCE_STORE = "reduce/store.wgsl",
    REDUCE_JOIN = "reduce/join.wgsl",
    REDUCE_RANK_F32 = "reduce/rank_f32.wgsl",
    REDUCE_RANK_PAIR = "reduce/rank_pair.wgsl",
    REDUCE_RANK_I32 = "reduce/rank_i32.wgsl",
    REDUCE_RANK_U32 = "reduce/rank_u32.wgsl",
    REDUCE_DIFFERENCE_F32 = "reduce/difference_f32.wgsl",
    REDUCE_DIFFERENCE_COMPLEX = "reduce/difference_complex.wgsl",
    REDUCE_SCALE = "reduce/scale.wgsl",
    REDUCE_SHARE = "reduce/share.wgsl",
    FFT_COMPLEX = "fft/complex.wgsl",
    FFT_IO_SEPARATE = "fft/io/separate.wgsl",
    FFT_IO_IN_PLACE = "fft/io/in_place.wgsl",
    FFT_RADIX2 = "fft/radix2.wgsl",
    FFT_PASS = "fft/pass.wgsl",
    FFT_PASS_F64 = "fft/pass_f64.wgsl",
    FFT_PASS_DOUBLE = "fft/pass_double.wgsl",
    FFT_PROBE_DOUBLE = "fft/probe_double.wgsl",
    FFT_DOUBLE = "fft/double.wgsl",
    FFT_LANES = "fft/lanes.wgsl",
    FFT_HALVES = "fft/halves.wgsl",
    SIGNAL_OVERLAP_ADD = "signal/overlap_add.wgsl",
    #[cfg(feature = "signal")]
    SIGNAL_RINGS = "signal/rings.wgsl",
    #[cfg(feature = "signal")]
    SIGNAL_RING_MEANS = "signal/ring_means.wgsl",
    SIGNAL_PEAK_START = "signal/peak_start.wgsl",
    SIGNAL_PEAK_STEP = "signal/peak_step.wgsl",
    SIGNAL_PEAK_SUMS = "signal/peak_sums.wgsl",
    SIGNAL_ROLL = "signal/roll.wgsl",
    SIGNAL_ROLL_SMALL = "signal/roll_small.wgsl",
    SIGNAL_ROLL_ROWS = "signal/roll_rows.wgsl",
    SIGNAL_TURNED = "signal/turned.wgsl",
    #[cfg(feature = "signal")]
    FILTER_STENCIL = "filter/stencil.wgsl",
    #[cfg(feature = "signal")]
    FILTER_EDGES = "filter/edges.wgsl",
}
