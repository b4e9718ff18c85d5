//! The digits of the sort.

use wgpu_fft::DeviceProfile;

/// How keys are sorted: digit by digit, by workgroups that take a block of keys each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Digits {
    /// Bits of a digit.
    pub bits: u32,
    /// Steps that it takes.
    pub steps: u32,
    /// Invocations of a workgroup, which have a count of each digit in workgroup memory.
    pub size: u32,
    /// Keys of an invocation.
    pub each: u32,
}

impl Digits {
    /// Those for so many bins. A processor runs invocations one after the other, so few of them
    /// with long digits and many keys take fewer steps.
    pub fn new(profile: &DeviceProfile, bins: u64) -> Self {
        let (size, each, most) = if profile.is_cpu() { (8, 512, 10) } else { (64, 32, 6) };
        let most = most.min((profile.workgroup_bytes / (4 * size)).max(2).ilog2());
        let all = 64 - (bins - 1).leading_zeros();
        let steps = all.div_ceil(most).max(1);
        Self { bits: all.div_ceil(steps).max(1), steps, size, each }
    }

    /// Keys of a workgroup.
    pub fn block(self) -> u32 {
        self.size * self.each
    }
}
