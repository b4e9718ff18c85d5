//! What one rank computes between two exchanges: it uploads its slab, transforms and transposes it
//! on the device, and downloads it.

use std::rc::Rc;
use std::time::{Duration, Instant};

use wgpu_fft::{Bound, DeviceBuffer, Element, Plan, Spec, View};

use crate::cluster::Device;
use crate::error::{Failure, Part};

/// Times of one local pass.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct LocalTimes {
    pub upload: Duration,
    pub compute: Duration,
    pub download: Duration,
}

impl LocalTimes {
    pub fn transfer(&self) -> Duration {
        self.upload + self.download
    }
}

/// A chain of plans with its own buffers. Arrays on the host are f32, two for each complex number.
#[derive(Debug)]
pub(crate) struct LocalPass {
    device: Rc<Device>,
    input: DeviceBuffer<f32>,
    output: DeviceBuffer<f32>,
    output_len: usize,
    steps: Vec<Bound>,
}

fn view<T: Element>(buffer: &DeviceBuffer<f32>, len: usize) -> Part<View<'_, T>> {
    Ok(View::new(buffer.wgpu(), 0, len)?)
}

fn words<T>(len: usize) -> usize {
    len * size_of::<T>() / size_of::<f32>()
}

impl LocalPass {
    /// A pass without plans: its output is its input, with this number of words.
    pub fn new(device: &Rc<Device>, words: usize) -> Part<Self> {
        let input = device.gpu.alloc::<f32>(words)?;
        Ok(Self { device: Rc::clone(device), output: input.clone(), input, output_len: words, steps: Vec::new() })
    }

    /// Appends an operation.
    ///
    /// The result goes to the first array of the pass if that is free and large enough, so a pass
    /// of two steps needs two arrays.
    pub fn then<S: Spec>(mut self, plan: &Plan<S>) -> Part<Self> {
        let (from, to) = (plan.input_len(), plan.output_len());
        let needed = words::<S::Output>(to);
        let free = self.output.wgpu() != self.input.wgpu() && self.input.len() >= needed;
        let target = if free { self.input.clone() } else { self.device.gpu.alloc::<f32>(needed)? };
        self.steps.push(plan.bind(view::<S::Input>(&self.output, from)?, view::<S::Output>(&target, to)?)?);
        (self.output, self.output_len) = (target, needed);
        Ok(self)
    }

    /// Number of words of the input.
    pub fn input_len(&self) -> usize {
        self.input.len()
    }

    /// Runs the pass: uploads, computes and downloads one after the other, and times each.
    pub fn run(&self, input: &[f32]) -> Part<(Vec<f32>, LocalTimes)> {
        let gpu = &self.device.gpu;
        let begin = Instant::now();
        let target = view::<f32>(&self.input, self.input.len())?;
        gpu.write(target, input)?;
        // Writes reach the device with the next submission.
        self.device.wait(gpu.submit(|_| Ok(()))?)?;
        let uploaded = Instant::now();
        let submission = gpu.submit(|encoder| self.steps.iter().try_for_each(|step| step.encode(encoder)))?;
        self.device.wait(submission)?;
        self.device.slow_down(uploaded.elapsed());
        let computed = Instant::now();
        let output = gpu.download(view::<f32>(&self.output, self.output_len)?)?.wait()?;
        let times = LocalTimes { upload: uploaded - begin, compute: computed - uploaded, download: computed.elapsed() };
        Ok((output, times))
    }
}

/// Turns an array of f32 into one of `T`, without a copy if the allocation allows it.
pub(crate) fn cast_vec<T: Element>(words: Vec<f32>) -> Part<Vec<T>> {
    bytemuck::allocation::try_cast_vec(words)
        .or_else(|(_, words)| bytemuck::try_cast_slice(&words).map(<[T]>::to_vec))
        .map_err(|error| Failure::Other(format!("the f32 words cannot become an array of {}: {error}", T::NAME)))
}
