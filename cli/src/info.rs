//! `wgpu-fft info`: the adapters, and what they can do.

use serde_json::json;
use wgpu_fft::{Gpu, gpu, wgpu};

use crate::Result;
use crate::device::{Device, describe, kind};
use crate::output::bytes;

pub fn run(device: &Device) -> Result<()> {
    let adapters = pollster::block_on(gpu::adapters(&device.options()))?;
    for (i, adapter) in adapters.into_iter().enumerate() {
        let info = adapter.get_info();
        let used = i == 0;
        let opened = pollster::block_on(Gpu::request(&device.options().adapter(adapter)));
        let gpu = match opened {
            Ok(gpu) => gpu,
            Err(error) => {
                let value = json!({ "name": info.name, "backend": info.backend.to_string(), "used": false, "error": error.to_string() });
                device.output.result(&value, || format!("{}\n  cannot be opened: {error}\n", describe(&info)));
                continue;
            }
        };
        let (profile, features) = (gpu.profile(), gpu.device().features());
        let missing = missing(&gpu);
        let value = json!({
            "name": info.name,
            "backend": info.backend.to_string(),
            "type": kind(info.device_type),
            "driver": format!("{} {}", info.driver, info.driver_info).trim(),
            "used": used,
            "f64": profile.f64,
            "f16": features.contains(wgpu::Features::SHADER_F16),
            "int64": profile.int64,
            "subgroups": profile.subgroups,
            "subgroup_sizes": profile.subgroup_sizes,
            "timestamps": profile.timestamps,
            "buffer_bytes": profile.buffer_bytes,
            "binding_bytes": profile.binding_bytes,
            "workgroup_bytes": profile.workgroup_bytes,
            "invocations": profile.invocations,
            "missing": missing,
        });
        device.output.result(&value, || {
            let has = |has: bool| if has { "yes" } else { "no" };
            let mut text = format!("{}{}\n", describe(&info), if used { ", used unless --adapter names another" } else { "" });
            let mut line = |label: &str, value: String| text += &format!("  {label:<18} {value}\n");
            line("driver", format!("{} {}", info.driver, info.driver_info));
            line(
                "largest buffer",
                format!("{}, bound in parts of {}", bytes(profile.buffer_bytes as f64), bytes(profile.binding_bytes as f64)),
            );
            line("workgroups", format!("{} invocations, {} of memory", profile.invocations, bytes(profile.workgroup_bytes.into())));
            let [least, most] = profile.subgroup_sizes;
            let sizes = if least == most { least.to_string() } else { format!("{least} to {most}") };
            line("subgroups", if profile.subgroups { format!("of {sizes}") } else { "no".to_owned() });
            line("f64 in shaders", has(profile.f64).to_owned());
            line("64-bit integers", has(profile.int64).to_owned());
            line("own clock", has(profile.timestamps).to_owned());
            missing.iter().for_each(|what| line("missing", what.clone()));
            text
        });
    }
    Ok(())
}

/// What an adapter lacks, what that means, and how to get it.
fn missing(gpu: &Gpu) -> Vec<String> {
    let (profile, info) = (gpu.profile(), gpu.adapter_info());
    let mut all = Vec::new();
    if info.device_type == wgpu::DeviceType::Cpu {
        all.push("a GPU: if this machine has one, install its Vulkan driver".to_owned());
    }
    if !profile.f64 {
        all.push("f64 in shaders, which some Vulkan drivers have: transforms of f64 take `f64-by-f32` instead".to_owned());
    }
    if !profile.timestamps {
        all.push("a clock on the device: times are those of the host's clock, and include submission".to_owned());
    }
    if profile.invocations == 0 {
        all.push("compute shaders: nothing can be computed".to_owned());
    }
    all
}
