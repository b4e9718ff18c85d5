//! What correct results may differ by, and for which input.

use super::Format;
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
        let input = Format::of(input).map_or(TestInput::Bits, |format| TestInput::Numbers(format, -1.0, 1.0));
        let output = match Format::of(output) {
            // Each of two results may be rounded by 2⁻¹¹, or 2⁻⁸.
            Some(Format::F16) => Tolerance::Numbers(Format::F16, 1e-3),
            Some(Format::Bf16) => Tolerance::Numbers(Format::Bf16, 8e-3),
            Some(format) => Tolerance::Numbers(format, tolerance),
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
    /// Numbers, uniform between two bounds.
    Numbers(Format, f64, f64),
}

/// How far apart two correct results may be.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Tolerance {
    /// Equal bits.
    Bits,
    /// A bound on the relative error of an array of numbers, in the two-norm. NaN agrees with
    /// nothing.
    Numbers(Format, f64),
    /// Whole numbers that a fragment makes of rounded ones, which may fall to the other side of
    /// one: a number in 256 may be off, by 1 or by a part of it if that is more.
    Integers {
        /// Bits of a number: 8, 16 or 32.
        bits: u32,
        /// Whether they may be negative.
        signed: bool,
        /// That part.
        tolerance: f64,
    },
}
