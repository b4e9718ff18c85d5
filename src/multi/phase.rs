//! A job as a sequence of phases, each of which takes units of one host array to units of another, independently of each other.

use std::ops::Range;
use std::sync::Arc;

use super::slab::{Grid, Stock};
use crate::error::Result;
use crate::gpu::{DeviceProfile, View};
use crate::plan::{Bound, Plan, Planner, Spec};
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
    pub granule: usize,
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

/// A phase, by its number in the job, and what it reads; nothing where the results take the place of the inputs.
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
    pub fn slices<'s>(&self, array: usize, piece: &'s Stock<'_>) -> Vec<&'s [u8]>
    where
        'r: 's,
    {
        match self.sources.get(array) {
            Some(source) => self.phase.input.slices(source, &piece.units).collect(),
            None => piece.target.iter().map(|run| &**run).collect(),
        }
    }

    /// Counts a piece that is done.
    pub fn count(&self, piece: &Stock<'_>, work: &mut super::report::Work) {
        work.units += piece.units.len();
        work.pieces += 1;
        work.bytes_in += (self.phase.input.bytes_of(&piece.units) * self.arrays()) as u64;
        work.bytes_out += self.phase.output.bytes_of(&piece.units) as u64;
    }
}

/// How units are computed.
pub(crate) trait Work: Send + Sync {
    /// The plan for some units on a device. It keeps nothing in the planner but compiled pipelines, since there are many numbers of units.
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
    fn bind(&self, inputs: &[wgpu::Buffer], output: &wgpu::Buffer) -> Result<Bound>;
    /// Bytes of each input and of the output, in the units of 4 that buffers have.
    fn bytes(&self) -> [u64; 2];
}

impl<S: Spec> Task for Plan<S> {
    fn bind(&self, inputs: &[wgpu::Buffer], output: &wgpu::Buffer) -> Result<Bound> {
        let view = |buffer| View::<S::Input>::new(buffer, 0, self.program().inputs[0].len);
        let output = View::<S::Output>::new(output, 0, self.program().output.len)?;
        match inputs {
            [first, second] => Plan::bind(self, (view(first)?, view(second)?), output),
            _ => Plan::bind(self, view(&inputs[0])?, output),
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

/// The recipe for some units, before it is adapted to a device.
type OfUnits<R> = Box<dyn Fn(&Range<usize>) -> R + Send + Sync>;

/// How devices come by recipes.
pub(crate) enum Recipes<R> {
    /// All follow the arithmetic of this one, which may be another for other units.
    Like(OfUnits<R>),
    /// Each takes what its planner chooses: any gives the same bits.
    Own,
    /// Each takes what its rules choose: they keep to one order.
    ByRule,
}

/// Units that are a specification: of their number, or of where they begin as well.
pub(crate) struct Units<S: Spec, F> {
    pub spec: F,
    pub recipes: Recipes<S::Recipe>,
    pub positioned: bool,
    /// Or why it cannot be done there.
    #[cfg(feature = "cpu")]
    pub host: Result<OnHost>,
}

impl<S: Spec, F> Units<S, F> {
    /// The recipe for a device, by the rules where it is the device's own.
    fn recipe(&self, spec: &S, units: &Range<usize>, profile: &DeviceProfile) -> Result<S::Recipe> {
        match &self.recipes {
            Recipes::Like(recipe) => spec.adapted(&recipe(units), profile),
            Recipes::Own | Recipes::ByRule => spec.design(profile),
        }
    }
}

impl<S: Spec, F: Fn(&Range<usize>) -> Result<S> + Send + Sync> Work for Units<S, F> {
    fn plan(&self, planner: &Planner, units: &Range<usize>) -> Result<Arc<dyn Task>> {
        let spec = (self.spec)(units)?;
        let recipe = match &self.recipes {
            Recipes::Own => planner.choose(&spec)?.recipe,
            _ => self.recipe(&spec, units, planner.gpu().profile())?,
        };
        Ok(Arc::new(planner.build(spec, recipe)?))
    }

    fn check(&self, profile: &DeviceProfile, units: &Range<usize>) -> Result<()> {
        let spec = (self.spec)(units)?;
        spec.lower(&self.recipe(&spec, units, profile)?, profile)?.check(profile)
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
