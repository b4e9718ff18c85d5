//! Devices of Direct3D and Metal, which nobody here has, as wgpu would report them: `absent.txt`.

use wgpu_fft::DeviceProfile;
use wgpu_fft::low_level::reported;
use wgpu_fft::wgpu::{AdapterInfo, Backend, DeviceType, Features, Limits};

const DEVICES: &str = include_str!("absent.txt");

/// The compilers of Direct3D. Without DXC, wgpu uses FXC, which knows neither subgroups nor 64-bit
/// integers nor f16.
const DXC: &str = "dxc-";
const FXC: &str = "fxc-";

/// The name of a device, and the other columns of its line.
fn lines() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    DEVICES.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let mut columns = line.split('|').map(str::trim);
        (columns.next().unwrap_or_default(), columns.collect())
    })
}

/// The names of all, which begin with the compiler: dxc, fxc or metal.
pub fn names() -> impl Iterator<Item = String> {
    lines().flat_map(|(name, _)| [Some(name.to_owned()), name.strip_prefix(DXC).map(|own| format!("{FXC}{own}"))]).flatten()
}

/// What rules would see of a device.
#[must_use]
pub fn profile(name: &str) -> Option<DeviceProfile> {
    let by_dxc = name.strip_prefix(FXC).map(|own| format!("{DXC}{own}"));
    let (_, columns) = lines().find(|(own, _)| *own == by_dxc.as_deref().unwrap_or(name))?;
    let is_fxc = by_dxc.is_some();
    let is_metal = name.starts_with("metal");
    let [vendor, device_type, subgroups, storage_buffers, buffer_bytes, features, full_name] = columns[..] else {
        panic!("absent.txt: `{name}` has {} columns", columns.len());
    };
    let device_type = match device_type {
        "discrete" => DeviceType::DiscreteGpu,
        "integrated" => DeviceType::IntegratedGpu,
        "cpu" => DeviceType::Cpu,
        other => panic!("absent.txt: `{other}`"),
    };
    let (least, most) = subgroups.split_once(' ').expect("two sizes");
    let info = AdapterInfo {
        name: full_name.to_owned(),
        vendor: u32::from_str_radix(vendor, 16).expect("a PCI number"),
        subgroup_min_size: least.parse().expect("a size"),
        subgroup_max_size: most.parse().expect("a size"),
        ..AdapterInfo::new(device_type, if is_metal { Backend::Metal } else { Backend::Dx12 })
    };
    let features = features.split_whitespace().map(|word| match word {
        "timestamp" => Features::TIMESTAMP_QUERY,
        _ if is_fxc => Features::empty(),
        "subgroup" => Features::SUBGROUP,
        "int64" => Features::SHADER_INT64,
        "f16" => Features::SHADER_F16,
        other => panic!("absent.txt: `{other}`"),
    });
    let buffer_bytes: u64 = buffer_bytes.parse().expect("a size");
    let limits = Limits {
        max_compute_workgroup_storage_size: 32_768,
        max_compute_invocations_per_workgroup: 1024,
        max_compute_workgroup_size_x: 1024,
        max_compute_workgroup_size_y: 1024,
        max_compute_workgroup_size_z: if is_metal { 1024 } else { 64 },
        max_compute_workgroups_per_dimension: 65_535,
        max_buffer_size: buffer_bytes,
        max_storage_buffer_binding_size: buffer_bytes & !3,
        min_storage_buffer_offset_alignment: 32,
        min_uniform_buffer_offset_alignment: 256,
        max_storage_buffers_per_shader_stage: storage_buffers.parse().expect("a number"),
        ..Limits::default()
    };
    Some(reported(&info, &limits, features.fold(Features::empty(), Features::union)))
}
