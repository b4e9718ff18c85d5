//! Transforms on non-uniform points.

use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::{Complex32, Pending, Planner};
use wgpu_fft_nufft::{ModeOrder, Nufft, Plan, Points, Sign, Type3, Type3Plan};

use crate::error::{raised, refused};
use crate::gpu::Gpu;
use crate::process::{Own, aside, waited};

/// Coordinates along an axis, in either precision.
#[derive(FromPyObject)]
pub(crate) enum Coordinates<'py> {
    Single(PyReadonlyArray1<'py, f32>),
    Double(PyReadonlyArray1<'py, f64>),
}

/// The same of several axes, in f64 if one is.
enum Axes {
    Single(Vec<Vec<f32>>),
    Double(Vec<Vec<f64>>),
}

impl Axes {
    fn new(coordinates: &[Coordinates<'_>]) -> PyResult<Self> {
        let single = |axis: &Coordinates<'_>| match axis {
            Coordinates::Single(values) => Some(values.as_slice().map(<[f32]>::to_vec)),
            Coordinates::Double(_) => None,
        };
        match coordinates.iter().map(single).collect::<Option<Vec<_>>>() {
            Some(axes) => Ok(Self::Single(axes.into_iter().collect::<Result<_, _>>()?)),
            None => in_f64(coordinates).map(Self::Double),
        }
    }
}

fn in_f64(coordinates: &[Coordinates<'_>]) -> PyResult<Vec<Vec<f64>>> {
    let axis = |axis: &Coordinates<'_>| -> PyResult<Vec<f64>> {
        match axis {
            Coordinates::Single(values) => Ok(values.as_slice()?.iter().map(|&value| value.into()).collect()),
            Coordinates::Double(values) => Ok(values.as_slice()?.to_vec()),
        }
    };
    coordinates.iter().map(axis).collect()
}

fn slices<T>(axes: &[Vec<T>]) -> Vec<&[T]> {
    axes.iter().map(|values| &values[..]).collect()
}

fn sign(plus: bool) -> Sign {
    if plus { Sign::Plus } else { Sign::Minus }
}

/// What computes in f32 or in f64.
enum Of<S, D> {
    Single(S),
    Double(D),
}

/// Strengths, modes or values.
#[derive(FromPyObject)]
pub(crate) enum Values<'py> {
    Single(PyReadonlyArray1<'py, Complex32>),
    Double(PyReadonlyArray1<'py, Complex64>),
}

/// The result of a transform of values, which are those of its plan.
fn transformed<'py>(
    py: Python<'py>,
    input: &Values<'py>,
    single: Option<impl FnOnce(&[Complex32]) -> wgpu_fft::Result<Pending<Vec<Complex32>>> + Send>,
    double: Option<impl FnOnce(&[Complex64]) -> wgpu_fft::Result<Pending<Vec<Complex64>>> + Send>,
) -> PyResult<Bound<'py, PyAny>> {
    match (input, single, double) {
        (Values::Single(input), Some(run), _) => {
            let input = input.as_slice()?;
            let pending = py.detach(|| run(input)).map_err(raised)?;
            Ok(PyArray1::from_vec(py, waited(py, pending)?).into_any())
        }
        (Values::Double(input), _, Some(run)) => {
            let input = input.as_slice()?;
            let pending = py.detach(|| run(input)).map_err(raised)?;
            Ok(PyArray1::from_vec(py, waited(py, pending)?).into_any())
        }
        _ => Err(mixed()),
    }
}

fn mixed() -> PyErr {
    refused("parse", "plan, points and values are all in single precision or all in double precision")
}

type Plans = Of<Arc<Plan>, Arc<Plan<f64>>>;

/// A plan of type 1 or 2.
#[pyclass(frozen, module = "wgpu_fft._core")]
pub(crate) struct NufftPlan {
    plan: Own<(Arc<Planner>, Plans)>,
}

/// Points of such plans, sorted on the device.
#[pyclass(frozen, module = "wgpu_fft._core")]
pub(crate) struct NufftPoints {
    points: Own<Of<Arc<Points>, Arc<Points<f64>>>>,
}

/// Compiles a transform of type 1 or 2.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn plan_nufft(
    py: Python<'_>,
    gpu: &Gpu,
    kind: u32,
    modes: Vec<usize>,
    batch: usize,
    tolerance: f64,
    plus: bool,
    ascending: bool,
    double: bool,
) -> PyResult<NufftPlan> {
    let spec = match kind {
        1 => Nufft::type1(&modes[..]),
        2 => Nufft::type2(&modes[..]),
        other => return Err(refused("parse", &format!("there is no type {other} that has modes"))),
    };
    let order = if ascending { ModeOrder::Ascending } else { ModeOrder::Fft };
    let spec = spec.batch(batch).tolerance(tolerance).sign(sign(plus)).order(order);
    let planner = Arc::clone(gpu.planner()?);
    let own = Arc::clone(&planner);
    let plan = aside(py, move || {
        if double {
            return spec.f64().plan(&planner).map(|plan| Of::Double(Arc::new(plan)));
        }
        spec.plan(&planner).map(|plan| Of::Single(Arc::new(plan)))
    })?;
    Ok(NufftPlan { plan: Own::new((own, plan.map_err(raised)?)) })
}

#[pymethods]
impl NufftPlan {
    /// Sorts points: one array for each axis.
    fn points(&self, py: Python<'_>, coordinates: Vec<Coordinates<'_>>) -> PyResult<NufftPoints> {
        let (planner, plan) = self.plan.get()?;
        let points = match plan {
            Of::Single(plan) => {
                let (planner, plan, axes) = (Arc::clone(planner), Arc::clone(plan), Axes::new(&coordinates)?);
                let sort = move || match &axes {
                    Axes::Single(axes) => plan.points(&slices(axes)),
                    Axes::Double(axes) => plan.points_f64(&planner, &slices(axes)),
                };
                Of::Single(Arc::new(aside(py, sort)?.map_err(raised)?))
            }
            Of::Double(plan) => {
                let (plan, axes) = (Arc::clone(plan), in_f64(&coordinates)?);
                Of::Double(Arc::new(aside(py, move || plan.points(&slices(&axes)))?.map_err(raised)?))
            }
        };
        Ok(NufftPoints { points: Own::new(points) })
    }

    /// Transforms an array on the host.
    fn run<'py>(&self, py: Python<'py>, points: PyRef<'py, NufftPoints>, input: Values<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (single, double) = match (&self.plan.get()?.1, points.points.get()?) {
            (Of::Single(plan), Of::Single(points)) => (Some(move |input: &[Complex32]| plan.run(points, input)), None),
            (Of::Double(plan), Of::Double(points)) => (None, Some(move |input: &[Complex64]| plan.run(points, input))),
            _ => return Err(mixed()),
        };
        transformed(py, &input, single, double)
    }
}

/// A plan of type 3 with its points and frequencies.
#[pyclass(frozen, module = "wgpu_fft._core")]
pub(crate) struct Nufft3Plan {
    plan: Own<Of<Type3Plan, Type3Plan<f64>>>,
}

/// Compiles a transform of type 3 and sorts points and frequencies.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn plan_nufft3(
    py: Python<'_>,
    gpu: &Gpu,
    points: Vec<Coordinates<'_>>,
    frequencies: Vec<Coordinates<'_>>,
    batch: usize,
    tolerance: f64,
    plus: bool,
    double: bool,
) -> PyResult<Nufft3Plan> {
    let spec = Type3::new().batch(batch).tolerance(tolerance).sign(sign(plus));
    let (planner, axes) = (Arc::clone(gpu.planner()?), points.len());
    let both = Axes::new(&points.into_iter().chain(frequencies).collect::<Vec<_>>())?;
    let make = move || match &both {
        Axes::Single(both) => made(&planner, spec, &slices(both), axes, double),
        Axes::Double(both) => made(&planner, spec, &slices(both), axes, double),
    };
    Ok(Nufft3Plan { plan: Own::new(aside(py, make)?.map_err(raised)?) })
}

/// A plan of points along the first axes, and of frequencies along the others.
fn made<T: Copy + Into<f64> + Sync>(
    planner: &Planner,
    spec: Type3,
    both: &[&[T]],
    axes: usize,
    double: bool,
) -> wgpu_fft::Result<Of<Type3Plan, Type3Plan<f64>>> {
    let (points, frequencies) = both.split_at(axes);
    if double {
        return spec.f64().plan(planner, points, frequencies).map(Of::Double);
    }
    spec.plan(planner, points, frequencies).map(Of::Single)
}

#[pymethods]
impl Nufft3Plan {
    /// Transforms an array on the host.
    fn run<'py>(&self, py: Python<'py>, input: Values<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (single, double) = match self.plan.get()? {
            Of::Single(plan) => (Some(move |input: &[Complex32]| plan.run(input)), None),
            Of::Double(plan) => (None, Some(move |input: &[Complex64]| plan.run(input))),
        };
        transformed(py, &input, single, double)
    }
}
