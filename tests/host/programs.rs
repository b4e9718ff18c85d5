//! Programs on the kernels' host mirrors, against references in f64.

use wgpu_fft::{DeviceProfile, Element, Spec};
use wgpu_fft::reduce::Reduce;
use wgpu_fft::transpose::{self, Permute};

use crate::permute::{Case, PERMUTATIONS, orders};
use crate::recipes_by_hand::TRANSPOSES;
use crate::reference::Places;
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
                assert_eq!(program.run_on_host::<_, [u32; 2]>(&input).unwrap(), expected, "{program}");
            }
        }
    }
}

/// Elements with all bits in use.
fn elements<T: Element>(len: usize) -> Vec<T> {
    let bytes = (0..len * size_of::<T>()).map(|i| (i as u32).wrapping_mul(0x9e37_79b1).to_be_bytes()[0]);
    bytemuck::pod_collect_to_vec(&bytes.collect::<Vec<u8>>())
}

/// Runs a case by the rules' recipe and by all that fit, and returns how many that were.
fn check<T: Element + PartialEq>(case: &Case, profile: &DeviceProfile) -> usize {
    let spec = case.spec::<T>();
    let rules = spec.design(profile).unwrap_or_else(|error| panic!("{spec} on {}: {error}", profile.name));
    let by_hand = PERMUTATIONS.iter().map(|text| text.parse::<transpose::Recipe>().unwrap());
    let mut count = 0;
    for recipe in [rules].into_iter().chain(by_hand) {
        let program = match spec.lower(&recipe, profile) {
            Ok(program) => program,
            // Large tiles do not fit small bindings.
            Err(wgpu_fft::Error::UnfitRecipe { .. } | wgpu_fft::Error::LimitExceeded { .. }) if recipe != rules => continue,
            Err(error) => panic!("{spec} by {recipe} on {}: {error}", profile.name),
        };
        program.check(profile).unwrap();
        let input = elements::<T>(program.input.len);
        let unwritten: Vec<T> = bytemuck::pod_collect_to_vec(&vec![0x7fc0_deadu32; program.output.bytes().div_ceil(4) as usize]);
        let before = if case.in_place { &input } else { &unwritten[..program.output.len] };
        let output = program.run_on_host::<T, T>(&input).unwrap();
        assert!(output == case.expected(&input, before), "{program} by {recipe}");
        count += 1;
    }
    count
}

fn check_all(case: &Case, profile: &DeviceProfile) -> usize {
    check::<u8>(case, profile)
        + check::<u16>(case, profile)
        + check::<u32>(case, profile)
        + check::<[u32; 2]>(case, profile)
        + check::<[u32; 4]>(case, profile)
}

#[test]
fn permutations_of_every_order() {
    for profile in profiles() {
        let mut count = 0;
        for (shape, batch) in [
            (&[37, 50][..], 1),
            (&[16, 64], 3),
            (&[1, 9], 2),
            (&[5, 12, 16], 2),
            (&[3, 1, 7], 1),
            (&[24, 16, 3], 1),
            (&[4, 3, 8, 5], 2),
            (&[2, 8, 4, 16], 1),
        ] {
            for order in orders(shape.len()) {
                count += check_all(&Case::new(shape, &order).batch(batch), &profile);
            }
        }
        println!("{}: {count}", profile.name);
    }
}

#[test]
fn permutations_with_layouts() {
    for profile in profiles() {
        for (rows, columns, batch) in [(20, 24, 2), (13, 35, 3)] {
            let inputs = [
                Places { strides: vec![columns + 8, 1], distance: rows * (columns + 8) + 16, offset: 32 },
                Places { strides: vec![columns + 3, 1], distance: rows * (columns + 3) + 5, offset: 7 },
                Places { strides: vec![columns * batch, batch], distance: 1, offset: 0 },
                Places { strides: vec![0, 1], distance: 16, offset: 16 },
            ];
            let outputs = [
                Places { strides: vec![rows + 12, 1], distance: columns * (rows + 12), offset: 16 },
                Places { strides: vec![rows + 1, 1], distance: columns * (rows + 1) + 2, offset: 3 },
                Places { strides: vec![3 * rows, 3], distance: 3 * columns * rows, offset: 1 },
            ];
            for (i, input) in inputs.iter().enumerate() {
                for (j, output) in outputs.iter().enumerate() {
                    let case = Case::transpose(&[rows, columns]).batch(batch).layouts(Some(input.clone()), Some(output.clone()));
                    check_all(&case.more(16 * ((i + j) % 2)), &profile);
                }
            }
            // The same order, other pitches.
            check_all(&Case::new(&[columns, rows], &[0, 1]).batch(batch).layouts(None, Some(outputs[1].clone())), &profile);
            check_all(&Case::new(&[columns, rows], &[0, 1]).batch(batch).layouts(None, Some(outputs[0].clone())), &profile);
        }
    }
}

#[test]
fn square_matrices_in_place() {
    for profile in profiles() {
        for (n, batch) in [(1, 1), (1, 3), (2, 1), (7, 2), (32, 1), (48, 3), (65, 1), (130, 2)] {
            check_all(&Case::transpose(&[n, n]).batch(batch).in_place(), &profile);
            let pitched = Places { strides: vec![n + 16, 1], distance: n * (n + 16) + 32, offset: 16 };
            let case = Case::transpose(&[n, n]).batch(batch).in_place().layouts(Some(pitched.clone()), Some(pitched));
            check_all(&case.more(5), &profile);
        }
        check_all(&Case::new(&[5, 9, 9], &[0, 2, 1]).in_place(), &profile);
        check_all(&Case::new(&[9, 5, 9], &[2, 1, 0]).in_place(), &profile);
        check_all(&Case::new(&[9, 1], &[1, 0]).in_place(), &profile);
        // Rows of a whole element of 16 bytes.
        check::<u8>(&Case::new(&[9, 9, 16], &[1, 0, 2]).in_place(), &profile);
    }
}

/// Arrays larger than one binding run in several dispatches, each of which sees a part of them.
#[test]
fn permutations_in_several_bindings() {
    for binding_bytes in [40_000, 20_000, 9_000] {
        for profile in profiles() {
            let profile = DeviceProfile { binding_bytes, ..profile };
            for case in [
                Case::transpose(&[100, 96]),
                Case::transpose(&[30, 40]).batch(9),
                Case::new(&[30, 20, 24], &[2, 0, 1]),
                Case::new(&[30, 20, 24], &[1, 0, 2]),
                Case::new(&[12, 10, 8, 14], &[3, 2, 1, 0]),
                Case::new(&[120, 96], &[0, 1]),
                Case::transpose(&[99, 101]),
            ] {
                assert!(check::<u32>(&case, &profile) > 1, "{case:?}");
                check::<[u32; 2]>(&case, &profile);
                check::<u8>(&case, &profile);
                check::<u16>(&case, &profile);
            }
            check::<u32>(&Case::transpose(&[40, 40]).batch(9).in_place(), &profile);
            check::<u8>(&Case::transpose(&[41, 41]).batch(31).in_place(), &profile);
        }
    }
}

#[test]
fn reductions_repeat_until_one_value_is_left() {
    let profile = &profiles()[0];
    for n in [1, 2, 255, 256, 257, 65_536, 65_537, 1 << 22, (1 << 22) + 1] {
        let spec = Reduce::<i32>::sum(n);
        let program = spec.lower(&spec.design(profile).unwrap(), profile).unwrap();
        let input: Vec<i32> = (0..n as i32).map(|i| i.wrapping_mul(0x9e3_779b)).collect();
        let expected = input.iter().fold(0i32, |a, &b| a.wrapping_add(b));
        assert_eq!(program.run_on_host::<_, i32>(&input).unwrap(), [expected], "{program}");
    }
    let spec = Reduce::<f32>::sum(1 << 22);
    let program = spec.lower(&"tree 256".parse().unwrap(), profile).unwrap().to_string();
    for pass in ["reduce 4194304 -> 16384", "reduce 16384 -> 64", "reduce 64 -> 1"] {
        assert!(program.contains(pass), "{program}");
    }
}

#[test]
fn inputs_of_another_length_are_refused() {
    let spec = Reduce::<f32>::sum(8);
    let program = spec.lower(&"tree 4".parse().unwrap(), &profiles()[0]).unwrap();
    let error = program.run_on_host::<f32, f32>(&[0.0; 7]).unwrap_err();
    assert_eq!(error, wgpu_fft::Error::WrongLen { argument: "input", expected: 8, actual: 7 });
}
