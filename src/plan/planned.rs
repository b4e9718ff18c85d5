//! A program with its specification, ready to run on one device.

use super::bound::Bound;
use super::build::{Builder, Executable};
use super::inputs::{HostInputs, Inputs};
use super::untyped::Untyped;
use super::verify::{Verified, verify};
use super::watched::{begun, run_into, run_over};
use super::{IntoHostInputs, IntoInputs, IntoOutput, Program, Sealed, Spec};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::gpu::Pending;

/// An operation that is ready to run on one device. A [`Planner`](crate::Planner) makes plans.
/// [Which call when](crate::guides::device#which-call-when) compares the ways to run one.
#[derive(Debug)]
pub struct Plan<S: Spec> {
    pub(super) spec: S,
    pub(super) recipe: S::Recipe,
    pub(super) executable: Executable,
}

impl Builder {
    /// The plan for `spec` by a recipe.
    pub fn plan<S: Spec>(&self, spec: S, recipe: S::Recipe) -> Result<Plan<S>> {
        let executable = self.executable(spec.lower(&recipe, self.gpu().profile())?)?;
        Ok(Plan { spec, recipe, executable })
    }
}

impl<S: Spec> Plan<S> {
    /// What the plan computes.
    #[must_use]
    pub fn spec(&self) -> &S {
        &self.spec
    }

    /// How the plan computes it.
    #[must_use]
    pub fn recipe(&self) -> &S::Recipe {
        &self.recipe
    }

    /// The exact list of dispatches that the plan runs.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.executable.program
    }

    /// Elements that the plan reads of its input, and of its second input if it has one.
    #[must_use]
    pub fn input_len(&self) -> usize {
        self.program().inputs[0].len
    }

    /// Elements of the output.
    #[must_use]
    pub fn output_len(&self) -> usize {
        self.program().output.len
    }

    /// Device memory that the plan needs as workspace, in bytes: memory of its own, or of the
    /// planner's [`Workspace`](super::Workspace), which plans share.
    #[must_use]
    pub fn workspace_bytes(&self) -> u64 {
        self.program().workspace_bytes()
    }

    /// Records the operation as one compute pass into the caller's encoder. It submits nothing and
    /// allocates no buffer.
    ///
    /// Each call makes bind groups for these arrays; to make them once for many runs, use
    /// [`bind`](Self::bind). All runs of one plan share its workspace. That is safe in any order of
    /// encoders, because a queue runs them one after the other. An operation on two arrays takes a
    /// pair, `(&x, &y)`, and a plan with arrays for its fragments [`With`](super::With) them.
    ///
    /// # Errors
    /// [`Error::WrongLen`], [`Error::MissingUsage`], [`Error::Misaligned`], [`Error::Aliased`],
    /// [`Error::WrongTexture`], [`Error::WrongPlacement`], [`Error::WrongInputs`],
    /// [`Error::ForeignObject`] for a buffer or a texture of another device, [`Error::WrongArrays`]
    /// and [`Error::FragmentArray`] for those of fragments, [`Error::DeviceLost`]. These leave the
    /// encoder unchanged.
    ///
    /// [`Error::Wgpu`] if the encoder has an open pass; wgpu then makes the encoder invalid, see
    /// [`Error`]. [`Error::ForeignObject`] for an encoder of another instance, if it can be
    /// detected, see [`Gpu::from_wgpu`](crate::Gpu::from_wgpu).
    pub fn encode<'a>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        input: impl IntoInputs<'a, S::Input>,
        output: impl IntoOutput<'a, S::Output>,
    ) -> Result<()> {
        self.bind(input, output)?.encode(encoder)
    }

    /// Records the operation on one array into the caller's encoder. The specification must be an
    /// in-place one.
    ///
    /// # Errors
    /// The errors of [`encode`](Self::encode).
    pub fn encode_in_place<'a>(&self, encoder: &mut wgpu::CommandEncoder, data: impl IntoInputs<'a, S::Output>) -> Result<()> {
        self.bind_in_place(data)?.encode(encoder)
    }

    /// Binds the plan to its arrays, so that it can be recorded any number of times. The result
    /// keeps the buffers alive.
    ///
    /// # Errors
    /// The errors of [`encode`](Self::encode).
    pub fn bind<'a>(&self, input: impl IntoInputs<'a, S::Input>, output: impl IntoOutput<'a, S::Output>) -> Result<Bound> {
        let Inputs { given, arrays, .. } = input.into_inputs();
        self.executable.bind_arrays(&given, output.into_output().given, arrays)
    }

    /// Binds the plan to one array. The specification must be an in-place one.
    ///
    /// # Errors
    /// The errors of [`encode`](Self::encode).
    pub fn bind_in_place<'a>(&self, data: impl IntoInputs<'a, S::Output>) -> Result<Bound> {
        let Inputs { given, arrays, .. } = data.into_inputs();
        let [data] = given[..] else {
            return Err(Error::WrongInputs { spec: self.spec.to_string(), expected: 1, actual: given.len() });
        };
        self.executable.bind_array(data, arrays)
    }

    /// Runs the plan once on zeros, in arrays that it frees again, and returns how long that took.
    /// Call it at start, before the first result is waited for: software adapters compile shaders
    /// at their first run, in up to a second or two. On GPUs, shaders are compiled when the plan is
    /// made.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::DeviceLost`]; in the browser [`Error::Unsupported`], since
    /// nothing may block there.
    pub fn warm_up(&self) -> Result<std::time::Duration> {
        self.executable.warm_up()
    }

    /// Verifies that this device computes this plan's results as it should: a driver that nobody
    /// tested may not. Call it at start, after planning.
    ///
    /// The plan runs twice on random numbers, in arrays of its own between guards. Up to 64
    /// elements of the result are compared with the definition, summed up in f64 on the host: of
    /// transforms of all kinds, permutations, reductions but for products and operators of the
    /// caller's, shifts and filters with small kernels. The sums of squares of complex and of real
    /// Fourier transforms must obey Parseval's theorem. Both runs must have equal bits, all numbers
    /// must be finite, and nothing else may have been written. [`Verified`] says
    /// which of these there were: for an operation without a short definition, or with a fragment
    /// of the caller's, the last three alone.
    ///
    /// ```no_run
    /// # use wgpu_fft::{Planner, fft::C2c};
    /// # fn start(planner: &Planner) -> wgpu_fft::Result<()> {
    /// let plan = planner.plan(C2c::forward([1024, 1024]))?;
    /// println!("{}", plan.verify()?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Cost
    /// Arrays as large as those of a run, two runs, and up to a tenth of a second of sums on the
    /// host. Of outputs above 32 MiB the ends and what surrounds the elements are read, and
    /// Parseval's theorem is left out.
    ///
    /// # Errors
    /// [`Error::WrongResult`], which names the driver and says what to do; [`Error::OutOfMemory`];
    /// [`Error::DeviceLost`]; in the browser [`Error::Unsupported`], since nothing may block there.
    pub fn verify(&self) -> Result<Verified> {
        verify(self)
    }

    /// Runs the operation on host data: uploads it, runs the plan, and reads the result back into a
    /// new vector. An operation on two arrays takes a pair, `(&x, &y)`, and a plan with arrays for
    /// its fragments [`With`](super::With) them. The other ways to run a plan, and what each costs,
    /// are in [which call when](crate::guides::device#which-call-when).
    ///
    /// The upload is complete when this call returns. The result is copied when the [`Pending`] is
    /// awaited or waited for. Arrays on the device and staging buffers are kept for the next run,
    /// see [`Gpu::kept_bytes`](crate::Gpu::kept_bytes). Where the host can map the arrays of
    /// kernels, on software and integrated adapters, data is copied once in each direction.
    /// Elsewhere it goes through staging buffers in pieces, while the device copies other pieces.
    ///
    /// The gaps between the elements of an output layout are zero. If the device
    /// [verifies every n-th run](crate::GpuOptions::verify_every), this is where it does.
    ///
    /// # Errors
    /// [`Error::WrongLen`], [`Error::WrongInputs`], [`Error::WrongArrays`] and
    /// [`Error::FragmentArray`], [`Error::OutOfMemory`], [`Error::DeviceLost`].
    pub fn run<'a>(&self, input: impl IntoHostInputs<'a, S::Input>) -> Result<Pending<Vec<S::Output>>> {
        let HostInputs { bytes, arrays, .. } = input.into_host_inputs();
        Ok(begun(self, &bytes, arrays)?.collect(self.program().output.len))
    }

    /// Runs the operation on host data and writes the result over `output`. It blocks until that is
    /// done. It allocates nothing; allocating costs more than the copy.
    ///
    /// ```no_run
    /// # use wgpu_fft::{Complex32, Planner, fft::C2c};
    /// # fn transform(planner: &Planner, frames: &[Vec<Complex32>]) -> wgpu_fft::Result<()> {
    /// let plan = planner.plan(C2c::forward([1024, 1024]))?;
    /// let mut spectrum = vec![Complex32::default(); 1024 * 1024];
    /// for frame in frames {
    ///     plan.run_into(frame, &mut spectrum)?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// It is a blocking call, not a [`Pending`], so that `output` is free again when it returns. In
    /// the browser, where nothing may block, use [`run`](Self::run).
    ///
    /// # Errors
    /// As [`run`](Self::run), and [`Error::Unsupported`] in the browser. After an error of a
    /// length, a number of inputs or memory `output` is as it was; after [`Error::DeviceLost`] a
    /// part of it may be written.
    pub fn run_into<'a>(&self, input: impl IntoHostInputs<'a, S::Input>, output: &mut [S::Output]) -> Result<()> {
        let HostInputs { bytes, arrays, .. } = input.into_host_inputs();
        run_into(self, &bytes, arrays, bytemuck::cast_slice_mut(output))
    }
}

impl<T: Element, S: Spec<Input = T, Output = T>> Plan<S> {
    /// Runs the operation on host data and writes the result over it, as rustfft's `process` does.
    /// It blocks until that is done. Input and output must have equally many elements; whether the
    /// specification is an in-place one does not matter.
    ///
    /// ```no_run
    /// # use wgpu_fft::{Complex32, Planner, fft::C2c};
    /// # fn transform(planner: &Planner, signal: &mut [Complex32]) -> wgpu_fft::Result<()> {
    /// planner.plan(C2c::forward(signal.len()))?.run_over(signal)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`run_into`](Self::run_into).
    pub fn run_over(&self, data: &mut [T]) -> Result<()> {
        run_over(self, bytemuck::cast_slice_mut(data))
    }
}

impl<S: Spec> Untyped for Plan<S> {
    fn spec(&self) -> String {
        self.spec.to_string()
    }

    fn recipe(&self) -> String {
        self.recipe.to_string()
    }

    fn executable(&self) -> &Executable {
        &self.executable
    }

    fn sealed(&self) -> &dyn Sealed {
        &self.spec
    }
}
