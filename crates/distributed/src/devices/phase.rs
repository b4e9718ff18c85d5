//! A job as a sequence of phases. Each phase computes units of one host array from units of
//! another, independently of each other.

use std::ops::Range;
use std::sync::Arc;

use wgpu_fft::low_level::recipes::fft::Adapt;
use wgpu_fft::low_level::recipes::fft::Recipe;
use wgpu_fft::{DeviceProfile, Planner, Result, Spec};

use crate::slab::{Grid, OutputShare};
use crate::task::Task;

/// One of a job's arrays on the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HostArray {
    /// The caller's input, or both inputs if there are two.
    Input,
    /// An array that holds data between two phases if the output cannot.
    Scratch,
    /// The caller's output.
    Output,
}

/// A phase. The arrays are cut along their middle axis into units, and no unit depends on another.
pub(crate) struct Phase {
    /// A description for reports.
    pub label: String,
    /// Devices get multiples of this many units, except for the last units of the array.
    pub alignment: usize,
    pub from: HostArray,
    pub to: HostArray,
    pub input: Grid,
    pub output: Grid,
    pub computation: Arc<dyn Computation>,
}

impl Phase {
    pub fn units(&self) -> usize {
        self.output.extent
    }
}

impl std::fmt::Debug for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Phase")
            .field("label", &self.label)
            .field("input", &self.input)
            .field("output", &self.output)
            .finish_non_exhaustive()
    }
}

/// A phase, its index in the job, and the arrays that it reads. There are none if it works in
/// place.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'r> {
    pub number: usize,
    pub phase: &'r Phase,
    pub sources: &'r [&'r [u8]],
}

impl<'r> Reading<'r> {
    /// The number of arrays that it reads.
    pub fn arrays(&self) -> usize {
        self.sources.len().max(1)
    }

    /// The slices of a piece in one of the arrays.
    pub fn slices<'s>(&self, array: usize, piece: &'s OutputShare<'_>) -> Vec<&'s [u8]>
    where
        'r: 's,
    {
        match self.sources.get(array) {
            Some(source) => self.phase.input.slices(source, &piece.units).collect(),
            None => piece.target.iter().map(|run| &**run).collect(),
        }
    }

    /// Adds a completed piece to the counts in `work`.
    pub fn count(&self, piece: &OutputShare<'_>, work: &mut crate::report::Work) {
        work.units += piece.units.len();
        work.pieces += 1;
        work.bytes_in += (self.phase.input.bytes_of(&piece.units) * self.arrays()) as u64;
        work.bytes_out += self.phase.output.bytes_of(&piece.units) as u64;
    }
}

/// How units are computed.
pub(crate) trait Computation: Send + Sync {
    /// The plan for some units on a device. The planner keeps only its compiled pipelines, because
    /// many different numbers of units occur.
    fn plan(&self, planner: &Planner, units: &Range<usize>) -> Result<Arc<dyn Task>>;

    /// Returns an error if a device cannot compute such units at all. Compiles nothing.
    fn check(&self, profile: &DeviceProfile, units: &Range<usize>) -> Result<()>;

    /// Whether plans depend on where the units begin as well as on their number.
    fn is_positioned(&self) -> bool {
        false
    }

    /// Computes some units on the host, from gathered inputs to a gathered output.
    #[cfg(feature = "cpu")]
    fn on_host(&self, units: &Range<usize>, inputs: &[Vec<u32>], output: &mut [u32]) -> Result<()>;

    /// Returns an error if the host cannot compute it.
    #[cfg(feature = "cpu")]
    fn can_host(&self) -> Result<()>;
}

/// Computes some units on the host, from words to words.
#[cfg(feature = "cpu")]
pub(crate) type OnHost = Box<dyn Fn(&Range<usize>, &[Vec<u32>], &mut [u32]) -> Result<()> + Send + Sync>;

/// How devices get their recipes for a phase.
pub(crate) trait Recipes<S: Spec>: Send + Sync {
    /// The recipe for a device without asking a planner.
    fn for_profile(&self, spec: &S, units: &Range<usize>, profile: &DeviceProfile) -> Result<S::Recipe> {
        let _ = units;
        spec.design(profile)
    }

    /// The recipe for a planner's device.
    fn for_planner(&self, spec: &S, units: &Range<usize>, planner: &Planner) -> Result<S::Recipe> {
        self.for_profile(spec, units, planner.gpu().profile())
    }
}

/// Each device uses the recipe that its rules choose. All of these keep to the same order.
pub(crate) struct ByRule;

impl<S: Spec> Recipes<S> for ByRule {}

/// Each device uses the recipe that its planner chooses. Every recipe gives the same bits.
pub(crate) struct ByPlanner;

impl<S: Spec> Recipes<S> for ByPlanner {
    fn for_planner(&self, spec: &S, _: &Range<usize>, planner: &Planner) -> Result<S::Recipe> {
        Ok(planner.choose(spec)?.recipe)
    }
}

/// The recipe for some units, before it is adapted to a device.
pub(crate) type OfUnits = Box<dyn Fn(&Range<usize>) -> Recipe + Send + Sync>;

/// All devices follow the arithmetic of one recipe, which may depend on the units. `None` if the
/// host is the only device.
pub(crate) struct Alike(pub Option<OfUnits>);

impl<S: Adapt> Recipes<S> for Alike {
    fn for_profile(&self, spec: &S, units: &Range<usize>, profile: &DeviceProfile) -> Result<Recipe> {
        self.0.as_ref().map_or_else(|| spec.design(profile), |recipe| spec.adapted(&recipe(units), profile))
    }
}

/// Units that are computed by a specification. It depends on their number, and if `positioned`,
/// also on where they begin.
pub(crate) struct Units<F, R> {
    pub spec: F,
    pub recipes: R,
    pub positioned: bool,
    /// The computation on the host, or why the host cannot do it.
    #[cfg(feature = "cpu")]
    pub host: Result<OnHost>,
}

impl<S: Spec, F: Fn(&Range<usize>) -> Result<S> + Send + Sync, R: Recipes<S>> Computation for Units<F, R> {
    fn plan(&self, planner: &Planner, units: &Range<usize>) -> Result<Arc<dyn Task>> {
        let spec = (self.spec)(units)?;
        let recipe = self.recipes.for_planner(&spec, units, planner)?;
        Ok(Arc::new(planner.build(spec, recipe)?))
    }

    fn check(&self, profile: &DeviceProfile, units: &Range<usize>) -> Result<()> {
        let spec = (self.spec)(units)?;
        spec.lower(&self.recipes.for_profile(&spec, units, profile)?, profile)?.check(profile)
    }

    fn is_positioned(&self) -> bool {
        self.positioned
    }

    #[cfg(feature = "cpu")]
    fn on_host(&self, units: &Range<usize>, inputs: &[Vec<u32>], output: &mut [u32]) -> Result<()> {
        self.host.as_ref().map_err(Clone::clone)?(units, inputs, output)
    }

    #[cfg(feature = "cpu")]
    fn can_host(&self) -> Result<()> {
        self.host.as_ref().map(drop).map_err(Clone::clone)
    }
}
