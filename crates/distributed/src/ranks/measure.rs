//! Measures how fast the ranks are while all of them compute.

use std::time::Instant;

use super::array::{Source, Target};
use super::exchange::Exchange;
use super::failure::{Outcome, guarded};
use super::geometry::{DimensionShares, RankShares};
use super::local::LocalPass;
use super::part::Order;
use super::passes::{Compute, Passes};
use super::phase::Phase;
use super::run::by_strategy;
use super::running::at_once;
use super::runs::Runs;
use super::turn::Turn;
use crate::error::Result;
use crate::job::zeros;
use crate::partition::{Cost, balanced};
use crate::strategy::{Divisible, Strategy};

/// Size of a sample in bytes. It takes some milliseconds on a CPU, and is enough to keep a GPU's
/// transfers busy.
const SAMPLE_BYTES: usize = 8 << 20;
/// The smaller of the two samples is this many times smaller. Together they separate the fixed cost
/// of a pass from the cost per unit.
const SMALLER: usize = 4;
/// Runs of a sample, of which the median counts.
const RUNS: usize = 3;
/// More ranks are used only if the predicted time is at most this fraction of the time with fewer
/// ranks, because samples include neither waiting for one another nor merging. For 1024² on two
/// ranks of lavapipe, one of them slowed down eight times, a gain was predicted, but the two took
/// 1.49 times as long as the fast one alone.
const WORTH_MORE_RANKS: f64 = 0.7;

/// The costs of ranks that compute at the same time, by rank.
struct Rates {
    /// Of an index of the first divided axis.
    rows: Vec<Cost>,
    /// Of an index of the axis that is divided while axis 0 is complete.
    columns: Vec<Cost>,
    /// Seconds for each byte that a rank sends while all of them send.
    per_byte: f64,
}

impl Rates {
    /// Seconds for the exchanges of a job.
    fn exchange(&self, job: &Passes, shares: &RankShares) -> f64 {
        let exchanges = job.geometry.exchanges() as f64;
        if exchanges == 0.0 {
            return 0.0;
        }
        let sent = (0..job.link.size()).map(|rank| Turn::to(&job.geometry, shares, rank, 0).sent_to_others()).max().unwrap_or(0);
        exchanges * sent as f64 * self.per_byte
    }
}

/// The passes of one rank on a smaller and a larger sample: over all that one dimension of the grid
/// divides, and along axis 0.
struct Samples {
    rows: Vec<(usize, LocalPass)>,
    columns: Vec<(usize, LocalPass)>,
}

impl Samples {
    fn new(job: &Passes) -> Outcome<Self> {
        job.device.check(Phase::Measure)?;
        let geometry = &job.geometry;
        let sizes = |units: usize, unit_bytes: usize| {
            let large = (SAMPLE_BYTES / unit_bytes.max(1)).clamp(1, units);
            let small = (large / SMALLER).max(1);
            if small < large { vec![small, large] } else { vec![large] }
        };
        // `lines` is the number of lines of a unit.
        let passes = |compute: Compute, sizes: Vec<usize>, lines: usize, turned: bool| -> Outcome<Vec<(usize, LocalPass)>> {
            let pass = |units: usize| job.pass(compute, &job.some_lines(compute, units * lines), turned);
            sizes.into_iter().filter_map(|units| Some(pass(units).transpose()?.map(|pass| (units, pass)))).collect()
        };
        let units = geometry.units(0);
        let lines = geometry.all_units() / units;
        let rows = sizes(units, lines * geometry.frequencies() * geometry.frequency_bytes());
        let rows = passes(Compute::Rows, rows, lines, geometry.is_forward() && geometry.is_distributed())?;
        let Some(&n) = geometry.divided.first() else { return Ok(Self { rows, columns: Vec::new() }) };
        let units = geometry.cut_extent(0);
        let lines = geometry.all_units() / n * geometry.frequencies() / units;
        let columns = sizes(units, lines * n * geometry.frequency_bytes());
        let turned = !geometry.is_forward() || geometry.order == Order::Natural;
        Ok(Self { rows, columns: passes(Compute::Lines(0), columns, lines, turned)? })
    }

    /// Runs each pass once, because drivers compile at the first run.
    fn warm_up(&self) -> Outcome<()> {
        for (_, pass) in self.rows.iter().chain(&self.columns) {
            let [input, output] = pass.bytes();
            at_once(pass.run(Phase::Measure, Some(Source::Host(&zeros(input)?)), Target::Host(&mut zeros(output)?), &mut |_| {}))?;
        }
        Ok(())
    }
}

/// Finds the shares by measuring the ranks. Collective.
///
/// Ranks that share a CPU, a bus or a card slow one another down. Leaving some out may make the
/// others faster, and only a measurement without them tells by how much. So all ranks are measured
/// together and sorted by speed. Then the faster half is measured, a quarter, and so on, down to
/// the fastest rank alone, and also all ranks but the slowest. The set that is predicted to finish
/// first is used, or a smaller one if it is nearly as fast.
///
/// In a grid, a rank cannot be left out without its whole row or column. There all ranks get shares
/// by their speed while all compute.
pub(super) fn measured(job: &Passes, divisible: &[Divisible]) -> Result<RankShares> {
    let (link, size) = (&job.link, job.link.size());
    let samples = link.agree(Phase::Measure, guarded(|| Samples::new(job)))?;
    link.agree(Phase::Measure, guarded(|| samples.warm_up()))?;

    let everybody: Vec<usize> = (0..size).collect();
    let rates = self::rates(job, &samples, &everybody)?;
    // Seconds for the whole job on one rank, at the speed it has while all compute.
    let columns = if job.geometry.is_distributed() { job.geometry.cut_extent(0) } else { 0 };
    let alone = |rank: usize| rates.rows[rank].of(job.geometry.units(0)) + rates.columns[rank].of(columns);
    if job.geometry.grid.len() > 1 {
        let weights = everybody.iter().map(|rank| 1.0 / alone(*rank).max(f64::MIN_POSITIVE)).collect();
        // Ratios never depend on measurements.
        let shares = by_strategy(&job.geometry, divisible, &Strategy::Ratio(weights), size)?;
        return Ok(shares.unwrap_or_default());
    }
    let mut order = everybody.clone();
    order.sort_by(|&a, &b| alone(a).total_cmp(&alone(b)));
    let (mut best, mut least) = by_rates(job, &everybody, &rates)?;

    let halves = std::iter::successors(Some(size / 2), |&count| (count > 1).then_some(count / 2));
    let mut counts: Vec<usize> = halves.chain([size - 1]).filter(|&count| count > 0).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts.dedup();
    for count in counts {
        let mut members = order[..count].to_vec();
        members.sort_unstable();
        let rates = self::rates(job, &samples, &members)?;
        let (shares, time) = by_rates(job, &members, &rates)?;
        if time * WORTH_MORE_RANKS <= least {
            (best, least) = (shares, time);
        }
    }
    Ok(best)
}

/// Measures these ranks while the others wait. Collective.
fn rates(job: &Passes, samples: &Samples, members: &[usize]) -> Result<Rates> {
    let is_member = members.contains(&job.link.rank());
    let rows = costs(job, &samples.rows, is_member)?;
    let columns = costs(job, &samples.columns, is_member)?;
    let of = |costs: &[Cost]| members.iter().map(|&member| costs[member]).collect();
    Ok(Rates { rows: of(&rows), columns: of(&columns), per_byte: per_byte(job, members)? })
}

/// The costs of a unit of one axis, by rank.
fn costs(job: &Passes, passes: &[(usize, LocalPass)], is_member: bool) -> Result<Vec<Cost>> {
    let mut points = Vec::new();
    let mut outcome: Outcome<()> = Ok(());
    for (units, pass) in passes {
        let mut seconds = Vec::new();
        let [input, output] = pass.bytes();
        let memory = guarded(|| Ok((zeros(input)?, zeros(output)?)));
        let (input, mut output) = job.link.agree(Phase::Measure, memory)?;
        for _ in 0..RUNS {
            // All ranks begin at the same time. A rank that has failed keeps in step until all
            // agree.
            job.link.barrier()?;
            if !is_member || outcome.is_err() {
                continue;
            }
            match guarded(|| at_once(pass.run(Phase::Measure, Some(Source::Host(&input)), Target::Host(&mut output), &mut |_| {}))) {
                Ok(times) => seconds.push(times.total().as_secs_f64()),
                Err(failure) => outcome = Err(failure),
            }
        }
        seconds.sort_by(f64::total_cmp);
        points.push((*units, seconds.get(RUNS / 2).copied().unwrap_or(0.0)));
    }
    job.link.agree(Phase::Measure, outcome)?;
    let own = line_through(&points);
    Ok(job.link.numbers(&[own.fixed, own.per_unit])?.iter().map(|cost| Cost { fixed: cost[0], per_unit: cost[1] }).collect())
}

/// The cost derived from two samples, or from one.
fn line_through(points: &[(usize, f64)]) -> Cost {
    match *points {
        [(few, short), (many, long)] => {
            // Noise may suggest that more units cost nothing. Then only the larger sample counts.
            let per_unit = (long - short) / (many - few) as f64;
            let fixed = short - per_unit * few as f64;
            if per_unit > 0.0 && fixed >= 0.0 { Cost { fixed, per_unit } } else { Cost { fixed: 0.0, per_unit: long / many as f64 } }
        }
        [(units, time)] => Cost { fixed: 0.0, per_unit: time / units as f64 },
        _ => Cost { fixed: 0.0, per_unit: 0.0 },
    }
}

/// Seconds for each byte that these ranks send to one another. Collective.
fn per_byte(job: &Passes, members: &[usize]) -> Result<f64> {
    let (link, others) = (&job.link, members.len() - 1);
    if others == 0 || !job.geometry.is_distributed() {
        return Ok(0.0);
    }
    let bytes = SAMPLE_BYTES / members.len() / 4 * 4;
    let is_member = members.contains(&link.rank());
    let data = vec![0u8; bytes];
    let partners: Vec<usize> = members.iter().copied().filter(|rank| is_member && *rank != link.rank()).collect();
    let mut arrived = vec![0u8; bytes * partners.len()];
    let mut seconds = Vec::new();
    for _ in 0..RUNS {
        link.barrier()?;
        let begin = Instant::now();
        let incoming = partners.iter().enumerate().map(|(i, from)| (*from, vec![Runs::one(i * bytes..(i + 1) * bytes)]));
        let mut ignored = |_| {};
        let mut exchange = Exchange::new(link, &mut arrived, incoming, job.geometry.wire(1.0), SAMPLE_BYTES, &mut ignored);
        link.now(async {
            for to in &partners {
                exchange.send_from(*to, &data, &Runs::one(0..bytes)).await;
            }
            exchange.finish().await
        })?;
        seconds.push(begin.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    let slowest = link.numbers(&[seconds[RUNS / 2]])?.iter().map(|seconds| seconds[0]).fold(0.0, f64::max);
    Ok(slowest / (others * bytes) as f64)
}

/// The best shares for the measured ranks, none for the others, and the predicted seconds for the
/// job.
fn by_rates(job: &Passes, members: &[usize], rates: &Rates) -> Result<(RankShares, f64)> {
    // Ranks that were not measured get no share.
    let spread = |shares: Vec<usize>| {
        let mut all = vec![0; job.link.size()];
        members.iter().zip(shares).for_each(|(member, share)| all[*member] = share);
        all
    };
    let geometry = &job.geometry;
    let rows = spread(balanced(geometry.units(0), &rates.rows)?);
    let columns = if geometry.is_distributed() { spread(balanced(geometry.cut_extent(0), &rates.columns)?) } else { Vec::new() };
    let slowest = |shares: &[usize], costs: &[Cost]| {
        members.iter().zip(costs).filter_map(|(member, cost)| Some(cost.of(*shares.get(*member)?))).fold(0.0, f64::max)
    };
    let time = slowest(&rows, &rates.rows) + slowest(&columns, &rates.columns);
    let shares = vec![DimensionShares { rows, columns }];
    let time = time + rates.exchange(job, &shares);
    Ok((shares, time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_samples_tell_what_a_pass_costs_at_all() {
        assert_eq!(line_through(&[(10, 3.0), (20, 5.0)]), Cost { fixed: 1.0, per_unit: 0.2 });
        // Noise.
        assert_eq!(line_through(&[(10, 3.0), (20, 2.0)]), Cost { fixed: 0.0, per_unit: 0.1 });
        assert_eq!(line_through(&[(10, 1.0), (20, 4.0)]), Cost { fixed: 0.0, per_unit: 0.2 });
        assert_eq!(line_through(&[(4, 2.0)]), Cost { fixed: 0.0, per_unit: 0.5 });
    }
}
