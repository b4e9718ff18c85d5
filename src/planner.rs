//! Makes plans and keeps them.

use std::any::Any;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::plan::{AnyValue, Builder, OnceMap, Plan, Spec};
use crate::tune::{AnyTunable, Choice, Searchable, Tuning, any};

/// Makes plans for one device. Plans are kept, and plans share pipelines: asking again for the same
/// costs a look-up.
///
/// The first time takes as long as compiling does, so the pipelines of a plan are compiled side by
/// side, on as many threads as there are processors. Threads may plan at the same time: what
/// several want is made once, and nobody waits for what only others want. Over runs of the program,
/// [`GpuOptions::pipeline_cache`](crate::GpuOptions::pipeline_cache) keeps what was compiled.
///
/// A plan keeps its workspace ([`Plan::workspace_bytes`]; for two axes as much as the array), until
/// [`clear`](Self::clear) and the last `Arc` are gone.
#[derive(Debug)]
pub struct Planner {
    builder: Builder,
    tuning: Tuning,
    kept: Kept,
}

/// Any [`Plan`].
#[cfg(not(target_arch = "wasm32"))]
type AnyPlan = Shared<dyn Any + Send + Sync>;
#[cfg(not(target_arch = "wasm32"))]
type Shared<T> = Arc<T>;
/// In the browser wgpu's objects stay in their thread.
#[cfg(target_arch = "wasm32")]
type AnyPlan = Shared<dyn Any>;
#[cfg(target_arch = "wasm32")]
type Shared<T> = std::rc::Rc<T>;

/// What is kept, without its types.
#[derive(Debug, Default)]
struct Kept {
    /// For each specification.
    choices: OnceMap<AnyValue, Choice<AnyValue>>,
    /// For each specification and recipe.
    plans: OnceMap<[AnyValue; 2], AnyPlan>,
}

impl Planner {
    /// A planner without plans, which chooses recipes without measuring any.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        Self { builder: Builder::new(gpu), tuning: Tuning::default(), kept: Kept::default() }
    }

    /// Chooses recipes as `tuning` says from now on: by measurement, or by the record of one.
    #[must_use]
    pub fn with_tuning(self, tuning: Tuning) -> Self {
        Self { tuning, kept: Kept::default(), ..self }
    }

    /// The device.
    #[must_use]
    pub fn gpu(&self) -> &Gpu {
        self.builder.gpu()
    }

    /// The plan for `spec` by the recipe that [`choose`](Self::choose) gives.
    ///
    /// # Errors
    /// If the specification is not valid, does not fit the device, or the device is lost.
    pub fn plan<S: Searchable>(&self, spec: S) -> Result<Arc<Plan<S>>> {
        let recipe = self.choose(&spec)?.recipe;
        self.plan_with(spec, recipe)
    }

    /// The recipe for `spec` on this device, and where it comes from: the rules, unless
    /// [`with_tuning`](Self::with_tuning) said otherwise. Measuring takes seconds; it is done once
    /// for each specification.
    ///
    /// # Errors
    /// If the specification is not valid, or does not fit the device. A search that fails is no
    /// error, see [`Tuning::choose`].
    pub fn choose<S: Searchable>(&self, spec: &S) -> Result<Choice<S::Recipe>> {
        Ok(self.choose_any(&AnyValue::new(spec), &|| any(spec))?.typed())
    }

    fn choose_any(&self, spec: &AnyValue, tunable: &dyn Fn() -> Arc<dyn AnyTunable>) -> Result<Choice<AnyValue>> {
        self.check_compute(spec)?;
        self.kept.choices.get_or_make(spec, || self.tuning.choose_any(self.gpu(), &tunable()))
    }

    /// The plan for `spec` by a recipe of the caller's.
    ///
    /// # Errors
    /// As [`plan`](Self::plan), and [`Error::UnfitRecipe`](crate::Error::UnfitRecipe) if the recipe
    /// does not solve the specification.
    pub fn plan_with<S: Spec>(&self, spec: S, recipe: S::Recipe) -> Result<Arc<Plan<S>>> {
        let key = [AnyValue::new(&spec), AnyValue::new(&recipe)];
        let make = || -> Result<AnyPlan> { Ok(Shared::new(Arc::new(self.build(spec.clone(), recipe.clone())?))) };
        let plan = self.kept_plan(&key, &make)?;
        Ok(plan.downcast_ref::<Arc<Plan<S>>>().expect("the plan of a specification has its type").clone())
    }

    fn kept_plan(&self, key: &[AnyValue; 2], make: &dyn Fn() -> Result<AnyPlan>) -> Result<AnyPlan> {
        self.gpu().check_alive("planning")?;
        self.check_compute(&key[0])?;
        self.kept.plans.get_or_make(key, make)
    }

    /// The plan for `spec` by a recipe, which only the caller keeps; its pipelines stay here.
    pub(crate) fn build<S: Spec>(&self, spec: S, recipe: S::Recipe) -> Result<Plan<S>> {
        self.builder.plan(spec, recipe)
    }

    /// Refuses devices that run no compute shaders, for which no recipe is the reason.
    fn check_compute(&self, spec: &AnyValue) -> Result<()> {
        let profile = self.gpu().profile();
        if profile.invocations > 0 {
            return Ok(());
        }
        let why = "it was opened without compute shaders (max_compute_invocations_per_workgroup is 0)".to_owned();
        Err(Error::Unsupported { what: format!("`{spec}` on {}", profile.name), why })
    }

    /// Forgets the plans, the pipelines and the recipes that were chosen. Plans that somebody holds
    /// go on working; what was measured stays in the record.
    pub fn clear(&self) {
        self.kept.choices.clear();
        self.kept.plans.clear();
        self.builder.clear();
    }
}
