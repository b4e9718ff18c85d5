//! The text of a fragment as part of a kernel.

use std::collections::BTreeSet;

use super::declared::{Declared, DeclaredKind};
use super::element::Form;
use super::tokens::{Kind, Source};
use crate::wgsl::{Access, Expr, Function, Module, Type, U32, min};

/// What the names of this crate begin with, so that they cannot collide with those of callers.
pub(super) const OURS: &str = "wgpu_fft_";

impl Source {
    /// The names that it declares outside of functions.
    pub fn declared(&self) -> BTreeSet<&str> {
        let mut depth = 0;
        let mut names = BTreeSet::new();
        for (i, token) in self.tokens.iter().enumerate() {
            match token.kind {
                Kind::Sign('{') => depth += 1,
                Kind::Sign('}') => depth -= 1,
                Kind::Word if depth == 0 && ["fn", "const", "struct", "alias"].contains(&token.text(&self.text)) => {
                    names.extend(self.tokens.get(i + 1).filter(|next| next.kind == Kind::Word).map(|next| next.text(&self.text)));
                }
                _ => {}
            }
        }
        names
    }

    /// Whether a word names a member in the declaration of a structure.
    fn declares_member(&self, i: usize) -> bool {
        if !self.tokens.get(i + 1).is_some_and(|next| next.is(':')) {
            return false;
        }
        // The brace before it that is still open.
        let mut depth = 0;
        for j in (0..i).rev() {
            match self.tokens[j].kind {
                Kind::Sign('}') => depth += 1,
                Kind::Sign('{') if depth > 0 => depth -= 1,
                Kind::Sign('{') => return j >= 2 && self.tokens[j - 2].is_word(&self.text, "struct"),
                _ => {}
            }
        }
        false
    }

    /// The text with other names for these words, and with calls in place of reads of arrays.
    ///
    /// All names that a text declares outside of functions get others wherever they stand, also
    /// where a function declares the same name again. So what a name means stays what it was.
    fn rewritten(&self, name: &dyn Fn(&str) -> Option<String>, is_array: &dyn Fn(&str) -> bool, index: [&str; 2]) -> Rewritten {
        let (mut text, mut places) = (String::new(), Vec::new());
        let mut end = 0;
        // For each open bracket, whether it became a call.
        let mut brackets: Vec<bool> = Vec::new();
        let mut opens_call = false;
        for (i, token) in self.tokens.iter().enumerate() {
            text.push_str(&self.text[end..token.range.start]);
            end = token.range.end;
            places.push((text.len(), token.range.start));
            let own = token.text(&self.text);
            match token.kind {
                Kind::Word if is_array(own) => {
                    opens_call = true;
                    text.push_str(&name(own).unwrap_or_else(|| own.to_owned()));
                }
                Kind::Word if !self.declares_member(i) => text.push_str(name(own).as_deref().unwrap_or(own)),
                Kind::Sign('[') => {
                    brackets.push(opens_call);
                    text.push_str(if std::mem::take(&mut opens_call) { index[0] } else { "[" });
                }
                Kind::Sign(']') => text.push_str(if brackets.pop() == Some(true) { index[1] } else { "]" }),
                _ => text.push_str(own),
            }
        }
        text.push_str(&self.text[end..]);
        Rewritten { text, places }
    }
}

/// A text of a caller's as it stands in a kernel.
pub(super) struct Rewritten {
    pub text: String,
    /// Where each token begins in it, and in the caller's text.
    places: Vec<(usize, usize)>,
}

impl Rewritten {
    /// The place in the caller's text.
    pub fn place(&self, at: usize) -> usize {
        let token = self.places.partition_point(|(own, _)| *own <= at).saturating_sub(1);
        self.places.get(token).map_or(0, |(_, place)| *place)
    }
}

/// A text with something else in place of some of its words.
pub(super) fn renamed(wgsl: &str, name: &dyn Fn(&str) -> Option<String>) -> String {
    Source::new(wgsl).map_or_else(|_| wgsl.to_owned(), |source| source.rewritten(name, &|_| false, ["[", "]"]).text)
}

/// What stands around the index of an array. It is converted, whichever integer it is.
pub(super) const INDEX: [&str; 2] = ["(u32(", "))"];
/// The same for a check: integers alone have this operator.
pub(super) const INTEGER_INDEX: [&str; 2] = ["(u32((", ") | 0))"];

/// What a name of a caller's becomes in the fragment of a side.
fn renamed_on(side: &str, own: &str) -> String {
    format!("{OURS}{side}_{own}")
}

/// The name of the binding of an array or a uniform. That of an array is ours; no caller's name
/// becomes it, since no side is called `data`.
pub(super) fn binding_name(side: &str, declared: &Declared) -> String {
    if declared.is_uniform() { renamed_on(side, &declared.name) } else { format!("{OURS}data_{side}_{}", declared.name) }
}

/// The name of the function that maps a value. No caller's name becomes it, since no side is called
/// `map`.
pub(super) fn function_name(side: &str) -> String {
    format!("{OURS}map_{side}")
}

/// A fragment as WGSL that can stand in any kernel: its names begin with a prefix of ours.
pub(super) struct Embedded<'a> {
    /// Which of several fragments in a kernel it is.
    pub side: &'a str,
    pub functions: &'a Source,
    pub expression: &'a Source,
    pub arrays: &'a [Declared],
    /// The parameters of the function.
    pub parameters: Vec<(String, String)>,
    pub result: Type,
}

impl Embedded<'_> {
    /// What a name of the caller's becomes.
    pub fn name(&self, own: &str) -> String {
        renamed_on(self.side, own)
    }

    /// Writes the declarations of arrays and uniforms, whose bindings begin with `first`.
    pub fn declare(&self, module: &mut Module, first: u32) {
        for (binding, declared) in (first..).zip(self.arrays) {
            let own = self.name(&declared.name);
            match &declared.kind {
                DeclaredKind::Uniform { wgsl, .. } => {
                    // The type may be one of the caller's structures.
                    let globals = self.globals();
                    let ty = renamed(wgsl, &|word| globals.contains(word).then(|| self.name(word)));
                    module.uniform(binding, &own, &Type::named(&ty));
                }
                DeclaredKind::Array { form, len, .. } => {
                    let array = module.storage(binding, &binding_name(self.side, declared), Access::Read, Type::array(form.stored()));
                    module.gap();
                    module.function(reader(&own, *form, *len, &array));
                }
            }
        }
    }

    /// A part with the names that it has in a kernel.
    pub fn rewritten(&self, part: &Source, index: [&str; 2]) -> Rewritten {
        let globals = self.globals();
        part.rewritten(&|word| globals.contains(word).then(|| self.name(word)), &|word| self.is_array(word), index)
    }

    /// Writes the declarations, the functions, and the function that maps a value. The bindings
    /// begin with `first`.
    pub fn write(&self, module: &mut Module, first: u32) {
        self.declare(module, first);
        let [functions, expression] = [self.functions, self.expression].map(|part| self.rewritten(part, INDEX).text);
        if !functions.trim().is_empty() {
            module.text(functions.trim_matches(['\n', '\r']));
            module.gap();
        }
        let parameters: Vec<String> = self.parameters.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        let function = function_name(self.side);
        module.text(&format!("fn {function}({}) -> {} {{\n    return (\n{expression}\n    );\n}}", parameters.join(", "), self.result));
        module.gap();
    }

    fn is_array(&self, word: &str) -> bool {
        self.arrays.iter().any(|declared| &*declared.name == word && !declared.is_uniform())
    }

    /// The names that the caller declares outside of functions.
    fn globals(&self) -> BTreeSet<&str> {
        let mut globals = self.functions.declared();
        globals.extend(self.arrays.iter().map(|declared| &*declared.name));
        globals
    }
}

/// The function that reads element i of an array. wgpu's own checks would do the same, but they
/// are on or off for a whole kernel.
fn reader(name: &str, form: Form, len: usize, array: &Expr) -> Function {
    let mut function = Function::new(name).returning(form.value());
    let i = function.parameter("i", U32);
    let last = u32::try_from(len - 1).unwrap_or(u32::MAX);
    let body = &mut function.body;
    let i = body.value("element", min(&i, last));
    let value = form.read(body, array, &i);
    body.give(value);
    function
}
