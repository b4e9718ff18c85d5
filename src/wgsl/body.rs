//! Statements.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use naga::keywords::wgsl::RESERVED_SET;

use super::expr::{Expr, Node, call, zero};
use super::types::{Type, U32};

#[derive(Debug)]
pub(super) enum Statement {
    Let(Rc<str>, Expr),
    /// A variable and its initial value.
    Var(Rc<str>, Expr),
    Assign(Expr, Expr),
    /// `place += value`.
    Advance(Expr, Expr),
    Call(Expr),
    If(Expr, Vec<Statement>, Vec<Statement>),
    /// A loop: initialisation, condition, the statement at the end of each iteration, and the body.
    For(Option<Box<Statement>>, Expr, Box<Statement>, Vec<Statement>),
    Return(Option<Expr>),
    Comment(String),
}

/// The statements of a function, written one after the other.
#[derive(Default, Debug)]
pub(crate) struct Body {
    /// The statements of the current block so far.
    done: Vec<Statement>,
    /// Names in use, each with the number to try next.
    names: HashMap<Rc<str>, u32>,
}

impl Body {
    /// Reserves a name that the body refers to.
    pub(super) fn reserve(&mut self, name: &str) {
        self.names.insert(name.into(), 2);
    }

    /// `name`, or if that is taken, `name_2`, `name_3`, …
    fn unique(&mut self, name: &str) -> Rc<str> {
        let mut unique: Rc<str> = name.into();
        if let Some(&first) = self.names.get(name) {
            let mut count = first;
            while self.names.contains_key(&unique) {
                unique = format!("{name}_{count}").into();
                count += 1;
            }
            // Thousands of values may share a name, so the next search starts where this one ended.
            self.names.insert(name.into(), count);
        } else {
            assert!(!RESERVED_SET.contains(name), "`{name}` is a word of WGSL");
        }
        self.names.insert(unique.clone(), 2);
        unique
    }

    /// Adds `let name = value;`. A name or a constant is returned as it is.
    pub fn value(&mut self, name: &str, value: impl Into<Expr>) -> Expr {
        let value = value.into();
        if value.is_plain() {
            return value;
        }
        let name = self.unique(name);
        let renamed = value.renamed(&name);
        self.done.push(Statement::Let(name, value));
        renamed
    }

    /// Adds a variable that starts as zero.
    pub fn variable(&mut self, name: &str, ty: &Type) -> Expr {
        let value = zero(ty);
        self.variable_from(name, value)
    }

    /// Adds a variable with an initial value.
    pub fn variable_from(&mut self, name: &str, value: impl Into<Expr>) -> Expr {
        let value = value.into();
        let name = self.unique(name);
        let variable = Expr::name(&name, value.ty().clone());
        self.done.push(Statement::Var(name, value));
        variable
    }

    pub fn assign(&mut self, place: &Expr, value: impl Into<Expr>) {
        let value = value.into();
        assert_eq!(place.ty(), value.ty(), "a value for a place");
        self.done.push(Statement::Assign(place.clone(), value));
    }

    /// `place += value`.
    pub fn advance(&mut self, place: &Expr, value: impl Into<Expr>) {
        self.done.push(Statement::Advance(place.clone(), value.into()));
    }

    /// Adds a call for its side effect.
    pub fn call<'a>(&mut self, name: &str, arguments: impl IntoIterator<Item = &'a Expr>) {
        self.done.push(Statement::Call(call(name, arguments, U32)));
    }

    pub fn barrier(&mut self) {
        self.call("workgroupBarrier", []);
    }

    pub fn give(&mut self, value: impl Into<Expr>) {
        self.done.push(Statement::Return(Some(value.into())));
    }

    pub fn leave(&mut self) {
        self.done.push(Statement::Return(None));
    }

    pub fn comment(&mut self, text: impl Into<String>) {
        self.done.push(Statement::Comment(text.into()));
    }

    /// The statements, without declarations of unused values.
    pub(super) fn finish(self) -> Vec<Statement> {
        let mut statements = self.done;
        drop_unused(&mut statements, &mut HashSet::new());
        statements
    }
}

/// A writer of statements: a body itself, or a generator that contains one.
pub(crate) trait Writes {
    fn body(&mut self) -> &mut Body;

    /// Writes statements that run if the condition holds. A condition that is always false leaves
    /// no statements, and one that is always true leaves no `if`.
    fn when<R>(&mut self, condition: &Expr, write: impl FnOnce(&mut Self) -> R) -> Option<R> {
        if condition.is_false() {
            return None;
        }
        if condition.is_true() {
            return Some(write(self));
        }
        let (then, result) = block(self, write);
        self.body().done.push(Statement::If(condition.clone(), then, Vec::new()));
        Some(result)
    }

    /// Like [`when`](Self::when), with other statements for the opposite case.
    fn when_else(&mut self, condition: &Expr, write: impl FnOnce(&mut Self), otherwise: impl FnOnce(&mut Self)) {
        if condition.is_false() {
            return otherwise(self);
        }
        if condition.is_true() {
            return write(self);
        }
        let (then, ()) = block(self, write);
        let (otherwise, ()) = block(self, otherwise);
        self.body().done.push(Statement::If(condition.clone(), then, otherwise));
    }

    /// Values with these names and types, computed if the condition holds and zero otherwise. They
    /// are variables, unless the condition always holds.
    fn values_when(&mut self, condition: &Expr, names: &[(String, Type)], write: impl FnOnce(&mut Self) -> Vec<Expr>) -> Vec<Expr> {
        if condition.is_true() {
            let values = write(self);
            return names.iter().zip(values).map(|((name, _), value)| self.body().value(name, value)).collect();
        }
        let variables: Vec<Expr> = names.iter().map(|(name, ty)| self.body().variable(name, ty)).collect();
        self.when(condition, |own| {
            for (variable, value) in variables.iter().zip(write(own)) {
                own.body().assign(variable, value);
            }
        });
        variables
    }

    /// `for (var name = first; condition(name); name += step)`.
    fn count(
        &mut self,
        name: &str,
        first: impl Into<Expr>,
        end: impl Into<Expr>,
        step: impl Into<Expr>,
        write: impl FnOnce(&mut Self, &Expr),
    ) {
        let variable: Rc<str> = self.body().unique(name);
        let counter = Expr::name(&variable, U32);
        let declaration = Statement::Var(variable, first.into());
        let last = Statement::Advance(counter.clone(), step.into());
        repeat(self, Some(declaration), counter.less(end), last, |own| write(own, &counter));
    }

    /// `for (; condition; place += step)`.
    fn count_on(&mut self, place: &Expr, end: impl Into<Expr>, step: impl Into<Expr>, write: impl FnOnce(&mut Self)) {
        repeat(self, None, place.less(end), Statement::Advance(place.clone(), step.into()), write);
    }
}

/// The statements that `write` adds, and its result.
fn block<W: Writes + ?Sized, R>(writer: &mut W, write: impl FnOnce(&mut W) -> R) -> (Vec<Statement>, R) {
    let outer = std::mem::take(&mut writer.body().done);
    let result = write(writer);
    (std::mem::replace(&mut writer.body().done, outer), result)
}

fn repeat<W: Writes + ?Sized>(writer: &mut W, first: Option<Statement>, condition: Expr, last: Statement, write: impl FnOnce(&mut W)) {
    let (statements, ()) = block(writer, write);
    writer.body().done.push(Statement::For(first.map(Box::new), condition, Box::new(last), statements));
}

impl Writes for Body {
    fn body(&mut self) -> &mut Body {
        self
    }
}

/// Removes unused values and collects the names that are used. It goes from the last statement to
/// the first, so that it sees a use before the value. This is also right for loops, because an
/// iteration passes values to the next one only through variables declared before the loop.
fn drop_unused(statements: &mut Vec<Statement>, used: &mut HashSet<Rc<str>>) {
    let mut kept = Vec::with_capacity(statements.len());
    for mut statement in statements.drain(..).rev() {
        let is_unused = matches!(&statement, Statement::Let(name, _) | Statement::Var(name, _) if !used.contains(name));
        if !is_unused {
            statement_uses(&mut statement, used);
            kept.push(statement);
        }
    }
    statements.extend(kept.into_iter().rev());
}

/// Collects the names that a remaining statement uses.
fn statement_uses(statement: &mut Statement, used: &mut HashSet<Rc<str>>) {
    match statement {
        Statement::Let(_, value) | Statement::Var(_, value) | Statement::Call(value) | Statement::Return(Some(value)) => uses(value, used),
        Statement::Assign(place, value) | Statement::Advance(place, value) => {
            uses(place, used);
            uses(value, used);
        }
        Statement::If(condition, then, otherwise) => {
            drop_unused(then, used);
            drop_unused(otherwise, used);
            uses(condition, used);
        }
        Statement::For(first, condition, last, block) => {
            drop_unused(block, used);
            statement_uses(last, used);
            uses(condition, used);
            first.iter_mut().for_each(|first| statement_uses(first, used));
        }
        Statement::Return(None) | Statement::Comment(_) => {}
    }
}

/// Collects the names in an expression.
fn uses(value: &Expr, used: &mut HashSet<Rc<str>>) {
    match &*value.node {
        Node::Name(name) => {
            used.insert(name.clone());
        }
        Node::U32(_) | Node::Bool(_) | Node::Float(_) | Node::Raw(_) => {}
        Node::Unary(_, x) | Node::Member(x, _) => uses(x, used),
        Node::Binary(_, x, y) | Node::Index(x, y) => {
            uses(x, used);
            uses(y, used);
        }
        Node::Call(_, arguments) => arguments.iter().for_each(|argument| uses(argument, used)),
    }
}
