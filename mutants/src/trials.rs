//! Runs tests with each mutant.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::Result;

/// A mutant that tests of so long do not notice survives.
const ENOUGH: Duration = Duration::from_secs(90);

/// A test of a binary.
struct Test {
    binary: usize,
    name: String,
    took: Duration,
    reaches: BTreeSet<usize>,
}

/// The binaries of the tests of a copy.
pub fn built(copy: &Path) -> Result<Vec<PathBuf>> {
    let output = Command::new("cargo")
        .args(["test", "--no-run", "--lib", "--test", "host", "-p", "wgpu-fft", "--message-format=json"])
        .current_dir(copy)
        .env("RUSTFLAGS", "-A warnings")
        .stderr(Stdio::inherit())
        .output()?;
    let text = String::from_utf8(output.stdout)?;
    let messages = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    Ok(messages
        .filter(|message| message["profile"]["test"] == true)
        .filter_map(|message| message["executable"].as_str().map(Into::into))
        .collect())
}

/// A command, or nothing if it does not end in time; whether it succeeded.
fn within(command: &mut Command, limit: Duration) -> Result<Option<bool>> {
    let mut child: Child = command.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null()).spawn()?;
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status.success()));
        }
        if begin.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Calls a function for each of so many things on all cores.
fn on_all_cores(count: usize, work: impl Fn(usize) -> Result<()> + Sync) -> Result<()> {
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(None);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, Into::into) {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    if i >= count {
                        break;
                    }
                    if let Err(error) = work(i) {
                        *failed.lock().unwrap() = Some(error.to_string());
                        break;
                    }
                }
            });
        }
    });
    failed.into_inner().unwrap().map_or(Ok(()), |error| Err(error.into()))
}

pub fn run(folder: &Path, list: &Path, binaries: &[PathBuf]) -> Result<()> {
    let listed = fs::read_to_string(list)?;
    let mutants: BTreeMap<usize, &str> =
        listed.lines().filter_map(|line| line.split_once('\t')).map(|(number, what)| Ok((number.parse()?, what))).collect::<Result<_>>()?;
    let test = |test: &Test| {
        let mut command = Command::new(&binaries[test.binary]);
        command.args(["--exact", &test.name, "--test-threads=1"]).current_dir(folder);
        command.env("RUST_BACKTRACE", "0");
        command
    };
    let mut tests = Vec::new();
    for (binary, path) in binaries.iter().enumerate() {
        let output = Command::new(path).args(["--list", "--format=terse"]).current_dir(folder).output()?;
        let names = String::from_utf8(output.stdout)?;
        let names = names.lines().filter_map(|line| line.strip_suffix(": test"));
        tests.extend(names.map(|name| Test { binary, name: name.to_owned(), took: Duration::ZERO, reaches: BTreeSet::new() }));
    }
    // Tests that fail here without a mutant, for want of a file, say nothing.
    let scratch = std::env::temp_dir().join(format!("wgpu-fft-mutants-{}", std::process::id()));
    fs::create_dir_all(&scratch)?;
    let tests: Vec<Mutex<Option<Test>>> = tests.into_iter().map(|test| Mutex::new(Some(test))).collect();
    on_all_cores(tests.len(), |i| {
        let mut own = tests[i].lock().unwrap().take().expect("each is taken once");
        let file = scratch.join(i.to_string());
        let begin = Instant::now();
        let passed = within(test(&own).env("WGPU_FFT_REACHED", &file), Duration::from_secs(600))?;
        own.took = begin.elapsed();
        if passed == Some(true) {
            let reached = fs::read_to_string(&file).unwrap_or_default();
            own.reaches = reached.lines().map(str::parse).collect::<std::result::Result<_, _>>()?;
            *tests[i].lock().unwrap() = Some(own);
        } else {
            println!("without a mutant, {} fails", own.name);
        }
        Ok(())
    })?;
    fs::remove_dir_all(&scratch)?;
    let mut tests: Vec<Test> = tests.into_iter().filter_map(|test| test.into_inner().unwrap()).collect();
    tests.sort_by_key(|test| test.took);
    println!("{} tests take {:.0?} of one core", tests.len(), tests.iter().map(|test| test.took).sum::<Duration>());
    // In no order, so that what was done when somebody loses patience is a sample.
    let mut numbers: Vec<usize> = mutants.keys().copied().collect();
    numbers.sort_by_key(|number| number.wrapping_mul(0x9e37_79b9) & 0xffff);
    let accepted: BTreeSet<&str> = include_str!("../accepted.txt").lines().collect();
    let counts = Mutex::new([0usize; 3]);
    on_all_cores(numbers.len(), |i| {
        let number = numbers[i];
        let what = mutants[&number];
        let mut fate = "is not reached".to_owned();
        let begin = Instant::now();
        for own in tests.iter().filter(|own| own.reaches.contains(&number)) {
            let limit = own.took * 5 + Duration::from_secs(10);
            let passed = within(test(own).env("WGPU_FFT_MUTANT", number.to_string()), limit)?;
            if passed != Some(true) {
                fate = format!("caught by {}", own.name);
                break;
            }
            "survives".clone_into(&mut fate);
            if begin.elapsed() > ENOUGH {
                break;
            }
        }
        let kind = ["caught", "survives", "is not reached"].iter().position(|kind| fate.starts_with(kind)).expect("one of them");
        if kind == 0 || !accepted.contains(what) {
            counts.lock().unwrap()[kind] += 1;
            println!("{number}\t{fate}\t{what}");
        }
        Ok(())
    })?;
    let [caught, survivors, unreached] = counts.into_inner().unwrap();
    let of = caught + survivors + unreached;
    println!("{caught} of {of} mutants are caught, {:.1}%; no test reaches {unreached}", 100.0 * caught as f64 / of as f64);
    Ok(())
}
