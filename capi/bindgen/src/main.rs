//! Writes the headers of the C interfaces, or with `--check` says whether those that are there are up to
//! date.

use std::path::Path;
use std::process::ExitCode;

/// The folder of a library, and its header there.
const HEADERS: [(&str, &str); 2] = [("", "include/wgpu_fft.h"), ("mpi", "include/wgpu_fft_mpi.h")];

fn main() -> ExitCode {
    let check = std::env::args().nth(1).as_deref() == Some("--check");
    for (folder, header) in HEADERS {
        if let Err(why) = made(folder, header, check) {
            eprintln!("{why}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn made(folder: &str, header: &str, check: bool) -> Result<(), String> {
    let capi = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this package lies in capi");
    let folder = capi.join(folder);
    let header = folder.join(header);
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml"))?;
    let mut text = Vec::new();
    let bindings = cbindgen::Builder::new().with_crate(&folder).with_config(config).generate();
    bindings.map_err(|error| error.to_string())?.write(&mut text);
    if !check {
        return std::fs::write(&header, text).map_err(|error| format!("{}: {error}", header.display()));
    }
    if std::fs::read(&header).is_ok_and(|present| present == text) {
        return Ok(());
    }
    Err(format!("{} is not what the source says: run `cargo run -p wgpu-fft-cbindgen`", header.display()))
}
