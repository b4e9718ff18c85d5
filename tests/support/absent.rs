//! Devices of Direct3D and Metal, which nobody here has: what wgpu 30 reports of them, as far as
//! rules ask.

use wgpu_fft::low_level::registers;
use wgpu_fft::{DeviceProfile, wgpu};

/// The name of a device; the PCI number of its vendor; its name as wgpu reports it; its subgroups.
/// The first word is the compiler. FXC knows neither subgroups nor 64-bit integers.
const DEVICES: &[(&str, u32, &str, Option<[u32; 2]>)] = &[
    ("fxc-nvidia", 0x10de, "NVIDIA GeForce RTX 4070", None),
    ("fxc-amd", 0x1002, "AMD Radeon RX 6800", None),
    ("fxc-intel", 0x8086, "Intel(R) Arc(TM) A770 Graphics", None),
    ("dxc-nvidia", 0x10de, "NVIDIA GeForce RTX 4070", Some([32, 32])),
    ("dxc-amd", 0x1002, "AMD Radeon RX 6800", Some([32, 64])),
    ("dxc-intel", 0x8086, "Intel(R) Arc(TM) A770 Graphics", Some([8, 32])),
    ("metal-apple", 0, "Apple M2", Some([4, 64])),
    ("metal-amd", 0, "AMD Radeon Pro 5500M", Some([4, 64])),
];

/// The names of all.
pub fn names() -> impl Iterator<Item = &'static str> {
    DEVICES.iter().map(|&(name, ..)| name)
}

/// What rules would see of a device.
#[must_use]
pub fn profile(name: &str) -> Option<DeviceProfile> {
    let &(name, vendor, full_name, subgroups) = DEVICES.iter().find(|&&(own, ..)| own == name)?;
    let is_metal = name.starts_with("metal");
    Some(DeviceProfile::webgpu_defaults().with(|profile| {
        full_name.clone_into(&mut profile.name);
        profile.device_type = if full_name.starts_with("Apple") { wgpu::DeviceType::IntegratedGpu } else { wgpu::DeviceType::DiscreteGpu };
        // Of Metal, wgpu reports 4 to 64 for all devices.
        profile.subgroup_sizes = subgroups.unwrap_or([32, 32]);
        profile.subgroups = subgroups.is_some();
        profile.int64 = subgroups.is_some();
        profile.timestamps = true;
        profile.registers =
            if subgroups.is_some() { registers(vendor, full_name, profile.subgroup_sizes[0]) } else { registers(0, "fxc", 1) };
        profile.workgroup_bytes = 32_768;
        profile.invocations = 1024;
        profile.workgroup_size = if is_metal { [1024; 3] } else { [1024, 1024, 64] };
        profile.binding_bytes = i32::MAX as u64 & !3;
        profile.buffer_bytes = i32::MAX as u64;
        profile.storage_alignment = if is_metal { 32 } else { 16 };
        profile.storage_buffers = if is_metal { 29 } else { 1 << 18 };
    }))
}
