//! Transposes by every kernel of the tutorial, run on the host.

use wgpu_fft::Spec;
use wgpu_fft::transpose::{self, Permute};

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
            recipes.extend(TRANSPOSES.iter().map(|text| text.parse::<transpose::Recipe>().unwrap()));
            for recipe in recipes {
                let Ok(program) = spec.lower(&recipe, &profile) else { continue };
                assert_eq!(program.run_on_host::<_, [u32; 2]>(&input), expected, "{program}");
            }
        }
    }
}
