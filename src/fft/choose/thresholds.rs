//! The numbers that rules compare with, as data: `thresholds.txt`, which says what each was
//! measured by.

const TABLE: &[u8] = include_bytes!("thresholds.txt");

/// The number of such a name. A name without a line does not compile.
pub(super) const fn number(name: &str) -> u32 {
    let value = decimal(name);
    assert!(value >= 0.0 && value <= u32::MAX as f64 && value as u32 as f64 == value, "a threshold is no whole number");
    value as u32
}

/// The same for a fraction.
pub(super) const fn decimal(name: &str) -> f64 {
    let mut i = 0;
    while i < LINES.len() {
        if let Some(at) = after(name.as_bytes(), LINES[i]) {
            return parse(at);
        }
        i += 1;
    }
    panic!("thresholds.txt has no line of this name")
}

/// Where each line begins, found once: the compiler takes microseconds for a step.
const LINES: &[usize] = &line_begins();

const fn line_begins() -> [usize; count_lines()] {
    let (mut begins, mut line, mut at) = ([0; count_lines()], 1, 0);
    while line < begins.len() {
        if TABLE[at] == b'\n' {
            begins[line] = at + 1;
            line += 1;
        }
        at += 1;
    }
    begins
}

const fn count_lines() -> usize {
    let (mut lines, mut at) = (1, 0);
    while at < TABLE.len() {
        lines += (TABLE[at] == b'\n') as usize;
        at += 1;
    }
    lines
}

/// Where the number of a line begins, if that is the line's name.
const fn after(name: &[u8], line: usize) -> Option<usize> {
    let mut i = 0;
    while i < name.len() {
        if line + i >= TABLE.len() || TABLE[line + i] != name[i] {
            return None;
        }
        i += 1;
    }
    let at = line + i;
    if at + 3 < TABLE.len() && TABLE[at] == b' ' && TABLE[at + 1] == b'|' && TABLE[at + 2] == b' ' { Some(at + 3) } else { None }
}

/// The decimal number that begins there.
const fn parse(mut at: usize) -> f64 {
    let (mut digits, mut unit, mut is_behind_point) = (0.0, 1.0, false);
    while TABLE[at] != b' ' {
        match TABLE[at] {
            b'.' => is_behind_point = true,
            digit @ b'0'..=b'9' => {
                digits = 10.0 * digits + (digit - b'0') as f64;
                unit = if is_behind_point { 10.0 * unit } else { unit };
            }
            _ => panic!("a line of thresholds.txt has no number"),
        }
        at += 1;
    }
    digits / unit
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No line of the file is without a reader, and none stands there twice.
    #[test]
    fn every_threshold_is_read() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/fft/choose");
        let files = std::fs::read_dir(folder).unwrap().map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
        let code: String = files.collect();
        let mut names = Vec::new();
        for (line, columns) in crate::text::table(include_str!("thresholds.txt")) {
            let [name, value, _] = columns[..] else { panic!("{line}: not three columns") };
            assert!(["number", "decimal"].iter().any(|read| code.contains(&format!("{read}(\"{name}\")"))), "{name}: nothing reads it");
            assert_eq!(value.parse(), Ok(decimal(name)), "{name}");
            assert!(!names.contains(&name), "{name}: twice");
            names.push(name);
        }
    }
}
