//! The same arithmetic on several devices. The recipe of one device, adapted to another, gives
//! equal bits, and so do the parts of a transform, however it is cut.
//!
//! Processors must agree in every bit for every recipe: `src/fft/emit/codelets.rs` explains how texts
//! are written so that their drivers change nothing. GPUs may fuse multiplications and additions,
//! so they are not compared with other devices.

use std::ops::Range;

use wgpu_fft::fft::C2c;
use wgpu_fft::half::f16;
use wgpu_fft::low_level::recipes::fft::Adapt;
use wgpu_fft::low_level::recipes::fft::{PassRecipe, Recipe};
use wgpu_fft::num_complex::{Complex, Complex64};
use wgpu_fft::{Complex32, DeviceProfile, Spec, wgpu};

use crate::harness::*;
use crate::oracles_by_fftw::Number;
use crate::recipes_by_hand::{COMPLEX, LANES};

const LENGTHS: &[&str] = &[
    "c2c fwd 8 x40",
    "c2c inv 17 x9",
    "c2c fwd 64 x33",
    "c2c fwd 1000 x3",
    "c2c fwd 1009 x3",
    "c2c fwd 1024 x5",
    "c2c inv 1155 x2 1/n",
    "c2c fwd 1920 x2",
    "c2c fwd 4096 x3",
    "c2c fwd 61x53",
    "c2c inv 17x5 x3 1/n",
    "c2c fwd 8x3",
    "c2c fwd 108x192 1/sqrt(n)",
    "c2c fwd 12x10x14",
    "r2c fwd 61x53",
    "r2c fwd 1000 x4",
    "r2c fwd 64 x3",
    "r2c fwd 45 x3",
    "r2c fwd 61 x2",
    "r2r dct2 24x20",
    "r2r dct3,dct4 12x16 x3",
    "r2r dst1 15 x3",
    "r2r hartley 12 x3",
    "c2r inv 61x53",
    "c2r inv 1000 x4",
    "c2r inv 61 x3",
    "c2r inv 18x20 x3 1/n",
];

/// Single rows of reals, and convolutions of few values, in one pass and in two. In these, zeros
/// are multiplied and results are dropped. The default rules choose such recipes only for long
/// rows.
const REALS_BY_HAND: &[(&str, &str)] = &[
    ("r2c fwd 45 x3", "axis 0: stockham 15.3 lanes=3"),
    ("r2c fwd 240 x3", "axis 0: stockham 12.20 lanes=12"),
    ("r2c fwd 77 x3", "axis 0: stockham 11.7 lanes=7"),
    ("r2c fwd 61 x3", "axis 0 bluestein 128: stockham 16.8 lanes=8"),
    ("r2c fwd 13 x3", "axis 0 bluestein 32: stockham 8 lanes=1 + stockham 4 lanes=1"),
    ("c2r inv 45 x3", "axis 0: stockham 15.3 lanes=3"),
    ("c2r inv 64 x3", "axis 0: stockham 8.8 lanes=8"),
    ("c2r inv 61 x3", "axis 0 bluestein 128: stockham 16.8 lanes=8"),
    ("c2r inv 13 x3", "axis 0 bluestein 30: stockham 30 lanes=1"),
    ("r2c fwd 128 x3", "axis 0 halves: lanes 8.8 lanes=2 width=4 invocations=64"),
    ("r2c fwd 90 x3", "axis 0 halves: lanes 9.5 lanes=2 width=1 invocations=64"),
    ("c2r inv 128 x3", "axis 0 halves: lanes 8.8 lanes=2 width=4 invocations=64"),
    ("c2r inv 90 x3", "axis 0 halves: lanes 9.5 lanes=2 width=1 invocations=64"),
];

fn is_processor(device: &Device) -> bool {
    device.adapter.get_info().device_type == wgpu::DeviceType::Cpu
}

/// The result of a device with the adapted recipe of another.
fn adapted<S: Adapt>(device: &Device, spec: &S, recipe: &Recipe, input: &[S::Input]) -> Vec<S::Output> {
    let own = spec.adapted(recipe, device.gpu().profile()).unwrap_or_else(|error| panic!("{}: {error}", device.name));
    let plan = device.planner.plan_with(spec.clone(), own).unwrap();
    run_guarded(device, &plan, input)
}

/// Pairs of devices that round alike, in both orders, with planners of their own.
fn pairs() -> Vec<[Device; 2]> {
    let processors: Vec<&Device> = devices().iter().filter(|device| is_processor(device)).collect();
    let mut pairs = Vec::new();
    for (i, a) in processors.iter().enumerate() {
        pairs.extend(processors[..i].iter().flat_map(|b| [[a.alone(), b.alone()], [b.alone(), a.alone()]]));
    }
    if pairs.is_empty() {
        println!("there are no two processors to compare");
    }
    pairs
}

pub fn adapted_recipes_give_equal_bits() {
    fn compare<S: Adapt>([a, b]: &[Device; 2], spec: &S, recipe: Option<Recipe>, input: &[S::Input]) {
        let recipe = recipe.unwrap_or_else(|| spec.design(a.gpu().profile()).unwrap());
        let (expected, actual) = (adapted(a, spec, &recipe, input), adapted(b, spec, &recipe, input));
        let different = (0..expected.len()).filter(|&i| bytemuck::bytes_of(&actual[i]) != bytemuck::bytes_of(&expected[i])).count();
        assert!(different == 0, "{different} of {} elements differ: `{spec}` by `{recipe}` on {} and {}", expected.len(), a.name, b.name);
    }
    for pair in &pairs() {
        let by_hand = REALS_BY_HAND.iter().map(|(text, recipe)| (text, Some(*recipe)));
        for (text, recipe) in pair[0].share(LENGTHS.iter().map(|text| (text, None)).chain(by_hand), 2, 0) {
            let recipe = recipe.map(|recipe| recipe.parse::<Recipe>().unwrap());
            let len = |len: usize| (len, len as u64);
            match &text[..3] {
                "c2c" => {
                    let spec: C2c = text.parse().unwrap();
                    let (len, seed) = len(spec_len(&spec, pair));
                    compare(pair, &spec, recipe, &complex_noise(len, seed));
                }
                "r2c" => {
                    let spec: wgpu_fft::fft::R2c = text.parse().unwrap();
                    let (len, seed) = len(spec_len(&spec, pair));
                    compare(pair, &spec, recipe, &noise(len, seed));
                }
                "r2r" => {
                    let spec: wgpu_fft::fft::R2r = text.parse().unwrap();
                    let (len, seed) = len(spec_len(&spec, pair));
                    compare(pair, &spec, recipe, &noise(len, seed));
                }
                _ => {
                    let spec: wgpu_fft::fft::C2r = text.parse().unwrap();
                    let (len, seed) = len(spec_len(&spec, pair));
                    compare(pair, &spec, recipe, &complex_noise(len, seed));
                }
            }
        }
    }
    // Numbers of 16 bits are rounded alike.
    for pair in &pairs() {
        for text in ["c2c fwd 1000 x3", "c2c inv 61x53 1/n"] {
            let spec: C2c = text.parse().unwrap();
            let spec = spec.input_as::<Complex<f16>>().output_as::<Complex<f16>>().between_axes_as::<Complex<f16>>();
            let len = spec_len(&spec, pair);
            compare(pair, &spec, None, &bytemuck::pod_collect_to_vec(&crate::halves::numbers::<f16>(2 * len, 3)));
        }
    }
    // Every form of the lanes kernel, once.
    if let Some(pair) = pairs().first() {
        for (shape, recipes) in LANES {
            let shape: Vec<String> = shape.iter().map(usize::to_string).collect();
            for (i, recipe) in recipes.iter().enumerate().filter(|(i, _)| *i < 2 || pair[0].is_thorough()) {
                let spec: C2c = format!("c2c {} {} x5", if i % 2 == 0 { "fwd" } else { "inv" }, shape.join("x")).parse().unwrap();
                let len = spec_len(&spec, pair);
                compare(pair, &spec, Some(recipe.parse().unwrap()), &complex_noise(len, 5));
            }
        }
    }
}

fn spec_len<S: Spec>(spec: &S, [a, _]: &[Device; 2]) -> usize {
    let profile = a.gpu().profile();
    spec.lower(&spec.design(profile).unwrap(), profile).unwrap().inputs()[0].len
}

/// The recipe that the rules choose, one axis after the other.
fn designed<S: Adapt>(spec: &S, profile: &DeviceProfile) -> Recipe {
    spec.axes_apart(&spec.design(profile).unwrap()).unwrap()
}

/// The parts of a recipe for some axes, without blocks between axes, which do not affect the bits
/// that are tested here.
fn of_axes(recipe: &Recipe, axes: &[(usize, usize)]) -> Recipe {
    let Recipe::Axes(all) = recipe else { panic!("no rule chooses {recipe}") };
    assert!(all.iter().all(|own| own.through == own.axis), "{recipe} has axes together");
    let mut parts = Vec::new();
    for own in all {
        if let Some((_, to)) = axes.iter().find(|(from, _)| *from == own.axis) {
            let mut part = own.clone();
            (part.axis, part.through) = (*to, *to);
            if let Some(PassRecipe::Stockham(last)) = part.passes.last_mut() {
                last.block = None;
            }
            parts.push(part);
        }
    }
    Recipe::Axes(parts)
}

/// 0..n in three or four unequal parts that begin at multiples of `alignment`. One part is as short
/// as possible.
fn cuts(n: usize, alignment: usize) -> Vec<Range<usize>> {
    let third = n / 3 / alignment * alignment;
    let mut at = vec![0, third, (third + alignment).min(n), (n * 3 / 4 / alignment * alignment).max(third + alignment).min(n), n];
    at.dedup();
    at.windows(2).map(|two| two[0]..two[1]).collect()
}

/// Devices that take parts in rotation.
struct Parts<'a> {
    devices: Vec<&'a Device>,
    next: std::cell::Cell<usize>,
}

impl Parts<'_> {
    fn run<S>(&self, text: String, recipe: &Recipe, input: &[S::Input]) -> Vec<S::Output>
    where
        S: Adapt + std::str::FromStr<Err = wgpu_fft::Error>,
    {
        let i = self.next.replace(self.next.get() + 1);
        adapted(self.devices[i % self.devices.len()], &text.parse::<S>().unwrap(), recipe, input)
    }

    /// Transforms axis 0 of a matrix, some columns at a time.
    fn columns(&self, direction: &str, [rows, columns]: [usize; 2], factor: &str, recipe: &Recipe, data: &mut [Complex32]) {
        for own in cuts(columns, 1) {
            let slab: Vec<Complex32> = (0..rows).flat_map(|r| own.clone().map(move |c| r * columns + c)).map(|i| data[i]).collect();
            let text = format!("c2c {direction} {rows}x{} axes=0{factor}", own.len());
            let recipe = if own.len() == 1 && columns > 1 { recipe.for_single_column(0) } else { recipe.clone() };
            let slab = self.run::<C2c>(text, &recipe, &slab);
            for (i, value) in slab.into_iter().enumerate() {
                data[i / own.len() * columns + own.start + i % own.len()] = value;
            }
        }
    }

    /// Transforms whole arrays of shape `inner`, some at a time.
    fn batches<S>(
        &self,
        kind: &str,
        inner: &[usize],
        [from, to]: [usize; 2],
        factor: &str,
        recipe: &Recipe,
        data: &[S::Input],
    ) -> Vec<S::Output>
    where
        S: Adapt + std::str::FromStr<Err = wgpu_fft::Error>,
    {
        let shape: Vec<String> = inner.iter().map(usize::to_string).collect();
        let cuts = cuts(data.len() / from, 1);
        let slabs = cuts.into_iter().map(|own| {
            let text = format!("{kind} {} x{}{factor}", shape.join("x"), own.len());
            self.run::<S>(text, recipe, &data[own.start * from..own.end * from])
        });
        let all: Vec<S::Output> = slabs.flatten().collect();
        assert_eq!(all.len(), data.len() / from * to);
        all
    }
}

/// Equal bits on processors. A GPU's compiler may fuse other operations in the shaders of parts, so
/// there the results are only as near as two that are both within the bound of accuracy.
fn assert_alike<T: Number>(devices: &[&Device], actual: &[T], expected: &[T], context: &str) {
    if devices.iter().all(|device| is_processor(device)) {
        return assert_equal_bits(actual, expected, context);
    }
    let [actual, expected] = [actual, expected].map(|data| data.iter().map(|number| number.wide()).collect::<Vec<Complex64>>());
    let difference = relative_error(&actual, &expected);
    assert!(difference < 5e-7, "{context}: they differ by {difference:.1e}");
}

/// Two or three axes: planes or rows first, then the first axis. From spectra to reals, the order
/// is reversed.
fn check_parts(devices: &[&Device], shape: &[usize]) {
    let parts = Parts { devices: devices.to_vec(), next: std::cell::Cell::new(0) };
    let first = devices[0];
    let profile = first.gpu().profile();
    let text = shape.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
    let last = shape.len() - 1;
    let inner = &shape[1..];
    let inner_axes: Vec<(usize, usize)> = (1..shape.len()).map(|axis| (axis, axis - 1)).collect();
    let n: usize = shape.iter().product();
    let half = shape[last] / 2 + 1;
    let (reals, halves) = (inner.iter().product::<usize>(), inner.iter().product::<usize>() / shape[last] * half);
    let factor = format!(" *{}", (1.0 / n as f64) as f32);
    let names: Vec<&str> = devices.iter().map(|device| device.name.as_str()).collect();
    let context = |what: &str| format!("{what} of {text} in parts on {names:?}");

    for direction in ["fwd", "inv"] {
        let spec: C2c = format!("c2c {direction} {text} 1/n").parse().unwrap();
        let recipe = designed(&spec, profile);
        let input = complex_noise(n, 7);
        let expected = adapted(first, &spec, &recipe, &input);
        let kind = format!("c2c {direction}");
        let mut data = parts.batches::<C2c>(&kind, inner, [reals; 2], "", &of_axes(&recipe, &inner_axes), &input);
        parts.columns(direction, [shape[0], reals], &factor, &of_axes(&recipe, &[(0, 0)]), &mut data);
        assert_alike(devices, &data, &expected, &context(&kind));
    }

    let spec: wgpu_fft::fft::R2c = format!("r2c fwd {text} 1/n").parse().unwrap();
    let recipe = designed(&spec, profile);
    let input = noise(n, 7);
    let expected = adapted(first, &spec, &recipe, &input);
    let own = of_axes(&recipe, &inner_axes);
    let mut data = parts.batches::<wgpu_fft::fft::R2c>("r2c fwd", inner, [reals, halves], "", &own, &input);
    parts.columns("fwd", [shape[0], halves], &factor, &of_axes(&recipe, &[(0, 0)]), &mut data);
    assert_alike(devices, &data, &expected, &context("r2c"));

    let spec: wgpu_fft::fft::C2r = format!("c2r inv {text} 1/n").parse().unwrap();
    let recipe = designed(&spec, profile);
    let mut data = complex_noise(halves * shape[0], 7);
    let expected = adapted(first, &spec, &recipe, &data);
    parts.columns("inv", [shape[0], halves], "", &of_axes(&recipe, &[(0, 0)]), &mut data);
    let own = of_axes(&recipe, &inner_axes);
    let data = parts.batches::<wgpu_fft::fft::C2r>("c2r inv", inner, [halves, reals], &factor, &own, &data);
    assert_alike(devices, &data, &expected, &context("c2r"));
}

const SHAPES: [&[usize]; 8] = [&[8, 3], &[17, 5], &[61, 53], &[64, 48], &[12, 10, 14], &[4, 5, 15], &[100, 37], &[108, 192]];

pub fn parts_give_the_bits_of_the_whole(device: &Device) {
    let device = &device.alone();
    for shape in device.share(SHAPES, 2, 0) {
        check_parts(&[device], shape);
    }
}

pub fn parts_on_two_devices_give_the_bits_of_one() {
    for [a, b] in &pairs() {
        for shape in a.share([SHAPES[0], SHAPES[1], SHAPES[2], SHAPES[3], SHAPES[4], SHAPES[7]], 2, 1) {
            check_parts(&[a, b], shape);
        }
    }
}

/// On processors only, as a GPU's compiler may fuse other operations in other shaders.
pub fn axes_together_give_the_bits_of_axes_apart(device: &Device) {
    let device = &device.alone();
    let mut compared = 0;
    for (shape, recipes) in COMPLEX {
        let spec = C2c::inverse(*shape).batch(3);
        for together in recipes.iter().filter(|recipe| recipe.contains("axes ")) {
            let together: Recipe = together.parse().unwrap();
            let apart = spec.axes_apart(&together).unwrap();
            assert!(!apart.to_string().contains("axes "), "{apart}");
            if is_processor(device) {
                let input = complex_noise(3 * shape.iter().product::<usize>(), 11);
                let [expected, actual] = [&together, &apart].map(|recipe| adapted(device, &spec, recipe, &input));
                assert_equal_bits(&actual, &expected, &format!("{}: `{together}` and `{apart}`", device.name));
            }
            compared += 1;
        }
    }
    assert!(compared >= 6, "only {compared} recipes have axes together");
}

/// Recipes that round differently: other radices, and other sources of twiddle factors for lanes.
pub fn other_arithmetic_gives_other_bits(device: &Device) {
    let device = &device.alone();
    let spec = C2c::forward(64).batch(16);
    let input = complex_noise(64 * 16, 3);
    let by = |recipe: &str| adapted(device, &spec, &recipe.parse().unwrap(), &input);
    let differ = |a: &str, b: &str| assert!(first_difference(&by(a), &by(b)).is_some(), "{}: `{a}` and `{b}` give equal bits", device.name);
    differ("axis 0: stockham 8.8 lanes=8", "axis 0: stockham 4.4.4 lanes=16");
    differ("axis 0: stockham 8.8 lanes=8", "axis 0: stockham 16.4 lanes=4");
    differ("axis 0: stockham 8.8 lanes=8 roots=table", "axis 0: stockham 8.8 lanes=8 roots=products");
    differ("axis 0: lanes 8.8 lanes=2 width=4 invocations=64", "axis 0: lanes 8.8 lanes=1 width=4 invocations=64");
    let same = |a: &str, b: &str| assert_equal_bits(&by(a), &by(b), &format!("{}: `{a}` and `{b}`", device.name));
    same("axis 0: stockham 8.8 lanes=8", "axis 0: stockham 8.8 lanes=3 lines=5 exchange=whole banks=0");
    same("axis 0: stockham 8.8 lanes=8", "axis 0: stockham 8.8 lanes=8 lines=2 pieces=4");
    same("axis 0: lanes 8.8 lanes=2 width=4 invocations=64", "axis 0: lanes 8.8 lanes=2 width=4 invocations=8");
}
