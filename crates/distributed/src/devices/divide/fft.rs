//! Fourier transforms on several devices.
//!
//! If some axis is not transformed (the batch counts as one), there is one phase, cut along that
//! axis. Otherwise the first phase is cut along one of the transformed axes and transforms the
//! others. Then the array on the host is cut along those, and the second phase transforms the
//! remaining axis. This is the all-to-all exchange: what one device had as rows, it then has as
//! columns. Three phases are needed if planes are too large for a device.

use std::ops::Range;
use std::sync::Arc;

use wgpu_fft::fft::{C2c, C2r, R2c, R2r};
use wgpu_fft::low_level::divide::{InParts, PartKind, PartNumber, Parts};
use wgpu_fft::low_level::recipes::fft::Adapt;
use wgpu_fft::low_level::recipes::fft::{PassRecipe, Recipe};
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::{Error, Planner, Result, Shape};

use super::transpose::grid;
use super::{CutOptions, Divide, Divided};
use crate::devices::phase::{Alike, Computation, HostArray, OfUnits, Phase, Units};
use crate::devices::set::DeviceSet;

/// Columns that should stay together because they are neighbours on the host: 128 bytes of complex
/// numbers of f32, and 256 of f64. Arrays with few columns use 1.
const COLUMNS: usize = 16;

macro_rules! divided {
    ($($name:ty),*) => { $(
        impl Divide for $name {
            fn divide(&self, set: &DeviceSet, cut: CutOptions) -> Result<Divided> {
                let planner = (0..set.len()).find_map(|member| set.planner(member));
                let whole = planner.and_then(|planner| self.axes_apart(&planner.choose(self).ok()?.recipe).ok());
                Divider::new(self.to_string(), self.parts(), whole, set, cut)?.divide::<Self>()
            }

            #[cfg(feature = "mpi")]
            fn division(&self, options: &crate::JobOptions, ranks: usize) -> crate::Result<crate::ranks::Division> {
                crate::ranks::Division::new(&self.to_string(), &self.parts()?, options, ranks)
            }

            #[cfg(feature = "mpi")]
            fn over_ranks(&self, cluster: &crate::ranks::Cluster, options: &crate::JobOptions) -> crate::Result<crate::ranks::RanksJob> {
                crate::ranks::RanksJob::new(cluster, self, self.division(options, cluster.size())?, options)
            }
        }
    )* };
}

divided!(C2c, R2c, C2r, R2r, C2c<Complex64, Complex64>, R2c<f64, Complex64>, C2r<Complex64, f64>, R2r<f64, f64>);

/// Neighbouring axes of the whole array that a phase treats as one.
#[derive(Clone, Debug)]
struct Axis {
    /// The axes of the whole array, numbered with the batch as axis 0.
    of: Range<usize>,
    extent: usize,
}

/// The conventional number of floating-point operations of a transform: 5·N·log₂n, with N numbers
/// in all and n in a single transform.
pub(crate) fn operations(parts: &Parts) -> f64 {
    let transformed = parts.extents.iter().zip(&parts.transformed).filter(|(_, transformed)| **transformed);
    let n: f64 = transformed.map(|(extent, _)| *extent as f64).product();
    let all: f64 = parts.extents.iter().map(|extent| *extent as f64).product();
    5.0 * all * n.max(2.0).log2()
}

struct Divider<'a> {
    /// The specification, printed.
    spec: String,
    set: &'a DeviceSet,
    parts: Parts,
    cut: CutOptions,
    /// The recipe of the first device for the whole array, if one can be designed.
    whole: Option<Recipe>,
}

impl<'a> Divider<'a> {
    fn new(spec: String, parts: Result<Parts>, whole: Option<Recipe>, set: &'a DeviceSet, cut: CutOptions) -> Result<Self> {
        let parts = parts.map_err(|error| match error {
            // The error came from a smaller array of the same kind, so the shape is replaced.
            Error::Empty { what, .. } => Error::Empty { what, shape: spec.clone() },
            other => other,
        })?;
        let own = Self { spec, set, parts, cut, whole };
        if own.parts.kind == PartKind::Reals {
            return Err(own.unsupported("transforms from reals to reals are divided among the ranks of a cluster alone".to_owned()));
        }
        Ok(own)
    }

    fn rank(&self) -> usize {
        self.parts.extents.len()
    }

    /// The extents, with n/2+1 on the last axis if the numbers are a half-spectrum.
    fn half(&self) -> Vec<usize> {
        let mut extents = self.parts.extents.clone();
        if let (false, Some(last)) = (matches!(self.parts.kind, PartKind::Complex { .. }), extents.last_mut()) {
            *last = *last / 2 + 1;
        }
        extents
    }

    fn unsupported(&self, why: String) -> Error {
        Error::Unsupported { what: format!("`{}` on several devices", self.spec), why }
    }

    /// Bytes of one unit, input and output together, if a phase is cut along these axes.
    fn unit_bytes(&self, cut: &Range<usize>) -> usize {
        let element = 4 * self.parts.number.bytes();
        let all = |extents: &[usize]| extents.iter().fold(element, |product, &extent| product.saturating_mul(extent));
        all(&self.parts.extents) / self.parts.extents[cut.clone()].iter().product::<usize>()
    }

    /// Whether one unit fits a device.
    fn fits(&self, cut: &Range<usize>) -> bool {
        self.unit_bytes(cut) as u64 <= self.cut.unit_bytes
    }

    /// The axes to cut along that are not transformed; neighbouring ones are joined. It is the
    /// slowest run of axes with enough units that fit, else the run with the most.
    fn independent(&self) -> Option<Range<usize>> {
        let axes: Vec<usize> = (0..self.rank()).filter(|&axis| !self.parts.transformed[axis]).collect();
        let runs: Vec<Range<usize>> = axes.chunk_by(|a, b| a + 1 == *b).map(|run| run[0]..run[0] + run.len()).collect();
        let units = |run: &Range<usize>| self.parts.extents[run.clone()].iter().product::<usize>();
        let best = runs.iter().rev().max_by_key(|run| (self.fits(run), units(run).min(4 * self.set.len())));
        best.filter(|run| units(run) > 1).cloned()
    }

    fn divide<S: InParts>(self) -> Result<Divided> {
        let transformed: Vec<usize> = (0..self.rank()).filter(|&axis| self.parts.transformed[axis]).collect();
        let independent = match self.cut.axis {
            None => self.independent(),
            Some(axis) if axis + 1 >= self.rank() => {
                return Err(self.unsupported(format!("there is no axis {axis} to cut along: its axes are 0 to {}", self.rank() - 2)));
            }
            Some(axis) if self.parts.transformed[axis + 1] && (transformed.len() < 2 || transformed[0] != axis + 1) => {
                let why = format!("axis {axis} is transformed: cut along one that is not, or of several that are along the slowest");
                return Err(self.unsupported(why));
            }
            Some(axis) => (!self.parts.transformed[axis + 1]).then_some(axis + 1..axis + 2),
        };
        let many = |cut: &Range<usize>| self.parts.extents[cut.clone()].iter().product::<usize>() >= 4 * self.set.len();
        if let Some(cut) = &independent
            && (transformed.len() == 1 || self.fits(cut) && (many(cut) || self.cut.axis.is_some()))
        {
            return self.phases::<S>(&[(transformed, cut.clone())]);
        }
        let Some((&slowest, others)) = transformed.split_first().filter(|(_, others)| !others.is_empty()) else {
            // A single line cannot be divided.
            let whole = 0..1;
            return self.phases::<S>(&[(transformed, whole)]);
        };
        // Axes slower than this one are not transformed and are cut together with it.
        let rows = 0..slowest + 1;
        let columns = slowest + 1..self.rank();
        let mut phases = vec![(others.to_vec(), rows.clone()), (vec![slowest], columns)];
        if let ([between @ .., last], false) = (others, self.fits(&rows)) {
            // Planes are too large: transform lines along the last axis, then along the one before
            // it, then along the slowest.
            phases[0] = (vec![*last], 0..*last);
            phases.splice(1..1, between.iter().map(|&axis| (vec![axis], axis + 1..self.rank())));
        }
        if self.parts.kind == PartKind::ToReals {
            phases.reverse();
        }
        self.phases::<S>(&phases)
    }

    /// The phases. Each transforms the given axes and is cut along the given range.
    fn phases<S: InParts>(&self, plan: &[(Vec<usize>, Range<usize>)]) -> Result<Divided> {
        let mut phases = Vec::new();
        let count = plan.len();
        for (i, (axes, cut)) in plan.iter().enumerate() {
            phases.push(self.phase::<S>(axes, cut, [i == 0, i + 1 == count])?);
        }
        let bytes = |extents: Vec<usize>, element: usize| extents.iter().product::<usize>() * element;
        let real = self.parts.number.bytes();
        let reals = bytes(self.parts.extents.clone(), real);
        let complex = bytes(self.half(), 2 * real);
        let [input_bytes, output_bytes] = match self.parts.kind {
            PartKind::Complex { .. } => [complex, complex],
            PartKind::FromReals => [reals, complex],
            PartKind::ToReals => [complex, reals],
            PartKind::Reals => [reals, reals],
        };
        // If the result is real, the output has no room for complex intermediate results.
        let scratch = self.parts.kind == PartKind::ToReals && count > 1;
        if scratch {
            for (i, phase) in phases.iter_mut().enumerate() {
                phase.from = if i == 0 { HostArray::Input } else { HostArray::Scratch };
                phase.to = if i + 1 == count { HostArray::Output } else { HostArray::Scratch };
            }
        }
        Ok(Divided {
            phases,
            inputs: 1,
            input_bytes,
            output_bytes,
            scratch_bytes: if scratch { complex } else { 0 },
            operations: operations(&self.parts),
        })
    }

    fn phase<S: InParts>(&self, axes: &[usize], cut: &Range<usize>, [first, last]: [bool; 2]) -> Result<Phase> {
        // The axes as the phase sees them: those along which it is cut become one.
        let mut seen: Vec<Axis> = Vec::new();
        let half = self.half();
        let last_axis = self.rank() - 1;
        let has_reals = !matches!(self.parts.kind, PartKind::Complex { .. }) && axes.contains(&last_axis);
        let extents = if has_reals { &self.parts.extents } else { &half };
        let mut at = 0;
        for axis in 0..self.rank() {
            if axis == cut.start {
                at = seen.len();
                seen.push(Axis { of: cut.clone(), extent: extents[cut.clone()].iter().product() });
            } else if !cut.contains(&axis) {
                seen.push(Axis { of: axis..axis + 1, extent: extents[axis] });
            }
        }
        let kind = if has_reals { self.parts.kind } else { PartKind::Complex { inverse: self.parts.kind.is_inverse() } };
        let (number, factor) = (self.parts.number, if last { self.parts.factor } else { 1.0 });
        let view = View { kind, number, at, seen, axes: axes.to_vec(), factor };
        let units = view.seen[at].extent;
        let (alignment, computation) = match kind {
            PartKind::Complex { .. } => self.computation::<S::Columns>(&view)?,
            PartKind::FromReals | PartKind::ToReals | PartKind::Reals => self.computation::<S>(&view)?,
        };
        let whole: Vec<usize> = view.seen.iter().map(|axis| axis.extent).collect();
        let mut spectrum = whole.clone();
        if let (true, Some(last)) = (has_reals, spectrum.last_mut()) {
            *last = *last / 2 + 1;
        }
        let [reals, complex] = [1, 2].map(|parts| parts * number.bytes());
        let [input, output] = match kind {
            PartKind::Complex { .. } => [grid(&whole, at, complex), grid(&whole, at, complex)],
            PartKind::FromReals => [grid(&whole, at, reals), grid(&spectrum, at, complex)],
            PartKind::ToReals => [grid(&spectrum, at, complex), grid(&whole, at, reals)],
            PartKind::Reals => [grid(&whole, at, reals), grid(&whole, at, reals)],
        };
        let names = |range: &Range<usize>| match (range.start, range.end) {
            (0, 1) => "the batch".to_owned(),
            (begin, end) if begin.max(1) + 1 >= end => format!("axis {}", end - 2),
            (begin, end) => format!("axes {} to {}", begin.max(1) - 1, end - 2),
        };
        let transformed: Vec<String> = axes.iter().map(|axis| (axis - 1).to_string()).collect();
        Ok(Phase {
            label: format!("axes {} transformed, cut along {}", transformed.join(" and "), names(cut)),
            alignment: alignment.min(units),
            from: if first { HostArray::Input } else { HostArray::Output },
            to: HostArray::Output,
            input,
            output,
            computation,
        })
    }

    /// How units of a phase are computed, and how many must stay together.
    fn computation<P: InParts>(&self, view: &View) -> Result<(usize, Arc<dyn Computation>)> {
        let part = view.clone();
        let spec = move |units: &Range<usize>| {
            let (shape, batch, axes) = part.shape(units);
            P::in_direction(part.number, part.kind.is_inverse(), shape).of_part(batch, axes, part.factor)
        };
        // A typical number of units for the first device. It is the same for every set, because the
        // recipe must not depend on how the job is divided.
        let usual = spec(&(0..view.seen[view.at].extent.min(COLUMNS * 64)));
        let choose = |planner: &Planner| Ok(planner.choose(&usual)?.recipe);
        let (alignment, recipe) = self.arithmetic(view, &choose)?;
        let computation = Units {
            #[cfg(feature = "cpu")]
            host: Ok(view.on_host()),
            spec: move |units: &Range<usize>| Ok(spec(units)),
            recipes: Alike(recipe),
            positioned: false,
        };
        Ok((alignment, Arc::new(computation)))
    }

    /// The number of units of a phase that must stay together, and the recipe that all devices
    /// follow, if there is one. `choose` asks a planner about a typical number of units.
    fn arithmetic(&self, view: &View, choose: &dyn Fn(&Planner) -> Result<Recipe>) -> Result<(usize, Option<OfUnits>)> {
        let units = view.seen[view.at].extent;
        let planner = (0..self.set.len()).find_map(|member| self.set.planner(member));
        let from_whole = self.whole.as_ref().and_then(|whole| whole.of_axes(&view.renumbered()));
        let recipe = match (from_whole, planner) {
            (Some(recipe), _) => Some(recipe),
            (None, Some(planner)) => Some(choose(planner)?),
            (None, None) => None,
        };
        let mut alignment = 1;
        if let Some(Recipe::Axes(axes)) = &recipe {
            let lanes_apart = |pass: &PassRecipe| if let PassRecipe::Lanes { width, .. } = pass { *width as usize } else { 1 };
            // For long columns, the width of accesses across the columns is part of the arithmetic.
            let long = axes.iter().filter(|axis| axis.passes.len() > 1).flat_map(|axis| &axis.passes);
            alignment = long.map(lanes_apart).filter(|width| units.is_multiple_of(*width)).fold(alignment, usize::max);
        }
        if view.at + 1 == view.seen.len() && units.is_multiple_of(COLUMNS) && units >= 64 * COLUMNS {
            alignment = alignment.max(COLUMNS);
        }
        let columns = view.columns();
        let like = |recipe: Recipe| {
            let alone = columns.iter().fold(recipe.clone(), |recipe, &axis| recipe.for_single_column(axis));
            Box::new(move |units: &Range<usize>| if units.len() == 1 { alone.clone() } else { recipe.clone() }) as OfUnits
        };
        Ok((alignment, recipe.map(like)))
    }
}

/// The array of a phase.
#[derive(Clone, Debug)]
struct View {
    kind: PartKind,
    number: PartNumber,
    /// The index of the axis that is cut.
    at: usize,
    seen: Vec<Axis>,
    /// The transformed axes, as axes of the whole array.
    axes: Vec<usize>,
    factor: f64,
}

impl View {
    /// The number of leading axes that are the batch of a specification: the first one, unless it
    /// is transformed.
    fn batch(&self) -> usize {
        usize::from(!self.is_transformed(0))
    }

    fn is_transformed(&self, seen: usize) -> bool {
        self.seen[seen].of.len() == 1 && self.axes.contains(&self.seen[seen].of.start)
    }

    /// The shape, batch and axes of a specification for some units.
    fn shape(&self, units: &Range<usize>) -> (Shape, usize, Vec<usize>) {
        let extents: Vec<usize> =
            self.seen.iter().enumerate().map(|(i, axis)| if i == self.at { units.len() } else { axis.extent }).collect();
        let batch = self.batch();
        let shape = Shape::from(&extents[batch..]);
        (shape, if batch == 1 { extents[0] } else { 1 }, self.renumbered().into_iter().map(|(_, to)| to).collect())
    }

    /// The transformed axes, as numbered in the whole and in the specification of a part. Both
    /// numbers exclude the batch.
    fn renumbered(&self) -> Vec<(usize, usize)> {
        let transformed = (0..self.seen.len()).filter(|&seen| self.is_transformed(seen));
        transformed.map(|seen| (self.seen[seen].of.start - 1, seen - self.batch())).collect()
    }

    /// The transformed axes along which a unit is a single column while the array has several
    /// columns, as numbered in the specification of a part.
    fn columns(&self) -> Vec<usize> {
        let is_column = |axis: usize| {
            let mut others = (axis + 1..self.seen.len()).filter(|&seen| seen != self.at);
            axis < self.at && self.seen[self.at].extent > 1 && others.all(|seen| self.seen[seen].extent == 1)
        };
        (0..self.seen.len()).filter(|&seen| self.is_transformed(seen) && is_column(seen)).map(|seen| seen - self.batch()).collect()
    }

    #[cfg(feature = "cpu")]
    fn on_host(&self) -> crate::devices::phase::OnHost {
        use crate::devices::host::{HostTransform, Reals};
        let mut extents: Vec<usize> = self.seen.iter().map(|axis| axis.extent).collect();
        let last = extents.len() - 1;
        let n = extents[last];
        let reals = match self.kind {
            PartKind::Complex { .. } | PartKind::Reals => None,
            PartKind::FromReals => Some(Reals::Input(n)),
            PartKind::ToReals => Some(Reals::Output(n)),
        };
        if reals.is_some() {
            extents[last] = n / 2 + 1;
        }
        let mut axes: Vec<usize> = (0..self.seen.len()).filter(|&seen| self.is_transformed(seen)).collect();
        if self.kind != PartKind::ToReals {
            axes.reverse();
        }
        let transform = HostTransform { extents, cut: self.at, axes, inverse: self.kind.is_inverse(), factor: self.factor, reals };
        match self.number {
            PartNumber::F32 => transform.on_host::<f32>(),
            // The host has no need of sums of two f32.
            PartNumber::F64 | PartNumber::F64ByF32 => transform.on_host::<f64>(),
        }
    }
}
