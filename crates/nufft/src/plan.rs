//! A transform on one device.

use std::sync::Arc;

use wgpu_fft::fft::C2c;
use wgpu_fft::signal::Roll;
use wgpu_fft::{Complex32, DeviceBuffer, Error, Fragment, FragmentArrays, Gpu, IntoView, Pending, Planner, Result, View, With, wgpu};

use crate::device::{Dispatch, Kernel, checked, groups_for, whole};
use crate::geometry::{Geometry, check_bytes};
use crate::kernels::{DIGIT_BITS, SIZE, Texts};
use crate::points::{Points, check_axes};
use crate::spec::{Kind, ModeOrder, Nufft, Sign};

/// The names of the factors in the fragment.
const FACTORS: [&str; 3] = ["factors0", "factors1", "factors2"];

/// The kernels of a geometry.
#[derive(Debug)]
pub(crate) struct Kernels {
    pub bin: Kernel,
    pub arrange: Kernel,
    pub count: Kernel,
    pub moving: Kernel,
    pub sums: Kernel,
    pub scan: Kernel,
    pub extra: Kernel,
    /// Those of its type alone.
    of_type: OfType,
}

#[derive(Debug)]
enum OfType {
    One { strengths: Kernel, spread: Kernel, spread_further: Kernel, join: Kernel },
    Two { interpolate: Kernel },
}

impl Kernels {
    fn new(gpu: &Gpu, texts: &Texts, kind: Kind) -> Result<Self> {
        let texts = texts.all();
        let kernel = |name: &'static str| {
            let (_, text) = texts.iter().find(|(own, _)| *own == name).expect("each kernel has its text");
            Kernel::new(gpu, name, text)
        };
        let of_type = match kind {
            Kind::One => OfType::One {
                strengths: kernel("strengths")?,
                spread: kernel("spread")?,
                spread_further: kernel("spread of further items")?,
                join: kernel("join")?,
            },
            Kind::Two => OfType::Two { interpolate: kernel("interpolate")? },
        };
        Ok(Self {
            bin: kernel("bin")?,
            arrange: kernel("arrange")?,
            count: kernel("count")?,
            moving: kernel("move")?,
            sums: kernel("sums")?,
            scan: kernel("scan")?,
            extra: kernel("extra")?,
            of_type,
        })
    }
}

/// A [`Nufft`] on one device: its kernels, its fine grid and its factors. [`Nufft::plan`] makes it.
///
/// [`run`](Self::run) takes arrays on the host. [`bind`](Self::bind) takes arrays on the device,
/// and [`Bound::encode`] records into an encoder of yours. Plans of equal shape and tolerance can
/// use the same [`Points`].
#[derive(Debug)]
pub struct Plan {
    spec: Nufft,
    gpu: Gpu,
    geometry: Geometry,
    kernels: Arc<Kernels>,
    /// The fine grids of the batch.
    cells: DeviceBuffer<Complex32>,
    /// From the fine grid to the modes, or the other way round, with the factors of the window.
    fourier: Arc<wgpu_fft::Plan<C2c>>,
    /// Of each axis of the shape.
    factors: Vec<DeviceBuffer<f32>>,
    modes_len: usize,
    /// If the caller's modes are not in ascending order.
    order: Option<Order>,
}

/// What reorders modes, and where they are in ascending order.
#[derive(Debug)]
struct Order {
    roll: Arc<wgpu_fft::Plan<Roll<Complex32>>>,
    modes: DeviceBuffer<Complex32>,
}

impl Plan {
    pub(crate) fn new(planner: &Planner, spec: Nufft) -> Result<Self> {
        let gpu = planner.gpu().clone();
        let profile = gpu.profile();
        let window = spec.window()?;
        let geometry = Geometry::new(profile, &spec.shape, &window)?;
        if spec.batch == 0 {
            return Err(Error::Empty { what: "the batch", shape: "0".to_owned() });
        }
        let workgroup_bytes = (4 * SIZE) << DIGIT_BITS;
        for (what, limit, required, available) in [
            ("arrays of a kernel", "max_storage_buffers_per_shader_stage", 6, profile.storage_buffers),
            ("invocations of a workgroup", "max_compute_invocations_per_workgroup", SIZE, profile.invocations),
            ("bytes of workgroup memory", "max_compute_workgroup_storage_size", workgroup_bytes, profile.workgroup_bytes),
        ] {
            if required > available {
                let what = format!("a transform on non-uniform points ({what})");
                return Err(Error::LimitExceeded { what, limit, required: required.into(), available: available.into() });
            }
        }
        let batch = spec.batch as u64;
        let (cells, modes) = (geometry.len().saturating_mul(batch), (spec.shape.extents().iter().product::<usize>() as u64) * batch);
        check_bytes(profile, &format!("the fine grid {:?} of {batch} transforms", grid_shape(&geometry)), cells.saturating_mul(8))?;

        let kernels = Arc::new(Kernels::new(&gpu, &Texts::new(profile, &geometry, &window), spec.kind)?);
        let cells = gpu.alloc::<Complex32>(cells as usize)?;
        let modes_len = modes as usize;
        // By axis of the shape: the slowest one first.
        let fine = grid_shape(&geometry);
        let first = |&n: &usize| -((n / 2) as i64);
        let parts: Vec<_> = spec.shape.extents().iter().map(|n| first(n)..first(n) + *n as i64).collect();
        let factors = parts.iter().zip(&fine).map(|(part, &n)| {
            let factors: Vec<f32> = part.clone().map(|k| (1.0 / window.transform(k, n as u32)) as f32).collect();
            gpu.upload(&factors)
        });
        let factors = factors.collect::<Result<Vec<_>>>()?;
        let product: Vec<String> = (0..parts.len()).map(|axis| format!("{}[i{axis}]", FACTORS[axis])).collect();
        let fragment = Fragment::new(format!("value * ({})", product.join(" * ")));
        let fragment = FACTORS.iter().zip(&factors).fold(fragment, |fragment, (name, own)| fragment.array::<f32>(*name, own.len()));
        let transform = match spec.sign {
            Sign::Plus => C2c::inverse(&fine[..]),
            Sign::Minus => C2c::forward(&fine[..]),
        };
        let transform = transform.batch(spec.batch);
        let fourier = match spec.kind {
            Kind::One => planner.plan(transform.output_part(parts).map_output::<Complex32>(fragment)?)?,
            Kind::Two => planner.plan(transform.input_part(parts).map_input::<Complex32>(fragment)?)?,
        };
        let roll = match (spec.order, spec.kind) {
            (ModeOrder::Ascending, _) => None,
            (ModeOrder::Fft, Kind::One) => Some(Roll::ifftshift(spec.shape)),
            (ModeOrder::Fft, Kind::Two) => Some(Roll::fftshift(spec.shape)),
        };
        let order = roll.map(|roll| Ok(Order { roll: planner.plan(roll.batch(spec.batch))?, modes: gpu.alloc(modes_len)? })).transpose()?;
        Ok(Self { spec, gpu, geometry, kernels, cells, fourier, factors, modes_len, order })
    }

    /// The specification.
    pub fn spec(&self) -> &Nufft {
        &self.spec
    }

    /// Extents of the fine grid, slowest axis first.
    #[must_use]
    pub fn fine_grid(&self) -> Vec<usize> {
        grid_shape(&self.geometry)
    }

    /// How many cells of the fine grid a point reaches along each axis.
    #[must_use]
    pub fn width(&self) -> usize {
        self.geometry.width as usize
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
    /// [`Error::WrongInputs`] for another number of slices than there are axes; [`Error::WrongLen`] for
    /// slices of different lengths; [`Error::Unsupported`] for a NaN or an infinity, with its place;
    /// [`Error::LimitExceeded`] for more points than the device can bind.
    pub fn points(&self, coordinates: &[&[f32]]) -> Result<Points> {
        check_axes(&self.geometry, coordinates.len())?;
        let len = coordinates[0].len();
        for (axis, values) in coordinates.iter().enumerate() {
            if values.len() != len {
                return Err(Error::WrongLen { argument: "coordinates", expected: len, actual: values.len() });
            }
            if let Some(i) = values.iter().position(|value| !value.is_finite()) {
                let what = format!("the coordinate {} of point {i} on axis {axis}", values[i]);
                return Err(Error::Unsupported { what, why: "coordinates are finite angles in radians".to_owned() });
            }
        }
        let points = self.alloc_points(len)?;
        if len > 0 {
            let uploaded = coordinates.iter().map(|values| self.gpu.upload(values)).collect::<Result<Vec<_>>>()?;
            let views: Vec<View<'_, f32>> = uploaded.iter().map(DeviceBuffer::view).collect();
            self.gpu.submit(|encoder| points.set(encoder, &views))?;
        }
        Ok(points)
    }

    /// Room for so many points, which [`Points::set`] fills from arrays on the device.
    ///
    /// # Errors
    /// [`Error::LimitExceeded`] for more points than the device can bind; those of
    /// [`Gpu::alloc`](wgpu_fft::Gpu::alloc).
    pub fn alloc_points(&self, len: usize) -> Result<Points> {
        Points::new(&self.gpu, &self.kernels, &self.geometry, len)
    }

    /// Binds points, an input and an output, and allocates what the transform needs besides: the
    /// strengths in the order of the bins, and room for places with many points. For type 1 the
    /// input is the strengths, `batch` × points, and the output the modes; for type 2 the other way
    /// round.
    ///
    /// # Errors
    /// [`Error::Empty`] for no points; [`Error::Unsupported`] for points of another grid or device;
    /// [`Error::WrongLen`], [`Error::MissingUsage`], [`Error::Misaligned`] and [`Error::Aliased`] for
    /// arrays that do not fit; [`Error::LimitExceeded`] if the device cannot bind what is needed.
    pub fn bind<'a>(&self, points: &Points, input: impl IntoView<'a, Complex32>, output: impl IntoView<'a, Complex32>) -> Result<Bound> {
        let (input, output) = (input.into_view(), output.into_view());
        self.check_points(points)?;
        let Some(sorted) = &points.sorted else { return Err(Error::Empty { what: "the points", shape: "0".to_owned() }) };
        if input.buffer() == output.buffer() {
            return Err(Error::Aliased { first: "input", second: "output" });
        }
        let (gpu, profile, batch) = (&self.gpu, self.gpu.profile(), self.spec.batch as u32);
        let strengths_len = points.len().saturating_mul(self.spec.batch);
        let what = format!("the strengths of {} points in {batch} transforms", points.len());
        check_bytes(profile, &what, 8u64.saturating_mul(strengths_len as u64))?;
        let point_groups = groups_for(profile, points.len() as u64, batch)?;
        let grid = || (0, sorted.grid.as_entire_binding());
        let mut steps = Vec::new();
        match &self.kernels.of_type {
            OfType::One { strengths, spread, spread_further, join } => {
                let input = checked(gpu, "input", input, strengths_len)?;
                checked(gpu, "output", output, self.modes_len)?;
                let ordered = gpu.alloc::<Complex32>(strengths_len)?;
                let bindings = [grid(), (1, whole(sorted.sorted_indices())), (2, whole(&sorted.places)), (3, input), (4, whole(&ordered))];
                steps.push(Step::Dispatch(strengths.on(gpu, &bindings, point_groups)?));
                let tiles = self.geometry.tiles().iter().map(|&tiles| u64::from(tiles)).product();
                let read = [grid(), (1, whole(&sorted.starts)), (2, whole(&sorted.places)), (3, whole(&ordered))];
                let bindings = [&read[..], &[(5, whole(&self.cells))]].concat();
                steps.push(Step::Dispatch(spread.on(gpu, &bindings, groups_for(profile, tiles, batch)?)?));
                if sorted.capacity > 0 {
                    let parts_len = sorted.capacity * self.geometry.tile_len();
                    let all = parts_len.saturating_mul(batch.into());
                    check_bytes(profile, &format!("room for {} points in one place", points.len()), all.saturating_mul(8))?;
                    let parts = gpu.alloc::<Complex32>(all as usize)?;
                    let bindings = [&read[..], &[(4, whole(&sorted.extra)), (5, whole(&parts))]].concat();
                    steps.push(Step::Dispatch(spread_further.on(gpu, &bindings, groups_for(profile, sorted.capacity, batch)?)?));
                    let bindings = [grid(), (1, whole(&sorted.extra)), (2, whole(&parts)), (3, whole(&self.cells))];
                    steps.push(Step::Dispatch(join.on(gpu, &bindings, groups_for(profile, parts_len, batch)?)?));
                }
                let arrays = self.arrays();
                let Some(Order { roll, modes }) = &self.order else {
                    steps.push(Step::Plan(self.fourier.bind(With(&self.cells, &arrays), output)?));
                    return Ok(Bound { steps });
                };
                steps.push(Step::Plan(self.fourier.bind(With(&self.cells, &arrays), modes)?));
                steps.push(Step::Plan(roll.bind(modes, output)?));
            }
            OfType::Two { interpolate } => {
                checked(gpu, "input", input, self.modes_len)?;
                let output = checked(gpu, "output", output, strengths_len)?;
                let modes = match &self.order {
                    None => input,
                    Some(Order { roll, modes }) => {
                        steps.push(Step::Plan(roll.bind(input, modes)?));
                        modes.view()
                    }
                };
                steps.push(Step::Plan(self.fourier.bind(With(modes, &self.arrays()), &self.cells)?));
                let bindings = [
                    grid(),
                    (1, whole(sorted.sorted_keys())),
                    (2, whole(sorted.sorted_indices())),
                    (3, whole(&sorted.places)),
                    (4, whole(&self.cells)),
                    (5, output),
                ];
                steps.push(Step::Dispatch(interpolate.on(gpu, &bindings, point_groups)?));
            }
        }
        Ok(Bound { steps })
    }

    /// The arrays of the fragment.
    fn arrays(&self) -> FragmentArrays<'_> {
        FACTORS.iter().zip(&self.factors).fold(FragmentArrays::new(), |arrays, (name, factors)| arrays.with(*name, factors))
    }

    fn check_points(&self, points: &Points) -> Result<()> {
        if points.gpu.device() != self.gpu.device() {
            let why = "they were made by a plan of another device".to_owned();
            return Err(Error::ForeignObject { argument: "points", why });
        }
        if points.geometry != self.geometry {
            let what = format!("points sorted for a fine grid of {:?}", grid_shape(&points.geometry));
            let why = format!(
                "this plan has one of {:?} and windows of {} cells: points serve plans of the same shape and tolerance",
                grid_shape(&self.geometry),
                self.geometry.width
            );
            return Err(Error::Unsupported { what, why });
        }
        Ok(())
    }

    /// Transforms an array on the host. The modes of no points are 0.
    ///
    /// # Errors
    /// Those of [`bind`](Self::bind), where [`Error::Empty`] is that of type 2 alone; [`Error::DeviceLost`] and
    /// [`Error::OutOfMemory`], from this call or from the result.
    pub fn run(&self, points: &Points, input: &[Complex32]) -> Result<Pending<Vec<Complex32>>> {
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
        let output = self.gpu.alloc::<Complex32>(results)?;
        if points.is_empty() {
            return self.gpu.download(&output);
        }
        let input = self.gpu.upload(input)?;
        let bound = self.bind(points, &input, &output)?;
        self.gpu.submit(|encoder| bound.encode(encoder))?;
        self.gpu.download(&output)
    }
}

fn grid_shape(geometry: &Geometry) -> Vec<usize> {
    geometry.cells[..geometry.axes].iter().rev().map(|&cells| cells as usize).collect()
}

#[derive(Debug)]
enum Step {
    Dispatch(Dispatch),
    Plan(wgpu_fft::Bound),
}

/// A plan with its points, input and output. Binding did all checks and allocations, so it can be
/// recorded many times.
#[derive(Debug)]
pub struct Bound {
    steps: Vec<Step>,
}

impl Bound {
    /// Records the transform. It submits nothing.
    ///
    /// # Errors
    /// Those of [`wgpu_fft::Bound::encode`].
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder) -> Result<()> {
        for step in &self.steps {
            match step {
                Step::Dispatch(dispatch) => dispatch.record(encoder),
                Step::Plan(bound) => bound.encode(encoder)?,
            }
        }
        Ok(())
    }
}
