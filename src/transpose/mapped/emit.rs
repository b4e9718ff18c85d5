//! Generates the variable part of `shaders/transpose/mapped.wgsl`.

use super::{Axis, Mapped, Step, Way};
use crate::fragment::{Argument, Form};
use crate::wgsl::{self, Body, Expr, Function, Module, Scalar, Type, U32, Writes, call, select};

/// The text between the markers of the file.
pub(super) fn wgsl(mapped: &Mapped, way: Way) -> String {
    let mut module = Module::default();
    let [read, written] = mapped.forms();
    let (input, output) = module.ends(mapped.in_place, read.binding(true), written.binding(false));
    let memory = match way {
        Way::Direct { .. } => None,
        Way::Tile { .. } => Some(module.workgroup("memory", Type::sized(mapped.moved.value(), mapped.memory_elements(way)))),
    };
    module.gap();
    mapped.declaring().for_each(|(step, first)| step.fragment.write(&mut module, first));

    let [x, y] = way.workgroup();
    let mut main = Function::new("main").entry(&format!("{x}, {y}"));
    let index = main.workgroup_index();
    let local = main.builtin("local_invocation_id", "local", Type::Vector(3, Scalar::U32));
    let body = &mut main.body;
    let index = body.value("index", index);
    let blocks = ["x", "y"].map(|axis| param("blocks", axis));
    let block_x = body.value("block_x", &index % &blocks[0]);
    let block_y = body.value("block_y", &index / &blocks[0] % &blocks[1]);
    let mut rest = body.value("outer", &index / (&blocks[0] * &blocks[1]));
    let outer = mapped.axes.len() - 2;
    let outer: Vec<Expr> = (0..outer)
        .map(|i| {
            if i + 1 == outer {
                return rest.clone();
            }
            let extent = param("outer", &i.to_string());
            let own = body.value("i", &rest % &extent);
            rest = body.value("outer", &rest / &extent);
            own
        })
        .collect();
    let begin = |side: &str| {
        let distance = |(i, own): (usize, &Expr)| own * param(side, &format!("outer_{i}"));
        outer.iter().enumerate().map(distance).fold(wgsl::param(side, U32), |sum, distance| sum + distance)
    };
    let begins = [body.value("input_begin", begin("input")), body.value("output_begin", begin("output"))];
    let live = index.less(wgsl::param("groups", U32));
    // In place, the pairs of tiles are those on the diagonal and on one side of it.
    let live = if mapped.has_pairs() { live.and(block_x.at_most(&block_y)) } else { live };
    let extent_x = body.value("extent_x", select(&live, param("extent", "x"), 0));
    let body = std::mem::take(body);
    let mut emitter = Emitter { mapped, body, input, output, begins, extent_x, outer, local: [local.x(), local.y()] };
    match (way, memory) {
        (Way::Tile { size, padding, elements }, Some(memory)) => {
            emitter.through_memory(&memory, [&block_x, &block_y], size, size + padding, elements);
        }
        (way, _) => emitter.straight([&block_x, &block_y], way),
    }
    main.body = emitter.body;
    module.function(main);
    module.finish()
}

fn param(of: &str, axis: &str) -> Expr {
    wgsl::param(&format!("{of}_{axis}"), U32)
}

struct Emitter<'a> {
    mapped: &'a Mapped,
    body: Body,
    input: Expr,
    output: Expr,
    /// The places in input and output of the first element with these outer indices.
    begins: [Expr; 2],
    /// Zero in workgroups without work.
    extent_x: Expr,
    /// The indices on the axes after x and y.
    outer: Vec<Expr>,
    local: [Expr; 2],
}

impl Writes for Emitter<'_> {
    fn body(&mut self) -> &mut Body {
        &mut self.body
    }
}

impl Emitter<'_> {
    fn inside(&self, [x, y]: [&Expr; 2]) -> Expr {
        x.less(&self.extent_x).and(y.less(param("extent", "y")))
    }

    fn place(&mut self, side: usize, [x, y]: [&Expr; 2]) -> Expr {
        let name = ["input", "output"][side];
        let place = &self.begins[side] + x * param(name, "x") + y * param(name, "y");
        self.body.value(["load_from", "store_to"][side], place)
    }

    /// The result of a fragment for the element at these indices.
    fn mapped(&mut self, step: &Step, at: [&Expr; 2], value: &Expr, result: Form) -> Expr {
        let indices: Vec<&Expr> = at.into_iter().chain(&self.outer).collect();
        let of_axis = |number: usize| {
            let found = self.mapped.axes.iter().position(|Axis { number: own, .. }| *own == number);
            found.map_or_else(|| Expr::from(0), |i| indices[i].clone())
        };
        let argument = |argument: &Argument| match *argument {
            Argument::Value => value.clone(),
            Argument::Index(axis) => of_axis(step.axes[axis]),
            Argument::Batch => of_axis(step.axes.len()),
            Argument::Length(axis) => step.extents[axis].into(),
            // There are none in permutations.
            Argument::Frequency(_) | Argument::Cycles(_) => unreachable!("a permutation has no frequencies"),
        };
        let arguments: Vec<Expr> = step.fragment.arguments.iter().map(argument).collect();
        let value = call(&step.fragment.function(), &arguments, result.value());
        self.body.value("mapped", value)
    }

    fn load(&mut self, at: [&Expr; 2]) -> Expr {
        let place = self.place(0, at);
        let [form, _] = self.mapped.forms();
        let value = form.read(&mut self.body, &self.input, &place);
        let value = self.body.value("value", value);
        let mapped = self.mapped;
        mapped.steps[0].as_ref().map_or_else(|| value.clone(), |step| self.mapped(step, at, &value, mapped.moved))
    }

    fn store(&mut self, at: [&Expr; 2], value: &Expr) {
        let mapped = self.mapped;
        let [_, form] = mapped.forms();
        let value = mapped.steps[1].as_ref().map_or_else(|| value.clone(), |step| self.mapped(step, at, value, form));
        let place = self.place(1, at);
        form.write(&mut self.body, &self.output, &place, &value);
    }

    fn straight(&mut self, [block_x, block_y]: [&Expr; 2], way: Way) {
        let ([width, height], [along_x, _]) = (way.workgroup(), way.block());
        let y = self.body.value("y", block_y * height + &self.local[1]);
        for k in 0..along_x / width {
            let x = self.body.value("x", block_x * along_x + &self.local[0] + k * width);
            let at = [&x, &y];
            let inside = self.inside(at);
            self.when(&inside, |own| {
                let value = own.load(at);
                own.store(at, &value);
            });
        }
    }

    fn through_memory(&mut self, memory: &Expr, [block_x, block_y]: [&Expr; 2], size: u32, pitch: u32, elements: u32) {
        let begins = [block_x, block_y].map(|block| self.body.value("begin", block * size));
        let [x, y] = &begins;
        let mut halves = vec![[x, y]];
        if self.mapped.has_pairs() {
            halves.push([y, x]);
        }
        let rows: Vec<Expr> = (0..elements).map(|k| self.body.value("row", &self.local[1] + k * (size / elements))).collect();
        let column = self.local[0].clone();
        for (half, [x, y]) in (0..).zip(&halves) {
            for row in &rows {
                let at = [self.body.value("x", *x + row), self.body.value("y", *y + &column)];
                let at = [&at[0], &at[1]];
                let inside = self.inside(at);
                self.when(&inside, |own| {
                    let value = own.load(at);
                    own.body.assign(&memory.at((row + half * size) * pitch + &column), value);
                });
            }
        }
        self.body.barrier();
        for (half, [x, y]) in (0..).zip(&halves) {
            for row in &rows {
                let at = [self.body.value("x", *x + &column), self.body.value("y", *y + row)];
                let at = [&at[0], &at[1]];
                let inside = self.inside(at);
                self.when(&inside, |own| {
                    let value = own.body.value("value", memory.at((&column + half * size) * pitch + row));
                    own.store(at, &value);
                });
            }
        }
    }
}
