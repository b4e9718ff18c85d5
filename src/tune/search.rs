//! Searches over recipes, by whatever measures them.
