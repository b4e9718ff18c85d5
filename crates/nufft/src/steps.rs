//! The steps between points and modes: spreading, interpolation, and the Fourier transform of the
//! fine grid.

use std::ops::Range;
use std::sync::Arc;

use wgpu_fft::fft::C2c;
use wgpu_fft::{Complex32, DeviceBuffer, Fragment, FragmentArrays, Gpu, Planner, Result, Shape, View, With, wgpu};

use crate::device::{Dispatch, Kernel, begin_pass, caught, groups_for, whole};
use crate::geometry::{Geometry, check_bytes};
use crate::kernels::Texts;
use crate::points::Sorted;
use crate::spec::{Kind, Sign};
use crate::window::Window;

/// The names of the factors in the fragment.
const FACTORS: [&str; 3] = ["factors0", "factors1", "factors2"];

#[derive(Debug)]
pub(crate) enum Step {
    Dispatch(Dispatch),
    Plan(wgpu_fft::Bound),
}

/// The fine grids of a batch, and the Fourier transform between them and modes in ascending order,
/// which divides by the window's.
#[derive(Debug)]
pub(crate) struct Fine {
    pub geometry: Geometry,
    pub cells: DeviceBuffer<Complex32>,
    fourier: Arc<wgpu_fft::Plan<C2c>>,
    /// Of each axis of the shape.
    factors: Vec<DeviceBuffer<f32>>,
}

impl Fine {
    /// From the grid to the modes for [`Kind::One`], and the other way round for [`Kind::Two`].
    pub fn new(planner: &Planner, shape: &Shape, window: &Window, kind: Kind, sign: Sign, batch: usize) -> Result<Self> {
        let gpu = planner.gpu();
        let geometry = Geometry::new(gpu.profile(), shape, window)?;
        let fine = geometry.shape();
        let cells = cells_of(gpu, &geometry, batch)?;
        let first = |&n: &usize| -((n / 2) as i64);
        let parts: Vec<_> = shape.extents().iter().map(|n| first(n)..first(n) + *n as i64).collect();
        let factors = parts.iter().zip(&fine).map(|(part, &n)| {
            let factors: Vec<f32> = part.clone().map(|k| (1.0 / window.transform(k as f64 / n as f64)) as f32).collect();
            gpu.upload(&factors)
        });
        let factors = factors.collect::<Result<Vec<_>>>()?;
        let product: Vec<String> = (0..parts.len()).map(|axis| format!("{}[i{axis}]", FACTORS[axis])).collect();
        let fragment = Fragment::new(format!("value * ({})", product.join(" * ")));
        let fragment = FACTORS.iter().zip(&factors).fold(fragment, |fragment, (name, own)| fragment.array::<f32>(*name, own.len()));
        let transform = match sign {
            Sign::Plus => C2c::inverse(&fine[..]),
            Sign::Minus => C2c::forward(&fine[..]),
        };
        let transform = transform.batch(batch);
        let fourier = match kind {
            Kind::One => planner.plan(transform.output_part(parts).map_output::<Complex32>(fragment)?)?,
            Kind::Two => planner.plan(transform.input_part(parts).map_input::<Complex32>(fragment)?)?,
        };
        Ok(Self { geometry, cells, fourier, factors })
    }

    /// The transform to these modes.
    pub fn to(&self, modes: View<'_, Complex32>) -> Result<Step> {
        self.fourier.bind(With(&self.cells, &self.arrays()), modes).map(Step::Plan)
    }

    /// The transform from these modes.
    pub fn from(&self, modes: View<'_, Complex32>) -> Result<Step> {
        self.fourier.bind(With(modes, &self.arrays()), &self.cells).map(Step::Plan)
    }

    /// The arrays of the fragment.
    fn arrays(&self) -> FragmentArrays<'_> {
        FACTORS.iter().zip(&self.factors).fold(FragmentArrays::new(), |arrays, (name, factors)| arrays.with(*name, factors))
    }
}

/// The cells of a grid, for each transform of a batch.
pub(crate) fn cells_of(gpu: &Gpu, geometry: &Geometry, batch: usize) -> Result<DeviceBuffer<Complex32>> {
    let len = geometry.len().saturating_mul(batch as u64);
    check_bytes(gpu.profile(), &format!("the fine grid {:?} of {batch} transforms", geometry.shape()), len.saturating_mul(8))?;
    gpu.alloc(len as usize)
}

/// From points to a grid.
#[derive(Debug)]
pub(crate) struct Spreading {
    strengths: Kernel,
    spread: Kernel,
    further: Kernel,
    join: Kernel,
}

impl Spreading {
    /// With `by_factors`, strengths are multiplied by a factor of each point first.
    pub fn new(planner: &Planner, texts: &Texts, by_factors: bool) -> Result<Self> {
        let kernel = |name| Kernel::new(planner, texts, name);
        Ok(Self {
            strengths: kernel(if by_factors { "multiplied strengths" } else { "strengths" })?,
            spread: kernel("spread")?,
            further: kernel("spread of further items")?,
            join: kernel("join")?,
        })
    }

    /// The steps from strengths, which have been checked, to cells.
    pub fn bind(
        &self,
        gpu: &Gpu,
        points: &Sorted,
        batch: usize,
        input: wgpu::BindingResource<'_>,
        factors: Option<&DeviceBuffer<Complex32>>,
        cells: &DeviceBuffer<Complex32>,
    ) -> Result<Vec<Step>> {
        let (profile, groups) = (gpu.profile(), batch as u32);
        let point_groups = groups_for(profile, points.len as u64, groups)?;
        let mut steps = Vec::new();
        let grid = || (0, points.grid.as_entire_binding());
        let ordered = gpu.alloc::<Complex32>(points.len * batch)?;
        let mut bindings = vec![grid(), (1, whole(points.sorted_indices())), (2, whole(&points.places)), (3, input), (4, whole(&ordered))];
        bindings.extend(factors.map(|factors| (5, whole(factors))));
        steps.push(Step::Dispatch(self.strengths.on(gpu, &bindings, point_groups)?));
        let tiles = points.geometry.tiles().iter().map(|&tiles| u64::from(tiles)).product();
        let read = [grid(), (1, whole(&points.starts)), (2, whole(&points.places)), (3, whole(&ordered))];
        let bindings = [&read[..], &[(5, whole(cells))]].concat();
        steps.push(Step::Dispatch(self.spread.on(gpu, &bindings, groups_for(profile, tiles, groups)?)?));
        if points.capacity > 0 {
            let parts_len = points.capacity * points.geometry.tile_len();
            let all = parts_len.saturating_mul(groups.into());
            check_bytes(profile, &format!("room for {} points in one place", points.len), all.saturating_mul(8))?;
            let parts = gpu.alloc::<Complex32>(all as usize)?;
            let bindings = [&read[..], &[(4, whole(&points.extra)), (5, whole(&parts))]].concat();
            steps.push(Step::Dispatch(self.further.on(gpu, &bindings, groups_for(profile, points.capacity, groups)?)?));
            let bindings = [grid(), (1, whole(&points.extra)), (2, whole(&parts)), (3, whole(cells))];
            steps.push(Step::Dispatch(self.join.on(gpu, &bindings, groups_for(profile, parts_len, groups)?)?));
        }
        Ok(steps)
    }
}

/// From a grid to points.
#[derive(Debug)]
pub(crate) struct Interpolating {
    interpolate: Kernel,
}

impl Interpolating {
    /// With `by_factors`, values are multiplied by a factor of each point at the end.
    pub fn new(planner: &Planner, texts: &Texts, by_factors: bool) -> Result<Self> {
        let name = if by_factors { "multiplied interpolate" } else { "interpolate" };
        Ok(Self { interpolate: Kernel::new(planner, texts, name)? })
    }

    /// The step from cells to values at points, which have been checked.
    pub fn bind(
        &self,
        gpu: &Gpu,
        points: &Sorted,
        batch: usize,
        cells: &DeviceBuffer<Complex32>,
        factors: Option<&DeviceBuffer<Complex32>>,
        output: wgpu::BindingResource<'_>,
    ) -> Result<Step> {
        let mut bindings = vec![
            (0, points.grid.as_entire_binding()),
            (1, whole(points.sorted_keys())),
            (2, whole(points.sorted_indices())),
            (3, whole(&points.places)),
            (4, whole(cells)),
            (5, output),
        ];
        bindings.extend(factors.map(|factors| (6, whole(factors))));
        let groups = groups_for(gpu.profile(), points.len as u64, batch as u32)?;
        self.interpolate.on(gpu, &bindings, groups).map(Step::Dispatch)
    }
}

/// A plan with its points, input and output. Binding did all checks and allocations, so it can be
/// recorded many times.
#[derive(Debug)]
pub struct Bound {
    pub(crate) gpu: Gpu,
    pub(crate) steps: Vec<Step>,
}

impl Bound {
    /// Records the transform as one compute pass. It submits nothing.
    ///
    /// # Errors
    /// [`Error::Wgpu`](wgpu_fft::Error::Wgpu) if the encoder has an open pass;
    /// [`Error::DeviceLost`](wgpu_fft::Error::DeviceLost).
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder) -> Result<()> {
        self.encode_steps(encoder, 0..self.steps.len())
    }

    /// What the steps of the transform are called, in their order.
    pub fn steps(&self) -> impl Iterator<Item = &'static str> {
        self.steps.iter().map(|step| match step {
            Step::Dispatch(dispatch) => dispatch.name(),
            Step::Plan(_) => "Fourier transform or order of modes",
        })
    }

    /// Records some of the [`steps`](Self::steps), to measure how long they take.
    ///
    /// # Errors
    /// Those of [`encode`](Self::encode).
    ///
    /// # Panics
    /// If there are fewer steps.
    pub fn encode_steps(&self, encoder: &mut wgpu::CommandEncoder, steps: Range<usize>) -> Result<()> {
        caught(&self.gpu, "recording", || {
            let pass = &mut begin_pass(encoder);
            for step in &self.steps[steps] {
                match step {
                    Step::Dispatch(dispatch) => dispatch.record(pass),
                    Step::Plan(bound) => bound.record(pass),
                }
            }
        })
    }
}
