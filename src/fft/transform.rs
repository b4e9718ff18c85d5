//! What complex and real transforms share: shape, axes, layouts, scale and placement, with printing
//! and parsing.

use std::fmt;

use super::elements::HalfNumbers;
use super::framed::Framing;
use super::number::{DOUBLE, Number};
use super::place::Storage;
use super::real_kind::{RealKind, parse_kind};
use super::window::{Window, Windowed};
use crate::edge::Edge;
use crate::error::{Error, Result};
use crate::fragment::{Checked, Form, Fragment, Readable, Side};
use crate::layout::{Layout, Placed};
use crate::plan::Placement;
use crate::shape::{Batched, Shape, join};
use crate::text::Text;

/// The sign of the exponent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// exp(-2πi·…), from positions to frequencies.
    Forward,
    /// exp(+2πi·…), from frequencies to positions.
    Inverse,
}

/// The factor on every output. Here n is the product of the lengths of all transformed axes; for
/// real transforms these are the lengths in reals, and for axes with a
/// [`RealKind`](super::RealKind) the [logical lengths](super::RealKind::logical_length), so that
/// forward and inverse with 1/n undo one another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Scale {
    /// 1, as in rustfft and FFTW. Forward and inverse together multiply by n.
    #[default]
    One,
    /// 1/n, as in NumPy's inverse.
    InvLen,
    /// 1/√n, which makes the transform unitary.
    InvSqrtLen,
}

/// An end of a transform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    Input,
    Output,
}

/// The kind of transform.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    C2c(Direction),
    R2c,
    C2r,
    /// Every axis is of a [`RealKind`].
    R2r,
    /// A transform, a fragment on its spectrum, and the inverse transform, along one axis.
    Filter {
        /// Between rows of reals. The fragment sees half of their spectrum.
        real: bool,
    },
}

impl Kind {
    const ALL: [(Self, [&'static str; 2]); 7] = [
        (Self::C2c(Direction::Forward), ["c2c", "fwd"]),
        (Self::C2c(Direction::Inverse), ["c2c", "inv"]),
        (Self::R2c, ["r2c", "fwd"]),
        (Self::C2r, ["c2r", "inv"]),
        // The second word names the kinds of the axes.
        (Self::R2r, ["r2r", ""]),
        (Self::Filter { real: false }, ["filter", "complex"]),
        (Self::Filter { real: true }, ["filter", "real"]),
    ];

    fn words(self) -> [&'static str; 2] {
        Self::ALL.into_iter().find(|(kind, _)| *kind == self).map_or(["", ""], |(_, words)| words)
    }
}

/// The word of a specification whose rows of reals may mix.
const ROWS_MIX: &str = "rows-may-mix";

/// The bits of a factor, as a specification keeps them. All NaN are equally wrong; equal
/// specifications must print equally.
fn kept(factor: f64, number: Number) -> u64 {
    if factor.is_nan() { f64::NAN } else { number.rounded(factor) }.to_bits()
}

/// The specification of a transform.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Transform {
    pub kind: Kind,
    pub number: Number,
    /// Extents of the array of positions, which for real transforms is the array of reals.
    pub shape: Shape,
    /// The kinds of axes that are transformed from reals to reals. Empty if there are none.
    pub kinds: Vec<Option<RealKind>>,
    /// Whether these axes have the factors on single elements that make them orthogonal.
    pub orthogonal: bool,
    pub batch: usize,
    /// The axes to transform, in the form of [`Shape::canonical_axes`]; `None` for all.
    pub axes: Option<Vec<usize>>,
    pub input: Option<Layout>,
    pub output: Option<Layout>,
    pub scale: Scale,
    /// Bits of a factor that replaces that of the scale, if there is one. It is one of the
    /// transform's numbers.
    pub factor: Option<u64>,
    pub placement: Placement,
    pub transposed: bool,
    /// Whether the caller lets rows of reals mix that no transformed axis mixes.
    pub rows_mix: bool,
    /// The parts of the axes that input and output have, where that is not all.
    pub windows: [Option<Vec<Window>>; 2],
    /// What the arrays hold, where that is not f32 and no fragment decides it.
    pub elements: [Option<HalfNumbers>; 2],
    /// What the arrays between two axes hold, where that is not complex f32.
    pub between: Option<HalfNumbers>,
    /// What fragments of the caller's do to values, and what the arrays of input and output hold
    /// then.
    pub maps: [Option<Checked>; 2],
    /// For a transform that is part of a larger operation: what the arrays have of each axis of
    /// that operation. It takes the place of `windows`.
    pub frame: Option<[Vec<Windowed>; 2]>,
    /// The rows of the input are frames of a signal: axis 0 counts frames, and the last axis is
    /// transformed. The frame's window on that axis, and the input's layout, are those of the
    /// signal.
    pub framing: Option<Framing>,
    /// What the input's fragment does to two neighbours at once, if frames may be loaded so
    /// ([`Framing::of_pairs`]).
    pub map_of_pairs: Option<Checked>,
    /// What a [`Kind::Filter`] does to the spectrum.
    pub product: Option<Checked>,
}

/// A checked specification, with lengths as 32-bit numbers.
#[derive(Clone, Debug)]
pub(super) struct Geometry {
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
    pub fn new(kind: Kind, shape: Shape) -> Self {
        let (scale, placement) = (Scale::One, Placement::OutOfPlace);
        let (windows, maps, frame, framing, product) = Default::default();
        let (elements, between) = Default::default();
        Self {
            kind,
            number: Number::default(),
            shape,
            kinds: Vec::new(),
            orthogonal: false,
            batch: 1,
            axes: None,
            input: None,
            output: None,
            scale,
            factor: None,
            placement,
            transposed: false,
            rows_mix: false,
            windows,
            elements,
            between,
            maps,
            frame,
            framing,
            map_of_pairs: None,
            product,
        }
    }

    /// The same transform of other numbers.
    pub fn of_numbers(self, number: Number) -> Self {
        Self { number, factor: self.factor.map(|factor| kept(f64::from_bits(factor), number)), ..self }
    }

    /// Sets the factor on every output to the number that is closest to this one.
    pub fn set_factor(&mut self, factor: f64) {
        self.scale = Scale::One;
        self.factor = Some(kept(factor, self.number));
    }

    /// Whether it has all elements, each of one of its numbers, and none is mapped.
    pub fn is_plain(&self) -> bool {
        self.elements == [None; 2]
            && self.between.is_none()
            && self.windows.iter().all(Option::is_none)
            && self.maps.iter().all(Option::is_none)
            && self.frame.is_none()
    }

    /// Whether single elements of the result are short sums over the input. Numbers of 16 bits
    /// between axes are left out: their rounding is not bounded by what is known of one element.
    pub fn is_summable(&self) -> bool {
        Self { elements: [None; 2], ..self.clone() }.is_plain()
    }

    /// Refuses fragments, and numbers of 16 bits, where arithmetic is not that of f32.
    fn check_numbers(&self) -> Result<()> {
        if self.number == Number::F32 {
            return Ok(());
        }
        if self.maps.iter().any(Option::is_some) || self.product.is_some() {
            return Err(self.without_fragments());
        }
        if self.elements != [None; 2] || self.between.is_some() {
            let why = "numbers of 16 bits are for arithmetic in f32";
            return Err(self.unsupported(&format!("numbers of 16 bits in an FFT in {}", self.number), why));
        }
        Ok(())
    }

    fn without_fragments(&self) -> Error {
        let why = "fragments compute in f32: convert the numbers before the transform or after it";
        self.unsupported(&format!("a fragment in an FFT in {}", self.number), why)
    }

    /// What a number is that no fragment has changed, in the arithmetic of the transform.
    fn form(&self, end: End) -> Form {
        match (self.kind, end) {
            (Kind::R2c, End::Input) | (Kind::C2r, End::Output) | (Kind::R2r | Kind::Filter { real: true }, _) => self.number.real_form(),
            _ => self.number.complex_form(),
        }
    }

    /// What the array at an end holds.
    pub fn form_of(&self, end: End) -> Form {
        let without = || self.elements[end as usize].map_or(self.form(end), |elements| elements.form);
        self.maps[end as usize].as_ref().map_or_else(without, |map| map.array)
    }

    /// The same, as passes see it.
    pub fn storage(&self, end: End) -> Storage {
        Storage::of(self.form_of(end), self.number)
    }

    /// What an array between two axes holds.
    pub fn between(&self) -> Storage {
        let plain = if self.kind == Kind::R2r { Storage::Real } else { Storage::Complex };
        self.between.map_or(plain, |elements| Storage::of(elements.form, self.number))
    }

    /// Lets the array at an end have elements of `T`. Behind a fragment, these are what it sees as
    /// the same values.
    pub fn with_elements<T: Readable>(mut self, end: End) -> Self {
        match &mut self.maps[end as usize] {
            Some(map) => (map.array, map.element) = (T::FORM, T::NAME),
            None => self.elements[end as usize] = HalfNumbers::of::<T>(),
        }
        self
    }

    /// Adds a fragment between the transform and an array of such elements.
    pub fn mapped(mut self, end: End, fragment: Fragment, array: Form, element: &'static str) -> Result<Self> {
        if self.number != Number::F32 {
            return Err(self.without_fragments());
        }
        // Frequencies are on the output of a forward transform, and on the input of an inverse one.
        let spectrum = self.is_inverse() == (end == End::Input) && self.kind != Kind::R2r;
        let name = if end == End::Input { "input" } else { "output" };
        let side = Side { name, rank: self.shape.rank(), spectrum, array, inner: self.form(end), loads: end == End::Input };
        self.maps[end as usize] = Some(Checked::new(fragment, element, side)?);
        // The fragment decides what the array holds.
        self.elements[end as usize] = None;
        Ok(self)
    }

    /// The parts of all axes that the array at an end has.
    fn windows(&self, end: End) -> Result<Vec<Windowed>> {
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
        if windows.len() != self.shape.rank() {
            return Err(wrong(format!("it has ranges for {} axes, but the shape has {}", windows.len(), self.shape.rank())));
        }
        if self.placement == Placement::InPlace {
            return Err(wrong("in place, input and output are one array, which has all elements".to_owned()));
        }
        if self.transposed {
            return Err(wrong("a transposed output is dense: set an output layout instead".to_owned()));
        }
        if !self.kinds.is_empty() {
            return Err(wrong("transforms from reals to reals need all elements of their axes".to_owned()));
        }
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

    pub fn is_inverse(&self) -> bool {
        matches!(self.kind, Kind::C2c(Direction::Inverse) | Kind::C2r)
    }

    /// The shape with n/2+1 instead of n on the last axis.
    pub fn half(&self) -> Shape {
        let last = self.shape.rank() - 1;
        self.shape.with(last, self.shape.extents()[last] / 2 + 1)
    }

    /// The shapes of input and output.
    pub fn shapes(&self) -> [Shape; 2] {
        let shapes = match self.kind {
            Kind::C2c(_) | Kind::R2r | Kind::Filter { .. } => [self.shape, self.shape],
            Kind::R2c => [self.shape, self.half()],
            Kind::C2r => [self.half(), self.shape],
        };
        // Parts that do not fit are refused when the transform is planned.
        let of_parts = |(shape, end): (Shape, End)| {
            let windows = if self.windows[end as usize].is_some() || self.frame.is_some() {
                self.windows(end).unwrap_or_default()
            } else {
                Vec::new()
            };
            windows.iter().enumerate().fold(shape, |shape, (axis, window)| shape.with(axis, window.len as usize))
        };
        [(shapes[0], End::Input), (shapes[1], End::Output)].map(of_parts)
    }

    pub fn unsupported(&self, what: &str, why: &str) -> Error {
        Error::Unsupported { what: format!("{what} (`{self}`)"), why: why.to_owned() }
    }

    /// The axes to transform in ascending order and the factor on every output, or what is wrong
    /// with them. This does not depend on the number of elements.
    pub fn check(&self) -> Result<(Vec<usize>, f64)> {
        self.shape.check_not_empty("FFT", self.batch)?;
        let unsupported = |what: &str, why: &str| Err(self.unsupported(what, why));
        let rank = self.shape.rank();
        if rank > 3 {
            return unsupported(
                "an FFT of 4 axes",
                "a shape has 3 axes at most; axes that are not transformed can be the batch, with a layout that says where it lies",
            );
        }
        let last = rank - 1;
        let wrong = |why| Error::Unsupported { what: format!("`{self}`"), why };
        let axes = self.shape.axes(self.axes.as_deref()).map_err(wrong)?;
        let complex = !matches!(self.kind, Kind::R2c | Kind::C2r);
        if !complex && !axes.contains(&last) {
            return unsupported("a real transform without its last axis", "the last axis is the one of n/2+1 complex numbers");
        }
        if self.transposed && !complex {
            return unsupported("a transposed real transform", "use layouts: n/2+1 on the last axis does not commute with a transposition");
        }
        if self.transposed && self.output.is_some() {
            return unsupported("transposed and an output layout", "`transposed` is the dense layout with the axes in reverse");
        }
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
        let own = |axis: usize| self.real_kind(axis).map_or(1.0, |kind| kind.factor(self.shape.extents()[axis] as u32));
        let of_kinds: f64 = axes.iter().map(|&axis| own(axis)).product();
        let factor = self.number.rounded(self.factor.map_or(of_scale, f64::from_bits) * of_kinds);
        if !factor.is_finite() {
            return unsupported(&format!("a scale of {factor}"), "the factor on the outputs must be finite");
        }
        Ok((axes, factor))
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
        if input != output {
            return Err(self.unsupported("two kinds of numbers in place", "there is one array: give input and output the same numbers"));
        }
        Ok(())
    }

    pub fn geometry(&self) -> Result<Geometry> {
        let unsupported = |what: &str, why: &str| self.unsupported(what, why);
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
        let [input, output] = match self.placement {
            Placement::OutOfPlace => {
                let natural = if self.transposed { Layout::reversed(shapes[1]) } else { dense(shapes[1]) };
                [self.input.unwrap_or(dense(shapes[0])), self.output.unwrap_or(natural)]
            }
            Placement::InPlace => {
                if self.input != self.output {
                    return Err(unsupported("two layouts in place", "there is one array: give both the same layout"));
                }
                match self.kind {
                    Kind::C2c(_) if self.transposed => [self.input.unwrap_or(dense(shapes[0])), Layout::reversed(shapes[1])],
                    Kind::C2c(_) | Kind::R2r | Kind::Filter { .. } => [self.input.unwrap_or(dense(shapes[0])); 2],
                    _ if self.input.is_some() => {
                        return Err(unsupported("a layout for a real transform in place", "its rows of reals are padded to twice n/2+1"));
                    }
                    Kind::R2c => [dense(shapes[1]).scaled(2), dense(shapes[1])],
                    Kind::C2r => [dense(shapes[0]), dense(shapes[0]).scaled(2)],
                }
            }
        };
        let packed = [dense(shapes[0]), if self.transposed { Layout::reversed(shapes[1]) } else { dense(shapes[1]) }];
        let input = input.placed("input", shapes[0], self.batch)?;
        let output = output.placed("output", shapes[1], self.batch)?;
        let is_dense = |placed: &Placed, layout: Layout, shape: Shape| -> Result<bool> {
            Ok(placed.is_same_place(&layout.placed("dense", shape, self.batch)?, shape, self.batch))
        };
        if !output.distinct {
            return Err(unsupported(
                "an output layout",
                "its elements might overlap: each stride must be larger than everything that the smaller ones reach",
            ));
        }
        let extents = |shape: Shape| {
            let all = shape.extents().iter().chain([&self.batch]);
            all.map(|&extent| extent as u32).collect::<Vec<_>>()
        };
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
    /// of large numbers, then reaches the other. So they must be rows of one array that another axis
    /// mixes anyway, or the parts of complex numbers, whose index comes after the batch's.
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

    /// Parses the text that [`Display`](fmt::Display) prints.
    pub fn parse(text: &str, kinds: &[Kind]) -> Result<Self> {
        let whole = text;
        let text = Text::new("specification", whole);
        let mut words = text.words(whole);
        let head = [words.any().unwrap_or_default(), words.any().unwrap_or_default()];
        let is_real = |kind: &Kind| *kind == Kind::R2r;
        let kind = kinds.iter().find(|kind| kind.words() == head || is_real(kind) && head[0] == kind.words()[0]).ok_or_else(|| {
            let choices: Vec<String> = kinds.iter().map(|kind| kind.words().join(" ")).collect();
            text.wrong(whole, format!("it must begin with {}", choices.join(" or ")))
        })?;
        let shape = Shape::parse(text, words.one("a shape")?)?;
        let mut fields = words.fields();
        let own = match (fields.flag("f64"), fields.flag(DOUBLE)) {
            (true, false) => Number::F64,
            (false, true) => Number::Double,
            (false, false) => Number::F32,
            (true, true) => return Err(text.wrong(whole, format!("of f64 and {DOUBLE} it can have one"))),
        };
        let names = if is_real(kind) { Some(head[1]) } else { fields.value("kinds") };
        let mut axis_kinds =
            names.map_or(Ok(Vec::new()), |names| names.split(',').map(|name| parse_kind(text, name)).collect::<Result<Vec<_>>>())?;
        if is_real(kind) && axis_kinds.len() == 1 {
            axis_kinds = axis_kinds.repeat(shape.rank());
        }
        let axes = fields.value("axes").map(|axes| text.numbers(axes, ',')).transpose()?;
        let mut layout = |name| fields.value(name).map(|layout| Layout::parse(text, layout)).transpose();
        let (input, output) = (layout("in")?, layout("out")?);
        let mut window = |name| {
            let ranges = |ranges: &str| ranges.split(',').map(|range| Window::parse(text, range)).collect::<Result<Vec<_>>>();
            fields.value(name).map(ranges).transpose()
        };
        let windows = [window("in-part")?, window("out-part")?];
        let mut elements = |name, complex| {
            let named = |value: &str| HalfNumbers::named(value, complex).map_err(|why| text.wrong(value, why));
            fields.value(name).map(named).transpose()
        };
        let is_complex = |end| Self::new(*kind, shape).form(end) == Form::COMPLEX;
        let between = elements("between-as", true)?;
        let elements = [elements("in-as", is_complex(End::Input))?, elements("out-as", is_complex(End::Output))?];
        let (mut scale, mut factor) = (Scale::One, None);
        if fields.flag("1/n") {
            scale = Scale::InvLen;
        } else if fields.flag("1/sqrt(n)") {
            scale = Scale::InvSqrtLen;
        } else if let Some(value) = fields.after("*") {
            let value = if own == Number::F32 { text.number::<f32>(value)?.into() } else { text.number::<f64>(value)? };
            factor = Some(kept(value, own));
        }
        let spec = Self {
            kind: *kind,
            number: own,
            shape,
            kinds: axis_kinds,
            orthogonal: fields.flag("orthogonal"),
            batch: fields.after("x").map_or(Ok(1), |count| text.number(count))?,
            axes: axes.and_then(|axes| shape.canonical_axes(&axes)),
            input,
            output,
            scale,
            factor,
            placement: if fields.flag("in-place") { Placement::InPlace } else { Placement::OutOfPlace },
            transposed: fields.flag("transposed"),
            rows_mix: fields.flag(ROWS_MIX),
            windows,
            elements,
            between,
            maps: Default::default(),
            frame: None,
            framing: None,
            map_of_pairs: None,
            product: None,
        };
        fields.done(
            "a batch (x4), f64 or f64-by-f32, axes (axes=0,2), a layout (in=1024,1 out=1024,1), a part (in-part=0..4,0..6 out-part=-2..2,0..3), \
             numbers of 16 bits (in-as=f16 between-as=complex-f16 out-as=complex-f16), a scale (1/n, 1/sqrt(n) or *0.25), \
             in-place or transposed; for axes from reals to reals kinds (kinds=dct2,-) and orthogonal; for reals rows-may-mix; each at most \
             once",
        )?;
        Ok(spec)
    }

    /// The same for a specification of these numbers, or of others that are as long in memory.
    pub fn parse_of(text: &str, kinds: &[Kind], number: Number) -> Result<Self> {
        let spec = Self::parse(text, kinds)?;
        // Both f64 and f64-by-f32 hold f64 in their arrays.
        if (spec.number == Number::F32) != (number == Number::F32) {
            let why = format!("it is a transform of {}, not of {number}", spec.number);
            return Err(Error::Parse { what: "specification", text: text.to_owned(), why });
        }
        Ok(spec)
    }

    /// The same for a specification whose arrays have elements of types `I` and `O`.
    pub fn parse_typed<I: Readable, O: Readable>(text: &str, kinds: &[Kind]) -> Result<Self> {
        let spec = Self::parse_of(text, kinds, Number::F32)?;
        for (end, form, element) in [(End::Input, I::FORM, I::NAME), (End::Output, O::FORM, O::NAME)] {
            if spec.form_of(end) != form {
                let (side, held) = if end == End::Input { ("input", "in-as") } else { ("output", "out-as") };
                let why = format!("its type has an {side} of {element}, which {held}=… must name unless the numbers are f32");
                return Err(Error::Parse { what: "specification", text: text.to_owned(), why });
            }
        }
        Ok(spec)
    }
}

/// `c2c fwd 512x512 x4 f64 axes=0 in=1024,1 out=512,1 1/n in-place transposed`, where defaults are
/// left out.
impl fmt::Display for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |kind: &Option<RealKind>| kind.map_or("-".to_owned(), |kind| kind.to_string());
        let mut kinds: Vec<String> = self.kinds.iter().map(name).collect();
        let mut head = self.kind.words().join(" ");
        if self.kind == Kind::R2r {
            // A single name stands for all axes.
            if kinds.len() == self.shape.rank() && kinds.iter().all(|kind| *kind == kinds[0]) {
                kinds.truncate(1);
            }
            head = format!("r2r {}", kinds.join(","));
            kinds.clear();
        }
        write!(f, "{head} {}", Batched(self.shape, self.batch))?;
        if !kinds.is_empty() {
            write!(f, " kinds={}", kinds.join(","))?;
        }
        if self.number != Number::F32 {
            write!(f, " {}", self.number)?;
        }
        if let Some(axes) = &self.axes {
            write!(f, " axes={}", join(axes, ","))?;
        }
        for (name, layout) in [("in", self.input), ("out", self.output)] {
            if let Some(layout) = layout {
                write!(f, " {name}={layout}")?;
            }
        }
        for (name, windows) in ["in-part", "out-part"].iter().zip(&self.windows) {
            if let Some(windows) = windows {
                write!(f, " {name}={}", join(windows, ","))?;
            }
        }
        for (name, elements) in [("in-as", self.elements[0]), ("between-as", self.between), ("out-as", self.elements[1])] {
            if let Some(HalfNumbers { name: of, .. }) = elements {
                write!(f, " {name}={of}")?;
            }
        }
        match (self.factor, self.scale) {
            // Each type of number prints the fewest digits that tell its values apart.
            (Some(factor), _) if self.number == Number::F32 => write!(f, " *{}", f64::from_bits(factor) as f32)?,
            (Some(factor), _) => write!(f, " *{}", f64::from_bits(factor))?,
            (None, Scale::One) => {}
            (None, Scale::InvLen) => f.write_str(" 1/n")?,
            (None, Scale::InvSqrtLen) => f.write_str(" 1/sqrt(n)")?,
        }
        f.write_str(if self.orthogonal { " orthogonal" } else { "" })?;
        f.write_str(if self.placement == Placement::InPlace { " in-place" } else { "" })?;
        f.write_str(if self.transposed { " transposed" } else { "" })?;
        if self.rows_mix {
            write!(f, " {ROWS_MIX}")?;
        }
        for (name, map) in ["from", "to"].iter().zip(&self.maps) {
            if let Some(map) = map {
                write!(f, " {name} {} by {}", map.element, map.fragment)?;
            }
        }
        Ok(())
    }
}
