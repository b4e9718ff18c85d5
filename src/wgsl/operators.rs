//! Operators, and what is known about their results: constants are folded, and what has no effect
//! is left out.

use std::ops;

use super::expr::{Expr, Node, Operator, boolean, call};
use super::types::{BOOL, Scalar, Type, U32};

/// The methods that compare two expressions, or two conditions.
macro_rules! conditions {
    ($($(#[$doc:meta])* $name:ident $operator:ident),* $(,)?) => { $(
        $(#[$doc])*
        pub fn $name(&self, other: impl Into<Self>) -> Self {
            binary(Operator::$operator, self.clone(), other.into())
        }
    )* };
}

impl Expr {
    conditions! {
        less Less, at_most LessEqual, greater Greater, at_least GreaterEqual, equals Equal, differs NotEqual,
        /// `a && b`: the second operand is not evaluated if the first is false.
        and Both,
        /// `a || b`.
        or Either,
    }

    /// The quotient and the remainder.
    pub fn div_rem(&self, divisor: impl Into<Self>) -> (Self, Self) {
        let divisor = divisor.into();
        (self / &divisor, self % divisor)
    }
}

/// Whether all conditions hold; true if there are none.
pub(crate) fn all(conditions: impl IntoIterator<Item = Expr>) -> Expr {
    conditions.into_iter().reduce(|all, next| all.and(next)).unwrap_or_else(|| boolean(true))
}

fn binary(operator: Operator, a: Expr, b: Expr) -> Expr {
    use Operator::{
        Add, And, Both, Div, Either, Equal, Greater, GreaterEqual, Less, LessEqual, Mul, NotEqual, Or, Rem, Shl, Shr, Sub, Xor,
    };
    let ty = type_of(operator, &a, &b);
    if let Some(folded) = fold_booleans(operator, &a, &b) {
        return folded;
    }
    if a.ty.scalar() == Some(Scalar::Double) {
        return of_doubles(operator, &a, &b, ty);
    }
    if a.ty != U32 || b.ty != U32 {
        return Expr::new(Node::Binary(operator, a, b), ty);
    }
    if let Some(folded) = fold_whole(operator, &a, &b) {
        return folded;
    }
    let ([a0, a1], [b0, b1]) = (a.range, b.range);
    let range = match operator {
        Add => a1.checked_add(b1).map(|end| [a0 + b0, end]),
        Sub => a0.checked_sub(b1).map(|begin| [begin, a1 - b0]),
        Mul => a1.checked_mul(b1).map(|end| [a0 * b0, end]),
        Div => (b0 > 0).then(|| [a0 / b1, a1 / b0]),
        Rem => (b1 > 0).then(|| [0, a1.min(b1 - 1)]),
        Shr => (b0 == b1 && b0 < 32).then(|| [a0 >> b0, a1 >> b0]),
        Shl => (b0 == b1 && b0 < 32 && a1.leading_zeros() >= b0).then(|| [a0 << b0, a1 << b0]),
        And => Some([0, a1.min(b1)]),
        _ => None,
    };
    let known = match operator {
        Less => compared(a1 < b0, a0 >= b1),
        LessEqual => compared(a1 <= b0, a0 > b1),
        Greater => compared(a0 > b1, a1 <= b0),
        GreaterEqual => compared(a0 >= b1, a1 < b0),
        Equal => compared(a0 == b1 && a1 == b0, a1 < b0 || a0 > b1),
        NotEqual => compared(a1 < b0 || a0 > b1, a0 == b1 && a1 == b0),
        Mul | Div | Rem | Add | Sub | Shl | Shr | And | Xor | Or | Both | Either => None,
    };
    known.map_or_else(|| Expr::new(Node::Binary(operator, a, b), ty).with_range(range), boolean)
}

/// An operation on numbers of two f32, or on complex numbers of them: a call of a function in
/// `shaders/fft/double.wgsl`.
fn of_doubles(operator: Operator, a: &Expr, b: &Expr, ty: Type) -> Expr {
    let is_complex = |own: &Expr| matches!(own.ty, Type::Vector(..));
    let (name, operands) = match (operator, is_complex(a), is_complex(b)) {
        (Operator::Add, false, false) => ("double_add", [a, b]),
        (Operator::Add, true, true) => ("complex_add", [a, b]),
        (Operator::Sub, false, false) => ("double_subtract", [a, b]),
        (Operator::Sub, true, true) => ("complex_subtract", [a, b]),
        (Operator::Mul, false, false) => ("double_multiply", [a, b]),
        (Operator::Mul, false, true) => ("complex_scale", [a, b]),
        (Operator::Mul, true, false) => ("complex_scale", [b, a]),
        _ => panic!("{operator:?} of {} and {}", a.ty, b.ty),
    };
    call(name, operands, ty)
}

fn compared(holds: bool, fails: bool) -> Option<bool> {
    if holds || fails { Some(holds) } else { None }
}

fn type_of(operator: Operator, a: &Expr, b: &Expr) -> Type {
    use Operator::{Add, And, Both, Div, Either, Mul, Or, Rem, Shl, Shr, Sub, Xor};
    let fits = match operator {
        Shl | Shr => b.ty.scalar() == Some(Scalar::U32),
        Both | Either => a.ty == BOOL && b.ty == BOOL,
        // A vector and a scalar.
        Mul | Div | Add | Sub => a.ty == b.ty || a.ty.scalar().is_some() && a.ty.scalar() == b.ty.scalar(),
        _ => a.ty == b.ty,
    };
    assert!(fits, "{operator:?} of {} and {}", a.ty, b.ty);
    match operator {
        Mul | Div | Add | Sub if matches!(b.ty, Type::Vector(..)) => b.ty.clone(),
        Mul | Div | Add | Sub | Rem | Shl | Shr | And | Xor | Or | Both | Either => a.ty.clone(),
        _ => match a.ty {
            Type::Vector(count, _) => Type::Vector(count, Scalar::Bool),
            _ => BOOL,
        },
    }
}

fn fold_booleans(operator: Operator, a: &Expr, b: &Expr) -> Option<Expr> {
    let neutral = match operator {
        Operator::Both => true,
        Operator::Either => false,
        _ => return None,
    };
    match (&*a.node, &*b.node) {
        (Node::Bool(value), _) => Some(if *value == neutral { b.clone() } else { boolean(!neutral) }),
        (_, Node::Bool(value)) if *value == neutral => Some(a.clone()),
        _ => None,
    }
}

/// Folds operations on u32: computes constants, drops operations without effect, and merges the
/// constants of adjacent operations.
fn fold_whole(operator: Operator, a: &Expr, b: &Expr) -> Option<Expr> {
    use Operator::{Add, And, Div, Mul, Or, Rem, Shl, Shr, Sub, Xor};
    let inner = |wanted: Operator| match &*a.node {
        Node::Binary(operator, x, y) if *operator == wanted => y.constant().map(|y| (x.clone(), y)),
        _ => None,
    };
    match (a.constant(), b.constant()) {
        (Some(x), Some(y)) => Some(match operator {
            Add => x.wrapping_add(y).into(),
            Sub => x.wrapping_sub(y).into(),
            Mul => x.wrapping_mul(y).into(),
            Rem => x.checked_rem(y)?.into(),
            Shl => x.checked_shl(y)?.into(),
            And => (x & y).into(),
            Or => (x | y).into(),
            Xor => (x ^ y).into(),
            // What is known of their ranges says it.
            _ => return None,
        }),
        (Some(0), None) if matches!(operator, Add | Or | Xor) => Some(b.clone()),
        (Some(1), None) if operator == Mul => Some(b.clone()),
        (Some(0), None) if matches!(operator, Mul | Div | Rem | Shl | Shr | And) => Some(0.into()),
        // Constants come last.
        (Some(_), None) if matches!(operator, Add | Mul) => Some(binary(operator, b.clone(), a.clone())),
        (None, Some(0)) if matches!(operator, Add | Sub | Shl | Shr | Or | Xor) => Some(a.clone()),
        (None, Some(0)) if matches!(operator, Mul | And) => Some(0.into()),
        (None, Some(1)) if matches!(operator, Mul | Div) => Some(a.clone()),
        (None, Some(y)) => match operator {
            Div | Rem if y > 0 && a.range[0] / y == a.range[1] / y => {
                let quotient = a.range[0] / y;
                Some(if operator == Div { quotient.into() } else { a - quotient * y })
            }
            And if y & y.wrapping_add(1) == 0 && a.range[1] <= y => Some(a.clone()),
            Sub => inner(Add).filter(|(_, own)| *own >= y).map(|(x, own)| x + (own - y)),
            Add => inner(Add).map(|(x, own)| binary(Add, x, own.wrapping_add(y).into())),
            Mul => inner(Mul).map(|(x, own)| binary(Mul, x, own.wrapping_mul(y).into())),
            Div => inner(Div)
                .and_then(|(x, own)| Some(binary(Div, x, own.checked_mul(y)?.into())))
                .or_else(|| in_parts(a, y).map(|[quotient, _]| quotient)),
            Rem => in_parts(a, y).map(|[_, remainder]| remainder),
            _ => None,
        },
        _ => None,
    }
}

/// The quotient and the remainder of a product or sum that does not wrap around and one part of
/// which is divisible by y.
fn in_parts(a: &Expr, y: u32) -> Option<[Expr; 2]> {
    let Node::Binary(operator, x, own) = &*a.node else { return None };
    let own = own.constant()?;
    match operator {
        _ if y == 0 => None,
        Operator::Mul if own.is_multiple_of(y) && x.range[1].checked_mul(own).is_some() => Some([x * (own / y), 0.into()]),
        Operator::Add if x.range[1].checked_add(own).is_none() => None,
        Operator::Add if own.is_multiple_of(y) => Some([x / y + own / y, x % y]),
        Operator::Add => {
            let [quotient, remainder] = in_parts(x, y)?;
            (remainder.constant() == Some(0)).then(|| [quotient + own / y, (own % y).into()])
        }
        _ => None,
    }
}

macro_rules! operations {
    ($($trait:ident $method:ident $operator:ident),*) => {$(
        impl<R: Into<Expr>> ops::$trait<R> for Expr {
            type Output = Self;
            fn $method(self, other: R) -> Self {
                binary(Operator::$operator, self, other.into())
            }
        }

        impl<R: Into<Expr>> ops::$trait<R> for &Expr {
            type Output = Expr;
            fn $method(self, other: R) -> Expr {
                binary(Operator::$operator, self.clone(), other.into())
            }
        }
    )*};
}

operations!(Add add Add, Sub sub Sub, Mul mul Mul, Div div Div, Rem rem Rem, Shl shl Shl, Shr shr Shr);
operations!(BitAnd bitand And, BitOr bitor Or, BitXor bitxor Xor);

impl ops::Neg for Expr {
    type Output = Self;
    fn neg(self) -> Self {
        self.unary("-")
    }
}

impl ops::Neg for &Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        self.clone().unary("-")
    }
}

/// `!` for conditions, `~` for integers.
impl ops::Not for Expr {
    type Output = Self;
    fn not(self) -> Self {
        match (&*self.node, self.ty.scalar()) {
            (Node::Bool(value), _) => boolean(!value),
            (_, Some(Scalar::Bool)) => self.unary("!"),
            _ => self.unary("~"),
        }
    }
}
