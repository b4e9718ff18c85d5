//! The devices that share jobs.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::gpu::{Gpu, GpuOptions, adapters};
use crate::planner::Planner;
use crate::wgpu;

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
        Self::boxed_request(options).await
    }

    fn boxed_request(options: &GpuOptions) -> crate::gpu::Boxed<'_, Result<Self>> {
        Box::pin(Self::requested(options))
    }

    async fn requested(options: &GpuOptions) -> Result<Self> {
        let all = adapters(options).await?;
        let infos: Vec<wgpu::AdapterInfo> = all.iter().map(wgpu::Adapter::get_info).collect();
        let mut gpus = Vec::new();
        for i in distinct(&infos, options.is_particular()?) {
            gpus.push(Gpu::from_adapter_with(&all[i], options).await?);
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
    /// rustfft rounds differently from this crate, so the bits of Fourier transforms then depend on
    /// the division. Transposes and reductions stay bit-identical. The host computes reductions in
    /// the order of the devices, which is slow.
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

/// Selects the adapters to open. Each card is opened once, by the backend that comes first.
/// Software adapters are used only if they were requested or if there are no others.
fn distinct(infos: &[wgpu::AdapterInfo], particular: bool) -> Vec<usize> {
    let same_card = |a: &wgpu::AdapterInfo, b: &wgpu::AdapterInfo| {
        if a.device_type == wgpu::DeviceType::Cpu || a.vendor == 0 || b.vendor == 0 {
            return a.device_type == b.device_type && a.name == b.name;
        }
        (a.vendor, a.device) == (b.vendor, b.device)
    };
    // The n-th of several equal cards on one backend is the n-th on another.
    let number = |i: usize| (0..i).filter(|&j| infos[j].backend == infos[i].backend && same_card(&infos[j], &infos[i])).count();
    let again =
        |i: usize| (0..i).any(|j| infos[j].backend != infos[i].backend && same_card(&infos[j], &infos[i]) && number(j) == number(i));
    let once: Vec<usize> = (0..infos.len()).filter(|&i| !again(i)).collect();
    let real: Vec<usize> = once.iter().copied().filter(|&i| infos[i].device_type != wgpu::DeviceType::Cpu).collect();
    if particular || real.is_empty() { once } else { real }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(name: &str, device_type: wgpu::DeviceType, backend: wgpu::Backend, [vendor, device]: [u32; 2]) -> wgpu::AdapterInfo {
        let mut info = wgpu::AdapterInfo::new(device_type, backend);
        info.name = name.to_owned();
        (info.vendor, info.device) = (vendor, device);
        info
    }

    #[test]
    fn each_card_is_there_once() {
        use wgpu::Backend::{Dx12, Gl, Vulkan};
        use wgpu::DeviceType::{Cpu, DiscreteGpu, IntegratedGpu, Other};
        let all = [
            info("card", DiscreteGpu, Vulkan, [0x10de, 7]),
            info("card", DiscreteGpu, Vulkan, [0x10de, 7]),
            info("card", DiscreteGpu, Dx12, [0x10de, 7]),
            info("card", DiscreteGpu, Dx12, [0x10de, 7]),
            info("chip", IntegratedGpu, Vulkan, [0x8086, 3]),
            info("card", Other, Gl, [0x10de, 7]),
            info("llvmpipe", Cpu, Vulkan, [0x10005, 0]),
            info("llvmpipe", Cpu, Gl, [0, 0]),
        ];
        assert_eq!(distinct(&all, false), [0, 1, 4]);
        assert_eq!(distinct(&all, true), [0, 1, 4, 6]);
        // Two software adapters are two devices.
        let software = [info("llvmpipe", Cpu, Vulkan, [1, 0]), info("SwiftShader", Cpu, Vulkan, [2, 0])];
        assert_eq!(distinct(&software, false), [0, 1]);
    }

    #[test]
    fn a_set_has_a_device() {
        assert!(matches!(DeviceSet::of([]), Err(Error::Unsupported { .. })));
    }
}
