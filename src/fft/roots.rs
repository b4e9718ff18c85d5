//! Roots of unity, computed in f64 with the index reduced in integers.

use std::f64::consts::TAU;
use std::sync::Arc;

use num_complex::{Complex32, Complex64};

use crate::kernels::join;
use crate::plan::Table;

/// exp(-2πi·k/n), correct to about one unit in the last place of f64, and exact at multiples of an eighth turn where f64 can be.
pub(crate) fn root(k: u64, n: u64) -> Complex64 {
    // The angle as a fraction k/n of a turn is reduced to at most an eighth, where sine and cosine are at their best.
    let k = k % n;
    let (quarter, rest) = (4 * k / n, 4 * k % n);
    // rest/(4n) of a turn past the quarter, in 0..1/4; past an eighth, count back from the next quarter.
    let (cos, sin) = if 2 * rest <= n {
        let angle = TAU * rest as f64 / (4 * n) as f64;
        (angle.cos(), angle.sin())
    } else {
        let angle = TAU * (n - rest) as f64 / (4 * n) as f64;
        (angle.sin(), angle.cos())
    };
    match quarter {
        0 => Complex64::new(cos, -sin),
        1 => Complex64::new(-sin, -cos),
        2 => Complex64::new(-cos, sin),
        _ => Complex64::new(sin, cos),
    }
}

/// The roots that Stockham's stages multiply by.
///
/// Stage of radix r with p the product of the earlier radices: exp(-2πi·j·k/(p·r)) at p - 1 + (k - 1)·p + j, for k in 1..r and j in 0..p.
/// The stages fill one another's gaps, so n - 1 entries hold all of them.
pub(crate) fn stage_roots(radices: &[u32]) -> Table {
    let mut words = Vec::new();
    let mut p = 1;
    for &radix in radices {
        let radix = u64::from(radix);
        for k in 1..radix {
            for j in 0..p {
                let root = root(j * k, p * radix);
                let root = Complex32::new(root.re as f32, root.im as f32);
                words.extend([root.re.to_bits(), root.im.to_bits()]);
            }
        }
        p *= radix;
    }
    if words.is_empty() {
        // A binding must hold something; a transform of length 1 reads nothing of it.
        words.extend([1f32.to_bits(), 0]);
    }
    Table { label: format!("roots {}", join(radices, ".")), words: Arc::from(words) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_lie_on_the_circle_in_the_right_place() {
        for n in [1, 2, 3, 5, 8, 12, 31, 1024] {
            for k in 0..2 * n {
                let angle = -TAU * (k % n) as f64 / n as f64;
                let expected = Complex64::new(angle.cos(), angle.sin());
                assert!((root(k, n) - expected).norm() < 2e-15, "{k}/{n}: {} {expected}", root(k, n));
            }
        }
    }

    #[test]
    fn quarter_turns_are_exact() {
        let quarters: Vec<Complex64> = (0..4).map(|k| root(k, 4)).collect();
        assert_eq!(quarters, [Complex64::new(1., 0.), Complex64::new(0., -1.), Complex64::new(-1., 0.), Complex64::new(0., 1.)]);
        let eighth = root(1, 8);
        assert!((eighth.re + eighth.im).abs() < 2e-16, "{eighth}");
    }

    #[test]
    fn stages_fill_the_table_without_gaps() {
        let table = stage_roots(&[8, 4, 2]);
        assert_eq!(table.words.len(), 2 * 63);
        // Stage of radix 2 after 32: j = 5 at 31 + 5.
        let at = |i: usize| Complex32::new(f32::from_bits(table.words[2 * i]), f32::from_bits(table.words[2 * i + 1]));
        let expected = root(5, 64);
        assert_eq!(at(31 + 5), Complex32::new(expected.re as f32, expected.im as f32));
        // Stage of radix 4 after 8: j = 3, k = 2 at 7 + 8 + 3.
        let expected = root(6, 32);
        assert_eq!(at(7 + 8 + 3), Complex32::new(expected.re as f32, expected.im as f32));
    }
}
