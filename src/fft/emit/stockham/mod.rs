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
pub(in crate::fft) mod generator;
mod halves;
pub(in crate::fft) mod inline;
mod sides;
mod twos;

use super::codelets;
use super::codelets::{Division, Vectors, times};
use crate::fft::pass::{Convolution, Pass, Side, Twos};
use crate::fft::place::Place;
use crate::fft::recipe::{Roots, Stockham};
use crate::fft::roots::Constant;
use crate::fft::stage::Stage;
use crate::fft::steps::{Element, Fused, Map, Spot};
use crate::fragment::declaring;
use crate::kernels::fft::pass::Workgroup;
use crate::kernels::{Form, Generated};
use crate::wgsl::{Expr, Function, Module, Type, U32};
use exchange::Group;
use generator::{Generator, Invocation, Setting, Values};

/// The text for a pass by a recipe that [fits](crate::fft::limits::pass).
pub(in crate::fft) fn generate(pass: Pass, recipe: &Stockham, setting: &Setting<'_>) -> (Generated, Workgroup) {
    let mut transform = Function::new("transform");
    let group = transform.parameter("group", U32);
    let lines = recipe.lines / pass.lines_each();
    let invocation = transform.parameter("invocation", U32).below(recipe.lanes * lines);
    let body = std::mem::take(&mut transform.body);
    let mut generator = Generator { body, pass: &pass, recipe, setting, lines, group, invocation, words: 0, exchanged: false };
    generator.pass();
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
    (Generated { text: module.finish().into(), form: Form::Pass(pass.radices) }, workgroup)
}

/// The fragments of a pass, each with the number of its first binding.
pub(in crate::fft) fn maps(pass: &Pass) -> impl Iterator<Item = (&Map, u32)> {
    declaring(pass.maps(), |map| &map.fragment)
}

impl Generator<'_> {
    fn pass(&mut self) {
        let across = |side: &Side| side.lines.first().map_or(u32::MAX, Place::lowest_stride);
        let (load, store) = (&self.pass.load, &self.pass.store);
        let load_map = self.sharing(load.place.lowest_stride(), across(load));
        let store_map = if store.by_position {
            // Neighbouring lines may be neighbouring positions.
            let position = store.place.lowest_stride();
            let along = |weight: u32| weight.saturating_mul(position);
            let weight = store.weights.first().copied().unwrap_or(0);
            self.sharing(along(store.weight), if weight > 0 { along(weight) } else { across(store) })
        } else {
            self.sharing(store.place.lowest_stride(), across(store))
        };
        let stages = self.stages();
        // Stage 0 works where it loads, the others where the last one stores. One stage alone loads
        // where it stores.
        let exchanges = stages.len() - usize::from(self.pass.convolution.is_some());
        let load_map = if exchanges > 1 { load_map } else { store_map };
        let first = self.place(load_map);
        let later = if load_map == store_map { None } else { Some(self.place(store_map)) };
        let in_twos = (self.pass.twos == Some(Twos::Elements)).then(|| self.in_twos(&first));
        let middle = later.as_ref().unwrap_or(&first);
        let [first, last] = [&first, middle].map(|place| in_twos.as_ref().unwrap_or(place));
        let place = self.at_stage(first, stages[0]);
        let values = if self.pass.twos.is_some() { self.load_twos(&place, stages[0]) } else { self.load(&place, stages[0]) };
        let (place, mut values) = self.run(&stages, place, [middle, last], values);
        let (place, stage) = (&place, *stages.last().expect("there is a stage"));
        let mut fused = &self.pass.store.fused[..];
        if let Some((last, inner)) = fused.split_last()
            && let Some(twiddle) = last.get()
        {
            self.twiddle(place, stage, twiddle, &mut values);
            fused = inner;
        }
        match fused.iter().position(|fused| fused.step().mirrors().is_some()) {
            None if self.pass.twos.is_some() => {
                self.apply(place, stage, fused, &mut values);
                self.store_twos(place, stage, &values);
            }
            None => self.store(place, stage, fused, &values),
            Some(mirroring) => {
                let (inner, outer) = fused.split_at(mirroring + 1);
                self.apply(place, stage, outer, &mut values);
                self.store_images(place, stage, inner, &values);
            }
        }
    }

    /// All stages, on values in registers. The first one works at `place`, the last one at `last`,
    /// and those between them at `middle`.
    fn run(
        &mut self,
        stages: &[Stage],
        mut place: Invocation,
        [middle, last]: [&Invocation; 2],
        mut values: Values,
    ) -> (Invocation, Values) {
        let forward = self.recipe.radices.len();
        for (s, &stage) in stages.iter().enumerate() {
            if s == forward {
                match self.pass.convolution.as_ref().expect("more stages than radices only where there is one") {
                    &Convolution::Chirp { n, m } => {
                        self.body
                            .comment("Times the spectrum, and real and imaginary parts exchanged: what follows is an inverse transform.");
                        let (side, spectrum) = (&self.pass.store, Constant::Spectrum { n, m });
                        let index = self.index_base(side, &place);
                        self.each(&place, stage, &mut values, |own, _, step, value| {
                            let at = sides::position(side, &index, &place.t, step);
                            times(value, &own.setting.look_up.of(&spectrum, &at)).components("yx")
                        });
                    }
                    Convolution::Filter(map) => self.filter(&place, stage, map, &mut values),
                }
            }
            self.body.comment(format!("Stage: radix {}, p = {}.", stage.radix, stage.p));
            let opaque = s + 1 == stages.len() && self.drops_results(stage, &place);
            self.stage(&place, stage, opaque, &mut values);
            let last_of_half = s + 1 == forward || s + 1 == stages.len();
            if !last_of_half {
                let next = self.at_stage(if s + 2 == stages.len() { last } else { middle }, stages[s + 1]);
                values = self.between_stages(&place, &next, [stage, stages[s + 1]], &values);
                place = next;
            }
        }
        if self.pass.ends_convolution() {
            for value in values.iter_mut().flatten() {
                *value = value.components("yx");
            }
        }
        (place, values)
    }

    /// Whether some results of the last stage, or their imaginary parts, are never stored, which
    /// the text tells.
    fn drops_results(&self, stage: Stage, place: &Invocation) -> bool {
        let side = &self.pass.store;
        let is_past = |limit: u32| {
            let past = |step: u32| step * side.weight >= limit;
            side.weights.iter().all(|weight| *weight == 0)
                && self.rounds(stage, place).into_iter().any(|round| round.steps.into_iter().any(past))
        };
        side.fused.iter().map(Fused::step).any(|step| step.drops_results_of(self.n()) || step.limit().is_some_and(is_past))
    }

    fn stage(&mut self, place: &Invocation, stage: Stage, opaque: bool, values: &mut Values) {
        let Stage { radix, p, stride, .. } = stage;
        let mut roots: Vec<Expr> = Vec::new();
        // Butterflies whose first ones are the same number modulo p have the same roots.
        let mut rooted = None;
        for (round, values) in self.rounds(stage, place).into_iter().zip(values) {
            *values = self.in_round(&round.partial, radix, |own| {
                let first = round.first / stride % p;
                if p > 1 && (rooted != Some(first) || !round.partial.is_true()) {
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
        let computes = self.setting.computes_roots;
        let at = if computes { j_mod_p } else { self.body.value("root_at", j_mod_p + (table + p - 1)) };
        let mut roots = vec![Expr::from(0)];
        for k in 1..radix {
            let looked_up = self.recipe.roots == Roots::Table || k.is_power_of_two();
            let root = if looked_up && computes {
                inline::root_of_unity(self.pass.number, &(&at * k), p * radix)
            } else if looked_up {
                self.setting.look_up.at(&(&at + (k - 1) * p))
            } else {
                let high = 1 << k.ilog2();
                times(&roots[high as usize], &roots[(k - high) as usize])
            };
            roots.push(self.body.value(&format!("root{k}"), root));
        }
        roots
    }

    fn filter(&mut self, place: &Invocation, stage: Stage, map: &Map, values: &mut Values) {
        self.body.comment("The filter, and real and imaginary parts exchanged: what follows is an inverse transform.");
        let (side, nowhere) = (&self.pass.store, Expr::from(0));
        self.each(place, stage, values, |own, round, step, value| {
            let position = &round.t + step;
            let element = Element { spot: Spot::OnLine(nowhere.clone()), position, weight: None, second: false };
            map.filtered(&mut own.site(side, place, &nowhere), element, value).components("yx")
        });
    }

    fn between_stages(&mut self, from: &Invocation, to: &Invocation, [stage, next]: [Stage; 2], values: &Values) -> Values {
        let Stage { radix, p, stride, .. } = stage;
        let mut writes = Vec::new();
        for round in self.rounds(stage, from).into_iter().step_by(self.pass.lines_each() as usize) {
            let (j, faster) = (&from.t + round.first).div_rem(stride);
            let rest = &j % p;
            let base = self.body.value("first", ((&j - &rest) * radix + rest) * stride + faster);
            let accessed = stage.stored(self.lanes_at(from), self.n(), round.first);
            writes.push(Group { condition: round.partial, base, accessed });
        }
        let reads: Vec<Group> = self
            .rounds(next, to)
            .into_iter()
            .step_by(self.pass.lines_each() as usize)
            .map(|round| Group {
                condition: round.partial,
                base: to.element.clone(),
                accessed: next.loaded(self.lanes_at(to), self.n(), round.first),
            })
            .collect();
        self.exchange(from, to, &writes, values, &reads)
    }
}
