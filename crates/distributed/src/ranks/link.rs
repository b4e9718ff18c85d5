//! Communication between the ranks: agreement on success, short texts and numbers, and arrays in
//! messages of bounded size.
//!
//! Waiting alternates between polling and sleeping. MPI implementations spin while they wait, which
//! takes a core away from another rank's software adapter.

use std::rc::Rc;
use std::time::Duration;

use mpi::collective::SystemOperation;
use mpi::request::{Request, Scope, scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

use super::failure::{Failure, Outcome};
use super::phase::Phase;
use crate::error::{Error, Result};

/// The longest sleep between two polls. It is short compared with any transform worth distributing.
const LONGEST_SLEEP: Duration = Duration::from_micros(100);
/// Number of polls before the first sleep, so that a wait of a few microseconds does not sleep.
const QUESTIONS: u32 = 200;

/// The tag of the messages of an exchange. All other messages are collective operations.
const TAG: i32 = 1;

/// A communicator of our own, so that our messages are never mixed with the caller's.
#[derive(Clone)]
pub(super) struct Link {
    comm: Rc<SimpleCommunicator>,
    rank: usize,
    size: usize,
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "rank {} of {}", self.rank, self.size)
    }
}

impl Link {
    pub fn new(comm: &impl Communicator) -> Self {
        let comm = comm.duplicate();
        let (rank, size) = (comm.rank() as usize, comm.size() as usize);
        Self { comm: Rc::new(comm), rank, size }
    }

    pub fn rank(&self) -> usize {
        self.rank
    }

    pub fn size(&self) -> usize {
        self.size
    }

    /// The index of this process among those of its machine.
    pub fn local_rank(&self) -> usize {
        self.comm.split_shared(self.rank as i32).rank() as usize
    }

    /// Checks that all ranks have done their part. If not, all of them get the error of the first
    /// rank that failed.
    pub fn agree<T>(&self, phase: Phase, part: Outcome<T>) -> Result<T> {
        let failed = if part.is_ok() { self.size } else { self.rank };
        let code = phase.code();
        let least = self.least([failed as i64, code, -code]);
        if least[1] != -least[2] {
            let [one, other] = [least[1], -least[2]].map(Phase::of_code);
            return Err(Error::OutOfStep { one, other });
        }
        let first = least[0] as usize;
        if first == self.size {
            // No rank failed, so this one did not either.
            return part.map_err(|failure| Failure::error(self.rank, phase, &failure.to_text()));
        }
        let own = part.err().map(|failure| failure.to_text()).unwrap_or_default();
        Err(Failure::error(first, phase, &self.text_of(first, own)))
    }

    /// Fails on all ranks if one of them asks for something other than rank 0.
    pub fn same(&self, phase: Phase, own: &str) -> Result<()> {
        self.agree(phase, Ok(()))?;
        let first = self.text_of(0, own.to_owned());
        let differs = if own == first { self.size } else { self.rank };
        let rank = self.least([differs as i64])[0] as usize;
        if rank == self.size {
            return Ok(());
        }
        Err(Error::RanksDiffer { rank, theirs: self.text_of(rank, own.to_owned()), first })
    }

    /// Sends the text of one rank to all ranks.
    pub fn text_of(&self, rank: usize, own: String) -> String {
        let mut bytes = own.into_bytes();
        let mut len = [bytes.len() as u64];
        let root = self.comm.process_at_rank(rank as i32);
        scope(|scope| wait(root.immediate_broadcast_into(scope, &mut len[..])));
        // The text of an error or a recipe is far too short to exceed an i32.
        bytes.resize(len[0] as usize, 0);
        scope(|scope| wait(root.immediate_broadcast_into(scope, &mut bytes[..])));
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Sends the texts of all ranks to all ranks.
    pub fn texts(&self, own: &str) -> Vec<String> {
        (0..self.size).map(|rank| self.text_of(rank, own.to_owned())).collect()
    }

    /// Sends the numbers of all ranks to all ranks. Every rank gives equally many.
    pub fn numbers(&self, own: &[f64]) -> Vec<Vec<f64>> {
        let mut all = vec![0.0; own.len() * self.size];
        scope(|scope| wait(self.comm.immediate_all_gather_into(scope, own, &mut all[..])));
        all.chunks_exact(own.len().max(1)).map(<[f64]>::to_vec).collect()
    }

    /// Waits until all ranks have arrived here.
    pub fn barrier(&self) {
        let _: [i64; 1] = self.least([0]);
    }

    fn least<const N: usize>(&self, own: [i64; N]) -> [i64; N] {
        let mut least = [0; N];
        scope(|scope| wait(self.comm.immediate_all_reduce_into(scope, &own[..], &mut least[..], SystemOperation::min())));
        least
    }

    /// Sends a block to every rank and receives one from every rank, in messages of at most
    /// `message_bytes`. `send` and `receive` hold the blocks by rank. Blocks may be empty, and each
    /// block sent is as long as the receiver expects. `done` is called with the size of each
    /// message that has arrived.
    ///
    /// # How it works
    /// In step s a rank sends to the rank s places after it and receives from the rank s places
    /// before it, with one message in each direction at a time. No rank can wait forever: consider
    /// the ranks that are furthest behind. Their partners are at the same step or further on, and
    /// have posted their half of the messages.
    pub fn exchange(&self, send: &[&[u8]], receive: &mut [&mut [u8]], message_bytes: usize, done: &mut dyn FnMut(usize)) {
        if let (Some(own), Some(target)) = (send.get(self.rank), receive.get_mut(self.rank)) {
            target.copy_from_slice(own);
            done(own.len());
        }
        // MPI counts in an i32.
        let most = message_bytes.clamp(1, i32::MAX as usize);
        for step in 1..self.size {
            let (to, from) = ((self.rank + step) % self.size, (self.rank + self.size - step) % self.size);
            let [target, source] = [to, from].map(|rank| self.comm.process_at_rank(rank as i32));
            let (mut outgoing, mut incoming) = (send[to].chunks(most), receive[from].chunks_mut(most));
            loop {
                let (out, into) = (outgoing.next(), incoming.next());
                let bytes = into.as_ref().map_or(0, |into| into.len());
                if out.is_none() && into.is_none() {
                    break;
                }
                scope(|scope| {
                    let arriving = into.map(|into| source.immediate_receive_into_with_tag(scope, into, TAG));
                    let leaving = out.map(|out| target.immediate_send_with_tag(scope, out, TAG));
                    if let Some(arriving) = arriving {
                        wait(arriving);
                    }
                    if let Some(leaving) = leaving {
                        wait(leaving);
                    }
                });
                done(bytes);
            }
        }
    }
}

/// Waits for the end of an operation.
fn wait<'a, D: ?Sized, S: Scope<'a>>(mut request: Request<'a, D, S>) {
    let mut questions = 0u32;
    loop {
        request = match request.test() {
            Ok(_) => return,
            Err(request) => request,
        };
        questions += 1;
        if questions > QUESTIONS {
            let sleep = Duration::from_micros(u64::from(questions - QUESTIONS));
            std::thread::sleep(sleep.min(LONGEST_SLEEP));
        } else {
            std::thread::yield_now();
        }
    }
}
