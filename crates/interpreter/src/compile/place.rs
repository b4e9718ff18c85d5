//! Pointers, which are known when compiling but for their indices.

use std::rc::Rc;
use std::sync::Arc;

use crate::error::Error;
use crate::ops::{Kind, Reg};
use crate::program::{Access, Instr, Length, Part, Root, Step};

use super::shape::{Shape, unsupported};
use super::{Compiler, Value};

/// Where a pointer points to.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub root: Root,
    /// In bytes for buffers, else in words.
    pub offset: u32,
    pub steps: Vec<Step>,
    pub shape: Shape,
    pub name: Arc<str>,
}

impl Compiler<'_> {
    /// `&base.member`, `&base[3]`.
    pub(super) fn child_place(&mut self, base: &Place, i: u32) -> Result<Place, Error> {
        if let Shape::Array { length: None, .. } = base.shape {
            let index = self.word(i);
            return self.element_place(base, index, false);
        }
        let (shape, bytes, words) = self.types.child(base.shape, i)?;
        let offset = base.offset + if matches!(base.root, Root::Buffer(_)) { bytes } else { words };
        Ok(Place { offset, shape, ..base.clone() })
    }

    /// `&base[index]`.
    pub(super) fn element_place(&mut self, base: &Place, index: Reg, signed: bool) -> Result<Place, Error> {
        let (shape, bytes, words) = self.types.child(base.shape, 1)?;
        let stride = if matches!(base.root, Root::Buffer(_)) { bytes } else { words };
        let length = match (base.shape, base.root) {
            (Shape::Array { length: None, .. }, Root::Buffer(buffer)) => Length::Bound { buffer, offset: base.offset, stride },
            _ => Length::Fixed(self.types.children(base.shape)),
        };
        let mut place = Place { shape, ..base.clone() };
        place.steps.push(Step { index, signed, stride, length });
        Ok(place)
    }

    /// Adds an access to the program.
    pub(super) fn access(&mut self, place: &Place) -> Result<u32, Error> {
        let mut parts = Vec::new();
        let mut words = 0;
        for (bytes, kind) in self.types.scalars(place.shape)? {
            let in_buffer = matches!(place.root, Root::Buffer(_));
            for word in 0..kind.words() {
                let offset = if in_buffer { bytes + 4 * word } else { words + word };
                parts.push(Part { offset, half: in_buffer && kind == Kind::F16 });
            }
            words += kind.words();
        }
        let site = self.site();
        self.program.accesses.push(Access {
            root: place.root,
            offset: place.offset,
            steps: place.steps.clone(),
            parts: parts.into(),
            atomic: matches!(place.shape, Shape::Atomic(_)),
            name: place.name.clone(),
            site,
        });
        Ok(self.program.accesses.len() as u32 - 1)
    }

    /// The registers of the scalars of a type, of which the first begins at `first`.
    fn scalar_registers(&self, shape: Shape, mut first: Reg) -> Result<Rc<[Reg]>, Error> {
        let scalars = self.types.scalars(shape)?;
        Ok(scalars
            .into_iter()
            .map(|(_, kind)| {
                let register = first;
                first += kind.words();
                register
            })
            .collect())
    }

    pub(super) fn load(&mut self, place: &Place) -> Result<Value, Error> {
        if let Shape::Array { length: None, .. } = place.shape {
            return Err(unsupported("Load of an array without a length"));
        }
        let words = self.types.words(place.shape)?;
        let to = self.registers(words, false);
        match place.root {
            Root::Registers(first) if place.steps.is_empty() => {
                for i in 0..words {
                    self.emit(Instr::Move { to: to + i, from: first + place.offset + i, masked: false });
                }
            }
            _ => {
                let access = self.access(place)?;
                self.emit(Instr::Load { access, to });
            }
        }
        Ok(Value::Scalars(self.scalar_registers(place.shape, to)?))
    }

    pub(super) fn store(&mut self, place: &Place, value: &Value) -> Result<(), Error> {
        let Value::Scalars(values) = value else { return Err(unsupported("Store of a pointer")) };
        match place.root {
            Root::Registers(first) if place.steps.is_empty() => {
                self.initialise(first + place.offset, place.shape, value)?;
            }
            _ => {
                let mut from = Vec::new();
                for (&(_, kind), &register) in self.types.scalars(place.shape)?.iter().zip(values.iter()) {
                    from.extend(register..register + kind.words());
                }
                let access = self.access(place)?;
                self.emit(Instr::Store { access, from: from.into() });
            }
        }
        Ok(())
    }
}
