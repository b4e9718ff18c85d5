//! Data between the host and the device: in pieces, into the caller's memory, with buffers that are
//! kept.

use wgpu_fft::Layout;
use wgpu_fft::fft::{C2c, C2r, R2c};
use wgpu_fft::gpu::Transfers;
use wgpu_fft::reduce;
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Complex32, DeviceBuffer, Element, Error, Gpu, Pending, Plan, Planner, Spec, View, wgpu};

use crate::harness::*;

/// The device in every way that data can go: as it was opened, and as a guest on a device that maps
/// no arrays; both also in pieces of 256 bytes.
fn every_way(device: &Device) -> Vec<(String, Gpu)> {
    let descriptor = wgpu::DeviceDescriptor { required_limits: device.adapter.limits(), ..Default::default() };
    let (of_guest, queue) = pollster::block_on(device.adapter.request_device(&descriptor)).unwrap();
    let mut ways = vec![("own".to_owned(), device.open_another()), ("guest".to_owned(), Gpu::from_wgpu(of_guest, queue))];
    for (name, gpu) in ways.clone() {
        for (pieces, threads) in [(1, 1), (3, 2)] {
            let transfers = Transfers::default().piece_bytes(256).in_flight(pieces).copy_threads(threads);
            ways.push((format!("{name}, {pieces} in flight"), gpu.clone().with_transfers(transfers)));
        }
    }
    ways
}

/// What an output holds before: bits that no result here has.
fn garbage<T: Element>(len: usize) -> Vec<T> {
    let mut elements: Vec<T> = bytemuck::pod_collect_to_vec(&vec![UNWRITTEN; (len * size_of::<T>()).div_ceil(4)]);
    elements.truncate(len);
    elements
}

/// Runs a plan into a vector and into memory of the caller's, which must be the same.
fn run_both_ways<S: Spec>(way: &str, plan: &Plan<S>, inputs: &[&[S::Input]]) -> Vec<S::Output> {
    let mut output = garbage(plan.output_len());
    let vector = match *inputs {
        [input] => {
            plan.run_into(input, &mut output).unwrap();
            plan.run(input).unwrap().wait().unwrap()
        }
        [x, y] => {
            plan.run_into((x, y), &mut output).unwrap();
            plan.run((x, y)).unwrap().wait().unwrap()
        }
        _ => panic!("one input or two"),
    };
    assert_equal_bits(&output, &vector, &format!("{way}: `{}`", plan.spec()));
    vector
}

pub fn results_go_into_the_callers_memory(device: &Device) {
    for (way, gpu) in every_way(device) {
        let (way, planner) = (format!("{}, {way}", device.name), Planner::new(&gpu));
        let input = complex_noise(24 * 40, 1);
        let expected = reference_fft(&input, 24, 40, false);
        let plan = planner.plan(C2c::forward([24, 40])).unwrap();
        assert_close(&run_both_ways(&way, &plan, &[&input]), &expected, fft_budget(960), &way);
        let mut over = input.clone();
        plan.run_over(&mut over).unwrap();
        assert_equal_bits(&over, &plan.run(&input).unwrap().wait().unwrap(), &way);
        let plan = planner.plan(C2c::forward([24, 40]).in_place()).unwrap();
        let mut over = input.clone();
        plan.run_over(&mut over).unwrap();
        assert_close(&over, &expected, fft_budget(960), &way);
        assert_close(&run_both_ways(&way, &plan, &[&input]), &expected, fft_budget(960), &way);
        // Elements of a byte, of which the last 4 are not full.
        let bytes: Vec<u8> = (0..23 * 41).map(|i| (i * 7 + 1) as u8).collect();
        let plan = planner.plan(Permute::<u8>::transpose([23, 41])).unwrap();
        assert_eq!(run_both_ways(&way, &plan, &[&bytes]), transposed(&bytes, 23, 41), "{way}");
        let (x, y): (Vec<i32>, Vec<i32>) = ((0..1000).collect(), (0..1000).rev().collect());
        let plan = planner.plan(reduce::dot::<i32>(1000)).unwrap();
        assert_eq!(run_both_ways(&way, &plan, &[&x, &y]), [x.iter().zip(&y).map(|(x, y)| x * y).sum::<i32>()], "{way}");
    }
}

/// Arrays of every length around the ends of pieces of 256 bytes, of one kernel.
pub fn every_length_around_the_ends_of_pieces(device: &Device) {
    for (way, gpu) in every_way(device) {
        let (way, planner) = (format!("{}, {way}", device.name), Planner::new(&gpu));
        for words in [1, 2, 63, 64, 65, 127, 128, 129, 191, 192, 193, 256, 257, 511, 512, 513, 640] {
            let data: Vec<u32> = (0..words as u32).map(|i| i.wrapping_mul(0x9e37_79b1) ^ words as u32).collect();
            let plan = planner.plan(Permute::<u32>::new([words], [0])).unwrap();
            assert_eq!(run_both_ways(&way, &plan, &[&data]), data, "{way}");
        }
    }
}

/// What [`Gpu::write`] copies itself, and what it leaves to wgpu; also behind the begin of a
/// buffer, and of bytes that are no multiple of 4.
pub fn uploads_and_downloads_of_every_length(device: &Device) {
    let one_mebi = 1 << 20;
    for (way, gpu) in every_way(device) {
        // Thousands of submissions in place of 16.
        let piece = if gpu.transfers() == Transfers::default() { 1 << 18 } else { 1 << 16 };
        let gpu = gpu.clone().with_transfers(gpu.transfers().piece_bytes(piece));
        let way = format!("{}, {way}", device.name);
        for len in [1, 5, 4096, one_mebi - 1, one_mebi, one_mebi + 1, one_mebi + (1 << 16) + 3, (1 << 21) + 2] {
            let data: Vec<u8> = (0..len).map(|i| (i % 251) as u8).collect();
            let buffer = gpu.upload(&data).unwrap();
            assert!(gpu.download(&buffer).unwrap().wait().unwrap() == data, "{way}: {len} bytes uploaded");
            let data: Vec<u8> = data.iter().map(|byte| byte ^ 0x55).collect();
            gpu.write(&buffer, &data).unwrap();
            assert!(pollster::block_on(gpu.download(&buffer).unwrap()).unwrap() == data, "{way}: {len} bytes written");
        }
        // Between guards.
        let buffer = gpu.upload(&vec![7u8; 3 * one_mebi]).unwrap();
        let part = View::<u8>::new(buffer.buffer(), 256, 2 * one_mebi + 8).unwrap();
        gpu.write(part, &vec![9; part.len()]).unwrap();
        assert!(gpu.download(part).unwrap().wait().unwrap().iter().all(|&byte| byte == 9), "{way}");
        let whole = gpu.download(&buffer).unwrap().wait().unwrap();
        let sevens = whole.iter().enumerate().filter(|(_, byte)| **byte == 7);
        assert!(sevens.map(|(i, _)| i).eq((0..256).chain(256 + part.len()..3 * one_mebi)), "{way}");
    }
}

/// A download has what was submitted before it, though its pieces are still to come.
pub fn what_is_written_later_is_not_downloaded(device: &Device) {
    for (way, gpu) in every_way(device) {
        let buffer = gpu.upload(&[1u32; 1000]).unwrap();
        let first = gpu.download(&buffer).unwrap();
        gpu.write(&buffer, &[2; 1000]).unwrap();
        let second = gpu.download(&buffer).unwrap();
        gpu.submit(|encoder| {
            encoder.clear_buffer(buffer.buffer(), 0, None);
            Ok(())
        })
        .unwrap();
        assert_eq!(second.wait().unwrap(), [2; 1000], "{}, {way}", device.name);
        assert_eq!(pollster::block_on(first).unwrap(), [1; 1000], "{}, {way}", device.name);
    }
}

pub fn wrong_lengths_leave_the_output_as_it_was(device: &Device) {
    let plan = device.planner.plan(C2c::forward(64)).unwrap();
    let input = complex_noise(64, 1);
    let mut output: Vec<Complex32> = garbage(63);
    let error = plan.run_into(&input, &mut output).unwrap_err();
    assert_eq!(error, Error::WrongLen { argument: "output", expected: 64, actual: 63 });
    assert_equal_bits(&output, &garbage(63), &device.name);
    let mut output: Vec<Complex32> = garbage(64);
    let error = plan.run_into(&input[..60], &mut output).unwrap_err();
    assert_eq!(error, Error::WrongLen { argument: "input", expected: 64, actual: 60 });
    assert!(matches!(plan.run_into((&input, &input), &mut output), Err(Error::WrongInputs { expected: 1, actual: 2, .. })));
    assert_equal_bits(&output, &garbage(64), &device.name);
    assert_eq!(plan.run_over(&mut output[..60]).unwrap_err(), Error::WrongLen { argument: "output", expected: 64, actual: 60 });
    assert_equal_bits(&output, &garbage(64), &device.name);
    // A sum has one element, and reads eight.
    let sum = device.planner.plan(reduce::sum::<f32>(8)).unwrap();
    assert_eq!(sum.run_over(&mut [1.0; 8]).unwrap_err(), Error::WrongLen { argument: "output", expected: 1, actual: 8 });
    assert_eq!(sum.run_over(&mut [1.0]).unwrap_err(), Error::WrongLen { argument: "input", expected: 8, actual: 1 });
    let plan = device.planner.plan(reduce::dot::<f32>(8)).unwrap();
    let mut output = garbage(1);
    assert!(matches!(plan.run_into(&[1.0; 8], &mut output), Err(Error::WrongInputs { expected: 2, actual: 1, .. })));
    let error = plan.run_into((&[1.0; 8], &[1.0; 9]), &mut output).unwrap_err();
    assert_eq!(error, Error::WrongLen { argument: "second input", expected: 8, actual: 9 });
    assert_equal_bits(&output, &garbage::<f32>(1), &device.name);
}

/// Runs take the buffers of runs before, of which a bounded amount is kept.
pub fn buffers_are_kept_for_the_next_run(device: &Device) {
    for (way, gpu) in every_way(device) {
        let way = format!("{}, {way}", device.name);
        let plan = Planner::new(&gpu).plan(Permute::<u32>::transpose([50, 30])).unwrap();
        let data = words(1500, 1);
        let mut output = vec![0; 1500];
        gpu.free_kept();
        assert_eq!(gpu.kept_bytes(), 0, "{way}");
        plan.run_into(&data, &mut output).unwrap();
        let kept = gpu.kept_bytes();
        assert!(kept >= 12_000, "{way}: {kept} bytes");
        for _ in 0..5 {
            plan.run_into(&data, &mut output).unwrap();
            assert_eq!(plan.run(&data).unwrap().wait().unwrap(), output, "{way}");
            assert_eq!(gpu.kept_bytes(), kept, "{way}");
        }
        // A planner of its own, since a plan keeps to what its device was told.
        let frugal = gpu.clone().with_transfers(gpu.transfers().kept_bytes(6000));
        let plan = Planner::new(&frugal).plan(Permute::<u32>::transpose([50, 30])).unwrap();
        plan.run_into(&data, &mut output).unwrap();
        assert!((1..=6000).contains(&frugal.kept_bytes()), "{way}");
        let frugal = gpu.clone().with_transfers(gpu.transfers().kept_bytes(0));
        let plan = Planner::new(&frugal).plan(Permute::<u32>::transpose([50, 30])).unwrap();
        for _ in 0..2 {
            plan.run_into(&data, &mut output).unwrap();
            assert_eq!((&output, frugal.kept_bytes()), (&transposed(&data, 50, 30), 0), "{way}");
        }
    }
}

/// Nobody sees what an earlier run has left in an array: gaps of a layout are zero.
pub fn nothing_of_an_earlier_run_is_seen(device: &Device) {
    for (way, gpu) in every_way(device) {
        let (way, planner) = (format!("{}, {way}", device.name), Planner::new(&gpu));
        let (rows, columns, pitch) = (12, 10, 16);
        let data = words(rows * pitch, 3);
        let layout = Layout::strides([pitch, 1]).within(rows * pitch);
        let full = planner.plan(Permute::<u32>::new([rows * pitch], [0])).unwrap();
        let padded = planner.plan(Permute::<u32>::new([rows, columns], [0, 1]).output_layout(layout)).unwrap();
        for _ in 0..3 {
            assert_eq!(run_both_ways(&way, &full, &[&data]), data, "{way}");
            let output = run_both_ways(&way, &padded, &[&data[..rows * columns]]);
            let expected = |i: usize| if i % pitch < columns { data[i / pitch * columns + i % pitch] } else { 0 };
            assert_eq!(output, (0..rows * pitch).map(expected).collect::<Vec<_>>(), "{way}");
        }
        let reals = planner.plan(C2r::inverse([6, 10]).output_layout(Layout::strides([16, 1]))).unwrap();
        let spectrum = planner.plan(R2c::forward([6, 10])).unwrap().run(&noise(60, 1)).unwrap().wait().unwrap();
        for _ in 0..2 {
            run_both_ways(&way, &full, &[&data]);
            let output = run_both_ways(&way, &reals, &[&spectrum]);
            assert!((0..output.len()).all(|i| (i % 16 < 10) != (output[i].to_bits() == 0)), "{way}: {output:?}");
        }
    }
}

pub fn threads_run_into_memory_of_their_own(device: &Device) {
    for (way, gpu) in every_way(device) {
        let planner = Planner::new(&gpu);
        std::thread::scope(|scope| {
            for seed in 0..4 {
                let (planner, way) = (&planner, &way);
                scope.spawn(move || {
                    for i in 0..6 {
                        let (rows, columns) = (10 + seed, 20 + 7 * i);
                        let plan = planner.plan(Permute::<u32>::transpose([rows, columns])).unwrap();
                        let data = words(rows * columns, seed as u64);
                        let pending = plan.run(&data).unwrap();
                        let mut output = vec![0; data.len()];
                        plan.run_into(&data, &mut output).unwrap();
                        assert_eq!(output, transposed(&data, rows, columns), "{}, {way}", device.name);
                        assert_eq!(pending.wait().unwrap(), output, "{}, {way}", device.name);
                    }
                });
            }
        });
    }
}

/// Results may be dropped, awaited out of order, and waited for by threads that did not ask.
pub fn results_come_in_any_order(device: &Device) {
    for (way, gpu) in every_way(device) {
        let plan = Planner::new(&gpu).plan(Permute::<u32>::new([1000], [0])).unwrap();
        let mut pending: Vec<Pending<Vec<u32>>> = (0..6).map(|i| plan.run(&[i; 1000]).unwrap()).collect();
        drop(pending.remove(2));
        let last = pending.pop().unwrap();
        assert_eq!(pollster::block_on(last).unwrap(), [5; 1000], "{}, {way}", device.name);
        for (result, expected) in pending.into_iter().zip([0, 1, 3, 4]).rev() {
            let result = std::thread::spawn(move || result.wait()).join().unwrap();
            assert_eq!(result.unwrap(), [expected; 1000], "{}, {way}", device.name);
        }
    }
}

/// Our own devices can map arrays where that costs no speed; guests have what the caller asked for.
pub fn arrays_are_mapped_where_the_device_can(device: &Device) {
    use wgpu::DeviceType::{Cpu, IntegratedGpu};
    let mappable = |gpu: &Gpu| {
        let buffer: DeviceBuffer<u32> = gpu.upload(&[1, 2, 3]).unwrap();
        assert_eq!(gpu.download(&buffer).unwrap().wait().unwrap(), [1, 2, 3], "{}", device.name);
        buffer.buffer().usage().contains(wgpu::BufferUsages::MAP_WRITE)
    };
    let info = device.adapter.get_info();
    let is_fit = matches!(info.device_type, Cpu | IntegratedGpu);
    let feature = wgpu::Features::MAPPABLE_PRIMARY_BUFFERS;
    let own = device.open_another();
    assert_eq!(own.device().features().contains(feature), is_fit && device.adapter.features().contains(feature), "{}", device.name);
    assert_eq!(mappable(&own), own.device().features().contains(feature), "{}", device.name);
    for required_features in [wgpu::Features::empty(), feature & device.adapter.features()] {
        let descriptor = wgpu::DeviceDescriptor { required_features, ..Default::default() };
        let (of_guest, queue) = pollster::block_on(device.adapter.request_device(&descriptor)).unwrap();
        let guest = Gpu::from_wgpu(of_guest, queue);
        assert_eq!(mappable(&guest), is_fit && required_features.contains(feature), "{}", device.name);
    }
}

/// A device that goes away while results are under way.
pub fn a_lost_device_is_an_error_of_every_transfer(device: &Device) {
    for i in 0..every_way(device).len() {
        // Of a device that nobody has lost yet.
        let (way, gpu) = every_way(device).swap_remove(i);
        let way = format!("{}, {way}", device.name);
        let plan = Planner::new(&gpu).plan(Permute::<u32>::new([5000], [0])).unwrap();
        let data = words(5000, 1);
        let mut output = vec![0; 5000];
        plan.run_into(&data, &mut output).unwrap();
        let buffer: DeviceBuffer<u32> = gpu.alloc(1 << 19).unwrap();
        let pending = plan.run(&data).unwrap();
        gpu.device().destroy();
        let _ = gpu.device().poll(wgpu::PollType::Poll);
        let lost = |what: &str, result: Result<(), Error>| {
            let error = result.expect_err(&way);
            assert!(matches!(error, Error::DeviceLost { .. }), "{way}: {what}: {error}");
        };
        // What the device has done already may arrive.
        if let Err(error) = pending.wait() {
            lost("a run under way", Err(error));
        }
        lost("run_into", plan.run_into(&data, &mut output));
        lost("run", plan.run(&data).and_then(|pending| pending.wait()).map(drop));
        lost("a large write", gpu.write(&buffer, &vec![0; 1 << 19]).and_then(|()| gpu.download(&buffer)?.wait()).map(drop));
        lost("upload", gpu.upload(&data).and_then(|data| gpu.download(&data)?.wait()).map(drop));
        gpu.free_kept();
    }
}
