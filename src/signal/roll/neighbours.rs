//! The recipes near a given one, for a search by measurement.

use super::design::{MAX_WORKGROUP, design};
use super::recipe::Recipe;
use super::spec::Core;
use crate::error::Result;
use crate::gpu::DeviceProfile;
use crate::plan::{Search, others};

impl Search for Core {
    /// One element for each invocation.
    fn baseline(&self, profile: &DeviceProfile) -> Result<Recipe> {
        Ok(Recipe { elements: 1, ..design(&self.problem()?, profile) })
    }

    /// What the rules would choose on a device of the other kind.
    fn alternatives(&self, profile: &DeviceProfile) -> Vec<Recipe> {
        let Ok(problem) = self.problem() else { return Vec::new() };
        let other = design(&problem, &profile.of_other_kind());
        others(Some(&design(&problem, profile)), [other].into_iter().filter(|recipe| recipe.unfit(problem.bytes, profile).is_none()))
    }

    fn neighbours(&self, recipe: &Recipe, profile: &DeviceProfile) -> Vec<Recipe> {
        let Ok(problem) = self.problem() else { return Vec::new() };
        let Recipe { workgroup: [x, y], elements } = *recipe;
        let twice = |value: u32| value.saturating_mul(2);
        let all = [
            ([x, y], twice(elements)),
            ([x, y], elements / 2),
            // The same number of elements of a row by fewer invocations, and the other way round.
            ([x / 2, twice(y)], twice(elements)),
            ([twice(x), y / 2], elements / 2),
            ([twice(x), y / 2], elements),
            ([x / 2, twice(y)], elements),
            ([twice(x), y], elements),
            ([x, twice(y)], elements),
            ([x / 2, y], elements),
            ([x, y / 2], elements),
        ];
        let all = all.map(|(workgroup, elements)| Recipe { workgroup, elements }).into_iter();
        let useful = |own: &Recipe| own.workgroup[0].saturating_mul(own.workgroup[1]) <= MAX_WORKGROUP.max(x.saturating_mul(y));
        others(Some(recipe), all.filter(|own| useful(own) && own.unfit(problem.bytes, profile).is_none()))
    }
}
