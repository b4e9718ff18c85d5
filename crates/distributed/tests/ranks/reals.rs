//! Cosine, sine and Hartley transforms and half-complex spectra: bit by bit those of one rank, and
//! those of their definitions.

use wgpu_fft_distributed::wgpu_fft::Shape;
use wgpu_fft_distributed::wgpu_fft::fft::{C2c, R2r, RealKind, Scale};
use wgpu_fft_distributed::{Decomposition, Error, Job, JobOptions, Order};
use wgpu_fft_tests::real_kinds::transform;

use crate::bits::{ORDERS, check, of_batch, rubbish, stored, variants};
use crate::harness::{Context, Outcome};
use crate::parts::{gathered, of_whole};
use crate::reference::{arranged, budget, error, noise};

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// A batch of arrays by the definitions.
fn defined(input: &[f32], extents: &[usize], kinds: &[RealKind], factor: f64) -> Vec<f64> {
    let kinds: Vec<(usize, RealKind)> = kinds.iter().copied().enumerate().collect();
    let mut all: Vec<f64> = input.iter().map(|&value| value.into()).collect();
    all.chunks_exact_mut(extents.iter().product()).for_each(|own| transform(own, extents, &kinds));
    all.iter_mut().for_each(|value| *value *= factor);
    all
}

/// There in every order, and from transposed input.
fn reals(context: &Context, batch: usize, extents: &[usize], kinds: &[RealKind], options: &JobOptions) -> Outcome {
    let n: usize = extents.iter().product();
    let input = noise(n * batch, n as u64);
    let spec = R2r::by_axis(kinds.to_vec(), Shape::from(extents)).batch(batch);
    let spec = spec.scale(Scale::InvLen);
    let logical: usize = kinds.iter().zip(extents).map(|(kind, n)| kind.logical_length(*n)).product();
    let expected = defined(&input, extents, kinds, 1.0 / logical as f64);
    for order in ORDERS {
        let options = options.clone().order(order);
        let order = stored(&options, batch, order);
        check(context, &spec, &options, batch, &input, &of_batch(n, &expected, |own| arranged(own, extents, order)))?;
    }
    let transposed = of_batch(n, &input, |own| arranged(own, extents, stored(options, batch, Order::Transposed)));
    check(context, &spec, &options.clone().order(Order::TransposedInput), batch, &transposed, &expected).map(drop)
}

pub fn reals_to_reals(context: &Context) -> Outcome {
    let variants = variants(context.size);
    for (i, kind) in RealKind::ALL.into_iter().enumerate() {
        let kinds = [kind, RealKind::ALL[(i + 3) % 11], RealKind::ALL[(i + 7) % 11]];
        let options = variants[i % variants.len()].clone();
        let decomposition = [Decomposition::Slabs, Decomposition::Pencils][i % 2];
        reals(context, 1, &[12, 10, 14], &kinds, &options.clone().decomposition(decomposition))?;
        // An odd number of rows, and lines of an odd length.
        reals(context, 1, &[17, 5], &kinds[..2], &options)?;
    }
    let [dct, dst] = [RealKind::DctII, RealKind::DstI];
    let pencils = variants[1].clone().decomposition(Decomposition::Pencils);
    reals(context, 3, &[12, 20], &[dst, dct], &pencils)?;
    reals(context, 4, &[9, 10], &[dct, dst], &variants[0])?;
    reals(context, 5, &[30], &[RealKind::DctIV], &variants[0])?;
    reals(context, 1, &[61, 53], &[dct, dst], &variants[0].clone().exchange_as_f16())?;
    reals(context, 1, &[12, 10, 14], &[dct, dst, dct], &pencils.exchange_as_f16())?;
    // In pieces, and long enough for several passes.
    reals(context, 1, &[30, 1500], &[dct, dst], &variants[0].clone().piece_bytes(20_000))?;

    // More bits than f32 has.
    let input: Vec<f64> = noise(120, 1).into_iter().map(|value| f64::from(value) / 3.0).collect();
    let mut expected = input.clone();
    transform(&mut expected, &[12, 10], &[(0, dct), (1, dst)]);
    let spec = R2r::by_axis([dct, dst], [12, 10]).f64_by_f32();
    check(context, &spec, &variants[1], 1, &input, &arranged(&expected, &[12, 10], Order::Transposed)).map(drop)
}

/// One device's result, and back from transposed order; orthonormal, so that the norm stays.
pub fn reals_there_and_back(context: &Context) -> Outcome {
    let shape = [12, 10, 14];
    let kinds = [RealKind::DctII, RealKind::DstII, RealKind::DctI];
    let spec = R2r::by_axis(kinds, shape).orthonormal();
    let whole = noise(shape.iter().product(), 2);
    let alone = context.cluster.planner().plan(spec.clone()).and_then(|plan| plan.run(&whole)?.wait()).map_err(text)?;
    let alone: Vec<f64> = alone.into_iter().map(f64::from).collect();
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|value| value * value).sum::<f64>().sqrt();
    let [before, after] = [norm(&mut whole.iter().map(|&value| value.into())), norm(&mut alone.iter().copied())];
    if (before / after - 1.0).abs() > 1e-6 {
        return Err(format!("a norm of {after}, and not {before}"));
    }
    for decomposition in [Decomposition::Slabs, Decomposition::Pencils] {
        let options = JobOptions::default().decomposition(decomposition);
        let there = Job::new(&context.cluster, spec.clone(), &options).map_err(text)?;
        let back = Job::new(&context.cluster, spec.clone().inverse(), &options.order(Order::TransposedInput)).map_err(text)?;
        if (there.input(), there.output()) != (back.output(), back.input()) {
            return Err(format!("{:?} and {:?}", there.output(), back.input()));
        }
        let own = of_whole(&there.input(), 1, &whole);
        let (mut spectrum, mut again) = (rubbish::<R2r>(there.output_len()), rubbish::<R2r>(back.output_len()));
        there.run(&own, &mut spectrum).map_err(text)?;
        back.run(&spectrum, &mut again).map_err(text)?;
        let expected: Vec<f64> = own.iter().map(|&value| value.into()).collect();
        let away = if own.is_empty() { 0.0 } else { error(&again, &expected) };
        if away.is_nan() || away > 2.0 * budget(whole.len()) {
            return Err(format!("{away:.1e} there and back"));
        }
        let all = gathered(context, &there.output(), 1, 1, &spectrum)?;
        let away = if context.rank == 0 { error(&all, &arranged(&alone, &shape, Order::Transposed)) } else { 0.0 };
        context.verdict(if away <= budget(whole.len()) { Ok(()) } else { Err(format!("{away:.1e} from one device's")) })?;
    }
    // Others have a direction.
    match Job::new(&context.cluster, C2c::forward([8, 8]), &JobOptions::default().order(Order::TransposedInput)) {
        Err(Error::Core(error)) if error.to_string().contains("transposed input") => {}
        other => return Err(format!("{other:?}")),
    }
    match Job::new(&context.cluster, R2r::new(RealKind::DctI, [8, 1]), &JobOptions::default()) {
        Err(Error::Core(error)) if error.to_string().contains("dct1 of length 1") => Ok(()),
        other => Err(format!("{other:?}")),
    }
}
