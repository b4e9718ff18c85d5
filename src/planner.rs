//! Makes plans and keeps them.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::plan::{Builder, OnceMap, Plan, Spec};
use crate::tune::{Choice, Searchable, Tuning};

/// Makes plans for one device and caches them. Asking again for the same specification costs a
/// look-up, and plans share equal pipelines.
///
/// Building a plan for the first time compiles its pipelines, in parallel on as many threads as
/// there are processors. Several threads may plan at the same time: a plan that several of them ask
/// for is built once, and no thread waits for a plan that it did not ask for.
/// [`GpuOptions::pipeline_cache`](crate::GpuOptions::pipeline_cache) keeps compiled pipelines from
/// one run of the program to the next.
///
/// A plan holds its workspace ([`Plan::workspace_bytes`]; with two axes it can be as large as the
/// array) until [`clear`](Self::clear) is called and the last `Arc` is dropped.
#[derive(Debug)]
pub struct Planner {
    builder: Builder,
    tuning: Tuning,
    /// For each type of specification a [`Cache`] of its own.
    plans: Mutex<Caches>,
}

type Caches = HashMap<TypeId, AnyCache>;

/// Shared, to be used when the lock on [`Caches`] is free again.
#[cfg(not(target_arch = "wasm32"))]
type Shared<T> = Arc<T>;
#[cfg(not(target_arch = "wasm32"))]
type AnyCache = Shared<dyn Any + Send + Sync>;
/// In the browser wgpu's objects stay in their thread.
#[cfg(target_arch = "wasm32")]
type Shared<T> = std::rc::Rc<T>;
#[cfg(target_arch = "wasm32")]
type AnyCache = Shared<dyn Any>;

/// What is kept for one type of specification.
struct Cache<S: Spec> {
    choices: OnceMap<S, Choice<S::Recipe>>,
    plans: OnceMap<(S, S::Recipe), Arc<Plan<S>>>,
}

impl Planner {
    /// A planner with an empty cache. It chooses recipes without measuring any
    /// ([`Rigor::Estimate`](crate::tune::Rigor::Estimate)).
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        Self { builder: Builder::new(gpu), tuning: Tuning::default(), plans: Mutex::default() }
    }

    /// Chooses recipes by `tuning` from now on: by measurement, or from a record of earlier
    /// measurements.
    #[must_use]
    pub fn with_tuning(self, tuning: Tuning) -> Self {
        Self { tuning, plans: Mutex::default(), ..self }
    }

    /// The device.
    #[must_use]
    pub fn gpu(&self) -> &Gpu {
        self.builder.gpu()
    }

    /// Returns the plan for `spec`, with the recipe that [`choose`](Self::choose) returns.
    ///
    /// # Errors
    /// If the specification is not valid, does not fit the device, or the device is lost.
    pub fn plan<S: Searchable>(&self, spec: S) -> Result<Arc<Plan<S>>> {
        let recipe = self.choose(&spec)?.recipe;
        self.plan_with(spec, recipe)
    }

    /// Returns the recipe for `spec` on this device and says where it comes from. Without
    /// [`with_tuning`](Self::with_tuning) nothing is measured. A measurement takes seconds and is
    /// made once for each specification.
    ///
    /// # Errors
    /// If the specification is not valid or does not fit the device. A search that fails is not an
    /// error: see [`Tuning::choose`].
    pub fn choose<S: Searchable>(&self, spec: &S) -> Result<Choice<S::Recipe>> {
        self.check_compute(spec)?;
        self.cache::<S>().choices.get_or_make(spec, || self.tuning.choose(self.gpu(), spec))
    }

    /// Returns the plan for `spec` with a recipe that the caller supplies.
    ///
    /// # Errors
    /// The errors of [`plan`](Self::plan), and [`Error::UnfitRecipe`](crate::Error::UnfitRecipe) if
    /// the recipe does not solve the specification.
    pub fn plan_with<S: Spec>(&self, spec: S, recipe: S::Recipe) -> Result<Arc<Plan<S>>> {
        self.gpu().check_alive("planning")?;
        self.check_compute(&spec)?;
        let key = (spec, recipe);
        self.cache::<S>().plans.get_or_make(&key, || {
            let (spec, recipe) = &key;
            Ok(Arc::new(self.build(spec.clone(), recipe.clone())?))
        })
    }

    /// The plan for `spec` by a recipe, which only the caller keeps; its pipelines stay here.
    pub(crate) fn build<S: Spec>(&self, spec: S, recipe: S::Recipe) -> Result<Plan<S>> {
        self.builder.plan(spec, recipe)
    }

    /// Refuses devices that run no compute shaders, for which no recipe is the reason.
    fn check_compute(&self, spec: &impl Spec) -> Result<()> {
        let profile = self.gpu().profile();
        if profile.invocations > 0 {
            return Ok(());
        }
        let why = "it was opened without compute shaders (max_compute_invocations_per_workgroup is 0)".to_owned();
        Err(Error::Unsupported { what: format!("`{spec}` on {}", profile.name), why })
    }

    /// Forgets all plans, pipelines and chosen recipes. Plans that the caller still holds keep
    /// working, and measurements stay in the record.
    pub fn clear(&self) {
        self.lock().clear();
        self.builder.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Caches> {
        self.plans.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cache<S: Spec>(&self) -> Shared<Cache<S>> {
        let cache = Shared::clone(
            self.lock()
                .entry(TypeId::of::<S>())
                .or_insert_with(|| Shared::new(Cache::<S> { choices: OnceMap::default(), plans: OnceMap::default() })),
        );
        cache.downcast().expect("the cache of a type holds that type")
    }
}
