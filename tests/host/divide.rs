//! Reductions in pieces, run on the host, and how arrays are cut.

use wgpu_fft::elements::Value;
use wgpu_fft::low_level::divide::reduction::{self as divide, Division};
use wgpu_fft::low_level::recipes::reduce::Recipe;
use wgpu_fft::reduce::{self, Reduction};
use wgpu_fft::{Complex32, DeviceProfile, Element, Error, Fragment, Layout, Spec};

use crate::division::{Devices, Divided, in_lines, in_parts, in_pieces};
use crate::lists::share;
use crate::reductions::{Case, Runner, axes_of_every_kind};
use crate::reference::noise;
use crate::sanitized::RunOnHost;
use crate::variants::profiles;

/// Devices that take turns.
struct Profiles(Vec<DeviceProfile>);

impl Devices for Profiles {
    fn run<S: Spec>(&self, turn: usize, spec: S, x: &[S::Input], y: Option<&[S::Input]>) -> Vec<S::Output> {
        let profile = &self.0[turn % self.0.len()];
        let program = spec.design(profile).and_then(|recipe| spec.lower(&recipe, profile));
        let program = program.unwrap_or_else(|error| panic!("{}: `{spec}`: {error}", profile.name));
        program.check(profile).unwrap();
        if let Some(y) = y { program.run_two_on_host(x, y) } else { program.run_on_host(x) }
    }

    fn depth<T: Value, O: Element>(&self, spec: &Reduction<T, O>) -> u32 {
        spec.depth(&spec.design(&self.0[0]).unwrap()).unwrap()
    }

    fn names(&self) -> String {
        self.0.iter().map(|profile| profile.name.clone()).collect::<Vec<_>>().join(", ")
    }

    fn has_f64(&self) -> bool {
        self.0.iter().all(|profile| profile.f64)
    }

    fn has_custom(&self) -> bool {
        true
    }
}

/// All profiles with one more for small workgroups, and those of them with f64.
fn on_profiles() -> [Divided<Profiles>; 2] {
    let tiny = DeviceProfile::webgpu_defaults().with(|profile| {
        profile.name = "tiny".to_owned();
        profile.invocations = 4;
        profile.workgroup_size = [4, 1, 1];
        profile.binding_bytes = 1 << 17;
    });
    let with_f64 = profiles().into_iter().filter(|profile| profile.f64).collect();
    [Divided(Profiles(profiles().into_iter().chain([tiny]).collect())), Divided(Profiles(with_f64))]
}

/// Every operation on every type; f64 only where all devices support it.
fn check(case: &Case) {
    let [all, with_f64] = on_profiles();
    case.check(&all);
    case.check_f64(&with_f64);
}

#[test]
fn pieces_of_every_kind_of_axes_have_the_bits_of_the_whole() {
    share(axes_of_every_kind(), 6, 0).for_each(|case| check(&case));
}

#[test]
fn pieces_of_larger_arrays_have_the_bits_of_the_whole() {
    share(in_lines(), 5, 2).chain(share(in_parts(), 6, 1)).for_each(|case| check(&case));
}

#[test]
fn pieces_of_long_arrays_have_the_bits_of_the_whole() {
    let [all, _] = on_profiles();
    let all_cases = [(&[300_001][..], &[0][..]), (&[1 << 19], &[0]), (&[3000, 100], &[0]), (&[3, 100_000], &[1])];
    for (shape, axes) in share(all_cases, 2, 0) {
        let case = Case::new(shape, 1, Some(axes));
        let [x, y] = [noise(case.len(), 3), noise(case.len(), 4)];
        for spec in [reduce::sum::<f32>(case.shape()), reduce::norm(case.shape()), reduce::mean(case.shape())] {
            Runner::run(&all, spec.axes(axes), None, &x, None);
        }
        Runner::run(&all, reduce::argmin::<f32>(case.shape()).axes(axes), None, &x, None);
        Runner::run(&all, reduce::dot::<f32>(case.shape()).axes(axes), None, &x, Some(&y));
    }
}

#[test]
fn pieces_of_mapped_elements_have_the_bits_of_the_whole() {
    let [all, _] = on_profiles();
    for (shape, axes, fragment) in [
        (&[3000, 100][..], &[0][..], "value * f32(i0 % 7u)"),
        (&[9, 10_000], &[1], "value + f32(i1 % 5u)"),
        (&[20_000], &[0], "value * value"),
    ] {
        let case = Case::new(shape, 1, Some(axes));
        let spec = reduce::sum::<f32>(case.shape()).axes(axes).map_input::<f32>(Fragment::new(fragment)).unwrap();
        assert_ne!(divide::division(&spec).unwrap().units(), 1, "{spec}");
        Runner::run(&all, spec, None, &noise(case.len(), 3), None);
    }
}

#[test]
fn arrays_are_cut_as_their_axes_say() {
    let of = |shape: &[usize], batch, axes: &[usize]| {
        let spec = reduce::sum::<Complex32>(shape).batch(batch).axes(axes);
        divide::division(&spec).unwrap()
    };
    let lines = |outer, extent, inner, results| Division::Lines { outer, extent, inner, results };
    // One part, and several parts for more elements: 256 values side by side, up to 8 rows of them,
    // in pairs, with parts as equal as whole rows allow.
    assert_eq!(of(&[4096], 1, &[0]), Division::Whole { elements: 4096, results: 1 });
    // Elements with gaps stay together.
    let padded = reduce::sum::<f32>([64, 1000]).axes([1]).input_layout(Layout::strides([1024, 1]));
    assert_eq!(divide::division(&padded).unwrap(), Division::Whole { elements: 63 * 1024 + 1000, results: 64 });
    // So do those whose results fragments map, and those whose fragments need other numbers than the
    // element and its indices among those that are reduced with it.
    let whole = Division::Whole { elements: 90_000, results: 9 };
    let rows = || reduce::sum::<f32>([9, 10_000]).axes([1]);
    let mapped = |fragment| divide::division(&rows().map_input::<f32>(fragment).unwrap()).unwrap();
    assert_eq!(mapped(Fragment::new("value + f32(i0)")), whole);
    assert_eq!(mapped(Fragment::new("value * more[0]").array::<f32>("more", 1)), whole);
    assert_eq!(mapped(Fragment::new("value + f32(i1)")), lines(1, 9, 10_000, 1));
    assert_eq!(divide::division(&rows().map_output::<u32>(Fragment::new("u32(value)")).unwrap()).unwrap(), whole);
    assert_eq!(of(&[10_000], 1, &[0]), Division::Parts { unit: 3584, units: 3, last: 2832, words: 2 });
    assert_eq!(of(&[1, 100, 100], 1, &[1, 2]), of(&[10_000], 1, &[0]));
    // Parts of rows. If there are too few rows, columns.
    assert_eq!(of(&[200, 128], 1, &[0]), Division::Parts { unit: 7168, units: 4, last: 4096, words: 256 });
    assert_eq!(of(&[20, 128], 1, &[0]), lines(20, 128, 1, 1));
    // The slowest kept axis. Neighbouring axes are joined, including the batch.
    assert_eq!(of(&[10_000], 3, &[0]), lines(1, 3, 10_000, 1));
    assert_eq!(of(&[4, 5, 6], 2, &[2]), lines(1, 40, 6, 1));
    assert_eq!(of(&[4, 5, 6], 2, &[0]), lines(1, 2, 120, 30));
    assert_eq!(of(&[400, 5, 600], 1, &[0, 2]), lines(400, 5, 600, 1));
    assert_eq!(of(&[3, 4, 5, 6], 1, &[0, 2]), lines(3, 4, 30, 6));
    for (cases, in_parts) in [(in_parts(), true), (in_lines(), false)] {
        for case in cases {
            let spec = case.of(reduce::sum::<f32>(case.shape()));
            let division = divide::division(&spec).unwrap();
            assert_eq!(matches!(division, Division::Parts { .. }), in_parts, "{spec}: {division:?}");
            assert_eq!(division.elements(&(0..division.units())), case.len(), "{spec}");
        }
    }
    assert!(matches!(divide::division(&reduce::sum::<f32>([4, 0])), Err(Error::Empty { .. })));
    assert!(divide::division(&reduce::sum::<f32>(4).axes([1])).is_err());
}

#[test]
fn shares_that_there_are_not_are_refused() {
    let profile = &profiles()[2];
    let unfit = |share: Result<Recipe, Error>, why: &str| {
        let error = share.unwrap_err();
        assert!(matches!(error, Error::Unsupported { .. }) && error.to_string().contains(why), "{error}");
    };
    let (long, rows, short) = (reduce::sum::<f32>(20_000), reduce::sum::<f32>([9, 8]).axes([1]), reduce::sum::<f32>(10));
    for parts in [0..0, 2..4, 3..4, 7..usize::MAX] {
        unfit(divide::partial(&long, parts).design(profile), "3 parts");
    }
    unfit(divide::piece(&long, 1).design(profile), "3 parts");
    for count in [0, 10, usize::MAX] {
        unfit(divide::piece(&rows, count).design(profile), "9 lines");
    }
    unfit(divide::partial(&rows, 0..1).design(profile), "9 lines");
    unfit(divide::join(&rows).design(profile), "9 lines");
    unfit(divide::join(&short).design(profile), "cannot be cut");
    let mapped = long.clone().map_output::<f32>(Fragment::new("sqrt(value)")).unwrap();
    unfit(divide::partial(&mapped, 0..1).design(profile), "cannot be cut");
    unfit(divide::join(&mapped).design(profile), "cannot be cut");
    unfit(divide::piece(&rows.clone().map_output::<f32>(Fragment::new("value")).unwrap(), 1).design(profile), "cannot be cut");
    unfit(divide::join(&reduce::sum::<f64>(20_000)).design(profile), "SHADER_F64");
    for text in ["tree 64", "workgroup=8", "workgroup=64 lanes=64 width=4 accumulators=4 parts=2 join"] {
        let error = divide::partial(&long, 0..2).lower(&text.parse().unwrap(), profile).unwrap_err();
        assert!(matches!(error, Error::UnfitRecipe { .. }) && error.to_string().contains("order across devices"), "{error}");
    }
}

#[test]
fn shares_print_themselves() {
    let spec = reduce::sum::<f32>(20_000);
    assert_eq!(divide::partial(&spec, 1..3).to_string(), "sum f32 20000 across-devices, parts 1..3");
    assert_eq!(divide::join(&spec).to_string(), "sum f32 20000 across-devices, joined");
    assert_eq!(divide::piece(&reduce::max::<u32>([9, 8]).axes([1]), 4).to_string(), "max u32 9x8 axes=1 across-devices, 4 lines");
    assert_eq!(divide::join(&spec), divide::join(&spec.clone().across_devices()));
}

/// The comparison detects another order: partial results in another order, and sums of pieces that
/// are not parts.
#[test]
fn the_comparison_can_fail() {
    let devices = Profiles(profiles());
    let (x, spec) = (noise(300_000, 3), reduce::sum::<f32>(300_000).across_devices());
    let whole = devices.run(0, spec.clone(), &x, None)[0].to_bits();
    let units = divide::division(&spec).unwrap().units();
    assert_eq!(in_pieces(&devices, 0, &spec, &[0, 5, units], &x, None)[0].to_bits(), whole);
    let mut partials = devices.run(0, divide::partial(&spec, 0..units), &x, None);
    assert_eq!(devices.run(0, divide::join(&spec), &partials, None)[0].to_bits(), whole);
    let swapped = (1..units).any(|i| {
        partials.swap(0, i);
        let sum = devices.run(0, divide::join(&spec), &partials, None)[0].to_bits();
        partials.swap(0, i);
        sum != whole
    });
    assert!(swapped, "the order of the parts makes no difference");
    let halves: Vec<f32> = x.chunks(150_000).map(|half| devices.run(0, reduce::sum::<f32>(half.len()), half, None)[0]).collect();
    assert_ne!((halves[0] + halves[1]).to_bits(), whole, "any order will do");
}
