//! Whether a fragment is WGSL that a kernel can contain.

use std::collections::BTreeSet;
use std::ops::Range;

use naga::Span;

use super::argument::Argument;
use super::checked::{Checked, Side};
use super::declared::{Declared, DeclaredKind};
use super::element::Form;
use super::proof::{self, Refusal};
use super::sizes::Sizes;
use super::source::{INTEGER_INDEX, OURS, function_name};
use super::spec::Fragment;
use super::texels::Picture;
use super::tokens::{Kind, Source, Token, Wrong};
use crate::error::{self, Error, Result};
use crate::threads::on_deep_stack;
use crate::wgsl;

/// Limits on a fragment's text. WGSL compilers, wgpu's among them, are recursive, and a long
/// expression overflows their stack, which ends the process. With these limits, a compiler of
/// wgpu's without optimisation takes at most 17 MiB of the stack that `on_deep_stack` has: each
/// block takes 40 KiB, each loop 74, each operator 22. Most of that is for what writes texts for
/// drivers.
pub(super) const MAX_BYTES: usize = 65_536;
const MAX_TOKENS: usize = 8192;
/// Of one statement: every level of an expression takes at least one token.
const MAX_TOKENS_OF_STATEMENT: usize = 512;
const MAX_NESTED: usize = 32;
const MAX_BYTES_OF_TYPE: usize = 1024;
/// `else if` nests, although it does not look so.
const MAX_ELSE: usize = 64;
/// Characters of a line that an error shows.
const MAX_SHOWN: usize = 200;

/// Where texels can be, for errors.
pub(crate) const TEXELS_ELSEWHERE: &str = "only an input or an output can be a texture, whose fragment `map_input::<Texel>` or \
     `map_output::<Texel>` takes: operations and arrays have the types of numbers";

#[derive(Clone, Copy)]
enum Part {
    Functions,
    Expression,
}

impl Checked {
    /// Checks a fragment for its place.
    pub fn new(fragment: Fragment, element: &'static str, side: Side) -> Result<Self> {
        let Side { name, rank, spectrum, array, inner, loads } = side;
        let unchecked = Self { fragment, side: name, array, element, inner, loads, arguments: Vec::new(), indexes_memory: false };
        on_deep_stack(|| unchecked.checked(Argument::all(rank, spectrum)))
    }

    /// The same with what it uses of the arguments that there are at its place.
    fn checked(mut self, arguments: impl Iterator<Item = Argument>) -> Result<Self> {
        let Fragment { expression, functions, arrays, picture } = self.fragment.clone();
        self.find_texels(picture.as_deref())?;
        self.texels_elsewhere(&arrays)?;
        let functions = self.source(Part::Functions, &functions)?;
        let expression = self.source(Part::Expression, &expression)?;
        if let Some(token) = expression.tokens.iter().find(|token| [';', '{', '}'].iter().any(|sign| token.is(*sign))) {
            let why = format!("it must be a single expression, without `{}`", token.text(&expression.text));
            return Err(self.wrong_at(Part::Expression, token.range.start, &why));
        }
        for (part, source) in [(Part::Functions, &functions), (Part::Expression, &expression)] {
            self.words(part, source)?;
            self.brackets(part, source)?;
            self.reads(part, source)?;
        }
        self.variables(&functions)?;
        self.names(&functions)?;
        self.sizes(&arrays)?;
        let mut names = Sizes::new(&functions);
        for (part, source) in [(Part::Functions, &functions), (Part::Expression, &expression)] {
            if let Some(Wrong { at, why }) = source.too_large(&mut names) {
                return Err(self.wrong_at(part, at, &why));
            }
        }
        self.types(&arrays, &mut names)?;
        let uses = |argument: &Argument| {
            let name = argument.name();
            expression.tokens.iter().any(|token| token.is_word(&expression.text, &name))
        };
        self.arguments = arguments.filter(uses).collect();
        self.indexes_memory = self.proven([&functions, &expression])?;
        Ok(self)
    }

    /// Finds out what the array at its place is, if that is a texture.
    fn find_texels(&mut self, picture: Option<&Picture>) -> Result<()> {
        let Self { array, element, loads, .. } = self;
        let is_texture = array.is_texel() || array.texels().is_some();
        match picture {
            Some(picture) if is_texture => *array = Form::of_texels(picture.texels(*loads)?),
            Some(picture) => {
                let why = "the elements of a texture are of the type `Texel`".to_owned();
                return Err(Error::Unsupported { what: format!("a texture of {picture} as an array of {element}"), why });
            }
            None if is_texture => {
                let why = "the fragment must say the format and the size of the texture, by `Fragment::texels`".to_owned();
                return Err(Error::Unsupported { what: "an array of texels".to_owned(), why });
            }
            None => {}
        }
        Ok(())
    }

    /// Refuses texels where no texture can be.
    fn texels_elsewhere(&self, arrays: &[Declared]) -> Result<()> {
        let what = if self.inner.is_texel() {
            "texels as the values of an operation".to_owned()
        } else if let Some(own) = arrays.iter().find(|own| matches!(own.kind, DeclaredKind::Array { form, .. } if form.is_texel())) {
            format!("the array `{}` of texels", own.name)
        } else {
            return Ok(());
        };
        Err(Error::Unsupported { what, why: TEXELS_ELSEWHERE.to_owned() })
    }

    fn text(&self, part: Part) -> &str {
        match part {
            Part::Functions => &self.fragment.functions,
            Part::Expression => &self.fragment.expression,
        }
    }

    /// An error with the caller's line and column.
    fn wrong_at(&self, part: Part, byte: usize, why: &str) -> Error {
        let text = self.text(part);
        let before = &text[..byte.min(text.len())];
        let line = before.matches('\n').count() + 1;
        let begin = before.rfind('\n').map_or(0, |at| at + 1);
        let column = before[begin..].chars().count() + 1;
        let shown = text[begin..].lines().next().unwrap_or_default();
        // Of a long line the part around the place. Besides, a width of 65,536 panics.
        let skipped = column.saturating_sub(MAX_SHOWN / 2);
        let shown: String = shown.chars().skip(skipped).take(MAX_SHOWN).collect();
        let mark = column - skipped;
        let what = match part {
            Part::Functions => "functions of a fragment",
            Part::Expression => "fragment",
        };
        let why = format!("line {line}, column {column}: {why}\n    {shown}\n    {:>mark$}", '^');
        Error::Parse { what, text: text.to_owned(), why }
    }

    /// The tokens of a part, if it is not too long for a compiler.
    fn source(&self, part: Part, text: &str) -> Result<Source> {
        within("bytes", "bytes of a fragment", text.len(), MAX_BYTES)?;
        let source = Source::new(text).map_err(|Wrong { at, why }| self.wrong_at(part, at, &why))?;
        within("names, numbers, operators and brackets", "tokens of a fragment", source.tokens.len(), MAX_TOKENS)?;
        let statement = source.longest_statement();
        within("names, numbers, operators and brackets of one statement", "tokens of a statement", statement, MAX_TOKENS_OF_STATEMENT)?;
        let elses = source.tokens.iter().filter(|token| token.is_word(&source.text, "else")).count();
        within("`else`", "else", elses, MAX_ELSE)?;
        Ok(source)
    }

    /// Refuses words that have no place in a fragment.
    fn words(&self, part: Part, source: &Source) -> Result<()> {
        for token in &source.tokens {
            let word = token.text(&source.text);
            let why = match token.kind {
                Kind::Sign('@') => "attributes have no place in a fragment".to_owned(),
                Kind::Word if word.starts_with(OURS) => format!("names that begin with `{OURS}` are reserved"),
                Kind::Word if ["enable", "requires", "diagnostic", "override", "discard"].contains(&word) => {
                    format!("`{word}` has no place in a fragment")
                }
                Kind::Word if word == "while" => {
                    "`while` has no bound: use `for (var i = 0u; i < 8u; i++)`, whose bound is a constant".to_owned()
                }
                _ => continue,
            };
            return Err(self.wrong_at(part, token.range.start, &why));
        }
        Ok(())
    }

    /// Refuses brackets that are too deep for a compiler, or would end what surrounds the text.
    fn brackets(&self, part: Part, source: &Source) -> Result<()> {
        let deepest = source.depth().map_err(|Wrong { at, why }| self.wrong_at(part, at, &why))?;
        within("brackets within brackets", "depth of brackets", deepest, MAX_NESTED)
    }

    /// Refuses variables outside of functions.
    fn variables(&self, source: &Source) -> Result<()> {
        let mut depth = 0;
        for token in &source.tokens {
            depth += i32::from(token.is('{')) - i32::from(token.is('}'));
            if depth == 0 && token.is_word(&source.text, "var") {
                let why = "a fragment has no variables outside of functions: declare arrays and uniforms with `array` and `uniform`";
                return Err(self.wrong_at(Part::Functions, token.range.start, why));
            }
        }
        Ok(())
    }

    /// Refuses uses of an array other than `name[index]`.
    fn reads(&self, part: Part, source: &Source) -> Result<()> {
        let is_array = |word: &str| self.arrays().iter().any(|own| &*own.name == word && !own.is_uniform());
        for (i, token) in source.tokens.iter().enumerate() {
            let word = token.text(&source.text);
            if token.kind == Kind::Word && is_array(word) && !source.tokens.get(i + 1).is_some_and(|next| next.is('[')) {
                let why = format!("the array `{word}` can only be read by `{word}[index]`");
                return Err(self.wrong_at(part, token.range.start, &why));
            }
        }
        Ok(())
    }

    /// Refuses names that would change what others mean.
    fn names(&self, functions: &Source) -> Result<()> {
        // Also those of axes that the array does not have.
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
        for Declared { name, .. } in self.arrays() {
            if !wgsl::is_name(name) || name.starts_with(OURS) {
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
                    within(name, "elements indexed by a u32", *len, u32::MAX as usize)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Refuses types of uniforms that are more than a type, or too deep or too large for a
    /// compiler.
    fn types(&self, arrays: &[Declared], names: &mut Sizes<'_>) -> Result<()> {
        for Declared { name, kind, .. } in arrays {
            let DeclaredKind::Uniform { wgsl, .. } = kind else { continue };
            let wrong = |why: &str| {
                let text = wgsl.chars().take(MAX_SHOWN).collect();
                Err(Error::Parse { what: "type of a uniform", text, why: format!("{why} (the uniform `{name}`)") })
            };
            within("bytes of the type of a uniform", "bytes of a type", wgsl.len(), MAX_BYTES_OF_TYPE)?;
            let source = match Source::new(wgsl) {
                Ok(source) => source,
                Err(Wrong { why, .. }) => return wrong(&why),
            };
            if !source.tokens.first().is_some_and(|first| first.kind == Kind::Word) {
                return wrong("it must be the name of a type");
            }
            let fits = |token: &Token| matches!(token.kind, Kind::Word | Kind::Number | Kind::Sign('<' | '>' | ','));
            if let Some(token) = source.tokens.iter().find(|token| !fits(token) || token.text(&source.text).starts_with(OURS)) {
                return wrong(&format!("`{}` has no place in a type", token.text(&source.text)));
            }
            match source.depth() {
                Ok(deepest) => within("types within types", "depth of brackets", deepest, MAX_NESTED)?,
                Err(Wrong { why, .. }) => return wrong(&why),
            }
            if let Some(Wrong { why, .. }) = source.too_large(names) {
                return wrong(&why);
            }
        }
        Ok(())
    }

    /// Proves what the fragment does, in the text that kernels contain. Whether it indexes memory
    /// of its own.
    fn proven(&self, [functions, expression]: [&Source; 2]) -> Result<bool> {
        let embedded = self.embedded([functions, expression]);
        let mut module = wgsl::Module::default();
        embedded.declare(&mut module, 0);
        let parts = [functions, expression].map(|part| embedded.rewritten(part, INTEGER_INDEX));
        let mut text = module.finish();
        let mut append = |own: &str| {
            let begin = text.len();
            text += own;
            begin..text.len()
        };
        let of_functions = append(&parts[0].text);
        let parameters: Vec<String> = embedded.parameters.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        let (function, result) = (function_name(self.side), &embedded.result);
        append(&format!("\nfn {function}({}) -> {result} {{\n    let {OURS}result: {result} = (\n", parameters.join(", ")));
        let of_expression = append(&parts[1].text);
        // A compute shader calls the function: some WGSL functions are valid only in fragment
        // shaders, and naga notices that only if a shader of another kind calls them.
        let zeros: Vec<String> = embedded.parameters.iter().map(|(_, ty)| format!("{ty}()")).collect();
        append(&format!(
            "\n    );\n    return {OURS}result;\n}}\n\n@compute @workgroup_size(1)\nfn {OURS}caller() {{\n    let result = {function}({});\n}}\n",
            zeros.join(", ")
        ));
        let ranges = [(Part::Functions, of_functions), (Part::Expression, of_expression)];
        let failed = |refusal| match refusal {
            Refusal::Limit { what, limit, required, available } => {
                Error::LimitExceeded { what: format!("a fragment ({what})"), limit, required, available }
            }
            Refusal::Wrong { span, why } => {
                // Names are the caller's again.
                let why = why.replace(&embedded.name(""), "");
                // The expression stands in a declaration of ours, whose type it must have.
                if let Some((_, types)) = why.split_once(&format!("the type of `{OURS}result` is ")) {
                    let types = types.split(": definition").next().unwrap_or(types);
                    return self.wrong_at(Part::Expression, 0, &format!("the type of the fragment is {types}"));
                }
                for ((part, range), own) in ranges.iter().zip(&parts) {
                    if let Some(place) = span.filter(|span| inside(*span, range)).and_then(Span::to_range) {
                        return self.wrong_at(*part, own.place(place.start - range.start), &why);
                    }
                }
                Error::Parse { what: "fragment", text: self.text(Part::Expression).to_owned(), why }
            }
        };
        let parsed =
            proof::parsed(&text, |span| ranges.iter().any(|(_, range)| inside(span, range))).map_err(|(refusal, _)| failed(refusal))?;
        // All names are ours now, so that none of the kernel's or of WGSL's means something else.
        let names = parsed.module.functions.iter().filter_map(|(_, own)| own.name.as_deref());
        let names = names.chain(parsed.module.constants.iter().filter_map(|(_, own)| own.name.as_deref()));
        let mut names = names.chain(parsed.module.types.iter().filter_map(|(_, own)| own.name.as_deref()));
        if let Some(name) = names.find(|name| !name.starts_with(OURS)) {
            return Err(Error::Unsupported { what: format!("the name `{name}` in a fragment"), why: "it cannot be kept apart".to_owned() });
        }
        let arrays = self.arrays();
        let readers: BTreeSet<String> = arrays.iter().filter(|own| !own.is_uniform()).map(|own| embedded.name(&own.name)).collect();
        let indexes_memory = parsed.prove(|name| readers.contains(name)).map_err(failed)?;
        // The size of a uniform must be that of the Rust type.
        for Declared { name, kind, .. } in arrays {
            let DeclaredKind::Uniform { wgsl, element, bytes } = kind else { continue };
            let own = embedded.name(name);
            let variable = parsed.module.global_variables.iter().find(|(_, variable)| variable.name.as_ref() == Some(&own));
            let Some((_, variable)) = variable else { continue };
            let size = parsed.module.types[variable.ty].inner.size(parsed.module.to_ctx()) as usize;
            if size != *bytes {
                let what = format!("the uniform `{name}` of a fragment");
                let why = format!("`{wgsl}` has {size} bytes in WGSL, but {element} has {bytes}");
                return Err(Error::Unsupported { what, why });
            }
        }
        Ok(indexes_memory)
    }
}

fn within(what: &str, limit: &'static str, required: usize, available: usize) -> Result<()> {
    error::within(|| format!("a fragment ({what})"), limit, required as u64, available as u64)
}

fn inside(span: Span, range: &Range<usize>) -> bool {
    span.to_range().is_some_and(|span| range.start <= span.start && span.start <= range.end && span.start < span.end)
}
