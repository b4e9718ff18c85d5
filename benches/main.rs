//! All benchmarks of this crate, as one program, because each would take minutes to link.
//!
//! ```sh
//! cargo bench --bench measure -- --help                # the list
//! cargo bench --bench measure -- fft --help            # the options of one
//! cargo bench --bench measure -- fft --table anchors
//! cargo bench --bench measure -- --smoke               # all of them on small sizes
//! ```

mod fft;
mod filter;
mod fused;
mod interpreter;
mod numbers;
mod patterns;
mod plan;
mod reach;
mod reduce;
mod stream;
mod support;
mod transfer;
mod transpose;
mod tune;

use std::process::ExitCode;

use support::Program;
use wgpu_fft_tests::{paper, sanitized};

const PROGRAMS: [Program; 13] = [
    fft::PROGRAM,
    transpose::PROGRAM,
    reduce::PROGRAM,
    filter::PROGRAM,
    fused::PROGRAM,
    numbers::PROGRAM,
    tune::PROGRAM,
    plan::PROGRAM,
    transfer::PROGRAM,
    stream::PROGRAM,
    patterns::PROGRAM,
    interpreter::PROGRAM,
    reach::PROGRAM,
];

const COMMAND: &str = "cargo bench --bench measure --";

fn main() -> ExitCode {
    // Cargo starts benchmarks in the folder of their package; files are named from the one above.
    let own = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    if std::env::current_dir().is_ok_and(|folder| folder == own) {
        let _ = std::env::set_current_dir(own.join(".."));
    }
    // Cargo passes this to every benchmark.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let run = |program: &Program, words: &[String]| program.run(&format!("{COMMAND} {}", program.name), words);
    let named = words.first().and_then(|first| PROGRAMS.iter().find(|program| program.name == first));
    let is_for_all = words.first().is_some_and(|first| first.starts_with("--")) && words.iter().any(|word| word == "--smoke");
    let succeeded = match named {
        Some(program) => run(program, &words[1..]),
        // All of them, even after a failure.
        None if is_for_all => PROGRAMS.iter().map(|program| run(program, &words)).fold(true, |all, one| all & one),
        None => {
            let lines = PROGRAMS.iter().map(|program| format!("\n  {:<12}  {}", program.name, program.about));
            let usage = format!(
                "{COMMAND} BENCHMARK [OPTIONS]{}\n{COMMAND} BENCHMARK --help\n{COMMAND} --smoke [OPTIONS OF ALL]",
                lines.collect::<String>()
            );
            let asked = words.iter().any(|word| word == "--help" || word == "-h");
            if asked {
                println!("{usage}")
            } else {
                eprintln!("{usage}")
            }
            asked
        }
    };
    if succeeded { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
