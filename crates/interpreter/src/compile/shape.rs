//! Types, as far as running a shader needs them.
//!
//! Buffers are laid out in bytes, as WGSL says. Everything else is laid out in words, a scalar in
//! one or two of them: workgroup memory is nobody's business but the shader's, and with a word for
//! each scalar no two invocations share one.

use naga::{ArraySize, Handle, ScalarKind, Type, TypeInner};

use crate::error::Error;
use crate::ops::Kind;

/// A type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shape {
    Scalar(Kind),
    Atomic(Kind),
    Vector {
        size: u32,
        kind: Kind,
    },
    Matrix {
        columns: u32,
        rows: u32,
        kind: Kind,
    },
    /// No length: as long as what is bound.
    Array {
        base: Handle<Type>,
        length: Option<u32>,
        stride: u32,
    },
    Struct(Handle<Type>),
}

/// The types of a module.
#[derive(Clone, Copy)]
pub(crate) struct Types<'m> {
    pub module: &'m naga::Module,
}

pub(crate) fn unsupported(what: impl Into<String>) -> Error {
    Error::Unsupported { what: what.into(), line: 0 }
}

pub(crate) fn kind_of(scalar: naga::Scalar) -> Result<Kind, Error> {
    Ok(match (scalar.kind, scalar.width) {
        (ScalarKind::Bool, _) => Kind::Bool,
        (ScalarKind::Sint, 4) => Kind::I32,
        (ScalarKind::Uint, 4) => Kind::U32,
        (ScalarKind::Sint, 8) => Kind::I64,
        (ScalarKind::Uint, 8) => Kind::U64,
        (ScalarKind::Float, 2) => Kind::F16,
        (ScalarKind::Float, 4) => Kind::F32,
        (ScalarKind::Float, 8) => Kind::F64,
        _ => return Err(unsupported(format!("Scalar {scalar:?}"))),
    })
}

impl Types<'_> {
    pub(crate) fn shape(&self, ty: Handle<Type>) -> Result<Shape, Error> {
        match &self.module.types[ty].inner {
            TypeInner::Struct { .. } => Ok(Shape::Struct(ty)),
            inner => self.shape_of(inner),
        }
    }

    pub(crate) fn shape_of(&self, inner: &TypeInner) -> Result<Shape, Error> {
        Ok(match *inner {
            TypeInner::Scalar(scalar) => Shape::Scalar(kind_of(scalar)?),
            TypeInner::Atomic(scalar) => Shape::Atomic(kind_of(scalar)?),
            TypeInner::Vector { size, scalar } => Shape::Vector { size: size as u32, kind: kind_of(scalar)? },
            TypeInner::Matrix { columns, rows, scalar } => {
                Shape::Matrix { columns: columns as u32, rows: rows as u32, kind: kind_of(scalar)? }
            }
            TypeInner::Array { base, size, stride } => Shape::Array { base, length: self.length(size)?, stride },
            ref other => return Err(unsupported(format!("TypeInner::{}", variant(other)))),
        })
    }

    fn length(&self, size: ArraySize) -> Result<Option<u32>, Error> {
        use naga::proc::IndexableLength;
        match size.resolve(self.module.to_ctx()) {
            Ok(IndexableLength::Known(length)) => Ok(Some(length)),
            Ok(IndexableLength::Dynamic) => Ok(None),
            Err(e) => Err(unsupported(format!("ArraySize: {e}"))),
        }
    }

    /// Parts that `AccessIndex` reaches, or none for scalars.
    pub(crate) fn children(&self, shape: Shape) -> u32 {
        match shape {
            Shape::Scalar(_) | Shape::Atomic(_) => 0,
            Shape::Vector { size, .. } => size,
            Shape::Matrix { columns, .. } => columns,
            Shape::Array { length, .. } => length.unwrap_or(0),
            Shape::Struct(ty) => match &self.module.types[ty].inner {
                TypeInner::Struct { members, .. } => members.len() as u32,
                _ => 0,
            },
        }
    }

    /// A part, its offset in bytes and its offset in words.
    pub(crate) fn child(&self, shape: Shape, i: u32) -> Result<(Shape, u32, u32), Error> {
        Ok(match shape {
            Shape::Scalar(_) | Shape::Atomic(_) => return Err(unsupported("AccessIndex into a scalar")),
            Shape::Vector { kind, .. } => (Shape::Scalar(kind), i * kind.bytes(), i * kind.words()),
            Shape::Matrix { rows, kind, .. } => {
                (Shape::Vector { size: rows, kind }, i * column_stride(rows, kind), i * rows * kind.words())
            }
            Shape::Array { base, stride, .. } => {
                let base = self.shape(base)?;
                (base, i.wrapping_mul(stride), i.wrapping_mul(self.words(base)?))
            }
            Shape::Struct(ty) => {
                let TypeInner::Struct { members, .. } = &self.module.types[ty].inner else {
                    return Err(unsupported("a struct that is none"));
                };
                let member = &members[i as usize];
                let mut words = 0;
                for before in &members[..i as usize] {
                    words += self.words(self.shape(before.ty)?)?;
                }
                (self.shape(member.ty)?, member.offset, words)
            }
        })
    }

    /// Words in the layout by words. An array without a length has none.
    pub(crate) fn words(&self, shape: Shape) -> Result<u32, Error> {
        Ok(match shape {
            Shape::Scalar(kind) | Shape::Atomic(kind) => kind.words(),
            Shape::Vector { size, kind } => size * kind.words(),
            Shape::Matrix { columns, rows, kind } => columns * rows * kind.words(),
            Shape::Array { base, length, .. } => {
                let words = self.words(self.shape(base)?)?;
                words.checked_mul(length.unwrap_or(0)).ok_or_else(|| unsupported("an array of more than 2³² words"))?
            }
            Shape::Struct(ty) => {
                let TypeInner::Struct { members, .. } = &self.module.types[ty].inner else {
                    return Err(unsupported("a struct that is none"));
                };
                let mut words = 0;
                for member in members {
                    words += self.words(self.shape(member.ty)?)?;
                }
                words
            }
        })
    }

    /// The scalars of a type in their order, with offsets in bytes.
    pub(crate) fn scalars(&self, shape: Shape) -> Result<Vec<(u32, Kind)>, Error> {
        let mut all = Vec::new();
        self.collect_scalars(shape, 0, &mut all)?;
        Ok(all)
    }

    fn collect_scalars(&self, shape: Shape, offset: u32, all: &mut Vec<(u32, Kind)>) -> Result<(), Error> {
        match shape {
            Shape::Scalar(kind) | Shape::Atomic(kind) => all.push((offset, kind)),
            _ => {
                if all.len() > 1 << 16 {
                    return Err(unsupported("a value of more than 65,536 scalars"));
                }
                for i in 0..self.children(shape) {
                    let (child, bytes, _) = self.child(shape, i)?;
                    self.collect_scalars(child, offset + bytes, all)?;
                }
            }
        }
        Ok(())
    }

    /// Scalars of a type.
    pub(crate) fn count(&self, shape: Shape) -> Result<usize, Error> {
        Ok(match shape {
            Shape::Scalar(_) | Shape::Atomic(_) => 1,
            Shape::Vector { size, .. } => size as usize,
            Shape::Matrix { columns, rows, .. } => (columns * rows) as usize,
            Shape::Array { base, length, .. } => self.count(self.shape(base)?)? * length.unwrap_or(0) as usize,
            Shape::Struct(_) => {
                let mut count = 0;
                for i in 0..self.children(shape) {
                    count += self.count(self.child(shape, i)?.0)?;
                }
                count
            }
        })
    }
}

/// Columns of a matrix are aligned like vectors: those of three rows like those of four.
fn column_stride(rows: u32, kind: Kind) -> u32 {
    if rows == 2 { 2 * kind.bytes() } else { 4 * kind.bytes() }
}

/// The name of a variant, as its `Debug` output begins.
pub(crate) fn variant(value: &impl std::fmt::Debug) -> String {
    let text = format!("{value:?}");
    text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default().to_owned()
}
