//! The local passes of a transform, for any share of it.

use std::rc::Rc;
use std::sync::Arc;

use wgpu_fft::fft::{C2c, Recipe};
use wgpu_fft::low_level::divide::InParts;
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Complex32, Result};

use super::arithmetic::{Arithmetic, Recipes, common, same_arithmetic};
use super::cluster::{Cluster, Device};
use super::failure::Outcome;
use super::geometry::{COMPLEX, Geometry, Order};
use super::link::Link;
use super::local::LocalPass;
use crate::error;
use crate::task::Task;

/// The number of elements that recipes are chosen for: as many as the transform has, but no more
/// than this, so that any device can hold them. It must not depend on the ranks.
const DESIGNED_FOR: usize = 1 << 24;

/// A transform and its arithmetic: everything except which rank computes what.
pub(super) struct Passes {
    pub link: Link,
    pub device: Rc<Device>,
    pub geometry: Geometry,
    /// The plan for the transform of some units of axis 0.
    rows: Box<dyn Fn(usize) -> Result<Arc<dyn Task>>>,
    columns: Option<Recipe>,
    pub recipes: Recipes,
}

impl Passes {
    /// Lets the ranks agree on the recipes. Collective.
    pub fn new<S: InParts>(cluster: &Cluster, geometry: Geometry, arithmetic: &Arithmetic) -> error::Result<Self> {
        let (link, device) = (cluster.link.clone(), Rc::clone(&cluster.device));
        let lines = |all: usize, elements: usize| (DESIGNED_FOR / elements).clamp(1, all);
        let spec = {
            let (unit, axes, factor) = (geometry.unit(), (0..geometry.unit.len()).collect::<Vec<_>>(), geometry.last_factor(true));
            let inverse = geometry.kind.is_inverse();
            move |units: usize| S::in_direction(inverse, unit).of_part(units, axes.clone(), factor)
        };
        let recipe = common(&link, &device, &spec(lines(geometry.rows, geometry.positions)), arithmetic, |given| Some(given.rows.clone()))?;
        let columns = if geometry.is_distributed() {
            let spec = geometry.transform_of_columns(lines(geometry.frequencies(), geometry.rows));
            Some(common(&link, &device, &spec, arithmetic, |given| given.columns.clone())?)
        } else {
            None
        };
        let recipes = Recipes { rows: recipe.to_string(), columns: columns.as_ref().map(ToString::to_string) };
        let own = Rc::clone(&device);
        let rows = Box::new(move |units| Ok(same_arithmetic(&own.planner, spec(units), &recipe)? as Arc<dyn Task>));
        Ok(Self { link, device, geometry, rows, columns, recipes })
    }

    /// The pass over `units` units of axis 0, or `None` for 0 units. A forward pass takes slabs
    /// \[r, …\] of positions to \[C, K, r\]. An inverse pass takes \[r, C, K\] to slabs of
    /// positions.
    pub fn rows_pass(&self, units: usize) -> Outcome<Option<LocalPass>> {
        if units == 0 {
            return Ok(None);
        }
        let geometry = &self.geometry;
        let positions = units * geometry.positions * geometry.position_bytes();
        let frequencies = units * geometry.frequencies() * COMPLEX;
        let mut tasks = vec![(self.rows)(units)?];
        if geometry.is_forward() && geometry.is_distributed() {
            tasks.push(self.turn([units, geometry.frequencies()])?);
        }
        let bytes = if geometry.is_forward() { [positions, frequencies] } else { [frequencies, positions] };
        LocalPass::new(&self.device, &tasks, bytes).map(Some)
    }

    /// The pass over `units` units of axis 1, from \[c, K, n₀\] to the same, or to \[n₀, c, K\] if
    /// `turned`.
    pub fn columns_pass(&self, units: usize, turned: bool) -> Outcome<Option<LocalPass>> {
        let (lines, n) = (units * self.geometry.inner, self.geometry.rows);
        if units == 0 {
            return Ok(None);
        }
        let (planner, columns) = (&self.device.planner, self.geometry.transform_of_columns(lines));
        let plan = match &self.columns {
            Some(recipe) => same_arithmetic(planner, columns, recipe)?,
            None => planner.plan(columns)?,
        };
        let mut tasks: Vec<Arc<dyn Task>> = vec![plan];
        if turned {
            tasks.push(self.turn([lines, n])?);
        }
        LocalPass::new(&self.device, &tasks, [lines * n * COMPLEX; 2]).map(Some)
    }

    /// The pass that only transposes `units` units of axis 0, from \[r, C, K\] to \[C, K, r\].
    pub fn turn_pass(&self, units: usize) -> Outcome<Option<LocalPass>> {
        if units == 0 {
            return Ok(None);
        }
        let columns = self.geometry.frequencies();
        LocalPass::new(&self.device, &[self.turn([units, columns])?], [units * columns * COMPLEX; 2]).map(Some)
    }

    /// A transpose of complex numbers, with a recipe that this device chooses itself.
    fn turn(&self, shape: [usize; 2]) -> Outcome<Arc<dyn Task>> {
        Ok(self.device.planner.plan(Permute::<Complex32>::transpose(shape))?)
    }
}

impl Geometry {
    /// The transform along axis 0, for `lines` lines.
    fn transform_of_columns(&self, lines: usize) -> C2c {
        C2c::in_direction(self.kind.is_inverse(), self.rows.into()).of_part(lines, vec![0], self.last_factor(false))
    }

    /// The factor on the outputs of a pass over rows or over columns: the whole factor is applied
    /// in the last pass.
    fn last_factor(&self, rows: bool) -> f32 {
        let rows_are_last = !self.is_forward() || !self.is_distributed();
        if rows == rows_are_last { self.factor } else { 1.0 }
    }

    /// The exchanges of a run.
    pub fn exchanges(&self) -> usize {
        match (self.is_distributed(), self.order) {
            (false, _) => 0,
            (true, Order::Transposed) => 1,
            (true, Order::Natural) => 2,
        }
    }
}
