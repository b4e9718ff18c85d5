//! What can go wrong with the file of a record.

use std::io;
use std::path::{Path, PathBuf};

/// Why the file of a record could not be read or written as the caller asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The file could not be read or written.
    #[error("the record {path:?} could not be read or written: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file is not a record, so it is not touched.
    #[error("{path:?} is not a record of wgpu-fft")]
    NotARecord {
        /// The file.
        path: PathBuf,
    },
    /// The file is larger than any that is read.
    #[error("the record {path:?} is larger than {available} bytes")]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The largest size.
        available: u64,
    },
    /// The record's own file was named where another one is needed.
    #[error("{path:?} is this record's own file")]
    OwnFile {
        /// The file.
        path: PathBuf,
    },
}

impl RecordError {
    pub(super) fn io(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}
