//! The kernels that the tuner's own tests tune.

use wgpu_fft::wgpu;

use crate::harness::*;
use crate::paper_kernels::PaperKernel;

/// Runs a kernel in workgroups of every shape that the device allows.
fn every_shape(device: &Device, kernel: &PaperKernel) {
    let gpu = device.gpu();
    let inputs = kernel.inputs(1);
    let expected = kernel.reference(&inputs);
    let on_device: Vec<_> = inputs.iter().map(|input| gpu.upload(input).unwrap()).collect();
    let shapes = kernel.shapes(gpu.profile());
    // All powers of two whose product is at most 256, or what the device allows.
    let powers = gpu.profile().invocations.min(256).ilog2() as usize + 1;
    assert!(shapes.contains(&[1, 1]) && shapes.len() >= powers * (powers + 1) / 2, "{}: {shapes:?}", device.name);
    for shape in shapes {
        let output = gpu.upload(&vec![f32::NAN; kernel.output_len()]).unwrap();
        let prepared = kernel.prepare(gpu, shape, &on_device, &output).unwrap();
        gpu.submit(|encoder| {
            prepared.record(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
            Ok(())
        })
        .unwrap();
        let actual = gpu.download(&output).unwrap().wait().unwrap();
        for (place, (&actual, &expected)) in actual.iter().zip(&expected).enumerate() {
            // A NaN is an element that nobody wrote, and is not near anything.
            let near = f64::from((actual - expected).abs()) <= kernel.error_bound();
            assert!(near, "{}: {} in workgroups of {shape:?}: element {place} is {actual}, expected {expected}", device.name, kernel.name);
        }
    }
}

pub fn the_product_is_right_in_every_shape(device: &Device) {
    every_shape(&device.alone(), &PaperKernel::matrix_product([61, 53], 47));
}

pub fn the_resize_is_right_in_every_shape(device: &Device) {
    for picture in [[40, 75], [1, 1]] {
        every_shape(&device.alone(), &PaperKernel::bilinear_resize([61, 53], picture));
    }
}
