//! Sequences of calls on devices: a target of the fuzzer (`fuzz/`), which tests on devices call as
//! well.
//!
//! Bytes are read as calls. Nothing panics or hangs, results are right, and each call that fails
//! returns an error that fits the mistake.

use std::f64::consts::TAU;
use std::sync::Arc;

use wgpu_fft::fft::C2c;
use wgpu_fft::{Bound, Complex32, DeviceBuffer, Error, Gpu, Pending, Plan, Planner, wgpu};

/// What the bytes say, one choice after the other. Behind the end all choices are 0.
struct Choices<'a>(std::slice::Iter<'a, u8>);

impl Choices<'_> {
    fn below(&mut self, bound: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or(0)) % bound.max(1)
    }

    fn of<'b, T>(&mut self, all: &'b [T]) -> Option<&'b T> {
        all.get(self.below(all.len()))
    }

    fn is_done(&self) -> bool {
        self.0.as_slice().is_empty()
    }
}

/// An object, and the number of the device that it was made on.
struct Of<T>(usize, T);

type Promised = Pending<Vec<Complex32>>;

struct State<'a> {
    open: &'a dyn Fn() -> Gpu,
    /// All devices, and whether they were destroyed. The last one is in use.
    gpus: Vec<(Gpu, bool)>,
    planner: Arc<Planner>,
    /// Plans, and the length of their lines.
    plans: Vec<Of<(Arc<Plan<C2c>>, usize)>>,
    buffers: Vec<Of<DeviceBuffer<Complex32>>>,
    bounds: Vec<Of<Bound>>,
    /// Results to come, and what they should be.
    pending: Vec<Of<(Promised, Vec<Complex32>)>>,
}

const LENGTHS: [usize; 6] = [1, 2, 8, 12, 16, 37];
/// Of the relative error in the two-norm: what is promised for the longest of them by a convolution,
/// 3u√log₂128, and the rounding of what it is compared with.
const BOUND: f64 = 5e-7;
/// So that a sequence does not fill the memory.
const MAX_OBJECTS: usize = 24;

fn signal(len: usize, seed: usize) -> Vec<Complex32> {
    (0..len).map(|i| Complex32::new(((i * 7 + seed) % 11) as f32 - 5.0, ((i * 5 + seed) % 13) as f32 - 6.0)).collect()
}

/// The transforms of each `n` elements, by definition.
fn transformed(input: &[Complex32], n: usize) -> Vec<Complex32> {
    let of_line = |line: &[Complex32], k: usize| {
        let (mut re, mut im) = (0.0, 0.0);
        for (j, z) in line.iter().enumerate() {
            let (sin, cos) = (-TAU * ((j * k) % n) as f64 / n as f64).sin_cos();
            let (x, y) = (f64::from(z.re), f64::from(z.im));
            (re, im) = (re + x * cos - y * sin, im + x * sin + y * cos);
        }
        Complex32::new(re as f32, im as f32)
    };
    input.chunks_exact(n).flat_map(|line| (0..n).map(move |k| of_line(line, k))).collect()
}

impl State<'_> {
    fn gpu(&self) -> &Gpu {
        &self.gpus[self.gpus.len() - 1].0
    }

    fn is_lost(&self, device: usize) -> bool {
        self.gpus[device].1
    }

    fn current(&self) -> usize {
        self.gpus.len() - 1
    }

    /// What a call on a device returns, if it may.
    fn taken<T>(&self, device: usize, what: &str, result: Result<T, Error>) -> Option<T> {
        result
            .map_err(|error| {
                let mistake = matches!(
                    error,
                    Error::WrongLen { .. }
                        | Error::WrongPlacement { .. }
                        | Error::Aliased { .. }
                        | Error::ForeignObject { .. }
                        | Error::OutOfRange { .. }
                        | Error::Empty { .. }
                );
                let lost = self.is_lost(device) && matches!(error, Error::DeviceLost { .. });
                assert!(mistake || lost, "{what}: {error}");
            })
            .ok()
    }

    fn is_right(&self, device: usize, result: Result<Vec<Complex32>, Error>, expected: &[Complex32]) {
        // Work that was submitted before the device was lost may have ended well.
        let Some(result) = self.taken(device, "a result", result) else {
            return assert!(self.is_lost(device), "a result that was promised did not come");
        };
        assert_eq!(result.len(), expected.len());
        let norm = |all: &mut dyn Iterator<Item = Complex32>| all.map(|z| f64::from(z.norm()).powi(2)).sum::<f64>().sqrt();
        let error = norm(&mut result.iter().zip(expected).map(|(own, expected)| own - expected)) / norm(&mut expected.iter().copied());
        assert!(error <= BOUND, "relative error {error:.1e}: {result:?} in place of {expected:?}");
    }

    fn call(&mut self, choices: &mut Choices<'_>) {
        let full = [self.plans.len(), self.buffers.len(), self.bounds.len(), self.pending.len()].into_iter().any(|len| len > MAX_OBJECTS);
        match if full { 9 } else { choices.below(20) } {
            0 | 1 => {
                let n = LENGTHS[choices.below(LENGTHS.len())];
                let spec = C2c::forward(n).batch(1 + choices.below(3));
                let spec = if choices.below(3) == 0 { spec.in_place() } else { spec };
                let plan = self.planner.plan(spec);
                let device = self.current();
                let plan = self.taken(device, "planning", plan);
                self.plans.extend(plan.map(|plan| Of(device, (plan, n))));
            }
            2 | 3 => {
                let len = choices.of(&self.plans).map_or(1, |Of(_, (plan, _))| plan.output_len()) + usize::from(choices.below(8) == 7);
                let made = if choices.below(2) == 0 { self.gpu().alloc(len) } else { self.gpu().upload(&signal(len, 1)) };
                let device = self.current();
                let buffer = self.taken(device, "an array", made);
                self.buffers.extend(buffer.map(|buffer| Of(device, buffer)));
            }
            4 | 5 => {
                let Some(&Of(device, (ref plan, n))) = choices.of(&self.plans) else { return };
                let input = signal(plan.output_len() + usize::from(choices.below(8) == 7), choices.below(4));
                let result = plan.run(&input);
                assert!(result.is_err() || input.len() == plan.output_len());
                let expected = transformed(&input, n);
                let promised = self.taken(device, "running", result);
                self.pending.extend(promised.map(|promised| Of(device, (promised, expected))));
            }
            6 => {
                let Some(&Of(device, (ref plan, n))) = choices.of(&self.plans) else { return };
                let input = signal(plan.output_len(), choices.below(4));
                let mut output = vec![Complex32::ZERO; plan.output_len() + usize::from(choices.below(8) == 7)];
                let expected = transformed(&input, n);
                if self.taken(device, "running into memory", plan.run_into(&input, &mut output)).is_some() {
                    self.is_right(device, Ok(output), &expected);
                }
            }
            7 => {
                let Some(&Of(device, (ref plan, _))) = choices.of(&self.plans) else { return };
                let (Some(a), Some(b)) = (choices.of(&self.buffers), choices.of(&self.buffers)) else { return };
                let bound = if choices.below(3) == 0 { plan.bind_in_place(&a.1) } else { plan.bind(&a.1, &b.1) };
                let bound = self.taken(device, "binding", bound);
                self.bounds.extend(bound.map(|bound| Of(device, bound)));
            }
            8 => {
                let Some(&Of(device, ref bound)) = choices.of(&self.bounds) else { return };
                let submitted = self.gpus[device].0.submit(|encoder| {
                    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                    bound.record(&mut pass);
                    bound.record(&mut pass);
                    Ok(())
                });
                self.taken(device, "submitting", submitted);
            }
            9 | 10 => {
                let i = choices.below(self.pending.len());
                if i < self.pending.len() {
                    let Of(device, (promised, expected)) = self.pending.remove(i);
                    match choices.below(4) {
                        0 => drop(promised),
                        1 => self.is_right(device, pollster::block_on(promised), &expected),
                        _ => self.is_right(device, promised.wait(), &expected),
                    }
                }
                if full {
                    self.plans.truncate(MAX_OBJECTS / 2);
                    self.buffers.truncate(MAX_OBJECTS / 2);
                    self.bounds.truncate(MAX_OBJECTS / 2);
                }
            }
            11 => {
                let i = choices.below(self.plans.len());
                if i < self.plans.len() {
                    self.plans.swap_remove(i);
                }
            }
            12 => {
                let i = choices.below(self.buffers.len());
                if i < self.buffers.len() {
                    self.buffers.swap_remove(i);
                }
            }
            13 => self.planner.clear(),
            14 => {
                let (Some(&Of(device, (ref plan, _))), Some(a), Some(b)) =
                    (choices.of(&self.plans), choices.of(&self.buffers), choices.of(&self.buffers))
                else {
                    return;
                };
                let encoded = self.gpus[device].0.submit(|encoder| plan.encode(encoder, &a.1, &b.1));
                self.taken(device, "encoding", encoded);
            }
            15 => {
                let Some(buffer) = choices.of(&self.buffers) else { return };
                let device = self.current();
                let data = signal(1 + choices.below(40), 2);
                self.taken(device, "writing", self.gpu().write(&buffer.1, &data));
                let read = self.gpu().download(&buffer.1).and_then(Pending::wait);
                self.taken(device, "reading", read);
            }
            16 => self.gpu().free_kept(),
            17 => {
                // Planned aside, and perhaps nobody waits for it.
                let n = LENGTHS[choices.below(LENGTHS.len())];
                let spec = C2c::forward(n);
                let planner = Arc::clone(&self.planner);
                let device = self.current();
                if choices.below(2) == 0 {
                    let mut future = Box::pin(planner.plan_async(spec));
                    let _ = future.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop()));
                } else {
                    let plan = self.taken(device, "planning aside", pollster::block_on(planner.plan_async(spec)));
                    self.plans.extend(plan.map(|plan| Of(device, (plan, n))));
                }
            }
            18 => {
                if choices.below(4) == 0 && self.gpus.len() < 4 {
                    let gpu = (self.open)();
                    self.planner = Arc::new(Planner::new(&gpu));
                    self.gpus.push((gpu, false));
                }
            }
            _ => {
                if choices.below(6) == 0 {
                    let device = choices.below(self.gpus.len());
                    self.gpus[device].0.device().destroy();
                    self.gpus[device].1 = true;
                    assert!(self.gpus[device].0.is_lost());
                }
            }
        }
    }
}

/// The calls that the bytes say, on devices that a function opens.
pub fn calls(bytes: &[u8], open: &dyn Fn() -> Gpu) {
    let gpu = open();
    let planner = Arc::new(Planner::new(&gpu));
    let mut state =
        State { open, gpus: vec![(gpu, false)], planner, plans: Vec::new(), buffers: Vec::new(), bounds: Vec::new(), pending: Vec::new() };
    let mut choices = Choices(bytes.iter());
    while !choices.is_done() {
        state.call(&mut choices);
    }
    for Of(device, (promised, expected)) in std::mem::take(&mut state.pending) {
        state.is_right(device, promised.wait(), &expected);
    }
}

/// The same on the adapter that the environment asks for.
pub fn calls_on_any_device(bytes: &[u8]) {
    calls(bytes, &|| pollster::block_on(Gpu::request(&wgpu_fft::GpuOptions::default())).expect("a device"));
}
