//! Whether a device computes with numbers of two f32 what `shaders/fft/double.wgsl` says.
//!
//! WGSL lets compilers change floating-point arithmetic as if it were exact, and then the low parts
//! of such numbers are wrong. The text hides what it can from them. Whether that is enough, some
//! hundred sums and products tell that are known exactly. They run once for each device, before the
//! first plan that depends on them.

use super::build::{Builder, Executable};
use super::{Array, Placement, Program};
use crate::error::{Error, Result};
use crate::gpu::DeviceProfile;
use crate::kernels::fft::probe_double::{self, RESULTS};
use crate::kernels::sources;

/// The bits of each result that must be right.
pub const WANTED_BITS: u32 = 44;

/// Pairs of complex numbers that are added and multiplied.
const PAIRS: usize = 128;

/// Bytes of a complex number.
const COMPLEX_BYTES: usize = 16;

/// Whether a program depends on this arithmetic.
pub fn is_asked_by(program: &Program) -> bool {
    let asks = |appended: &[&sources::Source]| appended.contains(&&sources::FFT_DOUBLE);
    program.dispatches.iter().any(|dispatch| asks(&dispatch.appended) && dispatch.kernel != &probe_double::KERNEL)
}

/// The program that computes the results.
///
/// # Errors
/// None, since every device has so many workgroups.
pub fn program() -> Result<Program> {
    let array = |len| Array { len, element_bytes: COMPLEX_BYTES };
    let title = "arithmetic of two f32".to_owned();
    let mut program = Program::new(title, Placement::OutOfPlace, vec![array(2 * PAIRS)], array(RESULTS * PAIRS));
    program.dispatches.push(probe_double::dispatch(PAIRS as u32)?);
    Ok(program)
}

/// What the program takes: real and imaginary parts of two complex numbers for each pair.
#[must_use]
pub fn input() -> Vec<f64> {
    pairs().into_iter().flatten().map(|part| part as f64).collect()
}

/// An f64 for each number of the program's output.
#[must_use]
pub fn output() -> Vec<f64> {
    vec![0.0; 2 * RESULTS * PAIRS]
}

/// The numbers as integers, of 48 bits each, with zeros behind them.
fn pairs() -> Vec<[i128; 4]> {
    // SplitMix64.
    let mut state = 0_u64;
    let mut random = |bits: u32| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let upper = i128::from((z ^ (z >> 31)) >> (64 - bits)) | 1 << (bits - 1);
        if z & 1 == 0 { upper } else { -upper }
    };
    let mut pair = |kind: usize| match kind {
        // Sums that cancel: all bits but the last ones.
        0 => {
            let a = random(48);
            [a, random(20) - a]
        }
        // Low parts of half a unit in the last place of the high part.
        1 => [(random(24) << 24) + (1 << 23), (random(24) << 24) - (1 << 23)],
        2 => [(random(24) << 24) + (1 << 23) - 1, random(48)],
        // High parts that cancel.
        3 => {
            let high = random(24) << 24;
            [high + random(23), random(23) - high]
        }
        // Numbers of different size.
        4 => [random(48), random(10)],
        5 => [random(48), random(30)],
        // The low part is of the other sign, and the high part a power of two.
        6 => [(1 << 47) - random(22).abs(), random(22).abs() - (1 << 46)],
        _ => [random(48), random(48)],
    };
    (0..PAIRS)
        .map(|i| {
            let [first, second] = [pair(i % 8), pair(i / 8 % 8)];
            // Errors of much less than a unit count too.
            [first[0], second[0], first[1], second[1]].map(|part| part << 12)
        })
        .collect()
}

/// How many bits of the least exact result are right, at most 53.
#[must_use]
pub fn right_bits(output: &[f64]) -> u32 {
    let of_pair = |(results, [a, b, c, d]): (&[f64], [i128; 4])| {
        let sizes = [a, b, c, d].map(|part| part as f64);
        let product_size = (sizes[0].hypot(sizes[1])) * (sizes[2].hypot(sizes[3]));
        let [a_size, b_size, c_size, d_size] = sizes.map(f64::abs);
        let product = |exact: i128| (exact, exact as f64);
        // A sum is as exact as the size of its operands.
        let expected = [
            (a + c, a_size + c_size),
            (b + d, b_size + d_size),
            (a - c, a_size + c_size),
            (b - d, b_size + d_size),
            (a * c - b * d, product_size),
            (a * d + b * c, product_size),
            product(a * c),
            product(a * d),
            product(a * c),
            (b + d, b_size + d_size),
        ];
        results.iter().zip(expected).map(|(&result, (exact, size))| bits(result, exact, size)).min().unwrap_or_default()
    };
    output.chunks(2 * RESULTS).zip(pairs()).map(of_pair).min().unwrap_or_default()
}

/// How many bits of a result are right, in parts of a size.
fn bits(result: f64, exact: i128, size: f64) -> u32 {
    if !result.is_finite() {
        return 0;
    }
    let error = (result as i128).abs_diff(exact) as f64;
    if error == 0.0 { f64::MANTISSA_DIGITS } else { (size.abs() / error).log2().clamp(0.0, f64::MANTISSA_DIGITS.into()) as u32 }
}

/// Refuses a device that gets too few bits right.
pub fn check(right: u32, title: &str, profile: &DeviceProfile) -> Result<()> {
    if right >= WANTED_BITS {
        return Ok(());
    }
    let why = format!(
        "the compiler of {} changes arithmetic in f32, so that of the {WANTED_BITS} bits needed of each sum and product {} are wrong: \
         compute in f32, in f64 where the device has it, or on the host",
        profile.name,
        WANTED_BITS - right
    );
    Err(Error::Unsupported { what: format!("`{title}`, in double-single arithmetic,"), why })
}

impl Builder {
    /// A program with its pipelines and buffers, if it keeps to the limits of the device, whose
    /// arithmetic is tried out first if the program depends on it.
    pub fn executable(&self, program: Program) -> Result<Executable> {
        self.check(&program)?;
        if is_asked_by(&program) {
            check(self.right_bits(&program.title)?, &program.title, self.gpu().profile())?;
        }
        self.built(program)
    }

    /// How many bits of a number of two f32 the device gets right. The first time this is asked,
    /// the device computes some and this waits for it.
    #[cfg(not(target_arch = "wasm32"))]
    fn right_bits(&self, _: &str) -> Result<u32> {
        self.gpu()
            .right_bits
            .get_or_try_init(|| {
                let mut output = output();
                let probe = self.executable(program()?)?;
                probe.run_into(&[bytemuck::cast_slice(&input())], bytemuck::cast_slice_mut(&mut output))?;
                Ok(right_bits(&output))
            })
            .copied()
    }

    /// The same in the browser, where nothing may wait: it is known after
    /// [`try_precision`](Self::try_precision).
    #[cfg(target_arch = "wasm32")]
    fn right_bits(&self, title: &str) -> Result<u32> {
        let why = "the device's arithmetic must be tried first, and the browser waits for nothing: use `Planner::plan_async`".to_owned();
        self.gpu().right_bits.get().copied().ok_or_else(|| Error::Unsupported { what: format!("planning `{title}` at once"), why })
    }

    /// Finds out how many bits of a number of two f32 the device gets right, if a program depends
    /// on it.
    #[cfg(target_arch = "wasm32")]
    pub async fn try_precision(&self, program: &Program) -> Result<()> {
        if is_asked_by(program) && self.gpu().right_bits.get().is_none() {
            let mut output = output();
            let probe = self.executable(self::program()?)?;
            let download = probe.run(&[bytemuck::cast_slice(&input())], super::FragmentArrays::NONE, false)?;
            download.read_all(bytemuck::cast_slice_mut(&mut output)).await?;
            // Another task may have done the same meanwhile.
            let _ = self.gpu().right_bits.set(right_bits(&output));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What exact results look like in f64, which has 53 bits.
    fn exact() -> Vec<f64> {
        let of_pair = |[a, b, c, d]: [i128; 4]| {
            [a + c, b + d, a - c, b - d, a * c - b * d, a * d + b * c, a * c, a * d, a * c, b + d].map(|result| result as f64)
        };
        pairs().into_iter().flat_map(of_pair).collect()
    }

    #[test]
    fn numbers_are_those_of_two_f32() {
        for part in input() {
            let high = part as f32;
            let low = (part - f64::from(high)) as f32;
            assert_eq!(f64::from(high) + f64::from(low), part);
        }
        assert_eq!(input().len(), 4 * PAIRS);
        assert_eq!(output().len(), exact().len());
    }

    #[test]
    fn each_wrong_result_is_found() {
        let exact = exact();
        assert!(right_bits(&exact) >= 52, "{}", right_bits(&exact));
        let profile = DeviceProfile::webgpu_defaults();
        for i in 0..exact.len() {
            if exact[i] == 0.0 {
                continue;
            }
            for wrong in [f64::NAN, f64::INFINITY, -exact[i]] {
                let mut output = exact.clone();
                output[i] = wrong;
                assert!(right_bits(&output) < WANTED_BITS, "{i}: {wrong} for {}", exact[i]);
            }
        }
        // What f32 leaves of them.
        let rounded: Vec<f64> = exact.iter().map(|&result| (result as f32).into()).collect();
        let right = right_bits(&rounded);
        assert!((20..=24).contains(&right), "{right}");
        let error = check(right, "c2c fwd 4 f64-by-f32", &profile).unwrap_err().to_string();
        assert!(error.contains("20 are wrong") || error.contains("21 are wrong"), "{error}");
        assert_eq!(check(WANTED_BITS, "", &profile), Ok(()));
    }
}
