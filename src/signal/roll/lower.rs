//! Which dispatches a recipe becomes, and whether a device can run it.

use super::problem::{Axis, Part, Problem};
use super::recipe::Recipe;
use crate::error::Result;
use crate::gpu::DeviceProfile;
use crate::kernels::element::Width;
use crate::kernels::signal::{Params, roll, roll_small};
use crate::kernels::transpose::Arrays;
use crate::kernels::{Dispatch, Slot};

impl Recipe {
    /// Why such a device cannot run this recipe for elements of `bytes` bytes, if it cannot.
    pub(super) fn unfit(&self, bytes: u32, profile: &DeviceProfile) -> Option<String> {
        let ([x, y], [most_x, most_y, _]) = (self.workgroup, profile.workgroup_size);
        let invocations = u64::from(x) * u64::from(y);
        if invocations == 0 || invocations > profile.invocations.into() || x > most_x || y > most_y {
            let most = profile.invocations;
            return Some(format!(
                "{x} x {y} invocations are not possible: there must be at least 1, and at most {most_x} x {most_y} and {most} in all"
            ));
        }
        let most = if bytes < 4 { 1 } else { roll::MAX_ELEMENTS };
        let fits = (1..=most).contains(&self.elements);
        (!fits).then(|| format!("an invocation can move 1 to {most} elements of {bytes} bytes, not {}", self.elements))
    }

    /// The dispatch for a part.
    pub(super) fn dispatch(&self, problem: &Problem, part: &Part, label: String, max_groups: u32) -> Result<Dispatch> {
        let axis = |i: usize| part.axes.get(i).copied().unwrap_or(Axis { extent: 1, shift: 0 });
        let stride = |i: usize| part.axes.iter().take(i).map(|axis| axis.extent).product::<u32>();
        let (x, y, outer) = (axis(0), axis(1), [2, 3, 4].map(axis));
        let params = Params {
            extent_x: x.extent,
            extent_y: y.extent,
            outer: outer.map(|axis| axis.extent),
            shift_x: x.shift,
            shift_y: y.shift,
            shift_outer: outer.map(|axis| axis.shift),
            stride_y: stride(1),
            stride_outer: [2, 3, 4].map(stride),
            input: part.offsets[0],
            output: part.offsets[1],
            blocks_x: 0,
            blocks_y: 0,
            groups: 0,
        };
        let arrays = Arrays { slots: [Slot::Input(0), Slot::Output], ranges: part.ranges };
        match Width::of_bytes(problem.bytes as usize) {
            Some(width) => roll::dispatch(label, params, width, self.workgroup, self.elements, max_groups, arrays),
            None => roll_small::dispatch(label, params, problem.bytes, self.workgroup, max_groups, arrays),
        }
    }
}
