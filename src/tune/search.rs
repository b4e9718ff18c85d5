//! Searches over recipes, by whatever measures them.
//!
//! They are pure: what a recipe is, which are its neighbours and how long it takes are the caller's
//! to say. So a table of times can be searched as well as a device.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::ops::ControlFlow;

/// How a [`climb`] goes on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pace {
    /// Neighbours that are measured at once before the best of them, if it is better, is gone on
    /// from; 0 counts as 1.
    ///
    /// One at a time takes the fewest measurements. All of them is steepest descent: every
    /// neighbour is compared at the same time, under the same load of the device.
    pub batch: usize,
    /// The part of the time that a step must save, such as 0.02: what noise could feign is no gain.
    pub gain: f64,
}

/// What a [`climb`] found.
#[derive(Clone, PartialEq, Debug)]
pub struct Climb<R> {
    /// The best recipe and its time; none if nothing that was tried can run.
    pub best: Option<(R, f64)>,
    /// Recipes that were given to the measurer and ran.
    pub measured: usize,
    /// Recipes that were given to the measurer and could not run.
    pub refused: usize,
    /// Whether no neighbour of the best is better, as opposed to an end by the measurer.
    pub complete: bool,
}

/// Climbs from the best of `starts` to a recipe none of whose neighbours is better.
///
/// All starts are measured first, at once. Then come the best one's neighbours in their order,
/// `pace.batch` at a time, until one saves `pace.gain` of the time; from the best of that batch it
/// goes on in the same way. What saves less is not taken, so something measured may have been a
/// little faster. Recipes as fast as the best to the last digit are gone on from before it ends: a
/// clock of few digits makes level ground of a gentle slope. No recipe is measured twice, and the
/// same times give the same climb.
///
/// `measure` gives a time for each recipe of a batch, in any unit, or `None` for one that cannot
/// run; a time that is missing or no finite number counts as `None`. By [`ControlFlow::Break`] with
/// the times so far, of the first recipes of the batch, it ends the climb, which keeps what is best
/// by then.
///
/// ```
/// use std::ops::ControlFlow;
/// use wgpu_fft::tune::search::{Pace, climb, six_neighbours};
///
/// let time = |[x, y]: [u32; 2]| (x * y <= 1024).then(|| f64::from(x.abs_diff(32) + y.abs_diff(4)));
/// let pace = Pace { batch: 1, gain: 0.0 };
/// let found = climb(vec![[1, 1], [256, 4]], pace, |&shape| six_neighbours(shape), |shapes| {
///     ControlFlow::Continue(shapes.iter().map(|&shape| time(shape)).collect())
/// });
/// assert_eq!(found.best, Some(([32, 4], 0.0)));
/// ```
pub fn climb<R: Clone + Eq + Hash>(
    starts: Vec<R>,
    pace: Pace,
    mut neighbours: impl FnMut(&R) -> Vec<R>,
    mut measure: impl FnMut(&[R]) -> ControlFlow<Vec<Option<f64>>, Vec<Option<f64>>>,
) -> Climb<R> {
    let mut known = Known { times: HashMap::new(), level: Vec::new(), best: None, refused: 0 };
    let starts = known.unknown(starts);
    let mut open = starts.is_empty() || known.add(&starts, 0.0, &mut measure).is_some();
    // Where the climb is, as the last of the recipes that are as good as any: each of them is left
    // once.
    while open && let Some(place) = known.level.pop() {
        let around = known.unknown(neighbours(&place));
        for batch in around.chunks(pace.batch.max(1)) {
            match known.add(batch, pace.gain, &mut measure) {
                Some(Gain::None) => {}
                Some(Gain::Better) => break,
                None => {
                    open = false;
                    break;
                }
            }
        }
    }
    Climb { measured: known.times.len() - known.refused, best: known.best, refused: known.refused, complete: open }
}

/// What a batch brought.
enum Gain {
    None,
    Better,
}

/// What a climb knows.
struct Known<R> {
    times: HashMap<R, Option<f64>>,
    /// Recipes as fast as the best whose neighbours are not known yet, the best itself among them.
    level: Vec<R>,
    best: Option<(R, f64)>,
    refused: usize,
}

impl<R: Clone + Eq + Hash> Known<R> {
    /// Those that were not measured, each once.
    fn unknown(&self, recipes: Vec<R>) -> Vec<R> {
        let mut seen = HashSet::new();
        recipes.into_iter().filter(|recipe| !self.times.contains_key(recipe) && seen.insert(recipe.clone())).collect()
    }

    /// Measures a batch; none if the measurer ends the climb.
    fn add(
        &mut self,
        batch: &[R],
        gain: f64,
        measure: &mut impl FnMut(&[R]) -> ControlFlow<Vec<Option<f64>>, Vec<Option<f64>>>,
    ) -> Option<Gain> {
        let (times, open) = match measure(batch) {
            ControlFlow::Continue(times) => (times, true),
            ControlFlow::Break(times) => (times, false),
        };
        // What an end left out was not measured; what is missing otherwise cannot run.
        let given = if open { batch.len() } else { times.len().min(batch.len()) };
        let times = times.into_iter().chain(std::iter::repeat(None)).map(|time| time.filter(|time| time.is_finite()));
        let mut fastest: Option<(&R, f64)> = None;
        for (recipe, time) in batch[..given].iter().zip(times) {
            self.times.insert(recipe.clone(), time);
            match time {
                None => self.refused += 1,
                Some(time) if fastest.is_none_or(|(_, least)| time < least) => fastest = Some((recipe, time)),
                Some(_) => {}
            }
        }
        let better = fastest.filter(|(_, time)| self.best.as_ref().is_none_or(|(_, least)| *time < least - gain * least));
        if let Some((recipe, time)) = better {
            self.best = Some((recipe.clone(), time));
            self.level.clear();
        }
        let least = self.best.as_ref().map(|(_, least)| *least);
        let level = batch[..given].iter().filter(|&recipe| least.is_some() && self.times.get(recipe).copied().flatten() == least);
        // Backwards, as the last one goes first.
        self.level.extend(level.rev().cloned());
        open.then_some(if better.is_some() { Gain::Better } else { Gain::None })
    }
}

/// The neighbours of a shape in powers of two: trades, which halve one axis and double the other,
/// then one axis doubled, then one halved.
///
/// Trades come first as they keep the number of invocations, on which most hangs: on the tables in
/// `tests/data` a climb by one neighbour at a time then takes 20 measurements at most, of 36 in the
/// worst order, and in no order fewer. What would fall below 1 or past 2³² - 1 is left out; what
/// else is too large is for the caller to leave out.
#[must_use]
pub fn six_neighbours([x, y]: [u32; 2]) -> Vec<[u32; 2]> {
    let halved = |n: u32| (n > 1).then_some(n / 2);
    let doubled = |n: u32| n.checked_mul(2).filter(|&n| n > 0);
    let all = [
        (halved(x), doubled(y)),
        (doubled(x), halved(y)),
        (doubled(x), Some(y)),
        (Some(x), doubled(y)),
        (halved(x), Some(y)),
        (Some(x), halved(y)),
    ];
    all.into_iter().filter_map(|(x, y)| Some([x?, y?])).collect()
}
