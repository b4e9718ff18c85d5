//! Results: equal to one rank's bit for bit, and to the transform in f64 within its rounding
//! errors.

use std::rc::Rc;

use rustfft::num_complex::Complex64;
use wgpu_fft_distributed::mpi::traits::*;
use wgpu_fft_distributed::wgpu_fft::fft::{C2c, C2r, R2c, Scale};
use wgpu_fft_distributed::wgpu_fft::{Complex32, Gpu, GpuOptions, Planner, Spec, bytemuck, gpu};
use wgpu_fft_distributed::{Arithmetic, Cluster, Decomposition, Divide, Error, Job, JobOptions, Order, Part, Strategy};

use crate::harness::{Context, Outcome};
use crate::parts::{gathered, of_whole};
use crate::reference::{arranged, budget, complex_noise, dft, error, noise, of_half, wide};

pub const ORDERS: [Order; 2] = [Order::Transposed, Order::Natural];

/// Shares that are equal, and lopsided with ranks that have none; messages of any length, and tiny
/// ones.
pub fn variants(size: usize) -> Vec<JobOptions> {
    let lopsided = [3.0, 0.0, 1.0, 5.0];
    let weights: Vec<f64> = (0..size).map(|rank| lopsided[rank % 4]).collect();
    let others: Vec<f64> = (0..size).map(|rank| if rank + 1 == size { 1.0 } else { 0.0 }).collect();
    vec![
        JobOptions::default().strategy(Strategy::Equal),
        JobOptions::default().strategy(Strategy::Ratio(weights)).message_bytes(40),
        JobOptions::default().strategy(Strategy::Ratio(others)),
        JobOptions::default().strategy(Strategy::Takemoto {
            processing_elements: (0..size as u32).map(|rank| 64 + 64 * (rank % 3)).collect(),
            amount: None,
        }),
        JobOptions::default().strategy(Strategy::Single(size / 2)),
    ]
}

/// The bits of the first difference, if there is one.
pub fn first_difference(actual: &[f32], expected: &[f32]) -> Outcome {
    if actual.len() != expected.len() {
        return Err(format!("{} numbers in place of {}", actual.len(), expected.len()));
    }
    let differ = |(a, b): (&f32, &f32)| a.to_bits() != b.to_bits();
    match actual.iter().zip(expected).position(differ) {
        None => Ok(()),
        Some(i) => {
            let count = actual.iter().zip(expected).filter(|pair| differ(*pair)).count();
            Err(format!("number {i} is {:e} in place of {:e}; {count} of {} differ", actual[i], expected[i], actual.len()))
        }
    }
}

/// The result of all ranks on rank 0, compared with one rank's and with f64.
pub fn check<S: Divide>(
    context: &Context,
    spec: &S,
    options: &JobOptions,
    batch: usize,
    input: &[S::Input],
    expected: &[f64],
) -> Result<Vec<f32>, String> {
    let what = |message: String| format!("`{spec}` with {options:?}: {message}");
    let job = Job::new(&context.cluster, spec.clone(), options).map_err(|error| what(error.to_string()))?;
    let [part, result] = [job.input(), job.output()];
    if (part.len(), result.len()) != (job.input_len(), job.output_len()) {
        return Err(what(format!("{part:?} and {result:?}, not {} and {}", job.input_len(), job.output_len())));
    }
    let mut own = rubbish::<S>(job.output_len());
    let report = job.run(&of_whole(&part, batch, input), &mut own).map_err(|error| what(error.to_string()))?;
    let is_half = options.clone().exchange_as_f16() == *options;
    let exchanges = report.phases.iter().filter(|phase| ["exchange", "return"].contains(&&*phase.label)).count();
    let all = gathered(context, &result, batch, size_of::<S::Output>() / 4, bytemuck::cast_slice(&own)).map_err(&what)?;
    let judge = || -> Outcome {
        let alone = alone(context, spec, options, &job, input).map_err(|error| what(format!("alone: {error}")))?;
        let bits = first_difference(&all, bytemuck::cast_slice(&alone));
        let is_double = spec.to_string().contains("f64");
        // Of cosine transforms lavapipe and SwiftShader have other last bits, also on one rank.
        let is_portable = !is_double && !spec.to_string().starts_with("r2r");
        if context.rounding().is_some() && (is_portable || context.are_alike()) {
            bits.map_err(|message| what(format!("bits: {message}; {}", job.recipes())))?;
        }
        let (error, budget) = if is_double {
            // Sums of two f32 have 46 bits.
            (error(&bytemuck::pod_collect_to_vec::<f32, f64>(&all), expected), 2f64.powi(24 - 46) * budget(expected.len()))
        } else {
            (error(&all, expected), budget(expected.len()))
        };
        // Each exchange rounds to 11 bits, and one that rounds has an error that shows.
        let rounding = if is_half { exchanges as f64 * 2f64.powi(-11) } else { 0.0 };
        let budget = budget + rounding;
        if error.is_nan() || error > budget || error < 0.2 * rounding.min(2f64.powi(-11)) {
            return Err(what(format!("relative error {error:.2e}, budget {budget:.2e}; {}", job.recipes())));
        }
        Ok(())
    };
    context.verdict(if context.rank == 0 { judge() } else { Ok(()) })?;
    Ok(all)
}

/// NaN, which nothing in these tests computes.
pub fn rubbish<S: Spec>(len: usize) -> Vec<S::Output> {
    vec![bytemuck::pod_read_unaligned(&vec![0xff; size_of::<S::Output>()]); len]
}

/// The result of one rank with the recipes of a job of all.
fn alone<S: Divide>(
    context: &Context,
    spec: &S,
    options: &JobOptions,
    job: &Job<S, wgpu_fft_distributed::Cluster>,
    input: &[S::Input],
) -> wgpu_fft_distributed::Result<Vec<S::Output>> {
    let one = options.clone().strategy(Strategy::Measured).arithmetic(Arithmetic::Given(job.recipes().clone()));
    // A grid of several ranks is not one of a single rank.
    let one = if is_grid(options) { one.decomposition(Decomposition::Grid([1, 1])) } else { one };
    let alone = Job::new(&context.alone, spec.clone(), &one)?;
    let mut output = rubbish::<S>(alone.output_len());
    alone.run(input, &mut output)?;
    Ok(output)
}

/// The order in which frequencies lie: slabs of a batch exchange nothing, so their order is
/// natural.
pub fn stored(options: &JobOptions, batch: usize, order: Order) -> Order {
    if batch > 1 && !is_grid(options) { Order::Natural } else { order }
}

fn is_grid(options: &JobOptions) -> bool {
    options.clone().decomposition(Decomposition::Slabs) != *options
}

fn flat(values: &[Complex64], factor: f64) -> Vec<f64> {
    values.iter().flat_map(|value| [value.re * factor, value.im * factor]).collect()
}

/// Factor of a scale for n points.
fn factor(scale: Scale, n: usize) -> f64 {
    match scale {
        Scale::One => 1.0,
        Scale::InvLen => 1.0 / n as f64,
        Scale::InvSqrtLen => 1.0 / (n as f64).sqrt(),
    }
}

/// The transforms of a batch.
pub fn of_batch<T: Clone, U>(n: usize, values: &[T], transform: impl Fn(&[T]) -> Vec<U>) -> Vec<U> {
    values.chunks_exact(n).flat_map(transform).collect()
}

/// Forward and inverse of complex numbers of a shape of several axes.
fn complex(context: &Context, batch: usize, extents: &[usize], options: &[JobOptions]) -> Result<Vec<f32>, String> {
    let n: usize = extents.iter().product();
    let shape = || wgpu_fft_distributed::wgpu_fft::Shape::from(extents);
    let input = complex_noise(n * batch, n as u64);
    let [there, back] = [false, true].map(|inverse| of_batch(n, &wide(&input), |own| dft(own, extents, true, inverse)));
    let mut bits = Vec::new();
    for options in options {
        for order in ORDERS {
            let expected =
                flat(&of_batch(n, &there, |own| arranged(own, extents, stored(options, batch, order))), factor(Scale::InvSqrtLen, n));
            let options = &options.clone().order(order);
            let spec = C2c::forward(shape()).batch(batch).scale(Scale::InvSqrtLen);
            bits.extend(check(context, &spec, options, batch, &input, &expected)?);
            let spec = C2c::inverse(shape()).batch(batch).scale(Scale::InvLen);
            let frequencies = of_batch(n, &input, |own| arranged(own, extents, stored(options, batch, order)));
            bits.extend(check(context, &spec, options, batch, &frequencies, &flat(&back, factor(Scale::InvLen, n)))?);
        }
    }
    Ok(bits)
}

/// Real numbers there and back.
fn real(context: &Context, batch: usize, extents: &[usize], options: &[JobOptions]) -> Result<Vec<f32>, String> {
    let (n, last) = (extents.iter().product::<usize>(), extents[extents.len() - 1]);
    let shape = || wgpu_fft_distributed::wgpu_fft::Shape::from(extents);
    let input = noise(n * batch, n as u64);
    let positions: Vec<Complex64> = input.iter().map(|&value| Complex64::new(value.into(), 0.0)).collect();
    let keep = last / 2 + 1;
    let frequencies = of_batch(n, &positions, |own| of_half(&dft(own, extents, true, false), extents));
    let mut half = extents.to_vec();
    half[extents.len() - 1] = keep;
    let mut bits = Vec::new();
    for options in options {
        for order in ORDERS {
            let arranged = of_batch(n / last * keep, &frequencies, |own| arranged(own, &half, stored(options, batch, order)));
            let options = &options.clone().order(order);
            let spec = R2c::forward(shape()).batch(batch);
            bits.extend(check(context, &spec, options, batch, &input, &flat(&arranged, 1.0))?);
            let rounded: Vec<_> = arranged.iter().map(|value| Complex32::new(value.re as f32, value.im as f32)).collect();
            let expected: Vec<f64> = input.iter().map(|&value| f64::from(value)).collect();
            let spec = C2r::inverse(shape()).batch(batch).scale(Scale::InvLen);
            bits.extend(check(context, &spec, options, batch, &rounded, &expected)?);
        }
    }
    Ok(bits)
}

pub fn complex_planes(context: &Context) -> Outcome {
    let extents: [&[usize]; 6] = [&[17, 5], &[8, 3], &[61, 53], &[3, 2], &[1, 1], &[64, 48]];
    extents.iter().try_for_each(|extents| complex(context, 1, extents, &variants(context.size)).map(drop))
}

pub fn real_planes(context: &Context) -> Outcome {
    let extents: [&[usize]; 6] = [&[17, 5], &[8, 3], &[61, 53], &[3, 2], &[1, 1], &[64, 48]];
    extents.iter().try_for_each(|extents| real(context, 1, extents, &variants(context.size)).map(drop))
}

/// Sums of two f32, on devices with and without f64.
pub fn numbers_of_f64(context: &Context) -> Outcome {
    let extents = [12, 10];
    // Numbers with more bits than f32 has.
    let reals: Vec<f64> = noise(120, 1).into_iter().map(|value| f64::from(value) / 3.0).collect();
    let input: Vec<Complex64> = reals.iter().zip(reals.iter().rev()).map(|(&re, &im)| Complex64::new(re, im)).collect();
    let positions: Vec<Complex64> = reals.iter().map(|&value| value.into()).collect();
    let spectrum = arranged(&dft(&input, &extents, true, false), &extents, Order::Transposed);
    let half = arranged(&of_half(&dft(&positions, &extents, true, false), &extents), &[12, 6], Order::Transposed);
    for options in &variants(context.size)[..2] {
        check(context, &C2c::forward(extents).f64_by_f32(), options, 1, &input, &flat(&spectrum, 1.0))?;
        check(context, &R2c::forward(extents).f64_by_f32(), options, 1, &reals, &flat(&half, 1.0))?;
        check(context, &C2r::inverse(extents).scale(Scale::InvLen).f64_by_f32(), options, 1, &half, &reals)?;
    }
    // Only if all devices have it.
    match Job::new(&context.cluster, C2c::forward(extents).f64(), &JobOptions::default().strategy(Strategy::Equal)) {
        Ok(_) => check(context, &C2c::forward(extents).f64(), &variants(context.size)[1], 1, &input, &flat(&spectrum, 1.0)).map(drop),
        Err(error) if error.to_string().contains("SHADER_F64") => Ok(()),
        Err(error) => Err(format!("f64: {error}")),
    }
}

pub fn volumes(context: &Context) -> Outcome {
    let extents: [&[usize]; 3] = [&[12, 10, 14], &[5, 3, 7], &[2, 1, 3]];
    extents.iter().try_for_each(|extents| {
        complex(context, 1, extents, &variants(context.size))?;
        real(context, 1, extents, &variants(context.size)).map(drop)
    })
}

pub fn batches_of_several_axes(context: &Context) -> Outcome {
    for (batch, extents) in [(5, &[6, 4][..]), (4, &[5, 3]), (3, &[4, 3, 5])] {
        complex(context, batch, extents, &variants(context.size))?;
        real(context, batch, extents, &variants(context.size))?;
    }
    Ok(())
}

/// More ranks than an axis has indices, ranks without work, and all grids.
pub fn pencils(context: &Context) -> Outcome {
    let size = context.size;
    let grids: Vec<[usize; 2]> = (1..=size).filter(|first| size.is_multiple_of(*first)).map(|first| [first, size / first]).collect();
    for (batch, extents) in [(1, &[12, 10, 14][..]), (1, &[2, 4, 7]), (1, &[3, 6, 2]), (3, &[4, 10]), (2, &[4, 3, 5])] {
        for grid in &grids {
            let options: Vec<JobOptions> =
                variants(size).into_iter().map(|options| options.decomposition(Decomposition::Grid(*grid))).collect();
            complex(context, batch, extents, &options)?;
            real(context, batch, extents, &options)?;
        }
    }
    // With the shares that are measured, and the default grid.
    complex(context, 1, &[12, 10, 14], &[JobOptions::default().decomposition(Decomposition::Pencils)])?;
    real(context, 3, &[12, 10], &[JobOptions::default().decomposition(Decomposition::Pencils)]).map(drop)
}

/// Pencils whose axes are long enough for the kernels of longer lines, also of a single column.
pub fn pencils_of_long_lines(context: &Context) -> Outcome {
    for extents in [[4, 256, 6], [3, 8192, 2]] {
        let options: Vec<JobOptions> =
            variants(context.size).into_iter().map(|options| options.decomposition(Decomposition::Pencils)).collect();
        complex(context, 1, &extents, &options[1..3])?;
    }
    Ok(())
}

/// Passes in many small pieces, of which one or several are under way at once.
pub fn pieces(context: &Context) -> Outcome {
    let lopsided = variants(context.size).swap_remove(1);
    let pace = |options: &JobOptions, bytes: usize, in_flight: usize| options.clone().piece_bytes(bytes).in_flight(in_flight);
    let slabs = [pace(&lopsided, 1, 1), pace(&lopsided, 600, 3), pace(&JobOptions::default().strategy(Strategy::Equal), 2000, 2)];
    let pencils = slabs.clone().map(|options| options.decomposition(Decomposition::Pencils));
    complex(context, 1, &[17, 5], &slabs)?;
    real(context, 1, &[17, 5], &slabs)?;
    for (batch, extents) in [(1, &[12, 10, 14][..]), (3, &[4, 6])] {
        for options in [&slabs, &pencils] {
            complex(context, batch, extents, options)?;
            real(context, batch, extents, options)?;
        }
    }
    Ok(())
}

pub fn batches_of_lines(context: &Context) -> Outcome {
    for (n, batch) in [(60, 9), (61, 3), (8, 1)] {
        let input = complex_noise(n * batch, n as u64);
        let expected = flat(&dft(&wide(&input), &[batch, n], false, false), 1.0);
        let reals = noise(n * batch, n as u64);
        let positions: Vec<Complex64> = reals.iter().map(|&value| Complex64::new(value.into(), 0.0)).collect();
        let halves = flat(&of_half(&dft(&positions, &[batch, n], false, false), &[batch, n]), 1.0);
        for options in variants(context.size) {
            check(context, &C2c::forward(n).batch(batch), &options, batch, &input, &expected)?;
            check(context, &R2c::forward(n).batch(batch), &options, batch, &reals, &halves)?;
        }
    }
    Ok(())
}

/// A quarter of a picture's sides, in messages of 4 KiB.
pub fn a_picture(context: &Context) -> Outcome {
    let options = variants(context.size).swap_remove(1).message_bytes(1 << 12);
    complex(context, 1, &[480, 270], std::slice::from_ref(&options))?;
    real(context, 1, &[270, 480], &[options]).map(drop)
}

/// Pencils are boxes of the array, which rank 0 takes apart and puts together.
fn rank_0_owns_a_volume(context: &Context) -> Outcome {
    let extents = [6, 4, 5];
    let input = complex_noise(120, 1);
    for order in ORDERS {
        let expected = flat(&arranged(&dft(&wide(&input), &extents, true, false), &extents, order), 1.0);
        for options in variants(context.size) {
            let options = options.order(order).decomposition(Decomposition::Pencils);
            let what = |error: wgpu_fft_distributed::Error| error.to_string();
            let job = Job::new(&context.cluster, C2c::forward(extents), &options).map_err(what)?;
            let mut output = rubbish::<C2c>(input.len());
            job.run_from_root((context.rank == 0).then_some(&input), (context.rank == 0).then_some(&mut output)).map_err(what)?;
            let error = if context.rank == 0 { error::<f32>(bytemuck::cast_slice(&output), &expected) } else { 0.0 };
            context.verdict(if error <= budget(input.len()) { Ok(()) } else { Err(format!("relative error {error:.2e}")) })?;
        }
    }
    Ok(())
}

pub fn rank_0_owns_the_data(context: &Context) -> Outcome {
    rank_0_owns_a_volume(context)?;
    let extents = [61, 53];
    let input = complex_noise(61 * 53, 1);
    for order in ORDERS {
        let expected = flat(&arranged(&dft(&wide(&input), &extents, true, false), &extents, order), 1.0);
        for options in variants(context.size) {
            let what = |error: wgpu_fft_distributed::Error| error.to_string();
            let (spec, options) = (C2c::forward(extents), options.order(order));
            let job = Job::new(&context.cluster, spec.clone(), &options).map_err(what)?;
            let mut output = rubbish::<C2c>(input.len());
            let report =
                job.run_from_root((context.rank == 0).then_some(&input), (context.rank == 0).then_some(&mut output)).map_err(what)?;
            if report.phases.len() != if order == Order::Natural { 6 } else { 5 } {
                return Err(format!("{report}"));
            }
            let judge = |output: Vec<Complex32>| {
                let alone = alone(context, &spec, &options, &job, &input).map_err(what)?;
                if context.rounding().is_some() {
                    first_difference(bytemuck::cast_slice(&output), bytemuck::cast_slice(&alone))?;
                }
                let error = error::<f32>(bytemuck::cast_slice(&output), &expected);
                if error.is_nan() || error > budget(input.len()) { Err(format!("relative error {error:.2e}")) } else { Ok(()) }
            };
            context.verdict(if context.rank == 0 { judge(output) } else { Ok(()) })?;
        }
    }
    Ok(())
}

/// Prints a number that is the same for every number of ranks whose adapters round alike;
/// `scripts/mpi.sh` compares them. One rank does so on every adapter, and several as they have
/// them.
pub fn portable_bits(context: &Context) -> Outcome {
    if context.size > 1 {
        return print_portable_bits(context);
    }
    let what = |error: wgpu_fft_distributed::wgpu_fft::Error| error.to_string();
    for adapter in pollster::block_on(gpu::adapters(&GpuOptions::default())).map_err(what)? {
        let planner = Rc::new(Planner::new(&pollster::block_on(Gpu::from_adapter(&adapter)).map_err(what)?));
        print_portable_bits(&context.on(&planner))?;
    }
    Ok(())
}

fn print_portable_bits(context: &Context) -> Outcome {
    let options: Vec<JobOptions> =
        variants(context.size).into_iter().map(|options| options.arithmetic(Arithmetic::Portable)).take(2).collect();
    let mut bits = complex(context, 1, &[61, 53], &options)?;
    bits.extend(real(context, 1, &[64, 48], &options)?);
    bits.extend(complex(context, 1, &[12, 10, 14], &options)?);
    let pencils: Vec<JobOptions> = options.into_iter().map(|options| options.decomposition(Decomposition::Pencils)).collect();
    bits.extend(complex(context, 1, &[12, 10, 14], &pencils)?);
    bits.extend(real(context, 1, &[10, 8, 9], &pencils)?);
    // FNV-1a.
    let hash = bits
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    if let (0, Some(rounding)) = (context.rank, context.rounding()) {
        println!("portable bits {hash:016x} on {rounding}");
    }
    Ok(())
}

pub fn measured_shares(context: &Context) -> Outcome {
    let measured = || JobOptions::default().strategy(Strategy::Measured);
    complex(context, 1, &[17, 5], &[measured()])?;
    real(context, 1, &[61, 53], &[measured()])?;
    complex(context, 1, &[256, 320], &[measured()])?;
    complex(context, 5, &[16, 9], &[measured()])?;
    real(context, 1, &[12, 10, 14], &[measured()]).map(drop)
}

/// Half the bytes, an error of 11 bits for each exchange, and the bits of one rank.
pub fn exchanges_in_f16(context: &Context) -> Outcome {
    let size = context.size;
    let half = |decomposition| -> Vec<JobOptions> {
        variants(size).into_iter().map(|options| options.decomposition(decomposition).exchange_as_f16()).collect()
    };
    for extents in [&[61, 53][..], &[64, 48], &[12, 10, 14]] {
        complex(context, 1, extents, &half(Decomposition::Slabs))?;
        real(context, 1, extents, &half(Decomposition::Slabs))?;
    }
    complex(context, 1, &[12, 10, 14], &half(Decomposition::Pencils))?;
    real(context, 3, &[12, 20], &half(Decomposition::Pencils)[..2])?;

    let what = |error: wgpu_fft_distributed::Error| error.to_string();
    let options = JobOptions::default().order(Order::Natural);
    let [exact, half] =
        [options.clone(), options.exchange_as_f16()].map(|options| Job::new(&context.cluster, C2c::forward([64, 48]), &options));
    let (exact, half) = (exact.map_err(what)?, half.map_err(what)?);
    let run = |job: &Job<C2c, Cluster>, factor: f32| {
        let input: Vec<Complex32> = complex_noise(job.input_len(), 1).into_iter().map(|value| value * factor).collect();
        let mut output = rubbish::<C2c>(job.output_len());
        let report = job.run(&input, &mut output).map_err(what)?;
        let exchanges = report.phases.iter().filter(|phase| phase.label != "rows" && phase.label != "columns");
        let bytes: u64 = exchanges.flat_map(|phase| &phase.workers).map(|worker| worker.work.bytes_out).sum();
        Ok::<_, String>((output, bytes))
    };
    let (plain, bytes) = run(&exact, 1.0)?;
    let (rounded, fewer) = run(&half, 1.0)?;
    if 2 * fewer != bytes || size > 1 && bytes == 0 || bytemuck::cast_slice::<_, u8>(&plain) == bytemuck::cast_slice::<_, u8>(&rounded) {
        return Err(format!("{fewer} bytes in place of {bytes}"));
    }
    // Neither large numbers nor small ones are lost: a power of two more or less is the same bits.
    for factor in [2f32.powi(90), 2f32.powi(-70)] {
        let (scaled, _) = run(&half, factor)?;
        let expected: Vec<Complex32> = rounded.iter().map(|value| value * factor).collect();
        first_difference(bytemuck::cast_slice(&scaled), bytemuck::cast_slice(&expected))
            .map_err(|why| format!("times {factor:e}: {why}"))?;
    }
    Ok(())
}

/// First axes that are not transformed are divided as a batch is.
pub fn first_axes_are_a_batch(context: &Context) -> Outcome {
    let what = |error: wgpu_fft_distributed::Error| error.to_string();
    let whole = noise(6 * 5 * 7, 4);
    for decomposition in [Decomposition::Slabs, Decomposition::Pencils] {
        let options = JobOptions::default().decomposition(decomposition);
        let some = Job::new(&context.cluster, R2c::forward([6, 5, 7]).axes([1, 2]), &options).map_err(what)?;
        let batch = Job::new(&context.cluster, R2c::forward([5, 7]).batch(6), &options).map_err(what)?;
        for (some, batch) in [(some.input(), batch.input()), (some.output(), batch.output())] {
            let axes: Vec<usize> = batch.axes.iter().map(|axis| axis + 1).collect();
            if (&some.batch, &some.ranges, &some.axes) != (&batch.batch, &batch.ranges, &axes) {
                return Err(format!("{some:?}, and not {batch:?}"));
            }
        }
        let own = of_whole(&batch.input(), 6, &whole);
        let mut results = [rubbish::<R2c>(some.output_len()), rubbish::<R2c>(batch.output_len())];
        some.run(&own, &mut results[0]).map_err(what)?;
        batch.run(&own, &mut results[1]).map_err(what)?;
        first_difference(bytemuck::cast_slice(&results[0]), bytemuck::cast_slice(&results[1]))?;
    }
    Ok(())
}

/// A part's elements with the padding behind its rows.
fn with_padding<T: Copy>(values: &[T], part: &Part, padding: T) -> Vec<T> {
    let row = part.ranges.last().map_or(0, ExactSizeIterator::len);
    let rows = part.stored_len() / (row + part.padding).max(1);
    (0..rows).flat_map(|i| values[i * row..][..row].iter().copied().chain(std::iter::repeat_n(padding, part.padding))).collect()
}

/// Boxes of any size, of which some are empty, in place of the parts that follow from the shares; with
/// a halo on the way out.
pub fn parts_of_the_callers(context: &Context) -> Outcome {
    let what = |error: wgpu_fft_distributed::Error| error.to_string();
    let last = context.rank + 1 == context.size;
    for (spec, batch, shape, decomposition) in [
        (R2c::forward([12, 10, 14]), 1, [12, 10, 14], Decomposition::Slabs),
        (R2c::forward([12, 10, 14]), 1, [12, 10, 14], Decomposition::Pencils),
        (R2c::forward([5, 6, 7]).batch(3), 3, [5, 6, 7], Decomposition::Grid([1, context.size])),
    ] {
        for order in ORDERS {
            let options = JobOptions::default().order(order).decomposition(decomposition).message_bytes(100);
            let whole = noise(batch * shape.iter().product::<usize>(), 3);
            let job = Job::new(&context.cluster, spec.clone(), &options).map_err(what)?;
            let mut expected = rubbish::<R2c>(job.output_len());
            job.run(&of_whole(&job.input(), batch, &whole), &mut expected).map_err(what)?;
            let (own, frequencies) = (job.input(), job.output());
            let all = gathered(context, &frequencies, batch, 2, bytemuck::cast_slice(&expected))?;

            // The axis that is not divided in slabs, by ranks with 0, 1, ... indices more; of the frequencies
            // the last one that is stored, with one index more on either side.
            let mut given = own.clone();
            (given.batch, given.ranges) = (0..batch, shape.map(|extent| 0..extent).to_vec());
            let ends: Vec<usize> =
                (0..=context.size).map(|rank| if rank == context.size { shape[2] } else { rank * rank.saturating_sub(1) / 2 }).collect();
            given.ranges[2] = ends[context.rank]..ends[context.rank + 1];
            let mut wanted = frequencies.clone();
            (wanted.batch, wanted.ranges) = (0..batch, frequencies.extents.iter().map(|extent| 0..*extent).collect());
            let halo = frequencies.extents[2] / context.size;
            wanted.ranges[2] = (context.rank * halo).saturating_sub(1)..((context.rank + 1) * halo + 1).min(frequencies.extents[2]);

            let overlapping = if last {
                given.clone()
            } else {
                let mut other = given.clone();
                other.ranges[2].end += 1;
                other
            };
            let missing = if last {
                let mut other = given.clone();
                other.ranges[2].end -= 1;
                other
            } else {
                given.clone()
            };
            let mut outside = own.clone();
            outside.ranges[0].end += 100;
            let mut endless = given.clone();
            endless.padding = usize::MAX;
            for (wrong, why) in [(overlapping, "overlap"), (missing, "no rank's part"), (outside, "lie as"), (endless, "padding")] {
                let job = Job::new(&context.cluster, spec.clone(), &options).map_err(what)?;
                match job.with_parts(Some(wrong), None) {
                    Err(Error::OnRank { message, .. }) if message.contains(why) => {}
                    Ok(_) if why == "overlap" && context.size == 1 => {}
                    outcome => return Err(format!("{why}: {outcome:?}")),
                }
            }

            // Rows of reals with room for frequencies, and one number more behind rows of those.
            (given.padding, wanted.padding) = (2, 1);
            let job = job.with_parts(Some(given.clone()), Some(wanted.clone())).map_err(what)?;
            if (job.input(), job.output()) != (given.clone(), wanted.clone()) {
                return Err(format!("{:?} {:?}", job.input(), job.output()));
            }
            let mut actual = rubbish::<R2c>(job.output_len());
            let padded = with_padding(&of_whole(&given, batch, &whole), &given, f32::NAN);
            let report = job.run(&padded, &mut actual).map_err(what)?;
            let reshapes = report.phases.iter().filter(|phase| phase.label == "reshape").count();
            if reshapes != 2 {
                return Err(format!("{report}"));
            }
            // Rank 0 has all frequencies, and tells the others.
            let mut all = if context.rank == 0 { all } else { vec![0.0; 2 * batch * frequencies.extents.iter().product::<usize>()] };
            context.world.process_at_rank(0).broadcast_into(&mut all[..]);
            let expected = of_whole(&wanted, batch, bytemuck::cast_slice::<f32, [f32; 2]>(&all));
            let expected = with_padding(&expected, &wanted, bytemuck::cast(rubbish::<R2c>(1)[0]));
            first_difference(bytemuck::cast_slice(&actual), bytemuck::cast_slice(&expected))?;
        }
    }
    Ok(())
}

/// Comparisons that accept everything would prove nothing.
pub fn comparisons_can_fail(context: &Context) -> Outcome {
    let input = complex_noise(61 * 53, 7);
    let expected = flat(&arranged(&dft(&wide(&input), &[61, 53], true, false), &[61, 53], Order::Transposed), 1.0);
    let options = JobOptions::default().strategy(Strategy::Equal);
    let all = check(context, &C2c::forward([61, 53]), &options, 1, &input, &expected)?;
    context.verdict(if context.rank == 0 { wrong_ones_are_seen(&all, &expected) } else { Ok(()) })?;
    // Another input is another result.
    let mut other = input.clone();
    other[0].re += 0.5;
    match check(context, &C2c::forward([61, 53]), &options, 1, &other, &expected) {
        Ok(_) => Err("another input was not seen".to_owned()),
        Err(_) => Ok(()),
    }
}

fn wrong_ones_are_seen(all: &[f32], expected: &[f64]) -> Outcome {
    let mut last_bit = all.to_vec();
    last_bit[1234] = f32::from_bits(last_bit[1234].to_bits() ^ 1);
    let mut exchanged = all.to_vec();
    exchanged.swap(100, 200);
    let natural = arranged(bytemuck::cast_slice::<f32, [f32; 2]>(all), &[53, 61], Order::Transposed);
    for (name, wrong) in [("a last bit", &last_bit[..]), ("two exchanged", &exchanged), ("shorter", &all[1..])] {
        if first_difference(wrong, all).is_ok() {
            return Err(format!("{name}: no difference was seen"));
        }
    }
    let wrong: [&[f32]; 2] = [&exchanged, bytemuck::cast_slice(&natural)];
    if wrong.iter().any(|wrong| error(wrong, expected) <= budget(61 * 53)) {
        return Err("an error was not seen".to_owned());
    }
    Ok(())
}
