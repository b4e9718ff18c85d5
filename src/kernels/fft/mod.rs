//! Twins of `shaders/fft/**.wgsl`.

pub mod io;
pub mod lanes;
pub mod pass;
pub mod radix2;

use super::{Access, Bind, HostCall, Slot};
use num_complex::Complex32;

/// Rows to transform and what is done to them besides.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rows {
    /// Length of a row.
    pub n: u32,
    /// How many.
    pub rows: u32,
    /// The inverse transform.
    pub inverse: bool,
    /// Factor on every output.
    pub scale: f32,
}

impl Rows {
    /// What is done, for people.
    #[must_use]
    pub fn label(self) -> String {
        format!("{} of {} rows of {}", if self.inverse { "inverse FFT" } else { "FFT" }, self.rows, self.n)
    }
}

/// A row FFT's array bindings and its table of roots.
fn binds(input: Slot, output: Slot, roots: Slot) -> Vec<Bind> {
    let mut binds = io::binds(input, output);
    binds.push(Bind { binding: 3, name: "roots", access: Access::Read, slot: roots, range: None });
    binds
}

/// The mirror of both row FFTs: Stockham's stages of `radices`, in f32, with the same table of roots of unity.
fn mirror_stockham(call: &mut HostCall<'_>, radices: &[usize], rows: usize, scale: f32) {
    let n = call.constant("N");
    let inverse = call.flag("INVERSE");
    let swap = |z: Complex32| if inverse { Complex32::new(z.im, z.re) } else { z };
    let input = call.input();
    let input: &[Complex32] = bytemuck::cast_slice(&input);
    let roots: Vec<Complex32> = bytemuck::pod_collect_to_vec(call.buffer("roots"));
    for r in 0..rows {
        let mut x: Vec<Complex32> = input[r * n..][..n].iter().map(|&z| swap(z)).collect();
        let mut y = x.clone();
        let mut p = 1;
        for &radix in radices {
            for j in 0..n / radix {
                let w: Vec<Complex32> = (0..radix)
                    .map(|k| x[j + k * (n / radix)] * if k == 0 { Complex32::ONE } else { roots[p - 1 + (k - 1) * p + j % p] })
                    .collect();
                for k in 0..radix {
                    let sum: Complex32 = (0..radix).map(|i| w[i] * small_root(i * k, radix)).sum();
                    y[(j - j % p) * radix + j % p + k * p] = sum;
                }
            }
            std::mem::swap(&mut x, &mut y);
            p *= radix;
        }
        let output: &mut [Complex32] = bytemuck::cast_slice_mut(call.output());
        for (to, z) in output[r * n..].iter_mut().zip(&x) {
            *to = swap(*z) * scale;
        }
    }
}

fn small_root(k: usize, n: usize) -> Complex32 {
    let (sin, cos) = (-std::f64::consts::TAU * (k % n) as f64 / n as f64).sin_cos();
    Complex32::new(cos as f32, sin as f32)
}
