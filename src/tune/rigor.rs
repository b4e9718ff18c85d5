//! How much time a choice may take.

use std::time::Duration;

use crate::error::Error;
use crate::text::{parsed, words};

/// How much time a choice may take.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Rigor {
    /// No time: uses what this crate's authors measured on such a device, otherwise the rules.
    #[default]
    Estimate,
    /// No time: uses the record, otherwise behaves like [`Estimate`](Self::Estimate).
    Recorded,
    /// About 2 seconds, unless the record has an entry.
    Measure,
    /// Up to a minute, unless the record has an entry from a search of this rigor.
    Patient,
}

impl Rigor {
    /// The default time limit of a search.
    #[must_use]
    pub fn time_limit(self) -> Duration {
        match self {
            Self::Estimate | Self::Recorded => Duration::ZERO,
            Self::Measure => Duration::from_secs(2),
            Self::Patient => Duration::from_secs(60),
        }
    }
}

words!(Rigor { Estimate = "estimate", Recorded = "recorded", Measure = "measure", Patient = "patient" });

parsed!(Rigor, |text| {
    let all = [Self::Estimate, Self::Recorded, Self::Measure, Self::Patient];
    all.into_iter().find(|rigor| rigor.to_string() == text).ok_or_else(|| Error::Parse {
        what: "rigor",
        text: text.to_owned(),
        why: "it is estimate, recorded, measure or patient".to_owned(),
    })
});
