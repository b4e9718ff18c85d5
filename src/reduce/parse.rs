//! Reads what a reduction prints.

use std::any::TypeId;

use half::f16;
use num_complex::Complex32;

use super::core::Core;
use super::operations::NAMED;
use super::spec::Reduction;
use super::value::Value;
use crate::dynamic::AnySpec;
use crate::element::{Element, ElementType};
use crate::error::Result;
use crate::fragment::{self, Checked};
use crate::kernels::reduce::operator::{Finish, Fold, Kind, Map, Operator};
use crate::layout::Layout;
use crate::shape::Shape;
use crate::text::{Text, parsed};

/// How reductions by the caller's operator print.
const CUSTOM: &str = "custom";

/// Whether a reduction has this name.
pub(crate) fn is_operation(name: &str) -> bool {
    name == CUSTOM || NAMED.iter().any(|(known, ..)| *known == name)
}

/// The reduction that a text prints, without the types of its elements.
pub(crate) fn any_spec(text: &str, element: ElementType) -> Result<AnySpec> {
    fn kind<T: Value>() -> (ElementType, Kind) {
        (ElementType::of::<T>(), T::KIND)
    }
    let kinds = [kind::<f32>(), kind::<f16>(), kind::<Complex32>(), kind::<i32>(), kind::<u32>(), kind::<f64>()];
    let kind = kinds.iter().find(|(own, _)| *own == element).map(|(_, kind)| *kind).ok_or_else(|| {
        let names: Vec<&str> = kinds.iter().map(|(own, _)| own.name()).collect();
        let whole = Text::new("specification", text);
        let mut words = whole.words(text);
        words.any();
        whole.wrong(words.any().unwrap_or(text), format!("reductions are of {}, not of {}", names.join(", "), element.name()))
    })?;
    Ok(any_of(parse(text, kind, element.name())?, element))
}

/// A reduction of such elements, apart from fragments.
fn any_of(core: Core, element: ElementType) -> AnySpec {
    let (result, results) = core.result();
    let elements = [(0, element), (1, results)].map(|(side, plain)| core.maps[side].as_ref().map_or(plain, Checked::element_type));
    let own = core.clone();
    let map = move |side, fragment, array: ElementType| {
        let own = own.clone();
        let core = match side {
            0 => own.with_source(fragment, fragment::readable(array)?, array.name())?,
            _ => own.with_sink(fragment, fragment::writable(array)?, array.name(), result)?,
        };
        Ok(any_of(core, element))
    };
    // The types say nothing: `elements` does.
    AnySpec::untyped(Reduction::<f32, f32>::of(core), elements, map)
}

impl Core {
    /// Why the operation is not one of its element type, if it is not.
    fn refusal(&self) -> Option<&'static str> {
        match (self.kind, &self.fold, &self.map) {
            (Kind::Complex, Fold::Min | Fold::Max, Map::Identity) | (Kind::Complex, Fold::ArgMin | Fold::ArgMax, _) => {
                Some("complex numbers have no order")
            }
            (Kind::Complex, _, Map::Abs) => {
                Some("complex numbers have no |x| here: use an operation on f32 with the fragment `length(value)`")
            }
            (Kind::I32 | Kind::U32, Fold::WideSum, _) => None,
            (_, Fold::WideSum, _) => Some("only integers have a wide sum: use `sum`"),
            (Kind::I32 | Kind::U32, _, Map::Norm) => {
                Some("integers have no norm: use `dot` of the array with itself, which is modulo 2³², or convert them to f32 or f64")
            }
            (Kind::I32 | Kind::U32, ..) if matches!(self.finish, Finish::Mean(_)) => {
                Some("integers have no mean: use `wide_sum`, and divide")
            }
            (Kind::I32 | Kind::U32, Fold::Moments, _) => Some("integers have no variance: convert them to f32 or f64"),
            _ => None,
        }
    }

    /// The element type of the result.
    fn result(&self) -> (TypeId, ElementType) {
        fn of<T: Element>() -> (TypeId, ElementType) {
            (TypeId::of::<T>(), ElementType::of::<T>())
        }
        let operator = Operator {
            input: self.kind,
            source: None,
            map: self.map,
            fold: self.fold.clone(),
            finish: self.finish,
            sink: None,
            rounded: false,
        };
        match operator.mapped() {
            _ if operator.is_arg() => of::<u32>(),
            Kind::I32 if self.fold == Fold::WideSum => of::<i64>(),
            _ if self.fold == Fold::WideSum => of::<u64>(),
            Kind::Complex if self.fold == Fold::Moments => of::<f32>(),
            Kind::I32 => of::<i32>(),
            Kind::U32 => of::<u32>(),
            Kind::Complex => of::<Complex32>(),
            Kind::F64 => of::<f64>(),
            _ => of::<f32>(),
        }
    }
}

parsed!(
    /// It has no fragments, and no [`custom`](super::custom()) operator, whose identity
    /// element a text does not state.
    Reduction<T, O> where T: Value, O: Element, |text| {
        Ok(Self::of(parse_typed(text, T::KIND, T::NAME, TypeId::of::<O>())?))
    }
);

/// The reduction that a text prints, of elements of this kind and name, with results of this type.
fn parse_typed(whole: &str, kind: Kind, element: &'static str, output: TypeId) -> Result<Core> {
    let core = parse(whole, kind, element)?;
    let (result, name) = core.result();
    if result != output {
        let why = format!("expected another operation or another type of results: those of this one are {name}");
        let text = Text::new("specification", whole);
        return Err(text.wrong(text.words(whole).any().unwrap_or(whole), why));
    }
    Ok(core)
}

/// The reduction that a text prints, of elements of this kind and name.
fn parse(whole: &str, kind: Kind, element: &'static str) -> Result<Core> {
    let text = Text::new("specification", whole);
    let mut words = text.words(whole);
    let name = words.one("an operation")?;
    if name == CUSTOM {
        let why = "operators in WGSL cannot be read from a text, which does not state their identity element: use reduce::custom";
        return Err(text.wrong(name, why));
    }
    words.skip(element)?;
    let shape = Shape::parse(text, words.one("a shape")?)?;
    let names = || NAMED.iter().map(|(known, ..)| *known).collect::<Vec<_>>().join(", ");
    let own = NAMED.iter().find(|(known, ..)| *known == name);
    let (name_of_own, map, fold, finish) = own.ok_or_else(|| text.wrong(name, format!("expected one of {}", names())))?;
    let core = Core::new(name_of_own, (kind, element), shape, *map, fold.clone(), *finish);
    if let Some(why) = core.refusal() {
        return Err(text.wrong(name, why));
    }
    let mut fields = words.fields();
    let axes = fields.value("axes").map(|axes| text.numbers(axes, ',')).transpose()?;
    let input = fields.value("in").map(|layout| Layout::parse(text, layout)).transpose()?;
    let core = Core {
        batch: fields.after("x").map_or(Ok(1), |count| text.number(count))?,
        axes: axes.and_then(|axes| core.shape.canonical_axes(&axes)),
        input,
        ddof: fields.value("ddof").map_or(Ok(0), |ddof| text.number(ddof))?,
        across_devices: fields.flag("across-devices"),
        ..core
    };
    fields.done("a batch (x4), axes (axes=0,2), a layout (in=1024,1), a divisor (ddof=1) or across-devices, each at most once")?;
    Ok(core)
}
