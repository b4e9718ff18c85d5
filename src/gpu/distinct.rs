//! Every card once, where several backends offer the same adapter.

use super::options::{GpuOptions, adapters};
use crate::error::Result;

/// The adapters that `options` and the environment allow, best first, each card once: an adapter
/// that several backends offer comes from the best of them. Software adapters are left out if there
/// are real GPUs, unless `options` or the environment select adapters by name or type.
///
/// # Errors
/// Those of [`adapters`].
pub async fn distinct_adapters(options: &GpuOptions) -> Result<Vec<wgpu::Adapter>> {
    let all = adapters(options).await?;
    let infos: Vec<wgpu::AdapterInfo> = all.iter().map(wgpu::Adapter::get_info).collect();
    Ok(distinct(&infos, options.is_particular()?).into_iter().map(|i| all[i].clone()).collect())
}

/// Selects each card once, by the backend that comes first.
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
}
