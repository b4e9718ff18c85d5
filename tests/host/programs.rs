//! Transposes by every kernel of the tutorial, run on the host.

use wgpu_fft::fft::{C2c, C2r, R2c};
use wgpu_fft::low_level::recipes;
use wgpu_fft::signal::{DirectFilter, SeparableFilter};
use wgpu_fft::transpose::Permute;
use wgpu_fft::{DeviceProfile, Error, Layout, Spec, reduce};

use crate::recipes_by_hand::TRANSPOSES;
use crate::sanitized::RunOnHost;
use crate::variants::profiles;

#[test]
fn transposes() {
    for profile in profiles() {
        for (rows, columns, batch) in [(1, 1, 1), (1, 9, 2), (9, 1, 1), (16, 16, 1), (33, 17, 3), (64, 5, 2)] {
            let spec = Permute::<[u32; 2]>::transpose([rows, columns]).batch(batch);
            let input: Vec<[u32; 2]> = (0..(rows * columns * batch) as u32).map(|i| [i, !i]).collect();
            let at = |i: usize| i / (rows * columns) * rows * columns + i % rows * columns + i / rows % columns;
            let expected: Vec<[u32; 2]> = (0..input.len()).map(|i| input[at(i)]).collect();
            let mut recipes = vec![spec.design(&profile).unwrap()];
            recipes.extend(TRANSPOSES.iter().map(|text| text.parse::<recipes::transpose::Recipe>().unwrap()));
            for recipe in recipes {
                let Ok(program) = spec.lower(&recipe, &profile) else { continue };
                assert_eq!(program.run_on_host::<_, [u32; 2]>(&input), expected, "{program}");
            }
        }
    }
}

/// Extents come in lists whose length only the caller knows.
#[test]
fn other_numbers_of_axes_are_refused_when_planned() {
    fn refused<S: Spec>(spec: &S) {
        let profile = DeviceProfile::webgpu_defaults();
        let error = spec.design(&profile).unwrap_err();
        assert!(matches!(error, Error::Unsupported { .. }) && error.to_string().contains("1 to 4 axes"), "{spec}: {error}");
    }
    for extents in [vec![], vec![2; 5], vec![0; 9]] {
        refused(&C2c::forward(&extents).batch(3).axes([0]));
        refused(&R2c::forward(extents.clone()).in_place());
        refused(&C2r::inverse(&extents[..]).input_layout(Layout::dense(&extents)));
        refused(&Permute::<f32>::transpose(&extents));
        refused(&reduce::sum::<f32>(&extents).axes([0]));
        refused(&SeparableFilter::<f32>::convolution(&extents).kernel(0, [1.0]));
        refused(&DirectFilter::<f32>::convolution(&extents, 1, [1.0]));
        refused(&DirectFilter::<f32>::convolution(1, &extents, [1.0]));
        let layouts = C2c::forward([2, 2]).input_layout(Layout::dense(&extents));
        assert!(matches!(layouts.design(&DeviceProfile::webgpu_defaults()), Err(Error::Unsupported { .. })), "{layouts}");
    }
}
