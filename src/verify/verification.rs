//! What correct results may differ by, and for which input.

use crate::fragment::Form;

/// The test input for comparing recipes, and how far apart two correct results may be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Verification {
    /// The values in the input.
    pub input: TestInput,
    /// How far apart two correct results may be.
    pub output: Tolerance,
}

impl Verification {
    /// Random bits; all recipes must agree bit for bit.
    pub const EXACT: Self = Self { input: TestInput::Bits, output: Tolerance::Bits };

    /// Numbers that arrays of these forms have, for results that differ by `tolerance` before they
    /// are stored.
    pub(crate) fn of_forms(input: Form, output: Form, tolerance: f64) -> Self {
        let input = match input.float_bits() {
            Some((64, _)) => TestInput::F64(-1.0, 1.0),
            Some((32, _)) => TestInput::F32(-1.0, 1.0),
            Some((_, false)) => TestInput::F16(-1.0, 1.0),
            Some((_, true)) => TestInput::Bf16(-1.0, 1.0),
            None => TestInput::Bits,
        };
        let output = match output.float_bits() {
            Some((64, _)) => Tolerance::F64(tolerance),
            Some((32, _)) => Tolerance::F32(tolerance),
            // Each of two results may be rounded by 2⁻¹¹, or 2⁻⁸.
            Some((_, false)) => Tolerance::F16(1e-3),
            Some((_, true)) => Tolerance::Bf16(8e-3),
            None => Tolerance::Integers { bits: output.bits_of_number(), signed: output.is_signed(), tolerance },
        };
        Self { input, output }
    }
}

/// The values in a test input: random ones from a fixed seed.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum TestInput {
    /// Random bits.
    Bits,
    /// Values of f32, uniform between two bounds.
    F32(f32, f32),
    /// Values of f16, uniform between two bounds.
    F16(f32, f32),
    /// Values of bf16, uniform between two bounds.
    Bf16(f32, f32),
    /// Values of f64, uniform between two bounds.
    F64(f64, f64),
}

/// How far apart two correct results may be.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Tolerance {
    /// Equal bits.
    Bits,
    /// A bound on the relative error of arrays of f32, in the two-norm. NaN agrees with nothing.
    F32(f64),
    /// The same for arrays of f16.
    F16(f64),
    /// The same for arrays of bf16.
    Bf16(f64),
    /// The same for arrays of f64.
    F64(f64),
    /// Whole numbers that a fragment makes of rounded ones, which may fall to the other side of one:
    /// a number in 256 may be off, by 1 or by a part of it if that is more.
    Integers {
        /// Bits of a number: 8, 16 or 32.
        bits: u32,
        /// Whether they may be negative.
        signed: bool,
        /// That part.
        tolerance: f64,
    },
}
