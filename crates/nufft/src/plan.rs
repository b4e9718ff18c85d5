//! A transform on one device.

use std::sync::Arc;

use wgpu_fft::signal::Roll;
use wgpu_fft::{DeviceBuffer, Element, Error, Gpu, IntoView, Pending, Planner, Result, View};

use crate::device::binding;
use crate::geometry::check_bytes;
use crate::kernels::{SIZE, Texts};
use crate::points::{Binning, Points, Sorting, check_coordinates};
use crate::real::Real;
use crate::spec::{Kind, ModeOrder, Nufft};
use crate::steps::{Bound, Fine, Interpolating, Spreading, Step};

/// A [`Nufft`] on one device: its kernels, its fine grid and its factors. [`Nufft::plan`] makes it.
///
/// [`run`](Self::run) takes arrays on the host. [`bind`](Self::bind) takes arrays on the device,
/// and [`Bound::encode`] records into an encoder of yours. Plans of equal shape and tolerance can
/// use the same [`Points`].
#[derive(Debug)]
pub struct Plan<T: Real = f32> {
    spec: Nufft<T>,
    gpu: Gpu,
    texts: Texts,
    sorting: Sorting,
    /// Finds the bins of coordinates in radians.
    bin: Arc<Binning>,
    of_type: OfType,
    fine: Fine<T>,
    modes_len: usize,
    /// If the caller's modes are not in ascending order.
    order: Option<Order<T>>,
}

/// The kernels of its type alone.
#[derive(Debug)]
enum OfType {
    One(Spreading),
    Two(Interpolating),
}

/// What reorders modes, and where they are in ascending order.
#[derive(Debug)]
struct Order<T: Real> {
    roll: Arc<wgpu_fft::Plan<Roll<T::Complex>>>,
    modes: DeviceBuffer<T::Complex>,
}

/// Refuses a batch of none, and devices that are too small for the kernels.
pub(crate) fn check_device(gpu: &Gpu, batch: usize) -> Result<()> {
    let profile = gpu.profile();
    if batch == 0 {
        return Err(Error::Empty { what: "the batch", shape: "0".to_owned() });
    }
    // The sort's counts of the longest digits.
    let workgroup_bytes = 16384;
    for (what, limit, required, available) in [
        ("arrays of a kernel", "max_storage_buffers_per_shader_stage", 7, profile.storage_buffers),
        ("invocations of a workgroup", "max_compute_invocations_per_workgroup", SIZE, profile.invocations),
        ("bytes of workgroup memory", "max_compute_workgroup_storage_size", workgroup_bytes, profile.workgroup_bytes),
    ] {
        if required > available {
            let what = format!("a transform on non-uniform points ({what})");
            return Err(Error::LimitExceeded { what, limit, required: required.into(), available: available.into() });
        }
    }
    Ok(())
}

/// How many numbers so many points have in a batch, if the device can bind them.
pub(crate) fn values_at<T: Real>(gpu: &Gpu, points: usize, batch: usize) -> Result<usize> {
    let len = points.saturating_mul(batch);
    let bytes = (size_of::<T::Complex>() as u64).saturating_mul(len as u64);
    check_bytes(gpu.profile(), &format!("the strengths of {points} points in {batch} transforms"), bytes)?;
    Ok(len)
}

impl<T: Real> Plan<T> {
    pub(crate) fn new(planner: &Planner, spec: Nufft<T>) -> Result<Self> {
        let gpu = planner.gpu().clone();
        let window = spec.window()?;
        let texts = spec.texts(gpu.profile())?;
        check_device(&gpu, spec.batch)?;
        let fine = Fine::new(planner, &texts, &spec.shape, &window, spec.kind, spec.sign, spec.batch)?;
        let of_type = match spec.kind {
            Kind::One => OfType::One(Spreading::new(planner, &texts, false)?),
            Kind::Two => OfType::Two(Interpolating::new(planner, &texts, false)?),
        };
        let modes_len = spec.shape.extents().iter().product::<usize>() * spec.batch;
        let roll = match (spec.order, spec.kind) {
            (ModeOrder::Ascending, _) => None,
            (ModeOrder::Fft, Kind::One) => Some(Roll::ifftshift(spec.shape)),
            (ModeOrder::Fft, Kind::Two) => Some(Roll::fftshift(spec.shape)),
        };
        let order = roll.map(|roll| Ok(Order { roll: planner.plan(roll.batch(spec.batch))?, modes: gpu.alloc(modes_len)? })).transpose()?;
        let (sorting, bin) = (Sorting::new(planner, &texts)?, Arc::new(Binning::radians::<T>(planner, &texts)?));
        Ok(Self { spec, gpu, texts, sorting, bin, of_type, fine, modes_len, order })
    }

    /// The specification.
    pub fn spec(&self) -> &Nufft<T> {
        &self.spec
    }

    /// Extents of the fine grid, slowest axis first.
    #[must_use]
    pub fn fine_grid(&self) -> Vec<usize> {
        self.fine.geometry.shape()
    }

    /// How many cells of the fine grid a point reaches along each axis.
    #[must_use]
    pub fn width(&self) -> usize {
        self.fine.geometry.width as usize
    }

    /// The number of modes, of all transforms of the batch.
    #[must_use]
    pub fn modes_len(&self) -> usize {
        self.modes_len
    }

    /// Sorts points whose coordinates are on the host: one slice for each axis, in the order of the
    /// axes of the shape, in radians.
    ///
    /// # Errors
    /// [`Error::WrongInputs`] for another number of slices than there are axes; [`Error::WrongLen`]
    /// for slices of different lengths; [`Error::Unsupported`] for a NaN or an infinity, with its
    /// place; [`Error::LimitExceeded`] for more points than the device can bind.
    pub fn points(&self, coordinates: &[&[T]]) -> Result<Points<T>> {
        self.points_by(coordinates, || Ok(Arc::clone(&self.bin)))
    }

    /// Points with coordinates on the host, of a kind that `bin` knows.
    fn points_by<C: Element + Into<f64>>(&self, coordinates: &[&[C]], bin: impl FnOnce() -> Result<Arc<Binning>>) -> Result<Points<T>> {
        let (len, _) = check_coordinates(self.fine.geometry.axes, coordinates)?;
        let points = self.alloc_points(len)?;
        if let Some(sorted) = &points.sorted {
            let uploaded = coordinates.iter().map(|values| self.gpu.upload(values)).collect::<Result<Vec<_>>>()?;
            let views: Vec<View<'_, C>> = uploaded.iter().map(DeviceBuffer::view).collect();
            let bin = bin()?;
            self.gpu.submit(|encoder| sorted.set(&self.gpu, &bin, encoder, &views))?;
        }
        Ok(points)
    }

    /// Room for so many points, which [`Points::set`] fills from arrays on the device.
    ///
    /// # Errors
    /// [`Error::LimitExceeded`] for more points than the device can bind; those of
    /// [`Gpu::alloc`](wgpu_fft::Gpu::alloc).
    pub fn alloc_points(&self, len: usize) -> Result<Points<T>> {
        Points::new(&self.gpu, &self.sorting, &self.bin, &self.fine.geometry, len)
    }

    /// Binds points, an input and an output, and allocates what the transform needs besides: the
    /// strengths in the order of the bins, and room for places with many points. For type 1 the
    /// input is the strengths, `batch` × points, and the output the modes; for type 2 the other way
    /// round.
    ///
    /// # Errors
    /// [`Error::Empty`] for no points; [`Error::Unsupported`] for points of another grid or device;
    /// [`Error::WrongLen`], [`Error::MissingUsage`], [`Error::Misaligned`] and [`Error::Aliased`]
    /// for arrays that do not fit; [`Error::LimitExceeded`] if the device cannot bind what is
    /// needed.
    pub fn bind<'a>(
        &self,
        points: &Points<T>,
        input: impl IntoView<'a, T::Complex>,
        output: impl IntoView<'a, T::Complex>,
    ) -> Result<Bound> {
        let (input, output) = (input.into_view(), output.into_view());
        self.check_points(points)?;
        let Some(sorted) = &points.sorted else { return Err(Error::Empty { what: "the points", shape: "0".to_owned() }) };
        if input.buffer() == output.buffer() {
            return Err(Error::Aliased { first: "input", second: "output" });
        }
        let (gpu, batch) = (&self.gpu, self.spec.batch);
        let values = values_at::<T>(gpu, points.len(), batch)?;
        let mut steps = Vec::new();
        match &self.of_type {
            OfType::One(spreading) => {
                let input = binding(gpu, "input", input, values)?;
                binding(gpu, "output", output, self.modes_len)?;
                steps.extend(spreading.bind::<T>(gpu, sorted, batch, input, None, &self.fine.cells)?);
                match &self.order {
                    None => steps.extend(self.fine.to(gpu, output)?),
                    Some(Order { roll, modes }) => {
                        steps.extend(self.fine.to(gpu, modes.view())?);
                        steps.push(Step::Plan(roll.bind(modes, output)?));
                    }
                }
            }
            OfType::Two(interpolating) => {
                binding(gpu, "input", input, self.modes_len)?;
                let output = binding(gpu, "output", output, values)?;
                let modes = match &self.order {
                    None => input,
                    Some(Order { roll, modes }) => {
                        steps.push(Step::Plan(roll.bind(input, modes)?));
                        modes.view()
                    }
                };
                steps.extend(self.fine.from(gpu, modes)?);
                steps.push(interpolating.bind::<T>(gpu, sorted, batch, &self.fine.cells, None, output)?);
            }
        }
        Ok(Bound { gpu: self.gpu.clone(), steps })
    }

    fn check_points(&self, points: &Points<T>) -> Result<()> {
        if points.gpu.device() != self.gpu.device() {
            let why = "they were made by a plan of another device".to_owned();
            return Err(Error::ForeignObject { argument: "points", why });
        }
        if points.geometry != self.fine.geometry {
            let what = format!("points sorted for a fine grid of {:?}", points.geometry.shape());
            let why = format!(
                "this plan has one of {:?} and windows of {} cells: points serve plans of the same shape and tolerance",
                self.fine.geometry.shape(),
                self.fine.geometry.width
            );
            return Err(Error::Unsupported { what, why });
        }
        Ok(())
    }

    /// Transforms an array on the host. The modes of no points are 0.
    ///
    /// # Errors
    /// Those of [`bind`](Self::bind), where [`Error::Empty`] is that of type 2 alone;
    /// [`Error::DeviceLost`] and [`Error::OutOfMemory`], from this call or from the result.
    pub fn run(&self, points: &Points<T>, input: &[T::Complex]) -> Result<Pending<Vec<T::Complex>>> {
        self.check_points(points)?;
        let values = points.len().saturating_mul(self.spec.batch);
        let (expected, results) = match self.spec.kind {
            Kind::One => (values, self.modes_len),
            Kind::Two => (self.modes_len, values),
        };
        if input.len() != expected {
            return Err(Error::WrongLen { argument: "input", expected, actual: input.len() });
        }
        if results == 0 {
            return Err(Error::Empty { what: "the values at points", shape: "0".to_owned() });
        }
        // A new array is all zeros.
        let output = self.gpu.alloc::<T::Complex>(results)?;
        if points.is_empty() {
            return self.gpu.download(&output);
        }
        let input = self.gpu.upload(input)?;
        let bound = self.bind(points, &input, &output)?;
        self.gpu.submit(|encoder| bound.encode(encoder))?;
        self.gpu.download(&output)
    }
}

impl Plan {
    /// What [`points`](Self::points) does for coordinates in f64, of which no digit is lost: the device
    /// computes with them in integers. Strengths and modes are in f32 all the same, unlike those of
    /// [`Nufft::f64`], and any device will do. `planner` is one of the same device; the first time, it
    /// compiles a kernel more.
    ///
    /// # Errors
    /// Those of [`points`](Self::points), and what the device says of the kernels.
    pub fn points_f64(&self, planner: &Planner, coordinates: &[&[f64]]) -> Result<Points> {
        self.points_by(coordinates, || Binning::radians_f64(planner, &self.texts).map(Arc::new))
    }
}
