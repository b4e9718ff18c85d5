//! Makes test inputs and compares results.

use half::{bf16, f16};

use super::{TestInput, Tolerance};

/// Words after which random inputs repeat: a prime, so that no extent of an array is a multiple of
/// it, and making gigabytes takes no longer than copying.
const PERIOD: usize = 1_048_573;

/// An input of so many words.
pub(crate) fn fill(fill: TestInput, words: usize) -> Vec<u32> {
    let mut dice = Dice(0x5eed_1234_9876_fedc);
    let own = words.min(PERIOD.next_multiple_of(2));
    let mut input: Vec<u32> = Vec::with_capacity(words);
    while input.len() < own {
        match fill {
            TestInput::Bits => input.push((dice.next() >> 32) as u32),
            TestInput::F32(low, high) => input.push((low + (high - low) * dice.unit() as f32).to_bits()),
            TestInput::F16(low, high) => input.push(word(|| f16::from_f32(low + (high - low) * dice.unit() as f32).to_bits())),
            TestInput::Bf16(low, high) => input.push(word(|| bf16::from_f32(low + (high - low) * dice.unit() as f32).to_bits())),
            TestInput::F64(low, high) => {
                let bits = (low + (high - low) * dice.unit()).to_bits();
                input.extend([bits as u32, (bits >> 32) as u32]);
            }
        }
    }
    input.truncate(own);
    while input.len() < words {
        let more = own.min(words - input.len());
        input.extend_from_within(..more);
    }
    input
}

/// A word of two numbers of 16 bits.
fn word(mut number: impl FnMut() -> u16) -> u32 {
    let first = u32::from(number());
    first | u32::from(number()) << 16
}

/// Why a result does not agree with what is expected, if it does not.
#[cfg(all(feature = "tune", not(target_arch = "wasm32")))]
pub(crate) fn disagreement(agreement: Tolerance, expected: &[u32], actual: &[u32]) -> Option<String> {
    if expected.len() != actual.len() {
        return Some(format!("{} words in place of {}", actual.len(), expected.len()));
    }
    let (tolerance, [difference, norm]) = match agreement {
        Tolerance::Bits => {
            let wrong = expected.iter().zip(actual).filter(|(expected, actual)| expected != actual).count();
            return (wrong > 0).then(|| format!("{wrong} of {} words are wrong", expected.len()));
        }
        Tolerance::F32(tolerance) => (tolerance, squares(expected, actual, |word| [f64::from(f32::from_bits(word)), 0.0])),
        Tolerance::F16(tolerance) => {
            let halves = |word: u32| [word as u16, (word >> 16) as u16].map(|bits| f16::from_bits(bits).to_f64());
            (tolerance, squares(expected, actual, halves))
        }
        Tolerance::Bf16(tolerance) => {
            let halves = |word: u32| [word as u16, (word >> 16) as u16].map(|bits| bf16::from_bits(bits).to_f64());
            (tolerance, squares(expected, actual, halves))
        }
        Tolerance::F64(tolerance) => {
            let number = |pair: &[u32]| f64::from_bits(pair.iter().rev().fold(0, |bits, &word| bits << 32 | u64::from(word)));
            let wide = |words: &[u32]| words.chunks(2).map(number).collect::<Vec<f64>>();
            let pairs = wide(expected).into_iter().zip(wide(actual));
            let sums = pairs.fold([0.0, 0.0], |[difference, norm], (expected, actual)| {
                let own = if expected.to_bits() == actual.to_bits() { 0.0 } else { actual - expected };
                [difference + own * own, norm + if expected.is_nan() { 0.0 } else { expected * expected }]
            });
            (tolerance, sums)
        }
    };
    let error = (difference / norm).sqrt();
    // Not `error > tolerance`, which lets NaN pass. Where nothing differs there may be nothing at
    // all.
    let agrees = difference == 0.0 || error <= tolerance;
    let missing = if error.is_nan() { ": some of it is no number, or was not written" } else { "" };
    (!agrees).then(|| format!("relative error {error:.1e}, and {tolerance:.1e} is allowed{missing}"))
}

/// How many numbers of an output are infinite or none, if it holds numbers that are compared as
/// such.
pub(crate) fn count_not_finite(output: Tolerance, words: &[u32]) -> Option<usize> {
    let halves = |word: u32| [word as u16, (word >> 16) as u16];
    let count = match output {
        Tolerance::Bits => return None,
        Tolerance::F32(_) => words.iter().filter(|word| !f32::from_bits(**word).is_finite()).count(),
        Tolerance::F16(_) => words.iter().flat_map(|word| halves(*word)).filter(|bits| !f16::from_bits(*bits).is_finite()).count(),
        Tolerance::Bf16(_) => words.iter().flat_map(|word| halves(*word)).filter(|bits| !bf16::from_bits(*bits).is_finite()).count(),
        Tolerance::F64(_) => {
            let number = |pair: &&[u32]| !f64::from_bits(pair.iter().rev().fold(0, |bits, &word| bits << 32 | u64::from(word))).is_finite();
            words.chunks(2).filter(number).count()
        }
    };
    Some(count)
}

/// Sums of squares: of the differences, and of what is expected. Equal words do not differ,
/// whatever they are: what no recipe writes is a NaN in both.
#[cfg(all(feature = "tune", not(target_arch = "wasm32")))]
fn squares(expected: &[u32], actual: &[u32], numbers: impl Fn(u32) -> [f64; 2]) -> [f64; 2] {
    expected.iter().zip(actual).fold([0.0, 0.0], |[mut difference, mut norm], (&expected, &actual)| {
        let (own, other) = (numbers(expected), numbers(actual));
        for (own, other) in own.into_iter().zip(other) {
            if expected != actual {
                difference += (other - own) * (other - own);
            }
            norm += if own.is_nan() { 0.0 } else { own * own };
        }
        [difference, norm]
    })
}

/// Numbers that are random enough.
struct Dice(u64);

impl Dice {
    /// xorshift64*.
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// In 0 … 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_in_range_and_do_not_repeat_early() {
        let input = fill(TestInput::F32(-1.0, 1.0), 2 * PERIOD);
        assert_eq!(input.len(), 2 * PERIOD);
        assert!(input.iter().all(|&word| f32::from_bits(word).abs() <= 1.0));
        let mean = input.iter().map(|&word| f64::from(f32::from_bits(word))).sum::<f64>() / input.len() as f64;
        assert!(mean.abs() < 0.01, "{mean}");
        assert_ne!(input[..1024], input[1 << 20..][..1024]);
        assert!(fill(TestInput::F16(0.5, 1.5), 99).iter().all(|&word| (0.5..=1.5).contains(&f16::from_bits(word as u16).to_f32())));
        assert_eq!(count_not_finite(Tolerance::F32(1.0), &[0, 0x7f80_0000, 0x7fc0_dead, 1]), Some(2));
        assert_eq!(count_not_finite(Tolerance::F16(1.0), &[0x7c00_0000, 0x3c00_3c00]), Some(1));
        assert_eq!(count_not_finite(Tolerance::F64(1.0), &[0, 0x7ff0_0000, 0, 0]), Some(1));
        assert_eq!(count_not_finite(Tolerance::Bits, &[0x7fc0_dead]), None);
        let wide = fill(TestInput::F64(2.0, 3.0), 100);
        assert!(wide.chunks_exact(2).all(|pair| (2.0..3.0).contains(&f64::from_bits(u64::from(pair[1]) << 32 | u64::from(pair[0])))));
    }

    #[cfg(all(feature = "tune", not(target_arch = "wasm32")))]
    #[test]
    fn equal_results_agree_and_others_do_not() {
        let words = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        let expected = words(&[1.0, -2.0, f32::NAN]);
        for agreement in [Tolerance::Bits, Tolerance::F32(1e-6), Tolerance::F16(1e-3), Tolerance::F64(1e-12)] {
            assert_eq!(disagreement(agreement, &expected, &expected), None);
            assert!(disagreement(agreement, &expected, &expected[1..]).is_some());
            assert!(disagreement(agreement, &expected, &words(&[1.5, -2.0, f32::NAN])).is_some(), "{agreement:?}");
            assert!(disagreement(agreement, &expected, &words(&[f32::NAN; 3])).is_some(), "{agreement:?}");
        }
        assert_eq!(disagreement(Tolerance::F32(1e-6), &expected, &words(&[1.0000001, -2.0, f32::NAN])), None);
        assert!(disagreement(Tolerance::F32(1e-6), &expected, &words(&[1.0, -2.0, 0.0])).is_some(), "a number for a NaN");
        assert!(disagreement(Tolerance::F32(1e-6), &words(&[0.0]), &words(&[1e-30])).is_some(), "something for nothing");
    }
}
