//! WGSL of a caller's as a list of tokens, and what must be known of it before a compiler sees it:
//! its characters and its brackets. What the text does is proven on what the compiler makes of it
//! (`proof.rs`).

use std::ops::Range;

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
/// Everything else is refused outside of comments: compilers do not agree on what is a blank, a
/// part of a name or the end of a line, and a reader of the text does not see all of it. Comments
/// may hold any characters but those that some compiler takes for the end of a line. They become
/// spaces, so that no compiler sees them.
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

    pub(super) fn word(&self, i: usize) -> &str {
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

    /// Names, numbers, operators and brackets.
    pub fn len(&self) -> usize {
        self.tokens.len()
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
}
