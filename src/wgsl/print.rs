//! Prints statements and expressions as WGSL.

use std::fmt::{self, Write};

use super::body::Statement;
use super::expr::{Expr, Level, Node, Operator};
use super::types::{Scalar, Type, two_f32};

pub(super) fn statements(text: &mut String, statements: &[Statement], indent: usize) {
    for statement in statements {
        let _ = write!(text, "{:width$}", "", width = 4 * indent);
        match statement {
            Statement::If(condition, then, otherwise) => {
                let _ = writeln!(text, "if ({condition}) {{");
                self::statements(text, then, indent + 1);
                if !otherwise.is_empty() {
                    let _ = writeln!(text, "{:width$}}} else {{", "", width = 4 * indent);
                    self::statements(text, otherwise, indent + 1);
                }
            }
            Statement::For(first, condition, last, block) => {
                text.push_str("for (");
                if let Some(first) = first {
                    let _ = write!(text, "{}", Simple(first));
                }
                let _ = writeln!(text, "; {condition}; {}) {{", Simple(last));
                self::statements(text, block, indent + 1);
            }
            Statement::Comment(comment) => {
                let _ = writeln!(text, "// {comment}");
                continue;
            }
            simple => {
                let _ = writeln!(text, "{};", Simple(simple));
                continue;
            }
        }
        let _ = writeln!(text, "{:width$}}}", "", width = 4 * indent);
    }
}

/// A statement without blocks, printed without its semicolon.
struct Simple<'a>(&'a Statement);

impl fmt::Display for Simple<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Statement::Let(name, value) => write!(f, "let {name} = {value}"),
            Statement::Var(name, value) => write!(f, "var {name} = {value}"),
            Statement::Assign(place, value) => write!(f, "{place} = {value}"),
            Statement::Advance(place, value) if value.constant() == Some(1) => write!(f, "{place}++"),
            Statement::Advance(place, value) => write!(f, "{place} += {value}"),
            Statement::Call(value) => write!(f, "{value}"),
            Statement::Return(Some(value)) => write!(f, "return {value}"),
            Statement::Return(None) => f.write_str("return"),
            Statement::If(..) | Statement::For(..) | Statement::Comment(_) => unreachable!("it has a block"),
        }
    }
}

/// Whether an operand needs no parentheses. A chain of one operator associates to the left.
fn stands_free(outer: Operator, operand: &Expr, is_left: bool) -> bool {
    let Node::Binary(inner, ..) = *operand.node else { return true };
    let (of_outer, of_inner) = (outer.level(), inner.level());
    let chains = is_left && outer == inner;
    match of_outer {
        Level::Bits => chains && !matches!(outer, Operator::Shl | Operator::Shr),
        Level::Logical => chains || of_inner == Level::Relational,
        // Shifts and masks are easier to read in parentheses beside a comparison. WGSL requires
        // them around masks.
        Level::Relational => of_inner >= Level::Sum,
        Level::Sum | Level::Product => of_inner > of_outer || is_left && of_inner == of_outer,
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bracketed = |f: &mut fmt::Formatter<'_>, operand: &Expr, free: bool| {
            if free { write!(f, "{operand}") } else { write!(f, "({operand})") }
        };
        // What a postfix operator can follow.
        let is_primary = |operand: &Expr| !matches!(*operand.node, Node::Binary(..) | Node::Unary(..));
        match &*self.node {
            Node::Name(name) => f.write_str(name),
            // Masks are easier to read in hexadecimal.
            Node::U32(value) if value.count_ones() >= 12 || *value == 1 << 31 => write!(f, "{value:#x}u"),
            Node::U32(value) => write!(f, "{value}u"),
            Node::Bool(value) => write!(f, "{value}"),
            Node::Float(value) => {
                if *self.ty() == Type::Scalar(Scalar::Double) {
                    let [high, low] = two_f32(*value).map(f64::from);
                    return write!(f, "{}({high:?}, {low:?})", self.ty());
                }
                let suffix = if *self.ty() == Type::Scalar(Scalar::F64) { "lf" } else { "" };
                write!(f, "{value:?}{suffix}")
            }
            Node::Unary(operator, operand) => {
                f.write_str(operator)?;
                bracketed(f, operand, is_primary(operand))
            }
            Node::Binary(operator, a, b) => {
                bracketed(f, a, stands_free(*operator, a, true))?;
                write!(f, " {} ", operator.sign())?;
                bracketed(f, b, stands_free(*operator, b, false))
            }
            Node::Call(name, arguments) => {
                write!(f, "{name}(")?;
                for (i, argument) in arguments.iter().enumerate() {
                    let comma = if i == 0 { "" } else { ", " };
                    write!(f, "{comma}{argument}")?;
                }
                f.write_str(")")
            }
            Node::Index(array, index) => {
                bracketed(f, array, is_primary(array))?;
                write!(f, "[{index}]")
            }
            Node::Member(value, name) => {
                bracketed(f, value, is_primary(value))?;
                if matches!(value.ty(), Type::Vector(_, Scalar::Double)) {
                    // Each component is two numbers.
                    let names = name.chars().map(|part| if part == 'x' { "xy" } else { "zw" });
                    return write!(f, ".{}", names.collect::<String>());
                }
                write!(f, ".{name}")
            }
            Node::Raw(text) => write!(f, "(\n{text}\n)"),
        }
    }
}
