//! Transforms of f32, of f64, and of f64 in double-single arithmetic, compared with more exact ones:
//! of f64, and of numbers of two f64.

use std::fmt;

use wgpu_fft::Spec;
use wgpu_fft::fft::{C2c, C2r, R2c, Scale};
use wgpu_fft::low_level::recipes::fft::Recipe;
use wgpu_fft::num_complex::Complex64;

use crate::double;
use crate::reference::{self, Number, Places, ROUNDOFF, bound_by, bound_of, half, is_convolved, of_half};

/// u = 2⁻⁵³, the unit roundoff of f64.
pub const U: f64 = f64::EPSILON / 2.0;

/// 2⁻⁴⁶, of which by two f32 the documented bound is √log₂n.
pub const U_BY_F32: f64 = 128.0 * U;

/// Runs a specification, and returns the output of each way to do so. `None` stands for a recipe of
/// the rules.
pub trait Runner {
    fn run<S: Spec<Recipe = Recipe>>(&self, spec: &S, recipe: Option<&str>, input: &[S::Input]) -> Vec<Vec<S::Output>>;
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Forward,
    Inverse,
    ToHalf,
    FromHalf,
}

pub const KINDS: [Kind; 4] = [Kind::Forward, Kind::Inverse, Kind::ToHalf, Kind::FromHalf];

/// Complex transforms there, and back in place.
pub const COMPLEX_KINDS: [(Kind, bool); 2] = [(Kind::Forward, false), (Kind::Inverse, true)];

/// Real transforms there and back, each also in place.
pub const REAL_KINDS: [(Kind, bool); 4] = [(Kind::ToHalf, false), (Kind::FromHalf, false), (Kind::ToHalf, true), (Kind::FromHalf, true)];

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
    in_place: bool,
    transposed: bool,
    rows_may_mix: bool,
    places: Option<[Places; 2]>,
    recipe: Option<&'static str>,
    arithmetic: Arithmetic,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl Case {
    /// A transform of f64.
    pub fn new(kind: Kind, shape: &[usize]) -> Self {
        Self {
            kind,
            shape: shape.to_vec(),
            batch: 1,
            axes: (0..shape.len()).collect(),
            in_place: false,
            transposed: false,
            rows_may_mix: false,
            places: None,
            recipe: None,
            arithmetic: Arithmetic::F64,
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

    pub fn in_place(self) -> Self {
        Self { in_place: true, ..self }
    }

    pub fn transposed(self) -> Self {
        Self { transposed: true, ..self }
    }

    pub fn rows_may_mix(self) -> Self {
        Self { rows_may_mix: true, ..self }
    }

    pub fn places(self, input: Places, output: Places) -> Self {
        Self { places: Some([input, output]), ..self }
    }

    pub fn by(self, recipe: &'static str) -> Self {
        Self { recipe: Some(recipe), ..self }.rows_may_mix()
    }

    /// The same of f32.
    pub fn f32(self) -> Self {
        Self { arithmetic: Arithmetic::F32, ..self }
    }

    /// The same in double-single arithmetic.
    pub fn by_f32(self) -> Self {
        Self { arithmetic: Arithmetic::ByF32, ..self }
    }

    /// The documented bound.
    pub fn bound(&self) -> f64 {
        let lengths = self.axes.iter().map(|&axis| self.shape[axis]);
        if self.arithmetic == Arithmetic::ByF32 {
            let of_axis = |n: usize| ((if is_convolved(n) { 3 } else { 1 } * n) as f64).log2().max(1.0);
            return U_BY_F32 * lengths.map(of_axis).sum::<f64>().sqrt();
        }
        let bound = self.recipe.map_or_else(|| bound_of(lengths), |text| bound_by(&text.parse().unwrap(), &self.shape));
        if self.arithmetic == Arithmetic::F64 { bound * U / ROUNDOFF } else { bound }
    }

    /// The shapes of input and output.
    fn shapes(&self) -> [Vec<usize>; 2] {
        match self.kind {
            Kind::Forward | Kind::Inverse => [self.shape.clone(), self.shape.clone()],
            Kind::ToHalf => [self.shape.clone(), half(&self.shape)],
            Kind::FromHalf => [half(&self.shape), self.shape.clone()],
        }
    }

    /// The places of the elements of input and output.
    fn own_places(&self) -> [Places; 2] {
        if let Some(places) = &self.places {
            return places.clone();
        }
        let [mut input, mut output] = self.shapes().map(|shape| Places::dense(&shape));
        match self.kind {
            // The rows of reals are padded to the length of the complex side.
            Kind::ToHalf if self.in_place => input = Places::rows_in_half(&self.shape),
            Kind::FromHalf if self.in_place => output = Places::rows_in_half(&self.shape),
            _ if self.transposed => output = Places::reversed(&self.shape),
            _ => {}
        }
        [input, output]
    }

    /// Runs it in every way, and returns the largest error in parts of the bound.
    pub fn check(&self, runner: &impl Runner) -> f64 {
        let ([shape, of_output], [from, to]) = (self.shapes(), self.own_places());
        let elements = shape.iter().product::<usize>() * self.batch;
        let mut dense = match self.kind {
            Kind::ToHalf => double::noise(elements, 8).into_iter().map(Complex64::from).collect(),
            _ => double::complex_noise(elements, 7),
        };
        if self.arithmetic == Arithmetic::F32 {
            dense.iter_mut().for_each(|z| *z = wgpu_fft::Complex32::of(*z).wide());
        }
        let at = from.all(&shape, self.batch);
        let padding = if self.in_place && self.kind == Kind::ToHalf { 2 * of_output.iter().product::<usize>() * self.batch } else { 0 };
        let mut input = vec![Complex64::new(f64::NAN, f64::NAN); from.span(&shape, self.batch).max(padding)];
        at.iter().zip(&dense).for_each(|(&place, z)| input[place] = *z);
        // If elements of the input overlap, the last one counts.
        let dense: Vec<Complex64> = at.iter().map(|&place| input[place]).collect();
        let outputs = self.outputs(runner, &input, &to.all(&of_output, self.batch));
        let error = match self.arithmetic {
            Arithmetic::F32 => self.largest_error::<Complex64>(&dense, &outputs),
            _ => self.largest_error::<double::Complex>(&dense, &outputs),
        };
        let (bound, count) = (self.bound(), outputs.len());
        assert!(error <= bound, "error {error:.2e}, {:.2} of the bound, of {count} outputs: {self}", error / bound);
        error / bound
    }

    fn outputs(&self, runner: &impl Runner, input: &[Complex64], to: &[usize]) -> Vec<Vec<Complex64>> {
        macro_rules! run {
            ($spec:expr) => {{
                let mut spec = $spec.batch(self.batch).axes(self.axes.clone()).scale(self.scale());
                if let Some([from, to]) = &self.places {
                    spec = spec.input_layout(from.layout()).output_layout(to.layout());
                }
                if self.in_place {
                    spec = spec.in_place();
                }
                match self.arithmetic {
                    Arithmetic::F32 => self.outputs_of(runner, &spec, input, to),
                    Arithmetic::F64 => self.outputs_of(runner, &spec.f64(), input, to),
                    Arithmetic::ByF32 => self.outputs_of(runner, &spec.f64_by_f32(), input, to),
                }
            }};
        }
        let shape = &self.shape[..];
        let turned = |spec: C2c| if self.transposed { spec.transposed() } else { spec };
        match self.kind {
            Kind::Forward => run!(turned(C2c::forward(shape))),
            Kind::Inverse => run!(turned(C2c::inverse(shape))),
            Kind::ToHalf if self.rows_may_mix => run!(R2c::forward(shape).rows_may_mix()),
            Kind::FromHalf if self.rows_may_mix => run!(C2r::inverse(shape).rows_may_mix()),
            Kind::ToHalf => run!(R2c::forward(shape)),
            Kind::FromHalf => run!(C2r::inverse(shape)),
        }
    }

    fn outputs_of<S>(&self, runner: &impl Runner, spec: &S, input: &[Complex64], to: &[usize]) -> Vec<Vec<Complex64>>
    where
        S: Spec<Recipe = Recipe, Input: Number, Output: Number>,
    {
        let input: Vec<S::Input> = input.iter().map(|&z| S::Input::of(z)).collect();
        let outputs = runner.run(spec, self.recipe, &input).into_iter();
        outputs.map(|output| to.iter().map(|&place| output[place].wide()).collect()).collect()
    }

    fn scale(&self) -> Scale {
        if self.arithmetic == Arithmetic::F32 { Scale::InvSqrtLen } else { Scale::InvLen }
    }

    fn largest_error<Z: Exact>(&self, dense: &[Complex64], outputs: &[Vec<Complex64>]) -> f64 {
        let mut expected: Vec<Z> = dense.iter().map(|&z| Z::of(z)).collect();
        let (shape, last) = (&self.shape[..], self.shape.len() - 1);
        match self.kind {
            Kind::Forward | Kind::Inverse => Z::dft(&mut expected, shape, &self.axes, self.kind == Kind::Inverse),
            Kind::ToHalf => {
                Z::dft(&mut expected, shape, &self.axes, false);
                expected = of_half(&expected, shape);
            }
            Kind::FromHalf => {
                let others: Vec<usize> = self.axes.iter().copied().filter(|&axis| axis != last).collect();
                Z::dft(&mut expected, &half(shape), &others, true);
                expected = whole(&expected, shape[last]);
                Z::dft(&mut expected, shape, &[last], true);
                expected.iter_mut().for_each(|z| *z = z.real());
            }
        }
        let n = self.axes.iter().map(|&axis| shape[axis]).product::<usize>() as f64;
        // The rounding of the factor of f64 is not the transform's error.
        let factor = if self.scale() == Scale::InvLen { 1.0 / n } else { 1.0 / n.sqrt() };
        let expected: Vec<Z> = expected.into_iter().map(|z| z.times(factor)).collect();
        outputs.iter().map(|output| Z::relative_error(output, &expected)).fold(0.0, f64::max)
    }
}

/// A number that knows more digits than the result of a transform.
trait Exact: Copy {
    fn of(z: Complex64) -> Self;
    fn conj(self) -> Self;
    fn real(self) -> Self;
    fn times(self, factor: f64) -> Self;
    fn dft(data: &mut [Self], shape: &[usize], axes: &[usize], inverse: bool);
    fn relative_error(actual: &[Complex64], expected: &[Self]) -> f64;
}

impl Exact for Complex64 {
    fn of(z: Complex64) -> Self {
        z
    }

    fn conj(self) -> Self {
        Self::conj(&self)
    }

    fn real(self) -> Self {
        self.re.into()
    }

    fn times(self, factor: f64) -> Self {
        self * factor
    }

    fn dft(data: &mut [Self], shape: &[usize], axes: &[usize], inverse: bool) {
        reference::dft(data, shape, axes, inverse);
    }

    fn relative_error(actual: &[Complex64], expected: &[Self]) -> f64 {
        reference::relative_error(actual, expected)
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

/// Rows of n for rows of n/2+1: the rest is conjugates, and what is its own conjugate is real.
fn whole<Z: Exact>(values: &[Z], n: usize) -> Vec<Z> {
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

/// Kinds of layouts of two axes of complex numbers.
pub fn layouts() -> Vec<Case> {
    let shape = [6, 10];
    let padded = Places { strides: vec![16, 1], distance: 100, offset: 3 };
    let channels = Places { strides: vec![30, 3], distance: 1, offset: 0 };
    let columns = Places { strides: vec![1, 6], distance: 64, offset: 1 };
    let all = [&padded, &channels, &columns];
    let case = || Case::new(Kind::Forward, &shape).batch(3);
    let pairs = all.iter().flat_map(|&input| all.iter().map(move |&output| (input, output)));
    let mut cases: Vec<Case> = pairs.map(|(input, output)| case().places(input.clone(), output.clone())).collect();
    cases.extend(all.iter().map(|&both| case().in_place().places(both.clone(), both.clone())));
    cases.extend([case().transposed(), case().in_place().transposed(), Case::new(Kind::Inverse, &[4, 6, 10]).transposed()]);
    cases.extend([vec![0], vec![1], vec![0, 2], vec![1, 2]].map(|axes| Case::new(Kind::Inverse, &[6, 4, 10]).batch(2).axes(&axes)));
    cases.push(Case::new(Kind::ToHalf, &[6, 4, 10]).batch(2).axes(&[0, 2]));
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
