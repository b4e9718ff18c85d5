//! Errors as values of JavaScript.

use js_sys::Reflect;
use wasm_bindgen::JsValue;
use wgpu_fft::{Error, ErrorKind};

/// What `js/error.js` makes an `FftError` of.
pub(crate) type Result<T> = std::result::Result<T, JsValue>;

/// An object with the kind and the message of an error.
pub(crate) fn thrown(error: &Error) -> JsValue {
    object(kind(error), &error.to_string())
}

/// The error of something that this module itself refuses.
pub(crate) fn refused(kind: &str, message: &str) -> JsValue {
    object(kind, message)
}

fn object(kind: &str, message: &str) -> JsValue {
    let object = js_sys::Object::new();
    for (name, value) in [("kind", kind), ("message", message)] {
        // Setting a property of a new object cannot fail.
        let _ = Reflect::set(&object, &name.into(), &value.into());
    }
    object.into()
}

/// The kind, in the words of the browser.
fn kind(error: &Error) -> &'static str {
    match error.kind() {
        ErrorKind::NoAdapter => "no-webgpu",
        ErrorKind::Wgpu => "webgpu",
        kind => kind.name(),
    }
}
