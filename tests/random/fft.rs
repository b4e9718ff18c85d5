//! Random Fourier transforms.

use wgpu_fft::Layout;
use wgpu_fft::fft::{C2c, C2r, R2c, Recipe, Scale};
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::tune::Searchable;
use wgpu_fft::{Complex32, Element, Shape, Spec};

use crate::case::{Case, UNWRITTEN, Verdict, untouched};
use crate::recipes_by_hand::{COMPLEX, LANES, REAL};
use crate::reference::{Places, complex_noise, dft, half, noise, of_half, of_whole, relative_error, wide};

/// Larger than every bound promised for transforms of so few elements.
const BOUND: f64 = 1e-6;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Forward,
    Inverse,
    Real,
    BackToReal,
}

/// The random choices for a specification.
struct Drawn {
    kind: Kind,
    shape: Vec<usize>,
    batch: usize,
    axes: Vec<usize>,
    input: Option<(Places, usize)>,
    output: Option<(Places, usize)>,
    in_place: bool,
    transposed: bool,
    /// The scale as given to the builder.
    scale: Scaling,
}

#[derive(Clone, Copy)]
enum Scaling {
    Kept(Scale),
    By(f32),
}

pub fn random(case: &mut Case<'_>) -> Verdict {
    let kind = case.pick(&[Kind::Forward, Kind::Inverse, Kind::Forward, Kind::Inverse, Kind::Real, Kind::BackToReal]);
    let shape = case.shape(3);
    let (last, elements) = (shape.len() - 1, shape.iter().product::<usize>());
    let batch = if case.chance(50) { 1 } else { case.rng.usize(1..=4).min(case.most_elements() / elements).max(1) };
    let complex = matches!(kind, Kind::Forward | Kind::Inverse);
    let mut axes: Vec<usize> = (0..shape.len()).collect();
    case.rng.shuffle(&mut axes);
    axes.truncate(case.rng.usize(1..=shape.len()));
    if !complex && !axes.contains(&last) {
        axes.push(last);
    }
    let in_place = case.chance(25);
    let transposed = complex && case.chance(15);
    let halved = half(&shape);
    let shapes = match kind {
        Kind::Real => [&shape, &halved],
        Kind::BackToReal => [&halved, &shape],
        _ => [&shape, &shape],
    };
    let mut input = case.chance(40).then(|| places(case, shapes[0], batch, in_place));
    let mut output = (!transposed && case.chance(40)).then(|| places(case, shapes[1], batch, true));
    if in_place {
        if complex && !transposed {
            output = input.clone();
        } else {
            (input, output) = (None, None);
        }
    }
    let scale = case.pick(&[Scaling::Kept(Scale::One), Scaling::Kept(Scale::InvLen), Scaling::Kept(Scale::InvSqrtLen), Scaling::By(-0.75)]);
    // Omitted axes mean all axes.
    let name_axes = axes.len() < shape.len() || case.rng.bool();
    let drawn = Drawn { kind, shape, batch, axes, input, output, in_place, transposed, scale };
    let by_hand: Vec<&str> = {
        let complex = COMPLEX.iter().chain(LANES).flat_map(|(_, recipes)| recipes.iter());
        complex.chain(REAL.iter().flat_map(|(_, recipes)| recipes.iter().flat_map(|recipes| recipes.iter()))).copied().collect()
    };
    let shape = Shape::from(&drawn.shape[..]);
    macro_rules! build {
        ($spec:expr) => {{
            let mut spec = $spec.batch(drawn.batch);
            if name_axes {
                spec = spec.axes(&drawn.axes);
            }
            if let Some((places, more)) = &drawn.input {
                spec = spec.input_layout(layout(places, shapes_of(&drawn)[0].as_slice(), drawn.batch, *more));
            }
            if let Some((places, more)) = &drawn.output {
                spec = spec.output_layout(layout(places, shapes_of(&drawn)[1].as_slice(), drawn.batch, *more));
            }
            spec = match drawn.scale {
                Scaling::Kept(scale) => spec.scale(scale),
                Scaling::By(factor) => spec.scale_by(factor),
            };
            if drawn.in_place { spec.in_place() } else { spec }
        }};
    }
    match kind {
        Kind::Real => run(case, &drawn, build!(R2c::forward(shape)), &by_hand),
        Kind::BackToReal => run(case, &drawn, build!(C2r::inverse(shape)), &by_hand),
        _ => {
            let spec = if kind == Kind::Forward { C2c::forward(shape) } else { C2c::inverse(shape) };
            let spec = build!(if transposed { spec.transposed() } else { spec });
            run(case, &drawn, spec, &by_hand)
        }
    }
}

fn shapes_of(drawn: &Drawn) -> [Vec<usize>; 2] {
    let (shape, halved) = (drawn.shape.clone(), half(&drawn.shape));
    match drawn.kind {
        Kind::Real => [shape, halved],
        Kind::BackToReal => [halved, shape],
        _ => [shape.clone(), shape],
    }
}

fn layout(places: &Places, shape: &[usize], batch: usize, more: usize) -> Layout {
    let layout = places.layout();
    if more > 0 { layout.within(places.span(shape, batch) + more) } else { layout }
}

/// The places of elements, and the number of elements beyond the last. In an input, elements may
/// overlap.
pub fn places(case: &mut Case<'_>, shape: &[usize], batch: usize, distinct: bool) -> (Places, usize) {
    let mut extents: Vec<(usize, usize)> = shape.iter().copied().chain([batch]).enumerate().collect();
    // Usually in the normal order.
    match case.rng.u32(0..3) {
        0 => extents.reverse(),
        1 => {
            // Like a row-major array with the batch outermost.
            extents.rotate_right(1);
            extents.reverse();
        }
        _ => case.rng.shuffle(&mut extents),
    }
    let mut strides = vec![0; shape.len() + 1];
    let mut reach = 1usize;
    for (axis, extent) in extents {
        let gap = match case.rng.u32(0..4) {
            0 => case.rng.usize(0..=3),
            1 => reach.next_multiple_of(case.pick(&[2, 4, 8, 16])) - reach,
            _ => 0,
        };
        strides[axis] = if !distinct && case.chance(20) { case.rng.usize(0..=reach) } else { reach + gap };
        reach += strides[axis] * (extent - 1);
    }
    let offset = if case.chance(60) { 0 } else { case.rng.usize(0..=9) };
    let more = if case.chance(70) { 0 } else { case.rng.usize(1..=40) };
    let distance = strides.pop().unwrap_or(1);
    (Places { strides, distance, offset }, more)
}

/// Numbers for every kind of array. All other places get a value that would spoil any result.
trait Numbers: Element {
    const SPOILED: Self;
    fn numbers(len: usize) -> Vec<Self>;
}

impl Numbers for f32 {
    const SPOILED: Self = f32::NAN;
    fn numbers(len: usize) -> Vec<Self> {
        noise(len, 7)
    }
}

impl Numbers for Complex32 {
    const SPOILED: Self = Complex32::new(f32::NAN, f32::NAN);
    fn numbers(len: usize) -> Vec<Self> {
        complex_noise(len, 7)
    }
}

/// Results as complex numbers.
trait Wide: Element {
    fn wide(self) -> Complex32;
}

impl Wide for f32 {
    fn wide(self) -> Complex32 {
        Complex32::new(self, 0.0)
    }
}

impl Wide for Complex32 {
    fn wide(self) -> Complex32 {
        self
    }
}

fn run<S>(case: &mut Case<'_>, drawn: &Drawn, spec: S, by_hand: &[&str]) -> Verdict
where
    S: Searchable + Spec<Recipe = Recipe> + std::str::FromStr<Err = wgpu_fft::Error>,
    S::Input: Numbers + Wide,
    S::Output: Wide,
{
    if spec.to_string().parse().ok().as_ref() != Some(&spec) {
        return Verdict::Wrong(format!("`{spec}` does not parse to what it was"));
    }
    let Drawn { shape, batch, in_place, .. } = drawn;
    let [from_shape, to_shape] = shapes_of(drawn);
    let own = |places: &Option<(Places, usize)>, otherwise: Places| places.as_ref().map_or(otherwise, |(places, _)| places.clone());
    let from = match (in_place, drawn.kind) {
        (true, Kind::Real) => Places::rows_in_half(shape),
        _ => own(&drawn.input, Places::dense(&from_shape)),
    };
    let to = match (in_place, drawn.kind) {
        (true, Kind::BackToReal) => Places::rows_in_half(shape),
        _ if drawn.transposed => Places::reversed(&to_shape),
        _ => own(&drawn.output, Places::dense(&to_shape)),
    };
    let (from, to) = (from.all(&from_shape, *batch), to.all(&to_shape, *batch));
    let mut placed = Vec::new();
    let input = |len: usize| {
        let mut input = vec![S::Input::SPOILED; len];
        let numbers = S::Input::numbers(len);
        from.iter().for_each(|&place| input[place] = numbers[place]);
        input
    };
    let output = match case.output(&spec, by_hand, &|len| input(len)) {
        Ok(output) => output,
        Err(verdict) => return verdict,
    };
    let numbers = S::Input::numbers(from.iter().max().unwrap() + 1);
    placed.extend(from.iter().map(|&place| numbers[place].wide()));
    let before: Vec<S::Output> = if *in_place {
        bytemuck::pod_collect_to_vec(&input(output.len() * size_of::<S::Output>() / size_of::<S::Input>()))
    } else {
        bytemuck::pod_collect_to_vec(&vec![UNWRITTEN; output.len() * size_of::<S::Output>() / 4])
    };
    // The padding after a row of reals in place belongs to the row.
    if !(*in_place && drawn.kind == Kind::BackToReal)
        && let Err(why) = untouched(&before, &output, &to)
    {
        return Verdict::Wrong(why);
    }
    let actual: Vec<Complex32> = to.iter().map(|&place| output[place].wide()).collect();
    let error = relative_error(&actual, &expected(drawn, &placed));
    if error <= BOUND { Verdict::Right } else { Verdict::Wrong(format!("relative error {error:.1e}")) }
}

/// The transform in f64 of the numbers in their order.
fn expected(drawn: &Drawn, numbers: &[Complex32]) -> Vec<Complex64> {
    let Drawn { kind, shape, axes, .. } = drawn;
    let last = shape.len() - 1;
    let mut data = wide(numbers);
    let n: usize = axes.iter().map(|&axis| shape[axis]).product();
    if *kind == Kind::BackToReal {
        // The other axes first, then the rows extended by their mirror images.
        let others: Vec<usize> = axes.iter().copied().filter(|&axis| axis != last).collect();
        dft(&mut data, &half(shape), &others, true);
        data = of_whole(&data, shape);
        dft(&mut data, shape, &[last], true);
        data.iter_mut().for_each(|z| z.im = 0.0);
    } else {
        dft(&mut data, shape, axes, *kind == Kind::Inverse);
        if *kind == Kind::Real {
            data = of_half(&data, shape);
        }
    }
    let factor = match drawn.scale {
        Scaling::Kept(Scale::One) => 1.0,
        Scaling::Kept(Scale::InvLen) => 1.0 / n as f64,
        Scaling::Kept(Scale::InvSqrtLen) => 1.0 / (n as f64).sqrt(),
        Scaling::By(factor) => f64::from(factor),
    };
    data.into_iter().map(|z| z * factor).collect()
}
