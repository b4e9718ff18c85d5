//! Specifications, recipes and profiles that together reach every kernel in every form.

use wgpu_fft::fft::{C2c, RowRecipe};
use wgpu_fft::kernels::Dispatch;
use wgpu_fft::plan::Program;
use wgpu_fft::reduce::Reduce;
use wgpu_fft::transpose::Transpose;
use wgpu_fft::{DeviceProfile, Element, Spec, fft, wgpu};

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

/// Forced recipes for rows of n, besides the rules' choice.
pub fn row_recipes(n: usize) -> Vec<fft::Recipe> {
    let by_hand = [
        "rows: registers 8.8 elements=8 rows=4 exchange=split banks=32 roots=products",
        "rows: registers 8.8 elements=16 rows=2 exchange=whole banks=32 roots=table",
        "rows: registers 2.2.2.2.2.2 elements=2 rows=1 exchange=whole banks=0 roots=table",
        "rows: registers 4.16 elements=16 rows=3 exchange=split banks=16 roots=table",
        "rows: registers 2.4.8 elements=32 rows=5 exchange=split banks=0 roots=products",
        "rows: registers 4.4.4 elements=4 rows=2 exchange=whole banks=64 roots=products",
        "rows: registers 8.8.8.2 elements=8 rows=1 exchange=split banks=32 roots=products",
        "rows: registers 16.16.4 elements=16 rows=1 exchange=whole banks=32 roots=table",
        "rows: registers 2.8.8.8 elements=8 rows=1 exchange=whole banks=0 roots=table",
    ];
    let mut recipes: Vec<fft::Recipe> = by_hand.iter().map(|text| text.parse().unwrap()).collect();
    recipes.retain(|recipe| matches!(recipe, fft::Recipe::Rows(RowRecipe::Registers(registers)) if registers.n() as usize == n));
    let lanes = (n as u32 / 2).clamp(1, 64);
    recipes.extend([(1, lanes), (3, 1), (2, 5)].map(|(rows, lanes)| fft::Recipe::Rows(RowRecipe::Radix2 { rows, lanes })));
    recipes
}

/// Recipes for a transpose, of every variant.
pub const TRANSPOSES: [&str; 10] = [
    "naive 16x16",
    "naive 7x3",
    "tiled 16+0 elements=1",
    "tiled 16+1 elements=1",
    "tiled 16+1 elements=2",
    "tiled 32+1 elements=4",
    "tiled 32+1 elements=8",
    "tiled 16+1 elements=16",
    "tiled 4+1 elements=1",
    "tiled 5+2 elements=5",
];

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
