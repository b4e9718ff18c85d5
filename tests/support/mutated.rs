//! Texts of recipes with random changes that keep most of them recipes.

/// Words and fields that recipes have, each with what stands before it.
const PIECES: [&str; 18] = [
    " width=2",
    " width=4",
    " block=4x2",
    " lines=2",
    " pieces=2",
    " loops=1",
    " exchange=whole",
    " roots=table",
    " banks=0",
    " pairs",
    " halves",
    " packed",
    " bluestein 64",
    " to 1",
    "; axis 0: stockham 4 lanes=1",
    " + stockham 2 lanes=1 lines=2",
    ": ",
    ".2",
];

/// A text with up to three changes: another number, a part removed or doubled, a word of recipes
/// inserted, or axes joined to one part. `below` draws a number below another; zeros change nothing.
pub fn mutated(below: &mut dyn FnMut(u64) -> u64, text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..below(4) {
        // Numbers, and what is between them.
        let mut parts: Vec<String> = Vec::new();
        for c in text.chars() {
            match parts.last_mut().filter(|part| part.ends_with(|last: char| last.is_ascii_digit()) == c.is_ascii_digit()) {
                Some(part) => part.push(c),
                None => parts.push(c.to_string()),
            }
        }
        let numbers: Vec<usize> = (0..parts.len()).filter(|&i| parts[i].parse::<u64>().is_ok()).collect();
        if parts.is_empty() {
            break;
        }
        let kind = if numbers.is_empty() { 99 } else { below(100) };
        match kind {
            0..75 => {
                let at = numbers[below(numbers.len() as u64) as usize];
                parts[at] = changed(below, parts[at].parse().unwrap_or(1)).to_string();
            }
            75..80 => {
                let axes = format!("axes {} to {}", below(4), below(4));
                let begins: Vec<usize> = (0..parts.len()).filter(|&i| parts[i].ends_with("axis ") || parts[i].ends_with("axes ")).collect();
                if let Some(&at) = begins.get(below(begins.len().max(1) as u64) as usize) {
                    let before = parts[at].len() - "axis ".len();
                    parts[at].truncate(before);
                    if let Some(number) = parts.get_mut(at + 1) {
                        *number = axes;
                    }
                }
            }
            80..90 => {
                let at = below(parts.len() as u64 + 1) as usize;
                parts.insert(at, PIECES[below(PIECES.len() as u64) as usize].to_owned());
            }
            _ => {
                let at = below(parts.len() as u64) as usize;
                if below(2) == 1 {
                    parts.remove(at);
                } else {
                    let twice = parts[at].clone();
                    parts.insert(at, twice);
                }
            }
        }
        text = parts.concat();
    }
    text
}

/// Another number: near an old one, of the usual ones, or at the end of a type.
fn changed(below: &mut dyn FnMut(u64) -> u64, old: u64) -> u64 {
    const ENDS: [u64; 9] = [64, 65, 255, 1024, 65_535, 1_000_003, u32::MAX as u64, u32::MAX as u64 + 1, u64::MAX];
    match below(8) {
        0 => old / 2,
        1 => old.saturating_add(1),
        2 => old.saturating_sub(1),
        3 => old.saturating_mul(2),
        4 => 0,
        5 => below(70),
        6 => ENDS[below(ENDS.len() as u64) as usize],
        _ => 1 << below(12),
    }
}
