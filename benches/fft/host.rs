//! rustfft on the host, on one thread or several, for rows and matrices.

use std::sync::{Arc, Barrier, PoisonError, RwLock};
use std::thread;

use rustfft::{Fft, FftPlanner};
use wgpu_fft::Complex32;

use super::cases::{Kind, Layout};

/// The most points of a transform that is also computed on the host.
const MOST_POINTS: usize = 1 << 24;

/// The array in bands of rows, one for each thread.
type Bands = Vec<RwLock<Vec<Complex32>>>;

/// rustfft on several threads. Rows are transformed in place. A matrix takes rows, a tiled
/// transpose, rows, and another transpose.
///
/// Every thread has a band of rows of both matrices, and scratch space of its own. A transform
/// starts the threads once, and they meet at a barrier between its steps.
pub struct Host {
    input: Vec<Complex32>,
    data: Bands,
    transposed: Bands,
    scratch: Vec<RwLock<Vec<Complex32>>>,
    rows: Arc<dyn Fft<f32>>,
    /// The FFT of the columns, if there are two axes.
    columns: Option<Arc<dyn Fft<f32>>>,
}

impl Host {
    /// For forward transforms of one axis or of one matrix; `None` for others. `noise` provides the
    /// input.
    pub fn new(layout: &Layout, noise: impl Iterator<Item = f32>, threads: usize) -> Option<Self> {
        let points = layout.points() * layout.batch;
        let plain =
            layout.kind == Kind::C2c && !layout.inverse && !layout.in_place && !layout.transposed && !layout.special && layout.scale == 1.0;
        let (count, row, column) = match (&layout.extents[..], layout.batch) {
            (&[n], batch) => (batch, n, None),
            (&[r, c], 1) => (r, c, Some(r)),
            _ => return None,
        };
        if !plain || points > MOST_POINTS {
            return None;
        }
        let numbers: Vec<f32> = noise.take(2 * points).collect();
        let input: Vec<Complex32> = numbers.chunks_exact(2).map(|parts| Complex32::new(parts[0], parts[1])).collect();
        let mut planner = FftPlanner::new();
        let rows = planner.plan_fft_forward(row);
        let columns = column.map(|column| planner.plan_fft_forward(column));
        let scratch = [Some(&rows), columns.as_ref()].into_iter().flatten().map(|fft| fft.get_inplace_scratch_len()).max().unwrap_or(0);
        Some(Self {
            data: bands(count, row, threads),
            transposed: column.map_or_else(Vec::new, |column| bands(row, column, threads)),
            scratch: (0..threads).map(|_| RwLock::new(vec![Complex32::default(); scratch])).collect(),
            input,
            rows,
            columns,
        })
    }

    /// Restores the input, because repeated transforms would grow to infinity.
    pub fn restore(&mut self) {
        let mut rest = &self.input[..];
        for band in &mut self.data {
            let band = band.get_mut().unwrap_or_else(PoisonError::into_inner);
            let (first, others) = rest.split_at(band.len());
            band.copy_from_slice(first);
            rest = others;
        }
    }

    /// Runs the transform.
    pub fn transform(&mut self) {
        let barrier = Barrier::new(self.data.len());
        let (host, barrier) = (&*self, &barrier);
        thread::scope(|scope| {
            for thread in 1..host.data.len() {
                scope.spawn(move || host.work(thread, barrier));
            }
            host.work(0, barrier);
        });
    }

    /// The result, in order.
    pub fn output(&self) -> Vec<Complex32> {
        self.data.iter().flat_map(|band| read(band).to_vec()).collect()
    }

    /// The work of one thread.
    fn work(&self, thread: usize, barrier: &Barrier) {
        let mut scratch = write(&self.scratch[thread]);
        self.rows.process_with_scratch(&mut write(&self.data[thread]), &mut scratch);
        let Some(columns) = &self.columns else { return };
        barrier.wait();
        {
            let mut own = write(&self.transposed[thread]);
            transpose(&self.data, self.rows.len(), &mut own, columns.len(), thread * band_rows(self.rows.len(), self.data.len()));
            columns.process_with_scratch(&mut own, &mut scratch);
        }
        barrier.wait();
        let mut own = write(&self.data[thread]);
        transpose(&self.transposed, columns.len(), &mut own, self.rows.len(), thread * band_rows(columns.len(), self.data.len()));
    }
}

/// The number of rows of each band. The last bands may have fewer.
fn band_rows(rows: usize, threads: usize) -> usize {
    rows.div_ceil(threads)
}

fn bands(rows: usize, row: usize, threads: usize) -> Bands {
    let most = band_rows(rows, threads);
    let band = |thread: usize| most.min(rows.saturating_sub(thread * most));
    (0..threads).map(|thread| RwLock::new(vec![Complex32::default(); band(thread) * row])).collect()
}

fn read(band: &RwLock<Vec<Complex32>>) -> std::sync::RwLockReadGuard<'_, Vec<Complex32>> {
    band.read().unwrap_or_else(PoisonError::into_inner)
}

fn write(band: &RwLock<Vec<Complex32>>) -> std::sync::RwLockWriteGuard<'_, Vec<Complex32>> {
    band.write().unwrap_or_else(PoisonError::into_inner)
}

/// Transposes a matrix in bands with rows of `columns`: its columns from `first` on become the rows
/// of `output`.
fn transpose(input: &Bands, columns: usize, output: &mut [Complex32], output_row: usize, first: usize) {
    let mut r0 = 0;
    for band in input {
        let band = read(band);
        transpose_band(&band, columns, first, output, output_row, r0);
        r0 += band.len() / columns;
    }
}

/// Transposes a band of rows in tiles: its columns from `first` on are written to the rows of
/// `output`, from column `offset` on.
///
/// Tiles of 4 to 32 in both loop orders and the crate `transpose` were compared. None is the
/// fastest for all sizes from 256² to 2048²; this one is never far behind.
fn transpose_band(band: &[Complex32], columns: usize, first: usize, output: &mut [Complex32], output_row: usize, offset: usize) {
    const TILE: usize = 32;
    let (rows, own) = (band.len() / columns, output.len() / output_row);
    for r0 in (0..rows).step_by(TILE) {
        for c0 in (0..own).step_by(TILE) {
            for c in c0..(c0 + TILE).min(own) {
                let target = &mut output[c * output_row + offset..][..rows];
                for r in r0..(r0 + TILE).min(rows) {
                    target[r] = band[r * columns + first + c];
                }
            }
        }
    }
}
