//! Specifications whose types are known only when the program runs.

use wgpu_fft::Spec;
use wgpu_fft::dynamic::AnySpec;
use wgpu_fft::fft::{C2c, C2r, R2c, R2r};
use wgpu_fft::half::f16;
use wgpu_fft::low_level::tune::Tunable;
use wgpu_fft::num_complex::{Complex, Complex64};
use wgpu_fft::reduce::Reduction;
use wgpu_fft::signal::{Convolve, Frequencies, PhaseCorrelate, RadialAverage, Resample, Roll, Zoom};
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Complex32, DeviceProfile, ElementType, Error, Fragment};

fn profile() -> DeviceProfile {
    DeviceProfile::webgpu_defaults().with(|profile| profile.f64 = true)
}

/// A text names the same specification with and without types.
fn agrees<S: Spec + std::str::FromStr<Err = Error>>(text: &str) {
    let typed: S = text.parse().unwrap();
    let any: AnySpec = text.parse().unwrap();
    assert_eq!(any.to_string(), typed.to_string());
    assert_eq!([any.input(), any.output()], [ElementType::of::<S::Input>(), ElementType::of::<S::Output>()], "{text}");
    let recipe = typed.design(&profile()).unwrap();
    let program = typed.lower(&recipe, &profile()).unwrap();
    assert_eq!(any.lower(None, &profile()).unwrap(), program, "{text}");
    assert_eq!(any.lower(Some(&recipe.to_string()), &profile()).unwrap(), program, "{text}");
    let own = Tunable::fingerprint(&typed, &recipe, &profile()).unwrap();
    assert_eq!(any.fingerprint(&recipe.to_string(), &profile()), Ok(own), "{text}");
    let arrays = [(program.inputs()[0], any.input()), (program.output(), any.output())];
    assert!(arrays.iter().all(|(array, element)| array.element_bytes == element.bytes()), "{text}");
}

#[test]
fn texts_name_what_their_types_do() {
    agrees::<C2c>("c2c fwd 20x30 x2 1/n");
    agrees::<C2c>("c2c inv 64 in-place");
    agrees::<C2c<Complex<f16>, Complex32>>("c2c fwd 64 in-as=complex-f16");
    agrees::<C2c<Complex64, Complex64>>("c2c fwd 64 f64");
    agrees::<C2c<Complex64, Complex64>>("c2c fwd 64 f64-by-f32");
    agrees::<R2c>("r2c fwd 20x30");
    agrees::<R2c<f64, Complex64>>("r2c fwd 20x30 f64");
    agrees::<C2r>("c2r inv 20x30");
    agrees::<R2r>("r2r dct2 20x30");
    agrees::<R2r<f16, f16>>("r2r dct2,dct3 20x30 in-as=f16 out-as=f16");
    agrees::<Permute<u8>>("transpose u8 20x30");
    agrees::<Permute<Complex32>>("permute complex f32 20x30x4 order=2,0,1");
    agrees::<Permute<[f32; 4]>>("transpose f32x4 16x16 in-place");
    agrees::<Reduction<f32, f32>>("sum f32 1000");
    agrees::<Reduction<i32, u32>>("argmax i32 20x30 axes=1");
    agrees::<Reduction<Complex32, f32>>("norm complex f32 1000");
    agrees::<Reduction<f16, f32>>("mean f16 20x30");
    agrees::<Reduction<f64, f64>>("dot f64 1000");
    agrees::<Reduction<f64, f64>>("sum_abs f64 1000 across-devices");
    agrees::<Reduction<Complex32, f32>>("max_abs_diff complex f32 480x321");
    agrees::<Convolve<f32>>("convolve f32 200x300 by 9x9 same");
    agrees::<Convolve<Complex32>>("correlate complex f32 1000 by 50");
    agrees::<Roll<u8>>("roll u8 20x30 by=10,15");
    agrees::<Roll<[f32; 4]>>("roll f32x4 20x30 by=10,15");
    agrees::<RadialAverage>("radial-average f32 64x64 half");
    agrees::<PhaseCorrelate<f32>>("phase-correlate 20x30 x2 unnormalised");
    agrees::<Zoom<f32>>("zoom f32 1000 to 200 in 0.1..0.2");
    agrees::<Frequencies<f32>>("frequencies f32 12x100 bins 3,17 axis=1");
    agrees::<Frequencies<Complex32>>("frequencies complex f32 100 x4 at 0.1,-0.25");
    agrees::<Zoom<Complex32>>("zoom complex f32 1000 to 200 in 0.1..0.2");
    agrees::<Resample<f32>>("resample f32 20x30 to 40x60");
}

#[test]
fn every_specification_loses_its_type() {
    let spec = R2c::forward([20, 30]).map_input::<u8>(Fragment::new("f32(value) / 255.0")).unwrap();
    let any = AnySpec::new(spec.clone());
    assert_eq!(any.to_string(), spec.to_string());
    assert_eq!([any.input().name(), any.output().name()], ["u8", "complex f32"]);
}

#[test]
fn fragments_change_what_arrays_hold() {
    let half = Fragment::new("0.5 * value");
    let spec: AnySpec = "r2c fwd 20x30".parse().unwrap();
    let bytes = spec.map_input(Fragment::new("f32(value)"), ElementType::of::<u8>()).unwrap();
    let bytes = bytes.map_output(Fragment::new("length(value)"), ElementType::of::<f32>()).unwrap();
    let typed = R2c::forward([20, 30]).map_input::<u8>(Fragment::new("f32(value)")).unwrap();
    let typed = typed.map_output::<f32>(Fragment::new("length(value)")).unwrap();
    assert_eq!(bytes.to_string(), typed.to_string());
    assert_eq!([bytes.input().name(), bytes.output().name()], ["u8", "f32"]);

    let window = Fragment::new("value * window[i1]").array_of("window", ElementType::of::<f16>(), 30).unwrap();
    let typed = Fragment::new("value * window[i1]").array::<f16>("window", 30);
    assert_eq!(window, typed);

    let rows: AnySpec = "transpose u8 20x30".parse().unwrap();
    let rows = rows.map_output(Fragment::new("f32(value)"), ElementType::of::<f32>()).unwrap();
    assert_eq!([rows.input().name(), rows.output().name()], ["u8", "f32"]);
    rows.lower(None, &profile()).unwrap();

    let sum: AnySpec = "sum f16 20x30 axes=1".parse().unwrap();
    let sum = sum.map_input(half.clone(), ElementType::of::<f16>()).unwrap();
    let sum = sum.map_output(half.clone(), ElementType::of::<f32>()).unwrap();
    assert_eq!([sum.input().name(), sum.output().name()], ["f16", "f32"]);
    sum.lower(None, &profile()).unwrap();

    let error = |result: Result<AnySpec, Error>| result.unwrap_err().to_string();
    assert!(error(spec.map_input(half.clone(), ElementType::of::<f64>())).contains("f64 in a fragment"));
    assert!(error(spec.map_output(half.clone(), ElementType::of::<u8>())).contains("an output of u8"));
    assert!(error("c2c fwd 64 f64".parse::<AnySpec>().unwrap().map_input(half.clone(), ElementType::of::<Complex32>())).contains("f64"));
    let roll: AnySpec = "roll f32 20x30 by=1,1".parse().unwrap();
    assert!(error(roll.map_input(half.clone(), ElementType::of::<f32>())).contains("a fragment in a shift"));
    assert!(error(AnySpec::new(R2c::forward(64)).map_input(half, ElementType::of::<f32>())).contains("a fragment in `r2c fwd 64`"));
}

#[test]
fn wrong_texts_say_what_is_expected() {
    let error = |text: &str| text.parse::<AnySpec>().unwrap_err().to_string();
    assert!(error("").contains("it must begin with c2c, r2c"));
    assert!(error("fft 64").contains("it must begin with c2c, r2c"));
    assert!(error("c2c sideways 64").contains("c2c fwd or c2c inv"), "{}", error("c2c sideways 64"));
    assert!(error("transpose 20x30").contains("behind the first word, expected one of f32"));
    assert!(error("sum u8 20x30").contains("`u8` at byte 4: reductions are of f32, f16, complex f32"));
    assert!(error("sum  complex bf16 20").contains("`complex` at byte 5"));
    assert!(error("sum  complex bf16 20").contains("not of complex bf16"));
    assert!(error("custom f32 64").contains("reduce::custom"));
    assert!(error("convolve f64 64 by 3").contains("f32"));
    let spec: AnySpec = "c2c fwd 64".parse().unwrap();
    assert!(matches!(spec.lower(Some("by magic"), &profile()), Err(Error::Parse { .. })));
    assert!("quaternion".parse::<ElementType>().unwrap_err().to_string().contains("expected one of f32"));
}
