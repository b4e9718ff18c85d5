//! Devices for programs on the host: WebGPU's minimum, or a mix of the limits that adapters may
//! have.

use wgpu_fft::{DeviceProfile, wgpu};

use crate::draws::Draws;

/// WebGPU's minimum limits; or a random mix of those, of an H200's and of the software adapters';
/// occasionally much smaller ones.
pub fn drawn(draws: &mut Draws) -> DeviceProfile {
    let least = DeviceProfile::webgpu_defaults();
    if !draws.chance(70) {
        let device_type = draws.pick(&[wgpu::DeviceType::Other, wgpu::DeviceType::Cpu, wgpu::DeviceType::DiscreteGpu]);
        return least.with(|profile| profile.device_type = device_type);
    }
    let tiny = draws.chance(16);
    let invocations = if tiny { draws.pick(&[64, 32, 16, 8, 4, 2, 1]) } else { draws.pick(&[256, 256, 512, 1024, 1024, 128]) };
    let subgroup = draws.pick(&[8, 4, 1, 16, 32, 64]);
    let binding_bytes = if draws.chance(25) { 256 << draws.below(6) } else { draws.pick(&[128 << 20, 1 << 30, 2_147_483_644]) };
    least.with(|profile| {
        profile.name = "random".to_owned();
        profile.device_type = draws.pick(&[wgpu::DeviceType::Other, wgpu::DeviceType::Cpu, wgpu::DeviceType::DiscreteGpu]);
        profile.subgroup_sizes = draws.pick(&[[subgroup; 2], [4, 128]]);
        profile.workgroup_bytes = if tiny { draws.pick(&[4096, 1024, 256, 64]) } else { draws.pick(&[16_384, 32_768, 49_152]) };
        profile.invocations = invocations;
        profile.workgroup_size = [draws.pick(&[invocations, invocations, invocations.div_ceil(2)]), invocations, 64.min(invocations)];
        profile.groups_per_axis = if draws.chance(12) { draws.pick(&[100, 7, 3]) } else { 65_535 };
        profile.binding_bytes = binding_bytes;
        profile.buffer_bytes = draws.pick(&[256 << 20, 2_147_483_647, 4_292_870_144]);
        (profile.registers.liked, profile.registers.most, profile.registers.workgroup) =
            draws.pick(&[(u32::MAX, u32::MAX, u32::MAX), (64, 256, 65_536), (88, 120, 49_152), (32, 32, 2048)]);
        profile.is_measured = draws.chance(50);
        profile.one_lane = draws.chance(25);
        profile.storage_alignment = draws.pick(&[256, 64, 32]);
        profile.storage_buffers = draws.pick(&[8, 4, 10, 16, 32]);
        profile.subgroups = draws.chance(50);
        profile.int64 = draws.chance(50);
        profile.f64 = draws.chance(50);
    })
}
