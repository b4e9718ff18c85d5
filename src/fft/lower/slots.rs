//! Which arrays hold what lies between passes.

use crate::fft::chain::state::State;
use crate::fft::chain::step::SubTransform;
use crate::fft::lower::Lowering;
use crate::fft::spec::kind::{End, Kind};
use crate::kernels::Slot;
use crate::plan::Array;
use std::collections::HashSet;

impl Lowering<'_> {
    /// The slots that hold the array before the first pass, between passes, and after the last one.
    /// Uses as few workspaces as possible and adds them to the program.
    pub(super) fn slots(&mut self, steps: &[SubTransform<'_>]) -> Vec<Slot> {
        let ([first, output], before) = (self.ends, self.program.workspaces.len());
        // The output can hold a state whose elements lie where its own do. If it has no gaps, it
        // can hold any state that is not larger.
        let (output_bytes, element_bytes) = (self.program.bytes(output), self.element_bytes());
        // What is stored to a texture is not loaded again.
        let is_texture = self.transform.form_of(End::Output).texels().is_some();
        let held_by_output = |state: &State| {
            let held =
                || self.geometry.output_filled && self.transform.kind != Kind::C2r && state.bytes(self.transform.number) <= output_bytes;
            !is_texture && (state.in_output || held())
        };
        // The last slot may also be a workspace that the program already had.
        let own_workspace = |slot: &Slot| if let Slot::Workspace(w) = slot { w.checked_sub(before) } else { None };
        // The possible continuations depend only on where the array is and how many workspaces
        // exist, not on how the array got there.
        let search = |most: usize| {
            let mut open = vec![vec![first]];
            let mut seen = HashSet::new();
            while let Some(slots) = open.pop() {
                let i = slots.len() - 1;
                let used = slots[1..].iter().filter_map(own_workspace).max().map_or(0, |own| own + 1);
                if i == steps.len() {
                    return Some((used, slots));
                }
                if !seen.insert((i, slots[i], used)) {
                    continue;
                }
                let last = i + 1 == steps.len();
                let mut choices = Vec::new();
                if !last {
                    choices.extend((0..(used + 1).min(most)).rev().map(|own| Slot::Workspace(before + own)));
                }
                if last || held_by_output(&steps[i].states[1]) {
                    choices.push(output);
                }
                for slot in choices {
                    if slot != slots[i] || steps[i].keeps_positions() {
                        open.push(slots.iter().copied().chain([slot]).collect());
                    }
                }
            }
            None
        };
        // A single in-place pass keeps positions (`Builder::add_copy_back`). With several passes,
        // each can write to one of two workspaces, and the last one to the output.
        let (workspaces, slots) = (0..=2).find_map(search).expect("two workspaces are always enough");
        let mut sizes = vec![0; workspaces];
        for (step, slot) in steps.iter().zip(&slots[1..]) {
            if let Some(own) = own_workspace(slot) {
                // In complex numbers, of which two reals take the bytes of one.
                let bytes = step.states[1].bytes(self.transform.number);
                sizes[own] = sizes[own].max(bytes.div_ceil(element_bytes) as usize);
            }
        }
        self.program.workspaces.extend(sizes.into_iter().map(|len| Array { len, element_bytes: element_bytes as usize }));
        slots
    }
}
