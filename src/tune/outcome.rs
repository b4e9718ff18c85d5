//! The outcome of a search.

use std::fmt::{self, Display};
use std::time::Duration;

use crate::gpu::stopwatch::Timer;

/// The share of the estimate's time that a recipe must save, in the same rounds, to replace it.
/// Smaller gains may be noise.
pub const LEAST_GAIN: f64 = 0.03;

/// What a measurement found.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Outcome<R> {
    /// The recipe to use.
    pub recipe: R,
    /// The recipe chosen without measurement. It is kept unless another one saves 3%.
    pub estimate: R,
    /// Median time of one run of the recipe, in the final rounds.
    pub time: Duration,
    /// Median time of one run of the estimate, in the same rounds.
    pub estimate_time: Duration,
    /// The clock that was used.
    pub timer: Timer,
    /// Number of recipes that were measured, including the estimate.
    pub measured: usize,
    /// Recipes that must not be tried again, each with the reason.
    pub faults: Vec<(R, String)>,
    /// Why the search ended.
    pub end: End,
    /// How long the search took.
    pub elapsed: Duration,
}

/// Why a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum End {
    /// No neighbour of the best recipe was better.
    Optimum,
    /// The time limit was reached.
    Time,
    /// The caller ended it: [`Tuning::cancelled_by`](super::Tuning::cancelled_by).
    Cancelled,
    /// The best recipe moves its data as fast as a plain copy on this device does, within 3%.
    Roofline,
}

impl Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Optimum => "no neighbour is faster",
            Self::Time => "the time was up",
            Self::Cancelled => "it was cancelled",
            Self::Roofline => "as fast as a copy",
        })
    }
}

impl<R: Display + PartialEq> Display for Outcome<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [ours, estimate] = [self.time, self.estimate_time].map(|time| time.as_secs_f64() * 1e3);
        write!(f, "`{}` ", self.recipe)?;
        if self.recipe == self.estimate {
            write!(f, "{ours:.4} ms, as the rules chose")?;
        } else {
            write!(f, "{ours:.4} ms, the rules' choice {estimate:.4} ms ({:+.1}%)", (ours / estimate - 1.0) * 100.0)?;
        }
        write!(
            f,
            "; {} recipe{} in {:.1} s by {}, {}",
            self.measured,
            if self.measured == 1 { "" } else { "s" },
            self.elapsed.as_secs_f64(),
            self.timer,
            self.end
        )?;
        if self.faults.is_empty() { Ok(()) } else { write!(f, "; {} at fault", self.faults.len()) }
    }
}

impl<R: Display> Outcome<R> {
    /// The same with the recipes printed.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn printed(&self) -> Outcome<String> {
        let Self { time, estimate_time, timer, measured, end, elapsed, .. } = *self;
        Outcome {
            recipe: self.recipe.to_string(),
            estimate: self.estimate.to_string(),
            time,
            estimate_time,
            timer,
            measured,
            faults: self.faults.iter().map(|(recipe, why)| (recipe.to_string(), why.clone())).collect(),
            end,
            elapsed,
        }
    }
}
