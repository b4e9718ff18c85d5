//! What a kernel is compiled to: a flat list of instructions over lanes.
//!
//! Every scalar has registers of its own until `compile::allocate` lets them share. Control flow is
//! structured in WGSL, so a set of lanes that waits somewhere (at the `else` of an `if`, after a
//! `break`) has a fixed place among the masks.

use std::sync::Arc;

use crate::ops::integer::{Arithmetic, WrappingKernel};
use crate::ops::{Kernel, Kind, Reg};

/// Index of a mask: a set of lanes.
pub(crate) type Mask = u32;
/// Index of an instruction.
pub(crate) type Target = u32;
/// Index of a `Site`.
pub(crate) type SiteId = u32;

/// A place in the text, and the calls that led there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    pub span: naga::Span,
    /// The call of the function that the place is in.
    pub caller: Option<SiteId>,
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Root {
    /// The bound part of a buffer. Offsets are bytes.
    Buffer(u32),
    /// Workgroup memory. Offsets are words.
    Workgroup,
    /// Registers of the invocation, from this one on. Offsets are words.
    Registers(Reg),
}

/// How long an array is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Length {
    Fixed(u32),
    /// What follows `offset` in the bound part of a buffer, divided by `stride`.
    Bound {
        buffer: u32,
        offset: u32,
        stride: u32,
    },
}

/// One index on the way to an element.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub index: Reg,
    pub signed: bool,
    pub stride: u32,
    pub length: Length,
}

/// A part of the value that is loaded or stored: its offset from the value's, and whether it is but
/// half a word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Part {
    pub offset: u32,
    pub half: bool,
}

/// An access of memory.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub root: Root,
    pub offset: u32,
    pub steps: Vec<Step>,
    pub parts: Arc<[Part]>,
    pub atomic: bool,
    pub name: Arc<str>,
    pub site: SiteId,
}

/// What an atomic operation does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum AtomicOp {
    Add,
    Subtract,
    And,
    Or,
    ExclusiveOr,
    Min,
    Max,
    Exchange,
    CompareExchange,
}

/// Which lane another one reads from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Gather {
    First,
    Broadcast,
    Shuffle,
    Down,
    Up,
    Xor,
    QuadBroadcast,
    QuadSwap(u32),
}

/// How lanes are combined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scan {
    Reduce,
    Inclusive,
    Exclusive,
}

/// What an instruction looks for before a computation that WGSL defines, but that nobody means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Check {
    /// Division of `a` by `b`.
    Divisor(Kind),
    /// Shift of a number of so many bits by `b`.
    Shift(u32),
    /// Conversion of the number `a` to an integer type.
    Conversion(Kind, Kind),
}

#[derive(Clone, Debug)]
pub(crate) enum Instr {
    /// `r[0] = kernel(r[1..])`. A float result is flushed where that was asked for.
    Compute {
        kernel: Kernel,
        r: [Reg; 5],
        float: Option<Kind>,
    },
    /// An operation of 32-bit integers that may wrap around.
    Wrapping {
        kernel: WrappingKernel,
        op: Arithmetic,
        signed: bool,
        r: [Reg; 5],
    },
    /// A conversion between integer types, at least one of which has 32 bits.
    Resize {
        kernel: Kernel,
        from: Kind,
        to: Kind,
        r: [Reg; 5],
    },
    /// Copies one register, for all lanes or only the active ones.
    Move {
        to: Reg,
        from: Reg,
        masked: bool,
    },
    /// `to = condition ? accept : reject`.
    Select {
        to: Reg,
        condition: Reg,
        accept: Reg,
        reject: Reg,
    },
    /// `to = from[index]`; an index past the end is a finding, and gives the last one.
    Pick {
        to: Reg,
        from: Box<[Reg]>,
        index: Reg,
        signed: bool,
        site: SiteId,
    },
    Check {
        check: Check,
        a: Reg,
        b: Reg,
        site: SiteId,
    },
    Load {
        access: u32,
        to: Reg,
    },
    Store {
        access: u32,
        from: Box<[Reg]>,
    },
    Atomic {
        access: u32,
        op: AtomicOp,
        kind: Kind,
        value: Reg,
        compare: Reg,
        result: Reg,
        exchanged: Reg,
    },
    ArrayLength {
        to: Reg,
        length: Length,
    },

    If {
        condition: Reg,
        rest: Mask,
        target: Target,
        site: SiteId,
    },
    Else {
        rest: Mask,
        done: Mask,
        target: Target,
    },
    EndIf {
        rest: Mask,
        skip: Target,
    },
    Loop {
        breaks: Mask,
        continues: Mask,
    },
    Continuing {
        continues: Mask,
        target: Target,
    },
    EndLoop {
        breaks: Mask,
        condition: Option<Reg>,
        head: Target,
        skip: Target,
        site: SiteId,
    },
    Switch {
        all: Mask,
        breaks: Mask,
        selector: Reg,
        site: SiteId,
    },
    /// Takes the lanes whose selector is one of `values`, or is none of them if `inverted`.
    Case {
        all: Mask,
        selector: Reg,
        values: Arc<[u32]>,
        inverted: bool,
        target: Target,
    },
    EndSwitch {
        breaks: Mask,
        skip: Target,
    },
    /// The active lanes go to `mask`, and control to the end of what they were in.
    Leave {
        mask: Mask,
        target: Target,
    },
    /// Adds the active lanes to `mask`.
    Join {
        mask: Mask,
    },
    Call {
        returns: Mask,
    },
    EndCall {
        returns: Mask,
    },

    Barrier {
        workgroup: bool,
        storage: bool,
        site: SiteId,
    },
    SubgroupBarrier {
        site: SiteId,
    },
    /// Moves one word of each lane to another. Only the first word of a value is checked.
    Gather {
        mode: Gather,
        to: Reg,
        from: Reg,
        index: Reg,
        check: bool,
        site: SiteId,
    },
    Combine {
        op: naga::SubgroupOperation,
        scan: Scan,
        kind: Kind,
        to: Reg,
        from: Reg,
        check: bool,
        site: SiteId,
    },
    Ballot {
        to: Reg,
        predicate: Reg,
        site: SiteId,
    },
    /// The invocation returns.
    End,
}

/// What a builtin value is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Builtin {
    GlobalInvocation(u8),
    LocalInvocation(u8),
    LocalIndex,
    Workgroup(u8),
    Workgroups(u8),
    SubgroupSize,
    SubgroupInvocation,
    Subgroup,
    Subgroups,
}

/// A variable that a buffer must be bound to.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub name: Arc<str>,
    /// None for immediates.
    pub binding: Option<(u32, u32)>,
    pub writable: bool,
    /// Bytes that the type has at least, one element of an array without a length included.
    pub least_bytes: u32,
}

/// A compiled kernel.
#[derive(Debug)]
pub(crate) struct Program {
    pub code: Vec<Instr>,
    pub accesses: Vec<Access>,
    pub sites: Vec<Site>,
    pub slots: Vec<Slot>,
    pub registers: u32,
    pub masks: u32,
    /// Registers that hold the same words in every lane, always.
    pub constants: Vec<(Reg, u32)>,
    pub builtins: Vec<(Reg, Builtin)>,
    /// Words of workgroup memory.
    pub workgroup_words: u32,
    pub workgroup_size: [u32; 3],
    /// Whether buffers hold numbers of two bytes, so that two invocations may write one word.
    pub halves: bool,
    pub source: Arc<str>,
}
