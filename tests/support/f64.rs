//! Transforms in f64, and of f64 by two f32 for each number, compared with transforms in numbers of
//! two f64.
#![allow(dead_code, reason = "the tests on devices and those without use different parts")]

use std::fmt;

use wgpu_fft::fft::{C2c, C2r, R2c, Recipe, Scale};
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::tune::Searchable;

use crate::double::{Complex, complex_noise, dft, noise, relative_error};
use crate::reference::{Places, half, of_half};

/// u = 2⁻⁵³, the unit roundoff of f64.
pub const U: f64 = f64::EPSILON / 2.0;

/// 2⁻⁴⁶, of which by two f32 the documented bound is √log₂n.
pub const U_BY_F32: f64 = 128.0 * U;

/// Runs a specification, and returns the output of each way to do so. `None` stands for a recipe of
/// the rules.
pub trait Runner {
    fn run<S: Searchable<Recipe = Recipe>>(&self, spec: &S, recipe: Option<&str>, input: &[S::Input]) -> Vec<Vec<S::Output>>;
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Forward,
    Inverse,
    ToHalf,
    FromHalf,
}

pub const KINDS: [Kind; 4] = [Kind::Forward, Kind::Inverse, Kind::ToHalf, Kind::FromHalf];

/// A transform of all axes, or of some.
#[derive(Clone, Debug)]
pub struct Case {
    kind: Kind,
    shape: Vec<usize>,
    batch: usize,
    axes: Vec<usize>,
    in_place: bool,
    transposed: bool,
    places: Option<[Places; 2]>,
    recipe: Option<&'static str>,
    by_f32: bool,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl Case {
    pub fn new(kind: Kind, shape: &[usize]) -> Self {
        let axes = (0..shape.len()).collect();
        Self { kind, shape: shape.to_vec(), batch: 1, axes, in_place: false, transposed: false, places: None, recipe: None, by_f32: false }
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

    pub fn places(self, input: Places, output: Places) -> Self {
        Self { places: Some([input, output]), ..self }
    }

    pub fn by(self, recipe: &'static str) -> Self {
        Self { recipe: Some(recipe), ..self }
    }

    /// The same by two f32 for each number.
    pub fn by_f32(self) -> Self {
        Self { by_f32: true, ..self }
    }

    /// The documented bound, for a convolution of each length with a prime factor above 31.
    pub fn bound(&self) -> f64 {
        let of_axis = |&axis: &usize| {
            let n = self.shape[axis];
            let mut rest = n;
            (2..=31).for_each(|p| {
                while rest.is_multiple_of(p) {
                    rest /= p;
                }
            });
            if self.by_f32 {
                return ((if rest == 1 { 1 } else { 3 } * n) as f64).log2().max(1.0);
            }
            if rest == 1 { 2.25 * (n as f64).log2().max(1.0) } else { 9.0 * (3.0 * n as f64).log2() }
        };
        let u = if self.by_f32 { U_BY_F32 } else { U };
        u * self.axes.iter().map(of_axis).sum::<f64>().sqrt()
    }

    /// Runs it in every way, and returns the largest error in parts of the bound.
    pub fn check(&self, runner: &impl Runner) -> f64 {
        let (shape, of_half_shape) = (&self.shape[..], half(&self.shape));
        let elements = shape.iter().product::<usize>() * self.batch;
        let half_elements = of_half_shape.iter().product::<usize>() * self.batch;
        let last = shape.len() - 1;
        let n: usize = self.axes.iter().map(|&axis| shape[axis]).product();
        // The factor's own rounding is not the transform's error.
        let factor = 1.0 / n as f64;
        let scaled = |values: &mut Vec<Complex>| values.iter_mut().for_each(|z| *z = z.scaled(factor.into()));
        let outputs: Vec<Vec<Complex64>>;
        let mut expected: Vec<Complex>;
        match self.kind {
            Kind::Forward | Kind::Inverse => {
                let inverse = self.kind == Kind::Inverse;
                let dense = complex_noise(elements, 7);
                expected = dense.iter().map(|&z| z.into()).collect();
                dft(&mut expected, shape, &self.axes, inverse);
                let own = if inverse { C2c::inverse(shape) } else { C2c::forward(shape) };
                let own = if self.by_f32 { own.f64_by_f32() } else { own.f64() };
                let mut spec = own.batch(self.batch).axes(self.axes.clone());
                if self.transposed {
                    spec = spec.transposed();
                }
                let [from, to] = self.places.clone().unwrap_or_else(|| {
                    [Places::dense(shape), if self.transposed { Places::reversed(shape) } else { Places::dense(shape) }]
                });
                if self.places.is_some() {
                    spec = spec.input_layout(from.layout()).output_layout(to.layout());
                }
                spec = if self.in_place { spec.in_place() } else { spec }.scale(Scale::InvLen);
                let mut input = vec![Complex64::new(f64::NAN, f64::NAN); from.span(shape, self.batch)];
                from.all(shape, self.batch).iter().zip(&dense).for_each(|(&place, z)| input[place] = *z);
                let places = to.all(shape, self.batch);
                let dense = |output: Vec<Complex64>| places.iter().map(|&place| output[place]).collect();
                outputs = runner.run(&spec, self.recipe, &input).into_iter().map(dense).collect();
            }
            Kind::ToHalf => {
                let dense = noise(elements, 8);
                let mut whole: Vec<Complex> = dense.iter().map(|&x| Complex64::new(x, 0.0).into()).collect();
                dft(&mut whole, shape, &self.axes, false);
                expected = of_half(&whole, shape);
                let own = if self.recipe.is_some() { R2c::forward(shape).rows_may_mix() } else { R2c::forward(shape) };
                let own = if self.by_f32 { own.f64_by_f32() } else { own.f64() };
                let spec = own.batch(self.batch).axes(self.axes.clone()).scale(Scale::InvLen);
                if self.in_place {
                    let from = Places::rows_in_half(shape);
                    let mut input = vec![f64::NAN; 2 * half_elements];
                    from.all(shape, self.batch).iter().zip(&dense).for_each(|(&place, x)| input[place] = *x);
                    outputs = runner.run(&spec.in_place(), self.recipe, &input);
                } else {
                    outputs = runner.run(&spec, self.recipe, &dense);
                }
            }
            Kind::FromHalf => {
                let dense = complex_noise(half_elements, 9);
                let mut values: Vec<Complex> = dense.iter().map(|&z| z.into()).collect();
                let others: Vec<usize> = self.axes.iter().copied().filter(|&axis| axis != last).collect();
                dft(&mut values, &of_half_shape, &others, true);
                expected = whole(&values, shape[last]);
                dft(&mut expected, shape, &[last], true);
                expected.iter_mut().for_each(|z| z.im = 0.0.into());
                let own = if self.recipe.is_some() { C2r::inverse(shape).rows_may_mix() } else { C2r::inverse(shape) };
                let own = if self.by_f32 { own.f64_by_f32() } else { own.f64() };
                let spec = own.batch(self.batch).axes(self.axes.clone()).scale(Scale::InvLen);
                let complex = |reals: Vec<f64>| reals.into_iter().map(|x| Complex64::new(x, 0.0)).collect();
                outputs = if self.in_place {
                    let places = Places::rows_in_half(shape).all(shape, self.batch);
                    let dense_of = |output: Vec<f64>| complex(places.iter().map(|&place| output[place]).collect());
                    runner.run(&spec.in_place(), self.recipe, &dense).into_iter().map(dense_of).collect()
                } else {
                    runner.run(&spec, self.recipe, &dense).into_iter().map(complex).collect()
                };
            }
        }
        scaled(&mut expected);
        let errors = outputs.iter().map(|output| relative_error(output, &expected) / self.bound());
        let largest = errors.fold(0.0, f64::max);
        assert!(largest <= 1.0, "{largest:.2} of the bound: {self}");
        largest
    }
}

/// Rows of n for rows of n/2+1: the rest is conjugates, and what is its own conjugate is real.
fn whole(values: &[Complex], n: usize) -> Vec<Complex> {
    let of_row = |row: &[Complex], k: usize| match k {
        _ if k == 0 || 2 * k == n => Complex { im: 0.0.into(), ..row[k] },
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
    let mut cases: Vec<Case> = complex
        .iter()
        .flat_map(|&(shape, recipe)| {
            let case = |kind| Case::new(kind, shape).batch(5).by(recipe);
            // A convolution is less exact than what the bound of a short length says.
            let same = [case(Kind::Forward), case(Kind::Inverse).in_place()];
            same.into_iter().filter(move |_| !recipe.contains("bluestein"))
        })
        .collect();
    for (n, recipe) in [
        (32, "axis 0 halves: stockham 4.4 lanes=4 lines=2 exchange=whole"),
        (32, "axis 0 halves: stockham 4 lanes=1 lines=4 + stockham 4 lanes=1 lines=4"),
        (32, "axis 0 pairs: stockham 8.4 lanes=4 lines=2"),
        (32, "axis 0: stockham 8.4 lanes=4 lines=2"),
        (27, "axis 0 pairs: stockham 9.3 lanes=3 lines=2 exchange=whole"),
    ] {
        for kind in [Kind::ToHalf, Kind::FromHalf] {
            cases.extend([Case::new(kind, &[n]).batch(5).by(recipe), Case::new(kind, &[n]).batch(6).in_place().by(recipe)]);
        }
    }
    cases
}
