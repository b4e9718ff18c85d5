//! Windows and frequencies against SciPy's; cyclic shifts under all checks of the interpreter.

use proptest::prelude::*;
use wgpu_fft::low_level::tune::Tunable;
use wgpu_fft::signal::Roll;
use wgpu_fft::signal::frequency::{fftfreq, rfftfreq};
use wgpu_fft::signal::window::Window;
use wgpu_fft::{Complex32, DeviceProfile, Element, Error, Spec};

use crate::permute::elements;
use crate::rolls::{self, CASES, ROLLS};
use crate::sanitized::RunOnHost;
use crate::variants::profiles;

/// The numbers that a line of tests/data/signal.txt stands for.
fn own(line: &str) -> wgpu_fft::Result<Vec<f64>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let parameter = || words[1].parse::<f64>().unwrap();
    let n = words.last().unwrap().parse::<usize>().unwrap();
    let window = match words[0] {
        "fftfreq" => return fftfreq(n, parameter()),
        "rfftfreq" => return rfftfreq(n, parameter()),
        "boxcar" => Window::Boxcar,
        "hann" => Window::Hann,
        "hamming" => Window::Hamming,
        "blackman" => Window::Blackman,
        "blackman-harris" => Window::BlackmanHarris,
        "kaiser" => Window::Kaiser { beta: parameter() },
        "tukey" => Window::Tukey { alpha: parameter() },
        "gaussian" => Window::Gaussian { std: parameter() },
        other => panic!("{other}"),
    };
    match words[words.len() - 2] {
        "periodic" => window.periodic(n),
        "symmetric" => window.symmetric(n),
        other => panic!("{other}"),
    }
}

#[test]
fn windows_and_frequencies_are_those_of_scipy() {
    let mut lines = 0;
    for line in include_str!("../data/signal.txt").lines().filter(|line| !line.starts_with('#')) {
        let (head, values) = line.split_once(':').unwrap();
        let expected: Vec<f64> = values.split_whitespace().map(|value| value.parse().unwrap()).collect();
        let actual = own(head).unwrap();
        assert_eq!(actual.len(), expected.len(), "{head}");
        let largest = expected.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        // The exponential function multiplies the rounding of a Kaiser window's beta.
        let times = if head.starts_with("kaiser") { 1.0 + head.split(' ').nth(1).unwrap().parse::<f64>().unwrap() } else { 1.0 };
        for (k, (own, exact)) in actual.iter().zip(&expected).enumerate() {
            assert!((own - exact).abs() <= 1e-15 * times * largest, "{head}, sample {k}: {own:e} and {exact:e}");
        }
        lines += 1;
    }
    assert_eq!(lines, 246);
}

/// Runs a case by the default recipe and by those of `by_hand` that fit. Returns how many fit.
fn shift<T: Element + PartialEq>(case: (&[usize], usize, &[isize]), profile: &DeviceProfile, by_hand: &[&str]) -> usize {
    let spec = rolls::spec::<T>(case);
    let rules = spec.design(profile).unwrap();
    let mut count = 0;
    for recipe in [rules].into_iter().chain(by_hand.iter().map(|text| text.parse().unwrap())) {
        let program = match spec.lower(&recipe, profile) {
            Ok(program) => program,
            Err(Error::UnfitRecipe { .. }) if recipe != rules => continue,
            Err(error) => panic!("{spec} by {recipe} on {}: {error}", profile.name),
        };
        program.check(profile).unwrap();
        let input = elements::<T>(program.inputs()[0].len);
        assert!(program.run_on_host::<T, T>(&input) == rolls::expected(&input, case.0, case.2), "{program} by {recipe}");
        count += 1;
    }
    count
}

fn shift_every_size(case: (&[usize], usize, &[isize]), profile: &DeviceProfile, by_hand: &[&str]) -> usize {
    shift::<u8>(case, profile, by_hand)
        + shift::<u16>(case, profile, by_hand)
        + shift::<u32>(case, profile, by_hand)
        + shift::<[u32; 2]>(case, profile, by_hand)
        + shift::<[u32; 4]>(case, profile, by_hand)
}

#[test]
fn shifts_move_every_element_once() {
    for profile in profiles() {
        for case in CASES {
            assert!(shift_every_size(case, &profile, &ROLLS) > 5 * 2, "{case:?}");
        }
    }
}

/// Arrays larger than one binding run in several dispatches.
#[test]
fn shifts_in_several_bindings() {
    for binding_bytes in [20_000, 4000, 700] {
        let profile = profiles().remove(0).with(|profile| profile.binding_bytes = binding_bytes);
        for case in [(&[15usize, 20, 12][..], 2, &[1isize, 7, -5][..]), (&[99, 51], 1, &[50, 0]), (&[6011], 1, &[2999]), (&[1000], 6, &[0])]
        {
            shift_every_size(case, &profile, &[]);
            let program = rolls::spec::<u32>(case).lower(&ROLLS[0].parse().unwrap(), &profile).unwrap();
            assert!(program.dispatch_count() > 1, "{program}");
        }
    }
    let profile = DeviceProfile::webgpu_defaults().with(|profile| profile.binding_bytes = 256);
    let error = Roll::<u8>::fftshift(100_003).lower(&ROLLS[1].parse().unwrap(), &profile).unwrap_err();
    assert!(matches!(error, Error::LimitExceeded { limit: "max_storage_buffer_binding_size", .. }), "{error}");
}

/// Elements that permutations do not take.
#[test]
fn elements_of_several_words_are_shifted() {
    #[derive(Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
    #[repr(C)]
    struct Triple([u32; 3]);
    impl Element for Triple {
        const NAME: &'static str = "triple";
    }
    for case in CASES {
        shift::<Triple>(case, &profiles()[0], &ROLLS);
    }
    #[derive(Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
    #[repr(C)]
    struct Odd([u8; 3]);
    impl Element for Odd {
        const NAME: &'static str = "odd";
    }
    assert!(matches!(Roll::<Odd>::fftshift(5).design(&profiles()[0]), Err(Error::Unsupported { .. })));
}

#[test]
fn centred_spectra_are_those_of_numpy() {
    let profile = &profiles()[0];
    let run = |spec: Roll<u32>, n: u32| {
        let program = spec.lower(&spec.design(profile).unwrap(), profile).unwrap();
        program.run_on_host::<u32, u32>(&(0..n).collect::<Vec<_>>())
    };
    assert_eq!(run(Roll::fftshift(5), 5), [3, 4, 0, 1, 2]);
    assert_eq!(run(Roll::ifftshift(5), 5), [2, 3, 4, 0, 1]);
    assert_eq!(run(Roll::fftshift([2, 3]), 6), [5, 3, 4, 2, 0, 1]);
    assert_eq!(run(Roll::fftshift([2, 3]).axes(1), 6), [2, 0, 1, 5, 3, 4]);
    assert_eq!(run(Roll::new([2, 2], [1, 0]).batch(2), 8), [2, 3, 0, 1, 6, 7, 4, 5]);
    assert_eq!(Roll::<f32>::new([4, 5], [4, -6]), Roll::new([4, 5], [-8, 4]));
    assert_eq!(Roll::<f32>::fftshift([4, 5]).axes([1]), Roll::new([4, 5], [0, 2]));
}

/// All that a search may try gives the same result, and single elements of it are known.
fn search<T: Element + PartialEq>(case: (&[usize], usize, &[isize]), profile: &DeviceProfile) {
    let spec = rolls::spec::<T>(case);
    let rules = spec.design(profile).unwrap();
    let near = Spec::neighbours(&spec, &rules, profile);
    assert!(!near.contains(&rules));
    let input = elements::<T>(spec.lower(&rules, profile).unwrap().inputs()[0].len);
    let expected = rolls::expected(&input, case.0, case.2);
    for recipe in near.into_iter().chain(Spec::alternatives(&spec, profile)).chain([Spec::baseline(&spec, profile).unwrap()]) {
        let program = spec.lower(&recipe, profile).unwrap();
        assert!(program.run_on_host::<T, T>(&input) == expected, "{program} by {recipe}");
    }
    let samples = spec.samples(&bytemuck::pod_collect_to_vec(&input));
    let mut output: Vec<u32> = bytemuck::pod_collect_to_vec(&expected);
    assert!(!samples.is_empty() && samples.iter().all(|sample| sample.fault(&output).is_none()), "{spec}");
    output.iter_mut().for_each(|word| *word = !*word);
    assert!(samples.iter().all(|sample| sample.fault(&output).is_some()), "{spec}");
}

#[test]
fn what_a_search_tries_is_right() {
    for profile in &profiles()[..2] {
        for case in [CASES[1], CASES[8], CASES[11], CASES[14]] {
            search::<u8>(case, profile);
            search::<u32>(case, profile);
            search::<[u32; 4]>(case, profile);
        }
    }
}

#[test]
fn mistakes_in_shifts_are_named() {
    let profile = &profiles()[0];
    let why = |spec: Roll<f32>| spec.design(profile).unwrap_err().to_string();
    assert!(why(Roll::new([4, 5], [1])).contains("it has 1 shifts, but the shape has 2 axes"));
    assert!(why(Roll::fftshift([4, 5]).axes([2])).contains("axis 2: the axes of 4x5 are 0 to 1"));
    assert!(why(Roll::fftshift([4, 5]).axes([1, 1])).contains("axis 1 is given twice"));
    assert!(matches!(Roll::<f32>::fftshift([4, 0]).design(profile), Err(Error::Empty { .. })));
    assert!(matches!(Roll::<f32>::fftshift(8).batch(0).design(profile), Err(Error::Empty { .. })));
    assert!(matches!(Roll::<f32>::fftshift([2, 2, 2, 2, 2]).design(profile), Err(Error::Unsupported { .. })));
    assert!(matches!(Roll::<u8>::fftshift([1 << 20, 1 << 12]).design(profile), Err(Error::LimitExceeded { .. })));
    let unfit = |spec: Roll<u16>, recipe: &str| spec.lower(&recipe.parse().unwrap(), profile).unwrap_err();
    for recipe in ["roll 0x4 elements=1", "roll 64x64 elements=1", "roll 8x8 elements=2", "roll 8x8 elements=0"] {
        assert!(matches!(unfit(Roll::fftshift(9), recipe), Error::UnfitRecipe { .. }), "{recipe}");
    }
    assert!("roll f32 4x5".parse::<Roll<f32>>().is_err() && "roll f32 4x5 by=1,a".parse::<Roll<f32>>().is_err());
    assert!(
        "roll f64 4x5 by=1,1".parse::<Roll<f32>>().is_err() && "roll 8x8".parse::<wgpu_fft::low_level::recipes::signal::Roll>().is_err()
    );
}

proptest! {
    #[test]
    fn random_shifts(
        shape in proptest::collection::vec(1usize..20, 1..=4),
        shifts in proptest::collection::vec(-30isize..30, 4),
        batch in 1usize..4,
    ) {
        let case = (&shape[..], batch, &shifts[..shape.len()]);
        for profile in &profiles()[..2] {
            shift::<u8>(case, profile, &[]);
            shift::<[u32; 2]>(case, profile, &[]);
        }
    }

    /// Specifications are read as they are printed, also those that planning refuses.
    #[test]
    fn shifts_are_read_as_they_are_printed(
        shape in proptest::collection::vec(0usize..2000, 1..=4),
        shifts in proptest::collection::vec(any::<isize>(), 0..6),
        axes in any::<Option<Vec<usize>>>(),
        batch in any::<usize>(),
    ) {
        let spec = Roll::<Complex32>::new(&shape, &shifts).batch(batch);
        let spec = axes.map_or(spec.clone(), |axes| spec.axes(axes));
        prop_assert_eq!(spec.to_string().parse(), Ok(spec));
    }
}
