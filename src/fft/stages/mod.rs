//! Text of a pass: the part of `shaders/fft/pass.wgsl` that WGSL cannot say with overrides.
//!
//! A line of n elements has `lanes` invocations, T. In the stage of radix r with p the product of the earlier radices, butterfly j in 0..n/r takes
//! the elements j + k·n/r, k in 0..r, as Stockham asks, and yields the elements (j - j mod p)·r + j mod p + k·p. Invocation t does the butterflies
//! t, t + T, t + 2T, …: its rounds, the last of which is partial where T does not divide n/r. Between stages elements pass through workgroup
//! memory. The first stage loads from the array, the last one stores to it.

mod arrays;
mod exchange;
mod halves;
mod sides;

use std::sync::Arc;

use super::butterfly::{Writer, plus};
use super::recipe::{Exchange, Registers, Roots};
use crate::kernels::fft::pass::{Bound, Numbers, Pass, Place, Side, Twiddle, Workgroup};
use crate::kernels::{Form, Generated};
use exchange::Group;

/// What the text must know of the dispatch besides the pass.
pub(super) struct Setting {
    pub input: Bound,
    pub output: Bound,
    pub roots: Bound,
    /// Every invocation has a line: no line is past the last, and no workgroup in a folded grid.
    pub exact: bool,
    /// Workgroup memory in words.
    pub words: u32,
}

/// The text for a pass by a recipe, or why the recipe does not do.
pub(super) fn generate(pass: Pass, recipe: &Registers, setting: &Setting) -> Result<(Generated, Workgroup), String> {
    let mut generator = Generator { writer: Writer::new(), pass: &pass, recipe, setting, words: 0, exchanged: false };
    generator.pass()?;
    let (body, words) = (&generator.writer.text, generator.words);
    let mut text = format!("// {recipe}\nconst LINES = {}u;\nconst LANES = {}u;\n\n", recipe.lines, recipe.lanes);
    arrays::declare(&mut text, &pass, setting);
    if words > 0 {
        let (element, unit) = if recipe.exchange == Exchange::Split { ("f32", 1) } else { ("vec2<f32>", 2) };
        text.push_str(&format!("var<workgroup> exchange: array<{element}, {}>;\n\n", words / unit));
    }
    if generator.writer.made_opaque {
        text.push_str(OPAQUE);
    }
    text.push_str("fn transform(group: u32, invocation: u32) {\n");
    text.push_str(body);
    text.push_str("}\n");
    let workgroup = Workgroup { lines: recipe.lines, lanes: recipe.lanes, bytes: u64::from(words) * 4 };
    Ok((Generated { text: text.into(), form: Form::Pass(Arc::new(pass)) }, workgroup))
}

/// Where results are dropped, see `butterfly.rs`: no pass of two values or more has 2³¹ lines.
const OPAQUE: &str = "\
/// `x`. No compiler can tell that it is a product, as it does not know that 0 is added to its bits.
fn opaque(x: vec2<f32>) -> vec2<f32> {
    return bitcast<vec2<f32>>(bitcast<vec2<u32>>(x) + vec2<u32>(params.lines >> 31u));
}

";

/// How invocations share out lines and lanes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Map {
    /// Neighbours have the same line.
    Lanes,
    /// Neighbours have the same lane of neighbouring lines.
    Lines,
}

/// Names of what an invocation knows of its place.
struct Invocation {
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

    /// Elements t + step of round `b` of a stage of radix `radix`.
    fn steps(&self, radix: u32, b: u32) -> Vec<u32> {
        (0..radix).map(|k| b * self.lanes() + k * (self.n() / radix)).collect()
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
                self.writer.line(format_args!(
                    "// Times the spectrum, and real and imaginary parts exchanged: what follows is an inverse transform."
                ));
                self.multiply(place, radix, convolution.spectrum, ".yx", &mut values);
                (p, table) = (1, convolution.roots);
            }
            self.writer.line(format_args!("// Stage: radix {radix}, p = {p}."));
            self.writer.opaque = s + 1 == stages.len() && self.drops_results(radix);
            self.stage(place, radix, p, table, &mut values);
            let last_of_half = s + 1 == forward || s + 1 == stages.len();
            if !last_of_half {
                let next_place = later.as_ref().unwrap_or(&first);
                values = self.between_stages(place, next_place, radix, p, stages[s + 1], &values)?;
                place = next_place;
            }
            p *= radix;
        }
        self.writer.opaque = false;
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
        if let Numbers::OfPacked(packed) = &self.pass.store.numbers {
            return self.store_packed(place, radix, packed, &values);
        }
        self.store(place, radix, &values);
        Ok(())
    }

    /// Whether some results of the last stage, or their imaginary parts, are never stored, which the text tells.
    fn drops_results(&self, radix: u32) -> bool {
        let side = &self.pass.store;
        let past = |step: u32| side.limit.is_some_and(|limit| step * side.index.element >= limit);
        match &side.numbers {
            Numbers::Real => true,
            Numbers::HalfPair(half, _) => half.n < self.n(),
            _ => {
                side.index.lines.iter().all(|weight| *weight == 0)
                    && (0..self.rounds(radix)).any(|b| self.steps(radix, b).into_iter().any(past))
            }
        }
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

    fn place(&mut self, map: Map, suffix: &str) -> Invocation {
        let (lanes, lines) = (self.lanes(), self.recipe.lines);
        let writer = &mut self.writer;
        let (t, c) = match map {
            _ if lines == 1 => ("invocation".to_owned(), "0u".to_owned()),
            _ if lanes == 1 => ("0u".to_owned(), "invocation".to_owned()),
            Map::Lanes => (writer.value(format_args!("invocation % {lanes}u")), writer.value(format_args!("invocation / {lanes}u"))),
            Map::Lines => (writer.value(format_args!("invocation / {lines}u")), writer.value(format_args!("invocation % {lines}u"))),
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
        Invocation { map, t, c, live, coordinates }
    }

    /// Writes what one round does to `count` values, under its condition where it is partial: the results are variables then.
    fn in_round(&mut self, partial: Option<&str>, count: u32, body: impl FnOnce(&mut Self) -> Vec<String>) -> Vec<String> {
        if partial.is_none() {
            return body(self);
        }
        let names: Vec<String> = (0..count).map(|_| self.writer.variable("vec2<f32>")).collect();
        self.writer_guarded(partial, |own| {
            for (name, result) in names.iter().zip(body(own)) {
                own.writer.line(format_args!("{name} = {result};"));
            }
        });
        names
    }

    /// The butterflies of one stage.
    fn stage(&mut self, place: &Invocation, radix: u32, p: u32, table: u32, values: &mut Values) {
        let mut roots: Vec<String> = Vec::new();
        for (b, round) in (0..).zip(values) {
            let partial = self.partial(radix, b, &place.t);
            *round = self.in_round(partial.as_deref(), radix, |own| {
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
                        *input = own.writer.product(format_args!("complex_mul({input}, {root})"));
                    }
                }
                let are_products = own.pass.convolution.is_some() || own.pass.load.factors.is_some();
                if p == 1 && are_products && own.writer.opaque {
                    for input in &mut inputs {
                        *input = own.writer.product(format_args!("{input}"));
                    }
                }
                own.writer.dft(&inputs)
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
                self.constant(&plus(&at, (k - 1) * p))
            } else {
                let high = 1 << k.ilog2();
                self.writer.value(format_args!("complex_mul({}, {})", names[high as usize], names[(k - high) as usize]))
            });
        }
        names
    }

    /// Multiplies by constants for each element.
    fn multiply(&mut self, place: &Invocation, radix: u32, constants: u32, order: &str, values: &mut Values) {
        for (b, round) in (0..).zip(values) {
            let steps = self.steps(radix, b);
            let partial = self.partial(radix, b, &place.t);
            *round = self.in_round(partial.as_deref(), radix, |own| {
                let product = |(value, step): (&String, &u32)| {
                    let factor = own.constant_text(&plus(&place.t, step + constants));
                    own.writer.value(format_args!("complex_mul({value}, {factor}){order}"))
                };
                round.iter().zip(&steps).map(product).collect()
            });
        }
    }

    /// Passes the results of a stage on to the next one.
    fn between_stages(
        &mut self,
        from: &Invocation,
        to: &Invocation,
        radix: u32,
        p: u32,
        next: u32,
        values: &Values,
    ) -> Result<Values, String> {
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

    /// Multiplies the results by the roots of a transform that this is a factor of.
    fn twiddle(&mut self, place: &Invocation, radix: u32, twiddle: &Twiddle, values: &mut Values) {
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
            *round = self.in_round(partial.as_deref(), radix, |own| {
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
                let product = |(value, factor)| own.writer.value(format_args!("complex_mul({value}, {factor})"));
                round.iter().zip(&factors).map(product).collect()
            });
        }
    }

    /// exp(-2πi·x/n) by two tables, or one if that has all.
    fn look_up(&mut self, n: u32, low: u32, [low_at, high_at]: [u32; 2], x: &str) -> String {
        if n <= low {
            return self.constant(&plus(x, low_at));
        }
        let factors = [plus(&format!("{x} % {low}u"), low_at), plus(&format!("{x} / {low}u"), high_at)];
        let [low, high] = factors.map(|at| self.constant_text(&at));
        self.writer.value(format_args!("complex_mul({low}, {high})"))
    }

    /// An expression for a constant. Most tables have one binding.
    fn constant_text(&self, at: &str) -> String {
        if self.setting.roots.segments() == 1 { format!("roots[{at}]") } else { format!("constant({at})") }
    }

    /// The name of a constant.
    fn constant(&mut self, at: &str) -> String {
        let text = self.constant_text(at);
        self.writer.value(format_args!("{text}"))
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
}

/// The condition that all of those hold that there are.
fn all_of(conditions: impl IntoIterator<Item = Option<String>>) -> Option<String> {
    conditions.into_iter().flatten().reduce(|all, next| format!("{all} && {next}"))
}

/// Whether numbers are loaded by their position on the axis, not by that of the element.
pub(super) fn by_index(numbers: &Numbers) -> bool {
    matches!(numbers, Numbers::Half(_) | Numbers::HalfPair(..) | Numbers::OfPacked(_) | Numbers::ToPacked(_))
}
