//! Makes plans and keeps them.

use std::any::Any;
use std::sync::Arc;

#[cfg(not(target_arch = "wasm32"))]
use crate::error::Cause;
use crate::error::{Error, Result};
use crate::gpu::Gpu;
#[cfg(target_arch = "wasm32")]
use crate::gpu::late::collected;
use crate::plan::{AnyValue, Builder, OnceMap, Plan, ROOM, Room, Spec, Untyped, Workspace};
#[cfg(feature = "tune")]
use crate::tune::Tuning;
use crate::tune::any::{Erased, any};
use crate::tune::{Choice, Chooser, Estimate};

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
/// array) until the planner forgets it and the last `Arc` is dropped. The planner forgets a plan
/// when [`clear`](Self::clear) is called, and when it has [too many](Self::with_capacity) or their
/// pipelines take [too much memory](Self::with_memory). Plans can share a workspace: see
/// [`with_workspace`](Self::with_workspace).
#[derive(Debug)]
pub struct Planner {
    builder: Builder,
    chooser: Box<dyn Chooser>,
    kept: Kept,
}

/// Any [`Plan`].
#[derive(Clone, Debug)]
struct KeptPlan {
    plan: Shared<AnyPlace>,
    /// What its pipelines take of the host's memory, about.
    bytes: u64,
}

#[cfg(not(target_arch = "wasm32"))]
type AnyPlace = dyn Any + Send + Sync;
#[cfg(not(target_arch = "wasm32"))]
type Shared<T> = Arc<T>;
/// In the browser wgpu's objects stay in their thread.
#[cfg(target_arch = "wasm32")]
type AnyPlace = dyn Any;
#[cfg(target_arch = "wasm32")]
type Shared<T> = std::rc::Rc<T>;

/// What is kept, without its types.
#[derive(Debug)]
struct Kept {
    /// For each specification.
    choices: OnceMap<AnyValue, Choice<AnyValue>>,
    /// For each specification and recipe.
    plans: OnceMap<[AnyValue; 2], KeptPlan>,
    /// How many of each.
    room: Room,
}

impl Kept {
    fn new(room: Room) -> Self {
        Self { choices: OnceMap::new(room.values), plans: OnceMap::within(room, |plan: &KeptPlan| plan.bytes), room }
    }

    /// None of them, and the same room.
    fn emptied(&self) -> Self {
        Self::new(self.room)
    }
}

impl Planner {
    /// A planner with an empty cache. It chooses recipes without measuring any: see
    /// [`tune`](crate::tune).
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        Self { builder: Builder::new(gpu), chooser: Box::new(Estimate), kept: Kept::new(ROOM) }
    }

    /// Chooses recipes by `tuning` from now on: by measurement, or from a record of earlier
    /// measurements.
    #[cfg(feature = "tune")]
    #[must_use]
    pub fn with_tuning(self, tuning: Tuning) -> Self {
        Self { chooser: Box::new(tuning), kept: self.kept.emptied(), ..self }
    }

    /// Keeps at most so many plans, at least one: 1024 unless this says otherwise. The least
    /// recently used plan is evicted; existing `Arc`s stay valid. Of pipelines, four times as many
    /// are kept.
    ///
    /// Call this first: it forgets what was planned before.
    #[must_use]
    pub fn with_capacity(self, plans: usize) -> Self {
        let room = Room { values: plans, ..self.kept.room };
        self.with_room(room)
    }

    /// Keeps plans as long as their compiled pipelines take about so many bytes of the host's
    /// memory: 512 MiB unless this says otherwise. The least recently used are evicted
    /// first, as with [`with_capacity`](Self::with_capacity), and one is kept in any case.
    /// As many bytes of pipelines without a plan are kept besides, for plans that share them.
    ///
    /// Drivers do not say what a pipeline takes. So it is estimated from the length of its text: 64
    /// bytes for each byte on a software adapter, 24 on a GPU. A pipeline of a length between 100
    /// and 250 takes about 4 MB on lavapipe, 1 MB on SwiftShader and 0.6 MB on an NVIDIA GPU.
    /// Workspaces and tables do not count: they are buffers of the device.
    ///
    /// Call this first: it forgets what was planned before.
    #[must_use]
    pub fn with_memory(self, bytes: u64) -> Self {
        let room = Room { bytes, ..self.kept.room };
        self.with_room(room)
    }

    fn with_room(self, room: Room) -> Self {
        Self { builder: self.builder.emptied(room), kept: Kept::new(room), ..self }
    }

    /// Puts the workspaces of all plans from now on into one that they share, since they never run
    /// at once. [`Workspace`] says how it grows, and how it can lie in a buffer of yours. Several
    /// planners of one device may share it.
    ///
    /// A workspace that is too small, or of another device, is an error of planning.
    #[must_use]
    pub fn with_workspace(self, workspace: &Workspace) -> Self {
        Self { builder: self.builder.with_workspace(workspace.clone()), kept: self.kept.emptied(), ..self }
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
    pub fn plan<S: Spec>(&self, spec: S) -> Result<Arc<Plan<S>>> {
        let recipe = self.choose(&spec)?.recipe;
        self.plan_with(spec, recipe)
    }

    /// Returns the plan for `spec` without blocking the executor: a thread of its own makes it.
    /// Planning compiles shaders, and a search measures for seconds.
    ///
    /// ```no_run
    /// # async fn plan(gpu: &wgpu_fft::Gpu) -> wgpu_fft::Result<()> {
    /// use std::sync::Arc;
    /// use wgpu_fft::{Planner, fft::C2c};
    ///
    /// let planner = Arc::new(Planner::new(gpu));
    /// let plan = planner.plan_async(C2c::forward([1080, 1920])).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// In the browser, which has one thread, it is made here.
    ///
    /// # Errors
    /// Those of [`plan`](Self::plan).
    #[cfg(not(target_arch = "wasm32"))]
    pub async fn plan_async<S: Spec>(self: &Arc<Self>, spec: S) -> Result<Arc<Plan<S>>> {
        self.aside(move |planner| planner.plan(spec.clone())).await
    }

    /// Does what takes long on a thread of its own.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) async fn aside<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl Fn(&Self) -> Result<T> + Send + Clone + 'static,
    ) -> Result<T> {
        let (sender, receiver) = futures_intrusive::channel::shared::oneshot_channel();
        let (planner, own) = (Arc::clone(self), work.clone());
        let work_aside = move || {
            // The receiver may be gone, if nobody wants the result any more.
            let _ = sender.send(own(&planner));
        };
        if std::thread::Builder::new().name("wgpu-fft".to_owned()).spawn(work_aside).is_err() {
            // No thread is to be had.
            return work(self);
        }
        let panicked = || Error::Wgpu { during: "planning", source: Cause::new("the thread that planned has panicked") };
        receiver.receive().await.unwrap_or_else(|| Err(panicked()))
    }

    /// The browser has one thread, which does it. It reports errors of wgpu later.
    #[cfg(target_arch = "wasm32")]
    pub(crate) async fn aside<T>(self: &Arc<Self>, work: impl Fn(&Self) -> Result<T>) -> Result<T> {
        let (result, late) = collected(|| work(self));
        let result = result?;
        if let Err(error) = late.outcome().await {
            // What is broken is in the caches already, and nobody should get it from there.
            self.clear();
            return Err(error);
        }
        Ok(result)
    }

    /// Fails for numbers of two f32 on a device that cannot compute with them.
    #[cfg(target_arch = "wasm32")]
    pub(crate) async fn try_precision(&self, program: &crate::plan::Program) -> Result<()> {
        self.builder.try_precision(program).await
    }

    /// Returns the plan for `spec`. The browser has one thread, which makes it.
    ///
    /// # Errors
    /// Those of [`plan`](Self::plan). The browser reports errors of wgpu after the call that caused
    /// them, so only this method can return them; after `plan` they are in its console.
    #[cfg(target_arch = "wasm32")]
    pub async fn plan_async<S: Spec>(self: &Arc<Self>, spec: S) -> Result<Arc<Plan<S>>> {
        let recipe = self.choose(&spec)?.recipe;
        self.try_precision(&spec.lower(&recipe, self.gpu().profile())?).await?;
        self.aside(move |planner| planner.plan_with(spec.clone(), recipe.clone())).await
    }

    /// Returns the recipe for `spec` on this device and says where it comes from. Nothing is
    /// measured, unless `with_tuning` (of the feature `tune`) asks for it. A measurement takes
    /// seconds and is made once for each specification.
    ///
    /// # Errors
    /// If the specification is not valid or does not fit the device. A search that fails is not an
    /// error: [`Choice::source`] then says why.
    pub fn choose<S: Spec>(&self, spec: &S) -> Result<Choice<S::Recipe>> {
        Ok(self.choose_any(&AnyValue::new(spec), &|| any(spec))?.typed())
    }

    fn choose_any(&self, key: &AnyValue, spec: &dyn Fn() -> Erased) -> Result<Choice<AnyValue>> {
        self.check_compute(key)?;
        self.kept.choices.get_or_make(key, || self.chooser.choose(self.gpu(), &spec()))
    }

    /// Returns the plan for `spec` with a recipe that the caller supplies.
    ///
    /// # Errors
    /// The errors of [`plan`](Self::plan), and [`Error::UnfitRecipe`](crate::Error::UnfitRecipe) if
    /// the recipe does not solve the specification.
    pub fn plan_with<S: Spec>(&self, spec: S, recipe: S::Recipe) -> Result<Arc<Plan<S>>> {
        let key = [AnyValue::new(&spec), AnyValue::new(&recipe)];
        let make = || -> Result<KeptPlan> {
            let plan = self.build(spec.clone(), recipe.clone())?;
            Ok(KeptPlan { bytes: Untyped::executable(&plan).pipeline_bytes(), plan: Shared::new(Arc::new(plan)) })
        };
        let plan = self.kept_plan(&key, &make)?.plan;
        Ok(plan.downcast_ref::<Arc<Plan<S>>>().expect("the plan of a specification has its type").clone())
    }

    fn kept_plan(&self, key: &[AnyValue; 2], make: &dyn Fn() -> Result<KeptPlan>) -> Result<KeptPlan> {
        self.gpu().check_alive("planning")?;
        self.check_compute(&key[0])?;
        self.kept.plans.get_or_make(key, make)
    }

    /// Builds the plan for `spec` with a recipe that the caller supplies. Unlike
    /// [`plan_with`](Self::plan_with), this keeps no plan: only the caller has it, and its
    /// workspace is freed with it. Its pipelines are kept.
    ///
    /// # Errors
    /// Those of [`plan_with`](Self::plan_with).
    pub fn build<S: Spec>(&self, spec: S, recipe: S::Recipe) -> Result<Plan<S>> {
        self.builder.plan(spec, recipe)
    }

    /// The pipeline of a text that is no kernel of this crate, kept like the others.
    pub(crate) fn pipeline_of_text(&self, name: &str, wgsl: &str) -> Result<(wgpu::ComputePipeline, wgpu::BindGroupLayout)> {
        self.builder.pipeline_of_text(name, wgsl)
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

    /// Forgets all plans, pipelines and chosen recipes. Plans that the caller still holds keep
    /// working, and measurements stay in the record.
    pub fn clear(&self) {
        self.kept.choices.clear();
        self.kept.plans.clear();
        self.builder.clear();
    }
}
