//! Passes that were measured, for single lengths: `measured.txt`, which says what its columns are.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::designer::{Designer, SMALL_ARRAY};
use super::lines::LineClass;
use crate::fft::recipe::{PassRecipe, Stockham};
use crate::plan::Placement;
use crate::text::table;

const TABLE: &str = include_str!("measured.txt");

/// What a line of the table is about, in its words.
const KINDS: [&str; 7] = ["row", "column", "convolution", "passes", "behind blocks", "in twos", "pieces"];

/// The lines of a kind and a length, in order.
static LINES: LazyLock<HashMap<(&str, u32), Vec<Line>>> = LazyLock::new(|| {
    let mut all: HashMap<_, Vec<Line>> = HashMap::new();
    for (text, columns) in table(TABLE) {
        let (key, line) = line(&columns).unwrap_or_else(|| panic!("measured.txt: `{text}`"));
        all.entry(key).or_default().push(line);
    }
    all
});

struct Line {
    /// Whether it is for other cards than those it was measured on, too.
    anywhere: bool,
    conditions: Vec<&'static str>,
    passes: &'static str,
}

fn line(columns: &[&'static str]) -> Option<((&'static str, u32), Line)> {
    let [lines, passes, _] = columns[..] else { return None };
    let kind = KINDS.into_iter().find(|kind| lines.strip_prefix(kind).is_some_and(|rest| rest.starts_with(' ')))?;
    let mut words = lines[kind.len()..].split_whitespace();
    let n = words.next()?.parse().ok()?;
    let mut conditions: Vec<&str> = words.collect();
    let anywhere = conditions.pop_if(|word| *word == "anywhere").is_some();
    Some(((kind, n), Line { anywhere, conditions, passes }))
}

/// A pass, and whether the line decides more than radices and lanes.
fn pass(text: &str) -> (Stockham, bool) {
    match format!("stockham {text}").parse() {
        Ok(PassRecipe::Stockham(own)) => (own, text.contains("pieces=") || text.contains("lines=")),
        _ => unreachable!("a test reads every line"),
    }
}

impl LineClass {
    /// Whether a condition of the table holds.
    fn are(&self, word: &str) -> bool {
        let number = |text: &str| text.parse::<u64>().unwrap_or_else(|_| panic!("measured.txt: `{word}`"));
        let (count, points) = (u64::from(self.count), self.points);
        if let Some((of, least)) = word.split_once(">=") {
            return number(least) <= if of == "points" { points } else { count };
        }
        if let Some((_, most)) = word.split_once("<=") {
            return count <= number(most);
        }
        match word {
            "frames" => self.frames,
            "back" => self.to_reals,
            "halves" => self.halves,
            "pairs" => self.exchanges_mirror,
            "half" => self.is_16_bit,
            "complex" => !self.exchanges_mirror && !self.is_16_bit,
            "convolution" => self.convolution,
            "part" => self.across && self.count == u32::MAX,
            "large" => points > SMALL_ARRAY,
            _ => panic!("measured.txt: `{word}`"),
        }
    }

    fn kind(&self) -> &'static str {
        match (self.convolution, self.across) {
            (true, _) => "convolution",
            (false, true) => "column",
            (false, false) => "row",
        }
    }
}

/// What of the table is for a device.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Nothing: it is a processor.
    Nothing,
    /// What is for any GPU.
    Anywhere,
    /// All of it: cards like it were measured. Or a search measures by itself, or arithmetic speaks
    /// for it.
    All,
}

/// What of the table is for a transform on a device.
#[derive(Clone, Copy)]
pub(in crate::fft) struct Measured {
    part: Part,
    in_place: bool,
}

impl Designer<'_> {
    /// What is for this device.
    pub(super) fn measured(&self) -> Measured {
        let part = match (self.profile.is_cpu(), self.profile.is_measured) {
            (true, _) => Part::Nothing,
            (false, false) => Part::Anywhere,
            (false, true) => Part::All,
        };
        Measured { part, ..self.all_measured() }
    }

    /// What was measured, on whatever device.
    pub fn all_measured(&self) -> Measured {
        Measured { part: Part::All, in_place: self.transform.placement == Placement::InPlace }
    }
}

impl Measured {
    /// The passes of the first line of such a kind and length whose conditions hold.
    fn find(self, kind: &'static str, lines: LineClass) -> Option<&'static str> {
        let is = |word: &str| if word == "in-place" { self.in_place } else { lines.are(word) };
        let holds = |word: &&str| word.strip_prefix("not-").map_or_else(|| is(word), |word| !is(word));
        let is_for = |line: &Line| self.part == Part::All || self.part == Part::Anywhere && line.anywhere;
        let fits = |line: &&Line| is_for(line) && line.conditions.iter().all(holds);
        LINES.get(&(kind, lines.n))?.iter().find(fits).map(|line| line.passes)
    }

    /// A pass, and whether it is whole. If not, rules decide all but radices and lanes.
    pub fn one(self, lines: LineClass) -> Option<(Stockham, bool)> {
        self.find(lines.kind(), lines).map(pass)
    }

    /// The pieces of an exchange, the best number first, where others than those of the rules were
    /// faster.
    pub fn pieces(self, lines: LineClass) -> Option<[u32; 3]> {
        let text = self.find("pieces", lines)?;
        let all: Vec<u32> = text.split('.').filter_map(|number| number.parse().ok()).collect();
        all.try_into().ok()
    }

    /// The passes of long lines.
    pub fn passes(self, lines: LineClass) -> Option<Vec<Stockham>> {
        let text = self.find("passes", lines)?;
        Some(text.split(" + ").map(|text| pass(text).0).collect())
    }

    /// One pass over long columns, and the blocks of the array before it.
    pub fn behind_blocks(self, lines: LineClass) -> Option<(Stockham, [u32; 2])> {
        let (own, _) = pass(self.find("behind blocks", lines)?);
        own.block.map(|block| (Stockham { block: None, ..own }, block))
    }

    /// A pass over columns of 16-bit numbers that is faster with accesses of two numbers.
    pub fn in_twos(self, lines: LineClass) -> Option<Stockham> {
        if !lines.across {
            return None;
        }
        self.find("in twos", lines).map(|text| pass(text).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Measured = Measured { part: Part::All, in_place: false };

    #[test]
    fn every_line_is_whole() {
        let rows = LineClass::rows(1, 1);
        for ((kind, n), lines) in LINES.iter() {
            for line in lines {
                for word in line.conditions.iter().map(|word| word.strip_prefix("not-").unwrap_or(word)) {
                    // Panics at a word that is none.
                    let _ = word == "in-place" || rows.are(word);
                }
                if *kind == "pieces" {
                    assert!(ALL.pieces(LineClass { n: *n, convolution: true, ..rows }).is_some(), "{n}");
                    continue;
                }
                let product: u32 = line.passes.split(" + ").map(|text| pass(text).0.n()).product();
                assert_eq!(product, *n, "{kind}: {}", line.passes);
                if !["row", "column", "convolution"].contains(kind) {
                    assert!(line.passes.split(" + ").all(|text| pass(text).1), "{kind} {n}: rules decide nothing of it");
                }
            }
        }
    }

    #[test]
    fn the_first_line_that_fits_is_taken() {
        let rows = |count| ALL.one(LineClass::rows(1024, count)).unwrap().0.radices;
        assert_eq!((rows(16_384), rows(16_385)), (vec![16, 8, 8], vec![8, 8, 16]));
        let convolution = LineClass { convolution: true, ..LineClass::rows(256, 10) };
        assert_eq!(ALL.one(convolution), None);
        let part = LineClass { across: true, count: u32::MAX, ..convolution };
        assert_eq!(ALL.one(part).unwrap().0.radices, [32, 8]);
        let long = LineClass::rows(1 << 28, 1);
        assert_eq!(Measured { in_place: true, ..ALL }.passes(long), None);
        assert_eq!(ALL.passes(long).unwrap().len(), 3);
    }
}
