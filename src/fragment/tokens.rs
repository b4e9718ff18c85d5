//! WGSL of a caller's as a list of tokens, and what must be known of it before a compiler sees it:
//! its characters, its brackets, and the sizes of what it names. What the text does is proven on
//! what the compiler makes of it (`proof.rs`).

use std::collections::BTreeMap;
use std::ops::Range;

/// Numbers of one value. The largest uniform has so many vectors.
const MAX_NUMBERS: u64 = 4096;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A name or a keyword.
    Word,
    /// A name after a dot: a member of a structure, or components of a vector.
    Member,
    Number,
    /// Any other character.
    Sign(char),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    /// Its bytes in the text.
    pub range: Range<usize>,
}

impl Token {
    pub fn is(&self, sign: char) -> bool {
        self.kind == Kind::Sign(sign)
    }

    pub fn text<'a>(&self, of: &'a str) -> &'a str {
        &of[self.range.clone()]
    }

    pub fn is_word(&self, of: &str, word: &str) -> bool {
        self.kind == Kind::Word && self.text(of) == word
    }
}

/// What is wrong with a text, and at which byte.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Wrong {
    pub at: usize,
    pub why: String,
}

/// A text with its tokens.
///
/// It is made of the printable characters of ASCII, spaces, tabs and line ends (`\n` or `\r\n`).
/// Everything else is refused outside of comments: compilers do not agree on what is a blank, a part
/// of a name or the end of a line, and a reader of the text does not see all of it. Comments may hold
/// any characters but those that some compiler takes for the end of a line. They become spaces, so
/// that no compiler sees them.
#[derive(Clone, Default, Debug)]
pub(crate) struct Source {
    pub(super) text: String,
    pub(super) tokens: Vec<Token>,
}

impl Source {
    pub fn new(own: &str) -> Result<Self, Wrong> {
        let wrong = |at: usize, why: String| Wrong { at, why };
        let mut tokens: Vec<Token> = Vec::new();
        let mut text = own.as_bytes().to_vec();
        let of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut at = 0;
        while let Some(first) = own[at..].chars().next() {
            let rest = &own[at..];
            let up_to = |end: Option<usize>| end.unwrap_or(rest.len());
            let (kind, len) = if matches!(first, ' ' | '\t' | '\n') || rest.starts_with("\r\n") {
                (None, 1)
            } else if rest.starts_with("//") || rest.starts_with("/*") {
                let len = if rest.starts_with("//") {
                    up_to(rest.find('\n'))
                } else {
                    block_comment(rest).ok_or_else(|| wrong(at, "the comment does not end".to_owned()))?
                };
                let comment = &rest[..len];
                let ends_a_line = |(i, c): &(usize, char)| {
                    let is_end = *c == '\n' || *c == '\r' && (comment[i + 1..].starts_with('\n') || rest[i + 1..].starts_with('\n'));
                    (c.is_control() && *c != '\t' && !is_end) || matches!(c, '\u{2028}' | '\u{2029}')
                };
                if let Some((i, c)) = comment.char_indices().find(ends_a_line) {
                    return Err(wrong(at + i, format!("the character U+{:04X} has no place in a comment", u32::from(c))));
                }
                text[at..at + len].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
                (None, len)
            } else if !first.is_ascii_graphic() {
                let why = format!(
                    "the character U+{:04X} has no place outside of comments: only printable ASCII, spaces, tabs and line ends have",
                    u32::from(first)
                );
                return Err(wrong(at, why));
            } else if first.is_ascii_digit() || first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit()) {
                // The letter before a sign that belongs to the number.
                let exponents = if rest.starts_with("0x") || rest.starts_with("0X") { ['p', 'P'] } else { ['e', 'E'] };
                let mut before = first;
                let mut ends = |c: char| {
                    let goes_on = of_word(c) || c == '.' || matches!(c, '+' | '-') && exponents.contains(&before);
                    before = c;
                    !goes_on
                };
                (Some(Kind::Number), up_to(rest.find(&mut ends)))
            } else if of_word(first) {
                let after_dot = tokens.last().is_some_and(|token| token.is('.'));
                (Some(if after_dot { Kind::Member } else { Kind::Word }), up_to(rest.find(|c| !of_word(c))))
            } else {
                (Some(Kind::Sign(first)), 1)
            };
            tokens.extend(kind.map(|kind| Token { kind, range: at..at + len }));
            at += len;
        }
        let text = String::from_utf8(text).expect("comments are spaces, and the rest is ASCII");
        Ok(Self { text, tokens })
    }

    fn word(&self, i: usize) -> &str {
        self.tokens[i].text(&self.text)
    }

    /// The deepest nesting of brackets. Fails where one closes nothing or is not closed.
    pub fn depth(&self) -> Result<usize, Wrong> {
        // A `<` after a name may open the parameters of a type; if not, what surrounds it ends it.
        let mut open: Vec<char> = Vec::new();
        let mut deepest = 0;
        let end_angles = |open: &mut Vec<char>| {
            while open.pop_if(|sign| *sign == '<').is_some() {}
        };
        for (i, token) in self.tokens.iter().enumerate() {
            let Kind::Sign(sign) = token.kind else { continue };
            match sign {
                '<' if i > 0 && self.tokens[i - 1].kind == Kind::Word => open.push('<'),
                '>' => drop(open.pop_if(|sign| *sign == '<')),
                '(' | '[' => open.push(sign),
                '{' => {
                    end_angles(&mut open);
                    open.push(sign);
                }
                ';' => end_angles(&mut open),
                ')' | ']' | '}' => {
                    end_angles(&mut open);
                    if open.pop().map(closing) != Some(sign) {
                        return Err(Wrong { at: token.range.start, why: format!("`{sign}` closes nothing") });
                    }
                }
                _ => {}
            }
            deepest = deepest.max(open.len());
        }
        end_angles(&mut open);
        let missing = |sign: char| Wrong { at: self.text.len(), why: format!("a `{}` is missing", closing(sign)) };
        open.pop().map_or(Ok(deepest), |sign| Err(missing(sign)))
    }

    /// Tokens of the longest statement.
    pub fn longest_statement(&self) -> usize {
        let ends = |token: &Token| [';', '{', '}'].iter().any(|sign| token.is(*sign));
        self.tokens.split(ends).map(<[Token]>::len).max().unwrap_or(0)
    }

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

    /// Names, numbers, operators and brackets.
    pub fn len(&self) -> usize {
        self.tokens.len()
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

/// The bracket that closes one.
fn closing(sign: char) -> char {
    match sign {
        '(' => ')',
        '[' => ']',
        _ => '}',
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

/// The length of a block comment. They nest.
fn block_comment(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        let source = Source::new(text).unwrap();
        source.tokens.iter().map(|token| token.text(&source.text).to_owned()).collect()
    }

    #[test]
    fn texts_fall_into_words_numbers_and_signs() {
        assert_eq!(texts("a.xy+1.5e-3f*b_2[0x1Fu]"), ["a", ".", "xy", "+", "1.5e-3f", "*", "b_2", "[", "0x1Fu", "]"]);
        assert_eq!(texts("x-1-.5"), ["x", "-", "1", "-", ".5"]);
        assert_eq!(texts("0x1e+x-0x1p+2f"), ["0x1e", "+", "x", "-", "0x1p+2f"]);
        assert_eq!(texts("a /* b /* ç */ d */ e // f\r\n g"), ["a", "e", "g"]);
        assert_eq!(Source::new("a /* b").unwrap_err().at, 2);
        let kinds: Vec<Kind> = Source::new("v.x x").unwrap().tokens.iter().map(|token| token.kind).collect();
        assert_eq!(kinds, [Kind::Word, Kind::Sign('.'), Kind::Member, Kind::Word]);
    }

    #[test]
    fn comments_become_spaces_and_places_stay() {
        assert_eq!(Source::new("a/* ü\n */b // y\nc").unwrap().text, "a     \n   b     \nc");
    }

    /// What compilers disagree about, or readers do not see.
    #[test]
    fn characters_are_those_of_a_stated_set() {
        for c in
            ['\r', '\u{b}', '\u{c}', '\0', '\u{85}', '\u{200e}', '\u{200f}', '\u{2028}', '\u{2029}', '\u{feff}', '\u{301}', 'é', '\u{a0}']
        {
            let wrong = Source::new(&format!("ab{c}c")).unwrap_err();
            assert!(wrong.at == 2 && wrong.why.contains(&format!("U+{:04X}", u32::from(c))), "{wrong:?}");
            let ends_a_line = c.is_control() || ['\u{2028}', '\u{2029}'].contains(&c);
            assert_eq!(Source::new(&format!("// a{c}c\nb")).is_err(), ends_a_line, "U+{:04X}", u32::from(c));
            assert_eq!(Source::new(&format!("/* a{c}c */ b")).is_err(), ends_a_line, "U+{:04X}", u32::from(c));
        }
        assert!(Source::new("a\r\n\tb // c\r\n").is_ok());
    }

    #[test]
    fn comparisons_close_no_bracket() {
        let depth = |text: &str| Source::new(text).unwrap().depth().map_err(|wrong| wrong.why);
        assert_eq!(depth("((a))[array<vec2<f32>, 2>()]"), Ok(3));
        assert_eq!(depth("if (a > 1) { if (a > b) { if (a >> 1 > c) {} } }"), Ok(3));
        assert_eq!(depth("a < b; c < d; (e < f) && (g < h)"), Ok(2));
        assert_eq!(depth("(a]").unwrap_err(), "`]` closes nothing");
        assert_eq!(depth("f(a) { [").unwrap_err(), "a `]` is missing");
    }

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
