//! Why one rank could not do its part, before the other ranks know.

use super::phase::Phase;
use crate::error::Error;

/// Why one rank could not do its part, before the other ranks know.
#[derive(Debug)]
pub(super) enum Failure {
    /// It has no adapter.
    Adapter(String),
    /// Anything else.
    Other(String),
}

impl From<wgpu_fft::Error> for Failure {
    fn from(error: wgpu_fft::Error) -> Self {
        match error {
            wgpu_fft::Error::NoAdapter { .. } | wgpu_fft::Error::NoDevice { .. } => Self::Adapter(error.to_string()),
            other => Self::Other(other.to_string()),
        }
    }
}

impl Failure {
    /// The failure as text for a message: a letter for its kind, then its text.
    pub fn to_text(&self) -> String {
        match self {
            Self::Adapter(message) => format!("a{message}"),
            Self::Other(message) => format!("o{message}"),
        }
    }

    /// The error that every rank returns, from the text of that message.
    pub fn error(rank: usize, during: Phase, text: &str) -> Error {
        match text.strip_prefix('a') {
            Some(message) => Error::NoAdapter { rank, message: message.to_owned() },
            None => Error::OnRank { rank, during, message: text.get(1..).unwrap_or_default().to_owned() },
        }
    }
}

/// The result of one rank's part.
pub(super) type Outcome<T> = std::result::Result<T, Failure>;

/// Does one rank's part. A panic becomes a failure like any other, because a rank that unwinds
/// would let the others wait forever.
pub(super) fn guarded<T>(part: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(part)).unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned());
        Err(Failure::Other(format!("a panic: {text}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_arrive_as_they_were_sent() {
        let there = |failure: Failure| Failure::error(2, Phase::Rows, &failure.to_text());
        assert_eq!(there(Failure::Adapter("no GPU".to_owned())), Error::NoAdapter { rank: 2, message: "no GPU".to_owned() });
        let expected = Error::OnRank { rank: 2, during: Phase::Rows, message: "a device".to_owned() };
        assert_eq!(there(Failure::Other("a device".to_owned())), expected);
    }

    #[test]
    fn panics_are_failures() {
        let part: Outcome<()> = guarded(|| panic!("by {}", "chance"));
        assert!(matches!(part, Err(Failure::Other(text)) if text.contains("by chance")));
    }
}
