//! Transforms in shaders of one's own, on the devices.

use wgpu_fft::wgpu;
use wgpu_fft::wgpu::util::DeviceExt;

use crate::harness::{Device, pipeline_on};
use crate::inlines::{CASES, strangers};

/// Runs a text as a program of one's own would.
fn run(device: &Device, wgsl: &str, arrays: &[&[u8]], groups: u32) -> Vec<u8> {
    let gpu = device.gpu();
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
    let make = |data: &&[u8]| gpu.device().create_buffer_init(&wgpu::util::BufferInitDescriptor { label: None, contents: data, usage });
    let buffers: Vec<wgpu::Buffer> = arrays.iter().map(make).collect();
    let (pipeline, bind_group) = pipeline_on(gpu, wgsl, &buffers.iter().collect::<Vec<_>>());
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
