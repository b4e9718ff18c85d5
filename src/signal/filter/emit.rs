//! Generates the variable part of `shaders/filter/stencil.wgsl`: loads with their edges, the sums
//! of each stage, and stores.

use crate::edge::Edge;
use crate::kernels::filter::stencil::{Region, Stage, Stencil, Stored};
use crate::wgsl::{
    self, Access, Body, Expr, F32, Function, Module, Scalar, Type, U32, Writes, all, boolean, call, construct, convert, min, select,
};

/// The most products of an invocation that are written out; more are summed in a loop.
const WRITTEN_OUT: u32 = 256;

/// Taps in one iteration of a loop: a multiple of every width of an access.
const AT_ONCE: u32 = 4;

/// The most accesses that an invocation makes without a loop when it fills a tile.
const FILLED_WITHOUT_LOOP: u32 = 8;

pub(super) fn wgsl(stencil: &Stencil) -> String {
    let value = Type::numbers(stencil.width, Scalar::F32);
    let mut module = Module::default();
    module.constant("WORKGROUP", stencil.invocations());
    module.gap();
    let elements = if stencil.stored == Stored::U8 { U32 } else { value.clone() };
    let (input, output) = module.input_output(false, elements, value.clone());
    let taps = module.storage(3, "taps", Access::Read, Type::array(F32));
    let regions = stencil.regions();
    let memory: Vec<Expr> = (0..if stencil.memory { stencil.stages.len() } else { 0 })
        .map(|i| module.workgroup(&format!("tile{i}"), Type::sized(value.clone(), regions[i].len())))
        .collect();
    module.gap();
    let emitter = Emitter { stencil, value, input, output, taps, regions, memory };
    emitter.element(&mut module);
    emitter.access(&mut module);
    emitter.fetch(&mut module);
    module.function(emitter.main());
    module.finish()
}

fn param(name: &str) -> Expr {
    wgsl::param(name, U32)
}

struct Emitter<'a> {
    stencil: &'a Stencil,
    /// The type of an access.
    value: Type,
    input: Expr,
    output: Expr,
    taps: Expr,
    /// What each stage reads; at last, what the last stage writes.
    regions: Vec<Region>,
    /// The tiles in workgroup memory, one for each stage.
    memory: Vec<Expr>,
}

/// Where a workgroup is.
struct Place {
    t: Expr,
    plane: Expr,
    /// The first row and access of the output.
    row: Expr,
    column: Expr,
    /// Whether there is such a plane.
    live: Expr,
}

impl Emitter<'_> {
    fn width(&self) -> u32 {
        self.stencil.width
    }

    /// Whether a stage sums along an axis.
    fn sums(&self, axis: usize) -> bool {
        self.stencil.stages.iter().any(|stage| stage.taps[axis] > 1 || stage.before[axis] > 0)
    }

    /// The index inside of index `i` along an axis of `n` elements.
    fn inside(&self, axis: usize, i: &Expr, n: &Expr) -> Expr {
        let edge = match self.stencil.edge {
            edge @ (Edge::Wrap | Edge::Reflect | Edge::Mirror) if self.stencil.near[axis] => format!("near_{edge}"),
            edge => format!("edge_{edge}"),
        };
        call(&edge, [i, n], U32)
    }

    /// Adds the function that loads an element.
    fn element(&self, module: &mut Module) {
        let in_mirror = self.width() > 1 && self.sums(1) && self.stencil.edge == Edge::Mirror;
        let in_bytes = self.stencil.stored == Stored::U8 && self.width() < 4;
        if !in_mirror && !in_bytes {
            return;
        }
        let mut function = Function::new("element").doc("Element i of the input.").returning(F32);
        let i = function.parameter("i", U32);
        function.body.give(match (self.stencil.stored, self.width()) {
            (Stored::U8, _) => convert(&F32, &((self.input.at(&i / 4) >> (i % 4 * 8)) & 255)),
            (Stored::F32, 1) => self.input.at(&i),
            (Stored::F32, width) => self.input.at(&i / width).at(i % width),
        });
        module.function(function);
    }

    /// Adds the function that loads an access.
    fn access(&self, module: &mut Module) {
        let mut function = Function::new("access").doc("Access i of the input.").returning(self.value.clone());
        let i = function.parameter("i", U32);
        let body = &mut function.body;
        let element = |i: Expr| call("element", [&i], F32);
        let loaded = match (self.stencil.stored, self.width()) {
            (Stored::F32, _) => self.input.at(&i),
            (Stored::U8, 1) => element(i),
            (Stored::U8, 4) => {
                let word = body.value("word", self.input.at(&i));
                let bytes: Vec<Expr> = (0..4).map(|byte| convert(&F32, &((&word >> (8 * byte)) & 255))).collect();
                construct(&self.value, &bytes)
            }
            (Stored::U8, width) => {
                let elements: Vec<Expr> = (0..width).map(|v| element(&i * width + v)).collect();
                construct(&self.value, &elements)
            }
        };
        body.give(loaded);
        module.function(function);
    }

    /// Adds the function that loads an access by its row and column, which may lie outside.
    fn fetch(&self, module: &mut Module) {
        let mut function = Function::new("fetch")
            .doc("The access in this row and column of a plane. Indices are counted modulo 2³² and may lie outside.")
            .returning(self.value.clone());
        let [plane, row, column] = ["plane", "row", "column"].map(|name| function.parameter(name, U32));
        let body = &mut function.body;
        let (rows, columns) = (param("rows"), param("columns"));
        let is_zero = self.stencil.edge == Edge::Zero;
        // Rows and columns behind the array are loaded for outputs that do not exist.
        let last = |i: &Expr, n: &Expr| min(i, n - 1);
        let mut exists = boolean(true);
        let row = if self.sums(0) {
            let row = body.value("inside_row", self.inside(0, &row, &rows));
            if is_zero {
                exists = row.less(&rows);
            }
            row
        } else {
            body.value("inside_row", last(&row, &rows))
        };
        let begin = body.value("begin", (plane * &rows + row) * &columns);
        let access = |i: Expr| call("access", [&i], self.value.clone());
        // With one way out: SwiftShader takes four times as long for each call of a function that
        // returns early: blocks of 4 sums 1.4 s, of 8 sums 411 s. An H200 takes the same time
        // within 1% (2026-11-24-h200-filters).
        if !self.sums(1) || is_zero {
            let (exists, column) =
                if self.sums(1) { (exists.and(column.less(&columns)), column) } else { (exists, last(&column, &columns)) };
            let names = [("value".to_owned(), self.value.clone())];
            let value = body.values_when(&exists, &names, |_| vec![access(begin + column)]).remove(0);
            body.give(value);
        } else if self.width() > 1 && self.stencil.edge == Edge::Mirror {
            let value = body.variable("value", &self.value);
            let inside = |body: &mut Body| body.assign(&value, access(&begin + &column));
            body.when_else(&column.less(&columns), inside, |body| {
                let first = body.value("first", &column * self.width());
                let begin = body.value("begin_elements", &begin * self.width());
                let n = body.value("n", &columns * self.width());
                let elements: Vec<Expr> =
                    (0..self.width()).map(|v| call("element", [&(&begin + self.inside(1, &(&first + v), &n))], F32)).collect();
                body.assign(&value, construct(&self.value, &elements));
            });
            body.give(value);
        } else {
            // Rows consist of whole accesses, so what lies outside does too.
            let value = body.value("value", access(begin + self.inside(1, &column, &columns)));
            let value = self.outside(&value, &column, &columns);
            body.give(value);
        }
        module.function(function);
    }

    /// The access at a column that may lie outside, where `value` is the one that stands for it.
    fn outside(&self, value: &Expr, column: &Expr, columns: &Expr) -> Expr {
        let width = self.width() as usize;
        if width == 1 {
            return value.clone();
        }
        match self.stencil.edge {
            Edge::Reflect => {
                let is_turned = if self.stencil.near[1] {
                    column.at_least(columns)
                } else {
                    call("wrapped", [column, &(columns * 2)], U32).at_least(columns)
                };
                select(&is_turned, value.components(&"wzyx"[4 - width..]), value)
            }
            Edge::Nearest => {
                let all = |i: usize| construct(&self.value, [&value.component(i)]);
                let behind = select(&column.at_least(columns), all(width - 1), value);
                select(&column.at_least(1 << 31), all(0), behind)
            }
            _ => value.clone(),
        }
    }

    fn main(&self) -> Function {
        let stencil = self.stencil;
        let mut main = Function::new("main").entry("WORKGROUP");
        let index = main.workgroup_index();
        let t = main.builtin("local_invocation_index", "t", U32).below(stencil.invocations());
        let body = &mut main.body;
        let index = body.value("index", index);
        let (down, along) = (param("tiles_down"), param("tiles_along"));
        let column = body.value("column", &index % &along * stencil.tile[1]);
        let row = body.value("row", &index / &along % &down * stencil.tile[0]);
        let plane = body.value("plane", index / (along * down));
        let live = body.value("live", plane.less(param("planes")));
        // A surplus workgroup computes what nobody stores.
        let plane = body.value("own_plane", min(&plane, param("planes") - 1));
        let place = Place { t, plane, row, column, live };
        if let Some(tile) = self.memory.first() {
            self.spread(body, &place, self.regions[0].len(), |body, item| {
                let (r, c) = item.div_rem(self.regions[0].accesses);
                let loaded = self.load(&place, &r, &c);
                body.assign(&tile.at(item), loaded);
            });
        }
        for (s, stage) in stencil.stages.iter().enumerate() {
            if stencil.memory {
                body.barrier();
            }
            let [down, along] = stencil.blocks(stage, self.regions[s + 1]);
            self.spread(body, &place, down * along, |body, item| {
                let (r, c) = item.div_rem(along);
                let [rows, accesses] = stencil.block;
                if Stencil::is_down(stage) {
                    self.down(body, &place, s, &(r * rows), &c);
                } else {
                    self.along(body, &place, s, &r, &(c * accesses));
                }
            });
        }
        main
    }

    /// Writes statements for `count` items that the invocations share.
    fn spread(&self, body: &mut Body, place: &Place, count: u32, write: impl Fn(&mut Body, &Expr)) {
        let workgroup = self.stencil.invocations();
        let each = count.div_ceil(workgroup);
        if each > FILLED_WITHOUT_LOOP {
            return body.count("item", place.t.clone(), count, workgroup, |body, item| write(body, &item.clone().below(count)));
        }
        for k in 0..each {
            let item = &place.t + k * workgroup;
            body.when(&item.less(count), |body| {
                let item = body.value("item", item.clone().below(count));
                write(body, &item);
            });
        }
    }

    /// The access of the input in this row and column of the first region.
    fn load(&self, place: &Place, r: &Expr, c: &Expr) -> Expr {
        let before: u32 = self.stencil.stages.iter().map(|stage| stage.before[0]).sum();
        let lead: u32 = self.stencil.stages.iter().map(|stage| self.stencil.lead(stage)).sum();
        call("fetch", [&place.plane, &(&place.row + r - before), &(&place.column + c - lead)], self.value.clone())
    }

    /// What stage `s` reads in this row and column of its region.
    fn source(&self, place: &Place, s: usize, r: &Expr, c: &Expr) -> Expr {
        match self.memory.get(s) {
            Some(tile) => tile.at(r * self.regions[s].accesses + c),
            None => self.load(place, r, c),
        }
    }

    /// Stores what stage `s` computes for this row and column of its region.
    fn keep(&self, body: &mut Body, place: &Place, s: usize, [r, c]: [&Expr; 2], value: Expr) {
        if let Some(tile) = self.memory.get(s + 1) {
            body.assign(&tile.at(r * self.regions[s + 1].accesses + c), value);
            return;
        }
        let (row, column) = (&place.row + r, &place.column + c);
        let exists = all([place.live.clone(), row.less(param("output_rows")), column.less(param("output_columns"))]);
        let at = (&place.plane * param("output_rows") + row) * param("output_columns") + column;
        body.when(&exists, |body| body.assign(&self.output.at(at), value));
    }

    /// Tap `t` of stage `s`.
    fn tap(&self, s: usize, t: &Expr) -> Expr {
        let [down, along] = self.stencil.stages[s].taps;
        let t = if self.stencil.flipped { Expr::from(down * along - 1) - t } else { t.clone() };
        self.taps.at(param(&format!("taps_{s}")) + t)
    }

    /// Sums down columns for the outputs from row `r` on.
    fn down(&self, body: &mut Body, place: &Place, s: usize, r: &Expr, c: &Expr) {
        let sums: Vec<Expr> = (0..self.stencil.block[0]).map(|k| body.variable(&format!("sum{k}"), &self.value)).collect();
        let line = Line { taps: self.stencil.stages[s].taps[0], first: 0, per_access: 1, value: &self.value };
        line.sum(body, &sums, |j| self.source(place, s, &(r + j), c), |t| self.tap(s, t));
        for (k, sum) in (0..).zip(sums) {
            self.keep(body, place, s, [&(r + k), c], sum);
        }
    }

    /// Sums along rows for the outputs from access `c` on, and over the rows if the stage has taps
    /// in several.
    fn along(&self, body: &mut Body, place: &Place, s: usize, r: &Expr, c: &Expr) {
        let stage: &Stage = &self.stencil.stages[s];
        let (width, accesses, [down, taps]) = (self.width(), self.stencil.block[1], stage.taps);
        let sums: Vec<Expr> = (0..accesses * width).map(|k| body.variable(&format!("sum{k}"), &F32)).collect();
        let line = Line { taps, first: self.stencil.lead(stage) * width - stage.before[1], per_access: width, value: &self.value };
        let of_row = |body: &mut Body, i: &Expr| {
            line.sum(body, &sums, |j| self.source(place, s, &(r + i), &(c + j)), |t| self.tap(s, &(i * taps + t)));
        };
        if down == 1 || down * taps * accesses * width <= WRITTEN_OUT {
            (0..down).for_each(|i| of_row(body, &i.into()));
        } else {
            body.count("tap_row", 0, down, 1, |body, i| of_row(body, &i.clone().below(down)));
        }
        for (k, own) in (0..).zip(sums.chunks(width as usize)) {
            let value = if let [one] = own { one.clone() } else { construct(&self.value, own) };
            self.keep(body, place, s, [r, &(c + k)], value);
        }
    }
}

/// Taps that go over a line of accesses.
struct Line<'a> {
    taps: u32,
    /// The unit under the first tap of the first sum. A unit is an element, or an access whose
    /// elements belong to different columns.
    first: u32,
    /// Units of an access.
    per_access: u32,
    /// The type of an access.
    value: &'a Type,
}

impl Line<'_> {
    /// Unit `i` of these accesses.
    fn unit(&self, accesses: &[Expr], i: u32) -> Expr {
        let access = &accesses[(i / self.per_access) as usize];
        if self.per_access == 1 { access.clone() } else { access.component((i % self.per_access) as usize) }
    }

    /// Adds the products of `count` taps from tap `t` on to the sums. `accesses` begin with the
    /// one of unit `first`.
    fn products(&self, body: &mut Body, sums: &[Expr], accesses: &[Expr], count: u32, tap: impl Fn(u32) -> Expr) {
        for t in 0..count {
            let weight = body.value("tap", tap(t));
            for (e, sum) in (0..).zip(sums) {
                let product = &weight * self.unit(accesses, self.first + e + t);
                body.assign(sum, sum + product);
            }
        }
    }

    /// Adds all products to sums of neighbouring outputs. `load` gives access j of the line.
    fn sum(&self, body: &mut Body, sums: &[Expr], load: impl Fn(&Expr) -> Expr, tap: impl Fn(&Expr) -> Expr) {
        let count = sums.len() as u32;
        let accesses = |taps: u32| (self.first + count + taps - 1).div_ceil(self.per_access);
        let loaded =
            |body: &mut Body, from: u32, end: u32| -> Vec<Expr> { (from..end).map(|j| body.value("x", load(&j.into()))).collect() };
        if self.taps * count <= WRITTEN_OUT || self.taps < 2 * AT_ONCE {
            let all = loaded(body, 0, accesses(self.taps));
            return self.products(body, sums, &all, self.taps, |t| tap(&t.into()));
        }
        // A window over the line. In each step it moves by as many accesses as the taps of the step
        // cover.
        let (window, step, steps) = (accesses(AT_ONCE), AT_ONCE / self.per_access, self.taps / AT_ONCE);
        let first = loaded(body, 0, window - step);
        let mut variables: Vec<Expr> = (0..step).map(|i| body.variable(&format!("x{i}"), self.value)).collect();
        variables.extend((step..).zip(first).map(|(i, value)| body.variable_from(&format!("x{i}"), value)));
        body.count("step", 0, steps, 1, |body, i| {
            let i = i.clone().below(steps);
            for k in 0..(window - step) as usize {
                body.assign(&variables[k], &variables[k + step as usize]);
            }
            for k in window - step..window {
                body.assign(&variables[k as usize], load(&(&i * step + k)));
            }
            self.products(body, sums, &variables, AT_ONCE, |t| tap(&(&i * AT_ONCE + t)));
        });
        let (done, rest) = (steps * AT_ONCE, self.taps % AT_ONCE);
        if rest > 0 {
            let from = done / self.per_access;
            let last = loaded(body, from, from + accesses(rest));
            self.products(body, sums, &last, rest, |t| tap(&(done + t).into()));
        }
    }
}
