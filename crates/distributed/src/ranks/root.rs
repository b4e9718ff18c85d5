//! Runs with all data on rank 0.

use std::time::Instant;

use super::RanksJob;
use super::failure::guarded;
use super::phase::Phase;
use super::turn::exchange;
use crate::error::Result;
use crate::job::{Listener, check, zeros};
use crate::report::{Report, Work};

impl RanksJob {
    /// See [`Job::run_from_root`](crate::Job::run_from_root).
    pub(super) fn run_from_root(&self, input: &[u8], output: &mut [u8], listener: Option<&Listener>) -> Result<Report> {
        let (link, message_bytes) = (&self.cluster.link, self.message_bytes);
        let (rank, size) = (link.rank(), link.size());
        let [shares, results] = [true, false].map(|input| self.slab_bytes(input));
        let is_root = rank == 0;
        let (input, output): (&[u8], &mut [u8]) = if is_root { (input, output) } else { (&[], &mut []) };
        let nothing = vec![0; size];
        // The blocks between rank 0 and this rank, as this rank sees them.
        let from_root = |mine: usize| -> Vec<usize> { (0..size).map(|other| if other == 0 { mine } else { 0 }).collect() };

        let prepared = guarded(|| {
            self.cluster.device.check(Phase::Scatter)?;
            if is_root {
                check("input of rank 0", shares.iter().sum(), input, self.element_bytes(true))?;
                check("output of rank 0", results.iter().sum(), output, self.element_bytes(false))?;
            }
            Ok((zeros(shares[rank])?, zeros(results[rank])?))
        });
        let (mut own, mut result) = link.agree(Phase::Scatter, prepared)?;
        let mut run = self.begin(listener, 2);
        let send = if is_root { &shares } else { &nothing };
        let begin = Instant::now();
        let mut progress = run.progress(Phase::Scatter, own.len());
        exchange(link, (input, &mut own), [send, &from_root(shares[rank])], message_bytes, &mut progress);
        run.agree(Phase::Scatter, Work::of_exchange(begin.elapsed(), own.len(), send.iter().sum()), Ok(()))?;

        run.transform(&own, &mut result)?;

        link.agree(Phase::Gather, self.cluster.device.check(Phase::Gather))?;
        let receive = if is_root { &results } else { &nothing };
        let received = output.len();
        let begin = Instant::now();
        let mut progress = run.progress(Phase::Gather, received);
        exchange(link, (&result, output), [&from_root(results[rank]), receive], message_bytes, &mut progress);
        run.agree(Phase::Gather, Work::of_exchange(begin.elapsed(), received, result.len()), Ok(()))?;
        run.report()
    }
}
