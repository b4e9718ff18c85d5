//! The arrays and uniforms that fragments declare.

use std::sync::Arc;

use super::element::Form;
use crate::slot::{Array, Slot};

/// An array or a uniform that a fragment declares.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Declared {
    pub name: Arc<str>,
    pub kind: DeclaredKind,
    /// The array of the program that it is, if an operation of this crate declares it. The caller
    /// binds all others.
    pub slot: Option<Slot>,
}

/// What is declared.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum DeclaredKind {
    /// An array of this many elements.
    Array { form: Form, element: &'static str, len: usize },
    /// A uniform of a WGSL type, and the bytes and the name of the Rust type.
    Uniform { wgsl: Arc<str>, element: &'static str, bytes: usize },
}

impl Declared {
    /// The size of what is bound.
    pub fn array(&self) -> Array {
        match &self.kind {
            DeclaredKind::Array { form, len, .. } => Array { len: *len, element_bytes: form.bytes() as usize },
            DeclaredKind::Uniform { bytes, .. } => Array { len: 1, element_bytes: *bytes },
        }
    }

    /// The name of an element's type.
    pub fn element(&self) -> &'static str {
        match self.kind {
            DeclaredKind::Array { element, .. } | DeclaredKind::Uniform { element, .. } => element,
        }
    }

    pub fn is_uniform(&self) -> bool {
        matches!(self.kind, DeclaredKind::Uniform { .. })
    }
}
