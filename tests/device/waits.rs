//! Devices that do not answer, or take long: the limit on waits.

use std::time::{Duration, Instant};

use wgpu_fft::fft::C2c;
use wgpu_fft::gpu::Transfers;
use wgpu_fft::low_level::Stopwatch;
use wgpu_fft::low_level::transfer::wait_for;
use wgpu_fft::{Complex32, Error, ErrorKind, Gpu, GpuOptions, Pending, Planner, Result, wgpu};

use crate::failures::{Failure, Faults};
use crate::harness::*;
use crate::progress::less;

const LIMIT: Duration = Duration::from_millis(200);

/// A device on which every wait times out from now on, and what it would be otherwise, with time to compile.
fn silent(device: &Device) -> [Gpu; 2] {
    let gpu = device.open_another().with_wait_limit(Some(LIMIT));
    [Faults::at(1, Failure::Silent).inject(gpu.clone()).0, gpu.with_wait_limit(Some(Duration::from_secs(60)))]
}

/// Fails unless the wait ended by the limit, soon after it, and returns the error's numbers.
#[track_caller]
fn timed_out<T: std::fmt::Debug>(wait: impl FnOnce() -> Result<T>) -> (&'static str, [u64; 4]) {
    let begin = Instant::now();
    let result = wait();
    let time = begin.elapsed();
    match result {
        Err(Error::TimedOut { what, waited, done, submitted, copied_bytes, bytes }) => {
            assert!(waited >= LIMIT && time >= LIMIT && time < Duration::from_secs(60), "{waited:?} of {time:?}");
            (what, [done, submitted, copied_bytes, bytes])
        }
        other => panic!("{other:?}"),
    }
}

/// Everything that waits ends with an error that says for what, and how far it came.
pub fn a_device_that_never_answers_is_an_error_of_every_wait(device: &Device) {
    let input = complex_noise(2048, 1);
    let [gpu, healthy] = silent(device);
    let planner = Planner::new(&gpu);
    let plan = planner.plan(C2c::forward([32, 64])).unwrap();
    let (what, [done, submitted, copied, bytes]) = timed_out(|| plan.run(&input)?.wait());
    assert_eq!((what, done, copied, bytes), ("the result of a run", 0, 0, 16384), "{}", device.name);
    assert!(submitted > 0);
    let mut output = vec![Complex32::ZERO; 2048];
    assert_eq!(timed_out(|| plan.run_into(&input, &mut output)).0, "the result of a run");
    assert_eq!(timed_out(|| pollster::block_on(plan.run(&input)?)).0, "the result of a run");
    // In steps: each says that nothing is there, until the limit.
    let mut pending = plan.run(&input).unwrap();
    let begin = Instant::now();
    let error = loop {
        match pending.wait_timeout(LIMIT / 7) {
            Ok(None) => assert!(begin.elapsed() < Duration::from_secs(60)),
            other => break other,
        }
    };
    assert!(matches!(error, Err(Error::TimedOut { waited, .. }) if waited >= LIMIT), "{error:?}");
    assert_eq!(pending.wait_timeout(LIMIT).unwrap_err().kind(), ErrorKind::Unsupported);

    assert_eq!(timed_out(|| plan.warm_up()).0, "a submission");
    let (a, b) = (gpu.alloc::<Complex32>(2048).unwrap(), gpu.alloc::<Complex32>(2048).unwrap());
    assert_eq!(timed_out(|| gpu.download(&a)?.wait()).0, "a download");
    let bound = plan.bind(&a, &b).unwrap();
    timed_out(|| Stopwatch::new(&gpu)?.time(|pass| bound.record(pass)));
    assert_eq!(timed_out(|| Stopwatch::by_wall_clock(&gpu).time(|pass| bound.record(pass))).0, "a submission");
    if gpu.profile().timestamps {
        assert_eq!(timed_out(|| bound.time_steps()?.wait()).0, "the results of a measurement");
    }
    timed_out(|| wait_for(&gpu, gpu.submit(|encoder| bound.encode(encoder))?));
    // Planning waits for the probe of its arithmetic.
    assert_eq!(timed_out(|| planner.plan(C2c::forward(64).f64_by_f32()).map(drop)).0, "the result of a run");
    // An upload in pieces waits for the first one. Arrays that are mapped need no staging buffers.
    let small = gpu.clone().with_transfers(Transfers::default().piece_bytes(1 << 18).in_flight(1));
    let target = small.alloc::<f32>(1 << 19).unwrap();
    assert_eq!(timed_out(|| small.write(&target, &noise(1 << 19, 2))).0, "a staging buffer");

    // The device itself is well.
    let expected = reference_fft(&input, 32, 64, false);
    let result = Planner::new(&healthy).plan(C2c::forward([32, 64])).unwrap().run(&input).unwrap().wait().unwrap();
    assert_close(&result, &expected, 2.0 * fft_budget(2048), &device.name);
}

/// Many invocations that count for a while.
struct Counter {
    gpu: Gpu,
    workgroups: u32,
    pipeline: wgpu::ComputePipeline,
    bind_group: wgpu::BindGroup,
}

impl Counter {
    fn new(gpu: &Gpu, workgroups: u32) -> Self {
        // Mesa leaves a loop after 65,535 turns.
        let text = "@group(0) @binding(0) var<storage, read_write> sums: array<u32>;
            @compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3<u32>) {
                var x = sums[id.x % 4u];
                for (var i = 0u; i < 30000u; i++) { x = (x ^ (x << 13u)) * 747796405u + i; }
                sums[id.x % 4u] = x;
            }";
        let sums = gpu.alloc::<u32>(4).unwrap();
        let (pipeline, bind_group) = pipeline_on(gpu, text, &[sums.buffer()]);
        Self { gpu: gpu.clone(), workgroups, pipeline, bind_group }
    }

    fn submit(&self) -> wgpu::SubmissionIndex {
        let record = |encoder: &mut wgpu::CommandEncoder| {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &self.bind_group, &[]);
            pass.dispatch_workgroups(self.workgroups.min(1 << 15), self.workgroups.div_ceil(1 << 15), 1);
            Ok(())
        };
        self.gpu.submit(record).unwrap()
    }

    /// Time of one submission that is at least as long as `least`.
    fn calibrated(gpu: &Gpu, least: Duration) -> (Self, Duration) {
        let mut workgroups = 64;
        loop {
            let own = Self::new(gpu, workgroups);
            // The first run compiles.
            wait_for(gpu, own.submit()).unwrap();
            let begin = Instant::now();
            wait_for(gpu, own.submit()).unwrap();
            let time = begin.elapsed();
            if time >= least {
                return (own, time);
            }
            assert!(workgroups < 1 << 28, "{time:?} for {workgroups} workgroups");
            workgroups *= 2;
        }
    }
}

/// A device that is really busy: work of many submissions is waited for as long as they end one
/// after the other, and a limit below the time of one of them is an error, after which the device
/// goes on.
pub fn a_busy_device_has_time_while_it_shows_progress(device: &Device) {
    let _clock = clock();
    const SUBMISSIONS: u32 = 12;
    let gpu = device.open_another();
    let array = gpu.upload(&[1.0_f32, 2.0]).unwrap();
    let asked = |limit| gpu.clone().with_wait_limit(Some(limit)).download(&array).and_then(Pending::wait);
    // Other tests may make the device faster or slower at any time. So the first part is tried until
    // the whole takes longer than the limit, and no submission does.
    let mut seen = Vec::new();
    let (counter, time, returned) = loop {
        assert!(seen.len() < 5, "{}: {seen:?}", device.name);
        let (counter, time) = Counter::calibrated(&gpu, Duration::from_millis(150));
        let (begin, limit) = (Instant::now(), time * 6);
        for _ in 0..SUBMISSIONS {
            counter.submit();
        }
        let returned = begin.elapsed() > time * (SUBMISSIONS - 1) / 2;
        let waited = Instant::now();
        let result = asked(limit);
        let was_long = waited.elapsed() > limit;
        seen.push(format!("{SUBMISSIONS} submissions of {time:?}, {:?} with a limit of {limit:?}: {result:?}", begin.elapsed()));
        if result == Ok(vec![1.0, 2.0]) && (returned || was_long) {
            break (counter, time, returned);
        }
    };
    for _ in 0..SUBMISSIONS {
        counter.submit();
    }
    let result = if returned {
        // lavapipe: who submits does the work, and has done it when the call returns. So nothing is
        // left to wait for, and a device that falls silent now must do.
        less(format!(
            "{}: {SUBMISSIONS} submissions were done before they could be waited for, so that none was over a limit",
            device.name
        ));
        assert_eq!(asked(time / 20), Ok(vec![1.0, 2.0]), "{}", device.name);
        let silent = Faults::silent_at(1, LIMIT).inject(gpu.clone()).0;
        silent.download(&array).and_then(Pending::wait)
    } else {
        asked(time / 20)
    };
    let Err(error) = &result else { panic!("{}: {result:?}", device.name) };
    let Error::TimedOut { what: "a download", done, submitted, copied_bytes: 0, bytes: 8, .. } = error else {
        panic!("{}: {error}", device.name)
    };
    assert!(done < submitted && *submitted >= u64::from(2 * SUBMISSIONS), "{}: {error}", device.name);
    assert!(error.to_string().contains(&format!("{done} of the {submitted} submissions")), "{error}");
    // Nothing is lost.
    assert_eq!(gpu.download(&array).unwrap().wait(), Ok(vec![1.0, 2.0]));
}

/// Options, the environment's syntax, and what a `Gpu` says.
pub fn limits_on_waits_are_set(device: &Device) {
    let open = |options: GpuOptions| pollster::block_on(Gpu::from_adapter_with(&device.adapter, &options)).unwrap();
    let seconds = |n| Some(Duration::from_secs(n));
    assert_eq!(open(GpuOptions::default()).wait_limit(), seconds(600));
    assert_eq!(open(GpuOptions::default().wait_limit(Duration::from_secs(3))).wait_limit(), seconds(3));
    let gpu = open(GpuOptions::default().wait_limit(Duration::MAX));
    assert_eq!(gpu.wait_limit(), None);
    assert_eq!(Gpu::from_wgpu(gpu.device().clone(), gpu.queue().clone()).wait_limit(), seconds(600));
    assert_eq!(gpu.with_wait_limit(seconds(1)).wait_limit(), seconds(1));
}
