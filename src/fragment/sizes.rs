//! How large the values are that WGSL of a caller's names, before a compiler writes them out.

use std::collections::BTreeMap;
use std::ops::Range;

use super::tokens::{Kind, Source, Wrong};

/// Numbers of one value. The largest uniform has so many vectors.
const MAX_NUMBERS: u64 = 4096;

impl Source {
    /// The first value that may be too large for a compiler, which writes out what is constant.
    pub fn too_large(&self, names: &mut Sizes<'_>) -> Option<Wrong> {
        let mut first = None;
        names.of(self, 0..self.tokens.len(), &mut |token, size| {
            if size > MAX_NUMBERS {
                first.get_or_insert(token);
            }
        });
        let why = format!(
            "a value has at most {MAX_NUMBERS} numbers, and the length of an array is made of numbers and constants by `+`, `*`, `/` and `%`"
        );
        first.map(|token| Wrong { at: self.tokens[token].range.start, why })
    }
}

/// How many numbers the values of names have at most, whichever of several declarations by one name
/// is meant: constants, structures and other names of types.
pub(crate) struct Sizes<'a> {
    functions: &'a Source,
    declared: BTreeMap<&'a str, Vec<Range<usize>>>,
    /// What is known: numbers of a value, and the largest value of an integer. A name that means
    /// itself is too large for any limit.
    known: BTreeMap<&'a str, (u64, u64)>,
}

impl<'a> Sizes<'a> {
    /// Of the names in functions.
    pub fn new(functions: &'a Source) -> Self {
        let mut declared: BTreeMap<&str, Vec<Range<usize>>> = BTreeMap::new();
        let tokens = &functions.tokens;
        for i in 0..tokens.len().saturating_sub(1) {
            if tokens[i].kind != Kind::Word || tokens[i + 1].kind != Kind::Word {
                continue;
            }
            let end = match functions.word(i) {
                "struct" => '}',
                "alias" | "const" => ';',
                _ => continue,
            };
            let until = tokens[i + 2..].iter().position(|token| token.is(end)).map_or(tokens.len(), |len| i + 3 + len);
            declared.entry(functions.word(i + 1)).or_default().push(i + 2..until);
        }
        Self { functions, declared, known: BTreeMap::new() }
    }

    fn word(&mut self, word: &str) -> (u64, u64) {
        if let Some(known) = self.known.get(word) {
            return *known;
        }
        let Some((&name, ranges)) = self.declared.get_key_value(word) else { return (1, u64::MAX) };
        let (functions, ranges) = (self.functions, ranges.clone());
        self.known.insert(name, (u64::MAX, u64::MAX));
        let mut known = (1, 1);
        for range in ranges {
            known.0 = known.0.max(self.of(functions, range.clone(), &mut |_, _| {}));
            known.1 = known.1.max(self.value(functions, range));
        }
        self.known.insert(name, known);
        known
    }

    /// The largest value of an integer: sums, products, quotients and remainders of numbers and
    /// constants are at most the product of those that are more than 1, counting a 1 as 2. Nothing
    /// is known of others.
    fn value(&mut self, source: &Source, range: Range<usize>) -> u64 {
        range.fold(1u64, |product, i| {
            let word = source.word(i);
            let factor = match source.tokens[i].kind {
                Kind::Number => number(word).map_or(u64::MAX, |value| value.max(2)),
                Kind::Word if ["u32", "i32"].contains(&word) => 1,
                Kind::Word => self.word(word).1.max(2),
                Kind::Sign('+' | '*' | '/' | '%' | '(' | ')' | ':' | '=' | ';' | ',') => 1,
                _ => u64::MAX,
            };
            product.saturating_mul(factor)
        })
    }

    /// The most numbers that a value of these tokens has: members and elements are separated by
    /// commas; an operator makes nothing larger. Says at which token each is known.
    fn of(&mut self, source: &Source, range: Range<usize>, seen: &mut dyn FnMut(usize, u64)) -> u64 {
        let tokens = &source.tokens;
        let mut open = vec![Group::default()];
        for i in range.clone() {
            let last = open.len() - 1;
            let size = match tokens[i].kind {
                Kind::Number | Kind::Member => 1,
                // A member, a parameter, or a value that is declared.
                Kind::Word if tokens.get(i + 1).is_some_and(|next| next.is(':')) => 1,
                Kind::Word => self.word(source.word(i)).0,
                Kind::Sign(sign @ ('(' | '[' | '{')) => {
                    if sign == '{' {
                        end_angles(&mut open);
                    }
                    open.push(Group::default());
                    continue;
                }
                Kind::Sign('<') if i > range.start && tokens[i - 1].kind == Kind::Word => {
                    let is_array = tokens[i - 1].is_word(&source.text, "array");
                    open.push(Group { angle: Some(is_array), ..Group::default() });
                    continue;
                }
                Kind::Sign('>') if open[last].angle.is_some() => {
                    let group = open.pop().unwrap_or_default();
                    match group.element {
                        Some((element, length)) if group.angle == Some(true) => element.saturating_mul(self.value(source, length..i)),
                        _ => group.size(),
                    }
                }
                Kind::Sign(',') => {
                    let group = &mut open[last];
                    group.element = group.element.or(Some((group.last, i + 1)));
                    (group.before, group.last) = (group.before.saturating_add(group.last), 0);
                    continue;
                }
                Kind::Sign(';') => {
                    end_angles(&mut open);
                    open.iter_mut().last().into_iter().for_each(Group::end_statement);
                    continue;
                }
                Kind::Sign(')' | ']' | '}') => {
                    end_angles(&mut open);
                    open.pop().unwrap_or_default().size()
                }
                Kind::Sign(_) => continue,
            };
            seen(i, size);
            if open.is_empty() {
                open.push(Group::default());
            }
            if let Some(group) = open.last_mut() {
                group.last = group.last.max(size);
                if tokens[i].is('}') {
                    group.end_statement();
                }
            }
        }
        open.iter().map(Group::size).max().unwrap_or(0)
    }
}

/// What is between two brackets, in numbers.
#[derive(Clone, Copy, Default)]
struct Group {
    /// Whether they are those of `array<…>`, if they are `<` and `>`.
    angle: Option<bool>,
    /// In statements that have ended.
    done: u64,
    /// Before the last comma of the statement, and behind it.
    before: u64,
    last: u64,
    /// What is before the first comma, and the token after it: the elements of an array and its
    /// length.
    element: Option<(u64, usize)>,
}

impl Group {
    fn size(&self) -> u64 {
        self.done.max(self.before.saturating_add(self.last))
    }

    fn end_statement(&mut self) {
        *self = Self { angle: self.angle, done: self.size(), ..Self::default() };
    }
}

/// A `<` after a value is not closed. Of an array that is not closed, nothing is known.
fn end_angles(open: &mut Vec<Group>) {
    while let Some(group) = open.pop_if(|group| group.angle.is_some()) {
        let size = if group.angle == Some(true) && group.element.is_some() { u64::MAX } else { group.size() };
        open.last_mut().into_iter().for_each(|outer| outer.last = outer.last.max(size));
    }
}

/// The value of an integer.
fn number(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(['u', 'i']);
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16).ok(),
        None => digits.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_values_are_bounded() {
        let size = |functions: &str, text: &str| {
            let (functions, text) = (Source::new(functions).unwrap(), Source::new(text).unwrap());
            Sizes::new(&functions).of(&text, 0..text.tokens.len(), &mut |_, _| {})
        };
        assert_eq!(size("", "a + b * vec4<f32>(1.0, 2.0, c, d) * array<f32, 8>()[i]"), 8);
        assert_eq!(size("", "array<f32, 4000000000>()[3]"), 4_000_000_000);
        assert_eq!(size("", "array<array<vec4<f32>, 100>, 1000>()"), 100_000);
        assert_eq!(size("const N = 3; const M: u32 = N * 4u;", "array<f32, M + 1>"), 24);
        assert_eq!(size("fn f() { const N = 9; } const N = 3;", "array<f32, N>"), 9);
        assert_eq!(size("struct A { a: f32, b: vec4f } struct B { c: A, d: array<A, 5> }", "B()"), 12);
        assert_eq!(size("alias A = array<f32, 4>; const a = A(); const b = array(a, a, a);", "b[1][2]"), 12);
        for unbounded in ["array<f32, 1 << 20>()", "array<f32, 1u - 2u>()", "array<f32, n>()", "array<f32, ~0u>()"] {
            assert_eq!(size("", unbounded), u64::MAX, "{unbounded}");
        }
        assert_eq!(size("const A = array(B, B); fn f() { const A = 1; const B = A; } const B = 1;", "A"), u64::MAX);
        // Statements and cases do not add up.
        let cases = "switch (i) { case 1, 2: { x = array<f32, 64>(); } default: {} }".repeat(100);
        assert!(size("", &format!("fn f() {{ {cases} }}")) < 200);
    }
}
