//! Errors as exceptions of Python.

use pyo3::create_exception;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use wgpu_fft::Error;

create_exception!(
    wgpu_fft,
    FftError,
    PyRuntimeError,
    "Something that this package cannot do, or that went wrong on the device. `kind` is a word to test, such as \"no-adapter\"."
);

/// The exception for an error of the crate.
pub(crate) fn raised(error: Error) -> PyErr {
    refused(error.kind(), &error.to_string())
}

/// The exception for something that this module itself refuses.
pub(crate) fn refused(kind: &str, message: &str) -> PyErr {
    Python::attach(|py| {
        let error = FftError::new_err(message.to_owned());
        // Setting an attribute of a new exception fails only without memory; the message remains.
        let _ = error.value(py).setattr("kind", kind);
        error
    })
}
