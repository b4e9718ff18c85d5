//! Communication between the ranks: agreement on success, short texts and numbers, and single
//! messages. `exchange.rs` sends arrays with these.
//!
//! Waiting alternates between polling and sleeping. MPI implementations spin while they wait, which
//! takes a core away from another rank's software adapter. No wait lasts longer than a limit:
//! `roll_call.rs` then finds out which rank does not answer.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

use mpi::collective::SystemOperation;
use mpi::request::StaticScope;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

use super::failure::{Failure, Outcome};
use super::message::UnderWay;
use super::phase::Phase;
use super::running::give_back;
use crate::error::{Error, Result};

/// The longest sleep between two polls. It is short compared with any transform worth distributing.
const LONGEST_SLEEP: Duration = Duration::from_micros(100);
/// Number of polls before the first sleep, so that a wait of a few microseconds does not sleep.
const QUESTIONS: u32 = 200;
/// How long to look for an answer before the caller gets its thread back: an agreement of ranks that are
/// all there takes less, and a run needs several.
pub(super) const BESIDE: Duration = Duration::from_micros(100);
/// A caller that comes back later than this to a run that it started has worked meanwhile, and not waited;
/// or later than an eighth of the longest wait.
const LONGEST_GAP: Duration = Duration::from_secs(1);
/// A rank is waited for this many times longer than a device, because a rank that waits for its
/// device in vain can still tell the others, which is the better message.
const LONGER_THAN_DEVICES: u32 = 2;

/// More than there are phases.
const PHASES: i64 = 64;

/// The tag of the messages of an exchange. All other messages are collective operations, or those
/// of `roll_call.rs`.
const TAG: i32 = 1;

/// A communicator of our own, so that our messages are never mixed with the caller's.
#[derive(Clone)]
pub(super) struct Link {
    pub(super) comm: Rc<SimpleCommunicator>,
    pub(super) state: Rc<State>,
    rank: usize,
    size: usize,
    /// How long a device is waited for.
    timeout: Duration,
    /// The number of the job that communicates, from 1; 0 for the cluster itself.
    job: i64,
}

/// What all copies of a link share.
pub(super) struct State {
    /// What this rank is doing.
    pub phase: Cell<Phase>,
    /// The number of jobs that have been begun.
    jobs: Cell<i64>,
    /// Messages of an exchange that have arrived, and all of them.
    pub arrived: Cell<[usize; 2]>,
    /// Why no rank can be reached any more.
    pub broken: RefCell<Option<Error>>,
    /// Whether waiting blocks the thread. Otherwise the caller has other work.
    pub blocks: Cell<bool>,
    /// Whether the caller's listener has cancelled what it listens to.
    pub cancelled: Cell<bool>,
    /// Whether a run was started that is not done.
    pub started: Cell<bool>,
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "rank {} of {}", self.rank, self.size)
    }
}

impl Link {
    pub fn new(comm: &impl Communicator, timeout: Duration) -> Self {
        let comm = comm.duplicate();
        let (rank, size) = (comm.rank() as usize, comm.size() as usize);
        let state = State {
            phase: Cell::new(Phase::Open),
            jobs: Cell::default(),
            arrived: Cell::default(),
            broken: RefCell::default(),
            blocks: Cell::new(true),
            cancelled: Cell::default(),
            started: Cell::default(),
        };
        Self { comm: Rc::new(comm), state: Rc::new(state), rank, size, timeout, job: 0 }
    }

    /// The link of a new job, with a limit of its own. All ranks make their jobs in the same order,
    /// so a job has the same number on all of them.
    pub fn of_job(&self, timeout: Duration) -> Self {
        let job = self.state.jobs.get() + 1;
        self.state.jobs.set(job);
        Self { timeout, job, ..self.clone() }
    }

    pub fn rank(&self) -> usize {
        self.rank
    }

    pub fn size(&self) -> usize {
        self.size
    }

    /// How long a device is waited for.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// How long another rank is waited for.
    pub fn longest_wait(&self) -> Duration {
        self.timeout.saturating_mul(LONGER_THAN_DEVICES)
    }

    /// The index of this process among those of its machine.
    pub fn local_rank(&self) -> usize {
        self.comm.split_shared(self.rank as i32).rank() as usize
    }

    /// As [`agreed`](Self::agreed), in a call that blocks.
    pub fn agree<T>(&self, phase: Phase, part: Outcome<T>) -> Result<T> {
        self.now(self.agreed(phase, part))
    }

    /// As [`all_numbers`](Self::all_numbers), in a call that blocks.
    pub fn numbers(&self, own: &[f64]) -> Result<Vec<Vec<f64>>> {
        self.now(self.all_numbers(own))
    }

    /// Checks that all ranks have done their part. If not, all of them get the error of the first
    /// rank that failed.
    pub async fn agreed<T>(&self, phase: Phase, part: Outcome<T>) -> Result<T> {
        self.state.phase.set(phase);
        self.check()?;
        let failed = if part.is_ok() { self.size } else { self.rank };
        let code = self.job * PHASES + phase.code();
        let least = self.least([failed as i64, code, -code]).await?;
        if least[1] != -least[2] {
            let [one, other] = [least[1], -least[2]].map(|code| Phase::of_code(code % PHASES));
            return Err(if one == other { self.different_jobs().await? } else { Error::OutOfStep { one, other } });
        }
        let first = least[0] as usize;
        if first == self.size {
            // No rank failed, so this one did not either.
            return part.map_err(|failure| Failure::error(self.rank, phase, &failure.to_text()));
        }
        let own = part.err().map(|failure| failure.to_text()).unwrap_or_default();
        Err(Failure::error(first, phase, &self.text_of(first, own).await?))
    }

    /// The error of ranks that are in the same phase of different jobs. Collective.
    async fn different_jobs(&self) -> Result<Error> {
        let numbers = self.all_numbers(&[self.job as f64]).await?;
        let rank = numbers.iter().position(|number| *number != numbers[0]).unwrap_or(0);
        let [first, theirs] = [0, rank].map(|rank| format!("job {} of this cluster", numbers[rank][0]));
        Ok(Error::RanksDiffer { rank, theirs, first })
    }

    /// Fails on all ranks if one of them asks for something other than rank 0.
    pub fn same(&self, phase: Phase, own: &str) -> Result<()> {
        self.agree(phase, Ok(()))?;
        let texts = self.different_texts(own)?.unwrap_or_default();
        let Some(rank) = texts.iter().position(|text| *text != texts[0]) else { return Ok(()) };
        Err(Error::RanksDiffer { rank, theirs: texts[rank].clone(), first: texts[0].clone() })
    }

    /// Sends the text of one rank to all ranks.
    pub async fn text_of(&self, rank: usize, own: String) -> Result<String> {
        let mut bytes = own.into_bytes();
        let root = self.comm.process_at_rank(rank as i32);
        let len = UnderWay::begin(vec![bytes.len() as u64], |len| root.immediate_broadcast_into(StaticScope, len));
        // The text of an error or a recipe is far too short to exceed an i32.
        bytes.resize(self.wait(len).await?[0] as usize, 0);
        let bytes = self.wait(UnderWay::begin(bytes, |bytes| root.immediate_broadcast_into(StaticScope, bytes))).await?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The texts of all ranks, or `None` if all are the same. Then one reduction of a hash is all
    /// that is sent, whatever the number of ranks and the length of the text.
    pub fn different_texts(&self, own: &str) -> Result<Option<Vec<String>>> {
        let hash = hash(own);
        let [least, greatest, longest] = self.now(self.least([hash, -hash, -(own.len() as i64)]))?;
        if least == -greatest {
            return Ok(None);
        }
        // All as long as the longest. No text ends with a zero byte.
        let mut bytes = own.as_bytes().to_vec();
        bytes.resize(-longest as usize, 0);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned();
        Ok(Some(self.now(self.gather(&bytes))?.chunks_exact(bytes.len()).map(text).collect()))
    }

    /// Sends the numbers of all ranks to all ranks. Every rank gives equally many.
    pub async fn all_numbers(&self, own: &[f64]) -> Result<Vec<Vec<f64>>> {
        Ok(self.gather(own).await?.chunks_exact(own.len().max(1)).map(<[f64]>::to_vec).collect())
    }

    /// What each rank gives, one behind the other.
    async fn gather<T: Equivalence + Clone + Default + 'static>(&self, own: &[T]) -> Result<Vec<T>> {
        let count = own.len();
        // What is sent, and behind it what arrives.
        let mut memory = own.to_vec();
        memory.resize(count * (self.size + 1), T::default());
        let all = self.wait(UnderWay::begin(memory, |memory| {
            let (own, all) = memory.split_at_mut(count);
            self.comm.immediate_all_gather_into(StaticScope, &*own, all)
        }));
        let all = all.await?;
        Ok(all[count..].to_vec())
    }

    /// Waits until all ranks have arrived here.
    pub fn barrier(&self) -> Result<()> {
        self.now(self.least([0])).map(drop)
    }

    /// The greatest of the ranks' numbers.
    pub async fn greatest(&self, own: i64) -> Result<i64> {
        Ok(-self.least([-own]).await?[0])
    }

    async fn least<const N: usize>(&self, own: [i64; N]) -> Result<[i64; N]> {
        let memory = [own, [0; N]].concat();
        let least = self.wait(UnderWay::begin(memory, |memory| {
            let (own, least) = memory.split_at_mut(N);
            self.comm.immediate_all_reduce_into(StaticScope, &*own, least, SystemOperation::min())
        }));
        let least = least.await?;
        Ok(std::array::from_fn(|i| least[N + i]))
    }

    /// Begins to send a message of an exchange.
    pub fn send(&self, to: usize, bytes: Vec<u8>) -> UnderWay<u8> {
        let process = self.comm.process_at_rank(to as i32);
        UnderWay::begin(bytes, |bytes| process.immediate_send_with_tag(StaticScope, &*bytes, TAG))
    }

    /// Begins to receive a message of an exchange.
    pub fn receive(&self, from: usize, bytes: usize) -> UnderWay<u8> {
        let process = self.comm.process_at_rank(from as i32);
        UnderWay::begin(vec![0; bytes], |bytes| process.immediate_receive_into_with_tag(StaticScope, bytes, TAG))
    }

    /// Waits for the end of an operation.
    async fn wait<T>(&self, mut operation: UnderWay<T>) -> Result<Vec<T>> {
        let mut patience = Patience::new();
        loop {
            if let Some(memory) = operation.finished() {
                return Ok(memory);
            }
            self.pause(&mut patience).await?;
        }
    }

    /// Returns an error if the ranks have given up, also if this one has not noticed yet.
    fn check(&self) -> Result<()> {
        if let Some(error) = &*self.state.broken.borrow() {
            return Err(error.clone());
        }
        if self.is_called() { Err(self.roll_call(Duration::ZERO)) } else { Ok(()) }
    }

    /// Lets others work for a moment, or the caller if it does not block.
    ///
    /// # Errors
    /// If the limit is over, or if another rank's is.
    pub async fn pause(&self, patience: &mut Patience) -> Result<()> {
        if !self.state.blocks.get() {
            if patience.asked.elapsed() < BESIDE {
                std::thread::yield_now();
                return Ok(());
            }
            let begin = Instant::now();
            give_back().await;
            // A rank that computes for an hour has not waited so long, and finds what came meanwhile.
            patience.begin += begin.elapsed().saturating_sub(LONGEST_GAP.min(self.longest_wait() / 8));
            patience.asked = Instant::now();
        } else if patience.questions < QUESTIONS {
            patience.questions += 1;
            std::thread::yield_now();
            return Ok(());
        } else {
            patience.questions = patience.questions.saturating_add(1);
            let sleep = Duration::from_micros(u64::from(patience.questions - QUESTIONS));
            std::thread::sleep(sleep.min(LONGEST_SLEEP));
        }
        if let Some(error) = &*self.state.broken.borrow() {
            return Err(error.clone());
        }
        let waited = patience.begin.elapsed();
        if waited > self.longest_wait() || self.is_called() {
            return Err(self.roll_call(waited));
        }
        Ok(())
    }
}

/// A hash of a text (FNV-1a), without the highest bit, so that it has a negative.
fn hash(text: &str) -> i64 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    (hash >> 1) as i64
}

/// How long a rank has waited without anything happening.
pub(super) struct Patience {
    questions: u32,
    begin: Instant,
    /// When the caller last asked, if it does not block.
    asked: Instant,
}

impl Patience {
    pub fn new() -> Self {
        let now = Instant::now();
        Self { questions: 0, begin: now, asked: now }
    }
}
