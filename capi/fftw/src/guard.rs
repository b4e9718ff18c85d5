//! The one place where panics end, and where what went wrong is told.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use crate::precision::LIBRARY;

/// The variable that asks for reasons.
const LOG: &str = "WGPU_FFT_FFTW_LOG";

/// How much is told on stderr.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    /// Only what makes results wrong.
    Failures,
    /// Also why there is no plan.
    Refusals,
    /// Also every plan that is made.
    Plans,
}

fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(|| match std::env::var(LOG).as_deref() {
        Err(_) | Ok("" | "0") => Level::Failures,
        Ok("2") => Level::Plans,
        Ok(_) => Level::Refusals,
    })
}

/// Runs what a function of the interface does. A panic would be undefined behaviour in C, so it
/// ends here, and the function returns `failed`.
pub fn guarded<T>(function: &str, failed: T, work: impl FnOnce() -> T) -> T {
    // Whatever a panic leaves half done is behind locks, and is made anew: see `library`.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        eprintln!("{LIBRARY}: {function} has panicked; this is a bug of the library");
        failed
    })
}

/// Says why a function returns no plan.
pub fn refused(why: impl Display) {
    if level() >= Level::Refusals {
        eprintln!("{LIBRARY}: no plan: {why}");
    }
}

/// Says the first time what becomes of plans that cannot be made here, and why.
pub fn once(what: &str, why: &impl Display) {
    static SAID: std::sync::Once = std::sync::Once::new();
    SAID.call_once(|| eprintln!("{LIBRARY}: {what}: {why}"));
}

/// Says what was planned.
pub fn planned(plan: impl Display) {
    if level() >= Level::Plans {
        eprintln!("{LIBRARY}: {plan}");
    }
}

/// Says why results are missing. The functions that execute plans return nothing, so stderr is the
/// only way to say it.
pub fn failed(why: impl Display) {
    eprintln!("{LIBRARY}: a plan could not be executed, its results are NaN: {why}");
}
