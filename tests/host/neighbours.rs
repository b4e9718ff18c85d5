//! The space of recipes that a search explores: every recipe in it computes the right result, and
//! the good ones can be reached.

use std::collections::HashSet;

use wgpu_fft::Edge;
use wgpu_fft::fft::{C2c, C2r, R2c, R2r};
use wgpu_fft::half::{bf16, f16};
use wgpu_fft::low_level::recipes;
use wgpu_fft::num_complex::Complex;
use wgpu_fft::reduce;
use wgpu_fft::signal::Mode;

use wgpu_fft::low_level::tune::{Format, TestInput, Tolerance, Verification};
use wgpu_fft::signal::{DirectFilter, RadialAverage, SeparableFilter};
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Complex32, DeviceProfile, Element, Fragment, Layout, Program, Spec, bytemuck};

use crate::frames;
use crate::lists::{asks_for_all, share};
use crate::reductions::words;
use crate::sanitized::RunOnHost;
use crate::variants::{profiles, profiles_of};

trait Visitor {
    fn visit<S: Spec>(&mut self, spec: &S);
}

fn fft(text: &str, visitor: &mut impl Visitor) {
    match &text[..3] {
        "c2c" => visitor.visit(&text.parse::<C2c>().unwrap()),
        "r2c" => visitor.visit(&text.parse::<R2c>().unwrap()),
        "r2r" => visitor.visit(&text.parse::<R2r>().unwrap()),
        _ => visitor.visit(&text.parse::<C2r>().unwrap()),
    }
}

/// A filter with taps of 1/8 along both axes.
fn boxes(shape: [usize; 2], counts: [usize; 2]) -> SeparableFilter<f32> {
    let [down, along] = counts.map(|count| vec![0.125; count]);
    SeparableFilter::correlation(shape).kernel(0, down).kernel(1, along).edge(Edge::Reflect)
}

/// Typical uses of a search: usual sizes of every kind.
fn usual(visitor: &mut impl Visitor) {
    visitor.visit(&Permute::<f32>::transpose([1080, 1920]));
    visitor.visit(&Permute::<Complex32>::transpose([1024, 1024]));
    visitor.visit(&Permute::<Complex32>::transpose([1024, 1024]).in_place());
    visitor.visit(&Permute::<u8>::transpose([1081, 1921]));
    visitor.visit(&Permute::<u8>::transpose([1081, 1081]).in_place());
    visitor.visit(&Permute::<[f32; 4]>::transpose([300, 500]));
    visitor.visit(&Permute::<f32>::new([256, 256, 256], [1, 0, 2]));
    visitor.visit(&Permute::<u8>::new([480, 641, 3], [2, 0, 1]));
    visitor.visit(&reduce::sum::<f32>(1 << 22));
    visitor.visit(&reduce::sum::<f32>(1 << 22).across_devices());
    visitor.visit(&reduce::sum::<f32>([4096, 1024]).axes([0]));
    visitor.visit(&reduce::sum::<f32>([4096, 1024]).axes([1]));
    visitor.visit(&reduce::sum::<f32>([65_536, 64]).axes([1]));
    visitor.visit(&reduce::mean::<f16>([100, 12, 64]).axes([0, 2]));
    visitor.visit(&reduce::argmax::<f32>(100_003));
    visitor.visit(&reduce::vdot::<Complex32>(1 << 20));
    visitor.visit(&reduce::sum::<f64>(1 << 20));
    visitor.visit(&boxes([1080, 1920], [3, 3]));
    visitor.visit(&boxes([1080, 1920], [31, 31]));
    visitor.visit(&boxes([1081, 1921], [255, 101]));
    visitor.visit(&DirectFilter::<u8>::convolution([1080, 1920], [7, 7], [0.125; 49]).mode(Mode::Full));
    for text in [
        "c2c fwd 1024 x1000",
        "c2c inv 4096 x100 in-place",
        "c2c fwd 1009 x1000",
        "c2c fwd 37 x1000",
        "c2c fwd 65536 x16",
        "c2c fwd 1048576",
        "c2c fwd 512x512",
        "c2c fwd 1024x1024",
        "c2c fwd 4096x4096",
        "c2c fwd 1080x1920",
        "c2c fwd 8192x8192",
        "c2c fwd 128x128x128",
        "r2c fwd 1000 x999",
        "r2c fwd 1048576",
        "r2r dct2 512x512",
        "r2c fwd 1024x1024",
        "c2r inv 1024x1024",
        "c2r inv 1080x1920",
    ] {
        fft(text, visitor);
    }
}

/// Cases that the host computes quickly.
fn small(visitor: &mut impl Visitor) {
    visitor.visit(&Permute::<f32>::transpose([35, 64]).batch(2));
    visitor.visit(&Permute::<Complex32>::transpose([64, 48]));
    visitor.visit(&Permute::<u8>::transpose([65, 67]));
    visitor.visit(&Permute::<u16>::transpose([64, 64]).in_place());
    visitor.visit(&Permute::<u8>::transpose([61, 61]).in_place());
    visitor.visit(&Permute::<[f32; 4]>::new([5, 16, 12], [2, 0, 1]));
    visitor.visit(&Permute::<f32>::new([5, 16, 12], [1, 0, 2]));
    visitor.visit(&Permute::<u8>::new([5, 7, 3], [1, 0, 2]));
    visitor.visit(&reduce::sum::<f32>(20_000));
    visitor.visit(&reduce::sum::<f32>(20_000).across_devices());
    visitor.visit(&reduce::sum::<f32>([300, 24]).axes([0]));
    visitor.visit(&reduce::sum::<f32>([300, 24]).axes([0]).across_devices());
    visitor.visit(&reduce::sum::<Complex32>([24, 300]).axes([1]));
    visitor.visit(&reduce::product::<Complex32>([2, 500]).axes([1]));
    visitor.visit(&reduce::product::<f32>(3000));
    visitor.visit(&reduce::product::<u32>(3001));
    visitor.visit(&reduce::argmin::<f16>([6, 500]).axes([1]));
    visitor.visit(&reduce::max_abs_diff::<i32>(5000));
    visitor.visit(&reduce::max_abs_diff::<Complex32>([2000, 3]).axes([0]));
    visitor.visit(&reduce::norm::<f64>([8, 300]).axes([1]));
    visitor.visit(&reduce::argmax::<f64>(2000));
    visitor.visit(&reduce::count::<f32>([12, 20, 16]).axes([0, 2]));
    visitor.visit(&boxes([20, 36], [3, 4]));
    visitor.visit(&boxes([21, 35], [12, 2]).batch(2));
    visitor.visit(&SeparableFilter::<u8>::convolution([6, 10, 8]).kernel(0, [1.0, -1.0]).kernel(1, [0.25, 0.5, 0.25]));
    visitor.visit(&DirectFilter::<f32>::convolution([20, 32], [3, 5], [0.5; 15]).edge(Edge::Wrap));
    visitor.visit(&DirectFilter::<f32>::correlation(300, 7, [0.5; 7]).mode(Mode::Valid));
    visitor.visit(&reduce::variance::<f32>([8, 300]).axes([1]));
    visitor.visit(&reduce::standard_deviation::<f16>([300, 8]).axes([0]).ddof(1));
    visitor.visit(&reduce::variance::<f64>(2000));
    let apart = Layout::strides([720, 3]).offset(1);
    visitor.visit(&reduce::sum::<f32>([30, 240]).input_layout(apart));
    visitor.visit(&reduce::sum::<f32>([30, 240]).axes([1]).input_layout(apart).across_devices());
    visitor.visit(&reduce::argmax::<f32>([30, 240]).axes([0]).input_layout(Layout::strides([256, 1])));
    for text in [
        "c2c fwd 64 x24",
        "c2c inv 256 x5 in-place",
        "c2c fwd 37 x16",
        "c2c fwd 1024 x2",
        "c2c inv 60x32",
        "c2c fwd 16x64 x2 in-place",
        "c2c fwd 64x16 axes=0",
        "c2c fwd 12x20 transposed",
        "c2c fwd 8x12x16",
        "r2c fwd 60 x5",
        "r2c fwd 67 x4",
        "r2c fwd 16x64",
        "c2r inv 64 x5",
        "c2r inv 15x30",
        "c2r inv 4x8x16",
    ] {
        fft(text, visitor);
    }
    // Fragments of the caller's, on either side, that store numbers and whole numbers of them.
    let levels = || Fragment::new("u32(clamp(100.0 + 8.0 * value.x, 0.0, 255.0))");
    visitor.visit(&C2c::forward([12, 20]).map_output::<u32>(levels()).unwrap());
    visitor.visit(
        &R2c::forward(60)
            .batch(5)
            .map_output::<[u8; 4]>(Fragment::new("vec4<u32>(clamp(vec4(value, -value) * 9.0 + 99.0, vec4(0.0), vec4(255.0)))"))
            .unwrap(),
    );
    visitor.visit(&C2r::inverse([8, 30]).map_input::<f32>(Fragment::new("vec2(value, 0.5)")).unwrap());
    visitor.visit(&frames::Case::new(200, 24, 7, 32).spec::<f32>().map_output::<f32>(Fragment::new("dot(value, value)")).unwrap());
    visitor.visit(&frames::Case::new(200, 24, 7, 32).spec::<f32>().map_output::<i32>(Fragment::new("i32(16.0 * value.x)")).unwrap());
    visitor.visit(&RadialAverage::new([20, 30]).map_input::<f32>(Fragment::new("value * value * f32(1u + i0)")).unwrap());
    visitor.visit(&RadialAverage::new([20, 30]).batch(2).map_input::<Complex32>(Fragment::new("length(value)")).unwrap());
    visitor.visit(&RadialAverage::new([9, 14]).map_input::<u8>(Fragment::new("f32(value) / 255.0")).unwrap());
    visitor.visit(&reduce::sum::<f32>([8, 300]).axes([1]).map_output::<u32>(Fragment::new("u32(value)")).unwrap());
    visitor.visit(&Permute::<f32>::transpose([35, 20]).map_output::<u32>(Fragment::new("u32(200.0 * value + 300.0)")).unwrap());
    type F16 = Complex<f16>;
    visitor.visit(&C2c::forward(64).batch(24).input_as::<F16>().output_as::<F16>());
    visitor.visit(&C2c::inverse([16, 64]).in_place().input_as::<F16>().output_as::<F16>().between_axes_as::<F16>());
    visitor.visit(&C2c::forward(64).f64().batch(24));
    visitor.visit(&C2c::inverse(37).f64().batch(5).in_place());
    visitor.visit(&C2c::forward([12, 20]).f64());
    visitor.visit(&R2c::forward(60).f64().batch(5));
    visitor.visit(&C2r::inverse([15, 30]).f64());
}

fn program<S: Spec>(spec: &S, recipe: &S::Recipe, profile: &DeviceProfile) -> Option<Program> {
    let program = spec.lower(recipe, profile).ok()?;
    program.check(profile).ok()?;
    Some(program)
}

/// Checks that lists contain no duplicates and not the recipe itself, and that at least half of
/// every list fits.
struct Sound {
    lists: usize,
    /// Whether to check the lists of some neighbours as well.
    further: bool,
}

impl Sound {
    fn check<S: Spec>(&mut self, what: &str, spec: &S, own: Option<&S::Recipe>, list: &[S::Recipe], profile: &DeviceProfile) {
        let distinct: HashSet<&S::Recipe> = list.iter().collect();
        assert_eq!(distinct.len(), list.len(), "{what} of {spec} on {}: twice", profile.name);
        assert!(own.is_none_or(|own| !distinct.contains(own)), "{what} of {spec} on {}: itself", profile.name);
        // Generating the texts of all of them would take long.
        let some: Vec<&S::Recipe> = list.iter().step_by(list.len().div_ceil(8).max(1)).collect();
        let unfit = some.iter().filter(|recipe| program(spec, recipe, profile).is_none());
        let unfit: Vec<String> = unfit.map(|recipe| format!("  {recipe}")).collect();
        println!("{spec:<45} {:<16} {what}: {}, unfit {} of {}", profile.name, list.len(), unfit.len(), some.len());
        // For an array larger than a binding, only lowering finds out which recipes can cut it.
        let cut =
            own.and_then(|own| program(spec, own, profile)).is_some_and(|program| program.inputs()[0].bytes() > profile.binding_bytes);
        let half = 2 * unfit.len() <= some.len();
        assert!(cut || half, "{what} of {spec} on {}, of {} unfit:\n{}", profile.name, some.len(), unfit.join("\n"));
        self.lists += 1;
    }
}

impl Visitor for Sound {
    fn visit<S: Spec>(&mut self, spec: &S) {
        for profile in profiles_of(spec) {
            let Ok(own) = spec.design(&profile) else { continue };
            if program(spec, &own, &profile).is_none() {
                continue;
            }
            let (alternatives, neighbours) = (spec.alternatives(&profile), spec.neighbours(&own, &profile));
            self.check("alternatives", spec, Some(&own), &alternatives, &profile);
            self.check("neighbours", spec, Some(&own), &neighbours, &profile);
            assert!(neighbours.len() <= 60, "{spec} on {} has {} neighbours", profile.name, neighbours.len());
            for recipe in share(alternatives.iter().chain(&neighbours).step_by(12), 2, 0).filter(|_| self.further).collect::<Vec<_>>() {
                if program(spec, recipe, &profile).is_some() {
                    self.check("neighbours further on", spec, Some(recipe), &spec.neighbours(recipe, &profile), &profile);
                }
            }
        }
    }
}

/// Of numbers of 16 bits a search tries accesses of two, along rows and across them, and of others
/// of one.
#[test]
fn numbers_of_16_bits_may_be_taken_in_twos() {
    type F16 = Complex<f16>;
    let profile = &profiles()[0];
    let is_wide = |recipe: &&recipes::fft::Recipe| recipe.to_string().contains(" width=2");
    for full in [C2c::forward(64).batch(24), C2c::forward([16, 64]).axes([0])] {
        let spec = full.clone().input_as::<F16>().output_as::<F16>();
        let neighbours = spec.neighbours(&spec.design(profile).unwrap(), profile);
        let wide: Vec<_> = neighbours.iter().filter(is_wide).filter(|recipe| program(&spec, recipe, profile).is_some()).collect();
        assert!(!wide.is_empty(), "{spec}");
        for recipe in wide {
            assert!(!spec.neighbours(recipe, profile).iter().all(|next| is_wide(&next)), "{spec}: no way back from {recipe}");
        }
        let neighbours = full.neighbours(&full.design(profile).unwrap(), profile);
        assert_eq!(neighbours.iter().filter(is_wide).count(), 0, "{full}");
    }
}

#[test]
fn lists_are_sound() {
    let mut sound = Sound { lists: 0, further: false };
    usual(&mut sound);
    sound.further = true;
    small(&mut sound);
    assert!(sound.lists > if asks_for_all() { 500 } else { 100 }, "{}", sound.lists);
}

/// An array with the values that a verification asks for.
fn filled<T: Element>(fill: TestInput, len: usize, seed: u32) -> Vec<T> {
    let bytes = len * size_of::<T>();
    let random = words(bytes / 2 + 8, seed);
    let part = |i: usize| f64::from(random[i] >> 8) / f64::from(1 << 24);
    let data: Vec<u8> = match fill {
        TestInput::Bits => random.iter().flat_map(|word| word.to_le_bytes()).collect(),
        TestInput::Numbers(Format::F32, a, b) => (0..bytes / 4).flat_map(|i| ((a + (b - a) * part(i)) as f32).to_le_bytes()).collect(),
        TestInput::Numbers(Format::F16, a, b) => {
            (0..bytes / 2).flat_map(|i| f16::from_f32((a + (b - a) * part(i)) as f32).to_le_bytes()).collect()
        }
        TestInput::Numbers(Format::Bf16, a, b) => {
            (0..bytes / 2).flat_map(|i| bf16::from_f32((a + (b - a) * part(i)) as f32).to_le_bytes()).collect()
        }
        TestInput::Numbers(Format::F64, a, b) => (0..bytes / 8).flat_map(|i| (a + (b - a) * part(i)).to_le_bytes()).collect(),
        other => unimplemented!("{other:?}"),
    };
    bytemuck::pod_collect_to_vec(&data[..bytes])
}

fn agree<T: Element>(verification: Verification, first: &[T], second: &[T]) -> bool {
    fn near(first: &[f64], second: &[f64], most: f64) -> bool {
        let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|x| x * x).sum::<f64>().sqrt();
        let apart = norm(&mut first.iter().zip(second).map(|(a, b)| a - b));
        apart <= most * norm(&mut first.iter().copied())
    }
    let [first, second]: [&[u8]; 2] = [bytemuck::cast_slice(first), bytemuck::cast_slice(second)];
    let values = |bytes: &[u8], each: usize, value: &dyn Fn(&[u8]) -> f64| bytes.chunks(each).map(value).collect::<Vec<f64>>();
    let of = |each, value: &dyn Fn(&[u8]) -> f64, most| near(&values(first, each, value), &values(second, each, value), most);
    match verification.output {
        Tolerance::Bits => first == second,
        Tolerance::Numbers(Format::F16, most) => of(2, &|x| f16::from_le_bytes(x.try_into().unwrap()).to_f64(), most),
        Tolerance::Numbers(Format::Bf16, most) => of(2, &|x| bf16::from_le_bytes(x.try_into().unwrap()).to_f64(), most),
        Tolerance::Numbers(Format::F32, most) => of(4, &|x| f32::from_le_bytes(x.try_into().unwrap()).into(), most),
        Tolerance::Numbers(Format::F64, most) => of(8, &|x| f64::from_le_bytes(x.try_into().unwrap()), most),
        Tolerance::Integers { bits, signed, tolerance } => {
            let whole = |bytes: &[u8]| {
                let number = bytes.iter().rev().fold(0, |number, &byte| number << 8 | i64::from(byte));
                if signed { (number << (64 - bits)) >> (64 - bits) } else { number }
            };
            let pairs = first.chunks(bits as usize / 8).zip(second.chunks(bits as usize / 8)).map(|(a, b)| [a, b].map(whole));
            pairs.into_iter().all(|[a, b]| (b - a).abs() as f64 <= (tolerance * a.abs() as f64).max(1.0))
        }
        other => unimplemented!("{other:?}"),
    }
}

fn run<S: Spec>(program: &Program, inputs: &[Vec<S::Input>; 2]) -> Vec<S::Output> {
    let [x, y] = inputs.each_ref().map(|input| &input[..program.inputs()[0].len]);
    if program.inputs().len() == 2 { program.run_two_on_host(x, y) } else { program.run_on_host(x) }
}

/// Checks that every recipe of the space computes the same as the baseline.
struct Right {
    recipes: usize,
    /// Requires equal bits, whatever the tolerance is.
    bits: bool,
}

impl Visitor for Right {
    fn visit<S: Spec>(&mut self, spec: &S) {
        let verification = if self.bits { Verification { output: Tolerance::Bits, ..spec.verification() } } else { spec.verification() };
        let all = profiles();
        let mut expected: Option<Vec<S::Output>> = None;
        let mut seen = HashSet::new();
        for profile in &all {
            let (Ok(baseline), Ok(own)) = (spec.baseline(profile), spec.design(profile)) else { continue };
            let plain = program(spec, &baseline, profile).unwrap_or_else(|| panic!("{spec} on {}: {baseline}", profile.name));
            let inputs = [1, 2].map(|seed| filled(verification.input, plain.inputs()[0].len.max(plain.output().len), seed));
            let expected = expected.get_or_insert_with(|| run::<S>(&plain, &inputs));
            let alternatives = spec.alternatives(profile);
            // Also from the baseline and from the most different recipe, where devices differ the
            // most.
            let far = [&baseline, alternatives.last().unwrap_or(&own)].into_iter().filter(|_| profile.subgroups);
            let from = [&own].into_iter().chain(far);
            let neighbours: Vec<S::Recipe> = from.flat_map(|recipe| spec.neighbours(recipe, profile)).collect();
            for recipe in [baseline.clone(), own.clone()].into_iter().chain(share(alternatives.clone().into_iter().chain(neighbours), 4, 0))
            {
                let Some(program) = program(spec, &recipe, profile).filter(|_| seen.insert(recipe.clone())) else { continue };
                let actual = run::<S>(&program, &inputs);
                assert!(agree(verification, expected, &actual), "{spec} on {} by {recipe}", profile.name);
                self.recipes += 1;
            }
        }
    }
}

#[test]
fn every_recipe_around_the_rules_is_right() {
    let mut right = Right { recipes: 0, bits: false };
    small(&mut right);
    assert!(right.recipes > if asks_for_all() { 1000 } else { 300 }, "{}", right.recipes);
}

#[test]
fn neighbours_across_devices_keep_the_order() {
    let mut right = Right { recipes: 0, bits: true };
    right.visit(&reduce::sum::<f32>(30_000).across_devices());
    right.visit(&reduce::sum::<f32>([3000, 20]).axes([0]).across_devices());
    right.visit(&reduce::product::<Complex32>([20, 3000]).axes([1]).across_devices());
    assert!(right.recipes > if asks_for_all() { 40 } else { 15 }, "{}", right.recipes);
}

/// Checks that two steps lead back from most neighbours.
struct Reversible {
    there: usize,
    back: usize,
}

impl Visitor for Reversible {
    fn visit<S: Spec>(&mut self, spec: &S) {
        for profile in profiles() {
            let Ok(own) = spec.design(&profile) else { continue };
            for (i, there) in spec.neighbours(&own, &profile).into_iter().enumerate() {
                if program(spec, &there, &profile).is_none() {
                    continue;
                }
                let next = spec.neighbours(&there, &profile);
                let back = next.contains(&own) || next.iter().any(|next| spec.neighbours(next, &profile).contains(&own));
                self.there += 1;
                self.back += usize::from(back);
                if !back {
                    println!("{spec} on {}: no way back from neighbour {i}, {there}", profile.name);
                }
            }
        }
    }
}

#[test]
fn most_steps_can_be_taken_back() {
    let mut reversible = Reversible { there: 0, back: 0 };
    reversible.visit(&Permute::<f32>::transpose([35, 64]).batch(2));
    reversible.visit(&Permute::<f32>::new([5, 16, 12], [1, 0, 2]));
    reversible.visit(&reduce::sum::<f32>(20_000));
    reversible.visit(&reduce::sum::<f32>([300, 24]).axes([0]));
    reversible.visit(&boxes([20, 36], [3, 4]));
    reversible.visit(&DirectFilter::<f32>::convolution([20, 32], [3, 5], [0.5; 15]));
    for text in ["c2c fwd 256 x24", "c2c fwd 64x48", "r2c fwd 60 x30"] {
        fft(text, &mut reversible);
    }
    let Reversible { there, back } = reversible;
    assert!(there > 100 && 10 * back >= 9 * there, "{back} of {there}");
}

#[test]
fn known_recipes_are_within_reach() {
    let [h200, lavapipe, ..] = &profiles()[..] else { panic!() };
    let spec = Permute::<f32>::transpose([1024, 1024]);
    for (profile, kind) in [(h200, "blocks"), (h200, "tiled"), (h200, "naive 256x1"), (h200, "naive 1x256"), (lavapipe, "tiles")] {
        let alternatives = spec.alternatives(profile);
        assert!(alternatives.iter().any(|recipe| recipe.to_string().starts_with(kind)), "{kind}: {alternatives:?}");
    }
    // From registers to lanes, as reviewed.
    for text in ["c2c fwd 1024 x1024", "c2c fwd 1024x1024"] {
        let spec: C2c = text.parse().unwrap();
        let registers = spec.design(&lavapipe.with(|profile| profile.subgroups = false)).unwrap();
        let lanes = "lanes 32.32 lanes=8 width=4 invocations=64";
        // The rules take it where it is compiled fast enough, a search in any case.
        let near = [spec.neighbours(&registers, lavapipe), spec.alternatives(lavapipe)].concat();
        assert!(near.iter().any(|recipe| recipe.to_string().contains(lanes)), "{text}");
        assert!(spec.alternatives(lavapipe).contains(&registers), "{text}");
    }
    // Both axes of a filter in one dispatch, one after the other, and with transposes.
    let spec = boxes([1080, 1920], [31, 31]);
    for kind in ["axis 1: tile", "axis 1: straight", "axes 0,1: tile", "transpose: "] {
        for profile in [h200, lavapipe] {
            let own = spec.design(profile).unwrap();
            let all = [vec![own], spec.alternatives(profile)].concat();
            assert!(all.iter().any(|recipe| recipe.to_string().contains(kind)), "{kind}: {all:?}");
        }
    }
    // One pass becomes two, the radices change their order, or transposes are added.
    let spec = C2c::forward([2048, 2048]);
    let own = spec.design(h200).unwrap();
    let near: Vec<String> = spec.neighbours(&own, h200).iter().map(ToString::to_string).collect();
    for part in ["stockham 32.64 lanes=32", "stockham 8.16.16 lanes=128", "block=8x16", " + stockham"] {
        assert!(near.iter().any(|recipe| recipe.contains(part)), "{part} is not among\n{}", near.join("\n"));
    }
    assert!(matches!(spec.alternatives(h200).last(), Some(recipes::fft::Recipe::Transposed { .. })));
}

#[test]
fn baselines_are_plain() {
    for profile in profiles() {
        fn of<S: Spec>(spec: &S, profile: &DeviceProfile) -> String {
            let recipe = spec.baseline(profile).unwrap();
            assert!(program(spec, &recipe, profile).is_some(), "{spec} on {}: {recipe}", profile.name);
            recipe.to_string()
        }
        assert_eq!(of(&Permute::<f32>::transpose([30, 40]), &profile), "naive 16x16");
        assert_eq!(of(&Permute::<f32>::new([4, 5, 6], [2, 1, 0]), &profile), "strided 16x16 elements=1");
        assert_eq!(of(&Permute::<u8>::new([4, 5, 7], [2, 1, 0]), &profile), "gather 16x16");
        assert_eq!(of(&Permute::<u8>::transpose([31, 31]).in_place(), &profile), "swap 16x16");
        assert!(of(&Permute::<f32>::transpose([32, 32]).in_place(), &profile).starts_with("blocks 16x16 width=4"));
        assert_eq!(of(&reduce::sum::<f32>(1 << 20), &profile), "tree 256");
        assert!(of(&reduce::sum::<f32>([64, 64]).axes([1]), &profile).starts_with("workgroup="));
        assert!(of(&C2c::forward([64, 32]), &profile).starts_with("rows: radix2 rows=4 lanes=16; columns: radix2"));
        assert!(of(&C2c::forward(1024).batch(3), &profile).starts_with("axis 0: radix2"));
        // Where there is no plain kernel, it is what the rules choose.
        let kernel = if profile.is_cpu() && profile.subgroup_sizes == [8; 2] { "halves: lanes" } else { "halves: stockham" };
        assert!(of(&R2c::forward(1024), &profile).contains(kernel), "{}", profile.name);
        assert!(of(&C2c::forward([100, 64]), &profile).contains("axis 1"));
        let plain = "straight 1x64 block=1x1 width=1";
        assert_eq!(of(&boxes([30, 40], [3, 5]), &profile), format!("axis 1: {plain}; axis 0: {plain}"));
    }
    let tiny = DeviceProfile::webgpu_defaults().with(|profile| {
        profile.invocations = 16;
        profile.workgroup_size = [16, 16, 16];
    });
    assert_eq!(reduce::sum::<f32>(1000).baseline(&tiny).unwrap().to_string(), "tree 16");
    assert_eq!(Permute::<f32>::transpose([30, 40]).baseline(&tiny).unwrap().to_string(), "naive 8x1");
}

/// A faulty computation that replaces a thousandth of the elements by the identity element. It must
/// be detected.
struct Losing<'a> {
    nothing: &'a [u8],
}

impl Visitor for Losing<'_> {
    fn visit<S: Spec>(&mut self, spec: &S) {
        let (profile, verification) = (&profiles()[0], spec.verification());
        let program = program(spec, &spec.design(profile).unwrap(), profile).unwrap();
        let inputs = [3, 4].map(|seed| filled(verification.input, program.inputs()[0].len, seed));
        let right = run::<S>(&program, &inputs);
        assert!(agree(verification, &right, &right), "{spec} does not agree with itself: {:?}", bytemuck::cast_slice::<_, u8>(&right));
        for phase in 0..20 {
            let losing = inputs.each_ref().map(|input| {
                let mut input = input.clone();
                for element in input.iter_mut().skip(phase * 37).step_by(1000) {
                    *element = bytemuck::pod_read_unaligned(self.nothing);
                }
                input
            });
            assert!(!agree(verification, &right, &run::<S>(&program, &losing)), "{spec} loses elements from {}", phase * 37);
        }
    }
}

#[test]
fn a_thousandth_of_the_elements_is_missed() {
    let n = 20_000;
    let mut zeros = Losing { nothing: &[0; 8] };
    let zeros4 = &mut Losing { nothing: &[0; 4] };
    zeros4.visit(&reduce::sum::<f32>(n));
    zeros4.visit(&reduce::sum::<f32>([20, 1000]).axes([1]));
    zeros4.visit(&reduce::sum_abs::<f32>(n));
    zeros4.visit(&reduce::mean::<f32>(n));
    zeros4.visit(&reduce::norm::<f32>(n));
    zeros4.visit(&reduce::sum_squares::<f32>(n));
    zeros4.visit(&reduce::dot::<f32>(n));
    zeros4.visit(&reduce::count::<f32>(n));
    zeros4.visit(&reduce::sum::<u32>(n));
    zeros4.visit(&reduce::dot::<i32>(n));
    zeros4.visit(&reduce::count::<i32>(n));
    zeros4.visit(&boxes([100, 200], [7, 31]));
    zeros4.visit(&DirectFilter::<f32>::correlation([100, 200], [5, 5], [-0.5; 25]));
    Losing { nothing: &[0; 1] }.visit(&SeparableFilter::<u8>::correlation([100, 200]).kernel(1, [-1.0, 0.0, 1.0]));
    Losing { nothing: &[0; 2] }.visit(&reduce::sum::<f16>(n));
    Losing { nothing: &[0; 2] }.visit(&reduce::norm::<f16>(n));
    zeros.visit(&reduce::sum::<f64>(n));
    zeros.visit(&reduce::mean::<f64>(n));
    zeros.visit(&reduce::sum::<Complex32>(n));
    zeros.visit(&reduce::dot::<Complex32>(n));
    zeros.visit(&reduce::vdot::<Complex32>(n));
    zeros.visit(&reduce::norm::<Complex32>(n));
    zeros.visit(&reduce::mean::<Complex32>(n));
    Losing { nothing: &1f32.to_le_bytes() }.visit(&reduce::product::<f32>(n));
    Losing { nothing: &f16::ONE.to_le_bytes() }.visit(&reduce::product::<f16>(n));
    Losing { nothing: &1f64.to_le_bytes() }.visit(&reduce::product::<f64>(n));
    Losing { nothing: bytemuck::bytes_of(&Complex32::ONE) }.visit(&reduce::product::<Complex32>(n));
    Losing { nothing: &1u32.to_le_bytes() }.visit(&reduce::product::<u32>(n));
}

/// Extrema change only if the deciding element is lost, and no NaN may hide that. Custom operators
/// are compared like sums.
fn verification_of(spec: &impl wgpu_fft::low_level::tune::Tunable) -> Verification {
    spec.verification()
}

#[test]
fn extrema_miss_the_element_that_decides() {
    let profile = &profiles()[0];
    fn check<S: Spec<Input = f32>>(spec: &S, profile: &DeviceProfile, at: impl Fn(&[f32]) -> usize) {
        let (verification, n) = (spec.verification(), 20_000);
        let mut x: Vec<f32> = filled(verification.input, n, 5);
        let program = program(spec, &spec.design(profile).unwrap(), profile).unwrap();
        let right: Vec<S::Output> = program.run_on_host(&x);
        let at = at(&x);
        x[at] = 0.0;
        assert!(!agree(verification, &right, &program.run_on_host(&x)), "{spec}");
    }
    let least = |x: &[f32]| (0..x.len()).min_by(|a, b| x[*a].total_cmp(&x[*b])).unwrap();
    let most = |x: &[f32]| (0..x.len()).max_by(|a, b| x[*a].total_cmp(&x[*b])).unwrap();
    check(&reduce::min::<f32>(20_000), profile, least);
    check(&reduce::argmin::<f32>(20_000), profile, least);
    check(&reduce::max::<f32>(20_000), profile, most);
    check(&reduce::argmax::<f32>(20_000), profile, most);
    let custom = reduce::custom::<f32>(20_000, "a + b", 0.0).unwrap();
    assert_eq!(verification_of(&custom), verification_of(&reduce::sum::<f32>(20_000)));
    assert_eq!(verification_of(&reduce::custom::<u32>(20_000, "a ^ b", 0).unwrap()), Verification::EXACT);
}

/// A fragment adds rounding of its own to that of the operation. So the results of an operation with
/// one are compared as those without are, or as whole numbers; never by their bits, by which right
/// recipes would be marked as wrong.
#[test]
fn no_result_of_a_fragment_is_compared_by_its_bits() {
    let float = || Fragment::new("value * 0.5");
    let real = || Fragment::new("value.x");
    let whole = || Fragment::new("i32(value.x)");
    let whole_of_real = || Fragment::new("u32(value)");
    let signal = frames::Case::new(200, 24, 7, 32);
    let response = || Fragment::new("value * f0");
    fn output(spec: &impl wgpu_fft::low_level::tune::Tunable) -> Tolerance {
        spec.verification().output
    }
    let rings = || RadialAverage::new([9, 14]);
    for (with, without) in [
        (output(&rings().map_input::<f32>(float()).unwrap()), output(&rings())),
        (output(&rings().map_input::<Complex32>(real()).unwrap()), output(&rings())),
        (output(&signal.spec::<f32>().map_output::<f32>(real()).unwrap()), output(&signal.spec::<f32>())),
        (output(&C2c::forward(12).map_output::<f32>(real()).unwrap()), output(&C2c::forward(12))),
        (output(&C2c::forward(12).map_input::<Complex32>(float()).unwrap()), output(&C2c::forward(12))),
        (output(&R2c::forward(12).map_input::<f32>(float()).unwrap()), output(&R2c::forward(12))),
        (output(&C2r::inverse(12).map_output::<f32>(float()).unwrap()), output(&C2r::inverse(12))),
        (output(&R2r::new(wgpu_fft::fft::RealKind::DctII, 12).map_output::<f32>(float()).unwrap()), output(&C2c::forward(12))),
    ] {
        assert_eq!(with, without);
        assert!(matches!(with, Tolerance::Numbers(Format::F32, _)));
    }
    for own in [
        output(&Permute::<f32>::transpose([3, 4]).map_input::<f32>(float()).unwrap()),
        output(&reduce::sum::<f32>(100).map_input::<f32>(float()).unwrap()),
        output(&reduce::sum::<f32>(100).map_output::<f32>(float()).unwrap()),
        output(&wgpu_fft::signal::SpectralFilter::real([40], response()).unwrap()),
    ] {
        assert!(matches!(own, Tolerance::Numbers(Format::F32, _)), "{own:?}");
    }
    for (own, bits, signed) in [
        (output(&C2c::forward(12).map_output::<i32>(whole()).unwrap()), 32, true),
        (output(&signal.spec::<f32>().map_output::<i32>(whole()).unwrap()), 32, true),
        (output(&C2r::inverse(12).map_output::<u32>(whole_of_real()).unwrap()), 32, false),
        (output(&C2r::inverse(12).map_output::<[u8; 4]>(Fragment::new("vec4(u32(value))")).unwrap()), 8, false),
        (output(&reduce::sum::<f32>(100).map_output::<u32>(whole_of_real()).unwrap()), 32, false),
        (output(&Permute::<f32>::transpose([3, 4]).map_output::<u32>(whole_of_real()).unwrap()), 32, false),
    ] {
        let right = matches!(own, Tolerance::Integers { bits: its, signed: own, .. } if (its, own) == (bits, signed));
        assert!(right, "{own:?}");
    }
}

/// No loop runs too long on a processor, wherever a search goes. This includes the loop over parts.
#[test]
fn no_recipe_around_another_turns_too_often() {
    let lavapipe = profiles().remove(1);
    let spec = reduce::sum::<f32>(1 << 27);
    let mut recipe = spec.design(&lavapipe).unwrap();
    for _ in 0..12 {
        let near = spec.neighbours(&recipe, &lavapipe);
        assert!(near.iter().all(|recipe| spec.lower(recipe, &lavapipe).is_ok()));
        // Where the longest loops are: fewer parts, lanes, accesses at once.
        let of = |recipe: &wgpu_fft::low_level::recipes::reduce::Recipe| match recipe {
            wgpu_fft::low_level::recipes::reduce::Recipe::Passes(passes) => {
                passes[0].parts * passes[0].lanes * passes[0].accumulators * passes[0].unroll
            }
            _ => u32::MAX,
        };
        recipe = near.into_iter().min_by_key(of).unwrap();
    }
    let spec = reduce::sum::<f32>(1 << 17);
    let text = "workgroup=1 lanes=1 parts=65536 join";
    let error = spec.lower(&text.parse().unwrap(), &lavapipe).unwrap_err().to_string();
    assert!(error.contains("a loop would run 65536 times"), "{error}");
    assert!(spec.lower(&text.parse().unwrap(), &profiles()[0]).is_ok());
}

/// The rules take three passes, which are faster on some GPUs alone.
#[test]
fn long_rows_are_also_tried_in_two_passes() {
    let (spec, profile) = (C2c::forward(1 << 24), &profiles()[0]);
    let near = spec.neighbours(&spec.design(profile).unwrap(), profile);
    let in_two: recipes::fft::Recipe =
        "axis 0: stockham 64.64 lanes=64 lines=4 pieces=2 block=16x4 + stockham 64.64 lanes=64 lines=4 pieces=2".parse().unwrap();
    assert!(near.contains(&in_two), "{near:#?}");
}

/// Nonsensical recipes never cause a panic. They may have neighbours or none.
#[test]
fn senseless_recipes_do_no_harm() {
    let profile = &profiles()[0];
    let spec = C2c::forward([16, 64]);
    for text in [
        "axis 1: stockham 0 lanes=0 lines=0; axis 0: stockham 16 lanes=1",
        "axis 1: stockham 8.8 lanes=0; axis 0: stockham 16 lanes=1 lines=0",
        "axis 1: stockham 8.8 lanes=8 pieces=0; axis 0: stockham 16 lanes=1",
        "axis 1: stockham 8.8 lanes=4294967295 lines=4294967295; axis 0: stockham 4.4 lanes=4294967295 block=0x0",
        "axis 1 bluestein 4294967295: stockham 8.8 lanes=8; axis 0: stockham 16 lanes=1",
        "axis 1: lanes 0.0 lanes=0 width=0 invocations=0; axis 0: lanes 4294967295.2 lanes=8 width=4 invocations=8",
        "axis 1: radix2 rows=0 lanes=4294967295; axis 0: radix2 rows=4294967295 lanes=4294967295",
        "rows: radix2 rows=0 lanes=0; columns: stockham 1 lanes=1; transpose: naive 0x0",
        "rows: stockham 8.8 lanes=4294967295; columns: lanes 16.1 lanes=1 width=1 invocations=8; transpose: tiles 0x0 width=0 blocks=0",
    ] {
        spec.neighbours(&text.parse().unwrap(), profile);
    }
    let spec = reduce::sum::<f32>([10, 1000]).axes([1]);
    for text in ["tree 0", "tree 4294967295", "workgroup=0 lanes=0 parts=0", "workgroup=4294967295 lanes=4294967295 width=4294967295"] {
        spec.neighbours(&text.parse().unwrap(), profile);
    }
    let spec = boxes([20, 30], [3, 5]);
    for text in [
        "axis 1: tile 0x0 block=0x0 width=0; axis 0: tile 1x1",
        "axis 1: tile 65536x65536; axis 0: tile 65536x65536 block=16x1",
        "axis 1: tile 4294967295x4294967295 block=4294967295x4294967295 width=4294967295; axis 0: tile 1x1",
        "axis 4294967295: tile 1x1; axes 4294967294,4294967295: tile 1x1",
        "axes 0,0: tile 1x1",
        "transpose: naive 0x0; axis 0: tile 4x4; transpose: naive 0x0; axis 1: tile 4x4",
    ] {
        spec.neighbours(&text.parse().unwrap(), profile);
        assert!(spec.lower(&text.parse().unwrap(), profile).is_err(), "{text}");
    }
    let spec = Permute::<f32>::transpose([20, 30]);
    for text in [
        "naive 0x4294967295",
        "tiled 0+0 elements=0",
        "tiled 4294967295+4294967295 elements=4294967295",
        "tiles 4294967295x4294967295 width=4294967295 blocks=4294967295",
        "blocks 0x0 width=0 blocks=0",
        "strided 4294967295x0 elements=4294967295",
    ] {
        spec.neighbours(&text.parse().unwrap(), profile);
    }
}
