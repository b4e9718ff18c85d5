//! Computations with several recipes, which a search chooses from.

use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

use super::hash::wgsl_hash;
use crate::error::{Error, Result};
use crate::gpu::{AnyView, DeviceProfile, Gpu, View};
use crate::kernels::Slot;
use crate::plan::{Array, Builder, FragmentArrays, Placement, Program, Spec};
use crate::verify::{Sample, Verification};

/// A computation with several recipes, of which a search finds the fastest. Every [`Spec`] is
/// tunable. Implement this trait for other computations, such as your own kernels.
///
/// The output of `Display` is the key under which results are recorded. It must contain everything
/// that affects the choice.
pub trait Tunable: Clone + Debug + Display + Send + Sync + 'static {
    /// One way to compute it.
    type Recipe: Clone + Eq + Hash + Debug + Display + FromStr<Err = Error> + Send + Sync + 'static;

    /// The recipe to use without any measurement.
    ///
    /// # Errors
    /// If nothing can compute it on such a device.
    fn estimate(&self, profile: &DeviceProfile) -> Result<Self::Recipe>;

    /// A plain recipe whose result other results are compared with. For this crate's operations
    /// this is the baseline kernel if it fits, otherwise the rules' choice.
    ///
    /// # Errors
    /// The errors of [`estimate`](Self::estimate).
    fn baseline(&self, profile: &DeviceProfile) -> Result<Self::Recipe>;

    /// Recipes of other kinds than the estimate, as further starting points of a search. Some may
    /// not fit the device.
    fn alternatives(&self, profile: &DeviceProfile) -> Vec<Self::Recipe>;

    /// Recipes that differ from `recipe` in one decision, the most promising first. Some may not
    /// fit the device.
    fn neighbours(&self, recipe: &Self::Recipe, profile: &DeviceProfile) -> Vec<Self::Recipe>;

    /// The test input for comparing recipes, and the tolerance.
    fn verification(&self) -> Verification;

    /// Elements of the correct result for the given input words, computed on the host from the
    /// definition. If there are two inputs, both contain these words. With samples, a search does
    /// not rely on a correct baseline. Return none if a single element takes too long to compute.
    fn samples(&self, input: &[u32]) -> Vec<Sample> {
        let _ = input;
        Vec::new()
    }

    /// The sizes of the arrays.
    ///
    /// # Errors
    /// The errors of [`estimate`](Self::estimate).
    fn arrays(&self, profile: &DeviceProfile) -> Result<Arrays>;

    /// A hash of everything that a device would run for `recipe`. The recipe must fit the limits of
    /// `profile`.
    ///
    /// # Errors
    /// If the recipe does not fit, or does not solve this computation.
    fn fingerprint(&self, recipe: &Self::Recipe, profile: &DeviceProfile) -> Result<u64>;

    /// Compiles a recipe.
    ///
    /// # Errors
    /// Errors of wgpu; also if the recipe does not fit.
    fn compile(&self, gpu: &Gpu, recipe: &Self::Recipe) -> Result<Compiled>;
}

/// The sizes of a computation's arrays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrays {
    /// Size of each input in bytes.
    pub input_bytes: u64,
    /// Number of inputs: 1 or 2.
    pub inputs: usize,
    /// Size of the output in bytes.
    pub output_bytes: u64,
    /// Whether the result overwrites the input. An in-place computation has one array, the output,
    /// which holds the input before the run.
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

    /// The least number of bytes that must be read and written.
    #[must_use]
    pub fn moved_bytes(&self) -> u64 {
        match self.placement {
            Placement::OutOfPlace => self.input_bytes.saturating_mul(self.inputs as u64).saturating_add(self.output_bytes),
            Placement::InPlace => self.output_bytes.saturating_mul(2),
        }
    }
}

/// The arrays on a device, as words of 4 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Bindings<'a> {
    /// The inputs. If there is one, the second view repeats it. An in-place computation has none,
    /// and both views are the output.
    pub inputs: [View<'a, u32>; 2],
    /// The output.
    pub output: View<'a, u32>,
}

/// A compiled recipe: a function that binds it to arrays. Several are compiled in parallel.
#[cfg(not(target_arch = "wasm32"))]
pub type Compiled = Box<dyn Fn(&Bindings<'_>) -> Result<Recorder> + Send>;
/// A compiled recipe: a function that binds it to arrays.
#[cfg(target_arch = "wasm32")]
pub type Compiled = Box<dyn Fn(&Bindings<'_>) -> Result<Recorder>>;

/// Records a compiled recipe, bound to its arrays, into a compute pass.
pub type Recorder = Box<dyn Fn(&mut wgpu::ComputePass<'_>)>;

impl<S: Spec> Tunable for S {
    type Recipe = S::Recipe;

    fn estimate(&self, profile: &DeviceProfile) -> Result<S::Recipe> {
        self.design(profile)
    }

    fn baseline(&self, profile: &DeviceProfile) -> Result<S::Recipe> {
        Spec::baseline(self, profile)
    }

    fn alternatives(&self, profile: &DeviceProfile) -> Vec<S::Recipe> {
        Spec::alternatives(self, profile)
    }

    fn neighbours(&self, recipe: &S::Recipe, profile: &DeviceProfile) -> Vec<S::Recipe> {
        Spec::neighbours(self, recipe, profile)
    }

    fn verification(&self) -> Verification {
        crate::plan::Sealed::verification(self)
    }

    fn samples(&self, input: &[u32]) -> Vec<Sample> {
        crate::plan::Sealed::samples(self, input)
    }

    fn arrays(&self, profile: &DeviceProfile) -> Result<Arrays> {
        let program = self.lower(&self.design(profile)?, profile)?;
        program.check_arrays("a measurement of")?;
        Ok(Arrays::of(&program))
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

pub(crate) fn compile(gpu: &Gpu, program: Program) -> Result<Compiled> {
    let executable = Builder::new(gpu).executable(program)?;
    Ok(Box::new(move |bindings| {
        let program = executable.program();
        let declared = executable.placeholders()?;
        let arrays = FragmentArrays::in_order(program, &declared);
        let output = of(bindings.output, &program.output)?;
        let bound = match program.placement {
            Placement::InPlace => executable.bind_array(output.into(), &arrays)?,
            Placement::OutOfPlace => {
                let inputs = bindings.inputs.iter().zip(&program.inputs);
                let inputs = inputs.map(|(view, array)| Ok(of(*view, array)?.into())).collect::<Result<Vec<_>>>()?;
                executable.bind_arrays(&inputs, output.into(), &arrays)?
            }
        };
        Ok(Box::new(move |pass| bound.record(pass)))
    }))
}

/// A program's array that begins where a view does.
fn of<'a>(view: View<'a, u32>, array: &Array) -> Result<AnyView<'a>> {
    View::of_bytes(view.buffer(), view.offset_bytes(), array.len, array.element_bytes)
}
