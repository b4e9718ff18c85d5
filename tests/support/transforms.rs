//! Cases of Fourier transforms, of f32, of f64, and of f64 in double-single arithmetic, run somewhere
//! and compared with more exact ones: of f64, and of numbers of two f64.

use std::fmt;

use rustfft::FftNum;
use wgpu_fft::fft::{C2c, C2r, R2c, Scale};
use wgpu_fft::low_level::recipes::fft::Recipe;
use wgpu_fft::num_complex::{Complex, Complex64};
use wgpu_fft::{Spec, bytemuck};

use crate::double;
use crate::reference::{self, Number, Places, ROUNDOFF, bound_by, half, is_convolved, of_half};
use crate::sanitized::UNWRITTEN;

/// u = 2⁻⁵³, the unit roundoff of f64.
pub const U: f64 = f64::EPSILON / 2.0;

/// 2⁻⁴⁶, of which by two f32 the documented bound is √log₂n.
pub const U_BY_F32: f64 = 128.0 * U;

/// The output of one way to run a specification.
pub struct Run<T> {
    /// The device or the profile.
    pub on: String,
    pub recipe: Recipe,
    pub output: Vec<T>,
}

/// Runs specifications somewhere.
pub trait Runner {
    /// The output of each way to run it; none if the recipe does not fit. Without a recipe, the rules
    /// choose one. What is not written keeps its bits, or is [`UNWRITTEN`].
    fn run<S: Spec<Recipe = Recipe>>(&self, spec: &S, recipe: Option<&Recipe>, input: &[S::Input]) -> Vec<Run<S::Output>>;
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Forward,
    Inverse,
    R2c,
    C2r,
}

pub const KINDS: [Kind; 4] = [Kind::Forward, Kind::Inverse, Kind::R2c, Kind::C2r];

/// Complex transforms there, and back in place.
pub const COMPLEX_KINDS: [(Kind, bool); 2] = [(Kind::Forward, false), (Kind::Inverse, true)];

/// Real transforms there and back, each also in place.
pub const REAL_KINDS: [(Kind, bool); 4] = [(Kind::R2c, false), (Kind::C2r, false), (Kind::R2c, true), (Kind::C2r, true)];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Arithmetic {
    F32,
    F64,
    ByF32,
}

/// A transform of all axes, or of some.
#[derive(Clone, Debug)]
pub struct Case {
    kind: Kind,
    shape: Vec<usize>,
    batch: usize,
    axes: Vec<usize>,
    scale: Scale,
    in_place: bool,
    transposed: bool,
    rows_may_mix: bool,
    layouts: Option<[Places; 2]>,
    recipe: Option<Recipe>,
    arithmetic: Arithmetic,
}

/// How near one way to run a case came.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Where it ran, the specification, and the recipe that computed it.
    pub what: String,
    /// The relative error in the two-norm.
    pub error: f64,
    /// The documented bound of it.
    pub bound: f64,
    /// Whether it was computed by a convolution.
    pub bluestein: bool,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl Case {
    /// A transform of f32.
    pub fn new(kind: Kind, shape: &[usize]) -> Self {
        Self {
            kind,
            shape: shape.to_vec(),
            batch: 1,
            axes: (0..shape.len()).collect(),
            scale: Scale::One,
            in_place: false,
            transposed: false,
            rows_may_mix: false,
            layouts: None,
            recipe: None,
            arithmetic: Arithmetic::F32,
        }
    }

    /// Some of the kinds.
    pub fn of(kinds: &[(Kind, bool)], shape: &[usize], batch: usize) -> Vec<Self> {
        kinds.iter().map(|&(kind, in_place)| Self { in_place, batch, ..Self::new(kind, shape) }).collect()
    }

    pub fn batch(self, batch: usize) -> Self {
        Self { batch, ..self }
    }

    pub fn axes(self, axes: &[usize]) -> Self {
        Self { axes: axes.to_vec(), ..self }
    }

    pub fn scale(self, scale: Scale) -> Self {
        Self { scale, ..self }
    }

    pub fn in_place(self, in_place: bool) -> Self {
        Self { in_place, ..self }
    }

    pub fn transposed(self) -> Self {
        Self { transposed: true, ..self }
    }

    pub fn rows_may_mix(self) -> Self {
        Self { rows_may_mix: true, ..self }
    }

    pub fn layouts(self, input: &Places, output: &Places) -> Self {
        Self { layouts: Some([input.clone(), output.clone()]), ..self }
    }

    pub fn by(self, recipe: &str) -> Self {
        Self { recipe: Some(recipe.parse().unwrap_or_else(|error| panic!("{error}"))), ..self }.rows_may_mix()
    }

    /// The same of f64, divided by the number of elements.
    pub fn f64(self) -> Self {
        Self { arithmetic: Arithmetic::F64, scale: Scale::InvLen, ..self }
    }

    /// The same in double-single arithmetic.
    pub fn by_f32(self) -> Self {
        Self { arithmetic: Arithmetic::ByF32, scale: Scale::InvLen, ..self }
    }

    pub fn has_recipe(&self) -> bool {
        self.recipe.is_some()
    }

    /// The number of elements of one transform.
    pub fn n(&self) -> usize {
        self.axes.iter().map(|&axis| self.shape[axis]).product()
    }

    /// The documented bound by a recipe.
    fn bound(&self, recipe: &Recipe) -> f64 {
        match self.arithmetic {
            Arithmetic::F32 => bound_by(recipe, &self.shape),
            Arithmetic::F64 => bound_by(recipe, &self.shape) * U / ROUNDOFF,
            Arithmetic::ByF32 => {
                let of_axis = |n: usize| ((if is_convolved(n) { 3 } else { 1 } * n) as f64).log2().max(1.0);
                U_BY_F32 * self.axes.iter().map(|&axis| of_axis(self.shape[axis])).sum::<f64>().sqrt()
            }
        }
    }

    /// The shapes of input and output.
    fn shapes(&self) -> [Vec<usize>; 2] {
        match self.kind {
            Kind::Forward | Kind::Inverse => [self.shape.clone(), self.shape.clone()],
            Kind::R2c => [self.shape.clone(), half(&self.shape)],
            Kind::C2r => [half(&self.shape), self.shape.clone()],
        }
    }

    /// The places of the elements of input and output.
    fn places(&self) -> [Places; 2] {
        if let Some(layouts) = &self.layouts {
            return layouts.clone();
        }
        let [mut input, mut output] = self.shapes().map(|shape| Places::dense(&shape));
        match self.kind {
            // The rows of reals are padded to the length of the complex side.
            Kind::R2c if self.in_place => input = Places::rows_in_half(&self.shape),
            Kind::C2r if self.in_place => output = Places::rows_in_half(&self.shape),
            _ if self.transposed => output = Places::reversed(&self.shape),
            _ => {}
        }
        [input, output]
    }

    /// A dense input of numbers that the arrays can hold.
    pub fn noise(&self) -> Vec<Complex64> {
        let len = self.shapes()[0].iter().product::<usize>() * self.batch;
        let seed = (len + 3 * self.shape[0]) as u64;
        let numbers = match self.kind {
            Kind::R2c => double::noise(len, seed).into_iter().map(Complex64::from).collect(),
            _ => double::complex_noise(len, seed),
        };
        if self.arithmetic != Arithmetic::F32 {
            return numbers;
        }
        numbers.into_iter().map(|z| <Complex<f32> as Number>::of(z).wide()).collect()
    }

    /// The transform as documented, on dense arrays.
    pub fn transform<Z: Exact>(&self, input: &[Complex64]) -> Vec<Z> {
        let mut data: Vec<Z> = input.iter().map(|&z| Z::of(z)).collect();
        let (shape, last) = (&self.shape[..], self.shape.len() - 1);
        match self.kind {
            Kind::Forward | Kind::Inverse => Z::dft(&mut data, shape, &self.axes, self.kind == Kind::Inverse),
            Kind::R2c => {
                Z::dft(&mut data, shape, &self.axes, false);
                data = of_half(&data, shape);
            }
            Kind::C2r => {
                let others: Vec<usize> = self.axes.iter().copied().filter(|&axis| axis != last).collect();
                Z::dft(&mut data, &half(shape), &others, true);
                data = of_whole(&data, shape);
                Z::dft(&mut data, shape, &[last], true);
            }
        }
        let n = self.n() as f64;
        let factor = match self.scale {
            Scale::One => return data,
            // The rounding of the factor of f64 is not the transform's error.
            Scale::InvLen => 1.0 / n,
            Scale::InvSqrtLen => 1.0 / n.sqrt(),
        };
        data.into_iter().map(|z| z.times(factor)).collect()
    }

    /// The error of each way to run it on noise.
    pub fn outcomes(&self, runner: &impl Runner) -> Vec<Outcome> {
        let mut dense = self.noise();
        let [from, _] = self.places();
        let at = from.all(&self.shapes()[0], self.batch);
        // If elements of the input overlap, the last one counts.
        let mut kept = vec![Complex64::default(); from.span(&self.shapes()[0], self.batch)];
        at.iter().zip(&dense).for_each(|(&place, z)| kept[place] = *z);
        dense.iter_mut().zip(at).for_each(|(z, place)| *z = kept[place]);
        let runs = self.run(runner, &dense);
        match self.arithmetic {
            Arithmetic::F32 => self.compared(runs, &self.transform::<Complex64>(&dense)),
            _ => self.compared(runs, &self.transform::<double::Complex>(&dense)),
        }
    }

    fn compared<Z: Exact>(&self, runs: Vec<Run<Complex64>>, expected: &[Z]) -> Vec<Outcome> {
        let outcome = |Run { on, recipe, output }: Run<Complex64>| Outcome {
            error: Z::relative_error(&output, expected),
            bound: self.bound(&recipe),
            bluestein: matches!(&recipe, Recipe::Axes(axes) if axes.iter().any(|axis| axis.bluestein.is_some())),
            what: on,
        };
        runs.into_iter().map(outcome).collect()
    }

    /// Runs it in every way, and returns the largest error in parts of the bound.
    pub fn check(&self, runner: &impl Runner) -> f64 {
        let parts = self.outcomes(runner).into_iter().map(|Outcome { what, error, bound, .. }| {
            assert!(error <= bound, "error {error:.2e}, {:.2} of the bound: {what}", error / bound);
            error / bound
        });
        parts.fold(0.0, f64::max)
    }

    /// The error of rustfft in f32 on the same input. Where the output is real, that is the error of a
    /// complex transform.
    pub fn error_of_rustfft(&self) -> f64 {
        let dense = self.noise();
        let own: Vec<Complex64> = self.transform::<Complex<f32>>(&dense).into_iter().map(Number::wide).collect();
        reference::relative_error(&own, &self.transform::<Complex64>(&dense))
    }

    /// The dense output of each way to run it on a dense input, which also tell the specification and
    /// the recipe.
    pub fn run(&self, runner: &impl Runner, dense: &[Complex64]) -> Vec<Run<Complex64>> {
        macro_rules! run {
            ($spec:expr) => {{
                let mut spec = $spec.batch(self.batch).scale(self.scale);
                if self.axes.len() < self.shape.len() {
                    spec = spec.axes(&self.axes);
                }
                if let Some([input, output]) = &self.layouts {
                    spec = spec.input_layout(input.layout()).output_layout(output.layout());
                }
                if self.in_place {
                    spec = spec.in_place();
                }
                match self.arithmetic {
                    Arithmetic::F32 => self.run_spec(runner, &spec, dense),
                    Arithmetic::F64 => self.run_spec(runner, &spec.f64(), dense),
                    Arithmetic::ByF32 => self.run_spec(runner, &spec.f64_by_f32(), dense),
                }
            }};
        }
        let shape = &self.shape[..];
        let turned = |spec: C2c| if self.transposed { spec.transposed() } else { spec };
        match self.kind {
            Kind::Forward => run!(turned(C2c::forward(shape))),
            Kind::Inverse => run!(turned(C2c::inverse(shape))),
            Kind::R2c if self.rows_may_mix => run!(R2c::forward(shape).rows_may_mix()),
            Kind::C2r if self.rows_may_mix => run!(C2r::inverse(shape).rows_may_mix()),
            Kind::R2c => run!(R2c::forward(shape)),
            Kind::C2r => run!(C2r::inverse(shape)),
        }
    }

    fn run_spec<S>(&self, runner: &impl Runner, spec: &S, dense: &[Complex64]) -> Vec<Run<Complex64>>
    where
        S: Spec<Recipe = Recipe, Input: Number, Output: Number>,
    {
        let ([shape, of_output], [from, to]) = (self.shapes(), self.places());
        let padded = if self.in_place && self.kind == Kind::R2c { 2 * of_output.iter().product::<usize>() * self.batch } else { 0 };
        let mut input = vec![S::Input::of(Complex64::new(f64::NAN, f64::NAN)); from.span(&shape, self.batch).max(padded)];
        from.all(&shape, self.batch).into_iter().zip(dense).for_each(|(place, z)| input[place] = S::Input::of(*z));
        let own = to.all(&of_output, self.batch);
        let gathered = |Run { on, recipe, output }: Run<S::Output>| {
            let what = format!("{on}: `{spec}` by `{recipe}`");
            // The padding of rows of reals in place may hold anything. Other gaps keep their bits.
            if output.len() > own.len() && !(self.in_place && self.kind == Kind::C2r) {
                let words = output.len() * size_of::<S::Output>() / 4;
                let before: Vec<u32> = if self.in_place { bytemuck::pod_collect_to_vec(&input) } else { vec![UNWRITTEN; words] };
                let before: Vec<S::Output> = bytemuck::pod_collect_to_vec(&before);
                let mut gap = vec![true; output.len()];
                own.iter().for_each(|&place| gap[place] = false);
                let touched = (0..gap.len()).find(|&i| gap[i] && bytemuck::bytes_of(&before[i]) != bytemuck::bytes_of(&output[i]));
                assert_eq!(touched, None, "{what} wrote into a gap");
            }
            Run { on: what, recipe, output: own.iter().map(|&place| output[place].wide()).collect() }
        };
        runner.run(spec, self.recipe.as_ref(), &input).into_iter().map(gathered).collect()
    }
}

/// A number that knows more digits than the result of a transform.
pub trait Exact: Copy {
    fn of(z: Complex64) -> Self;
    fn conj(self) -> Self;
    fn real(self) -> Self;
    fn times(self, factor: f64) -> Self;
    fn dft(data: &mut [Self], shape: &[usize], axes: &[usize], inverse: bool);
    /// In the two-norm; infinite if there is a NaN.
    fn relative_error(actual: &[Complex64], expected: &[Self]) -> f64;
}

impl<T: FftNum + Into<f64>> Exact for Complex<T> {
    fn of(z: Complex64) -> Self {
        Self::new(T::from_f64(z.re).unwrap(), T::from_f64(z.im).unwrap())
    }

    fn conj(self) -> Self {
        Self::conj(&self)
    }

    fn real(self) -> Self {
        Self::new(self.re, T::zero())
    }

    fn times(self, factor: f64) -> Self {
        self * T::from_f64(factor).unwrap()
    }

    fn dft(data: &mut [Self], shape: &[usize], axes: &[usize], inverse: bool) {
        reference::dft(data, shape, axes, inverse);
    }

    fn relative_error(actual: &[Complex64], expected: &[Self]) -> f64 {
        let expected: Vec<Complex64> = expected.iter().map(|z| Complex64::new(z.re.into(), z.im.into())).collect();
        reference::relative_error(actual, &expected)
    }
}

impl Exact for double::Complex {
    fn of(z: Complex64) -> Self {
        z.into()
    }

    fn conj(self) -> Self {
        Self::conj(self)
    }

    fn real(self) -> Self {
        Self { im: 0.0.into(), ..self }
    }

    fn times(self, factor: f64) -> Self {
        self.scaled(factor.into())
    }

    fn dft(data: &mut [Self], shape: &[usize], axes: &[usize], inverse: bool) {
        double::dft(data, shape, axes, inverse);
    }

    fn relative_error(actual: &[Complex64], expected: &[Self]) -> f64 {
        double::relative_error(actual, expected)
    }
}

/// The whole rows of dense arrays of `shape` for the rows of their half-spectrum: the rest is
/// conjugates, and what is its own conjugate is real.
pub fn of_whole<Z: Exact>(values: &[Z], shape: &[usize]) -> Vec<Z> {
    let n = shape[shape.len() - 1];
    let of_row = |row: &[Z], k: usize| match k {
        _ if k == 0 || 2 * k == n => row[k].real(),
        _ if 2 * k > n => row[n - k].conj(),
        _ => row[k],
    };
    values.chunks(n / 2 + 1).flat_map(|row| (0..n).map(move |k| of_row(row, k))).collect()
}

/// Shapes of two and three axes.
pub const SHAPES: &[&[usize]] =
    &[&[5, 1], &[1, 6], &[6, 10], &[16, 64], &[17, 33], &[2, 67], &[2, 3, 4], &[8, 1, 5], &[16, 8, 32], &[7, 11, 13]];

/// Transforms of these lengths there, and back in place.
pub fn of_lengths(lengths: impl IntoIterator<Item = usize>) -> impl Iterator<Item = Case> {
    let both = |n| [Case::new(Kind::Forward, &[n]).batch(3), Case::new(Kind::Inverse, &[n]).batch(2).in_place(true)];
    lengths.into_iter().flat_map(both)
}

/// Transforms of reals of these lengths there and back, each also in place.
pub fn of_real_lengths(lengths: impl IntoIterator<Item = usize>) -> impl Iterator<Item = Case> {
    let both = |n| [Kind::R2c, Kind::C2r].map(|kind| [Case::new(kind, &[n]).batch(3), Case::new(kind, &[n]).batch(2).in_place(true)]);
    lengths.into_iter().flat_map(both).flatten()
}

/// Transforms of several axes, in place and not.
pub fn of_shapes() -> impl Iterator<Item = Case> {
    let both = |kind, shape: &[usize]| [Case::new(kind, shape).batch(2), Case::new(kind, shape).in_place(true)];
    SHAPES.iter().flat_map(move |shape| KINDS.map(|kind| both(kind, shape))).flatten()
}

/// Kinds of layouts of two axes of complex numbers.
pub fn layouts() -> Vec<Case> {
    let shape = [6, 10];
    let padded = Places { strides: vec![16, 1], distance: 100, offset: 3 };
    let channels = Places { strides: vec![30, 3], distance: 1, offset: 0 };
    let columns = Places { strides: vec![1, 6], distance: 64, offset: 1 };
    let all = [&padded, &channels, &columns];
    let case = || Case::new(Kind::Forward, &shape).batch(3);
    let pairs = all.iter().flat_map(|&input| all.iter().map(move |&output| (input, output)));
    let mut cases: Vec<Case> = pairs.map(|(input, output)| case().layouts(input, output)).collect();
    cases.extend(all.iter().map(|&both| case().in_place(true).layouts(both, both)));
    cases.extend([case().transposed(), case().in_place(true).transposed(), Case::new(Kind::Inverse, &[4, 6, 10]).transposed()]);
    cases.extend([vec![0], vec![1], vec![0, 2], vec![1, 2]].map(|axes| Case::new(Kind::Inverse, &[6, 4, 10]).batch(2).axes(&axes)));
    cases.push(Case::new(Kind::R2c, &[6, 4, 10]).batch(2).axes(&[0, 2]));
    cases
}

/// Hand-written recipes of every form of exchange, of several passes, blocks, convolutions and
/// transposes.
pub fn by_hand() -> Vec<Case> {
    let complex: [(&[usize], &str); 15] = [
        (&[16], "axis 0: stockham 16 lanes=3 lines=2"),
        (&[64], "axis 0: stockham 8.8 lanes=8 lines=4"),
        (&[64], "axis 0: stockham 8.8 lanes=4 lines=2 exchange=whole roots=table"),
        (&[64], "axis 0: stockham 2.4.8 lanes=2 lines=5 banks=0"),
        (&[64], "axis 0: stockham 4.4.4 lanes=16 lines=2 exchange=whole banks=64"),
        (&[64], "axis 0: stockham 16.4 lanes=4 lines=2 pieces=4"),
        (&[64], "axis 0: stockham 64 lanes=1 lines=2"),
        (&[64], "axis 0: stockham 8 lanes=1 lines=4 block=4x1 + stockham 8 lanes=1 lines=4"),
        (&[64], "axis 0 bluestein 128: stockham 16.8 lanes=8 lines=2 exchange=whole"),
        (&[256], "axis 0: stockham 8.8.4 lanes=33 lines=7 banks=16 roots=table"),
        (&[240], "axis 0: stockham 4.3 lanes=3 lines=4 + stockham 5.4 lanes=5 lines=2"),
        (&[240], "axis 0 bluestein 512: stockham 8.8 lanes=8 lines=2 + stockham 8 lanes=1 lines=8"),
        (&[143], "axis 0: stockham 13.11 lanes=6 roots=table"),
        (&[16, 24], "axis 1: stockham 4.6 lanes=4 lines=2 block=4x4; axis 0: stockham 16 lanes=1 lines=4"),
        (&[16, 24], "rows: stockham 4.6 lanes=4 lines=2; columns: stockham 4.4 lanes=4 lines=3; transpose: tiled 32+1 elements=4"),
    ];
    let of = |&(shape, recipe): &(&[usize], &'static str)| Case::of(&COMPLEX_KINDS, shape, 5).into_iter().map(move |case| case.by(recipe));
    let mut cases: Vec<Case> = complex.iter().flat_map(of).collect();
    for (n, recipe) in [
        (32, "axis 0 halves: stockham 4.4 lanes=4 lines=2 exchange=whole"),
        (32, "axis 0 halves: stockham 4 lanes=1 lines=4 + stockham 4 lanes=1 lines=4"),
        (32, "axis 0 pairs: stockham 8.4 lanes=4 lines=2"),
        (32, "axis 0: stockham 8.4 lanes=4 lines=2"),
        (27, "axis 0 pairs: stockham 9.3 lanes=3 lines=2 exchange=whole"),
    ] {
        cases.extend(Case::of(&REAL_KINDS, &[n], 5).into_iter().map(|case| case.by(recipe)));
    }
    cases
}
