//! The loop of an invocation over its accesses, and the combination across neighbouring
//! invocations.

use super::{Emitter, Places, halves};
use crate::reduce::arithmetic::{self, function};
use crate::reduce::recipe::Pass;
use crate::wgsl::{self, Body, Expr, Function, Type, U32, Writes, call};

/// Levels of the tree that go through workgroup memory between two barriers.
///
/// With one level each, 1024 lanes would need ten barriers. Four levels need three, and an
/// invocation reads at most 16 values. The tree is the same for any number of levels, so recipes do
/// not state it.
const LEVELS: u32 = 4;

/// Halves `from` values to `to` through workgroup memory, in steps of several levels. For each
/// step: how many invocations combine how many values each.
fn through_memory(from: u32, to: u32) -> Vec<(u32, u32)> {
    let mut steps = Vec::new();
    let mut left = from;
    while left > to {
        let target = to.max(left >> LEVELS);
        steps.push((target, left / target));
        left = target;
    }
    steps
}

fn param(name: &str) -> Expr {
    wgsl::param(name, U32)
}

impl Emitter<'_> {
    /// The place of the element with this index along some dimensions, whose extents and strides
    /// are `Params` of this name. The stride of the fastest may be known to be 1.
    fn place(body: &mut Body, name: &str, rank: usize, index: Expr, unit: bool) -> Expr {
        let (mut place, mut rest) = (Expr::from(0), index);
        for dim in 0..rank {
            let own = if dim + 1 == rank {
                rest.clone()
            } else {
                let (quotient, own) = rest.div_rem(param(&format!("{name}_extents_{dim}")));
                rest = body.value("rest", quotient);
                own
            };
            place = place + if dim == 0 && unit { own } else { own * param(&format!("{name}_strides_{dim}")) };
        }
        place
    }

    /// Adds the loop of an invocation over its accesses from `begin` to `end`. It yields one value
    /// for a line, and one value per column for rows.
    pub(super) fn walk(&mut self, pass: &Pass, places: Places) {
        let Pass { accumulators, unroll, .. } = *pass;
        let rows = accumulators * unroll;
        let lanes = Expr::name("LANES", U32);
        let values = self.values.clone();
        self.by_values("combine");
        // Indices rise in the loop, so of equal ranks the earlier one is kept.
        let keep = if self.counts_later() {
            self.module.function(arithmetic::keep_first(&self.stage.operator));
            self.by_values("keep_first");
            "keep_first_values"
        } else {
            "combine_values"
        };

        let lines = self.lines;
        let index = |i: &Expr| param("first_index") + if lines { i * Expr::name("WIDTH", U32) } else { i.clone() };
        let kept_place = function("kept_place", [("k", &U32)], &U32, |body, [k]| Self::place(body, "kept", places.kept, k, false));
        self.module.function(kept_place.doc(if lines { "Where line k begins." } else { "Where plane k begins." }));
        let (loads, unit) = (self.loads(), lines && !self.stage.gathered);
        let mut load_step = Function::new("load_step").returning(values.clone());
        let [base, i] = ["base", "i"].map(|name| load_step.parameter(name, U32));
        let of_result = |function: &mut Function| self.has_result().then(|| function.parameter("result", U32));
        let result = of_result(&mut load_step);
        let loaded = {
            let body = &mut load_step.body;
            let element = |v: u32| if loads == 1 { i.clone() } else { &i * Expr::name("WIDTH", U32) + v };
            let at = |v: u32| {
                let at = &base + Self::place(body, "reduced", places.reduced, element(v), unit);
                if places.of_part { at - param("bound") } else { at }
            };
            let all: Vec<Expr> = (0..loads).map(at).collect();
            call("load", all.iter().chain([&index(&i)]).chain(&result), values.clone())
        };
        load_step.body.give(loaded);
        self.module.function(load_step);

        let mut function = Function::new("walk")
            .doc("Combines the elements of a result, from `begin` to `end`, that belong to `lane`.")
            .returning(if lines { self.value.clone() } else { values.clone() });
        let [base, result, begin, end, lane] = ["base", "result", "begin", "end", "lane"].map(|name| function.parameter(name, U32));
        let result = self.has_result().then_some(result);
        let body = &mut function.body;
        let i = body.variable_from("i", &begin + lane);
        let load = |k: u32| call("load_step", [&base, &(&i + &lanes * k)].into_iter().chain(&result), values.clone());
        let keep = |total: &Expr, more: &Expr| call(keep, [total, more], values.clone());
        // The initial index is not less than that of the first element, which exists, and the
        // initial rank is the lowest.
        let first = if self.counts_later() { self.unranked(index(&i)) } else { call("identity", [], self.value.clone()) };
        let totals: Vec<Expr> =
            (0..accumulators).map(|a| body.variable_from(&format!("total{a}"), self.values(|_| first.clone()))).collect();
        // The rest is shorter than one such step and is checked access by access.
        let whole = body.value("whole", (end.clone() - begin) / (&lanes * rows));
        body.count("step", 0, whole, 1, |body, _| {
            let loaded: Vec<Expr> = (0..rows).map(|k| body.value(&format!("x{k}"), load(k))).collect();
            for (more, total) in loaded.iter().zip(totals.iter().cycle()) {
                body.assign(total, keep(total, more));
            }
            body.advance(&i, &lanes * rows);
        });
        body.count_on(&i, &end, &lanes * accumulators, |body| {
            body.assign(&totals[0], keep(&totals[0], &load(0)));
            for (a, total) in (0..).zip(&totals).skip(1) {
                body.when(&(&i + &lanes * a).less(&end), |body| body.assign(total, keep(total, &load(a))));
            }
        });
        body.give(if lines {
            let across = |total: &Expr| call("across", [total], self.value.clone());
            halves(totals.iter().map(across).collect(), |a, b| self.combine(a, b))
        } else {
            halves(totals, |a, b| call("combine_values", [a, b], values.clone()))
        });
        self.module.function(function);
    }

    /// Adds the combination over the lanes of a line or column. Returns the workgroup memory in
    /// bytes.
    pub(super) fn over_lanes(&mut self, pass: &Pass) -> u64 {
        let Pass { workgroup, width, lanes, .. } = *pass;
        let in_subgroup = pass.subgroup.clamp(1, lanes);
        let steps = through_memory(lanes, in_subgroup);
        let column = |v: u32| if self.lines { "lanes".to_owned() } else { format!("lanes{v}") };
        let columns = if self.lines { 1 } else { width };
        let array = Type::sized(self.value.clone(), workgroup);
        let mut memory = Vec::new();
        if !steps.is_empty() {
            memory.extend((0..columns).map(|v| self.module.workgroup(&column(v), array.clone())));
            self.module.gap();
        }
        let ty = if self.lines { self.value.clone() } else { self.values.clone() };
        let mut function =
            Function::new("over_lanes").doc("Combines the values of neighbouring lanes; lane 0 knows the result.").returning(ty.clone());
        let own = function.parameter("own", ty);
        let [t, lane] = ["t", "lane"].map(|name| function.parameter(name, U32));
        let body = &mut function.body;
        let result = if lanes > 1 { body.variable_from("result", own) } else { own };
        let places: Vec<Expr> = if self.lines { vec![result.clone()] } else { (0..width).map(|v| self.value(&result, v)).collect() };
        let share = |body: &mut Body| memory.iter().zip(&places).for_each(|(array, place)| body.assign(&array.at(&t), place));
        // The distance between lanes of a line, or of a column.
        let apart = if self.lines { 1 } else { workgroup / lanes };
        for (s, &(target, count)) in steps.iter().enumerate() {
            if s == 0 {
                share(body);
            }
            body.barrier();
            body.when(&lane.less(target), |body| {
                for (array, place) in memory.iter().zip(&places) {
                    let values = (0..count).map(|k| array.at(&t + k * target * apart)).collect();
                    body.assign(place, halves(values, |a, b| self.combine(a, b)));
                }
                if s + 1 < steps.len() {
                    share(body);
                }
            });
        }
        for level in (0..in_subgroup.ilog2()).rev() {
            let other = call("subgroupShuffleDown", [&result, &(1 << level).into()], self.value.clone());
            body.assign(&result, self.combine(&result, &other));
        }
        body.give(result);
        self.module.function(function);
        memory.len() as u64 * u64::from(workgroup * self.stage.operator.value().bytes())
    }
}
