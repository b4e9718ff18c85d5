//! Expressions, their operations, and what is known about their values.

use std::ops;
use std::rc::Rc;

use super::types::{BOOL, Scalar, Type, U32};

/// A value or a place.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(super) node: Rc<Node>,
    ty: Type,
    /// For a u32: its smallest and largest possible value.
    range: [u32; 2],
}

#[derive(Debug)]
pub(super) enum Node {
    Name(Rc<str>),
    U32(u32),
    Bool(bool),
    Float(f64),
    Unary(&'static str, Expr),
    Binary(Operator, Expr, Expr),
    Call(Rc<str>, Vec<Expr>),
    Index(Expr, Expr),
    Member(Expr, Rc<str>),
    Raw(Rc<str>),
}

/// A binary operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operator {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Xor,
    Or,
    Both,
    Either,
}

const WHOLE: [u32; 2] = [0, u32::MAX];

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
    fn new(node: Node, ty: Type) -> Self {
        Self { node: node.into(), ty, range: WHOLE }
    }

    /// Something with a name: a parameter, a binding, a constant of the module.
    pub fn name(name: &str, ty: Type) -> Self {
        Self::new(Node::Name(name.into()), ty)
    }

    /// The same value, which is known to be below `end`.
    pub fn below(self, end: u32) -> Self {
        let range = [self.range[0], self.range[1].min(end - 1)];
        self.with_range(Some(range))
    }

    pub fn ty(&self) -> &Type {
        &self.ty
    }

    /// Its value, if it is a constant.
    pub fn constant(&self) -> Option<u32> {
        if let Node::U32(value) = *self.node { Some(value) } else { None }
    }

    pub fn is_true(&self) -> bool {
        matches!(*self.node, Node::Bool(true))
    }

    pub fn is_false(&self) -> bool {
        matches!(*self.node, Node::Bool(false))
    }

    /// Whether it is the [`zero`] of its type.
    pub fn is_zero(&self) -> bool {
        matches!(&*self.node, Node::Call(name, arguments) if arguments.is_empty() && **name == self.ty.to_string())
    }

    /// Whether it is so simple that a name for it would be useless.
    pub(super) fn is_plain(&self) -> bool {
        matches!(*self.node, Node::Name(_) | Node::U32(_) | Node::Bool(_) | Node::Float(_))
    }

    /// The same value with a name.
    pub(super) fn renamed(&self, name: &Rc<str>) -> Self {
        Self { node: Node::Name(name.clone()).into(), ..self.clone() }
    }

    fn with_range(mut self, range: Option<[u32; 2]>) -> Self {
        let Some(range) = range else { return self };
        if range[0] == range[1] {
            return range[0].into();
        }
        self.range = range;
        self
    }

    /// An element of an array or of a vector.
    pub fn at(&self, index: impl Into<Self>) -> Self {
        let index = index.into();
        assert_eq!(index.ty, U32, "an index into {:?}", self.node);
        let element = match &self.ty {
            Type::Array(element, _) => (**element).clone(),
            Type::Vector(_, scalar) => Type::Scalar(*scalar),
            other => panic!("{other} has no elements"),
        };
        if let Type::Array(_, Some(count)) = self.ty {
            assert!(index.range[0] < count, "element {} of {count}", index.range[0]);
        }
        Self::new(Node::Index(self.clone(), index), element)
    }

    /// `&place`, for the functions of atomics and the lengths of arrays.
    pub fn pointer(&self) -> Self {
        self.clone().unary("&")
    }

    /// A field of a structure.
    pub fn field(&self, name: &str, ty: Type) -> Self {
        Self::new(Node::Member(self.clone(), name.into()), ty)
    }

    /// Components of a vector, such as `x.yx`.
    pub fn components(&self, names: &str) -> Self {
        let Type::Vector(count, scalar) = self.ty else { panic!("{} has no components", self.ty) };
        let known = |name| "xyzw".find(name).is_some_and(|i| i < count as usize);
        assert!(names.chars().all(known), "{} has no .{names}", self.ty);
        if names == &"xyzw"[..count as usize] {
            return self.clone();
        }
        // Components of components are replaced by components of the original vector.
        let (vector, names) = match &*self.node {
            Node::Member(vector, own) if matches!(vector.ty, Type::Vector(..)) => {
                let chosen = |name| char::from(own.as_bytes()["xyzw".find(name).unwrap_or(0)]);
                (vector, names.chars().map(chosen).collect::<String>())
            }
            _ => (self, names.to_owned()),
        };
        let ty = Type::numbers(names.len() as u32, scalar);
        Self::new(Node::Member(vector.clone(), names.into()), ty)
    }

    pub fn x(&self) -> Self {
        self.components("x")
    }

    pub fn y(&self) -> Self {
        self.components("y")
    }

    /// Component i. A scalar is its own component.
    pub fn component(&self, i: usize) -> Self {
        match self.ty {
            Type::Vector(..) => self.components(["x", "y", "z", "w"][i]),
            _ => self.clone(),
        }
    }

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

    fn unary(self, operator: &'static str) -> Self {
        let ty = self.ty.clone();
        Self::new(Node::Unary(operator, self), ty)
    }
}

impl From<u32> for Expr {
    fn from(value: u32) -> Self {
        Self { range: [value; 2], ..Self::new(Node::U32(value), U32) }
    }
}

impl From<&Self> for Expr {
    fn from(other: &Self) -> Self {
        other.clone()
    }
}

/// `true` or `false`.
pub(crate) fn boolean(value: bool) -> Expr {
    Expr::new(Node::Bool(value), BOOL)
}

/// A literal of a float type.
pub(crate) fn float(scalar: Scalar, value: f64) -> Expr {
    assert!(scalar.is_float() && value.is_finite(), "{value} as {scalar}");
    Expr::new(Node::Float(value), Type::Scalar(scalar))
}

/// The zero of a type.
pub(crate) fn zero(ty: &Type) -> Expr {
    if *ty == U32 { 0.into() } else { construct(ty, []) }
}

/// A field of `params`, the uniform at binding 0 of every kernel.
pub(crate) fn param(name: &str, ty: Type) -> Expr {
    Expr::name("params", Type::named("Params")).field(name, ty)
}

/// A call that returns this type. The type does not matter if the result is unused.
pub(crate) fn call<'a>(name: &str, arguments: impl IntoIterator<Item = &'a Expr>, ty: Type) -> Expr {
    Expr::new(Node::Call(name.into(), arguments.into_iter().cloned().collect()), ty)
}

/// A user-defined expression of this type, which may only use the parameters of its function.
/// Generators must not use it for anything else.
pub(crate) fn raw(text: &str, ty: Type) -> Expr {
    Expr::new(Node::Raw(text.into()), ty)
}

/// A value constructed from its parts.
pub(crate) fn construct<'a>(ty: &Type, parts: impl IntoIterator<Item = &'a Expr>) -> Expr {
    let parts: Vec<Expr> = parts.into_iter().cloned().collect();
    // A single scalar of another type is converted.
    if let Type::Vector(_, scalar) = ty {
        for part in &parts {
            assert_eq!(part.ty.scalar(), Some(*scalar), "a part of {ty}");
        }
    }
    Expr::new(Node::Call(ty.to_string().into(), parts), ty.clone())
}

/// Every number of `value` as one of another scalar type.
pub(crate) fn convert(ty: &Type, value: &Expr) -> Expr {
    if value.ty == *ty {
        return value.clone();
    }
    Expr::new(Node::Call(ty.to_string().into(), vec![value.clone()]), ty.clone())
}

/// The bits of `value` as another type.
pub(crate) fn bitcast(ty: &Type, value: &Expr) -> Expr {
    if value.ty == *ty {
        return value.clone();
    }
    Expr::new(Node::Call(format!("bitcast<{ty}>").into(), vec![value.clone()]), ty.clone())
}

/// `then` if the condition holds, else `otherwise`.
pub(crate) fn select(condition: &Expr, then: impl Into<Expr>, otherwise: impl Into<Expr>) -> Expr {
    let (then, otherwise) = (then.into(), otherwise.into());
    assert_eq!(then.ty, otherwise.ty, "a choice");
    match *condition.node {
        Node::Bool(true) => then,
        Node::Bool(false) => otherwise,
        _ => {
            let range = [then.range[0].min(otherwise.range[0]), then.range[1].max(otherwise.range[1])];
            let choice = call("select", [&otherwise, &then, condition], then.ty.clone());
            if then.ty == U32 { choice.with_range(Some(range)) } else { choice }
        }
    }
}

/// The smaller u32.
pub(crate) fn min(a: &Expr, b: impl Into<Expr>) -> Expr {
    let b = b.into();
    assert_eq!((a.ty(), b.ty()), (&U32, &U32), "min");
    let range = [a.range[0].min(b.range[0]), a.range[1].min(b.range[1])];
    match () {
        () if a.range[1] <= b.range[0] => a.clone(),
        () if b.range[1] <= a.range[0] => b,
        () => call("min", [a, &b], U32).with_range(Some(range)),
    }
}

/// The larger u32.
pub(crate) fn max(a: &Expr, b: impl Into<Expr>) -> Expr {
    let b = b.into();
    assert_eq!((a.ty(), b.ty()), (&U32, &U32), "max");
    let range = [a.range[0].max(b.range[0]), a.range[1].max(b.range[1])];
    match () {
        () if a.range[0] >= b.range[1] => a.clone(),
        () if b.range[0] >= a.range[1] => b,
        () => call("max", [a, &b], U32).with_range(Some(range)),
    }
}

/// Whether all conditions hold; true if there are none.
pub(crate) fn all(conditions: impl IntoIterator<Item = Expr>) -> Expr {
    conditions.into_iter().reduce(|all, next| all.and(next)).unwrap_or_else(|| boolean(true))
}

/// A vector of two or four u32.
pub(crate) fn u32s<const N: usize>(values: [u32; N]) -> Expr {
    let values = values.map(Expr::from);
    construct(&Type::numbers(N as u32, Scalar::U32), &values)
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
        Equal => compared(false, a1 < b0 || a0 > b1),
        NotEqual => compared(a1 < b0 || a0 > b1, false),
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
    use Operator::{Add, And, Div, Equal, Greater, GreaterEqual, Less, LessEqual, Mul, NotEqual, Or, Rem, Shl, Shr, Sub, Xor};
    let inner = |wanted: Operator| match &*a.node {
        Node::Binary(operator, x, y) if *operator == wanted => y.constant().map(|y| (x.clone(), y)),
        _ => None,
    };
    match (a.constant(), b.constant()) {
        (Some(x), Some(y)) => Some(match operator {
            Add => x.wrapping_add(y).into(),
            Sub => x.wrapping_sub(y).into(),
            Mul => x.wrapping_mul(y).into(),
            Div => x.checked_div(y)?.into(),
            Rem => x.checked_rem(y)?.into(),
            Shl => x.checked_shl(y)?.into(),
            Shr => x.checked_shr(y)?.into(),
            And => (x & y).into(),
            Or => (x | y).into(),
            Xor => (x ^ y).into(),
            Less => boolean(x < y),
            LessEqual => boolean(x <= y),
            Greater => boolean(x > y),
            GreaterEqual => boolean(x >= y),
            Equal => boolean(x == y),
            NotEqual => boolean(x != y),
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
