//! Values that pass through workgroup memory between two stages.

use super::super::banks::{Exchanging, Layout, Touch};
use super::super::butterfly::{Writer, plus};
use super::super::recipe::Exchange;
use super::{Generator, Invocation, Map, Values, all_of};

/// A set of elements of a line, base(t) + step for each of some steps, that an invocation accesses under one condition.
pub(super) struct Group {
    pub condition: Option<String>,
    pub base: String,
    /// The base for each t; `None` where the condition is false.
    pub bases: Vec<Option<u32>>,
    pub steps: Vec<u32>,
}

impl Generator<'_> {
    /// Stores values to workgroup memory and loads others from it.
    pub(super) fn exchange(
        &mut self,
        from: &Invocation,
        to: &Invocation,
        writes: &[Group],
        values: &Values,
        reads: &[Group],
    ) -> Result<Values, String> {
        let pieces = self.recipe.pieces;
        let piece_len = self.n() / pieces;
        let unit = self.recipe.exchange.words();
        let touches = |groups: &[Group], place: &Invocation| {
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
        let (layout, elements) = exchanging.best_layout(&all).ok_or_else(|| {
            format!("an exchange needs {} bytes of workgroup memory of {}", exchanging.least() * 4, self.setting.words * 4)
        })?;
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
                    let condition = all_of([group.condition.clone(), in_piece]);
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
    fn places(&mut self, layout: Layout, n: u32, place: &Invocation, base: &str, bases: &[Option<u32>], steps: &[u32]) -> Vec<String> {
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
}
