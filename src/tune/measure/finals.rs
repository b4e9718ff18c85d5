//! The end of a search: the best recipes against the estimate.

use std::time::{Duration, Instant};

use super::{ROUNDS, Search, median};
use crate::error::Result;
use crate::plan::AnyValue;
use crate::tune::outcome::LEAST_GAIN;
use crate::tune::rigor::Rigor;
use crate::tune::tuning::Stage;

/// Rounds of the final that time is kept for.
const LEAST_FINAL_ROUNDS: usize = 7;

impl Search<'_> {
    /// Time to keep for the final: for its least number of rounds, or a fifth of what there is.
    pub(super) fn final_time(&self) -> Duration {
        if self.tuning.is_cancelled() {
            return Duration::ZERO;
        }
        let samples: f64 = self.ranked.iter().map(|(_, seconds)| seconds.max(crate::tune::lab::SAMPLE)).sum();
        Duration::try_from_secs_f64(samples * LEAST_FINAL_ROUNDS as f64).unwrap_or(self.limit).min(self.limit / 5)
    }

    /// Rounds of the final at most: the more there is time for, the better they tell gains from
    /// noise.
    fn final_rounds(&self) -> usize {
        if self.tuning.rigor == Rigor::Patient { 99 } else { 33 }
    }

    /// Whether a recipe beats the estimate once more, on a new device with new arrays and
    /// workspaces.
    ///
    /// Where arrays happen to lie in a GPU's memory decides percents: on an H200 1080 x31068 took
    /// 0.135 or 0.149 ms from run to run, and of eleven choices that had saved 3% on one device
    /// five lost on another, up to 6%. A processor's memory is its cores' own, and a new device
    /// would have to compile anew.
    fn holds(&mut self, recipe: &AnyValue) -> Result<bool> {
        if self.gpu.profile().is_cpu() {
            return Ok(true);
        }
        self.reopen()?;
        let both = [self.estimate.clone(), recipe.clone()];
        self.wake(&both)?;
        let times = self.rounds(&both, 2 * LEAST_FINAL_ROUNDS)?;
        Ok(winner(&times) == 1)
    }

    /// The final: the best recipes against the estimate, in interleaved rounds. Returns the winner,
    /// its seconds and the estimate's.
    pub(super) fn decide(&mut self) -> Result<(AnyValue, [f64; 2])> {
        self.say(Stage::Final, None);
        // All of these ran before.
        self.trial = None;
        let estimate = self.estimate.clone();
        let mut recipes: Vec<AnyValue> = self.ranked.iter().map(|(recipe, _)| recipe.clone()).collect();
        let alone = recipes.len() == 1;
        let own = recipes.iter().position(|recipe| *recipe == estimate).unwrap_or(0);
        recipes.swap(0, own);
        self.wake(&recipes)?;
        let mut times: Vec<Vec<f64>> = vec![Vec::new(); recipes.len()];
        let until = Instant::now() + self.left().max(self.final_time());
        for round in 0..if alone { ROUNDS } else { self.final_rounds() } {
            // Three rounds at least, as fewer decide nothing, unless there is nothing to decide.
            if round >= if alone { 1 } else { ROUNDS } && Instant::now() > until {
                break;
            }
            let seconds = self.rounds(&recipes, 1)?;
            times.iter_mut().zip(seconds).for_each(|(times, own)| times.extend(own));
        }
        loop {
            let winner = winner(&times);
            let recipe = recipes[winner].clone();
            if winner == 0 || self.is_right(&recipe)? && self.holds(&recipe)? {
                return Ok((recipe, [winner, 0].map(|i| median(&times[i]))));
            }
            recipes.remove(winner);
            times.remove(winner);
        }
    }
}

/// Which of several recipes to take, by its times in rounds. The first is the estimate, and stays
/// unless another one saves 3% in the median, is the faster in three quarters of the rounds, and
/// has the least time of both: a load that came and went favours one of two, but not round after
/// round.
fn winner(times: &[Vec<f64>]) -> usize {
    let medians: Vec<f64> = times.iter().map(|times| median(times)).collect();
    let least = |i: usize| times[i].iter().copied().fold(f64::INFINITY, f64::min);
    let better = |i: &usize| {
        let wins = times[*i].iter().zip(&times[0]).filter(|(own, estimate)| own < estimate).count();
        medians[*i] <= (1.0 - LEAST_GAIN) * medians[0] && wins * 4 >= times[0].len() * 3 && least(*i) < least(0)
    };
    (1..times.len()).filter(better).min_by(|&a, &b| medians[a].total_cmp(&medians[b])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_stays_unless_another_saves_3_percent() {
        let rounds = |time: f64| vec![time; 7];
        assert_eq!(winner(&[rounds(1.0)]), 0);
        assert_eq!(winner(&[rounds(1.0), rounds(0.98), rounds(0.975)]), 0);
        assert_eq!(winner(&[rounds(1.0), rounds(0.96), rounds(0.95), rounds(0.97)]), 2);
    }

    #[test]
    fn a_load_that_comes_and_goes_decides_nothing() {
        let estimate = vec![1.0, 1.0, 1.0, 3.0, 3.0, 3.0, 3.0];
        assert_eq!(winner(&[estimate.clone(), vec![1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1]]), 0, "faster in 4 of 7 rounds");
        assert_eq!(winner(&[estimate, vec![0.9, 0.9, 0.9, 2.0, 2.0, 2.0, 9.0]]), 1, "faster in 6 of 7 rounds");
    }

    #[test]
    fn times_that_are_none_never_win() {
        assert_eq!(winner(&[vec![1.0; 3], vec![f64::NAN; 3]]), 0);
        assert_eq!(winner(&[vec![1.0; 3], Vec::new()]), 0);
    }

    #[test]
    fn medians_are_between_the_middle_two() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&[]).is_nan());
    }
}
