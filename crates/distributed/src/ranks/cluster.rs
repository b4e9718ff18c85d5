//! The ranks of a job and their devices.

use std::rc::Rc;
use std::time::Duration;

use mpi::traits::Communicator;
use wgpu_fft::{Gpu, GpuOptions, Planner, gpu, wgpu};

use super::failure::{Failure, Outcome, guarded};
use super::link::Link;
use super::phase::Phase;
use crate::error::Result;
use crate::options::TIMEOUT;

/// How a rank chooses its adapter.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Adapter {
    /// The i-th process of a machine uses the i-th adapter, modulo the number of adapters. Software
    /// adapters count only if there is nothing else. Only the backend of the best adapter counts,
    /// so that no card is counted twice.
    #[default]
    ByLocalRank,
    /// The i-th process of a machine uses an adapter whose name or driver contains the i-th of
    /// these names, modulo the number of names. The first process with a name takes the best of its
    /// adapters, the next one the second best, and so on: one name serves for several equal cards.
    Names(Vec<String>),
    /// This one of the adapters that `ByLocalRank` counts, from 0. Each process of a machine has
    /// its own options, so it may have another one.
    Index(usize),
    /// The card at this PCI address, such as `0000:65:00.0`, as `lspci -D` and `nvidia-smi` print
    /// it. Only Vulkan tells it.
    PciBus(String),
}

/// The options of one rank. Ranks may have different ones.
#[derive(Clone, PartialEq, Debug)]
#[must_use]
pub struct RankOptions {
    adapter: Adapter,
    timeout: Duration,
    emulated: Emulated,
}

/// What is only emulated on a rank.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Emulated {
    slowdown: Option<f64>,
    failure: Option<Phase>,
    /// The device does not answer in this phase, from the piece with this index on.
    silent_device: Option<(Phase, usize)>,
    /// The rank sleeps so long before this phase.
    sleep: Option<(Phase, Duration)>,
}

impl Default for RankOptions {
    fn default() -> Self {
        Self { adapter: Adapter::default(), timeout: TIMEOUT, emulated: Emulated::default() }
    }
}

impl RankOptions {
    /// Sets how the rank chooses its adapter.
    pub fn adapter(mut self, adapter: Adapter) -> Self {
        self.adapter = adapter;
        self
    }

    /// Sets how long this rank waits for others that open their devices, and at the beginning of
    /// [`Job::new`](crate::Job::new): twice this time. The default is 10 minutes. MPI itself waits
    /// until all ranks have called [`Cluster::open`]. Jobs have a limit of their own,
    /// [`JobOptions::timeout`](crate::JobOptions::timeout).
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Emulates a slower device, which does not use the host's cores: after each local pass the
    /// rank sleeps until the computation has taken `factor` times as long. 1 changes nothing.
    pub fn slowdown(mut self, factor: f64) -> Self {
        self.emulated.slowdown = Some(factor);
        self
    }

    /// Lets the rank's device never answer in a phase, from the piece with this index on.
    #[cfg(feature = "testing")]
    pub fn silent_device_in(mut self, phase: Phase, piece: usize) -> Self {
        self.emulated.silent_device = Some((phase, piece));
        self
    }

    /// Lets the rank sleep before a phase.
    #[cfg(feature = "testing")]
    pub fn sleep_before(mut self, phase: Phase, time: Duration) -> Self {
        self.emulated.sleep = Some((phase, time));
        self
    }

    /// Lets the rank fail in a phase.
    #[cfg(feature = "testing")]
    pub fn fail_in(mut self, phase: Phase) -> Self {
        self.emulated.failure = Some(phase);
        self
    }
}

/// The identity of a rank and its device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// Its rank in the communicator.
    pub rank: usize,
    /// Its index among the processes of its machine.
    pub local_rank: usize,
    /// Name of the machine.
    pub host: String,
    /// Name and type of the adapter.
    pub adapter: String,
}

/// The device of this rank, and what tests emulate on it.
#[derive(Debug)]
pub(super) struct Device {
    pub gpu: Gpu,
    pub planner: Rc<Planner>,
    /// The number of ranks on this machine.
    pub ranks_beside: usize,
    emulated: Emulated,
}

impl Device {
    /// Fails if a test asks for a failure in this phase.
    pub fn check(&self, phase: Phase) -> Outcome<()> {
        fail_if(self.emulated, phase)
    }

    /// Whether the device will never answer, because a test asks for that.
    pub fn is_silent(&self, phase: Phase, piece: usize) -> bool {
        self.emulated.silent_device.is_some_and(|(when, first)| when == phase && piece >= first)
    }

    /// Emulates a slower device, on which the time `computed` would have been longer.
    pub fn slow_down(&self, computed: Duration) {
        let more = self.emulated.slowdown.unwrap_or(1.0) - 1.0;
        if more != 0.0
            && let Ok(more) = Duration::try_from_secs_f64(computed.as_secs_f64() * more)
        {
            std::thread::sleep(more);
        }
    }
}

fn fail_if(emulated: Emulated, phase: Phase) -> Outcome<()> {
    if let Some((when, time)) = emulated.sleep
        && when == phase
    {
        std::thread::sleep(time);
    }
    if emulated.failure == Some(phase) { Err(Failure::Other("it was told to fail".to_owned())) } else { Ok(()) }
}

/// The ranks of a communicator with their devices, which share [`Job`](crate::Job)s.
///
/// It holds a communicator of its own, which must be freed before MPI ends. So drop it and its jobs
/// before the `Universe` that `mpi::initialize()` returned.
#[derive(Clone, Debug)]
pub struct Cluster {
    pub(super) link: Link,
    pub(super) device: Rc<Device>,
    members: Rc<[Member]>,
}

impl Cluster {
    /// Opens a device on every rank. Collective: every rank of `comm` must call it.
    ///
    /// # Errors
    /// On all ranks, [`Error::NoAdapter`](crate::Error::NoAdapter) if some rank has no adapter.
    pub fn open(comm: &impl Communicator, options: &RankOptions) -> Result<Self> {
        Self::of(comm, options, |local_rank| Ok(Rc::new(Planner::new(&open(&options.adapter, local_rank)?))))
    }

    /// Takes the device of a planner on every rank, whose plans the cluster's jobs share. The
    /// options' adapter plays no part. Collective: every rank of `comm` must call it.
    ///
    /// ```no_run
    /// # use wgpu_fft_distributed::{Cluster, RankOptions, mpi::traits::Communicator};
    /// # fn halves(world: &impl Communicator, half: &impl Communicator) -> wgpu_fft_distributed::Result<()> {
    /// let all = Cluster::open(world, &RankOptions::default())?;
    /// // Of half of the ranks, on the same devices.
    /// let some = Cluster::with_planner(half, all.planner(), &RankOptions::default())?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of an agreement between the ranks: for example
    /// [`Error::RankSilent`](crate::Error::RankSilent).
    pub fn with_planner(comm: &impl Communicator, planner: &Rc<Planner>, options: &RankOptions) -> Result<Self> {
        Self::of(comm, options, |_| Ok(Rc::clone(planner)))
    }

    fn of(comm: &impl Communicator, options: &RankOptions, planner: impl FnOnce(usize) -> Outcome<Rc<Planner>>) -> Result<Self> {
        let link = Link::new(comm, options.timeout);
        let local_rank = link.local_rank();
        let opened = guarded(|| {
            fail_if(options.emulated, Phase::Open)?;
            planner(local_rank)
        });
        let planner = link.agree(Phase::Open, opened)?;
        let gpu = planner.gpu().clone();
        let info = gpu.adapter_info();
        let adapter = format!("{} ({:?})", info.name, info.device_type);
        let of_all = |own: String| -> Result<Vec<String>> { Ok(link.different_texts(&own)?.unwrap_or_else(|| vec![own; link.size()])) };
        let (hosts, adapters) = (of_all(host())?, of_all(adapter)?);
        let locals = link.numbers(&[local_rank as f64])?;
        let ranks_beside = hosts.iter().filter(|host| **host == hosts[link.rank()]).count();
        let members = hosts.into_iter().zip(adapters).zip(locals).enumerate();
        let members = members.map(|(rank, ((host, adapter), local))| Member { rank, local_rank: local[0] as usize, host, adapter });
        Ok(Self { link, device: Rc::new(Device { gpu, planner, ranks_beside, emulated: options.emulated }), members: members.collect() })
    }

    /// This process's rank.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.link.rank()
    }

    /// Number of ranks.
    #[must_use]
    pub fn size(&self) -> usize {
        self.link.size()
    }

    /// This rank's device.
    #[must_use]
    pub fn gpu(&self) -> &Gpu {
        &self.device.gpu
    }

    /// The planner of this rank's device.
    #[must_use]
    pub fn planner(&self) -> &Rc<Planner> {
        &self.device.planner
    }

    /// All ranks with their machines and adapters, in order.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        &self.members
    }
}

fn host() -> String {
    mpi::environment::processor_name().unwrap_or_else(|_| "unknown".to_owned())
}

fn open(adapter: &Adapter, local_rank: usize) -> Outcome<Gpu> {
    let (mut options, mut place) = (GpuOptions::default(), local_rank);
    if let Adapter::Names(names) = adapter {
        let nth = local_rank.checked_rem(names.len()).ok_or_else(|| Failure::Adapter("the list of adapter names is empty".to_owned()))?;
        (options, place) = (options.adapter_name(&names[nth]), local_rank / names.len());
    }
    let mut adapters = pollster::block_on(gpu::adapters(&options))?;
    let kind = |adapter: &wgpu::Adapter| {
        let info = adapter.get_info();
        (info.backend, info.device_type == wgpu::DeviceType::Cpu)
    };
    let best = adapters.first().map(kind);
    adapters.retain(|adapter| Some(kind(adapter)) == best);
    let wanted = match adapter {
        // `adapters` is not empty; an empty list would have been an error.
        Adapter::ByLocalRank | Adapter::Names(_) => place.checked_rem(adapters.len()),
        Adapter::Index(index) => Some(*index),
        // nvidia-smi prints more zeros in front.
        Adapter::PciBus(address) => adapters.iter().position(|adapter| {
            let (address, own) = (address.to_ascii_lowercase(), adapter.get_info().device_pci_bus_id);
            !own.is_empty() && (address == own || address.strip_suffix(&own).is_some_and(|rest| rest.bytes().all(|digit| digit == b'0')))
        }),
    };
    let adapter = wanted.and_then(|i| adapters.get(i)).ok_or_else(|| {
        let line = |adapter: &wgpu::Adapter| format!("{} at `{}`", adapter.get_info().name, adapter.get_info().device_pci_bus_id);
        let all: Vec<String> = adapters.iter().map(line).collect();
        Failure::Adapter(format!("there is no adapter {adapter:?} among these, counted from 0: {}", all.join(", ")))
    })?;
    Ok(pollster::block_on(Gpu::from_adapter_with(adapter, &options))?)
}
