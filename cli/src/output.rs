//! What the program prints: notes and results, as text or as JSON.

use std::error::Error;
use std::fmt::Display;

use serde_json::{Value, json};

use crate::report::aligned;

/// How to print.
#[derive(Clone, Copy)]
pub struct Output {
    pub json: bool,
    pub quiet: bool,
    /// Whether a file goes to the standard output. Then all else goes to stderr.
    pub piped: bool,
}

impl Output {
    /// Whether notes and progress are wanted.
    pub fn is_chatty(self) -> bool {
        !self.json && !self.quiet
    }

    /// A line.
    pub fn print(self, line: impl Display) {
        if self.piped { eprintln!("{line}") } else { println!("{line}") }
    }

    /// A line that says what is going on.
    pub fn note(self, label: &str, text: impl Display) {
        if self.is_chatty() {
            self.print(format_args!("{label:<11} {text}"));
        }
    }

    /// A result: a line of JSON, or else text.
    pub fn result(self, value: &Value, text: impl FnOnce() -> String) {
        if self.json { self.print(value) } else { self.print(text()) }
    }

    /// A result that a program may read, but that says nothing new to a person who has seen the
    /// notes.
    pub fn record(self, value: &Value) {
        if self.json {
            self.print(value);
        }
    }

    /// An error: one line on stderr.
    pub fn failed(self, error: &dyn Error) {
        let text = error.to_string();
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        if self.json {
            self.print(json!({ "error": text }));
        }
        eprintln!("wgpu-fft: {}", lines.join("; "));
    }
}

/// `1.5 GB`, `20.0 kB`.
pub fn bytes(count: f64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB"];
    let power = if count < 1.0 { 0 } else { ((count.log10() / 3.0) as usize).min(units.len() - 1) };
    if power == 0 { format!("{count} bytes") } else { format!("{:.1} {}", count / 1000f64.powi(power as i32), units[power]) }
}

/// Rows below a head, with columns as wide as their widest text. The first `left` columns and the
/// last one begin at the left.
pub fn table(head: &[&str], rows: &[Vec<String>], left: usize) -> String {
    let head: Vec<String> = head.iter().map(ToString::to_string).collect();
    let last = head.len() - 1;
    aligned(&[&[head][..], rows].concat(), |column| (left..last).contains(&column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!([0.0, 999.0, 1000.0, 1.5e9, 2e18].map(bytes), ["0 bytes", "999 bytes", "1.0 kB", "1.5 GB", "2000000.0 TB"]);
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [["a", "1", "x"], ["bcd", "23", "y z"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(table(&["n", "value", "what"], &rows, 1), "n    value  what\na        1  x\nbcd     23  y z");
    }
}
