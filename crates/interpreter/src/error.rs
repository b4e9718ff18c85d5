//! Errors: why a shader cannot run at all.

/// Why a shader cannot run. Mistakes that a shader makes while it runs are
/// [`Finding`](crate::Finding)s instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// naga rejects the text. The message shows the lines.
    #[error("{0}")]
    Invalid(String),
    /// There is no compute entry point with this name.
    #[error("there is no compute entry point {name:?}; there are: {available}")]
    NoEntryPoint {
        /// The requested name.
        name: String,
        /// The names of the existing entry points.
        available: String,
    },
    /// The values of overrides do not fit the shader.
    #[error("overrides: {0}")]
    Overrides(String),
    /// The shader uses a feature that the interpreter does not support.
    #[error("line {line}: not supported: {what}")]
    Unsupported {
        /// The kind of naga's IR, or a description.
        what: String,
        /// Line of the text, 0 if unknown.
        line: u32,
    },
    /// No buffer is bound to a variable that the entry point uses.
    #[error("nothing is bound to @group({group}) @binding({binding}) {variable}")]
    MissingBinding {
        /// Bind group.
        group: u32,
        /// Binding number in the group.
        binding: u32,
        /// Name of the variable.
        variable: String,
    },
    /// The bound range is shorter than the variable's type.
    #[error("{variable} takes at least {required} bytes; {available} are bound")]
    BindingTooShort {
        /// Name of the variable.
        variable: String,
        /// Size of its type in bytes.
        required: u64,
        /// Number of bytes bound.
        available: u64,
    },
    /// The bound range is not inside the buffer, or its offset is not a multiple of 4.
    #[error("bytes {offset}..{end} of a buffer of {size} bytes cannot be bound to {variable}")]
    BadRange {
        /// Name of the variable.
        variable: String,
        /// Offset of the first byte.
        offset: u64,
        /// Offset past the last byte.
        end: u64,
        /// Size of the buffer in bytes.
        size: u64,
    },
    /// A setting has an impossible value.
    #[error("{0}")]
    Config(String),
}
