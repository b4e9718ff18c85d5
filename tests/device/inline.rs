//! Transforms in shaders of one's own, on the devices.

use wgpu_fft::wgpu;
use wgpu_fft::wgpu::util::DeviceExt;

use crate::harness::Device;
use crate::inlines::{CASES, strangers};

/// Runs a text as a program of one's own would.
fn run(device: &Device, wgsl: &str, arrays: &[&[u8]], groups: u32) -> Vec<u8> {
    let gpu = device.gpu();
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
    let make = |data: &&[u8]| gpu.device().create_buffer_init(&wgpu::util::BufferInitDescriptor { label: None, contents: data, usage });
    let buffers: Vec<wgpu::Buffer> = arrays.iter().map(make).collect();
    let source = wgpu::ShaderSource::Wgsl(wgsl.into());
    let module = gpu.device().create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
    let pipeline = gpu.device().create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let entries: Vec<_> =
        buffers.iter().zip(0..).map(|(buffer, binding)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() }).collect();
    let layout = &pipeline.get_bind_group_layout(0);
    let bind_group = gpu.device().create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries });
    gpu.submit(|encoder| {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &bind_group, &[]);
        pass.dispatch_workgroups(groups, 1, 1);
        Ok(())
    })
    .unwrap();
    gpu.download(wgpu_fft::View::<u8>::whole(&buffers[0]).unwrap()).unwrap().wait().unwrap()
}

pub fn transforms_inside_other_shaders(device: &Device) {
    let own = device.alone();
    let profile = own.gpu().profile();
    let fits = CASES.iter().filter(|case| (profile.f64 || !case.is_f64) && profile.workgroup_bytes >= 32_768);
    for case in device.share(fits, 2, 0) {
        case.check(&|wgsl, arrays, groups| run(&own, wgsl, arrays, groups));
    }
}

pub fn shaders_of_strangers(device: &Device) {
    let own = device.alone();
    for stranger in strangers() {
        stranger.check(&|wgsl, arrays, groups| run(&own, wgsl, arrays, groups));
    }
}
