//! What a [`Program`] consists of: kernels, bindings, parameters, workgroups, WGSL; and the parts
//! of recipes, searches, transfers and measurements.
//!
//! Code that plans and runs needs nothing of this. It is for code that looks below a plan: it
//! prints the WGSL that a device gets, runs that text elsewhere, compares it with another, or
//! times a part of it. The tests of this crate run every program in an interpreter that way.
//!
//! The workspace member `wgpu-fft-distributed` divides specifications among devices with
//! [`divide`], and moves their parts with [`transfer`].
//!
//! **Exempt from semver.** Everything here follows the kernels, so it may change in any release,
//! also in one that changes nothing else. That includes the fields of what a few other functions
//! take or return: [`Choice::source`](crate::tune::Choice), the progress of a search, and
//! [`DeviceProfile::registers`].
//!
//! ```
//! use wgpu_fft::{DeviceProfile, Spec, fft, low_level};
//!
//! # fn main() -> wgpu_fft::Result<()> {
//! // With a device at hand, the program is `plan.program()`.
//! let profile = DeviceProfile::webgpu_defaults();
//! let spec = fft::C2c::forward([16, 4096]);
//! let program = spec.lower(&spec.design(&profile)?, &profile)?;
//! for dispatch in low_level::dispatches(&program) {
//!     println!("// {dispatch}");
//!     for bind in &dispatch.binds {
//!         println!("// binding {}: {} = {}", bind.binding, bind.name, bind.slot);
//!     }
//!     println!("{}", dispatch.wgsl());
//! }
//! # assert!(program.wgsl().all(|text| text.contains("fn main")));
//! # Ok(())
//! # }
//! ```

use crate::error::Result;
pub use crate::fragment::Texels;
pub use crate::gpu::registers::Registers;
pub use crate::gpu::stopwatch::{Stopwatch, Timer};
use crate::gpu::{DeviceProfile, Gpu};
pub use crate::kernels::{
    ALL as KERNELS, Access, Bind, Dispatch, Field, Form, GENERATED_BEGIN, GENERATED_END, Generated, Grid, Kernel, Slot, Source, Value,
    sources,
};
#[cfg(feature = "ndarray")]
pub use crate::plan::ndarray::{Arrangement, Shaped};
pub use crate::plan::program::Table;
use crate::plan::{Array, Program, compile_alone};

/// As [`Bound::enqueue`](crate::Bound::enqueue), but it never submits: it returns whether
/// [`Gpu::flush`] is due. For the browser, where errors arrive later: the submitting code can watch
/// for them.
///
/// # Errors
/// [`Error::DeviceLost`](crate::Error::DeviceLost).
pub fn enqueue_alone(bound: &crate::Bound) -> Result<bool> {
    bound.enqueue_alone()
}

/// The tiles of permutation kernels.
pub mod permutation {
    pub use crate::kernels::transpose::tiles::{Side, Tiles};
}

/// The arithmetic of reduction kernels.
pub mod reduction {
    pub use crate::kernels::reduce::Stage;
    pub use crate::kernels::reduce::operator::{Finish, Fold, Kind, Map, Operator};
}

/// Specifications in parts: what several devices compute, each for itself, is bit-identical to the
/// whole, if a transform's recipe has its [axes
/// apart](crate::low_level::recipes::fft::Adapt::axes_apart).
pub mod divide {
    pub use crate::fft::ops::parts::{InParts, PartKind, Parts};
    pub use crate::fft::spec::number::Number as PartNumber;

    /// Parts of a permutation.
    pub mod permutation {
        pub use crate::transpose::divide::{dense_axes, with_extent};
    }

    /// Parts of a reduction.
    pub mod reduction {
        pub use crate::reduce::divide::{Division, Share, division, join, partial, piece, results_and_inputs};
    }
}

/// Arrays of the host and of the device, and copies between them that overlap with other work.
pub mod transfer {
    pub use crate::gpu::progress::{is_done_within, wait_for};
    pub use crate::gpu::transfer::{Commands, Download, Role, Staging, copy_threads, scatter};

    use crate::element::Element;
    use crate::error::{Error, Result};
    use crate::gpu::{Gpu, View};

    /// Checks that a view of the caller's has `expected` elements, and that this device can use its
    /// buffer as `required`. There is none of no elements.
    ///
    /// # Errors
    /// [`WrongLen`](crate::Error::WrongLen), [`MissingUsage`](crate::Error::MissingUsage) and
    /// [`ForeignObject`](crate::Error::ForeignObject).
    pub fn checked<T: Element>(
        gpu: &Gpu,
        argument: &'static str,
        view: Option<View<'_, T>>,
        expected: usize,
        required: wgpu::BufferUsages,
    ) -> Result<()> {
        let Some(view) = view else {
            return if expected == 0 { Ok(()) } else { Err(Error::WrongLen { argument, expected, actual: 0 }) };
        };
        view.any().check_for(argument, expected, required, 1)?;
        gpu.check_buffer(argument, view.buffer())
    }
}

/// How each operation is computed: the types of [`Spec::Recipe`](crate::Spec::Recipe), with their
/// fields. A recipe's text, which it prints and parses, is what to keep and to pass on.
pub mod recipes {
    /// Recipes of Fourier transforms.
    pub mod fft {
        #[cfg(feature = "signal")]
        pub use crate::fft::ops::filter::FilterRecipe;
        pub use crate::fft::ops::specification::Adapt;
        pub use crate::fft::recipe::{AxisRecipe, Exchange, PassRecipe, Reals, Recipe, Roots, Stockham};
    }

    /// Recipes of reductions.
    pub mod reduce {
        pub use crate::reduce::recipe::{Pass, Recipe};
    }

    /// Recipes of permutations.
    pub mod transpose {
        pub use crate::transpose::recipe::{Blocks, Recipe, Spread, Tiles, Walk};
    }

    /// Recipes of the module [`signal`](crate::signal).
    #[cfg(feature = "signal")]
    pub mod signal {
        pub use crate::signal::convolve::{By, Recipe as Convolve};
        pub use crate::signal::filter::{Recipe as Filter, Step, Tile};
        pub use crate::signal::frequencies::Recipe as Frequencies;
        pub use crate::signal::phase_correlate::Recipe as PhaseCorrelate;
        pub use crate::signal::power::Recipe as PowerSpectrum;
        pub use crate::signal::rings::Recipe as RadialAverage;
        pub use crate::signal::roll::Recipe as Roll;
        pub use crate::signal::stft::Recipe as Istft;
    }
}

/// What a search for the fastest recipe consists of, and published rules to compare it with.
///
/// For kernels of your own, implement [`Tunable`](tune::Tunable). Specifications have it.
pub mod tune {
    pub use crate::tune::choice::Source;
    pub use crate::tune::hash::{text_hash, wgsl_hash};
    pub use crate::tune::tunable::{Arrays, Bindings, Compiled, Recorder, Tunable};
    pub use crate::verify::{Format, Known, Sample, TestInput, Tolerance, Verification};

    #[cfg(feature = "tune")]
    pub use crate::calibration::Calibration;
    #[cfg(feature = "tune")]
    pub use crate::tune::coefficients::Coefficients;
    #[cfg(feature = "tune")]
    pub use crate::tune::outcome::{End, LEAST_GAIN, Outcome};
    #[cfg(feature = "tune")]
    pub use crate::tune::record::DeviceIdentity;
    #[cfg(feature = "tune")]
    pub use crate::tune::tuning::{Progress, Stage};

    /// The hill climb itself.
    pub mod search {
        pub use crate::tune::search::{Climb, Pace, climb};
    }

    /// What a [`Record`](crate::tune::Record) consists of.
    #[cfg(feature = "tune")]
    pub mod record {
        pub use crate::tune::record::{CRATE_VERSION, Entry, Import, Item, Items, Mark, Trial, now};
    }
}

/// Kernels that are not of this crate, for the members of this workspace that have some: compiled
/// once, with errors of wgpu as results, and arrays that are checked as plans check theirs.
pub mod kernel {
    use crate::element::Element;
    use crate::error::Result;
    use crate::gpu::{Gpu, View};
    use crate::plan::filled;
    use crate::planner::Planner;

    /// The pipeline of the entry point `main` of a text, and its bind group 0, whose layout follows
    /// from the text. Workgroup memory begins with anything in it. The planner keeps the pipeline
    /// as it keeps those of its plans, and equal texts share one.
    ///
    /// # Errors
    /// What the device says of the text.
    pub fn pipeline(planner: &Planner, name: &str, wgsl: &str) -> Result<(wgpu::ComputePipeline, wgpu::BindGroupLayout)> {
        planner.pipeline_of_text(name, wgsl)
    }

    /// Runs `work`, unless the device is known to be lost, and returns its value, or the first
    /// error that wgpu reports for it.
    ///
    /// # Errors
    /// Those of the device; `during` is what they name.
    pub fn caught<T>(gpu: &Gpu, during: &'static str, work: impl FnOnce() -> T) -> Result<T> {
        gpu.caught(during, 0, work)
    }

    /// A uniform buffer with these bytes.
    ///
    /// # Errors
    /// Those of [`Gpu::upload`].
    pub fn uniform(gpu: &Gpu, what: &str, bytes: &[u8]) -> Result<wgpu::Buffer> {
        filled(gpu, what, bytes.len() as u64, wgpu::BufferUsages::UNIFORM, bytes)
    }

    /// A view as a storage binding, if it has `expected` elements and lies as the device wants it.
    ///
    /// # Errors
    /// [`WrongLen`](crate::Error::WrongLen), [`MissingUsage`](crate::Error::MissingUsage) and
    /// [`Misaligned`](crate::Error::Misaligned).
    pub fn binding<'a, T: Element>(
        gpu: &Gpu,
        argument: &'static str,
        view: View<'a, T>,
        expected: usize,
    ) -> Result<wgpu::BindingResource<'a>> {
        view.any().check(argument, expected, gpu.profile().storage_alignment)?;
        let (buffer, offset) = view.any().place();
        Ok(wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset, size: std::num::NonZeroU64::new(view.len_bytes()) }))
    }
}

/// Work on several threads of the host, for the members of this workspace.
pub mod threads {
    pub use crate::threads::side_by_side;
}

/// Results in files, for the programs of this workspace.
pub mod files {
    pub use crate::files::{Replacement, check, is_stream, write};
}

/// Failures on purpose, to test what follows from them.
pub mod faults {
    pub use crate::gpu::device::inject;
    pub use crate::gpu::fault::Faults;
}

/// Whether a device computes with numbers of two f32 as the text says.
pub mod precision {
    pub use crate::plan::precision::{WANTED_BITS, input, output, program, right_bits};
}

/// The profile of a device that is not here, by what wgpu would report of it.
#[must_use]
pub fn reported(info: &wgpu::AdapterInfo, limits: &wgpu::Limits, features: wgpu::Features) -> DeviceProfile {
    DeviceProfile::reported(info, limits, features)
}

/// The pipeline of a dispatch, compiled as plans compile it. Nothing keeps it.
///
/// # Errors
/// What the device says of the text.
pub fn compile(gpu: &Gpu, dispatch: &Dispatch) -> Result<wgpu::ComputePipeline> {
    compile_alone(gpu, dispatch)
}

/// The dispatches of a program, in order.
#[must_use]
pub fn dispatches(program: &Program) -> &[Dispatch] {
    &program.dispatches
}

/// The same, to change them. Only interpreters run a changed program: plans lower their own.
pub fn dispatches_mut(program: &mut Program) -> &mut [Dispatch] {
    &mut program.dispatches
}

/// The scratch arrays of a program, [`Slot::Workspace`].
#[must_use]
pub fn workspaces(program: &Program) -> &[Array] {
    &program.workspaces
}

/// The constants of a program, [`Slot::Table`].
#[must_use]
pub fn tables(program: &Program) -> &[Table] {
    &program.tables
}

/// The names that the fragments of a program declare, [`Slot::Declared`].
pub fn declared(program: &Program) -> impl Iterator<Item = &str> {
    program.declared.iter().map(|declared| &*declared.name)
}

/// Bytes of the array in `slot`, rounded up to a multiple of 4 as WebGPU requires.
///
/// # Panics
/// If the program has no such array.
#[must_use]
pub fn bytes(program: &Program, slot: Slot) -> u64 {
    program.bytes(slot)
}
