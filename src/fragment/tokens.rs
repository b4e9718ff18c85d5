//! WGSL as a list of tokens, as far as the checks of fragments need it.

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

/// The tokens of a text without its comments, or where a comment begins that does not end.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, usize> {
    let mut tokens: Vec<Token> = Vec::new();
    let of_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let up_to = |end: Option<usize>| end.unwrap_or(rest.len());
        let (kind, len) = if first.is_whitespace() {
            (None, first.len_utf8())
        } else if rest.starts_with("//") {
            (None, up_to(rest.find(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'])))
        } else if rest.starts_with("/*") {
            (None, block_comment(rest).ok_or(at)?)
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
            (Some(Kind::Sign(first)), first.len_utf8())
        };
        tokens.extend(kind.map(|kind| Token { kind, range: at..at + len }));
        at += len;
    }
    Ok(tokens)
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

/// The text with a space in place of each comment.
pub(super) fn without_comments(text: &str) -> String {
    let Ok(tokens) = tokens(text) else { return text.to_owned() };
    let mut clean = String::new();
    let mut end = 0;
    for token in tokens {
        if token.range.start > end {
            clean.push(' ');
        }
        clean.push_str(token.text(text));
        end = token.range.end;
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        tokens(text).unwrap().iter().map(|token| token.text(text)).collect()
    }

    #[test]
    fn texts_fall_into_words_numbers_and_signs() {
        assert_eq!(texts("a.xy+1.5e-3f*b_2[0x1Fu]"), ["a", ".", "xy", "+", "1.5e-3f", "*", "b_2", "[", "0x1Fu", "]"]);
        assert_eq!(texts("x-1-.5"), ["x", "-", "1", "-", ".5"]);
        assert_eq!(texts("0x1e+x-0x1p+2f"), ["0x1e", "+", "x", "-", "0x1p+2f"]);
        assert_eq!(texts("a /* b /* c */ d */ e // f\n g"), ["a", "e", "g"]);
        assert_eq!(tokens("a /* b"), Err(2));
        let kinds: Vec<Kind> = tokens("v.x x").unwrap().iter().map(|token| token.kind).collect();
        assert_eq!(kinds, [Kind::Word, Kind::Sign('.'), Kind::Member, Kind::Word]);
    }

    #[test]
    fn comments_become_spaces() {
        assert_eq!(without_comments("a/* x */b // y\nc"), "a b c");
    }
}
