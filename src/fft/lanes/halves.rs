//! The kernel `fft/halves`: the half-spectra of rows of n reals from the DFTs of their halves, or
//! the reverse.
//!
//! A row of n = 2m reals is m complex numbers x\[2j\] + i·x\[2j+1\] with the DFT z. With z\[m\] =
//! z\[0\] and r\[k\] = exp(-2πi·k/n), the half-spectrum is, for k from 0 to m,
//!
//! - y\[k\] = (z\[k\] + conj z\[m-k\])/2 + r\[k\] · (z\[k\] - conj z\[m-k\])/2i,
//!
//! and on the way back, without the factor 1/2, z\[k\] = y\[k\] + conj y\[m-k\] + i · conj r\[k\] ·
//! (y\[k\] - conj y\[m-k\]).
//!
//! In both cases a sum and a difference of the same two terms are elements k and m - k. So an
//! invocation takes the blocks q and -1-q of V neighbours of a packed row, which is accessed by V
//! numbers at once. A half-spectrum has m + 1 elements, so its rows are rarely aligned, and it is
//! accessed by one number.
//!
//! Sums are added from left to right, beginning with the sum of z or y, so that no compiler
//! rearranges them (`codelets.rs`).

use super::arithmetic::{Complex, Writer, side_by_side};
use super::{Access, Digit, NUMBER, TurnTable};
use crate::fft::codelets::{Arithmetic, scale};
use crate::fft::line::LineIndex;
use crate::fft::passes::{Combines, Step};
use crate::fft::place::Place;
use crate::fft::recipe::PassRecipe;
use crate::gpu::DeviceProfile;
use crate::wgsl::{Body, Expr, Function, Module, Scalar, U32, Writes, boolean, call, float, param, select};

/// A dispatch.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Halves {
    /// m: complex numbers of a packed row.
    m: u32,
    way: Combines,
    /// Accesses of packed rows.
    access: Access,
    /// The digits of a row's number, fastest first. Strides are in accesses on the packed side, and
    /// in numbers on the other one.
    digits: Vec<Digit>,
    /// Index of element 0 of row 0, in the same units.
    offsets: [u32; 2],
    /// Distance of neighbours in a half-spectrum.
    stride: u32,
}

impl Halves {
    /// Invocations for a row.
    fn pairs(&self) -> u32 {
        self.blocks().div_ceil(2)
    }

    fn blocks(&self) -> u32 {
        self.m / self.access.width
    }

    /// Invocations that have something to do.
    pub(crate) fn lines(&self) -> u32 {
        self.digits.iter().map(|digit| digit.extent).product::<u32>() * self.pairs()
    }

    /// n: the reals of a row.
    pub(crate) fn n(&self) -> u32 {
        2 * self.m
    }

    /// The factor on every output, where that of the transform is as given.
    pub(crate) fn scale(&self, factor: f64) -> f64 {
        match self.way {
            Combines::ToSpectrum => 0.5 * factor,
            Combines::ToPacked => factor,
        }
    }
}

/// The dispatch for a step that combines halves, the invocations of a workgroup, and the bytes of
/// the array before and after it; or why there is none.
pub(crate) fn fit(step: &Step<'_>, lines: &[LineIndex], profile: &DeviceProfile) -> Result<(Halves, u32, [u64; 2]), String> {
    let (Some(way), Some(&PassRecipe::Lanes { width, invocations, .. })) = (step.combines, step.recipe) else {
        return Err("it is another kernel's".to_owned());
    };
    let most = profile.invocations.min(profile.workgroup_size[0]);
    if invocations == 0 || invocations > most {
        return Err(format!("a workgroup has 1 to {most} invocations, not {invocations}"));
    }
    let stride = |place: &Place| if place.low.is_empty() { Ok(place.stride) } else { Err("halves are not in blocks".to_owned()) };
    let [from, to] = &step.states;
    let (packed, spectrum) = if way == Combines::ToSpectrum { (0, 1) } else { (1, 0) };
    let strides = [stride(&from.dim(step.element).place)?, stride(&to.dim(step.element).place)?];
    let mut digits = Vec::new();
    for line in lines {
        digits.push(Digit { extent: line.extent, input: stride(&line.load)?, output: stride(&line.store)?, weight: 0 });
    }
    let mut offsets = [from.offset, to.offset];
    let of_packed = |digit: &Digit| if packed == 0 { digit.input } else { digit.output };
    let numbers = || digits.iter().filter(|digit| digit.extent > 1).map(of_packed).chain([offsets[packed], step.n]);
    if strides[packed] != 1 {
        return Err(format!("the halves of a row are neighbours, not at distances of {}", strides[packed]));
    }
    // The widest access that fits everywhere.
    let width = [4, 2].into_iter().find(|&own| own <= width && numbers().all(|number| number.is_multiple_of(own))).unwrap_or(1);
    offsets[packed] /= width;
    for digit in &mut digits {
        *if packed == 0 { &mut digit.input } else { &mut digit.output } /= width;
    }
    let bytes = [from.span * 8, to.span * 8];
    if bytes.iter().any(|&bytes| bytes > profile.binding_bytes) {
        return Err("halves need each array in one binding".to_owned());
    }
    let access = Access { width, int64: profile.int64 };
    Ok((Halves { m: step.n, way, access, digits, offsets, stride: strides[spectrum] }, invocations, bytes))
}

/// All that stands between the markers of `shaders/fft/halves.wgsl`.
pub(crate) fn wgsl(halves: &Halves, invocations: u32, table: TurnTable) -> String {
    let mut module = Module::default();
    module.constant("INVOCATIONS", invocations);
    module.gap();
    halves.access.declare(&mut module);
    let (packed, single) = (halves.access.element(), Access { width: 1, ..halves.access }.element());
    let [from, to] = if halves.way == Combines::ToSpectrum { [packed, single] } else { [single, packed] };
    let (input, output) = module.input_output(false, from, to);
    module.gap();
    module.function(super::emit::root_function("root_of", table, halves.n()));

    let mut function = Function::new("main").entry("INVOCATIONS");
    let group = function.workgroup_index();
    let place = function.builtin("local_invocation_index", "place", U32);
    let body = &mut function.body;
    let line = body.value("line", group * Expr::name("INVOCATIONS", U32) + place);
    body.when(&line.less(param("lines", U32)), |body| body.call("combine", [&line]));
    module.function(function);

    let mut function = Function::new("combine").doc("Combines blocks `line % PAIRS` from both ends of a row.");
    let line = function.parameter("line", U32);
    let body = std::mem::take(&mut function.body);
    let mut emitter = Emitter { halves, body, input, output };
    emitter.combine(&line);
    function.body = emitter.body;
    module.function(function);
    module.finish()
}

struct Emitter<'a> {
    halves: &'a Halves,
    body: Body,
    input: Expr,
    output: Expr,
}

impl Writes for Emitter<'_> {
    fn body(&mut self) -> &mut Body {
        &mut self.body
    }
}

/// Elements k and m - k before they are combined, and what is combined of them.
struct Terms {
    sum: Complex,
    products: [super::arithmetic::Real; 4],
}

impl Emitter<'_> {
    fn combine(&mut self, line: &Expr) {
        let halves = self.halves;
        let (v, m, blocks) = (halves.access.width, halves.m, halves.blocks());
        let (row, pair) = line.div_rem(halves.pairs());
        let pair = self.body.value("pair", pair.below(halves.pairs()));
        let [input, output] = self.rows(row);
        let first = self.body.value("first", &pair * v);
        // One block, if both are the same.
        let twice = if blocks % 2 == 0 { boolean(true) } else { (&pair + &pair).differs(blocks - 1) };
        let is_first = pair.equals(0);
        let other = self.body.value("other", Expr::from(blocks - 1) - &pair);
        let last = if blocks == 1 { v } else { v + 1 };
        let mut elements = Vec::new();
        if halves.way == Combines::ToSpectrum {
            let own = self.load_block("own", &(&input + &pair));
            let mirrored = self.load_block("mirrored", &(&input + &other));
            let behind = if blocks == 1 { own.clone() } else { self.load_block("behind", &(&input + &pair + 1)) };
            let wrapped = select(&is_first, 0, &other + 1);
            let opposite = self.load_block("opposite", &(&input + wrapped));
            for j in 0..last as usize {
                let z = if j < v as usize { own.component(j) } else { behind.component(0) };
                let w = if j == 0 { opposite.component(0) } else { mirrored.component(v as usize - j) };
                elements.push([z, w]);
            }
        } else {
            for j in 0..last {
                let place = &input + (&first + j) * halves.stride;
                let mirrored = &input + (Expr::from(m - j) - &first) * halves.stride;
                let mut pair = [("y", place), ("w", mirrored)].map(|(name, place)| self.load_one(name, &place));
                if j == 0 {
                    // The first and the last have no imaginary part.
                    pair = pair.map(|own| {
                        let im = select(&is_first, float(Scalar::F32, 0.0), own.im.signed());
                        Complex { im: self.body.value("im", im).into(), ..own }
                    });
                }
                elements.push(pair);
            }
        }
        let root = self.body.value("root", call("root_of", [&first], NUMBER.complex()));
        let root = Complex::of(&mut self.body, "root", &root);
        let terms: Vec<Terms> = (0..).zip(&elements).map(|(j, pair)| self.terms(pair, &root, j)).collect();
        let sums: Vec<Complex> = terms[..v as usize].iter().map(|terms| self.sum(terms)).collect();
        let mut differences: Vec<Option<Complex>> = vec![None; v as usize + 1];
        for j in usize::from(halves.way == Combines::ToPacked)..last as usize {
            differences[j] = Some(self.difference(&terms[j]));
        }
        // Of both blocks the one nearer to the begin comes first. What block `other` has stands at
        // 1 to V here, its last element first.
        let others: Vec<Complex> = differences[1..].iter().rev().flatten().cloned().collect();
        match halves.way {
            Combines::ToSpectrum => {
                for (j, value) in (0..).zip(&sums) {
                    let place = &output + (&first + j) * halves.stride;
                    self.store_one(&place, value);
                }
                let behind = &output + (&other * v) * halves.stride;
                if blocks > 1 {
                    self.when(&twice, |own| {
                        for (j, value) in (0..).zip(&others) {
                            own.store_one(&(&behind + j * halves.stride), value);
                        }
                    });
                }
                let end = differences[0].clone().expect("it is the last of a spectrum");
                self.when(&is_first, |own| own.store_one(&(&output + m * halves.stride), &end));
            }
            Combines::ToPacked => {
                self.store_block(&(&output + &pair), &sums);
                if blocks > 1 {
                    self.when(&twice, |own| own.store_block(&(&output + &other), &others));
                }
            }
        }
    }

    fn arithmetic(&mut self) -> Writer<'_> {
        Writer { body: &mut self.body }
    }

    /// Where a row begins on both sides.
    fn rows(&mut self, row: Expr) -> [Expr; 2] {
        let halves = self.halves;
        let mut rest = row;
        let [mut input, mut output] = [Expr::from(0), Expr::from(0)];
        for (i, digit) in halves.digits.iter().enumerate() {
            let last = i + 1 == halves.digits.len();
            rest = self.body.value("rest", rest);
            let (quotient, own) = rest.div_rem(digit.extent);
            let d = self.body.value(&format!("d{i}"), if last { rest } else { own });
            rest = quotient;
            input = input + &d * digit.input;
            output = output + d * digit.output;
        }
        let [from, to] = halves.offsets;
        [self.body.value("input_row", input + from), self.body.value("output_row", output + to)]
    }

    fn load_block(&mut self, name: &str, place: &Expr) -> Complex {
        let element = self.body.value(name, self.input.at(place));
        self.halves.access.parts(&mut self.body, name, &element)
    }

    fn load_one(&mut self, name: &str, place: &Expr) -> Complex {
        let access = Access { width: 1, ..self.halves.access };
        let element = self.body.value(name, self.input.at(place));
        access.parts(&mut self.body, name, &element)
    }

    fn store_one(&mut self, place: &Expr, value: &Complex) {
        let access = Access { width: 1, ..self.halves.access };
        let parts = [&value.re, &value.im].map(|part| {
            let value = part.signed();
            self.body.value("scaled", scale(&value) * value)
        });
        let value = access.joined(&mut self.body, parts);
        self.body.assign(&self.output.at(place), value);
    }

    fn store_block(&mut self, place: &Expr, values: &[Complex]) {
        let of = |own: &dyn Fn(&Complex) -> Expr| side_by_side(&values.iter().map(own).collect::<Vec<Expr>>());
        let parts = [of(&|value| value.re.signed()), of(&|value| value.im.signed())];
        let value = self.halves.access.joined(&mut self.body, parts);
        self.body.assign(&self.output.at(place), value);
    }

    /// What the results for elements `first` + j and their mirror images have in common.
    fn terms(&mut self, [z, w]: &[Complex; 2], root: &Complex, j: u32) -> Terms {
        let (way, n) = (self.halves.way, self.halves.n());
        let mut arithmetic = self.arithmetic();
        let conjugate = w.conjugate();
        let sum = arithmetic.add("sum", z, &conjugate);
        let difference = arithmetic.subtract("difference", z, &conjugate).turned_back();
        let root = arithmetic.turn(root, j as usize, n as usize);
        let (difference, root) = match way {
            Combines::ToSpectrum => (difference, root),
            Combines::ToPacked => (difference.negated(), root.conjugate()),
        };
        let products = arithmetic.products(&difference, &root);
        Terms { sum, products }
    }

    /// The sum of both terms.
    fn sum(&mut self, Terms { sum, products: [rr, ii, ri, ir] }: &Terms) -> Complex {
        let mut arithmetic = self.arithmetic();
        let [re, im] = [(&sum.re, rr, ii.negated()), (&sum.im, ri, ir.clone())].map(|(sum, first, second)| {
            let part = arithmetic.sum("part", sum, first);
            arithmetic.sum("plus", &part, &second)
        });
        Complex { re, im }
    }

    /// The conjugate of the difference of both terms.
    fn difference(&mut self, Terms { sum, products: [rr, ii, ri, ir] }: &Terms) -> Complex {
        let mut arithmetic = self.arithmetic();
        let [re, im] = [(&sum.re, rr.negated(), ii.clone()), (&sum.im, ri.negated(), ir.negated())].map(|(sum, first, second)| {
            let part = arithmetic.sum("part", sum, &first);
            arithmetic.sum("minus", &part, &second)
        });
        Complex { re, im }.conjugate()
    }
}
