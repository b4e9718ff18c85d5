//! Arithmetic over the invocations that run in lockstep: one register holds one scalar of each of
//! them.

pub(crate) mod convert;
pub(crate) mod float;
pub(crate) mod integer;
pub(crate) mod pack;

use std::ops::{Index, IndexMut};

use half::f16;

/// Maximum number of invocations that run in lockstep.
pub(crate) const LANES: usize = 128;

/// A bit for each of them.
pub(crate) type LaneMask = u128;

/// One 32-bit word of each lane. A 64-bit scalar takes two registers in a row, its low words first.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Register(pub [u32; LANES]);

impl Register {
    pub(crate) const ZERO: Self = Self([0; LANES]);
}

/// The registers of invocations in lockstep, of which only some lanes may be in use.
pub(crate) struct Registers {
    all: Vec<Register>,
    lanes: usize,
}

impl Registers {
    /// So many registers of zeros, with so many lanes in use.
    pub(crate) fn new(count: usize, lanes: usize) -> Self {
        Self { all: vec![Register::ZERO; count], lanes }
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// Where the blocks of lanes begin that are in use.
    #[inline(always)]
    pub(crate) fn blocks(&self) -> impl Iterator<Item = usize> + use<> {
        (0..self.lanes.min(LANES)).step_by(BLOCK)
    }
}

impl Index<usize> for Registers {
    type Output = Register;

    #[inline(always)]
    fn index(&self, index: usize) -> &Register {
        &self.all[index]
    }
}

impl IndexMut<usize> for Registers {
    #[inline(always)]
    fn index_mut(&mut self, index: usize) -> &mut Register {
        &mut self.all[index]
    }
}

/// Index of a register.
pub(crate) type Reg = u32;

/// Computes one register (or a pair of them) from up to four: `[result, source, source, source,
/// source]`.
pub(crate) type Kernel = fn(&mut Registers, [Reg; 5]);

/// The scalar types of WGSL that can be stored in a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Bool,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

impl Kind {
    /// Registers, and words of memory in the layout by words.
    pub(crate) fn words(self) -> u32 {
        match self {
            Kind::I64 | Kind::U64 | Kind::F64 => 2,
            _ => 1,
        }
    }

    pub(crate) fn bytes(self) -> u32 {
        match self {
            Kind::F16 => 2,
            _ => 4 * self.words(),
        }
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Kind::F16 | Kind::F32 | Kind::F64)
    }

    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Kind::I32 | Kind::I64)
    }
}

/// Lanes that a kernel takes at a time. A block is loaded whole before its result is stored, so
/// that the compiler sees no aliasing.
pub(crate) const BLOCK: usize = 16;

/// A type of Rust that stands for a scalar type of WGSL.
pub(crate) trait Lane: Copy {
    fn load(regs: &Registers, r: Reg, at: usize) -> [Self; BLOCK];
    fn store(regs: &mut Registers, r: Reg, at: usize, values: [Self; BLOCK]);
}

#[inline(always)]
fn block(regs: &Registers, r: Reg, at: usize) -> [u32; BLOCK] {
    let lanes = &regs[r as usize].0;
    std::array::from_fn(|i| lanes[at + i])
}

macro_rules! lane_of_one_word {
    ($($ty:ty: $from:expr, $to:expr;)*) => {$(
        impl Lane for $ty {
            #[inline(always)]
            fn load(regs: &Registers, r: Reg, at: usize) -> [Self; BLOCK] {
                block(regs, r, at).map($from)
            }

            #[inline(always)]
            fn store(regs: &mut Registers, r: Reg, at: usize, values: [Self; BLOCK]) {
                regs[r as usize].0[at..at + BLOCK].copy_from_slice(&values.map($to));
            }
        }
    )*};
}

lane_of_one_word! {
    u32: |x| x, |x| x;
    i32: |x| x as i32, |x| x as u32;
    bool: |x| x != 0, |x| x as u32;
    f32: f32::from_bits, f32::to_bits;
    f16: |x| f16::from_bits(x as u16), |x| x.to_bits() as u32;
}

macro_rules! lane_of_two_words {
    ($($ty:ty: $from:expr, $to:expr;)*) => {$(
        impl Lane for $ty {
            #[inline(always)]
            fn load(regs: &Registers, r: Reg, at: usize) -> [Self; BLOCK] {
                let (low, high) = (block(regs, r, at), block(regs, r + 1, at));
                std::array::from_fn(|i| $from(low[i] as u64 | (high[i] as u64) << 32))
            }

            #[inline(always)]
            fn store(regs: &mut Registers, r: Reg, at: usize, values: [Self; BLOCK]) {
                let words = values.map($to);
                regs[r as usize].0[at..at + BLOCK].copy_from_slice(&words.map(|x: u64| x as u32));
                regs[r as usize + 1].0[at..at + BLOCK].copy_from_slice(&words.map(|x: u64| (x >> 32) as u32));
            }
        }
    )*};
}

lane_of_two_words! {
    u64: |x: u64| x, |x| x;
    i64: |x: u64| x as i64, |x| x as u64;
    f64: f64::from_bits, f64::to_bits;
}

#[inline(always)]
pub(crate) fn map1<A: Lane, R: Lane>(regs: &mut Registers, r: [Reg; 5], f: impl Fn(A) -> R) {
    for at in regs.blocks() {
        let a = A::load(regs, r[1], at);
        R::store(regs, r[0], at, a.map(&f));
    }
}

#[inline(always)]
pub(crate) fn map2<A: Lane, B: Lane, R: Lane>(regs: &mut Registers, r: [Reg; 5], f: impl Fn(A, B) -> R) {
    for at in regs.blocks() {
        let (a, b) = (A::load(regs, r[1], at), B::load(regs, r[2], at));
        R::store(regs, r[0], at, std::array::from_fn(|i| f(a[i], b[i])));
    }
}

#[inline(always)]
pub(crate) fn map3<A: Lane, B: Lane, C: Lane, R: Lane>(regs: &mut Registers, r: [Reg; 5], f: impl Fn(A, B, C) -> R) {
    for at in regs.blocks() {
        let (a, b, c) = (A::load(regs, r[1], at), B::load(regs, r[2], at), C::load(regs, r[3], at));
        R::store(regs, r[0], at, std::array::from_fn(|i| f(a[i], b[i], c[i])));
    }
}

#[inline(always)]
pub(crate) fn map4<A: Lane, R: Lane>(regs: &mut Registers, r: [Reg; 5], f: impl Fn(A, A, A, A) -> R) {
    for at in regs.blocks() {
        let v: [[A; BLOCK]; 4] = std::array::from_fn(|k| A::load(regs, r[k + 1], at));
        R::store(regs, r[0], at, std::array::from_fn(|i| f(v[0][i], v[1][i], v[2][i], v[3][i])));
    }
}

/// A kernel from a function of scalars: `kernel!(|a: f32, b: f32| -> f32 { a + b })`.
macro_rules! kernel {
    (|$a:ident: $A:ty| -> $R:ty $body:block) => {
        (|regs, r| $crate::ops::map1::<$A, $R>(regs, r, |$a| $body)) as $crate::ops::Kernel
    };
    (|$a:ident: $A:ty, $b:ident: $B:ty| -> $R:ty $body:block) => {
        (|regs, r| $crate::ops::map2::<$A, $B, $R>(regs, r, |$a, $b| $body)) as $crate::ops::Kernel
    };
    (|$a:ident: $A:ty, $b:ident: $B:ty, $c:ident: $C:ty| -> $R:ty $body:block) => {
        (|regs, r| $crate::ops::map3::<$A, $B, $C, $R>(regs, r, |$a, $b, $c| $body)) as $crate::ops::Kernel
    };
}
pub(crate) use kernel;
