//! Interleaved rounds over the candidates of a contest. The command line measures by them too.

use std::time::{Duration, Instant};

use wgpu_fft::low_level::tune::Recorder;
use wgpu_fft::low_level::{Stopwatch, Timer};
use wgpu_fft::{Bound, Gpu};

use super::Result;

/// A candidate to measure.
pub struct Candidate {
    work: Work,
    /// The number of runs in a sample.
    repetitions: usize,
    /// The seconds of a run in each round.
    seconds: Vec<f64>,
}

enum Work {
    /// A plan bound to arrays in rotation; `next` is the index of the next one.
    Device { recorders: Vec<Recorder>, next: usize },
    /// Host code that runs once and returns its time.
    Host(Box<dyn FnMut() -> Duration>),
}

impl Candidate {
    /// A plan bound to arrays in rotation.
    pub fn device(bounds: Vec<Bound>) -> Self {
        let recorder = |bound: Bound| -> Recorder { Box::new(move |pass| bound.record(pass)) };
        Self::recorded(bounds.into_iter().map(recorder).collect())
    }

    /// The same with arbitrary recorders.
    pub fn recorded(recorders: Vec<Recorder>) -> Self {
        Self::new(Work::Device { recorders, next: 0 })
    }

    /// Host code on `state`. `prepare` runs before each measurement and is not timed.
    pub fn host<T: 'static>(mut state: T, prepare: fn(&mut T), run: fn(&mut T)) -> Self {
        Self::new(Work::Host(Box::new(move || {
            prepare(&mut state);
            let start = Instant::now();
            run(&mut state);
            start.elapsed()
        })))
    }

    fn new(work: Work) -> Self {
        Self { work, repetitions: 1, seconds: Vec::new() }
    }

    fn is_host(&self) -> bool {
        matches!(self.work, Work::Host(_))
    }

    /// Takes a sample: the seconds of one run.
    fn sample(&mut self, stopwatch: &Stopwatch) -> Result<f64> {
        let seconds = match &mut self.work {
            Work::Device { recorders, next } => {
                let turns = recorders.iter().cycle().skip(*next).take(self.repetitions);
                *next = (*next + self.repetitions) % recorders.len();
                stopwatch.time(|pass| turns.clone().for_each(|record| record(pass)))?.as_secs_f64()
            }
            Work::Host(run) => (0..self.repetitions).map(|_| run()).sum::<Duration>().as_secs_f64(),
        };
        Ok(seconds / self.repetitions as f64)
    }

    /// Takes a sample, and computes from it the number of repetitions that fill `target` seconds.
    fn rehearse(&mut self, stopwatch: &Stopwatch, target: f64) -> Result<()> {
        /// About 10,000 dispatches are a command buffer that every driver accepts.
        const MOST: f64 = 2048.0;
        let seconds = self.sample(stopwatch)?;
        self.repetitions = (target / seconds).ceil().clamp(1.0, MOST) as usize;
        Ok(())
    }
}

/// How long and how often to measure.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    /// The number of samples of each candidate.
    pub rounds: usize,
    /// The least number of runs of each candidate before the measurement.
    pub rehearsals: usize,
    /// The seconds of work before the measurement.
    pub warm_up: f64,
    /// The least seconds of a sample.
    pub sample: f64,
}

impl Schedule {
    /// For a GPU.
    pub const GPU: Self = Self { rounds: 11, rehearsals: 3, warm_up: 1.0, sample: 2e-3 };
    /// For a software adapter.
    pub const CPU: Self = Self { rounds: 11, rehearsals: 2, warm_up: 0.0, sample: 1e-3 };
    /// For a smoke test.
    pub const SMOKE: Self = Self { rounds: 1, rehearsals: 0, warm_up: 0.0, sample: 0.0 };

    /// For a device.
    pub fn of(gpu: &Gpu) -> Self {
        if gpu.profile().is_cpu() { Self::CPU } else { Self::GPU }
    }

    /// Measures the candidates, one after another in every round.
    pub fn measure(&self, mut candidates: Vec<Candidate>, stopwatch: &Stopwatch) -> Result<Vec<Samples>> {
        for rehearsal in 0..self.rehearsals {
            // Host code returns its time directly, so one rehearsal is enough.
            let mut due = candidates.iter_mut().filter(|candidate| rehearsal == 0 || !candidate.is_host());
            due.try_for_each(|candidate| candidate.rehearse(stopwatch, self.sample))?;
        }
        keep_busy(&mut candidates, self.warm_up, |candidate| candidate.rehearse(stopwatch, self.sample))?;
        for _ in 0..self.rounds {
            for i in 0..candidates.len() {
                let start = Instant::now();
                let seconds = candidates[i].sample(stopwatch)?;
                candidates[i].seconds.push(seconds);
                if candidates[i].is_host() {
                    let idle = start.elapsed().as_secs_f64();
                    keep_busy(&mut candidates, idle.min(self.warm_up), |candidate| candidate.sample(stopwatch).map(drop))?;
                }
            }
        }
        let samples = |candidate: Candidate| {
            let timer = if candidate.is_host() { Timer::WallClock } else { stopwatch.timer() };
            Samples::new(candidate.seconds, candidate.repetitions, timer)
        };
        Ok(candidates.into_iter().map(samples).collect())
    }
}

/// Keeps the device busy for `seconds`, so that its clock rises or stays high.
fn keep_busy(candidates: &mut [Candidate], seconds: f64, mut work: impl FnMut(&mut Candidate) -> Result<()>) -> Result<()> {
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < seconds {
        candidates.iter_mut().filter(|candidate| !candidate.is_host()).try_for_each(&mut work)?;
    }
    Ok(())
}

/// The times of one candidate.
#[derive(Clone, PartialEq, Debug)]
pub struct Samples {
    /// The seconds of one run, in ascending order.
    seconds: Vec<f64>,
    /// The number of runs in a sample.
    pub repetitions: usize,
    /// The clock that was used.
    pub timer: Timer,
}

impl Samples {
    fn new(mut seconds: Vec<f64>, repetitions: usize, timer: Timer) -> Self {
        seconds.sort_by(f64::total_cmp);
        Self { seconds, repetitions, timer }
    }

    /// The number of samples.
    pub fn count(&self) -> usize {
        self.seconds.len()
    }

    /// The median in seconds.
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// The smallest time in seconds.
    pub fn min(&self) -> f64 {
        self.seconds[0]
    }

    /// (q90 - q10) / median.
    pub fn spread(&self) -> f64 {
        (self.quantile(0.9) - self.quantile(0.1)) / self.median()
    }

    /// Gigabytes per second at the median, if a run moves `bytes`.
    pub fn gb_per_s(&self, bytes: u64) -> f64 {
        bytes as f64 / self.median() * 1e-9
    }

    /// Interpolated between the two nearest samples.
    fn quantile(&self, q: f64) -> f64 {
        let position = q * (self.seconds.len() - 1) as f64;
        let (below, above) = (self.seconds[position.floor() as usize], self.seconds[position.ceil() as usize]);
        below + (above - below) * position.fract()
    }
}

/// The median of numbers, of which there is one at least.
pub fn median(numbers: impl IntoIterator<Item = f64>) -> f64 {
    Samples::new(numbers.into_iter().collect(), 1, Timer::WallClock).median()
}
