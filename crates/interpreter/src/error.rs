//! Why a shader cannot run at all.

/// Why a shader cannot run. What it does wrong while it runs is a [`Finding`](crate::Finding)
/// instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// naga does not accept the text. The message shows the lines.
    #[error("{0}")]
    Invalid(String),
    /// There is no compute entry point of this name.
    #[error("there is no compute entry point {name:?}; there are: {available}")]
    NoEntryPoint {
        /// The name asked for.
        name: String,
        /// The names that there are.
        available: String,
    },
    /// The values of overrides do not fit the shader.
    #[error("overrides: {0}")]
    Overrides(String),
    /// The shader uses something that the interpreter does not know.
    #[error("line {line}: not supported: {what}")]
    Unsupported {
        /// Kind of naga's IR, or what about it.
        what: String,
        /// Line of the text, 0 if unknown.
        line: u32,
    },
    /// Nothing is bound to a variable that the entry point uses.
    #[error("nothing is bound to @group({group}) @binding({binding}) {variable}")]
    MissingBinding {
        /// Bind group.
        group: u32,
        /// Number in the group.
        binding: u32,
        /// Name of the variable.
        variable: String,
    },
    /// What is bound is shorter than the variable's type.
    #[error("{variable} takes at least {required} bytes; {available} are bound")]
    BindingTooShort {
        /// Name of the variable.
        variable: String,
        /// Bytes of its type.
        required: u64,
        /// Bytes bound.
        available: u64,
    },
    /// A part of a buffer is bound that the buffer does not have, or whose offset is no multiple of
    /// 4.
    #[error("bytes {offset}..{end} of a buffer of {size} bytes cannot be bound to {variable}")]
    BadRange {
        /// Name of the variable.
        variable: String,
        /// First byte.
        offset: u64,
        /// Past the last byte.
        end: u64,
        /// Bytes of the buffer.
        size: u64,
    },
    /// A setting is outside of what is possible.
    #[error("{0}")]
    Config(String),
}
