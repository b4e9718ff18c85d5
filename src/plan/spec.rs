//! What to compute, free of any decision on how.

use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

use super::Program;
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

/// The mathematics of an operation: plain data that can be compared, hashed and printed.
///
/// [`design`](Spec::design) decides how to compute it on a device like `profile`,
/// [`lower`](Spec::lower) writes that down as dispatches. Both are pure, so they need no GPU. Any
/// recipe that solves the specification may be given to [`lower`](Spec::lower) or
/// [`Planner::plan_with`](crate::Planner::plan_with).
///
/// The trait is sealed: its programs run shaders without bounds checks where this crate has proven
/// that none are needed.
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
    /// If the specification is not valid, the recipe does not solve it, or the result does not fit
    /// the device.
    fn lower(&self, recipe: &Self::Recipe, profile: &DeviceProfile) -> Result<Program>;

    /// Whether an output array has places that no element of the result takes, and that are not
    /// written.
    #[doc(hidden)]
    fn leaves_gaps(&self) -> bool {
        false
    }
}
