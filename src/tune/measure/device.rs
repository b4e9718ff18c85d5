//! The scratch device of a search: what runs on it, and a new one if it is gone.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Search, median};
use crate::error::{Error, Result};
use crate::plan::AnyValue;
use crate::tune::isolated::{Isolated, Mishap};
use crate::tune::lab::Lab;
use crate::tune::record::{Items as _, Trial};

/// Timeout for opening the device and running the estimate.
const OPENING: Duration = Duration::from_secs(120);

/// How long a card's clock may take to come up: on an H200 it takes about a second.
const MAX_WARM_UP: Duration = Duration::from_secs(1);

impl Search<'_> {
    /// Opens a device and has the estimate measured there.
    pub(super) fn open(&mut self) -> Result<f64> {
        let (gpu, tunable, estimate) = (self.gpu.clone(), Arc::clone(self.tunable), self.estimate.clone());
        self.lab = None;
        let mut lab = Isolated::start(move || Lab::open(&gpu, tunable), OPENING)?;
        // The estimate is what runs without any tuning. If it fails, that is no fault of the
        // search's.
        let lost = |mishap| Error::DeviceLost { during: "measuring the estimate", message: format!("{mishap:?}") };
        let start = Instant::now();
        let (timer, seconds) = lab.ask(OPENING, move |lab| (lab.timer(), lab.admit(&estimate))).map_err(lost)?;
        // What others will take, as far as can be known.
        self.slowest = self.slowest.max(start.elapsed());
        self.slowest_batch = self.slowest_batch.max(start.elapsed());
        self.timer = timer;
        self.lab = Some(lab);
        seconds
    }

    /// Recipes that are compiled at the same time. A software adapter compiles on the processors
    /// that it runs on, and when it runs.
    pub(super) fn side_by_side(&self) -> usize {
        const MAX_THREADS: usize = 8;
        if self.gpu.profile().is_cpu() { 1 } else { std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS) }
    }

    /// Brings up the clock of a card that was idle: runs the estimate until its time is steady
    /// within 1%, for a second at most, which is not of the search's time.
    pub(super) fn warm_up(&mut self) -> Result<()> {
        const STEADY: f64 = 0.01;
        if self.gpu.profile().is_cpu() {
            return Ok(());
        }
        let start = Instant::now();
        let recipes = [self.estimate.clone()];
        let mut before = f64::INFINITY;
        while start.elapsed() < MAX_WARM_UP {
            let until = Instant::now() + MAX_WARM_UP / 10;
            let mut times = Vec::new();
            while times.is_empty() || Instant::now() < until {
                times.extend(self.rounds(&recipes, 1)?.concat());
            }
            let now = median(&times);
            // What it took before was at another clock.
            self.begin_with(now);
            if (now / before - 1.0).abs() < STEADY {
                break;
            }
            before = now;
        }
        self.limit += start.elapsed();
        Ok(())
    }

    /// Brings the clock up again after the host was busy with something else, such as compiling: on
    /// an H100 it comes down within a second, and 512² then took 0.029 ms for 0.007.
    pub(super) fn wake(&mut self, recipes: &[AnyValue]) -> Result<()> {
        if self.gpu.profile().is_cpu() {
            return Ok(());
        }
        let until = Instant::now() + MAX_WARM_UP / 10;
        while Instant::now() < until {
            self.rounds(recipes, 1)?;
        }
        Ok(())
    }

    /// Compiles recipes side by side, if that is of use. Where it goes wrong nobody can tell which
    /// of them is to blame, and they are compiled one after another.
    pub(super) fn compile(&mut self, recipes: &[AnyValue]) -> Result<()> {
        if self.side_by_side() == 1 || recipes.len() < 2 {
            return Ok(());
        }
        let start = Instant::now();
        // Should the process end meanwhile, all are suspects.
        let trials: Vec<Trial> =
            recipes.iter().map(|recipe| self.record.begin_trial(&self.spec, &recipe.to_string(), &self.device)).collect();
        let own = recipes.to_vec();
        let compiled = self.ask(move |lab| {
            lab.compile_all(&own);
            Ok(())
        });
        drop(trials);
        self.slowest_batch = self.slowest_batch.max(start.elapsed());
        if compiled.is_ok() && !self.is_lost() { Ok(()) } else { self.reopen() }
    }

    /// Whether the scratch device is gone.
    fn is_lost(&mut self) -> bool {
        self.ask(|lab| lab.check_alive()).is_err()
    }

    /// A new device with the best recipes so far.
    pub(super) fn reopen(&mut self) -> Result<()> {
        self.open()?;
        let others: Vec<AnyValue> =
            self.ranked.iter().map(|(recipe, _)| recipe.clone()).filter(|recipe| *recipe != self.estimate).collect();
        for recipe in others {
            let own = recipe.clone();
            if self.ask(move |lab| lab.admit(&own)).is_err() {
                self.ranked.retain(|(own, _)| *own != recipe);
            }
        }
        Ok(())
    }

    /// Has work done on the scratch device.
    pub(super) fn ask<R: Send + 'static>(&mut self, work: impl FnOnce(&mut Lab) -> Result<R> + Send + 'static) -> Result<R> {
        let lost = |message: &str| Error::DeviceLost { during: "measuring recipes", message: message.to_owned() };
        let Some(lab) = &mut self.lab else { return Err(lost("there is no device")) };
        lab.ask(self.patience, work).unwrap_or_else(|mishap| {
            self.lab = None;
            Err(match mishap {
                Mishap::Hung => lost(&format!("it did not end within {:.0} s", self.patience.as_secs_f64())),
                Mishap::Panicked => lost("it ended by a panic"),
            })
        })
    }

    /// Seconds of each recipe in so many rounds, one after another in each.
    pub(super) fn rounds(&mut self, recipes: &[AnyValue], rounds: usize) -> Result<Vec<Vec<f64>>> {
        let own = recipes.to_vec();
        self.ask(move |lab| {
            let mut times = vec![Vec::new(); own.len()];
            for _ in 0..rounds {
                lab.round(&own)?.into_iter().zip(&mut times).for_each(|(seconds, times)| times.push(seconds));
            }
            Ok(times)
        })
    }
}
