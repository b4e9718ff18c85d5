//! The rule of Takemoto, Wada, Kondo and Honda (IPSJ report) for the number of invocations in a
//! workgroup, computed from the global size alone.
//!
//! In their model, a workgroup runs on one compute unit with several processing elements (PE). If
//! workgroups are too small, switching between them costs much time. If they are too large, compute
//! units stay idle. As in OpenCL 1, the local size divides the global size.
//!
//! The rule is implemented exactly as published, as a baseline for comparison. It has these
//! weaknesses:
//! - It does not know the kernel. The caller must say which axis has priority: on the report's own
//!   tables the rule comes within factors of 1.01 and 1.11 of the best shape, but with the other
//!   priority its choices take 16.9 and 9.6 times as long.
//! - It needs the number of processing elements per compute unit, which WebGPU does not report.
//!   [`pe_per_cu`] returns a substitute.
//! - If a global size has few divisors, for example a prime, the workgroups are tiny.
//! - It was fitted to two GPUs of one vendor.

use wgpu_fft::{DeviceProfile, Error, Result};

/// Workgroups of two axes have fewer invocations than this.
const PRODUCT_BELOW_2D: u32 = 1024;
/// The invocations of a workgroup of two axes are a multiple of this.
const MULTIPLE_2D: u32 = 16;

/// Upper limits on the size of a workgroup.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Limits {
    /// Maximum number of invocations in a workgroup.
    pub invocations: u32,
    /// Maximum number of invocations in a workgroup along x and y.
    pub axes: [u32; 2],
}

impl From<&DeviceProfile> for Limits {
    fn from(profile: &DeviceProfile) -> Self {
        let [x, y, _] = profile.workgroup_size;
        Self { invocations: profile.invocations, axes: [x, y] }
    }
}

impl Limits {
    /// Maximum number of invocations along each axis.
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

/// The axis along which neighbouring invocations share memory accesses. A workgroup should be long
/// along this axis.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Priority {
    /// Along x, as in the report's matrix product.
    X,
    /// Along y, as in its bilinear resize.
    Y,
}

/// A substitute for the number of processing elements per compute unit, which WebGPU does not
/// report: the smallest subgroup size.
///
/// A compute unit has at least that many elements, because the invocations of a subgroup run in
/// lockstep on one unit. Workgroups of that size leave no part of a subgroup idle. On GPUs, whose
/// units run several subgroups at once, they are smaller than the rule intends. On a CPU with a
/// software driver both numbers agree: a core and its vector lanes.
#[must_use]
pub fn pe_per_cu(profile: &DeviceProfile) -> u32 {
    profile.subgroup_sizes[0].max(1)
}

/// The local size of a one-dimensional kernel: the smallest divisor of the global size that is at
/// least the number of processing elements of a compute unit.
///
/// Only divisors that the device allows along x are considered. If none of them is large enough,
/// the largest is returned, which may be 1.
///
/// # Errors
/// [`Error::Empty`] for a global size of 0, [`Error::LimitExceeded`] if a limit is 0.
pub fn local_size_1d(global: u32, pe_per_cu: u32, limits: &Limits) -> Result<u32> {
    limits.check(&[global])?;
    let admissible = divisors(global, limits.along()[0]);
    let enough = admissible.partition_point(|&size| size < pe_per_cu);
    Ok(admissible.get(enough).or(admissible.last()).copied().unwrap_or(1))
}

/// The local size of a two-dimensional kernel, along x and y.
///
/// Considers pairs of divisors of the global size whose product is below 1024, within the limits,
/// and a multiple of 16. Among them it takes the largest extent along the axis of priority, and
/// then the largest product. If there is no such pair, the axis of priority gets its largest
/// divisor below 1024 and within the limits, and the other axis gets 1.
///
/// # Errors
/// [`Error::Empty`] if the global size is 0 along an axis, [`Error::LimitExceeded`] if a limit
/// is 0.
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
    // Divisors come in pairs, of which the smaller is at most √n, so that no number takes more than
    // 65,535 steps.
    let small = (1..=n.isqrt().min(most)).filter(|&divisor| n.is_multiple_of(divisor));
    let mut all: Vec<u32> = small.flat_map(|divisor| [divisor, n / divisor]).filter(|&divisor| divisor <= most).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The neighbours of a two-dimensional shape whose extents are powers of two. Trades come first,
/// which halve one axis and double the other; then shapes with one axis doubled; then shapes with
/// one axis halved.
///
/// Trades come first because they keep the number of invocations, which matters most. With this
/// order, a climb by one neighbour at a time takes at most 20 of the 36 possible measurements on
/// the tables in `tests/data`, even in the worst case; no other order needs fewer. Extents below 1
/// or above 2³² - 1 are left out. The caller removes shapes that are too large for other reasons.
#[must_use]
pub fn six_neighbours([x, y]: [u32; 2]) -> Vec<[u32; 2]> {
    let halved = |n: u32| (n > 1).then_some(n / 2);
    let doubled = |n: u32| n.checked_mul(2).filter(|&n| n > 0);
    let all = [
        (halved(x), doubled(y)),
        (doubled(x), halved(y)),
        (doubled(x), Some(y)),
        (Some(x), doubled(y)),
        (halved(x), Some(y)),
        (Some(x), halved(y)),
    ];
    all.into_iter().filter_map(|(x, y)| Some([x?, y?])).collect()
}
