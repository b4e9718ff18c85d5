//! Transforms on the host, by rustfft, where data would be longer on their way to the device than the
//! host takes to transform them.

use std::sync::{Arc, Mutex, PoisonError};

use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftDirection, FftPlanner};
use wgpu_fft::Error;

use crate::library::Library;
use crate::precision::Real;
use crate::problem::{Step, What};

/// The variable that says where transforms run.
const HOST: &str = "WGPU_FFT_FFTW_HOST";

/// Whether the host is to transform, rather than a device.
pub fn is_chosen(step: &Step, library: &mut Library) -> Result<bool, Error> {
    match std::env::var(HOST).as_deref() {
        Err(_) | Ok("" | "auto") => library.is_host_faster(step),
        Ok("always") => Ok(true),
        Ok("never") => Ok(false),
        Ok(other) => Err(Error::Unsupported { what: format!("{HOST}={other}"), why: "it is auto, always or never".to_owned() }),
    }
}

/// A step of a problem.
pub struct Host {
    extents: Vec<usize>,
    behind: usize,
    /// A transform of complex numbers for each axis, but for the last one of reals.
    axes: Vec<Arc<dyn Fft<Real>>>,
    reals: Option<Reals>,
}

enum Reals {
    Forward(Arc<dyn RealToComplex<Real>>),
    Inverse(Arc<dyn ComplexToReal<Real>>),
}

/// Columns that are gathered together: a line of the cache of each row.
const TOGETHER: usize = 8;

impl Host {
    /// Nothing for kinds that the host does not know.
    pub fn new(step: &Step) -> Option<Self> {
        static PLANNERS: Mutex<Option<(FftPlanner<Real>, RealFftPlanner<Real>)>> = Mutex::new(None);
        let mut planners = PLANNERS.lock().unwrap_or_else(PoisonError::into_inner);
        let (complex, real) = planners.get_or_insert_with(|| (FftPlanner::new(), RealFftPlanner::new()));
        let last = *step.extents.last()?;
        let (direction, reals) = match step.what {
            What::C2c(direction) => (direction, None),
            What::R2c => (FftDirection::Forward, Some(Reals::Forward(real.plan_fft_forward(last)))),
            What::C2r => (FftDirection::Inverse, Some(Reals::Inverse(real.plan_fft_inverse(last)))),
            What::R2r => return None,
        };
        let of_complex = &step.extents[..step.extents.len() - usize::from(reals.is_some())];
        let axes = of_complex.iter().map(|&n| complex.plan_fft(n, direction)).collect();
        Some(Self { extents: step.extents.clone(), behind: step.behind, axes, reals })
    }

    /// Transforms dense arrays.
    pub fn run(&self, input: &[Real], output: &mut [Real]) {
        let last = self.extents[self.extents.len() - 1];
        match &self.reals {
            None => {
                output.copy_from_slice(input);
                self.complex(bytemuck::cast_slice_mut(output), self.behind);
            }
            Some(Reals::Forward(plan)) => {
                let half = last / 2 + 1;
                let (mut row, mut scratch) = (plan.make_input_vec(), plan.make_scratch_vec());
                let output: &mut [Complex<Real>] = bytemuck::cast_slice_mut(output);
                for (reals, spectrum) in input.chunks_exact(last).zip(output.chunks_exact_mut(half)) {
                    row.copy_from_slice(reals);
                    // It fails for wrong lengths alone.
                    let _ = plan.process_with_scratch(&mut row, spectrum, &mut scratch);
                }
                self.complex(output, half);
            }
            Some(Reals::Inverse(plan)) => {
                let half = last / 2 + 1;
                let mut spectra: Vec<Complex<Real>> = bytemuck::cast_slice(input).to_vec();
                self.complex(&mut spectra, half);
                let mut scratch = plan.make_scratch_vec();
                for (spectrum, reals) in spectra.chunks_exact_mut(half).zip(output.chunks_exact_mut(last)) {
                    // As FFTW does, it ignores the imaginary parts of what must be real.
                    spectrum[0].im = 0.0;
                    if last.is_multiple_of(2) {
                        spectrum[half - 1].im = 0.0;
                    }
                    let _ = plan.process_with_scratch(spectrum, reals, &mut scratch);
                }
            }
        }
    }

    /// Transforms complex numbers along all axes but those `behind` them.
    fn complex(&self, data: &mut [Complex<Real>], behind: usize) {
        let mut stride = behind;
        for (plan, &n) in self.axes.iter().zip(&self.extents).rev() {
            let mut scratch = vec![Complex::default(); plan.get_inplace_scratch_len()];
            if stride == 1 {
                plan.process_with_scratch(data, &mut scratch);
            } else {
                let mut lines = vec![Complex::default(); n * TOGETHER.min(stride)];
                for block in data.chunks_exact_mut(n * stride) {
                    for first in (0..stride).step_by(TOGETHER) {
                        let count = TOGETHER.min(stride - first);
                        let lines = &mut lines[..n * count];
                        for (i, row) in block.chunks_exact(stride).enumerate() {
                            (0..count).for_each(|c| lines[c * n + i] = row[first + c]);
                        }
                        plan.process_with_scratch(lines, &mut scratch);
                        for (i, row) in block.chunks_exact_mut(stride).enumerate() {
                            (0..count).for_each(|c| row[first + c] = lines[c * n + i]);
                        }
                    }
                }
            }
            stride *= n;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Kind, Problem};
    use crate::side::Dim;

    fn step(kind: Kind, extents: &[usize], batch: usize) -> Step {
        let dims = extents.iter().map(|&n| Dim { n, input: 1, output: 1 }).collect();
        let problem = Problem::new(kind, dims, &[Dim { n: batch, input: 1, output: 1 }], false).unwrap();
        problem.steps().remove(0)
    }

    #[test]
    fn real_to_real_kinds_go_to_the_device() {
        assert!(Host::new(&step(Kind::R2r(vec![wgpu_fft::fft::RealKind::Hartley]), &[8], 1)).is_none());
    }
}
