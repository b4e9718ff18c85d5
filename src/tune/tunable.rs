//! What a search goes over: something that can be computed in several ways.

use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

use super::record::wgsl_hash;
use super::{Sample, Searchable, Verification};
use crate::error::{Error, Result};
use crate::gpu::{AnyView, DeviceProfile, Gpu, View};
use crate::kernels::Slot;
use crate::plan::{Array, Builder, Placement, Program};

/// Something that can be computed in several ways, of which the fastest is looked for: every
/// [`Searchable`] specification, and whatever else implements this, such as kernels of the
/// caller's.
///
/// Printed it is the key under which results are remembered, so everything that matters for the
/// choice must be in it.
pub trait Tunable: Clone + Debug + Display + Send + Sync + 'static {
    /// One way to compute it.
    type Recipe: Clone + Eq + Hash + Debug + Display + FromStr<Err = Error> + Send + Sync + 'static;

    /// The choice without any measurement.
    ///
    /// # Errors
    /// If nothing can compute it on such a device.
    fn estimate(&self, profile: &DeviceProfile) -> Result<Self::Recipe>;

    /// A plain recipe that other results are compared with: of this crate's operations the baseline
    /// kernel if it fits, else the rules' choice.
    ///
    /// # Errors
    /// As [`estimate`](Self::estimate).
    fn baseline(&self, profile: &DeviceProfile) -> Result<Self::Recipe>;

    /// Recipes of other kinds than the estimate: further starting points of a search. Some may not
    /// fit.
    fn alternatives(&self, profile: &DeviceProfile) -> Vec<Self::Recipe>;

    /// Recipes that differ from `recipe` in one decision, the most promising first. Some may not
    /// fit.
    fn neighbours(&self, recipe: &Self::Recipe, profile: &DeviceProfile) -> Vec<Self::Recipe>;

    /// The input that recipes are compared on, and the tolerance.
    fn verification(&self) -> Verification;

    /// Elements of the result, computed on the host from the definition, for an input of these
    /// words; for both inputs, where there are two. With them a search does not depend on the
    /// baseline being right. Empty where one element takes too long.
    fn samples(&self, input: &[u32]) -> Vec<Sample> {
        let _ = input;
        Vec::new()
    }

    /// The arrays.
    ///
    /// # Errors
    /// As [`estimate`](Self::estimate).
    fn arrays(&self, profile: &DeviceProfile) -> Result<Arrays>;

    /// A hash of all that a device would run by `recipe`, which must fit the limits of `profile`.
    ///
    /// # Errors
    /// If it does not fit, or is no recipe for this.
    fn fingerprint(&self, recipe: &Self::Recipe, profile: &DeviceProfile) -> Result<u64>;

    /// Compiles it.
    ///
    /// # Errors
    /// Those of wgpu, and if it does not fit.
    fn compile(&self, gpu: &Gpu, recipe: &Self::Recipe) -> Result<Compiled>;
}

/// The arrays of something to compute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrays {
    /// Bytes of each input.
    pub input_bytes: u64,
    /// Inputs: 1 or 2.
    pub inputs: usize,
    /// Bytes of the output.
    pub output_bytes: u64,
    /// In place there is one array, the output, and it holds the input before.
    pub placement: Placement,
}

impl Arrays {
    fn of(program: &Program) -> Self {
        Self {
            input_bytes: program.bytes(Slot::Input(0)),
            inputs: program.inputs.len(),
            output_bytes: program.bytes(Slot::Output),
            placement: program.placement,
        }
    }

    /// Bytes that are read and written at least.
    #[must_use]
    pub fn moved_bytes(&self) -> u64 {
        match self.placement {
            Placement::OutOfPlace => self.input_bytes.saturating_mul(self.inputs as u64).saturating_add(self.output_bytes),
            Placement::InPlace => self.output_bytes.saturating_mul(2),
        }
    }
}

/// The arrays on a device, in words of 4 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Bindings<'a> {
    /// The inputs. In place there is none, and the first is the output.
    pub inputs: [View<'a, u32>; 2],
    /// The output.
    pub output: View<'a, u32>,
}

/// A compiled recipe: binds itself to arrays. Several are compiled side by side.
#[cfg(not(target_arch = "wasm32"))]
pub type Compiled = Box<dyn Fn(&Bindings<'_>) -> Result<Recorder> + Send>;
/// A compiled recipe: binds itself to arrays.
#[cfg(target_arch = "wasm32")]
pub type Compiled = Box<dyn Fn(&Bindings<'_>) -> Result<Recorder>>;

/// Records a compiled recipe, on the arrays that it is bound to, into a compute pass.
pub type Recorder = Box<dyn Fn(&mut wgpu::ComputePass<'_>)>;

impl<S: Searchable> Tunable for S {
    type Recipe = S::Recipe;

    fn estimate(&self, profile: &DeviceProfile) -> Result<S::Recipe> {
        self.design(profile)
    }

    fn baseline(&self, profile: &DeviceProfile) -> Result<S::Recipe> {
        Searchable::baseline(self, profile)
    }

    fn alternatives(&self, profile: &DeviceProfile) -> Vec<S::Recipe> {
        Searchable::alternatives(self, profile)
    }

    fn neighbours(&self, recipe: &S::Recipe, profile: &DeviceProfile) -> Vec<S::Recipe> {
        Searchable::neighbours(self, recipe, profile)
    }

    fn verification(&self) -> Verification {
        Searchable::verification(self)
    }

    fn samples(&self, input: &[u32]) -> Vec<Sample> {
        Searchable::samples(self, input)
    }

    fn arrays(&self, profile: &DeviceProfile) -> Result<Arrays> {
        Ok(Arrays::of(&self.lower(&self.design(profile)?, profile)?))
    }

    fn fingerprint(&self, recipe: &S::Recipe, profile: &DeviceProfile) -> Result<u64> {
        fingerprint(&self.lower(recipe, profile)?, profile)
    }

    fn compile(&self, gpu: &Gpu, recipe: &S::Recipe) -> Result<Compiled> {
        gpu.check_alive("planning")?;
        compile(gpu, self.lower(recipe, gpu.profile())?)
    }
}

fn fingerprint(program: &Program, profile: &DeviceProfile) -> Result<u64> {
    program.check(profile)?;
    Ok(wgsl_hash(program))
}

fn compile(gpu: &Gpu, program: Program) -> Result<Compiled> {
    let executable = Builder::new(gpu).executable(program)?;
    Ok(Box::new(move |bindings| {
        let program = executable.program();
        let output = of(bindings.output, &program.output)?;
        let bound = match program.placement {
            Placement::InPlace => executable.bind_array(output)?,
            Placement::OutOfPlace => {
                let inputs = bindings.inputs.iter().zip(&program.inputs);
                executable.bind_arrays(&inputs.map(|(view, array)| of(*view, array)).collect::<Result<Vec<_>>>()?, output)?
            }
        };
        Ok(Box::new(move |pass| bound.record(pass)))
    }))
}

/// A program's array that begins where a view does.
fn of<'a>(view: View<'a, u32>, array: &Array) -> Result<AnyView<'a>> {
    View::of_bytes(view.buffer(), view.offset_bytes(), array.len, array.element_bytes)
}
