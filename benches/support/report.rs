//! Lines of JSON, and a table of them. The command line prints such tables too.
//!
//! A line has the specification in `spec` and the median in `ms`. If a case cannot be measured, the
//! reason is in `error` instead.

use serde_json::{Map, Value};

/// The measurements so far.
#[derive(Debug, Default)]
pub struct Report {
    lines: Vec<Map<String, Value>>,
}

/// A column of the table: a field of the lines.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its title.
    pub title: &'static str,
    /// The field.
    pub field: &'static str,
    /// How it is printed.
    pub format: Format,
}

/// How a field is printed in the table.
#[derive(Clone, Copy, Debug)]
pub enum Format {
    /// Unchanged, on the left.
    Text,
    /// Unchanged, on the left, unless it is the same as in the line above.
    Group,
    /// Unchanged, on the left, followed by the field `error`.
    Noted,
    /// A number as a power of ten.
    Scientific,
    /// A number with that many decimals.
    Decimals(usize),
    /// A number with about four digits.
    Digits,
    /// A percentage.
    Percent,
}

impl Column {
    pub const fn new(title: &'static str, field: &'static str, format: Format) -> Self {
        Self { title, field, format }
    }

    fn cell(&self, line: &Map<String, Value>) -> String {
        let value = line.get(self.field).unwrap_or(&Value::Null);
        match (self.format, value.as_f64()) {
            (Format::Noted, _) => {
                let parts = [value, line.get("error").unwrap_or(&Value::Null)].map(|part| part.as_str().unwrap_or_default());
                parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" -- ")
            }
            (Format::Text | Format::Group, _) => value.as_str().map_or_else(String::new, str::to_owned),
            (_, None) => "-".to_owned(),
            (Format::Decimals(decimals), Some(number)) => format!("{number:.decimals$}"),
            (Format::Digits, Some(number)) => format!("{number:.*}", decimals_of(number)),
            (Format::Scientific, Some(number)) => format!("{number:.1e}"),
            (Format::Percent, Some(number)) => format!("{:.1}%", number * 100.0),
        }
    }

    fn is_number(&self) -> bool {
        !matches!(self.format, Format::Text | Format::Group | Format::Noted)
    }
}

impl Report {
    /// Keeps a line for the table.
    pub fn keep(&mut self, line: Map<String, Value>) {
        self.lines.push(line);
    }

    /// The lines as a table, without empty columns.
    pub fn table(&self, columns: &[Column]) -> String {
        let shown = |column: &&Column| self.lines.iter().any(|line| line.get(column.field).is_some_and(|value| !value.is_null()));
        let columns: Vec<&Column> = columns.iter().filter(shown).collect();
        let mut rows = vec![columns.iter().map(|column| column.title.to_owned()).collect::<Vec<_>>()];
        rows.extend(self.lines.iter().map(|line| columns.iter().map(|column| column.cell(line)).collect()));
        for (i, column) in columns.iter().enumerate().filter(|(_, column)| matches!(column.format, Format::Group)) {
            let same = |line: usize| line > 0 && self.lines[line].get(column.field) == self.lines[line - 1].get(column.field);
            (0..self.lines.len()).filter(|&line| same(line)).for_each(|line| rows[line + 1][i].clear());
        }
        aligned(&rows, |column| columns[column].is_number())
    }
}

/// Columns as wide as their widest text. Numbers end at the right.
pub fn aligned<R: AsRef<[String]>>(rows: &[R], is_number: impl Fn(usize) -> bool) -> String {
    let width = |column: usize| rows.iter().map(|row| row.as_ref()[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows.first().map_or(0, |row| row.as_ref().len())).map(width).collect();
    let cell = |(column, text): (usize, &String)| match widths[column] {
        width if is_number(column) => format!("{text:>width$}"),
        width => format!("{text:<width$}"),
    };
    let line = |row: &R| row.as_ref().iter().enumerate().map(cell).collect::<Vec<_>>().join("  ").trim_end().to_owned();
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The number of decimals that shows about four digits.
fn decimals_of(number: f64) -> usize {
    match number {
        ..1.0 => 4,
        ..10.0 => 3,
        ..100.0 => 2,
        _ => 1,
    }
}

/// A number with five digits, which is more than the precision of any time.
pub fn rounded(number: f64) -> Value {
    format!("{number:.4e}").parse::<f64>().map_or(Value::Null, Value::from)
}
