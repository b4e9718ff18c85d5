//! Transforms as functions of somebody else's shader: from an invocation's values to its values.

use super::generator::{Generator, Invocation, Setting, Sharing, Values};
use crate::fft::emit::codelets::{pair, real, times};
use crate::fft::pass::Pass;
use crate::fft::recipe::Stockham;
use crate::fft::roots::Constant;
use crate::fft::stage::Stage;
use crate::wgsl::{Expr, Function, Type, U32, construct, float, select};

/// What the functions of a text have in common.
pub(in crate::fft) struct Inline<'a> {
    /// Of the forward transform: dense rows of complex numbers.
    pub pass: &'a Pass,
    pub recipe: &'a Stockham,
    pub setting: &'a Setting<'a>,
    /// Whether the transforms are between twice as many reals and half of a spectrum.
    pub halves: bool,
}

/// Functions, and the elements of workgroup memory that they need.
pub(in crate::fft) struct Functions {
    pub all: Vec<Function>,
    pub elements: u32,
}

/// `product`: that of complex numbers, as `shaders/fft/complex.wgsl` has it.
pub(in crate::fft) fn complex_mul(complex: &Type) -> Function {
    let mut function = Function::new("complex_mul").returning(complex.clone());
    let [a, b] = ["a", "b"].map(|name| function.parameter(name, complex.clone()));
    let (re, im) = (a.x() * b.x() - a.y() * b.y(), a.x() * b.y() + a.y() * b.x());
    function.body.give(construct(complex, [&re, &im]));
    function
}

impl Inline<'_> {
    /// The transforms with these names, forward and inverse.
    pub fn functions(&self, [forward, inverse]: [&str; 2]) -> Functions {
        let back = Stockham { radices: self.recipe.radices.iter().rev().copied().collect(), ..self.recipe.clone() };
        let pass_back = Pass { radices: back.radices.clone(), ..self.pass.clone() };
        let ways = [(forward, self.pass, self.recipe, false), (inverse, &pass_back, &back, true)];
        let (mut all, mut elements) = (Vec::new(), 0);
        for (name, pass, recipe, is_inverse) in ways {
            let (function, own) = self.function(name, pass, recipe, is_inverse);
            all.push(function);
            elements = elements.max(own);
        }
        Functions { all, elements }
    }

    fn function(&self, name: &str, pass: &Pass, recipe: &Stockham, is_inverse: bool) -> (Function, u32) {
        let complex = pass.number.complex();
        let count = pass.n() / recipe.lanes;
        let held = Type::sized(complex.clone(), count);
        let mut function = Function::new(name);
        function.parameter("values", Type::named(&format!("ptr<function, {held}>")));
        let invocation = function.parameter("invocation", U32).below(recipe.lanes * recipe.lines);
        let values = Expr::name("(*values)", held);
        let body = std::mem::take(&mut function.body);
        // Others may have used workgroup memory before.
        let exchanged = true;
        let mut own =
            Generator { body, pass, recipe, setting: self.setting, lines: recipe.lines, group: 0.into(), invocation, words: 0, exchanged };
        let place = own.place(Sharing::Lanes);
        let stages = own.stages();
        let [first, last] = [stages[0], stages[stages.len() - 1]];
        let start = own.at_stage(&place, first);
        let mut loaded: Vec<Expr> = (0..count).map(|i| values.at(i)).collect();
        if is_inverse {
            if self.halves {
                loaded = own.mirrored(&place, first, &loaded, true);
            }
            loaded.iter_mut().for_each(|value| *value = value.components("yx"));
        }
        let loaded: Values =
            loaded.chunks(first.radix as usize).map(|round| round.iter().map(|value| own.body.value("x", value)).collect()).collect();
        let (_, results) = own.run(&stages, start, [&place, &place], loaded);
        let mut results = results.concat();
        if is_inverse {
            results.iter_mut().for_each(|value| *value = value.components("yx"));
        } else if self.halves {
            results = own.mirrored(&place, last, &results, false);
        }
        for (i, result) in results.into_iter().enumerate() {
            own.body.assign(&values.at(i as u32), result);
        }
        let elements = own.words / own.memory_words();
        function.body = own.body;
        (function, elements)
    }

    /// The function that tells which element value k of an invocation is, where a stage with this
    /// radix begins or ends.
    pub fn index(&self, name: &str, radix: u32) -> Function {
        let mut function = Function::new(name).returning(U32);
        let [invocation, k] = ["invocation", "k"].map(|name| function.parameter(name, U32));
        let (lanes, n) = (self.recipe.lanes, self.pass.n());
        let (round, step) = k.div_rem(radix);
        function.body.give(invocation % lanes + round * lanes + step * (n / radix));
        function
    }
}

impl Generator<'_> {
    /// From the DFT z of the n complex numbers a[2j] + i·a[2j+1] to the half-spectrum of a, or back
    /// without the factor 1/2. With w the conjugate of z[n-k]:
    ///
    /// X[k] = (z + w)/2 - i/2·exp(-πik/n)·(z - w), and back 2z = (X + W) + i·exp(πik/n)·(X - W)
    ///
    /// X[0] and X[n] are reals, and lie together as one complex number.
    fn mirrored(&mut self, place: &Invocation, stage: Stage, values: &[Expr], back: bool) -> Vec<Expr> {
        let n = self.n();
        let number = self.pass.number;
        let line = self.body.value("line_at", &place.row * n);
        let first = self.body.value("own_at", &line + &place.t);
        let offsets: Vec<u32> = self.rounds(stage.radix, place).into_iter().flat_map(|round| stage.steps(round.first)).collect();
        let memory = self.memory();
        self.words = self.words.max(n * self.lines * self.memory_words());
        let mut parts: Vec<Vec<Expr>> = Vec::new();
        for (part, name) in self.exchanged_parts() {
            self.begin_exchange();
            for (value, &offset) in values.iter().zip(&offsets) {
                self.body.assign(&memory.at(&first + offset), value.components(part));
            }
            self.body.barrier();
            let read = offsets.iter().map(|&offset| {
                let k = &place.t + offset;
                let mirror = select(&k.equals(0), Expr::from(0), Expr::from(n) - &k);
                let value = memory.at(&line + mirror);
                self.body.value(name, value)
            });
            parts.push(read.collect());
        }
        let half = float(number.scalar(), 0.5);
        let mut results = Vec::new();
        for (i, (value, &offset)) in values.iter().zip(&offsets).enumerate() {
            let mirror = match &parts[..] {
                [whole] => whole[i].clone(),
                [re, im] => pair(&re[i], &im[i]),
                _ => unreachable!("a number has one part or two"),
            };
            let z = self.body.value("z", value);
            let mirror = self.body.value("mirror", mirror);
            let w = self.body.value("w", pair(&mirror.x(), &(real(&mirror.x(), 0.0) - mirror.y())));
            let sum = self.body.value("sum", &z + &w);
            let difference = self.body.value("difference", &z - &w);
            let k = &place.t + offset;
            let root = self.setting.look_up.of(&half_turns(n), &k);
            let root = self.body.value("root", root);
            let general = if back {
                let turned = times(&difference, &pair(&root.x(), &(real(&root.x(), 0.0) - root.y())));
                let turned = self.body.value("turned", turned);
                sum + pair(&(real(&root.x(), 0.0) - turned.y()), &turned.x())
            } else {
                let turned = self.body.value("turned", times(&difference, &root));
                &half * (sum + pair(&turned.y(), &(real(&root.x(), 0.0) - turned.x())))
            };
            let ends = pair(&(z.x() + z.y()), &(z.x() - z.y()));
            let result = if offset == 0 { select(&k.equals(0), ends, general) } else { general };
            results.push(self.body.value("x", result));
        }
        results
    }
}

/// The roots that half-spectra need: exp(-πik/n).
pub(in crate::fft) fn half_turns(n: u32) -> Constant {
    Constant::Arc { order: 2 * u64::from(n), first: 0, step: 1, len: n }
}
