//! Where tests let a device fail: each call of wgpu that can fail passes here first.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use crate::error::{Cause, Error, Result};

/// What a test does to a device.
pub trait Faults: Debug + Send + Sync {
    /// Whether the next step, which has this name, is refused: a buffer for lack of memory,
    /// anything else by an error.
    fn refuses(&self, step: &'static str) -> bool;

    /// `None`: waits are real. `Some(limit)`: every wait times out, after this limit, or after that
    /// of the [`Gpu`](crate::Gpu) if `limit` is `None`.
    fn silence(&self) -> Option<Option<Duration>>;

    /// What compilers take a text for, if it is something else.
    fn changed(&self, wgsl: &str) -> Option<String>;
}

pub(super) const REFUSED: &str = "refused on purpose, by a test";

/// Where the steps of a device pass. It does nothing outside of tests.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps(pub Option<Arc<dyn Faults>>);

impl Steps {
    /// Whether a test sees them.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn are_seen(&self) -> bool {
        self.0.is_some()
    }

    /// A step that may fail.
    pub fn pass(&self, during: &'static str, bytes: u64) -> Result<()> {
        match &self.0 {
            Some(faults) if faults.refuses(during) => Err(match during {
                "allocation" => Error::OutOfMemory { during, bytes },
                _ => Error::Wgpu { during, source: Cause::new(REFUSED) },
            }),
            _ => Ok(()),
        }
    }

    /// Whether every wait is to time out, and the limit on it, if it is not the device's own.
    pub fn silence(&self) -> Option<Option<Duration>> {
        self.0.as_ref().and_then(|faults| faults.silence())
    }

    /// The text that takes the place of another one.
    pub fn changed(&self, wgsl: &str) -> Option<String> {
        self.0.as_ref().and_then(|faults| faults.changed(wgsl))
    }
}
