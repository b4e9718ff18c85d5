//! One instruction after another.

use crate::ops::integer::bad_divisor;
use crate::ops::{BLOCK, Kind, LANES, LaneMask, Reg, convert, float};
use crate::program::{Check, Instr, SiteId};
use crate::report::FindingKind;

use super::Machine;
use super::group::{Group, State, lanes};

/// Turns of loops after which the other groups get a chance, in case this one waits for them.
const TURNS_AT_A_TIME: u64 = 4096;

impl Machine<'_> {
    /// Runs a group until it waits for others or is done.
    pub(super) fn run_group(&mut self, g: &mut Group) {
        let program = self.program;
        loop {
            let at = g.at;
            g.at += 1;
            self.steps += 1;
            match program.code[at] {
                Instr::Compute { kernel, r, float } => {
                    kernel(&mut g.registers, r);
                    if g.marked {
                        g.join_marks(&r);
                        g.wrapped[r[0] as usize] = 0;
                    }
                    if self.config.flush_denormals
                        && let Some(flush) = float.and_then(float::flush)
                    {
                        flush(&mut g.registers, [r[0], r[0], 0, 0, 0]);
                    }
                }
                Instr::Wrapping { kernel, op, signed, r } => {
                    let wrapped = kernel(&mut g.registers, r);
                    let known = g.marked && (g.wrapped[r[1] as usize] | g.wrapped[r[2] as usize]) & g.active != 0;
                    if self.config.check_wrapping && (wrapped || known) {
                        g.track(op, signed, r);
                    } else if g.marked {
                        g.wrapped[r[0] as usize] = 0;
                    }
                    g.join_marks(&r);
                }
                Instr::Resize { kernel, from, to, r } => {
                    kernel(&mut g.registers, r);
                    if self.config.check_wrapping && (g.marked || may_not_fit(g, from, r[1])) {
                        g.track_resize(from, to, r);
                    }
                    g.join_marks(&r);
                }
                Instr::Move { to, from, masked } => self.copy(g, to, from, masked),
                Instr::Select { to, condition, accept, reject } => select(g, to, condition, accept, reject),
                Instr::Pick { to, ref from, index, signed, site } => self.pick(g, to, from, index, signed, site),
                Instr::Check { check, a, b, site } => self.check(g, check, a, b, site),
                Instr::Load { access, to } => self.load(g, &program.accesses[access as usize], to),
                Instr::Store { access, ref from } => self.store(g, &program.accesses[access as usize], from),
                Instr::Atomic { access, op, kind, value, compare, result, exchanged } => {
                    self.atomic(g, &program.accesses[access as usize], op, kind, [value, compare, result, exchanged]);
                }
                Instr::ArrayLength { to, length } => self.array_length(g, to, length),

                Instr::If { condition, rest, target, site } => {
                    self.undefined(g, condition, g.active, site, "a condition");
                    let truth = g.truth(condition);
                    g.masks[rest as usize] = g.active & !truth;
                    g.active &= truth;
                    if g.active == 0 {
                        g.at = target as usize;
                    }
                }
                Instr::Else { rest, done, target } => {
                    g.masks[done as usize] = g.active;
                    g.active = g.masks[rest as usize];
                    if g.active == 0 {
                        g.at = target as usize;
                    }
                }
                Instr::EndIf { rest, skip } => {
                    g.active |= g.masks[rest as usize];
                    if g.active == 0 {
                        g.at = skip as usize;
                    }
                }
                Instr::Loop { breaks, continues } => {
                    g.masks[breaks as usize] = 0;
                    g.masks[continues as usize] = 0;
                }
                Instr::Continuing { continues, target } => {
                    g.active |= std::mem::take(&mut g.masks[continues as usize]);
                    if g.active == 0 {
                        g.at = target as usize;
                    }
                }
                Instr::EndLoop { breaks, condition, head, skip, site } => {
                    if self.end_loop(g, breaks, condition, head, site) {
                        return;
                    }
                    if g.active == 0 {
                        g.at = skip as usize;
                    }
                }
                Instr::Switch { all, breaks, selector, site } => {
                    self.undefined(g, selector, g.active, site, "the selector of a switch");
                    g.masks[all as usize] = g.active;
                    g.masks[breaks as usize] = 0;
                }
                Instr::Case { all, selector, ref values, inverted, target } => {
                    let words = &g.registers[selector as usize].0;
                    let all = g.masks[all as usize];
                    g.active = lanes(all).filter(|&lane| values.contains(&words[lane]) != inverted).fold(0, |mask, lane| mask | 1 << lane);
                    if g.active == 0 {
                        g.at = target as usize;
                    }
                }
                Instr::EndSwitch { breaks, skip } => {
                    g.active = g.masks[breaks as usize];
                    if g.active == 0 {
                        g.at = skip as usize;
                    }
                }
                Instr::Leave { mask, target } => {
                    g.masks[mask as usize] |= g.active;
                    g.active = 0;
                    g.at = target as usize;
                }
                Instr::Join { mask } => g.masks[mask as usize] |= g.active,
                Instr::Call { returns } => g.masks[returns as usize] = 0,
                Instr::EndCall { returns } => g.active |= g.masks[returns as usize],

                Instr::Barrier { .. } => {
                    g.state = State::Waiting(at as u32);
                    return;
                }
                Instr::SubgroupBarrier { site } => self.check_subgroups(g, site),
                Instr::Gather { mode, to, from, index, check, site } => self.gather(g, mode, [to, from, index], check, site),
                Instr::Combine { op, scan, kind, to, from, check, site } => self.combine(g, op, scan, kind, [to, from], check, site),
                Instr::Ballot { to, predicate, site } => self.ballot(g, to, predicate, site),
                Instr::End => {
                    g.state = State::Done;
                    return;
                }
            }
        }
    }

    /// Begins the next turn of a loop, or ends it. Returns whether others should have a chance
    /// first.
    fn end_loop(&mut self, g: &mut Group, breaks: u32, condition: Option<Reg>, head: u32, site: SiteId) -> bool {
        if let Some(condition) = condition {
            self.undefined(g, condition, g.active, site, "a condition");
            let truth = g.truth(condition);
            g.masks[breaks as usize] |= g.active & truth;
            g.active &= !truth;
        }
        if g.active != 0 {
            g.turns += 1;
            if g.turns <= self.config.max_turns {
                g.at = head as usize;
                return g.turns.is_multiple_of(TURNS_AT_A_TIME);
            }
            let lane = g.active.trailing_zeros();
            self.recorder.report(site, g.first + lane, FindingKind::EndlessLoop { turns: g.turns });
        }
        g.active |= g.masks[breaks as usize];
        false
    }

    fn copy(&mut self, g: &mut Group, to: Reg, from: Reg, masked: bool) {
        if g.marked {
            g.copy_marks(to, from, if masked { g.active } else { LaneMask::MAX });
        }
        if !masked || g.active == g.all {
            g.registers[to as usize] = g.registers[from as usize];
        } else {
            for lane in lanes(g.active) {
                g.set(to, lane, g.get(from, lane));
            }
        }
    }

    fn pick(&mut self, g: &mut Group, to: Reg, from: &[Reg], index: Reg, signed: bool, site: SiteId) {
        self.undefined(g, index, g.active, site, "an index");
        g.unmark(to);
        for lane in lanes(g.active) {
            let i = g.get(index, lane);
            if i as usize >= from.len() {
                let value = if signed { i as i32 as i64 } else { i as i64 };
                let place = format!("value[{value}]");
                let kind =
                    FindingKind::OutOfBounds { place, mode: crate::report::AccessMode::Read, index: value, length: from.len() as u64 };
                self.recorder.report(site, g.first + lane as u32, kind);
            } else if g.marked && g.wrapped[index as usize] >> lane & 1 == 1 {
                let value = if signed { i as i32 as i64 } else { i as i64 };
                let kind =
                    FindingKind::WrappedIndex { place: format!("value[{value}]"), index: value, exact: g.exact(index, signed, lane) };
                self.recorder.report(site, g.first + lane as u32, kind);
            }
            let source = from[(i as usize).min(from.len() - 1)];
            g.set(to, lane, g.get(source, lane));
            if g.marked {
                g.copy_marks(to, source, 1 << lane);
            }
        }
    }

    fn check(&mut self, g: &Group, check: Check, a: Reg, b: Reg, site: SiteId) {
        match check {
            Check::Divisor(kind) => {
                let suspicious = |word: &u32| *word == 0 || *word == u32::MAX;
                if g.registers[b as usize].0.iter().fold(false, |any, word| any | suspicious(word)) {
                    for lane in lanes(g.active) {
                        if let Some(what) = bad_divisor(&g.registers, kind, a, b, lane) {
                            self.recorder.report(site, g.first + lane as u32, FindingKind::Division { what });
                        }
                    }
                }
            }
            Check::Shift(width) => {
                if g.registers[b as usize].0.iter().fold(false, |any, &word| any | (word >= width)) {
                    for lane in lanes(g.active) {
                        let amount = g.get(b, lane);
                        if amount >= width {
                            self.recorder.report(site, g.first + lane as u32, FindingKind::Shift { amount, width });
                        }
                    }
                }
            }
            Check::Conversion(from, to) => {
                if !self.config.check_conversions {
                    return;
                }
                for lane in lanes(g.active) {
                    let value = convert::as_f64(&g.registers, from, a, lane);
                    if convert::out_of_range(value, to) {
                        let to = type_name(to);
                        self.recorder.report(site, g.first + lane as u32, FindingKind::Conversion { value, to });
                    }
                }
            }
        }
    }
}

/// Whether any lane of an integer may be no number of another integer type: a quick look that may
/// err on the side of yes.
fn may_not_fit(g: &Group, from: Kind, r: Reg) -> bool {
    let low = &g.registers[r as usize].0;
    let any = |bits: u32, words: &[u32; LANES]| words.iter().fold(0, |any, word| any | word) & bits != 0;
    if from.words() == 2 { any(u32::MAX, &g.registers[r as usize + 1].0) || any(1 << 31, low) } else { any(1 << 31, low) }
}

fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::I32 => "i32",
        Kind::U32 => "u32",
        Kind::I64 => "i64",
        _ => "u64",
    }
}

fn select(g: &mut Group, to: Reg, condition: Reg, accept: Reg, reject: Reg) {
    if g.marked {
        let truth = g.truth(condition);
        g.copy_marks(to, accept, truth);
        g.copy_marks(to, reject, !truth);
        g.undefined[to as usize] |= g.undefined[condition as usize];
    }
    let registers = &mut g.registers;
    for at in registers.blocks() {
        let load = |r: Reg| -> [u32; BLOCK] { std::array::from_fn(|i| registers[r as usize].0[at + i]) };
        let (c, a, b) = (load(condition), load(accept), load(reject));
        let words: [u32; BLOCK] = std::array::from_fn(|i| if c[i] != 0 { a[i] } else { b[i] });
        registers[to as usize].0[at..at + BLOCK].copy_from_slice(&words);
    }
}
