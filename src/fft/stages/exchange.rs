//! Values that pass through workgroup memory between two stages.

use super::super::banks::{Exchanging, Layout, Touch};
use super::super::codelets::pair;
use super::super::recipe::Exchange;
use super::{Generator, Invocation, Sharing, Values};
use crate::wgsl::{Expr, Type, Writes, construct};

/// A set of elements of a line, base(t) + step for each of some steps, that an invocation accesses
/// under one condition.
pub(super) struct Group {
    pub condition: Expr,
    pub base: Expr,
    /// The base for each t; `None` where the condition is false.
    pub bases: Vec<Option<u32>>,
    pub steps: Vec<u32>,
}

impl Group {
    /// The pieces in which the elements of a step lie.
    fn pieces(&self, step: u32, piece_len: u32) -> Vec<u32> {
        let mut pieces: Vec<u32> = self.bases.iter().flatten().map(|&base| (base + step) / piece_len).collect();
        pieces.dedup();
        pieces
    }
}

impl Generator<'_> {
    /// What is exchanged at a time, as components and their name: the parts of complex numbers one
    /// after the other, or whole numbers.
    pub(super) fn exchanged_parts(&self) -> &'static [(&'static str, &'static str)] {
        if self.recipe.exchange == Exchange::Split { &[("x", "re"), ("y", "im")] } else { &[("xy", "x")] }
    }

    /// Before workgroup memory is written again, what is there must have been read by everyone.
    pub(super) fn begin_exchange(&mut self) {
        if std::mem::replace(&mut self.exchanged, true) {
            self.body.barrier();
        }
    }

    /// The names of the parts of an exchanged element: those of each line that an invocation
    /// transforms, one after the other.
    fn parts_of_lines(&self) -> &'static [&'static str] {
        let all: &[&str; 2] = if self.recipe.exchange == Exchange::Split { &["x", "y"] } else { &["xy", "zw"] };
        &all[..self.pass.lines_each() as usize]
    }

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
        let unit = self.memory_words();
        let lines = self.pass.lines_each() as usize;
        let touches = |groups: &[Group], place: &Invocation| {
            let mut touches = Vec::new();
            for group in groups {
                for &step in &group.steps {
                    let elements = group.bases.iter().map(|base| base.map(|base| (base + step) % piece_len)).collect();
                    touches.push(Touch { elements, lines_fast: place.sharing == Sharing::Lines });
                }
            }
            touches
        };
        let mut all = touches(writes, from);
        all.extend(touches(reads, to));
        let exchanging = Exchanging {
            n: piece_len,
            lanes: self.lanes(),
            lines: self.lines,
            words: unit,
            banks: self.recipe.banks,
            available: self.setting.words,
        };
        let (layout, elements) = exchanging.best_layout(&all).ok_or_else(|| {
            format!("an exchange needs {} bytes of workgroup memory of {}", exchanging.least() * 4, self.setting.words * 4)
        })?;
        self.words = self.words.max(elements * unit);

        // Of each group: the pieces of its elements, and the places in that piece.
        let mut write_places = Vec::new();
        for group in writes {
            let piece = |base: u32| base / piece_len;
            let crosses = group.bases.iter().flatten().any(|&base| group.steps.iter().any(|step| piece(base + step) != piece(base)));
            if crosses {
                return Err(format!("a butterfly's results lie in several of {pieces} pieces"));
            }
            let local = self.body.value("in_piece", &group.base % piece_len);
            let bases: Vec<Option<u32>> = group.bases.iter().map(|base| base.map(|base| base % piece_len)).collect();
            let places = self.places("stored_at", layout, piece_len, from, &local, &bases, &group.steps);
            write_places.push((group.pieces(0, piece_len), places));
        }
        let mut read_places = Vec::new();
        for group in reads {
            let mut of_step = Vec::new();
            let mut local_steps = Vec::new();
            for &step in &group.steps {
                let [piece] = group.pieces(step, piece_len)[..] else {
                    return Err(format!("{} lanes load across {pieces} pieces", self.lanes()));
                };
                of_step.push(piece);
                local_steps.push(step - piece * piece_len);
            }
            let places = self.places("loaded_at", layout, piece_len, to, &group.base, &group.bases, &local_steps);
            read_places.push((of_step, places));
        }

        let mut loaded: Vec<Vec<Vec<Option<Expr>>>> = Vec::new();
        for (part, name) in self.exchanged_parts() {
            let mut of_part: Vec<Vec<Option<Expr>>> = reads.iter().map(|group| vec![None; group.steps.len()]).collect();
            for piece in 0..pieces {
                self.begin_exchange();
                for ((group, (touched, places)), rounds) in writes.iter().zip(&write_places).zip(values.chunks(lines)) {
                    if !touched.contains(&piece) {
                        continue;
                    }
                    let mut condition = group.condition.clone();
                    if touched.len() > 1 {
                        condition = condition.and((&group.base / piece_len).equals(piece));
                    }
                    let memory = self.memory();
                    self.when(&condition, |own| {
                        for (k, place) in places.iter().enumerate() {
                            let parts: Vec<Expr> = rounds.iter().map(|round| round[k].components(part)).collect();
                            let value = if let [one] = &parts[..] { one.clone() } else { construct(&own.memory_element(), &parts) };
                            own.body.assign(&memory.at(place), value);
                        }
                    });
                }
                self.body.barrier();
                for ((group, (of_step, places)), loaded) in reads.iter().zip(&read_places).zip(&mut of_part) {
                    let steps: Vec<usize> = (0..of_step.len()).filter(|&i| of_step[i] == piece).collect();
                    let names: Vec<(String, Type)> = steps.iter().map(|i| (format!("{name}{i}"), self.memory_element())).collect();
                    let memory = self.memory();
                    let values = self.values_when(&group.condition, &names, |_| steps.iter().map(|&i| memory.at(&places[i])).collect());
                    steps.iter().zip(values).for_each(|(&i, value)| loaded[i] = Some(value));
                }
            }
            loaded.push(of_part);
        }
        let whole = |value: Option<Expr>| value.expect("every element lies in a piece");
        let of_lines = self.parts_of_lines();
        // Each line's values are a round of their own.
        let mut parts = loaded.into_iter().map(|part| -> Values {
            let rounds = part.into_iter().map(|round| round.into_iter().map(whole).collect::<Vec<_>>());
            if of_lines.len() == 1 {
                return rounds.collect();
            }
            let of_line = |round: &[Expr], part: &str| round.iter().map(|value| value.components(part)).collect();
            rounds.flat_map(|round| of_lines.iter().map(|part| of_line(&round, part)).collect::<Values>()).collect()
        });
        let mut result = parts.next().expect("something is exchanged");
        if let Some(imaginary) = parts.next() {
            for (re, im) in result.iter_mut().zip(&imaginary) {
                for (k, (re, im)) in re.iter_mut().zip(im).enumerate() {
                    *re = self.body.value(&format!("x{k}"), pair(re, im));
                }
            }
        }
        Ok(result)
    }

    /// Places in workgroup memory of elements base + step. Where such a place is a fixed distance
    /// from that of the first for every invocation, which is most often so, they share its address.
    #[expect(clippy::too_many_arguments, reason = "each is another part of the place")]
    fn places(
        &mut self,
        name: &str,
        layout: Layout,
        n: u32,
        place: &Invocation,
        base: &Expr,
        bases: &[Option<u32>],
        steps: &[u32],
    ) -> Vec<Expr> {
        let lines = self.lines;
        let mut spread = |step: u32| {
            let element = base + step;
            let dense = if layout.interleaved { element * lines + &place.row } else { &place.row * n + element };
            let dense = self.body.value(name, dense);
            match layout.shift {
                0 => dense,
                shift => self.body.value(name, &dense + ((&dense >> shift) << layout.log2_step)),
            }
        };
        let Some(&first) = steps.first() else { return Vec::new() };
        let anchor = spread(first);
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
                Some(distance) if fixed => &anchor + distance as u32,
                _ => spread(step),
            });
        }
        places
    }
}
