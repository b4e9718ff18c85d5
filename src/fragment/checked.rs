//! A fragment that has been checked for its place, as a part of a kernel.

use std::fmt;

use super::argument::Argument;
use super::declared::Declared;
use super::element::Form;
use super::source::{Embedded, binding_name, function_name};
use super::spec::Fragment;
use super::tokens::Source;
use crate::element::ElementType;
use crate::error::{Error, Result};
use crate::wgsl;

/// Where a fragment stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    /// Tells the fragments of one kernel apart, such as `input`.
    pub name: &'static str,
    pub rank: usize,
    /// Whether indices are frequencies.
    pub spectrum: bool,
    /// What the array holds.
    pub array: Form,
    /// The value on the other side of the fragment.
    pub inner: Form,
    /// Whether values come from the array.
    pub loads: bool,
}

impl Side {
    /// The place at the input (0) or at the output (1) of an operation on arrays of `rank` axes.
    pub fn of(end: usize, rank: usize, array: Form, inner: Form) -> Self {
        Self { name: ["input", "output"][end], rank, spectrum: false, array, inner, loads: end == 0 }
    }
}

/// A fragment that has been checked for its place.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Checked {
    pub fragment: Fragment,
    /// Which of several fragments in a kernel it is.
    pub side: &'static str,
    /// What the array holds.
    pub array: Form,
    /// The name of the array's element.
    pub element: &'static str,
    /// The value that the kernel has once the fragment is applied on a load, or before it is on a
    /// store.
    pub inner: Form,
    pub(super) loads: bool,
    /// What it uses.
    pub arguments: Vec<Argument>,
    /// Whether it indexes memory of its own, so that the kernel needs wgpu's checks.
    pub indexes_memory: bool,
}

/// Fragments of one kernel, each with the first binding of what it declares.
pub(crate) fn declaring<'a, T: 'a>(
    all: impl Iterator<Item = &'a T>,
    fragment: impl Fn(&T) -> &Checked,
) -> impl Iterator<Item = (&'a T, u32)> {
    all.scan(Checked::FIRST_BINDING, move |next, own| {
        let first = *next;
        *next += fragment(own).arrays().len() as u32;
        Some((own, first))
    })
}

/// The fragments at the input and at the output of an operation, as its text has them at its end:
/// `` from u8 by `f32(value)` to f32x2 by `vec2(value)` ``, where there are such.
pub(crate) struct Maps<'a>(pub &'a [Option<Checked>; 2]);

impl Maps<'_> {
    /// Refuses the adjoint of a specification that has some.
    pub fn check_linear(&self, spec: &impl fmt::Display) -> Result<()> {
        match self.0 {
            [None, None] => Ok(()),
            _ => Err(Error::unsupported(spec, "it has no adjoint here: fragments need not be linear")),
        }
    }

    /// Whether the input and the output are textures.
    pub fn textures(&self) -> [bool; 2] {
        self.0.each_ref().map(|map| map.as_ref().is_some_and(|map| map.array.texels().is_some()))
    }
}

impl fmt::Display for Maps<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ["from", "to"].iter().zip(self.0).try_for_each(|(name, map)| match map {
            Some(map) => write!(f, " {name} {} by {}", map.element, map.fragment),
            None => Ok(()),
        })
    }
}

impl Checked {
    /// The first binding of what the fragments of a kernel declare. Its own arrays take at most 48.
    pub const FIRST_BINDING: u32 = 64;

    /// The array's element.
    pub fn element_type(&self) -> ElementType {
        ElementType::new(self.element, self.array.bytes() as usize)
    }

    /// The name of the function that maps a value. It takes [`arguments`](Self::arguments).
    pub fn function(&self) -> String {
        function_name(self.side)
    }

    /// The name of the binding of an array or a uniform.
    pub fn binding_name(&self, declared: &Declared) -> String {
        binding_name(self.side, declared)
    }

    /// Writes that function and what it uses. The bindings of its arrays begin with `first`.
    pub fn write(&self, module: &mut wgsl::Module, first: u32) {
        let parts = [&self.fragment.functions, &self.fragment.expression].map(|text| Source::new(text).unwrap_or_default());
        self.embedded([&parts[0], &parts[1]]).write(module, first);
    }

    pub(super) fn embedded<'a>(&'a self, [functions, expression]: [&'a Source; 2]) -> Embedded<'a> {
        let Self { fragment, side, array, inner, loads, arguments, .. } = self;
        let [value, result] = if *loads { [array, inner] } else { [inner, array] }.map(|form| form.value());
        let ty = |argument: &Argument| if *argument == Argument::Value { value.to_string() } else { argument.wgsl_type().to_owned() };
        let parameters = arguments.iter().map(|argument| (argument.name(), ty(argument))).collect();
        Embedded { side, functions, expression, arrays: &fragment.arrays, parameters, result }
    }

    /// Its arrays and uniforms.
    pub fn arrays(&self) -> &[Declared] {
        &self.fragment.arrays
    }
}
