//! Loads, stores and atomic operations.

use crate::config::Config;
use crate::memory::UNWRITTEN;
use crate::ops::{Kind, LANES, LaneMask, Reg};
use crate::program::{Access, AtomicOp, Length, Root};
use crate::races::{Clock, Shadow};
use crate::report::{AccessMode, FindingKind};

use super::Machine;
use super::group::{Group, lanes};
use super::recorder::Recorder;

/// A run of words, and what is known about them.
pub(super) struct Area<'a> {
    words: &'a mut [u32],
    written: &'a mut [u8],
    shadow: Option<&'a mut Shadow>,
    clock: Clock,
    /// A place of the shadow has `1 << shift` bytes.
    shift: u32,
    /// Where offsets begin, in bytes.
    base: u32,
    /// Bytes of a unit of offsets.
    scale: u32,
}

/// What an access needs to know to report.
struct Context<'a> {
    access: &'a Access,
    mode: AccessMode,
    equal_writes_race: bool,
    later_writes_race: bool,
    invocation: u32,
}

impl<'p> Machine<'p> {
    fn length(&self, length: Length) -> u32 {
        match length {
            Length::Fixed(length) => length,
            Length::Bound { buffer, offset, stride } => (self.slots[buffer as usize].bytes.saturating_sub(offset)) / stride,
        }
    }

    pub(super) fn array_length(&self, g: &mut Group, to: Reg, length: Length) {
        g.registers[to as usize].0 = [self.length(length); LANES];
        g.unmark(to);
    }

    /// The offset of each lane's element, and the lanes whose indices are all right.
    fn resolve(&mut self, g: &Group, access: &Access, mode: AccessMode) -> ([u32; LANES], LaneMask) {
        let mut offsets = [access.offset; LANES];
        let mut good = g.active;
        for step in &access.steps {
            let length = self.length(step.length);
            let index = &g.registers[step.index as usize].0;
            let mut any = false;
            for lane in 0..LANES {
                // A negative index is a large one.
                any |= index[lane] >= length;
                offsets[lane] = offsets[lane].wrapping_add(index[lane].wrapping_mul(step.stride));
            }
            if any {
                for lane in lanes(good) {
                    if index[lane] >= length {
                        good &= !(1 << lane);
                        let value = if step.signed { index[lane] as i32 as i64 } else { index[lane] as i64 };
                        let place = place(access, g, lane);
                        let kind = FindingKind::OutOfBounds { place, mode, index: value, length: length as u64 };
                        self.recorder.report(access.site, g.first + lane as u32, kind);
                    }
                }
            }
            if g.marked {
                self.report_marks(g, access, step.index, step.signed, good);
            }
        }
        (offsets, good)
    }

    #[cold]
    fn report_marks(&mut self, g: &Group, access: &Access, index: Reg, signed: bool, good: LaneMask) {
        self.undefined(g, index, good, access.site, "an index");
        for lane in lanes(g.wrapped[index as usize] & good) {
            let word = g.get(index, lane);
            let value = if signed { word as i32 as i64 } else { word as i64 };
            let kind = FindingKind::WrappedIndex { place: place(access, g, lane), index: value, exact: g.exact(index, signed, lane) };
            self.recorder.report(access.site, g.first + lane as u32, kind);
        }
    }

    /// Reports lanes that use an undefined value.
    #[inline(always)]
    pub(super) fn undefined(&mut self, g: &Group, register: Reg, mask: LaneMask, site: u32, used_as: &'static str) {
        if g.marked && g.undefined[register as usize] & mask != 0 {
            for lane in lanes(g.undefined[register as usize] & mask) {
                let kind = FindingKind::UndefinedShuffle { used_as, shuffle_line: self.recorder.line(g.shuffle) };
                self.recorder.report(site, g.first + lane as u32, kind);
            }
        }
    }

    /// The memory behind a variable, and the rest of the machine that reports need.
    fn area(&mut self, root: Root) -> (Area<'_>, &mut Recorder<'p>) {
        let area = match root {
            Root::Buffer(slot) => {
                let slot = self.slots[slot as usize];
                let buffer = &mut self.buffers[slot.buffer];
                Area {
                    words: &mut buffer.words,
                    written: &mut buffer.written,
                    shadow: self.shadows[slot.buffer].as_mut(),
                    clock: self.storage_clock,
                    shift: if self.program.halves { 1 } else { 2 },
                    base: slot.offset,
                    scale: 1,
                }
            }
            _ => Area {
                words: &mut self.workgroup_words,
                written: &mut self.workgroup_written,
                shadow: Some(&mut self.workgroup_shadow),
                clock: self.workgroup_clock,
                shift: 2,
                base: 0,
                scale: 4,
            },
        };
        (area, &mut self.recorder)
    }

    pub(super) fn load(&mut self, g: &mut Group, access: &Access, to: Reg) {
        let mode = if access.atomic { AccessMode::Atomic } else { AccessMode::Read };
        let (offsets, good) = self.resolve(g, access, mode);
        if g.marked {
            for i in 0..access.parts.len() as u32 {
                g.unmark(to + i);
            }
        }
        if let Root::Registers(first) = access.root {
            for (i, part) in access.parts.iter().enumerate() {
                for (lane, offset) in offsets.iter().enumerate() {
                    let word = if good >> lane & 1 == 1 { g.get(first + offset + part.offset, lane) } else { 0 };
                    g.set(to + i as u32, lane, word);
                }
                if g.marked {
                    for lane in lanes(good) {
                        g.copy_marks(to + i as u32, first + offsets[lane] + part.offset, 1 << lane);
                    }
                }
            }
            return;
        }
        let (mut area, recorder) = self.area(access.root);
        for (i, part) in access.parts.iter().enumerate() {
            let to = to + i as u32;
            if good != g.all {
                g.registers[to as usize].0 = [0; LANES];
            }
            for lane in lanes(good) {
                let context = Context { access, mode, equal_writes_race: true, later_writes_race: true, invocation: g.first + lane as u32 };
                let byte = area.byte(offsets[lane], part.offset);
                let word = area.read(byte, part.half, &context, recorder, g, lane);
                g.set(to, lane, word);
            }
        }
    }

    pub(super) fn store(&mut self, g: &mut Group, access: &Access, from: &[Reg]) {
        let mode = if access.atomic { AccessMode::Atomic } else { AccessMode::Write };
        let (offsets, good) = self.resolve(g, access, mode);
        if let Root::Registers(first) = access.root {
            for (&from, part) in from.iter().zip(access.parts.iter()) {
                for lane in lanes(good) {
                    let to = first + offsets[lane] + part.offset;
                    g.set(to, lane, g.get(from, lane));
                    if g.marked {
                        g.copy_marks(to, from, 1 << lane);
                    }
                }
            }
            return;
        }
        for &from in from {
            self.undefined(g, from, good, access.site, "a stored value");
        }
        let Config { equal_writes_race, later_writes_race, .. } = *self.config;
        let (mut area, recorder) = self.area(access.root);
        for (&from, part) in from.iter().zip(access.parts.iter()) {
            for lane in lanes(good) {
                let context = Context { access, mode, equal_writes_race, later_writes_race, invocation: g.first + lane as u32 };
                let byte = area.byte(offsets[lane], part.offset);
                area.write(byte, part.half, g.get(from, lane), &context, recorder, g, lane);
            }
        }
    }

    pub(super) fn atomic(&mut self, g: &mut Group, access: &Access, op: AtomicOp, kind: Kind, operands: [Reg; 4]) {
        let [value, compare, result, exchanged] = operands;
        let (offsets, good) = self.resolve(g, access, AccessMode::Atomic);
        self.undefined(g, value, good, access.site, "an atomic operand");
        for word in 0..kind.words() {
            g.unmark(result + word);
        }
        g.unmark(exchanged);
        // Which invocation comes first is anybody's guess; the seed's here.
        let turn = self.atomic_turn;
        let order = (0..LANES).map(|i| (i + turn) % LANES).filter(|lane| good >> lane & 1 == 1);
        let (mut area, recorder) = self.area(access.root);
        for lane in order {
            let context = Context {
                access,
                mode: AccessMode::Atomic,
                equal_writes_race: true,
                later_writes_race: true,
                invocation: g.first + lane as u32,
            };
            let wide = |g: &Group, r: Reg| g.get(r, lane) as u64 | if kind.words() == 2 { (g.get(r + 1, lane) as u64) << 32 } else { 0 };
            let (operand, expected) = (wide(g, value), wide(g, compare));
            let mut old = 0;
            for (i, part) in access.parts.iter().enumerate() {
                let byte = area.byte(offsets[lane], part.offset);
                area.race_atomic(byte, &context, recorder, g, lane, true);
                old |= (area.value(byte, part.half, &context, recorder, g, lane) as u64) << (32 * i);
            }
            let new = combine(op, kind, old, operand, expected);
            for (i, part) in access.parts.iter().enumerate() {
                let byte = area.byte(offsets[lane], part.offset);
                area.put(byte, part.half, (new >> (32 * i)) as u32);
            }
            for word in 0..kind.words() {
                g.set(result + word, lane, (old >> (32 * word)) as u32);
            }
            g.set(exchanged, lane, (op == AtomicOp::CompareExchange && old == expected) as u32);
        }
    }
}

impl Area<'_> {
    #[inline(always)]
    fn byte(&self, offset: u32, part: u32) -> usize {
        (self.base + (offset + part) * self.scale) as usize
    }

    #[inline(always)]
    fn read(&mut self, byte: usize, half: bool, context: &Context, recorder: &mut Recorder, g: &Group, lane: usize) -> u32 {
        if context.access.atomic {
            self.race_atomic(byte, context, recorder, g, lane, false);
        } else if let Some(shadow) = &mut self.shadow {
            let places = byte >> self.shift..=(byte + if half { 1 } else { 3 }) >> self.shift;
            for at in places {
                if let Some(other) = shadow.read(at, &self.clock, context.invocation, context.access.site) {
                    let place = place(context.access, g, lane);
                    recorder.race(context.access.site, context.invocation, place, context.mode, other, self.scale == 4);
                }
            }
        }
        self.value(byte, half, context, recorder, g, lane)
    }

    #[inline(always)]
    fn value(&self, byte: usize, half: bool, context: &Context, recorder: &mut Recorder, g: &Group, lane: usize) -> u32 {
        let needed = if half { 3 << (byte & 2) } else { 15 };
        if self.written[byte >> 2] & needed != needed {
            let offset = (byte as u32 - self.base) / self.scale;
            let kind = FindingKind::Unwritten { place: place(context.access, g, lane), offset: offset as u64 };
            recorder.report(context.access.site, context.invocation, kind);
        }
        let word = self.words[byte >> 2];
        if half { word >> (8 * (byte & 2)) & 0xffff } else { word }
    }

    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    fn write(&mut self, byte: usize, half: bool, word: u32, context: &Context, recorder: &mut Recorder, g: &Group, lane: usize) {
        if context.access.atomic {
            self.race_atomic(byte, context, recorder, g, lane, true);
        } else if let Some(shadow) = &mut self.shadow {
            let places = byte >> self.shift..=(byte + if half { 1 } else { 3 }) >> self.shift;
            for at in places {
                if let Some(other) = shadow.write(at, &self.clock, context.invocation, context.access.site) {
                    let old = self.words[byte >> 2];
                    let same = if half { old >> (8 * (byte & 2)) & 0xffff == word } else { old == word };
                    if same && other.mode == AccessMode::Write && !context.equal_writes_race {
                        continue;
                    }
                    let in_workgroup = other.stamp >= self.clock.workgroup;
                    if other.mode == AccessMode::Read && self.clock.shared && in_workgroup && !context.later_writes_race {
                        continue;
                    }
                    let place = place(context.access, g, lane);
                    recorder.race(context.access.site, context.invocation, place, context.mode, other, self.scale == 4);
                }
            }
        }
        self.put(byte, half, word);
    }

    #[inline(always)]
    fn put(&mut self, byte: usize, half: bool, word: u32) {
        let old = &mut self.words[byte >> 2];
        if half {
            let shift = 8 * (byte & 2);
            *old = *old & !(0xffff << shift) | (word & 0xffff) << shift;
            self.written[byte >> 2] |= 3 << (byte & 2);
        } else {
            *old = word;
            self.written[byte >> 2] = 15;
        }
    }

    fn race_atomic(&mut self, byte: usize, context: &Context, recorder: &mut Recorder, g: &Group, lane: usize, writes: bool) {
        if let Some(shadow) = &mut self.shadow {
            for at in byte >> self.shift..=(byte + 3) >> self.shift {
                if let Some(other) = shadow.atomic(at, &self.clock, context.invocation, context.access.site, writes) {
                    let place = place(context.access, g, lane);
                    recorder.race(context.access.site, context.invocation, place, context.mode, other, self.scale == 4);
                }
            }
        }
    }
}

/// The access in words, as `name[3][4]`.
#[cold]
#[inline(never)]
fn place(access: &Access, g: &Group, lane: usize) -> String {
    let mut text = access.name.to_string();
    for step in &access.steps {
        let index = g.get(step.index, lane);
        text += &if step.signed { format!("[{}]", index as i32) } else { format!("[{index}]") };
    }
    text
}

fn combine(op: AtomicOp, kind: Kind, old: u64, value: u64, expected: u64) -> u64 {
    use AtomicOp as Op;
    if kind == Kind::F32 {
        let (a, b) = (f32::from_bits(old as u32), f32::from_bits(value as u32));
        return match op {
            Op::Add => (a + b).to_bits() as u64,
            Op::Subtract => (a - b).to_bits() as u64,
            Op::Min => a.min(b).to_bits() as u64,
            Op::Max => a.max(b).to_bits() as u64,
            Op::CompareExchange if old != expected => old,
            _ => value,
        };
    }
    let signed = |x: u64| if kind == Kind::I32 { x as u32 as i32 as i64 } else { x as i64 };
    match op {
        Op::Add => old.wrapping_add(value),
        Op::Subtract => old.wrapping_sub(value),
        Op::And => old & value,
        Op::Or => old | value,
        Op::ExclusiveOr => old ^ value,
        Op::Min if kind.is_signed() => signed(old).min(signed(value)) as u64,
        Op::Max if kind.is_signed() => signed(old).max(signed(value)) as u64,
        Op::Min => old.min(value),
        Op::Max => old.max(value),
        Op::Exchange => value,
        Op::CompareExchange => {
            if old == expected {
                value
            } else {
                old
            }
        }
    }
}

/// Workgroup memory as a workgroup finds it.
pub(super) fn start_workgroup_memory(words: &mut [u32], written: &mut [u8], zero: bool) {
    words.fill(if zero { 0 } else { UNWRITTEN });
    written.fill(if zero { 15 } else { 0 });
}
