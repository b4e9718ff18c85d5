//! How numbers go from rank to rank: as they are, or as f16 times a power of two.

use std::sync::Arc;

use wgpu_fft::bytemuck::{cast_slice, cast_slice_mut};
use wgpu_fft::half::f16;
use wgpu_fft::half::slice::HalfFloatSliceExt;
use wgpu_fft::{Fragment, reduce};

use super::RanksJob;
use super::array::{OnDevice, Source, Target};
use super::failure::Outcome;
use super::local::{LocalPass, PieceWork};
use super::phase::Phase;
use super::running::guarded_part;
use crate::error::Result;
use crate::job::zeros;
use crate::task::Task;

/// The form of the numbers in the messages of an exchange.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Wire {
    /// Bytes as they are.
    Exact,
    /// Numbers of f32 times 2^exponent, rounded to f16.
    Half { exponent: i32 },
}

/// Bits of f32 without the sign, from which on a number is infinite or NaN.
const INFINITE: u32 = 0x7f80_0000;

/// Every f16 below 2^TOP is finite, and so is what rounding makes of it.
const TOP: i32 = 15;

/// The most bytes that are reduced at once on a device.
const MAX_REDUCED: usize = 64 << 20;

/// Numbers that are converted at once.
const CHUNK: usize = 1024;

impl Wire {
    /// F16 for numbers whose absolute values are at most `bound`.
    ///
    /// The exponent must not depend on how ranks divide the work, or bits would: `bound` is one of
    /// all ranks. Only numbers below 2^-14 after scaling show which exponent it was; all others
    /// are rounded to 11 bits whatever it is.
    pub fn half(bound: f64) -> Self {
        // bound < 2^(above), without a logarithm that machines might round differently.
        let above = (bound.to_bits() >> 52) as i32 - 1022;
        // Both powers of two must be normal numbers of f32.
        Self::Half { exponent: if bound > 0.0 { (TOP - above).clamp(-126, 126) } else { 0 } }
    }

    /// The bytes of a message of so many bytes of the array.
    pub fn bytes(self, array: usize) -> usize {
        if self == Self::Exact { array } else { array / 2 }
    }

    /// The most bytes of the array in one message: whole numbers.
    pub fn most(self, message_bytes: usize) -> usize {
        // MPI counts in an i32.
        let most = message_bytes.clamp(1, i32::MAX as usize);
        if self == Self::Exact { most } else { most.next_multiple_of(size_of::<f32>()) }
    }

    /// The message of bytes of an array.
    pub fn pack(self, array: Vec<u8>) -> Vec<u8> {
        let Self::Half { exponent } = self else { return array };
        let factor = power_of_two(exponent);
        let (mut wide, mut narrow) = ([0f32; CHUNK], [f16::ZERO; CHUNK]);
        let mut message = Vec::with_capacity(array.len() / 2);
        for numbers in array.chunks(CHUNK * size_of::<f32>()) {
            let (wide, narrow) = (&mut wide[..numbers.len() / 4], &mut narrow[..numbers.len() / 4]);
            cast_slice_mut(wide).copy_from_slice(numbers);
            wide.iter_mut().for_each(|number| *number *= factor);
            narrow.convert_from_f32_slice(wide);
            message.extend_from_slice(cast_slice(narrow));
        }
        message
    }

    /// The bytes of the array that a message stands for.
    pub fn unpack(self, message: Vec<u8>) -> Vec<u8> {
        let Self::Half { exponent } = self else { return message };
        let factor = power_of_two(-exponent);
        let (mut wide, mut narrow) = ([0f32; CHUNK], [f16::ZERO; CHUNK]);
        let mut array = Vec::with_capacity(message.len() * 2);
        for numbers in message.chunks(CHUNK * size_of::<f16>()) {
            let (wide, narrow) = (&mut wide[..numbers.len() / 2], &mut narrow[..numbers.len() / 2]);
            cast_slice_mut(narrow).copy_from_slice(numbers);
            narrow.convert_to_f32_slice(wide);
            wide.iter_mut().for_each(|number| *number *= factor);
            array.extend_from_slice(cast_slice(wide));
        }
        array
    }

    /// What a rank would receive from itself.
    pub fn rounded(self, array: Vec<u8>) -> Vec<u8> {
        self.unpack(self.pack(array))
    }
}

/// 2^exponent, from -126 to 126.
fn power_of_two(exponent: i32) -> f32 {
    f32::from_bits(((127 + exponent) as u32) << 23)
}

/// The largest absolute value of finite numbers of f32, as its bits.
fn largest(array: &[u8]) -> u32 {
    let bits = |number: &[u8]| u32::from_ne_bytes([number[0], number[1], number[2], number[3]]) & (u32::MAX >> 1);
    array.chunks_exact(4).map(bits).map(|bits| if bits < INFINITE { bits } else { 0 }).max().unwrap_or(0)
}

impl RanksJob {
    /// The largest absolute value of a number of the whole input, in which real and imaginary parts
    /// are two. Collective. It is the same for every division, so that bits are.
    pub(super) async fn largest(&self, phase: Phase, input: Source<'_>) -> Result<f64> {
        let own = guarded_part(async {
            match input {
                Source::Host(array) => Ok(largest(array)),
                Source::Device(array) => self.largest_on_device(phase, array).await,
            }
        });
        let own = self.link.agreed(phase, own.await).await?;
        Ok(f32::from_bits(self.link.greatest(own.into()).await? as u32).into())
    }

    /// The same of an array on the device, which sends a number for each piece to the host.
    async fn largest_on_device(&self, phase: Phase, array: OnDevice<'_>) -> Outcome<u32> {
        const NUMBER: usize = size_of::<u32>();
        let device = &self.cluster.device;
        let most = (self.pace.most(array.bytes).min(MAX_REDUCED) / NUMBER).clamp(1, (array.bytes / NUMBER).max(1)) * NUMBER;
        let begins = (0..array.bytes).step_by(most);
        let piece = |(i, begin): (usize, usize)| {
            let input = begin..(begin + most).min(array.bytes);
            PieceWork { chain: usize::from(input.len() < most), input, output: i * NUMBER..(i + 1) * NUMBER }
        };
        let pieces: Vec<PieceWork> = begins.enumerate().map(piece).collect();
        // For all pieces but the last, and for that one.
        let sizes = [most, array.bytes % most].into_iter().filter(|bytes| (1..=array.bytes).contains(bytes));
        let chain = |bytes: usize| -> Outcome<Vec<Arc<dyn Task>>> {
            // As the function `largest`.
            let bits = Fragment::new(format!("select(0u, value & {0}u, (value & {0}u) < {INFINITE}u)", u32::MAX >> 1));
            Ok(vec![device.planner.plan(reduce::max::<u32>(bytes / NUMBER).map_input::<u32>(bits)?)?])
        };
        let chains = sizes.map(chain).collect::<Outcome<Vec<_>>>()?;
        let mut results = zeros(pieces.len() * NUMBER)?;
        let pass = LocalPass::new(device, &chains, pieces, self.pace.in_flight, &self.link)?;
        pass.run(phase, Some(Source::Device(array)), Target::Host(&mut results), &mut |_| {}).await?;
        Ok(largest(&results))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use wgpu_fft::bytemuck::pod_collect_to_vec;

    use super::super::steps::ROUNDED;
    use super::*;

    fn there_and_back(wire: Wire, numbers: &[f32]) -> Vec<f32> {
        let array = pod_collect_to_vec(numbers);
        let message = wire.pack(array);
        assert_eq!(message.len(), wire.bytes(4 * numbers.len()));
        pod_collect_to_vec(&wire.unpack(message))
    }

    #[test]
    fn what_is_no_number_stays_so_and_the_bound_is_finite() {
        for bound in [f64::from(f32::MIN_POSITIVE), 1e-30, 1.0, 65504.0, 65536.0, 1e38, 1e50] {
            let wire = Wire::half(bound);
            // From 2^128 (1 - 2^-12) on, which is 3.402e38, 11 bits round to more than f32 has.
            let large = bound.min(3.4e38) as f32;
            let back = there_and_back(wire, &[large, -large, f32::INFINITY, f32::NAN, 0.0]);
            assert!(((back[0] - large) / large).abs() <= 2f32.powi(-11), "{bound}: {back:?}");
            assert_eq!(back[1], -back[0]);
            assert!(back[2] == f32::INFINITY && back[3].is_nan() && back[4] == 0.0, "{bound}: {back:?}");
        }
        assert_eq!(Wire::half(0.0), Wire::Half { exponent: 0 });
        // A number beyond the bound is too large, so the exponent is not needlessly small.
        assert_eq!(there_and_back(Wire::half(1.0), &[4.0]), [f32::INFINITY]);
    }

    #[test]
    fn the_largest_is_that_of_finite_numbers() {
        let numbers = [1.0f32, -3.0, f32::NAN, f32::NEG_INFINITY, 2.0];
        assert_eq!(f32::from_bits(largest(cast_slice(&numbers))), 3.0);
        assert_eq!(largest(&[]), 0);
    }

    /// Of an impulse, every frequency has the absolute value 1, however far the bound is above that.
    #[test]
    fn frequencies_of_a_long_impulse_lose_digits_as_stated() {
        let frequencies: Vec<f32> = (0..10_000).flat_map(|k| [f32::cos(k as f32), f32::sin(k as f32)]).collect();
        let norm = |numbers: &[f64]| numbers.iter().map(|number| number * number).sum::<f64>().sqrt();
        let wide: Vec<f64> = frequencies.iter().copied().map(f64::from).collect();
        for (log_n, stated) in [(27, 2.0e-4), (30, 1.6e-3), (33, 1.2e-2), (36, 9.6e-2)] {
            let n = 2f64.powi(log_n);
            let back = there_and_back(Wire::half(ROUNDED * n), &frequencies);
            let errors: Vec<f64> = wide.iter().zip(back).map(|(number, back)| f64::from(back) - number).collect();
            let stays = |(error, number): (&f64, &f64)| error.abs() <= (number.abs() * 2f64.powi(-11)).max(2f64.powi(-38) * n);
            assert!(errors.iter().zip(&wide).all(stays), "{n}");
            let relative = norm(&errors) / norm(&wide);
            assert!((0.95..1.05).contains(&(relative / stated)), "{n}: {relative}");
            // M is 1, and r is 1/√(2n).
            assert!(relative <= 2f64.powi(-11) + 2f64.powi(-37) * 2f64.sqrt() * n, "{n}: {relative}");
            assert_eq!(relative <= 2f64.powi(-11), log_n == 27, "{n}: {relative}");
        }
    }

    proptest! {
        /// The error is 2^-11 of a number, or for small ones 2^-39 of the bound.
        #[test]
        fn the_error_is_what_is_stated(numbers in prop::collection::vec(-1f32..1.0, 1..3000), small in 0i32..60, bound in 0i32..40) {
            let bound = 2f64.powi(bound - 20);
            let numbers: Vec<f32> = numbers.iter().map(|number| number * bound as f32 * 2f32.powi(-small)).collect();
            for (number, back) in numbers.iter().zip(there_and_back(Wire::half(bound), &numbers)) {
                let error = (f64::from(*number) - f64::from(back)).abs();
                prop_assert!(error <= (f64::from(*number).abs() * 2f64.powi(-11)).max(bound * 2f64.powi(-39)), "{} {} {}", number, back, bound);
            }
        }
    }
}
