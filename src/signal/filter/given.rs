//! A direct filter whose taps are an array on the device, as part of a convolution.

use super::design;
use super::fit::{Work, fit};
use super::recipe::Recipe;
use super::spec::{MAX_DIRECT, MAX_EXTENT, MAX_TAPS, Problem, Taps};
use crate::edge::Edge;
use crate::error::Result;
use crate::gpu::DeviceProfile;
use crate::kernels::Slot;
use crate::kernels::filter::stencil::{Arrays, Stored};
use crate::plan::Program;
use crate::shape::Shape;

impl Problem {
    /// A filter of 1 or 2 axes of the input, with this output and kernel, if the kernel can compute
    /// it. Along each axis, output i is the sum from element i - `before` on. `flipped` takes the
    /// taps from the last one on.
    pub fn of_given(
        title: String,
        [input, output, kernel]: [Shape; 3],
        before: &[usize],
        edge: Edge,
        flipped: bool,
        batch: usize,
    ) -> Option<Self> {
        let is_within = |shape: &Shape, most: u64| shape.extents().iter().all(|&extent| extent as u64 <= most);
        let count: u64 = kernel.extents().iter().map(|&extent| extent as u64).product();
        let fits = input.rank() <= 2
            && is_within(&kernel, MAX_TAPS)
            && count <= MAX_DIRECT
            && is_within(&input, MAX_EXTENT)
            && is_within(&output, MAX_EXTENT);
        let taps =
            || kernel.extents().iter().zip(before).map(|(&count, &before)| Some(Taps { count: count as u32, before: before as u32 }));
        fits.then(|| Self {
            title,
            stored: Stored::F32,
            edge,
            flipped,
            batch: batch as u32,
            input,
            output,
            taps: taps().collect(),
            joint: true,
        })
    }

    /// The recipe that the rules choose, if the device can run one.
    pub fn design(&self, profile: &DeviceProfile) -> Option<Recipe> {
        let recipe = design::design(self, profile);
        fit(self, &recipe, profile).is_ok().then_some(recipe)
    }

    /// Adds the filter to a program, or says why the recipe does not fit.
    pub fn append(
        &self,
        recipe: &Recipe,
        profile: &DeviceProfile,
        program: &mut Program,
        slots: [Slot; 2],
        taps: Slot,
    ) -> std::result::Result<Result<()>, String> {
        let works = fit(self, recipe, profile)?;
        let [Work::Filter(filtered)] = &works[..] else { return Err("one step computes all sums".to_owned()) };
        Ok(filtered.dispatch(self, Arrays { slots, taps }, profile).map(|dispatch| program.dispatches.push(dispatch)))
    }
}
