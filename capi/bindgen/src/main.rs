//! Writes the header of the C interface, or with `--check` says whether the one that is there is up
//! to date.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this package lies in capi");
    let header = folder.join("include/wgpu_fft.h");
    let config = match cbindgen::Config::from_file(folder.join("cbindgen.toml")) {
        Ok(config) => config,
        Err(error) => return failed(&error),
    };
    let mut text = Vec::new();
    match cbindgen::Builder::new().with_crate(folder).with_config(config).generate() {
        Ok(bindings) => bindings.write(&mut text),
        Err(error) => return failed(&error.to_string()),
    }
    if std::env::args().nth(1).as_deref() == Some("--check") {
        if std::fs::read(&header).is_ok_and(|present| present == text) {
            return ExitCode::SUCCESS;
        }
        return failed("capi/include/wgpu_fft.h is not what capi/src says: run `cargo run -p wgpu-fft-cbindgen`");
    }
    match std::fs::write(&header, text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&format!("{}: {error}", header.display())),
    }
}

fn failed(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::FAILURE
}
