//! A reduction without the types of its elements.

use std::any::TypeId;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use num_complex::Complex32;

use super::arithmetic::MAX_COMPLEX;
use super::geometry::{Geometry, Place};
use crate::element::Element;
use crate::error::{Error, Result, within};
use crate::fragment::{Checked, Form, Fragment, Maps, Readable, Side};
use crate::gpu::DeviceProfile;
use crate::kernels::reduce::operator::{AxisIndex, Finish, Fold, Indexed, Kind, Map, Operator};
use crate::layout::{Layout, Placed};
use crate::shape::{Batched, Shape};
use crate::strides::{IoDim, joined};
use crate::text::{Field, Flag, join};

/// A reduction without the types of its elements.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Core {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) element: &'static str,
    pub(super) shape: Shape,
    pub(super) batch: usize,
    pub(super) axes: Option<Vec<usize>>,
    /// Where the elements of the inputs are; `None` for dense arrays.
    pub(super) input: Option<Layout>,
    pub(super) map: Map,
    pub(super) fold: Fold,
    pub(super) finish: Finish,
    /// What is subtracted from the number of elements in the divisor of a variance.
    pub(super) ddof: usize,
    /// The fragment that makes elements of this kind of those in the array, and the one that makes
    /// what is stored of the results.
    pub(super) maps: [Option<Checked>; 2],
    /// Whether the order of a sum depends on the shape alone.
    pub(super) across_devices: bool,
}

impl Core {
    /// An operation on a whole array of elements of this kind and name.
    pub(super) fn new(
        name: &'static str,
        (kind, element): (Kind, &'static str),
        shape: Shape,
        map: Map,
        fold: Fold,
        finish: Finish,
    ) -> Self {
        Self {
            name,
            kind,
            element,
            shape,
            batch: 1,
            axes: None,
            input: None,
            map,
            fold,
            finish,
            ddof: 0,
            maps: [None, None],
            across_devices: false,
        }
    }

    /// The axes as the kernels see them.
    pub(super) fn geometry(&self) -> Result<Geometry> {
        self.shape.elements("reduction", self.batch)?;
        let axes = self.shape.axes(self.axes.as_deref()).map_err(|why| Error::unsupported(self, why))?;
        let placed = |layout: Layout| layout.placed("input", self.shape, self.batch);
        let dense_place = placed(Layout::dense(self.shape))?;
        let dense = Geometry::dense(self.dims(&axes, &dense_place));
        let place = self.input.map(placed).transpose()?;
        self.check_textures(&axes, place.as_ref().unwrap_or(&dense_place))?;
        let Some(place) = place else { return Ok(dense) };
        if place.is_same_place(&dense_place, self.shape, self.batch) {
            return Ok(dense);
        }
        let (mut reduced, kept): (Vec<_>, Vec<_>) = self.dims(&axes, &place).into_iter().partition(|dim| dim.strides[1] == 0);
        let operator = self.arithmetic(&dense)?;
        let is_ordered = self.is_ordered(&operator);
        if !is_ordered && !operator.has_index() {
            reduced.sort_by_key(|dim| dim.strides[0]);
        }
        let (reduced, kept) = (joined(reduced), joined(kept));
        let lines = match (reduced.first(), kept.first()) {
            _ if is_ordered => dense.lines,
            (Some(reduced), Some(kept)) => reduced.strides[0] <= kept.strides[0],
            (_, kept) => kept.is_none(),
        };
        let layout = Some(Place { offset: place.offset, span: place.span });
        Ok(Geometry { lines, reduced, kept, dense_row: dense.dense_row, layout })
    }

    /// The axes and the batch, fastest first. A reduced axis has stride 0 in the output.
    fn dims(&self, axes: &[usize], input: &Placed) -> Vec<IoDim> {
        let extents = Batched(self.shape, self.batch).extents();
        let axes_and_batch: Vec<_> = extents.into_iter().zip(&input.strides).enumerate().collect();
        let (batch, in_shape) = axes_and_batch.split_last().expect("the batch is there");
        let mut output = 1;
        let dim = |&(axis, (extent, &stride)): &(usize, (u32, &u32))| {
            // Axes of one element are neither: they are dropped.
            let is_reduced = axes.contains(&axis);
            let own = if is_reduced { 0 } else { output };
            output *= if is_reduced { 1 } else { extent };
            IoDim { extent, strides: [stride, own] }
        };
        let dims: Vec<IoDim> = in_shape.iter().rev().chain([batch]).map(dim).collect();
        dims.into_iter().filter(|dim| dim.extent > 1).collect()
    }

    /// The operator for an array of this `geometry`, if the device supports it.
    pub(super) fn operator(&self, geometry: &Geometry, profile: &DeviceProfile) -> Result<Operator> {
        let operator = self.arithmetic(geometry)?;
        if operator.needs_f64() && !profile.f64 {
            return Err(Error::unsupported(self, format!("{} does not support f64 in shaders (`SHADER_F64`)", profile.name)));
        }
        Ok(operator)
    }

    /// The same operator, without asking whether a device supports it.
    pub(super) fn arithmetic(&self, geometry: &Geometry) -> Result<Operator> {
        let count = geometry.count();
        let divisor = || match u32::try_from(self.ddof).ok().and_then(|ddof| count.checked_sub(ddof)) {
            Some(divisor) if divisor > 0 => Ok(divisor),
            _ => {
                Err(Error::unsupported(self, format!("ddof is {}, but must be less than {count}, the elements of each result", self.ddof)))
            }
        };
        let finish = match self.finish {
            Finish::Variance(_) => Finish::Variance(divisor()?),
            Finish::Deviation(_) => Finish::Deviation(divisor()?),
            _ if self.ddof > 0 => return Err(Error::unsupported(self, "only `variance` and `standard_deviation` have a ddof")),
            Finish::Mean(_) => Finish::Mean(count),
            Finish::Identity | Finish::Root => self.finish,
        };
        if (&self.fold, self.kind) == (&Fold::Moments, Kind::Complex) {
            let what = || format!("`{self}`, the complex numbers of a variance");
            within(what, "elements of each result", count.into(), MAX_COMPLEX.into())?;
        }
        let fold = match (&self.fold, self.kind) {
            // The squares of f16 fit f32 as they are.
            (Fold::Squares, Kind::F16) => Fold::Sum,
            (own, _) => own.clone(),
        };
        let [source, sink] = [0, 1].map(|side| self.maps[side].clone().map(|fragment| self.indexed(fragment)));
        Ok(Operator { input: self.kind, source, map: self.map, fold, finish, sink, rounded: self.across_devices })
    }

    /// A fragment, with where it finds its indices.
    fn indexed(&self, fragment: Checked) -> Arc<Indexed> {
        let rank = self.shape.rank();
        let extents = Batched(self.shape, self.batch).extents();
        let is_reduced = |axis: usize| axis < rank && self.axes.as_ref().is_none_or(|axes| axes.contains(&axis));
        let axis = |axis: usize| {
            let reduced = is_reduced(axis);
            // The batch is slower than all axes.
            let together = |others: Range<usize>| others.filter(|&other| is_reduced(other) == reduced).map(|other| extents[other]);
            let (slower, faster) = match axis {
                _ if axis == rank => (0..0, 0..rank),
                _ => (0..axis, axis + 1..rank),
            };
            let is_batched = !reduced && axis < rank && self.batch > 1;
            AxisIndex {
                reduced,
                faster: together(faster).product(),
                extent: extents[axis],
                slowest: !is_batched && together(slower).all(|extent| extent == 1),
            }
        };
        let axes = (0..=rank).map(axis).collect();
        Arc::new(Indexed { fragment, axes })
    }

    /// Refuses textures of other sizes than the arrays.
    pub(super) fn check_textures(&self, axes: &[usize], input: &Placed) -> Result<()> {
        let extents = Batched(self.shape, self.batch).extents();
        let results: Vec<u32> = extents.iter().enumerate().map(|(axis, &extent)| if axes.contains(&axis) { 1 } else { extent }).collect();
        let texels = |side: usize| self.maps[side].as_ref().and_then(|map| map.array.texels());
        texels(0).map_or(Ok(()), |texels| texels.check("input", &extents, input))?;
        texels(1).map_or(Ok(()), |texels| texels.check("output", &results, &Placed::dense(&results)))
    }

    /// Adds a fragment that maps elements of an array to those that are reduced.
    pub(super) fn with_source(mut self, fragment: Fragment, array: Form, element: &'static str) -> Result<Self> {
        fn form<T: Readable>() -> Form {
            T::FORM
        }
        if matches!(self.map, Map::Product | Map::ConjugateProduct | Map::Distance) {
            return Err(Error::unsupported(&self, "a fragment maps the elements of one array, but the operation takes two"));
        }
        let inner = match self.kind {
            Kind::F32 | Kind::F16 => form::<f32>(),
            Kind::I32 => form::<i32>(),
            Kind::U32 => form::<u32>(),
            Kind::Complex => form::<Complex32>(),
            Kind::F64 | Kind::Pair | Kind::Quad | Kind::Doubles => {
                return Err(Error::unsupported(&self, "fragments cannot compute in f64"));
            }
        };
        let side = Side::of(0, self.shape.rank(), array, inner);
        let checked = Checked::new(fragment, element, side)?;
        if self.kind == Kind::F16 {
            // The fragment has unpacked it.
            (self.kind, self.element) = (Kind::F32, f32::NAME);
        }
        self.maps[0] = Some(checked);
        Ok(self)
    }

    /// Adds a fragment that maps results to elements of an array. Without a fragment, they have the
    /// type of this id.
    pub(super) fn with_sink(mut self, fragment: Fragment, array: Form, element: &'static str, result: TypeId) -> Result<Self> {
        fn form<T: Readable>() -> (TypeId, Form) {
            (TypeId::of::<T>(), T::FORM)
        }
        let inner = match &self.maps[1] {
            Some(earlier) => earlier.inner,
            None => {
                let forms = [form::<f32>(), form::<i32>(), form::<u32>(), form::<Complex32>()];
                let found = forms.into_iter().find(|(id, _)| *id == result);
                found.ok_or_else(|| Error::unsupported(&self, "the results have 64 bits, and fragments compute in 32 bits"))?.1
            }
        };
        let side = Side::of(1, self.shape.rank(), array, inner);
        self.maps[1] = Some(Checked::new(fragment, element, side)?);
        Ok(self)
    }

    /// Whether the order across devices is requested and the bits of the result depend on it.
    pub(super) fn is_ordered(&self, operator: &Operator) -> bool {
        self.across_devices && !operator.is_exact()
    }
}

/// `sum f32 4194304`, `argmax f32 1024x1024 x4 axes=1`.
impl fmt::Display for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes = Field("axes", self.axes.as_ref().map(|axes| join(axes, ",")));
        write!(f, "{} {} {}{axes}", self.name, self.element, Batched(self.shape, self.batch))?;
        write!(f, "{}{}", Field("in", self.input), Field("ddof", (self.ddof > 0).then_some(self.ddof)))?;
        if let Fold::Custom { expression, .. } = &self.fold {
            write!(f, " `{expression}`")?;
        }
        write!(f, "{}{}", Flag("across-devices", self.across_devices), Maps(&self.maps))
    }
}
