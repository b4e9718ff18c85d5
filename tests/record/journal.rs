//! What a process leaves behind when a recipe kills it.

use std::fs;
use std::process::Stdio;

use wgpu_fft::low_level::tune::record::Items as _;
use wgpu_fft::tune::Record;

use crate::processes::ready;
use crate::support::{Directory, child, device, listen};

fn recipes(record: &Record) -> Vec<(String, String)> {
    record.marks().into_iter().map(|mark| (mark.recipe, mark.why)).collect()
}

const WHY: &str = "the process ended during its trial";

#[test]
fn the_recipe_of_a_dead_process_is_marked() {
    let directory = Directory::new("crash");
    let path = directory.record();
    let status = child("crash", &path).stdout(Stdio::null()).status().unwrap();
    assert!(!status.success());
    assert_eq!(directory.names().len(), 2, "{:?}", directory.names());
    // Several processes may open the record first or at the same time, but the recipe is marked
    // only once.
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| drop(Record::open(&path)));
        }
    });
    let record = Record::open(&path);
    assert_eq!(recipes(&record), [("deadly".to_owned(), WHY.to_owned())]);
    assert!(record.marked("c2c fwd 8", "deadly", &device(570)).is_some());
    assert!(record.marked("c2c fwd 8", "deadly", &device(580)).is_none());
    assert!(record.marked("c2c fwd 8", "a long recipe that is harmless", &device(570)).is_none());
    assert_eq!(directory.names(), ["record.jsonl", "record.jsonl.lock"]);
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 1);
}

#[test]
fn the_living_are_left_alone_until_they_are_killed() {
    let directory = Directory::new("hang");
    let path = directory.record();
    let mut hung = ready(&mut child("hang", &path));
    let record = Record::open(&path);
    assert_eq!((recipes(&record), directory.names().len()), (vec![], 2));
    hung.kill().unwrap();
    hung.wait().unwrap();
    // A search that begins checks the journals again.
    drop(record.begin_trial("c2c fwd 8", "another", &device(570)));
    assert_eq!(recipes(&record), [("endless".to_owned(), WHY.to_owned())]);
    assert_eq!(recipes(&Record::open(&path)), [("endless".to_owned(), WHY.to_owned())]);
    assert_eq!(directory.names(), ["record.jsonl", "record.jsonl.lock"]);
}

#[test]
fn a_trial_that_ends_leaves_nothing() {
    let directory = Directory::new("harmless");
    let record = Record::open(directory.record());
    let mut trials: Vec<_> = (0..3).map(|i| record.begin_trial("c2c fwd 8", &i.to_string(), &device(570))).collect();
    trials[1].next("another");
    assert_eq!(directory.names().iter().filter(|name| name.contains(".trial-")).count(), 3);
    // It belongs to this living process, so it is not taken for dead.
    assert!(recipes(&Record::open(directory.record())).is_empty());
    drop(trials);
    assert_eq!(directory.names(), ["record.jsonl.lock"]);
    assert!(recipes(&Record::open(directory.record())).is_empty());
    drop(Record::in_memory().begin_trial("c2c fwd 8", "0", &device(570)));
}

#[test]
fn damaged_trials_are_removed_without_a_mark() {
    listen();
    let directory = Directory::new("damaged-trials");
    let path = directory.record();
    assert!(!child("crash", &path).stdout(Stdio::null()).status().unwrap().success());
    let trial = directory.path().join(directory.names().into_iter().find(|name| name.contains(".trial-")).unwrap());
    let whole = fs::read(&trial).unwrap();
    let line = whole.iter().position(|&byte| byte == b'\n').unwrap();
    assert!(whole.len() > line + 1, "a shorter recipe follows a longer one");
    fs::remove_file(&trial).unwrap();
    let names = |i: usize| directory.path().join(format!("record.jsonl.trial-{i}-0"));
    for (i, text) in [&b""[..], b"\0\0\0", &whole[..line / 2], &[0xff; 100], &b"x".repeat(100_000)].into_iter().enumerate() {
        fs::write(names(i), text).unwrap();
    }
    let record = Record::open(&path);
    assert_eq!((recipes(&record), record.warning()), (vec![], None));
    assert_eq!(directory.names(), ["record.jsonl.lock"]);
    // The same text without damage is a mark, so the comparison above could have failed.
    fs::write(names(0), &whole).unwrap();
    assert_eq!(recipes(&Record::open(&path)).len(), 1);
}
