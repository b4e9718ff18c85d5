//! Programs made of others.

use super::Array;
use super::program::Program;
use crate::error::Result;
use crate::gpu::in_units;
use crate::kernels::Slot;

impl Program {
    /// Adds all that another program does, with its inputs and its output in these arrays. They may
    /// be longer than what it takes.
    pub(crate) fn embed(&mut self, part: Self, inputs: &[Slot], output: Slot) -> Result<()> {
        let before = self.workspaces.len();
        let tables: Vec<Slot> = part.tables.into_iter().map(|table| self.table(table)).collect();
        let declared = part.declared.iter().map(|own| self.declare(own)).collect::<Result<Vec<_>>>()?;
        self.workspaces.extend(part.workspaces);
        self.notes.extend(part.notes);
        for mut dispatch in part.dispatches {
            for bind in &mut dispatch.binds {
                bind.slot = match bind.slot {
                    Slot::Input(i) => inputs[i],
                    Slot::Output => output,
                    Slot::Workspace(i) => Slot::Workspace(before + i),
                    Slot::Table(i) => tables[i],
                    Slot::Declared(i) => declared[i],
                };
            }
            self.dispatches.push(dispatch);
        }
        Ok(())
    }

    /// Adds a workspace.
    pub(crate) fn workspace(&mut self, array: Array) -> Slot {
        self.workspaces.push(array);
        Slot::Workspace(self.workspaces.len() - 1)
    }

    /// The first and the last dispatch that use each workspace, if there is one and the workspace
    /// need not begin as zeros.
    fn lifetimes(&self) -> Vec<Option<[usize; 2]>> {
        let of_workspace = |i: usize| {
            let slot = Slot::Workspace(i);
            let uses = |dispatch: &&crate::kernels::Dispatch| dispatch.binds.iter().any(|bind| bind.slot == slot);
            let first = self.dispatches.iter().position(|dispatch| uses(&dispatch))?;
            let last = self.dispatches.iter().rposition(|dispatch| uses(&dispatch))?;
            (!self.begins_as_zeros(slot)).then_some([first, last])
        };
        (0..self.workspaces.len()).map(of_workspace).collect()
    }

    /// Keeps arrays that are never needed at the same time in the same memory.
    ///
    /// In the order in which workspaces are first used, each takes the place of one that is no
    /// longer needed: of those, the smallest that is large enough, or else the largest.
    pub(crate) fn share_workspaces(mut self) -> Self {
        let lifetimes = self.lifetimes();
        let mut order: Vec<usize> = (0..self.workspaces.len()).collect();
        order.sort_by_key(|&i| lifetimes[i].map_or(0, |[first, _]| first));
        // Each place is as large as the largest array that is ever there. The last use is None for
        // arrays that are shared with none.
        let mut places: Vec<(Array, Option<usize>)> = Vec::new();
        let mut moved = vec![0; self.workspaces.len()];
        for i in order {
            let array = self.workspaces[i];
            let free = lifetimes[i].and_then(|[first, _]| {
                let is_free = |place: &usize| places[*place].1.is_some_and(|last| last < first);
                let fit = |place: &usize| {
                    let bytes = places[*place].0.bytes();
                    if bytes >= array.bytes() { (0, bytes) } else { (1, u64::MAX - bytes) }
                };
                (0..places.len()).filter(is_free).min_by_key(fit)
            });
            let last = lifetimes[i].map(|[_, last]| last);
            if let Some(place) = free {
                let (held, end) = &mut places[place];
                if held.bytes() < array.bytes() {
                    *held = array;
                }
                *end = last;
                moved[i] = place;
            } else {
                moved[i] = places.len();
                places.push((array, last));
            }
        }
        for bind in self.dispatches.iter_mut().flat_map(|dispatch| &mut dispatch.binds) {
            let Slot::Workspace(i) = bind.slot else { continue };
            bind.slot = Slot::Workspace(moved[i]);
            // An array in a larger one may fit a binding where that one does not.
            if bind.range.is_none() && places[moved[i]].0.bytes() > self.workspaces[i].bytes() {
                bind.range = Some((0, in_units(self.workspaces[i].bytes())));
            }
        }
        self.workspaces = places.into_iter().map(|(array, _)| array).collect();
        self
    }
}
