//! Failures on purpose, for tests. Each call of wgpu that can fail passes here first.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::error::{Cause, Error, Result};

/// How a step fails.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Failure {
    /// wgpu refuses it: a buffer for lack of memory, anything else by an error.
    Refused,
    /// The device is destroyed, and the step goes on.
    Lost,
    /// From this step on every wait times out.
    Silent,
}

/// Counts the steps of a [`Gpu`](crate::Gpu) and lets one of them fail.
#[derive(Debug, Default)]
pub struct Faults {
    planned: Option<(usize, Failure)>,
    /// The limit on waits for a silent device, if it is not that of the [`Gpu`](crate::Gpu).
    limit: Option<Duration>,
    /// What compilers take in texts for something else.
    miscompile: Option<(&'static str, &'static str)>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The name of each step so far.
    steps: Vec<&'static str>,
    silent: bool,
}

impl Faults {
    /// The step with this number fails, counted from 1.
    #[must_use]
    pub fn at(step: usize, failure: Failure) -> Arc<Self> {
        Arc::new(Self { planned: Some((step, failure)), ..Self::default() })
    }

    /// From this step on every wait times out, after this time. While
    /// it answers, it may take as long as the [`Gpu`](crate::Gpu)'s limit says.
    #[must_use]
    pub fn silent_at(step: usize, limit: Duration) -> Arc<Self> {
        Arc::new(Self { planned: Some((step, Failure::Silent)), limit: Some(limit), ..Self::default() })
    }

    /// No step fails.
    #[must_use]
    pub fn none() -> Arc<Self> {
        Arc::default()
    }

    /// No step fails, but the driver is wrong: it takes each `from` in a shader for `to`.
    #[must_use]
    pub fn miscompiling(from: &'static str, to: &'static str) -> Arc<Self> {
        Arc::new(Self { miscompile: Some((from, to)), ..Self::default() })
    }

    /// The text that takes the place of another one.
    fn changed(&self, wgsl: &str) -> Option<String> {
        self.miscompile.filter(|(from, _)| wgsl.contains(from)).map(|(from, to)| wgsl.replace(from, to))
    }

    /// The names of the steps so far.
    #[must_use]
    pub fn steps(&self) -> Vec<&'static str> {
        self.lock().steps.clone()
    }

    /// The name of the step that failed, if it has been reached.
    #[must_use]
    pub fn happened(&self) -> Option<&'static str> {
        let (step, _) = self.planned?;
        self.lock().steps.get(step - 1).copied()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn step(&self, device: &wgpu::Device, during: &'static str, bytes: u64) -> Result<()> {
        let number = {
            let mut state = self.lock();
            state.steps.push(during);
            state.steps.len()
        };
        match self.planned.filter(|(planned, _)| *planned == number) {
            None => {}
            Some((_, Failure::Refused)) if during == "allocation" => return Err(Error::OutOfMemory { during, bytes }),
            Some((_, Failure::Refused)) => return Err(Error::Wgpu { during, source: Cause::new(REFUSED) }),
            Some((_, Failure::Lost)) => device.destroy(),
            Some((_, Failure::Silent)) => self.lock().silent = true,
        }
        Ok(())
    }
}

pub(super) const REFUSED: &str = "refused on purpose, by a test";

/// Where the steps of a device pass. Without faults, which is always but in tests, nothing happens.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps(Option<(Arc<Faults>, wgpu::Device)>);

impl Steps {
    /// Those that `faults` counts.
    pub fn of(faults: &Arc<Faults>, device: &wgpu::Device) -> Self {
        Self(Some((Arc::clone(faults), device.clone())))
    }

    /// Whether they are counted.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn are_counted(&self) -> bool {
        self.0.is_some()
    }

    /// A step that may fail.
    pub fn pass(&self, during: &'static str, bytes: u64) -> Result<()> {
        self.0.as_ref().map_or(Ok(()), |(faults, device)| faults.step(device, during, bytes))
    }

    /// Whether every wait is to time out.
    pub fn is_silenced(&self) -> bool {
        self.0.as_ref().is_some_and(|(faults, _)| faults.lock().silent)
    }

    /// The limit on waits, if it is another one now than the device's own.
    pub fn limit(&self) -> Option<Duration> {
        self.0.as_ref().filter(|_| self.is_silenced()).and_then(|(faults, _)| faults.limit)
    }

    /// The text that takes the place of another one.
    pub fn changed(&self, wgsl: &str) -> Option<String> {
        self.0.as_ref().and_then(|(faults, _)| faults.changed(wgsl))
    }
}
