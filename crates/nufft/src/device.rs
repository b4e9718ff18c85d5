//! Kernels and dispatches on a device, with errors of wgpu as results.

use bytemuck::Pod;
use wgpu_fft::{Cause, DeviceBuffer, DeviceProfile, Element, Error, Gpu, Result, View, wgpu};

use crate::kernels::SIZE;

/// Runs `work`, and returns the first error that wgpu reports for it.
pub(crate) fn caught<T>(gpu: &Gpu, during: &'static str, work: impl FnOnce() -> T) -> Result<T> {
    let device = gpu.device();
    let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
    let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let value = work();
    // The innermost scope ends first. These futures are ready at once.
    let errors = [validation, internal, memory].map(|scope| pollster::block_on(scope.pop()));
    match errors.into_iter().flatten().next() {
        None => Ok(value),
        Some(wgpu::Error::OutOfMemory { .. }) => Err(Error::OutOfMemory { during, bytes: 0 }),
        Some(error) if gpu.is_lost() => Err(Error::DeviceLost { during, message: error.to_string() }),
        Some(error) => Err(Error::Wgpu { during, source: Cause::new(error) }),
    }
}

/// A compiled kernel.
#[derive(Debug)]
pub(crate) struct Kernel {
    pipeline: wgpu::ComputePipeline,
    name: &'static str,
}

impl Kernel {
    pub fn new(gpu: &Gpu, name: &'static str, text: &str) -> Result<Self> {
        let device = gpu.device();
        let pipeline = caught(gpu, "compiling a kernel", || {
            let source = wgpu::ShaderSource::Wgsl(text.into());
            let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(name), source });
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(name),
                layout: None,
                module: &module,
                entry_point: Some("main"),
                // All workgroup memory is written before it is read.
                compilation_options: wgpu::PipelineCompilationOptions { zero_initialize_workgroup_memory: false, ..Default::default() },
                cache: None,
            })
        })?;
        Ok(Self { pipeline, name })
    }

    /// The kernel on these arrays, by binding.
    pub fn on(&self, gpu: &Gpu, bindings: &[(u32, wgpu::BindingResource<'_>)], groups: [u32; 3]) -> Result<Dispatch> {
        let entries: Vec<_> =
            bindings.iter().map(|(binding, resource)| wgpu::BindGroupEntry { binding: *binding, resource: resource.clone() }).collect();
        let bind_group = caught(gpu, "binding arrays", || {
            let layout = self.pipeline.get_bind_group_layout(0);
            gpu.device().create_bind_group(&wgpu::BindGroupDescriptor { label: Some(self.name), layout: &layout, entries: &entries })
        })?;
        Ok(Dispatch { pipeline: self.pipeline.clone(), bind_group, groups, name: self.name })
    }
}

/// A kernel with its arrays.
#[derive(Debug)]
pub(crate) struct Dispatch {
    pipeline: wgpu::ComputePipeline,
    bind_group: wgpu::BindGroup,
    groups: [u32; 3],
    name: &'static str,
}

impl Dispatch {
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some(self.name), timestamp_writes: None });
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bind_group, &[]);
        let [x, y, z] = self.groups;
        pass.dispatch_workgroups(x, y, z);
    }
}

/// Workgroups for so many items of one invocation each, `batch` times.
pub(crate) fn groups_for(profile: &DeviceProfile, items: u64, batch: u32) -> Result<[u32; 3]> {
    spread_groups(profile, items.div_ceil(u64::from(SIZE)), batch)
}

/// So many workgroups, along two axes where one is too short. There may be more than were asked
/// for.
pub(crate) fn spread_groups(profile: &DeviceProfile, groups: u64, batch: u32) -> Result<[u32; 3]> {
    let most = u64::from(profile.groups_per_axis);
    let x = groups.clamp(1, most);
    let y = groups.div_ceil(x).max(1);
    for required in [y, batch.into()] {
        if required > most {
            let what = "workgroups of a dispatch".to_owned();
            return Err(Error::LimitExceeded { what, limit: "max_compute_workgroups_per_dimension", required, available: most });
        }
    }
    Ok([x as u32, y as u32, batch])
}

/// A uniform with these words.
pub(crate) fn uniform<T: Pod>(gpu: &Gpu, words: &T) -> Result<wgpu::Buffer> {
    let bytes = bytemuck::bytes_of(words);
    caught(gpu, "allocation", || {
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
            label: Some("nufft"),
            size: bytes.len() as u64,
            usage,
            mapped_at_creation: true,
        });
        if let Ok(mut range) = buffer.get_mapped_range_mut(..) {
            range.copy_from_slice(bytes);
        }
        buffer.unmap();
        buffer
    })
}

/// A whole array as a binding.
pub(crate) fn whole<T: Element>(array: &DeviceBuffer<T>) -> wgpu::BindingResource<'_> {
    array.buffer().as_entire_binding()
}

/// The caller's array as a binding, after it has been checked.
pub(crate) fn checked<'a, T: Element>(
    gpu: &Gpu,
    argument: &'static str,
    view: View<'a, T>,
    expected: usize,
) -> Result<wgpu::BindingResource<'a>> {
    let required = wgpu::BufferUsages::STORAGE;
    let actual = view.buffer().usage();
    if view.len() != expected {
        return Err(Error::WrongLen { argument, expected, actual: view.len() });
    }
    if !actual.contains(required) {
        return Err(Error::MissingUsage { argument, required, actual });
    }
    let alignment = u64::from(gpu.profile().storage_alignment);
    if !view.offset_bytes().is_multiple_of(alignment) {
        return Err(Error::Misaligned { argument, offset_bytes: view.offset_bytes(), alignment });
    }
    let size = std::num::NonZeroU64::new(view.len_bytes());
    Ok(wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer: view.buffer(), offset: view.offset_bytes(), size }))
}
