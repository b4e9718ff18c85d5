//! Expressions: values and places, and how they are made.

use std::rc::Rc;

use super::types::{BOOL, Scalar, Type, U32};

/// A value or a place.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(super) node: Rc<Node>,
    pub(super) ty: Type,
    /// For a u32: its smallest and largest possible value.
    pub(super) range: [u32; 2],
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

/// Operator precedence, as in WGSL's grammar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Logical,
    Relational,
    /// WGSL requires parentheses around their operands unless these are unary.
    Bits,
    Sum,
    Product,
}

macro_rules! operators {
    ($($level:ident: $($name:ident $sign:literal),*;)*) => {
        /// A binary operator.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Operator {
            $($($name),*),*
        }

        impl Operator {
            pub fn level(self) -> Level {
                match self {
                    $($(Self::$name)|* => Level::$level,)*
                }
            }

            pub fn sign(self) -> &'static str {
                match self {
                    $($(Self::$name => $sign,)*)*
                }
            }
        }
    };
}

operators! {
    Product: Mul "*", Div "/", Rem "%";
    Sum: Add "+", Sub "-";
    Bits: Shl "<<", Shr ">>", And "&", Xor "^", Or "|";
    Relational: Less "<", LessEqual "<=", Greater ">", GreaterEqual ">=", Equal "==", NotEqual "!=";
    Logical: Both "&&", Either "||";
}

const WHOLE: [u32; 2] = [0, u32::MAX];

impl Expr {
    pub(super) fn new(node: Node, ty: Type) -> Self {
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

    pub(super) fn with_range(mut self, range: Option<[u32; 2]>) -> Self {
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

    pub(super) fn unary(self, operator: &'static str) -> Self {
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

/// A vector of two or four u32.
pub(crate) fn u32s<const N: usize>(values: [u32; N]) -> Expr {
    let values = values.map(Expr::from);
    construct(&Type::numbers(N as u32, Scalar::U32), &values)
}
