//! The rules that choose a recipe, and the recipes near one, for a search by measurement.

use super::problem::Problem;
use super::recipe::Recipe;
use super::spec::Core;
use crate::error::Result;
use crate::gpu::DeviceProfile;
use crate::plan::{Search, others};

/// Maximum number of invocations of a workgroup, which WebGPU guarantees. Invocations share
/// nothing, so larger workgroups have no advantage.
const MAX_WORKGROUP: u32 = 256;

/// The recipe that the rules choose: the workgroups that are best for permutations that keep the
/// fastest axis, which load and store in the same way (`src/transpose/design.rs`).
pub(super) fn design(problem: &Problem, profile: &DeviceProfile) -> Recipe {
    let small = problem.bytes < 4;
    // Elements of a row, or its words.
    let row = if small { problem.axes[0].extent.div_ceil(4 / problem.bytes) } else { problem.axes[0].extent };
    let most = profile.invocations_in_a_row().clamp(1, MAX_WORKGROUP);
    let (x, elements) = if profile.is_cpu() {
        // lavapipe (Mesa 22.3.6), percent of a copy: complex 1024² 8x32 with 8 elements each 84,
        // with 4 each 68, 64x4 with 2 each 51; 1023², in words of 8 bytes, 58, 44, 31; f32 1023² 36
        // with 8x32, 17 with 64x4. Of u8 4093x4095, where every word is shifted, either is at 7.
        (row.min(8).next_power_of_two().min(most), row.div_ceil(8).min(8).next_power_of_two())
    } else {
        // Not more than the device allows, and a power of two. Words of 4 bytes, shifted by 3 and
        // 7, in 64x4 on an H200 with 1, 2, 4 and 8 of them for each invocation: 4096² 0.109,
        // 0.0639, 0.0519 and 0.0497 ms, 1080x1920 0.0158, 0.0107, 0.0099 and 0.0107, 1024² 0.0092,
        // 0.0069, 0.0066 and 0.0075.
        (row.min(64).next_power_of_two().min(1 << most.ilog2()), if problem.bytes == 4 { 4 } else { 2 })
    };
    let y = (most / x).clamp(1, profile.workgroup_size[1].max(1));
    Recipe { workgroup: [x, y], elements: if small { 1 } else { elements } }
}

impl Search for Core {
    /// One element for each invocation.
    fn baseline(&self, profile: &DeviceProfile) -> Result<Recipe> {
        Ok(Recipe { elements: 1, ..design(&self.problem()?, profile) })
    }

    /// What the rules would choose on a device of the other kind.
    fn alternatives(&self, profile: &DeviceProfile) -> Vec<Recipe> {
        let Ok(problem) = self.problem() else { return Vec::new() };
        let other = design(&problem, &profile.of_other_kind());
        others(Some(&design(&problem, profile)), [other].into_iter().filter(|recipe| recipe.fit(problem.bytes, profile).is_ok()))
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
        others(Some(recipe), all.filter(|own| useful(own) && own.fit(problem.bytes, profile).is_ok()))
    }
}
