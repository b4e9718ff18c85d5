//! The command line of tuning: finds the fastest recipes on a device by measuring, and manages the
//! record of measurements.
//!
//! ```text
//! cargo run --release --example tune -- tune "c2c fwd 512x512" "sum f32 4194304"
//! cargo run --release --example tune -- list
//! cargo run --release --example tune -- --help
//! ```
//!
//! Programs that use `Rigor::Recorded` or `Rigor::Measure` then find these recipes in the record.

mod specs;
// Of what the examples share, pictures are for the others.
#[allow(dead_code, reason = "this example has no pictures")]
#[path = "../support/mod.rs"]
mod support;
mod table;

use std::cell::Cell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use lexopt::ValueExt;
use specs::Task;
use support::{Result, progress};
use wgpu_fft::tune::record::{Entry, Item, now};
use wgpu_fft::tune::{Choice, DeviceIdentity, Record, Rigor, Source, Tuning};
use wgpu_fft::{Gpu, GpuOptions};

const USAGE: &str = "Finds the fastest recipes on a device by measuring, and manages the record of measurements.

Usage: tune tune    [--adapter NAME] [--rigor measure|patient] [--seconds S] [--again] SPEC...
       tune list    [--device TEXT] [FILTER]
       tune merge   FILE...
       tune import  [--adapter NAME] FILE
       tune export  [--device TEXT] FILE [FILTER]
       tune prune   [--older-than DAYS] [--device TEXT] [--marks] [FILTER]
       tune compact
       tune path

  tune      find the fastest recipe of each SPEC and add it to the record, unless the record has one
  list      print the record: recipes, and marks of recipes that must not be tried again
  merge     add everything from other records
  import    add another record, but leave out what is stale: measured on this adapter with shaders that have changed since
  export    write a part of the record to another file, and replace what that file holds
  prune     remove the entries to which all the conditions apply
  compact   remove superseded and damaged lines from the file
  path      print where the record is

SPEC is a specification as the library prints it, in quotes: \"c2c fwd 512x512\", \"c2c inv 1000 x4 1/n in-place\", \"r2c fwd 1024\", \"c2r inv 480x640 1/n\",
\"transpose f32 1024x1024\", \"permute complex f32 30x40x50 order=2,0,1\", \"sum f32 4194304\", \"sum f32 1024x1024 axes=1\".
FILTER is a part of a specification, such as \"c2c fwd\".

Options:
      --record FILE       the record (default: WGPU_FFT_RECORD, or else a file in the cache directory)
      --adapter NAME      use the adapter whose name contains NAME
      --rigor RIGOR       measure, with 2 seconds for each SPEC (default), or patient, with a minute
      --seconds S         how long the search for each SPEC may take, instead
      --again             measure SPEC even if the record has it
      --device TEXT       only entries of devices whose printed identity contains TEXT, in any case
      --older-than DAYS   only entries that are older
      --marks             only marks
  -h, --help              print this and stop

If you end a search by hand, the recipe under trial is marked, because nobody can tell why the process ended. `prune --marks` removes marks.";

/// The commands, and the options that each has besides --record.
const COMMANDS: [(&str, &[&str]); 8] = [
    ("tune", &["adapter", "rigor", "seconds", "again"]),
    ("list", &["device"]),
    ("merge", &[]),
    ("import", &["adapter"]),
    ("export", &["device"]),
    ("prune", &["older-than", "device", "marks"]),
    ("compact", &[]),
    ("path", &[]),
];

fn main() -> ExitCode {
    support::exit(run())
}

fn run() -> Result<()> {
    match Arguments::parse()? {
        Some(arguments) => arguments.run(),
        None => Ok(()),
    }
}

/// The command line.
#[derive(Default)]
struct Arguments {
    command: &'static str,
    record: Option<PathBuf>,
    adapter: GpuOptions,
    rigor: Option<Rigor>,
    limit: Option<Duration>,
    again: bool,
    device: Option<String>,
    older_than: Option<Duration>,
    marks: bool,
    /// Specifications, files, a filter.
    rest: Vec<OsString>,
}

/// A command line that nobody can do anything about.
fn wrong<T>(why: impl Into<String>) -> Result<T> {
    Err(lexopt::Error::from(why.into()).into())
}

impl Arguments {
    /// Returns nothing if there is nothing left to do, as after `--help`.
    fn parse() -> Result<Option<Self>> {
        let mut own = Self::default();
        let mut options: &[&str] = &[];
        let mut parser = lexopt::Parser::from_env();
        let names = COMMANDS.map(|(name, _)| name).join(", ");
        while let Some(argument) = parser.next()? {
            let name = match argument {
                lexopt::Arg::Value(value) if own.command.is_empty() => {
                    let found = COMMANDS.iter().find(|(name, _)| *name == value);
                    let Some((name, own_options)) = found else {
                        return wrong(format!("`{}` is no command; there are {names}", value.display()));
                    };
                    (own.command, options) = (name, own_options);
                    continue;
                }
                lexopt::Arg::Value(value) => {
                    own.rest.push(value);
                    continue;
                }
                lexopt::Arg::Short('h') | lexopt::Arg::Long("help") => {
                    println!("{USAGE}");
                    return Ok(None);
                }
                lexopt::Arg::Long(name) => name.to_owned(),
                other @ lexopt::Arg::Short(_) => return Err(other.unexpected().into()),
            };
            if own.command.is_empty() {
                return wrong(format!("a command comes first: {names}"));
            }
            if name != "record" && !options.contains(&name.as_str()) {
                return wrong(format!("`{}` has no option --{name}", own.command));
            }
            match name.as_str() {
                "record" => own.record = Some(parser.value()?.into()),
                "adapter" => own.adapter = own.adapter.adapter_name(parser.value()?.string()?),
                "rigor" => own.rigor = Some(parser.value()?.parse()?),
                "seconds" => own.limit = Some(duration("--seconds", &parser.value()?, 1.0)?),
                "again" => own.again = true,
                "device" => own.device = Some(parser.value()?.string()?.to_lowercase()),
                "older-than" => own.older_than = Some(duration("--older-than", &parser.value()?, 86_400.0)?),
                "marks" => own.marks = true,
                _ => return Err(lexopt::Arg::Long(&name).unexpected().into()),
            }
        }
        if own.command.is_empty() {
            return wrong(format!("there is no command; there are {names}"));
        }
        own.check()?;
        Ok(Some(own))
    }

    /// Says what is too much or missing.
    fn check(&self) -> Result<()> {
        let (least, most, what) = match self.command {
            "tune" => (1, usize::MAX, "a specification or more"),
            "merge" => (1, usize::MAX, "a file or more"),
            "import" => (1, 1, "a file"),
            "export" => (1, 2, "a file, and a filter at most"),
            "list" | "prune" => (0, 1, "a filter at most"),
            _ => (0, 0, "nothing"),
        };
        if !(least..=most).contains(&self.rest.len()) {
            return wrong(format!("`{}` takes {what}, and not {} arguments", self.command, self.rest.len()));
        }
        if let Some(rigor @ (Rigor::Estimate | Rigor::Recorded)) = self.rigor {
            return wrong(format!("rigor {rigor} measures nothing; it is measure or patient here"));
        }
        let condition = self.older_than.is_some() || self.device.is_some() || self.marks || !self.rest.is_empty();
        if self.command == "prune" && !condition {
            return wrong("`prune` without a condition would forget everything; say --older-than, --device, --marks or a filter");
        }
        Ok(())
    }

    fn run(&self) -> Result<()> {
        match self.command {
            "tune" => self.tune(),
            "list" => self.list(),
            "merge" => self.merge(),
            "import" => self.import(),
            "export" => self.export(),
            "prune" => self.prune(),
            "compact" => {
                let dropped = self.open()?.compact()?;
                println!("{}", counted(dropped, "line", "dropped"));
                Ok(())
            }
            _ => self.path(),
        }
    }

    fn open(&self) -> Result<Record> {
        let record = support::open_record(self.record.as_deref());
        let report = record.report();
        if report.corrupt > 0 {
            println!("            {} in it, which `compact` drops", counted(report.corrupt, "line", "damaged"));
        }
        Ok(record)
    }

    /// The argument after the files, in a place where there may be one.
    fn filter(&self, place: usize) -> Result<String> {
        match self.rest.get(place).map(|text| text.clone().string()) {
            Some(text) => Ok(text?),
            None => Ok(String::new()),
        }
    }

    /// Whether an item is on the device and of the specifications that the command line names.
    fn names(&self, item: &Item, filter: &str) -> bool {
        let device = self.device.as_ref().is_none_or(|text| item.device().to_string().to_lowercase().contains(text));
        device && item.spec().contains(filter)
    }

    fn tune(&self) -> Result<()> {
        // All of them before any is measured.
        let tasks = self.rest.iter().map(|text| {
            let text = text.clone().string()?;
            specs::parse(&text).map_err(|error| lexopt::Error::from(error.to_string()))
        });
        let tasks: Vec<Box<dyn Task>> = tasks.collect::<std::result::Result<_, _>>()?;
        let gpu = support::open_gpu(&self.adapter)?;
        let record = self.open()?;
        let rigor = self.rigor.unwrap_or(Rigor::Measure);
        let mut tuning = progress::watch(Tuning::new(rigor).record(record.clone()));
        if let Some(limit) = self.limit {
            tuning = tuning.time_limit(limit);
        }
        if self.again {
            tuning = tuning.again();
        }
        let mut failed = 0;
        for task in &tasks {
            println!("\n{task}");
            let choice = task.choose(&tuning, &gpu);
            progress::clear();
            let measured = match choice {
                Ok(choice) => print_choice(&choice),
                Err(error) => {
                    eprintln!("{error}");
                    false
                }
            };
            failed += usize::from(!measured);
        }
        if failed > 0 {
            return Err(format!("{failed} of {} could not be measured", counted(tasks.len(), "specification", "asked for")).into());
        }
        Ok(())
    }

    fn list(&self) -> Result<()> {
        let record = self.open()?;
        let filter = self.filter(0)?;
        let items = items(&record).into_iter().filter(|item| self.names(item, &filter)).collect::<Vec<_>>();
        let entries = items.iter().filter(|item| matches!(item, Item::Best(_))).count();
        println!("holds       {}, {}", counted(entries, "recipe", "measured"), counted(items.len() - entries, "recipe", "marked"));
        table::print(&items);
        Ok(())
    }

    fn merge(&self) -> Result<()> {
        let record = self.open()?;
        for path in &self.rest {
            let report = record.merge(path)?;
            println!("{}: {report}", path.display());
        }
        written(&record)
    }

    fn import(&self) -> Result<()> {
        let gpu = support::open_gpu(&self.adapter)?;
        let record = self.open()?;
        let device = DeviceIdentity::of(&gpu);
        let path = Path::new(&self.rest[0]);
        let report = record.import(path, Some(&device), &|entry| is_stale(entry, &gpu, &device))?;
        println!("{}: {report}", path.display());
        written(&record)
    }

    fn export(&self) -> Result<()> {
        let record = self.open()?;
        let filter = self.filter(1)?;
        let path = Path::new(&self.rest[0]);
        let count = record.export(path, |item| self.names(item, &filter))?;
        println!("{}: {}", path.display(), counted(count, "item", "written"));
        Ok(())
    }

    fn prune(&self) -> Result<()> {
        let record = self.open()?;
        let filter = self.filter(0)?;
        let before = self.older_than.map(|age| now().saturating_sub(age.as_secs()));
        let forgotten = Cell::new(0);
        let dropped = record.prune(|item| {
            let mark = matches!(item, Item::Mark(_));
            let wanted = self.names(item, &filter) && before.is_none_or(|before| item.time() < before) && (mark || !self.marks);
            forgotten.set(forgotten.get() + usize::from(wanted));
            !wanted
        })?;
        let others = dropped.saturating_sub(forgotten.get());
        println!("{}", counted(forgotten.get(), "item", "forgotten"));
        if others > 0 {
            println!("{}, superseded or damaged", counted(others, "other line", "dropped"));
        }
        Ok(())
    }

    fn path(&self) -> Result<()> {
        let path = self.record.clone().or_else(Record::default_path);
        let path = path.ok_or("this system has no directory for caches: name a file by WGPU_FFT_RECORD or --record")?;
        println!("{}", std::path::absolute(&path).unwrap_or(path).display());
        Ok(())
    }
}

/// So many units, 0 or more, of so many seconds each.
fn duration(option: &str, text: &OsString, unit: f64) -> Result<Duration> {
    let number = text.to_str().and_then(|text| text.parse::<f64>().ok());
    match number.and_then(|number| Duration::try_from_secs_f64(number * unit).ok()) {
        Some(duration) => Ok(duration),
        None => wrong(format!("{option} is a number of 0 or more, and not `{}`", text.display())),
    }
}

/// `1 line dropped`, `2 lines dropped`.
fn counted(count: usize, what: &str, done: &str) -> String {
    format!("{count} {what}{} {done}", if count == 1 { "" } else { "s" })
}

/// Everything that a record holds.
fn items(record: &Record) -> Vec<Item> {
    record.entries().into_iter().map(Item::Best).chain(record.marks().into_iter().map(Item::Mark)).collect()
}

/// Whether an entry of this device is of no use here any more. Whatever was measured elsewhere is
/// where a search begins.
fn is_stale(entry: &Entry, gpu: &Gpu, device: &DeviceIdentity) -> bool {
    let here = *entry.device == *device;
    // What is not ours to read is somebody's kernel, which we know nothing of.
    here && specs::parse(&entry.spec).is_ok_and(|task| task.fingerprint(&entry.recipe, gpu.profile()) != Ok(entry.wgsl))
}

/// Fails if what was to be written is in memory alone.
fn written(record: &Record) -> Result<()> {
    // The reason went to the log.
    if record.warning().is_some() { Err("the record was not written".into()) } else { Ok(()) }
}

/// Prints a choice, and returns whether it is by measurement.
fn print_choice(choice: &Choice<String>) -> bool {
    let time = |seconds: f64, rules: f64, timer| {
        println!("  time      {:.4} ms, by rule {:.4} ms, gain {}; by {timer}", seconds * 1e3, rules * 1e3, table::gain(seconds, rules));
    };
    let measured = match &choice.source {
        Source::Recorded(entry) => {
            println!(
                "  source    the record, measured {} UTC by version {}, rigor {}",
                table::date(entry.time),
                entry.version,
                entry.rigor
            );
            time(entry.seconds, entry.rules_seconds, entry.timer);
            true
        }
        Source::Measured(outcome) => {
            let recipes = counted(outcome.measured, "recipe", "in");
            println!("  source    measured now, {recipes} {:.1} s: {}", outcome.elapsed.as_secs_f64(), outcome.end);
            time(outcome.time.as_secs_f64(), outcome.estimate_time.as_secs_f64(), outcome.timer);
            if outcome.recipe != outcome.estimate {
                println!("  by rule   {}", outcome.estimate);
            }
            outcome.faults.iter().for_each(|(recipe, why)| println!("  fault     {recipe}: {why}"));
            true
        }
        other => {
            println!("  source    {other}");
            false
        }
    };
    println!("  recipe    {}", choice.recipe);
    measured
}
