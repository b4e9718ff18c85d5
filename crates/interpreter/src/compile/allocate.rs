//! Lets scalars that are never needed at the same time share a register.
//!
//! Programs are straight-line but for loops, so a scalar lives from the first instruction that
//! names it to the last; to the end of a loop, if it is named inside and comes from before.
//! Registers of a group of invocations then fit into a processor's cache.

use std::collections::HashMap;

use crate::ops::Reg;
use crate::program::{Access, Instr, Program, Root};

use super::Unit;

pub(super) fn allocate(program: &mut Program, units: &[Unit], loops: &[(u32, u32)]) {
    // The unit of each register.
    let mut unit_of = vec![0u32; program.registers as usize];
    for (i, unit) in units.iter().enumerate() {
        unit_of[unit.first as usize..(unit.first + unit.words) as usize].fill(i as u32);
    }
    let mut first = vec![u32::MAX; units.len()];
    let mut last = vec![0u32; units.len()];
    let outermost = outermost_loops(program.code.len(), loops);
    for (at, instr) in program.code.iter_mut().enumerate() {
        let at = at as u32;
        registers(instr, &mut program.accesses, &mut |register, _| {
            let unit = unit_of[*register as usize] as usize;
            if first[unit] == u32::MAX {
                first[unit] = at;
            }
            let end = if first[unit] == at { at } else { reach(&outermost, loops, first[unit], at) };
            last[unit] = last[unit].max(end);
        });
    }
    let new = assign(units, &first, &last);
    let rename = |register: &mut Reg| {
        let unit = unit_of[*register as usize] as usize;
        *register = new.places[unit] + (*register - units[unit].first);
    };
    let mut accesses = std::mem::take(&mut program.accesses);
    for instr in &mut program.code {
        registers(instr, &mut [], &mut |register, _| rename(register));
    }
    for access in &mut accesses {
        access_registers(access, &mut |register, _| rename(register));
    }
    program.accesses = accesses;
    program.constants.iter_mut().for_each(|(register, _)| rename(register));
    program.builtins.iter_mut().for_each(|(register, _)| rename(register));
    program.registers = new.registers;
}

/// For each instruction the innermost loop that contains it, and for each loop the one around it.
struct Nest {
    innermost: Vec<u32>,
    around: Vec<u32>,
}

const NONE: u32 = u32::MAX;

fn outermost_loops(instructions: usize, loops: &[(u32, u32)]) -> Nest {
    let mut innermost = vec![NONE; instructions];
    let mut around = vec![NONE; loops.len()];
    // Loops are listed when they end: an inner one before the one around it.
    let mut order: Vec<usize> = (0..loops.len()).collect();
    order.sort_by_key(|&i| (loops[i].0, u32::MAX - loops[i].1));
    let mut open: Vec<usize> = Vec::new();
    let mut next = 0;
    for (at, slot) in innermost.iter_mut().enumerate() {
        while open.last().is_some_and(|&i| loops[i].1 < at as u32) {
            open.pop();
        }
        while next < order.len() && loops[order[next]].0 == at as u32 {
            around[order[next]] = open.last().map_or(NONE, |&i| i as u32);
            open.push(order[next]);
            next += 1;
        }
        *slot = open.last().map_or(NONE, |&i| i as u32);
    }
    Nest { innermost, around }
}

/// How far what was first named at `first` must live if it is named at `at`.
fn reach(nest: &Nest, loops: &[(u32, u32)], first: u32, at: u32) -> u32 {
    let mut end = at;
    let mut inner = nest.innermost[at as usize];
    while inner != NONE && loops[inner as usize].0 > first {
        end = loops[inner as usize].1;
        inner = nest.around[inner as usize];
    }
    end
}

struct Assignment {
    places: Vec<Reg>,
    registers: u32,
}

fn assign(units: &[Unit], first: &[u32], last: &[u32]) -> Assignment {
    let mut places = vec![0; units.len()];
    let mut registers = 0;
    for (i, unit) in units.iter().enumerate() {
        if unit.pinned {
            places[i] = registers;
            registers += unit.words;
        }
    }
    let mut starts: Vec<usize> = (0..units.len()).filter(|&i| !units[i].pinned && first[i] != NONE && units[i].words > 0).collect();
    starts.sort_by_key(|&i| first[i]);
    // Free runs of registers by their length, and units in use by where they end.
    let mut free: HashMap<u32, Vec<Reg>> = HashMap::new();
    let mut ends: std::collections::BinaryHeap<std::cmp::Reverse<(u32, usize)>> = Default::default();
    for i in starts {
        while let Some(&std::cmp::Reverse((end, done))) = ends.peek() {
            if end >= first[i] {
                break;
            }
            ends.pop();
            free.entry(units[done].words).or_default().push(places[done]);
        }
        places[i] = free.get_mut(&units[i].words).and_then(Vec::pop).unwrap_or_else(|| {
            registers += units[i].words;
            registers - units[i].words
        });
        ends.push(std::cmp::Reverse((last[i], i)));
    }
    Assignment { places, registers }
}

/// Calls `f` with every register that an instruction names. Of a run of registers it names the
/// first, or each.
fn registers(instr: &mut Instr, accesses: &mut [Access], f: &mut impl FnMut(&mut Reg, ())) {
    let mut each = |registers: &mut [Reg]| registers.iter_mut().for_each(|r| f(r, ()));
    match instr {
        Instr::Compute { r, .. } | Instr::Wrapping { r, .. } | Instr::Resize { r, .. } => each(r),
        Instr::Move { to, from, .. } => {
            each(std::slice::from_mut(from));
            each(std::slice::from_mut(to));
        }
        Instr::Select { to, condition, accept, reject } => [condition, accept, reject, to].into_iter().for_each(|r| f(r, ())),
        Instr::Pick { to, from, index, .. } => {
            each(from);
            f(index, ());
            f(to, ());
        }
        Instr::Check { a, b, .. } => [a, b].into_iter().for_each(|r| f(r, ())),
        Instr::Load { access, to } => {
            f(to, ());
            if let Some(access) = accesses.get_mut(*access as usize) {
                access_registers(access, f);
            }
        }
        Instr::Store { access, from } => {
            each(from);
            if let Some(access) = accesses.get_mut(*access as usize) {
                access_registers(access, f);
            }
        }
        Instr::Atomic { access, value, compare, result, exchanged, .. } => {
            [value, compare, result, exchanged].into_iter().for_each(|r| f(r, ()));
            if let Some(access) = accesses.get_mut(*access as usize) {
                access_registers(access, f);
            }
        }
        Instr::ArrayLength { to, .. } => f(to, ()),
        Instr::If { condition, .. } => f(condition, ()),
        Instr::EndLoop { condition: Some(condition), .. } => f(condition, ()),
        Instr::Switch { selector, .. } | Instr::Case { selector, .. } => f(selector, ()),
        Instr::Gather { to, from, index, .. } => [to, from, index].into_iter().for_each(|r| f(r, ())),
        Instr::Combine { to, from, .. } => [to, from].into_iter().for_each(|r| f(r, ())),
        Instr::Ballot { to, predicate, .. } => [to, predicate].into_iter().for_each(|r| f(r, ())),
        Instr::Else { .. }
        | Instr::EndIf { .. }
        | Instr::Loop { .. }
        | Instr::Continuing { .. }
        | Instr::EndLoop { condition: None, .. }
        | Instr::EndSwitch { .. }
        | Instr::Leave { .. }
        | Instr::Join { .. }
        | Instr::Call { .. }
        | Instr::EndCall { .. }
        | Instr::Barrier { .. }
        | Instr::SubgroupBarrier { .. }
        | Instr::End => {}
    }
}

fn access_registers(access: &mut Access, f: &mut impl FnMut(&mut Reg, ())) {
    if let Root::Registers(first) = &mut access.root {
        f(first, ());
    }
    access.steps.iter_mut().for_each(|step| f(&mut step.index, ()));
}
