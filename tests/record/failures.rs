//! Files that cannot be read or written, or that are not records.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;

use wgpu_fft::Error;
use wgpu_fft::low_level::tune::record::Items as _;
use wgpu_fft::tune::{Record, Rigor};

use crate::support::{Directory, RECIPE, device, entry, listen, mark};

/// Does everything that writes to a record. Expects it to work from memory, with one warning.
fn works_from_memory(directory: &Directory, path: &Path, before: usize) -> String {
    let record = Record::open(path);
    assert_eq!(record.entries().len(), before);
    let device = device(570);
    for i in 0..3 {
        record.add(entry(&format!("c2c inv {i}"), RECIPE, &device, i)).unwrap();
        record.mark(mark("c2c inv 0", &i.to_string(), &device, 1));
        let mut trial = record.begin_trial("c2c inv 0", "a", &device);
        trial.next("b");
    }
    record.refresh();
    assert_eq!((record.entries().len(), record.marks().len()), (before + 3, 3));
    assert!(record.find("c2c inv 2", &device, Rigor::Measure).is_some());
    assert!(record.prune(|_| true).is_err());
    assert_eq!((record.entries().len(), record.marks().len()), (before + 3, 3));
    let warning = record.warning().unwrap();
    assert_eq!(directory.warnings(), std::slice::from_ref(&warning));
    warning
}

/// Says what did not run, and why. The test harness would hide it from stdout.
fn skipped(what: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {what}");
}

#[test]
fn a_path_below_a_file() {
    listen();
    let directory = Directory::new("below");
    fs::write(directory.record(), "").unwrap();
    works_from_memory(&directory, &directory.record().join("record.jsonl"), 0);
    assert_eq!((directory.names(), fs::read(directory.record()).unwrap()), (vec!["record.jsonl".to_owned()], vec![]));
}

#[test]
fn a_directory_in_the_place_of_the_file() {
    listen();
    let directory = Directory::new("directory");
    fs::create_dir(directory.record()).unwrap();
    let why = works_from_memory(&directory, &directory.record(), 0);
    assert!(why.contains("not a regular file"), "{why}");
}

#[test]
fn a_directory_in_the_place_of_the_lock() {
    listen();
    let directory = Directory::new("lock");
    Record::open(directory.record()).add(entry("c2c fwd 1", RECIPE, &device(570), 1)).unwrap();
    fs::remove_file(directory.path().join("record.jsonl.lock")).unwrap();
    fs::create_dir(directory.path().join("record.jsonl.lock")).unwrap();
    let text = fs::read(directory.record()).unwrap();
    works_from_memory(&directory, &directory.record(), 1);
    assert_eq!(fs::read(directory.record()).unwrap(), text);
}

#[test]
fn a_file_and_a_directory_that_are_read_only() {
    listen();
    let directory = Directory::new("read-only");
    Record::open(directory.record()).add(entry("c2c fwd 1", RECIPE, &device(570), 1)).unwrap();
    let text = fs::read(directory.record()).unwrap();
    let set = |path: &Path, readonly| {
        let mut permissions = fs::metadata(path).unwrap().permissions();
        permissions.set_readonly(readonly);
        fs::set_permissions(path, permissions).unwrap();
    };
    set(&directory.record(), true);
    works_from_memory(&directory, &directory.record(), 1);
    assert_eq!(fs::read(directory.record()).unwrap(), text);
    let inner = directory.path().join("inner");
    fs::create_dir(&inner).unwrap();
    set(&inner, true);
    if File::create(inner.join("file")).is_ok() {
        skipped("a record in a directory that is read-only: this system lets files be made there");
        return;
    }
    let record = Record::open(inner.join("record.jsonl"));
    record.add(entry("c2c fwd 1", RECIPE, &device(570), 1)).unwrap();
    assert!(record.entries().len() == 1 && record.warning().is_some());
    set(&inner, false);
}

#[test]
fn somebody_elses_file_is_never_written() {
    listen();
    for (i, text) in ["a diary\n", "{\"wgpu\":1}\n{}\n", "\0", " {\"wgpu-fft\":1,", "{\"wgpu-ff\n"].into_iter().enumerate() {
        let directory = Directory::new(&format!("foreign-{i}"));
        fs::write(directory.record(), text).unwrap();
        let why = works_from_memory(&directory, &directory.record(), 0);
        assert!(why.contains("not a record of wgpu-fft"), "{why}");
        assert_eq!((fs::read_to_string(directory.record()).unwrap(), directory.names().len()), (text.to_owned(), 1));
        let record = Record::in_memory();
        let why = record.import(directory.record(), None, &|_| false).unwrap_err();
        assert!(why.to_string().ends_with("it is not a record of wgpu-fft"), "{why}");
        assert_eq!(record.export(directory.record(), |_| true), Err(why));
        assert_eq!((fs::read_to_string(directory.record()).unwrap(), directory.names().len()), (text.to_owned(), 1));
    }
}

#[test]
fn a_file_that_becomes_somebody_elses_is_left_alone_too() {
    listen();
    let directory = Directory::new("becomes-foreign");
    let record = Record::open(directory.record());
    record.add(entry("c2c fwd 1", RECIPE, &device(570), 1)).unwrap();
    fs::write(directory.record(), "a diary\n").unwrap();
    record.add(entry("c2c fwd 2", RECIPE, &device(570), 1)).unwrap();
    assert_eq!(fs::read_to_string(directory.record()).unwrap(), "a diary\n");
    assert_eq!((record.entries().len(), directory.warnings().len()), (2, 1));
}

#[test]
fn lines_of_another_format_survive_as_they_are() {
    let directory = Directory::new("unknown");
    let unknown = [
        "{\"wgpu-fft\":2,\"kind\":\"best\" , \"odd\" :\t1}",
        "{\"wgpu-fft\":1,\"kind\":\"mark\"}",
        &format!("{{\"wgpu-fft\":7,{}", "x".repeat(50_000)),
    ];
    fs::write(directory.record(), format!("{}\n\n{}\r\n{}", unknown[0], unknown[1], unknown[2])).unwrap();
    let record = Record::open(directory.record());
    assert_eq!((record.report().to_string(), record.warning()), ("0 accepted, 3 not readable".to_owned(), None));
    for time in [1, 3, 2] {
        record.add(entry("c2c fwd 1", RECIPE, &device(570), time)).unwrap();
    }
    let text = fs::read_to_string(directory.record()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((&lines[..3], lines.len()), (&unknown[..], 4));
    assert_eq!(record.prune(|_| false).unwrap(), 1);
    assert_eq!(fs::read_to_string(directory.record()).unwrap(), unknown.join("\n") + "\n");
    assert!(record.entries().is_empty());
}

#[test]
fn a_file_that_is_too_large_is_neither_read_nor_written() {
    listen();
    let directory = Directory::new("large");
    Record::open(directory.record()).add(entry("c2c fwd 1", RECIPE, &device(570), 1)).unwrap();
    let size = 65 << 20;
    OpenOptions::new().append(true).open(directory.record()).unwrap().set_len(size).unwrap();
    let why = works_from_memory(&directory, &directory.record(), 0);
    assert!(why.contains("larger than"), "{why}");
    assert_eq!(fs::metadata(directory.record()).unwrap().len(), size);
    let why = Record::in_memory().import(directory.record(), None, &|_| false).unwrap_err();
    assert!(matches!(&why, Error::File { source, .. } if source.to_string().contains("larger than")), "{why}");
}

#[test]
fn times_that_no_clock_measures_are_refused() {
    let record = Record::in_memory();
    for seconds in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
        let bad = wgpu_fft::low_level::tune::record::Entry { seconds, ..entry("c2c fwd 1", RECIPE, &device(570), 1) };
        assert!(matches!(record.add(bad), Err(Error::Unsupported { .. })));
        let bad = wgpu_fft::low_level::tune::record::Entry { rules_seconds: seconds, ..entry("c2c fwd 1", RECIPE, &device(570), 1) };
        assert!(matches!(record.add(bad), Err(Error::Unsupported { .. })));
    }
    assert!(record.entries().is_empty());
}

#[test]
fn what_could_not_be_written_is_written_with_the_next() {
    listen();
    let directory = Directory::new("later");
    let lock = directory.path().join("record.jsonl.lock");
    fs::create_dir(&lock).unwrap();
    let record = Record::open(directory.record());
    record.add(entry("c2c fwd 1", RECIPE, &device(570), 1)).unwrap();
    assert!(!directory.record().exists());
    fs::remove_dir(lock).unwrap();
    record.add(entry("c2c fwd 2", RECIPE, &device(570), 1)).unwrap();
    assert_eq!(Record::open(directory.record()).report().to_string(), "2 accepted");
}
