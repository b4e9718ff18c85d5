//! Which device was measured.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::gpu::{DeviceProfile, Gpu};

/// All that tells one device from another for measurements: what it is, its driver, and what it lets recipes do.
///
/// It holds no index of an adapter, which the next start of the machine may give to another one. Two cards of one type are one device. So is a card of a guest and our
/// own, if both were opened with the same limits and features: with others other recipes fit.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceIdentity {
    /// Name of the adapter.
    pub name: String,
    /// The API that wgpu goes through, as wgpu writes it: `vulkan`, `metal`, `dx12`, `webgpu`.
    pub backend: String,
    /// Number of the vendor, as the API gives it.
    pub vendor: u32,
    /// Number of the device, as the API gives it.
    pub device: u32,
    /// What kind of device it is: `discrete GPU`, `integrated GPU`, `virtual GPU`, `CPU`, `other`.
    pub device_type: String,
    /// Name of the driver.
    pub driver: String,
    /// What the driver says of itself, such as its version.
    pub driver_info: String,
    /// Smallest and largest subgroup.
    pub subgroup_sizes: [u32; 2],
    /// Whether shaders may exchange values within a subgroup.
    pub subgroups: bool,
    /// Whether shaders may have 64-bit integers.
    pub int64: bool,
    /// Whether shaders may have 64-bit floats.
    pub f64: bool,
    /// Workgroup memory in bytes.
    pub workgroup_bytes: u32,
    /// Invocations of a workgroup.
    pub invocations: u32,
    /// Invocations of a workgroup along x, y, z.
    pub workgroup_size: [u32; 3],
    /// Workgroups of a dispatch along one axis.
    pub groups_per_axis: u32,
    /// Bytes of one storage binding.
    pub binding_bytes: u64,
    /// Bytes of one buffer.
    pub buffer_bytes: u64,
    /// Alignment of a storage binding's offset.
    pub storage_alignment: u32,
    /// Alignment of a uniform binding's offset.
    pub uniform_alignment: u32,
    /// Storage bindings of a dispatch.
    pub storage_buffers: u32,
}

impl DeviceIdentity {
    /// The identity of an open device.
    #[must_use]
    pub fn of(gpu: &Gpu) -> Self {
        Self::new(&gpu.device().adapter_info(), gpu.profile())
    }

    /// The identity of a device that is known by plain data.
    #[must_use]
    pub fn new(info: &wgpu::AdapterInfo, profile: &DeviceProfile) -> Self {
        let wgpu::AdapterInfo { name, vendor, device, driver, driver_info, backend, .. } = info;
        let device_type = match profile.device_type {
            wgpu::DeviceType::DiscreteGpu => "discrete GPU",
            wgpu::DeviceType::IntegratedGpu => "integrated GPU",
            wgpu::DeviceType::VirtualGpu => "virtual GPU",
            wgpu::DeviceType::Cpu => "CPU",
            wgpu::DeviceType::Other => "other",
        };
        Self {
            name: name.clone(),
            backend: backend.to_str().to_owned(),
            vendor: *vendor,
            device: *device,
            device_type: device_type.to_owned(),
            driver: driver.clone(),
            driver_info: driver_info.clone(),
            subgroup_sizes: profile.subgroup_sizes,
            subgroups: profile.subgroups,
            int64: profile.int64,
            f64: profile.f64,
            workgroup_bytes: profile.workgroup_bytes,
            invocations: profile.invocations,
            workgroup_size: profile.workgroup_size,
            groups_per_axis: profile.groups_per_axis,
            binding_bytes: profile.binding_bytes,
            buffer_bytes: profile.buffer_bytes,
            storage_alignment: profile.storage_alignment,
            uniform_alignment: profile.uniform_alignment,
            storage_buffers: profile.storage_buffers,
        }
    }

    /// Whether what was measured on the one holds for the other: everything is equal.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self == other
    }

    /// Whether it is the same hardware through the same API, by another driver or another version of it. Limits and features, which a driver may change, are not compared.
    #[must_use]
    pub fn differs_in_driver_only(&self, other: &Self) -> bool {
        (&self.backend, self.vendor, self.device, &self.name) == (&other.backend, other.vendor, other.device, &other.name)
            && (&self.driver, &self.driver_info) != (&other.driver, &other.driver_info)
    }

    /// Whether both are of one vendor and of one kind, so that what is fast on the one may be so on the other.
    #[must_use]
    pub fn is_related(&self, other: &Self) -> bool {
        (self.vendor, &self.device_type) == (other.vendor, &other.device_type)
    }
}

impl fmt::Display for DeviceIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, backend, vendor, device, device_type, driver, driver_info, .. } = self;
        write!(f, "{name} ({backend}, {device_type}, {vendor:04x}:{device:04x})")?;
        match (driver.trim(), driver_info.trim()) {
            ("", "") => Ok(()),
            (one, "") | ("", one) => write!(f, ", driver {one}"),
            (driver, info) => write!(f, ", driver {driver} {info}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity() -> DeviceIdentity {
        let mut info = wgpu::AdapterInfo::new(wgpu::DeviceType::DiscreteGpu, wgpu::Backend::Vulkan);
        info.name = "a card".to_owned();
        (info.vendor, info.device, info.driver, info.driver_info) = (0x10de, 0x2335, "NVIDIA".to_owned(), "570.1".to_owned());
        let profile = DeviceProfile { device_type: wgpu::DeviceType::DiscreteGpu, ..DeviceProfile::webgpu_defaults() };
        DeviceIdentity::new(&info, &profile)
    }

    #[test]
    fn it_prints_for_people() {
        assert_eq!(identity().to_string(), "a card (vulkan, discrete GPU, 10de:2335), driver NVIDIA 570.1");
        let silent = DeviceIdentity { driver: String::new(), driver_info: String::new(), ..identity() };
        assert_eq!(silent.to_string(), "a card (vulkan, discrete GPU, 10de:2335)");
    }

    #[test]
    fn drivers_tell_devices_apart_and_nothing_else_does() {
        let one = identity();
        let newer = DeviceIdentity { driver_info: "580.2".to_owned(), workgroup_bytes: 1, ..one.clone() };
        assert!(one.differs_in_driver_only(&newer) && !one.is_same(&newer) && one.is_related(&newer));
        assert!(one.is_same(&one.clone()) && !one.differs_in_driver_only(&one));
        let smaller = DeviceIdentity { workgroup_bytes: 1, ..one.clone() };
        assert!(!one.is_same(&smaller) && !one.differs_in_driver_only(&smaller));
        let sibling = DeviceIdentity { device: 1, ..newer.clone() };
        assert!(!one.differs_in_driver_only(&sibling) && one.is_related(&sibling));
        assert!(!one.is_related(&DeviceIdentity { vendor: 1, ..newer }));
    }
}
