//! Transforms as functions of somebody else's shader: from an invocation's values to its values.

use std::f64::consts::FRAC_PI_2;

use super::generator::{Generator, Invocation, Setting, Sharing, Values};
use crate::fft::emit::codelets::{pair, real, times};
use crate::fft::pass::Pass;
use crate::fft::recipe::Stockham;
use crate::fft::roots::Constant;
use crate::fft::spec::number::Number;
use crate::fft::stage::Stage;
use crate::wgsl::{Expr, Function, I32, Type, U32, Writes, boolean, call, construct, convert, float, select};

/// What the functions of a text have in common.
pub(in crate::fft) struct Inline<'a> {
    /// Of the forward transform: dense rows of complex numbers.
    pub pass: &'a Pass,
    pub recipe: &'a Stockham,
    pub setting: &'a Setting<'a>,
    /// Whether the transforms are between twice as many reals and half of a spectrum.
    pub halves: bool,
}

/// The product of complex numbers, as `shaders/fft/complex.wgsl` has it.
pub(in crate::fft) fn complex_mul(complex: &Type) -> Function {
    let mut function = Function::new("complex_mul").returning(complex.clone());
    let [a, b] = ["a", "b"].map(|name| function.parameter(name, complex.clone()));
    let (re, im) = (a.x() * b.x() - a.y() * b.y(), a.x() * b.y() + a.y() * b.x());
    function.body.give(construct(complex, [&re, &im]));
    function
}

impl Inline<'_> {
    /// The transforms with these names, forward and inverse, and the elements of workgroup memory
    /// that they need.
    pub fn functions(&self, [forward, inverse]: [&str; 2]) -> ([Function; 2], u32) {
        let back = self.recipe.reversed();
        let pass_back = Pass { radices: back.radices.clone(), ..self.pass.clone() };
        let (there, elements) = self.function(forward, self.pass, self.recipe, false);
        let (back, elements_back) = self.function(inverse, &pass_back, &back, true);
        ([there, back], elements.max(elements_back))
    }

    fn function(&self, name: &str, pass: &Pass, recipe: &Stockham, is_inverse: bool) -> (Function, u32) {
        let held = Type::sized(pass.number.complex(), held(recipe));
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
        let rounds = own.rounds(first, &start).len() as u32;
        let mut round = |b: u32| (0..first.radix).map(|k| own.body.value("x", values.at(b * first.radix + k))).collect();
        let mut loaded: Values = (0..rounds).map(&mut round).collect();
        if is_inverse {
            if self.halves {
                loaded = own.mirrored(&place, first, &loaded, true);
            }
            loaded.iter_mut().flatten().for_each(|value| *value = value.components("yx"));
        }
        let (_, mut results) = own.run(&stages, start, [&place, &place], loaded);
        if is_inverse {
            results.iter_mut().flatten().for_each(|value| *value = value.components("yx"));
        } else if self.halves {
            results = own.mirrored(&place, last, &results, false);
        }
        for (i, result) in results.into_iter().flatten().enumerate() {
            own.body.assign(&values.at(i as u32), result);
        }
        let elements = own.words / own.memory_words();
        function.body = own.body;
        (function, elements)
    }

    /// The function that tells which element value k of an invocation is, where a stage with this
    /// radix begins or ends; n if it is none.
    pub fn index(&self, name: &str, radix: u32) -> Function {
        let mut function = Function::new(name).returning(U32);
        let [invocation, k] = ["invocation", "k"].map(|name| function.parameter(name, U32));
        let (lanes, n) = (self.recipe.lanes, self.pass.n());
        let (round, step) = k.div_rem(radix);
        let butterfly = function.body.value("butterfly", invocation % lanes + round * lanes);
        let element = &butterfly + step * (n / radix);
        let is_one = if is_even(self.recipe) { boolean(true) } else { butterfly.less(n / radix).and(k.less(held_by(self.recipe, radix))) };
        function.body.give(select(&is_one, element, n));
        function
    }
}

/// How many values an invocation has before or after a stage with this radix.
fn held_by(recipe: &Stockham, radix: u32) -> u32 {
    (recipe.n() / radix).div_ceil(recipe.lanes) * radix
}

fn ends(recipe: &Stockham) -> [u32; 2] {
    [0, recipe.radices.len() - 1].map(|stage| recipe.radices[stage])
}

pub(in crate::fft) fn held(recipe: &Stockham) -> u32 {
    ends(recipe).map(|radix| held_by(recipe, radix)).into_iter().max().unwrap_or(1)
}

/// Whether all invocations hold as many numbers, before and after.
pub(in crate::fft) fn is_even(recipe: &Stockham) -> bool {
    ends(recipe).iter().all(|radix| (recipe.n() / radix).is_multiple_of(recipe.lanes))
}

impl Generator<'_> {
    /// From the DFT z of the n complex numbers a[2j] + i·a[2j+1] to the half-spectrum of a, or back
    /// without the factor 1/2. With w the conjugate of z[n-k]:
    ///
    /// X[k] = (z + w)/2 - i/2·exp(-πik/n)·(z - w), and back 2z = (X + W) + i·exp(πik/n)·(X - W)
    ///
    /// X[0] and X[n] are reals, and lie together as one complex number.
    fn mirrored(&mut self, place: &Invocation, stage: Stage, values: &Values, back: bool) -> Values {
        let n = self.n();
        let line = self.body.value("line_at", &place.row * n);
        let memory = self.memory();
        self.words = self.words.max(n * self.lines * self.memory_words());
        let rounds = self.rounds(stage, place);
        let mut parts: Vec<Values> = Vec::new();
        for (part, name) in self.exchanged_parts() {
            self.begin_exchange();
            for (round, values) in rounds.iter().zip(values) {
                self.when(&round.partial, |own| {
                    for (value, step) in values.iter().zip(&round.steps) {
                        own.body.assign(&memory.at(&line + &place.t + *step), value.components(part));
                    }
                });
            }
            self.body.barrier();
            let mut of_part = Values::new();
            for round in &rounds {
                let names: Vec<_> = (0..stage.radix).map(|k| (format!("{name}{k}"), self.memory_element())).collect();
                of_part.push(self.values_when(&round.partial, &names, |_| {
                    let mirror = |step: &u32| {
                        let k = &place.t + *step;
                        select(&k.equals(0), Expr::from(0), Expr::from(n) - &k)
                    };
                    round.steps.iter().map(|step| memory.at(&line + mirror(step))).collect()
                }));
            }
            parts.push(of_part);
        }
        let mut results = Values::new();
        for (b, (round, values)) in rounds.iter().zip(values).enumerate() {
            let mirrors = |k: usize| match &parts[..] {
                [whole] => whole[b][k].clone(),
                [re, im] => pair(&re[b][k], &im[b][k]),
                _ => unreachable!("a number has one part or two"),
            };
            results.push(self.in_round(&round.partial, stage.radix, |own| {
                let each = values.iter().zip(&round.steps).enumerate();
                each.map(|(k, (z, step))| own.combined(&(&place.t + *step), z, mirrors(k), back)).collect()
            }));
        }
        results
    }

    /// Frequency k, or that of the halves, of what lies at k and at n - k.
    fn combined(&mut self, k: &Expr, z: &Expr, mirror: Expr, back: bool) -> Expr {
        let zero = real(z, 0.0);
        let mirror = self.body.value("mirror", mirror);
        let w = self.body.value("w", pair(&mirror.x(), &(&zero - mirror.y())));
        let (sum, difference) = (self.body.value("sum", z + &w), self.body.value("difference", z - &w));
        let root = match self.setting.computes_roots {
            true => root_of_unity(self.pass.number, k, 2 * self.n()),
            false => self.setting.look_up.of(&half_turns(self.n()), k),
        };
        let root = self.body.value("root", root);
        let root = if back { pair(&root.x(), &(&zero - root.y())) } else { root };
        let turned = self.body.value("turned", times(&difference, &root));
        let general = if back {
            sum + pair(&(zero - turned.y()), &turned.x())
        } else {
            real(z, 0.5) * (sum + pair(&turned.y(), &(zero - turned.x())))
        };
        select(&k.equals(0), pair(&(z.x() + z.y()), &(z.x() - z.y())), general)
    }
}

/// exp(-2πi·x/n) for x below n, by [`root_function`].
pub(super) fn root_of_unity(number: Number, x: &Expr, n: u32) -> Expr {
    let factor = float(number.scalar(), FRAC_PI_2 / f64::from(n));
    call("root_of_unity", [x, &n.into(), &factor], number.complex())
}

/// `root_of_unity`: with q the quarter turn next to x/n, the angle a that is left is at most an
/// eighth, where a few terms of the series of cosine and sine are as exact as the number. q and the
/// remainder are integers, so that a has the error of one product.
pub(in crate::fft) fn root_function(number: Number) -> Function {
    // The first term left out is below 2^-31 of one, or 2^-58.
    let terms = if number == Number::F64 { 8 } else { 5 };
    let (complex, constant) = (number.complex(), |value: f64| float(number.scalar(), value));
    let mut function = Function::new("root_of_unity").returning(complex.clone());
    let [x, n] = ["x", "n"].map(|name| function.parameter(name, U32));
    let factor = function.parameter("factor", number.real());
    let body = &mut function.body;
    let quarter = body.value("quarter", (&x * 8 + &n) / (&n * 2));
    let rest = convert(&I32, &(&x * 4)) - convert(&I32, &(&quarter * &n));
    let a = body.value("a", convert(&number.real(), &rest) * factor);
    let square = body.value("square", &a * &a);
    // Horner's scheme of 1 - a²/(first·(first+1))·(1 - …).
    let series = |first: u32| {
        (0..terms).rev().fold(constant(1.0), |inner, i| {
            let divisor = f64::from((first + 2 * i) * (first + 2 * i + 1));
            constant(1.0) - constant(1.0 / divisor) * &square * inner
        })
    };
    let cosine = body.value("cosine", series(1));
    let sine = body.value("sine", &a * series(2));
    let minus = |value: &Expr| constant(0.0) - value;
    let even = pair(&cosine, &minus(&sine));
    let odd = pair(&minus(&sine), &minus(&cosine));
    let turned = body.value("turned", select(&(&quarter & 1).equals(1), odd, even));
    let back = pair(&minus(&turned.x()), &minus(&turned.y()));
    body.give(select(&(&quarter & 2).equals(2), back, turned));
    function
}

/// The roots that half-spectra need: exp(-πik/n).
pub(in crate::fft) fn half_turns(n: u32) -> Constant {
    Constant::Arc { order: 2 * u64::from(n), first: 0, step: 1, len: n }
}
