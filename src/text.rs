//! Reads the texts that shapes, layouts, specifications and recipes print.
//!
//! Such a text consists of words with spaces between them. The first words have fixed places. The
//! others may stand in any order, each at most once: fields `lanes=64`, counts `x4` and flags
//! `in-place`.

use std::fmt::{self, Display};
use std::str::{FromStr, SplitWhitespace};

use crate::error::{Error, Result};

/// The lines of a table of this crate's, and their columns: none of what is empty or a comment.
pub(crate) fn table(text: &'static str) -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| (line, line.split('|').map(str::trim).collect()))
}

/// A text, and what it should be. The parts that its methods take are slices of it.
#[derive(Clone, Copy)]
pub(crate) struct Text<'a> {
    what: &'static str,
    whole: &'a str,
}

impl<'a> Text<'a> {
    pub fn new(what: &'static str, whole: &'a str) -> Self {
        Self { what, whole }
    }

    /// The error that says what is wrong with a part, and where the part is.
    pub fn wrong(self, part: &str, why: impl Display) -> Error {
        // Of a slice, the address says where it begins. What is no slice of the text has no place.
        let at = part.as_ptr().addr().wrapping_sub(self.whole.as_ptr().addr());
        let why = match (part.is_empty(), at <= self.whole.len()) {
            (false, true) => format!("`{part}` at byte {at}: {why}"),
            (true, true) => format!("at byte {at}: {why}"),
            (false, false) => format!("`{part}`: {why}"),
            (true, false) => why.to_string(),
        };
        Error::Parse { what: self.what, text: self.whole.to_owned(), why }
    }

    pub fn number<T: FromStr>(self, part: &str) -> Result<T> {
        part.parse().map_err(|_| self.wrong(part, "expected a number"))
    }

    /// Numbers, or none in an empty part.
    pub fn numbers<T: FromStr>(self, part: &str, separator: char) -> Result<Vec<T>> {
        if part.is_empty() { Ok(Vec::new()) } else { part.split(separator).map(|number| self.number(number)).collect() }
    }

    pub fn pair(self, part: &str, separator: char) -> Result<[u32; 2]> {
        let two =
            part.split_once(separator).ok_or_else(|| self.wrong(part, format!("expected two numbers with `{separator}` between them")))?;
        Ok([self.number(two.0)?, self.number(two.1)?])
    }

    pub fn words(self, part: &'a str) -> Words<'a> {
        Words { text: self, end: &part[part.len()..], rest: part.split_whitespace() }
    }
}

/// The words of a part of a text, one after the other.
pub(crate) struct Words<'a> {
    text: Text<'a>,
    end: &'a str,
    rest: SplitWhitespace<'a>,
}

impl<'a> Words<'a> {
    /// The next word, if there is one.
    pub fn any(&mut self) -> Option<&'a str> {
        self.rest.next()
    }

    /// The next word, which must be there.
    pub fn one(&mut self, expected: &str) -> Result<&'a str> {
        self.any().ok_or_else(|| self.text.wrong(self.end, format_args!("expected {expected}")))
    }

    /// Goes past these words.
    pub fn skip(&mut self, phrase: &str) -> Result<()> {
        let expected = format!("`{phrase}`");
        phrase.split_whitespace().try_for_each(|word| match self.one(&expected)? {
            own if own == word => Ok(()),
            own => Err(self.text.wrong(own, format_args!("expected {expected}"))),
        })
    }

    /// There must be no other word.
    pub fn done(mut self) -> Result<()> {
        self.any().map_or(Ok(()), |word| Err(self.text.wrong(word, "expected nothing more")))
    }

    /// The remaining words, in any order.
    pub fn fields(self) -> Fields<'a> {
        Fields { text: self.text, end: self.end, rest: self.rest.collect(), taken: Vec::new() }
    }
}

/// Words that may stand in any order, each at most once.
pub(crate) struct Fields<'a> {
    text: Text<'a>,
    end: &'a str,
    rest: Vec<&'a str>,
    /// What was taken of them.
    taken: Vec<&'a str>,
}

impl<'a> Fields<'a> {
    fn take(&mut self, fits: impl Fn(&str) -> bool) -> Option<&'a str> {
        let word = self.rest.remove(self.rest.iter().position(|word| fits(word))?);
        self.taken.push(word);
        Some(word)
    }

    /// Whether a word is there.
    pub fn flag(&mut self, name: &str) -> bool {
        self.take(|word| word == name).is_some()
    }

    /// What follows the first characters of a word: `4` of `x4`.
    pub fn after(&mut self, prefix: &str) -> Option<&'a str> {
        self.take(|word| word.starts_with(prefix)).and_then(|word| word.strip_prefix(prefix))
    }

    /// The value of `name=value`.
    pub fn value(&mut self, name: &str) -> Option<&'a str> {
        self.take(|word| self::name(word) == Some(name)).and_then(|word| word.split_once('=')).map(|(_, value)| value)
    }

    /// The number of `name=4`, which must be there unless there is a default.
    pub fn number(&mut self, name: &str, default: Option<u32>) -> Result<u32> {
        match (self.value(name), default) {
            (Some(value), _) => self.text.number(value),
            (None, Some(default)) => Ok(default),
            (None, None) => Err(self.text.wrong(self.end, format_args!("{name}=… is missing"))),
        }
    }

    /// The value of `name=value`, which must print as one of these; the first if there is none.
    pub fn choice<T: Copy + Display>(&mut self, name: &str, choices: &[T]) -> Result<T> {
        let Some(value) = self.value(name) else { return Ok(choices[0]) };
        let chosen = choices.iter().find(|choice| choice.to_string() == value);
        chosen.copied().ok_or_else(|| self.text.wrong(value, format_args!("expected {}", join(choices, " or "))))
    }

    /// There must be no other word.
    pub fn done(self, expected: &str) -> Result<()> {
        let Some(word) = self.rest.first() else { return Ok(()) };
        let twice = self.taken.iter().any(|taken| taken == word || name(taken).is_some_and(|own| name(word) == Some(own)));
        Err(if twice { self.text.wrong(word, "given twice") } else { self.text.wrong(word, format_args!("expected {expected}")) })
    }
}

/// The name of a field, if a word is one.
fn name(word: &str) -> Option<&str> {
    word.split_once('=').map(|(name, _)| name)
}

/// Joins values with a separator: `8.8.2` for `[8, 8, 2]` and `"."`.
pub(crate) fn join(values: &[impl ToString], separator: &str) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}

/// Prints ` name=value`, or nothing if there is no value.
pub(crate) struct Field<T>(pub &'static str, pub Option<T>);

impl<T: Display> Display for Field<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.1.as_ref().map_or(Ok(()), |value| write!(f, " {}={value}", self.0))
    }
}

/// Prints ` word`, or nothing if it does not hold.
pub(crate) struct Flag<T>(pub T, pub bool);

impl<T: Display> Display for Flag<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.1 { write!(f, " {}", self.0) } else { Ok(()) }
    }
}

/// Prints each variant as a word.
macro_rules! words {
    ($type:ident { $($variant:ident = $word:expr),* $(,)? }) => {
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $(Self::$variant => $word),* })
            }
        }
    };
}
pub(crate) use words;

/// Implements `FromStr` for a type, whose value an expression makes of the text. With a name of
/// what the text should be, it makes it of the [`Text`] as well.
macro_rules! parsed {
    ($(#[$doc:meta])* $type:ty $(where $($parameter:ident: $bound:ident),+)?, |$whole:ident| $value:expr) => {
        /// Parses what [`Display`](std::fmt::Display) prints.
        $(#[$doc])*
        impl$(<$($parameter: $bound),+>)? std::str::FromStr for $type {
            type Err = $crate::error::Error;

            fn from_str($whole: &str) -> $crate::error::Result<Self> {
                $value
            }
        }
    };
    ($(#[$doc:meta])* $type:ty, $what:literal, |$text:ident, $whole:ident| $value:expr) => {
        $crate::text::parsed!($(#[$doc])* $type, |$whole| {
            let $text = $crate::text::Text::new($what, $whole);
            $value
        });
    };
}
pub(crate) use parsed;

#[cfg(test)]
mod tests {
    use super::*;

    fn why(error: Error) -> String {
        match error {
            Error::Parse { what: "test", why, .. } => why,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn words_have_places_and_fields_have_none() {
        let text = Text::new("test", " kind 8.8  width=4 in-place x3 ");
        let mut words = text.words(text.whole);
        assert_eq!(words.skip("kind").and_then(|()| words.one("numbers")), Ok("8.8"));
        let mut fields = words.fields();
        assert!(fields.flag("in-place") && !fields.flag("in-place"));
        assert_eq!((fields.after("x"), fields.after("x")), (Some("3"), None));
        assert_eq!((fields.number("width", None), fields.number("height", Some(7))), (Ok(4), Ok(7)));
        assert_eq!(fields.done("nothing"), Ok(()));
        assert_eq!((text.numbers::<u8>("", ','), text.numbers("1,2", ',')), (Ok(vec![]), Ok(vec![1u8, 2])));
        assert_eq!(text.pair("4x5", 'x'), Ok([4, 5]));
    }

    #[test]
    fn errors_say_what_was_expected_and_where() {
        let whole = "kind width=a width=4 more";
        let text = Text::new("test", whole);
        assert_eq!(why(text.words(whole).skip("sort").unwrap_err()), "`kind` at byte 0: expected `sort`");
        assert_eq!(why(text.words(&whole[..4]).fields().number("lanes", None).unwrap_err()), "at byte 4: lanes=… is missing");
        assert_eq!(why(text.words("").one("a shape").unwrap_err()), "expected a shape");
        assert_eq!(why(text.wrong("elsewhere", "expected nothing")), "`elsewhere`: expected nothing");
        let mut fields = text.words(&whole[5..]).fields();
        assert_eq!(why(fields.number("width", None).unwrap_err()), "`a` at byte 11: expected a number");
        assert_eq!(why(fields.done("anything").unwrap_err()), "`width=4` at byte 13: given twice");
        assert_eq!(why(text.words(&whole[21..]).fields().done("less").unwrap_err()), "`more` at byte 21: expected less");
        let mut fields = text.words(&whole[5..12]).fields();
        assert_eq!(why(fields.choice("width", &[1, 2]).unwrap_err()), "`a` at byte 11: expected 1 or 2");
        assert_eq!(why(text.words(&whole[21..]).done().unwrap_err()), "`more` at byte 21: expected nothing more");
    }
}
