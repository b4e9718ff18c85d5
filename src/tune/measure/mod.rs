//! Measures recipes on a scratch device and picks the fastest.

mod device;
mod finals;

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::gpu::stopwatch::Timer;
use crate::gpu::{DeviceProfile, Gpu};
use crate::plan::AnyValue;
use crate::sort::sort_short_by;
use crate::tune::any::AnyTunable;
use crate::tune::isolated::Isolated;
use crate::tune::lab::Lab;
use crate::tune::outcome::{End, LEAST_GAIN, Outcome};
use crate::tune::record::DeviceIdentity;
use crate::tune::record::{CRATE_VERSION, Items as _, Mark, Record, Trial, now};
use crate::tune::rigor::Rigor;
use crate::tune::search::{Pace, climb};
use crate::tune::tuning::{Progress, Stage, Tuning};

/// A step of the search must save so much; the end of the search measures more closely.
const STEP_GAIN: f64 = 0.01;

/// A recipe that takes so many times as long as the best in its first samples is not looked at
/// again.
const HOPELESS: f64 = 1.6;

/// Rounds in which a new recipe is compared with the best so far.
const ROUNDS: usize = 3;

/// Recipes besides the estimate that come into the final.
const FINALISTS: usize = 3;

/// Looks for the fastest recipe. `estimate` is what is taken without measuring.
pub(in crate::tune) fn measure(gpu: &Gpu, tunable: &Arc<dyn AnyTunable>, estimate: AnyValue, tuning: &Tuning) -> Result<Outcome<AnyValue>> {
    // Two searches at once would measure each other.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let limit = tuning.limit();
    let device = Arc::new(DeviceIdentity::of(gpu));
    let spec = tunable.to_string();
    let mut search = Search {
        gpu,
        tunable,
        tuning,
        started: Instant::now(),
        limit,
        patience: tuning.patience_for(limit),
        lab: None,
        trial: Some(tuning.record.begin_trial(&spec, &estimate.to_string(), &device)),
        record: &tuning.record,
        device,
        spec,
        ranked: Vec::new(),
        times: HashMap::new(),
        right: HashSet::new(),
        faults: Vec::new(),
        estimate_seconds: f64::INFINITY,
        leader_seconds: f64::INFINITY,
        slowest: Duration::ZERO,
        slowest_batch: Duration::ZERO,
        measured: 0,
        timer: Timer::WallClock,
        bound: 0.0,
        estimate,
    };
    search.run()
}

struct Search<'a> {
    gpu: &'a Gpu,
    tunable: &'a Arc<dyn AnyTunable>,
    tuning: &'a Tuning,
    record: &'a Record,
    device: Arc<DeviceIdentity>,
    spec: String,
    started: Instant,
    limit: Duration,
    patience: Duration,
    estimate: AnyValue,
    lab: Option<Isolated<Lab>>,
    /// Tells a later process which recipe this one did not survive.
    trial: Option<Trial>,
    /// The best recipes so far, with their seconds on the estimate's scale; the fastest first.
    ranked: Vec<(AnyValue, f64)>,
    /// Seconds of all that was tried, on the estimate's scale; none of what cannot run, or must
    /// not.
    times: HashMap<AnyValue, Option<f64>>,
    /// Recipes whose result is right.
    right: HashSet<AnyValue>,
    faults: Vec<(AnyValue, String)>,
    estimate_seconds: f64,
    /// Seconds of the best recipe when it ran last. Loads come and go.
    leader_seconds: f64,
    /// The longest that a recipe took until it was measured.
    slowest: Duration,
    /// The longest that recipes took to be compiled side by side.
    slowest_batch: Duration,
    measured: usize,
    timer: Timer,
    /// Seconds that nothing can beat.
    bound: f64,
}

impl Search<'_> {
    fn run(&mut self) -> Result<Outcome<AnyValue>> {
        let estimate = self.estimate.clone();
        self.say(Stage::Opening, None);
        let seconds = self.open()?;
        self.patience = self.tuning.patience_for(self.started.elapsed());
        self.begin_with(seconds);
        // Half of the time is for searching, however long it took to get here.
        self.limit = self.limit.max(self.started.elapsed() + self.limit / 2);
        self.measured = 1;
        let profile = self.gpu.profile().clone();
        // Nothing to choose from: one run takes more than there is time for comparisons.
        let too_long = Duration::try_from_secs_f64(seconds * (2 * ROUNDS) as f64).map_or(true, |time| time > self.left());
        let mut end = End::Time;
        if !too_long {
            self.warm_up()?;
            self.find_bound()?;
            if self.at_bound() {
                end = End::Roofline;
            } else {
                let complete = self.climb_all(&profile);
                end = match complete {
                    true => End::Optimum,
                    false if self.at_bound() => End::Roofline,
                    false => End::Time,
                };
            }
        }
        if end == End::Time && self.tuning.is_cancelled() {
            end = End::Cancelled;
        }
        let (recipe, [ours, estimates]) = self.decide()?;
        self.say(Stage::Done, None);
        Ok(Outcome {
            recipe,
            estimate,
            time: Duration::from_secs_f64(ours),
            estimate_time: Duration::from_secs_f64(estimates),
            timer: self.timer,
            measured: self.measured,
            faults: std::mem::take(&mut self.faults),
            end,
            elapsed: self.started.elapsed(),
        })
    }

    /// Sets the scale: what the estimate takes.
    fn begin_with(&mut self, seconds: f64) {
        self.estimate_seconds = seconds;
        self.leader_seconds = seconds;
        self.ranked = vec![(self.estimate.clone(), seconds)];
        self.times.insert(self.estimate.clone(), Some(seconds));
    }

    /// Climbs from the best start; with patience from the others too, the fastest first, since what
    /// is best may lie behind what is not. Returns whether it came to its end.
    fn climb_all(&mut self, profile: &DeviceProfile) -> bool {
        let mut starts = vec![self.estimate.clone()];
        starts.extend(self.starts());
        let mut complete = self.climb(starts.clone(), profile);
        if self.tuning.rigor == Rigor::Patient {
            let seconds = |recipe: &AnyValue| self.times.get(recipe).copied().flatten().unwrap_or(f64::INFINITY);
            sort_short_by(&mut starts, |a, b| seconds(a).total_cmp(&seconds(b)));
            for start in starts {
                complete = complete && self.climb(vec![start], profile);
            }
        }
        complete
    }

    fn climb(&mut self, starts: Vec<AnyValue>, profile: &DeviceProfile) -> bool {
        let (tunable, pace) = (self.tunable, Pace { batch: self.side_by_side(), gain: STEP_GAIN });
        let fits = |recipe: &AnyValue| tunable.fingerprint(recipe, profile).is_ok();
        let neighbours = |recipe: &AnyValue| tunable.neighbours(recipe, profile).into_iter().filter(fits).collect();
        climb(starts, pace, neighbours, |batch| self.batch(batch)).complete
    }

    fn left(&self) -> Duration {
        if self.tuning.is_cancelled() { Duration::ZERO } else { self.limit.saturating_sub(self.started.elapsed()) }
    }

    fn say(&self, stage: Stage, recipe: Option<&str>) {
        let best = self.ranked.first().map_or(1.0, |(_, seconds)| seconds / self.estimate_seconds);
        let progress =
            Progress { spec: &self.spec, stage, recipe, measured: self.measured, best, elapsed: self.started.elapsed(), limit: self.limit };
        self.tuning.report(&progress);
    }

    /// Measures what a copy takes. A processor's time is not that of its memory.
    fn find_bound(&mut self) -> Result<()> {
        if !self.gpu.profile().is_cpu() {
            self.bound = self.ask(Lab::copy_seconds)?;
        }
        Ok(())
    }

    fn at_bound(&self) -> bool {
        self.ranked.first().is_some_and(|(_, seconds)| *seconds <= self.bound * (1.0 + LEAST_GAIN))
    }

    /// Where the search begins besides the estimate.
    fn starts(&self) -> Vec<AnyValue> {
        let profile = self.gpu.profile();
        let seeds = self.record.seeds(&self.spec, &self.device).into_iter().filter_map(|text| self.tunable.parse(&text));
        let mut starts: Vec<AnyValue> = Vec::new();
        for recipe in seeds.chain(self.tunable.alternatives(profile)) {
            if recipe != self.estimate && !starts.contains(&recipe) && self.tunable.fingerprint(&recipe, profile).is_ok() {
                starts.push(recipe);
            }
        }
        starts
    }

    /// Measures recipes for the climb.
    fn batch(&mut self, recipes: &[AnyValue]) -> ControlFlow<Vec<Option<f64>>, Vec<Option<f64>>> {
        let mut times = Vec::new();
        let is_fresh = |recipe: &&AnyValue| !self.times.contains_key(recipe) && !self.is_marked(recipe);
        let fresh: Vec<AnyValue> = recipes.iter().filter(is_fresh).cloned().collect();
        // What is left must be enough to compile these and for the final.
        let in_time =
            |search: &Self, needed| !search.at_bound() && !search.tuning.is_cancelled() && search.left() >= needed + search.final_time();
        if !fresh.is_empty() && (!in_time(self, self.slowest_batch) || self.compile(&fresh).is_err()) {
            return ControlFlow::Break(times);
        }
        let leader = self.ranked[0].0.clone();
        if !fresh.is_empty() && self.wake(&[leader]).is_err() {
            return ControlFlow::Break(times);
        }
        for recipe in recipes {
            if fresh.contains(recipe) {
                if !in_time(self, self.slowest) {
                    return ControlFlow::Break(times);
                }
                let start = Instant::now();
                // An error means that there is no device to go on with.
                let Ok(seconds) = self.candidate(recipe) else { return ControlFlow::Break(times) };
                self.times.insert(recipe.clone(), seconds);
                self.slowest = self.slowest.max(start.elapsed());
            }
            times.push(self.times.get(recipe).copied().flatten());
        }
        ControlFlow::Continue(times)
    }

    fn is_marked(&self, recipe: &AnyValue) -> bool {
        self.record.marked(&self.spec, &recipe.to_string(), &self.device).is_some()
    }

    /// Tries one recipe and returns its seconds on the estimate's scale, if it is any good.
    fn candidate(&mut self, recipe: &AnyValue) -> Result<Option<f64>> {
        let text = recipe.to_string();
        // Before the callback: what happens in it is part of the trial.
        if let Some(trial) = &mut self.trial {
            trial.next(&text);
        }
        self.say(Stage::Searching, Some(&text));
        let own = recipe.clone();
        let first = match self.ask(move |lab| lab.admit(&own)) {
            Ok(seconds) => seconds,
            Err(error) => return self.failed(recipe, error),
        };
        self.measured += 1;
        let (best, best_seconds) = self.ranked[0].clone();
        let both = [best, recipe.clone()];
        let (mut first, mut now) = (first, self.leader_seconds);
        let long = (first + now) * ROUNDS as f64 > self.limit.as_secs_f64() / 20.0;
        // A load may have come since the best was measured: where a recipe seems hopeless both run
        // once more, unless that takes long.
        if first > now * HOPELESS && !long {
            match self.rounds(&both, 1) {
                Ok(again) => (first, now) = (first.min(again[1][0]), now.max(again[0][0])),
                Err(error) => return self.failed(recipe, error),
            }
        }
        let mut own_now = first;
        let seconds = if first > now * HOPELESS {
            best_seconds * first / now
        } else {
            // What is as clear, or takes long, needs no more than one.
            let clear = first * HOPELESS < now;
            let mut times = self.rounds(&both, if clear || long { 1 } else { ROUNDS });
            // What was clear and is not any more met a load.
            if clear && times.as_ref().is_ok_and(|times| median(&times[1]) >= median(&times[0])) {
                times = self.rounds(&both, ROUNDS);
            }
            match times {
                Ok(times) => {
                    self.leader_seconds = median(&times[0]);
                    own_now = median(&times[1]);
                    best_seconds * own_now / self.leader_seconds
                }
                Err(error) => return self.failed(recipe, error),
            }
        };
        if !seconds.is_finite() || seconds <= 0.0 {
            self.dismiss(recipe);
            return Ok(None);
        }
        if seconds < best_seconds {
            // What may win is checked at once, so that the search does not go on from a wrong
            // result; what leads by less, if it comes to that.
            if seconds <= self.estimate_seconds * (1.0 - LEAST_GAIN) && !self.is_right(recipe)? {
                return Ok(None);
            }
            self.leader_seconds = own_now;
            self.ranked.insert(0, (recipe.clone(), seconds));
            // The estimate stays, to be compared with in the end.
            if self.ranked.len() > FINALISTS + 1 {
                let last = self.ranked.iter().rposition(|(recipe, _)| *recipe != self.estimate).unwrap_or(0);
                let (dropped, _) = self.ranked.remove(last);
                self.dismiss(&dropped);
            }
        } else {
            self.dismiss(recipe);
        }
        Ok(Some(seconds))
    }

    /// Whether the result of an admitted recipe is right. If not, it is marked.
    fn is_right(&mut self, recipe: &AnyValue) -> Result<bool> {
        if self.right.contains(recipe) {
            return Ok(true);
        }
        let (own, estimate) = (recipe.clone(), self.estimate.clone());
        match self.ask(move |lab| lab.fault(&own, &estimate)) {
            Ok(None) => {
                self.right.insert(recipe.clone());
                return Ok(true);
            }
            Ok(Some(fault)) => {
                self.dismiss(recipe);
                self.mark(recipe, format!("wrong result: {fault}"));
            }
            Err(error) => drop(self.failed(recipe, error)?),
        }
        Ok(false)
    }

    /// What an error of a recipe means: one that does not fit is passed over; one that took the
    /// device with it is marked, and a new device is opened.
    fn failed(&mut self, recipe: &AnyValue, error: Error) -> Result<Option<f64>> {
        if matches!(error, Error::DeviceLost { .. }) || self.lab.is_none() {
            self.mark(recipe, error.to_string());
            self.reopen()?;
        } else {
            self.dismiss(recipe);
        }
        Ok(None)
    }

    fn mark(&mut self, recipe: &AnyValue, why: String) {
        log::warn!("`{}` by `{recipe}` on {}: {why}; it will not be tried again", self.spec, self.gpu);
        self.record.mark(Mark {
            spec: self.spec.clone(),
            recipe: recipe.to_string(),
            device: Arc::clone(&self.device),
            why: why.clone(),
            version: CRATE_VERSION.to_owned(),
            time: now(),
        });
        // Not to be admitted to a new device either.
        self.ranked.retain(|(own, _)| own != recipe);
        self.faults.push((recipe.clone(), why));
    }

    fn dismiss(&mut self, recipe: &AnyValue) {
        let own = recipe.clone();
        let _ = self.ask(move |lab| {
            lab.dismiss(&own);
            Ok(())
        });
    }
}

fn median(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    sort_short_by(&mut times, f64::total_cmp);
    let middle = times.len() / 2;
    match times.len() {
        0 => f64::NAN,
        len if len % 2 == 1 => times[middle],
        _ => (times[middle - 1] + times[middle]) / 2.0,
    }
}
