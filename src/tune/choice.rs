//! A chosen recipe, and who chooses it.

use std::fmt::{self, Debug};

use super::any::Erased;
#[cfg(feature = "tune")]
use super::{outcome::Outcome, record::Entry};
#[cfg(feature = "tune")]
use crate::error::Error;
use crate::error::Result;
use crate::gpu::Gpu;
use crate::plan::AnyValue;

/// What gives a [`Planner`](crate::Planner) the recipe for a specification.
pub(crate) trait Chooser: Debug + Send + Sync {
    fn choose(&self, gpu: &Gpu, spec: &Erased) -> Result<Choice<AnyValue>>;
}

/// A recipe, and where it comes from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Choice<R> {
    /// The recipe.
    pub recipe: R,
    /// Where it comes from.
    pub source: Source,
}

impl<R> Choice<R> {
    /// The same choice with the recipe in another form, such as its text.
    pub fn map<T>(self, form: impl FnOnce(R) -> T) -> Choice<T> {
        Choice { recipe: form(self.recipe), source: self.source }
    }
}

impl Choice<AnyValue> {
    /// With the type that the recipe has.
    pub(crate) fn typed<R: Clone + 'static>(self) -> Choice<R> {
        self.map(|recipe| recipe.get::<R>().expect("a recipe has the type of what it is for").clone())
    }
}

/// Where a choice comes from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Source {
    /// The rules for the device's profile, or for the coefficients that the record has of it.
    Rules,
    /// The table of what this crate's authors measured, on this device or on one of the same vendor
    /// and type.
    BuiltIn {
        /// When and how it was measured.
        measurement: &'static str,
    },
    /// The record.
    #[cfg(feature = "tune")]
    Recorded(Box<Entry>),
    /// A search that has just run.
    #[cfg(feature = "tune")]
    Measured(Box<Outcome<String>>),
    /// A search failed with this error, and the estimate was chosen.
    #[cfg(feature = "tune")]
    Failed(Error),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rules => f.write_str("chosen by rule"),
            Self::BuiltIn { measurement } => write!(f, "from the built-in table: {measurement}"),
            #[cfg(feature = "tune")]
            Self::Recorded(entry) => {
                let [ours, rules] = [entry.seconds, entry.rules_seconds].map(|seconds| seconds * 1e3);
                write!(f, "from the record: {ours:.4} ms, by rule {rules:.4} ms, by {}, rigor {}", entry.timer, entry.rigor)
            }
            #[cfg(feature = "tune")]
            Self::Measured(outcome) => write!(f, "measured: {outcome}"),
            #[cfg(feature = "tune")]
            Self::Failed(error) => write!(f, "chosen without measurement, because measuring failed: {error}"),
        }
    }
}
