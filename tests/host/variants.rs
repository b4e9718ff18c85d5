//! Specifications, recipes and profiles that together reach every kernel in every form.

use wgpu_fft::fft::C2c;
use wgpu_fft::kernels::Dispatch;
use wgpu_fft::plan::Program;
use wgpu_fft::reduce::Reduce;
use wgpu_fft::transpose::Transpose;
use wgpu_fft::{DeviceProfile, Element, Spec, wgpu};

use crate::recipes_by_hand::{TRANSPOSES, row_recipes};

/// WebGPU's least, a GPU with the limits of an H200, and the two software adapters that the tests run on.
pub fn profiles() -> Vec<DeviceProfile> {
    let least = DeviceProfile::webgpu_defaults();
    let large = DeviceProfile { invocations: 1024, workgroup_size: [1024, 1024, 64], ..least.clone() };
    vec![
        DeviceProfile {
            name: "H200".to_owned(),
            device_type: wgpu::DeviceType::DiscreteGpu,
            subgroup_sizes: [32, 32],
            workgroup_bytes: 49_152,
            storage_buffers: 32,
            binding_bytes: 2_147_483_644,
            buffer_bytes: 4_292_870_144,
            ..large.clone()
        },
        DeviceProfile {
            name: "lavapipe".to_owned(),
            device_type: wgpu::DeviceType::Cpu,
            subgroup_sizes: [8, 8],
            workgroup_bytes: 32_768,
            buffer_bytes: 2_147_483_647,
            ..large
        },
        DeviceProfile {
            name: "SwiftShader".to_owned(),
            device_type: wgpu::DeviceType::Cpu,
            subgroup_sizes: [4, 4],
            workgroup_bytes: 32_768,
            binding_bytes: 1 << 30,
            buffer_bytes: 1 << 30,
            ..least.clone()
        },
        least,
    ]
}

fn transposes<T: Element>(profile: &DeviceProfile, programs: &mut Vec<Program>) {
    let spec = Transpose::<T>::new([30, 70]).batch(2);
    programs.push(spec.lower(&spec.design(profile).unwrap(), profile).unwrap());
    programs.extend(TRANSPOSES.iter().filter_map(|text| spec.lower(&text.parse().unwrap(), profile).ok()));
    let row = Transpose::<T>::new([1, 70]);
    programs.push(row.lower(&row.design(profile).unwrap(), profile).unwrap());
}

fn reductions<T: wgpu_fft::reduce::Value>(profile: &DeviceProfile, programs: &mut Vec<Program>) {
    for spec in [Reduce::<T>::sum(70_000), Reduce::min(70_000), Reduce::max(70_000)] {
        programs.push(spec.lower(&spec.design(profile).unwrap(), profile).unwrap());
        programs.push(spec.lower(&"tree 64".parse().unwrap(), profile).unwrap());
    }
}

/// The programs of everything above.
pub fn programs(profile: &DeviceProfile) -> Vec<Program> {
    let mut programs = Vec::new();
    transposes::<u32>(profile, &mut programs);
    transposes::<[f32; 2]>(profile, &mut programs);
    transposes::<[f32; 4]>(profile, &mut programs);
    reductions::<f32>(profile, &mut programs);
    reductions::<i32>(profile, &mut programs);
    reductions::<u32>(profile, &mut programs);
    for n in (0..=12).map(|log2| 1usize << log2) {
        for spec in [C2c::forward(n).batch(3), C2c::inverse(n).batch(3), C2c::forward(n).batch(3).in_place()] {
            programs.push(spec.lower(&spec.design(profile).unwrap(), profile).unwrap());
            programs.extend(row_recipes(n).iter().filter_map(|recipe| spec.lower(recipe, profile).ok()));
        }
    }
    for spec in [C2c::forward([16, 64]), C2c::inverse([64, 8]).in_place(), C2c::forward([8, 32]).transposed()] {
        programs.push(spec.lower(&spec.design(profile).unwrap(), profile).unwrap());
    }
    programs
}

/// Their dispatches, each kind once.
pub fn dispatches() -> Vec<Dispatch> {
    let mut seen = std::collections::HashSet::new();
    let all = profiles().iter().flat_map(programs).flat_map(|program| program.dispatches).collect::<Vec<_>>();
    all.into_iter().filter(|dispatch| seen.insert((dispatch.wgsl().into_owned(), dispatch.overrides.clone()))).collect()
}
