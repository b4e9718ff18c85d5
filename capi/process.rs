//! Forked processes. A part of both libraries, each of which has a device of its own.
//!
//! A process that was forked from one with a device has the memory of its parent, but none of its
//! threads and no connection to the device. What waits there for a thread of the driver, or for a
//! lock that such a thread held, waits for ever, also when a device is closed or another one is
//! opened. So nothing of wgpu's may be touched there: it is refused, and what is given back leaks.
//! Where adapters were only listed, a child can open a device: both software drivers were tried.

use std::sync::atomic::{AtomicU32, Ordering};

/// The process that opens devices, once there is one.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// Whether this process was forked from one that has opened a device.
pub fn is_forked() -> bool {
    ![0, std::process::id()].contains(&OWNER.load(Ordering::Relaxed))
}

/// Refuses a process that was forked from one that has opened a device.
pub fn check() -> Result<(), String> {
    if !is_forked() {
        return Ok(());
    }
    let (own, owner) = (std::process::id(), OWNER.load(Ordering::Relaxed));
    Err(format!(
        "process {own} was forked from process {owner}, which had opened a device before; neither a device nor its driver survives that. \
         Fork first, and open the device in the process that computes"
    ))
}

/// Makes this process the one that opens devices. Before it does: a child may be forked meanwhile.
pub fn enter() -> Result<(), String> {
    let _ = OWNER.compare_exchange(0, std::process::id(), Ordering::Relaxed, Ordering::Relaxed);
    check()
}

/// Drops what is wgpu's, or leaks it in a forked process.
pub fn give_back<T>(value: T) {
    if is_forked() {
        std::mem::forget(value);
    }
}
