//! Generates the variable part of a reduction kernel: types, operator, loads, the loop of an
//! invocation, and the combination across neighbouring invocations.

use super::arithmetic::{self, function, type_of};
use super::recipe::Pass;
use crate::fragment::{Argument, FIRST_DECLARED};
use crate::kernels::reduce::Stage;
use crate::kernels::reduce::operator::{AxisIndex, Indexed, Kind, Operator};
use crate::kernels::{Form, Generated};
use crate::wgsl::{self, Access, Body, Expr, Function, Module, Scalar, Type, U32, Writes, bitcast, call, construct, select, vec2, vec4};

/// The type as which the kernel reads an element.
fn loaded(stage: &Stage) -> Kind {
    if stage.partial { stage.operator.value() } else { stage.operator.loaded() }
}

/// The fragments on the elements and on the results, each with the first binding of what it
/// declares.
pub(super) fn declaring(operator: &Operator) -> [Option<(&Indexed, u32)>; 2] {
    let [source, sink] = [&operator.source, &operator.sink].map(Option::as_deref);
    let first_of_sink = FIRST_DECLARED + source.map_or(0, |source| source.fragment.arrays().len() as u32);
    [source.map(|source| (source, FIRST_DECLARED)), sink.map(|sink| (sink, first_of_sink))]
}

/// The type of one access: words, except for f64. What a fragment maps is read element by element.
fn access(stage: &Stage) -> Option<Type> {
    if let Some(source) = stage.source() {
        return (stage.width == 1).then(|| source.fragment.array.stored());
    }
    let (kind, width) = (loaded(stage), if stage.gathered { 1 } else { stage.width });
    Some(match (kind, kind.bytes() * width) {
        (Kind::F64, 8 | 16 | 32) => Type::numbers(width, Scalar::F64),
        (Kind::Doubles, 32) => vec4(Scalar::F64),
        (Kind::F64 | Kind::Doubles, _) => return None,
        // An element of 2 bytes is half of a word.
        (_, 2) => U32,
        (_, bytes @ (4 | 8 | 16)) => Type::numbers(bytes / 4, Scalar::U32),
        (_, 32) => vec4(Scalar::U64),
        _ => return None,
    })
}

/// Whether elements can be read `width` at a time.
pub(super) fn has_access(stage: &Stage) -> bool {
    access(stage).is_some()
}

/// Whether an access needs 64-bit integers.
pub(super) fn needs_int64(stage: &Stage) -> bool {
    access(stage) == Some(vec4(Scalar::U64))
}

/// The number of words of a value.
pub(super) fn value_words(stage: &Stage) -> u32 {
    stage.operator.value().bytes() / 4
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

/// Levels of the tree that go through workgroup memory between two barriers.
///
/// With one level each, 1024 lanes would need ten barriers. Four levels need three, and an
/// invocation reads at most 16 values. The tree is the same for any number of levels, so recipes do
/// not state it.
const LEVELS: u32 = 4;

/// Halves `from` values to `to` through workgroup memory, in steps of several levels. For each
/// step: how many invocations combine how many values each.
fn through_memory(from: u32, to: u32) -> Vec<(u32, u32)> {
    let mut steps = Vec::new();
    let mut left = from;
    while left > to {
        let target = to.max(left >> LEVELS);
        steps.push((target, left / target));
        left = target;
    }
    steps
}

fn param(name: &str) -> Expr {
    wgsl::param(name, U32)
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
        let input = stage.source().map_or_else(|| Type::array(access), |source| source.fragment.array.binding(true));
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
            if let Some(source) = self.stage.source() {
                let value = source.fragment.array.read(body, array, &places[0]);
                let value = body.value("value", value);
                let element = mapped(source, &value, source.fragment.inner.value(), [Some(&j), result.as_ref()]);
                return vec![body.value("x", element)];
            }
            places.iter().flat_map(|at| self.elements(body, name, array, at, self.stage.width / self.loads())).collect()
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
        let kind = loaded(self.stage);
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

    /// The place of the element with this index along some dimensions, whose extents and strides
    /// are `Params` of this name. The stride of the fastest may be known to be 1.
    fn place(body: &mut Body, name: &str, rank: usize, index: Expr, unit: bool) -> Expr {
        let (mut place, mut rest) = (Expr::from(0), index);
        for dim in 0..rank {
            let own = if dim + 1 == rank {
                rest.clone()
            } else {
                let (quotient, own) = rest.div_rem(param(&format!("{name}_extents_{dim}")));
                rest = body.value("rest", quotient);
                own
            };
            place = place + if dim == 0 && unit { own } else { own * param(&format!("{name}_strides_{dim}")) };
        }
        place
    }

    /// Adds the loop of an invocation over its accesses from `begin` to `end`. It yields one value
    /// for a line, and one value per column for rows.
    fn walk(&mut self, pass: &Pass, places: Places) {
        let Pass { accumulators, unroll, .. } = *pass;
        let rows = accumulators * unroll;
        let lanes = Expr::name("LANES", U32);
        let values = self.values.clone();
        self.by_values("combine");
        // Indices rise in the loop, so of equal ranks the earlier one is kept.
        let keep = if self.counts_later() {
            self.module.function(arithmetic::keep_first(&self.stage.operator));
            self.by_values("keep_first");
            "keep_first_values"
        } else {
            "combine_values"
        };

        let lines = self.lines;
        let index = |i: &Expr| param("first_index") + if lines { i * Expr::name("WIDTH", U32) } else { i.clone() };
        let kept_place = function("kept_place", [("k", &U32)], &U32, |body, [k]| Self::place(body, "kept", places.kept, k, false));
        self.module.function(kept_place.doc(if lines { "Where line k begins." } else { "Where plane k begins." }));
        let (loads, unit) = (self.loads(), lines && !self.stage.gathered);
        let mut load_step = Function::new("load_step").returning(values.clone());
        let [base, i] = ["base", "i"].map(|name| load_step.parameter(name, U32));
        let of_result = |function: &mut Function| self.has_result().then(|| function.parameter("result", U32));
        let result = of_result(&mut load_step);
        let loaded = {
            let body = &mut load_step.body;
            let element = |v: u32| if loads == 1 { i.clone() } else { &i * Expr::name("WIDTH", U32) + v };
            let at = |v: u32| {
                let at = &base + Self::place(body, "reduced", places.reduced, element(v), unit);
                if places.of_part { at - param("bound") } else { at }
            };
            let all: Vec<Expr> = (0..loads).map(at).collect();
            call("load", all.iter().chain([&index(&i)]).chain(&result), values.clone())
        };
        load_step.body.give(loaded);
        self.module.function(load_step);

        let mut function = Function::new("walk")
            .doc("Combines the elements of a result, from `begin` to `end`, that belong to `lane`.")
            .returning(if lines { self.value.clone() } else { values.clone() });
        let [base, result, begin, end, lane] = ["base", "result", "begin", "end", "lane"].map(|name| function.parameter(name, U32));
        let result = self.has_result().then_some(result);
        let body = &mut function.body;
        let i = body.variable_from("i", &begin + lane);
        let load = |k: u32| call("load_step", [&base, &(&i + &lanes * k)].into_iter().chain(&result), values.clone());
        let keep = |total: &Expr, more: &Expr| call(keep, [total, more], values.clone());
        // The initial index is not less than that of the first element, which exists, and the
        // initial rank is the lowest.
        let first = if self.counts_later() { self.unranked(index(&i)) } else { call("identity", [], self.value.clone()) };
        let totals: Vec<Expr> =
            (0..accumulators).map(|a| body.variable_from(&format!("total{a}"), self.values(|_| first.clone()))).collect();
        // The rest is shorter than one such step and is checked access by access.
        let whole = body.value("whole", (end.clone() - begin) / (&lanes * rows));
        body.count("step", 0, whole, 1, |body, _| {
            let loaded: Vec<Expr> = (0..rows).map(|k| body.value(&format!("x{k}"), load(k))).collect();
            for (more, total) in loaded.iter().zip(totals.iter().cycle()) {
                body.assign(total, keep(total, more));
            }
            body.advance(&i, &lanes * rows);
        });
        body.count_on(&i, &end, &lanes * accumulators, |body| {
            body.assign(&totals[0], keep(&totals[0], &load(0)));
            for (a, total) in (0..).zip(&totals).skip(1) {
                body.when(&(&i + &lanes * a).less(&end), |body| body.assign(total, keep(total, &load(a))));
            }
        });
        body.give(if lines {
            let across = |total: &Expr| call("across", [total], self.value.clone());
            halves(totals.iter().map(across).collect(), |a, b| self.combine(a, b))
        } else {
            halves(totals, |a, b| call("combine_values", [a, b], values.clone()))
        });
        self.module.function(function);
    }

    /// Adds the combination over the lanes of a line or column. Returns the workgroup memory in
    /// bytes.
    fn over_lanes(&mut self, pass: &Pass) -> u64 {
        let Pass { workgroup, width, lanes, .. } = *pass;
        let in_subgroup = pass.subgroup.clamp(1, lanes);
        let steps = through_memory(lanes, in_subgroup);
        let column = |v: u32| if self.lines { "lanes".to_owned() } else { format!("lanes{v}") };
        let columns = if self.lines { 1 } else { width };
        let array = Type::sized(self.value.clone(), workgroup);
        let mut memory = Vec::new();
        if !steps.is_empty() {
            memory.extend((0..columns).map(|v| self.module.workgroup(&column(v), array.clone())));
            self.module.gap();
        }
        let ty = if self.lines { self.value.clone() } else { self.values.clone() };
        let mut function =
            Function::new("over_lanes").doc("Combines the values of neighbouring lanes; lane 0 knows the result.").returning(ty.clone());
        let own = function.parameter("own", ty);
        let [t, lane] = ["t", "lane"].map(|name| function.parameter(name, U32));
        let body = &mut function.body;
        let result = if lanes > 1 { body.variable_from("result", own) } else { own };
        let places: Vec<Expr> = if self.lines { vec![result.clone()] } else { (0..width).map(|v| self.value(&result, v)).collect() };
        let share = |body: &mut Body| memory.iter().zip(&places).for_each(|(array, place)| body.assign(&array.at(&t), place));
        // The distance between lanes of a line, or of a column.
        let apart = if self.lines { 1 } else { workgroup / lanes };
        for (s, &(target, count)) in steps.iter().enumerate() {
            if s == 0 {
                share(body);
            }
            body.barrier();
            body.when(&lane.less(target), |body| {
                for (array, place) in memory.iter().zip(&places) {
                    let values = (0..count).map(|k| array.at(&t + k * target * apart)).collect();
                    body.assign(place, halves(values, |a, b| self.combine(a, b)));
                }
                if s + 1 < steps.len() {
                    share(body);
                }
            });
        }
        for level in (0..in_subgroup.ilog2()).rev() {
            let other = call("subgroupShuffleDown", [&result, &(1 << level).into()], self.value.clone());
            body.assign(&result, self.combine(&result, &other));
        }
        body.give(result);
        self.module.function(function);
        memory.len() as u64 * u64::from(workgroup * self.stage.operator.value().bytes())
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
