//! Where the elements of a pass are loaded from and stored to, and what is done to them there.

use super::super::butterfly::plus;
use super::{Generator, Invocation, Values, all_of, by_index};
use crate::kernels::fft::pass::{Half, Index, Numbers, Packed, Pair, Place, Side};

impl Generator<'_> {
    /// Where element 0 of the line lies.
    pub(super) fn line_base(&mut self, side: &Side, place: &Invocation) -> String {
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
    fn index_base(&mut self, index: &Index, place: &Invocation) -> Option<String> {
        let weighted = index.lines.iter().zip(&place.coordinates).filter(|(weight, _)| **weight > 0);
        let terms: Vec<String> = weighted.map(|(weight, d)| format!("{d} * {weight}u")).collect();
        (!terms.is_empty()).then(|| self.writer.value(format_args!("{}", terms.join(" + "))))
    }

    /// Expressions for the places of elements t + step, given the place of element 0.
    pub(super) fn element_places(&mut self, of: &Place, line: &str, t: &str, steps: &[u32]) -> Vec<String> {
        let base_block: u32 = of.low.iter().map(|&(base, _)| base).product();
        if t == "0u" {
            return steps.iter().map(|&step| plus(line, of.of(step))).collect();
        }
        if steps.iter().all(|step| step % base_block == 0) {
            let anchor = self.element_place(of, line, t);
            // Past the limit of a padded axis, where nothing is read or stored, places may lie beyond what the device counts.
            let beyond = |step: &u32| (step / base_block).wrapping_mul(of.stride);
            return steps.iter().map(|step| plus(&anchor, beyond(step))).collect();
        }
        steps.iter().map(|&step| self.element_place(of, line, &plus(t, step))).collect()
    }

    /// The place of element `i`, given that of element 0.
    pub(super) fn element_place(&mut self, of: &Place, line: &str, i: &str) -> String {
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
    fn within(&self, side: &Side, base: Option<&str>, place: &Invocation, step: u32, lanes: u32) -> Known {
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
        Known::When(format!("{} < {limit}u", position(side, base, place, step)))
    }

    pub(super) fn load(&mut self, place: &Invocation, radix: u32) -> Result<Values, String> {
        let side = &self.pass.load;
        let line = self.line_base(side, place);
        let index = self.index_base(&side.index, place);
        let needs_index = side.factors.is_some() || by_index(&side.numbers);
        let mut values = Values::new();
        for b in 0..self.rounds(radix) {
            let steps = self.steps(radix, b);
            let lanes = self.lanes().min(self.n() / radix - b * self.lanes());
            let partial = self.partial(radix, b, &place.t);
            let condition = all_of([place.live.clone(), partial]);
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
                        let index =
                            needs_index.then(|| own.writer.value(format_args!("{}", position(side, index.as_deref(), place, step))));
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
    fn load_one(&mut self, side: &Side, place: &Invocation, line: &str, at: &str, index: Option<&str>) -> String {
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
            // A zero that no compiler knows, see `butterfly.rs`: sums of products would become products.
            Numbers::Real => self.writer.value(format_args!("vec2<f32>(load({at}), bitcast<f32>(params.lines >> 31u))")),
            Numbers::RealPair(pair) => {
                let second = second(self, pair, &|own| own.writer.value(format_args!("load({})", plus(at, pair.distance))), "f32");
                self.writer.value(format_args!("vec2<f32>(load({at}), {second})"))
            }
            Numbers::Half(of) => half(self, of, line),
            Numbers::OfPacked(packed) => self.load_of_packed(packed, line, index.expect("packed numbers need it")),
            Numbers::ToPacked(packed) => self.load_to_packed(packed, line, index.expect("packed numbers need it")),
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
                let factor = self.constant_text(&plus(index, at));
                self.writer.value(format_args!("complex_mul({value}, {factor})"))
            }
        }
    }

    /// A number of the spectrum of reals out of that of half as many complex numbers.
    fn load_of_packed(&mut self, packed: &Packed, line: &str, k: &str) -> String {
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
        self.writer.value(format_args!(
            "0.5 * vec2<f32>({sum}.x + {difference}.x * {root}.x - {difference}.y * {root}.y, \
             {sum}.y + {difference}.x * {root}.y + {difference}.y * {root}.x)"
        ))
    }

    /// The reverse.
    fn load_to_packed(&mut self, packed: &Packed, line: &str, k: &str) -> String {
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
        // Times the conjugate of the root.
        self.writer.value(format_args!(
            "vec2<f32>({sum}.x + {difference}.x * {root}.x + {difference}.y * {root}.y, \
             {sum}.y - {difference}.x * {root}.y + {difference}.y * {root}.x)"
        ))
    }

    pub(super) fn store(&mut self, place: &Invocation, radix: u32, values: &Values) {
        let side = &self.pass.store;
        let index = self.index_base(&side.index, place);
        let line = self.line_base(side, place);
        for (b, round) in (0..).zip(values) {
            let steps = self.steps(radix, b);
            let lanes = self.lanes().min(self.n() / radix - b * self.lanes());
            let partial = self.partial(radix, b, &place.t);
            let condition = all_of([place.live.clone(), partial]);
            self.writer_guarded(condition.as_deref(), |own| {
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
                            let at = format!("{} + {factors}u", position(side, index.as_deref(), place, step));
                            let factor = own.constant_text(&at);
                            value = own.writer.value(format_args!("complex_mul({value}, {factor})"));
                        }
                        own.store_one(side, place, at, &value);
                    });
                }
            });
        }
    }

    fn store_one(&mut self, side: &Side, place: &Invocation, at: &str, value: &str) {
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

    pub(super) fn second_of(&self, pair: &Pair, place: &Invocation) -> Option<String> {
        pair.odd.map(|(dim, lines)| format!("2u * {} + 1u < {lines}u", place.coordinates[dim]))
    }
}

/// An expression for the position of element t + step on the axis, given the lines' part of it.
fn position(side: &Side, base: Option<&str>, place: &Invocation, step: u32) -> String {
    let base = base.map_or(String::new(), |base| format!("{base} + "));
    format!("{base}({}) * {}u", plus(&place.t, step), side.index.element)
}

/// What the generator knows of a condition.
#[derive(Clone, PartialEq, Eq)]
enum Known {
    Always,
    Never,
    When(String),
}
