//! Transforms on non-uniform points.

use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use wgpu_fft::{Complex32, Planner};
use wgpu_fft_nufft::{ModeOrder, Nufft, Sign, Type3};

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
        let double = |axis: &Coordinates<'_>| -> PyResult<Vec<f64>> {
            match axis {
                Coordinates::Single(values) => Ok(values.as_slice()?.iter().map(|&value| value.into()).collect()),
                Coordinates::Double(values) => Ok(values.as_slice()?.to_vec()),
            }
        };
        match coordinates.iter().map(single).collect::<Option<Vec<_>>>() {
            Some(axes) => Ok(Self::Single(axes.into_iter().collect::<Result<_, _>>()?)),
            None => Ok(Self::Double(coordinates.iter().map(double).collect::<PyResult<_>>()?)),
        }
    }
}

fn slices<T>(axes: &[Vec<T>]) -> Vec<&[T]> {
    axes.iter().map(|values| &values[..]).collect()
}

fn sign(plus: bool) -> Sign {
    if plus { Sign::Plus } else { Sign::Minus }
}

/// A plan of type 1 or 2.
#[pyclass(frozen, module = "wgpu_fft._core")]
pub(crate) struct NufftPlan {
    plan: Own<(Arc<Planner>, Arc<wgpu_fft_nufft::Plan>)>,
}

/// Points of such plans, sorted on the device.
#[pyclass(frozen, module = "wgpu_fft._core")]
pub(crate) struct NufftPoints {
    points: Own<Arc<wgpu_fft_nufft::Points>>,
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
    let plan = aside(py, move || spec.plan(&planner))?.map_err(raised)?;
    Ok(NufftPlan { plan: Own::new((own, Arc::new(plan))) })
}

#[pymethods]
impl NufftPlan {
    /// Sorts points: one array for each axis.
    fn points(&self, py: Python<'_>, coordinates: Vec<Coordinates<'_>>) -> PyResult<NufftPoints> {
        let (planner, plan) = self.plan.get()?;
        let (planner, plan, axes) = (Arc::clone(planner), Arc::clone(plan), Axes::new(&coordinates)?);
        let sort = move || match &axes {
            Axes::Single(axes) => plan.points(&slices(axes)),
            Axes::Double(axes) => plan.points_f64(&planner, &slices(axes)),
        };
        Ok(NufftPoints { points: Own::new(Arc::new(aside(py, sort)?.map_err(raised)?)) })
    }

    /// Transforms an array on the host.
    fn run<'py>(
        &self,
        py: Python<'py>,
        points: PyRef<'py, NufftPoints>,
        input: PyReadonlyArray1<'py, Complex32>,
    ) -> PyResult<Bound<'py, PyArray1<Complex32>>> {
        let ((_, plan), points, input) = (self.plan.get()?, points.points.get()?, input.as_slice()?);
        let pending = py.detach(|| plan.run(points, input)).map_err(raised)?;
        Ok(PyArray1::from_vec(py, waited(py, pending)?))
    }
}

/// A plan of type 3 with its points and frequencies.
#[pyclass(frozen, module = "wgpu_fft._core")]
pub(crate) struct Nufft3Plan {
    plan: Own<wgpu_fft_nufft::Type3Plan>,
}

/// Compiles a transform of type 3 and sorts points and frequencies.
#[pyfunction]
pub(crate) fn plan_nufft3(
    py: Python<'_>,
    gpu: &Gpu,
    points: Vec<Coordinates<'_>>,
    frequencies: Vec<Coordinates<'_>>,
    batch: usize,
    tolerance: f64,
    plus: bool,
) -> PyResult<Nufft3Plan> {
    let spec = Type3::new().batch(batch).tolerance(tolerance).sign(sign(plus));
    let (planner, axes) = (Arc::clone(gpu.planner()?), points.len());
    let both = Axes::new(&points.into_iter().chain(frequencies).collect::<Vec<_>>())?;
    let make = move || match &both {
        Axes::Single(both) => spec.plan(&planner, &slices(&both[..axes]), &slices(&both[axes..])),
        Axes::Double(both) => spec.plan(&planner, &slices(&both[..axes]), &slices(&both[axes..])),
    };
    Ok(Nufft3Plan { plan: Own::new(aside(py, make)?.map_err(raised)?) })
}

#[pymethods]
impl Nufft3Plan {
    /// Transforms an array on the host.
    fn run<'py>(&self, py: Python<'py>, input: PyReadonlyArray1<'py, Complex32>) -> PyResult<Bound<'py, PyArray1<Complex32>>> {
        let (plan, input) = (self.plan.get()?, input.as_slice()?);
        let pending = py.detach(|| plan.run(input)).map_err(raised)?;
        Ok(PyArray1::from_vec(py, waited(py, pending)?))
    }
}
