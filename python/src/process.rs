//! Forked processes, and waiting that Ctrl-C ends.
//!
//! A process that was forked has the memory of its parent, but none of its threads and no
//! connection to the device. Nothing of wgpu may be touched there.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use wgpu_fft::Pending;

use crate::error::{raised, refused};

/// The process that opens devices, once there is one.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// How long a wait lasts before Python may handle signals.
const STEP: Duration = Duration::from_millis(50);

/// Fails in a process that was forked from one that has opened a device.
#[pyfunction]
#[pyo3(name = "check_process")]
pub(crate) fn check() -> PyResult<()> {
    if !is_forked() {
        return Ok(());
    }
    let (own, owner) = (std::process::id(), OWNER.load(Ordering::Relaxed));
    Err(refused(
        "forked",
        &format!(
            "process {own} was forked from process {owner}, which had used the device already; a device does not survive that. Use the \
             start method \"spawn\" or \"forkserver\" of multiprocessing, or call wgpu_fft only after the fork"
        ),
    ))
}

/// Makes this process the one that opens devices. Before it does: a child may be forked meanwhile.
pub(crate) fn enter() -> PyResult<()> {
    let _ = OWNER.compare_exchange(0, std::process::id(), Ordering::Relaxed, Ordering::Relaxed);
    check()
}

/// Whether this process was forked from one that has opened a device.
#[pyfunction]
pub(crate) fn is_forked() -> bool {
    let owner = OWNER.load(Ordering::Relaxed);
    owner != 0 && owner != std::process::id()
}

/// Something of wgpu's, which a forked process does not drop.
pub(crate) struct Own<T>(Option<T>);

impl<T> Own<T> {
    pub fn new(value: T) -> Self {
        Self(Some(value))
    }

    /// The value, unless this is a forked process.
    pub fn get(&self) -> PyResult<&T> {
        check()?;
        self.checked()
    }

    /// The value, in a call that has got another one: asking for the process takes 0.15 µs.
    pub fn checked(&self) -> PyResult<&T> {
        self.0.as_ref().ok_or_else(|| refused("freed", "this was freed"))
    }

    /// The value itself, unless this is a forked process.
    pub fn take(&mut self) -> Option<T> {
        if is_forked() { None } else { self.0.take() }
    }
}

impl<T> Drop for Own<T> {
    fn drop(&mut self) {
        if self.0.is_some() && is_forked() {
            std::mem::forget(self.0.take());
        }
    }
}

/// Waits for a result without the interpreter's lock, and lets Python handle signals meanwhile.
pub(crate) fn waited<T: Send + 'static>(py: Python<'_>, mut pending: Pending<T>) -> PyResult<T> {
    loop {
        if let Some(value) = py.detach(|| pending.wait_timeout(STEP)).map_err(raised)? {
            return Ok(value);
        }
        py.check_signals()?;
    }
}

/// Does what takes long on a thread of its own, without the interpreter's lock, and lets Python
/// handle signals meanwhile. If one of them raises, the thread goes on and its result is dropped.
pub(crate) fn aside<T: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> T + Send + 'static) -> PyResult<T> {
    let (sender, mut receiver) = sync_channel(1);
    // The receiver is gone if a signal has ended the wait.
    let send = move || drop(sender.send(work()));
    if let Err(why) = thread::Builder::new().name("wgpu-fft plans".to_owned()).spawn(send) {
        return Err(refused("no-thread", &format!("there is no thread to plan with: {why}")));
    }
    loop {
        let own = &mut receiver;
        match py.detach(move || own.recv_timeout(STEP)) {
            Ok(value) => return Ok(value),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Err(refused("panicked", "the thread that planned has panicked")),
        }
    }
}
