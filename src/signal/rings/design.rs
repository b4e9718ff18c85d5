//! The rules that choose a recipe.

use super::geometry::Geometry;
use super::recipe::Recipe;
use crate::gpu::DeviceProfile;
use crate::kernels::signal::ring_means;
use crate::kernels::signal::rings::MAX_LINES;

/// The recipe for `batch` arrays.
pub(super) fn design(geometry: &Geometry, batch: u32, profile: &DeviceProfile) -> Recipe {
    let most = profile.invocations.min(profile.workgroup_size[0]).max(1);
    let most = 1 << most.ilog2();
    // Invocations that keep the device busy. A part has at least some lines, so that adding the
    // parts of a ring costs less than adding its elements.
    // On lavapipe (Mesa 22.3.6) little depends on it: complex 1024² takes 9.1 to 10.0 ms with 8 to 32
    // invocations and 32 to 1024 lines. GPUs have not been measured yet.
    let (wanted, least, width) = if profile.is_cpu() { (1 << 13, 64, 16) } else { (1 << 17, 4, 64) };
    let invocations = geometry.rings.next_power_of_two().min(width).min(most);
    let parts = (wanted / geometry.rings.saturating_mul(batch)).max(1);
    let lines = geometry.lines().div_ceil(parts).max(least).min(geometry.lines()).min(MAX_LINES);
    let parts = geometry.lines().div_ceil(lines);
    let join = if profile.is_cpu() { 1 } else { parts.next_power_of_two().min(64) };
    // Each invocation adds at most so many.
    let join = join.max(parts.div_ceil(ring_means::MAX_PARTS).next_power_of_two());
    Recipe { invocations, lines, join: join.min(most) }
}
