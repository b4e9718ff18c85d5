//! Text of a pass: the part of `shaders/fft/pass.wgsl` that WGSL cannot say with overrides.
//!
//! A line of n elements has `lanes` invocations, T. In the stage of radix r with p the product of the earlier radices, butterfly j in 0..n/r takes
//! the elements j + k·n/r, k in 0..r, as Stockham asks, and yields the elements (j - j mod p)·r + j mod p + k·p. Invocation t does the butterflies
//! t, t + T, t + 2T, …: its rounds, the last of which is partial where T does not divide n/r. Between stages elements pass through workgroup
//! memory. The first stage loads from the array, the last one stores to it.

use std::sync::Arc;

use super::banks::{Exchanging, Layout, Touch};
use super::butterfly::{Writer, plus};
use super::recipe::{Exchange, Registers, Roots};
use crate::kernels::Generated;
use crate::kernels::fft::pass::{Bound, DATA, Half, INPUTS, Index, Numbers, OUTPUTS, Packed, Pair, Pass, Place, Side, Twiddle, Workgroup};

/// What the text must know of the dispatch besides the pass.
pub(super) struct Setting {
    pub input: Bound,
    pub output: Bound,
    /// Every invocation has a line: no line is past the last, and no workgroup in a folded grid.
    pub exact: bool,
    /// Workgroup memory in words.
    pub words: u32,
}

/// The text for a pass by a recipe, or why the recipe does not do.
pub(super) fn generate(pass: Pass, recipe: &Registers, setting: &Setting) -> Result<(Generated, Workgroup), String> {
    let mut generator = Generator { writer: Writer::new(), pass: &pass, recipe, setting, words: 0, exchanged: false };
    generator.pass()?;
    let (body, words) = (generator.writer.text, generator.words);
    let mut text = format!("// {recipe}\nconst LINES = {}u;\nconst LANES = {}u;\n\n", recipe.lines, recipe.lanes);
    arrays(&mut text, &pass, setting);
    if words > 0 {
        let (element, unit) = if recipe.exchange == Exchange::Split { ("f32", 1) } else { ("vec2<f32>", 2) };
        text.push_str(&format!("var<workgroup> exchange: array<{element}, {}>;\n\n", words / unit));
    }
    text.push_str("fn transform(group: u32, invocation: u32) {\n");
    text.push_str(&body);
    text.push_str("}\n");
    let workgroup = Workgroup { lines: recipe.lines, lanes: recipe.lanes, bytes: u64::from(words) * 4 };
    Ok((Generated { text: text.into(), pass: Arc::new(pass) }, workgroup))
}

/// Declares the arrays and the functions that load from and store to them.
fn arrays(text: &mut String, pass: &Pass, setting: &Setting) {
    let is_real = |side: &Side| matches!(side.numbers, Numbers::Real | Numbers::RealPair(_));
    let in_place = setting.input.slot == setting.output.slot;
    // A store of one component of a vec2 may touch its neighbour, so an array that takes reals is one of reals.
    let element = |side: &Side| if is_real(side) { "f32" } else { "vec2<f32>" };
    let mut declare = |names: &[&str], bound: &Bound, access: &str, element: &str, first: u32, next: &mut u32| {
        for (i, name) in names.iter().take(bound.segments()).enumerate() {
            let binding = if i == 0 {
                first
            } else {
                *next += 1;
                *next - 1
            };
            text.push_str(&format!("@group(0) @binding({binding}) var<storage, {access}> {name}: array<{element}>;\n"));
        }
    };
    let mut next = 4;
    let (inputs, outputs) = if in_place { (&DATA, &DATA) } else { (&INPUTS, &OUTPUTS) };
    let (of_input, of_output);
    if in_place {
        of_output = if is_real(&pass.store) { "f32" } else { "vec2<f32>" };
        of_input = of_output;
        declare(&DATA, &setting.output, "read_write", of_output, 2, &mut next);
    } else {
        (of_input, of_output) = (element(&pass.load), element(&pass.store));
        declare(&INPUTS, &setting.input, "read", of_input, 1, &mut next);
        declare(&OUTPUTS, &setting.output, "read_write", of_output, 2, &mut next);
    }
    let size = |element: &str| if element == "f32" { 4 } else { 8 };
    // Of each piece of the array the statement with the index in that piece.
    let pieces = |names: &[&str], bound: &Bound, size: u64, statement: &dyn Fn(&str, &str) -> String| {
        let count = bound.segments();
        let per_segment = bound.segment / size;
        let mut lines = String::new();
        for (i, name) in names.iter().take(count).enumerate() {
            let begin = per_segment * i as u64;
            let index = if i == 0 { "i".to_owned() } else { format!("i - {begin}u") };
            let statement = statement(name, &index);
            if i + 1 < count {
                lines.push_str(&format!("    if (i < {}u) {{\n        {statement}\n    }}{}", begin + per_segment, ""));
                lines.push('\n');
            } else {
                lines.push_str(&format!("    {statement}\n"));
            }
        }
        lines
    };
    let load = |name: &str, index: &str| format!("return {name}[{index}];");
    text.push('\n');
    match (is_real(&pass.load), of_input) {
        (false, "f32") => {
            // Both parts lie in one piece, as pieces are of whole complex numbers.
            text.push_str("fn load_word(i: u32) -> f32 {\n");
            text.push_str(&pieces(inputs, &setting.input, 4, &load));
            text.push_str("}\n\nfn load(i: u32) -> vec2<f32> {\n    return vec2<f32>(load_word(2u * i), load_word(2u * i + 1u));\n}\n\n");
        }
        (true, "vec2<f32>") => {
            text.push_str("fn load_pair(i: u32) -> vec2<f32> {\n");
            text.push_str(&pieces(inputs, &setting.input, 8, &load));
            text.push_str("}\n\nfn load(i: u32) -> f32 {\n    let pair = load_pair(i / 2u);\n    return select(pair.x, pair.y, i % 2u == 1u);\n}\n\n");
        }
        _ => {
            text.push_str(&format!("fn load(i: u32) -> {of_input} {{\n"));
            text.push_str(&pieces(inputs, &setting.input, size(of_input), &load));
            text.push_str("}\n\n");
        }
    }
    text.push_str(&format!("fn store(i: u32, value: {of_output}) {{\n"));
    let last = setting.output.segments() - 1;
    text.push_str(&pieces(outputs, &setting.output, size(of_output), &|name, index| {
        let ends = if name == outputs[last] { "" } else { " return;" };
        format!("{name}[{index}] = value;{ends}")
    }));
    text.push_str("}\n\n");
}

/// How invocations share out lines and lanes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Map {
    /// Neighbours have the same line.
    Lanes,
    /// Neighbours have the same lane of neighbouring lines.
    Lines,
}

/// Names of what an invocation knows of its place.
struct Place1 {
    map: Map,
    t: String,
    c: String,
    live: Option<String>,
    coordinates: Vec<String>,
}

/// The values of one stage: of each round the r values of a butterfly.
type Values = Vec<Vec<String>>;

struct Generator<'a> {
    writer: Writer,
    pass: &'a Pass,
    recipe: &'a Registers,
    setting: &'a Setting,
    words: u32,
    exchanged: bool,
}

/// A set of elements of a line, base(t) + step for each of some steps, that an invocation accesses under one condition.
struct Group {
    condition: Option<String>,
    base: String,
    /// The base for each t; `None` where the condition is false.
    bases: Vec<Option<u32>>,
    steps: Vec<u32>,
}

impl Generator<'_> {
    fn lanes(&self) -> u32 {
        self.recipe.lanes
    }

    fn n(&self) -> u32 {
        self.recipe.n()
    }

    /// Number of rounds of a stage of radix r.
    fn rounds(&self, radix: u32) -> u32 {
        (self.n() / radix).div_ceil(self.lanes())
    }

    /// The condition for round `b` of a stage, if it is partial.
    fn partial(&self, radix: u32, b: u32, t: &str) -> Option<String> {
        let butterflies = self.n() / radix;
        ((b + 1) * self.lanes() > butterflies).then(|| format!("{} < {butterflies}u", plus(t, b * self.lanes())))
    }

    /// The lanes that take part in round `b`.
    fn taking_part(&self, radix: u32, b: u32) -> impl Iterator<Item = Option<u32>> + use<> {
        let (butterflies, first) = (self.n() / radix, b * self.lanes());
        (0..self.lanes()).map(move |t| (t + first < butterflies).then_some(t))
    }

    fn pass(&mut self) -> Result<(), String> {
        let (load_map, store_map) = (self.map(&self.pass.load), self.map(&self.pass.store));
        let mut stages: Vec<u32> = self.recipe.radices.clone();
        let forward = stages.len();
        if self.pass.convolution.is_some() {
            stages.extend(self.recipe.radices.iter().rev());
        }
        // Stage 0 works where it loads, the others where the last one stores. One stage alone loads where it stores.
        let exchanges = stages.len() - usize::from(self.pass.convolution.is_some());
        let load_map = if exchanges > 1 { load_map } else { store_map };
        let first = self.place(load_map, "0");
        let later = if load_map == store_map { None } else { Some(self.place(store_map, "1")) };
        let mut values = self.load(&first, stages[0])?;
        let mut p = 1;
        let mut table = 0;
        let mut place = &first;
        for (s, &radix) in stages.iter().enumerate() {
            if s == forward {
                let convolution = self.pass.convolution.expect("more stages than radices only where there is one");
                self.writer.line(format_args!("// Times the spectrum, and real and imaginary parts exchanged: what follows is an inverse transform."));
                self.multiply(place, radix, convolution.spectrum, ".yx", &mut values);
                (p, table) = (1, convolution.roots);
            }
            self.writer.line(format_args!("// Stage: radix {radix}, p = {p}."));
            self.stage(place, radix, p, table, &mut values);
            let last_of_half = s + 1 == forward || s + 1 == stages.len();
            if !last_of_half {
                let next_place = later.as_ref().unwrap_or(&first);
                values = self.between_stages(place, next_place, radix, p, stages[s + 1], &values)?;
                place = next_place;
            }
            p *= radix;
        }
        if self.pass.convolution.is_some() {
            for value in values.iter_mut().flatten() {
                *value = format!("{value}.yx");
            }
        }
        let radix = *stages.last().expect("there is a stage");
        if let Some(twiddle) = &self.pass.twiddle {
            self.twiddle(place, radix, twiddle, &mut values);
        }
        if let Numbers::HalfPair(half, pair) = &self.pass.store.numbers {
            return self.store_halves(place, radix, half.n, pair, values);
        }
        self.store(place, radix, &values);
        Ok(())
    }

    /// Neighbouring invocations should touch neighbouring numbers.
    fn map(&self, side: &Side) -> Map {
        let along_line = match &side.numbers {
            Numbers::Half(half) | Numbers::HalfPair(half, _) => half.place.lowest_stride(),
            Numbers::OfPacked(packed) | Numbers::ToPacked(packed) => packed.place.lowest_stride(),
            _ => side.element.lowest_stride(),
        };
        let across = side.lines.first().map_or(u32::MAX, Place::lowest_stride);
        if self.recipe.lines > 1 && across < along_line && across > 0 { Map::Lines } else { Map::Lanes }
    }

    fn place(&mut self, map: Map, suffix: &str) -> Place1 {
        let (lanes, lines) = (self.lanes(), self.recipe.lines);
        let writer = &mut self.writer;
        let (t, c) = match map {
            _ if lines == 1 => ("invocation".to_owned(), "0u".to_owned()),
            _ if lanes == 1 => ("0u".to_owned(), "invocation".to_owned()),
            Map::Lanes => (
                writer.value(format_args!("invocation % {lanes}u")),
                writer.value(format_args!("invocation / {lanes}u")),
            ),
            Map::Lines => (
                writer.value(format_args!("invocation / {lines}u")),
                writer.value(format_args!("invocation % {lines}u")),
            ),
        };
        let line = format!("line{suffix}");
        let live = if self.setting.exact {
            writer.line(format_args!("let {line} = group * {lines}u + {c};"));
            None
        } else {
            // Invocations past the end go along with the last line, so that no look-up leaves its table.
            let own = writer.value(format_args!("group * {lines}u + {c}"));
            writer.line(format_args!("let {line} = min({own}, params.lines - 1u);"));
            Some(writer.value(format_args!("{own} < params.lines")))
        };
        let mut coordinates = Vec::new();
        let mut before = 1;
        for (i, &extent) in self.pass.lines.iter().enumerate() {
            let quotient = if before == 1 { line.clone() } else { format!("{line} / {before}u") };
            let last = i + 1 == self.pass.lines.len();
            coordinates.push(if last {
                writer.value(format_args!("{quotient}"))
            } else if before == 1 {
                writer.value(format_args!("{line} % {extent}u"))
            } else {
                writer.value(format_args!("({quotient}) % {extent}u"))
            });
            before *= extent;
        }
        if let Some((dim, m)) = self.pass.folded() {
            let d = &coordinates[dim];
            coordinates[dim] = writer.value(format_args!("select({d} / 2u, {m}u - {d} / 2u, {d} % 2u == 1u)"));
        }
        Place1 { map, t, c, live, coordinates }
    }

    /// Where element 0 of the line lies.
    fn line_base(&mut self, side: &Side, place: &Place1) -> String {
        let mut terms = Vec::new();
        if side.offset > 0 {
            terms.push(format!("{}u", side.offset));
        }
        for (of, coordinate) in side.lines.iter().zip(&place.coordinates) {
            let mut rest = coordinate.clone();
            for &(base, stride) in &of.low {
                terms.push(format!("({rest}) % {base}u * {stride}u"));
                rest = format!("{rest} / {base}u");
            }
            match of.stride {
                0 => {}
                1 => terms.push(rest),
                stride => terms.push(format!("({rest}) * {stride}u")),
            }
        }
        if terms.is_empty() {
            return "0u".to_owned();
        }
        self.writer.value(format_args!("{}", terms.join(" + ")))
    }

    /// The lines' part of the position on the axis, where there is any.
    fn index_base(&mut self, index: &Index, place: &Place1) -> Option<String> {
        let weighted = index.lines.iter().zip(&place.coordinates).filter(|(weight, _)| **weight > 0);
        let terms: Vec<String> = weighted.map(|(weight, d)| format!("{d} * {weight}u")).collect();
        (!terms.is_empty()).then(|| self.writer.value(format_args!("{}", terms.join(" + "))))
    }

    /// Expressions for the places of elements t + step, given the place of element 0.
    fn element_places(&mut self, of: &Place, line: &str, t: &str, steps: &[u32]) -> Vec<String> {
        let base_block: u32 = of.low.iter().map(|&(base, _)| base).product();
        if t == "0u" {
            return steps.iter().map(|&step| plus(line, of.of(step))).collect();
        }
        if steps.iter().all(|step| step % base_block == 0) {
            let anchor = self.element_place(of, line, t);
            return steps.iter().map(|step| plus(&anchor, step / base_block * of.stride)).collect();
        }
        steps.iter().map(|&step| self.element_place(of, line, &plus(t, step))).collect()
    }

    /// The place of element `i`, given that of element 0.
    fn element_place(&mut self, of: &Place, line: &str, i: &str) -> String {
        let mut terms = vec![line.to_owned()];
        let mut rest = i.to_owned();
        for &(base, stride) in &of.low {
            terms.push(format!("({rest}) % {base}u * {stride}u"));
            rest = format!("({rest}) / {base}u");
        }
        terms.push(if of.stride == 1 { rest } else { format!("({rest}) * {}u", of.stride) });
        self.writer.value(format_args!("{}", terms.join(" + ")))
    }

    /// What is known of `index base + weight * (t + step) < limit` for every t that takes part.
    fn within(&self, side: &Side, base: Option<&str>, place: &Place1, step: u32, lanes: u32) -> Known {
        let Some(limit) = side.limit else { return Known::Always };
        let weight = side.index.element;
        if base.is_none() {
            if (step + lanes - 1) * weight < limit {
                return Known::Always;
            }
            if step * weight >= limit {
                return Known::Never;
            }
        }
        let base = base.map_or(String::new(), |base| format!("{base} + "));
        Known::When(format!("{base}({}) * {weight}u < {limit}u", plus(&place.t, step)))
    }

    /// Elements t + step of round `b` of a stage of radix `radix`.
    fn steps(&self, radix: u32, b: u32) -> Vec<u32> {
        (0..radix).map(|k| b * self.lanes() + k * (self.n() / radix)).collect()
    }

    fn load(&mut self, place: &Place1, radix: u32) -> Result<Values, String> {
        let side = &self.pass.load;
        let line = self.line_base(side, place);
        let index = self.index_base(&side.index, place);
        let needs_index = side.factors.is_some() || by_index(&side.numbers);
        let mut values = Values::new();
        for b in 0..self.rounds(radix) {
            let steps = self.steps(radix, b);
            let lanes = self.lanes().min(self.n() / radix - b * self.lanes());
            let partial = self.partial(radix, b, &place.t);
            let condition = [place.live.clone(), partial].into_iter().flatten().collect::<Vec<_>>().join(" && ");
            let condition = (!condition.is_empty()).then_some(condition);
            let known: Vec<Known> = steps.iter().map(|&step| self.within(side, index.as_deref(), place, step, lanes)).collect();
            // Without any condition the values are constants.
            let names: Vec<Option<String>> = known
                .iter()
                .map(|known| (condition.is_some() || *known != Known::Always).then(|| self.writer.variable("vec2<f32>")))
                .collect();
            let mut round = Vec::new();
            self.writer_guarded(condition.as_deref(), |own| {
                let places = if by_index(&side.numbers) {
                    vec![String::new(); steps.len()]
                } else {
                    own.element_places(&side.element, &line, &place.t, &steps)
                };
                for ((&step, (name, known)), at) in steps.iter().zip(names.iter().zip(&known)).zip(&places) {
                    let when = match known {
                        Known::Never => {
                            round.push(name.clone().expect("it has a condition"));
                            continue;
                        }
                        Known::Always => None,
                        Known::When(condition) => Some(condition.as_str()),
                    };
                    let value = own.writer_guarded(when, |own| {
                        let index = needs_index.then(|| {
                            let base = index.as_ref().map_or(String::new(), |base| format!("{base} + "));
                            let weight = side.index.element;
                            own.writer.value(format_args!("{base}({}) * {weight}u", plus(&place.t, step)))
                        });
                        let value = own.load_one(side, place, &line, at, index.as_deref());
                        match name {
                            None => value,
                            Some(name) => {
                                own.writer.line(format_args!("{name} = {value};"));
                                name.clone()
                            }
                        }
                    });
                    round.push(value);
                }
            });
            values.push(round);
        }
        Ok(values)
    }

    /// An expression for one loaded value.
    fn load_one(&mut self, side: &Side, place: &Place1, line: &str, at: &str, index: Option<&str>) -> String {
        let second = |own: &mut Self, pair: &Pair, what: &dyn Fn(&mut Self) -> String, zero: &str| match pair.odd {
            None => what(own),
            Some((dim, lines)) => {
                let name = own.writer.variable(zero);
                let condition = format!("2u * {} + 1u < {lines}u", place.coordinates[dim]);
                own.writer_guarded(Some(&condition), |own| {
                    let value = what(own);
                    own.writer.line(format_args!("{name} = {value};"));
                });
                name
            }
        };
        let half = |own: &mut Self, half: &Half, line: &str| {
            let n = half.n;
            let index = index.expect("halves need it");
            let mirrored = own.writer.value(format_args!("2u * {index} > {n}u"));
            let position = own.writer.value(format_args!("select({index}, {n}u - {index}, {mirrored})"));
            let at = own.element_place(&half.place, line, &position);
            let z = own.writer.value(format_args!("load({at})"));
            // The imaginary parts of the two numbers that are their own mirror images are 0.
            let own_mirror = own.writer.value(format_args!("{index} == 0u || 2u * {index} == {n}u"));
            own.writer.value(format_args!("vec2<f32>({z}.x, select(select({z}.y, -{z}.y, {mirrored}), 0.0, {own_mirror}))"))
        };
        let value = match &side.numbers {
            Numbers::Complex => self.writer.value(format_args!("load({at})")),
            Numbers::Real => self.writer.value(format_args!("vec2<f32>(load({at}), 0.0)")),
            Numbers::RealPair(pair) => {
                let second = second(self, pair, &|own| own.writer.value(format_args!("load({})", plus(at, pair.distance))), "f32");
                self.writer.value(format_args!("vec2<f32>(load({at}), {second})"))
            }
            Numbers::Half(of) => half(self, of, line),
            Numbers::OfPacked(packed) => self.of_packed(packed, line, index.expect("packed numbers need it")),
            Numbers::ToPacked(packed) => self.to_packed(packed, line, index.expect("packed numbers need it")),
            Numbers::HalfPair(of, pair) => {
                let first = half(self, of, line);
                let other = plus(line, pair.distance);
                let second = second(self, pair, &|own| half(own, of, &other), "vec2<f32>");
                self.writer.value(format_args!("vec2<f32>({first}.x - {second}.y, {first}.y + {second}.x)"))
            }
        };
        let value = if side.swap { format!("{value}.yx") } else { value };
        match side.factors {
            None => value,
            Some(at) => {
                let index = index.expect("factors need it");
                self.writer.value(format_args!("complex_mul({value}, roots[{}])", plus(index, at)))
            }
        }
    }

    /// A number of the spectrum of reals out of that of half as many complex numbers.
    fn of_packed(&mut self, packed: &Packed, line: &str, k: &str) -> String {
        let m = packed.n / 2;
        let own = self.writer.value(format_args!("select({k}, 0u, {k} == {m}u)"));
        let mirrored = self.writer.value(format_args!("select({m}u - {k}, 0u, {k} == 0u)"));
        let [z, w] = [own, mirrored].map(|i| {
            let at = self.element_place(&packed.place, line, &i);
            self.writer.value(format_args!("load({at})"))
        });
        let root = self.look_up(packed.n, packed.low, packed.at, k);
        let sum = self.writer.value(format_args!("vec2<f32>({z}.x + {w}.x, {z}.y - {w}.y)"));
        // (z - conj w) / i
        let difference = self.writer.value(format_args!("vec2<f32>({z}.y + {w}.y, {w}.x - {z}.x)"));
        self.writer.value(format_args!("0.5 * ({sum} + complex_mul({difference}, {root}))"))
    }

    /// The reverse.
    fn to_packed(&mut self, packed: &Packed, line: &str, k: &str) -> String {
        let m = packed.n / 2;
        let mirrored = self.writer.value(format_args!("{m}u - {k}"));
        let [x, w] = [k.to_owned(), mirrored].map(|i| {
            let at = self.element_place(&packed.place, line, &i);
            let x = self.writer.value(format_args!("load({at})"));
            // The first and the last have no imaginary part.
            self.writer.value(format_args!("vec2<f32>({x}.x, select({x}.y, 0.0, {k} == 0u))"))
        });
        let root = self.look_up(packed.n, packed.low, packed.at, k);
        let sum = self.writer.value(format_args!("vec2<f32>({x}.x + {w}.x, {x}.y - {w}.y)"));
        // i · (x - conj w)
        let difference = self.writer.value(format_args!("vec2<f32>(-{x}.y - {w}.y, {x}.x - {w}.x)"));
        self.writer.value(format_args!("{sum} + complex_mul({difference}, vec2<f32>({root}.x, -{root}.y))"))
    }

    /// exp(-2πi·x/n) by two tables, or one if that has all.
    fn look_up(&mut self, n: u32, low: u32, [low_at, high_at]: [u32; 2], x: &str) -> String {
        if n <= low {
            return self.writer.value(format_args!("roots[{}]", plus(x, low_at)));
        }
        let (x_low, x_high) = (plus(&format!("{x} % {low}u"), low_at), plus(&format!("{x} / {low}u"), high_at));
        self.writer.value(format_args!("complex_mul(roots[{x_low}], roots[{x_high}])"))
    }

    fn writer_guarded<R>(&mut self, condition: Option<&str>, body: impl FnOnce(&mut Self) -> R) -> R {
        if let Some(condition) = condition {
            self.writer.open(condition);
        }
        let result = body(self);
        if condition.is_some() {
            self.writer.close();
        }
        result
    }

    /// The butterflies of one stage.
    fn stage(&mut self, place: &Place1, radix: u32, p: u32, table: u32, values: &mut Values) {
        let mut roots: Vec<String> = Vec::new();
        for (b, round) in (0..).zip(values) {
            let partial = self.partial(radix, b, &place.t);
            let results: Option<Vec<String>> =
                partial.is_some().then(|| (0..radix).map(|_| self.writer.variable("vec2<f32>")).collect());
            *round = self.writer_guarded(partial.as_deref(), |own| {
                // With p a divisor of T, j mod p is t mod p, and every butterfly of the invocation has the same roots.
                if p > 1 && (b == 0 || partial.is_some() || !own.lanes().is_multiple_of(p)) {
                    let j = format!("({})", plus(&place.t, b * own.lanes()));
                    // The last stage's j are below p.
                    let j_mod_p = if p * radix == own.n() { j } else { format!("{j} % {p}u") };
                    roots = own.stage_roots(radix, p, table, &j_mod_p);
                }
                let mut inputs = round.clone();
                for (input, root) in inputs.iter_mut().zip(&roots).skip(1) {
                    if p > 1 {
                        *input = own.writer.value(format_args!("complex_mul({input}, {root})"));
                    }
                }
                let outputs = own.writer.dft(&inputs);
                match results {
                    None => outputs,
                    Some(results) => {
                        for (result, output) in results.iter().zip(outputs) {
                            own.writer.line(format_args!("{result} = {output};"));
                        }
                        results
                    }
                }
            });
        }
    }

    /// Names of exp(-2πi·k·(j mod p)/(p·r)) for k in 0..r; that of k = 0 is not used.
    fn stage_roots(&mut self, radix: u32, p: u32, table: u32, j_mod_p: &str) -> Vec<String> {
        let at = self.writer.value(format_args!("{}", plus(j_mod_p, table + p - 1)));
        let mut names = vec![String::new()];
        for k in 1..radix {
            let looked_up = self.recipe.roots == Roots::Table || k.is_power_of_two();
            names.push(if looked_up {
                self.writer.value(format_args!("roots[{}]", plus(&at, (k - 1) * p)))
            } else {
                let high = 1 << k.ilog2();
                self.writer.value(format_args!("complex_mul({}, {})", names[high as usize], names[(k - high) as usize]))
            });
        }
        names
    }

    /// Multiplies by constants for each element.
    fn multiply(&mut self, place: &Place1, radix: u32, constants: u32, order: &str, values: &mut Values) {
        for (b, round) in (0..).zip(values) {
            let steps = self.steps(radix, b);
            let partial = self.partial(radix, b, &place.t);
            let names: Option<Vec<String>> = partial.is_some().then(|| (0..radix).map(|_| self.writer.variable("vec2<f32>")).collect());
            *round = self.writer_guarded(partial.as_deref(), |own| {
                let mut products = Vec::new();
                for (value, step) in round.iter().zip(&steps) {
                    let at = plus(&place.t, step + constants);
                    products.push(own.writer.value(format_args!("complex_mul({value}, roots[{at}]){order}")));
                }
                match names {
                    None => products,
                    Some(names) => {
                        for (name, product) in names.iter().zip(products) {
                            own.writer.line(format_args!("{name} = {product};"));
                        }
                        names
                    }
                }
            });
        }
    }

    /// Passes the results of a stage on to the next one.
    fn between_stages(&mut self, from: &Place1, to: &Place1, radix: u32, p: u32, next: u32, values: &Values) -> Result<Values, String> {
        let mut writes = Vec::new();
        for b in 0..values.len() as u32 {
            let first = b * self.lanes();
            let j = plus(&from.t, first);
            let base = match p {
                1 => self.writer.value(format_args!("({j}) * {radix}u")),
                _ => self.writer.value(format_args!("(({j}) - ({j}) % {p}u) * {radix}u + ({j}) % {p}u")),
            };
            let bases = self.taking_part(radix, b).map(|t| {
                t.map(|t| {
                    let j = t + first;
                    (j - j % p) * radix + j % p
                })
            });
            let bases = bases.collect();
            writes.push(Group { condition: self.partial(radix, b, &from.t), base, bases, steps: (0..radix).map(|k| k * p).collect() });
        }
        let reads: Vec<Group> = (0..self.rounds(next))
            .map(|b| Group {
                condition: self.partial(next, b, &to.t),
                base: to.t.clone(),
                bases: self.taking_part(next, b).collect(),
                steps: self.steps(next, b),
            })
            .collect();
        self.exchange(from, to, &writes, values, &reads)
    }

    /// Stores values to workgroup memory and loads others from it.
    fn exchange(&mut self, from: &Place1, to: &Place1, writes: &[Group], values: &Values, reads: &[Group]) -> Result<Values, String> {
        let pieces = self.recipe.pieces;
        let piece_len = self.n() / pieces;
        let unit = self.recipe.exchange.words();
        let touches = |groups: &[Group], place: &Place1| {
            let mut touches = Vec::new();
            for group in groups {
                for &step in &group.steps {
                    let elements = group.bases.iter().map(|base| base.map(|base| (base + step) % piece_len)).collect();
                    touches.push(Touch { elements, lines_fast: place.map == Map::Lines });
                }
            }
            touches
        };
        let mut all = touches(writes, from);
        all.extend(touches(reads, to));
        let exchanging = Exchanging {
            n: piece_len,
            lanes: self.lanes(),
            lines: self.recipe.lines,
            words: unit,
            banks: self.recipe.banks,
            available: self.setting.words,
        };
        let (layout, elements) = exchanging
            .best_layout(&all)
            .ok_or_else(|| format!("an exchange needs {} bytes of workgroup memory of {}", exchanging.least() * 4, self.setting.words * 4))?;
        self.words = self.words.max(elements * unit);

        // Of each group: the piece of its elements, and the places in that piece.
        let mut write_places = Vec::new();
        for group in writes {
            let piece = |base: u32| base / piece_len;
            let crosses = group.bases.iter().flatten().any(|&base| group.steps.iter().any(|step| piece(base + step) != piece(base)));
            if crosses {
                return Err(format!("a butterfly's results lie in several of {pieces} pieces"));
            }
            let mut touched: Vec<u32> = group.bases.iter().flatten().map(|&base| piece(base)).collect();
            touched.dedup();
            let (base, bases) = if pieces == 1 {
                (group.base.clone(), group.bases.clone())
            } else {
                let local = self.writer.value(format_args!("{} % {piece_len}u", group.base));
                (local, group.bases.iter().map(|base| base.map(|base| base % piece_len)).collect())
            };
            let places = self.places(layout, piece_len, from, &base, &bases, &group.steps);
            write_places.push((touched, places));
        }
        let mut read_places = Vec::new();
        for group in reads {
            let mut of_step = Vec::new();
            let mut local_steps = Vec::new();
            for &step in &group.steps {
                let mut touched: Vec<u32> = group.bases.iter().flatten().map(|&base| (base + step) / piece_len).collect();
                touched.dedup();
                let [piece] = touched[..] else { return Err(format!("{} lanes load across {pieces} pieces", self.lanes())) };
                of_step.push(piece);
                local_steps.push(step - piece * piece_len);
            }
            let places = self.places(layout, piece_len, to, &group.base, &group.bases, &local_steps);
            read_places.push((of_step, places));
        }

        let parts: &[&str] = if self.recipe.exchange == Exchange::Split { &[".x", ".y"] } else { &[""] };
        let ty = if self.recipe.exchange == Exchange::Split { "f32" } else { "vec2<f32>" };
        let mut loaded: Vec<Values> = Vec::new();
        for part in parts {
            let mut of_part: Values = reads.iter().map(|group| vec![String::new(); group.steps.len()]).collect();
            for piece in 0..pieces {
                if self.exchanged {
                    // What was exchanged before has been read by everyone.
                    self.writer.line(format_args!("workgroupBarrier();"));
                }
                self.exchanged = true;
                for ((group, (touched, places)), round) in writes.iter().zip(&write_places).zip(values) {
                    if !touched.contains(&piece) {
                        continue;
                    }
                    let in_piece = (touched.len() > 1).then(|| format!("{} / {piece_len}u == {piece}u", group.base));
                    let condition = [group.condition.clone(), in_piece].into_iter().flatten().collect::<Vec<_>>().join(" && ");
                    let condition = (!condition.is_empty()).then_some(condition);
                    self.writer_guarded(condition.as_deref(), |own| {
                        for (place, value) in places.iter().zip(round) {
                            own.writer.line(format_args!("exchange[{place}] = {value}{part};"));
                        }
                    });
                }
                self.writer.line(format_args!("workgroupBarrier();"));
                for ((group, (of_step, places)), names) in reads.iter().zip(&read_places).zip(&mut of_part) {
                    let own_steps: Vec<usize> = (0..of_step.len()).filter(|&i| of_step[i] == piece).collect();
                    if own_steps.is_empty() {
                        continue;
                    }
                    if group.condition.is_some() {
                        for &i in &own_steps {
                            names[i] = self.writer.variable(ty);
                        }
                    }
                    self.writer_guarded(group.condition.as_deref(), |own| {
                        for &i in &own_steps {
                            if group.condition.is_some() {
                                own.writer.line(format_args!("{} = exchange[{}];", names[i], places[i]));
                            } else {
                                names[i] = own.writer.value(format_args!("exchange[{}]", places[i]));
                            }
                        }
                    });
                }
            }
            loaded.push(of_part);
        }
        let mut result = loaded.swap_remove(0);
        if let Some(imaginary) = loaded.pop() {
            for (x, y) in result.iter_mut().flatten().zip(imaginary.iter().flatten()) {
                *x = self.writer.value(format_args!("vec2<f32>({x}, {y})"));
            }
        }
        Ok(result)
    }

    /// Expressions for the places in workgroup memory of elements base + step. Where such a place is a fixed distance from that of the first for every
    /// invocation, which is most often so, they share its address.
    fn places(&mut self, layout: Layout, n: u32, place: &Place1, base: &str, bases: &[Option<u32>], steps: &[u32]) -> Vec<String> {
        let lines = self.recipe.lines;
        let dense = |element: &str| match (lines, layout.interleaved) {
            (1, _) => element.to_owned(),
            (_, true) => format!("({element}) * {lines}u + {}", place.c),
            (_, false) => format!("{} * {n}u + {element}", place.c),
        };
        let spread = |writer: &mut Writer, element: &str| {
            let dense = dense(element);
            match layout {
                Layout { shift: 0, .. } => writer.value(format_args!("{dense}")),
                Layout { shift, log2_step, .. } => {
                    let dense = writer.value(format_args!("{dense}"));
                    match log2_step {
                        0 => writer.value(format_args!("{dense} + ({dense} >> {shift}u)")),
                        _ => writer.value(format_args!("{dense} + (({dense} >> {shift}u) << {log2_step}u)")),
                    }
                }
            }
        };
        let Some(&first) = steps.first() else { return Vec::new() };
        let anchor = spread(&mut self.writer, &plus(base, first));
        let mut places = Vec::new();
        for &step in steps {
            let mut distance = None;
            let mut fixed = true;
            for base in bases.iter().flatten() {
                for c in 0..lines {
                    let own = i64::from(layout.place(base + step, c, lines, n)) - i64::from(layout.place(base + first, c, lines, n));
                    fixed &= own >= 0 && *distance.get_or_insert(own) == own;
                }
            }
            places.push(match distance {
                Some(distance) if fixed => plus(&anchor, distance as u32),
                _ => spread(&mut self.writer, &plus(base, step)),
            });
        }
        places
    }

    /// Multiplies the results by the roots of a transform that this is a factor of.
    fn twiddle(&mut self, place: &Place1, radix: u32, twiddle: &Twiddle, values: &mut Values) {
        self.writer.line(format_args!("// Times exp(-2 pi i k m / {}).", twiddle.n));
        let terms: Vec<String> = twiddle
            .weights
            .iter()
            .zip(&place.coordinates)
            .filter(|(weight, _)| **weight > 0)
            .map(|(weight, d)| if *weight == 1 { d.clone() } else { format!("{d} * {weight}u") })
            .collect();
        if terms.is_empty() {
            return;
        }
        let m = self.writer.value(format_args!("{}", terms.join(" + ")));
        let look_up = |own: &mut Self, x: String| {
            let x = own.writer.value(format_args!("{x}"));
            own.look_up(twiddle.n, twiddle.low, twiddle.at, &x)
        };
        let distance = self.n() / radix;
        let mut powers: Vec<String> = Vec::new();
        for (b, round) in (0..).zip(values) {
            let first = b * self.lanes();
            let partial = self.partial(radix, b, &place.t);
            if self.recipe.roots == Roots::Products && powers.is_empty() && radix > 1 {
                // exp(-2πi·m·k·(n/r)/N) for k a power of two; the others are products.
                for k in (0..radix.next_power_of_two().ilog2()).map(|bit| 1 << bit) {
                    powers.push(look_up(self, format!("{m} * {}u", k * distance)));
                }
            }
            let names: Option<Vec<String>> = partial.is_some().then(|| (0..radix).map(|_| self.writer.variable("vec2<f32>")).collect());
            *round = self.writer_guarded(partial.as_deref(), |own| {
                let mut factors: Vec<String> = Vec::new();
                for k in 0..radix as usize {
                    let factor = if k == 0 || own.recipe.roots == Roots::Table {
                        look_up(own, format!("{m} * ({})", plus(&place.t, first + k as u32 * distance)))
                    } else {
                        let bit = k.ilog2();
                        let (rest, power) = (&factors[k - (1 << bit)], &powers[bit as usize]);
                        own.writer.value(format_args!("complex_mul({rest}, {power})"))
                    };
                    factors.push(factor);
                }
                let products: Vec<String> = round
                    .iter()
                    .zip(&factors)
                    .map(|(value, factor)| own.writer.value(format_args!("complex_mul({value}, {factor})")))
                    .collect();
                match names {
                    None => products,
                    Some(names) => {
                        for (name, product) in names.iter().zip(products) {
                            own.writer.line(format_args!("{name} = {product};"));
                        }
                        names
                    }
                }
            });
        }
    }

    fn store(&mut self, place: &Place1, radix: u32, values: &Values) {
        let side = &self.pass.store;
        let index = self.index_base(&side.index, place);
        let line = self.line_base(side, place);
        for (b, round) in (0..).zip(values) {
            let steps = self.steps(radix, b);
            let lanes = self.lanes().min(self.n() / radix - b * self.lanes());
            let partial = self.partial(radix, b, &place.t);
            let condition = [place.live.clone(), partial].into_iter().flatten().collect::<Vec<_>>().join(" && ");
            self.writer_guarded((!condition.is_empty()).then_some(condition.as_str()), |own| {
                let places = own.element_places(&side.element, &line, &place.t, &steps);
                for ((value, at), &step) in round.iter().zip(&places).zip(&steps) {
                    let known = own.within(side, index.as_deref(), place, step, lanes);
                    let when = match &known {
                        Known::Never => continue,
                        Known::Always => None,
                        Known::When(condition) => Some(condition.as_str()),
                    };
                    own.writer_guarded(when, |own| {
                        let mut value = value.clone();
                        if let Some(factors) = side.factors {
                            let base = index.as_ref().map_or(String::new(), |base| format!("{base} + "));
                            let weight = side.index.element;
                            let at = format!("{base}({}) * {weight}u + {factors}u", plus(&place.t, step));
                            value = own.writer.value(format_args!("complex_mul({value}, roots[{at}])"));
                        }
                        own.store_one(side, place, at, &value);
                    });
                }
            });
        }
    }

    fn store_one(&mut self, side: &Side, place: &Place1, at: &str, value: &str) {
        let (re, im) = if side.swap { ("y", "x") } else { ("x", "y") };
        match &side.numbers {
            Numbers::Complex => {
                let order = if side.swap { ".yx" } else { "" };
                self.writer.line(format_args!("store({at}, params.scale * {value}{order});"));
            }
            Numbers::Real => self.writer.line(format_args!("store({at}, params.scale * {value}.{re});")),
            Numbers::RealPair(pair) => {
                self.writer.line(format_args!("store({at}, params.scale * {value}.{re});"));
                let condition = self.second_of(pair, place);
                self.writer_guarded(condition.as_deref(), |own| {
                    own.writer.line(format_args!("store({}, params.scale * {value}.{im});", plus(at, pair.distance)));
                });
            }
            _ => unreachable!("the others are only loaded, or stored in pairs"),
        }
    }

    fn second_of(&self, pair: &Pair, place: &Place1) -> Option<String> {
        pair.odd.map(|(dim, lines)| format!("2u * {} + 1u < {lines}u", place.coordinates[dim]))
    }

    /// Separates the spectra of two lines of reals, a and b, that were transformed as z = a + i·b: with w\[k\] the conjugate of z\[n-k\],
    /// a\[k\] = (z\[k\] + w\[k\])/2 and b\[k\] = (z\[k\] - w\[k\])/2i.
    ///
    /// The z meet in workgroup memory, in pieces of `half` frequencies k and as many n-k: z\[k\] at k - first, z\[n-k\] at half + k - first.
    fn store_halves(&mut self, place: &Place1, radix: u32, n: u32, pair: &Pair, mut values: Values) -> Result<(), String> {
        if let Some(chirp) = self.pass.store.factors {
            self.multiply(place, radix, chirp, "", &mut values);
        }
        let (lanes, lines) = (self.lanes(), self.recipe.lines);
        // Whole rounds of lanes, so that a round's frequencies are all in one piece.
        let half = (n / 2 + 1).div_ceil(self.recipe.pieces).next_multiple_of(lanes);
        let words = 2 * half * lines;
        let unit = self.recipe.exchange.words();
        if words * unit > self.setting.words {
            return Err(format!("pairs of rows of reals need {} bytes of workgroup memory of {}", words * unit * 4, self.setting.words * 4));
        }
        self.words = self.words.max(words * unit);
        self.writer.line(format_args!("// Two spectra out of one."));
        let row = if lines == 1 { "0u".to_owned() } else { self.writer.value(format_args!("{} * {}u", place.c, 2 * half)) };
        let parts: &[&str] = if self.recipe.exchange == Exchange::Split { &[".x", ".y"] } else { &[""] };
        let ty = if parts.len() == 2 { "f32" } else { "vec2<f32>" };
        let rounds: Vec<u32> = (0..=n / 2).step_by(lanes as usize).collect();
        let condition = |first: u32| (first + lanes > n / 2 + 1).then(|| format!("{} <= {}u", plus(&place.t, first), n / 2));
        // Of each round the parts of z and of its mirror image.
        let mut read: Vec<[Vec<String>; 2]> = rounds.iter().map(|_| [Vec::new(), Vec::new()]).collect();
        for part in parts {
            for first in (0..=n / 2).step_by(half as usize) {
                if self.exchanged {
                    self.writer.line(format_args!("workgroupBarrier();"));
                }
                self.exchanged = true;
                for (b, round) in (0..).zip(&values) {
                    let partial = self.partial(radix, b, &place.t);
                    let steps = self.steps(radix, b);
                    self.writer_guarded(partial.as_deref(), |own| {
                        for (value, &step) in round.iter().zip(&steps) {
                            own.put_half(place, &row, step, n, first, half, &format!("{value}{part}"));
                        }
                    });
                }
                self.writer.line(format_args!("workgroupBarrier();"));
                for (&round, read) in rounds.iter().zip(&mut read).filter(|(round, _)| (first..first + half).contains(*round)) {
                    let condition = condition(round);
                    let local = plus(&place.t, round - first);
                    // The mirror image of frequency 0 is itself.
                    let k = plus(&place.t, round);
                    let mirrored = if round == 0 { format!("select({half}u + {local}, 0u, {k} == 0u)") } else { format!("{half}u + {local}") };
                    let own_mirror = n.is_multiple_of(2) && round + lanes > n / 2;
                    let mirrored =
                        if own_mirror { format!("select({mirrored}, {local}, {k} == {}u)", n / 2) } else { mirrored };
                    for (of, at) in read.iter_mut().zip([local, mirrored]) {
                        let name = self.writer.variable(ty);
                        self.writer_guarded(condition.as_deref(), |own| {
                            own.writer.line(format_args!("{name} = exchange[{row} + {at}];"));
                        });
                        of.push(name);
                    }
                }
            }
        }
        let side = &self.pass.store;
        let line = self.line_base(side, place);
        let second = self.second_of(pair, place);
        for (&round, read) in rounds.iter().zip(&read) {
            let [z, w] = read.each_ref().map(|parts| match &parts[..] {
                [re, im] => self.writer.value(format_args!("vec2<f32>({re}, {im})")),
                whole => whole.concat(),
            });
            let condition = [place.live.clone(), condition(round)].into_iter().flatten().collect::<Vec<_>>().join(" && ");
            self.writer_guarded((!condition.is_empty()).then_some(condition.as_str()), |own| {
                let at = own.element_places(&side.element, &line, &place.t, &[round]).remove(0);
                own.writer.line(format_args!("store({at}, 0.5 * params.scale * vec2<f32>({z}.x + {w}.x, {z}.y - {w}.y));"));
                own.writer_guarded(second.as_deref(), |own| {
                    let at = plus(&at, pair.distance);
                    own.writer.line(format_args!("store({at}, 0.5 * params.scale * vec2<f32>({z}.y + {w}.y, {w}.x - {z}.x));"));
                });
            });
        }
        Ok(())
    }

    /// Writes element t + step of n where `store_halves` says, if its frequency is one of the piece from `first` on.
    #[expect(clippy::too_many_arguments, reason = "each is another part of the place")]
    fn put_half(&mut self, place: &Place1, row: &str, step: u32, n: u32, first: u32, half: u32, value: &str) {
        let (least, most) = (step, step + self.lanes() - 1);
        if least >= n {
            // Past the transform: zeros of a convolution.
            return;
        }
        let i = plus(&place.t, step);
        // Frequencies k up to n/2 as they are, then mirrored.
        let mut put = |conditions: Vec<String>, at: String| {
            let condition = conditions.join(" && ");
            self.writer_guarded((!condition.is_empty()).then_some(condition.as_str()), |own| {
                own.writer.line(format_args!("exchange[{row} + {at}] = {value};"));
            });
        };
        let (low_end, begin, end) = (n / 2, first, (first + half - 1).min(n / 2));
        if least <= end && most >= begin {
            let mut conditions = Vec::new();
            if least < begin {
                conditions.push(format!("{i} >= {begin}u"));
            }
            if most > end {
                conditions.push(format!("{i} <= {end}u"));
            }
            put(conditions, format!("({i}) - {begin}u"));
        }
        // n - i from begin to end.
        let (from, to) = ((n - end).max(low_end + 1), n - begin);
        if least <= to && most >= from && to >= from {
            let mut conditions = Vec::new();
            if least < from {
                conditions.push(format!("{i} >= {from}u"));
            }
            if most > to || to == n && most == n {
                conditions.push(format!("{i} <= {}u", to.min(n - 1)));
            }
            put(conditions, format!("{half}u + {n}u - ({i}) - {begin}u"));
        }
    }
}

/// Whether numbers are loaded by their position on the axis, not by that of the element.
pub(super) fn by_index(numbers: &Numbers) -> bool {
    matches!(numbers, Numbers::Half(_) | Numbers::HalfPair(..) | Numbers::OfPacked(_) | Numbers::ToPacked(_))
}

/// What the generator knows of a condition.
#[derive(Clone, PartialEq, Eq)]
enum Known {
    Always,
    Never,
    When(String),
}
