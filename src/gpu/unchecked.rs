//! All unsafe calls of the crate, each with the reason why it is sound.
#![allow(unsafe_code)]

use super::saved::Saved;

/// Creates a pipeline cache, with what an earlier one held.
pub(super) fn create_pipeline_cache(device: &wgpu::Device, saved: Option<Saved<'_>>) -> wgpu::PipelineCache {
    // An error, so that the reason is known; the caller then asks for an empty one.
    let fallback = false;
    let descriptor = wgpu::PipelineCacheDescriptor { label: Some("wgpu-fft"), data: saved.map(Saved::data), fallback };
    // SAFETY: `data` must come from `wgpu::PipelineCache::get_data`. A `Saved` is made by
    // `saved::parse` alone, which accepts only what `saved::file` wrote: the result of `get_data`,
    // under our magic number and version, with its length and checksum unhurt, from an adapter and
    // driver equal in every respect that wgpu reports. wgpu compares besides the driver's version
    // and the size of a pointer. What is left is a file forged on purpose;
    // `GpuOptions::pipeline_cache` asks for a directory where nobody else may write, as programs do
    // for the libraries that they load.
    unsafe { device.create_pipeline_cache(&descriptor) }
}

/// Creates a shader module that wgpu adds no bounds checks and no loop counters to.
pub(super) fn create_shader_module(device: &wgpu::Device, descriptor: wgpu::ShaderModuleDescriptor<'_>) -> wgpu::ShaderModule {
    let checks = wgpu::ShaderRuntimeChecks { bounds_checks: false, force_loop_bounding: false, ..wgpu::ShaderRuntimeChecks::checked() };
    // SAFETY: The shader must stay inside its arrays, and its loops must end. Only text of a
    // `Dispatch` that is `proven` gets here, which this crate made: `Spec` is sealed, and nobody
    // else builds programs: `low_level::dispatches_mut` changes programs that no plan runs, because
    // a plan lowers its own. `src/fft/lower.rs` alone proves dispatches, those of `fft/pass`, which
    // has no loop of its own. Of fragments of a caller's, `fragment::proof` proves on naga's IR
    // that loops end, that only their variables are stored to, and that nothing is indexed by a
    // value that is not constant; their arrays are read through a clamp, and no name of theirs can
    // stand for one of ours or of WGSL's (`fragment::source`). The arrays of these dispatches are
    // bound in full or in the parts that `fft::bindings::parts` cuts, which compares the largest
    // place that any line touches with the array's size; `View::check` compares the caller's arrays
    // with the program's, and wgpu the bindings with the buffers.
    // No dispatch with a texture is proven, since nothing compares the size of a view of another
    // instance.
    // Lines past the last compute what the last one does, and store nothing. Places in workgroup
    // memory are below the number of elements that `fft::banks` or `mirror_images` made room for,
    // which is what the text declares; roots are indexed as src/fft/roots.rs lays them out, by j
    // mod p, by k·m < n, and by positions below a limit. Every text that a recipe of the tests
    // reaches runs under wgsl-sanitizer, which looks for indices outside of their arrays and loops
    // without end: `every_text_is_clean_in_every_order` in tests/host/texts.rs, and with random
    // specifications and recipes tests/random.
    unsafe { device.create_shader_module_trusted(descriptor, checks) }
}
