//! Many threads, many runs, and futures that must not block.

use std::process::Command;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use wgpu_fft::fft::{C2c, R2c};
use wgpu_fft::gpu::Transfers;
use wgpu_fft::{Complex32, Gpu, GpuOptions, Planner, reduce, wgpu};

use crate::harness::*;

const THREADS: usize = 8;

/// All threads run the same plans at the same time, each on data of its own, and get the bits that
/// one thread gets.
pub fn eight_threads_get_the_bits_of_one(device: &Device) {
    let columns = device.planner.plan(C2c::forward([24, 40])).unwrap();
    let chirp = device.planner.plan(C2c::inverse(67).batch(5)).unwrap();
    let reals = device.planner.plan(R2c::forward(960)).unwrap();
    let sum = device.planner.plan(reduce::sum::<f32>([96, 100]).axes([0])).unwrap();
    let run = |seed: u64| {
        let mut words: Vec<u32> = Vec::new();
        let data = complex_noise(960, seed);
        let real = noise(9600, seed);
        words.extend(bytemuck::cast_slice::<_, u32>(&columns.run(&data).unwrap().wait().unwrap()));
        words.extend(bytemuck::cast_slice::<_, u32>(&chirp.run(&data[..335]).unwrap().wait().unwrap()));
        words.extend(bytemuck::cast_slice::<_, u32>(&reals.run(&real[..960]).unwrap().wait().unwrap()));
        let mut sums = vec![0.0; 100];
        sum.run_into(&real, &mut sums).unwrap();
        words.extend(bytemuck::cast_slice::<f32, u32>(&sums));
        words
    };
    let alone: Vec<Vec<u32>> = (0..THREADS as u64).map(run).collect();
    assert!(alone.windows(2).all(|two| two[0] != two[1]), "data that is always the same would prove little");
    std::thread::scope(|scope| {
        for (seed, expected) in alone.iter().enumerate() {
            let run = &run;
            scope.spawn(move || {
                for turn in 0..6 {
                    assert!(run(seed as u64) == *expected, "{}: thread {seed} got other bits in turn {turn}", device.name);
                }
            });
        }
    });
}

/// A planner forgets what nobody asked for, and what it forgets frees its memory.
pub fn a_planner_keeps_as_many_plans_as_it_has_room_for(device: &Device) {
    let planner = Planner::new(device.gpu()).with_capacity(3);
    let first = planner.plan(C2c::forward(8)).unwrap();
    let forgotten = Arc::downgrade(&planner.plan(C2c::forward(8).batch(2)).unwrap());
    for batch in 3..8 {
        planner.plan(C2c::forward(8).batch(batch)).unwrap();
        assert!(Arc::ptr_eq(&first, &planner.plan(C2c::forward(8)).unwrap()), "what is asked for stays");
    }
    assert!(forgotten.upgrade().is_none(), "{}: a plan that nobody asked for is still there", device.name);
    let again = planner.plan(C2c::forward(8).batch(2)).unwrap();
    let input = complex_noise(16, 1);
    assert_close(&again.run(&input).unwrap().wait().unwrap(), &reference_fft(&input, 1, 8, false), fft_budget(8), &device.name);
}

/// What pipelines take of the host's memory is bounded too, and one plan is kept whatever it takes.
pub fn a_planner_keeps_as_many_bytes_of_pipelines_as_it_has_room_for(device: &Device) {
    let planner = Planner::new(device.gpu()).with_memory(0);
    let first = planner.plan(C2c::forward(8)).unwrap();
    assert!(Arc::ptr_eq(&first, &planner.plan(C2c::forward(8)).unwrap()), "the last one is kept");
    planner.plan(C2c::forward(16)).unwrap();
    let again = planner.plan(C2c::forward(8)).unwrap();
    assert!(!Arc::ptr_eq(&first, &again), "{}: two plans are kept where there is room for none", device.name);
    let roomy = Planner::new(device.gpu()).with_memory(1 << 30);
    let kept: Vec<_> = (1..20).map(|batch| roomy.plan(C2c::forward(8).batch(batch)).unwrap()).collect();
    for (plan, batch) in kept.iter().zip(1..) {
        assert!(Arc::ptr_eq(plan, &roomy.plan(C2c::forward(8).batch(batch)).unwrap()), "{}: batch {batch} is gone", device.name);
    }
}

/// Set in a process that measures its memory: how many transforms it makes.
pub const CHILD: &str = "WGPU_FFT_TEST_ENDURANCE_CHILD";

/// Other tests in this process would disturb the measurement, so that another process makes it.
pub fn many_transforms_take_no_more_memory_than_some(device: &Device) {
    let count = std::env::var("WGPU_FFT_ENDURANCE").unwrap_or_else(|_| if device.is_slow() { "600" } else { "2000" }.to_owned());
    let mut child = Command::new(std::env::current_exe().unwrap());
    let output = child.env(CHILD, count).env("WGPU_ADAPTER_NAME", &device.name).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("constant"), "{}: {text}{}", device.name, String::from_utf8_lossy(&output.stderr));
    println!("{}: {text}", device.name);
}

/// Bytes of memory that this process holds, where the system tells.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}

/// wgpu's objects of each kind.
fn objects(instance: &wgpu::Instance) -> [usize; 6] {
    let hub = instance.generate_report().expect("not in a browser").hub;
    [
        hub.buffers.num_allocated,
        hub.bind_groups.num_allocated,
        hub.command_buffers.num_allocated,
        hub.command_encoders.num_allocated,
        hub.compute_pipelines.num_allocated,
        hub.shader_modules.num_allocated,
    ]
}

/// Makes many transforms in every way, and fails if memory or wgpu's objects grow.
pub fn measure() {
    /// Bytes that the allocators of the driver and of this process may take in pieces.
    const SLACK: u64 = 8 << 20;
    /// The bound of the buffers between two transfers.
    const KEPT: u64 = 1 << 20;
    let count: usize = std::env::var(CHILD).unwrap().parse().unwrap();
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    descriptor.backends = wgpu::Backends::all();
    let instance = wgpu::Instance::new(descriptor);
    let gpu = pollster::block_on(Gpu::request(&GpuOptions::default().instance(instance.clone()))).unwrap();
    let gpu = gpu.with_transfers(Transfers::default().kept_bytes(KEPT));
    let planner = Planner::new(&gpu);
    let plan = planner.plan(C2c::forward([32, 64])).unwrap();
    let input = complex_noise(2048, 1);
    let expected = plan.run(&input).unwrap().wait().unwrap();
    let (a, b) = (gpu.upload(&input).unwrap(), gpu.alloc::<Complex32>(2048).unwrap());
    let mut output = vec![Complex32::ZERO; 2048];
    let mut run = |turn: usize| match turn % 5 {
        0 => assert_eq_bits(&plan.run(&input).unwrap().wait().unwrap(), &expected),
        1 => {
            plan.run_into(&input, &mut output).unwrap();
            assert_eq_bits(&output, &expected);
        }
        2 => {
            gpu.submit(|encoder| plan.encode(encoder, &a, &b)).unwrap();
            assert_eq_bits(&gpu.download(&b).unwrap().wait().unwrap(), &expected);
        }
        3 => drop(plan.run(&input).unwrap()),
        _ => assert_eq_bits(&pollster::block_on(plan.run(&input).unwrap()).unwrap(), &expected),
    };
    let begin = Instant::now();
    (0..count / 4).for_each(&mut run);
    gpu.device().poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let (memory, kinds) = (resident(), objects(&instance));
    (0..count).for_each(&mut run);
    gpu.device().poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let (memory_after, kinds_after) = (resident(), objects(&instance));
    assert!(gpu.kept_bytes() <= KEPT);
    let grown = memory_after.zip(memory).map_or(0, |(after, before)| after.saturating_sub(before));
    // Two more of a kind may be under way.
    let more = kinds.iter().zip(&kinds_after).any(|(before, after)| *after > before + 2);
    assert!(grown <= SLACK && !more, "{count} transforms took {grown} bytes; objects {kinds:?} became {kinds_after:?}");
    println!(
        "constant: {count} transforms in {:.1?}, {:?} KiB before and {:?} after, objects {kinds:?} and {kinds_after:?}",
        begin.elapsed(),
        memory.map(|bytes| bytes >> 10),
        memory_after.map(|bytes| bytes >> 10)
    );
}

fn assert_eq_bits(own: &[Complex32], expected: &[Complex32]) {
    assert!(bytemuck::cast_slice::<_, u32>(own) == bytemuck::cast_slice::<_, u32>(expected), "other bits");
}

/// Tells the thread that drives a future by hand.
struct Unpark(std::thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Drives a future by hand. Returns its result, how long the longest call of `poll` took, how often
/// it was not ready, and how long all took.
fn drive<F: Future>(future: F) -> (F::Output, Duration, usize, Duration) {
    let begin = Instant::now();
    let mut future = Box::pin(future);
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let (mut longest, mut waits) = (Duration::ZERO, 0);
    loop {
        let polled = Instant::now();
        let state = future.as_mut().poll(&mut Context::from_waker(&waker));
        longest = longest.max(polled.elapsed());
        match state {
            Poll::Ready(value) => return (value, longest, waits, begin.elapsed()),
            Poll::Pending => waits += 1,
        }
        std::thread::park_timeout(Duration::from_secs(120));
        assert!(begin.elapsed() < Duration::from_secs(100), "nobody wakes the task");
    }
}

/// How often a future may be driven until no poll is long: on a busy machine, a thread may lose its
/// processor in the middle of a call. One that blocks does so each time.
const TRIES: usize = 5;

/// Drives futures by hand until one of them has no poll that takes half of the time.
fn without_blocking<F: Future>(what: &str, least: Duration, mut future: impl FnMut(usize) -> F) -> F::Output {
    let mut seen = Vec::new();
    for turn in 0..TRIES {
        let (value, longest, waits, all) = drive(future(turn));
        if waits > 0 && longest * 2 < all.max(least) {
            return value;
        }
        seen.push(format!("{all:?}, and one of {waits} + 1 polls {longest:?}"));
    }
    panic!("{what} blocks who polls: it took {}", seen.join("; "));
}

/// Who polls a future gets its thread back at once, though planning and the device take long.
pub fn futures_do_not_block_who_polls_them(device: &Device) {
    let gpu = device.open_another();
    let planner = Arc::new(Planner::new(&gpu));
    // Texts that no driver has compiled before, so that they take a while.
    let shapes = [[250, 243], [243, 250], [240, 245], [245, 240], [225, 256]];
    let planning = format!("{}: planning", device.name);
    let plan = without_blocking(&planning, Duration::ZERO, |turn| planner.plan_async(C2c::forward(shapes[turn]).batch(8))).unwrap();
    let input = complex_noise(plan.input_len(), 3);
    // The device is busy with the first ones when the last one is asked.
    let mut pending = Vec::new();
    let output = without_blocking(&format!("{}: a run", device.name), Duration::from_millis(2), |_| {
        pending.extend((0..3).map(|_| plan.run(&input).unwrap()));
        plan.run(&input).unwrap()
    });
    let output = output.unwrap();
    for pending in pending {
        assert_eq_bits(&drive(pending).0.unwrap(), &output);
    }
}
