//! Every reduction of every type, compared with plain loops in f64 or in integers.

use half::f16;
use wgpu_fft::elements::{Float, Value};
use wgpu_fft::num_complex::{Complex32, Complex64};
use wgpu_fft::reduce::{self, Reduction};
use wgpu_fft::{DeviceProfile, Element, Error, Fragment, Layout, Shape, Spec, half};

use crate::reference::{complex_noise, noise};
use crate::sanitized::RunOnHost;

/// Where a reduction runs. Returns `None` if the recipe does not fit there.
pub trait Runner {
    fn run<T: Value, O: Element>(&self, spec: Reduction<T, O>, recipe: Option<&str>, x: &[T], y: Option<&[T]>) -> Option<Outcome<O>>;
    fn has_f64(&self) -> bool;
    /// Whether it runs operators given as WGSL.
    fn has_custom(&self) -> bool;
}

pub struct Outcome<O> {
    pub results: Vec<O>,
    /// The number of additions that an element passed through.
    pub depth: u32,
    pub what: String,
}

/// The array to reduce.
#[derive(Clone, Debug)]
pub struct Case {
    pub shape: Vec<usize>,
    pub batch: usize,
    pub axes: Option<Vec<usize>>,
    pub recipe: Option<String>,
    pub across_devices: bool,
    pub place: Option<Place>,
}

/// Where the elements of an array are: strides of the axes and of the batch, the index of the
/// first, and the number of elements of the whole.
#[derive(Clone, Debug)]
pub struct Place {
    pub strides: Vec<usize>,
    pub distance: usize,
    pub offset: usize,
    pub len: usize,
}

impl Place {
    /// Strides and batch distance, with `more` elements after the last.
    pub fn new(case: &Case, strides: Vec<usize>, distance: usize, offset: usize, more: usize) -> Self {
        let mut place = Self { strides, distance, offset, len: 0 };
        place.len = (0..case.len()).map(|i| place.of(case, i)).max().unwrap() + 1 + more;
        place
    }

    /// The index of element `i` of the dense array.
    pub fn of(&self, case: &Case, i: usize) -> usize {
        let (mut rest, mut at) = (i, self.offset);
        for (extent, stride) in case.shape.iter().zip(&self.strides).rev() {
            at += rest % extent * stride;
            rest /= extent;
        }
        at + rest * self.distance
    }

    pub fn layout(&self) -> Layout {
        Layout::strides(&self.strides).batch_distance(self.distance).offset(self.offset).within(self.len)
    }

    /// The array that has the elements of a dense array in their places, and NaN or other large
    /// bits everywhere else.
    pub fn spread<T: Element>(&self, case: &Case, dense: &[T]) -> Vec<T> {
        let mut all: Vec<T> = vec![bytemuck::pod_read_unaligned(&vec![0xff; size_of::<T>()]); self.len];
        dense.iter().enumerate().for_each(|(i, x)| all[self.of(case, i)] = *x);
        all
    }
}

/// The largest allowed error of a sum of positive values, in units of √d·u·Σ|x| with d the depth.
const FAR_UNITS: f64 = 4.0;

/// The kinds of places of [`Case::placed`].
pub const PLACES: usize = 6;

/// u = 2⁻²⁴, the unit roundoff of f32.
const U: f64 = 1.0 / 16_777_216.0;

impl Case {
    pub fn new(shape: &[usize], batch: usize, axes: Option<&[usize]>) -> Self {
        let axes = axes.map(<[usize]>::to_vec);
        Self { shape: shape.to_vec(), batch, axes, recipe: None, across_devices: false, place: None }
    }

    pub fn by(self, recipe: &str) -> Self {
        Self { recipe: Some(recipe.to_owned()), ..self }
    }

    pub fn across_devices(self) -> Self {
        Self { across_devices: true, ..self }
    }

    /// The same array in other places: padded rows, every third element, axes in reverse order,
    /// arrays of a batch interleaved, rows at multiples of 8, or axes in another order with gaps.
    pub fn placed(self, turn: usize) -> Self {
        let dense = |extents: &[usize]| -> Vec<usize> { (0..extents.len()).map(|axis| extents[axis + 1..].iter().product()).collect() };
        let (len, batch) = (self.shape.iter().product::<usize>(), self.batch);
        let place = |strides, distance, offset, more| Some(Place::new(&self, strides, distance, offset, more));
        let place = match turn % PLACES {
            0 => {
                let padded: Vec<usize> = self.shape.iter().map(|extent| extent + 3).collect();
                place(dense(&padded), padded.iter().product(), 5, 2)
            }
            1 => place(dense(&self.shape).iter().map(|stride| 3 * stride).collect(), 3 * len, 2, 0),
            2 => {
                let mut extents = self.shape.clone();
                extents.reverse();
                let mut strides = dense(&extents);
                strides.reverse();
                place(strides, len, 0, 0)
            }
            3 => place(dense(&self.shape).iter().map(|stride| batch * stride).collect(), 1, 0, 7),
            4 => {
                let mut rows = self.shape.clone();
                *rows.last_mut().unwrap() = (rows.last().unwrap() + 1).next_multiple_of(8);
                place(dense(&rows), rows.iter().product::<usize>() + 8, 16, 0)
            }
            _ => {
                // The last axis is the slowest, and the batch the fastest.
                let mut extents = vec![*self.shape.last().unwrap()];
                extents.extend(&self.shape[..self.shape.len() - 1]);
                let mut strides: Vec<usize> = dense(&extents).iter().map(|stride| 2 * (batch + 1) * stride).collect();
                strides.rotate_left(1);
                place(strides, 1, 1, 1)
            }
        };
        Self { place, ..self }
    }

    pub fn len(&self) -> usize {
        self.shape.iter().product::<usize>() * self.batch
    }

    pub fn shape(&self) -> Shape {
        Shape::from(&self.shape)
    }

    /// The elements of each result, in order.
    pub fn groups(&self) -> Vec<Vec<usize>> {
        let reduced = |axis: usize| self.axes.as_ref().is_none_or(|axes| axes.contains(&axis));
        let results: usize = (0..self.shape.len()).filter(|&axis| !reduced(axis)).map(|axis| self.shape[axis]).product();
        let mut groups = vec![Vec::new(); results * self.batch];
        for i in 0..self.len() {
            let (mut rest, mut result, mut step) = (i, 0, 1);
            for axis in (0..self.shape.len()).rev() {
                if !reduced(axis) {
                    result += rest % self.shape[axis] * step;
                    step *= self.shape[axis];
                }
                rest /= self.shape[axis];
            }
            groups[result + rest * results].push(i);
        }
        groups
    }

    /// A reduction of this array, with its axes, its place and its order.
    pub fn of<T: Element, O: Element>(&self, spec: Reduction<T, O>) -> Reduction<T, O> {
        let spec = spec.batch(self.batch);
        let spec = if self.across_devices { spec.across_devices() } else { spec };
        let spec = if let Some(axes) = &self.axes { spec.axes(axes) } else { spec };
        if let Some(place) = &self.place { spec.input_layout(place.layout()) } else { spec }
    }

    pub fn run<T: Value, O: Element>(&self, runner: &impl Runner, spec: Reduction<T, O>, x: &[T], y: Option<&[T]>) -> Option<Outcome<O>> {
        let (spec, recipe) = (self.of(spec), self.recipe.as_deref());
        let Some(place) = &self.place else { return runner.run(spec, recipe, x, y) };
        let (x, y) = (place.spread(self, x), y.map(|y| place.spread(self, y)));
        runner.run(spec, recipe, &x, y.as_deref())
    }

    /// The value of a fragment times its number among those that are reduced with it.
    fn times_number(&self) -> Fragment {
        let is_reduced = |axis: &usize| self.axes.as_ref().is_none_or(|axes| axes.contains(axis));
        let number = |faster, axis| format!("({faster} * n{axis} + i{axis})");
        Fragment::new(format!("value * {}", (0..self.shape.len()).filter(is_reduced).fold("0u".to_owned(), number)))
    }

    /// Runs a reduction and compares every result with `check`, which gets the elements of that
    /// result.
    fn compare<T: Value, O: Element>(
        &self,
        runner: &impl Runner,
        spec: Reduction<T, O>,
        [x, y]: [&[T]; 2],
        check: impl Fn(&[T], &[T], O, u32) -> Result<(), String>,
    ) {
        let second = (!y.is_empty()).then_some(y);
        let Some(outcome) = self.run(runner, spec, x, second) else { return };
        let groups = self.groups();
        assert_eq!(outcome.results.len(), groups.len(), "{}", outcome.what);
        for (k, (group, result)) in groups.iter().zip(&outcome.results).enumerate() {
            let of = |data: &[T]| group.iter().filter_map(|&i| data.get(i).copied()).collect::<Vec<_>>();
            if let Err(why) = check(&of(x), &of(y), *result, outcome.depth) {
                panic!("{}: result {k} of {}: {why}", outcome.what, groups.len());
            }
        }
    }

    /// Every operation on every type.
    pub fn check(&self, runner: &impl Runner) {
        self.check_f32(runner);
        self.check_integers(runner);
        self.check_f16(runner);
        self.check_complex(runner);
        if runner.has_f64() {
            self.check_f64(runner);
        }
    }

    pub fn check_f32(&self, runner: &impl Runner) {
        let (n, shape) = (self.len(), self.shape());
        let (x, y) = (noise(n, 3), noise(n, 4));
        let one: [&[f32]; 2] = [&x, &[]];
        let both: [&[f32]; 2] = [&x, &y];
        self.compare(runner, reduce::sum(shape), one, |x, _, sum, d| within_sum(x.iter().map(|&x| x.into()), sum.into(), d, U));
        self.compare(runner, reduce::sum_abs(shape), one, |x, _, sum, d| within_sum(x.iter().map(|&x| x.abs().into()), sum.into(), d, U));
        self.compare(runner, reduce::max_abs(shape), one, |x, _, max, _| equal(x.iter().map(|x| x.abs()).fold(0.0, f32::max), max));
        self.compare(runner, reduce::argmax_abs(shape), one, |x, _, at, _| {
            let largest = x.iter().map(|x| x.abs()).fold(0.0, f32::max);
            equal(x.iter().position(|x| x.abs() == largest).unwrap() as u32, at)
        });
        self.compare(runner, reduce::mean_squares(shape), one, |x, _, mean, d| {
            let n = x.len() as f64;
            within_sum(x.iter().map(|&x| f64::from(x).powi(2) / n), mean.into(), d + 5, U)
        });
        let quarter = reduce::sum::<f32>(shape).map_input(Fragment::new("0.25 * value")).unwrap();
        self.compare(runner, quarter, one, |x, _, sum, d| within_sum(x.iter().map(|&x| f64::from(x) * 0.25), sum.into(), d + 1, U));
        self.compare(runner, reduce::mean(shape), one, |x, _, mean, d| {
            let n = x.len() as f64;
            within_sum(x.iter().map(|&x| f64::from(x) / n), mean.into(), d + 4, U)
        });
        self.compare(runner, reduce::sum_squares(shape), one, |x, _, sum, d| {
            within_sum(x.iter().map(|&x| f64::from(x).powi(2)), sum.into(), d + 1, U)
        });
        self.compare(runner, reduce::norm(shape), one, |x, _, norm, d| {
            let expected = x.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt();
            near(expected, norm.into(), (f64::from(d) + 6.0) * U * expected)
        });
        self.check_variance(runner, &x, U);
        self.compare(runner, reduce::dot(shape), both, |x, y, dot, d| {
            within_sum(x.iter().zip(y).map(|(&x, &y)| f64::from(x) * f64::from(y)), dot.into(), d + 1, U)
        });
        self.compare(runner, reduce::max_abs_diff(shape), both, |x, y, worst, _| {
            equal(x.iter().zip(y).map(|(x, y)| (x - y).abs()).fold(0.0, f32::max).to_bits(), worst.to_bits())
        });
        // Near one, so that a product neither overflows nor underflows.
        let factors: Vec<f32> = x.iter().map(|x| if *x < 0.0 { 1.0 + x / 64.0 } else { 1.0 / (1.0 - x / 64.0) }).collect();
        self.compare(runner, reduce::product(shape), [&factors, &[]], |x, _, product, _| {
            let expected: f64 = x.iter().map(|&x| f64::from(x)).product();
            near(expected, product.into(), x.len() as f64 * 1.1 * U * expected)
        });
        // A few different values, including both zeros, subnormal numbers and infinities.
        let values = [0.0, -0.0, 1e-40, -1e-40, 1.5, -1.5, f32::INFINITY, f32::NEG_INFINITY, 7.0, -7.0];
        let coarse: Vec<f32> = words(n, 5).iter().map(|word| values[*word as usize % if self.batch == 1 { 6 } else { 10 }]).collect();
        let coarse: [&[f32]; 2] = [&coarse, &[]];
        let least = |x: &[f32]| x.iter().copied().min_by(f32::total_cmp).unwrap();
        let most = |x: &[f32]| x.iter().copied().max_by(f32::total_cmp).unwrap();
        let place = |x: &[f32], value: f32| x.iter().position(|x| x.to_bits() == value.to_bits()).unwrap() as u32;
        self.compare(runner, reduce::min(shape), coarse, |x, _, min, _| equal(least(x).to_bits(), min.to_bits()));
        self.compare(runner, reduce::max(shape), coarse, |x, _, max, _| equal(most(x).to_bits(), max.to_bits()));
        self.compare(runner, reduce::argmin(shape), coarse, |x, _, at, _| equal(place(x, least(x)), at));
        self.compare(runner, reduce::argmax(shape), coarse, |x, _, at, _| equal(place(x, most(x)), at));
        self.compare(runner, reduce::count(shape), coarse, |x, _, count, _| equal(x.iter().filter(|x| **x != 0.0).count() as u32, count));
        if runner.has_custom() {
            let largest = reduce::custom::<f32>(shape, "max(a, b)", 0.0).unwrap();
            let spec = largest.map_input(Fragment::new("abs(value - 0.5)")).unwrap();
            self.compare(runner, spec, one, |x, _, worst, _| {
                equal(x.iter().map(|x| (x - 0.5).abs()).fold(0.0, f32::max).to_bits(), worst.to_bits())
            });
        }
    }

    /// Means and sums of values around 1000, and the deviation from them, which would be far off if
    /// the mean had lost digits. The errors are compared with those of random rounding, not with
    /// the bound for the worst case, which is far larger.
    pub fn check_far_from_zero(&self, runner: &impl Runner) {
        let (n, shape) = (self.len(), self.shape());
        let x: Vec<f32> = noise(n, 21).iter().map(|x| 1000.2 + 0.1 * x).collect();
        let one: [&[f32]; 2] = [&x, &[]];
        let mean = |x: &[f32]| x.iter().map(|&x| f64::from(x)).sum::<f64>() / x.len() as f64;
        let budget = |d: u32, size: f64| FAR_UNITS * f64::from(d + 4).sqrt() * U * size;
        self.compare(runner, reduce::mean(shape), one, |x, _, own, d| near(mean(x), own.into(), budget(d, 1000.3)));
        self.compare(runner, reduce::sum(shape), one, |x, _, sum, d| {
            let n = x.len() as f64;
            near(mean(x) * n, sum.into(), budget(d, 1000.3 * n))
        });
        // The deviation of each result's own elements, as a caller computes it: their mean, then
        // the mean of the squared distances from it.
        let Some(means) = self.run(runner, reduce::mean(shape), &x, None) else { return };
        let mut centred = x.clone();
        let groups = self.groups();
        for (group, own) in groups.iter().zip(&means.results) {
            group.iter().for_each(|&i| centred[i] -= own);
        }
        let squared = reduce::mean::<f32>(shape).map_input(Fragment::new("value * value")).unwrap();
        let Some(squares) = self.run(runner, squared, &centred, None) else { return };
        for (group, square) in groups.iter().zip(&squares.results).filter(|(group, _)| group.len() > 1) {
            let expected = {
                let own: Vec<f32> = group.iter().map(|&i| x[i]).collect();
                let mean = mean(&own);
                (own.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / own.len() as f64).sqrt()
            };
            near(expected, f64::from(*square).sqrt(), 0.02 * expected + 1e-3)
                .unwrap_or_else(|why| panic!("{}: deviation: {why}", means.what));
        }
    }

    /// Variance and standard deviation, within the documented bound.
    fn check_variance<T: Float + Numbers>(&self, runner: &impl Runner, x: &[T], u: f64)
    where
        T::Magnitude: Into<f64>,
    {
        let shape = self.shape();
        let elements = self.len() / self.groups().len();
        self.compare(runner, reduce::variance(shape), [x, &[]], |x, _, own, d| within_variance(x, 0, own.into(), d, u));
        self.compare(runner, reduce::standard_deviation(shape), [x, &[]], |x, _, own, d| within_deviation(x, 0, own.into(), d, u, 0.0));
        if elements > 1 {
            self.compare(runner, reduce::variance(shape).ddof(1), [x, &[]], |x, _, own, d| within_variance(x, 1, own.into(), d, u));
        }
    }

    /// Variances of values around 10000 with a deviation of about 1. The documented bound is for
    /// the worst case; the errors are far smaller.
    pub fn check_variance_far_from_zero(&self, runner: &impl Runner) {
        let (n, shape) = (self.len(), self.shape());
        // Sums of three numbers are almost normally distributed, with the deviation of one.
        let noises = [31, 32, 33].map(|seed| noise(n, seed));
        let x: Vec<f32> = (0..n).map(|i| 1e4 + noises.iter().map(|noise| noise[i]).sum::<f32>()).collect();
        self.compare(runner, reduce::variance::<f32>(shape), [&x, &[]], |x, _, own, d| {
            let own = f64::from(own);
            within_variance(x, 0, own, d, U)?;
            let (mean, variance) = mean_and_variance(x, 0);
            // Errors of means are random, and each combination adds its square to the variance.
            // Errors of means have random signs, so those of the variance of many values cancel.
            if x.len() < 1000 { Ok(()) } else { near(variance, own, 4.0 * U * mean.norm() * variance.sqrt()) }
        });
        // The same of complex numbers.
        let z: Vec<Complex32> = x.iter().map(|&x| Complex32::new(x, 2e4 - x)).collect();
        self.compare(runner, reduce::variance::<Complex32>(shape), [&z, &[]], |z, _, own, d| within_variance(z, 0, own.into(), d, U));
        // Equal numbers have no variance at all.
        self.compare(runner, reduce::variance::<f32>(shape), [&vec![1e4; n], &[]], |_, _, own, _| equal(0.0, own));
    }

    /// Norms, deviations and distances of numbers of about 10 to the power of `size`, of numbers
    /// that are as large as their deviation is small, and of numbers each of which has a size of its
    /// own. Of f64 the power is eight times that.
    pub fn check_sizes(&self, runner: &impl Runner, size: i32) {
        const MOST: i32 = 38;
        let (n, size) = (self.len(), size.clamp(-MOST, MOST));
        let own: Vec<i32> = words(n, 41).iter().map(|word| (word % (2 * MOST as u32)) as i32 - MOST).collect();
        for (kind, (mean, power)) in [(0.0, None), (0.9, None), (0.0, Some(&own))].into_iter().enumerate() {
            let seed = 42 + 3 * kind as u64;
            let numbers = |seed: u64, powers: i32| -> Vec<f64> {
                let deviation = if mean == 0.0 { 1.0 } else { 1e-3 };
                let power = |i: usize| 10f64.powi(powers * power.map_or(size, |own| own[i]));
                noise(n, seed).iter().enumerate().map(|(i, &x)| (mean + deviation * f64::from(x)) * power(i)).collect()
            };
            let single = |seed| numbers(seed, 1).iter().map(|x| *x as f32).collect::<Vec<_>>();
            let [x, y, z] = [0, 1, 2].map(|more| single(seed + more));
            let complex = |re: &[f32], im: &[f32]| re.iter().zip(im).map(|(&re, &im)| Complex32::new(re, im)).collect::<Vec<_>>();
            let (lowest, highest) = (f32::MIN_POSITIVE.into(), f32::MAX.into());
            self.check_sizes_of(runner, &x, &y, U, [lowest, highest]);
            self.check_sizes_of(runner, &complex(&x, &y), &complex(&y, &z), U, [lowest, highest]);
            if runner.has_custom() {
                // The other fragment on complex numbers, in place of an operator.
                let magnitude = Fragment::new("magnitude(value)").functions(Fragment::MAGNITUDE);
                let spec = reduce::max::<f32>(self.shape()).map_input::<Complex32>(magnitude).unwrap();
                self.compare(runner, spec, [&complex(&x, &y), &[]], |z, _, most, _| {
                    let expected = z.iter().map(|z| z.wide().norm()).fold(0.0, f64::max);
                    near(expected, most.into(), 8.0 * U * expected + lowest)
                });
            }
            if runner.has_f64() {
                let u = f64::EPSILON / 2.0;
                self.check_sizes_of(runner, &numbers(seed, 8), &numbers(seed + 1, 8), u, [f64::MIN_POSITIVE, f64::MAX]);
            }
        }
    }

    /// The same for numbers of a type, with its least and largest normal number. What is less may be
    /// taken for zero.
    fn check_sizes_of<T: Float + Numbers>(&self, runner: &impl Runner, x: &[T], y: &[T], u: f64, [lowest, highest]: [f64; 2])
    where
        T::Magnitude: Into<f64>,
        T::Distance: Into<f64>,
    {
        let shape = self.shape();
        // Numbers near 1, whose squares f64 has, and the power of two that is between.
        let near_one = |x: &[T]| {
            let most = x.iter().map(|x| x.wide()).fold(0.0, |most: f64, z| most.max(z.re.abs()).max(z.im.abs()));
            let half = 2f64.powi(if most > 0.0 { -(most.log2() as i32) / 2 } else { 0 });
            (x.iter().map(|x| x.wide() * half * half).collect::<Vec<_>>(), half)
        };
        let lost = |z: &[Complex64], half: f64| (z.len() as f64).sqrt() * 4.0 * lowest * half * half;
        let fits = |value: f64, half: f64| value / half / half < highest * 0.999;
        self.compare(runner, reduce::norm(shape), [x, &[]], |x, _, own, d| {
            let (z, half) = near_one(x);
            let expected = z.iter().map(Complex64::norm_sqr).sum::<f64>().sqrt();
            let budget = f64::from(d + z.len().ilog2() + 8) * u * expected + lost(&z, half);
            if fits(expected, half) { near(expected, own.into() * half * half, budget) } else { Ok(()) }
        });
        self.compare(runner, reduce::standard_deviation(shape), [x, &[]], |x, _, own, d| {
            let (z, half) = near_one(x);
            let (_, variance) = mean_and_variance(&z, 0);
            if !fits(variance.sqrt(), half) {
                return Ok(());
            }
            within_deviation(&z, 0, own.into() * half * half, d + z.len().ilog2(), u, lost(&z, half))
        });
        self.compare(runner, reduce::variance(shape), [x, &[]], |x, _, own, d| {
            let (z, half) = near_one(x);
            let (_, variance) = mean_and_variance(&z, 0);
            // The budget must be a normal number too.
            let budget = variance_budget(&z, variance, d + z.len().ilog2(), u);
            let [variance_itself, budget_itself] = [variance, budget].map(|square| square / half / half / half / half);
            if variance_itself > highest * 0.999 || budget_itself < 4.0 * lowest {
                return Ok(());
            }
            near(variance, own.into() * half * half * half * half, budget)
        });
        self.compare(runner, reduce::max_abs_diff(shape), [x, y], |x, y, own, _| {
            let both: Vec<T> = x.iter().chain(y).copied().collect();
            let (z, half) = near_one(&both);
            let (x, y) = z.split_at(x.len());
            let expected = x.iter().zip(y).map(|(x, y)| (x - y).norm()).fold(0.0, f64::max);
            if fits(expected, half) { near(expected, own.into() * half * half, 8.0 * u * expected + lost(x, half)) } else { Ok(()) }
        });
    }

    pub fn check_integers(&self, runner: &impl Runner) {
        let (n, shape) = (self.len(), self.shape());
        let (x, y) = (words(n, 7), words(n, 8));
        let signed = |words: &[u32]| words.iter().map(|&word| word as i32).collect::<Vec<_>>();
        let (sx, sy) = (signed(&x), signed(&y));
        let (one, both): ([&[u32]; 2], [&[u32]; 2]) = ([&x, &[]], [&x, &y]);
        let (sone, sboth): ([&[i32]; 2], [&[i32]; 2]) = ([&sx, &[]], [&sx, &sy]);
        self.compare(runner, reduce::sum(shape), one, |x, _, sum, _| equal(x.iter().fold(0, |a: u32, &b| a.wrapping_add(b)), sum));
        self.compare(runner, reduce::sum(shape), sone, |x, _, sum, _| equal(x.iter().fold(0, |a: i32, &b| a.wrapping_add(b)), sum));
        self.compare(runner, reduce::wide_sum(shape), one, |x, _, sum, _| equal(x.iter().map(|x| u64::from(*x)).sum(), sum));
        self.compare(runner, reduce::wide_sum(shape), sone, |x, _, sum, _| equal(x.iter().map(|x| i64::from(*x)).sum(), sum));
        let odd: Vec<u32> = x.iter().map(|x| x | 1).collect();
        self.compare(runner, reduce::product(shape), [&odd, &[]], |x, _, product, _| {
            equal(x.iter().fold(1, |a: u32, &b| a.wrapping_mul(b)), product)
        });
        self.compare(runner, reduce::dot(shape), both, |x, y, dot, _| {
            equal(x.iter().zip(y).fold(0, |a: u32, (x, y)| a.wrapping_add(x.wrapping_mul(*y))), dot)
        });
        self.compare(runner, reduce::max_abs_diff(shape), both, |x, y, worst, _| {
            equal(x.iter().zip(y).map(|(x, y)| x.abs_diff(*y)).max().unwrap(), worst)
        });
        self.compare(runner, reduce::max_abs_diff(shape), sboth, |x, y, worst, _| {
            equal(x.iter().zip(y).map(|(x, y)| x.abs_diff(*y)).max().unwrap(), worst)
        });
        self.compare(runner, reduce::min(shape), one, |x, _, min, _| equal(*x.iter().min().unwrap(), min));
        self.compare(runner, reduce::max(shape), sone, |x, _, max, _| equal(*x.iter().max().unwrap(), max));
        self.compare(runner, reduce::sum_abs(shape), sone, |x, _, sum, _| {
            equal(x.iter().fold(0, |sum: i32, x| sum.wrapping_add(x.wrapping_abs())), sum)
        });
        self.compare(runner, reduce::max_abs(shape), sone, |x, _, max, _| equal(x.iter().map(|x| x.wrapping_abs()).max().unwrap(), max));
        let least = reduce::min::<i32>(shape).map_input(Fragment::new("abs(value)")).unwrap();
        self.compare(runner, least, sone, |x, _, min, _| equal(x.iter().map(|x| x.wrapping_abs()).min().unwrap(), min));
        let few: Vec<i32> = x.iter().map(|x| (x % 5) as i32 - 2).collect();
        let few: [&[i32]; 2] = [&few, &[]];
        let place = |x: &[i32], value: i32| x.iter().position(|&x| x == value).unwrap() as u32;
        self.compare(runner, reduce::argmin(shape), few, |x, _, at, _| equal(place(x, *x.iter().min().unwrap()), at));
        self.compare(runner, reduce::argmax(shape), few, |x, _, at, _| equal(place(x, *x.iter().max().unwrap()), at));
        // Mostly zeros, and mostly nonzero values.
        let rare: Vec<u32> = x.iter().map(|x| u32::from(x % 97 == 0)).collect();
        let usual: Vec<u32> = x.iter().map(|x| x % 97).collect();
        self.compare(runner, reduce::any(shape), [&rare, &[]], |x, _, any, _| equal(u32::from(x.iter().any(|&x| x != 0)), any));
        self.compare(runner, reduce::all(shape), [&usual, &[]], |x, _, all, _| equal(u32::from(x.iter().all(|&x| x != 0)), all));
        self.compare(runner, reduce::count(shape), [&usual, &[]], |x, _, count, _| {
            equal(x.iter().filter(|x| **x != 0).count() as u32, count)
        });
        if runner.has_custom() {
            let differences = reduce::custom::<u32>(shape, "a ^ b", 0).unwrap();
            let spec = differences.map_input(self.times_number()).unwrap();
            self.compare(runner, spec, one, |x, _, all, _| equal((0..).zip(x).fold(0, |a, (j, x)| a ^ x.wrapping_mul(j)), all));
        }
    }

    pub fn check_f16(&self, runner: &impl Runner) {
        let (n, shape) = (self.len(), self.shape());
        let halves = |seed| noise(n, seed).into_iter().map(f16::from_f32).collect::<Vec<_>>();
        let (x, y) = (halves(9), halves(10));
        let one: [&[f16]; 2] = [&x, &[]];
        self.compare(runner, reduce::sum(shape), one, |x, _, sum, d| within_sum(x.iter().map(|x| x.to_f64()), sum.into(), d, U));
        self.check_variance(runner, &x, U);
        self.compare(runner, reduce::max(shape), one, |x, _, max, _| equal(x.iter().map(|x| x.to_f32()).fold(f32::MIN, f32::max), max));
        self.compare(runner, reduce::argmin(shape), one, |x, _, at, _| {
            let least = x.iter().copied().min_by(f16::total_cmp).unwrap();
            equal(x.iter().position(|x| x.to_bits() == least.to_bits()).unwrap() as u32, at)
        });
        self.compare(runner, reduce::dot(shape), [&x, &y], |x, y, dot, d| {
            within_sum(x.iter().zip(y).map(|(x, y)| x.to_f64() * y.to_f64()), dot.into(), d + 1, U)
        });
        self.compare(runner, reduce::count(shape), one, |x, _, count, _| {
            equal(x.iter().filter(|x| x.to_f32() != 0.0).count() as u32, count)
        });
    }

    pub fn check_complex(&self, runner: &impl Runner) {
        let (n, shape) = (self.len(), self.shape());
        let (x, y) = (complex_noise(n, 11), complex_noise(n, 12));
        let (one, both): ([&[Complex32]; 2], [&[Complex32]; 2]) = ([&x, &[]], [&x, &y]);
        let wide = |z: &Complex32| Complex64::new(z.re.into(), z.im.into());
        let within = |parts: Vec<Complex64>, sum: Complex32, d: u32| {
            // Each part of a complex product is a sum of two products.
            let size: f64 = parts.iter().map(|z| z.norm()).sum();
            let expected: Complex64 = parts.iter().sum();
            let budget = 2.0 * U * f64::from(d + 2) * size;
            near(expected.re, sum.re.into(), budget).and(near(expected.im, sum.im.into(), budget))
        };
        self.compare(runner, reduce::sum(shape), one, |x, _, sum, d| within(x.iter().map(wide).collect(), sum, d));
        self.compare(runner, reduce::mean(shape), one, |x, _, mean, d| {
            let n = x.len() as f64;
            within(x.iter().map(|z| wide(z) / n).collect(), mean, d + 4)
        });
        self.check_variance(runner, &x, U);
        let square = "vec2(value.x * value.x - value.y * value.y, 2.0 * value.x * value.y)";
        let squares = reduce::sum::<Complex32>(shape).map_input(Fragment::new(square)).unwrap();
        self.compare(runner, squares, one, |x, _, sum, d| within(x.iter().map(|z| wide(z) * wide(z)).collect(), sum, d));
        self.compare(runner, reduce::dot(shape), both, |x, y, dot, d| {
            within(x.iter().zip(y).map(|(x, y)| wide(x) * wide(y)).collect(), dot, d)
        });
        self.compare(runner, reduce::vdot(shape), both, |x, y, dot, d| {
            within(x.iter().zip(y).map(|(x, y)| wide(x).conj() * wide(y)).collect(), dot, d)
        });
        self.compare(runner, reduce::sum_squares(shape), one, |x, _, sum, d| {
            within_sum(x.iter().map(|z| wide(z).norm_sqr()), sum.into(), d + 2, U)
        });
        self.compare(runner, reduce::norm(shape), one, |x, _, norm, d| {
            let expected = x.iter().map(|z| wide(z).norm_sqr()).sum::<f64>().sqrt();
            near(expected, norm.into(), (f64::from(d) + 6.0) * U * expected)
        });
        self.compare(runner, reduce::max_abs_diff(shape), both, |x, y, worst, _| {
            let expected = x.iter().zip(y).map(|(x, y)| (wide(x) - wide(y)).norm()).fold(0.0, f64::max);
            near(expected, worst.into(), 8.0 * U * expected)
        });
        // Squares must neither underflow nor overflow.
        for factor in [1e-30, 1e25] {
            let scaled = |z: &[Complex32]| z.iter().map(|z| z * factor).collect::<Vec<_>>();
            self.compare(runner, reduce::max_abs_diff(shape), [&scaled(&x), &scaled(&y)], |x, y, worst, _| {
                let expected = x.iter().zip(y).map(|(x, y)| (wide(x) - wide(y)).norm()).fold(0.0, f64::max);
                near(expected, worst.into(), 8.0 * U * expected)
            });
        }
        let near_one: Vec<Complex32> = x.iter().map(|z| Complex32::from_polar(1.0, z.re)).collect();
        self.compare(runner, reduce::product(shape), [&near_one, &[]], |x, _, product, _| {
            let expected: Complex64 = x.iter().map(wide).product();
            let budget = x.len() as f64 * 4.0 * U * expected.norm();
            near(expected.re, product.re.into(), budget).and(near(expected.im, product.im.into(), budget))
        });
        let rare: Vec<Complex32> = words(n, 13).iter().map(|x| Complex32::new(-0.0, f32::from(u8::from(x % 89 == 0)))).collect();
        self.compare(runner, reduce::any(shape), [&rare, &[]], |x, _, any, _| equal(u32::from(x.iter().any(|z| z.im != 0.0)), any));
        if runner.has_custom() {
            let ends = "vec2<f32>(min(a.x, b.x), max(a.y, b.y))";
            let spec = reduce::custom::<Complex32>(shape, ends, Complex32::new(9.0, -9.0)).unwrap();
            self.compare(runner, spec, one, |x, _, both, _| {
                let least = x.iter().map(|z| z.re).fold(9.0, f32::min);
                let most = x.iter().map(|z| z.im).fold(-9.0, f32::max);
                equal(Complex32::new(least, most), both)
            });
        }
    }

    pub fn check_f64(&self, runner: &impl Runner) {
        let (n, shape) = (self.len(), self.shape());
        let doubles =
            |seed| noise(n, seed).into_iter().zip(noise(n, seed + 50)).map(|(a, b)| f64::from(a) + f64::from(b) * 1e-9).collect::<Vec<_>>();
        let (x, y) = (doubles(14), doubles(15));
        let (one, both): ([&[f64]; 2], [&[f64]; 2]) = ([&x, &[]], [&x, &y]);
        let u = f64::EPSILON / 2.0;
        self.compare(runner, reduce::sum(shape), one, |x, _, sum, d| within_sum(x.iter().copied(), sum, d + x.len().ilog2() + 8, u));
        self.compare(runner, reduce::dot(shape), both, |x, y, dot, d| {
            within_sum(x.iter().zip(y).map(|(x, y)| x * y), dot, d + x.len().ilog2() + 8, u)
        });
        self.compare(runner, reduce::mean(shape), one, |x, _, mean, d| {
            within_sum(x.iter().map(|v| v / x.len() as f64), mean, d + x.len().ilog2() + 8, u)
        });
        self.compare(runner, reduce::norm(shape), one, |x, _, norm, d| {
            let expected = x.iter().map(|x| x * x).sum::<f64>().sqrt();
            near(expected, norm, f64::from(d + x.len().ilog2() + 8) * u * expected)
        });
        self.check_variance(runner, &x, u);
        let least = |x: &[f64]| x.iter().copied().min_by(f64::total_cmp).unwrap();
        self.compare(runner, reduce::min(shape), one, |x, _, min, _| equal(least(x).to_bits(), min.to_bits()));
        self.compare(runner, reduce::argmin(shape), one, |x, _, at, _| equal(x.iter().position(|v| *v == least(x)).unwrap() as u32, at));
        let largest = |x: &[f64]| x.iter().map(|x| x.abs()).fold(0.0, f64::max);
        self.compare(runner, reduce::max_abs(shape), one, |x, _, max, _| equal(largest(x), max));
        self.compare(runner, reduce::argmax_abs(shape), one, |x, _, at, _| {
            equal(x.iter().position(|v| v.abs() == largest(x)).unwrap() as u32, at)
        });
        self.compare(runner, reduce::max_abs_diff(shape), both, |x, y, worst, _| {
            equal(x.iter().zip(y).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max), worst)
        });
        self.compare(runner, reduce::count(shape), one, |x, _, count, _| equal(x.iter().filter(|x| **x != 0.0).count() as u32, count));
    }
}

/// A number as a complex number in f64.
pub trait Numbers: Copy {
    fn wide(self) -> Complex64;
}

impl Numbers for f32 {
    fn wide(self) -> Complex64 {
        f64::from(self).into()
    }
}

impl Numbers for f16 {
    fn wide(self) -> Complex64 {
        self.to_f64().into()
    }
}

impl Numbers for f64 {
    fn wide(self) -> Complex64 {
        self.into()
    }
}

impl Numbers for Complex64 {
    fn wide(self) -> Complex64 {
        self
    }
}

impl Numbers for Complex32 {
    fn wide(self) -> Complex64 {
        Complex64::new(self.re.into(), self.im.into())
    }
}

fn mean_and_variance(x: &[impl Numbers], ddof: usize) -> (Complex64, f64) {
    let mean = x.iter().map(|x| x.wide()).sum::<Complex64>() / x.len() as f64;
    let squares: f64 = x.iter().map(|x| (x.wide() - mean).norm_sqr()).sum();
    (mean, squares / (x.len() - ddof) as f64)
}

/// The documented bound of a variance: ε·σ·(σ + √d·m) + d·(ε·m)² with ε = 8·u·d and m the largest
/// |x|.
fn variance_budget(x: &[impl Numbers], variance: f64, depth: u32, u: f64) -> f64 {
    let (d, most) = (f64::from(depth.max(1)), x.iter().map(|x| x.wide().norm()).fold(0.0, f64::max));
    let e = 8.0 * u * d;
    e * variance.sqrt() * (variance.sqrt() + d.sqrt() * most) + d * (e * most).powi(2)
}

fn within_variance(x: &[impl Numbers], ddof: usize, own: f64, depth: u32, u: f64) -> Result<(), String> {
    let (_, variance) = mean_and_variance(x, ddof);
    // The divisor is part of the numbers around the bound.
    let scale = x.len() as f64 / (x.len() - ddof) as f64;
    near(variance, own, scale * variance_budget(x, variance, depth, u))
}

/// The same for a deviation, of which so much may be lost beside.
fn within_deviation(x: &[impl Numbers], ddof: usize, own: f64, depth: u32, u: f64, lost: f64) -> Result<(), String> {
    let (_, variance) = mean_and_variance(x, ddof);
    let budget = variance_budget(x, variance, depth, u);
    // The roots of what the variance may be, and the error of the root.
    let least = (variance - budget).max(0.0).sqrt() * (1.0 - 8.0 * u) - lost;
    let most = (variance + budget).sqrt() * (1.0 + 8.0 * u) + lost;
    if (least..=most).contains(&own) { Ok(()) } else { Err(format!("{own:e}, expected {least:e} to {most:e}")) }
}

/// The documented bound: 2·u·d·Σ|x|.
pub fn within_sum(values: impl Iterator<Item = f64> + Clone, sum: f64, depth: u32, u: f64) -> Result<(), String> {
    let size: f64 = values.clone().map(f64::abs).sum();
    near(values.sum(), sum, 2.0 * u * f64::from(depth) * size)
}

fn near(expected: f64, actual: f64, budget: f64) -> Result<(), String> {
    let error = (actual - expected).abs();
    // A NaN is not near anything.
    if error <= budget { Ok(()) } else { Err(format!("{actual:e}, expected {expected:e} within {budget:e}, off by {error:e}")) }
}

fn equal<T: PartialEq + std::fmt::Debug>(expected: T, actual: T) -> Result<(), String> {
    if expected == actual { Ok(()) } else { Err(format!("{actual:?}, expected {expected:?}")) }
}

/// Words without a pattern.
pub fn words(len: usize, seed: u32) -> Vec<u32> {
    let mix = |i: u32| {
        let a = (i ^ seed.wrapping_mul(0x85eb_ca6b)).wrapping_mul(0x9e37_79b1);
        (a ^ a >> 15).wrapping_mul(0x2c1b_3c6d) ^ a >> 13
    };
    (0..len as u32).map(mix).collect()
}

/// Every kind of reduced axes: none, at the beginning, in the middle, at the end, and with others
/// between them.
pub fn axes_of_every_kind() -> Vec<Case> {
    let case = |shape: &[usize], batch, axes: &[usize]| Case::new(shape, batch, Some(axes));
    vec![
        Case::new(&[1], 1, None),
        Case::new(&[1], 5, None),
        Case::new(&[7], 1, None),
        Case::new(&[1000], 3, None),
        Case::new(&[1003], 2, Some(&[0])),
        Case::new(&[5, 6, 7, 8], 2, None),
        case(&[13, 64], 1, &[1]),
        case(&[64, 13], 1, &[0]),
        case(&[13, 65], 3, &[1]),
        case(&[65, 12], 3, &[0]),
        case(&[300, 3], 1, &[0]),
        case(&[3, 300], 1, &[0]),
        case(&[1, 9], 1, &[0]),
        case(&[9, 1], 1, &[1]),
        case(&[6, 1, 8], 1, &[1]),
        case(&[12, 20, 16], 1, &[1]),
        case(&[12, 20, 16], 2, &[0, 2]),
        case(&[12, 20, 15], 2, &[0, 2]),
        case(&[12, 20, 16], 2, &[0, 1]),
        case(&[4, 6, 5, 8], 2, &[1, 3]),
        case(&[4, 6, 5, 8], 2, &[0, 2]),
        case(&[4, 6, 5, 7], 1, &[2, 0]),
        case(&[4, 6, 5, 8], 1, &[1, 2]),
        case(&[4, 6, 5, 8], 1, &[0, 3]),
        case(&[4, 6, 5, 8], 1, &[0, 1, 3]),
    ]
}

/// Hand-written recipes. Which of them fit depends on the case and the device.
pub const RECIPES: &[&str] = &[
    "tree 2",
    "tree 64",
    "workgroup=1",
    "workgroup=8 lanes=8",
    "workgroup=64 lanes=4 unroll=2",
    "workgroup=64 lanes=64 width=4",
    "workgroup=64 lanes=16 width=2 accumulators=4 unroll=3",
    "workgroup=8 lanes=8 width=8 accumulators=8",
    "workgroup=256 lanes=32 width=1 accumulators=2 unroll=4",
    "workgroup=32 lanes=8 parts=5 + workgroup=4 lanes=4",
    "workgroup=64 lanes=32 parts=7 unroll=2 + workgroup=8 lanes=2 parts=2 + workgroup=2 lanes=2",
    "workgroup=16 lanes=4 width=4 parts=3 subgroup=4 + workgroup=64 lanes=64 subgroup=4",
    "workgroup=128 lanes=128 unroll=2 subgroup=4",
    "workgroup=128 lanes=64 subgroup=8",
    "workgroup=64 lanes=64 parts=7 join",
    "workgroup=32 lanes=32 unroll=2 parts=40 subgroup=4 join",
];

impl Runner for DeviceProfile {
    fn run<T: Value, O: Element>(&self, spec: Reduction<T, O>, recipe: Option<&str>, x: &[T], y: Option<&[T]>) -> Option<Outcome<O>> {
        let recipe = recipe.map_or_else(|| spec.design(self).unwrap(), |text| text.parse().unwrap());
        let program = match spec.lower(&recipe, self) {
            Err(Error::UnfitRecipe { .. }) => return None,
            program => program.unwrap_or_else(|error| panic!("{}: {spec} by {recipe}: {error}", self.name)),
        };
        program.check(self).unwrap();
        let results = match y {
            None => program.run_on_host(x),
            Some(y) => program.run_two_on_host(x, y),
        };
        let what = format!("{}: `{spec}` by `{recipe}`", self.name);
        Some(Outcome { results, depth: spec.depth(&recipe).unwrap(), what })
    }

    fn has_f64(&self) -> bool {
        self.f64
    }

    fn has_custom(&self) -> bool {
        true
    }
}
