//! The command-line tool: runs a shader on arrays from files, prints the findings, and writes
//! arrays.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::run(std::env::args_os().skip(1)) {
        Ok(clean) => ExitCode::from(!clean as u8),
        Err(e) => {
            eprintln!("wgsl-sanitizer: {e}");
            ExitCode::from(2)
        }
    }
}
