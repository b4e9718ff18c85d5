//! The recipes near a given one, for a search by measurement.

use super::recipe::Recipe;
use super::spec::Core;
use crate::gpu::DeviceProfile;
use crate::plan::{Search, others};

impl Search for Core {
    fn neighbours(&self, recipe: &Recipe, profile: &DeviceProfile) -> Vec<Recipe> {
        let Ok(geometry) = self.geometry() else { return Vec::new() };
        let Recipe { invocations, lines, join } = *recipe;
        let twice = |value: u32| value.saturating_mul(2);
        let all = [
            (invocations, twice(lines), join),
            (invocations, lines / 2, join),
            (twice(invocations), lines, join),
            (invocations / 2, lines, join),
            (invocations, lines, twice(join)),
            (invocations, lines, join / 2),
        ];
        let all = all.map(|(invocations, lines, join)| Recipe { invocations, lines, join }).into_iter();
        others(Some(recipe), all.filter(|own| own.lines < twice(geometry.lines()) && own.unfit(&geometry, profile).is_none()))
    }
}
