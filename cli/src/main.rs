//! `wgpu-fft`: Fourier transforms, transposes and reductions on the GPU, from the command line.
//!
//! Every command is a module. What they share: [`device`] opens an adapter and makes planners,
//! [`output`] prints text or JSON, [`mod@array`], [`files`] and [`sound`] are arrays from files and to
//! them.

/// As the standard library's, but without a panic where nobody reads any more, as after `| head`.
macro_rules! println {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($text)*);
    }};
}

mod accuracy;
mod bench;
mod check;
mod compute;
mod convolve;
mod device;
mod info;
mod large;
mod output;
mod plan;
mod plot;
mod progress;
mod record;
mod reduce;
#[allow(dead_code, reason = "the crate's benchmarks use the rest")]
#[path = "../../benches/support/report.rs"]
mod report;
#[allow(dead_code, reason = "the crate's benchmarks use the rest")]
#[path = "../../benches/support/rounds.rs"]
mod rounds;
#[allow(dead_code, reason = "the tests use the rest")]
#[path = "../../tests/support/sanitized.rs"]
mod sanitized;
mod spectrogram;
mod stream;
mod table;
mod wgsl;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use device::Device;
use output::Output;
use wgpu_fft_cli::{Result, Usage, array, files, sound, usage};

const AFTER: &str = "\
Specifications are the texts that the library prints, in quotes: \"c2c fwd 512x512\", \"r2c fwd 1080x1920\",
\"c2r inv 480x640 1/n\", \"r2r dct2 480x640\", \"c2c fwd 512 x100 f64\", \"transpose u8 480x640\",
\"permute complex f32 30x40x50 order=2,0,1\", \"sum f32 1024x1024 axes=1\", \"convolve f32 480x640 by 31x31 same\".

Exit status: 0 if all went well, 1 if something failed, 2 for a wrong command line, 3 if `check` or
`plan --check` found a wrong result.";

/// Fourier transforms, transposes and reductions on the GPU
#[derive(Parser)]
#[command(name = "wgpu-fft", version, after_help = AFTER, arg_required_else_help = true)]
struct Cli {
    /// Use the adapter whose name contains NAME
    #[arg(long, global = true, value_name = "NAME")]
    adapter: Option<String>,
    /// Print results as JSON, one object a line
    #[arg(long, global = true)]
    json: bool,
    /// Print results alone: no notes, no progress
    #[arg(short, long, global = true)]
    quiet: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List the adapters, which one is used, what each can do and what is missing
    Info,
    /// Show how a specification is computed: recipe, dispatches, bytes, memory, expected time
    Plan(plan::Arguments),
    /// Time specifications against the copy bandwidth of the adapter and against rustfft
    Bench(bench::Arguments),
    /// Check the accuracy of every kind of operation on this adapter
    Check {
        /// Print the error of complex transforms of many lengths instead, up to MOST
        #[arg(long, value_name = "MOST", num_args = 0..=1, default_missing_value = "1048576")]
        by_length: Option<usize>,
    },
    /// Find the fastest recipes by measuring, and add them to the record
    Tune(record::Tune),
    /// List, merge and clean the record of measurements
    #[command(subcommand)]
    Record(record::Command),
    /// Transform an array or a picture from a file
    Transform(compute::Transform),
    /// Convolve or correlate an array or a picture with a kernel
    Convolve(convolve::Arguments),
    /// Convolve a sound of any length with an impulse response, in blocks
    Stream(stream::Arguments),
    /// Draw the spectrogram of a sound
    Spectrogram(spectrogram::Arguments),
    /// Transpose an array, or bring its axes into another order
    Transpose(compute::Transpose),
    /// Reduce an array to its sum, mean, maximum, …
    Reduce(reduce::Reduce),
    /// Write an FFT for a compute shader of your own, as WGSL
    Wgsl(wgsl::Arguments),
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write man pages
    Man {
        /// The folder
        folder: PathBuf,
    },
}

impl Command {
    /// Where an array or a picture goes.
    fn result(&self) -> Option<&Path> {
        match self {
            Self::Transform(arguments) => Some(&arguments.output),
            Self::Convolve(arguments) => Some(&arguments.output),
            Self::Spectrogram(arguments) => Some(&arguments.output),
            Self::Stream(arguments) => Some(&arguments.output),
            Self::Transpose(arguments) => Some(&arguments.output),
            Self::Reduce(arguments) => arguments.output.as_deref(),
            _ => None,
        }
    }

    /// Where a text goes.
    fn text(&self) -> Option<&Path> {
        match self {
            Self::Bench(arguments) => arguments.plot.as_deref(),
            Self::Record(record::Command::Export { file, .. }) => Some(file),
            Self::Record(record::Command::Exceptions { .. }) => Some(Path::new("-")),
            Self::Wgsl(arguments) => Some(&arguments.output),
            _ => None,
        }
    }
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let piped = cli.command.result().or(cli.command.text()).is_some_and(files::is_stdout);
    let output = Output { json: cli.json, quiet: cli.quiet, piped };
    progress::show_warnings(output);
    let device = Device { name: cli.adapter, output };
    match run(cli.command, &device) {
        Ok(status) => status,
        Err(error) => {
            output.failed(&*error);
            if error.is::<Usage>() { ExitCode::from(WRONG_USE) } else { ExitCode::FAILURE }
        }
    }
}

/// The command line is wrong, as for clap.
const WRONG_USE: u8 = 2;

/// A result was wrong.
const WRONG: u8 = 3;

fn run(command: Command, device: &Device) -> Result<ExitCode> {
    if let Some(path) = command.result() {
        files::check_result(path)?;
    }
    let verdict = |right: bool| if right { ExitCode::SUCCESS } else { ExitCode::from(WRONG) };
    match command {
        Command::Info => info::run(device)?,
        Command::Plan(arguments) => return Ok(verdict(arguments.run(device)?)),
        Command::Bench(arguments) => arguments.run(device)?,
        Command::Check { by_length: None } => return Ok(verdict(check::run(device)?)),
        Command::Check { by_length: Some(most) } => return Ok(verdict(accuracy::run(device, most)?)),
        Command::Tune(arguments) => arguments.run(device)?,
        Command::Record(command) => command.run(device)?,
        Command::Transform(arguments) => arguments.run(device)?,
        Command::Convolve(arguments) => arguments.run(device)?,
        Command::Spectrogram(arguments) => arguments.run(device)?,
        Command::Stream(arguments) => arguments.run(device)?,
        Command::Transpose(arguments) => arguments.run(device)?,
        Command::Reduce(arguments) => arguments.run(device)?,
        Command::Wgsl(arguments) => arguments.run(device)?,
        Command::Completions { shell } => clap_complete::generate(shell, &mut Cli::command(), "wgpu-fft", &mut std::io::stdout()),
        Command::Man { folder } => {
            std::fs::create_dir_all(&folder)?;
            clap_mangen::generate_to(Cli::command(), &folder)?;
            device.output.note("man pages", folder.display());
        }
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
