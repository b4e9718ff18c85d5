//! What the rules choose and what they refuse.

use wgpu_fft::Layout;
use wgpu_fft::dynamic::AnySpec;
use wgpu_fft::fft::{C2c, C2r, R2c, R2r, Scale};
use wgpu_fft::low_level;
use wgpu_fft::low_level::recipes;
use wgpu_fft::signal::{DirectFilter, SeparableFilter};
use wgpu_fft::transpose::Permute;
use wgpu_fft::{DeviceProfile, Error, Spec, reduce};

use crate::absent;
use crate::choices::code;
use crate::cores::on_all_cores;
use crate::lists::share;
use crate::recipes_by_hand::{COMPLEX, REAL, TRANSPOSES};
use crate::sanitized::subgroup_size;
use crate::variants::{SPECS, corpus, lowered, profiles, tiny_profiles};

/// The lengths of one axis in the table: powers of two, products of small primes, primes, long
/// ones.
const LENGTHS: [&str; 52] = [
    "1 x1000",
    "2 x1000",
    "4 x1000",
    "8 x1000",
    "16 x1000",
    "32 x1000",
    "64 x1000",
    "128 x1000",
    "256 x1000",
    "512 x1000",
    "1024 x1000",
    "2048 x1000",
    "4096 x1000",
    "8192 x1000",
    "16384 x100",
    "32768 x1000",
    "65536 x16",
    "1048576",
    "16777216",
    "268435456",
    "8000 x1000",
    "15625 x1000",
    "3 x1000",
    "5 x1000",
    "15 x1000",
    "60 x1000",
    "100 x1000",
    "243 x1000",
    "1000 x1000",
    "1080 x1000",
    "10000 x100",
    "1000000",
    "19683 x1024",
    "23328 x512",
    "46656 x256",
    "100000 x128",
    "1000000 x16",
    "4194304 x4",
    "31 x1000",
    "37 x1000",
    "67 x1000",
    "289 x1000",
    "509 x1000",
    "1009 x1000",
    "10007 x10",
    "65537",
    "999983",
    "1237 x1000",
    "20011 x500",
    "65537 x64",
    "20000 x1000",
    "8388608 x8",
];

/// The other specifications in the table.
const MORE: [&str; 41] = [
    "c2c inv 1024 x1000 in-place",
    "c2c fwd 1024x1024",
    "c2c fwd 4096x4096",
    "c2c fwd 512x512",
    "c2c fwd 512x512 transposed",
    "c2c fwd 2048x2048",
    "c2c fwd 2048x2048 x4",
    "c2c fwd 8192x8192",
    "c2c fwd 1080x1920",
    "c2c fwd 2160x3840",
    "c2c fwd 300x300x300",
    "r2c fwd 256x256x256",
    "c2c fwd 1x64",
    "c2c fwd 64x1",
    "c2c fwd 1000x1009",
    "c2c fwd 128x128x128",
    "c2c fwd 64x64 x1000",
    "c2c fwd 50x100 x1000",
    "c2c fwd 16x16x16 x512",
    "c2c inv 96x100 x4096",
    "c2c fwd 100x120x90",
    "c2c fwd 128x128x128 axes=0",
    "c2c fwd 64x64 x10 in=4096,64/1",
    "r2c fwd 1024 x1000",
    "r2c fwd 1000 x999",
    "r2c fwd 12000 x1000",
    "r2c fwd 1009 x1000",
    "r2c fwd 1048576",
    "r2c fwd 93312 x256",
    "r2c fwd 1024x1024",
    "r2c fwd 1080x1920",
    "r2c fwd 128x128x128",
    "r2r dct2 1024 x1000",
    "r2r dct2 4096x4096",
    "r2r dct4 1000 x100",
    "c2r inv 1024 x1000",
    "c2r inv 1009 x1000",
    "c2r inv 1048576",
    "c2r inv 1024x1024",
    "c2r inv 1080x1920",
    "c2r inv 128x128x128",
];

fn choice(spec: &str, profile: &DeviceProfile) -> Result<String, Error> {
    fn of<S: Spec>(spec: Result<S, Error>, profile: &DeviceProfile) -> Result<String, Error> {
        let spec = spec.unwrap();
        let recipe = spec.design(profile)?;
        assert_eq!(recipe.to_string().parse::<S::Recipe>().unwrap(), recipe);
        Ok(recipe.to_string())
    }
    match &spec[..3] {
        "c2c" => of(spec.parse::<C2c>(), profile),
        "r2c" => of(spec.parse::<R2c>(), profile),
        "r2r" => of(spec.parse::<R2r>(), profile),
        _ => of(spec.parse::<C2r>(), profile),
    }
}

/// One line per specification and profile. After a change of a rule, run with WGPU_FFT_BLESS=1 and
/// review the difference.
#[test]
fn the_table_of_choices_is_as_reviewed() {
    let mut table = String::new();
    let mut add = |spec: &str, profile: &DeviceProfile, choice: Result<String, Error>| {
        let choice = choice.unwrap_or_else(|error| format!("error: {error}"));
        table += &format!("{spec:<31} {:<16} {choice}\n", profile.name);
    };
    for profile in profiles() {
        for spec in LENGTHS.iter().map(|length| format!("c2c fwd {length}")).chain(MORE.map(str::to_owned)) {
            add(&spec, &profile, choice(&spec, &profile));
        }
        let sum = reduce::sum::<f32>(1 << 22);
        add(&sum.to_string(), &profile, sum.design(&profile).map(|recipe| recipe.to_string()));
        for count in [3, 31, 255] {
            for shape in [[1080, 1920], [1080, 1921]] {
                let kernel = || std::iter::repeat_n(1.0, count);
                let spec = SeparableFilter::<f32>::correlation(shape).kernel(0, kernel()).kernel(1, kernel());
                let name = format!("separable {}x{} {count} taps", shape[0], shape[1]);
                add(&name, &profile, spec.design(&profile).map(|recipe| recipe.to_string()));
            }
        }
        let direct = DirectFilter::<f32>::correlation([1080, 1920], [7, 7], [1.0; 49]);
        add("direct 1080x1920 7x7 taps", &profile, direct.design(&profile).map(|recipe| recipe.to_string()));
    }
    assert_reviewed("recipes.txt", &table);
}

/// Compares a table with the one in `tests/host`. WGPU_FFT_BLESS=1 overwrites that file instead.
pub fn assert_reviewed(file: &str, table: &str) {
    let path = &format!("{}/host/{file}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var("WGPU_FFT_BLESS").is_ok_and(|value| value == "1") {
        std::fs::write(path, table).unwrap();
    }
    let reviewed = std::fs::read_to_string(path).unwrap_or_default();
    let changed: Vec<&str> = table.lines().filter(|line| !reviewed.lines().any(|known| known == *line)).collect();
    assert!(reviewed == table, "not as reviewed:\n{}", changed.join("\n"));
}

#[test]
fn every_choice_fits_its_profile() {
    for profile in profiles() {
        for n in (1..=200).chain([256, 1000, 1009, 2048, 4096, 8192, 10_007, 1 << 14, 1 << 17, 100_003]) {
            for spec in [C2c::forward(n).batch(3), C2c::inverse([n, 12]).in_place()] {
                let recipe = spec.design(&profile).unwrap_or_else(|error| panic!("{spec} on {}: {error}", profile.name));
                let program = spec.lower(&recipe, &profile).unwrap_or_else(|error| panic!("{spec} on {}: {error}", profile.name));
                program.check(&profile).unwrap_or_else(|error| panic!("{spec} on {}: {error}", profile.name));
            }
        }
        for spec in SPECS {
            lowered(spec, None, &profile).unwrap().check(&profile).unwrap();
        }
        for (rows, columns) in [(1, 1), (1, 5000), (5000, 1), (1080, 1920)] {
            let spec = Permute::<[f32; 4]>::transpose([rows, columns]);
            spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap().check(&profile).unwrap();
        }
        let spec = reduce::max::<u32>(1 << 20);
        spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap().check(&profile).unwrap();
    }
}

/// Of Direct3D and Metal, which nobody here has: their limits hold, and no text needs what they lack.
#[test]
fn every_choice_fits_devices_that_are_not_here() {
    let mut cases = Vec::new();
    for (p, name) in absent::names().enumerate() {
        cases.extend(share(corpus(), 8, p).map(|spec| (name.clone(), spec)));
    }
    let planned: usize = on_all_cores(cases.len(), |i| usize::from(fits_device_that_is_not_here(&cases[i].0, cases[i].1))).iter().sum();
    assert!(planned * 10 > cases.len() * 9, "{planned} of {} specifications are planned", cases.len());
}

/// Returns whether the device can run it at all.
fn fits_device_that_is_not_here(device: &str, text: &str) -> bool {
    let profile = absent::profile(device).unwrap();
    let spec: AnySpec = text.parse().unwrap();
    let in_f64 = text.split(' ').any(|word| word == "f64");
    let program = match spec.lower(None, &profile).and_then(|program| program.check(&profile).map(|()| program)) {
        Ok(program) => program,
        // Only Vulkan has f64. Two GiB are more than a buffer of Direct3D.
        Err(Error::Unsupported { .. }) if in_f64 => return false,
        Err(Error::LimitExceeded { limit: "max_buffer_size", .. }) if profile.buffer_bytes < 1 << 31 => return false,
        Err(error) => panic!("{text} on {device}: {error}"),
    };
    for dispatch in low_level::dispatches(&program) {
        let wgsl = code(&dispatch.wgsl());
        let asks = |word: &str| wgsl.contains(word);
        let lacks = [("f64", true), ("u64", !profile.int64), ("i64", !profile.int64), ("subgroup", !profile.subgroups)];
        let missing = lacks.iter().find(|&&(word, lacks)| lacks && asks(word));
        assert_eq!(missing, None, "{text} on {device}: {dispatch}");
        // Values are exchanged within the smallest subgroup that the device may take.
        let least = if asks("subgroup") { subgroup_size(dispatch, 1) } else { 1 };
        assert!(least <= profile.subgroup_sizes[0], "{text} on {device}: {dispatch}: subgroups of {least}");
    }
    true
}

/// naga keeps the sizes of bindings on Metal in 32 bits, while wgpu reports bindings of many GiB.
#[test]
fn bindings_of_metal_stay_below_4_gib() {
    let profile = absent::profile("metal-m3").unwrap();
    assert!(profile.buffer_bytes > 1 << 36 && profile.binding_bytes < 1 << 32);
    for text in
        ["c2c fwd 1024 x1048576", "r2c fwd 32768x65536", "transpose f32 40000x40000", "sum f32 3000000000", "roll f32 40000x40000 by=1,1"]
    {
        let spec: AnySpec = text.parse().unwrap();
        spec.lower(None, &profile).unwrap().check(&profile).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Devices far smaller than WebGPU allows still get a recipe that fits, or an error.
#[test]
fn tiny_devices_get_a_recipe_or_an_error() {
    for profile in tiny_profiles() {
        let (invocations, workgroup_bytes) = (profile.invocations, profile.workgroup_bytes);
        let spec = Permute::<[f32; 4]>::transpose([100, 100]);
        let transpose = spec.lower(&spec.design(&profile).unwrap(), &profile);
        assert_eq!(transpose.and_then(|program| program.check(&profile)).is_ok(), invocations > 0, "{profile:?}");
        for spec in [
            "c2c fwd 1 x3",
            "c2c fwd 2 x3",
            "c2c fwd 64 x3",
            "c2c fwd 1000 x3",
            "c2c fwd 509",
            "c2c fwd 24x60",
            "r2c fwd 60 x3",
            "c2r inv 67 x3",
            "c2c fwd 64 x3 f64",
            "c2c fwd 1000 x3 f64",
            "c2c fwd 509 f64",
            "c2r inv 67 x3 f64",
        ] {
            match lowered(spec, None, &profile).and_then(|program| program.check(&profile)) {
                Ok(()) => assert!(invocations > 0, "{spec}: {profile:?}"),
                Err(Error::LimitExceeded { .. } | Error::UnfitRecipe { .. } | Error::Unsupported { .. }) => {
                    assert!(invocations < 64 || workgroup_bytes < 16_384, "{spec}: {profile:?}");
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
}

#[test]
fn recipes_are_read_as_they_are_printed() {
    let by_hand = COMPLEX.iter().flat_map(|(_, recipes)| *recipes).chain(REAL.iter().flat_map(|(_, both)| both.iter().copied().flatten()));
    for text in by_hand {
        let recipe: recipes::fft::Recipe = text.parse().unwrap();
        assert_eq!(recipe.to_string().parse::<recipes::fft::Recipe>().unwrap(), recipe);
    }
    let text = "axis 1 bluestein 40 pairs: stockham 8.5 lanes=5 lines=2 exchange=whole pieces=1 banks=16 roots=table block=4x3; \
                axis 0: radix2 rows=1 lanes=4 + stockham 2 lanes=1 lines=1 exchange=split pieces=2 banks=0 roots=products";
    assert_eq!(text.parse::<recipes::fft::Recipe>().unwrap().to_string(), text);
    // Missing fields have defaults, and pairs and bluestein may be in any order.
    let short = "axis 0 pairs bluestein 40: stockham 8.5 lanes=5".parse::<recipes::fft::Recipe>().unwrap();
    assert_eq!(
        short.to_string(),
        "axis 0 bluestein 40 pairs: stockham 8.5 lanes=5 lines=1 exchange=split pieces=1 banks=32 roots=products"
    );
    for text in TRANSPOSES.into_iter().chain(["copy"]) {
        assert_eq!(text.parse::<recipes::transpose::Recipe>().unwrap().to_string(), text);
    }
    assert_eq!("tree 64".parse::<recipes::reduce::Recipe>().unwrap().to_string(), "tree 64");
}

#[test]
fn specifications_are_read_as_they_are_printed() {
    let padded = Layout::strides([1024, 1]).offset(5);
    for spec in [
        C2c::forward(8),
        C2c::inverse([512, 512]).batch(4).scale(Scale::InvLen).in_place().transposed(),
        C2c::forward([2, 3, 4]).scale(Scale::InvSqrtLen).axes([0, 2]),
        C2c::forward([30, 40]).batch(3).input_layout(padded).output_layout(Layout::strides([40, 1]).batch_distance(2000)),
    ] {
        assert_eq!(spec.to_string().parse::<C2c>().unwrap(), spec);
    }
    // Callers cannot set a numeric factor with a builder, but the text represents it exactly.
    for (text, printed) in [
        ("*0.0009765625", "*0.0009765625"),
        ("*1e-3", "*0.001"),
        ("*-2", "*-2"),
        ("*1.1754942e-38", "*0.000000000000000000000000000000000000011754942"),
    ] {
        let spec: C2c = format!("c2c fwd 8 {text} in-place").parse().unwrap();
        assert_eq!(spec.to_string(), format!("c2c fwd 8 {printed} in-place"));
        assert_eq!(spec.to_string().parse::<C2c>().unwrap(), spec);
        let program = spec.lower(&"axis 0: stockham 8 lanes=1".parse().unwrap(), &DeviceProfile::webgpu_defaults()).unwrap();
        assert_eq!(low_level::dispatches(&program)[0].params[4..], text[1..].parse::<f32>().unwrap().to_ne_bytes());
    }
    for text in ["c2c fwd 8 *x", "c2c fwd 8 *", "c2c fwd 8 1/n *2"] {
        assert!(matches!(text.parse::<C2c>(), Err(Error::Parse { .. })), "{text}");
    }
    let spec = R2c::forward([6, 10]).batch(2).axes([1]).input_layout(padded).scale(Scale::InvLen);
    assert_eq!(spec.to_string(), "r2c fwd 6x10 x2 axes=1 in=1024,1@5 1/n");
    assert_eq!(spec.to_string().parse::<R2c>().unwrap(), spec);
    let spec = C2r::inverse([4, 6, 10]).in_place().scale(Scale::InvSqrtLen);
    assert_eq!(spec.to_string(), "c2r inv 4x6x10 1/sqrt(n) in-place");
    assert_eq!(spec.to_string().parse::<C2r>().unwrap(), spec);
    assert_eq!("c2c fwd 512x512 x4".parse::<C2c>().unwrap(), C2c::forward([512, 512]).batch(4));
    // Equal transforms are equal specifications.
    assert_eq!(C2c::forward([4, 6]).axes([1, 0]), C2c::forward([4, 6]));
    assert_eq!("c2c fwd 4x6x8 axes=2,0".parse::<C2c>().unwrap(), C2c::forward([4, 6, 8]).axes([0, 2]));
    assert_ne!(C2c::forward([4, 6]).axes([0, 0]), C2c::forward([4, 6]));
    assert_eq!("c2c fwd 8 1/n x4".parse::<C2c>().unwrap(), C2c::forward(8).batch(4).scale(Scale::InvLen));
    for spec in SPECS.iter().filter(|spec| spec.starts_with("c2c")) {
        assert_eq!(spec.parse::<C2c>().unwrap().to_string(), *spec);
    }
    for text in ["7", "1024,1", "30,3/1", "1024,1/65536@8208", "1,2,3@4", "1,2,3,4", "8,1@3:100"] {
        assert_eq!(text.parse::<Layout>().unwrap().to_string(), text);
    }
    assert_eq!("1024,1/65536@8208".parse::<Layout>().unwrap(), Layout::strides([1024, 1]).batch_distance(65_536).offset(8208));
    assert_eq!(Layout::dense([3, 4, 5]).to_string(), "20,5,1");
}

#[test]
fn text_that_is_none_is_refused_with_a_reason() {
    for (text, why) in [
        ("", "at byte 0: expected `axis 1"),
        ("axis", "with `bluestein 2048`, `pairs`, `halves` or `packed` before the colon"),
        ("rows: radix2 rows=1 lanes=2", "`rows: radix2 rows=1 lanes=2` at byte 0: expected `axis 1: ...; axis 0: ...` or"),
        ("axis x: radix2 rows=1 lanes=2", "`x` at byte 5: expected a number"),
        ("axis: radix2 rows=1 lanes=2", "at byte 4: expected `axis 0"),
        ("axes 0: stockham 8.8 lanes=8", "expected"),
        ("axes 0 to: stockham 8.8 lanes=8", "at byte 9: expected `axis 0"),
        ("axisx 0: stockham 8.8 lanes=8", "`axisx` at byte 0: expected `axis 0"),
        ("axis 0: ", "at byte 7: expected a pass"),
        ("axis 0: radix3", "at byte 14: expected radices"),
        ("axis 0: radix3 2.2", "`radix3` at byte 8: expected stockham, lanes or radix2"),
        ("axis 0: radix2 rows=1", "at byte 21: lanes=… is missing"),
        ("axis 0: radix2 rows=1 lanes=x", "`x` at byte 28: expected a number"),
        ("axis 0: radix2 rows=1 lanes=-1", "`-1` at byte 28: expected a number"),
        ("axis 0: radix2 rows=1 lanes=2 more=3", "`more=3` at byte 30: expected no other field"),
        ("axis 0: radix2 rows=1 lanes=2 lanes=2", "`lanes=2` at byte 30: given twice"),
        ("axis 0: radix2 rows=1 lanes=2 lanes", "`lanes` at byte 30: expected no other field name=value"),
        ("axis 0: stockham lanes=4", "`lanes=4` at byte 17: expected a number"),
        ("axis 0: stockham 8.x lanes=4", "`x` at byte 19: expected a number"),
        ("axis 0: stockham 8.8", "lanes=… is missing"),
        ("axis 0: stockham 8.8 lanes=8 exchange=some", "`some` at byte 38: expected split or whole"),
        ("axis 0: stockham 8.8 lanes=8 roots=some", "`some` at byte 35: expected products or table"),
        ("axis 0: stockham 8.8 lanes=8 block=4", "`4` at byte 35: expected two numbers with `x` between them"),
        ("axis 0: stockham 8.8 lanes=8 block=4xb", "`b` at byte 37: expected a number"),
        ("axis 0: stockham 8.8 lanes=8 width=two", "`two` at byte 35: expected a number"),
        ("axis 0: stockham 8.8 lanes=8 +", "at byte 30: expected a pass"),
        ("axis 0 bluestein: stockham 8.8 lanes=8", "at byte 16: expected the length of the convolution"),
        ("axis 0 pairs pairs: stockham 8.8 lanes=8", "`pairs` at byte 13: expected `axis 0"),
        ("axis 0 twice: stockham 8.8 lanes=8", "`twice` at byte 7: expected `axis 0"),
        ("axis 0: stockham 8.8 lanes=8;", "at byte 29: expected `axis 1"),
        ("rows: radix2 rows=1 lanes=2; columns: radix2 rows=1 lanes=2; transpose: copy 1", "`1` at byte 77: expected nothing more"),
    ] {
        let error = text.parse::<recipes::fft::Recipe>().unwrap_err();
        assert!(matches!(error, Error::Parse { .. }) && error.to_string().contains(why), "{text}: {error}");
    }
    for text in ["", "tiled", "tiled 32 elements=4", "naive 16", "naive axb", "copy that"] {
        assert!(matches!(text.parse::<recipes::transpose::Recipe>(), Err(Error::Parse { .. })), "{text}");
    }
    for (text, why) in [
        ("", "c2c fwd or c2c inv"),
        ("c2c", "c2c fwd or c2c inv"),
        ("c2c up 4", "c2c fwd or c2c inv"),
        ("r2c fwd 4", "c2c fwd or c2c inv"),
        ("c2c fwd", "at byte 7: expected a shape"),
        ("c2c fwd 4x", "`4x` at byte 8: expected 1 to 4 extents, such as 512x512"),
        ("c2c fwd 1x2x3x4x5", "`1x2x3x4x5` at byte 8: expected 1 to 4 extents"),
        ("c2c fwd 4 y", "`y` at byte 10: expected a batch (x4)"),
        ("c2c fwd 4 xy", "`y` at byte 11: expected a number"),
        ("c2c fwd 4 x2 x3", "`x3` at byte 13: expected a batch (x4)"),
        ("c2c fwd 4 1/n 1/sqrt(n)", "`1/sqrt(n)` at byte 14: expected"),
        ("c2c fwd 4 in-place in-place", "`in-place` at byte 19: given twice"),
        ("c2c fwd 4 axes=a", "`a` at byte 15: expected a number"),
        ("c2c fwd 4 axes=0 axes=0", "`axes=0` at byte 17: given twice"),
        ("c2c fwd 4 *", "at byte 11: expected a number"),
        ("c2c fwd 4 in=a", "`a` at byte 13: expected a number"),
        ("c2c fwd 4 in=1@", "at byte 15: expected a number"),
        ("c2c fwd 4 out=1,2,3,4,5", "`1,2,3,4,5` at byte 14: expected 1 to 4 strides"),
    ] {
        let error = text.parse::<C2c>().unwrap_err();
        assert!(matches!(error, Error::Parse { .. }) && error.to_string().contains(why), "{text}: {error}");
    }
    assert!("c2c fwd 4".parse::<R2c>().unwrap_err().to_string().contains("it must begin with r2c fwd"));
    assert!("r2c fwd 4".parse::<C2r>().unwrap_err().to_string().contains("it must begin with c2r inv"));
    assert!("r2c fwd 4 in=1/x".parse::<R2c>().is_err() && "c2r inv 4 in=1@".parse::<C2r>().is_err());
    for text in ["", ",", "1,", "1/", "1@", "1/2/3", "1@2@3", "1@2/3", "-1", "1,2,3,4,5", "1:", "1:2@3"] {
        assert!(matches!(text.parse::<Layout>(), Err(Error::Parse { what: "layout", .. })), "{text}");
    }
    assert!(matches!("tree".parse::<recipes::reduce::Recipe>(), Err(Error::Parse { .. })));
}

#[test]
fn unfit_recipes_are_refused_with_the_reason() {
    let profile = DeviceProfile::webgpu_defaults();
    for (spec, recipe, why) in [
        ("c2c fwd 128", "axis 0: stockham 8.8 lanes=8", "multiply to 64, not to 128"),
        ("c2c fwd 64", "axis 0: stockham 8 lanes=1", "multiply to 8, not to 64"),
        ("c2c fwd 64", "axis 0: stockham 65536.65536 lanes=8", "not to 64"),
        ("c2c fwd 128", "axis 0: stockham 128 lanes=1", "not all from 1 to 64"),
        ("c2c fwd 64", "axis 0: stockham 64.1 lanes=1", "a radix of 1 stands alone"),
        ("c2c fwd 0x1", "axis 0: stockham 1 lanes=1", "at least 1"),
        ("c2c fwd 64", "axis 0: stockham 8.8 lanes=0", "at least 1"),
        ("c2c fwd 64", "axis 0: stockham 8.8 lanes=8 lines=0", "at least 1"),
        ("c2c fwd 64", "axis 0: stockham 8.8 lanes=8 lines=33", "33 lines of 8 invocations exceed 256"),
        ("c2c fwd 64", "axis 0: stockham 8.8 lanes=4294967295 lines=4294967295", "exceed 256"),
        ("c2c fwd 256", "axis 0: stockham 16.16 lanes=2", "128 elements each, more than 64"),
        ("c2c fwd 64", "axis 0: stockham 8.8 lanes=8 banks=7", "banks are"),
        ("c2c fwd 64", "axis 0: stockham 8.8 lanes=8 pieces=0", "cannot be divided into 0 pieces"),
        ("c2c fwd 64", "axis 0: stockham 8.8 lanes=8 pieces=3", "cannot be divided into 3 pieces"),
        ("c2c fwd 64", "axis 0: stockham 8.8 lanes=8 block=0x1", "at least 1 x 1"),
        ("c2c fwd 512", "axis 0: stockham 8.8.8 lanes=64 pieces=16", "64 lanes load across 16 pieces"),
        ("c2c fwd 256", "axis 0: stockham 4.8.8 lanes=32 pieces=128", "a butterfly's results lie in several of 128 pieces"),
        ("c2c fwd 4096", "axis 0: stockham 16.16.16 lanes=256 exchange=whole", "32768 bytes of workgroup memory of 16384"),
        ("c2c fwd 64", "axis 0 bluestein 126: stockham 9.14 lanes=9", "126 is too short for a transform of 64, which needs 127"),
        ("c2c fwd 64", "axis 0 bluestein 128: stockham 8.8 lanes=8", "multiply to 64, not to 128"),
        ("c2c fwd 64", "axis 1: stockham 8.8 lanes=8", "it transforms the axes [1], not [0]"),
        ("c2c fwd 8x8", "axis 1: stockham 8 lanes=1", "it transforms the axes [1], not [0, 1]"),
        ("c2c fwd 8x8", "axis 1: stockham 8 lanes=1; axis 1: stockham 8 lanes=1", "[1, 1], not [0, 1]"),
        ("c2c fwd 8x8 axes=0", "axis 1: stockham 8 lanes=1; axis 0: stockham 8 lanes=1", "[0, 1], not [0]"),
        ("c2c fwd 64", "axis 0 pairs: stockham 8.8 lanes=8", "no reals to take in pairs"),
        ("r2c fwd 8x8", "axis 1: stockham 8 lanes=1; axis 0 pairs: stockham 8 lanes=1", "axis 0 has no reals"),
        ("r2c fwd 64", "axis 0 pairs: stockham 8 lanes=1 + stockham 8 lanes=1", "in one pass"),
        ("r2c fwd 63", "axis 0 halves: stockham 9.7 lanes=7", "halves"),
        ("r2c fwd 60", "axis 0 halves: stockham 8.8 lanes=8", "multiply to 60/2, not to 64"),
        ("r2c fwd 60", "axis 0 bluestein 48 halves: stockham 8.6 lanes=6", "too short for a transform of 30"),
        ("r2c fwd 15 x4", "axis 0 pairs: stockham 15 lanes=1", "rows-may-mix"),
        ("r2r dct2 15 x4", "axis 0 pairs: stockham 15 lanes=1", "rows-may-mix"),
        ("c2r inv 3x15 x4 axes=1", "axis 1 pairs: stockham 15 lanes=1", "rows-may-mix"),
        ("r2c fwd 8x8", "axis 0: stockham 8 lanes=1; axis 1: stockham 8 lanes=1", "comes first"),
        ("c2r inv 8x8", "axis 1: stockham 8 lanes=1; axis 0: stockham 8 lanes=1", "comes last"),
        ("r2c fwd 12x20", "axis 1 pairs: stockham 5.4 lanes=5 block=4x3; axis 0: stockham 4.3 lanes=3", "odd number of rows"),
        (
            "c2c fwd 8x16",
            "axis 0: stockham 8 lanes=1 block=2x2; axis 1: stockham 4 lanes=1 + stockham 4 lanes=1",
            "blocks along axis 1, which is transformed in 2 passes",
        ),
        ("c2c fwd 8x8", "axes 0 to 1: stockham 8.4 lanes=4", "the radices 8.4 do not multiply to 8 and 8, one axis after the other"),
        ("c2c fwd 8x8", "axes 0 to 1: stockham 16.4 lanes=4", "the radices 16.4 do not multiply to 8 and 8"),
        ("c2c fwd 8x8", "axes 0 to 1: stockham 8 lanes=1 + stockham 8 lanes=1", "axes 0 to 1 in one pass, which is one pass"),
        ("c2c fwd 8x8", "axes 0 to 1: lanes 8.8 lanes=8 width=1 invocations=8", "one pass of the kernel fft/pass"),
        ("c2c fwd 8x8", "axes 0 to 1: stockham 8.8 lanes=8 block=2x2", "without bluestein and blocks"),
        ("c2c fwd 8x8", "axes 0 to 1 bluestein 64: stockham 8.8 lanes=8", "without bluestein and blocks"),
        ("r2c fwd 8x8", "axes 0 to 1: stockham 8.8 lanes=8", "comes first"),
        ("r2c fwd 4x8x8", "axis 2: stockham 8 lanes=1; axes 0 to 1: stockham 4.8 lanes=4", "complex numbers on both sides"),
        ("c2c fwd 8x8 in-part=0..4,0..8", "axes 0 to 1: stockham 4.8 lanes=4", "whole axes without fragments"),
        ("c2c fwd 8x8 x2 in=10,1/80", "axes 0 to 1: stockham 8.8 lanes=8", "do not lie side by side"),
        ("c2c fwd 8x8", "axes 0 to 4294967295: stockham 8.8 lanes=8", "it transforms the axes [0, 1, 2"),
        ("c2c fwd 8x8", "axes 1 to 0: stockham 8.8 lanes=8", "axes 1 to 0 in one pass, of which the slowest comes first"),
        ("c2c fwd 12x20", "axes 0 to 1: stockham 12.4.5 lanes=6", "6 lanes and the 5 butterflies of radix 4"),
        ("c2c fwd 64", "axis 0: stockham 8.8 lanes=4 width=3", "an access takes 1 or 2 numbers, not 3"),
        ("c2c fwd 64", "axis 0: stockham 8.8 lanes=8 width=2", "8 of radix 8 are no multiple of twice 8 lanes"),
        ("c2c fwd 64 x3", "axis 0: stockham 8.8 lanes=4 lines=65 width=2", "65 lines of 4 invocations exceed 256"),
        ("c2c fwd 64 x3 in=1/65", "axis 0: stockham 8.8 lanes=4 width=2", "on both sides, across 3 lines or along a line of 64"),
        ("c2c fwd 64 in=1@1", "axis 0: stockham 8.8 lanes=4 width=2", "begin at even elements, not at element 1"),
        ("c2c fwd 64 x2 out=2/128", "axis 0: stockham 8.8 lanes=4 width=2", "across 2 lines or along a line of 64"),
        ("c2c fwd 8x7 axes=0", "axis 0: stockham 8 lanes=1 lines=2 width=2", "across 7 lines or along a line of 8"),
        ("c2c fwd 8x6 axes=0", "axis 0: stockham 8 lanes=1 lines=3 width=2", "two lines at a time, and a workgroup has 3"),
        ("c2c fwd 8x6", "axis 1: stockham 6 lanes=1 block=3x2; axis 0: stockham 8 lanes=1 lines=2 width=2", "across 6 lines"),
        ("c2c fwd 64x6 axes=0", "axis 0: stockham 64 lanes=1 lines=2 width=2", "with 64 elements each: more than 64"),
        ("c2c fwd 64x512 axes=0", "axis 0: stockham 8.8 lanes=8 lines=128 width=2", "64 lines of 8 invocations exceed 256"),
        ("c2c fwd 64 in-part=0..32", "axis 0: stockham 8.8 lanes=4 width=2", "without parts and fragments"),
        ("c2c fwd 61", "axis 0 bluestein 128: stockham 16.8 lanes=4 width=2", "load and store all elements as they are"),
        ("r2c fwd 64", "axis 0: stockham 8.8 lanes=4 width=2", "are for arrays of complex numbers"),
        ("r2c fwd 64", "axis 0 halves: stockham 8.4 lanes=2 width=2", "load and store all elements as they are"),
        ("c2c fwd 64 f64-by-f32", "axis 0: stockham 8.8 lanes=4 width=2", "32 and of 16 bits, not for f64-by-f32"),
        ("c2c fwd 12", "axis 0: radix2 rows=1 lanes=4", "powers of two"),
        ("c2c fwd 4096", "axis 0: radix2 rows=1 lanes=64", "65536 bytes of workgroup memory of 16384"),
        ("c2c fwd 2048", "axis 0: radix2 rows=1 lanes=64", "32768 bytes"),
        ("c2c fwd 64", "axis 0: radix2 rows=0 lanes=64", "at least 1"),
        ("c2c fwd 2", "axis 0: radix2 rows=64 lanes=64", "exceed 256 invocations"),
        ("c2c fwd 2", "axis 0: radix2 rows=4294967295 lanes=4294967295", "exceed 256 invocations"),
        ("c2c fwd 64 x3 in=2/128", "axis 0: radix2 rows=1 lanes=4", "dense rows"),
        ("c2c fwd 8x8 axes=0", "axis 0: radix2 rows=1 lanes=4", "dense rows"),
        ("r2c fwd 8", "axis 0: radix2 rows=1 lanes=4", "dense rows"),
        ("c2c fwd 64", "axis 0: radix2 rows=1 lanes=4 + stockham 8 lanes=1", "not to 64"),
        (
            "c2c fwd 2",
            "axis 0: stockham 2 lanes=1 + stockham 1 lanes=1 + stockham 1 lanes=1 + stockham 1 lanes=1 + stockham 1 lanes=1 \
             + stockham 1 lanes=1 + stockham 1 lanes=1 + stockham 1 lanes=1 + stockham 1 lanes=1",
            "1 to 8 passes, not 9",
        ),
        ("c2c fwd 3", "axis 0 bluestein 1000003: stockham 1000003 lanes=1", "a convolution of 1000003 is too long for a transform of 3"),
        ("c2c fwd 300", "axis 0 bluestein 4097: stockham 17.241 lanes=17", "not all from 1 to 64"),
    ] {
        let error = lowered(spec, Some(recipe), &profile).unwrap_err();
        if spec.contains("0x1") {
            assert!(matches!(error, Error::Empty { .. }), "{error}");
            continue;
        }
        let Error::UnfitRecipe { spec: named, .. } = &error else { panic!("{recipe}: {error}") };
        assert_eq!(named, spec);
        assert!(error.to_string().contains(why), "{recipe}: {error}");
    }

    let both = "rows: radix2 rows=1 lanes=4; columns: radix2 rows=1 lanes=4; transpose: ";
    for (spec, transpose) in [
        ("c2c fwd 8x8", "copy"),
        ("c2c fwd 8", "naive 8x8"),
        ("c2c fwd 8x1", "naive 8x8"),
        ("c2c fwd 8x8x8", "naive 8x8"),
        ("c2c fwd 8x8 axes=0", "naive 8x8"),
        ("c2c fwd 8x8 in=16,1", "naive 8x8"),
        // Without gaps, but not row by row.
        ("c2c fwd 8x4 in=1,8 out=1,8", "naive 8x4"),
        ("c2c fwd 8x4 out=1,8", "naive 8x4"),
        ("c2c fwd 8x4 x2 in=8,2/1", "naive 8x4"),
        ("c2c fwd 8x8 in=1,1:64", "naive 8x8"),
        ("r2c fwd 8x8", "naive 8x8"),
        ("c2c fwd 8x16", "naive 64x64"),
    ] {
        let error = lowered(spec, Some(&format!("{both}{transpose}")), &profile).unwrap_err();
        assert!(matches!(&error, Error::UnfitRecipe { spec: named, .. } if named == spec), "{error}");
    }

    let spec = Permute::<[f32; 4]>::transpose([8, 8]);
    for recipe in
        ["copy", "naive 0x4", "naive 32x32", "naive 65536x65536", "tiled 0+0 elements=1", "tiled 32+1 elements=4", "tiled 32+1 elements=3"]
    {
        assert!(matches!(spec.lower(&recipe.parse().unwrap(), &profile), Err(Error::UnfitRecipe { .. })), "{recipe}");
    }
    for recipe in ["tiled 32+1 elements=0", "tiled 32+1 elements=32", "tiled 4294967295+1 elements=1", "tiled 16+4294967295 elements=1"] {
        assert!(matches!(spec.lower(&recipe.parse().unwrap(), &profile), Err(Error::UnfitRecipe { .. })), "{recipe}");
    }
    for recipe in ["tree 0", "tree 1", "tree 48", "tree 512"] {
        assert!(matches!(reduce::sum::<f32>(9).lower(&recipe.parse().unwrap(), &profile), Err(Error::UnfitRecipe { .. })), "{recipe}");
    }
}

#[test]
fn specifications_that_make_no_sense_are_refused_with_the_reason() {
    let profile = DeviceProfile::webgpu_defaults();
    for (spec, why) in [
        ("c2c fwd 8x8 axes=2", "axis 2"),
        ("c2c fwd 8 axes=1", "the axes of 8 are 0 to 0"),
        ("c2c fwd 8x8 axes=1,1", "given twice"),
        ("r2c fwd 8x8 axes=0", "without its last axis"),
        ("c2r inv 8x8x8 axes=0,1", "without its last axis"),
        ("r2c fwd 8x8 transposed", "a transposed real transform"),
        ("c2c fwd 8x8 out=8,1 transposed", "transposed and an output layout"),
        ("c2c fwd 2x8x8x8", "an FFT of 4 axes"),
        ("c2c fwd 2x8x8x8 axes=1,2,3", "with a layout"),
        ("c2c fwd 8x8 axes=", "the list of axes is empty"),
        ("r2c fwd 8x8 axes=", "the list of axes is empty"),
        ("c2c fwd 8 *inf", "a scale of inf"),
        ("c2c fwd 4x6 in=10,1@3:38", "it reaches 39 elements, but the array has 38"),
        ("c2c fwd 8x8 in=8", "1 strides, but there are 2 axes"),
        ("c2c fwd 8 out=8,1", "2 strides, but there are 1 axes"),
        ("c2c fwd 8x8 out=4,1", "might overlap"),
        ("c2c fwd 8x8 out=1,1", "might overlap"),
        ("c2c fwd 8x8 x2 out=8,1/32", "might overlap"),
        ("c2c fwd 8 x2 out=1/0", "might overlap"),
        ("c2c fwd 8x8 in=8,1 out=9,1 in-place", "two layouts in place"),
        ("c2c fwd 8x8 in=8,1 in-place", "two layouts in place"),
        ("c2c fwd 8x8 out=9,1 in-place", "two layouts in place"),
        ("c2c fwd 8x8 in=8,1 in-place transposed", "two layouts in place"),
        ("r2c fwd 8x8 in=8,1 out=8,1 in-place", "a layout for a real transform in place"),
        ("r2c fwd 8x8 out=8,1 in-place", "two layouts in place"),
        ("c2r inv 8x8 in=16,1 in-place", "two layouts in place"),
    ] {
        let error = lowered(spec, None, &profile).expect_err(spec);
        assert!(matches!(error, Error::Unsupported { .. }) && error.to_string().contains(why), "{spec}: {error}");
    }
    // Elements of an input may overlap.
    lowered("c2c fwd 8 x5 in=1/4", None, &profile).unwrap();
    for (spec, limit) in [
        ("c2c fwd 65536x65536", "elements indexed by a u32"),
        ("c2c fwd 8 out=1@4294967295", "elements indexed by a u32"),
        ("c2c fwd 8x8 in=4294967295,1", "elements indexed by a u32"),
        ("r2c fwd 8 x2 in=1/4294967295", "elements indexed by a u32"),
        ("c2c fwd 8 in=18446744073709551615@18446744073709551615", "elements indexed by a u32"),
    ] {
        let error = lowered(spec, None, &profile).expect_err(spec);
        assert!(matches!(&error, Error::LimitExceeded { limit: of, .. } if *of == limit), "{spec}: {error}");
    }
    // If an array exceeds a limit of the device, the error for the default recipe names that limit.
    // It does not say that the recipe does not fit.
    for (spec, buffer_bytes, limit) in [
        ("c2c fwd 65535x65537", u64::MAX, "elements indexed by a u32"),
        ("r2c fwd 10007 in=429000", u64::MAX, "max_storage_buffers_per_shader_stage"),
        ("c2c fwd 8192x8192", 256 << 20, "max_buffer_size"),
        ("c2c fwd 536870912", u64::MAX, "max_storage_buffers_per_shader_stage"),
    ] {
        let profile = profile.with(|profile| {
            profile.buffer_bytes = buffer_bytes;
            profile.storage_buffers = 32;
        });
        let error = lowered(spec, None, &profile).expect_err(spec);
        assert!(matches!(&error, Error::LimitExceeded { limit: of, .. } if *of == limit), "{spec}: {error}");
    }
    let small = profile.with(|profile| profile.invocations = 1);
    let error = lowered("c2c fwd 4096", None, &small).unwrap_err();
    assert!(matches!(error, Error::LimitExceeded { limit: "max_compute_invocations_per_workgroup", available: 1, .. }), "{error}");
    for spec in ["c2c fwd 0", "c2c fwd 8x0", "r2c fwd 8 x0", "c2r inv 0x8"] {
        assert!(matches!(lowered(spec, None, &profile), Err(Error::Empty { .. })), "{spec}");
    }
}

/// A recipe is checked before anything is computed for it. No time or memory is spent on a recipe
/// that is refused, or on a program that nobody builds.
#[test]
fn nothing_large_is_computed_before_it_is_built() {
    let begin = std::time::Instant::now();
    let profile = &profiles()[0];
    for (spec, recipe) in [
        ("c2c fwd 3", "axis 0 bluestein 1000003: stockham 1000003 lanes=1"),
        ("c2c fwd 3", "axis 0 bluestein 4294967295: stockham 64 lanes=1 + stockham 64 lanes=1"),
        (
            "c2c fwd 4294967295",
            "axis 0: stockham 64 lanes=1 + stockham 64 lanes=1 + stockham 64 lanes=1 + stockham 64 lanes=1 + stockham 64 lanes=1 + stockham 4 lanes=1",
        ),
        ("c2c fwd 4294967295", "axis 0: stockham 64.64.64.64.64.64 lanes=64"),
        ("c2c fwd 2", "axis 0: stockham 4294967295.2 lanes=1"),
    ] {
        assert!(lowered(spec, Some(recipe), profile).is_err(), "{spec} by {recipe}");
    }
    // Primes in the millions: their constants take seconds to compute, but their programs take no
    // time.
    for profile in profiles() {
        for n in [999_983usize, 7_999_993, 10_000_019, 67_108_859] {
            let _ = C2c::forward(n).design(&profile).and_then(|recipe| C2c::forward(n).lower(&recipe, &profile));
        }
    }
    assert!(begin.elapsed().as_secs() < 5, "{:?}", begin.elapsed());
}

/// The constants of this length are 3% larger than one binding.
#[test]
fn a_table_may_be_larger_than_a_binding() {
    let lavapipe = profiles().into_iter().find(|profile| profile.name == "lavapipe").unwrap();
    let spec = C2c::forward(8_388_593);
    let program = spec.lower(&spec.design(&lavapipe).unwrap(), &lavapipe).unwrap();
    program.check(&lavapipe).unwrap();
    assert!(low_level::tables(&program).iter().any(|table| table.bytes() > lavapipe.binding_bytes), "{program}");
}

/// ARCHITECTURE.md walks through a 512 x 512 transform with the recipe for an H200.
#[test]
fn the_walk_in_architecture_is_what_is_printed() {
    let profile = &profiles()[0];
    let spec = C2c::forward([512, 512]);
    let recipe = spec.design(profile).unwrap();
    let program = spec.lower(&recipe, profile).unwrap();
    let walk = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../ARCHITECTURE.md")).unwrap();
    for text in [spec.to_string(), recipe.to_string().replace("; ", ";\n"), program.to_string()] {
        assert!(walk.contains(&text), "ARCHITECTURE.md lacks:\n{text}");
    }
}

/// Recipes keep their short names, which are read back; the program explains them.
#[test]
fn programs_say_why_a_length_is_a_convolution() {
    let profile = DeviceProfile::webgpu_defaults();
    let printed = |spec: C2c| {
        let recipe = spec.design(&profile).unwrap();
        assert_eq!(recipe.to_string().parse::<recipes::fft::Recipe>().unwrap(), recipe);
        spec.lower(&recipe, &profile).unwrap().to_string()
    };
    let text = printed(C2c::forward(1112));
    assert!(text.contains("\n  axis 0: convolution of length 2304 (1112 has the prime factor 139)\n"), "{text}");
    let text = printed(C2c::forward([101, 64]));
    assert!(text.contains("axis 0: convolution of length") && text.contains("(101 is a prime number)"), "{text}");
    assert!(!printed(C2c::forward([62, 64])).contains("convolution of length"));
}
