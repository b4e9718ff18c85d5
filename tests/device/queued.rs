//! Runs that are queued, and submitted together.

use std::sync::Arc;
use std::time::{Duration, Instant};

use wgpu_fft::fft::C2c;
use wgpu_fft::transpose::Permute;
use wgpu_fft::{DeviceBuffer, Error, ErrorKind, Gpu, Plan, View, wgpu};

use crate::failures::{Failure, Faults};
use crate::harness::*;

const SIDE: usize = 12;
const LEN: usize = SIDE * SIDE;

/// Three arrays on the device, and what must be in them.
struct Mirrored {
    gpu: Gpu,
    transpose: Arc<Plan<Permute<f32>>>,
    arrays: [DeviceBuffer<f32>; 3],
    expected: [Vec<f32>; 3],
    written: f32,
}

impl Mirrored {
    fn new(device: &Device) -> Self {
        let gpu = device.gpu().clone();
        let expected = [0, 1, 2].map(|i| (0..LEN).map(|k| (1000 * i + k) as f32).collect::<Vec<_>>());
        let arrays = [0, 1, 2].map(|i| gpu.upload(&expected[i]).unwrap());
        let transpose = device.planner.plan(Permute::transpose([SIDE, SIDE])).unwrap();
        Self { gpu, transpose, arrays, expected, written: 0.5 }
    }

    /// Does one of all that touches arrays, and says what.
    fn step(&mut self, random: &mut fastrand::Rng) -> String {
        let from = random.usize(..3);
        let to = (from + random.usize(1..3)) % 3;
        let transposed = |x: &[f32]| (0..LEN).map(|k| x[k % SIDE * SIDE + k / SIDE]).collect::<Vec<_>>();
        let bound = self.transpose.bind(&self.arrays[from], &self.arrays[to]).unwrap();
        match random.u32(..8) {
            0..3 => {
                bound.enqueue().unwrap();
                self.expected[to] = transposed(&self.expected[from]);
                format!("queued {from} to {to}")
            }
            3 => {
                self.gpu.submit(|encoder| bound.encode(encoder)).unwrap();
                self.expected[to] = transposed(&self.expected[from]);
                format!("submitted {from} to {to}")
            }
            4 => {
                self.gpu.enqueue_copy(&self.arrays[from], &self.arrays[to]).unwrap();
                self.expected[to] = self.expected[from].clone();
                format!("copied {from} to {to}")
            }
            5 => {
                // Also a part of an array.
                let first = random.usize(..LEN);
                let end = random.usize(first + 1..=LEN);
                self.written += 1.0;
                let data = vec![self.written; end - first];
                self.gpu.write(self.arrays[to].slice(first..end).unwrap(), &data).unwrap();
                self.expected[to][first..end].copy_from_slice(&data);
                format!("wrote {first}..{end} of {to}")
            }
            6 => {
                assert_eq!(self.gpu.download(&self.arrays[to]).unwrap().wait().unwrap(), self.expected[to], "{to}");
                format!("read {to}")
            }
            _ => {
                self.gpu.flush().unwrap();
                "flushed".to_owned()
            }
        }
    }
}

/// What is queued, submitted, written and read happens in the order of the calls, whatever it is.
pub fn all_happens_in_the_order_of_the_calls(device: &Device) {
    let mut mirrored = Mirrored::new(device);
    let mut done = Vec::new();
    let mut random = fastrand::Rng::with_seed(seed());
    for _ in 0..300 {
        done.push(mirrored.step(&mut random));
    }
    for (array, expected) in mirrored.arrays.iter().zip(&mirrored.expected) {
        let last = &done[done.len().saturating_sub(20)..];
        assert!(mirrored.gpu.download(array).unwrap().wait().unwrap() == *expected, "{}: seed {}: ..., {last:?}", device.name, seed());
    }
}

/// More runs than a submission takes, from several threads at once, each with arrays of its own.
pub fn threads_queue_side_by_side(device: &Device) {
    let (gpu, plan) = (device.gpu(), device.planner.plan(C2c::forward(64)).unwrap());
    std::thread::scope(|scope| {
        for seed in 0..3 {
            let plan = &plan;
            scope.spawn(move || {
                let input = complex_noise(64, seed);
                let (x, y) = (gpu.upload(&input).unwrap(), gpu.alloc(64).unwrap());
                let bound = plan.bind(&x, &y).unwrap();
                for _ in 0..150 {
                    bound.enqueue().unwrap();
                }
                let output = gpu.download(&y).unwrap().wait().unwrap();
                assert_close(&output, &reference_fft(&input, 1, 64, false), fft_budget(64), &device.name);
            });
        }
    });
}

/// A handle that goes away submits what it has queued: its arrays may stay.
pub fn nothing_is_lost_with_the_handle(device: &Device) {
    let guest = Gpu::from_wgpu(device.gpu().device().clone(), device.gpu().queue().clone());
    let numbers = [1.0_f32, 2.0, 3.0, 4.0];
    let (x, y) = (guest.upload(&numbers).unwrap(), guest.alloc::<f32>(4).unwrap());
    guest.enqueue_copy(&x, &y).unwrap();
    drop(guest);
    assert_eq!(device.gpu().download(&y).unwrap().wait().unwrap(), numbers);
    // Also what a thread submits.
    for len in [64, 65, 128, 200] {
        let guest = Gpu::from_wgpu(device.gpu().device().clone(), device.gpu().queue().clone());
        let copies: Vec<DeviceBuffer<f32>> = (0..len).map(|_| guest.alloc(4).unwrap()).collect();
        copies.iter().for_each(|y| guest.enqueue_copy(&x, y).unwrap());
        drop(guest);
        for y in &copies {
            assert_eq!(device.gpu().download(y).unwrap().wait().unwrap(), numbers, "{len}");
        }
    }
}

/// A buffer that the caller destroys meanwhile is an error of what submits, which names the call
/// that used it. Calls before and after it have run. A handle that is dropped says it in the log
/// alone.
pub fn errors_of_a_submission_name_their_call(device: &Device) {
    let guest = Gpu::from_wgpu(device.gpu().device().clone(), device.gpu().queue().clone());
    let numbers = [1.0_f32, 2.0, 3.0, 4.0];
    let fresh = || (guest.upload(&numbers).unwrap(), guest.alloc::<f32>(4).unwrap());
    let refused = together(&guest, || {
        let (before, spoilt, after) = (fresh(), fresh(), fresh());
        let begun = Instant::now();
        let queued = [&before, &spoilt, &after].map(|(x, y)| guest.enqueue_copy(x, y));
        spoilt.1.buffer().destroy();
        (begun, queued.into_iter().collect(), [before.1, after.1])
    });
    let Error::Queued { call, number: 2, source } = &refused.0 else { panic!("{}", refused.0) };
    assert_eq!((call.as_str(), refused.0.kind()), ("a copy of 16 bytes", ErrorKind::Wgpu), "{source}");
    for copy in &refused.1 {
        assert_eq!(guest.download(copy).unwrap().wait().unwrap(), numbers);
    }
    // A plan, and callers with names.
    let plan = wgpu_fft::Planner::new(&guest).plan(Permute::<f32>::transpose([2, 2])).unwrap();
    let refused = together(&guest, || {
        let ((x, y), (a, b)) = (fresh(), fresh());
        let bound = plan.bind(&x, &y).unwrap();
        let begun = Instant::now();
        let first = bound.enqueue_for("the first caller");
        let second = guest.enqueue_copy_for("the second caller", &a, &b);
        y.buffer().destroy();
        (begun, first.and(second), [b])
    });
    let named = "`transpose f32 2x2` of the first caller, queued as number 1 of those submitted together: wgpu, during submission";
    assert!(refused.0.to_string().starts_with(named), "{}", refused.0);
    assert_eq!(guest.download(&refused.1[0]).unwrap().wait().unwrap(), numbers);
    let (x, y) = fresh();
    guest.enqueue_copy(&x, &y).unwrap();
    y.buffer().destroy();
    drop(guest);
    let (x, y) = (device.gpu().upload(&numbers).unwrap(), device.gpu().alloc::<f32>(4).unwrap());
    device.gpu().enqueue_copy(&x, &y).unwrap();
    assert_eq!(device.gpu().download(&y).unwrap().wait().unwrap(), numbers);
}

/// The error of submitting what is queued in a moment, and arrays. What takes longer, on a busy
/// machine, is submitted before it is spoilt, and tried again.
fn together<const N: usize>(
    gpu: &Gpu,
    queue: impl Fn() -> (Instant, Result<(), Error>, [DeviceBuffer<f32>; N]),
) -> (Error, [DeviceBuffer<f32>; N]) {
    for _ in 0..100 {
        let (begun, queued, arrays) = queue();
        let in_time = begun.elapsed() < Duration::from_micros(400);
        let refused = gpu.flush();
        if in_time {
            queued.unwrap();
            return (refused.unwrap_err(), arrays);
        }
    }
    panic!("three calls were never queued within 400 µs");
}

/// More calls than a submission takes are submitted by a thread. The error of one of them comes with
/// a later call, once, and names it.
pub fn errors_of_the_thread_name_their_call(device: &Device) {
    let guest = Gpu::from_wgpu(device.gpu().device().clone(), device.gpu().queue().clone());
    let numbers = [1.0_f32, 2.0, 3.0, 4.0];
    let x = guest.upload(&numbers).unwrap();
    let copies: Vec<DeviceBuffer<f32>> = (0..200).map(|_| guest.alloc(4).unwrap()).collect();
    copies[10].buffer().destroy();
    let queued = copies.iter().enumerate().map(|(i, y)| guest.enqueue_copy_for(format!("copy {i}"), &x, y));
    let mut refused: Vec<Error> = queued.filter_map(Result::err).collect();
    refused.extend(guest.flush().err());
    let [Error::Queued { call, .. }] = &refused[..] else { panic!("{}: {refused:?}", device.name) };
    assert_eq!(call, "a copy of 16 bytes of copy 10");
    for (i, y) in copies.iter().enumerate().filter(|(i, _)| *i != 10) {
        assert_eq!(guest.download(y).unwrap().wait().unwrap(), numbers, "{i}");
    }
}

/// A caller that queues something when it is dropped, whoever drops it.
struct Last(Gpu, [DeviceBuffer<f32>; 2]);

impl std::fmt::Display for Last {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // An error that comes here is another call's.
        let _ = self.0.flush().and(self.0.enqueue_copy(&self.1[0], &self.1[1]));
        f.write_str("the last")
    }
}

impl Drop for Last {
    fn drop(&mut self) {
        let _ = self.0.enqueue_copy(&self.1[0], &self.1[1]).and(self.0.flush());
    }
}

pub fn callers_may_queue_when_they_go(device: &Device) {
    let guest = Gpu::from_wgpu(device.gpu().device().clone(), device.gpu().queue().clone());
    let numbers = [1.0_f32, 2.0, 3.0, 4.0];
    let (x, spoilt) = (guest.upload(&numbers).unwrap(), guest.alloc::<f32>(4).unwrap());
    spoilt.buffer().destroy();
    let ends: Vec<[DeviceBuffer<f32>; 2]> = (0..300).map(|_| [guest.upload(&numbers).unwrap(), guest.alloc(4).unwrap()]).collect();
    let mut refused = 0;
    for (i, [_, y]) in ends.iter().enumerate() {
        let caller = Last(guest.clone(), ends[i].clone());
        let target = if i == 100 { &spoilt } else { y };
        refused += usize::from(guest.enqueue_copy_for(caller, &x, target).is_err());
    }
    refused += usize::from(guest.flush().is_err());
    // What the last callers have queued.
    refused += usize::from(guest.flush().is_err());
    assert!(refused <= 1, "{}: {refused}", device.name);
    for (i, [_, y]) in ends.iter().enumerate() {
        assert_eq!(guest.download(y).unwrap().wait().unwrap(), numbers, "{i}");
    }
}

/// What wgpu refuses once, such as for lack of memory, may succeed in smaller pieces.
pub fn what_is_refused_together_may_run_apart(device: &Device) {
    let numbers = [1.0_f32, 2.0, 3.0, 4.0];
    let run = |gpu: &Gpu| {
        let (x, y, z) = (gpu.upload(&numbers)?, gpu.alloc::<f32>(4)?, gpu.alloc::<f32>(4)?);
        gpu.enqueue_copy(&x, &y)?;
        gpu.enqueue_copy(&y, &z)?;
        gpu.flush()?;
        gpu.download(&z)?.wait()
    };
    let (gpu, counting) = Faults::default().inject(device.gpu().clone());
    assert_eq!(run(&gpu).unwrap(), numbers);
    let steps = counting.steps();
    let together = 1 + steps.iter().position(|step| *step == "submission of what was queued").unwrap();
    let (gpu, faults) = Faults::at(together, Failure::Refused).inject(device.gpu().clone());
    assert_eq!(run(&gpu).unwrap(), numbers);
    assert_eq!(faults.steps().iter().filter(|step| **step == "submission of a queued call").count(), 2);
}

pub fn copies_that_cannot_be_queued_say_why(device: &Device) {
    let gpu = device.gpu();
    let (x, y) = (gpu.upload(&[1.0_f32; 8]).unwrap(), gpu.alloc::<f32>(8).unwrap());
    let queue = |source: View<'_, f32>, target: View<'_, f32>| gpu.enqueue_copy(source, target).unwrap_err();
    let wrong = queue(x.slice(0..3).unwrap(), y.slice(0..4).unwrap());
    assert!(matches!(wrong, Error::WrongLen { argument: "target", expected: 3, actual: 4 }), "{wrong}");
    let aliased = queue(x.slice(0..4).unwrap(), x.slice(4..8).unwrap());
    assert!(matches!(aliased, Error::Aliased { first: "source", second: "target" }), "{aliased}");
    let storage = wgpu::BufferDescriptor { label: None, size: 32, usage: wgpu::BufferUsages::STORAGE, mapped_at_creation: false };
    let bare = gpu.device().create_buffer(&storage);
    let bare = View::whole(&bare).unwrap();
    assert!(matches!(queue(bare, y.view()), Error::MissingUsage { argument: "source", .. }));
    assert!(matches!(queue(x.view(), bare), Error::MissingUsage { argument: "target", .. }));
    let (bytes, other) = (gpu.upload(&[1_u8; 8]).unwrap(), gpu.alloc::<u8>(8).unwrap());
    let ragged = gpu.enqueue_copy(bytes.slice(0..3).unwrap(), other.slice(0..3).unwrap()).unwrap_err();
    assert!(matches!(ragged, Error::Misaligned { argument: "source", offset_bytes: 3, alignment: 4 }), "{ragged}");
    // What was refused is not queued.
    assert_eq!(gpu.download(&y).unwrap().wait().unwrap(), [0.0; 8]);
}
