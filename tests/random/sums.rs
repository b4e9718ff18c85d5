//! Random reductions.

use std::cell::{Cell, RefCell};

use wgpu_fft::Element;
use wgpu_fft::elements::Value;
use wgpu_fft::reduce::Reduction;

use crate::case::{Case, Problem, Verdict};
use crate::numbers::of_bytes;
use crate::reductions::{self, Outcome, PLACES, RECIPES, Runner};
use crate::runner::caught;
use crate::subject::Subject;

/// The check of a reduction, which panics if the results are wrong.
type Compare<'c> = &'c dyn Fn(&Replay);

/// Gives results that were computed before to the check; counts the operators of a type.
struct Replay {
    wanted: usize,
    seen: Cell<usize>,
    results: Vec<u8>,
    depth: u32,
}

impl Runner for Replay {
    fn run<T: Value, O: Element>(&self, spec: Reduction<T, O>, _: Option<&str>, _: &[T], _: Option<&[T]>) -> Option<Outcome<O>> {
        let turn = self.seen.replace(self.seen.get() + 1);
        (turn == self.wanted).then(|| Outcome { results: of_bytes(&self.results), depth: self.depth, what: spec.to_string() })
    }

    fn has_f64(&self) -> bool {
        true
    }

    fn has_custom(&self) -> bool {
        true
    }
}

/// Runs the reduction that is wanted, and compares it through a replay.
struct Judge<'a, 'b, 'c> {
    case: RefCell<&'a mut Case<'b>>,
    wanted: usize,
    seen: Cell<usize>,
    verdict: RefCell<Option<Verdict>>,
    compare: Compare<'c>,
}

impl Runner for Judge<'_, '_, '_> {
    fn run<T: Value, O: Element>(&self, spec: Reduction<T, O>, _: Option<&str>, x: &[T], y: Option<&[T]>) -> Option<Outcome<O>> {
        let turn = self.seen.replace(self.seen.get() + 1);
        if self.wanted != turn {
            return None;
        }
        let subject = Subject::new(spec.clone());
        let input = |which: usize, bytes: usize| {
            let data: &[u8] = bytemuck::cast_slice(if which == 0 { x } else { y.unwrap_or(x) });
            assert_eq!(data.len(), bytes, "`{spec}`");
            data.to_vec()
        };
        let check = |output: &[u8], recipe: &str| {
            let recipe = recipe.parse().map_err(|error| format!("{error}"))?;
            let depth = spec.depth(&recipe).map_err(|error| format!("{error}"))?;
            let replay = Replay { wanted: turn, seen: Cell::new(0), results: output.to_vec(), depth };
            caught(|| (self.compare)(&replay))
        };
        let problem = Problem { subject: &subject, by_hand: RECIPES, drawn: None, input: &input, check: &check, spoil: None };
        let verdict = self.case.borrow_mut().judge(&problem);
        self.verdict.replace(Some(verdict));
        None
    }

    fn has_f64(&self) -> bool {
        true
    }

    fn has_custom(&self) -> bool {
        true
    }
}

pub fn random(case: &mut Case<'_>) -> Verdict {
    let (shape, batch) = (case.shape(4), case.batch());
    let axes = case.chance(70).then(|| case.axes(shape.len()));
    let mut drawn = reductions::Case::new(&shape, batch, axes.as_deref());
    if case.chance(30) {
        drawn.across_devices = true;
    }
    if case.chance(40) {
        drawn = drawn.placed(case.between(0, PLACES - 1));
    }
    let kind = case.draws.below(6);
    // Powers of ten farther and farther from 0, which is plain.
    let size = case.between(0, 76) as i32;
    let size = if size % 2 == 0 { size / 2 } else { -(size + 1) / 2 };
    // More than any type has operators; the rest begins anew.
    let turn = case.draws.below(60) as usize;
    let count = Replay { wanted: usize::MAX, seen: Cell::new(0), results: Vec::new(), depth: 0 };
    check(&drawn, kind, size, &count);
    let wanted = turn % count.seen.get();
    let compare = |replay: &Replay| check(&drawn, kind, size, replay);
    let judge = Judge { case: RefCell::new(case), wanted, seen: Cell::new(0), verdict: RefCell::new(None), compare: &compare };
    check(&drawn, kind, size, &judge);
    judge.verdict.into_inner().unwrap_or_else(|| Verdict::Wrong("no reduction ran".to_owned()))
}

fn check(drawn: &reductions::Case, kind: u64, size: i32, runner: &impl Runner) {
    match kind {
        0 => drawn.check_f32(runner),
        1 => drawn.check_integers(runner),
        2 => drawn.check_f16(runner),
        3 => drawn.check_complex(runner),
        4 => drawn.check_f64(runner),
        _ => drawn.check_sizes(runner, size),
    }
}
