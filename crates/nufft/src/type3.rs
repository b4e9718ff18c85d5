//! From strengths at points to values at other frequencies than whole ones: type 3.
//!
//! The strengths are spread over a grid that is fine enough for the highest frequency. Its cells
//! are the modes of a transform of type 2, which gives the spectrum of what was spread at the
//! wanted frequencies. That is divided by the window's transform there. Both sets of points are
//! shifted to their middles first, so that the grid is as small as can be, and factors of absolute
//! value 1 shift the result back.

use std::marker::PhantomData;

use wgpu_fft::{DeviceBuffer, Error, Gpu, IntoView, Pending, Planner, Result, Shape, wgpu};

use crate::device::{Kernel, begin_pass, binding, groups_for, uniform, whole};
use crate::exact::Exact;
use crate::geometry::{Geometry, check_axes, check_bytes};
use crate::kernels::Texts;
use crate::offset::{Axis, Fraction, Units, fraction, middle_cell, parts, turns};
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
    /// range, f64 on a device without it, a NaN or an infinity, with its place, and points and
    /// frequencies whose products are beyond f64;
    /// [`Error::LimitExceeded`] for points and frequencies that extend so far that the device cannot
    /// bind the grid; those of [`Planner::plan`](wgpu_fft::Planner::plan).
    pub fn plan<C: Copy + Into<f64> + Sync>(&self, planner: &Planner, points: &[&[C]], frequencies: &[&[C]]) -> Result<Type3Plan<T>> {
        let (gpu, batch) = (planner.gpu(), self.batch);
        let axes = points.len();
        let window = window::<T>(self.tolerance, 2 * axes)?;
        check_axes(axes)?;
        check_numbers::<T>(gpu.profile())?;
        let (sources_len, points_extents) = check_coordinates(axes, points)?;
        let (targets_len, frequencies_extents) = check_coordinates(axes, frequencies)?;
        for (what, len) in [("the points", sources_len), ("the frequencies", targets_len)] {
            if len == 0 {
                return Err(Error::Empty { what, shape: "0".to_owned() });
            }
        }
        check_device(gpu, batch)?;

        let both = points_extents.into_iter().zip(frequencies_extents);
        let scales = both.map(|(x, s)| Scale::new::<T>(x, s)).collect::<Result<Vec<_>>>()?;
        let least: Vec<usize> = scales.iter().map(|scale| scale.least_cells(&window)).collect();
        let geometry = Geometry::of_cells::<T>(gpu.profile(), &least, &window, "the grid of points and frequencies")?;
        let cells = cells_of::<T>(gpu, &geometry, batch)?;
        let shape = geometry.shape();
        let texts = Texts::new::<T>(gpu.profile(), &geometry, &window);
        let fine = Fine::<T>::new(planner, &texts, &Shape::from(&shape[..]), &window, Kind::Two, self.sign, batch)?;
        let fine_texts = Texts::new::<T>(gpu.profile(), &fine.geometry, &window);

        // The fastest axis first.
        let words = |axis: &dyn Fn(&Scale, usize) -> Axis| -> Result<wgpu::Buffer> {
            let mut axes = [Axis::default(); 3];
            axes.iter_mut().zip(scales.iter().zip(&shape).rev()).for_each(|(own, (scale, &n))| *own = axis(scale, n));
            uniform(gpu, &axes)
        };
        let places = words(&|scale, n| scale.places::<T>(n))?;
        let phases = words(&|scale, _| scale.phases::<T>(self.sign))?;
        let both = words(&|scale, _| scale.turns::<T>(self.sign))?;
        let bound = |texts: &Texts, geometry: &Geometry, coordinates: &[&[C]], places: wgpu::Buffer, (name, words): (_, &wgpu::Buffer)| {
            let len = coordinates[0].len();
            let bytes = size_of::<T::Complex>().max(size_of::<f64>()).saturating_mul(len);
            check_bytes(gpu.profile(), &format!("coordinates or factors of {len} points"), bytes as u64)?;
            let sorted = Sorted::new::<T>(gpu, &Sorting::new(planner, texts)?, geometry, len)?;
            let uploaded = coordinates.iter().map(|values| uploaded(gpu, values)).collect::<Result<Vec<_>>>()?;
            let factors = gpu.alloc::<T::Complex>(len)?;
            let mut bindings = vec![(0, sorted.grid.as_entire_binding()), (1, words.as_entire_binding()), (5, whole(&factors))];
            bindings.extend((2..).zip(uploaded.iter().rev().map(whole)));
            let computed = Kernel::new(planner, texts, name)?.on(gpu, &bindings, groups_for(gpu.profile(), len as u64, 1)?)?;
            let bin = Binning::offsets(planner, texts, places)?;
            gpu.submit(|encoder| {
                sorted.set(gpu, &bin, encoder, &uploaded.iter().map(DeviceBuffer::view).collect::<Vec<_>>())?;
                computed.record(&mut begin_pass(encoder));
                Ok(())
            })?;
            Ok::<_, Error>((sorted, factors))
        };
        let (sources, before) = bound(&texts, &geometry, points, places, ("factors", &phases))?;
        let (targets, after) = bound(&fine_texts, &fine.geometry, frequencies, both.clone(), ("divided factors", &both))?;

        let spreading = Spreading::new(planner, &texts, true)?;
        let interpolating = Interpolating::new(planner, &texts, true)?;
        Ok(Type3Plan { gpu: gpu.clone(), batch, sources, targets, before, after, spreading, interpolating, cells, fine })
    }
}

/// Coordinates on the device, in f64.
fn uploaded<C: Copy + Into<f64>>(gpu: &Gpu, values: &[C]) -> Result<DeviceBuffer<f64>> {
    gpu.upload(&values.iter().map(|&value| value.into()).collect::<Vec<f64>>())
}

/// What points x and frequencies s of an axis have to do with the grid.
#[derive(Debug)]
struct Scale {
    units_x: Units,
    units_s: Units,
    /// In these units.
    middle_x: i128,
    middle_s: i128,
    /// How far frequencies are from their middle at most, or more.
    reach_s: f64,
    /// That, times how far points are from theirs.
    product: f64,
}

impl Scale {
    /// Of the least and the largest of each.
    fn new<T: Real>(x: [f64; 2], s: [f64; 2]) -> Result<Self> {
        let largest = |[least, most]: [f64; 2]| most.max(-least);
        if !(largest(x) * largest(s)).is_finite() {
            let what = format!("points up to {:e} with frequencies up to {:e}", largest(x), largest(s));
            return Err(Error::Unsupported { what, why: "their products in radians are beyond all numbers of f64".to_owned() });
        }
        let [units_x, units_s] = [x, s].map(|extent| Units::new::<T>(largest(extent)));
        let middle = |[least, most]: [f64; 2], units: &Units| units.whole(least / 2.0 + most / 2.0);
        let [reach_x, reach_s] = [x, s].map(|[least, most]| most / 2.0 - least / 2.0);
        // Points or frequencies that lie closely together are treated as if they reached a little
        // further, so that nothing is divided by 0.
        let least = if reach_x > 0.0 { (1.0 / reach_x).min(f64::MAX / 8.0) } else { 1.0 };
        let reach_s = reach_s.max(least);
        let (middle_x, middle_s) = (middle(x, &units_x), middle(s, &units_s));
        Ok(Self { units_x, units_s, middle_x, middle_s, reach_s, product: reach_x * reach_s })
    }

    /// Cells for which a turn of the highest frequency is 4 cells long, and windows of all points
    /// lie inside.
    fn least_cells(&self, window: &Window) -> usize {
        ((4.0 / std::f64::consts::PI * self.product).ceil() as usize)
            .saturating_add(window.width as usize + 1)
            .max(2 * window.width as usize)
    }

    /// Where on a grid of n cells points lie, as parts of the whole, with their middle on cell ⌊n/2⌋.
    fn places<T: Real>(&self, n: usize) -> Axis {
        let (reach, exponent) = parts(self.reach_s);
        let each = exact::<T>(2.0 * reach) / (T::Exact::PI * exact::<T>(n as f64));
        let each = fraction(each, exponent + self.units_x.exponent);
        Axis::new::<T>(&self.units_x, self.middle_x, middle_cell(n), each, Fraction::default())
    }

    /// What shifts the middle of the frequencies to 0, of points.
    fn phases<T: Real>(&self, sign: Sign) -> Axis {
        Axis::new::<T>(&self.units_x, 0, 0, Fraction::default(), self.phase(self.middle_s, sign))
    }

    /// How many turns frequencies make from a cell to the next one, and what shifts the middle of the
    /// points to 0.
    fn turns<T: Real>(&self, sign: Sign) -> Axis {
        let (reach, exponent) = parts(self.reach_s);
        let each = fraction(exact::<T>(1.0) / exact::<T>(reach), self.units_s.exponent - exponent - 2);
        Axis::new::<T>(&self.units_s, self.middle_s, 0, each, self.phase(self.middle_x, sign))
    }

    /// The part of a turn that a middle makes of a unit of the other coordinates.
    fn phase(&self, middle: i128, sign: Sign) -> Fraction {
        turns(if sign == Sign::Plus { middle } else { -middle }, self.units_x.exponent + self.units_s.exponent)
    }
}

fn exact<T: Real>(number: f64) -> T::Exact {
    <T::Exact as From<f64>>::from(number)
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
