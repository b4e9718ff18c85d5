//! The WGSL of an access: neighbouring complex numbers as one element of an array.

use super::arithmetic::{Complex, component, side_by_side, side_by_side_of};
use crate::fft::emit::codelets::pair;
use crate::fft::emit::lanes::{Access, NUMBER};
use crate::wgsl::{Body, Expr, Function, Module, Scalar, Type, bitcast, construct, convert, vec4};

impl Access {
    /// Declares the type of an element, if WGSL has none.
    pub(super) fn declare(self, module: &mut Module) {
        if let Self { width: 4, int64: false } = self {
            module.structure("Quads", &["low", "high"].map(|half| (half.to_owned(), vec4(Scalar::F32))));
        }
    }

    pub(super) fn element(self) -> Type {
        match self {
            Self { width, int64: true } => Type::numbers(width, Scalar::U64),
            Self { width: 4, .. } => Type::named("Quads"),
            Self { width, .. } => Type::Vector(2 * width, Scalar::F32),
        }
    }

    /// The real parts of an element's numbers side by side, and their imaginary parts.
    pub(super) fn parts(self, body: &mut Body, name: &str, element: &Expr) -> Complex {
        let width = self.width;
        let [re, im] = if self.int64 {
            let bits = |u64s: &Expr| bitcast(&Type::numbers(width, Scalar::F32), &convert(&Type::numbers(width, Scalar::U32), u64s));
            [bits(element), bits(&(element >> upper_half(width)))]
        } else {
            let halves = if width == 4 {
                ["low", "high"].map(|half| element.field(half, vec4(Scalar::F32))).to_vec()
            } else {
                vec![element.clone()]
            };
            let numbers = halves
                .iter()
                .flat_map(|half| (0..width as usize / halves.len()).map(move |i| [2 * i, 2 * i + 1].map(|i| half.component(i))));
            let (re, im): (Vec<Expr>, Vec<Expr>) = numbers.map(|[re, im]| (re, im)).unzip();
            [side_by_side(&re), side_by_side(&im)]
        };
        let [re, im] = [("re", re), ("im", im)].map(|(part, value)| body.value(&format!("{name}_{part}"), value).into());
        Complex { re, im }
    }

    /// The element with these real and imaginary parts.
    pub(super) fn joined(self, body: &mut Body, [re, im]: [Expr; 2]) -> Expr {
        let width = self.width;
        debug_assert_eq!(NUMBER.complex(), Type::Vector(2, Scalar::F32));
        if self.int64 {
            let bits = |x: &Expr| convert(&Type::numbers(width, Scalar::U64), &bitcast(&Type::numbers(width, Scalar::U32), x));
            return bits(&re) | (bits(&im) << upper_half(width));
        }
        if width == 1 {
            return pair(&re, &im);
        }
        let [re, im] = [("re", re), ("im", im)].map(|(name, x)| body.value(name, x));
        let numbers: Vec<Expr> = (0..width as usize).flat_map(|i| [&re, &im].map(|x| component(x, i))).collect();
        let halves: Vec<Expr> = numbers.chunks(4).map(|half| construct(&vec4(Scalar::F32), half)).collect();
        if let [one] = &halves[..] { one.clone() } else { construct(&self.element(), &halves) }
    }
}

/// Declares the functions between a complex number and its 64 bits, for kernels that move one at a
/// time.
pub(in crate::fft) fn declare_bits(module: &mut Module) {
    let access = Access { width: 1, int64: true };
    let mut number = Function::new("number_of_bits").returning(NUMBER.complex());
    let bits = number.parameter("bits", access.element());
    let Complex { re, im } = access.parts(&mut number.body, "number", &bits);
    number.body.give(pair(&re.signed(), &im.signed()));
    module.function(number);

    let mut bits = Function::new("bits_of_number").returning(access.element());
    let number = bits.parameter("number", NUMBER.complex());
    let joined = access.joined(&mut bits.body, [number.x(), number.y()]);
    bits.body.give(joined);
    module.function(bits);
}

/// The upper half of 64 bits begins here: a shift of as many numbers.
fn upper_half(width: u32) -> Expr {
    side_by_side_of(Scalar::U32, &vec![Expr::from(32); width as usize])
}
