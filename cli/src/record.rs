//! `wgpu-fft tune` finds the fastest recipes by measuring, and `wgpu-fft record` manages the record of
//! measurements.
//!
//! Programs that use `Rigor::Recorded` or `Rigor::Measure` then find these recipes in the record.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Subcommand, ValueEnum};
use serde_json::json;
use wgpu_fft::dynamic::AnySpec;
use wgpu_fft::low_level::tune::record::{CRATE_VERSION, Entry, Import, Item, Items as _, now};
use wgpu_fft::low_level::tune::{Calibration, DeviceIdentity, End, LEAST_GAIN, Source};
use wgpu_fft::tune::{Choice, Record, Rigor, Tuning};
use wgpu_fft::{Gpu, Planner};

use crate::device::Device;
use crate::{Result, files, progress, table, usage};

/// How long a search may take.
#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Effort {
    /// 2 seconds for each specification
    #[default]
    Measure,
    /// Up to a minute
    Patient,
}

#[derive(clap::Args)]
#[command(after_help = "If you end a search by hand, the recipe under trial is marked, because nobody can tell why the process ended.
`wgpu-fft record prune --marks` removes marks.")]
pub struct Tune {
    /// Specifications, such as "c2c fwd 512x512"
    #[arg(required_unless_present = "calibrate")]
    specs: Vec<AnySpec>,
    /// Find what the rules should take the device to be like, for all that is not measured by itself:
    /// the registers of a GPU, or the barriers of a processor; takes 30 seconds if --seconds says nothing
    #[arg(long)]
    calibrate: bool,
    /// The record [default: $WGPU_FFT_RECORD, or else a file in the cache directory]
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t)]
    rigor: Effort,
    /// How long the search for each specification may take, instead
    #[arg(long, value_parser = seconds, value_name = "S")]
    seconds: Option<Duration>,
    /// Measure specifications even if the record has them
    #[arg(long)]
    again: bool,
}

/// Which part of the record.
#[derive(clap::Args)]
pub struct Part {
    /// Only specifications that contain this, such as "c2c fwd"
    filter: Option<String>,
    /// Only devices whose printed identity contains TEXT, in any case
    #[arg(long, value_name = "TEXT")]
    device: Option<String>,
}

impl Part {
    fn has(&self, item: &Item) -> bool {
        let within = |device: &String| item.device().to_string().to_lowercase().contains(&device.to_lowercase());
        self.device.as_ref().is_none_or(within) && self.filter.as_ref().is_none_or(|filter| item.spec().contains(filter))
    }
}

#[derive(clap::Args)]
pub struct Place {
    /// The record [default: $WGPU_FFT_RECORD, or else a file in the cache directory]
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
}

impl Place {
    fn open(&self, device: &Device) -> Record {
        open(device, self.record.as_deref())
    }
}

#[derive(Subcommand)]
pub enum Command {
    /// Print recipes, and marks of recipes that must not be tried again
    List {
        #[command(flatten)]
        place: Place,
        #[command(flatten)]
        part: Part,
    },
    /// Add everything from other records
    Merge {
        #[command(flatten)]
        place: Place,
        /// Other records
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Add another record, but leave out what was measured on this adapter with shaders that have
    /// changed since
    Import {
        #[command(flatten)]
        place: Place,
        /// The other record
        file: PathBuf,
    },
    /// Write a part of the record to another file, and replace what that file holds
    Export {
        #[command(flatten)]
        place: Place,
        /// The other file
        file: PathBuf,
        #[command(flatten)]
        part: Part,
    },
    /// Remove the entries to which all the conditions apply
    Prune {
        #[command(flatten)]
        place: Place,
        #[command(flatten)]
        part: Part,
        /// Only entries that are older
        #[arg(long, value_parser = days, value_name = "DAYS")]
        older_than: Option<Duration>,
        /// Only marks
        #[arg(long)]
        marks: bool,
    },
    /// Print the recipes that beat the rules' by 3% or more as lines of the crate's own table,
    /// `src/tune/builtin.txt`
    Exceptions {
        #[command(flatten)]
        place: Place,
        #[command(flatten)]
        part: Part,
    },
    /// Print where the record is
    Path {
        #[command(flatten)]
        place: Place,
    },
}

fn seconds(text: &str) -> std::result::Result<Duration, String> {
    duration(text, 1.0)
}

fn days(text: &str) -> std::result::Result<Duration, String> {
    duration(text, 86_400.0)
}

/// So many units, 0 or more, of so many seconds each.
fn duration(text: &str, unit: f64) -> std::result::Result<Duration, String> {
    let number = text.parse::<f64>().map_err(|error| error.to_string())?;
    Duration::try_from_secs_f64(number * unit).map_err(|_| "expected a number of 0 or more".to_owned())
}

fn open(device: &Device, path: Option<&std::path::Path>) -> Record {
    let record = device.open_record(path);
    let report = record.report();
    if report.unread > 0 {
        device.output.note("", format_args!("{}, and kept", counted(report.unread, "line", "not readable")));
    }
    record
}

impl Tune {
    pub fn run(&self, device: &Device) -> Result<()> {
        let gpu = device.open()?;
        let record = open(device, self.record.as_deref());
        let rigor = if self.rigor == Effort::Patient { Rigor::Patient } else { Rigor::Measure };
        let mut tuning = progress::watch(Tuning::new(rigor).record(record.clone()), device.output);
        if let Some(limit) = self.seconds {
            tuning = tuning.time_limit(limit);
        }
        if self.again {
            tuning = tuning.again();
        }
        let mut failed = 0;
        let mut print = |spec: &dyn Display, choice: wgpu_fft::Result<Choice<String>>| {
            progress::clear();
            let measured = choice.map(|choice| print_choice(device, spec, &choice));
            failed += usize::from(!measured.unwrap_or_else(|error| {
                device.output.failed(&error);
                false
            }));
        };
        if self.calibrate {
            let calibration = Calibration::new();
            device.output.note("\nmeasures", &calibration);
            let limit = self.seconds.unwrap_or(Duration::from_secs(30));
            let choice = tuning.clone().time_limit(limit).choose(&gpu, &calibration);
            print(&calibration, choice.map(|choice| choice.map(|own| own.to_string())));
        }
        let planner = Planner::new(&gpu).with_tuning(tuning);
        for spec in &self.specs {
            device.output.note("\ncomputes", spec);
            print(spec, spec.choose(&planner));
        }
        if failed > 0 {
            let all = self.specs.len() + usize::from(self.calibrate);
            return Err(format!("{failed} of {} could not be measured", counted(all, "specification", "asked for")).into());
        }
        written(&record)
    }
}

impl Command {
    pub fn run(&self, device: &Device) -> Result<()> {
        match self {
            Self::List { place, part } => {
                let record = place.open(device);
                let items: Vec<Item> = items(&record).into_iter().filter(|item| part.has(item)).collect();
                let entries = items.iter().filter(|item| matches!(item, Item::Best(_))).count();
                let holds = [counted(entries, "recipe", "measured"), counted(items.len() - entries, "recipe", "marked")];
                device.output.note("holds", holds.join(", "));
                if device.output.json {
                    items.iter().for_each(|item| device.output.record(&entry(item)))
                } else {
                    table::print(&items)
                }
                Ok(())
            }
            Self::Merge { place, files: paths } => {
                let record = place.open(device);
                for path in paths {
                    let report = import(&record, path, None, &|_| false)?;
                    println!("{}: {report}", files::input_name(path));
                }
                written(&record)
            }
            Self::Import { place, file } => {
                let gpu = device.open()?;
                let record = place.open(device);
                let own = DeviceIdentity::of(&gpu);
                let report = import(&record, file, Some(&own), &|entry| is_stale(entry, &gpu, &own))?;
                println!("{}: {report}", files::input_name(file));
                written(&record)
            }
            Self::Export { place, file, part } => {
                let record = place.open(device);
                if files::is_stdout(file) {
                    return files::write_text(file, &record.export_text(|item| part.has(item)));
                }
                let count = record.export(file, |item| part.has(item))?;
                println!("{}: {}", file.display(), counted(count, "item", "written"));
                Ok(())
            }
            Self::Prune { place, part, older_than, marks } => prune(&place.open(device), part, *older_than, *marks),
            Self::Exceptions { place, part } => {
                let record = place.open(device);
                let mut lines = BTreeMap::new();
                // The newest of each device and specification: entries of one specification come by time.
                for item in items(&record).iter().filter(|item| part.has(item)) {
                    lines.extend(exception(item).map(|[key, rest]| (key, rest)));
                }
                lines.iter().for_each(|(key, rest)| println!("{key} | {rest}"));
                Ok(())
            }
            Self::Path { place } => {
                let path = place.record.clone().or_else(Record::default_path);
                let path = path.ok_or("this system has no directory for caches: name a file by WGPU_FFT_RECORD or --record")?;
                println!("{}", std::path::absolute(&path).unwrap_or(path).display());
                Ok(())
            }
        }
    }
}

/// Adds another record, from a file or the standard input.
fn import(record: &Record, path: &Path, device: Option<&DeviceIdentity>, stale: &dyn Fn(&Entry) -> bool) -> Result<Import> {
    if !files::is_stdin(path) {
        return Ok(record.import(path, device, stale)?);
    }
    let mut text = Vec::new();
    std::io::stdin().lock().read_to_end(&mut text)?;
    Ok(record.import_text(&text, device, stale))
}

fn prune(record: &Record, part: &Part, older_than: Option<Duration>, marks: bool) -> Result<()> {
    if older_than.is_none() && part.device.is_none() && part.filter.is_none() && !marks {
        return Err(usage("prune without a condition would forget everything; say --older-than, --device, --marks or a filter"));
    }
    let before = older_than.map(|age| now().saturating_sub(age.as_secs()));
    let forgotten = record.prune(|item| {
        let mark = matches!(item, Item::Mark(_));
        !(part.has(item) && before.is_none_or(|before| item.time() < before) && (mark || !marks))
    })?;
    println!("{}", counted(forgotten, "item", "forgotten"));
    Ok(())
}

fn entry(item: &Item) -> serde_json::Value {
    let Item::Best(Entry { spec, recipe, seconds, rules_seconds, device, .. }) = item else {
        return json!({ "spec": item.spec(), "device": item.device().to_string(), "marked": true });
    };
    json!({ "spec": spec, "device": device.to_string(), "recipe": recipe, "ms": seconds * 1e3, "rules_ms": rules_seconds * 1e3 })
}

/// The key of an entry in the table of exceptions, and the rest of its line, if it gains enough on a
/// device that the table can name, by the kernels of this version.
fn exception(item: &Item) -> Option<[String; 2]> {
    let Item::Best(Entry { spec, recipe, seconds, rules_seconds, device, time, version, .. }) = item else { return None };
    let gain = 1.0 - seconds / rules_seconds;
    let DeviceIdentity { name, vendor, device: number, device_type, driver_info, .. } = &**device;
    let kind = device_type.split(' ').next().map(str::to_lowercase).filter(|kind| kind != "other")?;
    if gain < LEAST_GAIN || version != CRATE_VERSION || spec.parse::<AnySpec>().is_err() {
        return None;
    }
    let [ours, estimate] = [seconds, rules_seconds].map(|seconds| seconds * 1e3);
    let date = table::date(*time);
    let date = date.split(' ').next()?;
    let measured = format!("{ours:.4} ms, before {estimate:.4} ms (-{:.1}%), {name}, driver {driver_info}, {date}", 100.0 * gain);
    Some([format!("{vendor:04x}:{number:04x} {kind} | {spec}"), format!("{recipe} | {measured}")])
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
    let parsed = entry.spec.parse::<AnySpec>();
    let is_of_older = entry.spec == Calibration::new().to_string() && entry.version != CRATE_VERSION;
    here && (is_of_older || parsed.is_ok_and(|spec| spec.fingerprint(&entry.recipe, gpu.profile()) != Ok(entry.wgsl)))
}

/// Fails if what was to be written is in memory alone.
fn written(record: &Record) -> Result<()> {
    // The reason went to the log.
    if record.warning().is_some() { Err("the record was not written".into()) } else { Ok(()) }
}

/// Prints a choice, and returns whether it is by measurement and in the record.
fn print_choice(device: &Device, spec: &dyn Display, choice: &Choice<String>) -> bool {
    let note = |label: &str, text: String| device.output.note(label, text);
    let times = |seconds: f64, rules: f64, timer: wgpu_fft::low_level::Timer| {
        let gain = table::gain(seconds, rules);
        note("time", format!("{:.4} ms, by rule {:.4} ms, gain {gain}; by {timer}", seconds * 1e3, rules * 1e3));
        device.output.record(&json!({
            "spec": spec.to_string(),
            "recipe": choice.recipe,
            "ms": seconds * 1e3,
            "rules_ms": rules * 1e3,
            "timer": timer.to_string(),
        }));
    };
    let measured = match &choice.source {
        Source::Recorded(entry) => {
            let Entry { time, version, rigor, .. } = &**entry;
            note("source", format!("the record, measured {} UTC by version {version}, rigor {rigor}", table::date(*time)));
            times(entry.seconds, entry.rules_seconds, entry.timer);
            true
        }
        Source::Measured(outcome) => {
            let recipes = counted(outcome.measured, "recipe", "in");
            note("source", format!("measured now, {recipes} {:.1} s: {}", outcome.elapsed.as_secs_f64(), outcome.end));
            times(outcome.time.as_secs_f64(), outcome.estimate_time.as_secs_f64(), outcome.timer);
            if outcome.recipe != outcome.estimate {
                note("by rule", outcome.estimate.clone());
            }
            outcome.faults.iter().for_each(|(recipe, why)| note("fault", format!("{recipe}: {why}")));
            // Then nothing is recorded either.
            let compared = outcome.measured > 1 || outcome.end != End::Time;
            if !compared {
                eprintln!("wgpu-fft: {spec}: no time was left to compare recipes, so nothing is recorded: allow more by --seconds");
            }
            compared
        }
        other => {
            note("source", other.to_string());
            false
        }
    };
    note("recipe", choice.recipe.clone());
    measured
}
