//! Zoomed spectra and resampled arrays by their definitions, in f64.

use std::f64::consts::TAU;

use wgpu_fft::elements::Number;
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::signal::{Frequencies, Resample, Zoom};
use wgpu_fft::{DeviceProfile, Program, Spec};

/// Replaces every line of dense arrays along an axis.
fn along(x: &[Complex64], shape: &[usize], axis: usize, of_line: impl Fn(&[Complex64]) -> Vec<Complex64>) -> Vec<Complex64> {
    let n = shape[axis];
    let stride: usize = shape[axis + 1..].iter().product();
    let of_block = |block: &[Complex64]| {
        let lines: Vec<Vec<Complex64>> =
            (0..stride).map(|first| of_line(&block.iter().copied().skip(first).step_by(stride).collect::<Vec<_>>())).collect();
        (0..lines[0].len()).flat_map(|j| lines.iter().map(move |line| line[j])).collect::<Vec<_>>()
    };
    x.chunks(n * stride).flat_map(of_block).collect()
}

fn turn(turns: f64) -> Complex64 {
    Complex64::cis(TAU * turns)
}

/// The spectrum at these frequencies.
pub fn zoom(x: &[Complex64], shape: &[usize], axis: usize, frequencies: &[f64]) -> Vec<Complex64> {
    along(x, shape, axis, |line| {
        frequencies.iter().map(|f| line.iter().enumerate().map(|(j, x)| x * turn(-((j as f64 * f) % 1.0))).sum()).collect()
    })
}

/// One axis after the other.
pub fn resample(x: &[Complex64], shape: &[usize], to: &[usize]) -> Vec<Complex64> {
    let mut shape = shape.to_vec();
    let mut y = x.to_vec();
    for (axis, &m) in to.iter().enumerate() {
        if shape[axis] != m {
            y = along(&y, &shape, axis, |line| resampled(line, m));
            shape[axis] = m;
        }
    }
    y
}

fn resampled(x: &[Complex64], m: usize) -> Vec<Complex64> {
    let n = x.len();
    let common = n.min(m) as i64;
    let root = |j: usize, k: i64, n: usize| turn((j as i64 * k).rem_euclid(n as i64) as f64 / n as f64);
    let frequencies: Vec<(i64, Complex64)> = (-common / 2..=common / 2)
        .map(|k| {
            let z: Complex64 = x.iter().enumerate().map(|(j, x)| x * root(j, -k, n)).sum();
            let is_split = 2 * k.abs() == common && n < m;
            (k, z * if is_split { 0.5 } else { 1.0 } / n as f64)
        })
        .collect();
    (0..m).map(|j| frequencies.iter().map(|(k, z)| z * root(j, *k, m)).sum()).collect()
}

/// Programs with every special case.
pub fn programs<T: Number>(profile: &DeviceProfile, programs: &mut Vec<Program>) {
    let zoom = Zoom::<T>::new([3, 30], [0.1, 0.2], 20).batch(2);
    programs.push(zoom.lower(&zoom.design(profile).unwrap(), profile).unwrap());
    let zoom = Zoom::<T>::new([30, 6], [0.1, 0.2], 20).axis(0);
    programs.push(zoom.lower(&zoom.design(profile).unwrap(), profile).unwrap());
    for spec in [Frequencies::<T>::bins([5, 40], [3, 30]).batch(2), Frequencies::bins([20, 3], (0..15).collect::<Vec<_>>()).axis(0)] {
        programs.push(spec.lower(&spec.design(profile).unwrap(), profile).unwrap());
    }
    for (from, to) in [(vec![12], vec![8]), (vec![10, 16], vec![18, 12]), (vec![8, 12, 5], vec![12, 6, 5])] {
        let spec = Resample::<T>::new(from, to).batch(3);
        programs.push(spec.lower(&spec.design(profile).unwrap(), profile).unwrap());
    }
}
