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
#[serde(try_from = "Compact", into = "Compact")]
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
    /// Most workgroups in a dispatch along one axis.
    pub groups_per_axis: u32,
    /// Largest storage binding in bytes.
    pub binding_bytes: u64,
    /// Largest buffer in bytes.
    pub buffer_bytes: u64,
    /// Alignment of a storage binding's offset.
    pub storage_alignment: u32,
    /// Alignment of a uniform binding's offset.
    pub uniform_alignment: u32,
    /// Most storage bindings in a dispatch.
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

    /// Whether both identities are equal, so that measurements on one device hold for the other.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self == other
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

/// As in files, where it stands in every line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Compact {
    name: String,
    backend: String,
    /// Vendor and device.
    id: [u32; 2],
    r#type: String,
    driver: String,
    driver_info: String,
    subgroup_sizes: [u32; 2],
    /// Those that it has.
    features: Vec<Feature>,
    /// In the order of [`DeviceIdentity`].
    limits: [u64; 11],
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Feature {
    Subgroups,
    Int64,
    F64,
}

impl From<DeviceIdentity> for Compact {
    fn from(of: DeviceIdentity) -> Self {
        let features = [(of.subgroups, Feature::Subgroups), (of.int64, Feature::Int64), (of.f64, Feature::F64)];
        let [x, y, z] = of.workgroup_size;
        Self {
            name: of.name,
            backend: of.backend,
            id: [of.vendor, of.device],
            r#type: of.device_type,
            driver: of.driver,
            driver_info: of.driver_info,
            subgroup_sizes: of.subgroup_sizes,
            features: features.into_iter().filter_map(|(has, feature)| has.then_some(feature)).collect(),
            limits: [
                of.workgroup_bytes.into(),
                of.invocations.into(),
                x.into(),
                y.into(),
                z.into(),
                of.groups_per_axis.into(),
                of.binding_bytes,
                of.buffer_bytes,
                of.storage_alignment.into(),
                of.uniform_alignment.into(),
                of.storage_buffers.into(),
            ],
        }
    }
}

impl TryFrom<Compact> for DeviceIdentity {
    type Error = std::num::TryFromIntError;

    fn try_from(of: Compact) -> Result<Self, Self::Error> {
        let [workgroup_bytes, invocations, x, y, z, groups_per_axis, binding_bytes, buffer_bytes, storage, uniform, storage_buffers] =
            of.limits;
        Ok(Self {
            name: of.name,
            backend: of.backend,
            vendor: of.id[0],
            device: of.id[1],
            device_type: of.r#type,
            driver: of.driver,
            driver_info: of.driver_info,
            subgroup_sizes: of.subgroup_sizes,
            subgroups: of.features.contains(&Feature::Subgroups),
            int64: of.features.contains(&Feature::Int64),
            f64: of.features.contains(&Feature::F64),
            workgroup_bytes: workgroup_bytes.try_into()?,
            invocations: invocations.try_into()?,
            workgroup_size: [x.try_into()?, y.try_into()?, z.try_into()?],
            groups_per_axis: groups_per_axis.try_into()?,
            binding_bytes,
            buffer_bytes,
            storage_alignment: storage.try_into()?,
            uniform_alignment: uniform.try_into()?,
            storage_buffers: storage_buffers.try_into()?,
        })
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
    fn its_text_says_everything() {
        let mut one = DeviceIdentity { subgroups: true, f64: true, workgroup_size: [1, 2, 3], buffer_bytes: u64::MAX, ..identity() };
        (one.workgroup_bytes, one.invocations, one.groups_per_axis, one.binding_bytes) = (10, 11, 12, 13);
        (one.storage_alignment, one.uniform_alignment, one.storage_buffers) = (14, 15, u32::MAX);
        let text = serde_json::to_string(&one).unwrap();
        assert_eq!(
            text,
            concat!(
                r#"{"name":"a card","backend":"vulkan","id":[4318,9013],"type":"discrete GPU","driver":"NVIDIA","driver_info":"570.1","#,
                r#""subgroup_sizes":[4,128],"features":["subgroups","f64"],"limits":[10,11,1,2,3,12,13,18446744073709551615,14,15,4294967295]}"#
            )
        );
        assert_eq!(serde_json::from_str::<DeviceIdentity>(&text).unwrap(), one);
        for (from, to) in [("4294967295]", "4294967296]"), ("\"f64\"", "\"f16\""), (",15", ""), ("{", "{\"index\":0,")] {
            assert!(text.contains(from) && serde_json::from_str::<DeviceIdentity>(&text.replacen(from, to, 1)).is_err(), "{from}");
        }
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
