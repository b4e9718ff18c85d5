//! What a search asks a specification.

use std::collections::HashSet;
use std::hash::Hash;

use super::Sample;
use crate::error::Result;
use crate::gpu::DeviceProfile;
use crate::plan::Spec;

/// A [`Spec`] whose recipes can be searched: where a search begins, where it goes next, and how it
/// tells a right result from a wrong one.
///
/// Every specification of this crate that a [`Planner`](crate::Planner) chooses a recipe for is
/// searchable. Sealed, as [`Spec`] is; kernels of your own are [`Tunable`](super::Tunable).
pub trait Searchable: Spec {
    /// As [`Tunable::baseline`](super::Tunable::baseline).
    ///
    /// # Errors
    /// As [`design`](Spec::design).
    fn baseline(&self, profile: &DeviceProfile) -> Result<Self::Recipe>;

    /// As [`Tunable::alternatives`](super::Tunable::alternatives).
    fn alternatives(&self, profile: &DeviceProfile) -> Vec<Self::Recipe>;

    /// As [`Tunable::neighbours`](super::Tunable::neighbours).
    fn neighbours(&self, recipe: &Self::Recipe, profile: &DeviceProfile) -> Vec<Self::Recipe>;

    /// As [`Tunable::samples`](super::Tunable::samples).
    fn samples(&self, input: &[u32]) -> Vec<Sample>;

    /// As [`Tunable::verification`](super::Tunable::verification).
    fn verification(&self) -> Verification;
}

/// The input that recipes are compared on, and how far apart two right results may be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Verification {
    /// The numbers in the input.
    pub input: TestInput,
    /// How far apart two right results may be.
    pub output: Tolerance,
}

impl Verification {
    /// Random bits, of which every recipe makes the same bits.
    pub const EXACT: Self = Self { input: TestInput::Bits, output: Tolerance::Bits };
}

/// The numbers in a test input: random ones from a fixed seed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum TestInput {
    /// Random bits.
    Bits,
    /// Uniform f32 between two bounds.
    F32(f32, f32),
    /// Uniform f16 between two bounds.
    F16(f32, f32),
    /// Uniform f64 between two bounds.
    F64(f64, f64),
}

/// How far apart two right results may be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Tolerance {
    /// Equal bits.
    Bits,
    /// A bound on the relative error of arrays of f32, in the two-norm. A NaN agrees with nothing.
    F32(f64),
    /// The same of f16.
    F16(f64),
    /// The same of f64.
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
