//! Chooses by a [`Tuning`]: from the record, or by a search.

use super::any::{AnyTunable, Erased, any};
use super::builtin::{Estimate, estimate};
use super::choice::{Choice, Chooser, Source};
use super::coefficients::{Coefficients, KEY};
use super::record::{CRATE_VERSION, DeviceIdentity, Entry, Items as _};
use super::rigor::Rigor;
use super::tunable::Tunable;
use super::tuning::Tuning;
use crate::error::Result;
use crate::gpu::Gpu;
use crate::plan::AnyValue;

impl Tuning {
    /// Chooses a recipe for `gpu`, as [`Planner::choose`](crate::Planner::choose) does, but for any
    /// [`Tunable`]. The result is kept only in the record.
    ///
    /// # Errors
    /// If nothing can compute it on this device. A failed search is not an error: then the estimate
    /// is chosen, and [`Source::Failed`] says why.
    pub fn choose<T: Tunable>(&self, gpu: &Gpu, tunable: &T) -> Result<Choice<T::Recipe>> {
        Ok(Chooser::choose(self, gpu, &any(tunable))?.typed())
    }
    /// What the record has of a device, by this version of the crate: another one may know the
    /// device better.
    fn coefficients(&self, device: &DeviceIdentity) -> Option<Coefficients> {
        let entry = self.record.find(KEY, device, Rigor::Measure)?;
        if entry.version == CRATE_VERSION { entry.recipe.parse().ok() } else { None }
    }
}

impl Chooser for Tuning {
    fn choose(&self, gpu: &Gpu, tunable: &Erased) -> Result<Choice<AnyValue>> {
        if self.rigor == Rigor::Estimate {
            return Estimate.choose(gpu, tunable);
        }
        let device = DeviceIdentity::of(gpu);
        let spec = tunable.to_string();
        let known = self.record.find(&spec, &device, self.rigor);
        if let Some(entry) = known.filter(|_| !self.measures_again())
            && let Some(recipe) = usable(&entry, gpu, &**tunable)
        {
            return Ok(Choice { recipe, source: Source::Recorded(Box::new(entry)) });
        }
        let profile = self.coefficients(&device).map(|own| own.on(gpu.profile()));
        let estimate = estimate(gpu, profile.as_ref().unwrap_or(gpu.profile()), &**tunable)?;
        #[cfg(not(target_arch = "wasm32"))]
        if self.rigor != Rigor::Recorded {
            return self.search(gpu, tunable, estimate, device, spec);
        }
        Ok(estimate)
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Tuning {
    fn search(
        &self,
        gpu: &Gpu,
        tunable: &Erased,
        estimate: Choice<AnyValue>,
        device: DeviceIdentity,
        spec: String,
    ) -> Result<Choice<AnyValue>> {
        use super::outcome::End;
        use super::record::now;

        match super::measure::measure(gpu, tunable, estimate.recipe.clone(), self) {
            Ok(outcome) => {
                // A search that had no time to compare anything, or not all of it, says nothing.
                if outcome.end == End::Cancelled || outcome.measured == 1 && outcome.end == End::Time {
                    return Ok(Choice { recipe: outcome.recipe.clone(), source: Source::Measured(Box::new(outcome.printed())) });
                }
                self.record.add(Entry {
                    spec,
                    recipe: outcome.recipe.to_string(),
                    wgsl: tunable.fingerprint(&outcome.recipe, gpu.profile())?,
                    device: std::sync::Arc::new(device),
                    seconds: outcome.time.as_secs_f64(),
                    rules_seconds: outcome.estimate_time.as_secs_f64(),
                    timer: outcome.timer,
                    rigor: self.rigor,
                    version: CRATE_VERSION.to_owned(),
                    time: now(),
                })?;
                let (recipe, outcome) = (outcome.recipe.clone(), outcome.printed());
                Ok(Choice { recipe, source: Source::Measured(Box::new(outcome)) })
            }
            Err(error) => {
                log::warn!("`{spec}` could not be measured on {gpu}; using the choice without measurement: {error}");
                Ok(Choice { recipe: estimate.recipe, source: Source::Failed(error) })
            }
        }
    }
}

/// The recipe of an entry, if it still is what was measured, and within the limits of the device.
fn usable(entry: &Entry, gpu: &Gpu, tunable: &dyn AnyTunable) -> Option<AnyValue> {
    let recipe = tunable.parse(&entry.recipe)?;
    let fingerprint = tunable.fingerprint(&recipe, gpu.profile()).ok()?;
    (fingerprint == entry.wgsl).then_some(recipe)
}
