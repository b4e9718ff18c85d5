//! Runs the tests on all ranks, with a watchdog.

use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use lexopt::ValueExt;
use wgpu_fft_distributed::mpi;
use wgpu_fft_distributed::mpi::topology::{Color, SimpleCommunicator};
use wgpu_fft_distributed::mpi::traits::*;
use wgpu_fft_distributed::wgpu_fft::{Complex32, Planner, fft::C2c};
use wgpu_fft_distributed::{Adapter, Cluster, Error, Job, JobOptions, RankOptions, Strategy};

use super::Test;

/// Seconds for one test. Drivers compile within them.
const PATIENCE: u64 = 240;

/// What is wrong, if something is.
pub type Outcome = Result<(), String>;

pub struct Context {
    pub world: SimpleCommunicator,
    pub rank: usize,
    pub size: usize,
    pub options: RankOptions,
    pub cluster: Cluster,
    /// This rank alone, on the same device.
    pub alone: Cluster,
}

impl Context {
    /// What rank 0 thinks of it, on all ranks: those that go on while rank 0 does not would wait
    /// for ever.
    pub fn verdict(&self, own: Outcome) -> Outcome {
        let mut good = own.is_ok();
        self.world.process_at_rank(0).broadcast_into(&mut good);
        if good || self.rank == 0 { own } else { Err("rank 0 says why".to_owned()) }
    }

    /// A context of one rank on another device.
    pub fn on(&self, planner: &Rc<Planner>) -> Self {
        let (world, options) = (self.world.duplicate(), self.options.clone());
        let cluster = Cluster::with_planner(&world, planner, &options).expect("one rank agrees with itself");
        Self { rank: self.rank, size: self.size, options, alone: cluster.clone(), cluster, world }
    }

    /// What all ranks' adapters have in common so that they give the same bits: they are the same
    /// one, or software adapters that compute as IEEE 754 says. Compilers of others may fuse
    /// operations, so that last bits differ.
    pub fn rounding(&self) -> Option<&str> {
        let names = self.adapters();
        let is_software = |name: &&str| ["llvmpipe", "SwiftShader"].iter().any(|part| name.contains(part));
        match names[..] {
            _ if names.iter().all(is_software) => Some("lavapipe and SwiftShader"),
            [first, ..] if self.are_alike() => Some(first),
            _ => None,
        }
    }

    /// Whether all ranks have the same adapter. Otherwise sums of two f32 differ in their last
    /// bits.
    pub fn are_alike(&self) -> bool {
        self.adapters().windows(2).all(|pair| pair[0] == pair[1])
    }

    fn adapters(&self) -> Vec<&str> {
        self.cluster.members().iter().map(|member| member.adapter.as_str()).collect()
    }
}

/// Of the command line: `--adapters A,B` and one part of the names of the tests to run. With
/// `--stopped` there are no tests: the last rank stops.
struct Arguments {
    adapter: Adapter,
    filter: String,
    stopped: bool,
}

fn arguments() -> Result<Arguments, lexopt::Error> {
    let mut arguments = Arguments { adapter: Adapter::ByLocalRank, filter: String::new(), stopped: false };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            lexopt::Arg::Long("adapters") => {
                let names: String = parser.value()?.string()?;
                arguments.adapter = Adapter::Names(names.split(',').map(str::to_owned).collect());
            }
            lexopt::Arg::Long("stopped") => arguments.stopped = true,
            lexopt::Arg::Value(filter) => arguments.filter = filter.string()?,
            // Of `cargo test`'s own arguments none means anything here.
            lexopt::Arg::Long(_) => {}
            other => return Err(other.unexpected()),
        }
    }
    Ok(arguments)
}

pub fn run(tests: &[Test]) -> ExitCode {
    let Some(universe) = mpi::initialize() else {
        eprintln!("MPI does not begin");
        return ExitCode::FAILURE;
    };
    let world = universe.world();
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let (rank, size) = (world.rank() as usize, world.size() as usize);
    let options = RankOptions::default().adapter(arguments.adapter);
    if arguments.stopped {
        let Err(error) = without_the_last_rank(&world, options);
        eprintln!("rank {rank}: {error}");
        world.abort(1);
    }
    let alive = watchdog(rank);
    let own = world.split_by_color(Color::with_value(rank as i32)).expect("every rank has a color");
    let cluster = match Cluster::open(&world, &options) {
        Ok(cluster) => cluster,
        Err(error @ Error::NoAdapter { .. }) if std::env::var("WGPU_FFT_REQUIRE_GPU").is_err() => {
            println!("SKIPPED on rank {rank}: {error}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("rank {rank}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let alone = Cluster::with_planner(&own, cluster.planner(), &RankOptions::default()).expect("one rank agrees with itself");
    if rank == 0 {
        for member in cluster.members() {
            println!("rank {} of {size}: {} on {}, process {} there", member.rank, member.adapter, member.host, member.local_rank);
        }
    }
    let context = Context { rank, size, options, cluster, alone, world };
    let mut failed = 0;
    for (name, test) in tests.iter().filter(|(name, _)| name.contains(&arguments.filter)) {
        alive.fetch_add(1, Ordering::Relaxed);
        let begin = Instant::now();
        let outcome = test(&context);
        if let Err(message) = &outcome {
            eprintln!("{name}, rank {rank} of {size}: {message}");
        }
        let mut failures = 0;
        context.world.all_reduce_into(&i32::from(outcome.is_err()), &mut failures, mpi::collective::SystemOperation::sum());
        failed += i32::from(failures > 0);
        if rank == 0 {
            println!("{} {name} ({:.1} s)", if failures > 0 { "FAILED" } else { "ok    " }, begin.elapsed().as_secs_f64());
        }
    }
    if rank == 0 {
        println!("{size} ranks: {}", if failed == 0 { "all is well".to_owned() } else { format!("{failed} tests FAILED") });
    }
    // Before MPI ends.
    drop(context);
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A job whose last rank is stopped, as by a debugger. The others get an error, and then the
/// program must end, as the README says how.
fn without_the_last_rank(world: &SimpleCommunicator, options: RankOptions) -> Result<std::convert::Infallible, Error> {
    let limit = Duration::from_secs(1);
    let cluster = Cluster::open(world, &options.timeout(limit))?;
    if cluster.rank() + 1 == cluster.size() {
        let own = std::process::id().to_string();
        std::process::Command::new("kill").args(["-STOP", &own]).status().expect("there is a command kill");
    }
    loop {
        let job = Job::new(&cluster, C2c::forward([8, 3]), &JobOptions::default().strategy(Strategy::Equal).timeout(limit))?;
        job.run(&vec![Complex32::ONE; job.input_len()], &mut vec![Complex32::ZERO; job.output_len()])?;
    }
}

/// Ends the program when a test takes too long: mpirun then ends the other ranks.
fn watchdog(rank: usize) -> Arc<AtomicU64> {
    let alive = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&alive);
    std::thread::spawn(move || {
        let mut before = (0, Instant::now());
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let now = seen.load(Ordering::Relaxed);
            if now != before.0 {
                before = (now, Instant::now());
            } else if before.1.elapsed().as_secs() > PATIENCE {
                eprintln!("rank {rank}: a test takes longer than {PATIENCE} s: it hangs");
                std::process::exit(3);
            }
        }
    });
    alive
}
