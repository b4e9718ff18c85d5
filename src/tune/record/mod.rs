//! What was measured, kept in a file.
