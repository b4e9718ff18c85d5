//! The kernel for processors: what fits it, when the rules choose it, and that its results are
//! right.

use wgpu_fft::fft::{C2c, C2r, R2c};
use wgpu_fft::half::f16;
use wgpu_fft::low_level;
use wgpu_fft::low_level::recipes::fft::Recipe;
use wgpu_fft::num_complex::{Complex, Complex64};
use wgpu_fft::{Complex32, DeviceProfile, Error, Fragment, Spec};

use crate::f64::Host;
use crate::recipes_by_hand::{HALVES_IN_LANES, LANES};
use crate::reference::*;
use crate::sanitized::RunOnHost;
use crate::transform_cases::{Case, Kind};
use crate::variants::{extents, profiles};

fn lavapipe() -> DeviceProfile {
    profiles().into_iter().find(|profile| profile.int64).unwrap()
}

const LAVAPIPE: Host = Host { profiles: || vec![lavapipe()] };

/// Where lanes communicate through workgroup memory, the text is different, although the pass is the
/// same.
const EVERYWHERE: Host =
    Host { profiles: || vec![lavapipe(), lavapipe().with(|profile| profile.int64 = false), DeviceProfile::webgpu_defaults()] };

#[test]
fn recipes_by_hand_are_right() {
    for (shape, recipes) in LANES {
        let batch = if shape.iter().product::<usize>() > 10_000 { 1 } else { 5 };
        for (i, recipe) in recipes.iter().enumerate() {
            let in_place = [i % 2 != 0, i % 2 == 0];
            for case in Case::of(&[(Kind::Forward, in_place[1]), (Kind::Inverse, in_place[0])], shape, batch) {
                case.by(recipe).check(if i == 0 { &EVERYWHERE } else { &LAVAPIPE });
            }
        }
    }
}

#[test]
fn recipes_are_read_as_they_are_printed() {
    for recipe in LANES.iter().flat_map(|(_, recipes)| *recipes) {
        let parsed: Recipe = recipe.parse().unwrap();
        assert_eq!(parsed.to_string().parse::<Recipe>().unwrap(), parsed);
        assert!(recipe.contains("stockham") || parsed.to_string() == **recipe, "{parsed}");
    }
    for text in [
        "axis 0: lanes lanes=1 width=1 invocations=8",
        "axis 0: lanes 8 lanes=1 width=1 invocations=8",
        "axis 0: lanes 8.8.8 lanes=1 width=1 invocations=8",
        "axis 0: lanes 8.8 width=1 invocations=8",
        "axis 0: lanes 8.8 lanes=1 width=1 invocations=8 lines=1",
    ] {
        assert!(matches!(text.parse::<Recipe>(), Err(Error::Parse { .. })), "{text}");
    }
}

#[test]
fn what_does_not_fit_says_why() {
    let refuse = |profile: &DeviceProfile, spec: &str, recipe: &str, why: &str| {
        let spec: C2c = spec.parse().unwrap();
        let error = spec.lower(&recipe.parse().unwrap(), profile).unwrap_err();
        assert!(matches!(error, Error::UnfitRecipe { .. }) && error.to_string().contains(why), "{recipe}: {error}");
    };
    let lavapipe = lavapipe();
    let row = "axis 0: lanes 8.8 lanes=2 width=4 invocations=64";
    let small = lavapipe.with(|profile| {
        profile.subgroup_sizes = [4, 8];
        profile.workgroup_bytes = 1023;
    });
    refuse(&small, "c2c fwd 64 x4", row, "needs 1024 bytes");
    refuse(&lavapipe.with(|profile| profile.binding_bytes = 2047), "c2c fwd 64 x4", row, "one binding");
    for (recipe, why) in [
        ("lanes 8.8 lanes=3 width=4 invocations=64", "1, 2, 4 or 8"),
        ("lanes 8.8 lanes=2 width=3 invocations=64", "1, 2 or 4"),
        ("lanes 8.8 lanes=2 width=4 invocations=12", "multiple of 8"),
        ("lanes 8.8 lanes=2 width=4 invocations=2048", "fits a workgroup"),
        ("lanes 64.1 lanes=2 width=1 invocations=64", "two factors"),
        ("lanes 32.2 lanes=1 width=4 invocations=64", "multiples of 4"),
        ("lanes 2.32 lanes=8 width=1 invocations=64", "too many"),
    ] {
        refuse(&lavapipe, "c2c fwd 64 x4", &format!("axis 0: {recipe}"), why);
    }
    refuse(&lavapipe, "c2c fwd 4096 x4", "axis 0: lanes 64.64 lanes=8 width=4 invocations=64", "more than 256");
    refuse(&lavapipe, "c2c fwd 512", "axis 0: lanes 512.1 lanes=1 width=4 invocations=64", "1 to 256");
    refuse(&lavapipe, "c2c fwd 64 x4 in=1/66", row, "every distance");
    refuse(&lavapipe, "c2c fwd 64 x4 in=1/64@2", row, "every distance");
    refuse(&lavapipe, "c2c fwd 64 x5 in=5/1", row, "neighbours");
    refuse(&lavapipe, "c2c fwd 64 x4", "axis 0 bluestein 128: lanes 16.8 lanes=2 width=4 invocations=64", "convolution");
    let blocks = "axis 1: stockham 8 lanes=1 lines=8 block=4x4; axis 0: lanes 8.1 lanes=1 width=1 invocations=64";
    refuse(&lavapipe, "c2c fwd 8x8", blocks, "no blocks");
    let transposes =
        "rows: lanes 8.1 lanes=1 width=1 invocations=8; columns: lanes 8.1 lanes=1 width=1 invocations=8; transpose: naive 8x8";
    refuse(&lavapipe, "c2c fwd 8x8", transposes, "between transposes");
}

/// Without subgroups of 8, the lanes of a line exchange values in workgroup memory. Without 64-bit
/// integers, four numbers are two vectors. Nothing else differs.
#[test]
fn every_device_can_run_it() {
    let text = |profile: &DeviceProfile, recipe: &str, rows: usize| {
        let spec = C2c::forward(64).batch(rows);
        let program = spec.lower(&recipe.parse().unwrap(), profile).unwrap();
        program.check(profile).unwrap();
        let dispatch = &low_level::dispatches(&program)[0];
        (dispatch.wgsl(), dispatch.workgroup_bytes)
    };
    let lavapipe = lavapipe();
    let row = "axis 0: lanes 8.8 lanes=2 width=4 invocations=64";
    let (own, bytes) = text(&lavapipe, row, 32);
    assert!(own.contains("vec4<u64>") && own.contains("subgroupShuffleXor") && !own.contains("workgroupBarrier"));
    assert_eq!(bytes, 0);
    let (without_int64, _) = text(&lavapipe.with(|profile| profile.int64 = false), row, 32);
    assert!(without_int64.contains("array<Quads>") && without_int64.contains("subgroupShuffleXor"));
    for profile in profiles().iter().filter(|profile| !profile.int64) {
        let (other, bytes) = text(profile, row, 32);
        assert!(!other.contains("subgroupShuffleXor") && other.contains("array<Quads>") && other.matches("workgroupBarrier").count() == 1);
        // 16 exchanges by 64 invocations, with 2 lanes per line.
        assert_eq!(bytes, 16 * 64 * 2 * 8, "{}", profile.name);
        // If rows do not fill the last workgroup, it still stays to the end.
        assert!(!other.contains("live_line") && text(profile, row, 33).0.contains("if (line < 33u)"));
        let (alone, bytes) = text(profile, "axis 0: lanes 8.8 lanes=1 width=4 invocations=64", 33);
        assert!(!alone.contains("workgroupBarrier") && alone.contains("if (line < 33u)") && bytes == 0);
    }
    // In rounds, if there is only room for a few exchanges at once.
    let few = lavapipe.with(|profile| {
        profile.subgroups = false;
        profile.workgroup_bytes = 3 * 64 * 2 * 8;
    });
    let (in_turns, bytes) = text(&few, row, 32);
    assert_eq!((in_turns.matches("workgroupBarrier").count(), bytes), (2 * 6 - 1, 3 * 64 * 2 * 8));
}

/// Values only move in other ways where lanes communicate through workgroup memory, with room for
/// one exchange at a time or for some, and where four numbers are two vectors of floats.
#[test]
fn every_form_gives_the_same_bits() {
    for (shape, recipes) in LANES.iter().filter(|(shape, _)| shape.iter().product::<usize>() <= 2048) {
        let spec = C2c::forward(*shape).batch(5);
        let parts = noise(2 * 5 * shape.iter().product::<usize>(), 3);
        let input: Vec<Complex32> = parts.chunks(2).map(|parts| Complex32::new(parts[0], parts[1])).collect();
        for recipe in *recipes {
            let run = |profile: &DeviceProfile| -> Option<Vec<[u32; 2]>> {
                let program = spec.lower(&recipe.parse().unwrap(), profile).ok()?;
                Some(program.run_on_host::<_, Complex32>(&input).into_iter().map(|z| [z.re.to_bits(), z.im.to_bits()]).collect())
            };
            let expected = run(&lavapipe()).unwrap();
            let floats = lavapipe().with(|profile| profile.int64 = false);
            assert!(run(&floats).unwrap() == expected, "{recipe}");
            let mut forms = 0;
            for bytes in [1 << 10, 3 << 10, 1 << 13, 3 << 13, 1 << 15] {
                let memory = floats.with(|profile| (profile.subgroups, profile.workgroup_bytes) = (false, bytes));
                let own = run(&memory);
                forms += usize::from(own.is_some());
                assert!(own.is_none_or(|own| own == expected), "{recipe} with {bytes} bytes");
            }
            assert!(forms > 0, "{recipe}");
        }
    }
}

/// A search does not try it on devices that could run it, but not fast.
#[test]
fn a_search_takes_it_only_where_the_rules_do() {
    let spec = C2c::forward([64, 64]);
    let row = "lanes 8.8 lanes=2 width=2 invocations=64";
    let recipe: Recipe = format!("axis 1: {row}; axis 0: lanes 64.1 lanes=1 width=2 invocations=64").parse().unwrap();
    let in_lanes = |profile: &DeviceProfile, what: &str| {
        spec.neighbours(&recipe, profile).iter().filter(|near| near.to_string().contains(what)).count()
    };
    let lavapipe = lavapipe();
    assert!(in_lanes(&lavapipe, "lanes=4 width=2") > 0 && in_lanes(&lavapipe, "width=4") > 0);
    assert_eq!(in_lanes(&lavapipe.with(|profile| profile.int64 = false), "width=4"), 0);
    for profile in profiles().iter().filter(|profile| profile.subgroup_sizes != [8, 8]) {
        assert_eq!(in_lanes(profile, ": lanes "), 0, "{}", profile.name);
        assert!(spec.alternatives(profile).iter().all(|other| !other.to_string().contains(": lanes ")), "{}", profile.name);
    }
}

/// The rules choose this kernel if it fits and the general one otherwise, for each axis.
#[test]
fn the_rules_take_it_where_it_fits() {
    let profile = lavapipe();
    let lanes = |spec: &str, profile: &DeviceProfile| {
        let spec: C2c = spec.parse().unwrap();
        let recipe = spec.design(profile).unwrap();
        spec.lower(&recipe, profile).unwrap().check(profile).unwrap();
        recipe.to_string().split("; ").map(|axis| axis.contains("lanes lanes=") || axis.contains(": lanes ")).collect::<Vec<_>>()
    };
    for spec in ["c2c fwd 1024 x1024", "c2c inv 512 x10 in-place", "c2c fwd 1920 x3", "c2c fwd 256 in=1@8"] {
        assert_eq!(lanes(spec, &profile), [true], "{spec}");
        assert_eq!(lanes(spec, &profile.with(|profile| profile.int64 = false)), [true], "{spec}");
        assert_eq!(lanes(spec, &profile.with(|profile| profile.subgroups = false)), [false], "{spec}");
    }
    for spec in ["c2c fwd 1009 x4", "c2c fwd 8 x4"] {
        assert_eq!(lanes(spec, &profile), [false], "{spec}");
    }
    // Accesses of one number, where wider ones are impossible.
    for spec in ["c2c fwd 243 x10", "c2c fwd 999 x10", "c2c fwd 1001 x10", "c2c fwd 1024 x2 in=2/2048", "c2c fwd 1024 x2 in=1/1025"] {
        assert_eq!(lanes(spec, &profile), [true], "{spec}");
    }
    for spec in ["c2c fwd 512x512", "c2c inv 1024x1024 in-place", "c2c fwd 1080x1920", "c2c fwd 2048x2048 x2", "c2c fwd 64x64 x5 in=72,1"] {
        assert_eq!(lanes(spec, &profile), [true, true], "{spec}");
    }
    assert_eq!(lanes("c2c fwd 243x243", &profile), [true, true]);
    assert_eq!(lanes("c2c fwd 1000x1000", &profile), [true, true]);
    // Lines of 1009 are a convolution.
    assert_eq!(lanes("c2c fwd 1009x512", &profile), [true, false]);
    assert_eq!(lanes("c2c fwd 512x1009", &profile), [false, true]);
}

/// Parts, fragments and numbers of 16 bits have passes of their own before lanes and after them, if
/// the whole arrays are large and most of their elements are given.
#[test]
fn elements_are_moved_where_it_pays() {
    fn moves<S: Spec<Recipe = Recipe>>(spec: &S) -> (bool, usize) {
        let (profile, spec) = (lavapipe(), spec.clone());
        let recipe = spec.design(&profile).unwrap();
        let program = spec.lower(&recipe, &profile).unwrap();
        program.check(&profile).unwrap();
        (!recipe.to_string().contains("stockham"), program.to_string().matches(" moves ").count())
    }
    let real = |text: &str| moves(&text.parse::<R2c>().unwrap());
    let complex = |text: &str| moves(&text.parse::<C2c>().unwrap());
    assert_eq!(real("r2c fwd 1024x1024 in-part=0..800,0..701"), (true, 1));
    assert_eq!(real("r2c fwd 1024x1024 out-part=-400..400,0..513"), (true, 1));
    assert_eq!(real("r2c fwd 1024x1024 in-part=0..500,0..500"), (false, 0));
    assert_eq!(real("r2c fwd 256x256 in-part=0..250,0..250"), (false, 0));
    assert_eq!(real("r2c fwd 1024 x500 in-part=0..1000"), (true, 1));
    assert_eq!(moves(&"c2r inv 512x512 out-part=0..500,3..500".parse::<C2r>().unwrap()), (true, 1));
    assert_eq!(complex("c2c fwd 512x512 in-part=-3..500,0..512 out-part=-250..250,0..512"), (true, 2));
    assert_eq!(complex("c2c fwd 1024 x500 in-part=0..1000"), (false, 0));
    // As in place: with one array.
    let spectrum = C2c::forward([512, 512]).in_place().map_output::<Complex32>(Fragment::new("value * f32(i0)")).unwrap();
    assert_eq!(moves(&spectrum), (true, 1));
    let halves = R2c::forward([512, 512]).input_as::<f16>();
    assert_eq!(moves(&halves), (true, 1));
}

/// Rows of reals in halves: one block of an access, an odd number of them and an even one, and
/// accesses of each width.
#[test]
fn rows_of_reals_in_halves() {
    for (shape, both) in HALVES_IN_LANES {
        for (kind, recipes) in [Kind::R2c, Kind::C2r].into_iter().zip(both) {
            for recipe in *recipes {
                Case::new(kind, shape).batch(3).by(recipe).check(&EVERYWHERE);
            }
        }
    }
}

/// What no reals have in their spectrum is left out in the same way by all recipes: that of the
/// first and the last element of a row, which is their own only where they are combined.
#[test]
fn spectra_of_no_reals_have_the_same_result_by_all_recipes() {
    for (shape, plain) in [
        (&[12, 64][..], "axis 0: stockham 4.3 lanes=3 lines=4; axis 1: stockham 8.8 lanes=8"),
        (&[4, 3, 24], "axis 0: stockham 4 lanes=1 lines=4; axis 1: stockham 3 lanes=1 lines=4; axis 2: stockham 6.4 lanes=4 lines=2"),
        (&[7, 2], "axis 0: stockham 7 lanes=1 lines=4; axis 1: stockham 2 lanes=1 lines=4"),
    ] {
        let (_, [_, recipes]) = HALVES_IN_LANES.iter().find(|(own, _)| *own == shape).unwrap();
        let spec: C2r = format!("c2r inv {} x2 1/n", extents(shape)).parse().unwrap();
        let half: usize = shape[..shape.len() - 1].iter().product::<usize>() * (shape[shape.len() - 1] / 2 + 1) * 2;
        let parts = noise(2 * half, 9);
        let input: Vec<Complex32> = parts.chunks(2).map(|parts| Complex32::new(parts[0], parts[1])).collect();
        let run = |recipe: &str| -> Vec<Complex64> {
            let program = spec.lower(&recipe.parse().unwrap(), &lavapipe()).unwrap();
            program.run_on_host::<_, f32>(&input).into_iter().map(|x| Complex64::new(x.into(), 0.0)).collect()
        };
        let expected = run(plain);
        for recipe in *recipes {
            let error = relative_error(&run(recipe), &expected);
            let bound = 2.0 * bound_of(shape.iter().copied());
            assert!(error <= bound, "error {error:.2e}, more than {bound:.2e}, by\n{recipe}");
        }
    }
}

#[test]
fn halves_that_do_not_fit_say_why() {
    let refuse = |spec: &str, recipe: &str, why: &str| {
        let error = spec.parse::<R2c>().unwrap().lower(&recipe.parse().unwrap(), &lavapipe()).unwrap_err();
        assert!(matches!(error, Error::UnfitRecipe { .. }) && error.to_string().contains(why), "{recipe}: {error}");
    };
    let row = "axis 0 halves: lanes 8.4 lanes=1 width=4 invocations=64";
    refuse("r2c fwd 64 x4 in-place", row, "every distance");
    refuse("r2c fwd 62 x4", row, "multiply to 62/2");
    refuse("r2c fwd 64 x4 in=1/65", row, "pairs of neighbours");
    refuse("r2c fwd 64 x4", "axis 0: lanes 8.8 lanes=1 width=4 invocations=64", "complex numbers");
    refuse("r2c fwd 64 x4", "axis 0 packed: stockham 8.4 lanes=4", "passes of lanes");
    let columns = "axis 0: lanes 4.1 lanes=1 width=4 invocations=64";
    refuse("r2c fwd 4x62", &format!("axis 1 packed: lanes 8.4 lanes=1 width=4 invocations=64; {columns}"), "multiply to 62/2");
    refuse("r2c fwd 4x64", &format!("axis 1 halves: stockham 8.4 lanes=4; {}", columns.replace("0:", "0 packed:")), "no reals");
    let together = "axis 2 packed: lanes 8.4 lanes=1 width=4 invocations=64; axes 0 to 1: stockham 4.2 lanes=1 lines=1";
    refuse("r2c fwd 4x2x64", together, "axes together");
    // What is between the axes would be neither rounded nor scaled as the specification says.
    let packed = format!("axis 1 packed: lanes 8.4 lanes=1 width=4 invocations=64; {columns}");
    refuse("r2c fwd 4x64 between-as=complex-f16", &packed, "16 bits");
    let narrow = C2r::inverse([512, 512]).between_axes_as::<Complex<f16>>();
    let chosen = narrow.design(&lavapipe()).unwrap();
    assert!(!chosen.to_string().contains("packed") && narrow.lower(&chosen, &lavapipe()).is_ok(), "{chosen}");
    let small = lavapipe().with(|profile| profile.binding_bytes = 1024);
    let spec: R2c = "r2c fwd 64 x4".parse().unwrap();
    assert!(spec.lower(&row.parse().unwrap(), &small).unwrap_err().to_string().contains("one binding"));
}
