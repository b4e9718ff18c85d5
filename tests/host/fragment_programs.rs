//! What the checks of fragments accept ends within its budget, reads only what it may, and stores
//! nothing but its result: random programs in the kernel of an FFT, which runs without wgpu's
//! checks, under wgsl-sanitizer.

use wgpu_fft::fft::C2c;
use wgpu_fft::low_level;
use wgpu_fft::low_level::recipes::fft::Recipe;
use wgpu_fft::{Complex32, DeviceProfile, Error, Fragment, Program, Spec};
use wgsl_sanitizer::FindingKind;

use crate::changes::cases;
use crate::cores::on_all_cores;
use crate::drawn_fragments::drawn;
use crate::lists::asks_for_all;
use crate::reference::complex_noise;
use crate::sanitized::{self, Outcome};

const TAPS: [f32; 5] = [1.0, 2.0, 30.0, 4.0, 5e9];

/// The transform of the issue that found the first holes.
fn lowered(spec: &C2c) -> Result<Program, Error> {
    let recipe: Recipe = "axis 0: stockham 4.2 lanes=2 lines=2".parse().unwrap();
    spec.lower(&recipe, &DeviceProfile::webgpu_defaults())
}

fn spec() -> C2c {
    C2c::forward(8).batch(3)
}

/// Whether the check accepts a fragment; panics if it accepts something that it should not.
pub fn holds(expression: &str, functions: &str) -> Result<bool, Error> {
    let fragment = Fragment::new(expression).functions(functions).array::<f32>("taps", TAPS.len());
    let program = lowered(&spec().map_input::<Complex32>(fragment)?)?;
    let what = || format!("the fragment `{expression}` of\n{functions}\n");
    let proven = low_level::dispatches(&program).iter().all(|dispatch| dispatch.proven);
    let input = complex_noise(24, 1);
    let outcome = sanitized::outcome(&program, bytemuck::cast_slice(&input), &[("taps", bytemuck::cast_slice(&TAPS))]);
    let Outcome { words, findings } = match outcome {
        Ok(outcome) => outcome,
        Err(error) => panic!("{}is accepted, and then {error}", what()),
    };
    for finding in findings {
        let is_fine = match &finding {
            // WGSL says what they are.
            FindingKind::Division { .. }
            | FindingKind::Shift { .. }
            | FindingKind::Conversion { .. }
            | FindingKind::WrappedIndex { .. } => true,
            // wgpu checks all memory then; that of the kernel and of the caller needs no check.
            FindingKind::OutOfBounds { place, .. } => !proven && place.starts_with("zz"),
            _ => false,
        };
        assert!(is_fine, "{}{finding}", what());
    }
    let plain = lowered(&spec())?;
    let expected: Vec<Complex32> = sanitized::run(&plain, &[&input[..]], 1, 1);
    assert_eq!(words, bytemuck::cast_slice::<_, u32>(&expected), "{}changes what it does not compute", what());
    Ok(true)
}

/// `WGPU_FFT_FUZZ` is the number of programs. A number draws one program, always the same.
#[test]
fn accepted_programs_end_and_keep_to_themselves() {
    let cases = cases(if asks_for_all() { 1500 } else { 500 }) as usize;
    let is_accepted = |seed| {
        let (expression, functions) = drawn(seed as u64);
        let outcome = holds(&expression, &functions);
        if let Err(error) = &outcome {
            let foreseen = matches!(error, Error::Parse { .. } | Error::LimitExceeded { .. } | Error::Unsupported { .. });
            assert!(foreseen, "{seed}: {error}\n{functions}");
        }
        outcome.is_ok()
    };
    let accepted = on_all_cores(cases, is_accepted).into_iter().filter(|accepted| *accepted).count();
    println!("{accepted} of {cases} programs are accepted");
    assert!(accepted > cases / 8, "{accepted} of {cases} programs are accepted: the grammar draws too much that is refused");
}
