//! Mistakes of callers, with the numbers in the message.

use wgpu_fft_nufft::Nufft;
use wgpu_fft_nufft::wgpu_fft::{Complex32, Error, Gpu, Planner, View, wgpu};

use crate::support::Device;

pub fn says(error: Error, texts: &[&str]) {
    let text = error.to_string();
    texts.iter().for_each(|part| assert!(text.contains(part), "`{part}` is not in: {text}"));
}

pub fn specifications(device: &Device) {
    let plan = |spec: Nufft| spec.plan(&device.planner).unwrap_err();
    for tolerance in [1e-7, 0.0, -1.0, 0.5, f64::NAN, f64::INFINITY] {
        says(plan(Nufft::type1(10).tolerance(tolerance)), &["the tolerance", "between 1e-6 and 1e-1"]);
    }
    says(plan(Nufft::type1(10).batch(0)), &["batch", "at least 1"]);
    says(plan(Nufft::type2([10, 0])), &["10x0", "at least 1"]);
    says(plan(Nufft::type2([2, 2, 2, 2])), &["4 axes", "1 to 3 axes"]);
    says(plan(Nufft::type2(usize::MAX)), &["cells of an axis", "536870912"]);
    says(plan(Nufft::type1([1 << 15, 1 << 15])), &["fine grid", "bytes"]);
    says(plan(Nufft::type1(100).batch(1 << 40)), &["fine grid", "bytes"]);
}

pub fn points(device: &Device) {
    let plan = Nufft::type1([10, 10]).plan(&device.planner).unwrap();
    says(plan.points(&[&[0.0]]).unwrap_err(), &["takes 2", "1 were given"]);
    says(plan.points(&[&[0.0], &[0.0, 1.0]]).unwrap_err(), &["coordinates", "expected 1", "got 2"]);
    says(plan.points(&[&[0.0, 0.0], &[0.0, f32::NAN]]).unwrap_err(), &["NaN", "point 1 on axis 1"]);
    says(plan.points(&[&[0.0, f32::INFINITY], &[0.0, 0.0]]).unwrap_err(), &["inf", "point 1 on axis 0"]);
    says(plan.alloc_points(1 << 40).unwrap_err(), &["the places of 1099511627776 points", "8796093022208"]);

    let points = plan.points(&[&[0.5; 3], &[0.5; 3]]).unwrap();
    let finer = Nufft::type1([10, 10]).tolerance(1e-2).plan(&device.planner).unwrap();
    says(finer.run(&points, &[Complex32::ONE; 3]).unwrap_err(), &["[20, 20]", "same shape and tolerance"]);
    let other = Planner::new(&pollster::block_on(Gpu::from_adapter(&device.adapter)).unwrap());
    let other = Nufft::type1([10, 10]).plan(&other).unwrap();
    says(other.run(&points, &[Complex32::ONE; 3]).unwrap_err(), &["points", "another device"]);
}

pub fn arrays(device: &Device) {
    let gpu = device.gpu();
    let plan = Nufft::type1([10, 10]).batch(2).plan(&device.planner).unwrap();
    let points = plan.points(&[&[0.5; 3], &[0.5; 3]]).unwrap();
    says(plan.run(&points, &[Complex32::ONE; 3]).unwrap_err(), &["input", "expected 6", "got 3"]);
    let array = |len: usize| gpu.alloc::<Complex32>(len).unwrap();
    let (input, output) = (array(6), array(200));
    says(plan.bind(&points, &array(5), &output).unwrap_err(), &["input", "expected 6", "got 5"]);
    says(plan.bind(&points, &input, &array(199)).unwrap_err(), &["output", "expected 200", "got 199"]);
    says(plan.bind(&points, output.slice(0..6).unwrap(), &output).unwrap_err(), &["input and output are in the same buffer"]);
    let usage = wgpu::BufferUsages::COPY_DST;
    let bare = gpu.device().create_buffer(&wgpu::BufferDescriptor { label: None, size: 48, usage, mapped_at_creation: false });
    says(plan.bind(&points, View::whole(&bare).unwrap(), &output).unwrap_err(), &["input", "STORAGE"]);
    let longer = array(64);
    says(plan.bind(&points, longer.slice(1..7).unwrap(), &output).unwrap_err(), &["input", "offset 8"]);
    let none = plan.alloc_points(0).unwrap();
    says(plan.bind(&none, &input, &output).unwrap_err(), &["the points of 0"]);
    let coordinates = gpu.alloc::<f32>(4).unwrap();
    let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    says(points.set(&mut encoder, &[coordinates.view()]).unwrap_err(), &["takes 2", "1 were given"]);
    says(points.set(&mut encoder, &[coordinates.view(); 2]).unwrap_err(), &["coordinates", "expected 3", "got 4"]);

    let two = Nufft::type2([10, 10]).plan(&device.planner).unwrap();
    says(two.bind(&points, &array(99), &array(3)).unwrap_err(), &["input", "expected 100", "got 99"]);
    says(two.bind(&points, &array(100), &array(4)).unwrap_err(), &["output", "expected 3", "got 4"]);
}

/// On a device that is smaller than the adapter.
pub fn limits(device: &Device) {
    let small = |change: fn(&mut wgpu::Limits)| {
        let mut required_limits = wgpu::Limits::default();
        change(&mut required_limits);
        let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
        let (own, queue) = pollster::block_on(device.adapter.request_device(&descriptor)).unwrap();
        Planner::new(&Gpu::from_wgpu(own, queue))
    };
    let few = small(|limits| limits.max_storage_buffers_per_shader_stage = 4);
    says(Nufft::type1(10).plan(&few).unwrap_err(), &["max_storage_buffers_per_shader_stage is 4", "needs 7"]);
    let short = small(|limits| limits.max_storage_buffer_binding_size = 1 << 16);
    says(Nufft::type1([50, 50]).plan(&short).unwrap_err(), &["fine grid [100, 100] of 1", "80000", "65536"]);
    let plan = Nufft::type1(64).batch(4).plan(&short).unwrap();
    says(plan.alloc_points(1 << 15).unwrap_err(), &["the places of 32768 points (bytes) needs 131072"]);
    let points = plan.alloc_points(1 << 13).unwrap();
    let (input, output) = (short.gpu().alloc::<Complex32>(4 << 13).unwrap(), short.gpu().alloc::<Complex32>(256).unwrap());
    says(plan.bind(&points, &input, &output).unwrap_err(), &["strengths of 8192 points in 4 transforms", "262144"]);
}
