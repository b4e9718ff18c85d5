//! Recipes of one device adapted to another: they fit, and they keep every decision that affects
//! the bits of the result.

use wgpu_fft::fft::{C2c, C2r, R2c};
use wgpu_fft::low_level::recipes::fft::Adapt;
use wgpu_fft::low_level::recipes::fft::{AxisRecipe, PassRecipe, Recipe};
use wgpu_fft::{DeviceProfile, Error, Spec};

use crate::recipes_by_hand::{COMPLEX, LANES, REAL};
use crate::variants::{SPECS, extents, profiles, profiles_of};

/// The decisions on which the bits of a recipe's results depend. The width of lanes across columns
/// is not one of them.
fn arithmetic(recipe: &Recipe) -> String {
    let Recipe::Axes(axes) = recipe else { return recipe.to_string() };
    let pass = |pass: &PassRecipe| match pass {
        PassRecipe::Stockham(own) => format!("{:?} {}", own.radices, own.roots),
        PassRecipe::Lanes { factors, lanes, loops, .. } => format!("lanes {factors:?} {lanes} {loops}"),
        PassRecipe::Radix2 { .. } => "radix2".to_owned(),
        other => unimplemented!("{other}"),
    };
    let axes = axes.iter().map(|own| {
        let passes: Vec<String> = own.passes.iter().map(pass).collect();
        format!("{} {:?} {:?} {passes:?}", own.axis, own.bluestein, own.reals)
    });
    axes.collect::<Vec<_>>().join("; ")
}

fn check<S: Adapt>(spec: &S, recipe: &Recipe, profile: &DeviceProfile) -> Recipe {
    let adapted = spec.adapted(recipe, profile).unwrap_or_else(|error| panic!("{spec} on {}: {error}", profile.name));
    spec.lower(&adapted, profile).unwrap().check(profile).unwrap();
    if matches!(recipe, Recipe::Axes(_)) {
        assert_eq!(arithmetic(&adapted), arithmetic(recipe), "{spec} on {}", profile.name);
    }
    // A recipe that fits is not changed.
    if spec.lower(recipe, profile).and_then(|program| program.check(profile)).is_ok() {
        assert_eq!(adapted, *recipe);
    }
    adapted
}

/// The longest line of a pass.
fn longest(recipe: &Recipe) -> u32 {
    let Recipe::Axes(axes) = recipe else { return 0 };
    axes.iter().flat_map(|axis| &axis.passes).filter_map(PassRecipe::n).max().unwrap_or(0)
}

/// Calls a generic function with the specification that a text describes.
macro_rules! with_spec {
    ($text:expr, |$spec:ident| $body:expr) => {
        match &$text[..3] {
            "c2c" => {
                let $spec: wgpu_fft::fft::C2c = $text.parse().unwrap();
                $body
            }
            "r2c" => {
                let $spec: wgpu_fft::fft::R2c = $text.parse().unwrap();
                $body
            }
            "r2r" => {
                let $spec: wgpu_fft::fft::R2r = $text.parse().unwrap();
                $body
            }
            _ => {
                let $spec: wgpu_fft::fft::C2r = $text.parse().unwrap();
                $body
            }
        }
    };
}

#[test]
fn every_choice_fits_every_device() {
    let more = [
        "c2c fwd 1024 x16",
        "c2c fwd 4096 x16",
        "c2c fwd 16384 x16",
        "c2c fwd 1048576",
        "c2c fwd 1009 x16",
        "c2c inv 4099 x16",
        "c2c fwd 1155 x4",
        "c2c fwd 1080x1920",
        "c2c fwd 4096x4096",
        "c2c fwd 128x128x128",
        "c2c fwd 2048x2048",
        "r2c fwd 1080x1920",
        "c2r inv 1080x1920",
        "r2c fwd 1009 x16",
        "r2c fwd 4096x4096",
        "c2r inv 61x53",
        "r2c fwd 65536 x4",
        "r2r dct2 512x512",
        "r2r dct4,dst3 60x45 x3",
        // This is a line although its axis is not the last: there never were several columns.
        "c2c fwd 256x1 x8 axes=0",
    ];
    for from in profiles() {
        for text in more.into_iter().chain(SPECS) {
            with_spec!(text, |spec| {
                let recipe = spec.design(&from).unwrap();
                for to in profiles_of(&(&spec, &from.name)) {
                    if longest(&recipe) <= 64 * to.invocations {
                        check(&spec, &recipe, &to);
                    } else {
                        // One workgroup holds a line, with 64 elements per invocation.
                        assert!(matches!(spec.adapted(&recipe, &to), Err(Error::UnfitRecipe { .. })), "{spec} on {}", to.name);
                    }
                }
            });
        }
    }
}

#[test]
fn recipes_by_hand_fit_every_device() {
    for (shape, recipes) in COMPLEX.iter().chain(LANES) {
        let spec: C2c = format!("c2c fwd {} x5", extents(shape)).parse().unwrap();
        for (recipe, to) in recipes.iter().flat_map(|recipe| profiles_of(recipe).into_iter().map(move |to| (recipe, to))) {
            check(&spec, &recipe.parse().unwrap(), &to);
        }
    }
    for (shape, both) in REAL {
        for (kind, recipes) in ["r2c fwd", "c2r inv"].into_iter().zip(both) {
            let text = format!("{kind} {} x5 rows-may-mix", extents(shape));
            for (recipe, to) in recipes.iter().flat_map(|recipe| profiles_of(recipe).into_iter().map(move |to| (recipe, to))) {
                with_spec!(text, |spec| check(&spec, &recipe.parse().unwrap(), &to));
            }
        }
    }
}

/// A part has fewer columns than the recipe was made for: its accesses get narrower, down to one
/// number. The accesses to a single column do not run along it if the recipe says that there is one
/// column.
#[test]
fn parts_take_what_columns_they_have() {
    for to in profiles() {
        let part_of = |recipe: &Recipe, count| if count == 1 { recipe.for_single_column(0) } else { recipe.clone() };
        let columns = "axis 0: lanes 16.16 lanes=8 width=4 invocations=64".parse().unwrap();
        for (count, width) in [(1024, 4), (12, 4), (6, 2), (5, 1), (1, 1)] {
            let spec = C2c::forward([256, count]).axes([0]);
            let adapted = spec.adapted(&part_of(&columns, count), &to).unwrap().to_string();
            assert!(adapted.starts_with(&format!("axis 0: lanes 16.16 lanes=8 width={width} ")), "{count} on {}: {adapted}", to.name);
        }
        let two = "axis 0: lanes 64.1 lanes=1 width=4 invocations=64 + lanes 32.1 lanes=1 width=4 invocations=64".parse().unwrap();
        for (count, width) in [(8, 4), (6, 2), (5, 1), (1, 1)] {
            let adapted = check(&C2c::forward([2048, count]).axes([0]).batch(3), &part_of(&two, count), &to).to_string();
            assert_eq!(adapted.matches(&format!("width={width} ")).count(), 2, "{count} on {}: {adapted}", to.name);
        }
        // Along a row, the width determines the twiddle factors.
        let row = "axis 0: lanes 32.32 lanes=8 width=4 invocations=256".parse().unwrap();
        let adapted = check(&C2c::forward(1024).batch(7), &row, &to).to_string();
        assert!(adapted.starts_with("axis 0: lanes 32.32 lanes=8 width=4 "), "{adapted}");
        let apart = "c2c fwd 1024 x7 in=1@1026".parse::<C2c>().unwrap();
        assert!(matches!(apart.adapted(&row, &to), Err(Error::UnfitRecipe { .. })));
    }
}

#[test]
fn what_cannot_be_adapted_says_why_it_does_not_fit() {
    let least = DeviceProfile::webgpu_defaults();
    let spec = C2c::forward(64);
    for recipe in ["axis 0: stockham 8.4 lanes=8", "axis 0: lanes 8.8 lanes=3 width=4 invocations=64", "axis 1: stockham 8.8 lanes=8"] {
        let recipe = recipe.parse().unwrap();
        assert_eq!(spec.adapted(&recipe, &least).unwrap_err(), spec.lower(&recipe, &least).unwrap_err());
    }
}

/// Axes in the wrong order, or with reals that they do not have, are refused, whoever reads them.
#[test]
fn recipes_that_name_axes_wrongly_are_refused() {
    let pass = "stockham 8.8 lanes=8".parse::<PassRecipe>().unwrap();
    let backwards = |axis, through| {
        let mut own = AxisRecipe::new(axis, vec![pass.clone()]);
        own.through = through;
        own
    };
    for (axis, through) in [(5, 4), (2, 0), (1, 0), (0, usize::MAX), (usize::MAX, usize::MAX)] {
        let recipe = Recipe::Axes(vec![backwards(axis, through)]);
        for profile in profiles() {
            for shape in [vec![64, 64], vec![64]] {
                let spec = C2c::forward(shape.as_slice());
                assert!(spec.lower(&recipe, &profile).is_err(), "{recipe}");
                assert!(spec.adapted(&recipe, &profile).is_err(), "{recipe}");
                assert!(spec.neighbours(&recipe, &profile).is_empty(), "{recipe}");
                let _ = spec.axes_apart(&recipe);
                let _ = recipe.of_axes(&[(0, 0), (1, 1)]);
            }
        }
    }
    let lanes = |axis: usize, reals: &str| format!("axis {axis}{reals}: lanes 16.2 lanes=8 width=1 invocations=64");
    for reals in [" pairs", " halves", " packed"] {
        let text = format!("{}; {}", lanes(1, " packed"), lanes(0, reals));
        let error = R2c::forward([32, 64]).lower(&text.parse().unwrap(), &profiles()[1]).unwrap_err().to_string();
        assert!(error.contains("axis 0 has no reals"), "{error}");
    }
}

#[test]
fn parts_of_a_recipe() {
    let of = |text: &str, axes: &[(usize, usize)]| {
        text.parse::<Recipe>().unwrap().of_axes(axes).map_or_else(|| "none".to_owned(), |recipe| recipe.to_string())
    };
    let [rows, columns, planes] =
        ["8", "4.4", "2"].map(|radices| format!("stockham {radices} lanes=2 lines=3 exchange=split pieces=1 banks=32 roots=products"));
    let whole = format!("axis 2 pairs: {rows} block=4x8; axis 1 bluestein 16: {columns} block=2x2; axis 0: {planes} block=3x3 + {planes}");
    assert_eq!(of(&whole, &[(2, 0)]), format!("axis 0 pairs: {rows}"));
    assert_eq!(of(&whole, &[(1, 0), (2, 1)]), format!("axis 1 pairs: {rows} block=4x8; axis 0 bluestein 16: {columns}"));
    // Blocks between the passes of one axis are kept. The block of the rows was for an axis
    // other than the first.
    assert_eq!(of(&whole, &[(0, 0)]), format!("axis 0: {planes} block=3x3 + {planes}"));
    assert_eq!(of(&whole, &[(2, 1), (0, 0)]), format!("axis 1 pairs: {rows}; axis 0: {planes} block=3x3 + {planes}"));
    for axes in [&[][..], &[(3, 0)], &[(0, 0), (1, 0)]] {
        assert_eq!(of(&whole, axes), "none");
    }
    let transposed = format!("rows: {rows}; columns: radix2 rows=1 lanes=4; transpose: naive 8x8");
    assert_eq!(of(&transposed, &[(1, 0)]), format!("axis 0: {rows}"));
    assert_eq!(of(&transposed, &[(0, 0)]), "axis 0: radix2 rows=1 lanes=4");
}

/// No row of what several devices compute depends on where their parts begin.
#[test]
fn axes_apart_have_no_pairs() {
    let spec = C2r::inverse([4, 15]);
    let whole = "axis 0: stockham 4 lanes=1; axis 1 pairs: stockham 15 lanes=1".parse().unwrap();
    let apart = spec.axes_apart(&whole).unwrap();
    assert!(!apart.to_string().contains("pairs"), "{apart}");
    let rows = apart.of_axes(&[(1, 0)]).unwrap();
    assert!(C2r::inverse(15).batch(3).lower(&rows, &DeviceProfile::webgpu_defaults()).is_ok());
}

/// Pairs are for rows that another axis mixes, and never cross from one array to the next.
#[test]
fn pairs_are_refused_where_rows_stay_apart() {
    let profile = DeviceProfile::webgpu_defaults();
    let pairs = "pairs: stockham 15 lanes=1";
    let columns = "axis 0: stockham 3 lanes=1";
    let planes = "in=15,60,1@240 out=8,32,1@128";
    let cases = [
        ("r2c fwd 15", format!("axis 0 {pairs}"), true),
        ("r2c fwd 15 x9", format!("axis 0 {pairs}"), false),
        ("r2c fwd 15 x9 rows-may-mix", format!("axis 0 {pairs}"), true),
        ("r2c fwd 3x15 x4", format!("axis 1 {pairs}; {columns}"), true),
        ("r2c fwd 3x15 x4 axes=1", format!("axis 1 {pairs}"), false),
        ("r2c fwd 3x4x15 axes=0,2", format!("axis 2 {pairs}; {columns}"), false),
        // In these blocks the rows of axis 0 lie side by side.
        ("r2c fwd 3x4x15 axes=0,2", format!("axis 2 {pairs} block=3x4; {columns}"), true),
    ];
    for (spec, recipe, fits) in cases {
        let lowered = spec.parse::<R2c>().unwrap().lower(&recipe.parse().unwrap(), &profile);
        let why = lowered.as_ref().err().map(ToString::to_string);
        assert_eq!(lowered.is_ok(), fits, "{spec} by {recipe}: {why:?}");
        assert!(why.is_none_or(|why| why.contains("rows-may-mix")), "{spec}");
    }
    let nearest = format!("r2c fwd 4x5x15 {planes}").parse::<R2c>().unwrap();
    let recipe = format!("axis 2 {pairs}; axis 1: stockham 5 lanes=1; axis 0: stockham 4 lanes=1");
    assert!(nearest.lower(&recipe.parse().unwrap(), &profile).is_ok());
}

#[test]
fn blocks_that_decide_on_pairs_stay() {
    let profile = DeviceProfile::webgpu_defaults();
    let recipe = |lanes| format!("axis 1 pairs: stockham 15.5 lanes={lanes} block=5x2; axis 0: stockham 3 lanes=1").parse().unwrap();
    let spec = R2c::forward([3, 75]).batch(4);
    assert!(spec.lower(&recipe(15), &profile).is_ok());
    // There are too many invocations, so the lanes change and the blocks stay.
    let adapted = spec.adapted(&recipe(300), &profile).unwrap().to_string();
    assert!(adapted.contains("block=5x2") && !adapted.contains("lanes=300"), "{adapted}");
}
