//! What the parts of a pass's text share: where an invocation stands, the rounds and stages that it
//! takes part in, and the text so far.

use crate::fft::pass::Pass;
use crate::fft::recipe::{Exchange, Stockham};
use crate::fft::stage::{LanesOfLine, Stage};
use crate::fft::steps::LookUp;
use crate::kernels::fft::pass::Bound;
use crate::wgsl::{Body, Expr, Type, U32, Writes, boolean, min, param, select};

/// Why texts of recipes that do not fit are never begun.
pub(super) const CHECKED: &str = "`limits::pass` has checked the recipe";

/// What the text must know of the dispatch besides the pass.
pub(in crate::fft) struct Setting<'a> {
    pub input: Bound,
    pub output: Bound,
    pub roots: Bound,
    pub look_up: LookUp<'a>,
    /// Every invocation has a line: no line is past the last, and no workgroup in a folded grid.
    pub exact: bool,
    pub words: u32,
    /// Roots of unity are [computed](super::inline::root_of_unity) in place of looked up.
    pub computes_roots: bool,
    /// Complex numbers of two f32 are loaded and stored as integers of 64 bits. lavapipe loads each
    /// component of each lane by itself: 100 rows of 7919 take 30 ms in place of 50.
    pub numbers_as_bits: bool,
}

/// How invocations share out lines and lanes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sharing {
    /// Neighbours have the same line.
    Lanes,
    /// Neighbours have the same lane of neighbouring lines.
    Lines,
}

/// What an invocation knows of its place.
#[derive(Clone)]
pub(super) struct Invocation {
    pub(super) sharing: Sharing,
    pub(super) lane: Expr,
    /// Its first butterfly of a stage.
    pub(super) t: Expr,
    /// The first element of that butterfly.
    pub(super) element: Expr,
    /// Neighbouring butterflies that it computes: `t` is so many times its lane.
    pub(super) neighbours: u32,
    /// Which line of the workgroup.
    pub(super) row: Expr,
    pub(super) live: Expr,
    pub(super) coordinates: Vec<Expr>,
}

/// The values of one stage: of each round the r values of a butterfly.
pub(super) type Values = Vec<Vec<Expr>>;

/// A butterfly of every lane.
pub(super) struct Round {
    /// It is butterfly t + `first`.
    pub(super) first: u32,
    /// Of which line, if an invocation transforms several.
    pub(super) line: u32,
    /// The distances of its elements from the first one of lane t.
    pub(super) steps: Vec<u32>,
    /// Whether lane t takes part.
    pub(super) partial: Expr,
    /// Lane t, where it is known to take part.
    pub(super) t: Expr,
}

pub(super) struct Generator<'a> {
    pub(super) body: Body,
    pub(super) pass: &'a Pass,
    pub(super) recipe: &'a Stockham,
    pub(super) setting: &'a Setting<'a>,
    /// Lines of a workgroup. Those that an invocation transforms together are one.
    pub(super) lines: u32,
    pub(super) group: Expr,
    pub(super) invocation: Expr,
    pub(super) words: u32,
    pub(super) exchanged: bool,
}

impl Writes for Generator<'_> {
    fn body(&mut self) -> &mut Body {
        &mut self.body
    }
}

impl Generator<'_> {
    pub(super) fn n(&self) -> u32 {
        self.recipe.n()
    }

    pub(super) fn lanes_at(&self, place: &Invocation) -> LanesOfLine {
        LanesOfLine { count: self.recipe.lanes, neighbours: place.neighbours }
    }

    /// The rounds of a stage at such places.
    pub(super) fn rounds(&self, stage: Stage, place: &Invocation) -> Vec<Round> {
        let (lines, butterflies) = (self.pass.lines_each(), self.n() / stage.radix);
        let all = self.lanes_at(place).rounds(butterflies).flat_map(|first| (0..lines).map(move |line| (first, line)));
        let round = |(first, line)| Round {
            first,
            line,
            steps: stage.steps(first),
            partial: (&place.t + first).less(butterflies),
            t: place.t.clone().below(butterflies - first),
        };
        all.map(round).collect()
    }

    /// An invocation in a stage: where its first butterfly begins.
    pub(super) fn at_stage(&mut self, place: &Invocation, stage: Stage) -> Invocation {
        let element =
            if stage.is_slowest(self.n()) { place.t.clone() } else { self.body.value("element", stage.first_element_of(&place.t)) };
        Invocation { element, ..place.clone() }
    }

    pub(super) fn stages(&self) -> Vec<Stage> {
        self.pass.stages(|constant| self.setting.look_up.constants.place(&constant))
    }

    pub(super) fn memory_element(&self) -> Type {
        let number = self.pass.number;
        let own = if self.recipe.exchange == Exchange::Split { number.real() } else { number.complex() };
        match self.pass.lines_each() {
            1 => own,
            lines => Type::numbers(lines * self.recipe.exchange.words(), number.scalar()),
        }
    }

    pub(super) fn memory_words(&self) -> u32 {
        self.pass.memory_words(self.recipe.exchange)
    }

    /// Neighbouring invocations should touch neighbouring numbers.
    pub(super) fn sharing(&self, along_line: u32, across: u32) -> Sharing {
        if self.lines > 1 && across < along_line && across > 0 { Sharing::Lines } else { Sharing::Lanes }
    }

    pub(super) fn place(&mut self, sharing: Sharing) -> Invocation {
        let (lanes, lines) = (self.recipe.lanes, self.lines);
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

    /// Replaces each value of a stage by what `of` writes of it, given its round and the step to
    /// its element.
    pub(super) fn each(
        &mut self,
        place: &Invocation,
        stage: Stage,
        values: &mut Values,
        mut of: impl FnMut(&mut Self, &Round, u32, &Expr) -> Expr,
    ) {
        for (round, values) in self.rounds(stage, place).into_iter().zip(values) {
            let all = values.iter().zip(&round.steps);
            *values = self.in_round(&round.partial, stage.radix, |own| all.map(|(value, &step)| of(own, &round, step, value)).collect());
        }
    }

    /// What one round does to `count` values, under its condition where it is partial: the results
    /// are variables then.
    pub(super) fn in_round(&mut self, partial: &Expr, count: u32, write: impl FnOnce(&mut Self) -> Vec<Expr>) -> Vec<Expr> {
        let names: Vec<(String, Type)> = (0..count).map(|k| (format!("y{k}"), self.pass.number.complex())).collect();
        self.values_when(partial, &names, write)
    }
}
