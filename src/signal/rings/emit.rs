//! Generates the variable part of `shaders/signal/rings.wgsl`: how an element is read.

use super::geometry::Geometry;
use super::spec::Core;
use crate::fragment::{Argument, Checked};
use crate::wgsl::{Access, Body, Expr, F32, Function, I32, Module, Scalar, U32, bitcast, call, convert, float, select};

/// The text between the markers of the file.
pub(super) fn wgsl(core: &Core, geometry: &Geometry) -> String {
    let form = core.form();
    let mut module = Module::default();
    let input = module.storage(1, "input", Access::Read, form.binding(true));
    module.gap();
    if let Some(fragment) = core.fragment() {
        fragment.write(&mut module, Checked::FIRST_BINDING);
    }
    let mut element = Function::new("element").doc("The element at this place, with these indices.").returning(F32);
    let [at, batch, i0, i1, i2] = ["at", "batch", "i0", "i1", "i2"].map(|name| element.parameter(name, U32));
    let body = &mut element.body;
    let value = form.read(body, &input, &at);
    let value = body.value("value", value);
    let result = match core.fragment() {
        None => value,
        Some(fragment) => {
            let indices = Indices { core, geometry, indices: [i0, i1, i2] };
            let argument = |argument: &Argument| match *argument {
                Argument::Value => value.clone(),
                Argument::Batch => batch.clone(),
                Argument::Index(axis) => indices.indices[indices.own(axis)].clone(),
                Argument::Length(axis) => geometry.extents[indices.own(axis)].into(),
                Argument::Frequency(axis) => indices.signed(body, axis),
                Argument::Cycles(axis) => {
                    let k = indices.signed(body, axis);
                    convert(&F32, &k) / float(Scalar::F32, f64::from(geometry.extents[indices.own(axis)]))
                }
            };
            let arguments: Vec<Expr> = fragment.arguments.iter().map(argument).collect();
            call(&fragment.function(), &arguments, F32)
        }
    };
    element.body.give(result);
    module.function(element);
    module.finish()
}

struct Indices<'a> {
    core: &'a Core,
    geometry: &'a Geometry,
    indices: [Expr; 3],
}

impl Indices<'_> {
    /// The axis of the geometry.
    fn own(&self, axis: usize) -> usize {
        axis + 3 - self.core.shape.rank()
    }

    /// The signed frequency. n/2 is negative, as NumPy has it, except in a half.
    fn signed(&self, body: &mut Body, axis: usize) -> Expr {
        let axis = self.own(axis);
        let (index, n, zero) = (&self.indices[axis], self.geometry.extents[axis], self.geometry.zero[axis]);
        let wrapped = if self.core.half && axis == 2 {
            index.clone()
        } else if zero > 0 {
            index - zero
        } else {
            select(&index.at_least(n.div_ceil(2)), index - n, index)
        };
        body.value("signed", bitcast(&I32, &wrapped))
    }
}
