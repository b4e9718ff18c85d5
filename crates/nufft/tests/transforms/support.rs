//! Adapters, points, and sums in f64.

use std::sync::OnceLock;

use wgpu_fft_nufft::wgpu_fft::num_complex::Complex64;
use wgpu_fft_nufft::wgpu_fft::{Complex32, Error, Gpu, GpuOptions, Planner, gpu, wgpu};
use wgpu_fft_nufft::{ModeOrder, Nufft, Points, Sign};
use wgpu_fft_tests::double::Double;
use wgpu_fft_tests::lists::asks_for_all;
pub use wgpu_fft_tests::lists::seed;

/// An adapter with a planner that all its tests share.
pub struct Device {
    pub name: String,
    pub adapter: wgpu::Adapter,
    pub planner: Planner,
}

impl Device {
    pub fn gpu(&self) -> &Gpu {
        self.planner.gpu()
    }

    /// All of a list, and on an adapter that compiles slowly its last, unless WGPU_FFT_THOROUGH=1.
    pub fn share<'a, T>(&self, all: &'a [T]) -> &'a [T] {
        if self.name.contains("SwiftShader") && !asks_for_all() { &all[all.len().saturating_sub(1)..] } else { all }
    }
}

/// Every adapter found, or why there is none.
pub fn devices() -> Result<&'static [Device], Error> {
    static DEVICES: OnceLock<Result<Vec<Device>, Error>> = OnceLock::new();
    let found = DEVICES.get_or_init(|| {
        pollster::block_on(async {
            let mut devices = Vec::new();
            for adapter in gpu::adapters(&GpuOptions::default()).await? {
                let planner = Planner::new(&Gpu::from_adapter(&adapter).await?);
                devices.push(Device { name: adapter.get_info().name, adapter, planner });
            }
            Ok(devices)
        })
    });
    found.as_deref().map_err(Clone::clone)
}

/// exp(i · the sum of these products), with what rounding takes away of f64.
pub fn wave(products: impl Iterator<Item = (f64, f64)>) -> Complex64 {
    let phase = products.fold(Double::default(), |sum, (x, s)| sum + Double::from(x) * Double::from(s));
    Complex64::cis(phase.high) * Complex64::cis(phase.low)
}

/// A transform with what it is to compute, and a reference.
#[derive(Clone, Debug)]
pub struct Case {
    pub type1: bool,
    pub modes: Vec<usize>,
    pub sign: Sign,
    pub tolerance: f64,
    pub batch: usize,
    pub order: ModeOrder,
    /// By axis.
    pub coordinates: Vec<Vec<f32>>,
    pub input: Vec<Complex32>,
}

impl Case {
    /// Points and numbers at random.
    pub fn new(type1: bool, modes: &[usize], points: usize, seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let coordinates = modes.iter().map(|_| (0..points).map(|_| angle(&mut random)).collect()).collect();
        let sign = if type1 { Sign::Plus } else { Sign::Minus };
        let case =
            Self { type1, modes: modes.to_vec(), sign, tolerance: 1e-5, batch: 1, order: ModeOrder::Ascending, coordinates, input: vec![] };
        case.with_input(seed)
    }

    /// The same with other points.
    pub fn at(self, coordinates: Vec<Vec<f32>>) -> Self {
        Self { coordinates, ..self }.with_input(1)
    }

    /// With as many numbers as it takes.
    pub fn with_input(self, seed: u64) -> Self {
        let len = self.batch * if self.type1 { self.points() } else { self.modes.iter().product() };
        let mut random = fastrand::Rng::with_seed(seed ^ 0x5eed);
        let input = (0..len).map(|_| Complex32::new(random.f32() - 0.5, random.f32() - 0.5)).collect();
        Self { input, ..self }
    }

    pub fn points(&self) -> usize {
        self.coordinates[0].len()
    }

    pub fn spec(&self) -> Nufft {
        let spec = if self.type1 { Nufft::type1(&self.modes[..]) } else { Nufft::type2(&self.modes[..]) };
        spec.sign(self.sign).tolerance(self.tolerance).batch(self.batch).order(self.order)
    }

    pub fn run(&self, device: &Device) -> Vec<Complex32> {
        let plan = self.spec().plan(&device.planner).unwrap();
        let points: Points = plan.points(&self.slices()).unwrap();
        plan.run(&points, &self.input).unwrap().wait().unwrap()
    }

    pub fn slices(&self) -> Vec<&[f32]> {
        self.coordinates.iter().map(|values| &values[..]).collect()
    }

    /// The mode at each index of an axis.
    fn frequencies(&self, n: usize) -> Vec<f64> {
        let half = n as i64 / 2;
        let ascending = (0..n as i64).map(|i| (i - half) as f64);
        match self.order {
            ModeOrder::Ascending => ascending.collect(),
            ModeOrder::Fft => ascending.clone().skip(half as usize).chain(ascending.take(half as usize)).collect(),
        }
    }

    /// By the definition, in f64.
    pub fn expected(&self) -> Vec<Complex64> {
        let sign = if self.sign == Sign::Plus { 1.0 } else { -1.0 };
        let len: usize = self.modes.iter().product();
        let points = self.points();
        let mut output = vec![Complex64::ZERO; self.batch * if self.type1 { len } else { points }];
        let frequencies: Vec<Vec<f64>> = self.modes.iter().map(|&n| self.frequencies(n)).collect();
        for j in 0..points {
            // exp(±i k·x) is a product over the axes.
            let mut factors = vec![Complex64::ONE];
            for (own, values) in frequencies.iter().zip(&self.coordinates) {
                let x = f64::from(values[j]);
                let axis: Vec<Complex64> = own.iter().map(|k| Complex64::cis(sign * k * x)).collect();
                factors = factors.iter().flat_map(|before| axis.iter().map(move |factor| before * factor)).collect();
            }
            for b in 0..self.batch {
                if self.type1 {
                    let strength = wide(self.input[b * points + j]);
                    output[b * len..][..len].iter_mut().zip(&factors).for_each(|(sum, factor)| *sum += strength * factor);
                } else {
                    output[b * points + j] = self.input[b * len..][..len].iter().zip(&factors).map(|(f, factor)| wide(*f) * factor).sum();
                }
            }
        }
        output
    }

    /// Runs it, and compares the result with the definition.
    pub fn check(&self, device: &Device) {
        let (found, expected) = (self.run(device), self.expected());
        assert_eq!(found.len(), expected.len());
        let error = relative_error(&found, &expected);
        let Self { type1, modes, sign, tolerance, .. } = self;
        // Rounding errors of f32 come on top.
        let bound = tolerance + 1e-6;
        assert!(error <= bound, "type1 {type1}, modes {modes:?}, {sign:?}, tolerance {tolerance:e}, {} points: {error:e}", self.points());
    }
}

/// An angle of the circle.
pub fn angle(random: &mut fastrand::Rng) -> f32 {
    (random.f32() - 0.5) * std::f32::consts::TAU
}

pub fn wide(z: Complex32) -> Complex64 {
    Complex64::new(z.re.into(), z.im.into())
}

/// In the two-norm.
pub fn relative_error(found: &[Complex32], expected: &[Complex64]) -> f64 {
    let difference: f64 = found.iter().zip(expected).map(|(found, expected)| (wide(*found) - expected).norm_sqr()).sum();
    (difference / expected.iter().map(Complex64::norm_sqr).sum::<f64>()).sqrt()
}
