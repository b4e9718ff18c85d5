//! Statements.

use std::collections::HashMap;
use std::sync::Arc;

use naga::valid::FunctionInfo;
use naga::{AtomicFunction, Barrier, Block, Expression, Function, Handle, Statement, SwitchCase, SwitchValue};

use crate::error::Error;
use crate::ops::{Kind, Reg};
use crate::program::{AtomicOp, Instr, Mask, SiteId, Target};

use super::shape::{Shape, unsupported, variant};
use super::{Breakable, Compiler, Frame, MAX_INSTRUCTIONS, Value, ZERO};

/// A jump whose target is not known yet.
const LATER: Target = Target::MAX;

impl<'m> Compiler<'m> {
    /// Compiles a call of a function in the place of the call.
    pub(super) fn inline(
        &mut self,
        function: &'m Function,
        info: &'m FunctionInfo,
        arguments: Vec<Value>,
        caller: Option<SiteId>,
    ) -> Result<Option<Value>, Error> {
        if self.program.code.len() > MAX_INSTRUCTIONS {
            return Err(unsupported(format!("more than {MAX_INSTRUCTIONS} instructions once functions are inlined")));
        }
        self.depth += 1;
        let plain = returns(&function.body) == matches!(function.body.last(), Some(Statement::Return { .. })) as usize;
        let mut result = Vec::new();
        let result_shape = function.result.as_ref().map(|r| self.types.shape(r.ty)).transpose()?;
        if let Some(shape) = result_shape
            && !plain
        {
            for (_, kind) in self.types.scalars(shape)? {
                let register = self.temporary(kind);
                // Named here, so that it lives through the loops that the function returns from.
                for word in 0..kind.words() {
                    self.emit(Instr::Move { to: register + word, from: ZERO, masked: false });
                }
                result.push((register, kind));
            }
        }
        let returns = self.mask();
        self.frames.push(Frame {
            function,
            info,
            values: vec![None; function.expressions.len()],
            arguments,
            locals: HashMap::new(),
            result: result.clone(),
            returns,
            plain,
            plain_result: None,
            caller,
        });
        for (handle, variable) in function.local_variables.iter() {
            let shape = self.types.shape(variable.ty)?;
            let words = self.types.words(shape)?;
            let first = self.registers(words, false);
            let init = match variable.init {
                Some(init) => self.value(init)?,
                None => self.zero(shape)?,
            };
            self.initialise(first, shape, &init)?;
            self.frame().locals.insert(handle, first);
        }
        self.emit(Instr::Call { returns });
        self.joins.push(Vec::new());
        let outer = std::mem::take(&mut self.breakables);
        self.block(&function.body)?;
        self.breakables = outer;
        self.land();
        self.emit(Instr::EndCall { returns });
        self.depth -= 1;
        let frame = self.frames.pop().expect("pushed above");
        Ok(match result_shape {
            None => None,
            Some(_) if plain => frame.plain_result,
            Some(_) => Some(Value::Scalars(result.iter().map(|&(register, _)| register).collect())),
        })
    }

    /// Ends the innermost construct: jumps to its end come here.
    fn land(&mut self) {
        let here = self.here();
        for at in self.joins.pop().unwrap_or_default() {
            self.aim(at, here);
        }
    }

    fn aim(&mut self, at: usize, to: Target) {
        match &mut self.program.code[at] {
            Instr::If { target, .. }
            | Instr::Else { target, .. }
            | Instr::Continuing { target, .. }
            | Instr::Case { target, .. }
            | Instr::Leave { target, .. } => *target = to,
            Instr::EndIf { skip, .. } | Instr::EndLoop { skip, .. } | Instr::EndSwitch { skip, .. } => *skip = to,
            other => unreachable!("{other:?} does not jump"),
        }
    }

    /// An instruction that jumps to the end of the construct around it.
    fn emit_leaving(&mut self, instr: Instr) {
        let at = self.emit(instr);
        if let Some(join) = self.joins.last_mut() {
            join.push(at);
        }
    }

    fn block(&mut self, block: &'m Block) -> Result<(), Error> {
        for (statement, span) in block.span_iter() {
            if span.is_defined() {
                self.span = *span;
            }
            self.statement(statement)?;
        }
        Ok(())
    }

    fn statement(&mut self, statement: &'m Statement) -> Result<(), Error> {
        match statement {
            Statement::Emit(range) => {
                for handle in range.clone() {
                    self.value(handle)?;
                }
            }
            Statement::Block(block) => self.block(block)?,
            Statement::If { condition, accept, reject } => self.branch(*condition, accept, reject)?,
            Statement::Switch { selector, cases } => self.switch(*selector, cases)?,
            Statement::Loop { body, continuing, break_if } => self.repeat(body, continuing, *break_if)?,
            Statement::Break => {
                let mask = self.breakables.last().ok_or_else(|| unsupported("Break outside of loops"))?.breaks;
                self.emit_leaving(Instr::Leave { mask, target: LATER });
            }
            Statement::Continue => {
                let mask = self.breakables.iter().rev().find_map(|b| b.continues);
                let mask = mask.ok_or_else(|| unsupported("Continue outside of loops"))?;
                self.emit_leaving(Instr::Leave { mask, target: LATER });
            }
            Statement::Return { value } => self.return_value(*value)?,
            Statement::ControlBarrier(barrier) => self.barrier(*barrier)?,
            Statement::Store { pointer, value } => {
                let (pointer, value) = (self.value(*pointer)?, self.value(*value)?);
                self.store(pointer.place()?, &value)?;
            }
            Statement::Atomic { pointer, fun, value, result } => self.atomic(*pointer, fun, *value, *result)?,
            Statement::WorkGroupUniformLoad { pointer, result } => {
                let pointer = self.value(*pointer)?;
                self.barrier(Barrier::WORK_GROUP)?;
                let value = self.load(pointer.place()?)?;
                self.barrier(Barrier::WORK_GROUP)?;
                self.set(*result, value);
            }
            Statement::Call { function, arguments, result } => {
                let values = arguments.iter().map(|&a| self.value(a)).collect::<Result<Vec<_>, _>>()?;
                let caller = self.site();
                let span = self.span;
                let value = self.inline(&self.module.functions[*function], &self.info[*function], values, Some(caller))?;
                self.span = span;
                if let (Some(result), Some(value)) = (result, value) {
                    self.set(*result, value);
                }
            }
            Statement::SubgroupBallot { result, predicate } => {
                let predicate = match predicate {
                    Some(predicate) => self.scalar(*predicate)?,
                    None => self.word(1),
                };
                let site = self.site();
                let to = self.registers(4, false);
                self.emit(Instr::Ballot { to, predicate, site });
                self.set(*result, Value::Scalars((to..to + 4).collect()));
            }
            Statement::SubgroupGather { mode, argument, result } => self.gather(*mode, *argument, *result)?,
            Statement::SubgroupCollectiveOperation { op, collective_op, argument, result } => {
                self.collective(*op, *collective_op, *argument, *result)?;
            }
            other => return Err(unsupported(format!("Statement::{}", variant(other)))),
        }
        Ok(())
    }

    fn branch(&mut self, condition: Handle<Expression>, accept: &'m Block, reject: &'m Block) -> Result<(), Error> {
        let condition = self.scalar(condition)?;
        let site = self.site();
        let rest = self.mask();
        let branch = self.emit(Instr::If { condition, rest, target: LATER, site });
        self.joins.push(Vec::new());
        self.block(accept)?;
        self.land();
        if reject.is_empty() {
            let here = self.here();
            self.aim(branch, here);
            self.emit_leaving(Instr::EndIf { rest, skip: LATER });
            return Ok(());
        }
        let done = self.mask();
        let otherwise = self.emit(Instr::Else { rest, done, target: LATER });
        self.aim(branch, otherwise as Target);
        self.joins.push(Vec::new());
        self.block(reject)?;
        self.land();
        let here = self.here();
        self.aim(otherwise, here);
        self.emit_leaving(Instr::EndIf { rest: done, skip: LATER });
        Ok(())
    }

    fn repeat(&mut self, body: &'m Block, continuing: &'m Block, break_if: Option<Handle<Expression>>) -> Result<(), Error> {
        let (breaks, continues) = (self.mask(), self.mask());
        let site = self.site();
        self.emit(Instr::Loop { breaks, continues });
        let head = self.here();
        self.breakables.push(Breakable { breaks, continues: Some(continues) });
        self.joins.push(Vec::new());
        self.block(body)?;
        self.land();
        let start = self.emit(Instr::Continuing { continues, target: LATER });
        self.block(continuing)?;
        let condition = break_if.map(|c| self.scalar(c)).transpose()?;
        self.breakables.pop();
        let end = self.here();
        self.aim(start, end);
        self.emit_leaving(Instr::EndLoop { breaks, condition, head, skip: LATER, site });
        self.loops.push((head, end));
        Ok(())
    }

    fn switch(&mut self, selector: Handle<Expression>, cases: &'m [SwitchCase]) -> Result<(), Error> {
        let selector = self.scalar(selector)?;
        let site = self.site();
        let (all, breaks) = (self.mask(), self.mask());
        self.emit(Instr::Switch { all, breaks, selector, site });
        let number = |value: &SwitchValue| match *value {
            SwitchValue::I32(x) => Some(x as u32),
            SwitchValue::U32(x) => Some(x),
            SwitchValue::Default => None,
        };
        let every: Arc<[u32]> = cases.iter().filter_map(|case| number(&case.value)).collect();
        self.breakables.push(Breakable { breaks, continues: None });
        let mut values = Vec::new();
        let mut default = false;
        for case in cases {
            match number(&case.value) {
                Some(value) => values.push(value),
                None => default = true,
            }
            if case.fall_through {
                if !case.body.is_empty() {
                    return Err(unsupported("SwitchCase::fall_through with statements"));
                }
                continue;
            }
            let own = std::mem::take(&mut values);
            // With the default, a case takes whatever no other case does.
            let values: Arc<[u32]> = if default { every.iter().copied().filter(|v| !own.contains(v)).collect() } else { own.into() };
            let at = self.emit(Instr::Case { all, selector, values, inverted: default, target: LATER });
            default = false;
            self.joins.push(Vec::new());
            self.block(&case.body)?;
            self.land();
            self.emit(Instr::Join { mask: breaks });
            let here = self.here();
            self.aim(at, here);
        }
        self.breakables.pop();
        self.emit_leaving(Instr::EndSwitch { breaks, skip: LATER });
        Ok(())
    }

    fn return_value(&mut self, value: Option<Handle<Expression>>) -> Result<(), Error> {
        let value = value.map(|v| self.value(v)).transpose()?;
        if self.frame().plain {
            self.frame().plain_result = value;
            return Ok(());
        }
        if let Some(value) = value {
            let result = self.frame().result.clone();
            for (&(to, kind), &from) in result.iter().zip(value.scalars()?.iter()) {
                self.assign(to, from, kind);
            }
        }
        let mask: Mask = self.frame().returns;
        self.emit_leaving(Instr::Leave { mask, target: LATER });
        Ok(())
    }

    fn barrier(&mut self, barrier: Barrier) -> Result<(), Error> {
        let site = self.site();
        if barrier.contains(Barrier::TEXTURE) {
            return Err(unsupported("Barrier::TEXTURE"));
        }
        if barrier.intersects(Barrier::WORK_GROUP | Barrier::STORAGE) {
            let (workgroup, storage) = (barrier.contains(Barrier::WORK_GROUP), barrier.contains(Barrier::STORAGE));
            self.emit(Instr::Barrier { workgroup, storage, site });
        } else {
            self.emit(Instr::SubgroupBarrier { site });
        }
        Ok(())
    }

    fn atomic(
        &mut self,
        pointer: Handle<Expression>,
        fun: &AtomicFunction,
        value: Handle<Expression>,
        result: Option<Handle<Expression>>,
    ) -> Result<(), Error> {
        let pointer = self.value(pointer)?;
        let place = pointer.place()?;
        let Shape::Atomic(kind) = place.shape else { return Err(unsupported("Atomic on what is no atomic")) };
        let value = self.scalar(value)?;
        let mut compare = ZERO;
        let op = match *fun {
            AtomicFunction::Add => AtomicOp::Add,
            AtomicFunction::Subtract => AtomicOp::Subtract,
            AtomicFunction::And => AtomicOp::And,
            AtomicFunction::ExclusiveOr => AtomicOp::ExclusiveOr,
            AtomicFunction::InclusiveOr => AtomicOp::Or,
            AtomicFunction::Min => AtomicOp::Min,
            AtomicFunction::Max => AtomicOp::Max,
            AtomicFunction::Exchange { compare: None } => AtomicOp::Exchange,
            AtomicFunction::Exchange { compare: Some(expected) } => {
                compare = self.scalar(expected)?;
                AtomicOp::CompareExchange
            }
        };
        let access = self.access(place)?;
        let (old, exchanged) = (self.temporary(kind), self.temporary(Kind::Bool));
        self.emit(Instr::Atomic { access, op, kind, value, compare, result: old, exchanged });
        if let Some(result) = result {
            let scalars: Vec<Reg> = if op == AtomicOp::CompareExchange { vec![old, exchanged] } else { vec![old] };
            self.set(result, Value::Scalars(scalars.into()));
        }
        Ok(())
    }
}

/// `return` statements in a block.
fn returns(block: &Block) -> usize {
    block
        .iter()
        .map(|statement| match statement {
            Statement::Return { .. } => 1,
            Statement::Block(block) => returns(block),
            Statement::If { accept, reject, .. } => returns(accept) + returns(reject),
            Statement::Switch { cases, .. } => cases.iter().map(|case| returns(&case.body)).sum(),
            Statement::Loop { body, continuing, .. } => returns(body) + returns(continuing),
            _ => 0,
        })
        .sum()
}
