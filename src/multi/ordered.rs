//! Reductions on the host in the order of a device: the dispatches of a program one after the other, every value combined as the kernels combine it.
//!
//! The host as a member of a set gives the bits that devices give, which a sum in another order would not. It is slow.

use std::collections::HashMap;

use crate::element::Element;
use crate::error::{Error, Result};
use crate::gpu::collect;
use crate::kernels::reduce::operator::{Kind, Operator, Words};
use crate::kernels::reduce::{Stage, columns, lines, stage_of, tree};
use crate::kernels::{Dispatch, Slot};
use crate::plan::Program;

/// The arrays of a program as words.
type Memory = HashMap<Slot, Vec<u32>>;

/// Runs the program of a reduction whose operator is not the caller's.
pub(super) fn run<I: Element, O: Element>(program: &Program, inputs: &[Vec<I>]) -> Result<Vec<O>> {
    program.check_inputs(inputs.len())?;
    if let Some(input) = inputs.iter().find(|input| input.len() != program.input.len) {
        return Err(Error::WrongLen { argument: "input", expected: program.input.len, actual: input.len() });
    }
    let mut memory = Memory::new();
    memory.extend([Slot::Input, Slot::Second].into_iter().zip(inputs.iter().map(|input| bytemuck::pod_collect_to_vec(input))));
    let others = [Slot::Output].into_iter().chain((0..program.workspaces.len()).map(Slot::Workspace));
    memory.extend(others.map(|slot| (slot, vec![0; program.bytes(slot) as usize / 4])));
    for dispatch in &program.dispatches {
        match dispatch.kernel {
            kernel if *kernel == tree::KERNEL => tree(dispatch, &mut memory),
            kernel if *kernel == lines::KERNEL => lines(dispatch, &mut memory),
            kernel if *kernel == columns::KERNEL => columns(dispatch, &mut memory),
            other => unreachable!("{other:?} reduces nothing"),
        }
    }
    Ok(collect(bytemuck::cast_slice(&memory[&Slot::Output]), program.output.len))
}

/// The inputs and the output of a dispatch.
fn with_arrays(dispatch: &Dispatch, memory: &mut Memory, work: impl FnOnce(&Stage, &[Option<&[u32]>; 2], &mut [u32])) {
    let stage = stage_of(dispatch.generated.as_ref().expect("the text of a reduction is generated"));
    let slot = |name: &str| {
        let bind = dispatch.binds.iter().find(|bind| bind.name == name)?;
        Some((bind.slot, bind.range))
    };
    let (slot_of_output, _) = slot("output").expect("a reduction has a result");
    let mut output = memory.remove(&slot_of_output).unwrap_or_default();
    let input = |name: &str| {
        let (slot, range) = slot(name)?;
        let words = &memory[&slot];
        Some(range.map_or(&words[..], |(first, bytes)| &words[first as usize / 4..(first + bytes) as usize / 4]))
    };
    work(&stage, &[input("input"), input("second")], &mut output);
    memory.insert(slot_of_output, output);
}

/// The value of the element at `place` of the input, which is element `j` of what is reduced.
fn element(stage: &Stage, inputs: &[Option<&[u32]>; 2], place: usize, j: u32) -> Words {
    let [x, y] = inputs.map(|input| input.map_or([0; 4], |input| read(input, stage.source(), place)));
    if stage.partial { x } else { stage.operator.map(x, y, j) }
}

fn store(stage: &Stage, output: &mut [u32], place: usize, value: Words) {
    let words = stage.target().bytes() as usize / 4;
    let result = if stage.last { stage.operator.finish(value) } else { value };
    output[place * words..][..words].copy_from_slice(&result[..words]);
}

fn read(array: &[u32], kind: Kind, place: usize) -> Words {
    let mut words = [0; 4];
    match kind {
        Kind::F16 => words[0] = array[place / 2] >> (place % 2 * 16) & 0xffff,
        _ => {
            let count = kind.bytes() as usize / 4;
            words[..count].copy_from_slice(&array[place * count..][..count]);
        }
    }
    words
}

/// Combines values as all kernels do: the first half with the second, and so on. Those past the end take no part.
fn halve(operator: &Operator, mut values: Vec<Words>) -> Words {
    let mut count = values.len().next_power_of_two();
    values.resize(count, operator.nothing());
    while count > 1 {
        count /= 2;
        for i in 0..count {
            values[i] = operator.combine(values[i], values[i + count]);
        }
    }
    values[0]
}

fn tree(dispatch: &Dispatch, memory: &mut Memory) {
    let workgroup = dispatch.workgroup[0] as usize;
    let tree::Params { length, .. } = bytemuck::pod_read_unaligned(&dispatch.params);
    with_arrays(dispatch, memory, |stage, inputs, output| {
        for (g, first) in (0..length).step_by(workgroup).enumerate() {
            let own = first..length.min(first + workgroup as u32);
            let values = own.map(|j| element(stage, inputs, j as usize, j)).collect();
            store(stage, output, g, halve(&stage.operator, values));
        }
    });
}

fn lines(dispatch: &Dispatch, memory: &mut Memory) {
    let params: lines::Params = bytemuck::pod_read_unaligned(&dispatch.params);
    with_arrays(dispatch, memory, |stage, inputs, output| {
        for line in 0..params.lines {
            let base = params.first_access + line % params.block * params.line_stride + line / params.block * params.block_stride;
            let parts = (0..params.parts).map(|part| part_of_line(stage, &params, inputs, base, part));
            if stage.join > 0 {
                let mut values = vec![stage.operator.nothing(); stage.join as usize];
                parts.enumerate().for_each(|(part, value)| {
                    let own = &mut values[part % stage.join as usize];
                    *own = stage.operator.combine(*own, value);
                });
                store(stage, output, (params.first_result + line) as usize, halve(&stage.operator, values));
            } else {
                parts.enumerate().for_each(|(part, value)| {
                    store(stage, output, (params.first_result + line * params.parts) as usize + part, value);
                });
            }
        }
    });
}

/// In the order of the device: rows of lanes, then elements of an access, accumulators and lanes by halves.
fn part_of_line(stage: &Stage, params: &lines::Params, inputs: &[Option<&[u32]>; 2], base: u32, part: u32) -> Words {
    let Stage { operator, width, lanes, accumulators, .. } = stage;
    let begin = part * params.chunk;
    let end = (begin + params.chunk).min(params.length);
    let of_lane = |lane: u32| {
        let of_accumulator = |a: u32| {
            let of_element = |v: u32| {
                let own = (begin + a * lanes + lane..end).step_by((lanes * accumulators) as usize);
                own.fold(operator.nothing(), |value, i| {
                    let place = base + i % params.run + i / params.run * params.run_stride;
                    let j = params.first_index + i * width + v;
                    operator.combine(value, element(stage, inputs, (place * width + v) as usize, j))
                })
            };
            halve(operator, (0..*width).map(of_element).collect())
        };
        halve(operator, (0..*accumulators).map(of_accumulator).collect())
    };
    halve(operator, (0..*lanes).map(of_lane).collect())
}

fn columns(dispatch: &Dispatch, memory: &mut Memory) {
    let params: columns::Params = bytemuck::pod_read_unaligned(&dispatch.params);
    with_arrays(dispatch, memory, |stage, inputs, output| {
        let columns = params.columns * stage.width;
        for plane in 0..params.planes {
            let base = params.first_access + plane % params.block * params.plane_stride + plane / params.block * params.block_stride;
            for part in 0..params.parts {
                for column in 0..columns {
                    let value = part_of_column(stage, &params, inputs, base * stage.width + column, part);
                    let row = plane * params.parts + part;
                    store(stage, output, (params.first_result + row * columns + column) as usize, value);
                }
            }
        }
    });
}

/// In the order of the device: the rows of each accumulator, then accumulators and lanes by halves.
fn part_of_column(stage: &Stage, params: &columns::Params, inputs: &[Option<&[u32]>; 2], base: u32, part: u32) -> Words {
    let Stage { operator, width, lanes, accumulators, .. } = stage;
    let begin = part * params.chunk;
    let end = (begin + params.chunk).min(params.rows);
    let of_lane = |lane: u32| {
        let of_accumulator = |a: u32| {
            let own = (begin + a * lanes + lane..end).step_by((lanes * accumulators) as usize);
            own.fold(operator.nothing(), |value, r| {
                let place = base + (r % params.run * params.row_stride + r / params.run * params.run_stride) * width;
                operator.combine(value, element(stage, inputs, place as usize, params.first_index + r))
            })
        };
        halve(operator, (0..*accumulators).map(of_accumulator).collect())
    };
    halve(operator, (0..*lanes).map(of_lane).collect())
}
