//! Every unsafe call of the crate, with the reason why it is sound.
#![allow(unsafe_code)]

use super::cache::Saved;

/// Creates a pipeline cache, with what an earlier one held.
pub(super) fn create_pipeline_cache(device: &wgpu::Device, saved: Option<Saved<'_>>) -> wgpu::PipelineCache {
    // An error, so that the reason is known; the caller then asks for an empty one.
    let fallback = false;
    let descriptor = wgpu::PipelineCacheDescriptor { label: Some("wgpu-fft"), data: saved.map(Saved::data), fallback };
    // SAFETY: `data` must come from `wgpu::PipelineCache::get_data`. A `Saved` is made by `cache::parse` alone, which accepts only what `cache::file` wrote:
    // the result of `get_data`, under our magic number and version, with its length and checksum unhurt, from an adapter and driver equal in every respect that
    // wgpu reports. wgpu compares besides the driver's version and the size of a pointer. What is left is a file forged on purpose;
    // `GpuOptions::pipeline_cache` asks for a directory where nobody else may write, as programs do for the libraries that they load.
    unsafe { device.create_pipeline_cache(&descriptor) }
}

/// Creates a shader module that wgpu adds no bounds checks and no loop counters to.
pub(super) fn create_shader_module(device: &wgpu::Device, descriptor: wgpu::ShaderModuleDescriptor<'_>) -> wgpu::ShaderModule {
    let checks = wgpu::ShaderRuntimeChecks { bounds_checks: false, force_loop_bounding: false, ..wgpu::ShaderRuntimeChecks::checked() };
    // SAFETY: The shader must stay inside its arrays, and its loops must end. The kernels of this crate do, for every dispatch that `Spec::lower` makes:
    // they compare what they index with the lengths in `Params`, or guard it with `live`; bindings hold those lengths, since `Program::check` compares arrays,
    // and `View::check` the caller's views, with the program; places in workgroup memory are below the size that the recipe was checked for; roots of unity are
    // indexed below n - 1, the table's length. Loops halve or double an index, or step by a number of invocations, which is at least 1.
    // Shaders of a `Spec` outside this crate get here too, and no check can vouch for them. That is why this is reached only if the process
    // was started with WGPU_FFT_TRUSTED=1 (from inside a process, setting a variable is unsafe): who sets it answers for every shader.
    unsafe { device.create_shader_module_trusted(descriptor, checks) }
}
