//! Reads what a reduction prints.

use std::any::TypeId;

use num_complex::Complex32;

use super::operations;
use super::spec::{Core, Determinism};
use crate::element::Element;
use crate::error::Result;
use crate::kernels::reduce::operator::{Finish, Fold, Kind, Map, Operator};
use crate::layout::Layout;
use crate::shape::Shape;
use crate::text::Text;

/// All operations that a text can name. f32 has every one of them.
fn all(shape: Shape) -> [Core; 17] {
    [
        operations::sum::<f32>(shape).core,
        operations::product::<f32>(shape).core,
        operations::mean::<f32>(shape).core,
        operations::min::<f32>(shape).core,
        operations::max::<f32>(shape).core,
        operations::argmin::<f32>(shape).core,
        operations::argmax::<f32>(shape).core,
        operations::sum_squares::<f32>(shape).core,
        operations::norm::<f32>(shape).core,
        operations::variance::<f32>(shape).core,
        operations::standard_deviation::<f32>(shape).core,
        operations::dot::<f32>(shape).core,
        operations::vdot::<f32>(shape).core,
        operations::max_abs_diff::<f32>(shape).core,
        operations::any::<f32>(shape).core,
        operations::all::<f32>(shape).core,
        operations::count::<f32>(shape).core,
    ]
}

impl Core {
    /// Why the operation is not one of its element type, if it is not.
    fn refusal(&self) -> Option<&'static str> {
        match (self.kind, &self.fold, &self.map) {
            (Kind::Complex, Fold::Min | Fold::Max, Map::Identity) | (Kind::Complex, Fold::ArgMin | Fold::ArgMax, _) => {
                Some("complex numbers have no order")
            }
            (Kind::I32 | Kind::U32, _, Map::Norm) => Some("integers have no norm: use `sum` with `square`"),
            (Kind::I32 | Kind::U32, ..) if matches!(self.finish, Finish::Mean(_)) => Some("integers have no mean: use `sum`"),
            (Kind::I32 | Kind::U32, Fold::Moments, _) => Some("integers have no variance: use `sum`, and `sum` with `square`"),
            _ => None,
        }
    }

    /// The element type of the result, and its name.
    fn result(&self) -> (TypeId, &'static str) {
        fn of<T: Element>() -> (TypeId, &'static str) {
            (TypeId::of::<T>(), T::NAME)
        }
        let operator = Operator {
            input: self.kind,
            source: None,
            map: self.map.clone(),
            fold: self.fold.clone(),
            finish: self.finish,
            sink: None,
            rounded: false,
        };
        match operator.mapped() {
            _ if operator.is_arg() => of::<u32>(),
            Kind::Complex if self.fold == Fold::Moments => of::<f32>(),
            Kind::I32 => of::<i32>(),
            Kind::U32 => of::<u32>(),
            Kind::Complex => of::<Complex32>(),
            Kind::F64 => of::<f64>(),
            _ => of::<f32>(),
        }
    }
}

/// The reduction that a text prints, of elements of this kind and name, with results of this type.
pub(super) fn parse(whole: &str, kind: Kind, element: &'static str, output: TypeId) -> Result<Core> {
    let text = Text::new("specification", whole);
    let mut words = text.words(whole);
    let name = words.one("an operation")?;
    if name == "custom" {
        let why = "operators in WGSL cannot be read from a text, which does not state their identity element: use Custom::new";
        return Err(text.wrong(name, why));
    }
    words.skip(element)?;
    let shape = words.one("a shape")?;
    let all = all(Shape::parse(text, shape)?);
    let names: Vec<&str> = all.iter().map(|core| core.name).collect();
    let own = all.into_iter().find(|core| core.name == name);
    let core = Core { kind, element, ..own.ok_or_else(|| text.wrong(name, format!("expected one of {}", names.join(", "))))? };
    if let Some(why) = core.refusal() {
        return Err(text.wrong(name, why));
    }
    let (result, result_name) = core.result();
    if result != output {
        return Err(text.wrong(name, format!("expected another operation or another type of results: those of this one are {result_name}")));
    }
    let mut fields = words.fields();
    let axes = fields.value("axes").map(|axes| text.numbers(axes, ',')).transpose()?;
    let input = fields.value("in").map(|layout| Layout::parse(text, layout)).transpose()?;
    let mapped = if fields.flag("square") {
        Some(Map::Square)
    } else if fields.flag("abs") {
        Some(Map::Abs)
    } else {
        fields.value("scale").map(|factor| text.factor(factor)).transpose()?.map(Map::Scale)
    };
    let core = Core {
        batch: fields.after("x").map_or(Ok(1), |count| text.number(count))?,
        axes: axes.and_then(|axes| core.shape.canonical_axes(&axes)),
        input,
        ddof: fields.value("ddof").map_or(Ok(0), |ddof| text.number(ddof))?,
        mapped,
        determinism: if fields.flag("across-devices") { Determinism::AcrossDevices } else { Determinism::RunToRun },
        ..core
    };
    fields.done(
        "a batch (x4), axes (axes=0,2), a layout (in=1024,1), a divisor (ddof=1), a map (square, abs or scale=0.5) or across-devices, each at most once",
    )?;
    Ok(core)
}
