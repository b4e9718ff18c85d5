//! Translates WGSL as wgpu 30 would for Direct3D and Metal, for scripts/hlsl.sh: the lines of
//! `measure reach --texts DEVICE --json` come in, and each text goes into a file of its own.
//!
//! `wgpu-fft-translate fxc|dxc|metal FOLDER <LINES >INDEX`
//!
//! A line of the index is an object: `spec`, `step`, and `file`, whose text may be that of an earlier
//! line, or `error`. What naga is told is what wgpu-hal tells it: `create_pipeline_layout` and
//! `load_shader` in its src/dx12/device.rs and src/metal/device.rs.

use std::collections::HashMap;
use std::error::Error;
use std::io::{BufRead, stdin};
use std::path::Path;

use naga::back::{hlsl, msl};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Module, ResourceBinding, ShaderStage};
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const ENTRY: (ShaderStage, &str) = (ShaderStage::Compute, "main");

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [compiler, folder] = &arguments[..] else { return Err("usage: wgpu-fft-translate fxc|dxc|metal FOLDER".into()) };
    let mut files: HashMap<String, String> = HashMap::new();
    for line in stdin().lock().lines() {
        let line: Value = serde_json::from_str(&line?)?;
        let mut index = json!({ "spec": line["spec"], "recipe": line["recipe"], "step": line["step"] });
        if !line["error"].is_null() {
            index["unplanned"] = line["error"].clone();
        } else {
            match translated(compiler, &line) {
                Err(error) => index["error"] = json!(format!("naga: {error}")),
                Ok(text) => {
                    let ending = if compiler == "metal" { "metal" } else { "hlsl" };
                    let name = format!("{:04}.{ending}", files.len());
                    index["lines"] = json!(text.lines().count());
                    if !files.contains_key(&text) {
                        std::fs::write(Path::new(folder).join(&name), &text)?;
                    }
                    index["file"] = json!(files.entry(text).or_insert(name));
                }
            }
        }
        println!("{index}");
    }
    Ok(())
}

fn translated(compiler: &str, line: &Value) -> Result<String> {
    let wgsl = line["wgsl"].as_str().ok_or("a line has no text")?;
    let module = naga::front::wgsl::parse_str(wgsl)?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module)?;
    let overrides = line["overrides"].as_object().ok_or("a line has no overrides")?;
    let overrides = overrides.iter().filter_map(|(name, value)| Some((name.clone(), value.as_f64()?))).collect();
    let (module, info) = naga::back::pipeline_constants::process_overrides(&module, &info, Some(ENTRY), &overrides)?;
    // The parameters, and then what the dispatch binds.
    let mut binds = vec![(0, "uniform")];
    for bind in line["binds"].as_array().ok_or("a line has no bindings")? {
        let binding = bind[0].as_u64().ok_or("a binding has no number")?;
        binds.push((u32::try_from(binding)?, bind[1].as_str().ok_or("a binding has no access")?));
    }
    let checked = line["proven"] != json!(true);
    match compiler {
        "fxc" => to_hlsl(&module, &info, &binds, checked, hlsl::ShaderModel::V5_1),
        "dxc" => to_hlsl(&module, &info, &binds, checked, hlsl::ShaderModel::V6_6),
        "metal" => to_msl(&module, &info, &binds, checked),
        _ => Err(format!("there is no compiler {compiler}").into()),
    }
}

fn to_hlsl(module: &Module, info: &ModuleInfo, binds: &[(u32, &str)], checked: bool, shader_model: hlsl::ShaderModel) -> Result<String> {
    let mut options = hlsl::Options {
        shader_model,
        fake_missing_bindings: false,
        zero_initialize_workgroup_memory: false,
        restrict_indexing: checked,
        force_loop_bounding: checked,
        ..hlsl::Options::default()
    };
    // Registers of uniforms, of what is only read, and of the rest are counted apart.
    let [mut uniforms, mut read, mut written] = [hlsl::BindTarget::default(); 3];
    for &(binding, access) in binds {
        let target = match access {
            "uniform" => &mut uniforms,
            "read" => &mut read,
            _ => &mut written,
        };
        options.binding_map.insert(ResourceBinding { group: 0, binding }, *target);
        target.register += 1;
    }
    options.special_constants_binding = Some(uniforms);
    let pipeline = hlsl::PipelineOptions { entry_point: Some((ENTRY.0, ENTRY.1.to_owned())) };
    let mut text = String::new();
    let names = hlsl::Writer::new(&mut text, &options, &pipeline).write(module, info, None)?.entry_point_names;
    expect_main(names.into_iter().next(), "main")?;
    Ok(text)
}

fn to_msl(module: &Module, info: &ModuleInfo, binds: &[(u32, &str)], checked: bool) -> Result<String> {
    let mut resources = msl::EntryPointResources::default();
    for (slot, &(binding, access)) in (0..).zip(binds) {
        let target = msl::BindTarget { buffer: Some(slot), mutable: access == "write", ..msl::BindTarget::default() };
        resources.resources.insert(ResourceBinding { group: 0, binding }, target);
    }
    resources.sizes_buffer = Some(u8::try_from(binds.len())?);
    let policy = if checked { BoundsCheckPolicy::Restrict } else { BoundsCheckPolicy::Unchecked };
    let options = msl::Options {
        lang_version: (3, 1),
        per_entry_point_map: [(ENTRY.1.to_owned(), resources)].into(),
        fake_missing_bindings: false,
        bounds_check_policies: BoundsCheckPolicies {
            index: policy,
            buffer: policy,
            image_load: policy,
            binding_array: BoundsCheckPolicy::Unchecked,
        },
        zero_initialize_workgroup_memory: false,
        force_loop_bounding: checked,
        ..msl::Options::default()
    };
    let pipeline = msl::PipelineOptions {
        entry_point: Some((ENTRY.0, ENTRY.1.to_owned())),
        vertex_pulling_transform: true,
        ..msl::PipelineOptions::default()
    };
    let (text, written) = msl::write_string(module, info, &options, &pipeline)?;
    expect_main(written.entry_point_names.into_iter().next(), "main_")?;
    Ok(text)
}

/// The compilers are told one name for all texts.
fn expect_main<E: Error + 'static>(name: Option<std::result::Result<String, E>>, expected: &str) -> Result<()> {
    let name = name.ok_or("nothing was written")??;
    if name == expected { Ok(()) } else { Err(format!("the entry point is called {name}").into()) }
}
