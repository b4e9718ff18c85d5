//! One line of the file: a JSON object that ends with a checksum of its text.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;
use std::io::BufRead;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::DeviceIdentity;

use super::item::{Entry, Item, Mark};
use crate::gpu::Timer;
use crate::tune::hash;
use crate::tune::rigor::Rigor;

/// Bytes of the longest line, without its end.
pub(super) const LONGEST: usize = 16 << 10;

/// How all our lines begin, whatever their format.
const OURS: &[u8] = br#"{"wgpu-fft":"#;
const BEST: &[u8] = br#"{"wgpu-fft":1,"kind":"best","#;
const MARK: &[u8] = br#"{"wgpu-fft":1,"kind":"mark","#;
/// What stands before and after the 16 digits of the checksum.
const SUM: [&str; 2] = [r#","sum":""#, r#""}"#];
const SUM_LEN: usize = SUM[0].len() + 16 + SUM[1].len();

/// A best entry, with names as in the file. Unlike [`Entry`] it borrows its text from the line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BestLine<'a, Device> {
    #[serde(rename = "wgpu-fft")]
    format: u32,
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    spec: Cow<'a, str>,
    #[serde(borrow)]
    recipe: Cow<'a, str>,
    #[serde(borrow)]
    wgsl: Cow<'a, str>,
    seconds: f64,
    rules_seconds: f64,
    timer: Timer,
    rigor: Rigor,
    #[serde(borrow)]
    version: Cow<'a, str>,
    time: u64,
    device: Device,
    #[serde(borrow, default, skip_serializing_if = "str::is_empty")]
    sum: Cow<'a, str>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MarkLine<'a, Device> {
    #[serde(rename = "wgpu-fft")]
    format: u32,
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    spec: Cow<'a, str>,
    #[serde(borrow)]
    recipe: Cow<'a, str>,
    #[serde(borrow)]
    why: Cow<'a, str>,
    #[serde(borrow)]
    version: Cow<'a, str>,
    time: u64,
    device: Device,
    #[serde(borrow, default, skip_serializing_if = "str::is_empty")]
    sum: Cow<'a, str>,
}

/// The line of an item, with its end.
pub(super) fn write(item: &Item) -> serde_json::Result<String> {
    let mut text = match item {
        Item::Best(entry) => serde_json::to_string(&BestLine {
            format: 1,
            kind: "best".into(),
            spec: entry.spec.as_str().into(),
            recipe: entry.recipe.as_str().into(),
            wgsl: format!("{:016x}", entry.wgsl).into(),
            seconds: entry.seconds,
            rules_seconds: entry.rules_seconds,
            timer: entry.timer,
            rigor: entry.rigor,
            version: entry.version.as_str().into(),
            time: entry.time,
            device: &*entry.device,
            sum: "".into(),
        }),
        Item::Mark(mark) => serde_json::to_string(&MarkLine {
            format: 1,
            kind: "mark".into(),
            spec: mark.spec.as_str().into(),
            recipe: mark.recipe.as_str().into(),
            why: mark.why.as_str().into(),
            version: mark.version.as_str().into(),
            time: mark.time,
            device: &*mark.device,
            sum: "".into(),
        }),
    }?;
    text.pop();
    let sum = hash::of(text.as_bytes());
    // Writing to a string does not fail.
    let _ = writeln!(text, "{}{sum:016x}{}", SUM[0], SUM[1]);
    Ok(text)
}

/// What a line is.
#[derive(PartialEq, Debug)]
pub(super) enum RecordLine {
    /// Nothing.
    Blank,
    /// One of ours, byte for byte.
    Item(Item),
    /// One of ours in another format or with more in it than we know: not to be interpreted, and to
    /// be kept.
    Unknown,
    /// Anything else.
    Corrupt,
}

/// Reads lines, and keeps what they share.
#[derive(Default, Debug)]
pub(super) struct Reader {
    /// Devices by their text, which nearly all lines share.
    devices: HashMap<String, Arc<DeviceIdentity>>,
    /// The one before, as to compare long texts is faster than to hash them.
    last: Option<(String, Arc<DeviceIdentity>)>,
}

impl Reader {
    /// Reads a line without its end.
    pub fn read(&mut self, line: &[u8]) -> RecordLine {
        if line.trim_ascii().is_empty() {
            return RecordLine::Blank;
        }
        match format(line) {
            None => RecordLine::Corrupt,
            Some(1) if !is_intact(line) => RecordLine::Corrupt,
            // The sum is right: what we cannot read was written by a version that knows more.
            Some(1) => self.item(line).map_or(RecordLine::Unknown, |item| item.map_or(RecordLine::Corrupt, RecordLine::Item)),
            Some(_) => RecordLine::Unknown,
        }
    }

    /// The item of an intact line, if we can read it; and if it is one that we would write.
    fn item(&mut self, line: &[u8]) -> Option<Option<Item>> {
        let text = str::from_utf8(line).ok()?;
        if line.starts_with(BEST) {
            let read: BestLine<'_, &RawValue> = serde_json::from_str(text).ok()?;
            let entry = Entry {
                spec: read.spec.into_owned(),
                recipe: read.recipe.into_owned(),
                wgsl: hex(read.wgsl.as_bytes())?,
                device: self.device(read.device)?,
                seconds: read.seconds,
                rules_seconds: read.rules_seconds,
                timer: read.timer,
                rigor: read.rigor,
                version: read.version.into_owned(),
                time: read.time,
            };
            Some(entry.check().is_ok().then_some(Item::Best(entry)))
        } else if line.starts_with(MARK) {
            let read: MarkLine<'_, &RawValue> = serde_json::from_str(text).ok()?;
            Some(Some(Item::Mark(Mark {
                spec: read.spec.into_owned(),
                recipe: read.recipe.into_owned(),
                device: self.device(read.device)?,
                why: read.why.into_owned(),
                version: read.version.into_owned(),
                time: read.time,
            })))
        } else {
            None
        }
    }

    fn device(&mut self, raw: &RawValue) -> Option<Arc<DeviceIdentity>> {
        let text = raw.get();
        if let Some((_, device)) = self.last.as_ref().filter(|(last, _)| last == text) {
            return Some(Arc::clone(device));
        }
        let device = match self.devices.get(text) {
            Some(known) => Arc::clone(known),
            None => {
                let device = Arc::new(serde_json::from_str(text).ok()?);
                self.devices.insert(text.to_owned(), Arc::clone(&device));
                device
            }
        };
        self.last = Some((text.to_owned(), Arc::clone(&device)));
        Some(device)
    }
}

/// The number of the format of a line that begins as ours do.
fn format(line: &[u8]) -> Option<u32> {
    let rest = line.strip_prefix(OURS)?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits > 9 || rest.first() == Some(&b'0') || rest.get(digits) != Some(&b',') {
        return None;
    }
    str::from_utf8(&rest[..digits]).ok()?.parse().ok()
}

/// Whether a line of format 1 is as it was written.
fn is_intact(line: &[u8]) -> bool {
    if line.len() > LONGEST {
        return false;
    }
    let Some((text, sum)) = line.split_last_chunk::<SUM_LEN>() else { return false };
    let digits = sum.strip_prefix(SUM[0].as_bytes()).and_then(|rest| rest.strip_suffix(SUM[1].as_bytes()));
    digits.and_then(hex).is_some_and(|sum| sum == hash::of(text))
}

/// 16 digits, in lower case.
fn hex(digits: &[u8]) -> Option<u64> {
    let lower = digits.len() == 16 && digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    if lower { u64::from_str_radix(str::from_utf8(digits).ok()?, 16).ok() } else { None }
}

/// The lines of a text without their ends, `\n` or `\r\n`.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let all = rest;
        // Slices have no faster search for a byte. Reading from one does not fail.
        let len = rest.skip_until(b'\n').ok().filter(|&len| len > 0)?;
        let line = &all[..len];
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    })
}

/// Whether a file with this text is a record: it is blank, or one of its lines begins as ours do.
/// Of a last line that never ended the beginning of that is enough.
pub(super) fn is_ours(text: &[u8]) -> bool {
    let torn = !text.ends_with(b"\n");
    let mut blank = true;
    let mut all = lines(text).peekable();
    while let Some(line) = all.next() {
        if line.starts_with(OURS) || (torn && all.peek().is_none() && !line.is_empty() && OURS.starts_with(line)) {
            return true;
        }
        blank &= line.trim_ascii().is_empty();
    }
    blank
}
