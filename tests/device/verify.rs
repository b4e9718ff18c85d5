//! `Plan::verify` and runs that are verified: right results pass, and wrong ones are found.

use wgpu_fft::dynamic::{AnyPlan, AnySpec};
use wgpu_fft::fft::C2c;
use wgpu_fft::plan::Placement;
use wgpu_fft::signal::SpectralFilter;
use wgpu_fft::signal::Stft;
use wgpu_fft::signal::window::Window;
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Complex32, Error, ErrorKind, Fragment, Gpu, GpuOptions, Planner, bytemuck, reduce};

use crate::failures::Faults;
use crate::faults::tries_all;
use crate::harness::*;

/// One of each kind whose definition is summed up, and whether Parseval's theorem applies.
const DEFINED: [(&str, bool); 24] = [
    ("c2c fwd 60x48", true),
    ("c2c inv 1000 x3 1/n", true),
    ("c2c fwd 67 in-place", true),
    ("c2c fwd 4099", true),
    ("c2c fwd 12x10x8 axes=0,2", true),
    ("c2c fwd 96 f64-by-f32", true),
    ("c2c fwd 60x48 in-as=complex-f16 out-as=complex-bf16", false),
    ("r2c fwd 96 out-as=complex-f16", false),
    ("r2c fwd 48x50", true),
    ("r2c fwd 45 x4", true),
    ("c2r inv 90 x4 1/n", true),
    ("c2r inv 48x50", false),
    ("r2r dct2 60", false),
    ("r2r dst3 24x30", false),
    ("r2r hartley 64 x2", false),
    ("permute f32 12x10x8 order=2,0,1", false),
    ("transpose u8 33x65", false),
    ("transpose complex f32 32x32 in-place", false),
    ("sum f32 10000", false),
    ("mean f16 70x50 axes=0", false),
    ("argmax i32 60x50 axes=1", false),
    ("variance f32 1000 x3", false),
    ("dot f32 500", false),
    ("roll f32 60x70 by=20,30", false),
];

/// Some of each kind without a short definition.
const OTHERS: [&str; 7] = [
    "convolve f32 40x50 by 5x5 same",
    "correlate complex f32 300 by 20",
    "resample f32 24x32 to 36x48",
    "radial-average f32 64x64 half",
    "phase-correlate 48x64",
    "frequencies f32 500 x3 bins 3,17",
    "product f32 200",
];

/// [`OTHERS`], and what needs 6 storage buffers.
fn others(device: &Device) -> impl Iterator<Item = &'static str> {
    let zoom = (device.gpu().profile().storage_buffers >= 6).then_some("zoom f32 1000 to 200 in 0.1..0.2");
    OTHERS.into_iter().chain(zoom)
}

fn plan(planner: &Planner, text: &str) -> AnyPlan {
    text.parse::<AnySpec>().unwrap().plan(planner, None).unwrap_or_else(|error| panic!("{text}: {error}"))
}

pub fn right_results_are_found_right(device: &Device) {
    let name = &device.name;
    let mut worst: f64 = 0.0;
    for (text, parseval) in DEFINED {
        let verified = plan(&device.planner, text).verify().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(verified.samples > 0 && verified.worst <= 1.0, "{name}: {verified}");
        assert_eq!(verified.energy.is_some(), parseval, "{name}: {verified}");
        assert!(verified.energy.is_none_or(|energy| energy <= 1.0), "{name}: {verified}");
        assert!(verified.equal_words == verified.words && verified.words > 0 && verified.guard_words > 0, "{name}: {verified}");
        assert!(verified.device.contains(name.as_str()) && verified.to_string().contains(text), "{name}: {verified}");
        worst = worst.max(verified.worst);
    }
    for text in others(device) {
        let verified = plan(&device.planner, text).verify().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(verified.samples == 0 && verified.finite && verified.equal_words == verified.words, "{name}: {verified}");
        assert!(verified.to_string().contains("no element has a short definition"), "{verified}");
    }
    println!("{name}: the worst element has {worst:.3} of its bound");
    let stft = device.planner.plan(Stft::<f32>::new(1000, &Window::Hann.periodic::<f64>(64).unwrap(), 16)).unwrap();
    assert!(stft.verify().unwrap().finite);
    // Fragments may make what they like of it.
    let fragment = Fragment::new("log(value - 1e9)");
    let mapped = device.planner.plan(reduce::sum::<f32>(100).map_output::<f32>(fragment).unwrap()).unwrap();
    let verified = mapped.verify().unwrap();
    assert!(verified.samples == 0 && !verified.finite, "{verified}");
    let filter = SpectralFilter::real([24, 32], Fragment::new("value * gain[k1]").array::<f32>("gain", 17)).unwrap();
    assert_eq!(device.planner.plan(filter).unwrap().verify().unwrap().samples, 0);
    // A large output is not read as a whole.
    let large = device.planner.plan(Permute::<u32>::transpose([3000, 3001])).unwrap().verify().unwrap();
    assert!(large.samples > 0 && large.equal_words < large.words / 10 && large.words == 3000 * 3001, "{large}");
}

/// A device whose driver takes one operator for another. An index past the end of an array may cost
/// a GPU its device, so this is not the one of other tests, and shaders keep their bounds checks.
fn miscompiling(device: &Device, from: &'static str, to: &'static str) -> Gpu {
    Faults::miscompiling(from, to).inject(device.open_another().with_bounds_checks(true)).0
}

/// What drivers confuse here.
const CONFUSIONS: [(&str, &str); 5] = [(" - ", " + "), (" + ", " - "), (" * ", " + "), (" < ", " <= "), (" > ", " >= ")];

/// The result of a plan for the numbers of a seed.
fn result(plan: &AnyPlan) -> Vec<u8> {
    let program = plan.program();
    let words = noise(program.inputs().iter().map(|array| array.bytes().div_ceil(4)).max().unwrap() as usize, 5);
    let all = bytemuck::cast_slice::<f32, u8>(&words);
    let inputs: Vec<&[u8]> = program.inputs().iter().map(|array| &all[..array.bytes() as usize]).collect();
    plan.run(&inputs).unwrap().wait().unwrap()
}

/// Operators of kernels are confused, one kind after the other. What then has another result than
/// it should is found to be wrong.
pub fn wrong_results_are_found(device: &Device) {
    let name = &device.name;
    let (mut wrong, mut found, mut missed) = (0, 0, Vec::new());
    let apart = if tries_all() { 1 } else { 4 };
    for (text, _) in DEFINED.into_iter().step_by(apart) {
        let expected = result(&plan(&device.planner, text));
        let mut own = 0;
        for (from, to) in CONFUSIONS {
            // Some texts are not valid any more.
            let Ok(other) = text.parse::<AnySpec>().unwrap().plan(&Planner::new(&miscompiling(device, from, to)), None) else { continue };
            if result(&other) == expected {
                continue;
            }
            wrong += 1;
            match other.verify() {
                Err(Error::WrongResult { spec, recipe, device: driver, fault }) => {
                    assert!(spec == other.spec() && recipe == other.recipe() && driver.contains(name.as_str()) && !fault.is_empty());
                    own += 1;
                }
                Ok(verified) => missed.push(format!("`{from}` as `{to}`: {verified}")),
                Err(error) => panic!("{name}: {text}: {error}"),
            }
        }
        found += own;
    }
    println!("{name}: {found} of {wrong} wrong kernels were found; not found: {missed:#?}");
    assert!(found * 10 >= wrong * 9 && found * apart > 40, "{name}: {missed:#?}");
}

/// What the error says to a user.
pub fn the_error_names_the_driver_and_what_to_do(device: &Device) {
    let gpu = miscompiling(device, " - ", " + ");
    let error = Planner::new(&gpu).plan(C2c::forward([24, 32])).unwrap().verify().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongResult);
    let text = error.to_string();
    let info = device.adapter.get_info();
    for part in [&device.name, &info.driver_info, "c2c fwd 24x32", "WGPU_FFT_CHECKED=1", "plan_with", "another adapter", "wgpu-fft check"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// Every n-th run on host data is verified on its own numbers, in each way to run.
pub fn every_nth_run_is_verified(device: &Device) {
    let name = &device.name;
    let input = complex_noise(24 * 32, 1);
    let wrong = miscompiling(device, " - ", " + ").with_verify_every(3);
    let planner = Planner::new(&wrong);
    let plan = planner.plan(C2c::forward([24, 32])).unwrap();
    let is_wrong = |result: Result<(), Error>| matches!(result, Err(Error::WrongResult { .. }));
    let mut output = vec![Complex32::ZERO; 24 * 32];
    let verdicts: Vec<bool> = (0..9)
        .map(|turn| {
            is_wrong(match turn % 9 {
                2 => plan.run(&input).unwrap().wait().map(drop),
                5 => pollster::block_on(plan.run(&input).unwrap()).map(drop),
                _ => plan.run_into(&input, &mut output),
            })
        })
        .collect();
    assert_eq!(verdicts, [false, false, true, false, false, true, false, false, true], "{name}");
    let any = "c2c fwd 24x32".parse::<AnySpec>().unwrap().plan(&planner, None).unwrap();
    assert_eq!(
        [(); 3].map(|()| is_wrong(any.run(&[bytemuck::cast_slice(&input)]).unwrap().wait().map(drop))),
        [false, false, true],
        "{name}"
    );

    // Right results stay what they are, for every kind of input.
    let gpu = device.gpu().clone().with_verify_every(1);
    assert_eq!(gpu.verify_every(), 1);
    let planner = Planner::new(&gpu);
    for (text, _) in DEFINED {
        assert_eq!(result(&self::plan(&planner, text)), result(&self::plan(&device.planner, text)), "{name}: {text}");
    }
    for text in others(device) {
        result(&self::plan(&planner, text));
    }
    let apart = if tries_all() { 1 } else { 3 };
    let special = [f32::NAN, f32::INFINITY, -0.0, 0.0, 1e-42, -1e-42, f32::MAX, f32::MIN_POSITIVE];
    for text in [
        "r2c fwd 64",
        "sum f32 64",
        "max f32 64",
        "min f32 8x8 axes=1",
        "norm f32 64",
        "variance f32 64",
        "transpose f32 8x8",
        "argmin f32 64",
        "r2r dct2 64",
    ] {
        let plan = self::plan(&planner, text);
        for (i, each) in special.into_iter().enumerate() {
            for other in special.into_iter().skip(i % apart).step_by(apart) {
                let data: Vec<f32> = (0..64).map(|i| if i % 3 == 0 { each } else { other }).collect();
                let result = plan.run(&[bytemuck::cast_slice(&data)]).and_then(|pending| pending.wait());
                assert!(result.is_ok(), "{name}: {text} of {each:e} and {other:e}: {:?}", result.err());
            }
        }
    }
    let zeros = vec![Complex32::ZERO; 64];
    let plan = planner.plan(C2c::forward(64).in_place()).unwrap();
    assert_eq!(plan.program().placement(), Placement::InPlace);
    assert_eq!(plan.run(&zeros).unwrap().wait().unwrap(), zeros);
    assert_eq!(
        pollster::block_on(Gpu::from_adapter_with(&device.adapter, &GpuOptions::default().verify_every(7))).unwrap().verify_every(),
        7
    );
}
