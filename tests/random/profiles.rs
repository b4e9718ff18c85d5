//! Random devices: a mix of the limits that adapters may have.

use fastrand::Rng;
use wgpu_fft::{DeviceProfile, wgpu};

fn pick<T: Copy>(rng: &mut Rng, all: &[T]) -> T {
    all[rng.usize(0..all.len())]
}

/// A random mix of WebGPU's minimum limits and those of an H200 and of the software adapters, and
/// occasionally much smaller ones.
pub fn random(rng: &mut Rng) -> DeviceProfile {
    let least = DeviceProfile::webgpu_defaults();
    let tiny = rng.u32(0..6) == 0;
    let invocations = if tiny { pick(rng, &[1, 2, 4, 8, 16, 32, 64]) } else { pick(rng, &[128, 256, 256, 512, 1024, 1024]) };
    let subgroup = pick(rng, &[1, 4, 8, 16, 32, 64]);
    let binding_bytes = if rng.u32(0..4) == 0 { 256 << rng.u32(2..8) } else { pick(rng, &[128 << 20, 1 << 30, 2_147_483_644]) };
    least.with(|profile| {
        profile.name = "random".to_owned();
        profile.device_type = pick(rng, &[wgpu::DeviceType::DiscreteGpu, wgpu::DeviceType::Cpu, wgpu::DeviceType::Other]);
        profile.subgroup_sizes = pick(rng, &[[subgroup; 2], [4, 128]]);
        profile.workgroup_bytes = if tiny { pick(rng, &[64, 256, 1024, 4096]) } else { pick(rng, &[16_384, 32_768, 49_152]) };
        profile.invocations = invocations;
        profile.workgroup_size = [pick(rng, &[invocations, invocations, invocations.div_ceil(2)]), invocations, 64.min(invocations)];
        profile.groups_per_axis = if rng.u32(0..8) == 0 { pick(rng, &[3, 7, 100]) } else { 65_535 };
        profile.binding_bytes = binding_bytes;
        profile.buffer_bytes = pick(rng, &[256 << 20, 2_147_483_647, 4_292_870_144]);
        profile.storage_alignment = pick(rng, &[32, 64, 256]);
        profile.storage_buffers = pick(rng, &[4, 8, 10, 16, 32]);
        profile.subgroups = rng.bool();
        profile.int64 = rng.bool();
        profile.f64 = rng.bool();
    })
}
