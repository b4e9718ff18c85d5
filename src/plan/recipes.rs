//! What the searches and checks of recipes share.

use std::collections::HashSet;
use std::hash::Hash;

use crate::gpu::DeviceProfile;

/// What the check of a recipe finds out, or why the recipe does not fit.
pub(crate) type Fit<T = ()> = Result<T, String>;

pub(crate) fn ensure(fine: bool, why: impl FnOnce() -> String) -> Fit {
    if fine { Ok(()) } else { Err(why()) }
}

/// Refuses a workgroup that the device does not allow.
pub(crate) fn check_workgroup([x, y]: [u32; 2], profile: &DeviceProfile) -> Fit {
    let ([most_x, most_y, _], most) = (profile.workgroup_size, profile.invocations);
    let invocations = u64::from(x) * u64::from(y);
    ensure(invocations > 0 && invocations <= most.into() && x <= most_x && y <= most_y, || {
        format!("{x} x {y} invocations are not possible: there must be at least 1, and at most {most_x} x {most_y} and {most} in all")
    })
}

/// Refuses more invocations in a row than the device has.
pub(crate) fn check_invocations(invocations: u64, profile: &DeviceProfile) -> Fit {
    let most = profile.invocations_in_a_row();
    ensure(invocations <= most.into(), || format!("it needs {invocations} invocations, but there are at most {most}"))
}

/// Refuses more workgroup memory than the device has.
pub(crate) fn check_memory(bytes: u64, profile: &DeviceProfile) -> Fit {
    let most = profile.workgroup_bytes;
    ensure(bytes <= most.into(), || format!("it needs {bytes} bytes of workgroup memory, but there are {most}"))
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
