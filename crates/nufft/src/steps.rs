//! The steps between points and modes: spreading, interpolation, and the Fourier transform of the
//! fine grid.

use std::ops::Range;
use std::sync::Arc;

use wgpu_fft::fft::C2c;
use wgpu_fft::low_level::threads::side_by_side;
use wgpu_fft::{DeviceBuffer, Fragment, FragmentArrays, Gpu, Planner, Result, Shape, View, With, wgpu};

use crate::device::{Dispatch, Kernel, begin_pass, binding, caught, groups_for, uniform, whole};
use crate::geometry::{Geometry, check_bytes};
use crate::kernels::Texts;
use crate::points::{Grid, SHARE, Sorted};
use crate::real::Real;
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
pub(crate) struct Fine<T: Real> {
    pub geometry: Geometry,
    pub cells: DeviceBuffer<T::Complex>,
    fourier: Arc<wgpu_fft::Plan<T::Fourier>>,
    divisor: Divisor<T>,
}

/// What divides modes by the window's transform.
#[derive(Debug)]
enum Divisor<T: Real> {
    /// The Fourier transform, by factors of each axis of the shape.
    Fourier(Vec<DeviceBuffer<T>>),
    /// A kernel between the Fourier transform and the caller's modes.
    Kernel(Division<T>),
}

/// A kernel that divides modes, and what the Fourier transform takes or gives.
#[derive(Debug)]
struct Division<T: Real> {
    kernel: Kernel,
    grid: wgpu::Buffer,
    factors: DeviceBuffer<T>,
    modes: DeviceBuffer<T::Complex>,
    groups: [u32; 3],
}

impl<T: Real> Division<T> {
    /// `factors` are those of each axis, the slowest one first.
    fn new(planner: &Planner, texts: &Texts, factors: &[Vec<T>], batch: usize) -> Result<Self> {
        let gpu = planner.gpu();
        let mut n = [1u32; 4];
        n.iter_mut().zip(factors.iter().rev()).for_each(|(n, own)| *n = own.len() as u32);
        n[3] = n[..3].iter().product();
        // From the fastest axis on, and 1 for those that are not there.
        let mut all: Vec<T> = factors.iter().rev().flatten().copied().collect();
        all.extend((factors.len()..3).map(|_| T::nearest(1.0)));
        Ok(Self {
            kernel: Kernel::new(planner, texts, "modes")?,
            grid: uniform(gpu, &Grid { n, ..Grid::default() })?,
            factors: gpu.upload(&all)?,
            modes: gpu.alloc(n[3] as usize * batch)?,
            groups: groups_for(gpu.profile(), n[3].into(), batch as u32)?,
        })
    }

    fn step(&self, gpu: &Gpu, input: View<'_, T::Complex>, output: View<'_, T::Complex>) -> Result<Step> {
        let len = self.modes.len();
        let (input, output) = (binding(gpu, "input", input, len)?, binding(gpu, "output", output, len)?);
        let bindings = [(0, self.grid.as_entire_binding()), (1, whole(&self.factors)), (2, input), (3, output)];
        self.kernel.on(gpu, &bindings, self.groups).map(Step::Dispatch)
    }
}

impl<T: Real> Fine<T> {
    /// From the grid to the modes for [`Kind::One`], and the other way round for [`Kind::Two`]. The
    /// texts are those of any transform of the same numbers.
    pub fn new(planner: &Planner, texts: &Texts, shape: &Shape, window: &Window, kind: Kind, sign: Sign, batch: usize) -> Result<Self> {
        let gpu = planner.gpu();
        let geometry = Geometry::new::<T>(gpu.profile(), shape, window)?;
        let fine = geometry.shape();
        let cells = cells_of::<T>(gpu, &geometry, batch)?;
        let first = |&n: &usize| -((n / 2) as i64);
        let parts: Vec<_> = shape.extents().iter().map(|n| first(n)..first(n) + *n as i64).collect();
        let factor = |k: i64, n: usize| T::nearest(window.factor(k, n));
        let along = |(part, &n): (&Range<i64>, &usize)| {
            let shares: Vec<Range<i64>> = part.clone().step_by(SHARE).map(|k| k..part.end.min(k + SHARE as i64)).collect();
            side_by_side(&shares, |share| share.clone().map(|k| factor(k, n)).collect::<Vec<T>>()).concat()
        };
        let factors: Vec<Vec<T>> = parts.iter().zip(&fine).map(along).collect();
        let product: Vec<String> = (0..parts.len()).map(|axis| format!("{}[i{axis}]", FACTORS[axis])).collect();
        let fragment = Fragment::new(format!("value * ({})", product.join(" * ")));
        let fragment = FACTORS.iter().zip(&factors).fold(fragment, |fragment, (name, own)| fragment.array::<f32>(*name, own.len()));
        let transform = match sign {
            Sign::Plus => C2c::inverse(&fine[..]),
            Sign::Minus => C2c::forward(&fine[..]),
        };
        let transform = match kind {
            Kind::One => transform.output_part(parts),
            Kind::Two => transform.input_part(parts),
        };
        let fourier = planner.plan(T::fourier(transform.batch(batch), kind, fragment)?)?;
        let divisor = if T::DOUBLE {
            Divisor::Kernel(Division::new(planner, texts, &factors, batch)?)
        } else {
            Divisor::Fourier(factors.iter().map(|own| gpu.upload(own)).collect::<Result<_>>()?)
        };
        Ok(Self { geometry, cells, fourier, divisor })
    }

    /// The steps to these modes.
    pub fn to(&self, gpu: &Gpu, modes: View<'_, T::Complex>) -> Result<Vec<Step>> {
        Ok(match &self.divisor {
            Divisor::Fourier(factors) => vec![Step::Plan(self.fourier.bind(With(&self.cells, &arrays(factors)), modes)?)],
            Divisor::Kernel(own) => {
                vec![Step::Plan(self.fourier.bind(&self.cells, &own.modes)?), own.step(gpu, own.modes.view(), modes)?]
            }
        })
    }

    /// The steps from these modes.
    pub fn from(&self, gpu: &Gpu, modes: View<'_, T::Complex>) -> Result<Vec<Step>> {
        Ok(match &self.divisor {
            Divisor::Fourier(factors) => vec![Step::Plan(self.fourier.bind(With(modes, &arrays(factors)), &self.cells)?)],
            Divisor::Kernel(own) => {
                vec![own.step(gpu, modes, own.modes.view())?, Step::Plan(self.fourier.bind(&own.modes, &self.cells)?)]
            }
        })
    }
}

/// The arrays of the fragment.
fn arrays<T: Real>(factors: &[DeviceBuffer<T>]) -> FragmentArrays<'_> {
    FACTORS.iter().zip(factors).fold(FragmentArrays::new(), |arrays, (name, factors)| arrays.with(*name, factors))
}

/// The cells of a grid, for each transform of a batch.
pub(crate) fn cells_of<T: Real>(gpu: &Gpu, geometry: &Geometry, batch: usize) -> Result<DeviceBuffer<T::Complex>> {
    let len = geometry.len().saturating_mul(batch as u64);
    check_bytes(
        gpu.profile(),
        &format!("the fine grid {:?} of {batch} transforms", geometry.shape()),
        len.saturating_mul(size_of::<T::Complex>() as u64),
    )?;
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
    pub fn bind<T: Real>(
        &self,
        gpu: &Gpu,
        points: &Sorted,
        batch: usize,
        input: wgpu::BindingResource<'_>,
        factors: Option<&DeviceBuffer<T::Complex>>,
        cells: &DeviceBuffer<T::Complex>,
    ) -> Result<Vec<Step>> {
        let (profile, groups) = (gpu.profile(), batch as u32);
        let point_groups = groups_for(profile, points.len as u64, groups)?;
        let mut steps = Vec::new();
        let grid = || (0, points.grid.as_entire_binding());
        let ordered = gpu.alloc::<T::Complex>(points.len * batch)?;
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
            check_bytes(
                profile,
                &format!("room for {} points in one place", points.len),
                all.saturating_mul(size_of::<T::Complex>() as u64),
            )?;
            let parts = gpu.alloc::<T::Complex>(all as usize)?;
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
    pub fn bind<T: Real>(
        &self,
        gpu: &Gpu,
        points: &Sorted,
        batch: usize,
        cells: &DeviceBuffer<T::Complex>,
        factors: Option<&DeviceBuffer<T::Complex>>,
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
