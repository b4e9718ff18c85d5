//! What to compute, free of any decision on how.

use std::collections::HashSet;
use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

use super::{Program, Sample};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::gpu::DeviceProfile;

/// Seals [`Spec`].
pub trait Sealed {}

/// Whether the result goes to an array of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Placement {
    /// Input and output are two arrays; the input is not changed.
    #[default]
    OutOfPlace,
    /// The output takes the place of the input.
    InPlace,
}

/// What recipes are compared on, and what tells a right result from a wrong one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Judge {
    /// What inputs are filled with.
    pub input: Fill,
    /// How far apart two right results may be.
    pub output: Agreement,
}

impl Judge {
    /// Any bits, which come out the same by every recipe.
    pub const EXACT: Self = Self { input: Fill::Bits, output: Agreement::Bits };
}

/// What inputs are filled with: random numbers from a fixed seed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Fill {
    /// Any bits.
    Bits,
    /// Numbers f32 evenly between two.
    F32(f32, f32),
    /// Numbers f16 evenly between two.
    F16(f32, f32),
    /// Numbers f64 evenly between two.
    F64(f64, f64),
}

/// How far apart two right results may be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Agreement {
    /// Not at all.
    Bits,
    /// As arrays of f32: the two-norm of the difference over the two-norm of the first at most so much. A NaN agrees with nothing.
    F32(f64),
    /// The same of f16.
    F16(f64),
    /// The same of f64.
    F64(f64),
}

/// The mathematics of an operation: plain data that can be compared, hashed and printed.
///
/// [`design`](Spec::design) decides how to compute it on a device like `profile`, [`lower`](Spec::lower) writes that down as dispatches.
/// Both are pure, so they need no GPU. Any recipe that solves the specification may be given to [`lower`](Spec::lower) or
/// [`Planner::plan_with`](super::Planner::plan_with).
///
/// The trait is sealed: its programs run shaders without bounds checks where this crate has proven that none are needed.
pub trait Spec: Sealed + Clone + Eq + Hash + Debug + Display + Send + Sync + 'static {
    /// Element of the input.
    type Input: Element;
    /// Element of the output.
    type Output: Element;
    /// Every decision on how to compute it.
    type Recipe: Clone + Eq + Hash + Debug + Display + FromStr<Err = Error> + Send + Sync + 'static;

    /// The recipe that the rules choose for a device.
    ///
    /// # Errors
    /// If the specification is not valid, or nothing that this version knows can compute it there.
    fn design(&self, profile: &DeviceProfile) -> Result<Self::Recipe>;

    /// The dispatches of a recipe.
    ///
    /// # Errors
    /// If the specification is not valid, the recipe does not solve it, or the result does not fit the device.
    fn lower(&self, recipe: &Self::Recipe, profile: &DeviceProfile) -> Result<Program>;

    /// A recipe for this specification that fits a device of `profile` and does the same floating-point operations on every line as `recipe`, so that devices that
    /// round alike give equal bits. `recipe` may be that of another specification, which differs from this one in the number of its lines.
    /// If it has one column of several, pass what
    /// [`fft::Recipe::for_single_column`](crate::fft::Recipe::for_single_column) makes of that recipe.
    ///
    /// # Errors
    /// As [`lower`](Self::lower) of `recipe` itself, if there is none.
    fn adapted(&self, recipe: &Self::Recipe, profile: &DeviceProfile) -> Result<Self::Recipe> {
        self.lower(recipe, profile)?.check(profile)?;
        Ok(recipe.clone())
    }

    /// A plain recipe whose result others are compared with: the baseline kernel where it can do it, or else the rules' choice.
    ///
    /// # Errors
    /// As [`design`](Self::design).
    fn baseline(&self, profile: &DeviceProfile) -> Result<Self::Recipe> {
        self.design(profile)
    }

    /// Recipes of other kinds than the rules' choice that are worth measuring: where a search begins besides there. Not all of them need fit.
    fn alternatives(&self, profile: &DeviceProfile) -> Vec<Self::Recipe> {
        let _ = profile;
        Vec::new()
    }

    /// Recipes that differ from `recipe` in one decision: where a search goes next. Not all of them need fit.
    fn neighbours(&self, recipe: &Self::Recipe, profile: &DeviceProfile) -> Vec<Self::Recipe> {
        let _ = (recipe, profile);
        Vec::new()
    }

    /// Some elements of the result for an input of these words (for both inputs, where there are two), computed on the host from the definition. A search compares
    /// results with them as well, so that it does not hang on one recipe which all others are compared with. None where each takes very long.
    fn samples(&self, input: &[u32]) -> Vec<Sample> {
        let _ = input;
        Vec::new()
    }

    /// What to compare recipes on, and how far apart the results of two right ones may be.
    fn judge(&self) -> Judge {
        Judge::EXACT
    }
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
