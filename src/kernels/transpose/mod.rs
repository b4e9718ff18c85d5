//! Twins of `shaders/transpose/*.wgsl`.

pub mod gather;
pub mod naive;
pub mod strided;
pub mod swap;
pub mod tiled;
pub mod tiles;

/// A batch of matrices to transpose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Matrices {
    /// Rows of each input matrix.
    pub rows: u32,
    /// Columns of each input matrix.
    pub columns: u32,
    /// How many.
    pub batch: u32,
}

impl Matrices {
    fn label(self) -> String {
        let batch = if self.batch == 1 { String::new() } else { format!(" x{}", self.batch) };
        format!("transpose {}x{}{batch}", self.rows, self.columns)
    }

    /// Blocks of `width` x `height` along x and y.
    fn blocks(self, width: u32, height: u32) -> (u32, u32) {
        (self.columns.div_ceil(width), self.rows.div_ceil(height))
    }
}
