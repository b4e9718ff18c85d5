//! Statements.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::expr::{Expr, Node, call, zero};
use super::types::{Type, U32};

#[derive(Debug)]
pub(super) enum Statement {
    Let(Rc<str>, Expr),
    /// A variable and its first value.
    Var(Rc<str>, Expr),
    Assign(Expr, Expr),
    /// `place += value`.
    Advance(Expr, Expr),
    Call(Expr),
    If(Expr, Vec<Statement>, Vec<Statement>),
    /// While the condition holds; at the end of each turn the last statement.
    For(Option<Box<Statement>>, Expr, Box<Statement>, Vec<Statement>),
    Return(Option<Expr>),
    Comment(String),
}

/// The statements of a function, written one after the other.
#[derive(Default, Debug)]
pub(crate) struct Body {
    done: Vec<Statement>,
    /// Blocks that are open around the one that is written.
    outer: Vec<Vec<Statement>>,
    /// Names that are taken, and the number with which the next of each is tried.
    names: HashMap<Rc<str>, u32>,
}

impl Body {
    /// Keeps a name for what the body refers to.
    pub(super) fn reserve(&mut self, name: &str) {
        self.names.insert(name.into(), 2);
    }

    /// `name`, or where that is taken `name_2`, `name_3`, …
    fn unique(&mut self, name: &str) -> Rc<str> {
        let Some(&first) = self.names.get(name) else {
            assert!(!naga::keywords::wgsl::RESERVED.contains(&name), "`{name}` is a word of WGSL");
            let unique: Rc<str> = name.into();
            self.names.insert(unique.clone(), 2);
            return unique;
        };
        let mut count = first;
        let unique: Rc<str> = loop {
            let candidate = format!("{name}_{count}");
            count += 1;
            if !self.names.contains_key(&*candidate) {
                break candidate.into();
            }
        };
        // Thousands of values may share a name, so the search goes on where it ended.
        self.names.insert(name.into(), count);
        self.names.insert(unique.clone(), 2);
        unique
    }

    /// `let name = value;`. A name or a constant is itself.
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

    /// A variable that starts as zero.
    pub fn variable(&mut self, name: &str, ty: &Type) -> Expr {
        let value = zero(ty);
        self.variable_from(name, value)
    }

    /// A variable and its first value.
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

    /// A call for its effect.
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

    fn open(&mut self) {
        self.outer.push(std::mem::take(&mut self.done));
    }

    fn close(&mut self) -> Vec<Statement> {
        let outer = self.outer.pop().expect("a block is open");
        std::mem::replace(&mut self.done, outer)
    }

    /// The statements; what only names values that nobody uses is left out.
    pub(super) fn finish(self) -> Vec<Statement> {
        assert!(self.outer.is_empty(), "a block is open");
        let mut statements = self.done;
        let mut used = HashSet::new();
        drop_unused(&mut statements, &mut used);
        statements
    }
}

/// What writes into a body: a body itself, or a generator that has one.
pub(crate) trait Writes {
    fn body(&mut self) -> &mut Body;

    /// Writes statements that run where the condition holds: none if it never does, and without an `if` if it always does.
    fn when<R>(&mut self, condition: &Expr, write: impl FnOnce(&mut Self) -> R) -> Option<R> {
        if condition.is_false() {
            return None;
        }
        if condition.is_true() {
            return Some(write(self));
        }
        self.body().open();
        let result = write(self);
        let block = self.body().close();
        self.body().done.push(Statement::If(condition.clone(), block, Vec::new()));
        Some(result)
    }

    /// As [`when`](Self::when), with statements for where the condition does not hold.
    fn when_else(&mut self, condition: &Expr, write: impl FnOnce(&mut Self), otherwise: impl FnOnce(&mut Self)) {
        if condition.is_false() {
            return otherwise(self);
        }
        if condition.is_true() {
            return write(self);
        }
        self.body().open();
        write(self);
        let then = self.body().close();
        self.body().open();
        otherwise(self);
        let otherwise = self.body().close();
        self.body().done.push(Statement::If(condition.clone(), then, otherwise));
    }

    /// Values of these names and types that are computed where the condition holds, and are zero elsewhere: variables,
    /// unless it always holds.
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

fn repeat<W: Writes + ?Sized>(writer: &mut W, first: Option<Statement>, condition: Expr, last: Statement, write: impl FnOnce(&mut W)) {
    writer.body().open();
    write(writer);
    let block = writer.body().close();
    writer.body().done.push(Statement::For(first.map(Box::new), condition, Box::new(last), block));
}

impl Writes for Body {
    fn body(&mut self) -> &mut Body {
        self
    }
}

/// Leaves out the values that nobody uses, from the last to the first, and collects the names that are used.
fn drop_unused(statements: &mut Vec<Statement>, used: &mut HashSet<Rc<str>>) {
    let mut kept = Vec::with_capacity(statements.len());
    for mut statement in statements.drain(..).rev() {
        match &mut statement {
            Statement::Let(name, value) | Statement::Var(name, value) => {
                if !used.contains(name) {
                    continue;
                }
                uses(value, used);
            }
            Statement::Assign(place, value) | Statement::Advance(place, value) => {
                uses(place, used);
                uses(value, used);
            }
            Statement::Call(value) | Statement::Return(Some(value)) => uses(value, used),
            Statement::If(condition, then, otherwise) => {
                drop_unused(then, used);
                drop_unused(otherwise, used);
                uses(condition, used);
            }
            Statement::For(first, condition, last, block) => {
                // The next turn uses what this one leaves.
                uses(condition, used);
                mentioned(block, used);
                let mut ends = vec![std::mem::replace(&mut **last, Statement::Comment(String::new()))];
                drop_unused(&mut ends, used);
                **last = ends.pop().expect("an assignment stays");
                drop_unused(block, used);
                if let Some(first) = first
                    && let Statement::Var(name, value) = &**first
                {
                    used.insert(name.clone());
                    uses(value, used);
                }
            }
            Statement::Return(None) | Statement::Comment(_) => {}
        }
        kept.push(statement);
    }
    kept.reverse();
    *statements = kept;
}

/// All names that statements read, whether or not what is made of them is used.
fn mentioned(statements: &[Statement], used: &mut HashSet<Rc<str>>) {
    for statement in statements {
        match statement {
            Statement::Let(_, value) | Statement::Var(_, value) => uses(value, used),
            Statement::Assign(place, value) | Statement::Advance(place, value) => {
                uses(place, used);
                uses(value, used);
            }
            Statement::Call(value) | Statement::Return(Some(value)) => uses(value, used),
            Statement::If(condition, then, otherwise) => {
                uses(condition, used);
                mentioned(then, used);
                mentioned(otherwise, used);
            }
            Statement::For(first, condition, last, block) => {
                uses(condition, used);
                first.iter().for_each(|first| mentioned(std::slice::from_ref(&**first), used));
                mentioned(std::slice::from_ref(&**last), used);
                mentioned(block, used);
            }
            Statement::Return(None) | Statement::Comment(_) => {}
        }
    }
}

/// The names that an expression mentions.
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
