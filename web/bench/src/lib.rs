//! rustfft in wasm, with SIMD, over rows or over rows and columns.

use std::sync::Arc;

use num_complex::Complex32;
use rustfft::{Fft, FftPlanner};
use wasm_bindgen::prelude::*;

/// Columns and rows that are turned at once.
const TILE: usize = 16;

/// Planned transforms of a matrix in the module's memory, with its scratch.
#[wasm_bindgen]
pub struct Matrix {
    rows: usize,
    columns: usize,
    along_rows: Arc<dyn Fft<f32>>,
    along_columns: Arc<dyn Fft<f32>>,
    data: Vec<Complex32>,
    turned: Vec<Complex32>,
    scratch: Vec<Complex32>,
}

#[wasm_bindgen]
impl Matrix {
    #[wasm_bindgen(constructor)]
    pub fn new(rows: usize, columns: usize) -> Self {
        let mut planner = FftPlanner::new();
        let [along_rows, along_columns] = [planner.plan_fft_forward(columns), planner.plan_fft_forward(rows)];
        let scratch = along_rows.get_inplace_scratch_len().max(along_columns.get_inplace_scratch_len());
        let zeros = |len| vec![Complex32::default(); len];
        Self {
            rows,
            columns,
            along_rows,
            along_columns,
            data: zeros(rows * columns),
            turned: zeros(rows * columns),
            scratch: zeros(scratch),
        }
    }

    /// Fills it with interleaved numbers.
    pub fn set(&mut self, data: &[f32]) {
        self.data.copy_from_slice(bytemuck::cast_slice(data));
    }

    /// What it holds.
    pub fn get(&self) -> Vec<f32> {
        bytemuck::cast_slice(&self.data).to_vec()
    }

    /// Transforms every row.
    pub fn rows(&mut self) {
        self.along_rows.process_with_scratch(&mut self.data, &mut self.scratch);
    }

    /// Transforms every row and then every column, through a transpose and back.
    pub fn both(&mut self) {
        self.rows();
        turn(&self.data, &mut self.turned, self.columns);
        self.along_columns.process_with_scratch(&mut self.turned, &mut self.scratch);
        turn(&self.turned, &mut self.data, self.rows);
    }
}

/// Transposes a matrix with rows of `columns`, tile by tile.
fn turn(from: &[Complex32], to: &mut [Complex32], columns: usize) {
    let rows = from.len() / columns;
    for first_row in (0..rows).step_by(TILE) {
        for first_column in (0..columns).step_by(TILE) {
            for row in first_row..(first_row + TILE).min(rows) {
                for column in first_column..(first_column + TILE).min(columns) {
                    to[column * rows + row] = from[row * columns + column];
                }
            }
        }
    }
}
