//! Fragments in reductions, run on the host and compared with plain loops.

use wgpu_fft::half::f16;
use wgpu_fft::reduce::{self, Custom, Determinism, Map, Reduction};
use wgpu_fft::tune::Searchable;
use wgpu_fft::{Complex32, DeviceProfile, Element, Error, Fragment, Spec, bytemuck};

use crate::reductions::{Case, PLACES, RECIPES, axes_of_every_kind};
use crate::reference::{complex_noise, noise};
use crate::sanitized;
use crate::variants::profiles;

/// Sees every index and every length of an array of this rank.
fn fragment(rank: usize) -> Fragment {
    let of_axis = |axis: usize| format!(" + (i{axis} + 7u * n{axis}) * {}u", FACTORS[axis]);
    let axes: String = (0..rank).map(of_axis).collect();
    Fragment::new(format!("(value * 3u + batch * {}u{axes}) ^ 0x55u", FACTORS[4]))
}

const FACTORS: [u32; 5] = [0x9e37_79b1, 0x85eb_ca6b, 0xc2b2_ae35, 0x27d4_eb2f, 0x1656_67b1];

/// The same for element `i` of a dense array.
fn mapped(case: &Case, i: usize, value: u32) -> u32 {
    let mut rest = i;
    let mut sum = 0u32;
    for axis in (0..case.shape.len()).rev() {
        let n = case.shape[axis];
        sum = sum.wrapping_add(((rest % n + 7 * n) as u32).wrapping_mul(FACTORS[axis]));
        rest /= n;
    }
    sum.wrapping_add(value.wrapping_mul(3)).wrapping_add((rest as u32).wrapping_mul(FACTORS[4])) ^ 0x55
}

/// Runs a reduction of the array of a case. `None` if the recipe does not fit.
fn run<T: Element, O: Element>(case: &Case, profile: &DeviceProfile, spec: Reduction<T, O>, dense: &[T]) -> Option<Vec<O>> {
    let mut spec = spec.batch(case.batch).determinism(case.determinism);
    if let Some(axes) = &case.axes {
        spec = spec.axes(axes);
    }
    let mut x = dense.to_vec();
    if let Some(place) = &case.place {
        (spec, x) = (spec.input_layout(place.layout()), place.spread(case, dense));
    }
    let recipe = case.recipe.as_ref().map_or_else(|| spec.design(profile).unwrap(), |text| text.parse().unwrap());
    let program = match spec.lower(&recipe, profile) {
        Err(Error::UnfitRecipe { .. }) if case.recipe.is_some() => return None,
        program => program.unwrap_or_else(|error| panic!("{}: {spec} by {recipe}: {error}", profile.name)),
    };
    program.check(profile).unwrap();
    Some(sanitized::run_with(&program, &[&x], &[], 1, 1))
}

/// A sum and the index of the largest value, of bytes that know where they are. Returns whether the
/// recipe fits.
fn check(case: &Case, profile: &DeviceProfile) -> bool {
    let bytes: Vec<u8> = (0..case.len()).map(|i| (i as u32).wrapping_mul(FACTORS[0]).to_le_bytes()[3]).collect();
    let values: Vec<u32> = bytes.iter().enumerate().map(|(i, &byte)| mapped(case, i, byte.into())).collect();
    let groups = case.groups();
    let rank = case.shape.len();
    let sum = reduce::sum::<u32>(case.shape()).map_input::<u8>(fragment(rank)).unwrap();
    let Some(sums) = run(case, profile, sum, &bytes) else { return false };
    let expected: Vec<u32> = groups.iter().map(|group| group.iter().map(|&i| values[i]).fold(0, u32::wrapping_add)).collect();
    assert_eq!(sums, expected, "{}: {case:?}", profile.name);

    let largest = reduce::argmax::<u32>(case.shape()).map_input::<u8>(fragment(rank)).unwrap();
    let largest = run(case, profile, largest, &bytes);
    let expected = groups.iter().map(|group| {
        let best = group.iter().map(|&i| values[i]).max().unwrap();
        group.iter().position(|&i| values[i] == best).unwrap() as u32
    });
    if let Some(largest) = largest {
        assert_eq!(largest, expected.collect::<Vec<_>>(), "{}: {case:?}", profile.name);
    }
    true
}

#[test]
fn elements_know_where_they_are() {
    for (p, profile) in profiles().iter().enumerate() {
        for (i, case) in axes_of_every_kind().into_iter().enumerate() {
            assert!(check(&case, profile));
            let case = if (i + p) % 2 == 0 { case.across_devices() } else { case };
            assert!(check(&case.placed(i + p), profile));
        }
    }
}

#[test]
fn in_every_place_and_across_devices() {
    let profile = &profiles()[1];
    for case in axes_of_every_kind().into_iter().filter(|case| case.len() > 5) {
        assert!(check(&case.clone().across_devices(), profile));
        (0..PLACES).for_each(|turn| assert!(check(&case.clone().placed(turn), profile)));
    }
}

#[test]
fn by_recipes_by_hand() {
    let profile = &profiles()[1];
    let mut fitting = 0;
    for case in axes_of_every_kind() {
        for recipe in RECIPES {
            fitting += usize::from(check(&case.clone().by(recipe), profile));
        }
    }
    assert!(fitting > 50, "{fitting}");
    // Elements are loaded one by one.
    let spec = reduce::sum::<f32>(64).map_input::<f32>(Fragment::new("-value")).unwrap();
    let error = spec.lower(&"workgroup=8 lanes=8 width=4".parse().unwrap(), profile).unwrap_err();
    assert!(error.to_string().contains("the width must be 1, not 4"), "{error}");
}

#[test]
fn every_operation_takes_a_fragment() {
    fn close<T: Element>(profile: &DeviceProfile, spec: Reduction<T, f32>, x: &[T], expected: f64) {
        for determinism in [Determinism::RunToRun, Determinism::AcrossDevices] {
            let case = Case { determinism, ..Case::new(&[x.len()], 1, None) };
            let what = spec.to_string();
            let own = f64::from(run(&case, profile, spec.clone(), x).unwrap()[0]);
            assert!((own - expected).abs() <= 1e-5 * expected.abs(), "{}: {what}: {own} and {expected}", profile.name);
        }
    }
    let n = 1001;
    let picture: Vec<u8> = (0..n).map(|i| (i * 37 % 256) as u8).collect();
    let unit: Vec<f64> = picture.iter().map(|&byte| f64::from(byte) / 255.0).collect();
    let mean = unit.iter().sum::<f64>() / n as f64;
    let variance = unit.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
    let squares: f64 = unit.iter().map(|x| x * x).sum();
    let z = complex_noise(n, 1);
    let largest = z.iter().map(|z| f64::from(z.re).hypot(z.im.into())).fold(0.0, f64::max);
    let pixels: Vec<[u8; 4]> = picture.iter().map(|&byte| [1, 2, byte, 4]).collect();
    let halves: Vec<f16> = unit.iter().map(|&x| f16::from_f64(x)).collect();
    let of_halves: f64 = halves.iter().map(|x| 2.0 * x.to_f64()).sum();
    let by_255 = || Fragment::new("f32(value) / 255.0");
    for profile in profiles() {
        let p = &profile;
        close(p, reduce::sum::<f32>(n).map_input::<u8>(by_255()).unwrap(), &picture, unit.iter().sum());
        close(p, reduce::mean::<f16>(n).map_input::<u8>(by_255()).unwrap(), &picture, mean);
        close(p, reduce::variance::<f32>(n).map_input::<u8>(by_255()).unwrap(), &picture, variance);
        close(p, reduce::standard_deviation::<f32>(n).map_input::<u8>(by_255()).unwrap(), &picture, variance.sqrt());
        close(p, reduce::sum_squares::<f32>(n).map_input::<u8>(by_255()).unwrap(), &picture, squares);
        close(p, reduce::norm::<f32>(n).map_input::<u8>(by_255()).unwrap(), &picture, squares.sqrt());
        close(p, reduce::sum::<f32>(n).map(Map::Square).map_input::<u8>(by_255()).unwrap(), &picture, squares);
        close(p, reduce::sum::<f32>(n).map_input::<u8>(by_255()).unwrap().map(Map::Square), &picture, squares);
        close(p, reduce::max::<f32>(n).map_input::<Complex32>(Fragment::new("length(value)")).unwrap(), &z, largest);
        close(p, reduce::mean::<f32>(n).map_input::<[u8; 4]>(Fragment::new("f32(value.z) / 255.0")).unwrap(), &pixels, mean);
        close(p, reduce::sum::<f16>(n).map_input::<f16>(Fragment::new("2.0 * value")).unwrap(), &halves, of_halves);
        let operator = Custom::<f32>::new("a + b", 0.0).unwrap().map("x * f32(j)").unwrap();
        let weighted: f64 = unit.iter().enumerate().map(|(i, x)| x * i as f64).sum();
        close(p, reduce::custom(n, operator).map_input::<u8>(by_255()).unwrap(), &picture, weighted);

        let case = Case::new(&[n], 1, None);
        let positive = || Fragment::new("i32(value) - 100");
        let least: Vec<i32> = run(&case, p, reduce::min::<i32>(n).map_input::<u8>(positive()).unwrap(), &picture).unwrap();
        assert_eq!(least, [-100]);
        let hundreds = picture.iter().filter(|&&byte| byte == 100).count() as u32;
        let others: Vec<u32> = run(&case, p, reduce::count::<i32>(n).map_input::<u8>(positive()).unwrap(), &picture).unwrap();
        assert_eq!(others, [n as u32 - hundreds]);
        let pairs = Fragment::new("vec2(f32(value), -f32(i0))");
        let sum: Vec<Complex32> = run(&case, p, reduce::sum::<Complex32>(n).map_input::<u8>(pairs).unwrap(), &picture).unwrap();
        // Sums of integers below 2²⁴ are exact.
        let total: u32 = picture.iter().map(|&byte| u32::from(byte)).sum();
        assert_eq!(sum, [Complex32::new(total as f32, -((n * (n - 1) / 2) as f32))]);
    }
}

#[test]
fn arrays_and_uniforms_of_the_caller() {
    let (rows, columns) = (300, 40);
    let x: Vec<u8> = (0..rows * columns).map(|i| (i * 37 % 256) as u8).collect();
    let weights = noise(columns, 5);
    let fragment = Fragment::new("scaled(f32(value)) * weights[i1]")
        .functions("fn scaled(x: f32) -> f32 { return x * gain; }")
        .array::<f32>("weights", columns)
        .uniform::<f32>("gain", "f32");
    let declared: [(&str, &[u8]); 2] = [("weights", bytemuck::cast_slice(&weights)), ("gain", bytemuck::bytes_of(&0.5f32))];
    let value = |r: usize, c: usize| f64::from(x[r * columns + c]) * f64::from(weights[c]) * 0.5;
    let of_rows: Vec<f64> = (0..rows).map(|r| (0..columns).map(|c| value(r, c)).sum()).collect();
    let of_columns: Vec<f64> = (0..columns).map(|c| (0..rows).map(|r| value(r, c)).sum()).collect();
    let all = vec![of_rows.iter().sum::<f64>()];
    let size: f64 = (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))).map(|(r, c)| value(r, c).abs()).sum();
    for profile in profiles() {
        for (axes, expected) in [(&[0, 1][..], &all), (&[1], &of_rows), (&[0], &of_columns)] {
            let spec = reduce::sum::<f32>([rows, columns]).axes(axes).map_input::<u8>(fragment.clone()).unwrap();
            let program = spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap();
            let own: Vec<f32> = sanitized::run_with(&program, &[&x], &declared, 1, 1);
            assert_eq!(own.len(), expected.len());
            for (own, expected) in own.iter().zip(expected) {
                assert!((f64::from(*own) - expected).abs() < 1e-6 * size, "{}: {spec}: {own} and {expected}", profile.name);
            }
        }
    }
}

#[test]
fn what_cannot_be_mapped_is_refused() {
    let profile = &profiles()[0];
    let same = || Fragment::new("value");
    for (error, why) in [
        (reduce::dot::<f32>(8).map_input::<f32>(same()).map(drop), "takes two"),
        (reduce::vdot::<Complex32>(8).map_input::<Complex32>(same()).map(drop), "takes two"),
        (reduce::max_abs_diff::<i32>(8).map_input::<i32>(same()).map(drop), "takes two"),
        (reduce::min::<f64>(8).map_input::<f32>(same()).map(drop), "f64"),
    ] {
        let error = error.unwrap_err();
        assert!(matches!(error, Error::Unsupported { .. }) && error.to_string().contains(why), "{error}");
    }
    for text in ["f32(value) + k0", "value", "f32(value) * f32(i2)"] {
        let error = reduce::sum::<f32>([8, 8]).map_input::<u8>(Fragment::new(text)).unwrap_err();
        assert!(matches!(error, Error::Parse { .. }), "{text}: {error}");
    }
    let spec = reduce::mean::<f16>([8, 4]).axes([1]).map_input::<u8>(Fragment::new("f32(value)")).unwrap();
    assert_eq!(spec.to_string(), "mean f32 8x4 axes=1 from u8 by `f32(value)`");
    assert!(spec.to_string().parse::<Reduction<f32, f32>>().is_err());
    // The whole array is bound.
    let small = profile.clone().with(|profile| profile.binding_bytes = 1 << 16);
    let spec = reduce::sum::<u32>(70_000).map_input::<u8>(Fragment::new("value")).unwrap();
    let error = spec.lower(&"workgroup=64 lanes=64".parse().unwrap(), &small).unwrap_err();
    assert!(matches!(error, Error::LimitExceeded { limit: "max_storage_buffer_binding_size", required: 70_000, .. }), "{error}");
}

/// All recipes of a search compute the same.
#[test]
fn a_search_finds_recipes_that_fit() {
    let case = Case::new(&[70, 90], 1, Some(&[1]));
    for profile in profiles() {
        let spec = reduce::sum::<u32>([70, 90]).axes([1]).map_input::<u8>(fragment(2)).unwrap();
        let own = spec.design(&profile).unwrap();
        let all = spec.alternatives(&profile).into_iter().chain(spec.neighbours(&own, &profile)).collect::<Vec<_>>();
        assert!(!all.is_empty());
        for recipe in all {
            assert!(check(&case.clone().by(&recipe.to_string()), &profile), "{recipe}");
        }
    }
}
