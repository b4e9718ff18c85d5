//! Whether a fragment is WGSL that a kernel can contain.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, Block, Expression, Function, Module, Span, Statement, TypeInner};

use super::source::{Embedded, OURS, Source};
use super::tokens::{Kind, Token, tokens};
use super::{Argument, Declared, DeclaredKind, Form, Fragment};
use crate::error::{Error, Result};
use crate::wgsl::{self, Type};

/// Limits on a fragment's text. WGSL compilers, wgpu's among them, are recursive, and a long
/// expression overflows their stack, which ends the process.
const MOST_BYTES: usize = 65_536;
const MOST_TOKENS: usize = 8192;
/// Of one statement: every level of an expression takes at least one token.
const MOST_TOKENS_OF_STATEMENT: usize = 512;
const MOST_NESTED: usize = 32;
const MOST_BYTES_OF_TYPE: usize = 1024;
/// `else if` nests, although it does not look so.
const MOST_ELSE: usize = 64;
/// Iterations of all loops that stand within one another, also in functions that a loop calls.
const MOST_ITERATIONS: u64 = 65_536;
/// Calls of functions that one call of the fragment makes, without loops. Compilers for GPUs put
/// the text of a function in place of each call.
const MOST_CALLS: u64 = 4096;
/// Characters of a line that an error shows.
const MOST_SHOWN: usize = 200;

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
    fn value(&self) -> Type {
        if self.loads { self.array.value() } else { self.inner.value() }
    }

    fn result(&self) -> Type {
        if self.loads { self.inner.value() } else { self.array.value() }
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
    /// The value on the other side of the fragment.
    inner: Form,
    loads: bool,
    /// What it uses.
    pub arguments: Vec<Argument>,
    /// Whether it indexes memory of its own, so that the kernel needs wgpu's checks.
    pub indexes_memory: bool,
}

impl Checked {
    /// Checks a fragment for its place.
    pub fn new(fragment: Fragment, element: &'static str, side: Side) -> Result<Self> {
        let Side { name, array, inner, loads, .. } = side;
        let (arguments, indexes_memory) = Check { fragment: &fragment, side }.run()?;
        Ok(Self { fragment, side: name, array, element, inner, loads, arguments, indexes_memory })
    }

    /// The value that the kernel has once the fragment is applied on a load, or before it is on a
    /// store.
    pub fn inner(&self) -> Form {
        self.inner
    }

    /// The name of the function that maps a value. It takes [`arguments`](Self::arguments).
    pub fn function(&self) -> String {
        self.embedded(Vec::new(), Vec::new()).function_name()
    }

    /// The name of the binding of an array or a uniform.
    pub fn binding_name(&self, declared: &Declared) -> String {
        self.embedded(Vec::new(), Vec::new()).binding_name(declared)
    }

    /// Writes that function and what it uses. The bindings of its arrays begin with `first`.
    pub fn write(&self, module: &mut wgsl::Module, first: u32) {
        let parts = [&self.fragment.functions, &self.fragment.expression].map(|text| tokens(text).unwrap_or_default());
        let [functions, expression] = parts;
        self.embedded(functions, expression).write(module, first);
    }

    fn embedded(&self, functions: Vec<Token>, expression: Vec<Token>) -> Embedded<'_> {
        let Self { fragment, side, array, inner, loads, arguments, .. } = self;
        let [value, result] = if *loads { [array, inner] } else { [inner, array] }.map(|form| form.value());
        let ty = |argument: &Argument| if *argument == Argument::Value { value.to_string() } else { argument.wgsl_type().to_owned() };
        Embedded {
            side,
            functions: Source { text: &fragment.functions, tokens: functions },
            expression: Source { text: &fragment.expression, tokens: expression },
            arrays: &fragment.arrays,
            parameters: arguments.iter().map(|argument| (argument.name(), ty(argument))).collect(),
            result,
        }
    }

    /// Its arrays and uniforms.
    pub fn arrays(&self) -> &[Declared] {
        &self.fragment.arrays
    }
}

struct Check<'a> {
    fragment: &'a Fragment,
    side: Side,
}

/// A part of a fragment.
#[derive(Clone, Copy)]
enum Part {
    Functions,
    Expression,
}

impl Check<'_> {
    fn run(&self) -> Result<(Vec<Argument>, bool)> {
        let Fragment { expression, functions, arrays } = self.fragment;
        let functions = self.source(Part::Functions, functions)?;
        let expression = self.source(Part::Expression, expression)?;
        if let Some(token) = expression.tokens.iter().find(|token| [';', '{', '}'].iter().any(|sign| token.is(*sign))) {
            let why = format!("it must be a single expression, without `{}`", token.text(expression.text));
            return Err(self.wrong_at(Part::Expression, expression.text, token.range.start, &why));
        }
        self.words(Part::Functions, &functions)?;
        self.words(Part::Expression, &expression)?;
        self.braces(&functions)?;
        self.loops(&functions)?;
        self.reads(Part::Functions, &functions)?;
        self.reads(Part::Expression, &expression)?;
        self.names(&functions)?;
        self.sizes(arrays)?;
        self.types(arrays)?;
        self.calls(&functions, &expression)?;
        let uses = |argument: &Argument| {
            let name = argument.name();
            expression.tokens.iter().any(|token| token.is_word(expression.text, &name))
        };
        let arguments: Vec<Argument> = Argument::all(self.side.rank, self.side.spectrum).filter(uses).collect();
        let module = self.parsed(&arguments, functions.text, expression.text)?;
        Ok((arguments, indexes_memory(&module)))
    }

    /// An error with the caller's line and column.
    fn wrong_at(&self, part: Part, text: &str, byte: usize, why: &str) -> Error {
        let before = &text[..byte.min(text.len())];
        let line = before.matches('\n').count() + 1;
        let begin = before.rfind('\n').map_or(0, |at| at + 1);
        let column = before[begin..].chars().count() + 1;
        let shown = text[begin..].lines().next().unwrap_or_default();
        // Of a long line the part around the place. Besides, a width of 65,536 panics.
        let skipped = column.saturating_sub(MOST_SHOWN / 2);
        let shown: String = shown.chars().skip(skipped).take(MOST_SHOWN).collect();
        let mark = column - skipped;
        let what = match part {
            Part::Functions => "functions of a fragment",
            Part::Expression => "fragment",
        };
        let why = format!("line {line}, column {column}: {why}\n    {shown}\n    {:>mark$}", '^');
        Error::Parse { what, text: text.to_owned(), why }
    }

    fn limit(what: &str, limit: &'static str, required: u64, available: u64) -> Error {
        Error::LimitExceeded { what: format!("a fragment ({what})"), limit, required, available }
    }

    /// The tokens of a part, if it is neither too long nor too deep for a compiler.
    fn source<'b>(&self, part: Part, text: &'b str) -> Result<Source<'b>> {
        let within = |what: &str, limit, required: usize, available: usize| {
            if required > available { Err(Self::limit(what, limit, required as u64, available as u64)) } else { Ok(()) }
        };
        within("bytes", "bytes of a fragment", text.len(), MOST_BYTES)?;
        let tokens = tokens(text).map_err(|at| self.wrong_at(part, text, at, "the comment does not end"))?;
        within("names, numbers, operators and brackets", "tokens of a fragment", tokens.len(), MOST_TOKENS)?;
        let (mut nested, mut deepest, mut statement, mut longest) = (0usize, 0, 0, 0);
        for token in &tokens {
            match token.kind {
                // A `<` may open the parameters of a type, which nest too.
                Kind::Sign('(' | '[' | '{' | '<') => nested += 1,
                Kind::Sign(')' | ']' | '}' | '>') => nested = nested.saturating_sub(1),
                _ => {}
            }
            if [';', '{', '}'].iter().any(|sign| token.is(*sign)) {
                // A `<` of a comparison is not closed.
                (statement, nested) = (0, if token.is(';') { depth_of_braces(&tokens, token) } else { nested });
            } else {
                statement += 1;
            }
            deepest = deepest.max(nested);
            longest = longest.max(statement);
        }
        within("names, numbers, operators and brackets of one statement", "tokens of a statement", longest, MOST_TOKENS_OF_STATEMENT)?;
        within("brackets within brackets", "depth of brackets", deepest, MOST_NESTED)?;
        let elses = tokens.iter().filter(|token| token.is_word(text, "else")).count();
        within("`else`", "else", elses, MOST_ELSE)?;
        Ok(Source { text, tokens })
    }

    /// Refuses words that have no place in a fragment.
    fn words(&self, part: Part, source: &Source<'_>) -> Result<()> {
        for token in &source.tokens {
            let word = token.text(source.text);
            let why = match token.kind {
                Kind::Sign('@') => "attributes have no place in a fragment".to_owned(),
                Kind::Word if word.starts_with(OURS) => format!("names that begin with `{OURS}` are reserved"),
                Kind::Word if ["enable", "requires", "diagnostic", "override", "discard"].contains(&word) => {
                    format!("`{word}` has no place in a fragment")
                }
                Kind::Word if ["while", "loop"].contains(&word) => {
                    format!("`{word}` has no bound: use `for (var i = 0u; i < 8u; i++)`, whose bound is a constant")
                }
                _ => continue,
            };
            return Err(self.wrong_at(part, source.text, token.range.start, &why));
        }
        Ok(())
    }

    /// Refuses braces that would end what surrounds the text, and variables outside of functions.
    fn braces(&self, source: &Source<'_>) -> Result<()> {
        let mut depth = 0;
        for token in &source.tokens {
            let wrong = |why: &str| Err(self.wrong_at(Part::Functions, source.text, token.range.start, why));
            match token.kind {
                Kind::Sign('{') => depth += 1,
                Kind::Sign('}') if depth == 0 => return wrong("`}` closes nothing"),
                Kind::Sign('}') => depth -= 1,
                Kind::Word if depth == 0 && token.text(source.text) == "var" => {
                    return wrong(
                        "a fragment has no variables outside of functions: declare arrays and uniforms with `array` and `uniform`",
                    );
                }
                _ => {}
            }
        }
        if depth > 0 {
            return Err(self.wrong_at(Part::Functions, source.text, source.text.len(), "a `}` is missing"));
        }
        Ok(())
    }

    /// Refuses loops whose bound is not a constant, or too many iterations.
    fn loops(&self, source: &Source<'_>) -> Result<()> {
        // The loops that are open: the depth of their bodies, and their iterations.
        let mut open: Vec<(usize, u64)> = Vec::new();
        let mut depth = 0;
        for (i, token) in source.tokens.iter().enumerate() {
            match token.kind {
                Kind::Sign('{') => depth += 1,
                Kind::Sign('}') => {
                    depth -= 1;
                    while open.last().is_some_and(|(own, _)| *own > depth) {
                        open.pop();
                    }
                }
                Kind::Word if token.text(source.text) == "for" => {
                    let wrong = |why: &str| self.wrong_at(Part::Functions, source.text, token.range.start, why);
                    let iterations = Counted::parse(source, i).map_err(wrong)?;
                    open.push((depth + 1, iterations));
                    let all = open.iter().fold(1u64, |all, (_, own)| all.saturating_mul(*own));
                    if all > MOST_ITERATIONS {
                        return Err(Self::limit(
                            "iterations of a loop and those around it",
                            "iterations of a fragment",
                            all,
                            MOST_ITERATIONS,
                        ));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Refuses uses of an array other than `name[index]`.
    fn reads(&self, part: Part, source: &Source<'_>) -> Result<()> {
        let is_array = |word: &str| self.fragment.arrays.iter().any(|own| &*own.name == word && !own.is_uniform());
        for (i, token) in source.tokens.iter().enumerate() {
            let word = token.text(source.text);
            if token.kind == Kind::Word && is_array(word) && !source.tokens.get(i + 1).is_some_and(|next| next.is('[')) {
                let why = format!("the array `{word}` can only be read by `{word}[index]`");
                return Err(self.wrong_at(part, source.text, token.range.start, &why));
            }
        }
        Ok(())
    }

    /// Refuses names that would change what others mean.
    fn names(&self, functions: &Source<'_>) -> Result<()> {
        let mut arguments: BTreeSet<String> = Argument::all(4, true).map(Argument::name).collect();
        // Words that would be renamed wherever they stand.
        arguments.extend(["u32", "f32", "i32", "bool", "fn", "let", "var", "return"].map(str::to_owned));
        let wrong =
            |name: &str, why: &str| Err(Error::Unsupported { what: format!("the name `{name}` in a fragment"), why: why.to_owned() });
        let declared = functions.declared();
        for name in &declared {
            if arguments.contains(*name) {
                return wrong(name, "it has a meaning in every fragment");
            }
        }
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        for Declared { name, .. } in &self.fragment.arrays {
            let is_name =
                name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && name.starts_with(|c: char| c.is_ascii_alphabetic());
            if !is_name || name.starts_with(OURS) {
                return wrong(name, "a name consists of letters, digits and `_`, and begins with a letter");
            }
            if arguments.contains(&**name) {
                return wrong(name, "it has a meaning in every fragment");
            }
            if declared.contains(&**name) || !seen.insert(name) {
                return wrong(name, "it is declared twice");
            }
        }
        Ok(())
    }

    /// Refuses arrays without elements.
    fn sizes(&self, arrays: &[Declared]) -> Result<()> {
        for Declared { name, kind, .. } in arrays {
            match kind {
                DeclaredKind::Array { len: 0, element, .. } => {
                    return Err(Error::Empty { what: "an array of a fragment", shape: format!("0 {element} (`{name}`)") });
                }
                DeclaredKind::Array { len, .. } if u32::try_from(*len).is_err() => {
                    return Err(Self::limit(name, "elements indexed by a u32", *len as u64, u32::MAX.into()));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Refuses types of uniforms that are more than a type, or nested too deep for a compiler.
    fn types(&self, arrays: &[Declared]) -> Result<()> {
        for Declared { name, kind, .. } in arrays {
            let DeclaredKind::Uniform { wgsl, .. } = kind else { continue };
            let wrong = |why: &str| {
                let text = wgsl.chars().take(MOST_SHOWN).collect();
                Err(Error::Parse { what: "type of a uniform", text, why: format!("{why} (the uniform `{name}`)") })
            };
            if wgsl.len() > MOST_BYTES_OF_TYPE {
                return Err(Self::limit("bytes of the type of a uniform", "bytes of a type", wgsl.len() as u64, MOST_BYTES_OF_TYPE as u64));
            }
            let Ok(tokens) = tokens(wgsl) else { return wrong("the comment does not end") };
            if !tokens.first().is_some_and(|first| first.kind == Kind::Word) {
                return wrong("it must be the name of a type");
            }
            let fits = |token: &Token| matches!(token.kind, Kind::Word | Kind::Number | Kind::Sign('<' | '>' | ','));
            if let Some(token) = tokens.iter().find(|token| !fits(token) || token.text(wgsl).starts_with(OURS)) {
                return wrong(&format!("`{}` has no place in a type", token.text(wgsl)));
            }
            let (mut open, mut deepest) = (0usize, 0);
            for token in &tokens {
                open = if token.is('<') { open + 1 } else { open.saturating_sub(usize::from(token.is('>'))) };
                deepest = deepest.max(open);
            }
            if deepest > MOST_NESTED {
                return Err(Self::limit("types within types", "depth of brackets", deepest as u64, MOST_NESTED as u64));
            }
        }
        Ok(())
    }

    /// Refuses functions that call one another so often that no compiler or device gets through:
    /// each of thirty may call the next one twice.
    fn calls(&self, functions: &Source<'_>, expression: &Source<'_>) -> Result<()> {
        let functions = Called::all(functions).map_err(|(at, why)| self.wrong_at(Part::Functions, functions.text, at, why))?;
        let called: BTreeMap<&str, Cost> = Called::costs(&functions);
        let names = expression.tokens.iter().filter(|token| token.kind == Kind::Word).map(|token| token.text(expression.text));
        let total = names.filter_map(|name| called.get(name)).fold(Cost::default(), |all, cost| all.with(*cost, 1));
        if total.calls > MOST_CALLS {
            return Err(Self::limit("calls of its functions", "calls of a fragment", total.calls, MOST_CALLS));
        }
        if total.iterations > MOST_ITERATIONS {
            let what = "iterations of a loop and those of the functions that it calls";
            return Err(Self::limit(what, "iterations of a fragment", total.iterations, MOST_ITERATIONS));
        }
        Ok(())
    }

    /// The fragment between a text of ours, as naga understands it.
    fn parsed(&self, arguments: &[Argument], functions: &str, expression: &str) -> Result<Module> {
        let mut text = String::new();
        for (i, Declared { name, kind, .. }) in self.fragment.arrays.iter().enumerate() {
            let declaration = match kind {
                DeclaredKind::Array { form, .. } => format!("var<storage, read> {name}: array<{}>", form.value()),
                DeclaredKind::Uniform { wgsl, .. } => format!("var<uniform> {name}: {wgsl}"),
            };
            text += &format!("@group(0) @binding({i}) {declaration};\n");
        }
        let begin = text.len();
        text += functions;
        let of_functions = begin..text.len();
        let (value, result) = (self.side.value(), self.side.result());
        let ty = |argument: &Argument| if *argument == Argument::Value { value.to_string() } else { argument.wgsl_type().to_owned() };
        let parameters: Vec<String> = arguments.iter().map(|argument| format!("{}: {}", argument.name(), ty(argument))).collect();
        text += &format!("\nfn {OURS}map({}) -> {result} {{\n    let {OURS}result: {result} = (\n", parameters.join(", "));
        let begin = text.len();
        text += expression;
        let of_expression = begin..text.len();
        // A compute shader calls the function: some WGSL functions are valid only in fragment
        // shaders, and naga notices that only if a shader of another kind calls them.
        let zeros: Vec<String> = arguments.iter().map(|argument| format!("{}()", ty(argument))).collect();
        text += &format!(
            "\n    );\n    return {OURS}result;\n}}\n\n@compute @workgroup_size(1)\nfn {OURS}caller() {{\n    let result = {OURS}map({});\n}}\n",
            zeros.join(", ")
        );
        let error = |span: Option<Span>, message: String| {
            // The expression stands in a declaration of ours, whose type it must have.
            if let Some((_, types)) = message.split_once(&format!("the type of `{OURS}result` is ")) {
                let types = types.split(": definition").next().unwrap_or(types);
                return self.wrong_at(Part::Expression, expression, 0, &format!("the type of the fragment is {types}"));
            }
            let ranges = [(Part::Functions, of_functions.clone(), functions), (Part::Expression, of_expression.clone(), expression)];
            self.at_span(span, &ranges, &message)
        };
        let module = naga::front::wgsl::parse_str(&text).map_err(|own| {
            let notes: Vec<Cow<'_, str>> =
                own.labels().map(|(_, label)| label.into()).filter(|label: &Cow<'_, str>| !label.is_empty()).collect();
            let span = own.labels().next().map(|(span, _)| span);
            let message = if notes.is_empty() || own.message().contains(&*notes[0]) {
                own.message().to_owned()
            } else {
                format!("{}: {}", own.message(), notes[0])
            };
            error(span, message)
        })?;
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::SHADER_FLOAT16_IN_FLOAT32);
        let info = validator.validate(&module).map_err(|own| {
            let span = own.spans().map(|(span, _)| *span).find(|span| inside(*span, &of_functions) || inside(*span, &of_expression));
            let mut message = own.as_inner().to_string();
            let mut source = std::error::Error::source(own.as_inner());
            while let Some(cause) = source {
                message += &format!(": {cause}");
                source = cause.source();
            }
            error(span, message)
        })?;
        drop(info);
        self.contents(&module, &of_functions, functions)?;
        self.uniforms(&module)?;
        Ok(module)
    }

    fn at_span(&self, span: Option<Span>, parts: &[(Part, Range<usize>, &str)], message: &str) -> Error {
        for (part, range, text) in parts {
            if let Some(range) = span.filter(|span| inside(*span, range)).and_then(|span| Some(span.to_range()?.start - range.start)) {
                return self.wrong_at(*part, text, range, message);
            }
        }
        Error::Parse { what: "fragment", text: self.fragment.expression.to_string(), why: message.to_owned() }
    }

    /// Refuses statements that do more than compute a value.
    fn contents(&self, module: &Module, of_functions: &Range<usize>, functions: &str) -> Result<()> {
        for (_, function) in module.functions.iter() {
            let mut found = None;
            visit(&function.body, &mut |statement, span| {
                let what = match statement {
                    Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) => "a barrier",
                    Statement::Atomic { .. } | Statement::ImageAtomic { .. } => "an atomic operation",
                    Statement::ImageStore { .. } => "a store to a texture",
                    Statement::Kill => "`discard`",
                    Statement::WorkGroupUniformLoad { .. } => "workgroupUniformLoad",
                    Statement::SubgroupBallot { .. } | Statement::SubgroupGather { .. } | Statement::SubgroupCollectiveOperation { .. } => {
                        "a subgroup operation"
                    }
                    _ => return,
                };
                found = Some((what, span));
            });
            if let Some((what, span)) = found {
                let message = format!("{what} has no place in a fragment");
                return Err(self.at_span(Some(span), &[(Part::Functions, of_functions.clone(), functions)], &message));
            }
        }
        Ok(())
    }

    /// Refuses uniforms whose size is not that of the Rust type.
    fn uniforms(&self, module: &Module) -> Result<()> {
        for Declared { name, kind, .. } in &self.fragment.arrays {
            let DeclaredKind::Uniform { wgsl, element, bytes } = kind else { continue };
            let variable = module.global_variables.iter().find(|(_, variable)| variable.name.as_deref() == Some(&**name));
            let Some((_, variable)) = variable else { continue };
            let size = module.types[variable.ty].inner.size(module.to_ctx()) as usize;
            if size != *bytes {
                let what = format!("the uniform `{name}` of a fragment");
                let why = format!("`{wgsl}` has {size} bytes in WGSL, but {element} has {bytes}");
                return Err(Error::Unsupported { what, why });
            }
        }
        Ok(())
    }
}

/// The braces that are open at a token.
fn depth_of_braces(tokens: &[Token], at: &Token) -> usize {
    let before = tokens.iter().take_while(|token| token.range.start < at.range.start);
    before.fold(0usize, |depth, token| if token.is('{') { depth + 1 } else { depth.saturating_sub(usize::from(token.is('}'))) })
}

fn inside(span: Span, range: &Range<usize>) -> bool {
    span.to_range().is_some_and(|span| range.start <= span.start && span.start <= range.end && span.start < span.end)
}

fn visit(block: &Block, f: &mut dyn FnMut(&Statement, Span)) {
    for (statement, span) in block.span_iter() {
        f(statement, *span);
        match statement {
            Statement::Block(inner) => visit(inner, f),
            Statement::If { accept, reject, .. } => [accept, reject].into_iter().for_each(|inner| visit(inner, f)),
            Statement::Switch { cases, .. } => cases.iter().for_each(|case| visit(&case.body, f)),
            Statement::Loop { body, continuing, .. } => [body, continuing].into_iter().for_each(|inner| visit(inner, f)),
            _ => {}
        }
    }
}

/// Whether a function indexes anything but the caller's arrays by a value that is not constant.
fn indexes_memory(module: &Module) -> bool {
    module.functions.iter().any(|(_, function)| {
        function
            .expressions
            .iter()
            .any(|(_, expression)| matches!(expression, Expression::Access { base, .. } if !is_array(module, function, *base)))
    })
}

fn is_array(module: &Module, function: &Function, base: naga::Handle<Expression>) -> bool {
    match function.expressions[base] {
        Expression::GlobalVariable(variable) => {
            let variable = &module.global_variables[variable];
            matches!(variable.space, AddressSpace::Storage { .. }) && matches!(module.types[variable.ty].inner, TypeInner::Array { .. })
        }
        _ => false,
    }
}

/// What a call of a function takes.
#[derive(Clone, Copy, Default, Debug)]
struct Cost {
    /// Calls in its text and in the texts of what it calls.
    calls: u64,
    /// Iterations of its loops within one another and within loops around its calls.
    iterations: u64,
}

impl Cost {
    /// This and a call of another function in a loop of so many iterations.
    fn with(self, other: Self, iterations: u64) -> Self {
        let calls = self.calls.saturating_add(other.calls).saturating_add(1);
        Self { calls, iterations: self.iterations.max(other.iterations.max(1).saturating_mul(iterations)) }
    }
}

/// A function: what it calls, each within loops of so many iterations.
#[derive(Default, Debug)]
struct Called<'a> {
    name: &'a str,
    iterations: u64,
    calls: Vec<(&'a str, u64)>,
}

impl<'a> Called<'a> {
    /// The functions of a text, or what is wrong at which byte.
    fn all(source: &Source<'a>) -> std::result::Result<Vec<Self>, (usize, &'static str)> {
        let tokens = &source.tokens;
        let mut all: Vec<Self> = Vec::new();
        let mut depth = 0usize;
        // The loops that are open: the depth of their bodies, and their iterations.
        let mut open: Vec<(usize, u64)> = Vec::new();
        for (i, token) in tokens.iter().enumerate() {
            match token.kind {
                Kind::Sign('{') => depth += 1,
                Kind::Sign('}') => {
                    depth = depth.saturating_sub(1);
                    open.retain(|(own, _)| *own <= depth);
                }
                Kind::Word if depth == 0 && token.is_word(source.text, "fn") => {
                    let name = tokens.get(i + 1).map_or("", |next| next.text(source.text));
                    all.push(Self { name, iterations: 1, calls: Vec::new() });
                }
                Kind::Word if depth > 0 => {
                    let word = token.text(source.text);
                    let around = open.iter().fold(1u64, |product, (_, own)| product.saturating_mul(*own));
                    let Some(function) = all.last_mut() else { continue };
                    if word == "for" {
                        let own = Counted::parse(source, i).map_err(|why| (token.range.start, why))?;
                        open.push((depth + 1, own.max(1)));
                        function.iterations = function.iterations.max(around.saturating_mul(own));
                    } else {
                        // Whether it is a function is known once all of them are.
                        function.calls.push((word, around));
                    }
                }
                _ => {}
            }
        }
        Ok(all)
    }

    /// What each function takes. Those that call themselves, which WGSL forbids, cost nothing here;
    /// naga refuses them.
    fn costs(all: &[Self]) -> BTreeMap<&'a str, Cost> {
        let names: BTreeSet<&str> = all.iter().map(|own| own.name).collect();
        let mut known: BTreeMap<&str, Cost> = BTreeMap::new();
        // A function is known once all that it calls are. Each turn makes at least one known.
        loop {
            let before = known.len();
            for own in all {
                let called = || own.calls.iter().filter(|(name, _)| names.contains(name));
                if known.contains_key(own.name) || called().any(|(name, _)| !known.contains_key(name)) {
                    continue;
                }
                let start = Cost { calls: 0, iterations: own.iterations };
                known.insert(own.name, called().fold(start, |cost, (name, around)| cost.with(known[name], *around)));
            }
            if known.len() == before {
                return known;
            }
        }
    }
}

/// A loop with a known number of iterations.
struct Counted;

impl Counted {
    /// The iterations of the loop whose `for` is token i: `for (var i = 0u; i < 8u; i++)`.
    fn parse(source: &Source<'_>, i: usize) -> std::result::Result<u64, &'static str> {
        const SHAPE: &str =
            "the bound of a loop must be a constant: `for (var i = 0u; i < 8u; i++)`, with numbers or constants of the fragment";
        let text = |token: &Token| token.text(source.text).to_owned();
        let all = &source.tokens[i + 1..];
        let mut depth = 0;
        let close = all.iter().position(|token| {
            depth += i32::from(token.is('(')) - i32::from(token.is(')'));
            depth == 0
        });
        let (Some(close), true) = (close, all.first().is_some_and(|token| token.is('('))) else { return Err(SHAPE) };
        let header: Vec<String> = all[1..close].iter().map(text).collect();
        let mut parts = header.split(|token| token == ";");
        let (Some(first), Some(condition), Some(step), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
            return Err(SHAPE);
        };
        let number = |token: &String| number_of(source, token).ok_or(SHAPE);
        let (name, begin) = match first {
            [var, name, equals, value] if var == "var" && equals == "=" => (name, number(value)?),
            [var, name, colon, ty, equals, value] if var == "var" && colon == ":" && equals == "=" && (ty == "u32" || ty == "i32") => {
                (name, number(value)?)
            }
            _ => return Err(SHAPE),
        };
        let end = match condition {
            [own, less, limit] if own == name && less == "<" => number(limit)?,
            [own, less, equals, limit] if own == name && less == "<" && equals == "=" => number(limit)? + 1,
            _ => return Err(SHAPE),
        };
        let step = match step {
            [own, a, b] if own == name && a == "+" && b == "+" => 1,
            [own, plus, equals, by] if own == name && plus == "+" && equals == "=" => number(by)?,
            _ => return Err(SHAPE),
        };
        if step < 1 {
            return Err("the step of a loop must be at least 1");
        }
        // A counter of 32 bits that goes past its largest value begins again, and the loop never
        // ends.
        if end.saturating_add(step) > i64::from(i32::MAX) {
            return Err("the bound and the step of a loop must add up to less than 2147483648");
        }
        // Nothing else may change the counter.
        let body = &all[close + 1..];
        let mut depth = 0;
        for (j, token) in body.iter().enumerate() {
            depth += i32::from(token.is('{')) - i32::from(token.is('}'));
            if depth == 0 {
                break;
            }
            if token.kind != Kind::Word || text(token) != *name {
                continue;
            }
            // The place that is assigned to may stand in brackets.
            let follows: Vec<String> = body[j + 1..].iter().skip_while(|next| next.is(')')).take(3).map(text).collect();
            let follows: Vec<&str> = follows.iter().map(String::as_str).collect();
            let assigned = matches!(
                follows[..],
                ["=", other, ..] if other != "="
            ) || matches!(
                follows[..],
                ["+" | "-" | "*" | "/" | "%" | "&" | "|" | "^", "=", ..]
                    | ["+", "+", ..]
                    | ["-", "-", ..]
                    | ["<", "<", "="]
                    | [">", ">", "="]
            );
            let taken = j > 0 && body[j - 1].is('&') && !(j > 1 && (body[j - 2].is('&') || is_operand(&body[j - 2])));
            let declared = j > 0 && ["var", "let", "const"].iter().any(|word| body[j - 1].is_word(source.text, word));
            if assigned || taken || declared {
                return Err("the counter of a loop must not be changed or declared again in its body");
            }
        }
        Ok(u64::try_from((end - begin).max(0)).unwrap_or(0).div_ceil(step as u64))
    }
}

/// Whether an operator may follow a token.
fn is_operand(token: &Token) -> bool {
    matches!(token.kind, Kind::Word | Kind::Member | Kind::Number | Kind::Sign(')' | ']'))
}

/// A number: a literal, or a constant of the fragment with a literal as its value.
fn number_of(source: &Source<'_>, token: &str) -> Option<i64> {
    let literal =
        |token: &str| token.trim_end_matches(['u', 'i']).parse::<i64>().ok().filter(|value| (0..=i64::from(u32::MAX)).contains(value));
    literal(token).or_else(|| {
        let tokens = &source.tokens;
        let i = (0..tokens.len())
            .find(|&i| tokens[i].is_word(source.text, "const") && tokens.get(i + 1).is_some_and(|own| own.text(source.text) == token))?;
        // A function may declare another value by the same name.
        let again = (0..tokens.len()).any(|j| {
            let is_own = tokens[j].is_word(source.text, token) && j != i + 1;
            let declares = j > 0 && ["let", "var", "const"].iter().any(|word| tokens[j - 1].is_word(source.text, word));
            is_own && (declares || tokens.get(j + 1).is_some_and(|next| next.is(':')))
        });
        if again {
            return None;
        }
        let rest = &tokens[i + 2..];
        let equals = rest.iter().take(3).position(|token| token.is('='))?;
        let (value, end) = (rest.get(equals + 1)?, rest.get(equals + 2)?);
        if end.is(';') { literal(value.text(source.text)) } else { None }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Complex32;

    const SIDE: Side = Side { name: "input", rank: 2, spectrum: false, array: Form::REAL, inner: Form::COMPLEX, loads: true };

    fn check(fragment: Fragment) -> Result<Checked> {
        Checked::new(fragment, "f32", SIDE)
    }

    fn why(fragment: Fragment) -> String {
        check(fragment).unwrap_err().to_string()
    }

    #[test]
    fn fragments_of_the_right_type_are_taken() {
        let fine = |expression: &str| check(Fragment::new(expression)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(fine("vec2(value, 0.0)").arguments, [Argument::Value]);
        assert_eq!(fine("vec2(f32(i1 + n0 * batch), value) /* k0 */").arguments.len(), 4);
        let looped = Fragment::new("vec2(f(value), 0.0)").functions(
            "const N: u32 = 4u;\n\
             fn f(x: f32) -> f32 {\n    var sum = 0.0;\n    for (var i = 0u; i < N; i++) {\n        for (var j: i32 = 0; j <= 7; j += 2) {\n            if (i == 3u && j != 2) { sum += x * f32(i); }\n        }\n    }\n    return sum;\n}",
        );
        assert!(!check(looped).unwrap().indexes_memory);
        let table = Fragment::new("vec2(f(i0) * value, 0.0)")
            .functions("fn f(i: u32) -> f32 {\n    var table = array<f32, 4>(1.0, 2.0, 3.0, 4.0);\n    return table[i % 4u];\n}");
        assert!(check(table).unwrap().indexes_memory);
        let array = Fragment::new("vec2(taps[i0], taps[taps_2[3]])").array::<f32>("taps", 4).array::<u32>("taps_2", 4);
        assert!(!check(array).unwrap().indexes_memory);
    }

    #[test]
    fn errors_name_the_callers_line_and_column() {
        assert!(
            why(Fragment::new("vec2(value, gain)"))
                .contains("line 1, column 13: no definition in scope for identifier: `gain`: unknown identifier\n    vec2(value, gain)\n                ^"),
            "{}",
            why(Fragment::new("vec2(value, gain)"))
        );
        let functions = "fn f(x: f32) -> f32 {\n    return x +;\n}";
        assert!(
            why(Fragment::new("vec2(f(value), 0.0)").functions(functions)).contains("line 2, column"),
            "{}",
            why(Fragment::new("vec2(f(value), 0.0)").functions(functions))
        );
        let two_lines = "vec2(value,\n     true)";
        assert!(why(Fragment::new(two_lines)).contains("line "), "{}", why(Fragment::new(two_lines)));
        let wrong_type = why(Fragment::new("value"));
        assert!(wrong_type.contains("line 1") && wrong_type.contains("vec2<f32>"), "{wrong_type}");
        assert!(why(Fragment::new("vec2(value, f32(k0))")).contains("`k0`"), "positions have no frequency");
    }

    #[test]
    fn others_are_refused_with_a_reason() {
        let with = |functions: &str| Fragment::new("vec2(value, 0.0)").functions(functions);
        for (fragment, reason) in [
            (Fragment::new(""), "expected"),
            (Fragment::new("vec2(value, 0.0); discard"), "without `;`"),
            (Fragment::new("vec2(value, 0.0) } fn x() {"), "without `}`"),
            (Fragment::new("vec2(value, 0.0 /* "), "the comment does not end"),
            (Fragment::new("vec2(value, input[3])"), "`input`"),
            (Fragment::new("load(i0)"), "`load`"),
            (Fragment::new("vec2(dpdx(value), 0.0)"), "fragment"),
            (with("} fn f() {"), "`}` closes nothing"),
            (with("fn f() {"), "a `}` is missing"),
            (with("var<private> x: f32;"), "no variables outside of functions"),
            (with("@compute @workgroup_size(1) fn f() {}"), "attributes"),
            (with("enable f16;"), "`enable`"),
            (with("override x = 3.0;"), "`override`"),
            (with("fn f() { workgroupBarrier(); }"), "a barrier has no place"),
            (with("fn f() { while (true) {} }"), "`while` has no bound"),
            (with("fn f() { loop { break; } }"), "`loop` has no bound"),
            (with("fn f(n: u32) { for (var i = 0u; i < n; i++) {} }"), "bound of a loop must be a constant"),
            (with("fn f() { for (var i = 0u; i < 8u; i++) { i = 0u; } }"), "counter"),
            (with("fn f() { for (var i = 0u; i < 8u; i++) { (i) -= 1u; } }"), "counter"),
            (with("fn g(i: ptr<function, u32>) {}\nfn f() { for (var i = 0u; i < 8u; i++) { g(&i); } }"), "counter"),
            (with("const N = 8u;\nfn f() { let N = i32(3); for (var i = 0; i < N; i++) {} }"), "bound of a loop"),
            (with("fn f() { for (var i = 0u; i < 8u; i += 0u) {} }"), "at least 1"),
            (with("fn f() { for (var i = 0u; i < 300u; i++) { for (var j = 0u; j < 300u; j++) {} } }"), "iterations"),
            (with("fn f() { f(); }"), ""),
            (with("fn value() {}"), "`value`"),
            (with("const wgpu_fft_x = 1;"), "reserved"),
            (Fragment::new("vec2(value, 0.0)").array::<f32>("i0", 3), "`i0`"),
            (Fragment::new("vec2(value, 0.0)").array::<f32>("a b", 3), "letters, digits"),
            (Fragment::new("vec2(value, 0.0)").array::<f32>("a", 3).uniform::<f32>("a", "f32"), "declared twice"),
            (Fragment::new("vec2(value, 0.0)").array::<f32>("a", 0), "at least 1"),
            (Fragment::new("vec2(value, a)").array::<f32>("a", 3), "can only be read by `a[index]`"),
            (
                Fragment::new("vec2(value, f(&a))")
                    .functions("fn f(p: ptr<storage, array<f32>>) -> f32 { return (*p)[0]; }")
                    .array::<f32>("a", 3),
                "can only be read",
            ),
            (Fragment::new("vec2(value, s)").uniform::<Complex32>("s", "f32"), "`f32` has 4 bytes in WGSL, but complex f32 has 8"),
        ] {
            let text = why(fragment.clone());
            assert!(text.contains(reason), "{fragment}: {text}");
        }
        for (first, condition, step) in [("4294967290u", "<= 4294967295u", "i++"), ("4294967290u", "< 4294967295u", "i += 2u")] {
            let endless = format!("fn f() {{ for (var i = {first}; i {condition}; {step}) {{}} }}");
            assert!(why(with(&endless)).contains("must add up to less than 2147483648"), "the counter begins again at 0");
        }
        let deep = format!("vec2({}value{}, 0.0)", "(".repeat(100), ")".repeat(100));
        assert!(matches!(check(Fragment::new(deep)), Err(Error::LimitExceeded { .. })));
        let long = format!("vec2(value{}, 0.0)", " + value".repeat(1000));
        assert!(matches!(check(Fragment::new(long)), Err(Error::LimitExceeded { .. })));
        let chain = format!("fn f(x: u32) {{ if (x == 0u) {{}} {} }}", "else if (x == 1u) {} ".repeat(1000));
        assert!(matches!(check(with(&chain)), Err(Error::LimitExceeded { .. })));
    }

    /// Found by fuzzing: a width of a format must be less than 65,536.
    #[test]
    fn errors_of_long_lines_show_a_part() {
        let functions = format!("fn f() {{{}", " ".repeat(MOST_BYTES - 8));
        let error = why(Fragment::new("vec2(value, 0.0)").functions(functions));
        assert!(error.contains("line 1, column 65537: a `}` is missing"), "{}", &error[error.len() - 300..]);
        assert!(error.ends_with(&format!("\n    {}^", " ".repeat(99))), "{}", &error[error.len() - 300..]);
    }

    #[test]
    fn functions_that_call_too_much_are_refused() {
        let doubling = |functions: usize| {
            let first = "fn g0(x: f32) -> f32 { return x; }\n".to_owned();
            let rest = (1..functions).map(|i| format!("fn g{i}(x: f32) -> f32 {{ return g{0}(x) + g{0}(x); }}\n", i - 1));
            let text: String = std::iter::once(first).chain(rest).collect();
            check(Fragment::new(format!("vec2(g{}(value), 0.0)", functions - 1)).functions(text))
        };
        assert!(doubling(8).is_ok());
        assert!(matches!(doubling(40), Err(Error::LimitExceeded { limit: "calls of a fragment", .. })));
        let nested = |inner: u32, outer: u32| {
            let text = format!(
                "fn g(x: f32) -> f32 {{ var s = 0.0; for (var i = 0u; i < {outer}u; i++) {{ s += f(x); }} return s; }}\n\
                 fn f(x: f32) -> f32 {{ var s = 0.0; for (var i = 0u; i < {inner}u; i++) {{ s += x; }} return s; }}"
            );
            check(Fragment::new("vec2(g(value), 0.0)").functions(text))
        };
        assert!(nested(256, 256).is_ok());
        assert!(matches!(nested(256, 257), Err(Error::LimitExceeded { required: 65_792, .. })));
    }

    #[test]
    fn types_of_uniforms_are_types() {
        let of = |ty: &str| check(Fragment::new("vec2(value, 0.0)").uniform::<[f32; 4]>("own", ty)).map(drop);
        assert_eq!([of("vec4<f32>"), of("vec4f"), of("array<vec4<f32>, 1>")], [Ok(()), Ok(()), Ok(())]);
        for (ty, reason) in [
            ("vec4<f32>;\n@group(0) @binding(9) var<storage, read_write> more: array<u32>", "`;` has no place in a type"),
            ("", "the name of a type"),
            ("vec4<f32> /*", "the comment does not end"),
            ("vec4<f32> = vec4()", "`=` has no place in a type"),
            ("wgpu_fft_x", "`wgpu_fft_x` has no place"),
        ] {
            let error = of(ty).unwrap_err().to_string();
            assert!(error.contains(reason), "{ty}: {error}");
        }
        // Enough to overflow the stack of a compiler.
        assert!(matches!(of(&"array<".repeat(100)), Err(Error::LimitExceeded { .. })));
        assert!(matches!(of(&"array<".repeat(10_000)), Err(Error::LimitExceeded { .. })));
    }

    /// Names of ours and of the caller in one kernel must differ, whatever the caller's are.
    #[test]
    fn no_name_of_a_caller_is_one_of_ours() {
        let fragment = Fragment::new("vec2(map(value) + x[0] + data_x + of_x(), 0.0)")
            .functions("fn map(a: f32) -> f32 { return a; }\nfn of_x() -> f32 { return 1.0; }\nfn map_input() {}\nfn data_input_x() {}")
            .array::<f32>("x", 3)
            .uniform::<f32>("data_x", "f32");
        let mut module = wgsl::Module::default();
        check(fragment).unwrap().write(&mut module, 70);
        let text = module.finish();
        assert!(naga::front::wgsl::parse_str(&text).is_ok(), "{text}");
    }

    /// Whatever a caller calls things, they are the caller's.
    #[test]
    fn names_are_kept_apart() {
        let fragment = Fragment::new("vec2(min(value, store.load) * taps[u32(roots)], 0.0)")
            .functions("struct load { load: f32, x: f32 }\nalias real = f32;\nconst roots: real = 1.0;\nfn min(a: real, b: f32) -> f32 { let store = a; return store + b; }")
            .array::<f32>("taps", 3)
            .uniform::<[f32; 2]>("store", "load");
        let checked = check(fragment).unwrap();
        let mut module = wgsl::Module::default();
        checked.write(&mut module, 70);
        let text = module.finish();
        for part in [
            "var<uniform> wgpu_fft_input_store: wgpu_fft_input_load;",
            "struct wgpu_fft_input_load { load: f32, x: f32 }",
            "fn wgpu_fft_input_min(a: wgpu_fft_input_real, b: f32) -> f32 { let wgpu_fft_input_store = a; return wgpu_fft_input_store + b; }",
            "wgpu_fft_input_taps(u32(u32(wgpu_fft_input_roots)))",
            "wgpu_fft_input_store.load",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        assert!(naga::front::wgsl::parse_str(&text).is_ok(), "{text}");
    }
}
