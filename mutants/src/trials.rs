//! Runs tests with each mutant.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::cores::on_all_cores;
use crate::{Result, edits};

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
    let (_, messages) = edits::cargo(copy, &edits::TESTS)?;
    let executables =
        messages.iter().filter(|message| message["profile"]["test"] == true).filter_map(|message| message["executable"].as_str());
    Ok(executables.map(Into::into).collect())
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
    let ran = on_all_cores(tests.len(), |i| -> Result<Option<Test>> {
        let own: &Test = &tests[i];
        let file = scratch.join(i.to_string());
        let begin = Instant::now();
        let passed = within(test(own).env("WGPU_FFT_REACHED", &file), Duration::from_secs(600))?;
        let took = begin.elapsed();
        if passed != Some(true) {
            println!("without a mutant, {} fails", own.name);
            return Ok(None);
        }
        let reached = fs::read_to_string(&file).unwrap_or_default();
        let reaches = reached.lines().map(str::parse).collect::<std::result::Result<_, _>>()?;
        Ok(Some(Test { name: own.name.clone(), took, reaches, ..*own }))
    });
    fs::remove_dir_all(&scratch)?;
    let mut tests: Vec<Test> = ran.into_iter().filter_map(Result::transpose).collect::<Result<_>>()?;
    tests.sort_by_key(|test| test.took);
    println!("{} tests take {:.0?} of one core", tests.len(), tests.iter().map(|test| test.took).sum::<Duration>());
    // In no order, so that what was done when somebody loses patience is a sample.
    let mut numbers: Vec<usize> = mutants.keys().copied().collect();
    numbers.sort_by_key(|number| number.wrapping_mul(0x9e37_79b9) & 0xffff);
    let accepted: BTreeSet<&str> = include_str!("../accepted.txt").lines().collect();
    let kinds = on_all_cores(numbers.len(), |i| -> Result<Option<usize>> {
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
        let counts = kind == 0 || !accepted.contains(what);
        if counts {
            println!("{number}\t{fate}\t{what}");
        }
        Ok(counts.then_some(kind))
    });
    let kinds: Vec<usize> = kinds.into_iter().filter_map(Result::transpose).collect::<Result<_>>()?;
    let [caught, unreached] = [0, 2].map(|own| kinds.iter().filter(|kind| **kind == own).count());
    println!(
        "{caught} of {} mutants are caught, {:.1}%; no test reaches {unreached}",
        kinds.len(),
        100.0 * caught as f64 / kinds.len() as f64
    );
    Ok(())
}
