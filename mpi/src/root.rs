//! Runs with all data on rank 0.

use std::time::Instant;

use crate::error::{Failure, Result, guarded};
use crate::local::{LocalTimes, cast_vec};
use crate::phase::Phase;
use crate::plan::{Plan, zeros};
use crate::report::Entry;
use crate::slabs::exchange;
use crate::spec::Transform;

impl<T: Transform> Plan<T> {
    /// Transforms an array that rank 0 holds and returns the whole result on rank 0. It sends each
    /// rank its share, runs, and collects the results. Collective; the other ranks pass and get
    /// `None`.
    ///
    /// The arrays consist of the slabs of all ranks, one after the other. Transposed frequencies
    /// are \[n₁, n₀\] or \[n₁, n₂, n₀\].
    ///
    /// # Errors
    /// The errors of [`run`](Self::run).
    pub fn run_from_root(&mut self, input: Option<&[T::Input]>) -> Result<Option<Vec<T::Output>>> {
        self.forget_entries();
        let link = self.cluster().link.clone();
        let (rank, size) = (link.rank(), link.size());
        let per_element = [size_of::<T::Input>(), size_of::<T::Output>()].map(|bytes| bytes / size_of::<f32>());
        let lens = |plan: &Self, input: bool| -> Vec<usize> {
            let words = per_element[usize::from(!input)];
            (0..size).map(|rank| plan.slab(rank, input).len() * words).collect()
        };
        let nothing = vec![0; size];
        // The blocks between rank 0 and this rank, as this rank sees them.
        let from_root = |mine: usize| -> Vec<usize> { (0..size).map(|other| if other == 0 { mine } else { 0 }).collect() };

        let shares = lens(self, true);
        let device = std::rc::Rc::clone(&self.cluster().device);
        let prepared = guarded(|| {
            device.check(Phase::Scatter)?;
            let (expected, actual) = (shares.iter().sum::<usize>() / per_element[0], input.map_or(0, <[T::Input]>::len));
            if rank == 0 && expected != actual {
                return Err(Failure::from(wgpu_fft::Error::WrongLen { argument: "input of rank 0", expected, actual }));
            }
            zeros(shares[rank])
        });
        let mut own = link.agree(Phase::Scatter, prepared)?;
        let whole: &[f32] = if rank == 0 { input.map_or(&[], bytemuck::cast_slice) } else { &[] };
        let send = if rank == 0 { &shares } else { &nothing };
        let begin = Instant::now();
        let message_bytes = self.message_bytes();
        let mut done = self.counter(Phase::Scatter, size_of_val(own.as_slice()) as u64);
        exchange(&link, (whole, &mut own), [send, &from_root(shares[rank])], message_bytes, &mut done);
        drop(done);
        let bytes = send.iter().sum::<usize>() * size_of::<f32>();
        self.agree_timed(Entry::new(Phase::Scatter, bytes, begin.elapsed(), LocalTimes::default()), Ok(()))?;

        let output = self.transform(bytemuck::cast_slice(&own))?;

        let shares = lens(self, false);
        let arrived = guarded(|| {
            device.check(Phase::Gather)?;
            zeros(if rank == 0 { shares.iter().sum() } else { 0 })
        });
        let mut arrived = link.agree(Phase::Gather, arrived)?;
        let receive = if rank == 0 { &shares } else { &nothing };
        let begin = Instant::now();
        let mut done = self.counter(Phase::Gather, size_of_val(arrived.as_slice()) as u64);
        exchange(&link, (&output, &mut arrived), [&from_root(shares[rank]), receive], message_bytes, &mut done);
        drop(done);
        let whole = guarded(|| cast_vec(arrived));
        let bytes = size_of_val(output.as_slice());
        let whole = self.agree_timed(Entry::new(Phase::Gather, bytes, begin.elapsed(), LocalTimes::default()), whole)?;
        Ok((rank == 0).then_some(whole))
    }
}
