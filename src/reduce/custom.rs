//! User-defined operators.

use std::marker::PhantomData;
use std::sync::Arc;

use super::arithmetic::type_of;
use super::value::Value;
use crate::error::{Error, Result};
use crate::fragment::{Refusal, Sizes, Source, Wrong, parsed};
use crate::kernels::reduce::operator::Kind;
use crate::threads::on_deep_stack;

/// A user-defined operator, written in WGSL.
///
/// ```
/// use wgpu_fft::reduce::{self, Custom};
///
/// // The largest distance from 0.5.
/// let largest = Custom::<f32>::new("max(a, b)", 0.0)?.map("abs(x - 0.5)")?;
/// let spec = reduce::custom([1080, 1920], largest).axes([1]);
///
/// let error = Custom::<f32>::new("max(a, c)", 0.0).unwrap_err();
/// assert!(error.to_string().contains("no definition in scope for identifier: `c`"));
/// # Ok::<(), wgpu_fft::Error>(())
/// ```
///
/// # Definition
/// y = m(x\[0\]) ∘ m(x\[1\]) ∘ …, where a ∘ b is an expression in `a` and `b`. The optional map m
/// is an expression in `x` and the index `j: u32`. The operator must be associative, up to
/// rounding, and commutative, because the crate chooses the order of combination. `identity` must
/// be its identity element: identity ∘ a = a. These properties cannot be checked. What is checked
/// is that the expressions are valid WGSL of the right type.
///
/// Values are `f32` for elements of f32 and f16, `i32`, `u32`, and `vec2<f32>` for complex numbers.
/// Expressions may call the built-in functions of WGSL.
///
/// An expression has at most [`MAX_BYTES`](Self::MAX_BYTES) bytes and
/// [`MAX_TOKENS`](Self::MAX_TOKENS) tokens (names, numbers, operators and brackets). Brackets may
/// be nested to a depth of [`MAX_NESTED`](Self::MAX_NESTED). The reason for these limits: WGSL
/// compilers, wgpu's among them, are recursive, and a long expression overflows their stack, which
/// ends the process. Functions that only fragment shaders may call, such as `dpdx`, are refused.
#[derive(Debug)]
#[must_use]
pub struct Custom<T> {
    pub(super) expression: Arc<str>,
    pub(super) identity: [u32; 2],
    pub(super) map: Option<Arc<str>>,
    element: PhantomData<T>,
}

impl<T> Clone for Custom<T> {
    fn clone(&self) -> Self {
        Self { expression: Arc::clone(&self.expression), identity: self.identity, map: self.map.clone(), element: PhantomData }
    }
}

impl<T: Value> Custom<T> {
    /// The maximum number of bytes of an expression.
    pub const MAX_BYTES: usize = 4096;

    /// The maximum number of names, numbers, operators and brackets of an expression.
    pub const MAX_TOKENS: usize = 512;

    /// The maximum nesting depth of brackets in an expression.
    pub const MAX_NESTED: usize = 32;

    /// Makes the operator a ∘ b from an expression in `a` and `b`, and its identity element.
    ///
    /// # Errors
    /// [`Error::Parse`] with the place and the reason, if the expression is not valid;
    /// [`Error::LimitExceeded`] if it is longer or deeper than the limits above;
    /// [`Error::Unsupported`] for f64.
    pub fn new(expression: &str, identity: T::Wide) -> Result<Self> {
        if T::KIND == Kind::F64 {
            let why = "custom operators support f32, f16, i32, u32 and complex f32".to_owned();
            return Err(Error::Unsupported { what: "a custom operator on f64".to_owned(), why });
        }
        let value = type_of(T::KIND);
        check::<T>(expression, "combine", &format!("a: {value}, b: {value}"), "a, b")?;
        let mut words = [0; 2];
        let bytes = bytemuck::bytes_of(&identity);
        bytemuck::bytes_of_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Ok(Self { expression: expression.into(), identity: words, map: None, element: PhantomData })
    }

    /// Applies a map to each element when it is loaded: an expression in `x` and its index `j`
    /// among the elements that are reduced to the same result.
    ///
    /// # Errors
    /// [`Error::Parse`] with the place and the reason, if the expression is not valid;
    /// [`Error::LimitExceeded`] if it is longer or deeper than the limits above.
    pub fn map(mut self, expression: &str) -> Result<Self> {
        let value = type_of(T::KIND);
        check::<T>(expression, "map_element", &format!("x: {value}, j: u32"), "x, j")?;
        self.map = Some(expression.into());
        Ok(self)
    }
}

/// Refuses text that is not an expression of the value type, inside a function with these
/// parameters.
///
/// Every level of an expression tree takes at least one token: an operator of a long sum, a sign
/// before a sign, a component or an index of a component, a bracket. So a limit on tokens bounds
/// the depth of every tree. Brackets have a limit of their own, because a parser calls a dozen
/// functions for each of them.
fn check<T: Value>(expression: &str, function: &str, parameters: &str, names: &str) -> Result<()> {
    let wrong = |why: String| Error::Parse { what: "expression for a reduction", text: expression.to_owned(), why };
    let at = |Wrong { at, why }: Wrong| wrong(format!("column {}: {why}", expression[..at].chars().count() + 1));
    let exceeds = |what: &str, limit, required, available| {
        Err(Error::LimitExceeded { what: format!("an expression for a reduction ({what})"), limit, required, available })
    };
    let within = |what: &str, limit, required: usize, available: usize| {
        if required <= available { Ok(()) } else { exceeds(what, limit, required as u64, available as u64) }
    };
    within("bytes", "Custom::MAX_BYTES", expression.len(), Custom::<T>::MAX_BYTES)?;
    // No expression needs any of these, and they could make a text more than an expression.
    if let Some(word) = [";", "{", "}", "@", "//", "/*"].into_iter().find(|word| expression.contains(word)) {
        return Err(wrong(format!("it must be a single expression, without `{word}`")));
    }
    let source = Source::new(expression).map_err(at)?;
    within("names, numbers, operators and brackets", "Custom::MAX_TOKENS", source.len(), Custom::<T>::MAX_TOKENS)?;
    within("brackets within brackets", "Custom::MAX_NESTED", source.depth().map_err(at)?, Custom::<T>::MAX_NESTED)?;
    if let Some(place) = source.too_large(&mut Sizes::new(&Source::default())) {
        return Err(at(place));
    }
    let value = type_of(T::KIND);
    let calls: Vec<String> = parameters.split(", ").map(|parameter| format!("var {parameter};")).collect();
    let calls = format!("{} let result = {function}({names});", calls.join(" "));
    // A compute shader calls the function: some WGSL functions are valid only in fragment shaders,
    // and naga notices that only if a shader of another kind calls them.
    let text = format!(
        "fn {function}({parameters}) -> {value} {{\n    let result: {value} = (\n{expression}\n    );\n    return result;\n}}\n\n\
         @compute @workgroup_size(1)\nfn wgpu_fft_caller() {{\n    {calls}\n}}\n",
    );
    let proven = on_deep_stack(|| {
        let parsed = parsed(&text, |_| true).map_err(|(refusal, shown)| (refusal, Some(shown)))?;
        parsed.prove(|_| false).map_err(|refusal| (refusal, None))
    });
    match proven {
        Ok(_) => Ok(()),
        Err((Refusal::Wrong { why, .. }, shown)) => Err(wrong(shown.unwrap_or(why))),
        Err((Refusal::Limit { what, limit, required, available }, _)) => exceeds(what, limit, required, available),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_the_right_type_are_taken() {
        assert!(Custom::<f32>::new("a + b", 0.0).is_ok());
        assert!(Custom::<i32>::new("a ^ b", 0).unwrap().map("x * i32(j)").is_ok());
        assert!(Custom::<crate::Complex32>::new("vec2<f32>(a.x + b.x, max(a.y, b.y))", crate::Complex32::ZERO).is_ok());
        assert!(Custom::<half::f16>::new("min(a, b)", f32::INFINITY).is_ok());
    }

    #[test]
    fn others_are_refused_with_a_reason() {
        for (expression, why) in [
            ("", "expected"),
            ("a +", "expected"),
            ("a + c", "`c`"),
            ("a < b", "type"),
            ("u32(a)", "type"),
            ("a + b; discard", "without `;`"),
            ("a } fn other() { b", "without `{`"),
            ("a // + b", "without `//`"),
            ("load(1, 2)", "load"),
            ("combine(a, b)", "combine"),
            ("wgpu_fft_caller()", "wgpu_fft_caller"),
        ] {
            let error = Custom::<f32>::new(expression, 0.0).unwrap_err();
            assert!(matches!(error, Error::Parse { .. }) && error.to_string().contains(why), "{expression}: {error}");
        }
        assert!(matches!(Custom::<f64>::new("a + b", 0.0), Err(Error::Unsupported { .. })));
        let error = Custom::<f32>::new("a + b", 0.0).unwrap().map("x + a").unwrap_err();
        assert!(error.to_string().contains("`a`"), "{error}");
    }

    /// These used to pass here and fail when a plan was made.
    #[test]
    fn what_only_fragment_shaders_may_call_is_refused() {
        for function in ["dpdx", "dpdy", "fwidth", "dpdxCoarse", "dpdyFine", "fwidthCoarse"] {
            let error = Custom::<f32>::new(&format!("{function}(a) + b"), 0.0).unwrap_err();
            assert!(matches!(error, Error::Parse { .. }), "{function}: {error}");
            let error = Custom::<f32>::new("a + b", 0.0).unwrap().map(&format!("{function}(x)")).unwrap_err();
            assert!(matches!(error, Error::Parse { .. }), "{function}: {error}");
        }
    }

    /// Expressions that are deep in every possible way, with `n` levels or more.
    fn deep(n: usize) -> Vec<String> {
        vec![
            format!("a{}", " + b".repeat(n)),
            format!("a{}", "+b".repeat(n)),
            format!("{}a{}", "(".repeat(n), ")".repeat(n)),
            format!("{}a", "- ".repeat(n)),
            format!("{}a{}", "-(".repeat(n), ")".repeat(n)),
            format!("{}a{}", "abs(".repeat(n), ")".repeat(n)),
            format!("{}a{}", "a + (".repeat(n), ")".repeat(n)),
            format!("vec2<f32>(a, b){}.x", ".xy".repeat(n)),
            format!("{}a{}", "array<f32, 1>(".repeat(n), ")[0]".repeat(n)),
            format!("{}f32{}(a)", "array<".repeat(n), ", 1>".repeat(n)),
            format!("vec2<f32>(a, b){}", "[0]".repeat(n)),
            format!("select(a, b, a < b{})", " && a < b".repeat(n)),
            format!("{}a", "!".repeat(n)),
        ]
    }

    /// 5,000 terms used to end the process, because naga overflowed its stack. Threads have 2 MiB
    /// of stack by default, and some programs start threads with less.
    #[test]
    fn long_and_deep_expressions_are_refused_before_a_compiler_sees_them() {
        for text in deep(5000).into_iter().chain(deep(600)) {
            let error = Custom::<f32>::new(&text, 0.0).unwrap_err();
            assert!(matches!(error, Error::LimitExceeded { .. }), "{}: {error}", &text[..40]);
        }
        let long = "a + b".to_owned() + &" ".repeat(4096);
        assert!(matches!(Custom::<f32>::new(&long, 0.0), Err(Error::LimitExceeded { limit: "Custom::MAX_BYTES", .. })));
        // Everything within the limits is safe on a quarter of a thread's usual stack.
        let within = || {
            let most = Custom::<f32>::MAX_TOKENS;
            let sum = format!("a{}", " + b".repeat(most / 2 - 1));
            assert!(Custom::<f32>::new(&sum, 0.0).is_ok(), "a sum of {} terms", most / 2);
            for n in [Custom::<f32>::MAX_NESTED - 1, 100, 200, 255, most - 2] {
                // Whether the text is valid or not, the process survives.
                deep(n).iter().for_each(|text| drop(Custom::<f32>::new(text, 0.0)));
            }
        };
        std::thread::Builder::new().stack_size(512 << 10).spawn(within).unwrap().join().unwrap();
    }
}
