//! Mistakes of callers. Each returns an error, and none panics.

use wgpu_fft::Layout;
use wgpu_fft::fft::{C2c, R2c};
use wgpu_fft::reduce;
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Complex32, DeviceBuffer, Error, Gpu, GpuOptions, Planner, Spec, View, wgpu};

use crate::harness::*;

fn encoder(gpu: &Gpu) -> wgpu::CommandEncoder {
    gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
}

fn raw_buffer(gpu: &Gpu, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    gpu.device().create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
}

pub fn wrong_lengths_carry_both_numbers(device: &Device) {
    let plan = device.planner.plan(C2c::forward(64)).unwrap();
    let data = complex_noise(65, 1);
    assert_eq!(plan.run(&data).unwrap_err(), Error::WrongLen { argument: "input", expected: 64, actual: 65 });
    let (short, right): (DeviceBuffer<Complex32>, _) = (device.gpu().alloc(63).unwrap(), device.gpu().alloc(64).unwrap());
    let error = plan.encode(&mut encoder(device.gpu()), &right, &short).unwrap_err();
    assert_eq!(error, Error::WrongLen { argument: "output", expected: 64, actual: 63 });
    let error = device.gpu().write(&right, &data).unwrap_err();
    assert_eq!(error, Error::WrongLen { argument: "data", expected: 64, actual: 65 });
}

/// With a layout, a plan's arrays reach to the last element.
pub fn wrong_lengths_of_layouts_carry_both_numbers(device: &Device) {
    let layout = Layout::strides([10, 1]).offset(3);
    let plan = device.planner.plan(C2c::forward([4, 6]).input_layout(layout)).unwrap();
    assert_eq!(plan.run(&complex_noise(38, 1)).unwrap_err(), Error::WrongLen { argument: "input", expected: 39, actual: 38 });
    assert!(plan.run(&complex_noise(39, 1)).is_ok());
    let plan = device.planner.plan(C2c::forward([4, 6]).output_layout(layout.batch_distance(50)).batch(2)).unwrap();
    let (input, short): (DeviceBuffer<Complex32>, DeviceBuffer<Complex32>) =
        (device.gpu().alloc(48).unwrap(), device.gpu().alloc(88).unwrap());
    let error = plan.encode(&mut encoder(device.gpu()), &input, &short).unwrap_err();
    assert_eq!(error, Error::WrongLen { argument: "output", expected: 89, actual: 88 });
    // For a part of an array, the length is that of the whole array.
    let plan = device.planner.plan(C2c::forward([4, 6]).input_layout(layout.within(100))).unwrap();
    assert_eq!(plan.run(&complex_noise(39, 1)).unwrap_err(), Error::WrongLen { argument: "input", expected: 100, actual: 39 });
    assert!(plan.run(&complex_noise(100, 1)).is_ok());
    // Lengths of reals count reals. In place, the array has the size of the spectrum.
    let plan = device.planner.plan(R2c::forward([4, 6])).unwrap();
    assert_eq!(plan.run(&[0.0; 25]).unwrap_err(), Error::WrongLen { argument: "input", expected: 24, actual: 25 });
    let plan = device.planner.plan(R2c::forward([4, 6]).in_place()).unwrap();
    assert_eq!(plan.run(&[0.0; 24]).unwrap_err(), Error::WrongLen { argument: "input", expected: 32, actual: 24 });
    let error = plan.encode_in_place(&mut encoder(device.gpu()), &device.gpu().alloc(15).unwrap()).unwrap_err();
    assert_eq!(error, Error::WrongLen { argument: "data", expected: 16, actual: 15 });
}

pub fn empty_shapes_are_named(device: &Device) {
    let planner = &device.planner;
    assert!(matches!(planner.plan(C2c::forward([0, 8])), Err(Error::Empty { .. })));
    assert!(matches!(planner.plan(C2c::forward(8).batch(0)), Err(Error::Empty { .. })));
    assert!(matches!(planner.plan(Permute::<f32>::transpose([8, 0])), Err(Error::Empty { .. })));
    assert!(matches!(planner.plan(reduce::sum::<f32>(0)), Err(Error::Empty { .. })));
    assert!(matches!(device.gpu().alloc::<f32>(0), Err(Error::Empty { .. })));
    assert!(matches!(device.gpu().upload::<f32>(&[]), Err(Error::Empty { .. })));
}

pub fn buffers_must_be_storage_large_enough_and_aligned(device: &Device) {
    let gpu = device.gpu();
    let uniform = raw_buffer(gpu, 512, wgpu::BufferUsages::UNIFORM);
    let plan = device.planner.plan(C2c::forward(64)).unwrap();
    let view = View::<Complex32>::new(&uniform, 0, 64).unwrap();
    for result in [plan.bind(view, &gpu.alloc(64).unwrap()), plan.bind(&gpu.alloc(64).unwrap(), view)] {
        let error = result.unwrap_err();
        assert!(matches!(error, Error::MissingUsage { required: wgpu::BufferUsages::STORAGE, .. }), "{error}");
    }

    let storage = raw_buffer(gpu, 1024, wgpu::BufferUsages::STORAGE);
    assert!(matches!(View::<Complex32>::new(&storage, 0, 129), Err(Error::OutOfRange { buffer_bytes: 1024, len: 129, .. })));
    assert!(matches!(View::<Complex32>::new(&storage, 1024, 1), Err(Error::OutOfRange { .. })));
    assert!(matches!(View::<Complex32>::new(&storage, u64::MAX - 7, usize::MAX), Err(Error::OutOfRange { .. })));
    assert!(matches!(View::<Complex32>::new(&storage, 4, 1), Err(Error::Misaligned { alignment: 8, .. })));
    assert!(matches!(View::<Complex32>::new(&storage, 0, 0), Err(Error::Empty { .. })));

    // Views of small elements begin at multiples of 4 bytes and need the whole last word.
    assert!(matches!(View::<u8>::new(&storage, 2, 1), Err(Error::Misaligned { offset_bytes: 2, alignment: 4, .. })));
    assert!(View::<u8>::new(&storage, 1020, 3).is_ok());
    let short = raw_buffer(gpu, 1022, wgpu::BufferUsages::STORAGE);
    assert!(matches!(View::<u8>::new(&short, 0, 1021), Err(Error::OutOfRange { buffer_bytes: 1022, .. })));

    // The offset has the element's alignment, but not the device's.
    let alignment = u64::from(gpu.profile().storage_alignment);
    if alignment > 8 {
        let plan = device.planner.plan(C2c::forward(32)).unwrap();
        let view = View::<Complex32>::new(&storage, 8, 32).unwrap();
        let output = gpu.alloc(32).unwrap();
        let error = plan.encode(&mut encoder(gpu), view, &output).unwrap_err();
        assert_eq!(error, Error::Misaligned { argument: "input", offset_bytes: 8, alignment });
    }

    let whole = View::<Complex32>::new(&storage, 0, 128).unwrap();
    assert!(matches!(gpu.download(whole), Err(Error::MissingUsage { argument: "source", .. })));
    assert!(matches!(gpu.write(whole, &complex_noise(128, 1)), Err(Error::MissingUsage { argument: "target", .. })));
}

pub fn placements_must_fit_the_plan(device: &Device) {
    let gpu = device.gpu();
    let plan = device.planner.plan(C2c::forward(64)).unwrap();
    let in_place = device.planner.plan(C2c::forward(64).in_place()).unwrap();
    let data: DeviceBuffer<Complex32> = gpu.alloc(64).unwrap();
    let other: DeviceBuffer<Complex32> = gpu.alloc(64).unwrap();
    let mut encoder = encoder(gpu);
    assert!(matches!(plan.encode(&mut encoder, &data, &data), Err(Error::Aliased { .. })));
    assert!(matches!(plan.encode_in_place(&mut encoder, &data), Err(Error::WrongPlacement { .. })));
    assert!(matches!(in_place.encode(&mut encoder, &data, &other), Err(Error::WrongPlacement { .. })));
    // The encoder is unchanged and still works.
    plan.encode(&mut encoder, &data, &other).unwrap();
    gpu.queue().submit([encoder.finish()]);
}

pub fn an_encoder_with_an_open_pass_is_refused(device: &Device) {
    let gpu = device.gpu();
    let plan = device.planner.plan(C2c::forward(64)).unwrap();
    let (a, b): (DeviceBuffer<Complex32>, DeviceBuffer<Complex32>) = (gpu.alloc(64).unwrap(), gpu.alloc(64).unwrap());
    let mut encoder = encoder(gpu);
    let pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()).forget_lifetime();
    assert!(matches!(plan.encode(&mut encoder, &a, &b), Err(Error::Wgpu { .. })), "{}", device.name);
    // As documented: wgpu has made the encoder invalid, later calls record nothing, and finishing
    // it reports the error.
    let _ = plan.encode(&mut encoder, &a, &b);
    let scope = gpu.device().push_error_scope(wgpu::ErrorFilter::Validation);
    drop(pass);
    drop(encoder.finish());
    assert!(pollster::block_on(scope.pop()).is_some(), "{}", device.name);
    // A new encoder works.
    gpu.submit(|encoder| plan.encode(encoder, &a, &b)).unwrap();
}

/// Buffers that are only copied need no storage usage.
pub fn buffers_that_no_shader_sees_are_written_and_read(device: &Device) {
    let gpu = device.gpu();
    let buffer = raw_buffer(gpu, 64, wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST);
    let data = words(16, 3);
    let view = View::<u32>::whole(&buffer).unwrap();
    gpu.write(view, &data).unwrap();
    assert_eq!(gpu.download(view).unwrap().wait().unwrap(), data, "{}", device.name);
    let source = raw_buffer(gpu, 64, wgpu::BufferUsages::COPY_SRC);
    assert_eq!(gpu.download(View::<u32>::whole(&source).unwrap()).unwrap().wait().unwrap(), [0; 16]);
    let target = raw_buffer(gpu, 64, wgpu::BufferUsages::COPY_DST);
    gpu.write(View::<u32>::whole(&target).unwrap(), &data).unwrap();
    assert!(matches!(gpu.download(View::<u32>::whole(&target).unwrap()), Err(Error::MissingUsage { argument: "source", .. })));
}

/// If no buffer can hold an array, the error names that limit instead of the binding size.
pub fn the_largest_buffer_is_the_first_limit(device: &Device) {
    let descriptor = wgpu::DeviceDescriptor { required_limits: wgpu::Limits::default(), ..Default::default() };
    let (wgpu_device, queue) = pollster::block_on(device.adapter.request_device(&descriptor)).unwrap();
    let planner = Planner::new(&Gpu::from_wgpu(wgpu_device, queue));
    let most = planner.gpu().profile().buffer_bytes;
    for (what, result) in [
        ("permutation", planner.plan(Permute::<f32>::new([u32::MAX as usize], [0])).map(drop)),
        ("transpose", planner.plan(Permute::<f32>::transpose([16_384, 8192])).map(drop)),
        ("sum", planner.plan(reduce::sum::<f32>([1 << 14, 1 << 14])).map(drop)),
        ("columns", planner.plan(reduce::sum::<f32>([300, 4, 300, 800]).axes([1, 3])).map(drop)),
    ] {
        let error = result.unwrap_err();
        assert!(matches!(error, Error::LimitExceeded { limit: "max_buffer_size", available, .. } if available == most), "{what}: {error}");
    }
}

pub fn a_result_is_given_once(device: &Device) {
    let data: DeviceBuffer<f32> = device.gpu().upload(&[1.0; 16]).unwrap();
    let mut pending = device.gpu().download(&data).unwrap();
    assert_eq!(pollster::block_on(&mut pending), Ok(vec![1.0; 16]));
    assert!(matches!(pollster::block_on(&mut pending), Err(Error::Unsupported { .. })));
    assert!(matches!(pending.wait(), Err(Error::Unsupported { .. })));
}

pub fn a_device_without_compute_shaders_is_named(device: &Device) {
    let descriptor = wgpu::DeviceDescriptor { required_limits: wgpu::Limits::downlevel_webgl2_defaults(), ..Default::default() };
    let (wgpu_device, queue) = pollster::block_on(device.adapter.request_device(&descriptor)).unwrap();
    let planner = Planner::new(&Gpu::from_wgpu(wgpu_device, queue));
    for result in [
        planner.plan(C2c::forward(8)).map(drop),
        planner.plan(reduce::sum::<f32>(8)).map(drop),
        planner.plan(Permute::<f32>::transpose([8, 8])).map(drop),
    ] {
        let error = result.unwrap_err();
        assert!(error.to_string().contains("compute shaders"), "{error}");
    }
}

pub fn limits_carry_what_is_needed_and_what_there_is(device: &Device) {
    let profile = device.gpu().profile();
    // An array may take several bindings, but only a limited number.
    let small = profile.with(|profile| {
        profile.binding_bytes = 256;
        profile.storage_buffers = 4;
    });
    let recipe = "axis 0: stockham 16 lanes=1 + stockham 8 lanes=1".parse().unwrap();
    let error = C2c::forward(128).lower(&recipe, &small).unwrap_err();
    assert!(
        matches!(error, Error::LimitExceeded { limit: "max_storage_buffers_per_shader_stage", required: 13, available: 4, .. }),
        "{error}"
    );
    let error = device.planner.plan(C2c::forward([1 << 16, 1 << 16])).unwrap_err();
    assert!(matches!(error, Error::LimitExceeded { limit: "elements indexed by a u32", .. }), "{error}");

    let elements = (profile.binding_bytes / 4 + 1) as usize;
    // Most reductions can be cut, but a tree cannot.
    let tree = || "tree 64".parse().unwrap();
    let error = device.planner.plan_with(reduce::sum::<f32>(elements), tree()).unwrap_err();
    let Error::LimitExceeded { limit, required, available, .. } = &error else { panic!("{error}") };
    // If no buffer is larger than a binding, the buffer size is the limit.
    let (name, most) = if profile.buffer_bytes < elements as u64 * 4 {
        ("max_buffer_size", profile.buffer_bytes)
    } else {
        ("max_storage_buffer_binding_size", profile.binding_bytes)
    };
    assert_eq!((*limit, *required, *available), (name, elements as u64 * 4, most));
    assert!(device.planner.plan_with(reduce::sum::<f32>(elements - 1), tree()).is_ok());

    let error = device.gpu().alloc::<u32>((profile.buffer_bytes / 4 + 1) as usize).unwrap_err();
    assert!(matches!(error, Error::LimitExceeded { limit: "max_buffer_size", .. }), "{error}");
    assert!(matches!(device.gpu().alloc::<u32>(usize::MAX), Err(Error::LimitExceeded { .. })));
    let error = device.planner.plan(reduce::sum::<f32>(1 << 32)).unwrap_err();
    assert!(matches!(error, Error::LimitExceeded { limit: "elements indexed by a u32", .. }), "{error}");
}

pub fn what_this_version_cannot_do_says_so(device: &Device) {
    let planner = &device.planner;
    let cannot =
        |error: Error, what: &str| assert!(matches!(error, Error::Unsupported { .. }) && error.to_string().contains(what), "{error}");
    cannot(planner.plan(C2c::forward([4, 6]).axes([2])).unwrap_err(), "axis 2");
    cannot(planner.plan(R2c::forward([4, 6]).axes([0])).unwrap_err(), "last axis");
    cannot(planner.plan(C2c::forward([4, 6]).output_layout(Layout::strides([5, 1]))).unwrap_err(), "overlap");
    cannot(planner.plan(C2c::forward([4, 6]).in_place().output_layout(Layout::strides([7, 1]))).unwrap_err(), "two layouts");
    assert!(device.planner.plan(Permute::<wgpu_fft::num_complex::Complex<f64>>::transpose([3, 5])).is_ok());
    assert!(matches!(device.planner.plan(Permute::<Rgb>::transpose([3, 5])), Err(Error::Unsupported { .. })));
}

#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Rgb([f32; 3]);

impl wgpu_fft::Element for Rgb {
    const NAME: &'static str = "rgb";
}

pub fn adapters_that_are_not_there_are_not_found() {
    let options = GpuOptions::default().adapter_name("no such adapter");
    let error = pollster::block_on(Gpu::request(&options)).unwrap_err();
    let Error::NoAdapter { wanted, hint, .. } = &error else { panic!("{error}") };
    assert!(wanted.contains("no such adapter") && !hint.is_empty(), "{error}");
}

pub fn a_lost_device_is_an_error_everywhere(device: &Device) {
    let (name, gpu) = (&device.name, device.open_another());
    let planner = Planner::new(&gpu);
    let plan = planner.plan(C2c::forward([8, 8])).unwrap();
    let data: DeviceBuffer<Complex32> = gpu.alloc(64).unwrap();
    let other: DeviceBuffer<Complex32> = gpu.alloc(64).unwrap();
    assert!(!gpu.is_lost());
    gpu.device().destroy();
    assert!(gpu.is_lost());
    let _ = gpu.device().poll(wgpu::PollType::Poll);
    let lost = |result: Result<(), Error>| {
        let error = result.expect_err(name);
        assert!(matches!(error, Error::DeviceLost { .. }), "{name}: {error}");
    };
    lost(gpu.alloc::<f32>(4).map(drop));
    lost(gpu.write(&data, &complex_noise(64, 1)));
    lost(gpu.download(&data).and_then(|pending| pending.wait()).map(drop));
    lost(planner.plan(C2c::forward([8, 8])).map(drop));
    lost(planner.plan(C2c::forward([16, 8])).map(drop));
    lost(plan.bind(&data, &other).map(drop));
    lost(plan.run(&complex_noise(64, 1)).and_then(|pending| pending.wait()).map(drop));
}

/// A borrowed device installs no handler, so the loss is only noticed when something fails.
pub fn a_lost_device_of_the_caller_is_an_error_at_the_latest_at_read_back(device: &Device) {
    let (name, owner) = (&device.name, device.open_another());
    let gpu = Gpu::from_wgpu(owner.device().clone(), owner.queue().clone());
    let data: DeviceBuffer<f32> = gpu.upload(&[1.0; 16]).unwrap();
    gpu.device().destroy();
    let result = gpu.download(&data).and_then(|pending| pending.wait());
    assert!(matches!(result, Err(Error::DeviceLost { .. })), "{name}: {result:?}");
}

/// A device from an instance of its own.
pub fn in_an_instance_of_its_own(device: &Device) -> Gpu {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    descriptor.backends = wgpu::Backends::all();
    let options = GpuOptions::default().instance(wgpu::Instance::new(descriptor)).adapter_name(&device.adapter.get_info().name);
    pollster::block_on(Gpu::request(&options)).unwrap()
}

fn assert_foreign<T: std::fmt::Debug>(device: &Device, argument: &str, result: Result<T, Error>) {
    let error = result.expect_err(&device.name);
    assert!(matches!(&error, Error::ForeignObject { argument: own, .. } if *own == argument), "{}: {argument}: {error}", device.name);
}

/// wgpu confuses a buffer of another instance with its own buffer of the same number. That buffer
/// may have another size or usage, or may not exist, in which case wgpu panics.
pub fn buffers_of_another_instance_are_refused(device: &Device) {
    let (gpu, other) = (in_an_instance_of_its_own(device), in_an_instance_of_its_own(device));
    let plan = Planner::new(&gpu).plan(C2c::forward(64)).unwrap();
    let in_place = Planner::new(&gpu).plan(C2c::forward(64).in_place()).unwrap();
    let own: Vec<DeviceBuffer<Complex32>> = (0..40).map(|i| gpu.alloc(65 + i).unwrap()).collect();
    let right: [DeviceBuffer<Complex32>; 2] = [gpu.alloc(64).unwrap(), gpu.alloc(64).unwrap()];
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    // The first buffers have the numbers of larger and smaller buffers and of buffers without the
    // usage. The last ones have unused numbers.
    let foreign: Vec<wgpu::Buffer> = (0..200).map(|_| raw_buffer(&other, 512, usage)).collect();
    let mut refused = 0;
    for buffer in &foreign {
        // Its number belongs to a buffer with the same size and usages, so nobody can tell them
        // apart.
        if right.iter().any(|right| right.buffer() == buffer) {
            continue;
        }
        let view = View::<Complex32>::whole(buffer).unwrap();
        assert_foreign(device, "input", plan.bind(view, &right[0]));
        assert_foreign(device, "output", plan.encode(&mut encoder(&gpu), &right[0], view));
        assert_foreign(device, "data", in_place.bind_in_place(view));
        assert_foreign(device, "target", gpu.write(view, &complex_noise(64, 1)));
        assert_foreign(device, "source", gpu.download(view));
        refused += 1;
    }
    assert!(refused >= 198, "{refused}");
    // None of the device's own buffers is refused or has been written.
    plan.bind(&right[0], &right[1]).unwrap();
    for own in own.iter().chain(&right) {
        let zeros = gpu.download(own).unwrap().wait().unwrap();
        assert!(zeros.iter().all(|z| *z == Complex32::ZERO), "{}", device.name);
    }
}

/// A queue of another device, in the same instance or another, is detected at its first use.
pub fn queues_of_another_device_are_refused(device: &Device) {
    let [first, second] = [(); 2].map(|()| device.open_another());
    let other = in_an_instance_of_its_own(device);
    for queue in [second.queue(), other.queue()] {
        let gpu = Gpu::from_wgpu(first.device().clone(), queue.clone());
        assert_foreign(device, "queue", gpu.upload(&[1.0f32; 4]));
        assert_foreign(device, "queue", gpu.download(&gpu.alloc::<f32>(4).unwrap()));
        assert_foreign(device, "queue", Planner::new(&gpu).plan(C2c::forward(8)));
        assert_foreign(device, "queue", gpu.submit(|_| Ok(())));
    }
    // The right queue is accepted, also while it is busy, and while many threads poll at once.
    let owner = device.open_another();
    let plan = Planner::new(&owner).plan(C2c::forward([64, 64])).unwrap();
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let (owner, plan) = (&owner, &plan);
            scope.spawn(move || {
                for i in 0..8 {
                    let gpu = Gpu::from_wgpu(owner.device().clone(), owner.queue().clone());
                    let _under_way = plan.run(&complex_noise(4096, seed)).unwrap();
                    assert_eq!(gpu.download(&gpu.upload(&[i; 4]).unwrap()).unwrap().wait().unwrap(), [i; 4]);
                }
            });
        }
    });
}

/// An encoder has nothing to compare. The documentation promises only this.
pub fn encoders_of_another_device_are_the_callers_to_avoid(device: &Device) {
    let [gpu, second] = [(); 2].map(|()| device.open_another());
    let plan = Planner::new(&gpu).plan(C2c::forward(64)).unwrap();
    let (a, b): (DeviceBuffer<Complex32>, DeviceBuffer<Complex32>) = (gpu.alloc(64).unwrap(), gpu.alloc(64).unwrap());
    // From the same instance: finishing it reports an error to its device's handler.
    let mut of_second = encoder(&second);
    plan.encode(&mut of_second, &a, &b).unwrap();
    let scope = second.device().push_error_scope(wgpu::ErrorFilter::Validation);
    drop(of_second.finish());
    assert!(pollster::block_on(scope.pop()).is_some(), "{}", device.name);
    // From another instance, which has no pipeline with this number.
    let other = in_an_instance_of_its_own(device);
    assert_foreign(device, "encoder", plan.encode(&mut encoder(&other), &a, &b));
}

/// The program's own instance or adapter: wgpu itself refuses buffers of its other devices, and a
/// borrowed device shares buffers with the program.
pub fn programs_give_their_own_instance_or_adapter(device: &Device) {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    descriptor.backends = wgpu::Backends::all();
    let instance = wgpu::Instance::new(descriptor);
    let name = device.adapter.get_info().name;
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    let adapter = adapters.into_iter().find(|adapter| adapter.get_info().name == name).unwrap();
    let (wgpu_device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default())).unwrap();
    let of_program = Gpu::from_wgpu(wgpu_device, queue);
    let buffer: DeviceBuffer<f32> = of_program.upload(&[2.0; 64]).unwrap();
    for options in [GpuOptions::default().instance(instance).adapter_name(&name), GpuOptions::default().adapter(adapter)] {
        let gpu = pollster::block_on(Gpu::request(&options)).unwrap();
        assert_eq!(gpu.adapter_info().name, name);
        let plan = Planner::new(&gpu).plan(reduce::sum::<f32>(64)).unwrap();
        assert_foreign(device, "input", plan.bind(&buffer, &gpu.alloc(1).unwrap()));
        assert_foreign(device, "source", gpu.download(&buffer));
        assert_eq!(plan.run(&[2.0; 64]).unwrap().wait().unwrap(), [128.0]);
    }
    let error = pollster::block_on(Gpu::request(&GpuOptions::default().adapter(device.adapter.clone()).adapter_name("no such adapter")))
        .unwrap_err();
    assert!(matches!(error, Error::NoAdapter { .. }), "{error}");
}

/// wgpu confuses a buffer of another instance with one of its own. So all devices that the crate
/// opens come from one instance.
pub fn buffers_of_another_device_are_refused(device: &Device) {
    let options = GpuOptions::default().adapter_name(&device.adapter.get_info().name);
    let [gpu, other] = [(); 2].map(|()| pollster::block_on(Gpu::request(&options)).unwrap());
    let plan = Planner::new(&gpu).plan(C2c::forward(64)).unwrap();
    let foreign: DeviceBuffer<Complex32> = other.alloc(64).unwrap();
    let (own, right): (DeviceBuffer<Complex32>, DeviceBuffer<Complex32>) = (gpu.alloc(64).unwrap(), gpu.alloc(64).unwrap());
    let mut encoder = encoder(&gpu);
    assert_foreign(device, "output", plan.encode(&mut encoder, &own, &foreign));
    plan.encode(&mut encoder, &own, &right).unwrap();
    gpu.queue().submit([encoder.finish()]);
}
