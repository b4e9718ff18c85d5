//! Where a pass loads and stores: which elements an invocation takes, where they lie, and under
//! which conditions.

use super::generator::{Generator, Invocation, Round, Values};
use crate::fft::emit::codelets::times;
use crate::fft::pass::Side;
use crate::fft::place::Place;
use crate::fft::recipe::Roots;
use crate::fft::stage::Stage;
use crate::fft::steps::{Element, Fused, Site, Spot, Twiddle, place_of};
use crate::wgsl::{Expr, Writes, boolean, zero};

impl Generator<'_> {
    pub(super) fn site<'a>(&'a mut self, side: &'a Side, place: &'a Invocation, line: &'a Expr) -> Site<'a> {
        let Side { storage, place: along, weight, .. } = side;
        Site {
            body: &mut self.body,
            number: self.pass.number,
            storage: *storage,
            place: along,
            weight: *weight,
            line,
            coordinates: &place.coordinates,
            look_up: self.setting.look_up,
        }
    }

    pub(super) fn line_base(&mut self, side: &Side, place: &Invocation) -> Expr {
        let mut base = Expr::from(side.offset);
        for (of, coordinate) in side.lines.iter().zip(&place.coordinates) {
            base = place_of(of, base, coordinate.clone());
        }
        self.body.value("base", base)
    }

    /// The lines' part of the position on the axis.
    pub(super) fn index_base(&mut self, side: &Side, place: &Invocation) -> Expr {
        let weighted = side.weights.iter().zip(&place.coordinates).map(|(&weight, d)| d * weight);
        let base = weighted.fold(Expr::from(0), |sum, term| sum + term);
        self.body.value("index", base)
    }

    /// The places of elements t + step, or of twos, given the place of element 0.
    pub(super) fn element_places(&mut self, of: &Place, line: &Expr, t: &Expr, steps: &[u32]) -> Vec<Expr> {
        let mut place = |i: &Expr| self.body.value("at", place_of(of, line.clone(), i.clone()));
        let base_block: u32 = of.low.iter().map(|&(base, _)| base).product();
        if steps.iter().all(|step| step % base_block == 0) {
            let anchor = place(t);
            // Past the limit of a padded axis, where nothing is read or stored, places may lie
            // beyond what the device counts.
            let beyond = |step: &u32| (step / base_block).wrapping_mul(of.stride);
            return steps.iter().map(|step| &anchor + beyond(step)).collect();
        }
        steps.iter().map(|&step| place(&(t + step))).collect()
    }

    /// Where elements t + step are found, given the place of element 0.
    pub(super) fn spots(&mut self, side: &Side, line: &Expr, t: &Expr, steps: &[u32]) -> Vec<Spot> {
        if side.by_position {
            return vec![Spot::OnLine(line.clone()); steps.len()];
        }
        self.element_places(&side.place, line, t, steps).into_iter().map(Spot::At).collect()
    }

    pub(super) fn load(&mut self, place: &Invocation, stage: Stage) -> Values {
        let side = &self.pass.load;
        let line = self.line_base(side, place);
        let index = self.index_base(side, place);
        let mut values = Values::new();
        for (b, Round { steps, partial, t, .. }) in self.rounds(stage, place).into_iter().enumerate() {
            let condition = place.live.and(partial);
            let there: Vec<Expr> = steps.iter().map(|&step| is_there(&side.fused, &position(side, &index, &t, step))).collect();
            // Without any condition the values are constants.
            let variable = |own: &mut Self, name: &str| own.body.variable(name, &own.pass.number.complex());
            let name = |k: usize| format!("x{}", b * steps.len() + k);
            // What a part of an axis leaves out is zero, so that the arithmetic on it can be left
            // out too.
            let has_part = side.fused.iter().any(|step| step.step().window().is_some());
            let variables: Vec<Option<Expr>> = there
                .iter()
                .enumerate()
                .map(|(k, there)| match (has_part && there.is_false(), condition.and(there).is_true()) {
                    (true, _) => Some(zero(&self.pass.number.complex())),
                    (_, is_constant) => (!is_constant).then(|| variable(self, &name(k))),
                })
                .collect();
            let mut loaded = Vec::new();
            self.when(&condition, |own| {
                let spots = own.spots(side, &line, &place.element, &steps);
                for (k, ((&step, spot), variable)) in steps.iter().zip(spots).zip(&variables).enumerate() {
                    let value = own.when(&there[k], |own| {
                        let position = own.body.value("index", position(side, &index, &place.element, step));
                        let element = Element { spot, position, weight: None, second: false };
                        let value = own.site(side, place, &line).load(&element, &side.fused);
                        match variable {
                            None => own.body.value(&name(k), value),
                            Some(variable) => {
                                own.body.assign(variable, value);
                                variable.clone()
                            }
                        }
                    });
                    loaded.push(value.or_else(|| variable.clone()).expect("what is not loaded has a condition"));
                }
            });
            values.push(loaded);
        }
        values
    }

    /// Multiplies the results by the roots of a transform that this is a factor of.
    pub(super) fn twiddle(&mut self, place: &Invocation, stage: Stage, twiddle: &Twiddle, values: &mut Values) {
        self.body.comment(format!("Times exp(-2 pi i k m / {}).", twiddle.n));
        let (side, nowhere) = (&self.pass.store, Expr::from(0));
        let (radix, distance, products) = (stage.radix, stage.distance(), self.recipe.roots == Roots::Products);
        for line in 0..self.pass.lines_each() {
            let place = self.of_line(place, line);
            let Some(powers) = twiddle.powers(&mut self.site(side, &place, &nowhere), radix, distance, products) else { continue };
            let rounds = self.rounds(stage, &place).into_iter().zip(&mut *values);
            for (round, values) in rounds.filter(|(round, _)| round.line == line) {
                let first = &place.t + round.first;
                *values = self.in_round(&round.partial, radix, |own| {
                    let factors = twiddle.factors(&mut own.site(side, &place, &nowhere), &powers, &first, radix);
                    values.iter().zip(&factors).map(|(value, factor)| times(value, factor)).collect()
                });
            }
        }
    }

    /// Does to the results in registers what these steps do to them one by one.
    pub(super) fn apply(&mut self, place: &Invocation, stage: Stage, steps: &[Fused], values: &mut Values) {
        if steps.is_empty() {
            return;
        }
        let (side, nowhere) = (&self.pass.store, Expr::from(0));
        let index = self.index_base(side, place);
        self.each(place, stage, values, |own, _, step, value| {
            let position = position(side, &index, &place.element, step);
            let element = Element { spot: Spot::OnLine(nowhere.clone()), position, weight: None, second: false };
            let mut site = own.site(side, place, &nowhere);
            steps.iter().rev().fold(value.clone(), |value, fused| fused.step().apply(&mut site, &element, value))
        });
    }

    pub(super) fn store(&mut self, place: &Invocation, stage: Stage, fused: &[Fused], values: &Values) {
        let side = &self.pass.store;
        let index = self.index_base(side, place);
        let line = self.line_base(side, place);
        for (Round { steps, partial, t, .. }, values) in self.rounds(stage, place).into_iter().zip(values) {
            let condition = place.live.and(partial);
            self.when(&condition, |own| {
                let spots = own.spots(side, &line, &place.element, &steps);
                for ((value, spot), &step) in values.iter().zip(spots).zip(&steps) {
                    let there = is_there(fused, &position(side, &index, &t, step));
                    own.when(&there, |own| {
                        let position = position(side, &index, &place.element, step);
                        let element = Element { spot, position, weight: None, second: false };
                        own.site(side, place, &line).store(&element, value.clone(), fused);
                    });
                }
            });
        }
    }
}

/// The position of element t + step on the axis, given the lines' part of it.
pub(super) fn position(side: &Side, base: &Expr, t: &Expr, step: u32) -> Expr {
    base + (t + step) * side.weight
}

/// Whether a position is one of the axis that is there.
fn is_there(steps: &[Fused], position: &Expr) -> Expr {
    steps.iter().fold(boolean(true), |there, fused| there.and(fused.step().is_there(position)))
}
