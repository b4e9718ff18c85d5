//! What the examples and the benchmark of ranks share: the command line, MPI's begin and end, and who runs where.

use std::process::ExitCode;

use lexopt::ValueExt;
use wgpu_fft_distributed::mpi;
use wgpu_fft_distributed::mpi::topology::SimpleCommunicator;
use wgpu_fft_distributed::mpi::traits::*;
use wgpu_fft_distributed::{Adapter, Cluster, Error, RankOptions};

pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const USAGE: &str = "
      --adapters A,B     names of adapters, which the processes of a machine take in turn; parts of names are enough
                         (default: the i-th process takes the i-th adapter)
      --slow RANK:FACTOR make one rank sleep, as if its device were FACTOR times slower
  -h, --help             print this and stop";

/// The part of the command line that is the same in all of them.
#[derive(Default)]
pub struct Common {
    adapter: Adapter,
    pub slow: Option<(usize, f64)>,
}

impl Common {
    /// Reads the command line. `own` takes the long options that only this program has, and says
    /// whether it knows the one it is given.
    ///
    /// Returns nothing after `--help`.
    pub fn parse(usage: &str, mut own: impl FnMut(&str, &mut lexopt::Parser) -> Result<bool>) -> Result<Option<Self>> {
        let mut common = Self::default();
        let mut parser = lexopt::Parser::from_env();
        while let Some(argument) = parser.next()? {
            let name = match argument {
                lexopt::Arg::Short('h') => "help".to_owned(),
                lexopt::Arg::Long(name) => name.to_owned(),
                other => return Err(other.unexpected().into()),
            };
            match name.as_str() {
                "adapters" => {
                    let names = parser.value()?.string()?;
                    common.adapter = Adapter::Names(names.split(',').map(str::to_owned).collect());
                }
                "slow" => {
                    let value = parser.value()?.string()?;
                    let parts = value.split_once(':').and_then(|(rank, factor)| Some((rank.parse().ok()?, factor.parse().ok()?)));
                    common.slow = Some(parts.ok_or("--slow is a rank and a factor, such as 1:8")?);
                }
                "help" => {
                    println!("{usage}{USAGE}");
                    return Ok(None);
                }
                _ if own(&name, &mut parser)? => {}
                _ => return Err(lexopt::Arg::Long(&name).unexpected().into()),
            }
        }
        Ok(Some(common))
    }

    /// How the rank of this number takes part.
    pub fn rank_options(&self, rank: usize) -> RankOptions {
        let slowdown = self.slow.filter(|(slow, _)| *slow == rank).map_or(1.0, |(_, factor)| factor);
        RankOptions::default().adapter(self.adapter.clone()).slowdown(slowdown)
    }
}

/// Reads extents such as 1024x1024.
pub fn extents<const N: usize>(parser: &mut lexopt::Parser) -> Result<[usize; N]> {
    let text = parser.value()?.string()?;
    let extents: std::result::Result<Vec<usize>, _> = text.split('x').map(str::parse).collect();
    let example = ["96"; N].join("x");
    Ok(extents?.try_into().map_err(|_| format!("a size here is {N} extents, such as {example}"))?)
}

/// Begins MPI, runs the program, and ends MPI. Of an error that all ranks have, rank 0 prints one
/// line. Of one that says that ranks are silent, all others print it, and end the program: MPI would
/// wait for those ranks for ever.
pub fn main(run: impl FnOnce(&SimpleCommunicator) -> Result<()>) -> ExitCode {
    let Some(universe) = mpi::initialize() else {
        eprintln!("MPI does not begin");
        return ExitCode::FAILURE;
    };
    let world = universe.world();
    match run(&world) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let silent = matches!(error.downcast_ref(), Some(Error::RankSilent { .. }));
            if silent || world.rank() == 0 {
                eprintln!("{error}");
            }
            if silent {
                world.abort(1);
            }
            ExitCode::FAILURE
        }
    }
}

/// Prints on rank 0 who runs where, on stderr: what is computed goes to stdout.
pub fn print_members(cluster: &Cluster) {
    if cluster.rank() == 0 {
        for member in cluster.members() {
            eprintln!("rank {:<6} process {} of {}: {}", member.rank, member.local_rank, member.host, member.adapter);
        }
    }
}
