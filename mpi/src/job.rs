//! The local passes of a transform, for any share of it.

use std::rc::Rc;

use wgpu_fft::multi::partition::in_multiples;
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Complex32, fft};

use crate::arithmetic::{Arithmetic, Recipes, common, same_arithmetic};
use crate::cluster::{Cluster, Device};
use crate::error::{Part, Result};
use crate::link::Link;
use crate::local::LocalPass;
use crate::spec::{Geometry, Kind, Order, Transform};

/// The number of elements that recipes are chosen for: as many as the transform has, but no more
/// than this, so that any device can hold them. It must not depend on the ranks.
const DESIGNED_FOR: usize = 1 << 24;

/// A transform and its arithmetic: everything except which rank computes what.
#[derive(Debug)]
pub(crate) struct Job<T: Transform> {
    pub link: Link,
    pub device: Rc<Device>,
    pub spec: T,
    pub geometry: Geometry,
    rows: fft::Recipe,
    columns: Option<fft::Recipe>,
}

impl<T: Transform> Job<T> {
    /// Lets the ranks agree on the recipes. Collective.
    pub fn new(cluster: &Cluster, spec: T, arithmetic: &Arithmetic) -> Result<Self> {
        let (link, device) = (cluster.link.clone(), Rc::clone(&cluster.device));
        let problem = spec.problem();
        let geometry = problem.geometry()?;
        let lines = |all: usize, elements: usize| (DESIGNED_FOR / elements).clamp(1, all);
        let rows = spec.rows(lines(geometry.rows, geometry.positions))?;
        let rows = common(&link, &device, &rows, arithmetic, |given| Some(given.rows.clone()))?;
        let columns = if geometry.is_distributed() {
            let spec = problem.columns(lines(geometry.frequencies(), geometry.rows));
            Some(common(&link, &device, &spec, arithmetic, |given| given.columns.clone())?)
        } else {
            None
        };
        Ok(Self { link, device, spec, geometry, rows, columns })
    }

    pub fn recipes(&self) -> Recipes {
        Recipes { rows: self.rows.to_string(), columns: self.columns.as_ref().map(ToString::to_string) }
    }

    pub fn is_forward(&self) -> bool {
        self.spec.problem().kind.is_forward()
    }

    pub fn order(&self) -> Order {
        self.spec.problem().order
    }

    /// The number of units of axis 0 that must stay together. Some recipes transform two rows of
    /// reals as one complex row, and the shares must not change which rows these are. The number
    /// does not depend on the recipe either, so that a transform and its inverse can have the same
    /// shares.
    pub fn alignment(&self) -> usize {
        let real = !matches!(self.spec.problem().kind, Kind::C2c(_));
        if real && !self.geometry.rows_in_unit.is_multiple_of(2) { 2 } else { 1 }
    }

    /// Shares of axis 0 that keep these groups of rows together.
    pub fn rows_by(&self, divide: impl FnOnce(usize) -> wgpu_fft::Result<Vec<usize>>) -> Result<Vec<usize>> {
        Ok(in_multiples(self.geometry.rows, self.alignment(), divide)?)
    }

    /// The pass over `units` units of axis 0, or `None` for 0 units. A forward pass takes slabs
    /// \[r, …\] of positions to \[C, K, r\]. An inverse pass takes \[r, C, K\] to slabs of
    /// positions.
    pub fn rows_pass(&self, units: usize) -> Part<Option<LocalPass>> {
        if units == 0 {
            return Ok(None);
        }
        let from = if self.is_forward() { self.geometry.positions } else { self.geometry.frequencies() };
        let words = units * from * size_of::<T::Input>() / size_of::<f32>();
        let plan = same_arithmetic(&self.device.planner, self.spec.rows(units)?, &self.rows)?;
        let pass = LocalPass::new(&self.device, words)?.then(&plan)?;
        if !(self.is_forward() && self.geometry.is_distributed()) {
            return Ok(Some(pass));
        }
        self.turned(pass, [units, self.geometry.frequencies()]).map(Some)
    }

    /// The pass over `units` units of axis 1, from \[c, K, n₀\] to the same, or to \[n₀, c, K\] if
    /// `turned`.
    pub fn columns_pass(&self, units: usize, turned: bool) -> Part<Option<LocalPass>> {
        let (lines, n) = (units * self.geometry.inner, self.geometry.rows);
        if units == 0 {
            return Ok(None);
        }
        let (planner, columns) = (&self.device.planner, self.spec.problem().columns(lines));
        let plan = match &self.columns {
            Some(recipe) => same_arithmetic(planner, columns, recipe)?,
            None => planner.plan(columns)?,
        };
        let pass = LocalPass::new(&self.device, complex(lines * n))?.then(&plan)?;
        Ok(Some(if turned { self.turned(pass, [lines, n])? } else { pass }))
    }

    /// The pass that only transposes `units` units of axis 0, from \[r, C, K\] to \[C, K, r\].
    pub fn turn_pass(&self, units: usize) -> Part<Option<LocalPass>> {
        if units == 0 {
            return Ok(None);
        }
        let columns = self.geometry.frequencies();
        self.turned(LocalPass::new(&self.device, complex(units * columns))?, [units, columns]).map(Some)
    }

    /// Appends a transpose of complex numbers, with a recipe that this device chooses itself.
    fn turned(&self, pass: LocalPass, shape: [usize; 2]) -> Part<LocalPass> {
        let plan = self.device.planner.plan(Permute::<Complex32>::transpose(shape))?;
        pass.then(&plan)
    }

    /// The conventional number of floating-point operations: 5·n·log₂n for n complex points.
    pub fn operations(&self) -> f64 {
        let points = self.geometry.rows as f64 * self.geometry.positions as f64;
        let per_point = if self.geometry.is_distributed() { points } else { self.geometry.positions as f64 };
        5.0 * points * per_point.max(2.0).log2()
    }
}

fn complex(len: usize) -> usize {
    len * size_of::<Complex32>() / size_of::<f32>()
}
