//! All types in f64, against sums with exact phases. Where a device has no f64, the refusal.

use wgpu_fft_nufft::wgpu_fft::num_complex::Complex64;
use wgpu_fft_nufft::wgpu_fft::{DeviceBuffer, View};
use wgpu_fft_nufft::{ModeOrder, Nufft, Sign, Type3};

use crate::mistakes::says;
use crate::support::{Device, seed, wave};

/// Rounding errors of f64, which come on top of the tolerance.
const ROUNDING: f64 = 2e-14;

/// A transform of any type: from things at places to others, by axis. Modes are whole places.
#[derive(Clone, Debug)]
struct Case {
    /// 1, 2 or 3.
    kind: u32,
    modes: Vec<usize>,
    tolerance: f64,
    batch: usize,
    order: ModeOrder,
    points: Vec<Vec<f64>>,
    /// Those of type 3, or the modes.
    frequencies: Vec<Vec<f64>>,
    input: Vec<Complex64>,
}

/// So many numbers around a middle.
fn drawn_around(random: &mut fastrand::Rng, len: usize, middle: f64, reach: f64) -> Vec<f64> {
    (0..len).map(|_| middle + (2.0 * random.f64() - 1.0) * reach).collect()
}

/// The modes of a shape by axis, in the order of an array.
fn modes_of(shape: &[usize], order: ModeOrder) -> Vec<Vec<f64>> {
    let along = |axis: usize, i: usize| {
        let (n, inner) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
        let (at, half) = ((i / inner % n) as i64, n as i64 / 2);
        let wraps = order == ModeOrder::Fft && at >= n as i64 - half;
        (if order == ModeOrder::Ascending { at - half } else { at - if wraps { n as i64 } else { 0 } }) as f64
    };
    (0..shape.len()).map(|axis| (0..shape.iter().product()).map(|i| along(axis, i)).collect()).collect()
}

impl Case {
    /// Points and numbers at random, and for type 3 frequencies in the box of the modes.
    fn new(kind: u32, modes: &[usize], points: usize, tolerance: f64, seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let places = modes.iter().map(|_| drawn_around(&mut random, points, 0.5, 3.5)).collect();
        let frequencies = match kind {
            3 => modes.iter().map(|&n| drawn_around(&mut random, points / 2 + 1, 7.0, n as f64 / 2.0)).collect(),
            _ => modes_of(modes, ModeOrder::Ascending),
        };
        let (modes, order) = (modes.to_vec(), ModeOrder::Ascending);
        Self { kind, modes, tolerance, batch: 1, order, points: places, frequencies, input: vec![] }.with_input(seed)
    }

    fn with_input(self, seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed ^ 0x5eed);
        let len = self.batch * if self.kind == 2 { self.frequencies[0].len() } else { self.points[0].len() };
        Self { input: (0..len).map(|_| Complex64::new(random.f64() - 0.5, random.f64() - 0.5)).collect(), ..self }
    }

    fn spec(&self) -> Nufft<f64> {
        let spec = if self.kind == 1 { Nufft::type1(&self.modes[..]) } else { Nufft::type2(&self.modes[..]) };
        spec.f64().tolerance(self.tolerance).batch(self.batch).order(self.order)
    }

    fn run(&self, device: &Device) -> Vec<Complex64> {
        let [points, frequencies] = [&self.points, &self.frequencies].map(|axes| axes.iter().map(|axis| &axis[..]).collect::<Vec<_>>());
        let pending = if self.kind == 3 {
            let spec = Type3::new().f64().tolerance(self.tolerance).batch(self.batch);
            spec.plan(&device.planner, &points, &frequencies).unwrap().run(&self.input)
        } else {
            let plan = self.spec().plan(&device.planner).unwrap();
            plan.run(&plan.points(&points).unwrap(), &self.input)
        };
        pending.unwrap().wait().unwrap()
    }

    fn expected(&self) -> Vec<Complex64> {
        let (from, to, sign) = match self.kind {
            2 => (&self.frequencies, &self.points, -1.0),
            _ => (&self.points, &self.frequencies, 1.0),
        };
        let wave = |j: usize, k: usize| wave(from.iter().zip(to).map(|(x, s)| (x[j], sign * s[k])));
        let (sources, targets) = (from[0].len(), to[0].len());
        let mut sums = vec![Complex64::ZERO; self.batch * targets];
        for k in 0..targets {
            for j in 0..sources {
                let wave = wave(j, k);
                (0..self.batch).for_each(|b| sums[b * targets + k] += self.input[b * sources + j] * wave);
            }
        }
        sums
    }

    fn check(&self, device: &Device) {
        self.check_within(device, 1.0);
    }

    /// With an error of so many tolerances.
    fn check_within(&self, device: &Device, tolerances: f64) {
        let error = relative_error(&self.run(device), &self.expected());
        let Self { kind, modes, tolerance, points, .. } = self;
        assert!(
            error <= tolerances * tolerance + ROUNDING,
            "type {kind}, modes {modes:?}, tolerance {tolerance:e}, {} points: {error:e}",
            points[0].len()
        );
    }
}

fn relative_error(found: &[Complex64], expected: &[Complex64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let norm = |all: &mut dyn Iterator<Item = Complex64>| all.map(|z| z.norm_sqr()).sum::<f64>().sqrt();
    norm(&mut found.iter().zip(expected).map(|(a, b)| a - b)) / norm(&mut expected.iter().copied())
}

/// Whether the device has f64. If not, it refuses all types and says why.
fn has_f64(device: &Device) -> bool {
    if !device.gpu().profile().f64 {
        let texts = ["non-uniform points in f64", &device.name[..9], "SHADER_F64", "compute in f32"];
        says(Nufft::type1([8, 8]).f64().plan(&device.planner).unwrap_err(), &texts);
        says(Nufft::type2(8).f64().plan(&device.planner).unwrap_err(), &texts);
        says(Type3::new().f64().plan(&device.planner, &[&[0.5]], &[&[1.0]]).unwrap_err(), &texts);
    }
    device.gpu().profile().f64
}

/// All types in one to three axes.
fn at_tolerance(device: &Device, tolerance: f64) {
    for modes in [&[50][..], &[13, 16], &[6, 5, 9]] {
        for kind in [1, 2, 3] {
            if has_f64(device) {
                Case::new(kind, modes, 400, tolerance, 51).check(device);
            }
        }
    }
}

pub fn three_digits(device: &Device) {
    at_tolerance(device, 1e-3);
}

pub fn six_digits(device: &Device) {
    at_tolerance(device, 1e-6);
}

pub fn nine_digits(device: &Device) {
    at_tolerance(device, 1e-9);
}

pub fn twelve_digits(device: &Device) {
    at_tolerance(device, 1e-12);
}

/// Shapes, numbers of points and tolerances at random.
pub fn drawn(device: &Device) {
    let mut random = fastrand::Rng::with_seed(seed());
    for _ in 0..4 {
        let axes = random.usize(1..4);
        let modes: Vec<usize> = (0..axes).map(|_| random.usize(1..[200, 20, 8][axes - 1])).collect();
        let tolerance = 10f64.powf(-1.0 - 11.0 * random.f64());
        let case = Case::new(random.u32(1..4), &modes, random.usize(50..400), tolerance, random.u64(..));
        if has_f64(device) {
            // The tolerance is that of an average over many places, and here may be few.
            case.check_within(device, 1.2);
        }
    }
}

/// The error does not grow with the number of modes, nor with how far apart the middles are.
pub fn many_modes(device: &Device) {
    if has_f64(device) {
        for kind in [1, 2] {
            Case::new(kind, &[20_000], 60, 1e-12, 52).check(device);
        }
        let case = Case::new(3, &[3000], 60, 1e-12, 53);
        let far = |values: &[f64], by: f64| vec![values.iter().map(|x| x + by).collect::<Vec<_>>()];
        Case { points: far(&case.points[0], 1e4), ..case.clone() }.check(device);
        Case { points: far(&case.points[0], 1e9), frequencies: far(&case.frequencies[0], -1e7), ..case }.check(device);
    }
}

/// Whole turns count for nothing, up to the largest numbers, and the smallest ones are 0.
pub fn beyond_the_circle(device: &Device) {
    let mut random = fastrand::Rng::with_seed(54);
    let mut x: Vec<f64> = (0..200).map(|_| (random.f64() - 0.5) * 10f64.powi(random.i32(-30..308))).collect();
    let around = |x: f64| [x, x.next_up(), x.next_down(), -x];
    x.extend(
        [std::f64::consts::PI, std::f64::consts::FRAC_PI_2, 0.0, f64::MIN_POSITIVE, 1e22, f64::MAX]
            .into_iter()
            .flat_map(around)
            .filter(|x| x.is_finite()),
    );
    x.extend((0..48).map(|i| f64::from(i) * std::f64::consts::PI / 24.0));
    for kind in [1, 2] {
        if has_f64(device) {
            let case = Case { points: vec![x.clone()], ..Case::new(kind, &[24], 1, 1e-12, 55) }.with_input(55);
            // The host's sine and cosine reduce with as many digits as it takes.
            let wave = |j: usize, k: usize| Complex64::cis(if kind == 1 { x[j] } else { -x[j] }).powi(k as i32 - 12);
            let sum = |terms: &mut dyn Iterator<Item = Complex64>| terms.sum::<Complex64>();
            let expected: Vec<Complex64> = match kind {
                1 => (0..24).map(|k| sum(&mut (0..x.len()).map(|j| case.input[j] * wave(j, k)))).collect(),
                _ => (0..x.len()).map(|j| sum(&mut (0..24).map(|k| case.input[k] * wave(j, k)))).collect(),
            };
            let error = relative_error(&case.run(device), &expected);
            assert!(error < 1e-12 + ROUNDING, "type {kind}: {error:e}");
        }
    }
}

/// Several transforms at once, orders of the modes, and more points in a place than an invocation
/// adds up.
pub fn batches_orders_and_crowds(device: &Device) {
    if !has_f64(device) {
        return;
    }
    for kind in [1, 2] {
        for modes in [&[9][..], &[6, 5]] {
            let case = Case::new(kind, modes, 200, 1e-9, 56);
            let frequencies = modes_of(modes, ModeOrder::Fft);
            Case { order: ModeOrder::Fft, batch: 3, frequencies, ..case }.with_input(57).check(device);
        }
    }
    Case { batch: 2, ..Case::new(3, &[7, 8], 200, 1e-9, 58) }.with_input(59).check(device);
    let mut crowd = Case::new(1, &[4, 5], 9000, 1e-9, 60);
    crowd.points.iter_mut().for_each(|axis| axis[100..8900].fill(1.5));
    let first = crowd.run(device);
    assert!(relative_error(&first, &crowd.expected()) < 1e-9 && first == crowd.run(device));
}

/// Arrays on the device, set twice, with points that are not finite, which count as absent.
pub fn on_the_device(device: &Device) {
    if !has_f64(device) {
        return;
    }
    let gpu = device.gpu();
    for kind in [1, 2] {
        let case = Case::new(kind, &[10, 9], 300, 1e-10, 61);
        let plan = case.spec().plan(&device.planner).unwrap();
        let points = plan.alloc_points(300).unwrap();
        let (input, output) = (gpu.upload(&case.input).unwrap(), gpu.alloc::<Complex64>(if kind == 1 { 90 } else { 300 }).unwrap());
        let bound = plan.bind(&points, &input, &output).unwrap();
        for absent in [vec![], vec![(0, 5, f64::NAN), (1, 77, f64::INFINITY), (1, 299, f64::NEG_INFINITY)]] {
            let (mut broken, mut rest) = (case.points.clone(), case.clone());
            absent.iter().for_each(|&(axis, j, value)| broken[axis][j] = value);
            let arrays: Vec<DeviceBuffer<f64>> = broken.iter().map(|values| gpu.upload(values).unwrap()).collect();
            let views: Vec<View<'_, f64>> = arrays.iter().map(DeviceBuffer::view).collect();
            gpu.submit(|encoder| {
                points.set(encoder, &views)?;
                bound.encode(encoder)
            })
            .unwrap();
            if kind == 1 {
                absent.iter().for_each(|&(_, j, _)| rest.input[j] = Complex64::ZERO);
            }
            let mut expected = rest.expected();
            if kind == 2 {
                absent.iter().for_each(|&(_, j, _)| expected[j] = Complex64::ZERO);
            }
            let found = gpu.download(&output).unwrap().wait().unwrap();
            assert!(relative_error(&found, &expected) < 1e-10, "type {kind}, {absent:?}");
        }
    }
}

/// In f64 too, both types are each the adjoint of the other, to rounding errors.
pub fn adjoint(device: &Device) {
    if has_f64(device) {
        let one = Case::new(1, &[20, 21], 400, 1e-2, 62);
        let two = Case { points: one.points.clone(), ..Case::new(2, &[20, 21], 400, 1e-2, 63) };
        let dot = |x: &[Complex64], y: &[Complex64]| -> Complex64 { x.iter().zip(y).map(|(x, y)| x * y.conj()).sum() };
        let found = one.run(device);
        let (left, right) = (dot(&found, &two.input), dot(&one.input, &two.run(device)));
        let norm = |x: &[Complex64]| dot(x, x).re.sqrt();
        let error = (left - right).norm() / (norm(&found) * norm(&two.input));
        assert!(error < 1e-14, "{left} and {right}, {error:e}");
    }
}

pub fn mistakes(device: &Device) {
    for tolerance in [1e-13, 0.5, f64::NAN] {
        let texts = ["the tolerance", "in f64 it is between 1e-12 and 1e-1"];
        says(Nufft::type1(10).f64().tolerance(tolerance).plan(&device.planner).unwrap_err(), &texts);
        says(Type3::new().f64().tolerance(tolerance).plan(&device.planner, &[&[0.5]], &[&[1.0]]).unwrap_err(), &texts);
    }
    if has_f64(device) {
        let plan = Nufft::type1([10, 10]).f64().plan(&device.planner).unwrap();
        says(plan.points(&[&[0.0, 0.0], &[0.0, f64::NAN]]).unwrap_err(), &["NaN", "point 1 on axis 1"]);
        says(plan.alloc_points(1 << 40).unwrap_err(), &["the places of 1099511627776 points", "17592186044416"]);
        let points = plan.points(&[&[0.5; 3], &[0.5; 3]]).unwrap();
        says(plan.run(&points, &[Complex64::ONE; 2]).unwrap_err(), &["input", "expected 3", "got 2"]);
        let finer = Nufft::type1([10, 10]).f64().tolerance(1e-11).plan(&device.planner).unwrap();
        says(finer.run(&points, &[Complex64::ONE; 3]).unwrap_err(), &["[20, 20]", "same shape and tolerance"]);
        let none = Nufft::type1([2, 3]).f64().sign(Sign::Minus).plan(&device.planner).unwrap();
        assert_eq!(none.run(&none.points(&[&[], &[]]).unwrap(), &[]).unwrap().wait().unwrap(), [Complex64::ZERO; 6]);
    }
}
