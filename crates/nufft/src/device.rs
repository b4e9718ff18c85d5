//! Kernels and dispatches on a device, by what the core offers for kernels of others.

use bytemuck::Pod;
use wgpu_fft::low_level::kernel::pipeline;
pub(crate) use wgpu_fft::low_level::kernel::{binding, caught};
use wgpu_fft::{DeviceBuffer, DeviceProfile, Element, Error, Gpu, Planner, Result, wgpu};

use crate::kernels::{SIZE, Texts};

/// A compiled kernel, which plans of one planner share if their texts are equal.
#[derive(Debug)]
pub(crate) struct Kernel {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    name: &'static str,
}

impl Kernel {
    /// The kernel of that name.
    pub fn new(planner: &Planner, texts: &Texts, name: &'static str) -> Result<Self> {
        // All workgroup memory is written before it is read.
        let (pipeline, layout) = pipeline(planner, name, &texts.text(name))?;
        Ok(Self { pipeline, layout, name })
    }

    /// The kernel on these arrays, by binding.
    pub fn on(&self, gpu: &Gpu, bindings: &[(u32, wgpu::BindingResource<'_>)], groups: [u32; 3]) -> Result<Dispatch> {
        let entries: Vec<_> =
            bindings.iter().map(|(binding, resource)| wgpu::BindGroupEntry { binding: *binding, resource: resource.clone() }).collect();
        let descriptor = wgpu::BindGroupDescriptor { label: Some(self.name), layout: &self.layout, entries: &entries };
        let bind_group = caught(gpu, "binding arrays", || gpu.device().create_bind_group(&descriptor))?;
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
    pub fn name(&self) -> &'static str {
        self.name
    }

    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bind_group, &[]);
        let [x, y, z] = self.groups;
        pass.dispatch_workgroups(x, y, z);
    }
}

/// A pass without timestamps.
pub(crate) fn begin_pass(encoder: &mut wgpu::CommandEncoder) -> wgpu::ComputePass<'_> {
    encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some("nufft"), timestamp_writes: None })
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
    wgpu_fft::low_level::kernel::uniform(gpu, "nufft", bytemuck::bytes_of(words))
}

/// A whole array as a binding.
pub(crate) fn whole<T: Element>(array: &DeviceBuffer<T>) -> wgpu::BindingResource<'_> {
    array.buffer().as_entire_binding()
}
