//! Invocations that run in lockstep, and what is known about their values.

use crate::config::Config;
use crate::ops::integer::Arithmetic;
use crate::ops::{Kind, LANES, LaneMask, Reg, Register, Registers};
use crate::program::{Builtin, Program, SiteId};

/// Why a group has stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum State {
    Running,
    /// At the barrier with this index.
    Waiting(u32),
    Done,
}

/// Invocations in lockstep.
pub(super) struct Group {
    pub registers: Registers,
    pub masks: Vec<LaneMask>,
    /// Lanes that are active, and lanes that there are.
    pub active: LaneMask,
    pub all: LaneMask,
    pub at: usize,
    pub state: State,
    /// `local_invocation_index` of lane 0.
    pub first: u32,
    /// Turns of loops since the workgroup started.
    pub turns: u64,
    /// Whether any of the marks below is set.
    pub marked: bool,
    /// Per register, the lanes whose value came through a shuffle from nowhere.
    pub undefined: Vec<LaneMask>,
    /// Per register, the lanes whose value is not what arithmetic without wrap-around gives. That
    /// is in `exact`.
    pub wrapped: Vec<LaneMask>,
    exact: Vec<Option<Box<[i64; LANES]>>>,
    /// The last shuffle from nowhere.
    pub shuffle: SiteId,
}

/// Lanes of a mask, from the lowest.
#[inline(always)]
pub(super) fn lanes(mut mask: LaneMask) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let lane = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        Some(lane)
    })
}

pub(super) fn mask_of(count: u32) -> LaneMask {
    if count as usize >= LANES { LaneMask::MAX } else { (1 << count) - 1 }
}

impl Group {
    pub(super) fn new(program: &Program, config: &Config, first: u32, count: u32) -> Self {
        let registers = program.registers as usize;
        let mut group = Self {
            registers: Registers::new(registers, count as usize),
            masks: vec![0; program.masks as usize],
            active: 0,
            all: mask_of(count),
            at: 0,
            state: State::Running,
            first,
            turns: 0,
            marked: false,
            undefined: vec![0; registers],
            wrapped: vec![0; registers],
            exact: Vec::new(),
            shuffle: 0,
        };
        for &(register, word) in &program.constants {
            group.registers[register as usize] = Register([word; LANES]);
        }
        let size = program.workgroup_size;
        let invocations = size.iter().product::<u32>();
        for &(register, builtin) in &program.builtins {
            let lane: &dyn Fn(u32) -> u32 = match builtin {
                Builtin::LocalInvocation(axis) => &move |i| local_id(size, i)[axis as usize],
                Builtin::LocalIndex => &|i| i,
                Builtin::SubgroupSize => &|_| config.subgroup_size,
                Builtin::SubgroupInvocation => &|i| i % config.subgroup_size,
                Builtin::Subgroup => &|i| i / config.subgroup_size,
                Builtin::Subgroups => &|_| invocations.div_ceil(config.subgroup_size),
                Builtin::GlobalInvocation(_) | Builtin::Workgroup(_) | Builtin::Workgroups(_) => continue,
            };
            group.registers[register as usize] = Register(std::array::from_fn(|i| lane(first + i as u32)));
        }
        group
    }

    /// Begins another workgroup.
    pub(super) fn start(&mut self, program: &Program, workgroup: [u32; 3], grid: [u32; 3]) {
        self.active = self.all;
        self.at = 0;
        self.state = State::Running;
        self.turns = 0;
        if self.marked {
            self.marked = false;
            self.undefined.fill(0);
            self.wrapped.fill(0);
        }
        let size = program.workgroup_size;
        for &(register, builtin) in &program.builtins {
            self.registers[register as usize] = match builtin {
                Builtin::Workgroup(axis) => Register([workgroup[axis as usize]; LANES]),
                Builtin::Workgroups(axis) => Register([grid[axis as usize]; LANES]),
                Builtin::GlobalInvocation(axis) => {
                    let axis = axis as usize;
                    let start = workgroup[axis].wrapping_mul(size[axis]);
                    Register(std::array::from_fn(|i| start.wrapping_add(local_id(size, self.first + i as u32)[axis])))
                }
                _ => continue,
            };
        }
    }

    #[inline(always)]
    pub(super) fn get(&self, register: Reg, lane: usize) -> u32 {
        self.registers[register as usize].0[lane]
    }

    #[inline(always)]
    pub(super) fn set(&mut self, register: Reg, lane: usize, word: u32) {
        self.registers[register as usize].0[lane] = word;
    }

    /// Lanes in which a `bool` is true.
    #[inline(always)]
    pub(super) fn truth(&self, register: Reg) -> LaneMask {
        let words = &self.registers[register as usize].0;
        let mut mask = 0;
        for (i, block) in words.chunks_exact(8).enumerate() {
            let byte = block.iter().enumerate().fold(0, |byte, (k, &word)| byte | (word & 1) << k);
            mask |= LaneMask::from(byte) << (8 * i);
        }
        mask
    }

    /// Says that nothing is known against a register's new value.
    pub(super) fn unmark(&mut self, register: Reg) {
        if self.marked {
            self.undefined[register as usize] = 0;
            self.wrapped[register as usize] = 0;
        }
    }

    /// The value of a lane among all integers.
    pub(super) fn exact(&self, register: Reg, signed: bool, lane: usize) -> i64 {
        if self.marked
            && self.wrapped[register as usize] >> lane & 1 == 1
            && let Some(exact) = self.exact.get(register as usize).and_then(Option::as_ref)
        {
            return exact[lane];
        }
        let word = self.get(register, lane);
        if signed { word as i32 as i64 } else { word as i64 }
    }

    fn set_exact(&mut self, register: Reg, lane: usize, exact: i64) {
        if self.exact.is_empty() {
            self.exact.resize_with(self.registers.len(), || None);
        }
        self.exact[register as usize].get_or_insert_with(|| Box::new([0; LANES]))[lane] = exact;
        self.wrapped[register as usize] |= 1 << lane;
        self.marked = true;
    }

    /// Notes which lanes of a 32-bit result are not what arithmetic among all integers gives.
    #[cold]
    pub(super) fn track(&mut self, op: Arithmetic, signed: bool, r: [Reg; 5]) {
        self.wrapped[r[0] as usize] = 0;
        for lane in lanes(self.active) {
            let (a, b) = (self.exact(r[1], signed, lane), self.exact(r[2], signed && op != Arithmetic::ShiftLeft, lane));
            let exact = op.exact(a, b);
            if exact != self.exact(r[0], signed, lane) {
                self.set_exact(r[0], lane, exact);
            }
        }
    }

    /// The same for a conversion between integer types.
    #[cold]
    pub(super) fn track_resize(&mut self, from: Kind, to: Kind, r: [Reg; 5]) {
        self.wrapped[r[0] as usize] = 0;
        if to.words() == 2 {
            return;
        }
        for lane in lanes(self.active) {
            let exact = if from.words() == 2 {
                let bits = self.get(r[1], lane) as u64 | (self.get(r[1] + 1, lane) as u64) << 32;
                if from == Kind::U64 { i64::try_from(bits).unwrap_or(i64::MAX) } else { bits as i64 }
            } else {
                self.exact(r[1], from.is_signed(), lane)
            };
            if exact != self.exact(r[0], to.is_signed(), lane) {
                self.set_exact(r[0], lane, exact);
            }
        }
    }

    /// The marks of a copy, for the lanes of `mask`; the others keep theirs.
    pub(super) fn copy_marks(&mut self, to: Reg, from: Reg, mask: LaneMask) {
        let (t, f) = (to as usize, from as usize);
        self.undefined[t] = self.undefined[t] & !mask | self.undefined[f] & mask;
        self.wrapped[t] &= !mask;
        for lane in lanes(self.wrapped[f] & mask) {
            let exact = self.exact(from, false, lane);
            self.set_exact(to, lane, exact);
        }
    }

    /// What depends on several values is undefined where one of them is.
    #[inline(always)]
    pub(super) fn join_marks(&mut self, r: &[Reg; 5]) {
        if self.marked {
            self.undefined[r[0] as usize] = r[1..].iter().fold(0, |all, &a| all | self.undefined[a as usize]);
        }
    }
}

/// `local_invocation_id` from `local_invocation_index`.
pub(super) fn local_id(size: [u32; 3], index: u32) -> [u32; 3] {
    [index % size[0], index / size[0] % size[1], index / size[0] / size[1]]
}
