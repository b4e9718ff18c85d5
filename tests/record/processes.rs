//! Many processes with one file. Some of them are killed.

use std::env;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::Duration;

use wgpu_fft::low_level::tune::record::Items as _;
use wgpu_fft::tune::Record;

use crate::support::{Directory, RECIPE, Random, child as command, device, entry};

/// Not a test: this is what child processes do that other tests start.
#[test]
fn child() {
    let (Ok(job), Some(path)) = (env::var("RECORD_TEST_JOB"), env::var_os("RECORD_TEST_PATH")) else { return };
    let (path, device) = (Path::new(&path), device(570));
    let mut words = job.split(' ');
    match (words.next().unwrap(), words.next()) {
        ("append", Some(number)) => {
            let record = Record::open(path);
            for i in 0..100 {
                record.add(entry(&format!("c2c fwd {number}x{i}"), RECIPE, &device, i)).unwrap();
                if number.parse::<u32>().unwrap() >= 6 && i % 10 == 9 {
                    assert_eq!(record.prune(|_| true).unwrap(), 0);
                }
            }
            assert_eq!(record.warning(), None);
        }
        ("write", Some(first)) => {
            let record = Record::open(path);
            println!("\nready");
            for time in first.parse().unwrap().. {
                record.add(entry("churn", RECIPE, &device, time)).unwrap();
            }
        }
        ("crash", None) => {
            let record = Record::open(path);
            let mut trial = record.begin_trial("c2c fwd 8", "a long recipe that is harmless", &device);
            trial.next("deadly");
            std::process::abort();
        }
        ("hang", None) => {
            let record = Record::open(path);
            let _trial = record.begin_trial("c2c fwd 8", "endless", &device);
            println!("\nready");
            sleep(Duration::from_secs(60));
        }
        other => panic!("no job {other:?}"),
    }
}

/// Starts a child and waits until it reports that it is ready.
pub fn ready(command: &mut Command) -> Child {
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "ready"), "the child ended before");
    child
}

#[test]
fn eight_processes_append_at_once() {
    let directory = Directory::new("append");
    let path = directory.record();
    let children: Vec<Child> = (0..8).map(|i| command(&format!("append {i}"), &path).spawn().unwrap()).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    let record = Record::open(&path);
    assert_eq!(record.report().to_string(), "800 accepted");
    let mut specs: Vec<String> = (0..8).flat_map(|i| (0..100).map(move |j| format!("c2c fwd {i}x{j}"))).collect();
    specs.sort();
    assert_eq!(record.entries().into_iter().map(|entry| entry.spec).collect::<Vec<_>>(), specs);
    assert_eq!(directory.names(), ["record.jsonl", "record.jsonl.lock"]);
}

#[test]
fn threads_with_one_record_and_with_several_lose_nothing() {
    let directory = Directory::new("threads");
    let path = directory.record();
    let shared = Record::open(&path);
    std::thread::scope(|scope| {
        for i in 0..4 {
            let (shared, path) = (shared.clone(), path.clone());
            scope.spawn(move || {
                let record = if i % 2 == 0 { shared } else { Record::open(path) };
                for j in 0..50 {
                    record.add(entry(&format!("c2c fwd {i}x{j}"), RECIPE, &device(i), j)).unwrap();
                    assert!(record.find(&format!("c2c fwd {i}x{j}"), &device(i), wgpu_fft::tune::Rigor::Measure).is_some());
                    if j % 10 == i as u64 {
                        assert_eq!(record.prune(|_| true).unwrap(), 0);
                    }
                }
            });
        }
    });
    assert_eq!(Record::open(&path).report().to_string(), "200 accepted");
    shared.refresh();
    assert_eq!((shared.entries().len(), shared.warning()), (200, None));
}

#[test]
fn a_process_killed_while_it_writes_loses_at_most_what_it_writes() {
    let directory = Directory::new("kill");
    let path = directory.record();
    let mut random = Random(1);
    let record = Record::open(&path);
    for i in 0..300 {
        record.add(entry(&format!("c2c fwd {i}"), RECIPE, &device(570), i)).unwrap();
    }
    let mut leftovers = 0;
    for round in 0..40 {
        let mut child = ready(&mut command(&format!("write {}", 1_000_000 * round), &path));
        sleep(Duration::from_micros(random.next() % 20_000));
        child.kill().unwrap();
        child.wait().unwrap();
        leftovers += directory.names().iter().filter(|name| name.contains(".wgpu-fft-")).count();
        let after = Record::open(&path);
        assert_eq!(after.report().unread, 0, "round {round}");
        let specs = after.entries().iter().filter(|entry| entry.spec.starts_with("c2c fwd ")).count();
        assert_eq!((specs, after.warning()), (300, None), "round {round}");
        let spec = format!("after {round}");
        after.add(entry(&spec, RECIPE, &device(570), 1)).unwrap();
        let again = Record::open(&path);
        assert_eq!(again.entries().iter().filter(|entry| entry.spec.starts_with("after ")).count(), round + 1);
    }
    println!("40 killed, {leftovers} temporary files left");
    assert!(leftovers > 0, "no kill fell into a write");
    let last = Record::open(&path);
    last.add(entry("c2c fwd 0", RECIPE, &device(570), 1_000)).unwrap();
    assert_eq!(directory.names(), ["record.jsonl", "record.jsonl.lock"]);
    assert_eq!(Record::open(&path).report().to_string(), "341 accepted");
}
