//! The work sizes of Takemoto, Wada, Kondo and Honda (IPSJ report): how many invocations a workgroup has, from the global size alone.
//!
//! Their model: a workgroup runs on one compute unit of several processing elements (PE). Where workgroups are too small, much time goes into
//! switching between them; where they are too large, compute units stay idle. As in OpenCL 1, a local size divides the global size.
//!
//! This is a baseline to compare with, exactly as published. What is weak about it:
//! - It does not know the kernel. Which axis has priority is the caller's to say: on the report's own tables the rule comes within 1.01 and 1.11 of
//!   the best shape, and with the other priority takes 16.9 and 9.6 times as long.
//! - It wants the processing elements of a compute unit, which WebGPU does not tell; [`pe_per_cu`] is a stand-in.
//! - Where a global size has few divisors, such as a prime, the workgroups are tiny.
//! - It was fitted to two GPUs of one maker.
//!
//! ```
//! use wgpu_fft::tune::rules::takemoto::{Limits, Priority, local_size_1d, local_size_2d};
//!
//! # fn main() -> wgpu_fft::Result<()> {
//! let limits = Limits { invocations: 1024, axes: [1024, 1024] };
//! assert_eq!(local_size_1d(1 << 18, 192, &limits)?, 256);
//! assert_eq!(local_size_2d([1024, 1024], Priority::X, &limits)?, [512, 1]);
//! # Ok(())
//! # }
//! ```

use crate::error::{Error, Result};
use crate::gpu::DeviceProfile;

/// Workgroups of two axes have fewer invocations than this.
const PRODUCT_BELOW_2D: u32 = 1024;
/// The invocations of a workgroup of two axes are a multiple of this.
const MULTIPLE_2D: u32 = 16;

/// How large a workgroup may be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Limits {
    /// Invocations of a workgroup.
    pub invocations: u32,
    /// Invocations of a workgroup along x and y.
    pub axes: [u32; 2],
}

impl From<&DeviceProfile> for Limits {
    fn from(profile: &DeviceProfile) -> Self {
        let [x, y, _] = profile.workgroup_size;
        Self { invocations: profile.invocations, axes: [x, y] }
    }
}

impl Limits {
    /// The most invocations along each axis.
    fn along(&self) -> [u32; 2] {
        self.axes.map(|axis| axis.min(self.invocations))
    }

    /// Fails for a global size of nothing, and on devices without compute shaders.
    fn check(&self, global: &[u32]) -> Result<()> {
        if global.contains(&0) {
            let shape = global.iter().map(u32::to_string).collect::<Vec<_>>().join("x");
            return Err(Error::Empty { what: "the global size", shape });
        }
        let limits = [
            (self.invocations, "max_compute_invocations_per_workgroup"),
            (self.axes[0], "max_compute_workgroup_size_x"),
            (self.axes[1], "max_compute_workgroup_size_y"),
        ];
        match limits.into_iter().take(1 + global.len()).find(|(available, _)| *available == 0) {
            Some((_, limit)) => Err(Error::LimitExceeded { what: "a workgroup".to_owned(), limit, required: 1, available: 0 }),
            None => Ok(()),
        }
    }
}

/// The axis along which neighbours share memory, so that a workgroup should be long there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Priority {
    /// Along x, as in the report's matrix product.
    X,
    /// Along y, as in its bilinear resize.
    Y,
}

/// What stands in for the processing elements of a compute unit, which WebGPU does not tell: the smallest subgroup.
///
/// A compute unit has at least that many elements, since a subgroup runs in step on one. So the sizes that come out leave no part of a subgroup idle,
/// but on GPUs, whose units run several subgroups at once, they are smaller than the rule means them to be. On processors that play a GPU the
/// two are the same: a core and its lanes.
#[must_use]
pub fn pe_per_cu(profile: &DeviceProfile) -> u32 {
    profile.subgroup_sizes[0].max(1)
}

/// The local size of a kernel of one axis: the smallest divisor of the global size that has at least as many invocations as a compute unit has
/// processing elements.
///
/// Of divisors only those count that a workgroup of the device may have along x. If none of these is large enough, it is the largest of them,
/// in the worst case 1.
///
/// # Errors
/// [`Error::Empty`] for a global size of 0, [`Error::LimitExceeded`] if a limit is 0.
pub fn local_size_1d(global: u32, pe_per_cu: u32, limits: &Limits) -> Result<u32> {
    limits.check(&[global])?;
    let admissible = divisors(global, limits.along()[0]);
    let enough = admissible.partition_point(|&size| size < pe_per_cu);
    Ok(admissible.get(enough).or(admissible.last()).copied().unwrap_or(1))
}

/// The local size of a kernel of two axes, x and y.
///
/// Among pairs of divisors of the global size whose product is less than 1024, within the limits and a multiple of 16, that of the largest extent
/// along the axis of priority, and of these that of the largest product. If there is no such pair, the axis of priority has its largest
/// divisor below 1024 and within the limits, and the other 1.
///
/// # Errors
/// [`Error::Empty`] if the global size is 0 along an axis, [`Error::LimitExceeded`] if a limit is 0.
pub fn local_size_2d(global: [u32; 2], priority: Priority, limits: &Limits) -> Result<[u32; 2]> {
    limits.check(&global)?;
    let most = limits.invocations.min(PRODUCT_BELOW_2D - 1);
    let [x, y] = limits.along();
    let [x, y] = [divisors(global[0], x.min(most)), divisors(global[1], y.min(most))];
    let (first, second) = match priority {
        Priority::X => (x, y),
        Priority::Y => (y, x),
    };
    // No overflow: both are less than 1024.
    let fits = |product: u32| product <= most && product.is_multiple_of(MULTIPLE_2D);
    let pair = first.iter().rev().find_map(|&long| second.iter().rev().find(|&&short| fits(long * short)).map(|&short| (long, short)));
    let (long, short) = pair.unwrap_or((first.last().copied().unwrap_or(1), 1));
    Ok(match priority {
        Priority::X => [long, short],
        Priority::Y => [short, long],
    })
}

/// The divisors of a number from 1 to `most`, ascending.
fn divisors(n: u32, most: u32) -> Vec<u32> {
    // Divisors come in pairs, of which the smaller is at most √n, so that no number takes more than 65,535 steps.
    let small = (1..=n.isqrt().min(most)).filter(|&divisor| n.is_multiple_of(divisor));
    let mut all: Vec<u32> = small.flat_map(|divisor| [divisor, n / divisor]).filter(|&divisor| divisor <= most).collect();
    all.sort_unstable();
    all.dedup();
    all
}
