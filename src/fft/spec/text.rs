//! The text of a specification.

use super::elements::HalfNumbers;
use super::kind::{End, Kind, Scale};
use super::number::{DOUBLE, Number};
use super::real_kind::{RealKind, parse_kind};
use super::transform::{Transform, kept};
use super::window::Window;
use crate::error::{Error, Result};
use crate::fragment::{Form, Maps, Readable};
use crate::layout::Layout;
use crate::plan::Placement;
use crate::shape::{Batched, Shape};
use crate::text::{Text, join};
use std::fmt;

/// The word of a specification whose rows of reals may mix.
const ROWS_MIX: &str = "rows-may-mix";

impl Transform {
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
            (false, true) => Number::F64ByF32,
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
            number: own,
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
            ..Self::new(*kind, shape)
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
        Maps(&self.maps).fmt(f)
    }
}
