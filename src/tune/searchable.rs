//! What a search needs to know about a specification.

use std::collections::HashSet;
use std::hash::Hash;

use crate::error::Result;
use crate::gpu::DeviceProfile;
use crate::plan::Spec;

/// A [`Spec`] with recipes that can be searched. It says where a search starts, and where it goes
/// next. [`Tunable::samples`](super::Tunable::samples) and
/// [`Tunable::verification`](super::Tunable::verification) tell a correct result from a wrong one.
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
