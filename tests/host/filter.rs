//! Filters without a device: results on the host, what is refused, and texts.

use proptest::prelude::*;
use wgpu_fft::Edge;
use wgpu_fft::elements::Pixel;
use wgpu_fft::low_level::recipes::signal::Filter as Recipe;
use wgpu_fft::signal::Mode;
use wgpu_fft::signal::{DirectFilter, SeparableFilter};
use wgpu_fft::{DeviceProfile, Error, Program, Spec};

use crate::filters::{EDGES, Filter, RECIPES, SIZES, assert_exact, beyond_bound, bytes, whole_numbers};
use crate::lists::{asks_for_all, share};
use crate::reference::noise;
use crate::sanitized::RunOnHost;
use crate::variants::profiles;

/// The programs of the rules' recipes, of the baseline, and of the hand-written recipes that fit.
fn programs<S: Spec<Recipe = Recipe>>(spec: &S, profiles: &[DeviceProfile]) -> Vec<Program> {
    let mut programs = Vec::new();
    for profile in profiles {
        let lower = |recipe: &Recipe| spec.lower(recipe, profile).unwrap_or_else(|error| panic!("{spec} on {}: {error}", profile.name));
        programs.push(lower(&spec.design(profile).unwrap()));
        programs.push(lower(&spec.baseline(profile).unwrap()));
    }
    programs.extend(RECIPES.iter().filter_map(|text| spec.lower(&text.parse().unwrap(), &profiles[0]).ok()));
    programs.iter().for_each(|program| program.check(&profiles[0]).unwrap());
    programs
}

fn check<T: Pixel + Into<f64>>(
    spec: &impl Spec<Recipe = Recipe, Input = T, Output = f32>,
    x: &[T],
    expected: impl Fn(&[f64]) -> [Vec<f64>; 2],
) -> usize {
    let numbers: Vec<f64> = x.iter().map(|&x| x.into()).collect();
    let [expected, _] = expected(&numbers);
    let mut words: Vec<u8> = bytemuck::cast_slice(x).to_vec();
    words.resize(words.len().next_multiple_of(4), 0);
    let programs = programs(spec, &profiles()[..2]);
    for program in &programs {
        let output: Vec<f32> = program.run_on_host(x);
        assert_exact(&output, &expected, program);
        let output: Vec<u32> = bytemuck::cast_slice(&output).to_vec();
        for sample in spec.samples(&bytemuck::pod_collect_to_vec::<u8, u32>(&words)) {
            assert_eq!(sample.fault(&output), None, "{program}");
        }
    }
    programs.len()
}

/// Every edge, both senses, kernels of one tap, of even and odd length, and many times as long as
/// the line.
#[test]
fn lines_of_every_length() {
    let mut count = 0;
    for n in [1, 2, 3, 4, 5, 8, 12] {
        for k in share([1, 2, 3, 4, 5, 7, 8, 17, 40], 2, n) {
            let taps = whole_numbers(k, 77);
            for (i, edge) in EDGES.into_iter().enumerate() {
                for convolution in [false, true] {
                    let filter = Filter::new(&[n], convolution, edge).batch(1 + (n + i) % 3);
                    let kernels = [(0, taps.clone())];
                    let x = whole_numbers(filter.len(), 5);
                    count += check(&filter.separable::<f32>(&kernels), &x, |x| filter.by_separable(&kernels, x));
                }
            }
        }
    }
    assert!(count > if asks_for_all() { 630 * 5 } else { 300 * 5 }, "{count}");
}

#[test]
fn several_axes() {
    let mut count = 0;
    let shapes: [&[usize]; 8] = [&[1, 1], &[1, 8], &[7, 1], &[5, 8], &[13, 12], &[20, 33], &[4, 5, 6], &[2, 3, 5, 4]];
    for (s, shape) in shapes.into_iter().enumerate() {
        for (i, [down, along]) in [[3, 3], [1, 5], [2, 7], [4, 1], [9, 6], [3, 40], [41, 2]].into_iter().enumerate() {
            for (e, edge) in share(EDGES.into_iter().enumerate(), 3, s + i) {
                let filter = Filter::new(shape, (s + i + e) % 2 == 0, edge).batch(1 + (s + i) % 2);
                let rank = shape.len();
                let axes = [(rank - 2, whole_numbers(down, 1)), (rank - 1, whole_numbers(along, 2))];
                // Of three and four axes also the first, and sometimes not the last.
                let kernels: Vec<_> = match (rank, e % 2) {
                    (2, _) => axes.to_vec(),
                    (_, 0) => vec![(0, whole_numbers(3, 3)), axes[0].clone(), axes[1].clone()],
                    _ => vec![(0, whole_numbers(4, 3)), axes[0].clone()],
                };
                let x = whole_numbers(filter.len(), 5);
                count += check(&filter.separable::<f32>(&kernels), &x, |x| filter.by_separable(&kernels, x));
            }
        }
    }
    assert!(count > 8 * 7 * 5 * if asks_for_all() { 5 } else { 1 }, "{count}");
}

#[test]
fn kernels_over_all_axes() {
    let mut count = 0;
    for (s, shape) in [&[1, 1][..], &[1, 8], &[6, 1], &[5, 8], &[9, 12], &[7], &[16]].into_iter().enumerate() {
        for (i, kernel) in [[1, 1], [3, 3], [2, 5], [4, 2], [1, 6], [9, 11], [17, 2]].into_iter().enumerate() {
            for (e, edge) in share(EDGES.into_iter().enumerate(), 3, s + i) {
                for convolution in [false, true] {
                    let size = SIZES[(s + i + e) % 3];
                    let kernel = &kernel[2 - shape.len()..];
                    let filter = Filter::new(shape, convolution, edge).batch(1 + (s + e) % 2);
                    let taps = whole_numbers(kernel.iter().product(), 9);
                    if size == Mode::Valid && shape.iter().zip(kernel).any(|(n, k)| n < k) {
                        continue;
                    }
                    let x = whole_numbers(filter.len(), 5);
                    count += check(&filter.direct::<f32>(kernel, &taps, size), &x, |x| filter.by_direct(kernel, &taps, size, x));
                }
            }
        }
    }
    assert!(count > if asks_for_all() { 2000 } else { 400 }, "{count}");
}

/// Long kernels are summed in loops.
#[test]
fn the_longest_kernels() {
    for (k, edge) in share([(31, Edge::Zero), (101, Edge::Reflect), (255, Edge::Nearest), (254, Edge::Mirror)], 2, 1) {
        let filter = Filter::new(&[36, 40], k % 2 == 0, edge);
        // Small taps, so that sums of 255 sums are exact.
        let small = |seed| whole_numbers(k, seed).iter().map(|tap| (tap % 2.0).abs()).collect::<Vec<f32>>();
        let kernels = [(0, small(1)), (1, small(2))];
        let x = whole_numbers(filter.len(), 5);
        check(&filter.separable::<f32>(&kernels), &x, |x| filter.by_separable(&kernels, x));
    }
    let filter = Filter::new(&[12, 40], true, Edge::Wrap);
    for kernel in share([[32, 32], [31, 31], [4, 255], [255, 4]], 2, 1) {
        let taps = whole_numbers(kernel[0] * kernel[1], 3);
        let x = whole_numbers(filter.len(), 5);
        check(&filter.direct::<f32>(&kernel, &taps, Mode::Same), &x, |x| filter.by_direct(&kernel, &taps, Mode::Same, x));
    }
}

#[test]
fn pictures_of_bytes() {
    for shape in [&[9, 16][..], &[5, 6], &[7, 9], &[11], &[12]] {
        for edge in EDGES {
            let filter = Filter::new(shape, true, edge);
            let last = shape.len() - 1;
            let kernels = [(0, whole_numbers(4, 1)), (last, whole_numbers(5, 2))];
            let kernels = &kernels[1 - last..];
            let x = bytes(filter.len());
            check(&filter.separable::<u8>(kernels), &x, |x| filter.by_separable(kernels, x));
            let (kernel, taps) = (&[3, 2][1 - last..], whole_numbers(if last == 1 { 6 } else { 2 }, 4));
            check(&filter.direct::<u8>(kernel, &taps, Mode::Full), &x, |x| filter.by_direct(kernel, &taps, Mode::Full, x));
        }
    }
}

/// The values that `scipy.ndimage` and `scipy.signal` document or, for `[1, 2, 3, 4]`, anyone can
/// compute by hand.
#[test]
fn small_examples() {
    let profile = &profiles()[0];
    let run = |spec: SeparableFilter<f32>| -> Vec<f32> {
        let program = spec.lower(&spec.design(profile).unwrap(), profile).unwrap();
        program.run_on_host(&[1.0f32, 2.0, 3.0, 4.0])
    };
    let even = [10.0, 1.0];
    // 10 x[i-1] + x[i].
    assert_eq!(run(SeparableFilter::correlation(4).kernel(0, even)), [1.0, 12.0, 23.0, 34.0]);
    // 10 x[i+1] + x[i].
    assert_eq!(run(SeparableFilter::convolution(4).kernel(0, even)), [21.0, 32.0, 43.0, 4.0]);
    let three = [100.0, 10.0, 1.0];
    let of = |edge| run(SeparableFilter::correlation(4).kernel(0, three).edge(edge));
    assert_eq!(of(Edge::Wrap), [412.0, 123.0, 234.0, 341.0]);
    assert_eq!(of(Edge::Reflect), [112.0, 123.0, 234.0, 344.0]);
    assert_eq!(of(Edge::Mirror), [212.0, 123.0, 234.0, 343.0]);
    assert_eq!(of(Edge::Nearest), [112.0, 123.0, 234.0, 344.0]);
    let direct = |spec: DirectFilter<f32>| -> Vec<f32> {
        let program = spec.lower(&spec.design(profile).unwrap(), profile).unwrap();
        program.run_on_host(&[1.0f32, 2.0, 3.0, 4.0])
    };
    // As `np.convolve([1, 2, 3, 4], [10, 1], mode)`.
    let convolution = |size| direct(DirectFilter::convolution(4, 2, even).mode(size));
    assert_eq!(convolution(Mode::Full), [10.0, 21.0, 32.0, 43.0, 4.0]);
    assert_eq!(convolution(Mode::Same), [10.0, 21.0, 32.0, 43.0]);
    assert_eq!(convolution(Mode::Valid), [21.0, 32.0, 43.0]);
    // As `scipy.signal.correlate2d` of one row.
    let correlation = |size| direct(DirectFilter::correlation(4, 2, even).mode(size));
    assert_eq!(correlation(Mode::Full), [1.0, 12.0, 23.0, 34.0, 40.0]);
    assert_eq!(correlation(Mode::Same), [12.0, 23.0, 34.0, 40.0]);
    assert_eq!(correlation(Mode::Valid), [12.0, 23.0, 34.0]);
}

/// The documented bound holds for noise, and the comparison can fail.
#[test]
fn noise_keeps_the_bound() {
    let profile = &profiles()[0];
    for edge in EDGES {
        let filter = Filter::new(&[30, 44], true, edge);
        let kernels = [(0, noise(15, 3)), (1, noise(64, 4))];
        let x = noise(filter.len(), 5);
        let expected = filter.by_separable(&kernels, &x.iter().map(|&x| x.into()).collect::<Vec<_>>());
        for program in programs(&filter.separable::<f32>(&kernels), std::slice::from_ref(profile)) {
            let mut output: Vec<f32> = program.run_on_host(&x);
            assert_eq!(beyond_bound(&output, &expected, 15 + 64), None, "{program}");
            output[77] += kernels[0].1[3] * kernels[1].1[5] * 0.1;
            assert!(beyond_bound(&output, &expected, 15 + 64).is_some(), "{program}");
        }
    }
}

#[test]
fn random_filters() {
    let edge = prop::sample::select(EDGES.to_vec());
    let strategy = (prop::collection::vec(1usize..24, 1..=3), any::<bool>(), edge, prop::collection::vec(0usize..14, 3), 1usize..4);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: if asks_for_all() { 150 } else { 50 },
        ..ProptestConfig::with_source_file(file!())
    });
    let outcome = runner.run(&strategy, |(shape, convolution, edge, counts, batch)| {
        let filter = Filter::new(&shape, convolution, edge).batch(batch);
        let kernels: Vec<_> =
            (0..shape.len()).map(|axis| (axis, whole_numbers(counts[axis], 9))).filter(|(_, taps)| !taps.is_empty()).collect();
        let x = whole_numbers(filter.len(), 5);
        if !kernels.is_empty() {
            check(&filter.separable::<f32>(&kernels), &x, |x| filter.by_separable(&kernels, x));
        }
        if shape.len() < 3 && counts[..shape.len()].iter().all(|count| *count > 0) {
            let kernel = &counts[..shape.len()];
            let taps = whole_numbers(kernel.iter().product(), 8);
            for size in [Mode::Same, Mode::Full] {
                check(&filter.direct::<f32>(kernel, &taps, size), &x, |x| filter.by_direct(kernel, &taps, size, x));
            }
        }
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn what_makes_no_sense_is_refused_with_the_numbers() {
    let profile = DeviceProfile::webgpu_defaults();
    let line = |taps: Vec<f32>| SeparableFilter::<f32>::correlation(9).kernel(0, taps);
    let square = |kernel: &[usize], count: usize| DirectFilter::<f32>::correlation([9, 9], kernel, vec![1.0; count]);
    fn refused<S: Spec>(spec: &S, profile: &DeviceProfile) -> Error {
        let error = spec.design(profile).unwrap_err();
        assert!(!error.to_string().contains("taps0="), "{error}");
        error
    }
    for (error, why) in [
        (refused(&SeparableFilter::<f32>::correlation(9), &profile), "at least one axis must have a kernel"),
        (refused(&line(vec![]), &profile), "it has no taps"),
        (refused(&line(vec![1.0]).edge(Edge::Odd), &profile), "its edge is odd"),
        (refused(&square(&[3, 3], 9).edge(Edge::Odd), &profile), "its edge is odd"),
        (refused(&line(vec![1.0, f32::NAN]), &profile), "tap 1 of the kernel along axis 0, NaN,"),
        (refused(&line(vec![1.0, 1.0, f32::NEG_INFINITY]), &profile), "tap 2 of the kernel along axis 0, -inf,"),
        (refused(&line(vec![1.0]).kernel(3, [1.0]), &profile), "the kernel along axis 3"),
        (refused(&DirectFilter::<f32>::convolution([3, 3, 3], [3, 3, 3], vec![1.0; 27]), &profile), "with 3 axes"),
        (refused(&square(&[3], 3), &profile), "it has 1 axes, but the array has 2"),
        (refused(&square(&[3, 10], 30).mode(Mode::Valid), &profile), "it is longer than the 9 elements of axis 1"),
        (refused(&DirectFilter::<f32>::convolution(3, 1, [f32::INFINITY]), &profile), "tap 0 of the kernel, inf,"),
    ] {
        assert!(matches!(error, Error::Unsupported { .. }) && error.to_string().contains(why), "{error}");
    }
    let too_many = refused(&line(vec![1.0; 256]), &profile);
    assert!(matches!(too_many, Error::LimitExceeded { required: 256, available: 255, .. }), "{too_many}");
    let too_many = refused(&square(&[33, 32], 33 * 32), &profile);
    assert!(matches!(too_many, Error::LimitExceeded { required: 1056, available: 1024, .. }), "{too_many}");
    assert!(matches!(refused(&square(&[3, 3], 8), &profile), Error::WrongLen { expected: 9, actual: 8, .. }));
    assert!(matches!(refused(&square(&[3, 0], 0), &profile), Error::Empty { .. }));
    assert!(matches!(refused(&SeparableFilter::<u8>::correlation([4, 0]).kernel(0, [1.0]), &profile), Error::Empty { .. }));
    assert!(matches!(refused(&line(vec![1.0]).batch(0), &profile), Error::Empty { .. }));
    let long = SeparableFilter::<u8>::correlation(1 << 30).kernel(0, [1.0]);
    assert!(matches!(refused(&long, &profile), Error::LimitExceeded { limit: "elements along an axis", .. }));
    let full = DirectFilter::<u8>::correlation([65_535, 65_537], [2, 2], [1.0; 4]).mode(Mode::Full);
    assert!(matches!(refused(&full, &profile), Error::LimitExceeded { limit: "elements indexed by a u32", .. }));
    // An array in several bindings is not possible; the error names the limit.
    let large = SeparableFilter::<f32>::correlation([8192, 8192]).kernel(1, [1.0]);
    let program = large.lower(&large.design(&profile).unwrap(), &profile);
    let program = program.and_then(|program| program.check(&profile));
    assert!(
        matches!(program, Err(Error::LimitExceeded { limit: "max_buffer_size" | "max_storage_buffer_binding_size", .. })),
        "{program:?}"
    );
}

#[test]
fn recipes_that_do_not_fit_are_refused_with_the_reason() {
    let profile = DeviceProfile::webgpu_defaults();
    let spec = SeparableFilter::<f32>::correlation([30, 42]).kernel(0, [1.0; 3]).kernel(1, [1.0; 5]);
    for (recipe, why) in [
        ("axis 1: tile 1x16", "it does not filter axis 0"),
        ("axis 1: tile 1x16; axis 1: tile 1x16", "axis 1 is filtered twice"),
        ("axis 2: tile 1x16", "axis 2 has no kernel"),
        ("axes 1,0: tile 8x8", "one axis, or the last two"),
        ("axes 0,1: straight 8x8", "two axes in one dispatch need workgroup memory"),
        ("axis 1: tile 1x16 width=4; axis 0: tile 8x8", "a width of 4 does not divide the 42 elements"),
        ("axis 1: tile 1x16 width=3; axis 0: tile 8x8", "the width must be 1, 2 or 4"),
        ("axis 1: tile 0x16; axis 0: tile 8x8", "1 to 65536 rows"),
        ("axis 1: tile 1x16 block=1x3; axis 0: tile 8x8", "whole blocks of 1x3"),
        ("axis 1: tile 1x16 block=1x0; axis 0: tile 8x8", "a block must have 1 to 16 rows"),
        ("axis 1: tile 2x16 block=2x1; axis 0: tile 8x8", "for sums down columns"),
        ("axis 1: tile 1x16; axis 0: tile 8x8 block=1x2", "for sums along rows"),
        ("axis 1: tile 32x16; axis 0: tile 8x8", "it needs 512 invocations, but there are at most 256"),
        ("axis 1: tile 1x4096 block=1x16; axis 0: tile 8x8", "it needs 16400 bytes of workgroup memory, but there are 16384"),
        ("transpose: copy; axis 1: tile 1x16; transpose: copy; axis 0: tile 8x8", "nothing to transpose"),
        ("axis 1: tile 1x16; transpose: copy; axis 0: tile 1x16; transpose: copy", "elements that keep their order"),
    ] {
        let error = spec.lower(&recipe.parse().unwrap(), &profile).unwrap_err();
        assert!(matches!(error, Error::UnfitRecipe { .. }) && error.to_string().contains(why), "{recipe}: {error}");
    }
    let bytes = SeparableFilter::<u8>::correlation([30, 42]).kernel(0, [1.0; 3]);
    let error = bytes.lower(&"transpose: naive 8x8; axis 0: tile 1x16; transpose: naive 8x8".parse().unwrap(), &profile).unwrap_err();
    assert!(error.to_string().contains("bytes can only be transposed after"), "{error}");
    let spec = DirectFilter::<f32>::correlation([30, 40], [3, 3], [1.0; 9]);
    let error = spec.lower(&"axis 1: tile 1x16; axis 0: tile 8x8".parse().unwrap(), &profile).unwrap_err();
    assert!(error.to_string().contains("one step must filter them all"), "{error}");
    for (text, why) in [
        ("", "expected `axis 1"),
        ("axis 1", "expected `axis 1"),
        ("row 1: tile 1x16", "expected `axis 1"),
        ("axis x: tile 1x16", "`x` at byte 5: expected a number"),
        ("axis 1: tiles 1x16", "`tiles` at byte 8: expected `tile` or `straight`"),
        ("axis 1: tile 16", "expected two numbers with `x` between them"),
        ("axis 1: tile 1x16 widths=4", "expected block=1x1 or width=4"),
        ("transpose: copy", "expected `axis 1"),
        ("transpose: copy; axis 0: tile 1x16", "expected the transpose back"),
        ("transpose: copy; axis 0: tile 1x16; axis 1: tile 1x16", "expected the transpose back"),
    ] {
        let error = text.parse::<Recipe>().unwrap_err();
        assert!(matches!(error, Error::Parse { .. }) && error.to_string().contains(why), "{text}: {error}");
    }
    for text in RECIPES {
        let recipe: Recipe = text.parse().unwrap();
        assert_eq!(recipe.to_string().parse::<Recipe>(), Ok(recipe));
    }
}

#[test]
fn text_that_is_no_filter_is_refused_with_a_reason() {
    for (text, why) in [
        ("", "expected `separable`"),
        ("separable u8 8 convolution", "`u8` at byte 10: expected `f32`"),
        ("separable f32 8y convolution", "expected 1 to 4 extents"),
        ("separable f32 8", "expected one of convolution and correlation"),
        ("separable f32 8 convolution correlation", "expected one of convolution and correlation"),
        ("separable f32 8 convolution edge=some", "`some` at byte 33: expected zero or wrap or reflect or mirror or nearest"),
        ("separable f32 8 convolution taps=1,2", "expected a number"),
        ("separable f32 8 convolution taps0", "expected an axis and its taps"),
        ("separable f32 8 convolution taps0=1 taps0=2", "`0` at byte 40: given twice"),
        ("separable f32 8 convolution taps0=1,a", "`a` at byte 36: expected a number"),
        ("separable f32 8 convolution taps0=1 in-place", "`in-place` at byte 36: expected a batch"),
    ] {
        let error = text.parse::<SeparableFilter<f32>>().unwrap_err();
        assert!(matches!(error, Error::Parse { .. }) && error.to_string().contains(why), "{text}: {error}");
    }
    for (text, why) in [
        ("direct f32 8x8 correlation taps=1", "the extents of the kernel are missing"),
        ("direct f32 8x8 correlation kernel=1x1", "the taps are missing"),
        ("direct f32 8x8 correlation kernel=1y1 taps=1", "expected 1 to 4 extents"),
        ("direct f32 8x8 correlation kernel=1x1 taps=1 size=some", "expected same or full or valid"),
    ] {
        let error = text.parse::<DirectFilter<f32>>().unwrap_err();
        assert!(matches!(error, Error::Parse { .. }) && error.to_string().contains(why), "{text}: {error}");
    }
}

proptest! {
    /// Specifications are read as they are printed, whatever they say.
    #[test]
    fn specifications_are_read_as_they_are_printed(
        (shape, batch) in (prop::collection::vec(0usize..2000, 1..=4), any::<usize>()),
        convolution in any::<bool>(),
        edge in prop::sample::select(EDGES.to_vec()),
        size in prop::sample::select(SIZES.to_vec()),
        kernels in prop::collection::vec((0usize..6, prop::collection::vec(any::<u32>(), 0..5)), 0..4),
    ) {
        let filter = Filter::new(&shape, convolution, edge).batch(batch);
        let kernels: Vec<(usize, Vec<f32>)> =
            kernels.into_iter().map(|(axis, bits)| (axis, bits.into_iter().map(f32::from_bits).collect())).collect();
        let spec = filter.separable::<f32>(&kernels);
        prop_assert_eq!(spec.to_string().parse(), Ok(spec));
        let spec = filter.separable::<u8>(&kernels);
        prop_assert_eq!(spec.to_string().parse(), Ok(spec));
        let taps = kernels.first().map_or(&[][..], |(_, taps)| taps);
        let spec = filter.direct::<f32>(&shape, taps, size);
        prop_assert_eq!(spec.to_string().parse(), Ok(spec));
    }
}
