//! Recipes of every operation with random changes: each is refused with an error, or its program
//! can be made. `WGPU_FFT_FUZZ` is the number of cases.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use fastrand::Rng;
use wgpu_fft::fft::{C2c, C2r, R2c, R2r};
use wgpu_fft::low_level::recipes::fft::Adapt;
use wgpu_fft::low_level::recipes::fft::{AxisRecipe, PassRecipe, Recipe};
use wgpu_fft::reduce;
use wgpu_fft::signal::{
    self, Convolve, DirectFilter, Frequencies, PhaseCorrelate, RadialAverage, Resample, Roll, SeparableFilter, SpectralFilter, Zoom,
};
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Complex32, DeviceProfile, Edge, Error, Fragment, Spec};

use crate::changes::cases;
use crate::cores::on_all_cores;
use crate::filters;
use crate::frames;
use crate::lists::asks_for_all;
use crate::mutated::mutated;
use crate::permute::{MAPPED, PERMUTATIONS};
use crate::recipes_by_hand::{COMPLEX, HALVES_IN_LANES, LANES, REAL, TRANSPOSES};
use crate::reductions;
use crate::rings;
use crate::rolls::ROLLS;
use crate::subject::Subject;
use crate::variants::profiles;

/// Longer than any case may take.
const HANG: Duration = Duration::from_secs(30);

/// A specification with recipes by hand.
type Own = (Subject, Vec<&'static str>);

/// Every operation, in several forms.
fn subjects() -> Vec<Own> {
    let mut all: Vec<Own> = Vec::new();
    macro_rules! add {
        ($by_hand:expr, $($spec:expr),* $(,)?) => {{
            let by_hand: Vec<&'static str> = $by_hand;
            $(all.push((Subject::new($spec), by_hand.clone()));)*
        }};
    }
    let of = |all: &[(&[usize], &'static [&'static str])]| all.iter().flat_map(|(_, own)| own.iter().copied()).collect::<Vec<_>>();
    let complex = [of(COMPLEX), of(LANES)].concat();
    let real: Vec<&str> =
        REAL.iter().chain(HALVES_IN_LANES).flat_map(|(_, both)| both.iter().flat_map(|own| own.iter().copied())).collect();
    let read = |text: &str| text.parse::<C2c>().unwrap();
    for text in [
        "c2c fwd 8",
        "c2c fwd 64 x3",
        "c2c inv 240 x2 in-place",
        "c2c fwd 37 x4",
        "c2c fwd 1",
        "c2c fwd 1024",
        "c2c fwd 65536",
        "c2c inv 16x64 x2",
        "c2c fwd 12x20 transposed",
        "c2c fwd 4x6x10 x2",
        "c2c fwd 64x64 in-place",
        "c2c fwd 8x4x12 axes=0,2",
    ] {
        add!(complex.clone(), read(text));
    }
    add!(
        complex.clone(),
        C2c::forward([12, 20]).f64(),
        C2c::forward([16, 64]).f64_by_f32(),
        C2c::forward([12, 20]).output_part([3..7, 0..20]),
        C2c::forward([16, 64]).map_input::<f32>(Fragment::new("vec2(value, f32(i0))")).unwrap(),
        C2c::forward([4, 6, 10]).axis_kind(1, wgpu_fft::fft::RealKind::DctII),
    );
    for text in ["r2c fwd 60 x5", "r2c fwd 12x20", "r2c fwd 3x4x15 in-place", "r2c fwd 67 x4", "r2c fwd 12x64"] {
        add!(real.clone(), text.parse::<R2c>().unwrap());
    }
    for text in ["c2r inv 60 x5", "c2r inv 12x20", "c2r inv 3x4x15", "c2r inv 4x3x24 in-place", "c2r inv 1"] {
        add!(real.clone(), text.parse::<C2r>().unwrap());
    }
    for text in ["r2r dct1 9 x3", "r2r dct2 12x20", "r2r dst4 37", "r2r dct3,dst1 8x15", "r2r hartley 60 x2", "r2r hc2r 24"] {
        add!(real.clone(), text.parse::<R2r>().unwrap());
    }
    let transposes: Vec<&str> = TRANSPOSES.iter().chain(PERMUTATIONS.iter()).copied().collect();
    add!(
        transposes.clone(),
        Permute::<u8>::transpose([65, 67]),
        Permute::<f32>::transpose([61, 61]).in_place(),
        Permute::<Complex32>::new([5, 16, 12], [2, 0, 1]).batch(2),
        Permute::<[u32; 4]>::new([4, 1, 6], [1, 0, 2]),
    );
    add!(MAPPED.to_vec(), Permute::<f32>::transpose([20, 33]).map_input::<u8>(Fragment::new("f32(value + i0)")).unwrap());
    add!(
        reductions::RECIPES.to_vec(),
        reduce::sum::<f32>(20_000),
        reduce::sum::<f64>([30, 24]).axes([0]),
        reduce::argmax::<i32>([6, 500]).axes([1]),
        reduce::mean::<Complex32>([10, 12, 6]).axes([0, 2]),
        reduce::variance::<f32>([8, 300]).axes([1]),
        reduce::sum::<f32>([7, 40]).axes([1]).map_input::<u8>(Fragment::new("f32(value)")).unwrap(),
    );
    let boxes = || SeparableFilter::<f32>::correlation([20, 36]).kernel(0, vec![0.5; 3]).kernel(1, vec![0.25; 12]);
    add!(filters::RECIPES.to_vec(), boxes(), DirectFilter::<u8>::convolution([20, 32], [3, 5], [0.5; 15]));
    let response = || Fragment::new("vec2(1.0 / (1.0 + f0 * f0), 0.0)");
    add!(
        real.clone(),
        SpectralFilter::real([40], response()).unwrap(),
        SpectralFilter::complex([12, 20], response()).unwrap().batch(2),
        Resample::<f32>::new([20, 30], [31, 16]),
        Resample::<Complex32>::new(40, 25).batch(3),
        Frequencies::<Complex32>::new([3, 100], [0.1, 0.2]),
        Frequencies::<f32>::bins([12, 20], [0, 1, 5, 9, 11]).axis(0),
        Zoom::<f32>::new(100, [0.1, 0.2], 30),
        Zoom::<Complex32>::new([12, 20], [0.0, 0.5], 9).axis(0),
        "convolve f32 48x64 by 5x7 same".parse::<Convolve<f32>>().unwrap(),
        "correlate complex f32 100 by 20".parse::<Convolve<Complex32>>().unwrap(),
        PhaseCorrelate::new([24, 40]).batch(2),
        signal::delay::<f32>(100, &[0.5]).unwrap(),
        signal::analytic([5, 60], 1).unwrap(),
        frames::Case::new(300, 24, 7, 32).spec::<f32>(),
        {
            let mut own = frames::Case::new(200, 15, 4, 15);
            own.edge = Edge::Mirror;
            own.spec::<Complex32>()
        },
        frames::Case::new(300, 24, 7, 32).spec::<f32>().inverse().unwrap(),
        frames::Welch::new(300, 32, 16, 32).spec::<f32>(),
    );
    add!(ROLLS.to_vec(), "roll f32 48x64 by=24,32".parse::<Roll<f32>>().unwrap(), "roll u8 5x7x3 by=1,-2,0".parse::<Roll<u8>>().unwrap());
    add!(rings::RECIPES.to_vec(), RadialAverage::new([48, 64]), RadialAverage::new([7, 8, 9]).batch(2));
    all
}

/// What a caller and a search do with the text of a recipe.
fn try_out(subject: &Subject, recipe: &str, profile: &DeviceProfile, rng: &mut Rng) -> bool {
    let program = subject.program(recipe, profile);
    if let Err(error) = &program {
        let foreseen = matches!(
            error,
            Error::Parse { .. } | Error::UnfitRecipe { .. } | Error::LimitExceeded { .. } | Error::Unsupported { .. } | Error::Empty { .. }
        );
        assert!(foreseen && !error.to_string().is_empty(), "{error:?}");
    }
    if rng.u8(0..8) == 0 {
        subject.neighbours(recipe, profile);
    }
    if rng.u8(0..8) == 0 {
        adapt(&subject.spec.to_string(), recipe, profile);
    }
    program.is_ok()
}

/// The same arithmetic on another device.
fn adapt(spec: &str, recipe: &str, profile: &DeviceProfile) {
    let Ok(recipe) = recipe.parse::<Recipe>() else { return };
    if let Ok(spec) = spec.parse::<C2c>() {
        let _ = (spec.adapted(&recipe, profile), spec.axes_apart(&recipe));
    } else if let Ok(spec) = spec.parse::<R2c>() {
        let _ = (spec.adapted(&recipe, profile), spec.axes_apart(&recipe));
    } else if let Ok(spec) = spec.parse::<C2r>() {
        let _ = (spec.adapted(&recipe, profile), spec.axes_apart(&recipe));
    }
}

#[test]
fn changed_recipes_are_refused_or_become_programs() {
    // They are not shared between threads.
    thread_local!(static SUBJECTS: Vec<Own> = subjects());
    let cases = cases(if asks_for_all() { 4000 } else { 1500 }) as usize;
    let (names, profiles): (Vec<String>, _) = (SUBJECTS.with(|all| all.iter().map(|(own, _)| own.spec.to_string()).collect()), profiles());
    // What each begins with: the rules' recipes, those near them, and those by hand.
    let of_subject = |(subject, by_hand): &Own| {
        let mut all: Vec<String> = profiles.iter().filter_map(|profile| subject.design(profile).ok()).collect();
        let near = profiles.iter().flat_map(|profile| all[..1].iter().flat_map(|own| subject.neighbours(own, profile)).take(12));
        let near: Vec<String> = near.collect();
        all.extend(near.into_iter().chain(by_hand.iter().map(ToString::to_string)));
        all
    };
    let begins = on_all_cores(names.len(), |own| SUBJECTS.with(|all| of_subject(&all[own])));
    let outcomes = on_all_cores(cases, |case| {
        let mut rng = Rng::with_seed(case as u64);
        let own = case % names.len();
        // Now and then the recipe of another operation.
        let from = if rng.u8(0..20) == 0 { rng.usize(..names.len()) } else { own };
        let begin = rng.usize(..begins[from].len());
        let recipe = mutated(&mut |count| rng.u64(..count.max(1)), &begins[from][begin]);
        let profile = &profiles[rng.usize(..profiles.len())];
        let begin = Instant::now();
        let what = || format!("`{}` by `{recipe}` on {}", names[own], profile.name);
        let mut run = || SUBJECTS.with(|all| try_out(&all[own].0, &recipe, profile, &mut rng));
        let is_made = catch_unwind(AssertUnwindSafe(&mut run)).map_err(|_| what());
        assert!(begin.elapsed() < HANG, "{} took {:?}", what(), begin.elapsed());
        (recipe.parse::<Recipe>().is_ok(), is_made)
    });
    let parsed = outcomes.iter().filter(|(is_recipe, _)| *is_recipe).count();
    let made: Vec<usize> = (0..cases).filter(|&case| outcomes[case].1 == Ok(true)).map(|case| case % names.len()).collect();
    println!("{cases} changed recipes: {parsed} are recipes of a transform, {} became programs", made.len());
    let panics: Vec<&String> = outcomes.iter().filter_map(|(_, is_made)| is_made.as_ref().err()).collect();
    assert!(panics.is_empty(), "{} panic: {:#?}", panics.len(), &panics[..panics.len().min(20)]);
    let never: Vec<&String> = (0..names.len()).filter(|own| !made.contains(own)).map(|own| &names[own]).collect();
    assert!(never.is_empty() || cases < 100 * names.len(), "nothing became a program of {never:?}");
    assert!(made.len() > cases / 10, "{} of {cases} changed recipes became programs", made.len());
}

/// Axes in the reverse order, which no text of this crate has, are refused with that reason; so is
/// what a caller makes by hand.
#[test]
fn axes_that_run_backwards_are_refused() {
    let profile = &profiles()[0];
    for (spec, recipe) in [
        ("c2c fwd 8", "axes 5 to 4: stockham 8 lanes=1; axis 0: stockham 8 lanes=1"),
        ("c2c fwd 8", "axes 1 to 0: stockham 8 lanes=1; axis 0: stockham 8 lanes=1"),
        ("c2c fwd 4x4x4", "axes 2 to 0: stockham 4.4.4 lanes=4"),
        ("c2c fwd 4x4x4", "axes 2 to 0: stockham 4 lanes=1; axes 0 to 2: stockham 4.4.4 lanes=4"),
    ] {
        let (spec, recipe) = (spec.parse::<C2c>().unwrap(), recipe.parse::<Recipe>().unwrap());
        let error = spec.lower(&recipe, profile).unwrap_err();
        assert!(matches!(error, Error::UnfitRecipe { .. }) && error.to_string().contains("the slowest comes first"), "{error}");
        assert!(spec.adapted(&recipe, profile).is_err());
        spec.axes_apart(&recipe).unwrap();
    }
    let mut own = AxisRecipe::new(3, vec!["stockham 8 lanes=1".parse::<PassRecipe>().unwrap()]);
    own.through = 1;
    let error = C2c::forward(8).lower(&Recipe::Axes(vec![own.clone()]), profile).unwrap_err();
    assert!(matches!(error, Error::UnfitRecipe { .. }), "{error}");
    (own.axis, own.through) = (usize::MAX, 0);
    assert!(C2c::forward(8).lower(&Recipe::Axes(vec![own]), profile).is_err());
    assert!(C2c::forward(8).lower(&Recipe::Axes(Vec::new()), profile).is_err());
}

#[test]
fn results_of_all_cores_keep_their_order_and_panics_come_through() {
    assert_eq!(on_all_cores(1000, |case| case * case), (0..1000).map(|case| case * case).collect::<Vec<_>>());
    let panic = catch_unwind(|| on_all_cores(100, |case| assert!(case != 7, "the seventh"))).unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"the seventh"));
}
