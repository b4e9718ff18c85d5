//! rustfft on the host, on one thread or several, for rows and matrices of complex numbers or of
//! reals.

use std::sync::{Arc, Barrier, PoisonError, RwLock};
use std::thread;

use rustfft::{Fft, FftDirection, FftPlanner};
use wgpu_fft::Complex32;

use super::cases::{Kind, Layout};

/// The most points of a transform that is also computed on the host.
const MAX_POINTS: usize = 1 << 24;

/// The array in bands of rows, one for each thread.
type Bands = Vec<RwLock<Vec<Complex32>>>;

/// rustfft on several threads. Rows are transformed in place. A matrix takes rows, a tiled
/// transpose, rows, and another transpose.
///
/// Rows of n reals are n/2 complex numbers, as usual for reals: a loop combines the halves to the
/// half-spectrum, or does the reverse.
///
/// Every thread has a band of rows of all matrices, and scratch space of its own. A transform
/// starts the threads once, and they meet at a barrier between its steps.
pub struct Host {
    kind: Kind,
    input: Vec<Complex32>,
    /// Complex rows, or rows of reals in pairs.
    data: Bands,
    /// Half-spectra, if there are reals.
    spectrum: Bands,
    transposed: Bands,
    scratch: Vec<RwLock<Vec<Complex32>>>,
    rows: Arc<dyn Fft<f32>>,
    /// The FFT of the columns, if there are two axes.
    columns: Option<Arc<dyn Fft<f32>>>,
    /// exp(-2πi·k/n) for k up to n/2, if there are rows of n reals.
    roots: Vec<Complex32>,
}

impl Host {
    /// For out-of-place transforms of one axis or of one matrix, forward if they are complex, with
    /// rows of even length if they are real; `None` for others. `noise` provides the input.
    pub fn new(layout: &Layout, noise: impl Iterator<Item = f32>, threads: usize) -> Option<Self> {
        let points = layout.points() * layout.batch;
        let is_real = layout.kind != Kind::C2c;
        let plain = layout.inverse == (layout.kind == Kind::C2r)
            && !layout.in_place
            && !layout.transposed
            && !layout.special
            && layout.scale == 1.0;
        let (count, n, column) = match (&layout.extents[..], layout.batch) {
            (&[n], batch) => (batch, n, None),
            (&[r, c], 1) => (r, c, Some(r)),
            _ => return None,
        };
        if !plain || points > MAX_POINTS || is_real && n % 2 == 1 {
            return None;
        }
        let (row, frequencies) = if is_real { (n / 2, n / 2 + 1) } else { (n, n) };
        let numbers: Vec<f32> = noise.take(2 * count * if layout.kind == Kind::C2r { frequencies } else { row }).collect();
        let input: Vec<Complex32> = numbers.chunks_exact(2).map(|parts| Complex32::new(parts[0], parts[1])).collect();
        let direction = if layout.inverse { FftDirection::Inverse } else { FftDirection::Forward };
        let mut planner = FftPlanner::new();
        let rows = planner.plan_fft(row, direction);
        let columns = column.map(|column| planner.plan_fft(column, direction));
        let scratch = [Some(&rows), columns.as_ref()].into_iter().flatten().map(|fft| fft.get_inplace_scratch_len()).max().unwrap_or(0);
        let root = |k: usize| {
            let (sine, cosine) = (std::f64::consts::TAU * k as f64 / n as f64).sin_cos();
            Complex32::new(cosine as f32, -sine as f32)
        };
        Some(Self {
            kind: layout.kind,
            data: bands(count, row, threads),
            spectrum: if is_real { bands(count, frequencies, threads) } else { Vec::new() },
            transposed: column.map_or_else(Vec::new, |column| bands(frequencies, column, threads)),
            scratch: (0..threads).map(|_| RwLock::new(vec![Complex32::default(); scratch])).collect(),
            input,
            rows,
            columns,
            roots: if is_real { (0..frequencies).map(root).collect() } else { Vec::new() },
        })
    }

    /// Restores the input, because repeated transforms would grow to infinity.
    pub fn restore(&mut self) {
        let mut rest = &self.input[..];
        for band in if self.kind == Kind::C2r { &mut self.spectrum } else { &mut self.data } {
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
        let bands = if self.kind == Kind::R2c { &self.spectrum } else { &self.data };
        bands.iter().flat_map(|band| read(band).to_vec()).collect()
    }

    /// The work of one thread.
    fn work(&self, thread: usize, barrier: &Barrier) {
        let mut scratch = write(&self.scratch[thread]);
        match self.kind {
            Kind::C2c => {
                self.rows.process_with_scratch(&mut write(&self.data[thread]), &mut scratch);
                self.transform_columns(&self.data, self.rows.len(), thread, barrier, &mut scratch);
            }
            Kind::R2c => {
                let mut packed = write(&self.data[thread]);
                self.rows.process_with_scratch(&mut packed, &mut scratch);
                let m = self.rows.len();
                for (packed, spectrum) in packed.chunks_exact(m).zip(write(&self.spectrum[thread]).chunks_exact_mut(m + 1)) {
                    unpack(packed, spectrum, &self.roots);
                }
                self.transform_columns(&self.spectrum, m + 1, thread, barrier, &mut scratch);
            }
            Kind::C2r => {
                let m = self.rows.len();
                self.transform_columns(&self.spectrum, m + 1, thread, barrier, &mut scratch);
                let mut packed = write(&self.data[thread]);
                for (packed, spectrum) in packed.chunks_exact_mut(m).zip(read(&self.spectrum[thread]).chunks_exact(m + 1)) {
                    pack(spectrum, packed, &self.roots);
                }
                self.rows.process_with_scratch(&mut packed, &mut scratch);
            }
        }
    }

    /// Transforms the columns of a matrix with rows of `row`, if there are two axes.
    fn transform_columns(&self, matrix: &Bands, row: usize, thread: usize, barrier: &Barrier, scratch: &mut [Complex32]) {
        let Some(columns) = &self.columns else { return };
        barrier.wait();
        {
            let mut own = write(&self.transposed[thread]);
            transpose(matrix, row, &mut own, columns.len(), thread * band_rows(row, self.data.len()));
            columns.process_with_scratch(&mut own, scratch);
        }
        barrier.wait();
        let mut own = write(&matrix[thread]);
        transpose(&self.transposed, columns.len(), &mut own, row, thread * band_rows(columns.len(), self.data.len()));
    }
}

/// The half-spectrum of n reals from the DFT of n/2 pairs of them.
fn unpack(packed: &[Complex32], spectrum: &mut [Complex32], roots: &[Complex32]) {
    let m = packed.len();
    let first = packed[0];
    (spectrum[0], spectrum[m]) = (Complex32::new(first.re + first.im, 0.0), Complex32::new(first.re - first.im, 0.0));
    for k in 1..=m / 2 {
        let (z, w) = (packed[k], packed[m - k].conj());
        let difference = (z - w) * 0.5;
        let (even, odd) = ((z + w) * 0.5, Complex32::new(difference.im, -difference.re) * roots[k]);
        spectrum[k] = even + odd;
        spectrum[m - k] = (even - odd).conj();
    }
}

/// The reverse, without the factor 1/2.
fn pack(spectrum: &[Complex32], packed: &mut [Complex32], roots: &[Complex32]) {
    let m = packed.len();
    let (first, last) = (spectrum[0].re, spectrum[m].re);
    packed[0] = Complex32::new(first + last, first - last);
    for k in 1..=m / 2 {
        let (x, w) = (spectrum[k], spectrum[m - k].conj());
        let difference = x - w;
        let (sum, turned) = (x + w, Complex32::new(-difference.im, difference.re) * roots[k].conj());
        packed[k] = sum + turned;
        packed[m - k] = (sum - turned).conj();
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
