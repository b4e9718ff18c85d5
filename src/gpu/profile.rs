//! Device properties that recipes depend on, as plain values: a recipe can be designed without a
//! device.

use super::registers::Registers;

/// The properties of a device that decide which recipes fit it and which is best.
///
/// ```
/// use wgpu_fft::{DeviceProfile, Spec, fft};
///
/// // What would the rules choose on a device with larger workgroups?
/// let large = DeviceProfile::webgpu_defaults().with(|profile| {
///     profile.invocations = 1024;
///     profile.workgroup_size = [1024, 1024, 64];
/// });
/// println!("{}", fft::C2c::forward(4096).design(&large)?);
/// # Ok::<(), wgpu_fft::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct DeviceProfile {
    /// Name of the adapter.
    pub name: String,
    /// What kind of device it is.
    pub device_type: wgpu::DeviceType,
    /// Smallest and largest subgroup size.
    pub subgroup_sizes: [u32; 2],
    /// Workgroup memory in bytes (`max_compute_workgroup_storage_size`).
    pub workgroup_bytes: u32,
    /// Maximum number of invocations in a workgroup (`max_compute_invocations_per_workgroup`).
    pub invocations: u32,
    /// Maximum number of invocations in a workgroup along x, y and z
    /// (`max_compute_workgroup_size_*`).
    pub workgroup_size: [u32; 3],
    /// Maximum number of workgroups in a dispatch along one axis
    /// (`max_compute_workgroups_per_dimension`).
    pub groups_per_axis: u32,
    /// Largest storage binding in bytes (`max_storage_buffer_binding_size`, below 4 GiB).
    pub binding_bytes: u64,
    /// Largest buffer in bytes (`max_buffer_size`).
    pub buffer_bytes: u64,
    /// Alignment of a storage binding's offset (`min_storage_buffer_offset_alignment`).
    pub storage_alignment: u32,
    /// Alignment of a uniform binding's offset (`min_uniform_buffer_offset_alignment`).
    pub uniform_alignment: u32,
    /// Maximum number of storage bindings in a dispatch (`max_storage_buffers_per_shader_stage`).
    pub storage_buffers: u32,
    /// The registers of a GPU, by its vendor and name. Rules keep to them, recipes by hand need
    /// not.
    pub registers: Registers,
    /// Whether this crate's authors measured cards like it, so that the rules take what was the
    /// best on those: NVIDIA's.
    pub is_measured: bool,
    /// Whether a processor transforms each line in one lane, since barriers cost it more than a
    /// pass through memory: those whose vectors are shorter than 8.
    pub one_lane: bool,
    /// Whether timestamp queries are available.
    pub timestamps: bool,
    /// Whether shaders can exchange values within a subgroup (`SUBGROUP`).
    pub subgroups: bool,
    /// Whether shaders can use 64-bit integers (`SHADER_INT64`).
    pub int64: bool,
    /// Whether shaders can use 64-bit floats (`SHADER_F64`).
    pub f64: bool,
}

impl DeviceProfile {
    /// The profile of an open device.
    #[must_use]
    pub fn of(device: &wgpu::Device) -> Self {
        Self::reported(&device.adapter_info(), &device.limits(), device.features())
    }

    /// The profile of a device of which wgpu reports this.
    pub(crate) fn reported(info: &wgpu::AdapterInfo, limits: &wgpu::Limits, features: wgpu::Features) -> Self {
        // Browsers keep names to themselves.
        let name = if info.name.is_empty() { "unnamed adapter" } else { &info.name };
        let own = Self::new(name, info.vendor, info.device_type, [info.subgroup_min_size, info.subgroup_max_size], limits);
        // FXC, the older compiler of Direct3D, knows no subgroups, and takes long for long texts.
        let is_fxc = info.backend == wgpu::Backend::Dx12 && !features.contains(wgpu::Features::SUBGROUP);
        Self {
            registers: if is_fxc { Registers::of(0, "fxc", 1) } else { own.registers },
            is_measured: own.is_measured && !is_fxc,
            timestamps: features.contains(wgpu::Features::TIMESTAMP_QUERY),
            subgroups: features.contains(wgpu::Features::SUBGROUP),
            int64: features.contains(wgpu::Features::SHADER_INT64),
            f64: features.contains(wgpu::Features::SHADER_F64),
            ..own
        }
    }

    /// The limits that every WebGPU device supports: 16 KiB of workgroup memory, 256 invocations
    /// per workgroup, bindings of 128 MiB.
    #[must_use]
    pub fn webgpu_defaults() -> Self {
        Self::new("WebGPU defaults", 0, wgpu::DeviceType::Other, [4, 128], &wgpu::Limits::default())
    }

    /// A GPU with large workgroups, whose registers no rule asks for, like those that were
    /// measured.
    #[cfg(test)]
    pub(crate) fn large_gpu() -> Self {
        Self {
            registers: Registers::PLENTY,
            is_measured: true,
            workgroup_bytes: 49_152,
            invocations: 1024,
            workgroup_size: [1024, 1024, 64],
            ..Self::webgpu_defaults()
        }
    }

    fn new(name: &str, vendor: u32, device_type: wgpu::DeviceType, subgroup_sizes: [u32; 2], limits: &wgpu::Limits) -> Self {
        let registers = Registers::of(vendor, name, subgroup_sizes[0]);
        Self {
            name: name.to_owned(),
            device_type,
            subgroup_sizes,
            workgroup_bytes: limits.max_compute_workgroup_storage_size,
            invocations: limits.max_compute_invocations_per_workgroup,
            workgroup_size: [limits.max_compute_workgroup_size_x, limits.max_compute_workgroup_size_y, limits.max_compute_workgroup_size_z],
            groups_per_axis: limits.max_compute_workgroups_per_dimension,
            // Metal reports tens of GiB, but naga's bounds checks for it keep sizes in 32 bits:
            // what lies behind 4 GiB of a binding would be read and written at its end.
            binding_bytes: limits.max_storage_buffer_binding_size.min((1 << 32) - 4),
            buffer_bytes: limits.max_buffer_size,
            storage_alignment: limits.min_storage_buffer_offset_alignment,
            uniform_alignment: limits.min_uniform_buffer_offset_alignment,
            storage_buffers: limits.max_storage_buffers_per_shader_stage,
            registers,
            is_measured: registers == Registers::PLENTY,
            one_lane: subgroup_sizes[1] < 8,
            timestamps: false,
            subgroups: false,
            int64: false,
            f64: false,
        }
    }

    /// The same profile with some properties changed, for a device that is not at hand.
    #[must_use]
    pub fn with(&self, change: impl FnOnce(&mut Self)) -> Self {
        let mut changed = self.clone();
        change(&mut changed);
        changed
    }

    /// Whether the device is a CPU with a software driver. Its workgroup memory is ordinary memory,
    /// and barriers are expensive.
    #[must_use]
    pub fn is_cpu(&self) -> bool {
        self.device_type == wgpu::DeviceType::Cpu
    }

    /// Maximum number of invocations in a workgroup that has them all along x.
    pub(crate) fn invocations_in_a_row(&self) -> u32 {
        self.invocations.min(self.workgroup_size[0])
    }

    /// The same limits on a processor in place of a GPU, or the other way round: a device that
    /// nobody has measured may be like either.
    pub(crate) fn of_other_kind(&self) -> Self {
        let device_type = if self.is_cpu() { wgpu::DeviceType::DiscreteGpu } else { wgpu::DeviceType::Cpu };
        self.with(|profile| profile.device_type = device_type)
    }
}
