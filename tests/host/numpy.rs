//! Reductions of NaN, infinities and zeros in the interpreter, compared with NumPy's.

use wgpu_fft::dynamic::AnySpec;
use wgpu_fft::low_level::{self, Slot};
use wgpu_fft::{DeviceProfile, Error};

use crate::numpy_results::{Line, Runner};
use crate::sanitized::{Arrays, subgroup_size};
use crate::variants::profiles;

struct OnHost(DeviceProfile);

impl Runner for OnHost {
    fn run(&self, spec: &AnySpec, input: &[u8]) -> Option<Vec<u8>> {
        let program = match spec.lower(None, &self.0) {
            Err(Error::Unsupported { .. }) => return None,
            program => program.unwrap_or_else(|error| panic!("{spec}: {error}")),
        };
        let mut arrays = Arrays::new(&program, &[input]);
        for dispatch in low_level::dispatches(&program) {
            arrays.dispatch(dispatch, 1, subgroup_size(dispatch, 1));
        }
        let mut output: Vec<u8> = bytemuck::pod_collect_to_vec(&arrays.words(Slot::Output));
        output.truncate(program.output().bytes() as usize);
        Some(output)
    }
}

#[test]
fn numpys_results() {
    let profiles: Vec<OnHost> = profiles().into_iter().map(OnHost).collect();
    let (mut count, mut differences) = (0, 0);
    for (i, line) in Line::all().iter().enumerate() {
        // Devices in turns; if one has no f64, the next.
        let runs = (0..profiles.len()).any(|turn| line.check(&profiles[(i + turn) % profiles.len()]));
        assert!(runs, "`{}` runs nowhere", line.text);
        count += 1;
        differences += usize::from(line.has_documented_difference());
    }
    assert!(count > 1700 && differences > 30, "{count} {differences}");
}

/// What NumPy does with nothing, an error says.
#[test]
fn nothing_cannot_be_reduced() {
    let profile = &profiles()[0];
    for text in ["sum f32 0", "max f32 4x0 axes=0", "mean f32 0x4 axes=0"] {
        let error = text.parse::<AnySpec>().and_then(|spec| spec.lower(None, profile)).unwrap_err();
        assert!(matches!(error, Error::Empty { .. }), "{text}: {error}");
    }
}
