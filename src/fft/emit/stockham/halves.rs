//! Spectra of reals: values and their mirror images, which meet in workgroup memory.

use super::generator::{Generator, Invocation, Round, Values};
use crate::fft::emit::codelets::pair;
use crate::fft::limits::half_of_a_piece;
use crate::fft::stage::Stage;
use crate::fft::steps::{Element, Fused};
use crate::wgsl::{Expr, Type, Writes, select};

impl Generator<'_> {
    /// Stores results together with their mirror images, by the last of these steps.
    pub(super) fn store_images(&mut self, place: &Invocation, stage: Stage, steps: &[Fused], values: &Values) {
        let Some((fused, inner)) = steps.split_last() else { return };
        let m = fused.step().mirrors().unwrap_or(1);
        self.body.comment(format!("Results k and {m} - k together."));
        let images = self.mirror_images(place, stage, m, values);
        let side = &self.pass.store;
        let line = self.line_base(side, place);
        for (first, [z, w]) in images {
            self.when(&place.live.and((&place.t + first).at_most(m / 2)), |own| {
                let spot = own.spots(side, &line, &place.t, &[first]).remove(0);
                let k = &place.t + first;
                let element = Element { spot, position: k.clone(), weight: None, second: false };
                fused.step().store_image(&mut own.site(side, place, &line), &k, [&z, &w], element, inner);
            });
        }
    }

    /// Brings every z\[k\], k ≤ n/2, of a line of n together with z\[n-k\]: for each round, the
    /// first k of which is given, the two.
    ///
    /// They meet in workgroup memory, in pieces of `half` indices k and as many n-k: z\[k\] at k -
    /// first, z\[n-k\] at half + k - first.
    fn mirror_images(&mut self, place: &Invocation, stage: Stage, n: u32, values: &Values) -> Vec<(u32, [Expr; 2])> {
        let (lanes, lines) = (self.recipe.lanes, self.lines);
        let half = half_of_a_piece(n, self.recipe);
        let words = 2 * half * lines;
        let unit = self.memory_words();
        self.words = self.words.max(words * unit);
        let row = self.body.value("row_begin", &place.row * (2 * half));
        let rounds: Vec<u32> = (0..=n / 2).step_by(lanes as usize).collect();
        // Of each round the parts of z and of its mirror image.
        let mut read: Vec<[Vec<Expr>; 2]> = rounds.iter().map(|_| [Vec::new(), Vec::new()]).collect();
        let memory = self.memory();
        for (part, part_name) in self.exchanged_parts() {
            for first in (0..=n / 2).step_by(half as usize) {
                self.begin_exchange();
                for (Round { steps, partial, t, .. }, values) in self.rounds(stage, place).into_iter().zip(values) {
                    self.when(&partial, |own| {
                        for (value, &step) in values.iter().zip(&steps) {
                            own.put_half(&row, &(&t + step), n, first, half, &value.components(part));
                        }
                    });
                }
                self.body.barrier();
                for (&round, read) in rounds.iter().zip(&mut read).filter(|(round, _)| (first..first + half).contains(*round)) {
                    let (k, own) = (&place.t + round, &place.t + (round - first));
                    // The mirror image of frequency 0 is itself, and that of n/2.
                    let mirrored = select(&k.equals(0), 0, &own + half);
                    let mirrored = if n.is_multiple_of(2) { select(&k.equals(n / 2), &own, mirrored) } else { mirrored };
                    for ((of, at), name) in read.iter_mut().zip([own, mirrored]).zip(["z", "w"]) {
                        let name = if *part == "xy" { name.to_owned() } else { format!("{name}_{part_name}") };
                        let variable = self.body.variable(&name, &self.memory_element());
                        self.when(&k.at_most(n / 2), |own| own.body.assign(&variable, memory.at(&row + at)));
                        of.push(variable);
                    }
                }
            }
        }
        let mut whole = |(parts, name): (Vec<Expr>, &str)| match &parts[..] {
            [re, im] => self.body.value(name, pair(re, im)),
            whole => whole[0].clone(),
        };
        rounds.into_iter().zip(read).map(|(first, [z, w])| (first, [(z, "z"), (w, "w")].map(&mut whole))).collect()
    }

    /// Writes element `i` of n where `mirror_images` says, if its frequency is one of the piece
    /// from `first` on.
    fn put_half(&mut self, row: &Expr, i: &Expr, n: u32, first: u32, half: u32, value: &Expr) {
        let memory = self.memory();
        let mut put = |[from, to]: [u32; 2], at: Expr| {
            if from <= to {
                self.when(&i.at_least(from).and(i.at_most(to)), |own| own.body.assign(&memory.at(row + at), value));
            }
        };
        // Frequencies k up to n/2 as they are, then mirrored: n - i from begin to end.
        let (begin, end) = (first, (first + half - 1).min(n / 2));
        put([begin, end], i - begin);
        put([(n - end).max(n / 2 + 1), (n - begin).min(n - 1)], Expr::from(half + n - begin) - i);
    }

    pub(super) fn memory(&self) -> Expr {
        Expr::name("exchange", Type::array(self.memory_element()))
    }
}
