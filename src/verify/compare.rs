//! Makes test inputs and compares results.

use half::{bf16, f16};

#[cfg(all(feature = "tune", not(target_arch = "wasm32")))]
use super::UNWRITTEN;
use super::{Format, TestInput, Tolerance};

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
            TestInput::Numbers(Format::F64, low, high) => {
                let bits = (low + (high - low) * dice.unit()).to_bits();
                input.extend([bits as u32, (bits >> 32) as u32]);
            }
            TestInput::Numbers(format, low, high) => {
                let (low, high) = (low as f32, high as f32);
                let mut number = || low + (high - low) * dice.unit() as f32;
                input.push(match format {
                    Format::F16 => word(|| f16::from_f32(number()).to_bits()),
                    Format::Bf16 => word(|| bf16::from_f32(number()).to_bits()),
                    _ => number().to_bits(),
                });
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
        Tolerance::Integers { bits, signed, tolerance } => return integers_apart((bits, signed), tolerance, [expected, actual]),
        Tolerance::Numbers(format, tolerance) => (tolerance, squares(format, expected, actual)),
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
    match output {
        Tolerance::Bits | Tolerance::Integers { .. } => None,
        Tolerance::Numbers(format, _) => Some(format.numbers(words).filter(|number| !number.is_finite()).count()),
    }
}

/// Sums of squares: of the differences, and of what is expected. Equal words do not differ,
/// whatever they are: what no recipe writes is a NaN in both. A fragment may make infinite numbers
/// and NaN of test input. Those are so in both, and say nothing of how large the others are.
#[cfg(all(feature = "tune", not(target_arch = "wasm32")))]
fn squares(format: Format, expected: &[u32], actual: &[u32]) -> [f64; 2] {
    let size = format.bytes().div_ceil(4);
    expected.chunks(size).zip(actual.chunks(size)).fold([0.0, 0.0], |[mut difference, mut norm], (expected, actual)| {
        let written = ![expected, actual].iter().any(|words| words.contains(&UNWRITTEN));
        for (own, other) in format.numbers(expected).zip(format.numbers(actual)) {
            if expected != actual && own != other && !(written && own.is_nan() && other.is_nan()) {
                difference += (other - own) * (other - own);
            }
            norm += if own.is_finite() { own * own } else { 0.0 };
        }
        [difference, norm]
    })
}

/// Why arrays of whole numbers are not those of rounded ones that differ a little, if they are not.
#[cfg(all(feature = "tune", not(target_arch = "wasm32")))]
fn integers_apart((bits, signed): (u32, bool), tolerance: f64, [expected, actual]: [&[u32]; 2]) -> Option<String> {
    /// One in so many numbers may be off.
    const FEW: usize = 256;
    let number = |word: u32, i: u32| {
        let upper = word << (32 - bits * (i + 1));
        if signed { f64::from(upper as i32 >> (32 - bits)) } else { f64::from(upper >> (32 - bits)) }
    };
    let each = 32 / bits;
    let (mut other, mut wrong) = (0, 0);
    for (&expected, &actual) in expected.iter().zip(actual).filter(|(expected, actual)| expected != actual) {
        for [own, apart] in (0..each).map(|i| [expected, actual].map(|word| number(word, i))).filter(|[own, apart]| own != apart) {
            let near = (apart - own).abs() <= (tolerance * own.abs()).max(1.0);
            other += 1;
            wrong += usize::from(!near || actual == UNWRITTEN);
        }
    }
    let count = expected.len() * each as usize;
    let most = (count / FEW).max(1);
    if wrong > 0 {
        return Some(format!("{wrong} of {count} whole numbers are wrong by more than 1 and by more than {tolerance:.1e} of them"));
    }
    (other > most).then(|| format!("{other} of {count} whole numbers are other ones, and {most} may be"))
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
        let input = fill(TestInput::Numbers(Format::F32, -1.0, 1.0), 2 * PERIOD);
        assert_eq!(input.len(), 2 * PERIOD);
        assert!(input.iter().all(|&word| f32::from_bits(word).abs() <= 1.0));
        let mean = input.iter().map(|&word| f64::from(f32::from_bits(word))).sum::<f64>() / input.len() as f64;
        assert!(mean.abs() < 0.01, "{mean}");
        assert_ne!(input[..1024], input[1 << 20..][..1024]);
        assert!(
            fill(TestInput::Numbers(Format::F16, 0.5, 1.5), 99)
                .iter()
                .all(|&word| (0.5..=1.5).contains(&f16::from_bits(word as u16).to_f32()))
        );
        assert_eq!(count_not_finite(Tolerance::Numbers(Format::F32, 1.0), &[0, 0x7f80_0000, 0x7fc0_dead, 1]), Some(2));
        assert_eq!(count_not_finite(Tolerance::Numbers(Format::F16, 1.0), &[0x7c00_0000, 0x3c00_3c00]), Some(1));
        assert_eq!(count_not_finite(Tolerance::Numbers(Format::F64, 1.0), &[0, 0x7ff0_0000, 0, 0]), Some(1));
        assert_eq!(count_not_finite(Tolerance::Bits, &[0x7fc0_dead]), None);
        let wide = fill(TestInput::Numbers(Format::F64, 2.0, 3.0), 100);
        assert!(wide.chunks_exact(2).all(|pair| (2.0..3.0).contains(&f64::from_bits(u64::from(pair[1]) << 32 | u64::from(pair[0])))));
    }

    #[cfg(all(feature = "tune", not(target_arch = "wasm32")))]
    #[test]
    fn equal_results_agree_and_others_do_not() {
        let words = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        let expected = words(&[1.0, -2.0, f32::NAN]);
        for agreement in [
            Tolerance::Bits,
            Tolerance::Numbers(Format::F32, 1e-6),
            Tolerance::Numbers(Format::F16, 1e-3),
            Tolerance::Numbers(Format::F64, 1e-12),
        ] {
            assert_eq!(disagreement(agreement, &expected, &expected), None);
            assert!(disagreement(agreement, &expected, &expected[1..]).is_some());
            assert!(disagreement(agreement, &expected, &words(&[1.5, -2.0, f32::NAN])).is_some(), "{agreement:?}");
            assert!(disagreement(agreement, &expected, &words(&[f32::NAN; 3])).is_some(), "{agreement:?}");
        }
        assert_eq!(disagreement(Tolerance::Numbers(Format::F32, 1e-6), &expected, &words(&[1.0000001, -2.0, f32::NAN])), None);
        assert!(disagreement(Tolerance::Numbers(Format::F32, 1e-6), &expected, &words(&[1.0, -2.0, 0.0])).is_some(), "a number for a NaN");
        assert!(disagreement(Tolerance::Numbers(Format::F32, 1e-6), &words(&[0.0]), &words(&[1e-30])).is_some(), "something for nothing");
    }

    /// What a fragment makes of test input may be infinite or no number, in both results.
    #[cfg(all(feature = "tune", not(target_arch = "wasm32")))]
    #[test]
    fn what_is_no_number_in_both_results_hides_nothing() {
        let (inf, other_nan) = (f32::INFINITY.to_bits(), f32::NAN.to_bits() ^ 0x8000_0000);
        let expected = [1f32.to_bits(), inf, f32::NAN.to_bits(), 2f32.to_bits()];
        let with = |i: usize, word: u32| {
            let mut actual = expected;
            actual[i] = word;
            disagreement(Tolerance::Numbers(Format::F32, 1e-6), &expected, &actual)
        };
        assert_eq!([with(0, 1.000_000_1f32.to_bits()), with(2, other_nan)], [None, None]);
        let wrong =
            [(0, 1.1f32.to_bits()), (1, 1f32.to_bits()), (1, inf ^ 0x8000_0000), (1, other_nan), (2, inf), (2, UNWRITTEN), (3, inf)];
        wrong.iter().for_each(|&(i, word)| assert!(with(i, word).is_some(), "{i}: {word:x}"));
        let double = |x: f64| [x.to_bits() as u32, (x.to_bits() >> 32) as u32];
        let [one, near, none] = [1.0, 1.0 + 1e-13, f64::NAN].map(double);
        assert_eq!(disagreement(Tolerance::Numbers(Format::F64, 1e-12), &[one, none].concat(), &[near, none].concat()), None);
        assert!(disagreement(Tolerance::Numbers(Format::F64, 1e-12), &[one, none].concat(), &[none, none].concat()).is_some());
    }

    /// Whole numbers of rounded ones fall to the other side of one now and then.
    #[cfg(all(feature = "tune", not(target_arch = "wasm32")))]
    #[test]
    fn few_integers_are_off_by_one() {
        let expected: Vec<u32> = (0..1024u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
        let changed = |changes: &[(usize, u32)]| {
            let mut actual = expected.clone();
            changes.iter().for_each(|&(i, by)| actual[i] = actual[i].wrapping_add(by));
            actual
        };
        let whole = |bits, signed| Tolerance::Integers { bits, signed, tolerance: 1e-5 };
        let apart = |bits, changes: &[(usize, u32)]| disagreement(whole(bits, false), &expected, &changed(changes));
        let few: Vec<(usize, u32)> = (0..4).map(|i| (i * 200 + 3, if i % 2 == 0 { 1 } else { u32::MAX })).collect();
        let many: Vec<(usize, u32)> = (0..5).map(|i| (i * 200, 1)).collect();
        assert_eq!([apart(32, &[]), apart(32, &few), apart(32, &[(100, 1000)])], [None, None, None]);
        assert!(apart(32, &many).unwrap().contains("5 of 1024"));
        assert!(apart(32, &[(0, 1000)]).is_some_and(|why| why.starts_with("1 of 1024")));
        assert_eq!([apart(8, &[(4, 1 << 16)]), apart(16, &[(4, 1 << 16)])], [None, None]);
        assert!(apart(8, &[(4, 2 << 16)]).is_some() && apart(16, &[(4, 2)]).is_some());
        let mut unwritten = expected.clone();
        unwritten[7] = UNWRITTEN;
        assert!([8, 16, 32].iter().all(|&bits| disagreement(whole(bits, false), &expected, &unwritten).is_some()));
        // -1 is near 0, and 255 is not.
        assert_eq!([true, false].map(|signed| disagreement(whole(8, signed), &[0], &[0xff00]).is_none()), [true, false]);
    }
}
