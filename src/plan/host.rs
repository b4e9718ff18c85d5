//! Runs a program on the kernels' host mirrors: slow, for tests without a GPU.

use std::collections::HashMap;

use super::{Placement, Program};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::gpu::collect;
use crate::kernels::{Access, Bind, HostCall, Slot};

/// What arrays hold that nobody has written: the bits of a NaN that no arithmetic makes.
const UNWRITTEN: u32 = 0x7fc0_dead;

impl Program {
    /// Runs the program on the host and returns its output.
    ///
    /// It checks the dispatches, their order, parameters, overrides, grids and bindings, not the WGSL. Output and workspaces start as NaN.
    ///
    /// # Errors
    /// [`Error::WrongLen`] if the input has another length, or the elements another size; [`Error::WrongInputs`];
    /// [`Error::Unsupported`] for operators of the caller's, which are WGSL.
    pub fn run_on_host<I: Element, O: Element>(&self, input: &[I]) -> Result<Vec<O>> {
        self.run_on_host_with(input, None)
    }

    /// As [`run_on_host`](Self::run_on_host), of a program with two inputs.
    ///
    /// # Errors
    /// As [`run_on_host`](Self::run_on_host).
    pub fn run_two_on_host<I: Element, O: Element>(&self, x: &[I], y: &[I]) -> Result<Vec<O>> {
        self.run_on_host_with(x, Some(y))
    }

    fn run_on_host_with<I: Element, O: Element>(&self, input: &[I], second: Option<&[I]>) -> Result<Vec<O>> {
        self.check_inputs(1 + usize::from(second.is_some()))?;
        if self.dispatches.iter().filter_map(|dispatch| dispatch.generated.as_ref()).any(|generated| !generated.form.has_mirror()) {
            let why = "it holds WGSL of the caller's, which only a device runs".to_owned();
            return Err(Error::Unsupported { what: format!("`{}` on the host", self.title), why });
        }
        for (argument, expected, actual) in [
            ("input (bytes of an element)", self.input.element_bytes, size_of::<I>()),
            ("output (bytes of an element)", self.output.element_bytes, size_of::<O>()),
        ] {
            if expected != actual {
                return Err(Error::WrongLen { argument, expected, actual });
            }
        }
        for (argument, data) in [("input", Some(input)), ("second", second)] {
            if let Some(actual) = data.map(<[_]>::len).filter(|&len| len != self.input.len) {
                return Err(Error::WrongLen { argument, expected: self.input.len, actual });
            }
        }
        let words = |bytes: u64| vec![UNWRITTEN; bytes as usize / 4];
        let first = if self.placement == Placement::InPlace { Slot::Output } else { Slot::Input };
        let mut memory: HashMap<Slot, Vec<u32>> = HashMap::new();
        memory.insert(Slot::Output, words(self.bytes(Slot::Output)));
        memory.insert(first, bytemuck::pod_collect_to_vec(input));
        memory.extend(second.map(|second| (Slot::Second, bytemuck::pod_collect_to_vec(second))));
        memory.extend((0..self.workspaces.len()).map(|i| (Slot::Workspace(i), words(self.workspaces[i].bytes()))));
        memory.extend(self.tables.iter().enumerate().map(|(i, table)| (Slot::Table(i), table.words())));
        for dispatch in &self.dispatches {
            let words = |bind: &Bind| {
                let (first, bytes) = bind.range.unwrap_or((0, self.bytes(bind.slot)));
                first as usize / 4..(first + bytes) as usize / 4
            };
            let mut call = HostCall::new(dispatch, |bind| memory[&bind.slot][words(bind)].to_vec());
            (dispatch.kernel.mirror)(&mut call);
            for (bind, buffer) in call.into_buffers().filter(|(bind, _)| bind.access == Access::ReadWrite) {
                memory.get_mut(&bind.slot).expect("it was bound")[words(bind)].copy_from_slice(&buffer);
            }
        }
        Ok(collect(bytemuck::cast_slice(&memory[&Slot::Output]), self.output.len))
    }
}
