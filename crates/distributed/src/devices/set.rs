//! The devices that share jobs.

use std::sync::Arc;

use wgpu_fft::gpu::distinct_adapters;
use wgpu_fft::{Error, Gpu, GpuOptions, Planner, Result};

/// The devices that share jobs. The first device is decisive: its recipes determine the arithmetic.
///
/// A set is cheap to clone. Jobs on the same set share compiled pipelines.
#[derive(Clone, Debug)]
pub struct DeviceSet {
    members: Arc<[Arc<Member>]>,
}

/// A device of a set.
#[derive(Debug)]
pub(super) struct Member {
    pub name: String,
    pub kind: MemberKind,
}

#[derive(Debug)]
pub(super) enum MemberKind {
    Gpu(Box<Planner>),
    #[cfg(feature = "cpu")]
    Host,
}

impl Member {
    fn gpu(planner: Planner) -> Self {
        Self { name: planner.gpu().to_string(), kind: MemberKind::Gpu(Box::new(planner)) }
    }

    #[cfg(feature = "cpu")]
    fn host() -> Self {
        Self { name: format!("host, {} threads", rayon::current_num_threads()), kind: MemberKind::Host }
    }

    pub fn planner(&self) -> Option<&Planner> {
        match &self.kind {
            MemberKind::Gpu(planner) => Some(planner),
            #[cfg(feature = "cpu")]
            MemberKind::Host => None,
        }
    }
}

impl DeviceSet {
    /// Opens a device on every adapter that `options` and the environment allow, best first. An
    /// adapter that several backends offer is opened once. Software adapters are skipped if there
    /// are real GPUs, unless `options` or the environment select them by name or type.
    ///
    /// # Errors
    /// [`Error::NoAdapter`], with a hint what to install; [`Error::NoDevice`] if an adapter cannot
    /// open a device; [`Error::Parse`] if an environment variable cannot be parsed.
    pub async fn request(options: &GpuOptions) -> Result<Self> {
        let mut gpus = Vec::new();
        for adapter in distinct_adapters(options).await? {
            gpus.push(Gpu::from_adapter_with(&adapter, options).await?);
        }
        Self::of(gpus)
    }

    /// Makes a set of these devices, in this order. Several may belong to the same adapter.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if there are none.
    pub fn of(gpus: impl IntoIterator<Item = Gpu>) -> Result<Self> {
        Self::with_planners(gpus.into_iter().map(|gpu| Planner::new(&gpu)))
    }

    /// Makes a set of the devices of these planners. Each planner keeps its settings for choosing
    /// recipes.
    ///
    /// # Errors
    /// The same as those of [`of`](Self::of).
    pub fn with_planners(planners: impl IntoIterator<Item = Planner>) -> Result<Self> {
        let members: Arc<[_]> = planners.into_iter().map(|planner| Arc::new(Member::gpu(planner))).collect();
        if members.is_empty() {
            let why = "a set has at least one device".to_owned();
            return Err(Error::Unsupported { what: "a set of no devices".to_owned(), why });
        }
        Ok(Self { members })
    }

    /// Adds the host's processors as the last member: FFTs by rustfft, on all of rayon's threads.
    ///
    /// rustfft rounds differently from the devices, so the bits of Fourier transforms then depend on
    /// the division. Permutations stay bit-identical. The host takes no part in reductions, whose
    /// order and rounding are those of the devices' kernels.
    #[cfg(feature = "cpu")]
    #[must_use]
    pub fn with_host(self) -> Self {
        let devices = self.members.iter().filter(|member| member.planner().is_some()).cloned();
        Self { members: devices.chain([Arc::new(Member::host())]).collect() }
    }

    /// Makes a set of the host's processors alone, which works without any adapter.
    #[cfg(feature = "cpu")]
    #[must_use]
    pub fn host() -> Self {
        Self { members: [Arc::new(Member::host())].into() }
    }

    /// The names of the members, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|member| member.name.as_str())
    }

    /// The number of members.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// The planner of a member; `None` for the host and for indices that do not exist.
    #[must_use]
    pub fn planner(&self, member: usize) -> Option<&Planner> {
        self.members.get(member).and_then(|member| member.planner())
    }

    pub(super) fn members(&self) -> &[Arc<Member>] {
        &self.members
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_a_device() {
        assert!(matches!(DeviceSet::of([]), Err(Error::Unsupported { .. })));
    }
}
