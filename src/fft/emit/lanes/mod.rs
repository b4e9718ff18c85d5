//! Text of a pass without workgroup memory: lines of an FFT in the registers of one subgroup.
//!
//! Made for processors that pose as GPUs (lavapipe, whose subgroups are the 8 lanes of a vector
//! register), where a barrier and every narrow access cost far more than arithmetic. Other devices
//! can run it too, though slowly: there the lanes exchange values through workgroup memory, and
//! four numbers are two vectors of floats. Values only move in other ways, so that the arithmetic
//! on every line is the same.
//!
//! A line of n = J·K elements belongs to L lanes of a subgroup. Every access moves V neighbouring
//! complex numbers: [along](Lanes::along) the line, or across V lines, which are transformed side
//! by side. With W = V along and W = 1 across:
//!
//! 1. Lane l loads the elements i + K·m, i = c + W·(l + L·e), for c in 0..W and m in 0..J, and does
//!    a DFT of J over m for every (c, e). That yields digit u in 0..J of the frequency.
//! 2. Registers and lanes change places: u = g + W·(λ + L·h), and lane λ receives for every (g, h)
//!    all i in 0..K.
//! 3. Times exp(-2πi·i·u/n). A DFT of K over i yields frequency u + J·v, v in 0..K, which is
//!    stored; the W values of g lie side by side.
//!
//! With K = 1 a line is one DFT of J in one lane. J and K are multiples of W; where they are none
//! of W·L, some lanes compute in vain: they load what others load, and what they would store is
//! left out.
//!
//! A lane has several DFTs of each stage. They are written one after the other, or for a shorter
//! text as iterations of a loop (`loops.rs`).
//!
//! All loads come first and all stores last, each in the order of their addresses: on lavapipe 1024
//! rows of 1024 take 15% longer if loads and stores stand where their values are first used and
//! known.

pub(in crate::fft) mod access;
mod arithmetic;
pub(in crate::fft) mod emit;
pub(in crate::fft) mod fit;
pub(in crate::fft) mod halves;
mod loops;

use crate::fft::spec::number::Number;
use crate::gpu::DeviceProfile;
use crate::plan::{Fit, ensure};

const NUMBER: Number = Number::F32;

/// Complex numbers of a processor's cache line.
pub(crate) const CACHE_LINE: u32 = 8;

/// Invocations of a subgroup, always.
pub(crate) const SUBGROUP: u32 = 8;

/// Maximum number of complex numbers of an invocation: 512 take 5 s to compile.
pub(crate) const MAX_OF_LANE: u32 = 256;

/// The same in loops, whose text is shorter: rows of 4096 with 512 numbers compile for 2.8 s.
pub(crate) const MAX_IN_LOOPS: u32 = 512;

/// What one access moves: neighbouring complex numbers.
///
/// Each of them is an integer of 64 bits where there are any: lavapipe loads and stores every
/// number of every lane by itself, so that a `u64` takes half the time of a `vec2<f32>`. Elsewhere
/// they are a `vec2<f32>`, a `vec4<f32>` or two of these.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Access {
    /// V: 1, 2 or 4.
    pub(crate) width: u32,
    /// Whether a number is a `u64`, which needs `SHADER_INT64`.
    pub(crate) int64: bool,
}

/// The widest access that pays: four numbers of 64 bits are one vector of integers, and without
/// such integers two are one vector of floats.
pub(crate) fn widest(profile: &DeviceProfile) -> u32 {
    if profile.int64 { 4 } else { 2 }
}

/// One digit of a line's number, or across of that of V lines, fastest first. Strides are in
/// accesses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Digit {
    pub(crate) extent: u32,
    pub(crate) input: u32,
    pub(crate) output: u32,
    /// Weight in the m of [`PassTwiddle`].
    pub(crate) weight: u32,
}

/// Factors exp(-2πi·k·m/n) on the outputs k, with m the sum of the line's digits times their
/// weights, and k·m < n.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct PassTwiddle {
    pub(crate) n: u32,
    /// By how much m grows from one line of an access to the next.
    pub(crate) across: u32,
}

/// A pass.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Lanes {
    /// J and K.
    pub(crate) factors: [u32; 2],
    /// L: 1, 2, 4 or 8, at most the size of the subgroup.
    pub(crate) lanes: u32,
    pub(crate) access: Access,
    /// Whether the neighbours of an access are on the line, whose elements are neighbours in input
    /// and output, and not on neighbouring lines.
    pub(crate) along: bool,
    pub(crate) digits: Vec<Digit>,
    /// Accesses from the begin of the array to the first line, input and output.
    pub(crate) offsets: [u32; 2],
    /// Accesses between neighbouring elements of a line across, or 1 along, of input and output.
    pub(crate) strides: [u32; 2],
    /// Of lines in one lane only.
    pub(crate) turn: Option<PassTwiddle>,
    /// Real and imaginary part change places when loaded, when stored.
    pub(crate) swap: [bool; 2],
    pub(crate) scaled: bool,
    /// Invocations of a workgroup, a multiple of [`SUBGROUP`].
    pub(crate) invocations: u32,
    /// Bytes of workgroup memory, if lanes exchange values through it and not in subgroups of
    /// [`SUBGROUP`] invocations.
    pub(crate) memory: Option<u32>,
    /// Whether the DFTs of a lane are iterations of loops: a shorter text for a line in several
    /// lanes.
    pub(crate) loops: bool,
}

impl Lanes {
    pub(crate) fn n(&self) -> u32 {
        self.factors[0] * self.factors[1]
    }

    /// Lines, or across groups of V lines.
    pub(crate) fn lines(&self) -> u32 {
        self.digits.iter().map(|digit| digit.extent).product()
    }

    /// Complex numbers that an invocation holds: 2 registers of a vector unit each, 128 are
    /// comfortable.
    pub(crate) fn elements(&self) -> u32 {
        let [along, across] = self.spread();
        across * row_elements(self.factors, self.lanes, along)
    }

    /// Invocations that stay together to the end: a subgroup for its shuffles, a workgroup for its
    /// barriers.
    fn together(&self) -> u32 {
        if self.memory.is_none() { SUBGROUP } else { self.invocations }
    }

    /// Whether there are invocations without a line that stay for the others.
    fn has_idle(&self) -> bool {
        !(u64::from(self.lines()) * u64::from(self.lanes)).is_multiple_of(self.together().into())
    }

    /// Exchanges between a pair of barriers: as many as workgroup memory has room for, in turns of
    /// equal length; 0 if there is no room for one.
    fn exchanges_at_once(&self) -> u32 {
        let Some(available) = self.memory else { return 1 };
        if self.lanes == 1 {
            return 1;
        }
        let [along, _] = self.spread();
        let all = slots(self.factors[1], self.lanes, along) * self.exchanged_together();
        let room = u64::from(available) / self.exchange_bytes();
        let turns = u64::from(all).div_ceil(room.clamp(1, all.into()));
        if room == 0 { 0 } else { u64::from(all).div_ceil(turns) as u32 }
    }

    /// Bytes of workgroup memory by which every invocation sends a complex number to each lane of
    /// its line.
    fn exchange_bytes(&self) -> u64 {
        8 * u64::from(self.lanes) * u64::from(self.invocations)
    }

    fn exchanges_in_memory(&self) -> bool {
        self.memory.is_some() && self.lanes > 1
    }

    /// Numbers side by side that go through an exchange. In loops it is one.
    fn exchanged_together(&self) -> u32 {
        if self.loops { 1 } else { self.access.width }
    }

    pub(crate) fn workgroup_bytes(&self) -> u64 {
        if self.exchanges_in_memory() { u64::from(self.exchanges_at_once()) * self.exchange_bytes() } else { 0 }
    }

    /// W, and lines of an access.
    fn spread(&self) -> [u32; 2] {
        if self.along { [self.access.width, 1] } else { [1, self.access.width] }
    }

    /// Refuses what no text can be made for.
    fn check(&self) -> Fit {
        let (&Self { factors: [j, k], lanes, loops, .. }, [along, _]) = (self, self.spread());
        ensure([1, 2, 4, 8].contains(&lanes), || format!("lanes are 1, 2, 4 or 8, not {lanes}"))?;
        ensure(!self.along || self.strides == [1, 1] && j.is_multiple_of(along) && k.is_multiple_of(along), || {
            format!("accesses along a line need neighbouring elements, and {j} and {k} to be multiples of {along}")
        })?;
        ensure(lanes == 1 || k > 1, || "a line in several lanes needs two factors".to_owned())?;
        ensure(lanes > 1 || !loops, || "loops are for lines in several lanes".to_owned())?;
        // Most lanes would compute in vain.
        ensure(lanes == 1 || lanes * along < 4 * j, || format!("{lanes} lanes are too many for a DFT of {j}"))?;
        let (held, most) = (self.elements(), if loops { MAX_IN_LOOPS } else { MAX_OF_LANE });
        ensure(held <= most, || format!("a lane would hold {held} complex numbers, more than {most}"))?;
        let (required, available) = (self.exchange_bytes(), self.memory.unwrap_or(0));
        ensure(self.exchanges_at_once() > 0, || {
            format!("an exchange without subgroups of {SUBGROUP} needs {required} bytes of workgroup memory of {available}")
        })?;
        ensure(self.turn.is_none() || lanes == 1 && !self.along, || "roots on results need a line in one lane".to_owned())
    }
}

/// Complex numbers of a line that an invocation holds, with accesses of `along`.
pub(crate) fn row_elements([j, k]: [u32; 2], lanes: u32, along: u32) -> u32 {
    // Also asked for lengths that no recipe can do.
    slots(k, lanes, along).saturating_mul(j).max(slots(j, lanes, along).saturating_mul(k))
}

/// How many of n elements a lane holds, with accesses of `along`.
pub(crate) fn slots(n: u32, lanes: u32, along: u32) -> u32 {
    n.div_ceil(along * lanes).saturating_mul(along)
}
