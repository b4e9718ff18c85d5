//! Correlations between their elements, in f64.

use std::f64::consts::TAU;

use wgpu_fft::num_complex::Complex64;
use wgpu_fft::signal::PhaseCorrelate;
use wgpu_fft::{DeviceProfile, Fragment, Program, Spec};

use crate::reference::dft;

/// The signed frequency of element i of a spectrum of these extents along each axis.
fn signed(mut i: usize, shape: &[usize]) -> Vec<f64> {
    let mut k = vec![0.0; shape.len()];
    for (axis, &n) in shape.iter().enumerate().rev() {
        let own = i % n;
        k[axis] = if 2 * own > n { own as f64 - n as f64 } else { own as f64 };
        i /= n;
    }
    k
}

/// Whether a frequency is n/2 along an axis.
fn is_nyquist(k: &[f64], shape: &[usize]) -> bool {
    k.iter().zip(shape).any(|(k, &n)| 2.0 * k.abs() == n as f64)
}

fn transformed(x: &[f32], shape: &[usize]) -> Vec<Complex64> {
    let mut z: Vec<Complex64> = x.iter().map(|&x| f64::from(x).into()).collect();
    dft(&mut z, shape, &(0..shape.len()).collect::<Vec<_>>(), false);
    z
}

/// A picture shifted cyclically by numbers that need not be whole, without frequencies n/2.
pub fn shifted(x: &[f32], shape: &[usize], by: &[f64]) -> Vec<f32> {
    let mut z = transformed(x, shape);
    let count = z.len() as f64;
    for (i, z) in z.iter_mut().enumerate() {
        let k = signed(i, shape);
        let turns: f64 = k.iter().zip(by).zip(shape).map(|((k, by), &n)| k * by / n as f64).sum();
        *z *= if is_nyquist(&k, shape) { Complex64::default() } else { Complex64::cis(-TAU * turns) / count };
    }
    dft(&mut z, shape, &(0..shape.len()).collect::<Vec<_>>(), true);
    z.iter().map(|z| z.re as f32).collect()
}

/// The spectrum Q of a correlation.
pub struct Correlation {
    q: Vec<Complex64>,
    shape: Vec<usize>,
}

impl Correlation {
    pub fn new(reference: &[f32], moving: &[f32], shape: &[usize], normalised: bool) -> Self {
        let unit = |z: &Complex64| if normalised && z.norm() > 0.0 { z / z.norm() } else { *z };
        let both = transformed(reference, shape).into_iter().zip(transformed(moving, shape));
        Self { q: both.map(|(x, y)| unit(&x) * unit(&y).conj()).collect(), shape: shape.to_vec() }
    }

    /// C at a point between the elements, without frequencies n/2.
    pub fn at(&self, s: &[f64]) -> f64 {
        let term = |(i, q): (usize, &Complex64)| {
            let k = signed(i, &self.shape);
            let turns: f64 = k.iter().zip(s).zip(&self.shape).map(|((k, s), &n)| k * s / n as f64).sum();
            if is_nyquist(&k, &self.shape) { 0.0 } else { (q * Complex64::cis(TAU * turns)).re }
        };
        self.q.iter().enumerate().map(term).sum::<f64>() / self.q.len() as f64
    }

    /// The place of the largest element at whole shifts.
    pub fn peak(&self) -> Vec<f64> {
        let mut c = self.q.clone();
        dft(&mut c, &self.shape, &(0..self.shape.len()).collect::<Vec<_>>(), true);
        let (i, _) = c.iter().enumerate().max_by(|a, b| a.1.re.total_cmp(&b.1.re)).unwrap();
        signed(i, &self.shape)
    }
}

/// Programs of every rank on a device.
pub fn programs(profile: &DeviceProfile, programs: &mut Vec<Program>) {
    let pictures = Fragment::new("f32(value) / 255.0");
    let of_bytes = PhaseCorrelate::new([30, 40]).map_input::<u8>(pictures).unwrap();
    programs.extend(of_bytes.design(profile).and_then(|recipe| of_bytes.lower(&recipe, profile)));
    for spec in [PhaseCorrelate::new([100]).batch(3), PhaseCorrelate::new([64, 48]).unnormalised(), PhaseCorrelate::new([8, 9, 10])] {
        programs.extend(spec.design(profile).and_then(|recipe| spec.lower(&recipe, profile)));
    }
}
