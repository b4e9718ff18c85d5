//! Type 3 against the definition.

use wgpu_fft_nufft::wgpu_fft::num_complex::Complex64;
use wgpu_fft_nufft::wgpu_fft::{Complex32, Gpu, Planner};
use wgpu_fft_nufft::{Sign, Type3};

use crate::mistakes::says;
use crate::support::{Device, relative_error, seed, wave, wide};

/// A transform with what it is to compute, and a reference.
#[derive(Clone, Debug)]
struct Case {
    sign: Sign,
    tolerance: f64,
    batch: usize,
    /// By axis.
    points: Vec<Vec<f64>>,
    frequencies: Vec<Vec<f64>>,
    input: Vec<Complex32>,
}

impl Case {
    /// `lens` points and frequencies at random, which reach so far from their middles along each
    /// axis.
    fn new(lens: [usize; 2], points: &[(f64, f64)], frequencies: &[(f64, f64)], seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut drawn = |len: usize, axes: &[(f64, f64)]| {
            let mut axis = |&(middle, reach)| (0..len).map(|_| middle + (2.0 * random.f64() - 1.0) * reach).collect();
            axes.iter().map(&mut axis).collect()
        };
        let (points, frequencies) = (drawn(lens[0], points), drawn(lens[1], frequencies));
        Self { sign: Sign::Plus, tolerance: 1e-5, batch: 1, points, frequencies, input: vec![] }.with_input(seed)
    }

    fn with_input(self, seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed ^ 0x5eed);
        let len = self.batch * self.points[0].len();
        Self { input: (0..len).map(|_| Complex32::new(random.f32() - 0.5, random.f32() - 0.5)).collect(), ..self }
    }

    fn spec(&self) -> Type3 {
        Type3::new().sign(self.sign).tolerance(self.tolerance).batch(self.batch)
    }

    fn run(&self, planner: &Planner) -> Vec<Complex32> {
        let points: Vec<&[f64]> = self.points.iter().map(|values| &values[..]).collect();
        let frequencies: Vec<&[f64]> = self.frequencies.iter().map(|values| &values[..]).collect();
        self.spec().plan(planner, &points, &frequencies).unwrap().run(&self.input).unwrap().wait().unwrap()
    }

    fn expected(&self) -> Vec<Complex64> {
        let sign = if self.sign == Sign::Plus { 1.0 } else { -1.0 };
        let (sources, targets) = (self.points[0].len(), self.frequencies[0].len());
        let value = |b: usize, k: usize| {
            let term = |j: usize| {
                let products = self.points.iter().zip(&self.frequencies).map(|(x, s)| (x[j], sign * s[k]));
                wide(self.input[b * sources + j]) * wave(products)
            };
            (0..sources).map(term).sum()
        };
        (0..self.batch).flat_map(|b| (0..targets).map(move |k| (b, k))).map(|(b, k)| value(b, k)).collect()
    }

    fn check(&self, device: &Device) {
        self.check_within(device, 1.0);
    }

    /// With an error of so many tolerances.
    fn check_within(&self, device: &Device, tolerances: f64) {
        let error = relative_error(&self.run(&device.planner), &self.expected());
        // Rounding errors of f32 come on top.
        let bound = tolerances * self.tolerance + 1e-6;
        let Self { sign, tolerance, points, frequencies, .. } = self;
        let lens = (points[0].len(), frequencies[0].len());
        assert!(error <= bound, "{} axes, {lens:?}, {sign:?}, tolerance {tolerance:e}: {error:e}", points.len());
    }
}

pub fn lines(device: &Device) {
    for &(x, s) in device.share(&[((0.0, 3.0), (0.0, 20.0)), ((100.0, 0.5), (-30.0, 400.0)), ((-7.0, 9.0), (1e4, 1000.0))]) {
        Case::new([200, 300], &[x], &[s], 31).check(device);
    }
}

pub fn planes(device: &Device) {
    for &sign in device.share(&[Sign::Plus, Sign::Minus]) {
        let case = Case::new([500, 400], &[(1.0, 3.0), (-2.0, 0.1)], &[(0.0, 15.0), (40.0, 300.0)], 32);
        Case { sign, ..case }.check(device);
    }
}

pub fn volumes(device: &Device) {
    let (x, s) = ([(0.5, 3.0), (0.0, 2.0), (9.0, 1.0)], [(0.0, 5.0), (-3.0, 4.0), (2.0, 8.0)]);
    Case::new([600, 300], &x, &s, 33).check(device);
}

pub fn every_tolerance(device: &Device) {
    for &digits in device.share(&[1, 2, 3, 4, 6]) {
        let axes = [1, 2, 3][digits as usize % 3];
        let case = Case::new([400, 300], &[(0.1, 2.0); 3][..axes], &[(0.2, 7.0); 3][..axes], 34);
        Case { tolerance: 10f64.powi(-digits), ..case }.check(device);
    }
}

/// Where a phase has more turns than f64 has digits for, and where numbers are tiny or huge.
pub fn far_from_their_middles(device: &Device) {
    for &(x, s) in device.share(&[((1e9, 3.0), (-1e7, 20.0)), ((1e-300, 3e-301), (5e299, 1e302)), ((-1e12, 0.25), (1e-3, 90.0))]) {
        Case::new([200, 300], &[x], &[s], 40).check(device);
    }
    let case = Case::new([200, 300], &[(-3e6, 2.0), (7e5, 1.0)], &[(2e6, 8.0), (-4e8, 9.0)], 41);
    Case { sign: Sign::Minus, ..case }.check(device);
}

/// Extents, numbers of points and tolerances at random.
pub fn drawn(device: &Device) {
    let mut random = fastrand::Rng::with_seed(seed());
    for _ in device.share(&[(); 6]) {
        let axes = random.usize(1..4);
        let largest = [2000.0f64, 60.0, 12.0][axes - 1];
        let (mut points, mut frequencies) = (Vec::new(), Vec::new());
        for _ in 0..axes {
            let (reach, product) = (10f64.powf(4.0 * random.f64() - 2.0), largest * random.f64());
            points.push((20.0 * random.f64() - 10.0, reach));
            frequencies.push((20.0 * random.f64() - 10.0, product / reach));
        }
        let lens = [random.usize(1..600), random.usize(1..400)];
        let case = Case::new(lens, &points, &frequencies, random.u64(..));
        let sign = if random.bool() { Sign::Plus } else { Sign::Minus };
        let case = Case { sign, tolerance: 10f64.powf(-1.0 - 5.0 * random.f64()), batch: random.usize(1..3), ..case };
        case.with_input(random.u64(..)).check(device);
    }
}

/// One point, one frequency, or all in one place.
pub fn no_extent(device: &Device) {
    let wide = (3.0, 5.0);
    for &(lens, x, s) in device.share(&[([1, 1], (2.0, 0.0), (3.0, 0.0)), ([300, 1], wide, wide), ([50, 60], (1.0, 0.0), (-1.0, 1e-30))]) {
        // The tolerance is that of an average over places, and here one place has all.
        Case::new(lens, &[x], &[s], 35).check_within(device, 2.0);
        Case::new(lens, &[x, wide], &[s, wide], 36).check_within(device, 4.0);
    }
}

/// Frequencies that are whole are the modes of type 1.
pub fn whole_frequencies(device: &Device) {
    let case = Case::new([300, 1], &[(0.0, 3.1)], &[(0.0, 1.0)], 37);
    let modes = (-20..20).map(f64::from).collect();
    let case = Case { frequencies: vec![modes], ..case };
    let plan = wgpu_fft_nufft::Nufft::type1(40).plan(&device.planner).unwrap();
    let points = plan.points_f64(&device.planner, &[&case.points[0]]).unwrap();
    let expected: Vec<Complex64> = plan.run(&points, &case.input).unwrap().wait().unwrap().into_iter().map(wide).collect();
    assert!(relative_error(&case.run(&device.planner), &expected) < 2e-5);
}

pub fn equal_bits(device: &Device) {
    let mut case = Case::new([9000, 800], &[(0.0, 3.0), (0.0, 1.0)], &[(0.0, 9.0), (0.0, 30.0)], 38);
    // Half of them in one place, so that their order matters.
    case.points.iter_mut().for_each(|values| values[2000..7000].fill(0.5));
    let other = Planner::new(&pollster::block_on(Gpu::from_adapter(&device.adapter)).unwrap());
    let first = case.run(&device.planner);
    assert!(first == case.run(&device.planner) && first == case.run(&other));
    case.input[700].re += 1e-3;
    assert!(first != case.run(&device.planner), "the comparison can fail");
}

pub fn mistakes(device: &Device) {
    let refused = |spec: Type3, points: &[&[f64]], frequencies: &[&[f64]]| spec.plan(&device.planner, points, frequencies).unwrap_err();
    let (new, one) = (Type3::new, &[0.5, 1.0][..]);
    says(refused(new().tolerance(1e-8), &[one], &[one]), &["the tolerance 1e-8", "between 1e-6 and 1e-1"]);
    says(refused(new().batch(0), &[one], &[one]), &["batch", "at least 1"]);
    says(refused(new(), &[], &[]), &["0 axes", "1 to 3 axes"]);
    says(refused(new(), &[one; 4], &[one; 4]), &["4 axes", "1 to 3 axes"]);
    says(refused(new(), &[one; 2], &[one]), &["takes 2", "1 were given"]);
    says(refused(new(), &[one, &[0.0]], &[one; 2]), &["coordinates", "expected 2", "got 1"]);
    says(refused(new(), &[&[]], &[one]), &["the points of 0"]);
    says(refused(new(), &[one], &[&[]]), &["the frequencies of 0"]);
    says(refused(new(), &[one], &[&[0.0, f64::NAN]]), &["NaN", "point 1 on axis 0"]);
    says(refused(new(), &[&[0.0, 1e6]], &[&[0.0, 1e6]]), &["the grid of points and frequencies", "cells of an axis"]);
    says(refused(new(), &[&[-1e308, 1e308]], &[&[0.0, 1.0]]), &["the grid of points and frequencies", "cells of an axis"]);
    says(refused(new(), &[&[1e200, 2e200]], &[&[1e150, -1e149]]), &["points up to 2e200", "frequencies up to 1e150", "products"]);

    let gpu = device.gpu();
    let plan = new().plan(&device.planner, &[one], &[&[0.0f64, 1.0, 2.0]]).unwrap();
    says(plan.run(&[Complex32::ONE; 3]).unwrap_err(), &["input", "expected 2", "got 3"]);
    let array = |len: usize| gpu.alloc::<Complex32>(len).unwrap();
    says(plan.bind(&array(1), &array(3)).unwrap_err(), &["input", "expected 2", "got 1"]);
    says(plan.bind(&array(2), &array(4)).unwrap_err(), &["output", "expected 3", "got 4"]);
    let both = array(256);
    says(plan.bind(both.slice(0..2).unwrap(), both.slice(128..131).unwrap()).unwrap_err(), &["input and output are in the same buffer"]);
}

/// f64 coordinates of types 1 and 2, of more digits than f32 has.
pub fn points_in_f64(device: &Device) {
    let mut random = fastrand::Rng::with_seed(39);
    let x: Vec<f64> = (0..200).map(|_| 1e3 * (random.f64() - 0.5)).collect();
    for type1 in [true, false] {
        let modes = 3000;
        let spec = if type1 { wgpu_fft_nufft::Nufft::type1(modes) } else { wgpu_fft_nufft::Nufft::type2(modes) };
        let plan = spec.plan(&device.planner).unwrap();
        let points = plan.points_f64(&device.planner, &[&x]).unwrap();
        let input: Vec<Complex32> =
            (0..if type1 { 200 } else { modes }).map(|_| Complex32::new(random.f32() - 0.5, random.f32() - 0.5)).collect();
        let angle = |k: usize, j: usize| (k as f64 - (modes / 2) as f64) * x[j];
        let sum = |k: usize| input.iter().enumerate().map(|(j, c)| wide(*c) * Complex64::cis(angle(k, j))).sum();
        let at = |j: usize| input.iter().enumerate().map(|(k, f)| wide(*f) * Complex64::cis(-angle(k, j))).sum();
        let expected: Vec<Complex64> = if type1 { (0..modes).map(sum).collect() } else { (0..200).map(at).collect() };
        let error = relative_error(&plan.run(&points, &input).unwrap().wait().unwrap(), &expected);
        assert!(error < 1.1e-5, "type 1 {type1}: {error:e}");
    }
    let plan = wgpu_fft_nufft::Nufft::type1([8, 8]).plan(&device.planner).unwrap();
    says(plan.points_f64(&device.planner, &[&x, &x[1..]]).unwrap_err(), &["coordinates", "expected 200", "got 199"]);
    says(plan.points_f64(&device.planner, &[&[0.0], &[f64::NAN]]).unwrap_err(), &["NaN", "point 0 on axis 1"]);
    assert!(plan.points_f64(&device.planner, &[&[], &[]]).unwrap().is_empty());
}
