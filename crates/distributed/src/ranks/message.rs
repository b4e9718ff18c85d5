//! MPI operations that own their memory, so that a rank can give up waiting for them.
//!
//! MPI cannot take back a message that another rank has begun to receive, nor a collective
//! operation. A rank that gives up must therefore leave the memory to MPI for ever. Memory that is
//! borrowed from a caller could not be left, so every operation owns its own.
#![allow(unsafe_code)]

use mpi::request::{Request, StaticScope};

/// An operation under way. If it is dropped before it has finished, its memory is leaked, because
/// MPI may still read it or write to it.
pub(super) struct UnderWay<T: 'static> {
    /// Nothing once it has finished.
    request: Option<Request<'static, [T], StaticScope>>,
    memory: *mut [T],
}

impl<T: 'static> UnderWay<T> {
    /// Begins an operation on this memory.
    pub fn begin(memory: Vec<T>, start: impl FnOnce(&'static mut [T]) -> Request<'static, [T], StaticScope>) -> Self {
        let memory = Box::into_raw(memory.into_boxed_slice());
        // SAFETY: the memory comes from a box that nobody else has. Only the request uses the
        // reference, and the memory is not touched before the request has finished.
        let request = start(unsafe { &mut *memory });
        Self { request: Some(request), memory }
    }

    /// The memory, once the operation has finished.
    pub fn finished(&mut self) -> Option<Vec<T>> {
        match self.request.take()?.test() {
            // SAFETY: the request was the only user of the memory, and it is gone. It is taken
            // once, because `request` is empty from now on.
            Ok(_) => Some(unsafe { Box::from_raw(self.memory) }.into_vec()),
            Err(request) => {
                self.request = Some(request);
                None
            }
        }
    }
}

impl<T> Drop for UnderWay<T> {
    fn drop(&mut self) {
        // A request that is dropped panics.
        std::mem::forget(self.request.take());
    }
}
