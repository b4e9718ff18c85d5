//! What a kernel's host mirror sees of its dispatch.

use super::{Bind, Dispatch, Value};

/// A dispatch with its arrays as words on the host.
pub struct HostCall<'a> {
    /// The dispatch.
    pub dispatch: &'a Dispatch,
    buffers: Vec<(&'a Bind, Vec<u32>)>,
}

impl<'a> HostCall<'a> {
    /// Takes the array behind every binding from `fetch`.
    pub fn new(dispatch: &'a Dispatch, mut fetch: impl FnMut(&Bind) -> Vec<u32>) -> Self {
        Self { dispatch, buffers: dispatch.binds.iter().map(|bind| (bind, fetch(bind))).collect() }
    }

    /// Hands the arrays back.
    pub fn into_buffers(self) -> impl Iterator<Item = (&'a Bind, Vec<u32>)> {
        self.buffers.into_iter()
    }

    /// The parameters, as their Rust twin.
    #[must_use]
    pub fn params<P: bytemuck::Pod>(&self) -> P {
        bytemuck::pod_read_unaligned(&self.dispatch.params)
    }

    /// The value of a u32 override.
    ///
    /// # Panics
    /// If the dispatch gives it no u32 value, which is a mistake in this crate.
    #[must_use]
    pub fn constant(&self, name: &str) -> usize {
        match self.value(name) {
            Some(Value::U32(value)) => value as usize,
            other => panic!("override {name} of {:?} is {other:?}", self.dispatch.kernel),
        }
    }

    /// The value of a bool override; false if it has none.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        self.value(name) == Some(Value::Bool(true))
    }

    fn value(&self, name: &str) -> Option<Value> {
        self.dispatch.overrides.iter().find(|(own, _)| *own == name).map(|&(_, value)| value)
    }

    /// The array of a binding.
    ///
    /// # Panics
    /// If there is no such binding, which is a mistake in this crate.
    #[must_use]
    pub fn buffer(&self, name: &str) -> &[u32] {
        let (_, buffer) = self.buffers.iter().find(|(bind, _)| bind.name == name).unwrap_or_else(|| panic!("no binding {name}"));
        buffer
    }

    /// The array of a binding, if there is one of this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&[u32]> {
        self.buffers.iter().find(|(bind, _)| bind.name == name).map(|(_, buffer)| buffer.as_slice())
    }

    /// Writes an array to the bindings of these names that there are, one after the other.
    pub fn scatter(&mut self, names: [&[&str]; 2], mut from: &[f32]) {
        for name in names.into_iter().flatten() {
            if let Some((_, buffer)) = self.buffers.iter_mut().find(|(bind, _)| bind.name == *name) {
                let (own, rest) = from.split_at(buffer.len());
                buffer.copy_from_slice(bytemuck::cast_slice(own));
                from = rest;
            }
        }
    }

    /// What the kernel reads as its input: `input`, or `data` in place.
    #[must_use]
    pub fn input(&self) -> Vec<u32> {
        self.buffers.iter().find(|(bind, _)| matches!(bind.name, "input" | "data")).map(|(_, buffer)| buffer.clone()).unwrap_or_default()
    }

    /// What the kernel writes: `output`, or `data` in place.
    ///
    /// # Panics
    /// If it writes nothing, which is a mistake in this crate.
    pub fn output(&mut self) -> &mut [u32] {
        let (_, buffer) =
            self.buffers.iter_mut().find(|(bind, _)| matches!(bind.name, "output" | "data")).expect("a kernel writes something");
        buffer
    }
}
