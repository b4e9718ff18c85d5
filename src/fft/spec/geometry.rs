//! The checked specification, with lengths as 32-bit numbers.

use super::kind::{End, Kind, Scale};
use super::number::Number;
use super::real_kind::{Inner, RealKind};
use super::transform::Transform;
use super::window::{Window, Windowed};
use crate::edge::Edge;
use crate::error::{Error, Result, check_count};
use crate::gpu::DeviceProfile;
use crate::layout::{Layout, Placed};
use crate::plan::{Placement, ensure};
use crate::shape::Shape;

/// A checked specification, with lengths as 32-bit numbers.
#[derive(Clone, Debug)]
pub(in crate::fft) struct Geometry {
    /// Extents of the input, followed by the batch.
    pub input_extents: Vec<u32>,
    /// Extents of the output, followed by the batch.
    pub output_extents: Vec<u32>,
    /// The parts of the axes that input and output have.
    pub windows: [Vec<Windowed>; 2],
    /// Transformed axes longer than 1, in ascending order. If there are none, one axis of length 1.
    pub axes: Vec<usize>,
    pub input: Placed,
    pub output: Placed,
    /// Whether the output fills its array without gaps between its elements.
    pub output_filled: bool,
    /// Whether input and output are row-major without gaps, with the batch outermost. A transposed
    /// output has the axes in reverse.
    pub dense: bool,
    /// The factor on every output, one of the transform's numbers.
    pub factor: f64,
}

impl Transform {
    /// Refuses devices that cannot compute with its numbers.
    pub fn check_device(&self, profile: &DeviceProfile) -> Result<()> {
        if self.number != Number::F64 || profile.f64 {
            return Ok(());
        }
        let why = format!(
            "{} has no 64-bit floats in shaders (`SHADER_F64`), which wgpu offers with Vulkan alone: compute in double-single arithmetic (`f64-by-f32`), in f32 or on the host",
            profile.name
        );
        Err(Error::Unsupported { what: format!("an FFT in f64 (`{self}`)"), why })
    }

    /// The kind of an axis that is transformed from reals to reals.
    pub fn real_kind(&self, axis: usize) -> Option<RealKind> {
        self.kinds.get(axis).copied().flatten()
    }

    /// The Fourier transform along an axis.
    pub fn inner(&self, axis: usize) -> Inner {
        let n = self.shape.extents()[axis] as u32;
        let is_last = axis + 1 == self.shape.rank();
        let reals = match self.kind {
            Kind::R2c if is_last => Some(End::Input),
            Kind::C2r if is_last => Some(End::Output),
            _ => None,
        };
        self.real_kind(axis).map_or(Inner { n, reals }, |kind| kind.inner(n))
    }

    /// Refuses kinds that do not suit the axes.
    pub fn check_kinds(&self, axes: &[usize]) -> Result<()> {
        let rank = self.shape.rank();
        if self.kinds.is_empty() && self.kind != Kind::R2r {
            return Ok(());
        }
        if self.kinds.len() != rank {
            let (given, why) = (self.kinds.len(), "give one kind for all axes, or one for each");
            return Err(self.unsupported(&format!("{given} kinds for {rank} axes"), why));
        }
        let is_mapped = self.kind != Kind::R2r && self.maps.iter().any(Option::is_some);
        self.refuse_if(is_mapped, "fragments", "a transform of complex numbers with axes from reals to reals has none")?;
        let is_half = self.kind != Kind::R2r && (self.elements != [None; 2] || self.between.is_some());
        let why = "the parts of such numbers share a word, and these axes take them one by one";
        self.refuse_if(is_half, "complex numbers of 16 bits with axes from reals to reals", why)?;
        let is_last = matches!(self.kind, Kind::R2c | Kind::C2r) && self.real_kind(rank - 1).is_some();
        self.refuse_if(is_last, "a kind of the last axis", "in a real transform this is the axis of n/2+1 complex numbers")?;
        for &axis in axes {
            let n = self.shape.extents()[axis];
            if self.kind == Kind::R2r && self.real_kind(axis).is_none() {
                return Err(self.unsupported(&format!("axis {axis} without a kind"), "leave it out of `axes`, and it is not transformed"));
            }
            if self.real_kind(axis) == Some(RealKind::DctI) && n < 2 {
                return Err(self.unsupported(&format!("dct1 of length {n}"), "a cosine transform of type I needs 2 numbers at least"));
            }
            let logical = self.real_kind(axis).map_or(0, |kind| kind.logical_length(n) as u64);
            let what = || format!("`{self}`, the logical length of axis {axis}");
            check_count(what, logical)?;
        }
        Ok(())
    }

    /// The parts of all axes that the array at an end has.
    pub(super) fn windows(&self, end: End) -> Result<Vec<Windowed>> {
        if let Some(frame) = &self.frame {
            return Ok(frame[end as usize].clone());
        }
        let last = self.shape.rank() - 1;
        let is_half = matches!(self.kind, Kind::R2c | Kind::C2r) && self.form(end) == self.number.complex_form();
        let whole = self.shape.extents().iter().enumerate().map(|(axis, &extent)| {
            let n = extent as u32;
            if is_half && axis == last { Windowed::half(n) } else { Windowed::whole(n) }
        });
        let Some(windows) = &self.windows[end as usize] else { return Ok(whole.collect()) };
        let what = if end == End::Input { "a part of the input" } else { "a part of the output" };
        let wrong = |why: String| Error::Unsupported { what: format!("{what} (`{self}`)"), why };
        let (ranges, rank) = (windows.len(), self.shape.rank());
        ensure(ranges == rank, || format!("it has ranges for {ranges} axes, but the shape has {rank}")).map_err(wrong)?;
        let in_place = self.placement == Placement::InPlace;
        ensure(!in_place, || "in place, input and output are one array, which has all elements".to_owned()).map_err(wrong)?;
        ensure(!self.transposed, || "a transposed output is dense: set an output layout instead".to_owned()).map_err(wrong)?;
        ensure(self.kinds.is_empty(), || "transforms from reals to reals need all elements of their axes".to_owned()).map_err(wrong)?;
        let transformed = self.shape.axes(self.axes.as_deref()).map_err(wrong)?;
        let of_axis = |(axis, (window, whole)): (usize, (&Window, Windowed))| {
            let window = window.on(whole).map_err(wrong)?;
            if window.is_whole() || transformed.contains(&axis) {
                return Ok(window);
            }
            Err(wrong(format!("axis {axis} is not transformed, so all of it is stored")))
        };
        windows.iter().zip(whole).enumerate().map(of_axis).collect()
    }

    /// The axes to transform in ascending order and the factor on every output, or what is wrong
    /// with them. This does not depend on the number of elements.
    pub fn check(&self) -> Result<(Vec<usize>, f64)> {
        self.shape.check_not_empty("FFT", self.batch)?;
        let rank = self.shape.rank();
        let why = "a shape has 3 axes at most; axes that are not transformed can be the batch, with a layout that says where it lies";
        self.refuse_if(rank > 3, "an FFT of 4 axes", why)?;
        let last = rank - 1;
        let wrong = |why| Error::Unsupported { what: format!("`{self}`"), why };
        let axes = self.shape.axes(self.axes.as_deref()).map_err(wrong)?;
        let complex = !matches!(self.kind, Kind::R2c | Kind::C2r);
        let lacks_last = !complex && !axes.contains(&last);
        self.refuse_if(lacks_last, "a real transform without its last axis", "the last axis is the one of n/2+1 complex numbers")?;
        let why = "use layouts: n/2+1 on the last axis does not commute with a transposition";
        self.refuse_if(self.transposed && !complex, "a transposed real transform", why)?;
        let has_both = self.transposed && self.output.is_some();
        self.refuse_if(has_both, "transposed and an output layout", "`transposed` is the dense layout with the axes in reverse")?;
        self.check_numbers()?;
        self.check_kinds(&axes)?;
        let length =
            |axis: usize| self.real_kind(axis).map_or(self.shape.extents()[axis], |kind| kind.logical_length(self.shape.extents()[axis]));
        let n: f64 = axes.iter().map(|&axis| length(axis) as f64).product();
        let of_scale = match self.scale {
            Scale::One => 1.0,
            Scale::InvLen => 1.0 / n,
            Scale::InvSqrtLen => 1.0 / n.sqrt(),
        };
        let factor = self.number.rounded(self.factor.map_or(of_scale, f64::from_bits) * self.factor_of_kinds(&axes));
        self.refuse_if(!factor.is_finite(), &format!("a scale of {factor}"), "the factor on the outputs must be finite")?;
        Ok((axes, factor))
    }

    /// The factor that the kinds of these axes leave to the scale.
    pub fn factor_of_kinds(&self, axes: &[usize]) -> f64 {
        let of_axis = |&axis: &usize| Some(self.real_kind(axis)?.factor(self.shape.extents()[axis] as u32));
        axes.iter().filter_map(of_axis).product()
    }

    /// Refuses elements that are not those of one array.
    fn check_elements_in_place(&self) -> Result<()> {
        for (end, name) in [(End::Input, "input"), (End::Output, "output")] {
            if let Some(map) = &self.maps[end as usize]
                && !map.array.holds(self.form(end))
            {
                let what = format!("elements of {} at the {name} in place", map.element);
                return Err(self.unsupported(&what, "in place, a fragment cannot change the type of the elements"));
            }
        }
        let [input, output] = [End::Input, End::Output].map(|end| self.storage(end).of_pairs());
        self.refuse_if(input != output, "two kinds of numbers in place", "there is one array: give input and output the same numbers")
    }

    pub fn geometry(&self) -> Result<Geometry> {
        self.shape.elements("FFT", self.batch)?;
        let (mut axes, factor) = self.check()?;
        let complex = !matches!(self.kind, Kind::R2c | Kind::C2r);
        let last = self.shape.rank() - 1;
        // An axis of length 1 needs no transform. One is kept if there are no others, so that there
        // is something to do.
        let any = axes.last().copied().unwrap_or(last);
        axes.retain(|&axis| self.shape.extents()[axis] > 1 || (!complex && axis == last) || self.real_kind(axis).is_some());
        if axes.is_empty() {
            axes.push(any);
        }

        let windows = [self.windows(End::Input)?, self.windows(End::Output)?];
        if self.placement == Placement::InPlace {
            self.check_elements_in_place()?;
        }
        let shapes = self.shapes();
        let dense = |shape: Shape| Layout::dense(shape).batch_distance(shape.extents().iter().product());
        let packed = [dense(shapes[0]), if self.transposed { Layout::reversed(shapes[1]) } else { dense(shapes[1]) }];
        let [input, output] = match self.placement {
            Placement::OutOfPlace => [self.input.unwrap_or(packed[0]), self.output.unwrap_or(packed[1])],
            Placement::InPlace => {
                self.refuse_if(self.input != self.output, "two layouts in place", "there is one array: give both the same layout")?;
                match self.kind {
                    Kind::C2c(_) if self.transposed => [self.input.unwrap_or(packed[0]), packed[1]],
                    Kind::C2c(_) | Kind::R2r | Kind::Filter { .. } => [self.input.unwrap_or(packed[0]); 2],
                    _ if self.input.is_some() => {
                        return Err(
                            self.unsupported("a layout for a real transform in place", "its rows of reals are padded to twice n/2+1")
                        );
                    }
                    Kind::R2c => [dense(shapes[1]).scaled(2), dense(shapes[1])],
                    Kind::C2r => [dense(shapes[0]), dense(shapes[0]).scaled(2)],
                }
            }
        };
        let input = input.placed("input", shapes[0], self.batch)?;
        let output = output.placed("output", shapes[1], self.batch)?;
        let is_dense = |placed: &Placed, layout: Layout, shape: Shape| -> Result<bool> {
            Ok(placed.is_same_place(&layout.placed("dense", shape, self.batch)?, shape, self.batch))
        };
        let why = "its elements might overlap: each stride must be larger than everything that the smaller ones reach";
        self.refuse_if(!output.distinct, "an output layout", why)?;
        let extents = |shape: Shape| {
            let all = shape.extents().iter().chain([&self.batch]);
            all.map(|&extent| extent as u32).collect::<Vec<_>>()
        };
        for (end, name, placed, shape) in [(End::Input, "input", &input, shapes[0]), (End::Output, "output", &output, shapes[1])] {
            if let Some(texels) = self.form_of(end).texels() {
                texels.check(name, &extents(shape), placed)?;
            }
        }
        Ok(Geometry {
            output_filled: output.span == shapes[1].extents().iter().product::<usize>() * self.batch,
            // Frames overlap: as an array of their own, they may have more elements than a u32
            // counts.
            dense: self.framing.is_none() && is_dense(&input, packed[0], shapes[0])? && is_dense(&output, packed[1], shapes[1])?,
            input_extents: extents(shapes[0]),
            output_extents: extents(shapes[1]),
            axes,
            windows,
            input,
            output,
            factor,
        })
    }

    /// Whether neighbours along an index of the arrays may be transformed together, as the real and
    /// the imaginary part of complex numbers. What is wrong with one of them, a NaN or the rounding
    /// of large numbers, then reaches the other. So they must be rows of one array that another
    /// axis mixes anyway, or the parts of complex numbers, whose index comes after the batch's.
    pub fn may_mix(&self, geometry: &Geometry, index: usize) -> bool {
        self.rows_mix || index > self.shape.rank() || geometry.axes.contains(&index)
    }

    /// Whether the reals lie so that pairs of neighbours along the last axis are aligned complex
    /// numbers.
    pub fn reals_in_twos(&self, geometry: &Geometry) -> bool {
        let (placed, extents) = match self.kind {
            Kind::R2c => (&geometry.input, &geometry.input_extents),
            _ => (&geometry.output, &geometry.output_extents),
        };
        let last = self.shape.rank() - 1;
        let end = if self.kind == Kind::R2c { End::Input } else { End::Output };
        let window = &geometry.windows[end as usize][last];
        // Frames look up each number by itself.
        let framed = end == End::Input && self.framing.is_some();
        if !framed && (window.edge != Edge::Zero || window.first % 2 == 1 || !window.is_whole() && window.len % 2 == 1) {
            return false;
        }
        let mut others = placed.strides.iter().zip(extents).enumerate().filter(|(axis, _)| *axis != last);
        placed.strides[last] == 1 && placed.offset % 2 == 0 && others.all(|(_, (stride, extent))| *extent == 1 || stride % 2 == 0)
    }
}
