//! Values that pass through workgroup memory between two stages.

use super::generator::{CHECKED, Generator, Invocation, Sharing, Values};
use crate::fft::emit::banks::{Exchanging, Layout, Touch};
use crate::fft::emit::codelets::pair;
use crate::fft::recipe::Exchange;
use crate::fft::stage::{Accessed, ByStep};
use crate::wgsl::{Expr, Type, Writes, construct};

/// A set of elements of a line, base(t) + step for each of some steps, that an invocation accesses
/// under one condition.
pub(super) struct Group {
    pub condition: Expr,
    pub base: Expr,
    pub accessed: Accessed,
}

/// Where the elements of a group lie in workgroup memory.
struct Placed {
    /// For each piece the steps whose elements lie in it, of some lanes at least.
    steps: Vec<Vec<usize>>,
    /// Whether different lanes have their elements in different pieces.
    guarded: bool,
    /// The place of each step in its piece.
    places: Vec<Expr>,
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

    pub(super) fn exchange(&mut self, from: &Invocation, to: &Invocation, writes: &[Group], values: &Values, reads: &[Group]) -> Values {
        let pieces = self.recipe.pieces;
        let piece_len = self.n() / pieces;
        let unit = self.memory_words();
        let lines = self.pass.lines_each() as usize;
        let touches = |groups: &[Group], place: &Invocation| -> Vec<Touch> {
            let lines_fast = place.sharing == Sharing::Lines;
            let all = groups.iter().flat_map(|group| group.accessed.steps.iter().map(|step| (&group.accessed.bases, step)));
            let elements = all.map(|(bases, step)| bases.iter().map(|base| base.map(|base| (base + step) % piece_len)).collect());
            elements.map(|elements| Touch { elements, lines_fast }).collect()
        };
        let all = [touches(writes, from), touches(reads, to)].concat();
        let exchanging = Exchanging {
            n: piece_len,
            lanes: self.recipe.lanes,
            lines: self.lines,
            words: unit,
            banks: self.recipe.banks,
            available: self.setting.words,
        };
        let (layout, elements) = exchanging.best_layout(&all).expect(CHECKED);
        self.words = self.words.max(elements * unit);

        let mut write_places = Vec::new();
        for group in writes {
            if group.accessed.crosses(piece_len) {
                write_places.push(self.places_by_step("stored_at", layout, piece_len, from, group));
                continue;
            }
            let local = self.body.value("in_piece", &group.base % piece_len);
            let bases: Vec<Option<u32>> = group.accessed.bases.iter().map(|base| base.map(|base| base % piece_len)).collect();
            let places = self.places("stored_at", layout, piece_len, from, &local, &bases, &group.accessed.steps);
            let touched = group.accessed.pieces(0, piece_len);
            let steps = |piece: u32| (0..places.len()).filter(|_| touched.contains(&piece)).collect();
            write_places.push(Placed { steps: (0..pieces).map(steps).collect(), guarded: touched.len() > 1, places });
        }
        let read_places: Vec<Placed> = reads.iter().map(|group| self.places_by_step("loaded_at", layout, piece_len, to, group)).collect();

        let mut loaded: Vec<Vec<Vec<Option<Expr>>>> = Vec::new();
        for (part, name) in self.exchanged_parts() {
            let mut of_part: Vec<Vec<Option<Expr>>> = reads.iter().map(|group| vec![None; group.accessed.steps.len()]).collect();
            for piece in 0..pieces {
                self.begin_exchange();
                for ((group, placed), rounds) in writes.iter().zip(&write_places).zip(values.chunks(lines)) {
                    let steps = &placed.steps[piece as usize];
                    if steps.is_empty() {
                        continue;
                    }
                    let mut condition = group.condition.clone();
                    if placed.guarded {
                        condition = condition.and((&group.base / piece_len).equals(piece));
                    }
                    let memory = self.memory();
                    self.when(&condition, |own| {
                        for &k in steps {
                            let place = &placed.places[k];
                            let parts: Vec<Expr> = rounds.iter().map(|round| round[k].components(part)).collect();
                            let value = if let [one] = &parts[..] { one.clone() } else { construct(&own.memory_element(), &parts) };
                            own.body.assign(&memory.at(place), value);
                        }
                    });
                }
                self.body.barrier();
                for ((group, placed), loaded) in reads.iter().zip(&read_places).zip(&mut of_part) {
                    let steps = &placed.steps[piece as usize];
                    let names: Vec<(String, Type)> = steps.iter().map(|i| (format!("{name}{i}"), self.memory_element())).collect();
                    let memory = self.memory();
                    let values =
                        self.values_when(&group.condition, &names, |_| steps.iter().map(|&i| memory.at(&placed.places[i])).collect());
                    steps.iter().zip(values).for_each(|(&i, value)| loaded[i] = Some(value));
                }
            }
            loaded.push(of_part);
        }
        let whole = |value: Option<Expr>| value.expect("every element lies in a piece");
        // The parts of an element of each line, whose values are a round of their own.
        let of_lines = &(if self.recipe.exchange == Exchange::Split { ["x", "y"] } else { ["xy", "zw"] })[..lines];
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
        result
    }

    /// The places of elements base + step, where each step lies in one piece for every lane.
    fn places_by_step(&mut self, name: &str, layout: Layout, piece_len: u32, place: &Invocation, group: &Group) -> Placed {
        let ByStep { begin, pieces, steps } = group.accessed.by_step(piece_len).expect(CHECKED);
        let bases: Vec<Option<u32>> = group.accessed.bases.iter().map(|base| base.map(|base| base - begin)).collect();
        let places = self.places(name, layout, piece_len, place, &(&group.base - begin), &bases, &steps);
        let steps = |piece: u32| (0..places.len()).filter(|&step| pieces[step] == piece).collect();
        Placed { steps: (0..self.recipe.pieces).map(steps).collect(), guarded: false, places }
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
