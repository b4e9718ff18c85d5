//! Trials that say how far the run is: a line about every 20 seconds, on stderr.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Trial};

/// How often a line is printed.
const EVERY: Duration = Duration::from_secs(20);

struct State {
    running: Vec<(String, Instant)>,
    ended: Vec<(String, Duration)>,
    /// How far a trial of many cases is.
    within: String,
    /// What trials did not do that others of their name do elsewhere.
    less: Vec<String>,
}

static STATE: Mutex<State> = Mutex::new(State { running: Vec::new(), ended: Vec::new(), within: String::new(), less: Vec::new() });

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A trial while it runs, until it returns or panics.
struct Running(String);

impl Running {
    fn new(name: String) -> Self {
        state().running.push((name.clone(), Instant::now()));
        Self(name)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut state = state();
        if let Some(i) = state.running.iter().position(|(name, _)| *name == self.0) {
            let (name, since) = state.running.remove(i);
            state.ended.push((name, since.elapsed()));
        }
    }
}

/// A test that passes unless it panics.
pub fn trial(name: impl Into<String>, test: impl FnOnce() + Send + 'static) -> Trial {
    let name = name.into();
    Trial::test(name.clone(), || {
        let _running = Running::new(name);
        test();
        Ok(())
    })
}

/// Runs the trials that the arguments choose, and says where the run is meanwhile.
pub fn run(arguments: &Arguments, trials: Vec<Trial>) -> libtest_mimic::Conclusion {
    let begin = Instant::now();
    let total = trials.iter().filter(|trial| !arguments.is_filtered_out(trial) && !arguments.is_ignored(trial)).count();
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(EVERY);
            let state = state();
            let running: Vec<String> =
                state.running.iter().map(|(name, since)| format!("{name} for {} s", since.elapsed().as_secs())).collect();
            let within = if state.within.is_empty() { String::new() } else { format!("; {}", state.within) };
            let (seconds, ended) = (begin.elapsed().as_secs(), state.ended.len());
            eprintln!("[{seconds} s] {ended} of {total} trials have ended{within}; running: {}", running.join(", "));
        }
    });
    libtest_mimic::run(arguments, trials)
}

/// Says how far a trial of many cases is.
pub fn within(text: String) {
    state().within = text;
}

/// Says that a trial did less than its name promises, and why. The end of the run repeats it.
pub fn less(text: String) {
    state().less.push(text);
}

/// What trials did less.
pub fn all_less() -> Vec<String> {
    state().less.clone()
}

/// The trials that have ended, and how long each took.
pub fn durations() -> Vec<(String, Duration)> {
    state().ended.clone()
}
