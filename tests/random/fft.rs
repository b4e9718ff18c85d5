//! Random Fourier transforms.

use std::collections::HashSet;
use std::ops::Range;

use wgpu_fft::fft::{C2c, C2r, R2c, RealKind, Scale};
use wgpu_fft::half::{bf16, f16};
use wgpu_fft::low_level::recipes::fft::Recipe;
use wgpu_fft::num_complex::{Complex, Complex64};
use wgpu_fft::{Complex32, Error, Fragment, Layout, Shape, Spec};

use crate::case::{Case, MAX_ELEMENTS, Problem, Spoil, Verdict, kind_of};
use crate::draws::Draws;
use crate::numbers::{self, Number, in_whole, of_bytes, untouched, unwritten, within};
use crate::real_kinds_by_definition::transform;
use crate::recipes::{self, Axis, Ordered};
use crate::recipes_by_hand::{COMPLEX, LANES, REAL};
use crate::reference::{Places, dft, half, of_half};
use crate::subject::Subject;
use crate::transform_cases::of_whole;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Forward,
    Inverse,
    Real,
    BackToReal,
}

/// Larger than every bound that is promised for transforms of so few elements, by the type of the
/// numbers that are computed with. The reference is of f64, so the last two say less than
/// `tests/host/f64.rs`.
#[derive(Clone, Copy, PartialEq)]
enum Arithmetic {
    F32,
    F64,
    F64ByF32,
}

impl Arithmetic {
    fn bound(self) -> f64 {
        match self {
            Self::F32 => 1e-6,
            Self::F64 => 1e-14,
            Self::F64ByF32 => 2e-13,
        }
    }
}

/// The random choices for a specification.
struct Drawn {
    kind: Kind,
    shape: Vec<usize>,
    batch: usize,
    axes: Vec<usize>,
    parts: [Option<Vec<Range<i64>>>; 2],
    places: [Option<(Places, usize)>; 2],
    in_place: bool,
    transposed: bool,
    scale: Scaling,
    arithmetic: Arithmetic,
    /// An axis of complex numbers that is transformed from reals to reals.
    real_kind: Option<(usize, RealKind)>,
    rows_mix: bool,
}

/// The scale as given to the builder.
#[derive(Clone, Copy)]
pub enum Scaling {
    Kept(Scale),
    By(f32),
}

impl Scaling {
    pub fn drawn(case: &mut Case<'_>) -> Self {
        case.pick(&[Self::Kept(Scale::One), Self::Kept(Scale::InvLen), Self::Kept(Scale::InvSqrtLen), Self::By(-0.75)])
    }

    pub fn factor(self, n: f64) -> f64 {
        match self {
            Self::Kept(Scale::One) => 1.0,
            Self::Kept(Scale::InvLen) => 1.0 / n,
            Self::Kept(Scale::InvSqrtLen) => 1.0 / n.sqrt(),
            Self::By(factor) => f64::from(factor),
        }
    }
}

/// What a fragment does to a value, of which it may know the index on axis 0.
type Does = fn(Complex64, usize) -> Complex64;

fn same(z: Complex64, _: usize) -> Complex64 {
    z
}

pub fn random(case: &mut Case<'_>) -> Verdict {
    let kind = case.pick(&[Kind::Forward, Kind::Inverse, Kind::Real, Kind::BackToReal]);
    let shape = case.shape(3);
    let (last, elements) = (shape.len() - 1, shape.iter().product::<usize>());
    let batch = case.batch().min(MAX_ELEMENTS / elements).max(1);
    let complex = matches!(kind, Kind::Forward | Kind::Inverse);
    let mut axes = case.axes(shape.len());
    if !complex && !axes.contains(&last) {
        axes.push(last);
    }
    let in_place = case.chance(25);
    let transposed = complex && case.chance(15);
    let mut drawn = Drawn {
        kind,
        shape,
        batch,
        axes,
        parts: [None, None],
        places: [None, None],
        in_place,
        transposed,
        scale: Scaling::drawn(case),
        arithmetic: Arithmetic::F32,
        real_kind: None,
        rows_mix: false,
    };
    if !in_place && !transposed && case.chance(25) {
        drawn.parts = [0, 1].map(|side| case.chance(60).then(|| part(case, &drawn, side)));
    }
    let placed = [case.chance(40), !transposed && case.chance(40)];
    for side in [0, 1] {
        if placed[side] && !(in_place && (transposed || !complex)) {
            let distinct = in_place || side == 1;
            drawn.places[side] = Some(places(case, &drawn.stored(side), batch, distinct));
        }
    }
    if in_place {
        drawn.places[1] = drawn.places[0].clone();
    }
    // Which elements the arrays have, and which fragments there are.
    let elements = if case.chance(50) { case.draws.below(12) } else { 0 };
    if matches!(kind, Kind::Forward | Kind::Inverse) && elements == 0 && drawn.parts == [None, None] && case.chance(10) {
        let axis = case.pick(&drawn.axes);
        drawn.real_kind = Some((axis, case.pick(&RealKind::ALL)));
    }
    // Omitted axes mean all axes.
    let name_axes = drawn.axes.len() < drawn.shape.len() || case.chance(50);
    drawn.rows_mix = !complex && case.chance(20);
    build(case, drawn, elements, name_axes)
}

/// A part of each axis of a side.
fn part(case: &mut Case<'_>, drawn: &Drawn, side: usize) -> Vec<Range<i64>> {
    let (whole, last) = (drawn.whole(side), drawn.shape.len() - 1);
    let of_axis = |axis: usize| {
        let n = whole[axis];
        if !drawn.axes.contains(&axis) || !case.chance(70) {
            return 0..n as i64;
        }
        let len = case.between(1, n) as i64;
        let is_half = axis == last && whole[axis] != drawn.shape[axis];
        let begin = if is_half { 0 } else { case.between(0, n) as i64 - len };
        begin..begin + len
    };
    (0..whole.len()).map(of_axis).collect()
}

impl Drawn {
    /// The shape of a side without parts.
    fn whole(&self, side: usize) -> Vec<usize> {
        match (self.kind, side) {
            (Kind::Real, 1) | (Kind::BackToReal, 0) => half(&self.shape),
            _ => self.shape.clone(),
        }
    }

    /// The extents of the array of a side.
    fn stored(&self, side: usize) -> Vec<usize> {
        match &self.parts[side] {
            Some(part) => part.iter().map(|range| (range.end - range.start) as usize).collect(),
            None => self.whole(side),
        }
    }

    /// For each element of the array of a side, its place in the whole.
    fn in_whole(&self, side: usize) -> Vec<usize> {
        let starts: Vec<i64> = match &self.parts[side] {
            Some(part) => part.iter().map(|range| range.start).collect(),
            None => vec![0; self.shape.len()],
        };
        in_whole(&self.whole(side), &starts, &self.stored(side))
    }

    /// Where the elements of a side are in its array.
    fn elements(&self, side: usize) -> Vec<usize> {
        let places = match (self.in_place, self.kind, side) {
            (true, Kind::Real, 0) | (true, Kind::BackToReal, 1) => Places::rows_in_half(&self.shape),
            _ if side == 1 && self.transposed => Places::reversed(&self.stored(1)),
            _ => self.places[side].as_ref().map_or_else(|| Places::dense(&self.stored(side)), |(places, _)| places.clone()),
        };
        places.all(&self.stored(side), self.batch)
    }

    /// The axes that a recipe names, and which of them comes first or last.
    fn transformed(&self) -> (Vec<Axis>, Ordered) {
        let (last, complex) = (self.shape.len() - 1, matches!(self.kind, Kind::Forward | Kind::Inverse));
        let of_kind = |axis: usize| self.real_kind.filter(|(own, _)| *own == axis).map(|(_, kind)| kind);
        let mut axes: Vec<usize> = self.axes.clone();
        axes.sort_unstable();
        let any = axes[axes.len() - 1];
        axes.retain(|&axis| self.shape[axis] > 1 || (!complex && axis == last) || of_kind(axis).is_some());
        if axes.is_empty() {
            axes.push(any);
        }
        let of_axis = |&axis: &usize| match of_kind(axis) {
            Some(kind) => of_real_kind(axis, kind, self.shape[axis]),
            None => Axis { axis, n: self.shape[axis], reals: !complex && axis == last },
        };
        let ordered = match self.kind {
            Kind::Forward | Kind::Inverse => Ordered::Free,
            Kind::Real => Ordered::LastAxisFirst,
            Kind::BackToReal => Ordered::LastAxisLast,
        };
        (axes.iter().map(of_axis).collect(), ordered)
    }

    /// The layout as the builder takes it.
    fn layout(&self, side: usize) -> Option<Layout> {
        let (places, more) = self.places[side].as_ref()?;
        let layout = places.layout();
        Some(if *more > 0 { layout.within(places.span(&self.stored(side), self.batch) + more) } else { layout })
    }
}

fn build(case: &mut Case<'_>, mut drawn: Drawn, elements: u64, name_axes: bool) -> Verdict {
    let shape = Shape::from(&drawn.shape[..]);
    drawn.arithmetic = match elements {
        1 => Arithmetic::F64,
        2 => Arithmetic::F64ByF32,
        _ => Arithmetic::F32,
    };
    let drawn = &drawn;
    macro_rules! options {
        ($spec:expr) => {{
            let mut spec = $spec.batch(drawn.batch);
            if name_axes {
                spec = spec.axes(&drawn.axes[..]);
            }
            if let Some(layout) = drawn.layout(0) {
                spec = spec.input_layout(layout);
            }
            if let Some(layout) = drawn.layout(1) {
                spec = spec.output_layout(layout);
            }
            if let Some(part) = &drawn.parts[0] {
                spec = spec.input_part(part.iter().cloned());
            }
            if let Some(part) = &drawn.parts[1] {
                spec = spec.output_part(part.iter().cloned());
            }
            spec = match drawn.scale {
                Scaling::Kept(scale) => spec.scale(scale),
                Scaling::By(factor) => spec.scale_by(factor),
            };
            if drawn.in_place { spec.in_place() } else { spec }
        }};
    }
    // Index-dependent fragments know the position in the array, which parts and half-spectra share.
    let third: Does = |z, i| z * (1 + i % 3) as f64;
    const THIRD: &str = "value * f32(1u + i0 % 3u)";
    macro_rules! mapped {
        ($mapped:expr, $prologue:expr, $epilogue:expr) => {
            match $mapped {
                Ok(spec) => run(case, drawn, spec, $prologue, $epilogue),
                Err(error) => Verdict::Refused(kind_of(&error)),
            }
        };
    }
    match drawn.kind {
        Kind::Forward | Kind::Inverse => {
            let mut spec = if drawn.kind == Kind::Forward { C2c::forward(shape) } else { C2c::inverse(shape) };
            spec = options!(if drawn.transposed { spec.transposed() } else { spec });
            if let Some((axis, kind)) = drawn.real_kind {
                spec = spec.axis_kind(axis, kind);
            }
            match elements {
                1 => read(case, drawn, spec.f64()),
                2 => read(case, drawn, spec.f64_by_f32()),
                3 => read(case, drawn, spec.input_as::<Complex<f16>>().output_as::<Complex<f16>>()),
                4 => read(case, drawn, spec.input_as::<Complex<bf16>>()),
                5 => read(case, drawn, spec.output_as::<Complex<bf16>>()),
                6 => mapped!(spec.map_input::<Complex32>(Fragment::new(THIRD)), third, same),
                7 => mapped!(spec.map_input::<f32>(Fragment::new("vec2(value, 0.25)")), |z, _| Complex64::new(z.re, 0.25), same),
                8 => mapped!(spec.map_input::<u8>(Fragment::new("vec2(f32(value) / 64.0 - 2.0, 0.0)")), |z, _| z / 64.0 - 2.0, same),
                9 => mapped!(spec.map_output::<Complex32>(Fragment::new(THIRD)), same, third),
                10 => {
                    mapped!(spec.map_output::<f32>(Fragment::new("value.x + 0.5 * value.y")), same, |z, _| (z.re + 0.5 * z.im).into())
                }
                11 => {
                    let both = spec
                        .map_input::<f32>(Fragment::new("vec2(value, -value)"))
                        .and_then(|spec| spec.map_output::<f32>(Fragment::new("dot(value, value)")));
                    mapped!(both, |z, _| Complex64::new(z.re, -z.re), |z, _| z.norm_sqr().into())
                }
                _ => read(case, drawn, spec),
            }
        }
        Kind::Real => {
            let spec = options!(if drawn.rows_mix { R2c::forward(shape).rows_may_mix() } else { R2c::forward(shape) });
            match elements {
                1 => read(case, drawn, spec.f64()),
                2 => read(case, drawn, spec.f64_by_f32()),
                3 => read(case, drawn, spec.input_as::<f16>().output_as::<Complex<f16>>()),
                4 | 5 => read(case, drawn, spec.input_as::<bf16>()),
                6 | 7 => mapped!(spec.map_input::<f32>(Fragment::new(THIRD)), third, same),
                8 => mapped!(spec.map_input::<u8>(Fragment::new("f32(value) / 64.0 - 2.0")), |z, _| z / 64.0 - 2.0, same),
                9 => mapped!(spec.map_output::<Complex32>(Fragment::new(THIRD)), same, third),
                10 => {
                    mapped!(spec.map_output::<f32>(Fragment::new("value.x + 0.5 * value.y")), same, |z, _| (z.re + 0.5 * z.im).into())
                }
                11 => {
                    let both = spec
                        .map_input::<Complex32>(Fragment::new("value.x - value.y"))
                        .and_then(|spec| spec.map_output::<f32>(Fragment::new("dot(value, value)")));
                    mapped!(both, |z, _| (z.re - z.im).into(), |z, _| z.norm_sqr().into())
                }
                _ => read(case, drawn, spec),
            }
        }
        Kind::BackToReal => {
            let spec = options!(if drawn.rows_mix { C2r::inverse(shape).rows_may_mix() } else { C2r::inverse(shape) });
            match elements {
                1 => read(case, drawn, spec.f64()),
                2 => read(case, drawn, spec.f64_by_f32()),
                3 => read(case, drawn, spec.input_as::<Complex<f16>>().output_as::<f16>()),
                4 | 5 => read(case, drawn, spec.output_as::<bf16>()),
                6 | 7 => mapped!(spec.map_input::<Complex32>(Fragment::new(THIRD)), third, same),
                8 => mapped!(spec.map_input::<f32>(Fragment::new("vec2(value, 0.25)")), |z, _| Complex64::new(z.re, 0.25), same),
                9 | 10 => mapped!(spec.map_output::<f32>(Fragment::new(THIRD)), same, third),
                11 => mapped!(spec.map_output::<Complex32>(Fragment::new("vec2(value, 0.5)")), same, |z, _| Complex64::new(z.re, 0.5)),
                _ => read(case, drawn, spec),
            }
        }
    }
}

/// The places of elements, and the number of elements beyond the last. Elements may overlap unless
/// they are to be distinct.
pub fn places(case: &mut Case<'_>, shape: &[usize], batch: usize, distinct: bool) -> (Places, usize) {
    // Like a row-major array with the batch outermost, beginning with the fastest.
    let mut extents: Vec<(usize, usize)> = shape.iter().copied().chain([batch]).enumerate().collect();
    extents.rotate_right(1);
    extents.reverse();
    match case.draws.below(3) {
        0 => {}
        1 => {
            extents.rotate_left(1);
            extents.rotate_right(1);
            extents.reverse();
        }
        _ => case.draws.shuffle(&mut extents),
    }
    let mut strides = vec![0; shape.len() + 1];
    let mut reach = 1usize;
    for (axis, extent) in extents {
        let gap = match case.draws.below(4) {
            2 => case.between(0, 3),
            3 => reach.next_multiple_of(case.pick(&[2, 4, 8, 16])) - reach,
            _ => 0,
        };
        strides[axis] = if !distinct && case.chance(20) { case.between(0, reach) } else { reach + gap };
        reach += strides[axis] * (extent - 1);
    }
    let offset = if case.chance(40) { case.between(0, 9) } else { 0 };
    let more = if case.chance(30) { case.between(1, 40) } else { 0 };
    let distance = strides.pop().unwrap_or(1);
    (Places { strides, distance, offset }, more)
}

/// Runs a specification that has a text.
fn read<S>(case: &mut Case<'_>, drawn: &Drawn, spec: S) -> Verdict
where
    S: Spec<Recipe = Recipe> + std::str::FromStr<Err = Error>,
    S::Input: Number,
    S::Output: Number,
{
    match numbers::reads(&spec) {
        Ok(()) => run(case, drawn, spec, same, same),
        Err(why) => Verdict::Wrong(why),
    }
}

fn run<S>(case: &mut Case<'_>, drawn: &Drawn, spec: S, prologue: Does, epilogue: Does) -> Verdict
where
    S: Spec<Recipe = Recipe>,
    S::Input: Number,
    S::Output: Number,
{
    let by_hand: Vec<&str> = if matches!(drawn.kind, Kind::Forward | Kind::Inverse) {
        COMPLEX.iter().chain(LANES).flat_map(|(_, recipes)| recipes.iter()).copied().collect()
    } else {
        REAL.iter().flat_map(|(_, recipes)| recipes.iter().flat_map(|recipes| recipes.iter())).copied().collect()
    };
    let [from, to] = [0, 1].map(|side| drawn.elements(side));
    let input = |_: usize, bytes: usize| numbers::spread::<S::Input>(bytes / size_of::<S::Input>(), &from, 7);
    let numbers: Vec<S::Input> = numbers::random(from.iter().max().map_or(0, |most| most + 1), 7);
    let values: Vec<Complex64> = from.iter().map(|&place| numbers[place].wide()).collect();
    let (expected, size) = expected(drawn, &values, prologue, epilogue);
    let bound = drawn.arithmetic.bound() + S::Output::ROUNDING;
    let check = |output: &[u8], _: &str| {
        let own: Vec<S::Output> = of_bytes(output);
        let before = if drawn.in_place { input(0, output.len()) } else { unwritten(output.len()) };
        // The padding after a row of reals in place belongs to the row.
        if !(drawn.in_place && drawn.kind == Kind::BackToReal) {
            untouched(&before, output, size_of::<S::Output>(), &to)?;
        }
        let actual: Vec<Complex64> = to.iter().map(|&place| own[place].wide()).collect();
        within(&actual, &expected, bound, size)
    };
    let spoil = |draws: &mut Draws, inputs: &mut [Vec<u8>]| {
        let row = |side: usize, i: usize| numbers::row(&drawn.stored(side), &drawn.axes, i);
        spoil_row::<S>(draws, &mut inputs[0], [&from, &to], row)
    };
    let (axes, ordered) = drawn.transformed();
    let draw = |draws: &mut Draws| recipes::recipe(draws, &axes, ordered);
    let subject = Subject::new(spec);
    let spoil = (!drawn.rows_mix).then_some(&spoil as &Spoil<'_>);
    case.judge(&Problem { subject: &subject, by_hand: &by_hand, drawn: Some(&draw), input: &input, check: &check, spoil })
}

/// Spoils an element of the input. Of the output, only those elements of the rows may change whose
/// places have it.
pub fn spoil_row<S: Spec<Input: Number>>(
    draws: &mut Draws,
    input: &mut [u8],
    [from, to]: [&[usize]; 2],
    row: impl Fn(usize, usize) -> usize,
) -> Box<dyn Fn(usize) -> bool> {
    let place = from[numbers::spoil::<S::Input>(draws, input, from)];
    let own: HashSet<usize> = (0..from.len()).filter(|&i| from[i] == place).map(|i| row(0, i)).collect();
    let others: HashSet<usize> = (0..to.len()).filter(|&i| !own.contains(&row(1, i))).map(|i| to[i]).collect();
    Box::new(move |byte| !others.contains(&(byte / size_of::<S::Output>())))
}

/// The transform in f64 of the elements of the input, in their order, and the size that errors
/// relate to: a part of the output may be small by chance.
fn expected(drawn: &Drawn, values: &[Complex64], prologue: Does, epilogue: Does) -> (Vec<Complex64>, f64) {
    let Drawn { kind, shape, axes, .. } = drawn;
    let last = shape.len() - 1;
    let index_on_axis_0 = |side: usize, i: usize| {
        let stored = drawn.stored(side);
        let one: usize = stored.iter().product();
        i % one / stored[1..].iter().product::<usize>()
    };
    let own: Vec<Complex64> = values.iter().enumerate().map(|(i, z)| prologue(*z, index_on_axis_0(0, i))).collect();
    // Into the whole array, zero outside of the part.
    let (whole, places) = (drawn.whole(0).iter().product::<usize>(), drawn.in_whole(0));
    let mut data = vec![Complex64::ZERO; whole * drawn.batch];
    for (item, own) in own.chunks(places.len()).enumerate() {
        places.iter().zip(own).for_each(|(place, z)| data[item * whole + place] = *z);
    }
    if *kind == Kind::BackToReal {
        // The other axes first, then the rows extended by their mirror images.
        let others: Vec<usize> = axes.iter().copied().filter(|&axis| axis != last).collect();
        dft(&mut data, &half(shape), &others, true);
        data = of_whole(&data, shape);
        dft(&mut data, shape, &[last], true);
        data.iter_mut().for_each(|z| z.im = 0.0);
    } else {
        let complex: Vec<usize> = axes.iter().copied().filter(|&axis| drawn.real_kind.is_none_or(|(own, _)| own != axis)).collect();
        dft(&mut data, shape, &complex, *kind == Kind::Inverse);
        if let Some((axis, of_axis)) = drawn.real_kind {
            let [re, im] = [|z: &Complex64| z.re, |z: &Complex64| z.im].map(|part| {
                let mut part: Vec<f64> = data.iter().map(part).collect();
                transform(&mut part, shape, &[(axis, of_axis)]);
                part
            });
            data = re.into_iter().zip(im).map(|(re, im)| Complex64::new(re, im)).collect();
        }
        if *kind == Kind::Real {
            data = of_half(&data, shape);
        }
    }
    let length = |&axis: &usize| match drawn.real_kind {
        Some((own, kind)) if own == axis => logical_length(kind, shape[axis]),
        _ => shape[axis] as f64,
    };
    let factor = drawn.scale.factor(axes.iter().map(length).product());
    let whole = drawn.whole(1).iter().product::<usize>();
    let places = drawn.in_whole(1);
    let all: f64 = data.iter().map(|z| (z * factor).norm_sqr()).sum();
    let scaled: Vec<Complex64> =
        data.chunks(whole).flat_map(|item| places.iter().map(|&place| item[place] * factor).collect::<Vec<_>>()).collect();
    let size = (all * places.len() as f64 / whole as f64).sqrt();
    let results: Vec<Complex64> = scaled.iter().enumerate().map(|(i, z)| epilogue(*z, index_on_axis_0(1, i))).collect();
    // Squares have the error of both factors.
    let size = if numbers::norm(&results) > 0.0 { size.max(2.0 * numbers::norm(&results)) } else { size };
    (results, size)
}

/// The Fourier transform that an axis from reals to reals is made of.
pub fn of_real_kind(axis: usize, kind: RealKind, n: usize) -> Axis {
    let (n, reals) = match kind {
        RealKind::DctI => (2 * n.max(2) - 2, true),
        RealKind::DstI => (2 * n + 2, true),
        RealKind::DctIV | RealKind::DstIV if n.is_multiple_of(2) => (n / 2, false),
        _ => (n, true),
    };
    Axis { axis, n, reals }
}

/// The length by which a transform from reals to reals is scaled.
pub fn logical_length(kind: RealKind, n: usize) -> f64 {
    let n = n as f64;
    match kind {
        RealKind::DctI => 2.0 * (n - 1.0),
        RealKind::DstI => 2.0 * (n + 1.0),
        RealKind::Hartley | RealKind::ToHalfComplex | RealKind::OfHalfComplex => n,
        _ => 2.0 * n,
    }
}
