//! Failures of a device on purpose.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use wgpu_fft::low_level::faults;
use wgpu_fft::{Gpu, wgpu};

/// How a step fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// wgpu refuses it: a buffer for lack of memory, anything else by an error.
    Refused,
    /// The device is destroyed, and the step goes on.
    Lost,
    /// From this step on every wait times out.
    Silent,
}

/// Counts the steps of a device and lets one of them fail.
#[derive(Debug, Default)]
pub struct Faults {
    planned: Option<(usize, Failure)>,
    /// The limit on waits for a silent device, if it is not the device's own.
    limit: Option<Duration>,
    /// What compilers take in texts for something else.
    miscompile: Option<(&'static str, &'static str)>,
    device: OnceLock<wgpu::Device>,
    /// The name of each step so far.
    steps: Mutex<Vec<&'static str>>,
}

impl Faults {
    /// The step with this number fails, counted from 1.
    pub fn at(step: usize, failure: Failure) -> Self {
        Self { planned: Some((step, failure)), ..Self::default() }
    }

    /// From this step on every wait times out, after this time. While it answers, it may take as long
    /// as the device's limit says.
    pub fn silent_at(step: usize, limit: Duration) -> Self {
        Self { limit: Some(limit), ..Self::at(step, Failure::Silent) }
    }

    /// No step fails, but the driver is wrong: it takes each `from` in a shader for `to`.
    pub fn miscompiling(from: &'static str, to: &'static str) -> Self {
        Self { miscompile: Some((from, to)), ..Self::default() }
    }

    /// The same device, whose steps are counted from now on.
    pub fn inject(self, gpu: Gpu) -> (Gpu, Arc<Self>) {
        self.device.set(gpu.device().clone()).expect("it has no device yet");
        let own = Arc::new(self);
        (faults::inject(gpu, Arc::clone(&own) as _), own)
    }

    /// The names of the steps so far.
    pub fn steps(&self) -> Vec<&'static str> {
        self.lock().clone()
    }

    /// The name of the step that failed, if it has been reached.
    pub fn happened(&self) -> Option<&'static str> {
        let (step, _) = self.planned?;
        self.lock().get(step - 1).copied()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<&'static str>> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl faults::Faults for Faults {
    fn refuses(&self, step: &'static str) -> bool {
        let number = {
            let mut steps = self.lock();
            steps.push(step);
            steps.len()
        };
        let failure = self.planned.filter(|(planned, _)| *planned == number).map(|(_, failure)| failure);
        if failure == Some(Failure::Lost) {
            self.device.get().expect("it was injected").destroy();
        }
        failure == Some(Failure::Refused)
    }

    fn silence(&self) -> Option<Option<Duration>> {
        let (step, failure) = self.planned?;
        (failure == Failure::Silent && self.lock().len() >= step).then_some(self.limit)
    }

    fn changed(&self, wgsl: &str) -> Option<String> {
        self.miscompile.filter(|(from, _)| wgsl.contains(from)).map(|(from, to)| wgsl.replace(from, to))
    }
}
