//! Searches over recipes that are independent of how recipes are measured.
//!
//! These functions are pure: the caller defines what a recipe is, which neighbours it has and how
//! long it takes. So they can search a table of times as well as a device.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::ops::ControlFlow;

/// How a [`climb`] proceeds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pace {
    /// Number of neighbours that are measured together. If the best of them is better than the
    /// current recipe, the climb moves there; 0 counts as 1.
    ///
    /// Measuring one at a time needs the fewest measurements. Measuring all of them is steepest
    /// descent, and compares every neighbour at the same time, under the same load on the device.
    pub batch: usize,
    /// The share of the time that a step must save, such as 0.02, so that noise does not count as a
    /// gain.
    pub gain: f64,
}

/// What a [`climb`] found.
#[derive(Clone, PartialEq, Debug)]
pub struct Climb<R> {
    /// The best recipe and its time, or `None` if no recipe that was tried can run.
    pub best: Option<(R, f64)>,
    /// Number of recipes that were measured and ran.
    pub measured: usize,
    /// Number of recipes that were given to the measurer and could not run.
    pub refused: usize,
    /// True if no neighbour of the best recipe is better; false if the measurer ended the climb.
    pub complete: bool,
}

/// Climbs from the best of `starts` to a recipe that has no better neighbour.
///
/// All starts are measured first, in one batch. Then the best one's neighbours are measured in
/// order, `pace.batch` at a time, until a batch contains one that saves the share `pace.gain` of
/// the time. The climb moves to the best of that batch and repeats. A recipe that saves less is not
/// taken, so some measured recipe may be slightly faster than the result. Before the climb ends, it
/// also tries the neighbours of recipes whose time equals the best time exactly: a coarse clock
/// turns a gentle slope into a plateau. No recipe is measured twice, and the same times always give
/// the same climb.
///
/// `measure` returns a time for each recipe of a batch, in any unit, or `None` for a recipe that
/// cannot run. Missing times and times that are not finite count as `None`. To end the climb,
/// `measure` returns [`ControlFlow::Break`] with the times of the first recipes of the batch, as
/// far as it got. The climb then returns the best recipe so far.
///
/// ```
/// use std::ops::ControlFlow;
/// use wgpu_fft::low_level::tune::search::{Pace, climb};
///
/// let time = |[x, y]: [u32; 2]| (x * y <= 1024).then(|| f64::from(x.abs_diff(32) + y.abs_diff(4)));
/// let around = |&[x, y]: &[u32; 2]| vec![[2 * x, y], [x, 2 * y], [x.div_ceil(2), y], [x, y.div_ceil(2)]];
/// let pace = Pace { batch: 1, gain: 0.0 };
/// let found = climb(vec![[1, 1], [256, 4]], pace, around, |shapes| {
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
