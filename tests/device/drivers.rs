//! What kernels of this crate would like to rely on, whether a driver has it or not. Those that
//! fail are in [`known`](crate::known).

use wgpu_fft::wgpu;

use crate::harness::*;

/// A loop ends where its condition says, and not earlier.
pub fn loops_of_many_turns_end_where_they_should(device: &Device) {
    const TURNS: u32 = 100_000;
    let gpu = device.gpu();
    let wgsl = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(1)
        fn main() {
            let turns = data[0];
            var x = data[1];
            for (var i = 0u; i < turns; i++) { x = x * 1664525u + (x >> 16u) + i; }
            data[1] = x;
        }";
    let data = gpu.upload(&[TURNS, 1u32]).unwrap();
    let (pipeline, group) = pipeline_on(gpu, wgsl, &[data.buffer()]);
    gpu.submit(|encoder| {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
        Ok(())
    })
    .unwrap();
    let expected = (0..TURNS).fold(1u32, |x, i| x.wrapping_mul(1_664_525).wrapping_add(x >> 16).wrapping_add(i));
    assert_eq!(gpu.download(&data).unwrap().wait().unwrap()[1], expected, "{}", device.name);
}
