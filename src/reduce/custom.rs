//! User-defined operators.

use super::arithmetic::type_of;
use super::spec::Reduction;
use super::value::Value;
use crate::error::{self, Error, Result};
use crate::fragment::{Refusal, Sizes, Source, Wrong, parsed};
use crate::kernels::reduce::operator::{Finish, Fold, Kind, Map};
use crate::shape::Shape;
use crate::threads::on_deep_stack;

/// The maximum number of bytes, of tokens, and of brackets within brackets of an expression.
const MAX_BYTES: usize = 4096;
const MAX_TOKENS: usize = 512;
const MAX_NESTED: usize = 32;

/// A reduction with an operator of the caller's, an expression in WGSL, and its identity element.
///
/// ```
/// use wgpu_fft::{Fragment, reduce};
///
/// // The largest distance from 0.5 in each row.
/// let distance = Fragment::new("abs(value - 0.5)");
/// let largest = reduce::custom::<f32>([1080, 1920], "max(a, b)", 0.0)?;
/// let spec = largest.axes([1]).map_input::<f32>(distance)?;
///
/// let error = reduce::custom::<f32>(100, "max(a, c)", 0.0).unwrap_err();
/// assert!(error.to_string().contains("no definition in scope for identifier: `c`"));
/// # Ok::<(), wgpu_fft::Error>(())
/// ```
///
/// # Definition
/// y = x\[0\] ∘ x\[1\] ∘ …, where a ∘ b is an expression in `a` and `b`. The operator must be
/// associative, up to rounding, and commutative, because the crate chooses the order of
/// combination. `identity` must be its identity element: identity ∘ a = a. These properties cannot
/// be checked. What is checked is that the expression is valid WGSL of the right type. A
/// [`Fragment`](crate::Fragment) maps the elements before they are combined.
///
/// Values are `f32` for elements of f32 and f16, `i32`, `u32`, and `vec2<f32>` for complex numbers.
/// An expression may call the built-in functions of WGSL.
///
/// # Errors
/// [`Error::Parse`] with the place and the reason, if the expression is not valid;
/// [`Error::Unsupported`] for f64; [`Error::LimitExceeded`] for more than 4096 bytes, 512 names,
/// numbers, operators and brackets, or 32 brackets within brackets. The reason for these limits:
/// WGSL compilers, wgpu's among them, are recursive, and a long expression overflows their stack,
/// which ends the process. Functions that only fragment shaders may call, such as `dpdx`, are
/// refused.
pub fn custom<T: Value>(shape: impl Into<Shape>, expression: &str, identity: T::Wide) -> Result<Reduction<T, T::Wide>> {
    if T::KIND == Kind::F64 {
        let why = "custom operators support f32, f16, i32, u32 and complex f32".to_owned();
        return Err(Error::Unsupported { what: "a custom operator on f64".to_owned(), why });
    }
    check(expression, T::KIND)?;
    let mut words = [0; 2];
    let bytes = bytemuck::bytes_of(&identity);
    bytemuck::bytes_of_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
    let fold = Fold::Custom { expression: expression.into(), identity: words };
    Ok(Reduction::new("custom", shape, Map::Identity, fold, Finish::Identity))
}

/// Refuses text that is not an expression of the value type in `a` and `b`.
///
/// Every level of an expression tree takes at least one token: an operator of a long sum, a sign
/// before a sign, a component or an index of a component, a bracket. So a limit on tokens bounds
/// the depth of every tree. Brackets have a limit of their own, because a parser calls a dozen
/// functions for each of them.
fn check(expression: &str, kind: Kind) -> Result<()> {
    let wrong = |why: String| Error::Parse { what: "expression for a reduction", text: expression.to_owned(), why };
    let at = |Wrong { at, why }: Wrong| wrong(format!("column {}: {why}", expression[..at].chars().count() + 1));
    let named = |what: &str| format!("an expression for a reduction ({what})");
    let within = |what, limit, required: usize, available: usize| error::within(|| named(what), limit, required as u64, available as u64);
    within("bytes", "bytes of an operator", expression.len(), MAX_BYTES)?;
    // No expression needs any of these, and they could make a text more than an expression.
    if let Some(word) = [";", "{", "}", "@", "//", "/*"].into_iter().find(|word| expression.contains(word)) {
        return Err(wrong(format!("it must be a single expression, without `{word}`")));
    }
    let source = Source::new(expression).map_err(at)?;
    within("names, numbers, operators and brackets", "tokens of an operator", source.len(), MAX_TOKENS)?;
    within("brackets within brackets", "depth of brackets", source.depth().map_err(at)?, MAX_NESTED)?;
    if let Some(place) = source.too_large(&mut Sizes::new(&Source::default())) {
        return Err(at(place));
    }
    let value = type_of(kind);
    // A compute shader calls the function: some WGSL functions are valid only in fragment shaders,
    // and naga notices that only if a shader of another kind calls them.
    let text = format!(
        "fn combine(a: {value}, b: {value}) -> {value} {{\n    let result: {value} = (\n{expression}\n    );\n    return result;\n}}\n\n\
         @compute @workgroup_size(1)\nfn wgpu_fft_caller() {{\n    var a: {value}; var b: {value}; let result = combine(a, b);\n}}\n",
    );
    let proven = on_deep_stack(|| {
        let parsed = parsed(&text, |_| true).map_err(|(refusal, shown)| (refusal, Some(shown)))?;
        parsed.prove(|_| false).map_err(|refusal| (refusal, None))
    });
    match proven {
        Ok(_) => Ok(()),
        Err((Refusal::Wrong { why, .. }, shown)) => Err(wrong(shown.unwrap_or(why))),
        Err((Refusal::Limit { what, limit, required, available }, _)) => {
            Err(Error::LimitExceeded { what: named(what), limit, required, available })
        }
    }
}
