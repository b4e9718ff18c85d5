//! Expressions.

use std::rc::Rc;

use naga::{Expression, Handle, Literal, SwizzleComponent};

use crate::error::Error;
use crate::ops::{Kind, Reg};
use crate::program::{Instr, Length, Root};

use super::place::Place;
use super::shape::{Shape, unsupported, variant};
use super::{Compiler, Value, ZERO};

impl Value {
    pub(super) fn scalars(&self) -> Result<&Rc<[Reg]>, Error> {
        match self {
            Value::Scalars(registers) => Ok(registers),
            Value::Pointer(_) => Err(unsupported("a pointer where a value is expected")),
        }
    }

    pub(super) fn place(&self) -> Result<&Rc<Place>, Error> {
        match self {
            Value::Pointer(place) => Ok(place),
            Value::Scalars(_) => Err(unsupported("a value where a pointer is expected")),
        }
    }
}

impl<'m> Compiler<'m> {
    /// The value of an expression of the function, compiled now if it has not been.
    pub(super) fn value(&mut self, handle: Handle<Expression>) -> Result<Value, Error> {
        if let Some(value) = &self.frame().values[handle.index()] {
            return Ok(value.clone());
        }
        let function = self.frame().function;
        let before = self.span;
        let span = function.expressions.get_span(handle);
        if span.is_defined() {
            self.span = span;
        }
        let value = self.expression(&function.expressions[handle])?;
        self.span = before;
        self.frame().values[handle.index()] = Some(value.clone());
        Ok(value)
    }

    pub(super) fn scalar(&mut self, handle: Handle<Expression>) -> Result<Reg, Error> {
        let value = self.value(handle)?;
        Ok(value.scalars()?[0])
    }

    pub(super) fn set(&mut self, handle: Handle<Expression>, value: Value) {
        self.frame().values[handle.index()] = Some(value);
    }

    /// The type of an expression of the function.
    pub(super) fn shape_of(&mut self, handle: Handle<Expression>) -> Result<Shape, Error> {
        let types = self.types;
        match &self.frame().info[handle].ty {
            naga::proc::TypeResolution::Handle(ty) => types.shape(*ty),
            naga::proc::TypeResolution::Value(inner) => types.shape_of(inner),
        }
    }

    pub(super) fn kind_of(&mut self, handle: Handle<Expression>) -> Result<Kind, Error> {
        match self.shape_of(handle)? {
            Shape::Scalar(kind) | Shape::Atomic(kind) | Shape::Vector { kind, .. } | Shape::Matrix { kind, .. } => Ok(kind),
            _ => Err(unsupported("arithmetic of arrays or structs")),
        }
    }

    fn expression(&mut self, expression: &'m Expression) -> Result<Value, Error> {
        match *expression {
            Expression::Literal(literal) => self.literal(literal),
            Expression::Constant(constant) => self.global_value(self.module.constants[constant].init),
            Expression::ZeroValue(ty) => {
                let shape = self.types.shape(ty)?;
                self.zero(shape)
            }
            Expression::Compose { ty, ref components } => {
                let values = components.iter().map(|&c| self.value(c)).collect::<Result<Vec<_>, _>>()?;
                self.compose(ty, &values)
            }
            Expression::Splat { size, value } => {
                let register = self.scalar(value)?;
                Ok(Value::Scalars(vec![register; size as usize].into()))
            }
            Expression::Swizzle { size, vector, pattern } => {
                let value = self.value(vector)?;
                swizzle(&value, &pattern[..size as usize])
            }
            Expression::AccessIndex { base, index } => match self.value(base)? {
                Value::Pointer(place) => Ok(Value::Pointer(Rc::new(self.child_place(&place, index)?))),
                Value::Scalars(values) => {
                    let shape = self.shape_of(base)?;
                    self.part_of(shape, &values, index)
                }
            },
            Expression::Access { base, index } => self.indexed(base, index),
            Expression::FunctionArgument(i) => Ok(self.frame().arguments[i as usize].clone()),
            Expression::GlobalVariable(handle) => {
                let place = self.globals.get(&handle).ok_or_else(|| unsupported("a variable that the entry point does not use"))?;
                Ok(Value::Pointer(place.clone()))
            }
            Expression::LocalVariable(handle) => {
                let variable = &self.frame().function.local_variables[handle];
                let shape = self.types.shape(variable.ty)?;
                let first = self.frame().locals[&handle];
                let name = variable.name.as_deref().unwrap_or("?").into();
                Ok(Value::Pointer(Rc::new(Place { root: Root::Registers(first), offset: 0, steps: Vec::new(), shape, name })))
            }
            Expression::Load { pointer } => {
                let value = self.value(pointer)?;
                self.load(value.place()?)
            }
            Expression::Unary { op, expr } => {
                let (value, kind) = (self.value(expr)?, self.kind_of(expr)?);
                let mut results = Vec::new();
                for &a in value.scalars()?.iter() {
                    results.push(self.unary(op, kind, a)?);
                }
                Ok(Value::Scalars(results.into()))
            }
            Expression::Binary { op, left, right } => self.binary_expression(op, left, right),
            Expression::Select { condition, accept, reject } => self.select(condition, accept, reject),
            Expression::Relational { fun, argument } => self.relational(fun, argument),
            Expression::Math { fun, arg, arg1, arg2, arg3 } => self.math(fun, [Some(arg), arg1, arg2, arg3]),
            Expression::As { expr, kind, convert } => self.conversion(expr, kind, convert),
            Expression::ArrayLength(pointer) => {
                let value = self.value(pointer)?;
                let place = value.place()?;
                let (Root::Buffer(buffer), Shape::Array { stride, .. }) = (place.root, place.shape) else {
                    return Err(unsupported("ArrayLength of what is no array in a buffer"));
                };
                let to = self.temporary(Kind::U32);
                self.emit(Instr::ArrayLength { to, length: Length::Bound { buffer, offset: place.offset, stride } });
                Ok(Value::Scalars([to].into()))
            }
            ref other => Err(unsupported(format!("Expression::{}", variant(other)))),
        }
    }

    /// The value of an expression of the module.
    pub(super) fn global_value(&mut self, handle: Handle<Expression>) -> Result<Value, Error> {
        if let Some(value) = self.global_values.get(&handle) {
            return Ok(value.clone());
        }
        let value = match self.module.global_expressions[handle] {
            Expression::Literal(literal) => self.literal(literal)?,
            Expression::Constant(constant) => self.global_value(self.module.constants[constant].init)?,
            Expression::ZeroValue(ty) => {
                let shape = self.types.shape(ty)?;
                self.zero(shape)?
            }
            Expression::Compose { ty, ref components } => {
                let values = components.iter().map(|&c| self.global_value(c)).collect::<Result<Vec<_>, _>>()?;
                self.compose(ty, &values)?
            }
            Expression::Splat { size, value } => {
                let value = self.global_value(value)?;
                Value::Scalars(vec![value.scalars()?[0]; size as usize].into())
            }
            Expression::Swizzle { size, vector, pattern } => {
                let value = self.global_value(vector)?;
                swizzle(&value, &pattern[..size as usize])?
            }
            ref other => return Err(unsupported(format!("Expression::{} in a constant", variant(other)))),
        };
        self.global_values.insert(handle, value.clone());
        Ok(value)
    }

    fn literal(&mut self, literal: Literal) -> Result<Value, Error> {
        let (bits, words) = match literal {
            Literal::F64(x) => (x.to_bits(), 2),
            Literal::U64(x) => (x, 2),
            Literal::I64(x) => (x as u64, 2),
            Literal::F32(x) => (x.to_bits() as u64, 1),
            Literal::F16(x) => (x.to_bits() as u64, 1),
            Literal::U32(x) => (x as u64, 1),
            Literal::I32(x) => (x as u32 as u64, 1),
            Literal::Bool(x) => (x as u64, 1),
            other => return Err(unsupported(format!("Literal::{}", variant(&other)))),
        };
        Ok(Value::Scalars([self.constant(bits, words)].into()))
    }

    pub(super) fn zero(&mut self, shape: Shape) -> Result<Value, Error> {
        let mut registers = Vec::new();
        for (_, kind) in self.types.scalars(shape)? {
            registers.push(if kind.words() == 2 { self.constant(0, 2) } else { ZERO });
        }
        Ok(Value::Scalars(registers.into()))
    }

    /// A vector may be composed of vectors, and then has a scalar for each of theirs. So has
    /// everything else.
    fn compose(&mut self, _ty: Handle<naga::Type>, values: &[Value]) -> Result<Value, Error> {
        let mut registers = Vec::new();
        for value in values {
            registers.extend(value.scalars()?.iter().copied());
        }
        Ok(Value::Scalars(registers.into()))
    }

    /// Part `i` of a value.
    fn part_of(&mut self, shape: Shape, values: &[Reg], i: u32) -> Result<Value, Error> {
        let mut first = 0;
        let (child, ..) = self.types.child(shape, i)?;
        let count = self.types.count(child)?;
        match shape {
            Shape::Struct(_) => {
                for before in 0..i {
                    first += self.types.count(self.types.child(shape, before)?.0)?;
                }
            }
            _ => first = i as usize * count,
        }
        Ok(Value::Scalars(values[first..first + count].into()))
    }

    fn indexed(&mut self, base: Handle<Expression>, index: Handle<Expression>) -> Result<Value, Error> {
        let signed = self.kind_of(index)?.is_signed();
        let index = self.scalar(index)?;
        let values = match self.value(base)? {
            Value::Pointer(place) => return Ok(Value::Pointer(Rc::new(self.element_place(&place, index, signed)?))),
            Value::Scalars(values) => values,
        };
        let shape = self.shape_of(base)?;
        let (child, ..) = self.types.child(shape, 0)?;
        let scalars = self.types.scalars(child)?;
        let length = self.types.children(shape) as usize;
        let site = self.site();
        let mut results = Vec::new();
        for (k, &(_, kind)) in scalars.iter().enumerate() {
            let to = self.temporary(kind);
            for word in 0..kind.words() {
                let from = (0..length).map(|i| values[i * scalars.len() + k] + word).collect();
                self.emit(Instr::Pick { to: to + word, from, index, signed, site });
            }
            results.push(to);
        }
        Ok(Value::Scalars(results.into()))
    }

    fn select(&mut self, condition: Handle<Expression>, accept: Handle<Expression>, reject: Handle<Expression>) -> Result<Value, Error> {
        let (condition, a, b) = (self.value(condition)?, self.value(accept)?, self.value(reject)?);
        let kind = self.kind_of(accept)?;
        let conditions = condition.scalars()?.clone();
        let mut results = Vec::new();
        for (i, (&accept, &reject)) in a.scalars()?.iter().zip(b.scalars()?.iter()).enumerate() {
            let condition = conditions[i.min(conditions.len() - 1)];
            results.push(self.select_scalar(kind, condition, accept, reject));
        }
        Ok(Value::Scalars(results.into()))
    }

    pub(super) fn select_scalar(&mut self, kind: Kind, condition: Reg, accept: Reg, reject: Reg) -> Reg {
        let to = self.temporary(kind);
        for word in 0..kind.words() {
            self.emit(Instr::Select { to: to + word, condition, accept: accept + word, reject: reject + word });
        }
        to
    }
}

fn swizzle(value: &Value, pattern: &[SwizzleComponent]) -> Result<Value, Error> {
    let values = value.scalars()?;
    Ok(Value::Scalars(pattern.iter().map(|&c| values[c as usize]).collect()))
}
