//! Loads and stores of two neighbouring numbers at a time.

use super::generator::{Generator, Invocation, Round, Values};
use crate::fft::emit::codelets::scale;
use crate::fft::pass::{Side, Twos};
use crate::fft::stage::Stage;
use crate::fft::steps::{Element, Spot};
use crate::wgsl::{Expr, Type, Writes, call, construct};

impl Generator<'_> {
    /// An invocation at the first or the last stage of lines whose elements it takes in twos.
    pub(super) fn in_twos(&mut self, place: &Invocation) -> Invocation {
        let t = self.body.value("butterfly", &place.lane * 2);
        Invocation { element: t.clone(), t, neighbours: 2, ..place.clone() }
    }

    /// What an invocation knows of its place on one of the lines that it transforms.
    pub(super) fn of_line(&mut self, place: &Invocation, line: u32) -> Invocation {
        let mut place = place.clone();
        if self.pass.lines_each() > 1 {
            place.coordinates[0] = self.body.value("d0", &place.coordinates[0] * 2 + line);
        }
        place
    }

    /// Of each two rounds whose elements one access takes, the first.
    fn rounds_in_twos(&self, stage: Stage, place: &Invocation) -> impl Iterator<Item = Round> + use<> {
        self.rounds(stage, place).into_iter().step_by(2)
    }

    /// Where the twos of such rounds lie.
    fn twos(&mut self, side: &Side, line: &Expr, place: &Invocation, stage: Stage, round: &Round) -> Vec<Expr> {
        if self.pass.twos == Some(Twos::Lines) {
            return self.element_places(&side.place, line, &place.element, &round.steps);
        }
        let steps: Vec<u32> = round.steps.iter().map(|step| step / 2).collect();
        // Along the slowest axis butterflies have the numbers of their first elements.
        let first = if stage.is_slowest(self.n()) { place.lane.clone() } else { &place.element / 2 };
        self.element_places(&side.place, line, &first, &steps)
    }

    pub(super) fn load_twos(&mut self, place: &Invocation, stage: Stage) -> Values {
        let side = &self.pass.load;
        let line = self.line_base(side, place);
        let complex = self.pass.number.complex();
        let names: Vec<(String, Type)> = (0..2 * stage.radix).map(|k| (format!("x{k}"), complex.clone())).collect();
        let mut values = Values::new();
        for round in self.rounds_in_twos(stage, place) {
            let condition = place.live.and(&round.partial);
            let loaded = self.values_when(&condition, &names, |own| {
                let places = own.twos(side, &line, place, stage, &round);
                let load = |at: &Expr| own.body.value("two", call("load", [at], side.storage.value(own.pass.number)));
                let twos: Vec<Expr> = places.iter().map(load).collect();
                let mut site = own.site(side, place, &line);
                // Of what may be fused, only exchanges of parts are in loads: they ask for no
                // place.
                let element = Element { spot: Spot::OnLine(line.clone()), position: 0.into(), weight: None, second: false };
                let mut applied =
                    |value: Expr| side.fused.iter().fold(value, |value, fused| fused.step().apply(&mut site, &element, value));
                ["xy", "zw"].iter().flat_map(|number| twos.iter().map(|two| two.components(number))).map(&mut applied).collect()
            });
            values.extend(loaded.chunks(stage.radix as usize).map(<[Expr]>::to_vec));
        }
        values
    }

    pub(super) fn store_twos(&mut self, place: &Invocation, stage: Stage, values: &Values) {
        let side = &self.pass.store;
        let line = self.line_base(side, place);
        let ty = side.storage.value(self.pass.number);
        for (round, values) in self.rounds_in_twos(stage, place).zip(values.chunks(2)) {
            let condition = place.live.and(&round.partial);
            self.when(&condition, |own| {
                let places = own.twos(side, &line, place, stage, &round);
                for (k, at) in places.iter().enumerate() {
                    let two = [0, 1].map(|own| scale(&values[own][k]) * &values[own][k]);
                    own.body.call("store", [at, &construct(&ty, &two)]);
                }
            });
        }
    }
}
