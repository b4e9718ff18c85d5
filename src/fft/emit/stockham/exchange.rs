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
    pieces: Pieces,
    /// The place of each step in its piece.
    places: Vec<Expr>,
}

/// In which pieces elements lie.
enum Pieces {
    /// All elements of a lane lie in one, those of different lanes perhaps in several of these.
    OfLanes(Vec<u32>),
    /// Each step lies in one, for all lanes.
    OfSteps(Vec<u32>),
}

impl Placed {
    /// The steps that lie in a piece, of some lanes at least.
    fn steps_in(&self, piece: u32) -> Vec<usize> {
        let is_there = |step: &usize| match &self.pieces {
            Pieces::OfLanes(touched) => touched.contains(&piece),
            Pieces::OfSteps(of_step) => of_step[*step] == piece,
        };
        (0..self.places.len()).filter(is_there).collect()
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
    pub(super) fn exchange(&mut self, from: &Invocation, to: &Invocation, writes: &[Group], values: &Values, reads: &[Group]) -> Values {
        let pieces = self.recipe.pieces;
        let piece_len = self.n() / pieces;
        let unit = self.memory_words();
        let lines = self.pass.lines_each() as usize;
        let touches = |groups: &[Group], place: &Invocation| {
            let mut touches = Vec::new();
            for group in groups {
                for &step in &group.accessed.steps {
                    let elements = group.accessed.bases.iter().map(|base| base.map(|base| (base + step) % piece_len)).collect();
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
        let (layout, elements) = exchanging.best_layout(&all).expect(CHECKED);
        self.words = self.words.max(elements * unit);

        // Of each group: the pieces of its elements, and the places in that piece.
        let mut write_places = Vec::new();
        for group in writes {
            if group.accessed.crosses(piece_len) {
                let places = self.places_by_step("stored_at", layout, piece_len, from, group);
                write_places.push(places);
                continue;
            }
            let local = self.body.value("in_piece", &group.base % piece_len);
            let bases: Vec<Option<u32>> = group.accessed.bases.iter().map(|base| base.map(|base| base % piece_len)).collect();
            let places = self.places("stored_at", layout, piece_len, from, &local, &bases, &group.accessed.steps);
            write_places.push(Placed { pieces: Pieces::OfLanes(group.accessed.pieces(0, piece_len)), places });
        }
        let mut read_places = Vec::new();
        for group in reads {
            read_places.push(self.places_by_step("loaded_at", layout, piece_len, to, group));
        }

        let mut loaded: Vec<Vec<Vec<Option<Expr>>>> = Vec::new();
        for (part, name) in self.exchanged_parts() {
            let mut of_part: Vec<Vec<Option<Expr>>> = reads.iter().map(|group| vec![None; group.accessed.steps.len()]).collect();
            for piece in 0..pieces {
                self.begin_exchange();
                for ((group, placed), rounds) in writes.iter().zip(&write_places).zip(values.chunks(lines)) {
                    let steps = placed.steps_in(piece);
                    if steps.is_empty() {
                        continue;
                    }
                    let mut condition = group.condition.clone();
                    if matches!(&placed.pieces, Pieces::OfLanes(touched) if touched.len() > 1) {
                        condition = condition.and((&group.base / piece_len).equals(piece));
                    }
                    let memory = self.memory();
                    self.when(&condition, |own| {
                        for k in steps {
                            let place = &placed.places[k];
                            let parts: Vec<Expr> = rounds.iter().map(|round| round[k].components(part)).collect();
                            let value = if let [one] = &parts[..] { one.clone() } else { construct(&own.memory_element(), &parts) };
                            own.body.assign(&memory.at(place), value);
                        }
                    });
                }
                self.body.barrier();
                for ((group, placed), loaded) in reads.iter().zip(&read_places).zip(&mut of_part) {
                    let steps = placed.steps_in(piece);
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
        result
    }

    /// The places of elements base + step, where each step lies in one piece for every lane.
    fn places_by_step(&mut self, name: &str, layout: Layout, piece_len: u32, place: &Invocation, group: &Group) -> Placed {
        let ByStep { begin, pieces, steps } = group.accessed.by_step(piece_len).expect(CHECKED);
        let bases: Vec<Option<u32>> = group.accessed.bases.iter().map(|base| base.map(|base| base - begin)).collect();
        let places = self.places(name, layout, piece_len, place, &(&group.base - begin), &bases, &steps);
        Placed { pieces: Pieces::OfSteps(pieces), places }
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
