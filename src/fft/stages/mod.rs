//! The text of a pass: the part of `shaders/fft/pass.wgsl` that WGSL cannot say with overrides.
//!
//! A line of n elements has `lanes` invocations, T. In the stage of radix r with p the product of
//! the earlier radices, butterfly j in 0..n/r takes the elements j + k·n/r, k in 0..r, as Stockham
//! asks, and yields the elements (j - j mod p)·r + j mod p + k·p. Invocation t does the butterflies
//! t, t + T, t + 2T, …: its rounds, the last of which is partial where T does not divide n/r.
//! Between stages elements pass through workgroup memory. The first stage loads from the array, the
//! last one stores to it.
//!
//! A line may have several axes, which are transformed together: a small picture, one row after the
//! other. Its stages work along the slowest axis first. `stage.rs` says which elements a butterfly
//! of such a stage takes.

mod arrays;
mod exchange;
mod halves;
mod sides;
mod stage;
mod twos;

use super::codelets::{self, Division, Vectors, times};
use super::fused::{Element, Fused, LookUp, Map, Spot};
use super::pass::{Convolution, Pass, Side};
use super::place::Place;
use super::recipe::{Exchange, Roots, Stockham};
use super::roots::Constant;
use super::twos::Twos;
use crate::kernels::fft::pass::{Bound, Workgroup};
use crate::kernels::{Form, Generated};
use crate::wgsl::{Body, Expr, Function, Module, Type, U32, Writes, boolean, min, param, select};
use exchange::Group;
pub(super) use stage::Stage;

/// What the text must know of the dispatch besides the pass.
pub(super) struct Setting<'a> {
    pub input: Bound,
    pub output: Bound,
    pub roots: Bound,
    pub look_up: LookUp<'a>,
    /// Every invocation has a line: no line is past the last, and no workgroup in a folded grid.
    pub exact: bool,
    /// Workgroup memory in words.
    pub words: u32,
    /// Complex numbers of two f32 are loaded and stored as integers of 64 bits. lavapipe loads each
    /// component of each lane by itself, so that one takes half the time of two. Medians on 2 cores,
    /// before and after, in two runs each: 100 rows of 7919 50.0 and 30.2, 52.4 and 33.5; 719x1013
    /// 44.1 and 38.8, 43.2 and 43.9; 256 rows of 1009, with barriers, 6.2 and 6.3 (least times).
    pub numbers_as_bits: bool,
}

/// The text for a pass by a recipe, or why the recipe does not do.
pub(super) fn generate(pass: Pass, recipe: &Stockham, setting: &Setting<'_>) -> Result<(Generated, Workgroup), String> {
    let mut transform = Function::new("transform");
    let group = transform.parameter("group", U32);
    let lines = recipe.lines / pass.lines_each();
    let invocation = transform.parameter("invocation", U32).below(recipe.lanes * lines);
    let body = std::mem::take(&mut transform.body);
    let mut generator = Generator { body, pass: &pass, recipe, setting, lines, group, invocation, words: 0, exchanged: false };
    generator.pass()?;
    let (element, unit) = (generator.memory_element(), generator.memory_words());
    let Generator { body, words, .. } = generator;
    transform.body = body;

    let mut module = Module::default();
    module.comment(recipe);
    module.constant("LINES", lines);
    module.constant("LANES", recipe.lanes);
    module.gap();
    arrays::declare(&mut module, &pass, setting);
    for (map, first) in maps(&pass) {
        map.fragment.write(&mut module, first);
    }
    if words > 0 {
        module.workgroup("exchange", Type::sized(element, words / unit));
        module.gap();
    }
    module.function(transform);
    let workgroup = Workgroup { lines, lanes: recipe.lanes, bytes: u64::from(words) * 4 };
    Ok((Generated { text: module.finish().into(), form: Form::Pass(pass.radices) }, workgroup))
}

/// The fragments of a pass, each with the number of its first binding.
pub(super) fn maps(pass: &Pass) -> impl Iterator<Item = (&Map, u32)> {
    pass.maps().scan(FIRST_DECLARED, |next, map| {
        let first = *next;
        *next += map.fragment.arrays().len() as u32;
        Some((map, first))
    })
}

/// The first binding of what fragments declare. The arrays of a pass take at most 48.
const FIRST_DECLARED: u32 = 64;

/// How invocations share out lines and lanes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sharing {
    /// Neighbours have the same line.
    Lanes,
    /// Neighbours have the same lane of neighbouring lines.
    Lines,
}

/// What an invocation knows of its place.
#[derive(Clone)]
struct Invocation {
    sharing: Sharing,
    /// Which lane of its line it is.
    lane: Expr,
    /// Its first butterfly of a stage.
    t: Expr,
    /// The first element of that butterfly.
    element: Expr,
    /// Neighbouring butterflies that it computes: `t` is so many times its lane.
    neighbours: u32,
    /// Which line of the workgroup.
    row: Expr,
    /// Whether it has a line.
    live: Expr,
    coordinates: Vec<Expr>,
}

/// The values of one stage: of each round the r values of a butterfly.
type Values = Vec<Vec<Expr>>;

/// A butterfly of every lane.
#[derive(Clone, Copy)]
struct Round {
    /// It is butterfly t + `first`.
    first: u32,
    /// Of which line, if an invocation transforms several.
    line: u32,
}

struct Generator<'a> {
    body: Body,
    pass: &'a Pass,
    recipe: &'a Stockham,
    setting: &'a Setting<'a>,
    /// Lines of a workgroup. Those that an invocation transforms together are one.
    lines: u32,
    group: Expr,
    invocation: Expr,
    words: u32,
    exchanged: bool,
}

impl Writes for Generator<'_> {
    fn body(&mut self) -> &mut Body {
        &mut self.body
    }
}

impl Generator<'_> {
    fn lanes(&self) -> u32 {
        self.recipe.lanes
    }

    fn n(&self) -> u32 {
        self.recipe.n()
    }

    /// The rounds of a stage of radix r at such places.
    fn rounds(&self, radix: u32, place: &Invocation) -> Vec<Round> {
        let (neighbours, lines) = (place.neighbours, self.pass.lines_each());
        let firsts = (0..(self.n() / radix).div_ceil(self.lanes())).map(|b| b / neighbours * neighbours * self.lanes() + b % neighbours);
        firsts.flat_map(|first| (0..lines).map(move |line| Round { first, line })).collect()
    }

    /// Whether lane t takes part in a round of a stage.
    fn partial(&self, radix: u32, round: Round, t: &Expr) -> Expr {
        (t + round.first).less(self.n() / radix)
    }

    /// Lane t, where it is known to take part in a round.
    fn taking_part_of(&self, radix: u32, round: Round, t: &Expr) -> Expr {
        t.clone().below(self.n() / radix - round.first)
    }

    /// The t of the lanes that take part in a round.
    fn taking_part(&self, radix: u32, place: &Invocation, round: Round) -> impl Iterator<Item = Option<u32>> + use<> {
        let (butterflies, neighbours) = (self.n() / radix, place.neighbours);
        (0..self.lanes()).map(move |lane| lane * neighbours).map(move |t| (t + round.first < butterflies).then_some(t))
    }

    /// Distances of the elements of a round from the first element of its lane.
    fn steps(&self, stage: Stage, round: Round) -> Vec<u32> {
        let first = stage.first_element(round.first);
        (0..stage.radix).map(|k| first + k * stage.distance()).collect()
    }

    /// An invocation in a stage: where its first butterfly begins.
    fn at_stage(&mut self, place: &Invocation, stage: Stage) -> Result<Invocation, String> {
        let element =
            if stage.is_slowest(self.n()) { place.t.clone() } else { self.body.value("element", stage.first_element_of(&place.t)) };
        let (neighbours, each) = (place.neighbours, stage.distance());
        if !each.is_multiple_of(neighbours) {
            return Err(format!(
                "accesses of two numbers (width=2) take two butterflies at a time, and a piece of the line has {each} of radix {}",
                stage.radix
            ));
        }
        let lanes = self.lanes() * neighbours;
        if stage.is_regular(lanes, self.n()) {
            Ok(Invocation { element, ..place.clone() })
        } else {
            let lanes = if neighbours == 1 { format!("{lanes} lanes") } else { format!("twice {} lanes", self.lanes()) };
            Err(format!(
                "{lanes} and the {each} butterflies of radix {} in a piece of the line, of which one must divide the other",
                stage.radix
            ))
        }
    }

    /// The stages in order.
    fn stages(&self) -> Vec<Stage> {
        let constants = self.setting.look_up.constants;
        let mut stride = self.n();
        let mut stages = Vec::new();
        for radices in self.pass.axes() {
            stride /= radices.iter().product::<u32>();
            let table = constants.place(&Constant::Stages(radices.to_vec()));
            stages.extend(Stage::along(radices, stride, table));
        }
        if self.pass.convolution.is_some() {
            let reversed: Vec<u32> = self.recipe.radices.iter().rev().copied().collect();
            stages.extend(Stage::along(&reversed, 1, constants.place(&self.pass.inverse_stages())));
        }
        stages
    }

    /// What an element of workgroup memory holds.
    fn memory_element(&self) -> Type {
        let number = self.pass.number;
        let own = if self.recipe.exchange == Exchange::Split { number.real() } else { number.complex() };
        match self.pass.lines_each() {
            1 => own,
            lines => Type::numbers(lines * self.recipe.exchange.words(), number.scalar()),
        }
    }

    /// 32-bit words of that.
    fn memory_words(&self) -> u32 {
        self.recipe.exchange.words() * self.pass.number.words() * self.pass.lines_each()
    }

    fn pass(&mut self) -> Result<(), String> {
        let across = |side: &Side| side.lines.first().map_or(u32::MAX, Place::lowest_stride);
        let (load, store) = (&self.pass.load, &self.pass.store);
        let load_map = self.sharing(load.place.lowest_stride(), across(load));
        let store_map = if store.by_position {
            // Neighbouring lines may be neighbouring positions.
            let position = store.place.lowest_stride();
            let along = |weight: u32| weight.saturating_mul(position);
            let weight = store.index.lines.first().copied().unwrap_or(0);
            self.sharing(along(store.index.element), if weight > 0 { along(weight) } else { across(store) })
        } else {
            self.sharing(store.place.lowest_stride(), across(store))
        };
        let stages = self.stages();
        let forward = self.recipe.radices.len();
        // Stage 0 works where it loads, the others where the last one stores. One stage alone loads
        // where it stores.
        let exchanges = stages.len() - usize::from(self.pass.convolution.is_some());
        let load_map = if exchanges > 1 { load_map } else { store_map };
        let first = self.place(load_map);
        let later = if load_map == store_map { None } else { Some(self.place(store_map)) };
        let in_twos = (self.pass.twos == Some(Twos::Elements)).then(|| self.in_twos(&first));
        let middle = later.as_ref().unwrap_or(&first);
        let [first, last] = [&first, middle].map(|place| in_twos.as_ref().unwrap_or(place));
        let mut place = self.at_stage(first, stages[0])?;
        let mut values = if self.pass.twos.is_some() { self.load_twos(&place, stages[0]) } else { self.load(&place, stages[0]) };
        for (s, &stage) in stages.iter().enumerate() {
            if s == forward {
                match self.pass.convolution.as_ref().expect("more stages than radices only where there is one") {
                    &Convolution::Chirp { n, m } => {
                        self.body
                            .comment("Times the spectrum, and real and imaginary parts exchanged: what follows is an inverse transform.");
                        self.multiply(&place, stage, &Constant::Spectrum { n, m }, "yx", &mut values);
                    }
                    Convolution::Filter(map) => self.filter(&place, stage, map, &mut values),
                }
            }
            self.body.comment(format!("Stage: radix {}, p = {}.", stage.radix, stage.p));
            let opaque = s + 1 == stages.len() && self.drops_results(stage, &place);
            self.stage(&place, stage, opaque, &mut values);
            let last_of_half = s + 1 == forward || s + 1 == stages.len();
            if !last_of_half {
                let next = self.at_stage(if s + 2 == stages.len() { last } else { middle }, stages[s + 1])?;
                values = self.between_stages(&place, &next, [stage, stages[s + 1]], &values)?;
                place = next;
            }
        }
        if self.pass.ends_convolution() {
            for value in values.iter_mut().flatten() {
                *value = value.components("yx");
            }
        }
        let (place, stage) = (&place, *stages.last().expect("there is a stage"));
        let mut fused = &self.pass.store.fused[..];
        if let Some((Fused::Twiddle(twiddle), inner)) = fused.split_last() {
            self.twiddle(place, stage, twiddle, &mut values);
            fused = inner;
        }
        match fused.iter().position(|fused| fused.step().mirrors().is_some()) {
            None if self.pass.twos.is_some() => {
                self.apply(place, stage, fused, &mut values);
                self.store_twos(place, stage, &values);
                Ok(())
            }
            None => {
                self.store(place, stage, fused, &values);
                Ok(())
            }
            Some(mirroring) => {
                let (inner, outer) = fused.split_at(mirroring + 1);
                self.apply(place, stage, outer, &mut values);
                self.store_images(place, stage, inner, &values)
            }
        }
    }

    /// Whether some results of the last stage, or their imaginary parts, are never stored, which
    /// the text tells.
    fn drops_results(&self, stage: Stage, place: &Invocation) -> bool {
        let side = &self.pass.store;
        let is_past = |limit: u32| {
            let past = |step: u32| step * side.index.element >= limit;
            side.index.lines.iter().all(|weight| *weight == 0)
                && self.rounds(stage.radix, place).into_iter().any(|round| self.steps(stage, round).into_iter().any(past))
        };
        side.fused.iter().map(Fused::step).any(|step| step.drops_results_of(self.n()) || step.limit().is_some_and(is_past))
    }

    /// Neighbouring invocations should touch neighbouring numbers.
    fn sharing(&self, along_line: u32, across: u32) -> Sharing {
        if self.lines > 1 && across < along_line && across > 0 { Sharing::Lines } else { Sharing::Lanes }
    }

    fn place(&mut self, sharing: Sharing) -> Invocation {
        let (lanes, lines) = (self.lanes(), self.lines);
        let (lane, row) = match sharing {
            Sharing::Lanes => (&self.invocation % lanes, &self.invocation / lanes),
            Sharing::Lines => (&self.invocation / lines, &self.invocation % lines),
        };
        let (lane, row) = (self.body.value("lane", lane), self.body.value("row", row));
        let own = self.body.value("line", &self.group * lines + &row);
        let (line, live) = if self.setting.exact {
            (own, boolean(true))
        } else {
            let count = param("lines", U32);
            // Invocations past the end go along with the last line, so that no look-up leaves its
            // table.
            let live = self.body.value("live", own.less(&count));
            (self.body.value("live_line", min(&own, count - 1)), live)
        };
        let mut coordinates = Vec::new();
        let mut rest = line;
        for (i, &extent) in self.pass.lines.iter().enumerate() {
            let last = i + 1 == self.pass.lines.len();
            let (quotient, digit) = rest.div_rem(extent);
            coordinates.push(self.body.value(&format!("d{i}"), if last { rest } else { digit }));
            rest = quotient;
        }
        if let Some((dim, m)) = self.pass.folded() {
            let d = &coordinates[dim];
            let folded = select(&(d % 2).equals(1), Expr::from(m) - d / 2, d / 2);
            coordinates[dim] = self.body.value("folded", folded);
        }
        Invocation { sharing, t: lane.clone(), element: lane.clone(), lane, neighbours: 1, row, live, coordinates }
    }

    /// What one round does to `count` values, under its condition where it is partial: the results
    /// are variables then.
    fn in_round(&mut self, partial: &Expr, count: u32, write: impl FnOnce(&mut Self) -> Vec<Expr>) -> Vec<Expr> {
        let names: Vec<(String, Type)> = (0..count).map(|k| (format!("y{k}"), self.pass.number.complex())).collect();
        self.values_when(partial, &names, write)
    }

    /// The butterflies of one stage.
    fn stage(&mut self, place: &Invocation, stage: Stage, opaque: bool, values: &mut Values) {
        let Stage { radix, p, stride, .. } = stage;
        let mut roots: Vec<Expr> = Vec::new();
        // Butterflies whose first ones are the same number modulo p have the same roots.
        let mut rooted = None;
        for (round, values) in self.rounds(radix, place).into_iter().zip(values) {
            let partial = self.partial(radix, round, &place.t);
            *values = self.in_round(&partial, radix, |own| {
                let first = round.first / stride % p;
                if p > 1 && (rooted != Some(first) || !partial.is_true()) {
                    let j = (&place.t + round.first) / stride;
                    // In the last stage of the slowest axis all j are below p.
                    let below = stage.is_last() && stage.is_slowest(own.n());
                    roots = own.stage_roots(stage, if below { j } else { j % p });
                    rooted = Some(first);
                }
                let are_products = own.pass.convolution.is_some() || own.pass.load.fused.iter().any(|fused| fused.step().multiplies());
                let mut vectors = Vectors { body: &mut own.body, opaque };
                let inputs: Vec<Expr> = values
                    .iter()
                    .enumerate()
                    .map(|(k, input)| match p {
                        1 if are_products && opaque => vectors.product("product", input.clone()),
                        1 => input.clone(),
                        _ if k == 0 => input.clone(),
                        _ => vectors.product(&format!("x{k}"), times(input, &roots[k])),
                    })
                    .collect();
                codelets::dft(&mut vectors, Division::Turns, &inputs, &|k| format!("y{k}"))
            });
        }
    }

    /// exp(-2πi·k·(j mod p)/(p·r)) for k in 0..r; that of k = 0 is not used.
    fn stage_roots(&mut self, stage: Stage, j_mod_p: Expr) -> Vec<Expr> {
        let Stage { radix, p, table, .. } = stage;
        let at = self.body.value("root_at", j_mod_p + (table + p - 1));
        let mut roots = vec![Expr::from(0)];
        for k in 1..radix {
            let looked_up = self.recipe.roots == Roots::Table || k.is_power_of_two();
            let root = if looked_up {
                self.setting.look_up.at(&(&at + (k - 1) * p))
            } else {
                let high = 1 << k.ilog2();
                times(&roots[high as usize], &roots[(k - high) as usize])
            };
            roots.push(self.body.value(&format!("root{k}"), root));
        }
        roots
    }

    /// Multiplies by constants for each position of the spectrum.
    fn multiply(&mut self, place: &Invocation, stage: Stage, constants: &Constant, order: &str, values: &mut Values) {
        let side = &self.pass.store;
        let index = self.index_base(&side.index, place);
        for (round, values) in self.rounds(stage.radix, place).into_iter().zip(values) {
            let steps = self.steps(stage, round);
            let partial = self.partial(stage.radix, round, &place.t);
            *values = self.in_round(&partial, stage.radix, |own| {
                let product = |(value, &step): (&Expr, &u32)| {
                    let at = sides::position(side, &index, &place.t, step);
                    times(value, &own.setting.look_up.of(constants, &at)).components(order)
                };
                values.iter().zip(&steps).map(product).collect()
            });
        }
    }

    /// Applies a fragment to each element of the spectrum.
    fn filter(&mut self, place: &Invocation, stage: Stage, map: &Map, values: &mut Values) {
        self.body.comment("The filter, and real and imaginary parts exchanged: what follows is an inverse transform.");
        let (side, nowhere) = (&self.pass.store, Expr::from(0));
        for (round, values) in self.rounds(stage.radix, place).into_iter().zip(values) {
            let steps = self.steps(stage, round);
            let t = self.taking_part_of(stage.radix, round, &place.t);
            let partial = self.partial(stage.radix, round, &place.t);
            *values = self.in_round(&partial, stage.radix, |own| {
                let mut site = own.site(side, place, &nowhere);
                let filtered = |(value, &step): (&Expr, &u32)| {
                    let element = Element { spot: Spot::OnLine(nowhere.clone()), position: &t + step, weight: None, second: false };
                    map.filtered(&mut site, element, value).components("yx")
                };
                values.iter().zip(&steps).map(filtered).collect()
            });
        }
    }

    /// Passes the results of a stage on to the next one.
    fn between_stages(&mut self, from: &Invocation, to: &Invocation, [stage, next]: [Stage; 2], values: &Values) -> Result<Values, String> {
        let Stage { radix, p, stride, .. } = stage;
        let mut writes = Vec::new();
        for round in self.rounds(radix, from).into_iter().step_by(self.pass.lines_each() as usize) {
            let (j, faster) = (&from.t + round.first).div_rem(stride);
            let rest = &j % p;
            let base = self.body.value("first", ((&j - &rest) * radix + rest) * stride + faster);
            let bases = self.taking_part(radix, from, round).map(|t| t.map(|t| stage.first_result(t + round.first)));
            let bases = bases.collect();
            let steps = (0..radix).map(|k| k * p * stride).collect();
            writes.push(Group { condition: self.partial(radix, round, &from.t), base, bases, steps });
        }
        let reads: Vec<Group> = self
            .rounds(next.radix, to)
            .into_iter()
            .step_by(self.pass.lines_each() as usize)
            .map(|round| Group {
                condition: self.partial(next.radix, round, &to.t),
                base: to.element.clone(),
                bases: self.taking_part(next.radix, to, round).map(|t| t.map(|t| next.first_element(t))).collect(),
                steps: self.steps(next, round),
            })
            .collect();
        self.exchange(from, to, &writes, values, &reads)
    }
}
