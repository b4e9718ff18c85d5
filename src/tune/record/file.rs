//! The file of a record: reading new lines, appending, replacing.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::error::{RecordError, Refused};
use super::item::Item;
use super::line;
use crate::files::open;
pub(super) use crate::files::{all_beside, beside, read, replace, temporary};

/// Bytes of a file that are read at most.
pub(super) const LARGEST: u64 = 64 << 20;
/// How long others are waited for. They hold the lock for one line, or for as long as it takes to
/// write the file anew.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes before the place up to which a file was read, by which it is known again: they hold a
/// line's checksum.
const TAIL: usize = 64;

/// How far a file was read, and what is to be written to it.
#[derive(Debug)]
pub(super) struct Disk {
    pub path: PathBuf,
    /// The end of the last whole line that was read.
    offset: u64,
    /// What stands before that.
    tail: Vec<u8>,
    /// The file's number in its file system, where there is such a thing.
    id: Option<[u64; 2]>,
    /// Why the file is not touched again, if it is not.
    pub refused: Option<Refused>,
    /// Items that are in memory alone, so far.
    pub unsaved: Vec<Item>,
}

/// What a file holds since it was read last.
#[derive(Default)]
pub(super) struct News {
    /// Lines, of which the last may not have ended.
    pub text: Vec<u8>,
    /// Whether that is all that the file holds now.
    pub anew: bool,
    /// What is wrong with the rest.
    pub trouble: Option<String>,
}

impl Disk {
    pub fn new(path: PathBuf) -> Self {
        Self { path, offset: 0, tail: Vec::new(), id: None, refused: None, unsaved: Vec::new() }
    }

    /// Reads what was appended, or all of a file that took the place of the one known.
    pub fn news(&mut self) -> io::Result<News> {
        let Some(mut file) = open(&self.path)? else {
            let anew = self.offset > 0;
            self.forget();
            return Ok(News { anew, ..News::default() });
        };
        let known = self.id == id(&file.metadata()?) && self.is_tail_of(&mut file)?;
        if !known {
            self.forget();
            self.id = id(&file.metadata()?);
        }
        let start = self.offset;
        file.seek(SeekFrom::Start(start))?;
        let text = read(&mut file, LARGEST.saturating_sub(start))?;
        if start == 0 && !line::is_ours(&text) {
            self.refused = Some(Refused::NotARecord);
            return Err(io::Error::other(Refused::NotARecord.of(&self.path)));
        }
        let large = start + text.len() as u64 >= LARGEST;
        self.refused = large.then_some(Refused::TooLarge);
        self.read_to(&text);
        let trouble = large.then(|| format!("it is larger than {LARGEST} bytes; the rest is not read"));
        Ok(News { anew: start == 0, text, trouble })
    }

    /// Notes that the file now holds `text` and nothing else.
    pub fn replaced_by(&mut self, text: &[u8]) {
        self.forget();
        self.id = fs::metadata(&self.path).ok().as_ref().and_then(id);
        self.read_to(text);
    }

    fn forget(&mut self) {
        (self.offset, self.id) = (0, None);
        self.tail.clear();
    }

    /// Goes past the whole lines of `text`.
    fn read_to(&mut self, text: &[u8]) {
        let Some(last) = text.iter().rposition(|&byte| byte == b'\n') else { return };
        let whole = &text[..=last];
        self.offset += whole.len() as u64;
        self.tail = whole[whole.len().saturating_sub(TAIL)..].to_vec();
    }

    fn is_tail_of(&self, file: &mut File) -> io::Result<bool> {
        let mut tail = [0; TAIL];
        let tail = &mut tail[..self.tail.len()];
        if file.metadata()?.len() < self.offset {
            return Ok(false);
        }
        file.seek(SeekFrom::Start(self.offset - tail.len() as u64))?;
        file.read_exact(tail)?;
        Ok(tail == self.tail)
    }
}

/// All of a record's file, or `None` if there is none.
pub(super) fn read_whole(path: &Path) -> Result<Option<Vec<u8>>, RecordError> {
    let opened = open(path).map_err(RecordError::io(path))?;
    let Some(mut file) = opened else { return Ok(None) };
    let text = read(&mut file, LARGEST).map_err(RecordError::io(path))?;
    if text.len() as u64 >= LARGEST {
        return Err(Refused::TooLarge.of(path));
    }
    if line::is_ours(&text) { Ok(Some(text)) } else { Err(Refused::NotARecord.of(path)) }
}

#[cfg(unix)]
fn id(metadata: &fs::Metadata) -> Option<[u64; 2]> {
    use std::os::unix::fs::MetadataExt;
    Some([metadata.dev(), metadata.ino()])
}

#[cfg(not(unix))]
fn id(_: &fs::Metadata) -> Option<[u64; 2]> {
    None
}

/// Waits for the right to write to the file at `path`, which lasts as long as what is returned.
///
/// What is locked is a file beside it that is never removed: the record itself is replaced by
/// others of its name.
pub(super) fn lock(path: &Path) -> io::Result<File> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(beside(path, ".lock"))?;
    let begin = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if begin.elapsed() < PATIENCE => std::thread::sleep(pause),
            Err(TryLockError::WouldBlock) => return Err(io::Error::other(format!("another process has kept it locked for {PATIENCE:?}"))),
        }
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

/// Appends lines to the file at `path`, which the caller has locked. After a last line that never
/// ended it begins a new one.
pub(super) fn append(path: &Path, lines: &[&str]) -> io::Result<()> {
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    let mut last = [b'\n'];
    if file.metadata()?.len() > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    for (i, line) in lines.iter().enumerate() {
        if i == 0 && last != [b'\n'] {
            file.write_all(["\n", line].concat().as_bytes())?;
        } else {
            file.write_all(line.as_bytes())?;
        }
    }
    Ok(())
}
