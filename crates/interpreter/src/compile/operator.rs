//! Operators, comparisons and conversions.

use naga::{BinaryOperator as Op, Expression, Handle, RelationalFunction, ScalarKind, UnaryOperator};

use crate::error::Error;
use crate::ops::integer::{self, Arithmetic};
use crate::ops::{Kind, Reg, convert, float};
use crate::program::{Check, Instr};

use super::shape::{Shape, kind_of, unsupported};
use super::{Compiler, Value, ZERO};

impl Compiler<'_> {
    pub(super) fn unary(&mut self, op: UnaryOperator, kind: Kind, a: Reg) -> Result<Reg, Error> {
        match op {
            UnaryOperator::Negate if kind.is_float() => self.compute(float::negate(kind), kind, &[a], &op),
            UnaryOperator::Negate => self.integer(Arithmetic::Negate, kind, a, ZERO),
            UnaryOperator::LogicalNot | UnaryOperator::BitwiseNot => self.compute(integer::not(kind), kind, &[a], &op),
        }
    }

    fn integer(&mut self, op: Arithmetic, kind: Kind, a: Reg, b: Reg) -> Result<Reg, Error> {
        if kind.words() == 2 {
            return self.compute(integer::arithmetic_64(op, kind), kind, &[a, b], &op);
        }
        if kind == Kind::Bool {
            return Err(unsupported("arithmetic of bool"));
        }
        let to = self.temporary(kind);
        let signed = kind.is_signed();
        self.emit(Instr::Wrapping { kernel: integer::arithmetic_32(op, signed), op, signed, r: [to, a, b, ZERO, ZERO] });
        Ok(to)
    }

    /// An operator of two scalars.
    pub(super) fn binary(&mut self, op: Op, kind: Kind, a: Reg, b: Reg) -> Result<Reg, Error> {
        let float = kind.is_float();
        match op {
            Op::Add if float => self.compute(float::add(kind), kind, &[a, b], &op),
            Op::Subtract if float => self.compute(float::subtract(kind), kind, &[a, b], &op),
            Op::Multiply if float => self.compute(float::multiply(kind), kind, &[a, b], &op),
            Op::Divide if float => self.compute(float::divide(kind), kind, &[a, b], &op),
            Op::Modulo if float => self.compute(float::remainder(kind), kind, &[a, b], &op),
            Op::Add => self.integer(Arithmetic::Add, kind, a, b),
            Op::Subtract => self.integer(Arithmetic::Subtract, kind, a, b),
            Op::Multiply => self.integer(Arithmetic::Multiply, kind, a, b),
            Op::Divide => {
                self.check_divisor(kind, a, b);
                self.integer(Arithmetic::Divide, kind, a, b)
            }
            Op::Modulo => {
                self.check_divisor(kind, a, b);
                self.compute(integer::remainder(kind), kind, &[a, b], &op)
            }
            Op::ShiftLeft => {
                self.check_shift(kind, b);
                self.integer(Arithmetic::ShiftLeft, kind, a, b)
            }
            Op::ShiftRight => {
                self.check_shift(kind, b);
                self.compute(integer::shift_right(kind), kind, &[a, b], &op)
            }
            Op::And | Op::LogicalAnd => self.compute(integer::and(kind), kind, &[a, b], &op),
            Op::InclusiveOr | Op::LogicalOr => self.compute(integer::or(kind), kind, &[a, b], &op),
            Op::ExclusiveOr => self.compute(integer::exclusive_or(kind), kind, &[a, b], &op),
            Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual => {
                self.compute(float::compare(op, kind), Kind::Bool, &[a, b], &op)
            }
        }
    }

    fn check_divisor(&mut self, kind: Kind, a: Reg, b: Reg) {
        let all_ones = if kind.words() == 2 { u64::MAX } else { u32::MAX as u64 };
        if self.known.get(&b).is_some_and(|&bits| bits != 0 && bits != all_ones) {
            return;
        }
        let site = self.site();
        self.emit(Instr::Check { check: Check::Divisor(kind), a, b, site });
    }

    fn check_shift(&mut self, kind: Kind, b: Reg) {
        let bits = 32 * kind.words();
        if self.known.get(&b).is_some_and(|&amount| amount < bits as u64) {
            return;
        }
        let site = self.site();
        self.emit(Instr::Check { check: Check::Shift(bits), a: b, b, site });
    }

    pub(super) fn binary_expression(&mut self, op: Op, left: Handle<Expression>, right: Handle<Expression>) -> Result<Value, Error> {
        let (l, r) = (self.value(left)?, self.value(right)?);
        let (l, r) = (l.scalars()?.clone(), r.scalars()?.clone());
        let (shape_l, shape_r) = (self.shape_of(left)?, self.shape_of(right)?);
        let kind = self.kind_of(left)?;
        if op == Op::Multiply
            && let Some(product) = self.matrix_product(shape_l, &l, shape_r, &r)?
        {
            return Ok(Value::Scalars(product.into()));
        }
        let count = l.len().max(r.len());
        let mut results = Vec::with_capacity(count);
        for i in 0..count {
            let (a, b) = (l[i.min(l.len() - 1)], r[i.min(r.len() - 1)]);
            results.push(self.binary(op, kind, a, b)?);
        }
        Ok(Value::Scalars(results.into()))
    }

    /// The products that are not made component by component.
    fn matrix_product(&mut self, left: Shape, l: &[Reg], right: Shape, r: &[Reg]) -> Result<Option<Vec<Reg>>, Error> {
        // Both as matrices: rows of the left, what is summed over, columns of the right. Matrices
        // are stored by columns.
        let (kind, rows, inner, columns) = match (left, right) {
            (Shape::Matrix { columns: inner, rows, kind }, Shape::Matrix { columns, .. }) => (kind, rows, inner, columns),
            (Shape::Matrix { columns: inner, rows, kind }, Shape::Vector { .. }) => (kind, rows, inner, 1),
            (Shape::Vector { size: inner, kind }, Shape::Matrix { columns, .. }) => (kind, 1, inner, columns),
            _ => return Ok(None),
        };
        let mut results = Vec::new();
        for column in 0..columns {
            for row in 0..rows {
                let mut sum = None;
                for k in 0..inner {
                    let product = self.binary(Op::Multiply, kind, l[(k * rows + row) as usize], r[(column * inner + k) as usize])?;
                    sum = Some(match sum {
                        None => product,
                        Some(sum) => self.binary(Op::Add, kind, sum, product)?,
                    });
                }
                results.push(sum.expect("a matrix has two columns or more"));
            }
        }
        Ok(Some(results))
    }

    pub(super) fn relational(&mut self, fun: RelationalFunction, argument: Handle<Expression>) -> Result<Value, Error> {
        let value = self.value(argument)?;
        let values = value.scalars()?.clone();
        let kind = self.kind_of(argument)?;
        let mut results = Vec::new();
        match fun {
            RelationalFunction::All | RelationalFunction::Any => {
                let op = if fun == RelationalFunction::All { Op::LogicalAnd } else { Op::LogicalOr };
                let mut all = values[0];
                for &next in &values[1..] {
                    all = self.binary(op, Kind::Bool, all, next)?;
                }
                results.push(all);
            }
            RelationalFunction::IsNan => {
                for &a in values.iter() {
                    results.push(self.compute(float::is_nan(kind), Kind::Bool, &[a], &fun)?);
                }
            }
            RelationalFunction::IsInf => {
                for &a in values.iter() {
                    results.push(self.compute(float::is_infinite(kind), Kind::Bool, &[a], &fun)?);
                }
            }
        }
        Ok(Value::Scalars(results.into()))
    }

    /// `u32(x)`, or `bitcast` if there is no width to convert to.
    pub(super) fn conversion(&mut self, expr: Handle<Expression>, kind: ScalarKind, width: Option<u8>) -> Result<Value, Error> {
        let value = self.value(expr)?;
        let from = self.kind_of(expr)?;
        let Some(width) = width else {
            let to = kind_of(naga::Scalar { kind, width: from.bytes() as u8 })?;
            let mut results = Vec::new();
            for &a in value.scalars()?.iter() {
                // An operation on bits: what is known about wrap-around ends here.
                results.push(self.bits(to, a)?);
            }
            return Ok(Value::Scalars(results.into()));
        };
        let to = kind_of(naga::Scalar { kind, width })?;
        if from == to {
            return Ok(value);
        }
        let mut results = Vec::new();
        for &a in value.scalars()?.iter() {
            results.push(self.convert_scalar(from, to, a)?);
        }
        Ok(Value::Scalars(results.into()))
    }

    fn bits(&mut self, to: Kind, a: Reg) -> Result<Reg, Error> {
        let kernel = if to.words() == 2 { crate::ops::kernel!(|a: u64| -> u64 { a }) } else { crate::ops::kernel!(|a: u32| -> u32 { a }) };
        let register = self.temporary(to);
        self.emit(Instr::Compute { kernel, r: [register, a, ZERO, ZERO, ZERO], float: None });
        Ok(register)
    }

    fn convert_scalar(&mut self, from: Kind, to: Kind, a: Reg) -> Result<Reg, Error> {
        let integer = |kind: Kind| !kind.is_float() && kind != Kind::Bool;
        if from.is_float() && integer(to) {
            let site = self.site();
            self.emit(Instr::Check { check: Check::Conversion(from, to), a, b: a, site });
        }
        let kernel = convert::convert(from, to);
        if integer(from) && integer(to) {
            let kernel = kernel.ok_or_else(|| unsupported("As"))?;
            let register = self.temporary(to);
            self.emit(Instr::Resize { kernel, from, to, r: [register, a, ZERO, ZERO, ZERO] });
            return Ok(register);
        }
        self.compute(kernel, to, &[a], &"As")
    }
}
