//! The two validators of WGSL: naga, which wgpu uses, and tint, which Chromium uses. Each accepts
//! texts that the other rejects.

use std::fmt::Display;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

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

/// Texts for tint, by names. It takes a third of a second to begin, so it gets all of a test at once.
#[derive(Default)]
pub struct Tint {
    names: Vec<String>,
    texts: Vec<String>,
}

impl Tint {
    /// Adds a text, with the line for subgroups that tint requires and naga rejects.
    pub fn add(&mut self, name: &dyn Display, wgsl: &str) {
        self.names.push(name.to_string());
        self.texts.push(format!("{}{wgsl}", if uses_subgroups(wgsl) { "enable subgroups;\n" } else { "" }));
    }

    /// What tint says against each text. Without tint it prints what is skipped, and fails if
    /// WGPU_FFT_REQUIRE_TINT=1 demands tint.
    fn errors(&self, what: &str) -> Option<Vec<String>> {
        let web = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("web");
        if !web.join("node_modules/webgpu").exists() {
            assert!(std::env::var("WGPU_FFT_REQUIRE_TINT").is_err(), "WGPU_FFT_REQUIRE_TINT=1, and web/node_modules has no webgpu");
            // Written directly to stderr, because the test harness would hide it.
            let _ = writeln!(std::io::stderr(), "SKIPPED: {what} by tint: run `npm ci` in web (CONTRIBUTING.md)");
            return None;
        }
        let (input, output) = (Stdio::piped(), Stdio::piped());
        let mut node = Command::new("node").arg(web.join("tint.js")).stdin(input).stdout(output).spawn().expect("node 20");
        node.stdin.take().unwrap().write_all(serde_json::to_string(&self.texts).unwrap().as_bytes()).expect("tint.js reads all texts");
        let output = node.wait_with_output().unwrap();
        assert!(output.status.success(), "tint.js: {}", output.status);
        let errors: Vec<String> = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(errors.len(), self.texts.len());
        Some(errors)
    }

    /// Fails if tint rejects one of the texts.
    pub fn accepts(&self, what: &str) {
        let errors = self.errors(what).unwrap_or_default();
        let rejected = self.names.iter().zip(&errors).find(|(_, error)| !error.is_empty());
        assert_eq!(rejected, None, "{what}");
    }
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
    let mut tint = Tint::default();
    tint.add(&"early return", early_return);
    tint.add(&"nothing", "@compute @workgroup_size(1) fn main() {}");
    if let Some(errors) = tint.errors("uniformity") {
        assert!(errors[0].contains("must only be called from uniform control flow"), "{errors:?}");
        assert_eq!(errors[1], "");
    }
}
