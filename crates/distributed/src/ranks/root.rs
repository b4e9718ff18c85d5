//! Runs with all data on rank 0.

use std::time::Instant;

use super::RanksJob;
use super::array::{Source, Target};
use super::exchange::Exchange;
use super::failure::guarded;
use super::phase::Phase;
use super::runs::Runs;
use super::wire::Wire;
use crate::error::Result;
use crate::job::{Listener, check, zeros};
use crate::report::{Report, Work};

impl RanksJob {
    /// The bytes of a rank's part in the whole array.
    fn place(&self, rank: usize, input: bool) -> Runs {
        let part = self.part_of(rank, input);
        let extents: Vec<usize> = std::iter::once(part.batch_extent).chain(part.extents).collect();
        let ranges: Vec<_> = std::iter::once(part.batch).chain(part.ranges).collect();
        Runs::of_box(&extents, &ranges, self.element_bytes(input))
    }

    /// See [`Job::run_from_root`](crate::Job::run_from_root).
    pub(super) async fn run_from_root(&self, input: &[u8], output: &mut [u8], listener: Option<&Listener>) -> Result<Report> {
        let (link, message_bytes) = (&self.link, self.message_bytes);
        let (rank, size) = (link.rank(), link.size());
        let all = |input: bool| (0..size).map(|rank| self.part_bytes(rank, input)).sum::<usize>();
        let is_root = rank == 0;
        let (input, output): (&[u8], &mut [u8]) = if is_root { (input, output) } else { (&[], &mut []) };

        let prepared = guarded(|| {
            self.cluster.device.check(Phase::Scatter)?;
            if is_root {
                check("input of rank 0", all(true), input.len(), self.element_bytes(true))?;
                check("output of rank 0", all(false), output.len(), self.element_bytes(false))?;
            }
            Ok((zeros(self.part_bytes(rank, true))?, zeros(self.part_bytes(rank, false))?))
        });
        let (mut own, mut result) = link.agreed(Phase::Scatter, prepared).await?;
        let mut run = self.begin(listener, 2);
        let begin = Instant::now();
        let received = own.len();
        let mut progress = run.progress(Phase::Scatter, run.phases_done(), received);
        let whole = Runs::one(0..received);
        let incoming = (!is_root).then(|| (0, vec![whole.clone()]));
        let mut exchange = Exchange::new(link, &mut own, incoming, Wire::Exact, message_bytes, &mut progress);
        let mut sent = 0;
        if is_root {
            for to in 1..size {
                let block = self.place(to, true);
                sent += block.bytes();
                exchange.send_from(to, input, &block).await;
            }
            exchange.keep_from(input, &self.place(0, true), &whole);
        }
        exchange.finish().await?;
        run.agree(Phase::Scatter, Work::of_exchange(begin.elapsed(), received, sent), &self.units_of_parts(true), Ok(())).await?;

        run.transform(Source::Host(&own), Target::Host(&mut result)).await?;

        link.agreed(Phase::Gather, self.cluster.device.check(Phase::Gather)).await?;
        let received = output.len();
        let begin = Instant::now();
        let mut progress = run.progress(Phase::Gather, run.phases_done(), received);
        let others = if is_root { 1..size } else { 0..0 };
        let incoming = others.map(|from| (from, vec![self.place(from, false)]));
        let mut exchange = Exchange::new(link, output, incoming, Wire::Exact, message_bytes, &mut progress);
        let whole = Runs::one(0..result.len());
        if is_root {
            exchange.keep_from(&result, &whole, &self.place(0, false));
        } else {
            exchange.send_from(0, &result, &whole).await;
        }
        exchange.finish().await?;
        let sent = if is_root { 0 } else { result.len() };
        run.agree(Phase::Gather, Work::of_exchange(begin.elapsed(), received, sent), &self.units_of_parts(false), Ok(())).await?;
        run.report().await
    }
}
