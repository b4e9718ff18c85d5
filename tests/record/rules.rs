//! What a record returns.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use wgpu_fft::Error;
use wgpu_fft::low_level::Timer;
use wgpu_fft::low_level::tune::DeviceIdentity;
use wgpu_fft::low_level::tune::record::{Entry, Item, Items as _, Mark};
use wgpu_fft::tune::{Record, Rigor};

use crate::support::{Directory, RECIPE, device, entry, mark};

const SPEC: &str = "c2c fwd 512x512";

fn patient(entry: Entry) -> Entry {
    Entry { rigor: Rigor::Patient, ..entry }
}

#[test]
fn entries_and_marks_come_back_as_they_were() {
    let directory = Directory::new("same");
    let record = Record::open(directory.path().join("a").join("b").join("record.jsonl"));
    let odd = DeviceIdentity { name: "\"quoted\"\\\t\u{0}\u{1f4a5}\u{2028}".to_owned(), ..(*device(570)).clone() };
    let entries = [
        entry("a \"spec\"\nof two lines", "recipe\r\n\\", &Arc::new(odd), u64::MAX),
        Entry { timer: Timer::WallClock, seconds: f64::MIN_POSITIVE, rules_seconds: f64::MAX, wgsl: 0, ..entry("b", "", &device(570), 0) },
        patient(Entry { seconds: 0.1 + 0.2, rules_seconds: 1.0 / 3.0, wgsl: u64::MAX, ..entry("c", RECIPE, &device(570), 1) }),
    ];
    let marks = [mark("a", "b", &device(570), 7)];
    for entry in &entries {
        record.add(entry.clone()).unwrap();
    }
    record.mark(marks[0].clone());
    let again = Record::open(record.path().unwrap());
    assert_eq!((&again.entries()[..], &again.marks()[..]), (&entries[..], &marks[..]));
    assert_eq!((&record.entries()[..], &record.marks()[..]), (&entries[..], &marks[..]));
    assert_eq!((record.warning(), again.warning()), (None, None));
}

/// Files in today's format must be readable forever. The lines of this one were written by a few
/// lines of Python.
#[test]
fn the_format_never_changes() {
    let directory = Directory::new("format");
    let text = include_str!("format-2.jsonl").replace('\r', "");
    fs::write(directory.record(), &text).unwrap();
    let record = Record::open(directory.record());
    let expected = Entry { seconds: 1.5e-5, rules_seconds: 0.25, ..entry("c2c fwd 8", "a \"recipe\"", &device(570), 1_700_000_000) };
    assert_eq!(record.entries(), [expected]);
    let expected = Mark { why: "hung".to_owned(), ..mark("c2c fwd 8", "another", &device(570), 1_700_000_001) };
    assert_eq!(record.marks(), [expected]);
    let other = directory.path().join("other");
    assert_eq!(record.export(&other, |_| true).unwrap(), 2);
    assert_eq!(fs::read_to_string(other).unwrap(), text);
}

#[test]
fn the_newest_of_enough_rigor_on_this_very_device_is_found() {
    let record = Record::in_memory();
    let find = |rigor| record.find(SPEC, &device(570), rigor).map(|entry| entry.recipe);
    record.add(entry(SPEC, "elsewhere", &device(580), 99)).unwrap();
    record.add(entry("c2c fwd 512x513", "another", &device(570), 99)).unwrap();
    assert_eq!(find(Rigor::Measure), None);
    record.add(entry(SPEC, "first", &device(570), 10)).unwrap();
    assert_eq!((find(Rigor::Measure).as_deref(), find(Rigor::Patient)), (Some("first"), None));
    record.add(entry(SPEC, "older", &device(570), 9)).unwrap();
    assert_eq!(find(Rigor::Measure).as_deref(), Some("first"));
    record.add(entry(SPEC, "as old, but later", &device(570), 10)).unwrap();
    assert_eq!(find(Rigor::Measure).as_deref(), Some("as old, but later"));
    record.add(patient(entry(SPEC, "thorough", &device(570), 11))).unwrap();
    assert_eq!((find(Rigor::Measure).as_deref(), find(Rigor::Patient).as_deref()), (Some("thorough"), Some("thorough")));
    record.add(entry(SPEC, "newer", &device(570), 12)).unwrap();
    assert_eq!((find(Rigor::Measure).as_deref(), find(Rigor::Patient).as_deref()), (Some("newer"), Some("thorough")));
    assert_eq!(record.entries().len(), 4);
    let smaller = DeviceIdentity { workgroup_bytes: 16384, ..(*device(570)).clone() };
    assert_eq!(record.find(SPEC, &smaller, Rigor::Measure), None);
}

#[test]
fn seeds_go_from_near_to_far() {
    let record = Record::in_memory();
    let here = device(570);
    let sibling = Arc::new(DeviceIdentity { name: "NVIDIA L4".to_owned(), device: 1, ..(*here).clone() });
    let stranger = Arc::new(DeviceIdentity { vendor: 0x1002, ..(*sibling).clone() });
    // The least likely one first, so that the result does not follow from the order of insertion.
    for (spec, recipe, device, time) in [
        ("c2c inv 512x512", "the other direction", &here, 60),
        ("c2c fwd 64", "alike, old", &here, 10),
        ("c2c fwd 128", "alike, new", &here, 20),
        ("c2c fwd 256", "alike, elsewhere", &sibling, 70),
        (SPEC, "stranger", &stranger, 50),
        (SPEC, "sibling", &sibling, 40),
        (SPEC, "driver, old", &device(550), 30),
        (SPEC, "driver, new", &device(580), 31),
        (SPEC, "here", &here, 5),
    ] {
        record.add(entry(spec, recipe, device, time)).unwrap();
    }
    let expected = ["here", "driver, new", "driver, old", "sibling", "stranger", "alike, new", "alike, old"];
    assert_eq!(record.seeds(SPEC, &here), expected);
    record.add(patient(entry(SPEC, "here, patient", &here, 4))).unwrap();
    // Recipes that are already known, and one that is marked, are omitted.
    record.add(entry("c2c fwd 1024", "sibling", &here, 90)).unwrap();
    record.mark(mark(SPEC, "stranger", &here, 1));
    record.mark(mark(SPEC, "driver, old", &sibling, 1));
    let expected = ["here", "here, patient", "driver, new", "driver, old", "sibling", "alike, new", "alike, old"];
    assert_eq!(record.seeds(SPEC, &here), expected);
    for i in 0..20 {
        record.add(entry(&format!("c2c fwd {i}"), &format!("{i}"), &here, 100 + i)).unwrap();
    }
    let seeds = record.seeds(SPEC, &here);
    assert_eq!((seeds.len(), &seeds[5..]), (8, &["19".to_owned(), "18".to_owned(), "17".to_owned()][..]));
    assert!(record.seeds("sum f32 7", &here).is_empty());
    assert_eq!(record.seeds("c2c inv 7", &here), ["the other direction"]);
}

#[test]
fn a_mark_holds_for_its_device_alone() {
    let record = Record::in_memory();
    record.mark(mark(SPEC, "a", &device(570), 1));
    record.mark(Mark { why: "crashed".to_owned(), ..mark(SPEC, "a", &device(570), 2) });
    assert_eq!(record.marked(SPEC, "a", &device(570)).unwrap().why, "crashed");
    assert_eq!(record.marks().len(), 1);
    assert_eq!(record.marked(SPEC, "b", &device(570)), None);
    assert_eq!(record.marked(SPEC, "a", &device(580)), None);
    assert_eq!(record.marked("c2c fwd 8", "a", &device(570)), None);
}

#[test]
fn every_line_of_an_import_is_one_thing() {
    let directory = Directory::new("import");
    let (path, other) = (directory.record(), directory.path().join("other"));
    let source = Record::in_memory();
    for (spec, driver, time) in [("known", 570, 1), ("older", 570, 1), ("new", 570, 1), ("stale", 570, 1), ("foreign", 580, 1)] {
        source.add(entry(spec, RECIPE, &device(driver), time)).unwrap();
    }
    source.mark(mark("marked", RECIPE, &device(570), 1));
    source.mark(mark("marked", RECIPE, &device(580), 1));
    assert_eq!(source.export(&other, |_| true).unwrap(), 7);
    let text = fs::read_to_string(&other).unwrap();
    let first = text.lines().next().unwrap();
    fs::write(&other, format!("{text}\n{{\"wgpu-fft\":3,}}\nrubbish\n{first}\n")).unwrap();
    let record = Record::open(&path);
    record.add(entry("known", RECIPE, &device(570), 1)).unwrap();
    record.add(entry("older", RECIPE, &device(570), 2)).unwrap();
    let report = record.import(&other, Some(&device(570)), &|entry| entry.spec == "stale").unwrap();
    assert_eq!((report.accepted, report.foreign, report.duplicate, report.stale, report.unread), (2, 2, 3, 1, 2), "{report}");
    assert_eq!(report.to_string(), "2 accepted, 2 of another device, 3 already known, 1 stale, 2 not readable");
    let specs = |record: &Record| record.entries().into_iter().map(|entry| (entry.spec, entry.time)).collect::<Vec<_>>();
    let expected = [("foreign", 1), ("known", 1), ("new", 1), ("older", 2)].map(|(spec, time)| (spec.to_owned(), time));
    assert_eq!((specs(&record), record.marks().len()), (expected.to_vec(), 2));
    assert_eq!(specs(&Record::open(&path)), expected);
    let all = |path: &Path| record.import(path, None, &|_| false);
    assert_eq!(all(&other).unwrap().to_string(), "1 accepted, 7 already known, 2 not readable");
    let none = directory.path().join("none");
    let Err(Error::File { path, source, .. }) = all(&none) else { panic!("there is no such file") };
    assert_eq!(path, none);
    assert!(source.downcast_ref().is_some_and(|why: &std::io::Error| why.kind() == std::io::ErrorKind::NotFound), "{source}");
}

#[test]
fn what_is_exported_is_a_record() {
    let directory = Directory::new("export");
    let record = Record::open(directory.record());
    for i in 0..5 {
        record.add(entry(&i.to_string(), RECIPE, &device(570 + i), 1)).unwrap();
    }
    let other = directory.path().join("other");
    let mine = |item: &Item| **item.device() == *device(572) || item.spec() == "4";
    assert_eq!(record.export(&other, mine).unwrap(), 2);
    assert_eq!(Record::open(&other).entries(), record.entries().into_iter().filter(|e| mine(&Item::Best(e.clone()))).collect::<Vec<_>>());
    let text = record.export_text(mine);
    assert_eq!(text, fs::read_to_string(&other).unwrap());
    let again = Record::in_memory();
    assert_eq!(again.import_text(text.as_bytes(), None, &|_| false).to_string(), "2 accepted");
    assert_eq!(record.export(&other, |_| true).unwrap(), 5);
    let own = record.export(directory.record(), |_| false).unwrap_err();
    assert!(own.to_string().ends_with("it is the file of the record that is exported"), "{own}");
    assert_eq!(Record::open(directory.record()).entries().len(), 5);
    assert!(matches!(record.export(directory.path(), |_| false), Err(Error::File { .. })));
}

#[test]
fn pruning_forgets_what_is_not_wanted() {
    let directory = Directory::new("prune");
    for record in [Record::open(directory.record()), Record::in_memory()] {
        for i in 0..6 {
            record.add(entry(&i.to_string(), RECIPE, &device(570), i)).unwrap();
        }
        assert_eq!(record.prune(|item| item.spec() >= "2").unwrap(), 2);
        assert_eq!(record.entries().len(), 4);
        assert_eq!(record.prune(|_| true).unwrap(), 0);
    }
    assert_eq!(Record::open(directory.record()).report().to_string(), "4 accepted");
}

#[test]
fn a_record_hears_of_others() {
    let directory = Directory::new("refresh");
    let [one, other] = [(); 2].map(|()| Record::open(directory.record()));
    let add = |record: &Record, spec: &str, time| record.add(entry(spec, RECIPE, &device(570), time)).unwrap();
    let specs = |record: &Record| record.entries().iter().map(|entry| format!("{}@{}", entry.spec, entry.time)).collect::<Vec<_>>();
    add(&one, "a", 1);
    assert!(specs(&other).is_empty());
    assert_eq!(other.refresh().accepted, 1);
    add(&one, "b", 1);
    assert_eq!((other.refresh().to_string(), specs(&other)), ("2 accepted".to_owned(), vec!["a@1".to_owned(), "b@1".to_owned()]));
    // Adding an entry makes it read the file too.
    add(&one, "c", 1);
    add(&other, "d", 1);
    assert_eq!(specs(&other), ["a@1", "b@1", "c@1", "d@1"]);
    // The file is replaced by a shorter one.
    one.prune(|item| item.spec() != "a").unwrap();
    add(&one, "b", 8);
    other.refresh();
    assert_eq!(specs(&other), ["b@8", "c@1", "d@1"]);
    fs::remove_file(directory.record()).unwrap();
    other.refresh();
    assert!(specs(&other).is_empty());
    add(&other, "e", 1);
    assert_eq!(Record::open(directory.record()).report().to_string(), "1 accepted");
}

#[test]
fn the_environment_names_the_file() {
    // Environment variables belong to the process, so a child gets them.
    if std::env::var("RECORD_TEST_JOB").as_deref() == Ok("path") {
        println!("\npath: {}", Record::default_path().map_or_else(|| "none".to_owned(), |path| path.display().to_string()));
        return;
    }
    let path = |name: &str| {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "rules::the_environment_names_the_file", "--nocapture"]);
        let output = command.env("RECORD_TEST_JOB", "path").env("WGPU_FFT_RECORD", name).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().find_map(|line| line.strip_prefix("path: ").map(str::to_owned)).unwrap()
    };
    assert_eq!(path("some/where"), "some/where");
    let default = path("").replace('\\', "/");
    assert!(default == "none" || default.ends_with("/wgpu-fft/record.jsonl"), "{default}");
}
