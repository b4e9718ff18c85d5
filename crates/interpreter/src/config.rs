//! How to run a kernel, and which checks to make.

/// How to run a kernel, and which checks to make.
///
/// ```
/// use wgsl_sanitizer::Config;
/// let config = Config { subgroup_size: 8, seed: 1, ..Config::default() };
/// assert!(config.check_conversions);
/// ```
#[derive(Clone, Debug)]
pub struct Config {
    /// Invocations per subgroup: a power of two up to 128. Default: 32.
    pub subgroup_size: u32,
    /// Invocations that run in lockstep: a multiple of the subgroup size, up to 128. At barriers,
    /// the other invocations of the workgroup take their turn. Smaller groups are slower, but
    /// produce more different orders. Default: 0, which means 64, or the subgroup size if that is
    /// larger.
    pub lockstep: u32,
    /// Selects the order of workgroups, of the lockstep groups between two barriers, and of
    /// invocations in an atomic operation. 0, the default, is the order of their indices.
    pub seed: u64,
    /// Whether workgroup memory starts as zeros, as WGSL specifies. Default: false, so that a read
    /// before the first write is reported.
    pub zero_workgroup_memory: bool,
    /// Whether denormal results become zeros. Default: false.
    pub flush_denormals: bool,
    /// Whether two writes of the same value to the same place count as a race, as in WGSL. Default:
    /// true.
    pub equal_writes_race: bool,
    /// Whether a write to a buffer counts as a race if another invocation of the workgroup has read
    /// the place before without a `storageBarrier` between. It does in WGSL. If every such write
    /// depends on that read, through workgroup memory and its barrier or through a shuffle, no
    /// device can reorder the two; then you can turn this check off. Default: true.
    pub later_writes_race: bool,
    /// Whether to report wrap-around that affects an index. Default: true.
    pub check_wrapping: bool,
    /// Whether to report a conversion of a number outside the integer type's range. Default: true.
    pub check_conversions: bool,
    /// The most loop iterations of an invocation, over all loops. Default: 2²².
    pub max_turns: u64,
    /// The most findings to keep, by kind and line; further ones are only counted. Default: 100.
    pub max_findings: usize,
    /// The values of `var<immediate>`.
    pub immediates: Vec<u8>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            subgroup_size: 32,
            lockstep: 0,
            seed: 0,
            zero_workgroup_memory: false,
            flush_denormals: false,
            equal_writes_race: true,
            later_writes_race: true,
            check_wrapping: true,
            check_conversions: true,
            max_turns: 1 << 22,
            max_findings: 100,
            immediates: Vec::new(),
        }
    }
}

/// A small generator of pseudo-random numbers (SplitMix64 by G. Steele, D. Lea and C. Flood, 2014).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, (self.next() % (i as u64 + 1)) as usize);
        }
    }
}
