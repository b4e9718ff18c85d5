//! Where a pass loads and stores, and what it does to numbers there.

use super::super::codelets::{complex, pair, real, scale, times};
use super::{Generator, Invocation, Values};
use crate::kernels::fft::pass::{Half, Index, Numbers, Packed, Pair, Place, Side};
use crate::wgsl::{Expr, F32, Type, U32, Writes, bitcast, boolean, call, param, select};

impl Generator<'_> {
    /// Where element 0 of the line lies.
    pub(super) fn line_base(&mut self, side: &Side, place: &Invocation) -> Expr {
        let mut base = Expr::from(side.offset);
        for (of, coordinate) in side.lines.iter().zip(&place.coordinates) {
            base = place_of(of, base, coordinate.clone());
        }
        self.body.value("base", base)
    }

    /// The lines' part of the position on the axis.
    fn index_base(&mut self, index: &Index, place: &Invocation) -> Expr {
        let weighted = index.lines.iter().zip(&place.coordinates).map(|(&weight, d)| d * weight);
        let base = weighted.fold(Expr::from(0), |sum, term| sum + term);
        self.body.value("index", base)
    }

    /// The places of elements t + step, given the place of element 0.
    pub(super) fn element_places(&mut self, of: &Place, line: &Expr, t: &Expr, steps: &[u32]) -> Vec<Expr> {
        let base_block: u32 = of.low.iter().map(|&(base, _)| base).product();
        if steps.iter().all(|step| step % base_block == 0) {
            let anchor = self.element_place(of, line, t);
            // Past the limit of a padded axis, where nothing is read or stored, places may lie beyond what the device counts.
            let beyond = |step: &u32| (step / base_block).wrapping_mul(of.stride);
            return steps.iter().map(|step| &anchor + beyond(step)).collect();
        }
        steps.iter().map(|&step| self.element_place(of, line, &(t + step))).collect()
    }

    /// The place of element `i`, given that of element 0.
    pub(super) fn element_place(&mut self, of: &Place, line: &Expr, i: &Expr) -> Expr {
        self.body.value("at", place_of(of, line.clone(), i.clone()))
    }

    pub(super) fn load(&mut self, place: &Invocation, radix: u32) -> Values {
        let side = &self.pass.load;
        let line = self.line_base(side, place);
        let index = self.index_base(&side.index, place);
        let mut values = Values::new();
        for b in 0..self.rounds(radix) {
            let steps = self.steps(radix, b);
            let t = self.taking_part_of(radix, b, &place.t);
            let condition = place.live.and(self.partial(radix, b, &place.t));
            let within: Vec<Expr> = steps.iter().map(|&step| within(side, &position(side, &index, &t, step))).collect();
            // Without any condition the values are constants.
            let variable = |own: &mut Self, name: &str| own.body.variable(name, &complex());
            let name = |k: usize| format!("x{}", b as usize * steps.len() + k);
            let variables: Vec<Option<Expr>> =
                within.iter().enumerate().map(|(k, within)| (!condition.and(within).is_true()).then(|| variable(self, &name(k)))).collect();
            let mut round = Vec::new();
            self.when(&condition, |own| {
                let places = if side.numbers.by_index() {
                    vec![Expr::from(0); steps.len()]
                } else {
                    own.element_places(&side.element, &line, &place.t, &steps)
                };
                for (k, ((&step, at), variable)) in steps.iter().zip(&places).zip(&variables).enumerate() {
                    let value = own.when(&within[k], |own| {
                        let index = own.body.value("index", position(side, &index, &place.t, step));
                        let value = own.load_one(side, place, &line, at, &index);
                        match variable {
                            None => own.body.value(&name(k), value),
                            Some(variable) => {
                                own.body.assign(variable, value);
                                variable.clone()
                            }
                        }
                    });
                    round.push(value.or_else(|| variable.clone()).expect("what is not loaded has a condition"));
                }
            });
            values.push(round);
        }
        values
    }

    /// One loaded value.
    fn load_one(&mut self, side: &Side, place: &Invocation, line: &Expr, at: &Expr, index: &Expr) -> Expr {
        let value = match &side.numbers {
            Numbers::Complex => loaded(at, complex()),
            // A zero that no compiler knows, see `codelets.rs`: sums of products would become products.
            Numbers::Real => pair(&loaded(at, F32), &bitcast(&F32, &(param("lines", U32) >> 31))),
            Numbers::RealPair(of) => {
                let second = self.second(of, place, F32, |_| loaded(&(at + of.distance), F32));
                pair(&loaded(at, F32), &second)
            }
            Numbers::Half(half) => self.load_half(half, line, index),
            Numbers::OfPacked(packed) => self.load_of_packed(packed, line, index),
            Numbers::ToPacked(packed) => self.load_to_packed(packed, line, index),
            Numbers::HalfPair(half, of) => {
                let first = self.load_half(half, line, index);
                let other = line + of.distance;
                let second = self.second(of, place, complex(), |own| own.load_half(half, &other, index));
                pair(&(first.x() - second.y()), &(first.y() + second.x()))
            }
        };
        // As one value, which has several uses.
        let value =
            if value.ty() == &complex() && (side.swap || side.factors.is_some()) { self.body.value("loaded", value) } else { value };
        let value = if side.swap { value.components("yx") } else { value };
        match side.factors {
            None => value,
            Some(first) => times(&value, &self.constant(&(index + first))),
        }
    }

    /// What is loaded of the second line of a pair, or zero where there is none.
    fn second(&mut self, of: &Pair, place: &Invocation, ty: Type, load: impl FnOnce(&mut Self) -> Expr) -> Expr {
        let condition = second_of(of, place);
        self.values_when(&condition, &[("second".to_owned(), ty)], |own| vec![load(own)]).remove(0)
    }

    /// Number `index` of a spectrum of which the first half is there.
    fn load_half(&mut self, half: &Half, line: &Expr, index: &Expr) -> Expr {
        let n = half.n;
        let mirrored = self.body.value("mirrored", (index * 2).greater(n));
        let position = self.body.value("position", select(&mirrored, Expr::from(n) - index, index));
        let at = self.element_place(&half.place, line, &position);
        let z = self.body.value("z", loaded(&at, complex()));
        // The imaginary parts of the two numbers that are their own mirror images are 0.
        let is_own_mirror = self.body.value("is_own_mirror", index.equals(0).or((index * 2).equals(n)));
        let imaginary = select(&is_own_mirror, real(0.0), select(&mirrored, -z.y(), z.y()));
        self.body.value("whole", pair(&z.x(), &imaginary))
    }

    /// A number of the spectrum of reals out of that of half as many complex numbers.
    fn load_of_packed(&mut self, packed: &Packed, line: &Expr, k: &Expr) -> Expr {
        let m = packed.n / 2;
        let own = self.body.value("own", select(&k.equals(m), 0, k));
        let mirrored = self.body.value("mirrored", select(&k.equals(0), 0, Expr::from(m) - k));
        let [z, w] = [("z", own), ("w", mirrored)].map(|(name, i)| {
            let at = self.element_place(&packed.place, line, &i);
            self.body.value(name, loaded(&at, complex()))
        });
        let root = self.look_up(packed.n, packed.low, packed.at, k);
        let sum = self.body.value("sum", pair(&(z.x() + w.x()), &(z.y() - w.y())));
        // (z - conj w) / i
        let difference = self.body.value("difference", pair(&(z.y() + w.y()), &(w.x() - z.x())));
        real(0.5)
            * pair(
                &(sum.x() + difference.x() * root.x() - difference.y() * root.y()),
                &(sum.y() + difference.x() * root.y() + difference.y() * root.x()),
            )
    }

    /// The reverse.
    fn load_to_packed(&mut self, packed: &Packed, line: &Expr, k: &Expr) -> Expr {
        let m = packed.n / 2;
        let mirrored = self.body.value("mirrored", Expr::from(m) - k);
        let [x, w] = [("x", k.clone()), ("w", mirrored)].map(|(name, i)| {
            let at = self.element_place(&packed.place, line, &i);
            let x = self.body.value("loaded", loaded(&at, complex()));
            // The first and the last have no imaginary part.
            self.body.value(name, pair(&x.x(), &select(&k.equals(0), real(0.0), x.y())))
        });
        let root = self.look_up(packed.n, packed.low, packed.at, k);
        let sum = self.body.value("sum", pair(&(x.x() + w.x()), &(x.y() - w.y())));
        // i · (x - conj w)
        let difference = self.body.value("difference", pair(&(-x.y() - w.y()), &(x.x() - w.x())));
        // Times the conjugate of the root.
        pair(
            &(sum.x() + difference.x() * root.x() + difference.y() * root.y()),
            &(sum.y() - difference.x() * root.y() + difference.y() * root.x()),
        )
    }

    pub(super) fn store(&mut self, place: &Invocation, radix: u32, values: &Values) {
        let side = &self.pass.store;
        let index = self.index_base(&side.index, place);
        let line = self.line_base(side, place);
        for (b, round) in (0..).zip(values) {
            let steps = self.steps(radix, b);
            let t = self.taking_part_of(radix, b, &place.t);
            let condition = place.live.and(self.partial(radix, b, &place.t));
            self.when(&condition, |own| {
                let places = own.element_places(&side.element, &line, &place.t, &steps);
                for ((value, at), &step) in round.iter().zip(&places).zip(&steps) {
                    let within = within(side, &position(side, &index, &t, step));
                    own.when(&within, |own| {
                        let mut value = value.clone();
                        if let Some(first) = side.factors {
                            let factor = own.constant(&(position(side, &index, &place.t, step) + first));
                            value = own.body.value("product", times(&value, &factor));
                        }
                        own.store_one(side, place, at, &value);
                    });
                }
            });
        }
    }

    fn store_one(&mut self, side: &Side, place: &Invocation, at: &Expr, value: &Expr) {
        let value = if side.swap { value.components("yx") } else { value.clone() };
        match &side.numbers {
            Numbers::Complex => self.put(at, scale() * value),
            Numbers::Real => self.put(at, scale() * value.x()),
            Numbers::RealPair(of) => {
                self.put(at, scale() * value.x());
                self.when(&second_of(of, place), |own| own.put(&(at + of.distance), scale() * value.y()));
            }
            _ => unreachable!("the others are only loaded, or stored in pairs"),
        }
    }

    /// `store(at, value);`
    pub(super) fn put(&mut self, at: &Expr, value: Expr) {
        self.body.call("store", [at, &value]);
    }
}

/// The place of index `i`, whose digits lie apart, after `base`.
fn place_of(of: &Place, base: Expr, i: Expr) -> Expr {
    let (mut place, mut rest) = (base, i);
    for &(base, stride) in &of.low {
        let (quotient, digit) = rest.div_rem(base);
        place = place + digit * stride;
        rest = quotient;
    }
    place + rest * of.stride
}

fn loaded(at: &Expr, ty: Type) -> Expr {
    call("load", [at], ty)
}

/// The position of element t + step on the axis, given the lines' part of it.
fn position(side: &Side, base: &Expr, t: &Expr, step: u32) -> Expr {
    base + (t + step) * side.index.element
}

/// Whether a position is one of the axis that is there.
fn within(side: &Side, position: &Expr) -> Expr {
    side.limit.map_or_else(|| boolean(true), |limit| position.less(limit))
}

/// Whether there is a second line of a pair.
pub(super) fn second_of(pair: &Pair, place: &Invocation) -> Expr {
    let odd = |(dim, lines): (usize, u32)| (&place.coordinates[dim] * 2 + 1).less(lines);
    pair.odd.map_or_else(|| boolean(true), odd)
}
