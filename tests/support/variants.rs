//! Specifications, recipes and profiles that together reach every kernel in every form.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

use wgpu_fft::dynamic::AnySpec;
use wgpu_fft::elements::{Pixel, Value};
use wgpu_fft::fft::{C2c, C2r, R2c, R2r, Scale};
use wgpu_fft::half::{bf16, f16};
use wgpu_fft::low_level;
use wgpu_fft::low_level::Registers;
use wgpu_fft::low_level::recipes::fft::Recipe;
use wgpu_fft::num_complex::{Complex, Complex64};
use wgpu_fft::plan::Program;
use wgpu_fft::reduce::{self, Reduction};
use wgpu_fft::signal::Mode;
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Complex32, DeviceProfile, Element, Fragment, Spec, wgpu};

use crate::filters::{self, EDGES, Filter, whole_numbers};
use crate::frames;
use crate::grids;
use crate::halves::IN_TWOS;
use crate::lists::asks_for_all;
use crate::permute::{Case, MAPPED, PERMUTATIONS};
use crate::recipes::{COMPLEX, HALVES_IN_LANES, LANES, REAL, TRANSPOSES};
use crate::reductions::{self, Outcome, RECIPES, Runner};
use crate::rolls;
use crate::{rings, shifts};

/// Devices far smaller than WebGPU allows, some of which can run nothing.
pub fn tiny_profiles() -> Vec<DeviceProfile> {
    let all = [(0, 0), (1, 1), (2, 2), (8, 8), (64, 64), (64, 1)].into_iter();
    let all = all.flat_map(|(invocations, y)| [0, 64, 1024, 16_384].map(|bytes| (invocations, y, bytes)));
    let profile = |(invocations, y, bytes)| {
        DeviceProfile::webgpu_defaults().with(|profile| {
            profile.invocations = invocations;
            profile.workgroup_size = [invocations, y, 1];
            profile.workgroup_bytes = bytes;
            profile.f64 = true;
        })
    };
    all.map(profile).collect()
}

/// Profiles: WebGPU's minimum, a GPU with the limits of an H200, and the two software adapters on
/// which the tests run.
pub fn profiles() -> Vec<DeviceProfile> {
    let least = DeviceProfile::webgpu_defaults();
    let large = least.with(|profile| {
        profile.invocations = 1024;
        profile.workgroup_size = [1024, 1024, 64];
    });
    vec![
        large.with(|profile| {
            profile.name = "H200".to_owned();
            profile.registers = Registers::PLENTY;
            profile.is_measured = true;
            profile.device_type = wgpu::DeviceType::DiscreteGpu;
            profile.subgroup_sizes = [32, 32];
            profile.subgroups = true;
            profile.f64 = true;
            profile.workgroup_bytes = 49_152;
            profile.storage_buffers = 32;
            profile.binding_bytes = 2_147_483_644;
            profile.buffer_bytes = 4_292_870_144;
        }),
        large.with(|profile| {
            profile.name = "lavapipe".to_owned();
            profile.device_type = wgpu::DeviceType::Cpu;
            profile.subgroup_sizes = [8, 8];
            profile.subgroups = true;
            profile.int64 = true;
            profile.f64 = true;
            profile.workgroup_bytes = 32_768;
            profile.buffer_bytes = 2_147_483_647;
        }),
        least.with(|profile| {
            profile.name = "SwiftShader".to_owned();
            profile.device_type = wgpu::DeviceType::Cpu;
            profile.subgroup_sizes = [4, 4];
            profile.one_lane = true;
            profile.workgroup_bytes = 32_768;
            profile.binding_bytes = 1 << 30;
            profile.buffer_bytes = 1 << 30;
        }),
        least,
    ]
}

/// The profile on which a case runs, which its hash chooses, or all with WGPU_FFT_THOROUGH=1.
pub fn profiles_of(case: &impl Hash) -> Vec<DeviceProfile> {
    one_or_all(profiles(), case)
}

/// One of several, which the hash of a case chooses, or all with WGPU_FFT_THOROUGH=1.
pub fn one_or_all<T>(mut all: Vec<T>, case: &impl Hash) -> Vec<T> {
    let mut hasher = DefaultHasher::new();
    case.hash(&mut hasher);
    let turn = hasher.finish() as usize % all.len();
    if asks_for_all() { all } else { vec![all.swap_remove(turn)] }
}

fn transposes<T: Element>(profile: &DeviceProfile, programs: &mut Vec<Program>) {
    let spec = Permute::<T>::transpose([30, 70]).batch(2);
    programs.push(spec.lower(&spec.design(profile).unwrap(), profile).unwrap());
    programs.extend(TRANSPOSES.iter().filter_map(|text| spec.lower(&text.parse().unwrap(), profile).ok()));
    let row = Permute::<T>::transpose([1, 70]);
    programs.push(row.lower(&row.design(profile).unwrap(), profile).unwrap());
}

/// Permutations with default and hand-written recipes: of rows aligned on both sides, on one, and
/// on neither; in place; and with more axes.
fn permutations<T: Element>(profile: &DeviceProfile, programs: &mut Vec<Program>) {
    let cases = [
        Case::transpose(&[128, 192]),
        Case::transpose(&[48, 70]).batch(2),
        Case::transpose(&[35, 64]),
        Case::transpose(&[35, 61]),
        Case::transpose(&[64, 64]).batch(2).in_place(),
        Case::transpose(&[31, 31]).in_place(),
        Case::new(&[4, 16, 6, 32], &[3, 2, 1, 0]).batch(2),
        Case::new(&[5, 16, 32], &[1, 0, 2]),
    ];
    for case in cases {
        let spec = case.spec::<T>();
        programs.push(spec.lower(&spec.design(profile).unwrap(), profile).unwrap());
        programs.extend(PERMUTATIONS.iter().filter_map(|text| spec.lower(&text.parse().unwrap(), profile).ok()));
    }
}

/// Collects the programs of reductions instead of running them.
struct Reductions<'a> {
    profile: &'a DeviceProfile,
    programs: RefCell<&'a mut Vec<Program>>,
}

impl Runner for Reductions<'_> {
    fn run<T: Value, O: Element>(&self, spec: Reduction<T, O>, recipe: Option<&str>, _: &[T], _: Option<&[T]>) -> Option<Outcome<O>> {
        let recipe = recipe.map_or_else(|| spec.design(self.profile).unwrap(), |text| text.parse().unwrap());
        self.programs.borrow_mut().extend(spec.lower(&recipe, self.profile).ok());
        None
    }

    fn has_f64(&self) -> bool {
        self.profile.f64
    }

    fn has_custom(&self) -> bool {
        true
    }
}

fn of_reductions(profile: &DeviceProfile, programs: &mut Vec<Program>) {
    let runner = Reductions { profile, programs: RefCell::new(programs) };
    for case in [
        reductions::Case::new(&[70_000], 1, None),
        reductions::Case::new(&[70_001], 1, None),
        reductions::Case::new(&[30, 64], 2, Some(&[0])),
        reductions::Case::new(&[30, 64], 2, Some(&[1])),
    ] {
        case.check(&runner);
        case.clone().across_devices().check_f32(&runner);
        case.across_devices().check_complex(&runner);
    }
    for place in 0..reductions::PLACES {
        let case = reductions::Case::new(&[12, 20, 16], 2, Some(&[place % 3])).placed(place);
        case.check_f32(&runner);
        case.check_f16(&runner);
        case.across_devices().check_f32(&runner);
    }
    for recipe in RECIPES {
        reductions::Case::new(&[960], 1, None).by(recipe).check_f32(&runner);
        reductions::Case::new(&[12, 20, 16], 1, Some(&[0, 2])).by(recipe).check_f16(&runner);
        reductions::Case::new(&[12, 20, 16], 1, Some(&[1])).by(recipe).check_integers(&runner);
    }
    for axes in [&[0, 1][..], &[0], &[1]] {
        let input = Fragment::new("value * f32(i1) + table[i0]").array::<f32>("table", 7);
        let output = Fragment::new("vec4(value, f32(i0), f32(i1), table[batch] * gain)");
        let output = output.array::<f32>("table", 7).uniform::<f32>("gain", "f32");
        let largest = reduce::max::<f32>([9000, 12]).batch(3).axes(axes).map_output::<[f16; 4]>(output).unwrap();
        for spec in [largest.clone(), largest.map_input::<f32>(input).unwrap()] {
            let recipes = RECIPES.iter().map(|recipe| recipe.parse().unwrap());
            let recipes = recipes.chain([spec.design(profile).unwrap()]);
            runner.programs.borrow_mut().extend(recipes.filter_map(|recipe| spec.lower(&recipe, profile).ok()));
        }
    }
}

/// Filters with default and hand-written recipes: short and long kernels, of one axis and of two,
/// near the edges and far outside.
fn of_filters<T: Pixel>(profile: &DeviceProfile, programs: &mut Vec<Program>) {
    fn add<S: Spec<Recipe = wgpu_fft::low_level::recipes::signal::Filter>>(spec: &S, profile: &DeviceProfile, programs: &mut Vec<Program>) {
        programs.push(spec.lower(&spec.design(profile).unwrap(), profile).unwrap());
        programs.extend(filters::RECIPES.iter().filter_map(|text| spec.lower(&text.parse().unwrap(), profile).ok()));
    }
    for (i, edge) in EDGES.into_iter().enumerate() {
        for (shape, taps) in [([21, 48], [3, 7]), ([20, 33], [31, 2]), ([5, 36], [40, 101])] {
            let filter = Filter::new(&shape, i % 2 == 0, edge).batch(2);
            let [down, along] = taps.map(|count| whole_numbers(count, 1));
            add(&filter.separable::<T>(&[(0, down), (1, along)]), profile, programs);
            add(&Filter { shape: vec![shape[1]], ..filter.clone() }.separable::<T>(&[(0, whole_numbers(taps[1], 2))]), profile, programs);
            let kernel = taps.map(|count| count.min(11));
            let size = if shape[0] > 20 { Mode::Valid } else { Mode::Same };
            add(&filter.direct::<T>(&kernel, &whole_numbers(kernel[0] * kernel[1], 3), size), profile, programs);
        }
    }
}

/// `4x6` for `[4, 6]`.
pub fn extents(shape: &[usize]) -> String {
    shape.iter().map(usize::to_string).collect::<Vec<_>>().join("x")
}

/// Transforms that use the default recipes: every kind of length, rank, placement and layout.
pub const SPECS: [&str; 45] = [
    "c2c fwd 1",
    "c2c fwd 2 x1000",
    "c2c fwd 12 x1000",
    "c2c inv 16 x100 in-place",
    "c2c fwd 31 x7",
    "c2c fwd 37 x100",
    "c2c inv 60 x9",
    "c2c inv 67 x100 in-place",
    "c2c fwd 100 x3",
    "c2c fwd 256 x5",
    "c2c inv 509 x3",
    "c2c fwd 1000 x100 1/n",
    "c2c fwd 1024 x1000",
    "c2c inv 4096 x3 in-place",
    "c2c fwd 4099",
    "c2c fwd 32768 x3",
    "c2c inv 16384 x3 in-place",
    "c2c fwd 10007",
    "c2c fwd 1048576",
    "c2c fwd 512x512",
    "c2c inv 64x30 x2 in-place",
    "c2c fwd 32x48 transposed",
    "c2c fwd 32x48 x3 in-place transposed",
    "c2c fwd 24x37x16 axes=0,2",
    "c2c inv 12x20 x3 in=26,1/317 out=60,3/1",
    "c2c fwd 12x20 x3 in=31,1/589@97 out=1,12/240@1",
    "r2c fwd 64 x5",
    "r2c fwd 60 x4 in-place",
    "r2c fwd 16384 x3",
    "r2c fwd 30x67 x3",
    "c2r inv 64 x5",
    "c2r inv 60 x5 in-place",
    "c2r inv 16384 x3",
    "c2r inv 15x30x32",
    "r2r dct1 17 x5",
    "r2r dst1 15 x5",
    "r2r dct2 64x48 x3",
    "r2r dst3 60 x5 orthogonal in-place",
    "r2r dct4 32 x5",
    "r2r dst4 15x8",
    "r2r hartley,r2hc 12x20",
    "r2r hc2r 37 x4",
    "r2r dct2 16384 x3",
    "c2c inv 12x32 x3 kinds=dct3,-",
    "c2r inv 15x20 kinds=dst4,-",
];

/// The specifications of large arrays in `benches/reach.txt`, those of the reviewed table of recipes,
/// and [`SPECS`].
#[must_use]
pub fn corpus() -> BTreeSet<&'static str> {
    let large = include_str!("../../benches/reach.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let reviewed = include_str!("../host/recipes.txt").lines().filter_map(|line| line.split("  ").next());
    let all: BTreeSet<&str> = large.chain(reviewed).chain(SPECS).collect();
    // Filters have no text.
    all.into_iter().filter(|text| text.parse::<AnySpec>().is_ok()).collect()
}

/// The program of a specification given as text, with the default recipe or another one, if it
/// fits.
pub fn lowered(spec: &str, recipe: Option<&str>, profile: &DeviceProfile) -> Result<Program, wgpu_fft::Error> {
    let recipe: Option<Recipe> = recipe.map(str::parse).transpose()?;
    let in_f64 = spec.split(' ').any(|word| word == "f64" || word == "f64-by-f32");
    match &spec[..3] {
        "c2c" if in_f64 => of(&spec.parse::<C2c<Complex64, Complex64>>()?, recipe.as_ref(), profile),
        "r2c" if in_f64 => of(&spec.parse::<R2c<f64, Complex64>>()?, recipe.as_ref(), profile),
        "c2r" if in_f64 => of(&spec.parse::<C2r<Complex64, f64>>()?, recipe.as_ref(), profile),
        "r2r" if in_f64 => of(&spec.parse::<R2r<f64, f64>>()?, recipe.as_ref(), profile),
        "c2c" => of(&spec.parse::<C2c>()?, recipe.as_ref(), profile),
        "r2c" => of(&spec.parse::<R2c>()?, recipe.as_ref(), profile),
        "r2r" if in_f64 => of(&spec.parse::<R2r<f64, f64>>()?, recipe.as_ref(), profile),
        "r2r" => of(&spec.parse::<R2r>()?, recipe.as_ref(), profile),
        _ => of(&spec.parse::<C2r>()?, recipe.as_ref(), profile),
    }
}

/// The programs of everything above, and of the hand-written recipes.
pub fn programs(profile: &DeviceProfile) -> Vec<Program> {
    let mut programs = Vec::new();
    transposes::<u32>(profile, &mut programs);
    transposes::<[f32; 2]>(profile, &mut programs);
    transposes::<[f32; 4]>(profile, &mut programs);
    permutations::<u8>(profile, &mut programs);
    permutations::<u16>(profile, &mut programs);
    permutations::<u32>(profile, &mut programs);
    permutations::<[f32; 2]>(profile, &mut programs);
    permutations::<[f32; 4]>(profile, &mut programs);
    rolls::programs::<u8>(profile, &mut programs);
    rolls::programs::<u16>(profile, &mut programs);
    rolls::programs::<u32>(profile, &mut programs);
    rolls::programs::<[u32; 2]>(profile, &mut programs);
    rolls::programs::<[u32; 4]>(profile, &mut programs);
    frames::programs::<f32>(profile, &mut programs);
    frames::programs::<Complex32>(profile, &mut programs);
    grids::programs::<f32>(profile, &mut programs);
    grids::programs::<Complex32>(profile, &mut programs);
    of_reductions(profile, &mut programs);
    of_filters::<f32>(profile, &mut programs);
    of_filters::<u8>(profile, &mut programs);
    for spec in SPECS {
        programs.push(lowered(spec, None, profile).unwrap_or_else(|error| panic!("{spec} on {}: {error}", profile.name)));
    }
    if profile.f64 {
        let specs = SPECS.iter().map(|spec| in_f64(spec));
        programs.extend(specs.map(|spec| lowered(&spec, None, profile).unwrap_or_else(|error| panic!("{spec}: {error}"))));
    }
    // Every second one, since each device can run them.
    let specs = SPECS.iter().step_by(2).map(|spec| by_f32(spec));
    programs.extend(specs.map(|spec| lowered(&spec, None, profile).unwrap_or_else(|error| panic!("{spec}: {error}"))));
    programs.push(low_level::precision::program().unwrap());
    programs
}

/// The same transform of f64, in double-single arithmetic.
pub fn by_f32(spec: &str) -> String {
    format!("{spec} f64-by-f32")
}

/// The same transform of f64.
pub fn in_f64(spec: &str) -> String {
    format!("{spec} f64")
}

fn programs_by_hand(profile: &DeviceProfile) -> Vec<Program> {
    let complex = COMPLEX.iter().flat_map(|(shape, recipes)| {
        let shape = extents(shape);
        let specs = [format!("c2c fwd {shape} x5"), format!("c2c inv {shape} x5 in-place")];
        recipes.iter().enumerate().map(move |(i, recipe)| (specs[i % 2].clone(), *recipe))
    });
    let real = REAL.iter().flat_map(|(shape, both)| {
        let shape = extents(shape);
        ["r2c fwd", "c2r inv"].into_iter().zip(both).flat_map(move |(kind, recipes)| {
            let specs = [format!("{kind} {shape} x5 rows-may-mix"), format!("{kind} {shape} x6 in-place rows-may-mix")];
            recipes.iter().enumerate().map(move |(i, recipe)| (specs[i % 2].clone(), *recipe))
        })
    });
    let all: Vec<(String, &str)> = complex.chain(real).collect();
    let lower = |(spec, recipe): &(String, &str)| lowered(spec, Some(recipe), profile).unwrap_or_else(|error| panic!("{error}"));
    let mut programs: Vec<Program> = all.iter().map(lower).collect();
    // Not every recipe is for f64.
    programs.extend(all.iter().filter_map(|(spec, recipe)| lowered(&in_f64(spec), Some(recipe), profile).ok()));
    // SwiftShader's compiler takes minutes for the longest of these texts.
    let is_short = |program: &Program| program.wgsl().all(|text| text.len() < 18_000);
    let by_f32 = all.iter().step_by(3).filter_map(|(spec, recipe)| lowered(&by_f32(spec), Some(recipe), profile).ok());
    programs.extend(by_f32.filter(is_short));
    programs
}

/// Programs for the processor with subgroups of 8, and for devices without subgroups.
fn programs_of_lanes(profile: &DeviceProfile) -> Vec<Program> {
    let mut programs = Vec::new();
    for (shape, recipes) in LANES {
        let shape = extents(shape);
        for (i, recipe) in recipes.iter().enumerate() {
            for spec in [format!("c2c fwd {shape} x5"), format!("c2c inv {shape} x5 1/n{}", if i % 2 == 0 { " in-place" } else { "" })] {
                programs.push(lowered(&spec, Some(recipe), profile).unwrap_or_else(|error| panic!("{error}")));
            }
        }
    }
    for (shape, both) in HALVES_IN_LANES {
        for (kind, recipes) in ["r2c fwd", "c2r inv"].into_iter().zip(both) {
            let spec = format!("{kind} {} x5", extents(shape));
            programs.extend(recipes.iter().map(|recipe| lowered(&spec, Some(recipe), profile).unwrap_or_else(|error| panic!("{error}"))));
        }
    }
    programs
}

/// Arrays in several bindings, of complex numbers and reals, in place and out of place.
fn programs_in_several_bindings() -> Vec<Program> {
    const RECIPE: &str = "axis 0: stockham 4.4 lanes=4 lines=2";
    let profile = profiles().remove(0).with(|profile| {
        profile.binding_bytes = 256;
        profile.storage_buffers = 16;
    });
    let specs =
        ["c2c fwd 16 x8", "c2c inv 16 x8 in-place", "r2c fwd 16 x15", "r2c fwd 16 x8 in-place", "c2r inv 16 x15", "c2r inv 16 x8 in-place"];
    let lower = |spec| lowered(spec, Some(RECIPE), &profile).unwrap();
    // As many bindings, each of twice the bytes.
    let wide = profile.with(|profile| profile.binding_bytes = 512);
    let wide = |spec| lowered(&in_f64(spec), Some(RECIPE), &wide).unwrap();
    specs.into_iter().map(lower).chain(specs.into_iter().map(wide)).collect()
}

/// A fragment that indexes an array of its own has this name for it: see `Dispatch::proven`.
pub const OWN_ARRAY: &str = "own_array";

/// Transforms with fragments and parts, which no text describes, by default recipes and by
/// hand-written ones.
fn programs_with_fragments(profile: &DeviceProfile, by_hand: bool) -> Vec<Program> {
    let picture = || {
        Fragment::new("(f32(value.x) + weight(batch)) * taps[i0] * settings.gain.y + f32(marks[n0 % 7u])")
            .functions(
                "struct Settings { gain: vec4<f32> }\n\
                 fn weight(i: u32) -> f32 { var own_array = array<f32, 2>(0.5, 2.0); return own_array[i % 2u]; }",
            )
            .array::<f32>("taps", 16)
            .array::<u8>("marks", 7)
            .uniform::<[f32; 4]>("settings", "Settings")
    };
    let complex = || Fragment::new("vec2(f32(value.x), taps[i0])").array::<f32>("taps", 16);
    let spectrum = || {
        Fragment::new("vec4(value * exp(-f0 * f0) * gain, f32(k0), taps[i0 + batch])")
            .array::<f32>("taps", 16)
            .uniform::<f32>("gain", "f32")
    };
    let decibels = || Fragment::new("4.343 * log(dot(value, value) + 1e-20)");
    let mut programs = Vec::new();
    let mut add = |recipe: Option<&str>, lower: &dyn Fn(Option<&Recipe>) -> Result<Program, wgpu_fft::Error>| {
        let recipe: Option<Recipe> = recipe.map(|text| text.parse().unwrap());
        match lower(recipe.as_ref()) {
            Err(wgpu_fft::Error::UnfitRecipe { .. } | wgpu_fft::Error::LimitExceeded { .. }) if recipe.is_some() => {}
            program => programs.push(program.unwrap_or_else(|error| panic!("{error}"))),
        }
    };
    let half_of = |shape: &[usize]| shape.iter().map(|&n| 0..(n as i64 + 1) / 2).collect::<Vec<_>>();
    let mut add_complex = |shape: &[usize], recipe: Option<&str>| {
        let mapped = C2c::forward(shape).batch(3).map_input::<[u8; 3]>(complex()).unwrap().map_output::<[f32; 4]>(spectrum()).unwrap();
        add(recipe, &|recipe| of(&mapped, recipe, profile));
        let parts = mapped.input_part(half_of(shape)).output_part(half_of(shape));
        add(recipe, &|recipe| of(&parts, recipe, profile));
        let in_place = C2c::inverse(shape).batch(3).in_place().map_input::<Complex32>(Fragment::new("value * exp(-f0 * f0)")).unwrap();
        add(recipe, &|recipe| of(&in_place, recipe, profile));
    };
    let shapes: &[&[usize]] = &[&[1], &[12], &[37], &[256], &[4096], &[10_007], &[64, 48], &[8, 6, 10]];
    shapes.iter().filter(|_| !by_hand).for_each(|shape| add_complex(shape, None));
    for (shape, recipes) in COMPLEX.iter().filter(|_| by_hand) {
        recipes.iter().step_by(3).for_each(|recipe| add_complex(shape, Some(recipe)));
    }
    let mut add_real = |shape: &[usize], recipe: Option<&str>| {
        let picture =
            R2c::forward(shape).rows_may_mix().batch(2).map_input::<[u8; 2]>(picture()).unwrap().map_output::<f32>(decibels()).unwrap();
        add(recipe, &|recipe| of(&picture, recipe, profile));
        let back = C2r::inverse(shape).rows_may_mix().batch(2).map_input::<[f16; 2]>(Fragment::new("value * f0")).unwrap();
        let back = back.map_output::<[f16; 2]>(Fragment::new("vec2(value, f32(i0))")).unwrap();
        add(recipe, &|recipe| of(&back, recipe, profile));
    };
    let shapes: &[&[usize]] = &[&[2], &[60], &[67], &[16_384], &[30, 67], &[12, 60]];
    shapes.iter().filter(|_| !by_hand).for_each(|shape| add_real(shape, None));
    for (shape, recipes) in REAL.iter().filter(|_| by_hand) {
        recipes[0].iter().step_by(3).for_each(|recipe| add_real(shape, Some(recipe)));
    }
    programs
}

/// Transforms of numbers of 16 bits, in one binding and in several.
fn programs_of_halves(profile: &DeviceProfile) -> Vec<Program> {
    type F16 = Complex<f16>;
    let mut programs = Vec::new();
    for shape in [&[1][..], &[15], &[60], &[4096], &[1009], &[1 << 17], &[64, 48], &[15, 21], &[8, 6, 10]] {
        let complex = C2c::forward(shape).batch(3).scale(Scale::InvSqrtLen).input_as::<F16>().output_as::<F16>();
        programs.extend([of(&complex, None, profile), of(&complex.clone().between_axes_as::<F16>().in_place(), None, profile)]);
        let wide = C2c::inverse(shape).input_as::<Complex<bf16>>();
        programs.extend([of(&wide, None, profile), of(&wide.output_as::<Complex<bf16>>().in_place(), None, profile)]);
        let reals = R2c::forward(shape).batch(2).input_as::<f16>().output_as::<F16>();
        programs.extend([of(&reals, None, profile), of(&reals.between_axes_as::<F16>().in_place(), None, profile)]);
        let back = C2r::inverse(shape).batch(2).input_as::<F16>().output_as::<f16>();
        programs.extend([of(&back, None, profile), of(&back.in_place(), None, profile)]);
        programs.push(of(&C2r::inverse(shape).batch(2).output_as::<bf16>(), None, profile));
    }
    let several = profiles().remove(0).with(|profile| {
        profile.binding_bytes = 256;
        profile.storage_buffers = 16;
    });
    let recipe: Recipe = "axis 0: stockham 5.3 lanes=3 lines=2".parse().unwrap();
    let back = C2r::inverse(15).batch(21).output_as::<f16>();
    programs.extend([of(&back, Some(&recipe), &several), of(&R2c::forward(15).batch(21).input_as::<bf16>(), Some(&recipe), &several)]);
    for (text, recipe) in IN_TWOS {
        let spec = text.parse::<C2c>().unwrap();
        let recipe = recipe.parse().unwrap();
        let halves = spec.clone().input_as::<F16>().output_as::<F16>();
        programs.extend([of(&halves.clone().between_axes_as::<F16>(), Some(&recipe), profile), of(&halves, Some(&recipe), profile)]);
        programs.push(of(&spec.input_as::<Complex<bf16>>().output_as::<Complex<bf16>>(), Some(&recipe), profile));
    }
    programs.into_iter().map(|program| program.unwrap_or_else(|error| panic!("{error}"))).collect()
}

/// Permutations with fragments, by default recipes and by hand-written ones.
fn permutations_with_fragments(profile: &DeviceProfile, programs: &mut Vec<Program>) {
    for case in [
        Case::transpose(&[128, 192]),
        Case::transpose(&[35, 61]).batch(2),
        Case::new(&[4, 16, 6, 32], &[3, 2, 1, 0]).batch(2),
        Case::new(&[5, 16, 3], &[1, 0, 2]),
        Case::transpose(&[64, 64]).batch(2).in_place(),
        Case::new(&[64], &[0]).in_place(),
    ] {
        let turned = Fragment::new("value * taps[i0 % n0] + own(batch)")
            .functions("fn own(i: u32) -> f32 { var own_array = array<f32, 2>(0.5, 2.0); return own_array[i % 2u]; }")
            .array::<f32>("taps", 64);
        let spec = case.spec::<f32>().map_input::<f32>(turned).unwrap();
        let mut add = |spec: &dyn Fn(Option<&str>) -> Result<Program, wgpu_fft::Error>| {
            programs.push(spec(None).unwrap());
            programs.extend(MAPPED.iter().filter_map(|text| spec(Some(text)).ok()));
        };
        fn lower<S: Spec<Recipe = wgpu_fft::low_level::recipes::transpose::Recipe>>(
            spec: &S,
            recipe: Option<&str>,
            profile: &DeviceProfile,
        ) -> Result<Program, wgpu_fft::Error> {
            spec.lower(&recipe.map_or_else(|| spec.design(profile), str::parse)?, profile)
        }
        add(&|recipe| lower(&spec, recipe, profile));
        if !case.in_place {
            let read = Fragment::new("vec4(vec3<f32>(value), gain)").uniform::<f32>("gain", "f32");
            let written = Fragment::new("vec4<u32>(value) + vec4(marks[i0 % 4u], 255u)").array::<[u8; 3]>("marks", 4);
            let pixels = case.spec::<[f32; 4]>().map_input::<[u8; 3]>(read).unwrap().map_output::<[u8; 4]>(written).unwrap();
            add(&|recipe| lower(&pixels, recipe, profile));
        }
    }
}

fn of<S: Spec<Recipe = Recipe>>(spec: &S, recipe: Option<&Recipe>, profile: &DeviceProfile) -> Result<Program, wgpu_fft::Error> {
    spec.lower(&recipe.cloned().map_or_else(|| spec.design(profile), Ok)?, profile)
}

/// All programs without fragments.
pub fn all_programs() -> Vec<Program> {
    let profiles = profiles();
    let programs = profiles.iter().flat_map(programs).chain(programs_by_hand(&profiles[0]));
    let without_int64 = profiles[1].with(|profile| profile.int64 = false);
    let of_lanes = [&profiles[1], &without_int64, &profiles[2]].into_iter().flat_map(programs_of_lanes);
    programs.chain(of_lanes).chain(programs_in_several_bindings()).collect()
}

/// All programs with fragments, and those of numbers of 16 bits.
fn all_with_fragments() -> Vec<Program> {
    let profiles = profiles();
    let mut programs: Vec<Program> = profiles.iter().flat_map(|profile| programs_with_fragments(profile, false)).collect();
    programs.extend(programs_with_fragments(&profiles[0], true));
    programs.extend(profiles.iter().flat_map(programs_of_halves));
    profiles.iter().for_each(|profile| permutations_with_fragments(profile, &mut programs));
    profiles.iter().for_each(|profile| rings::programs(profile, &mut programs));
    profiles.iter().for_each(|profile| shifts::programs(profile, &mut programs));
    programs
}

/// All of them, for several tests of one process.
pub static PROGRAMS: LazyLock<Vec<Program>> = LazyLock::new(|| [all_programs(), all_with_fragments()].concat());
