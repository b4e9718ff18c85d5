//! A copy of the crate with mutants.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::sites::{self, Kind, Site};
use crate::{FOLDERS, LIST, Result};

/// What every copy has besides: which mutant lives, and what was reached.
const MODULE: &str = r#"
#[allow(missing_docs, unreachable_pub)]
mod mutants {
    use std::io::Write;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Mutex, OnceLock};

    static ACTIVE: OnceLock<(u32, Option<Mutex<std::fs::File>>)> = OnceLock::new();
    static REACHED: [AtomicBool; 1 << 14] = [const { AtomicBool::new(false) }; 1 << 14];

    pub(crate) fn is(number: u32) -> bool {
        let (active, reached) = ACTIVE.get_or_init(|| {
            let active = std::env::var("WGPU_FFT_MUTANT").ok().and_then(|text| text.parse().ok()).unwrap_or(u32::MAX);
            let file = std::env::var_os("WGPU_FFT_REACHED").and_then(|path| std::fs::File::create(path).ok());
            (active, file.map(Mutex::new))
        });
        if let Some(file) = reached
            && !REACHED[number as usize].swap(true, Ordering::Relaxed)
        {
            let _ = writeln!(file.lock().unwrap(), "{number}");
        }
        *active == number
    }
}
"#;

/// A mutant: its file, its line there, and what it does.
struct Mutant {
    file: PathBuf,
    site: Site,
    number: usize,
}

impl Mutant {
    fn describe(&self, text: &str) -> String {
        let line = text.lines().nth(self.site.line - 1).unwrap_or_default().trim();
        match &self.site.kind {
            Kind::Expression { how, .. } => format!("{}: {how} in `{line}`", self.file.display()),
            Kind::Body { value, function } => format!("{}: `{function}` returns {value}", self.file.display()),
        }
    }
}

/// Copies what git has of a folder, with so many mutants. The same ones as long as their text is.
pub fn make(own: &Path, copy: &Path, count: usize) -> Result<()> {
    if copy.exists() {
        return Err(format!("{} is there already", copy.display()).into());
    }
    let listed = Command::new("git").args(["ls-files", "--cached", "--others", "--exclude-standard"]).current_dir(own).output()?;
    for name in String::from_utf8(listed.stdout)?.lines() {
        let to = copy.join(name);
        fs::create_dir_all(to.parent().expect("it has a folder"))?;
        if own.join(name).is_file() {
            fs::copy(own.join(name), to)?;
        }
    }
    let mut all = Vec::new();
    for file in files(copy)? {
        let text = fs::read_to_string(copy.join(&file))?;
        for site in sites::of(&text).map_err(|error| format!("{}: {error}", file.display()))? {
            let mutant = Mutant { file: file.clone(), site, number: 0 };
            let key = hash(&mutant.describe(&text));
            all.push((key, mutant));
        }
    }
    let possible = all.len();
    all.sort_by_key(|(key, _)| *key);
    let mut chosen: Vec<Mutant> = Vec::new();
    for (_, mutant) in all {
        let range = &mutant.site.range;
        let crosses = |other: &Mutant| other.file == mutant.file && (crossing(&other.site.range, range) || other.site.range == *range);
        if chosen.len() < count && !chosen.iter().any(crosses) {
            chosen.push(mutant);
        }
    }
    chosen.sort_by_key(|mutant| (mutant.file.clone(), mutant.site.range.start));
    for (number, mutant) in chosen.iter_mut().enumerate() {
        mutant.number = number;
    }
    println!("{} of {possible} mutants", chosen.len());
    let mut list = String::new();
    for mutant in &chosen {
        let text = fs::read_to_string(copy.join(&mutant.file))?;
        list += &format!("{}\t{}\n", mutant.number, mutant.describe(&text));
    }
    for file in files(copy)? {
        let path = copy.join(&file);
        let text = fs::read_to_string(&path)?;
        let own = chosen.iter().filter(|mutant| mutant.file == file);
        fs::write(&path, edited(&text, own))?;
    }
    let library = copy.join("src/lib.rs");
    fs::write(&library, fs::read_to_string(&library)? + MODULE)?;
    fs::write(copy.join(LIST), list)?;
    Ok(())
}

/// Whether ranges overlap.
fn crossing(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

fn edited<'m>(text: &str, mutants: impl Iterator<Item = &'m Mutant>) -> String {
    let mut edited = String::new();
    let mut at = 0;
    for Mutant { site, number, .. } in mutants {
        edited += &text[at..site.range.start];
        let is = format!("crate::mutants::is({number})");
        let own = &text[site.range.clone()];
        edited += &match &site.kind {
            Kind::Expression { other, .. } => format!("(if {is} {{ {other} }} else {{ {own} }})"),
            Kind::Body { value, .. } => format!(" if {is} {{ return {value}; }}"),
        };
        at = site.range.end;
    }
    edited + &text[at..]
}

/// The files that are mutated, below a copy.
fn files(copy: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut rest: Vec<PathBuf> = FOLDERS.iter().map(PathBuf::from).collect();
    while let Some(path) = rest.pop() {
        if copy.join(&path).is_dir() {
            for entry in fs::read_dir(copy.join(&path))? {
                rest.push(path.join(entry?.file_name()));
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// FNV-1a.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// Compiles a copy and its tests. Where a mutant is no program, its line is changed back.
pub fn build(copy: &Path) -> Result<()> {
    loop {
        let (is_built, errors) = compile(copy, &["check", "--lib", "-p", "wgpu-fft"])?;
        if is_built {
            break;
        }
        let dropped = drop_mutants(copy, &errors)?;
        println!("{dropped} mutants are no program");
    }
    let (is_built, errors) = compile(copy, &TESTS)?;
    if is_built { Ok(()) } else { Err(format!("the tests do not compile: {errors:?}").into()) }
}

/// Where the compiler found an error: a file, and a byte of it.
type Place = (PathBuf, usize);

/// Builds the tests that need no device.
pub const TESTS: [&str; 9] = ["test", "--no-run", "--lib", "--test", "host", "-p", "wgpu-fft", "-p", "wgpu-fft-cases"];

/// Whether a command of Cargo succeeds in a copy, and its messages.
pub fn cargo(copy: &Path, command: &[&str]) -> Result<(bool, Vec<serde_json::Value>)> {
    let output = Command::new("cargo")
        .args(command)
        .arg("--message-format=json")
        .current_dir(copy)
        .env("RUSTFLAGS", "-A warnings")
        .stderr(Stdio::inherit())
        .output()?;
    let messages = String::from_utf8(output.stdout)?.lines().map(serde_json::from_str).collect::<std::result::Result<_, _>>()?;
    Ok((output.status.success(), messages))
}

fn compile(copy: &Path, command: &[&str]) -> Result<(bool, Vec<Place>)> {
    let (is_built, messages) = cargo(copy, command)?;
    let mut places = Vec::new();
    for message in messages.iter().filter(|message| message["message"]["level"] == "error") {
        for span in message["message"]["spans"].as_array().into_iter().flatten() {
            let byte = span["byte_start"].as_u64().unwrap_or_default() as usize;
            places.push((span["file_name"].as_str().unwrap_or_default().into(), byte));
        }
    }
    Ok((is_built, places))
}

/// Takes the mutants with errors out of a copy.
fn drop_mutants(copy: &Path, errors: &[Place]) -> Result<usize> {
    let mut dropped = BTreeSet::new();
    let mut in_files: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
    for (file, byte) in errors {
        in_files.entry(file).or_default().push(*byte);
    }
    for (file, bytes) in in_files {
        let path = copy.join(file);
        let text = fs::read_to_string(&path)?;
        let mut after = String::new();
        let mut at = 0;
        while let Some(found) = text[at..].find("if crate::mutants::is(") {
            let condition = at + found;
            let number: usize = text[condition..].split(['(', ')']).nth(1).unwrap_or_default().parse()?;
            let block = |from: usize| -> Option<Range<usize>> {
                let open = from + text[from..].find('{')?;
                let mut depth = 0;
                let length = text[open..].bytes().position(|byte| {
                    depth += match byte {
                        b'{' => 1,
                        b'}' => -1,
                        _ => 0,
                    };
                    depth == 0
                })?;
                Some(open + 1..open + length)
            };
            let first = block(condition).ok_or("a mutant without a block")?;
            let second = text[first.end..].starts_with("} else {").then(|| block(first.end + 1)).flatten();
            let (start, end) = second.as_ref().map_or((condition, first.end + 1), |own| (condition - 1, own.end + 2));
            if bytes.iter().any(|byte| (start..end).contains(byte)) {
                dropped.insert(number);
                after += &text[at..start];
                after += second.map_or("", |own| text[own].trim());
                at = end;
            } else {
                after += &text[at..first.end];
                at = first.end;
            }
        }
        after += &text[at..];
        fs::write(path, after)?;
    }
    if dropped.is_empty() {
        return Err(format!("errors that are no mutant's: {errors:?}").into());
    }
    let list = fs::read_to_string(copy.join(LIST))?;
    let number = |line: &&str| line.split('\t').next().and_then(|text| text.parse().ok()).is_none_or(|own: usize| !dropped.contains(&own));
    let rest: Vec<&str> = list.lines().filter(number).collect();
    fs::write(copy.join(LIST), rest.join("\n") + "\n")?;
    Ok(dropped.len())
}
