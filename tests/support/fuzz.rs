//! What must hold for any text or bytes that a user gives: no panic, no hang, an error that the
//! documentation names, and what parses prints and parses again to the same.
//!
//! Each function takes bytes and panics if something does not hold. The fuzzer calls them
//! (`fuzz/`), and so do plain tests with changed examples (`tests/host/fuzz.rs`).

use std::fmt::{Debug, Display};
use std::str::FromStr;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use wgpu_fft::dynamic::AnySpec;
use wgpu_fft::low_level::recipes;
use wgpu_fft::low_level::tune::record::{Item, Items as _};
use wgpu_fft::signal::{Convolve, Frequencies, RadialAverage, Resample, Roll, Zoom};
use wgpu_fft::transpose::Permute;
use wgpu_fft::tune::Record;
use wgpu_fft::tune::Rigor;
use wgpu_fft::{Complex32, DeviceProfile, ElementType, Error, Fragment, Layout, Program, Shape, fft, reduce, wgpu};

/// The first text, and what follows the first of these lines.
const SEPARATOR: &str = "\n---\n";

/// The bytes as a text, or nothing.
fn text(bytes: &[u8]) -> Option<&str> {
    str::from_utf8(bytes).ok()
}

/// Fails on an error that says that something unforeseen has happened, or that no call without a
/// device can return.
fn is_documented(error: &Error, context: &dyn Display) {
    let unforeseen = matches!(
        error,
        Error::Wgpu { .. }
            | Error::DeviceLost { .. }
            | Error::OutOfMemory { .. }
            | Error::ForeignObject { .. }
            | Error::NoAdapter { .. }
            | Error::NoDevice { .. }
    );
    assert!(!unforeseen, "{context}: {error}");
    assert!(!error.to_string().is_empty() && !error.kind().name().is_empty());
}

/// A text is refused with a documented error, or it is a value that prints and parses again to the
/// same.
fn round_trip<T: FromStr<Err = Error> + Display + PartialEq + Debug>(text: &str) -> Option<T> {
    let value = text.parse::<T>().map_err(|error| is_documented(&error, &text)).ok()?;
    let printed = value.to_string();
    let again = printed.parse::<T>().unwrap_or_else(|error| panic!("`{text}` prints as `{printed}`, which does not parse: {error}"));
    assert_eq!(again, value, "`{text}` prints as `{printed}`");
    assert_eq!(again.to_string(), printed, "`{text}`");
    Some(value)
}

/// Devices from the usual to the least.
fn profiles() -> [DeviceProfile; 3] {
    let usual = DeviceProfile::webgpu_defaults();
    let tiny = usual.with(|profile| {
        profile.workgroup_bytes = 8 << 10;
        profile.invocations = 128;
        profile.workgroup_size = [128, 128, 64];
        profile.storage_buffers = 4;
        profile.groups_per_axis = 255;
        profile.binding_bytes = 1 << 20;
    });
    let processor = usual.with(|profile| {
        profile.device_type = wgpu::DeviceType::Cpu;
        profile.subgroup_sizes = [8, 8];
        (profile.subgroups, profile.int64, profile.f64) = (true, true, true);
    });
    [usual, tiny, processor]
}

/// The programs of a specification on several devices.
fn programs(spec: &AnySpec, recipe: Option<&str>) -> Vec<Program> {
    let program = |profile: &DeviceProfile| {
        let program = spec.lower(recipe, profile).and_then(|program| program.check(profile).map(|()| program));
        if let (None, Err(error @ Error::UnfitRecipe { .. })) = (recipe, &program) {
            panic!("of the rules' recipe on {profile:?}: {error}");
        }
        program.map_err(|error| is_documented(&error, spec)).ok()
    };
    profiles().iter().filter_map(program).collect()
}

/// Texts of specifications, shapes, layouts and element types.
pub fn specifications(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    round_trip::<Shape>(text);
    round_trip::<Layout>(text);
    round_trip::<ElementType>(text);
    round_trip::<fft::C2c>(text);
    round_trip::<fft::R2c>(text);
    round_trip::<fft::C2r>(text);
    round_trip::<fft::R2r>(text);
    round_trip::<Permute<u8>>(text);
    round_trip::<Permute<Complex32>>(text);
    round_trip::<Convolve<f32>>(text);
    round_trip::<Zoom<f32>>(text);
    round_trip::<Frequencies<f32>>(text);
    round_trip::<Resample<f32>>(text);
    round_trip::<Roll<f32>>(text);
    round_trip::<RadialAverage>(text);
    if let Ok(rigor) = text.parse::<Rigor>() {
        assert_eq!(rigor.to_string().parse::<Rigor>(), Ok(rigor));
    }
    let spec: AnySpec = match text.parse() {
        Ok(spec) => spec,
        Err(error) => return is_documented(&error, &text),
    };
    let printed = spec.to_string();
    let again: AnySpec = printed.parse().unwrap_or_else(|error| panic!("`{text}` prints as `{printed}`, which does not parse: {error}"));
    assert_eq!(again.to_string(), printed, "`{text}`");
    assert_eq!((again.input(), again.output()), (spec.input(), spec.output()), "`{text}`");
    programs(&spec, None);
}

/// A specification, and after a line `---` a recipe for it; or a recipe alone.
pub fn recipes(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let (spec, recipe) = text.split_once(SEPARATOR).unwrap_or(("", text));
    round_trip::<recipes::fft::Recipe>(recipe);
    round_trip::<recipes::fft::AxisRecipe>(recipe);
    round_trip::<recipes::fft::PassRecipe>(recipe);
    round_trip::<recipes::fft::FilterRecipe>(recipe);
    round_trip::<recipes::transpose::Recipe>(recipe);
    round_trip::<recipes::reduce::Recipe>(recipe);
    round_trip::<recipes::signal::Convolve>(recipe);
    round_trip::<recipes::signal::Filter>(recipe);
    round_trip::<recipes::signal::PhaseCorrelate>(recipe);
    round_trip::<recipes::signal::PowerSpectrum>(recipe);
    round_trip::<recipes::signal::RadialAverage>(recipe);
    round_trip::<recipes::signal::Roll>(recipe);
    round_trip::<recipes::signal::Istft>(recipe);
    if let Ok(spec) = spec.parse::<AnySpec>() {
        programs(&spec, Some(recipe));
    }
}

/// A record of measurements.
pub fn records(bytes: &[u8]) {
    let record = Record::in_memory();
    let report = record.import_text(bytes, None, &|_| false);
    let items = |record: &Record| -> Vec<String> {
        let all = record.entries().into_iter().map(Item::Best).chain(record.marks().into_iter().map(Item::Mark));
        let mut all: Vec<String> = all.map(|item| format!("{item:?}")).collect();
        all.sort_unstable();
        all
    };
    let found = items(&record);
    // The newest of several with one key counts, so there may be fewer than were accepted.
    assert!(found.len() <= report.accepted && (report.accepted == 0) == found.is_empty(), "{report}");
    let text = record.export_text(|_| true);
    let again = Record::in_memory();
    let report = again.import_text(text.as_bytes(), None, &|_| false);
    assert_eq!(report.unread, 0, "{text}");
    assert_eq!(items(&again), found, "{text}");
    assert_eq!(again.export_text(|_| true), text);
}

/// An expression; after a line `---` functions that it uses; after another one the type of a uniform
/// called `own`. There is an array called `taps`.
pub fn fragments(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let mut parts = text.splitn(3, SEPARATOR);
    let expression = parts.next().unwrap_or_default();
    let mut fragment = Fragment::new(expression);
    if let Some(functions) = parts.next() {
        fragment = fragment.functions(functions);
    }
    fragment = fragment.array::<f32>("taps", 5);
    if let Some(ty) = parts.next() {
        fragment = fragment.uniform::<[f32; 4]>("own", ty);
    }
    let named = |name: &str| name.parse::<ElementType>().expect("the name of an element");
    for (spec, side, element) in [
        ("c2c fwd 6x10", 0, "complex f32"),
        ("c2c fwd 6x10", 0, "u8"),
        ("c2c inv 12", 1, "f32"),
        ("r2c fwd 8", 1, "complex f32"),
        ("sum f32 100x3 axes=0", 0, "u8x3"),
        ("sum f32 100x3 axes=0", 1, "f32"),
        ("transpose f32 5x7", 0, "f32"),
        ("permute complex f32 3x4x5 order=2,0,1", 1, "complex f32"),
    ] {
        let spec: AnySpec = spec.parse().expect("a specification");
        let mapped =
            if side == 0 { spec.map_input(fragment.clone(), named(element)) } else { spec.map_output(fragment.clone(), named(element)) };
        match mapped {
            Err(error) => is_documented(&error, &text),
            Ok(mapped) => programs(&mapped, None).iter().for_each(|program| is_valid(program, text)),
        }
    }
    for custom in [
        reduce::custom::<f32>(1, expression, 0.0).map(drop),
        reduce::custom::<Complex32>(1, expression, Complex32::ZERO).map(drop),
        reduce::custom::<u32>(1, expression, 0).map(drop),
    ] {
        custom.unwrap_or_else(|error| is_documented(&error, &text));
    }
    if let Ok(spec) = reduce::custom::<f32>([3, 40], expression, 0.0) {
        programs(&AnySpec::new(spec), None).iter().for_each(|program| is_valid(program, text));
    }
}

/// What the checks of a fragment accept, a device's compiler accepts.
fn is_valid(program: &Program, fragment: &str) {
    let capabilities =
        Capabilities::SHADER_FLOAT16_IN_FLOAT32 | Capabilities::SHADER_INT64 | Capabilities::FLOAT64 | Capabilities::SUBGROUP;
    for wgsl in program.wgsl() {
        let module = naga::front::wgsl::parse_str(&wgsl)
            .unwrap_or_else(|error| panic!("the fragment\n{fragment}\nis accepted, and then {}", error.emit_to_string(&wgsl)));
        let valid = Validator::new(ValidationFlags::all(), capabilities).validate(&module);
        valid.unwrap_or_else(|error| panic!("the fragment\n{fragment}\nis accepted, and then {}", error.emit_to_string(&wgsl)));
    }
}

/// Examples to begin with, for each of the functions.
pub mod examples {
    pub const SPECIFICATIONS: &[&str] = &[
        "c2c fwd 512x512 1/n",
        "c2c inv 480x640x3 x7 axes=0,2 in-place 1/sqrt(n)",
        "c2c fwd 1000 f64",
        "c2c fwd 1000732 x2",
        "c2c fwd 10007 f64-by-f32 x2",
        "r2c fwd 1000 x4",
        "c2r inv 480x640 *0.25",
        "r2r dct2 480x640",
        "r2r dst4 37 f64",
        "c2c fwd 16 in=2@3 out=1",
        "transpose u8 480x640",
        "permute complex f32 480x640x3 order=2,0,1 x2",
        "sum f32 1024x1024 axes=1",
        "argmax i32 480x640 axes=1",
        "mean f16 7x5x3 axes=0,2",
        "norm complex f32 4096 x3",
        "max_abs_diff f32 100",
        "convolve f32 480x640 by 31x31 same",
        "correlate complex f32 1000 by 50",
        "roll f32 480x640 by=240,320",
        "radial-average f32 512x512 half",
        "phase-correlate 480x640 x4",
        "zoom f32 1000 to 200 in 0.1..0.2",
        "frequencies f32 3x1000 x2 at 0.1,-0.25 axis=1",
        "frequencies f32 1000 bins 3,17",
        "frequencies f32 8 at -nan,-0",
        "resample f32 480x640 to 960x1280",
    ];

    pub const RECIPES: &[&str] = &[
        "c2c fwd 512x512\n---\naxis 1: stockham 8.8.8 lanes=64 lines=1 exchange=split pieces=1 banks=32 roots=products; axis 0: stockham 8.8.8 lanes=64 lines=4",
        "c2c fwd 256 x5\n---\naxis 0: stockham 16.16 lanes=16 lines=3",
        "c2c fwd 256 x5\n---\naxis 0: radix2 rows=3 lanes=16",
        "c2c fwd 256 x5\n---\naxis 0 bluestein 512: stockham 8.8.8 lanes=64",
        "c2c fwd 256 x5\n---\naxis 0: stockham 16 lanes=1 lines=16 + stockham 16 lanes=1 lines=8",
        "c2c fwd 8x12x20\n---\naxis 2: stockham 2.5.2 lanes=5 lines=2 width=2; axes 0 to 1: stockham 8.12 lanes=8 lines=4",
        "r2c fwd 12x64\n---\naxis 1 packed: lanes 8.4 lanes=1 width=4 invocations=64; axis 0: lanes 12.1 lanes=1 width=4 invocations=64",
        "sum f32 1024x1024\n---\ntree 256",
        "transpose u8 1001x1001 in-place\n---\nswap 16x16",
        "roll f32 480x640 by=240,320\n---\nroll 64x4 elements=2",
    ];

    pub const RECORDS: &[&str] = &[
        r#"{"wgpu-fft":2,"kind":"best","spec":"c2c fwd 512x512","recipe":"rows: 8.8 lanes=8","wgsl":18364758544493064720,"device":{"name":"NVIDIA H200","backend":"vulkan","vendor":4318,"device":9013,"device_type":"discrete GPU","driver":"NVIDIA","driver_info":"570.133.20","subgroup_sizes":[32,32],"subgroups":true,"int64":true,"f64":true,"workgroup_bytes":49152,"invocations":1024,"workgroup_size":[1024,1024,64],"groups_per_axis":65535,"binding_bytes":2147483644,"buffer_bytes":1152921504606846976,"storage_alignment":16,"uniform_alignment":64,"storage_buffers":1048576},"seconds":1e-6,"rules_seconds":0.25,"timer":"timestamps","rigor":"measure","version":"0.1.0","time":1700000000}"#,
        r#"{"wgpu-fft":3,"kind":"best","how":[[[1e999]]]"#,
    ];

    pub const FRAGMENTS: &[&str] = &[
        "value",
        "value * 2.0",
        "vec2(f32(value) / 255.0 * hann(i1, n1), 0.0)\n---\nfn hann(i: u32, n: u32) -> f32 { return 0.5 - 0.5 * cos(6.2831853 * f32(i) / f32(n)); }",
        "10.0 * log(max(dot(value, value), 1e-20)) / log(10.0)",
        "a + b",
        "max(a, b)",
        "abs(x - 0.5)",
        "value * taps[i0 % 5u]",
        "value * own.x\n---\n\n---\nvec4<f32>",
        "f(value)\n---\nstruct S { a: vec4<f32> }\nfn f(x: f32) -> f32 { var s = 0.0; for (var i = 0u; i < 8u; i++) { s += x * taps[i]; } return s; }\n---\nS",
        "select(value, value * f32(k0), f0 < 0.5) // comment",
        "vec2(value.y, -value.x) /* nested /* comments */ */",
        "g(value)\n---\nalias real = f32;\nconst N: u32 = 4u;\nfn g(x: vec2<f32>) -> vec2<f32> { if (x.x > real(N)) { return x; } else { return x.yx; } }",
    ];
}
