//! A permutation without the types of its elements, and where they are.

use std::fmt;

use crate::element::Element;
use crate::error::{Error, Result};
use crate::fragment::{Checked, Form, Fragment, Maps, Side, TEXELS_ELSEWHERE, Texel};
use crate::layout::{Layout, Placed};
use crate::plan::Placement;
use crate::shape::{Batched, Shape};
use crate::strides::IoDim;
use crate::text::{Field, Flag, Text, join};

/// A permutation of elements of some type. What it does is compiled once, not for every type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Core {
    /// The elements that are moved, between the fragments.
    pub name: &'static str,
    pub bytes: usize,
    pub shape: Shape,
    pub order: Vec<usize>,
    pub batch: usize,
    pub input: Option<Layout>,
    pub output: Option<Layout>,
    pub placement: Placement,
    /// How kernels read and write those elements, if there is a fragment.
    pub form: Option<Form>,
    /// What fragments of the caller's do to the elements of the input, and to those of the output.
    pub maps: [Option<Checked>; 2],
}

impl Core {
    pub fn new(name: &'static str, bytes: usize, shape: Shape, order: Vec<usize>) -> Self {
        Self {
            name,
            bytes,
            shape,
            order,
            batch: 1,
            input: None,
            output: None,
            placement: Placement::OutOfPlace,
            form: None,
            maps: [None, None],
        }
    }

    pub fn adjoint(&self) -> Result<Self> {
        Maps(&self.maps).check_linear(self)?;
        let shape = self.output_shape()?;
        let mut order = vec![0; self.order.len()];
        self.order.iter().enumerate().for_each(|(to, &from)| order[from] = to);
        Ok(Self { shape, order, input: self.output, output: self.input, ..self.clone() })
    }

    /// Adds a fragment between an array of such elements and those that are moved. Without a
    /// fragment on this side, the latter are `own`.
    pub fn mapped(mut self, side: usize, fragment: Fragment, (array, element): (Form, &'static str), own: Form) -> Result<Self> {
        let inner = *self.form.get_or_insert(own);
        let place = Side::of(side, self.shape.rank(), array, inner);
        self.maps[side] = Some(Checked::new(fragment, element, place)?);
        Ok(self)
    }

    /// Bytes of an element of the input, and of one of the output.
    pub fn element_bytes(&self) -> [usize; 2] {
        [0, 1].map(|side| self.maps[side].as_ref().map_or(self.bytes, |map| map.array.bytes() as usize))
    }

    /// Bytes of the arrays.
    pub fn array_bytes(&self, places: &Places) -> [u64; 2] {
        let bytes = self.element_bytes();
        [(&places.input, bytes[0]), (&places.output, bytes[1])].map(|(placed, bytes)| crate::gpu::in_units((placed.span * bytes) as u64))
    }

    /// How kernels read the input and write the output, if there are fragments.
    pub fn forms(&self) -> Option<[Form; 2]> {
        let form = self.form?;
        Some([0, 1].map(|side| self.maps[side].as_ref().map_or(form, |map| map.array)))
    }

    pub fn is_mapped(&self) -> bool {
        self.form.is_some()
    }

    pub fn output_name(&self) -> &'static str {
        self.maps[1].as_ref().map_or(self.name, |map| map.element)
    }

    pub fn is_in_place(&self) -> bool {
        self.placement == Placement::InPlace
    }

    pub fn output_shape(&self) -> Result<Shape> {
        self.shape.check()?;
        let rank = self.shape.rank();
        let unsupported = |why: String| Error::Unsupported { what: format!("the order of axes of `{self}`"), why };
        if self.order.len() != rank {
            return Err(unsupported(format!("it has {} axes, but the shape has {rank}", self.order.len())));
        }
        if let Some(axis) = self.order.iter().find(|&&axis| axis >= rank) {
            return Err(unsupported(format!("axis {axis} does not exist: the axes are 0 to {}", rank - 1)));
        }
        if let Some(axis) = (0..rank).find(|axis| !self.order.contains(axis)) {
            return Err(unsupported(format!("axis {axis} is missing, and another is given twice")));
        }
        let extents: Vec<usize> = self.order.iter().map(|&axis| self.shape.extents()[axis]).collect();
        Ok(Shape::from(extents))
    }

    /// The extents of the input and the order of its axes, each with the batch first. `None` unless
    /// input and output are two dense arrays of the same elements.
    pub fn dense_axes(&self) -> Result<Option<(Vec<usize>, Vec<usize>)>> {
        self.output_shape()?;
        let dense = self.input.is_none() && self.output.is_none() && !self.is_in_place() && self.form.is_none();
        let extents = std::iter::once(self.batch).chain(self.shape.extents().iter().copied());
        let order = std::iter::once(0).chain(self.order.iter().map(|axis| axis + 1));
        Ok(dense.then(|| (extents.collect(), order.collect())))
    }

    /// The same permutation with another extent of one axis, numbered as in
    /// [`dense_axes`](Self::dense_axes).
    pub fn with_extent(&self, axis: usize, extent: usize) -> Self {
        match axis {
            0 => Self { batch: extent, ..self.clone() },
            _ => Self { shape: self.shape.with(axis - 1, extent), ..self.clone() },
        }
    }

    pub fn unsupported(&self, what: &str, why: &str) -> Error {
        Error::Unsupported { what: format!("{what} (`{self}`)"), why: why.to_owned() }
    }

    /// Where the elements of input and output are.
    pub fn places(&self) -> Result<Places> {
        // Of its own type: buffers have no texels.
        if (self.name, self.bytes) == (Texel::NAME, size_of::<Texel>()) {
            return Err(self.unsupported("a permutation of texels", TEXELS_ELSEWHERE));
        }
        self.shape.elements("permutation", self.batch)?;
        let output_shape = self.output_shape()?;
        let input = self.input.unwrap_or(Layout::dense(self.shape)).placed("input", self.shape, self.batch)?;
        let output = self.output.unwrap_or(Layout::dense(output_shape)).placed("output", output_shape, self.batch)?;
        if !output.distinct {
            return Err(self.unsupported(
                "an output layout",
                "its elements might overlap: each stride must be larger than the reach of all smaller strides together",
            ));
        }
        let axis =
            |extent: usize, from: usize, to: usize| IoDim { extent: extent as u32, strides: [input.strides[from], output.strides[to]] };
        for (name, map, placed, shape) in [("input", &self.maps[0], &input, self.shape), ("output", &self.maps[1], &output, output_shape)] {
            if let Some(texels) = map.as_ref().and_then(|map| map.array.texels()) {
                texels.check(name, &Batched(shape, self.batch).extents(), placed)?;
            }
        }
        let rank = self.shape.rank();
        let mut axes: Vec<IoDim> = (0..rank).map(|to| axis(output_shape.extents()[to], self.order[to], to)).collect();
        axes.push(axis(self.batch, rank, rank));
        if self.is_in_place() && self.input != self.output {
            return Err(self.unsupported("two layouts in place", "input and output are the same array, so their layouts must be equal"));
        }
        Ok(Places { input, output, axes })
    }

    pub fn parse(text: &str, name: &'static str, bytes: usize) -> Result<Self> {
        let whole = text;
        let text = Text::new("specification", whole);
        let mut words = text.words(whole);
        let kind = words.any().unwrap_or_default();
        if !matches!(kind, "transpose" | "permute") {
            return Err(text.wrong(whole, "it must begin with transpose or permute"));
        }
        words.skip(name)?;
        let shape = Shape::parse(text, words.one("a shape")?)?;
        let mut fields = words.fields();
        let order = match (kind, fields.value("order")) {
            ("permute", Some(order)) => text.numbers(order, ',')?,
            ("permute", None) => return Err(text.wrong(whole, "a permutation needs an order (order=2,0,1)")),
            (_, None) => last_two_swapped(shape.rank()),
            (_, Some(order)) => return Err(text.wrong(order, "only `permute` has an order")),
        };
        let mut layout = |name| fields.value(name).map(|layout| Layout::parse(text, layout)).transpose();
        let (input, output) = (layout("in")?, layout("out")?);
        let batch = fields.after("x").map_or(Ok(1), |count| text.number(count))?;
        let placement = if fields.flag("in-place") { Placement::InPlace } else { Placement::OutOfPlace };
        fields.done("a batch (x4), a layout (in=1024,1 out=1024,1) or in-place, each at most once")?;
        Ok(Self { batch, input, output, placement, ..Self::new(name, bytes, shape, order) })
    }
}

/// Where elements are.
pub(super) struct Places {
    pub input: Placed,
    pub output: Placed,
    /// The axes of the output, followed by the batch.
    pub axes: Vec<IoDim>,
}

/// 0, 1, …, with the last two swapped.
pub(super) fn last_two_swapped(rank: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rank).collect();
    if let [.., a, b] = &mut order[..] {
        std::mem::swap(a, b);
    }
    order
}

/// `transpose f32 1080x1920 x4`, or `permute f32 30x40x50 order=2,0,1 in=2000,50,1 out=1200,40,1
/// in-place`, with only what is not the default.
impl fmt::Display for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let transpose = self.shape.rank() >= 2 && self.order == last_two_swapped(self.shape.rank());
        let word = if transpose { "transpose" } else { "permute" };
        let order = Field("order", (!transpose).then(|| join(&self.order, ",")));
        write!(f, "{word} {} {}{order}", self.name, Batched(self.shape, self.batch))?;
        write!(f, "{}{}{}", Field("in", self.input), Field("out", self.output), Flag("in-place", self.is_in_place()))?;
        Maps(&self.maps).fmt(f)
    }
}
