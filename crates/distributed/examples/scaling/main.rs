//! How the time of a distributed transform changes with the number of ranks, computed by the model
//! `wgpu_fft_distributed::model`. The example needs no ranks and no device:
//!
//! ```text
//! cargo run -p wgpu-fft-distributed --example scaling
//! ```
//!
//! It prints tables. In crates/distributed, `--write docs/scaling.md --plot docs/scaling.svg` updates
//! the document and its picture.

mod plot;

use std::fmt::Write;
use std::process::ExitCode;

use lexopt::ValueExt;
use wgpu_fft::low_level::files;
use wgpu_fft_distributed::model::{Machine, Model, Path, Size, Times};

const USAGE: &str = "Prints tables of the time of a distributed transform on many ranks, computed by a model.

Usage: scaling [OPTIONS]

      --latency SECONDS  latency of a message (default 5e-6)
      --write FILE       write the tables into this file, between its markers, instead of printing them
      --plot FILE        write a plot, as SVG
  -h, --help             print this and stop";

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Bytes that a rank sends in a second over the network: adapters of 200, 400 and 800 Gb/s.
const LINKS: [f64; 3] = [25e9, 50e9, 100e9];
/// The one that most tables are for.
const USUAL_LINK: f64 = LINKS[1];
const RANKS: [u64; 5] = [8, 16, 64, 256, 1024];
const MARKERS: [&str; 2] = ["<!-- scaling: begin -->\n", "<!-- scaling: end -->\n"];

fn sizes() -> impl Iterator<Item = Size> {
    [8192, 16384, 32768, 65536].map(Size::square).into_iter().chain([512, 1024, 2048, 4096, 8192].map(Size::cube))
}

fn model(link: f64, latency: f64, path: Path) -> Model {
    Model { machine: Machine::h200(link, latency), path }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let (mut latency, mut write, mut plot) = (5e-6, None, None);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            lexopt::Arg::Short('h') | lexopt::Arg::Long("help") => {
                println!("{USAGE}");
                return Ok(());
            }
            lexopt::Arg::Long("latency") => latency = parser.value()?.parse()?,
            lexopt::Arg::Long("write") => write = Some(parser.value()?),
            lexopt::Arg::Long("plot") => plot = Some(parser.value()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let tables = tables(latency);
    match write {
        None => print!("{tables}"),
        Some(file) => {
            let text = std::fs::read_to_string(&file)?;
            let [begin, end] = MARKERS;
            let parts = text.split_once(begin).and_then(|(before, rest)| Some((before, rest.split_once(end)?.1)));
            let (before, after) = parts.ok_or_else(|| format!("no markers {begin:?} and {end:?} in {}", file.display()))?;
            files::write(file.as_ref(), |out| write!(out, "{before}{begin}\n{tables}\n{end}{after}"))?;
        }
    }
    if let Some(file) = plot {
        files::write(file.as_ref(), |out| out.write_all(plot::times(latency).as_bytes()))?;
    }
    Ok(())
}

fn tables(latency: f64) -> String {
    let of = |link, path| model(link, latency, path);
    let full = |path| {
        let model = of(USUAL_LINK, path);
        ranks_table(|size, ranks| {
            let (times, efficiency) = (model.times(size, ranks)?, model.efficiency(size, ranks)?);
            Some(format!("{}, {}, {}", seconds(times.total()), percent(times.exchange_share()), percent(efficiency)))
        })
    };
    let others = ranks_table(|size, ranks| {
        let [slow, _, fast] = LINKS.map(|link| of(link, Path::Direct).times(size, ranks));
        Some(format!("{}, {}", seconds(slow?.total()), seconds(fast?.total())))
    });
    format!(
        "Staged through the host, network 50 GB/s: time, part of the exchange, efficiency E.\n\n{}\n\
         On the device, network 50 GB/s: the same.\n\n{}\n\
         On the device, networks of 25 and of 100 GB/s: times.\n\n{others}\n\
         Ranks: the most of slabs, the fewest that hold the array, the fastest power of two at 50 GB/s, and from which power of two on the exchange takes more than \
         half of the time, at 25, 50 and 100 GB/s.\n\n{}\n\
         Phases, network 50 GB/s.\n\n{}",
        full(Path::Staged),
        full(Path::Direct),
        crossovers(latency),
        phases(latency)
    )
}

/// A cell for every size on several numbers of ranks, or why there is none.
fn ranks_table(cell: impl Fn(Size, u64) -> Option<String>) -> String {
    let mut text = "| size |".to_owned();
    for ranks in RANKS {
        let _ = write!(text, " P = {ranks} |");
    }
    text += "\n|---|";
    text += &"---:|".repeat(RANKS.len());
    text += "\n";
    for size in sizes() {
        let _ = write!(text, "| {size} |");
        for ranks in RANKS {
            let none = if ranks > size.most_ranks() { "pencils" } else { "memory" };
            let _ = write!(text, " {} |", cell(size, ranks).unwrap_or_else(|| none.to_owned()));
        }
        text += "\n";
    }
    text
}

fn crossovers(latency: f64) -> String {
    let models = |path| LINKS.map(|link| model(link, latency, path));
    let models = [models(Path::Staged), models(Path::Direct)];
    let ranks = |ranks: Option<u64>| ranks.map_or("–".to_owned(), |ranks| ranks.to_string());
    let heads = ["staged", "device"].map(|path| format!(" {path}: least | fastest | over half from |")).concat();
    let mut text = format!("| size | most |{heads}\n|---|---:|{}\n", "---:|".repeat(6));
    for size in sizes() {
        let _ = write!(text, "| {size} | {} |", size.most_ranks());
        for models in &models {
            let usual = &models[1];
            let crossovers = models.each_ref().map(|model| ranks(model.crossover(size))).join(", ");
            let _ = write!(text, " {} | {} | {crossovers} |", ranks(usual.least_ranks(size)), ranks(usual.fastest(size)));
        }
        text += "\n";
    }
    text
}

fn phases(latency: f64) -> String {
    let cases =
        [(Size::square(8192), 8), (Size::square(8192), 1024), (Size::cube(1024), 64), (Size::cube(4096), 64), (Size::cube(4096), 1024)];
    type Column = (&'static str, fn(&Times) -> f64);
    let columns: [Column; 7] = [
        ("uploads", |times| times.rows.upload + times.columns.upload),
        ("on the device", Times::compute),
        ("downloads", |times| times.rows.download + times.columns.download),
        ("exchange", |times| times.exchange),
        ("merge", |times| times.merge),
        ("agreement", |times| times.agreement),
        ("all", Times::total),
    ];
    let mut text = "| size | P | path |".to_owned();
    for (name, _) in columns {
        let _ = write!(text, " {name} |");
    }
    text += "\n|---|---:|---|";
    text += &"---:|".repeat(columns.len());
    text += "\n";
    for (size, ranks) in cases {
        for (path, name) in [(Path::Staged, "staged"), (Path::Direct, "device")] {
            let Some(times) = model(USUAL_LINK, latency, path).times(size, ranks) else { continue };
            let _ = write!(text, "| {size} | {ranks} | {name} |");
            for (_, of) in columns {
                let time = of(&times);
                let cell = if time > 0.0 { seconds(time) } else { "–".to_owned() };
                let _ = write!(text, " {cell} |");
            }
            text += "\n";
        }
    }
    text
}

/// Three digits.
fn seconds(time: f64) -> String {
    let (value, unit) = if time < 0.9995 { (1e3 * time, "ms") } else { (time, "s") };
    let digits = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{value:.digits$} {unit}")
}

/// No digits after the point, but one below 1 %.
fn percent(part: f64) -> String {
    let digits = usize::from(part < 0.0095);
    format!("{:.digits$}%", 100.0 * part)
}
