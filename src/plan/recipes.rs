//! What the searches and checks of recipes share.

use std::collections::HashSet;
use std::hash::Hash;

/// What the check of a recipe finds out, or why the recipe does not fit.
pub(crate) type Fit<T = ()> = Result<T, String>;

pub(crate) fn ensure(fine: bool, why: impl FnOnce() -> String) -> Fit {
    if fine { Ok(()) } else { Err(why()) }
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
