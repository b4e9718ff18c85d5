//! What a search needs to know about a specification.

use std::collections::HashSet;
use std::hash::Hash;

use super::Sample;
use crate::error::Result;
use crate::fragment::Form;
use crate::gpu::DeviceProfile;
use crate::plan::Spec;

/// A [`Spec`] with recipes that can be searched. It says where a search starts, where it goes next,
/// and how it distinguishes a correct result from a wrong one.
///
/// All specifications of this crate that a [`Planner`](crate::Planner) chooses recipes for are
/// searchable. The trait is sealed, as [`Spec`] is. For kernels of your own, implement
/// [`Tunable`](super::Tunable).
pub trait Searchable: Spec {
    /// A plain recipe to compare results with, see [`Tunable::baseline`](super::Tunable::baseline).
    /// By default the one that the rules choose.
    ///
    /// # Errors
    /// The errors of [`design`](Spec::design).
    fn baseline(&self, profile: &DeviceProfile) -> Result<Self::Recipe> {
        self.design(profile)
    }

    /// Further starting points of a search, see
    /// [`Tunable::alternatives`](super::Tunable::alternatives). By default none.
    fn alternatives(&self, profile: &DeviceProfile) -> Vec<Self::Recipe> {
        let _ = profile;
        Vec::new()
    }

    /// Recipes that differ from `recipe` in one decision, see
    /// [`Tunable::neighbours`](super::Tunable::neighbours). By default none.
    fn neighbours(&self, recipe: &Self::Recipe, profile: &DeviceProfile) -> Vec<Self::Recipe> {
        let _ = (recipe, profile);
        Vec::new()
    }

    /// Elements of the correct result, see [`Tunable::samples`](super::Tunable::samples). By default
    /// none.
    fn samples(&self, input: &[u32]) -> Vec<Sample> {
        let _ = input;
        Vec::new()
    }

    /// The test input and the tolerance, see
    /// [`Tunable::verification`](super::Tunable::verification).
    fn verification(&self) -> Verification;
}

/// The test input for comparing recipes, and how far apart two correct results may be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Verification {
    /// The values in the input.
    pub input: TestInput,
    /// How far apart two correct results may be.
    pub output: Tolerance,
}

impl Verification {
    /// Random bits, of which every recipe makes the same bits.
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
            None => Tolerance::Bits,
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
}

/// The recipes in their order, each once, without `own`.
pub(crate) fn others<R: Clone + Eq + Hash>(own: Option<&R>, recipes: impl IntoIterator<Item = R>) -> Vec<R> {
    let mut seen: HashSet<R> = own.into_iter().cloned().collect();
    recipes.into_iter().filter(|recipe| seen.insert(recipe.clone())).collect()
}

/// The first of each list, then the second of each, and so on.
pub(crate) fn in_turns<R>(lists: impl IntoIterator<Item = Vec<R>>) -> Vec<R> {
    let mut lists: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
    let mut all = Vec::new();
    loop {
        let before = all.len();
        all.extend(lists.iter_mut().filter_map(Iterator::next));
        if all.len() == before {
            return all;
        }
    }
}
