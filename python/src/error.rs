//! Errors as exceptions of Python.

use std::fmt;

use pyo3::prelude::*;
use wgpu_fft::Error;

/// The classes of `wgpu_fft/_errors.py`.
mod classes {
    pyo3::import_exception!(wgpu_fft._errors, Error);
    pyo3::import_exception!(wgpu_fft._errors, ArgumentError);
}

/// The kinds of errors that are wrong arguments on any device.
const ARGUMENTS: [&str; 13] = [
    "aliased",
    "empty",
    "foreign-object",
    "misaligned",
    "missing-usage",
    "out-of-range",
    "parse",
    "unfit-recipe",
    "wrong-arrays",
    "wrong-inputs",
    "wrong-length",
    "wrong-shape",
    "wrong-texture",
];

/// Where what is called here is put into words.
const WORDS: &str = "wgpu_fft._callers";

/// Kinds of errors of the device, which may be due to a call that was queued earlier.
const LATE: [&str; 2] = ["device-lost", "timed-out"];

/// The exception for an error of the crate.
pub(crate) fn raised(error: Error) -> PyErr {
    let (kind, mut message) = (error.kind().name(), error.to_string());
    if LATE.contains(&kind) {
        // Without the words the message remains.
        let words = Python::attach(|py| py.import(WORDS)?.call_method0("last")?.extract::<String>());
        message += &words.unwrap_or_default();
    }
    refused(kind, &message)
}

/// The exception for something that this module itself refuses.
pub(crate) fn refused(kind: &str, message: &str) -> PyErr {
    let message = message.to_owned();
    Python::attach(|py| {
        let error = if ARGUMENTS.contains(&kind) { classes::ArgumentError::new_err(message) } else { classes::Error::new_err(message) };
        // Setting an attribute of a new exception fails only without memory; the message remains.
        let _ = error.value(py).setattr("kind", kind);
        error
    })
}

/// A call, as Python knows it: what errors of queued work name.
pub(crate) struct Call(pub Py<PyAny>);

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = Python::attach(|py| py.import(WORDS)?.call_method1("said", (&self.0,))?.extract::<String>());
        f.write_str(&words.unwrap_or_else(|why| why.to_string()))
    }
}
