//! The identity of a measured device.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::gpu::{DeviceProfile, Gpu};

/// Everything that distinguishes devices for measurements: the hardware, its driver, and the
/// features and limits that recipes depend on.
///
/// It does not contain the adapter's index, which may change when the machine restarts. Two cards
/// of the same type have the same identity. A borrowed device and one that this crate opened are
/// equal if both were opened with the same limits and features; otherwise different recipes may fit
/// them.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceIdentity {
    /// Name of the adapter.
    pub name: String,
    /// The API that wgpu uses, as wgpu writes it: `vulkan`, `metal`, `dx12`, `webgpu`.
    pub backend: String,
    /// Vendor number, as reported by the API.
    pub vendor: u32,
    /// Device number, as reported by the API.
    pub device: u32,
    /// What kind of device it is: `discrete GPU`, `integrated GPU`, `virtual GPU`, `CPU`, `other`.
    pub device_type: String,
    /// Name of the driver.
    pub driver: String,
    /// The driver's description of itself, such as its version.
    pub driver_info: String,
    /// Smallest and largest subgroup size.
    pub subgroup_sizes: [u32; 2],
    /// Whether shaders can exchange values within a subgroup.
    pub subgroups: bool,
    /// Whether shaders can use 64-bit integers.
    pub int64: bool,
    /// Whether shaders can use 64-bit floats.
    pub f64: bool,
    /// Workgroup memory in bytes.
    pub workgroup_bytes: u32,
    /// Maximum number of invocations in a workgroup.
    pub invocations: u32,
    /// Maximum number of invocations in a workgroup along x, y and z.
    pub workgroup_size: [u32; 3],
    /// Maximum number of workgroups in a dispatch along one axis.
    pub groups_per_axis: u32,
    /// Largest storage binding in bytes.
    pub binding_bytes: u64,
    /// Largest buffer in bytes.
    pub buffer_bytes: u64,
    /// Alignment of a storage binding's offset.
    pub storage_alignment: u32,
    /// Alignment of a uniform binding's offset.
    pub uniform_alignment: u32,
    /// Maximum number of storage bindings in a dispatch.
    pub storage_buffers: u32,
}

impl DeviceIdentity {
    /// The identity of an open device.
    #[must_use]
    pub fn of(gpu: &Gpu) -> Self {
        Self::new(&gpu.adapter_info(), gpu.profile())
    }

    /// The identity of a device that is described by plain data.
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

    /// Whether both are the same hardware through the same API, possibly with another driver or
    /// driver version. Limits and features are not compared, since a driver may change them.
    #[must_use]
    pub fn differs_in_driver_only(&self, other: &Self) -> bool {
        (&self.backend, self.vendor, self.device, &self.name) == (&other.backend, other.vendor, other.device, &other.name)
            && (&self.driver, &self.driver_info) != (&other.driver, &other.driver_info)
    }

    /// Whether both have the same vendor and device type, so that recipes that are fast on one may
    /// be fast on the other.
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
        assert!(one.differs_in_driver_only(&newer) && one != newer && one.is_related(&newer));
        assert!(!one.differs_in_driver_only(&one));
        let smaller = DeviceIdentity { workgroup_bytes: 1, ..one.clone() };
        assert!(one != smaller && !one.differs_in_driver_only(&smaller));
        let sibling = DeviceIdentity { device: 1, ..newer.clone() };
        assert!(!one.differs_in_driver_only(&sibling) && one.is_related(&sibling));
        assert!(!one.is_related(&DeviceIdentity { vendor: 1, ..newer }));
    }
}
