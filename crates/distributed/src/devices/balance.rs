//! Finds the fastest division of a phase. It is measured beforehand with all devices at work, and
//! corrected by the times of actual runs.

use std::fmt;

use wgpu_fft::Result;

use super::engine::Engine;
use super::phase::Reading;
use super::ring::apart;
use crate::error::Error;
use crate::partition::{self, Cost};
use crate::report::Rate;

/// The seconds that a sample may take.
const SAMPLE_SECONDS: f64 = 0.05;

/// The first run with a division may have to make plans, so it is not counted.
const UNCOUNTED_RUNS: usize = 1;

/// The weight of the latest run in a division's mean.
const NEWEST: f64 = 0.3;

/// How much faster several devices must be than one to be worthwhile, because predictions and
/// single runs are no more accurate than that. On lavapipe, SwiftShader and the host, which share
/// two cores, divisions with a predicted gain of a few percent lost up to half of the speed.
const WORTH_WHILE: f64 = 0.9;

/// How the units are divided.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Division {
    /// Members with their numbers of units.
    Fixed(Vec<(usize, usize)>),
    /// Whichever of these members is free takes the next units.
    Guided(Vec<usize>),
}

impl Division {
    /// The shares of these members, without empty shares.
    pub fn fixed(members: &[usize], shares: &[usize]) -> Self {
        Self::Fixed(members.iter().copied().zip(shares.iter().copied()).filter(|(_, share)| *share > 0).collect())
    }
}

impl fmt::Display for Division {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(shares) => {
                let parts: Vec<String> = shares.iter().map(|(_, units)| units.to_string()).collect();
                f.write_str(&parts.join(" : "))
            }
            Self::Guided(members) => write!(f, "taken in turns by {}", members.len()),
        }
    }
}

#[derive(Debug)]
struct Candidate {
    division: Division,
    /// The seconds predicted by the measurements before the first run.
    predicted: f64,
    /// The mean seconds of its runs. Newer runs have more weight.
    observed: Option<f64>,
    runs: usize,
}

impl Candidate {
    /// The best estimate of its seconds. For several devices it includes the gain that they must
    /// achieve.
    fn seconds(&self) -> f64 {
        let seconds = self.observed.unwrap_or(self.predicted);
        match &self.division {
            Division::Fixed(shares) if shares.len() == 1 => seconds,
            Division::Fixed(_) => seconds / WORTH_WHILE,
            // A slow device may get the last piece.
            Division::Guided(_) => seconds / (WORTH_WHILE * WORTH_WHILE),
        }
    }
}

/// The measurements of the members in one phase.
#[derive(Debug)]
pub(super) struct Balance {
    pub rates: Vec<Rate>,
    candidates: Vec<Candidate>,
    present: Vec<usize>,
}

/// The largest ratio of the times of two equal devices that still counts as equally fast. Two H200
/// were measured as 62 : 38 in samples of 50 ms, with nothing else running.
const ALIKE: f64 = 1.75;

/// Gives devices with the same name the mean of their costs, unless one of them is really slower.
fn level(engine: &Engine<'_>, members: &mut [(usize, Cost, usize)]) {
    let name = |member: usize| engine.members[member].name.as_str();
    let before = members.to_vec();
    for (member, cost, _) in members.iter_mut() {
        let alike = before.iter().filter(|(other, own, _)| {
            name(*other) == name(*member) && own.per_unit < ALIKE * cost.per_unit && cost.per_unit < ALIKE * own.per_unit
        });
        let (count, fixed, per_unit) =
            alike.fold((0.0, 0.0, 0.0), |(count, fixed, per_unit), (_, own, _)| (count + 1.0, fixed + own.fixed, per_unit + own.per_unit));
        if count > 0.0 {
            *cost = Cost { fixed: fixed / count, per_unit: per_unit / count };
        }
    }
}

/// The shares of members by their costs, and the seconds that the slowest of them takes.
///
/// Shares are in the order of the members, which is the order in which units are assigned. So only
/// the last share may end within an alignment group.
fn shared(units: usize, alignment: usize, mut members: Vec<(usize, Cost)>) -> Result<(Vec<(usize, usize)>, f64)> {
    members.sort_by_key(|(member, _)| *member);
    let costs: Vec<Cost> = members.iter().map(|(_, cost)| Cost { per_unit: cost.per_unit * alignment as f64, ..*cost }).collect();
    let shares = partition::in_multiples(units, alignment, |groups| partition::balanced(groups, &costs))?;
    let seconds = shares.iter().zip(&members).map(|(&share, (_, cost))| cost.of(share)).fold(0.0, f64::max);
    let shares = members.iter().zip(shares).map(|((member, _), share)| (*member, share));
    Ok((shares.filter(|(_, share)| *share > 0).collect(), seconds))
}

impl Balance {
    /// Measures the members in `present`: each alone, then all of them together, then without the
    /// slowest, and so on.
    ///
    /// # Errors
    /// The error of the first member that fails, with the member's index.
    pub fn measure(
        engine: &Engine<'_>,
        reading: Reading<'_>,
        present: &[usize],
        dynamic: bool,
    ) -> std::result::Result<Self, (usize, Error)> {
        let phase = reading.phase;
        let units = phase.units();
        let mut alone: Vec<(usize, Cost, usize)> = Vec::new();
        let mut rates = Vec::new();
        for &member in present {
            let first = phase.alignment.min(units);
            let time = |units: usize| -> std::result::Result<f64, (usize, Error)> {
                engine.sample(reading, &[(member, units)])?;
                let twice = [engine.sample(reading, &[(member, units)])?[0], engine.sample(reading, &[(member, units)])?[0]];
                Ok(twice[0].min(twice[1]))
            };
            let short = time(first)?;
            // The sample is as large as a piece, or smaller if that takes too long.
            let most = engine.most_units(reading, member, units.div_ceil(present.len())).min(units);
            let affordable = (SAMPLE_SECONDS / (short / first as f64)) as usize / phase.alignment * phase.alignment;
            let sample = affordable.clamp(first, most.max(first));
            let long = if sample > first { time(sample)? } else { short };
            let slope = (long - short) / (sample - first).max(1) as f64;
            let per_unit = if sample > first && slope > 0.0 { slope } else { long / sample as f64 };
            let fixed = (long - per_unit * sample as f64).max(0.0);
            alone.push((member, Cost { fixed, per_unit }, sample));
            let parts = match engine.members[member].planner() {
                None => None,
                Some(planner) => {
                    let times = apart(planner, &engine.tasks[member], reading, &(0..sample));
                    let times = times.map_err(|error| (member, error.into()))?;
                    Some([times.upload, times.compute, times.download].map(|time| time.as_secs_f64() / sample as f64))
                }
            };
            let name = engine.members[member].name.clone();
            rates.push(Rate { member, name, units: sample, alone: long / sample as f64, together: long / sample as f64, parts });
        }
        level(engine, &mut alone);
        // The fastest first, so that the slowest of the remaining ones is dropped each time.
        alone.sort_by(|(_, a, _), (_, b, _)| a.of(units).total_cmp(&b.of(units)));
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut add = |division: Division, predicted: f64| {
            if candidates.iter().all(|known| known.division != division) {
                candidates.push(Candidate { division, predicted, observed: None, runs: 0 });
            }
        };
        let alignment = phase.alignment.max((units / 128).checked_ilog2().map_or(1, |log| 1 << log)).next_multiple_of(phase.alignment);
        for count in (1..=alone.len()).rev() {
            let group = &alone[..count];
            let costs: Vec<Cost> = if count == 1 {
                vec![group[0].1]
            } else {
                // All samples should take about the same time, so that no member ever has the
                // machine to itself.
                let least = group.iter().map(|(_, cost, sample)| cost.of(*sample)).fold(f64::INFINITY, f64::min);
                let enough = |cost: &Cost, sample: usize| {
                    let units = ((least - cost.fixed) / cost.per_unit) as usize / phase.alignment * phase.alignment;
                    units.clamp(phase.alignment.min(sample), sample)
                };
                let asked: Vec<(usize, usize)> = group.iter().map(|(member, cost, sample)| (*member, enough(cost, *sample))).collect();
                engine.sample(reading, &asked)?;
                let [first, second] = [engine.sample(reading, &asked)?, engine.sample(reading, &asked)?];
                let mut costs = Vec::new();
                for (i, (member, own, _)) in group.iter().enumerate() {
                    let seconds = (first[i] + second[i]) / 2.0;
                    let per_unit = ((seconds - own.fixed) / asked[i].1 as f64).max(own.per_unit);
                    if count == alone.len()
                        && let Some(rate) = rates.iter_mut().find(|rate| rate.member == *member)
                    {
                        rate.together = seconds / asked[i].1 as f64;
                    }
                    costs.push(Cost { per_unit, ..*own });
                }
                let mut named: Vec<(usize, Cost, usize)> =
                    group.iter().zip(costs).map(|((member, _, sample), cost)| (*member, cost, *sample)).collect();
                level(engine, &mut named);
                named.into_iter().map(|(_, cost, _)| cost).collect()
            };
            let members = group.iter().zip(costs).map(|((member, ..), cost)| (*member, cost)).collect();
            let (shares, predicted) = shared(units, alignment, members).map_err(|error| (group[0].0, error.into()))?;
            if dynamic && shares.len() > 1 {
                add(Division::Guided(shares.iter().map(|(member, _)| *member).collect()), predicted);
            }
            add(Division::Fixed(shares), predicted);
        }
        let present = present.to_vec();
        Ok(Self { rates, candidates, present })
    }

    /// Whether it was measured with the same members.
    pub fn is_of(&self, present: &[usize]) -> bool {
        self.present == present
    }

    /// The division with the least time, as far as is known.
    pub fn choose(&self) -> Division {
        let best = self.candidates.iter().min_by(|a, b| a.seconds().total_cmp(&b.seconds()));
        best.map_or_else(|| Division::Guided(self.present.clone()), |best| best.division.clone())
    }

    /// Records the seconds of a run with a division.
    pub fn observe(&mut self, division: &Division, seconds: f64) {
        if let Some(candidate) = self.candidates.iter_mut().find(|candidate| candidate.division == *division) {
            candidate.runs += 1;
            if candidate.runs > UNCOUNTED_RUNS {
                candidate.observed = Some(candidate.observed.map_or(seconds, |mean| mean + NEWEST * (seconds - mean)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn balance(candidates: &[(&[(usize, usize)], f64)]) -> Balance {
        let candidate = |&(shares, predicted): &(&[(usize, usize)], f64)| Candidate {
            division: Division::Fixed(shares.to_vec()),
            predicted,
            observed: None,
            runs: 0,
        };
        Balance { rates: Vec::new(), candidates: candidates.iter().map(candidate).collect(), present: vec![0, 1] }
    }

    #[test]
    fn one_device_stays_where_two_gain_little() {
        let [both, alone]: [&[(usize, usize)]; 2] = [&[(0, 5), (1, 5)], &[(0, 10)]];
        assert_eq!(balance(&[(both, 0.95), (alone, 1.0)]).choose(), Division::Fixed(alone.to_vec()));
        assert_eq!(balance(&[(both, 0.8), (alone, 1.0)]).choose(), Division::Fixed(both.to_vec()));
    }

    /// The incomplete group used to go to the slowest member, wherever its units were. If that
    /// member came first, the groups of those after it began in the midst of one.
    #[test]
    fn only_the_last_share_ends_within_a_granule() {
        let cost = |per_unit| Cost { fixed: 0.0, per_unit };
        for members in [vec![(0, cost(2.0)), (1, cost(1.0))], vec![(1, cost(1.0)), (0, cost(2.0))]] {
            let (shares, seconds) = shared(17, 2, members).unwrap();
            assert_eq!((shares, seconds), (vec![(0, 6), (1, 11)], 12.0));
        }
    }

    #[test]
    fn what_runs_take_corrects_what_was_predicted() {
        let [both, alone]: [&[(usize, usize)]; 2] = [&[(0, 5), (1, 5)], &[(0, 10)]];
        let mut balance = balance(&[(both, 0.5), (alone, 1.0)]);
        let [both, alone] = [both, alone].map(|shares| Division::Fixed(shares.to_vec()));
        // The first run makes plans.
        balance.observe(&both, 30.0);
        assert_eq!(balance.choose(), both);
        balance.observe(&both, 1.2);
        assert_eq!(balance.choose(), alone);
        // One device alone is even slower.
        balance.observe(&alone, 30.0);
        balance.observe(&alone, 2.0);
        assert_eq!(balance.choose(), both);
    }
}
