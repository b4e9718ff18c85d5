//! `wgpu-fft check --by-length`: the error of transforms over their length.

use serde_json::json;
use wgpu_fft::num_complex::{Complex32, Complex64};

use crate::Result;
use crate::array::fft_on_host;
use crate::check::{DOUBLE, F32, relative_error, transformed};
use crate::device::{Device, describe};
use crate::output::table;

/// Powers of two, products of small primes, and primes, up to a million.
fn lengths() -> Vec<usize> {
    let powers = (1..=20).map(|power| 1 << power);
    let products = [6, 10, 30, 60, 100, 210, 360, 1000, 1080, 1920, 2310, 6000, 10_000, 30_030, 100_000, 510_510, 1_000_000];
    let primes = [3, 7, 13, 31, 37, 61, 127, 257, 509, 1009, 2039, 4099, 8191, 16_381, 32_749, 65_537, 131_071, 262_139, 524_287];
    let mut all: Vec<usize> = powers.chain(products).chain(primes).collect();
    all.sort_unstable();
    all
}

/// The bound that the library documents for f32: 1.5·u·√log₂n, or 3·u·√log₂3n for lengths with a
/// prime factor above 31.
fn bound(n: usize) -> f64 {
    let mut rest = n;
    for factor in 2..=31 {
        while rest.is_multiple_of(factor) {
            rest /= factor;
        }
    }
    let (most, length) = if rest > 1 { (3.0, 3 * n) } else { (1.5, n) };
    most * F32 * (length as f64).log2().max(1.0).sqrt()
}

/// Prints an error for each length up to `most`, those of rustfft in f32 beside it. Returns whether all are
/// within their bounds.
pub fn run(device: &Device, most: usize) -> Result<bool> {
    let gpu = device.open()?;
    let info = gpu.adapter_info();
    let (mut rows, mut right) = (Vec::new(), true);
    for n in lengths().into_iter().filter(|&n| n <= most) {
        // Short transforms in batches, so that their errors are means over many numbers.
        let batch = (4096 / n).max(1);
        for numbers in ["f32", "f64-by-f32"] {
            let double = numbers != "f32";
            if double && !n.is_power_of_two() {
                continue;
            }
            let spec = format!("c2c fwd {n} x{batch}{}", if double { " f64-by-f32" } else { "" });
            let [input, result] = transformed(&gpu, &spec)?;
            let mut expected = input.clone();
            fft_on_host(&mut expected, &[batch, n], &[1], false);
            let error = relative_error(&result, &expected)?;
            let bound = if double { DOUBLE * (n as f64).log2().max(1.0).sqrt() } else { bound(n) };
            let on_host = if double {
                None
            } else {
                let mut rounded: Vec<Complex32> = input.iter().map(|z| Complex32::new(z.re as f32, z.im as f32)).collect();
                fft_on_host(&mut rounded, &[batch, n], &[1], false);
                let wide: Vec<Complex64> = rounded.iter().map(|z| Complex64::new(z.re.into(), z.im.into())).collect();
                Some(relative_error(&wide, &expected)?)
            };
            // A NaN is not within any bound.
            right &= error <= bound;
            device.output.record(&json!({
                "bench": "accuracy", "spec": spec, "adapter": info.name, "driver": format!("{} {}", info.driver, info.driver_info),
                "n": n, "numbers": numbers, "error": error, "bound": bound, "rustfft": on_host,
            }));
            let number = |number: f64| format!("{number:.2e}");
            rows.push(vec![spec, number(error), number(bound), on_host.map_or("-".to_owned(), number)]);
        }
    }
    if device.output.is_chatty() {
        println!("{}\n{}\n", describe(&info), table(&["specification", "error", "allowed", "rustfft"], &rows, 1));
    }
    if !device.output.json {
        println!("{}", if right { "all errors are within their bounds" } else { "an error exceeds its bound" });
    }
    Ok(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_know_large_prime_factors() {
        assert_eq!(bound(2), 1.5 * F32);
        assert_eq!(bound(1 << 16), 6.0 * F32);
        assert!(bound(37) > bound(1 << 10) && bound(31) < bound(32));
    }
}
