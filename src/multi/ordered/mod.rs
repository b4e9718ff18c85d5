//! Reductions on the host in the order of a device. The dispatches of a program run one after the
//! other and combine every value as the kernels do.
//!
//! The host as a member of a set therefore gives the same bits as the devices, which a sum in
//! another order would not. It is slow.

mod arithmetic;

use std::collections::HashMap;
use std::ops::Range;

use bytemuck::Pod;

use arithmetic::Arithmetic;

use crate::kernels::reduce::{Stage, columns, lines, stage_of, tree};
use crate::kernels::{Dispatch, Slot};
use crate::plan::Program;

/// The bytes of the result of a program, computed from the words of its inputs.
///
/// # Panics
/// If the program is not a reduction, or if its operator is user-defined WGSL.
#[must_use]
pub fn run(program: &Program, inputs: &[Vec<u32>]) -> Vec<u8> {
    let own = [Slot::Output].into_iter().chain((0..program.workspaces.len()).map(Slot::Workspace));
    let mut memory: HashMap<Slot, Vec<u8>> = own.map(|slot| (slot, vec![0; program.bytes(slot) as usize])).collect();
    for dispatch in &program.dispatches {
        let bound = |name: &str| dispatch.binds.iter().find(|bind| bind.name == name);
        let target = bound("output").expect("a reduction has a result").slot;
        let mut output = memory.remove(&target).unwrap_or_default();
        let input = |name: &str| {
            let bind = bound(name)?;
            let all = match bind.slot {
                Slot::Input(i) => bytemuck::cast_slice(&inputs[i]),
                slot => &memory[&slot][..],
            };
            Some(bind.range.map_or(all, |(first, bytes)| &all[first as usize..(first + bytes) as usize]))
        };
        let first = input("input").expect("a reduction reads something");
        let inputs = [first, input("second").unwrap_or(first)];
        let stage = stage_of(dispatch.generated.as_ref().expect("the text of a reduction is generated"));
        arithmetic::run(&Step { dispatch, stage: &stage, inputs }, &mut output);
        memory.insert(target, output);
    }
    memory.remove(&Slot::Output).unwrap_or_default()
}

/// Reads element `place` of an array whose elements have `bytes` bytes. If `T` is longer, the rest
/// is 0.
fn read<T: Pod>(array: &[u8], place: usize, bytes: usize) -> T {
    let mut value = T::zeroed();
    bytemuck::bytes_of_mut(&mut value)[..bytes].copy_from_slice(&array[place * bytes..][..bytes]);
    value
}

/// Both inputs, or the only input twice.
type Inputs<'a> = [&'a [u8]; 2];

/// A dispatch and the arrays that it reads.
struct Step<'a> {
    dispatch: &'a Dispatch,
    stage: &'a Stage,
    inputs: Inputs<'a>,
}

impl Step<'_> {
    fn run<V: Pod>(&self, arithmetic: &Arithmetic<'_, V>, output: &mut [u8]) {
        let params = &self.dispatch.params;
        match self.dispatch.kernel {
            kernel if *kernel == tree::KERNEL => self.tree(bytemuck::pod_read_unaligned(params), arithmetic, output),
            kernel if *kernel == lines::KERNEL => self.lines(&bytemuck::pod_read_unaligned(params), arithmetic, output),
            kernel if *kernel == columns::KERNEL => self.columns(&bytemuck::pod_read_unaligned(params), arithmetic, output),
            other => unreachable!("{other:?} reduces nothing"),
        }
    }

    /// The value at `place` of the input, which is element `j` of those reduced to one.
    fn value<V: Pod>(&self, arithmetic: &Arithmetic<'_, V>, place: usize, j: u32) -> V {
        if self.stage.partial {
            read(self.inputs[0], place, self.stage.source().bytes() as usize)
        } else {
            (arithmetic.map)(self.inputs, place, j)
        }
    }

    fn store<V: Pod>(&self, arithmetic: &Arithmetic<'_, V>, output: &mut [u8], place: u32, value: V) {
        let bytes = self.stage.target().bytes() as usize;
        let target = &mut output[place as usize * bytes..][..bytes];
        if self.stage.last {
            (arithmetic.finish)(value, target);
        } else {
            target.copy_from_slice(&bytemuck::bytes_of(&value)[..bytes]);
        }
    }

    fn tree<V: Pod>(&self, params: tree::Params, arithmetic: &Arithmetic<'_, V>, output: &mut [u8]) {
        let workgroup = self.dispatch.workgroup[0];
        for group in 0..params.partials {
            let own = group * workgroup..params.length.min((group + 1) * workgroup);
            let value = arithmetic.halve(own.map(|j| self.value(arithmetic, j as usize, j)));
            self.store(arithmetic, output, group, value);
        }
    }

    fn lines<V: Pod>(&self, params: &lines::Params, arithmetic: &Arithmetic<'_, V>, output: &mut [u8]) {
        let Stage { width, join, .. } = *self.stage;
        for line in 0..params.lines {
            let base = params.first_access + line % params.block * params.line_stride + line / params.block * params.block_stride;
            let parts = (0..params.parts).map(|part| {
                let begin = part * params.chunk;
                self.part(arithmetic, begin..(begin + params.chunk).min(params.length), width, |i, v| {
                    let access = base + i % params.run + i / params.run * params.run_stride;
                    (access * width + v, params.first_index + i * width + v)
                })
            });
            if join > 0 {
                let mut values = vec![arithmetic.identity; join as usize];
                for (value, own) in parts.zip((0..values.len()).cycle()) {
                    values[own] = (arithmetic.combine)(values[own], value);
                }
                self.store(arithmetic, output, params.first_result + line, arithmetic.halve(values));
            } else {
                for (place, value) in (params.first_result + line * params.parts..).zip(parts) {
                    self.store(arithmetic, output, place, value);
                }
            }
        }
    }

    fn columns<V: Pod>(&self, params: &columns::Params, arithmetic: &Arithmetic<'_, V>, output: &mut [u8]) {
        let width = self.stage.width;
        let columns = params.columns * width;
        for plane in 0..params.planes {
            let base = params.first_access + plane % params.block * params.plane_stride + plane / params.block * params.block_stride;
            for part in 0..params.parts {
                let begin = part * params.chunk;
                for column in 0..columns {
                    let value = self.part(arithmetic, begin..(begin + params.chunk).min(params.rows), 1, |row, _| {
                        let access = base + row % params.run * params.row_stride + row / params.run * params.run_stride;
                        (access * width + column, params.first_index + row)
                    });
                    let place = params.first_result + (plane * params.parts + part) * columns + column;
                    self.store(arithmetic, output, place, value);
                }
            }
        }
    }

    /// Combines the accesses of a part in the order of the device: first those of each lane and
    /// accumulator, then the `width` elements of an access, the accumulators and the lanes by
    /// halves. `at(i, v)` is the place and the index of element `v` of access `i`.
    fn part<V: Pod>(&self, arithmetic: &Arithmetic<'_, V>, accesses: Range<u32>, width: u32, at: impl Fn(u32, u32) -> (u32, u32)) -> V {
        let Stage { lanes, accumulators, .. } = *self.stage;
        let own = |first: u32, v: u32| {
            let accesses = (accesses.start + first..accesses.end).step_by((lanes * accumulators) as usize);
            accesses.fold(arithmetic.identity, |value, i| {
                let (place, j) = at(i, v);
                (arithmetic.combine)(value, self.value(arithmetic, place as usize, j))
            })
        };
        let of_accumulator = |first| arithmetic.halve((0..width).map(|v| own(first, v)));
        let of_lane = |lane| arithmetic.halve((0..accumulators).map(|a| of_accumulator(a * lanes + lane)));
        arithmetic.halve((0..lanes).map(of_lane))
    }
}
