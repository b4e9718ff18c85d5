//! The rules that choose a recipe, and the recipes near one, for a search by measurement.

use super::geometry::Geometry;
use super::recipe::Recipe;
use super::spec::Core;
use crate::gpu::DeviceProfile;
use crate::kernels::signal::ring_means;
use crate::kernels::signal::rings::MAX_LINES;
use crate::plan::{Search, others};

/// The recipe for `batch` arrays.
pub(super) fn design(geometry: &Geometry, batch: u32, profile: &DeviceProfile) -> Recipe {
    let most = profile.invocations_in_a_row().max(1);
    let most = 1 << most.ilog2();
    // Invocations that keep the device busy. A part has at least some lines, so that adding the
    // parts of a ring costs less than adding its elements. On lavapipe (Mesa 22.3.6) little depends
    // on it: complex 1024² takes 9.1 to 10.0 ms with 8 to 32 invocations and 32 to 1024 lines. On
    // an H200, milliseconds by lines of a part, with workgroups of 64; those of 32 and 256 are
    // within a tenth:
    //
    // | shape of f32 | 4 | 16 | 64 | 256 |
    // |---|---|---|---|---|
    // | 1024x1024 | 0.024 | 0.065 | 0.171 | 0.431 |
    // | 4096x4096 | 0.122 | 0.185 | 0.358 | 0.632 |
    // | 256x256x256 | 0.251 | 0.185 | 0.226 | 0.445 |
    let invocations = geometry.rings.next_power_of_two().min(if profile.is_cpu() { 16 } else { 64 }).min(most);
    let (parts, least) = if profile.is_cpu() { ((1 << 13) / geometry.rings.saturating_mul(batch), 64) } else { (4096, 4) };
    let parts = parts.max(1);
    let lines = geometry.lines().div_ceil(parts).max(least).min(geometry.lines()).min(MAX_LINES);
    let parts = geometry.lines().div_ceil(lines);
    let join = if profile.is_cpu() { 1 } else { parts.next_power_of_two().min(64) };
    // Each invocation adds at most so many.
    let join = join.max(parts.div_ceil(ring_means::MAX_PARTS).next_power_of_two());
    let fitting = u64::from(profile.workgroup_bytes) / ring_means::workgroup_bytes(1);
    Recipe { invocations, lines, join: join.min(most).min(1 << fitting.max(1).ilog2()) }
}

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
        others(Some(recipe), all.filter(|own| own.lines < twice(geometry.lines()) && own.fit(&geometry, profile).is_ok()))
    }
}
