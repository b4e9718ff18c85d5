//! The jobs of a stream: plans that are bound beforehand, and what they are bound to.

use std::sync::Arc;

use num_complex::Complex32;

use crate::error::Result;
use crate::fft::{C2r, R2c};
use crate::gpu::{DeviceBuffer, Gpu, View};
use crate::plan::{Bound, Plan, filled};
use crate::reduce::Reduction;
use crate::reduce::geometry::gcd;

/// A plan with its arrays, and when it is due.
#[derive(Debug)]
pub(super) struct Job {
    pub every: usize,
    phase: usize,
    /// Used in turns.
    pub bounds: Vec<Bound>,
}

impl Job {
    pub fn new(every: usize, phase: usize, count: usize, bind: impl Fn(usize) -> Result<Bound>) -> Result<Self> {
        Ok(Self { every, phase, bounds: (0..count).map(bind).collect::<Result<_>>()? })
    }

    /// What was due in the period that block `step` belongs to, of periods of several blocks.
    pub fn done(&self, step: u64) -> Option<&Bound> {
        self.bound_if(step, |at| self.every > 1 && self.phase < at)
    }

    pub fn due(&self, step: u64) -> Option<&Bound> {
        self.bound_if(step, |at| self.phase == at)
    }

    /// What belongs to the period of block `step`, if the block's place in it is such.
    fn bound_if(&self, step: u64, fits: impl Fn(usize) -> bool) -> Option<&Bound> {
        let (period, at) = (step / self.every as u64, step % self.every as u64);
        fits(at as usize).then(|| &self.bounds[(period % self.bounds.len() as u64) as usize])
    }
}

/// A part while jobs are made for it.
pub(super) struct Level {
    pub m: usize,
    pub n: usize,
    /// Spectra in the ring.
    pub q: usize,
    /// Complex numbers of a slice of a row, and slices.
    pub slice: usize,
    pub slices: usize,
    /// Numbers of the spectra of all channels.
    pub bins: usize,
    pub ring: DeviceBuffer<Complex32>,
    pub sums: DeviceBuffer<Complex32>,
    pub spectra: DeviceBuffer<Complex32>,
    pub sum: Arc<Plan<Reduction<Complex32, Complex32>>>,
}

impl Level {
    /// Complex numbers from one row to the next.
    fn row(&self) -> usize {
        self.slice * self.slices
    }

    /// Where new spectra go.
    pub fn newest(&self, period: usize) -> Result<View<'_, Complex32>> {
        let at = period % self.q * self.row();
        self.ring.slice(at..at + self.bins)
    }

    /// The sums of a slice, when the newest row is that of `period`.
    pub fn sums(&self, slice: usize, period: usize) -> Result<Bound> {
        let (row, reach) = (self.row(), (self.q - 1) * self.row() + self.slice);
        let at = slice * self.slice;
        let first = (self.q - 1 - period % self.q) * row + at;
        let operands = (self.ring.slice(at..at + reach)?, self.spectra.slice(first..first + reach)?);
        self.sum.bind(operands, self.sums.slice(at..at + self.slice)?)
    }
}

/// The transform of so many samples of each channel, followed by as many zeros.
pub(super) fn padded(n: usize, channels: usize) -> R2c {
    R2c::forward(2 * n).batch(channels).input_part(Some(0..n as i64))
}

/// The way back to the samples of each channel that no product has reached by wrapping around.
pub(super) fn second_half(n: usize, channels: usize) -> C2r {
    C2r::inverse(2 * n).batch(channels).output_part(Some(n as i64..2 * n as i64))
}

/// Rows of a kernel's spectra: at some offset, each lies beside its row of the ring.
pub(super) fn rows(q: usize) -> usize {
    2 * q - 1
}

/// Uniforms, one after the other where the device can bind them.
pub(super) struct Uniforms {
    buffer: wgpu::Buffer,
    pitch: u64,
}

impl Uniforms {
    pub fn new(gpu: &Gpu, values: &[[u32; 4]]) -> Result<Self> {
        let pitch = gpu.profile().uniform_alignment.max(size_of::<[u32; 4]>() as u32);
        let mut words = vec![0; values.len() * pitch as usize / 4];
        for (value, place) in values.iter().zip(words.chunks_mut(pitch as usize / 4)) {
            place[..4].copy_from_slice(value);
        }
        let (bytes, usage) = (bytemuck::cast_slice(&words), wgpu::BufferUsages::UNIFORM);
        let buffer = filled(gpu, "places in a stream", bytes.len() as u64, usage, bytes)?;
        Ok(Self { buffer, pitch: pitch.into() })
    }

    pub fn at(&self, i: usize) -> Result<View<'_, [u32; 4]>> {
        View::new(&self.buffer, i as u64 * self.pitch, 1)
    }
}

/// The smallest number that both divide. They are numbers of spectra, less than 2³².
pub(super) fn common_multiple(a: usize, b: usize) -> usize {
    a / gcd(a as u32, b as u32) as usize * b
}
