//! Subgroup operations. A subgroup is a run of invocations with neighbouring
//! `local_invocation_index`.

use half::f16;
use naga::SubgroupOperation as Op;

use crate::memory::UNWRITTEN;
use crate::ops::{Kind, LANES, LaneMask, Reg};
use crate::program::{Gather, Scan, SiteId};
use crate::report::FindingKind;

use super::Machine;
use super::group::{Group, lanes, mask_of};

impl Machine<'_> {
    /// The subgroups of a group that have active invocations: first lane, lanes that there are,
    /// active lanes.
    fn subgroups(&self, g: &Group) -> impl Iterator<Item = (usize, LaneMask, LaneMask)> + use<> {
        let size = self.config.subgroup_size;
        let (all, active) = (g.all, g.active);
        (0..LANES as u32).step_by(size as usize).filter_map(move |first| {
            let own = mask_of(size) << first;
            (active & own != 0).then_some((first as usize, all & own, active & own))
        })
    }

    pub(super) fn check_subgroups(&mut self, g: &Group, site: SiteId) {
        if g.active == g.all {
            return;
        }
        for (_, all, active) in self.subgroups(g) {
            if active != all {
                let missing = (all & !active).trailing_zeros();
                let kind = FindingKind::DivergentSubgroup { arrived: active.count_ones(), expected: all.count_ones() };
                self.recorder.report(site, g.first + missing, kind);
            }
        }
    }

    pub(super) fn gather(&mut self, g: &mut Group, mode: Gather, [to, from, index]: [Reg; 3], check: bool, site: SiteId) {
        if check {
            self.check_subgroups(g, site);
            self.undefined(g, index, g.active, site, "the source of a shuffle");
        }
        let size = self.config.subgroup_size;
        let mut words = [0; LANES];
        let mut undefined = 0;
        for (first, _, active) in self.subgroups(g) {
            let lowest = active.trailing_zeros() as usize;
            for lane in lanes(active) {
                let (own, i) = ((lane - first) as u32, g.get(index, lane));
                let source = match mode {
                    Gather::First => (lowest - first) as u32,
                    Gather::Broadcast | Gather::Shuffle => i,
                    Gather::Down => own.saturating_add(i),
                    Gather::Up => own.wrapping_sub(i),
                    Gather::Xor => own ^ i,
                    Gather::QuadBroadcast => own & !3 | i & 3,
                    Gather::QuadSwap(bits) => own ^ bits,
                };
                if check && matches!(mode, Gather::Broadcast | Gather::QuadBroadcast) && i != g.get(index, lowest) {
                    let kind = FindingKind::NonUniformArgument { of: "a broadcast" };
                    self.recorder.report(site, g.first + lane as u32, kind);
                }
                let source_lane = first + source.min(LANES as u32) as usize;
                if source < size && active >> source_lane & 1 == 1 {
                    words[lane] = g.get(from, source_lane);
                    if g.marked {
                        undefined |= (g.undefined[from as usize] >> source_lane & 1) << lane;
                    }
                } else {
                    words[lane] = UNWRITTEN;
                    undefined |= 1 << lane;
                    g.shuffle = site;
                }
            }
        }
        g.registers[to as usize].0 = words;
        g.unmark(to);
        if undefined != 0 {
            g.marked = true;
            g.undefined[to as usize] = undefined;
        }
    }

    pub(super) fn ballot(&mut self, g: &mut Group, to: Reg, predicate: Reg, site: SiteId) {
        self.check_subgroups(g, site);
        self.undefined(g, predicate, g.active, site, "the predicate of a ballot");
        let votes = g.truth(predicate);
        for i in 0..4 {
            g.unmark(to + i);
            g.registers[(to + i) as usize].0 = [0; LANES];
        }
        for (first, _, active) in self.subgroups(g) {
            let votes = (votes & active) >> first;
            for lane in lanes(active) {
                for word in 0..4 {
                    g.set(to + word, lane, (votes >> (32 * word)) as u32);
                }
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn combine(&mut self, g: &mut Group, op: Op, scan: Scan, kind: Kind, [to, from]: [Reg; 2], check: bool, site: SiteId) {
        if check {
            self.check_subgroups(g, site);
        }
        self.undefined(g, from, g.active, site, "the operand of a subgroup operation");
        let get =
            |g: &Group, lane: usize| g.get(from, lane) as u64 | if kind.words() == 2 { (g.get(from + 1, lane) as u64) << 32 } else { 0 };
        for word in 0..kind.words() {
            g.unmark(to + word);
        }
        for (_, _, active) in self.subgroups(g) {
            let mut total = identity(op, kind);
            if scan == Scan::Reduce {
                total = lanes(active)
                    .fold(None, |sum, lane| Some(sum.map_or(get(g, lane), |s| apply(op, kind, s, get(g, lane)))))
                    .unwrap_or(total);
            }
            let mut first = true;
            for lane in lanes(active) {
                let own = get(g, lane);
                let before = total;
                if scan != Scan::Reduce {
                    total = if first { own } else { apply(op, kind, total, own) };
                    first = false;
                }
                let result = if scan == Scan::Exclusive { before } else { total };
                for word in 0..kind.words() {
                    g.set(to + word, lane, (result >> (32 * word)) as u32);
                }
            }
        }
    }
}

fn identity(op: Op, kind: Kind) -> u64 {
    if op != Op::Mul {
        return 0;
    }
    match kind {
        Kind::F16 => f16::ONE.to_bits() as u64,
        Kind::F32 => 1f32.to_bits() as u64,
        Kind::F64 => 1f64.to_bits(),
        _ => 1,
    }
}

fn apply(op: Op, kind: Kind, a: u64, b: u64) -> u64 {
    macro_rules! float {
        ($F:ty, $of:expr) => {{
            let (a, b): ($F, $F) = ($of(a), $of(b));
            let result = match op {
                Op::Add => a + b,
                Op::Mul => a * b,
                Op::Min => a.min(b),
                _ => a.max(b),
            };
            result.to_bits() as u64
        }};
    }
    macro_rules! integer {
        ($I:ty) => {{
            let (a, b) = (a as $I, b as $I);
            let result = match op {
                Op::Add => a.wrapping_add(b),
                Op::Mul => a.wrapping_mul(b),
                Op::Min => a.min(b),
                Op::Max => a.max(b),
                Op::And | Op::All => a & b,
                Op::Or | Op::Any => a | b,
                Op::Xor => a ^ b,
            };
            result as u64
        }};
    }
    match kind {
        Kind::F16 => float!(f16, |x: u64| f16::from_bits(x as u16)),
        Kind::F32 => float!(f32, |x: u64| f32::from_bits(x as u32)),
        Kind::F64 => float!(f64, f64::from_bits),
        Kind::I32 => integer!(i32),
        Kind::Bool | Kind::U32 => integer!(u32),
        Kind::I64 => integer!(i64),
        Kind::U64 => integer!(u64),
    }
}
