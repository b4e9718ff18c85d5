//! The host side of the WGSL files: one Rust file per WGSL file, under the same path. It contains
//! the kernel's label, bindings, parameters, overrides and grid, and nothing else.
//!
//! A kernel does not know the operation that uses it. It returns a [`Dispatch`]: everything that is
//! needed to run it once, as plain data. A dispatch names the arrays that it uses by [`Slot`].

pub(crate) mod copy;
pub(crate) mod element;
pub(crate) mod fft;
#[cfg(feature = "signal")]
pub(crate) mod filter;
pub(crate) mod grid;
mod magnitude;
pub(crate) mod reduce;
#[cfg(feature = "signal")]
pub(crate) mod signal;
pub mod sources;
pub(crate) mod transpose;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::fragment::Texels;
pub use crate::slot::Slot;
use crate::text::join;
pub use grid::Grid;
pub use sources::Source;

/// A WGSL kernel and the declarations in which the host must agree with it.
pub struct Kernel {
    /// The path of its file in `shaders/`, without the extension.
    pub name: &'static str,
    /// Its WGSL text.
    pub source: &'static Source,
    /// Files that may be appended to it. Of each inner list, a dispatch appends one file at most.
    pub appended: &'static [&'static [&'static Source]],
    /// The fields of `Params`, the uniform at binding 0.
    pub params: &'static [Field],
    /// The names of its `override` constants.
    pub overrides: &'static [&'static str],
}

impl Kernel {
    /// A run with these parameters and bindings and the appended files of which there is no choice,
    /// without generated text, overrides or workgroup memory, and not proven.
    fn dispatch(
        &'static self,
        label: String,
        params: &impl bytemuck::NoUninit,
        grid: Grid,
        workgroup: [u32; 3],
        binds: Vec<Bind>,
    ) -> Dispatch {
        Dispatch {
            label,
            kernel: self,
            appended: self.appended.iter().filter(|choices| choices.len() == 1).map(|choices| choices[0]).collect(),
            generated: None,
            overrides: Vec::new(),
            params: bytemuck::bytes_of(params).to_vec(),
            grid,
            workgroup,
            workgroup_bytes: 0,
            binds,
            proven: false,
        }
    }
}

impl PartialEq for Kernel {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Kernel {}

impl std::hash::Hash for Kernel {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A field of `Params`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name, the same in WGSL.
    pub name: &'static str,
    /// Its type in Rust. `x: [u32; 2]` is `x_0: u32, x_1: u32` in WGSL, because arrays in WGSL
    /// uniforms have gaps.
    pub rust_type: &'static str,
    /// The offset of its first byte.
    pub offset: usize,
}

/// Declares `Params`, and the list of its fields that the contract tests compare with the WGSL,
/// which says what the fields are.
macro_rules! params {
    ($($(#[$doc:meta])* $field:ident: $type:tt),* $(,)?) => {
        /// The uniform at binding 0.
        #[repr(C)]
        #[derive(Clone, Copy, PartialEq, Debug, bytemuck::Pod, bytemuck::Zeroable)]
        pub struct Params { $($(#[$doc])* pub $field: $type),* }

        impl Params {
            /// The fields in order.
            pub const FIELDS: &'static [$crate::kernels::Field] = &[$($crate::kernels::Field {
                name: stringify!($field),
                rust_type: stringify!($type),
                offset: std::mem::offset_of!(Params, $field),
            }),*];
        }
    };
}
use params;

/// Declares the kernel of a file, with the files that may be appended besides `grid.wgsl`.
macro_rules! kernel {
    ($source:ident $(, appended: [$($choices:expr),*])? $(, overrides: [$($name:literal),*])?) => {
        /// The kernel.
        pub static KERNEL: $crate::kernels::Kernel = $crate::kernels::Kernel {
            name: $crate::kernels::sources::$source.stem(),
            source: &$crate::kernels::sources::$source,
            appended: &[&[&$crate::kernels::sources::GRID] $($(, $choices)*)?],
            params: Params::FIELDS,
            overrides: &[$($($name),*)?],
        };
    };
}
use kernel;

/// The value of an `override`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// A `u32`.
    U32(u32),
    /// A `bool`.
    Bool(bool),
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Self::U32(value)
    }
}

impl Value {
    /// The value as wgpu expects it.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        match self {
            Self::U32(value) => f64::from(value),
            Self::Bool(value) => f64::from(u8::from(value)),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::U32(value) => write!(f, "{value}"),
            Self::Bool(value) => write!(f, "{value}"),
        }
    }
}

/// How a kernel accesses a binding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// `var<storage, read>`.
    Read,
    /// `var<storage, read_write>`.
    ReadWrite,
    /// `var<uniform>`.
    Uniform,
    /// A texture, whose texels are loaded: `var input: texture_2d<f32>`.
    Texture(Texels),
    /// A texture, whose texels are stored: `var output: texture_storage_2d<rgba8unorm, write>`.
    StorageTexture(Texels),
    /// `var<storage, read_write>` of atomics that begin as zeros, and are zeros again after each
    /// run: by these the last workgroup of several knows that it is the last.
    Arrivals,
}

impl Access {
    /// The texture.
    #[must_use]
    pub fn texels(self) -> Option<Texels> {
        match self {
            Self::Texture(texels) | Self::StorageTexture(texels) => Some(texels),
            _ => None,
        }
    }
}

/// One binding of a dispatch, in group 0, besides the parameters at binding 0.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Bind {
    /// The number of the binding.
    pub binding: u32,
    /// Its name in WGSL.
    pub name: Cow<'static, str>,
    /// How the kernel accesses it.
    pub access: Access,
    /// The array that is bound.
    pub slot: Slot,
    /// The first byte and the size of the bound part of the array; `None` for all of it.
    pub range: Option<(u64, u64)>,
}

impl Bind {
    /// Whether the array must begin as zeros.
    #[must_use]
    pub fn begins_as_zeros(&self) -> bool {
        self.access == Access::Arrivals
    }
}

/// Binds textures in place of the input or the output of a dispatch, where the elements at these
/// are texels.
pub(crate) fn bind_textures(binds: &mut [Bind], [input, output]: [Option<Texels>; 2]) {
    for bind in binds {
        let access = match bind.slot {
            Slot::Input(_) => input.map(Access::Texture),
            Slot::Output => output.map(Access::StorageTexture),
            _ => None,
        };
        if let Some(access) = access {
            (bind.access, bind.range) = (access, None);
        }
    }
}

/// Binds an input at 1 and an output at 2, the numbers that every kernel here uses.
fn input_output(input: Slot, output: Slot) -> Vec<Bind> {
    vec![
        Bind { binding: 1, name: "input".into(), access: Access::Read, slot: input, range: None },
        Bind { binding: 2, name: "output".into(), access: Access::ReadWrite, slot: output, range: None },
    ]
}

/// Text generated for one configuration. It replaces the kernel's own text between its markers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Generated {
    /// The WGSL.
    pub text: Arc<str>,
    /// What it computes.
    pub form: Form,
}

/// What generated text computes, as data.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    /// A pass of an FFT with these radices.
    Pass(Vec<u32>),
    /// One stage of a reduction.
    Reduction(Arc<reduce::Stage>),
    /// The tiles of a permutation.
    Tiles(Arc<transpose::tiles::Tiles>),
    /// The tiles of a filter.
    #[cfg(feature = "signal")]
    Stencil(Arc<filter::stencil::Stencil>),
    /// The elements of rings.
    #[cfg(feature = "signal")]
    Rings,
    /// A permutation with fragments, with this many elements of each invocation.
    Mapped(u32),
    /// Halves of rows of so many reals.
    Halves(u32),
}

/// The line of a WGSL file before the part that may be generated.
pub const GENERATED_BEGIN: &str = "// <generated>\n";
/// The line after that part.
pub const GENERATED_END: &str = "// </generated>\n";

/// One run of one kernel, as plain data.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Dispatch {
    /// A description for people.
    pub label: String,
    /// The kernel.
    pub kernel: &'static Kernel,
    /// The files chosen from [`Kernel::appended`].
    pub appended: Vec<&'static Source>,
    /// The generated text between the markers, if the kernel has such a part.
    pub generated: Option<Generated>,
    /// The values of all overrides.
    pub overrides: Vec<(&'static str, Value)>,
    /// The bytes of `Params`.
    pub params: Vec<u8>,
    /// The workgroups.
    pub grid: Grid,
    /// The invocations of a workgroup along x, y, z.
    pub workgroup: [u32; 3],
    /// Workgroup memory in bytes.
    pub workgroup_bytes: u64,
    /// The storage bindings.
    pub binds: Vec<Bind>,
    /// Whether every index is proven to stay inside its array, so that the device need not check
    /// any.
    pub proven: bool,
}

impl Dispatch {
    /// The same with a file that was chosen from several.
    fn appending(mut self, source: &'static Source) -> Self {
        self.appended.push(source);
        self
    }

    /// The same with values of the kernel's overrides, in their order.
    fn overriding(self, values: impl IntoIterator<Item = impl Into<Value>>) -> Self {
        let values: Vec<Value> = values.into_iter().map(Into::into).collect();
        debug_assert_eq!(values.len(), self.kernel.overrides.len(), "overrides of {}", self.kernel.name);
        Self { overrides: self.kernel.overrides.iter().copied().zip(values).collect(), ..self }
    }

    /// The same with generated text, and with bytes of workgroup memory.
    fn generated(self, text: Arc<str>, form: Form, workgroup_bytes: u64) -> Self {
        Self { generated: Some(Generated { text, form }), workgroup_bytes, ..self }
    }

    /// The WGSL text: the kernel with its generated part, followed by the appended files.
    #[must_use]
    pub fn wgsl(&self) -> String {
        let own = self.kernel.source.text;
        let mut text = match &self.generated {
            None => own.to_owned(),
            Some(generated) => {
                let (head, rest) = own.split_once(GENERATED_BEGIN).unwrap_or((own, ""));
                let (_, tail) = rest.split_once(GENERATED_END).unwrap_or(("", rest));
                [head, GENERATED_BEGIN, &generated.text, GENERATED_END, tail].concat()
            }
        };
        for source in &self.appended {
            text.push('\n');
            text.push_str(source.text);
        }
        text
    }

    /// The invocations of a workgroup.
    #[must_use]
    pub fn invocations(&self) -> u64 {
        self.workgroup.iter().map(|&extent| u64::from(extent)).product()
    }
}

impl fmt::Display for Dispatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<34} {}", self.label, self.kernel.name)?;
        // Prints only appended files that were chosen from several.
        let choices = self.kernel.appended.iter().filter(|choices| choices.len() > 1);
        for source in choices.flat_map(|choices| self.appended.iter().filter(|source| choices.contains(source))) {
            let stem = source.path.trim_end_matches(".wgsl");
            write!(f, "({})", stem.rsplit_once('/').map_or(stem, |(_, name)| name))?;
        }
        for (name, value) in &self.overrides {
            write!(f, " {name}={value}")?;
        }
        if let Some(generated) = &self.generated {
            match &generated.form {
                Form::Pass(radices) => write!(f, " radices={}", join(radices, "."))?,
                Form::Reduction(stage) => {
                    write!(f, " lanes={} width={} accumulators={}", stage.lanes, stage.width, stage.accumulators)?;
                }
                Form::Tiles(tiles) => write!(f, " {}x{}", tiles.tile[0], tiles.tile[1])?,
                #[cfg(feature = "signal")]
                Form::Stencil(stencil) => write!(f, " {}x{}", stencil.tile[0], stencil.tile[1] * stencil.width)?,
                #[cfg(feature = "signal")]
                Form::Rings => {}
                Form::Mapped(elements) => write!(f, " elements={elements}")?,
                Form::Halves(n) => write!(f, " reals={n}")?,
            }
        }
        write!(f, " | {}", self.grid.x)?;
        if self.grid.y > 1 {
            write!(f, "x{}", self.grid.y)?;
        }
        write!(f, " workgroups of {}", self.invocations())?;
        let name = |name| self.binds.iter().find(|bind| bind.name == name).map(|bind| bind.slot.to_string());
        match (name("input"), name("output"), name("data")) {
            (Some(input), Some(output), _) => write!(f, " | {input} -> {output}"),
            (_, _, Some(data)) => write!(f, " | {data} in place"),
            _ => Ok(()),
        }?;
        let declared: Vec<String> =
            self.binds.iter().filter(|bind| matches!(bind.slot, Slot::Declared(_))).map(|bind| bind.slot.to_string()).collect();
        if declared.is_empty() { Ok(()) } else { write!(f, ", {}", declared.join(", ")) }
    }
}

/// Every kernel of the crate.
pub static ALL: &[&Kernel] = &[
    &copy::KERNEL,
    &transpose::naive::KERNEL,
    &transpose::tiled::KERNEL,
    &transpose::tiles::KERNEL,
    &transpose::strided::KERNEL,
    &transpose::gather::KERNEL,
    &transpose::swap::KERNEL,
    &transpose::mapped::KERNEL,
    &reduce::tree::KERNEL,
    &reduce::lines::KERNEL,
    &reduce::columns::KERNEL,
    &fft::radix2::KERNEL,
    &fft::pass::KERNEL,
    &fft::pass_f64::KERNEL,
    &fft::pass_double::KERNEL,
    &fft::probe_double::KERNEL,
    &fft::lanes::KERNEL,
    &fft::halves::KERNEL,
    #[cfg(feature = "signal")]
    &signal::overlap_add::KERNEL,
    #[cfg(feature = "signal")]
    &signal::peak_start::KERNEL,
    #[cfg(feature = "signal")]
    &signal::peak_step::KERNEL,
    #[cfg(feature = "signal")]
    &signal::peak_sums::KERNEL,
    #[cfg(feature = "signal")]
    &signal::rings::KERNEL,
    #[cfg(feature = "signal")]
    &signal::ring_means::KERNEL,
    #[cfg(feature = "signal")]
    &signal::roll::KERNEL,
    #[cfg(feature = "signal")]
    &signal::roll_small::KERNEL,
    #[cfg(feature = "signal")]
    &filter::stencil::KERNEL,
];
