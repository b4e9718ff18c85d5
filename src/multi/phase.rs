//! A job as a sequence of phases, each of which takes units of one host array to units of another,
//! independently of each other.

use std::ops::Range;
use std::sync::Arc;

use super::slab::{Grid, OutputShare};
use crate::error::Result;
use crate::fft::{Adapt, Recipe};
use crate::gpu::{DeviceProfile, View};
use crate::plan::{Bound, Plan, Spec};
use crate::planner::Planner;
use crate::tune::Searchable;
use crate::wgpu;

/// One of a job's arrays on the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// The caller's input, or both of two inputs.
    Input,
    /// What is kept between two phases where the output cannot hold it.
    Scratch,
    /// The caller's output.
    Output,
}

/// What is done with units: the first index is cut, and no unit needs another one.
pub(crate) struct Phase {
    /// For reports.
    pub label: String,
    /// Devices get multiples of so many units, but for the last one.
    pub alignment: usize,
    pub from: Place,
    pub to: Place,
    pub input: Grid,
    pub output: Grid,
    pub work: Arc<dyn Work>,
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

/// A phase, by its number in the job, and what it reads; nothing where the results take the place
/// of the inputs.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'r> {
    pub number: usize,
    pub phase: &'r Phase,
    pub sources: &'r [&'r [u8]],
}

impl<'r> Reading<'r> {
    /// Arrays that it reads.
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

    /// Counts a piece that is done.
    pub fn count(&self, piece: &OutputShare<'_>, work: &mut super::report::Work) {
        work.units += piece.units.len();
        work.pieces += 1;
        work.bytes_in += (self.phase.input.bytes_of(&piece.units) * self.arrays()) as u64;
        work.bytes_out += self.phase.output.bytes_of(&piece.units) as u64;
    }
}

/// How units are computed.
pub(crate) trait Work: Send + Sync {
    /// The plan for some units on a device. It keeps nothing in the planner but compiled pipelines,
    /// since there are many numbers of units.
    fn plan(&self, planner: &Planner, units: &Range<usize>) -> Result<Arc<dyn Task>>;

    /// Fails if a device cannot compute some units at all. It compiles nothing.
    fn check(&self, profile: &DeviceProfile, units: &Range<usize>) -> Result<()>;

    /// Whether plans depend on where the units begin, and not on their number alone.
    fn is_positioned(&self) -> bool {
        false
    }

    /// Computes some units on the host: from gathered inputs to a gathered output.
    #[cfg(feature = "cpu")]
    fn on_host(&self, units: &Range<usize>, inputs: &[Vec<u32>], output: &mut [u32]) -> Result<()>;

    /// Whether the host can do it.
    #[cfg(feature = "cpu")]
    fn can_host(&self) -> Result<()>;
}

/// A plan whose types nobody needs to know.
pub(crate) trait Task: Send + Sync {
    /// Binds it to the begins of buffers that may be larger than its arrays.
    fn bind(&self, inputs: &[&wgpu::Buffer], output: &wgpu::Buffer) -> Result<Bound>;
    /// Bytes of each input and of the output, in the units of 4 that buffers have.
    fn bytes(&self) -> [u64; 2];
}

impl<S: Spec> Task for Plan<S> {
    fn bind(&self, inputs: &[&wgpu::Buffer], output: &wgpu::Buffer) -> Result<Bound> {
        let view = |buffer| View::<S::Input>::new(buffer, 0, self.program().inputs[0].len);
        let output = View::<S::Output>::new(output, 0, self.program().output.len)?;
        match inputs {
            [first, second] => Plan::bind(self, (view(first)?, view(second)?), output),
            _ => Plan::bind(self, view(inputs[0])?, output),
        }
    }

    fn bytes(&self) -> [u64; 2] {
        use crate::kernels::Slot;
        [self.program().bytes(Slot::Input(0)), self.program().bytes(Slot::Output)]
    }
}

/// Computes some units on the host, from words to words.
#[cfg(feature = "cpu")]
pub(crate) type OnHost = Box<dyn Fn(&Range<usize>, &[Vec<u32>], &mut [u32]) -> Result<()> + Send + Sync>;

/// How devices come by the recipes of a phase.
pub(crate) trait Recipes<S: Spec>: Send + Sync {
    /// The recipe for a device that no planner is asked about.
    fn for_profile(&self, spec: &S, units: &Range<usize>, profile: &DeviceProfile) -> Result<S::Recipe> {
        let _ = units;
        spec.design(profile)
    }

    /// The recipe for a planner's device.
    fn for_planner(&self, spec: &S, units: &Range<usize>, planner: &Planner) -> Result<S::Recipe> {
        self.for_profile(spec, units, planner.gpu().profile())
    }
}

/// Each device takes what its rules choose: they keep to one order.
pub(crate) struct ByRule;

impl<S: Spec> Recipes<S> for ByRule {}

/// Each device takes what its planner chooses: any recipe gives the same bits.
pub(crate) struct ByPlanner;

impl<S: Searchable> Recipes<S> for ByPlanner {
    fn for_planner(&self, spec: &S, _: &Range<usize>, planner: &Planner) -> Result<S::Recipe> {
        Ok(planner.choose(spec)?.recipe)
    }
}

/// The recipe for some units, before it is adapted to a device.
pub(crate) type OfUnits = Box<dyn Fn(&Range<usize>) -> Recipe + Send + Sync>;

/// All devices follow the arithmetic of one recipe, which may be another for other units; there is
/// none where the host is the only device.
pub(crate) struct Alike(pub Option<OfUnits>);

impl<S: Adapt> Recipes<S> for Alike {
    fn for_profile(&self, spec: &S, units: &Range<usize>, profile: &DeviceProfile) -> Result<Recipe> {
        self.0.as_ref().map_or_else(|| spec.design(profile), |recipe| spec.adapted(&recipe(units), profile))
    }
}

/// Units that are a specification: of their number, or of where they begin as well.
pub(crate) struct Units<F, R> {
    pub spec: F,
    pub recipes: R,
    pub positioned: bool,
    /// Or why it cannot be done there.
    #[cfg(feature = "cpu")]
    pub host: Result<OnHost>,
}

impl<S: Spec, F: Fn(&Range<usize>) -> Result<S> + Send + Sync, R: Recipes<S>> Work for Units<F, R> {
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
