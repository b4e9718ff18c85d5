//! The declarations in Rust agree with the WGSL files.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use naga::common::wgsl::TryToWgsl;
use naga::valid::ModuleInfo;
use naga::{AddressSpace, ArraySize, ScalarKind, StorageAccess, TypeInner};
use wgpu_fft::fft::C2c;
use wgpu_fft::low_level::{self, Access, Bind, Dispatch, Field, GENERATED_BEGIN, GENERATED_END, KERNELS, Kernel, Source, Value, sources};
use wgpu_fft::reduce::{self, Reduction};
use wgpu_fft::signal::{RadialAverage, SeparableFilter};
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Complex32, Fragment, Spec};

use crate::cores::on_all_cores;
use crate::lists::asks_for_all;
use crate::validators::{self, Tint};
use crate::variants;

/// Kernels that have texts which only naga validates, because tint does not support 64-bit numbers.
/// The first one has no others.
const NAGA_ONLY: [&str; 8] =
    ["fft/pass_f64", "fft/pass", "fft/lanes", "fft/halves", "transpose/tiles", "reduce/tree", "reduce/lines", "reduce/columns"];

/// The kernel's own text, with every choice of appended files.
fn standing_texts(kernel: &Kernel) -> Vec<String> {
    let mut texts = vec![kernel.source.text.to_owned()];
    for choices in kernel.appended {
        texts = texts.iter().flat_map(|text| choices.iter().map(move |choice| format!("{text}\n{}", choice.text))).collect();
    }
    texts
}

#[test]
fn every_kernel_is_valid_as_its_files_stand() {
    let mut tint = Tint::default();
    for kernel in KERNELS {
        for text in standing_texts(kernel) {
            validators::naga(&text).unwrap_or_else(|error| panic!("{}: {error}", kernel.name));
            if validators::known_to_tint(&text) {
                tint.add(&kernel.name, &text);
            } else {
                assert!(NAGA_ONLY.contains(&kernel.name), "{}", kernel.name);
            }
        }
    }
    tint.accepts("validation of the shaders as they stand");
}

/// Every text that a recipe reaches is valid, and has the bindings, the workgroup and the memory that
/// Rust says.
#[test]
fn every_reachable_variant_is_valid() {
    // Other sizes of workgroups are in no text.
    let mut variants: BTreeMap<String, HashMap<_, &Dispatch>> = BTreeMap::new();
    for dispatch in variants::PROGRAMS.iter().flat_map(low_level::dispatches) {
        variants.entry(dispatch.wgsl()).or_default().entry(dispatch.overrides.clone()).or_insert(dispatch);
    }
    println!("{} variants in {} texts", variants.values().map(HashMap::len).sum::<usize>(), variants.len());
    // A third of them, and of each kernel one that tint knows.
    let mut kernels = HashSet::new();
    let is_taken = |(i, (wgsl, own)): &(usize, (String, Vec<&Dispatch>))| {
        asks_for_all() || i % 3 == 0 || validators::known_to_tint(wgsl) && kernels.insert(own[0].kernel.name)
    };
    let variants = variants.into_iter().map(|(wgsl, own)| (wgsl, own.into_values().collect())).enumerate().filter(is_taken);
    let variants: Vec<(String, Vec<&Dispatch>)> = variants.map(|(_, variant)| variant).collect();
    let reached: HashSet<&str> = on_all_cores(variants.len(), |i| {
        let (wgsl, dispatches) = &variants[i];
        let first = dispatches[0];
        let (module, info) = validators::naga(wgsl).unwrap_or_else(|error| panic!("{first}: {error}"));
        dispatches.iter().for_each(|dispatch| agrees(dispatch, wgsl, &module, &info));
        if !validators::known_to_tint(wgsl) {
            assert!(NAGA_ONLY.contains(&first.kernel.name), "{first}");
            return None;
        }
        Some(first.kernel.name)
    })
    .into_iter()
    .flatten()
    .collect();
    let mut tint = Tint::default();
    variants.iter().filter(|(wgsl, _)| validators::known_to_tint(wgsl)).for_each(|(wgsl, own)| tint.add(own[0], wgsl));
    tint.accepts("validation of the assembled variants");
    assert_eq!(reached.len(), KERNELS.len() - 1, "every kernel has variants that tint knows: {reached:?}");
}

/// Compares a variant with what Rust says of it.
fn agrees(dispatch: &Dispatch, wgsl: &str, module: &naga::Module, info: &ModuleInfo) {
    assert_eq!(dispatch.overrides.iter().map(|(name, _)| *name).collect::<Vec<_>>(), dispatch.kernel.overrides, "{dispatch}");
    assert_eq!(dispatch.params.len(), bytes(dispatch.kernel), "{dispatch}");
    // Nothing is proven of the indices in the caller's own text.
    let proven = dispatch.kernel.name.starts_with("fft/pass") && !wgsl.contains(variants::OWN_ARRAY);
    assert_eq!(dispatch.proven, proven, "{dispatch}");
    check_names(module, dispatch);
    check_override_types(module, dispatch);
    assert_eq!(bindings(module), expected_bindings(dispatch), "{dispatch}");
    let constants = dispatch.overrides.iter().map(|&(name, value)| (name.to_owned(), value.as_f64())).collect();
    let (module, _) = naga::back::pipeline_constants::process_overrides(module, info, None, &constants).unwrap();
    assert_eq!(module.entry_points.len(), 1, "{dispatch}");
    assert_eq!(module.entry_points[0].workgroup_size, dispatch.workgroup, "{dispatch}");
    assert_eq!(workgroup_bytes(&module), dispatch.workgroup_bytes, "{dispatch}");
}

#[test]
fn no_file_and_no_twin_is_an_orphan() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let mut files = BTreeSet::new();
    let mut folders = vec![root.join("shaders")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "wgsl") {
                files.insert(path.strip_prefix(root.join("shaders")).unwrap().to_str().unwrap().replace('\\', "/"));
            }
        }
    }
    let listed: BTreeSet<String> = sources::ALL.iter().map(|source| source.path.to_owned()).collect();
    assert_eq!(files, listed);

    let used: HashSet<&str> =
        KERNELS.iter().flat_map(|kernel| kernel.appended.concat().into_iter().chain([kernel.source])).map(|source| source.path).collect();
    let table = std::fs::read_to_string(root.join("shaders/README.md")).unwrap();
    for source in sources::ALL {
        assert!(used.contains(source.path), "no kernel uses {}", source.path);
        assert!(table.contains(&format!("`{}`", source.path)), "shaders/README.md does not list {}", source.path);
        let twin = header(source, "Rust twin: ").unwrap_or_else(|| panic!("{} names no Rust twin", source.path));
        let twin = std::fs::read_to_string(root.join(twin)).unwrap_or_else(|error| panic!("{}: {twin}: {error}", source.path));
        let folder = source.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        assert!(twin.contains("//! Twin") && twin.contains(&format!("shaders/{folder}")), "the twin of {} does not say so", source.path);
    }
}

/// The text after `key` in the comment at the top of a file.
fn header<'a>(source: &'a Source, key: &str) -> Option<&'a str> {
    source.text.lines().take_while(|line| line.starts_with("//")).find_map(|line| line.strip_prefix("// ")?.strip_prefix(key))
}

#[test]
fn headers_name_the_appended_files() {
    for kernel in KERNELS {
        let listed = kernel.appended.iter().map(|choices| choices.iter().map(|source| source.path).collect::<Vec<_>>().join(" | "));
        assert_eq!(header(kernel.source, "Appended: "), Some(listed.collect::<Vec<_>>().join(", ").as_str()), "{}", kernel.name);
        assert_eq!(kernel.source.path, format!("{}.wgsl", kernel.name));
    }
}

#[test]
fn params_and_overrides_are_the_same_on_both_sides() {
    for kernel in KERNELS {
        let (module, _) = validators::naga(&standing_texts(kernel)[0]).unwrap();
        let (_, params) = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some("Params")).expect("Params");
        let TypeInner::Struct { members, span } = &params.inner else { panic!("{}: Params is no struct", kernel.name) };
        let fields: Vec<(String, String, usize)> = members
            .iter()
            .map(|member| {
                let TypeInner::Scalar(scalar) = module.types[member.ty].inner else { panic!("{}: a field is no scalar", kernel.name) };
                (member.name.clone().unwrap(), scalar.to_wgsl_for_diagnostics(), member.offset as usize)
            })
            .collect();
        let twins: Vec<_> = kernel.params.iter().flat_map(in_wgsl).collect();
        assert_eq!(fields, twins, "{}", kernel.name);
        assert_eq!(*span as usize, bytes(kernel), "{}", kernel.name);

        // An expression of overrides is an override without a name.
        let overrides: Vec<&str> = module.overrides.iter().filter_map(|(_, value)| value.name.as_deref()).collect();
        assert_eq!(overrides, kernel.overrides, "{}", kernel.name);
    }
}

/// The size of `Params`.
fn bytes(kernel: &Kernel) -> usize {
    kernel.params.iter().flat_map(in_wgsl).map(|(_, ty, _)| if ty == "f64" { 8 } else { 4 }).sum()
}

/// The name, type and offset of each number of a field.
fn in_wgsl(field: &Field) -> Vec<(String, String, usize)> {
    let Some((word, count)) = field.rust_type.trim_matches(['[', ']']).split_once(';') else {
        return vec![(field.name.to_owned(), field.rust_type.to_owned(), field.offset)];
    };
    let count: usize = count.trim().parse().unwrap();
    (0..count).map(|i| (format!("{}_{i}", field.name), word.to_owned(), field.offset + 4 * i)).collect()
}

/// WGSL of a caller's is checked without the kernel: what is a builtin there must be one here too.
fn check_names(module: &naga::Module, dispatch: &Dispatch) {
    let names = module.functions.iter().filter_map(|(_, own)| own.name.as_deref());
    let names = names.chain(module.constants.iter().filter_map(|(_, own)| own.name.as_deref()));
    let names = names.chain(module.overrides.iter().filter_map(|(_, own)| own.name.as_deref()));
    let names = names.chain(module.global_variables.iter().filter_map(|(_, own)| own.name.as_deref()));
    for name in names.chain(module.types.iter().filter_map(|(_, own)| own.name.as_deref())) {
        assert!(!naga::keywords::wgsl::BUILTIN_IDENTIFIERS.contains(&name), "{name} in {dispatch}");
    }
}

/// wgpu takes overrides as f64 and truncates them silently, so types are compared here.
fn check_override_types(module: &naga::Module, dispatch: &Dispatch) {
    for (_, constant) in module.overrides.iter() {
        let Some((_, value)) = dispatch.overrides.iter().find(|(name, _)| Some(*name) == constant.name.as_deref()) else { continue };
        let expected = match value {
            Value::U32(_) => ScalarKind::Uint,
            Value::Bool(_) => ScalarKind::Bool,
        };
        assert!(matches!(module.types[constant.ty].inner, TypeInner::Scalar(scalar) if scalar.kind == expected), "{dispatch}");
    }
}

type Binding = (u32, String, Option<Access>);

fn bindings(module: &naga::Module) -> HashSet<Binding> {
    let access = |variable: &naga::GlobalVariable| match variable.space {
        AddressSpace::Storage { .. } if variable.name.as_deref() == Some("arrivals") => Some(Access::Arrivals),
        AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => Some(Access::ReadWrite),
        AddressSpace::Storage { .. } => Some(Access::Read),
        _ => None,
    };
    let resources = module.global_variables.iter().filter_map(|(_, variable)| {
        let binding = variable.binding?;
        assert_eq!(binding.group, 0);
        Some((binding.binding, variable.name.clone().unwrap(), access(variable)))
    });
    resources.collect()
}

fn expected_bindings(dispatch: &Dispatch) -> HashSet<Binding> {
    let access = |bind: &Bind| Some(bind.access).filter(|access| *access != Access::Uniform);
    let binds = dispatch.binds.iter().map(|bind| (bind.binding, bind.name.to_string(), access(bind)));
    binds.chain([(0, "params".to_owned(), None)]).collect()
}

fn workgroup_bytes(module: &naga::Module) -> u64 {
    let mut layouter = naga::proc::Layouter::default();
    layouter.update(module.to_ctx()).unwrap();
    let variables = module.global_variables.iter().filter(|(_, variable)| variable.space == AddressSpace::WorkGroup);
    variables
        .map(|(_, variable)| match module.types[variable.ty].inner {
            TypeInner::Array { size: ArraySize::Constant(count), stride, .. } => u64::from(count.get()) * u64::from(stride),
            _ => u64::from(layouter[variable.ty].size),
        })
        .sum()
}

#[test]
fn the_text_between_the_markers_is_what_the_generators_write() {
    let profiles = variants::profiles();
    let transform = |recipe: &str, profile| C2c::forward(64).batch(4).lower(&recipe.parse().unwrap(), profile).unwrap();
    let tiles = "tiles 64x64 width=16 blocks=1 swizzle walk=rows".parse().unwrap();
    let five = SeparableFilter::<f32>::correlation([1080, 1920]).kernel(1, [1.0; 5]);
    let filtered = five.lower(&"axis 1: tile 1x1024 width=4".parse().unwrap(), &profiles[0]).unwrap();
    let grey = Fragment::new("(1.0 - f32(i0) / f32(n0)) * f32(value) / 255.0");
    let turned = Permute::<f32>::transpose([1080, 1920]).map_input::<u8>(grey).unwrap();
    let power = RadialAverage::new([512, 512]).half().map_input::<Complex32>(Fragment::new("dot(value, value)")).unwrap();
    let instances = [
        (&sources::SIGNAL_RINGS, power.lower(&power.design(&profiles[0]).unwrap(), &profiles[0]).unwrap()),
        (&sources::FILTER_STENCIL, filtered),
        (&sources::FFT_PASS, transform("axis 0: stockham 8.8 lanes=8 lines=4", &profiles[0])),
        (&sources::FFT_PASS_F64, variants::lowered("c2c fwd 4 x4 f64", Some("axis 0: stockham 4 lanes=1 lines=4"), &profiles[0]).unwrap()),
        (
            &sources::FFT_PASS_DOUBLE,
            variants::lowered("c2c fwd 4 x4 f64-by-f32", Some("axis 0: stockham 4 lanes=1 lines=4"), &profiles[0]).unwrap(),
        ),
        (&sources::FFT_LANES, transform("axis 0: lanes 8.8 lanes=2 width=4 invocations=64", &profiles[1])),
        (
            &sources::FFT_HALVES,
            variants::lowered("r2c fwd 128 x4", Some("axis 0 halves: lanes 8.8 lanes=2 width=4 invocations=64"), &profiles[1]).unwrap(),
        ),
        (&sources::TRANSPOSE_TILES, Permute::<f32>::transpose([1080, 1920]).lower(&tiles, &profiles[0]).unwrap()),
        (&sources::TRANSPOSE_MAPPED, turned.lower(&"tiled 32+1 elements=4".parse().unwrap(), &profiles[0]).unwrap()),
    ];
    let sum = |source, spec: Reduction<f32, f32>, recipe: &str| (source, spec.lower(&recipe.parse().unwrap(), &profiles[0]).unwrap());
    let sums = [
        sum(&sources::REDUCE_TREE, reduce::sum(200), "tree 256"),
        sum(&sources::REDUCE_LINES, reduce::sum([9, 16384]).axes([1]), "workgroup=256 lanes=256 width=4 unroll=4 parts=4 subgroup=32 join"),
        sum(&sources::REDUCE_COLUMNS, reduce::sum([4096, 64]).axes([0]), "workgroup=128 lanes=8 width=4 unroll=4"),
    ];
    let mut written = Vec::new();
    for (source, program) in instances.into_iter().chain(sums) {
        let dispatch = low_level::dispatches(&program).iter().find(|own| own.kernel.source.path == source.path).unwrap();
        let generated = &dispatch.generated.as_ref().unwrap().text;
        let (_, rest) = source.text.split_once(GENERATED_BEGIN).unwrap();
        let (instance, _) = rest.split_once(GENERATED_END).unwrap();
        if instance == &**generated {
            continue;
        }
        assert_eq!(std::env::var("WGPU_FFT_BLESS").as_deref(), Ok("1"), "{}: run once with WGPU_FFT_BLESS=1 to write it anew", source.path);
        let wgsl = dispatch.wgsl();
        let (own, _) = wgsl.split_once(&format!("\n{}", sources::GRID.text)).unwrap();
        std::fs::write(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("shaders").join(source.path), own).unwrap();
        written.push(source.path);
    }
    assert!(written.is_empty(), "wrote {written:?}: review them and run the tests again");
}
