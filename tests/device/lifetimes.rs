//! Plans over time: new buffers, threads, borrowed devices, small devices, awaiting.

use wgpu_fft::dynamic::AnySpec;
use wgpu_fft::fft::C2c;
use wgpu_fft::low_level;
use wgpu_fft::reduce;
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Complex32, DeviceBuffer, Error, Gpu, GpuOptions, Planner, View, half, wgpu};

use crate::harness::*;

/// Another library caches bind groups by the buffer's address and returns the data of a buffer that
/// has been freed.
pub fn fresh_buffers_give_fresh_results(device: &Device) {
    let plan = device.planner.plan(C2c::forward(256)).unwrap();
    for seed in 0..20 {
        let input = complex_noise(256, seed);
        let output = plan.run(&input).unwrap().wait().unwrap();
        assert_close(&output, &reference_fft(&input, 1, 256, false), fft_budget(256), &device.name);
    }
}

/// Another library gives wrong results after its batch has grown.
pub fn batches_of_different_sizes_do_not_mix(device: &Device) {
    for batch in [1, 7, 2, 30, 1] {
        let input = complex_noise(batch * 64, batch as u64);
        let output = device.planner.plan(C2c::forward(64).batch(batch)).unwrap().run(&input).unwrap().wait().unwrap();
        assert_close(&output, &reference_fft(&input, 1, 64, false), fft_budget(64), &device.name);
    }
}

pub fn the_same_plan_is_made_once(device: &Device) {
    let planner = Planner::new(device.gpu());
    let first = planner.plan(C2c::forward([32, 16])).unwrap();
    assert!(std::sync::Arc::ptr_eq(&first, &planner.plan(C2c::forward([32, 16])).unwrap()));
    assert!(std::sync::Arc::ptr_eq(&first, &planner.plan(C2c::forward([32, 16]).axes([1, 0])).unwrap()));
    assert!(!std::sync::Arc::ptr_eq(&first, &planner.plan(C2c::forward([32, 16]).batch(2)).unwrap()));
    planner.clear();
    assert!(!std::sync::Arc::ptr_eq(&first, &planner.plan(C2c::forward([32, 16])).unwrap()));
}

/// One plan is recorded twice into one pass, in the caller's own encoder. Its second run transforms
/// the output of the first.
pub fn bound_plans_chain_in_the_callers_pass(device: &Device) {
    let gpu = device.gpu();
    let plan = device.planner.plan(C2c::forward([64, 32])).unwrap();
    let input = complex_noise(64 * 32, 3);
    let (a, b, c) = (gpu.upload(&input).unwrap(), gpu.alloc(64 * 32).unwrap(), gpu.alloc(64 * 32).unwrap());
    let (first, second) = (plan.bind(&a, &b).unwrap(), plan.bind(&b, &c).unwrap());
    let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        first.record(&mut pass);
        second.record(&mut pass);
    }
    gpu.queue().submit([encoder.finish()]);
    // Two forward transforms give n times the reversed array.
    let output = gpu.download(&c).unwrap().wait().unwrap();
    let backwards = |i: usize| wide(&input)[(64 - i / 32) % 64 * 32 + (32 - i % 32) % 32] * (64.0 * 32.0);
    let expected: Vec<_> = (0..64 * 32).map(backwards).collect();
    assert_close(&output, &expected, 2.0 * fft_budget(64 * 32), &device.name);
}

pub fn threads_share_a_planner(device: &Device) {
    std::thread::scope(|scope| {
        for seed in 0..4 {
            scope.spawn(move || {
                for n in [32usize, 64, 128] {
                    let input = complex_noise(n * 8, seed);
                    let output = device.planner.plan(C2c::forward(n).batch(8)).unwrap().run(&input).unwrap().wait().unwrap();
                    assert_close(&output, &reference_fft(&input, 1, n, false), fft_budget(n), &device.name);
                }
            });
        }
    });
}

pub fn results_can_be_awaited_together(device: &Device) {
    let plan = device.planner.plan(reduce::sum::<u32>(5000)).unwrap();
    let sums = pollster::block_on(async {
        let pending: Vec<_> = (0..4).map(|i| plan.run(&vec![i; 5000]).unwrap()).collect();
        let mut sums = Vec::new();
        for result in pending {
            sums.push(result.await.unwrap()[0]);
        }
        sums
    });
    assert_eq!(sums, [0, 5000, 10_000, 15_000]);
}

pub fn steps_are_timed_where_the_device_can(device: &Device) {
    let plan = device.planner.plan(C2c::forward([128, 128])).unwrap();
    let (a, b): (DeviceBuffer<Complex32>, DeviceBuffer<Complex32>) =
        (device.gpu().alloc(1 << 14).unwrap(), device.gpu().alloc(1 << 14).unwrap());
    let times = plan.bind(&a, &b).unwrap().time_steps();
    if device.gpu().profile().timestamps {
        let times = times.unwrap().wait().unwrap();
        let labels: Vec<&str> = times.iter().map(|(label, _)| label.as_str()).collect();
        assert_eq!(labels, low_level::dispatches(plan.program()).iter().map(|dispatch| dispatch.label.as_str()).collect::<Vec<_>>());
        assert!(times.iter().any(|(_, time)| !time.is_zero()), "{times:?}");
    } else {
        assert!(matches!(times, Err(wgpu_fft::Error::Unsupported { .. })));
    }
}

/// With bounds checks enabled on a borrowed device, the result is the same.
pub fn guests_have_bounds_checks_if_they_ask(device: &Device) {
    let input = complex_noise(480, 5);
    let check = |gpu: Gpu| {
        let output = Planner::new(&gpu).plan(C2c::forward([12, 40])).unwrap().run(&input).unwrap().wait().unwrap();
        assert_close(&output, &reference_fft(&input, 12, 40, false), fft_budget(480), &device.name);
    };
    let gpu = device.open_another();
    let guest = || Gpu::from_wgpu(gpu.device().clone(), gpu.queue().clone());
    let (checked, unchecked) = (guest().with_bounds_checks(true), guest().with_bounds_checks(false));
    assert!(checked.has_bounds_checks() && !unchecked.has_bounds_checks());
    // A guest follows the environment if it asks, and then as a device of our own does.
    let follows = |gpu: &Gpu| (gpu.has_bounds_checks(), gpu.verify_every(), gpu.wait_limit());
    let asked = guest().with_environment().unwrap();
    assert_eq!(follows(&asked), follows(&pollster::block_on(Gpu::from_adapter(&device.adapter)).unwrap()), "{}", device.name);
    assert_eq!((guest().has_bounds_checks(), guest().verify_every()), (false, 0));
    check(checked);
    check(unchecked);
}

/// A borrowed device with WebGPU's minimum limits, as in a browser.
pub fn small_devices_are_enough(device: &Device) {
    let adapter = &device.adapter;
    let descriptor = wgpu::DeviceDescriptor { required_limits: wgpu::Limits::default(), ..Default::default() };
    let (wgpu_device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
    let planner = Planner::new(&Gpu::from_wgpu(wgpu_device, queue));
    let name = format!("{} with WebGPU's limits", adapter.get_info().name);
    let device = Device { name, planner, adapter: adapter.clone() };
    assert_eq!(device.gpu().profile().workgroup_bytes, 16_384);
    for n in [2, 1000, 4096, 10_007] {
        let plan = device.planner.plan(C2c::forward(n).batch(3)).unwrap();
        let input = complex_noise(3 * n, 1);
        assert_close(&run_guarded(&device, &plan, &input), &reference_fft(&input, 1, n, false), 2.0 * fft_budget(2 * n), &device.name);
    }
    let plan = device.planner.plan(Permute::<[f32; 4]>::transpose([50, 70])).unwrap();
    let input: Vec<[f32; 4]> = bytemuck::pod_collect_to_vec(&words(4 * 3500, 1));
    assert_equal_bits(&run_guarded(&device, &plan, &input), &transposed(&input, 50, 70), &device.name);
}

/// A sample of what `WGPU_FFT_LIMITS=tiny` runs in full. What does not fit is a documented error.
pub fn tiny_devices_are_enough_for_most(device: &Device) {
    let tiny = GpuOptions::default().limits(limits("tiny").unwrap());
    let gpu = pollster::block_on(Gpu::from_adapter_with(&device.adapter, &tiny)).unwrap();
    let profile = gpu.profile();
    assert_eq!((profile.storage_buffers, profile.invocations, profile.workgroup_bytes), (4, 128, 8 << 10));
    let device = Device { name: format!("{} with tiny limits", device.name), planner: Planner::new(&gpu), adapter: device.adapter.clone() };
    for n in [16, 1000, 2048, 67] {
        let plan = device.planner.plan(C2c::forward(n).batch(3)).unwrap();
        let input = complex_noise(3 * n, 1);
        assert_close(&run_guarded(&device, &plan, &input), &reference_fft(&input, 1, n, false), 2.0 * fft_budget(2 * n), &device.name);
    }
    let sum = device.planner.plan(reduce::sum::<u32>(100_000)).unwrap();
    assert_eq!(run_guarded(&device, &sum, &vec![3; 100_000]), [300_000]);
    let plan = device.planner.plan(Permute::<u32>::transpose([50, 70])).unwrap();
    let input = words(3500, 1);
    assert_equal_bits(&run_guarded(&device, &plan, &input), &transposed(&input, 50, 70), &device.name);
    // A convolution over channels binds five arrays at once.
    let channels: AnySpec = "correlate f32 37x50 x2 by 5x8 same reflect channels=3,4".parse().unwrap();
    let error = channels.plan(&device.planner, None).unwrap_err();
    assert!(
        matches!(error, Error::LimitExceeded { limit: "max_storage_buffers_per_shader_stage", required: 5, available: 4, .. }),
        "{}: {error}",
        device.name
    );
}

/// Elements smaller than WebGPU's smallest write.
pub fn small_elements_come_back(device: &Device) {
    let gpu = device.gpu();
    for len in [1, 2, 3, 4, 5, 1023] {
        let bytes: Vec<u8> = (0..len).map(|i| (i * 7 + 1) as u8).collect();
        assert_eq!(gpu.download(&gpu.upload(&bytes).unwrap()).unwrap().wait().unwrap(), bytes, "{}", device.name);
        let halves: Vec<half::f16> = (0..len).map(|i| half::f16::from_f32(i as f32 - 3.0)).collect();
        assert_eq!(gpu.download(&gpu.upload(&halves).unwrap()).unwrap().wait().unwrap(), halves, "{}", device.name);
    }
    // What follows is not overwritten. Where it would be, the write is an error.
    let buffer = gpu.upload(&[9u8; 16]).unwrap();
    let part = |len| View::<u8>::new(buffer.buffer(), 0, len).unwrap();
    assert!(matches!(gpu.write(part(5), &[1; 5]), Err(Error::Misaligned { offset_bytes: 5, .. })));
    gpu.write(part(8), &[1; 8]).unwrap();
    let expected: Vec<u8> = [[1; 8], [9; 8]].concat();
    assert_eq!(gpu.download(&buffer).unwrap().wait().unwrap(), expected, "{}", device.name);
}

pub fn slices_are_parts_of_arrays(device: &Device) {
    let gpu = device.gpu();
    let data: Vec<u32> = (0..1000).collect();
    let array = gpu.upload(&data).unwrap();
    for (view, range) in [
        (array.slice(..), 0..1000),
        (array.slice(256..512), 256..512),
        (array.slice(300..=300), 300..301),
        (array.slice(1..).and_then(|rest| rest.slice(..=1)), 1..3),
    ] {
        assert_eq!(gpu.download(view.unwrap()).unwrap().wait().unwrap(), data[range]);
    }
    assert!(matches!(array.slice(999..1001), Err(Error::OutOfRange { argument: "slice", offset_bytes: 3996, len: 2, .. })));
    assert!(matches!(array.slice(..).unwrap().slice(..=usize::MAX), Err(Error::OutOfRange { .. })));
    #[expect(clippy::reversed_empty_ranges, reason = "a mistake of the caller")]
    let reversed = array.slice(5..3);
    assert!(matches!(reversed, Err(Error::Empty { .. })));
    assert!(matches!(array.slice(2000..), Err(Error::Empty { .. })));
    let bytes: DeviceBuffer<u8> = gpu.alloc(8).unwrap();
    assert!(matches!(bytes.slice(2..4), Err(Error::Misaligned { offset_bytes: 2, .. })));
}

/// wgpu's messages and debuggers name buffers by their labels.
pub fn labels_reach_wgpu(device: &Device) {
    let gpu = device.gpu();
    for (array, label) in [
        (gpu.alloc_labelled::<u32>("density", 4).unwrap(), "'density'"),
        (gpu.upload_labelled("velocity", &[1u32; 4]).unwrap(), "'velocity'"),
        (gpu.alloc(4).unwrap(), "'wgpu-fft array'"),
    ] {
        let error = gpu.submit(|encoder| {
            encoder.clear_buffer(array.buffer(), 0, None);
            array.buffer().destroy();
            Ok(())
        });
        assert!(error.as_ref().is_err_and(|error| error.to_string().contains(label)), "{label}: {error:?}");
    }
}
