//! The generated part of the kernels that reduce: types, operator, loads, the walk of an invocation and the combination over its neighbours.

use std::fmt::Write;

use crate::kernels::reduce::Stage;
use crate::kernels::reduce::operator::Kind;
use crate::kernels::{Form, Generated};

/// What else the text depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setting {
    /// Invocations of a workgroup.
    pub workgroup: u32,
    /// Rows of lanes that are loaded before any is combined.
    pub unroll: u32,
    /// Invocations of a subgroup that exchange values; 0 if they go through workgroup memory.
    pub subgroup: u32,
    /// Lines and columns are in several runs.
    pub runs: bool,
}

/// What one access loads.
fn access(kind: Kind, width: u32) -> Option<&'static str> {
    Some(match (kind, kind.bytes() * width) {
        (Kind::F64, 8) => "f64",
        (Kind::F64, 16) => "vec2<f64>",
        (Kind::F64, 32) => "vec4<f64>",
        (Kind::F64, _) => return None,
        // Half of it.
        (_, 2 | 4) => "u32",
        (_, 8) => "vec2<u32>",
        (_, 16) => "vec4<u32>",
        (_, 32) => "vec4<u64>",
        _ => return None,
    })
}

/// What the kernel reads an element as.
fn loaded(stage: &Stage) -> Kind {
    if stage.partial { stage.operator.value() } else { stage.operator.loaded() }
}

/// Whether elements of `kind` can be read `width` at a time.
pub(super) fn has_access(stage: &Stage) -> bool {
    access(loaded(stage), stage.width).is_some()
}

/// Whether an access takes 64-bit integers.
pub(super) fn needs_int64(stage: &Stage) -> bool {
    access(loaded(stage), stage.width) == Some("vec4<u64>")
}

/// The text for `reduce/tree`.
pub(super) fn tree(stage: Stage) -> Generated {
    let text = head(&stage, "");
    finished(stage, text)
}

/// The text for `reduce/lines`, and its bytes of workgroup memory.
pub(super) fn lines(stage: Stage, setting: &Setting) -> (Generated, u64) {
    let mut text = head(&stage, &constants(&stage, setting));
    text.push_str(&across(&stage));
    walk(&mut text, &stage, setting, true);
    let mut bytes = over_lanes_of_lines(&mut text, &stage, setting);
    if stage.join > 0 {
        text.push_str(&join(&stage));
        bytes += 4;
    } else {
        text.push_str(CONCLUDE);
    }
    (finished(stage, text), bytes)
}

/// `fn conclude`, where each part has its result.
const CONCLUDE: &str = "
/// Stores the result of a part.
fn conclude(value: Value, first_line: u32, part: u32, t: u32, lane: u32) {
    let line = first_line + t / LANES;
    if (lane == 0u && line < params.lines) {
        output[params.first_result + line * params.parts + part] = finish(value);
    }
}
";

/// Words of a value, of which each takes two atomics to hand over.
pub(super) fn value_words(stage: &Stage) -> u32 {
    stage.operator.value().bytes() / 4
}

/// `fn conclude`, where the workgroup that arrives last combines the parts.
fn join(stage: &Stage) -> String {
    let kind = stage.operator.value();
    let words = value_words(stage);
    let part = |i: u32| if words == 1 { "v".to_owned() } else { format!("v.{}", ["x", "y", "z", "w"][i as usize]) };
    let word =
        |i: u32| if kind == Kind::U32 || kind == Kind::Pair || kind == Kind::Quad { part(i) } else { format!("bitcast<u32>({})", part(i)) };
    let mut text = "
/// For each line a count, then for each part of it the words of its result by halves.
@group(0) @binding(4) var<storage, read_write> arrivals: array<atomic<u32>>;

var<workgroup> arrived: u32;

/// Marks a half of a word that is there.
const MARK = 0x10000u;

fn give(place: u32, word: u32) {
    atomicStore(&arrivals[place], (word & 0xffffu) | MARK);
    atomicStore(&arrivals[place + 1u], (word >> 16u) | MARK);
}

fn take(place: u32) -> u32 {
    var low = 0u;
    var high = 0u;
    while ((low & high & MARK) == 0u) {
        low = atomicLoad(&arrivals[place]);
        high = atomicLoad(&arrivals[place + 1u]);
    }
    atomicStore(&arrivals[place], 0u);
    atomicStore(&arrivals[place + 1u], 0u);
    return (low & 0xffffu) | (high << 16u);
}

/// Hands the result of a part over; the workgroup that arrives last combines them all and stores the result of the line.
fn conclude(own: Value, line: u32, part: u32, t: u32, lane: u32) {
    if (line >= params.lines) {
        return;
    }
"
    .to_owned();
    let _ = writeln!(text, "    let first = params.lines + line * params.parts * {}u;", 2 * words);
    let _ = writeln!(text, "    if (t == 0u) {{\n        let v = own;\n        let place = first + part * {}u;", 2 * words);
    for i in 0..words {
        let _ = writeln!(text, "        give(place + {}u, {});", 2 * i, word(i));
    }
    text.push_str(
        "        arrived = atomicAdd(&arrivals[line], 1u);
    }
    if (workgroupUniformLoad(&arrived) + 1u < params.parts) {
        return;
    }
    var value = nothing();
    for (var p = t; p < params.parts; p += WORKGROUP) {
",
    );
    let _ = writeln!(text, "        let place = first + p * {}u;", 2 * words);
    let taken: Vec<String> = (0..words).map(|i| format!("take(place + {}u)", 2 * i)).collect();
    let value = match kind {
        Kind::F32 => format!("bitcast<f32>({})", taken[0]),
        Kind::I32 => format!("bitcast<i32>({})", taken[0]),
        Kind::Complex => format!("bitcast<vec2<f32>>(vec2<u32>({}))", taken.join(", ")),
        Kind::Pair => format!("vec2<u32>({})", taken.join(", ")),
        Kind::Quad => format!("vec4<u32>({})", taken.join(", ")),
        _ => taken[0].clone(),
    };
    let _ = writeln!(text, "        value = combine(value, {value});");
    text.push_str(
        "    }
    value = over_lanes(value, t, lane);
    if (t == 0u) {
        output[params.first_result + line] = finish(value);
        atomicStore(&arrivals[line], 0u);
    }
}
",
    );
    text
}

/// The text for `reduce/columns`, and its bytes of workgroup memory.
pub(super) fn columns(stage: Stage, setting: &Setting) -> (Generated, u64) {
    let mut text = head(&stage, &constants(&stage, setting));
    walk(&mut text, &stage, setting, false);
    let bytes = over_lanes_of_columns(&mut text, &stage, setting);
    text.push_str("/// Stores the results from `place` on.\nfn store(place: u32, values: Values) {\n");
    for v in 0..stage.width {
        let _ = writeln!(text, "    output[place + {v}u] = finish(values.v{v});");
    }
    text.push_str("}\n");
    (finished(stage, text), bytes)
}

fn finished(stage: Stage, text: String) -> Generated {
    Generated { text: text.into(), form: Form::Reduction(stage.into()) }
}

fn constants(stage: &Stage, setting: &Setting) -> String {
    let Stage { width, lanes, .. } = stage;
    format!("const WORKGROUP = {}u;\nconst WIDTH = {width}u;\nconst LANES = {lanes}u;\n\n", setting.workgroup)
}

/// Types, operator, arrays and loads.
fn head(stage: &Stage, constants: &str) -> String {
    let mut text = constants.to_owned();
    let access = access(loaded(stage), stage.width).expect("the width was checked");
    let _ = writeln!(text, "/// {} element(s) of the input.\nalias Access = {access};", stage.width);
    text.push_str(&stage.operator.wgsl(stage.partial, stage.last));
    text.push_str("@group(0) @binding(1) var<storage, read> input: array<Access>;\n@group(0) @binding(2) var<storage, read_write> output: array<Result>;\n");
    if stage.takes_two() {
        text.push_str("@group(0) @binding(3) var<storage, read> second: array<Access>;\n");
    }
    let each = |part: &dyn Fn(u32) -> String| (0..stage.width).map(part).collect::<Vec<_>>().join(", ");
    let _ = writeln!(
        text,
        "\n/// Of the elements of an access.\nstruct Values {{\n    {},\n}}\n",
        each(&|v| format!("v{v}: Value")).replace(", ", ",\n    ")
    );
    let _ = writeln!(
        text,
        "/// The values of access `at`, whose first element is element j of what is reduced.\nfn load(at: u32, j: u32) -> Values {{"
    );
    let mut operands = vec![elements(&mut text, stage, "x", "input")];
    if stage.takes_two() {
        operands.push(elements(&mut text, stage, "y", "second"));
    }
    // Neighbours along a line have indices of their own, those along a row are in columns of their own.
    let value = |v: u32| {
        let operands: Vec<&str> = operands.iter().map(|elements| elements[v as usize].as_str()).collect();
        let j = if v == 0 || counts_later(stage) { "j".to_owned() } else { format!("j + {v}u * INDEX_STEP") };
        if stage.partial { operands[0].to_owned() } else { format!("map_element({}, {j})", operands.join(", ")) }
    };
    let _ = writeln!(text, "    return Values({});\n}}\n", each(&value));
    text
}

/// Whether the elements of an access get their own indices when the walk is over.
fn counts_later(stage: &Stage) -> bool {
    stage.operator.is_arg() && !stage.partial
}

/// Loads an access as `name` and returns its elements.
fn elements(text: &mut String, stage: &Stage, name: &str, array: &str) -> Vec<String> {
    let (kind, width) = (loaded(stage), stage.width);
    if kind == Kind::F16 && width == 1 {
        let _ = writeln!(text, "    let {name} = unpack2x16float({array}[at >> 1u]);");
        return vec![format!("select({name}.x, {name}.y, (at & 1u) == 1u)")];
    }
    let _ = writeln!(text, "    let {name} = {array}[at];");
    let component = |i: u32, count: u32| if count == 1 { name.to_owned() } else { format!("{name}.{}", ["x", "y", "z", "w"][i as usize]) };
    if kind == Kind::F64 {
        return (0..width).map(|v| component(v, width)).collect();
    }
    let words: Vec<String> = match kind.bytes() * width / 4 {
        8 => (0..4).flat_map(|i| [format!("u32({})", component(i, 4)), format!("u32({} >> 32u)", component(i, 4))]).collect(),
        count => (0..count).map(|i| component(i, count)).collect(),
    };
    match kind {
        Kind::F32 => words.iter().map(|word| format!("bitcast<f32>({word})")).collect(),
        Kind::I32 => words.iter().map(|word| format!("bitcast<i32>({word})")).collect(),
        Kind::F16 => words.iter().flat_map(|word| ["x", "y"].map(|part| format!("unpack2x16float({word}).{part}"))).collect(),
        Kind::Complex => words.chunks(2).map(|pair| format!("vec2<f32>(bitcast<f32>({}), bitcast<f32>({}))", pair[0], pair[1])).collect(),
        Kind::Pair => words.chunks(2).map(|pair| format!("vec2<u32>({}, {})", pair[0], pair[1])).collect(),
        Kind::Quad => words.chunks(4).map(|quad| format!("vec4<u32>({})", quad.join(", "))).collect(),
        _ => words,
    }
}

/// `fn across`: combines the values of an access.
fn across(stage: &Stage) -> String {
    let (one, more) = if stage.operator.value() == Kind::Quad { ("vec4<u32>(0u, 0u, ", ", 0u)") } else { ("vec2<u32>(0u, ", ")") };
    let value = |v: u32| if counts_later(stage) && v > 0 { format!("values.v{v} + {one}{v}u{more}") } else { format!("values.v{v}") };
    let own = halves(stage.width, &value, "combine");
    format!("/// Combines the values of an access.\nfn across(values: Values) -> Value {{\n    return {own};\n}}\n\n")
}

/// `fn walk`: what an invocation makes of its accesses from `begin` to `end`: of lines one value, of rows one for each column.
fn walk(text: &mut String, stage: &Stage, setting: &Setting, lines: bool) {
    let stride = if lines { "" } else { " * params.row_stride" };
    let Stage { width, accumulators, .. } = *stage;
    let each = |part: &dyn Fn(u32) -> String| (0..width).map(part).collect::<Vec<_>>().join(", ");
    // In the walk indices rise, so that of equal ranks the one that is there is the first.
    let follow = if counts_later(stage) { "follow" } else { "combine" };
    if counts_later(stage) {
        let larger = if stage.operator.value() == Kind::Quad { "(b.x > a.x) | ((b.x == a.x) & (b.y > a.y))" } else { "b.x > a.x" };
        let _ = writeln!(text, "fn follow(a: Value, b: Value) -> Value {{\n    return select(a, b, {larger});\n}}\n");
        let _ = writeln!(
            text,
            "fn follow_values(a: Values, b: Values) -> Values {{\n    return Values({});\n}}\n",
            each(&|v| format!("follow(a.v{v}, b.v{v})"))
        );
    }
    let _ = writeln!(
        text,
        "fn combine_values(a: Values, b: Values) -> Values {{\n    return Values({});\n}}\n",
        each(&|v| format!("combine(a.v{v}, b.v{v})"))
    );
    let at = if setting.runs {
        format!("base + i % params.run{stride} + i / params.run * params.run_stride")
    } else {
        format!("base + i{stride}")
    };
    let j = if lines { "params.first_index + i * WIDTH" } else { "params.first_index + i" };
    let _ = writeln!(text, "fn load_step(base: u32, i: u32) -> Values {{\n    return load({at}, {j});\n}}\n");
    let rows = accumulators * setting.unroll;
    let _ = writeln!(
        text,
        "/// Combines the elements from `begin` to `end` that belong to `lane`.\nfn walk(base: u32, begin: u32, end: u32, lane: u32) -> {} {{",
        if lines { "Value" } else { "Values" }
    );
    let _ = writeln!(text, "    var i = begin + lane;");
    // An index of no element is larger than that of the first one, which is there, and its rank no larger.
    let first = if !counts_later(stage) {
        "nothing()".to_owned()
    } else if stage.operator.value() == Kind::Quad {
        format!("vec4<u32>(0u, 0u, {j}, 0u)")
    } else {
        format!("vec2<u32>(0u, {j})")
    };
    for a in 0..accumulators {
        let _ = writeln!(text, "    var a{a} = Values({});", each(&|_| first.clone()));
    }
    // The rest is less than one such step, and checked access by access.
    let _ = writeln!(text, "    let whole = (end - begin) / ({rows}u * LANES);");
    let _ = writeln!(text, "    for (var step = 0u; step < whole; step++) {{");
    let far = |k: u32| if k == 0 { "i".to_owned() } else { format!("i + {k}u * LANES") };
    for k in 0..rows {
        let _ = writeln!(text, "        let x{k} = load_step(base, {});", far(k));
    }
    for k in 0..rows {
        let a = k % accumulators;
        let _ = writeln!(text, "        a{a} = {follow}_values(a{a}, x{k});");
    }
    let _ = writeln!(text, "        i += {rows}u * LANES;\n    }}");
    let _ = writeln!(text, "    for (; i < end; i += {accumulators}u * LANES) {{");
    for a in 0..accumulators {
        let step = format!("a{a} = {follow}_values(a{a}, load_step(base, {}));", far(a));
        let _ = if a == 0 {
            writeln!(text, "        {step}")
        } else {
            writeln!(text, "        if ({} < end) {{\n            {step}\n        }}", far(a))
        };
    }
    text.push_str("    }\n");
    let result = if lines {
        halves(accumulators, &|a| format!("across(a{a})"), "combine")
    } else {
        halves(accumulators, &|a| format!("a{a}"), "combine_values")
    };
    let _ = writeln!(text, "    return {result};\n}}\n");
}

/// The first half combined with the second, and so on, as one expression.
fn halves(count: u32, value: &dyn Fn(u32) -> String, combine: &str) -> String {
    // Of `count` values from `first` on, `step` apart.
    fn part(first: u32, step: u32, count: u32, value: &dyn Fn(u32) -> String, combine: &str) -> String {
        if count == 1 {
            return value(first);
        }
        let [a, b] = [first, first + step].map(|first| part(first, 2 * step, count / 2, value, combine));
        format!("{combine}({a}, {b})")
    }
    part(0, 1, count, value, combine)
}

/// Levels that go through workgroup memory between two barriers.
const LEVELS: u32 = 4;

/// Halves `from` values to `to` through workgroup memory, in steps of several levels: who combines, and what.
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

/// `fn over_lanes` for lines: combines the values of the lanes of a line. Returns the bytes of workgroup memory.
fn over_lanes_of_lines(text: &mut String, stage: &Stage, setting: &Setting) -> u64 {
    let (lanes, subgroup) = (stage.lanes, setting.subgroup);
    let in_memory = if subgroup == 0 { 1 } else { subgroup.min(lanes) };
    let needs_memory = lanes > in_memory;
    if needs_memory {
        text.push_str("var<workgroup> lanes: array<Value, WORKGROUP>;\n\n");
    }
    text.push_str("/// Combines the values of the lanes of a line; lane 0 knows the result.\nfn over_lanes(own: Value, t: u32, lane: u32) -> Value {\n");
    let _ = writeln!(text, "    var v = own;");
    if needs_memory {
        text.push_str("    lanes[t] = v;\n    workgroupBarrier();\n");
        let steps = through_memory(lanes, in_memory);
        for (s, &(target, count)) in steps.iter().enumerate() {
            let value = |k: u32| if k == 0 { "lanes[t]".to_owned() } else { format!("lanes[t + {}u]", k * target) };
            let _ = writeln!(text, "    if (lane < {target}u) {{\n        v = {};", halves(count, &value, "combine"));
            if s + 1 < steps.len() {
                text.push_str("        lanes[t] = v;\n    }\n    workgroupBarrier();\n");
            } else {
                text.push_str("    }\n");
            }
        }
    }
    let mut half = in_memory / 2;
    while half > 0 {
        let _ = writeln!(text, "    v = combine(v, subgroupShuffleDown(v, {half}u));");
        half /= 2;
    }
    text.push_str("    return v;\n}\n");
    if needs_memory { u64::from(setting.workgroup * stage.operator.value().bytes()) } else { 0 }
}

/// `fn over_lanes` for columns: combines the values of the lanes of a column. Returns the bytes of workgroup memory.
fn over_lanes_of_columns(text: &mut String, stage: &Stage, setting: &Setting) -> u64 {
    let Stage { width, lanes, .. } = *stage;
    let across = setting.workgroup / lanes;
    if lanes > 1 {
        for v in 0..width {
            let _ = writeln!(text, "var<workgroup> lanes{v}: array<Value, WORKGROUP>;");
        }
        text.push('\n');
    }
    text.push_str("/// Combines the values of the lanes of a column; lane 0 knows the results.\nfn over_lanes(own: Values, t: u32, lane: u32) -> Values {\n    var values = own;\n");
    let store = |text: &mut String, indent: &str| {
        for v in 0..width {
            let _ = writeln!(text, "{indent}lanes{v}[t] = values.v{v};");
        }
    };
    if lanes > 1 {
        store(text, "    ");
        text.push_str("    workgroupBarrier();\n");
        let steps = through_memory(lanes, 1);
        for (s, &(target, count)) in steps.iter().enumerate() {
            let _ = writeln!(text, "    if (lane < {target}u) {{");
            for v in 0..width {
                let value = |k: u32| if k == 0 { format!("lanes{v}[t]") } else { format!("lanes{v}[t + {}u]", k * target * across) };
                let _ = writeln!(text, "        values.v{v} = {};", halves(count, &value, "combine"));
            }
            if s + 1 < steps.len() {
                store(text, "        ");
                text.push_str("    }\n    workgroupBarrier();\n");
            } else {
                text.push_str("    }\n");
            }
        }
    }
    text.push_str("    return values;\n}\n\n");
    if lanes > 1 { u64::from(setting.workgroup * width * stage.operator.value().bytes()) } else { 0 }
}
