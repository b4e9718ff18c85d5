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
//! If the rows have been transformed along other axes too, the mirror image of element k is element
//! m - k of the row whose indices on these axes have the opposite sign: the formulas are linear,
//! and a transform takes conjugates to the conjugates of what lies at the opposite index.
//!
//! In both cases a sum and a difference of the same two terms are elements k and m - k, the second
//! one of the mirrored row. So an invocation takes blocks q and -1-q of V neighbours, the first one
//! of a packed row and the second one of its mirror image. Packed rows are accessed by V numbers at
//! once. A half-spectrum has m + 1 elements, so its rows are rarely aligned, and it is
//! accessed by one number.
//!
//! Sums are added from left to right, beginning with the sum of z or y, so that no compiler
//! rearranges them (`codelets.rs`).

use super::arithmetic::{Complex, Real, side_by_side};
use crate::fft::chain::line::LineIndex;
use crate::fft::chain::step::{CombineDirection, PassBody, SubTransform};
use crate::fft::emit::codelets::{Arithmetic, scale};
use crate::fft::emit::lanes::{Access, NUMBER};
use crate::fft::place::Place;
use crate::fft::recipe::PassRecipe;
use crate::fft::roots::Constants;
use crate::gpu::DeviceProfile;
use crate::plan::ensure;
use crate::wgsl::{Body, Expr, Function, Module, Scalar, U32, Writes, boolean, call, float, param, select};

/// A dispatch.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Halves {
    /// m: complex numbers of a packed row.
    m: u32,
    pub(crate) way: CombineDirection,
    access: Access,
    /// The digits of a row's number, fastest first.
    digits: Vec<Digit>,
    /// Index of element 0 of row 0, in the units of [`Digit`].
    packed: u32,
    spectrum: u32,
    /// Distance of neighbours in a half-spectrum.
    stride: u32,
    pub(crate) invocations: u32,
}

/// A digit of a row's number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Digit {
    extent: u32,
    /// Distance of neighbouring rows on the packed side, in accesses.
    packed: u32,
    /// The same on the other side, in numbers.
    spectrum: u32,
    /// Whether it has the opposite sign in the mirrored row.
    mirrored: bool,
}

impl Digit {
    /// How far it is counted: up to its half, if its rows are [turned](Halves::turned).
    fn counted(&self, turned: bool) -> u32 {
        if turned { self.extent / 2 + 1 } else { self.extent }
    }
}

impl Halves {
    fn pairs(&self) -> u32 {
        self.blocks().div_ceil(2)
    }

    fn blocks(&self) -> u32 {
        self.m / self.access.width
    }

    /// Invocations, of which nearly all have something to do.
    pub(crate) fn lines(&self) -> u32 {
        let turned = self.turned();
        let extents = self.digits.iter().enumerate().map(|(i, digit)| digit.counted(turned == Some(i)));
        let twins = if turned.is_some() { 2 } else { 1 };
        twins * self.pairs() * extents.product::<u32>()
    }

    /// The slowest digit with the opposite sign in the mirrored row. Invocations count it up to its
    /// half and take a row and its mirror image one after the other, so that each page of memory is
    /// touched once: the pass over 256³ takes 26.1 ms in the order of the rows, 17.3 in this one.
    fn turned(&self) -> Option<usize> {
        self.digits.iter().rposition(|digit| digit.mirrored)
    }

    /// n: the reals of a row.
    pub(crate) fn n(&self) -> u32 {
        2 * self.m
    }

    fn single(&self) -> Access {
        Access { width: 1, ..self.access }
    }

    /// The factor on every output, where that of the transform is as given.
    pub(crate) fn scale(&self, factor: f64) -> f64 {
        match self.way {
            CombineDirection::ToSpectrum => 0.5 * factor,
            CombineDirection::ToPacked => factor,
        }
    }
}

/// The dispatch for a step that combines halves, and the bytes of the array before and after it; or
/// why there is none.
pub(crate) fn fit(step: &SubTransform<'_>, lines: &[LineIndex], profile: &DeviceProfile) -> Result<(Halves, [u64; 2]), String> {
    let PassBody::Combine { recipe: &PassRecipe::Lanes { invocations, .. }, way, ref mirrored } = step.body else {
        return Err("it is another kernel's".to_owned());
    };
    let most = profile.invocations_in_a_row();
    ensure((1..=most).contains(&invocations), || format!("a workgroup has 1 to {most} invocations, not {invocations}"))?;
    let stride = |place: &Place| if place.low.is_empty() { Ok(place.stride) } else { Err("halves are not in blocks".to_owned()) };
    let [from, to] = &step.states;
    let of_packed = |[from, to]: [u32; 2]| if way == CombineDirection::ToSpectrum { [from, to] } else { [to, from] };
    let [neighbours, stride_of_spectrum] = of_packed([stride(&from.dim(step.element).place)?, stride(&to.dim(step.element).place)?]);
    ensure(neighbours == 1, || format!("the halves of a row are neighbours, not at distances of {neighbours}"))?;
    let mut digits = Vec::new();
    for line in lines {
        let [packed, spectrum] = of_packed([stride(&line.load)?, stride(&line.store)?]);
        // 0 and 1 of 2 are their own mirror images.
        let mirrored = line.extent > 2 && line.axis.is_some_and(|axis| mirrored.contains(&axis));
        digits.push(Digit { extent: line.extent, packed, spectrum, mirrored });
    }
    let [packed, spectrum] = of_packed([from.offset, to.offset]);
    // The widest access that fits everywhere, on every device: roots are products that depend on
    // it, and devices should give the same bits.
    let numbers = || digits.iter().filter(|digit| digit.extent > 1).map(|digit| digit.packed).chain([packed, step.n()]);
    let width = [4, 2].into_iter().find(|&own| numbers().all(|number| number.is_multiple_of(own))).unwrap_or(1);
    for digit in &mut digits {
        digit.packed /= width;
    }
    let bytes = [from.span * 8, to.span * 8];
    ensure(bytes.iter().all(|&bytes| bytes <= profile.binding_bytes), || "halves need each array in one binding".to_owned())?;
    let access = Access { width, int64: profile.int64 };
    let halves = Halves { m: step.n(), way, access, digits, packed: packed / width, spectrum, stride: stride_of_spectrum, invocations };
    Ok((halves, bytes))
}

/// All that stands between the markers of `shaders/fft/halves.wgsl`.
pub(in crate::fft) fn wgsl(halves: &Halves, constants: &Constants) -> String {
    let mut module = Module::default();
    module.constant("INVOCATIONS", halves.invocations);
    module.gap();
    halves.access.declare(&mut module);
    let (packed, single) = (halves.access.element(), halves.single().element());
    let [from, to] = if halves.way == CombineDirection::ToSpectrum { [packed, single] } else { [single, packed] };
    let (input, output) = module.input_output(false, from, to);
    module.gap();
    module.function(crate::fft::emit::lanes::emit::root_function("root_of", constants, halves.n()));

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
    products: [Real; 4],
}

/// Where a row begins on both sides.
#[derive(Clone)]
struct Row {
    packed: Expr,
    spectrum: Expr,
}

impl Emitter<'_> {
    fn combine(&mut self, line: &Expr) {
        let halves = self.halves;
        let (v, m, blocks) = (halves.access.width, halves.m, halves.blocks());
        let (row, pair) = line.div_rem(halves.pairs());
        let pair = self.body.value("pair", pair.below(halves.pairs()));
        let [row, mirror] = self.rows(row);
        let first = self.body.value("first", &pair * v);
        // One block, if both are the same.
        let twice = if blocks % 2 == 0 { boolean(true) } else { (&pair + &pair).differs(blocks - 1) };
        let is_first = pair.equals(0);
        let other = self.body.value("other", Expr::from(blocks - 1) - &pair);
        let elements = match halves.way {
            CombineDirection::ToSpectrum => self.packed_elements([&row, &mirror], [&pair, &other], &is_first),
            CombineDirection::ToPacked => self.spectrum_elements([&row, &mirror], &first, &is_first),
        };
        let root = self.body.value("root", call("root_of", [&first], NUMBER.complex()));
        let root = Complex::of(&mut self.body, "root", &root);
        let terms: Vec<Terms> = (0..).zip(&elements).map(|(j, pair)| self.terms(pair, &root, j)).collect();
        let sums: Vec<Complex> = terms[..v as usize].iter().map(|terms| self.sum_of(terms, false)).collect();
        let mut differences: Vec<Option<Complex>> = vec![None; v as usize + 1];
        for j in usize::from(halves.way == CombineDirection::ToPacked)..elements.len() {
            differences[j] = Some(self.sum_of(&terms[j], true).conjugate());
        }
        // Of both blocks the one nearer to the begin comes first. What block `other` has stands at
        // 1 to V here, its last element first.
        let others: Vec<Complex> = differences[1..].iter().rev().flatten().cloned().collect();
        match halves.way {
            CombineDirection::ToSpectrum => {
                for (j, value) in (0..).zip(&sums) {
                    let place = &row.spectrum + (&first + j) * halves.stride;
                    self.store_one(&place, value);
                }
                let behind = &mirror.spectrum + (&other * v) * halves.stride;
                if blocks > 1 {
                    self.when(&twice, |own| {
                        for (j, value) in (0..).zip(&others) {
                            own.store_one(&(&behind + j * halves.stride), value);
                        }
                    });
                }
                let end = differences[0].clone().expect("it is the last of a spectrum");
                self.when(&is_first, |own| own.store_one(&(&mirror.spectrum + m * halves.stride), &end));
            }
            CombineDirection::ToPacked => {
                self.store_block(&(&row.packed + &pair), &sums);
                if blocks > 1 {
                    self.when(&twice, |own| own.store_block(&(&mirror.packed + &other), &others));
                }
            }
        }
    }

    /// Numbers `first` to `first` + V of a packed row, the last one if it is another block's, each
    /// with its mirror image.
    fn packed_elements(&mut self, [row, mirror]: [&Row; 2], [pair, other]: [&Expr; 2], is_first: &Expr) -> Vec<[Complex; 2]> {
        let v = self.halves.access.width as usize;
        let own = self.load(self.halves.access, "own", &(&row.packed + pair));
        let mirrored = self.load(self.halves.access, "mirrored", &(&mirror.packed + other));
        let behind = (self.halves.blocks() > 1).then(|| self.load(self.halves.access, "behind", &(&row.packed + pair + 1)));
        let wrapped = select(is_first, 0, other + 1);
        let opposite = self.load(self.halves.access, "opposite", &(&mirror.packed + wrapped));
        let own = (0..v).map(|j| own.component(j)).chain(behind.map(|behind| behind.component(0)));
        let images = std::iter::once(opposite.component(0)).chain((0..v).rev().map(|j| mirrored.component(j)));
        own.zip(images).map(|(z, w)| [z, w]).collect()
    }

    /// The same of a half-spectrum.
    fn spectrum_elements(&mut self, [row, mirror]: [&Row; 2], first: &Expr, is_first: &Expr) -> Vec<[Complex; 2]> {
        let Halves { m, stride, access: Access { width: v, .. }, .. } = *self.halves;
        let last = if self.halves.blocks() == 1 { v } else { v + 1 };
        let mut elements = Vec::new();
        for j in 0..last {
            let place = &row.spectrum + (first + j) * stride;
            let mirrored = &mirror.spectrum + (Expr::from(m - j) - first) * stride;
            let mut pair = [("y", place), ("w", mirrored)].map(|(name, place)| self.load(self.halves.single(), name, &place));
            if j == 0 {
                let images = [mirror.spectrum.clone(), &row.spectrum + m * stride];
                pair = self.at_ends(pair, images, is_first);
            }
            elements.push(pair);
        }
        elements
    }

    /// The ends of a spectrum without what belongs to no reals: imaginary parts, or in transforms
    /// of several axes whatever is not the conjugate of the mirror image.
    fn at_ends(&mut self, ends: [Complex; 2], images: [Expr; 2], is_first: &Expr) -> [Complex; 2] {
        if self.halves.turned().is_none() {
            return ends.map(|end| {
                let im = select(is_first, float(Scalar::F32, 0.0), end.im.signed());
                Complex { im: self.body.value("im", im).into(), ..end }
            });
        }
        let access = self.halves.single();
        let names = ["image", "other_image"].map(|name| (name.to_owned(), access.element()));
        let loaded = self.values_when(is_first, &names, |own| images.iter().map(|place| own.input.at(place)).collect());
        let mut loaded = loaded.into_iter();
        ends.map(|end| {
            let image = access.parts(&mut self.body, "image", &loaded.next().expect("both have one"));
            let mut mean = |name: &str, own: &Real, image: &Real| {
                let sum = self.body.sum(name, own, image).signed();
                self.body.value(name, select(is_first, float(Scalar::F32, 0.5) * sum, own.signed())).into()
            };
            let re = mean("re", &end.re, &image.re);
            Complex { re, im: mean("im", &end.im, &image.im.negated()) }
        })
    }

    fn rows(&mut self, row: Expr) -> [Row; 2] {
        let halves = self.halves;
        let (mut rest, twin) = if halves.turned().is_some() { row.div_rem(2) } else { (row, Expr::from(0)) };
        let is_image = self.body.value("is_image", twin.equals(1));
        let zeros = || [Expr::from(0), Expr::from(0)];
        let mut places = [zeros(), zeros()];
        for (i, digit) in halves.digits.iter().enumerate() {
            let last = i + 1 == halves.digits.len();
            let turned = halves.turned() == Some(i);
            rest = self.body.value("rest", rest);
            let (quotient, own) = rest.div_rem(digit.counted(turned));
            let d = self.body.value(&format!("d{i}"), if last { rest } else { own });
            rest = quotient;
            let mut image = d.clone();
            if digit.mirrored {
                image = self.body.value(&format!("image{i}"), select(&d.equals(0), 0, Expr::from(digit.extent) - &d));
            }
            if turned {
                self.body.comment("The images of such rows are among the rows themselves.");
                self.body.when(&is_image.and(d.equals(&image)), Body::leave);
            }
            for ([packed, spectrum], d) in places.iter_mut().zip([d, image]) {
                *packed = &*packed + &d * digit.packed;
                *spectrum = &*spectrum + d * digit.spectrum;
            }
        }
        let mut begin = |[packed, spectrum]: [Expr; 2]| Row {
            packed: self.body.value("packed_row", packed + halves.packed),
            spectrum: self.body.value("spectrum_row", spectrum + halves.spectrum),
        };
        let [row, image] = places;
        let row = begin(row);
        if halves.turned().is_none() {
            return [row.clone(), row];
        }
        let image = begin(image);
        let mut either = |[no, yes]: [&Row; 2]| Row {
            packed: self.body.value("packed_row", select(&is_image, &yes.packed, &no.packed)),
            spectrum: self.body.value("spectrum_row", select(&is_image, &yes.spectrum, &no.spectrum)),
        };
        [either([&row, &image]), either([&image, &row])]
    }

    fn load(&mut self, access: Access, name: &str, place: &Expr) -> Complex {
        let element = self.body.value(name, self.input.at(place));
        access.parts(&mut self.body, name, &element)
    }

    fn store_one(&mut self, place: &Expr, value: &Complex) {
        let parts = [&value.re, &value.im].map(|part| {
            let value = part.signed();
            self.body.value("scaled", scale(&value) * value)
        });
        let value = self.halves.single().joined(&mut self.body, parts);
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
        let arithmetic = &mut self.body;
        let conjugate = w.conjugate();
        let sum = arithmetic.add("sum", z, &conjugate);
        let difference = arithmetic.subtract("difference", z, &conjugate).turned_back();
        let root = arithmetic.turn(root, j as usize, n as usize);
        let (difference, root) = match way {
            CombineDirection::ToSpectrum => (difference, root),
            CombineDirection::ToPacked => (difference.negated(), root.conjugate()),
        };
        let products = arithmetic.products(&difference, &root);
        Terms { sum, products }
    }

    /// The sum of both terms, or their difference.
    fn sum_of(&mut self, Terms { sum, products: [rr, ii, ri, ir] }: &Terms, minus: bool) -> Complex {
        let arithmetic = &mut self.body;
        let [re, im] = [(&sum.re, rr, &ii.negated()), (&sum.im, ri, ir)].map(|(sum, first, second)| {
            let [first, second] = [first, second].map(|x| if minus { x.negated() } else { x.clone() });
            let part = arithmetic.sum("part", sum, &first);
            arithmetic.sum(if minus { "minus" } else { "plus" }, &part, &second)
        });
        Complex { re, im }
    }
}
