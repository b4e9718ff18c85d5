//! Why one rank could not do its part, before the other ranks know.

use std::time::Duration;

use super::phase::Phase;
use crate::error::Error;

/// Why one rank could not do its part, before the other ranks know.
#[derive(Debug)]
pub(super) enum Failure {
    /// It has no adapter.
    Adapter(String),
    /// Its device did not answer.
    NoAnswer {
        /// The name of the device.
        device: String,
        waited: Duration,
        /// The pieces that it had completed, and all of its pieces.
        done: usize,
        pieces: usize,
    },
    /// Its caller wants no more.
    Cancelled,
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
            Self::Cancelled => "c".to_owned(),
            Self::Other(message) => format!("o{message}"),
            Self::NoAnswer { device, waited, done, pieces } => format!("n{} {done} {pieces} {device}", waited.as_micros()),
        }
    }

    /// The error that every rank returns, from the text of that message.
    pub fn error(rank: usize, during: Phase, text: &str) -> Error {
        let message = text.get(1..).unwrap_or_default().to_owned();
        match text.chars().next() {
            Some('c') => Error::Cancelled { rank: Some(rank), phase: during.to_string() },
            Some('a') => Error::NoAdapter { rank, message },
            Some('n') => {
                let mut words = message.splitn(4, ' ');
                let mut number = || words.next().and_then(|word| word.parse::<u64>().ok()).unwrap_or_default();
                let (waited, done, pieces) = (Duration::from_micros(number()), number() as usize, number() as usize);
                let device = format!("{} of rank {rank}", words.next().unwrap_or_default());
                Error::NoAnswer { device, phase: during.to_string(), waited, done, pieces }
            }
            _ => Error::OnRank { rank, during, message },
        }
    }
}

/// The result of one rank's part.
pub(super) type Outcome<T> = std::result::Result<T, Failure>;

/// Does one rank's part. A panic becomes a failure like any other, because a rank that unwinds
/// would let the others wait forever.
pub(super) fn guarded<T>(part: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(part)).unwrap_or_else(|payload| Err(panicked(&*payload)))
}

/// The failure of a part that panicked.
pub(super) fn panicked(payload: &(dyn std::any::Any + Send)) -> Failure {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned());
    Failure::Other(format!("a panic: {text}"))
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
        assert_eq!(there(Failure::Cancelled), Error::Cancelled { rank: Some(2), phase: "rows".to_owned() });
        let (device, waited) = ("a card, of two".to_owned(), Duration::from_millis(1500));
        let sent = Failure::NoAnswer { device, waited, done: 2, pieces: 5 };
        let (device, phase) = ("a card, of two of rank 2".to_owned(), "rows".to_owned());
        assert_eq!(there(sent), Error::NoAnswer { device, phase, waited, done: 2, pieces: 5 });
    }

    #[test]
    fn panics_are_failures() {
        let part: Outcome<()> = guarded(|| panic!("by {}", "chance"));
        assert!(matches!(part, Err(Failure::Other(text)) if text.contains("by chance")));
    }
}
