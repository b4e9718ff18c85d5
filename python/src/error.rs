//! Errors as exceptions of Python.

use pyo3::prelude::*;
use wgpu_fft::Error;

/// The classes of `wgpu_fft/_errors.py`.
mod classes {
    pyo3::import_exception!(wgpu_fft._errors, Error);
    pyo3::import_exception!(wgpu_fft._errors, ArgumentError);
}

/// The kinds of errors that are wrong arguments on any device.
const ARGUMENTS: [&str; 12] = [
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
];

/// The exception for an error of the crate.
pub(crate) fn raised(error: Error) -> PyErr {
    refused(error.kind().name(), &error.to_string())
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
