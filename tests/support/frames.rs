//! Short-time Fourier transforms by their definition, in f64.

use std::f64::consts::TAU;

use wgpu_fft::elements::Number;
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::signal::PowerSpectrum;
use wgpu_fft::signal::{Scaling, Stft};
use wgpu_fft::{DeviceProfile, Edge, Program, Spec};

use crate::convolutions;

/// How signals continue past their ends.
pub const EDGES: [Edge; 6] = [Edge::Zero, Edge::Nearest, Edge::Mirror, Edge::Odd, Edge::Wrap, Edge::Reflect];

#[derive(Clone, Debug)]
pub struct Case {
    pub n: usize,
    pub window: Vec<f64>,
    pub hop: usize,
    pub nfft: usize,
    pub phase: Option<i64>,
    pub scaling: Scaling,
    pub edge: Edge,
    pub frames: Option<[i64; 2]>,
}

/// A window without symmetry and without zeros.
pub fn window(m: usize) -> Vec<f64> {
    (0..m).map(|j| ((5 * j + 3) % 11 + 1) as f64 / 8.0).collect()
}

impl Case {
    pub fn new(n: usize, m: usize, hop: usize, nfft: usize) -> Self {
        let (scaling, edge) = Default::default();
        Self { n, window: window(m), hop, nfft, phase: Some(0), scaling, edge, frames: None }
    }

    pub fn spec<T: Number>(&self) -> Stft<T> {
        let spec = Stft::new(self.n, &self.window, self.hop).nfft(self.nfft).phase_shift(self.phase);
        let spec = spec.scaling(self.scaling).edge(self.edge);
        self.frames.map_or(spec.clone(), |[from, to]| spec.frames(from..to))
    }

    /// The element of a signal at a place that may be past its ends.
    fn element(&self, x: &[Complex64], at: i64) -> Complex64 {
        let n = x.len() as i64;
        let of = |edge: Edge| convolutions::element(edge, n, at).map_or(Complex64::ZERO, |i| x[i]);
        match self.edge {
            Edge::Odd if !(0..n).contains(&at) => 2.0 * of(Edge::Nearest) - of(Edge::Mirror),
            Edge::Odd => x[at as usize],
            edge => of(edge),
        }
    }

    /// The spectra of frames from..to, with `bins` frequencies each.
    pub fn direct(&self, x: &[Complex64], [from, to]: [i64; 2], bins: usize) -> Vec<Complex64> {
        let m = self.window.len() as i64;
        let factor = match self.scaling {
            Scaling::None => 1.0,
            Scaling::Magnitude => 1.0 / self.window.iter().sum::<f64>().abs(),
            Scaling::Psd { sampling_rate } => 1.0 / (sampling_rate * self.window.iter().map(|w| w * w).sum::<f64>()).sqrt(),
        };
        let shift = self.phase.map_or(0, |shift| (shift + m / 2).rem_euclid(m));
        let of_frame = |p: i64| {
            let begin = p * self.hop as i64 - m / 2;
            let frame: Vec<Complex64> = (0..m).map(|j| factor * self.window[j as usize] * self.element(x, begin + j)).collect();
            let n = self.nfft as i64;
            let turn = move |k: i64, j: i64| Complex64::from_polar(1.0, -TAU * (k * (j - shift)).rem_euclid(n) as f64 / n as f64);
            (0..bins as i64).map(move |k| frame.iter().zip(0..).map(|(value, j)| value * turn(k, j)).sum()).collect::<Vec<Complex64>>()
        };
        (from..to).flat_map(of_frame).collect()
    }
}

/// A power spectral density by its definition.
#[derive(Clone, Debug)]
pub struct Welch {
    pub n: usize,
    pub window: Vec<f64>,
    pub overlap: usize,
    pub nfft: usize,
    pub rate: f64,
}

impl Welch {
    pub fn new(n: usize, m: usize, overlap: usize, nfft: usize) -> Self {
        Self { n, window: window(m), overlap, nfft, rate: 20.0 }
    }

    pub fn spec<T: Number>(&self) -> PowerSpectrum<T> {
        PowerSpectrum::new(self.n, &self.window, self.rate).overlap(self.overlap).nfft(self.nfft)
    }

    /// Of real signals, the powers of half of the frequencies, doubled.
    pub fn direct(&self, x: &[Complex64], real: bool) -> Vec<f64> {
        let (m, n) = (self.window.len(), self.nfft);
        let squares: f64 = self.window.iter().map(|w| w * w).sum();
        let segments: Vec<&[Complex64]> = x.windows(m).step_by(m - self.overlap).collect();
        let power = |segment: &&[Complex64], k: usize| {
            let product = |j: usize| segment[j] * self.window[j] * Complex64::from_polar(1.0, -TAU * (k * j % n) as f64 / n as f64);
            (0..m).map(product).sum::<Complex64>().norm_sqr() / (self.rate * squares)
        };
        let of_frequency = |k: usize| {
            let mean = segments.iter().map(|segment| power(segment, k)).sum::<f64>() / segments.len() as f64;
            if real && k > 0 && 2 * k != n { 2.0 * mean } else { mean }
        };
        (0..if real { n / 2 + 1 } else { n }).map(of_frequency).collect()
    }
}

/// Programs there and back, and power spectra.
pub fn programs<T: Number>(profile: &DeviceProfile, programs: &mut Vec<Program>) {
    let spec = Case::new(60, 16, 5, 16).spec::<T>().batch(2);
    programs.push(spec.lower(&spec.design(profile).unwrap(), profile).unwrap());
    let back = spec.inverse().unwrap();
    programs.push(back.lower(&back.design(profile).unwrap(), profile).unwrap());
    let power = Welch::new(60, 16, 7, 16).spec::<T>().batch(2);
    programs.push(power.lower(&power.design(profile).unwrap(), profile).unwrap());
}
