//! Random cosine, sine and Hartley transforms.

use wgpu_fft::fft::{R2r, RealKind};
use wgpu_fft::half::f16;
use wgpu_fft::low_level::recipes::fft::Recipe;
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::{Error, Fragment, Spec};

use crate::case::{Case, Problem, Spoil, Verdict, kind_of};
use crate::draws::Draws;
use crate::fft::{Scaling, logical_length, of_real_kind, places, spoil_row};
use crate::numbers::{self, Number, norm, of_bytes, untouched, unwritten, within};
use crate::real_kinds_by_definition::transform;
use crate::recipes::{self, Axis, Ordered};
use crate::recipes_by_hand::REAL;
use crate::reference::Places;
use crate::subject::Subject;

struct Drawn {
    shape: Vec<usize>,
    batch: usize,
    kinds: Vec<RealKind>,
    axes: Vec<usize>,
    places: [Option<(Places, usize)>; 2],
    in_place: bool,
    scale: Scaling,
    bound: f64,
    /// What a fragment on the input multiplies by, and what one on the output adds.
    factor: f64,
    more: f64,
    rows_mix: bool,
}

pub fn random(case: &mut Case<'_>) -> Verdict {
    // The reference adds all products.
    let shape = case.shape_of(3, 1200);
    let kinds: Vec<RealKind> = shape.iter().map(|_| case.pick(&RealKind::ALL)).collect();
    let batch = case.batch();
    let axes = case.axes(shape.len());
    let in_place = case.chance(25);
    let mut own = [0, 1].map(|side| case.chance(40).then(|| places(case, &shape, batch, in_place || side == 1)));
    if in_place {
        own[1] = own[0].clone();
    }
    let scale = Scaling::drawn(case);
    let elements = if case.chance(50) { case.draws.below(6) } else { 0 };
    let name_axes = axes.len() < shape.len() || case.chance(50);
    let rows_mix = case.chance(20);
    let mut drawn = Drawn { shape, batch, kinds, axes, places: own, in_place, scale, bound: 1.5e-6, factor: 1.0, more: 0.0, rows_mix };
    let mut spec = R2r::by_axis(drawn.kinds.iter().copied(), &drawn.shape[..]).batch(drawn.batch);
    if name_axes {
        spec = spec.axes(&drawn.axes[..]);
    }
    let layout = |(places, more): &(Places, usize)| {
        let layout = places.layout();
        if *more > 0 { layout.within(places.span(&drawn.shape, drawn.batch) + more) } else { layout }
    };
    if let Some(places) = &drawn.places[0] {
        spec = spec.input_layout(layout(places));
    }
    if let Some(places) = &drawn.places[1] {
        spec = spec.output_layout(layout(places));
    }
    spec = match drawn.scale {
        Scaling::Kept(scale) => spec.scale(scale),
        Scaling::By(factor) => spec.scale_by(factor),
    };
    if in_place {
        spec = spec.in_place();
    }
    if rows_mix {
        spec = spec.rows_may_mix();
    }
    match elements {
        1 => {
            drawn.bound = 2e-14;
            read(case, &drawn, spec.f64())
        }
        2 => {
            drawn.bound = 4e-13;
            read(case, &drawn, spec.f64_by_f32())
        }
        3 => read(case, &drawn, spec.input_as::<f16>().output_as::<f16>()),
        4 => {
            drawn.factor = 0.25;
            mapped(case, &drawn, spec.map_input::<f32>(Fragment::new("0.25 * value")))
        }
        5 => {
            drawn.more = 1.0;
            mapped(case, &drawn, spec.map_output::<f32>(Fragment::new("value + 1.0")))
        }
        _ => read(case, &drawn, spec),
    }
}

fn mapped<S>(case: &mut Case<'_>, drawn: &Drawn, spec: Result<S, Error>) -> Verdict
where
    S: Spec<Recipe = Recipe>,
    S::Input: Number,
    S::Output: Number,
{
    match spec {
        Ok(spec) => run(case, drawn, spec),
        Err(error) => Verdict::Refused(kind_of(&error)),
    }
}

fn read<S>(case: &mut Case<'_>, drawn: &Drawn, spec: S) -> Verdict
where
    S: Spec<Recipe = Recipe> + std::str::FromStr<Err = Error>,
    S::Input: Number,
    S::Output: Number,
{
    match numbers::reads(&spec) {
        Ok(()) => run(case, drawn, spec),
        Err(why) => Verdict::Wrong(why),
    }
}

fn run<S>(case: &mut Case<'_>, drawn: &Drawn, spec: S) -> Verdict
where
    S: Spec<Recipe = Recipe>,
    S::Input: Number,
    S::Output: Number,
{
    let Drawn { shape, batch, kinds, axes, .. } = drawn;
    let [from, to] = [0, 1].map(|side| {
        let own = drawn.places[side].as_ref().map_or_else(|| Places::dense(shape), |(places, _)| places.clone());
        own.all(shape, *batch)
    });
    let input = |_: usize, bytes: usize| numbers::spread::<S::Input>(bytes / size_of::<S::Input>(), &from, 7);
    let numbers: Vec<S::Input> = numbers::random(from.iter().max().map_or(0, |most| most + 1), 7);
    let mut values: Vec<f64> = from.iter().map(|&place| numbers[place].wide().re * drawn.factor).collect();
    let of_axes: Vec<(usize, RealKind)> = axes.iter().map(|&axis| (axis, kinds[axis])).collect();
    if of_axes.iter().all(|&(axis, kind)| kind != RealKind::DctI || shape[axis] > 1) {
        values.chunks_mut(shape.iter().product()).for_each(|item| transform(item, shape, &of_axes));
    }
    let factor = drawn.scale.factor(of_axes.iter().map(|&(axis, kind)| logical_length(kind, shape[axis])).product());
    let expected: Vec<Complex64> = values.iter().map(|x| (x * factor + drawn.more).into()).collect();
    let check = |output: &[u8], _: &str| {
        let before = if drawn.in_place { input(0, output.len()) } else { unwritten(output.len()) };
        untouched(&before, output, size_of::<S::Output>(), &to)?;
        let own: Vec<S::Output> = of_bytes(output);
        let actual: Vec<Complex64> = to.iter().map(|&place| own[place].wide()).collect();
        within(&actual, &expected, drawn.bound + S::Output::ROUNDING, norm(&expected))
    };
    let by_hand: Vec<&str> = REAL.iter().flat_map(|(_, recipes)| recipes.iter().flat_map(|recipes| recipes.iter())).copied().collect();
    let spoil = |draws: &mut Draws, inputs: &mut [Vec<u8>]| {
        spoil_row::<S>(draws, &mut inputs[0], [&from, &to], |_, i| numbers::row(shape, axes, i))
    };
    let mut own: Vec<Axis> = of_axes.iter().map(|&(axis, kind)| of_real_kind(axis, kind, shape[axis])).collect();
    own.sort_by_key(|own| own.axis);
    let draw = |draws: &mut Draws| recipes::recipe(draws, &own, Ordered::Free);
    let subject = Subject::new(spec);
    let spoil = (!drawn.rows_mix).then_some(&spoil as &Spoil<'_>);
    case.judge(&Problem { subject: &subject, by_hand: &by_hand, drawn: Some(&draw), input: &input, check: &check, spoil })
}
