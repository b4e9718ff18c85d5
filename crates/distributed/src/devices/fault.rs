//! Deliberate failures of devices, for tests.

use std::sync::Mutex;
use std::sync::PoisonError;

use wgpu_fft::{Error, Gpu, Result};

/// When a device fails. Everything is counted over a whole run, from 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(not(feature = "testing"), expect(dead_code, reason = "only tests make them"))]
pub enum When {
    /// When the device begins its piece with this index.
    Piece(usize),
    /// When the device waits for the result of its piece with this index.
    Result(usize),
    /// At the device's allocation with this index.
    Allocation(usize),
    /// At every allocation from this index on.
    AllocationsFrom(usize),
}

/// How a device fails.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(not(feature = "testing"), expect(dead_code, reason = "only tests make them"))]
pub enum Failure {
    /// An error reports that the device is lost.
    Lost,
    /// The device is destroyed, and its thread finds out by itself.
    Destroyed,
    /// An error reports that the device's memory is full.
    OutOfMemory,
    /// The device's thread panics.
    Panic,
    /// The device never answers. This can only be seen where it is waited for: [`When::Result`].
    Silent,
}

/// The failures planned for the members of a set in one run.
#[derive(Debug, Default)]
pub(super) struct Faults {
    pub planned: Vec<(usize, When, Failure)>,
    /// Pieces, results and allocations of each member so far.
    counts: Mutex<Vec<[usize; 3]>>,
}

impl Faults {
    pub fn new(planned: &[(usize, When, Failure)]) -> Self {
        Self { planned: planned.to_vec(), counts: Mutex::default() }
    }

    fn count(&self, member: usize, what: usize) -> usize {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let least = counts.len().max(member + 1);
        counts.resize(least, [0; 3]);
        let count = &mut counts[member][what];
        *count += 1;
        *count - 1
    }
}

/// The failures planned for one member.
#[derive(Clone, Copy)]
pub(super) struct Injection<'a> {
    faults: Option<&'a Faults>,
    member: usize,
}

impl<'a> Injection<'a> {
    pub fn none() -> Self {
        Self { faults: None, member: 0 }
    }

    pub fn of(faults: &'a Faults, member: usize) -> Self {
        Self { faults: (!faults.planned.is_empty()).then_some(faults), member }
    }

    pub fn piece(&self, gpu: Option<&Gpu>) -> Result<()> {
        self.happen(0, gpu, 0, |when, count| when == When::Piece(count)).map(drop)
    }

    /// Returns whether the device will answer.
    pub fn result(&self, gpu: Option<&Gpu>) -> Result<bool> {
        self.happen(1, gpu, 0, |when, count| when == When::Result(count))
    }

    pub fn allocation(&self, gpu: Option<&Gpu>, bytes: u64) -> Result<()> {
        self.happen(2, gpu, bytes, |when, count| match when {
            When::Allocation(own) => own == count,
            When::AllocationsFrom(first) => count >= first,
            _ => false,
        })
        .map(drop)
    }

    /// Does what is planned. Returns whether the device will answer.
    fn happen(&self, what: usize, gpu: Option<&Gpu>, bytes: u64, now: impl Fn(When, usize) -> bool) -> Result<bool> {
        let Some(faults) = self.faults else { return Ok(true) };
        let count = faults.count(self.member, what);
        let planned = faults.planned.iter().find(|(member, when, _)| *member == self.member && now(*when, count));
        match (planned, gpu) {
            (None, _) => Ok(true),
            (Some((.., Failure::Silent)), _) => Ok(false),
            (Some((.., Failure::Destroyed)), Some(gpu)) => {
                gpu.device().destroy();
                Ok(true)
            }
            (Some((.., Failure::OutOfMemory)), _) => Err(Error::OutOfMemory { during: "a failure on purpose", bytes }),
            (Some((.., Failure::Panic)), _) => panic!("a panic on purpose"),
            (Some(_), _) => Err(Error::DeviceLost { during: "a failure on purpose", message: "on purpose".to_owned() }),
        }
    }
}
