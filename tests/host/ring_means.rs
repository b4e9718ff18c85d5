//! Means over rings, compared with whole numbers, under all checks of the interpreter.

use wgpu_fft::low_level::sources;
use wgpu_fft::signal::RadialAverage;
use wgpu_fft::{Complex32, DeviceProfile, Error, Fragment, Spec};
use wgsl_sanitizer::{Binding, Buffer, Config, Memory, Shader};

use crate::lists::share;
use crate::rings::{Case, RECIPES};
use crate::sanitized::{RunOnHost, run_with};
use crate::variants::profiles;

/// Whole numbers, whose sums are exact in f32.
fn whole(count: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * i * 7 + 3 * i + i / 5) % 17) as f32 - 6.0).collect()
}

fn check(case: &Case<'_>, profile: &DeviceProfile, recipe: Option<&str>) {
    let spec = case.spec();
    assert_eq!(spec.to_string().parse().as_ref(), Ok(&spec));
    let recipe = recipe.map_or_else(|| spec.design(profile).unwrap(), |text| text.parse().unwrap());
    assert_eq!(recipe.to_string().parse().as_ref(), Ok(&recipe));
    let program = spec.lower(&recipe, profile).unwrap_or_else(|error| panic!("{spec} by {recipe}: {error}"));
    program.check(profile).unwrap_or_else(|error| panic!("{program}: {error}"));
    let x = whole(program.inputs()[0].len);
    let expected = case.sums(&x.iter().map(|&x| f64::from(x)).collect::<Vec<_>>());
    assert_eq!(expected.len(), spec.rings().unwrap() * case.batch, "{case:?}");
    assert!(expected.iter().all(|(_, count)| *count > 0), "no ring is empty: {case:?}");
    let actual: Vec<f32> = program.run_on_host(&x);
    let expected: Vec<f32> = expected.iter().map(|&(sum, count)| sum as f32 / count as f32).collect();
    assert_eq!(actual, expected, "{case:?} by {recipe}\n{program}");
}

/// All eight forms of the array.
fn check_forms(shape: &[usize], batch: usize, profile: &DeviceProfile, recipe: Option<&str>) {
    for form in 0..8 {
        let [centred, half, corners] = [1, 2, 4].map(|bit| form & bit != 0);
        check(&Case { shape, batch, centred, half, corners }, profile, recipe);
    }
}

#[test]
fn every_small_shape() {
    let profile = &profiles()[0];
    for n in 1..=13 {
        check_forms(&[n], 3, profile, None);
        for m in (1..=9).filter(|m| n <= 9 && (m + n) % 2 == 0 || *m == n) {
            check_forms(&[m, n], 1 + n % 2, profile, None);
        }
    }
    for shape in [[4, 4, 4], [5, 5, 5], [1, 3, 4], [3, 1, 5], [4, 6, 1], [2, 5, 3], [6, 4, 7], [1, 1, 1]] {
        check_forms(&shape, 2, profile, None);
    }
}

#[test]
fn larger_shapes_by_all_recipes() {
    for profile in profiles() {
        for shape in [&[40usize, 40][..], &[37, 60], &[3, 301], &[150, 7], &[8, 12, 10], &[700]] {
            let case = Case { batch: 2, corners: true, half: shape[0] % 2 == 0, ..Case::new(shape) };
            check(&case, &profile, None);
            share(RECIPES, 3, shape[0]).for_each(|recipe| check(&case, &profile, Some(recipe)));
        }
    }
}

/// The rules' recipe fits.
#[test]
fn devices_with_little_workgroup_memory() {
    for bytes in [8, 64, 100, 256] {
        check_forms(&[41, 23], 2, &profiles()[0].with(|profile| profile.workgroup_bytes = bytes), None);
    }
}

/// The part of the kernel that computes with 64 bits.
#[test]
fn roots_are_exact() {
    let (_, functions) = sources::SIGNAL_RINGS.text.split_once("/// a * b in 64 bits").unwrap();
    let (functions, _) = functions.split_once("/// |k| at index").unwrap();
    let text = format!(
        "/// a * b in 64 bits{functions}
        @group(0) @binding(0) var<storage, read> input: array<vec2<u32>>;
        @group(0) @binding(1) var<storage, read_write> output: array<u32>;
        @compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3<u32>) {{ output[id.x] = root_of(input[id.x]); }}"
    );
    let mut values: Vec<u64> = (1..300).collect();
    for bits in 5..32 {
        let root = (1u64 << bits) * 7 / 5;
        for root in [1 << bits, (1 << bits) + 1, root, root + 1, (1 << (bits + 1)) - 1, (root * 1_000_003) % (1 << bits) + 3] {
            let square = root * root;
            values.extend(
                [square - 1, square, square + 1, square + root, square - root]
                    .into_iter()
                    .filter(|value| (1..u64::MAX - (1 << 35)).contains(value)),
            );
        }
    }
    let words: Vec<u32> = values.iter().flat_map(|&value| [value as u32, (value >> 32) as u32]).collect();
    let mut memory = Memory::new();
    let input = memory.add(Buffer::from_slice(&words));
    let output = memory.add(Buffer::from_slice(&vec![0u32; values.len()]));
    let kernel = Shader::new(&text).unwrap().entry("main").unwrap().compile().unwrap();
    let bindings = [Binding::whole(0, 0, input), Binding::whole(0, 1, output)];
    let report = kernel.dispatch([values.len() as u32, 1, 1], &mut memory, &bindings, &Config::default()).unwrap();
    assert!(report.is_clean(), "{report}");
    for (value, root) in values.into_iter().zip(memory[output].to_vec::<u32>()) {
        let floor = value.isqrt();
        let expected = if floor * floor == value { floor } else { floor + 1 };
        assert_eq!(u64::from(root), expected, "{value}");
    }
}

/// Fragments see the array's indices and signed frequencies, in each order of elements.
#[test]
fn fragments_map_elements() {
    let profile = &profiles()[0];
    let shape = [6, 5];
    for (centred, half) in [(false, false), (true, false), (false, true), (true, true)] {
        let case = Case { centred, half, corners: true, batch: 2, ..Case::new(&shape) };
        let fragment = Fragment::new("value.x * 3.0 + value.y + 100.0 * f32(k0) + 20.0 * f32(k1) + f0 + f32(i0 * n1 + batch) * gains[i1]")
            .array::<f32>("gains", 5);
        let spec = case.spec().map_input::<Complex32>(fragment).unwrap();
        let program = spec.lower(&spec.design(profile).unwrap(), profile).unwrap();
        let (stored, gains) = (case.stored(), [1.0f32, -2.0, 3.0, 0.5, -1.0]);
        let each = stored[0] * stored[1];
        let z: Vec<Complex32> = whole(2 * each).iter().map(|&x| Complex32::new(x, 2.0 - x)).collect();
        let mapped = |(i, z): (usize, &Complex32)| {
            let (i0, i1) = (i % each / stored[1], i % stored[1]);
            let signed = |i: usize, n: usize, is_half: bool| {
                let (i, n) = (i as f64, n as f64);
                if is_half || !centred && i < (n / 2.0).ceil() { i } else { i - if centred { (n / 2.0).floor() } else { n } }
            };
            let (k0, k1) = (signed(i0, 6, false), signed(i1, 5, half));
            let own = f64::from(gains[i1]) * (i0 * 5 + i / each) as f64;
            f64::from(z.re * 3.0 + z.im) + 100.0 * k0 + 20.0 * k1 + k0 / 6.0 + own
        };
        let expected = case.sums(&z.iter().enumerate().map(mapped).collect::<Vec<_>>());
        let actual: Vec<f32> = run_with(&program, &[&z], &[("gains", bytemuck::cast_slice(&gains))], 1, 1);
        for (ring, (actual, (sum, count))) in actual.iter().zip(expected).enumerate() {
            let expected = sum / count as f64;
            assert!((f64::from(*actual) - expected).abs() <= 1e-4, "ring {ring}: {actual} {expected}: {case:?}");
        }
    }
    let bytes = RadialAverage::new([1, 4]).map_input::<u8>(Fragment::new("f32(value)")).unwrap();
    let program = bytes.lower(&bytes.design(profile).unwrap(), profile).unwrap();
    assert_eq!(program.run_on_host::<u8, f32>(&[7, 3, 200, 9]), [7.0, 6.0, 200.0]);
    let error = RadialAverage::new([4, 4]).map_input::<f32>(Fragment::new("value * k2")).unwrap_err();
    assert!(matches!(error, Error::Parse { .. }), "{error}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let profile = &profiles()[0];
    let plan = |spec: RadialAverage| spec.design(profile).map(|_| ());
    assert!(matches!(plan(RadialAverage::new([0, 4])), Err(Error::Empty { .. })));
    assert!(matches!(plan(RadialAverage::new([4, 4]).batch(0)), Err(Error::Empty { .. })));
    assert!(plan(RadialAverage::new([4; 4])).unwrap_err().to_string().contains("4 axes"));
    assert!(matches!(plan(RadialAverage::new([1 << 16, 1 << 16])), Err(Error::LimitExceeded { .. })));
    let error = plan(RadialAverage::new([2047, 2049, 511])).unwrap_err().to_string();
    assert!(["2047, 2049, 511", "2143288833", "1073741824"].iter().all(|part| error.contains(part)), "{error}");
    let spec = RadialAverage::new([64, 64]);
    for (recipe, why) in [
        ("rings 0 lines=1 join=1", "not 0 and 1"),
        ("rings 64 lines=0 join=1", "not 0"),
        ("rings 64 lines=32768 join=1", "32768"),
        ("rings 64 lines=1 join=3", "3 invocations"),
        ("rings 64 lines=1 join=2048", "2048"),
    ] {
        let error = spec.lower(&recipe.parse().unwrap(), profile).unwrap_err();
        assert!(matches!(error, Error::UnfitRecipe { .. }) && error.to_string().contains(why), "{error}");
    }
    let small = profile.with(|profile| profile.binding_bytes = 4096);
    let program = spec.lower(&spec.design(&small).unwrap(), &small).unwrap();
    assert!(matches!(program.check(&small), Err(Error::LimitExceeded { limit: "max_storage_buffer_binding_size", .. })));
    for text in ["radial-average f32", "radial-average f32 4x4 other", "radial-average f64 4x4"] {
        assert!(matches!(text.parse::<RadialAverage>(), Err(Error::Parse { .. })), "{text}");
    }
    assert!("rings 64 lines=1".parse::<wgpu_fft::low_level::recipes::signal::RadialAverage>().is_err());
}

#[test]
fn what_a_search_tries_is_right() {
    for profile in profiles() {
        for shape in [&[40usize, 30][..], &[7, 8, 9], &[200]] {
            let case = Case { batch: 2, centred: true, ..Case::new(shape) };
            let (spec, rules) = (case.spec(), case.spec().design(&profile).unwrap());
            let near = spec.neighbours(&rules, &profile);
            assert!(!near.is_empty() && !near.contains(&rules), "{spec}");
            near.iter().for_each(|recipe| check(&case, &profile, Some(&recipe.to_string())));
        }
    }
}
