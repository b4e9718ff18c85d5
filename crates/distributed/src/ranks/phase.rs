//! The phases of a job. Reports give times by phase, and errors name the phase.

use std::fmt;

macro_rules! phases {
    ($($(#[doc = $doc:literal])* $name:ident = $word:literal),* $(,)?) => {
        /// A phase of a job. All ranks go through the same phases in the same order.
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
    /// The ranks agree on the transform and its arithmetic, and build their plans.
    Plan = "plan",
    /// The speed of the ranks is measured, on all of them at the same time.
    Measure = "measure",
    /// Each rank reads its part from a file.
    Read = "read",
    /// Rank 0 sends the input to all ranks.
    Scatter = "scatter",
    /// The caller's array on the device is copied to the host, for an exchange that comes first, or back
    /// after one that comes last.
    Copy = "copy",
    /// Parts of the caller's choice are exchanged for those that the transform works on, or back, or for
    /// others of the caller's.
    Reshape = "reshape",
    /// Frequencies in natural order are transposed so that a divided axis can be gathered.
    Turn = "turn",
    /// The axes that each rank has completely are transformed.
    Rows = "rows",
    /// The ranks exchange blocks, so that a divided axis is gathered and the next one is divided.
    Exchange = "exchange",
    /// In pencils, axis 1 is transformed.
    Middle = "middle",
    /// Axis 0 is transformed.
    Columns = "columns",
    /// The ranks exchange blocks, so that an axis is divided again as it was.
    Return = "return",
    /// Rank 0 collects the output of all ranks.
    Gather = "gather",
    /// Each rank writes its part to a file.
    Write = "write",
    /// Rank 0 collects the reports of all ranks.
    Report = "report",
}

impl Phase {
    pub(super) fn code(self) -> i64 {
        self as i64
    }

    pub(super) fn of_code(code: i64) -> Self {
        usize::try_from(code).ok().and_then(|code| Self::ALL.get(code)).copied().unwrap_or(Self::Open)
    }
}

/// Parses the text that [`Display`](fmt::Display) prints.
impl std::str::FromStr for Phase {
    type Err = wgpu_fft::Error;

    fn from_str(text: &str) -> wgpu_fft::Result<Self> {
        Self::ALL.iter().find(|phase| phase.to_string() == text).copied().ok_or_else(|| {
            let words: Vec<String> = Self::ALL.iter().map(Self::to_string).collect();
            wgpu_fft::Error::Parse { what: "phase", text: text.to_owned(), why: format!("it must be one of {}", words.join(", ")) }
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
