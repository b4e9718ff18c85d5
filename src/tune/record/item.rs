//! The items of a record: measurements and warnings.

use std::cmp::Ordering;
use std::sync::Arc;
#[cfg(not(target_arch = "wasm32"))]
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
#[cfg(target_arch = "wasm32")]
use web_time::{SystemTime, UNIX_EPOCH};

use super::DeviceIdentity;
use crate::error::{Error, Result};
use crate::gpu::stopwatch::Timer;
use crate::tune::rigor::Rigor;

/// The version of this crate, as stored in entries and marks.
pub const CRATE_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Seconds since 1970; 0 if the clock says less.
#[must_use]
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The best recipe that a search found for a specification.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The specification, as printed.
    pub spec: String,
    /// The recipe, as printed.
    pub recipe: String,
    /// [`wgsl_hash`](crate::low_level::tune::wgsl_hash) of the recipe's program. If today's hash
    /// differs, the time no longer applies.
    pub wgsl: u64,
    /// The device it was measured on.
    pub device: Arc<DeviceIdentity>,
    /// Time of one run in seconds; finite and positive.
    pub seconds: f64,
    /// Time of one run of the estimate in the same rounds, in seconds; finite and positive.
    pub rules_seconds: f64,
    /// The clock that was used.
    pub timer: Timer,
    /// How thorough the search was.
    pub rigor: Rigor,
    /// The version of this crate that measured it, as in [`CRATE_VERSION`](super::CRATE_VERSION).
    pub version: String,
    /// When it was measured, in seconds since 1970 ([`now`](super::now)).
    pub time: u64,
}

impl Entry {
    /// Refuses times that no clock measures.
    pub(super) fn check(&self) -> Result<()> {
        let measured = |seconds: f64| seconds.is_finite() && seconds > 0.0;
        if measured(self.seconds) && measured(self.rules_seconds) {
            return Ok(());
        }
        let what = format!("a measurement of {} s, and {} s by the rules, for `{}`", self.seconds, self.rules_seconds, self.spec);
        Err(Error::Unsupported { what, why: "times must be finite and positive".to_owned() })
    }
}

/// A recipe that must not be tried again on a device.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// The specification, as printed.
    pub spec: String,
    /// The recipe, as printed.
    pub recipe: String,
    /// The device it failed on.
    pub device: Arc<DeviceIdentity>,
    /// What went wrong: `crashed`, `hung`, `lost the device`, `wrong result`.
    pub why: String,
    /// The version of this crate that tried it.
    pub version: String,
    /// When it failed, in seconds since 1970.
    pub time: u64,
}

/// One line of a record.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Item {
    /// A measurement.
    Best(Entry),
    /// A warning not to try a recipe again.
    Mark(Mark),
}

impl Item {
    /// The specification, as printed.
    #[must_use]
    pub fn spec(&self) -> &str {
        match self {
            Self::Best(entry) => &entry.spec,
            Self::Mark(mark) => &mark.spec,
        }
    }

    /// When it was measured or failed, in seconds since 1970.
    #[must_use]
    pub fn time(&self) -> u64 {
        match self {
            Self::Best(entry) => entry.time,
            Self::Mark(mark) => mark.time,
        }
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Arc<DeviceIdentity> {
        match self {
            Self::Best(entry) => &entry.device,
            Self::Mark(mark) => &mark.device,
        }
    }

    /// What is equal for items of which only the newest counts: the specification, the device, and
    /// the rigor of a measurement or the recipe of a mark.
    fn key(&self) -> (&str, &DeviceIdentity, Option<Rigor>, &str) {
        match self {
            Self::Best(entry) => (&entry.spec, &entry.device, Some(entry.rigor), ""),
            Self::Mark(mark) => (&mark.spec, &mark.device, None, &mark.recipe),
        }
    }

    /// Whether one takes the place of the other.
    pub(super) fn is_of(&self, other: &Self) -> bool {
        self.key() == other.key()
    }

    /// Entries first, then by specification and time.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let order = |item: &Self| (matches!(item, Self::Mark(_)), item.time());
        let (one, two) = (self.key(), other.key());
        (order(self).0, one.0, order(self).1, one).cmp(&(order(other).0, two.0, order(other).1, two))
    }
}
