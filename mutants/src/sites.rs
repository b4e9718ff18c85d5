//! Places in a file that can be mutated.

use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ReturnType, Type};

/// A place, and what may stand there instead.
pub struct Site {
    /// Bytes of the file that are replaced; none where something is inserted.
    pub range: Range<usize>,
    pub line: usize,
    pub kind: Kind,
}

pub enum Kind {
    /// An expression: the other one, and how they differ.
    Expression { other: String, how: String },
    /// The beginning of a function's body: what to return.
    Body { value: &'static str, function: String },
}

/// All sites of a file, apart from tests and constants.
pub fn of(text: &str) -> syn::Result<Vec<Site>> {
    let file = syn::parse_file(text)?;
    let mut sites = Sites { text, all: Vec::new() };
    sites.visit_file(&file);
    Ok(sites.all)
}

struct Sites<'t> {
    text: &'t str,
    all: Vec<Site>,
}

impl Sites<'_> {
    fn text(&self, of: &impl Spanned) -> &str {
        &self.text[of.span().byte_range()]
    }

    fn expression(&mut self, whole: &Expr, other: String, how: String) {
        let span = whole.span();
        self.all.push(Site { range: span.byte_range(), line: span.start().line, kind: Kind::Expression { other, how } });
    }

    /// A function returns at once.
    fn body(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let values: &[&'static str] = match &signature.output {
            ReturnType::Default => &["()"],
            ReturnType::Type(_, own) => returned(own),
        };
        let start = block.brace_token.span.open().byte_range().end;
        for value in values {
            let kind = Kind::Body { value, function: signature.ident.to_string() };
            self.all.push(Site { range: start..start, line: signature.span().start().line, kind });
        }
    }
}

/// What a function of such a type might return instead.
fn returned(own: &Type) -> &'static [&'static str] {
    let Type::Path(path) = own else { return &[] };
    match path.path.segments.last().map(|last| last.ident.to_string()).as_deref() {
        Some("bool") => &["true", "false"],
        Some("u8" | "u16" | "u32" | "u64" | "usize" | "i32" | "i64") => &["0", "1"],
        Some("f32" | "f64") => &["0.0"],
        Some("Option") => &["None"],
        Some("Vec" | "String" | "BTreeMap" | "HashMap" | "Cow") => &["Default::default()"],
        Some("Result") => &["Ok(Default::default())"],
        _ => &[],
    }
}

/// Whether an expression has what only conditions may have.
fn is_chain(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(both) => is_chain(&both.left) || is_chain(&both.right),
        _ => false,
    }
}

fn others(operator: &BinOp) -> &'static [&'static str] {
    match operator {
        BinOp::Add(_) => &["-", "*"],
        BinOp::Sub(_) => &["+", "/"],
        BinOp::Mul(_) => &["+", "/"],
        BinOp::Div(_) | BinOp::Rem(_) => &["*"],
        BinOp::And(_) => &["||"],
        BinOp::Or(_) => &["&&"],
        BinOp::BitXor(_) | BinOp::BitAnd(_) => &["|"],
        BinOp::BitOr(_) => &["&"],
        BinOp::Shl(_) => &[">>"],
        BinOp::Shr(_) => &["<<"],
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::Lt(_) => &["<=", ">"],
        BinOp::Le(_) => &["<", ">"],
        BinOp::Gt(_) => &[">=", "<"],
        BinOp::Ge(_) => &[">", "<"],
        BinOp::AddAssign(_) => &["-=", "="],
        BinOp::SubAssign(_) => &["+="],
        BinOp::MulAssign(_) => &["+=", "="],
        BinOp::BitOrAssign(_) => &["&=", "="],
        BinOp::BitAndAssign(_) => &["|="],
        _ => &[],
    }
}

/// Tests are not mutated.
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg") && matches!(&attribute.meta, syn::Meta::List(list) if list.tokens.to_string() == "test")
    })
}

impl<'ast> Visit<'ast> for Sites<'_> {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_test(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        if function.sig.constness.is_none() && !is_test(&function.attrs) {
            self.body(&function.sig, &function.block);
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if function.sig.constness.is_none() && !is_test(&function.attrs) {
            self.body(&function.sig, &function.block);
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}

    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}

    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}

    fn visit_type(&mut self, _: &'ast Type) {}

    fn visit_expr(&mut self, whole: &'ast Expr) {
        match whole {
            Expr::Binary(both) if !is_chain(whole) => {
                let [left, right, operator] = [self.text(&both.left), self.text(&both.right), self.text(&both.op)].map(str::to_owned);
                let assigns = operator.ends_with('=') && !["==", "!=", "<=", ">="].contains(&operator.as_str());
                for other in others(&both.op) {
                    // Casts before `<` need their brackets.
                    let text = if assigns { format!("{left} {other} {right}") } else { format!("({left}) {other} ({right})") };
                    self.expression(whole, text, format!("`{other}` for `{operator}`"));
                }
            }
            Expr::Unary(one) if matches!(one.op, syn::UnOp::Not(_) | syn::UnOp::Neg(_)) => {
                let (own, operator) = (self.text(&one.expr).to_owned(), self.text(&one.op).to_owned());
                self.expression(whole, own, format!("no `{operator}`"));
            }
            _ => {}
        }
        visit::visit_expr(self, whole);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Some((_, guard)) = &arm.guard
            && !is_chain(guard)
        {
            for value in ["true", "false"] {
                self.expression(guard, value.to_owned(), format!("{value} for a match's condition"));
            }
        }
        visit::visit_arm(self, arm);
    }
}
