//! Module-level declarations: constants, types, arrays, functions.

use std::fmt::Write;

use super::body::Body;
use super::expr::{Expr, call};
use super::print;
use super::types::{Scalar, Type, U32};
use crate::settings::settings;

/// How a kernel accesses a binding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    Read,
    ReadWrite,
}

/// Part of a WGSL file.
#[derive(Default, Debug)]
pub(crate) struct Module {
    text: String,
}

/// A function whose body is under construction.
#[derive(Debug)]
pub(crate) struct Function {
    doc: String,
    attributes: String,
    name: String,
    parameters: Vec<String>,
    result: Option<Type>,
    pub body: Body,
}

impl Function {
    pub fn new(name: &str) -> Self {
        let (doc, attributes, parameters) = Default::default();
        Self { doc, attributes, name: name.to_owned(), parameters, result: None, body: Body::default() }
    }

    settings! { own:
        /// Adds a comment for readers.
        doc(doc: &str) => own.doc = doc.to_owned();

        /// Makes it the entry point. The workgroup size is an expression of constants of the
        /// module.
        entry(workgroup_size: &str) => own.attributes = format!("@compute @workgroup_size({workgroup_size})\n");

        returning(ty: Type) => own.result = Some(ty);
    }

    pub fn parameter(&mut self, name: &str, ty: Type) -> Expr {
        self.parameters.push(format!("{name}: {ty}"));
        self.body.reserve(name);
        Expr::name(name, ty)
    }

    /// The index of the workgroup in a grid that may be folded, computed by the function in
    /// `shaders/grid.wgsl`.
    pub fn workgroup_index(&mut self) -> Expr {
        let three = Type::Vector(3, Scalar::U32);
        let id = self.builtin("workgroup_id", "group_id", three.clone());
        let count = self.builtin("num_workgroups", "group_count", three);
        call("workgroup_index", [&id, &count], U32)
    }

    /// A built-in parameter of an entry point.
    pub fn builtin(&mut self, builtin: &str, name: &str, ty: Type) -> Expr {
        self.parameters.push(format!("@builtin({builtin}) {name}: {ty}"));
        self.body.reserve(name);
        Expr::name(name, ty)
    }
}

impl Module {
    /// Declares arrays of these elements as [`ends`](Self::ends) does.
    pub fn input_output(&mut self, in_place: bool, input: Type, output: Type) -> (Expr, Expr) {
        self.ends(in_place, Type::array(input), Type::array(output))
    }

    /// Declares the input at binding 1 and the output at 2. In place, it declares one array at 2,
    /// with the input's type.
    pub fn ends(&mut self, in_place: bool, input: Type, output: Type) -> (Expr, Expr) {
        if in_place {
            let data = self.storage(2, "data", Access::ReadWrite, input);
            return (data.clone(), data);
        }
        let input = self.storage(1, "input", Access::Read, input);
        (input, self.storage(2, "output", Access::ReadWrite, output))
    }

    /// A comment line.
    pub fn comment(&mut self, text: impl std::fmt::Display) {
        let _ = writeln!(self.text, "// {text}");
    }

    /// An empty line.
    pub fn gap(&mut self) {
        self.text.push('\n');
    }

    /// Declares `const name = value;` of type u32.
    pub fn constant(&mut self, name: &str, value: u32) -> Expr {
        let _ = writeln!(self.text, "const {name} = {value}u;");
        Expr::name(name, U32)
    }

    pub fn alias(&mut self, name: &str, ty: &Type) -> Type {
        let _ = writeln!(self.text, "alias {name} = {ty};");
        Type::named(name)
    }

    pub fn structure(&mut self, name: &str, fields: &[(String, Type)]) -> Type {
        let _ = writeln!(self.text, "struct {name} {{");
        for (field, ty) in fields {
            let _ = writeln!(self.text, "    {field}: {ty},");
        }
        self.text.push_str("}\n\n");
        Type::named(name)
    }

    /// A storage binding of group 0: an array or a texture.
    pub fn storage(&mut self, binding: u32, name: &str, access: Access, ty: Type) -> Expr {
        if let Type::Texture(_) = ty {
            let _ = writeln!(self.text, "@group(0) @binding({binding}) var {name}: {ty};");
            return Expr::name(name, ty);
        }
        let access = if access == Access::Read { "read" } else { "read_write" };
        let _ = writeln!(self.text, "@group(0) @binding({binding}) var<storage, {access}> {name}: {ty};");
        Expr::name(name, ty)
    }

    /// A uniform binding of group 0.
    pub fn uniform(&mut self, binding: u32, name: &str, ty: &Type) {
        let _ = writeln!(self.text, "@group(0) @binding({binding}) var<uniform> {name}: {ty};");
    }

    /// Declarations that are text already.
    pub fn text(&mut self, text: &str) {
        let _ = writeln!(self.text, "{text}");
    }

    /// Declares an array or variable in workgroup memory.
    pub fn workgroup(&mut self, name: &str, ty: Type) -> Expr {
        let _ = writeln!(self.text, "var<workgroup> {name}: {ty};");
        Expr::name(name, ty)
    }

    pub fn function(&mut self, function: Function) {
        let Function { doc, attributes, name, parameters, result, body } = function;
        for line in doc.lines() {
            let _ = writeln!(self.text, "/// {line}");
        }
        self.text.push_str(&attributes);
        let result = result.map_or(String::new(), |ty| format!(" -> {ty}"));
        if attributes.is_empty() {
            let _ = writeln!(self.text, "fn {name}({}){result} {{", parameters.join(", "));
        } else {
            let _ = writeln!(self.text, "fn {name}(\n    {},\n) {{", parameters.join(",\n    "));
        }
        print::statements(&mut self.text, &body.finish(), 1);
        self.text.push_str("}\n\n");
    }

    /// The WGSL, with one empty line between functions and none at the end.
    pub fn finish(self) -> String {
        let mut text = self.text;
        while text.ends_with("\n\n") {
            text.pop();
        }
        text
    }
}
