//! The files of `shaders/`.

/// A WGSL file.
#[derive(PartialEq, Eq, Hash)]
pub struct Source {
    /// Path in `shaders/`.
    pub path: &'static str,
    /// Text.
    pub text: &'static str,
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.path)
    }
}

macro_rules! sources {
    ($($name:ident = $path:literal),* $(,)?) => {
        $(
            #[doc = concat!("`shaders/", $path, "`.")]
            pub static $name: Source = Source { path: $path, text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/", $path)) };
        )*
        /// Every file.
        pub static ALL: &[&Source] = &[$(&$name),*];
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
    REDUCE_TREE = "reduce/tree.wgsl",
    REDUCE_LINES = "reduce/lines.wgsl",
    REDUCE_COLUMNS = "reduce/columns.wgsl",
    FFT_COMPLEX = "fft/complex.wgsl",
    FFT_IO_SEPARATE = "fft/io/separate.wgsl",
    FFT_IO_IN_PLACE = "fft/io/in_place.wgsl",
    FFT_RADIX2 = "fft/radix2.wgsl",
    FFT_PASS = "fft/pass.wgsl",
    FFT_LANES = "fft/lanes.wgsl",
}
