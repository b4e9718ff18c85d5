//! How the texts of specifications begin: a shape, and a batch.

use crate::error::Result;
use crate::shape::Shape;
use crate::text::{Fields, Text, Words};

/// The shape behind the first words of a specification, and the words that follow it.
pub(super) fn shape_after<'a>(words: &[&str], whole: &'a str) -> Result<(Text<'a>, Shape, Words<'a>)> {
    let text = Text::new("specification", whole);
    let mut rest = text.words(whole);
    words.iter().try_for_each(|word| rest.skip(word))?;
    Ok((text, Shape::parse(text, rest.one("a shape")?)?, rest))
}

/// The batch of a specification among its fields, `x4`, or 1.
pub(super) fn batch_of(text: Text<'_>, fields: &mut Fields<'_>) -> Result<usize> {
    fields.after("x").map_or(Ok(1), |count| text.number(count))
}

/// Reads the batch of a specification, if there is one, and the word that comes next.
pub(super) fn batch_before(word: &str, text: Text<'_>, words: &mut Words<'_>) -> Result<usize> {
    Ok(batch_and(&[word], text, words)?.0)
}

/// The same where one of several words comes next, which is returned too.
pub(super) fn batch_and<'a>(choices: &[&str], text: Text<'_>, words: &mut Words<'a>) -> Result<(usize, &'a str)> {
    let expected = choices.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" or ");
    let mut next = words.one(&expected)?;
    let mut batch = 1;
    if let Some(count) = next.strip_prefix('x') {
        batch = text.number(count)?;
        next = words.one(&expected)?;
    }
    if choices.contains(&next) { Ok((batch, next)) } else { Err(text.wrong(next, format_args!("expected {expected}"))) }
}
