//! Random operations around transforms: convolutions, filters on spectra, resampled arrays, zoomed
//! spectra, frames, power spectra, means over rings and shifts between pictures.

use std::str::FromStr;

use wgpu_fft::Spec;
use wgpu_fft::num_complex::{Complex32, Complex64};
use wgpu_fft::signal::{Frequencies, Mode, PhaseCorrelate, Resample, SpectralFilter, Zoom};
use wgpu_fft::signal::{Istft, Scaling};
use wgpu_fft::{Edge, Error, Fragment};

use crate::case::{Case, Problem, Verdict, kind_of};
use crate::draws::Draws;
use crate::numbers::{self, Number, norm, of_bytes, random, random_bytes, reads, reads_untyped, wide, within};
use crate::subject::Subject;
use crate::{convolutions, frames, grids, responses, rings, shifts};

/// Larger than every bound that is promised for so few elements.
const BOUND: f64 = 2e-6;

/// Numbers that signals may have.
trait Signal: Number + wgpu_fft::elements::Number {}
impl Signal for f32 {}
impl Signal for Complex32 {}

/// Whether element i of an input (0 or 1) may reach element j of so many of the output.
type Reaches<'a> = &'a dyn Fn(usize, usize, [usize; 2]) -> bool;

/// Makes an element of an input NaN or very large. Returns which bytes of the output it may reach.
fn spoil<S: Spec<Input: Number>>(
    draws: &mut Draws,
    inputs: &mut [Vec<u8>],
    lens: [usize; 2],
    outputs: usize,
    reaches: Reaches<'_>,
) -> Box<dyn Fn(usize) -> bool> {
    let which = draws.between(0, inputs.len() - 1);
    let i = numbers::spoil::<S::Input>(draws, &mut inputs[which], &(0..lens[which]).collect::<Vec<_>>());
    let reached: Vec<bool> = (0..outputs).map(|j| reaches(which, i, [j, outputs])).collect();
    Box::new(move |byte| reached[byte / size_of::<S::Output>()])
}

/// Runs a specification of one or two inputs. `expected` gets them as complex numbers, and returns
/// the result with the size that errors relate to.
fn judge<S: Spec>(
    case: &mut Case<'_>,
    spec: S,
    by_hand: &[&str],
    lens: [usize; 2],
    reaches: Reaches<'_>,
    expected: impl Fn(&[Complex64], &[Complex64]) -> (Vec<Complex64>, f64),
) -> Verdict
where
    S::Input: Number,
    S::Output: Number,
{
    let subject = Subject::new(spec);
    let input = |which: usize, bytes: usize| random_bytes::<S::Input>(bytes, 3 + which as u64);
    let [x, y] = [0, 1].map(|which| wide(&random::<S::Input>(lens[which], 3 + which as u64)));
    let reference = std::cell::OnceCell::new();
    let check = |output: &[u8], _: &str| {
        let (expected, size) = reference.get_or_init(|| expected(&x, &y));
        within(&wide(&of_bytes::<S::Output>(output)), expected, BOUND + S::Output::ROUNDING, *size)
    };
    let outputs = || reference.get_or_init(|| expected(&x, &y)).0.len();
    let spoil = |draws: &mut Draws, inputs: &mut [Vec<u8>]| spoil::<S>(draws, inputs, lens, outputs(), reaches);
    case.judge(&Problem { subject: &subject, by_hand, drawn: None, input: &input, check: &check, spoil: Some(&spoil) })
}

/// The same for a specification that has a text.
fn judge_read<S: Spec + FromStr<Err = Error>>(
    case: &mut Case<'_>,
    spec: S,
    lens: [usize; 2],
    reaches: Reaches<'_>,
    expected: impl Fn(&[Complex64], &[Complex64]) -> (Vec<Complex64>, f64),
) -> Verdict
where
    S::Input: Number,
    S::Output: Number,
{
    match reads(&spec).and_then(|()| reads_untyped(&Subject::new(spec.clone()))) {
        Ok(()) => judge(case, spec, &[], lens, reaches, expected),
        Err(why) => Verdict::Wrong(why),
    }
}

fn sized(values: Vec<Complex64>) -> (Vec<Complex64>, f64) {
    let size = norm(&values);
    (values, size)
}

pub fn convolution(case: &mut Case<'_>) -> Verdict {
    if case.chance(50) { convolution_of::<Complex32>(case) } else { convolution_of::<f32>(case) }
}

fn convolution_of<T: Signal>(case: &mut Case<'_>) -> Verdict {
    let shape = case.shape_of(3, 1000);
    let longest = |&n: &usize| (400 / shape.iter().product::<usize>().max(1)).max(3).min(n + 6);
    let kernel: Vec<usize> = shape.iter().map(longest).collect::<Vec<_>>().into_iter().map(|most| case.between(1, most)).collect();
    let fits = shape.iter().zip(&kernel).all(|(n, k)| k <= n);
    let mut mode = case.pick(&convolutions::MODES);
    if mode == Mode::Valid && !fits {
        mode = Mode::Full;
    }
    let direct = convolutions::Case { shape, kernel, correlate: case.chance(50), mode, edge: case.pick(&convolutions::EDGES) };
    let batch = case.batch();
    let (one, own): (usize, usize) = (direct.shape.iter().product(), direct.kernel.iter().product());
    let (for_each, channels) = match case.draws.below(4) {
        2 => (true, [1, 1]),
        3 => (false, [case.between(1, 3), case.between(1, 3)]),
        _ => (false, [1, 1]),
    };
    let spec = direct.spec::<T>().batch(batch);
    let (spec, kernels) = match (for_each, channels) {
        (true, _) => (spec.kernel_for_each(), batch),
        (false, [1, 1]) => (spec, 1),
        (false, [inputs, outputs]) => (spec.channels(inputs, outputs), inputs * outputs),
    };
    let [inputs, outputs] = channels;
    let expected = |x: &[Complex64], w: &[Complex64]| {
        let (signals, taps): (Vec<_>, Vec<_>) = (x.chunks(one).collect(), w.chunks(own).collect());
        let result = |item: usize| {
            let sums = (0..inputs).map(|channel| {
                let kernel = if for_each { item } else { item % outputs * inputs + channel };
                direct.direct(signals[item / outputs * inputs + channel], taps[kernel])
            });
            sums.reduce(|sum, part| sum.iter().zip(part).map(|(a, b)| a + b).collect()).unwrap_or_default()
        };
        // Relative to the whole of what is summed, not to what is left of it.
        let all: Vec<Complex64> = (0..batch * outputs).flat_map(result).collect();
        let size = norm(&all).max(norm(x) * norm(w));
        (all, size)
    };
    let reaches = |which: usize, i: usize, [j, all]: [usize; 2]| {
        let result = j * batch * outputs / all;
        match (which, for_each) {
            (0, _) => i / one / inputs == result / outputs,
            (_, true) => i / own == result,
            _ => i / own / inputs == result % outputs,
        }
    };
    judge_read(case, spec, [one * batch * inputs, own * kernels], &reaches, expected)
}

pub fn spectral_filter(case: &mut Case<'_>) -> Verdict {
    let shape = case.shape_of(3, 1500);
    let (rank, real) = (shape.len(), !case.chance(50));
    let mut direct = responses::Case::new(real, &shape);
    direct.axes = case.axes(rank);
    if !direct.axes.contains(&(rank - 1)) {
        direct.axes.push(rank - 1);
    }
    direct.edge = case.pick(&[Edge::Zero, Edge::Wrap, Edge::Reflect, Edge::Nearest, Edge::Mirror]);
    direct.batch = case.batch();
    if case.chance(40) {
        for axis in direct.axes.clone() {
            direct.lengths[axis] += case.between(0, direct.shape[axis]);
        }
    }
    let (wgsl, response) = case.pick(&responses::RESPONSES);
    let fragment = Fragment::new(wgsl.replace('#', &(rank - 1).to_string()));
    let expected = |x: &[Complex64], _: &[Complex64]| {
        let all = direct.direct(x, &response);
        let size = norm(&all).max(norm(x));
        (all, size)
    };
    let len = direct.len();
    let (shape, axes) = (direct.shape.clone(), direct.axes.clone());
    let reaches = |_: usize, i: usize, [j, _]: [usize; 2]| numbers::row(&shape, &axes, i) == numbers::row(&shape, &axes, j);
    if real {
        match SpectralFilter::real(&direct.shape, fragment) {
            Ok(spec) => judge(case, direct.options(spec), &[], [len, 0], &reaches, expected),
            Err(error) => Verdict::Wrong(error.to_string()),
        }
    } else {
        match SpectralFilter::complex(&direct.shape, fragment) {
            Ok(spec) => judge(case, direct.options(spec), &[], [len, 0], &reaches, expected),
            Err(error) => Verdict::Wrong(error.to_string()),
        }
    }
}

pub fn resampling(case: &mut Case<'_>) -> Verdict {
    let shape = case.shape_of(3, 1000);
    let to: Vec<usize> = shape.iter().map(|&n| if case.chance(70) { case.between(1, 2 * n) } else { n }).collect();
    let batch = case.batch();
    let complex = case.chance(50);
    let one: usize = shape.iter().product();
    let expected = |x: &[Complex64], _: &[Complex64]| sized(x.chunks(one).flat_map(|x| grids::resample(x, &shape, &to)).collect());
    let mut axes: Vec<usize> = (0..shape.len()).filter(|&axis| shape[axis] != to[axis]).collect();
    if axes.is_empty() {
        axes.push(shape.len() - 1);
    }
    let reaches = |_: usize, i: usize, [j, _]: [usize; 2]| numbers::row(&shape, &axes, i) == numbers::row(&to, &axes, j);
    if complex {
        judge_read(case, Resample::<Complex32>::new(&shape[..], &to[..]).batch(batch), [one * batch, 0], &reaches, expected)
    } else {
        let real = |x: &[Complex64], y: &[Complex64]| sized(expected(x, y).0.iter().map(|z| z.re.into()).collect());
        judge_read(case, Resample::<f32>::new(&shape[..], &to[..]).batch(batch), [one * batch, 0], &reaches, real)
    }
}

pub fn zoom(case: &mut Case<'_>) -> Verdict {
    if case.chance(50) { zoom_of::<Complex32>(case) } else { zoom_of::<f32>(case) }
}

fn zoom_of<T: Signal>(case: &mut Case<'_>) -> Verdict
where
    Zoom<T>: Spec<Input = T, Output = Complex32> + FromStr<Err = Error>,
{
    let shape = case.shape_of(3, 800);
    let axis = case.between(0, shape.len() - 1);
    let points = case.between(1, 2 * shape[axis] + 3);
    let thousandths = |case: &mut Case<'_>| case.between(0, 1000) as f64 / 1000.0;
    let band = [thousandths(case) - 0.5, thousandths(case) - 0.5];
    let (batch, endpoint) = (case.batch(), case.chance(30));
    let spec = Zoom::<T>::new(&shape[..], band, points).axis(axis).batch(batch).endpoint(endpoint);
    match spec.frequencies() {
        Ok(frequencies) => judge_spectrum(case, spec, &shape, axis, batch, &frequencies),
        Err(error) => Verdict::Refused(kind_of(&error)),
    }
}

pub fn frequencies(case: &mut Case<'_>) -> Verdict {
    if case.chance(50) { frequencies_of::<Complex32>(case) } else { frequencies_of::<f32>(case) }
}

fn frequencies_of<T: Signal>(case: &mut Case<'_>) -> Verdict
where
    Frequencies<T>: Spec<Input = T, Output = Complex32> + FromStr<Err = Error>,
{
    let shape = case.shape_of(3, 800);
    let axis = case.between(0, shape.len() - 1);
    let (n, count, batch) = (shape[axis], case.between(1, 12), case.batch());
    if case.chance(50) {
        let bins: Vec<usize> = (0..count).map(|_| case.between(0, n - 1)).collect();
        let cycles: Vec<f64> = bins.iter().map(|&bin| bin as f64 / n as f64).collect();
        judge_spectrum(case, Frequencies::<T>::bins(&shape[..], bins).axis(axis).batch(batch), &shape, axis, batch, &cycles)
    } else {
        let cycles: Vec<f64> = (0..count).map(|_| case.between(0, 3000) as f64 / 1000.0 - 1.5).collect();
        judge_spectrum(case, Frequencies::<T>::new(&shape[..], &cycles).axis(axis).batch(batch), &shape, axis, batch, &cycles)
    }
}

/// Judges what has the spectra of lines along an axis at such frequencies.
fn judge_spectrum<T: Signal, S>(case: &mut Case<'_>, spec: S, shape: &[usize], axis: usize, batch: usize, frequencies: &[f64]) -> Verdict
where
    S: Spec<Input = T, Output = Complex32> + FromStr<Err = Error>,
{
    let len = shape.iter().product::<usize>() * batch;
    // Frequencies near each other have nearly equal results, which may all be small.
    let expected = |x: &[Complex64], _: &[Complex64]| {
        let all = grids::zoom(x, shape, axis, frequencies);
        let size = norm(&all).max(norm(x) * (frequencies.len() as f64).sqrt());
        (all, size)
    };
    let mut to = shape.to_vec();
    to[axis] = frequencies.len();
    let reaches = |_: usize, i: usize, [j, _]: [usize; 2]| numbers::row(shape, &[axis], i) == numbers::row(&to, &[axis], j);
    judge_read(case, spec, [len, 0], &reaches, expected)
}

pub fn frames(case: &mut Case<'_>) -> Verdict {
    if case.chance(50) { frames_of::<Complex32>(case) } else { frames_of::<f32>(case) }
}

fn frames_of<T: Signal>(case: &mut Case<'_>) -> Verdict {
    let m = case.extent(100).max(2);
    let n = case.between(m.div_ceil(2), 600.max(m));
    let hop = case.between(1, m);
    let nfft = m + if case.chance(30) { case.between(0, m) } else { 0 };
    let mut direct = frames::Case::new(n, m, hop, nfft);
    direct.edge = case.pick(&frames::EDGES);
    direct.phase = case.pick(&[Some(0), None, Some(3), Some(-2)]);
    direct.scaling = case.pick(&[Scaling::None, Scaling::Magnitude, Scaling::Psd { sampling_rate: 20.0 }]);
    if case.chance(20) {
        let first = case.between(0, 4) as i64;
        direct.frames = Some([first, first + 1 + case.between(0, 3) as i64]);
    }
    let batch = case.batch();
    let (turned, back) = (case.chance(30), case.chance(30));
    let spec = direct.spec::<T>().batch(batch);
    let spec = if turned { spec.frequencies_first() } else { spec };
    let (range, shape) = match spec.frame_range().and_then(|range| Ok((range, spec.output_shape()?))) {
        Ok(both) => both,
        Err(error) => return Verdict::Refused(kind_of(&error)),
    };
    let bins = if T::NAME == "f32" { nfft / 2 + 1 } else { nfft };
    let count = (range.end - range.start) as usize;
    if shape.extents().iter().product::<usize>() != bins * count {
        return Verdict::Wrong(format!("`{spec}` has the shape {shape}"));
    }
    // Frames × frequencies of each array the other way round.
    let placed = |spectra: Vec<Complex64>| -> Vec<Complex64> {
        if !turned {
            return spectra;
        }
        spectra.chunks(bins * count).flat_map(|all| (0..bins * count).map(move |i| all[i % count * bins + i / count])).collect()
    };
    let there = |x: &[Complex64]| -> Vec<Complex64> {
        placed(x.chunks(n).flat_map(|x| direct.direct(x, [range.start, range.end], bins)).collect())
    };
    // Element t of a signal is in the frames that begin at most m - 1 before it. Another edge than
    // zeros is made of elements of the signal.
    let is_in = |t: usize, number: usize| {
        let frame = if turned { number % count } else { number / bins };
        let begin = (range.start + frame as i64) * hop as i64 - m as i64 / 2;
        (begin..begin + m as i64).contains(&(t as i64)) || direct.edge != Edge::Zero
    };
    let reaches = |_: usize, i: usize, [j, _]: [usize; 2]| i / n == j / (bins * count) && is_in(i % n, j % (bins * count));
    if !back {
        return judge(case, spec, &[], [n * batch, 0], &reaches, |x, _| sized(there(x)));
    }
    // The spectra of a signal lead back to it.
    let inverse = match spec.inverse() {
        Ok(inverse) if direct.frames.is_none() => inverse,
        Ok(_) => return judge(case, spec, &[], [n * batch, 0], &reaches, |x, _| sized(there(x))),
        Err(error) => return Verdict::Refused(kind_of(&error)),
    };
    let x = wide(&random::<T>(n * batch, 3));
    let spectra: Vec<Complex32> = there(&x).iter().map(|z| Complex32::new(z.re as f32, z.im as f32)).collect();
    let input = |_: usize, _: usize| bytemuck::cast_slice(&spectra).to_vec();
    let check = |output: &[u8], _: &str| within(&wide(&of_bytes::<T>(output)), &x, 1e-4, norm(&x));
    let back = |which: usize, i: usize, [j, all]: [usize; 2]| reaches(which, j, [i, all]);
    let spoil = |draws: &mut Draws, inputs: &mut [Vec<u8>]| spoil::<Istft<T>>(draws, inputs, [spectra.len(), 0], n * batch, &back);
    let subject = Subject::new(inverse);
    case.judge(&Problem { subject: &subject, by_hand: &[], drawn: None, input: &input, check: &check, spoil: Some(&spoil) })
}

pub fn power(case: &mut Case<'_>) -> Verdict {
    if case.chance(50) { power_of::<Complex32>(case) } else { power_of::<f32>(case) }
}

fn power_of<T: Signal>(case: &mut Case<'_>) -> Verdict {
    let m = case.extent(100).max(2);
    let n = case.between(m, 700.max(m));
    let overlap = case.between(0, m - 1);
    let nfft = m + if case.chance(30) { case.between(0, m) } else { 0 };
    let direct = frames::Welch::new(n, m, overlap, nfft);
    let batch = case.batch();
    let expected = |x: &[Complex64], _: &[Complex64]| {
        let powers = |x: &[Complex64]| direct.direct(x, T::NAME == "f32").into_iter().map(Complex64::from).collect::<Vec<_>>();
        sized(x.chunks(n).flat_map(powers).collect())
    };
    let reaches = |_: usize, i: usize, [j, all]: [usize; 2]| i / n == j * batch / all;
    judge(case, direct.spec::<T>().batch(batch), &[], [n * batch, 0], &reaches, expected)
}

pub fn ring_means(case: &mut Case<'_>) -> Verdict {
    let shape = case.shape(3);
    let mut direct = rings::Case::new(&shape);
    direct.batch = case.batch();
    direct.half = case.chance(30);
    direct.centred = !direct.half && case.chance(40);
    direct.corners = case.chance(30);
    let spec = direct.spec();
    let len = direct.stored().iter().product::<usize>() * direct.batch;
    if let Err(why) = reads(&spec).and_then(|()| reads_untyped(&Subject::new(spec.clone()))) {
        return Verdict::Wrong(why);
    }
    // Empty rings have no mean.
    let subject = Subject::new(spec);
    let input = |_: usize, bytes: usize| random_bytes::<f32>(bytes, 3);
    let x: Vec<f64> = random::<f32>(len, 3).iter().map(|&x| x.into()).collect();
    let check = |output: &[u8], _: &str| {
        let means: Vec<f32> = of_bytes(output);
        let sums = direct.sums(&x);
        if means.len() != sums.len() {
            return Err(format!("{} rings in place of {}", means.len(), sums.len()));
        }
        for (ring, (&own, &(sum, count))) in means.iter().zip(&sums).enumerate() {
            let right = if count == 0 { own.is_nan() || own == 0.0 } else { (f64::from(own) - sum / count as f64).abs() <= 2e-6 };
            if !right {
                return Err(format!("ring {ring} has the mean {own} in place of {sum} / {count}"));
            }
        }
        Ok(())
    };
    case.judge(&Problem { subject: &subject, by_hand: &rings::RECIPES, drawn: None, input: &input, check: &check, spoil: None })
}

/// Pictures that differ by a known shift.
pub fn phase(case: &mut Case<'_>) -> Verdict {
    let shape: Vec<usize> = case.shape_of(3, 1500);
    let by: Vec<f64> =
        shape.iter().map(|&n| if n < 5 { 0.0 } else { (case.between(0, 20 * n) as f64 - 10.0 * n as f64) / 20.0 * 0.9 }).collect();
    let unnormalised = case.chance(40);
    let batch = case.batch().min(3);
    let rank = shape.len();
    let one: usize = shape.iter().product();
    let spec = PhaseCorrelate::new(&shape[..]).batch(batch);
    let spec = if unnormalised { spec.unnormalised() } else { spec };
    if let Err(why) = reads(&spec) {
        return Verdict::Wrong(why);
    }
    let pairs: Vec<[Vec<f32>; 2]> = (0..batch as u64)
        .map(|item| {
            let moving = shifts::shifted(&crate::reference::noise(one, 7 + item), &shape, &vec![0.0; rank]);
            [shifts::shifted(&moving, &shape, &by), moving]
        })
        .collect();
    let input = |which: usize, _: usize| {
        let all: Vec<f32> = pairs.iter().flat_map(|pair| pair[which].clone()).collect();
        bytemuck::cast_slice(&all).to_vec()
    };
    let check = |output: &[u8], _: &str| {
        let found: Vec<f32> = of_bytes(output);
        if found.len() != batch * (rank + 1) {
            return Err(format!("{} numbers in place of {}", found.len(), batch * (rank + 1)));
        }
        for (own, pair) in found.chunks(rank + 1).zip(&pairs) {
            let correlation = shifts::Correlation::new(&pair[0], &pair[1], &shape, !unnormalised);
            let at: Vec<f64> = own[..rank].iter().map(|&x| x.into()).collect();
            let (height, stated) = (correlation.at(&at), f64::from(own[rank]));
            // Without normalisation, a side of the top may be the highest element: the result is the
            // top beside the highest element.
            let wanted = if unnormalised { correlation.peak() } else { by.clone() };
            let least = correlation.at(&wanted);
            let distance = |axis: usize| {
                let turns = (at[axis] - wanted[axis]) / shape[axis] as f64;
                (turns - turns.round()).abs() * shape[axis] as f64
            };
            let is_far = (0..rank).any(|axis| distance(axis) > 1.5);
            let tolerance = 2e-3 * least.abs().max(1e-3);
            if is_far || height < least - tolerance || (stated - height).abs() > tolerance {
                return Err(format!("{own:?} in place of {wanted:?}, where the height is {least}; there it is {height}"));
            }
        }
        Ok(())
    };
    let reaches = |_: usize, i: usize, [j, _]: [usize; 2]| i / one == j / (rank + 1);
    let spoil = |draws: &mut Draws, inputs: &mut [Vec<u8>]| {
        spoil::<PhaseCorrelate<f32>>(draws, inputs, [one * batch; 2], batch * (rank + 1), &reaches)
    };
    let subject = Subject::new(spec);
    case.judge(&Problem { subject: &subject, by_hand: &[], drawn: None, input: &input, check: &check, spoil: Some(&spoil) })
}
