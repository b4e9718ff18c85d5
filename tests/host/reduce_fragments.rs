//! Fragments in reductions, run on the host and compared with plain loops.

use wgpu_fft::elements::Readable;
use wgpu_fft::half::f16;
use wgpu_fft::low_level::tune::{Format, Tolerance, Tunable};
use wgpu_fft::low_level::{self, Dispatch};
use wgpu_fft::reduce::{self, Reduction};
use wgpu_fft::{Complex32, DeviceProfile, Element, Error, Fragment, Spec, bytemuck};

use crate::lists::share;
use crate::reductions::{Case, PLACES, RECIPES, axes_of_every_kind};
use crate::reference::{complex_noise, noise};
use crate::sanitized;
use crate::variants::profiles;

/// Sees every index and every length of an array of this rank.
fn fragment(rank: usize) -> Fragment {
    Fragment::new(expression("value", rank))
}

/// The same of a number that is made of the value.
fn expression(value: &str, rank: usize) -> String {
    let of_axis = |axis: usize| format!(" + (i{axis} + 7u * n{axis}) * {}u", FACTORS[axis]);
    let axes: String = (0..rank).map(of_axis).collect();
    format!("({value} * 3u + batch * {}u{axes}) ^ 0x55u", FACTORS[4])
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

/// The same for a result, whose elements are these. Its indices on reduced axes are 0.
fn mapped_result(case: &Case, group: &[usize], value: u32) -> u32 {
    let (mut i, mut rest, mut step) = (0, group[0], 1);
    for axis in (0..case.shape.len()).rev() {
        let n = case.shape[axis];
        let reduced = case.axes.as_ref().is_none_or(|axes| axes.contains(&axis));
        i += if reduced { 0 } else { rest % n * step };
        (rest, step) = (rest / n, step * n);
    }
    mapped(case, i + rest * step, value)
}

/// Runs a reduction of the array of a case. `None` if the recipe does not fit, or no binding holds
/// what cannot be divided.
fn run<T: Element, O: Element>(case: &Case, profile: &DeviceProfile, spec: Reduction<T, O>, dense: &[T]) -> Option<Vec<O>> {
    run_with(case, profile, spec, &[dense], &[])
}

/// The same of one array or two, with what fragments declare.
fn run_with<T: Element, O: Element>(
    case: &Case,
    profile: &DeviceProfile,
    spec: Reduction<T, O>,
    dense: &[&[T]],
    declared: &[(&str, &[u8])],
) -> Option<Vec<O>> {
    let spec = case.of(spec);
    let inputs: Vec<Vec<T>> = dense.iter().map(|x| case.place.as_ref().map_or_else(|| x.to_vec(), |place| place.spread(case, x))).collect();
    let recipe = case.recipe.as_ref().map_or_else(|| spec.design(profile).unwrap(), |text| text.parse().unwrap());
    let failed = |error: Error| format!("{}: {spec} by {recipe}: {error}", profile.name);
    let program = match spec.lower(&recipe, profile) {
        Err(Error::UnfitRecipe { .. }) if case.recipe.is_some() => return None,
        // No binding holds what stays together.
        Err(Error::LimitExceeded { limit: "max_storage_buffer_binding_size", .. }) => return None,
        program => program.unwrap_or_else(|error| panic!("{}", failed(error))),
    };
    match program.check(profile) {
        // What is read is divided; results are not.
        Err(Error::LimitExceeded { what, limit: "max_storage_buffer_binding_size", .. }) if !what.ends_with("input (bytes)") => {
            return None;
        }
        checked => checked.unwrap_or_else(|error| panic!("{}", failed(error))),
    }
    let inputs: Vec<&[T]> = inputs.iter().map(Vec::as_slice).collect();
    Some(sanitized::run_with(&program, &inputs, declared, 1, 1))
}

/// A sum and the index of the largest value, of bytes that know where they are. Returns whether the
/// recipe fits.
fn check(case: &Case, profile: &DeviceProfile) -> bool {
    check_of(case, profile, "value", |byte: u8| byte)
}

/// The same of types of which an access may load several. Returns for how many of them the recipe
/// fits.
fn check_wide(case: &Case, profile: &DeviceProfile) -> usize {
    let fitting = [
        check_of(case, profile, "u32(value)", |byte| f16::from_f32(byte.into())),
        check_of(case, profile, "u32(value)", f32::from),
        check_of(case, profile, "value", u32::from),
        check_of(case, profile, "u32(value.y)", |byte| Complex32::new(-1.0, byte.into())),
    ];
    fitting.into_iter().filter(|fits| *fits).count()
}

/// The same of all these types by the rules, whose recipes fit.
fn check_all(case: &Case, profile: &DeviceProfile) {
    assert!(check(case, profile));
    assert_eq!(check_wide(case, profile), 4);
}

/// The same of elements made of the bytes, which the fragment takes apart by this expression.
fn check_of<T: Readable>(case: &Case, profile: &DeviceProfile, value: &str, element: impl Fn(u8) -> T) -> bool {
    let bytes: Vec<u8> = (0..case.len()).map(|i| (i as u32).wrapping_mul(FACTORS[0]).to_le_bytes()[3]).collect();
    let values: Vec<u32> = bytes.iter().enumerate().map(|(i, &byte)| mapped(case, i, byte.into())).collect();
    let elements: Vec<T> = bytes.into_iter().map(element).collect();
    let groups = case.groups();
    let rank = case.shape.len();
    let sum = reduce::sum::<u32>(case.shape()).map_input::<T>(Fragment::new(expression(value, rank))).unwrap();
    let Some(sums) = run(case, profile, sum, &elements) else { return false };
    let expected: Vec<u32> = groups.iter().map(|group| group.iter().map(|&i| values[i]).fold(0, u32::wrapping_add)).collect();
    assert_eq!(sums, expected, "{}: {case:?}", profile.name);

    // A sum of a few small numbers is exact, but the rules do not know that: it has an order.
    let small = Fragment::new(format!("f32(({}) & 0xffu)", expression(value, rank)));
    if let Some(sums) = run(case, profile, reduce::sum::<f32>(case.shape()).map_input::<T>(small).unwrap(), &elements) {
        let sum = |group: &Vec<usize>| group.iter().map(|&i| (values[i] & 0xff) as f32).sum();
        assert_eq!(sums, groups.iter().map(sum).collect::<Vec<f32>>(), "{}: {case:?}", profile.name);
    }

    let largest = reduce::argmax::<u32>(case.shape()).map_input::<T>(Fragment::new(expression(value, rank))).unwrap();
    let largest = run(case, profile, largest, &elements);
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
        for (i, case) in share(axes_of_every_kind().into_iter().enumerate(), 4, p) {
            check_all(&case, profile);
            let case = if (i + p) % 2 == 0 { case.across_devices() } else { case };
            check_all(&case.placed(i + p), profile);
        }
    }
}

#[test]
fn in_every_place_and_across_devices() {
    let profile = &profiles()[1];
    for case in axes_of_every_kind().into_iter().filter(|case| case.len() > 5) {
        check_all(&case.clone().across_devices(), profile);
        for placed in (0..PLACES).map(|turn| case.clone().placed(turn)) {
            check_all(&placed, profile);
            assert_eq!(check_wide(&placed.across_devices(), profile), 4);
        }
    }
}

#[test]
fn by_recipes_by_hand() {
    let profile = &profiles()[1];
    let (mut fitting, mut wide) = (0, 0);
    for case in axes_of_every_kind() {
        for recipe in RECIPES {
            let case = case.clone().by(recipe);
            fitting += usize::from(check(&case, profile));
            wide += if recipe.contains("width=4") || recipe.contains("width=8") { check_wide(&case, profile) } else { 0 };
        }
    }
    assert!(fitting > 50 && wide > 50, "{fitting} and {wide}");
    // Bytes are loaded one by one.
    let spec = reduce::sum::<f32>(64).map_input::<u8>(Fragment::new("-f32(value)")).unwrap();
    let error = spec.lower(&"workgroup=8 lanes=8 width=4".parse().unwrap(), profile).unwrap_err();
    assert!(error.to_string().contains("the width must be 1, not 4"), "{error}");
}

#[test]
fn every_operation_takes_a_fragment() {
    fn close<T: Element>(profile: &DeviceProfile, spec: Reduction<T, f32>, x: &[T], expected: f64) {
        for across_devices in [false, true] {
            let case = Case { across_devices, ..Case::new(&[x.len()], 1, None) };
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
        close(p, reduce::sum_abs::<f32>(n).map_input::<u8>(Fragment::new("f32(value) / -255.0")).unwrap(), &picture, unit.iter().sum());
        close(p, reduce::max::<f32>(n).map_input::<Complex32>(Fragment::new("length(value)")).unwrap(), &z, largest);
        close(p, reduce::mean::<f32>(n).map_input::<[u8; 4]>(Fragment::new("f32(value.z) / 255.0")).unwrap(), &pixels, mean);
        close(p, reduce::sum::<f16>(n).map_input::<f16>(Fragment::new("2.0 * value")).unwrap(), &halves, of_halves);
        let by_index = Fragment::new("f32(value) / 255.0 * f32(i0)");
        let weighted: f64 = unit.iter().enumerate().map(|(i, x)| x * i as f64).sum();
        close(p, reduce::custom::<f32>(n, "a + b", 0.0).unwrap().map_input::<u8>(by_index).unwrap(), &picture, weighted);

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
}

/// Elements of 1 and 3 bytes, of which a binding has a part: of a line, of lines, or of rows.
#[test]
fn arrays_larger_than_a_binding_are_mapped_in_parts() {
    let small = profiles()[0].clone().with(|profile| profile.binding_bytes = 1 << 13);
    let bytes: Vec<u8> = (0..30_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let pixels: Vec<[u8; 3]> = bytes.chunks_exact(3).map(|own| [own[0], own[1], own[2]]).collect();
    let green = || Fragment::new("value.y * (1 + i0)");
    for (shape, axes) in [([1, 10_000], &[0, 1][..]), ([20, 500], &[1]), ([5000, 2], &[0]), ([100, 100], &[0])] {
        let case = Case::new(&shape, 1, Some(axes));
        let of = |i: &usize, value: u8| u32::from(value) * (1 + i / shape[1]) as u32;
        let sums = |value: &dyn Fn(usize) -> u8| -> Vec<u32> {
            case.groups().iter().map(|group| group.iter().map(|i| of(i, value(*i))).sum()).collect()
        };
        let spec = || reduce::sum::<u32>(shape);
        let of_bytes = run(&case, &small, spec().map_input::<u8>(Fragment::new("value * (1 + i0)")).unwrap(), &bytes[..10_000]).unwrap();
        assert_eq!(of_bytes, sums(&|i| bytes[i]), "{shape:?}");
        let of_pixels = run(&case, &small, spec().map_input::<[u8; 3]>(green()).unwrap(), &pixels).unwrap();
        assert_eq!(of_pixels, sums(&|i| pixels[i][1]), "{shape:?}");
    }
}

/// Layouts too, with arrays, axes, places and bindings at random.
#[test]
fn drawn_layouts_larger_than_a_binding_are_mapped_in_parts() {
    /// Whether an array was mapped in several parts, which are right.
    fn in_parts<T: Readable>(case: &Case, profile: &DeviceProfile, cut: u64, value: &str, element: impl Fn(u8) -> T) -> bool {
        let bytes = case.place.as_ref().unwrap().len * size_of::<T>();
        let small = profile.with(|profile| profile.binding_bytes = (bytes as u64 / cut).next_multiple_of(4).max(1024));
        let fragment = Fragment::new(expression(value, case.shape.len()));
        let spec = case.of(reduce::sum::<u32>(case.shape()).map_input::<T>(fragment).unwrap());
        check_of(case, &small, value, element) && {
            let program = spec.lower(&spec.design(&small).unwrap(), &small).unwrap();
            let is_part = |dispatch: &&Dispatch| dispatch.binds.iter().any(|bind| bind.range.is_some());
            low_level::dispatches(&program).iter().filter(is_part).count() > 1
        }
    }
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let mut parts = [0; 5];
    for _ in 0..60 {
        let rank = random.usize(1..=4);
        let shape: Vec<usize> = (0..rank).map(|_| random.usize(1..=[4000, 60, 16, 8][rank - 1])).collect();
        let mut axes: Vec<usize> = (0..rank).collect();
        random.shuffle(&mut axes);
        axes.truncate(random.usize(1..=rank));
        let case = Case::new(&shape, random.usize(1..=3), Some(&axes)).placed(random.usize(..PLACES));
        let case = if random.bool() { case.across_devices() } else { case };
        let profile = random.choice(profiles()).unwrap();
        let cut = random.u64(2..6);
        let own = [
            in_parts(&case, &profile, cut, "value", |byte: u8| byte),
            in_parts(&case, &profile, cut, "u32(value.y)", |byte| [1u8, byte, 3]),
            in_parts(&case, &profile, cut, "u32(value)", |byte| f16::from_f32(byte.into())),
            in_parts(&case, &profile, cut, "value", u32::from),
            in_parts(&case, &profile, cut, "u32(value.y)", |byte| Complex32::new(-1.0, byte.into())),
        ];
        parts.iter_mut().zip(own).for_each(|(count, is_right)| *count += usize::from(is_right));
    }
    assert!(parts.iter().all(|count| *count > 5), "{parts:?}");
}

/// The recipes of a search.
fn searched<T: Element, O: Element>(spec: &Reduction<T, O>, profile: &DeviceProfile) -> Vec<String> {
    let own = spec.design(profile).unwrap();
    let all = Spec::alternatives(spec, profile).into_iter().chain(Spec::neighbours(spec, &own, profile));
    let all: Vec<String> = all.map(|recipe| recipe.to_string()).collect();
    assert!(!all.is_empty());
    all
}

/// All recipes of a search compute the same.
#[test]
fn a_search_finds_recipes_that_fit() {
    let case = Case::new(&[70, 90], 1, Some(&[1]));
    for profile in profiles() {
        let spec = reduce::sum::<u32>([70, 90]).axes([1]);
        for recipe in searched(&spec.clone().map_input::<u8>(fragment(2)).unwrap(), &profile) {
            assert!(check(&case.clone().by(&recipe), &profile), "{recipe}");
        }
        for recipe in searched(&spec.map_output::<u32>(fragment(2)).unwrap(), &profile) {
            assert!(check_results(&case.clone().by(&recipe), &profile), "{recipe}");
        }
    }
}

/// A sum of words, with fragments on both sides that have the same names for different things, and
/// share an array. Returns whether the recipe fits.
fn check_results(case: &Case, profile: &DeviceProfile) -> bool {
    let x: Vec<u32> = (0..case.len()).map(|i| (i as u32).wrapping_mul(FACTORS[0]) >> 8).collect();
    let groups = case.groups();
    let rank = case.shape.len();
    let sums = |element: &dyn Fn(usize) -> u32| -> Vec<u32> {
        let of_group = |group: &Vec<usize>| mapped_result(case, group, group.iter().map(|&i| element(i)).fold(0, u32::wrapping_add));
        groups.iter().map(of_group).collect()
    };
    let spec = reduce::sum::<u32>(case.shape()).map_output::<u32>(fragment(rank)).unwrap();
    let Some(own) = run(case, profile, spec, &x) else { return false };
    assert_eq!(own, sums(&|i| x[i]), "{}: {case:?}", profile.name);

    let table = [3u32, 5, 7];
    let last = rank - 1;
    let input = Fragment::new(format!("changed(value, i{last})")).array::<u32>("table", 3);
    let input = input.functions("const FACTOR = 9u; fn changed(x: u32, i: u32) -> u32 { return x * FACTOR + table[i % 3u]; }");
    let output = Fragment::new("changed(value) + extra[1]").array::<u32>("table", 3).array::<u32>("extra", 2);
    let output = output.functions("const FACTOR = 2u; fn changed(x: u32) -> vec4<u32> { return vec4(x, x >> 16, FACTOR, table[2]); }");
    let spec = reduce::sum::<u32>(case.shape()).map_output::<[u16; 4]>(output).unwrap().map_input::<u32>(input).unwrap();
    let declared: [(&str, &[u8]); 2] = [("table", bytemuck::cast_slice(&table)), ("extra", bytemuck::cast_slice(&[0u32, 0x1_0001]))];
    let Some(own) = run_with(case, profile, spec, &[&x], &declared) else { return true };
    let element = |i: usize| x[i].wrapping_mul(9).wrapping_add(table[i % case.shape[last] % 3]);
    let of_group = |group: &Vec<usize>| {
        let sum = group.iter().map(|&i| element(i)).fold(0, u32::wrapping_add);
        [sum, sum >> 16, 2, table[2]].map(|number| number.wrapping_add(0x1_0001) as u16)
    };
    assert_eq!(own, groups.iter().map(of_group).collect::<Vec<_>>(), "{}: {case:?}", profile.name);
    true
}

#[test]
fn results_know_where_they_are() {
    for (p, profile) in profiles().iter().enumerate() {
        for (i, case) in share(axes_of_every_kind().into_iter().enumerate(), 4, p) {
            assert!(check_results(&case, profile));
            let case = if (i + p) % 2 == 0 { case.across_devices() } else { case };
            assert!(check_results(&case.placed(i + p), profile));
        }
        // Long enough for several passes, or for parts that the last workgroup joins.
        for (shape, axes) in [(&[70_001][..], None), (&[3, 20_000], Some(&[1][..])), (&[9000, 4], Some(&[0]))] {
            let case = Case::new(shape, 1, axes);
            assert!(check_results(&case.clone().across_devices(), profile));
            assert!(check_results(&case, profile));
        }
    }
}

#[test]
fn results_by_recipes_by_hand() {
    let mut fitting: Vec<&str> = Vec::new();
    for case in axes_of_every_kind() {
        fitting.extend(RECIPES.iter().copied().filter(|recipe| check_results(&case.clone().by(recipe), &profiles()[1])));
    }
    assert!(fitting.len() > 100, "{}", fitting.len());
    assert!(fitting.iter().any(|recipe| recipe.starts_with("tree")) && fitting.iter().any(|recipe| recipe.ends_with("join")));
}

/// Without a fragment on the input, the array may be larger than a binding.
#[test]
fn results_of_arrays_larger_than_a_binding() {
    let small = profiles()[0].with(|profile| profile.binding_bytes = 65_536);
    for (shape, axes, batch, turn) in [
        (&[40_000][..], None, 2, None),
        (&[100, 400], Some(&[1][..]), 1, None),
        (&[3, 17_000], Some(&[1]), 1, None),
        (&[500, 100], Some(&[0]), 2, None),
        (&[1200, 16], Some(&[0]), 4, None),
        (&[20, 20, 20, 8], Some(&[1, 3]), 1, None),
        (&[30, 40, 20], Some(&[2]), 2, Some(3)),
        (&[60, 10, 50], Some(&[0]), 2, Some(4)),
    ] {
        let case = Case::new(shape, batch, axes);
        let case = if let Some(turn) = turn { case.placed(turn) } else { case };
        let x: Vec<u32> = (0..case.len()).map(|i| (i as u32).wrapping_mul(FACTORS[0])).collect();
        let expected = case.groups().into_iter().map(|group| {
            let sum = group.iter().map(|&i| x[i]).fold(0, u32::wrapping_add);
            mapped_result(&case, &group, sum)
        });
        let spec = reduce::sum::<u32>(case.shape()).map_output::<u32>(fragment(shape.len())).unwrap();
        let whole = case.of(spec.clone());
        let program = whole.lower(&whole.design(&small).unwrap(), &small).unwrap();
        assert!(program.dispatch_count() > 1, "{program}");
        assert_eq!(run(&case, &small, spec, &x).unwrap(), expected.collect::<Vec<_>>(), "{case:?}");
    }
}

#[test]
fn every_result_can_be_mapped() {
    let (rows, columns) = (6, 70);
    let x = noise(rows * columns, 1);
    let wide: Vec<Vec<f64>> = x.chunks(columns).map(|row| row.iter().map(|&x| x.into()).collect()).collect();
    let case = Case::new(&[rows, columns], 1, Some(&[1]));
    let across = case.clone().across_devices();
    let near = |own: &[f32], expected: &dyn Fn(&[f64]) -> f64, what: &str| {
        assert_eq!(own.len(), rows);
        for (own, row) in own.iter().zip(&wide) {
            let expected = expected(row);
            assert!((f64::from(*own) - expected).abs() <= 2e-5 * expected.abs().max(1.0), "{what}: {own} and {expected}");
        }
    };
    let squares = |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>();
    let largest = |row: &[f64]| row.iter().copied().fold(f64::MIN, f64::max);
    for profile in profiles() {
        for case in [&case, &across] {
            let (p, name) = (&profile, &profile.name);
            let factor: [(&str, &[u8]); 1] = [("factor", bytemuck::bytes_of(&[2.5f32, 0.0, 0.0, 0.0]))];
            let norm = reduce::norm::<f32>([rows, columns]);
            let norm = norm.map_output::<f32>(Fragment::new("value * factor.x").uniform::<[f32; 4]>("factor", "vec4<f32>")).unwrap();
            near(&run_with(case, p, norm, &[&x], &factor).unwrap(), &|row| 2.5 * squares(row).sqrt(), name);

            let energy = || reduce::sum_squares::<f32>([rows, columns]);
            let decibels = energy().map_output::<f32>(Fragment::new("4.3429448 * log(max(value, 1e-20))")).unwrap();
            near(&run(case, p, decibels, &x).unwrap(), &|row| 10.0 * squares(row).log10(), name);
            let rms = energy().map_output::<f32>(Fragment::new("sqrt(value / f32(n1))")).unwrap();
            near(&run(case, p, rms, &x).unwrap(), &|row| (squares(row) / columns as f64).sqrt(), name);
            let half = energy().map_output::<[f16; 2]>(Fragment::new("vec2(f32(i0), f32(i1) + 2.0)")).unwrap();
            let expected: Vec<[f16; 2]> = (0..rows).map(|row| [row as f32, 2.0].map(f16::from_f32)).collect();
            assert_eq!(run(case, p, half, &x).unwrap(), expected, "{name}");

            // Ranked numbers are numbers again.
            let max = reduce::max::<f32>([rows, columns]).map_output::<f32>(Fragment::new("-value")).unwrap();
            near(&run(case, p, max, &x).unwrap(), &|row| -largest(row), name);
            let threshold = reduce::max::<f32>([rows, columns]).map_output::<u32>(Fragment::new("u32(value > limits[i0])"));
            let limits: Vec<f32> = wide.iter().zip([-1e-3, 1e-3].iter().cycle()).map(|(row, more)| (largest(row) + more) as f32).collect();
            let threshold = threshold.unwrap_err();
            assert!(threshold.to_string().contains("line 1, column"), "{threshold}");
            let threshold = Fragment::new("u32(value > limits[i0])").array::<f32>("limits", rows);
            let threshold = reduce::max::<f32>([rows, columns]).map_output::<u32>(threshold).unwrap();
            let own = run_with(case, p, threshold, &[&x], &[("limits", bytemuck::cast_slice(&limits))]).unwrap();
            assert_eq!(own, [1, 0, 1, 0, 1, 0], "{name}");
            let whole: Vec<i32> = x.iter().map(|x| (x * 1000.0) as i32).collect();
            let least = reduce::min::<i32>([rows, columns]).map_output::<f32>(Fragment::new("f32(value) - 0.5")).unwrap();
            let expected: Vec<f32> = whole.chunks(columns).map(|row| *row.iter().min().unwrap() as f32 - 0.5).collect();
            assert_eq!(run(case, p, least, &whole).unwrap(), expected, "{name}");

            // The f64 are compared, but the result is an index.
            let place = || Fragment::new("vec2(f32(value), f32(i0))");
            let argmax = reduce::argmax::<f32>([rows, columns]).map_output::<[f32; 2]>(place()).unwrap();
            let at = |row: &Vec<f64>| row.iter().position(|&x| x == largest(row)).unwrap();
            let expected: Vec<[f32; 2]> = wide.iter().enumerate().map(|(i, row)| [at(row) as f32, i as f32]).collect();
            assert_eq!(run(case, p, argmax, &x).unwrap(), expected, "{name}");
            let argmax = reduce::argmax::<f64>([rows, columns]).map_output::<[f32; 2]>(place()).unwrap();
            assert_eq!(run(case, p, argmax, &wide.concat()).unwrap(), expected, "{name}");

            let scaled = || Fragment::new("value * 3.0");
            let halves: Vec<f16> = x.iter().map(|&x| f16::from_f32(x)).collect();
            let rounded: Vec<f64> = halves.iter().map(|x| x.to_f64()).collect();
            let mean = reduce::mean::<f16>([rows, columns]).map_output::<f32>(scaled()).unwrap();
            for (own, row) in run(case, p, mean, &halves).unwrap().iter().zip(rounded.chunks(columns)) {
                let expected = row.iter().sum::<f64>() / columns as f64 * 3.0;
                assert!((f64::from(*own) - expected).abs() < 1e-5, "{name}: {own} and {expected}");
            }
            let dot = reduce::dot::<f32>([rows, columns]).map_output::<f32>(scaled()).unwrap();
            near(&run_with(case, p, dot, &[&x, &x], &[]).unwrap(), &|row| 3.0 * squares(row), name);
            let variance = reduce::variance::<f32>([rows, columns]).map_output::<f32>(scaled()).unwrap();
            let expected = |row: &[f64]| {
                let mean = row.iter().sum::<f64>() / columns as f64;
                3.0 * row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / columns as f64
            };
            near(&run(case, p, variance, &x).unwrap(), &expected, name);
            let custom = reduce::custom::<f32>([rows, columns], "max(a, b)", -1e30).unwrap();
            let custom = custom.map_output::<f32>(scaled()).unwrap();
            near(&run(case, p, custom, &x).unwrap(), &|row| 3.0 * largest(row), name);
            let z: Vec<Complex32> = x.iter().map(|&x| Complex32::new(x, 2.0 * x)).collect();
            let length = reduce::sum::<Complex32>([rows, columns]).map_output::<f32>(Fragment::new("length(value)")).unwrap();
            near(&run(case, p, length, &z).unwrap(), &|row| row.iter().sum::<f64>().abs() * 5f64.sqrt(), name);
        }
    }
}

#[test]
fn results_that_cannot_be_mapped_are_refused() {
    let profile = &profiles()[0];
    for error in [
        reduce::sum::<f64>(8).map_output::<f32>(Fragment::new("f32(value)")).unwrap_err(),
        reduce::min::<f64>(8).map_output::<f32>(Fragment::new("1.0")).unwrap_err(),
        reduce::max_abs_diff::<f64>(8).map_output::<u32>(Fragment::new("1u")).unwrap_err(),
    ] {
        assert!(matches!(error, Error::Unsupported { .. }) && error.to_string().contains("the results have 64 bits"), "{error}");
    }
    for (text, place) in [
        ("value *\n    NaN", "line 2, column 5: no definition in scope for identifier: `NaN`"),
        ("u32(value)", "line 1, column"),
        ("value * f32(i2)", "line 1, column 13"),
        ("value; 0.0", "line 1, column 6"),
        ("value * f0", "line 1, column 9"),
        ("0.0 / 0.0", "line 1, column"),
    ] {
        let error = reduce::sum::<f32>([8, 8]).map_output::<f32>(Fragment::new(text)).unwrap_err();
        assert!(matches!(error, Error::Parse { .. }) && error.to_string().contains(place), "{text}: {error}");
    }
    let spec = reduce::mean::<f16>([8, 4]).axes([1]).map_output::<u32>(Fragment::new("u32(value)")).unwrap();
    assert_eq!(spec.to_string(), "mean f16 8x4 axes=1 to u32 by `u32(value)`");
    let spec = spec.map_input::<u8>(Fragment::new("f32(value)")).unwrap();
    assert_eq!(spec.to_string(), "mean f32 8x4 axes=1 from u8 by `f32(value)` to u32 by `u32(value)`");
    assert!(spec.to_string().parse::<Reduction<f32, u32>>().is_err());
    // The second replaces the first, and sees what it saw.
    let again = spec.map_output::<f32>(Fragment::new("value + 0.5")).unwrap();
    let own = run(&Case::new(&[8, 4], 1, Some(&[1])), profile, again, &[2u8; 32]).unwrap();
    assert_eq!(own, [2.5; 8]);
    // One name, two arrays.
    let array = |len| Fragment::new("value + table[0]").array::<f32>("table", len);
    let spec = reduce::sum::<f32>(8).map_input::<f32>(array(4)).unwrap().map_output::<f32>(array(5)).unwrap();
    let error = spec.lower(&spec.design(profile).unwrap(), profile).unwrap_err();
    assert!(error.to_string().contains("two different arrays `table`"), "{error}");
}

/// The input is that of the reduction, and the output has the form of the fragment's.
#[test]
fn mapped_results_are_verified_as_what_they_are() {
    let spec = reduce::sum::<f32>(1000).map_output::<[f16; 2]>(Fragment::new("vec2(value, 1.0)")).unwrap();
    let verification = spec.verification();
    assert_eq!(verification.input, reduce::sum::<f32>(1000).verification().input);
    assert!(matches!(verification.output, Tolerance::Numbers(Format::F16, _)), "{verification:?}");
    assert!(spec.samples(&[0; 1000]).is_empty());
}
