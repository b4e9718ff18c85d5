//! Generates the variable part of a reduction kernel: types, operator, loads and stores. `walk.rs`
//! has the loop of an invocation and the combination across neighbouring ones.

mod walk;

use super::access::{access, loaded, value_words};
use super::arithmetic::{self, function, type_of};
use super::recipe::Pass;
use crate::fragment::{self, Argument};
use crate::kernels::reduce::Stage;
use crate::kernels::reduce::operator::{AxisIndex, Indexed, Kind, Operator};
use crate::kernels::{Form, Generated};
use crate::wgsl::{Access, Body, Expr, Function, Module, Scalar, Type, U32, bitcast, call, construct, select, vec2, vec4};

/// The fragments on the elements and on the results, each with the first binding of what it
/// declares.
pub(super) fn declaring(operator: &Operator) -> [Option<(&Indexed, u32)>; 2] {
    let both = [&operator.source, &operator.sink].map(Option::as_deref);
    let mut placed = fragment::declaring(both.into_iter().flatten(), |own| &own.fragment);
    both.map(|own| own.and_then(|_| placed.next()))
}

/// The generated text for `reduce/tree`.
pub(super) fn tree(stage: Stage) -> Generated {
    let mut emitter = Emitter::new(&stage, None, true);
    emitter.store();
    emitter.module.finish_as(stage)
}

/// How the places of elements are computed.
#[derive(Clone, Copy)]
pub(super) struct Places {
    /// The number of kept dimensions, without columns.
    pub kept: usize,
    /// The number of reduced dimensions.
    pub reduced: usize,
    /// Whether a part of the array is bound.
    pub of_part: bool,
}

/// The generated text for `reduce/lines`, and its workgroup memory in bytes.
pub(super) fn lines(stage: Stage, pass: &Pass, places: Places) -> (Generated, u64) {
    let mut emitter = Emitter::new(&stage, Some(pass), true);
    emitter.across();
    emitter.walk(pass, places);
    let mut bytes = emitter.over_lanes(pass);
    if stage.join > 0 {
        emitter.words();
        bytes += 4;
    }
    emitter.store();
    (emitter.module.finish_as(stage), bytes)
}

/// The generated text for `reduce/columns`, and its workgroup memory in bytes.
pub(super) fn columns(stage: Stage, pass: &Pass, places: Places) -> (Generated, u64) {
    let mut emitter = Emitter::new(&stage, Some(pass), false);
    emitter.walk(pass, places);
    let bytes = emitter.over_lanes(pass);
    emitter.store();
    (emitter.module.finish_as(stage), bytes)
}

impl Module {
    fn finish_as(self, stage: Stage) -> Generated {
        Generated { text: self.finish().into(), form: Form::Reduction(stage.into()) }
    }
}

/// Combines the first half with the second until one value is left. This is the order of a tree.
fn halves(mut values: Vec<Expr>, combine: impl Fn(&Expr, &Expr) -> Expr) -> Expr {
    while values.len() > 1 {
        let second = values.split_off(values.len() / 2);
        values = values.iter().zip(&second).map(|(a, b)| combine(a, b)).collect();
    }
    values.remove(0)
}

struct Emitter<'a> {
    stage: &'a Stage,
    module: Module,
    /// The type of a value.
    value: Type,
    /// The structure of the values of an access.
    values: Type,
    /// Whether neighbours in an access are neighbours along a line. In a row they belong to
    /// different columns.
    lines: bool,
    /// Whether there may be several results. The tree has one.
    walks: bool,
}

impl<'a> Emitter<'a> {
    /// Adds types, arrays, operator and loads.
    fn new(stage: &'a Stage, pass: Option<&Pass>, lines: bool) -> Self {
        let mut module = Module::default();
        if let Some(pass) = pass {
            for (name, value) in [("WORKGROUP", pass.workgroup), ("WIDTH", stage.width), ("LANES", stage.lanes)] {
                module.constant(name, value);
            }
            module.gap();
        }
        let value = type_of(stage.operator.value());
        module.alias("Value", &value);
        let result = module.alias("Result", &stage.sink().map_or_else(|| type_of(stage.target()), |sink| sink.fragment.array.stored()));
        module.gap();
        let access = access(stage).expect("the width was checked");
        let alone = stage.source().filter(|_| loaded(stage).is_none());
        let input = alone.map_or_else(|| Type::array(access), |source| source.fragment.array.binding(true));
        let texture = stage.sink().and_then(|sink| sink.fragment.array.texels());
        let output = texture.map_or_else(|| Type::array(result), |texels| texels.wgsl(false));
        let mut arrays = vec![("x", module.ends(false, input.clone(), output).0)];
        if stage.takes_two() {
            arrays.push(("y", module.storage(3, "second", Access::Read, input)));
        }
        module.gap();
        for (own, is_applied) in declaring(&stage.operator).into_iter().zip([!stage.partial, stage.last]) {
            if let Some((indexed, first)) = own.filter(|_| is_applied) {
                indexed.fragment.write(&mut module, first);
            }
        }
        arithmetic::write(&mut module, stage);
        module.comment("The values of the elements of an access.");
        let fields: Vec<_> = (0..stage.width).map(|v| (format!("v{v}"), value.clone())).collect();
        let values = module.structure("Values", &fields);
        let mut emitter = Self { stage, module, value, values, lines, walks: pass.is_some() };
        emitter.load(&arrays);
        emitter
    }

    /// A structure of values, one for each element of an access.
    fn values(&self, value: impl Fn(u32) -> Expr) -> Expr {
        let values: Vec<Expr> = (0..self.stage.width).map(value).collect();
        construct(&self.values, &values)
    }

    /// The value of element v of an access.
    fn value(&self, values: &Expr, v: u32) -> Expr {
        values.field(&format!("v{v}"), self.value.clone())
    }

    fn combine(&self, a: &Expr, b: &Expr) -> Expr {
        call("combine", [a, b], self.value.clone())
    }

    /// Whether the elements of an access get their own indices only after the loop.
    fn counts_later(&self) -> bool {
        self.stage.operator.is_arg() && !self.stage.partial
    }

    /// A value with index `j` and the lowest rank.
    fn unranked(&self, j: Expr) -> Expr {
        let zero = Expr::from(0);
        let parts = [&zero, &zero, &j, &zero];
        if self.stage.operator.value() == Kind::Quad { construct(&self.value, parts) } else { construct(&self.value, parts[1..3].to_vec()) }
    }

    /// Whether loads depend on the number of the result.
    fn has_result(&self) -> bool {
        !self.stage.partial && self.stage.operator.has_result() && self.walks
    }

    /// How many loads an access consists of.
    fn loads(&self) -> u32 {
        if self.stage.gathered { self.stage.width } else { 1 }
    }

    fn load(&mut self, arrays: &[(&str, Expr)]) {
        let apart = u32::from(self.lines && !self.counts_later());
        let mut function = Function::new("load").returning(self.values.clone());
        let places: Vec<Expr> = match self.loads() {
            1 => vec![function.parameter("at", U32)],
            loads => (0..loads).map(|v| function.parameter(&format!("at{v}"), U32)).collect(),
        };
        let j = function.parameter("j", U32);
        let result = self.has_result().then(|| function.parameter("result", U32));
        let body = &mut function.body;
        let mut elements = |(name, array): &(&str, Expr)| -> Vec<Expr> {
            let width = self.stage.width / self.loads();
            let elements = places.iter().flat_map(|at| self.elements(body, name, array, at, width)).collect();
            let Some(source) = self.stage.source() else { return elements };
            // Neighbours in an access follow one another among the elements of a result, or belong
            // to results that do.
            let own = |(v, value): (u32, &Expr)| {
                let value = body.value("value", value);
                let (j, result) =
                    if self.lines { (&j + v, result.clone()) } else { (j.clone(), result.as_ref().map(|row| row * self.stage.width + v)) };
                let element = mapped(source, &value, source.fragment.inner.value(), [Some(&j), result.as_ref()]);
                body.value("mapped", element)
            };
            (0..).zip(&elements).map(own).collect()
        };
        let operands: Vec<Vec<Expr>> = arrays.iter().map(&mut elements).collect();
        let values = self.values(|v| {
            if self.stage.partial {
                return operands[0][v as usize].clone();
            }
            let index = &j + v * apart;
            let arguments = operands.iter().map(|elements| &elements[v as usize]).chain([&index]);
            call("map_element", arguments, self.value.clone())
        });
        function.body.give(values);
        let doc = if self.loads() == 1 {
            "The values of access `at`, whose first element is element j of what is reduced."
        } else {
            "The values of elements that do not follow one another; the first is element j of what is reduced."
        };
        self.module.function(function.doc(doc));
    }

    /// Loads `width` elements as `name`.
    fn elements(&self, body: &mut Body, name: &str, array: &Expr, at: &Expr, width: u32) -> Vec<Expr> {
        let Some(kind) = loaded(self.stage) else {
            let source = self.stage.source().expect("only a fragment maps such elements");
            return vec![source.fragment.array.read(body, array, at)];
        };
        let unpacked = |word: &Expr| call("unpack2x16float", [word], vec2(Scalar::F32));
        if kind == Kind::F16 && width == 1 {
            let both = body.value(name, unpacked(&array.at(at >> 1)));
            return vec![select(&(at & 1).equals(1), both.y(), both.x())];
        }
        let access = body.value(name, array.at(at));
        match (kind, access.ty()) {
            (Kind::F64, _) => (0..width as usize).map(|v| access.component(v)).collect(),
            (Kind::Doubles, _) => vec![access],
            (Kind::F16, _) => words_of(&access, 1).iter().map(unpacked).flat_map(|both| [both.x(), both.y()]).collect(),
            _ => words_of(&access, kind.bytes() / 4).iter().map(|words| bitcast(&type_of(kind), words)).collect(),
        }
    }

    /// Combines the values of an access.
    fn across(&mut self) {
        let function = function("across", [("values", &self.values)], &self.value, |_, [values]| {
            let each = |v: u32| {
                let value = self.value(&values, v);
                if self.counts_later() && v > 0 { value + self.unranked(v.into()) } else { value }
            };
            halves((0..self.stage.width).map(each).collect(), |a, b| self.combine(a, b))
        });
        self.module.function(function.doc("Combines the values of an access."));
    }

    /// Adds a function of two accesses that applies a function of two values to each element.
    fn by_values(&mut self, name: &str) {
        let of_two = |a: &Expr, b: &Expr, v| call(name, [&self.value(a, v), &self.value(b, v)], self.value.clone());
        let parameters = [("a", &self.values), ("b", &self.values)];
        let function = function(&format!("{name}_values"), parameters, &self.values, |_, [a, b]| self.values(|v| of_two(&a, &b, v)));
        self.module.function(function);
    }

    /// Adds the conversions of a value to words and back, for `shaders/reduce/join.wgsl`.
    fn words(&mut self) {
        let (count, words) = (value_words(self.stage), vec4(Scalar::U32));
        self.module.comment("Words of a value, of which the rest are zeros.");
        self.module.constant("WORDS", count);
        self.module.gap();
        self.module.function(function("to_words", [("value", &self.value)], &words, |_, [value]| {
            let (own, zero) = (bitcast(&Type::numbers(count, Scalar::U32), &value), Expr::from(0));
            let parts: Vec<&Expr> = [&own].into_iter().chain((count..4).map(|_| &zero)).collect();
            if count == 4 { own } else { construct(&words, parts) }
        }));
        self.module.function(function("from_words", [("words", &words)], &self.value, |_, [words]| {
            bitcast(&self.value, &words_of(&words, count)[0])
        }));
    }

    /// Adds the function that stores the result of a line, or those of an access to a row.
    fn store(&mut self) {
        let stage = self.stage;
        let doc = if self.lines { "Stores the result at `place`." } else { "Stores the results from `place` on." };
        let mut function = Function::new("store").doc(doc);
        let place = function.parameter("place", U32);
        let values: Vec<Expr> = if self.lines {
            vec![function.parameter("value", self.value.clone())]
        } else {
            let values = function.parameter("values", self.values.clone());
            (0..stage.width).map(|v| self.value(&values, v)).collect()
        };
        let body = &mut function.body;
        let output = |stored: Type| Expr::name("output", Type::array(stored));
        for (v, value) in (0..).zip(&values) {
            let (at, target) = (&place + v, type_of(stage.target()));
            let result = call("finish", [value], target.clone());
            let Some(sink) = stage.sink() else {
                body.assign(&output(target).at(at), result);
                continue;
            };
            let form = sink.fragment.array;
            // The result of a ranked number is its bits.
            let result = body.value("result", bitcast(&sink.fragment.inner.value(), &result));
            let at = body.value("at", at);
            // The last stage has one part, so the place of a result is its number.
            let mapped = body.value("mapped", mapped(sink, &result, form.value(), [None, Some(&at)]));
            form.write(body, &output(form.stored()), &at, &mapped);
        }
        self.module.function(function);
    }
}

/// What a fragment makes of a value that belongs to element `j` of those that are reduced to
/// `result`. An index that is not known is 0.
fn mapped(indexed: &Indexed, value: &Expr, mapped: Type, [j, result]: [Option<&Expr>; 2]) -> Expr {
    let index = |axis: AxisIndex| {
        let AxisIndex { reduced, faster, extent, slowest } = axis;
        let Some(number) = (if reduced { j } else { result }).filter(|_| extent > 1) else { return 0.into() };
        let above = if faster > 1 { number / faster } else { number.clone() };
        if slowest { above } else { above % extent }
    };
    let argument = |argument: &Argument| match (*argument, indexed.axis(*argument)) {
        (_, Some(axis)) => index(axis),
        (Argument::Value, _) => value.clone(),
        (Argument::Length(axis), _) => indexed.axes[axis].extent.into(),
        (other, _) => unreachable!("{other:?}: a reduction has no frequencies"),
    };
    let arguments: Vec<Expr> = indexed.fragment.arguments.iter().map(argument).collect();
    call(&indexed.fragment.function(), &arguments, mapped)
}

/// The words of an access, `at_once` at a time.
fn words_of(access: &Expr, at_once: u32) -> Vec<Expr> {
    let (words, at_once) = (Type::numbers(at_once, Scalar::U32), at_once as usize);
    match *access.ty() {
        Type::Vector(count, Scalar::U64) => {
            let both = |i: usize| [access.component(i), access.component(i) >> 32].map(|word| construct(&U32, [&word]));
            let all: Vec<Expr> = (0..count as usize).flat_map(both).collect();
            all.chunks(at_once).map(|own| if at_once == 1 { own[0].clone() } else { construct(&words, own) }).collect()
        }
        Type::Vector(count, _) if count as usize > at_once => {
            let names: Vec<char> = "xyzw".chars().take(count as usize).collect();
            names.chunks(at_once).map(|own| access.components(&own.iter().collect::<String>())).collect()
        }
        _ => vec![access.clone()],
    }
}
