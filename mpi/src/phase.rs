//! The parts of a job, by which times are kept and failures are told.

use std::fmt;

macro_rules! phases {
    ($($(#[doc = $doc:literal])* $name:ident = $word:literal),* $(,)?) => {
        /// A part of a job. All ranks go through the same ones in the same order.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum Phase { $($(#[doc = $doc])* $name),* }

        impl Phase {
            const ALL: &[Self] = &[$(Self::$name),*];

            /// All phases, in the order of a job that has all of them.
            #[must_use]
            pub fn all() -> &'static [Self] {
                Self::ALL
            }
        }

        impl fmt::Display for Phase {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(match self { $(Self::$name => $word),* })
            }
        }
    };
}

phases! {
    /// Each rank opens its adapter.
    Open = "open",
    /// The ranks agree on the transform and its arithmetic, and make their plans.
    Plan = "plan",
    /// The ranks are measured, all at the same time.
    Measure = "measure",
    /// Rank 0 sends the input to all.
    Scatter = "scatter",
    /// Slabs of frequencies are turned so that axis 0 can be gathered.
    Turn = "turn",
    /// The axes that lie whole in a slab of axis 0 are transformed.
    Rows = "rows",
    /// From slabs of axis 0 to slabs of axis 1.
    Exchange = "exchange",
    /// Axis 0 is transformed.
    Columns = "columns",
    /// From slabs of axis 1 back to slabs of axis 0.
    Return = "return",
    /// Rank 0 collects the output of all.
    Gather = "gather",
    /// Rank 0 collects what all have to report.
    Report = "report",
}

impl Phase {
    pub(crate) fn code(self) -> i64 {
        self as i64
    }

    pub(crate) fn of_code(code: i64) -> Self {
        usize::try_from(code).ok().and_then(|code| Self::ALL.get(code)).copied().unwrap_or(Self::Open)
    }
}

/// Reads what [`Display`](fmt::Display) prints.
impl std::str::FromStr for Phase {
    type Err = wgpu_fft::Error;

    fn from_str(text: &str) -> wgpu_fft::Result<Self> {
        Self::ALL.iter().find(|phase| phase.to_string() == text).copied().ok_or_else(|| {
            let words: Vec<String> = Self::ALL.iter().map(Self::to_string).collect();
            wgpu_fft::Error::Parse { what: "phase", text: text.to_owned(), why: format!("it is one of {}", words.join(", ")) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_travel_as_numbers_and_as_words() {
        for &phase in Phase::all() {
            assert_eq!(Phase::of_code(phase.code()), phase);
            assert_eq!(phase.to_string().parse(), Ok(phase));
        }
    }
}
