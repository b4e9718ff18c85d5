//! What the rules choose, and what they refuse.

use wgpu_fft::fft::{self, C2c, Scale};
use wgpu_fft::reduce::Reduce;
use wgpu_fft::transpose::{self, Transpose};
use wgpu_fft::{DeviceProfile, Error, Spec, reduce};

use crate::recipes_by_hand::{TRANSPOSES, row_recipes};
use crate::variants::profiles;

/// One line per specification and profile. After a change of a rule, run with WGPU_FFT_BLESS=1 and review the difference.
#[test]
fn the_table_of_choices_is_as_reviewed() {
    let mut table = String::new();
    let mut add = |spec: String, profile: &DeviceProfile, choice: Result<String, Error>| {
        let choice = choice.unwrap_or_else(|error| format!("error: {error}"));
        table += &format!("{spec:<28} {:<16} {choice}\n", profile.name);
    };
    for profile in profiles() {
        for n in (0..=14).map(|log2| 1usize << log2) {
            let spec = C2c::forward(n).batch(1000);
            add(spec.to_string(), &profile, spec.design(&profile).map(|recipe| recipe.to_string()));
        }
        for shape in [[512, 512], [1, 64], [64, 1], [1080, 1920]] {
            let spec = C2c::forward(shape);
            add(spec.to_string(), &profile, spec.design(&profile).map(|recipe| recipe.to_string()));
        }
        let (word, quad) = (Transpose::<f32>::new([1080, 1920]), Transpose::<[f32; 4]>::new([1080, 1920]));
        add(word.to_string(), &profile, word.design(&profile).map(|recipe| recipe.to_string()));
        add(quad.to_string(), &profile, quad.design(&profile).map(|recipe| recipe.to_string()));
        let sum = Reduce::<f32>::sum(1 << 22);
        add(sum.to_string(), &profile, sum.design(&profile).map(|recipe| recipe.to_string()));
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/host/recipes.txt");
    if std::env::var("WGPU_FFT_BLESS").is_ok_and(|value| value == "1") {
        std::fs::write(path, &table).unwrap();
    }
    let reviewed = std::fs::read_to_string(path).unwrap_or_default();
    let changed: Vec<&str> = table.lines().filter(|line| !reviewed.lines().any(|known| known == *line)).collect();
    assert!(reviewed == table, "not as reviewed:\n{}", changed.join("\n"));
}

#[test]
fn every_choice_fits_its_profile() {
    for profile in profiles() {
        for n in (0..=13).map(|log2| 1usize << log2) {
            for batch in [1, 3, 1000] {
                for spec in [C2c::forward(n).batch(batch), C2c::inverse([n, 64]), C2c::forward([4, n]).in_place()] {
                    match spec.design(&profile) {
                        Ok(recipe) => spec.lower(&recipe, &profile).unwrap().check(&profile).unwrap(),
                        Err(error) => {
                            assert!(matches!(error, Error::LimitExceeded { .. }) && n * 4 > profile.workgroup_bytes as usize, "{error}")
                        }
                    }
                }
            }
        }
        for (rows, columns) in [(1, 1), (1, 5000), (5000, 1), (1080, 1920)] {
            let spec = Transpose::<[f32; 4]>::new([rows, columns]);
            spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap().check(&profile).unwrap();
        }
        let spec = Reduce::<u32>::max(1 << 20);
        spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap().check(&profile).unwrap();
    }
}

/// Devices far smaller than any that WebGPU allows still get a recipe that fits, or an error.
#[test]
fn tiny_devices_get_a_recipe_or_an_error() {
    for (invocations, y) in [(0, 0), (1, 1), (2, 2), (8, 8), (64, 64), (64, 1)] {
        for workgroup_bytes in [0, 64, 1024, 16_384] {
            let profile =
                DeviceProfile { invocations, workgroup_size: [invocations, y, 1], workgroup_bytes, ..DeviceProfile::webgpu_defaults() };
            let spec = Transpose::<[f32; 4]>::new([100, 100]);
            let transpose = spec.lower(&spec.design(&profile).unwrap(), &profile);
            assert_eq!(transpose.and_then(|program| program.check(&profile)).is_ok(), invocations > 0, "{profile:?}");
            for n in [1, 2, 64, 1024] {
                let spec = C2c::forward(n).batch(3);
                match spec.design(&profile).and_then(|recipe| spec.lower(&recipe, &profile)).and_then(|program| program.check(&profile)) {
                    Ok(()) => {}
                    Err(Error::LimitExceeded { .. } | Error::UnfitRecipe { .. }) => {}
                    Err(error) => panic!("{error}"),
                }
            }
        }
    }
}

#[test]
fn recipes_and_specifications_are_read_as_they_are_printed() {
    for recipe in row_recipes(64).into_iter().chain(row_recipes(1024)) {
        assert_eq!(recipe.to_string().parse::<fft::Recipe>().unwrap(), recipe);
    }
    for profile in profiles() {
        let recipe = C2c::forward([256, 64]).design(&profile).unwrap();
        assert_eq!(recipe.to_string().parse::<fft::Recipe>().unwrap(), recipe);
    }
    for text in TRANSPOSES.into_iter().chain(["copy"]) {
        assert_eq!(text.parse::<transpose::Recipe>().unwrap().to_string(), text);
    }
    assert_eq!("tree 64".parse::<reduce::Recipe>().unwrap().to_string(), "tree 64");
    let specs = [
        C2c::forward(8),
        C2c::inverse([512, 512]).batch(4).scale(Scale::InvLen).in_place().transposed(),
        C2c::forward([2, 3, 4]).scale(Scale::InvSqrtLen),
    ];
    for spec in specs {
        assert_eq!(spec.to_string().parse::<C2c>().unwrap(), spec);
    }
    assert_eq!("c2c fwd 512x512 x4".parse::<C2c>().unwrap(), C2c::forward([512, 512]).batch(4));
}

#[test]
fn text_that_is_none_is_refused_with_a_reason() {
    for text in
        ["", "rows", "rows: ", "rows: radix3", "rows: radix2 rows=1", "rows: radix2 rows=1 lanes=x", "rows: radix2 rows=1 lanes=2 more=3"]
    {
        assert!(matches!(text.parse::<fft::Recipe>(), Err(Error::Parse { .. })), "{text}");
    }
    for text in ["", "tiled", "tiled 32 elements=4", "naive 16", "naive axb", "copy that"] {
        assert!(matches!(text.parse::<transpose::Recipe>(), Err(Error::Parse { .. })), "{text}");
    }
    for text in ["", "c2c", "c2c up 4", "c2c fwd 4x", "c2c fwd 1x2x3x4", "c2c fwd 4 y"] {
        assert!(matches!(text.parse::<C2c>(), Err(Error::Parse { .. })), "{text}");
    }
    assert!(matches!("tree".parse::<reduce::Recipe>(), Err(Error::Parse { .. })));
}

#[test]
fn unfit_recipes_are_refused_with_the_reason() {
    let profile = DeviceProfile::webgpu_defaults();
    let refuse = |recipe: &str, n: usize, why: &str| {
        let spec = C2c::forward(n);
        let error = spec.lower(&recipe.parse().unwrap(), &profile).unwrap_err();
        assert!(matches!(error, Error::UnfitRecipe { .. }) && error.to_string().contains(why), "{recipe}: {error}");
    };
    let registers = |radices: &str, elements: u32, rows: u32, exchange: &str, banks: u32| {
        format!("rows: registers {radices} elements={elements} rows={rows} exchange={exchange} banks={banks} roots=table")
    };
    refuse(&registers("8.8", 8, 1, "whole", 0), 128, "multiply to 64, not to 128");
    refuse(&registers("3.3", 3, 1, "whole", 0), 8, "radices are 2, 4, 8 and 16");
    refuse(&registers("8.8", 4, 1, "whole", 0), 64, "multiple of every radix");
    refuse(&registers("8.8", 0, 1, "whole", 0), 64, "multiple of every radix");
    refuse(&registers("8.8", 64, 1, "whole", 0), 64, "at most 32");
    refuse(&registers("8.8", 8, 0, "whole", 0), 64, "0 rows");
    refuse(&registers("8.8", 8, 33, "whole", 0), 64, "33 rows");
    refuse(&registers("8.8", 8, 1, "whole", 7), 64, "banks");
    refuse(&registers("16.16.16", 16, 1, "whole", 0), 4096, "32768 bytes of workgroup memory of 16384");
    refuse(&registers("16.16.16.16.16.16.16.16.16", 16, 1, "whole", 0), 4096, "multiply to");
    refuse("rows: radix2 rows=1 lanes=64", 4096, "65536 bytes of workgroup memory of 16384");
    refuse("rows: radix2 rows=0 lanes=64", 64, "at least 1");
    refuse("rows: radix2 rows=64 lanes=64", 2, "exceed 256 invocations");
    refuse("rows: radix2 rows=4294967295 lanes=4294967295", 2, "exceed 256 invocations");
    refuse("rows: radix2 rows=1 lanes=64", 2048, "32768 bytes");

    let spec = C2c::forward([8, 8]);
    assert!(matches!(spec.lower(&"rows: radix2 rows=1 lanes=4".parse().unwrap(), &profile), Err(Error::UnfitRecipe { .. })));
    let both = "rows: radix2 rows=1 lanes=4; columns: radix2 rows=1 lanes=4; transpose: copy";
    let error = spec.lower(&both.parse().unwrap(), &profile).unwrap_err();
    assert!(matches!(&error, Error::UnfitRecipe { spec, .. } if spec == "c2c fwd 8x8"), "{error}");
    assert!(matches!(C2c::forward(8).lower(&both.parse().unwrap(), &profile), Err(Error::UnfitRecipe { .. })));

    let spec = Transpose::<[f32; 4]>::new([8, 8]);
    for recipe in
        ["copy", "naive 0x4", "naive 32x32", "naive 65536x65536", "tiled 0+0 elements=1", "tiled 32+1 elements=4", "tiled 32+1 elements=3"]
    {
        assert!(matches!(spec.lower(&recipe.parse().unwrap(), &profile), Err(Error::UnfitRecipe { .. })), "{recipe}");
    }
    for recipe in ["tiled 32+1 elements=0", "tiled 32+1 elements=32", "tiled 4294967295+1 elements=1", "tiled 16+4294967295 elements=1"] {
        assert!(matches!(spec.lower(&recipe.parse().unwrap(), &profile), Err(Error::UnfitRecipe { .. })), "{recipe}");
    }
    for recipe in ["tree 0", "tree 1", "tree 48", "tree 512"] {
        assert!(matches!(Reduce::<f32>::sum(9).lower(&recipe.parse().unwrap(), &profile), Err(Error::UnfitRecipe { .. })), "{recipe}");
    }
}

/// ARCHITECTURE.md walks a 512 x 512 transform by an H200's recipe.
#[test]
fn the_walk_in_architecture_is_what_is_printed() {
    let profile = &profiles()[0];
    let spec = C2c::forward([512, 512]);
    let recipe = spec.design(profile).unwrap();
    let program = spec.lower(&recipe, profile).unwrap();
    let walk = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/ARCHITECTURE.md")).unwrap();
    for text in [spec.to_string(), recipe.to_string().replace("; ", ";\n"), program.to_string()] {
        assert!(walk.contains(&text), "ARCHITECTURE.md lacks:\n{text}");
    }
}
