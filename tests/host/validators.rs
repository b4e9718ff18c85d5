//! The two validators of WGSL: naga, which wgpu uses, and tint, which Chromium uses. Each accepts
//! texts that the other rejects.

use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

/// Names of optional features in kernels. tint does not support 64-bit numbers.
const INT64: &str = "u64";
const F64: &str = "f64";
const SUBGROUP: [&str; 2] = ["subgroup_invocation_id", "subgroupShuffle"];

fn uses_subgroups(wgsl: &str) -> bool {
    SUBGROUP.iter().any(|word| wgsl.contains(word))
}

/// Whether tint supports everything that the text uses.
pub fn known_to_tint(wgsl: &str) -> bool {
    !wgsl.contains(INT64) && !wgsl.contains(F64)
}

/// Parses and validates with naga, as wgpu does, with the optional features that the text uses.
pub fn naga(wgsl: &str) -> Result<(naga::Module, ModuleInfo), String> {
    let optional = |used, capability| if used { capability } else { Capabilities::empty() };
    let capabilities = Capabilities::SHADER_FLOAT16_IN_FLOAT32
        | optional(wgsl.contains(INT64), Capabilities::SHADER_INT64)
        | optional(wgsl.contains(F64), Capabilities::FLOAT64)
        | optional(uses_subgroups(wgsl), Capabilities::SUBGROUP);
    let module = naga::front::wgsl::parse_str(wgsl).map_err(|error| error.emit_to_string(wgsl))?;
    let info = Validator::new(ValidationFlags::all(), capabilities).validate(&module).map_err(|error| error.emit_to_string(wgsl))?;
    Ok((module, info))
}

/// The command for tint, if it is installed: `$TINT`, or `tint` on the path.
pub fn find_tint() -> Option<String> {
    let command = std::env::var("TINT").unwrap_or_else(|_| "tint".to_owned());
    Command::new(&command).arg("--help").output().ok().map(|_| command)
}

/// The command for tint. Without tint, prints what is skipped.
pub fn tint_or_skip(what: &str) -> Option<String> {
    let found = find_tint();
    if found.is_none() {
        // Written directly to stderr, because the test harness would hide it.
        let _ = writeln!(std::io::stderr(), "SKIPPED: {what} by tint, which is not installed (see CONTRIBUTING.md)");
    }
    found
}

/// Validates with tint, which requires a line for subgroups that naga rejects.
pub fn tint(command: &str, wgsl: &str) -> Result<(), String> {
    let wgsl = format!("{}{wgsl}", if uses_subgroups(wgsl) { "enable subgroups;\n" } else { "" });
    let path: PathBuf = std::env::temp_dir().join(format!("wgpu-fft-{}-{:?}.wgsl", std::process::id(), std::thread::current().id()));
    std::fs::write(&path, wgsl).map_err(|error| error.to_string())?;
    let output = Command::new(command).args(["--format", "wgsl", "-o"]).arg(path.with_extension("out")).arg(&path).output();
    let _ = (std::fs::remove_file(&path), std::fs::remove_file(path.with_extension("out")));
    let output = output.map_err(|error| error.to_string())?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

#[test]
fn validators_reject_what_is_wrong() {
    assert!(naga("fn f() -> u32 { return 1.5; }").is_err());
    let early_return = "
        var<workgroup> shared_value: u32;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) t: u32) {
            if (t > 3u) { return; }
            workgroupBarrier();
            shared_value = t;
        }";
    assert!(naga(early_return).is_ok(), "naga has learned uniformity: the rule in shaders/README.md can say so");
    if let Some(command) = tint_or_skip("uniformity") {
        assert!(tint(&command, early_return).unwrap_err().contains("uniform"));
        assert_eq!(tint(&command, "@compute @workgroup_size(1) fn main() {}"), Ok(()));
    }
}
