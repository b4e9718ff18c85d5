//! From strengths at points to values at other frequencies than whole ones: type 3.
//!
//! The strengths are spread over a grid that is fine enough for the highest frequency. Its cells
//! are the modes of a transform of type 2, which gives the spectrum of what was spread at the
//! wanted frequencies. That is divided by the window's transform there. Both sets of points are
//! shifted to their middles first, so that the grid is as small as can be, and factors of absolute
//! value 1 shift the result back.

use std::marker::PhantomData;

use wgpu_fft::{DeviceBuffer, Error, Gpu, IntoView, Pending, Planner, Result, Shape};

use crate::device::binding;
use crate::exact::Exact;
use crate::geometry::{Geometry, check_axes};
use crate::kernels::Texts;
use crate::plan::{check_device, values_at};
use crate::points::{Binning, Sorted, Sorting, check_coordinates};
use crate::real::{Real, check_numbers, window};
use crate::spec::{Kind, Sign};
use crate::steps::{Bound, Fine, Interpolating, Spreading, cells_of};
use crate::window::Window;

/// A Fourier transform from non-uniform points to non-uniform frequencies, along one to three axes:
/// f\[k\] = Σⱼ c\[j\] · exp(±i sₖ·xⱼ).
///
/// ```
/// use wgpu_fft_nufft::{Sign, Type3};
///
/// let spec = Type3::new().tolerance(1e-4).sign(Sign::Minus).batch(8);
/// let in_f64 = Type3::new().f64().tolerance(1e-12);
/// ```
///
/// The [documentation of the crate](crate) has definition, shapes, accuracy, cost and errors.
#[derive(Clone, PartialEq, Debug)]
#[must_use]
pub struct Type3<T = f32> {
    sign: Sign,
    tolerance: f64,
    batch: usize,
    numbers: PhantomData<T>,
}

impl Default for Type3 {
    fn default() -> Self {
        Self::new()
    }
}

impl Type3 {
    /// With exp(+i s·x), a tolerance of 1e-5 and one transform.
    pub fn new() -> Self {
        Self { sign: Sign::Plus, tolerance: 1e-5, batch: 1, numbers: PhantomData }
    }

    /// The same transform of f64, computed in f64, on devices that have 64-bit floats in shaders
    /// ([`DeviceProfile::f64`](wgpu_fft::DeviceProfile::f64)); planning returns
    /// [`Error::Unsupported`] elsewhere.
    pub fn f64(self) -> Type3<f64> {
        Type3 { sign: self.sign, tolerance: self.tolerance, batch: self.batch, numbers: PhantomData }
    }
}

impl<T: Real> Type3<T> {
    /// The sign of the exponent.
    pub fn sign(self, sign: Sign) -> Self {
        Self { sign, ..self }
    }

    /// The relative error that is asked for, from 1e-1 to 1e-6, or to 1e-12 in f64; 1e-5 unless this
    /// says otherwise.
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// So many transforms at once, with the same points and frequencies. Their arrays follow one
    /// another.
    pub fn batch(self, count: usize) -> Self {
        Self { batch: count, ..self }
    }

    /// Compiles the transform for the planner's device, and sorts points and frequencies: one slice
    /// for each axis, in f32 or f64, in units whose products are radians. How large the grid is
    /// depends on them.
    ///
    /// # Errors
    /// [`Error::Empty`] for no points, no frequencies or an empty batch; [`Error::WrongInputs`] for
    /// other numbers of slices of frequencies than of points; [`Error::WrongLen`] for slices of
    /// different lengths; [`Error::Unsupported`] for more than three axes, a tolerance out of
    /// range, f64 on a device without it, and a NaN or an infinity, with its place;
    /// [`Error::LimitExceeded`] for points and frequencies that extend so far that the device cannot
    /// bind the grid; those of [`Planner::plan`](wgpu_fft::Planner::plan).
    pub fn plan<C: Copy + Into<f64>>(&self, planner: &Planner, points: &[&[C]], frequencies: &[&[C]]) -> Result<Type3Plan<T>> {
        let (gpu, batch) = (planner.gpu(), self.batch);
        let axes = points.len();
        let window = window::<T>(self.tolerance, 2 * axes)?;
        check_axes(axes)?;
        check_numbers::<T>(gpu.profile())?;
        let lengths = [check_coordinates(axes, points)?, check_coordinates(axes, frequencies)?];
        for (what, len) in ["the points", "the frequencies"].into_iter().zip(lengths) {
            if len == 0 {
                return Err(Error::Empty { what, shape: "0".to_owned() });
            }
        }
        check_device(gpu, batch)?;

        let scales: Vec<Scale> = points.iter().zip(frequencies).map(|(x, s)| Scale::new(x, s)).collect();
        let least: Vec<usize> = scales.iter().map(|scale| scale.least_cells(&window)).collect();
        let geometry = Geometry::of_cells::<T>(gpu.profile(), &least, &window, "the grid of points and frequencies")?;
        let cells = cells_of::<T>(gpu, &geometry, batch)?;
        let shape = geometry.shape();
        let texts = Texts::new::<T>(gpu.profile(), &geometry, &window);
        let fine = Fine::<T>::new(planner, &texts, &Shape::from(&shape[..]), &window, Kind::Two, self.sign, batch)?;

        let fine_texts = Texts::new::<T>(gpu.profile(), &fine.geometry, &window);
        let bin = Binning::turns(planner, &texts)?;
        let sorted = |texts: &Texts, geometry: &Geometry, turns: &[Vec<T::Exact>], len: usize| {
            let sorted = Sorted::new::<T>(gpu, &Sorting::new(planner, texts)?, geometry, len)?;
            sorted.set_turns(gpu, &bin, turns)?;
            Ok::<Sorted, Error>(sorted)
        };
        let [mut places, mut turns] = [Vec::new(), Vec::new()];
        for (axis, scale) in scales.iter().enumerate() {
            let n = shape[axis];
            places.push(points[axis].iter().map(|&x| scale.place::<T::Exact>(x.into(), n)).collect::<Vec<_>>());
            turns.push(frequencies[axis].iter().map(|&s| scale.turns::<T::Exact>(s.into())).collect::<Vec<_>>());
        }
        let sources = sorted(&texts, &geometry, &places, lengths[0])?;
        let targets = sorted(&fine_texts, &fine.geometry, &turns, lengths[1])?;

        let sign = if self.sign == Sign::Plus { 1.0 } else { -1.0 };
        let exact = <T::Exact as From<f64>>::from;
        let before = |j: usize| {
            let axes = scales.iter().zip(points);
            let angle = axes.fold(exact(0.0), |angle, (scale, x)| angle + exact(scale.middle_s) * exact(x[j].into()));
            T::complex((exact(sign) * angle).cis())
        };
        let after = |k: usize| {
            let axes = scales.iter().zip(frequencies).zip(&turns);
            let (angle, divisor) = axes.fold((exact(0.0), 1.0), |(angle, divisor), ((scale, s), turns)| {
                let turn = (exact(s[k].into()) - exact(scale.middle_s)) * exact(scale.middle_x);
                (angle + turn, divisor * window.transform(turns[k].into()))
            });
            T::complex((exact(sign) * angle).cis() / divisor)
        };
        let before = gpu.upload(&(0..lengths[0]).map(before).collect::<Vec<_>>())?;
        let after = gpu.upload(&(0..lengths[1]).map(after).collect::<Vec<_>>())?;
        let spreading = Spreading::new(planner, &texts, true)?;
        let interpolating = Interpolating::new(planner, &texts, true)?;
        Ok(Type3Plan { gpu: gpu.clone(), batch, sources, targets, before, after, spreading, interpolating, cells, fine })
    }
}

/// What points x and frequencies s of an axis have to do with the grid.
#[derive(Debug)]
struct Scale {
    middle_x: f64,
    middle_s: f64,
    /// How far frequencies are from their middle at most, or more.
    reach_s: f64,
    /// That, times how far points are from theirs.
    product: f64,
}

impl Scale {
    fn new<T: Copy + Into<f64>>(x: &[T], s: &[T]) -> Self {
        let range = |values: &[T]| {
            let all = values.iter().map(|&value| value.into());
            let (least, most) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (least.min(value), most.max(value)));
            (least / 2.0 + most / 2.0, most / 2.0 - least / 2.0)
        };
        let ((middle_x, reach_x), (middle_s, reach_s)) = (range(x), range(s));
        // Points or frequencies that lie closely together are treated as if they reached a little
        // further, so that nothing is divided by 0.
        let least = if reach_x > 0.0 { (1.0 / reach_x).min(f64::MAX / 8.0) } else { 1.0 };
        let reach_s = reach_s.max(least);
        Self { middle_x, middle_s, reach_s, product: reach_x * reach_s }
    }

    /// Cells for which a turn of the highest frequency is 4 cells long, and windows of all points
    /// lie inside.
    fn least_cells(&self, window: &Window) -> usize {
        ((4.0 / std::f64::consts::PI * self.product).ceil() as usize)
            .saturating_add(window.width as usize + 1)
            .max(2 * window.width as usize)
    }

    /// Where on a grid of n cells a point lies, as a part of the whole, with the middle of the
    /// points on cell ⌊n/2⌋.
    fn place<E: Exact>(&self, x: f64, n: usize) -> E {
        let each = E::from(2.0 * self.reach_s) / E::PI;
        ((E::from(x) - E::from(self.middle_x)) * each + E::from((n / 2) as f64)) / E::from(n as f64)
    }

    /// How many turns a frequency makes from a cell to the next one.
    fn turns<E: Exact>(&self, s: f64) -> E {
        (E::from(s) - E::from(self.middle_s)) / E::from(4.0 * self.reach_s)
    }
}

/// A [`Type3`] on one device, with its points and frequencies. [`Type3::plan`] makes it.
///
/// [`run`](Self::run) takes arrays on the host. [`bind`](Self::bind) takes arrays on the device,
/// and [`Bound::encode`] records into an encoder of yours.
#[derive(Debug)]
pub struct Type3Plan<T: Real = f32> {
    gpu: Gpu,
    batch: usize,
    sources: Sorted,
    /// The frequencies.
    targets: Sorted,
    /// What strengths are multiplied by, and what results are.
    before: DeviceBuffer<T::Complex>,
    after: DeviceBuffer<T::Complex>,
    spreading: Spreading,
    interpolating: Interpolating,
    /// What strengths are spread over.
    cells: DeviceBuffer<T::Complex>,
    /// From there to the frequencies.
    fine: Fine<T>,
}

impl<T: Real> Type3Plan<T> {
    /// Extents of the grid that strengths are spread over, slowest axis first. That of the Fourier
    /// transform has twice as many cells along each axis, or a few more.
    #[must_use]
    pub fn grid(&self) -> Vec<usize> {
        self.sources.geometry.shape()
    }

    /// Binds strengths, `batch` × points, and the output, `batch` × frequencies, and allocates what
    /// the transform needs besides.
    ///
    /// # Errors
    /// [`Error::WrongLen`], [`Error::MissingUsage`], [`Error::Misaligned`] and [`Error::Aliased`]
    /// for arrays that do not fit; [`Error::LimitExceeded`] if the device cannot bind what is
    /// needed.
    pub fn bind<'a>(&self, input: impl IntoView<'a, T::Complex>, output: impl IntoView<'a, T::Complex>) -> Result<Bound> {
        let (input, output) = (input.into_view(), output.into_view());
        if input.buffer() == output.buffer() {
            return Err(Error::Aliased { first: "input", second: "output" });
        }
        let (gpu, batch) = (&self.gpu, self.batch);
        let input = binding(gpu, "input", input, values_at::<T>(gpu, self.sources.len, batch)?)?;
        let output = binding(gpu, "output", output, values_at::<T>(gpu, self.targets.len, batch)?)?;
        let mut steps = self.spreading.bind::<T>(gpu, &self.sources, batch, input, Some(&self.before), &self.cells)?;
        steps.extend(self.fine.from(gpu, self.cells.view())?);
        steps.push(self.interpolating.bind::<T>(gpu, &self.targets, batch, &self.fine.cells, Some(&self.after), output)?);
        Ok(Bound { gpu: self.gpu.clone(), steps })
    }

    /// Transforms an array on the host.
    ///
    /// # Errors
    /// Those of [`bind`](Self::bind); [`Error::DeviceLost`] and [`Error::OutOfMemory`], from this
    /// call or from the result.
    pub fn run(&self, input: &[T::Complex]) -> Result<Pending<Vec<T::Complex>>> {
        let expected = self.sources.len.saturating_mul(self.batch);
        if input.len() != expected {
            return Err(Error::WrongLen { argument: "input", expected, actual: input.len() });
        }
        let output = self.gpu.alloc::<T::Complex>(values_at::<T>(&self.gpu, self.targets.len, self.batch)?)?;
        let input = self.gpu.upload(input)?;
        let bound = self.bind(&input, &output)?;
        self.gpu.submit(|encoder| bound.encode(encoder))?;
        self.gpu.download(&output)
    }
}
