//! The host's processors as a member of a set: rustfft on rayon's threads, and plain copies.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use rayon::prelude::*;
use rustfft::{Fft, FftDirection, FftNum, FftPlanner};
use wgpu_fft::bytemuck::{self, Pod};
use wgpu_fft::low_level::transfer::scatter;
use wgpu_fft::num_complex::Complex;

use super::fault::Injection;
use super::phase::{OnHost, Reading};
use super::schedule::Schedule;
use crate::report::Work;

/// Works on a schedule until nothing is left.
pub(super) fn run(reading: Reading<'_>, schedule: &Schedule<'_>, participant: usize, sizes: [usize; 2], faults: Injection<'_>) -> Work {
    let begin = Instant::now();
    let mut work = Work::default();
    loop {
        let asked = Instant::now();
        let piece = schedule.take(participant, sizes, true);
        work.idle += asked.elapsed();
        let Some(mut piece) = piece else { break };
        let gathering = Instant::now();
        let inputs: Vec<Vec<u32>> = (0..reading.arrays()).map(|array| words(&reading.slices(array, &piece))).collect();
        work.gather += gathering.elapsed();
        let length: usize = piece.target.iter().map(|run| run.len()).sum();
        let mut output = vec![0; length.div_ceil(4)];
        let computed = faults.piece(None).and_then(|()| faults.allocation(None, length as u64));
        if let Err(error) = computed.and_then(|()| reading.phase.computation.on_host(&piece.units, &inputs, &mut output)) {
            work.error = Some(error.into());
            schedule.give_back(piece);
            break;
        }
        let scattering = Instant::now();
        scatter(&bytemuck::cast_slice(&output)[..length], &mut piece.target, rayon::current_num_threads());
        work.scatter += scattering.elapsed();
        reading.count(&piece, &mut work);
        schedule.done(piece.units.len());
    }
    work.busy = begin.elapsed().saturating_sub(work.idle);
    work
}

/// The slices as one contiguous piece, aligned for numbers.
fn words(slices: &[&[u8]]) -> Vec<u32> {
    let bytes: usize = slices.iter().map(|slice| slice.len()).sum();
    let mut words = vec![0; bytes.div_ceil(4)];
    let mut rest = bytemuck::cast_slice_mut::<u32, u8>(&mut words);
    for slice in slices {
        let (own, others) = rest.split_at_mut(slice.len());
        own.copy_from_slice(slice);
        rest = others;
    }
    words
}

/// A number of arrays on the host.
pub(super) trait Real: FftNum + Pod {}

impl<T: FftNum + Pod> Real for T {}

/// A Fourier transform of some axes of [outer…, units, …] on the host.
#[derive(Clone, Debug)]
pub(super) struct HostTransform {
    /// Extents of the array of complex numbers, slowest first. The extent of the units' axis `cut`
    /// is filled in later.
    pub extents: Vec<usize>,
    pub cut: usize,
    /// The axes in the order in which they are transformed.
    pub axes: Vec<usize>,
    pub inverse: bool,
    pub factor: f64,
    /// Whether the input or the output is real, and the length of its rows.
    pub reals: Option<Reals>,
}

/// The side on which numbers are real, with the length of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reals {
    Input(usize),
    Output(usize),
}

impl HostTransform {
    pub fn on_host<T: Real>(self) -> OnHost {
        // Plans are made when the host gets its first piece, because most sets do not use the host.
        let plans = OnceLock::new();
        Box::new(move |units, inputs, output| {
            self.run::<T>(plans.get_or_init(|| self.plans()), units.len(), &inputs[0], output);
            Ok(())
        })
    }

    /// The plan for each axis. None of them is the axis that is cut.
    fn plans<T: Real>(&self) -> Vec<Arc<dyn Fft<T>>> {
        let mut planner = FftPlanner::new();
        let direction = if self.inverse { FftDirection::Inverse } else { FftDirection::Forward };
        let length = |axis: usize| match self.reals {
            Some(Reals::Input(n) | Reals::Output(n)) if axis + 1 == self.extents.len() => n,
            _ => self.extents[axis],
        };
        self.axes.iter().map(|&axis| planner.plan_fft(length(axis), direction)).collect()
    }

    fn run<T: Real>(&self, plans: &[Arc<dyn Fft<T>>], units: usize, input: &[u32], output: &mut [u32]) {
        let mut extents = self.extents.clone();
        extents[self.cut] = units;
        let last = extents.len() - 1;
        let mut data: Vec<Complex<T>> = match self.reals {
            Some(Reals::Input(n)) => {
                extents[last] = n;
                bytemuck::pod_collect_to_vec::<u32, T>(input).into_iter().map(|x| Complex::new(x, T::zero())).collect()
            }
            // The other half of the spectrum is filled in from conjugates after the other axes are
            // transformed.
            _ => bytemuck::pod_collect_to_vec(input),
        };
        let half = |n: usize| n / 2 + 1;
        for (&axis, plan) in self.axes.iter().zip(plans) {
            if axis == last
                && let Some(Reals::Output(n)) = self.reals
            {
                let whole = |row: &[Complex<T>]| {
                    let mut all = row.to_vec();
                    all[0].im = T::zero();
                    if n.is_multiple_of(2) {
                        all[n / 2].im = T::zero();
                    }
                    all.extend((half(n)..n).map(|k| row[n - k].conj()));
                    all
                };
                data = data.par_chunks(half(n)).flat_map_iter(whole).collect();
                extents[last] = n;
            }
            let inner: usize = extents[axis + 1..].iter().product();
            transform_lines(&mut data, plan, inner);
        }
        if self.factor != 1.0 {
            let factor = T::from_f64(self.factor).expect("f32 and f64 are made of any f64");
            data.par_iter_mut().for_each(|z| *z = *z * factor);
        }
        let target: &mut [u8] = bytemuck::cast_slice_mut(output);
        match self.reals {
            Some(Reals::Input(n)) => {
                let kept: Vec<Complex<T>> = data.par_chunks(n).flat_map_iter(|row| row[..half(n)].iter().copied()).collect();
                target.copy_from_slice(bytemuck::cast_slice(&kept));
            }
            Some(Reals::Output(_)) => {
                let target = target.par_chunks_exact_mut(size_of::<T>());
                target.zip(&data).for_each(|(x, z)| x.copy_from_slice(bytemuck::bytes_of(&z.re)));
            }
            None => target.copy_from_slice(bytemuck::cast_slice(&data)),
        }
    }
}

/// Transforms lines whose elements are `inner` apart.
fn transform_lines<T: Real>(data: &mut [Complex<T>], fft: &Arc<dyn Fft<T>>, inner: usize) {
    let n = fft.len();
    let lines = |data: &mut [Complex<T>]| {
        data.par_chunks_mut(n).for_each_init(
            || vec![Complex::new(T::zero(), T::zero()); fft.get_inplace_scratch_len()],
            |scratch, line| {
                fft.process_with_scratch(line, scratch);
            },
        );
    };
    if inner == 1 {
        return lines(data);
    }
    for block in data.chunks_mut(n * inner) {
        let mut turned: Vec<Complex<T>> =
            (0..inner).into_par_iter().flat_map_iter(|i| (0..n).map(move |k| (i, k))).map(|(i, k)| block[k * inner + i]).collect();
        lines(&mut turned);
        block.par_chunks_mut(inner).enumerate().for_each(|(k, row)| {
            for (i, z) in row.iter_mut().enumerate() {
                *z = turned[i * n + k];
            }
        });
    }
}
