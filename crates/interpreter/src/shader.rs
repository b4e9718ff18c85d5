//! Shaders, entry points and compiled kernels.

use std::sync::Arc;

use naga::ShaderStage;
use naga::back::pipeline_constants::process_overrides;
use naga::front::wgsl;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use crate::compile;
use crate::config::Config;
use crate::error::Error;
use crate::machine;
use crate::memory::{Binding, Memory};
use crate::program::Program;
use crate::report::Report;

/// A WGSL text that naga has accepted.
#[derive(Clone, Debug)]
pub struct Shader {
    module: Arc<naga::Module>,
    info: Arc<ModuleInfo>,
    source: Arc<str>,
}

impl Shader {
    /// Parses and validates a WGSL text.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with naga's message.
    pub fn new(source: &str) -> Result<Self, Error> {
        let module = wgsl::parse_str(source).map_err(|e| Error::Invalid(e.emit_to_string(source)))?;
        let info = Validator::new(ValidationFlags::all(), Capabilities::all())
            .validate(&module)
            .map_err(|e| Error::Invalid(e.emit_to_string(source)))?;
        Ok(Self { module: Arc::new(module), info: Arc::new(info), source: source.into() })
    }

    /// The names of the compute entry points.
    pub fn entry_points(&self) -> impl Iterator<Item = &str> {
        self.module.entry_points.iter().filter(|e| e.stage == ShaderStage::Compute).map(|e| e.name.as_str())
    }

    /// The compute entry point with this name.
    ///
    /// # Errors
    ///
    /// [`Error::NoEntryPoint`].
    pub fn entry(&self, name: &str) -> Result<EntryPoint<'_>, Error> {
        if self.entry_points().any(|e| e == name) {
            return Ok(EntryPoint { shader: self, name: name.to_owned(), overrides: Default::default() });
        }
        let available = self.entry_points().collect::<Vec<_>>().join(", ");
        Err(Error::NoEntryPoint { name: name.to_owned(), available })
    }
}

/// A compute entry point with values for its overrides.
#[derive(Clone, Debug)]
#[must_use]
pub struct EntryPoint<'s> {
    shader: &'s Shader,
    name: String,
    overrides: naga::back::PipelineConstants,
}

impl EntryPoint<'_> {
    /// Sets the override with this name or `@id`.
    pub fn with_override(mut self, name: &str, value: f64) -> Self {
        self.overrides.insert(name.to_owned(), value);
        self
    }

    /// Sets several overrides.
    pub fn with_overrides<'n>(self, values: impl IntoIterator<Item = (&'n str, f64)>) -> Self {
        values.into_iter().fold(self, |entry, (name, value)| entry.with_override(name, value))
    }

    /// Compiles the entry point.
    ///
    /// # Errors
    ///
    /// [`Error::Overrides`] if a value does not fit or is missing. [`Error::Unsupported`] if the
    /// shader uses a feature that the interpreter does not support.
    pub fn compile(self) -> Result<Kernel, Error> {
        let shader = self.shader;
        let stage = Some((ShaderStage::Compute, self.name.as_str()));
        let (module, info) = process_overrides(&shader.module, &shader.info, stage, &self.overrides)
            .map_err(|e| Error::Overrides(std::error::Error::source(&e).map_or(e.to_string(), |source| format!("{e}: {source}"))))?;
        let entry = module.entry_points.iter().position(|e| e.stage == ShaderStage::Compute && e.name == self.name);
        let entry = entry.ok_or_else(|| Error::NoEntryPoint { name: self.name.clone(), available: String::new() })?;
        let program = compile::compile(&module, &info, entry, &shader.source)?;
        Ok(Kernel { program: Arc::new(program) })
    }
}

/// A compiled entry point. It can run any number of times.
#[derive(Clone, Debug)]
pub struct Kernel {
    program: Arc<Program>,
}

impl Kernel {
    /// Runs `grid` workgroups and reports what it found. Buffers keep what was written to them, and
    /// remember which bytes were written.
    ///
    /// # Errors
    ///
    /// If a binding is missing or too short, or a setting is impossible. Then nothing has run.
    pub fn dispatch(&self, grid: [u32; 3], memory: &mut Memory, bindings: &[Binding], config: &Config) -> Result<Report, Error> {
        machine::dispatch(&self.program, grid, memory, bindings, config)
    }

    /// Number of invocations in a workgroup along each axis.
    pub fn workgroup_size(&self) -> [u32; 3] {
        self.program.workgroup_size
    }

    /// The bindings that the entry point uses: group, binding number and name of the variable.
    pub fn bindings(&self) -> impl Iterator<Item = (u32, u32, &str)> {
        self.program.slots.iter().filter_map(|slot| slot.binding.map(|(group, binding)| (group, binding, &*slot.name)))
    }

    /// Number of instructions of the compiled program.
    pub fn instructions(&self) -> usize {
        self.program.code.len()
    }
}
