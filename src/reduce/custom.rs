//! Operators of the caller's.

use std::marker::PhantomData;
use std::sync::Arc;

use naga::valid::{Capabilities, ValidationFlags, Validator};

use super::Value;
use crate::error::{Error, Result};
use crate::kernels::reduce::operator::Kind;

/// An operator of the caller's, in WGSL.
///
/// # Definition
/// y = m(x\[0\]) ∘ m(x\[1\]) ∘ …, with a ∘ b an expression in `a` and `b`, and m, if there is one, an expression in `x` and the index `j: u32`.
/// The operator must be associative, up to rounding, and commutative, as elements are combined in an order of the crate's choice; `identity` must do nothing:
/// identity ∘ a = a. That cannot be checked; that the expressions are valid WGSL of the right type is.
///
/// Values are f32 for f32 and f16, i32, u32, and `vec2<f32>` for complex numbers. Expressions may call the functions of WGSL.
///
/// ```
/// use wgpu_fft::reduce::{Custom, Reduce};
///
/// // The largest distance from 0.5.
/// let largest = Custom::<f32>::new("max(a, b)", 0.0)?.map("abs(x - 0.5)")?;
/// let spec = Reduce::custom([1080, 1920], largest).axes([1]);
///
/// let error = Custom::<f32>::new("max(a, c)", 0.0).unwrap_err();
/// assert!(error.to_string().contains("no definition in scope for identifier: `c`"));
/// # Ok::<(), wgpu_fft::Error>(())
/// ```
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
    /// The operator a ∘ b of an expression in `a` and `b`.
    ///
    /// # Errors
    /// [`Error::Parse`] with the place and the reason, if the expression is not valid; [`Error::Unsupported`] for f64.
    pub fn new(expression: &str, identity: T::Wide) -> Result<Self> {
        if T::KIND == Kind::F64 {
            let why = "operators of one's own are for f32, f16, i32, u32 and complex f32".to_owned();
            return Err(Error::Unsupported { what: "an operator on f64".to_owned(), why });
        }
        let value = T::KIND.wgsl();
        check(expression, &format!("fn combine(a: {value}, b: {value}) -> {value}"))?;
        let mut words = [0; 2];
        let bytes = bytemuck::bytes_of(&identity);
        bytemuck::bytes_of_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Ok(Self { expression: expression.into(), identity: words, map: None, element: PhantomData })
    }

    /// What is done with each element when it is loaded: an expression in `x` and in its index `j` among those that are reduced to one.
    ///
    /// # Errors
    /// [`Error::Parse`] with the place and the reason, if the expression is not valid.
    pub fn map(mut self, expression: &str) -> Result<Self> {
        let value = T::KIND.wgsl();
        check(expression, &format!("fn map_element(x: {value}, j: u32) -> {value}"))?;
        self.map = Some(expression.into());
        Ok(self)
    }
}

/// Refuses what is no expression of the function's type.
fn check(expression: &str, function: &str) -> Result<()> {
    let wrong = |why: String| Error::Parse { what: "expression for a reduction", text: expression.to_owned(), why };
    // An expression holds none of these, and with them a text could be more than an expression.
    if let Some(word) = [";", "{", "}", "@", "//", "/*"].into_iter().find(|word| expression.contains(word)) {
        return Err(wrong(format!("it is one expression, without `{word}`")));
    }
    let value = function.rsplit_once("-> ").map_or("", |(_, value)| value);
    let text = format!("{function} {{\n    let result: {value} = (\n{expression}\n    );\n    return result;\n}}\n");
    let module = naga::front::wgsl::parse_str(&text).map_err(|error| wrong(error.emit_to_string(&text)))?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    validator.validate(&module).map_err(|error| wrong(error.emit_to_string(&text)))?;
    Ok(())
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
        ] {
            let error = Custom::<f32>::new(expression, 0.0).unwrap_err();
            assert!(matches!(error, Error::Parse { .. }) && error.to_string().contains(why), "{expression}: {error}");
        }
        assert!(matches!(Custom::<f64>::new("a + b", 0.0), Err(Error::Unsupported { .. })));
        let error = Custom::<f32>::new("a + b", 0.0).unwrap().map("x + a").unwrap_err();
        assert!(error.to_string().contains("`a`"), "{error}");
    }
}
