//! Exactly what to run, as data.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::error::{self, Error, Result};
use crate::fragment::{Checked, Declared, Texels};
use crate::gpu::{DeviceProfile, in_units};
use crate::kernels::{Access, Bind, Dispatch, Slot};
use crate::slot::Array;

/// Uniforms of a kernel, on every device that WebGPU allows.
const UNIFORM_BUFFERS: u64 = 12;

/// Constants that the host computes once and the kernels read, such as twiddle factors.
///
/// A table says what it holds and how long it is. Its contents are computed only when a plan is
/// built or run. So rejecting a recipe, or printing and comparing a program, costs nothing,
/// although the constants of a long convolution take seconds to compute.
#[derive(Clone)]
pub struct Table {
    label: String,
    len: u64,
    make: Arc<dyn Fn() -> Vec<u32> + Send + Sync>,
}

impl Table {
    /// A table of `len` words, which `make` computes. `label` says everything that they depend on:
    /// tables with equal labels and lengths are taken to be equal.
    pub(crate) fn new(label: String, len: u64, make: impl Fn() -> Vec<u32> + Send + Sync + 'static) -> Self {
        Self { label, len, make: Arc::new(make) }
    }

    /// A description of the contents.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Size in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.len.saturating_mul(4)
    }

    /// Computes the contents.
    #[must_use]
    pub fn words(&self) -> Vec<u32> {
        let words = (self.make)();
        debug_assert_eq!(words.len() as u64, self.len, "{}", self.label);
        words
    }
}

impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        (&self.label, self.len) == (&other.label, other.len)
    }
}

impl Eq for Table {}

impl Hash for Table {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.label, self.len).hash(state);
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("label", &self.label).field("len", &self.len).finish_non_exhaustive()
    }
}

/// Whether the result overwrites the input.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Placement {
    /// Input and output are different arrays; the input is not changed.
    #[default]
    OutOfPlace,
    /// The output overwrites the input.
    InPlace,
}

/// The dispatches of an operation in order, and the memory that they need. `Display` prints it as
/// text. What the dispatches consist of is in [`low_level`](crate::low_level).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Program {
    /// The specification, printed.
    pub(crate) title: String,
    /// Whether input and output are one array, [`Slot::Output`].
    pub(crate) placement: Placement,
    /// An in-place program has one, which the output overwrites.
    pub(crate) inputs: Vec<Array>,
    pub(crate) output: Array,
    /// What the recipe does that its name does not say, in words.
    pub(crate) notes: Vec<String>,
    /// Scratch arrays that the plan allocates.
    pub(crate) workspaces: Vec<Array>,
    pub(crate) tables: Vec<Table>,
    /// The arrays and uniforms that fragments declare. The caller binds them.
    pub(crate) declared: Vec<Declared>,
    /// In order.
    pub(crate) dispatches: Vec<Dispatch>,
}

impl Program {
    /// A program without dispatches.
    pub(crate) fn new(title: String, placement: Placement, inputs: Vec<Array>, output: Array) -> Self {
        let (notes, workspaces, tables, declared, dispatches) = Default::default();
        Self { title, placement, inputs, output, notes, workspaces, tables, declared, dispatches }
    }

    /// The same, unless no buffer of the device can hold one of its arrays.
    #[cfg(feature = "signal")]
    pub(crate) fn checked(self, profile: &DeviceProfile) -> Result<Self> {
        self.checked_with_textures([false; 2], profile)
    }

    /// The same, where the inputs or the output may be textures, which are in no buffer.
    pub(crate) fn checked_with_textures(self, [input, output]: [bool; 2], profile: &DeviceProfile) -> Result<Self> {
        self.inputs.iter().filter(|_| !input).try_for_each(|own| own.check(&self.title, "input", profile))?;
        if !output {
            self.output.check(&self.title, "output", profile)?;
        }
        Ok(self)
    }

    /// The specification, printed.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Whether the result overwrites the input.
    #[must_use]
    pub fn placement(&self) -> Placement {
        self.placement
    }

    /// The inputs: one array, or two of equal length. An in-place program has one, which the output
    /// overwrites.
    #[must_use]
    pub fn inputs(&self) -> &[Array] {
        &self.inputs
    }

    /// The output.
    #[must_use]
    pub fn output(&self) -> Array {
        self.output
    }

    /// The number of dispatches.
    #[must_use]
    pub fn dispatch_count(&self) -> usize {
        self.dispatches.len()
    }

    /// The WGSL text of each dispatch, in order. The texts may change in any release.
    pub fn wgsl(&self) -> impl ExactSizeIterator<Item = String> {
        self.dispatches.iter().map(Dispatch::wgsl)
    }

    /// The array of an input, or the output's.
    pub(crate) fn end(&self, slot: Slot) -> &Array {
        if let Slot::Input(i) = slot { &self.inputs[i] } else { &self.output }
    }

    /// Bytes of the array in `slot`, rounded up to a multiple of 4 as WebGPU requires.
    #[must_use]
    pub(crate) fn bytes(&self, slot: Slot) -> u64 {
        let bytes = match slot {
            Slot::Input(i) => self.inputs[i].bytes(),
            Slot::Output => self.output.bytes(),
            Slot::Workspace(i) => self.workspaces[i].bytes(),
            Slot::Table(i) => self.tables[i].bytes(),
            // A uniform has the size of its type.
            Slot::Declared(i) if self.declared[i].is_uniform() => return self.declared[i].array().bytes(),
            Slot::Declared(i) => self.declared[i].array().bytes(),
        };
        in_units(bytes)
    }

    /// Whether an array must begin as zeros.
    pub(crate) fn begins_as_zeros(&self, slot: Slot) -> bool {
        self.dispatches.iter().flat_map(|dispatch| &dispatch.binds).any(|bind| bind.slot == slot && bind.begins_as_zeros())
    }

    /// Total size of the workspaces in bytes.
    #[must_use]
    pub fn workspace_bytes(&self) -> u64 {
        self.workspaces.iter().map(Array::bytes).sum()
    }

    /// Total size of the tables of constants in bytes.
    #[must_use]
    pub fn table_bytes(&self) -> u64 {
        self.tables.iter().map(Table::bytes).sum()
    }

    /// Refuses another number of inputs than the program takes.
    pub(crate) fn check_inputs(&self, actual: usize) -> Result<()> {
        let expected = self.inputs.len();
        if actual == expected { Ok(()) } else { Err(Error::WrongInputs { spec: self.title.clone(), expected, actual }) }
    }

    /// The place of a table with these constants, which is added if there is none yet.
    pub(crate) fn table(&mut self, table: Table) -> Slot {
        let found = self.tables.iter().position(|known| *known == table);
        Slot::Table(found.unwrap_or_else(|| {
            self.tables.push(table);
            self.tables.len() - 1
        }))
    }

    /// The bindings, from `first` on, of the arrays and uniforms of a fragment.
    pub(crate) fn bind_declared(&mut self, map: &Checked, first: u32) -> Result<Vec<Bind>> {
        let bind = |(binding, own): (u32, &Declared)| {
            let access = if own.is_uniform() { Access::Uniform } else { Access::Read };
            let slot = own.slot.map_or_else(|| self.declare(own), Ok)?;
            Ok(Bind { binding, name: map.binding_name(own).into(), access, slot, range: None })
        };
        (first..).zip(map.arrays()).map(bind).collect()
    }

    /// The place of an array or a uniform of a fragment, which is added if there is none yet.
    /// Fragments of one program may share one by its name.
    pub(super) fn declare(&mut self, declared: &Declared) -> Result<Slot> {
        if let Some(i) = self.declared.iter().position(|known| known.name == declared.name) {
            if self.declared[i] == *declared {
                return Ok(Slot::Declared(i));
            }
            let what = format!("two different arrays `{}` in the fragments of `{}`", declared.name, self.title);
            return Err(Error::Unsupported {
                what,
                why: "fragments share an array by its name: give both the same type and length".to_owned(),
            });
        }
        self.declared.push(declared.clone());
        Ok(Slot::Declared(self.declared.len() - 1))
    }

    /// The texture that is an input or the output, if that is one.
    pub(crate) fn texels(&self, slot: Slot) -> Option<Texels> {
        self.binds().find(|bind| bind.slot == slot).and_then(|bind| bind.access.texels())
    }

    /// The textures of all dispatches, and whether they are loaded from.
    pub(super) fn textures(&self) -> impl Iterator<Item = (Texels, bool)> {
        self.binds().filter_map(|bind| Some((bind.access.texels()?, matches!(bind.access, Access::Texture(_)))))
    }

    /// Refuses what only arrays on the host or in buffers can do, where an input or the output is a
    /// texture.
    pub(crate) fn check_arrays(&self, what: &str) -> Result<()> {
        if self.binds().all(|bind| bind.access.texels().is_none()) {
            return Ok(());
        }
        let why = "its input or its output is a texture: bind the textures with `Plan::bind` or `Plan::encode`".to_owned();
        Err(Error::Unsupported { what: format!("{what} `{}`", self.title), why })
    }

    fn binds(&self) -> impl Iterator<Item = &Bind> {
        self.dispatches.iter().flat_map(|dispatch| &dispatch.binds)
    }

    /// Refuses a texture where an operation needs memory: one that it also uses in another way.
    fn check_textures(&self) -> Result<()> {
        for bind in self.binds().filter(|bind| bind.access.texels().is_some()) {
            let is_end = matches!(bind.slot, Slot::Input(_) | Slot::Output);
            if !is_end || self.binds().any(|other| other.slot == bind.slot && other.access != bind.access) {
                let what = format!("a texture as the {} of `{}`", bind.slot, self.title);
                return Err(Error::Unsupported {
                    what,
                    why: "this operation needs an array there, which it also uses as memory".to_owned(),
                });
            }
        }
        Ok(())
    }

    /// Checks every dispatch and array against the limits of a device.
    ///
    /// # Errors
    /// [`Error::LimitExceeded`] for the first limit that is exceeded.
    pub fn check(&self, profile: &DeviceProfile) -> Result<()> {
        let within = |what: &dyn fmt::Display, limit, required, available| {
            error::within(|| format!("`{}`: {what}", self.title), limit, required, available)
        };
        // Textures are in no buffers.
        for (i, input) in self.inputs.iter().enumerate().filter(|(i, _)| self.texels(Slot::Input(*i)).is_none()) {
            input.check(&self.title, crate::gpu::input_name(i), profile)?;
        }
        if self.texels(Slot::Output).is_none() {
            self.output.check(&self.title, "output", profile)?;
        }
        for (i, workspace) in self.workspaces.iter().enumerate() {
            workspace.check(&self.title, &format!("workspace {i}"), profile)?;
        }
        for (i, table) in self.tables.iter().enumerate() {
            let array = Array { len: table.bytes().div_ceil(4) as usize, element_bytes: 4 };
            array.check(&self.title, &format!("table {i}"), profile)?;
        }
        self.check_textures()?;
        for dispatch in &self.dispatches {
            let label = &dispatch.label;
            let limits = ["max_compute_workgroup_size_x", "max_compute_workgroup_size_y", "max_compute_workgroup_size_z"];
            for ((limit, required), available) in limits.into_iter().zip(dispatch.workgroup).zip(profile.workgroup_size) {
                within(&format_args!("{label}"), limit, required.into(), available.into())?;
            }
            within(&format_args!("{label}"), "max_compute_invocations_per_workgroup", dispatch.invocations(), profile.invocations.into())?;
            within(
                &format_args!("{label} (bytes)"),
                "max_compute_workgroup_storage_size",
                dispatch.workgroup_bytes,
                profile.workgroup_bytes.into(),
            )?;
            let arrays = || dispatch.binds.iter().filter(|bind| bind.access.texels().is_none());
            let count = |uniform: bool| arrays().filter(|bind| (bind.access == Access::Uniform) == uniform).count() as u64;
            within(&format_args!("{label}"), "max_storage_buffers_per_shader_stage", count(false), profile.storage_buffers.into())?;
            // The parameters are one more.
            within(&format_args!("{label}"), "max_uniform_buffers_per_shader_stage", count(true) + 1, UNIFORM_BUFFERS)?;
            for bind in arrays() {
                let first = bind.range.map_or(0, |(first, _)| first);
                debug_assert!(first.is_multiple_of(profile.storage_alignment.into()), "{label} binds {} at byte {first}", bind.slot);
                let what = format_args!("{label}, {} (bytes)", bind.slot);
                within(
                    &what,
                    "max_storage_buffer_binding_size",
                    bind.range.map_or(self.bytes(bind.slot), |(_, bytes)| bytes),
                    profile.binding_bytes,
                )?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "program `{}`", self.title)?;
        for (i, workspace) in self.workspaces.iter().enumerate() {
            write!(f, ", workspace{i} {} bytes", workspace.bytes())?;
        }
        for (i, table) in self.tables.iter().enumerate() {
            write!(f, ", table{i} {}", table.label)?;
        }
        for (i, declared) in self.declared.iter().enumerate() {
            write!(f, ", declared{i} `{}` {} bytes", declared.name, declared.array().bytes())?;
        }
        for note in &self.notes {
            write!(f, "\n  {note}")?;
        }
        for (i, dispatch) in self.dispatches.iter().enumerate() {
            write!(f, "\n  {}. {dispatch}", i + 1)?;
        }
        Ok(())
    }
}
