//! Phase correlation, run on the host: shifts that are known, and tops of correlations in f64.

use wgpu_fft::signal::PhaseCorrelate;
use wgpu_fft::{Error, Fragment, Spec};

use crate::reference::*;
use crate::sanitized::{RunOnHost, UNWRITTEN, run};
use crate::shifts::{Correlation, shifted};
use crate::variants::{profiles, profiles_of};

/// The results of every device: a shift and a height of each pair.
fn results(spec: &PhaseCorrelate<f32>, reference: &[f32], moving: &[f32], mut check: impl FnMut(&[f32], &str)) {
    for profile in profiles_of(spec) {
        let recipe = spec.design(&profile).unwrap_or_else(|error| panic!("{spec} on {}: {error}", profile.name));
        assert_eq!(recipe.to_string().parse().as_ref(), Ok(&recipe));
        for parts in [recipe.parts, 3] {
            let mut recipe = recipe.clone();
            recipe.parts = parts;
            let program = spec.lower(&recipe, &profile).unwrap_or_else(|error| panic!("{spec} by {recipe}: {error}"));
            program.check(&profile).unwrap_or_else(|error| panic!("{program}: {error}"));
            let output: Vec<f32> = program.run_two_on_host(reference, moving);
            assert!(output.iter().all(|x| x.to_bits() != UNWRITTEN), "{program}");
            check(&output, &program.to_string());
        }
    }
}

#[test]
fn known_shifts_are_found() {
    let cases: [(&[usize], &[f64]); 8] = [
        (&[31], &[4.25]),
        (&[64], &[-20.5]),
        (&[2, 33], &[0.0, -3.7]),
        (&[12, 18], &[2.3, -7.45]),
        (&[15, 9], &[-6.4, 4.01]),
        (&[1, 20], &[0.0, 9.6]),
        (&[7, 6, 10], &[1.25, -2.5, 3.35]),
        (&[16, 1, 5], &[-7.8, 0.0, 0.2]),
    ];
    for (shape, by) in cases {
        let rank = shape.len();
        let moving = shifted(&noise(shape.iter().product(), 7), shape, &vec![0.0; rank]);
        let reference = shifted(&moving, shape, by);
        for spec in [PhaseCorrelate::new(shape), PhaseCorrelate::new(shape).unnormalised()] {
            let correlation = Correlation::new(&reference, &moving, shape, !spec.to_string().contains("unnormalised"));
            results(&spec, &reference, &moving, |output, what| {
                for ((found, by), &n) in output.iter().zip(by).zip(shape) {
                    // A shift by n is none.
                    let turns = (f64::from(*found) - by) / n as f64;
                    assert!((turns - turns.round()).abs() * (n as f64) < 1e-3, "{output:?} for {by:?}: {what}");
                }
                let height = correlation.at(by);
                assert!((f64::from(output[rank]) - height).abs() < 1e-4 * height.abs(), "{output:?}, height {height}: {what}");
            });
        }
    }
}

/// Pictures that have only a part in common.
#[test]
fn tops_between_the_elements_are_found() {
    for (shape, seed) in [(&[40][..], 1), (&[14, 11], 2), (&[9, 16], 3), (&[6, 7, 8], 4)] {
        let (len, rank) = (shape.iter().product(), shape.len());
        let pair = |seed: u64, by: f64| {
            let common = noise(len, seed);
            let mix = |x: &[f32], other: u64| x.iter().zip(noise(len, other)).map(|(x, y)| x + 0.4 * y).collect::<Vec<f32>>();
            (mix(&shifted(&common, shape, &vec![by; rank]), seed + 100), mix(&common, seed + 200))
        };
        let [a, b, c] = [pair(seed, 1.3), pair(seed + 10, -2.4), pair(seed + 20, 0.1)];
        let references = [&a.0[..], &b.0, &c.0].concat();
        let moving = [&a.1[..], &b.1, &c.1].concat();
        for normalised in [true, false] {
            let spec = PhaseCorrelate::new(shape).batch(3);
            let spec = if normalised { spec } else { spec.unnormalised() };
            results(&spec, &references, &moving, |output, what| {
                assert_eq!(output.len(), 3 * (rank + 1));
                for (item, own) in [&a, &b, &c].into_iter().zip(output.chunks(rank + 1)) {
                    let correlation = Correlation::new(&item.0, &item.1, shape, normalised);
                    let s: Vec<f64> = own[..rank].iter().map(|&s| s.into()).collect();
                    let height = correlation.at(&s);
                    assert!((f64::from(own[rank]) - height).abs() < 1e-3 * height, "{own:?}, height {height}: {what}");
                    let peak = correlation.peak();
                    assert!(peak.iter().zip(&s).all(|(peak, s)| (peak - s).abs() <= 0.75), "{peak:?}, {own:?}: {what}");
                    for axis in 0..rank {
                        for step in [-0.02, 0.02] {
                            let mut beside = s.clone();
                            beside[axis] += step;
                            let beside = correlation.at(&beside);
                            assert!(beside < height, "{own:?} is no top along axis {axis}: {beside} beside {height}: {what}");
                        }
                    }
                }
            });
        }
    }
}

/// Nothing to find, and nothing to find along one axis.
#[test]
fn constant_pictures() {
    let shape = [8, 12];
    let zeros = vec![0.0f32; 96];
    results(&PhaseCorrelate::new(shape), &zeros, &zeros, |output, what| assert_eq!(output, [0.0; 3], "{what}"));
    let rows: Vec<f32> = noise(8, 3).iter().flat_map(|&x| [x; 12]).collect();
    let moved: Vec<f32> = [&rows[36..], &rows[..36]].concat();
    results(&PhaseCorrelate::new(shape).unnormalised(), &rows, &moved, |output, what| {
        assert!((output[0] - 3.0).abs() < 0.2 && output[1].abs() <= 6.0, "{output:?}: {what}");
    });
}

#[test]
fn fragments_make_the_pictures() {
    let shape = [10, 14];
    let moving: Vec<u8> = noise(140, 5).iter().map(|x| (x * 100.0 + 128.0) as u8).collect();
    let reference: Vec<u8> = (0..140).map(|i| moving[(i / 14 + 7) % 10 * 14 + (i % 14 + 5) % 14]).collect();
    let spec = PhaseCorrelate::new(shape).map_input::<u8>(Fragment::new("f32(value) / 255.0")).unwrap();
    for profile in profiles() {
        let program = spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap();
        let output: Vec<f32> = run(&program, &[&reference, &moving], 1, 1);
        assert!((output[0] - 3.0).abs() < 1e-3 && (output[1] + 5.0).abs() < 1e-3 && (output[2] - 1.0).abs() < 0.2, "{output:?}");
    }
}

/// Arrays that are never needed at the same time share memory.
#[test]
fn workspaces_are_few() {
    let spec = PhaseCorrelate::new([64, 64]);
    let profile = &profiles()[0];
    let program = spec.lower(&spec.design(profile).unwrap(), profile).unwrap();
    let spectrum = 64 * 33 * 8;
    assert!(program.workspace_bytes() < 3 * spectrum + 2048, "{program}");
}

#[test]
fn bad_input_is_refused() {
    let profile = &profiles()[0];
    let refused = |shape: &[usize]| PhaseCorrelate::new(shape).design(profile).unwrap_err();
    assert!(matches!(refused(&[2, 2, 2, 2]), Error::Unsupported { .. }));
    assert!(matches!(refused(&[0, 4]), Error::Empty { .. }));
    assert!(matches!(refused(&[1 << 31]), Error::LimitExceeded { required, .. } if required == 1 << 31));
    let spec = PhaseCorrelate::new([8, 8]);
    let recipe = spec.design(profile).unwrap();
    for parts in [0, 41] {
        let mut recipe = recipe.clone();
        recipe.parts = parts;
        assert!(matches!(spec.lower(&recipe, profile), Err(Error::UnfitRecipe { .. })), "{parts}");
    }
    assert!(recipe.to_string().replace("moving", "fixed").parse::<wgpu_fft::low_level::recipes::signal::PhaseCorrelate>().is_err());
    assert!(format!("{recipe} / more").parse::<wgpu_fft::low_level::recipes::signal::PhaseCorrelate>().is_err());
}
